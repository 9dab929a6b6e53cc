"""Compile what settings to come need, in worker processes, while one setting is measured.

PyTorch's compiler and Triton keep what they compile and tune in folders that all processes
share, so the process that measures finds it there. Their tuning runs on the same GPU: whoever
times, a worker or the measurement, holds the GPU's turn.
"""

from __future__ import annotations

import contextlib
import functools
import multiprocessing
import os
import time
from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

from helpers.model.arguments import Count, checked

Setting = TypeVar("Setting")

PROCESSES = multiprocessing.get_context("spawn")  # a fork would inherit a CUDA context
NICENESS = 10  # of workers, so that the host of a measurement is not late
PATIENCE_S = 120.0  # for one setting; then the rest is compiled where it is measured
TURN_S = 30.0  # longest wait for the GPU's turn: its holder may have been killed
_turn = None  # the GPU's, of this process and of its workers; None: nobody else uses the GPU


@contextlib.contextmanager
def turn() -> Iterator[None]:
    """Hold the GPU's turn, so that no worker or measurement times beside this one."""
    taken = _turn is not None and _turn.acquire(timeout=TURN_S)
    try:
        yield
    finally:
        if taken:
            _turn.release()


def in_turn(bench: Callable) -> Callable:
    """Return a function that runs `bench` while it holds the GPU's turn."""

    @functools.wraps(bench)
    def alone(*args, **kwargs):
        with turn():
            return bench(*args, **kwargs)

    return alone


def share(gpu: object) -> None:
    """Take part in the turns of a GPU: Inductor times its configurations only in turn."""
    global _turn
    _turn = gpu
    with contextlib.suppress(ImportError):  # no torch.compile here
        from torch._inductor.runtime import triton_heuristics

        tuner = triton_heuristics.CachingAutotuner
        if not hasattr(tuner.bench, "__wrapped__"):
            tuner.bench = in_turn(tuner.bench)


def _start_worker(gpu: object) -> None:
    os.nice(NICENESS)
    share(gpu)


@checked
def workers(gpus: Count) -> int:
    """Return how many workers each of `gpus` GPUs gets: the cores, less one to measure."""
    return max(1, (os.cpu_count() or 1) // gpus - 1)


@contextlib.contextmanager
def compiled(
    settings: Sequence[Setting],
    prepare: Callable[[Setting], Setting] | None,
    count: int,
    until: float,
    now: Callable[[], float] = time.time,
) -> Iterator[Iterator[Setting]]:
    """Give the settings in the order in which `count` workers have prepared them.

    prepare: a function of a module, which returns its setting; None: nothing is prepared.
    until: the clock's time at which nobody waits any longer.
    """
    if prepare is None or not settings:
        yield iter(settings)
        return
    gpu = PROCESSES.Lock()
    share(gpu)
    with PROCESSES.Pool(count, _start_worker, (gpu,)) as pool:  # is terminated behind this
        yield _in_time(pool.imap_unordered(prepare, settings), settings, until, now)


def _in_time(
    ready: object, settings: Sequence[Setting], until: float, now: Callable[[], float]
) -> Iterator[Setting]:
    left, stuck = list(settings), False
    while left and not stuck:
        try:
            one = ready.next(timeout=max(0.0, min(PATIENCE_S, until - now())))
        except (multiprocessing.TimeoutError, StopIteration):
            stuck = True
        except Exception as error:  # of one setting, such as too little memory
            print(f"not prepared: {type(error).__name__}: {str(error)[:200]}", flush=True)
        else:
            left.remove(one)
            yield one
    if left and now() < until:
        print(f"{len(left)} settings are compiled where they are measured", flush=True)
    yield from left
