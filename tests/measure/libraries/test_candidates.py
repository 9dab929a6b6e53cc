"""The candidates compute the operation; a library that is missing is said once."""

import importlib
import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace

import pytest
import torch

from helpers.measure import store
from helpers.measure.libraries import candidates
from helpers.measure.libraries.candidates import TRITON_CONFIGS as CONFIGS
from helpers.measure.libraries.candidates import Candidate
from helpers.measure.libraries.operations import OPERATIONS, Operation, same_bits
from helpers.run import machine

ADD = Operation("add", torch.float32)


@pytest.fixture(autouse=True)
def nothing_said_yet(monkeypatch):
    monkeypatch.setattr(candidates, "_missing", set())


def candidate(name, variant="", version="1"):
    return Candidate(name, version, lambda inputs, out: None, variant)


@pytest.mark.parametrize("operation", OPERATIONS, ids=str)
def test_ours_and_eager_pytorch_agree(operation):
    inputs, out = operation.buffers(3000, machine.present().device)
    own = [
        candidates.course(operation, path=2),
        candidates.template(operation),
        *candidates._eager(operation),
    ]
    assert [one.name for one in own] == ["course", "template", "torch"]
    assert own[2].version == torch.__version__
    for one in own:
        out.fill_(float("nan"))
        one.bind(inputs, out)()
        assert same_bits(out, operation.reference(inputs)), one.name


def test_a_variant_of_the_course_keeps_its_arguments():
    one = candidates.course(ADD, "packs 512", path=1, threads=512)
    assert (one.name, one.variant, one.version) == ("course", "packs 512", "")
    inputs, out = ADD.buffers(10, machine.present().device)
    assert one.bind(inputs, out).keywords == {"path": 1, "threads": 512, "programmatic": 1}


def test_ours_must_be_right():
    assert candidate("course").is_ours and candidate("template").is_ours
    assert not candidate("torch").is_ours


def test_a_candidate_as_text():
    assert str(candidate("CUB")) == "CUB"
    assert (
        str(candidate("Triton", "1024 elements, 4 warps")) == "Triton, 1024 elements, 4 warps"
    )


def test_a_missing_library_is_said_once(monkeypatch, capsys):
    def missing(operation):
        raise ImportError("no module named cupy " + 300 * "x")

    libraries = {"CuPy": missing, "torch": lambda operation: [candidate("torch")]}
    monkeypatch.setattr(candidates, "LIBRARIES", libraries)
    for _ in range(2):
        assert [one.name for one in candidates.libraries(ADD)] == ["torch"]
    out = capsys.readouterr().out
    assert out.count("CuPy is not measured: ImportError: no module named cupy") == 1
    assert len(out) < 250


def test_torch_compile_is_given_the_operation(monkeypatch):
    pytest.importorskip("torch._dynamo")
    monkeypatch.setattr(torch, "compile", lambda function, dynamic: function)
    reset = []  # what was compiled for other sizes
    monkeypatch.setattr(torch._dynamo, "reset", lambda: reset.append(True))
    for operation in (ADD, Operation("cast", torch.float16)):
        (one,) = candidates._compiled(operation)
        inputs, out = operation.buffers(10, "cpu")
        one.bind(inputs, out)()
        assert same_bits(out, operation.reference(inputs))
        assert (one.name, one.version) == ("torch.compile", torch.__version__)
    assert reset == [True, True]


@pytest.mark.parametrize(
    ("header", "version"),
    [
        ("#define CUB_VERSION 300001\n", "3.0.1"),
        ("#define CUB_VERSION 201205 // 2.12.5", "2.12.5"),
        ("", ""),
    ],
)
def test_the_version_of_cub(header, version, monkeypatch, tmp_path):
    folder = tmp_path / "include" / "cub"
    folder.mkdir(parents=True)
    (folder / "version.cuh").write_text(header)
    nvcc = type("Nvcc", (), {"home": tmp_path})
    monkeypatch.setattr(candidates, "find_nvcc", lambda: nvcc)
    assert candidates.cub_version() == version
    monkeypatch.setattr(candidates, "find_nvcc", lambda: None)
    assert candidates.cub_version() == ""


def test_every_library_has_a_maker():
    assert list(candidates.LIBRARIES) == ["torch", "torch.compile", "Triton", "CUB", "CuPy"]


def test_the_recorded_variants_are_configurations_of_triton():
    rows = store.LIBRARIES.load()
    variants = set(rows[rows.candidate == "Triton"].variant)
    configurations = {f"{block} elements, {warps} warps" for block, warps in CONFIGS}
    assert variants <= configurations and len(variants) > 1


# ---- libraries that are not installed here -------------------------------------------------


