"""Inline PTX: what each instruction becomes, and that it computes what it should."""

import ctypes
from pathlib import Path

import numpy as np
import pytest

from helpers import emulator
from helpers.emulator import Library, ptx

KERNELS = Path(__file__).parent / "kernels"


def one(result):
    return f"do {{ {result}; }} while (0)"


def assigned(target, value):
    kept = f"static_cast<std::decay_t<decltype(({target}))>>({value})"
    return one(f"::emulator::output(({target})) = {kept}")


@pytest.mark.parametrize(
    ("inside", "value"),
    [
        ('"ex2.approx.f32 %0, %1;" : "=f"(y) : "f"(x)', "exp2f((x))"),
        ('"add.f32 %0, %1, %2;" : "=f"(y) : "f"(a), "f"(f(b, c))', "((a) + (f(b, c)))"),
        ('"max.s32 %0, %1, 3;" : "=r"(y) : "r"(a)',
         "max(static_cast<int32_t>((a)), static_cast<int32_t>(3))"),
        ('"cvt.rz.f32.s32 %0, %1;" : "=f"(y) : "r"(a)', "__int2float_rz((a))"),
        ('"cvt.rm.f64.u64 %0, %1;" : "=d"(y) : "l"(a)', "__ull2double_rd((a))"),
        ('"cvt.rp.f64.s32 %0, %1;" : "=d"(y) : "r"(a)',
         "static_cast<double>(static_cast<int32_t>((a)))"),
        ('"cvt.rp.f32.f64 %0, %1;" : "=f"(y) : "d"(a)', "__double2float_ru((a))"),
        ('"cvt.rzi.s32.f32 %0, %1;" : "=r"(y) : "f"(a)', "__float2int_rz((a))"),
        ('"add.rz.ftz.f32 %0, %1, %2;" : "=f"(y) : "f"(a), "f"(b)', "__fadd_rz((a), (b))"),
        ('"div.rp.f64 %0, %1, %2;" : "=d"(y) : "d"(a), "d"(b)', "__ddiv_ru((a), (b))"),
        ('"fma.rm.f32 %0, %1, %2, %2;" : "=f"(y) : "f"(a), "f"(b)',
         "__fmaf_rd((a), (b), (b))"),
        ('"sqrt.rz.f64 %0, %1;" : "=d"(y) : "d"(a)', "__dsqrt_rz((a))"),
        ('"add.ftz.sat.f32 %0, %1, %2;" : "=f"(y) : "f"(a), "f"(b)', "__saturatef((a) + (b))"),
        ('"sub.sat.s32 %0, %1, %2;" : "=r"(y) : "r"(a), "r"(b)',
         "::emulator::saturated<int32_t>(int64_t{int32_t((a))} - int32_t((b)))"),
        ('"set.gt.f32.u32 %0, %1, %2;" : "=f"(y) : "r"(a), "r"(b)',
         "(static_cast<uint32_t>((a)) > static_cast<uint32_t>((b)) ? 1 : 0)"),
        ('"cvt.rn.f16x2.e5m2x2 %0, %1;" : "=r"(y) : "h"(a)',
         "::emulator::halves_of_e5m2((a))"),
        ('"max.s16x2 %0, %1, %2;" : "=r"(y) : "r"(a), "r"(b)', "__vmaxs2((a), (b))"),
        ('"bfind.s32 %0, %1;" : "=r"(y) : "r"(a)',
         "(31 - __clz(int32_t((a)) < 0 ? ~((a)) : ((a))))"),
        ('"mov.u32 %0, %%laneid;" : "=r"(y) :',
         "::emulator::special(::emulator::Special::laneid)"),
        ('R"(ex2.approx.f32 %0,\n%1;)" : "=f"(y) : "f"(x)', "exp2f((x))"),
        ('"mov.u32 %0, %laneid;" : "=r"(y) :',
         "::emulator::special(::emulator::Special::laneid)"),
        ('"mul.f32 %0, %1, 0f3f000000;" : "=f"(y) : "f"(a)',
         "((a) * __uint_as_float(0x3f000000u))"),
        ('"shf.l.wrap.b32 %0, %1, %2, %3;" : "=r"(y) : "r"(a), "r"(b), "r"(c)',
         "__funnelshift_l((a), (b), (c))"),
        ('"mad.wide.u32 %0, %1, %2, %3;" : "=l"(y) : "r"(a), "r"(b), "l"(c)',
         "(static_cast<uint64_t>(static_cast<uint32_t>((a))) * static_cast<uint32_t>((b)) "
         "+ (c))"),
        ('"selp.f32 %0, %1, %2, %3;" : "=f"(y) : "f"(a), "f"(b), "r"(c)',
         "((c) ? static_cast<float>((a)) : static_cast<float>((b)))"),
        ('"shfl.sync.bfly.b32 %0, %1, 16, 0x1f, %2;" : "=r"(y) : "r"(a), "r"(m)',
         "__shfl_xor_sync((m), (a), 16, 32 - ((0x1f >> 8) & 31))"),
        ('"atom.global.add.u32 %0, [%1], 1;" : "=r"(y) : "l"(p)',
         "atomicAdd(reinterpret_cast<unsigned*>(::emulator::address((p), 0)), "
         "static_cast<unsigned>(1))"),
    ],
)  # fmt: skip
def test_a_value_is_assigned(inside, value):
    assert ptx.translate(inside) == assigned("y", value)


