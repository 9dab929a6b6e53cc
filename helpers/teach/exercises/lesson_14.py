"""Exercises of lesson 14: Four ways out, and a sum."""

from collections.abc import Callable, Iterator

import torch

from helpers.model import warps
from helpers.run.launcher import Launcher
from helpers.teach.exercises import technique
from helpers.teach.exercises.marking import Choice, Code, Number
from helpers.testing import kernel_cases
from helpers.testing.cases import Case
from helpers.testing.past_2_31 import Huge

RACE = "a race"  # words of the diagnosis


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


def sums_of(group: int) -> Callable[[Launcher], Iterator[Case]]:
    """Return cases of the sums of `group` neighbours: x [n] -> sums [count], zeros beyond n."""

    def cases(launcher: Launcher) -> Iterator[Case]:
        for n in (1, 31, 33, 256, 257, 1000, 4099):
            for more in (0, 2):
                count = -(-n // group) + more
                x = kernel_cases.whole_numbers(n, seed=n + more)
                padded = torch.zeros(count * group, dtype=torch.float64)
                padded[:n] = x
                expected = padded.reshape(count, group).sum(dim=1)
                label = f"n = {n:,}, {count} sum{'s' * (count > 1)}"
                yield Case(label, (x,), (expected,), dtypes=(x.dtype,))

    return cases


EXERCISES = {
    "14.1": Code(
        statement="Complete one line: each warp writes the sum of its 32 elements.",
        launcher="warp_sums",
        takes=("float32",),
        gives=("float32",),
        solution="solution_warp_sums",
        reference=lambda x: x,
        hint="add what the lane `offset` further up holds: __shfl_down_sync",
        cases=sums_of(32),
        as_given="value += 0;",
        technique=(technique.parallel, technique.shuffles, technique.no_shared_memory),
        wrong={
            ("value, offset)", "value, 1)"): "WRONG",
            ("offset = 16", "offset = 8"): "WRONG",
        },
    ),
    "14.2": Code(
        statement="Mend it.",
        launcher="block_sums",
        takes=("float32",),
        gives=("float32",),
        solution="solution_block_sums",
        reference=lambda x: x,
        hint="all warps must have written before warp 0 reads: a barrier between the two",
        cases=sums_of(256),
        as_given="threadIdx.x / 32] = sum;\n    if (threadIdx.x < 32) {",
        technique=(technique.parallel, technique.shuffles, technique.ordered),
        wrong={
            ("    __syncthreads();\n", ""): RACE,
            ("    __syncthreads();\n", "    __syncwarp();\n"): RACE,
            ("threadIdx.x < 8 ?", "threadIdx.x < 7 ?"): "WRONG",
        },
    ),
    "14.3": Number(
        statement=(
            "How many rounds of shuffles, one after the other, does the sum of a "
            "block of 1,024 threads need in this way?"
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
        solution="solution_maximum",
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
    "14.5": Choice(
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
}
