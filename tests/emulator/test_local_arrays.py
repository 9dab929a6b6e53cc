"""Which arrays of a thread lie in local memory: those whose index only a run knows."""

import pytest

from helpers.emulator.local_arrays import in_local_memory

TOP = """#define N 8
constexpr int kMost = 4;
template <int W, typename T>
__global__ void k(const int* x, int n, int which) {"""


def found(body):
    text = TOP + body + "}"
    places = in_local_memory(text, len(TOP) - 1, len(text))
    assert all(text[at - 1] == ";" for at, _ in places)
    return [name for _, name in places]


@pytest.mark.parametrize(
    "use",
    [
        "a[which]",
        "a[x[threadIdx.x] & 7]",
        "a[2][n]",
        "#pragma unroll 1\nfor (int i = 0; i < 8; ++i) a[i] = 0;",
        "for (int i = 0; i < n; ++i) a[i] = 0;",
        "for (int i = n; i < 8; ++i) a[i] = 0;",
        "for (int i = 0; i < 8; ++i) { const int at = x[i]; a[at] = 0; }",
        "for (int i = 0; i < 8; ++i) a[i] = 0; while (n) a[n--] = 0;",
    ],
)
def test_an_index_that_only_a_run_knows(use):
    assert found(f" int a[8]; {use};") == ["a"]


@pytest.mark.parametrize(
    "use",
    [
        "a[3] + a[N - 1] + a[kMost] + a[W] + a[sizeof(T)]",
        "for (int i = 0; i < 8; ++i) a[i] = x[i];",
        "#pragma unroll\nfor (int i = 0; i < kMost; ++i) for (int j = i; j < W; ++j) a[j][i]",
        "const int last = N - 1; a[last] = 0;",
        "b.a[which]",
        "other[which]",
    ],
)
def test_an_index_that_the_compiler_knows(use):
    assert found(f" int a[8]; {use};") == []


@pytest.mark.parametrize(
    "declared",
    [
        "alignas(16) half a[8];",
        "unsigned long long a[2][4] = {};",
        "float4 a[2]{};",
        "cuda::Pack<int, 4> a[8];",
        "int a[8] = {1, 2};",
    ],
)
def test_declarations(declared):
    assert found(f" {declared} a[n]") == ["a"]
    assert found(f" __shared__ {declared} a[n]") == found(f" {declared} b[n]") == []


def test_of_several_arrays_those_that_are_indexed():
    assert found(" int a[4]; int b[4]; int c[4]; a[n] = b[2]; c[which] = 0;") == ["a", "c"]
