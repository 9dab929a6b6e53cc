"""Builds in hard times: many processes at once, killed ones, full and read-only disks, bad compilers.

Most builds here are made by a compiler that is a few lines of shell: it notes each run, takes its time, and copies
an output that the real compiler made before. Processes are forked, so that none has to import PyTorch again.
"""

import contextlib
import ctypes
import multiprocessing
import os
import resource
import shutil
import signal
import subprocess
import threading
import time
import traceback

import pytest
import torch

from helpers.emulator import compile as emulator_compile
from helpers.errors import BuildError, CompileError
from helpers.run import jit, locks, machine
from helpers.sources import read_sources

pytestmark = [
    pytest.mark.skipif(
        machine.present().is_gpu, reason="builds with the C++ compiler of the emulator"
    ),
    pytest.mark.filterwarnings("ignore:.*multi-threaded.*fork:DeprecationWarning"),
]

KERNEL = """
__global__ void fill(float* out, int64_t n) { out[threadIdx.x] = 3.0f; }
extern "C" void f(float* out,  // [n]
                  int64_t n, cudaStream_t stream = 0) { fill<<<1, static_cast<unsigned>(n), 0, stream>>>(out, n); }
"""
# $1 ... are the compiler's arguments; the one behind -o is the output. It appears in two halves.
COMPILER = """#!/bin/sh
output=
kind=link
previous=
for word in "$@"; do
  [ "$previous" = -o ] && output=$word
  [ "$word" = -c ] && kind=compile
  previous=$word
done
if [ -z "$output" ]; then exec g++ "$@"; fi
echo $kind >> "$RUNS"
sleep "$PAUSE"
head -c 20000 "$MADE.$kind" > "$output"
sleep "$PAUSE"
cat "$MADE.$kind" > "$output"
"""


def filled(kernel):
    out = torch.zeros(100)
    kernel(out)
    return bool((out == 3).all())


@pytest.fixture(scope="session")
def made(tmp_path_factory):
    """What the real compiler makes of KERNEL: an object file and a library."""
    folder = tmp_path_factory.mktemp("made")
    (folder / "k.cu").write_text(KERNEL)
    real = emulator_compile.compiler()
    script = folder / "cxx"
    script.write_text(
        f'#!/bin/sh\n"{real}" "$@" || exit 1\nprevious=\n'
        'for word in "$@"; do [ "$previous" = -o ] && output=$word; previous=$word; done\n'
        f'case "$output" in *.o) kind=compile;; *.so) kind=link;; *) exit;; esac\ncp "$output" "{folder}/made.$kind"\n'
    )
    script.chmod(0o755)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("CXX", str(script))
        patch.setenv("ELEMENTWISE_CACHE", str(folder / "cache"))
        assert filled(jit.load(folder / "k.cu"))
    return folder / "made"


class Workshop:
    """A kernel file, a cache, and a compiler that counts."""

    def __init__(self, folder, made, monkeypatch):
        self.folder, self.monkeypatch = folder, monkeypatch
        self.kernel, self.cache, self.runs = folder / "k.cu", folder / "cache", folder / "runs"
        self.kernel.write_text(KERNEL)
        self.runs.write_text("")
        self.compiler(COMPILER)
        for name, value in {
            "ELEMENTWISE_CACHE": self.cache,
            "RUNS": self.runs,
            "MADE": made,
            "PAUSE": "0",
        }.items():
            monkeypatch.setenv(name, str(value))

    def compiler(self, text):
        path = self.folder / "cxx"
        path.write_text(text)
        path.chmod(0o755)
        self.monkeypatch.setenv("CXX", str(path))

    def compiles(self):
        return self.runs.read_text().split().count("compile")

    def edit(self):
        """Another version of the kernel: what the compiler copies still does the same."""
        self.kernel.write_text(f"{KERNEL}// {time.monotonic_ns()}\n")

    def load(self):
        return filled(jit.load(self.kernel))


