"""Test that edits of a kernel find the line of its fault, and claim nothing else."""

import math
from dataclasses import replace
from types import SimpleNamespace

import pytest
import torch

from helpers import sources
from helpers.emulator import compile as compiling
from helpers.emulator import front_end
from helpers.run import jit
from helpers.run.build import precompiled_headers
from helpers.testing import check, repair
from helpers.testing.buffers import LARGEST as LARGEST_NUMBER
from helpers.testing.buffers import SMALLEST, ZEROS
from helpers.testing.cases import Case, ElementwiseMaker, elementwise_cases
from helpers.testing.repair import Repairs, Where, kinds, told
from helpers.testing.repair.edits import MOST_EDITS, Edit, Schema, edits_on
from helpers.testing.repair.ends import which_end
from helpers.testing.repair.search import LARGEST, SMALL, _Search, find
from helpers.testing.repair.together import groups, joined

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


@pytest.mark.stress
def test_names_the_line_of_an_access_outside_of_memory(tmp_path, monkeypatch):
    monkeypatch.setenv("ELEMENTWISE_FIND_LINE", "1")
    message = check.verdict(_kernel(tmp_path, ("i < n; i", "i <= n; i")), chosen).message
    assert "but b has 1 element: is the index tested against n?" in message
    assert "come out right after an edit of line 11 (another end" in message
    message = check.verdict(_kernel(tmp_path, ("b[i]);", "b[i - 1]);")), chosen).message
    assert "read from b[-1]" in message
    assert f"line 12 ({kinds.ELEMENT.words}: {kinds.ELEMENT.cause})" in message


@pytest.mark.stress
@pytest.mark.parametrize(
    ("old", "new", "line"),
    [
        ("= blockIdx.x * int64_t(blockDim.x)", "= blockIdx.x * int64_t(256)", 11),
        ("n; i += step", "n; i -= step", 11),
        ("chosen(a[i], b[i])", "chosen((a + 1 + i)[0], b[i])", 12),
    ],
)
def test_a_typed_size_and_a_step_downward_are_turned_round(tmp_path, old, new, line):
    assert line in {edit.line for edit in _search(_kernel(tmp_path, (old, new))).edits}


@pytest.mark.parametrize(
    ("kind", "asks"),
    [
        (kinds.PITCH, True),
        (kinds.ELEMENT, True),
        (kinds.END, False),
        (kinds.NEARER, False),
        (kinds.LAUNCH, False),
        (kinds.VARIABLE, False),  # of the formula, which no index is
    ],
)
def test_of_an_access_outside_of_memory_only_another_index_is_asked_for(kind, asks):
    sentence = told(Repairs((_edit(3, kind),), 7, True)).sentence(outside=True)
    assert kind.words in sentence and (kind.cause in sentence) is asks
    both = told(Repairs((_edit(3, kind), _edit(5, kinds.GUARD)), 7, True))
    assert "?" not in both.sentence(outside=True)
    # Both indices of an array that is too small may be made to fit it.
    together = Where({(3, 9): (kind,)}, 7)
    assert "?" not in together.sentence(outside=True)


def test_a_size_in_the_place_of_another_one_in_an_index():
    assert kinds.in_place(kinds.SIDE, kinds.CHOICE) == kinds.PITCH
    assert kinds.in_place(kinds.SIDE, kinds.LIMIT) == kinds.END
    found = told(Repairs((_edit(3, kinds.PITCH),), 7, True))
    assert found.adds("20 of 72 elements of x have no effect on any output: left out?")


def test_an_index_that_is_too_narrow_is_asked_for_where_nothing_says_so():
    never = "1 of 65,537 elements were never written, and keep what the output held"
    found = told(Repairs((_edit(3, kinds.NARROW),), 7, True))
    assert not found.adds("read from x[-2], less 2^16: is an index of 16 bits too narrow?")
    assert found.adds("each is a right one of another place: is an index another one?")
    assert found.adds(never) and "too narrow for an index?" in found.sentence(beside=never)
    assert not told(Repairs((_edit(3, kinds.NARROW), _edit(4)), 7, True)).adds(never)


def test_an_element_that_is_left_out_is_seen():
    left = "each row's sum is what comes out if its element 32 is left out: where does it end?"
    assert told(Repairs((_edit(3, kinds.VARIABLE),), 7, True)).agrees(left)
    tile = "each tile comes to its place, but inside it each element stays in its row"
    assert told(Repairs((_edit(3, kinds.ORDER),), 7, True)).agrees(tile)


def test_what_an_end_shows_is_no_factor_and_fewer_threads_hide_a_narrow_sum():
    scaled = "right where they fall: is all of it scaled? A factor is left out"
    assert not told(Repairs((_edit(3, kinds.FARTHER),), 7, True)).agrees(scaled)
    assert told(Repairs((_edit(3, kinds.FARTHER), _edit(3, kinds.FACTOR)), 7, True)).agrees(
        scaled
    )
    narrow = "right to only 16 of 24 bits: is it summed in a narrower precision on the way?"
    others = (_edit(3, kinds.LAUNCH), _edit(4, kinds.NO_TEST))
    assert told(Repairs(others, 7, True)).goes_round(narrow)
    assert not told(Repairs((*others, _edit(5, kinds.DIGITS)), 7, True)).goes_round(narrow)


@pytest.mark.parametrize(
    ("condition", "old", "new", "kind"),
    [
        ("w < 8 / 2", "2", "1ll", kinds.FARTHER),
        ("w < 8 / 2", "2", "4ll", kinds.NEARER),
        ("w < 8 - 2", "2", "1ll", kinds.FARTHER),
        ("w < 9 % 2", "2", "3ll", kinds.END),
        ("w < 8 * 2", "2", "1ll", kinds.NEARER),
    ],
)
def test_which_end_a_divisor_moves(condition, old, new, kind):
    code = f"for (int w = 0; {condition}; w++)"
    start = code.rindex(old)
    node = SimpleNamespace(
        operator="", text=old, end=start + 1, code=code, line_before=code[:start]
    )
    assert which_end(node, new) == kind


def test_what_changes_places_is_asked_for_where_nobody_has_written():
    unset = "thread 6 of block 2 reads tile[6], which no thread of the block has written: does"
    found = told(Repairs((_edit(3, kinds.ORDER),), 7, True))
    assert found.adds(unset) and "swapped?" in found.sentence(beside=unset)
    assert not told(Repairs((_edit(3, kinds.END),), 7, True)).adds(unset)


def test_of_zeros_whose_result_is_infinite_no_other_formula_is_asked_for():
    zeros = "only inputs of 0 go wrong, whose result is infinite [special values]"
    found = told(Repairs((_edit(3, kinds.OPERATOR),), 7, True))
    assert kinds.OPERATOR.cause not in found.sentence(beside=zeros)
    assert kinds.OPERATOR.cause in found.sentence(beside="an element is wrong [n = 1]")


@pytest.mark.stress
def test_integers_that_are_compared_as_floats(tmp_path):
    file = tmp_path / "wrong.cu"
    file.write_text("""\
#include <cstdint>
__global__ void k(const int* a, const int* b, int* c, int64_t n) {
    const int64_t i = blockIdx.x * 256LL + threadIdx.x;
    if (i < n) c[i] = (int)fmaxf(a[i], b[i]);
}
extern "C" void launch(const int* a,  // [n]
                       const int* b,  // [n]
                       int* c,        // [n]
                       int64_t n, cudaStream_t stream = 0) {
    k<<<(n + 255) / 256, 256, 0, stream>>>(a, b, c, n);
}
""")

    def cases(launcher):
        for n in (9, 300):
            a = (1 << 28) + torch.arange(n, dtype=torch.int32)
            b = a.flip(0)
            right = torch.maximum(a, b).double()
            yield Case(f"n = {n}", (a, b), (right,), dtypes=(torch.int32,))

    found = find(jit.load(file).launchers["launch"], cases)
    assert [edit.new for edit in found.edits if edit.kind == kinds.FUNCTION] == [
        "max(a[i], b[i])"
    ]


def test_an_integer_that_holds_no_nan_is_asked_for():
    lost = "only NaN goes wrong: a NaN that goes in must come out"
    found = told(Repairs((_edit(3, kinds.FRACTION),), 7, True))
    assert found.adds(lost) and kinds.FRACTION.cause in found.sentence(beside=lost)
    assert not told(Repairs((_edit(3, kinds.END),), 7, True)).adds(lost)


def test_arrays_and_sizes_that_a_launch_hands_over_in_another_order(tmp_path):
    text = STRIDED.replace("out, int64_t n) {\n", "out, int64_t n, int64_t m) {\n")
    text = text.replace("(a, b, out, n);", "(b, a, out, n, n + 1);")
    of_launch = [x for x in _schema(text, tmp_path).edits if x.line == 20]
    assert [x.new for x in of_launch if x.kind == kinds.ORDER] == ["a"]  # out is no const array
    assert [x.new for x in of_launch if x.kind == kinds.SIZES] == ["n + 1"]


def test_a_launch_within_a_call_is_edited_as_any(tmp_path):
    launch = "choose<<<blocks < 40 ? blocks : 40, block_size, 0, stream>>>(b, a, out, n)"
    text = STRIDED.replace(launch.replace("(b, a,", "(a, b,"), f"done(({launch}, 0))")
    text = text.replace('extern "C"', 'static void done(int) {}\n\nextern "C"')
    swaps = [x.new for x in _schema(text, tmp_path).edits if x.kind == kinds.ORDER]
    assert "done((choose" in text and "a" in swaps


