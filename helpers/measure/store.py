"""Read and write the CSV files of `data/`, each by its `Table`, with the machine in every row.

`load` reads `data/runs.csv` as a pandas DataFrame, `append` adds measurements to it, `article`
gives the RTX 5090 table that the article printed. `data/README.md` has the schema of each file.
"""

from __future__ import annotations

import datetime
import io
import subprocess
from collections.abc import Iterable

import pandas as pd

from helpers import paths, settings, specs
from helpers.errors import UnknownNameError
from helpers.measure.measurement import DIALS, Measurement, label
from helpers.measure.table import Table
from helpers.model.arguments import checked
from helpers.run import machine

RECORDED_GPU = "NVIDIA H200"  # whose record the lessons show without a GPU
ARTICLE_GPU = "GeForce RTX 5090"
PROVENANCE = dict.fromkeys(("date", "gpu", "driver", "cuda", "torch", "commit"), "string")

# ---- the files -----------------------------------------------------------------------------

_TIMES = {
    "time_us": "Float64",
    "low_us": "Float64",
    "high_us": "Float64",
    "repeats": "Int64",
    "gb_per_s": "Float64",
}
_DECIMALS = {"time_us": 3, "low_us": 3, "high_us": 3, "gb_per_s": 1}
_LAUNCH = ("gpu", "experiment", "kernel", "elements", "dtype", "block_size", "method")

RUNS = Table(
    "runs.csv",
    PROVENANCE
    | dict.fromkeys(("experiment", "kernel"), "string")
    | {"elements": "Int64", "dtype": "string", "block_size": "Int64", "method": "string"}
    | _TIMES
    | {"note": "string", "parameter": "Float64", "bytes_moved": "Int64", "flops": "Int64"}
    | {"noise_percent": "Float64", "sm_cycles": "Float64"}
    | DIALS,
    key=(*_LAUNCH, "parameter", *DIALS),
    decimals=_DECIMALS | {"noise_percent": 2, "sm_cycles": 1},
)
ROOFS = Table(
    "roofs.csv",
    PROVENANCE | {"quantity": "string", "value": "Float64", "unit": "string"},
    key=("gpu", "quantity"),
)
_OPERATION = {"operation": "string", "dtype": "string", "elements": "Int64"}
LIBRARIES = Table(
    "library_comparison.csv",
    PROVENANCE
    | _OPERATION
    | {"method": "string", "candidate": "string", "variant": "string", "run": "Int64"}
    | _TIMES
    | {"ratio": "Float64", "version": "string"},
    key=("gpu", "date", "commit", *_OPERATION, "method", "candidate", "run"),
    command="python tools/record.py libraries",
    decimals=_DECIMALS | {"ratio": 4},
)
NCU_COUNTERS = Table(
    "ncu_counters.csv",
    PROVENANCE
    | {"ncu": "string", "kernel": "string", "dtype": "string", "elements": "Int64"}
    | {"block_size": "Int64", "quantity": "string", "metric": "string", "value": "Float64"},
    key=("gpu", "kernel", "dtype", "elements", "block_size", "quantity"),
    command="python tools/record.py 'ncu counters'",
)
RUNTIME_OCCUPANCY = Table(
    "runtime_occupancy.csv",
    PROVENANCE
    | {"kernel": "string", "block_size": "Int64", "registers": "Int64"}
    | {"shared_bytes": "Int64", "predicted": "Int64", "runtime": "Int64"},
    key=("gpu", "kernel", "block_size", "shared_bytes"),
    command="python tools/record.py 'runtime occupancy'",
)
BUILD_TIMES = Table(
    "build_times.csv",
    {"way": "string", "kernels": "Int64", "seconds": "Float64", "machine": "string"}
    | {"cores": "Int64", "torch": "string", "date": "string"},
    key=("way", "kernels", "machine"),
    command="python tools/record.py 'build times'",
    decimals={"seconds": 2},
)


# ---- provenance ----------------------------------------------------------------------------


def today() -> str:
    """Return the date of a measurement, UTC, such as "2026-11-20"."""
    return datetime.datetime.now(datetime.timezone.utc).date().isoformat()


def _git(*words: str) -> str:
    """Return what git prints about the course's own tree; "" where it fails or is missing."""
    try:
        done = subprocess.run(
            ["git", "-C", str(paths.ROOT), *words], capture_output=True, text=True, check=False
        )
    except OSError:
        return ""
    return done.stdout.strip() if done.returncode == 0 else ""


def commit() -> str:
    """Return the commit of the course, with "+" if a tracked file differs from it.

    Files of data/ do not count: a measurement changes them itself.
    ELEMENTWISE_COMMIT overrides it; "unknown" outside of a checkout.
    """
    if given := settings.commit():
        return given
    name = _git("rev-parse", "--short=12", "HEAD")
    if not name:
        return "unknown"
    changed = _git("status", "--porcelain", "--untracked-files=no", "--", ":!data")
    return name + ("+" if changed else "")