@pytest.mark.parametrize(
    ("inside", "result"),
    [
        ('"bar.sync 0;"', "__syncthreads()"),
        ('"bar.sync %0, 64;" :: "r"(id)', "::emulator::meet((id), 64, true)"),
        ('"barrier.cta.sync.aligned 3;"', "::emulator::meet(3, 0, true)"),
        ('"bar.arrive 1, %0;" :: "r"(n)', "::emulator::meet(1, (n), false)"),
        ('"membar.cta;" ::: "memory"', "__threadfence_block()"),
        ('"fence.acq_rel.cta;" ::: "memory"', "__threadfence_block()"),
        ('"fence.acq_rel.gpu;" ::: "memory"', "__threadfence()"),
        ('"membar.gl;" ::: "memory"', "__threadfence()"),
        ('"cp.async.ca.shared.global [%0], [%1], 8, %2;" :: "r"(a), "l"(b), "r"(c)',
         "::emulator::copy_async(::emulator::address((a), 0), ::emulator::address((b), 0), "
         "8, (c))"),
    ],
)  # fmt: skip
def test_an_action(inside, result):
    assert ptx.translate(inside) == one(result)
    waits = "emulator_trace_copies_done(nullptr, 0, true);"
    assert ptx.translate('"cp.async.wait_all;"') == f"do {{ {waits} }} while (0)"


@pytest.mark.parametrize(
    ("written", "ordered"),
    [
        ("ld.global.acquire.gpu.b32 %0, [%1]", "ld.acquire.gpu.global.b32 %0, [%1]"),
        ("ld.nc.global.u32 %0, [%1]", "ld.global.nc.u32 %0, [%1]"),
        ("ld.shared::cta.volatile.u32 %0, [%1]", "ld.volatile.shared::cta.u32 %0, [%1]"),
        ("atom.add.release.gpu.s32 %0, [%1], 1", "atom.release.gpu.add.s32 %0, [%1], 1"),
    ],
)  # fmt: skip
def test_the_modifiers_of_an_access_come_in_any_order(written, ordered):
    operands = '"=r"(y) : "l"(p)'
    known = ptx.translate(f'"{ordered};" : {operands}')
    assert known is not None
    assert ptx.translate(f'"{written};" : {operands}') == known


@pytest.mark.parametrize(
    "inside",
    [
        '"mma.sync.aligned.m16n8k16 %0, %1;" : "=f"(x) : "f"(y)',
        '".reg .pred p; @q trap;" ::',
        '".reg .f128 t;" ::',
        '"ld.global.v4.f32 {%0, %1}, [%2];" : "=f"(x), "=f"(y) : "l"(p)',
        '"add.f32 %0, %1, %7;" : "=f"(y) : "f"(x)',
        '"mov.u32 %0, %%clock_hi;" : "=r"(x)',
        '"mov.u32 %0, r1;" : "=r"(x)',
        "no_string",
    ],
)
def test_what_is_not_known_is_left_to_the_caller(inside):
    assert ptx.translate(inside) is None


def test_a_predicate_guards_an_instruction():
    said = '"{ .reg .pred p; setp.ne.s32 p, %0, 0; @!p trap; }" :: "r"(x)'
    value = "(static_cast<int32_t>((x)) != static_cast<int32_t>(0))"
    assert ptx.translate(said) == (
        "do { bool emulator_r_p{}; "
        "::emulator::output((emulator_r_p)) = static_cast<std::decay_t<decltype("
        f"(emulator_r_p))>>({value}); if (!emulator_r_p) {{ __trap(); }}; }} while (0)"
    )


@pytest.mark.parametrize(
    ("text", "lacks"),
    [
        ("trap;", False),
        ("{ trap; }", False),
        ("", False),
        ("trap", True),
        ("{trap; trap}", True),
    ],
)
def test_each_instruction_ends_with_a_semicolon(text, lacks):
    assert ptx.lacks_semicolon(f'"{text}"') is lacks


def test_operands_may_shift():
    said = '"or.b32 %0, %1, %2;" : "=r"(y) : "r"(q >> (4 * j)), "n"(kMask)'
    assert "((q >> (4 * j)) | (kMask))" in ptx.translate(said)


def test_operands_must_have_the_types_of_their_constraints():
    said = ptx.constraints('"mov.b32 %0, %1;" : "=r"(y) : "f"(x), "n"(4)')
    assert "fits<'r', decltype((y))>" in said and "fits<'f', decltype((x))>" in said
    assert "static_assert((4) == (4));" in said and said.count("static_assert") == 3


