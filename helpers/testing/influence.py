"""Ask a launcher which elements of its inputs have an effect on any output.

Of a kernel that fails in no known pattern: each of some elements is changed, up and down, and
the outputs are compared with those of the unchanged inputs.
"""

from __future__ import annotations

import bisect
from dataclasses import replace

import torch

from helpers.errors import CourseError
from helpers.run import machine
from helpers.run.launcher import Launcher
from helpers.testing.cases import Case
from helpers.testing.mismatch import SHORT
from helpers.testing.references import bits

SOME = 48  # elements of each input
MOST = 20_000  # elements of all inputs
LEAST = 4  # elements of a row
EACH = 300  # elements of a row of which each is asked for, where it may count more than once
NEAR = 2.0**-8  # how near to a whole number the square of a norm of ones must be
FEW_ELEMENTS = 400  # of a matrix of which each is changed


def diagnose(launcher: Launcher, case: Case) -> str | None:
    """Name elements of an input without an effect; None if there are none, or too many.

    Integers beside another input, or with which a call fails when one is changed, may choose
    elements, and then it is no fault if others do not count. Nor is it for the ends of rows, as
    in sums of what stands before.
    """
    if case.reference is not None or sum(x.numel() for x in case.inputs) > MOST:
        return None
    if len(case.inputs) != 1 and not all(x.is_floating_point() for x in case.inputs):
        return None
    names = [p.name for p in launcher.declaration.tensors if p.role == "input"]
    if not case.inputs or len(names) != len(case.inputs):
        return None
    # Beside a factor of 0, or a NaN, nothing has an effect.
    case = replace(case, inputs=tuple(map(_plain, case.inputs)))
    if (usual := launched(launcher, case, case.inputs)) is None:
        return None
    for k, x in enumerate(case.inputs):
        n = x.numel()
        evenly = (j * (n - 1) // SOME for j in range(SOME + 1))
        places = sorted({*range(min(n, SOME // 2)), *evenly})
        if not x.is_floating_point() and _chooses(launcher, case, k, places):
            return None
        lost = [i for i in places if not _matters(launcher, case, k, i, usual)]
        if first := _beginnings(launcher, case, k, places, lost, usual):
            which = "element" if first == 1 else f"{first:,} elements"
            have = "has" if first == 1 else "have"
            return (
                f"only the first {which} of {_whole(x)}{names[k]} {have} an effect, "
                "the others are left out: is there a thread for each, or a loop over them?"
            )
        of_each_row = case.expected[0].dim() > 1 and _ends_of_rows(lost, x)
        if not _may_be_left_out(lost, places, x) or of_each_row:
            continue
        tried = f"{len(places):,}" + (" tried" if len(places) < n else "")
        if sentence := _of_a_row(launcher, case, k, places, lost, usual):
            return f"{names[k]}{sentence}"
        which = f"{len(lost):,} of {tried} elements of {names[k]} have no effect on any output"
        if x.dim() > 1 and 1 < len(lost) < len(places) and lost == places[-len(lost) :]:
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


def _chooses(launcher: Launcher, case: Case, which: int, places: list[int]) -> bool:
    """Test whether a call fails when one element is changed, as where it is an index."""
    x, before, behind = case.inputs[which], case.inputs[:which], case.inputs[which + 1 :]
    others = ([*before, moved(x, place), *behind] for place in places)
    return any(launched(launcher, case, inputs) is None for inputs in others)


def _of_another_row(
    launcher: Launcher, case: Case, which: int, usual: list[torch.Tensor]
) -> bool:
    """Test whether the first element of the second row counts for another row of the output."""
    x, right = case.inputs[which], case.expected[0]
    if x.dim() != 2 or right.dim() != 2 or len(x) != len(right) or len(x) < 2:
        return False
    changed = _changed(launcher, case, which, x.shape[1], usual)
    return changed is not None and bool((changed[:, 0] != 1).any())


def _of_a_row(
    launcher: Launcher,
    case: Case,
    which: int,
    places: list[int],
    lost: list[int],
    usual: list[torch.Tensor],
) -> str | None:
    """For numbers of which there is one a column: tell where those that count do so."""
    x, right = case.inputs[which], case.expected[0]
    if x.dim() != 1 or right.dim() != 2 or x.numel() not in right.shape:
        return None
    if x.numel() != right.shape[1]:
        return _of_a_column(launcher, case, which, places, lost, usual)
    rows, other = [], []
    for place in (place for place in places if place not in lost):
        changed = _changed(launcher, case, which, place, usual)
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


def _of_a_column(
    launcher: Launcher,
    case: Case,
    which: int,
    places: list[int],
    lost: list[int],
    usual: list[torch.Tensor],
) -> str | None:
    """For numbers of which there is one a row: tell where those that count do so."""
    counted = [place for place in places if place not in lost]
    columns, elsewhere = [], []
    for place in counted:
        changed = _changed(launcher, case, which, place, usual)
        if changed is None or not len(changed):
            return None
        row, column = changed.unbind(dim=1)
        columns.append(bool((column % len(case.inputs[which]) == place).all()))
        elsewhere += sorted({(place, k) for k in row.tolist() if k != place})[:1]
    if columns and all(columns) and len(counted) > 1:
        return (
            "[k] counts in column k, and not in row k: do rows and columns change places in "
            "its index?"
        )
    if elsewhere:
        place, row = elsewhere[0]
        return f"[{place}] is counted for another row, {row}: is its index right?"
    return None


def _changed(
    launcher: Launcher, case: Case, which: int, place: int, usual: list[torch.Tensor]
) -> torch.Tensor | None:
    """List the rows and columns of the first output that change with one element."""
    inputs = [
        *case.inputs[:which],
        moved(case.inputs[which], place),
        *case.inputs[which + 1 :],
    ]
    got = launched(launcher, case, inputs)
    return None if got is None else (got[0] != usual[0]).nonzero()


def _whole(x: torch.Tensor) -> str:
    return "each row of " * (x.dim() > 1)


def _may_be_left_out(lost: list[int], places: list[int], x: torch.Tensor) -> bool:
    """Test whether some places are lost: at most half, or the same columns of each row."""
    if len(lost) <= len(places) / 2:
        return bool(lost)
    columns = x.shape[-1]
    kept = {place % columns for place in places if place not in lost}
    return bool(kept) and not kept & {place % columns for place in lost}


def _beginnings(
    launcher: Launcher,
    case: Case,
    which: int,
    places: list[int],
    lost: list[int],
    usual: list[torch.Tensor],
) -> int:
    """Count the elements of a row that have an effect, if all behind have none; else 0.

    places: those that were tried; lost: those without an effect.
    """
    columns = case.inputs[which].shape[-1]
    rows = case.inputs[which].numel() // columns
    if case.expected[0].numel() != rows or not lost:
        return 0
    kept = [place % columns for place in places if place not in lost]
    least = min(place % columns for place in lost)
    if not kept or max(kept) >= least:
        return 0
    behind = range(max(kept) + 1, least)
    return behind.start + bisect.bisect_left(
        behind, True, key=lambda i: not _matters(launcher, case, which, i, usual)
    )


def counted_often(launcher: Launcher, case: Case) -> str | None:
    """For sums of a row, or of products with another input: name what counts more than once.

    Likewise for norms, whose square is a sum. Asked with 1 in one place of the first input, 0
    in all others and 1 in the second input.
    """
    if case.reference is not None or len(case.expected) != 1:
        return None
    power = 1 if _is_sum(case) else 2 if _is_norm(case) else 0
    if not power:
        return None
    x = case.inputs[0]
    ones = [torch.ones_like(y) for y in case.inputs[1:]]
    name = next(p.name for p in launcher.declaration.tensors if p.role == "input")
    n, often = x.numel(), []
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
        times = float(result[place // x.shape[-1]]) ** power
        if not (result.isfinite().all() and abs(times - round(times)) <= (power - 1) * NEAR):
            return None
        if round(times) < 0:
            return None
        if round(times) > 1:
            often.append((place, round(times)))
    if not often:
        return None
    place, times = often[0]
    how = "twice" if times == 2 else f"{times:,} times"
    tried = f"{len(places):,}" + (" tried" if len(places) < n else "")
    return (
        f"{len(often):,} of {tried} elements of {name} count more than once, the first, "
        f"{name}[{place:,}], {how}: do two threads add them, or two steps of a loop?"
    )


def _is_zero(outputs: list[torch.Tensor] | None) -> bool:
    return outputs is not None and not any(bool(x.any()) for x in outputs)


def _is_sum(case: Case) -> bool:
    """Test whether what is right is the sum of each row, of one input or of two's products."""
    x, result = case.inputs[0] if case.inputs else torch.zeros(()), case.expected[0]
    if x.dim() not in (1, 2) or x.numel() > MOST or x.numel() // x.shape[-1] != result.numel():
        return False
    if len(case.inputs) > 2 or not all(y.is_floating_point() for y in case.inputs):
        return False
    if not case.dtypes[0].is_floating_point:
        return False
    products = x.double()
    for y in case.inputs[1:]:
        if tuple(y.shape) not in (tuple(x.shape), tuple(x.shape[-1:])):
            return False
        products = products * y.double()
    return torch.allclose(products.sum(-1).reshape(-1), result.reshape(-1), rtol=1e-9)


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


def of_own_row(launcher: Launcher, case: Case) -> str | None:
    """For a matrix made of one: name elements that do not count for the others of their row.

    As in a softmax or a norm, where a number is made of each whole row.
    """
    if case.reference is not None or len(case.expected) != 1 or not case.inputs:
        return None
    x, right = case.inputs[0], case.expected[0]
    if x.dim() != 2 or x.shape != right.shape or not x.is_floating_point():
        return None
    n = x.shape[1]
    if (
        x.numel() > MOST
        or n < LEAST
        or (usual := launched(launcher, case, case.inputs)) is None
    ):
        return None
    places = sorted(
        {*range(min(n, SOME // 2)), *(j * (n - 1) // SOME for j in range(SOME + 1))}
    )
    lost, others = [], torch.ones(n, dtype=torch.bool)
    for place in places:
        if (changed := _changed(launcher, case, 0, place, usual)) is None:
            return None
        others[:] = True
        others[place] = False
        columns = changed[changed[:, 0] == 0, 1]
        if not bool(others[columns].any()):
            lost.append(place)
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
    for k, places in enumerate(read):
        own = [place // x.shape[1] if by_rows else place % x.shape[1] for place in places]
        if set(own) <= {k} or len(places) < 2:
            continue
        tensors = launcher.declaration.tensors
        name = [p.name for p in tensors if p.role == "input"][which]
        out = next(p.name for p in tensors if p.role == "output")
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
        elements = ", ".join(f"{name}[{place}]" for place in places[:3])
        return (
            f"{out}[{k}] is made of {elements}{', ...' * (len(places) > 3)}, and not of "
            f"{'row' if by_rows else 'column'} {k} alone: do rows and columns change places? "
            f"{name}[row, column] is at row * columns + column"
        )
    return None


def _read(launcher: Launcher, case: Case, which: int) -> list[list[int]] | None:
    """List the elements of an input that each of the output depends on; None for a fault."""
    x, read = case.inputs[which], [[] for _ in range(case.expected[0].numel())]
    if (usual := launched(launcher, case, case.inputs)) is None:
        return None
    for place in range(x.numel()):
        changed = torch.zeros(len(read), dtype=torch.bool)
        for sign in (1, -1):
            other = moved(x, place, sign)
            inputs = [*case.inputs[:which], other, *case.inputs[which + 1 :]]
            if (got := launched(launcher, case, inputs)) is None:
                return None
            changed |= (got[0] != usual[0]).reshape(-1)
        for k in changed.nonzero().flatten().tolist():
            read[k].append(place)
    return read


def _plain(x: torch.Tensor) -> torch.Tensor:
    """Copy a tensor with 1 in the place of each 0 and each NaN, if it is of floats."""
    x = x.clone()
    if x.is_floating_point():
        wide = x.double()
        bits(x)[(wide == 0) | wide.isnan()] = bits(torch.ones(1).to(x.dtype))
    return x


def moved(x: torch.Tensor, place: int, sign: int = 1) -> torch.Tensor:
    """Copy a tensor with one element changed by more than all others, up or down.

    Integers stay within their type: one that lies at its end stays as it is.
    """
    x = x.clone()
    if x.dtype is torch.bool:
        x.view(-1)[place] = sign > 0
    elif x.is_floating_point():
        step = 8 * float(x.double().abs().nan_to_num(0.0, 0.0, 0.0).max()) + 1
        x.view(-1)[place] = float(x.view(-1)[place]) + sign * step
    else:
        info, most = torch.iinfo(x.dtype), max(abs(int(x.min())), abs(int(x.max())))
        moved = int(x.view(-1)[place]) + sign * (8 * most + 1)
        x.view(-1)[place] = min(max(moved, info.min), info.max)
    return x


def _ends_of_rows(places: list[int], x: torch.Tensor) -> bool:
    """Test whether all places lie in the first, or all in the last column of a matrix."""
    columns = {place % x.shape[-1] for place in places}
    return x.dim() > 1 and x.shape[-1] > 1 and columns in ({0}, {x.shape[-1] - 1})


def _matters(
    launcher: Launcher, case: Case, which: int, place: int, usual: list[torch.Tensor]
) -> bool:
    """Test whether an output changes with one element; True, too, if a call fails."""
    for sign in (1, -1):
        x = moved(case.inputs[which], place, sign)
        inputs = [*case.inputs[:which], x, *case.inputs[which + 1 :]]
        got = launched(launcher, case, inputs)
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
        torch.full(x.shape, fill, device=device).to(dtype)
        for x, dtype in zip(case.expected, case.dtypes, strict=True)
    ]
    left = {
        "input": iter([x.to(device, copy=True) for x in inputs]),
        "output": iter(outputs),
    }
    try:
        launcher(*(next(left[p.role]) for p in launcher.declaration.tensors), **case.arguments)
    except (CourseError, TypeError, ValueError):
        return None
    names = [p.name for p in launcher.declaration.tensors if p.role == "output"]
    for name, x in zip(names, outputs, strict=True):
        if name in case.ignored:
            x.fill_(fill)
    return [bits(x).cpu() for x in outputs]
