"""Exercises of lesson 07: The benchmark."""

from dataclasses import replace

from helpers import specs
from helpers.model import ceilings, ladder
from helpers.model.dtypes import ITEM_BYTES as BYTES
from helpers.teach.exercises.marking import Choice, Number

REPORTED_BYTES_PER_US = 550e9 / 1e6  # what the colleague of the question reports


def ceiling_of_wider_blocks() -> str:
    """Return the ceiling that the model names for V6 with 64 threads a block."""
    shape = replace(ladder.SHAPES["v6_f16x8_pack"], block_size=64)
    return ceilings.predict(shape, 1 << 28, "H200 SXM").ceiling


EXERCISES = {
    "07.1": Number(
        statement="What is the working set of `C = A + B` with 2^24 float32 elements, in MiB?",
        answer=lambda: 3 * BYTES["float32"] * (1 << 24) / specs.MIB,
        unit="MiB",
        hint="three tensors of 4 bytes an element",
        tolerance=0,
        wrong={
            64: "that is one tensor: three are in use",
        },
    ),
    "07.2": Choice(
        statement=(
            "Which ceiling does the model name for V6 with 64 threads a block, at "
            "2^28 elements on the H200?"
        ),
        choices=tuple(ceilings.CEILINGS),
        answer=ceiling_of_wider_blocks,
        hint=(
            "replace the block size in ladder.SHAPES['v6_f16x8_pack'] (dataclasses.replace) "
            "and predict"
        ),
    ),
    "07.3": Number(
        statement=(
            "A colleague times `torch.add` of 2^18 float32 elements on an H200 by "
            'wall clock and reports "550 GB/s, so this GPU is bad at small '
            'tensors". About how many microseconds did the host need for a call?'
        ),
        answer=lambda: 3 * BYTES["float32"] * (1 << 18) / REPORTED_BYTES_PER_US,
        unit="us",
        hint=(
            "the bytes of the call over the bandwidth that was reported; GB/s are 1e9 bytes "
            "a second"
        ),
        tolerance=0.02,
        wrong={
            1.9065: "three tensors move, not one",
        },
    ),
}
