"""The command `python -m helpers.measure.sass`."""

from pathlib import Path

import pytest

from helpers.errors import BuildError
from helpers.measure import sass
from helpers.measure.sass.__main__ import main


@pytest.fixture
def calls(monkeypatch):
    """Replace what the command calls; the list of its calls."""
    calls = []

    def record(kernels, archs, **rest):
        calls.append((kernels, archs, rest))
        return [Path("data/sass/x.txt")]

    def read(kernel, arch, *, flags):
        calls.append((kernel, arch, flags))
        if kernel == "broken":
            raise BuildError("no nvcc")
        return f"<{kernel}>"

    monkeypatch.setattr(sass, "record", record)
    monkeypatch.setattr(sass, "record_listings", lambda: [Path("a.txt"), Path("b.txt")])
    monkeypatch.setattr(sass, "read", read)
    return calls


def test_tools(capsys):
    assert main(["tools"]) == 0
    assert capsys.readouterr().out.startswith("nvcc  ")


def test_show(calls, capsys):
    assert main(["show", "a", "b", "--arch", "sm_90", "--flags=-DN=8 -DM"]) == 0
    assert calls == [(name, "sm_90", ["-DN=8", "-DM"]) for name in ("a", "b")]
    assert capsys.readouterr().out == "<a>\n\n<b>\n\n"


def test_errors_are_printed_and_make_the_exit_status(calls, capsys):
    assert main(["show", "broken"]) == 1
    assert capsys.readouterr().err == "no nvcc\n"


def test_record_some(calls, capsys):
    assert main(["record", "a", "--lessons", "08", "14"]) == 0
    rest = {"flags": [], "lessons": ["08", "14"], "only": ""}
    assert calls == [(["a"], ["sm_90", "sm_120"], rest)]
    assert capsys.readouterr().out == "x.txt\n"


def test_record_all(calls, capsys):
    assert main(["record"]) == 0
    assert calls == [] and capsys.readouterr().out == "a.txt\nb.txt\n"


def test_a_command_is_needed(capsys):
    with pytest.raises(SystemExit):
        main([])
    with pytest.raises(SystemExit):
        main(["show"])
