"""Each rule of nvcc that clang does not know: what breaks it, and what is just inside of it."""

import pytest

from helpers.emulator import compile as compiling
from helpers.emulator import front_end, nvcc_rules

pytestmark = pytest.mark.skipif(front_end.problem() is not None, reason="no libclang")


@pytest.fixture
def said(tmp_path, headers):
    """Return (line, words) of each finding in a text."""

    def said(text):
        path = tmp_path / "k.cu"
        found = front_end.find(path, {path: text}, compiling.compiler(), headers)
        return [(one.line, one.words) for one in found]

    return said


PAIR = (
    "struct P { float x, y; }; struct C { float x; __device__ C(float x) : x(x) {} };"
    "__device__ float f(float x) { return x; } __device__ float h(P p) { return p.x; }"
    "__device__ float c(C c) { return c.x; }"
    "template <class T> __device__ T t(T x) { return x; }"
)
BROKEN = [  # what nvcc refuses, and the words
    (
        "__launch_bounds__(64) void f() {}",
        "__launch_bounds__ on a function that is not a kernel",
    ),
    (
        "struct S { static __global__ void k() {} };",
        "kernel 'k' is a member function; a kernel is a free function",
    ),
    ("struct S {}; __global__ void operator+(S, S) {}", "kernel 'operator+' is an operator"),
    ("constexpr __global__ void k() {}", "kernel 'k' is constexpr"),
    ("__global__ auto k() {}", "kernel 'k' must return void, and says auto"),
    ("__global__ void k(int x, ...) {}", "kernel 'k' has an ellipsis (...)"),
    ("__global__ void k(int&& x) {}", "parameter 'x' is an rvalue reference"),
    (
        "__global__ void k(__grid_constant__ int x) {}",
        "__grid_constant__ parameter 'x' is not const",
    ),
    (
        "struct S { char x[32765]; }; __global__ void k(S s) {}",
        "32,765 bytes of kernel parameters; there are 32,764",
    ),
    (
        "template <typename... A, typename... B> __global__ void k(A*... a) {}",
        "kernel 'k' has more than one parameter pack",
    ),
    (
        "struct S { friend __global__ void k(S s) {} };",
        "kernel 'k' is defined in a friend declaration",
    ),
    (
        "__global__ void k(float* x) { __shared__ char a[49152], b[1]; x[0] = a[0] + b[0]; }",
        "49,153 bytes of static shared memory; a block has 49,152 (48 KB)",
    ),
    ("struct S { static __shared__ int x; };", "__shared__ variable 'x' is a static member"),
    (
        "__global__ void k(int* x) { x[0] = __builtin_ctz(x[1]); }",
        "call to __host__ function '__builtin_ctz' from device code",
    ),
    (
        "constexpr int c = 1; "
        "__device__ int least(const int& a, const int& b) { return a < b ? a : b; } "
        "__global__ void k(int* x) { x[0] = least(x[1], c); }",
        "reference to __host__ variable 'c' in device code, "
        "which a function takes by reference",
    ),
    ("inline __device__ int x;", "__device__ variable 'x' is inline"),
    ("__device__ inline const int x = 1;", "__device__ variable 'x' is inline"),
    ("__constant__ inline int x;", "__constant__ variable 'x' is inline"),
    (
        "struct P { int x; }; __global__ void k(int P::*member) {}",
        "parameter 'member' of a kernel is a pointer to a member",
    ),
    (
        "struct P { int f(); }; template <int (P::*F)()> __global__ void k() {}",
        "template parameter 'F' of a kernel is a pointer to a member",
    ),
    (
        "__constant__ int c; __device__ void f() { (c) = 2; }",
        "assignment to __constant__ variable 'c'",
    ),
    (
        "__constant__ float s; __device__ void f() { s += 2; }",
        "assignment to __constant__ variable 's'",
    ),
    (
        "__constant__ char a[65536]; __constant__ char b;",
        "65,537 bytes of __constant__ memory; there are 65,536",
    ),
    (
        "struct A { __device__ virtual void f() {} }; struct B : A {};\n"
        "__device__ B* f(A* a) { return dynamic_cast<B*>(a); }",
        "dynamic_cast in device code",
    ),
    (
        "__device__ void f(); __global__ void k() { f(); }",
        "__device__ function 'f' is nowhere defined",
    ),
    (
        "static const float t[2] = {1, 2};\n__global__ void k(float* x) { x[0] = t[1]; }",
        "reference to __host__ variable 't' in device code",
    ),
    (
        "struct S { static constexpr float t[2] = {1, 2}; };\n"
        "template <typename T> __global__ void k(T* x) { x[0] = S::t[1]; }",
        "reference to __host__ variable 't' in device code",
    ),
    (
        "struct S { static constexpr int t[2] = {1, 2}; };\n"
        "__global__ void k(int* x) { x[0] = S::t[x[1]]; }",
        "reference to __host__ variable 't' in device code",
    ),
    (
        "constexpr int t[2] = {1, 2};\n"
        "__global__ void k(int* x) { for (int y : t) x[0] += y; }",
        "reference to __host__ variable 't' in device code",
    ),
    (
        "constexpr int t[2] = {1, 2};\n"
        "__global__ void k(int* x) { const int* y = t; x[0] = y[x[1]]; }",
        "reference to __host__ variable 't' in device code",
    ),
    (
        "constexpr int t = 2;\n__global__ void k(int* x) { const int& y = t; x[0] = y; }",
        "reference to __host__ variable 't' in device code",
    ),
    (
        "struct S { int a; __device__ int f() const { return a; } }; constexpr S t{1};\n"
        "__global__ void k(int* x) { x[0] = t.f(); }",
        "reference to __host__ variable 't' in device code",
    ),
    (
        "struct S { int a; constexpr int f(int b) const { return a + b; } };\n"
        "constexpr S t{1};\n"
        "__global__ void k(int* x) { x[0] = t.f(x[1]); }",
        "reference to __host__ variable 't' in device code",
    ),
    (
        "struct S { int a; __device__ S(const int& b) : a(b) {} }; constexpr int t = 1;\n"
        "__global__ void k(int* x) { S s(t); x[0] = s.a; }",
        "reference to __host__ variable 't' in device code",
    ),
    (
        "__device__ int f(const int& a) { return a; } constexpr int t = 1;\n"
        "__global__ void k(int* x) { x[0] = f(t); }",
        "reference to __host__ variable 't' in device code",
    ),
    (
        "static const float t[2] = {1, 2};\n"
        "__global__ void k(float* x) { x[0] = t[threadIdx.x]; }",
        "reference to __host__ variable 't' in device code",
    ),
    (
        "void f() { auto g = [] __device__(int x) { return x; }; }",
        "__device__ on a lambda needs nvcc's --extended-lambda",
    ),
    (
        "template <typename T> __global__ void k(T) {}\n"
        "void f() { struct S {}; k<<<1, 1>>>(S{}); }",
        "the type 'S' is local to host code and cannot be a kernel's template argument",
    ),
    (
        "__global__ void k(float* x) { float t[4]; x[0] = t[1]; t[1] = 2; }",
        "variable 't' is used before it is set",
    ),
    (
        "__device__ int v; int f() { return v; }",
        "a __device__ variable, 'v', is read by host code",
    ),
    (
        "__device__ int v; void f() { v = 1; }",
        "a __device__ variable, 'v', is written by host code",
    ),
    ("void f() {}\nvoid f() {}", "redefinition of 'f'"),
    *(
        (f"{PAIR} __device__ {code}", "invalid narrowing conversion from 'int' to 'float'")
        for code in (
            "float g(int i) { return f({i}); }",
            "float g(int i) { const float v{f({i}) + 1}; return v; }",  # also within a value
            "float g(int i) { return h({1, i}); }",
            "float g(int i) { return h(P{i, 1}); }",
            "float g(int i) { return P{i, 1}.x; }",
            "P g(int i) { return P{i, 1}; }",
            "float g(int i) { return {i}; }",
            "float g(int i) { float v; v = {i}; return v; }",
            "P g(int i) { P p; p = {i, 1}; return p; }",
            "float* g(int i) { return new float{i}; }",
            "float g(int i) { return t<float>({i}); }",
            "float g(int i) { auto l = [](float x) { return x; }; return l({i}); }",
            "float g(int i) { auto l = [](int j) -> float { return {j}; }; return l(i); }",
        )
    ),
    (
        "__device__ int f(double x) { return {x}; }",
        "invalid narrowing conversion from 'double' to 'int'",
    ),
    (
        "__device__ char f() { return {300}; }",
        "constant expression evaluates to 300 which cannot be narrowed to type 'char'",
    ),
]

