"""Make a Python environment for a stress test: the course's packages, and some of PyPI's."""

import shutil
import subprocess
import sysconfig
import venv
from pathlib import Path

import pytest

from helpers import paths

FOLDER = paths.ROOT / "build" / "environments"  # kept for the next run


def environment(*packages: str) -> Path:
    """Return the bin folder of an environment with these packages as well, made if missing.

    This environment's packages are seen, not copied. Skips the test where PyPI is not reached.
    """
    folder = FOLDER / "-".join(packages)
    stamp = folder / "complete"
    if not stamp.exists():
        shutil.rmtree(folder, ignore_errors=True)
        try:
            venv.create(folder, with_pip=True)
        except (OSError, subprocess.CalledProcessError) as error:  # Debian: python3-venv
            pytest.skip(f"this Python makes no environment with pip: {error}")
        (mine,) = folder.glob("lib/python3*/site-packages")
        (mine / "course.pth").write_text(sysconfig.get_path("purelib") + "\n")
        pip = [folder / "bin" / "python", "-m", "pip", "install", "-q"]
        _install([*pip, "--disable-pip-version-check", *packages])
        stamp.touch()
    return folder / "bin"


def node_program(package: str) -> Path:
    """Return the program of an npm package, installed if missing; skip where npm is not."""
    npm = shutil.which("npm") or pytest.skip("no npm")
    program = FOLDER / "npm" / "node_modules" / ".bin" / package
    if not program.exists():
        (FOLDER / "npm").mkdir(parents=True, exist_ok=True)
        _install([npm, "install", "--silent", "--prefix", FOLDER / "npm", package])
    return program


def _install(command: list) -> None:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        pytest.skip(f"{command[-1]} cannot be installed: {done.stderr[-300:]}")
