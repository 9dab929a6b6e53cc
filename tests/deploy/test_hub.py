"""JupyterHub for real: learners log in, get their folder, run lessons, and see their marks.

WORKSHOP_LEARNERS says how many (default: 4); WORKSHOP_REPORT names a file for the figures.
"""

import asyncio
import json
import os
import signal
import socket
import subprocess
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
ANSWERS = {r"(?s)answer = None.*exercises.mark\(\"00.2\".*": 'exercises.mark("00.2", 3907)'}
LESSONS = ("00_first_kernel.ipynb", "10_occupancy.ipynb")
TOKEN = "0123456789abcdef" * 2


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


@pytest.fixture(scope="module")
def hub(tmp_path_factory):
    """Start the hub; gives its address, its folder and its process."""
    folder = tmp_path_factory.mktemp("hub")
    programs = environment("jupyterhub", "jupyterhub-idle-culler")
    port = free_ports()
    course, _ = student.write(paths.ROOT, folder)
    variables = {
        **os.environ,
        "PATH": f"{programs}:{os.environ['PATH']}",
        "WORKSHOP_DATA": str(folder / "data"),
        "WORKSHOP_COURSE": str(course),
        "WORKSHOP_BOARD": "1",
        "TEST_HUB_CONFIG": str(DEPLOY / "jupyterhub_config.py"),
        "TEST_HUB_HOMES": str(folder / "homes"),
        "TEST_HUB_PORT": str(port),
        "TEST_HUB_PROXY": str(node_program("configurable-http-proxy")),
        "TEST_HUB_PYTHONPATH": str(paths.PACKAGE.parent),
        "TEST_HUB_TOKEN": TOKEN,
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
    assert all(work["00.2"].right for work in made.work.values())
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


@pytest.mark.stress
def test_what_a_learner_has_is_not_overwritten_by_the_next_start(hub):
    address, folder, _ = hub
    learner = Learner("returning", address, TOKEN)
    asyncio.run(learner.start())
    mine = folder / "homes" / "returning" / "course" / "kernels" / "v1_f32.cu"
    mine.write_text("mine")

    async def again():
        await learner.ask("/hub/api/users/returning/server", "DELETE")
        while (await learner.ask("/hub/api/users/returning"))["servers"]:
            await asyncio.sleep(0.3)
        await learner.start_server()

    asyncio.run(again())
    assert mine.read_text() == "mine"
