"""The tool that makes the environment: which torch it keeps, and what it says before."""

import json
import os
import re
import subprocess
import sys
import venv
import zipfile
from pathlib import Path

import pytest

from helpers import paths
from tests.tools.environments import packages_of, system_python

TOOLS = paths.ROOT / "tools"
CONSTRAINTS = (paths.ROOT / "constraints.txt").read_text(encoding="utf-8")
PINNED = re.search(r"^torch==(\S+)", CONSTRAINTS, flags=re.M)[1]


def run(code: str, **environment: str) -> subprocess.CompletedProcess:
    code = f"import runpy, sys; tool = runpy.run_path({str(TOOLS / 'bootstrap.py')!r}); {code}"
    command = [sys.executable, "-I", "-c", code]
    return subprocess.run(
        command, capture_output=True, text=True, env={**os.environ, **environment}
    )


def test_an_old_python():
    done = run("sys.version_info = (3, 8, 0); tool['check_needs']()")
    assert done.returncode != 0
    assert "Python 3.8 is too old" in done.stderr and "make PYTHON=" in done.stderr


def test_a_missing_compiler():
    done = run("tool['check_needs']()", PATH="", CXX="g++")
    assert done.returncode != 0
    assert "no C++ compiler (g++" in done.stderr and "apt install g++" in done.stderr


def test_a_compiler_with_options():
    done = run("tool['check_compiler']()", CXX="true -O1")
    assert done.returncode == 0, done.stderr


def test_a_full_disk():
    disk = "import shutil; shutil.disk_usage = lambda _: type('', (), {'free': 2**30})"
    done = run(f"{disk}; tool['check_needs']()")
    assert done.returncode != 0
    said = "1.0 GiB are free on this disk, about 2 are needed, with torch 9"
    assert said in done.stderr


@pytest.mark.parametrize(("free", "is_too_full"), [(8.9, True), (9.1, False)])
def test_a_disk_that_is_too_full_for_torch_is_announced(
    tool, monkeypatch, capsys, free, is_too_full
):
    """The installer may find a build for CPUs, so this does not end the set-up."""
    monkeypatch.setattr(tool, "free_gib", lambda: free)
    tool.check_needs()
    tool.say_plan("python3", None, None, PINNED, "")
    said = capsys.readouterr().out
    assert f"torch {PINNED} will be downloaded" in said
    assert ("8.9 GiB are free on this disk: too few for that" in said) == is_too_full


# The torch that fits the driver.


@pytest.fixture
def tool(monkeypatch):
    monkeypatch.syspath_prepend(str(TOOLS))
    import bootstrap

    return bootstrap


@pytest.mark.parametrize(
    ("pinned", "driver", "chosen", "words"),
    [
        ("2.13.0", None, "2.13.0", None),
        ("2.13.0", (13, 0), "2.13.0", None),
        ("2.15.0", (13, 0), "2.15.0", None),
        ("2.13.0", (14, 1), "2.13.0", None),
        ("2.10.0", (12, 4), "2.10.0", None),
        ("2.11.0", (12, 8), "2.10.0", "supports CUDA 12.8, torch 2.11.0 is built for CUDA 13"),
        ("2.13.0", (12, 4), "2.10.0", "torch 2.10.0, built for CUDA 12, is taken"),
        ("2.13.0", (11, 8), "2.13.0", "update the driver"),
        ("9.0.0", (12, 4), "9.0.0", None),
    ],
)
def test_the_torch_that_fits_the_driver(tool, pinned, driver, chosen, words):
    torch, said = tool.choose_torch(pinned, driver)
    assert torch == chosen
    assert words in said if words else said == ""


def test_the_pinned_torch_is_one_whose_cuda_is_known(tool):
    assert tool.pins()[1] == PINNED
    assert tool.numbers(PINNED) <= tool.numbers(tool.NEWEST_TORCH[-1][1]), (
        f"say in tools/bootstrap.py, NEWEST_TORCH, which CUDA torch {PINNED} is built for"
    )
    assert "torch==" not in tool.pins()[0] and "numpy==" in tool.pins()[0]


