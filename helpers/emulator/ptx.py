"""Translate the common one-line instructions of inline PTX into C++ for the CPU.

`asm("ex2.approx.f32 %0, %1;" : "=f"(y) : "f"(x))` becomes `y = exp2f(x)`. Instructions and
their operands: NVIDIA, Parallel Thread Execution ISA. What is not understood is left to the
caller.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Set
from typing import NamedTuple

from helpers.emulator.brackets import CLOSE, OPEN, closing, split

SPECIAL_REGISTERS = (
    "laneid warpid nwarpid smid nsmid lanemask_eq lanemask_lt lanemask_le lanemask_gt "
    "lanemask_ge clock clock64 globaltimer gridid"
).split()

# A type of PTX and the C++ type that holds it.
TYPES = {
    **{f"{letter}{bits}": f"int{bits}_t" for letter in "s" for bits in (8, 16, 32, 64)},
    **{f"{letter}{bits}": f"uint{bits}_t" for letter in "ub" for bits in (8, 16, 32, 64)},
    "f32": "float",
    "f64": "double",
}
_INTEGER = r"(?P<t>[su](?:16|32|64))"
_CONVERTED = {"s32": "int", "u32": "uint", "s64": "ll", "u64": "ull"}  # as CUDA names them
_WAYS = {"n": "n", "z": "z", "m": "d", "p": "u"}  # to round, as CUDA's functions name them
_COMPARED = {"eq": "==", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">="}
_COMPARED |= {"lo": "<", "ls": "<=", "hi": ">", "hs": ">="}  # of unsigned numbers
# A type that CUDA's atomic functions take.
_ATOMIC = {"s32": "int", "u32": "unsigned", "b32": "unsigned", "f32": "float", "f64": "double"}
_ATOMIC |= {"u64": "unsigned long long", "b64": "unsigned long long", "s64": "long long"}
_ATOMICS = {"add": "Add", "min": "Min", "max": "Max", "and": "And", "or": "Or", "xor": "Xor"}
_ATOMICS |= {"exch": "Exch", "inc": "Inc", "dec": "Dec", "cas": "CAS"}
_SPACES = {"shared": "__isShared", "global": "__isGlobal", "local": "__isLocal"}
_SPACES |= {"const": "__isConstant"}
_TESTED = {
    "infinite": "isinf({1})",
    "finite": "isfinite({1})",
    "number": "(!isnan({1}))",
    "notanumber": "isnan({1})",
}
_OF_HALVES = {
    **{"add": "a + b", "sub": "a - b", "mul": "a * b", "fma": "a * b + c", "neg": "-a"},
    **{"min": "::fmin(a, b)", "max": "::fmax(a, b)", "abs": "::fabs(a)"},
}
_OF_HALVES |= {"ex2": "::exp2(a)", "tanh": "::tanh(a)"}
_BUILT_IN = {
    "tid": "::emulator::thread_index",
    "ntid": "::emulator::block_size",
    "ctaid": "::emulator::block_index",
    "nctaid": "::emulator::grid_size",
}
_MBARRIER = r"(?:\.\w+)*?\.shared(?:::cta)?\.b64"
# Factors of mma: the words of include/emulator_ptx.h, and how many registers of b an 8 of k is.
_FACTORS = {"f16": "OfHalf", "bf16": "OfBfloat", "tf32": "OfTf32"}
_FACTORS |= {"s8": "OfBytes<int8_t>", "u8": "OfBytes<uint8_t>"}
_OF_A_STEP = {"f16": 8, "bf16": 8, "tf32": 4, "s8": 16, "u8": 16}  # numbers of k
_WHERE = (
    r"(?:\.(?P<strong>relaxed|acquire|release|acq_rel))?(?:\.(?P<scope>cta|cluster|gpu|sys))?"
    r"(?:\.(?:global|shared(?:::\w+)?))?"
)
_T = rf"(?P<t>{'|'.join(TYPES)})"
_INTEGER_OF_ANY_SIZE = r"(?P<t>[su](?:8|16|32|64))"
# How strong an access is, for the memory model: as an atomic's, and for whom.
_STRONG = (
    r"(?:\.(?P<strong>volatile|(?:relaxed|acquire|release)\.(?:cta|cluster|gpu|sys))|\.weak)?"
)
_CACHE = r"(?:\.(?:nc|ca|cg|cs|cv|lu|wb|wt|L[12]::\w+))*"

# The instruction, and what it computes from its operands {1}, {2}, ...; {0} is its result.
# {t} is the C++ type, {v} the number of a vector's elements.
_VALUES = (
    (r"mov\.b(?P<bits>32|64)", "move"),
    (r"mov\.\w+", "{1}"),
    (r"ex2\.approx(?:\.ftz)?\.f32", "exp2f({1})"),
    (r"lg2\.approx(?:\.ftz)?\.f32", "log2f({1})"),
    (r"rcp\.(?:approx|rn)(?:\.ftz)?\.f32", "(1.0f / {1})"),
    (r"rsqrt\.approx(?:\.ftz)?\.f32", "rsqrtf({1})"),
    (r"sqrt\.(?:approx|rn)(?:\.ftz)?\.f32", "sqrtf({1})"),
    (r"(?P<f>sin|cos|tanh)\.approx(?:\.ftz)?\.f32", "{f}f({1})"),
    (r"(?:add|sub|mul|div)(?:\.rn|\.approx|\.full|\.ftz)*\.(?:f32|f64)", "({1} {sign} {2})"),
    (r"(?:add|sub|mul)(?:\.rn|\.ftz)*\.sat\.f32", "__saturatef({1} {sign} {2})"),
    (
        r"(?:add|sub)\.sat\.s32",
        "::emulator::saturated<int32_t>(int64_t{{int32_t({1})}} {sign} int32_t({2}))",
    ),
    (rf"(?:add|sub)\.{_T}", "static_cast<{t}>({1} {sign} {2})"),
    (rf"(?:(?:add|sub)c(?:\.cc)?|(?:add|sub|mad\.(?:lo|hi))\.cc)\.{_T}", "carry"),
    (rf"madc\.(?:lo|hi)(?:\.cc)?\.{_T}", "carry"),
    (r"elect\.sync", "elect"),
    (r"bar(?:rier)?(?:\.cta)?\.red\.(?P<how>popc\.u32|and\.pred|or\.pred)", "all"),
    (r"createpolicy\.fractional(?:\.L2::\w+)+\.b64", "0"),
    (
        r"isspacep\.(?P<space>shared(?:::cta)?|global|local|const)",
        "{space}(reinterpret_cast<const void*>(::emulator::address({1}, 0)))",
    ),
    (
        r"ldmatrix\.sync\.aligned\.m8n8\.x(?P<v>[124])(?P<tr>\.trans)?(?:\.shared(?:::cta)?)?\.b16",
        "rows",
    ),
    (r"movmatrix\.sync\.aligned\.m8n8\.trans\.b16", "::emulator::transposed({1})"),
    (
        r"mma\.sync\.aligned\.m16n8k(?P<k>4|8|16|32)\.row\.col\.(?P<d>f32|f16|s32)"
        r"\.(?P<of>f16|bf16|tf32|s8|u8)\.(?P=of)\.(?P=d)",
        "product",
    ),
    (
        rf"mbarrier\.(?P<how>arrive|arrive_drop|test_wait|try_wait)(?P<odd>\.parity)?{_MBARRIER}",
        "barrier",
    ),
    (
        r"cvt(?:\.r(?P<f>[nzmp])i)?\.sat\.(?P<t>[su](?:8|16|32|64))\.(?P<from>[su](?:8|16|32|64)|f32|f64)",
        "::emulator::saturated<{t}>({rounded}(static_cast<{s}>({1})))",
    ),
    (rf"mul\.lo\.{_T}", "static_cast<{t}>({1} * {2})"),
    (r"mul\.hi\.u32", "__umulhi({1}, {2})"),
    (r"mul\.hi\.s32", "__mulhi({1}, {2})"),
    (r"mul\.hi\.u64", "__umul64hi({1}, {2})"),
    (r"mul\.hi\.s64", "__mul64hi({1}, {2})"),
    (r"mad\.hi\.u32", "(__umulhi({1}, {2}) + {3})"),
    (r"mad\.hi\.s32", "(__mulhi({1}, {2}) + {3})"),
    (r"(?:fma|mad)\.rn(?:\.ftz)?\.f32", "fmaf({1}, {2}, {3})"),
    (r"(?:fma|mad)\.rn(?:\.ftz)?\.sat\.f32", "__saturatef(fmaf({1}, {2}, {3}))"),
    (r"(?:fma|mad)\.rn\.f64", "fma({1}, {2}, {3})"),
    (rf"mad\.lo\.{_T}", "static_cast<{t}>({1} * {2} + {3})"),
    (r"(?P<f>max|min)(?:\.ftz)?\.f32", "f{f}f({1}, {2})"),
    (r"(?P<f>max|min)(?:\.ftz)?\.NaN\.f32", "::emulator::or_nan(f{f}f, {1}, {2})"),
    (r"(?P<f>max|min)\.f64", "f{f}({1}, {2})"),
    (r"(?P<f>max|min)\.(?P<u>[su])16x2", "__v{f}{u}2({1}, {2})"),
    (r"add\.[su]16x2", "__vadd2({1}, {2})"),
    (rf"(?P<f>max|min)\.{_T}", "{f}(static_cast<{t}>({1}), static_cast<{t}>({2}))"),
    (r"abs(?:\.ftz)?\.f32", "fabsf({1})"),
    (r"neg(?:\.ftz)?\.(?:f32|f64|s32|s64)", "(-{1})"),
    (rf"(?:div|rem)\.{_INTEGER}", "(static_cast<{t}>({1}) {sign} static_cast<{t}>({2}))"),
    (
        rf"setp\.(?P<c>{'|'.join(_COMPARED)})\.(?P<and>and|or|xor)(?:\.ftz)?\.{_T}",
        "((static_cast<{t}>({1}) {compared} static_cast<{t}>({2})) {joined} bool({3}))",
    ),
    (r"(?P<and>and|or|xor)\.pred", "(bool({1}) {joined} bool({2}))"),
    (r"not\.pred", "(!{1})"),
    (r"vote\.sync\.(?P<f>all|any)\.pred", "__{f}_sync({2}, {1})"),
    (r"testp\.(?P<test>\w+)\.f(?:32|64)", "{tested}"),
    (rf"slct(?:\.ftz)?\.{_T}\.f32", "static_cast<{t}>({3} >= 0 ? {1} : {2})"),
    (rf"slct\.{_T}\.s32", "static_cast<{t}>(int32_t({3}) >= 0 ? {1} : {2})"),
    (
        r"(?P<f>add|sub|mul|fma|min|max|neg|abs|ex2|tanh)(?:\.rn|\.approx|\.ftz)*"
        r"\.(?P<half>b?f16)(?P<two>x2)?",
        "halves",
    ),
    (
        rf"setp\.(?P<c>{'|'.join(_COMPARED)})(?:\.ftz)?\.{_T}",
        "(static_cast<{t}>({1}) {compared} static_cast<{t}>({2}))",
    ),
    (rf"selp\.{_T}", "({3} ? static_cast<{t}>({1}) : static_cast<{t}>({2}))"),
    (
        r"mul\.wide\.(?P<u>u?)(?P<s>s?)16",
        "static_cast<{u}int32_t>(static_cast<{u}int16_t>({1})) * static_cast<{u}int16_t>({2})",
    ),
    (
        r"mul\.wide\.(?P<u>u?)(?P<s>s?)32",
        "static_cast<{u}int64_t>(static_cast<{u}int32_t>({1})) * static_cast<{u}int32_t>({2})",
    ),
    (
        r"mad\.wide\.(?P<u>u?)(?P<s>s?)32",
        "(static_cast<{u}int64_t>(static_cast<{u}int32_t>({1})) * static_cast<{u}int32_t>({2})"
        " + {3})",
    ),
    (r"shf\.(?P<f>l|r)\.wrap\.b32", "__funnelshift_{f}({1}, {2}, {3})"),
    (r"shf\.(?P<f>l|r)\.clamp\.b32", "__funnelshift_{f}c({1}, {2}, {3})"),
    (r"dp2a\.(?P<f>lo|hi)\.s32\.s32", "__dp2a_{f}(int32_t({1}), int32_t({2}), int32_t({3}))"),
    (
        r"dp2a\.(?P<f>lo|hi)\.u32\.u32",
        "__dp2a_{f}(uint32_t({1}), uint32_t({2}), uint32_t({3}))",
    ),
    (r"dp4a\.s32\.s32", "__dp4a(int32_t({1}), int32_t({2}), int32_t({3}))"),
    (r"dp4a\.u32\.u32", "__dp4a(uint32_t({1}), uint32_t({2}), uint32_t({3}))"),
    (r"dp4a\.u32\.s32", "::emulator::dot<uint8_t, int8_t>({1}, {2}, int32_t({3}))"),
    (r"dp4a\.s32\.u32", "::emulator::dot<int8_t, uint8_t>({1}, {2}, int32_t({3}))"),
    (r"dp2a\.lo\.u32\.s32", "::emulator::dot<uint16_t, int8_t>({1}, {2}, int32_t({3}))"),
    (r"dp2a\.lo\.s32\.u32", "::emulator::dot<int16_t, uint8_t>({1}, {2}, int32_t({3}))"),
    (
        r"dp2a\.hi\.u32\.s32",
        "::emulator::dot<uint16_t, int8_t>({1}, uint32_t({2}) >> 16, int32_t({3}))",
    ),
    (
        r"dp2a\.hi\.s32\.u32",
        "::emulator::dot<int16_t, uint8_t>({1}, uint32_t({2}) >> 16, int32_t({3}))",
    ),
    (r"copysign\.f32", "copysignf({2}, {1})"),
    (r"cvt\.rni(?:\.ftz)?\.f32\.f32", "rintf({1})"),
    (r"cvt\.rmi(?:\.ftz)?\.f32\.f32", "floorf({1})"),
    (r"cvt\.rpi(?:\.ftz)?\.f32\.f32", "ceilf({1})"),
    (r"cvt\.rzi(?:\.ftz)?\.f32\.f32", "truncf({1})"),
    (r"cvt(?:\.ftz)?\.sat\.f32\.f32", "__saturatef({1})"),
    (r"match\.any\.sync\.b32", "__match_any_sync({2}, {1})"),
    (r"activemask\.b32", "__activemask()"),
    (r"vote\.sync\.ballot\.b32", "__ballot_sync({2}, {1})"),
    (r"shfl\.sync\.(?P<h>bfly|up|down|idx)\.b32", "shuffle"),
    (r"redux\.sync\.(?P<f>add|min|max|and|or|xor)\.[sub]32", "__reduce_{f}_sync({2}, {1})"),
    (rf"atom{_WHERE}\.(?P<a>{'|'.join(_ATOMICS)})\.(?P<at>[a-z]\d\d)", "{atomic}"),
    (r"and\.b\d+", "({1} & {2})"),
    (r"or\.b\d+", "({1} | {2})"),
    (r"xor\.b\d+", "({1} ^ {2})"),
    (r"not\.b\d+", "(~{1})"),
    (rf"shl\.{_T}", "::emulator::shifted_left(static_cast<{t}>({1}), {2})"),
    (rf"shr\.{_T}", "::emulator::shifted_right(static_cast<{t}>({1}), {2})"),
    (r"popc\.b32", "__popc({1})"),
    (r"popc\.b64", "__popcll({1})"),
    (r"clz\.b32", "__clz({1})"),
    (r"clz\.b64", "__clzll({1})"),
    (r"brev\.b32", "__brev({1})"),
    (r"brev\.b64", "__brevll({1})"),
    (r"prmt\.b32", "__byte_perm({1}, {2}, {3})"),
    (r"bfind\.u32", "(31 - __clz({1}))"),
    (r"bfind\.u64", "(63 - __clzll({1}))"),
    (r"bfind\.s32", "(31 - __clz(int32_t({1}) < 0 ? ~({1}) : ({1})))"),
    (r"bfind\.s64", "(63 - __clzll(int64_t({1}) < 0 ? ~({1}) : ({1})))"),
    (
        r"bfind\.shiftamt\.(?P<t>[us](?:32|64))",
        "::emulator::shift_to_top(static_cast<{t}>({1}))",
    ),
    (
        r"bfi\.b32",
        "(({2} & ~(((1ull << {4}) - 1) << {3})) | (({1} & ((1ull << {4}) - 1)) << {3}))",
    ),
    (
        r"bfi\.b64",
        "::emulator::inserted({1}, {2}, {3}, {4})",
    ),
    (r"bmsk\.clamp\.b32", "::emulator::bit_mask({1}, {2})"),
    (r"bmsk\.wrap\.b32", "::emulator::bit_mask({1} & 31, {2} & 31)"),
    (
        r"szext\.clamp\.(?P<t>[us]32)",
        "::emulator::bit_field<{t}>({1}, 0, min(uint32_t({2}), 32u))",
    ),
    (r"szext\.wrap\.(?P<t>[us]32)", "::emulator::bit_field<{t}>({1}, 0, {2} & 31)"),
    (r"bfe\.(?P<t>[us](?:32|64))", "::emulator::bit_field<{t}>({1}, {2}, {3})"),
    (r"lop3\.b32", "::emulator::lop3({1}, {2}, {3}, {4})"),
    (r"cvt\.rn\.f32\.f64", "static_cast<float>({1})"),
    (rf"cvt\.rn\.f32\.{_INTEGER_OF_ANY_SIZE}", "static_cast<float>(static_cast<{t}>({1}))"),
    (r"cvt\.r[zmp]\.f32\.(?P<t>[su](?:8|16))", "static_cast<float>(static_cast<{t}>({1}))"),
    (r"cvt\.f(?:64\.f(?:32|64)|32\.f32)", "{1}"),
    (r"cvt\.f64\.f16", "::emulator::float_of_half({1})"),
    (rf"cvt\.rn\.f64\.{_INTEGER_OF_ANY_SIZE}", "static_cast<double>(static_cast<{t}>({1}))"),
    (r"cvt\.r[zmp]\.f64\.(?P<t>[su](?:8|16|32))", "static_cast<double>(static_cast<{t}>({1}))"),
    (
        r"cvt\.r(?P<f>[zmp])\.(?P<of>f32|f64)\.(?P<t>[su](?:32|64))",
        "__{integer}2{real}_r{direction}({1})",
    ),
    (r"cvt\.r(?P<f>[zmp])(?:\.ftz)?\.f32\.f64", "__double2float_r{direction}({1})"),
    (
        r"(?P<f>add|sub|mul|div)\.r(?P<way>[zmp])(?:\.ftz)?\.(?P<of>f32|f64)",
        "__{letter}{f}_r{way}({1}, {2})",
    ),
    (
        r"fma\.r(?P<way>[zmp])(?:\.ftz)?\.(?P<of>f32|f64)",
        "__fma{fma}_r{way}({1}, {2}, {3})",
    ),
    (
        r"(?P<f>sqrt|rcp)\.r(?P<way>[zmp])(?:\.ftz)?\.(?P<of>f32|f64)",
        "__{letter}{f}_r{way}({1})",
    ),
    (
        r"cvt\.rn\.f16x2\.f32",
        "(uint32_t{{::emulator::half_of({1})}} << 16 | ::emulator::half_of({2}))",
    ),
    (
        r"cvt\.rn\.bf16x2\.f32",
        "(uint32_t{{::emulator::bfloat_of({1})}} << 16 | ::emulator::bfloat_of({2}))",
    ),
    (
        r"cvt\.rn\.satfinite\.(?P<fp8>e4m3|e5m2)x2\.f32",
        "(::emulator::{fp8}_of({1}, true) << 8 | ::emulator::{fp8}_of({2}, true))",
    ),
    (
        r"cvt\.rn\.satfinite\.(?P<fp8>e4m3|e5m2)x2\.f16x2",
        "::emulator::{fp8}_of_halves({1})",
    ),
    (r"cvt\.rn\.f16x2\.(?P<fp8>e4m3|e5m2)x2", "::emulator::halves_of_{fp8}({1})"),
    (r"cvt\.rn\.f16\.f32", "::emulator::half_of({1})"),
    (r"cvt\.rn\.bf16\.f32", "::emulator::bfloat_of({1})"),
    (r"cvt\.f32\.f16", "::emulator::float_of_half({1})"),
    (r"cvt\.f32\.bf16", "::emulator::float_of_bfloat({1})"),
    (
        r"cvt\.r(?P<f>[nzmp])i(?:\.ftz)?\.(?P<t>[su](?:32|64))\.(?P<of>f32|f64)",
        "__{real}2{integer}_r{direction}({1})",
    ),
    (r"sqrt\.rn\.f64", "sqrt({1})"),
    (r"rcp\.rn\.f64", "(1.0 / {1})"),
    (r"abs\.f64", "fabs({1})"),
    (r"abs\.s32", "::abs(int32_t({1}))"),
    (r"abs\.s64", "::llabs({1})"),
    (r"rsqrt\.approx(?:\.ftz)?\.f64", "rsqrt({1})"),
    (r"rcp\.approx\.ftz\.f64", "(1.0 / {1})"),
    (r"cnot\.b(?:32|64)", "({1} == 0)"),
    (r"fns\.b32", "__fns({1}, {2}, {3})"),
    (
        rf"set\.(?P<c>{'|'.join(_COMPARED)})(?:\.ftz)?\.(?P<set>[su]32|f32)\.{_T}",
        "(static_cast<{t}>({1}) {compared} static_cast<{t}>({2}) ? {yes} : 0)",
    ),
    (
        r"cvt\.pack\.sat\.(?P<t>[su]8)\.s32\.b32",
        "::emulator::packed<{t}>({1}, {2}, {3})",
    ),
    (r"cvt\.pack\.sat\.(?P<t>[su]16)\.s32", "::emulator::packed<{t}>({1}, {2}, 0)"),
    (r"mul24\.lo\.s32", "__mul24({1}, {2})"),
    (r"mul24\.lo\.u32", "__umul24({1}, {2})"),
    (r"mul24\.hi\.s32", "::emulator::high_of_24<int32_t>({1}, {2})"),
    (r"mul24\.hi\.u32", "::emulator::high_of_24<uint32_t>({1}, {2})"),
    (r"mad24\.lo\.s32", "(__mul24({1}, {2}) + {3})"),
    (r"mad24\.lo\.u32", "(__umul24({1}, {2}) + {3})"),
    (r"mad24\.hi\.(?P<t>[us]32)", "(::emulator::high_of_24<{t}>({1}, {2}) + {3})"),
    (r"sad\.u32", "__usad({1}, {2}, {3})"),
    (r"sad\.s32", "__sad({1}, {2}, {3})"),
    (
        r"sad\.(?P<t>[us](?:16|64))",
        "::emulator::apart(static_cast<{t}>({1}), static_cast<{t}>({2})) + {3}",
    ),
    (
        r"mul\.hi\.(?P<t>[us]16)",
        "(static_cast<{t}>({1}) * int64_t{{static_cast<{t}>({2})}} >> 16)",
    ),
    (
        r"mad\.wide\.(?P<u>u?)(?P<s>s?)16",
        "(static_cast<{u}int32_t>(static_cast<{u}int16_t>({1})) * static_cast<{u}int16_t>({2})"
        " + {3})",
    ),
    (r"mad\.hi\.u64", "(__umul64hi({1}, {2}) + {3})"),
    (r"mad\.hi\.s64", "(__mul64hi({1}, {2}) + {3})"),
    (
        r"mad\.hi\.sat\.s32",
        "::emulator::saturated<int32_t>(int64_t{{__mulhi({1}, {2})}} + int32_t({3}))",
    ),
    (r"(?P<f>max|min)\.relu\.s32", "max({f}(int32_t({1}), int32_t({2})), 0)"),
    (r"(?P<f>max|min)\.relu\.s16x2", "__vmaxs2(__v{f}s2({1}, {2}), 0)"),
    (r"(?P<f>max|min)\.xorsign\.abs\.f32", "::emulator::with_both_signs(f{f}f, {1}, {2})"),
    (r"abs\.s16", "::abs(int16_t({1}))"),
    (r"neg\.s16", "(-{1})"),
    (r"copysign\.f64", "copysign({2}, {1})"),
    (r"cvt\.rni\.f64\.f64", "rint({1})"),
    (r"cvt\.rmi\.f64\.f64", "floor({1})"),
    (r"cvt\.rpi\.f64\.f64", "ceil({1})"),
    (r"cvt\.rzi\.f64\.f64", "trunc({1})"),
    (
        rf"cvt\.rn\.f16\.{_INTEGER_OF_ANY_SIZE}",
        "::emulator::half_of(static_cast<float>(static_cast<{t}>({1})))",
    ),
    # Out of range is the end of the range also without `.sat`.
    (
        r"cvt\.r(?P<f>[nzmp])i(?:\.ftz)?(?:\.sat)?\.(?P<t>[us](?:8|16|32))\.f16",
        "::emulator::saturated<{t}>({rounded}(::emulator::float_of_half({1})))",
    ),
    (
        r"cvt\.r(?P<f>[nzmp])i(?:\.ftz)?(?:\.sat)?\.(?P<t>[us]64)\.f16",
        "__float2{integer}_r{direction}(::emulator::float_of_half({1}))",
    ),
    (
        r"cvt\.r(?P<f>[nzmp])i(?:\.ftz)?\.(?P<t>[us](?:8|16))\.f(?:32|64)",
        "::emulator::saturated<{t}>({rounded}({1}))",
    ),
    (
        r"cvt\.r(?P<f>[nzmp])i\.f16\.f16",
        "::emulator::half_of({rounded}(::emulator::float_of_half({1})))",
    ),
    (r"match\.any\.sync\.b64", "__match_any_sync({2}, static_cast<unsigned long long>({1}))"),
    (
        r"v(?P<video>add|sub|absdiff|min|max)\.(?P<types>[us]32\.[us]32\.[us]32)(?P<sat>\.sat)?"
        r"(?:\.(?P<second>add|min|max))?",
        "video",
    ),
    (
        r"v(?P<video>add|sub|avrg|absdiff|min|max)(?P<v>[24])\.(?P<types>[us]32\.[us]32\.[us]32)"
        r"(?P<sat>\.sat)?(?:\.(?P<second>add))?",
        "video",
    ),
    (
        r"cvt\.(?P<t>[su](?:8|16|32|64))\.(?P<from>[su](?:8|16|32|64))",
        "static_cast<{t}>(static_cast<{s}>({1}))",
    ),
    (r"cvt\.sat\.f32\.f16", "__saturatef(::emulator::float_of_half({1}))"),
    (r"cvt\.sat\.f64\.f16", "double{{__saturatef(::emulator::float_of_half({1}))}}"),
    (
        r"cvt\.sat\.f16\.f16",
        "::emulator::half_of(__saturatef(::emulator::float_of_half({1})))",
    ),
    # Of the forms without a limit, those to the nearest half of a float stand above.
    (
        r"cvt\.r(?P<way>[nzmp])(?P<limit>\.sat|\.relu)?(?P<finite>\.satfinite)?"
        r"\.(?P<half>b?f16)(?P<two>x2)?\.(?P<t>f32|f64|[su](?:8|16|32|64))",
        "narrow",
    ),
    (r"cvt\.rna\.tf32\.f32", "((__float_as_uint({1}) + 0x1000u) & 0xffffe000u)"),
    (r"cvta(?:\.to)?\.(?:shared|global)\.u(?:32|64)", "::emulator::address({1})"),
    (
        rf"ld{_STRONG}(?:\.(?:global|shared(?:::cta)?|const))?{_CACHE}(?:\.v(?P<v>[24]))?\.{_T}",
        "load",
    ),
)
_ACTIONS = (
    (
        rf"st{_STRONG}(?:\.(?:global|shared(?:::cta)?))?{_CACHE}(?:\.v(?P<v>[24]))?\.{_T}",
        "store",
    ),
    (r"cp\.async\.c[ag]\.shared\.global(?:\.L2::\w+)*", "copy"),
    (r"cp\.async\.commit_group", "emulator_trace_commit(nullptr)"),
    (r"cp\.async\.wait_all", "emulator_trace_copies_done(nullptr, 0, true)"),
    (r"cp\.async\.wait_group", "emulator_trace_copies_done(nullptr, {0}, false)"),
    (r"prefetchu?\.(?:global\.)?L[12]", ""),
    (r"bar(?:rier)?(?:\.cta)?\.(?P<how>sync|arrive)(?:\.aligned)?", "meet"),
    (r"membar\.cta|fence\.\w+\.cta", "__threadfence_block()"),
    (r"membar\.(?:gl|sys)|fence\.\w+\.\w+", "__threadfence()"),
    (rf"mbarrier\.init{_MBARRIER}", "::emulator::MBarrier({0}).begin({1})"),
    (rf"mbarrier\.inval{_MBARRIER}", ""),
    (r"trap", "__trap()"),
    (r"brkpt", "__brkpt()"),
    (r"exit", "return"),
    (rf"red{_WHERE}\.(?P<a>{'|'.join(_ATOMICS)})\.(?P<at>[a-z]\d\d)", "reduce"),
    (r"bar\.warp\.sync", "__syncwarp({0})"),
    (r"nanosleep\.u32", "__nanosleep({0})"),
    (r"griddepcontrol\.(?:wait|launch_dependents)", ""),  # launches follow each other
)
CONSTRAINTS = tuple("hrlfd")  # of operands in registers
ALLOWED = "h, r, l, f, d, n"
_SIGNS = {"add": "+", "sub": "-", "mul": "*", "div": "/", "rem": "%"}
_REGISTER = re.compile(r"\.reg\s+\.(\w+)\s+([\w\s,$%]+)")
# A C++ type for each that a register can have.
_REGISTERS = {**TYPES, "pred": "bool", "f16": "uint16_t", "bf16": "uint16_t"}
_REGISTERS |= {"f16x2": "uint32_t", "bf16x2": "uint32_t"}
_GUARD = re.compile(r"@(!?)(\w+)\s+(.*)", re.S)
_CARRY, _NO_CARRY = "emulator_carry", "emulator_no_carry"
# A place that a branch of the same asm leads to, and the branch.
_LABEL = r"(?<![\w.:$%])([A-Za-z_]\w*)\s*:(?!:)"
_JUMP = re.compile(r"bra(?:\.uni)?\s+(\w+)")
_OWN = "emulator_r_"  # what the names of an asm's own registers begin with


_RAW = re.compile(r'\bR"(\w*)\(((?:(?!\)\1")[^"])*)\)\1"')
_STRINGS = re.compile(r'\s*((?:"(?:\\.|[^"\\])*"\s*)+)')


def _plain_strings(text: str) -> str:
    """Write raw strings as plain ones."""
    return _RAW.sub(lambda raw: f'"{raw[2]}"'.replace("\n", r"\n"), text)


def is_put_together(inside: str) -> bool:
    """Say whether macros give a part of an `asm`'s text, or one of its constraints."""
    text, *parts = _colons(_plain_strings(inside))
    constraints = (one for part in parts[:2] for one in split(part, (OPEN, CLOSE)))
    return bool(_STRINGS.sub("", text, count=1).strip()) or any(
        re.match(r'\s*(?:"[^"]*"\s*)*[A-Za-z_]\w*\s*\(', one) for one in constraints
    )


