"""Exercises of lesson 13: Divergence: when a warp disagrees."""

import torch

from helpers.model import divergence
from helpers.teach.exercises import technique
from helpers.teach.exercises.marking import Code, Number


def even_and_odd(x: torch.Tensor) -> torch.Tensor:
    """Return 2 x at even indices, x + 1 at odd ones."""
    return torch.where(torch.arange(x.numel()) % 2 == 0, 2 * x, x + 1)


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
            "One element in 50 is slow, at random. With what probability, in per "
            "cent, does a warp diverge?"
        ),
        answer=lambda: 100 * divergence.divergence_probability(1 / 50),
        unit="%",
        hint=(
            "a warp does not diverge if all its threads take A, or none does: 1 - p^32 - (1 "
            "- p)^32"
        ),
        wrong={
            52.3889: "with that probability it does not diverge",
        },
    ),
    "13.3": Code(
        statement=(
            "Every warp of this kernel diverges, and stores twice. Change it so that a warp "
            "makes one store, of all its lanes."
        ),
        launcher="one_store",
        takes=("float32",),
        gives=("float32",),
        solution="solution_one_store",
        reference=even_and_odd,
        hint="compute both results in every lane, choose one of them, then store",
        as_given="out[i] = 2.0f * x[i]; } else {",
        technique=(
            technique.parallel,
            technique.whole_warp_stores,
            technique.coalesced,
            technique.elements_a_thread(1),
        ),
        wrong={
            ("i % 2 == 0 ? 2.0f * value : value + 1.0f", "2.0f * value"): "WRONG",
            (
                "out[i] = i % 2 == 0 ? 2.0f * value : value + 1.0f;",
                "if (i % 2) out[i] = value + 1.0f;\n    else out[i] = 2.0f * value;",
            ): "of a warp's 32 lanes",
        },
    ),
    "13.4": Code(
        statement=(
            "Elements with an even index become `2 * x`, those with an odd one `x +"
            " 1`, as in exercise 3. Write "
            "`kernels/mine/regroup.cu` with `regroup(const float* x, float* out, "
            "int64_t n, int block_size = 256, ...)`, one element a thread, so that "
            "no warp holds both kinds. Block sizes are multiples of 32. What does it "
            "cost in sectors (lesson 09)?"
        ),
        launcher="regroup",
        takes=("float32",),
        gives=("float32",),
        solution="solution_regroup",
        reference=even_and_odd,
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
