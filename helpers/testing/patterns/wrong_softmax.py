"""Find out what number each row of a wrong softmax, or of its logarithm, is divided by."""

from __future__ import annotations

from collections.abc import Iterator

import torch

from helpers.testing.mismatch import SEVERAL, Mismatch

CLOSE = 1e-5  # relative
NEAR = 1e-3  # likewise, of the sum that a rounded result tells
LEAST_ROWS = 2
LEAST_WRONG = 3  # elements that tell the same
FAR = 1e-2  # of a power of a softmax
WARP = 32
BLOCKS = (64, 128, 256, 512, 1024)  # threads
BEYOND = 1e30  # of a sum: what is divided by more may be no normal number
NOTHING = 1e-9  # of a sum of 1
LEAST_SHARE = 1e-300  # of a row, which 1 / it is known of
DEEP = 80.0  # exp of what lies so far below the largest is nothing
MOST_PAIRS = 1 << 21  # of elements of a row that are compared
GROUPS = (16, 8, 4, 2)  # lanes whose sum is their own
UNITS = 4  # of the type, by which a sum that a result tells may be off
NOT_DIVIDED = (
    "each row holds exp(x - its largest number), which nothing divides by their sum: is the "
    "formula another one?"
)


def is_softmax(right: torch.Tensor) -> bool:
    """Test whether each row is of positive numbers that add up to 1."""
    return bool((right >= 0).all()) and torch.allclose(right.sum(1), right.sum(1) ** 0)


def is_masked(x: torch.Tensor, right: torch.Tensor) -> torch.Tensor:
    """Find the elements of rows x whose softmax is 0 though exp of them is not."""
    x = x.double()
    return (right == 0) & (x > x.amax(dim=-1, keepdim=True) - DEEP)


def divided_by(got: torch.Tensor, right: torch.Tensor, sums: torch.Tensor) -> str | None:
    """For a softmax of several rows: say what number each is divided by, if that is known."""
    if sentence := _divided_columns(got, right):
        return sentence
    off = (got - right * sums[:, None]).abs().amax(dim=1) > CLOSE * right.amax(dim=1) * sums
    if len(right) < LEAST_ROWS or bool(off.any()) or bool((sums == 0).any()):
        return None
    share, n = 1 / sums, right.shape[1]  # of the right divisor
    if n == 2:
        return None  # one of two tells nothing of a loop's end
    if len(share.unique()) < LEAST_ROWS or float((sums - 1).abs().max()) < 8 * CLOSE:
        return None
    near = ((right.cumsum(1) / share[:, None] - 1).abs() <= CLOSE).all(dim=0)
    if len(at := near[:-1].nonzero().flatten()):
        count = int(at[0]) + 1
        words = f"each row is divided by the sum of its first {count:,} of {n:,} elements alone"
        if count == len(right):
            return f"{words}, as many as there are rows: are rows and columns confused?"
        return f"{words}: are the others left out of a loop?"
    if bool((((1 - right[:, 0]) / share - 1).abs() <= CLOSE).all()):
        return (
            f"each row is divided by the sum of its last {n - 1:,} of {n:,} elements: is the "
            "first left out, where the loop of the sum begins?"
        )
    powers = 1 / right.amax(dim=1)  # the sum of exp(x - largest)
    divisor = powers * share
    whole = ((divisor - divisor.round()).abs() <= CLOSE * divisor) & (divisor <= powers)
    if bool(((divisor - 1).abs() <= CLOSE).all()):
        return NOT_DIVIDED
    if bool(whole.all()):
        return (
            "each row is divided by the sum of its powers cut off to a whole number: is the "
            "sum held in an integer, or truncated?"
        )
    return None


def _divided_columns(got: torch.Tensor, right: torch.Tensor) -> str | None:
    """Say of a softmax how many columns are divided, if those behind them are not."""
    top = right.amax(dim=1, keepdim=True)
    done, undone = (
        ((got - made).abs() <= CLOSE * made).all(dim=0) for made in (right, right / top)
    )
    count, n = int((~done).int().argmax()), right.shape[1]
    if len(right) < LEAST_ROWS or not count or not bool(undone[count:].all()):
        return None
    if bool(done[count:].any()):
        return None
    words = (
        f"the first {count:,} of {n:,} elements of each row are right, and nothing divides the "
        "others by the sum"
    )
    if count == len(right):
        return f"{words}, as many as there are rows: are rows and columns confused?"
    return f"{words}: are they left out of the last loop, or is its end another one?"


