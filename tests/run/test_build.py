"""build: the cache's key and folders, many processes at once, killed ones, bad disks.

Processes are forked, so that none has to import PyTorch again. What must happen at the same
time waits for a file that the other process writes; no test waits for a clock.
"""

import contextlib
import ctypes
import os
import resource
import shutil
import signal
import struct
import subprocess
import threading
import time
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest

from helpers.errors import BuildError
from helpers.run import build, jit, machine
from helpers.run.build import Inputs, is_whole
from helpers.sources import read_sources
from tests.run.conftest import Child, filled, write

pytestmark = pytest.mark.filterwarnings("ignore:.*multi-threaded.*fork:DeprecationWarning")

H200 = machine.Machine("gpu", "a GPU", "for a test", "2.13.0", cc="9.0", nvcc="13.0 (PATH)")


@pytest.fixture
def kernel(tmp_path, quick):
    return write(tmp_path / "k.cu", "3.0f")


def load(path):
    return filled(jit.load(path))


def folder_of(path):
    """Return the folder in the cache of a file as it is now."""
    inputs = Inputs.of(read_sources(path), machine.present())
    return build.cache.own() / f"{path.stem}-{inputs.key}"


def wait_for(condition):
    """Wait until another process has done something; AssertionError after two minutes."""
    for _ in range(12000):
        if condition():
            return
        time.sleep(0.01)
    raise AssertionError("the other process did not come so far")


# ---- what a build depends on ---------------------------------------------------------------


def inputs(tmp_path, here, text="x", name="k.cu"):
    return Inputs.of({tmp_path / name: text}, here)


def test_every_input_changes_the_key(tmp_path):
    """The architecture too: code for another GPU would be loaded and would not run."""
    machines = [H200, replace(H200, cc="12.0"), replace(H200, nvcc="13.1 (PATH)")]
    machines += [replace(H200, torch="2.14.0"), machine.emulator("", "2.13.0")]
    keys = {inputs(tmp_path, here).key for here in machines}
    keys |= {inputs(tmp_path, H200, "y").key, inputs(tmp_path, H200, "x", "l.cu").key}
    assert len(keys) == 7 and all(len(key) == 16 for key in keys)
    assert inputs(tmp_path / "elsewhere", H200).key == inputs(tmp_path, H200).key


@pytest.mark.parametrize("field", ["sources", "compiler", "flags"])
def test_every_field_is_in_the_key(field):
    first = Inputs("a", "b", ("c",))
    other = replace(first, **{field: ("d",) if field == "flags" else "d"})
    assert first.key != other.key and first.key == Inputs("a", "b", ("c",)).key


def test_the_flags_of_a_gpu_build_are_inputs(tmp_path, monkeypatch):
    before = inputs(tmp_path, H200)
    assert "-gencode=arch=compute_90,code=sm_90" in before.flags
    monkeypatch.setattr(build.nvcc, "LINK_FLAGS", ("-Wl,--no-as-needed",))
    assert inputs(tmp_path, H200).key != before.key


def test_the_emulators_fingerprint_is_an_input(tmp_path, monkeypatch):
    here = machine.emulator("", "2.13.0")
    before = inputs(tmp_path, here)
    monkeypatch.setattr(build.emulator, "fingerprint", lambda: "another compiler")
    assert inputs(tmp_path, here).key != before.key


# ---- a library -----------------------------------------------------------------------------


def test_a_library_is_whole_to_its_last_byte(tmp_path, marked_library):
    path = tmp_path / "k.so"
    assert not is_whole(path)
    for size in (0, 5, 63, 64, 5000, len(marked_library) - 1):
        path.write_bytes(marked_library[:size])
        assert not is_whole(path)
    path.write_bytes(marked_library)
    assert is_whole(path)
    path.write_bytes(b"\x7fELF\x01" + marked_library[5:])  # of 32 bits
    assert not is_whole(path)


