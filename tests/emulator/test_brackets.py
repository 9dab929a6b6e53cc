"""Brackets, callees and commas in C++ code."""

import pytest

from helpers.emulator.brackets import callee, closing, launcher_heads, split


@pytest.mark.parametrize(
    ("code", "start", "end"),
    [
        ("(a)", 0, 2),
        ("f(a[1], {2})", 1, 11),
        ("f(a[1], {2})", 3, 5),
        ("((()))", 1, 4),
        ("(a", 0, -1),
        ("", 0, -1),
    ],
)
def test_the_bracket_that_closes(code, start, end):
    assert closing(code, start) == end


@pytest.mark.parametrize(
    ("before", "found"),
    [
        ("x = kernel", "kernel"),
        ("x = kernel  \n ", "kernel  \n "),
        ("; a::b::kernel", "a::b::kernel"),
        ("; ::kernel", "::kernel"),
        ("{ kernel<float, 4>", "kernel<float, 4>"),
        ("{ kernel<(1 > 0), C<int>> ", "kernel<(1 > 0), C<int>> "),
        ("{ kernel<sizeof(a->b)>", "kernel<sizeof(a->b)>"),
        ("{ a<int>::kernel<4>", "a<int>::kernel<4>"),
        ("{ a<int>::template kernel<4>", "a<int>::template kernel<4>"),
        ("{ table.kernel", "table.kernel"),
        ("{ table->kernel", "table->kernel"),
        ("; kernels[k] ", "kernels[k] "),
        ("; one.kernels[f(k)][0]", "one.kernels[f(k)][0]"),
        ("{ (*pointer)", "(*pointer)"),
        ("{ (k<T, U>) ", "(k<T, U>) "),
        ("return kernel", "kernel"),
        ("; add_##version##_kernel", "add_##version##_kernel"),
        ("; add ## x", "add ## x"),
        ("; k<(K)> \\\n  ", "k<(K)> \\\n  "),
        ("; k<n / \\\n  2> ", "k<n / \\\n  2> "),
    ],
)
def test_where_a_callee_begins(before, found):
    assert before[callee(before, len(before)) :] == found


@pytest.mark.parametrize("before", ["", "  ", "; ", "a > b; c >", ">", "+ ", "}>"])
def test_where_there_is_no_callee(before):
    assert callee(before, len(before)) == -1


def test_only_what_stands_before_the_position_counts():
    assert callee("one two three", 7) == 4


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("", [""]),
        ("a, b", ["a", " b"]),
        ("f(a, b), c<d, e>, {1, 2}, x[1, 2]", ["f(a, b)", " c<d, e>", " {1, 2}", " x[1, 2]"]),
        ("a,", ["a", ""]),
    ],
)
def test_parts_between_commas(text, parts):
    assert split(text) == parts


def test_less_and_greater_are_no_brackets_where_the_caller_says_so():
    assert split("q >> 4, (1, 2)", ("(", ")")) == ["q >> 4", " (1, 2)"]


@pytest.mark.parametrize(
    ("code", "heads"),
    [
        ('extern "C" void f(int n) {}', ["void f"]),
        ('extern "C" __attribute__((visibility("       "))) void f(int n) {}', ["void f"]),
        ('extern "C" [[gnu::cold]] unsigned long long* f(int n);', ["unsigned long long* f"]),
        ('extern "C" cudaError_t __attribute__((noinline)) f() {}', ["cudaError_t f"]),
        ('extern "C" auto f(int n) noexcept -> cudaError_t { return e; }', ["cudaError_t f"]),
        (
            'extern "C" { auto f() -> void\n{ g(); } void h() noexcept {} }',
            ["void f", "void h"],
        ),
        ('extern "C" { [[gnu::cold]] void f(); static void g() {} void h() {} }', ["void h"]),
        ('extern "C" __global__ void k(int n) {}', []),
    ],
)
def test_the_heads_of_launchers(code, heads):
    assert [f"{one.returns} {one.name}" for one in launcher_heads(code)] == heads
