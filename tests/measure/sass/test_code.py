"""Machine code: what instructions access and compute, and what kernels count."""

from collections import Counter
from dataclasses import replace

import pytest

from helpers import paths
from helpers.measure.sass import Instruction, KernelSass, access, arithmetic, recorded
from helpers.model import ladder


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("LDG.E R2, desc[UR4][R2.64]", ("load", "global", 32)),
        ("LDG.E.CONSTANT.SYS R2, [R2]", ("load", "global", 32)),
        ("LDG.E.U16.CONSTANT R5, desc[UR4][R4.64]", ("load", "global", 16)),
        ("LDG.E.U8 R0, desc[UR4][R4.64]", ("load", "global", 8)),
        ("LDG.E.S8 R0, desc[UR4][R4.64]", ("load", "global", 8)),
        ("LDG.E.64 R4, desc[UR4][R4.64]", ("load", "global", 64)),
        ("@!P0 LDG.E.128.CONSTANT R8, desc[UR4][R4.64]", ("load", "global", 128)),
        ("LDG.E.ENL2.256 R8, R4, desc[UR4][R2.64]", ("load", "global", 256)),
        ("STG.E.ENL2.256 desc[UR4][R2.64], R8, R4", ("store", "global", 256)),
        ("STG.E.U16 desc[UR4][R6.64], R5", ("store", "global", 16)),
        ("LDS.U.128 R4, [R0]", ("load", "shared", 128)),
        ("STS [R5+0x80], R0", ("store", "shared", 32)),
        ("LDL.LU.64 R2, [R1+0x8]", ("load", "local", 64)),
        ("STL.128 [R1], R4", ("store", "local", 128)),
        ("LD.E R0, desc[UR4][R2.64]", ("load", "generic", 32)),
        ("LDC.64 R2, c[0x0][0x380]", None),
        ("LDCU.128 UR8, c[0x0][0x380]", None),
        ("LDGSTS.E.128 [R5], desc[UR4][R2.64]", None),
        ("ATOMG.E.ADD.STRONG.GPU PT, R2, desc[UR4][R2.64], R5", None),
        ("STACK.MADE.UP R1", None),
    ],
)
def test_access(text, expected):
    assert access(Instruction(0, text)) == expected


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("FADD R11, R0, R11", "FADD"),
        ("@P0 FFMA.FTZ R0, R1, R2, R3", "FFMA"),
        ("FMUL R7, R6, R7", "FMUL"),
        ("HADD2.BF16_V2 R5, R2.H0_H0, R5.H0_H0", "HADD2"),
        ("HFMA2.MMA R11, R11, 1, 1, R15", "HFMA2"),
        ("HFMA2 R9, R9, 1, 1, R13", "HFMA2"),
        ("HFMA2.BF16_V2 R9, R9, 1, 1, R13", "HFMA2"),
        ("FADD2 R8, R8.F32x2.HI_LO, R12.F32x2.HI_LO", "FADD2"),
        ("DFMA R2, R4, R6, R8", "DFMA"),
        ("MUFU.TANH R3, R2", "MUFU"),
        ("HMMA.16816.F32 R4, R8, R2, R4", "HMMA"),
        ("HFMA2 R3, -RZ, RZ, 0, 0", None),  # the constant 0
        ("HFMA2.MMA R7, -RZ, RZ, 0, 2.384185791015625e-07", None),  # the constant 4
        ("HFMA2 R3, -RZ, URZ, 0, 0", None),
        ("HFMA2 R3, -RZ, R2, 0, 0", "HFMA2"),
        ("HADD2.F32 R3, -RZ, R3.H0_H0", None),  # half to float
        ("IADD3 R4, P1, R6, UR6, RZ", None),
        ("IMAD.WIDE.U32 R2, R5, UR4, R2", None),
        ("F2FP.F16.F32.PACK_AB R3, RZ, R3", None),
        ("EXIT", None),
    ],
)
def test_arithmetic(text, kind):
    assert arithmetic(Instruction(0, text)) == kind


def test_opcode_and_operands():
    plain = Instruction(0, "LDG.E.128 R4, desc[UR4][R2.64]")
    predicated = Instruction(16, "@!P0 STG.E desc[UR4][R2.64], R7")
    assert (plain.opcode, plain.operands) == ("LDG.E.128", ["R4", "desc[UR4][R2.64]"])
    assert (predicated.opcode, predicated.operands) == ("STG.E", ["desc[UR4][R2.64]", "R7"])


def kernel(*texts: str, lines=()) -> KernelSass:
    lines = lines or [None] * len(texts)
    code = tuple(
        Instruction(16 * k, text, line=line, source=f"line {line}")
        for k, (text, line) in enumerate(zip(texts, lines, strict=True))
    )
    return KernelSass("_Z1kv", 10, 24, 16, 8, 2048, code)


