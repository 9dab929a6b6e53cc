"""Every public function refuses nonsense with a sentence, or makes sense of it.

Functions of the model, the measurements and the plots are found by introspection, so that new
ones take part. Each is called with sensible
arguments of which one is nonsense. It must raise a CourseError, ValueError or TypeError whose
sentence names the argument or shows what was given; or return, soon, and without NaNs and
negative amounts.
"""

from __future__ import annotations

import dataclasses
import importlib
import inspect
import math
import pkgutil
import re
import signal
import types
import typing
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager

import numpy as np
import pytest
import torch

from helpers import specs
from helpers.errors import CourseError
from helpers.measure import bench, experiments, recorded, store
from helpers.model import (
    cards,
    divergence,
    ladder,
    littles_law,
    occupancy,
    scheduler,
    shared_memory,
)
from helpers.run import jit
from helpers.run.kernel import Kernel
from helpers.run.trace import trace
from helpers.teach import exercises, tables
from helpers.testing import check, kernel_cases

SECONDS = 2  # a call that takes longer counts as endless

# What a parameter may be given: by its name, else by its type.
NAMED = {
    "addresses": list(range(0, 512, 16)),
    "arch": "sm_90",
    "block": (32, 4),
    "block_size": 256,
    "block_sizes": [64, 128, 192, 256],
    "bytes_of_one": 1 << 20,
    "bytes_per_lane": 8,
    "card": "H200 SXM",
    "cc": "9.0",
    "device": "cpu",
    "dtype": "float32",
    "elements": 1 << 20,
    "fraction": 0.5,
    "kernel": "v1_f32",
    "l2_bytes": 50 << 20,
    "mask": [True] * 32,
    "method": "graph",
    "operation": "add",
    "operator": "add",
    "order": "mixed",
    "p": 0.25,
    "registers": 32,
    "requests": [list(range(0, 512, 16))],
    "role": "test",
    "shared_bytes": 1024,
    "sizes": [1 << 20],
    "takes_a": [True] * 8 + [False] * 24,
    "utilisation": 0.5,
    "values": list(range(32)),
    "version": "V1",
    "warp_size": 32,
}
TYPED = {
    int: 4,
    float: 2.0,
    bool: False,
    specs.Gpu: specs.gpu("H200 SXM"),
    cards.Card: cards.card("H200 SXM"),
    ladder.LaunchShape: ladder.SHAPES["v1_f32"],
    scheduler.Program: scheduler.Program(loads=1, latency=40, alu=2, iterations=3),
}
# Where one name means two things, or a number has to fit another one.
SPECIAL = {
    "specs.gpu": {"name": "H200 SXM"},
    "model.cards.card": {"name": "H200 SXM"},
    "model.ladder.version": {"name": "V1"},
    "model.occupancy.occupancy_by_registers": {"registers": [16, 32]},
    "model.occupancy.occupancy_by_shared_bytes": {"shared_bytes": [0, 1024]},
    "measure.bench.require_method": {"method": "graph hot"},
    "measure.bench.sets_for": {"method": "graph cold"},
    "measure.store.load": {"experiment": "ladder", "gpu": "H200"},
    "measure.libraries.comparison.load": {"gpu": "H200"},
    "measure.experiments.latency.read_registers": {"load_bytes": 4},
    "model.launches.step_shape": {"kernel": "step1_functor"},
    "model.launches.recorded_shape": {"kernel": "template add"},
    "model.l2_capacity.l2_capacity": {"times": {1 << 22: 10.0}},
    "model.specification.estimate": {"constants": {}},
    "model.uncertainty.interval": {"time_us": lambda card: 2.0},
}
# Parameters whose value is one of a few words.
NAMES = ("arch", "card", "cc", "dtype", "gpu", "kernel", "method", "name", "operation")
NAMES += ("operator", "order", "policy", "role", "version", "experiment", "device")
NUMBERS = (-1, 2.5, math.nan, math.inf, -math.inf, "four", None, [], 1j, 10**30, -(10**30))
OTHERS = (None, "", "no such thing", 7, -1, 9.0, math.nan, [], {}, object, "H200 SXM", b"x")
# Programs of their own, and what needs Triton.
LEFT_OUT = ("__main__", "first_launch.child", "triton_kernels")
# What measures for minutes, or writes, once its arguments are sensible.
ACTS = ("main", "measure", "record", "tune", "prebuild", "run", "append", "save", "ncu")
ACTS += ("resources", "compare", "add_buffers", "largest_that_fits", "fitting")
ANY_NAME = ("dtype_name", "launcher_block_size", "version_style")  # take any name
TORCHS_OWN = ("device",)  # PyTorch refuses these, in its own words
SIDES = ("specs", "model", "measure", "teach.plots")


