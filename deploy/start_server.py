"""Start a learner's Jupyter server, in his name: give him his copy of the course first.

The copy comes from a folder (WORKSHOP_COURSE), once; what a learner has is never touched. Or it
comes from a git repository (WORKSHOP_REPOSITORY): nbgitpuller clones it, and brings what the
teacher changed at each later start; where learner and teacher changed the same lines, the
learner's stay. `helpers.teach.fresh` brings a lesson back.
With `--alone` as the first argument it is a JupyterLab without a hub.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from helpers import paths

# Servers of one machine choose their kernels' TCP ports seconds before the kernels bind them,
# so that in a class that starts at once two kernels meet at a port, and one dies for good.
# Sockets that are files in a folder of one's own cannot meet, and nobody else can open them.
TRANSPORT = "--KernelManager.transport=ipc"


def copy_course(course: Path, home: Path) -> Path:
    """Copy the course into a home folder unless it is there; return the copy."""
    own = home / "course"
    if not own.exists():
        part = home / f".course.{os.getpid()}"
        shutil.rmtree(part, ignore_errors=True)
        shutil.copytree(course, part)
        part.rename(own)
    return own


def pull_course(repository: str, branch: str, home: Path) -> Path:
    """Clone the course into a home folder, or merge what is new there; return the copy.

    A learner who has a copy works on with it if the repository cannot be reached.

    Raises:
        RuntimeError: there is neither a copy nor a repository.
    """
    own = home / "course"
    gitpuller = Path(sys.executable).with_name("gitpuller")
    done = subprocess.run([gitpuller, repository, branch, own], check=False)
    if done.returncode and not (own / "notebooks").is_dir():
        raise RuntimeError(
            f"could not clone {repository}, branch {branch}: see above, and look at "
            "WORKSHOP_REPOSITORY and WORKSHOP_BRANCH"
        )
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
        return [sys.executable, "-m", "jupyterlab", "--no-browser", TRANSPORT, *arguments[1:]]
    return [sys.executable, "-m", "jupyterhub.singleuser", TRANSPORT, *arguments]


def main() -> None:
    """Bring the course, then become the server."""
    os.environ.setdefault("ELEMENTWISE_LEARNER", os.environ.get("JUPYTERHUB_USER", ""))
    os.environ["JUPYTER_PATH"] = jupyter_path(dict(os.environ))
    # A socket's path has at most 107 characters: some home folders are too deep.
    os.environ["JUPYTER_RUNTIME_DIR"] = tempfile.mkdtemp(prefix="jupyter-")
    repository = os.environ.get("WORKSHOP_REPOSITORY", "")
    if repository:
        pull_course(repository, os.environ.get("WORKSHOP_BRANCH", "main"), Path.home())
    else:
        copy_course(Path(os.environ["WORKSHOP_COURSE"]), Path.home())
        os.environ["ELEMENTWISE_ORIGINAL"] = os.environ["WORKSHOP_COURSE"]
    os.execv(sys.executable, command(sys.argv[1:]))


if __name__ == "__main__":
    main()