@pytest.fixture
def workshop(tmp_path, made, monkeypatch):
    return Workshop(tmp_path, made, monkeypatch)


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
                send.send((False, f"{type(error).__name__}: {error}\n{traceback.format_exc()}"))
            finally:
                os._exit(0)
        with contextlib.suppress(OSError):
            os.setpgid(self.pid, self.pid)
        send.close()

    def result(self, seconds=60):
        """What the function returned; AssertionError with what it raised, or where it takes too long."""
        try:
            assert self.receive.poll(seconds), f"no answer within {seconds} s"
            ok, value = self.receive.recv()
            assert ok, value
            return value
        finally:
            self.kill(True)

    def failure(self, seconds=60):
        """The words of the exception that the function raised."""
        try:
            assert self.receive.poll(seconds), f"no answer within {seconds} s"
            ok, value = self.receive.recv()
            assert not ok, f"no exception, but {value!r}"
            return value
        finally:
            self.kill(True)

    def kill(self, group):
        with contextlib.suppress(ProcessLookupError):
            (os.killpg if group else os.kill)(self.pid, signal.SIGKILL)
        with contextlib.suppress(ChildProcessError):
            os.waitpid(self.pid, 0)


# ---- many at once, and some that die --------------------------------------------------------------------------


def test_thirty_processes_build_a_kernel_once(workshop):
    workshop.monkeypatch.setenv("PAUSE", "0.5")
    children = [Child(workshop.load) for _ in range(30)]
    assert [child.result() for child in children] == [True] * 30
    assert workshop.compiles() == 1
    assert len(list(workshop.cache.glob("*/k.so"))) == 1 and not list(
        workshop.cache.glob("*building*")
    )


def test_thirty_processes_with_six_kernels(workshop):
    workshop.monkeypatch.setenv("PAUSE", "0.1")
    kernels = [workshop.folder / f"k{number}.cu" for number in range(6)]
    for kernel in kernels:
        kernel.write_text(KERNEL)
    children = [Child(lambda kernel=kernel: filled(jit.load(kernel))) for kernel in kernels * 5]
    assert all(child.result() for child in children)
    assert workshop.compiles() == 6


