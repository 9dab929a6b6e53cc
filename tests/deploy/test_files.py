"""deploy/: what can be said of it without a hub, a daemon or a cluster."""

import json
import os
import re
import runpy
import shutil
import stat
import subprocess
from pathlib import Path
from types import SimpleNamespace

import pytest
import yaml
from traitlets.config import Config

from helpers import paths, settings

DEPLOY = paths.ROOT / "deploy"
FILES = [
    path
    for path in [*DEPLOY.iterdir(), *paths.ROOT.glob(".binder/*"), *paths.ROOT.glob(".dev*/*")]
    if path.is_file()
]


def configure(monkeypatch, tmp_path, **variables):
    """Load the hub's configuration; returns it, and the variables of the first learners."""
    for name in ("GPUS", "BOARD", "MEMORY", "BUILDS", "IDLE", "COURSE"):
        monkeypatch.delenv(f"WORKSHOP_{name}", raising=False)
    monkeypatch.setenv("WORKSHOP_DATA", str(tmp_path / "data"))
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    c = Config()
    runpy.run_path(str(DEPLOY / "jupyterhub_config.py"), {"get_config": lambda: c})

    def learner(number):
        user = SimpleNamespace(name=f"learner{number}", orm_user=SimpleNamespace(id=number))
        spawner = SimpleNamespace(user=user, environment=dict(c.Spawner.environment))
        c.Spawner.pre_spawn_hook(spawner)
        return spawner.environment

    return c, [learner(number) for number in (1, 2, 3)]


def test_learners_are_spread_over_the_gpus(monkeypatch, tmp_path):
    _, given = configure(monkeypatch, tmp_path, WORKSHOP_GPUS="0, MIG-1")
    assert [g["CUDA_VISIBLE_DEVICES"] for g in given] == ["0", "MIG-1", "0"]
    assert not any("ELEMENTWISE_MACHINE" in g for g in given)


def test_without_gpus_and_board_it_is_the_emulator_and_nothing_is_recorded(
    monkeypatch, tmp_path
):
    c, given = configure(monkeypatch, tmp_path)
    assert {g["ELEMENTWISE_MACHINE"] for g in given} == {"emulator"}
    assert not any("ELEMENTWISE_MARKS" in g for g in given)
    assert (c.Spawner.mem_limit, given[0]["ELEMENTWISE_BUILDS"]) == ("2G", "2")
    modes = {p.name: stat.S_IMODE(p.stat().st_mode) for p in (tmp_path / "data").iterdir()}
    assert modes == {"builds": 0o755, "locks": 0o1777, "marks": 0o3733, "hub": 0o700}
    assert c.JupyterHub.db_url == f"sqlite:///{tmp_path}/data/hub/jupyterhub.sqlite"


def test_learners_build_with_the_teachers_compilers(monkeypatch, tmp_path):
    monkeypatch.delenv("CXX", raising=False)
    _, given = configure(monkeypatch, tmp_path, CUDA_HOME="/usr/local/cuda-13")
    assert given[0]["CUDA_HOME"] == "/usr/local/cuda-13" and "CXX" not in given[0]


def test_a_folder_that_learners_cannot_enter_is_named(monkeypatch, tmp_path, capsys):
    course = tmp_path / "home" / "course"
    (tmp_path / "home").mkdir(mode=0o700)
    configure(monkeypatch, tmp_path, WORKSHOP_COURSE=str(course))
    assert f"cannot reach {course}" in capsys.readouterr().err


def test_the_board_knows_the_learner_by_the_hubs_name(monkeypatch, tmp_path):
    _, given = configure(monkeypatch, tmp_path, WORKSHOP_BOARD="1")
    assert [g["ELEMENTWISE_LEARNER"] for g in given] == ["learner1", "learner2", "learner3"]
    assert given[0]["ELEMENTWISE_MARKS"] == str(tmp_path / "data" / "marks")


def test_a_learners_copy_is_made_once(tmp_path):
    start = runpy.run_path(str(DEPLOY / "start_server.py"))
    (tmp_path / "course" / "notebooks").mkdir(parents=True)
    (tmp_path / "home").mkdir()
    own = start["copy_course"](tmp_path / "course", tmp_path / "home")
    (own / "mine").touch()
    assert start["copy_course"](tmp_path / "course", tmp_path / "home") == own
    assert sorted(path.name for path in own.iterdir()) == ["mine", "notebooks"]
    assert [path.name for path in (tmp_path / "home").iterdir()] == ["course"]


def gitpuller(monkeypatch, folder, text):
    """Put a gitpuller of ours beside the Python that start_server.py believes to run in."""
    program = folder / "gitpuller"
    program.write_text(f"#!/bin/sh\n{text}\n")
    program.chmod(0o755)
    start = runpy.run_path(str(DEPLOY / "start_server.py"))
    monkeypatch.setattr(start["sys"], "executable", str(folder / "python"))
    return start["pull_course"]


