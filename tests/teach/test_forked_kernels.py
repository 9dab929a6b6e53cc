"""A forked kernel is as any other: its own folder, environment, modules and pictures."""

import base64
import os
import signal
import struct
import subprocess
import sys

import pytest
from jupyter_client.manager import start_new_kernel
from jupyter_client.provisioning import local_provisioner
from nbval import plugin

from helpers.teach import forked_kernels

PICTURE = """
%matplotlib inline
import matplotlib.pyplot as plt
plt.plot([1, 2]); plt.show()
"""


@pytest.fixture(scope="module")
def server():
    server = forked_kernels.ForkServer()
    yield server
    if server.process:
        server.process.stdin.close()
        assert server.process.wait(60) == 0


def run(client, code):
    """Execute code; return what it printed, and what it showed, by type."""
    printed, shown = [], {}

    def note(message):
        content = message["content"]
        printed.append(content.get("text", ""))
        shown.update(content.get("data", {}))

    reply = client.execute_interactive(code, output_hook=note, timeout=120)
    assert reply["content"]["status"] == "ok", reply["content"]
    return "".join(printed).strip(), shown


@pytest.mark.slow
def test_a_kernel_in_its_folder_with_its_environment(server, tmp_path, monkeypatch):
    monkeypatch.setenv("OF_THE_TEST", "7")
    monkeypatch.setattr(server, "options", forked_kernels.COARSE)
    before = local_provisioner.launch_kernel
    with server.in_use():
        manager, client = start_new_kernel(cwd=str(tmp_path))
        assert local_provisioner.launch_kernel == server.launch
    assert local_provisioner.launch_kernel is before
    try:
        where = "import os, sys; print(os.getcwd(), os.environ['OF_THE_TEST'], os.getppid())"
        assert run(client, where)[0] == f"{tmp_path} 7 {server.process.pid}"
        modules = "print('torch' in sys.modules, 'helpers' in sys.modules, '' in sys.path)"
        assert run(client, modules)[0] == "True False True"
        picture = base64.b64decode(run(client, PICTURE)[1]["image/png"])
        width, height = struct.unpack(">II", picture[16:24])  # of the header chunk
        assert 100 < height < width < 6.4 * 50 + 1  # inches, dots per inch
        kernel = manager.provisioner.process
        assert os.getpgid(kernel.pid) == kernel.pid != os.getpgid(0)
    finally:
        client.stop_channels()
        manager.shutdown_kernel()
    assert kernel.poll() is not None and not manager.is_alive()


@pytest.mark.slow
def test_a_process_as_popen_says_it(server):
    program = server.launch(
        [sys.executable, "-m", "timeit", "-n", "1", "-r", "1", "-s", "import time", "pass"],
        env=None,
    )
    assert program.wait(60) == 0 == program.poll()
    program.kill()  # it has ended: nothing happens
    assert server.launch(["python", "-m", "timeit", "1/0"], env=None).wait(60) == 1
    sleeping = server.launch(["python", "-m", "timeit", "import time; time.sleep(99)"], env={})
    with pytest.raises(subprocess.TimeoutExpired):
        sleeping.wait(0)
    sleeping.terminate()
    assert sleeping.wait(60) == -signal.SIGTERM


def test_in_place_of_a_fork_that_does_not_answer_an_ordinary_process_is_started(monkeypatch):
    started = []

    class Running:
        def __init__(self, name):
            forked = local_provisioner.launch_kernel is not ordinary
            started.append((name, forked))
            if forked:
                raise RuntimeError("Kernel didn't respond in 60 seconds")

    ordinary = local_provisioner.launch_kernel
    monkeypatch.setattr(plugin, "RunningKernel", Running)
    forked_kernels.for_nbval()
    plugin.RunningKernel("python3")
    assert started == [("python3", True), ("python3", False)]
