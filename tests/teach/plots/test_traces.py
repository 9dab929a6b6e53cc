"""Pictures of a trace: what they draw, and their words."""

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
