"""A case of a learner's own past 2^31 elements: what counts is a fault that only that has."""

from types import SimpleNamespace

import pytest
import torch

from helpers.run import jit
from helpers.testing import check, stretched
from helpers.testing.cases import Case, Untried
from helpers.testing.past_2_31 import PAST_2_31, TOO_LONG, Huge
from helpers.testing.run_cases import Tried

ROWS = """#include <cuda_runtime.h>
#include <cstdint>
__global__ void total(const {type} *x, double *y, int64_t m, int64_t n)
{{
    {count} r = {first};
    if (r >= m) return;
    const {type} *row = x + {begin};
    double s = 0;
    for (int64_t i = 0; i < n; ++i) s += (double)row[i];
    y[r] = s;
}}
extern "C" void total_of_rows(const {type} *x,  // [m, n]
                      double *y,  // [m]
                      {size} m, {size} n, int block_size = 128, cudaStream_t stream = 0)
{{
    total<<<(unsigned)({blocks}), block_size, 0, stream>>>(x, y, m, n);
}}
"""
RIGHT = {
    "type": "float",
    "count": "int64_t",
    "first": "(int64_t)blockIdx.x * blockDim.x + threadIdx.x",
    "begin": "r * n",
    "size": "int64_t",
    "blocks": "(m + block_size - 1) / block_size",
}


def total(launcher):
    dtype = launcher.declaration.tensors[0].dtype
    for m, n in ((1, 5), (9, 40)):
        x = (torch.arange(m * n) % 7).reshape(m, n).to(dtype)
        right = (x.double().sum(1),)
        yield Case(f"{m} x {n}", (x,), right, dtypes=(torch.float64,))


@pytest.fixture
def verdict(tmp_path):
    """Return the verdict on a file's text."""

    def of(text, cases=total):
        file = tmp_path / "rows.cu"
        file.write_text(text, encoding="utf-8")
        return check.verdict(jit.load(file), cases=cases)

    return of


@pytest.fixture
def told(verdict):
    """Check sums of rows with some words of the file replaced."""
    return lambda cases=total, **words: (
        verdict(ROWS.format(**{**RIGHT, **words}), cases).message
    )


@pytest.mark.parametrize("type_", ["float", "int8_t", "double"])
def test_an_index_of_32_bits_is_named(told, type_):
    sentence = told(type=type_, begin="(int)(r * n)")
    assert sentence.startswith("WRONG: ") and "read from x[-2,147," in sentence
    assert "is an index of 32 bits too narrow" in sentence
    assert " [9 x 40, but m = " in sentence


def test_a_grid_of_too_few_blocks_is_named(told):
    sentence = told(blocks="(m * n >> 31) ? 1 : (m + block_size - 1) / block_size")
    assert sentence.startswith("WRONG: the last elements are never written: an index, a ")
    assert "compute" in sentence.lower() and "[9 x 40, but m = " in sentence


def test_a_right_kernel_stays_right(told):
    assert told() == "right in 2 cases (float64)"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("", ""),
        ("unsigned)", "unsigned)"),
        ("{\n    total<<<", "{\n    size_t bytes = 0;\n    (void)bytes;\n    total<<<"),
        ("(unsigned)((", "(unsigned)((0 * sizeof(int64_t) + "),
        ("double s = 0", "size_t unused = 0; double s = unused"),
        ("int m, int n, int block", "int64_t m, int n, int block"),
    ],
)
def test_a_kernel_that_counts_in_32_bits_is_right_up_to_2_31_and_says_so(verdict, old, new):
    """Not one with wider integers in its kernel: that is meant for more."""
    text = ROWS.format(**RIGHT).replace("int64_t", "int")
    answer = verdict(text.replace(old, new, 1))
    wider = "int64_t" in new or "size_t unused" in new
    assert answer.ok is not wider
    if wider:
        assert answer.message.startswith("WRONG: ") and answer.limits == ()
        return
    (limit,) = answer.limits
    assert limit.startswith(
        "past 2^31 elements it is wrong, as all of its integers have 32 bits"
    )
    assert "read from x[-2,147," in limit and " [9 x 40, but m = " in limit
    assert answer.message == f"right in 2 cases (float64); {limit}"


def test_what_is_wrong_below_2_31_too_is_wrong_whatever_it_counts_in(verdict):
    text = ROWS.format(**{**RIGHT, "blocks": "m * n > 1 << 20 ? 1 : (m + 127) / 128"})
    answer = verdict(text.replace("int64_t", "int"))
    assert not answer.ok and answer.limits == ()


def test_what_is_not_tried_is_said(told):
    x = torch.ones(2, stretched.LARGEST)
    largest = Case("wide", (x,), (x.double().sum(1),), dtypes=(torch.float64,))
    slow = "r * n; for (volatile int64_t k = 0; k < (m * n >> 30) * 1000000000; ++k) {}"
    assert told(begin=slow).endswith(f"; not tried: sizes past 2^31 ({TOO_LONG})")
    memory = "r * n; auto *unused = new int[1]; delete[] unused"
    why = stretched.WHY_OWN_MEMORY
    assert told(begin=memory).endswith(f"; not tried: sizes past 2^31 ({why})")
    assert told(lambda launcher: [largest]).endswith(f"({stretched.WHY_NO_CASE})")


def test_where_a_case_is_so_large_nothing_is_added():
    huge, tried = Huge("n", None, 1, 1), Tried(3)
    launcher = SimpleNamespace(on_gpu=False, path="x.cu")
    assert stretched.past_2_31(launcher, tried, [huge]) is tried
    left_out = Untried(PAST_2_31, "on purpose")
    assert stretched.past_2_31(launcher, tried, [left_out]) is tried
    assert stretched.past_2_31(launcher, tried, []) is tried