class _Asm(NamedTuple):
    """An inline assembly statement: its instructions, and its operands as (constraint, C++)."""

    text: str
    operands: list[tuple[str, str]]

    @classmethod
    def of(cls, inside: str) -> _Asm | None:
        """Read what stands between the brackets of `asm(...)`."""
        inside = _plain_strings(inside)
        strings = _STRINGS.match(inside)
        if not strings or is_put_together(inside):
            return None
        text = "".join(re.findall(r'"((?:\\.|[^"\\])*)"', strings[1]))
        text = re.sub(r"//.*?(?=\\n|$)|/\*.*?\*/", " ", text)
        operands = []
        for part in _colons(inside[strings.end() :])[1:3]:
            for operand in split(part, (OPEN, CLOSE)):
                match = re.match(r'\s*((?:"[^"]*"\s*)+)\(', operand)
                if not match:
                    if operand.strip():
                        return None
                    continue
                close = closing(operand, match.end() - 1)
                words = "".join(re.findall(r'"([^"]*)"', match[1]))
                operands.append((words, operand[match.end() : close].strip()))
        text = re.sub(r"\\[nt]", " ", text)
        return cls(text, operands)


def _colons(text: str) -> list[str]:
    """Split at the colons outside of brackets and strings; a `::` counts as two."""
    parts, depth, quoted, start = [], 0, False, 0
    for position, char in enumerate(text):
        if char == '"' and text[position - 1] != "\\":
            quoted = not quoted
        elif not quoted and char in "([{":
            depth += 1
        elif not quoted and char in ")]}":
            depth -= 1
        elif not quoted and not depth and char == ":":
            parts.append(text[start:position])
            start = position + 1
    return [*parts, text[start:]]