def provenance() -> dict[str, str | None]:
    """Return date, machine, versions and commit: the first columns of a record."""
    here = machine.present()
    return {
        "date": today(),
        "gpu": here.name,
        "driver": here.driver,
        "cuda": here.cuda,
        "torch": here.torch,
        "commit": commit(),
    }


# ---- measurements in runs.csv --------------------------------------------------------------


def _rows(measurements: Iterable[Measurement], experiment: str) -> pd.DataFrame:
    """Make rows of data/runs.csv; `kernel` is the launcher's name alone, dials have columns.

    Raises TypeError if an item is not a Measurement, ValueError for an unknown dial.
    """
    measurements = list(measurements)
    for one in measurements:
        if not isinstance(one, Measurement):
            raise TypeError(
                f"a record is made of what bench.measure returns, not {type(one).__name__}"
            )
    common = provenance() | {"experiment": experiment}
    return RUNS.frame(
        common
        | {name: getattr(one, name) for name in RUNS.columns if hasattr(one, name)}
        | {"flops": one.flops or None, "note": one.note or None}
        | dict(one.dials)
        for one in measurements
    )


def with_labels(rows: pd.DataFrame) -> pd.DataFrame:
    """Return rows of data/runs.csv with the dials written into `kernel`, as tables print it."""
    dials = rows[list(DIALS)].to_dict("records")
    labels = [
        label(kernel, {name: value for name, value in own.items() if not pd.isna(value)})
        for kernel, own in zip(rows.kernel, dials, strict=True)
    ]
    return rows.assign(kernel=pd.array(labels, dtype="string"))


def frame(measurements: Iterable[Measurement], experiment: str = "") -> pd.DataFrame:
    """Return measurements as a table with the columns of data/runs.csv.

    Raises TypeError if an item is not a Measurement.
    """
    return with_labels(_rows(measurements, experiment))


def append(measurements: Iterable[Measurement], experiment: str) -> pd.DataFrame:
    """Add measurements to data/runs.csv and return them as a table. Errors as in `frame`."""
    return with_labels(RUNS.append(_rows(measurements, experiment)))


@checked
def load(
    experiment: str | None = None, gpu: str | None = None, *, latest: bool = True
) -> pd.DataFrame:
    """Return the recorded measurements of an experiment and a card, oldest first.

    None is every one. gpu: a name of data/gpus.csv ("H200") or the driver's ("NVIDIA H200").
    latest: of rows that measured the same thing, the newest only.
    Raises FileNotFoundError without a record, UnknownNameError (a KeyError and a ValueError)
    for an experiment without a row, and for a card that is in neither file.
    """
    asked = {"experiment": experiment, "gpu": gpu}
    given = {column: value for column, value in asked.items() if value is not None}
    rows = RUNS.load(latest=latest, **given)
    if rows.empty:
        _refuse_unknown(experiment, gpu)
    return with_labels(rows)


def _refuse_unknown(experiment: str | None, gpu: str | None) -> None:
    """Raise UnknownNameError for an experiment or a card that neither record nor data know."""
    known = list(dict.fromkeys(RUNS.load(latest=False).experiment))
    if experiment is not None and experiment not in known:
        raise UnknownNameError(f"no experiment {experiment!r} in the record; it has {known}")
    if gpu is not None and RUNS.load(latest=False, gpu=gpu).empty:
        specs.gpu(gpu)  # a card that exists, and that nobody recorded, is no mistake


def article() -> pd.DataFrame:
    """Return the 24 times that the article printed for its RTX 5090 (torch 2.8, CUDA 12.8).

    By wall clock; columns as in `load`, times in microseconds, printed to 0.1 us.
    """
    text = io.StringIO("\n".join(specs.data_lines(paths.DATA / "rtx5090_article.csv")))
    rows = pd.read_csv(text)
    rows["time_us"] = rows.pop("time_ms") * 1e3
    return rows.assign(gpu=ARTICLE_GPU, method="wall clock", experiment="article")


@checked
def roof(quantity: str, gpu: str = "H200") -> float:
    """Return the newest recorded value of a roof, such as "copy_GBps", of a card.

    Raises KeyError, with what there is, for a quantity or a card that was not recorded.
    """
    rows = ROOFS.load(gpu=gpu)
    found = rows[rows.quantity == quantity]
    if found.empty:
        raise UnknownNameError(
            f"no {quantity!r} of {gpu!r} in {ROOFS.name}; there are {sorted(rows.quantity)}"
        )
    return float(found.value.iloc[-1])


def build_times() -> pd.DataFrame:
    """Return the recorded cold build times: way, kernels, seconds, and the machine."""
    return BUILD_TIMES.load()
