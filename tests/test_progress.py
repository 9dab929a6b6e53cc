"""Marks can be recorded: one file a learner, one line a mark; off unless a folder is named."""

import json
import os
import pwd
import socket
import stat
import subprocess
import sys

import pytest

from helpers import paths, progress
from helpers.run import jit
from helpers.testing import check

MARK = {"exercise": "00.1", "right": True, "message": "right: 8 bytes", "hint": ""}


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("ELEMENTWISE_MARKS", str(tmp_path / "marks"))
    monkeypatch.setenv("ELEMENTWISE_LEARNER", "ada")
    monkeypatch.setattr(progress, "_said", set())
    return tmp_path / "marks"


def test_nothing_is_recorded_without_a_folder(tmp_path, monkeypatch, capsys):
    monkeypatch.delenv("ELEMENTWISE_MARKS", raising=False)
    monkeypatch.chdir(tmp_path)
    progress.announce()
    progress.record(**MARK)
    assert not list(tmp_path.iterdir())
    assert capsys.readouterr() == ("", "")


def test_a_line_holds_the_mark_and_the_learner_and_nothing_else(folder):
    progress.record(**MARK, time="2026-01-01T00:00:00+00:00")
    progress.record(**MARK)
    lines = (folder / "ada.jsonl").read_text(encoding="utf-8").splitlines()
    assert len(lines) == 2
    assert json.loads(lines[0]) == {
        "learner": "ada",
        "exercise": "00.1",
        "right": True,
        "message": "right: 8 bytes",
        "hint": "",
        "time": "2026-01-01T00:00:00+00:00",
    }
    assert json.loads(lines[1])["time"].endswith("+00:00")


def test_the_learner_is_told_once(folder, capsys):
    for _ in range(2):
        progress.announce()
        progress.record(**MARK)
    said = capsys.readouterr().out
    assert said.count("\n") == 1
    assert str(folder) in said and "as ada" in said


def test_check_records_its_verdict(folder):
    kernel = jit.load(paths.KERNELS / "v1_f32.cu")
    check.check(kernel)
    with pytest.raises(check.CheckError):
        check.check(kernel, lambda a, b: a - b)
    check.verdict(kernel)  # what marks use, which are recorded themselves
    right, wrong = progress.read(folder)
    assert (right["kernel"], right["right"]) == ("v1_f32", True)
    assert (wrong["right"], wrong["message"][:6]) == (False, "WRONG:")


def test_all_learners_are_read_in_the_order_of_time(folder, monkeypatch):
    progress.record(**MARK | {"exercise": "00.2", "time": "2026-01-02"})
    monkeypatch.setenv("ELEMENTWISE_LEARNER", "bob")
    progress.record(**MARK | {"time": "2026-01-01", "right": False})
    (folder / "carl.jsonl").write_text('{"exercise": "00.3", "ti\n[]\n3\n', encoding="utf-8")
    (folder / "dora.jsonl").mkdir()
    found = progress.read(folder)
    assert [(m["learner"], m["exercise"], m["right"]) for m in found] == [
        ("bob", "00.1", False),
        ("ada", "00.2", True),
    ]


def test_half_a_line_costs_no_other_line(folder):
    progress.record(**MARK)
    with (folder / "ada.jsonl").open("a") as file:
        file.write('{"learner": "ada", "exer')
    progress.record(**MARK | {"exercise": "00.2"})
    assert [m["exercise"] for m in progress.read(folder)] == ["00.1", "00.2"]


def test_six_processes_of_one_learner_lose_no_line(folder):
    script = (
        "from helpers import progress\n"
        "for i in range(100):\n"
        "    progress.record(exercise=f'01.{i}', right=True, message='x' * 999)\n"
    )
    writers = [
        subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.DEVNULL)
        for _ in range(6)
    ]
    assert [writer.wait() for writer in writers] == [0] * 6
    assert len((folder / "ada.jsonl").read_text().splitlines()) == 600
    assert len(progress.read(folder)) == 600


@pytest.mark.skipif(os.name == "nt", reason="no modes")
@pytest.mark.parametrize(("setgid", "mode"), [(False, 0o644), (True, 0o640)])
def test_who_may_read_does_not_depend_on_the_umask(folder, setgid, mode):
    folder.mkdir()
    folder.chmod(0o2777 if setgid else 0o777)
    before = os.umask(0o077)
    try:
        progress.record(**MARK)
    finally:
        os.umask(before)
    assert stat.S_IMODE((folder / "ada.jsonl").stat().st_mode) == mode


