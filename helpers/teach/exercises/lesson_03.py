"""Exercises of lesson 03: V3: half the bytes."""

import torch

from helpers import specs
from helpers.model import ceilings, ladder
from helpers.model.dtypes import ITEM_BYTES as BYTES
from helpers.teach.exercises.marking import Choice, Number

EXERCISES = {
    "03.1": Number(
        statement=(
            "What is the largest number of float16 elements per tensor for which `C"
            " = A + B` fits an L2 of 96 MiB whole?"
        ),
        answer=lambda: 96 * specs.MIB // (3 * BYTES["float16"]),
        unit="elements",
        hint="an element has two bytes in each of three tensors",
        tolerance=0,
        wrong={
            33554432: "those are the bytes of one tensor: an element has two",
            50331648: "three tensors share the L2",
        },
    ),
    "03.2": Number(
        statement="`2048 + 1` in float16 is not 2049. What is it?",
        answer=lambda: (torch.tensor(2048, dtype=torch.float16) + 1).item(),
        unit="(a float16)",
        hint=(
            "from 2048 on, float16 has only even numbers; a tie is rounded to the even "
            "mantissa. Or ask torch"
        ),
        tolerance=0,
        wrong={
            2049: "float16 has no 2049: from 2048 on its numbers are two apart",
            2050: "a tie is rounded to the even mantissa, not up",
        },
    ),
    "03.3": Choice(
        statement=(
            "On the H200 at 2^28, which ceiling does `predict` name for V3 in blocks of 256?"
        ),
        choices=tuple(ceilings.CEILINGS),
        answer=lambda: ceilings.predict(ladder.SHAPES["v3_f16"], 1 << 28, "H200 SXM").ceiling,
        hint="call ceilings.predict(ladder.SHAPES['v3_f16'], 1 << 28, 'H200 SXM')",
    ),
}
