"""Make a Python environment for a stress test: the course's packages, and some of PyPI's."""

import subprocess
import sys
import sysconfig
import venv
from pathlib import Path

import pytest


def environment(folder: Path, *packages: str) -> Path:
    """Make an environment with more packages than this one has, and return its bin folder.

    This environment's packages are seen, not copied. Skips the test where PyPI is not reached.
    """
    venv.create(folder, with_pip=True)
    (mine,) = folder.glob("lib/python3*/site-packages")
    (mine / "course.pth").write_text(sysconfig.get_path("purelib") + "\n")
    python = folder / "bin" / "python"
    command = [python, "-m", "pip", "install", "-q", "--disable-pip-version-check", *packages]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        pytest.skip(f"{', '.join(packages)} cannot be installed: {done.stderr[-300:]}")
    return python.parent


def without_pythonpath(variables: dict) -> dict:
    """Return variables for processes of the environment, whose Python is this one's."""
    assert sys.version_info >= (3, 10)
    return {name: value for name, value in variables.items() if name != "PYTHONPATH"}