@pytest.mark.skipif(os.name == "nt", reason="no links")
def test_a_planted_link_or_pipe_is_not_written_to(folder, tmp_path, capsys):
    folder.mkdir()
    (folder / "ada.jsonl").symlink_to(tmp_path / "elsewhere")
    progress.record(**MARK)
    assert not (tmp_path / "elsewhere").exists()
    assert "could not be recorded" in capsys.readouterr().err
    (folder / "bob.jsonl").symlink_to(tmp_path / "secret")
    (tmp_path / "secret").write_text(json.dumps(MARK))
    os.mkfifo(folder / "carl.jsonl")
    assert progress.read(folder) == []


# ---- what a mischievous learner writes -------------------------------------------------------


def line(**entry):
    return json.dumps({**MARK, "learner": "eve", "time": "2026-01-01", **entry}) + "\n"


def test_a_file_speaks_for_its_own_learner_only(folder):
    folder.mkdir()
    (folder / "eve.jsonl").write_text(line() + line(learner="ada") + line(learner="../ada"))
    assert [entry["learner"] for entry in progress.read(folder)] == ["eve"] * 3


@pytest.mark.skipif(os.name == "nt" or os.geteuid() != 0, reason="root gives files away")
def test_who_writes_under_the_name_of_another_account_is_named(folder):
    """Under ELEMENTWISE_LEARNER=daemon, before daemon's own first mark."""
    folder.mkdir()
    for user in (1, 2):  # daemon and bin, by Debian's numbers
        account = pwd.getpwuid(user).pw_name
        for name in (account, f"{account}@{socket.gethostname()}", f"{account}@elsewhere"):
            (folder / f"{name}.jsonl").write_text(line(learner=name))
            os.chown(folder / f"{name}.jsonl", 1, 1)
    (folder / "seat-07.jsonl").write_text(line(learner="seat-07"))
    first, second = (pwd.getpwuid(user).pw_name for user in (1, 2))
    here = socket.gethostname()
    assert {entry["learner"] for entry in progress.read(folder)} == {
        first,
        f"{first}@{here}",
        f"{first}@elsewhere",
        f"{second} (written by {first})",
        f"{second}@{here} (written by {first})",
        f"{second}@elsewhere",
        "seat-07",
    }
    os.chown(folder / f"{second}.jsonl", 54321, 54321)
    assert f"{second} (written by user 54321)" in {e["learner"] for e in progress.read(folder)}


@pytest.mark.parametrize(
    "text",
    [
        "[" * 200_000,
        '{"exercise": ' * 100_000,
        '{"exercise": "' + "9" * 5000 + '"}',
        '{"exercise": ["00.1"]}',
        '{"exercise": "00.1<script>"}',
        '{"kernel": ' + "9" * 5000 + "}",
    ],
)
def test_what_is_no_record_is_passed_over(folder, text):
    folder.mkdir()
    (folder / "eve.jsonl").write_text(f"{text}\n{line()}")
    assert [entry["exercise"] for entry in progress.read(folder)] == ["00.1"]


def test_fields_are_text_of_a_bounded_length_that_can_be_written(folder):
    folder.mkdir()
    odd = {"learner": "eve", "hint": {"a": 1}, "message": "\ud800", "time": 7, "right": "yes"}
    (folder / "eve.jsonl").write_text(line(**odd) + line(kernel="k" * 9999, exercise="00.2"))
    (folder / "mallory.jsonl").write_text(line(learner="x" * 9999))
    for entry in progress.read(folder):
        words = [value for key, value in entry.items() if key != "right"]
        assert all(len(text.encode()) <= progress.MOST_CHARACTERS for text in words)
        assert entry["right"] is (entry["exercise"] != "00.1" or entry["learner"] == "mallory")


def test_of_a_huge_file_only_the_start_is_read(folder):
    folder.mkdir()
    with (folder / "eve.jsonl").open("w") as file:
        file.write(line())
        file.seek(1 << 40)  # 1 TiB of zeros, which no disk must hold
        file.write(line())
    assert len(progress.read(folder)) == 1


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
    assert progress.file_of(tmp_path, name) == tmp_path / file


def test_the_learner_is_user_and_machine_unless_named(monkeypatch):
    monkeypatch.delenv("ELEMENTWISE_LEARNER", raising=False)
    monkeypatch.setattr(progress.getpass, "getuser", lambda: "ada")
    monkeypatch.setattr(progress.socket, "gethostname", lambda: "lab7")
    assert progress.learner() == "ada@lab7"

    def nobody():
        raise KeyError("uid")

    monkeypatch.setattr(progress.getpass, "getuser", nobody)
    assert progress.learner() == "learner@lab7"


def test_a_folder_that_cannot_be_written_costs_no_mark(folder, capsys):
    folder.write_text("")
    progress.record(**MARK)
    progress.record(**MARK)
    assert capsys.readouterr().err.count("could not be recorded") == 1
