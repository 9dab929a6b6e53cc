"""Check the course's fastest kernels, also where each launch depends on the one before."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import torch

from helpers.errors import CheckError
from helpers.measure.libraries.candidates import kernel
from helpers.measure.libraries.operations import ADDS, same_bits
from helpers.run import machine
from helpers.testing import check

RULE, PACKS, BULK = 0, 1, 2  # values of the launchers' argument `path`
CHAIN_SIZES = (1 << 10, (1 << 20) + 5, 1 << 22)


def chain_is_right(
    launcher: Callable[..., None], dtype: torch.dtype, elements: int, links: int = 24
) -> bool:
    """Tell whether an add is right in a chain of dependent launches.

    Each launch reads what the one before has written, and overwrites what that one read, on a
    stream and, on a GPU, in a CUDA graph. A launch that starts too early gives wrong sums.
    """
    here = machine.present()
    step, start = (torch.randn(elements).to(dtype).to(here.device) for _ in range(2))
    buffers = [start.clone(), *(torch.empty_like(start) for _ in range(2))]
    want = [start.clone(), None, None]
    for i in range(links):
        want[(i + 1) % 3] = want[i % 3] + step

    def chain() -> None:
        for i in range(links):
            launcher(buffers[i % 3], step, buffers[(i + 1) % 3])

    chain()
    right = all(map(same_bits, buffers, want))
    if here.is_gpu:
        buffers[0].copy_(start)
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            chain()
        for _ in range(3):
            buffers[0].copy_(start)
            graph.replay()
            right &= all(map(same_bits, buffers, want))
    return right


def check_course() -> None:
    """Check every kernel of the course that is compared, on each of its paths.

    Raises CheckError.
    """
    for name, reference in (("add", lambda a, b: a + b), ("cast", lambda x: x)):
        check.check(kernel(f"op_{name}"), reference)
        for path in (RULE, PACKS, BULK):
            check.check(kernel(f"fast_{name}"), reference, path=path)
    for operation in ADDS:
        launcher = getattr(kernel("fast_add"), operation.launcher)
        for path in (PACKS, BULK):
            chained = partial(launcher, path=path, programmatic=1)
            for elements in CHAIN_SIZES:
                if not chain_is_right(chained, operation.dtype, elements):
                    raise CheckError(
                        f"fast_add, path {path}: dependent launches of {elements:,} "
                        f"{operation} are wrong"
                    )
