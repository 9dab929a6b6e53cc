"""Recognise products of matrices, plus another one, of which a part counts otherwise.

Each matrix may come transposed, as a batch, or as a vector. Each function takes a Mismatch and
returns a clause for the learner, or None. What is named explains every element.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass

import torch

from helpers.testing.mismatch import SEVERAL, Mismatch, rounding_error

MOST = 1 << 17  # elements of an input
MOST_TERMS = 1 << 21  # products of all results, where each may count so often as it likes
MOST_PRODUCTS = 256  # of a result
SOME = 1024  # results of which weights are found; all must agree with them
LEAST = 3  # results
MOST_LINES = 64  # rows or columns that a thread takes, one after the other
HALF = 2.0**-10  # relative: how far apart numbers of float16 are
MOST_TIMES = 1024  # that a product counts: a larger number is of another formula
ENOUGH = 2  # results for each product of a sum, so that no other weights fit by chance
EXACT = 1e-9  # relative: how well a formula makes what is right
FAR = 1e-3  # relative, of a factor
TILES = (4, 8, 16, 32)  # sides
BY_COLUMNS = (
    "this is the product with {0} read as if it were stored the other way round: do rows and "
    "columns change places in its index? [row, column] is at row * columns + column, and not "
    "at column * rows + row"
)
IN_TILES = (
    "this is the product with the indices swapped inside each {1} {0}: is the tile read "
    "with its two indices the other way round than it is filled?"
)
NOTHING = 1e-6  # times a factor: what rounding leaves of one that is 0
CLOSE = 2.0**-7  # relative, of a sum that a rounded result tells
NARROW = (torch.int8, torch.int16)
INTEGERS = (torch.int8, torch.uint8, torch.int16, torch.int32)
NEAR = 2.0**-6  # of how often a product counts, from a whole number


@dataclass(frozen=True)
class Product:
    """What is right: alpha * a @ b + beta * c, float64; a [g, m, k], b [g, k, n].

    parts: the product and c, if there is one, flat, with their words. factors: alpha and beta.
    c may be a number of each row or column. cut: what is below 0 is 0.
    """

    a: torch.Tensor
    b: torch.Tensor
    parts: list[tuple[str, torch.Tensor]]
    factors: list[float]
    cut: bool = False

    def of(self, factors: list[float]) -> torch.Tensor:
        """Return what other factors make, flat."""
        made = _made(self.parts, factors)
        return made.clamp(min=0) if self.cut else made


def product_of(m: Mismatch) -> Product | None:
    """Find the product of the first two inputs of which what is right is made."""
    if m.reference is not None or not 2 <= len(m.inputs) <= 3 or m.got.numel() < LEAST:
        return None
    if not all(x.dtype is not torch.bool and 0 < x.numel() <= MOST for x in m.inputs):
        return None
    finite = bool(m.expected.isfinite().all()) and bool(m.got.isfinite().all())
    if not finite or m.got.dtype is torch.bool:
        return None
    a, b, *more = (x.double().contiguous() for x in m.inputs)
    cut = bool((m.expected >= 0).all()) and bool((m.expected == 0).any())
    added = [("input 3", c.reshape(-1)) for c in more if tuple(c.shape) == tuple(m.shape)]
    for left in _matrices(a, 0):
        for right in _matrices(b, 1):
            if left.shape[::2] != right.shape[:2] or not _is_shape(m, left, right):
                continue
            y = (left @ right).reshape(-1)
            for c in [added] if added else _of_each_side(m, more):
                parts = [("the product of input 1 and input 2", y), *c]
                parts = [(words, x) for words, x in parts if bool(x.isfinite().all())]
                if not parts or parts[0][1] is not y or not bool((y != 0).any()):
                    continue
                factors = fitted(m.expected, parts, cut)
                product = Product(left, right, parts, factors, cut)
                if are(m, m.expected, product.of(factors)):
                    return product
    return None


def _of_each_side(m: Mismatch, more: list[torch.Tensor]) -> Iterator[list]:
    """Yield input 3 as it may be added: not, or a number of each column, or of each row."""
    yield []
    if len(m.shape) not in (2, 3) or not more or more[0].dim() != 1:
        return
    (rows, columns), c = m.shape[-2:], more[0]
    if c.numel() == columns:
        yield [("input 3", c.expand(m.shape).reshape(-1))]
    if c.numel() == rows:
        yield [("input 3", c[:, None].expand(m.shape).reshape(-1))]


def _matrices(x: torch.Tensor, side: int) -> Iterator[torch.Tensor]:
    """Yield x as matrices [g, p, q], as it is and turned; a vector as a row, or a column."""
    if x.dim() == 1:
        yield x[None, None] if side == 0 else x[None, :, None]
    elif x.dim() in (2, 3):
        x = x if x.dim() == 3 else x[None]
        yield x
        yield x.transpose(1, 2)


def _is_shape(m: Mismatch, a: torch.Tensor, b: torch.Tensor) -> bool:
    sides = (len(a), a.shape[1], b.shape[2])
    shape = tuple(m.shape) or (m.got.numel(),)
    vectors = sides[0] == 1 and 1 in sides[1:]
    return shape in (sides, sides[1:] if sides[0] == 1 else sides) or (
        vectors and len(shape) == 1 and shape[0] == sides[1] * sides[2]
    )


def fitted(
    numbers: torch.Tensor, parts: list[tuple[str, torch.Tensor]], cut: bool = False
) -> list[float]:
    """Return the factors with which the parts come nearest to numbers, or to those above 0."""
    some = numbers > 0 if cut else torch.ones(len(numbers), dtype=torch.bool)
    if int(some.sum()) < len(parts):
        return [0.0] * len(parts)
    columns = torch.stack([y[some] for _, y in parts], dim=1)
    found = torch.linalg.lstsq(columns, numbers.double()[some, None], driver="gelsd")
    return found.solution[:, 0].tolist()


def _made(parts: list[tuple[str, torch.Tensor]], by: list[float]) -> torch.Tensor:
    return sum(one * y for one, (_, y) in zip(by, parts, strict=False))


def are(m: Mismatch, numbers: torch.Tensor, values: torch.Tensor) -> bool:
    """Test whether numbers are values, but for what rounding on the way may amount to."""
    usual = values.abs().median() or values.abs().mean()  # most may be cut off at 0
    limit = max(EXACT, rounding_error(m)) * (values.abs() + usual)
    return bool(((numbers.double() - values).abs() <= limit).all())


def factors(m: Mismatch) -> str | None:
    """For a product plus a matrix, each times a number: name the number that is another one."""
    if m.got.numel() <= SEVERAL or (p := product_of(m)) is None:
        return None
    if not bool(m.expected.any()):
        return None  # it may be anything else, as the first places of equal numbers
    made = fitted(m.got, p.parts, p.cut)
    if not are(m, m.got, p.of(made)):
        return None
    if max(map(abs, made)) <= FAR or all(abs(by - 1) <= FAR for by in p.factors):
        return None  # nothing came out, or there is no factor that may count twice
    if len(made) == 2 and _same(made, p.factors[::-1]) and not _same(made, p.factors):
        return (
            f"{p.parts[0][0]} comes out times {made[0]:.5g}, and input 3 times {made[1]:.5g}: "
            "are the two factors (alpha and beta, say) swapped, where they are used or passed?"
        )
    for (words, _), own, other in zip(p.parts, p.factors, made, strict=True):
        if abs(own - other) <= FAR * abs(own):
            continue
        other = 0.0 if abs(other) <= NOTHING * abs(own) else other
        how = "is another factor taken, or none?"
        if power := _of_a_power(own, other, p.a.shape[2]):
            how = power
        elif len(made) == 2 and _same([other], [p.factors[0] * p.factors[1]]):
            how = (
                "does the factor of the other one multiply it, too, as where both are added "
                "before they are multiplied (parentheses)?"
            )
        return f"{words} comes out times {other:.5g}, not times {own:.5g}: {how}"
    return None


def _of_a_power(own: float, other: float, count: int) -> str | None:
    """Say what makes one factor of another: its square, its root or its reciprocal.

    count: products that a result adds up; of a root of it, as in scores of attention, the root
    may be left out.
    """
    if not other:
        return None
    if abs(other - own * own) <= FAR * abs(other):
        if abs(own * own * count - 1) <= FAR:
            return (
                f"does its factor lack a root (1 / {count} in the place of 1 / sqrt({count})), "
                "or is it multiplied by in two places?"
            )
        how_often = own**-2
        is_root = own > 0 and how_often > 1.5 and abs(how_often - round(how_often)) <= FAR
        root = ", or does it lack a root (sqrt)" if is_root else ""
        return f"does its factor count twice, in the sum and behind it, say{root}?"
    if other > 0 and own > 0 and abs(other * other - own) <= FAR * own:
        return "is a root taken of its factor, which should be taken as it is?"
    if abs(other * own - 1) <= FAR:
        return "is it divided by its factor and not multiplied, or the other way round?"
    return None


def cut_elsewhere(m: Mismatch) -> str | None:
    """For a product plus a matrix or a bias: test whether another part is cut off at 0."""
    if m.got.numel() <= SEVERAL or (p := product_of(m)) is None:
        return None
    whole, ways = _made(p.parts, p.factors), []
    if bool((whole > 0).any()):  # else nothing may have been added up
        words = (
            "negative results come out as 0: are they cut off there, which they should not be, "
            "by another formula (ReLU)?"
        )
        ways = [(words, whole.clamp(min=0))]
    if p.cut:
        ways = [
            (
                "negative results come out as they are, and not as 0: is the last step left "
                "out (ReLU, the larger of the result and 0)?",
                whole,
            )
        ]
    if len(p.parts) > 1:
        words = (
            "the product is cut off at 0 before input 3 is added, and not {}: is the formula "
        )
        words = words.format("behind that" if p.cut else "at all") + "another one?"
        made = _made(p.parts[:1], p.factors).clamp(min=0) + _made(p.parts[1:], p.factors[1:])
        ways.append((words, made))
    for words, made in ways:
        if are(m, m.got, made) and not are(m, m.expected, made):
            return words
    return None


def _same(some: list[float], others: list[float]) -> bool:
    return all(abs(x - y) <= FAR * abs(y) for x, y in zip(some, others, strict=True))


def weights(m: Mismatch) -> str | None:
    """For a product of matrices: say which of a result's products count so often as they do.

    That is asked of all results at once, of which there must be far more than products.
    """
    if m.got.numel() <= SEVERAL or (p := product_of(m)) is None:
        return None
    k, n = p.a.shape[2], m.got.numel()
    if p.cut:
        return None
    if not 1 < k <= MOST_PRODUCTS or n < ENOUGH * k + SEVERAL or n * k > MOST_TERMS:
        return None
    terms = p.factors[0] * (p.a[:, :, None] * p.b.transpose(1, 2)[:, None]).reshape(n, k)
    added = _made(p.parts, [0.0, *p.factors[1:]])
    some = torch.linspace(0, n - 1, min(n, SOME)).long()
    if int(torch.linalg.matrix_rank(terms[some])) < k:
        return None  # other weights make the same
    right = (m.got.double() - added)[some, None]
    found = torch.linalg.lstsq(terms[some], right).solution[:, 0]
    times = found.round()
    if bool(((found - times).abs() > NEAR).any()) or not 0 <= float(times.min()):
        return None
    if bool((times == times[0]).all()) or float(times.max()) > MOST_TIMES:
        return None
    size = terms.abs() @ times + added.abs()
    limit = max(EXACT, rounding_error(m)) * (size + size.median())
    off = (terms @ times + added - m.got.double()).abs()
    return _counted(times.long().tolist()) if bool((off <= limit).all()) else None


def wrapped(m: Mismatch) -> str | None:
    """For a product of integers, each times a scale: test whether its sum wraps around.

    Which scale a result has tell what is right and the exact sum.
    """
    if m.reference is not None or len(m.inputs) < 2 or m.got.numel() < SEVERAL:
        return None
    if not bool(m.got.any()):
        return None  # nothing was added up, perhaps
    if any(x.dtype not in INTEGERS or not 0 < x.numel() <= MOST for x in m.inputs[:2]):
        return None
    a, b = (x.double() for x in m.inputs[:2])
    for left in _matrices(a, 0):
        for right in _matrices(b, 1):
            if left.shape[::2] != right.shape[:2] or not _is_shape(m, left, right):
                continue
            sums = (left @ right).reshape(-1)
            if sentence := _wraps(m, sums):
                return sentence
    return None


def unsigned(m: Mismatch) -> str | None:
    """For a product of matrices of signed integers: test whether one is taken as unsigned.

    Or both, as by a sum of products of four bytes each.
    """
    if m.reference is not None or len(m.inputs) != 2 or m.got.numel() < SEVERAL:
        return None
    if any(x.dtype not in NARROW or not 0 < x.numel() <= MOST for x in m.inputs):
        return None
    own = [x.double() for x in m.inputs]
    other = [
        x.where(x >= 0, x + 2.0 ** (8 * y.element_size()))
        for x, y in zip(own, m.inputs, strict=True)
    ]
    ways = (
        ("both inputs", (other[0], other[1])),
        ("input 1", (other[0], own[1])),
        ("input 2", (own[0], other[1])),
    )
    usual, bits = list(_products(m, *own)), 8 * m.inputs[0].element_size()
    for which, (a, b) in ways:
        for right, made in zip(usual, _products(m, a, b), strict=True):
            if torch.equal(right, m.expected) and torch.equal(made, m.got.double()):
                return (
                    f"this is the product with the numbers of {which} taken for unsigned ones, "
                    f"so that negative ones count {2**bits:,} more, out of the range of "
                    f"int{bits}. Read them as signed ones (int for __dp4a, not unsigned)"
                )
    return None


def _products(m: Mismatch, a: torch.Tensor, b: torch.Tensor) -> Iterator[torch.Tensor]:
    """Yield the products of two inputs, each as it is and turned, of the output's shape."""
    for left in _matrices(a, 0):
        for right in _matrices(b, 1):
            if left.shape[::2] == right.shape[:2] and _is_shape(m, left, right):
                yield (left @ right).reshape(-1)


