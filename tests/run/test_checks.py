"""The checks of a call: addresses, scalars, sizes, overlap, empty tensors."""

import math

import numpy as np
import pytest
import torch

from helpers.run import checks
from helpers.run.signature import Parameter, declarations


def declare(parameters):
    return declarations(f'extern "C" void f({parameters}) {{}}', "x.cu")["f"]


ADD = declare("const float* a, const float* b, float* out, int64_t n")
PACK = declare("const half* x /* 16-byte aligned */, half* out, int n")
PRODUCT = declare(
    "const float* a /* [m, k] */, const float* b /* [k, n] */, float* c /* [m, n] */, "
    "int64_t n, int64_t m, int k"
)
A = ADD.tensors[0]


@pytest.mark.parametrize("shape", [(8,), (2, 4), (), (1,), (3, 1, 2)])
def test_the_address_of_a_right_tensor(shape):
    x = torch.zeros(shape)
    assert checks.address(ADD, A, x, "cpu") == x.data_ptr()
    assert checks.address(ADD, A, torch.zeros(0), "cpu") == 0


@pytest.mark.parametrize(
    ("x", "error", "words"),
    [
        (None, TypeError, "must be a torch.Tensor of float32, not NoneType"),
        (np.zeros(3, np.float32), TypeError, "not ndarray"),
        (torch.zeros(3).half(), TypeError, "is float16, but this kernel takes float32"),
        (torch.zeros(3, device="meta"), ValueError, "is on meta, but this is the CPU"),
        (torch.eye(3).to_sparse(), ValueError, "of layout sparse_coo"),
        (torch._neg_view(torch.zeros(3)), ValueError, "is a lazy negation"),
        (torch.zeros(3, requires_grad=True), ValueError, "requires grad"),
        (torch.zeros(6)[::2], ValueError, "is not contiguous"),
        (torch.zeros(3, 3).t(), ValueError, "is not contiguous"),
        (torch.zeros(1).expand(3), ValueError, "is not contiguous"),
    ],
)
def test_a_wrong_tensor(x, error, words):
    with pytest.raises(error, match=words):
        checks.address(ADD, A, x, "cpu")


def test_a_tensor_of_another_device():
    with pytest.raises(ValueError, match=r"^f: a is on cpu, but this is a CUDA kernel"):
        checks.address(ADD, A, torch.zeros(3), "cuda")


def test_a_tensor_without_memory():
    def call(x):
        checks.address(ADD, A, x, "cpu")

    with pytest.raises(ValueError, match="a Tensor without memory of its own"):
        torch.func.vmap(call)(torch.zeros(2, 8))


def test_an_address_between_multiples():
    x = torch.zeros(64).half()
    parameter = PACK.tensors[0]
    start = x.data_ptr() % 16 // 2
    for offset in range(16):
        if (start + offset) % 8:
            with pytest.raises(ValueError, match="bytes past a multiple of 16"):
                checks.address(PACK, parameter, x[offset:], "cpu")
        else:
            assert checks.address(PACK, parameter, x[offset:], "cpu") % 16 == 0


def test_an_address_inside_an_element():
    """Where nothing is declared, an element's own alignment is asked for."""
    memory = bytearray(64)
    whole = torch.frombuffer(memory, dtype=torch.float32)
    assert A.alignment < 4 and whole.data_ptr() % 4 == 0
    for offset in range(1, 4):
        x = torch.frombuffer(memory, dtype=torch.float32, count=8, offset=offset)
        with pytest.raises(ValueError, match=f"{offset} bytes past a multiple of 4"):
            checks.address(ADD, A, x, "cpu")


LARGEST = torch.finfo(torch.float32).max


@pytest.mark.parametrize(
    ("ctype", "value"),
    [
        ("int", 2**31 - 1),
        ("int", -(2**31)),
        ("int64_t", 2**63 - 1),
        ("float", LARGEST),
        ("float", -LARGEST),
        ("float", math.inf),
        ("double", -math.inf),
        ("double", 1e308),
        ("float", 3),
        ("bool", True),
        ("bool", 0),
        ("int16_t", -(2**15)),
        ("uint8_t", 255),
    ],
)
def test_a_scalar_that_fits(ctype, value):
    got = checks.scalar(ADD, Parameter("s", ctype, "scalar"), value)
    assert got == value and type(got) is (float if ctype in ("float", "double") else int)


def test_nan_is_a_float():
    assert math.isnan(checks.scalar(ADD, Parameter("s", "float", "scalar"), math.nan))


@pytest.mark.parametrize(
    ("name", "ctype", "value", "error"),
    [
        ("s", "int", 2**31, ValueError),
        ("s", "int", -(2**31) - 1, ValueError),
        ("s", "int64_t", 2**63, ValueError),
        ("s", "float", 2 * LARGEST, ValueError),
        ("s", "float", -1e39, ValueError),
        ("s", "double", 1 << 2000, ValueError),
        ("block_size", "int", 0, ValueError),
        ("s", "int", 1.0, TypeError),
        ("s", "int", True, TypeError),
        ("s", "float", False, TypeError),
        ("s", "float", "1", TypeError),
        ("s", "int", None, TypeError),
        ("s", "bool", 2, ValueError),
        ("s", "bool", 1.0, TypeError),
        ("s", "uint8_t", 256, ValueError),
        ("s", "int16_t", True, TypeError),
        ("s", "float", torch.tensor(1.0), TypeError),
        ("s", "int", np.int64(1), TypeError),
    ],
)
def test_a_scalar_that_does_not(name, ctype, value, error):
    with pytest.raises(error, match=f"^f: {name}"):
        checks.scalar(ADD, Parameter(name, ctype, "scalar"), value)


