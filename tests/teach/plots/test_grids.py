"""The pictures of a grid show each thread's element, and the threads without one."""

from itertools import pairwise

import pytest

from helpers.teach import plots


def texts(axes):
    return [text.get_text() for text in axes.texts if text.get_text()]


def test_a_grid_has_a_cell_for_each_thread():
    axes = plots.grid(plots.new(), 10, 4)
    assert len(axes.patches) == 12
    assert [bool(cell.get_hatch()) for cell in axes.patches] == [False] * 10 + [True] * 2
    assert texts(axes) == [*map(str, range(10)), *(f"blockIdx.x = {k}" for k in range(3))]
    assert axes.get_title(loc="left") == "10 elements, 3 blocks of 4 threads: 2 idle"
    assert [tick.get_text() for tick in axes.get_xticklabels()] == list("012301230123")
    assert axes.get_xlabel() == "threadIdx.x" and axes.get_ylabel() == ""
    colours = [cell.get_facecolor() for cell in axes.patches]
    assert colours[0] == colours[3] != colours[4] and len(set(colours)) == 4
    gaps = [b.get_x() - a.get_x() > 1.1 for a, b in pairwise(axes.patches)]
    assert [k for k, gap in enumerate(gaps) if gap] == [3, 7]


def test_a_matrix_is_covered_by_blocks_of_two_dimensions():
    axes = plots.grid(plots.new(), (5, 6), (4, 2))
    assert axes.get_title(loc="left") == "5 x 6 elements, 6 blocks of 4 x 2 threads: 18 idle"
    numbered = [text for text in texts(axes) if text.isdigit()]
    assert numbered == [str(number) for number in range(30)]
    names = [text for text in texts(axes) if "Idx" in text]
    assert names == [
        *("blockIdx.x = 0", "blockIdx.x = 1"),
        *("blockIdx.y = 0", "blockIdx.y = 1", "blockIdx.y = 2"),
    ]
    assert [tick.get_text() for tick in axes.get_yticklabels()] == list("010101")
    assert axes.get_ylim()[0] > axes.get_ylim()[1]  # y runs down


def test_one_block():
    axes = plots.grid(plots.new(), 3, 3)
    assert axes.get_title(loc="left") == "3 elements, 1 block of 3 threads: 0 idle"


@pytest.mark.parametrize(("elements", "block"), [(0, 4), (4, 0), ((3, 0), (2, 2)), (5, (0, 1))])
def test_sizes_below_one_are_refused(elements, block):
    with pytest.raises(ValueError, match="at least one element, a block at least one thread"):
        plots.grid(plots.new(), elements, block)


def test_more_threads_than_can_be_told_apart_are_refused():
    assert plots.grid(plots.new(), 600, 300)
    with pytest.raises(ValueError, match="700 threads are too many to draw: at most 600"):
        plots.grid(plots.new(), 601, 100)


def test_moves_lead_from_each_source():
    axes = plots.moves(plots.new(), [2, 0, 1], "turned")
    arrows = [text for text in axes.texts if not text.get_text()]
    assert [(arrow.xyann[0], arrow.xy[0]) for arrow in arrows] == [(2, 0), (0, 1), (1, 2)]
    assert texts(axes) == ["0", "2", "1", "0", "2", "1"]
    assert [tick.get_text() for tick in axes.get_yticklabels()] == ["x", "out"]
    assert axes.get_title(loc="left") == "turned"
