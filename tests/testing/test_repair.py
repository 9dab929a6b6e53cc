"""Test that edits of a kernel find the line of its fault, and claim nothing else."""

import pytest
import torch

from helpers.run import jit
from helpers.testing import check, repair
from helpers.testing.cases import Case, ElementwiseMaker, elementwise_cases
from helpers.testing.repair import Repairs, kinds, told
from helpers.testing.repair.edits import Edit, edits_on
from helpers.testing.repair.search import LARGEST, SMALL, _Search, find

STRIDED = """\
#include <cuda_runtime.h>
#include <cstdint>

__device__ float chosen(float a, float b) {
    const float limit = 0.0f;
    return a - b > limit ? b : a;
}

__global__ void choose(const float* a, const float* b, float* out, int64_t n) {
    const int64_t step = int64_t(gridDim.x) * blockDim.x;
    for (int64_t i = blockIdx.x * int64_t(blockDim.x) + threadIdx.x; i < n; i += step)
        out[i] = chosen(a[i], b[i]);
}

extern "C" void launch(const float* a,  // [n]
                       const float* b,  // [n]
                       float* out,      // [n]
                       int64_t n, int block_size = 128, cudaStream_t stream = 0) {
    const int64_t blocks = (n + block_size - 1) / block_size;
    choose<<<blocks < 40 ? blocks : 40, block_size, 0, stream>>>(a, b, out, n);
}
"""
END = kinds.END.words
SIGN, LIMIT = ("a - b", "a * b"), ("limit = 0.0f", "limit = 0.3f")


def chosen(a, b):
    return torch.where(a - b > 0, b, a)


def _kernel(tmp_path, *edits):
    text = STRIDED
    for old, new in edits:
        assert text.count(old) == 1
        text = text.replace(old, new)
    file = tmp_path / "choose.cu"
    file.write_text(text)
    return jit.load(file)


def _search(kernel):
    launcher = kernel.launchers["launch"]
    return find(launcher, lambda x: elementwise_cases(x, ElementwiseMaker.of(x, chosen, 0, {})))


@pytest.mark.stress
def test_names_the_line_and_the_kind_but_not_the_edit(tmp_path, monkeypatch):
    monkeypatch.setenv("ELEMENTWISE_FIND_LINE", "1")
    message = check.verdict(_kernel(tmp_path, SIGN), chosen).message
    assert (
        f"cases tried come out right after an edit of line 6 ({kinds.OPERATOR.words}" in message
    )
    assert "a - b" not in message


def test_every_edit_that_helps_stands_on_the_wrong_line(tmp_path):
    found = _search(_kernel(tmp_path, LIMIT))
    assert found.complete and found.cases > 50
    assert {edit.line for edit in found.edits} == {5}
    assert kinds.START in {edit.kind for edit in found.edits}


@pytest.mark.stress
def test_finds_nothing_where_two_lines_are_wrong(tmp_path):
    assert _search(_kernel(tmp_path, SIGN, LIMIT)).edits == ()


@pytest.mark.stress
def test_says_nothing_of_a_right_kernel(tmp_path):
    assert _search(_kernel(tmp_path)).edits == ()


def test_a_search_that_fails_says_nothing(tmp_path):
    launcher = _kernel(tmp_path).launchers["launch"]
    assert repair.where(launcher, lambda launcher: 1 / 0) is None


def _edit(line, kind=kinds.END, weak=False):
    return Edit(line, kind, "new", weak=weak)


@pytest.mark.parametrize(
    ("lines", "complete", "words"),
    [
        ((), True, ""),
        ((2,), False, ""),  # not every edit was tried
        ((1, 2, 3, 4), True, ""),  # too many to be of use
        ((2,), True, f"All 7 cases tried come out right after an edit of line 2 ({END})"),
        ((3, 1), True, f"line 1 ({END}), or of line 3 ({END})"),
    ],
)
def test_sentence(lines, complete, words):
    answer = told(Repairs(tuple(map(_edit, lines)), 7, complete))
    assert (words in answer.sentence(False)) if words else answer is None


