"""What a notebook shows of the course's errors."""

import sys

from IPython.core.interactiveshell import InteractiveShell

from helpers import sources
from helpers.errors import CompileError, CourseError, pip_install


def test_what_is_installed_goes_to_the_python_that_runs(monkeypatch):
    monkeypatch.setattr(sys, "executable", "/a folder/bin/python")
    assert pip_install("ninja") == "'/a folder/bin/python' -m pip install ninja"
    monkeypatch.setattr(sys, "executable", None)
    assert pip_install("ninja") == "python -m pip install ninja"


def test_a_notebook_shows_the_learners_line_and_the_message(capsys):
    shell = InteractiveShell()
    shell.run_cell("from helpers import sources\nsources.read_sources('/no/such.cu')")
    said = capsys.readouterr()
    shown = (said.out + said.err).strip().splitlines()
    assert shown == [
        "line 2: sources.read_sources('/no/such.cu')",
        "BuildError: cannot read /no/such.cu: No such file or directory",
    ]


def test_frames_of_the_course_are_left_out():
    try:
        sources.read_sources("/no/such.cu")
    except CourseError as error:
        *lines, message = error._render_traceback_()
    assert message.startswith("BuildError: cannot read")
    assert [line.partition(": ")[2] for line in lines] == [
        'sources.read_sources("/no/such.cu")'
    ]


def test_an_error_that_was_never_raised_has_only_its_message():
    assert CompileError("no")._render_traceback_() == ["CompileError: no"]
