"""Find, execute, clean and verify notebooks: what `make run` and the maintainer's tools share.

Needs nbformat, nbclient and ipykernel only.
"""

from __future__ import annotations

import asyncio
import atexit
import base64
import contextlib
import hashlib
import os
import re
import signal
import statistics
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType

import nbformat
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError
from nbformat import NotebookNode

from helpers import paths
from helpers.errors import UnknownNameError

NOTEBOOKS = paths.ROOT / "notebooks"
GLOSSARY = "99_glossary.ipynb"  # text only: nothing to execute and nothing to solve
CELL_TIMEOUT_S = 600
LARGEST_PNG_BYTES = 200_000
MOST_LINES_OF_A_CELL = 30
MEDIAN_LINES_OF_A_CELL = 7
MACHINE_PATH = re.compile(r"/(?:root|home|work|tmp|workspace|mnt|Users)/[\w.-]+")
COLOUR = re.compile(r"\x1b\[[0-9;]*m")
WAITED = re.compile(r"waiting to time on .*")  # helpers.run.locks prints it
EXECUTED_ON = re.compile(r".+, torch \S+, \d{4}-\d\d-\d\d(, commit \S+)?")


def find(folder: Path = NOTEBOOKS) -> list[Path]:
    """List the notebooks of a folder in reading order, each one's solutions after it.

    Those in its folder mine/ are the learner's and are left out, as is the glossary.
    """
    found = [
        path
        for path in folder.rglob("*.ipynb")
        if not {".ipynb_checkpoints", "mine"} & {*path.relative_to(folder).parts}
        and path.name != GLOSSARY
    ]
    return sorted(found, key=lambda path: path.stem)


def choose(beginnings: Sequence[str], folder: Path = NOTEBOOKS) -> list[Path]:
    """List the notebooks whose names begin with one of these words; without words, all.

    Raises UnknownNameError for a word with which none begins.
    """
    found = find(folder)
    for word in beginnings:
        if not any(path.name.startswith(word) for path in found):
            raise UnknownNameError(f"no notebook's name begins with {word!r}")
    return [path for path in found if path.name.startswith(tuple(beginnings) or "")]


def read(path: Path) -> NotebookNode:
    """Read a notebook as nbformat 4."""
    return nbformat.read(path, as_version=4)


def code_cells(notebook: NotebookNode) -> list[NotebookNode]:
    """List the code cells."""
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


def source_digest(notebook: NotebookNode) -> str:
    """Return a hash of the code cells' sources: whether outputs may have gone stale."""
    text = "\0".join(cell.source for cell in code_cells(notebook))
    return hashlib.sha256(text.encode()).hexdigest()[:16]


class Client(NotebookClient):
    """Execute cells, whose widgets' outputs go where all others go: below the cell.

    nbclient 0.11 imitates a browser's output widget, which answers the kernel in the midst of a
    cell; one run in a hundred stood still there until the time limit. Of a signal to this
    process it ends the kernel alone, and then waits for it for good.
    """

    stopped = False

    async def async_start_new_kernel(self, **options) -> None:
        """Start the kernel; from now on Ctrl-C and SIGTERM cancel the execution."""
        loop = asyncio.get_running_loop()

        def stop() -> None:
            self.stopped = True  # nbclient takes a cell that was cancelled for a dead kernel
            for task in asyncio.all_tasks(loop):  # the execution, and what watches the kernel
                task.cancel()

        for number in (signal.SIGINT, signal.SIGTERM):
            with contextlib.suppress(RuntimeError, NotImplementedError):  # no main thread
                loop.add_signal_handler(number, stop)
        await super().async_start_new_kernel(**options)

    def end(self) -> None:
        """End the kernel of an execution that was cancelled, if it is still there."""
        atexit.unregister(self._cleanup_kernel)
        if self.km is not None:
            self._cleanup_kernel()

    def handle_comm_msg(self, outs: list, msg: dict, cell_index: int) -> None:
        """Ignore what a widget tells its view: there is none."""


def execute(
    notebook: NotebookNode,
    folder: Path,
    on_cell: Callable[[], object] = lambda: None,
    variables: Mapping[str, str] = MappingProxyType({}),
) -> str | None:
    """Execute a notebook in place, in order, with a kernel that starts in `folder`.

    The kernel gets `variables` beside this process's. Calls `on_cell` after each cell. Returns
    None, or the error's last line where it stopped.

    Raises KeyboardInterrupt, without the kernel, if this process is told to end meanwhile.
    """
    client = Client(
        notebook,
        timeout=CELL_TIMEOUT_S,
        coalesce_streams=True,
        record_timing=False,
        store_widget_state=False,
        resources={"metadata": {"path": str(folder)}},
        extra_arguments=["--IPKernelApp.log_level=ERROR"],
        on_cell_complete=lambda cell, cell_index: on_cell(),
    )
    problem = None
    try:
        client.execute(env={**os.environ, **variables})
    except asyncio.CancelledError:
        client.stopped = True
    except (CellExecutionError, RuntimeError, TimeoutError) as error:
        problem = COLOUR.sub("", str(error)).strip().splitlines()[-1]
    except Exception as error:  # a mistake of nbclient's must not end the other notebooks
        problem = f"nbclient failed: {error!r}"
    finally:
        notebook.metadata.pop("widgets", None)  # means nothing without the kernel
    if client.stopped:
        client.end()
        raise KeyboardInterrupt
    return problem


