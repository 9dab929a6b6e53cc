"""Exercises of lesson 04: V4: half2, and the price of a block."""

from helpers.teach.exercises.marking import Code, Number

# The rates that the questions give.
BLOCKS_PER_US = 1.66e9 / 1e6
DRAM_BYTES_PER_US = 4400e9 / 1e6

EXERCISES = {
    "04.1": Number(
        answer=lambda: (1 << 26) / 256 / BLOCKS_PER_US,
        unit="us",
        hint="262,144 blocks; 1.66e9 a second are 1,660 a microsecond",
    ),
    "04.2": Number(
        answer=lambda: DRAM_BYTES_PER_US / BLOCKS_PER_US,
        unit="bytes",
        hint=(
            "in a second 1.66e9 blocks start and 4,400e9 bytes move: how many bytes are that "
            "for each block?"
        ),
    ),
    "04.3": Code(
        reference=lambda a, b: a * b,
        hint=(
            "start from V4: __hmul2 in the place of __hadd2, __hmul for the odd one at the end"
        ),
    ),
}
