"""Patterns of rows and columns: each is recognised by itself, and not where it does not fit."""

import math
from dataclasses import replace

import pytest
import torch

from helpers.testing.patterns import wrong_matrices
from tests.testing.mismatches import mismatch, random, said


def of_shape(got, right):
    return mismatch(got.reshape(-1), right.reshape(-1), shape=tuple(right.shape))


def of_matrix(find, got, right, **more):
    shape = tuple(right.shape)
    return find(mismatch(got.flatten(), right.flatten(), shape=shape, **more))


def test_a_row_in_the_place_of_another():
    right = random(4 * 8).reshape(4, 8)
    got = right.clone()
    got[1], got[3] = right[0] + 1e-6, right[0]
    assert wrong_matrices.other_row(of_shape(got, right)) == (
        "row 1 comes out as row 0 should: is one row counted for another? Does the place of "
        "its first element count the rows (row * n)?"
    )
    got[3, 2] += 1e-3
    assert wrong_matrices.other_row(of_shape(got, right)) is None
    nearly = right.clone()
    nearly[1] += 1e-6
    assert wrong_matrices.other_row(of_shape(nearly, right)) is None
    short = of_shape(right.roll(1, 0)[:, :7], right[:, :7])
    assert wrong_matrices.other_row(short) is None
    right[0] = 0
    assert wrong_matrices.other_row(of_shape(0 * right, right)) is None


def test_places_past_2_16_of_rows_that_become_columns():
    x = random(700 * 130).reshape(700, 130)
    place = torch.arange(700 * 130)
    for of_16, told in ((place % (1 << 16), True), (place.clamp(max=65_000), False)):
        got = x.flatten()[of_16].reshape(700, 130).T
        m = replace(of_shape(got.contiguous(), x.T.contiguous()), inputs=(x,))
        said = wrong_matrices.turned_past_16_bits(m)
        assert bool(said) is told
    assert wrong_matrices.turned_past_16_bits(replace(m, inputs=(x.T,))) is None


def test_what_should_be_nan_alone_has_no_nearest_number():
    nan, got = torch.full((4, 8), math.nan), random(32).reshape(4, 8)
    assert wrong_matrices._nearest_of(of_shape(got, nan), nan.flatten()) is None


def test_a_matrix_of_a_batch_in_the_place_of_another():
    right = random(3 * 4 * 5).reshape(3, 4, 5)
    got = right[:1].expand(3, 4, 5).clone()
    assert wrong_matrices.other_row(of_shape(got, right)) == (
        "matrix 1 of the output comes out as matrix 0 should: is it counted for another one, "
        "as where an index has no term for the batch?"
    )
    got[2, 3, 4] += 1
    assert wrong_matrices.other_row(of_shape(got, right)) is None


def test_right_elements_of_other_places():
    right = random(5 * 8).reshape(5, 8)
    words = "every element is a right one of another place: do rows and columns change places"
    moved = right.T.reshape(5, 8)
    assert wrong_matrices.permuted(of_shape(moved, right)).startswith(words)
    moved = moved.clone()
    moved[2, 2] = 7.0
    assert wrong_matrices.permuted(of_shape(moved, right)) is None
    lost = torch.where(torch.arange(40).reshape(5, 8) % 4 == 1, torch.inf, right)
    some = torch.where(torch.arange(40).reshape(5, 8) == 2, torch.inf, right)
    assert wrong_matrices.permuted(of_shape(lost, some)) is None  # infinity, of no one's place
    alike = torch.tensor([0.0, 1.0]).repeat(20).reshape(5, 8)
    assert wrong_matrices.permuted(of_shape(1 - alike, alike)) is None
    flat = mismatch(right.T.reshape(-1), right.reshape(-1))
    assert wrong_matrices.permuted(flat) is None


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.uint8, torch.int32])
@pytest.mark.parametrize(
    ("shape", "axis", "words"),
    [
        ((4, 3, 5), 0, "planes 0 and 2"),
        ((4, 3, 5), 1, "rows 0 and 2"),
        ((5, 4), 1, "columns 0 and 2"),
        ((3, 5), 0, "rows 0 and 2"),
    ],
)
def test_parts_that_have_changed_places(dtype, shape, axis, words):
    count = shape[0] * shape[1] * (shape[2] if len(shape) > 2 else 1)
    right = (40 * random(count).abs()).reshape(shape).to(dtype)
    order = torch.arange(shape[axis])
    order[[0, 2]] = order[[2, 0]]
    got = right.index_select(axis, order)
    said = wrong_matrices.exchanged(of_shape(got, right))
    assert said.startswith(f"{words} of the output are right, but have changed places: ")
    got.view(-1)[0] += 1
    assert wrong_matrices.exchanged(of_shape(got, right)) is None