def translate(inside: str) -> str | None:
    """Return C++ for the arguments of an `asm`, None if an instruction is not known.

    Several instructions may follow each other, with registers and predicates of their own.
    """
    asm = _Asm.of(inside)
    if asm is None:
        return None
    text = _body(asm)
    statements = [f"bool {_CARRY} = false, {_NO_CARRY} = false"] if ".cc." in text else []
    own: set[str] = set()
    labels = re.findall(_LABEL, text)
    # In braces labels are those of this asm; else of the function, which has each only once.
    is_apart = labels and text != asm.text.strip()
    if is_apart:
        statements.append(f"{{ __label__ {', '.join(_OWN + one for one in labels)}")
    text = re.sub(_LABEL, r"\1:;", text) if labels else text
    for instruction in map(str.strip, text.split(";")):
        if instruction[:-1] in labels and instruction[-1:] == ":":
            statements.append(f"{_OWN}{instruction} (void)0")
            continue
        if declared := _REGISTER.fullmatch(instruction):
            ctype, names = _REGISTERS.get(declared[1]), re.findall(r"[^\s,]+", declared[2])
            if ctype is None or not all(map(str.isidentifier, names)):
                return None
            own.update(names)
            statements += [f"{ctype} {_OWN}{name}{{}}" for name in names]
            continue
        guard = _GUARD.fullmatch(instruction)
        if guard and guard[2] not in own:
            return None
        bare = guard[3] if guard else instruction
        if (jump := _JUMP.fullmatch(bare)) and jump[1] in labels:
            statement = f"goto {_OWN}{jump[1]}"
        else:
            statement = _instruction(bare, asm.operands, own)
        has_words = bool(statement) and any(
            "emulator_v" in one and "emulator_v" in statement for one in statements
        )
        if (labels and statement) or has_words:
            statement = f"{{ {statement}; }}"
        if instruction and statement is None:
            return None
        if guard:
            statement = f"if ({guard[1]}{_OWN}{guard[2]}) {{ {statement}; }}"
        statements.append(statement or "")
    if is_apart:
        statements.append("}")
    return " ".join(["do {", *(f"{one};" for one in statements if one), "} while (0)"])


