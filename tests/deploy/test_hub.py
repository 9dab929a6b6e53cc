"""JupyterHub for real: learners log in, get their folder, run lessons, and see their marks.

Their folder comes from a git repository through nbgitpuller; idle servers are stopped.
WORKSHOP_LEARNERS says how many (default: 4); WORKSHOP_REPORT names a file for the figures.
"""

import asyncio
import contextlib
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

import pytest
from tornado.httpclient import HTTPClientError

from helpers import paths, progress
from tests.deploy.learners import Learner, memory_of
from tests.tools.environments import environment, node_program
from tools import board, student

HERE = Path(__file__).resolve().parent
DEPLOY = paths.ROOT / "deploy"
COUNT = int(os.environ.get("WORKSHOP_LEARNERS", "4"))
RIGHT = {"01.2": 8, "12.1": 29}  # what the learners answer
ANSWERS = {
    rf"(?s)answer = None.*exercises.mark\(\"{name}\".*": f'exercises.mark("{name}", {value})'
    for name, value in RIGHT.items()
}
LESSONS = ("01_v1_f32.ipynb", "12_warps.ipynb")
SHIPPED = ("v1_f32", "v1_f32_classic", "warp_ids", "warp_sync")  # what these lessons write
CORRECTED = "00_first_kernel.ipynb"
TOKEN = "0123456789abcdef" * 2
PACKAGES = ("jupyterhub", "jupyterhub-idle-culler", "nbgitpuller")
PROXY = re.search(  # the version that the teacher is told to install
    r"configurable-http-proxy@(\d+)", (paths.ROOT / "docs" / "workshop.md").read_text()
)[1]
IDLE = 20  # seconds, of the hub that stops idle servers


def git(folder, *words):
    """Run git as the teacher, in a folder."""
    teacher = ("-c", "user.name=Teacher", "-c", "user.email=teacher@example.org")
    subprocess.run(["git", *teacher, *words], cwd=folder, check=True, capture_output=True)


def publish(folder):
    """Commit the folder that learners get to a repository of its own; return it."""
    git(folder, "init", "--quiet", "--initial-branch=main")
    git(folder, "add", "--all")
    git(folder, "commit", "--quiet", "--message=The course")
    return folder


def free_ports():
    """Return the first of three neighbouring ports that are free."""
    while True:
        with socket.socket() as first:
            first.bind(("127.0.0.1", 0))
            port = first.getsockname()[1]
        try:
            for more in (1, 2):
                with socket.socket() as other:
                    other.bind(("127.0.0.1", port + more))
            return port
        except OSError:
            continue


def prepare(folder):
    """Build what the lessons write once, for all to read; `make prepare` builds everything."""
    kernels = folder / "kernels"
    kernels.mkdir()
    for name in SHIPPED:
        shutil.copy(paths.KERNELS / f"{name}.cu", kernels)
    (folder / "data" / "builds").mkdir(parents=True)
    program = "import sys, pathlib; from helpers.run import prepare as p; "
    program += "sys.exit(p.prepare(pathlib.Path(sys.argv[1])))"
    variables = {"ELEMENTWISE_MACHINE": "emulator", "PYTHONPATH": str(paths.PACKAGE.parent)}
    variables["ELEMENTWISE_CACHE"] = str(folder / "data" / "builds")
    command = [sys.executable, "-c", program, str(kernels)]
    subprocess.run(command, env={**os.environ, **variables}, check=True)


@contextlib.contextmanager
def started(folder, **workshop):
    """Start a hub in a folder; gives its address, the folder and its process."""
    programs = environment(*PACKAGES)
    port = free_ports()
    variables = {
        **os.environ,
        "PATH": f"{programs}:{os.environ['PATH']}",
        "WORKSHOP_DATA": str(folder / "data"),
        "WORKSHOP_BOARD": "1",
        "TEST_HUB_CONFIG": str(DEPLOY / "jupyterhub_config.py"),
        "TEST_HUB_HOMES": str(folder / "homes"),
        "TEST_HUB_PORT": str(port),
        "TEST_HUB_PROXY": str(node_program("configurable-http-proxy", PROXY)),
        "TEST_HUB_PYTHONPATH": str(paths.PACKAGE.parent),
        "TEST_HUB_TOKEN": TOKEN,
        **workshop,
    }
    (folder / "homes").mkdir()
    with (folder / "hub.log").open("w") as log:
        process = subprocess.Popen(
            [programs / "python", "-m", "jupyterhub", "-f", HERE / "hub_config.py"],
            cwd=folder,
            env=variables,
            stdout=log,
            stderr=log,
            start_new_session=True,
        )
        address = f"http://127.0.0.1:{port}"
        try:
            wait_for(f"{address}/hub/health", process, folder / "hub.log")
            yield address, folder, process
        finally:
            process.send_signal(signal.SIGINT)
            try:
                process.wait(60)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)


