"""Compare a candidate's times with the fastest of others: the ratio and its bootstrap interval.

Interleaved samples of one round share the clocks and the temperature of one moment, and those
of one batch the places of the buffers. So batches are drawn again, and of each whole rounds
(B. Efron, R. Tibshirani, "An introduction to the bootstrap", 1993).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from helpers.measure.timing import Times

RESAMPLES = 2000
SEED = 15
LEVEL = 0.95


class Ratio(NamedTuple):
    """How many times as fast a candidate is as the fastest other: above 1 it is ahead."""

    value: float
    low: float
    high: float

    @property
    def verdict(self) -> str:
        """Say "ahead" or "behind" only where the whole interval is, else "tie"."""
        return "ahead" if self.low > 1 else "behind" if self.high < 1 else "tie"


def ratio(own: Times, others: Sequence[Times]) -> Ratio:
    """Return the least median of the others over one's own, with its 95% interval.

    Raises ValueError without others, or for unequal numbers of samples.
    """
    if not others:
        raise ValueError("there is nothing to compare with")
    batches = np.array(
        [own.batches, *(one.batches for one in others)]
    )  # [candidate, b, sample]
    _, count, size = batches.shape
    chance = np.random.default_rng(SEED)
    places = chance.integers(count, size=(RESAMPLES, count, 1))
    rounds = chance.integers(size, size=(RESAMPLES, count, size))
    medians = np.median(batches[:, places, rounds], axis=(2, 3))  # [candidate, resample]
    drawn = medians[1:].min(axis=0) / medians[0]
    samples = batches.reshape(len(batches), -1)
    middle = np.median(samples, axis=1)
    low, high = np.quantile(drawn, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    return Ratio(float(middle[1:].min() / middle[0]), float(low), float(high))
