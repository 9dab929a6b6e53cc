"""Measure bank conflicts: transposes with and without padding, and strided reads."""

from __future__ import annotations

from functools import partial

import torch

from helpers import specs
from helpers.measure import bench
from helpers.measure.experiments.registry import PRECISION, checked, experiment
from helpers.measure.measurement import Measurement
from helpers.run.kernel import Kernel
from helpers.testing import kernel_cases

TRANSPOSE_SIDE = 8192
WALK_STRIDES = (0, 1, 2, 3, 4, 6, 8, 12, 16, 24, 32)
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
    here = bench.require_gpu()
    threads = specs.compute_capability(here.cc).max_threads_per_sm * here.sm_count
    threads = threads // WALK_BLOCK_SIZE * WALK_BLOCK_SIZE
    out = torch.empty(threads, dtype=torch.int32, device=here.device)
    return [
        bench.measure_calls(
            [partial(kernel.strided_walk, out, stride=stride, rounds=WALK_ROUNDS)],
            kernel="strided_walk",
            elements=threads,
            dtype="int32",
            bytes_moved=4 * WALK_ROUNDS * threads,
            block_size=WALK_BLOCK_SIZE,
            precision=PRECISION,
            parameter=stride,
        )
        for stride in WALK_STRIDES
    ]
