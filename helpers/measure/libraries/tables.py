"""Declare the tables of the operators' measurements: the sweep and the comparison."""

from __future__ import annotations

from helpers.measure.store import PROVENANCE
from helpers.measure.table import Table

PLACE = ("operator", "dtype", "out_dtype", "elements", "method", "offsets")  # of a measurement
_PLACE = dict.fromkeys(PLACE, "string") | {"elements": "Int64"}
_CANDIDATE = {"candidate": "string", "variant": "string"}
_TIMES = dict.fromkeys(("time_us", "low_us", "high_us"), "Float64") | {"repeats": "Int64"}
_WORKING_GPU = {
    **{"sm_mhz": "Int64", "memory_mhz": "Int64", "watts": "Float64"},
    "held_down_by": "string",
}
_DECIMALS = {"time_us": 3, "low_us": 3, "high_us": 3, "watts": 0}
_RATIOS = dict.fromkeys(
    ("ratio", "ratio_low", "ratio_high", "ordinary", "ordinary_low", "ordinary_high"), "Float64"
)

SWEEP = Table(
    "operator_sweep.csv",
    PROVENANCE | _PLACE | _CANDIDATE | _TIMES | _WORKING_GPU | {"version": "string"},
    key=("gpu", *PLACE, "candidate", "variant"),
    command="python -m helpers.measure.libraries.sweep",
    decimals=_DECIMALS,
)
COMPARISON = Table(
    "operator_comparison.csv",
    PROVENANCE
    | _PLACE
    | {"role": "string"}
    | _CANDIDATE
    | _TIMES
    | _RATIOS
    | _WORKING_GPU
    | {"version": "string"},
    key=("gpu", "date", "commit", *PLACE, "candidate", "variant"),
    command="python -m helpers.measure.libraries.operator_comparison",
    decimals=_DECIMALS | dict.fromkeys(_RATIOS, 4),
)