def test_a_library_of_macos_is_whole_to_the_end_of_its_last_segment(tmp_path):
    def segment(offset, size):
        return struct.pack("<II16sQQQQ", 0x19, 72, b"__TEXT", 0, 0, offset, size).ljust(72)

    commands = [segment(0, 300), struct.pack("<IIQ", 0x2A, 16, 10**9), segment(300, 100)]
    header = struct.pack("<4s7I", b"\xcf\xfa\xed\xfe", 0, 0, 6, len(commands), 0, 0, 0)
    whole = (header + b"".join(commands)).ljust(400, b"x")
    path = tmp_path / "k.so"
    for size, expected in ((400, True), (399, False), (150, False), (33, False), (10, False)):
        path.write_bytes(whole[:size])
        assert is_whole(path) is expected, size
    path.write_bytes(b"\xce" + whole[1:])  # of 32 bits
    assert not is_whole(path)


def test_a_library_is_built_once(kernel, quick):
    first = build.build(kernel, read_sources(kernel), machine.present())
    again = build.build(kernel, read_sources(kernel), machine.present())
    assert not first.cached and again.cached and first.library == again.library
    assert first.library == folder_of(kernel) / "k.so" and quick.builds == ["k"]
    anew = build.build(kernel, read_sources(kernel), machine.present(), rebuild=True)
    assert not anew.cached and quick.builds == ["k", "k"]


def test_others_may_use_the_library(kernel):
    load(kernel)
    assert (folder_of(kernel).stat().st_mode & 0o777) == 0o755


def test_what_others_left_long_ago_is_swept(kernel, cache, monkeypatch):
    load(kernel)
    now = 2e9
    monkeypatch.setattr(build.time, "time", lambda: now)
    for name, age in (("a", 3601), ("b", 3599)):
        (cache / f"other.building-{name}").mkdir()
        os.utime(cache / f"other.building-{name}", (now - age,) * 2)
    (cache / "not-a-folder.building-c").write_text("")
    os.utime(cache / "not-a-folder.building-c", (now - 3601,) * 2)
    load(write(kernel, "4.0f"))
    assert [path.name for path in cache.glob("*.building-*")] == ["other.building-b"]


# ---- many at once --------------------------------------------------------------------------


@pytest.fixture
def together(tmp_path, quick, monkeypatch):
    """Let a build begin only when so many processes or threads have come to the lock."""
    expected, real_lock = [], build.lock

    @contextlib.contextmanager
    def lock(path, purpose):
        (tmp_path / f"arrived-{os.getpid()}-{threading.get_ident()}").touch()
        with real_lock(path, purpose):
            yield

    def compile_library(path, output, here):
        wait_for(lambda: len(list(tmp_path.glob("arrived-*"))) >= expected[0])
        quick(path, output, here)

    monkeypatch.setattr(build, "lock", lock)
    monkeypatch.setattr(build, "compile_library", compile_library)
    return expected.append


@pytest.mark.parametrize("count", [5, pytest.param(30, marks=pytest.mark.stress)])
def test_processes_build_a_kernel_once(kernel, cache, quick, together, count):
    together(count)
    children = [Child(lambda: load(kernel)) for _ in range(count)]
    assert [child.result() for child in children] == [3.0] * count
    assert quick.builds == ["k"]
    assert len(list(cache.glob("*/k.so"))) == 1 and not list(cache.glob("*building*"))


