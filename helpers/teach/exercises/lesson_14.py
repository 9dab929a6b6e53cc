"""Exercises of lesson 14: Four ways out, and a sum."""

import torch

from helpers.model import warps
from helpers.teach.exercises.marking import Choice, Code, Number
from helpers.testing import kernel_cases

EXERCISES = {
    "14.1": Number(
        answer=lambda: 2 * len(warps.round_offsets()),
        unit="rounds",
        hint=(
            "1,024 threads are 32 warps: five rounds in each warp, and then the sums of 32 "
            "warps"
        ),
        tolerance=0,
    ),
    "14.2": Number(
        answer=lambda: (1 << 28) / 1056,
        unit="times",
        hint="one atomic an element against one a block",
    ),
    "14.3": Choice(
        answer=lambda: "sum_two_pass",
        hint="in which of them does the order of the additions not depend on who comes first?",
    ),
    "14.4": Code(
        reference=lambda x: x.max(),
        hint=(
            "start from -INFINITY; one block whose threads loop over the array; five "
            "shuffles with fmaxf, the warps' maxima through shared memory, five more"
        ),
        cases=kernel_cases.whole_array(torch.max),
    ),
}
