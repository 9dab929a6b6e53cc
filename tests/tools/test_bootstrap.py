"""The tool that makes the environment: what it says when something is missing."""

import os
import subprocess
import sys

import pytest

from helpers import paths

TOOL = str(paths.ROOT / "tools" / "bootstrap.py")


def run(code: str, **environment: str) -> subprocess.CompletedProcess:
    code = f"import runpy, sys; tool = runpy.run_path({TOOL!r}); {code}"
    command = [sys.executable, "-I", "-c", code]
    return subprocess.run(
        command, capture_output=True, text=True, env={**os.environ, **environment}
    )


def test_an_old_python():
    done = run("sys.version_info = (3, 8, 0); tool['check_needs'](False)")
    assert done.returncode != 0
    assert "Python 3.8 is too old" in done.stderr and "make PYTHON=" in done.stderr


def test_a_missing_compiler():
    done = run("tool['check_needs'](False)", PATH="", CXX="g++")
    assert done.returncode != 0
    assert "no C++ compiler (g++" in done.stderr and "apt install g++" in done.stderr


@pytest.mark.parametrize(("keeps_torch", "need"), [(False, 9), (True, 2)])
def test_a_full_disk(keeps_torch, need):
    disk = "import shutil; shutil.disk_usage = lambda _: type('', (), {'free': 2**30})"
    done = run(f"{disk}; tool['check_needs']({keeps_torch})")
    assert done.returncode != 0
    assert f"1.0 GiB are free on this disk, about {need} are needed" in done.stderr


def test_the_torch_of_the_image():
    done = run("print(tool['torch_of_the_image']())")
    assert done.stdout.startswith("(2, ")
