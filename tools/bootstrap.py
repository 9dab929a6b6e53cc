"""Make the course's own environment, `.venv`, or say what is missing and how to get it.

Run by `make` with the user's Python before anything is installed, so it uses the standard
library only, and syntax that an old Python can read far enough to be told that it is too old.

A torch >= 2.8 that the user's Python already has is kept: on a cloud GPU's image it is the one
that fits the driver. Otherwise, and for everything else, the exact versions of constraints.txt
are installed.
"""

# ruff: noqa: UP032, RUF005
import hashlib
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / ".venv"
PYTHON = VENV / "bin" / "python"
STAMP = VENV / "installed"
OLDEST_PYTHON = (3, 10)
OLDEST_TORCH = (2, 8)
GIB_WITH_TORCH = 9  # torch and its CUDA packages take 7 GB from PyPI, all the rest 1
GIB_WITHOUT = 2


def stop(problem, remedy):
    """End with a problem and what helps."""
    sys.exit("\nCannot set up the course: {}.\n    -> {}\n".format(problem, remedy))


def torch_of_the_image():
    """Return the version of the torch that the user's own Python has, (2, 11), or None."""
    code = "import importlib.metadata as m; print(m.version('torch'))"
    done = subprocess.run(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    )
    match = re.match(r"(\d+)\.(\d+)", done.stdout.decode())
    return (int(match.group(1)), int(match.group(2))) if match else None


def check_needs(keeps_torch):
    """End unless Python, the C++ compiler and the free disk space suffice."""
    if sys.version_info < OLDEST_PYTHON:
        stop(
            "Python {}.{} is too old; the course needs 3.10 or newer".format(
                *sys.version_info[:2]
            ),
            "install a newer one and name it: make PYTHON=python3.12 ...",
        )
    compiler = os.environ.get("CXX", "g++")
    if not shutil.which(compiler):
        stop(
            "no C++ compiler ({} is not on PATH)".format(compiler),
            "sudo apt install g++ (Debian, Ubuntu); sudo dnf install gcc-c++ (Fedora); "
            "conda install -c conda-forge cxx-compiler; or set CXX",
        )
    need = GIB_WITHOUT if keeps_torch else GIB_WITH_TORCH
    free = shutil.disk_usage(str(ROOT)).free / 2**30
    if free < need:
        stop(
            "{:.1f} GiB are free on this disk, about {} are needed".format(free, need),
            "free some space, or clone the course onto a larger disk",
        )


def run(command, problem, remedy):
    """Run a command; end with the problem and its remedy if it fails."""
    done = subprocess.run([str(word) for word in command], cwd=str(ROOT))
    if done.returncode:
        stop(problem, remedy)


def main():
    """Make the environment, unless it was made from the same versions."""
    digest = hashlib.sha256(sys.version.encode())
    for name in ("pyproject.toml", "constraints.txt"):
        digest.update((ROOT / name).read_bytes())
    if STAMP.exists() and STAMP.read_text() == digest.hexdigest() and PYTHON.exists():
        return
    torch = torch_of_the_image()
    keeps_torch = torch is not None and torch >= OLDEST_TORCH
    check_needs(keeps_torch)
    print("setting up .venv (once; a few minutes, most of it downloads) ...", flush=True)
    shutil.rmtree(str(VENV), ignore_errors=True)
    command = [sys.executable, "-m", "venv", VENV]
    if keeps_torch:
        command.append("--system-site-packages")
    run(
        command,
        "python -m venv failed",
        "sudo apt install python3-venv (Debian, Ubuntu), then run make again",
    )
    pins = (ROOT / "constraints.txt").read_text()
    if keeps_torch:
        print("keeping the torch {}.{} of {}".format(*torch, sys.executable), flush=True)
        pins = re.sub(r"^torch==.*$", "", pins, flags=re.M)
    (VENV / "constraints.txt").write_text(pins)
    pip = [PYTHON, "-m", "pip", "install", "--disable-pip-version-check"]
    run(
        pip + ["-q", "--progress-bar", "on", "-e", ".[test]", "-c", VENV / "constraints.txt"],
        "pip could not install the course's packages (its own message stands above)",
        "check the network connection and the free disk space, then run make again",
    )
    STAMP.write_text(digest.hexdigest())


if __name__ == "__main__":
    main()