def shapes(*given):
    return [torch.Size(shape) for shape in given]


def test_the_size_of_equal_shapes():
    assert checks.sizes(ADD, shapes((2, 3), (2, 3), (2, 3))) == [6]
    assert checks.sizes(ADD, shapes((), (), ())) == [1]
    assert checks.sizes(declare("float* x, float s"), shapes((5,))) == []
    assert checks.sizes(declare("int64_t blocks"), []) == []


def test_sizes_come_in_the_order_of_the_launcher():
    assert checks.sizes(PRODUCT, shapes((3, 5), (5, 7), (3, 7))) == [7, 3, 5]


@pytest.mark.parametrize(
    ("declaration", "given", "words"),
    [
        (ADD, ((6,), (6,), (2, 3)), r"have \(6,\) and \(2, 3\): they must be equal"),
        (ADD, ((6,), (5,), (6,)), r"have \(6,\) and \(5,\)"),
        (
            PRODUCT,
            ((3, 5), (4, 7), (3, 7)),
            r"b must have shape \[k, n\], and k is 5; its .*\(4, 7\)",
        ),
        (PRODUCT, ((15,), (5, 7), (3, 7)), r"a must have shape \[m, k\]; its shape is \(15,\)"),
        (PRODUCT, ((3, 5, 1), (5, 7), (3, 7)), r"a must have shape \[m, k\]; its"),
    ],
)
def test_shapes_that_do_not_fit(declaration, given, words):
    with pytest.raises(ValueError, match=words):
        checks.sizes(declaration, shapes(*given))


def test_a_launcher_that_says_no_shape_takes_any():
    of_its_own = declare("const float* x, float* out, int N, int M")
    assert of_its_own.is_silent and checks.sizes(of_its_own, shapes((12,), (3, 1))) == []
    for says, remedy in (
        ("float* x /* [m] */, float* y /* [m] */", r"broadcast\)$"),
        ("const float* x, float* y, int n", r"say each tensor's shape .* `x,  // \[n, 3\]`$"),
    ):
        with pytest.raises(ValueError, match=f"must be equal.*{remedy}"):
            checks.sizes(declare(says), shapes((12,), (3,)))


def test_shapes_of_a_number_of_elements_and_of_a_constant():
    mixed = declare("const float* x /* [n] */, float* y /* [n] */, int* count /* [2] */, int n")
    assert checks.sizes(mixed, shapes((2, 3), (2, 3), (2,))) == [6]
    assert checks.sizes(mixed, shapes((2, 3), (2, 3), (1, 2))) == [6]
    with pytest.raises(ValueError, match="must be equal"):
        checks.sizes(mixed, shapes((2, 3), (6,), (2,)))
    with pytest.raises(ValueError, match=r"count must have shape \[2\]; its .*\(3,\)"):
        checks.sizes(mixed, shapes((6,), (6,), (3,)))


@pytest.mark.parametrize(("declaration", "largest"), [(PACK, 2**31 - 1), (PRODUCT, 2**31 - 1)])
def test_a_size_that_its_type_cannot_hold(declaration, largest):
    def given(n):
        if declaration is PACK:
            return shapes((n,), (n,))
        return shapes((1, n), (n, 1), (1, 1))

    assert largest in checks.sizes(declaration, given(largest))
    with pytest.raises(ValueError, match=r"= 2,147,483,648 does not fit the 32 bits"):
        checks.sizes(declaration, given(largest + 1))


@pytest.mark.parametrize(
    ("begins", "counts", "separate"),
    [
        ((0, 100, 200), (100, 100, 100), True),
        ((0, 100, 199), (100, 100, 100), False),
        ((200, 300, 101), (100, 100, 100), False),
        ((200, 300, 100), (100, 100, 100), True),
        ((0, 50, 200), (100, 100, 100), True),  # inputs may share memory
        ((0, 0, 0), (0, 0, 0), True),
        ((0, 300, 40), (100, 100, 20), False),
    ],
)
def test_outputs_share_no_memory(begins, counts, separate):
    if separate:
        checks.outputs_are_separate(ADD, begins, counts)
    else:
        with pytest.raises(ValueError, match=r"out shares memory with [ab], and"):
            checks.outputs_are_separate(ADD, begins, counts)


def test_empty_tensors():
    assert checks.is_empty(ADD, (4, 4, 4)) is False
    assert checks.is_empty(ADD, (0, 0, 0)) is True
    assert checks.is_empty(ADD, (4, 4, 0)) is True
    assert checks.is_empty(declare("int64_t blocks"), ()) is False
    with pytest.raises(ValueError, match=r"^f: b is empty, but an output is not"):
        checks.is_empty(ADD, (4, 0, 4))
    two = declare("const float* x, float* low, float* high")
    assert checks.is_empty(two, (4, 0, 0)) is True
    with pytest.raises(ValueError, match="low is empty"):
        checks.is_empty(two, (4, 0, 4))
