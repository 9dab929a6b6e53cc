"""Install what the lessons need into the Python that runs this; replace nothing.

    python tools/install_missing.py              on Colab, Kaggle, or an image's own Jupyter
    python tools/install_missing.py --dry-run    say what would be installed

Whoever opens a lesson has a Jupyter: none is installed. What is there is handed to pip as
constraints, so that it can only add. Where that does not go, this says what is in the way.
"""

# ruff: noqa: UP032, RUF005
import platform
import re
import shutil
import subprocess
import sys
import tempfile
from importlib import metadata
from importlib.util import find_spec

import bootstrap

# What opens, executes or compares notebooks; of the other dependencies each lesson uses some.
JUPYTER = {"ipykernel", "jupyterlab", "nbclient", "nbval"}
NEED = re.compile(  # a line of pyproject.toml's dependencies
    r'"(?P<name>[\w-]+)[>=]=(?P<oldest>[\d.]+)(?:,<(?P<below>[\d.]+))?'
    r"(?:; platform_machine in '(?P<on>[^']*)')?\","
)
# A part of the Jupyter that is there, so it fits that: Colab's is 7.7.1 (2026-02).
ANY_VERSION = {"ipywidgets"}
# Of PEP 440. pip refuses a list with any other, such as Debian's 1.1build1.
VERSION = re.compile(
    r"(\d+!)?\d+(\.\d+)*((a|b|rc)\d+)?(\.post\d+)?(\.dev\d+)?(\+[a-z\d.]+)?", re.IGNORECASE
)


def dependencies():
    """Return a match of NEED for each dependency that pyproject.toml lists."""
    text = (bootstrap.ROOT / "pyproject.toml").read_text(encoding="utf-8")
    block = re.search(r"^dependencies = \[\n(.*?)^\]", text, flags=re.M | re.S).group(1)
    return list(NEED.finditer(block))


def wanted():
    """Return the lessons' requirements of pyproject.toml, {"torch": "2.8"}: at least."""
    return {
        need["name"]: "0" if need["name"] in ANY_VERSION else need["oldest"]
        for need in dependencies()
        if need["name"] not in JUPYTER
        and (need["on"] is None or platform.machine() in need["on"].split())
    }


def installed():
    """Return the version of each package that is here, by its normalized name."""
    found = {}
    for one in metadata.distributions():
        if one.metadata["Name"]:
            name = re.sub(r"[-_.]+", "-", one.metadata["Name"]).lower()
            found.setdefault(name, one.version)  # the first on the path is imported
    return found


def check(here, needed):
    """End if a package that is here is too old: it is not replaced."""
    for name, oldest in needed.items():
        if name in here and bootstrap.numbers(here[name]) < bootstrap.numbers(oldest):
            bootstrap.stop(
                "{} {} is here, the course needs {} or newer, and nothing that is here is "
                "replaced".format(name, here[name], oldest),
                "`make lab` makes an environment of the course's own and starts its Jupyter; "
                "or upgrade it yourself: pip install '{}>={}'".format(name, oldest),
            )


def warn(here):
    """Say what is here and newer than the course's range: it is kept, but has a fault."""
    for need in dependencies():
        name, below = need["name"], need["below"]
        if below and name in here and bootstrap.numbers(here[name]) >= bootstrap.numbers(below):
            print(
                "{0} {1} is here and is kept; it has a fault for which a cell may stay pending "
                "(docs/where_it_runs.md). Without it: pip install '{0}<{2}'".format(
                    name, here[name], below
                )
            )


def requirements(here, needed):
    """Return what pip is asked for: what is missing, and a torch that fits the driver."""
    asked = ["{}>={}".format(*item) for item in needed.items() if item[0] not in here]
    if "torch" not in here:
        pinned = bootstrap.pins()[1]
        torch, words = bootstrap.choose_torch(pinned, bootstrap.drivers_cuda())
        if words:
            print(words)
        asked = [one for one in asked if not one.startswith("torch>=")] + ["torch==" + torch]
    return asked


def installer():
    """Return the command that installs into this Python: pip's, or uv's where pip is not."""
    if find_spec("pip"):
        pip = [sys.executable, "-m", "pip", "install", "--disable-pip-version-check"]
        return pip + ["--no-compile"]
    if uv := shutil.which("uv"):
        return [uv, "pip", "install", "--python", sys.executable]
    bootstrap.stop("{} has no pip".format(sys.executable), "python -m ensurepip")


def main(arguments):
    """Install what is missing."""
    dry_run = bootstrap.parse(__doc__, arguments, {}).dry_run
    here, needed = installed(), wanted()
    bootstrap.check_python()
    bootstrap.check_compiler()
    check(here, needed)
    warn(here)
    missing = requirements(here, needed)
    if not missing:
        print("all that the lessons need is here")
        return
    print("to be installed beside what is here:", ", ".join(missing), flush=True)
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as constraints:
        constraints.writelines(
            "{}=={}\n".format(*item) for item in here.items() if VERSION.fullmatch(item[1])
        )
        constraints.flush()
        options = ["--dry-run" if dry_run else "-q", "-c", constraints.name]
        done = subprocess.run(installer() + options + missing)
    if done.returncode:
        bootstrap.stop(
            "pip could not add them to what is here (its own message stands above)",
            "`make lab` makes an environment of the course's own and starts its Jupyter",
        )


if __name__ == "__main__":
    main(sys.argv[1:])
