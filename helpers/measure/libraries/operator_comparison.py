"""Compare kernels/fast.cuh with the libraries: drawn cells, slices, neighbours, views of rows.

    python -m helpers.measure.libraries.operator_comparison --seconds 420 [--output FOLDER]

Of each library the fastest variant counts, with and without programmatic launch. The cells
whose role is "test" have not set the rule. Rows are appended to operator_comparison.csv as they
come, and settings that are there are skipped.
"""

from __future__ import annotations

import itertools
import math
import random
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from helpers.measure.libraries import (
    ahead,
    cells,
    interleaved,
    operator_peers,
    operator_sources,
    operators,
    ratios,
    shards,
    sweep,
    tables,
    views,
)
from helpers.measure.libraries.candidates import Candidate, is_programmatic
from helpers.measure.libraries.interleaved import ALONE, BETWEEN, HOT, Setting
from helpers.measure.libraries.operators import Operator
from helpers.measure.timing import Times

PLACEMENTS, ROUNDS = 4, 4
ORDER_SEED = 15  # of the settings, so that what fits into the time is a random part
ORDINARY, PROGRAMMATIC = {"programmatic": 0}, {"programmatic": 1}
NEIGHBOURS = (
    ("add", "float32"),
    ("add", "float16"),
    ("relu", "float16"),
    ("sigmoid", "float16"),
)
NEIGHBOURS_SIZES = (1 << 16, 1 << 20, 1 << 22, 1 << 24)
# Views and slices have chosen sizes, and a loss between two of them was not seen (rows of
# float16, 2^21 elements): each has a call of a drawn size there, too. These set no rule.
BETWEEN_SEED, BETWEEN_SIZES = 21, (1 << 20, 1 << 24)


# ---- the settings --------------------------------------------------------------------------


def roles() -> dict[Setting, str]:
    """Return every setting with its role: "test", "rule", "slice", "neighbour" or "view"."""
    drawn = {
        Setting(Operator.of(cell.operator, cell.dtype, cell.out_dtype), *cell[3:5]): cell.role
        for cell in cells.draw()
    }
    slices = [setting for setting in sweep.drawn() if setting.offsets]
    chosen = dict.fromkeys(slices, "slice") | dict.fromkeys(views.settings(), "view")
    neighbours = {
        Setting(Operator.of(name, dtype, dtype), elements, method): "neighbour"
        for (name, dtype), elements, method in itertools.product(
            NEIGHBOURS, NEIGHBOURS_SIZES, (BETWEEN, ALONE)
        )
    }
    return drawn | neighbours | chosen | between()


def between() -> dict[Setting, str]:
    """Draw a hot call of each view and of each slice, of a size that the others do not have."""
    chance = random.Random(BETWEEN_SEED)
    lowest, highest = map(math.log2, BETWEEN_SIZES)
    sizes = iter(lambda: int(2 ** chance.uniform(lowest, highest)), None)
    of_views = {
        Setting(one, size // one.strides.cols * one.strides.cols, HOT): "view"
        for one, size in zip(views.all_views(), sizes, strict=False)
    }
    of_slices = {
        Setting(Operator.of(*names), size, HOT, offsets): "slice"
        for (*names, offsets), size in zip(sweep.SLICED, sizes, strict=False)
    }
    return of_views | of_slices


def settings() -> list[Setting]:
    """Return the settings in a random order that is always the same; rule cells rather late."""
    chance = random.Random(ORDER_SEED)
    role_of = roles()
    place = {setting: chance.random() + (role == "rule") for setting, role in role_of.items()}
    return sorted(role_of, key=place.__getitem__)


# ---- one setting ---------------------------------------------------------------------------


def candidates(operator: Operator) -> list[Candidate]:
    """Return ours by the rule, with either launch, and the libraries; print what is missing."""
    found = [
        operator_peers.course(operator, "", ORDINARY),
        operator_peers.course(operator, "programmatic", PROGRAMMATIC),
        *operator_peers.eager(operator),
    ]
    makers: tuple[Callable[[Operator], list[Candidate]], ...] = (
        operator_peers.compiled,
        operator_peers.triton,
        operator_peers.cub,
    )
    for maker in makers:
        try:
            found += maker(operator)
        except Exception as error:  # whatever an import or a compiler may raise
            print(f"without {maker.__name__}: {type(error).__name__}: {error}", flush=True)
    return found


def rows_of(
    setting: Setting, role: str, times: dict[Candidate, Times], now: interleaved.State
) -> list[dict]:
    """Return a row for each library and launch; ratio: the fastest library's time over it.

    ordinary: the same for an ordinary launch, of the libraries' ordinary launches.
    """
    peers = {one: took for one, took in times.items() if not one.is_ours}
    plain = [took for one, took in peers.items() if not is_programmatic(one)]
    found = []
    for row, one in zip(
        sweep.rows_of(setting, {one: times[one] for one in sweep.best(times)}, now),
        sweep.best(times),
        strict=True,
    ):
        row |= {"role": role}
        if peers:
            row |= _compared("ratio", times[one], [*peers.values()])
        if plain and not is_programmatic(one):
            row |= _compared("ordinary", times[one], plain)
        found.append(row)
    return found


def _compared(name: str, own: Times, others: Sequence[Times]) -> dict[str, float]:
    value, low, high = ratios.ratio(own, others)
    return {name: value, f"{name}_low": low, f"{name}_high": high}


def rows(setting: Setting) -> Iterable[dict]:
    """Measure one setting."""
    found = candidates(setting.operator)
    times, now = interleaved.measure(setting, found, ROUNDS, ahead.turn, PLACEMENTS)
    return rows_of(setting, roles()[setting], times, now)


def sources(some: Sequence[Setting]) -> list[Path]:
    """Return the .cu files to build first: ours, then CUB's, which has no rows of a bias."""
    names = dict.fromkeys(setting.operator.name for setting in some)
    ours = dict.fromkeys(operator_sources.fast(name) for name in names)
    of_cub = [name for name in names if name in operators.OPERATORS]  # not the views
    return [*ours] + [
        operator_sources.cub(name) for name in of_cub if name != "bias_gelu_residual"
    ]


COMPARISON = shards.Plan(
    module="helpers.measure.libraries.operator_comparison",
    table=tables.COMPARISON,
    key=tables.PLACE,
    settings=settings,
    key_of=sweep.key,
    rows=rows,
    sources=sources,
    prepare=operator_peers.prepare,
)

if __name__ == "__main__":
    shards.main(COMPARISON)