def _wraps(m: Mismatch, sums: torch.Tensor) -> str | None:
    """Say in how many bits exact sums wrap around, if that explains each result."""
    scale = m.expected / sums
    other = m.got.double() / scale
    tells = (sums != 0) & (scale != 0) & scale.isfinite()
    if not bool(tells[m.wrong].all()) or int(m.wrong.sum()) < LEAST:
        return None
    for bits in (8, 16, 32):
        half = 2.0 ** (bits - 1)
        for low, name in ((-half, f"int{bits}"), (0.0, f"uint{bits}")):
            held = (sums - low).remainder(2 * half) + low
            saturated = sums.clamp(low, low + 2 * half - 1)
            for made, how in ((held, "wrap around"), (saturated, "saturate")):
                near = (other - made).abs() <= CLOSE * (1 + other.abs())
                if bool(near[tells].all()) and bool((made != sums)[m.wrong].all()):
                    return (
                        f"each wrong result is that of a sum of products held in {bits} bits "
                        f"({name}), beyond whose range it seems to {how}: is the type in which "
                        "they are added up too narrow?"
                    )
    return None


def turned(m: Mismatch) -> str | None:
    """For products of square matrices: test whether the first factor is taken as the second.

    One of the two may be the same for all products of a batch.
    """
    if m.reference is not None or len(m.inputs) != 2 or m.got.numel() <= SEVERAL:
        return None
    if any(x.dim() < 2 or x.shape[-2:] != m.inputs[0].shape[-1:] * 2 for x in m.inputs):
        return None
    ways = [(x.double(), x.double().mT) for x in m.inputs]  # stored this way, or turned
    for a, b in itertools.product(*ways):
        if (made := a @ b).numel() != m.got.numel() or not are(m, m.expected, made.reshape(-1)):
            continue
        other = (b @ a).reshape(-1)
        if are(m, m.got, other) and not are(m, m.expected, other):
            return (
                "each result is the product of input 2 with input 1, in that order, and not of "
                "input 1 with input 2: are the operands swapped? A B is not B A"
            )
    return None


