"""Simulate how a GPU starts blocks: at its launch rate, while there are free places.

A block occupies one of `places` (SMs x resident blocks of an SM) for the residency. As many
blocks are resident as start in one residency (Little's law for blocks), or as there are places.
"""

from __future__ import annotations

from dataclasses import dataclass

from helpers.model.arguments import Count, Rate, checked


@dataclass(frozen=True)
class BlockLaunch:
    """When each block starts and ends, in microseconds, in the order of their starts."""

    starts_us: tuple[float, ...]
    ends_us: tuple[float, ...]
    places: int

    def resident(self, time_us: float) -> int:
        """Count the blocks that have started and not ended by `time_us`."""
        started = sum(start <= time_us for start in self.starts_us)
        return started - sum(end <= time_us for end in self.ends_us)


@checked
def launch_blocks(
    blocks: Count, blocks_per_us: Rate, places: Count, residency_us: Rate
) -> BlockLaunch:
    """Start `blocks` blocks, each as soon as the rate and the places allow."""
    starts, ends = [], []
    for k in range(blocks):
        start = starts[-1] + 1 / blocks_per_us if starts else 0.0
        if k >= places:
            start = max(start, ends[k - places])
        starts.append(start)
        ends.append(start + residency_us)
    return BlockLaunch(tuple(starts), tuple(ends), places)
