"""Make the course's own environment, `.venv`, or say what is missing and how to get it.

    make                                    runs this first, with the user's Python
    python3 tools/bootstrap.py --dry-run    say what would be done, and change nothing

Nothing outside the course's folder is changed. A torch >= 2.8 that the user's Python has is
kept, whether that is the system's or one of a venv, uv or conda: on a cloud image it is the one
that fits the driver. Everything else has the exact versions of constraints.txt.

Uses the standard library only, and syntax that an old Python can read far enough to be told
that it is too old.
"""

# ruff: noqa: UP032, RUF005
import argparse
import hashlib
import json
import os
import platform
import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / ".venv"
REPLACED = ROOT / ".venv.old"
PYTHON = VENV / "bin" / "python"
STAMP = VENV / "made_from.json"
PROCESSES = 2  # that install at once
OLDEST_PYTHON = (3, 10)
OLDEST_TORCH = (2, 8)
# The newest torch on PyPI for each CUDA major version, by the nvidia-cuda-runtime that its
# wheels for Linux x86-64 require (seen 2026-11-21). A driver runs every CUDA of its own major
# version and of older ones (CUDA Compatibility, "minor version compatibility").
NEWEST_TORCH = ((12, "2.10.0"), (13, "2.15.0"))
GIB_NEEDED = 2  # all but torch takes 1
GIB_OF_TORCH = 7  # with its CUDA packages from PyPI; a build for CPUs takes less than 1
# jsonschema judges addresses in other alphabets by it, if it is there. Nothing here has any;
# its import takes 1.6 s of the processor in each program that reads a notebook.
SLOW_AND_OPTIONAL = "rfc3987-syntax"

# A first line that a shell and Python both read, as pip writes it.
THROUGH_A_SHELL = rb"""#!/bin/sh
'''exec' "\1" "$0" "$@"
' '''
"""

PROBE = """
import importlib.metadata, json, sys
try:
    torch = importlib.metadata.version("torch")
except importlib.metadata.PackageNotFoundError:
    torch = None
sites = [p for p in sys.path if p.endswith(("site-packages", "dist-packages"))]
found = {"prefix": sys.prefix, "version": sys.version_info[:2], "torch": torch, "sites": sites}
print(json.dumps(found))
"""


def stop(problem, remedy):
    """End with a problem and what helps."""
    sys.exit("\nCannot set up the course: {}.\n    -> {}\n".format(problem, remedy))


def numbers(version):
    """Return the first two numbers of a version: (2, 11) of "2.11.0+cu130"."""
    return tuple(int(part) for part in re.findall(r"\d+", version)[:2])


def probe(python):
    """Ask a Python for its prefix, its torch and its package folders; None if it is no use."""
    try:
        done = subprocess.run(
            [str(python), "-c", PROBE],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            cwd=os.path.dirname(__file__),
        )
        return json.loads(done.stdout.decode())
    except (OSError, ValueError):
        return None


def usable_torch(found):
    """Return the version of the torch that a Python has, if it is new enough, or None."""
    torch = found and found["torch"]
    return torch if torch and numbers(torch) >= OLDEST_TORCH else None


def find_python(is_named):
    """Return the Python to start from, and what it has: the user's own, if it has a torch.

    Otherwise that of an activated environment, or the one called `python`, if that has one.
    is_named: the user has named this Python, so that no other is looked for.
    """
    mine = probe(sys.executable)
    if is_named or usable_torch(mine):
        return sys.executable, mine
    folders = [os.environ.get(name) for name in ("VIRTUAL_ENV", "CONDA_PREFIX")]
    others = [os.path.join(folder, "bin", "python") for folder in folders if folder]
    for python in others + [shutil.which("python")]:
        found = python and probe(python)
        if usable_torch(found) and tuple(found["version"]) >= OLDEST_PYTHON:
            if Path(found["prefix"]) != VENV:
                return python, found
    return sys.executable, mine


