"""Launchers that multiply matrices: which products count, and where they read."""

from types import SimpleNamespace

import pytest
import torch

from helpers.errors import CourseError
from helpers.testing.cases import Case
from helpers.testing.probes import products


@pytest.fixture
def said(fake_launcher):
    """Diagnose a Python function (a, b) -> c."""

    def of(kernel, m=3, n=5, k=7, function=torch.matmul, larger=False):
        def launch(launcher, a, b, c, **arguments):
            c.copy_(kernel(a, b))

        launcher = fake_launcher("float a, float b", "float c", launch)
        a, b = torch.ones(m, k), torch.ones(k, n)
        exact = (torch.full((m, n), float(k), dtype=torch.float64),)
        case = Case("", (a, b), exact, dtypes=(torch.float32,), function=function)
        return products.diagnose(launcher, case, larger)

    return of


@pytest.mark.parametrize("sides", [(1, 1, 1), (3, 5, 7), (5, 3, 7), (2, 2, 300)])
def test_nothing_is_said_of_a_right_one(said, sides):
    assert said(torch.matmul, *sides) is None


def test_products_that_are_left_out(said):
    assert said(lambda a, b: a[:, :-1] @ b[:-1]) == (
        "1 of 7 products of a sum are left out, the first with k = 6: does the loop go over "
        "all of them?"
    )
    half = said(lambda a, b: a[:, :150] @ b[:150], 2, 2, 300)
    assert half.startswith(
        "64 of 129 tried products of a sum are left out, the first with k = 15"
    )


def test_larger_sides_are_asked_for(said):
    def whole_tiles(a, b):
        k = a.shape[1] // 16 * 16
        return a[:, :k] @ b[:k]

    words = "8 of 40 products of a sum are left out, the first with k = 32"
    assert said(whole_tiles, larger=True).startswith(words)
    assert said(whole_tiles).startswith("each of the 7 products of a sum has no effect alone")
    assert said(whole_tiles, k=40, larger=True).startswith("8 of 40")
    assert said(torch.matmul, larger=True) is None


def test_a_product_whose_sums_start_with_a_number(said):
    words = "of zeros in a, c[0, 0] is 2: does its sum start with another number than 0"
    assert said(lambda a, b: a @ b + 2).startswith(words)


def test_products_that_are_taken_twice(said):
    assert said(lambda a, b: a @ b + a[:, 2:3] @ b[2:3]) == (
        "the product with k = 2 is taken more than once in a sum"
    )


