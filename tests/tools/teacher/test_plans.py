"""A plan keeps to its hours: breaks, lunch, and what does not fit is homework."""

from dataclasses import dataclass

import pytest

from helpers import paths
from tools.teacher import plans, reading


@dataclass
class Heading:
    heading: str


@dataclass
class Fake:
    number: str
    teaching: int
    practice: int

    @property
    def lesson(self):
        return Heading(f"{self.number} · A lesson")

    def having(self, titles):
        return tuple(title for title in titles if title in "ABC")

    def minutes_of(self, titles):
        return 10 * len(titles)


@pytest.fixture(scope="module")
def taught():
    """Read the course's lessons, once."""
    return reading.read_all(paths.ROOT / "notebooks")


def timed(days, *lessons, core=None):
    fakes = [Fake(f"{n:02}", *minutes) for n, minutes in enumerate(lessons)]
    outline = plans.Outline("A plan", days, tuple(fake.number for fake in fakes))
    return plans.make_plan(outline, fakes, core or {})


def rows(plan):
    return [
        (slot.day, slot.begins - plans.START, slot.minutes, slot.what) for slot in plan.slots
    ]


def test_teaching_and_exercises_follow_each_other_with_a_break_before_it_gets_long():
    plan = timed((180,), (30, 20), (30, 20))
    assert rows(plan) == [
        (1, 0, 10, "welcome"),
        (1, 10, 30, "teaching"),
        (1, 40, 20, "exercises"),
        (1, 60, 30, "teaching"),
        (1, 90, 10, "break"),
        (1, 100, 20, "exercises"),
    ]
    assert plan.homework == []


def test_what_does_not_fit_is_homework():
    plan = timed((60,), (30, 42), (21, 0), (20, 0))
    assert plan.homework == [("00", "exercises"), ("01", "lesson")]
    assert timed((61,), (30, 21)).homework == []


def test_half_of_the_exercises_are_better_than_none():
    plan = timed((60,), (30, 40))
    assert rows(plan)[-1] == (1, 40, 20, "exercises")
    assert plan.homework == [("00", "the rest of the exercises")]
    assert timed((60,), (30, 41)).minutes("exercises") == 0


def test_exercises_that_the_day_has_no_room_for_begin_the_next_one():
    assert rows(timed((60, 60), (40, 30)))[-1] == (2, 0, 30, "exercises")
    plan = timed((60, 60), (40, 30), (31, 0))
    assert plan.homework == [("01", "lesson")]


def test_there_is_no_break_in_the_last_half_hour():
    assert rows(timed((110,), (70, 29)))[-1] == (1, 80, 29, "exercises")
    assert rows(timed((111,), (70, 29)))[-1] == (1, 90, 21, "exercises")
    assert rows(timed((120,), (70, 29)))[-2:] == [
        (1, 80, 10, "break"),
        (1, 90, 29, "exercises"),
    ]


def test_a_lesson_is_taught_whole_only_where_nothing_is_lost_by_it():
    core = {"00": ("A", "B"), "01": ("C",)}
    plan = timed((79,), (30, 10), (25, 5), core=core)
    taught = [(s.lesson, s.minutes, s.sections) for s in plan.slots if s.what == "teaching"]
    assert taught == [("00", 30, ()), ("01", 10, ("C",))]
    assert plan.homework == [("01", "the other sections")]
    text = plans.as_markdown(plan, [Fake("00", 30, 10), Fake("01", 25, 5)])
    assert "| [01 · A lesson](lesson_01.md): C |" in text
    assert "| [00 · A lesson](lesson_00.md) |" in text
    renamed = {"00": ("A", "was here"), "01": ("is gone",)}
    plan = timed((79,), (30, 30), (15, 5), core=renamed)
    assert [slot.sections for slot in plan.slots if slot.what == "teaching"] == [("A",), ()]
    assert timed((80,), (30, 30), (25, 5), core=core).slots[1].sections == ("A", "B")
    assert timed((100,), (30, 10), (25, 5), core=core).homework == []


def test_the_core_of_a_lesson_is_some_of_its_sections(taught):
    for lesson in taught:
        core = plans.CORE.get(lesson.number, ())
        assert lesson.having(core) == core, lesson.number
        assert lesson.minutes_of(core) < lesson.teaching, lesson.number
        assert not core or lesson.minutes_of(core) * 4 >= lesson.teaching, lesson.number


def test_three_hours_lead_from_the_first_kernel_to_coalescing(taught):
    plan = plans.make_plan(plans.OUTLINES[0], taught)
    lessons = [(slot.lesson, slot.what) for slot in plan.slots if slot.lesson]
    assert lessons == [
        (number, what) for number in ("00", "01", "09") for what in ("teaching", "exercises")
    ]
    sections = {slot.lesson: slot.sections for slot in plan.slots if slot.sections}
    assert {"Check", "Two roofs", "Measure"} <= {*sections["01"]}


def test_a_long_day_has_one_lunch_and_the_next_day_begins_anew():
    plan = timed((480, 480), *[(40, 20)] * 12)
    assert [slot.day for slot in plan.slots if slot.what == "lunch"] == [1, 2]
    assert plan.minutes("lunch") == 120
    assert next(s.begins for s in plan.slots if s.day == 2) == plans.START
    assert [s.what for s in plan.slots].count("welcome") == 1
    assert timed((180,), (100, 60)).minutes("lunch") == 0


def test_a_lesson_that_is_not_there_is_passed_over():
    assert plans.make_plan(plans.Outline("x", (60,), ("99",)), []).slots[1:] == []


@pytest.mark.parametrize("outline", plans.OUTLINES, ids=lambda outline: outline.title)
def test_the_courses_plans_keep_to_their_hours_without_overlaps(outline, taught):
    known = {lesson.number for lesson in taught}
    assert set(outline.lessons) <= known
    plan = plans.make_plan(outline, taught)
    for before, after in zip(plan.slots, plan.slots[1:], strict=False):
        if before.day == after.day:
            assert before.begins + before.minutes == after.begins
    for slot in plan.slots:
        assert slot.begins + slot.minutes <= plans.START + outline.days[slot.day - 1]
    assert {slot.lesson for slot in plan.slots if slot.lesson} == {*outline.lessons}


def test_a_plan_as_a_table():
    plan = timed((60,), (30, 42))
    text = plans.as_markdown(plan, [Fake("00", 30, 42)])
    assert "Teaching 30 minutes, exercises 0, breaks 0." in text
    assert "| 1 | 9:10 | 30 | teaching | [00 · A lesson](lesson_00.md) |" in text
    assert text.endswith("At home: 00 (exercises).")