def test_a_repository_is_pulled_into_the_learners_folder(monkeypatch, tmp_path):
    pull = gitpuller(monkeypatch, tmp_path, 'mkdir -p "$3/notebooks"; echo $1 $2 > "$3/got"')
    own = pull("https://example.org/course", "spring", tmp_path)
    assert own == tmp_path / "course"
    assert (own / "got").read_text() == "https://example.org/course spring\n"


def test_a_repository_that_is_not_reached_stops_only_who_has_no_copy(monkeypatch, tmp_path):
    pull = gitpuller(monkeypatch, tmp_path, "exit 1")
    with pytest.raises(RuntimeError, match="WORKSHOP_REPOSITORY"):
        pull("https://example.org/course", "main", tmp_path)
    (tmp_path / "course" / "notebooks").mkdir(parents=True)
    assert pull("https://example.org/course", "main", tmp_path) == tmp_path / "course"


def test_the_server_is_the_hubs_or_alone():
    command = runpy.run_path(str(DEPLOY / "start_server.py"))["command"]
    files = "--KernelManager.transport=ipc"
    assert command(["--port=1"])[1:] == ["-m", "jupyterhub.singleuser", files, "--port=1"]
    alone = ["-m", "jupyterlab", "--no-browser", files, "--ip=0.0.0.0"]
    assert command(["--alone", "--ip=0.0.0.0"])[1:] == alone


def test_the_learners_jupyterlab_colours_cuda():
    path = runpy.run_path(str(DEPLOY / "start_server.py"))["jupyter_path"]
    own = str(paths.PACKAGE / "teach" / "jupyter")
    assert path({}) == own
    assert path({"JUPYTER_PATH": "/srv/jupyter"}) == f"{own}{os.pathsep}/srv/jupyter"


@pytest.mark.parametrize("name", ["compose.yaml", "zero_to_jupyterhub.yaml"])
def test_yaml_is_read(name):
    assert isinstance(yaml.safe_load((DEPLOY / name).read_text()), dict)


def test_the_images_of_all_are_the_one_dockerfiles():
    compose = yaml.safe_load((DEPLOY / "compose.yaml").read_text())
    built = {service["image"] for service in compose["services"].values()}
    assert built == {"elementwise:cpu", "elementwise:gpu"}
    for service in compose["services"].values():
        assert (DEPLOY / service["build"]["context"] / service["build"]["dockerfile"]).is_file()
    values = yaml.safe_load((DEPLOY / "zero_to_jupyterhub.yaml").read_text())["singleuser"]
    assert f"{values['image']['name']}:{values['image']['tag']}" in built
    assert values["profileList"][1]["kubespawner_override"]["image"] in built
    container = json.loads((paths.ROOT / ".devcontainer" / "devcontainer.json").read_text())
    place = paths.ROOT / ".devcontainer"
    assert (place / container["build"]["dockerfile"]).resolve() == DEPLOY / "Dockerfile"
    assert (place / container["build"]["context"]).resolve() == paths.ROOT


def test_the_image_has_the_folder_of_the_locks_for_everybody():
    """A new volume of Docker takes the mode of the image's folder that it is mounted at."""
    compose = yaml.safe_load((DEPLOY / "compose.yaml").read_text())
    script = (DEPLOY / "install.sh").read_text()
    for service in compose["services"].values():
        folder = service["environment"]["ELEMENTWISE_LOCKS"]
        assert f"locks:{folder}" in service["volumes"]
        assert re.search(rf"^install -d -m 1777 {folder}\b", script, re.M)


def test_no_hub_refuses_a_class_that_arrives_at_once(monkeypatch, tmp_path):
    c, _ = configure(monkeypatch, tmp_path)
    values = yaml.safe_load((DEPLOY / "zero_to_jupyterhub.yaml").read_text())
    assert c.JupyterHub.concurrent_spawn_limit == values["hub"]["concurrentSpawnLimit"] == 100


def test_whoever_has_an_account_gets_in_but_root(monkeypatch, tmp_path):
    """JupyterHub 5 refuses everybody by default, with the right password too."""
    c, _ = configure(monkeypatch, tmp_path)
    assert c.Authenticator.allow_all is True
    assert c.Authenticator.blocked_users == {"root"}


def test_files_that_are_named_are_there():
    for path in FILES:
        for name in re.findall(r"/opt/course/(deploy/[\w.]+)", path.read_text()):
            assert (paths.ROOT / name).is_file(), f"{path.name}: {name}"
    text = (paths.ROOT / ".binder" / "requirements.txt").read_text()
    assert (paths.ROOT / ".binder" / re.search(r"-c (\S+)", text)[1]).is_file()


def test_variables_of_the_course_are_known_to_it():
    for path in FILES:
        for name in re.findall(r"ELEMENTWISE_[A-Z]+", path.read_text()):
            assert name in settings.__doc__, f"{path.name}: {name}"


def test_scripts_are_read_by_bash():
    bash = shutil.which("bash") or pytest.skip("no bash")
    for path in (DEPLOY / "install.sh", paths.ROOT / ".binder" / "start"):
        assert subprocess.run([bash, "-n", path], check=False).returncode == 0
        assert Path(path).stat().st_mode & stat.S_IXUSR
