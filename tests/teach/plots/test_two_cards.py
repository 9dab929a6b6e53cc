"""The roofs of two cards: their names, and that they are all drawn."""

import math
import re
from dataclasses import replace

import pytest

from helpers.model import cards
from helpers.teach import plots
from helpers.teach.plots import two_cards

H200, RTX_5090 = cards.card("H200 SXM"), cards.card("GeForce RTX 5090")


def test_short_names_and_two_cards_of_one_name():
    assert two_cards.names([RTX_5090, H200]) == ["RTX 5090", "H200"]
    assert two_cards.names([RTX_5090, RTX_5090]) == ["RTX 5090", "this RTX 5090"]
    assert two_cards.names([RTX_5090]) == ["RTX 5090"]


@pytest.mark.parametrize(
    ("name", "short"),
    [
        ("NVIDIA H100 80GB HBM3 MIG 1g.10gb", "H100 MIG 1g.10gb"),
        ("NVIDIA GeForce RTX 5090 Laptop GPU", "RTX 5090 Laptop"),
        ("NVIDIA RTX PRO 6000 Blackwell Max-Q Workstation Edition", "RTX PRO 6000 Max-Q"),
        ("NVIDIA A100-SXM4-80GB MIG 3g.40gb", "A100-SXM4 MIG 3g.…"),
        ("NVIDIA " + "x" * 19, "x" * 17 + "…"),
        ("NVIDIA " + "x" * 18, "x" * 18),
    ],
)
def test_long_names_leave_room_for_the_plot(name, short):
    long = replace(H200, gpu=replace(H200.gpu, name=name))
    assert two_cards.names([long]) == [short]
    axes = plots.new()
    two_cards.classic_rooflines(axes, [RTX_5090, long])
    legend = [text.get_text() for text in axes.get_legend().get_texts()]
    assert legend[:2] == ["RTX 5090: 104.8 TFLOP/s", "this card: 66.9 TFLOP/s"]


def test_level_roofs_are_drawn_at_their_height_and_say_how_they_are_known():
    axes = plots.new()
    two_cards.bandwidth_roofs(axes, [RTX_5090, H200], [100.0, 5000.0])
    heights = {line.get_ydata()[0] for line in axes.lines}
    roofs = (RTX_5090.gpu.dram_GBps, RTX_5090.l2_GBps, H200.gpu.dram_GBps, H200.l2_GBps)
    assert heights == set(roofs)
    names = [re.split(r"\s[\d,]+ GB/s$", text.get_text())[0] for text in axes.texts]
    assert names == ["RTX 5090 DRAM", "H200 DRAM", "RTX 5090 L2 (inferred)", "H200 L2"]
    assert axes.get_ylim() == pytest.approx((100 / 1.6, H200.l2_GBps * 1.2))


def test_what_is_no_bandwidth_does_not_stretch_the_axis():
    axes = plots.new()
    two_cards.bandwidth_roofs(axes, [H200], [float("nan"), 0.0, float("inf")])
    assert axes.get_ylim() == pytest.approx((4800 / 1.6, H200.l2_GBps * 1.2))


def test_the_classic_rooflines_end_at_the_peaks_of_those_whose_peak_is_known():
    unknown = replace(H200, gpu=replace(H200.gpu, fp32_TFLOPS=None))
    axes = plots.new()
    two_cards.classic_rooflines(axes, [RTX_5090, unknown])
    assert not axes.texts  # a name on a roof would lie on the other card's slope
    assert len(axes.lines) == 4
    flat, rising = axes.lines[0].get_ydata()[-1], axes.lines[2].get_ydata()
    assert flat == 104_800 and rising[-1] == pytest.approx(1024 * 4800)
    legend = [text.get_text() for text in axes.get_legend().get_texts()]
    assert legend == ["RTX 5090: 104.8 TFLOP/s", "H200", "from DRAM", "from L2"]


def test_names_that_would_touch_stand_apart_and_below_the_top():
    assert two_cards.spread([10, 40], 2, 100) == [10, 40]
    assert two_cards.spread([10, 11, 12], 2, 100) == [10, 20, 40]
    assert two_cards.spread([10, 40, 44], 2, 50) == [10, 25, 50]
    assert two_cards.spread([], 2, 50) == []


def test_two_caches_of_nearly_one_bandwidth_are_named_inside_the_axes():
    axes = plots.new()
    two_cards.bandwidth_roofs(axes, [RTX_5090, replace(H200, l2_GBps=7_557.0)], [1000.0])
    low, high = axes.get_ylim()
    places = [text.xyann[1] for text in axes.texts]
    apart = (high / low) ** 0.09
    assert places[-1] == pytest.approx(high / apart**0.5)
    assert places[-1] / places[-2] == pytest.approx(apart)


def test_on_a_long_axis_each_name_stands_at_its_own_roof():
    axes = plots.new()
    two_cards.bandwidth_roofs(axes, [RTX_5090, H200], [20.0])
    heights = sorted(text.xy[1] for text in axes.texts)
    for text in axes.texts:
        nearest = min(heights, key=lambda height: abs(math.log(text.xyann[1] / height)))
        assert nearest == text.xy[1] and "\n" not in text.get_text()