def modules() -> Iterator:
    """Import every module of SIDES."""
    for side in SIDES:
        module = importlib.import_module(f"helpers.{side}")
        yield module
        path = getattr(module, "__path__", ())
        for found in pkgutil.walk_packages(path, f"{module.__name__}."):
            if found.name.endswith(LEFT_OUT):
                continue
            yield importlib.import_module(found.name)


def public_functions() -> dict[str, Callable]:
    """Return the public functions by name, such as "model.occupancy.occupancy"."""
    return {
        f"{module.__name__.removeprefix('helpers.')}.{name}": function
        for module in modules()
        for name, function in vars(module).items()
        if inspect.isfunction(inspect.unwrap(function))
        and function.__module__ == module.__name__
        and not name.startswith(("_", *ACTS))
    }


def kind_of(annotation) -> type | None:
    """Return the first type of an annotation that TYPED knows."""
    unions = (typing.Union, types.UnionType)
    kinds = typing.get_args(annotation) if typing.get_origin(annotation) in unions else ()
    kinds = kinds or (annotation,)
    return next((kind for kind in kinds if isinstance(kind, type) and kind in TYPED), None)


def _is_open(hint) -> bool:
    """Say whether an annotation is missing, a text or a list: its name says what to give."""
    parts = typing.get_args(hint) or (hint,)
    return (
        hint in (None, str) or str in parts or any(typing.get_origin(p) for p in (hint, *parts))
    )


def sensible(name: str, function: Callable) -> dict | None:
    """Return sensible arguments; None if there are none for a parameter."""
    hints, arguments = typing.get_type_hints(function), {}
    for parameter in inspect.signature(function).parameters.values():
        known = SPECIAL.get(name, {})
        hint = hints.get(parameter.name)
        kind = kind_of(hint)
        if parameter.name in known:
            arguments[parameter.name] = known[parameter.name]
        elif parameter.name in NAMED and (kind in (int, float) or _is_open(hint)):
            arguments[parameter.name] = NAMED[parameter.name]
        elif kind is not None:
            arguments[parameter.name] = TYPED[kind]
        elif parameter.default is not parameter.empty:
            arguments[parameter.name] = parameter.default
        else:
            return None
    return arguments


