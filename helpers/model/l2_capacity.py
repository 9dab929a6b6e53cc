"""Find the working set up to which a repeated kernel hits L2, from a few measured times."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace

from helpers.model.arguments import checked
from helpers.model.cards import Card
from helpers.model.ceilings import predict
from helpers.model.ladder import TORCH_ADD

STEP = 1.02  # from one size that is tried to the next
RANGE = (1 / 4, 2)  # of the specified size


@checked
def l2_capacity(card: Card, times: Mapping[int, float]) -> float:
    """Return the `l2_MiB` with which `ceilings.predict` fits repeated `torch.add`s best.

    `times` maps elements (float32) to microseconds; their working sets should reach from half
    of the specified L2 to twice it. Tried are sizes from a quarter of it to twice it, in steps
    of 2%; the one with the smallest sum of squared relative errors is returned. Raises
    ValueError without times.
    """
    if not times:
        raise ValueError("no times to find the L2's capacity from")

    def squared_error(size: float) -> float:
        tried = replace(card, l2_MiB=size)
        predicted = {n: predict(TORCH_ADD["float32"], n, tried).time_us for n in times}
        return sum((predicted[n] / us - 1) ** 2 for n, us in times.items())

    least, most = (part * card.gpu.l2_MiB for part in RANGE)
    steps = range(math.ceil(math.log(most / least) / math.log(STEP)) + 1)
    return min((least * STEP**step for step in steps), key=squared_error)
