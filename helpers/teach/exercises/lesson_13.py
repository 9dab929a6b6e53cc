"""Exercises of lesson 13: Divergence: when a warp disagrees."""

import torch

from helpers.model import divergence
from helpers.specs import WARP_SIZE
from helpers.teach.exercises import technique
from helpers.teach.exercises.marking import Choice, Code, Number

EXERCISES = {
    "13.1": Number(
        statement=(
            "8 threads of a warp take a side of 40 cycles, 24 one of 10. How many "
            "per cent of the warp's thread-cycles are useful?"
        ),
        answer=lambda: 100 * divergence.branch_cost(divergence.split(8), 40, 10).utilisation,
        unit="%",
        hint=(
            "useful thread-cycles: 8 x 40 + 24 x 10; occupied: 32 lanes for as long as both "
            "sides take"
        ),
        wrong={
            65: "that share is lost; how much is useful?",
        },
    ),
    "13.2": Number(
        statement=(
            "One element in 32 is slow, at random. With what probability, in per "
            "cent, does a warp diverge?"
        ),
        answer=lambda: 100 * divergence.divergence_probability(1 / WARP_SIZE),
        unit="%",
        hint=(
            "a warp does not diverge if all its threads take A, or none does: 1 - p^32 - (1 "
            "- p)^32"
        ),
        wrong={
            36.2055: "with that probability it does not diverge",
        },
    ),
    "13.3": Choice(
        statement=(
            "Each side of a branch sets one variable, by three instructions that "
            "the compiler predicates; one store for all follows. Will sorting the "
            'data make the kernel faster? "yes" or "no".'
        ),
        choices=("yes", "no"),
        answer=lambda: "no",
        hint=(
            "what does a warp issue of a side that none of its threads takes, if the side is "
            "predicated?"
        ),
    ),
    "13.4": Code(
        statement=(
            "Elements with an even index become `2 * x`, those with an odd one `x +"
            " 1`. Written as `i % 2`, every warp diverges. Write "
            "`kernels/mine/regroup.cu` with `regroup(const float* x, float* out, "
            "int64_t n, int block_size = 256, ...)`, one element a thread, so that "
            "no warp holds both kinds. What does it cost in sectors (notebook 09)?"
        ),
        launcher="regroup",
        takes=("float32",),
        gives=("float32",),
        solution="regroup",
        reference=lambda x: torch.where(torch.arange(x.numel()) % 2 == 0, 2 * x, x + 1),
        hint=(
            "let the first half of all threads take the even elements: thread t the element "
            "2 t; the others the odd ones. Round the half up to whole warps, so that none "
            "holds both kinds"
        ),
        technique=(technique.parallel, technique.parity_a_warp, technique.elements_a_thread(1)),
        wrong={
            ("x[i] + 1.0f", "x[i] + 1.0001f"): "WRONG",
        },
    ),
}
