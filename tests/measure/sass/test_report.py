"""Reports: their kernels, tables and listings, and their text."""

import textwrap
from dataclasses import replace

import pytest

from helpers import paths
from helpers.measure.sass.report import parse_report, report_text


def test_a_kernel_by_its_name(example):
    first, second = example.kernels
    assert example.kernel() is first
    assert example.kernel("second") is second is example.kernel("_Z6secondv")
    with pytest.raises(KeyError, match=r"example\.cu has no kernel 'third'.*'first', 'second'"):
        example.kernel("third")


@pytest.mark.parametrize("name", ["ns::scale<3>", "ns::scale", "scale"])
def test_a_kernel_with_namespace_and_template_arguments(example, name):
    scale = replace(example.kernels[0], symbol="_ZN2ns5scaleILi3EEEvPf")
    assert replace(example, kernels=(example.kernels[1], scale)).kernel(name) is scale


def test_a_report_survives_its_text(example):
    text = report_text(example)
    assert parse_report(text) == example
    assert parse_report(report_text(replace(example, recorded="2026-01-31"))).recorded
    assert str(paths.ROOT) not in text


def test_a_report_without_flags_warnings_or_lines_survives_its_text(example):
    first = example.kernels[0]
    bare = [replace(i, line=None, source="") for i in first.instructions]
    header = [replace(i, file="b.cuh") for i in first.instructions]
    kernels = tuple(replace(first, instructions=tuple(code)) for code in (bare, header, ()))
    report = replace(example, flags=(), warnings=(), kernels=kernels)
    assert parse_report(report_text(report)) == report


def test_the_text_of_a_report(example):
    lines = report_text(replace(example, recorded="2026-01-31")).splitlines()
    assert lines[:8] == [
        "# file: example.cu",
        "# arch: sm_90",
        "# source sha256: 00",
        "# nvcc: 13.0",
        "# nvdisasm: 13.5",
        "# flags: -DX=1",
        "# recorded: 2026-01-31",
        "# warning: Value of threads per SM for entry first is out of range."
        " .minnctapersm will be ignored",
    ]
    assert lines[8:10] == ["", "# symbol: _Z5firstP6__half"]


def test_listing(example):
    assert example.listing("first") == textwrap.dedent("""\
        first: 40 registers, 24 bytes of stack, 16 + 8 bytes of spill stores and loads, 2048 bytes of shared memory
          /*0000*/  LDC R1, c[0x0][0x28]                                    //   2  __global__ void first(half* p) {
          /*0010*/  @!P0 BRA .L_x_3                                         //   2
          /*0020*/  LDG.E.U16 R5, desc[UR4][R2.64]                          //   3  p[0] = __hadd(p[0], p[1]);  // sum
          /*0030*/  HADD2 R5, R2.H0_H0, |R5|.H0_H0                          //   3
        .L_x_3:
          /*0040*/  EXIT                                                    //   3""")  # noqa: E501
    assert max(map(len, example.listing(width=60).splitlines())) == 60
    assert "//" not in example.listing("first", source=False)


def test_a_listing_of_all_kernels(example):
    text = example.listing()
    assert text.index("first: 40 registers") < text.index("second: 4 registers")
    assert "\n\nsecond" in text
    assert example.listing(width=60).splitlines()[0].endswith("…")


def test_a_listing_names_included_files(example):
    first = example.kernels[0]
    code = tuple(replace(i, file="b.cuh") for i in first.instructions)
    lines = (
        replace(example, kernels=(replace(first, instructions=code),)).listing().splitlines()
    )
    assert lines[1].endswith("  // b.cuh:2  __global__ void first(half* p) {")
    assert lines[2].endswith("  // b.cuh:2")


def test_table(example):
    table = example.table()
    assert list(table["file"]) == ["example.cu"] * 2 and list(table["arch"]) == ["sm_90"] * 2
    assert list(table["kernel"]) == ["first", "second"]
    assert list(table["spilled bytes"]) == [24, 0]
    assert table.loc[0, "global loads"] == "1 × 16-bit"


def test_provenance(example):
    assert example.provenance == "example.cu for sm_90, compiled here by nvcc 13.0 -DX=1"
    kept = replace(example, flags=(), recorded="2026-01-31")
    assert kept.provenance == "example.cu for sm_90, recorded 2026-01-31 with nvcc 13.0"
    assert str(kept) == f"{kept.provenance}\n\n{kept.listing()}"
