"""Execute notebooks on this machine and write their outputs in place, ready to be committed.

    python -m tools.execute_notebooks               all of them, one after the other
    python -m tools.execute_notebooks 07 12 --workers 4
    python -m tools.execute_notebooks --changed     those whose code is not what was executed
    python -m tools.execute_notebooks --verify      check the committed outputs, execute nothing

A notebook is written only if it ran to its end and passes `helpers.teach.notebooks.problems`;
its metadata then say which machine executed it (`executed_on`) and a hash of the code
(`executed_source`). Needs nbformat, nbclient and ipykernel beside what the lessons import.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from queue import SimpleQueue

import nbformat

from helpers.errors import UnknownNameError
from helpers.measure import store
from helpers.run import machine
from helpers.teach import notebooks
from helpers.teach.kernel_environment import kernel_environment, own_gpu

ROOT = Path(__file__).resolve().parent.parent


def executed_on(facts: dict[str, str | None]) -> str:
    """Describe the machine in one line, from `store.provenance()`; a CPU has fewer facts."""
    parts = [
        facts["gpu"],
        facts["driver"] and f"driver {facts['driver']}",
        facts["cuda"] and f"CUDA {facts['cuda']}",
        f"torch {facts['torch']}",
        facts["date"],
        f"commit {facts['commit']}",
    ]
    return ", ".join(part for part in parts if part)


def has_changed(path: Path) -> bool:
    """Say whether a notebook's code differs from the code that made its outputs."""
    notebook = notebooks.read(path)
    return notebook.metadata.get("executed_source") != notebooks.source_digest(notebook)


def was_executed_on_a_gpu(path: Path) -> bool:
    """Say whether a notebook's outputs are those of a GPU, by its metadata."""
    return ", driver " in notebooks.read(path).metadata.get("executed_on", "")


def execute(path: Path, stamp: str, variables: dict[str, str]) -> list[str]:
    """Execute one notebook, its kernel with `variables`, and write it.

    Returns the problems for which it was not written.
    """
    notebook = notebooks.read(path)
    if error := notebooks.execute(notebook, path.parent, variables=variables):
        return [error]
    notebook.metadata["executed_on"] = stamp
    notebook.metadata["executed_source"] = notebooks.source_digest(notebook)
    notebooks.clean(notebook, ROOT)
    if found := notebooks.problems(notebook):
        return found
    aside = path.with_name(f".{path.name}.new")
    nbformat.write(notebook, aside)
    os.replace(aside, path)
    return []


def report(path: Path, found: list[str], what: str) -> None:
    """Print one notebook's result, its problems each on a line."""
    print(f"{path.parent.name}/{path.name}: {what}", flush=True)
    for words in found:
        print(f"    {words}", flush=True)


def execute_all(chosen: list[Path], workers: int) -> int:
    """Execute notebooks, `workers` at a time, and print each as it is done.

    Of several GPUs each worker has its own; notebooks that time on one GPU wait for each other.
    Returns how many were not written.
    """
    os.environ.update(kernel_environment())
    stamp = executed_on(store.provenance())
    print(stamp, flush=True)

    free = SimpleQueue()  # numbers of workers
    for worker in range(workers):
        free.put(worker)

    def one(path: Path) -> bool:
        began = time.monotonic()
        worker = free.get()
        found = execute(path, stamp, own_gpu(worker))
        free.put(worker)
        seconds = time.monotonic() - began
        report(path, found, f"NOT written, {seconds:.0f} s" if found else f"{seconds:.0f} s")
        return bool(found)

    with ThreadPoolExecutor(workers) as pool:
        return sum(pool.map(one, chosen))


def parse(arguments: list[str] | None) -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("only", nargs="*", help="beginnings of notebooks' names, such as 07")
    parser.add_argument("--changed", action="store_true", help="only those whose code changed")
    parser.add_argument(
        "--verify", action="store_true", help="run nothing; check what is there"
    )
    parser.add_argument(
        "--workers",
        type=int,
        default=1,
        metavar="N",
        help="notebooks at once; on a GPU what one runs disturbs some times of the others",
    )
    parser.add_argument(
        "--replace-gpu-outputs",
        action="store_true",
        help="let the CPU emulator write over outputs of a GPU",
    )
    parser.add_argument("--folder", type=Path, default=ROOT / "notebooks", help="of notebooks")
    return parser.parse_args(arguments)


def main(arguments: list[str] | None = None) -> int:
    """Run the command. Returns 0, 1 if a notebook has problems, 2 if nothing may be written."""
    options = parse(arguments)
    try:
        chosen = notebooks.choose(options.only, options.folder)
    except UnknownNameError as error:
        print(error, file=sys.stderr)
        return 2
    if options.changed:
        chosen = [path for path in chosen if has_changed(path)]
    if not chosen:
        print("no notebook to execute")
        return 0
    if options.verify:
        found = {path: notebooks.problems(notebooks.read(path)) for path in chosen}
        for path, words in found.items():
            report(path, words, "wrong" if words else "right")
        return int(any(found.values()))
    if not machine.present().is_gpu and not options.replace_gpu_outputs:
        if kept := [path.name for path in chosen if was_executed_on_a_gpu(path)]:
            print(
                f"no GPU here: the emulator would write over a GPU's outputs of {kept[0]}"
                f" and {len(kept) - 1} more; --replace-gpu-outputs allows it",
                file=sys.stderr,
            )
            return 2
    return int(execute_all(chosen, options.workers) > 0)


if __name__ == "__main__":
    sys.exit(main())
