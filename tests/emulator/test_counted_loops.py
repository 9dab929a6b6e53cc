"""Loops that nvcc unrolls: which ones, by how much, and in which order their rounds come."""

import pytest

from helpers.emulator.counted_loops import counted_loops
from helpers.emulator.translate import translate


def loops(body, before=""):
    code = f"{before}__global__ void k(int n) {{ {body} }}"
    return counted_loops(code, code.index(") {") + 2, len(code) - 1)


def loop(body, before=""):
    (one,) = loops(body, before)
    return one


def test_the_parts_of_a_loop():
    one = loop("for (int64_t i = first; i < n; i += stride) sum += x[i];")
    assert (one.counter, one.compare, one.bound, one.step) == ("i", "<", "n", "stride")
    assert (one.start, one.unroll, one.again) == ("first", 4, True)
    down = loop("for (int i = n - 1; i >= 0; --i) sum += x[i];")
    assert (down.compare, down.bound, down.step, down.start) == (">=", "0", "1", "n - 1")
    turn = loop("int k = 3; for (; k != n; k++) sum += x[k];")
    assert (turn.compare, turn.step, turn.start) == ("!=", "1", "3")


@pytest.mark.parametrize(
    ("first", "start"),
    [
        ("max(0, t - width)", "max(0, t - width)"),
        (
            "INDEX(blockIdx.x, blockDim.x, threadIdx.x)",
            "INDEX(blockIdx.x, blockDim.x, threadIdx.x)",
        ),
        ("t >= 8 ? 0 : 1", "t >= 8 ? 0 : 1"),
        ("t <= 8 ? 0 : 1", ""),
        ("first<int, 4>(t)", ""),
    ],
)
def test_the_first_value_of_a_counter_is_a_whole_expression(first, start):
    one = loop(f"for (int i = {first}; i < n; ++i) sum += x[i];")
    assert one.start == start and one.hook.count("(") == one.hook.count(")")


def test_a_first_value_ends_at_a_comma_outside_of_brackets():
    assert (
        loop("int i = max(a, b), k = 0; while (i < n) { s += x[i]; i += 2; }").start
        == "max(a, b)"
    )


def test_a_while_loop_with_one_change_of_its_counter():
    one = loop("int i = 5; while (i < n) { sum += x[i]; i += 32; }")
    assert (one.counter, one.bound, one.step, one.start) == ("i", "n", "32", "5")
    assert loops("while (i < n) { i += x[i]; i += 32; }") == []
    assert loops("while (i < n) { sum += x[i]; i /= 2; }") == []


@pytest.mark.parametrize(
    "body",
    [
        "for (int i = t; i < n && go; i += 32) sum += x[i];",
        "for (int i = t; i < n; i *= 2) sum += x[i];",
        "for (int i = t; i < n; i += 32) { if (x[i] < 0) break; sum += x[i]; }",
        "for (int i = t; i < n; i += 32) { if (x[i] < 0) return; }",
        "for (int i = t; i < n; i += 32) { s[t] = x[i]; __syncthreads(); }",
        "for (int i = t; i < n; i += 32) sum += __shfl_xor_sync(~0u, x[i], 1);",
        "for (int i = t; i < n; i += 32) sum += sinf(x[i]);",
        "for (int i = t; i < n; --i) sum += x[i];",
        "for (int i = t; i < n - i; ++i) sum += x[i];",
        "for (int i = t; i < n; ++i) { sum += x[i]; i += 2; }",
        "for (int i = t; i < ends[t]; ++i) out[i] = x[i];",
        "for (int i = 0, j = 9; i < n; ++i, --j) sum += x[i] * x[j];",
        "#pragma unroll 1\nfor (int i = t; i < n; i += 32) sum += x[i];",
        "#pragma nounroll\nfor (int i = t; i < n; i += 32) sum += x[i];",
        "for (int i = t; i < n; i += 32) sum += longest(x[i]);",
    ],
)
def test_loops_that_stay_as_they_are(body):
    looping = "__device__ int longest(int v) { while (v > 1) v /= 2; return v; }\n"
    assert loops(body, looping) == []


def test_the_inner_one_of_two_loops():
    body = "for (int j = t; j < m; j += 32) for (int i = t; i < n; i += 32) sum += x[i];"
    assert loop(body).counter == "i"


def test_a_bound_in_memory_that_the_loop_does_not_write():
    body = "for (int k = begin[r]; k < begin[r + 1]; ++k) sum += values[k];"
    assert loop(body).bound == "begin[r + 1]"


def test_a_pragma_says_how_far_to_unroll():
    assert loop("#pragma unroll 8\nfor (int i = t; i < n; i += 32) s += x[i];").unroll == 8
    plain = loop("#pragma unroll\nfor (int i = t; i < n; i += 32) s += x[i];")
    assert (plain.unroll, plain.again) == (4, False)


@pytest.mark.parametrize(
    ("body", "small"),
    [
        ("sum += x[i];", True),
        ("sum += x[i] * y[i];", True),
        ("sum += expf(x[i]);", True),
        ("out[i] = __float2half(__expf(__half2float(x[i]) - m) * s);", False),
        ("atomicAdd(&out[x[i]], 1);", False),
        ("sum += 1.0f / x[i];", False),
        ("sum += x[i % m];", False),
        ("if (x[i] > 0) out[i] = x[i];", False),
        ("if (x[i] < 0) sum += x[i + 5];", True),
    ],
)
def test_only_a_small_body_is_unrolled_again(body, small):
    """Each as nvcc 13.0 compiles it for sm_90."""
    assert loop(f"for (int i = t; i < n; i += 32) {body}").again is small


def test_the_hook_stands_before_the_condition():
    text = (
        "__global__ void k(float* x, int n) {\n  for (int i = 1; i <= n; i += 2) x[i] = 0;\n}"
    )
    found = translate(text, "k.cu").splitlines()[2]
    assert found.startswith("  for (int i = 1; EMULATOR_COUNTED(")
    assert found.endswith("i, n, 2)  i <= n; i += 2) x[i] = 0;")
    assert "4, true && __builtin_constant_p(2), __builtin_constant_p(1), false, true," in found
