"""Exercises of lesson 18: Beat the libraries."""

from helpers import specs
from helpers.model.dtypes import ITEM_BYTES as BYTES
from helpers.teach.exercises.marking import Choice, Code, Number


def tiles_on_an_sm() -> int:
    """Return how many tiles of 8 KB the rule puts on an SM of an H100 SXM5: 1.3 us of bytes."""
    card = specs.gpu("H100 SXM5")
    return round(card.dram_GBps * 1.3e3 / card.sm_count / 8192)


def path_of_the_rule() -> str:
    """Return the rule's path for three float16 tensors of 2^22 elements on an H200."""
    fits = 3 * BYTES["float16"] * (1 << 22) <= specs.gpu("H200 SXM").l2_bytes
    return "packs" if fits else "bulk"


EXERCISES = {
    "18.1": Number(
        answer=tiles_on_an_sm,
        unit="tiles an SM",
        hint="bytes in flight = bandwidth x 1.3 us; divide by the SMs and by 8,192, and round",
        tolerance=0,
    ),
    "18.2": Choice(
        answer=path_of_the_rule,
        hint=(
            "three tensors of 2^22 float16: does the working set fit in the H200's 60 MiB of "
            "L2?"
        ),
    ),
    "18.3": Number(
        answer=lambda: (
            3 * BYTES["float32"] * (1 << 28) / (0.92 * specs.gpu("H200 SXM").dram_GBps * 1e3)
        ),
        unit="us",
        hint="12 bytes an element; 92% of 4,800 GB/s are 4,416,000 bytes a microsecond",
        tolerance=0.002,
    ),
    "18.4": Code(
        reference=lambda a, b: a * b,
        hint=(
            'include "fast.cuh", a functor with operator(), and `fast::transform(Multiply{}, '
            "n, out, {stream}, a, b)`"
        ),
    ),
}
