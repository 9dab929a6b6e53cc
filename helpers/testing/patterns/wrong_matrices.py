"""Recognise a wrong output of rows and columns by the places of its wrong elements.

Each function takes a Mismatch and returns a clause for the learner, or None.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import replace

import torch

from helpers.testing.mismatch import (
    SEVERAL,
    Mismatch,
    are_among,
    fits,
    only_moves,
    rounding_error,
)
from helpers.testing.patterns import wrong_rows
from helpers.testing.patterns.wrong_indices import CUT
from helpers.testing.patterns.wrong_places import LEAST, LONGEST_TAIL
from helpers.testing.references import rounded, same_bits

MOST_THAT_STAY = 4  # one of so many wrong elements may be near what is right in its place
MOST_ROWS = 300  # of a matrix whose rows are compared with each other
MOST_ELEMENTS = 1 << 17  # of a matrix whose elements are looked for in each other
MOST_BESIDE = 0.8  # of the elements off the diagonal
MOST_PARTS = 4  # planes, rows or columns that change places
FEW_ELEMENTS = 4  # of a part that is compared with others
TILES = (8, 16, 32, 64)  # sides
SMALL_TILES = (2, 4, 8)  # sides of those that a thread may turn
WINDOW = 4  # columns beside an end of a row that a window reaches beyond


def all_in_first_row(m: Mismatch) -> str | None:
    """Test whether only the first row or page is written, with what belongs to others."""
    if len(m.shape) < 2 or m.shape[0] < 2 or m.got.numel() < m.shape[0] * SEVERAL:
        return None
    pages = (m.shape[0], m.got.numel() // m.shape[0])
    unwritten = (same_bits(m.got, m.poison) & m.wrong).reshape(pages)
    if bool(unwritten[0].any()) or not bool(unwritten[1:].all()):
        return None
    if int(m.wrong[: pages[1]].sum()) < SEVERAL // 2:
        return None
    got, right = (x.double().reshape(pages) for x in (m.got, rounded(m.expected, m.got.dtype)))
    limit = torch.finfo(m.got.dtype).eps if m.got.dtype.is_floating_point else 0.0
    near = (got[0] - right).abs() <= limit * right.abs()
    if not bool(near[1:].any(dim=0)[m.wrong[: pages[1]]].all()):
        return None
    if len(m.shape) > 2:
        return (
            "only page 0 was written, with what belongs to other pages, which were never "
            "written: is the page left out of the index at which the output is stored (page * "
            "the elements of one)?"
        )
    return (
        "only row 0 was written, and with what belongs to other rows, which were never "
        "written: is the row left out of the index at which the output is stored (row * "
        "columns + column)?"
    )


def other_row(m: Mismatch) -> str | None:
    """Test whether each wrong row, or matrix of a batch, is the right one of another place."""
    if len(m.shape) < 2 or not 1 < m.shape[0] <= MOST_ROWS:
        return None
    right = rounded(m.expected, m.got.dtype).reshape(m.shape[0], -1)
    got, wrong = m.got.reshape(right.shape), m.wrong.reshape(right.shape).any(dim=1)
    if right.shape[1] < SEVERAL:
        return None
    scale = right.double().abs().nan_to_num(0.0, 0.0, 0.0).amax()
    taken = []
    for row in wrong.nonzero().flatten().tolist():
        off = (got[row].double() - right.double()).abs()
        near = (off <= 1e-4 * scale).all(dim=1).nonzero().flatten()
        if not len(near) or row in near:
            return None
        taken.append((row, int(near[0])))
    if all(len(right[other].unique()) < 2 for _, other in taken):
        return None  # each is one number, as 0 of a sum that is nothing
    if len(taken) <= MOST_PARTS and {a for a, _ in taken} == {b for _, b in taken}:
        if sentence := exchanged(m):
            return sentence
    row, other = taken[0]
    if len(m.shape) > 2:
        return (
            f"matrix {row:,} of the output comes out as matrix {other:,} should: is it counted "
            "for another one, as where an index has no term for the batch?"
        )
    return (
        f"row {row:,} comes out as row {other:,} should: is one row counted for another? Does "
        "the place of its first element count the rows (row * n)?"
    )


def mirrored(m: Mismatch) -> str | None:
    """Test whether the columns, or the rows, of an output come out in reverse order."""
    if len(m.shape) < 2 or m.got.numel() > MOST_ELEMENTS:
        return None
    right = m.expected.reshape(m.shape)
    for axes, name in (((-1,), "column"), ((-2,), "row"), ((-2, -1), "row and every column")):
        if min(m.shape[axis] for axis in axes) < 3:
            continue
        if fits(m, right.flip(axes).reshape(-1)):
            return (
                f"every {name} comes out in the place of its mirror image, the first for the "
                "last: each is counted for another. Does an index begin at the other end "
                "(n - 1 - i), or should it?"
            )
    return None


def exchanged(m: Mismatch) -> str | None:
    """Test whether a few whole planes, rows or columns of an output have changed places."""
    if len(m.shape) < 2 or m.got.numel() > MOST_ELEMENTS:
        return None
    right, got = (
        x.reshape(m.shape) for x in (rounded(m.expected, m.got.dtype).double(), m.got.double())
    )
    names = ["row"] * (len(m.shape) - 1) + ["column"]
    names[0] = "plane" if len(m.shape) > 2 else "row"
    for axis, name in enumerate(names):
        wrong, own, other = (
            x.movedim(axis, 0).flatten(1) for x in (m.wrong.reshape(m.shape), right, got)
        )
        parts = wrong.any(dim=1).nonzero().flatten()
        if not 2 <= len(parts) <= MOST_PARTS or own.shape[1] < FEW_ELEMENTS:
            continue
        size = own[parts].abs().nan_to_num(0.0, 0.0, 0.0)
        limit = rounding_error(m) / 8 * (size + size.median())
        came_out = other[parts][:, None]
        same = ((came_out == own[parts]) | ((came_out - own[parts]).abs() <= limit)).all(dim=2)
        if bool(same.diagonal().any()):  # nearly right where they are
            continue
        if not bool((same.sum(dim=0) == 1).all() and (same.sum(dim=1) == 1).all()):
            continue
        *first, last = map(str, parts.tolist())
        return (
            f"{name}s {', '.join(first)} and {last} of the output are right, but have changed "
            "places: are indices, or the components of a vector (.x, .y, .z), swapped where "
            "they are read or stored?"
        )
    return None


def repeated(m: Mismatch) -> str | None:
    """For what only moves numbers: test whether rows or columns come out in others' places."""
    if m.reference is not None or len(m.shape) < 2 or not only_moves(m):
        return None
    right = rounded(m.expected, m.got.dtype).double()
    rows = [(0, "row")] * (len(m.shape) == 2)  # of a batch they are matrices: see other_row
    for axis, name in (*rows, (len(m.shape) - 1, "column")):
        wrong, own, other = (
            x.reshape(m.shape).movedim(axis, 0).flatten(1)
            for x in (m.wrong, right, m.got.double())
        )
        parts = wrong.any(dim=1).nonzero().flatten()
        if 2 * len(parts) > len(own) or own.shape[1] < FEW_ELEMENTS or len(own) > MOST_ROWS:
            continue
        same = (other[parts][:, None] == own).all(dim=2)  # what came out, as which
        apart = same.int().argmax(dim=1) - parts
        if bool((same.sum(dim=1) != 1).any()) or len(apart.unique()) > 1:
            continue
        k = int(parts[0])
        return (
            f"{name} {k + int(apart[0]):,} comes out twice, in its own place and in that of "
            f"{name} {k:,}, whose numbers are left out: was a line of code copied, and one "
            "thing of it (an index, a selection of bytes, a variable) not changed?"
        )
    return None


