"""Ask a launcher which elements of its inputs have an effect on any output.

Of a kernel that fails in no known pattern: each of some elements is changed, up and down, and
the outputs are compared with those of the unchanged inputs.
"""

from __future__ import annotations

import bisect
import itertools
from collections.abc import Iterable
from dataclasses import replace
from typing import NamedTuple

import torch

from helpers.errors import CourseError
from helpers.run import machine
from helpers.run.launcher import Launcher
from helpers.specs import WARP_SIZE
from helpers.testing import patience
from helpers.testing.buffers import INDICES, with_room
from helpers.testing.cases import Case
from helpers.testing.mismatch import SHORT
from helpers.testing.patterns.wrong_places import LONGEST_TAIL
from helpers.testing.patterns.wrong_softmax import is_masked, is_softmax
from helpers.testing.references import bits

SOME = 48  # elements of each input
EVERY = 500  # elements, each of which may be asked for
MOST = 20_000  # elements of all inputs
MOST_OF_ONE = 1 << 16  # of which one number is made, as a grid that is capped leaves some out
# What is passed in the place of each argument that is a float.
OTHERS = (lambda v: v or 0.5, lambda v: (v or 0.5) / 1024, lambda v: -(v or 0.5))
NEAR = 4  # elements, in which one may be taken for another
FIRST_ONLY = "only the first"
# Of the last elements of an input, or of its rows.
LAST_LOST = (
    "does not count: is the tail left out, as where a loop, or the number of threads, ends too "
    "early?"
)
LONGER = 3  # times the elements of an array of which the last few do not count
NEXT = 24  # cases that are looked at for integers that differ
FEW_LOST = 4  # elements without an effect, which may be so by chance
FEW_OF = 8  # elements, of which one may be the last
FEW = 4  # elements that are asked for; one of so many results may change with each


class _Asked(NamedTuple):
    """What was asked of one input: which places were tried, and which have no effect."""

    launcher: Launcher
    case: Case
    which: int
    places: list[int]
    lost: list[int]
    usual: list[torch.Tensor]  # what comes out of the unchanged inputs

    @property
    def counted(self) -> list[int]:
        """The places that have an effect."""
        return [place for place in self.places if place not in self.lost]

    def changed_by(self, place: int) -> torch.Tensor | None:
        """List what of the first output, or of one of its shape, changes with one place."""
        return changed_by(self.launcher, self.case, self.which, place, self.usual)


