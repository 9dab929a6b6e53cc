"""Start kernels as forks of one process that has loaded what every lesson loads.

PyTorch, pandas, matplotlib and IPython take seconds to import, and a run of all notebooks
starts forty kernels. A fork begins with them and without anything of `helpers`: each lesson
imports that itself, under its own working directory and environment. This file is also the
program of that process, so it imports the standard library only.
"""

from __future__ import annotations

import contextlib
import gc
import importlib
import json
import os
import runpy
import signal
import subprocess
import sys
import time
from collections.abc import Iterator

PRELOADED = (
    *("torch", "pandas", "matplotlib.figure"),
    *("ipykernel.kernelapp", "ipykernel.ipkernel"),
)
# What IPython sets for a kernel, and matplotlib reads when it is imported.
INLINE = {"MPLBACKEND": "module://matplotlib_inline.backend_inline"}
POLL_SECONDS = 0.02
# nbval compares no pictures, and fine ones take twice the time.
COARSE = ("--InlineBackend.print_figure_kwargs={'bbox_inches': 'tight', 'dpi': 50}",)


class ForkedKernel:
    """A kernel that a `ForkServer` has started, with what Jupyter needs of subprocess.Popen."""

    stdin = stdout = stderr = None

    def __init__(self, server: ForkServer, pid: int):
        self.server, self.pid = server, pid
        self.returncode: int | None = None

    def poll(self) -> int | None:
        """Return the exit status, or None while it runs."""
        if self.returncode is None:
            self.returncode = self.server.ask(poll=self.pid)
        return self.returncode

    def wait(self, timeout: float | None = None) -> int:
        """Wait for its end. Raises subprocess.TimeoutExpired after `timeout` seconds."""
        end = None if timeout is None else time.monotonic() + timeout
        while self.poll() is None:
            if end is not None and time.monotonic() > end:
                raise subprocess.TimeoutExpired("a forked kernel", timeout)
            time.sleep(POLL_SECONDS)
        return self.returncode

    def send_signal(self, number: int) -> None:
        """Send it a signal, unless it has ended."""
        if self.poll() is None:
            os.kill(self.pid, number)

    def kill(self) -> None:
        """End it at once."""
        self.send_signal(signal.SIGKILL)

    def terminate(self) -> None:
        """Ask it to end."""
        self.send_signal(signal.SIGTERM)


class ForkServer:
    """The process whose forks are kernels. It starts with the first kernel, ends with us.

    options: added to the command line of each.
    """

    def __init__(self, *options: str):
        self.options = options
        self.process: subprocess.Popen | None = None

    def ask(self, **request) -> int | None:
        """Send a request; return the answer."""
        if self.process is None:
            self.process = subprocess.Popen(
                [sys.executable, __file__],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
                env=os.environ | INLINE,
            )
        self.process.stdin.write(json.dumps(request) + "\n")
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline())

    def launch(self, command: list[str], **options) -> ForkedKernel:
        """Start `python -m MODULE ARGUMENTS` as a fork: jupyter_client's launch_kernel."""
        environment = options["env"] or dict(os.environ)
        words = [*command[command.index("-m") + 1 :], *self.options]
        return ForkedKernel(
            self, self.ask(start=words, env=environment, cwd=options.get("cwd") or os.getcwd())
        )

    @contextlib.contextmanager
    def in_use(self) -> Iterator[None]:
        """Let kernels that Jupyter starts meanwhile be forks."""
        from jupyter_client.provisioning import local_provisioner

        before = local_provisioner.launch_kernel
        local_provisioner.launch_kernel = self.launch
        try:
            yield
        finally:
            local_provisioner.launch_kernel = before


def for_nbval() -> None:
    """Let the kernels of nbval be forks, with coarse pictures.

    In place of one that does not answer, which is rare, an ordinary process is started.
    """
    from nbval import plugin

    server, original = ForkServer(*COARSE), plugin.RunningKernel

    class RunningKernel(original):
        def __init__(self, *arguments, **options):
            try:
                with server.in_use():
                    super().__init__(*arguments, **options)
            except RuntimeError:  # of jupyter_client, after a minute
                super().__init__(*arguments, **options)

    plugin.RunningKernel = RunningKernel


# ---- the process that is forked


def _serve() -> dict:
    """Answer requests until standard input ends; return, in each fork, the kernel to become."""
    for line in sys.stdin:
        request = json.loads(line)
        if "poll" in request:
            pid, status = os.waitpid(request["poll"], os.WNOHANG)
            answer = os.waitstatus_to_exitcode(status) if pid else None
        else:
            answer = os.fork()
            # A group of its own, whoever comes first: Jupyter signals a kernel's whole group.
            os.setpgid(answer, answer)
            if answer == 0:
                return request
        print(json.dumps(answer), flush=True)
    os._exit(0)


def _become(start: list[str], env: dict[str, str], cwd: str) -> None:
    """Run a module as the program of this process."""
    null = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):  # the first two are the server's
        os.dup2(null, stream)
    os.environ.clear()
    os.environ.update(env, JPY_PARENT_PID=str(os.getppid()))  # it ends with its parent
    os.chdir(cwd)
    sys.argv = list(start)
    runpy.run_module(start[0], run_name="__main__", alter_sys=True)


if __name__ == "__main__":
    del sys.path[0]  # this file's folder
    os.environ["JPY_PARENT_PID"] = str(os.getpid())  # ipykernel reads it when it is imported
    for _name in PRELOADED:
        with contextlib.suppress(ImportError):
            importlib.import_module(_name)
    gc.freeze()
    _become(**_serve())