def test_threads_build_a_kernel_once(workshop):
    workshop.monkeypatch.setenv("PAUSE", "0.3")
    right = []
    threads = [threading.Thread(target=lambda: right.append(workshop.load())) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert right == [True] * 6 and workshop.compiles() == 1


@pytest.mark.parametrize("group", [True, False], ids=["with its compiler", "alone"])
def test_a_build_may_be_killed_at_any_moment(workshop, group):
    """30 moments from the first to the last: before, in and between the compiler's runs, while files move."""
    workshop.monkeypatch.setenv("PAUSE", "0.02")
    began = time.monotonic()
    assert Child(workshop.load).result()
    whole = time.monotonic() - began
    interrupted = 0
    for moment in range(30):
        workshop.edit()
        child = Child(workshop.load)
        time.sleep(whole * 1.1 * moment / 30)
        child.kill(group)
        key = jit._key(read_sources(workshop.kernel), machine.present())
        interrupted += not (workshop.cache / f"k-{key}" / "k.so").exists()
        assert Child(workshop.load).result(20), f"after a kill {moment}/30 into a build"
        assert not list(workshop.cache.glob(f"k-{key}.building*"))
    assert interrupted >= 10


@pytest.mark.slow
def test_a_real_build_may_be_killed_at_any_moment(workshop):
    workshop.monkeypatch.delenv("CXX")
    for moment in (0.3, 0.7, 1.1, 1.5):
        workshop.edit()
        child = Child(workshop.load)
        time.sleep(moment)
        child.kill(False)
        assert Child(workshop.load).result()


def test_a_killed_neighbour_is_no_obstacle(workshop):
    """Of three who wait for a fourth, who dies, one builds it and two take that."""
    workshop.monkeypatch.setenv("PAUSE", "0.3")
    first = Child(workshop.load)
    while not workshop.compiles():
        time.sleep(0.01)
    others = [Child(workshop.load) for _ in range(3)]
    time.sleep(0.1)
    first.kill(True)
    assert all(other.result() for other in others)
    assert workshop.compiles() == 2


def test_what_others_left_long_ago_is_swept(workshop):
    workshop.load()
    for name, age in (("other-01.building-a", 7200), ("other-02.building-b", 60)):
        (workshop.cache / name).mkdir()
        os.utime(workshop.cache / name, (time.time() - age,) * 2)
    workshop.edit()
    workshop.load()
    assert [path.name for path in workshop.cache.glob("other-*")] == ["other-02.building-b"]


def test_a_wait_is_not_silent(workshop, monkeypatch):
    assert locks.SAY_AFTER_SECONDS <= 5
    monkeypatch.setattr(locks, "SAY_AFTER_SECONDS", 0.3)
    workshop.monkeypatch.setenv("PAUSE", "0.8")
    first = Child(workshop.load)
    while not workshop.compiles():
        time.sleep(0.01)

    def load_and_listen():
        import io

        with contextlib.redirect_stderr(io.StringIO()) as said:
            workshop.load()
        return said.getvalue()

    said = Child(load_and_listen).result()
    assert f"waiting to build k.cu: process {first.pid} on " in said and said.count("\n") == 1
    assert first.result()


# ---- disks ------------------------------------------------------------------------------------------------------


def test_a_full_disk_that_the_compiler_meets(workshop):
    kernel = jit.load(workshop.kernel)
    workshop.edit()
    workshop.compiler(
        '#!/bin/sh\ncase "$*" in *-c*) echo "/tmp/cc.s: fatal error: No space left on device" >&2; exit 1;; esac\n'
        'exec g++ "$@"\n'
    )
    with pytest.raises(
        BuildError,
        match=r"no space left in .*cache.* Make room on that disk, or set ELEMENTWISE_CACHE",
    ):
        jit.load(workshop.kernel)
    assert filled(kernel) and not list(workshop.cache.glob("*building*"))


def test_a_limit_on_the_size_of_files(workshop):
    workshop.monkeypatch.delenv("CXX")

    def limited():
        resource.setrlimit(resource.RLIMIT_FSIZE, (8192, 8192))
        workshop.load()

    failure = Child(limited).failure()
    assert failure.startswith("BuildError") and "ELEMENTWISE_CACHE" in failure
    assert Child(workshop.load).result()  # with more room it goes


def mounted(folder, options):
    """A file system of its own at `folder`, for this process only. OSError where that is not allowed."""
    if ctypes.CDLL(None, use_errno=True).unshare(0x20000):  # CLONE_NEWNS
        raise OSError(ctypes.get_errno(), "unshare")
    folder.mkdir(exist_ok=True)
    subprocess.run(["mount", "--make-rprivate", "/"], check=True, capture_output=True)
    subprocess.run(
        ["mount", "-t", "tmpfs", "-o", options, "tmpfs", str(folder)],
        check=True,
        capture_output=True,
    )


@pytest.fixture
def may_mount(tmp_path):
    probe = tmp_path / "probe"
    try:
        Child(lambda: mounted(probe, "size=64k")).result()
    except AssertionError:
        pytest.skip("may not mount file systems here")


def test_a_really_full_disk(workshop, may_mount):
    def load():
        mounted(workshop.cache, "size=32k")
        words = []
        with pytest.raises(BuildError) as raised:
            workshop.load()
        words.append(str(raised.value))
        (workshop.cache / "filler").write_bytes(bytes(16 << 10))
        with contextlib.suppress(OSError):
            (workshop.cache / "more").write_bytes(bytes(64 << 10))
        with pytest.raises(BuildError) as raised:
            workshop.load()
        words.append(str(raised.value))
        subprocess.run(["mount", "-o", "remount,size=50m", str(workshop.cache)], check=True)
        return words, workshop.load()

    words, then = Child(load).result()
    assert then and all("ELEMENTWISE_CACHE" in each for each in words), words


def test_a_read_only_cache_still_serves_what_it_has(workshop, may_mount):
    def load():
        mounted(workshop.cache, "size=50m")
        assert workshop.load()
        subprocess.run(["mount", "-o", "remount,ro", str(workshop.cache)], check=True)
        assert workshop.load()
        workshop.edit()
        with pytest.raises(BuildError) as raised:
            workshop.load()
        return str(raised.value)

    assert (
        "Read-only file system. Set ELEMENTWISE_CACHE to a folder that you own"
        in Child(load).result()
    )


def test_a_file_in_the_place_of_the_cache(workshop):
    workshop.cache.write_text("not a folder")
    with pytest.raises(
        BuildError, match=r"cannot write the build folder .*cache.*Set ELEMENTWISE_CACHE"
    ):
        workshop.load()
    workshop.cache.unlink()
    assert workshop.load()


def test_a_cache_that_others_may_use(workshop):
    assert workshop.load()
    folder = next(workshop.cache.glob("k-*/"))
    assert (folder.stat().st_mode & 0o777) == 0o755


@pytest.mark.parametrize("kept", [("PATH",), ("PATH", "LANG")])
def test_without_home_and_the_rest_of_the_environment(workshop, kept):
    def load():
        wanted = {
            name: os.environ[name]
            for name in (*kept, "ELEMENTWISE_CACHE")
            if name in os.environ
        }
        os.environ.clear()
        os.environ.update(wanted | {"LC_ALL": "C"})
        return workshop.load()

    assert Child(load).result()


# ---- compilers --------------------------------------------------------------------------------------------------


def test_no_compiler(workshop, monkeypatch):
    kernel = jit.load(workshop.kernel)
    for name, path in (
        ("CXX", "/no/such/compiler"),
        ("CXX", "no-such-compiler"),
        ("PATH", "/nowhere"),
    ):
        with monkeypatch.context() as patch:
            if name == "PATH":
                patch.delenv("CXX")
            patch.setenv(name, path)
            with pytest.raises(
                BuildError, match=r"no C\+\+ compiler: .* Install g\+\+ 9 or newer"
            ):
                workshop.load()
            assert machine.compiler_problem().blocks
    assert filled(kernel)


OLD = """#!/bin/sh
case "$1" in
  -dumpfullversion) echo 4.8.5;;
  --version) echo "g++ (Debian 4.8.5-1) 4.8.5";;
  *) echo "g++: error: unrecognized command line option '-std=c++17'" >&2; exit 1;;
esac
"""


def test_a_compiler_that_is_too_old(workshop):
    workshop.compiler(OLD)
    with pytest.raises(
        BuildError, match=r"g\+\+ 4\.8\.5 is too old: install g\+\+ 9 or newer, or set CXX"
    ):
        workshop.load()
    assert "too old" in machine.compiler_problem().what


def test_an_old_clang(workshop):
    workshop.compiler(
        OLD.replace("g++ (Debian 4.8.5-1) 4.8.5", "clang version 7.0.1").replace(
            "4.8.5;", "7.0.1;"
        )
    )
    assert machine.compiler_problem().what == "clang++ 7.0.1 is too old"


def test_a_compiler_that_is_killed(workshop):
    workshop.compiler(
        '#!/bin/sh\n[ "$1" = --version ] && exec g++ "$@"\n'
        'echo "g++: fatal error: Killed signal terminated program cc1plus" >&2; exit 1\n'
    )
    with pytest.raises(
        BuildError, match=r"the compiler was killed while it built k\.cu: is memory short"
    ):
        workshop.load()


def test_a_compiler_that_crashes(workshop):
    workshop.compiler('#!/bin/sh\ncase "$*" in *-c*) kill -SEGV $$;; esac\nexec g++ "$@"\n')
    with pytest.raises((BuildError, CompileError), match=r"k\.cu"):
        workshop.load()
    assert not list(workshop.cache.glob("*building*"))


def test_another_compiler_is_another_build(workshop):
    workshop.load()
    shutil.copy(workshop.folder / "cxx", workshop.folder / "cxx2")
    workshop.monkeypatch.setenv("CXX", str(workshop.folder / "cxx2"))
    workshop.load()
    assert workshop.compiles() == 2


def test_nvcc_with_a_compiler_that_it_does_not_know():
    log = "/usr/local/cuda/include/crt/host_config.h:137:2: error: #error -- unsupported GNU version! gcc versions ..."
    error = jit._remedied(
        CompileError(log), workshop_path := jit.source_path("v1_f32"), machine.present()
    )
    assert (
        isinstance(error, BuildError)
        and "NVCC_PREPEND_FLAGS" in str(error)
        and workshop_path.name
    )
