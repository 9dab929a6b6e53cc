"""The board: who solved what, who is stuck and on which sentence; text, page and CSV."""

import csv
import json
from datetime import datetime, timezone
from html.parser import HTMLParser

import pytest

from tools import board

NOW = datetime(2026, 1, 1, 10, 0, tzinfo=timezone.utc)


def entry(learner, name, right, minute, hint="", message="said", kind="exercise"):
    time = f"2026-01-01T09:{minute:02}:00+00:00"
    return {
        "learner": learner,
        kind: name,
        "right": right,
        "message": message,
        "hint": hint,
        "time": time,
    }


CLASS = [
    entry("bob", "01.1", False, 10, hint="count the last block"),
    entry("ada", "01.1", False, 11, hint="count the last block"),
    entry("ada", "01.1", True, 12),
    entry("ada", "00.2", True, 13),
    entry("bob", "01.1", False, 20, hint="count the last block"),
    entry("cleo", "01.1", False, 30, hint="count the last block"),
    entry("cleo", "01.1", False, 31, hint="count the last block"),
    entry("cleo", "01.1", False, 32, hint="count the last block"),
    entry("dan", "v1_f32", False, 40, message="WRONG: element 7", kind="kernel"),
    entry("dan", "v1_f32", False, 50, message="WRONG: element 8\nmore", kind="kernel"),
]


def test_the_terminal_shows_a_row_a_learner_and_who_is_stuck():
    assert board.as_text(board.make_board(CLASS), NOW) == (
        "learner 00 01 last mark\n"
        "ada     +  +  47 min\n"
        "bob     .  2  40 min\n"
        "cleo    .  3  28 min\n"
        "dan     .  .  10 min\n"
        "(a column an exercise: + right, 1-9 wrong answers so far, . nothing yet)\n"
        "\n"
        "stuck:\n"
        "  bob, 01.1 (2 wrong, 50 min): count the last block\n"
        "  cleo, 01.1 (3 wrong, 30 min): count the last block\n"
        "  dan, v1_f32 (2 wrong, 20 min): WRONG: element 8\n"
        "\n"
        "several learners at the same sentence:\n"
        "  2 x 01.1: count the last block"
    )


def test_exercises_of_one_lesson_stand_together():
    entries = [entry("ada", name, True, 1) for name in ("12.3", "01.2", "12.1", "01.1")]
    made = board.make_board([*entries, entry("ada", "12.4", False, 2)])
    lines = board.as_text(made, NOW).splitlines()
    assert lines[:2] == ["learner 01 12  last mark", "ada     ++ ++1 58 min"]


def test_nobody_is_stuck_before_the_second_wrong_answer_or_after_a_right_one():
    first = [entry("ada", "01.1", False, 1)]
    assert board.make_board(first).stuck() == []
    second = [*first, entry("ada", "01.1", False, 2)]
    assert len(board.make_board(second).stuck()) == 1
    third = [*second, entry("ada", "01.1", True, 3)]
    assert board.make_board(third).stuck() == []


def test_a_solved_exercise_stays_solved_and_a_kernel_is_as_its_last_verdict():
    for kind, symbol in (("exercise", "+"), ("kernel", "1")):
        entries = [entry("ada", "x", right, 1, kind=kind) for right in (True, False)]
        assert board.symbol(board.make_board(entries).work["ada"]["x"]) == symbol


def test_many_wrong_answers_take_one_character():
    assert board.symbol(board.Work(wrong=30)) == "9"


def test_a_name_cannot_command_the_terminal_or_the_page():
    entries = [entry("\x1b[2J<b>", "<i>", False, 1, hint="\x1b]0;x<script>")] * 2
    made = board.make_board(entries)
    assert "\x1b" not in board.as_text(made, NOW)
    page = board.as_page(made, NOW)
    assert "<script" not in page and "<i>" not in page and "<b>\x1b" not in page


def test_no_learner_makes_the_board_long_or_turns_its_letters():
    name, right_to_left = "e" * 9999, "\u202e\u2066"
    many = [f"{n}" + "k" * 9999 for n in range(500)]
    entries = [entry(name, k, False, 1, hint="x" * 9999, kind="kernel") for k in many] * 2
    entries += [entry(right_to_left + "eve", "01.1", False, 1)]
    made = board.make_board(entries)
    text = board.as_text(made, NOW)
    assert len(made.work[name]) == board.MOST_THINGS
    assert max(map(len, text.splitlines())) < 500
    assert not {*right_to_left} & {*text, *board.as_page(made, NOW)}


