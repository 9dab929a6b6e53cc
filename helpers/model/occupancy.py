"""Compute how many blocks fit on one multiprocessor (SM), and which resource runs out first.

No torch and no GPU needed. The rules are those of NVIDIA's `cuda_occupancy.h` (CUDA 13.0), and
`tests/model/test_occupancy.py` compares every result with that header where a CUDA toolkit has
it:

* warps          a block takes ceil(threads / 32) of the SM's warp slots;
* registers      a warp takes 32 x registers, rounded up to units of 256, from *one* of the SM's
                 four sub-partitions (16,384 registers each): never one pool of 65,536;
* shared memory  a block takes its bytes plus the driver's reserve (1 KB from compute capability
                 8.0 on), rounded up to units of 128 bytes (256 on 7.5);
* block slots    an SM holds 16 to 32 blocks, however small they are.

Shared memory and L1 cache divide one memory between them (the carve-out). As in the header with
its default settings, all of `smem_per_sm_bytes` counts as available: the driver chooses the
split at launch, and a kernel that asks for a larger L1
(`cudaFuncAttributePreferredSharedMemoryCarveout`) can fit fewer blocks. Named barriers, which
the header counts as well, never limit kernels that use only `__syncthreads`.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from operator import index

from helpers.model.arguments import Count, Whole, checked
from helpers.specs import WARP_SIZE, ComputeCapability, compute_capability

WARPS = "warps"
REGISTERS = "registers"
SHARED_MEMORY = "shared memory"
BLOCK_SLOTS = "block slots"

Capability = str | tuple[int, int] | ComputeCapability  # "9.0", (9, 0), or the limits
BLOCK_SIZES = tuple(range(1, 1025))  # every block size that any GPU accepts


@dataclass(frozen=True)
class Occupancy:
    """The blocks of a kernel that one SM holds at a time, and the resources that limit them."""

    cc: str
    block_size: int  # threads in a block
    registers: int  # per thread, as the compiler reports them
    shared_bytes: int  # per block, static and dynamic together
    blocks: int  # resident on one SM
    warps: int
    threads: int
    max_warps: int
    limits: dict[str, float] = field(hash=False)  # blocks by resource alone; inf if unused
    binding: tuple[str, ...]  # the resources that allow no more than `blocks`

    @property
    def fraction(self) -> float:
        """Occupancy: resident warps over the SM's warp slots, 0 to 1."""
        return self.warps / self.max_warps

    def __str__(self) -> str:
        blocks = "1 block" if self.blocks == 1 else f"{self.blocks} blocks"
        return (
            f"{blocks} = {self.warps} of {self.max_warps} warps ="
            f" {self.fraction:.1%}, limited by {' and '.join(self.binding)}"
        )


@checked
def occupancy(
    cc: Capability,
    block_size: int,
    registers: int,
    shared_bytes: int = 0,
    *,
    opt_in: bool = True,
) -> Occupancy:
    """Compute how many blocks of a kernel one SM holds.

    cc: a compute capability, "9.0", (9, 0), or its limits.
    registers, shared_bytes: of one thread; of one block, static plus dynamic.
    opt_in: the host has raised the kernel's limit by `cudaFuncSetAttribute`, which more than 48
        KB of shared memory needs.

    Raises ValueError, which names the limit, for a launch that is impossible; KeyError for an
    unknown `cc`; TypeError for fractions.
    """
    sm = _limits_of(cc)
    block_size, registers, shared_bytes = map(index, (block_size, registers, shared_bytes))
    _check_launch(sm, block_size, registers, shared_bytes, opt_in)

    warps = warps_per_block(block_size)
    shared = shared_per_block(sm, shared_bytes)
    limits = {
        WARPS: sm.max_warps_per_sm // warps,
        REGISTERS: _warps_by_registers(sm, registers) // warps,
        SHARED_MEMORY: sm.smem_per_sm_bytes // shared if shared else math.inf,
        BLOCK_SLOTS: sm.max_blocks_per_sm,
    }
    blocks = min(limits.values())
    return Occupancy(
        cc=sm.cc,
        block_size=block_size,
        registers=registers,
        shared_bytes=shared_bytes,
        blocks=blocks,
        warps=blocks * warps,
        threads=blocks * block_size,
        max_warps=sm.max_warps_per_sm,
        limits=limits,
        binding=tuple(name for name, limit in limits.items() if limit == blocks),
    )