def not_turned(m: Mismatch) -> str | None:
    """For a transpose: test whether its tiles are in their places, and not turned inside."""
    x = m.inputs[0] if len(m.inputs) == 1 else torch.zeros(())
    if not _is_transpose(m, x) or x.numel() > MOST_ELEMENTS:
        return None
    height, width = x.shape[-2:]
    x = x.double().reshape(-1, height, width)
    got, wrong = (y.reshape(-1, width, height) for y in (m.got.double(), m.wrong))
    row, column = torch.arange(width)[:, None], torch.arange(height)
    for side in TILES:
        if max(height, width) <= side:
            continue  # of one tile, which may be all
        down = column // side * side + row % side
        across = row // side * side + column % side
        inside = (down < height) & (across < width)
        made = x[:, down.clamp(max=height - 1), across.clamp(max=width - 1)]
        tells = int((inside & wrong).sum()) >= SEVERAL
        if tells and torch.equal(got[:, inside], made[:, inside]):
            return (
                f"each tile of {side} x {side} comes to its place, but inside it each element "
                "stays in its row and column, where another element should come: look at the "
                "tile's index where it is filled and where it is read. In one of the two it "
                "must be turned round, tile[threadIdx.x][threadIdx.y]"
            )
    return None


def in_tiles(m: Mismatch) -> str | None:
    """For a transpose: test whether elements change places inside each of its small tiles."""
    if len(m.shape) < 2 or not SEVERAL <= int(m.wrong.sum()) or m.got.numel() > MOST_ELEMENTS:
        return None
    x = m.inputs[0] if len(m.inputs) == 1 else torch.zeros(())
    if not _is_transpose(m, x):
        return None
    for side in SMALL_TILES:
        got, right, wrong = (_tiles(y, m.shape, side) for y in (m.got, m.expected, m.wrong))
        if len(got) < LEAST or int(wrong.sum()) != int(m.wrong.sum()):
            continue
        places = wrong.any(dim=0).nonzero().flatten()
        same = (got.double()[:, places, None] == right[:, None, :]).all(dim=0)
        if not bool((same.sum(dim=1) == 1).all()):
            continue
        taken = same.int().argmax(dim=1)
        place, other = (divmod(int(k[0]), side) for k in (places, taken))
        words = (
            f"in each tile of {side} x {side} elements, the one at row {place[0]}, column "
            f"{place[1]} is what belongs at row {other[0]}, column {other[1]}"
        )
        look = (
            "Look at the line that makes that part of a tile: an index, or a selector of bytes"
        )
        if torch.equal(taken.sort().values, places):
            return (
                f"{words}, and others have changed places, too: are two of them swapped? {look}"
            )
        return f"{words}: is a row or column of the tile counted for another? {look}"
    return None


