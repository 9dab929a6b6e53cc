"""A loaded .cu file: which launcher a call of the file goes to."""

from types import SimpleNamespace

import pytest
import torch

from helpers.run.kernel import Kernel


def test_the_file_itself_goes_by_dtype(stub):
    x = torch.zeros(8).bfloat16()
    stub(x, x.clone(), x.clone(), torch.zeros(1, dtype=torch.int32))
    assert stub.last[0] == x.data_ptr() and stub.real == 1.5
    half = torch.zeros(8).half()
    stub(a=half, out=half.clone(), s=1.0)
    assert stub.last[0] == half.data_ptr()
    double = torch.zeros(1, 1).double()
    stub(double, double.clone(), double.clone(), offset=-9)
    assert stub.last[6] == -9


def test_an_unknown_first_argument_goes_to_the_first_launcher(stub):
    for first in (torch.zeros(8, dtype=torch.int8), None, 3):
        with pytest.raises(TypeError, match=r"^add: a"):
            stub(first, torch.zeros(8), torch.zeros(8))
    with pytest.raises(TypeError, match=r"^add.*: a is missing"):
        stub()


def test_a_launcher_by_dtype(stub):
    assert stub.launcher_for(torch.float64).__name__ == "product"
    assert stub.dtypes == [torch.float32, torch.float16, torch.float64, torch.bfloat16]
    with pytest.raises(
        TypeError, match=r"^stub takes float32, float16, float64, bfloat16, not uint8$"
    ):
        stub.launcher_for(torch.uint8)


def test_the_first_launcher_of_a_dtype_counts(stub):
    text = """extern "C" void blocks(int64_t blocks, int block_size, cudaStream_t s);
    extern "C" void pack(const float* a, float* out, int n, float s, cudaStream_t t);
    extern "C" void add(const float* a, const float* b, float* out, int64_t n, int size);"""
    kernel = Kernel(stub.path, text, stub.library, on_gpu=False, build_seconds=1.5)
    assert kernel.dtypes == [torch.float32]
    assert kernel.launcher_for(torch.float32) is kernel.pack
    kernel(5, 6)  # of one dtype there is nothing to choose: it is the first launcher's
    assert stub.last[:2] == [5, 6] and kernel.build_seconds == 1.5


def test_launchers_are_attributes(stub):
    assert stub.add is stub.launchers["add"]
    with pytest.raises(
        AttributeError, match=r"^stub has no launcher 'sub'; it has \['add', 'p"
    ):
        stub.sub()


def test_what_a_kernel_shows_of_itself(stub):
    assert repr(stub).startswith("<stub on the CPU emulator: add(a: float32[n], b: float32[n]")
    assert repr(stub).endswith("); blocks(blocks, block_size=256)>")
    on_gpu = object.__new__(Kernel)
    on_gpu.__dict__.update(name="k", on_gpu=True, declarations={"f": "f(x)", "g": "g(y)"})
    assert repr(on_gpu) == "<k on CUDA: f(x); g(y)>"
    assert (stub.name, stub.on_gpu, stub.build_seconds) == ("stub", False, 0.0)


def test_only_the_last_checks_verdict_counts(stub):
    kernel = Kernel(stub.path, stub.text, stub.library, on_gpu=False, build_seconds=0.0)
    assert kernel.checked is False
    for ok in (True, False):
        kernel.verdict = SimpleNamespace(ok=ok)
        assert kernel.checked is ok


def test_which_launcher_a_call_would_reach(stub):
    assert stub.launcher_of([torch.zeros(8).bfloat16()]).__name__ == "split"
    assert stub.launcher_of([torch.zeros(8).double(), 1]).__name__ == "product"
    first = next(iter(stub.launchers.values()))
    for arguments in ([], [3], [torch.zeros(8, dtype=torch.int8)], [3, torch.zeros(8).half()]):
        assert stub.launcher_of(arguments) is first


def test_a_launcher_goes_by_the_dtype_of_its_first_tensor(stub):
    text = """extern "C" void add(const __half* a, float* out, int64_t n, int size);
    extern "C" void pack(const float* a, __half* out, int n, float s, cudaStream_t t);"""
    kernel = Kernel(stub.path, text, stub.library, on_gpu=False, build_seconds=0)
    assert kernel.dtypes == [torch.float16, torch.float32]
    assert kernel.launcher_for(torch.float16) is kernel.add