def test_what_they_compute(tmp_path, headers):
    emulator.build(KERNELS / "ptx.cu", tmp_path / "ptx.so", headers)
    library = Library(tmp_path / "ptx.so")
    x = np.random.default_rng(5).random(128, np.float32)
    out = np.zeros(288, np.float32)
    library.dll.run_instructions(*[ctypes.c_void_p(a.ctypes.data) for a in (x, out)], None)
    assert not library.take_fault()
    t = np.arange(32)
    assert np.allclose(out[:32], np.exp2(x[:32]), rtol=1e-6)
    assert np.array_equal(out[32:64], x[1:33])
    assert np.allclose(out[64:96], x.reshape(32, 4) @ [1, 2, 4, 8], rtol=1e-6)
    assert np.allclose(out[96:128], 2 * x[:32] + 0.5)
    assert np.array_equal(out[128:160], (3 * t + 7) ^ 0xFF ^ t)
    assert np.allclose(out[160:192], x[::4] + x[127 - t])
    assert np.array_equal(out[192:256].reshape(32, 2), np.stack([x[:32], -x[:32]], 1))
    assert np.array_equal(out[256:], x[:32])


def test_arithmetic_has_operands_of_its_size():
    wrong = '"add.f64 %0, %1, 1;" : "=d"(y) : "f"(x)'
    assert "operand %1 is not of the size of f64" in ptx.constraints(wrong)
    for right in (
        '"add.f64 %0, %1, %2;" : "=d"(y) : "d"(x), "d"(z)',
        '"mul.wide.s32 %0, %1, %2;" : "=l"(y) : "r"(x), "r"(z)',
        '"add.u32 %0, %1, %2;" : "=r"(y) : "r"(x), "n"(4)',
    ):
        assert "not of the size" not in ptx.constraints(right)


LIMITS = {"": None, ".sat": "sat", ".relu": "relu"}
FORMS = [
    (way, limit, finite, kind)
    for way in "nzmp"
    for limit in LIMITS
    for finite in ("", ".satfinite")
    for kind in ("f16", "bf16")
    if way in "nz" or not (limit == ".relu" or finite)
    if kind == "f16" or limit != ".sat"
    if not (limit == ".sat" and finite)
]


def narrowed(values, way, limit, finite, kind):
    """Return numbers rounded to 16 bits, as doubles, the way that PTX says."""
    of_bf16, of_f16 = (7, -126, float.fromhex("0x1.fep127")), (10, -14, 65504.0)
    digits, least, most = of_bf16 if kind == "bf16" else of_f16
    values = values.astype(np.float64)
    if limit == ".sat":
        values = np.where(np.isnan(values), 0.0, np.clip(values, 0, 1))
    if limit == ".relu":
        values = np.where(values > 0, values, np.where(np.isnan(values), values, 0.0))
    exponent = np.maximum(np.frexp(values)[1] - 1, least) - digits
    steps = np.where(np.isinf(values), values, np.ldexp(values, -exponent))
    rounded = {"n": np.rint, "z": np.trunc, "m": np.floor, "p": np.ceil}[way](steps)
    result = np.ldexp(rounded, exponent)
    over = np.abs(result) > most
    grows = np.where(values < 0, way in "nm", way in "np") | np.isinf(values)
    end = np.where(grows & (finite == ""), np.inf, most)
    return np.where(over, np.copysign(end, values), result)


def test_numbers_are_narrowed_in_all_directions_and_within_limits(tmp_path, headers):
    source = ["#include <cstdint>"]
    for number, (way, limit, finite, kind) in enumerate(FORMS):
        source.append(
            f"__global__ void k{number}(const double* x, uint16_t* y) {{ asm("
            f'"cvt.r{way}{limit}{finite}.{kind}.f32 %0, %1;" : "=h"(y[threadIdx.x]) '
            f': "f"(static_cast<float>(x[threadIdx.x]))); }}\n'
            f'extern "C" void f{number}(const double* x, uint16_t* y, int n) '
            f"{{ k{number}<<<1, n>>>(x, y); }}"
        )
    path = tmp_path / "narrow.cu"
    path.write_text("\n".join(source))
    output = tmp_path / "narrow.so"
    emulator.build(path, output, headers)
    library = Library(output)
    generator = np.random.default_rng(5)
    x = generator.standard_normal(500) * np.exp2(generator.integers(-30, 20, 500))
    some = [
        0.0,
        -0.0,
        1.0,
        65504,
        65519.9,
        65520,
        -65520,
        1e30,
        -3.4e38,
        3.4e38,
        2**-25,
        -(2**-24),
    ]
    x = np.concatenate([x, some, [np.inf, -np.inf, np.nan]])
    x = x.astype(np.float32).astype(np.float64)
    for number, form in enumerate(FORMS):
        y = np.zeros(len(x), np.uint16)
        given = [ctypes.c_void_p(one.ctypes.data) for one in (x, y)]
        getattr(library.dll, f"f{number}")(*given, len(x))
        assert library.take_fault("narrow.cu") is None
        wide = (
            y.view(np.float16) if form[3] == "f16" else (y.astype(np.uint32) << 16).view("f4")
        )
        np.testing.assert_array_equal(wide.astype(np.float64), narrowed(x, *form), str(form))
