"""Exercises of lesson 15: Latency hiding: what the other warps are for."""

import math

from helpers.model import littles_law, scheduler
from helpers.specs import WARP_SIZE
from helpers.teach.exercises import technique
from helpers.teach.exercises.marking import Code, Number
from helpers.testing import kernel_cases


def slots_used_by_one_warp() -> float:
    """Return the percentage of an SM's issue slots that a warp alone uses."""
    program = scheduler.Program(loads=3, latency=400, alu=10, iterations=100)
    return 100 * scheduler.simulate(1, program).issue_utilisation


EXERCISES = {
    "15.1": Number(
        statement=(
            "A warp is alone on an SM with four schedulers. It issues three loads "
            "in a row (400 cycles each), then a chain of ten dependent additions (4"
            " cycles each), and repeats that a hundred times. What percentage of "
            "the SM's issue slots does it use? Simulate it, or count."
        ),
        answer=slots_used_by_one_warp,
        unit="% of the issue slots",
        hint="13 instructions in 3 + 400 + 9 x 4 cycles, and four slots in a cycle",
        wrong={
            2.96107: "that is one scheduler's share; an SM has four",
        },
    ),
    "15.2": Code(
        statement="Complete one line of this **pointer chase**: go to the next link.",
        launcher="chase",
        takes=("int32",),
        gives=("int32", "int64"),
        solution="solution_chase",
        reference=lambda links: links,
        hint="next[at] is the link that follows link `at`",
        cases=kernel_cases.pointer_chase,
        as_given="at = 0;  }",
        technique=(),
        wrong={
            ("s < steps", "s < steps - 1"): "WRONG",
            ("next[at]", "next[0]"): "WRONG",
        },
    ),
    "15.3": Number(
        statement=(
            "A card of 100 SMs has 2,000 GB/s and a latency of 400 ns. How many "
            "warps must each SM hold at least, if every thread has two 4-byte loads"
            " in flight?"
        ),
        answer=lambda: math.ceil(
            littles_law.bytes_to_fill(2000, 400) / 100 / (2 * 4 * WARP_SIZE)
        ),
        unit="warps",
        hint=(
            "bytes in flight = bandwidth x latency, GB/s x ns = bytes; divide by the SMs, "
            "then by what a warp asks for"
        ),
        tolerance=0,
        wrong={
            31: "31 warps have too few bytes in flight: round up",
            63: "each thread has two loads in flight",
        },
    ),
    "15.4": Code(
        statement=(
            "Write `kernels/mine/four_in_flight.cu`: `scale(const float* x, float* "
            "out, int64_t n, ...)`, `out = 2 * x`, in which every thread has four "
            "4-byte loads in flight before it stores the first result. Right for "
            "every n."
        ),
        launcher="scale",
        takes=("float32",),
        gives=("float32",),
        solution="solution_four_in_flight",
        reference=lambda x: 2 * x,
        hint=(
            "as in `read_kernel`: an array of four floats, a loop that loads all, then one "
            "that stores; test each index"
        ),
        technique=(
            technique.parallel,
            technique.bytes_per_lane(4, 4),
            technique.loads_before_store(4),
        ),
        wrong={
            ("2 * value[k]", "2 * value[3]"): "WRONG",
        },
    ),
}
