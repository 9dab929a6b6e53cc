"""Recognise products of a batch of matrices of which one begins at the place of another.

Each function takes a Mismatch and returns a clause for the learner, or None.
"""

from __future__ import annotations

from helpers.testing.mismatch import Mismatch
from helpers.testing.patterns.wrong_products import are, product_of


def strides(m: Mismatch) -> str | None:
    """For products of a batch, of matrices as they are or turned: name the other step of it."""
    if len(m.shape) != 3 or m.shape[0] < 2 or (p := product_of(m)) is None:
        return None
    added = m.got.double() - sum(
        by * y for by, (_, y) in zip(p.factors[1:], p.parts[1:], strict=True)
    )
    sides = {1, *p.a.shape[1:], *p.b.shape[1:]}
    steps = sorted({0, *sides, *(x * y for x in sides for y in sides)})
    for place, (x, other) in enumerate(((p.a, p.b), (p.b, p.a)), 1):
        own = x[0].numel()
        for step in steps:
            if step == own or step * (len(x) - 1) + own > x.numel():
                continue
            moved = x.as_strided(x.shape, (step, *x.stride()[1:]))
            made = moved @ other if place == 1 else other @ moved
            if are(m, added, p.factors[0] * made.reshape(-1)):
                rows, columns = m.inputs[place - 1].shape[1:]
                if not step:
                    return (
                        f"each product of the batch is made with the first matrix of input "
                        f"{place}, and the others are left out: is what is added to its "
                        "address missing?"
                    )
                return (
                    f"each matrix of input {place} is read {step:,} elements behind the one "
                    f"before it, and not {own:,} ({rows:,} rows of {columns:,}): is its place "
                    "in the batch computed from the sides of another matrix?"
                )
    return None


def goes_on(m: Mismatch) -> str | None:
    """For products of a batch: test whether each has an earlier one's sums in it.

    That of the matrix a fixed number before it, which has one in it, too.
    """
    if len(m.shape) != 3 or m.shape[0] < 2 or (p := product_of(m)) is None or p.cut:
        return None
    added = m.got.double() - sum(
        by * y for by, (_, y) in zip(p.factors[1:], p.parts[1:], strict=True)
    )
    own = p.factors[0] * p.parts[0][1].reshape(m.shape)
    for step in range(1, m.shape[0]):
        made = own.clone()
        for k in range(step, len(made)):
            made[k] += made[k - step]
        if are(m, added, made.reshape(-1)):
            which = "the matrix before it" if step == 1 else f"the one {step} before it"
            return (
                f"from matrix {step} of the batch on each has what was summed for {which} in "
                "it, which counts twice: does a thread that makes several set its sum to 0 "
                "before the first only? Start each sum with 0"
            )
    return None


def only_the_first(m: Mismatch) -> str | None:
    """Test whether the first of several matrices is right, and most of each other one wrong."""
    if m.reference is not None or len(m.shape) != 3 or m.shape[0] < 3:
        return None
    wrong = m.wrong.reshape(m.shape[0], -1)
    share = wrong.double().mean(dim=1)
    if bool(wrong[0].any()) or not bool((share[1:] > 0.5).all()):
        return None
    if m.got.numel() // m.shape[0] < 2:
        return None
    return (
        "the first matrix of the batch is right, and all others are wrong: does each begin at "
        "its own place (the product of the right sides), or does something of the one before "
        "it stay (a sum, say)?"
    )
