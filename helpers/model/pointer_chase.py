"""Make the linked list of a pointer chase: loads of which each waits for the one before."""

from __future__ import annotations

import numpy as np

from helpers.model.arguments import Count, Whole, checked


@checked
def random_cycle(count: Count, stride: Count = 1, seed: Whole = 0) -> np.ndarray:
    """Make the indices of a pointer chase, int32 [count * stride]: `next[i]` follows i.

    From 0 the chase visits each of the `count` multiples of `stride` once, in random order, and
    comes back: `count` places, 4 * stride bytes apart, that no prefetcher can guess. Elements
    between the places point at themselves and are never read.
    Raises ValueError for counts below 1 and for more indices than an int32 holds.
    """
    if count * stride > np.iinfo(np.int32).max:
        raise ValueError(
            f"{count} x {stride} indices do not fit an int32;"
            " use fewer places or a smaller stride"
        )
    order = np.random.default_rng(seed).permutation(count - 1)
    order = np.concatenate([[0], 1 + order]) * stride
    following = np.arange(count * stride, dtype=np.int32)
    following[order] = np.roll(order, -1)
    return following
