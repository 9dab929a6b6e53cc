"""One command that builds all kernels for a class."""

import os
import threading
from types import SimpleNamespace

import pytest

from helpers.errors import CourseError
from helpers.run import build, fast_call, prepare
from tests.run.conftest import write


@pytest.fixture
def folder(tmp_path, quick, monkeypatch):
    """Make a folder of two right kernels, a wrong and a classic one; nothing is traced."""
    kernels = tmp_path / "kernels"
    kernels.mkdir()
    write(kernels / "b.cu")
    write(kernels / "a.cu", "2.0f")
    write(kernels / "wrong.cu", "oops")
    (kernels / "classic.cu").write_text("#include <torch/extension.h>\n")
    real = build.build
    monkeypatch.setattr(
        prepare, "build", lambda *given, traced=False: None if traced else real(*given)
    )
    monkeypatch.setattr(fast_call, "compiled", lambda: None)
    before = os.umask(0o077)
    yield kernels
    os.umask(before)


def test_every_kernel_is_built_for_others_to_read(folder, cache, quick, capsys):
    assert prepare.prepare(folder) == 1
    lines = capsys.readouterr().out.splitlines()
    assert [line.split(":")[0] for line in lines[:2]] == ["[1/3] a.cu", "[2/3] b.cu"]
    assert any(line.startswith("[3/3] wrong.cu: ") and "oops" in line for line in lines)
    assert lines[-1] == f"2 of 3 kernels are in {cache}"
    assert sorted(quick.builds) == ["a", "b", "wrong"]
    for path in cache.rglob("*.so"):
        assert path.stat().st_mode & 0o777 == path.parent.stat().st_mode & 0o777 == 0o755


def test_what_is_there_is_not_built_again(folder, quick, capsys):
    prepare.prepare(folder)
    capsys.readouterr()
    prepare.prepare(folder)
    assert "[1/3] a.cu: was there" in capsys.readouterr().out
    assert sorted(quick.builds) == ["a", "b", "wrong", "wrong"]


def test_a_folder_that_others_may_write_is_refused(
    folder, cache, monkeypatch, tmp_path, capsys
):
    monkeypatch.setenv("ELEMENTWISE_HOME", str(tmp_path / "home"))
    cache.mkdir()
    cache.chmod(0o1777)
    with pytest.raises(CourseError, match="chmod go-w"):
        prepare.prepare(folder)
    assert prepare.main() == 1 and "chmod go-w" in capsys.readouterr().err


@pytest.mark.parametrize("is_gpu", [True, False])
def test_on_the_emulator_the_traced_kernels_are_built_too(
    folder, cache, monkeypatch, is_gpu, capsys
):
    asked = []

    def build_(path, sources, here, traced=False):
        asked.append((path.name, traced))
        assert list(sources) == [path]
        return SimpleNamespace(cached=path.name == "a.cu")

    monkeypatch.setattr(prepare, "build", build_)
    here = SimpleNamespace(is_gpu=is_gpu)
    monkeypatch.setattr(prepare.machine, "present", lambda: here)
    monkeypatch.setattr(fast_call, "compiled", lambda: asked.append("dispatcher"))
    before = os.umask(0o077)
    assert prepare.prepare(folder) == 0
    assert os.umask(before) == 0o022  # what everyone can read
    forms = (False,) if is_gpu else (False, True)
    names = ("a.cu", "b.cu", "wrong.cu")
    assert asked[: len(forms)] == [("a.cu", form) for form in forms]
    assert sorted(asked[:-1]) == [(name, form) for name in names for form in forms]
    assert asked[-1] == "dispatcher"
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "[1/3] a.cu: was there" and lines[1] == "[2/3] b.cu: 0.0 s"
    assert lines[-1] == f"3 of 3 kernels are in {cache}"


def test_the_status_of_the_command(monkeypatch):
    for failed, status in ((0, 0), (1, 1), (5, 1)):
        monkeypatch.setattr(prepare, "prepare", lambda failed=failed: failed)
        assert prepare.main() == status


def test_the_others_are_built_side_by_side_after_the_first(folder, monkeypatch, capsys):
    """Each of the two waits for the other; the lines keep the files' order."""
    monkeypatch.setattr(prepare.os, "cpu_count", lambda: 2)
    both = threading.Barrier(2, timeout=60)

    def build_(path, sources, here):
        if path.name != "a.cu":
            both.wait()
        return SimpleNamespace(cached=False)

    monkeypatch.setattr(prepare, "build", build_)
    monkeypatch.setattr(prepare.machine, "present", lambda: SimpleNamespace(is_gpu=True))
    assert prepare.prepare(folder) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[1] for line in lines[:3]] == ["a.cu:", "b.cu:", "wrong.cu:"]
