"""Register experiments by name: each is one function that measures and returns `Measurement`s.

An experiment takes no required argument, loads and checks its kernels, and times them on the
present GPU. What it varies stands in the rows' own columns. `measured_or_recorded(name)` gives
its rows as a table: measured now where there is a GPU, else as recorded on the H200.
"""

from __future__ import annotations

import functools
from collections.abc import Callable

import pandas as pd

from helpers.errors import UnknownNameError
from helpers.measure import bench, recorded, store
from helpers.measure.measurement import Measurement
from helpers.run import jit
from helpers.run.kernel import Kernel
from helpers.testing import check

PRECISION = 0.01  # of the median, relative: experiments have many points

EXPERIMENTS: dict[str, Callable[..., list[Measurement]]] = {}


def experiment(name: str) -> Callable:
    """Register a function as the experiment `name`.

    Its rows in data/runs.csv have that name. It takes the GPU in `bench.long_turns`. Raises
    ValueError if the name is taken.
    """

    def register(
        function: Callable[..., list[Measurement]],
    ) -> Callable[..., list[Measurement]]:
        if name in EXPERIMENTS:
            raise ValueError(f"there is already an experiment {name!r}")

        @functools.wraps(function)
        def in_long_turns(*arguments, **options) -> list[Measurement]:
            with bench.long_turns():
                return function(*arguments, **options)

        EXPERIMENTS[name] = in_long_turns
        return in_long_turns

    return register


def find(name: str) -> Callable[..., list[Measurement]]:
    """Return the function of an experiment. Raises KeyError, with the names there are."""
    if name not in EXPERIMENTS:
        raise UnknownNameError(f"no experiment {name!r}; there are {', '.join(EXPERIMENTS)}")
    return EXPERIMENTS[name]


def checked(
    name: str, cases: Callable | None = None, reference: Callable | None = None
) -> Kernel:
    """Load a kernel and check it, since nothing may be timed before. Raises CheckError.

    cases, reference: as `check.check` takes them.
    """
    bench.end_turn()
    kernel = jit.load(name)
    check.check(kernel, reference, cases=cases)
    return kernel


def _recorded(name: str) -> pd.DataFrame:
    """Load the rows of an experiment; none of one that was never recorded."""
    rows = store.load(gpu=store.RECORDED_GPU)
    return rows[rows.experiment == name].reset_index(drop=True)


def measured_or_recorded(name: str, **options) -> pd.DataFrame:
    """Return an experiment's rows, measured now on a GPU, else recorded; print which.

    The columns are those of data/runs.csv. options go to the experiment's function (fewer
    sizes, for instance) when it is measured now. Without a GPU and without a record the table
    is empty, and the printed line says how to make one. Raises KeyError for an unknown name.
    """
    measure = find(name)
    return recorded.measured_or_recorded(
        lambda: store.frame(measure(**options), name),
        lambda: _recorded(name),
        command=f"python tools/record.py '{name}'",
    )
