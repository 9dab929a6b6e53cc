"""Pictures of a trace: what they draw, and their words."""

import itertools
from dataclasses import replace

from helpers.emulator.trace import Branch, Request, Step, Trace, Traffic
from helpers.emulator.traced import Line
from helpers.teach import plots
from helpers.teach.plots import traces

LINE = Line("v.cu", 2)
STRIDED = Request(tuple(16 * lane for lane in range(32)), 4)
COLUMN = Request(tuple(128 * lane if lane < 8 else None for lane in range(32)), 4)
LOADS = Traffic(LINE, "load", "global", 4, 2, 64, 256, 32, 8, 0, 0, 0, STRIDED, 16)


def test_a_request_is_drawn_by_lane_and_its_title_counts_sectors():
    axes = traces.request_sectors(plots.new(), STRIDED, "V5")
    assert (
        axes.get_title(loc="left") == "V5\n32 lanes, 16 sectors, 25% of their bytes asked for"
    )
    assert len(axes.patches) == 16 + 32


def test_banks_are_stacked_by_words():
    axes = traces.request_banks(plots.new(), COLUMN)
    assert axes.get_title(loc="left") == "8 words in the fullest bank, 8 in all"
    assert len(axes.patches) == 8


def test_masks_are_drawn_step_by_step():
    steps = [Step(LINE, "block", "global", mask, None) for mask in (0xFFFFFFFF, 0xFFFF)]
    axes = traces.step_masks(plots.new(), steps)
    assert axes.get_title(loc="left") == "75% of the lanes take part in a step on average"


def test_labels_of_axes_do_not_overlap():
    scattered = Request(tuple(132 * lane for lane in range(32)), 4)
    axes = traces.request_sectors(plots.new(), scattered)
    assert [one.get_text() for one in axes.get_yticklabels()][:3] == ["+0", "+2", "+4"]
    lines = [Line("v.cu", number) for number in (1, 2, 3, 4)]
    steps = [Step(line, "block", "global", 1, None) for line in [*lines * 20, *[LINE] * 20]]
    axes = traces.step_masks(plots.new(), steps)
    ticks = list(axes.get_xticks())
    assert ticks[0] == 0 and 7 in ticks and len(ticks) <= 16
    assert all(b - a >= 100 / 16 for a, b in itertools.pairwise(ticks))
    axes = traces.request_banks(plots.new(), Request((0, 4), 4))
    assert all(tick == int(tick) for tick in axes.get_yticks())


def test_the_margin_holds_all_that_a_line_does():
    kinds = ("load", "store", "atomic")
    seen = Trace(traffic=tuple(replace(LOADS, kind=kind) for kind in kinds))
    axes = traces.source_heat(plots.new(), seen, "first\nsecond\n")
    canvas = axes.figure.canvas.get_renderer()
    number, words = (
        next(text for text in axes.texts if word in text.get_text())
        for word in ("second", "load")
    )
    assert words.get_window_extent(canvas).x1 < number.get_window_extent(canvas).x0


def test_the_source_has_a_margin_of_heat():
    seen = Trace(traffic=(LOADS,))
    axes = traces.source_heat(plots.new(), seen, "first\nsecond\n", "v.cu")
    assert [text.get_text() for text in axes.texts] == [
        "  1  first",
        "load 16 sec",
        "  2  second",
    ]


def test_the_words_say_what_the_pictures_show():
    seen = Trace(traffic=(LOADS,), branches=(Branch(LINE, 10, 3, 320),))
    assert traces.describe(seen) == (
        "v.cu:2: 2 global load requests of 32 lanes, 16 sectors each\n"
        "v.cu:2: 3 of 10 branches divergent"
    )