def diagnose(launcher: Launcher, case: Case) -> str | None:
    """Name elements of an input without an effect; None if there are none, or too many.

    Integers beside another input may choose elements, as may those of which others count when
    they are changed, or with which a call fails; then it is no fault if others do not count.
    Nor is it for the ends of rows, as in sums of what stands before.
    """
    most = MOST_OF_ONE if case.size == 1 else MOST
    if case.reference is not None or sum(x.numel() for x in case.inputs) > most:
        return None
    if len(case.inputs) != 1 and not all(x.is_floating_point() for x in case.inputs):
        return None
    names = [p.name for p in launcher.declaration.tensors if p.role == "input"]
    if not case.inputs or len(names) != len(case.inputs):
        return None
    given = case.inputs
    # Beside a factor of 0, an infinity or a NaN, nothing has an effect.
    case = replace(case, inputs=tuple(map(plain, case.inputs)))
    if (usual := launched(launcher, case, case.inputs)) is None:
        return None
    for k, x in enumerate(case.inputs):
        n = x.numel()
        evenly = (j * (n - 1) // SOME for j in range(SOME + 1))
        places = sorted({*range(min(n, SOME // 2)), *evenly})
        if not x.is_floating_point() and _chooses(launcher, case, k, places):
            return None
        lost = _lost(launcher, case, k, places, usual)
        if may_be_indices(case, x):
            other = _turned(case, k)
            if (of_other := launched(launcher, other, other.inputs)) is None:
                return None
            if _lost(launcher, other, k, places, of_other) != lost:
                return None
        asked = _beside_small(_Asked(launcher, case, k, places, lost, usual))
        case, usual = asked.case, asked.usual
        lost = [
            i
            for i in asked.lost
            if not _is_beside_nan(case, usual, x, i) and not _is_masked(case, x, i)
        ]
        lost = _by_any_numbers(asked._replace(lost=lost))
        if 0 < len(lost) < len(places) and _is_noise(asked):
            lost = places
        asked = asked._replace(lost=lost)
        if first := _beginnings(asked):
            if first in case.arguments.values():
                continue  # as where rows are longer in memory than they are
            behind = x.shape[-1] - first
            if behind <= min(LONGEST_TAIL, first // FEW_OF):
                last = f"{_last_of(behind)} of {_whole(x)}{names[k]} {LAST_LOST}"
                return _of_longer(asked, first) or last
            which = "element" if first == 1 else f"{first:,} elements"
            counts = "has an effect" if first == 1 else "count"
            return (
                f"{FIRST_ONLY} {which} of {_whole(x)}{names[k]} {counts}, the others are left "
                "out: is there a thread for each, or a loop over them?"
            )
        of_each_row = case.expected[0].dim() > 1 and _ends_of_rows(lost, x)
        if not lost and (sentence := _of_few_columns(launcher, case, k, places, usual)):
            return f"{names[k]}{sentence}"
        if len(lost) == len(places) > FEW and _has_effect_by_others(asked):
            continue
        if len(lost) == len(places) > FEW and (without := _without_effect(asked)):
            which, tensor = " or ".join(names[j] for j in without), "one of the others"
            if len(without) > 1:
                tensor = "one of these"
            return (
                f"no element of {which} has an effect on any output: is it left out, or is "
                f"{tensor} read in the place of another (the same pointer under two names)?"
            )
        if not _may_be_left_out(lost, places, x, case.expected[0]) or of_each_row:
            continue
        if _is_triangle(given[k], places, lost):
            continue
        tried = f"{len(places):,}" + (" tried" if len(places) < n else "")
        if sentence := _of_a_row(asked):
            return f"{names[k]}{sentence}"
        which = f"{len(lost):,} of {tried} elements of {names[k]} have no effect on any output"
        of_rows = x.dim() > 1 and x.shape[-1] < x.numel()
        if of_rows and 1 < len(lost) < len(places) and lost == places[-len(lost) :]:
            before = places[-len(lost) - 1]
            each = range(before + 1, lost[0])
            first = (
                before
                + 1
                + bisect.bisect_left(
                    each, True, key=lambda i: not _matters(launcher, case, k, i, usual)
                )
            )
            if first % x.shape[-1] or _of_another_row(launcher, case, k, usual):
                return (
                    f"{which}, those from {names[k]}[{first:,}] on: is the step from row to "
                    "row the number of columns, or another of the sides?"
                )
        return (
            f"{which}, the first is {names[k]}[{lost[0]:,}]: left out by a loop, or a thread, "
            "warp or block whose result does not count?"
        )
    return None


def _is_triangle(x: torch.Tensor, places: list[int], lost: list[int]) -> bool:
    """Test whether those without an effect are all beside the diagonal of a square matrix.

    All above it, or all below it; or all that are 0 there, and no others. Of a triangular
    matrix they do not count.
    """
    if x.dim() != 2 or len(x) != x.shape[1]:
        return False
    beside = {i: i % len(x) - i // len(x) for i in places}
    ways = (
        {i for i in places if beside[i] > 0},
        {i for i in places if beside[i] < 0},
        {i for i in places if x.reshape(-1)[i] == 0},
    )
    return set(lost) in ways


def _by_any_numbers(asked: _Asked) -> list[int]:
    """Return the places without an effect, if half or all, that have none by other numbers.

    Beside whole numbers a sum of products may be the same by chance, or 0; and the largest of
    products may stay so, where a small number stands beside the one that is changed.
    """
    case, few = asked.case, len(asked.counted)
    is_all = len(asked.lost) == len(asked.places)  # as where all others are equal
    if len(case.inputs) < 2 or not (is_all or 0 < len(asked.lost) <= few):
        return asked.lost
    generator = torch.Generator().manual_seed(len(asked.places))
    others = [
        (torch.rand(x.shape, generator=generator) + 0.5).to(x.dtype)
        if k != asked.which and x.is_floating_point()
        else x
        for k, x in enumerate(case.inputs)
    ]
    other = replace(case, inputs=tuple(others))
    if (usual := launched(asked.launcher, other, other.inputs)) is None:
        return asked.lost
    if not is_all:
        return _lost(asked.launcher, other, asked.which, asked.lost, usual)
    lost = _lost(asked.launcher, other, asked.which, asked.lost[:FEW_LOST], usual)
    return asked.lost if len(lost) == FEW_LOST else lost


def _last_of(count: int) -> str:
    return "the last element" if count == 1 else f"each of the last {count} elements"


def _is_noise(asked: _Asked) -> bool:
    """Test whether an operand of an operator changes results by what rounding makes only.

    As one that is added and taken off again.
    """
    case, x = asked.case, asked.case.inputs[asked.which]
    if x.shape != case.expected[0].shape or not case.dtypes[0].is_floating_point:
        return False
    eps = torch.finfo(case.dtypes[0]).eps
    usual = asked.usual[0].view(case.dtypes[0]).double()
    for place in asked.counted[:FEW]:
        inputs = changed_inputs(case, asked.which, place)
        if (got := launched(asked.launcher, case, inputs)) is None:
            return False
        off = (got[0].view(case.dtypes[0]).double() - usual).abs()
        size = sum(float(y.double().abs().max()) for y in inputs)
        if not bool((off <= FEW * eps * size).all()):
            return False
    return True


def of_another_column(launcher: Launcher, case: Case) -> str | None:
    """For numbers of which there is one a column: name one that counts for another column."""
    right = case.expected[0]
    if case.reference is not None or right.dim() != 2 or right.numel() > MOST:
        return None
    names = [p.name for p in launcher.declaration.tensors if p.role == "input"]
    case = replace(case, inputs=tuple(map(plain, case.inputs)))
    if (usual := launched(launcher, case, case.inputs)) is None:
        return None
    for k, x in enumerate(case.inputs):
        if x.shape != right.shape[1:] or not x.is_floating_point():
            continue
        n = x.numel()
        places = sorted({j * (n - 1) // SOME for j in range(SOME + 1)})
        lost = _lost(launcher, case, k, places, usual)
        asked = _Asked(launcher, case, k, places, lost, usual)
        if lost and (sentence := _of_a_row(asked)):
            return f"{names[k]}{sentence}"
    return None


def of_a_neighbour(launcher: Launcher, case: Case) -> str | None:
    """Name an element near to another one of whose result it is a part, of each its own.

    As of a pack, of which one is computed of another one's number. Not of an operator that is
    made of several elements, where a result that is right changes with others, too.
    """
    right = case.expected[0].reshape(-1)
    if right.numel() > MOST or (usual := launched(launcher, case, case.inputs)) is None:
        return None
    names = [p.name for p in launcher.declaration.tensors if p.role == "input"]
    out = next(p.name for p in launcher.declaration.tensors if p.role == "output")
    made = usual[0].view(case.dtypes[0]).reshape(-1)
    wrong = ~case.right(0, made)
    places = wrong.nonzero().flatten().tolist()[:FEW]
    found = []
    for k, x in enumerate(case.inputs):
        if x.shape != case.expected[0].shape:
            continue
        for i in sorted({j for p in places for j in range(p - NEAR, p + NEAR + 1)}):
            if not 0 <= i < right.numel():
                continue
            got = launched(launcher, case, changed_inputs(case, k, i))
            if got is None:
                return None
            changed = (got[0] != usual[0]).reshape(-1).nonzero().flatten().tolist()
            if any(j != i and not wrong[j] for j in changed):
                return None
            found += [(k, i, j) for j in changed if j != i]
    if not found:
        return None
    k, i, j = found[0]
    return (
        f"{names[k]}[{i}] is counted for another element, {out}[{j}]: is it taken in the place "
        f"of {names[k]}[{j}], as in one line of several for the elements of a thread?"
    )


def _chooses(launcher: Launcher, case: Case, which: int, places: list[int]) -> bool:
    """Test whether a call fails when one element is changed, as where it is an index."""
    others = (changed_inputs(case, which, place) for place in places)
    return any(launched(launcher, case, inputs) is None for inputs in others)


def may_be_indices(case: Case, x: torch.Tensor) -> bool:
    """Test whether all of x are elements' numbers of some tensor of the case, or -1."""
    return x.dtype in INDICES and -1 <= int(x.min()) and int(x.max()) <= _last(case)


def _last(case: Case) -> int:
    """Return the number of the last element of the longest tensor."""
    return max(x.numel() for x in (*case.inputs, *case.expected)) - 1


def _turned(case: Case, which: int) -> Case:
    """Return the case with other indices: each is one more, and the largest one is 0."""
    x = case.inputs[which]
    other = torch.where(x < 0, x, (x + 1) % (x.max() + 1).clamp(min=1))
    return replace(case, inputs=(*case.inputs[:which], other, *case.inputs[which + 1 :]))


def _without_effect(asked: _Asked) -> list[int]:
    """List the inputs of this one's shape without an effect; none if no other has one."""
    alike = [
        k
        for k, x in enumerate(asked.case.inputs)
        if x.shape == asked.case.inputs[asked.which].shape
    ]
    lost = {k: _lost(*asked[:2], k, asked.places, asked.usual) for k in alike}
    some_count = any(len(places) < len(asked.places) for places in lost.values())
    return [k for k in alike if len(lost[k]) == len(asked.places)] if some_count else []


def _has_effect_by_others(asked: _Asked) -> bool:
    """Test whether an input has an effect if other scalar arguments are passed.

    A factor of 0 drops it, and beside a limit that is far away it may not count.
    """
    given = asked.case.arguments
    for of in OTHERS:
        scalars = {k: of(v) if isinstance(v, float) else v for k, v in given.items()}
        other = replace(asked.case, arguments=scalars)
        if scalars == given or (usual := launched(asked.launcher, other, other.inputs)) is None:
            continue
        places = asked.places[:FEW]
        if any(_matters(asked.launcher, other, asked.which, i, usual) for i in places):
            return True
    return False


def _lost(
    launcher: Launcher, case: Case, which: int, places: list[int], usual: list[torch.Tensor]
) -> list[int]:
    """List the places at which a change has no effect."""
    return [i for i in places if not _matters(launcher, case, which, i, usual)]


def _is_beside_nan(case: Case, usual: list[torch.Tensor], x: torch.Tensor, place: int) -> bool:
    """Test whether the results of an element's own place are NaN, which nothing changes."""
    made = (y.view(dtype).reshape(-1) for y, dtype in zip(usual, case.dtypes, strict=True))
    own = [y[place] for y in made if y.numel() == x.numel() and y.is_floating_point()]
    return any(bool(y.isnan()) for y in own)


def _is_masked(case: Case, x: torch.Tensor, place: int) -> bool:
    """Test whether an element is masked in a softmax of rows, or is the only one that is not.

    Neither changes anything.
    """
    for right in case.expected:
        if x.dim() < 2 or right.shape != x.shape or not is_softmax(right.flatten(0, -2)):
            continue
        hidden, columns = is_masked(x, right).reshape(-1), right.shape[-1]
        row = hidden[place // columns * columns :][:columns]
        if bool(hidden[place]) or (right.reshape(-1)[place] == 1 and bool(row.any())):
            return True
    return False


def _beside_small(asked: _Asked) -> _Asked:
    """Return what is asked with smaller numbers, if less is lost then.

    Beside large ones a number may have no effect, as in tanh.
    """
    inputs = tuple(_small(x) for x in asked.case.inputs)
    if not asked.lost or all(x is y for x, y in zip(inputs, asked.case.inputs, strict=True)):
        return asked
    small = replace(asked.case, inputs=inputs)
    if (other := launched(asked.launcher, small, list(inputs))) is None:
        return asked
    lost = _lost(asked.launcher, small, asked.which, asked.places, other)
    if len(lost) >= len(asked.lost):
        return asked
    return asked._replace(case=small, usual=other, lost=lost)


def _small(x: torch.Tensor) -> torch.Tensor:
    """Return floats of up to 1 that differ as those of x do."""
    most = float(x.double().abs().max()) if x.is_floating_point() and x.numel() else 0.0
    return (x.double() / most).to(x.dtype) if most > 1 else x


def _of_another_row(
    launcher: Launcher, case: Case, which: int, usual: list[torch.Tensor]
) -> bool:
    """Test whether the first element of the second row counts for another row of the output."""
    x, right = case.inputs[which], case.expected[0]
    if x.dim() != 2 or right.dim() != 2 or len(x) != len(right) or len(x) < 2:
        return False
    changed = changed_by(launcher, case, which, x.shape[1], usual)
    return changed is not None and bool((changed[:, 0] != 1).any())


def has_axes_of_output(launcher: Launcher, which: int, first: bool = False) -> bool:
    """Test whether an input is declared with the sizes of the first output, or its first size.

    A `[k]` may have as many elements as an `[n]` in a case, and stands for others.
    """
    tensors = launcher.declaration.tensors
    x = [p for p in tensors if p.role == "input"][which].shape
    out = next(p for p in tensors if p.role == "output").shape
    return x[:1] == out[:1] if first else len(x) != len(out) or x == out


def _of_a_row(asked: _Asked) -> str | None:
    """For numbers of which there is one a column: tell where those that count do so."""
    x, right = asked.case.inputs[asked.which], asked.case.expected[0]
    if x.dim() == 1 and x.shape == right.shape:
        like_output = has_axes_of_output(asked.launcher, asked.which)
        return _of_an_element(asked) if like_output else None
    if x.dim() != 1 or right.dim() != 2 or x.numel() not in right.shape:
        return None
    if x.numel() != right.shape[1]:
        return _of_a_column(asked)
    rows, other = [], []
    for place in asked.counted:
        changed = asked.changed_by(place)
        if changed is None or not len(changed):
            return None
        row, column = changed.unbind(dim=1)
        rows.append(bool((row == place).all()))
        other.append((place, sorted(set(column.tolist()) - {place})))
    if rows and all(rows):
        return (
            "[k] counts in row k, and not in column k: do rows and columns change places in "
            "its index?"
        )
    place, columns = next(((p, c) for p, c in other if c), (0, []))
    if columns:
        return f"[{place}] is counted for another column, {columns[0]}: is its index right?"
    return None


def _of_an_element(asked: _Asked) -> str | None:
    """For numbers of which there is one for each result: tell for which those that count do."""
    tensors = asked.launcher.declaration.tensors
    name = [p.name for p in tensors if p.role == "input"][asked.which]
    out = next(p.name for p in tensors if p.role == "output")
    made_of: dict[int, int] = {}  # of which number each result is
    own = 0
    for place in asked.counted:
        changed = asked.changed_by(place)
        results = [] if changed is None else changed[:, 0].tolist()
        if made_of.keys() & set(results):
            return None  # as of a sum
        made_of |= dict.fromkeys(results, place)
        own += place in results
    other = next((k for k in asked.lost if k in made_of), None)
    if other is None or 2 * own < len(asked.counted):
        return None  # where each is moved, it is not known which is its place
    return (
        f"[{made_of[other]}] is counted for another element, {out}[{other}], in the place of "
        f"{name}[{other}]: is it read at another index than that of the result (threadIdx.x, "
        "say)?"
    )


def _of_one_other(
    launcher: Launcher, case: Case, which: int, places: list[int], usual: list[torch.Tensor]
) -> str | None:
    """For numbers of which there is one for each result: test whether each is another's."""
    tensors = launcher.declaration.tensors
    out, found = next(p.name for p in tensors if p.role == "output"), []
    for place in places[:FEW]:
        changed = changed_by(launcher, case, which, place, usual)
        if changed is None or len(changed) != 1:
            return None
        found.append((place, int(changed[0, 0])))
    place, other = next((pair for pair in found if pair[0] != pair[1]), (0, 0))
    if place == other:
        return None
    return (
        f"[{place}] is counted for another element, {out}[{other}]: is it read at another "
        "index than that of the result?"
    )


def _of_few_columns(
    launcher: Launcher, case: Case, which: int, places: list[int], usual: list[torch.Tensor]
) -> str | None:
    """For numbers of which there is one a column: name one that counts in others, too.

    In few of a row: where one counts in all, as in a softmax, that may be right.
    """
    x, right = case.inputs[which], case.expected[0]
    if x.dim() == 1 and x.shape == right.shape and len(case.inputs) > 1:
        like_output = has_axes_of_output(launcher, which)
        return _of_one_other(launcher, case, which, places, usual) if like_output else None
    if x.dim() != 1 or right.dim() != 2 or not x.numel() == right.shape[1] < SHORT:
        return None
    for place in places[:FEW]:
        changed = changed_by(launcher, case, which, place, usual)
        if changed is None or FEW * len(changed) > right.numel():
            return None
        others = sorted({column for _, column in changed.tolist()} - {place})
        if others:
            return (
                f"[{place}] is counted for another column, {others[0]}, in some rows: is its "
                "index right (a thread's number in the place of a column's, say)?"
            )
    return None


def _of_a_column(asked: _Asked) -> str | None:
    """For numbers of which there is one a row: tell where those that count do so."""
    columns, elsewhere = [], []
    for place in asked.counted:
        changed = asked.changed_by(place)
        if changed is None or not len(changed):
            return None
        row, column = changed.unbind(dim=1)
        columns.append(bool((column % len(asked.case.inputs[asked.which]) == place).all()))
        elsewhere += sorted({(place, k) for k in row.tolist() if k != place})[:1]
    if columns and all(columns) and len(asked.counted) > 1:
        return (
            "[k] counts in column k, and not in row k: do rows and columns change places in "
            "its index?"
        )
    if elsewhere:
        place, row = elsewhere[0]
        return f"[{place}] is counted for another row, {row}: is its index right?"
    return None


def changed_by(
    launcher: Launcher, case: Case, which: int, place: int, usual: list[torch.Tensor]
) -> torch.Tensor | None:
    """List the rows and columns of the first output that change with one element.

    Or of another one of its shape.
    """
    if (got := launched(launcher, case, changed_inputs(case, which, place))) is None:
        return None
    changed = [y != z for y, z in zip(got, usual, strict=True) if y.shape == got[0].shape]
    return torch.stack(changed).any(dim=0).nonzero()


def _whole(x: torch.Tensor) -> str:
    return "each row of " * (x.dim() > 1)


def _may_be_left_out(
    lost: list[int], places: list[int], x: torch.Tensor, right: torch.Tensor
) -> bool:
    """Test whether some places are lost: at most half, or the same columns of each row.

    Or the same rows, where each column has a result to which all of them count.
    """
    if len(lost) <= len(places) / 2:
        return bool(lost)
    columns = x.shape[-1]
    if x.dim() == 2 and any(
        right.shape == x.shape[1:] and torch.equal(right.double(), of(x.double(), 0))
        for of in (torch.amax, torch.amin, torch.sum)
    ):
        kept = {place // columns for place in places if place not in lost}
        if kept and not kept & {place // columns for place in lost}:
            return True
    kept = {place % columns for place in places if place not in lost}
    return bool(kept) and not kept & {place % columns for place in lost}


def _of_longer(asked: _Asked, first: int) -> str | None:
    """Say of a longer array which elements do not count, if not the last few; else None.

    Of 33 the last element may be a tail, or that of the second warp.
    """
    case, launcher = asked.case, asked.launcher
    if first % WARP_SIZE or case.size != 1 or any(x.dim() != 1 for x in case.inputs):
        return None
    longer = replace(case, inputs=tuple(x.repeat(LONGER) for x in case.inputs))
    if (usual := launched(launcher, longer, longer.inputs)) is None:
        return None
    if any(_matters(launcher, longer, asked.which, first + k, usual) for k in range(WARP_SIZE)):
        return None
    sentence = diagnose(launcher, longer)
    return sentence and f"with {longer.inputs[0].numel():,} elements, {sentence}"


def _beginnings(asked: _Asked) -> int:
    """Count the elements of a row that have an effect, if all behind have none; else 0.

    places: those that were tried; lost: those without an effect.
    """
    columns = asked.case.inputs[asked.which].shape[-1]
    rows = asked.case.inputs[asked.which].numel() // columns
    if asked.case.expected[0].numel() != rows or not asked.lost:
        return 0
    kept = [place % columns for place in asked.counted]
    least = min(place % columns for place in asked.lost)
    if not kept or max(kept) >= least:
        return 0
    behind = range(max(kept) + 1, least)
    return behind.start + bisect.bisect_left(
        behind, True, key=lambda i: not _matters(*asked[:3], i, asked.usual)
    )


def without_effect(launcher: Launcher, case: Case) -> str | None:
    """Name an input of an operator that has no effect on any output, and should have one."""
    if case.reference is None or case.size <= SHORT or len(case.inputs) < 2:
        return None
    if (usual := launched(launcher, case, case.inputs)) is None:
        return None
    for k, x in enumerate(case.inputs):
        inputs = [*case.inputs[:k], x.roll(1), *case.inputs[k + 1 :]]
        right = case.reference(*[one.double() for one in inputs])
        right = right if isinstance(right, tuple) else (right,)
        others = replace(case, expected=right).wanted
        moved = sum(int((x != y).sum()) for x, y in zip(others, case.wanted, strict=True))
        if 2 * moved < case.size:  # as of numbers too small to count
            continue
        got = launched(launcher, case, inputs)
        if got is not None and all(map(torch.equal, got, usual)):
            return f"input {k + 1} has no effect on the output"
    return None


def numbers_without_effect(launcher: Launcher, cases: Iterable[object]) -> str | None:
    """Name an input of integers that has no effect on any output, where they differ.

    Indices, positions, lengths: what they are for is not known, but that they should count.
    Not on a GPU, where a fault ends all further work: turned round, some may lead outside.
    """
    if launcher.on_gpu:
        return None
    for case in itertools.islice(cases, NEXT):
        if not isinstance(case, Case) or case.reference is not None or case.size > MOST:
            continue
        which = [
            k
            for k, x in enumerate(case.inputs)
            if x.dtype in (torch.int32, torch.int64) and len(x.unique()) > 1
        ]
        if not which or len(case.inputs) < 2:
            continue
        if (usual := launched(launcher, case, case.inputs)) is None:
            return None
        if value := _always_an_end(launcher, case, usual):
            return (
                f"{value} comes out, whatever goes in: is it a start value that always wins, "
                "or one that is never set?"
            )
        for k in which:
            inputs = [*case.inputs[:k], case.inputs[k].flip(0), *case.inputs[k + 1 :]]
            if torch.equal(inputs[k], case.inputs[k]):
                continue
            got = launched(launcher, case, inputs)
            if got is not None and all(map(torch.equal, got, usual)):
                return (
                    f"input {k + 1} has no effect on the output, whose numbers differ: is "
                    "something else in its place, as a thread's own index?"
                )
        return None
    return None


def _always_an_end(launcher: Launcher, case: Case, usual: list[torch.Tensor]) -> str | None:
    """Return the one number that always comes out, if it is an end of its integer type."""
    x = usual[0].view(case.dtypes[0]).reshape(-1)
    if x.dtype not in (torch.int32, torch.int64) or len(x.unique()) > 1:
        return None
    ends = torch.iinfo(x.dtype)
    if int(x[0]) not in (ends.min, ends.max) or bool((case.expected[0] == x[0]).any()):
        return None
    for inputs in ([y.flip(0) for y in case.inputs], [torch.ones_like(y) for y in case.inputs]):
        got = launched(launcher, case, inputs)
        if got is None or not torch.equal(got[0], usual[0]):
            return None
    return str(int(x[0]))


def plain(x: torch.Tensor) -> torch.Tensor:
    """Copy a tensor with 1 in the place of each 0, infinity and NaN, if it is of floats."""
    x = x.clone()
    if x.is_floating_point():
        wide = x.double()
        bits(x)[(wide == 0) | ~wide.isfinite()] = bits(torch.ones(1).to(x.dtype))
    return x


def of_one_output(launcher: Launcher, case: Case) -> str | None:
    """For results of one number each: name elements without an effect on one of them."""
    alone = len(case.inputs) == 1 and all(x.numel() == 1 for x in case.expected)
    if not alone or len(case.expected) < 2 or not case.inputs[0].is_floating_point():
        return None
    case = replace(case, inputs=(plain(case.inputs[0]),))
    n = case.inputs[0].numel()
    x = next(p.name for p in launcher.declaration.tensors if p.role == "input")
    if (usual := launched(launcher, case, case.inputs)) is None:
        return None
    places = sorted({j * (n - 1) // SOME for j in range(SOME + 1)})
    lost: list[list[int]] = [[] for _ in usual]
    for place in places:
        runs = [launched(launcher, case, changed_inputs(case, 0, place, s)) for s in (1, -1)]
        if None in runs:
            return None
        for k, before in enumerate(usual):
            if all(torch.equal(run[k], before) for run in runs):
                lost[k].append(place)
    outputs = [p.name for p in launcher.declaration.tensors if p.role == "output"]
    for name, some in zip(outputs, lost, strict=True):
        if len(some) > FEW_LOST and len(places) > FEW_LOST:
            which = f"{len(some)} of {len(places)} tried elements of {x} have no"
            which = f"no element of {x} has an" if len(some) == len(places) else which
            return (
                f"{which} effect on {name}: are they left out there, as by a loop that ends "
                "too early?"
            )
    return None


def changed_inputs(case: Case, which: int, place: int, sign: int = 1) -> list[torch.Tensor]:
    """Return the inputs of a case with one element of one of them changed, up or down, or to 0.

    What may be an index becomes the first or the last: what is read past the end of a tensor
    is another number in each call, and a fault there ends all further work on a GPU.
    """
    x = case.inputs[which]
    if may_be_indices(case, x):
        x = x.clone()
        x.view(-1)[place] = _last(case) if sign > 0 else 0
    else:
        x = moved(x, place, sign)
    return [*case.inputs[:which], x, *case.inputs[which + 1 :]]


def moved(x: torch.Tensor, place: int, sign: int = 1) -> torch.Tensor:
    """Copy a tensor with one element changed by more than all others, up or down, or to 0.

    Numbers stay within their type: one that lies at its end stays as it is.
    """
    x = x.clone()
    if x.dtype is torch.bool:
        x.view(-1)[place] = sign > 0
    elif x.is_floating_point():
        step = 8 * float(x.double().abs().nan_to_num(0.0, 0.0, 0.0).max()) + 1
        if not sign:
            x.view(-1)[place] = 0
            return x
        most, value = torch.finfo(x.dtype).max, float(x.view(-1)[place])
        x.view(-1)[place] = min(max(value + sign * step, -most), most)
    else:
        numbers = x.cpu().reshape(-1).numpy()  # torch has no minimum of its wide unsigned types
        info, most = torch.iinfo(x.dtype), max(abs(int(numbers.min())), int(numbers.max()))
        changed = int(numbers[place]) + sign * (8 * most + 1)
        numbers[place] = min(max(changed, info.min), info.max)
        x = torch.from_numpy(numbers).reshape(x.shape).to(x.device)
    return x


def _ends_of_rows(places: list[int], x: torch.Tensor) -> bool:
    """Test whether all places lie in the first, or all in the last column of a matrix."""
    columns = {place % x.shape[-1] for place in places}
    return x.dim() > 1 and x.shape[-1] > 1 and columns in ({0}, {x.shape[-1] - 1})


def all_count(launcher: Launcher, case: Case) -> bool:
    """Test whether each element of each input has an effect, of up to EVERY of them."""
    if not 0 < sum(x.numel() for x in case.inputs) <= EVERY:
        return False
    if (usual := launched(launcher, case, case.inputs)) is None:
        return False
    return all(
        _matters(launcher, case, k, place, usual)
        for k, x in enumerate(case.inputs)
        for place in range(x.numel())
    )


def _matters(
    launcher: Launcher, case: Case, which: int, place: int, usual: list[torch.Tensor]
) -> bool:
    """Test whether an output changes with one element; True, too, if a call fails."""
    signs = (1, -1)
    if case.inputs[which].is_floating_point() and not case.dtypes[0].is_floating_point:
        signs = (1, -1, 0)  # the place of the largest size is the same of both
    for sign in signs:
        got = launched(launcher, case, changed_inputs(case, which, place, sign))
        if got is None or not all(map(torch.equal, got, usual)):
            return True
    return False


def launched(
    launcher: Launcher, case: Case, inputs: list[torch.Tensor], fill: int = 0
) -> list | None:
    """Call the launcher; return the bits of its outputs, or None if the call fails.

    fill: the number that outputs hold before, and those in which any value is right after, too.
    """
    device = machine.present().device if launcher.on_gpu else "cpu"
    outputs = [
        with_room(torch.full(x.shape, fill).to(dtype), device)
        for x, dtype in zip(case.expected, case.dtypes, strict=True)
    ]
    left = {
        "input": iter([with_room(x, device) for x in inputs]),
        "output": iter(outputs),
    }
    given = (next(left[p.role]) for p in launcher.declaration.tensors)
    try:
        with patience.launching(launcher):
            launcher(*given, **case.arguments)
    except (CourseError, TypeError, ValueError):
        return None
    names = [p.name for p in launcher.declaration.tensors if p.role == "output"]
    for name, x in zip(names, outputs, strict=True):
        if name in case.ignored:
            x.fill_(fill)
    return [bits(x).cpu() for x in outputs]
