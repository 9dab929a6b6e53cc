"""Describe how an elementwise kernel divides its work; count its bytes, blocks and sectors."""

from __future__ import annotations

import math
from dataclasses import dataclass

from helpers.model.arguments import whole_number
from helpers.specs import SECTOR_BYTES, WARP_SIZE

MOST_THREADS = 1024  # of a block, on every GPU
WIDEST_LOAD = (
    16  # bytes that one load instruction of a lane takes, before compute capability 10.0
)


@dataclass(frozen=True)
class LaunchShape:
    """One thread's share of an elementwise kernel, and the threads of a block.

    `dataclasses.replace(ladder.SHAPES["v6_f16x8_pack"], block_size=256)` is the same kernel in
    larger blocks. Sizes are in bytes. Raises ValueError for counts and sizes below 1 (`reads`
    may be 0), TypeError for fractions.

    element_bytes, out_bytes: of one input and of one output element; None: the same.
    reads, writes: input and output tensors.
    load_bytes: of one load instruction of one thread; None: its whole share, up to 16 bytes.
    lane_stride: from one lane's address to the next lane's; None: `load_bytes`.
    registers: of one thread; up to 32 never reduce occupancy.
    grid: blocks of a grid-stride kernel, whose threads loop; None: one block for each share.
    """

    elements_per_thread: int
    element_bytes: int
    block_size: int
    reads: int = 2
    writes: int = 1
    out_bytes: int | None = None
    load_bytes: int | None = None
    lane_stride: int | None = None
    registers: int = 32
    grid: int | None = None

    def __post_init__(self):
        for name in (
            "elements_per_thread",
            "element_bytes",
            "block_size",
            "writes",
            "registers",
        ):
            whole_number(name, getattr(self, name))
        if self.block_size > MOST_THREADS:
            raise ValueError(
                f"block_size is {self.block_size}: a block has at most {MOST_THREADS} threads"
            )
        whole_number("reads", self.reads, least=0)
        for name in ("out_bytes", "load_bytes", "lane_stride", "grid"):
            if getattr(self, name) is not None:
                whole_number(name, getattr(self, name))

    @property
    def elements_per_block(self) -> int:
        """Elements that the threads of one block take together, once each."""
        return self.elements_per_thread * self.block_size

    @property
    def warps_per_block(self) -> int:
        """Warps of one block; the last one may be partly empty."""
        return math.ceil(self.block_size / WARP_SIZE)

    @property
    def loaded_per_element(self) -> int:
        """Bytes that the inputs have for one element."""
        return self.reads * self.element_bytes

    @property
    def stored_per_element(self) -> int:
        """Bytes that the outputs have for one element."""
        return self.writes * (self.out_bytes or self.element_bytes)

    @property
    def bytes_per_element(self) -> int:
        """Bytes that one element moves: 12 for C = A + B in float32."""
        return self.loaded_per_element + self.stored_per_element

    @property
    def bytes_in_flight_per_thread(self) -> int:
        """Bytes that one thread asks for before it waits; those stored if it loads none."""
        return self.elements_per_thread * (self.loaded_per_element or self.stored_per_element)

    def blocks(self, elements: int) -> int:
        """Count the blocks of a launch over `elements` elements."""
        return self.grid or math.ceil(elements / self.elements_per_block)

    def sectors_per_block(self) -> int:
        """Count the 32-byte sectors of one block's loads and stores, once per instruction.

        A coalesced request touches as many as hold its bytes. V5's 4-byte loads, 16 bytes
        apart, touch 16 sectors a warp each, as many as one 16-byte load, and there are four of
        them.
        """
        share = self.elements_per_thread * self.element_bytes
        load = self.load_bytes or min(WIDEST_LOAD, share)
        stride = self.lane_stride or load
        out_stride = stride * (self.out_bytes or self.element_bytes) / self.element_bytes
        per_warp = self.reads * _sectors(stride) + self.writes * _sectors(out_stride)
        return self.warps_per_block * math.ceil(share / load) * per_warp

    def replayed_sectors(self) -> float:
        """Count the sectors of a block beyond the fewest that hold its bytes; coalesced: 0."""
        fewest = self.elements_per_block * self.bytes_per_element / SECTOR_BYTES
        return max(0.0, self.sectors_per_block() - fewest)


def _sectors(stride: float) -> int:
    """Count the sectors that a warp touches whose lanes are `stride` bytes apart."""
    return max(1, math.ceil(WARP_SIZE * min(stride, SECTOR_BYTES) / SECTOR_BYTES))