def _body(asm: _Asm) -> str:
    """Return the instructions without the braces around all of them."""
    text = asm.text.strip()
    return text[1:-1].strip() if text.startswith("{") and text.endswith("}") else text


def lacks_semicolon(inside: str) -> bool:
    """Say whether the last instruction of an `asm` ends without its semicolon."""
    asm = _Asm.of(inside)
    return asm is not None and not re.search(r"[;}:]$|^$", _body(asm))


def ends_thread(inside: str) -> bool:
    """Say whether an `asm` has an `exit`."""
    asm = _Asm.of(inside)
    return asm is not None and re.search(r"(?:^|[\s;{])exit\s*;", _body(asm)) is not None


def constraints(inside: str) -> str:
    """Return assertions that the operands of an `asm` have the types that it says they have.

    nvcc refuses others, where the CPU would convert them: "r" for a float.
    """
    asm = _Asm.of(inside)
    said = [] if asm is None else asm.operands
    constants = (value for words, value in said if words == "n")
    wrong = [] if asm is None else _of_other_size(asm)
    return (
        " ".join(
            f'static_assert(false, "asm operand %{number} is not of the size of {kind}");'
            for number, kind in wrong
        )
        + " ".join(
            f"static_assert(::emulator::fits<'{words[-1]}', decltype(({value}))>(), "
            f"\"asm operand %{number} is not of the type that '{words[-1]}' means\");"
            for number, (words, value) in enumerate(said)
            if words[-1:] in CONSTRAINTS
        )
        + "".join(
            f"static_assert(false, \"asm constraint '{words[-1]}' is not one of {ALLOWED}\");"
            for words, _ in said
            if words[-1:] in ("g", "m")
        )
        + "".join(f"static_assert(({value}) == ({value}));" for value in constants)
    )