def misread(m: Mismatch) -> str | None:
    """For a product of matrices: test whether one is read by its columns, or in turned tiles.

    Or whether none is read at all.

    That is, as if it were stored the other way round, or with the two indices of each tile
    swapped.
    """
    if m.got.numel() <= SEVERAL or (p := product_of(m)) is None:
        return None
    added = _made(p.parts, [0.0, *p.factors[1:]])
    if are(m, m.got, added.clamp(min=0) if p.cut else added):
        if len(p.parts) == 1:
            return None  # zeros, which any way to misread them may make
        return (
            f"nothing of {p.parts[0][0]} comes out, only what is added: are the terms of its "
            "sum left out, all of them or those that count here, as by a loop over k, or over "
            "its tiles, that ends too early?"
        )
    ways = [list(_misread(x)) for x in (p.a, p.b)]
    of_one = [("input 1", way, way[2], p.b) for way in ways[0]]
    of_one += [("input 2", way, p.a, way[2]) for way in ways[1]]
    of_both = [
        ("input 1 and input 2", way, way[2], other[2])
        for way, other in zip(*ways, strict=False)
        if way[:2] == other[:2]
    ]
    found: dict[tuple[str, str], list[int]] = {}
    for name, (words, side, _), a, b in (*of_one, *of_both):
        made = p.factors[0] * (a @ b).reshape(-1) + added
        made = made.clamp(min=0) if p.cut else made
        if are(m, m.got, made) and not are(m, m.expected, made):
            found.setdefault((name, words), []).append(side)
    for (name, words), sides in found.items():
        tile = f"tile of {sides[0]} x {sides[0]} of" if len(sides) == 1 else "tile of"
        return words.format(name, tile)
    return None


