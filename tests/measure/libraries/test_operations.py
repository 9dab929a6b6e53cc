"""What an operation reads, writes and computes."""

import pytest
import torch

from helpers.measure.libraries import operations
from helpers.measure.libraries.operations import OPERATIONS, Operation, same_bits

FLOAT32, FLOAT16, BFLOAT16 = torch.float32, torch.float16, torch.bfloat16


@pytest.mark.parametrize(
    ("operation", "inputs", "bytes_per_element", "launcher", "text"),
    [
        (Operation("add", FLOAT32), [FLOAT32] * 2, 12, "add", "add float32"),
        (Operation("add", FLOAT16), [FLOAT16] * 2, 6, "add_f16", "add float16"),
        (Operation("add", BFLOAT16), [BFLOAT16] * 2, 6, "add_bf16", "add bfloat16"),
        (Operation("cast", FLOAT16), [FLOAT32], 6, "cast_f16", "cast float16"),
        (Operation("cast", BFLOAT16), [FLOAT32], 6, "cast_bf16", "cast bfloat16"),
    ],
)
def test_an_operation(operation, inputs, bytes_per_element, launcher, text):
    assert operation in OPERATIONS
    assert list(operation.input_dtypes) == inputs
    assert operation.bytes_per_element == bytes_per_element
    assert operation.launcher == launcher
    assert str(operation) == text


def test_there_are_five():
    assert len(set(OPERATIONS)) == len(OPERATIONS) == 5
    assert all(one.name == "add" for one in operations.ADDS)


def test_references():
    a, b = torch.tensor([1.0, 2.0]), torch.tensor([3.0, 2**-30])
    assert Operation("add", FLOAT32).reference([a, b]).tolist() == [4.0, 2.0]
    cast = Operation("cast", FLOAT16).reference([torch.tensor([1 + 2**-20])])
    assert cast.dtype is FLOAT16 and cast.item() == 1


def test_buffers():
    inputs, out = Operation("cast", BFLOAT16).buffers(7, "cpu")
    assert [(x.shape, x.dtype) for x in inputs] == [((7,), FLOAT32)]
    assert (out.shape, out.dtype) == ((7,), BFLOAT16)
    (a, b), out = Operation("add", FLOAT16).buffers(100, "cpu")
    assert a.dtype is b.dtype is FLOAT16
    assert not torch.equal(a, b)


@pytest.mark.parametrize("dtype", [FLOAT32, FLOAT16, BFLOAT16])
def test_equal_means_to_the_bit(dtype):
    nan, zero = torch.tensor([float("nan")], dtype=dtype), torch.zeros(1, dtype=dtype)
    assert same_bits(nan, nan.clone())
    assert not same_bits(zero, -zero)
    assert same_bits(zero, zero.clone())