# Arithmetic whose operands all have the size that it ends with: ptxas refuses others.
_OF_ONE_SIZE = re.compile(
    r"(?:add|sub|mul\.lo|mul|div|fma|mad\.lo|min|max|neg|abs|rem)(?:\.r[nzmp]|\.ftz|\.sat|\.approx)*"
    r"\.(?P<kind>f32|f64|[su](?:16|32|64))"
)
_BYTES = {"h": 2, "r": 4, "f": 4, "l": 8, "d": 8}


def _of_other_size(asm: _Asm) -> Iterator[tuple[int, str]]:
    """Yield operands of arithmetic that have another size than it, and its type."""
    for instruction in map(str.strip, _body(asm).split(";")):
        opcode, _, rest = instruction.partition(" ")
        match = _OF_ONE_SIZE.fullmatch(opcode)
        for word in split(rest) if match else ():
            register = re.fullmatch(r"%(\d+)", word.strip())
            if not register or int(register[1]) >= len(asm.operands):
                continue
            letter = asm.operands[int(register[1])][0][-1:]
            if letter in _BYTES and 8 * _BYTES[letter] != int(match["kind"][1:]):
                yield int(register[1]), match["kind"]


# The modifiers of an access to memory in the order of the PTX ISA; ptxas takes any other, too.
_ORDER = tuple(
    re.compile(rf"(?:{one})$")
    for one in (
        "volatile|weak|relaxed|acquire|release|acq_rel",
        "cta|cluster|gpu|sys",
        r"global|local|const|shared(?:::\w+)?",
    )
)


