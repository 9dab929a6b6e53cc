"""What a launch leaves on a GPU and on the emulator, and how it is reported."""

import contextlib
import ctypes
import subprocess
from types import SimpleNamespace

import pytest
import torch

from helpers.emulator import Refusal
from helpers.emulator.compile import compiler
from helpers.errors import FaultKind, KernelFault, LaunchError
from helpers.run import faults
from helpers.run.backends import Emulator, Gpu

REFUSED = (
    r"^stub\.cu: the launch was refused: invalid configuration argument \(CUDA error 9; "
    r"block_size = 256, n = 1,000\)\. A block has 1 to 1,024 threads"
)
RETURNED = r"^stub\.cu: add returned cudaErrorInvalidValue "
GIVEN = {"block_size": 256, "n": 1000}


class FakeCuda:
    """The CUDA runtime's functions, as ctypes gives them."""

    _handle = ctypes.CDLL(None)._handle  # a library without a classic extension's variable

    def __init__(self):
        words = {9: b"invalid configuration argument"}
        self.cudaGetErrorString = Function(words.__getitem__)
        self.cudaGetLastError = Function(lambda: 0)
        self.cudaGetDevice = Function(lambda out: 0)


class Function:
    """A function with ctypes' attributes."""

    def __init__(self, function):
        self.function = function

    def __call__(self, *args):
        return self.function(*args)


@pytest.fixture
def declaration(stub):
    return stub.declarations["add"]


@pytest.fixture
def left(stub):
    """Set what the stub's next launch has left."""
    library = stub.add.library
    error_left = ctypes.c_int.in_dll(library, "stub_error")
    texts = [ctypes.c_char_p.in_dll(library, f"stub_{name}") for name in ("fault", "printed")]

    def leave(error=0, fault=None, printed=None):
        error_left.value = error
        for text, value in zip(texts, (fault, printed), strict=True):
            text.value = value

    yield leave
    leave()


def test_the_emulator_reports_nothing_after_a_right_launch(stub, left):
    left()
    assert stub.add.backend.status() == 0
    assert (stub.add.backend.device, stub.add.backend.stream(-1)) == ("cpu", None)
    with stub.add.backend.on(-1):
        pass


def test_the_emulator_reports_a_refused_launch(stub, left, declaration):
    backend = stub.add.backend
    left(error=9)
    assert backend.status() != 0
    with pytest.raises(LaunchError, match=REFUSED):
        backend.report(declaration, 1, GIVEN)
    assert backend.status() == 0


def test_a_fault_comes_before_its_error(stub, left, declaration):
    left(error=719, fault="tile, block (0, 0, 0): Ümläut".encode())
    with pytest.raises(KernelFault, match=r"^stub\.cu: tile, block .*Ümläut$"):
        stub.add.backend.report(declaration, 1, GIVEN)
    assert stub.add.backend.status() == 0


def test_printed_lines_are_printed_once(stub, left, declaration, capsys):
    left(printed=b"one\ntwo\n", fault=b"three")
    with pytest.raises(KernelFault):
        stub.add.backend.report(declaration, 1, GIVEN)
    assert capsys.readouterr().out == "one\ntwo\n"
    stub.add.backend.report(declaration, 1, GIVEN)
    assert capsys.readouterr().out == ""


def test_a_gpu_reports_a_refused_launch(declaration):
    with pytest.raises(LaunchError, match=REFUSED):
        Gpu(FakeCuda()).report(declaration, 9, GIVEN)


@pytest.mark.parametrize("last", [0, 9])
def test_an_error_that_a_launcher_returned_has_its_name(declaration, last):
    library = FakeCuda()
    library.cudaGetErrorString = Function(
        {1: b"invalid argument", 9: b"invalid configuration argument"}.__getitem__
    )
    library.cudaGetErrorName = Function({1: b"cudaErrorInvalidValue"}.__getitem__)
    library.cudaGetLastError = Function(lambda: last)
    words = RETURNED + r"\(invalid argument\); block_size = 256, n = 1,000\.$"
    with pytest.raises(LaunchError, match=REFUSED if last else words):
        Gpu(library).report(declaration, -1, GIVEN)


