"""Exercises of lesson 00: Your machine and its roofs."""

from helpers import specs
from helpers.model.dtypes import ITEM_BYTES as BYTES
from helpers.teach.exercises.marking import Number

EXERCISES = {
    "00.1": Number(
        answer=lambda: 4 * BYTES["float16"],
        unit="bytes per element",
        hint=(
            "three float16 tensors are read and one is written; how many bytes has a float16?"
        ),
    ),
    "00.2": Number(
        answer=lambda: 12 * (1 << 26) / specs.gpu("A100 40GB SXM").dram_GBps / 1e3,
        unit="us",
        hint=(
            "bytes = 12 x elements; GB/s are 1e9 bytes a second, so bytes / (GB/s) / 1e3 is "
            "in microseconds"
        ),
    ),
    "00.3": Number(
        answer=lambda: 12 * specs.gpu("T4").ridge_flop_per_byte,
        unit="additions per element",
        hint=(
            "at the ridge the intensity is peak / bandwidth FLOP per byte; an element moves "
            "12 bytes"
        ),
    ),
}
