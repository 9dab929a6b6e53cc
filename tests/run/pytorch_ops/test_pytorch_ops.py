"""How the operators are registered: in Python without a GPU, else compiled, once."""

import os
import re
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace

import pytest
import torch

from helpers.errors import CompileError
from helpers.run import machine, nvcc, pytorch_ops
from helpers.run.pytorch_ops import in_python

HERE = Path(__file__).parent
CODE = pytorch_ops.SOURCE.read_text(encoding="utf-8")


class Extension(SimpleNamespace):
    """PyTorch's builder, which keeps what it is asked for."""

    def load(self, **asked):
        self.asked = asked
        if self.fails:
            raise RuntimeError("operators.cpp:12:3: error: 'x' was not declared in this scope")
        return "the module"


@pytest.fixture
def extension(monkeypatch, tmp_path):
    lent = Extension(fails=False)

    @contextmanager
    def builder():
        yield lent

    monkeypatch.setattr(nvcc, "builder", builder)
    monkeypatch.setenv("ELEMENTWISE_CACHE", str(tmp_path))
    return lent


def test_without_a_gpu_they_are_registered_in_python(ops):
    if machine.present().is_gpu or ops is not in_python:
        pytest.skip("they are compiled here")
    assert pytorch_ops.load() is in_python
    schema = str(torch.ops.elementwise.add.default._schema)
    assert schema == "elementwise::add(Tensor a, Tensor b) -> Tensor"


def test_both_registrations_have_the_same_schemas():
    compiled = dict(re.findall(r'm\.def\("(\w+)(\(.*?)"', CODE))
    assert compiled == in_python.SCHEMAS
    assert list(compiled) == list(pytorch_ops.FUNCTIONS)


def test_what_is_built_for_a_gpu(extension):
    assert pytorch_ops.build("9.0") == "the module"
    asked = extension.asked
    assert asked["sources"] == [str(pytorch_ops.SOURCE), str(pytorch_ops.KERNELS)]
    assert asked["extra_cflags"] == ["-O2", "-DWITH_CUDA"]
    assert asked["extra_cuda_cflags"] == list(nvcc.flags("9.0"))
    assert asked["extra_ldflags"] == ["-lstdc++"]  # before PyTorch's libraries
    assert asked["name"] == "elementwise_ops"  # PyInit_elementwise_ops
    assert "PyInit_elementwise_ops" in CODE


def test_what_is_built_for_a_cpu(extension):
    pytorch_ops.build(None)
    assert extension.asked["sources"] == [str(pytorch_ops.SOURCE)]
    assert extension.asked["extra_cflags"] == ["-O2"]
    assert extension.asked["extra_cuda_cflags"] == []
    folder = Path(extension.asked["build_directory"])
    assert re.fullmatch(r"elementwise_ops-[0-9a-f]{16}", folder.name)
    assert (folder / "elementwise.lock").exists()


def test_each_build_has_its_folder(extension, monkeypatch):
    folders = []
    for cc in ("9.0", "8.0", None):
        pytorch_ops.build(cc)
        folders.append(extension.asked["build_directory"])
    monkeypatch.setattr(torch, "__version__", "2.99")
    pytorch_ops.build("9.0")
    folders.append(extension.asked["build_directory"])
    assert len(set(folders)) == 4


def test_the_kernels_are_part_of_a_build_for_a_gpu_only(extension, monkeypatch):
    read = []
    monkeypatch.setattr(pytorch_ops, "read_sources", lambda path: read.append(path) or {})
    pytorch_ops.build(None)
    assert read == []
    pytorch_ops.build("9.0")
    assert read == [pytorch_ops.KERNELS]


def test_a_killed_build_stops_no_later_one(extension):
    pytorch_ops.build(None)
    left = Path(extension.asked["build_directory"]) / "lock"
    left.touch()  # PyTorch's builder would wait for it without end
    pytorch_ops.build(None)
    assert not left.exists()


def test_a_failed_build_has_the_compilers_words(extension):
    extension.fails = True
    with pytest.raises(CompileError, match="'x' was not declared") as caught:
        pytorch_ops.build(None)
    assert "operators.cpp:12:3" in caught.value.log


@pytest.mark.parametrize(
    ("is_gpu", "available", "compiled"),
    [(True, True, True), (True, False, False), (False, True, False), (False, False, False)],
)
def test_compiled_where_there_is_a_gpu_that_pytorch_sees(
    monkeypatch, is_gpu, available, compiled
):
    monkeypatch.setattr(machine, "present", lambda: SimpleNamespace(is_gpu=is_gpu, cc="9.0"))
    monkeypatch.setattr(torch.cuda, "is_available", lambda: available)
    monkeypatch.setattr(pytorch_ops, "build", lambda cc: f"built for {cc}")
    monkeypatch.setattr(pytorch_ops, "trace_as_operators", lambda built: f"{built}, traced")
    registered = []
    monkeypatch.setattr(in_python, "register", lambda: registered.append(1))
    found = pytorch_ops.load.__wrapped__()
    assert found == ("built for 9.0, traced" if compiled else in_python)
    assert registered == ([] if compiled else [1])


def test_torch_compile_sees_the_operators(ops, monkeypatch):
    """In the place of each function that a program calls stands its operator."""
    replaced = {}
    monkeypatch.setattr(
        torch.compiler,
        "substitute_in_graph",
        lambda original: lambda replacement: replaced.setdefault(original, replacement),
    )
    functions = SimpleNamespace(add="add", gelu="gelu", bias_gelu_residual="fused")
    assert pytorch_ops.trace_as_operators(functions) is functions
    x, bias, residual = (torch.randn(5, device=machine.present().device) for _ in range(3))
    assert torch.equal(replaced["add"](x, bias), x + bias)
    assert torch.equal(replaced["gelu"](x), ops.gelu(x))
    got, wanted = (f(x, bias, residual) for f in (replaced["fused"], ops.bias_gelu_residual))
    assert torch.equal(got, wanted)


@pytest.mark.stress
def test_compiled_for_a_cpu_they_keep_the_same_contract():
    command = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:nbval", "-p"]
    command += ["no:cacheprovider", "-o", "addopts=--import-mode=importlib"]
    done = subprocess.run(
        [*command, str(HERE / "test_operators.py")],
        env={**os.environ, "TEST_COMPILED_PYTORCH_OPS": "1"},
        capture_output=True,
        text=True,
        check=False,
        cwd=HERE.parents[2],
    )
    assert done.returncode == 0, done.stdout[-3000:]
