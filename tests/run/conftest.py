"""Fixtures of the tests of run/.

Builds that cost nothing: one real library, which a quick compiler copies and changes. A stub: a
kernel whose library only notes its calls.
"""

import contextlib
import copy
import ctypes
import multiprocessing
import os
import re
import shutil
import signal
import struct
import subprocess
import traceback
from pathlib import Path

import pytest
import torch

from helpers import emulator
from helpers.emulator.compile import compiler
from helpers.errors import CompileError
from helpers.run import build, machine
from helpers.run import launcher as launcher_module
from helpers.run.kernel import Kernel
from helpers.sources import read_sources

FILL = """
__global__ void fill(float* out, int64_t n) {{
    const int64_t i = blockIdx.x * int64_t(blockDim.x) + threadIdx.x;
    if (i < n) out[i] = {value};
}}
extern "C" void f(float* out,  // [n]
                  int64_t n, cudaStream_t stream = 0) {{
    fill<<<(n + 255) / 256, 256, 0, stream>>>(out, n);
}}
"""
MARK = 1.2345678e-7  # its four bytes stand in the library only where the value is


def write(path, value="1.0f"):
    """Write a kernel that fills its output with a value."""
    path.write_text(FILL.format(value=value), encoding="utf-8")
    return path


def filled(kernel):
    """Run a kernel of `write` and return the value that it fills with."""
    out = torch.zeros(300, device=machine.present().device)
    kernel(out)
    assert bool((out == out[0]).all())
    return out[0].item()


@pytest.fixture
def cache(tmp_path, monkeypatch):
    """Give the test a cache of its own."""
    folder = tmp_path / "cache"
    monkeypatch.setenv("ELEMENTWISE_CACHE", str(folder))
    return folder


def _link(source, target):
    """Give a file, here of 80 MB, a second name; copy it to another file system."""
    try:
        os.link(source, target)
    except OSError:
        shutil.copy2(source, target)


@pytest.fixture
def cache_with_headers(tmp_path, monkeypatch):
    """Give the test a cache of its own, in which the emulator's headers are compiled already.

    For real builds: to compile the headers takes six times as long as the build.
    """
    folder = tmp_path / "cache"
    if not machine.present().is_gpu:
        headers = build.precompiled_headers()
        shutil.copytree(headers, folder / headers.name, copy_function=_link)
    monkeypatch.setenv("ELEMENTWISE_CACHE", str(folder))
    return folder


@pytest.fixture(scope="session")
def marked_library(tmp_path_factory):
    """Build the one real library: it fills with MARK."""
    folder = tmp_path_factory.mktemp("marked")
    source = write(folder / "marked.cu", f"{MARK}f")
    emulator.build(source, folder / "marked.so", build.precompiled_headers())
    return (folder / "marked.so").read_bytes()


class QuickCompiler:
    """In the place of `build.compile_library`: notes each build, copies the marked library."""

    def __init__(self, folder, library):
        self.log, self.library = folder / "compiled", library

    @property
    def builds(self):
        return self.log.read_text().split() if self.log.exists() else []

    def content(self, path):
        """Return the library of a .cu file, with the value that its text or its headers say."""
        text = "".join(read_sources(path).values())
        stored = re.search(r"out\[i\] = (\S+);", text)
        value = stored[1] if stored else "nothing"
        if defined := re.search(rf"#define {value} (\S+)", text):
            value = defined[1]
        if not re.fullmatch(r"[\d.]+f", value):
            raise CompileError(f"{path.name}:4: {value}", log=value)
        new = struct.pack("<f", float(value.rstrip("f")))
        return self.library.replace(struct.pack("<f", MARK), new)

    def __call__(self, path, output, here):
        with self.log.open("a") as log:
            log.write(f"{path.stem}\n")
        output.write_bytes(self.content(path))


@pytest.fixture
def quick(tmp_path, cache, marked_library, monkeypatch):
    """Build quickly, on a machine that runs kernels on the emulator; returns the compiler."""
    here = machine.emulator("for a test", torch.__version__)
    monkeypatch.setattr(machine, "present", lambda: here)
    compiler = QuickCompiler(tmp_path, marked_library)
    monkeypatch.setattr(build, "compile_library", compiler)
    return compiler


