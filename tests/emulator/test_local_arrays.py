"""How a thread's arrays are aligned, and which lie in local memory."""

import pytest

from helpers.emulator.local_arrays import alignments, in_local_memory

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


def aligned(body, top=TOP):
    text = top + body + "}"
    for at, words in reversed(alignments(text, len(top) - 1, len(text))):
        text = text[:at] + words + text[at:]
    return text[len(top) : -1]


@pytest.mark.parametrize(
    ("before", "kind", "array", "after"),
    [
        ("", "float", "[3]", ""),
        ("alignas(8) ", "unsigned  char", "[N + 1] [2]", " = {0}"),
        ("int n = 0; ", "struct P", "[W > 2 ? 1 : 2]", ""),
        ("for (;;) { ", "cuda::Pack<int, 4>", "[2]", "{}"),
    ],
)
def test_an_array_is_aligned_for_the_widest_vector_that_fits(before, kind, array, after):
    word, extents = " ".join(kind.split()), array.replace(" ", "")
    words = f"alignas({word}) alignas(::emulator::vector_alignment(sizeof({word}{extents}))) "
    end = f"{kind} t{array}{after};"
    assert aligned(f" {before}{end}") == f" {before}{words}{end}"


@pytest.mark.parametrize(
    "body",
    [
        "struct P { float x[3]; int y[3]; }; P p;",
        "union { float x[3]; int i; };",
        "float x[] = {1, 2};",
        "return x[3]; x = y[3];",
        "__shared__ float x[3]; int* y = z;",
        "ARRAY x[3];",
    ],
)
def test_what_is_not_aligned(body):
    top = "#define ARRAY __shared__ float\n" + TOP
    assert aligned(f" {body}", top) == f" {body}"


def test_an_array_behind_a_class_is_aligned():
    assert aligned(" struct P { float x; }; P p[3];").count("alignas(P) ") == 1
