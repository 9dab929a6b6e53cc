"""Recognise norms and normalised rows of which one step is another one.

Each function takes a Mismatch and returns a clause for the learner, or None. What is named
explains every element, the right ones too.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import torch

from helpers.testing.cases import Case
from helpers.testing.mismatch import SEVERAL, Mismatch, rounding_error
from helpers.testing.patterns.wrong_softmax import BLOCKS, WARP

MOST = 1 << 17  # elements
EXACT = 1e-9  # what is right fits a formula so well
MOST_RIGHT = 0.25  # of the elements that other lanes make
BY_CHANCE = 0.02
FEW_COLUMNS = 0.05  # of those, right in all rows
LANES_APART = (16, 8, 4, 2, 1, 32, 64, 128)  # elements that shuffles add; of packs the last
PACKS = (8, 4, 2, 1)  # elements that a thread takes at once
FEW_UNITS = 0.25  # of what the rounding of a formula may amount to
LEAST = 3  # rows that must tell the same
FAR_OFF = 1e-3  # standard deviations
UNITS = 8  # of the type, in which rounding may move a mean that is not taken off
FEW_PARTS = 1e-3  # of a number that results tell
LARGEST_EPSILON = 10.0  # that anybody adds; beside a larger one all is nearly 0
KEPT = 1e-6  # relative: how well an epsilon explains what is right
LITTLE = 1 / 32  # of what a formula is off
Function = Callable[[torch.Tensor], torch.Tensor]
# Of a row: the name, what each element adds, and the total of the result.
TOTALS: tuple[tuple[str, Function, Callable[[torch.Tensor, int], torch.Tensor]], ...] = (
    ("sum", lambda x: x, lambda y, n: y),
    ("mean", lambda x: x, lambda y, n: y * n),
    ("sum of x * x", torch.square, lambda y, n: y),
    ("mean of x * x", torch.square, lambda y, n: y * n),
    ("norm", torch.square, lambda y, n: y.square()),
    ("root of the mean of x * x", torch.square, lambda y, n: y.square() * n),
    ("sum of absolute values", torch.abs, lambda y, n: y),
)
OF_ANOTHER = "in the place of each column's own"
SOME = ("a sum of squares of only the first", "a mean of only the first")
TWICE = "count twice"
SOME_LAST = tuple(words.removesuffix("first") + "last" for words in SOME)
LAST = "last "  # of what each thread takes, where it adds up none before
OWN = "each thread's own sum of x * x"
SWAPPED = "what is added to each column and what multiplies it swapped"


def counted(m: Mismatch) -> str | None:
    """For a sum or a norm of each row: name the column that is left out, or counts twice."""
    x = m.inputs[0].double() if len(m.inputs) == 1 else torch.zeros(())
    if x.dim() != 2 or tuple(m.shape) != tuple(x.shape[:1]) or m.reference is not None:
        return None
    if not m.got.is_floating_point() or len(x) < LEAST or x.shape[1] < 2 or x.numel() > MOST:
        return None
    if not bool(x.isfinite().all()) or not bool(m.got.isfinite().all()):
        return None
    for name, adds, total in TOTALS:
        added, n = adds(x), x.shape[1]
        right, size = total(m.expected, n), added.abs().sum(1)
        if not bool(((right - added.sum(1)).abs() <= EXACT * size).all()):
            continue
        off = (total(m.got.double(), n) - right)[:, None]
        limit = (4 * rounding_error(m) * size)[:, None]
        for words, by in (("is left out", -added), ("counts twice", added)):
            explains = ((off - by).abs() <= limit).all(dim=0)
            tells = ((by.abs() > 8 * limit) & m.wrong[:, None]).sum(dim=0) >= LEAST
            if int((explains & tells).sum()) == 1:
                k = int((explains & tells).nonzero()[0])
                others = torch.arange(n) != k
                if not bool(added[:, others].any()):
                    return None  # nothing else is there: all may be left out, or divided away
                return (
                    f"each row's {name} is what comes out if its element {k:,} {words}: where "
                    "does the loop begin and end, and what is added before it, or behind it?"
                )
    return None


def affine(m: Mismatch) -> str | None:
    """For rows that are normalised, times a factor and plus a number of each column."""
    for way in _ways(m):
        shift = way.shift.expand_as(way.got)
        tells = (way.right - shift).abs() > FEW_PARTS * shift.abs()
        told = way.has_shift and way.x.shape[1] >= LEAST and bool(tells.double().mean() > 0.5)
        if told and _are_near(way.got, shift):
            return (
                "each element is just what is added to its column, as of a row that is divided "
                "by infinity: does its sum of squares overflow, held in a half, say?"
            )
        made_so = _others(way)
        other = epsilon(way.x, way.got, way.gain, way.shift, way.centred, 1e-4)
        if other is not None and (more := _more_squares(m, way, other)):
            return (
                f"each element is what comes out if its row's sum of squares is {more:,} "
                "larger: does that sum, or a thread's share of it, start with another number "
                "than 0?"
            )
        if other is not None and other < LARGEST_EPSILON:
            made_so = itertools.chain(made_so, _of_epsilon(way, other))
        of_parts = (_of_one_part(m, way), _of_some(way), _of_lanes(way), _of_threads(way))
        for words, made in itertools.chain(made_so, *of_parts):
            if bool(made.abs().max() > 0) and _are(m, way.got, made, way.right):
                how = "is the formula another one?"
                if words.startswith("input "):
                    how = "is the other one left out, or is another array read?"
                if words.startswith(OWN):
                    how = "are those of the other threads left out, never put together?"
                if words.startswith(SOME_LAST):
                    how = "are all but the last that each thread takes left out (= for +=)?"
                if words.startswith(SOME):
                    how = (
                        "are the others left out, as by a loop whose step is too long, or "
                        "where the parts of some threads or warps do not count?"
                    )
                if words.endswith(TWICE):
                    how = (
                        "does a loop go on by half of the threads that share it, so that two "
                        "of them add the same?"
                    )
                if words.startswith("sums"):
                    how = "do the shuffles go through all distances, 16, 8, 4, 2 and 1?"
                if OF_ANOTHER in words:
                    how = (
                        "is its index the row's, or always 0, so that it is counted for "
                        "another column?"
                    )
                if words is SWAPPED:
                    how = "in the kernel, or where it is launched?"
                return f"each element is what comes out with {words}: {how}"
    return None


def _more_squares(m: Mismatch, way: _Way, eps: float) -> int:
    """Return the whole number that is added to each row's sum, if that is no other epsilon.

    As many as there are columns may be an epsilon of 1, and what makes an epsilon of one digit
    is that, unless each thread of some warps adds 1. Else 0.
    """
    n = way.x.shape[1]
    if not 0 < eps - way.eps < BLOCKS[-1]:
        return 0
    more = round((eps - way.eps) * n)
    if (
        not 1 <= more <= BLOCKS[-1]
        or more % n == 0
        or abs((eps - way.eps) * n - more) > FEW_PARTS * more
    ):
        return 0
    if more % WARP and abs(eps - float(f"{eps:.1g}")) <= FEW_PARTS * eps:
        return 0
    made = next(_of_epsilon(way, way.eps + more / n))[1]
    return more if _are(m, way.got, made, way.right) else 0


def mean_is_larger(m: Mismatch) -> str | None:
    """For such rows: test whether each mean is added, or its sum larger by one number."""
    for way in _ways(m):
        n = way.x.shape[1]
        if not way.centred or len(way.x) < LEAST or not _is_told(way):
            continue
        mean, taken, slope = _taken(way)
        if float(mean.abs().max()) > FAR_OFF and _are_near(taken, -mean):
            return (
                "each row's mean is added to its numbers, where it must be taken off: is the "
                "formula another one (a sign)?"
            )
        more = (taken - mean)[:, 0] * n
        added = float(more.median())
        far = abs(added * float(slope.median())) > n * FAR_OFF  # deviations
        if not far or not _are_near(more, torch.full_like(more, added)):
            continue
        if _are(m, way.got, (way.x - taken) * slope * way.gain + way.shift, way.right):
            return (
                f"each row comes out with a mean that is off by {added:.4g} / {n:,}: does its "
                "sum, or a thread's share of it, start with another number than 0?"
            )
    return None


def _are_near(one: torch.Tensor, other: torch.Tensor) -> bool:
    return bool(((one - other).abs() <= FEW_PARTS * other.abs().max()).all())


def _is_told(way: _Way) -> bool:
    """Test whether each row has some columns whose factor is not 0."""
    return bool(((way.gain != 0).expand_as(way.x).sum(1) >= LEAST).all())


def _taken(way: _Way) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Return of each row its mean, what is taken off, and what multiplies, all [m, 1].

    Columns of a factor of 0 do not tell.
    """
    x, mean = way.x, way.x.mean(1, keepdim=True)
    tells = (way.gain != 0).expand_as(x)
    normal = torch.where(tells, (way.got - way.shift) / way.gain, 0.0)
    count = tells.sum(1, keepdim=True)
    middle = torch.where(tells, x, 0.0).sum(1, keepdim=True) / count
    off = torch.where(tells, x - middle, 0.0)
    slope = (off * normal).sum(1, keepdim=True) / off.square().sum(1, keepdim=True)
    return mean, middle - normal.sum(1, keepdim=True) / count / slope, slope