def test_the_size_of_a_block_may_stand_for_an_operators(tmp_path):
    text = STRIDED.replace("b[i]);", "b[i * blockDim.x / n]);")
    of_block = [x for x in _schema(text, tmp_path).edits if x.old == "blockDim.x"]
    assert any(x.new == "n" and x.kind == kinds.PITCH and not x.weak for x in of_block)


def test_every_edit_that_helps_stands_on_the_wrong_line(tmp_path):
    found = _search(_kernel(tmp_path, LIMIT))
    assert found.complete and found.cases > 50
    assert {edit.line for edit in found.edits} == {5}
    told = {edit.kind for edit in found.edits}
    assert kinds.CONSTANT in told and kinds.START not in told  # it has a name, and stays


def test_another_way_that_the_launch_chooses_goes_round_a_fault(tmp_path):
    kernel = _kernel(
        tmp_path,
        ("float* out, int64_t n) {", "float* out, int64_t n, bool quick) {"),
        ("out[i] = chosen", "out[i] = quick ? a[i] * 3 + b[i] * b[i] : chosen"),
        ("(a, b, out, n);", "(a, b, out, n, n > 0 && n >= block_size);"),
    )
    found = _search(kernel)
    of_launch = [edit.weak for edit in found.edits if edit.line == 20]
    assert of_launch and all(of_launch)
    assert list(told(found).lines) == [(12,)]  # where the fault is


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
    line, *others = line if isinstance(line, tuple) else (line,)
    return Edit(line, kind, "new", weak=weak, others=tuple(others))


@pytest.mark.parametrize(
    ("lines", "complete", "words"),
    [
        ((), True, ""),
        ((2,), False, ""),  # not every edit was tried
        ((1, 2, 3, 4), True, ""),  # too many to be of use
        ((2,), True, f"All 7 cases tried come out right after an edit of line 2 ({END})"),
        ((3, 1), True, f"line 1 ({END}), or of line 3 ({END})"),
        (((2, 5),), True, f"after an edit of lines 2 and 5 together ({END})"),
        (((9, 2, 5),), True, f"lines 2, 5 and 9 together ({END})"),
    ],
)
def test_sentence(lines, complete, words):
    answer = told(Repairs(tuple(map(_edit, lines)), 7, complete))
    assert (words in answer.sentence(False)) if words else answer is None


def test_one_line_is_named_where_most_edits_were_tried():
    assert list(told(Repairs((_edit(2),), 7, False, True)).lines) == [(2,)]
    assert told(Repairs((_edit(2), _edit(3)), 7, False, True)) is None


def test_one_more_or_less_is_named_last():
    edits = (_edit(1, kinds.ONE), _edit(1, kinds.COMPARISON))
    end = f"({kinds.COMPARISON.words} or {kinds.ONE.words})"
    assert told(Repairs(edits, 7, True)).sentence(False).endswith(end)


def test_a_cause_that_two_kinds_have_is_asked_once():
    edits = (_edit(1, kinds.COMPARISON), _edit(1, kinds.OPERATOR))
    words = f"{kinds.COMPARISON.words} or {kinds.OPERATOR.words}: {kinds.OPERATOR.cause})"
    assert told(Repairs(edits, 7, True)).sentence().endswith(words)
    assert told(Repairs(edits, 7, True)).agrees("the output is a copy of input 1")


def test_another_order_is_not_what_is_left_out():
    lost = "3 of 63 elements of x have no effect on any output: left out by a loop?"
    assert not told(Repairs((_edit(1, kinds.ORDER),), 7, True)).agrees(lost)
    assert told(Repairs((_edit(1, kinds.ORDER), _edit(1)), 7, True)).agrees(lost)


def test_an_element_at_the_edge_of_a_block_is_no_tail():
    tail = "the last element is wrong: is the tail of n % width done once, at the right place?"
    assert not told(Repairs((_edit(1, kinds.ELEMENT),), 7, True)).agrees(tail)
    assert told(Repairs((_edit(1, kinds.ELEMENT), _edit(1)), 7, True)).agrees(tail)


def test_what_is_said_of_places_is_doubted_beside_another_edit():
    moved, of_nan = (
        "each element is the right one of index i - 4",
        "the place of a NaN comes out",
    )
    constant = told(Repairs((_edit(1, kinds.CONSTANT), _edit(2, kinds.ONE)), 7, True))
    index = told(Repairs((_edit(1, kinds.ELEMENT),), 7, True))
    for claim in (moved, of_nan):
        assert constant.doubts(claim) and not index.doubts(claim)
    assert not constant.doubts("element 3 was never written")
    member = told(Repairs((_edit(1, kinds.MEMBER),), 7, True))
    assert not member.agrees("1 of 2 elements have no effect on any output: left out?")
    end = told(Repairs((_edit(1),), 7, True))
    assert not end.agrees("d[0] is counted for another column, 1: is its index right?")


@pytest.mark.parametrize(("right", "found"), [({2}, {2}), ({7}, {7}), ({2, 4}, {2, 4})])
def test_where_the_first_edits_of_a_line_fail_others_of_it_are_tried(monkeypatch, right, found):
    """An edit of the same kind may be right in the small cases only."""
    search = object.__new__(_Search)
    edits = [replace(_edit(4), new=f"{k}") for k in range(1, 9)]
    edits[1] = replace(edits[1], line=3)
    search.schema = SimpleNamespace(edits=edits)
    tried = []

    def confirmed(some):
        tried.extend(k for (k,) in some)
        return [edits[k - 1] for (k,) in some if k in right]

    monkeypatch.setattr(search, "_confirmed", confirmed)
    assert {int(edit.new) for edit in search._of_lines([1, 2, 4, 7])} == found
    assert len(tried) == len(set(tried))
    monkeypatch.setattr(search, "_confirmed", lambda some: None)
    assert search._of_lines([1, 2]) is None


def test_an_edit_that_may_go_round_the_fault_is_told_where_nothing_else_is_known():
    weak, strong = _edit(1, weak=True), _edit(2)
    assert list(told(Repairs((weak, strong), 7, True)).lines) == [(2,)]
    alone = told(Repairs((weak,), 7, True))
    assert alone.behind("448 of 1,024 elements are wrong") == alone
    assert alone.behind("is the formula another one?") is None
    assert alone.behind("element 3 was never written") == alone
    outside = "read from bias[1], but bias has 1 element: is the index tested against n?"
    assert alone.behind(outside) == alone
    assert alone.behind("it is right at the first call, and never at a later one") is None
    assert told(Repairs((weak,), 7, False, True)) is None
    elsewhere = replace(weak, start=9)
    assert told(Repairs((weak, elsewhere), 7, True)) is None


def test_the_first_wrong_case_may_be_far_behind(tmp_path):
    def cases(launcher):
        for k in range(200):
            a = torch.tensor([3.0, 2.0] if k < 150 else [-3.0, -2.0])
            right = (chosen(a, a.flip(0)).double(),)
            yield Case(f"{k}", (a, a.flip(0)), right, dtypes=(torch.float32,))

    wrong = _kernel(tmp_path, ("a - b > limit", "a > limit && a - b > limit"))
    found = find(wrong.launchers["launch"], cases)
    assert 6 in {edit.line for edit in found.edits}


@pytest.mark.parametrize(
    ("kind", "sentence", "words"),
    [
        (kinds.ZERO, "NaN came out, as by infinity / infinity, or 0 / 0?", "doubts"),
        (kinds.ADDS, "nothing was written: does the kernel store to its output?", "doubts"),
        (kinds.RANGE, "every element is -16344, a constant", "doubts"),
        (kinds.ORDER, "is the formula another one there?", "adds"),
    ],
)
def test_an_edit_that_says_more_than_what_is_asked(kind, sentence, words):
    where = told(Repairs((_edit(3, kind),), 7, True))
    other = told(Repairs((_edit(3, kinds.CONSTANT),), 7, True))
    assert getattr(where, words)(sentence) and not getattr(other, words)(sentence)


def test_what_a_rounded_argument_makes_is_seen():
    where = told(Repairs((_edit(3, kinds.OPERATOR),), 7, True))
    assert where.agrees("a = 2049 makes the same as a = 2048: is it held in a half?")
    assert not where.agrees("is it held in a half?")


@pytest.mark.stress
def test_a_test_that_should_not_be_there(tmp_path):
    """To add 0 is to do nothing, and no sum that lacks its last elements."""
    tested = "{ float h = half_byte(x[r * cols + c]); if (h > 5) h = 0.0f; y[r * cols + c] ="
    extra = "y[r * cols + c] = half_byte(x[r * cols + c]);", f"{tested} h; }}"
    file = tmp_path / "wrong.cu"
    file.write_text(TABLE.replace(*extra))
    found = find(jit.load(file).launchers["launch"], _table_cases)
    assert kinds.NO_TEST in {edit.kind for edit in found.edits}
    assert kinds.SUMS not in {edit.kind for edit in found.edits}


def test_without_a_barrier_the_order_of_threads_matters():
    where = told(Repairs((_edit(3, kinds.UNMET),), 7, True))
    assert "a race?" in where.sentence(beside="the last element is wrong")
    assert where.agrees("is there a barrier between the two?")


def test_what_is_seen_of_a_flag_asks_for_no_formula():
    where = told(Repairs((_edit(3, kinds.COMPARISON),), 7, True))
    assert where.agrees(
        'the result depends on the question "is it 1?" of input 2: what of others?'
    )