def test_threads_build_a_kernel_once(kernel, quick, together):
    together(4)
    values = []
    threads = [threading.Thread(target=lambda: values.append(load(kernel))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(120)
    assert values == [3.0] * 4 and quick.builds == ["k"]


def test_of_those_who_wait_for_a_process_that_dies_one_builds(
    kernel, quick, together, monkeypatch
):
    together(4)
    compile_library = build.compile_library

    def die(*args):
        compile_library(*args)
        os.kill(os.getpid(), signal.SIGKILL)

    monkeypatch.setattr(build, "compile_library", die)
    first = Child(lambda: load(kernel))
    wait_for(lambda: list(kernel.parent.glob("arrived-*")))
    monkeypatch.setattr(build, "compile_library", compile_library)
    others = [Child(lambda: load(kernel)) for _ in range(3)]
    assert first.died() == signal.SIGKILL
    assert [other.result() for other in others] == [3.0] * 3
    assert quick.builds == ["k", "k"]


@pytest.mark.stress
def test_thirty_real_builds_of_six_kernels(tmp_path, cache):
    kernels = [write(tmp_path / f"k{number}.cu", f"{number}.0f") for number in range(6)]
    children = [Child(lambda path=path: load(path)) for path in kernels * 5]
    assert [child.result() for child in children] == [0.0, 1.0, 2.0, 3.0, 4.0, 5.0] * 5
    assert len(list(cache.glob("*/*.so"))) == 6 and not list(cache.glob("*building*"))


# ---- killed builds -------------------------------------------------------------------------


def die(*args, **kwargs):
    os.kill(os.getpid(), signal.SIGKILL)


def dying_after(function):
    def call(*args, **kwargs):
        function(*args, **kwargs)
        die()

    return call


def half_compiled(path, output, here):
    output.write_bytes(bytes(20000))
    die()


# moment: (what is replaced, by what, whether the library is then in its place)
MOMENTS = {
    "before the lock": ("lock", die, False),
    "under the lock": ("_build_aside", die, False),
    "with a folder of its own": ("compile_library", die, False),
    "half compiled": ("compile_library", half_compiled, False),
    "compiled": ("read_sources", die, False),
    "the old one removed": ("_remove", dying_after(build._remove), False),
    "moved": ("_build_aside", dying_after(build._build_aside), True),
    "while sweeping": ("_sweep", die, True),
}


@pytest.mark.parametrize("moment", MOMENTS)
def test_a_build_may_be_killed_at_any_moment(kernel, cache, quick, moment):
    name, replacement, is_there = MOMENTS[moment]
    folder = folder_of(kernel)
    folder.mkdir(parents=True)  # a damaged library of the same name
    (folder / "k.so").write_bytes(b"\x7fELF")

    def load_and_die():
        setattr(build, name, replacement)
        return load(kernel)

    assert Child(load_and_die).died() == signal.SIGKILL
    assert is_whole(folder / "k.so") is is_there
    assert Child(lambda: load(kernel)).result() == 3.0
    assert is_whole(folder / "k.so") and not list(cache.glob("*building*"))
    assert len(quick.builds) <= 2


def test_a_compiler_may_outlive_its_killed_build(kernel, cache, quick, tmp_path, monkeypatch):
    """It goes on writing, into a folder that is not read again."""
    go, done = tmp_path / "go", tmp_path / "done"
    os.mkfifo(go)
    real = tmp_path / "real.so"
    real.write_bytes(bytes(20000))

    def slow_compiler(path, output, here):
        command = 'echo started > "$0.started"; read word < "$1"; cp "$2" "$0"; echo > "$3"'
        subprocess.run(["sh", "-c", command, output, go, real, done], check=False)

    monkeypatch.setattr(build, "compile_library", slow_compiler)
    child = Child(lambda: load(kernel))
    wait_for(lambda: list(cache.glob("*.building-*/*.started")))
    os.kill(child.pid, signal.SIGKILL)  # alone, without its compiler
    assert child.died() == signal.SIGKILL
    monkeypatch.setattr(build, "compile_library", quick)
    assert load(kernel) == 3.0
    go.write_text("go on\n")
    wait_for(done.exists)
    child.kill()
    assert is_whole(folder_of(kernel) / "k.so") and load(kernel) == 3.0


@pytest.mark.slow
@pytest.mark.skipif(not shutil.which("g++"), reason="needs g++")
def test_a_real_build_may_be_killed(tmp_path, cache_with_headers):
    path = write(tmp_path / "k.cu", "3.0f")
    child = Child(lambda: load(path))
    wait_for(lambda: list(cache_with_headers.glob("*.building-*/emulator-*/*.cpp")))
    os.kill(child.pid, signal.SIGKILL)
    child.died()
    assert Child(lambda: load(path)).result() == 3.0
    child.kill()


# ---- disks ---------------------------------------------------------------------------------


def test_a_file_in_the_place_of_the_cache(kernel, cache):
    cache.write_text("not a folder")
    words = r"cannot write the build folder .*cache: .*Set ELEMENTWISE_CACHE to a folder that"
    with pytest.raises(BuildError, match=words):
        load(kernel)
    cache.unlink()
    assert load(kernel) == 3.0


def test_a_limit_on_the_size_of_files(kernel, cache):
    def limited():
        resource.setrlimit(resource.RLIMIT_FSIZE, (8192, 8192))
        load(kernel)

    failure = Child(limited).failure()
    assert failure.startswith("BuildError: cannot build k.cu: no space left in ")
    assert "Make room on that disk, or set ELEMENTWISE_CACHE" in failure
    assert not list(cache.glob("*building*")) and load(kernel) == 3.0


def mounted(folder, options):
    """Mount a file system at `folder` for this process only; OSError if that is not allowed."""
    if ctypes.CDLL(None, use_errno=True).unshare(0x20000):  # CLONE_NEWNS
        raise OSError(ctypes.get_errno(), "unshare")
    folder.mkdir(exist_ok=True)
    tmpfs = ["mount", "-t", "tmpfs", "-o", f"mode=755,{options}", "tmpfs", str(folder)]
    for command in (["mount", "--make-rprivate", "/"], tmpfs):
        subprocess.run(command, check=True, capture_output=True)


@pytest.fixture
def may_mount(tmp_path):
    try:
        Child(lambda: mounted(tmp_path / "probe", "size=64k")).result()
    except AssertionError:
        pytest.skip("may not mount file systems here")


def test_a_full_disk(kernel, cache, may_mount):
    def load_with_little_room():
        mounted(cache, "size=32k")
        errors = []
        for filler in ("first", "second"):
            with pytest.raises(BuildError) as raised:
                load(kernel)
            errors.append(str(raised.value))
            with contextlib.suppress(OSError):
                (cache / filler).write_bytes(bytes(64 << 10))
        subprocess.run(["mount", "-o", "remount,size=50m", str(cache)], check=True)
        return errors, load(kernel)

    errors, value = Child(load_with_little_room).result()
    assert value == 3.0 and all("Make room on that disk" in error for error in errors), errors


def test_a_read_only_cache_still_serves_what_it_has(kernel, cache, may_mount):
    def load_read_only():
        mounted(cache, "size=50m")
        load(kernel)
        subprocess.run(["mount", "-o", "remount,ro", str(cache)], check=True)
        assert load(kernel) == 3.0
        with pytest.raises(BuildError) as raised:
            load(write(kernel, "4.0f"))
        return str(raised.value)

    words = "Read-only file system. Set ELEMENTWISE_CACHE to a folder that you own"
    assert words in Child(load_read_only).result()


# ---- compilers that are scripts ------------------------------------------------------------


def emulated(tmp_path, cache):
    """Load a kernel with the emulator's compiler; returns the error."""
    with pytest.raises(BuildError) as raised:
        jit.load(write(tmp_path / "k.cu"))
    assert not list(cache.glob("*building*"))
    return str(raised.value)


@pytest.fixture
def on_emulator(cache, monkeypatch):
    monkeypatch.setattr(machine, "present", lambda: machine.emulator("for a test", "2.13.0"))


def test_no_compiler(tmp_path, cache, on_emulator, monkeypatch):
    for name, value in (("CXX", "/no/such/compiler"), ("CXX", "no-such"), ("PATH", "/nowhere")):
        with monkeypatch.context() as patch:
            if name == "PATH":
                patch.delenv("CXX", raising=False)
            patch.setenv(name, value)
            error = emulated(tmp_path, cache)
            assert error.startswith("no C++ compiler: ") and "Install g++ 9 or newer" in error


def test_a_compiler_that_is_too_old(tmp_path, cache, on_emulator, script):
    script(
        'case "$1" in -dumpfullversion) echo 4.8.5;; --version) echo "g++ 4.8.5";;\n'
        "*) echo \"g++: error: unrecognized option '-std=c++17'\" >&2; exit 1;; esac\n"
    )
    error = emulated(tmp_path, cache)
    assert error == "g++ 4.8.5 is too old: install g++ 9 or newer, or set CXX to one"


def test_a_compiler_that_meets_a_full_disk(tmp_path, cache, on_emulator, script):
    script(
        '[ "$1" = --version ] && exec g++ "$@"\n'
        'echo "/tmp/cc.s: fatal error: No space left on device" >&2; exit 1\n'
    )
    assert "no space left in " in emulated(tmp_path, cache)


def test_a_compiler_that_is_killed(tmp_path, cache, on_emulator, script):
    script(
        '[ "$1" = --version ] && exec g++ "$@"\n'
        'echo "g++: fatal error: Killed signal terminated program cc1plus" >&2; exit 1\n'
    )
    assert "the compiler was killed while it built k.cu" in emulated(tmp_path, cache)


def test_another_compiler_is_another_build(tmp_path, kernel, quick, script):
    for name in ("one", "two"):
        script('exec g++ "$@"\n', name)
        load(kernel)
    assert quick.builds == ["k", "k"]


@pytest.mark.skipif(not shutil.which("g++"), reason="needs g++")
def test_a_real_build_without_home_and_the_rest_of_the_environment(
    tmp_path, cache_with_headers
):
    path = write(tmp_path / "k.cu", "3.0f")

    def load_bare():
        kept = {name: os.environ[name] for name in ("PATH", "ELEMENTWISE_CACHE")}
        os.environ.clear()
        os.environ.update(kept | {"LC_ALL": "C"})
        return load(path)

    assert Child(load_bare).result() == 3.0


def test_the_emulators_headers_are_compiled_once_and_old_ones_removed(monkeypatch, tmp_path):
    monkeypatch.setenv("ELEMENTWISE_CACHE", str(tmp_path))
    old, other = tmp_path / "headers-0123456789abcdef", tmp_path / "headers-fedcba9876543210"
    old.mkdir()
    other.mkdir()
    an_hour, a_day = 3600, 24 * 3600
    os.utime(old, times=(0, time.time() - a_day - an_hour))
    os.utime(other, times=(0, time.time() - a_day + an_hour))
    made = []

    def precompile(folder):
        made.append(folder)
        folder.mkdir()
        return folder

    monkeypatch.setattr(build.emulator, "precompile_headers", precompile)
    ours = tmp_path / f"headers-{build.emulator.fingerprint()}"
    assert build.precompiled_headers() == build.precompiled_headers() == ours
    assert made == [ours] and not old.exists() and other.exists()


def test_headers_that_others_could_have_written_are_not_used(monkeypatch, tmp_path):
    shared, own = tmp_path / "shared", tmp_path / "own"
    (shared / "headers").mkdir(parents=True)
    own.mkdir()
    trusted = []
    monkeypatch.setattr(build.cache, "readable", lambda: [shared])
    monkeypatch.setattr(build.cache, "is_trusted", trusted.__contains__)
    monkeypatch.setattr(build.cache, "folder", lambda: own)
    assert build._made_once("headers", "for a test", Path.mkdir) == own / "headers"
    trusted.append(shared / "headers")
    assert build._made_once("headers", "for a test", Path.mkdir) == shared / "headers"


def test_a_gpus_library_is_compiled_for_its_compute_capability(monkeypatch, tmp_path):
    asked = []
    monkeypatch.setattr(build.nvcc, "compile_library", lambda *given: asked.append(given))
    here = SimpleNamespace(is_gpu=True, cc=(9, 0))
    build.compile_library(tmp_path / "k.cu", tmp_path / "k.so", here)
    assert asked == [(tmp_path / "k.cu", tmp_path / "k.so", (9, 0))]
