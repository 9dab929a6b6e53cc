"""Hold a wrong output beside what is right, and the clause that says what looks wrong."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import torch

from helpers.testing.references import ulp_distance

SHORT = 32  # elements; of fewer the place of a wrong one says little
SEVERAL = 8  # elements that must agree on a pattern


@dataclass(frozen=True)
class Diagnosis:
    """What looks wrong, in a clause for the learner.

    specific: False for the fallback, where no pattern was recognised. written: how many
    elements are right, if nothing is written behind them. unordered: it may be a race. doubt: 0
    if other cases tell no more; 1 if it rests on a few last elements, or on infinities; 2 if
    nothing was written in a small case. nearly: the wrong elements are right but for their
    last bits. zeros: every wrong element is 0. tail: one number is off by its last elements.
    """

    sentence: str
    specific: bool = True
    written: int = 0
    unordered: bool = False
    doubt: int = 0
    nearly: bool = False
    zeros: bool = False
    tail: bool = False


@dataclass(frozen=True)
class Mismatch:
    """A wrong output: got, expected (float64) and wrong (bool) are CPU tensors [n].

    At least one element is wrong. inputs: of any shape. poison: the bits that the output was
    filled with before the call. reference: a function of the float64 inputs, or None if it is
    not known. shape: of the output, which may be a matrix. others: what is right in the other
    outputs, float64, flat.
    """

    got: torch.Tensor
    expected: torch.Tensor
    wrong: torch.Tensor
    inputs: Sequence[torch.Tensor] = ()
    poison: int = 0
    reference: Callable[..., torch.Tensor] | None = None
    shape: tuple[int, ...] = ()
    others: Sequence[torch.Tensor] = ()

    @property
    def like_output(self) -> list[torch.Tensor]:
        """The inputs that have the output's shape."""
        return [x for x in self.inputs if x.shape == self.got.shape]


def describe(value: torch.Tensor) -> str:
    """Format one element for an error message."""
    return f"{value.item():.8g}" if value.dtype.is_floating_point else str(value.item())


def same(got: torch.Tensor, expected: torch.Tensor) -> bool:
    """Compare after rounding to the dtype of `got`; NaN equals NaN."""
    return bool((ulp_distance(got, expected) == 0).all())
