"""Which structs of a file the tracer is told of, and what is written behind them."""

import pytest

from helpers.emulator.copied_structs import declared, uses_vectors
from helpers.emulator.translate import translate


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("struct A { float x, y; };", ["A"]),
        ("struct alignas(8) A final : B { float x; } a;", ["A"]),
        ("struct __align__(4 * (1 + 1)) A\n{\n    float v[2];\n};", ["A"]),
        ("typedef struct { float x; } A;", ["A"]),
        ("typedef struct tag { float x; } A, *Pointer;", ["A"]),
        ("#include <vector>\nstruct A { float x; };", ["A"]),
        ("union A { float x; int i; };", ["A"]),
        ("struct { float x; } a;", []),
        ("struct A;", []),
        ("template <typename T> struct A { T x; };", []),
        ("#define STRUCT(A) struct A { int x; };", []),
        ("#define STRUCT(A) \\\n    struct A { int x; };", []),
        ("struct A f() { return {}; }", []),
        ("struct A { int x;", []),
        ("struct A { struct B; };\nstruct A::B : C { int y; };", ["A"]),
    ],
)
def test_structs_that_are_declared(text, names):
    assert [name for _, name in declared(text)] == names


def test_those_at_file_scope_are_told_behind_their_end():
    text = "namespace n { struct A { int x; struct B { int y; }; }; }\n"
    text += "void f() { struct C { int z; }; }"
    told = text.replace("}; }\n", "}; EMULATOR_STRUCT(A, false) }\n")
    assert translate(text, "k.cu").endswith(told)
    assert "EMULATOR_STRUCT(A, true)" in translate(text + "float4 x;", "k.cu")


@pytest.mark.parametrize(("text", "uses"), [("double2 x;", True), ("my_float4 x;", False)])
def test_vectors_of_16_bytes(text, uses):
    assert uses_vectors(text) == uses
