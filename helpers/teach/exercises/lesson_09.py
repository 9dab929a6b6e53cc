"""Exercises of lesson 09: Coalescing: a warp pays by the sector."""

from helpers.model import coalescing
from helpers.teach.exercises.marking import Code, Number

EXERCISES = {
    "09.1": Number(
        answer=lambda: coalescing.coalesce(coalescing.contiguous(8, start=8), 8).sectors,
        unit="sectors",
        hint=(
            "draw the first and the last byte: 32 x 8 bytes from byte 8 on; which multiples "
            "of 32 do they pass?"
        ),
        tolerance=0,
    ),
    "09.2": Number(
        answer=lambda: coalescing.coalesce(coalescing.strided(12), 4).sectors,
        unit="sectors",
        hint="from lane to lane the address grows by the size of the struct",
        tolerance=0,
    ),
    "09.3": Number(
        answer=lambda: 100 * coalescing.coalesce(coalescing.strided(4000), 4).efficiency,
        unit="% of the bytes moved",
        hint=(
            "how far apart are two rows in bytes, and how much of a 32-byte sector does a "
            "lane want?"
        ),
    ),
    "09.4": Code(
        reference=lambda a, b: a + b,
        hint=(
            "lane l of a warp takes the pairs l, l + 32, l + 64 and l + 96 of the warp's "
            "128; test each pair against n"
        ),
    ),
}
