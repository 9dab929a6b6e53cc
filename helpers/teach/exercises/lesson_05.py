"""Exercises of lesson 05: V5: eight loads in flight."""

from helpers.model import coalescing, ladder
from helpers.teach.exercises.marking import Code, Number

EXERCISES = {
    "05.1": Number(
        answer=lambda: (1 << 28) / (64 * ladder.version("V5").elements_per_thread),
        unit="blocks",
        hint="a block covers its threads times eight elements",
        tolerance=0,
    ),
    "05.2": Number(
        answer=lambda: coalescing.coalesce(coalescing.strided(32), 4).sectors,
        unit="sectors",
        hint="two lanes that are 32 bytes apart never share a sector of 32 bytes",
        tolerance=0,
    ),
    "05.3": Code(
        reference=lambda a, b: a + b,
        hint=(
            "a warp covers 256 elements: pair k of lane t starts at element 256 * warp + 2 * "
            "(32 * k + t). Warps that do not have 256 elements left add one element at a "
            "time"
        ),
    ),
}
