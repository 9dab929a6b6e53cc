"""One list of dependencies: pyproject.toml has it, constraints.txt pins it, environment.yml refers to it."""

import re
import subprocess
import sys

from helpers import paths

ROOT = paths.ROOT


def dependencies():
    text = (ROOT / "pyproject.toml").read_text()
    lists = re.findall(r"^(?:dependencies|test) = \[(.*?)\]", text, flags=re.M | re.S)
    return [
        re.match(r"[\w-]+", entry).group().lower()
        for block in lists
        for entry in re.findall(r'"([^"]+)"', block)
    ]


def test_every_dependency_is_pinned_for_the_tests():
    pins = {
        line.split("==")[0].lower().replace("_", "-")
        for line in (ROOT / "constraints.txt").read_text().splitlines()
    }
    assert len(dependencies()) > 10
    assert set(dependencies()) <= pins


def test_environment_yml_takes_the_same_list():
    text = (ROOT / "environment.yml").read_text()
    assert re.search(r"pip:\s*\n\s*- -e \.\[test\]", text)
    for name in dependencies():
        assert not re.search(rf"^\s*- {name}\b", text, flags=re.M), (
            f"{name} stands in two lists"
        )


def test_torch_is_a_range_from_2_8_for_users():
    assert '"torch>=2.8"' in (ROOT / "pyproject.toml").read_text()


def test_set_up_says_which_python_it_needs():
    code = (
        "import runpy, sys; sys.version_info = (3, 8, 0); sys.argv = ['bootstrap'];"
        f"ns = runpy.run_path({str(ROOT / 'tools' / 'bootstrap.py')!r}); ns['check_needs'](False)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False
    )
    assert (
        done.returncode != 0
        and "3.10 or newer" in done.stderr
        and "make PYTHON=" in done.stderr
    )


def test_set_up_says_that_a_compiler_is_missing():
    code = f"import runpy; runpy.run_path({str(ROOT / 'tools' / 'bootstrap.py')!r})['check_needs'](False)"
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=False,
        env={"PATH": "", "CXX": "g++"},
    )
    assert (
        done.returncode != 0
        and "no C++ compiler" in done.stderr
        and "apt install g++" in done.stderr
    )