@pytest.mark.parametrize("made", [None, "constraints.txt", "installed"])
def test_make_clean_leaves_an_environment_that_make_did_not_make(tmp_path, made):
    for folder in (".venv", "build"):
        (tmp_path / folder).mkdir()
    if made:
        (tmp_path / ".venv" / made).touch()
    command = ["make", "-f", str(paths.ROOT / "Makefile"), "-C", str(tmp_path), "clean"]
    assert subprocess.run(command, capture_output=True).returncode == 0
    assert [path.name for path in tmp_path.iterdir()] == ([] if made else [".venv"])


def test_what_is_slow_to_import_and_optional_is_not_installed(tool):
    ours = [line for line in CONSTRAINTS.splitlines() if not line.startswith("torch==")]
    (left_out,) = set(ours) - set(tool.pins()[0].splitlines())
    assert left_out.startswith("rfc3987-syntax==")


def test_notebooks_are_read_without_it():
    code = "import sys; sys.modules['rfc3987_syntax'] = None; import nbformat, jupyter_events"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


NVIDIA_SMI = """\
| NVIDIA-SMI 550.54.15     Driver Version: 550.54.15     CUDA Version: {} |"""


def pretend(folder: Path, name: str, text: str) -> str:
    """Put a program that prints `text` into a folder; return a PATH that begins with it."""
    folder.mkdir(exist_ok=True)
    (folder / name).write_text(f"#!/bin/sh\necho '{text}'\n")
    (folder / name).chmod(0o755)
    return f"{folder}{os.pathsep}{os.environ['PATH']}"


@pytest.mark.parametrize(
    ("said", "cuda"), [("12.4", (12, 4)), ("13.0", (13, 0)), ("N/A", None)]
)
def test_what_nvidia_smi_says(tool, tmp_path, monkeypatch, said, cuda):
    monkeypatch.setattr(tool.platform, "machine", lambda: "x86_64")
    monkeypatch.setenv("PATH", pretend(tmp_path, "nvidia-smi", NVIDIA_SMI.format(said)))
    assert tool.drivers_cuda() == cuda
    monkeypatch.setattr(tool.platform, "machine", lambda: "aarch64")
    assert tool.drivers_cuda() is None


def test_no_nvidia_smi(tool, tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    assert tool.drivers_cuda() is None


def test_the_list_of_pins_is_complete():
    """They are installed without a resolver: whatever one of them needs is in the list."""
    from importlib import metadata

    from packaging.requirements import Requirement
    from packaging.utils import canonicalize_name

    pinned = {Requirement(line).name for line in CONSTRAINTS.splitlines() if line[:1] != "#"}
    pyproject = (paths.ROOT / "pyproject.toml").read_text(encoding="utf-8")
    waiting = []
    for name in ("dependencies", "test"):
        block = re.search(rf"^{name} = \[\n(.*?)^\]", pyproject, flags=re.M | re.S)[1]
        waiting += re.findall(r'^ *"(.*)",$', block, flags=re.M)
    seen = set()
    while waiting:
        need = Requirement(waiting.pop())
        if need.marker and not need.marker.evaluate({"extra": ""}):
            continue
        name = canonicalize_name(need.name)
        assert name in {canonicalize_name(pin) for pin in pinned}, f"{name} has no pin"
        if name != "torch" and name not in seen:
            waiting += metadata.requires(name) or []
        seen.add(name)
    assert len(seen) > 50


# The torch that is there. A stand-in has the metadata of torch and says where it is.


def add_package(site: Path, name: str, version: str) -> None:
    """Install a stand-in of a package into a folder of packages."""
    (site / name).mkdir(parents=True)
    (site / name / "__init__.py").write_text("")
    info = site / f"{name}-{version}.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")


def make_venv(folder: Path, torch: str | None = None) -> Path:
    """Make an environment with a stand-in of torch; return its Python."""
    venv.create(folder, symlinks=True)
    (site,) = folder.glob("lib/python*/site-packages")
    if torch:
        add_package(site, "torch", torch)
    return folder / "bin" / "python"


