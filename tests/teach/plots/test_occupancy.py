"""Occupancy's staircases and what the block size changes."""

import numpy as np
import pandas as pd
import pytest

from helpers.model import occupancy
from helpers.teach import plots
from helpers.teach.plots.style import version_style


def texts(axes):
    return [text.get_text() for text in axes.texts]


def test_a_staircase_is_in_per_cent_and_marks_the_nearest_point():
    axes = plots.occupancy_steps(plots.new(), [16, 32, 64], [1, 0.75, 0.25], "registers", at=40)
    steps, point = axes.lines
    assert list(steps.get_xdata()) == [16, 32, 64]
    assert list(steps.get_ydata()) == [100, 75, 25]
    assert steps.get_drawstyle() == "steps-mid"
    assert (point.get_xdata()[0], point.get_ydata()[0]) == (32, 75)
    assert texts(axes) == ["75%"]
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("registers", "occupancy (%)")
    assert axes.get_ylim() == (0, 112)


def test_three_staircases_differ_with_and_without_a_label():
    axes = plots.new()
    for label in ("", "two", ""):
        plots.occupancy_steps(axes, [1, 2], [1, 0.5], "x", at=1, label=label)
    looks = [(line.get_color(), line.get_linestyle()) for line in axes.lines[::2]]
    assert len(set(looks)) == 3
    assert axes.get_legend_handles_labels()[1] == ["two"]


@pytest.mark.parametrize("order", [(0.5, 1), (1, 0.5)])
def test_the_label_of_the_lower_point_keeps_off_the_staircase_above(order):
    axes = plots.new()
    for height in order:
        plots.occupancy_steps(axes, [1, 2, 3], [height, height, 0], "x", at=2)
    lower, upper = sorted(axes.texts, key=lambda text: text.xy[1])
    assert lower.get_position() < (0, 0) < upper.get_position()
    assert (lower.get_ha(), lower.get_va(), upper.get_ha()) == ("right", "top", "left")


@pytest.mark.parametrize(
    ("block_size", "registers", "words", "bars"),
    [
        (256, 40, "6 blocks = 48 of 64 warps = 75.0%, limited by registers", 4),
        (128, 300, "impossible: 300 registers", 0),
    ],
)
def test_panels_show_each_resource_and_say_what_limits(block_size, registers, words, bars):
    axes = plots.panels(2, 2).ravel()
    said = plots.occupancy_panels(axes, "9.0", block_size, registers, 8 << 10)
    assert said.startswith(words)
    assert len(axes[0].patches) == bars
    assert axes[0].get_xlabel() == "blocks allowed by each resource (dark: the limit)"
    labels = ["threads per block", "registers per thread", "shared memory per block (KB)"]
    assert [panel.get_xlabel() for panel in axes[1:]] == labels
    if bars:
        result = occupancy.occupancy("9.0", block_size, registers, 8 << 10)
        limits = {name: limit for name, limit in result.limits.items() if np.isfinite(limit)}
        assert [bar.get_width() for bar in axes[0].patches] == list(limits.values())
        dark = [bar.get_facecolor()[0] < 0.2 for bar in axes[0].patches]
        assert dark == [name in result.binding for name in limits]
        marked = [panel.lines[1].get_xdata()[0] for panel in axes[1:]]
        assert marked == [256, 40, 8]
        assert {panel.lines[1].get_ydata()[0] for panel in axes[1:]} == {75}


def test_a_block_sweep_in_three_panels():
    sweep = pd.DataFrame(
        [
            {
                "kernel": name,
                "elements": 1 << 20,
                "block_size": size,
                "time_us": 10.0,
                "gb_per_s": speed + size,
            }
            for name, speed in (("v1_f32", 1000.0), ("v6_f16x8_pack", 2000.0))
            for size in (256, 64, 96, 160)
        ]
    )
    axes = plots.panels(3, 1)
    assert plots.block_sweep(axes, sweep, "9.0", 1.6e9) is axes
    for k, (name, each) in enumerate((("v1_f32", 1), ("v6_f16x8_pack", 8))):
        line = axes[0].lines[k]
        assert list(line.get_xdata()) == [64, 96, 160, 256]
        assert list(line.get_ydata()) == [1000 * (k + 1) + size for size in (64, 96, 160, 256)]
        assert (line.get_color(), line.get_marker()) == version_style(name)
        blocks = [-(-(1 << 20) // (each * size)) / 10 for size in (64, 96, 160, 256)]
        assert list(axes[2].lines[k].get_ydata()) == pytest.approx(blocks)
    _, fractions = occupancy.occupancy_by_block_size("9.0", 32, block_sizes=[64, 96, 160, 256])
    assert list(axes[1].lines[0].get_ydata()) == [100 * fraction for fraction in fractions]
    assert list(axes[2].lines[2].get_ydata()) == [1600, 1600]
    assert texts(axes[2]) == ["the card starts 1,600 blocks per µs"]
    assert texts(axes[0]) == ["v1_f32", "v6_f16x8_pack"]
    labels = [panel.get_ylabel() for panel in axes]
    assert labels == ["bandwidth (GB/s)", "occupancy (%)", "blocks per µs"]
    assert axes[2].get_xlabel() == "threads per block"
    assert [tick.get_text() for tick in axes[0].get_xticklabels()] == ["64", "96", "256"]
    assert axes[0].get_ylim() == (0, pytest.approx(2256 * 1.12))
    assert [panel.get_xscale() for panel in axes] == ["log"] * 3


def test_a_block_sweep_without_a_known_block_rate_has_no_roof():
    row = {
        "kernel": "v1_f32",
        "elements": 64,
        "block_size": 32,
        "time_us": 1.0,
        "gb_per_s": 1.0,
    }
    axes = plots.panels(3, 1)
    plots.block_sweep(axes, pd.DataFrame([row]), "9.0")
    assert len(axes[2].lines) == 1
    assert not axes[2].texts


def test_the_slots_of_an_sm_show_whole_blocks_and_what_stays_empty():
    axes = plots.blocks_in_sm(plots.new(), "9.0", 256, 40)
    assert len(axes.patches) == 64  # slots of an SM of compute capability 9.0
    white = [box for box in axes.patches if box.get_facecolor() == (1, 1, 1, 1)]
    assert len(white) == 64 - 48
    blocks = [text.get_text() for text in axes.texts]
    assert blocks == [str(block) for block in range(6) for _ in range(8)]
    rows = {box.get_y() for box in axes.patches}
    assert rows == {0, 1, 2, 3} and axes.get_title(loc="left").startswith("6 blocks = 48 of 64")
    with pytest.raises(ValueError):
        plots.blocks_in_sm(plots.new(), "9.0", 1024, 65)
