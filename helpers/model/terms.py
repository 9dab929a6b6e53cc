"""Compute the terms of the model of `helpers.model.ceilings`, and hold its own constants.

What each term means, how the constants were found and on what they were tested stands there.
"""

from __future__ import annotations

from functools import cache

from helpers import specs
from helpers.model.arguments import Amount, Count, checked
from helpers.model.launch_shape import LaunchShape
from helpers.model.occupancy import occupancy
from helpers.specs import LINE_BYTES, SECTOR_BYTES

SERIAL_LATENCIES = 2
"""Idle latencies in a block's residency, and in a kernel besides its streaming.

An effective number, from kernels that fill an H200: their blocks stay about 300 ns (L2) and
670 ns (DRAM), where a dependent load takes 145 and 338. A block alone on its SM stays 334 and
547 ns for one load, 145 of which an empty block stays as well; a store adds only 4 to 13 ns to
a load (the experiment "residency"). So the second latency is not the stores': in part it is the
turnover of blocks, in part the queues of a full SM.
"""

WARP_CYCLES = 18
"""SM cycles that each warp adds to the residency of its block.

A block frees its place when its last warp has ended; until then the slots of its other warps
stand empty. So blocks of 1,024 threads stay 0.28 us longer than those of 32. From the H200's
block sweep.
"""

QUEUEING_NORM = 3.0
"""Exponent p of the p-norm that joins latency-bound and bandwidth-bound time.

From V1 (float32) and V3 (float16) at 2^28 elements on an H200, whose blocks stay for 938 and
783 ns with DRAM 79% and 47% busy. Exponents from 2.5 to 3.5 serve as well. Two other kernels,
which only read, give 2.5 (by Little's law, "latency hiding") and 3.8 (a chase beside readers,
"loaded latency").
"""

WRITE_COST = 1.07
"""DRAM time of a byte that is written, over that of a byte that is read, in kernels that mix.

The bus of a DRAM turns round between reads and writes: a kernel that only writes is as fast as
one that only reads, 4,640 GB/s on an H200. Fitted at 2^28 elements to the rows of additions,
casts, relu and scale that `data/held_out.csv` calls "fit". It depends on the kernel: where each
thread has six loads in flight before its stores, it is 1.2 to 1.3 (experiment "read share").
"""

SECTORS_PER_CYCLE = LINE_BYTES // SECTOR_BYTES  # of one SM's L1


# ---- DRAM and its queues ---


@checked
def read_write_cost(shape: LaunchShape) -> float:
    """Return the DRAM time of a kernel's bytes over that of an addition's, which reads 2/3.

    (reads + `WRITE_COST` x writes) / bytes, over the same for an addition: 1.011 for a kernel
    that reads half, 0.977 for one that only reads, or only writes.
    """
    read = shape.loaded_per_element / shape.bytes_per_element or 1.0
    return (read + WRITE_COST * (1 - read)) / ((2 + WRITE_COST) / 3)


@checked
def p_norm(x: Amount, y: Amount) -> float:
    """Join two times that share the memory's queues: (x^p + y^p)^(1/p), p = `QUEUEING_NORM`.

    Close to the longer time, and 26% above both where they are equal.
    """
    longer, shorter = max(x, y), min(x, y)
    if not longer:
        return 0.0
    return longer * (1 + (shorter / longer) ** QUEUEING_NORM) ** (1 / QUEUEING_NORM)


@checked
def loaded(idle: Amount, utilisation: float) -> float:
    """Return a latency or residency under load: idle / (1 - u^p)^(1/p), p = `QUEUEING_NORM`.

    utilisation: the share u of the bandwidth in use, at least 0 and below 1; ValueError else.
    """
    if not 0 <= utilisation < 1:
        raise ValueError(f"utilisation is {utilisation!r}: give a share, 0 or more and below 1")
    return idle / (1 - utilisation**QUEUEING_NORM) ** (1 / QUEUEING_NORM)


# ---- blocks and waves ---


@checked
@cache
def blocks_per_sm(shape: LaunchShape, gpu: specs.Gpu) -> int:
    """Count the blocks of a launch that an SM holds at once, by its occupancy."""
    return occupancy(gpu.cc, shape.block_size, shape.registers).blocks


@checked
def elements_per_wave(shape: LaunchShape, elements: Count, gpu: specs.Gpu) -> int:
    """Count the elements of the blocks that are resident on the GPU at once.

    A grid-stride launch may have too few blocks to fill it.
    """
    resident = gpu.sm_count * blocks_per_sm(shape, gpu)
    if shape.grid is not None:
        resident = min(resident, shape.blocks(elements))
    return resident * shape.elements_per_block


@checked
def block_issue_us(shape: LaunchShape, elements: Count, waves: Amount, gpu: specs.Gpu) -> float:
    """Return what a block's residency takes besides latency: its warps, and replays in L1.

    Without a known clock 0.
    """
    busy_sms = min(gpu.sm_count, shape.blocks(elements))
    shares = max(1.0, elements / shape.elements_per_block / busy_sms)  # of one SM
    replayed = shares / max(1.0, waves) * shape.replayed_sectors()  # in one wave
    cycles = WARP_CYCLES * shape.warps_per_block + replayed / SECTORS_PER_CYCLE
    return cycles / gpu.boost_MHz if gpu.boost_MHz else 0.0