def nonsense(value: object) -> tuple:
    """Return what to give in the place of a sensible value."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return OTHERS
    return NUMBERS


# What Python says where nobody has checked.
OBSCURE = re.compile(
    "object is not|object has no|not supported between|operand type|argument must be"
    "|must be real number|unhashable|cannot be interpreted|cannot convert|invalid literal"
)


class Endless(BaseException):
    """A call took longer than SECONDS."""


@contextmanager
def time_limit() -> Iterator[None]:
    def stop(number, frame):
        raise Endless

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, SECONDS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def numbers_in(result: object, depth: int = 4) -> Iterator[float]:
    """Yield the numbers that a result consists of."""
    if isinstance(result, (bool, str, bytes, type(None))) or not depth:
        return
    if isinstance(result, (int, float, np.number)):
        yield float(result) if abs(result) < 1e300 else math.inf
    elif isinstance(result, np.ndarray):
        yield from (float(x) for x in result.ravel()[:1000] if not isinstance(x, str))
    elif isinstance(result, Mapping):
        for value in result.values():
            yield from numbers_in(value, depth - 1)
    elif dataclasses.is_dataclass(result) and not isinstance(result, type):
        for one in dataclasses.fields(result):
            yield from numbers_in(getattr(result, one.name), depth - 1)
    elif isinstance(result, (list, tuple, set)):
        for value in list(result)[:1000]:
            yield from numbers_in(value, depth - 1)


def names_it(words: str, parameter: str, given: object) -> bool:
    """Say whether a sentence names the argument, or shows what was given."""
    names = {parameter, parameter.replace("_", " "), parameter.rstrip("s")}
    spaced = {name.split("_")[0] for name in names}
    shown = {repr(given), str(given), getattr(given, "__name__", repr(given))}
    shown |= {type(given).__name__} if not isinstance(given, type) else set()
    return any(word and word in words for word in names | spaced | shown)


def complaint(function: Callable, arguments: dict, parameter: str) -> str:
    """Call a function; return what is wrong with what it makes of the argument, or ""."""
    given = arguments[parameter]
    try:
        with time_limit():
            result = function(**arguments)
            numbers = list(numbers_in(result))
    except Endless:
        return "takes too long"
    except (CourseError, ValueError, TypeError, KeyError) as error:
        words = str(error)
        if len(words.split()) < 4:
            return f"{type(error).__name__} is no sentence: {words}"
        if OBSCURE.search(words):
            return f"{type(error).__name__} is obscure: {words}"
        if not names_it(words, parameter, given):
            return f"{type(error).__name__} names neither {parameter} nor the value: {words}"
        return ""
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    if any(math.isnan(x) for x in numbers):
        return "returns NaN"
    if any(x < 0 for x in numbers):
        return "returns a negative number"
    return "" if can_be_right(function, given, parameter) else "takes it in silence"


def can_be_right(function: Callable, given: object, parameter: str) -> bool:
    """Say whether a returned result may be right: not for what no function can take."""
    if isinstance(given, float) and math.isnan(given):
        return False
    if parameter in NAMES and given in ("", "no such thing"):
        return function.__name__ in ANY_NAME
    return given not in ("four", 1j, object, b"x")


FUNCTIONS = {
    name: (function, arguments)
    for name, function in public_functions().items()
    if (arguments := sensible(name, function))
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_sensible_arguments_are_taken(name):
    """Call each once without nonsense: else the refusals below would prove nothing.

    A new parameter may need a line in NAMED or SPECIAL.
    """
    function, arguments = FUNCTIONS[name]
    function(**arguments)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_nonsense_is_refused_with_a_sentence(name):
    function, arguments = FUNCTIONS[name]
    complaints = [
        f"{name}({parameter}={given!r}) {words}"
        for parameter, value in arguments.items()
        if parameter not in TORCHS_OWN and not parameter.startswith("_")
        for given in nonsense(value)
        if (words := complaint(function, {**arguments, parameter: given}, parameter))
    ]
    assert not complaints, "\n".join(complaints)


# ---- what lessons call that takes kernels and tensors


class Built(Kernel):
    """Stands for a kernel that was built."""

    name, on_gpu, launchers = "built", False, {"add": None}

    def __init__(self):
        pass


def traced(kernel, block, warp, seconds):
    """Call `trace` with tensors; without nonsense it would build the kernel."""
    return trace(kernel, block=block, warp=warp, seconds=seconds)


def tried(kernel, reference, ulp, only):
    """Call `check`; without nonsense it would run the kernel."""
    return check.check(kernel, reference, ulp=ulp, only=only)


def answered(name, answer):
    """Mark an answer: any answer gets a mark, which is no number."""
    return str(exercises.mark(name, answer)) and None


LESSONS = {
    "jit.load": (jit.load, {"name": "v1_f32"}),
    "jit.emulated": (jit.emulated, {"kernel": Built()}),
    "trace": (traced, {"kernel": "v1_f32", "block": 0, "warp": 0, "seconds": 1.0}),
    "check.check": (tried, {"kernel": Built(), "reference": "add", "ulp": 0, "only": "add"}),
    "whole_array": (kernel_cases.whole_array, {"function": torch.max}),
    "exercises.mark": (answered, {"name": "12.1", "answer": 3}),
    "ladder_table": (tables.ladder_table, {"rows": store.load("ladder")}),
    "with_predictions": (
        tables.with_predictions,
        {"rows": store.load("ladder"), "card": "H200 SXM", "method": "graph"},
    ),
}
TAKEN = {  # what is no nonsense there, or is refused by its type only
    ("check.check", "kernel"): (object,),
    ("check.check", "reference"): (None, object),
    ("check.check", "only"): (None,),
    ("check.check", "ulp"): (2.5,),
    ("trace", "seconds"): (2.5, None, 10**30),
    ("whole_array", "function"): (object,),
    ("exercises.mark", "answer"): (*NUMBERS, *OTHERS),
    ("ladder_table", "card"): (None, "H200 SXM"),
    ("with_predictions", "card"): (None, "H200 SXM"),
}


@pytest.mark.parametrize("name", LESSONS)
def test_what_lessons_call_refuses_nonsense_with_a_sentence(name, capsys):
    function, arguments = LESSONS[name]
    complaints = [
        f"{name}({parameter}={given!r}) {words}"
        for parameter, value in arguments.items()
        for given in nonsense(value)
        if not any(given is one for one in TAKEN.get((name, parameter), ()))
        if (words := complaint(function, {**arguments, parameter: given}, parameter))
    ]
    assert not complaints, "\n".join(complaints)


@pytest.mark.parametrize("answer", [*NUMBERS, *OTHERS], ids=repr)
def test_any_answer_gets_a_mark(answer, capsys):
    assert exercises.mark("12.1", answer).right in (False, None)


def test_nonsense_that_once_passed():
    """Nonsense of the kinds that were found to pass, or to be refused in obscure words."""
    h200, v6 = specs.gpu("H200 SXM"), ladder.SHAPES["v6_f16x8_pack"]
    for call, words in {
        lambda: divergence.divergence_probability(0.5, -1): "warp_size is -1",
        lambda: shared_memory.column_addresses(0, pitch=-4): "pitch is -4",
        lambda: occupancy.registers_per_warp("9.0", 32.5): "registers is 32.5",
        lambda: occupancy.shared_per_block("9.0", -1): "shared_bytes is -1",
        lambda: dataclasses.replace(v6, block_size=5000): "at most 1024 threads",
        lambda: occupancy.occupancy(9.0, 256, 32): "cc is 9.0",
        lambda: specs.gpu(None): "name is None",
        lambda: littles_law.bytes_in_flight("H200 SXM", 2048, 8): "gpu is 'H200 SXM'",
        lambda: cards.card(h200): "give a text",
        lambda: scheduler.simulate(10**30): "warps is 1000000",
        lambda: scheduler.simulate(10**9): "too much to simulate",
        lambda: occupancy.occupancy_by_registers("no such", 256): "no limits for compute",
        lambda: ladder.launch_shape("v1_f32", "no such"): "no dtype 'no such'",
        lambda: bench.measure("torch.add", -5): "elements is -5",
        lambda: bench.measure("torch.add", 1 << 20, "no such"): "'no such' is not a dtype",
        lambda: bench.measure("torch.add", 1 << 20, method="warm"): "method 'warm'",
        lambda: recorded.add_times(["torch.add"], dtype="no such"): "no dtype 'no such'",
        lambda: recorded.add_times(["torch.add"], method="warm"): "method 'warm'",
        lambda: store.load("no such"): "no experiment 'no such'",
        lambda: store.load("ladder", "no such"): "'no such' is not in data/gpus.csv",
        lambda: experiments.measured_or_recorded("no such"): "no experiment 'no such'",
    }.items():
        with pytest.raises((ValueError, TypeError), match=re.escape(words)):
            call()