def moments(m: Mismatch) -> str | None:
    """For such rows: test whether another mean is taken off, or they are divided by another."""
    for way in _ways(m):
        if not _is_told(way):
            continue
        x, (mean, taken, slope) = way.x, _taken(way)
        made = (x - taken) * slope * way.gain + way.shift
        if not _are(m, way.got, made, way.right):
            continue
        off = ((taken - mean * way.centred) * slope).abs()[:, 0]
        k = int(off.argmax())
        of_rounding = 0 if way.centred else UNITS * torch.finfo(m.got.dtype).eps
        normal = torch.where(way.gain != 0, (way.got - way.shift) / way.gain, 0.0)
        size = max(1.0, float(normal.abs().max()))
        if float(off[k]) > max(FAR_OFF, of_rounding) * size:
            if way.centred and bool(((taken - mean.trunc()).abs() <= FEW_PARTS).all()):
                return (
                    "the mean of each row is truncated to a whole number, that of row "
                    f"{k:,} to {float(mean[k].trunc()):.0f} from {float(mean[k]):.5g}: is it "
                    "held in an int, or made by a division of integers?"
                )
            return (
                f"each row comes out with another mean than its own, row {k:,} with "
                f"{float(taken[k]):.5g} in the place of {float(mean[k] * way.centred):.5g}: is "
                "the formula of the mean another one?"
            )
        if not way.centred:
            return (
                "each row comes out divided by another number than the root of its mean of "
                "x * x: is the formula of that another one?"
            )
        return (
            "each row comes out with its own mean, and divided by another number than its "
            "deviation: is the formula of the variance another one?"
        )
    return None