def clean(notebook: NotebookNode, root: Path = paths.ROOT) -> None:
    """Remove from a notebook what another run or machine would write otherwise.

    That is: the course's folder in printed paths; what a progress bar leaves on stderr, which
    JupyterLab shows as an empty red field; cells' metadata but their tags; widgets,
    whose identifiers mean nothing without the kernel; and Python's version, for which
    JupyterLab would show an opened lesson as changed (helpers/teach/jupyter says none either).
    """
    notebook.metadata.get("language_info", {}).pop("version", None)
    notebook.metadata.pop("widgets", None)  # of a notebook that JupyterLab saved
    for cell in code_cells(notebook):
        cell.metadata = {name: cell.metadata[name] for name in cell.metadata if name == "tags"}
        cell.outputs = [one for one in cell.outputs if not _is_blank_stderr(one)]
        for output in cell.outputs:
            if "text" in output:
                output.text = output.text.replace(f"{root}/", "")
            data = output.get("data", {})
            data.pop("application/vnd.jupyter.widget-view+json", None)
            for kind in data:
                if kind.startswith("text/"):
                    data[kind] = data[kind].replace(f"{root}/", "")


def _is_blank_stderr(output: NotebookNode) -> bool:
    return output.get("name") == "stderr" and not output.text.strip()


def problems(notebook: NotebookNode) -> list[str]:
    """List what must not be committed: cells out of order, errors, paths, large pictures ...

    nbval compares outputs; this looks at what it does not.
    """
    cells = code_cells(notebook)
    found = []
    if [cell.execution_count for cell in cells] != list(range(1, len(cells) + 1)):
        found.append("the cells were not executed once, from top to bottom")
    if not EXECUTED_ON.fullmatch(notebook.metadata.get("executed_on", "")):
        found.append("the metadata do not say which machine executed it, in executed_on")
    if "version" in notebook.metadata.get("language_info", {}):
        found.append("the metadata name a version of Python: JupyterLab opens it as changed")
    lengths = [
        cell.source.count("\n") + 1
        for cell in cells
        if not cell.source.startswith("%%writefile")
    ]
    if lengths and statistics.median(lengths) > MEDIAN_LINES_OF_A_CELL:
        found.append(f"half of the cells have more than {MEDIAN_LINES_OF_A_CELL} lines")
    for number, cell in enumerate(cells, start=1):
        found += [f"code cell {number}: {words}" for words in _of_source(cell)]
        found += [f"code cell {number}: {words}" for words in _of_outputs(cell)]
    return found


def _of_source(cell: NotebookNode) -> list[str]:
    found = []
    writes = cell.source.startswith("%%writefile")
    if not writes and cell.source.count("\n") >= MOST_LINES_OF_A_CELL:
        found.append(f"it has more than {MOST_LINES_OF_A_CELL} lines")
    if cell.source.rstrip().endswith(";"):
        found.append("it ends in a semicolon, which hides no output under nbval")
    if "%%" in cell.source and not writes:
        found.append("%% must begin the cell, and %%writefile is the only one used")
    if writes and "nbval-ignore-output" not in cell.metadata.get("tags", []):
        found.append("%%writefile prints what differs from run to run: tag nbval-ignore-output")
    return found


def _of_outputs(cell: NotebookNode) -> list[str]:
    found = []
    for output in cell.outputs:
        tags = cell.metadata.get("tags", [])
        if output.output_type == "error" and "raises-exception" not in tags:
            found.append(f"it failed: {output.ename}: {output.evalue}")
        data = output.get("data", {})
        texts = [output.get("text", ""), data.get("text/plain", ""), data.get("text/html", "")]
        if path := MACHINE_PATH.search("\n".join(texts)):
            found.append(f"its output names a path of the machine, {path[0]}")
        if WAITED.search("\n".join(texts)):
            found.append("another process used the GPU while it measured: execute it alone")
        if "image/svg+xml" in data:
            found.append("its picture is SVG, which nbval compares: make it PNG")
        if (size := len(base64.b64decode(data.get("image/png", "")))) > LARGEST_PNG_BYTES:
            found.append(f"its picture has {size:,} bytes, more than {LARGEST_PNG_BYTES:,}")
    return found