@pytest.mark.parametrize(
    ("axes", "name"), [((-1,), "column"), ((-2,), "row"), ((-2, -1), "row and every column")]
)
@pytest.mark.parametrize("shape", [(3, 7), (40, 5), (2, 6, 9)])
def test_a_mirror_image(shape, axes, name):
    right = random(math.prod(shape)).reshape(shape)
    got = right.flip(axes)
    said = wrong_matrices.mirrored(of_shape(got, right))
    assert said.startswith(f"every {name} comes out in the place of its mirror image")
    got.view(-1)[0] += 1
    assert wrong_matrices.mirrored(of_shape(got, right)) is None
    two = right[..., :2]
    assert wrong_matrices.mirrored(of_shape(two.flip(-1), two)) is None
    alike = torch.full(shape, 0.125)  # whose mirror image differs by nothing
    assert wrong_matrices.mirrored(of_shape(alike + 3e-8, alike)) is None


def test_parts_that_turn_are_few_and_tell():
    right = random(6 * 5).reshape(6, 5)
    turned = torch.cat([right[1:4], right[:1], right[4:]])
    assert wrong_matrices.exchanged(of_shape(turned, right)).startswith("rows 0, 1, 2 and 3 of")
    assert wrong_matrices.exchanged(of_shape(right.roll(1, 0), right)) is None
    twice = right.clone()
    twice[0] = right[2]
    assert wrong_matrices.exchanged(of_shape(twice, right)) is None


@pytest.mark.parametrize("side", [8, 16, 32])
@pytest.mark.parametrize("dtype", [torch.float32, torch.int32, torch.float16])
def test_tiles_that_are_not_turned_inside(side, dtype):
    x = (100 * random((2 * side + 3) * (side + 5))).reshape(2 * side + 3, side + 5).to(dtype)
    got = x.T.contiguous()
    for top in range(0, len(x), side):
        for left in range(0, x.shape[1], side):
            tile = torch.zeros(side, side, dtype=dtype)
            part = x[top : top + side, left : left + side]
            tile[: len(part), : part.shape[1]] = part
            rows, columns = got[left : left + side, top : top + side].shape
            got[left : left + side, top : top + side] = tile[:rows, :columns]

    words = f"each tile of {side} x {side} comes to its place, but inside it each element stays"
    assert of_tile(got, x).startswith(words)
    other = got.clone()
    other[1, 0] += 1
    assert of_tile(other, x) is None
    assert of_tile(got[:side, :side], x[:side, :side]) is None  # one tile may be all
    batch = torch.stack([got, got, got]), torch.stack([x, x, x])
    assert of_tile(*batch).startswith(words)


def of_tile(got, x):
    m = mismatch(got.flatten(), x.mT.flatten(), x, shape=tuple(x.mT.shape))
    return wrong_matrices.not_turned(m)


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.int32])
def test_all_rows_that_are_written_to_the_first(dtype):
    right = (20 * random(3 * 9)).reshape(3, 9).to(dtype)
    got = torch.full((3, 9), -77).to(dtype)
    poison = int(got.view(-1)[:1].view({2: torch.int16, 4: torch.int32}[got.itemsize])[0])

    def said(first):
        got[0] = first
        m = mismatch(got.flatten(), right.flatten(), poison=poison, shape=(3, 9))
        return wrong_matrices.all_in_first_row(m)

    words = "only row 0 was written, and with what belongs to other rows, which were never"
    assert said(right[2]).startswith(words)
    assert said(torch.cat([right[1, :4], right[2, 4:]])).startswith(words)
    assert said(right[0]) is None and said(right[2] + 50) is None
    right[:] = right[0].clone()  # what is right in row 0 tells of no other
    assert said(right[0]) is None
    right[2] += 9
    got[1, 3] = 1
    assert said(right[2]) is None


@pytest.mark.parametrize(("rows", "said"), [(1, False), (2, True), (300, True), (301, False)])
def test_of_how_many_rows_another_is_looked_for(rows, said):
    right = random(rows * 8).reshape(rows, 8)
    got = right.roll(1, 0) if rows > 1 else right + 1
    assert bool(wrong_matrices.other_row(of_shape(got, right))) == said


