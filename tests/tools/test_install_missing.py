"""What is missing is added to the Python that is there, and nothing there is replaced."""

import os
import subprocess
import sys
import venv
import zipfile
from types import SimpleNamespace

import pytest
from packaging.requirements import Requirement

from helpers import paths
from tests.tools.environments import system_python

TOOLS = paths.ROOT / "tools"
# Google Colab's, as its list of 2026-06 says (googlecolab/backend-info, pip-freeze.gpu.txt of
# commit 03a8903).
COLAB = {
    "filelock": "3.29.0",
    "ipywidgets": "7.7.1",
    "libclang": "18.1.1",
    "matplotlib": "3.10.0",
    "numpy": "2.0.2",
    "nvidia-ml-py": "13.610.43",
    "pandas": "2.2.2",
    "torch": "2.11.0+cu128",
    "tqdm": "4.67.3",
}


@pytest.fixture
def tool(monkeypatch):
    monkeypatch.syspath_prepend(str(TOOLS))
    import install_missing

    monkeypatch.setattr(install_missing.bootstrap, "drivers_cuda", lambda: None)
    monkeypatch.setenv("CXX", "true")
    return install_missing


@pytest.fixture
def pip(tool, monkeypatch):
    """Keep what pip is called with, and the constraints that it is given."""
    calls = SimpleNamespace(command=None, constraints=None, returncode=0)

    def called(command):
        calls.command = command
        file = command[command.index("-c") + 1]
        with open(file, encoding="utf-8") as constraints:
            calls.constraints = constraints.read().splitlines()
        return SimpleNamespace(returncode=calls.returncode)

    monkeypatch.setattr(tool.subprocess, "run", called)
    return calls


def test_what_the_lessons_need_is_what_pyproject_lists_without_a_jupyter(tool):
    needed = tool.wanted()
    assert {"torch", "ninja", "numpy", "ipywidgets"} <= set(needed)
    assert needed["torch"] == "2.8" and needed["ipywidgets"] == "0"
    assert not {"jupyterlab", "ipykernel", "nbval", "nbclient"} & set(needed)
    assert set(needed) == {*COLAB, "ninja"}


def test_every_line_of_pyproject_is_read(tool, monkeypatch):
    """One that is written in another form would be left out without a word."""
    text = (paths.ROOT / "pyproject.toml").read_text(encoding="utf-8")
    block = text.partition("\ndependencies = [\n")[2].partition("\n]")[0]
    names = {Requirement(line.strip(' ",')).name for line in block.splitlines()}
    monkeypatch.setattr(tool.platform, "machine", lambda: "aarch64")
    assert {*tool.wanted()} | tool.JUPYTER == names
    monkeypatch.setattr(tool.platform, "machine", lambda: "riscv64")
    assert names - {*tool.wanted()} == tool.JUPYTER | {"libclang"}


def test_colab_lacks_ninja_alone(tool, pip, monkeypatch, capsys):
    monkeypatch.setattr(tool, "installed", lambda: COLAB | {"distro-info": "1.1build1"})
    tool.main([])
    assert capsys.readouterr().out == "to be installed beside what is here: ninja>=1.11\n"
    assert pip.command[-1] == "ninja>=1.11" and "-q" in pip.command
    assert pip.constraints == [f"{name}=={version}" for name, version in COLAB.items()]
    tool.main(["--dry-run"])
    assert "--dry-run" in pip.command


@pytest.mark.parametrize(("version", "is_named"), [("6.17.1", False), ("7.3.0", True)])
def test_an_ipykernel_that_is_there_is_kept_and_version_7_is_named(
    tool, pip, monkeypatch, capsys, version, is_named
):
    monkeypatch.setattr(tool, "installed", lambda: COLAB | {"ipykernel": version})
    tool.main([])
    assert f"ipykernel=={version}" in pip.constraints
    assert not any("ipykernel" in word for word in pip.command)
    said = f"ipykernel {version} is here and is kept" in capsys.readouterr().out
    assert said == is_named


def test_nothing_is_missing(tool, pip, monkeypatch, capsys):
    monkeypatch.setattr(tool, "installed", lambda: COLAB | {"ninja": "1.13"})
    tool.main([])
    assert "all that the lessons need is here" in capsys.readouterr().out
    assert pip.command is None


