"""The cells are drawn evenly, once, and a third of them sets the rule."""

from collections import Counter

from helpers import paths
from helpers.measure.libraries import cells
from tools import draw_cells

DRAWN = cells.draw()


def test_the_list_is_the_one_that_the_seed_draws():
    path = paths.DATA / "operator_cells.csv"
    assert draw_cells.PATH == path
    assert path.read_text(encoding="utf-8") == draw_cells.table()
    assert draw_cells.table().startswith("operator,dtype,out_dtype,elements,method,role\n")


def test_every_stratum_has_three_places_of_which_one_sets_the_rule():
    assert len(cells.strata()) == len(set(cells.strata())) == 18 * 3 + 10
    of_stratum = {stratum: [] for stratum in cells.strata()}
    for cell in DRAWN:
        of_stratum[cell[:3]].append(cell)
    for drawn in of_stratum.values():
        assert len({(cell.elements, cell.method) for cell in drawn}) == 3
        assert sorted(cell.role for cell in drawn) == ["rule", "test", "test"]


def test_sizes_and_methods_are_even():
    """192 cells over 20 places: each nine or ten times."""
    counts = Counter((cell.elements, cell.method) for cell in DRAWN)
    assert len(counts) == 20 and set(counts.values()) <= {9, 10}
    assert cells.SIZES[0] == 2**16 and 2**28 in cells.SIZES and 2**20 in cells.SIZES
    assert all(size % 2 for size in cells.ODD_SIZES)


def test_another_seed_draws_others_and_the_same_seed_the_same():
    assert cells.draw() == DRAWN
    assert cells.draw(16) != DRAWN