@pytest.fixture(scope="module")
def hub(tmp_path_factory):
    """Start the hub of a class whose teacher publishes a repository."""
    folder = tmp_path_factory.mktemp("hub")
    course, _ = student.write(paths.ROOT, folder)
    prepare(folder)
    with started(folder, WORKSHOP_REPOSITORY=str(publish(course))) as running:
        yield running


def wait_for(url, process, log):
    while True:
        assert process.poll() is None, log.read_text()[-3000:]
        try:
            urllib.request.urlopen(url, timeout=5)
            return
        except OSError:
            time.sleep(0.5)


async def day(learners, process):
    """Let all start and run the lessons at once; return the highest memory, in bytes."""
    highest = [0]

    async def watch():
        while True:
            highest[0] = max(highest[0], await asyncio.to_thread(memory_of, process.pid))
            await asyncio.sleep(2)

    async def learn(learner):
        await learner.start()
        for lesson in LESSONS:
            await learner.lesson(lesson, ANSWERS)

    watching = asyncio.create_task(watch())
    await asyncio.gather(*map(learn, learners))
    watching.cancel()
    return highest[0]


@pytest.mark.stress
def test_learners_run_lessons_and_see_their_marks(hub):
    address, folder, process = hub
    learners = [Learner(f"learner{n:02}", address, TOKEN) for n in range(1, COUNT + 1)]
    began = time.monotonic()
    memory = asyncio.run(day(learners, process))
    report = {
        "learners": COUNT,
        "seconds": round(time.monotonic() - began),
        "memory_MiB": memory >> 20,
        "memory_per_learner_MiB": (memory >> 20) // COUNT,
        "slowest": {
            step: round(max(learner.seconds[step] for learner in learners))
            for step in ("start", *LESSONS)
        },
        "errors": [error for learner in learners for error in learner.errors],
    }
    Path(os.environ.get("WORKSHOP_REPORT", folder / "report.json")).write_text(
        json.dumps(report, indent=1)
    )
    assert report["errors"] == []
    for learner in learners:
        assert (folder / "homes" / learner.name / "course" / "kernels" / "v1_f32.cu").exists()
    made = board.make_board(progress.read(folder / "data" / "marks"))
    assert sorted(made.work) == [learner.name for learner in learners]
    assert all(work[name].right for work in made.work.values() for name in RIGHT)
    places = [path.name for path in (folder / "data" / "locks").iterdir()]
    assert {name for name in places if "build" in name} <= {
        "elementwise-build-0.lock",
        "elementwise-build-1.lock",
    }


@pytest.mark.stress
def test_a_learner_cannot_reach_the_server_of_another(hub):
    address, _, _ = hub
    ada, bob = (Learner(name, address, TOKEN) for name in ("ada", "bob"))

    async def visit():
        await asyncio.gather(ada.start(), bob.start())
        await ada.ask("/user/ada/api/contents/course")
        with pytest.raises(HTTPClientError, match=r"403|404"):
            await ada.ask("/user/bob/api/contents/course")

    asyncio.run(visit())


async def stop_server(learner):
    """Stop a learner's server, and wait until it is gone."""
    await learner.ask(f"/hub/api/users/{learner.name}/server", "DELETE")
    while (await learner.ask(f"/hub/api/users/{learner.name}"))["servers"]:
        await asyncio.sleep(0.3)


@pytest.mark.stress
def test_the_next_start_brings_what_the_teacher_changed_and_keeps_what_the_learner_did(hub):
    address, folder, _ = hub
    learner = Learner("returning", address, TOKEN)
    asyncio.run(learner.start())
    own = folder / "homes" / "returning" / "course"
    mine, lesson = own / "kernels" / "v1_f32.cu", own / "notebooks" / CORRECTED
    mine.write_text("mine")
    course = next(folder.glob("*/.git")).parent
    published = course / "notebooks" / CORRECTED
    published.write_text(published.read_text().replace("Complete one line", "Complete a line"))
    (course / "kernels" / "v1_f32.cu").write_text("the teacher's")
    git(course, "commit", "--quiet", "--all", "--message=Words")

    async def again():
        await stop_server(learner)
        await learner.start_server()

    asyncio.run(again())
    assert mine.read_text() == "mine"
    assert "Complete a line" in lesson.read_text()


@pytest.mark.stress
def test_an_idle_server_is_stopped(tmp_path):
    """And the learner's folder, here a copy of one, is as he left it."""
    course, _ = student.write(paths.ROOT, tmp_path)
    with started(tmp_path, WORKSHOP_COURSE=str(course), WORKSHOP_IDLE=str(IDLE)) as (
        address,
        *_,
    ):
        learner = Learner("away", address, TOKEN)

        async def leave():
            await learner.start()
            mine = tmp_path / "homes" / "away" / "course" / "kernels" / "v1_f32.cu"
            mine.write_text("mine")
            began = time.monotonic()
            while (await learner.ask("/hub/api/users/away"))["servers"]:
                assert time.monotonic() - began < 600
                await asyncio.sleep(1)
            await learner.start_server()
            return mine.read_text(), time.monotonic() - began

        kept, seconds = asyncio.run(leave())
    assert kept == "mine"
    assert seconds > IDLE / 2