@checked
def warps_per_block(block_size: Count) -> int:
    """Count the warps of a block: a last warp with one thread still takes a whole slot."""
    return -(-block_size // WARP_SIZE)


@checked
def registers_per_warp(cc: Capability, registers: Count) -> int:
    """Count the registers set aside for a warp: 32 x those of a thread, in units of 256."""
    sm = _limits_of(cc)
    return _round_up(registers * sm.warp_size, sm.reg_alloc_unit)


@checked
def shared_per_block(cc: Capability, shared_bytes: Whole) -> int:
    """Count the shared bytes set aside for a block: its own and the reserve, in units."""
    sm = _limits_of(cc)
    return _round_up(shared_bytes + sm.reserved_smem_per_block_bytes, sm.smem_alloc_unit_bytes)


@checked
def max_registers_for(cc: Capability, block_size: int, blocks_per_sm: int) -> int:
    """Return the most registers a thread may use so that `blocks_per_sm` blocks fit.

    This is the cap that `__launch_bounds__(block_size, blocks_per_sm)` puts on the compiler.
    Raises ValueError where no register count makes that many blocks fit (the compiler then
    warns and ignores the second number).
    """
    sm = _limits_of(cc)
    _check_launch(sm, block_size, 1, 0, True)
    fit = occupancy(sm, block_size, 1)
    if not 1 <= blocks_per_sm <= fit.blocks:
        raise ValueError(
            f"{blocks_per_sm} blocks of {block_size} threads never fit on an SM of compute"
            f" capability {sm.cc}: it holds 1 to {fit.blocks}"
            f" (limited by {' and '.join(fit.binding)})"
        )
    warps = _round_up(
        blocks_per_sm * warps_per_block(block_size), sm.sm_subpartitions_schedulers
    )
    per_warp = sm.regs_per_subpartition // (warps // sm.sm_subpartitions_schedulers)
    per_warp -= per_warp % sm.reg_alloc_unit
    return min(per_warp // sm.warp_size, sm.max_regs_per_thread)


# ---- which rounding costs the warps? ---------------------------------------------------------


@dataclass(frozen=True)
class RoundingStep:
    """The warps on an SM after one more of the hardware's rules has been applied."""

    rule: str
    warps: int
    fraction: float


@checked
def rounding_steps(
    cc: Capability, block_size: int, registers: int, shared_bytes: int = 0
) -> list[RoundingStep]:
    """List the occupancy from "65,536 registers / a warp's" to the true one, rule by rule.

    Raises ValueError as `occupancy` does.
    """
    sm = _limits_of(cc)
    result = occupancy(sm, block_size, registers, shared_bytes)
    per_block = warps_per_block(block_size)
    partitioned = min(_warps_by_registers(sm, registers), sm.max_warps_per_sm)
    steps = [
        ("registers as one pool", sm.regs_per_sm // (registers * sm.warp_size)),
        (
            f"registers in units of {sm.reg_alloc_unit}",
            sm.regs_per_sm // registers_per_warp(sm, registers),
        ),
        (f"{sm.sm_subpartitions_schedulers} sub-partitions", partitioned),
        ("whole blocks", partitioned // per_block * per_block),
        ("shared memory and block slots", result.warps),
    ]
    capped = [(rule, min(warps, sm.max_warps_per_sm)) for rule, warps in steps]
    return [RoundingStep(rule, warps, warps / sm.max_warps_per_sm) for rule, warps in capped]


# ---- which block size? -----------------------------------------------------------------------
# Four filters, each from a capability and candidates to the candidates that survive.


@checked
def occupancy_floor(cc: Capability) -> int:
    """Return the smallest block, in threads, with which the block slots allow a full SM."""
    sm = _limits_of(cc)
    return -(-sm.max_threads_per_sm // sm.max_blocks_per_sm)


@checked
def warp_aligned(cc: Capability, block_sizes: Iterable[int]) -> list[int]:
    """Keep multiples of the warp size: no warp has lanes without a thread (filter A)."""
    sm = _limits_of(cc)
    return [size for size in block_sizes if size % sm.warp_size == 0]


@checked
def above_floor(cc: Capability, block_sizes: Iterable[int]) -> list[int]:
    """Keep sizes of at least `occupancy_floor(cc)` threads (filter B)."""
    floor = occupancy_floor(cc)
    return [size for size in block_sizes if size >= floor]


@checked
def divides_sm(cc: Capability, block_sizes: Iterable[int]) -> list[int]:
    """Keep divisors of the SM's thread limit: whole blocks then leave no rest (filter C)."""
    sm = _limits_of(cc)
    return [size for size in block_sizes if sm.max_threads_per_sm % size == 0]


@checked
def fits_registers(cc: Capability, block_sizes: Iterable[int], registers: int) -> list[int]:
    """Keep blocks whose registers fit into the register file, as a launch needs (filter D).

    Raises ValueError for a register count that no kernel can have.
    """
    sm = _limits_of(cc)
    _check_registers(sm, registers)
    return [
        size
        for size in block_sizes
        if _registers_needed(sm, size, registers) <= sm.max_regs_per_block
    ]


@dataclass(frozen=True)
class FunnelRow:
    """One filter of the block-size funnel, and the sizes that pass it."""

    cc: str
    filter: str
    rule: str
    survivors: tuple[int, ...]


@checked
def block_size_funnel(cc: Capability, registers: int) -> list[FunnelRow]:
    """Apply the four filters one after another; each row holds the sizes left after it."""
    sm = _limits_of(cc)
    steps = [
        ("warp alignment", f"multiple of {sm.warp_size}", warp_aligned),
        ("occupancy floor", f"at least {occupancy_floor(sm)} threads", above_floor),
        ("whole blocks", f"divides {sm.max_threads_per_sm}", divides_sm),
        (
            "register pressure",
            f"{registers} registers a thread fit into {sm.max_regs_per_block}",
            lambda sm, sizes: fits_registers(sm, sizes, registers),
        ),
    ]
    rows, survivors = [], list(BLOCK_SIZES)
    for name, rule, keep in steps:
        survivors = keep(sm, survivors)
        rows.append(FunnelRow(sm.cc, name, rule, tuple(survivors)))
    return rows


# ---- curves ----------------------------------------------------------------------------------
# (x, occupancy fraction): two lists of equal length; 0.0 where the launch is impossible.


@checked
def occupancy_by_block_size(
    cc: Capability,
    registers: int,
    shared_bytes: int = 0,
    block_sizes: Iterable[int] = range(WARP_SIZE, 1025, WARP_SIZE),
) -> tuple[list[int], list[float]]:
    """Compute occupancy against threads per block."""
    sm, sizes = _limits_of(cc), list(block_sizes)
    return sizes, [_fraction(sm, size, registers, shared_bytes) for size in sizes]


@checked
def occupancy_by_registers(
    cc: Capability, block_size: int, shared_bytes: int = 0
) -> tuple[list[int], list[float]]:
    """Compute occupancy against registers per thread."""
    sm, counts = _limits_of(cc), list(range(1, 256))
    return counts, [_fraction(sm, block_size, count, shared_bytes) for count in counts]


@checked
def occupancy_by_shared_bytes(
    cc: Capability, block_size: int, registers: int
) -> tuple[list[int], list[float]]:
    """Compute occupancy against shared bytes per block, every KB that fits."""
    sm = _limits_of(cc)
    amounts = list(range(0, sm.smem_per_block_optin_bytes + 1, 1024))
    return amounts, [_fraction(sm, block_size, registers, amount) for amount in amounts]


def _fraction(
    sm: ComputeCapability, block_size: int, registers: int, shared_bytes: int
) -> float:
    try:
        return occupancy(sm, block_size, registers, shared_bytes).fraction
    except ValueError:
        return 0.0


# ---- the rules -------------------------------------------------------------------------------


def _limits_of(cc: Capability) -> ComputeCapability:
    return cc if isinstance(cc, ComputeCapability) else compute_capability(cc)


def _round_up(value: int, unit: int) -> int:
    return -(-value // unit) * unit


def _warps_by_registers(sm: ComputeCapability, registers: int) -> int:
    """Count the warps that the sub-partitions' register files hold, whole warps in each."""
    return (
        sm.regs_per_subpartition
        // registers_per_warp(sm, registers)
        * sm.sm_subpartitions_schedulers
    )


def _registers_needed(sm: ComputeCapability, block_size: int, registers: int) -> int:
    """Count a block's registers as a launch does: the same warps in every sub-partition."""
    warps = _round_up(warps_per_block(block_size), sm.sm_subpartitions_schedulers)
    return warps * registers_per_warp(sm, registers)


def _check_registers(sm: ComputeCapability, registers: int) -> None:
    if not 1 <= registers <= sm.max_regs_per_thread:
        raise ValueError(
            f"{registers} registers a thread: a thread has 1 to {sm.max_regs_per_thread}"
        )


def _check_launch(
    sm: ComputeCapability, block_size: int, registers: int, shared_bytes: int, opt_in: bool
) -> None:
    """Raise ValueError for a launch that the hardware refuses."""
    if not 1 <= block_size <= sm.max_threads_per_block:
        raise ValueError(
            f"{block_size} threads a block: a block has 1 to {sm.max_threads_per_block}"
        )
    _check_registers(sm, registers)
    needed = _registers_needed(sm, block_size, registers)
    if needed > sm.max_regs_per_block:
        raise ValueError(
            f"{block_size} threads x {registers} registers need {needed} registers as the"
            f" hardware counts them (whole warps in units of {sm.reg_alloc_unit}, the same in"
            f" all {sm.sm_subpartitions_schedulers} sub-partitions);"
            f" a block has {sm.max_regs_per_block}"
        )
    most = sm.smem_per_block_optin_bytes if opt_in else sm.smem_per_block_default_bytes
    if not 0 <= shared_bytes <= most:
        raise ValueError(
            f"{shared_bytes} bytes of shared memory a block: compute capability {sm.cc} allows"
            f" 0 to {most}{'' if opt_in else ' until cudaFuncSetAttribute raises the limit'}"
        )