def test_triton_in_five_shapes(fake_triton, monkeypatch):
    name = "helpers.measure.libraries.triton_kernels"
    monkeypatch.setattr(sys.modules["triton"], "__version__", "3.9", raising=False)
    monkeypatch.delitem(sys.modules, name, raising=False)
    importlib.import_module(name)
    found = candidates._triton(ADD)
    shapes = [(1024, 4), (1024, 8), (2048, 8), (4096, 8), (8192, 16)]
    want = [("Triton", "3.9", f"{block} elements, {warps} warps") for block, warps in shapes]
    assert [(one.name, one.version, one.variant) for one in found] == want
    for one, (block, warps) in zip(found, shapes, strict=True):
        inputs, out = ADD.buffers(3000, "cpu")
        one.bind(inputs, out)()
        assert torch.equal(out, inputs[0] + inputs[1])
        grid, own_warps, _, constants = fake_triton.launches[-1]
        assert (grid, own_warps) == ((-(-3000 // block),), warps)
        assert constants == {"BLOCK": block}
    monkeypatch.delitem(sys.modules, name)


def test_cub_is_the_launcher_of_its_file(monkeypatch):
    loaded, launched = [], []

    def kernel(path):
        loaded.append(path)
        return SimpleNamespace(add=lambda *tensors: launched.append(tensors))

    monkeypatch.setattr(candidates, "kernel", kernel)
    monkeypatch.setattr(candidates, "cub_version", lambda: "3.0.1")
    (one,) = candidates._cub(ADD)
    one.bind([1, 2], 3)()
    assert launched == [(1, 2, 3)] and (one.name, one.version) == ("CUB", "3.0.1")
    assert loaded == [Path(candidates.__file__).with_name("cub_transform.cu")]
    assert loaded[0].is_file()


class Stream:
    """CuPy's stream: says which torch stream it is, and when it is entered."""

    entered = None

    def __init__(self, way, stream):
        self.way, self.stream = way, stream

    def __enter__(self):
        Stream.entered = (self.way, self.stream)

    def __exit__(self, *_):
        Stream.entered = None


@pytest.fixture(params=["from_external", "ExternalStream"])
def cupy(request, monkeypatch):
    """Put a stand-in for CuPy in place, new or old; its arrays are torch's tensors."""
    stream = SimpleNamespace(cuda_stream=1234)
    monkeypatch.setattr(torch.cuda, "current_stream", lambda: stream)
    module, small = ModuleType("cupy"), ModuleType("ml_dtypes")
    small.bfloat16 = torch.bfloat16
    new = request.param == "from_external"
    streams = SimpleNamespace(
        Stream=SimpleNamespace(from_external=lambda s: Stream("new", s))
        if new
        else SimpleNamespace(),
        ExternalStream=lambda address: Stream("old", address),
    )

    def asarray(tensor):
        assert tensor.dtype is not torch.bfloat16, "CuPy does not know it"
        return tensor

    def add(a, b, out):
        assert Stream.entered == (("new", stream) if new else ("old", 1234))
        torch.add(a, b, out=out)

    def copyto(out, x, casting):
        assert Stream.entered and casting == "unsafe"
        out.copy_(x)

    vars(module).update(
        __version__="13.4", cuda=streams, asarray=asarray, dtype=lambda x: x, add=add
    )
    module.copyto = copyto
    monkeypatch.setitem(sys.modules, "cupy", module)
    monkeypatch.setitem(sys.modules, "ml_dtypes", small)


@pytest.mark.parametrize("operation", OPERATIONS, ids=str)
def test_cupy_computes_on_torch_s_stream(operation, cupy):
    (one,) = candidates._cupy(operation)
    assert (one.name, one.version) == ("CuPy", "13.4")
    inputs, out = operation.buffers(100, "cpu")
    one.bind(inputs, out)()
    assert same_bits(out, operation.reference(inputs))


def test_the_template_has_no_variant_and_the_course_its_operation_s_file(monkeypatch):
    loaded = []

    def kernel(name):
        loaded.append(name)
        return SimpleNamespace(add=lambda *tensors, **knobs: (tensors, knobs))

    monkeypatch.setattr(candidates, "kernel", kernel)
    template, course = candidates.template(ADD), candidates.course(ADD)
    assert loaded == ["op_add", "fast_add"]
    assert (template.version, template.variant, course.variant) == ("", "", "")
    assert template.bind([1, 2], 3)() == ((1, 2, 3), {})
    assert course.bind([1, 2], 3)() == ((1, 2, 3), {"programmatic": 1})


def test_a_kernel_is_loaded_once(monkeypatch):
    loaded = []
    monkeypatch.setattr(candidates.jit, "load", lambda name: loaded.append(name) or name)
    candidates.kernel.cache_clear()
    assert [candidates.kernel("x"), candidates.kernel("x")] == ["x", "x"] and loaded == ["x"]
    candidates.kernel.cache_clear()


def test_a_library_s_error_is_cut_at_200_characters(monkeypatch, capsys):
    def missing(operation):
        raise ImportError("y" * 300)

    monkeypatch.setattr(candidates, "LIBRARIES", {"CuPy": missing})
    assert candidates.libraries(ADD) == []
    assert capsys.readouterr().out == f"CuPy is not measured: ImportError: {'y' * 200}\n"
