"""Choose inputs for the kernels that measure the memory: residency, read_share and others.

    check.check(jit.load("read_share"), cases=memory_cases.read_share)

Numbers are small and whole, so that every sum is exact. A mode without a store has no result to
compare and no case: it differs from its neighbour by a template argument only.
"""

from __future__ import annotations

from collections.abc import Iterator

import torch

from helpers.model.pointer_chase import random_cycle
from helpers.run.launcher import Launcher
from helpers.specs import WARP_SIZE
from helpers.testing.cases import Case
from helpers.testing.kernel_cases import whole_numbers

SIZES = (1, 31, 33, 256, 1000, 4099)
COUNTS = (4, 8, 1020, 1024, 6144, 6148, 20_000)  # of one tensor; whole packs of 4
MIXES = ((3, 1), (2, 1), (1, 1), (1, 2), (0, 1))  # reads, writes


def residency(launcher: Launcher) -> Iterator[Case]:
    """Copy, or write zeros where nothing is loaded."""
    for n in SIZES:
        for loads in (1, 0):
            for more in ({}, {"block_size": 96}, {"shared_bytes": 1024}):
                x = whole_numbers(n, seed=n)
                expected = x.double() if loads else torch.zeros(n, dtype=torch.float64)
                arguments = {"loads": loads, "stores": 1, **more}
                label = ", ".join(f"{k} = {v:,}" for k, v in {"n": n, **arguments}.items())
                yield Case(label, (x,), (expected,), arguments, dtypes=(x.dtype,))


def loaded_chase(launcher: Launcher) -> Iterator[Case]:
    """End where the chain leads, and read every element of x once meanwhile."""
    for count, steps, n, threads in ((1, 3, 1, 1), (50, 60, 1003, 300), (7, 0, 4096, 77)):
        following = random_cycle(count, 4, seed=count)
        at = 0
        for _ in range(steps):
            at = int(following[at])
        end = torch.tensor([at], dtype=torch.float64)
        x, i = whole_numbers(n, seed=n), torch.arange(n)
        whole = n // 4 * 4
        reader = torch.where(i < whole, i // 4, i - whole) % threads
        sums = torch.zeros(threads, dtype=torch.float64).index_add_(0, reader, x.double())
        yield Case(
            f"count = {count}, steps = {steps}, n = {n:,}, threads = {threads}",
            (torch.from_numpy(following), x),
            (end, end, sums),
            {"steps": steps},
            dtypes=(torch.int32, torch.int64, x.dtype),
            ignored=("cycles",),
        )


def read_share(launcher: Launcher) -> Iterator[Case]:
    """Write the sum of the inputs to each output, for every mix that writes."""
    for reads, writes in MIXES:
        for count in COUNTS:
            x = whole_numbers(max(1, reads) * count, seed=count)
            total = x.view(-1, count).double().sum(0) if reads else torch.zeros(count).double()
            yield Case(
                f"reads = {reads}, writes = {writes}, count = {count:,}",
                (x,),
                (total.repeat(writes),),
                {"reads": reads, "writes": writes},
                dtypes=(x.dtype,),
            )


def narrow_wide(launcher: Launcher) -> Iterator[Case]:
    """Add whole packs of 8 in float16, by each width of loads and stores."""
    for n in (8, 64, 4096, 20_008):
        for loads in (0, 1):
            for stores in (0, 1):
                a, b = (whole_numbers(n, seed=seed).half() for seed in (n, n + 1))
                arguments = {"narrow_loads": loads, "narrow_stores": stores}
                label = ", ".join(f"{k} = {v:,}" for k, v in {"n": n, **arguments}.items())
                total = a.double() + b.double()
                yield Case(label, (a, b), (total,), arguments, dtypes=(a.dtype,))


def strided_copy(launcher: Launcher) -> Iterator[Case]:
    """Copy every stride-th element from a start on."""
    for n in (1, 31, 2048, 2049, 10_007):
        for stride in (1, 2, 7, 8, 33):
            for start in (0, 1, 5):
                x = whole_numbers(start + (n - 1) * stride + 1, seed=n + stride)
                expected = x[start::stride].double()
                arguments = {"stride": stride, "start": start}
                label = ", ".join(f"{k} = {v:,}" for k, v in {"n": n, **arguments}.items())
                yield Case(label, (x,), (expected,), arguments, dtypes=(x.dtype,))


def wide_walk(launcher: Launcher) -> Iterator[Case]:
    """End where the chain of 16-byte reads leads each lane."""
    for stride in (0, 1, 3, 8):
        for n, rounds, block_size in ((1, 0, 256), (70, 45, 64), (999, 300, 96)):
            lane = torch.arange(n) % block_size % WARP_SIZE
            end = (lane * stride + rounds) % 256
            arguments = {"stride": stride, "rounds": rounds, "block_size": block_size}
            label = ", ".join(f"{k} = {v:,}" for k, v in {"n": n, **arguments}.items())
            yield Case(label, (), (end.double(),), arguments, dtypes=(torch.int32,))


def tile_copy(launcher: Launcher) -> Iterator[Case]:
    """Copy matrices of odd sides, tile after tile across and down."""
    for down in (0, 1):
        for rows, cols in ((1, 1), (32, 32), (33, 31), (1, 100), (100, 1), (65, 97), (7, 130)):
            x = whole_numbers(rows, cols, seed=rows)
            label = f"rows = {rows}, cols = {cols}, down = {down}"
            yield Case(label, (x,), (x.double(),), {"down": down}, dtypes=(x.dtype,))


def piece_copy(launcher: Launcher) -> Iterator[Case]:
    """Copy matrices of odd sides in pieces of each width, with a barrier and without."""
    for width in (32, 64, 128, 256, 512, 1024):
        for barrier in (0, 1):
            for rows, cols in ((1, 1), (33, 31), (5, 1030), (64, 257)):
                x = whole_numbers(rows, cols, seed=rows)
                label = f"rows = {rows}, cols = {cols}, width = {width}, barrier = {barrier}"
                arguments = {"width": width, "barrier": barrier}
                yield Case(label, (x,), (x.double(),), arguments, dtypes=(x.dtype,))


def fewer_blocks(launcher: Launcher) -> Iterator[Case]:
    """Multiply matrices by one block, by some, and by more than there are squares."""
    for m, n, k in ((1, 1, 1), (33, 17, 40), (70, 150, 20)):
        for blocks in (1, 7, 1000):
            a, b = whole_numbers(m, k, seed=1), whole_numbers(k, n, seed=2)
            label = f"m = {m}, n = {n}, k = {k}, blocks = {blocks}"
            exact = a.double() @ b.double()
            yield Case(label, (a, b), (exact,), {"blocks": blocks}, dtypes=(a.dtype,))
