"""Ask a launcher of which elements of a matrix each row of an output is made, and how often.

Of a kernel that fails in no known pattern: whether elements count for the others of their row,
for other rows, or more than once.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import torch

from helpers.run.launcher import Launcher
from helpers.testing import races
from helpers.testing.cases import Case
from helpers.testing.guarded import explanation
from helpers.testing.patterns.wrong_norms import normalised
from helpers.testing.patterns.wrong_softmax import WARP, is_masked, is_softmax
from helpers.testing.probes.influence import (
    MOST,
    SOME,
    changed_by,
    changed_inputs,
    has_axes_of_output,
    launched,
)
from helpers.testing.probes.lanes import all_lanes_add, subtracted

LEAST = 4  # elements of a row
TWICE = 1.5  # times, from where on an element counts more often
MANY = 8  # elements of a row, of which most count alike
EACH = 300  # elements of a row of which each is asked for, where it may count more than once
NEAR = 2.0**-8  # how near to a whole number the square of a norm of ones must be
CARRIED = (
    "{0} is made of row {1} of {2}, and of row 0, too: does what a block, warp or thread holds "
    "(a sum, a maximum) go on from one of its rows to the next? Give it its start value before "
    "each row"
)
FEW_ELEMENTS = 400  # of a matrix of which each is changed


def of_own_row(launcher: Launcher, case: Case) -> str | None:
    """For a matrix made of one: name elements that do not count for the others of their row.

    As in a softmax or a norm, where a number is made of each whole row.
    """
    if case.reference is not None or len(case.expected) != 1 or not case.inputs:
        return None
    x, right = case.inputs[0], case.expected[0]
    if x.dim() != 2 or x.shape != right.shape or not x.is_floating_point():
        return None
    if not has_axes_of_output(launcher, 0):
        return None
    n = x.shape[1]
    if (
        x.numel() > MOST
        or n < LEAST
        or (usual := launched(launcher, case, case.inputs)) is None
    ):
        return None
    even = bool((right[0] == right[0, 0]).all()) and not bool((x[0] == x[0, 0]).all())
    if even and len(case.inputs) > 1:
        return None  # all of the row may be masked
    places = sorted(
        {*range(min(n, SOME // 2)), *(j * (n - 1) // SOME for j in range(SOME + 1))}
    )
    if is_softmax(right):  # what is masked counts for nothing
        hidden = is_masked(x, right)[0]
        places = [place for place in places if not hidden[place]]
        if len(places) < LEAST:
            return None
    lost, others = [], torch.ones(n, dtype=torch.bool)
    for place in places:
        if (changed := changed_by(launcher, case, 0, place, usual)) is None:
            return None
        others[:] = True
        others[place] = False
        columns = changed[changed[:, 0] == 0, 1]
        if not bool(others[columns].any()):
            lost.append(place)
    if lost and not _are_made_of_rows(launcher, case):
        return None
    if len(lost) == len(places):
        return (
            f"none of {len(places):,} elements of row 0 has an effect on the others of the "
            "row: are all left out of what a row is divided by, or of what is taken off, as by "
            "a loop that ends too early?"
        )
    if not lost or 4 * len(lost) > 3 * len(places):
        return None
    of_all = torch.allclose(right.sum(1), right.sum(1)[:1])  # as of a softmax, or of a norm
    if not of_all and len(lost) == 1 and lost[0] in (0, n - 1):
        return None  # as in sums of what stands before, or behind
    name = next(p.name for p in launcher.declaration.tensors if p.role == "input")
    tried = f"{len(places):,}" + (" tried" if len(places) < n else "")
    return (
        f"{len(lost):,} of {tried} elements of row 0 have no effect on the others of the row, "
        f"the first is {name}[{lost[0]:,}]: are they left out of what a row is divided by, or "
        "of what is taken off, by a loop or a warp?"
    )


def _are_made_of_rows(launcher: Launcher, case: Case) -> bool:
    """Test whether what is right of an element depends on others of its row.

    As in a softmax or a norm; or where equal numbers make different ones; or the kernel's
    threads work together, which an operator of single elements has no need of.
    """
    x, right = case.inputs[0].double(), case.expected[0].double()
    if _is_of_own_rows(case):
        return True
    for total in (right, right.exp(), right.abs(), right.square()):
        sums, size = total.sum(1), total.abs().sum(1)
        if len(right) > 1 and bool(((sums - sums[0]).abs() <= 1e-6 * size).all()):
            return True
    if len(case.inputs) == 1:
        order = x.flatten().argsort(stable=True)
        alike = x.flatten()[order].diff() == 0
        if bool((alike & (right.flatten()[order].diff() != 0)).any()):
            return True
    return bool(explanation(races.cooperates, launcher))


def of_groups(launcher: Launcher, case: Case) -> str | None:
    """For rows that are normalised, or softmax: test whether only some elements count together.

    As those of one warp, where what the warps have is not joined.
    """
    if case.reference is not None or len(case.expected) != 1 or not case.inputs:
        return None
    x, right = case.inputs[0], case.expected[0]
    if x.dim() != 2 or x.shape != right.shape or not 0 < x.numel() <= MOST:
        return None
    if not has_axes_of_output(launcher, 0):
        return None
    if not x.is_floating_point() or x.shape[1] < LEAST or not _is_of_own_rows(case):
        return None
    if (usual := launched(launcher, case, case.inputs)) is None:
        return None
    first = _columns(launcher, case, 0, usual)
    size = len(first)
    if not 1 < size < x.shape[1] or first != list(range(size)):
        return None
    behind = _columns(launcher, case, size, usual)
    if behind != list(range(size, min(2 * size, x.shape[1]))):
        return None
    name = next(p.name for p in launcher.declaration.tensors if p.role == "input")
    of = "warp" if size == WARP else "group of lanes"
    return (
        f"{name}[0, 0] counts only for the first {size:,} elements of its row, and {name}[0, "
        f"{size}] only for those behind: does each {of} take a sum or a maximum of its own, so "
        "that those of the others are left out? Join them, in shared memory say"
    )


def _columns(
    launcher: Launcher, case: Case, place: int, usual: list[torch.Tensor]
) -> list[int]:
    """List the columns of row 0 that change with one of its elements."""
    changed = changed_by(launcher, case, 0, place, usual)
    rows = [] if changed is None else changed.tolist()
    return sorted(column for row, column in rows if row == 0)


def of_other_rows(launcher: Launcher, case: Case) -> str | None:
    """For an output [m] of a matrix [m, n]: test whether it is made of other rows' elements."""
    matrices = [k for k, x in enumerate(case.inputs) if x.dim() == 2]
    if case.reference is not None or len(matrices) != 1 or len(case.expected) != 1:
        return None
    which, right = matrices[0], case.expected[0]
    x = case.inputs[which]
    if x.numel() > FEW_ELEMENTS or len(set(x.shape)) < 2:
        return None
    if right.dim() != 1 or right.numel() not in x.shape or right.numel() < 2:
        return None
    by_rows = right.numel() == len(x)
    if (read := _read(launcher, case, which)) is None:
        return None
    tensors = launcher.declaration.tensors
    name = [p.name for p in tensors if p.role == "input"][which]
    out = next(p.name for p in tensors if p.role == "output")
    if by_rows and (step := _carried(read, x.shape[1])):
        return CARRIED.format(f"{out}[{step}]", step, name)
    for k, places in enumerate(read):
        own = [place // x.shape[1] if by_rows else place % x.shape[1] for place in places]
        if set(own) <= {k} or len(places) < 2:
            continue
        own_row = set(range(k * x.shape[1], (k + 1) * x.shape[1]))
        if by_rows and len(own_row) > 1 and own_row < set(places):
            row, column = divmod(min(set(places) - own_row), x.shape[1])
            return (
                f"{out}[{k}] is made of row {k} of {name}, and of {name}[{row}, {column}], "
                "too, which is of another row: is it counted for another element, as by lanes "
                "or steps that go on beyond the row?"
            )
        if by_rows and places == list(range(own[0] * x.shape[1], (own[0] + 1) * x.shape[1])):
            return (
                f"{out}[{k}] is made of row {own[0]} of {name}, not of row {k}: does a row "
                "begin at row * columns?"
            )
        if by_rows and {place % x.shape[1] for place in places} == {k}:
            return (
                f"{out}[{k}] is made of elements of column {k} of {name}, and not of row {k}: "
                "are row and column swapped in an index, of shared memory say? "
                f"{name}[row, column] is at row * columns + column"
            )
        elements = ", ".join(f"{name}[{place}]" for place in places[:3])
        return (
            f"{out}[{k}] is made of {elements}{', ...' * (len(places) > 3)}, and not of "
            f"{'row' if by_rows else 'column'} {k} alone: do rows and columns change places? "
            f"{name}[row, column] is at row * columns + column"
        )
    return None


def from_first_of_all(launcher: Launcher, case: Case) -> str | None:
    """For an output [m] of a matrix [m, n]: test whether all rows start with its first element.

    As of a maximum: if that element is larger than all others, it is each row's.
    """
    if case.reference is not None or len(case.inputs) != 1 or case.inputs[0].dim() != 2:
        return None
    x, right = case.inputs[0], case.expected[0]
    if right.dim() != 1 or len(right) != len(x) or len(x) < 3 or x.numel() > MOST:
        return None
    usual = [x.double().nan_to_num(1.0, 1.0, 1.0).to(x.dtype)]
    case = replace(case, inputs=tuple(usual))
    name = next(p.name for p in launcher.declaration.tensors if p.role == "input")
    if (got := launched(launcher, case, usual)) is None:
        return None
    for sign, end in ((1, "larger"), (-1, "smaller")):
        other = launched(launcher, case, changed_inputs(case, 0, 0, sign))
        if other is None:
            return None
        before, after = (y[0][1:] for y in (got, other))
        if len(after.unique()) == 1 and bool((before != after).all()):
            changed = changed_by(launcher, case, 0, x.shape[1], got)
            if changed is None or bool((changed != 1).any()):
                return None  # what a row makes goes on to others
            last = changed_inputs(case, 0, x.shape[1] - 1, sign)
            of_last = launched(launcher, case, last) if x.shape[1] > 1 else None
            if of_last and len(of_last[0].unique()) == 1:
                return (
                    f"each row's result is that of row 0 of {name}: does the index lack the "
                    "row (row * columns + column), or has it another number there?"
                )
            return (
                f"each row's result is that of {name}[0, 0], if this is {end} than all others: "
                "does every row start with the first element of all, in the place of its own?"
            )
    return None


def _carried(read: list[list[int]], columns: int) -> int:
    """Return after how many rows a result goes on in another one, in which it counts; or 0.

    read: the elements of which each row's result is made. Row k is then made of itself, and of
    all rows before it that are a multiple of so many rows away.
    """
    rows = [{place // columns for place in places} for places in read]
    step = next((k for k, of in enumerate(rows) if of != {k}), 0)
    carried = all(of == set(range(k % step, k + 1, step)) for k, of in enumerate(rows) if step)
    return step * carried


def _read(launcher: Launcher, case: Case, which: int) -> list[list[int]] | None:
    """List the elements of an input that each of the output depends on; None for a fault."""
    x, read = case.inputs[which], [[] for _ in range(case.expected[0].numel())]
    if (usual := launched(launcher, case, case.inputs)) is None:
        return None
    for place in range(x.numel()):
        changed = torch.zeros(len(read), dtype=torch.bool)
        for sign in (1, -1):
            inputs = changed_inputs(case, which, place, sign)
            if (got := launched(launcher, case, inputs)) is None:
                return None
            changed |= (got[0] != usual[0]).reshape(-1)
        for k in changed.nonzero().flatten().tolist():
            read[k].append(place)
    return read


@dataclass(frozen=True)
class _Total:
    """What each row's result is made of: the sum of its elements, or of products, to a power.

    of_columns: each column's. count: by how many numbers it is divided, as a mean. factor: of
    the sum, as in alpha * a @ x + beta * y.
    """

    power: int
    of_columns: bool = False
    count: int = 1
    factor: float = 1.0

    def times(self, result: torch.Tensor, place: int, columns: int) -> float:
        """Return how often the one element of a matrix that is 1 counts in its result."""
        k = place % columns if self.of_columns else place // columns
        return float(self.count * result[k].pow(self.power)) / self.factor

    @property
    def is_exact(self) -> bool:
        """Whether such a number comes out without rounding."""
        return self.power == self.count == self.factor == 1


def unlike_others(launcher: Launcher, case: Case) -> str | None:
    """For one number a row, of any formula: name an element that counts otherwise than most.

    Asked with rows of zeros but for one number, at each place in turn. Where most places make
    another result, as of weighted sums, nothing is said; nor where one alone makes 0, as of
    products of two.
    """
    x, right = case.inputs[0] if case.inputs else torch.zeros(()), case.expected[0]
    alone = len(case.inputs) == len(case.expected) == 1 and case.reference is None
    if not alone or x.dim() != 2 or right.shape != x.shape[:1]:
        return None
    if not (x.is_floating_point() and case.dtypes[0].is_floating_point):
        return None
    m, n = x.shape
    if not MANY <= n <= EACH or n > EACH * m:
        return None
    made = []
    for first in range(0, n, m):
        places = torch.arange(first, first + m).clamp(max=n - 1)
        rows = torch.zeros_like(x)
        rows[torch.arange(m), places] = 1
        if (got := launched(launcher, case, [rows])) is None:
            return None
        made += got[0].view(case.dtypes[0]).double().tolist()[: n - first]
    results = torch.tensor(made)
    usual = float(results.median())
    unlike = ((results - usual).abs() > NEAR * abs(usual)).nonzero().flatten().tolist()
    if not usual or not math.isfinite(usual) or not 0 < len(unlike) <= n / 4:
        return None
    name = next(p.name for p in launcher.declaration.tensors if p.role == "input")
    # Of a mean that is taken off it cannot be told: once too often makes the same as never.
    asked = "how often is it added to each sum, by no thread or by two?"
    if (share := made[unlike[0]] / usual) > TWICE:
        asked = "does it count more than once, as by two threads, or two steps of a loop?"
    elif share < 1 / TWICE:
        asked = "is it left out of a sum on the way?"
    return (
        f"a row of zeros with one 1 makes {made[unlike[0]]:.6g} if that stands at "
        f"{name}[{unlike[0]:,}], and {usual:.6g} at nearly all other places: {asked}"
    )


def counted_often(launcher: Launcher, case: Case) -> str | None:
    """For sums of rows or columns, or of products with an input: name what counts too often.

    Or what is subtracted. Likewise for means, and for norms, whose square is a sum. Asked with
    1 in one place of the first input, 0 in all others, 1 in the second input and 0 in what is
    added to the results.
    """
    if case.reference is not None or len(case.expected) != 1:
        return None
    if (total := _total(case)) is None:
        return None
    x = case.inputs[0]
    ones = [torch.ones_like(y) for y in case.inputs[1:2]]
    ones += [torch.zeros_like(y) for y in case.inputs[2:]]
    name = next(p.name for p in launcher.declaration.tensors if p.role == "input")
    n, weights = x.numel(), {}
    places = sorted(
        {
            *range(min(n, SOME // 2)),
            *range(min(x.shape[-1], EACH)),
            *(j * (n - 1) // SOME for j in range(SOME + 1)),
        }
    )
    if not _is_zero(launched(launcher, case, [torch.zeros_like(x), *ones])):
        return None
    for place in places:
        one = torch.zeros_like(x)
        one.view(-1)[place] = 1
        if (got := launched(launcher, case, [one, *ones])) is None:
            return None
        result = got[0].view(case.dtypes[0]).double().reshape(-1)
        times = total.times(result, place, x.shape[-1])
        if not (result.isfinite().all() and math.isfinite(times)):
            return None
        if abs(times - round(times)) > (0 if total.is_exact else NEAR):
            return None
        if round(times) < -1:
            return None
        weights[place] = round(times)
    tried = f"{len(places):,}" + (" tried" if len(places) < n else "")
    if min(weights.values()) < 0:
        signs = {1, -1}.issuperset(weights.values())
        return subtracted(weights, tried, name) if signs else None
    often = [(place, times) for place, times in weights.items() if times > 1]
    if not often or (total.factor != 1 and len(often) == len(places)):
        return None  # of all it may be the factor that is another one
    if len(often) == len(places) and (sentence := _of_a_count(total, x, often)):
        return sentence
    if n == x.shape[-1] and (sentence := all_lanes_add(weights, name)):
        return sentence
    place, times = often[0]
    how = "twice" if times == 2 else f"{times:,} times"
    return (
        f"{len(often):,} of {tried} elements of {name} count more than once, the first, "
        f"{name}[{place:,}], {how}: do two threads or blocks add them, or two steps of a loop?"
    )


def _of_a_count(total: _Total, x: torch.Tensor, often: list[tuple[int, int]]) -> str | None:
    """Say of a mean of which all numbers count so often that it is divided by another count."""
    other = x.numel() // total.count  # the sums
    times = {times for _, times in often}
    if times == {total.count**2} and total.count > 1:
        return (
            f"each result is {times.pop():,} times the right one, {total.count:,} x "
            f"{total.count:,}: is a sum of {total.count:,} numbers multiplied by their number, "
            "and not divided? Or is the formula another one?"
        )
    if total.count == 1 or len(times) > 1 or not times & {total.count, total.count / other}:
        return None
    side, sides = ("column", "rows") if total.of_columns else ("row", "columns")
    return (
        f"each result is {times.pop():,} times the right one: is the formula another one, in "
        f"which the sum of a {side} is divided by another count than its {total.count:,} "
        f"{sides}, or by none?"
    )


def _total(case: Case) -> _Total | None:
    """Say what total of each row, or of each column, is right; None if none of these."""
    if _is_sum(case):
        return _Total(1)
    if _is_norm(case):
        return _Total(2)
    if factor := _factor_of_sum(case):
        return _Total(1, factor=factor)
    x, right = case.inputs[0] if len(case.inputs) == 1 else torch.zeros(()), case.expected[0]
    if x.dim() != 2 or not 0 < x.numel() <= MOST or not case.dtypes[0].is_floating_point:
        return None
    for dim, of_columns in ((1, False), (0, True)):
        sums, count = x.double().sum(dim), x.shape[dim]
        if sums.shape != right.shape or count < 2:
            continue
        for total, made in (
            (_Total(1, of_columns), sums),
            (_Total(1, of_columns, count), sums / count),
            (_Total(2, of_columns), x.double().square().sum(dim).sqrt()),
        ):
            if torch.allclose(made, right, rtol=1e-9):
                return total
    return None


def _is_zero(outputs: list[torch.Tensor] | None) -> bool:
    return outputs is not None and not any(bool(x.any()) for x in outputs)


def _is_sum(case: Case) -> bool:
    """Test whether what is right is the sum of each row, of one input or of two's products."""
    x, result = case.inputs[0] if case.inputs else torch.zeros(()), case.expected[0]
    if x.dim() not in (1, 2) or not 0 < x.numel() <= MOST:
        return False
    if x.numel() // x.shape[-1] != result.numel():
        return False
    if len(case.inputs) > 2 or case.dtypes[0] is torch.bool:
        return False
    if x.shape[-1] == 1 and not x.is_floating_point():  # a maximum is it, too
        return False
    products = x.double()
    for y in case.inputs[1:]:
        if tuple(y.shape) not in (tuple(x.shape), tuple(x.shape[-1:])):
            return False
        products = products * y.double()
    return torch.allclose(products.sum(-1).reshape(-1), result.reshape(-1), rtol=1e-9)


def _factor_of_sum(case: Case) -> float:
    """Return alpha, if alpha * x @ y + beta * z is right for inputs x, y and z; else 0."""
    if len(case.inputs) != 3 or not case.dtypes[0].is_floating_point:
        return 0.0
    (x, y, z), right = (one.double() for one in case.inputs), case.expected[0].reshape(-1)
    if x.dim() != 2 or not 0 < x.numel() <= MOST or tuple(y.shape) != tuple(x.shape[1:]):
        return 0.0
    if tuple(z.shape) != tuple(right.shape) or len(z) != len(x) or len(z) < LEAST:
        return 0.0
    terms = torch.stack([x @ y, z], dim=1)
    if not bool(terms.isfinite().all()) or not bool(right.isfinite().all()):
        return 0.0
    alpha, beta = torch.linalg.lstsq(terms, right[:, None], driver="gelsd").solution.flatten()
    made = alpha * terms[:, 0] + beta * terms[:, 1]
    size = right.abs() + terms.abs().sum(dim=1)
    if not bool(((made - right).abs() <= 1e-6 * size).all()):
        return 0.0
    return 1.0 if abs(float(alpha) - 1) < 1e-6 else float(alpha)


def _is_norm(case: Case) -> bool:
    """Test whether what is right is the norm of each row of the only input."""
    x, result = case.inputs[0] if case.inputs else torch.zeros(()), case.expected[0]
    if len(case.inputs) != 1 or not x.is_floating_point() or x.dim() not in (1, 2):
        return False
    if x.numel() > MOST or x.numel() // x.shape[-1] != result.numel():
        return False
    if not case.dtypes[0].is_floating_point:
        return False
    norm = x.double().square().sum(-1).sqrt().reshape(-1)
    return torch.allclose(norm, result.reshape(-1), rtol=1e-9)


def across_rows(launcher: Launcher, case: Case) -> str | None:
    """For rows that are normalised, or softmax: test whether one counts for another, too."""
    if case.reference is not None or not case.inputs or not case.inputs[0].numel():
        return None
    x, right = case.inputs[0], case.expected[0]
    if x.dim() != 2 or x.shape != right.shape or x.numel() > MOST or len(x) < 2:
        return None
    if not has_axes_of_output(launcher, 0):
        return None
    if not x.is_floating_point() or not _is_of_own_rows(case):
        return None
    if (usual := launched(launcher, case, case.inputs)) is None:
        return None
    for place in (0, x.shape[1], x.shape[1] - 1):
        if (changed := changed_by(launcher, case, 0, place, usual)) is None:
            return None
        row, column = divmod(place, x.shape[1])
        others = changed[changed[:, 0] != row, 0]
        if len(others):
            name = next(p.name for p in launcher.declaration.tensors if p.role == "input")
            if not place and (step := _step(others.unique().tolist(), len(x))):
                return CARRIED.format(f"row {step} of the result", step, name)
            each = not place and others.unique().tolist() == list(range(1, len(x)))
            if each and _changes_own_row(launcher, case, x.numel() - 1, usual):
                return (
                    f"{name}[0, 0] changes each other row of the result, and no element of the "
                    "last row does: is the row left out of an index, where it must be row * "
                    "columns + column?"
                )
            return (
                f"{name}[{row}, {column}] changes row {int(others[0])} of the result: it is "
                "counted for another row than its own. Do lanes, or steps of a loop, go on "
                "beyond a row? If several rows share a warp, the distances of its shuffles "
                "must stay below the number of lanes of one row"
            )
    return None


def _changes_own_row(
    launcher: Launcher, case: Case, place: int, usual: list[torch.Tensor]
) -> bool:
    """Test whether an element has an effect on no other row of the output than its own."""
    changed = changed_by(launcher, case, 0, place, usual)
    row = place // case.inputs[0].shape[1]
    return changed is not None and bool((changed[:, 0] == row).all())


def _step(rows: list[int], count: int) -> int:
    """Return the step k if these are the rows k, 2 * k, ... of so many, in steps over 1; or 0.

    Lanes that read beyond their row count for its neighbours.
    """
    step = rows[0]
    return step if step > 1 and rows == list(range(step, count, step)) else 0


def _is_of_own_rows(case: Case) -> bool:
    """Test whether what is right are rows normalised one by one, or their softmax.

    Of a softmax other inputs may tell which elements are masked.
    """
    x, right = case.inputs[0].double(), case.expected[0].double()
    if normalised(case) or is_softmax(right):
        return True
    ways = (x.softmax(dim=1), x.log_softmax(dim=1), x - x.mean(dim=1, keepdim=True))
    return len(case.inputs) == 1 and any(torch.allclose(right, way) for way in ways)
