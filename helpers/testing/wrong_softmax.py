"""Find out what number each row of a wrong softmax is divided by."""

from __future__ import annotations

import torch

CLOSE = 1e-5  # relative
LEAST_ROWS = 2
NOT_DIVIDED = (
    "each row holds exp(x - its largest number), which nothing divides by their sum: is the "
    "formula another one?"
)


def divided_by(got: torch.Tensor, right: torch.Tensor, sums: torch.Tensor) -> str | None:
    """For a softmax of several rows: say what number each is divided by, if that is known."""
    if sentence := _divided_columns(got, right):
        return sentence
    off = (got - right * sums[:, None]).abs().amax(dim=1) > CLOSE * right.amax(dim=1) * sums
    if len(right) < LEAST_ROWS or bool(off.any()) or bool((sums == 0).any()):
        return None
    share, n = 1 / sums, right.shape[1]  # of the right divisor
    if len(share.unique()) < LEAST_ROWS or float((sums - 1).abs().max()) < 8 * CLOSE:
        return None
    near = ((right.cumsum(1) / share[:, None] - 1).abs() <= CLOSE).all(dim=0)
    if len(at := near[:-1].nonzero().flatten()):
        count = int(at[0]) + 1
        words = f"each row is divided by the sum of its first {count:,} of {n:,} elements alone"
        if count == len(right):
            return f"{words}, as many as there are rows: are rows and columns confused?"
        return f"{words}: are the others left out of a loop?"
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