@pytest.fixture
def own_course(tmp_path):
    """Make a folder whose only pins are torch and one package of an index of its own."""
    folder = tmp_path / "own"
    (folder / "tools").mkdir(parents=True)
    text = (TOOLS / "bootstrap.py").read_text(encoding="utf-8")
    assert "GIB_NEEDED = 2 " in text  # two packages of a few bytes need less
    (folder / "tools" / "bootstrap.py").write_text(
        text.replace("GIB_NEEDED = 2 ", "GIB_NEEDED = 0 ")
    )
    (folder / "constraints.txt").write_text(f"# pins\nspam==1.0\ntorch=={PINNED}\n")
    (folder / "pyproject.toml").write_text("")
    (folder / "helpers").mkdir()
    (folder / "helpers" / "__init__.py").write_text("")
    for name, version in (("spam", "1.0"), ("ham", "2.0"), ("torch", PINNED)):
        add_package(tmp_path / name, name, version)
        info = tmp_path / name / f"{name}-{version}.dist-info"
        (info / "WHEEL").write_text(
            "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any"
        )
        (info / "RECORD").write_text("")
        wheel = tmp_path / "index" / f"{name}-{version}-py3-none-any.whl"
        wheel.parent.mkdir(exist_ok=True)
        with zipfile.ZipFile(wheel, "w") as archive:
            for file in (tmp_path / name).rglob("*"):
                if file.is_file():
                    archive.write(file, file.relative_to(tmp_path / name).as_posix())
    return folder


def set_up(course: Path, python: Path, *options: str, **environment: str):
    """Run the tool of a course with a Python, from an index of two packages."""
    clean = {
        name: value
        for name, value in os.environ.items()
        if name not in ("VIRTUAL_ENV", "CONDA_PREFIX", "PYTHONPATH")
    }
    clean |= {"PIP_NO_INDEX": "1", "PIP_FIND_LINKS": str(course.parent / "index")}
    clean["PIP_CONFIG_FILE"] = os.devnull
    ours = Path(sys.executable).parent  # on PATH where this environment is activated
    entries = os.environ["PATH"].split(os.pathsep)
    clean["PATH"] = os.pathsep.join(entry for entry in entries if Path(entry) != ours)
    return subprocess.run(
        [str(python), "-I", str(course / "tools" / "bootstrap.py"), *options],
        capture_output=True,
        text=True,
        env={**clean, "CXX": "true", **environment},
    )


def where(course: Path, module: str) -> str:
    code = f"import {module}; print({module}.__file__)"
    python = course / ".venv" / "bin" / "python"
    done = subprocess.run([python, "-I", "-B", "-c", code], capture_output=True, text=True)
    return done.stdout.strip() or done.stderr


@pytest.mark.stress
def test_the_torch_of_a_venv_is_kept(own_course, tmp_path):
    """Another is neither announced, nor installed; the venv itself stays as it was."""
    python = make_venv(tmp_path / "theirs", "2.11.0+cu130")
    before = sorted(map(str, (tmp_path / "theirs").rglob("*")))
    done = set_up(own_course, python)
    assert done.returncode == 0, done.stderr
    assert f"setting up .venv with {python} (once)" in done.stdout
    assert "torch 2.11.0+cu130 of that Python is kept" in done.stdout
    assert "download" not in done.stdout
    assert where(own_course, "torch").startswith(str(tmp_path / "theirs"))
    assert where(own_course, "spam").startswith(str(own_course / ".venv"))
    assert where(own_course, "helpers") == str(own_course / "helpers" / "__init__.py")
    assert sorted(map(str, (tmp_path / "theirs").rglob("*"))) == before
    again = set_up(own_course, python)
    assert (again.returncode, again.stdout) == (0, "")  # nothing to be done
    inside = set_up(own_course, own_course / ".venv" / "bin" / "python", "--named")
    assert (inside.returncode, inside.stdout) == (0, "")
    (own_course / "constraints.txt").write_text(f"spam==1.0\n\ntorch=={PINNED}\n")
    inside = set_up(own_course, own_course / ".venv" / "bin" / "python")
    assert "torch 2.11.0+cu130 of that Python is kept" in inside.stdout

    # A copy, and a renamed folder: the programs and the helpers are its own.
    moved = own_course.rename(tmp_path / "moved here")
    assert where(moved, "helpers") == str(moved / "helpers" / "__init__.py")
    assert (set_up(moved, python).returncode, set_up(moved, python).stdout) == (0, "")
    pip = moved / ".venv" / "bin" / "pip"
    assert str(own_course) not in pip.read_text()
    said = subprocess.run([pip, "--version"], capture_output=True, text=True).stdout
    assert str(moved / ".venv") in said


