"""Recorded measurements: `data/runs.csv`, one row a measurement, with the machine that made it.

`append` writes them, `load` reads them as a pandas DataFrame, `article` gives the RTX 5090 table that the
article printed. `data/README.md` has the schema.
"""

from __future__ import annotations

import datetime
import os
import subprocess
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from pathlib import Path

import pandas as pd

from helpers import paths
from helpers.measure.bench import ARTICLE_SIZES, Measurement, Roofs, measure_empty, sweep
from helpers.run import machine
from helpers.run.kernel import Kernel

RUNS = paths.DATA / "runs.csv"
COLUMNS = {
    "date": "string",
    "gpu": "string",
    "driver": "string",
    "cuda": "string",
    "torch": "string",
    "commit": "string",
    "experiment": "string",
    "kernel": "string",
    "elements": "Int64",
    "dtype": "string",
    "block_size": "Int64",
    "method": "string",
    "time_us": "Float64",
    "low_us": "Float64",
    "high_us": "Float64",
    "repeats": "Int64",
    "gb_per_s": "Float64",
    "note": "string",
    "parameter": "Float64",  # what an experiment varies, by `helpers.measure.experiments`
}


def today() -> str:
    """The date of a measurement, UTC."""
    return datetime.datetime.now(datetime.timezone.utc).date().isoformat()


def _commit() -> str:
    """The commit that made a measurement, with + where the tree was changed; "unknown" outside a checkout."""
    if given := os.environ.get("ELEMENTWISE_COMMIT"):
        return given

    def git(*words: str) -> str:
        done = subprocess.run(
            ["git", "-C", str(paths.ROOT), *words], capture_output=True, text=True, check=False
        )
        return done.stdout.strip() if done.returncode == 0 else ""

    try:
        name = git("rev-parse", "--short=12", "HEAD")
        return (
            name + ("+" if git("status", "--porcelain", "--untracked-files=no") else "")
            if name
            else "unknown"
        )
    except OSError:
        return "unknown"


def frame(measurements: Iterable[Measurement], experiment: str = "") -> pd.DataFrame:
    """Measurements as a table with the columns of `data/runs.csv`, the present machine's provenance in each row.

    Raises TypeError for what is no Measurement.
    """
    measurements = list(measurements)
    for one in measurements:
        if not isinstance(one, Measurement):
            raise TypeError(
                f"a record is made of what bench.measure returns, not {type(one).__name__}"
            )
    here = machine.present()
    common = {
        "date": today(),
        "driver": here.driver,
        "cuda": here.cuda,
        "torch": here.torch,
        "commit": _commit(),
        "experiment": experiment,
    }
    rows = [
        common
        | {name: getattr(m, name) for name in COLUMNS if hasattr(m, name)}
        | {"gb_per_s": m.gb_per_s}
        for m in measurements
    ]
    return pd.DataFrame(rows, columns=list(COLUMNS)).astype(COLUMNS)


def append(
    measurements: Iterable[Measurement], experiment: str, path: Path = RUNS
) -> pd.DataFrame:
    """Add measurements to a record and return them as a table. The file is replaced whole, or not at all."""
    new = frame(measurements, experiment)
    new = new.round({"time_us": 3, "low_us": 3, "high_us": 3, "gb_per_s": 1})
    everything = pd.concat([load(path=path, latest=False), new]) if path.exists() else new
    temporary = path.with_suffix(".tmp")
    everything.to_csv(temporary, index=False)
    os.replace(temporary, path)
    return new


def load(
    experiment: str | None = None,
    gpu: str | None = None,
    *,
    path: Path = RUNS,
    latest: bool = True,
) -> pd.DataFrame:
    """Recorded measurements, oldest first.

    experiment, gpu: keep only these (gpu by a part of its name). latest: of rows that measured the same
    thing on the same card, keep the newest only. Raises FileNotFoundError where there is no record.
    """
    if not path.exists():
        raise FileNotFoundError(
            f"no record {path.name} in {path.parent.name}/: `make record` on a GPU makes one"
        )
    rows = pd.read_csv(path, dtype=COLUMNS).reindex(columns=list(COLUMNS)).astype(COLUMNS)
    if experiment is not None:
        rows = rows[rows.experiment == experiment]
    if gpu is not None:
        rows = rows[rows.gpu.str.contains(gpu, regex=False)]
    if latest:
        same = [
            "gpu",
            "experiment",
            "kernel",
            "elements",
            "dtype",
            "block_size",
            "method",
            "parameter",
        ]
        rows = rows.drop_duplicates(same, keep="last")
    return rows.reset_index(drop=True)


def article() -> pd.DataFrame:
    """The 24 times that the article printed for its RTX 5090 (torch 2.8, CUDA 12.8), by wall clock.

    Columns as in `load`; times in microseconds, printed with a resolution of 0.1 us.
    """
    rows = pd.read_csv(paths.DATA / "rtx5090_article.csv", comment="#")
    rows["time_us"] = rows.pop("time_ms") * 1e3
    return rows.assign(gpu="GeForce RTX 5090", method="wall clock", experiment="article")


