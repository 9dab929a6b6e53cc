"""Plan a workshop: which lessons fit into three hours, one day, two days, and when.

A plan is a list of lessons and the hours there are. Teaching and exercises are timed apart;
exercises that no longer fit are homework, and so is a lesson whose teaching does not fit.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from tools.teacher.reading import Taught

START = 9 * 60  # minutes after midnight
BREAK_AFTER, BREAK = 80, 10  # minutes of work, minutes of rest
LUNCH_AFTER, LUNCH = 12 * 60, 60
WELCOME = 10  # who is who, does JupyterLab open, what runs the kernels here


@dataclass(frozen=True)
class Outline:
    """A workshop before it is timed: minutes for each day, and lessons in order."""

    title: str
    days: tuple[int, ...]
    lessons: tuple[str, ...]


OUTLINES = (
    Outline("Three hours", (180,), ("00", "01", "02", "04", "06", "09")),
    Outline(
        "One day",
        (480,),
        ("00", "01", "02", "03", "04", "05", "06", "07", "09", "10", "14"),
    ),
    Outline(
        "Two days",
        (480, 480),
        (
            *("00", "01", "02", "03", "04", "05", "06", "07", "09", "10"),
            *("11", "12", "13", "14", "15", "16", "17", "19"),
        ),
    ),
)


@dataclass(frozen=True)
class Slot:
    """One line of a plan. what: "teaching", "exercises", "break", "lunch" or "welcome"."""

    day: int
    begins: int
    minutes: int
    what: str
    lesson: str = ""


@dataclass
class Plan:
    """A timed workshop. homework: lesson and "lesson" or "exercises"."""

    outline: Outline
    slots: list[Slot] = field(default_factory=list)
    homework: list[tuple[str, str]] = field(default_factory=list)

    def minutes(self, what: str) -> int:
        """Return the sum of the slots of one kind."""
        return sum(slot.minutes for slot in self.slots if slot.what == what)


class _Clock:
    """Place slots one after the other, with breaks, over the days of an outline."""

    def __init__(self, plan: Plan):
        self.plan, self.day, self.now, self.since = plan, 0, START, 0
        self.lunch = False
        self._add(WELCOME, "welcome")

    def _end(self) -> int:
        return START + self.plan.outline.days[self.day]

    def _add(self, minutes: int, what: str, lesson: str = "") -> None:
        if minutes:
            slot = Slot(self.day + 1, self.now, minutes, what, lesson)
            self.plan.slots.append(slot)
            self.now += minutes

    def rest(self, minutes: int) -> tuple[int, str]:
        """Return the pause that is due before so many minutes of work, and its name."""
        is_long = self.plan.outline.days[self.day] > LUNCH_AFTER - START
        if is_long and not self.lunch and self.now + minutes / 2 >= LUNCH_AFTER:
            return LUNCH, "lunch"
        return (
            (BREAK, "break") if self.since + minutes > BREAK_AFTER and self.since else (0, "")
        )

    def fits(self, minutes: int) -> bool:
        """Tell whether the day has room for so many minutes and the pause before them."""
        return self.now + self.rest(minutes)[0] + minutes <= self._end()

    def next_day(self) -> bool:
        """Begin the next day, if there is one."""
        if self.day + 1 == len(self.plan.outline.days):
            return False
        self.day, self.now, self.since, self.lunch = self.day + 1, START, 0, False
        return True

    def place(self, minutes: int, what: str, lesson: str) -> None:
        """Add work, after the pause that is due."""
        pause, name = self.rest(minutes)
        if pause:
            self._add(pause, name)
            self.since, self.lunch = 0, self.lunch or name == "lunch"
        self._add(minutes, what, lesson)
        self.since += minutes


def make_plan(outline: Outline, taught: list[Taught]) -> Plan:
    """Time an outline with the lessons that there are."""
    plan, known = Plan(outline), {lesson.number: lesson for lesson in taught}
    clock = _Clock(plan)
    for number in outline.lessons:
        if number not in known:
            continue
        lesson = known[number]
        if not clock.fits(lesson.teaching) and not clock.next_day():
            plan.homework.append((number, "lesson"))
            continue
        clock.place(lesson.teaching, "teaching", number)
        if not lesson.practice:
            continue
        if clock.fits(lesson.practice):
            clock.place(lesson.practice, "exercises", number)
        else:
            plan.homework.append((number, "exercises"))
    return plan


def clock_time(minutes: int) -> str:
    """Return minutes after midnight as 9:05."""
    return f"{minutes // 60}:{minutes % 60:02}"


def as_markdown(plan: Plan, taught: list[Taught]) -> str:
    """Return a plan as a section of the guide."""
    headings = {lesson.number: lesson.lesson.heading for lesson in taught}
    lines = [
        f"## {plan.outline.title}",
        "",
        f"Teaching {plan.minutes('teaching')} minutes, exercises {plan.minutes('exercises')}, "
        f"breaks {plan.minutes('break') + plan.minutes('lunch')}.",
        "",
        "| day | time | minutes | what | lesson |",
        "|--:|--:|--:|---|---|",
    ]
    for slot in plan.slots:
        lesson = slot.lesson and f"[{headings[slot.lesson]}](lesson_{slot.lesson}.md)"
        begins = clock_time(slot.begins)
        lines.append(f"| {slot.day} | {begins} | {slot.minutes} | {slot.what} | {lesson} |")
    if plan.homework:
        parts = [f"{number} ({what})" for number, what in plan.homework]
        lines += ["", f"At home: {', '.join(parts)}."]
    return "\n".join(lines)
