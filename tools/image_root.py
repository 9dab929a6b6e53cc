"""Run the steps of deploy/Dockerfile in a Debian root, where no daemon can build the image.

    debootstrap --variant=minbase --include=ca-certificates bookworm /tmp/root
    python -m tools.image_root /tmp/root

As root. Each instruction is followed in its order, with the committed files for COPY. Then the
image's own command is started as the image's user, asked whether it serves, and the first
lesson is run in that user's folder. The base image itself is not tried.

`--bind PATH` shows a file or folder of this machine in the root while it runs: what is needed
to reach PyPI through a mirror (/etc/pip.conf, a certificate).
"""

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import time
import urllib.error
import urllib.request
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
DOCKERFILE = ROOT / "deploy" / "Dockerfile"
PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
PORT = 8898
LESSON = "course/notebooks/00_first_kernel.ipynb"
PATIENCE = 180  # seconds until the image's server answers
IGNORED = ("FROM", "EXPOSE")  # the base is the root that is there


def read_instructions(text: str) -> list[tuple[str, str]]:
    """Return a Dockerfile's instructions, (name, rest), with continued lines joined."""
    lines = [line for line in text.splitlines() if not line.lstrip().startswith("#")]
    joined = re.sub(r"\\\n\s*", "", "\n".join(lines))
    found = [line.split(None, 1) for line in joined.splitlines() if line.strip()]
    return [(name.upper(), rest[0].strip() if rest else "") for name, *rest in found]


def substitute(text: str, variables: dict[str, str]) -> str:
    """Replace $NAME and ${NAME} by a variable's value; by nothing if it has none."""
    return re.sub(r"\$(?:\{(\w+)\}|(\w+))", lambda m: variables.get(m[1] or m[2], ""), text)


@dataclass
class Image:
    """A root that becomes an image: its folder, and what the instructions said so far."""

    folder: Path
    variables: dict[str, str] = field(default_factory=lambda: {"PATH": PATH})
    user: str = "root"
    place: str = "/"
    command: list[str] = field(default_factory=list)

    def inside(self, *command: str, home: str = "/root") -> list[str]:
        """Return the command line that runs a command inside, as the image's user."""
        variables = [f"{name}={value}" for name, value in self.variables.items()]
        enter = ["chroot", f"--userspec={self.user}", str(self.folder)]
        there = ["sh", "-c", 'cd "$0" && exec "$@"', self.place, *command]
        return [*enter, "env", "-i", f"HOME={home}", *variables, *there]

    def follow(self, name: str, rest: str) -> None:
        """Follow one instruction.

        Raises:
            ValueError: this program does not know the instruction.
            CalledProcessError: a RUN failed.
        """
        if name == "ARG":
            variable, _, value = rest.partition("=")
            self.variables.setdefault(variable, value)
        elif name == "ENV":
            pairs = re.findall(r'(\w+)=("[^"]*"|\S+)', rest)
            self.variables |= {n: substitute(v.strip('"'), self.variables) for n, v in pairs}
        elif name == "COPY":
            self._copy(*substitute(rest, self.variables).split())
        elif name == "RUN":
            subprocess.run(self.inside("sh", "-c", rest), check=True)
        elif name == "USER":
            self.user = rest
        elif name == "WORKDIR":
            self.place = substitute(rest, self.variables)
        elif name == "CMD":
            self.command = json.loads(rest)
        elif name not in IGNORED:
            raise ValueError(f"deploy/Dockerfile: {name} is not known here; teach it follow()")

    def _copy(self, source: str, target: str) -> None:
        if source != ".":
            raise ValueError(f"deploy/Dockerfile: COPY {source}: only `.` is known here")
        folder = self.folder / target.lstrip("/")
        folder.mkdir(parents=True, exist_ok=True)
        files = subprocess.run(["git", "archive", "HEAD"], cwd=ROOT, stdout=-1, check=True)
        subprocess.run(["tar", "-x", "-C", folder], input=files.stdout, check=True)


def wait_for(address: str, process: subprocess.Popen) -> None:
    """Wait until a server answers.

    Raises:
        RuntimeError: it ended, or did not answer in time.
    """
    began = time.monotonic()
    while time.monotonic() - began < PATIENCE:
        if process.poll() is not None:
            raise RuntimeError(f"the image's command ended with code {process.returncode}")
        try:
            urllib.request.urlopen(address, timeout=5).close()
            return
        except (urllib.error.URLError, OSError):
            time.sleep(0.5)
    raise RuntimeError(f"the image's command did not answer within {PATIENCE} s")


def try_out(image: Image) -> None:
    """Start the image's command, ask whether it serves, and run the first lesson.

    Raises:
        RuntimeError: the server does not answer.
        CalledProcessError: the lesson fails.
    """
    home = f"/home/{image.user}"
    options = [f"--port={PORT}", "--IdentityProvider.token="]
    server = subprocess.Popen(image.inside(*image.command, *options, home=home))
    try:
        wait_for(f"http://127.0.0.1:{PORT}/api/status", server)
        print("the image's command serves JupyterLab", flush=True)
        execute = ("jupyter", "execute", "--timeout=600", f"{home}/{LESSON}")
        subprocess.run(image.inside(*execute, home=home), check=True)
        print(f"{LESSON}: every cell ran", flush=True)
    finally:
        server.terminate()
        server.wait()


def mount(folder: Path, bound: list[Path]) -> None:
    """Show this machine's devices, processes and some of its files in the root."""
    run = subprocess.run
    run(["mount", "--rbind", "/dev", folder / "dev"], check=True)
    run(["mount", "-t", "proc", "proc", folder / "proc"], check=True)
    shutil.copy("/etc/resolv.conf", folder / "etc" / "resolv.conf")
    for path in bound:
        place = folder / str(path.resolve()).lstrip("/")
        if path.is_dir():
            place.mkdir(parents=True, exist_ok=True)
        else:
            place.parent.mkdir(parents=True, exist_ok=True)
            place.touch()
        run(["mount", "--bind", path.resolve(), place], check=True)


def main(arguments: list[str] | None = None) -> int:
    """Follow the Dockerfile in the root given, and try the image; return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("root", type=Path, help="a Debian root, as debootstrap makes it")
    parser.add_argument("--bind", type=Path, action="append", default=[], metavar="PATH")
    given = parser.parse_args(arguments)
    if not (given.root / "etc" / "debian_version").is_file():
        parser.error(f"{given.root} is no Debian root: run debootstrap first (see --help)")
    if os.geteuid():
        parser.error("chroot needs root: run it with sudo")
    if not os.environ.get("IMAGE_ROOT_UNSHARED"):  # the mounts vanish with the namespace
        again = ["unshare", "--mount", "--propagation", "private", sys.executable, "-m"]
        again += ["tools.image_root", *(sys.argv[1:] if arguments is None else arguments)]
        environment = {**os.environ, "IMAGE_ROOT_UNSHARED": "1"}
        return subprocess.run(again, env=environment, check=False).returncode
    mount(given.root, given.bind)
    image = Image(given.root.resolve())
    for number, (name, rest) in enumerate(read_instructions(DOCKERFILE.read_text()), 1):
        print(f"step {number}: {name} {rest}", flush=True)
        image.follow(name, rest)
    try_out(image)
    return 0


if __name__ == "__main__":
    sys.exit(main())
