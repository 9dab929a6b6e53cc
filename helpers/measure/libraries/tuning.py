"""Compare the launch that kernels/fast.cuh chooses with its neighbours.

python -m helpers.measure.libraries.tuning
"""

from __future__ import annotations

import pandas as pd
import torch
from tqdm import tqdm

from helpers.measure import bench
from helpers.measure.libraries.candidates import course, libraries
from helpers.measure.libraries.comparison import Cell, cells, measure_cell
from helpers.measure.libraries.correctness import BULK, PACKS, check_course

ROUNDS = 15
SLOW_LIBRARIES = ("CuPy", "torch.compile")  # never the fastest so far
NEIGHBOURS: dict[str, dict[str, int]] = {
    "rule": {},
    "packs 256": {"path": PACKS, "threads": 256},
    "packs 512": {"path": PACKS, "threads": 512},
    "packs 1024": {"path": PACKS, "threads": 1024},
    "packs 512, ordinary launch": {"path": PACKS, "threads": 512, "programmatic": 0},
    "bulk": {"path": BULK},
    "bulk, prefetch": {"path": BULK, "prefetch": 1},
    "bulk, ordinary launch": {"path": BULK, "programmatic": 0},
    **{f"bulk {tiles} tiles": {"path": BULK, "tiles_per_sm": tiles} for tiles in (5, 6, 7, 8)},
    **{
        f"bulk {threads} x {tiles}": {"path": BULK, "threads": threads, "tiles_per_sm": tiles}
        for threads, tiles in ((128, 12), (192, 8), (512, 3), (512, 4))
    },
    **{
        f"bulk {threads} x {tiles}, prefetch": {
            "path": BULK,
            "threads": threads,
            "tiles_per_sm": tiles,
            "prefetch": 1,
        }
        for threads, tiles in ((512, 4), (1024, 2))
    },
}


def tune_cell(cell: Cell, rounds: int = ROUNDS) -> dict[str, float]:
    """Return the ratio to the fastest library of each neighbour, and that library's time.

    Above 1: faster than every library. "library" is in microseconds.
    """
    variants = [
        course(cell.operation, name, **arguments) for name, arguments in NEIGHBOURS.items()
    ]
    others = [one for one in libraries(cell.operation) if one.name not in SLOW_LIBRARIES]
    times = measure_cell(cell, [*variants, *others], rounds)
    fastest = min(times[one].median_us for one in times if not one.is_ours)
    ratios = {one.variant: fastest / times[one].median_us for one in variants}
    return ratios | {"library": fastest}


def tune(rounds: int = ROUNDS) -> pd.DataFrame:
    """Return a column for each cell, a row for each neighbour; see `tune_cell`.

    Without bfloat16, which moves the same bytes as float16. Raises NoGpuError, CheckError.
    """
    bench.require_gpu()
    check_course()
    some = [cell for cell in cells() if cell.operation.dtype is not torch.bfloat16]
    columns = {}
    for cell in tqdm(some, desc="cells"):
        torch.cuda.empty_cache()
        columns[str(cell)] = tune_cell(cell, rounds)
    return pd.DataFrame(columns)


if __name__ == "__main__":
    print(tune().T.round(4).to_string())
