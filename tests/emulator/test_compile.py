"""A .cu file compiled for the CPU: whole or not at all, with errors that name the line."""

import ctypes
import re
import shutil
import subprocess
import sys

import pytest

from helpers import emulator
from helpers.emulator import compile as compiling
from helpers.errors import BuildError, CompileError

GOOD = 'extern "C" int f() { return ANSWER; }\n'


def write(path, text):
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.stress
def test_a_file_and_its_headers_are_compiled(tmp_path):
    """Without precompiled headers, as no other test builds a library."""
    (tmp_path / "inner").mkdir()
    write(tmp_path / "inner" / "b.cuh", "#define ANSWER 42\n")
    write(tmp_path / "a.cuh", '#include "inner/b.cuh"\n')
    source = write(tmp_path / "k.cu", '#include "a.cuh"\n' + GOOD)
    emulator.build(source, tmp_path / "k.so")
    assert ctypes.CDLL(str(tmp_path / "k.so")).f() == 42
    assert {path.name for path in tmp_path.iterdir()} == {"inner", "a.cuh", "k.cu", "k.so"}


@pytest.mark.parametrize("flag", ["", "-Wl,--default-imported-symver"])
def test_what_gold_cannot_link_the_usual_linker_does(tmp_path, headers, monkeypatch, flag):
    """Gold knows no such option; it leaves a section by which its libraries are known."""
    flags = tuple(filter(None, (*compiling._all_link_flags(), flag)))
    monkeypatch.setattr(compiling, "_all_link_flags", lambda: flags)
    source = write(tmp_path / "k.cu", "#define ANSWER 42\n" + GOOD)
    emulator.build(source, tmp_path / "k.so", headers)
    assert ctypes.CDLL(str(tmp_path / "k.so")).f() == 42
    by_gold = b".note.gnu.gold-version" in (tmp_path / "k.so").read_bytes()
    assert by_gold == bool(shutil.which("ld.gold") and not flag)


def test_compile_error_names_file_and_line(tmp_path, headers):
    text = "#include <cuda_runtime.h>\n__global__ void k(float* x) {\n    x[0] = oops;\n}\n"
    source = write(tmp_path / "wröng name.cu", text)
    with pytest.raises(CompileError) as raised:
        emulator.build(source, tmp_path / "out.so", headers)
    begin = "wröng name.cu does not compile:\n    wröng name.cu:3: "
    assert str(raised.value).startswith(begin)
    assert "oops" in str(raised.value)
    assert str(tmp_path) not in str(raised.value)
    assert [path.name for path in tmp_path.iterdir()] == [source.name]


def test_a_failed_build_leaves_the_old_library(tmp_path, headers):
    write(tmp_path / "k.so", "old")
    with pytest.raises(CompileError):
        emulator.build(write(tmp_path / "k.cu", "oops"), tmp_path / "k.so", headers)
    assert (tmp_path / "k.so").read_text() == "old"


def test_the_first_five_errors_are_shown():
    log = "".join(f"/tmp/x/k.cu:{line}:7: error: emulator::bad {line}\n" for line in range(9))
    log = "k.cu: In function 'f':\n" + log.replace("bad 1\n", "bad 1\nk.cu:1: error: bad 1\n")
    shown = [f"k.cu:{line}: bad {line}" for line in range(5)]
    assert compiling._errors(log, "k.cu") == "\n    ".join(["k.cu does not compile:", *shown])
    fatal = compiling._errors("k.cu:3:10: fatal error: a.h: No such file\nx", "k.cu")
    assert fatal == "k.cu does not compile:\n    k.cu:3: a.h: No such file"


def test_an_error_in_a_header_counts_for_the_line_that_asks_for_it():
    log = (
        "/e/include/g.h: In instantiation of 'T g::reduce(const Group&, T)':\n"
        "/e/include/h.h:75:5:   required from 'T g::all(T)'\n"
        "k.cu:5:18:   required from here\n"
        "/e/include/g.h:34:3: error: 'struct block' has no member named 'x'\n"
        "/e/include/g.h: In function 'void f()':\n"
        "/e/include/g.h:99:3: error: bad\n"
    )
    words = compiling._errors(log, "k.cu").splitlines()[1:]
    assert [line.strip() for line in words] == [
        "k.cu:5: 'struct block' has no member named 'x'",
        "g.h:99: bad",
    ]


def test_no_function_of_the_emulator_is_proposed():
    log = "k.cu:3:1: error: 'sum' was not declared; did you mean 'emulator::Atomic::sum'?"
    assert compiling._errors(log, "k.cu").splitlines()[1].endswith("'sum' was not declared")


def test_without_errors_the_last_lines_are_shown():
    log = "\n".join(f"line {number}\n" for number in range(9))
    assert compiling._errors(log, "k.cu").split("\n    ")[1:] == [
        f"line {n}" for n in range(4, 9)
    ]


def test_no_compiler(tmp_path, monkeypatch):
    monkeypatch.setenv("CXX", "no-such-compiler")
    with pytest.raises(BuildError, match=r"^no C\+\+ compiler: 'no-such-.*Install g"):
        emulator.build(tmp_path / "k.cu", tmp_path / "k.so")
    with pytest.raises(BuildError):
        emulator.fingerprint()


def test_a_compiler_that_cannot_be_run(tmp_path, monkeypatch):
    broken = write(tmp_path / "broken", "\0")
    broken.chmod(0o755)
    monkeypatch.setenv("CXX", str(broken))
    with pytest.raises(BuildError, match="cannot be run"):
        emulator.build(write(tmp_path / "k.cu", GOOD), tmp_path / "k.so")
    with pytest.raises(BuildError, match="the compiler broken cannot be run"):
        emulator.fingerprint()


