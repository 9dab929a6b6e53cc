"""child: the program of the child process, in this process and as one of its own."""

import ctypes
import json
import subprocess
import sys
from types import SimpleNamespace

import pytest

from helpers.run.first_launch import child
from helpers.run.first_launch.child import Report, Runtime, Status


@pytest.fixture
def run(fake_library, tmp_path):
    """Return a function that runs the program on calls of `scale` and reads its report."""

    def call(*calls, every=True, launcher="scale", runtime=fake_library):
        spec = {
            "library": str(fake_library),
            "launcher": launcher,
            "runtime": str(runtime),
            "device": 0,
            "timeout": 60,
            "calls": calls,
        }
        (tmp_path / "calls.json").write_text(json.dumps(spec))
        (tmp_path / "data").write_bytes(bytes(64))
        command = [sys.executable, "-I", "-S", child.__file__, tmp_path, "native"]
        done = subprocess.run([*command, str(int(every))], capture_output=True, text=True)
        lines = (tmp_path / "native.report").read_text().splitlines()
        return done, [json.loads(line) for line in lines]

    return call


def scale(what, n=8):
    tensor = {"type": "tensor", "bytes": 4 * n, "itemsize": 4, "offset": 0, "data": None}
    values = [("int64_t", n), ("int", what), ("double", 2.0), ("pointer", None)]
    scalars = [{"type": kind, "value": value} for kind, value in values]
    return [tensor | {"name": "x"}, tensor | {"name": "out"}, *scalars]


def test_the_calls_are_made_and_reported(run):
    done, (first, second, end) = run(scale(0), scale(0, 16))
    assert done.returncode == 0 and end == {"status": "ok"}
    assert first["call"] == 0 and second["call"] == 1
    (name, address, size, itemsize), out = first["regions"]
    assert (name, size, itemsize, out[0]) == ("x", 32, 4, "out") and address % 256 == 0
    assert second["regions"][0][2] == 64


def test_only_the_callers_own_call(run):
    assert [line.get("call") for line in run(scale(0), scale(0), every=False)[1]] == [0, None]


@pytest.mark.parametrize(
    ("what", "end"),
    [
        (1, {"status": "fault", "error": 700, "words": "an illegal memory access"}),
        (2, {"status": "refused", "error": 9}),
    ],
)
def test_the_first_call_that_goes_wrong_is_the_last(run, what, end):
    assert run(scale(0), scale(what), scale(0))[1][-1] == end
    assert len(run(scale(what), scale(0))[1]) == 2


def test_a_death_leaves_what_was_reported_before(run):
    done, lines = run(scale(12))
    assert done.returncode == 3 and [line.get("call") for line in lines] == [0]


def test_what_keeps_the_calls_from_being_made(run):
    assert run(scale(0), launcher="no_such")[1][-1]["status"] == "unable"
    (end,) = run(scale(0), runtime="/no/libcudart.so")[1]
    assert end["status"] == "unable" and "/no/libcudart.so" in end["words"]


def test_it_needs_the_standard_library_only():
    """PyTorch takes seconds to import, and every first launch would wait for it."""
    code = (
        f"import sys; sys.argv = ['x']; sys.path[:0] = []; "
        f"import runpy; runpy.run_path({child.__file__!r}, run_name='child'); "
        "print(*{name.partition('.')[0] for name in sys.modules})"
    )
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", code], capture_output=True, text=True, check=True
    )
    modules = set(done.stdout.split()) - {"child", "__main__"}
    assert modules and modules <= {*sys.stdlib_module_names}


# ---- the parts -----------------------------------------------------------------------------


@pytest.fixture
def runtime(fake_library):
    return Runtime(str(fake_library))


def test_a_tensor_has_its_data_or_zeros_at_its_address(runtime):
    tensor = {"offset": 16, "bytes": 4, "data": 2}
    address = runtime.allocate(tensor, b"..abcd..")
    assert address % 256 == 16 and ctypes.string_at(address, 4) == b"abcd"
    address = runtime.allocate(tensor | {"data": None}, b"..abcd..")
    assert ctypes.string_at(address, 4) == bytes(4)
    assert runtime.allocate(tensor | {"bytes": 0, "data": None, "offset": 0}, b"")


def test_a_function_of_the_runtime_that_fails(runtime, monkeypatch):
    monkeypatch.setenv("FAKE_BUSY", "1")
    ctypes.CDLL(None).setenv(b"FAKE_BUSY", b"1", 1)
    try:
        with pytest.raises(OSError, match="cudaSetDevice: busy") as raised:
            runtime("cudaSetDevice", 0)
        assert raised.value.errno == 46
    finally:
        ctypes.CDLL(None).unsetenv(b"FAKE_BUSY")
    runtime("cudaSetDevice", 0)


