"""Measure bank conflicts, and what else holds a transpose.

bank conflicts        transposes with and without padding, and strided 4-byte reads
wide bank conflicts   strided 16-byte reads
tile order            a transpose beside copies in tiles, across and down
piece size            copies in tiles of several widths, with a barrier and without
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import torch

from helpers import specs
from helpers.measure import bench
from helpers.measure.experiments.registry import PRECISION, checked, experiment
from helpers.measure.measurement import Measurement
from helpers.run.kernel import Kernel
from helpers.run.launcher import Launcher
from helpers.testing import kernel_cases, memory_cases

TRANSPOSE_SIDE = 8192
WALK_STRIDES = (0, 1, 2, 3, 4, 6, 8, 12, 16, 24, 32)
WIDE_STRIDES = (0, 1, 2, 3, 4, 5, 6, 7, 8)  # of 16 bytes
TILE_SIDES = (8192, 8224)  # a high power of two, and 32 more
PIECE_COLUMNS = (32, 64, 128, 256, 1024)  # 128 bytes to 4 KiB
WALK_ROUNDS = 1000  # dependent reads a thread
WALK_BLOCK_SIZE = 256


@experiment("bank conflicts")
def measure_bank_conflicts() -> list[Measurement]:
    """Measure transposes of 8192 x 8192 float32, and reads of shared memory at a stride.

    The reads ("strided_walk") have the stride in `parameter`. They run with as many warps as an
    SM holds (64, or fewer), each making 1,000 dependent reads.
    """
    kernel = checked("bank_conflicts", kernel_cases.bank_conflicts)
    return _measure_transposes(kernel) + _measure_walks(kernel)


def _measure_transposes(kernel: Kernel) -> list[Measurement]:
    x = torch.randn(TRANSPOSE_SIDE, TRANSPOSE_SIDE, device=bench.require_gpu().device)
    out = torch.empty_like(x)
    calls = [
        ("transpose", partial(kernel.transpose, x, out), {"padding": 0}),
        ("transpose", partial(kernel.transpose, x, out), {"padding": 1}),
        ("torch transpose", lambda: out.copy_(x.T), {}),
    ]
    return [
        bench.measure_calls(
            [partial(call, **dials)],
            kernel=name,
            elements=x.numel(),
            dtype="float32",
            bytes_moved=2 * x.nbytes,
            dials=dials,
        )
        for name, call, dials in calls
    ]


def _measure_walks(kernel: Kernel) -> list[Measurement]:
    return _walks(kernel.strided_walk, WALK_STRIDES, 4)


@experiment("wide bank conflicts")
def measure_wide_bank_conflicts() -> list[Measurement]:
    """Measure kernels/wide_walk.cu as the strided walks: `parameter` is the stride in packs."""
    kernel = checked("wide_walk", memory_cases.wide_walk)
    return _walks(kernel.wide_walk, WIDE_STRIDES, 16)


def _walks(launcher: Launcher, strides: Sequence[int], width: int) -> list[Measurement]:
    """Time chains of reads of `width` bytes by as many threads as the GPU holds."""
    here = bench.require_gpu()
    threads = specs.compute_capability(here.cc).max_threads_per_sm * here.sm_count
    threads = threads // WALK_BLOCK_SIZE * WALK_BLOCK_SIZE
    out = torch.empty(threads, dtype=torch.int32, device=here.device)
    return [
        bench.measure_calls(
            [partial(launcher, out, stride=stride, rounds=WALK_ROUNDS)],
            kernel=launcher.declaration.name,
            elements=threads,
            dtype="int32",
            bytes_moved=width * WALK_ROUNDS * threads,
            block_size=WALK_BLOCK_SIZE,
            precision=PRECISION,
            parameter=stride,
        )
        for stride in strides
    ]


@experiment("tile order")
def measure_tile_order(sides: Sequence[int] = TILE_SIDES) -> list[Measurement]:
    """Measure the padded transpose, copies in tiles, and copy_; `parameter` is the side."""
    transpose = checked("bank_conflicts", kernel_cases.bank_conflicts).transpose
    tiles = checked("tile_copy", memory_cases.tile_copy).tile_copy
    results = []
    for side in sides:
        x = torch.randn(side, side, device=bench.require_gpu().device)
        out = torch.empty_like(x)
        calls = {
            "transpose padded": partial(transpose, x, out, padding=1),
            "tiles across": partial(tiles, x, out, down=0),
            "tiles down": partial(tiles, x, out, down=1),
            "copy": partial(out.copy_, x),
        }
        results += [
            bench.measure_calls(
                [call],
                kernel=name,
                elements=x.numel(),
                dtype="float32",
                bytes_moved=2 * x.nbytes,
                precision=PRECISION,
                parameter=side,
            )
            for name, call in calls.items()
        ]
    return results


@experiment("piece size")
def measure_piece_size(
    side: int = TRANSPOSE_SIDE, columns: Sequence[int] = PIECE_COLUMNS
) -> list[Measurement]:
    """Measure kernels/piece_copy.cu; `parameter` is the bytes of a piece."""
    pieces = checked("piece_copy", memory_cases.piece_copy).piece_copy
    x = torch.randn(side, side, device=bench.require_gpu().device)
    out = torch.empty_like(x)
    return [
        bench.measure_calls(
            [partial(pieces, x, out, width=width, barrier=barrier)],
            kernel=f"pieces, {'a' if barrier else 'no'} barrier",
            elements=x.numel(),
            dtype="float32",
            bytes_moved=2 * x.nbytes,
            block_size=256,
            precision=PRECISION,
            parameter=4 * width,
        )
        for barrier in (0, 1)
        for width in columns
    ]