def test_beside_what_was_seen_no_formula_is_asked_for():
    where = told(Repairs((_edit(2, kinds.CONSTANT),), 7, True))
    asked = where.sentence(beside="element 2 is wrong [n = 3]")
    assert asked.endswith("line 2 (another number: is the formula another one there?)")
    seen = where.sentence(beside="w[1] is counted for another column, 2 [n = 3]")
    assert seen.endswith("line 2 (another number)")


def test_an_error_names_the_edit_on_its_line():
    text = "int a;\n/*1*/REPAIR(1) ? x :\n  y\n/*2*/REPAIR(2) ? z :\n/*0*/w"
    assert edits_on(text, [1]) == set()
    assert edits_on(text, [3, 4]) == {1, 2}
    assert edits_on(text, [5, 9]) == set()


def test_an_edit_must_make_some_larger_cases_right_too():
    sizes = [3, SMALL, *[SMALL + k for k in range(1, 7)], LARGEST, LARGEST + 1]
    zeros = torch.zeros(LARGEST + 1)
    cases = [Case(f"{n}", (zeros[:n],), (zeros[:n],)) for n in sizes]
    runs = _Search(None, lambda _: cases, None)._all()
    tried = [case.inputs[0].numel() for case, _ in runs]
    assert tried == [3, SMALL, SMALL + 1, SMALL + 3, SMALL + 5, SMALL, SMALL, SMALL]
    assert [how.poison for _, how in runs[5:]] == [ZEROS, LARGEST_NUMBER, SMALLEST]


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


QUIET = """\
#include <cuda_runtime.h>
#include <cstdint>

__device__ unsigned quiet(unsigned bits) {
    if ((bits & 0x7fffffffu) > 0x7f800000u) return bits | 0x400000u;
    return bits;
}

__global__ void quieted(const float* x, float* out, int64_t n) {
    const int64_t i = blockIdx.x * int64_t{blockDim.x} + threadIdx.x;
    if (i < n) out[i] = __uint_as_float(quiet(__float_as_uint(x[i])));
}

extern "C" void launch(const float* x, float* out, int64_t n, cudaStream_t stream) {
    quieted<<<(n + 63) / 64, 64, 0, stream>>>(x, out, n);
}
"""


@pytest.mark.stress
def test_a_condition_on_the_bits_of_a_number_is_no_end(tmp_path):
    def cases(launcher):
        for n in (1, 3, 70):
            x = torch.tensor([2.0, math.inf, -3.0]).repeat(n)[:n]
            yield Case(f"n = {n}", (x,), (x,), dtypes=(torch.float32,))

    old, new = "> 0x7f800000u", ">= 0x7f800000u"
    found = _kinds_on_its_line(tmp_path, QUIET, cases, old, new)
    assert found and kinds.END not in found


NEAR = """\
#include <cuda_runtime.h>
#include <cstdint>

__device__ bool near(float a, float b) {
    if (isnan(a) && isnan(b)) return true;
    return a == b || fabsf(a - b) < 0.5f;
}

__global__ void compare(const float* x, const float* y, bool* out, int64_t n) {
    const int64_t i = blockIdx.x * int64_t{blockDim.x} + threadIdx.x;
    if (i < n) out[i] = near(x[i], y[i]);
}

extern "C" void launch(const float* x, const float* y, bool* out, int64_t n,
                       cudaStream_t stream) {
    compare<<<(n + 63) / 64, 64, 0, stream>>>(x, y, out, n);
}
"""


@pytest.mark.stress
def test_a_condition_on_floats_is_no_end(tmp_path):
    def cases(launcher):
        for n in (1, 4, 70):
            x = torch.tensor([2.0, math.nan, 7.0, math.nan]).repeat(n)[:n]
            y = torch.tensor([2.25, math.nan, math.nan, 1.0]).repeat(n)[:n]
            right = torch.tensor([1.0, 1.0, 0.0, 0.0]).repeat(n)[:n]
            yield Case(f"n = {n}", (x, y), (right,), dtypes=(torch.bool,))

    found = _kinds_on_its_line(
        tmp_path, NEAR, cases, "isnan(a) && isnan(b)", "isnan(a) || isnan(b)"
    )
    assert found and kinds.END not in found


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
        ("c += 64", "c -= 64", kinds.OPERATOR),
        ("weight[row * cols + c]", "weight[c]", kinds.ELEMENT),
        ("weight[row * cols + c]", "weight[c * rows + row]", kinds.ELEMENT),
        ("half > 0", "half > 1", kinds.END),
        ("part[0] / cols", "part[0]", kinds.PART),
        ("part[0] / cols", "part[0] * (1 / cols)", kinds.DIVISION),
        ("int half = 32", "int half = 16", kinds.END),
        ("float sum = 0.0f", "float sum = 1.0f", kinds.START),
        ("if (threadIdx.x < half) part", "part", kinds.CONDITION),
    ],
)
def test_kinds_of_edits_in_rows(old, new, kind, tmp_path):
    assert kind in _kinds_on_its_line(tmp_path, ROWS, _row_cases, old, new)


@pytest.mark.stress
@pytest.mark.parametrize(
    ("new", "kind"),
    [
        ("w = 0; w < 64", kinds.LATER),
        ("w = 2; w < 64", kinds.EARLIER),
        ("w = 1; w < 63", kinds.FARTHER),
    ],
)
def test_which_way_an_end_moves(new, kind, tmp_path):
    text = ROWS.replace("for (int half = 32; half > 0; half /= 2) {", "if (threadIdx.x == 0)")
    text = text.replace(
        "        if (threadIdx.x < half) part[threadIdx.x] += part[threadIdx.x + half];\n"
        "        __syncthreads();\n    }\n",
        "        for (int w = 1; w < 64; ++w) part[0] += part[w];\n",
    )
    old = "w = 1; w < 64"
    assert text.count(old) == 1
    file = tmp_path / "wrong.cu"
    file.write_text(text.replace(old, new))
    found = find(jit.load(file).launchers["launch"], _row_cases)
    assert kind in {edit.shown for edit in found.edits if edit.kind == kinds.END}


@pytest.mark.stress
@pytest.mark.parametrize(
    ("old", "new", "kind"),
    [
        ("c += 64", "c += 32", kinds.LONGER),
        ("c += 64", "c += 128", kinds.SHORTER),
        ("int half = 32", "int half = 16", kinds.FARTHER),
    ],
)
def test_which_way_a_step_and_the_start_of_a_tree_move(old, new, kind, tmp_path):
    file = tmp_path / "wrong.cu"
    file.write_text(ROWS.replace(old, new))
    found = find(jit.load(file).launchers["launch"], _row_cases)
    assert kind in {edit.shown for edit in found.edits}


TABLE = """\
#include <cuda_runtime.h>
#include <cstdint>

__device__ float half_byte(uint8_t b) { return (b >> 4) * 0.5f; }

__global__ void halves(const uint8_t* x, float* y, int rows, int cols) {
    const int r = blockIdx.y * blockDim.y + threadIdx.y;
    const int c = blockIdx.x * blockDim.x + threadIdx.x;
    if (r < rows && c < cols) y[r * cols + c] = half_byte(x[r * cols + c]);
}

extern "C" void launch(const uint8_t* x,  // [rows, cols]
                       float* y,          // [rows, cols]
                       int rows, int cols, cudaStream_t stream = 0) {
    halves<<<dim3((cols + 7) / 8, (rows + 7) / 8), dim3(8, 8), 0, stream>>>(x, y, rows, cols);
}
"""


def _table_cases(launcher):
    for rows, cols in ((1, 1), (3, 17), (40, 5), (9, 64)):
        x = (torch.arange(rows * cols) * 41 % 256).to(torch.uint8).reshape(rows, cols)
        right = ((x >> 4) * 0.5).double()
        yield Case(f"{rows} x {cols}", (x,), (right,), dtypes=(torch.float32,))


@pytest.mark.stress
@pytest.mark.parametrize(
    ("old", "new", "kind", "line"),
    [
        ("r < rows && c < cols", "r < cols && c < rows", kinds.SIZES, 9),
        ("half_byte(uint8_t b)", "half_byte(int8_t b)", kinds.RANGE, 4),
    ],
)
def test_sizes_that_changed_places_and_bytes_with_the_other_sign(
    old, new, kind, line, tmp_path
):
    file = tmp_path / "wrong.cu"
    file.write_text(TABLE.replace(old, new))
    found = find(jit.load(file).launchers["launch"], _table_cases)
    assert (kind, line) in {(edit.kind, edit.line) for edit in found.edits}


@pytest.mark.stress
@pytest.mark.parametrize("narrow", ["uint8_t", "unsigned short"])
def test_an_index_that_is_too_narrow(narrow, tmp_path):
    stored = f"{{ {narrow} to = r * cols + c; y[to] ="
    text = TABLE.replace("y[r * cols + c] =", stored).replace("+ c]);", "+ c]); }")
    file = tmp_path / "wrong.cu"
    file.write_text(text)

    def cases(launcher):
        x = (torch.arange(400 * 200) * 41 % 256).to(torch.uint8).reshape(400, 200)
        yield Case("long", (x,), (((x >> 4) * 0.5).double(),), dtypes=(torch.float32,))

    where = told(find(jit.load(file).launchers["launch"], cases))
    assert "a wider type: is this one too narrow for an index?" in where.sentence()


