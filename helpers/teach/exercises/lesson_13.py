"""Exercises of lesson 13: Divergence: when a warp disagrees."""

import torch

from helpers.model import divergence
from helpers.specs import WARP_SIZE
from helpers.teach.exercises.marking import Choice, Code, Number

EXERCISES = {
    "13.1": Number(
        answer=lambda: 100 * divergence.branch_cost(divergence.split(8), 40, 10).utilisation,
        unit="%",
        hint=(
            "useful thread-cycles: 8 x 40 + 24 x 10; occupied: 32 lanes for as long as both "
            "sides take"
        ),
    ),
    "13.2": Number(
        answer=lambda: 100 * divergence.divergence_probability(1 / WARP_SIZE),
        unit="%",
        hint=(
            "a warp does not diverge if all its threads take A, or none does: 1 - p^32 - (1 "
            "- p)^32"
        ),
    ),
    "13.3": Choice(
        answer=lambda: "no",
        hint=(
            "what does a warp issue of a side that none of its threads takes, if the side is "
            "predicated?"
        ),
    ),
    "13.4": Code(
        reference=lambda x: torch.where(torch.arange(x.numel()) % 2 == 0, 2 * x, x + 1),
        hint=(
            "let the first half of all threads take the even elements: thread t the element "
            "2 t; the others the odd ones. Round the half up to whole warps, so that none "
            "holds both kinds"
        ),
    ),
}
