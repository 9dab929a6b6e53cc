"""The course as a whole: `make run` executes every notebook and prints a table of the kernels.

Notebooks run on a copy under build/run, so a learner's own edits of kernels/ are never overwritten.
"""

from __future__ import annotations

import argparse
import os
import shutil
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import nbformat
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError
from tqdm import tqdm

from helpers import paths
from helpers.errors import CourseError
from helpers.measure import bench, store
from helpers.model import ladder
from helpers.run import jit, machine
from helpers.testing import check

BUILD = paths.ROOT / "build"
COPY = BUILD / "run"
CELL_TIMEOUT_S = 600


def notebooks(folder: Path) -> list[Path]:
    """The course's notebooks in reading order, each one's solutions after it."""
    found = [path for path in folder.rglob("*.ipynb") if ".ipynb_checkpoints" not in path.parts]
    return sorted(found, key=lambda path: (path.stem, len(path.parts)))


def _copy_course() -> None:
    shutil.rmtree(COPY, ignore_errors=True)
    for name in (
        "notebooks",
        "kernels",
        "data",
        "tests",
    ):  # notebook 19 shows the tests' wrong kernels
        ignore = shutil.ignore_patterns(".ipynb_checkpoints", "__pycache__")
        shutil.copytree(paths.ROOT / name, COPY / name, ignore=ignore)


def execute(path: Path, progress: tqdm) -> str | None:
    """Execute one notebook in place and leave an HTML of it. None, or the error that stopped it."""
    notebook = nbformat.read(path, as_version=4)
    client = NotebookClient(
        notebook,
        timeout=CELL_TIMEOUT_S,
        coalesce_streams=True,
        resources={"metadata": {"path": str(path.parent)}},
        extra_arguments=["--IPKernelApp.log_level=ERROR"],
        on_cell_complete=lambda cell, cell_index: progress.update(),
    )
    problem = None
    try:
        client.execute()
    except (CellExecutionError, RuntimeError, TimeoutError) as error:
        problem = str(error).strip().splitlines()[-1]
    nbformat.write(notebook, path)
    from nbconvert import HTMLExporter

    html, _ = HTMLExporter().from_notebook_node(notebook)
    target = BUILD / "html" / path.relative_to(COPY / "notebooks").with_suffix(".html")
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(html, encoding="utf-8")
    return problem


def run(only: list[str]) -> int:
    """Execute every notebook (or those whose name starts with one of `only`) and print the closing table."""
    here = machine.present()
    print(here, flush=True)
    _copy_course()
    os.environ["ELEMENTWISE_ROOT"] = str(COPY)
    os.environ.setdefault("ELEMENTWISE_CACHE", str(BUILD / "cache"))
    paths = [
        p for p in notebooks(COPY / "notebooks") if not only or p.name.startswith(tuple(only))
    ]
    cells = {path: len(nbformat.read(path, as_version=4).cells) for path in paths}
    failed = {}
    began = time.monotonic()
    with tqdm(total=sum(cells.values()), unit="cell", desc="notebooks") as progress:
        for path in paths:
            progress.set_postfix_str(path.stem)
            before = progress.n
            if problem := execute(path, progress):
                failed[path] = problem
            progress.update(before + cells[path] - progress.n)
    print(
        f"{len(paths)} notebooks executed in {time.monotonic() - began:.0f} s; read them in build/html/"
    )
    for path, problem in failed.items():
        print(f"  FAILED {path.relative_to(COPY)}: {problem}")
    wrong = table(here)
    return int(bool(failed) or wrong)


def _add_kernels() -> list[str]:
    return [
        path.stem
        for path in sorted(paths.KERNELS.glob("*.cu"))
        if 'extern "C" void add(' in path.read_text("utf-8")
    ]


def table(here: machine.Machine) -> bool:
    """Print, per kernel, right or wrong, and on a GPU time, bandwidth and share of the roof. True if one is wrong."""
    elements = 1 << 28
    roof = here.spec.dram_GBps if here.is_gpu else None
    print(f"\n{'kernel':<16}{'result':<60}", end="")
    print(
        f"{'time (us)':>10}{'GB/s':>8}{'of roof':>9}   2^28 elements"
        if here.is_gpu
        else "no GPU, so no times"
    )
    any_wrong = False
    for name in _add_kernels():
        kernel = jit.load(name)
        answer = check.verdict(kernel)
        any_wrong |= not answer.ok
        print(f"{name:<16}{answer.message:<60.120}", end="")
        if here.is_gpu and answer.ok:
            try:
                m = bench.measure(kernel, elements, precision=0.01)
                print(
                    f"{m.time_us:>10.1f}{m.gb_per_s:>8,.0f}{m.percent_of(roof):>8.1f}%", end=""
                )
            except (CourseError, RuntimeError) as error:
                print(f"  not measured: {error}", end="")
        print(flush=True)
    return any_wrong


def build_times() -> int:
    """Time cold builds, this course's way and the classic one, and write data/build_times.csv."""
    here = machine.present()
    cores = os.cpu_count()
    where = f"{here.name}, nvcc {here.nvcc}" if here.is_gpu else "g++, no GPU"
    rows = []

    def cold(way: str, names: tuple[str, ...], build: Callable[[str], object]) -> None:
        with tempfile.TemporaryDirectory() as folder:
            os.environ["ELEMENTWISE_CACHE"] = os.environ["TORCH_EXTENSIONS_DIR"] = folder
            began = time.perf_counter()
            for name in tqdm(names, desc=way):
                build(name)
            seconds = time.perf_counter() - began
        print(f"{way}: {len(names)} kernel(s) in {seconds:.1f} s", flush=True)
        rows.append(
            {"way": way, "kernels": len(names), "seconds": seconds, "machine": where}
            | {"cores": cores, "torch": here.torch, "date": store.today()}
        )

    for names in (ladder.NAMES[:1], ladder.NAMES):
        cold(
            "this course, on a GPU" if here.is_gpu else "this course, emulator", names, jit.load
        )
    if here.is_gpu:
        from torch.utils import cpp_extension

        source = str(paths.KERNELS / "v1_f32_classic.cu")
        os.environ["TORCH_CUDA_ARCH_LIST"] = here.cc
        cold(
            "torch/extension.h + PYBIND11",
            ladder.NAMES[:1],
            lambda name: cpp_extension.load(name, [source]),
        )
    store.BUILD_TIMES.append(rows)
    return 0


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m helpers.teach.run_notebooks", description=__doc__
    )
    commands = parser.add_subparsers(dest="command", required=True)
    runs = commands.add_parser(
        "run", help="execute every notebook and print a table of the kernels"
    )
    runs.add_argument("only", nargs="*", help="the beginnings of notebooks' names, such as 01")
    commands.add_parser(
        "build-times", help="time cold builds and record them in data/build_times.csv"
    )
    options = parser.parse_args(arguments)
    problems = [problem for problem in machine.doctor()]
    for problem in problems:
        print(problem, file=sys.stderr)
    if any(problem.blocks for problem in problems):
        return 1
    if options.command == "build-times":
        return build_times()
    return run(options.only)


if __name__ == "__main__":
    sys.exit(main())
