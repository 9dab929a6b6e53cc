"""List the operators that the fast kernels are measured on, and draw the cells of the record.

A cell is one operator in one pair of dtypes, at one size, hot or cold. There are far more cells
than can be measured, so `draw` takes a stratified sample: of every operator in every dtype the
same number, over all sizes and both methods evenly. A third of the cells may set the rule by
which `kernels/fast.cuh` chooses its launch; the others only test it. The draw was made, and
written to data/operator_cells.csv, before the rule was touched.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator
from typing import NamedTuple

from helpers.model.arguments import Whole, checked

SEED = 15
CELLS_OF_A_STRATUM = 3  # one of them sets the rule
FLOATS = ("float32", "float16", "bfloat16")
# Operators whose inputs and output have one dtype, which may be any of FLOATS.
SAME_DTYPE = (
    "copy", "relu", "leaky_relu", "abs", "neg", "scale", "sigmoid", "tanh", "gelu", "gelu_tanh",
    "silu", "exp", "add", "mul", "addcmul", "lerp", "where", "bias_gelu_residual",
)  # fmt: skip
CASTS = (
    ("float32", "float16"),
    ("float32", "bfloat16"),
    ("float16", "float32"),
    ("bfloat16", "float32"),
    ("float32", "float8_e4m3fn"),
    ("float16", "float8_e4m3fn"),
    ("float8_e4m3fn", "float16"),
    ("float8_e4m3fn", "float32"),
    ("float32", "int8"),
    ("int8", "float32"),
)
ODD_SIZES = (300_001, 5_000_003, 100_000_007)
SIZES = (*(1 << power for power in range(16, 30, 2)), *ODD_SIZES)
METHODS = ("graph hot", "graph cold")
ROLES = ("rule", "test")


class Cell(NamedTuple):
    """One comparison: an operator, the dtypes of its inputs and output, a size, a method."""

    operator: str
    dtype: str
    out_dtype: str
    elements: int
    method: str
    role: str  # "rule" if it may set the launch rule, "test" if it only tests it


def strata() -> list[tuple[str, str, str]]:
    """Return every operator in every pair of dtypes (of the inputs, of the output)."""
    same = [(name, dtype, dtype) for name in SAME_DTYPE for dtype in FLOATS]
    return same + [("cast", *dtypes) for dtypes in CASTS]


@checked
def draw(seed: Whole = SEED) -> list[Cell]:
    """Draw the cells, in the order of the strata.

    The places (size, method) are dealt like cards: all are dealt before one is dealt again, and
    no stratum has one twice.
    """
    chance = random.Random(seed)
    places = _dealt(chance)
    cells = []
    for stratum in strata():
        own: list[tuple[int, str]] = []
        put_back = []
        while len(own) < CELLS_OF_A_STRATUM:
            place = next(places)
            (put_back if place in own else own).append(place)
        places = itertools.chain(put_back, places)
        roles = [ROLES[0], *(ROLES[1] for _ in own[1:])]
        chance.shuffle(roles)
        cells += [Cell(*stratum, *place, role) for place, role in zip(own, roles, strict=True)]
    return cells


def _dealt(chance: random.Random) -> Iterator[tuple[int, str]]:
    """Yield (size, method) without end, all of them in a new random order again and again."""
    while True:
        deck = list(itertools.product(SIZES, METHODS))
        chance.shuffle(deck)
        yield from deck
