"""Lessons in JupyterLab in a real browser: open, run all, move sliders, without an error.

Needs Playwright and Debian's Chromium, and is skipped without them:

    pip install playwright && apt-get install chromium
"""

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
from types import SimpleNamespace

import pytest

pytest.importorskip("playwright")

import jupyterlab
from nbformat.reader import NotJSONError
from playwright import sync_api as playwright

from helpers import paths
from helpers.teach import lessons, notebooks
from tools import student

# Where JupyterLab's extensions lie, also if Playwright is in an environment above that one.
PREFIX = Path(jupyterlab.__file__).resolve().parents[4]
BROWSER = shutil.which("chromium") or pytest.skip("no chromium", allow_module_level=True)
TAUGHT = [lesson.file for lesson in lessons.read_lessons()]
IN_CI = TAUGHT[:2]
WITH_SLIDERS = "10_occupancy.ipynb"
MILLISECONDS = 120_000


@pytest.fixture(scope="module")
def lab(tmp_path_factory):
    """Start JupyterLab on a copy of the course, with the committed outputs; gives both."""
    folder, _ = student.write(paths.ROOT, tmp_path_factory.mktemp("lab"))
    for name in TAUGHT:
        shutil.copy2(paths.ROOT / "notebooks" / name, folder / "notebooks" / name)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    variables = {
        **os.environ,
        "PYTHONPATH": str(paths.PACKAGE.parent),
        "JUPYTER_PATH": f"{paths.PACKAGE / 'teach' / 'jupyter'}:{PREFIX / 'share' / 'jupyter'}",
        "JUPYTER_CONFIG_PATH": str(PREFIX / "etc" / "jupyter"),
        "JUPYTER_CONFIG_DIR": str(folder.parent / "config"),
        "JUPYTER_RUNTIME_DIR": str(folder.parent / "runtime"),
        "ELEMENTWISE_MACHINE": "emulator",
    }
    command = [sys.executable, "-m", "jupyterlab", "--no-browser", "--allow-root"]
    command += [f"--port={port}", f"--ServerApp.root_dir={folder}", "--IdentityProvider.token="]
    command += ["--LabApp.news_url=", "--ServerApp.disable_check_xsrf=True"]
    command += [f"--LabApp.workspaces_dir={folder.parent / 'workspaces'}"]
    with (folder.parent / "lab.log").open("w") as log:
        server = subprocess.Popen(command, env=variables, stdout=log, stderr=log)
    address = f"http://127.0.0.1:{port}"
    try:
        while True:
            assert server.poll() is None, (folder.parent / "lab.log").read_text()
            try:
                urllib.request.urlopen(f"{address}/api/status")
                break
            except OSError:
                time.sleep(0.3)
        yield SimpleNamespace(address=address, folder=folder)
    finally:
        server.send_signal(signal.SIGTERM)
        server.wait()