def drivers_cuda():
    """Return the newest CUDA version that the NVIDIA driver supports, (12, 4), or None."""
    if platform.machine() != "x86_64":
        return None  # NEWEST_TORCH does not speak of other wheels
    try:
        done = subprocess.run(["nvidia-smi"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    except OSError:
        return None
    said = done.stdout.decode(errors="replace")
    match = re.search(r"CUDA[\w ]* Version *: *(\d+)\.(\d+)", said)
    return match and (int(match.group(1)), int(match.group(2)))


def choose_torch(pinned, driver):
    """Choose the torch to install: the pinned one, or the newest that fits the driver.

    driver: its CUDA version, or None. Returns the version, and a sentence if it is another one
    or if none fits, else "".
    """
    cuda = next((c for c, newest in NEWEST_TORCH if numbers(pinned) <= numbers(newest)), None)
    if driver is None or cuda is None or cuda <= driver[0]:
        return pinned, ""
    words = "the driver supports CUDA {}.{}, torch {} is built for CUDA {}".format(
        *driver, pinned, cuda
    )
    fitting = [(c, newest) for c, newest in NEWEST_TORCH if c <= driver[0]]
    if not fitting:
        return pinned, words + ": update the driver, or kernels will run on the emulator"
    cuda, newest = fitting[-1]
    return newest, words + ": torch {}, built for CUDA {}, is taken".format(newest, cuda)


def pins():
    """Return the lines of constraints.txt for `.venv` without torch, and torch's version."""
    text = (ROOT / "constraints.txt").read_text(encoding="utf-8")
    text = re.sub("^{}==.*\n?".format(SLOW_AND_OPTIONAL), "", text, flags=re.M)
    torch = re.search(r"^torch==(\S+).*\n?", text, flags=re.M)
    return text.replace(torch.group(0), ""), torch.group(1)


def free_gib():
    """Return the free space of the course's disk, GiB."""
    return shutil.disk_usage(str(ROOT)).free / 2**30


def check_needs():
    """End unless Python, the C++ compiler and the free disk space suffice."""
    check_python()
    check_compiler()
    if free_gib() < GIB_NEEDED:
        stop(
            "{:.1f} GiB are free on this disk, about {} are needed, with torch {}".format(
                free_gib(), GIB_NEEDED, GIB_NEEDED + GIB_OF_TORCH
            ),
            "free some space, or clone the course onto a larger disk",
        )


def check_is_ours():
    """End if there is a .venv that this tool has not made: it is not replaced."""
    ours = ("constraints.txt", "installed")  # the latter by an earlier version
    if VENV.exists() and not any((VENV / name).exists() for name in ours):
        stop(
            "{} was not made by `make` and is not replaced".format(VENV),
            "use it as it is: {} tools/install_missing.py; or remove it, then run make "
            "again".format(PYTHON),
        )


def check_python():
    """End unless this Python is new enough."""
    if sys.version_info < OLDEST_PYTHON:
        stop(
            "Python {}.{} is too old; the course needs 3.10 or newer".format(
                *sys.version_info[:2]
            ),
            "install a newer one and name it: make PYTHON=python3.12 ...",
        )


def check_compiler():
    """End unless there is a C++ compiler."""
    compiler = os.environ.get("CXX", "g++")
    if not shutil.which(compiler.split()[0]):
        stop(
            "no C++ compiler ({} is not on PATH)".format(compiler),
            "sudo apt install g++ (Debian, Ubuntu); sudo dnf install gcc-c++ (Fedora); "
            "conda install -c conda-forge cxx-compiler; or set CXX",
        )


def installer():
    """Return the command that installs into .venv: uv's if it is here and pip is not set up.

    uv takes a tenth of the time, but knows nothing of the indexes that pip was told.
    """
    pip = [str(PYTHON), "-m", "pip", "--disable-pip-version-check"]
    told = subprocess.run(pip + ["config", "list"], stdout=subprocess.PIPE).stdout
    uv = shutil.which("uv")
    if uv and not re.search(rb"index|find-links", told):
        return [uv, "pip", "install", "--quiet", "--python", str(PYTHON)]
    # Each module is compiled when it is first imported: half of the time goes into the others.
    # Packages of the image that do not fit the pins are not used with them: no word about it.
    options = ["-q", "--progress-bar", "on", "--no-compile", "--no-warn-conflicts"]
    return pip + ["install"] + options


def run(command, problem, remedy):
    """Run a command; end with the problem and its remedy if it fails."""
    done = subprocess.run([str(word) for word in command], cwd=str(ROOT))
    if done.returncode:
        stop(problem, remedy)


def install_pins(install, constraints, failed):
    """Install what a list pins, half by one process and half by another.

    Only the first is heard, so that their bars do not mix. Where one of them fails, and for the
    words that say why, one process installs them all.
    """
    lines = constraints.read_text(encoding="utf-8").splitlines()
    names = [line for line in lines if line and line[0] != "#"]
    running = []
    for part in range(PROCESSES if len(names) >= PROCESSES else 0):
        own = constraints.with_name("constraints-{}.txt".format(part))
        own.write_text("\n".join(names[part::PROCESSES]) + "\n", encoding="utf-8")
        command = install + ["--no-deps", "-r", str(own)]
        heard = subprocess.DEVNULL if part else None
        running.append(subprocess.Popen(command, cwd=str(ROOT), stdout=heard, stderr=heard))
    if not running or any([one.wait() for one in running]):
        run(install + ["--no-deps", "-r", constraints], *failed)  # the list is complete


def add_to_path(sites):
    """Let .venv see the course, wherever its folder is moved, and packages of other folders."""
    (own,) = VENV.glob("lib/python*/site-packages")
    lines = [os.path.relpath(str(ROOT), str(own))]
    lines += ["import site; site.addsitedir({!r})".format(site) for site in sites]
    (own / "elementwise.pth").write_text("\n".join(lines) + "\n", encoding="utf-8")


def make(torch, torch_of_the_image, sites):
    """Make .venv anew, with the torch of this Python or, if that is None, its own."""
    if VENV.exists():  # under its name, a half deleted one would not be known as ours
        shutil.rmtree(str(REPLACED), ignore_errors=True)
        VENV.rename(REPLACED)
    VENV.mkdir()
    constraints = VENV / "constraints.txt"
    constraints.write_text(pins()[0], encoding="utf-8")
    run(
        [sys.executable, "-m", "venv", VENV],
        "python -m venv failed",
        "sudo apt install python3-venv (Debian, Ubuntu), then run make again",
    )
    failed = (
        "the course's packages could not be installed (the installer's message stands above)",
        "check the network connection and the free disk space, then run make again",
    )
    shutil.rmtree(str(REPLACED), ignore_errors=True)
    install = installer()
    install_pins(install, constraints, failed)
    if torch_of_the_image is None:
        run(install + ["torch==" + torch, "-c", constraints], *failed)
    add_to_path(sites if torch_of_the_image else [])


def digest():
    """Return a hash of what says which versions are installed, and how."""
    names = ("pyproject.toml", "constraints.txt", "tools/bootstrap.py")
    content = b"".join((ROOT / name).read_bytes() for name in names)
    return hashlib.sha256(content).hexdigest()


def made_from():
    """Return what .venv was made from, if it is whole and its Python still runs, else {}."""
    try:
        known = json.loads(STAMP.read_text(encoding="utf-8"))
        command = [str(PYTHON), "-I", "-c", "import sys; print(sys.version)"]
        version = subprocess.run(command, stdout=subprocess.PIPE).stdout.decode().strip()
        return known if known["version"] == version else {}
    except (OSError, ValueError, KeyError):
        return {}


def move(before):
    """Let the programs of a .venv that was copied or renamed start its own Python."""
    for path in (VENV / "bin").iterdir():
        if path.is_file() and not path.is_symlink():
            content = path.read_bytes()
            if b"\0" not in content and before.encode() in content:
                content = content.replace(before.encode(), str(VENV).encode())
                if " " in str(VENV):  # the first line cannot name such a program
                    content = re.sub(rb"\A#!(/.* .*)\n", THROUGH_A_SHELL, content)
                path.write_bytes(content)


def say_plan(python, kept, too_old, torch, words):
    """Say what is kept, what will be installed, and where, before anything is done."""
    print("setting up .venv with {} (once); nothing outside of it is changed".format(python))
    if kept:
        print("  torch {} of that Python is kept".format(kept))
        return
    if too_old:
        print("  torch {} of that Python is too old and is not used".format(too_old))
    if words:
        print("  " + words)
    words = "  torch {} will be downloaded, on Linux with CUDA: {} GB"
    print(words.format(torch, GIB_OF_TORCH))
    if free_gib() < GIB_NEEDED + GIB_OF_TORCH:  # which build comes, only the installer knows
        print("  {:.1f} GiB are free on this disk: too few for that".format(free_gib()))
    sys.stdout.flush()


def main(arguments):
    """Make the environment, unless it was made from the same versions.

    --dry-run: only say what would be done. --named: the user named this Python.
    """
    parse(__doc__, arguments, {"--named": "the user named this Python"})
    known = made_from()
    if os.path.realpath(sys.prefix) == str(VENV):  # it cannot make itself anew
        start(known.get("python", getattr(sys, "_base_executable", sys.executable)), arguments)
    is_named = "--named" in arguments
    same_python = not is_named or known.get("prefix") == sys.prefix
    if known.get("digest") == digest() and same_python:
        if known["folder"] != str(VENV):
            move(known["folder"])
            STAMP.write_text(json.dumps(dict(known, folder=str(VENV))), encoding="utf-8")
        return
    check_is_ours()
    python, found = find_python(is_named)
    if found and found["prefix"] != sys.prefix:
        start(python, arguments + ["--named"])
    kept = usable_torch(found)
    torch, words = choose_torch(pins()[1], drivers_cuda())
    check_needs()
    say_plan(python, kept, found and found["torch"], torch, words)
    if "--dry-run" not in arguments:
        make(torch, kept, found["sites"])
        known = {"python": python, "prefix": sys.prefix, "version": sys.version}
        known.update(digest=digest(), folder=str(VENV))
        STAMP.write_text(json.dumps(known), encoding="utf-8")


def parse(description, arguments, flags):
    """Print the usage for --help, and refuse all words but --dry-run and `flags`."""
    raw = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(
        description=description, formatter_class=raw, allow_abbrev=False
    )
    for flag, words in dict(flags, **{"--dry-run": "only say what would be done"}).items():
        parser.add_argument(flag, action="store_true", help=words)
    return parser.parse_args(arguments)


def start(python, arguments):
    """Go on as another Python."""
    sys.stdout.flush()
    os.execv(python, [python, "-I", __file__] + arguments)


if __name__ == "__main__":
    main(sys.argv[1:])