def turned_round(m: Mismatch) -> str | None:
    """Test whether each row is as of exp(largest - x) in the place of exp(x - largest)."""
    if len(m.shape) < 2 or m.reference is not None or not m.got.is_floating_point():
        return None
    right, got = (y.double().reshape(-1, m.shape[-1]) for y in (m.expected, m.got))
    if not is_softmax(right):
        return None
    known = (right > LEAST_SHARE) & (got > 0) & got.isfinite()
    if not bool((known | ~got.isfinite() | (right == 0)).all()):
        return None  # what overflows, or was none, tells nothing
    product = torch.where(known, got * right, torch.nan)
    middle = product.nanmedian(dim=1, keepdim=True).values
    near = 16 * torch.finfo(m.got.dtype).eps
    if not bool((((product / middle - 1).abs() <= near) | ~known).all()):
        return None
    apart = torch.where(known, right, 0.0).amax(1) / torch.where(known, right, 1.0).amin(1)
    if int((apart > 2).sum()) < LEAST_ROWS or int(m.wrong.sum()) < SEVERAL:
        return None
    return (
        "in each row the largest results come out smallest, as of exp(largest - x) in the "
        "place of exp(x - largest): is a difference turned round, its operands swapped?"
    )


def of_some_lanes(m: Mismatch) -> str | None:
    """For a softmax, or its logarithm: test whether the sum is that of some lanes or a warp."""
    if (powers := powers_of(m)) is None:
        return None
    sums, right = sums_made(m, powers), powers.sum(dim=1, keepdim=True)
    for words, key in _groups(powers.shape[1]):
        of_group = torch.zeros(len(powers), WARP).double().index_add(1, key, powers)
        made = of_group[:, key]
        tells = ((right - made).abs() > 8 * NEAR * right).reshape(-1) & m.wrong
        if 2 * int(tells.sum()) < max(SEVERAL, int(m.wrong.sum())):
            continue
        if bool(((sums - made).abs() <= NEAR * made).all()):
            return words
    return None


def shuffled_down(m: Mismatch) -> str | None:
    """For a softmax, or its logarithm: test whether each lane has the sum of its own shuffles.

    As __shfl_down_sync leaves them: from a lane that the warp does not have its own comes back.
    """
    if (powers := powers_of(m)) is None:
        return None
    lanes = torch.arange(powers.shape[1]) % WARP
    sums = torch.zeros(len(powers), WARP).double().index_add(1, lanes, powers)
    for distance in (16, 8, 4, 2, 1):
        sums = sums + torch.cat([sums[:, distance:], sums[:, WARP - distance :]], dim=1)
    made, right = sums[:, lanes], powers.sum(dim=1, keepdim=True)
    tells = ((right - made).abs() > 8 * NEAR * right).reshape(-1)
    off = (sums_made(m, powers) - made).abs()
    if int((tells & m.wrong).sum()) < LEAST_WRONG or bool((off > NEAR * made).any()):
        return None
    return (
        "each element is divided by the sum of its own lane, of which only that of the first "
        "lane is whole: __shfl_down_sync leaves the sum of a warp there, and in the others "
        "elements are left out, or counted twice. Use __shfl_xor_sync, or hand it to all lanes"
    )


def divided_often(m: Mismatch) -> str | None:
    """For a softmax, or its logarithm: test whether each row is divided by its sum again."""
    if (powers := powers_of(m)) is None:
        return None
    made, right = sums_made(m, powers), powers.sum(dim=1, keepdim=True).expand_as(powers)
    tells = (right > 1 + NEAR) & (made < BEYOND)  # a number too small for its type is rounded
    if int(tells.sum()) < SEVERAL // 2 or len(right[tells].unique()) < LEAST_ROWS:
        return None
    times = (made.log() / right.log())[tells]
    count = round(float(times[0])) if bool(times.isfinite().all()) else 0
    if not 1 < count <= BLOCKS[-1] or bool(((times - count).abs() > NEAR * count).any()):
        return None
    if bool((right**count < BEYOND)[~tells & (right > 1 + NEAR)].any()):
        return None
    return (
        f"each row is divided by its sum more than once, {count:,} times: does each thread of "
        "a warp or block divide the whole row, where it must divide its own elements only?"
    )


