"""Measure the tests: put small errors into the helpers and count those that a test notices.

    python -m tools.mutate --sample 400 --seed 1    a sample over all modules
    python -m tools.mutate --module model/warps     every mutant of one module

Each mutant runs against its module's own test file (helpers/model/warps.py against
tests/model/test_warps.py) without the slow tests, in a copy of the tree. The sample takes some
of every module, more of the larger ones. Results are kept in build/mutation/, so a run that was
stopped goes on where it was. report.md has the score, its interval, and the survivors, each
with its reason from tests/survivors.csv; a reason changes nothing in the score.
"""

import argparse
import concurrent.futures
import csv
import hashlib
import json
import math
import os
import queue
import random
import re
import shutil
import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

from tools.mutants import Mutant, mutants

ROOT = Path(__file__).resolve().parent.parent
OUTPUT = ROOT / "build" / "mutation"
REASONS = ROOT / "tests" / "survivors.csv"
SIDES = ("model", "testing", "measure", "run")
LEAST = 2  # mutants of each module in a sample
# Without nbval, which takes seconds to load.
OPTIONS = ("-p", "no:nbval", "-o", "addopts=--import-mode=importlib", "-p", "no:cacheprovider")
OPTIONS += ("-m", "not slow and not gpu")
SLACK = 20  # seconds that a mutant may take beyond three times the unchanged test


@dataclass(frozen=True)
class Module:
    """A module under test; `name` is "model/warps"."""

    name: str

    @property
    def path(self) -> Path:
        """Its file, relative to the root."""
        return Path("helpers") / f"{self.name}.py"

    @property
    def test(self) -> Path:
        """Its own test file, relative to the root."""
        name = self.path.relative_to("helpers")
        stem = {"__init__": name.parent.name, "__main__": "main"}.get(name.stem, name.stem)
        return Path("tests") / name.parent / f"test_{stem}.py"

    def source(self) -> str:
        """Return its text."""
        return (ROOT / self.path).read_text(encoding="utf-8")

    def key(self, mutant: Mutant) -> str:
        """Identify a mutant of this module under today's tests."""
        test = ROOT / self.test
        words = [
            self.name,
            self.source(),
            repr(mutant),
            test.read_text() if test.exists() else "",
        ]
        return hashlib.sha256("\0".join(words).encode()).hexdigest()[:16]


def find_modules(prefixes: list[str]) -> list[Module]:
    """List the modules whose names begin with one of the prefixes."""
    paths = sorted((ROOT / "helpers").rglob("*.py"))
    names = [path.relative_to(ROOT / "helpers").with_suffix("").as_posix() for path in paths]
    return [Module(name) for name in names if name.startswith(tuple(prefixes))]


def draw(everything: dict[Module, list[Mutant]], size: int, seed: int) -> list:
    """Draw a stratified sample: some of every module, the rest in proportion to its mutants."""
    chance = random.Random(seed)
    shuffled = {
        module: chance.sample(found, len(found)) for module, found in everything.items()
    }
    taken = {module: min(LEAST, len(found)) for module, found in shuffled.items()}
    while sum(taken.values()) < min(size, sum(map(len, shuffled.values()))):
        # The module that is furthest behind its share.
        share = {m: taken[m] / len(f) for m, f in shuffled.items() if taken[m] < len(f)}
        taken[min(share, key=lambda module: (share[module], module.name))] += 1
    return [
        (module, mutant)
        for module, found in shuffled.items()
        for mutant in found[: taken[module]]
    ]