@pytest.mark.parametrize(("driver", "torch"), [((13, 0), None), ((12, 4), "2.10.0")])
def test_a_missing_torch_is_one_that_fits_the_driver(tool, monkeypatch, driver, torch, capsys):
    monkeypatch.setattr(tool.bootstrap, "drivers_cuda", lambda: driver)
    asked = tool.requirements({}, {"torch": "2.8", "ninja": "1.11"})
    assert asked == ["ninja>=1.11", f"torch=={torch or tool.bootstrap.pins()[1]}"]
    assert ("is taken" in capsys.readouterr().out) == bool(torch)


@pytest.mark.parametrize("old", [{"numpy": "1.25.2"}, {"torch": "2.7.1+cu126"}])
def test_what_is_too_old_is_named_and_kept(tool, pip, monkeypatch, old):
    monkeypatch.setattr(tool, "installed", lambda: COLAB | old)
    ((name, version),) = old.items()
    with pytest.raises(SystemExit) as stopped:
        tool.main([])
    assert f"{name} {version} is here, the course needs" in str(stopped.value)
    assert "`make lab`" in str(stopped.value) and pip.command is None


def run(python, folder, *options, **environment):
    """Run the tool with a Python, from an index of its own."""
    set_up = {"PIP_NO_INDEX": "1", "PIP_FIND_LINKS": str(folder), "PIP_CONFIG_FILE": os.devnull}
    return subprocess.run(
        [python, TOOLS / "install_missing.py", *options],
        env={**os.environ, **set_up, "CXX": "true", **environment},
        capture_output=True,
        text=True,
        check=False,
    )


def test_a_system_whose_packages_its_distribution_manages(tmp_path):
    """Nothing is forced upon it: the way out is an environment (PEP 668)."""
    pytest.importorskip("pip")
    python = system_python(tmp_path / "usr", pip=True)
    done = run(python, tmp_path)
    assert done.returncode != 0 and "externally-managed-environment" in done.stderr
    assert "`make lab` makes an environment of the course's own" in done.stderr


def test_uv_serves_an_environment_without_pip(tool, monkeypatch):
    monkeypatch.setattr(tool, "find_spec", lambda name: None)
    monkeypatch.setattr(tool.shutil, "which", lambda name: "/bin/uv" if name == "uv" else None)
    assert tool.installer() == ["/bin/uv", "pip", "install", "--python", sys.executable]
    monkeypatch.setattr(tool.shutil, "which", lambda name: None)
    with pytest.raises(SystemExit, match="has no pip"):
        tool.installer()


def test_pip_cannot(tool, pip, monkeypatch):
    monkeypatch.setattr(tool, "installed", lambda: COLAB)
    pip.returncode = 1
    with pytest.raises(SystemExit, match="pip could not add them"):
        tool.main([])


def test_the_first_on_the_path_counts(tool, monkeypatch):
    names = [("A.b_C", "2"), ("a-b-c", "1"), (None, "3")]
    found = [SimpleNamespace(metadata={"Name": name}, version=v) for name, v in names]
    monkeypatch.setattr(tool.metadata, "distributions", lambda: found)
    assert tool.installed() == {"a-b-c": "2"}


@pytest.mark.stress
def test_pip_adds_and_replaces_nothing(tool, tmp_path):
    """Newer versions of everything are in the index."""
    venv.create(tmp_path / "venv", symlinks=True, with_pip=True)
    python = tmp_path / "venv" / "bin" / "python"
    (site,) = (tmp_path / "venv").glob("lib/python*/site-packages")
    (tmp_path / "index").mkdir()
    for name, version in {**COLAB, "ninja": None}.items():
        stem = name.replace("-", "_")
        if version:
            info = site / f"{stem}-{version}.dist-info"
            info.mkdir()
            (info / "METADATA").write_text(
                f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n"
            )
        with zipfile.ZipFile(
            tmp_path / "index" / f"{stem}-99.0-py3-none-any.whl", "w"
        ) as wheel:
            info = f"{stem}-99.0.dist-info"
            needs = "".join(f"Requires-Dist: {other}\n" for other in COLAB if name == "ninja")
            head = f"Metadata-Version: 2.1\nName: {name}\nVersion: 99.0\n{needs}"
            wheel.writestr(f"{info}/METADATA", head)
            tag = "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
            wheel.writestr(f"{info}/WHEEL", tag)
            wheel.writestr(f"{info}/RECORD", "")
    done = run(python, tmp_path / "index")
    assert done.returncode == 0, done.stderr
    assert sorted(path.name for path in site.glob("*-99.0.dist-info")) == [
        "ninja-99.0.dist-info"
    ]
    assert len(list(site.glob("*.dist-info"))) >= len(COLAB) + 1