def sum_is_larger(m: Mismatch) -> str | None:
    """For a softmax, or its logarithm: test whether each row is divided by so much more."""
    if (powers := powers_of(m)) is None or len(powers) < LEAST_ROWS:
        return None
    made, right, near = _sums_of_rows(m, powers)
    more = float((made - right).median())
    if not FAR < more < BEYOND or bool((made - right - more).abs().gt(near).any()):
        return None
    if float(right.max() - right.min()) < 8 * float(near.max()):
        return None  # what is added may be a share of it
    words = f"{more:.2g}"
    if abs(more - round(more)) <= float(near.max()):
        words = f"{round(more):,}"
    return (
        f"each row is divided by {words} more than the sum of its powers: does that sum, or "
        "a thread's share of it, start with another number than 0?"
    )


def sum_of_few_digits(m: Mismatch) -> str | None:
    """For a softmax, or its logarithm: test whether each row's sum is a number of 16 bits."""
    if (powers := powers_of(m)) is None or len(powers) < LEAST_ROWS:
        return None
    if m.got.dtype not in (torch.float32, torch.float64):
        return None
    made, right, near = _sums_of_rows(m, powers)
    if bool(((made - made.round()).abs() <= NEAR).all()):
        return None  # which an integer holds, too
    for dtype, name in ((torch.bfloat16, "bfloat16"), (torch.float16, "float16")):
        units = torch.finfo(dtype).eps * right
        held = (made - made.to(dtype).double()).abs() <= near
        told = bool((units > 64 * near).all()) and bool(held.all())
        if told and bool(((made - right).abs() > near).any()):
            return (
                f"each row is divided by a sum that {name} holds, which is not right to more "
                "digits: is it added up in that, and not in float, too low a precision?"
            )
    return None


