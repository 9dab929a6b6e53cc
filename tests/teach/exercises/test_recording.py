"""Marks can be recorded: one file a learner, one line a mark; off unless a folder is named."""

import json

import pytest

from helpers.teach.exercises import recording
from helpers.teach.exercises.marking import Mark

MARK = Mark(True, "right: 8 bytes", "", "00.1", "2026-01-01T00:00:00+00:00")


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("ELEMENTWISE_MARKS", str(tmp_path / "marks"))
    monkeypatch.setenv("ELEMENTWISE_LEARNER", "ada")
    return tmp_path / "marks"


def test_nothing_is_recorded_without_a_folder(tmp_path, monkeypatch):
    monkeypatch.delenv("ELEMENTWISE_MARKS", raising=False)
    monkeypatch.chdir(tmp_path)
    recording.record(MARK)
    assert not list(tmp_path.iterdir())


def test_a_line_holds_the_mark_and_the_learner(folder):
    recording.record(MARK)
    recording.record(MARK)
    lines = (folder / "ada.jsonl").read_text(encoding="utf-8").splitlines()
    assert len(lines) == 2
    assert json.loads(lines[0]) == {
        "learner": "ada",
        "right": True,
        "message": "right: 8 bytes",
        "hint": "",
        "exercise": "00.1",
        "time": "2026-01-01T00:00:00+00:00",
    }


def test_all_learners_are_read_in_the_order_of_time(folder, monkeypatch):
    recording.record(Mark(True, "", "", "00.2", "2026-01-02"))
    monkeypatch.setenv("ELEMENTWISE_LEARNER", "bob")
    recording.record(Mark(False, "", "", "00.1", "2026-01-01"))
    (folder / "carl.jsonl").write_text('{"exercise": "00.3", "ti\n[]\n', encoding="utf-8")
    assert [(m["learner"], m["exercise"]) for m in recording.read(folder)] == [
        ("bob", "00.1"),
        ("ada", "00.2"),
    ]


@pytest.mark.parametrize(
    ("name", "file"),
    [
        ("ada", "ada.jsonl"),
        ("../../etc/x", "_.._etc_x.jsonl"),
        ("Zoë K", "Zoë_K.jsonl"),
        ("...", "learner.jsonl"),
        ("a" * 300, "a" * 80 + ".jsonl"),
    ],
)
def test_any_name_makes_a_file_of_the_folder(tmp_path, name, file):
    assert recording.file_of(tmp_path, name) == tmp_path / file


def test_the_learner_is_user_and_machine_unless_named(monkeypatch):
    monkeypatch.delenv("ELEMENTWISE_LEARNER", raising=False)
    monkeypatch.setattr(recording.getpass, "getuser", lambda: "ada")
    monkeypatch.setattr(recording.socket, "gethostname", lambda: "lab7")
    assert recording.learner() == "ada@lab7"

    def nobody():
        raise KeyError("uid")

    monkeypatch.setattr(recording.getpass, "getuser", nobody)
    assert recording.learner() == "learner@lab7"


def test_a_folder_that_cannot_be_written_costs_no_mark(tmp_path, monkeypatch, capsys):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("ELEMENTWISE_MARKS", str(tmp_path / "file"))
    recording.record(MARK)
    assert "could not be recorded" in capsys.readouterr().err
