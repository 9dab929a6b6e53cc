"""`make lab`: a lesson that was only opened is not shown as changed."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from jupyter_client.kernelspec import KernelSpecManager
from jupyter_client.manager import KernelManager
from jupyterlab_server.config import get_federated_extensions

from helpers import paths
from helpers.teach import notebooks

FOLDER = paths.PACKAGE / "teach" / "jupyter"
SPEC = FOLDER / "kernels" / "python3" / "kernel.json"


def test_the_kernel_says_of_itself_what_every_notebook_says():
    """Else JupyterLab writes the kernel's words into the notebook when it opens it."""
    specs = KernelSpecManager(kernel_dirs=[str(FOLDER / "kernels")])
    manager = KernelManager(kernel_name="python3", kernel_spec_manager=specs)
    assert manager.kernel_spec.argv[:2] == ["python", "-m"]
    manager.start_kernel()
    client = manager.blocking_client()
    try:
        client.start_channels()
        client.wait_for_ready(timeout=120)
        said = client.kernel_info(reply=True, timeout=120)["content"]["language_info"]
    finally:
        client.stop_channels()
        manager.shutdown_kernel(now=True)
    for path in notebooks.find():
        metadata = notebooks.read(path).metadata
        assert metadata.language_info == said, path.name
        assert metadata.kernelspec.display_name == json.loads(SPEC.read_text())["display_name"]


def test_make_lab_finds_that_kernel():
    makefile = (paths.ROOT / "Makefile").read_text(encoding="utf-8")
    (named,) = re.findall(r'^lab: .*\n\t@JUPYTER_PATH="\$\(CURDIR\)/([\w/]+)', makefile, re.M)
    assert paths.ROOT / named == FOLDER


def test_jupyterlab_finds_the_extension_that_colours_cuda():
    """In the course's folder, and in an environment that the course was installed in."""
    (found,) = get_federated_extensions([str(FOLDER / "labextensions")]).values()
    load = found["jupyterlab"]["_build"]["load"]
    source = Path(found["ext_path"], load)
    assert source.is_file()
    assert f'containers["{found["name"]}"]' in source.read_text(encoding="utf-8")
    pyproject = (paths.ROOT / "pyproject.toml").read_text(encoding="utf-8")
    for file in (Path(found["ext_path"], "package.json"), source):
        home = (
            f"share/jupyter/labextensions/{file.parent.relative_to(FOLDER / 'labextensions')}"
        )
        listed = pyproject.partition(f'"{home}" = [')[2].partition("]")[0]
        assert listed.strip() == f'"{file.relative_to(paths.ROOT)}",'


@pytest.mark.stress
def test_an_opened_lesson_is_not_changed(tmp_path):
    playwright = pytest.importorskip("playwright.sync_api")
    browser_at = shutil.which("chromium") or pytest.skip("no chromium")
    shutil.copytree(paths.ROOT / "notebooks", tmp_path / "notebooks")
    folders = {name: str(tmp_path / name) for name in ("CONFIG_DIR", "DATA_DIR", "RUNTIME_DIR")}
    environment = {f"JUPYTER_{name}": folder for name, folder in folders.items()}
    command = [sys.executable, "-m", "jupyterlab", "--allow-root", "--no-browser", "--port=0"]
    options = [f"--ServerApp.root_dir={tmp_path}", "--IdentityProvider.token="]
    server = subprocess.Popen(
        [*command, *options, "--ip=127.0.0.1"],
        env={**os.environ, **environment, "JUPYTER_PATH": str(FOLDER)},
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        line = next(line for line in server.stderr if "http://127.0.0.1" in line)
        address = re.search(r"http://\S+?/lab", line)[0]
        with playwright.sync_playwright() as started:
            browser = started.chromium.launch(executable_path=browser_at, args=["--no-sandbox"])
            page = browser.new_page()
            page.goto(f"{address}/tree/notebooks/01_v1_f32.ipynb")
            page.wait_for_selector("[data-status='idle']", state="attached", timeout=120_000)
            page.wait_for_timeout(3_000)
            assert page.locator(".lm-TabBar-tab", has_text="01_v1_f32").count() > 0
            assert page.locator(".lm-TabBar-tab.jp-mod-dirty").count() == 0
            browser.close()
    finally:
        server.kill()
        server.stderr.close()
        server.wait()
