"""Exercises of lesson 14: Four ways out, and a sum."""

from collections.abc import Iterator

import torch

from helpers.model import warps
from helpers.run.launcher import Launcher
from helpers.teach.exercises import technique
from helpers.teach.exercises.marking import Choice, Code, Number
from helpers.testing import kernel_cases
from helpers.testing.cases import Case
from helpers.testing.past_2_31 import Huge


def largest(x: torch.Tensor) -> torch.Tensor:
    """Return the largest element; a NaN does not count, as fmaxf has it."""
    return x[~x.isnan()].max()


def maximum_cases(launcher: Launcher) -> Iterator[Case | Huge]:
    """Yield the cases of a maximum, some with NaNs among the numbers."""
    yield from kernel_cases.whole_array(largest)(launcher)
    for n, places in ((2, [0]), (33, [32]), (1000, [0, 500, 999]), (4099, range(0, 4099, 2))):
        x = kernel_cases.whole_numbers(n, seed=n) - 100
        x[list(places)] = float("nan")
        label = f"n = {n:,}, {len(places)} of them NaN"
        yield Case(label, (x,), (largest(x.double()).reshape(1),), dtypes=(x.dtype,))


EXERCISES = {
    "14.1": Number(
        statement=(
            "How many rounds of shuffles, one after the other, does the sum of a "
            "block of 1,024 threads need by `block_sum`?"
        ),
        answer=lambda: 2 * len(warps.round_offsets()),
        unit="rounds",
        hint=(
            "1,024 threads are 32 warps: five rounds in each warp, and then the sums of 32 "
            "warps"
        ),
        tolerance=0,
        wrong={
            5: "that is one warp's sum: the sums of the 32 warps have to be added, too",
        },
    ),
    "14.2": Number(
        statement=(
            "How many times fewer atomics does `sum_atomic` (1,056 blocks) make "
            "than `sum_atomic_each`, for 2^28 elements?"
        ),
        answer=lambda: (1 << 28) / 1056,
        unit="times",
        hint="one atomic an element against one a block",
        wrong={
            1056: "that is the number of atomics that are left; how many times fewer is it?",
        },
    ),
    "14.3": Choice(
        statement=(
            "A training run must give the same loss, bit for bit, whenever it is "
            "repeated. Which of `sum_atomic_each`, `sum_atomic`, `sum_two_pass` may"
            " it use?"
        ),
        choices=("sum_atomic_each", "sum_atomic", "sum_two_pass"),
        answer=lambda: "sum_two_pass",
        hint="in which of them does the order of the additions not depend on who comes first?",
        wrong={
            "sum_atomic": "its atomics, one a block, add in the order in which the blocks come",
        },
    ),
    "14.4": Code(
        statement=(
            "Write the maximum of an array: `kernels/mine/maximum.cu` with `maximum(const"
            " float* x, float* out, int64_t n, ...)`, where `out` has shape `[1]`; a NaN "
            "does not count, as `fmaxf` has it. One block of 256 threads is enough here; "
            "shuffles in each warp, shared memory between them. Load it into `answer`."
        ),
        launcher="maximum",
        takes=("float32",),
        gives=("float32",),
        solution="maximum",
        reference=largest,
        hint=(
            "start from -INFINITY; one block whose threads loop over the array; five "
            "shuffles with fmaxf, the warps' maxima through shared memory, five more"
        ),
        cases=maximum_cases,
        technique=(technique.parallel, technique.shuffles, technique.shared_memory),
        wrong={
            ("float largest = -INFINITY", "float largest = 0.0f"): "WRONG",
        },
    ),
}
