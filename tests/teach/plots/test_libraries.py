"""The template's bars and the comparison with the libraries."""

import pandas as pd
import pytest

from helpers.teach import plots

pytestmark = pytest.mark.usefixtures("no_gpu")  # a card that is here has its own facts


def texts(axes):
    return [text.get_text() for text in axes.texts]


def test_an_ideas_best_variant_is_filled_and_named():
    rows = pd.DataFrame(
        {
            "idea": ["tiles", "tiles", "library"],
            "variant": list("abc"),
            "ratio": [0.9, 1.1, 1.0],
        }
    )
    axes = plots.idea_strip(plots.new(), rows, "add")
    tiles, best, library, library_best, one = axes.lines
    assert list(tiles.get_xdata()) == [0.9, 1.1]
    assert list(tiles.get_ydata()) == [0, 0]
    assert (best.get_xdata()[0], best.get_ydata()[0]) == (1.1, 0)
    assert (library.get_ydata()[0], library_best.get_xdata()[0]) == (1, 1)
    assert [best.get_color(), library_best.get_color()] == ["#0072B2", "#555555"]
    assert tiles.get_markerfacecolor() == "white"
    assert list(one.get_xdata()) == [1, 1]
    assert texts(axes) == ["1.100", "1.000"]
    assert [tick.get_text() for tick in axes.get_yticklabels()] == ["tiles", "library"]
    assert axes.get_ylim() == (1.5, -0.8)
    assert axes.get_xlabel() == "time of the fastest library / own time"


def comparison():
    return pd.DataFrame(
        [
            (who, "add", dtype, 1 << 20, method, ratio + shift)
            for who, shift in (("course", 0.0), ("torch", -0.5))
            for dtype in ("float32", "float16")
            for method, ratios in (("graph hot", (1.0, 1.1, 1.02)), ("graph cold", (0.98,)))
            for ratio in ratios
        ],
        columns=["candidate", "operation", "dtype", "elements", "method", "ratio"],
    )


def test_ratios_show_the_spread_and_the_median_of_the_runs():
    axes = plots.library_ratios(plots.new(), comparison())
    spread, median, cold_spread, cold, *_, one = axes.lines
    assert list(spread.get_xdata()) == [1.0, 1.1]
    assert median.get_xdata()[0] == pytest.approx(1.02)
    assert list(cold_spread.get_xdata()) == [0.98, 0.98]
    assert cold.get_xdata()[0] == 0.98
    assert [median.get_ydata()[0], cold.get_ydata()[0]] == pytest.approx([-0.16, 0.16])
    assert [median.get_markerfacecolor(), cold.get_markerfacecolor()] == ["#0072B2", "white"]
    assert list(one.get_xdata()) == [1, 1]
    assert len(axes.lines) == 2 * 2 * 2 + 1
    names = [tick.get_text() for tick in axes.get_yticklabels()]
    assert names == ["add float32, 1M", "add float16, 1M"]
    assert axes.yaxis_inverted()
    assert axes.get_xlabel().endswith("filled: hot, hollow: cold")
    low, high = axes.get_xlim()
    assert low <= 0.98
    assert high >= 1.1


def test_one_run_of_one_method_is_enough():
    rows = comparison().query("method == 'graph cold' and dtype == 'float32'")
    spread, median, *_ = plots.library_ratios(plots.new(), rows).lines
    assert list(spread.get_xdata()) == [median.get_xdata()[0]] * 2


def test_another_candidates_ratios_are_drawn_when_asked_for():
    axes = plots.library_ratios(plots.new(), comparison(), candidate="torch")
    assert list(axes.lines[0].get_xdata()) == [0.5, 0.6000000000000001]


def test_without_a_record_the_picture_says_so():
    assert texts(plots.library_ratios(plots.new(), pd.DataFrame())) == ["no record yet"]
