"""Exercises of lesson 18: Beat the libraries."""

import torch

from helpers import specs
from helpers.model.dtypes import ITEM_BYTES as BYTES
from helpers.teach.exercises import technique
from helpers.teach.exercises.marking import Choice, Code, Number


def tiles_on_an_sm() -> int:
    """Return how many tiles of 8 KB an SM of an H100 SXM5 gets, if six are right on an H200."""
    h200, card = specs.gpu("H200 SXM"), specs.gpu("H100 SXM5")
    us_of_six = 6 * 8192 * h200.sm_count / (h200.dram_GBps * 1e3)
    return round(card.dram_GBps * 1e3 * us_of_six / card.sm_count / 8192)


def path_of_the_rule() -> str:
    """Return the rule's path for three float16 tensors of 2^22 elements on an H200."""
    fits = 3 * BYTES["float16"] * (1 << 22) <= specs.gpu("H200 SXM").l2_bytes
    return "packs" if fits else "bulk"


EXERCISES = {
    "18.1": Number(
        statement="How many tiles of 8 KB does this formula give an SM of an `H100 SXM5`, "
        "rounded?",
        answer=tiles_on_an_sm,
        unit="tiles an SM",
        hint="bandwidth x us_of_six is in flight; divide by the SMs and by 8,192, and round",
        tolerance=0,
        wrong={
            8: "",
            532: "that is the whole card's: divide by its SMs",
        },
    ),
    "18.2": Choice(
        statement=(
            "Which path does the rule take for a float16 addition of 2²² elements "
            'on an H200, "packs" or "bulk"?'
        ),
        choices=("packs", "bulk"),
        answer=path_of_the_rule,
        hint=(
            "three tensors of 2^22 float16: does the working set fit in the H200's 60 MiB of "
            "L2?"
        ),
        wrong={"bulk": ""},
    ),
    "18.3": Code(
        statement=(
            "Write `kernels/mine/pick.cu` with `pick(const float* a, const float* b, const "
            "float* c, float* out, int64_t n, ...)`: the element of `a` where that of `c` is "
            "negative, else that of `b`."
        ),
        launcher="pick",
        takes=("float32", "float32", "float32"),
        gives=("float32",),
        solution="solution_pick",
        reference=lambda a, b, c: torch.where(c < 0, a, b),
        hint="a functor of three numbers, and fast::transform with three inputs",
        technique=(technique.bytes_per_lane(8),),
        wrong={
            ("c < 0.0f", "c > 0.0f"): "WRONG",
            ("? a : b", "? b : a"): "WRONG",
        },
    ),
    "18.4": Code(
        statement=(
            "Make the product of two float32 tensors with `fast::transform`: a "
            "whole file, `multiply(const float* a, const float* b, float* out, "
            "int64_t n, ...)`."
        ),
        launcher="multiply",
        takes=("float32", "float32"),
        gives=("float32",),
        solution="solution_fast_multiply",
        reference=lambda a, b: a * b,
        hint=(
            'include "fast.cuh", a functor with operator(), and `fast::transform(Multiply{}, '
            "n, out, {stream}, a, b)`"
        ),
        technique=(technique.bytes_per_lane(8),),
        wrong={
            ("a * b", "a + b"): "WRONG",
        },
    ),
}