def test_the_torch_of_the_systems_python_is_kept(own_course, tmp_path):
    """Though its distribution manages it (PEP 668): nothing is installed there."""
    python = system_python(tmp_path / "usr")
    add_package(packages_of(python), "torch", "2.12.0")
    done = set_up(own_course, python, "--dry-run")
    assert f"setting up .venv with {python} (once)" in done.stdout, done.stderr
    assert "torch 2.12.0 of that Python is kept" in done.stdout


def test_the_torch_of_a_uv_environment_is_kept(own_course, tmp_path):
    """`uv venv` makes one without pip; `uv run make` activates it."""
    theirs = tmp_path / "theirs"
    make_venv(theirs, "2.12.0")
    with (theirs / "pyvenv.cfg").open("a") as file:
        file.write("uv = 0.13.9\n")
    assert not list(theirs.glob("lib/python*/site-packages/pip"))
    path = f"{theirs / 'bin'}{os.pathsep}{os.environ['PATH']}"
    other = make_venv(tmp_path / "other")  # what `python3` is outside
    done = set_up(own_course, other, "--dry-run", VIRTUAL_ENV=str(theirs), PATH=path)
    assert f"setting up .venv with {theirs / 'bin' / 'python'} (once)" in done.stdout
    assert "torch 2.12.0 of that Python is kept" in done.stdout


def test_uv_leaves_the_courses_environment_alone():
    """Else `uv run` would put the newest torch into the .venv that `make` has made."""
    text = (paths.ROOT / "pyproject.toml").read_text(encoding="utf-8")
    assert "\n[tool.uv]\nmanaged = false\n" in text


@pytest.mark.stress
def test_without_a_torch_the_pinned_one_is_announced_and_installed(own_course, tmp_path):
    python = make_venv(tmp_path / "theirs")
    done = set_up(own_course, python, "--named")
    assert done.returncode == 0, done.stderr
    assert f"torch {PINNED} will be downloaded" in done.stdout
    assert where(own_course, "torch").startswith(str(own_course / ".venv"))
    known = json.loads((own_course / ".venv" / "made_from.json").read_text())
    assert (known["python"], known["folder"]) == (str(python), str(own_course / ".venv"))

    # Another Python is taken only if it is named.
    other = make_venv(tmp_path / "other", "2.12.0")
    assert set_up(own_course, other).stdout == ""
    assert "torch 2.12.0 of that Python" in set_up(own_course, other, "--named").stdout


def test_a_dry_run_changes_nothing(own_course, tmp_path):
    python = make_venv(tmp_path / "theirs", "2.4.1")
    before = sorted(own_course.rglob("*"))
    path = pretend(tmp_path / "bin", "nvidia-smi", NVIDIA_SMI.format("12.4"))
    done = set_up(own_course, python, "--dry-run", "--named", PATH=path)
    assert done.returncode == 0, done.stderr
    assert "torch 2.4.1 of that Python is too old and is not used" in done.stdout
    if os.uname().machine == "x86_64":
        assert "the driver supports CUDA 12.4" in done.stdout
        assert "torch 2.10.0 will be downloaded" in done.stdout
    assert sorted(own_course.rglob("*")) == before


def test_an_environment_of_the_users_in_the_same_place_is_kept(own_course, tmp_path):
    python = make_venv(own_course / ".venv", "2.12.0")
    for start in (python, make_venv(tmp_path / "theirs")):
        done = set_up(own_course, start)
        assert done.returncode != 0
        assert ".venv was not made by `make` and is not replaced" in done.stderr
        assert "install_missing.py" in done.stderr and python.exists()
    (own_course / ".venv" / "constraints.txt").write_text("")  # a set-up that was interrupted
    assert "will be downloaded" in set_up(own_course, python, "--dry-run").stdout


