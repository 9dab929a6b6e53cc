"""The sentences on a wrong call: they name the argument, the rule and the remedy."""

import pytest
import torch

from helpers.emulator import Refusal
from helpers.errors import LaunchError
from helpers.run import refusals
from helpers.run.signature import Parameter, declarations

ADD = declarations(
    '\nextern "C" void add(const float* a,  // [n] 16-byte aligned\n float* out, int n) {}',
    "k.cu",
)["add"]
A, OUT, N = ADD.parameters
STRIDED = torch.zeros(6)[::2]


@pytest.mark.parametrize(
    ("x", "device", "error", "sentence"),
    [
        ([1.0], "cpu", TypeError, "must be a torch.Tensor of float32, not list"),
        (
            torch.zeros(3).half(),
            "cpu",
            TypeError,
            "is float16, but this kernel takes float32: pass a.to(torch.float32), or load the "
            "version for float16",
        ),
        (
            torch.zeros(3, device="meta"),
            "cpu",
            ValueError,
            "is on meta, but this is the CPU emulator's kernel: pass a.to('cpu')",
        ),
        (
            torch.zeros(3),
            "cuda",
            ValueError,
            "is on cpu, but this is a CUDA kernel: pass a.to('cuda')",
        ),
        (
            torch.eye(3).to_sparse(),
            "cpu",
            ValueError,
            "is of layout sparse_coo, but a kernel reads plain memory: pass "
            "a.to_dense().clone()",
        ),
        (
            torch._neg_view(torch.zeros(3)),
            "cpu",
            ValueError,
            "is a lazy negation, but a kernel reads plain memory: pass a.to_dense().clone()",
        ),
        (
            torch.zeros(3, requires_grad=True),
            "cpu",
            ValueError,
            "requires grad, but a kernel works behind autograd's back: pass a.detach()",
        ),
        (
            STRIDED,
            "cpu",
            ValueError,
            "is not contiguous (shape (3,), strides (2,)), and a kernel walks memory in order: "
            "pass a.contiguous()",
        ),
        (
            torch.zeros(3),
            "cpu",
            ValueError,
            "is a Tensor without memory of its own, but a kernel reads plain memory: pass "
            "a.to_dense().clone()",
        ),
    ],
)
def test_a_wrong_tensor(x, device, error, sentence):
    found = refusals.wrong_tensor(ADD, A, x, device)
    assert type(found) is error and str(found) == f"add: a {sentence}"


def scalar(name, ctype):
    return Parameter(name, ctype, "scalar")


@pytest.mark.parametrize(
    ("parameter", "value", "error", "sentence"),
    [
        (
            scalar("k", "int"),
            1.5,
            TypeError,
            "k must be a Python int, not float: it is declared `int k`",
        ),
        (
            scalar("k", "int"),
            True,
            TypeError,
            "k must be a Python int, not bool: it is declared `int k`",
        ),
        (
            scalar("s", "float"),
            "1",
            TypeError,
            "s must be a Python number, not str: it is declared `float s`",
        ),
        (
            scalar("s", "float"),
            False,
            TypeError,
            "s must be a Python number, not bool: it is declared `float s`",
        ),
        (scalar("block_size", "int"), 0, ValueError, "block_size is 0; it must be at least 1"),
        (
            scalar("block_size", "int"),
            5000,
            ValueError,
            "block_size = 5,000 does not fit `int`",
        ),
        (scalar("k", "int64_t"), -1000, ValueError, "k = -1,000 does not fit `int64_t`"),
    ],
)
def test_a_wrong_scalar(parameter, value, error, sentence):
    found = refusals.wrong_scalar(ADD, parameter, value)
    assert type(found) is error and str(found) == f"add: {sentence}"


@pytest.mark.parametrize(
    ("found", "sentence"),
    [
        (
            refusals.misaligned(ADD, A, 0x1004),
            "add: a starts 4 bytes past a multiple of 16, but this kernel moves 16 bytes at "
            "once. "
            "A slice such as x[1:] does this: pass a.clone()",
        ),
        (
            refusals.several_devices(ADD, OUT, torch.zeros(1, device="meta"), torch.zeros(1)),
            "add: out is on meta, another argument on cpu: use one device",
        ),
        (
            refusals.unequal_shapes(ADD, torch.Size((2, 3)), torch.Size((6,))),
            "add(a: float32[n], out: float32[n]): two tensors of the same declared shape have "
            "(6,) "
            "and (2, 3): they must be equal (nothing is broadcast)",
        ),
        (
            refusals.wrong_shape(ADD, A, torch.Size((2, 3))),
            "add: a must have shape [n]; its shape is (2, 3)",
        ),
        (
            refusals.wrong_shape(ADD, A, torch.Size((2, 3)), "n", 5),
            "add: a must have shape [n], and n is 5; its shape is (2, 3)",
        ),
        (
            refusals.wrong_shape(ADD, OUT, torch.Size((2, 3))),
            "add: out must have shape [n]; its shape is (2, 3). If another shape is meant, say "
            "it in a comment behind it, with names and numbers alone: `out,  // [rows, 4]`",
        ),
        (
            refusals.too_many_elements(ADD, N, 1 << 31),
            "add: n = 2,147,483,648 does not fit the 32 bits of `int`: declare `int64_t n` in "
            "k.cu:2, and compute indices in int64_t",
        ),
        (
            refusals.shared_memory(ADD, 1, 0),
            "add: out shares memory with a, and the kernel may write the one before it has "
            "read "
            "the other: pass a separate out",
        ),
        (
            refusals.empty_input(ADD, A),
            "add: a is empty, but an output is not: pass an element or more",
        ),
    ],
)
def test_the_sentences_on_a_call(found, sentence):
    assert type(found) is ValueError and str(found) == sentence


def test_the_sentence_on_a_refused_launch():
    given = {"block_size": 2048, "n": 1000000}
    found = refusals.refused_launch(ADD, "invalid configuration argument (CUDA error 9", given)
    assert type(found) is LaunchError and str(found) == (
        "k.cu: the launch was refused: invalid configuration argument (CUDA error 9; "
        "block_size = "
        "2,048, n = 1,000,000). A block has 1 to 1,024 threads and, unless it asks for more, "
        "at "
        "most 48 KB of shared memory; a grid has 1 to 2^31 - 1 blocks in x, and 1 to "
        "65,535 in y and in z."
    )


def test_the_sentence_on_a_call_that_failed():
    found = refusals.failed_call(ADD, "invalid pitch argument (CUDA error 12", {"n": 7})
    assert type(found) is LaunchError and str(found) == (
        "k.cu: a call of the runtime in add failed: invalid pitch argument (CUDA error 12; "
        "n = 7). Test what each call returns, to learn which one."
    )


def test_a_rule_that_is_known_stands_in_the_place_of_all_limits():
    found = refusals.refused_launch(
        ADD, "too many (CUDA error 9", {"n": 7}, Refusal("Too wide", "grid.y", 70_000)
    )
    assert (found.side, found.size) == ("grid.y", 70_000)
    assert str(found) == (
        "k.cu: the launch was refused: too many (CUDA error 9; n = 7). Too wide."
    )


def test_the_sentence_on_an_error_that_a_launcher_returned():
    what = "cudaErrorInvalidValue (invalid argument, CUDA error 1)"
    found = refusals.returned_error(ADD, what, {"block_size": 2048, "n": 1000000})
    assert type(found) is LaunchError
    assert str(found) == f"k.cu: add returned {what}; block_size = 2,048, n = 1,000,000."
