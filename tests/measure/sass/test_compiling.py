"""Compiling and disassembling: tools, architectures, the cache, errors."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from subprocess import CompletedProcess

import pytest

from helpers.errors import BuildError, CompileError
from helpers.measure import sass
from helpers.measure.sass import compiling
from helpers.measure.sass.compiling import Tools, compile_report, run_tool
from helpers.run import cache, toolchain

NVCC = toolchain.Tool(Path("/cuda/bin/nvcc"), "PATH", "12.4.131")
NVDISASM = toolchain.Tool(Path("/triton/nvdisasm"), "Triton", "12.8.55")


@pytest.mark.parametrize("arch", ["sm_90", "9.0", (9, 0), "90"])
def test_arch_name(arch):
    assert compiling.arch_name(arch) == "sm_90"


def test_arch_name_of_newer_ones():
    assert compiling.arch_name("12.1") == "sm_121" == compiling.arch_name((12, 1))
    assert compiling.arch_name("sm_100a") == "sm_100a"
    assert compiling.arch_name("10.3f") == "sm_103f"


@pytest.mark.parametrize("arch", ["compute_90", "hopper", "", "sm_", "sm_90b"])
def test_arch_name_refuses_others(arch):
    with pytest.raises(ValueError, match="not an architecture: write it as 'sm_90'"):
        compiling.arch_name(arch)


def test_find_tools_asks_for_the_architecture(monkeypatch):
    asked = []
    monkeypatch.setattr(toolchain, "find_tool", lambda *words: asked.append(words))
    assert compiling.find_tools("12.0") == Tools(None, None, None)
    assert asked == [(name, "sm_120") for name in ("nvcc", "nvdisasm", "cuobjdump")]
    asked.clear()
    compiling.find_tools()
    assert asked[0] == ("nvcc", None)


def test_tools_in_words():
    assert str(Tools(NVCC, NVDISASM, None)).splitlines() == [
        "nvcc       12.4.131 (PATH)",
        "nvdisasm   12.8.55 (Triton)",
        "cuobjdump  not found",
    ]


@pytest.mark.parametrize(
    ("tools", "words"),
    [
        (Tools(None, None, None), "no nvcc and no nvdisasm for sm_90 on this machine"),
        (Tools(NVCC, None, None), "no nvdisasm for sm_90 on this machine"),
        (Tools(None, NVDISASM, None), "no nvcc for sm_90 on this machine"),
    ],
)
def test_missing_tools_are_named(monkeypatch, example_file, tools, words):
    monkeypatch.setattr(compiling, "find_tools", lambda arch: tools)
    with pytest.raises(BuildError, match=words) as caught:
        compile_report(example_file, "sm_90")
    assert 'pip install -e ".[sass]"' in str(caught.value)


def test_programs_that_hang_or_are_missing(tmp_path):
    assert run_tool("echo", tmp_path, timeout=60).stdout == f"{tmp_path}\n"
    assert run_tool("pwd", timeout=60, cwd=tmp_path).stdout == f"{tmp_path}\n"
    with pytest.raises(BuildError, match=r"sleep did not end within 0\.1 s"):
        run_tool("sleep", "600", timeout=0.1)
    with pytest.raises(BuildError, match=r"nothing could not be run: No such file"):
        run_tool(tmp_path / "nothing", timeout=60)


@pytest.fixture
def runs(monkeypatch, tmp_path, disassembled, ptxas_log):
    """Stand in for the tools: {program: its CompletedProcess}, and the commands that ran."""
    answers = {
        "nvcc": CompletedProcess([], 0, "", ptxas_log),
        "nvdisasm": CompletedProcess([], 0, disassembled, ""),
    }
    commands = []

    def run(*command, timeout, cwd=None):
        commands.append([str(word) for word in command])
        name = Path(command[0]).name
        if name == "nvcc" and answers[name].returncode == 0:
            Path(command[-1]).write_text("code")
        return answers[name]

    monkeypatch.setenv("ELEMENTWISE_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(compiling, "run_tool", run)
    monkeypatch.setattr(compiling, "find_tools", lambda arch: Tools(NVCC, NVDISASM, None))
    return answers, commands


def test_a_report_is_compiled_and_disassembled(runs, example, example_file):
    report = compile_report(example_file, "sm_90", ["-DX=1"])
    expected = replace(example, nvcc="12.4.131", nvdisasm="12.8.55", source_hash="")
    assert replace(report, source_hash="") == expected and len(report.source_hash) == 64
    compiled, disassembled = runs[1]
    assert compiled[:3] == ["/cuda/bin/nvcc", "-cubin", "-arch=sm_90"]
    assert compiled[3:7] == ["-O3", "-std=c++17", "-lineinfo", "-Xptxas=-v"]
    assert compiled[7:10] == ["-DX=1", str(example_file), "-o"]
    assert disassembled[:2] == ["/triton/nvdisasm", "--print-code"]
    assert disassembled[2:] == ["--print-line-info-inline", compiled[10]]


def test_a_report_is_made_once_and_then_comes_from_the_cache(runs, example_file, tmp_path):
    made = compile_report(example_file, "sm_90")
    (cached,) = (tmp_path / "cache").glob("*.sass.txt")
    assert cached.name.startswith("example-sm_90-")
    assert list(cached.parent.glob("example*")) == [cached]  # and no partial file
    assert compile_report(example_file, "sm_90") == made and len(runs[1]) == 2


@pytest.mark.parametrize("change", ["arch", "flags", "source", "nvcc", "nvdisasm", "format"])
def test_whatever_the_code_depends_on_is_in_the_caches_key(
    runs, example_file, monkeypatch, change
):
    compile_report(example_file, "sm_90")
    arch = "sm_120" if change == "arch" else "sm_90"
    if change == "source":
        example_file.write_text(example_file.read_text() + "// edited\n")
    if change in ("nvcc", "nvdisasm"):
        tools = Tools(NVCC, NVDISASM, None)
        newer = replace(tools, **{change: replace(getattr(tools, change), version="99")})
        monkeypatch.setattr(compiling, "find_tools", lambda arch: newer)
    if change == "format":
        monkeypatch.setattr(compiling, "FORMAT", 99)
    compile_report(example_file, arch, ["-DX"] if change == "flags" else [])
    assert len(runs[1]) == 4


def test_a_cache_that_cannot_be_written_is_done_without(runs, example_file, monkeypatch):
    def refuse():
        raise BuildError("read-only")

    monkeypatch.setattr(cache, "folder", refuse)
    assert compile_report(example_file, "sm_90").kernels
    assert compile_report(example_file, "sm_90").kernels and len(runs[1]) == 4


def test_errors_of_the_file(runs, example_file):
    folder = example_file.parent
    log = f'{folder}/example.cu(2): error: identifier "x" is undefined\nnote\n' * 6
    runs[0]["nvcc"] = CompletedProcess([], 2, "", log)
    with pytest.raises(CompileError, match="does not compile for sm_90") as caught:
        compile_report(example_file, "sm_90")
    lines = str(caught.value).splitlines()
    assert lines[1:] == ['    example.cu(2): error: identifier "x" is undefined'] * 5
    assert str(folder) not in str(caught.value)


@pytest.mark.parametrize(
    ("log", "words"),
    [
        ("nvcc fatal : Unsupported gpu architecture", "nvcc fatal : Unsupported gpu"),
        ("", r"\(it said nothing\)"),
        ("strange\nwords", r"strange\n    words"),
    ],
)
def test_errors_of_the_compiler(runs, example_file, log, words):
    runs[0]["nvcc"] = CompletedProcess([], 1, log, "")
    where = r"nvcc 12\.4\.131 failed on example\.cu for sm_90:\n    "
    with pytest.raises(CompileError, match=where + words):
        compile_report(example_file, "sm_90")


def test_no_host_compiler(runs, example_file, monkeypatch):
    monkeypatch.setattr(compiling.shutil, "which", lambda name: None)
    runs[0]["nvcc"] = CompletedProcess([], 1, "", "sh: g++: not found")
    with pytest.raises(BuildError, match=r"there is no g\+\+ on this machine:\n    sh: g\+\+"):
        compile_report(example_file, "sm_90")


def test_errors_of_the_disassembler(runs, example_file):
    runs[0]["nvdisasm"] = CompletedProcess([], 1, "", " bad cubin \n")
    with pytest.raises(BuildError, match=r"nvdisasm 12\.8\.55 failed: bad cubin$"):
        compile_report(example_file, "sm_90")


def test_a_kernel_that_does_not_compile(tools, tmp_path):
    broken = tmp_path / "broken.cu"
    broken.write_text("__global__ void f(float* p) {\n    p[0] = nonsense;\n}\n")
    with pytest.raises(
        CompileError, match=r"broken\.cu\(2\): error: identifier .nonsense. is undefined"
    ):
        sass.read(broken, "sm_120")