def _in_order(opcode: str) -> str:
    """Return the opcode of a load, store or atomic with its modifiers in the ISA's order."""
    name, *modifiers = opcode.split(".")
    if name in ("ld", "st", "atom", "red"):
        modifiers.sort(key=lambda one: [bool(kind.match(one)) for kind in _ORDER], reverse=True)
    return ".".join([name, *modifiers])


def _instruction(text: str, operands: list[tuple[str, str]], own: Set[str]) -> str | None:
    opcode, _, rest = text.partition(" ")
    opcode = _in_order(opcode)
    try:
        given = [_operand(word, operands, own) for word in split(rest)] if rest.strip() else []
        if re.search(r"\.f32\b", opcode):  # its constants are floats
            given = [
                [re.sub(r"^\d*\.\d*(?:e[-+]?\d+)?$", r"\g<0>f", one) for one in each]
                for each in given
            ]
        for pattern, result in _VALUES:
            if match := re.fullmatch(pattern, opcode):
                return _assign(match, result, given)
        for pattern, action in _ACTIONS:
            if match := re.fullmatch(pattern, opcode):
                return _act(match, action, given)
    except (KeyError, IndexError, ValueError):
        return None
    return None


def _operand(
    word: str, operands: list[tuple[str, str]], own: Set[str] = frozenset()
) -> list[str]:
    """Return an operand's C++: one expression, or those of a vector {%0, %1}."""
    word = word.strip()
    if word in own:
        return [f"({_OWN}{word})"]
    if word == "WARP_SZ":
        return ["32"]
    if word == "_":
        return ["_"]
    if "|" in word:  # two results
        return [one for part in word.split("|") for one in _operand(part, operands, own)]
    if word.startswith("{"):
        return [one for part in split(word[1:-1]) for one in _operand(part, operands, own)]
    if word.startswith("["):
        base, _, offset = word[1:-1].partition("+")
        address = _operand(base, operands, own)[0]
        return [f"::emulator::address({address}, {offset.strip() or 0})"]
    if register := re.fullmatch(r"%(\d+)", word):
        return [f"({operands[int(register[1])][1]})"]
    if built_in := re.fullmatch(r"%%?(tid|ntid|ctaid|nctaid)\.([xyz])", word):
        return [f"{_BUILT_IN[built_in[1]]}()->{built_in[2]}"]
    if special := re.fullmatch(r"%%?(\w+)", word):  # nvcc takes one % for two
        if special[1] not in SPECIAL_REGISTERS:
            raise KeyError(word)
        return [f"::emulator::special(::emulator::Special::{special[1]})"]
    if real := re.fullmatch(r"0[fF]([\da-fA-F]{8})", word):
        return [f"__uint_as_float(0x{real[1]}u)"]
    if real := re.fullmatch(r"0[dD]([\da-fA-F]{16})", word):
        return [f"__longlong_as_double(0x{real[1]}ll)"]
    if re.fullmatch(r"-?\d+\.\d*(?:e[-+]?\d+)?", word):
        return [word]
    if re.fullmatch(r"-?\d+(?:\s*[-+*]\s*\d+)+|0[bB][01]+", word):
        return [f"({word})"]
    if re.fullmatch(r"-?(?:0[xX][\da-fA-F]+|\d+)U?", word):
        return [word.rstrip("U")]
    raise ValueError(word)