BUSY = kernel(
    "LDG.E.U16 R1, [R2]",
    "LDG.E.128 R4, [R2]",
    "LDG.E.128 R8, [R2]",
    "LDS R1, [R2]",
    "STL.64 [R1], R2",
    "LDL.64 R2, [R1]",
    "FADD R1, R2, R3",
    "FFMA R1, R2, R3, R4",
    "FADD R1, R2, R3",
    "STG.E [R2], R1",
    "EXIT",
    lines=[3, 3, 3, 3, 4, 4, 5, 5, 5, 5, None],
)


def test_counts_by_width_widest_first():
    assert list(BUSY.loads().items()) == [(128, 2), (16, 1)]
    assert BUSY.stores() == {32: 1}
    assert (BUSY.loads("shared"), BUSY.stores("shared")) == ({32: 1}, {})
    assert (BUSY.loads("local"), BUSY.stores("local")) == ({64: 1}, {64: 1})
    assert BUSY.loads("generic") == {}
    with pytest.raises(
        ValueError, match=r"'constant' is not a memory space.*'global', 'shared'"
    ):
        BUSY.loads("constant")


def test_counts_of_opcodes_and_arithmetic():
    assert BUSY.arithmetic() == {"FADD": 2, "FFMA": 1}
    assert list(BUSY.opcodes().items())[:2] == [("LDG.E.128", 2), ("FADD", 2)]
    assert BUSY.opcodes()["EXIT"] == 1


def test_row():
    assert BUSY.row() == {
        "kernel": "k",
        "global loads": "2 × 128-bit, 1 × 16-bit",
        "global stores": "1 × 32-bit",
        "other memory": "shared loads 1 × 32-bit, local loads 1 × 64-bit and stores 1 × 64-bit",
        "arithmetic": "2 FADD, 1 FFMA",
        "instructions": 11,
        "registers": 10,
        "spilled bytes": 24,
        "stack bytes": 24,
        "shared bytes": 2048,
    }


def test_by_line():
    first, second, third = BUSY.by_line()
    assert (first["line"], first["source"], first["instructions"]) == (3, "line 3", 4)
    assert first["global loads"] == "2 × 128-bit, 1 × 16-bit" and not first["arithmetic"]
    assert (second["line"], second["other memory"]) == (
        4,
        "local loads 1 × 64-bit and stores 1 × 64-bit",
    )
    assert (third["line"], third["arithmetic"], third["instructions"]) == (
        5,
        "2 FADD, 1 FFMA",
        4,
    )


def test_by_line_of_an_included_file():
    code = (
        Instruction(0, "FADD R1, R2, R3", "b.cuh", 2, "return x + y;"),
        Instruction(16, "EXIT", None, 9, "}"),
    )
    rows = replace(BUSY, instructions=code).by_line()
    assert [(row["line"], row["source"]) for row in rows] == [(9, "}"), (2, "return x + y;")]


@pytest.mark.parametrize("arch", ["sm_90", "sm_120"])
@pytest.mark.parametrize("version", ladder.VERSIONS, ids=ladder.NAMES)
def test_the_ladders_machine_code(version, arch):
    """The fast path is the table's; from V2 on a tail adds single elements."""
    tail = 1 if version.elements_per_thread > 1 else 0
    element = 8 * version.element_bytes
    count = version.bytes_per_thread // version.bytes_per_load  # of one operand
    loads = Counter({8 * version.bytes_per_load: 2 * count})
    stores = Counter({8 * version.bytes_per_load: count})
    in_one_add = 2 if version.element_bytes == 2 and tail else 1  # half2
    report = recorded.read_recorded(paths.KERNELS / f"{version.name}.cu", arch)
    assert len(report.kernels) == len(version.dtypes)
    for code in report.kernels:
        assert code.loads() == loads + Counter({element: 2 * tail})
        assert code.stores() == stores + Counter({element: tail})
        adds = code.arithmetic()
        assert sum(adds.values()) == version.elements_per_thread // in_one_add + tail
        assert set(adds) <= ({"FADD"} if element == 32 else {"HADD2", "HFMA2"})
        assert (code.spill_stores, code.spill_loads, code.stack, code.shared) == (0, 0, 0, 0)
        assert code.registers <= 32  # full occupancy everywhere
        assert not code.loads("local") and not code.loads("generic")


def test_fast_path_and_tail_by_source_line():
    report = recorded.read_recorded(paths.KERNELS / "v5_f16x8.cu", "sm_120")
    rows = report.kernel().by_line()
    loads = [row["global loads"] for row in rows if row["global loads"]]
    assert loads in (
        ["4 × 32-bit", "4 × 32-bit", "2 × 16-bit"],
        ["8 × 32-bit", "2 × 16-bit"],
    )
    total = len(report.kernel().instructions)
    assert sum(row["instructions"] for row in rows) == total