def _sums_of_rows(
    m: Mismatch, powers: torch.Tensor
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Return of each row the sum with which it came out, the right one, and how near it is.

    As the result of the largest number tells it, which has most digits; each [rows].
    """
    top = powers.argmax(dim=1, keepdim=True)
    made, right = sums_made(m, powers).gather(1, top)[:, 0], powers.sum(dim=1)
    near = UNITS * torch.finfo(m.got.dtype).eps * made.abs()
    if not bool((m.expected > 0).any()):
        near = near * made.log().abs().clamp_min(1)
    return made, right, near


def _groups(n: int) -> Iterator[tuple[str, torch.Tensor]]:
    """Yield whose sum each element of a row of n may have, in words, and the group of each."""
    words = "each element's sum is that of {}: the others are left out. "
    lanes = words + "Do the shuffles go through all distances, 16, 8, 4, 2 and 1?"
    column = torch.arange(n)
    if n <= WARP // 2:  # of so few a group may be one element
        return
    for count in GROUPS:
        whose, apart = f"{count} lanes of a warp, those ", WARP // count
        yield lanes.format(whose + "next to each other"), column % WARP // count
        yield lanes.format(f"{whose}{apart} apart"), column % apart
    if n > WARP:
        yield lanes.format("one lane"), column % WARP
    whose = f"{WARP} elements next to each other, as of its own warp"
    for threads in BLOCKS:
        yield (
            words.format(whose) + "Are the sums of a block's warps added up, for all of them?",
            column % threads // WARP,
        )


def powers_of(m: Mismatch) -> torch.Tensor | None:
    """Return exp(x - its row's largest), float64, if rows are its softmax, or the logarithm."""
    if m.reference is not None or len(m.inputs) != 1 or len(m.shape) != 2:
        return None
    x = m.inputs[0].double()
    if tuple(x.shape) != tuple(m.shape) or not bool(x.isfinite().all()):
        return None
    if not m.got.is_floating_point() or not bool(m.got.isfinite().all()):
        return None
    right = m.expected.reshape(x.shape)
    of = (x.log_softmax(dim=1), x.softmax(dim=1))[int(bool((right > 0).any()))]
    if not torch.allclose(right, of):
        return None
    return (x - x.amax(dim=1, keepdim=True)).exp()


def sums_made(m: Mismatch, powers: torch.Tensor) -> torch.Tensor:
    """Return the sum with which each element came out, [rows, columns]."""
    got = m.got.double().reshape(powers.shape)
    is_log = not bool((m.expected > 0).any())
    return powers / (got.exp() if is_log else got)


def without_itself(m: Mismatch) -> str | None:
    """For a softmax up to the diagonal: test whether the diagonal itself is left out."""
    if (right := _masked(m)) is None:
        return None
    row, column = torch.arange(right.shape[-2])[:, None], torch.arange(right.shape[-1])
    if not any(bool((right[:, side] == 0).all()) for side in (column > row, column < row)):
        return None
    made = torch.where(row == column, 0.0, right)
    made = made / made.sum(dim=-1, keepdim=True)  # NaN of a row that has no other
    tells = (right - made).abs().amax(dim=-1) > FAR
    if int(tells.sum()) < LEAST_ROWS:
        return None
    for words, made_so in (("NaN", made), ("0", made.nan_to_num(0.0))):
        if _came_out(m, made_so):
            return (
                "the elements on the diagonal come out as 0, and are left out of the sums of "
                "their rows: is a comparison of row and column strict (<) that must let equal "
                f"ones in (<=)? A row that has no other element is {words}"
            )
    return None


def sums_without_one(m: Mismatch) -> str | None:
    """For a masked softmax: test whether an element comes out that its row's sum has not."""
    if (right := _masked(m)) is None:
        return None
    row, column = torch.arange(right.shape[-2])[:, None], torch.arange(right.shape[-1])
    for words, why, lost in (
        (
            "on the diagonal",
            "is a comparison of row and column strict (<) where the powers are added up, and "
            "not where they are stored?",
            row == column,
        ),
        ("in column 0", "where does the loop of the sum begin?", column == 0 * row),
    ):
        left = 1 - torch.where(lost, right, 0.0).sum(dim=-1, keepdim=True)
        made = right / torch.where(left > NOTHING, left, 0.0)  # infinite of a row of one
        made = torch.where(right > 0, made, 0.0)
        if int((left < 1 - FAR).sum()) >= LEAST_ROWS and _came_out(m, made):
            return (
                f"each row is divided by a sum in which its element {words} is left out, and "
                f"that comes out all the same: {why} A row that has no other is divided by 0"
            )
    return None


def masked_late(m: Mismatch) -> str | None:
    """For a softmax of masked elements: test whether they count in the sums, and are 0 then."""
    if (right := _masked(m)) is None or tuple(m.inputs[0].shape) != tuple(m.shape):
        return None
    x = m.inputs[0].double().reshape(right.shape)
    seen = right > 0
    scale = scale_of(x, right)
    made = torch.where(seen, (x * scale).softmax(dim=-1), 0.0)
    hidden = 1 - made.sum(dim=-1)
    if int((hidden > FAR).sum()) < LEAST_ROWS or not _came_out(m, made):
        return None
    return (
        "elements that are masked come out as 0, and count in the sums of their rows all the "
        f"same: row {int((hidden > FAR).reshape(-1).nonzero()[0]):,} adds up to less than 1. "
        "Is the formula that of a mask behind the softmax? It belongs before, or the sums must "
        "be of those elements only that are seen"
    )


def scale_of(x: torch.Tensor, right: torch.Tensor) -> float:
    """Return by what x is multiplied before its softmax, as far as two elements tell it."""
    logs, seen = right.clamp(min=torch.finfo(torch.float64).tiny).log(), right > FAR
    far = torch.where(seen, x, -torch.inf).amax(-1) - torch.where(seen, x, torch.inf).amin(-1)
    top, low = (torch.where(seen, logs, end) for end in (-torch.inf, torch.inf))
    slopes = ((top.amax(-1) - low.amin(-1)) / far)[(seen.sum(-1) > 1) & (far > FAR)]
    return float(slopes.median()) if len(slopes) else 1.0


def masked_by_a_number(m: Mismatch) -> str | None:
    """For a softmax of masked elements: test whether they count as one finite number each."""
    if (right := _masked(m)) is None or tuple(m.inputs[0].shape) != tuple(m.shape):
        return None
    got, x = (y.double().reshape(right.shape) for y in (m.got, m.inputs[0]))
    masked = right == 0
    share = torch.where(masked, got, 0.0).amax(dim=-1, keepdim=True)
    left = (1 - share * masked.sum(dim=-1, keepdim=True)).clamp(min=0)
    made = torch.where(masked, share, left * right)
    wrong = (masked & (share > FAR)).any(dim=-1)
    # Of a mask that is forgotten, equal numbers make the same, and others do not.
    like = x == x.gather(-1, masked.int().argmax(dim=-1, keepdim=True))
    tells = (masked & ~like) | (~masked & like & ((made - share).abs() > FAR))
    if int((tells.any(dim=-1) & wrong).sum()) < LEAST_ROWS or not _came_out(m, made):
        return None
    return (
        "elements that are masked, and should be 0, come out as one number in each row, "
        "as if all of them held the same: does a finite number (0, or -10000) stand for "
        "-INFINITY? What is in a row may be less than that"
    )


def of_other_elements(m: Mismatch) -> str | None:
    """For a softmax of masked elements: test whether each wrong row is that of others."""
    if (right := _masked(m)) is None or tuple(m.inputs[0].shape) != tuple(m.shape):
        return None
    got, x = (y.double().reshape(right.shape) for y in (m.got, m.inputs[0]))
    taken, wanted = got > 0, right > 0
    made = torch.where(taken, x * scale_of(x, right), -torch.inf).softmax(dim=-1)
    lost = (right > FAR) & ~taken  # and not a power too small for its type
    other = (lost | (taken & ~wanted)).any(dim=-1)
    if int(other.sum()) < LEAST_ROWS or not _came_out(m, made):
        return None
    k = int(other.reshape(-1).nonzero()[0])
    counts = [int(y.reshape(-1, y.shape[-1])[k].sum()) for y in (taken, wanted)]
    return (
        f"row {k:,} is the softmax of {counts[0]:,} of its elements, and should be that of "
        f"{counts[1]:,}: is the formula of the mask another one (a comparison, or the number "
        "of a row or column in it)?"
    )


def own_maximum(m: Mismatch) -> str | None:
    """For a softmax: test whether what is taken off is not the largest number of all the row.

    Each row adds up to 1 then. What was taken off an element is the largest of some others.
    """
    if m.reference is not None or len(m.shape) < 2 or not m.inputs:
        return None
    x = m.inputs[0]
    if m.got.numel() * m.shape[-1] > MOST_PAIRS:
        return None
    if tuple(x.shape) != tuple(m.shape) or not m.got.is_floating_point():
        return None
    if not bool(x.double().isfinite().all()) or not bool(m.got.isfinite().all()):
        return None
    right, got, x = (
        y.double().reshape(-1, m.shape[-1]) for y in (m.expected, m.got, m.inputs[0])
    )
    near = 4 * torch.finfo(m.got.dtype).eps + CLOSE
    if not is_softmax(right) or bool(((got.sum(1) - 1).abs() > len(x.T) ** 0.5 * near).any()):
        return None
    seen = right > 0
    x = (x * scale_of(x, right)).where(seen, -torch.inf)
    if bool((got > 0)[~seen].any()) or not torch.allclose(x.softmax(dim=1), right, atol=1e-6):
        return None
    told = seen & (got > FAR) & (right > FAR)
    off = (got / right).log().where(told, torch.inf)
    off = (off - off.amin(dim=1, keepdim=True)).where(told, 0.0)
    taken = x.amax(dim=1, keepdim=True) - off
    apart = (taken[:, :, None] - x[:, None, :]).abs().amin(dim=2)
    if bool(((apart > 2 * near) | (taken < x - 2 * near))[told].any()):
        return None
    if int((off > 16 * near).sum()) < SEVERAL // 2:
        return None
    return (
        "each row adds up to 1, as it should, but from some of its elements a number was taken "
        "off that is not the row's largest: are elements left out of the maximum that a lane "
        "or thread has? All of a row must take off the same one (__shfl_down_sync leaves it in "
        "the first lane alone)"
    )


def _masked(m: Mismatch) -> torch.Tensor | None:
    """Return what is right, float64 [any, rows, columns], if it is a softmax with zeros.

    Behind its numbers, the inputs may hold a mask, or where it begins.
    """
    if m.reference is not None or len(m.shape) < 2 or not m.inputs:
        return None
    if not m.got.is_floating_point() or not bool(m.inputs[0].double().isfinite().all()):
        return None
    right = m.expected.reshape(-1, *m.shape[-2:])
    if not bool((right >= 0).all()) or not bool((right == 0).any()):
        return None
    return right if bool(((right.sum(dim=-1) - 1).abs() <= CLOSE).all()) else None


def _came_out(m: Mismatch, made: torch.Tensor) -> bool:
    """Test whether powers of a softmax are those that came out, NaN where NaN did."""
    got, made = m.got.double(), made.reshape(-1)
    limit = max(NEAR, 2 * torch.finfo(m.got.dtype).eps)
    near = made.isfinite() & ((got - made).abs() <= limit * made + CLOSE)
    near |= got.isinf() & (made >= (1 - limit) * torch.finfo(m.got.dtype).max)
    return bool((near | (got.isnan() & made.isnan())).all())