def test_one_more_or_less_is_named_last():
    edits = (_edit(1, kinds.ONE), _edit(1, kinds.COMPARISON))
    end = f"({kinds.COMPARISON.words} or {kinds.ONE.words})"
    assert told(Repairs(edits, 7, True)).sentence(False).endswith(end)


def test_an_edit_that_may_go_round_the_fault_says_nothing():
    weak, strong = _edit(1, weak=True), _edit(2)
    assert told(Repairs((weak,), 7, True)) is None
    assert list(told(Repairs((weak, strong), 7, True)).lines) == [2]


def test_an_error_names_the_edit_on_its_line():
    text = "int a;\n/*1*/REPAIR(1) ? x :\n  y\n/*2*/REPAIR(2) ? z :\n/*0*/w"
    assert edits_on(text, [1]) == set()
    assert edits_on(text, [3, 4]) == {1, 2}
    assert edits_on(text, [5, 9]) == set()


def test_an_edit_must_make_some_larger_cases_right_too():
    sizes = [3, SMALL, *[SMALL + k for k in range(1, 7)], LARGEST, LARGEST + 1]
    zeros = torch.zeros(LARGEST + 1)
    cases = [Case(f"{n}", (zeros[:n],), (zeros[:n],)) for n in sizes]
    runs, _ = _Search(None, lambda _: cases, (), set())._all()
    tried = [case.inputs[0].numel() for case, _ in runs]
    assert tried == [3, SMALL, SMALL + 1, SMALL + 3, SMALL + 5]


ROWS = """\
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <cstdint>

__global__ void weighed(const float* x, const float* weight, float* y, int64_t rows,
                        int64_t cols) {
    __shared__ float part[64];
    const int64_t row = blockIdx.x;
    float sum = 0.0f;
    for (int64_t c = threadIdx.x; c < cols; c += 64)
        sum += x[row * cols + c] * weight[row * cols + c];
    part[threadIdx.x] = sum;
    __syncthreads();
    for (int half = 32; half > 0; half /= 2) {
        if (threadIdx.x < half) part[threadIdx.x] += part[threadIdx.x + half];
        __syncthreads();
    }
    if (threadIdx.x == 0) y[row] = part[0] / cols;
}

extern "C" void launch(const float* x,       // [rows, cols]
                       const float* weight,  // [rows, cols]
                       float* y,             // [rows, 1]
                       int64_t rows, int64_t cols, cudaStream_t stream = 0) {
    weighed<<<rows, 64, 0, stream>>>(x, weight, y, rows, cols);
}
"""


def _row_cases(launcher):
    for rows, cols in ((1, 1), (3, 70), (5, 33), (2, 129), (1, 500)):
        x = torch.arange(rows * cols).reshape(rows, cols) % 7 - 2.75
        weight = torch.arange(rows * cols).reshape(rows, cols) % 5 - 1.5
        right = (x * weight).mean(1, keepdim=True)
        yield Case(f"{rows} x {cols}", (x, weight), (right,), ulp=8, dtypes=(torch.float32,))


BETWEEN = """\
#include <cuda_runtime.h>
#include <cstdint>

__device__ float between(float x, float y, float weight, float scale) {
    if (x > y || isnan(y)) return x;
    const float sum = x + weight * (y - x);
    return sum / scale;
}

__global__ void mix(const float* x, const float* y, float* out, int64_t n, float weight,
                    float scale) {
    const int64_t i = blockIdx.x * int64_t(blockDim.x) + threadIdx.x;
    if (i < n) out[i] = between(x[i], y[i], weight, scale);
}

extern "C" void launch(const float* x,  // [n]
                       const float* y,  // [n]
                       float* out,      // [n]
                       int64_t n, float weight, float scale, cudaStream_t stream = 0) {
    mix<<<(n + 127) / 128, 128, 0, stream>>>(x, y, out, n, weight, scale);
}
"""


