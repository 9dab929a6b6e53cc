"""Start a learner's Jupyter server, in his name: give him his copy of the course first.

The copy is made once; what a learner has is never touched. `make fresh` brings a lesson back.
With `--alone` as the first argument it is a JupyterLab without a hub.
"""

import os
import shutil
import sys
from pathlib import Path

from helpers import paths


def copy_course(course: Path, home: Path) -> Path:
    """Copy the course into a home folder unless it is there; return the copy."""
    own = home / "course"
    if not own.exists():
        part = home / f".course.{os.getpid()}"
        shutil.rmtree(part, ignore_errors=True)
        shutil.copytree(course, part)
        part.rename(own)
    return own


def jupyter_path(environment: dict[str, str]) -> str:
    """Return where JupyterLab looks for what belongs to it, the course's part first.

    That is the kernel of `make lab`, and the colours of cells that write a CUDA file.
    """
    own = str(paths.PACKAGE / "teach" / "jupyter")
    return os.pathsep.join([own, *filter(None, [environment.get("JUPYTER_PATH")])])


def command(arguments: list[str]) -> list[str]:
    """Return the command of the server: with a hub, or alone."""
    if arguments[:1] == ["--alone"]:
        return [sys.executable, "-m", "jupyterlab", "--no-browser", *arguments[1:]]
    return [sys.executable, "-m", "jupyterhub.singleuser", *arguments]


def main() -> None:
    """Copy the course, then become the server."""
    os.environ.setdefault("ELEMENTWISE_LEARNER", os.environ.get("JUPYTERHUB_USER", ""))
    os.environ["JUPYTER_PATH"] = jupyter_path(dict(os.environ))
    copy_course(Path(os.environ["WORKSHOP_COURSE"]), Path.home())
    os.execv(sys.executable, command(sys.argv[1:]))


if __name__ == "__main__":
    main()