RIGHT = [  # just inside of the rules
    *(
        f"{PAIR} __device__ {code}"  # nvcc warns of them at most
        for code in (
            "float g(int i) { return f(float{i}) + c({i}) + c(C{i}); }",
            "float g(int i) { float v{i}, w = {i}; P p{i, i}, q = P{i, i}; return v * w; }",
            "float g(int i) { float v = h({i, 1}) + h(P{i, 1}); return v; }",
            "float g(int i) { auto [x, y] = P{i, i}; return x + y; }",
            "float g(int i) { auto l = [p = P{i, i}] { return p.x; }; return l(); }",
            "P g(int i) { return {i, 1}; }",
            "C g(int i) { return {i}; }",
            "float g() { return f({1}) + f({1.5}) + f({1e40}); }",
            "float g() { const double x = 0.1; return {x}; }",
            "long long g(unsigned i) { return {i + 1}; }",
        )
    ),
    # What a template's arguments decide.
    f"{PAIR} template <class T> __device__ T g(int i) {{ T v; v = {{i}}; return {{i}}; }}"
    "__global__ void k(float* x) { x[0] = g<float>(1); }",
    f"{PAIR} struct Q {{ P p; __device__ Q(int i) : p{{i, i}} {{}} }};",
    f"{PAIR} struct Q {{ P p; __device__ Q(int i) : p({{i, i}}) {{}} }};",
    "__global__ void k(int* x) { x[0] = __builtin_popcount(x[1]) + __builtin_ctz(8); }",
    "__host__ __device__ int f(int x) { return __builtin_ctz(x); }",
    "constexpr int c = 1, d = 2; "
    "__device__ int f(const int& a, const int& b) { return a + b; } "
    "__global__ void k(int* x) { constexpr int e = 3; x[0] = f(x[1], int(c)) "
    "+ f(int(c), d + 0) + f(x[1], e); }",
    "__launch_bounds__(64) __global__ void k() {}",
    "struct S { static __device__ void f() {} };",
    "static inline __device__ int x; namespace { __device__ inline int y; }",
    "inline constexpr int x = 1;",
    "struct P { int x; }; struct S { int P::*m; }; __global__ void k(S s) {}",
    "struct P { int x; }; template <class T> __global__ void k(T field) {}",
    "__global__ void k(const __grid_constant__ int x) {}",
    "struct S { char x[32764]; }; __global__ void k(S s) {}",
    "template <typename... A> __global__ void k(A*... a) {}",
    "__global__ void k(float* x) { __shared__ char a[49151], b[1]; x[0] = a[0] + b[0]; }",
    "__constant__ char a[65535]; __constant__ char b;",
    "__constant__ int c; __device__ int f() { int d = c; d = 2; return d == c; }",
    "__device__ int* __constant__ p; __device__ void f() { *p = 2; p[1] = 3; }",
    "__device__ void f(); __global__ void k() { f(); }\n__device__ void f() {}",
    "constexpr int t[2] = {1, 2}; "
    "__global__ void k(int* x) { constexpr int y = t[1]; int z[t[0]]; x[0] = y + sizeof t; }",
    "constexpr int c = 1, d = 2; __device__ constexpr int f(const int& a, const int& b) "
    "{ return a + b; } __global__ void k(int* x) { x[0] = f(c, d); }",
    "struct P { int a, b[2]; constexpr int f() const { return a; } }; constexpr P p{1, {2, 3}};"
    "__device__ int g(P q) { return q.b[1]; } "
    "__global__ void k(int* x) { P q = p; x[0] = p.a + p.f() + g(p) + q.b[x[1]]; }",
    "template <int K> struct S { static constexpr int v[2] = {K, K}; "
    "template <int J> __device__ static int f() { return v[J]; } }; "
    "__global__ void k(int* x) { x[0] = S<3>::f<1>() + S<3>::v[0]; }",
    "void f() { auto g = [](int x) { return x; }; g(1); }",
    "struct S {}; template <typename T> __global__ void k(T) {}\n"
    "void f() { k<<<1, 1>>>(S{}); }",
    "__global__ void k(float* x) { float t[4]; t[1] = 2; x[0] = t[1]; }",
    "__global__ void k(float* x) { float t[4] = {}; x[0] = t[1]; }",
    "__global__ void k(float* x) { float t[2];\n"
    "for (int i = 0; i < 3; ++i) { if (i) x[0] = t[1]; t[1] = 2; } }",
    "__device__ int v; void f() { int x; cudaMemcpyFromSymbol(&x, v, sizeof x); }",
    "__managed__ int v; int f() { return v; }",
]


