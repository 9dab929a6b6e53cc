"""Recognise a number that is right in another unit, and say which unit was asked."""

from __future__ import annotations

import math
import re

_TIMES = {"s": 1.0, "ms": 1e-3, "us": 1e-6, "ns": 1e-9}
_BYTES = {
    **{"bits": 1 / 8, "bytes": 1.0, "kB": 1e3, "MB": 1e6, "GB": 1e9},
    **{"KiB": 2.0**10, "MiB": 2.0**20, "GiB": 2.0**30},
}
_FLOPS = {"FLOP/s": 1.0, "GFLOP/s": 1e9, "TFLOP/s": 1e12}
_SHARES = {"a fraction": 1.0, "%": 0.01}
_SCALES = (_TIMES, _BYTES, _FLOPS, _SHARES)
_COUNTED = re.compile(
    r"\b(addition|block|byte|element|lane|load|round|sector|thread|tile|warp)s\b"
)
SLACK = 2e-3  # relative: less than what lies between MB and MiB, more than a rounded answer's


def unit_of(number: float, unit: str) -> str:
    """Return the unit as it follows the number: 2 idle lanes, 1 idle lane."""
    return _COUNTED.sub(r"\1", unit, count=1) if number == 1 else unit


def other_unit(unit: str, number: float, answer: float, tolerance: float) -> str:
    """Say in which other unit `number` would be the answer; "" if in none.

    unit: that of the exercise; its first word counts, so "bytes per element" is in bytes.
    """
    name = unit.split()[0] if unit else ""
    scale = next((scale for scale in _SCALES if name in scale), None)
    if scale is None or not answer or not math.isfinite(number):
        return ""
    for other, size in scale.items():
        expected = answer * scale[name] / size
        if other != name and math.isclose(number, expected, rel_tol=min(tolerance, SLACK)):
            asked = "per cent were" if name == "%" else _asked(name)
            return f"{'that is' if scale is _SHARES else 'that is in'} {other}; {asked} asked"
    return ""


def _asked(name: str) -> str:
    return f"{name} were"
