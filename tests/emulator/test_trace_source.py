"""What a kernel's text says of reads that merge and of atomics that one lane does."""

import pytest

from helpers.emulator import trace_source
from helpers.emulator.traced import Line

UNROLLED = "#pragma unroll\nfor (int i = 0; i < 8; ++i)\n    sum += tile[y][i];\n"
KEPT = UNROLLED.replace("#pragma unroll", "#pragma unroll 1")


def can_merge(text, line=3, in_loop=True):
    return trace_source.can_merge(Line("k.cu", line), {"k.cu": text}, in_loop)


@pytest.mark.parametrize(
    ("text", "line", "merges"),
    [
        (UNROLLED, 3, True),
        (KEPT, 3, False),
        (KEPT.replace("unroll 1", "unroll(1)"), 3, False),
        (KEPT.replace("unroll 1", "nounroll"), 3, False),
        (KEPT.replace("unroll 1", "unroll 16"), 3, True),
        (UNROLLED.replace("[i]", "[at]"), 3, False),  # a place that comes from data
        ("for (int i = 0; i < 8; ++i) sum += tile[i];\n", 1, True),
        ("for (i = 0; i < 8; ++i) sum += tile[2 + i];\n", 1, True),
        ("while (left--) sum += tile[left];\n", 1, False),
        ("sum += tile[4 * t] + tile[4 * t + 1];\n", 1, False),
    ],
)
def test_a_read_in_a_loop_merges_if_the_loop_can_be_unrolled(text, line, merges):
    assert can_merge(text, line) is merges


def test_four_places_in_the_code_need_no_loop():
    assert can_merge("sum += tile[4 * t] + tile[4 * t + 1];\n", 1, in_loop=False)
    assert not can_merge(KEPT, in_loop=False)


@pytest.mark.parametrize(
    ("body", "one"),
    [
        ("atomicAdd(c, 1);", True),
        ("atomicMax(&c[blockIdx.x], x[i]);", True),
        ("atomicOr_block(&c[k * gridDim.x], x[i]);", True),
        ("atomicAdd(&c[threadIdx.x / 32], 1);", False),
        ("atomicAdd(&c[i % 4], 1);", False),
        ("atomicAdd(&c[x[i]], 1);", False),
        ("atomicAdd(&c[place(2)], 1);", False),  # a function that asks for the thread
        ("atomicAdd(&c[fixed(2)], 1);", True),
        ("atomicExch(c, 1);", False),
        ("atomicInc(c, 1);", False),
        ("c[0] += 1;", False),
    ],
)
def test_an_atomic_at_the_same_address_for_all_is_done_once_a_warp(body, one):
    text = f"""__device__ int place(int k) {{ return k + threadIdx.x; }}
__device__ int fixed(int k) {{ return k + blockIdx.x; }}
__global__ void other(int* c) {{ int k = threadIdx.x; c[k] = k; }}
__global__ void count(const int* x, int* c, int k) {{
    const int i = place(0);
    {body}
}}
void c(int* x) {{ }}
"""
    assert trace_source.is_one_for_the_warp(Line("k.cu", 6), {"k.cu": text}) is one


ROW = """float sum = 0;
for (int k = begin[r]; k < begin[r + 1]; ++k) {
    sum += scale[r] * x[k];
    if (k > 3) sum += bias[r];
}
out[r] = scale[r];
"""


@pytest.mark.parametrize(
    ("line", "text", "before"),
    [
        (2, ROW, True),
        (3, ROW, True),
        (3, ROW.replace("scale[r]", "x[column[k]]"), False),
        (4, ROW, False),  # not always read
        (6, ROW, False),  # behind the loop
        (3, ROW.replace("sum +=", "out[k] ="), False),
        (3, ROW.replace("sum +=", "r += 2; sum +="), False),
        (3, ROW.replace("bias[r]", "1; atomicAdd(out, 1)"), False),
        (1, "while (k < ends[r]) k += 32;", True),
        (1, "for (int k = 0; k < 4; ++k) sum += x[k];", False),
    ],
)
def test_a_read_whose_address_the_loop_does_not_change_stands_before_it(line, text, before):
    assert trace_source.is_before_the_loop(Line("k.cu", line), {"k.cu": text}) is before


def test_accesses_of_two_lines_come_together_unless_one_is_behind_an_if():
    files = {"k.cu": "s[0] = 1;\ns[1] = 2;\nif (a) s[2] = 3;\nif (b) { s[4] = 1; s[5] = 2; }\n"}
    at = [Line("k.cu", k) for k in range(5)]
    assert trace_source.are_together([at[1], at[2]], files)
    assert not trace_source.are_together([at[2], at[3]], files)
    assert trace_source.are_together([at[4], at[4]], files)


@pytest.mark.parametrize(
    ("line", "drops"),
    [
        ("    atomicAdd(&sum[0], 1);", True),
        ("    if (t < f(n)) atomicAdd(sum, 1);", True),
        ("    else ::atomicMax(sum, t);", True),
        ("    last = atomicAdd(count, 1) == n;", False),
        ("    return (int)atomicAdd(count, 1);", False),
        ("    while (atomicCAS(lock, 0, 1)) {}", False),
        ("    reduce(sum);", False),
    ],
)
def test_an_atomic_whose_result_nobody_has(line, drops):
    text = f"__global__ void k() {{\n{line}\n}}\n"
    assert trace_source.drops_result(Line("k.cu", 2), {"k.cu": text}) is drops


@pytest.mark.parametrize(
    ("line", "takes"),
    [
        ("    last = atomicAdd(count, 1) == n;", True),
        ("    if (atomicInc(count, n) == n) sum(out);", True),
        ("    atomicAdd(count, 1);", False),
        ("    before = atomicExch(count, 1);", False),
        ("    while (*flag == 0) {}", False),
    ],
)
def test_an_atomic_that_takes_a_number(line, takes):
    text = f"__global__ void k() {{\n{line}\n}}\n"
    assert trace_source.takes_a_number(Line("k.cu", 2), {"k.cu": text}) is takes


@pytest.mark.parametrize(
    ("line", "asks"),
    [
        ("last = atomicAdd(count, 1) == gridDim.x - 1;", True),
        ("if (atomicInc(count, n) != n - 1) return;", True),
        ("const unsigned ticket = atomicAdd(count, 1); last = (ticket == n - 1);", True),
        ("unsigned k = atomicAdd(count, 1); if (n - 1 == k) sum();", True),
        ("tile = atomicAdd(count, 1); for (; k == 3; ++k) sum(tile);", False),
        ("while ((tile = atomicAdd(count, 1)) < n) sum(tile);", False),
        ("last = atomicMax(count, t) == n;", False),  # it counts nothing
        ("atomicAdd(count, 1); last = *count == n;", False),
    ],
)
def test_an_atomic_whose_result_says_who_is_the_last(line, asks):
    text = f"__global__ void k() {{\n{line}\n}}\n"
    assert trace_source.asks_for_the_last(Line("k.cu", 2), {"k.cu": text}) is asks
