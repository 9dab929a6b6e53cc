"""Exercises of lesson 03: V3: half the bytes."""

import torch

from helpers import specs
from helpers.model import ceilings, ladder
from helpers.model.dtypes import ITEM_BYTES as BYTES
from helpers.teach.exercises.marking import Choice, Number

EXERCISES = {
    "03.1": Number(
        answer=lambda: 96 * specs.MIB // (3 * BYTES["float16"]),
        unit="elements",
        hint="an element has two bytes in each of three tensors",
        tolerance=1e-6,
    ),
    "03.2": Number(
        answer=lambda: (torch.tensor(2048, dtype=torch.float16) + 1).item(),
        unit="(a float16)",
        hint=(
            "from 2048 on, float16 has only even numbers; a tie is rounded to the even "
            "mantissa. Or ask torch"
        ),
        tolerance=0,
    ),
    "03.3": Choice(
        answer=lambda: ceilings.predict(ladder.SHAPES["v3_f16"], 1 << 28, "H200 SXM").ceiling,
        hint="call ceilings.predict(ladder.SHAPES['v3_f16'], 1 << 28, 'H200 SXM')",
    ),
}
