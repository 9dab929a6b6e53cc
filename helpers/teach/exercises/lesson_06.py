"""Exercises of lesson 06: V6: the pack."""

from helpers.model.dtypes import ITEM_BYTES as BYTES
from helpers.teach.exercises.marking import Code, Number

PACK_BYTES = 16
DRAM_BYTES_PER_US = 4400e9 / 1e6  # the rate that the question gives

EXERCISES = {
    "06.1": Number(
        answer=lambda: PACK_BYTES // 1,
        unit="elements",
        hint="an int8 has one byte",
        tolerance=0,
    ),
    "06.2": Code(
        reference=lambda x: x.abs(),
        hint=(
            "start from V6, drop y, and use __habs2 on each of the four pairs; __habs in the "
            "tail"
        ),
    ),
    "06.3": Number(
        answer=lambda: 2 * BYTES["float16"] * (1 << 28) / DRAM_BYTES_PER_US,
        unit="us",
        hint=(
            "2 bytes are read and 2 are written for each element; GB/s are 1e9 bytes a second"
        ),
    ),
}
