"""The tables of data/ are read as they are, and unknown names are met with the nearest known ones."""

import pytest

from helpers import specs


def test_every_card_has_a_known_capability():
    for card in specs.gpus().values():
        assert card.capability.cc == card.cc
        assert card.dram_GBps > 0 and card.sm_count > 0 and card.l2_bytes > 0 and card.source


def test_the_articles_card():
    card = specs.gpu("GeForce RTX 5090")
    assert (card.cc, card.sm_count, card.dram_GBps, card.l2_MiB) == ("12.0", 170, 1792, 96)
    assert card.ridge_flop_per_byte == pytest.approx(104.8e3 / 1792)
    assert card.capability.arch == "sm_120"


@pytest.mark.parametrize(
    "reported, name",
    [
        ("NVIDIA H200", "H200 SXM"),
        ("NVIDIA GeForce RTX 5090", "GeForce RTX 5090"),
        ("T4", "T4"),
    ],
)
def test_the_drivers_name_finds_the_card(reported, name):
    assert specs.gpu(reported).name == name


def test_unknown_names_are_errors_that_help():
    with pytest.raises(KeyError, match="GeForce RTX 5090"):
        specs.gpu("RTX 509")
    with pytest.raises(KeyError, match=r"9\.0"):
        specs.compute_capability("3.5")


def test_torchs_pair_names_a_capability():
    assert specs.compute_capability((9, 0)) is specs.compute_capability("9.0")


def test_limits_are_consistent():
    for cc in specs.compute_capabilities().values():
        assert cc.max_threads_per_sm == cc.max_warps_per_sm * cc.warp_size
        assert cc.regs_per_sm == cc.regs_per_subpartition * cc.sm_subpartitions_schedulers
        assert (
            cc.smem_per_block_optin_bytes + cc.reserved_smem_per_block_bytes
            <= cc.smem_per_sm_bytes
        )