def of_first_lane(m: Mismatch) -> str | None:
    """For rows divided by a norm: test whether only what one lane, or thread, makes is right.

    A few others may be, too, by chance, as numbers of few digits are. Those of a lane have one
    factor in each row, and not one in all rows, as those of a column have if it is multiplied
    with another number.
    """
    way = next(_ways(m), None) if m.got.is_floating_point() else None
    if way is None or way.centred or way.has_shift or bool((way.got * way.right < 0).any()):
        return None
    right, n = ~m.wrong.reshape(m.shape), m.shape[1]
    ratio = torch.where(way.right != 0, way.got / way.right, 1.0)
    near = 4 * torch.finfo(m.got.dtype).eps
    alike = ratio.amax(dim=0) - ratio.amin(dim=0) <= near  # in all rows
    if float(alike[~right.all(dim=0)].double().mean()) > MOST_RIGHT:
        return None
    for pack, threads in itertools.product(PACKS, (WARP, *BLOCKS)):
        lane = torch.arange(n) // pack % threads
        first, others = right[:, lane == 0], right[:, lane != 0]
        if not bool(first.all()) or int((~others).sum()) < SEVERAL:
            continue
        by_chance = max(float(others.double().mean()), 1 / others.numel())
        if float(others.all(dim=0).double().mean()) > FEW_COLUMNS:  # other lanes are right, too
            continue
        if by_chance > MOST_RIGHT or by_chance ** first.numel() > BY_CHANCE:
            continue
        least, most = (
            ratio.new_ones(len(ratio), threads).scatter_reduce(
                1, lane.expand(m.shape), ratio, end, include_self=False
            )
            for end in ("amin", "amax")
        )
        if bool((most - least > near * most).any()):
            continue
        which = "column 0 is" if pack == 1 else f"columns 0 to {pack - 1} are"
        if n > pack * threads:
            which = f"the first {pack} of each {pack * threads:,} columns are"
            which = f"the first of each {threads:,} columns is" if pack == 1 else which
        return (
            f"in each row only {which} right, and hardly another: has only the first lane of a "
            "warp, or thread of a block, the whole sum, as after __shfl_down_sync, and are "
            "numbers left out of what the others have? Hand it on to all (__shfl_sync), or "
            "take __shfl_xor_sync"
        )
    return None


