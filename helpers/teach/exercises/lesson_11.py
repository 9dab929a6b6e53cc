"""Exercises of lesson 11: Which block size?"""

from helpers.model import ceilings, occupancy
from helpers.teach.exercises.marking import Choice, Number


def filter_that_removes_192() -> str:
    """Return the first filter of an H200 that a block of 192 threads does not pass."""
    rows = occupancy.block_size_funnel("9.0", 32)
    return next(row.filter for row in rows if 192 not in row.survivors)


EXERCISES = {
    "11.1": Number(
        statement=(
            "A GPU of the future holds 3,072 threads and 24 blocks on an SM. What is its floor?"
        ),
        answer=lambda: 3072 // 24,
        unit="threads",
        hint=(
            "the smallest block with which the block slots do not run out before the threads do"
        ),
        tolerance=0,
        wrong={
            96: "24 blocks of 96 threads are 2,304 threads: the slots run out first",
        },
    ),
    "11.2": Number(
        statement=(
            "A kernel needs 100 registers. How many block sizes pass all four "
            "filters on an RTX 5090 (12.0)?"
        ),
        answer=lambda: len(occupancy.block_size_funnel("12.0", 100)[-1].survivors),
        unit="block sizes",
        hint=(
            "`occupancy.block_size_funnel('12.0', 100)` has a row for each filter; the last "
            "one has the survivors"
        ),
        tolerance=0,
        wrong={
            12: "",
        },
    ),
    "11.3": Number(
        statement=(
            "Predict, in microseconds: V1 on 2^28 elements in blocks of 96, on the "
            'H200, if the block rate (`ceilings.card("H200 SXM").block_rate`, per '
            "second) is the ceiling. Compare with the sweep."
        ),
        answer=lambda: -(-(1 << 28) // 96) / ceilings.card("H200 SXM").block_rate * 1e6,
        unit="us",
        hint="blocks = elements / 96, rounded up; a block rate is per second",
        wrong={
            630.9: "that is blocks of 256 threads; here they have 96",
        },
    ),
    "11.4": Choice(
        statement=(
            'Which filter removes 192 on an H200 (9.0)? `"warp alignment"`, '
            '`"occupancy floor"`, `"whole blocks"` or `"register pressure"`?'
        ),
        choices=("warp alignment", "occupancy floor", "whole blocks", "register pressure"),
        answer=filter_that_removes_192,
        hint=(
            "`occupancy.block_size_funnel('9.0', 32)` has a row for each filter: in which "
            "one is 192 missing first?"
        ),
        wrong={
            "warp alignment": "192 is a multiple of 32",
        },
    ),
}