def test_how_near_another_row_must_be():
    right = random(16).reshape(2, 8)
    largest = float(right.abs().max())
    got = right.clone()
    got[1] = right[0]
    got[1, 3] += 0.9e-4 * largest
    assert wrong_matrices.other_row(of_shape(got, right)).startswith("row 1 comes out as row 0")
    got[1, 3] += 0.3e-4 * largest
    assert wrong_matrices.other_row(of_shape(got, right)) is None
    with_nan = torch.cat([right, torch.full((1, 8), float("nan"))])
    got = with_nan.clone()
    got[1] = right[0]
    assert wrong_matrices.other_row(of_shape(got, with_nan)).startswith(
        "row 1 comes out as row"
    )
    alike = right.clone()
    alike[1] = right[0] + 1e-6  # two right rows that are nearly the same
    got = alike.clone()
    got[1] = right[0]
    assert wrong_matrices.other_row(of_shape(got, alike)) is None


def test_how_many_elements_of_other_places():
    right = random(40).reshape(5, 8)
    got = right.clone().reshape(-1)
    got[:8] = got[:8].roll(1)
    assert wrong_matrices.permuted(of_shape(got.reshape(5, 8), right))
    seven = right.clone().reshape(-1)
    seven[:7] = seven[:7].roll(1)
    assert wrong_matrices.permuted(of_shape(seven.reshape(5, 8), right)) is None
    half = torch.arange(20.0).repeat(2).reshape(5, 8)  # 20 different numbers of 40
    assert wrong_matrices.permuted(of_shape(half.roll(1, 1), half))
    fewer = torch.arange(19.0).repeat(3)[:40].reshape(5, 8)
    assert wrong_matrices.permuted(of_shape(fewer.roll(1, 1), fewer)) is None
    large = torch.arange(1 << 17).double().reshape(2, -1)
    assert wrong_matrices.permuted(of_shape(large.roll(1, 1), large))
    more = torch.arange((1 << 17) + 2).double().reshape(2, -1)
    assert wrong_matrices.permuted(of_shape(more.roll(1, 1), more)) is None


@pytest.mark.parametrize(
    ("columns", "which"), [([0], "first"), ([9], "last"), ([0, 9], "first and the last")]
)
def test_ends_of_rows(columns, which):
    x = random(80).reshape(8, 10)
    got = x.flatten().clone()
    got.view(8, 10)[::2, columns] += 1 + random(4)[:, None] ** 2
    sentence = said(got, x.flatten(), x, shape=(8, 10))
    assert sentence.startswith(f"only elements of the {which} column are wrong")
    m = mismatch(got, x.flatten(), x, shape=(8, 10))
    others = [replace(m, reference=torch.abs), replace(m, inputs=(x, x)), replace(m, shape=())]
    got[5] = 7.0  # a column between
    for other in (*others, mismatch(got, x.flatten(), x, shape=(8, 10))):
        assert wrong_matrices.ends_of_rows(other) is None


def test_a_border():
    right = torch.arange(30.0).reshape(5, 6)

    def told(which, shape=(5, 6)):
        got = torch.where(which, right + 100, right).reshape(-1)
        return wrong_matrices.border(mismatch(got, right.reshape(-1), shape=shape))

    at = torch.ones(5, 6, dtype=torch.bool)
    at[1:-1, 1:-1] = False
    words = "only elements at the border, of the first and last row and column, are wrong:"
    assert told(at).startswith(words)
    assert told(at, (30,)) is None
    one_right = at.clone()
    one_right[0, 2] = False
    assert told(one_right).startswith(words)
    for inside in ((2, 2), (3, 4)):
        more = at.clone()
        more[inside] = True
        assert told(more) is None
    three = at.clone()
    three[:, 0] = False
    assert told(three) is None


@pytest.mark.parametrize("scales", [False, True])
def test_a_number_of_each_column_of_a_product_that_is_read_at_the_row(scales):
    a, b, v = random(5 * 8).reshape(5, 8), random(8 * 5).reshape(8, 5), random(5)
    product = a @ b
    right = product * v if scales else product + v
    for got, words in (
        (
            product * v[:, None] if scales else product + v[:, None],
            "is input 3, which has a num",
        ),
        (
            (b.T @ b * v if scales else b.T @ b + v),
            "does an index have the row in the place of",
        ),
    ):
        got = torch.where(torch.eye(5) > 0, right, got)
        m = mismatch(got.flatten(), right.flatten().double(), a, b, v, shape=(5, 5))
        told = wrong_matrices.beside_the_diagonal(m)
        assert told.startswith(f"only elements off the diagonal are wrong: {words}")


