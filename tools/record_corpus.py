"""Record what nvcc says of each file of tests/emulator/corpus/.

    python tools/record_corpus.py          compile every file with nvcc; write verdicts.csv
    python tools/record_corpus.py launch   only the files of these folders

Compiling needs nvcc and no GPU: about a second a file. Columns of verdicts.csv:
    file      folder/name, without .cu
    nvcc      accepted, refused, or warned
    number    nvcc's number of the first error or warning, "" if it has none
    course    accepted or refused: as nvcc, but it also refuses REFUSED_WARNINGS (not 20054 of
              libcu++'s barriers, which a build switches off), and what clang finds and nvcc
              does not (uninitialised_in_loop; kept, not written anew)
    run       what launch(a, out) gives, written by hand: "right" (out = a + 1), "wrong",
              "launch refused", "fault: KIND" (`errors.FaultKind`); "" if it is not run
"""

import argparse
import csv
import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from helpers.emulator.front_end import SHARED_BARRIER  # noqa: E402
from helpers.run import nvcc, toolchain  # noqa: E402

CORPUS = ROOT / "tests" / "emulator" / "corpus"
VERDICTS = CORPUS / "verdicts.csv"
COLUMNS = ("file", "nvcc", "number", "course", "run")
# The architecture does not change a verdict: every file is plain CUDA C++.
ARCH = "9.0"
_SAID = re.compile(r"\b(?P<kind>error|warning)\s*(?:#(?P<number>\d+)(?:-D)?)?:")


def names(folders: list[str]) -> list[str]:
    """Return the corpus files, as folder/name, of these folders (all if there are none)."""
    files = sorted(CORPUS.glob("*/*.cu"))
    return [
        f"{path.parent.name}/{path.stem}"
        for path in files
        if not folders or path.parent.name in folders
    ]


def is_refused(name: str, number: str) -> bool:
    """Return whether the course refuses a corpus file for this warning of nvcc's."""
    text = (CORPUS / f"{name}.cu").read_text(encoding="utf-8")
    is_switched_off = number == "20054" and SHARED_BARRIER.search(text)
    return number in nvcc.REFUSED_WARNINGS and not is_switched_off


def judge(name: str) -> tuple[str, str]:
    """Compile a file with nvcc as the course does; return the verdict and its number."""
    with tempfile.TemporaryDirectory() as folder:
        command = [
            toolchain.find_nvcc().path,
            *(flag for flag in nvcc.flags(ARCH) if not flag.startswith("--diag-error")),
            *nvcc.BUILDER_FLAGS,
            "-Xcompiler=-fPIC",
            "-Xcudafe=--display_error_number",
            "-shared",
            "-Xlinker=--no-undefined",
            *(CORPUS / f"{name}.cu", "-o", Path(folder) / "kernel.so"),
        ]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    said = [match for line in done.stderr.splitlines() if (match := _SAID.search(line))]
    if done.returncode:
        errors = [match for match in said if match["kind"] == "error"]
        return "refused", (errors[0]["number"] or "") if errors else ""
    numbers = [match["number"] for match in said if match["kind"] == "warning"]
    of_course = [number for number in numbers if is_refused(name, number)]
    if numbers:
        return "warned", (of_course or numbers)[0] or ""
    return "accepted", ""


def main() -> None:
    """Renew the verdicts."""
    parser = argparse.ArgumentParser(description="Record what nvcc says of the corpus.")
    parser.add_argument("folders", nargs="*", help="of tests/emulator/corpus (default: all)")
    chosen = parser.parse_args()
    with VERDICTS.open(encoding="utf-8", newline="") as file:
        recorded = {row["file"]: row for row in csv.DictReader(file)}
    todo = names(chosen.folders)
    with ThreadPoolExecutor(2) as pool:
        for name, (verdict, number) in zip(todo, pool.map(judge, todo), strict=True):
            row = recorded.setdefault(name, dict.fromkeys(COLUMNS, ""))
            refused = verdict == "refused" or is_refused(name, number)
            course = "refused" if refused else row["course"] or "accepted"
            row.update(file=name, nvcc=verdict, number=number, course=course)
    with VERDICTS.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(recorded[name] for name in names([]) if name in recorded)


if __name__ == "__main__":
    main()