def _misread(x: torch.Tensor) -> Iterator[tuple[str, int, torch.Tensor]]:
    """Yield what is read of matrices [g, p, q] by another index: words, a side, the numbers."""
    g, p, q = x.shape
    stored = x if x.is_contiguous() else x.transpose(1, 2)
    if min(p, q) == 1:
        return  # a vector, which lies the same way in any order
    other = stored.reshape(g, q, p).transpose(1, 2) if stored is x else stored.reshape(x.shape)
    yield BY_COLUMNS, 0, other
    for side in TILES:
        down, across = (-n % side for n in (p, q))
        padded = torch.nn.functional.pad(x, (0, across, 0, down))
        tiles = padded.reshape(g, (p + down) // side, side, (q + across) // side, side)
        turned = tiles.transpose(2, 4).reshape(padded.shape)
        yield IN_TILES, side, turned[:, :p, :q]


def kept_on(m: Mismatch) -> str | None:
    """For a product: test whether each row's, or column's, sum goes on from another one's.

    Of those that a thread or a block takes, so many apart, or one after the other. What is cut
    off at 0 behind it, or added, need not be seen in the sum that goes on.
    """
    if not SEVERAL < m.got.numel() <= MOST or (p := product_of(m)) is None or len(p.a) > 1:
        return None
    shape = (p.a.shape[1], p.b.shape[2])
    added = _made(p.parts, [0.0, *p.factors[1:]])
    own = _made(p.parts[:1], p.factors)
    for axis, side in ((0, "row"), (1, "column")):
        name = side if len(m.shape) > 1 else "result"
        lines = m.wrong.reshape(shape).any(dim=1 - axis).nonzero().flatten()
        first = int(lines[0])
        for whole, apart in ((own + added, 0 * added), (own, added)):
            terms = whole.reshape(shape).movedim(axis, 0)
            for how, sums in _going_on(terms, first):
                made = sums.movedim(0, axis).reshape(-1) + apart
                made = made.clamp(min=0) if p.cut else made
                if are(m, m.got, made) and not are(m, m.expected, made):
                    return (
                        f"the sum of {name} {first:,} goes on from that of {name} "
                        f"{first - how:,}, and so each {name} behind: does the sum start from "
                        f"0 for each {name} that a thread or a block takes?"
                    )
    return None


def _going_on(terms: torch.Tensor, first: int) -> Iterator[tuple[int, torch.Tensor]]:
    """Yield sums of lines that are not set to 0, and how far apart they are.

    first: the line of which the sum is the first one to go on.
    """
    if not first:
        return
    sums = terms.clone()
    for k in range(first, len(terms)):
        sums[k] += sums[k - first]
    yield first, sums
    if first == 1:
        for chunk in range(2, min(MOST_LINES, len(terms))):
            yield 1, torch.cat([part.cumsum(dim=0) for part in terms.split(chunk)])


def nearly(m: Mismatch) -> str | None:
    """For a product: test whether results are off as by rounding, beside what is added up.

    By no more than a part of what one of the products of a sum is, on average, so that none is
    left out.
    """
    if m.got.numel() <= SEVERAL or (p := product_of(m)) is None:
        return None
    k, cancelled = p.a.shape[2], bool((m.expected == 0)[m.wrong].all())
    sizes = (p.a.abs() @ p.b.abs()).reshape(-1) * abs(p.factors[0])
    sizes = sizes + _made(p.parts, [0.0, *p.factors[1:]]).abs()
    off = (m.got.double() - m.expected)[m.wrong]
    share = off.abs() / sizes[m.wrong]
    most = float(share.max()) if bool(share.isfinite().all()) else 1.0
    if k < 2 or most > min(1 / k, k**0.5 * HALF):
        return None
    if cancelled:
        return (
            "only results that should be 0, as the products of their sums cancel, go wrong, by "
            "little beside these: is a product, or a part of the sum, rounded to a type of "
            "less precision on the way, as float16? Add up in float"
        )
    if (
        len(off) < SEVERAL
        or min(int((off > 0).sum()), int((off < 0).sum())) < len(off) / SEVERAL
    ):
        return None
    return (
        f"each wrong result is off by little, up to {most:.1g} of the sizes of what is added "
        "up in it, in both directions: is a product, or their sum, rounded to a type of less "
        "precision on the way, as float16? Add up in float"
    )


def _counted(times: list[int]) -> str:
    """Say which products of a sum count more than once, and which are left out."""
    k = len(times)
    often, lost = ([j for j, of in enumerate(times) if test(of)] for test in (_often, _lost))
    each = f"each result adds up {k:,} products, of which"
    if not often:
        are = "is" if len(lost) == 1 else "are"
        return (
            f"{each} {len(lost):,} {are} left out, the first is that of k = {lost[0]:,}: where "
            "does the loop begin and end, and are all parts of the sum added?"
        )
    first = often[0]
    how = "twice" if times[first] == 2 else f"more than once, {times[first]:,} times"
    also = f", and {len(lost):,} not at all" if lost else ""
    if often == [k - 1]:
        return (
            f"{each} the last one, of k = {first:,}, counts {how}{also}: is it taken again in "
            "the place of each that a tile or a step has too many (an index that stops there)? "
            "Those must count as 0"
        )
    which = f"that of k = {first:,} counts {how}"
    if len(often) > 1:
        which = f"{len(often):,} count more than once, the first, of k = {first:,}, {how}"
        which = which.replace(", more than once, ", ", ")
    return f"{each} {which}{also}: do two threads, or two steps of a loop, add the same part?"


def _often(times: int) -> bool:
    return times > 1


def _lost(times: int) -> bool:
    return times == 0