@pytest.mark.stress
def test_sizes_of_a_grid_that_is_declared(tmp_path):
    """`dim3 grid(a, b)` is no call: its sizes are edited, and swapped."""
    declared = "dim3 const grid((cols + 7) / 8, (rows + 7) / 8), block{8, 8};\n    "
    text = TABLE.replace("    halves<<<", f"    {declared}halves<<<")
    text = text.replace("<<<dim3((cols + 7) / 8, (rows + 7) / 8), dim3(8, 8)", "<<<grid, block")
    swapped = text.replace("grid((cols + 7) / 8, (rows", "grid((rows + 7) / 8, (cols")
    rounded = text.replace("grid((cols + 7) / 8", "grid(cols / 8")
    assert len({text, swapped, rounded}) == 3
    for wrong, kind in ((swapped, kinds.SIZES), (rounded, kinds.ROUND_UP)):
        file = tmp_path / f"{kind.words.split()[0]}.cu"
        file.write_text(wrong)
        found = find(jit.load(file).launchers["launch"], _table_cases)
        assert (kind, 15) in {(edit.kind, edit.line) for edit in found.edits}


WELFORD = """\
#include <cuda_runtime.h>

__global__ void spread(const float* x, float* y, int n) {
    float mean = 0.0f, sum = 0.0f;
    for (int i = 0; i < n; ++i) {
        const float off = x[i] - mean;
        mean += off / (i + 1);
        sum += off * (x[i] - mean);
    }
    for (int i = threadIdx.x; i < n; i += 32) y[i] = sum + x[(i + 1 + 2) % n];
}

extern "C" void launch(const float* x,  // [n]
                       float* y,        // [n]
                       int n, cudaStream_t stream = 0) {
    spread<<<1, 32, 0, stream>>>(x, y, n);
}
"""


def _spread_cases(launcher):
    for n in (1, 2, 4, 17, 50):
        x = (torch.arange(n) * 29 % 23).float()
        right = x.var(unbiased=False).double() * n + x.roll(-3)
        yield Case(f"n = {n}", (x,), (right,), ulp=64, dtypes=(torch.float32,))


@pytest.mark.stress
@pytest.mark.parametrize(
    ("old", "new", "kind"),
    [
        ("off * (x[i] - mean)", "off * off", kinds.ANEW),
        ("(i + 1 + 2) % n", "(i - 1 - 2 + n * 3) % n", kinds.ELEMENT),
    ],
)
def test_what_is_computed_anew_and_steps_the_other_way(old, new, kind, tmp_path):
    assert kind in _kinds_on_its_line(tmp_path, WELFORD, _spread_cases, old, new)


SCAN = """\
#include <cuda_runtime.h>
#include <cstdint>

struct Line { float factor, plus; };

__device__ Line then(Line a, Line b) {
    return {a.factor * b.factor, a.plus * b.factor + b.plus};
}

__global__ void scan(const float* x, float* y, int n) {
    const int lane = threadIdx.x;
    int first = 0, second = 0, third = 0, i = lane;
    Line line = i < n ? Line{0.5f, x[i]} : Line{1.0f, 0.0f};
    for (int k = 1; k < 32; k *= 2) {
        const float factor = __shfl_up_sync(~0u, line.factor, k);
        const Line before{factor, __shfl_up_sync(~0u, line.plus, k)};
        if (lane >= k) line = then(before, line);
    }
    if (i < n) y[i] = line.plus + first + second + third;
}

extern "C" void launch(const float* x,  // [n]
                       float* y,        // [n]
                       int n, cudaStream_t stream = 0) {
    scan<<<1, 32, 0, stream>>>(x, y, n);
}
"""


def _scan_cases(launcher):
    for n in (1, 2, 5, 17, 31, 32):
        x, state, made = torch.arange(1.0, n + 1), 0.0, []
        for value in x.tolist():
            state = state / 2 + value
            made.append(state)
        right = torch.tensor(made, dtype=torch.float64)
        yield Case(f"n = {n}", (x,), (right,), dtypes=(torch.float32,))


@pytest.mark.stress
def test_what_only_some_lanes_may_do(tmp_path):
    file = tmp_path / "wrong.cu"
    file.write_text(SCAN.replace("if (lane >= k) line", "line"))
    found = find(jit.load(file).launchers["launch"], _scan_cases)
    assert (kinds.LANES, 17) in {(edit.kind, edit.line) for edit in found.edits}


SCALED = """\
#include <cuda_runtime.h>

__global__ void scaled(const float* x, const float* by, float* y, int n) {
    const int pack = threadIdx.x;
    if (pack >= n / 4) return;
    float4 four = reinterpret_cast<const float4*>(x)[pack];
    const float factor = by[4 * pack / 16];
    four.x *= factor, four.y *= factor, four.z *= factor, four.w *= factor;
    reinterpret_cast<float4*>(y)[pack] = four;
}

extern "C" void launch(const float* x,   // [n] 16-byte aligned
                       const float* by,  // [groups]
                       float* y,         // [n] 16-byte aligned
                       int n, int groups, cudaStream_t stream = 0) {
    scaled<<<1, 128, 0, stream>>>(x, by, y, n);
}
"""


