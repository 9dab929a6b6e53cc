"""The tables of data/ as they are read, and cards by the names of people and drivers."""

from dataclasses import dataclass

import pytest

from helpers import specs


def test_every_card_has_a_known_capability():
    for card in specs.gpus().values():
        assert card.capability.cc == card.cc
        assert card.dram_GBps > 0 and card.sm_count > 0 and card.l2_bytes > 0 and card.source


def test_the_articles_card():
    card = specs.gpu("GeForce RTX 5090")
    assert (card.cc, card.sm_count, card.dram_GBps, card.l2_MiB) == ("12.0", 170, 1792, 96)
    assert (card.fp32_TFLOPS, card.boost_MHz, card.l2_bytes) == (104.8, 2407, 96 * 2**20)
    assert card.ridge_flop_per_byte == pytest.approx(104.8e3 / 1792)
    assert card.capability.arch == "sm_120"


def test_a_fact_without_a_source_is_none():
    b200 = specs.gpu("B200")
    assert (b200.fp32_TFLOPS, b200.boost_MHz, b200.ridge_flop_per_byte) == (None, None, None)
    assert b200.l2_bytes == 126.5 * 2**20 and type(b200.l2_bytes) is int


def test_sizes_of_the_hardware():
    assert (specs.MIB, specs.WARP_SIZE, specs.SECTOR_BYTES, specs.LINE_BYTES) == (
        2**20,
        32,
        32,
        128,
    )
    assert {cc.warp_size for cc in specs.compute_capabilities().values()} == {specs.WARP_SIZE}


# ---- names -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "name, found",
    [
        ("NVIDIA H200", "H200 SXM"),
        ("h200", "H200 SXM"),
        ("NVIDIA GeForce RTX 5090", "GeForce RTX 5090"),
        (" geforce  rtx 5090 ", "GeForce RTX 5090"),
        ("T4", "T4"),
        ("L4", "L4"),
        ("NVIDIA L40S", "L40S"),
        ("A100 80GB PCIe", "A100 80GB PCIe"),
    ],
)
def test_names_that_find_a_card(name, found):
    assert specs.gpu(name).name == found


@pytest.mark.parametrize(
    "name, near",
    [
        ("RTX 509", "GeForce RTX 5090"),
        ("H100", r"\['H100 SXM5', 'H100 PCIe'\]"),  # two cards begin with it
        ("A100", r"\['A100 40GB SXM', 'A100 80GB PCIe', 'A100 80GB SXM'\]"),
        ("H200 NVL", "H200 SXM"),
        ("NVIDIA GH200 480GB", "SXM"),
        ("GeForce", "GeForce RTX 4090"),
        ("", "T4"),
        ("?", "T4"),
    ],
)
def test_unknown_and_ambiguous_names_are_errors_that_help(name, near):
    with pytest.raises(KeyError, match=rf"not in data/gpus\.csv.*{near}"):
        specs.gpu(name)


def test_compute_capabilities_by_name_and_by_torchs_pair():
    assert specs.compute_capability((9, 0)) is specs.compute_capability("9.0")
    assert specs.compute_capability("7.5").max_blocks_per_sm == 16
    with pytest.raises(KeyError, match=r"3\.5; data/compute_capability\.csv has .*9\.0"):
        specs.compute_capability("3.5")


def test_limits_are_consistent():
    for cc in specs.compute_capabilities().values():
        assert cc.max_threads_per_sm == cc.max_warps_per_sm * cc.warp_size
        assert cc.regs_per_sm == cc.regs_per_subpartition * cc.sm_subpartitions_schedulers
        assert (
            cc.smem_per_block_optin_bytes + cc.reserved_smem_per_block_bytes
            <= cc.smem_per_sm_bytes
        )


# ---- cards described by their drivers --------------------------------------------------------


def described(name, **facts):
    known = dict(cc="9.0", sm_count=132, l2_bytes=60 * 2**20, dram_GBps=4000, boost_MHz=1700)
    return specs.describe(name, **known | facts)


def test_a_known_card_is_described_by_its_row():
    assert described("NVIDIA H200") is specs.gpu("H200 SXM")
    assert described("NVIDIA H200", dram_GBps=None) is specs.gpu("H200 SXM")


@pytest.mark.parametrize("facts", [{"sm_count": 66}, {"cc": "10.0"}])
def test_a_row_of_other_facts_is_another_card(facts):
    card = described("NVIDIA H200", **facts)
    assert card.source == "reported by the driver" and card.dram_GBps == 4000


def test_an_unknown_card_is_described_by_what_it_reports():
    assert described("NVIDIA L20", cc="8.9", sm_count=92) == specs.Gpu(
        name="NVIDIA L20",
        cc="8.9",
        sm_count=92,
        l2_MiB=60,
        dram_GBps=4000,
        fp32_TFLOPS=None,
        boost_MHz=1700,
        source="reported by the driver",
        confidence="device-reported",
    )
    with pytest.raises(KeyError, match=r"NVIDIA L20 is not in data/gpus\.csv.*add a row"):
        described("NVIDIA L20", dram_GBps=None)


# ---- the reader ------------------------------------------------------------------------------


@dataclass
class Row:
    name: str
    count: int
    rate: float | None


# Strings, as `from __future__ import annotations` makes them in the modules that read tables.
Row.__annotations__ = {"name": "str", "count": "int", "rate": "float | None"}


def test_comments_other_columns_and_empty_cells(tmp_path):
    path = tmp_path / "table.csv"
    path.write_text(
        '# about\nname,unused,count,rate\n"a, b",x,3,1.5e9\n# more\nc,,4,\n', "utf-8"
    )
    assert specs.read_table(Row, path) == [Row("a, b", 3, 1.5e9), Row("c", 4, None)]


@pytest.mark.parametrize("line", ["a,,1.5", "a,1.5,2", "a,1,?"])
def test_a_cell_that_is_not_a_number_is_an_error(tmp_path, line):
    path = tmp_path / "table.csv"
    path.write_text(f"name,count,rate\n{line}\n", "utf-8")
    with pytest.raises(ValueError):
        specs.read_table(Row, path)