@pytest.fixture(scope="module")
def browser():
    with playwright.sync_playwright() as started:
        browser = started.chromium.launch(executable_path=BROWSER, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture
def page(browser, lab):
    """Open a page that notes errors and requests to other servers; both must stay empty."""
    page = browser.new_page(viewport={"width": 1440, "height": 900})
    page.set_default_timeout(MILLISECONDS)
    said, asked = [], []
    page.on(
        "console",
        lambda m: said.append(f"{m.text} {m.location['url']}") if m.type == "error" else None,
    )
    page.on("pageerror", lambda error: said.append(str(error)))
    page.on("request", lambda request: asked.append(request.url))
    yield page
    page.close()
    end_kernels(lab)
    local = (lab.address, "data:", "blob:")
    assert said == []
    assert [url for url in asked if not url.startswith(local)] == []


def end_kernels(lab):
    """End all kernels: else a lesson that is opened again counts its cells on."""
    with urllib.request.urlopen(f"{lab.address}/api/sessions") as answer:
        sessions = json.load(answer)
    for session in sessions:
        address = f"{lab.address}/api/sessions/{session['id']}"
        urllib.request.urlopen(urllib.request.Request(address, method="DELETE"))


def state(lab, path):
    """Return what the server says of the kernel of an open notebook; "" if it has none."""
    with urllib.request.urlopen(f"{lab.address}/api/sessions") as answer:
        sessions = json.load(answer)
    found = [s["kernel"]["execution_state"] for s in sessions if s["path"] == path]
    return found[0] if found else ""


def open_lesson(page, lab, name):
    """Open a lesson in an empty workspace, and wait until its kernel is ready."""
    page.goto(f"{lab.address}/lab/workspaces/{name[:2]}/tree/notebooks/{name}?reset")
    page.wait_for_selector(".jp-Notebook .jp-Cell")
    wait(page, lambda: state(lab, f"notebooks/{name}") == "idle")


def wait(page, is_so):
    for _ in range(MILLISECONDS * 5 // 250):
        if is_so():
            return
        page.wait_for_timeout(250)
    raise AssertionError("waited in vain")


def run_all(page, lab, name):
    """Run all cells by the menu, save, and return the notebook as it was saved."""
    click_run_all(page)
    return saved(page, lab, name)


def click_run_all(page):
    page.click(".lm-MenuBar-itemLabel:text-is('Run')")
    page.click(".lm-Menu-itemLabel:text-is('Run All Cells')")


def saved(page, lab, name):
    """Wait until every cell has run, and return the notebook as it was saved."""
    path = lab.folder / "notebooks" / name
    count = len(notebooks.code_cells(notebooks.read(path)))

    read = []

    def is_done():
        if state(lab, f"notebooks/{name}") != "idle":
            return False
        page.keyboard.press("Control+s")
        page.wait_for_timeout(500)
        try:
            read.append(notebooks.read(path))
        except NotJSONError:  # it is just being written
            return False
        counts = [cell.execution_count for cell in notebooks.code_cells(read[-1])]
        return counts == list(range(1, count + 1))

    page.wait_for_timeout(1000)
    wait(page, is_done)
    return read[-1]


def errors(notebook):
    return [
        f"{output.ename}: {output.evalue}"
        for cell in notebooks.code_cells(notebook)
        for output in cell.outputs
        if output.output_type == "error"
    ]


def check_opens(page, lab, name):
    """Open a lesson: its title is shown, and it does not count as changed."""
    before = (lab.folder / "notebooks" / name).read_bytes()
    open_lesson(page, lab, name)
    title = page.inner_text(".jp-RenderedMarkdown h1 >> nth=0")
    assert title.startswith(name[:2])
    assert not page.query_selector(".lm-TabBar-tab.jp-mod-dirty")
    assert (lab.folder / "notebooks" / name).read_bytes() == before


@pytest.mark.slow
@pytest.mark.parametrize("name", IN_CI)
def test_a_lesson_opens_unchanged(page, lab, name):
    check_opens(page, lab, name)


@pytest.mark.slow
def test_a_cell_that_writes_a_cuda_file_is_coloured_as_cpp(page, lab):
    """And as Python again once its first line no longer says so."""
    open_lesson(page, lab, TAUGHT[0])
    writes = (
        page.locator(".cm-content:visible").filter(has_text=re.compile("^%%writefile")).first
    )
    writes.scroll_into_view_if_needed()
    assert ".cu" in writes.inner_text().splitlines()[0]
    editor = page.locator(".cm-content:visible").filter(has_text="__global__").first
    wait(page, lambda: editor.get_attribute("data-language") == "cpp")
    assert page.locator(".cm-content[data-language='python']:visible").count()
    editor.click()
    page.keyboard.press("Control+Home")
    page.keyboard.type("# ")
    wait(page, lambda: editor.get_attribute("data-language") == "python")
    page.keyboard.press("Control+z")
    wait(page, lambda: editor.get_attribute("data-language") == "cpp")


@pytest.mark.slow
def test_run_all_of_the_first_lesson(page, lab):
    open_lesson(page, lab, TAUGHT[0])
    assert errors(run_all(page, lab, TAUGHT[0])) == []


@pytest.mark.stress
@pytest.mark.parametrize("name", TAUGHT[2:])
def test_every_lesson_opens_unchanged(page, lab, name):
    check_opens(page, lab, name)


@pytest.mark.stress
@pytest.mark.parametrize("name", [n for n in TAUGHT if n[:2] in ("01", "09", "12", "14")])
def test_run_all(page, lab, name):
    open_lesson(page, lab, name)
    assert errors(run_all(page, lab, name)) == []


@pytest.mark.stress
def test_two_lessons_run_at_once(page, browser, lab):
    other = browser.new_page()
    other.set_default_timeout(MILLISECONDS)
    for tab, name in ((page, TAUGHT[1]), (other, TAUGHT[2])):
        open_lesson(tab, lab, name)
    click_run_all(page)
    click_run_all(other)
    assert errors(saved(page, lab, TAUGHT[1])) == []
    assert errors(saved(other, lab, TAUGHT[2])) == []
    other.close()


@pytest.mark.stress
def test_sliders_move_the_picture(page, lab):
    """Before the lesson runs there are none; afterwards an arrow key changes the picture."""
    open_lesson(page, lab, WITH_SLIDERS)
    assert errors(run_all(page, lab, WITH_SLIDERS)) == []
    scroller = page.locator(".jp-WindowedPanel-outer").first
    handle = page.locator(".noUi-handle").first
    for place in range(0, 60_000, 400):
        if handle.count() and handle.is_visible():
            break
        scroller.evaluate("(e, y) => { e.scrollTop = y; }", place)
        page.wait_for_timeout(150)
    widget = page.locator(".jp-OutputArea:has(.noUi-handle)").first
    before = widget.inner_html()
    handle.focus()
    handle.press("ArrowRight")
    wait(page, lambda: widget.inner_html() != before)
    wait(page, lambda: state(lab, f"notebooks/{WITH_SLIDERS}") == "idle")


@pytest.mark.stress
def test_interrupt_and_restart(page, lab):
    name = TAUGHT[1]
    open_lesson(page, lab, name)
    click_run_all(page)
    wait(page, lambda: state(lab, f"notebooks/{name}") == "busy")
    page.click(".lm-MenuBar-itemLabel:text-is('Kernel')")
    page.click(".lm-Menu-itemLabel:text-is('Interrupt Kernel')")
    wait(page, lambda: state(lab, f"notebooks/{name}") == "idle")
    page.click(".lm-MenuBar-itemLabel:text-is('Kernel')")
    page.click(".lm-Menu-itemLabel:text-is('Restart Kernel…')")
    page.click(".jp-Dialog .jp-mod-accept")
    wait(page, lambda: state(lab, f"notebooks/{name}") == "idle")
    assert errors(run_all(page, lab, name)) == []