@pytest.mark.parametrize("side", [4, 16])
def test_a_tile_that_is_read_down_in_the_place_of_across(said, side):
    def of_tiles(a, b):
        m, k = a.shape
        more = [-x % side for x in (m, k)]
        tiles = torch.nn.functional.pad(a, (0, more[1], 0, more[0]))
        tiles = tiles.reshape(len(tiles) // side, side, -1, side).transpose(1, 3)
        turned = tiles.reshape(m + more[0], k + more[1])
        return turned[:m] @ torch.nn.functional.pad(b, (0, 0, 0, more[1]))

    assert said(of_tiles, larger=True) == (
        "c[0, 0] is made of a[1, 0], and not of a[0, 1]: are row and column of a, or of its "
        "tile, swapped where it is filled or read?"
    )


def test_a_matrix_that_is_read_along_the_other_side(said):
    other_b = said(lambda a, b: a @ b.reshape(b.shape[1], b.shape[0]).T)
    assert other_b.startswith("with one 1 in the other matrix, c should hold a row of b, and")
    assert other_b.endswith(
        "do rows and columns change places? b[row, column] is at row * n + column"
    )
    other_a = said(lambda a, b: a.reshape(a.shape[1], a.shape[0]).T @ b)
    assert "rows and columns change places?" in other_a


def test_elements_at_other_places_of_their_row(said):
    other = said(lambda a, b: (a @ b)[:, [0, 2, 1, 3, 4]])
    assert other == (
        "with one 1 in the other matrix, c should hold a row of b, and holds its elements at "
        "other places: that of place 2 is at place 1. Is it counted for another, by an index "
        "that is one thing where it is read and another where c is written?"
    )
    rows = said(lambda a, b: (a @ b)[[0, 2, 1]])
    assert "c should hold a column of a, and holds its elements at other places" in rows


def test_a_narrow_product(said):
    sentence = said(lambda a, b: a.half().float() @ b)
    assert sentence == (
        "0.7 * 1 makes 0.70019531: is it computed or rounded in a narrower precision?"
    )


def test_only_products_of_small_matrices_are_asked(said):
    assert said(lambda a, b: 0 * (a @ b), function=None) is None
    assert said(lambda a, b: a[:, 1:] @ b[1:], 300, 300, 2) is None
    assert said(lambda a, b: a[:, 1:] @ b[1:], 256, 256, 2) is not None


# ---- question by question


@pytest.fixture
def asked(fake_launcher):
    """Ask a Python function (a, b) -> c for sides m, n and k."""

    def of(kernel, m=3, n=5, k=7, **arguments):
        def launch(launcher, a, b, c, **arguments):
            c.copy_(kernel(a, b))

        launcher = fake_launcher("float a, float b", "float c", launch)
        a, b = torch.ones(m, k), torch.ones(k, n)
        exact = (torch.full((m, n), float(k), dtype=torch.float64),)
        case = Case("", (a, b), exact, arguments, dtypes=(torch.float32,))
        return products._Asked(launcher, case, (m, n, k))

    return of


def test_what_a_launcher_is_given(asked):
    some = asked(torch.matmul, 2, 3, 4, padding=1)
    assert some.sides == (2, 3, 4)
    a, b = torch.arange(8.0).reshape(2, 4), torch.arange(12.0).reshape(4, 3)
    seen = []

    def look(launcher, a, b, c, **arguments):
        seen.append((a.shape, b.shape, c.shape, c.view(torch.int32).unique().tolist()))
        c.copy_(a @ b)

    some.launcher.function = look
    assert torch.equal(some.product(a, b), a @ b)
    assert seen == [((2, 4), (4, 3), (2, 3), [0x7FC0DEAD])]
    assert some.launcher.calls == [{"padding": 1}]


@pytest.mark.parametrize(("k", "tried"), [(128, "128"), (129, "129"), (130, "129 tried")])
def test_how_many_products_are_tried(asked, k, tried):
    lost = products._lost(asked(lambda a, b: a[:, 1:] @ b[1:], k=k))
    assert lost.startswith(f"1 of {tried} products of a sum are left out, the first with k = 0")


def test_which_products_of_a_long_sum_are_tried(asked):
    seen = []

    def look(a, b):
        seen.extend([one] if (one := a[0].nonzero().flatten().tolist()) else [])
        assert bool((a == a[0]).all()) and bool((b == 1).all())
        return a @ b

    assert products._lost(asked(look, k=1000)) is None
    assert seen == [[j * 999 // 128] for j in range(129)]


def test_all_products_lost_is_no_loop_that_ends_early(asked):
    assert products._lost(asked(lambda a, b: 0 * (a @ b))) == (
        "each of the 7 products of a sum has no effect alone: is the sum left out, or "
        "overwritten (= in the place of +=)?"
    )
    assert products._lost(asked(lambda a, b: 0 * (a @ b), k=1)) is None
    all_but_one = products._lost(asked(lambda a, b: a[:, 3:4] @ b[3:4]))
    assert all_but_one.startswith("6 of 7 products of a sum are left out, the first with k = 0")


@pytest.mark.parametrize(("times", "said"), [(1.5, False), (2, True), (4, True), (5, False)])
def test_a_product_that_is_taken_several_times(asked, times, said):
    more = asked(lambda a, b: a @ b + (times - 1) * a[:, 4:5] @ b[4:5])
    words = "the product with k = 4 is taken more than once in a sum"
    assert products._lost(more) == (words if said else None)


@pytest.mark.parametrize(
    ("name", "off", "words"),
    [
        ("b", 1, "c should hold a row of b, and holds what lies 1 place before in memory: is"),
        (
            "b",
            -2,
            "c should hold a row of b, and holds what lies 2 places further in memory: is",
        ),
        (
            "b",
            -5,
            "c should hold a row of b, and holds that which is +1 from it: is it counted",
        ),
        (
            "a",
            1,
            "c should hold a column of a, and holds that which is -1 from it: is it count",
        ),
    ],
)
def test_one_matrix_alone_is_read_in_another_way(asked, name, off, words):
    def other(x):
        return x.reshape(-1).roll(off).reshape(x.shape)

    def kernel(a, b):
        if name == "b":
            return a @ other(b)
        return a @ b if int(b.count_nonzero()) > 1 else other(a) @ b

    assert products._other_places(asked(torch.matmul)) is None
    said = products._other_places(asked(kernel))
    assert said.startswith(f"with one 1 in the other matrix, {words}")


@pytest.mark.parametrize(("name", "part", "stride"), [("b", "row", "n"), ("a", "column", "k")])
def test_one_matrix_alone_is_turned_round(asked, name, part, stride):
    def other(x):
        return x.reshape(x.shape[::-1]).T

    def kernel(a, b):
        if name == "b":
            return a @ other(b)
        return a @ b if int(b.count_nonzero()) > 1 else other(a) @ b

    assert products._other_places(asked(kernel)) == (
        f"with one 1 in the other matrix, c should hold a {part} of {name}, and holds other "
        f"elements: do rows and columns change places? {name}[row, column] is at row * "
        f"{stride} + column"
    )


def test_tensors_lie_where_the_launcher_runs(asked, monkeypatch):
    monkeypatch.setattr(products.machine, "present", lambda: SimpleNamespace(device="meta"))
    some, seen = asked(torch.matmul), []

    def look(launcher, *tensors, **arguments):
        seen.append([x.device.type for x in tensors])

    some.launcher.function = look
    a, b = torch.ones(2, 7), torch.ones(7, 3)
    some.product(a, b)
    some.launcher.on_gpu = True
    with pytest.raises(Exception, match="meta"):
        some.product(a, b)
    assert seen == [["cpu"] * 3, ["meta"] * 3]


@pytest.mark.parametrize(
    ("off", "said"), [(0.0, False), (0.031, True), (2.0**-5, False), (0.032, False)]
)
def test_how_near_a_fraction_counts_as_imprecise(asked, off, said):
    assert bool(products._fraction(asked(lambda a, b: a @ b + off))) == said
    assert bool(products._fraction(asked(lambda a, b: a @ b - off))) == said


def test_an_output_of_2_16_elements_is_asked(said):
    assert (products.SOME, products.LARGEST) == (128, 1 << 16)

    def refuse(a, b):
        raise CourseError("no")

    assert said(refuse) is None
