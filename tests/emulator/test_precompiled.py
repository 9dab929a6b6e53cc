"""The emulator's headers, compiled once: used by a build, unfit ones passed over."""

import subprocess

import pytest

from helpers import emulator
from helpers.emulator import compile as compiling
from helpers.emulator import front_end, precompiled
from helpers.errors import CompileError

GOOD = 'extern "C" int answer() { return 42; }\n'


@pytest.fixture(scope="module")
def headers(tmp_path_factory):
    """Precompile the headers once for this file."""
    if "clang" in compiling._version(compiling.compiler()):
        pytest.skip("clang builds without precompiled headers")
    return emulator.precompile_headers(tmp_path_factory.mktemp("cache") / "headers-1")


def write(path, text):
    path.write_text(text)
    return path


def test_a_folder_with_the_header_and_its_compiled_form(headers):
    of_clang = [] if front_end.problem() else ["device.pch", "host.pch"]
    files = sorted(file.name for file in headers.iterdir())
    assert files == [*of_clang, "prelude.h", "prelude.h.gch"]
    assert (headers / "prelude.h").read_text() == "#include <cuda_runtime.h>\n"
    assert headers.stat().st_mode & 0o777 == 0o755
    assert [other.name for other in headers.parent.iterdir()] == ["headers-1"]


def test_the_compiler_takes_it_with_the_flags_of_a_build(headers, tmp_path):
    """`-H` lists what is read; a precompiled header that was taken begins with "!"."""
    source = write(tmp_path / "k.cpp", GOOD)
    command = [*compiling._command(), f"-I{tmp_path}", "-include", str(headers / "prelude.h")]
    run = subprocess.run(
        [*command, "-H", "-c", str(source), "-o", str(tmp_path / "k.o")],
        capture_output=True,
        text=True,
        check=True,
    )
    assert f"! {headers / 'prelude.h.gch'}" in run.stderr


def test_a_build_with_it_makes_a_library(headers, tmp_path):
    emulator.build(write(tmp_path / "k.cu", GOOD), tmp_path / "k.so", headers)
    assert (tmp_path / "k.so").read_bytes()[:4] == b"\x7fELF"


def test_an_error_names_the_same_line_with_it_and_without(headers, tmp_path):
    source = write(tmp_path / "k.cu", "int a;\nint b = oops;\n")
    messages = []
    for first in (None, headers):
        with pytest.raises(CompileError) as error:
            emulator.build(source, tmp_path / "k.so", first)
        messages.append(str(error.value))
    assert messages[0] == messages[1]
    assert "k.cu:2: 'oops' was not declared" in messages[0]


def test_half_precision_is_not_there_unless_the_kernel_includes_it(headers, tmp_path):
    """As with nvcc: the prelude holds no more than <cuda_runtime.h>."""
    with pytest.raises(CompileError):
        emulator.build(write(tmp_path / "k.cu", "half x;\n"), tmp_path / "k.so", headers)


def test_a_compiler_that_fails_leaves_the_header_as_text(tmp_path):
    precompiled.precompile(["false"], tmp_path / "cache" / "headers-2")
    assert [file.name for file in (tmp_path / "cache" / "headers-2").iterdir()] == ["prelude.h"]
    emulator.build(
        write(tmp_path / "k.cu", GOOD), tmp_path / "k.so", tmp_path / "cache" / "headers-2"
    )


def test_clang_builds_without(monkeypatch, tmp_path):
    monkeypatch.setattr(compiling, "_version", lambda path: "Debian clang version 14.0.6")
    assert emulator.precompile_headers(tmp_path / "headers-3") is None
    assert not (tmp_path / "headers-3").exists()
