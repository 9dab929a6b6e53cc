"""The emulator accepts, refuses and runs each file of corpus/ as nvcc and a GPU do.

tools/record_corpus.py has written corpus/verdicts.csv; its docstring names the columns.
"""

import csv
import ctypes
import itertools
import re
from collections import Counter
from pathlib import Path

import pytest
import torch

from helpers import emulator, sources
from helpers.emulator import compile as compiling
from helpers.emulator import front_end, isolated
from helpers.emulator.translate import join_launches
from helpers.errors import CompileError

CORPUS = Path(__file__).parent / "corpus"
FOLDERS = sorted(path.name for path in CORPUS.iterdir() if path.is_dir())
ELEMENTS = 1000
BATCH = 24

needs_clang = pytest.mark.skipif(front_end.problem() is not None, reason="no libclang")


def rows(**wanted):
    with (CORPUS / "verdicts.csv").open(encoding="utf-8", newline="") as file:
        found = list(csv.DictReader(file))
    return [row for row in found if all(row[key] == value for key, value in wanted.items())]


ROWS = rows()


def verdict(name, headers, folder):
    """Judge a corpus file as a build does; only if clang has no objection, ask g++, too."""
    path = CORPUS / f"{name}.cu"
    texts = {file: join_launches(text) for file, text in sources.read_sources(path).items()}
    if front_end.find(path, texts, compiling.compiler(), headers):
        return "refused"
    row = next(row for row in ROWS if row["file"] == name)
    if row["course"] == "refused":  # what is accepted is built in batches, and run
        try:
            emulator.build(path, folder / "kernel.so", headers)
        except CompileError:
            return "refused"
    return "accepted"


def test_every_file_is_recorded():
    files = {f"{path.parent.name}/{path.stem}" for path in CORPUS.glob("*/*.cu")}
    assert files == {row["file"] for row in ROWS}
    assert len(files) >= 150


def test_half_of_the_files_are_refused_and_the_rest_says_what_running_gives():
    count = Counter(row["nvcc"] for row in ROWS)
    assert count["refused"] >= 140 and count["warned"] >= 30
    for row in rows(nvcc="refused"):
        assert row["course"] == "refused", row["file"]
    assert len(rows(course="accepted", run="")) <= 10
    assert not [row for row in rows(course="refused") if row["run"]]


@needs_clang
@pytest.mark.slow
@pytest.mark.sample(9)
@pytest.mark.parametrize(("folder", "part"), list(itertools.product(FOLDERS, range(4))))
def test_the_verdict_is_the_recorded_one(folder, part, headers, tmp_path):
    """Judge each fourth file of a folder."""
    names = [row["file"] for row in ROWS if row["file"].startswith(f"{folder}/")][part::4]
    found = {name: verdict(name, headers, tmp_path) for name in names}
    recorded = {row["file"]: row["course"] for row in ROWS if row["file"] in found}
    assert found == recorded


def batch(names):
    """Return one .cu file with many of the corpus: each in a namespace of its own."""
    includes, bodies = set(), []
    for number, name in enumerate(names):
        text = (CORPUS / f"{name}.cu").read_text(encoding="utf-8")
        includes.update(re.findall(r"^#include <.*>$", text, flags=re.M))
        text = re.sub(r"^#include <.*>$", "", text, flags=re.M)
        text = text.replace(" launch(const float* a", f" launch_{number}(const float* a")
        within = f"namespace case_{number} {{\n{text}\n}}\n"
        bodies.append(f"#pragma nv_diagnostic push\n{within}#pragma nv_diagnostic pop\n")
    return "\n".join([*sorted(includes), *bodies])


def outcome(library, number, front):
    """Return what a launch gives, in the words of the column `run`."""
    a, out = (emulator.guarded(ELEMENTS, torch.float32, 16, front) for _ in range(2))
    a.uniform_()
    out.fill_(torch.nan)
    pointers = [ctypes.c_void_p(x.data_ptr()) for x in (a, out)]
    memory = library.device_memory([*emulator.pages(a), *emulator.pages(out)])
    with memory, library.shared_front(front):
        getattr(library.dll, f"launch_{number}")(*pointers, ctypes.c_int64(ELEMENTS), None)
    fault, error = library.take_fault(""), library.take_error()
    if fault:
        return f"fault: {fault.kind.value}"
    if error:
        return "launch refused"
    return "right" if torch.allclose(out, a + 1) else "wrong"


def outcomes(names, headers, folder):
    """Return what running these files gives, by name: they are built as one library.

    As `check` does, with the inaccessible page behind the tensors and before them.
    """
    source = folder / "batch.cu"
    source.write_text(batch(names), encoding="utf-8")
    emulator.build(source, folder / "batch.so", headers)

    def run_all():
        library = emulator.Library(folder / "batch.so")
        found = {}
        for number, name in enumerate(names):
            isolated.note(name)
            sides = [outcome(library, number, front) for front in (False, True)]
            found[name] = next((side for side in sides if side.startswith("fault")), sides[0])
        return found

    return isolated.run(run_all, name="batch.cu")


RUN = [row["file"] for row in ROWS if row["run"] and "64_kb" not in row["file"]]


# A file of each folder in every run of the tests, and what a GPU does to host code that
# touches its memory; with --stress all of them.
SAMPLE = [
    *{name.partition("/")[0]: name for name in reversed(RUN)}.values(),
    *(name for name in RUN if name.startswith("fault/host_")),
]


def recorded(names):
    return {row["file"]: row["run"] for row in ROWS if row["file"] in names}


def test_a_sample_gives_when_run_what_is_recorded(headers, tmp_path):
    names = list(dict.fromkeys(SAMPLE))
    assert outcomes(names, headers, tmp_path) == recorded(names)


@pytest.mark.stress
@pytest.mark.parametrize("first", range(0, len(RUN), BATCH))
def test_running_gives_what_is_recorded(first, headers, tmp_path):
    names = RUN[first : first + BATCH]
    assert outcomes(names, headers, tmp_path) == recorded(names)
