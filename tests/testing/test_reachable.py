"""The code that a launcher reaches: all of it, and not what belongs to other kernels."""

from types import SimpleNamespace

import pytest

from helpers.testing import reachable

FILE = """
#include <cstdint>
#include "near.cuh"
#define TWICE(x) helper_of_macro((x) * 2)
#define UNUSED(x) never_seen(x)
// says_nothing
constexpr int kSize = 32, kOther[] = {1, 2};
struct alignas(16) Pack { float value[4]; float sum() const { return by_member(value[0]); } };
__device__ float parts[96];
template <typename T, int N = 4>
__device__ T helper_of_macro(T x) { return x + kSize; }
__device__ float by_member(float x) { return x; }
namespace one {
__device__ float start() { return 1.0f; }
__global__ void __launch_bounds__(256) kernel(const float* x, float* out) {
    out[0] = TWICE(x[0]) + start() + far();
}
extern "C" void first(const float* x, float* out) { kernel<<<1, 32>>>(x, out); }
}  // namespace one
namespace two {
__device__ float start() { return 2.0f; }
struct Apply { float operator()(float x) { return x + parts[0]; } };
__global__ void kernel(const float* x, float* out) { Pack p; out[0] = Apply()(start()); }
extern "C" {
void second(const float* x, float* out) { kernel<<<1, 32>>>(x, out); }
void third(const float* x, float* out) { one::kernel<<<1, 32>>>(x, out); }
}
}  // namespace two
"""
NEAR = (
    "__device__ float far() { return farther(); }\n__device__ float farther() { return 3; }\n"
)


def reached(folder, name, text=FILE):
    (folder / "k.cu").write_text(text)
    (folder / "near.cuh").write_text(NEAR)
    declaration = SimpleNamespace(name=name)
    return reachable.code(SimpleNamespace(path=folder / "k.cu", declaration=declaration))


@pytest.mark.parametrize(
    ("name", "there", "not_there"),
    [
        (
            "first",
            ("return 1.0f", "x + kSize", "kOther", "return farther()", "return 3", "TWICE"),
            ("return 2.0f", "Pack", "parts", "second", "UNUSED", "by_member", "says_nothing"),
        ),
        (
            "second",
            ("return 2.0f", "x + parts[0]", "parts[96]", "value[4]", "return x;"),
            ("return 1.0f", "first", "third", "kSize", "return 3"),
        ),
        ("third", ("return 1.0f", "return 2.0f", "x + kSize"), ("second(", "first(")),
    ],
)
def test_what_a_launcher_reaches(tmp_path, name, there, not_there):
    code = reached(tmp_path, name)
    assert [words for words in there if words not in code] == []
    assert [words for words in not_there if words in code] == []


def test_what_cannot_be_told_apart_is_taken_along(tmp_path):
    operators = "V operator+(V a, V b) { return added; }\n"
    text = f'{operators}extern "C" void f(float* x) {{ x[0] = 1; }}\nvoid g() {{}}\n'
    assert "added" in reached(tmp_path, "f", text)
    assert "void g" not in reached(tmp_path, "f", text)
    by_macro = "LAUNCHER(f)\n__global__ void k() { __shared__ float s[4]; }\n"
    assert "__shared__" in reached(tmp_path, "not_there", by_macro)


def test_what_follows_a_type_belongs_to_it(tmp_path):
    text = 'struct S { int a; } state;\nint g;\nextern "C" void f(float* x) { x[0] = state.a; }'
    code = reached(tmp_path, "f", text)
    assert "int a" in code and "int g" not in code


def test_unfinished_text_has_an_end(tmp_path):
    assert "f(" in reached(tmp_path, "f", 'extern "C" void f(float* x) { x[0] = (1;')


@pytest.mark.parametrize("path", [None, "gone.cu"])
def test_without_a_file_there_is_nothing(tmp_path, path):
    where = path and tmp_path / path
    declaration = SimpleNamespace(name="f")
    assert reachable.code(SimpleNamespace(path=where, declaration=declaration)) == ""


# ---- by exact text


@pytest.mark.parametrize(
    ("first", "then"),
    [
        ("int a;", " int b;"),
        ("void f() { g(); }", " int b;"),
        ("void f(struct S s) {}", " int b;"),  # a function, though it names a type
        ("struct S { int a; } s;", " int b;"),
        ("struct alignas(16) S { int a; } s;", " int b;"),
        ("struct __align__(16) S { int a; } s;", " int b;"),
        ("template <int N = size(2)> struct S { int a; };", " int b;"),
        ("int a[] = {1, 2}, c;", " int b;"),
        ("int a[] = {1, 2} ;", " int b;"),
        ("int a = f(1; 2)[3; 4];", " int b;"),
        ("int a", ""),
        ("int a = (1; 2", ""),
    ],
)
def test_where_a_definition_ends(first, then):
    assert reachable._end(first + then, 0) == len(first)
    assert reachable._end(f"int z;{first}{then}", 6) == 6 + len(first)


def parts(text):
    return [(x.text.strip(), sorted(x.names), x.space) for x in reachable._parts(text, ())]


def test_the_definitions_of_namespaces():
    assert parts("namespace a { int x; } int y;") == [
        ("int x;", ["x"], ("a",)),
        ("int y;", ["y"], ()),
    ]
    nested = "inline namespace a::b { namespace { void f(int x) {} } }\nnamespace c { int z; }"
    assert parts(nested) == [
        ("void f(int x) {}", ["f"], ("a", "b")),
        ("int z;", ["z"], ("c",)),
    ]
    assert parts('extern "C" { void f() {} void g() {} }') == [
        ("void f() {}", ["f"], ()),
        ("void g() {}", ["g"], ()),
    ]


def test_macros_are_definitions_and_other_directives_none():
    text = "#include <a>\n# define TWICE(x) \\\n  (2 * (x))\n#if N > 1\nint a;\n#endif\n"
    assert parts(text) == [
        ("# define TWICE(x) \\\n  (2 * (x))", ["TWICE"], ()),
        ("int a;", ["a"], ()),
    ]


@pytest.mark.parametrize(
    ("head", "names"),
    [
        ("__global__ void __launch_bounds__(256, 2) k(int a, int b(int))", {"k"}),
        ("__device__ decltype(one) f(float x)", {"f"}),
        ("__attribute__((noinline)) int f(int a)", {"f"}),
        ("struct alignas(16) Pack : Base<float> {", {"Pack"}),
        ("struct __align__(8) Pack {", {"Pack"}),
        ("enum class Kind {", {"Kind"}),
        ("constexpr int kSize = 32, kOther[] = {", {"kSize", "kOther"}),
        ("template <typename T, int N = 4> struct Pack {", {"Pack"}),
        ("bool operator==(Pack a, Pack b) {", set()),
        ("__device__ float parts[3][96];", {"parts"}),
    ],
)
def test_the_names_that_a_definition_defines(head, names):
    assert reachable._names(head) == names


@pytest.mark.parametrize(
    ("head", "outside"),
    [
        ("f(int a(int), b) const g(c)", "f() const g()"),
        ("(a) b", "() b"),
        ("f(a) b(c", "f() b()"),
        ("f", "f"),
        ("", ""),
    ],
)
def test_what_stands_outside_of_parentheses(head, outside):
    assert reachable._outside(head) == outside