@dataclass(frozen=True)
class _Way:
    """How rows x [m, n] are normalised, float64; right and got: what should come out, and did.

    gain, shift: of each column, [n], or of each row, [m, 1].
    centred: the mean is taken off. has_gain, has_shift: a number of each column multiplies, or
    is added. plus_one: the factor of each column is an input plus 1, as where weights near 1
    are stored less 1.
    """

    x: torch.Tensor
    right: torch.Tensor
    got: torch.Tensor
    gain: torch.Tensor
    shift: torch.Tensor
    centred: bool
    eps: float
    has_shift: bool
    plus_one: bool = False
    has_gain: bool = True


def _ways(m: Mismatch) -> Iterator[_Way]:
    """Yield in which ways the right result follows from the inputs.

    Of several matrices, as of numbers and what is added to them, the one that is normalised
    comes out, too.
    """
    if len(m.shape) != 2 or m.reference is not None or m.got.numel() > MOST:
        return
    if not m.got.is_floating_point():
        return
    whole = [x.double() for x in m.inputs if tuple(x.shape) == tuple(m.shape)]
    others = [x.double() for x in m.inputs if tuple(x.shape) == tuple(m.shape[1:])]
    if not others:  # but one a row
        of_rows = [x for x in m.inputs if tuple(x.shape) == tuple(m.shape[:1])]
        others = [x.double()[:, None] for x in of_rows]
    if not whole or len(others) > 2 or len(m.inputs) != len(whole) + len(others):
        return
    right, got = (y.double().reshape(m.shape) for y in (m.expected, m.got))
    made_before = [y.reshape(m.shape) for y in m.others if y.numel() == m.got.numel()]
    for x in whole if len(whole) == 1 else made_before:
        if all(bool(y.isfinite().all()) for y in (x, right, got, *others)):
            yield from _ways_of(x, right, got, others)


def _ways_of(
    x: torch.Tensor, right: torch.Tensor, got: torch.Tensor, others: list[torch.Tensor]
) -> Iterator[_Way]:
    """Yield in which ways it follows from x [m, n] and numbers of each column, if any."""
    if not others:
        one, zero = torch.ones(x.shape[1:]).double(), torch.zeros(x.shape[1:]).double()
        for centred in (True, False):
            if (eps := epsilon(x, right, one, zero, centred)) is not None:
                yield _Way(x, right, got, one, zero, centred, eps, False, has_gain=False)
        return
    ways = itertools.product((0, 1), itertools.permutations(others), (True, False))
    for one, (gain, *more), centred in ways:
        shift = more[0] if more else torch.zeros_like(gain)
        if (eps := epsilon(x, right, gain + one, shift, centred)) is not None:
            yield _Way(x, right, got, gain + one, shift, centred, eps, bool(more), bool(one))


