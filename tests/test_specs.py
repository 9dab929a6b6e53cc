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
        ("NVIDIA H200 NVL", "H200 NVL"),
        ("Tesla T4", "T4"),
        ("NVIDIA A100-SXM4-80GB", "A100 80GB SXM"),
        ("NVIDIA H100 80GB HBM3", "H100 SXM5"),
        ("NVIDIA GB10", "GB10 (DGX Spark)"),
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
        ("A100", r"\['A100 40GB SXM', 'A100 80GB PCIe', 'A100 80GB SXM', 'A100 40GB PCIe'\]"),
        ("H200 PCIe", "H100 PCIe"),
        ("NVIDIA H200 MIG 1g.18gb", "H200"),
        ("NVIDIA GH200 480GB", "SXM"),
        ("GeForce", "GeForce RTX 4090"),
        ("", "T4"),
        ("?", "T4"),
    ],
)
def test_unknown_and_ambiguous_names_are_errors_that_help(name, near):
    with pytest.raises(KeyError, match=rf"not in data/gpus\.csv.*{near}"):
        specs.gpu(name)


def test_a_name_that_is_like_no_other_gets_no_guess():
    with pytest.raises(KeyError) as caught:
        specs.gpu("V100")
    words = str(caught.value)
    assert "did you mean" not in words and "CONTRIBUTING.md" in words
    assert words.startswith(f"'V100' is not in data/gpus.csv, which has {list(specs.gpus())}.")


def test_compute_capabilities_by_name_and_by_torchs_pair():
    assert specs.compute_capability((9, 0)) is specs.compute_capability("9.0")
    assert specs.compute_capability("7.5").max_blocks_per_sm == 16
    with pytest.raises(KeyError, match=r"\'3\.5\'; data/compute_capability\.csv has .*9\.0"):
        specs.compute_capability("3.5")


def test_limits_are_consistent():
    for cc in specs.compute_capabilities().values():
        assert cc.max_threads_per_sm == cc.max_warps_per_sm * cc.warp_size
        assert cc.regs_per_sm == cc.regs_per_subpartition * cc.sm_subpartitions_schedulers
        assert (
            cc.smem_per_block_optin_bytes + cc.reserved_smem_per_block_bytes
            <= cc.smem_per_sm_bytes
        )


def test_no_two_cards_share_a_name():
    names = [specs._words(name) for card in specs.gpus().values() for name in card.names]
    assert len(names) == len(set(names)) and all(names)
    assert specs.gpu("H200 SXM").names == ["H200 SXM", "H200"] and specs.gpu("L4").names == [
        "L4"
    ]


@pytest.mark.parametrize(
    ("cc", "missing"),
    [("7.5", 3), ("8.0", 2), ("8.9", 2), ("9.0", 1), ("10.0", 0), ("12.1", 0)],
)
def test_what_a_card_lacks(cc, missing):
    assert specs.lacks(cc) == list(specs.FEATURES)[3 - missing :]


def test_every_capability_that_a_gpu_compiler_knows():
    known = "7.5 8.0 8.6 8.7 8.8 8.9 9.0 10.0 10.1 10.3 11.0 12.0 12.1".split()
    assert [cc for cc in specs.compute_capabilities() if cc in known] == known
    thor, orin = specs.compute_capability("11.0"), specs.compute_capability("8.7")
    assert (thor.max_threads_per_sm, thor.max_blocks_per_sm) == (1536, 24)
    assert (orin.smem_per_sm_bytes, orin.smem_per_block_optin_bytes) == (164 << 10, 163 << 10)


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


def test_a_field_without_a_column_has_its_default(tmp_path):
    path = tmp_path / "table.csv"
    path.write_text("name,count,rate\na,1,2\n", "utf-8")

    @dataclass
    class More(Row):
        note: str = "-"

    More.__annotations__ = Row.__annotations__ | {"note": "str"}
    assert specs.read_table(More, path) == [More("a", 1, 2.0, "-")]


@pytest.mark.parametrize("line", ["a,,1.5", "a,1.5,2", "a,1,?"])
def test_a_cell_that_is_not_a_number_is_an_error(tmp_path, line):
    path = tmp_path / "table.csv"
    path.write_text(f"name,count,rate\n{line}\n", "utf-8")
    with pytest.raises(ValueError):
        specs.read_table(Row, path)
