"""C types: their spellings, ranges and constants."""

import ctypes

import pytest
import torch

from helpers.run.c_types import (
    DTYPES,
    SCALARS,
    aliases,
    canonical,
    constants,
    evaluate,
    integer_range,
    named,
)


@pytest.mark.parametrize(
    ("words", "name"),
    [
        ("unsigned", "uint32_t"),
        ("unsigned int", "uint32_t"),
        ("uint", "uint32_t"),
        ("long", "int64_t"),
        ("long int", "int64_t"),
        ("long  long", "int64_t"),
        ("long long int", "int64_t"),
        ("std::ptrdiff_t", "int64_t"),
        ("ssize_t", "int64_t"),
        ("std::size_t", "uint64_t"),
        ("unsigned long", "uint64_t"),
        ("unsigned long int", "uint64_t"),
        ("unsigned long long", "uint64_t"),
        ("unsigned long long int", "uint64_t"),
        ("short", "int16_t"),
        ("short int", "int16_t"),
        ("unsigned short", "uint16_t"),
        ("char", "int8_t"),
        ("signed char", "int8_t"),
        ("unsigned char", "uint8_t"),
        ("signed", "int"),
        ("signed int", "int"),
        ("nv_half", "half"),
        ("nv_bfloat16", "__nv_bfloat16"),
        ("float32_t", "float"),
        ("float", "float"),
        ("my_type", "my_type"),
    ],
)
def test_a_type_has_one_name(words, name):
    assert canonical(words) == name


ALIASES = """
using bf16 = __nv_bfloat16;
typedef unsigned char byte;
#define real float
using Real = real;
#define THREADS 256
using again = again;
#if DOUBLE
using number = double;
#else
using number = float;
#endif
template <typename T> using Pointer = T*;
"""


@pytest.mark.parametrize(
    ("words", "name"),
    [
        ("bf16", "__nv_bfloat16"),
        ("byte", "uint8_t"),
        ("Real", "float"),
        ("unsigned", "uint32_t"),
        ("THREADS", "THREADS"),
        ("again", "again"),
        ("number", "number"),  # which of both, only a build knows
        ("Pointer", "Pointer"),
    ],
)
def test_a_file_gives_types_names_of_its_own(words, name):
    assert named(words, aliases(ALIASES)) == name


@pytest.mark.parametrize(
    ("ctype", "dtype"),
    [
        ("float", torch.float32),
        ("double", torch.float64),
        ("half", torch.float16),
        ("__half", torch.float16),
        ("__nv_bfloat16", torch.bfloat16),
        ("__nv_fp8_e4m3", torch.float8_e4m3fn),
        ("__nv_fp8_e5m2", torch.float8_e5m2),
        ("int", torch.int32),
        ("int32_t", torch.int32),
        ("uint32_t", torch.uint32),
        ("int64_t", torch.int64),
        ("uint64_t", torch.uint64),
        ("int16_t", torch.int16),
        ("uint16_t", torch.uint16),
        ("uint8_t", torch.uint8),
        ("int8_t", torch.int8),
        ("bool", torch.bool),
    ],
)
def test_the_dtype_of_a_tensor_s_elements(ctype, dtype):
    assert DTYPES[ctype] is dtype


@pytest.mark.parametrize(
    ("ctype", "bounds"),
    [
        ("int", (-(2**31), 2**31 - 1)),
        ("int32_t", (-(2**31), 2**31 - 1)),
        ("uint32_t", (0, 2**32 - 1)),
        ("int64_t", (-(2**63), 2**63 - 1)),
        ("uint64_t", (0, 2**63 - 1)),
        ("int16_t", (-(2**15), 2**15 - 1)),
        ("uint8_t", (0, 255)),
        ("bool", (0, 1)),
        ("float", None),
        ("double", None),
        ("half", None),
    ],
)
def test_the_range_of_a_scalar(ctype, bounds):
    assert integer_range(ctype) == bounds


def test_the_constants_of_a_text():
    code = (
        "constexpr int kWidth = 4;\nstatic const float kHalf{0.5f};\n#define THREADS 256\n"
        "inline constexpr unsigned long kMask = 1u << 3;\nint not_one = 7;\n"
    )
    found = constants(code)
    assert found == {"kWidth": "4", "kHalf": "0.5f", "THREADS": "256", "kMask": "1u << 3"}


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("256", 256),
        ("0xFFu", 255),
        ("1'000", 1000),
        ("2 * kWidth + 1", 9),
        ("static_cast<int>(7) / 2", 3),
        ("-7 / 2", -3),
        ("(int64_t) 1 << 33", 1 << 33),
        ("1e-5f", 1e-5),
        ("2.f * 3", 6.0),
        ("7 % 4 | 8", 11),
        ("(6 & 3) ^ 1", 3),
        ("~0 >> 1", -1),
        ("+5 - 2", 3),
        ("1.0 / 4", 0.25),
    ],
)
def test_an_expression_is_computed_as_in_c(expression, value):
    got = evaluate(expression, {"kWidth": "4"})
    assert got == value and type(got) is type(value)


@pytest.mark.parametrize(
    "expression", ["unknown", "sizeof(int)", "1 / 0", "a b", "f(2)", '"text"', "loop", "True"]
)
def test_what_cannot_be_computed_is_none(expression):
    assert evaluate(expression, {"loop": "loop + 1"}) is None


def test_names_lead_to_names_twenty_deep():
    known = {"k0": "1"} | {f"k{i}": f"k{i - 1}" for i in range(1, 30)}
    assert evaluate("k19", known) == 1
    assert evaluate("k25", known) is None


def test_a_scalar_is_passed_as_a_number_of_its_own_width():
    assert {name: (ctypes.sizeof(c), c(3).value) for name, c in SCALARS.items()} == {
        **dict.fromkeys(("int", "int32_t", "uint32_t", "float"), (4, 3)),
        **dict.fromkeys(("int64_t", "uint64_t", "double"), (8, 3)),
        **dict.fromkeys(("int16_t", "uint16_t"), (2, 3)),
        **dict.fromkeys(("int8_t", "uint8_t"), (1, 3)),
        "bool": (1, True),
    }
    fractions = {name for name, c in SCALARS.items() if isinstance(c(3).value, float)}
    assert fractions == {"float", "double"}
    above = {name for name, c in SCALARS.items() if c(-1).value > 0}
    assert above == {*(f"uint{bits}_t" for bits in (8, 16, 32, 64)), "bool"}
