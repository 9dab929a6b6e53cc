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


def timed(days, *lessons):
    fakes = [Fake(f"{n:02}", *minutes) for n, minutes in enumerate(lessons)]
    outline = plans.Outline("A plan", days, tuple(fake.number for fake in fakes))
    return plans.make_plan(outline, fakes)


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
    plan = timed((60,), (30, 21), (21, 0), (20, 0))
    assert plan.homework == [("00", "exercises"), ("01", "lesson")]
    assert timed((61,), (30, 21)).homework == []


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
def test_the_courses_plans_keep_to_their_hours_without_overlaps(outline):
    taught = reading.read_all(paths.ROOT / "notebooks")
    known = {lesson.number for lesson in taught}
    assert set(outline.lessons) <= known
    plan = plans.make_plan(outline, taught)
    for before, after in zip(plan.slots, plan.slots[1:], strict=False):
        if before.day == after.day:
            assert before.begins + before.minutes == after.begins
    for slot in plan.slots:
        assert slot.begins + slot.minutes <= plans.START + outline.days[slot.day - 1]
    least = 2 if outline.title == "Three hours" else 5  # a lesson is an hour and a quarter
    assert sum(slot.what == "teaching" for slot in plan.slots) >= least


def test_a_plan_as_a_table():
    plan = timed((60,), (30, 21))
    text = plans.as_markdown(plan, [Fake("00", 30, 21)])
    assert "Teaching 30 minutes, exercises 0, breaks 0." in text
    assert "| 1 | 9:10 | 30 | teaching | [00 · A lesson](lesson_00.md) |" in text
    assert text.endswith("At home: 00 (exercises).")