ROOFS = paths.DATA / "roofs.csv"


def write_roofs(roofs: Roofs, path: Path = ROOFS) -> None:
    """Add measured roofs to `data/roofs.csv`, one quantity a row, with the machine and the date."""
    here = machine.present()
    numbers = {name: value for name, value in asdict(roofs).items() if isinstance(value, float)}
    numbers |= {f"block_rate_{threads}": rate for threads, rate in roofs.block_rate.items()}
    rows = [
        (
            today(),
            here.name,
            here.driver,
            here.cuda,
            here.torch,
            _commit(),
            name,
            float(f"{value:.5g}"),
        )
        for name, value in numbers.items()
    ]
    new = pd.DataFrame(
        rows, columns=["date", "gpu", "driver", "cuda", "torch", "commit", "quantity", "value"]
    )
    everything = pd.concat([pd.read_csv(path), new]) if path.exists() else new
    temporary = path.with_suffix(".tmp")
    everything.to_csv(temporary, index=False)
    os.replace(temporary, path)


def roof(quantity: str, gpu: str = "H200", path: Path = ROOFS) -> float:
    """The newest recorded value of a roof, such as "copy_GBps", of a card by a part of its name.

    Raises KeyError, with what there is, for a quantity or a card that was not recorded.
    """
    rows = pd.read_csv(path)
    rows = rows[rows.gpu.str.contains(gpu, regex=False)]
    found = rows[rows.quantity == quantity]
    if found.empty:
        raise KeyError(
            f"no {quantity!r} of {gpu!r} in {path.name}; there are {sorted(set(rows.quantity))}"
        )
    return float(found.value.iloc[-1])


BUILD_TIMES = paths.DATA / "build_times.csv"


def build_times() -> pd.DataFrame:
    """Recorded cold build times: way, kernels, seconds, and the machine.

    `python -m helpers.teach.run_notebooks build-times` makes them.
    """
    return pd.read_csv(BUILD_TIMES)


RECORDED_GPU = "NVIDIA H200"


def measured_or_recorded(
    kernels: Sequence[Kernel | str],
    sizes: Sequence[int] = ARTICLE_SIZES,
    dtype: str = "float32",
    *,
    method: str = "graph hot",
    block_size: int | None = None,
) -> pd.DataFrame:
    """Times of add kernels: measured now where there is a GPU, else recorded ones of the H200, and says which.

    Columns as in `data/runs.csv`. Kernels must have passed check.check. block_size None is the launcher's own.
    """
    for kernel in kernels:
        launcher_block_size(kernel)  # which refuses what is no kernel
    here = machine.present()
    if here.is_gpu:
        print(f"measured now on {here.name}, {method}")
        return frame(sweep(kernels, sizes, dtype, method=method, block_size=block_size))
    rows = load(gpu=RECORDED_GPU)
    rows = rows[rows.experiment.isin(["ladder", "block sweep"])]
    rows = rows[rows.elements.isin(sizes) & (rows.dtype == dtype) & (rows.method == method)]
    found = []
    for kernel in kernels:
        name = kernel if isinstance(kernel, str) else kernel.name
        wanted = None if isinstance(kernel, str) else block_size or launcher_block_size(kernel)
        same_block = rows.block_size.isna() if wanted is None else rows.block_size == wanted
        found.append(
            rows[(rows.kernel == name) & same_block].drop_duplicates("elements", keep="last")
        )
    rows = pd.concat(found, ignore_index=True)
    print(f"no GPU here: recorded on {RECORDED_GPU}, {rows.date.max()}, {method}")
    return rows


def empty_kernel(blocks: int, block_size: int) -> pd.DataFrame:
    """The time of a kernel that does nothing but start its blocks: measured now, else recorded on the H200.

    One row, columns as in `data/runs.csv`; `elements` is the number of blocks.
    """
    here = machine.present()
    if here.is_gpu:
        print(f"measured now on {here.name}")
        return frame([measure_empty(blocks, block_size)])
    rows = load("empty kernel", RECORDED_GPU)
    rows = rows[(rows.elements == blocks) & (rows.block_size == block_size)]
    print(f"no GPU here: recorded on {RECORDED_GPU}, {rows.date.max()}")
    return rows.reset_index(drop=True)


def launcher_block_size(kernel: Kernel | str) -> int | None:
    """The block size that a kernel's launcher uses when it is not told another; None for a library's kernel."""
    if isinstance(kernel, str):
        return None
    if not isinstance(kernel, Kernel):
        raise TypeError(
            f"not a kernel that jit.load returned, nor a name such as 'torch.add': {type(kernel).__name__}"
        )
    arguments = next(iter(kernel.declarations.values())).arguments
    return next((p.default for p in arguments if p.name == "block_size"), None)
