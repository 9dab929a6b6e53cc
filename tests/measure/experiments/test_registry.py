"""Every experiment is in the registry on import, and says where its rows are from."""

import re
import subprocess
import sys

import pandas as pd
import pytest

from helpers import paths
from helpers.measure import experiments, store
from helpers.measure.experiments import registry
from helpers.run import machine


def test_the_package_alone_registers_every_experiment():
    folder = paths.PACKAGE / "measure" / "experiments"
    written = re.findall(
        r'^@experiment\("([^"]+)"\)',
        "".join(path.read_text(encoding="utf-8") for path in folder.glob("*.py")),
        re.MULTILINE,
    )
    program = "from helpers.measure.experiments import EXPERIMENTS; print(sorted(EXPERIMENTS))"
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, cwd=paths.ROOT
    )
    assert done.stdout.strip() == str(sorted(written)), (
        f"import the module of each in helpers/measure/experiments/__init__.py\n{done.stderr}"
    )
    assert len(written) >= 40


def test_every_module_of_the_package_is_imported_by_it():
    folder = paths.PACKAGE / "measure" / "experiments"
    modules = {path.stem for path in folder.glob("*.py")} - {"__init__", "registry"}
    assert modules <= set(vars(experiments)) and modules <= set(experiments.__all__)
    homes = {function.__module__ for function in experiments.EXPERIMENTS.values()}
    assert homes == {f"helpers.measure.experiments.{module}" for module in modules}


def test_every_recorded_experiment_can_be_recorded_again():
    assert set(store.load().experiment) <= set(experiments.EXPERIMENTS)


def test_a_name_is_registered_once(monkeypatch):
    monkeypatch.setattr(registry, "EXPERIMENTS", {})

    @registry.experiment("new")
    def function():
        return []

    assert registry.EXPERIMENTS == {"new": function}
    assert registry.find("new") is function
    with pytest.raises(ValueError, match="already an experiment 'new'"):
        registry.experiment("new")(function)
    with pytest.raises(KeyError, match="no experiment 'old'; there are new"):
        registry.find("old")


def test_a_kernel_is_checked_before_it_is_given(monkeypatch):
    seen = []
    monkeypatch.setattr(registry.jit, "load", lambda name: f"kernel {name}")
    monkeypatch.setattr(
        registry.check,
        "check",
        lambda kernel, reference, cases: seen.append((kernel, reference, cases)),
    )
    assert registry.checked("sums", "cases") == "kernel sums"
    assert registry.checked("v1_f32") == "kernel v1_f32"
    assert registry.checked("v1_f32", reference="sum") == "kernel v1_f32"
    assert seen == [
        ("kernel sums", None, "cases"),
        ("kernel v1_f32", None, None),
        ("kernel v1_f32", "sum", None),
    ]


@pytest.fixture
def emulator():
    if machine.present().is_gpu:
        pytest.skip("there is a GPU")


def test_without_a_gpu_the_record_serves(emulator, capsys):
    rows = experiments.measured_or_recorded("matmul")
    assert set(rows.experiment) == {"matmul"} and set(rows.gpu) == {"NVIDIA H200"}
    assert list(rows.index) == list(range(len(rows))) and "index" not in rows
    assert capsys.readouterr().out == (
        f"no GPU here: recorded on NVIDIA H200, {rows.date.max()}\n"
    )


def test_a_missing_record_is_reported(emulator, capsys, monkeypatch):
    monkeypatch.setitem(registry.EXPERIMENTS, "never recorded", lambda: [])
    rows = experiments.measured_or_recorded("never recorded")
    assert rows.empty and "time_us" in rows
    assert (
        "NO RECORD of this yet: `python tools/record.py 'never recorded'`"
        in capsys.readouterr().out
    )
    with pytest.raises(KeyError, match="divergence"):
        experiments.measured_or_recorded("unknown")


def test_on_a_gpu_it_is_measured_with_the_options(gpu, capsys, monkeypatch):
    monkeypatch.setattr(
        machine, "present", lambda: machine.Machine("gpu", "card", reason="", torch="")
    )
    options = []
    monkeypatch.setitem(registry.EXPERIMENTS, "new", lambda **kw: options.append(kw) or [])
    rows = experiments.measured_or_recorded("new", sizes=[8])
    assert isinstance(rows, pd.DataFrame) and rows.empty
    assert options == [{"sizes": [8]}]
    assert capsys.readouterr().out == "measured now on card\n"