def test_the_compiler_of_the_environment_is_taken(monkeypatch):
    monkeypatch.delenv("CXX", raising=False)
    assert compiling.compiler().endswith("/g++")
    monkeypatch.setenv("CXX", "sh")
    assert compiling.compiler().endswith("/sh")


@pytest.fixture
def fresh(monkeypatch):
    """Forget what the fingerprint remembers, before and after."""

    def forget():
        for function in (
            compiling._sources_hash,
            compiling._version,
            compiling._processor_flags,
        ):
            function.cache_clear()

    forget()
    yield forget
    monkeypatch.undo()
    forget()


def test_the_fingerprint_changes_with_what_a_build_depends_on(monkeypatch, fresh, tmp_path):
    first = emulator.fingerprint()
    assert re.fullmatch("[0-9a-f]{16}", first)
    assert emulator.fingerprint() == first
    seen = {first}
    folder = write(tmp_path / "x.h", "").parent
    for name, value in {
        "FLAGS": (*compiling.FLAGS, "-O3"),
        "LINK_FLAGS": (),
        "INCLUDE": folder,
        "_processor_flags": lambda: ("-mother",),
    }.items():
        with monkeypatch.context() as change:
            change.setattr(compiling, name, value)
            compiling._sources_hash.cache_clear()
            seen.add(emulator.fingerprint())
    assert len(seen) == 5


@pytest.mark.parametrize(
    ("text", "flags"),
    [
        ("flags\t\t: fpu avx2 f16c fma sse\n", ("-mavx2", "-mfma", "-mf16c")),
        ("flags : fpu avx2 f16c\n", ()),
        ("Features : fp asimd\n", ()),
        (None, ()),
    ],
)
def test_the_processors_flags(monkeypatch, fresh, tmp_path, text, flags):
    monkeypatch.setattr(compiling.platform, "machine", lambda: "x86_64")
    file = tmp_path / "cpuinfo"
    if text is not None:
        file.write_text(text)
    monkeypatch.setattr(compiling, "Path", lambda name: file)
    assert compiling._processor_flags() == flags


def test_aarch64_tests_for_divisions_by_zero(monkeypatch, fresh):
    monkeypatch.setattr(compiling.platform, "machine", lambda: "aarch64")
    assert compiling._processor_flags() == (
        "-fsanitize=integer-divide-by-zero",
        "-fno-sanitize-recover=integer-divide-by-zero",
    )


@pytest.mark.parametrize(
    ("said", "own", "foreign"),
    [
        ("g++ (Debian 12.2.0) 12.2.0", compiling.GXX_FLAGS, compiling.CLANG_FLAGS),
        ("Debian clang version 14.0.6", compiling.CLANG_FLAGS, compiling.GXX_FLAGS),
        ("Apple clang version 17.0.0", compiling.CLANG_FLAGS, compiling.GXX_FLAGS),
    ],
)
def test_a_compiler_gets_only_flags_that_it_knows(monkeypatch, said, own, foreign):
    monkeypatch.setattr(compiling, "_version", lambda path: said)
    flags = compiling._all_flags()
    assert set(own) <= set(flags) and not set(foreign) & set(flags)


@pytest.mark.parametrize(
    ("said", "whole"),
    [
        ("g++ (Ubuntu 11.4.0-1ubuntu1~22.04) 11.4.0", False),
        ("g++ (GCC) 14.2.1 20240912 (Red Hat 14.2.1-3)", True),
        ("x86_64-conda-linux-gnu-c++ (conda-forge gcc 12.4.0-2) 12.4.0", True),
        ("Debian clang version 14.0.6 (x) 14.0.6", False),
        ("another compiler", False),
    ],
)
@pytest.mark.parametrize("processor", [(), ("-mavx2",)])
def test_packs_are_copied_whole_where_the_compiler_can(monkeypatch, said, whole, processor):
    monkeypatch.setattr(compiling, "_version", lambda path: said)
    monkeypatch.setattr(compiling, "_processor_flags", lambda: processor)
    both = set(compiling.WHOLE_PACKS) & set(compiling._all_flags())
    assert both == set(compiling.WHOLE_PACKS if whole and processor else ())


def test_the_options_of_cxx_come_last_and_reach_the_linker(monkeypatch):
    monkeypatch.setenv("CXX", "g++ -DX -stdlib=y")
    assert compiling._all_flags()[-2:] == ("-DX", "-stdlib=y")
    assert compiling._all_link_flags()[-2:] == ("-DX", "-stdlib=y")


def test_the_linker_of_macos_gets_no_flag_of_elf(monkeypatch):
    monkeypatch.delenv("CXX", raising=False)
    monkeypatch.setattr(compiling.sys, "platform", "darwin")
    assert compiling._all_link_flags() == ("-shared", "-pthread")
    monkeypatch.setattr(compiling.sys, "platform", "linux")
    assert "-Wl,-Bsymbolic" in compiling._all_link_flags()


def test_importing_the_emulator_does_not_import_torch():
    code = "import sys, helpers.emulator; sys.exit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_a_copy_of_the_course_in_another_folder_has_headers_of_its_own(monkeypatch, tmp_path):
    first = emulator.fingerprint()
    monkeypatch.setattr(compiling, "INCLUDE", tmp_path)
    monkeypatch.setattr(compiling, "_sources_hash", lambda: "the same")
    elsewhere = emulator.fingerprint()
    monkeypatch.setattr(compiling, "INCLUDE", tmp_path / "other")
    assert len({first, elsewhere, emulator.fingerprint()}) == 3
