"""The learner's sheet: names that load when they are used, and a fast import."""

import subprocess
import sys

import pytest

import helpers
from helpers import paths


def fresh(code: str) -> str:
    """Run code in a new Python; return what it prints."""
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, cwd=paths.ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_importing_is_fast_and_loads_no_torch():
    code = "import time; begun = time.process_time(); import helpers, sys;"
    code += "print(time.process_time() - begun, 'torch' in sys.modules)"
    times, torch = zip(*(fresh(code).split() for _ in range(3)), strict=True)
    assert min(map(float, times)) < 0.1  # seconds of this process, however busy the machine
    assert set(torch) == {"False"}


def test_the_model_needs_no_torch():
    modules = sorted(path.stem for path in (paths.PACKAGE / "model").glob("[a-z]*.py"))
    assert len(modules) > 5
    names = ", ".join(f"helpers.model.{name}" for name in modules)
    assert fresh(f"import sys, {names}; print('torch' in sys.modules)") == "False"


@pytest.mark.parametrize("name", sorted(helpers._MODULES))
def test_each_name_is_a_module_or_a_function_of_one(name):
    module, _, function = helpers._MODULES[name].partition(":")
    found = getattr(helpers, name)
    assert (found.__module__ if function else found.__name__) == module
    assert not function or found.__name__ == function
    assert name in dir(helpers)


def test_an_unknown_name_lists_the_known_ones():
    with pytest.raises(AttributeError, match=r"no attribute 'jot'; it has bench, .*jit"):
        helpers.jot  # noqa: B018
