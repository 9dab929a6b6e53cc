"""Give the emulated device the facts of a card, for launchers that choose by them.

A plain emulated run has four multiprocessors and the limits of compute capability 9.0
(include/emulator_card.h).
"""

from __future__ import annotations

import ctypes

from helpers import specs

MEMORY_BITS = 512  # no table has a card's bus; with the clock below it gives its bandwidth


class CardFacts(ctypes.Structure):
    """What the CUDA runtime tells of a device: `Card` of include/emulator_card.h."""

    _fields_ = (
        *((name, ctypes.c_int) for name in ("major", "minor")),
        ("multiprocessors", ctypes.c_int),
        ("threads_per_multiprocessor", ctypes.c_int),
        ("blocks_per_multiprocessor", ctypes.c_int),
        ("registers_per_block", ctypes.c_int),
        ("registers_per_multiprocessor", ctypes.c_int),
        ("shared_per_multiprocessor", ctypes.c_int),
        ("shared_per_block", ctypes.c_int),
        ("shared_reserved", ctypes.c_int),
        ("shared_unit", ctypes.c_int),
        ("l2_bytes", ctypes.c_int),
        ("clock_khz", ctypes.c_int),
        ("memory_clock_khz", ctypes.c_int),
        ("memory_bits", ctypes.c_int),
        ("name", ctypes.c_char * 256),
    )


def facts(gpu: specs.Gpu) -> CardFacts:
    """Return what the runtime tells of a card; a clock that no source gives is 0.

    The memory clock is that of `MEMORY_BITS` at two transfers a cycle.
    """
    limits = gpu.capability
    major, minor = (int(part) for part in gpu.cc.split("."))
    bits_per_ms = (gpu.dram_GBps or 0) * 1e9 * 8 / 1e3
    return CardFacts(
        major=major,
        minor=minor,
        multiprocessors=gpu.sm_count,
        threads_per_multiprocessor=limits.max_threads_per_sm,
        blocks_per_multiprocessor=limits.max_blocks_per_sm,
        registers_per_block=limits.max_regs_per_block,
        registers_per_multiprocessor=limits.regs_per_sm,
        shared_per_multiprocessor=limits.smem_per_sm_bytes,
        shared_per_block=limits.smem_per_block_optin_bytes,
        shared_reserved=limits.reserved_smem_per_block_bytes,
        shared_unit=limits.smem_alloc_unit_bytes,
        l2_bytes=gpu.l2_bytes,
        clock_khz=round((gpu.boost_MHz or 0) * 1e3),
        memory_clock_khz=round(bits_per_ms / 2 / MEMORY_BITS),
        memory_bits=MEMORY_BITS,
        name=gpu.name.encode(),
    )