def _scaled_cases(launcher):
    for n in (4, 16, 20, 64, 100):
        x, by = torch.arange(n) - 9.0, 1 + torch.arange((n + 15) // 16) * 0.5
        right = (x * by.repeat_interleave(16)[:n]).double()
        yield Case(f"n = {n}", (x, by), (right,), dtypes=(torch.float32,))


@pytest.mark.stress
def test_the_number_of_a_pack_in_the_place_of_that_of_an_element(tmp_path):
    found = _kinds_on_its_line(tmp_path, SCALED, _scaled_cases, "by[4 * pack", "by[pack")
    assert kinds.ELEMENT in found


def test_a_place_that_is_kept_in_an_array_beside_its_number(tmp_path):
    text = """
__global__ void least(const float* x, int* out, int n) {
    float best[2]; int at[2];
    best[0] = x[0]; at[0] = 0;
    for (int c = 1; c < n; ++c)
        if (x[c] < best[0]) { best[0] = x[c]; at[0] = c; }
    *out = at[0];
}
extern "C" void launch(const float* x,  // [n]
                       int* out,        // [1]
                       int n, cudaStream_t stream = 0) {
    least<<<1, 1, 0, stream>>>(x, out, n);
}
"""
    edits = _schema("#include <cuda_runtime.h>\n" + text, tmp_path).edits
    shown = {edit.kind for edit in edits if edit.new == "(x[c]) <= (best[0])"}
    assert shown == {kinds.OTHER_TIE}


BEST = """\
#include <cuda_runtime.h>
#include <cstdint>
#define NONE (-(1ll << 40))

__global__ void steepest(const int* x, int64_t* best, int rows, int cols) {
    const int row = threadIdx.x;
    if (row >= rows) return;
    int64_t most = NONE, sum = 0;
    for (int c = 0; c + 1 < cols; ++c)
        most = max(most, (int64_t)x[row * cols + c + 1] - x[row * cols + c]);
    for (int c = 0; c < cols; ++c) sum += c % 2 == 0 ? x[row * cols + c] : -x[row * cols + c];
    best[row] = most + sum;
}

extern "C" void launch(const int* x,   // [rows, cols]
                       int64_t* best,  // [rows, 1]
                       int rows, int cols, cudaStream_t stream = 0) {
    steepest<<<1, 64, 0, stream>>>(x, best, rows, cols);
}
"""


def _best_cases(launcher):
    for rows, cols in ((1, 1), (3, 2), (5, 17), (9, 4)):
        x = (torch.arange(rows * cols) * -41 % 97).int().reshape(rows, cols)
        steps = [x.double().diff(dim=1), torch.full((rows, 1), -(2.0**40))]
        sign = 1 - 2 * (torch.arange(cols) % 2)
        right = torch.cat(steps, 1).amax(1) + (x.double() * sign).sum(1)
        yield Case(f"{rows} x {cols}", (x,), (right[:, None],), dtypes=(torch.int64,))


@pytest.mark.stress
@pytest.mark.parametrize(
    ("old", "new", "kind"),
    [
        ("most = NONE", "most = 0", kinds.START),
        ("c % 2 == 0 ?", "(row * cols + c) % 2 == 0 ?", kinds.TERM),
    ],
)
def test_a_constant_of_the_file_and_a_condition_that_is_no_end(old, new, kind, tmp_path):
    found = _kinds_on_its_line(tmp_path, BEST, _best_cases, old, new)
    assert kind in found and kinds.END not in found


HEADS = """\
#include <cuda_runtime.h>
#include <cstdint>

__global__ void doubled(const float* x, float* y, int64_t rows, int64_t cols) {
    const int64_t row = blockIdx.x, head = blockIdx.y;
    const float* from = x + (head * rows + row) * cols;
    float* to = y + (head * rows + row) * cols;
    for (int64_t c = threadIdx.x; c < cols; c += 32) to[c] = 2 * from[c];
}

extern "C" void launch(const float* x,  // [heads, rows, cols]
                       float* y,        // [heads, rows, cols]
                       int64_t heads, int64_t rows, int64_t cols, cudaStream_t stream = 0) {
    doubled<<<dim3(rows, heads), 32, 0, stream>>>(x, y, rows, cols);
}
"""


def _head_cases(launcher):
    for shape in ((1, 2, 3), (3, 5, 40), (4, 7, 9)):
        x = torch.randn(shape, generator=torch.Generator().manual_seed(0))
        yield Case(f"{shape}", (x,), (2 * x.double(),), dtypes=(torch.float32,))


@pytest.mark.stress
def test_a_batch_that_the_index_of_a_row_lacks(tmp_path):
    old = "x + (head * rows + row) * cols"
    found = _kinds_on_its_line(tmp_path, HEADS, _head_cases, old, "x + row * cols")
    assert kinds.ELEMENT in found


def test_a_size_that_is_taken_for_another(tmp_path):
    found = _kinds_on_its_line(tmp_path, HEADS, _head_cases, "(x, y, rows, ", "(x, y, cols, ")
    assert kinds.SIDE in found


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


BRANCH = """\
#include <cuda_runtime.h>
#include <cstdint>

__global__ void scaled(const float* x, float* out, int64_t n) {
    int64_t i = blockIdx.x * int64_t{blockDim.x} + threadIdx.x;
    float by = 0.5f;
    if (i < n && x[i] > 4.0f) {
        by = 0.25f;
    }
    if (i < n) out[i] = by * x[i];
}

extern "C" void launch(const float* x,  // [n]
                       float* out,      // [n]
                       int64_t n, cudaStream_t stream = 0) {
    float* more;
    cudaMallocAsync(&more, 64, stream);
    scaled<<<(n + 255) / 256, 256, 0, stream>>>(x, out, n);
    cudaFreeAsync(more, stream);
}
"""


def _parsed(text, tmp_path):
    file = tmp_path / "all.cu"
    file.write_text(text)
    files = sources.read_sources(file)
    _, tree = front_end.examine(file, files, compiling.compiler(), precompiled_headers())
    return tree, text


def _schema(text, tmp_path):
    return Schema(*_parsed(text, tmp_path), "launch", set())


def test_the_usual_run_asks_once_for_an_expression(tmp_path):
    """So a run in which nothing is chosen there takes as long as one without edits."""
    schema = _schema(STRIDED, tmp_path)
    last = schema.text.index("out[i] = chosen(a[i], b[i])")
    text = schema.text[: schema.text.index("}", last)]
    assert text.count("REPAIR_WITHIN") > 1
    k = next(k for k, e in enumerate(schema.edits, 1) if e.old == "a[i]")
    first = schema.wholes[k]
    assert schema.edits[first - 1].line == schema.edits[k - 1].line
    assert f"(REPAIR_WITHIN({first}) ? (" in schema.text
    without = {MOST_EDITS + number for number in schema.wholes.values()}
    again = Schema(*_parsed(STRIDED, tmp_path), "launch", without)
    assert again.text.count("REPAIR_WITHIN") == 1  # where it is defined


TURNED = """\
#include <cuda_runtime.h>

__global__ void mixed(const float* x, float* out, int n) {
    int i = threadIdx.x;
    if (i >= n) return;
    float a = x[i];
    a = a * 3.0f;
    a = a + 1.0f;
    out[i] = a;
}

extern "C" void launch(const float* x,  // [n]
                       float* out,      // [n]
                       int n, cudaStream_t stream = 0) {
    mixed<<<1, 64, 0, stream>>>(x, out, n);
}
"""


def test_sides_of_two_lines_change_places_in_another_order_of_the_formula(tmp_path):
    """The second line goes on with what the first one makes; else operands are swapped."""
    for second, kind in (("b = a + 1.0f", kinds.LINES), ("b = y + 1.0f", kinds.ORDER)):
        body = f"float y = x[i], a = 0, b = 0; a = y * 3.0f; {second}; out[i] = a - b;"
        lines = "float a = x[i];\n    a = a * 3.0f;\n    a = a + 1.0f;\n    out[i] = a;"
        assert lines in TURNED
        schema = Schema(*_parsed(TURNED.replace(lines, body), tmp_path), "launch", set())
        of_both = [edit for edit in schema.edits if "a = " in edit.new and "b = " in edit.new]
        assert (kinds.ORDER in {edit.kind for edit in of_both}) is (kind is kinds.ORDER)
        assert kinds.LINES in {edit.kind for edit in of_both}


def test_lines_that_change_places_are_done_once(tmp_path):
    """3 (x + 1) is right: not what the second line makes, and both."""
    file = tmp_path / "turned.cu"
    file.write_text(TURNED)
    launcher = jit.load(file).launch
    x = torch.arange(20.0)
    right = 3.0 * (x + 1.0)
    found = find(launcher, lambda launcher: _only(x, right))
    assert kinds.LINES in {edit.kind for edit in found.edits}


def _only(x, right):
    for n in (1, 5, 12, 20):
        words = f"n = {n}"
        yield Case(words, (x[:n],), (right[:n],), dtypes=(torch.float32,))


def test_a_division_by_one_less_is_another_formula():
    sentence = "NaN came out of rows of one element each: is 0 divided by 0?"
    assert told(Repairs((_edit(3, kinds.CONSTANT),), 7, True)).adds(sentence)
    assert not told(Repairs((_edit(3, kinds.ZERO),), 7, True)).adds(sentence)


def test_a_key_made_of_numbers_is_a_start(tmp_path):
    """As keyOf(0.0f, 0), with which a search for the largest key begins."""
    text = BRANCH.replace("float by = 0.5f;", "float by = fmaxf(0.5f, 0.25f);")
    edits = _schema(text, tmp_path).edits
    assert kinds.START in {e.kind for e in edits if e.line == 6}
    several = BRANCH.replace("float by = 0.5f;", "float all[2] = {0.5f, 0.25f}, by = all[0];")
    edits = _schema(several, tmp_path).edits
    assert kinds.START in {e.kind for e in edits if e.line == 6}


def test_a_number_set_in_a_branch_is_no_start(tmp_path):
    edits = _schema(BRANCH, tmp_path).edits
    of_line = {line: {e.kind for e in edits if e.line == line} for line in (6, 8)}
    assert kinds.START in of_line[6]
    assert kinds.START not in of_line[8] and kinds.CONSTANT in of_line[8]


LIMITED = """\
#include <cuda_runtime.h>

__global__ void limited(const float* x, float* out, int n) {
    int i = threadIdx.x;
    float most = fmaxf(0.5f, i < n ? x[i] : -9.0f);
    if (i < n) out[i] = most + fminf(x[i], 7.0f);
}

extern "C" void launch(const float* x,  // [n]
                       float* out,      // [n]
                       int n, cudaStream_t stream = 0) {
    limited<<<1, 64, 0, stream>>>(x, out, n);
}
"""


def test_a_limit_of_a_number_is_no_start_value(tmp_path):
    """But what stands for a number that is not there may be one."""
    edits = _schema(LIMITED, tmp_path).edits
    of_line = {line: {e.kind for e in edits if e.line == line} for line in (5, 6)}
    assert kinds.NOTHING in of_line[5]
    assert kinds.NOTHING not in of_line[6] and kinds.CONSTANT in of_line[6]


def test_memory_is_always_taken(tmp_path):
    """Without it a pointer leads anywhere, and a store there harms the process."""
    needless = [e.line for e in _schema(BRANCH, tmp_path).edits if e.kind == kinds.NEEDLESS]
    assert needless == [18, 19]  # the launch, and cudaFreeAsync


def test_what_is_asked_stays_beside_a_line_that_shows_the_same():
    where = told(Repairs((_edit(3, kinds.START),), 7, True))
    assert where.agrees("0 comes out: does the search start with it?")
    assert where.agrees("29 of 67 elements of x have no effect on any output: left out?")
    assert where.agrees("memory just outside of y was overwritten: does it test its index?")
    assert not where.agrees("right to only 8 of 24 bits: is it rounded on the way?")
    assert "elements left out" in told(Repairs((_edit(3),), 7, True)).sentence()
    assert "elements left out" not in told(Repairs((_edit(3),), 7, True)).sentence(False)


def test_another_number_of_threads_goes_round_digits_that_are_lost():
    lost = "right to only 14 of 24 bits: is it computed in a narrower precision on the way?"
    where = told(Repairs((_edit(3, kinds.LAUNCH),), 7, True))
    assert where.goes_round(lost) and not where.goes_round("the tail is wrong")
    assert where.goes_round("does what a block holds go on from one of its rows to the next?")
    shorter = told(Repairs((_edit(3, kinds.SHORTER),), 7, True))
    assert shorter.goes_round("are the number and its place handed on in one step?")
    assert not shorter.goes_round("29 of 67 elements have no effect: left out by a loop?")
    assert shorter.behind("nothing orders the two: a race") is None
    assert kinds.in_place(kinds.CONDITION, kinds.SIZE) == kinds.LAUNCH
    beside = told(Repairs((_edit(3, kinds.LAUNCH), _edit(9, kinds.DIGITS)), 7, True))
    assert not beside.goes_round(lost)


def test_another_number_of_packs_goes_round_a_fault(tmp_path):
    """As an argument of a launch, too, with none of them others do the work."""
    text = STRIDED.replace("(a, b, out, n);", "(a, b, out, n > 4 ? n / 1 : n);")
    edits = _schema(text, tmp_path).edits
    assert edits and all(x.weak for x in edits if x.old in ("n / 1", "n > 4 ? n / 1 : n"))


def test_another_index_is_said_beside_elements_without_an_effect():
    none = "20 of 72 elements of x have no effect on any output: left out by a loop?"
    other = told(Repairs((_edit(3, kinds.ELEMENT),), 7, True))
    assert other.adds(none) and other.agrees(none) and not other.adds("20 are left out")
    assert "another element?" in other.sentence()
    ends = told(Repairs((_edit(3, kinds.ELEMENT), _edit(4, kinds.END)), 7, True))
    assert not ends.adds(none)


def test_swapped_sizes_are_asked_for_beside_blocks_that_are_missing():
    sentence = "1 of 9 elements was never written: have some blocks nothing to do?"
    assert told(Repairs((_edit(3, kinds.SIZES),), 7, True)).adds(sentence)
    assert not told(Repairs((_edit(3, kinds.LAUNCH),), 7, True)).adds(sentence)


def test_a_launch_of_another_size_goes_round_a_race():
    race = "right only while the threads run in order: two touch the same element (a race)"
    alone = told(Repairs((_edit(3, kinds.LAUNCH),), 7, True))
    assert alone.behind(race) is None and alone.behind("the tail is wrong") is alone
    beside = told(Repairs((_edit(3, kinds.LAUNCH), _edit(9, kinds.BARRIER)), 7, True))
    assert list(beside.behind(race).lines) == [(9,)] and beside.behind(race).cases == 7
    squares = "it fits if x * x is taken of what elements 64 apart add up to"
    assert alone.goes_round(squares)


AT_INDEX = "of each wrong element, input 2 is read at index i - 1, not at i"
OF_ZERO = "only the sign of zero goes wrong: -0.0 must stay -0.0"
OF_NAN = "only NaN goes wrong: fmaxf, fminf and comparisons drop it"


@pytest.mark.parametrize(
    ("sentence", "kind", "asks"),
    [
        (AT_INDEX, kinds.MEMBER, True),
        (AT_INDEX, kinds.ELEMENT, True),
        (AT_INDEX, kinds.END, False),
        (f"{AT_INDEX} [n = 33; first: out[0] is 1, not 2]", kinds.END, False),
        (AT_INDEX, kinds.VARIABLE, False),
        ("only the first 9 elements of v count, the others are left out", kinds.TERM, False),
        (OF_ZERO, kinds.CONSTANT, False),  # though it speaks of a sign
        ("the results are rounded toward zero", kinds.FUNCTION, False),
        ("only halves go wrong: a tie must be rounded to even", kinds.ROUNDING, True),
        ("right only while the threads run in order: a race", kinds.GUARD, False),
        ("wrong only on another stream than the default one", kinds.VARIABLE, False),
        (OF_NAN, kinds.TERM, False),
        (OF_NAN, kinds.NAN, True),
        ("only NaN and infinity go wrong", kinds.END, True),  # what is left out may be one
        ("NaN came out of infinite inputs, where the result is no NaN", kinds.CONSTANT, False),
        ("NaN came out where none went in", kinds.CONSTANT, True),
        ("only elements go wrong whose input is positive", kinds.DIGITS, True),
        (f"{AT_INDEX}: is it?", kinds.VARIABLE, True),  # asked, so that edits may tell more
    ],
)
def test_no_other_cause_is_asked_for_behind_one_that_was_seen(sentence, kind, asks):
    told_of = told(Repairs((_edit(3, kind),), 7, True)).sentence(beside=sentence)
    assert kind.words in told_of and (kind.cause in told_of) is asks


def test_another_way_through_the_launch_is_left_out_behind_wrong_values():
    alone = told(Repairs((_edit(3, kinds.LAUNCH),), 7, True))
    beside = told(Repairs((_edit(3, kinds.LAUNCH), _edit(9, kinds.MEMBER)), 7, True))
    saturated = "wrong only for results below 0 and above 1, each of which comes out as that"
    swapped = "right if the inputs x and y change places: are they swapped?"
    minus = "this is the result with -1 times input 2 in the place of input 2"
    of_one = "only what should be 255 goes wrong"
    other = "each wrong element is what another element should be, that of index 4 * i"
    again = "just what a block does as its second row is wrong"
    for sentence in (AT_INDEX, OF_ZERO, saturated, swapped, minus, of_one, other, again):
        assert alone.behind(sentence) is None
        assert list(beside.behind(sentence).lines) == [(9,)]
    assert alone.behind("nothing is written from index 312 on") is alone


def test_a_larger_launch_goes_round_what_is_left_from_the_last_round_of_a_loop():
    right_below = "all is right below index 12: do blocks depend on those before them?"
    both = told(Repairs((_edit(3, kinds.RESET), _edit(9, kinds.LAUNCH)), 7, True))
    assert both.agrees(right_below) and not both.behind(right_below).agrees(right_below)
    assert list(both.behind(right_below).lines) == [(3,)]


def test_the_formula_is_not_asked_for_beside_a_division_that_must_be_rounded_up():
    both = told(Repairs((_edit(3, kinds.ROUND_UP), _edit(9, kinds.VARIABLE)), 7, True))
    assert "rounded up?" in both.sentence() and "formula" not in both.sentence()


def test_another_stream_is_no_size_of_a_launch(tmp_path):
    made = "static cudaStream_t own;\n    if (!own) cudaStreamCreate(&own);\n    choose<<<"
    found = _search(_kernel(tmp_path, ("choose<<<", made), ("0, stream>>>", "0, own>>>")))
    assert {edit.kind for edit in found.edits if edit.line == 22} == {kinds.VARIABLE}


@pytest.mark.stress
def test_a_line_replaces_what_was_asked(tmp_path, monkeypatch):
    monkeypatch.setenv("ELEMENTWISE_FIND_LINE", "1")
    changes = "const float limit = 0.0f", "float limit = 0.3f"
    message = check.verdict(_kernel(tmp_path, changes), chosen).message
    assert "an edit of line 5 (another number to start with" in message
    assert "?" not in message.partition("[")[0]


# ---- edits that are made together


def _edits(*places):
    return [
        Edit(line, kind, new, old, start=10 * k)
        for k, (line, kind, old, new) in enumerate(places)
    ]


def test_the_same_edit_at_several_places_is_tried():
    edits = _edits(
        (1, kinds.OPERATOR, "a.x - b.x", "a.x + b.x"),
        (2, kinds.OPERATOR, "a.y - b.y", "a.y + b.y"),
        (3, kinds.OPERATOR, "a - b", "a + b"),
        (4, kinds.ELEMENT, "threadIdx.x", "i"),
        (6, kinds.ELEMENT, "threadIdx.x", "i"),
    )
    assert groups(edits, [1, 2, 3, 4, 5], []) == [(1, 2), (4, 5)]
    assert groups(edits, [1, 2, 3, 4, 5], [4])[0] == (4, 5)  # of those that mend a part, first
    assert groups(edits, [1, 3, 4], []) == []  # the others do not compile


def test_pairs_of_a_kind_of_which_one_mends_a_part():
    edits = _edits(
        (1, kinds.START, "0", "INT_MAX"),
        (1, kinds.START, "0", "INT_MIN"),
        (2, kinds.START, "0", "1"),
        (9, kinds.START, "0", "2"),
        (1, kinds.END, "n", "n + 1"),
    )
    assert groups(edits, range(1, 6), [1]) == [(1, 2), (1, 3)]
    assert (1, 4) in groups(edits, range(1, 6), [1, 4])
    assert groups(edits, range(1, 6), [5]) == []


def test_joined_edits_have_the_lines_of_all():
    edits = _edits((4, kinds.END, "n", "m"), (2, kinds.END, "n", "m"), (4, kinds.END, "n", "m"))
    assert joined(edits, (1, 2, 3)).lines == (2, 4)
    assert joined(edits, (1,)).lines == (4,)


BOTH = """\
#include <climits>
#include <cuda_runtime.h>
#include <cstdint>

__global__ void both(const int* v, int* lo, int* hi, int64_t n) {
    int low = INT_MAX;
    int high = INT_MIN;
    for (int64_t i = threadIdx.x; i < n; i += 32) {
        low = min(low, v[i]);
        high = max(high, v[i]);
    }
    low = __reduce_min_sync(~0u, low);
    high = __reduce_max_sync(~0u, high);
    if (threadIdx.x == 0) {
        *lo = low;
        *hi = high;
    }
}

extern "C" void launch(const int* v,  // [n]
                       int* lo,       // [1]
                       int* hi,       // [1]
                       int64_t n, cudaStream_t stream = 0) {
    both<<<1, 32, 0, stream>>>(v, lo, hi, n);
}
"""


def _both_cases(launcher):
    for n in (1, 5, 100):
        for low, high in ((-50, 50), (3, 50), (-50, -3)):
            v = torch.arange(n).int() * 7 % (high - low) + low
            right = tuple(x.double().reshape(1) for x in (v.min(), v.max()))
            yield Case(f"{n}", (v,), right, dtypes=(torch.int32, torch.int32))


@pytest.mark.stress
def test_two_start_values_of_two_outputs(tmp_path):
    file = tmp_path / "both.cu"
    file.write_text(BOTH.replace("low = INT_MAX", "low = 0").replace("= INT_MIN", "= 0"))
    found = find(jit.load(file).launchers["launch"], _both_cases)
    assert {(edit.lines, edit.kind) for edit in found.edits} == {((6, 7), kinds.START)}


TICKETS = """\
#include <cuda_runtime.h>
#include <cstdint>
#include <vector>

namespace counting {
__device__ int total;
__device__ unsigned tickets;
static int calls[2];
static std::vector<int> sizes;

__global__ void positive(const float* x, int* out, int64_t n) {
    int count = 0;
    for (int i = blockIdx.x * 32 + threadIdx.x; i < n; i += gridDim.x * 32) count += x[i] > 0;
    for (int d = 16; d > 0; d /= 2) count += __shfl_down_sync(~0u, count, d);
    if (threadIdx.x == 0) {
        atomicAdd(&total, count);
        __threadfence();
        if (atomicAdd(&tickets, 1) == gridDim.x - 1) {
            *out = atomicExch(&total, 0);
            tickets = 0;
        }
    }
}
}  // namespace counting

extern "C" void launch(const float* x,  // [n]
                       int* out,        // [1]
                       int64_t n, cudaStream_t stream = 0) {
    counting::calls[1]++;
    counting::sizes.push_back(static_cast<int>(n));
    counting::positive<<<n < 256 ? 1 : 4, 32, 0, stream>>>(x, out, n);
}
"""


def _ticket_cases(launcher):
    for n in (33, 70, 300, 999):
        x = (torch.arange(n) * 37 % 101 - 50).float()
        right = torch.tensor([float((x > 0).sum())]).double()
        yield Case(f"n = {n}", (x,), (right,), dtypes=(torch.int32,))


def test_a_condition_on_a_sum_of_elements_is_no_end(tmp_path):
    file = tmp_path / "limited.cu"
    file.write_text("""\
#include <cstdint>

__global__ void limited(const uint8_t* a, const uint8_t* b, uint8_t* c, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        int s = a[i] + b[i];
        c[i] = s < 255 ? 255 : s;
    }
}

extern "C" void launch(const uint8_t* a,  // [n]
                       const uint8_t* b,  // [n]
                       uint8_t* c,        // [n]
                       int n, cudaStream_t stream = 0) {
    limited<<<2, 64, 0, stream>>>(a, b, c, n);
}
""")

    def cases(launcher):
        for n in (9, 300):
            a = torch.arange(n).remainder(251).to(torch.uint8)
            b = (7 * torch.arange(n)).remainder(239).to(torch.uint8)
            right = (a.double() + b.double()).clamp(max=255)
            yield Case(f"n = {n}", (a, b), (right,), dtypes=(torch.uint8,))

    found = find(jit.load(file).launchers["launch"], cases)
    assert [edit.kind for edit in found.edits if edit.line == 6] == [kinds.COMPARISON]


def test_another_shuffle_leaves_lanes_out(tmp_path):
    file = tmp_path / "tickets.cu"
    file.write_text(TICKETS.replace("__shfl_down_sync", "__shfl_up_sync"))
    found = find(jit.load(file).launchers["launch"], _ticket_cases)
    assert kinds.SHUFFLE in [edit.kind for edit in found.edits]
    seen = "5 of 33 elements count for nothing, the first is x[1]: are some left out by a loop?"
    alone = told(Repairs(tuple(x for x in found.edits if x.kind == kinds.SHUFFLE), 7, True))
    assert alone.agrees(seen) and "(another shuffle)" in alone.sentence(False)


@pytest.mark.stress
def test_an_edit_that_leaves_a_ticket_spoils_no_other(tmp_path):
    file = tmp_path / "tickets.cu"
    file.write_text(TICKETS.replace("int d = 16", "int d = 8"))
    found = find(jit.load(file).launchers["launch"], _ticket_cases)
    assert (14, kinds.FARTHER) in {(edit.line, edit.shown) for edit in found.edits}


TIED = """\
#include <cuda_runtime.h>
#include <cstdint>

__global__ void widest(const float* x, int* place, int64_t rows, int64_t cols) {
    __shared__ float vs[32];
    __shared__ int ats[32];
    const int t = threadIdx.x;
    vs[t] = -1.0f;
    ats[t] = cols;
    for (int64_t c = t; c < cols; c += 32) {
        if (x[blockIdx.x * cols + c] > vs[t]) {
            vs[t] = x[blockIdx.x * cols + c];
            ats[t] = c;
        }
    }
    __syncthreads();
    for (int h = 16; h > 0; h /= 2) {
        if (t < h && vs[t + h] > vs[t]) {
            vs[t] = vs[t + h];
            ats[t] = ats[t + h];
        }
        __syncthreads();
    }
    if (t == 0) place[blockIdx.x] = ats[0];
}

extern "C" void launch(const float* x,  // [rows, cols]
                       int* place,      // [rows]
                       int64_t rows, int64_t cols, cudaStream_t stream = 0) {
    widest<<<rows, 32, 0, stream>>>(x, place, rows, cols);
}
"""


def _tied_cases(launcher):
    for rows, cols in ((3, 40), (4, 70), (2, 200)):
        of_few = (torch.arange(rows * cols) * 37 % 11).float().reshape(rows, cols)
        of_many = (torch.arange(rows * cols) * 37 % 101).float().reshape(rows, cols)
        of_many[0, 2::32] = 102.0  # of one thread's elements
        for k, x in enumerate((of_few, of_many, of_many / 64)):
            right = x.double().argmax(1).double()
            label = f"{rows} x {cols}, {k}"
            yield Case(label, (x,), (right,), dtypes=(torch.int32,))


@pytest.mark.stress
def test_places_of_equal_numbers_in_an_array(tmp_path):
    file = tmp_path / "widest.cu"
    file.write_text(TIED)
    found = find(jit.load(file).launchers["launch"], _tied_cases)
    assert (18, kinds.TIES) in {(edit.line, edit.kind) for edit in found.edits}


@pytest.mark.stress
def test_the_last_of_equal_numbers_in_the_place_of_the_first(tmp_path):
    text = TIED.replace("    vs[t] = -1.0f;\n    ats[t] = cols;\n", "    float most = -1.0f;\n")
    text = text.replace("    for (int64_t c = t;", "    int at = cols;\n    for (int c = t;")
    text = text.replace("vs[t]) {\n            vs[t] =", "most) {\n            most =", 1)
    text = text.replace("> most", ">= most").replace("ats[t] = c;", "at = c;")
    text = text.replace(
        "    __syncthreads();\n    for",
        "    vs[t] = most;\n    ats[t] = at;\n    __syncthreads();\n    for",
    )
    text = text.replace(
        "vs[t + h] > vs[t])",
        "(vs[t + h] > vs[t] || (vs[t + h] == vs[t] && ats[t + h] < ats[t])))",
    )
    file = tmp_path / "widest.cu"
    file.write_text(text)
    found = find(jit.load(file).launchers["launch"], _tied_cases)
    assert kinds.OTHER_TIE in {edit.kind for edit in found.edits}


ROOTS = """\
#include <cuda_runtime.h>
#include <cstdint>

__global__ void scale(const float* x, float* y, int64_t n, float eps) {
    const int64_t i = blockIdx.x * int64_t(blockDim.x) + threadIdx.x;
    if (i < n) y[i] = x[i] * rsqrtf(x[i] * x[i] + eps);
}

extern "C" void launch(const float* x,  // [n]
                       float* y,        // [n]
                       int64_t n, float eps, cudaStream_t stream = 0) {
    scale<<<(n + 63) / 64, 64, 0, stream>>>(x, y, n, eps);
}
"""


def _root_cases(inside):
    def cases(launcher):
        for n, eps in ((1, 0.5), (33, 2.0), (300, 0.25)):
            x = torch.arange(n) % 7 - 2.75
            square = x.double() ** 2
            below = (square + eps).sqrt() if inside else square.sqrt() + eps
            right = x.double() / below
            yield Case(f"{n}", (x,), (right,), {"eps": eps}, ulp=8, dtypes=(torch.float32,))

    return cases


def test_a_sign_below_a_root_is_no_sum(tmp_path):
    text = ROOTS.replace("rsqrtf(x[i] * x[i] + eps)", "sqrtf(+x[i])")
    assert _schema(text, tmp_path).edits


@pytest.mark.stress
@pytest.mark.parametrize("inside", [True, False])
def test_what_is_added_below_a_root_or_to_it(tmp_path, inside):
    text = ROOTS
    if inside:
        text = ROOTS.replace("* rsqrtf(x[i] * x[i] + eps)", "/ (sqrtf(x[i] * x[i]) + eps)")
    file = tmp_path / "scale.cu"
    file.write_text(text)
    found = find(jit.load(file).launchers["launch"], _root_cases(inside))
    assert (6, kinds.BRACKETS) in {(edit.line, edit.kind) for edit in found.edits}


SEARCHED = """\
#include <cuda_runtime.h>
#include <cstdint>

__global__ void least(const int* v, unsigned* lo, int64_t n) {
    const int64_t i = blockIdx.x * int64_t(blockDim.x) + threadIdx.x;
    if (i < n) atomicMin(lo, v[i]);
}

extern "C" void launch(const int* v,  // [n]
                       unsigned* lo,  // [1] uint32
                       int64_t n, cudaStream_t stream = 0) {
    cudaMemsetAsync(lo, 0, 4, stream);
    least<<<(n + 63) / 64, 64, 0, stream>>>(v, lo, n);
}
"""


def _searched_cases(launcher):
    for n in (3, 40, 200):
        x = torch.randperm(n, generator=torch.Generator().manual_seed(n)).int() + 7
        right = torch.tensor([7.0])
        yield Case(f"n = {n}", (x,), (right,), dtypes=(torch.uint32,))


def test_what_each_byte_is_set_to_is_a_start_value(tmp_path):
    file = tmp_path / "searched.cu"
    file.write_text(SEARCHED)
    found = find(jit.load(file).launchers["launch"], _searched_cases)
    assert {edit.kind for edit in found.edits if edit.line == 12} == {kinds.START}


ADDED = """\
#include <cuda_runtime.h>
#include <cstdint>

__global__ void added(const float* x, const float* y, float* sum, float* out, int64_t n) {
    const int64_t i = blockIdx.x * int64_t(blockDim.x) + threadIdx.x;
    if (i >= n) return;
    sum[i] = x[i] + y[i];
    out[i] = 2 * x[i] - y[i];
}

extern "C" void launch(const float* x,  // [n]
                       const float* y,  // [n]
                       float* sum,      // [n]
                       float* out,      // [n]
                       int64_t n, cudaStream_t stream = 0) {
    added<<<(n + 63) / 64, 64, 0, stream>>>(x, y, sum, out, n);
}
"""


def _added_cases(launcher):
    for n in (1, 65, 300):
        x, y = torch.arange(n) % 7 - 3.0, torch.arange(n) % 5 - 1.0
        right = ((x + y).double(), (2 * (x + y) - y).double())
        yield Case(f"{n}", (x, y), right, dtypes=(torch.float32, torch.float32))


def test_an_input_is_read_in_the_place_of_what_was_written(tmp_path):
    file = tmp_path / "added.cu"
    file.write_text(ADDED)
    found = find(jit.load(file).launchers["launch"], _added_cases)
    assert (8, "sum", kinds.VARIABLE) in {(x.line, x.new, x.kind) for x in found.edits}


MASKED = """\
#include <cuda_runtime.h>
#include <cstdint>

__global__ void masked(const float* x, float* y, uint8_t* mask, int64_t n) {
    const int64_t i = blockIdx.x * int64_t(blockDim.x) + threadIdx.x;
    if (i >= n) return;
    if (x[i] > 0.0f) {
        y[i] = x[i];
        mask[i] = 1;
    } else {
        y[i] = 0.0f;
        mask[i] = 2;
    }
}

extern "C" void launch(const float* x,  // [n]
                       float* y,        // [n]
                       uint8_t* mask,   // [n]
                       int64_t n, cudaStream_t stream = 0) {
    masked<<<(n + 63) / 64, 64, 0, stream>>>(x, y, mask, n);
}
"""


def _masked_cases(launcher):
    for n in (1, 64, 65, 300):
        some = torch.arange(n) % 7 - 3.0
        for x in (some, some * 0):  # of -0.0 may come 0.0, as the other cases tell
            right = (torch.where(x < 0, 0.0, x), torch.where(x > 0, 1, 2).double())
            yield Case(f"{n}", (x,), right, dtypes=(torch.float32, torch.uint8))


@pytest.mark.stress
def test_one_index_in_two_branches(tmp_path):
    file = tmp_path / "masked.cu"
    file.write_text(MASKED.replace("mask[i]", "mask[threadIdx.x]"))
    found = find(jit.load(file).launchers["launch"], _masked_cases)
    assert {edit.lines for edit in found.edits} == {(9, 12)}


def test_another_comparison_needs_no_rule_for_equal_numbers():
    both = told(Repairs((_edit(1, kinds.COMPARISON), _edit(1, kinds.TIES)), 7, True))
    assert list(both.lines.values()) == [(kinds.COMPARISON,)]
    tied = told(Repairs((_edit(1, kinds.OTHER_TIE), _edit(1, kinds.TIES)), 7, True))
    assert len(tied.lines[1,]) == 2


def test_a_wider_type_needs_no_fractions():
    both = (_edit(1, kinds.FRACTION), _edit(1, kinds.RANGE), _edit(2, kinds.FRACTION))
    assert told(Repairs(both, 7, True)).lines == {(1,): (kinds.RANGE,), (2,): (kinds.FRACTION,)}


BYTES = """\
#include <cuda_runtime.h>
#include <cstdint>

__global__ void quantise(const float* x, int8_t* q, int64_t n, float scale) {
    const int64_t i = blockIdx.x * int64_t(blockDim.x) + threadIdx.x;
    if (i < n) q[i] = int(fminf(fmaxf(rintf(x[i] * scale), -128.0f), 127.0f));
}

extern "C" void launch(const float* x,  // [n]
                       int8_t* q,       // [n]
                       int64_t n, float scale, cudaStream_t stream = 0) {
    quantise<<<(n + 63) / 64, 64, 0, stream>>>(x, q, n, scale);
}
"""


def _byte_cases(launcher):
    for n, scale in ((1, 1.0), (33, 2.0), (300, 0.5)):
        x = torch.arange(n) * 37 % 400 - 200.0
        right = (x * scale).round().clamp(-128, 127).double()
        yield Case(f"{n}", (x,), (right,), {"scale": scale}, dtypes=(torch.int8,))


HALVES = """\
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <cstdint>

__global__ void limited(const float* x, __half* y, int64_t n) {
    const int64_t i = blockIdx.x * int64_t(blockDim.x) + threadIdx.x;
    if (i < n) y[i] = __float2half(fminf(x[i], 65536.0f));
}

extern "C" void launch(const float* x,  // [n]
                       __half* y,       // [n]
                       int64_t n, cudaStream_t stream = 0) {
    limited<<<(n + 63) / 64, 64, 0, stream>>>(x, y, n);
}
"""


def _half_cases(launcher):
    for n in (1, 33, 300):
        x = torch.arange(n) * 500.0 + 60_000
        right = x.clamp(max=65504.0).half().double()
        yield Case(f"{n}", (x,), (right,), dtypes=(torch.float16,))


@pytest.mark.stress
def test_the_end_of_a_type_is_a_limit(tmp_path):
    file = tmp_path / "limited.cu"
    file.write_text(HALVES)
    found = find(jit.load(file).launchers["launch"], _half_cases)
    assert (7, kinds.LIMITS) in {(edit.line, edit.kind) for edit in found.edits}


@pytest.mark.stress
@pytest.mark.parametrize("limits", ["0.0f), 255.0f", "-128.0f), 128.0f"])
def test_limits_of_another_type(tmp_path, limits):
    file = tmp_path / "quantise.cu"
    file.write_text(BYTES.replace("-128.0f), 127.0f", limits))
    found = find(jit.load(file).launchers["launch"], _byte_cases)
    assert (6,) in {edit.lines for edit in found.edits}
    assert kinds.LIMITS in {edit.kind for edit in found.edits}


@pytest.mark.parametrize(
    ("kind", "sentence", "agrees"),
    [
        (kinds.ONE, "is it summed in a narrower precision on the way?", False),
        (kinds.ONE, "is the last element left out?", True),
        (kinds.ONE, "each is 1 less: is it rounded in another direction?", True),
        (kinds.ELEMENT, "20 of 72 tried elements have no effect: left out by a loop?", False),
        (kinds.ELEMENT, "is each element counted for another one?", True),
        (kinds.START, "0 comes out: is what makes it left out?", True),
        (kinds.START, "row 0 comes out wrong: is its variance another one?", False),
        (kinds.FUNCTION, "only NaN goes wrong: a NaN that goes in must come out", True),
        (kinds.TERM, "an infinite result comes out as 65504: is it clamped to that?", True),
        (kinds.CONSTANT, "only zeros go wrong: are they treated as IEEE 754 asks?", False),
        (kinds.CONSTANT, "right if a and b change places: are they swapped?", False),
        (kinds.ELEMENT, "others came out right ({'block_size': 64}): on the values", False),
        (kinds.ELEMENT, "wrong with block_size = 64: is a number in its place?", True),
        (kinds.VARIABLE, "right if a and b change places: are they swapped?", True),
        (kinds.OPERATOR, "6 of 36 elements have no effect on any output: left out?", False),
        (kinds.END, "6 of 36 elements have no effect on any output: left out?", True),
        (kinds.END, "is one row another? Does its first element count the rows?", False),
        (kinds.COMPARISON, "only NaN and infinity go wrong: as IEEE 754 asks?", True),
        (
            kinds.PART,
            "NaN came out of large numbers, from 600.5 on: does something overflow?",
            True,
        ),
        (
            kinds.PART,
            "NaN came out of large numbers, from 7 on: does something overflow?",
            False,
        ),
    ],
)
def test_what_agrees_with_an_edit(kind, sentence, agrees):
    assert told(Repairs((_edit(1, kind),), 7, True)).agrees(sentence) is agrees


@pytest.mark.stress
def test_a_type_with_fractions_has_as_many_digits_as_the_others(tmp_path):
    file = tmp_path / "wrong.cu"
    file.write_text("""\
#include <cstdint>
__global__ void k(const double* x, double* y, int64_t n) {
    const int64_t i = blockIdx.x * 256LL + threadIdx.x;
    if (i >= n) return;
    int v = x[i];
    y[i] = v / 3.0;
}
extern "C" void launch(const double* x,  // [n]
                       double* y,        // [n]
                       int64_t n, cudaStream_t stream = 0) {
    k<<<(n + 255) / 256, 256, 0, stream>>>(x, y, n);
}
""")

    def cases(launcher):
        for n in (9, 300):
            x = torch.linspace(0.1, 9.0, n, dtype=torch.float64)
            yield Case(f"n = {n}", (x,), (x / 3,), dtypes=(torch.float64,))

    found = find(jit.load(file).launchers["launch"], cases)
    edit = next(edit for edit in found.edits if edit.kind == kinds.FRACTION)
    assert edit.new == "double" and edit.lines == (5,)