def test_elements_beside_the_diagonal():
    x = random(35).reshape(5, 7)
    right = x.triu()
    for got, where in (
        (x.triu(1), "on the diagonal"),
        (right + torch.eye(5, 7).roll(1, 1), "beside the diagonal, above it,"),
        (right + x.tril(-1) - x.tril(-2), "beside the diagonal, below it,"),
        (right + right.triu(1), "above the diagonal"),
        (x, "below the diagonal"),
        (x.tril(), "off the diagonal"),
    ):
        sentence = of_matrix(wrong_matrices.beside_the_diagonal, got, right)
        assert sentence.startswith(f"only elements {where} are wrong, and all of these: is a")
    assert of_matrix(wrong_matrices.beside_the_diagonal, x + 1, right) is None
    narrow = x[:, :2]
    assert of_matrix(wrong_matrices.beside_the_diagonal, narrow + 1, narrow) is None


@pytest.mark.parametrize(
    ("length", "own", "other"), [(7, "column", "row"), (5, "row", "column")]
)
def test_a_vector_that_is_read_at_the_other_side(length, own, other):
    right = torch.zeros(5, 7)
    off = 1 - torch.eye(5, 7)
    off[0, 2] = 0.0  # where two of its numbers are alike
    m = mismatch(off.flatten(), right.flatten(), random(35), random(length), shape=(5, 7))
    told = wrong_matrices.beside_the_diagonal(m)
    assert told.endswith(
        f"is input 2, which has a number for each {own}, read at the place of the "
        f"{other}, so that each is counted for another?"
    )


def test_a_window_reaches_two_columns_to_either_side():
    x, right = random(200).reshape(10, 20), torch.zeros(10, 20) + 1
    for width, which in ((2, "the first 2 and the last 2 columns"), (3, None)):
        got = right.clone()
        got[:, :width] = got[:, -width:] = 7.0
        m = mismatch(got.flatten(), right.flatten(), x, shape=(10, 20))
        told = wrong_matrices.ends_of_rows(m)
        assert told is None if which is None else which in told


def test_ends_of_rows_that_are_divided_by_another_number():
    x = random(80).reshape(8, 10)
    right = torch.nn.functional.pad(x, (1, 1)).unfold(1, 3, 1).mean(2)
    got = right.clone()
    got[:, [0, -1]] *= 1.5
    words = (
        "the first and the last column are wrong, each column by a factor (1.5): is it divided"
    )
    assert words in said(got.flatten(), right.flatten(), x, shape=(8, 10))
    got[0, 0] = 0
    assert "factor" not in said(got.flatten(), right.flatten(), x, shape=(8, 10))


def test_a_first_or_a_last_row():
    right = torch.arange(30.0).reshape(5, 6)
    x = random(30).reshape(5, 6)

    def told(*rows):
        got = right.clone()
        for row in rows:
            got[row] += 100
        case = mismatch(got.reshape(-1), right.reshape(-1), x, shape=(5, 6))
        return wrong_matrices.first_or_last_row(case)

    assert told(0).startswith("only elements of the first row are wrong:")
    assert told(4).startswith("only elements of the last row are wrong:")
    assert told(0, 4).startswith("only elements of the first and the last row are wrong:")
    assert told(2) is None and told(0, 1) is None
    right = torch.full((3, 9), torch.nan)
    right[0], right[2] = random(9), random(9, 1)
    m = mismatch(right + 1, right, random(27).reshape(3, 9), shape=(3, 9))
    m.wrong[9:18] = False  # a NaN that came out as one
    assert wrong_matrices.first_or_last_row(m) is None
    x = random(25).reshape(5, 5)  # turned, it has no neighbours
    got = x.T.contiguous()
    got[4] = got[3]
    m = mismatch(got.flatten(), x.T.flatten(), x, shape=(5, 5))
    assert wrong_matrices.first_or_last_row(m) is None