def _set(target: str, value: str) -> str:
    return (
        f"::emulator::output({target}) = static_cast<std::decay_t<decltype({target})>>({value})"
    )


def _assign(match: re.Match, result: str, given: list[list[str]]) -> str:
    """Return the assignment of an instruction with a result."""
    names = match.groupdict()
    ctype = TYPES.get(names.get("t") or "", "")
    if result == "load":
        count = int(names.get("v") or 1)
        if len(given[0]) != count:
            raise ValueError(count)
        sets = "; ".join(
            f"::emulator::set_bits({target}, emulator_v.word[{i}])"
            for i, target in enumerate(given[0])
        )
        at = f"::emulator::checked<{ctype}, {count}>({given[1][0]})"
        read = f"::emulator::strong_load({at})" if names["strong"] else f"*{at}"
        return f"{_order(names['strong'])}const auto emulator_v = {read}; {sets}"
    if result == "move":
        return _move(int(names["bits"]), *given)
    if result == "rows":
        return _rows(int(names["v"]), names["tr"], given)
    if result == "product":
        return _product(names, *given)
    ones = [one[0] for one in given]
    if result == "carry":
        return _carried(match.group(), ctype, ones)
    if result == "elect":
        return _set(given[0][-1], f"::emulator::elect({ones[1]})")
    if result == "all":
        if (len(ones), ones[1]) != (3, "0"):
            raise ValueError(ones[1])
        kind = {"popc.u32": "count"}.get(names["how"], names["how"].partition(".")[0])
        return _set(ones[0], f"__syncthreads_{kind}({ones[2]})")
    if result == "barrier":
        return _at_barrier(names, match.group(), ones)
    if result == "shuffle":
        is_there = _is_there(names["h"], given[0][1:], *ones[2:4])
        return is_there + _set(ones[0], _shuffle(names["h"], *ones[1:]))
    if result == "halves":
        return _halves(names, ones)
    if result == "narrow":
        return _narrow(names, ctype, ones)
    if result == "video":
        return _set(ones[0], _video(names, *ones[1:]))
    if result == "{atomic}":
        return _ordered(names, _set(ones[0], _atomic(names, *ones[1:])))
    sign = _SIGNS.get(match.group().partition(".")[0], "")
    more = {key: names.get(key) or "" for key in ("f", "u")}
    more |= {
        "compared": _COMPARED.get(names.get("c", "")),
        "joined": {"and": "&", "or": "|", "xor": "^"}.get(names.get("and") or "", ""),
        "tested": _TESTED.get(names.get("test") or "", "").format(*ones),
        "space": _SPACES.get((names.get("space") or "").partition(":")[0], ""),
        "rounded": {"n": "rint", "z": "trunc", "m": "floor", "p": "ceil"}.get(
            names.get("f") or "", ""
        ),
        "s": TYPES.get(names.get("from", "")),
        "direction": _WAYS.get(more["f"], more["f"]),
        "way": _WAYS.get(names.get("way", "")),
        "fp8": names.get("fp8"),
        "yes": "1" if names.get("set") == "f32" else "-1",
        "letter": {"f32": "f", "f64": "d"}.get(names.get("of", "")),
        "fma": {"f32": "f", "f64": ""}.get(names.get("of", "")),
        "real": {"f32": "float", "f64": "double"}.get(names.get("of", "")),
        "integer": _CONVERTED.get(names.get("t") or ""),
    }
    value = result.format(*ones, t=ctype, sign=sign, **more)
    return _set(ones[0], value)


def _move(bits: int, to: list[str], given: list[str]) -> str:
    """Return the copy of bits of `mov.b32` or `mov.b64`, which may join or part registers."""
    words = (
        f"::emulator::Words<uint{bits // max(len(to), len(given))}_t, {len(to) * len(given)}>"
    )
    if len(to) == len(given) == 1:
        return f"::emulator::set_bits({to[0]}, {given[0]})"
    part = f"uint{bits // 2}_t"
    if len(to) == 1 and len(given) == 2:
        values = ", ".join(f"::emulator::as_bits<{part}>({one})" for one in given)
        return f"::emulator::set_bits({to[0]}, {words}{{{{{values}}}}})"
    if len(to) == 2 and len(given) == 1:
        parts = f"const auto emulator_v = ::emulator::as_bits<{words}>({given[0]}); "
        return parts + "; ".join(
            f"::emulator::set_bits({one}, emulator_v.word[{i}])" for i, one in enumerate(to)
        )
    raise ValueError(bits)


def _is_there(how: str, predicate: list[str], by: str, clamp: str) -> str:
    """Return the assignment of a shuffle's predicate, if it has one."""
    kind = {"bfly": "exclusive_or", "idx": "index"}.get(how, how)
    width = f"32 - (({clamp} >> 8) & 31)"
    value = f"::emulator::is_in_segment(::emulator::Shuffle::{kind}, int({by}), {width})"
    return "".join(f"{_set(one, value)}; " for one in predicate)


def _halves(names: dict, ones: list[str]) -> str:
    """Return the assignment of arithmetic with numbers of 16 bits."""
    kind = f"{str(names['half'] == 'bf16').lower()}, {2 if names['two'] else 1}"
    inputs = ", ".join(f"static_cast<uint32_t>({one})" for one in ones[1:])
    value = f"(void)b, (void)c; return {_OF_HALVES[names['f']]};"
    operation = f"[](double a, double b, double c) {{ {value} }}"
    return _set(ones[0], f"::emulator::by_parts<{kind}>({operation}, {inputs})")


def _narrow(names: dict, ctype: str, ones: list[str]) -> str:
    """Return the assignment of a conversion to one or two numbers of 16 bits."""
    if len(ones) != (3 if names["two"] else 2):
        raise ValueError(len(ones))
    kind = str(names["half"] == "bf16").lower()
    limit = (names["limit"] or ".none")[1:]
    how = f"'{names['way']}', ::emulator::Limit::{limit}, {str(bool(names['finite'])).lower()}"
    each = [
        f"uint32_t{{::emulator::narrowed<{kind}>(static_cast<{ctype}>({one}), {how})}}"
        for one in ones[1:]
    ]
    return _set(ones[0], f"{each[0]} << 16 | {each[1]}" if names["two"] else each[0])


def _video(names: dict, a: str, b: str, c: str = "0") -> str:
    """Return the call for a video instruction, of one number or of two or four parts."""
    types = ", ".join(TYPES[one] for one in names["types"].split("."))
    parts, second = names.get("v") or "1", names["second"] or "none"
    if (c == "0") != (parts == "1" and second == "none"):
        raise ValueError(c)
    saturates = str(bool(names["sat"])).lower()
    kind = f"::emulator::Video<{types}, {parts}, {saturates}>"
    ways = f"::emulator::Part::{names['video']}, ::emulator::Merged::{second}"
    return f"{kind}::of({ways}, {a}, {b}, {c})"