class Links(HTMLParser):
    found: tuple[str, ...] = ()

    def handle_starttag(self, tag, attributes):
        self.found += tuple(v for k, v in attributes if k in ("src", "href"))


def test_the_page_needs_nothing_else_and_reloads_itself():
    page = board.as_page(board.make_board(CLASS), NOW)
    links = Links()
    links.feed(page)
    assert links.found == () and "url(" not in page and "@import" not in page
    assert '<meta http-equiv="refresh" content="5">' in page
    assert page.count("<tr>") == 5
    assert '<td class="stuck" title="count the last block">3</td>' in page
    assert page.count('<td class="right">+</td>') == 2
    assert "4 learners. As of 10:00:00 UTC" in page


def test_the_table_has_a_row_a_mark_and_no_formula(tmp_path):
    board.write_csv([*CLASS, entry("=cmd()", "01.1", True, 1)], tmp_path / "marks.csv")
    rows = list(csv.DictReader((tmp_path / "marks.csv").open(encoding="utf-8")))
    assert len(rows) == 11
    assert rows[0] == {
        "time": "2026-01-01T09:10:00+00:00",
        "learner": "bob",
        "exercise": "01.1",
        "kernel": "",
        "right": "False",
        "message": "said",
        "hint": "count the last block",
    }
    assert rows[-1]["learner"] == "'=cmd()"
    board.write_csv([entry(" \n=cmd()", "01.1", True, 1)], tmp_path / "marks.csv")
    assert "' \n=cmd()" in (tmp_path / "marks.csv").read_text(encoding="utf-8")


def test_the_command_writes_page_and_table(tmp_path, capsys):
    for e in CLASS:
        with (tmp_path / f"{e['learner']}.jsonl").open("a") as file:
            file.write(json.dumps(e) + "\n")
    files = [str(tmp_path / name) for name in ("out/board.html", "marks.csv")]
    assert board.main([str(tmp_path), "--html", files[0], "--csv", files[1]]) == 0
    said = capsys.readouterr().out
    assert "stuck:" in said and "board.html" in said
    assert (tmp_path / "out" / "board.html").read_text("utf-8").count("<tr>") == 5
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["board.html"]


def test_a_class_of_thirty_stands_on_one_page(tmp_path, capsys):
    exercises = [f"{lesson:02}.{n}" for lesson in range(21) for n in (1, 2, 3)]
    for number in range(30):
        name, done = f"seat-{number:02}", exercises[: 2 * number + 3]
        lines = [entry(name, exercise, True, 1) for exercise in done]
        lines += [entry(name, "20.3", False, m, hint="see 20.1") for m in range(number % 3)]
        text = "".join(json.dumps(line) + "\n" for line in lines)
        (tmp_path / f"{name}.jsonl").write_text(text)
    files = [str(tmp_path / name) for name in ("board.html", "marks.csv")]
    assert board.main([str(tmp_path), "--html", files[0], "--csv", files[1]]) == 0
    said = capsys.readouterr().out
    assert [f"\nseat-{number:02} " in said for number in range(30)] == [True] * 30
    assert "10 x 20.3: see 20.1" in said
    page = (tmp_path / "board.html").read_text("utf-8")
    assert page.count('<td class="right">+</td>') == 960
    assert len((tmp_path / "marks.csv").read_text("utf-8").splitlines()) == 991
    assert "30 learners" in page


def test_a_folder_that_is_missing_or_empty_is_told(tmp_path, capsys, monkeypatch):
    page = ["--html", str(tmp_path / "page.html")]
    assert board.main([str(tmp_path / "none"), *page]) == 1
    assert "ELEMENTWISE_MARKS" in capsys.readouterr().err
    assert board.main([str(tmp_path), *page]) == 0
    assert "no marks yet" in capsys.readouterr().out
    monkeypatch.delenv("ELEMENTWISE_MARKS", raising=False)
    with pytest.raises(SystemExit):
        board.main([])
    assert "make board MARKS=FOLDER" in capsys.readouterr().err


@pytest.mark.parametrize("time", ["", "yesterday", "2026-01-01T09:00:00"])
def test_a_time_that_is_none_costs_nothing(time):
    assert board.minutes_since(time, NOW) == ""