def _is_transpose(m: Mismatch, x: torch.Tensor) -> bool:
    """Test whether what is right is x with its last two sides exchanged."""
    if len(m.shape) < 2 or tuple(x.shape) != (*m.shape[:-2], m.shape[-1], m.shape[-2]):
        return False
    return torch.equal(m.expected, x.double().transpose(-2, -1).reshape(-1))


def _tiles(x: torch.Tensor, shape: tuple[int, ...], side: int) -> torch.Tensor:
    """Cut flat matrices into their whole tiles, [tiles, side * side]."""
    pages = math.prod(shape[:-2])
    rows, columns = (n // side for n in shape[-2:])
    x = x.reshape(pages, *shape[-2:])[:, : rows * side, : columns * side]
    x = x.reshape(pages, rows, side, columns, side).transpose(2, 3)
    return x.reshape(pages * rows * columns, side * side)


def permuted(m: Mismatch) -> str | None:
    """Test whether the wrong elements of a matrix are right ones of other places."""
    if len(m.shape) < 2 or int(m.wrong.sum()) < SEVERAL or m.got.numel() > MOST_ELEMENTS:
        return None
    finite = m.got.double()[m.wrong]
    if len(finite[finite.isfinite()].unique()) < SEVERAL:
        return None  # infinity is that of many places
    right = rounded(m.expected, m.got.dtype)
    if len(right.unique()) < m.got.numel() // 2 or (got := _nearest_of(m, right)) is None:
        return None
    if got.element_size() == 1 and not torch.equal(got.sort().values, right.sort().values):
        return None  # a byte is one of the right ones by chance
    m = replace(m, got=got)
    if sentence := _swizzled(m, right):
        return sentence
    if torch.equal(*(x.reshape(m.shape).sort(dim=-1).values for x in (m.got, right))):
        return (
            "every element holds what belongs to another element of its row, in another "
            "column: is the index within a row another one?"
        )
    if torch.equal(*(x.reshape(m.shape).sort(dim=-2).values for x in (m.got, right))):
        return (
            "every element holds what belongs to another element of its column, in another "
            "row: is the row counted for another in an index?"
        )
    if not _change_places(m, right):
        return (
            "every element is a right one of another place, another element's: is an index of "
            "what is read or written another one?"
        )
    return (
        "every element is a right one of another place: do rows and columns change places, in "
        "an index or in a bound?"
    )


def _change_places(m: Mismatch, right: torch.Tensor) -> bool:
    """Test whether the numbers may lie so as rows and columns change places.

    Then all are there, or each is what the index of the other order finds.
    """
    if torch.equal(m.got.sort().values, right.sort().values):
        return True
    rows, columns = m.shape[-2:]
    row, column = torch.arange(rows)[:, None], torch.arange(columns)
    turned = right.reshape(-1, rows * columns)[:, (column * rows + row).flatten()].flatten()
    return torch.equal(m.got[m.wrong], turned[m.wrong])


def _nearest_of(m: Mismatch, right: torch.Tensor) -> torch.Tensor | None:
    """Return for each element the right number next to it; None if one is far from all.

    Where an operator is rounded on its way, its last bits are others. Of 16 bits that would be
    true of most numbers. Wrong elements near what is right there have stayed in their places.
    """
    if are_among(m.got, right):
        return m.got
    if m.got.dtype not in (torch.float32, torch.float64) or not bool(m.got.isfinite().all()):
        return None
    if not len(known := right[right.isfinite()].unique()):
        return None
    above = torch.searchsorted(known, m.got).clamp(max=len(known) - 1)
    both = torch.stack((known[above], known[(above - 1).clamp(min=0)]))
    off = (both.double() - m.got.double()).abs()
    nearest = both.gather(0, off.argmin(dim=0)[None])[0]
    size = nearest.double().abs()
    limit = rounding_error(m) / 8 * (size + size.median())
    stays = (m.got.double() - right.double()).abs() <= 8 * limit
    if MOST_THAT_STAY * int((stays & m.wrong).sum()) > int(m.wrong.sum()):
        return None
    return nearest if bool((off.amin(dim=0) <= limit).all()) else None


def _swizzled(m: Mismatch, right: torch.Tensor) -> str | None:
    """Test whether in each tile row and column numbers are combined by ^ on one way only."""
    got, right = (x.reshape(-1, *m.shape[-2:]) for x in (m.got, right))
    rows, columns = (torch.arange(n) for n in m.shape[-2:])
    for side in TILES:
        ways = (
            ("row", rows[:, None] ^ columns % side, columns.expand(len(rows), -1)),
            ("column", rows[:, None].expand(-1, len(columns)), columns ^ rows[:, None] % side),
        )
        for name, row, column in ways:
            inside = (row < len(rows)) & (column < len(columns))
            read = right[:, row.clamp(max=len(rows) - 1), column.clamp(max=len(columns) - 1)]
            tells = inside & (read != right).any(dim=0)
            if int(tells.sum()) < SEVERAL or not torch.equal(got[:, inside], read[:, inside]):
                continue
            other = "column" if name == "row" else "row"
            return (
                f"each element is counted for another {name}: what belongs at {name} k comes "
                f"out at {name} k ^ ({other} % {side}). Is a tile of {side} x {side} in shared "
                "memory swizzled (^) where it is filled, and not where it is read, or the "
                "other way round?"
            )
    return None


def ends_of_rows(m: Mismatch) -> str | None:
    """Test whether only the first, the last or both columns of a matrix go wrong, or a few.

    For no elementwise operator, and one input of the output's shape, or one of longer rows, as
    of windows over a row.
    """
    if m.reference is not None or len(m.shape) != 2 or m.shape[1] < SEVERAL:
        return None
    alike = [tuple(x.shape) for x in m.inputs].count(tuple(m.shape)) == 1
    if not alike and not _of_longer_rows(m):
        return None
    rows, columns = m.wrong.reshape(m.shape).nonzero().unbind(dim=1)
    n, which = m.shape[1], columns.unique().tolist()
    first, last = ([c for c in which if (2 * c < n) == left] for left in (True, False))
    widest = min(n // 4, WINDOW // 2 if first and last else WINDOW)
    if len(rows.unique()) < SEVERAL // 2 or max(len(first), len(last)) > widest:
        return None
    if first != list(range(len(first))) or last != list(range(n - len(last), n)):
        return None
    names = " and the ".join(
        f"{end} {len(some)}" if len(some) > 1 else end
        for end, some in (("first", first), ("last", last))
        if some
    )
    plural = "s" * (max(len(first), len(last)) > 1)
    if factors := _factors(m, which):
        return (
            f"only elements of the {names} column{plural} are wrong, each column by a factor "
            f"({factors}): is it divided by another number there, as the elements beyond the "
            "end of a row count, or do not?"
        )
    return (
        f"only elements of the {names} column{plural} are wrong: does something read past the "
        "end of a row, into the next one, or leave out what is there?"
    )


def _of_longer_rows(m: Mismatch) -> bool:
    """Test whether the only input has as many rows as the output, and more columns."""
    x = m.inputs[0] if len(m.inputs) == 1 else torch.zeros(())
    return x.dim() == 2 and len(x) == m.shape[0] and x.shape[1] > m.shape[1]


def _factors(m: Mismatch, columns: list[int]) -> str:
    """Write what each element of these columns is multiplied with; "" if not by one number."""
    got, right = (x.double().reshape(m.shape)[:, columns] for x in (m.got, m.expected))
    ratio = (got / right).median(dim=0).values
    off = (got - ratio * right).abs()
    limit = rounding_error(m) * (right.abs() + right.abs().median())
    if (
        not bool(ratio.isfinite().all())
        or bool((ratio <= 0).any())
        or bool((off > limit).any())
    ):
        return ""
    return ", ".join(sorted({f"{float(by):.4g}" for by in ratio}))


def border(m: Mismatch) -> str | None:
    """Test whether only the first and last rows and columns of a matrix go wrong."""
    if m.reference is not None or len(m.shape) != 2 or min(m.shape) < 4:
        return None
    wrong = m.wrong.reshape(m.shape)
    sides = (wrong[0], wrong[-1], wrong[:, 0], wrong[:, -1])
    if bool(wrong[1:-1, 1:-1].any()) or not all(bool(side[1:-1].any()) for side in sides):
        return None
    return (
        "only elements at the border, of the first and last row and column, are wrong: is "
        "the formula another one there, where a neighbour is missing?"
    )


def first_or_last_row(m: Mismatch) -> str | None:
    """Test whether only the first row of a matrix goes wrong, the last one, or both."""
    if m.reference is not None or len(m.shape) != 2 or m.shape[0] < LEAST or m.shape[1] < LEAST:
        return None
    if [tuple(x.shape) for x in m.inputs].count(tuple(m.shape)) != 1 or only_moves(m):
        return None
    rows = m.wrong.reshape(m.shape).double().mean(dim=1)
    which = (rows > 0).nonzero().flatten().tolist()
    names = {(0,): "first row", (len(rows) - 1,): "last row"}
    names[0, len(rows) - 1] = "first and the last row"
    if tuple(which) not in names or bool((rows[which] < 0.5).any()):
        return None
    numbers = m.expected.reshape(m.shape).isfinite().any(dim=1)
    if not bool(numbers[rows == 0].any()):
        return None  # what is NaN or infinite may be right whatever was added up
    if wrong_rows.of_each_row(m):
        return None  # what a row shares is another one, and no neighbour of an element
    return (
        f"only elements of the {names[tuple(which)]} are wrong: is the formula another one "
        "there, where a neighbour is missing, or is a row beyond the edge read?"
    )


def _have_the_same_rows(m: Mismatch) -> bool:
    """Test whether two matrices that go in have the same rows, as far as both have some."""
    matrices = [x for x in m.inputs if x.dim() == 2]
    pairs = [(x, y) for x, y in itertools.combinations(matrices, 2) if x.shape[1] == y.shape[1]]
    return any(bool((x[: len(y)] == y[: len(x)]).all()) for x, y in pairs)


def beside_the_diagonal(m: Mismatch) -> str | None:
    """Test whether the elements on, above or below a matrix's diagonal go wrong, and no other.

    Of those with another result than 0, as zeros may be right by themselves.
    """
    if m.reference is not None or len(m.shape) != 2 or min(m.shape) < LEAST:
        return None
    wrong = m.wrong.reshape(m.shape)
    row, column = torch.arange(m.shape[0])[:, None], torch.arange(m.shape[1])
    if sentence := _other_side(m, wrong, row == column):
        return sentence
    for where, side in (
        ("on the diagonal", row == column),
        ("beside the diagonal, above it,", column == row + 1),
        ("beside the diagonal, below it,", row == column + 1),
        ("above the diagonal", column > row),
        ("below the diagonal", column < row),
        ("off the diagonal", column != row),
    ):
        if where == "off the diagonal" and _have_the_same_rows(m):
            return None  # so that each of the diagonal is made of two that are alike
        if int(side.sum()) >= LEAST and torch.equal(wrong, side):
            return (
                f"only elements {where} are wrong, and all of these: is a comparison of row "
                "and column another one?"
            )
    return None


def _other_side(m: Mismatch, wrong: torch.Tensor, diagonal: torch.Tensor) -> str | None:
    """Say of an input that has a number for each column, or row, that it is read at the other.

    Then all elements on the diagonal are right, and beside it few, of which the numbers agree.
    Of a product, where the results are not off by that input, it may be an index of a matrix.
    """
    rows, columns = m.shape
    if bool(wrong[diagonal].any()) or float(wrong[~diagonal].double().mean()) < MOST_BESIDE:
        return None
    is_product = sum(x.dim() == 2 and tuple(x.shape) != tuple(m.shape) for x in m.inputs) > 1
    if is_product and not _is_off_by_a_number_of_each(m):
        return (
            "only elements off the diagonal are wrong: does an index have the row in the place "
            "of the column, or the other way round, so that one is counted for another?"
        )
    for place, x in enumerate(m.inputs, 1):
        if x.dim() == 1 and len(x) in (rows, columns):
            own, other = ("column", "row") if len(x) == columns else ("row", "column")
            return (
                "only elements off the diagonal are wrong: is input "
                f"{place}, which has a number for each {own}, read at the place of the "
                f"{other}, so that each is counted for another?"
            )
    return None


def _is_off_by_a_number_of_each(m: Mismatch) -> bool:
    """Test whether results are off by, or times, a row's number less the column's, of an input.

    Or the other way round.
    """
    got, right = (x.double().reshape(m.shape) for x in (m.got, m.expected))
    near = 2.0**-6 * right.abs().amax()  # what is rounded on the way
    for x in m.inputs:
        if x.dim() != 1 or len(x) not in m.shape:
            continue
        n = min(*m.shape, len(x))
        y, own, other = x[:n].double(), right[:n, :n], got[:n, :n]
        for mine, its in ((y, y[:, None]), (y[:, None], y)):
            added = (own - mine + its - other).abs() <= near
            times = (own * its - other * mine).abs() <= near * mine.abs()
            if bool(added.all()) or bool(times.all()):
                return True
    return False


def turned_past_16_bits(m: Mismatch) -> str | None:
    """For rows that become columns: test whether just places past element 2^16 go wrong.

    Few of these may be right by chance.
    """
    turned = any(tuple(x.shape) == tuple(m.shape)[::-1] for x in m.inputs)
    if m.reference is not None or len(m.shape) != 2 or m.got.numel() <= CUT or not turned:
        return None
    rows, columns = m.shape
    place = torch.arange(columns) * rows + torch.arange(rows)[:, None]
    past, wrong = place >= CUT, m.wrong.reshape(m.shape)
    if bool((wrong & ~past).any()) or float(wrong[past].double().mean()) < 0.9:
        return None
    return (
        f"only elements go wrong whose place, column * {rows:,} + row, is 2^16 = {CUT:,} or "
        "more: is an index of 16 bits too narrow for it?"
    )


def from_column_on(m: Mismatch) -> str | None:
    """Test whether the rows of a matrix are right below a column, and wrong from there on."""
    if m.reference is not None or len(m.shape) != 2 or m.shape[0] < 2:
        return None
    wrong = m.wrong.reshape(m.shape)
    column = int(wrong.any(dim=0).nonzero()[0])
    if column < SEVERAL or m.shape[1] - column <= LONGEST_TAIL:
        return None
    if float(wrong[:, column:].double().mean()) < 0.9:
        return None
    return (
        f"in each row all is right below column {column:,}, and wrong from there on: do chunks "
        f"of {column:,} elements depend on those before them, and is that left out?"
    )