def _shuffle(how: str, value: str, by: str, clamp: str, mask: str) -> str:
    """Return the shuffle of `shfl.sync`; `clamp` holds the width of its segments."""
    name = {"bfly": "__shfl_xor", "idx": "__shfl"}.get(how, f"__shfl_{how}")
    return f"{name}_sync({mask}, {value}, {by}, 32 - (({clamp} >> 8) & 31))"


def _rows(count: int, transposed: str | None, given: list[list[str]]) -> str:
    """Return the assignments of `ldmatrix`: a matrix for each register."""
    if len(given[0]) != count:
        raise ValueError(count)
    kind = str(bool(transposed)).lower()
    values = "; ".join(
        f"const uint32_t emulator_{i} = ::emulator::matrix<{kind}>({given[1][0]}, {i})"
        for i in range(count)
    )
    sets = "; ".join(
        f"::emulator::set_bits({to}, emulator_{i})" for i, to in enumerate(given[0])
    )
    return f"{values}; {sets}"


def _product(names: dict, to: list[str], a: list[str], b: list[str], c: list[str]) -> str:
    """Return the assignments of `mma`."""
    steps = int(names["k"]) // _OF_A_STEP[names["of"]]
    halves = names["d"] == "f16"
    if (len(a), len(b)) != (2 * steps, steps) or not len(to) == len(c) == (2 if halves else 4):
        raise ValueError(names["k"])
    factors = [
        "{" + ", ".join(f"::emulator::as_bits<uint32_t>({one})" for one in each) + "}"
        for each in (a, b)
    ]
    if halves:
        parts = [f"uint16_t({one} >> {shift})" for one in c for shift in (0, 16)]
        sums = ", ".join(f"::emulator::float_of_half({one})" for one in parts)
        results = [
            f"::emulator::half_of(emulator_v.sum[{2 * i}])"
            f" | uint32_t{{::emulator::half_of(emulator_v.sum[{2 * i + 1}])}} << 16"
            for i in range(2)
        ]
    else:
        sums = ", ".join(c)
        results = [f"emulator_v.sum[{i}]" for i in range(4)]
    kind = f"::emulator::Product<::emulator::{_FACTORS[names['of']]}, {steps}>"
    made = f"const {kind} emulator_v({', '.join(factors)}, {{{sums}}}); "
    return made + "; ".join(
        f"::emulator::set_bits({one}, {value})" for one, value in zip(to, results, strict=True)
    )


def _carried(opcode: str, ctype: str, ones: list[str]) -> str:
    """Return the assignment of an `add`, `sub` or `mad` that gives or takes a carry."""
    name, *rest = opcode.split(".")
    if ".cc." not in opcode and not name.endswith("c"):
        raise ValueError(opcode)
    taken = _CARRY if name.endswith("c") else "false"
    given = _CARRY if ".cc." in opcode else _NO_CARRY
    first, *others = (f"static_cast<{ctype}>({one})" for one in ones[1:])
    if name.startswith("mad"):
        high = str("hi" in rest).lower()
        first, others = f"::emulator::half_of_product({first}, {others[0]}, {high})", others[1:]
    function = "subtract_carry" if name.startswith("sub") else "add_carry"
    return _set(ones[0], f"::emulator::{function}({first}, {others[0]}, {taken}, {given})")


def _at_barrier(names: dict, opcode: str, ones: list[str]) -> str:
    """Return the assignment of an mbarrier's `arrive`, `test_wait` or `try_wait`."""
    barrier = f"::emulator::MBarrier({ones[1]})"
    if names["how"] in ("arrive", "arrive_drop"):
        if "noComplete" in opcode or "expect_tx" in opcode:
            raise ValueError(opcode)
        by = ones[2] if len(ones) > 2 else "1"
        call = f"{barrier}.arrive({by}, {str(names['how'] == 'arrive_drop').lower()})"
        return f"(void){call}" if ones[0] == "_" else _set(ones[0], call)
    waited = f"({ones[2]}) != 0" if names["odd"] else f"uint64_t({ones[2]})"
    return _set(ones[0], f"{barrier}.is_over({waited})")


def _ordered(names: dict, statement: str) -> str:
    """Return an atomic's statement with what tells a trace of its order."""
    how, cta = names["strong"], str(names["scope"] == "cta").lower()
    before = (
        f"emulator_trace_order(false, true, {cta}); " if how in ("release", "acq_rel") else ""
    )
    behind = (
        f"; emulator_trace_order(true, false, {cta})" if how in ("acquire", "acq_rel") else ""
    )
    return f"{before}{statement}{behind}"


def _atomic(names: dict, address: str, *values: str) -> str:
    """Return the call of CUDA's atomic function that `atom` or `red` stands for."""
    if len(values) != 1 + (names["a"] == "cas"):
        raise ValueError(names["a"])
    if (names["a"], names["at"]) == ("add", "s64"):  # two's complement: PTX has u64 for both
        raise ValueError(names["at"])
    ctype = _ATOMIC[names["at"]]
    at = f"reinterpret_cast<{ctype}*>({address})"
    given = ", ".join(f"static_cast<{ctype}>({one})" for one in values)
    return f"atomic{_ATOMICS[names['a']]}({at}, {given})"


def _order(strong: str | None) -> str:
    """Return the statement that tells a trace of `ld.acquire.gpu` or `st.release.cta`."""
    how, _, scope = (strong or "").partition(".")
    if how not in ("acquire", "release"):
        return ""
    flags = (how == "acquire", how == "release", scope == "cta")
    return f"emulator_trace_order({', '.join(str(one).lower() for one in flags)}); "


def _act(match: re.Match, action: str, given: list[list[str]]) -> str:
    """Return the statement of an instruction without a result."""
    names = match.groupdict()
    if action == "store":
        ctype, count = TYPES[names["t"]], int(names.get("v") or 1)
        if len(given[1]) != count:
            raise ValueError(count)
        values = ", ".join(f"::emulator::as_bits<{ctype}>({one})" for one in given[1])
        at = f"::emulator::checked<{ctype}, {count}>({given[0][0]})"
        strong = names["strong"]
        write = (
            f"::emulator::strong_store({at}, emulator_v)" if strong else f"*{at} = emulator_v"
        )
        return (
            f"const ::emulator::Words<{ctype}, {count}> emulator_v = {{{{{values}}}}}; "
            f"{_order(strong)}{write}"
        )
    if action == "copy":
        size = given[2][0]
        used = given[3][0] if len(given) > 3 else size
        return f"::emulator::copy_async({given[0][0]}, {given[1][0]}, {size}, {used})"
    if action == "reduce":
        return _ordered(names, _atomic(names, *(one[0] for one in given)))
    if action == "meet":
        number, count = given[0][0], given[1][0] if len(given) > 1 else "0"
        if (names["how"], number, count) == ("sync", "0", "0"):
            return "__syncthreads()"
        return f"::emulator::meet({number}, {count}, {str(names['how'] == 'sync').lower()})"
    return action.format(*(one[0] for one in given))