def _between_cases(launcher):
    for n, weight, scale in ((1, 0.5, 2.0), (33, 0.25, 0.5), (300, 0.75, 4.0)):
        x, y = torch.arange(n) % 7 - 2.75, torch.arange(n) % 5 - 1.5
        y[n // 2] = torch.nan
        right = torch.where((x > y) | y.isnan(), x, (x + weight * (y - x)) / scale)
        options = {"weight": weight, "scale": scale}
        yield Case(f"n = {n}", (x, y), (right,), options, ulp=8, dtypes=(torch.float32,))


def _kinds_on_its_line(tmp_path, text, cases, old, new):
    """Return the kinds of edits that help on the line where `new` stands for `old`."""
    assert text.count(old) == 1
    file = tmp_path / "wrong.cu"
    file.write_text(text.replace(old, new))
    found = find(jit.load(file).launchers["launch"], cases)
    line = text[: text.index(old)].count("\n") + 1
    return {edit.kind for edit in found.edits if edit.line == line and not edit.weak}


@pytest.mark.stress
@pytest.mark.parametrize(
    ("old", "new", "kind"),
    [
        ("float sum = 0.0f", "int sum = 0.0f", kinds.FRACTION),
        ("float sum = 0.0f", "signed char sum = 0.0f", kinds.FRACTION),
        ("weight[row * cols + c]", "weight[c]", kinds.ELEMENT),
        ("weight[row * cols + c]", "weight[c * rows + row]", kinds.ELEMENT),
        ("half > 0", "half > 1", kinds.END),
        ("part[0] / cols", "part[0]", kinds.PART),
        ("int half = 32", "int half = 16", kinds.END),
        ("float sum = 0.0f", "float sum = 1.0f", kinds.START),
        ("if (threadIdx.x < half) part", "part", kinds.CONDITION),
    ],
)
def test_kinds_of_edits_in_rows(old, new, kind, tmp_path):
    assert kind in _kinds_on_its_line(tmp_path, ROWS, _row_cases, old, new)


@pytest.mark.stress
@pytest.mark.parametrize(
    ("old", "new", "kind"),
    [
        ("x + weight * (y - x)", "(x + weight) * (y - x)", kinds.BRACKETS),
        ("weight * (y - x)", "(y - x)", kinds.PART),
        ("x + weight * (y - x)", "y + weight * (x - y)", kinds.ORDER),
        ("sum / scale", "sum", kinds.PART),
        ("x > y || isnan(y)", "x > y", kinds.NAN),
        ("x[i], y[i]", "x[i], x[i]", kinds.VARIABLE),
    ],
)
def test_kinds_of_edits_in_a_formula(old, new, kind, tmp_path):
    assert kind in _kinds_on_its_line(tmp_path, BETWEEN, _between_cases, old, new)


def test_what_an_edit_means_depends_on_its_place():
    assert kinds.in_place(kinds.CONSTANT, kinds.CHOICE) == kinds.ELEMENT
    assert kinds.in_place(kinds.CONSTANT, kinds.FIRST) == kinds.START
    assert kinds.in_place(kinds.CONSTANT, kinds.VALUE) == kinds.CONSTANT
    assert kinds.in_place(kinds.BARRIER, kinds.CHOICE) == kinds.BARRIER


def test_what_is_asked_stays_beside_a_line_that_shows_the_same():
    where = told(Repairs((_edit(3, kinds.START),), 7, True))
    assert where.agrees("0 comes out: does the search start with it?")
    assert where.agrees("memory just outside of y was overwritten: does it test its index?")
    assert not where.agrees("right to only 8 of 24 bits: is it rounded on the way?")
    assert "elements left out" in told(Repairs((_edit(3),), 7, True)).sentence()
    assert "elements left out" not in told(Repairs((_edit(3),), 7, True)).sentence(False)


@pytest.mark.stress
def test_a_line_replaces_what_was_asked(tmp_path, monkeypatch):
    monkeypatch.setenv("ELEMENTWISE_FIND_LINE", "1")
    message = check.verdict(_kernel(tmp_path, LIMIT), chosen).message
    assert "an edit of line 5 (another number to start with" in message
    assert "?" not in message.partition("[")[0]
