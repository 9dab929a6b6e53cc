"""Every command prints its usage for --help and does nothing else."""

import contextlib
import os
import re
import runpy
import sys

import filelock  # noqa: F401  its first import makes a folder, and so does matplotlib's
import matplotlib.pyplot  # noqa: F401
import pytest

from helpers import paths, usage

# Programs of child processes, which nobody types.
PROGRAMS = {"helpers/run/first_launch/child.py", "helpers/teach/forked_kernels.py"}
COMMANDS = sorted(
    name
    for folder in ("helpers", "tools")
    for path in (paths.ROOT / folder).rglob("*.py")
    if re.search("^if __name__ == .__main__.:", path.read_text(encoding="utf-8"), re.M)
    and (name := path.relative_to(paths.ROOT).as_posix()) not in PROGRAMS
)
WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_APPEND
CHANGES = (
    *("os.mkdir", "os.remove", "os.rename", "os.rmdir", "os.chmod", "os.chown", "os.utime"),
    *("shutil.rmtree", "shutil.copyfile", "shutil.move", "shutil.copytree"),
    *("subprocess.Popen", "os.exec", "os.fork", "os.posix_spawn", "os.system"),
)
watched = []


def watch(event, arguments):
    """Refuse what writes or starts a program, while `watched` has a list of such events."""
    if not watched:
        return
    if (event == "open" and arguments[2] & WRITING) or event in CHANGES:
        watched[0].append((event, arguments))
        raise AssertionError(f"{event} {arguments}")


@contextlib.contextmanager
def nothing_is_done():
    """Fail if the body writes or starts anything; a hook can never be removed again."""
    if watch not in HOOKS:
        sys.addaudithook(watch)
        HOOKS.append(watch)
    watched.append([])
    try:
        yield
    finally:
        (done,) = watched
        watched.clear()
    assert done == []


HOOKS = []


def start(name, word, monkeypatch):
    """Run a command as from a shell; return its exit status."""
    monkeypatch.setattr(sys, "argv", [str(paths.ROOT / name), word])
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    monkeypatch.syspath_prepend(str(paths.ROOT / "tools"))
    with pytest.raises(SystemExit) as ended, nothing_is_done():
        runpy.run_path(str(paths.ROOT / name), run_name="__main__")
    return ended.value.code


@pytest.mark.parametrize("name", COMMANDS)
def test_help_is_printed_and_nothing_done(name, monkeypatch, capsys):
    assert not start(name, "--help", monkeypatch)
    assert capsys.readouterr().out.startswith("usage: ")


@pytest.mark.parametrize("name", COMMANDS)
def test_an_unknown_option_is_refused_and_nothing_done(name, monkeypatch, capsys):
    if name == "tools/test_all.py":
        pytest.skip("which hands it to pytest")
    assert start(name, "--no-such-option", monkeypatch) == 2
    assert capsys.readouterr().err.startswith("usage: ")


@pytest.mark.parametrize("name", ["helpers/teach/tables.py", "tools/draw_cells.py"])
def test_a_command_without_arguments_refuses_a_word(name, monkeypatch, capsys):
    assert start(name, "word", monkeypatch) == 2
    assert "unrecognized arguments: word" in capsys.readouterr().err


def test_the_watch_sees_what_is_written_and_started(tmp_path):
    for done in (
        lambda: (tmp_path / "file").write_text("x"),
        lambda: (tmp_path / "folder").mkdir(),
        lambda: os.system("true"),
    ):
        with pytest.raises(AssertionError), nothing_is_done():
            done()
    assert list(tmp_path.iterdir()) == []


def test_the_usage_names_the_module(monkeypatch):
    main = type(sys)("__main__")
    monkeypatch.setitem(sys.modules, "__main__", main)
    main.__spec__ = type(sys)("spec")
    main.__spec__.name = "helpers.measure.sass.__main__"
    assert usage.parser("x").prog == "python -m helpers.measure.sass"
    main.__spec__ = None
    monkeypatch.setattr(sys, "argv", ["tools/record.py"])
    assert usage.parser("x").prog == "record.py"