@pytest.mark.parametrize(("text", "words"), BROKEN, ids=[words for _, words in BROKEN])
def test_what_nvcc_refuses(said, text, words):
    lines = text.count("\n") + 1
    assert said(text) == [(lines, words)]


@pytest.mark.parametrize("text", RIGHT)
def test_what_nvcc_takes(said, text):
    assert said(text) == []


def test_a_checked_call_costs_no_tokens(said, monkeypatch):
    """Tokens of a macro's inside reach from its definition to its use: thousands."""
    read = []
    monkeypatch.setattr(nvcc_rules, "_operator", lambda *args: read.append(args) or "=")
    text = "#define CHECK(x) do { int e = 0; e = x; if (e != 0) e += 1; } while (0)\n"
    assert said(text + "int f(int n) { CHECK(n); CHECK(2 * n); return n; }") == [] == read
    [(_, words)] = said("__constant__ int c; __global__ void k(int n) { c = n; }")
    assert "__constant__" in words and len(read) == 1


def test_only_the_learners_files_are_judged(said, tmp_path):
    (tmp_path / "other.cuh").write_text("inline __device__ int x;\n")
    assert said('#include "other.cuh"\n') == []


LISTS = (
    "#include <initializer_list>\n#include <vector>\n"
    "struct W { short x = 0; __host__ __device__ W(std::initializer_list<short>) {} };\n"
    "struct B { __host__ __device__ B(float, std::initializer_list<float>) {} };\n"
    "struct P { short x, y; };\n"
)


