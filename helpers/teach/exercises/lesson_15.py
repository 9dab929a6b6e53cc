"""Exercises of lesson 15: Latency hiding: what the other warps are for."""

import math

from helpers.model import littles_law, scheduler
from helpers.specs import WARP_SIZE
from helpers.teach.exercises.marking import Choice, Code, Number


def slots_used_by_one_warp() -> float:
    """Return the percentage of an SM's issue slots that a warp alone uses."""
    program = scheduler.Program(loads=3, latency=400, alu=10, iterations=100)
    return 100 * scheduler.simulate(1, program).issue_utilisation


EXERCISES = {
    "15.1": Number(
        answer=lambda: math.ceil(
            littles_law.bytes_to_fill(2000, 400) / 100 / (2 * 4 * WARP_SIZE)
        ),
        unit="warps",
        hint=(
            "bytes in flight = bandwidth x latency, GB/s x ns = bytes; divide by the SMs, "
            "then by what a warp asks for"
        ),
        tolerance=0,
    ),
    "15.2": Number(
        answer=slots_used_by_one_warp,
        unit="% of the issue slots",
        hint="13 instructions in 3 + 400 + 9 x 4 cycles, and four slots in a cycle",
    ),
    "15.3": Choice(
        answer=lambda: "equal",
        hint="multiply: how many bytes does each have in flight?",
    ),
    "15.4": Code(
        reference=lambda x: 2 * x,
        hint=(
            "as in `read_kernel`: an array of four floats, a loop that loads all, then one "
            "that stores; test each index"
        ),
    ),
}