def _of_one_part(m: Mismatch, way: _Way) -> Iterator[tuple[str, torch.Tensor]]:
    """Yield what one of several matrices makes in the place of their sum, in words."""
    parts = [(k, x.double()) for k, x in enumerate(m.inputs, 1) if tuple(x.shape) == m.shape]
    total = sum(x for _, x in parts)
    eps = torch.finfo(m.got.dtype).eps
    if len(parts) < 2 or not torch.allclose(total, way.x, rtol=eps, atol=eps):
        return

    def scaled(x: torch.Tensor, by: torch.Tensor) -> torch.Tensor:
        x, by = (y - y.mean(1, keepdim=True) * way.centred for y in (x, by))
        scale = (by.square().mean(1, keepdim=True) + way.eps).rsqrt()
        return x * scale * way.gain + way.shift

    for k, part in parts:
        name = f"input {k} in the place of the sum"
        yield f"{name} (but each row is divided by what belongs to it)", scaled(part, way.x)
        yield f"{name} in what each row is divided by", scaled(way.x, part)
        yield name, scaled(part, part)


def _of_lanes(way: _Way) -> Iterator[tuple[str, torch.Tensor]]:
    """Yield what sums of half of a warp's lanes make, each lane's own, or all the first's."""
    x, n = way.x, way.x.shape[1]
    for apart in (apart for apart in LANES_APART if apart < n):
        half = torch.arange(n) // apart % 2
        for of_first in (False, True):

            def total(y: torch.Tensor, of: torch.Tensor, of_first: bool = of_first):
                sums = torch.stack([y[:, of == k].sum(1) for k in (0, 1)], dim=1) / y.shape[1]
                return sums[:, 0 * of if of_first else of]

            off = x - total(x, half) if way.centred else x
            made = off * (total(off.square(), half) + way.eps).rsqrt() * way.gain + way.shift
            yield (
                f"sums in which elements {apart} apart are not added up, as if half of a "
                "warp's lanes were left out",
                made,
            )


def _of_threads(way: _Way) -> Iterator[tuple[str, torch.Tensor]]:
    """Yield what each thread makes with its own sum of squares, of every 32nd element, say."""
    x, n = way.x, way.x.shape[1]
    off = x - x.mean(1, keepdim=True) * way.centred
    for threads in (WARP, *BLOCKS):
        thread = (torch.arange(n) % threads).expand(x.shape)
        sums = torch.zeros(len(x), threads, dtype=x.dtype).scatter_add(1, thread, off.square())
        made = off * (sums.gather(1, thread) / n + way.eps).rsqrt() * way.gain + way.shift
        yield OWN + (f", of one element in {threads}" if threads < n else ""), made
        if threads >= n:
            return


def _of_some(way: _Way) -> Iterator[tuple[str, torch.Tensor]]:
    """Yield what comes out if a loop passes over some, ends too early, or takes some twice.

    It adds up the squares, or the mean.
    """
    x, n, place = way.x, way.x.shape[1], torch.arange(way.x.shape[1])
    every, row = torch.ones(n), "elements of a row"
    for threads in (size for size in (WARP, *BLOCKS) if size < n):
        for words, counts in (
            (f"{threads} of every {2 * threads} {row}", place % (2 * threads) < threads),
            (f"{threads} {row}", place < threads),
            (f"{LAST}{threads} {row}", place >= n - threads),
            (f"from {threads} on {TWICE}", 1 + (place >= threads).int()),
        ):
            sums = (counts, every), (every, counts)
            for of, (in_squares, in_mean) in zip(SOME, sums, strict=True):
                if of == SOME[1] and not way.centred:
                    continue
                mean = (x * in_mean).sum(1, keepdim=True) / n
                off = x - mean * way.centred
                squares = (off.square() * in_squares).sum(1, keepdim=True) / n
                made = off * (squares + way.eps).rsqrt() * way.gain + way.shift
                if words.startswith(LAST):
                    of = of.removesuffix(" first")
                if words.endswith(TWICE):
                    of = of.replace("of only the first", "in which the elements")
                yield f"{of} {words}", made


def _of_epsilon(way: _Way, eps: float) -> Iterator[tuple[str, torch.Tensor]]:
    """Yield the right formula with another epsilon."""
    off = way.x - way.x.mean(1, keepdim=True) if way.centred else way.x
    scale = (off.square().mean(1, keepdim=True) + eps).rsqrt()
    yield f"an epsilon of {eps:.2g}", off * scale * way.gain + way.shift


