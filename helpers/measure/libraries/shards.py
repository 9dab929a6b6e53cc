"""Measure a list of settings on all GPUs of a machine: one process each, resumable, timed.

A process takes every k-th setting, appends the rows of each to the table as they come, and
skips the settings that have rows of this GPU. Kernels are built meanwhile, by as many processes
as the machine has cores; a setting waits for its own. What the libraries compile is compiled
ahead (`ahead`), while others are measured.
"""

from __future__ import annotations

import argparse
import dataclasses
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from helpers.measure import store
from helpers.measure.libraries import ahead
from helpers.measure.libraries.interleaved import Setting
from helpers.measure.table import Table
from helpers.run import machine, nvml

MOST_BUILDERS = 32
LOAD = "import sys; from helpers.run import jit; jit.load(sys.argv[1])"


@dataclasses.dataclass(frozen=True)
class Plan:
    """What is measured, and where it is written."""

    module: str  # to be run with `python -m`
    table: Table
    key: Sequence[str]  # columns that tell one setting's rows from another's
    settings: Callable[[], list[Setting]]
    key_of: Callable[[Setting], tuple]
    rows: Callable[[Setting], Iterable[dict]]
    sources: Callable[[list[Setting]], list[Path]]  # the .cu files to build first, of some
    prepare: Callable[[Setting], Setting] | None = None  # compiles ahead, in a worker


def measured(plan: Plan, table: Table, commit: str = "") -> set[tuple]:
    """Return the keys that the table has of this GPU, of any commit or of one.

    Without a GPU, those of every card.
    """
    if not table.path.exists():
        return set()
    rows = table.load(latest=False)
    here = machine.present()
    if here.is_gpu:
        rows = rows[rows.gpu == here.name]
    if commit:
        rows = rows[rows.commit.fillna("").str.rstrip("+") == commit.rstrip("+")]
    rows = rows[list(plan.key)]
    rows = rows.astype(object).where(rows.notna(), "")
    return set(rows.itertuples(index=False, name=None))


def work(
    plan: Plan,
    table: Table,
    shard: int,
    shards: int,
    until: float,
    now: Callable[[], float] = time.time,
    commit: str = "",
) -> int:
    """Measure this shard's settings until the clock says `until`; return how many were tried.

    commit: rows of another one do not count as measured.
    """
    done = measured(plan, table, commit)
    own = [s for s in plan.settings()[shard::shards] if plan.key_of(s) not in done]
    with ahead.compiled(own, plan.prepare, ahead.workers(shards), until, now) as ready:
        return _measure(plan, table, ready, len(own), f"GPU {shard}", until, now)


def _measure(
    plan: Plan,
    table: Table,
    ready: Iterable[Setting],
    total: int,
    gpu: str,
    until: float,
    now: Callable[[], float],
) -> int:
    common: dict = {}
    count = 0
    for count, setting in enumerate(ready, start=1):
        began = now()
        if began >= until:
            print(f"{gpu}: time is up, {total - count + 1} are left", flush=True)
            return count - 1
        common = common or store.provenance()
        try:
            found = [common | row for row in plan.rows(setting)]
        except Exception as error:  # the next setting may do
            print(f"{gpu}: {setting}: {type(error).__name__}: {error}", flush=True)
            continue
        if found:
            table.append(found)
        print(f"{gpu}: {count}/{total} {setting}: {now() - began:.1f} s", flush=True)
    return count


def build(sources: Sequence[Path]) -> None:
    """Build kernels, several at a time; a file that fails is said, and left to its users."""

    def one(path: Path) -> str:
        command = [sys.executable, "-c", LOAD, str(path)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        return f"{path.name}: {done.stderr.strip()[-400:]}" if done.returncode else ""

    began = time.time()
    workers = max(1, min(MOST_BUILDERS, os.cpu_count() or 1))
    with ThreadPoolExecutor(workers) as pool:
        for said in filter(None, pool.map(one, sources)):
            print(said, flush=True)
    print(f"built {len(sources)} files in {time.time() - began:.0f} s", flush=True)


def run(plan: Plan, table: Table, seconds: float, gpus: int, commit: str = "") -> None:
    """Share the settings among the GPUs until the time is up; build the kernels meanwhile."""
    processes = start(plan, table, time.time() + seconds, gpus, commit)
    done = measured(plan, table, commit)
    build(plan.sources([one for one in plan.settings() if plan.key_of(one) not in done]))
    for process in processes:
        process.wait()
    done = measured(plan, table, commit)
    print(f"{len(done)} of {len(plan.settings())} settings are recorded")


def start(
    plan: Plan, table: Table, until: float, gpus: int, commit: str
) -> list[subprocess.Popen]:
    """Start a process for each of `gpus` GPUs, or for each of those that are visible."""
    command = [sys.executable, "-u", "-m", plan.module, "--output", str(table.folder)]
    visible = os.environ.get("CUDA_VISIBLE_DEVICES")
    names = visible.split(",") if visible else [str(number) for number in range(gpus)]
    gpus = min(gpus, len(names))
    processes = []
    for shard in range(gpus):
        environment = os.environ | {
            "CUDA_VISIBLE_DEVICES": names[shard],
            "ELEMENTWISE_SANDBOX": "0",
            "TORCHINDUCTOR_COMPILE_THREADS": "1",  # the workers of `ahead` are enough
        }
        own = ["--shard", f"{shard}/{gpus}", "--until", str(until)]
        own += ["--commit", commit] if commit else []
        processes.append(subprocess.Popen([*command, *own], env=environment))
    return processes


def main(plan: Plan, arguments: Sequence[str] | None = None) -> None:
    """Read the command line and measure, or list what would be measured."""
    parser = argparse.ArgumentParser(description=f"Measure {plan.table.name}.")
    parser.add_argument("--seconds", type=float, default=400, help="stop after so many")
    parser.add_argument("--output", type=Path, default=plan.table.folder, help="a folder")
    parser.add_argument("--gpus", type=int, help="use so many (default: all)")
    parser.add_argument("--list", action="store_true", help="print the settings")
    again = "measure again what another commit has measured"
    parser.add_argument("--again", action="store_true", help=again)
    parser.add_argument("--commit", default="", help=argparse.SUPPRESS)
    parser.add_argument("--shard", help=argparse.SUPPRESS)
    parser.add_argument("--until", type=float, help=argparse.SUPPRESS)
    given = parser.parse_args(arguments)
    table = dataclasses.replace(plan.table, folder=given.output)
    commit = given.commit or (store.commit() if given.again else "")
    only = {"commit": commit} if commit else {}
    if given.list:
        done = measured(plan, table, commit)
        for setting in plan.settings():
            print("done" if plan.key_of(setting) in done else "    ", setting)
    elif given.shard:
        shard, shards = map(int, given.shard.split("/"))
        work(plan, table, shard, shards, given.until, **only)
    else:
        table.path.parent.mkdir(parents=True, exist_ok=True)
        if not table.path.exists() and plan.table.path.exists():
            shutil.copy(plan.table.path, table.path)
        run(plan, table, given.seconds, given.gpus or max(1, nvml.count()), **only)