class Copy:
    """A copy of the tree in which mutants run, with a build cache of its own."""

    def __init__(self, number: int):
        self.folder = OUTPUT / f"copy{number}"
        shutil.rmtree(self.folder, ignore_errors=True)
        listed = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
        files = subprocess.run(
            listed, cwd=ROOT, capture_output=True, text=True, check=True
        ).stdout
        for name in filter(None, files.split("\0")):
            if (ROOT / name).is_file():
                (self.folder / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(ROOT / name, self.folder / name)
        self.warm = OUTPUT / f"cache{number}"  # what an unchanged test leaves in the cache
        self.cache = self.folder / "build" / "cache"
        self.baselines: dict[Path, float | None] = {}

    def run(self, test: Path, timeout: float) -> bool | None:
        """Run a test file: True if it passes, False if it fails, None if it hangs."""
        command = [sys.executable, "-m", "pytest", "-x", "-q", *OPTIONS, str(test)]
        environment = {
            **os.environ,
            "ELEMENTWISE_CACHE": str(self.cache),
            "PYTHONDONTWRITEBYTECODE": "1",
            "PYTHONPATH": str(self.folder),
        }
        process = subprocess.Popen(
            command,
            cwd=self.folder,
            env=environment,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        try:
            return process.wait(timeout) == 0
        except subprocess.TimeoutExpired:
            return None
        finally:
            try:
                os.killpg(process.pid, signal.SIGKILL)  # what it left running
            except ProcessLookupError:
                pass
            process.wait()

    def baseline(self, test: Path) -> float | None:
        """Return the seconds that the unchanged test takes; None if it does not pass."""
        if test not in self.baselines:
            self.run(test, 600)  # fills the cache
            begun = time.monotonic()
            passed = self.run(test, 600)
            self.baselines[test] = time.monotonic() - begun if passed else None
            shutil.rmtree(self.warm, ignore_errors=True)
            if self.cache.exists():
                shutil.copytree(self.cache, self.warm, copy_function=os.link)
        return self.baselines[test]

    def judge(self, module: Module, mutant: Mutant) -> str:
        """Run a mutant: "killed", "hung" (killed too), "survived", or why it could not run."""
        if not (self.folder / module.test).exists():
            return "no test file"
        seconds = self.baseline(module.test)
        if seconds is None:
            return "unchanged test fails"
        target, source = self.folder / module.path, module.source()
        target.write_text(mutant.apply(source), encoding="utf-8")
        try:
            passed = self.run(module.test, 3 * seconds + SLACK)
        finally:
            target.write_text(source, encoding="utf-8")
            shutil.rmtree(self.cache, ignore_errors=True)  # the mutant may have spoilt it
            if self.warm.exists():
                shutil.copytree(self.warm, self.cache, copy_function=os.link)
        return {True: "survived", False: "killed", None: "hung"}[passed]


def wilson(successes: int, total: int) -> tuple[float, float]:
    """Return the 95% confidence interval of a proportion by Wilson's score."""
    z = 1.959964
    share, spread = successes / total, z * z / total
    centre = (share + spread / 2) / (1 + spread)
    half = z / (1 + spread) * math.sqrt(share * (1 - share) / total + spread / total / 4)
    return centre - half, centre + half


@dataclass(frozen=True)
class Reason:
    """Why a mutant may survive: a row of tests/survivors.csv, where … stands for any text."""

    module: str  # such as testing/values, or testing/…
    line: str  # of the source, without its indentation
    changed: str  # the same line of the mutant
    reason: str

    def explains(self, module: str, line: str, changed: str) -> bool:
        """Return whether this is the reason of a mutant: its module, its line, the change."""
        pairs = ((self.module, module), (self.line, line), (self.changed, changed))
        return all(
            re.fullmatch(".*".join(map(re.escape, pattern.split("…"))), text)
            for pattern, text in pairs
        )


def read_reasons() -> list[Reason]:
    """Read the reasons for mutants that survive."""
    with REASONS.open(encoding="utf-8", newline="") as file:
        return [Reason(**row) for row in csv.DictReader(file)]


def reason_of(result: dict, reasons: list[Reason]) -> str:
    """Find the reason of a survivor; "" if there is none."""
    lines = result["diff"].splitlines()[2:]
    line, changed = (
        next((one[1:].strip() for one in lines if one.startswith(sign)), "") for sign in "-+"
    )
    return next((r.reason for r in reasons if r.explains(result["module"], line, changed)), "")


def write_report(results: list[dict], command: str) -> str:
    """Write report.md; return its first lines."""
    killed = sum(result["outcome"] in ("killed", "hung") for result in results)
    low, high = wilson(killed, len(results))
    head = (
        f"{killed} of {len(results)} mutants killed: {killed / len(results):.1%}"
        f" (95% interval {low:.1%} to {high:.1%})"
    )
    survivors = sorted(
        (result for result in results if result["outcome"] not in ("killed", "hung")),
        key=lambda result: (result["module"], result["line"]),
    )
    reasons = read_reasons()
    explained = sum(bool(reason_of(result, reasons)) for result in survivors)
    if survivors:
        head += f"; {explained} of the {len(survivors)} survivors have a reason"
    lines = [
        f"# Mutation run\n\n`{command}`\n\n{head}\n",
        "| module | killed | of |",
        "|---|--:|--:|",
    ]
    for name in sorted({result["module"] for result in results}):
        own = [
            result["outcome"] in ("killed", "hung")
            for result in results
            if result["module"] == name
        ]
        lines.append(f"| {name} | {sum(own)} | {len(own)} |")
    lines.append("\n## Survivors\n")
    for result in survivors:
        where = f"helpers/{result['module']}.py:{result['line']}"
        why = reason_of(result, reasons) or "NO REASON YET"
        lines.append(f"{where} ({result['operator']}), {result['outcome']}: {why}\n")
        lines.append(f"```diff\n{result['diff']}\n```\n")
    (OUTPUT / "report.md").write_text("\n".join(lines), encoding="utf-8")
    return head


def run_all(sample: list, workers: int) -> list[dict]:
    """Run the mutants, those of one module by one worker after each other; keep the results."""
    OUTPUT.mkdir(parents=True, exist_ok=True)
    record = OUTPUT / "results.jsonl"
    lines = record.read_text(encoding="utf-8").splitlines() if record.exists() else []
    known = {result["key"]: result for result in map(json.loads, lines)}
    keys = {(module, mutant): module.key(mutant) for module, mutant in sample}
    waiting: dict[Module, list[Mutant]] = {}
    for module, mutant in sample:
        if keys[module, mutant] not in known:
            waiting.setdefault(module, []).append(mutant)
    copies: queue.Queue[Copy] = queue.Queue()
    for number in range(workers if waiting else 0):
        copies.put(Copy(number))

    def work(module: Module) -> None:
        copy = copies.get()
        for mutant in waiting[module]:
            result = {
                "key": keys[module, mutant],
                "module": module.name,
                "line": mutant.line,
                "operator": mutant.operator,
                "outcome": copy.judge(module, mutant),
                "diff": mutant.diff(module.source(), str(module.path)),
            }
            known[result["key"]] = result
            with record.open("a", encoding="utf-8") as file:
                file.write(json.dumps(result) + "\n")
            print(
                f"{result['outcome']:8} {module.path}:{mutant.line} {mutant.operator}",
                flush=True,
            )
        copies.put(copy)

    with concurrent.futures.ThreadPoolExecutor(workers) as pool:
        list(pool.map(work, sorted(waiting, key=lambda module: -len(waiting[module]))))
    return [known[keys[pair]] for pair in sample]


def main() -> None:
    """Draw a sample, run it, and write the report."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sample", type=int, help="how many mutants (default: all)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--module", nargs="+", default=list(SIDES), help="such as model/warps")
    parser.add_argument("--workers", type=int, default=2)
    chosen = parser.parse_args()
    everything = {module: mutants(module.source()) for module in find_modules(chosen.module)}
    everything = {module: found for module, found in everything.items() if found}
    total = sum(map(len, everything.values()))
    if not total:
        sys.exit(f"no mutants in {' '.join(chosen.module)}")
    sample = draw(everything, chosen.sample or total, chosen.seed)
    print(f"{len(sample)} of {total} mutants of {len(everything)} modules", flush=True)
    print(
        write_report(
            run_all(sample, chosen.workers), " ".join(["python -m tools.mutate", *sys.argv[1:]])
        )
    )


if __name__ == "__main__":
    main()