def test_the_time_limit_ends_the_process(tmp_path, monkeypatch):
    ended = []

    class Timer:
        def __init__(self, seconds, function):
            ended.append(seconds)
            self.start, self.cancel = function, lambda: ended.append("cancelled")

    monkeypatch.setattr(child.threading, "Timer", Timer)
    monkeypatch.setattr(child.os, "_exit", ended.append)
    with child.time_limit(2.5, Report(tmp_path / "report")):
        pass
    assert ended == [2.5, 0, "cancelled"]
    assert json.loads((tmp_path / "report").read_text()) == {"status": Status.TIMEOUT.value}


class Cuda:
    """In the place of the runtime: notes the calls, and answers as it is told."""

    def __init__(self, answers):
        self.called, self.answers = [], dict(answers)
        self.library = SimpleNamespace(
            cudaDeviceSynchronize=lambda: self.answer("synchronize, at last")
        )

    def __call__(self, name, *arguments):
        self.called.append((name, *arguments))

    def answer(self, name):
        self.called.append(name)
        return self.answers.get(name, 0)

    def words(self, error):
        return f"words of {error}"

    def allocate(self, tensor, data):
        self.called.append((tensor["name"], data))
        return 4096


@pytest.fixture
def launched(tmp_path, monkeypatch):
    """Return a function that makes calls in this process; gives what happened, and lines."""

    def launch(every=True, **answers):
        cuda = Cuda(answers)
        library = SimpleNamespace(
            add=lambda *arguments: cuda.called.append(("add", [x.value for x in arguments])),
            cudaGetLastError=lambda: cuda.answer("last_error"),
        )
        monkeypatch.setattr(child, "Runtime", lambda path: cuda.called.append(path) or cuda)
        loaded = {"/k.so": library}
        monkeypatch.setattr(child.ctypes, "CDLL", loaded.__getitem__)
        call = [
            {"type": "tensor", "name": "x", "bytes": 8, "itemsize": 4},
            {"type": "int", "value": 7},
            {"type": "cudaStream_t", "value": None},
        ]
        spec = {"runtime": "/rt.so", "library": "/k.so", "launcher": "add", "device": 3}
        spec |= {"timeout": 60, "calls": [call, call]}
        (tmp_path / "calls.json").write_text(json.dumps(spec))
        (tmp_path / "data").write_bytes(b"data")
        child.main(tmp_path, "k", every)
        lines = (tmp_path / "k.report").read_text().splitlines()
        return cuda.called, [json.loads(line) for line in lines]

    return launch


ONE = [
    ("x", b"data"),
    ("cudaDeviceSynchronize",),
    ("add", [4096, 7, None]),
    "last_error",
    "synchronize, at last",
]
REGION = ["x", 4096, 8, 4]


def test_the_order_of_all_that_is_called(launched):
    called, lines = launched()
    assert called == ["/rt.so", ("cudaSetDevice", 3), *ONE, *ONE]
    assert lines == [
        {"call": 0, "regions": [REGION]},
        {"call": 1, "regions": [REGION]},
        {"status": "ok"},
    ]
    assert launched(every=False)[0] == ["/rt.so", ("cudaSetDevice", 3), *ONE]


def test_a_fault_counts_before_a_refusal(launched):
    called, lines = launched(**{"synchronize, at last": 700, "last_error": 9})
    assert lines[-1] == {"status": "fault", "error": 700, "words": "words of 700"}
    assert len(called) == 7
    assert launched(last_error=9)[1][-1] == {"status": "refused", "error": 9}


def test_the_c_types_of_scalars():
    assert {
        "int": ctypes.c_int,
        "int32_t": ctypes.c_int,
        "int64_t": ctypes.c_int64,
        "uint32_t": ctypes.c_uint32,
        "uint64_t": ctypes.c_uint64,
        "int16_t": ctypes.c_int16,
        "uint16_t": ctypes.c_uint16,
        "int8_t": ctypes.c_int8,
        "uint8_t": ctypes.c_uint8,
        "bool": ctypes.c_bool,
        "float": ctypes.c_float,
        "double": ctypes.c_double,
    } == child.SCALARS


@pytest.mark.parametrize(("offset", "size", "whole"), [(16, 4, 20), (0, 4, 4), (0, 0, 1)])
def test_an_allocation_ends_with_the_tensor(runtime, monkeypatch, offset, size, whole):
    sizes = []
    real = Runtime.__call__

    def call(self, name, *arguments):
        if name == "cudaMalloc":
            sizes.append(arguments[1].value)
        real(self, name, *arguments)

    monkeypatch.setattr(Runtime, "__call__", call)
    runtime.allocate({"offset": offset, "bytes": size, "data": None}, b"")
    assert sizes == [whole]