def test_the_emulator_reports_what_a_launcher_returned(stub, left, declaration):
    backend = stub.add.backend
    words = RETURNED + r"\(other\); block_size = 256, n = 1,000\.$"
    with pytest.raises(LaunchError, match=words):
        backend.report(declaration, -1, GIVEN)
    left(error=9)
    with pytest.raises(LaunchError, match=REFUSED):
        backend.report(declaration, -9, GIVEN)
    left(error=719, fault=b"tile, block (0, 0, 0)")
    with pytest.raises(KernelFault):
        backend.report(declaration, -719, GIVEN)


def test_a_copy_that_failed_is_no_refused_launch(declaration):
    library = FakeCuda()
    library.cudaGetErrorString = Function(lambda number: b"invalid pitch argument")
    words = r"^stub\.cu: a call of the runtime in add failed: invalid pitch argument \(CUDA"
    with pytest.raises(LaunchError, match=words):
        Gpu(library).report(declaration, 12, GIVEN)


def test_a_refusal_that_a_launcher_has_returned_is_told_as_one_that_it_left(
    stub, declaration, monkeypatch
):
    backend, words = stub.add.backend, "grid.x of k is 0; it must be 1 to 2147483647"
    refusal = Refusal(words, "grid.x", 0)
    monkeypatch.setattr(backend.library, "take_refusal", lambda: refusal)
    with pytest.raises(LaunchError, match=rf"the launch was refused: .*\). {words}") as raised:
        backend.report(declaration, -9, GIVEN)
    assert (raised.value.side, raised.value.size) == ("grid.x", 0)


@pytest.mark.parametrize("error", [700, 719])
def test_a_gpu_says_when_the_context_is_lost(declaration, error):
    library = FakeCuda()
    library.cudaGetErrorString = Function(lambda number: b"an illegal access")
    words = (
        rf"^stub\.cu: before this launch, an illegal access \(CUDA error {error}\)\. A kernel"
    )
    with pytest.raises(KernelFault, match=words) as raised:
        Gpu(library).report(declaration, error, GIVEN)
    assert raised.value.kind is FaultKind.CONTEXT_LOST


def test_a_gpu_reports_an_exception_once(declaration, tmp_path):
    source = tmp_path / "thrown.cpp"
    source.write_text(
        f'char {faults.THROWN_WORDS}[512] = "the factor is 0";\n'
        'extern "C" const char* cudaGetErrorString(int) { return "invalid"; }\n'
        'extern "C" int cudaGetLastError() { return 0; }\n'
        'extern "C" int cudaGetDevice(int*) { return 0; }\n'
    )
    built = tmp_path / "thrown.so"
    subprocess.run([compiler(), "-shared", "-fPIC", "-o", built, source], check=True)
    gpu = Gpu(ctypes.CDLL(str(built)))
    with pytest.raises(
        KernelFault, match=r"add threw a C\+\+ exception: the factor is 0$"
    ) as one:
        gpu.report(declaration, 101, GIVEN)
    assert one.value.kind is FaultKind.HOST
    with pytest.raises(LaunchError, match="invalid"):
        gpu.report(declaration, 101, GIVEN)


def test_a_gpu_launches_on_pytorchs_stream_and_device(monkeypatch):
    library, asked = FakeCuda(), []
    backend = Gpu(library)
    assert backend.device == "cuda" and backend.status is library.cudaGetLastError
    assert backend.current_device is library.cudaGetDevice
    assert library.cudaGetErrorString.restype is ctypes.c_char_p
    assert library.cudaGetErrorString.argtypes == [ctypes.c_int]
    streams = SimpleNamespace(_cuda_getCurrentRawStream=lambda index: 1000 + index)
    monkeypatch.setattr(torch, "_C", streams)
    monkeypatch.setattr(torch.cuda, "current_device", lambda: 3)

    def device(index):
        asked.append(index)
        return contextlib.nullcontext()

    monkeypatch.setattr(torch.cuda, "device", device)
    assert (backend.stream(0), backend.stream(2), backend.stream(None)) == (1000, 1002, 1003)
    with backend.on(2):
        assert asked == [2]


def test_the_emulator_has_its_c_functions(stub):
    backend = Emulator(stub.add.library)
    assert backend.library.dll is stub.add.library
    assert backend.current_device is None
