"""settings: each environment variable, its values and its default."""

import tempfile
from pathlib import Path

import pytest

from helpers import paths, settings
from helpers.settings import Sandbox


def test_the_root_is_the_folder_above_the_package(monkeypatch):
    monkeypatch.delenv("ELEMENTWISE_ROOT", raising=False)
    assert settings.root() == paths.PACKAGE.parent
    assert (settings.root() / "helpers" / "settings.py").is_file()
    monkeypatch.setenv("ELEMENTWISE_ROOT", "/some/where")
    assert settings.root() == Path("/some/where")


def test_the_cache_lies_in_the_root_and_is_absolute(monkeypatch):
    monkeypatch.setenv("ELEMENTWISE_ROOT", "/some/where")
    for empty in (lambda: monkeypatch.delenv("ELEMENTWISE_CACHE", raising=False), None):
        empty() if empty else monkeypatch.setenv("ELEMENTWISE_CACHE", "")
        assert settings.cache_path() == Path("/some/where/build/cache")
    monkeypatch.setenv("ELEMENTWISE_CACHE", "here")
    assert settings.cache_path() == Path.cwd() / "here"


@pytest.mark.parametrize(
    ("value", "chosen"), [(None, False), ("emulator", True), ("gpu", False), ("", False)]
)
def test_the_emulator_is_chosen_by_name(monkeypatch, value, chosen):
    monkeypatch.delenv("ELEMENTWISE_MACHINE", raising=False)
    if value is not None:
        monkeypatch.setenv("ELEMENTWISE_MACHINE", value)
    assert settings.emulator_is_chosen() is chosen


@pytest.mark.parametrize(
    ("value", "wanted"),
    [
        (None, Sandbox.AUTO),
        ("0", Sandbox.OFF),
        ("native", Sandbox.NATIVE),
        ("MemCheck", Sandbox.MEMCHECK),
        ("auto", Sandbox.AUTO),
        ("nonsense", Sandbox.AUTO),
        ("", Sandbox.AUTO),
    ],
)
def test_how_first_launches_are_tried(monkeypatch, value, wanted):
    monkeypatch.delenv("ELEMENTWISE_SANDBOX", raising=False)
    if value is not None:
        monkeypatch.setenv("ELEMENTWISE_SANDBOX", value)
    assert settings.sandbox() is wanted


@pytest.mark.parametrize(
    ("value", "seconds"), [(None, 10.0), ("2.5", 2.5), ("soon", 10.0), ("", 10.0)]
)
def test_the_timeout_of_a_first_launch(monkeypatch, value, seconds):
    monkeypatch.delenv("ELEMENTWISE_KERNEL_TIMEOUT", raising=False)
    if value is not None:
        monkeypatch.setenv("ELEMENTWISE_KERNEL_TIMEOUT", value)
    assert settings.first_launch_timeout() == seconds


@pytest.mark.parametrize(
    ("value", "seconds"), [(None, 5), ("0", 0), ("3600", 3600), ("soon", 5)]
)
def test_when_a_wait_is_said(monkeypatch, value, seconds):
    monkeypatch.delenv("ELEMENTWISE_WAIT_WORDS", raising=False)
    if value is not None:
        monkeypatch.setenv("ELEMENTWISE_WAIT_WORDS", value)
    assert settings.wait_words() == seconds


def test_the_commit_of_records(monkeypatch):
    monkeypatch.delenv("ELEMENTWISE_COMMIT", raising=False)
    assert settings.commit() == ""
    monkeypatch.setenv("ELEMENTWISE_COMMIT", "abc+")
    assert settings.commit() == "abc+"


def test_marks_are_recorded_only_where_a_folder_is_named(monkeypatch):
    monkeypatch.delenv("ELEMENTWISE_MARKS", raising=False)
    monkeypatch.delenv("ELEMENTWISE_LEARNER", raising=False)
    assert settings.marks_folder() is None and settings.learner() == ""
    monkeypatch.setenv("ELEMENTWISE_MARKS", "marks")
    monkeypatch.setenv("ELEMENTWISE_LEARNER", " ada ")
    assert settings.marks_folder() == Path("marks").absolute()
    assert settings.learner() == "ada"


def test_every_variable_of_the_package_is_in_the_list():
    """One list: no module reads an environment variable of ours that settings does not name."""
    import re

    names = set()
    for file in paths.PACKAGE.rglob("*"):
        if file.suffix in (".py", ".h"):
            names |= set(re.findall(r"\"(ELEMENTWISE_[A-Z_]+)\"", file.read_text()))
    assert len(names) >= 6 and all(name in settings.__doc__ for name in names)


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (None, ["g++"]),
        ("", ["g++"]),
        ("  ", ["g++"]),
        ("clang++", ["clang++"]),
        ("clang++ -stdlib=libc++", ["clang++", "-stdlib=libc++"]),
        ("'my g++' -DX='a b'", ["my g++", "-DX=a b"]),
        ("g++ 'open", ["g++ 'open"]),
    ],
)
def test_the_compiler_and_its_options(monkeypatch, value, words):
    monkeypatch.delenv("CXX", raising=False)
    if value is not None:
        monkeypatch.setenv("CXX", value)
    assert settings.cxx() == words


def test_a_compiler_whose_path_has_a_space(monkeypatch, tmp_path):
    path = tmp_path / "my g++"
    path.touch()
    monkeypatch.setenv("CXX", str(path))
    assert settings.cxx() == [str(path)]


def test_the_folder_of_locks_and_the_number_of_builds(monkeypatch, tmp_path):
    for name in ("ELEMENTWISE_LOCKS", "ELEMENTWISE_BUILDS"):
        monkeypatch.delenv(name, raising=False)
    assert settings.locks_folder() == Path(tempfile.gettempdir())
    assert settings.most_builds() == 0
    monkeypatch.setenv("ELEMENTWISE_LOCKS", str(tmp_path))
    assert settings.locks_folder() == tmp_path
    for value, number in (("2", 2), ("-1", 0), ("many", 0)):
        monkeypatch.setenv("ELEMENTWISE_BUILDS", value)
        assert settings.most_builds() == number


@pytest.mark.parametrize(("value", "strict"), [(None, False), ("0", False), ("1", True)])
def test_whether_a_diagnosis_may_raise(monkeypatch, value, strict):
    monkeypatch.delenv("ELEMENTWISE_STRICT", raising=False)
    if value is not None:
        monkeypatch.setenv("ELEMENTWISE_STRICT", value)
    assert settings.strict() is strict
