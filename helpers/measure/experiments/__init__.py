"""Measure more than one kernel at one size: every experiment of the course, by name.

`EXPERIMENTS` has them all, `measured_or_recorded(name)` gives one as a table, and
`python tools/record.py` records them. Importing this package registers each of its modules.
"""

from helpers.measure.experiments import (
    access,
    bank_conflicts,
    divergence,
    ladder,
    latency,
    launch_bounds,
    launchers,
    layer_norm,
    matmul,
    memory,
    operators,
    pytorch_ops,
    softmax,
    sums,
    template,
    template_choices,
    warps,
)
from helpers.measure.experiments.registry import EXPERIMENTS, find, measured_or_recorded

__all__ = [
    "EXPERIMENTS",
    "access",
    "bank_conflicts",
    "divergence",
    "find",
    "ladder",
    "latency",
    "launch_bounds",
    "launchers",
    "layer_norm",
    "matmul",
    "measured_or_recorded",
    "memory",
    "operators",
    "pytorch_ops",
    "softmax",
    "sums",
    "template",
    "template_choices",
    "warps",
]