class Child:
    """A function in a forked process of its own process group."""

    def __init__(self, function):
        self.receive, send = multiprocessing.get_context("fork").Pipe(duplex=False)
        self.pid = os.fork()
        if self.pid == 0:
            os.setpgid(0, 0)
            try:
                send.send((True, function()))
            except BaseException as error:
                words = f"{type(error).__name__}: {error}\n{traceback.format_exc()}"
                send.send((False, words))
            finally:
                os._exit(0)
        with contextlib.suppress(OSError):
            os.setpgid(self.pid, self.pid)
        send.close()

    def _answer(self, wanted):
        try:
            assert self.receive.poll(120), "no answer"
            ok, value = self.receive.recv()
            assert ok is wanted, value
            return value
        finally:
            self.kill()

    def result(self):
        """Return what the function returned; AssertionError with what it raised."""
        return self._answer(True)

    def failure(self):
        """Return the words of the exception that the function raised."""
        return self._answer(False)

    def died(self):
        """Wait for the process and return the signal that ended it."""
        status = os.waitpid(self.pid, 0)[1]
        return os.WTERMSIG(status) if os.WIFSIGNALED(status) else None

    def kill(self):
        """End the process and all that it has started."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.pid, signal.SIGKILL)
        with contextlib.suppress(ChildProcessError):
            os.waitpid(self.pid, 0)


@pytest.fixture
def script(tmp_path, monkeypatch):
    """Put a shell script in the place of the C++ compiler; it may call the real one as g++."""

    def install(text, name="cxx"):
        path = tmp_path / name
        path.write_text("#!/bin/sh\n" + text)
        path.chmod(0o755)
        monkeypatch.setenv("CXX", str(path))
        return path

    if not shutil.which("g++"):
        pytest.skip("needs g++")
    return install


# ---- the stub --------------------------------------------------------------------------------

FOLDER = Path(__file__).parent


class Stub(Kernel):
    """A kernel whose library only notes its calls."""

    @property
    def calls(self):
        """How often a launcher was called."""
        return ctypes.c_long.in_dll(self._first.library, "stub_calls").value

    @property
    def last(self):
        """The last call's words, in order."""
        return list((ctypes.c_long * 8).in_dll(self._first.library, "stub_last"))[:7]

    @property
    def real(self):
        """The last call's float or double."""
        return ctypes.c_double.in_dll(self._first.library, "stub_real").value


@pytest.fixture(scope="session")
def stub(tmp_path_factory):
    """Build stub.c, whose launchers stub.cu declares."""
    library = tmp_path_factory.mktemp("stub") / "stub.so"
    command = [compiler(), "-x", "c", "-shared", "-fPIC", str(FOLDER / "stub.c"), "-o"]
    subprocess.run([*command, str(library)], check=True)
    path = FOLDER / "stub.cu"
    return Stub(path, path.read_text(), library, on_gpu=False, build_seconds=0.0)


def _arguments_of(name, n=8):
    if name == "add":
        return [torch.zeros(n), torch.zeros(n), torch.zeros(n)]
    if name == "pack":
        return [torch.zeros(n).half(), torch.zeros(n).half(), 2.0]
    if name == "product":
        shapes = ((3, n), (n, 5), (3, 5))
        return [torch.zeros(shape).double() for shape in shapes]
    if name == "split":
        count = torch.zeros(1, dtype=torch.int32)
        return [*(torch.zeros(n).bfloat16() for _ in range(3)), count]
    return [7]


@pytest.fixture(scope="session")
def arguments_of():
    """Return a function from a launcher's name to the arguments of a right call."""
    return _arguments_of


def _in_python(launcher):
    other = copy.copy(launcher)
    other._dispatch = launcher_module._not_bound
    return other


@pytest.fixture(scope="session")
def in_python():
    """Return a function that gives a launcher without the compiled dispatcher."""
    return _in_python
