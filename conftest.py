"""What every test and every notebook run needs: one build cache, GPU-only tests skipped without a GPU."""

import os
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent

# Notebook kernels are processes of their own and inherit these.
os.environ.setdefault("ELEMENTWISE_CACHE", str(ROOT / "build" / "cache"))
os.environ["PYTHONPATH"] = os.pathsep.join(
    [str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])]
)
# A debugger's warning about frozen modules on stderr is no output of a notebook.
os.environ.setdefault("PYDEVD_DISABLE_FILE_VALIDATION", "1")


def pytest_collection_modifyitems(items):
    from helpers.run import machine

    if not machine.present().is_gpu:
        skip = pytest.mark.skip(reason="needs a CUDA GPU")
        for item in items:
            if item.get_closest_marker("gpu"):
                item.add_marker(skip)
