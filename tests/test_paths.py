"""The course's folders, and what is said where they are missing."""

import os
import subprocess
import sys

from helpers import paths


def test_the_folders():
    assert paths.PACKAGE.name == "helpers" and (paths.PACKAGE / "__init__.py").is_file()
    assert (paths.DATA / "gpus.csv").is_file()
    assert (paths.KERNELS / "v1_f32.cu").is_file()


def test_a_package_without_the_course_says_how_to_install_it(tmp_path):
    done = subprocess.run(
        [sys.executable, "-c", "import helpers.paths"],
        cwd=paths.PACKAGE.parent,
        env={**os.environ, "ELEMENTWISE_ROOT": str(tmp_path)},
        capture_output=True,
        text=True,
    )
    assert done.returncode != 0
    assert "pip install -e ." in done.stderr and "ELEMENTWISE_ROOT" in done.stderr