def test_the_first_window_of_each_row_is_off_by_a_factor():
    x = random(5 * 33).reshape(5, 33)
    right = torch.nn.functional.avg_pool1d(
        x.double()[:, None], 3, 2, padding=1, count_include_pad=False
    )[:, 0]
    got = right.clone()
    got[:, 0] *= 2 / 3
    got = got.float().reshape(-1)
    wrong = torch.arange(len(got)) % 17 == 0
    m = mismatch(got, right.reshape(-1), x, wrong=wrong, shape=(5, 17))
    assert wrong_matrices.ends_of_rows(m).startswith(
        "only elements of the first column are wrong, each column by a factor (0.6667)"
    )
    m = mismatch(got, right.reshape(-1), x.T.contiguous(), wrong=wrong, shape=(5, 17))
    assert wrong_matrices.ends_of_rows(m) is None


def test_pages_that_are_all_written_to_the_first():
    right = random(3 * 4 * 5).reshape(3, 4, 5)
    got = torch.full((3, 4, 5), -77.0)
    poison = int(got.view(torch.int32)[0, 0, 0])
    got[0] = torch.cat([right[2, :3], right[0, 3:]])  # a tile of the first page came last

    def said():
        return of_matrix(wrong_matrices.all_in_first_row, got, right, poison=poison)

    assert said().startswith("only page 0 was written, with what belongs to other pages, which")
    got[1, 2, 2] = right[1, 2, 2]
    assert said() is None


def in_tiles(side, moved, shape=(12, 16), dtype=torch.uint8):
    """Say of a transpose in whose tiles each place (row, column) is taken from moved's."""
    x = (100 * random(shape[0] * shape[1])).to(dtype).reshape(shape)
    right, got = x.T.contiguous(), x.T.contiguous()
    for (row, column), (row_of, column_of) in moved.items():
        got[row::side, column::side] = right[row_of::side, column_of::side]
    m = mismatch(got.flatten(), right.flatten(), x, shape=tuple(right.shape))
    return wrong_matrices.in_tiles(m)


@pytest.mark.parametrize("dtype", [torch.uint8, torch.float32])
def test_places_of_a_tile_that_are_swapped(dtype):
    swapped = in_tiles(4, {(2, 1): (3, 0), (3, 0): (2, 1)}, dtype=dtype)
    assert swapped.startswith(
        "in each tile of 4 x 4 elements, the one at row 2, column 1 is what belongs at row 3, "
        "column 0, and others have changed places, too: are two of them swapped?"
    )
    assert in_tiles(2, {(0, 1): (1, 0), (1, 0): (0, 1)}).startswith("in each tile of 2 x 2")


def test_a_line_of_a_tile_that_is_taken_twice():
    copied = in_tiles(4, {(k, 2): (k, 0) for k in range(4)})
    assert "the one at row 0, column 2 is what belongs at row 0, column 0: is a row" in copied
    assert in_tiles(4, {(2, 1): (3, 0)}, shape=(4, 4)) is None  # one tile
    x = random(96).reshape(8, 12)
    right, got = x.T.contiguous(), x.T.contiguous()
    got[0::4, 0::4] += 1
    m = mismatch(got.flatten(), right.flatten(), x, shape=(12, 8))
    assert wrong_matrices.in_tiles(m) is None


@pytest.mark.parametrize("dtype", [torch.float32, torch.uint8])
def test_a_row_or_a_column_that_comes_out_twice(dtype):
    x = (90 * random(30).abs()).to(dtype).reshape(5, 6)
    right = x.T.contiguous()

    def told(*copies, of=right, axis=0):
        got = of.clone()
        for to, other in copies:
            got.movedim(axis, 0)[to] = of.movedim(axis, 0)[other]
        m = mismatch(got.flatten(), right.flatten(), x, shape=(6, 5))
        return wrong_matrices.repeated(m)

    words = "comes out twice, in its own place and in that of"
    assert told((2, 1)).startswith(f"row 1 {words} row 2, whose numbers are left out: was a")
    assert told((2, 1), (5, 4)).startswith(f"row 1 {words} row 2")
    assert told((3, 4), axis=1).startswith(f"column 4 {words} column 3")
    assert told((2, 1), (5, 3)) is None and told((1, 0), (2, 0), (3, 0), (4, 0)) is None
    assert told((2, 1), of=right + 1) is None
    m = mismatch(torch.ones(30), torch.zeros(30), torch.zeros(5, 6), shape=(6, 5))
    assert wrong_matrices.repeated(m) is None