@pytest.mark.stress
def test_a_removal_that_is_interrupted_leaves_no_half_environment(tool, tmp_path, monkeypatch):
    venv, old = tmp_path / ".venv", tmp_path / ".venv.old"
    monkeypatch.setattr(tool, "VENV", venv)
    monkeypatch.setattr(tool, "REPLACED", old)
    venv.mkdir()
    (venv / "constraints.txt").write_text("")

    def interrupted(folder, **_):
        if Path(folder).exists():
            raise KeyboardInterrupt

    monkeypatch.setattr(tool.shutil, "rmtree", interrupted)
    with pytest.raises(KeyboardInterrupt):
        tool.make(None, PINNED, [])
    assert not venv.exists() or (venv / "constraints.txt").exists()
    assert old.exists()
    tool.check_is_ours()


@pytest.mark.parametrize("variable", ["VIRTUAL_ENV", "CONDA_PREFIX", "PATH"])
def test_the_torch_of_an_activated_environment(own_course, tmp_path, variable):
    """`python3` may be another one's, as with a conda whose `bin` has only `python`."""
    plain = make_venv(tmp_path / "plain")
    theirs = make_venv(tmp_path / "theirs", "2.12.0")
    value = str(tmp_path / "theirs")
    if variable == "PATH":
        (tmp_path / "bin").mkdir()
        script = tmp_path / "bin" / "python"
        script.write_text(f'#!/bin/sh\nexec {theirs} "$@"\n')
        script.chmod(0o755)
        value = f"{tmp_path / 'bin'}{os.pathsep}{os.environ['PATH']}"
    done = set_up(own_course, plain, "--dry-run", **{variable: value})
    assert "torch 2.12.0 of that Python is kept" in done.stdout, done.stderr
    named = set_up(own_course, plain, "--dry-run", "--named", **{variable: value})
    assert f"torch {PINNED} will be downloaded" in named.stdout


@pytest.mark.parametrize("pip_is_told", [True, False])
def test_uv_is_used_where_it_is_and_pip_knows_no_other_index(
    tool, tmp_path, monkeypatch, pip_is_told
):
    for name in [name for name in os.environ if name.startswith("PIP_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    if pip_is_told:
        monkeypatch.setenv("PIP_EXTRA_INDEX_URL", "https://example.org/simple")
    monkeypatch.setenv("PATH", pretend(tmp_path, "uv", ""))
    monkeypatch.setattr(tool, "PYTHON", Path(sys.executable))
    command = tool.installer()
    if pip_is_told:
        assert command[:4] == [sys.executable, "-m", "pip", "--disable-pip-version-check"]
        assert {"--no-compile", "--no-warn-conflicts"} < set(command)
    else:
        assert command[0] == str(tmp_path / "uv") and command[-1] == sys.executable


def test_two_processes_install(own_course, tmp_path):
    (own_course / "constraints.txt").write_text(f"spam==1.0\nham==2.0\ntorch=={PINNED}\n")
    done = set_up(own_course, make_venv(tmp_path / "theirs", "2.12.0"))
    assert done.returncode == 0, done.stderr
    for name in ("spam", "ham"):
        assert where(own_course, name).startswith(str(own_course / ".venv"))
    parts = sorted((own_course / ".venv").glob("constraints-*.txt"))
    assert [part.read_text() for part in parts] == ["spam==1.0\n", "ham==2.0\n"]


@pytest.mark.parametrize(  # installed by one process, by two
    "others", [pytest.param("", marks=pytest.mark.stress), "spam==1.0\n"]
)
def test_a_failed_installation_says_what_to_do(own_course, tmp_path, others):
    (own_course / "constraints.txt").write_text(f"{others}eggs==1.0\ntorch=={PINNED}\n")
    done = set_up(own_course, make_venv(tmp_path / "theirs", "2.12.0"))
    assert done.returncode != 0 and not (own_course / ".venv" / "made_from.json").exists()
    assert "could not be installed" in done.stderr and "run make again" in done.stderr