def epsilon(
    x: torch.Tensor,
    right: torch.Tensor,
    gain: torch.Tensor,
    shift: torch.Tensor,
    centred: bool,
    limit: float = 1e-6,
) -> float | None:
    """Return epsilon if numbers are x [m, n], normalised, times gain plus shift."""
    tells = gain != 0  # what is multiplied by 0 does not tell it
    from_mean = x - x.mean(1, keepdim=True) if centred else x
    normal = torch.where(tells, (right - shift) / gain, 0.0)
    variance = from_mean.square().mean(1)
    size = (from_mean.square() * tells).sum(1)
    if not bool((size > 0).any()):
        return None
    factor = (normal * from_mean).sum(1) / size
    scale = (1 / factor.square() - variance)[size > 0]
    eps = float(scale.median())
    if not -EXACT < eps:
        return None
    eps = max(0.0, eps)
    made = from_mean * (variance + eps).rsqrt()[:, None].nan_to_num(0.0, 0.0, 0.0)
    close = (made * gain + shift - right).abs() <= limit * (1 + right.abs())
    return eps if bool(close.all()) else None


def _others(way: _Way) -> Iterator[tuple[str, torch.Tensor]]:
    """Yield formulas that differ from the right one in one step, in words."""
    x, gain, shift, centred, eps = way.x, way.gain, way.shift, way.centred, way.eps
    n, mean = x.shape[1], x.mean(1, keepdim=True)
    squares = x.square().mean(1, keepdim=True)
    off = x - mean if centred else x
    variance = off.square().mean(1, keepdim=True)
    what = "variance" if centred else "mean of x * x"
    scale = (variance + eps).rsqrt()
    if n > 1:
        scaled = (variance * n / (n - 1) + eps).rsqrt()
        yield f"a {what} that is divided by n - 1, not by n", off * scaled * gain + shift
    if centred and n > 1:
        moved = x - mean * n / (n - 1)
        its = (moved.square().mean(1, keepdim=True) + eps).rsqrt()
        yield "a mean that is divided by n - 1, not by n", moved * its * gain + shift
    yield f"a {what} without epsilon", off * variance.rsqrt() * gain + shift
    yield (
        "epsilon added to the root, not below it",
        off / (variance.sqrt() + eps) * gain + shift,
    )
    yield f"a {what} of which no root is taken", off / (variance + eps) * gain + shift
    if centred:
        yield "numbers from which the mean is not taken off", x * scale * gain + shift
        around_0 = (squares + eps).rsqrt()
        yield "a variance around 0, not around the mean", off * around_0 * gain + shift
    else:
        yield "numbers from which the mean is taken off", (x - mean) * scale * gain
    normal = off * scale
    if not way.has_gain:
        return
    first = "the factor of each column"
    yield f"{first} left out", normal + shift
    if way.plus_one:
        yield f"the 1 that is added to {first} left out", normal * (gain - 1) + shift
        yield f"2 added to {first}, not 1", normal * (1 + gain) + shift
        yield f"{first} taken off 1, not added to it", normal * (2 - gain) + shift
    else:
        yield f"1 added to {first}", normal * (1 + gain) + shift
        yield f"1 taken off {first}", normal * (gain - 1) + shift
    yield f"{first} read one column on", normal * gain.roll(-1) + shift
    yield f"{first} read one column before", normal * gain.roll(1) + shift
    yield f"what multiplies column 0 {OF_ANOTHER}", normal * gain[0] + shift
    row = torch.arange(len(x))[:, None] % n
    yield f"what multiplies column r in row r, {OF_ANOTHER}", normal * gain[row] + shift
    if way.has_shift:
        second = "what is added to each column"
        yield f"{second} left out", normal * gain
        yield f"{second} taken off", normal * gain - shift
        yield f"{second} added before its factor", (normal + shift) * gain
        yield f"{second} added to its factor", normal * (gain + shift)
        yield SWAPPED, normal * shift + gain
        yield f"{second} read one column on", normal * gain + shift.roll(-1)
        yield f"{second} read one column before", normal * gain + shift.roll(1)