@pytest.mark.parametrize("side", [8, 16, 32])
@pytest.mark.parametrize("shape", [(32, 32), (50, 70)])
@pytest.mark.parametrize("name", ["row", "column"])
def test_a_tile_that_is_swizzled_on_one_way_only(side, shape, name):
    right = torch.arange(float(shape[0] * shape[1])).reshape(shape)
    row, column = torch.arange(shape[0])[:, None], torch.arange(shape[1])
    if name == "row":
        row, column = row ^ column % side, column.expand(shape)
    else:
        row, column = row.expand(shape), column ^ row % side
    inside = (row < shape[0]) & (column < shape[1])
    read = right[row.clamp(max=shape[0] - 1), column.clamp(max=shape[1] - 1)]
    got = torch.where(inside, read, right[0, 0])
    m = mismatch(got.flatten(), right.flatten(), right.T.contiguous(), shape=shape)
    other = "column" if name == "row" else "row"
    assert wrong_matrices.permuted(m).startswith(
        f"each element is counted for another {name}: what belongs at {name} k comes out at "
        f"{name} k ^ ({other} % {side}). Is a tile of {side} x {side} in shared memory"
    )


def test_elements_of_other_rows_of_their_columns():
    right = torch.arange(35.0).reshape(5, 7)
    got = right.clone()
    for column in range(1, 7):
        got[:, column] = got[:, column].roll(column % 4)
    told = wrong_matrices.permuted(mismatch(got.flatten(), right.flatten(), shape=(5, 7)))
    assert told.startswith(
        "every element holds what belongs to another element of its column, in"
    )


def test_elements_of_other_places_that_are_not_turned():
    right = torch.arange(35.0).reshape(5, 7)
    told = wrong_matrices.permuted(
        mismatch(right.flatten() // 3 * 3, right.flatten(), shape=(5, 7))
    )
    assert told == (
        "every element is a right one of another place, another element's: is an index of what "
        "is read or written another one?"
    )
    turned = right.flatten()[torch.arange(7) * 5 + torch.arange(5)[:, None]].flatten()
    told = wrong_matrices.permuted(mismatch(turned, right.flatten(), shape=(5, 7)))
    assert told.endswith("do rows and columns change places, in an index or in a bound?")
    turned[turned == 6.0] = 7.0  # not all are there
    right[0, 6] = 7.0
    told = wrong_matrices.permuted(mismatch(turned, right.flatten(), shape=(5, 7)))
    assert told.endswith("do rows and columns change places, in an index or in a bound?")


def test_rows_that_change_places_are_no_row_of_others():
    right = random(4 * 40).reshape(4, 40)
    turned = right[[2, 1, 0, 3]] * (1 + 2.0**-23)  # another last bit, as of another step
    words = "rows 0 and 2 of the output are right, but have changed places"
    off = ((turned - right).abs() > 1e-6).flatten()
    assert of_matrix(wrong_matrices.other_row, turned, right, wrong=off).startswith(words)
    twice = right[[2, 1, 2, 3]]
    assert of_matrix(wrong_matrices.other_row, twice, right).startswith("row 0 comes out as")
    assert of_matrix(wrong_matrices.exchanged, turned + 1e-3, right, wrong=off) is None


def test_right_elements_of_other_places_in_all_but_their_last_bits():
    right = random(3 * 40).reshape(3, 40)
    moved = right.T.reshape(3, 40) * (1 + 2.0**-23)
    words = "every element is a right one of another place"
    assert of_matrix(wrong_matrices.permuted, moved, right).startswith(words)
    assert of_matrix(wrong_matrices.permuted, moved * 1.001, right) is None
    near = right * (1 + 2.0**-23)  # each in its place
    assert of_matrix(wrong_matrices.permuted, near, right) is None
    half = right.half().double()
    near = (half * (1 + 2.0**-10)).half().reshape(40, 3).T  # of 16 bits most are near another
    assert of_matrix(wrong_matrices.permuted, near, half) is None
    moved[1, 2] = float("nan")
    assert of_matrix(wrong_matrices.permuted, moved, right) is None


def test_rows_that_are_nearly_right_have_not_changed_places():
    right = random(4 * 40).reshape(4, 40)
    near = right * (1 + 2.0**-23)
    wrong = torch.ones(4 * 40, dtype=torch.bool)
    assert of_matrix(wrong_matrices.exchanged, near, right, wrong=wrong) is None


def test_rows_that_are_off_by_one_number_lack_no_neighbour():
    x = random(60).reshape(5, 12)
    right = x.double() - 1
    got = right.clone()
    got[0] += 0.5
    got[4] += 0.25
    m = mismatch(got.float().flatten(), right.flatten(), x, shape=(5, 12))
    assert wrong_matrices.first_or_last_row(m) is None
