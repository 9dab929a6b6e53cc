"""Elementwise to the Roof: the package that keeps the notebooks' cells short.

A lesson says `from helpers import jit, check`; each name below is a module that is loaded when
it is first used. Behind the names are six sides, and imports go down this list only:

    teach       how is it shown? plots, tables, exercises, running notebooks
    measure     how fast? timing, roofs, the record in data/, experiments, libraries, counters,
                machine code
    testing     is it right? cases, references, the checker, diagnoses
    run         a .cu file as a Python callable: toolchain, build, launcher, first launch
    emulator    a .cu file as a CPU library
    model       what should happen? ladder, occupancy, warps, coalescing, ceilings; no torch
    (ground)    course, errors, paths, progress, settings, specs, sources
"""

from importlib import import_module

_MODULES = {
    "course": "helpers.course",
    "jit": "helpers.run.jit",
    "machine": "helpers.run.machine",
    "check": "helpers.testing.check",
    "bench": "helpers.measure.bench",
    "store": "helpers.measure.store",
    "recorded": "helpers.measure.recorded",
    "roofs": "helpers.measure.roofs",
    "sass": "helpers.measure.sass",
    "experiments": "helpers.measure.experiments",
    "occupancy": "helpers.model.occupancy",
    "coalescing": "helpers.model.coalescing",
    "ceilings": "helpers.model.ceilings",
    "ladder": "helpers.model.ladder",
    "trace": "helpers.run.trace:trace",
    "plots": "helpers.teach.plots",
    "guesses": "helpers.teach.guesses",
    "exercises": "helpers.teach.exercises",
}


def __getattr__(name: str):
    if name in _MODULES:
        module, _, attribute = _MODULES[name].partition(":")
        found = import_module(module)
        return getattr(found, attribute) if attribute else found
    raise AttributeError(
        f"module 'helpers' has no attribute {name!r}; it has {', '.join(sorted(_MODULES))}"
    )


def __dir__() -> list[str]:
    return sorted({*globals(), *_MODULES})
