"""Say which thread sits in which warp and lane, and which lane reads which in a shuffle.

No GPU and no torch needed: arithmetic on small arrays, the same on every machine.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from helpers.model.arguments import Count, Whole, checked, whole_number
from helpers.specs import WARP_SIZE

MAX_THREADS = 1024  # of a block
MAX_DEPTH = 64  # of a block, threads along z


@dataclass(frozen=True, eq=False)
class ThreadLayout:
    """Every thread of a block: int arrays of shape (z, y, x), indexed `warp[z, y, x]`."""

    block: tuple[int, int, int]  # blockDim.x, .y, .z
    warp_size: int
    linear: np.ndarray  # the thread's number in the block
    warp: np.ndarray
    lane: np.ndarray

    @property
    def threads(self) -> int:
        """Threads of the block."""
        return math.prod(self.block)

    @property
    def warps(self) -> int:
        """Warps of the block; the last one may be partly empty."""
        return math.ceil(self.threads / self.warp_size)

    @property
    def idle_lanes(self) -> int:
        """Lanes of the last warp without a thread."""
        return self.warps * self.warp_size - self.threads


@checked
def thread_layout(block: int | Sequence[int], warp_size: int = WARP_SIZE) -> ThreadLayout:
    """Compute the linear id, warp and lane of every thread of a block.

    `block` is a shape (x,), (x, y) or (x, y, z), in threads. Threads fill warps by their linear
    id,
    x fastest: id = x + y Dx + z Dx Dy, warp = id // 32, lane = id % 32 (CUDA C++ Programming
    Guide, "Thread Hierarchy" and "SIMT Architecture").

    Raises ValueError for a shape that no GPU launches: over 1,024 threads, or 64 along z.
    """
    shape = (block,) if np.ndim(block) == 0 else tuple(block)
    if not 1 <= len(shape) <= 3:
        raise ValueError(f"a block has 1 to 3 dimensions (x, y, z), not {len(shape)}: {shape}")
    dx, dy, dz = (whole_number("each dimension of a block", n) for n in (*shape, 1, 1)[:3])
    warp_size = whole_number("warp_size", warp_size)
    if dx * dy * dz > MAX_THREADS or dz > MAX_DEPTH:
        raise ValueError(
            f"a block of {dx} x {dy} x {dz} = {dx * dy * dz} threads cannot be launched:"
            f" the limits are {MAX_THREADS} in all and {MAX_DEPTH} along z;"
            " make the block smaller and the grid larger"
        )
    z, y, x = np.indices((dz, dy, dx))
    linear = x + y * dx + z * dx * dy
    return ThreadLayout(
        (dx, dy, dz), warp_size, linear, linear // warp_size, linear % warp_size
    )


# ---- shuffles --------------------------------------------------------------------------------


@checked
def down_sources(offset: Whole, warp_size: Count = WARP_SIZE) -> np.ndarray:
    """Return the lane that each lane reads in `__shfl_down_sync(..., offset)`.

    Lane + offset, or the lane itself where that is beyond the warp.
    """
    lanes = np.arange(warp_size)
    return np.where(lanes + offset < warp_size, lanes + offset, lanes)


@checked
def xor_sources(lane_mask: Whole, warp_size: Count = WARP_SIZE) -> np.ndarray:
    """Return the lane that each lane reads in `__shfl_xor_sync(..., lane_mask)`.

    Lane ^ lane_mask, or the lane itself where that is beyond the warp.
    """
    lanes = np.arange(warp_size)
    return np.where(lanes ^ lane_mask < warp_size, lanes ^ lane_mask, lanes)


@checked
def down_sum_rounds(values) -> np.ndarray:
    """Compute every lane's value after each round of a warp sum by `__shfl_down_sync`.

    A round is `value += __shfl_down_sync(mask, value, offset)`. `values` [32] (any power of
    two) gives an array [6, 32] of the same dtype: row 0 as given, row r after the round with
    offset 32 >> r. Lane 0 ends with the sum. A lane that reads beyond the warp gets its own
    value and so doubles it (CUDA C++ Programming Guide, "Warp Shuffle Functions"): only lane 0
    is of use.
    """
    return _rounds(values, down_sources)


@checked
def butterfly_rounds(values) -> np.ndarray:
    """Compute the same for `__shfl_xor_sync`: after the last round every lane has the sum."""
    return _rounds(values, xor_sources)


@checked
def round_offsets(warp_size: int = WARP_SIZE) -> list[int]:
    """List the offsets of a warp sum's rounds: 16, 8, 4, 2, 1.

    Raises ValueError unless the number of lanes is a power of two.
    """
    if warp_size < 1 or warp_size & (warp_size - 1):
        raise ValueError(f"a warp sum by halves needs a power of two of lanes, not {warp_size}")
    return [warp_size >> r for r in range(1, warp_size.bit_length())]


def _rounds(values, sources: Callable[[int, int], np.ndarray]) -> np.ndarray:
    rows = [np.asarray(values)]
    if rows[0].ndim != 1:
        raise ValueError(
            f"give one value for each lane, a 1-D array, not one of shape {rows[0].shape}"
        )
    if not rows[0].size:
        raise ValueError("values is empty: give one value for each lane")
    for offset in round_offsets(rows[0].size):
        rows.append(rows[-1] + rows[-1][sources(offset, rows[0].size)])
    return np.stack(rows)
