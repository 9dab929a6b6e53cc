"""Run the lessons as if this machine had one of the cards of tests/cards.csv, without a GPU.

    python tests/lessons/on_a_card.py "Tesla T4"                  every lesson
    python tests/lessons/on_a_card.py "Tesla T4" 07 17            some
    python tests/lessons/on_a_card.py --all                       every card
    python tests/lessons/on_a_card.py --here "Tesla T4" "Any 9"   this GPU under other names

The card's facts replace the whole of what `helpers.run.gpu.ask` collects. Kernels that a cell
calls run on the emulator; checks and clocks are stand-ins: a check finds everything right, and
a call takes the time of its bytes at 90% of the card's bandwidth. So what runs is everything
that looks at a card: choices by size and capability, tables, predictions, plots.

`--here`, on a machine with a GPU: only the name that the driver reports is another one. Kernels
are launched, but not checked, and each call is timed once.
"""

from __future__ import annotations

import contextlib
import importlib.util
import io
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
import traceback
import types
from dataclasses import replace
from pathlib import Path

TESTS = Path(__file__).resolve().parents[1]


def _conftest():
    spec = importlib.util.spec_from_file_location("cards_conftest", TESTS / "conftest.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def own_course() -> int:
    """Copy the course into a folder of its own, and run this program again there."""
    names = [word for word in sys.argv[1:] if not re.fullmatch(r"--\w+|\d\d", word)]
    unknown = [] if HERE else [name for name in names if name not in CARDS.ROWS]
    if unknown or not (names or "--all" in sys.argv):
        which = (
            f"no card {', '.join(map(repr, unknown))}" if unknown else "name a card, or --all"
        )
        print("\n    ".join([f"{which}; tests/cards.csv has", *CARDS.ROWS]), file=sys.stderr)
        return 2
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        for part in ("kernels", "data", "notebooks"):
            shutil.copytree(TESTS.parent / part, folder / part)
        shutil.copy(TESTS.parent / "pyproject.toml", folder)
        (folder / "kernels" / "mine").mkdir(exist_ok=True)
        environment = {
            **os.environ,
            "ELEMENTWISE_ROOT": str(folder),
            "ELEMENTWISE_CACHE": str(settings.cache_path()),
            "MPLBACKEND": "Agg",
        }
        if "--here" not in sys.argv:
            environment["CUDA_VISIBLE_DEVICES"] = ""  # where a stand-in is, no GPU answers
        command = [sys.executable, __file__, *sys.argv[1:]]
        place = folder / "notebooks"
        return subprocess.run(command, env=environment, cwd=place, check=False).returncode


sys.path.insert(0, str(TESTS.parent))
from helpers import settings

CARDS = _conftest()
HERE = "--here" in sys.argv

if __name__ == "__main__" and Path.cwd() != Path(
    os.environ.get("ELEMENTWISE_ROOT", ""), "notebooks"
):
    sys.exit(own_course())

# ruff: noqa: E402  (the folder is set before anything is loaded)
import matplotlib.pyplot as plt
import torch

from helpers.measure import bench, kept_roofs, ncu, nvml, roofs, runtime_occupancy, timing
from helpers.measure.experiments import divergence, latency, layer_norm, operators
from helpers.measure.libraries import candidates, comparison, correctness
from helpers.measure.measurement import Measurement
from helpers.model.occupancy import occupancy
from helpers.run import gpu, jit, machine
from helpers.sources import source_path
from helpers.teach import notebooks
from helpers.testing import check, wrong_kernels

LESSONS = sorted(
    path.name[:2]
    for path in notebooks.NOTEBOOKS.glob("[0-9][0-9]_*.ipynb")
    if path.name != notebooks.GLOSSARY
)
LARGE = 1 << 20  # elements: larger tensors are not filled
SHARE = 0.9  # of the bandwidth, that every call reaches
UNKNOWN_GBps = 500.0


# ---- the machine -----------------------------------------------------------------------------


def _time_us(bytes_moved: float, bandwidth: float, blocks: int = 0) -> float:
    return 2.0 + bytes_moved / (SHARE * bandwidth * 1e3) + blocks / 1500


def _empty(shape, dtype=torch.float32) -> torch.Tensor:
    """Return a tensor whose pages nobody touches."""
    return torch.empty(shape, dtype=dtype)


class Stage:
    """Put stand-ins in the place of what needs a GPU, for one card."""

    def __init__(self, facts: gpu.GpuFacts):
        found = CARDS.machine_facts(facts)
        self.here = machine.describe(found)
        self.found = found
        self.bandwidth = self.here.spec.dram_GBps or UNKNOWN_GBps

    def set(self) -> None:
        """Put every stand-in in its place."""
        sys.modules["triton"] = None  # it would ask the driver, where it is installed
        self._machine()
        self._kernels()
        self._clocks()
        self._experiments()

    def _machine(self) -> None:
        machine.facts = lambda: self.found
        machine.present = lambda: self.here
        machine.Machine.device = "cpu"
        roofs.this_card.cache_clear()
        bench._say_smaller.cache_clear()
        kept_roofs.load = lambda kind: None
        kept_roofs.save = lambda constants: None
        memory = self.here.memory_bytes
        torch.cuda.mem_get_info = lambda *_: (int(0.97 * memory), memory)
        torch.cuda.memory_reserved = torch.cuda.memory_allocated = lambda *_: 0
        torch.cuda.get_device_properties = lambda *_: (_ for _ in ()).throw(RuntimeError())
        torch.cuda.CUDAGraph = lambda: types.SimpleNamespace(replay=lambda: None)
        torch.cuda.graph = contextlib.nullcontext
        randn, rand = torch.randn, torch.rand

        def unfilled(function):
            def make(*size, **options):
                shape = size[0] if isinstance(size[0], (tuple, list, torch.Size)) else size
                if torch.Size(shape).numel() <= LARGE:
                    return function(*size, **options)
                if 4 * torch.Size(shape).numel() > machine.present().memory_bytes:
                    raise torch.OutOfMemoryError("too large for this card")
                return _empty(shape, options.get("dtype") or torch.float32)

            return make

        if not getattr(randn, "is_stand_in", False):
            torch.randn, torch.rand = unfilled(randn), unfilled(rand)
            torch.randn.is_stand_in = True

    def _kernels(self) -> None:
        emulator = machine.emulator("a stand-in for a GPU", self.here.torch)
        jit.load = lambda name: jit._load(source_path(name), emulator)
        candidates.kernel.cache_clear()
        self._no_checks()

    @staticmethod
    def _no_checks() -> None:
        def verdict(kernel, reference=None, **options):
            cases = options.get("cases")
            if cases is not None:
                next(iter(cases(next(iter(kernel.launchers.values())))), None)
            kernel.verdict = check.Verdict(kernel.name, True, 1, "right in 1 cases")
            return kernel.verdict

        def judge(variant, family):
            right = variant in wrong_kernels.RIGHT
            words = "right in 1 cases" if right else "WRONG: a stand-in [case 1]"
            return check.Verdict(variant.name, right, 1, words)

        check.verdict, wrong_kernels.judge = verdict, judge

    def _clocks(self) -> None:
        def measure_calls(calls, *, bytes_moved, kernel, elements, **options):
            bench._check_arguments(
                options.get("method", "graph hot"), options.pop("precision", 0.005)
            )
            blocks = elements if kernel == "empty" else 0
            took = _time_us(bytes_moved, self.bandwidth, blocks)
            return Measurement(
                kernel=kernel,
                elements=elements,
                dtype=options.pop("dtype"),
                method=options.pop("method", "graph hot"),
                time_us=took,
                low_us=0.99 * took,
                high_us=1.01 * took,
                repeats=24,
                bytes_moved=bytes_moved,
                gpu=self.here.name,
                dials=options.pop("dials", None) or {},
                **options,
            )

        def intervals(work, look=lambda: None):
            return [_time_us(1 << 20, self.bandwidth) for _ in work]

        bench.measure_calls = measure_calls
        bench.gpu_to_itself = contextlib.nullcontext
        bench._gpu_uuid = lambda index: "0"
        nvml.device = lambda uuid: None
        bench.add_buffers = self._add_buffers
        timing.GPU.intervals = intervals
        timing.GPU.synchronize = lambda: None
        timing.wall_clock_us = lambda call, **_: 5.0
        timing.time_interleaved = lambda replays, launches, rounds, warm: {
            name: timing.Times(((10.0 + k,), (10.1 + k,))) for k, name in enumerate(replays)
        }

    def _add_buffers(self, elements, dtype, sets):
        needed = 3 * elements * dtype.itemsize * sets
        if needed > 0.97 * self.here.memory_bytes:
            raise torch.OutOfMemoryError(f"{needed} bytes do not fit")
        one = tuple(_empty(elements, dtype) for _ in range(3))
        return [one] * sets

    def _measure_copy(self, source):
        took = _time_us(2 * source.nbytes, self.bandwidth)
        return Measurement(
            kernel="copy",
            elements=source.numel(),
            dtype="float32",
            method="events",
            time_us=took,
            low_us=took,
            high_us=took,
            repeats=24,
            bytes_moved=2 * source.nbytes,
            gpu=self.here.name,
        )

    def _experiments(self) -> None:
        def fits(total: int) -> None:
            if total > 0.97 * self.here.memory_bytes:
                raise torch.OutOfMemoryError(f"{total} bytes do not fit")

        def inputs(one, elements, dtype):
            dtype = torch.float32 if one.casts_to else dtype
            fits((one.reads + 3) * elements * dtype.itemsize)
            return [_empty(elements, dtype) for _ in range(3 if one.bias else one.reads)]

        operators.Operator.inputs = inputs
        operators.Operator.launcher = lambda one, dtype: lambda *tensors: None
        operators.difference = lambda *_: (0.5, 0.5)
        operators._runs = lambda call, required: True
        layer_norm.norm_error = lambda *_: (0.0, 0.0)
        layer_norm.norm_inputs = lambda rows, columns, dtype: (
            _empty((rows, columns), dtype),
            _empty(columns, dtype),
            _empty(columns, dtype),
        )
        divergence.branch_data = lambda elements, *_: _empty(elements)
        latency._measure_chase = lambda chase, span, clean, name: Measurement(
            kernel="pointer_chase",
            elements=span // 4,
            dtype="int32",
            method="chase",
            time_us=20000.0,
            low_us=20000.0,
            high_us=20000.0,
            repeats=3,
            bytes_moved=1,
            gpu=name,
            sm_cycles=500.0,
            parameter=span,
        )
        roofs.measure_copy = self._measure_copy
        roofs.run_chase = lambda chase, span_bytes, cold: (600.0 if cold else 250.0, 400.0)
        roofs.l2_capacity = lambda card, times: None
        runtime_occupancy.resources = lambda kernel, block_size, shared=0: (
            runtime_occupancy.Resources(
                32, 0, 1024, occupancy(self.here.cc, block_size, 32, shared).blocks
            )
        )
        ncu.ncu = self._no_counters
        comparison.check_course = correctness.check_course = lambda: None
        correctness.chain_is_right = lambda *_, **__: True
        comparison.prepare = lambda *_: lambda: None
        course, torch_add = (
            comparison.Candidate(name, "", lambda inputs, out: lambda: None)
            for name in (candidates.COURSE, "torch")
        )
        comparison.course = comparison.template = lambda operation: course
        comparison.libraries = lambda operation: [torch_add]
        comparison.Operation.reference = lambda one, inputs: None

        def buffers(one, elements, device):
            fits(elements * one.bytes_per_element)
            return [_empty(elements, dtype) for dtype in one.input_dtypes], _empty(
                elements, one.dtype
            )

        comparison.Operation.buffers = buffers

    def _no_counters(self, *_, **__):
        raise ncu.NoCountersError("there is no ncu (Nsight Compute) on this machine")


class Renamed(Stage):
    """Let this GPU's driver report another name; keep measurements short."""

    def __init__(self, name: str):
        found = machine.facts()
        if found.card is None:
            raise SystemExit("--here needs a GPU")
        self.found = replace(found, card=replace(found.card, name=name))
        self.here = machine.describe(self.found)

    def set(self) -> None:
        """Put the name and the short measurements in their places."""
        machine.present = lambda: self.here
        roofs.this_card.cache_clear()
        kept_roofs.load = lambda kind: None
        kept_roofs.save = lambda constants: None
        self._no_checks()
        bench.gpu_to_itself = contextlib.nullcontext
        timing.time_graph = lambda calls, *_, **__: self._replayed(*timing._graph(calls))
        timing.time_wall_clock = lambda call, **_: self._replayed(call, 1)
        timing.time_interleaved = lambda replays, launches, rounds, warm: {
            name: self._replayed(replay, launches) for name, replay in replays.items()
        }
        operators.difference = lambda *_: (0.5, 0.5)
        layer_norm.norm_error = lambda *_: (0.0, 0.0)
        correctness.chain_is_right = lambda *_, **__: True
        comparison.check_course = correctness.check_course = lambda: None
        ncu.ncu = self._no_counters

    @staticmethod
    def _replayed(replay, launches: int) -> timing.Times:
        """Time a replay of `launches` launches twice, after one that warms up."""
        _, *took = timing.GPU.intervals([replay] * 3)
        return timing.Times(tuple((us / launches,) for us in took))


# ---- the lessons -----------------------------------------------------------------------------


def run_lesson(path: Path) -> list[str]:
    """Run a lesson's cells in order; return each error as "07[4] KeyError: ..."."""
    namespace: dict[str, object] = {"display": lambda *_, **__: None}
    failed = []
    for index, cell in enumerate(notebooks.read(path).cells):
        if cell.cell_type != "code":
            continue
        first, _, rest = cell.source.partition("\n")
        if first.startswith("%%writefile"):
            Path(first.split()[-1]).write_text(rest + "\n", encoding="utf-8")
            continue
        try:
            with contextlib.redirect_stdout(io.StringIO()) as said:
                exec(compile(cell.source, f"{path.stem}[{index}]", "exec"), namespace)
        except Exception as error:
            if os.environ.get("SHOW_TRACEBACKS"):
                traceback.print_exc()
            failed.append(f"{path.name[:2]}[{index}] {type(error).__name__}: {error}")
        else:
            if os.environ.get("SHOW_OUTPUT"):
                print(f"--- {path.name[:2]}[{index}]\n{said.getvalue()}", end="")
        finally:
            plt.close("all")
    return failed


def run_card(name: str, lessons: list[str]) -> list[str]:
    """Run lessons on a card; return the errors of its cells."""
    stage = Renamed(name) if HERE else Stage(CARDS.facts_of(CARDS.ROWS[name]))
    stage.set()
    failed = []
    for lesson in lessons:
        (path,) = Path().glob(f"{lesson}_*.ipynb")
        failed += run_lesson(path)
    return failed


def main(arguments: list[str]) -> int:
    """Run the command; return 1 if a cell failed."""
    lessons = [word for word in arguments if word in LESSONS] or LESSONS
    names = [word for word in arguments if word not in LESSONS and word != "--here"]
    cards = list(CARDS.ROWS) if names == ["--all"] else names
    status = 0
    for name in cards:
        began = time.monotonic()
        failed = run_card(name, lessons)
        print(f"{name}: {len(failed)} failed, {time.monotonic() - began:.0f} s", flush=True)
        for line in failed:
            print(f"    {line.partition(chr(10))[0][:200]}", flush=True)
        status |= bool(failed)
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