@pytest.mark.parametrize(
    ("body", "is_refused"),
    [
        ("std::initializer_list<short> l = {1, short(i), i};", True),
        ("std::initializer_list<float> l{x, d};", True),
        ("W w{1, i};", True),
        ("W w = {1, i};", True),
        ("new W{1, i};", True),
        ("W w{1, 70000};", True),
        ("B b(x, {x, d});", True),
        ("B b{x, {x, d}};", True),
        ("std::initializer_list<std::initializer_list<short>> l = {{1, i}};", True),
        ("W w{1, 7, 8L};", False),
        ("const int c = 5; W w{1, c};", False),
        ("std::initializer_list<P> l = {{i, i}};", False),
        ("std::initializer_list<float> l = {float{i}};", False),
    ],
)
def test_a_list_does_not_narrow(said, body, is_refused):
    text = f"{LISTS}__global__ void k(float x, double d, int i) {{ {body} }}\n"
    found = said(text)
    assert [line for line, _ in found] == [6] * is_refused, found


OF_CUB = """#include <cub/cub.cuh>
#include <thrust/execution_policy.h>
#include <thrust/sort.h>
struct OfGpu { __device__ bool operator()(float x, float y = 0) const { return x > y; } };
struct OfHost { bool operator()(float x, float y = 0) const { return x > y; } };
void f(const float* x, float* out, int* count, int n) {
    size_t bytes = 0;
    struct Local { __device__ bool operator()(float x, float y = 0) const { return x > y; } };
    cub::DeviceSelect::If(nullptr, bytes, x, out, count, n, %s);
    thrust::sort(thrust::device, out, out + n, %s);
}
"""


@pytest.mark.parametrize(
    ("functor", "words"),
    [
        ("OfGpu()", None),
        ("OfHost()", "call to __host__ function from __device__ function"),
        ("[](float x) { return x > 0; }", "the type of a lambda is local to host code"),
        ("Local()", "the type 'Local' is local to host code"),
    ],
)
def test_what_cub_calls_on_the_gpu_is_judged(said, functor, words):
    found = said(OF_CUB % (functor, functor.replace("float x", "float x, float y")))
    assert [line for line, _ in found] == [9, 10][: 2 * (words is not None)]
    assert all(told.startswith(words) for _, told in found)
