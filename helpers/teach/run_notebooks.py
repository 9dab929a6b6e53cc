"""Execute every notebook and print a table of the kernels: `make run`.

Notebooks run on a copy under build/run, so a learner's own edits of kernels/ are never
overwritten; they are left there and, to be read, as web pages in build/run/site/.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import time
from datetime import date
from pathlib import Path

import nbformat
from tqdm import tqdm

from helpers import paths
from helpers.errors import CourseError, UnknownNameError
from helpers.measure import bench, roofs
from helpers.model import ladder
from helpers.run import jit, machine
from helpers.teach import notebooks
from helpers.teach.kernel_environment import kernel_environment
from helpers.testing import check

COPY = paths.ROOT / "build" / "run"
ELEMENTS = 1 << 28
STOPPED = 130  # what a shell returns of a command that Ctrl-C ended
KERNELS = (*ladder.NAMES, "op_add", "fast_add")


def copy_course(target: Path) -> None:
    """Copy what a notebook reads and writes into an empty folder."""
    shutil.rmtree(target, ignore_errors=True)
    ignore = shutil.ignore_patterns(".ipynb_checkpoints", "__pycache__")
    for name in ("notebooks", "kernels", "data"):
        shutil.copytree(paths.ROOT / name, target / name, ignore=ignore)
    shutil.copy(paths.ROOT / "pyproject.toml", target)  # names the version of the lessons


def execute(path: Path, progress: tqdm) -> str | None:
    """Execute one notebook of the copy and write it.

    Returns None, or the error that stopped it; what ran before it is written all the same.
    """
    notebook = notebooks.read(path)
    problem = notebooks.execute(notebook, path.parent, progress.update)
    notebook.metadata["executed_on"] = f"{machine.present()}, {date.today()}"
    nbformat.write(notebook, path)
    return problem


def execute_all(chosen: list[Path]) -> dict[Path, str]:
    """Execute notebooks one after the other behind a progress bar.

    Returns the error of each that failed.
    """
    failed = {}
    cells = {path: len(notebooks.code_cells(notebooks.read(path))) for path in chosen}
    with tqdm(total=sum(cells.values()), unit="cell", desc="notebooks") as progress:
        for path in chosen:
            progress.set_postfix_str(path.stem)
            end = progress.n + cells[path]
            if problem := execute(path, progress):
                failed[path] = problem
            progress.update(end - progress.n)
    return failed


def run(only: list[str]) -> int:
    """Execute every notebook, or those whose names begin as one of `only`; print the table."""
    here = machine.present()
    print(here, flush=True)
    copy_course(COPY)
    os.environ["ELEMENTWISE_ROOT"] = str(COPY)
    os.environ.update(kernel_environment())
    chosen = notebooks.choose(only, COPY / "notebooks")
    began = time.monotonic()
    failed = execute_all(chosen)
    seconds = time.monotonic() - began
    print(f"{len(chosen)} notebooks executed in {seconds:.0f} s")
    for path, problem in failed.items():
        print(f"  FAILED {path.relative_to(COPY)}: {problem}")
    all_right = print_table(here)
    write_pages()
    return int(bool(failed) or not all_right)


def write_pages() -> None:
    """Write the copy's pages, in a process of its own, which prints their address."""
    where = ["--course", str(paths.ROOT), "--notebooks", str(COPY / "notebooks")]
    command = [sys.executable, "-m", "helpers.teach.site", *where, "--into", str(COPY / "site")]
    subprocess.run(command, check=False)


def print_table(here: machine.Machine) -> bool:
    """Print whether each kernel is right and, on a GPU, its time and its share of the roof.

    Returns whether all are right.
    """
    times = f"{'time (us)':>10}{'GB/s':>8}{'of roof':>9}   2^28 elements"
    print(f"\n{'kernel':<16}{'result':<60}{times if here.is_gpu else 'no GPU, so no times'}")
    all_right = True
    for name in KERNELS:
        kernel = jit.load(name)
        verdict = check.verdict(kernel)
        all_right &= verdict.ok
        measured = _measured(kernel, here) if here.is_gpu and verdict.ok else ""
        print(f"{name:<16}{verdict.message:<60.120}{measured}", flush=True)
    return all_right


def _measured(kernel, here: machine.Machine) -> str:
    try:
        m = bench.measure(kernel, ELEMENTS, precision=0.01)
    except (CourseError, RuntimeError) as error:
        return f"  not measured: {error}"
    share = m.percent_of(roofs.this_gpu().dram_GBps)
    return f"{m.time_us:>10.1f}{m.gb_per_s:>8,.0f}{share:>8.1f}%"


def main(arguments: list[str] | None = None) -> int:
    """Run the command.

    Returns 1 if this machine lacks something, or anything failed; 130 if it was stopped.
    """
    parser = argparse.ArgumentParser(
        prog="python -m helpers.teach.run_notebooks", description=__doc__
    )
    parser.add_argument("only", nargs="*", help="beginnings of notebooks' names, such as 01")
    options = parser.parse_args(arguments)
    try:
        notebooks.choose(options.only, paths.ROOT / "notebooks")
    except UnknownNameError as error:
        parser.error(str(error))
    problems = machine.doctor()
    for problem in problems:
        print(problem, file=sys.stderr)
    if any(problem.blocks for problem in problems):
        return 1
    try:
        return run(options.only)
    except KeyboardInterrupt:
        where = os.path.relpath(COPY)
        print(f"\nstopped: what had been executed lies in {where}", file=sys.stderr)
        return STOPPED


if __name__ == "__main__":
    sys.exit(main())
