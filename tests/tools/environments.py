"""Make Pythons for tests: an environment with packages of PyPI, a system's own Python."""

import shutil
import subprocess
import sys
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
        # Not as a path: .venv may have its torch through a .pth file of its own.
        line = f"import site; site.addsitedir({sysconfig.get_path('purelib')!r})\n"
        (mine / "course.pth").write_text(line)
        pip = [folder / "bin" / "python", "-m", "pip", "install", "-q"]
        _install([*pip, "--disable-pip-version-check", *packages])
        stamp.touch()
    return folder / "bin"


def node_program(package: str, version: str) -> Path:
    """Return the program of an npm package, installed if missing; skip where npm is not."""
    npm = shutil.which("npm") or pytest.skip("no npm")
    folder = FOLDER / f"npm-{version}"
    program = folder / "node_modules" / ".bin" / package
    if not program.exists():
        folder.mkdir(parents=True, exist_ok=True)
        _install([npm, "install", "--silent", "--prefix", folder, f"{package}@{version}"])
    return program


def _install(command: list) -> None:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        pytest.skip(f"{command[-1]} cannot be installed: {done.stderr[-300:]}")


def system_python(prefix: Path, pip: bool = False) -> Path:
    """Make a Python that is no environment and that its distribution manages (PEP 668).

    It is a prefix of its own with links to this Python's standard library, and to its pip.
    Returns its program, PREFIX/bin/python3.N; `packages_of` has its folder of packages.
    """
    version = "python{}.{}".format(*sys.version_info)
    library = prefix / "lib" / version
    library.mkdir(parents=True)
    for path in Path(sysconfig.get_path("stdlib")).iterdir():
        if path.name not in ("site-packages", "dist-packages", "EXTERNALLY-MANAGED"):
            (library / path.name).symlink_to(path)
    (library / "EXTERNALLY-MANAGED").write_text("[externally-managed]\nError=Use apt.\n")
    program = prefix / "bin" / version
    program.parent.mkdir()
    shutil.copy(Path(sys.executable).resolve(), program)
    packages_of(program).mkdir(parents=True, exist_ok=True)
    if pip:
        (packages_of(program) / "pip").symlink_to(Path(sysconfig.get_path("purelib"), "pip"))
    return program


def packages_of(python: Path) -> Path:
    """Return the folder in which a Python looks for packages."""
    asked = [python, "-I", "-c", "import site; print(site.getsitepackages()[-1])"]
    said = subprocess.run(asked, capture_output=True, text=True, check=True).stdout
    return Path(said.strip())
