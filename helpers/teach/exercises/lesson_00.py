"""Exercises of lesson 00: Your machine and its roofs."""

from helpers import specs
from helpers.model.dtypes import ITEM_BYTES as BYTES
from helpers.teach.exercises.marking import Number

EXERCISES = {
    "00.1": Number(
        statement="How many bytes does one element of `out = a * b + c` move in float16?",
        answer=lambda: 4 * BYTES["float16"],
        unit="bytes per element",
        hint=(
            "three float16 tensors are read and one is written; how many bytes has a float16?"
        ),
        tolerance=0,
        wrong={
            6: "that is read and written for a + b; here three tensors are read",
            16: "those are the bytes in float32",
        },
    ),
    "00.2": Number(
        statement=(
            "What is the DRAM roof's time, in microseconds, for adding 2^26 float32"
            " elements on an `A100 40GB SXM`? Look the card up with `specs.gpu`."
        ),
        answer=lambda: 12 * (1 << 26) / specs.gpu("A100 40GB SXM").dram_GBps / 1e3,
        unit="us",
        hint=(
            "bytes = 12 x elements; GB/s are 1e9 bytes a second, so bytes / (GB/s) / 1e3 is "
            "in microseconds"
        ),
        wrong={
            345.254: "the sum is written, too: three tensors move",
        },
    ),
    "00.3": Number(
        statement=(
            "How many additions per element (12 bytes) would bring a kernel on a "
            "`T4` to its ridge?"
        ),
        answer=lambda: 12 * specs.gpu("T4").ridge_flop_per_byte,
        unit="additions per element",
        hint=(
            "at the ridge the intensity is peak / bandwidth FLOP per byte; an element moves "
            "12 bytes"
        ),
        wrong={
            25.3125: (
                "that is the ridge, in FLOP per byte; how many bytes does an element move?"
            ),
        },
    ),
}
