"""`plots.name` finds every picture, and importing the package draws in nothing."""

import inspect
import pkgutil
import subprocess
import sys
from importlib import import_module

import pytest
from matplotlib.axes import Axes

from helpers.teach import plots


def test_every_function_that_returns_axes_is_offered():
    offered = set(plots.__all__)
    for module in pkgutil.iter_modules(plots.__path__):
        content = import_module(f"helpers.teach.plots.{module.name}")
        for name, function in inspect.getmembers(content, inspect.isfunction):
            if function.__module__ != content.__name__ or name.startswith("_"):
                continue
            if "axes" in inspect.signature(function).parameters and name in offered:
                assert getattr(plots, name) is function
            elif function.__annotations__.get("return") == "Axes":
                assert name in {*offered, "no_record"}, f"{name} is not offered by plots"


@pytest.mark.parametrize("name", plots.__all__)
def test_every_offered_name_is_a_function(name):
    assert inspect.isfunction(getattr(plots, name))
    assert name in dir(plots)


def test_an_unknown_plot_names_those_there_are():
    with pytest.raises(AttributeError, match=r"no plot 'pie'; there are bank_map, .+"):
        _ = plots.pie


def test_importing_the_package_loads_no_matplotlib():
    code = "import sys; from helpers.teach import plots; assert 'matplotlib' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_importing_the_pictures_changes_no_setting():
    code = (
        "import matplotlib, importlib, pkgutil; from helpers.teach import plots;"
        "before = dict(matplotlib.rcParams);"
        "[importlib.import_module('helpers.teach.plots.' + m.name)"
        " for m in pkgutil.iter_modules(plots.__path__)];"
        "assert dict(matplotlib.rcParams) == before"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_new_gives_one_axes_with_its_title_in_the_courses_style():
    axes = plots.new("a title", figsize=(3, 2))
    assert isinstance(axes, Axes)
    assert axes.get_title(loc="left") == "a title"
    assert tuple(axes.figure.get_size_inches()) == (3, 2)
    assert not axes.spines["top"].get_visible()


def test_panels_gives_as_many_axes_as_were_asked_for():
    axes = plots.panels(2, 3, sharex=True)
    assert axes.shape == (2, 3)
    assert not axes[1, 2].spines["right"].get_visible()