def kept(m: Mismatch) -> str | None:
    """For one over each row's deviation, as a norm keeps it: test what else came out.

    Or of a root of a mean of squares, and without an epsilon or with one.
    """
    matrices = [x.double() for x in m.inputs if x.dim() == 2]
    if m.reference is not None or len(matrices) != 1 or not m.got.is_floating_point():
        return None
    x, right, got = matrices[0], m.expected, m.got.double()
    if tuple(m.shape) != tuple(x.shape[:1]) or len(x) < LEAST or not bool((right > 0).all()):
        return None
    if not bool(x.isfinite().all()):
        return None
    variance, squares = x.var(1, unbiased=False), x.square().mean(1)
    for what, of in (("variance", variance), ("mean of x * x", squares)):
        eps = float((1 / right.square() - of).median())
        if not -EXACT < eps < LARGEST_EPSILON:
            continue
        if not bool((right * (of + max(0.0, eps)).sqrt() - 1).abs().max() <= KEPT):
            continue
        for words, made in _kept(what, of, x.mean(1), max(0.0, eps)):
            if _is_made(m, got, made, right):
                return (
                    f"each row's result is {words}, and not 1 / the root of its {what}, plus "
                    "epsilon: is the formula another one, or is another variable stored?"
                )
    return None


def _kept(
    what: str, of: torch.Tensor, mean: torch.Tensor, eps: float
) -> Iterator[tuple[str, torch.Tensor]]:
    """Yield what may be kept in the place of 1 / the root of a variance, in words."""
    yield f"its {what}", of
    yield f"its {what}, plus epsilon", of + eps
    yield f"the root of its {what}", of.sqrt()
    yield f"the root of its {what}, plus epsilon", (of + eps).sqrt()
    yield f"1 / its {what}", 1 / of
    yield f"1 / its {what}, plus epsilon", 1 / (of + eps)
    yield f"1 / the root of its {what} without epsilon", of.rsqrt()
    yield "its mean", mean


def _is_made(m: Mismatch, got: torch.Tensor, made: torch.Tensor, right: torch.Tensor) -> bool:
    """Test whether a number of each row came out, and is not what is right."""
    if not bool(made.isfinite().all()) or len(made.unique()) < 2:
        return False
    limit = rounding_error(m) * (made.abs() + made.abs().median())
    tells = ((made - right).abs() > 8 * limit) & m.wrong
    near = bool(((got - made).abs() <= limit).all())
    return near and int(tells.sum()) >= LEAST and bool(tells[m.wrong].all())


def _are(m: Mismatch, got: torch.Tensor, made: torch.Tensor, right: torch.Tensor) -> bool:
    """Test whether a formula made what came out, and tells it from what is right."""
    if not bool(made.isfinite().all()):
        return False
    size = made.abs() + made.abs().median()
    for units in (4, FEW_UNITS):  # what fits better may be told from what is not far off
        limit = units * rounding_error(m) * size
        if not bool(((got - made).abs() <= limit).all()):
            return False
        tells = ((right - made).abs() > 8 * limit).reshape(-1) & m.wrong
        if int(tells.sum()) >= SEVERAL and 2 * int(tells.sum()) >= int(m.wrong.sum()):
            return True
    return _explains(m, got - right, made - right)


def _explains(m: Mismatch, off: torch.Tensor, by: torch.Tensor) -> bool:
    """Test whether small errors are those of a formula, as far as their rounding shows."""
    size = by.square().sum()
    if int(m.wrong.sum()) < SEVERAL or float(size) == 0:
        return False
    share = float((off * by).sum() / size)
    left = float((off - by).square().sum() / size)
    return abs(share - 1) < LITTLE and left < LITTLE**2


def normalised(case: Case) -> list[bool]:
    """List in which ways what is right in a case are its rows, normalised: with their mean?"""
    right = case.expected[0].double()
    if len(case.inputs) == 1:
        x = case.inputs[0].double()
        one = torch.ones(x.shape[1]).double()
        kinds = (True, False)
        return [k for k in kinds if epsilon(x, right, one, 0 * one, k) is not None]
    right, shape = right.reshape(-1), tuple(right.shape)
    m = Mismatch(right, right, right == right, case.inputs, shape=shape)
    return [way.centred for way in _ways(m)]
