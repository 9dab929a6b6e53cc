"""build_errors: compilers' words on the learner's line; remedies where the kernel is right."""

import errno
import os
import tempfile
from pathlib import Path

import pytest

from helpers.errors import BuildError, CompileError
from helpers.run import build_errors
from helpers.run.build_errors import cannot_write, explain, nvcc_message
from helpers.run.toolchain import Compiler

CACHE = Path("/the/cache")


@pytest.mark.parametrize(
    ("log", "words"),
    [
        (
            'k.cu(4): error: identifier "oops" is undefined\n      out[i] = oops;\n      ^\n',
            'k.cu:4: error: identifier "oops" is undefined\n        out[i] = oops;',
        ),
        (
            "/a b/ü/k.cu:3:10: fatal error: no.h: No such file or directory\n    3 | #incl\n",
            "k.cu:3: fatal error: no.h: No such file or directory\n        3 | #incl\n"
            "    hint: a file is found if it lies beside this one, or is C++'s or CUDA's own: "
            "paste in what you use of it",
        ),
        (
            "/x/h.cuh(12): catastrophic error: cannot open source file",
            "h.cuh:12: catastrophic error: cannot open source file\n        ninja: stopped.",
        ),
        (
            "ptxas fatal   : Unresolved extern function 'f'\n",
            "ptxas fatal   : Unresolved extern function 'f'",
        ),
        (
            "FAILED: k.o\n/x/bin/nvcc -DERROR -c /tmp/k.cu -o k.o\n"
            'At end of source: error: expected a "}"\n'
            '/x/k.cu(28): note #3196-D: to match this "{"\n   int n) {\n',
            'k.cu, at its end: expected a "}", to match the "{" of line 28',
        ),
        ('At end of source: error: expected a ";"', 'k.cu, at its end: expected a ";"'),
        ("killed", "Error building extension\n    killed\n    ninja: stopped."),
    ],
)
def test_the_words_of_nvcc(log, words):
    message = nvcc_message(f"Error building extension\n{log.rstrip()}\nninja: stopped.", "k.cu")
    assert message == f"k.cu does not compile:\n    {words}"


def test_five_errors_at_most():
    log = "\n".join(f"k.cu({line}): error: e{line}\ncode" for line in range(9))
    message = nvcc_message(log, "k.cu")
    assert message.count("error: e") == 5 and "e4" in message and "e5" not in message
    last = nvcc_message("\n".join("abcdefgh"), "k.cu")
    assert last.split() == ["k.cu", "does", "not", "compile:", *"defgh"]
    assert nvcc_message("", "k.cu") == "k.cu does not compile:\n    "


def os_error(number):
    return OSError(number, os.strerror(number))


@pytest.mark.parametrize(
    ("number", "remedy"),
    [
        (errno.ENOSPC, build_errors.MAKE_ROOM),
        (errno.EDQUOT, build_errors.MAKE_ROOM),
        (errno.EROFS, build_errors.OWN_FOLDER),
        (errno.EACCES, build_errors.OWN_FOLDER),
    ],
)
def test_a_cache_that_cannot_be_written(number, remedy):
    error = cannot_write(os_error(number), CACHE)
    words = f"cannot write the build folder /the/cache: {os.strerror(number)}. {remedy}"
    assert isinstance(error, BuildError) and str(error) == words


def explained(error, emulated=False):
    return explain(error, "k.cu", CACHE, emulated)


@pytest.mark.parametrize(
    "error",
    [
        os_error(errno.ENOSPC),
        os_error(errno.EDQUOT),
        os_error(errno.EFBIG),
        CompileError("short", "a.s: fatal error: No space left on device"),
        CompileError("short", "cc1plus: Disk quota exceeded"),
        CompileError("short", "internal compiler error: File size limit exceeded signal"),
        CompileError("short", "ld: final link failed: File too large"),
    ],
    ids=str,
)
def test_a_full_disk(error):
    assert str(explained(error)) == (
        f"cannot build k.cu: no space left in /the/cache or {tempfile.gettempdir()}. "
        + build_errors.MAKE_ROOM
    )


def test_other_errors_of_the_disk():
    words = str(explained(os_error(errno.EACCES)))
    assert (
        words
        == f"cannot build k.cu in /the/cache: Permission denied. {build_errors.OWN_FOLDER}"
    )
    assert "in /the/cache: odd. " in str(explained(OSError("odd")))


@pytest.mark.parametrize(
    "log",
    [
        "g++: fatal error: Killed signal terminated program cc1plus",
        "cc1plus: out of memory allocating 65536 bytes",
        "virtual memory exhausted: Cannot allocate memory",
        "nvcc error: 'cicc' died: cannot allocate memory",
    ],
)
def test_a_compiler_that_is_killed(log):
    error = explained(CompileError("short", log))
    assert isinstance(error, BuildError)
    assert str(error).startswith(
        "the compiler was killed while it built k.cu: is memory short?"
    )


def test_nvcc_with_a_compiler_that_it_does_not_know():
    log = "host_config.h:137:2: error: #error -- unsupported GNU version! gcc later than 14 ..."
    error = explained(CompileError("short", log))
    assert isinstance(error, BuildError)
    assert "C++ compiler: unsupported GNU version! gcc later than 14 ..." in str(error)
    assert "NVCC_PREPEND_FLAGS='-ccbin g++-13'" in str(error)


def test_nvcc_that_does_not_know_the_card():
    log = "nvcc fatal   : Unsupported gpu architecture 'compute_120'"
    error = explained(CompileError("k.cu does not compile: " + log, log))
    assert isinstance(error, BuildError)
    assert "too old for this GPU: Unsupported gpu architecture 'compute_120'." in str(error)
    assert "set CUDA_HOME" in str(error)


@pytest.mark.parametrize("version", ["8.5.0", "13.2.0"])
def test_an_old_compiler_is_to_blame_on_the_emulator_only(monkeypatch, version):
    compiler = Compiler("g++", "g++", version)
    monkeypatch.setattr(build_errors.toolchain, "find_compiler", lambda: compiler)
    error = CompileError("k.cu:4: oops", "k.cu:4:1: error: oops")
    assert explained(error) is error
    if version == "8.5.0":
        words = "g++ 8.5.0 is too old: install g++ 9 or newer, or set CXX to one"
        assert str(explained(error, emulated=True)) == words
    else:
        assert explained(error, emulated=True) is error


def test_errors_that_are_explained_already_stay():
    for error in (BuildError("no C++ compiler"), CompileError("k.cu:4: Killed is undefined")):
        assert explained(error, emulated=True) is error
