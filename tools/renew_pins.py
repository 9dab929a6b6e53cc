"""Renew constraints.txt: resolve pyproject.toml's ranges afresh for Python 3.10 to 3.14.

    python tools/renew_pins.py                   renew everything but torch
    python tools/renew_pins.py --torch 2.14.0    renew torch too

Needs uv (`pip install uv`), whose resolver covers all Python versions and platforms at once.
Afterwards run `make test`, and commit the change.
"""

import argparse
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PINS = ROOT / "constraints.txt"
HEADER = """\
# Exact versions for the tests and for the course's own .venv, on Python 3.10 to 3.14.
# Written by tools/renew_pins.py. Ranges for users stand in pyproject.toml.
"""
# One version for all Pythons, except where no single version has wheels for all of them.
HELD = """\
numpy<2.3 ; python_version < "3.14"
numpy>=2.4,<2.5 ; python_version >= "3.14"
"""
# torch names the exact CUDA packages that it needs, and a CPU build needs none; ours are these.
OF_TORCH = re.compile(r"(?:nvidia|cuda|triton)\b(?!-cuda-nvdisasm|-ml-py)")
OPTIONS = (
    "--extra test --extra site --universal --python-version 3.10 --fork-strategy fewest"
    " --no-annotate --no-header --quiet --constraints -"
)


def torch_pin() -> str:
    """Return the version of torch that constraints.txt has now."""
    return re.search(r"^torch==(\S+)", PINS.read_text(encoding="utf-8"), flags=re.M)[1]


def resolve(torch: str) -> list[str]:
    """Return a pin for each package that the course and its tests need, sorted by name."""
    command = [sys.executable, "-m", "uv", "pip", "compile", "pyproject.toml", *OPTIONS.split()]
    held = f"torch=={torch}\n{HELD}"
    done = subprocess.run(command, cwd=ROOT, input=held, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"uv could not resolve the ranges:\n{done.stderr}")
    return [line for line in done.stdout.splitlines() if not OF_TORCH.match(line)]


def main() -> None:
    """Write constraints.txt."""
    parser = argparse.ArgumentParser(description="Renew constraints.txt.")
    parser.add_argument("--torch", default=torch_pin(), help="its version (default: as now)")
    pins = resolve(parser.parse_args().torch)
    before = PINS.read_text(encoding="utf-8").splitlines()
    PINS.write_text(HEADER + "\n".join(pins) + "\n", encoding="utf-8")
    print(f"{len(pins)} pins written, {len(set(pins) - set(before))} of them new")


if __name__ == "__main__":
    main()
