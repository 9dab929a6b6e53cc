"""Exercises of lesson 11: Which block size?"""

from helpers.model import ceilings, occupancy
from helpers.teach.exercises.marking import Choice, Number


def filter_that_removes_192() -> str:
    """Return the first filter of an H200 that a block of 192 threads does not pass."""
    rows = occupancy.block_size_funnel("9.0", 32)
    return next(row.filter for row in rows if 192 not in row.survivors)


EXERCISES = {
    "11.1": Number(
        answer=lambda: 3072 // 24,
        unit="threads",
        hint=(
            "the smallest block with which the block slots do not run out before the threads do"
        ),
        tolerance=0,
    ),
    "11.2": Number(
        answer=lambda: len(occupancy.block_size_funnel("12.0", 100)[-1].survivors),
        unit="block sizes",
        hint=(
            "`occupancy.block_size_funnel('12.0', 100)` has a row for each filter; the last "
            "one has the survivors"
        ),
        tolerance=0,
    ),
    "11.3": Number(
        answer=lambda: -(-(1 << 28) // 96) / ceilings.card("H200 SXM").block_rate * 1e6,
        unit="us",
        hint="blocks = elements / 96, rounded up; a block rate is per second",
    ),
    "11.4": Choice(
        answer=filter_that_removes_192,
        hint=(
            "`occupancy.block_size_funnel('9.0', 32)` has a row for each filter: in which "
            "one is 192 missing first?"
        ),
    ),
}
