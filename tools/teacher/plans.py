"""Plan a workshop: which lessons fit into three hours, one day, two days, and when.

A plan is a list of lessons and the hours there are. Teaching and exercises are timed apart. Of
a lesson the plan takes the sections of CORE, and all of it where there is time left for that.
Exercises that no longer fit are homework, and so is a lesson whose teaching does not fit.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from tools.teacher.reading import Taught

START = 9 * 60  # minutes after midnight
BREAK_AFTER, BREAK = 80, 10  # minutes of work, minutes of rest
NO_BREAK = 30  # minutes before the end of a day
LUNCH_AFTER, LUNCH = 12 * 60, 60
WELCOME = 10  # who is who, does JupyterLab open, what runs the kernels here


@dataclass(frozen=True)
class Outline:
    """A workshop before it is timed: minutes for each day, and lessons in order."""

    title: str
    days: tuple[int, ...]
    lessons: tuple[str, ...]


OUTLINES = (
    Outline("Three hours", (180,), ("00", "01", "09")),
    Outline("One day", (480,), ("00", "01", "02", "06", "09", "10", "12")),
    Outline(
        "Two days",
        (480, 480),
        (
            *("00", "01", "02", "03", "04", "06", "09"),
            *("10", "12", "13", "14", "15", "17", "19"),
        ),
    ),
)

# What carries a lesson's claim, by the headings of its sections.
CORE = {
    "01": (
        *("Write", "Check", "Count the bytes", "Two roofs"),
        *("Predict V1 by hand", "Measure", "Explain"),
    ),
    "02": ("What changes", "Predict", "Write", "Load and check", "Measure", "Explain"),
    "03": ("Two bytes instead of four", "Predict", "Write", "Load and check", "Measure"),
    "04": ("What changes", "Write, load, check", "Measure", "The empty kernel", "Release it"),
    "06": (
        *("What changes", "Predict", "Write", "Load, check, measure"),
        *("All ceilings in one picture", "What vectorising bought"),
    ),
    "09": (
        *("One instruction, thirty-two addresses", "Order does not matter, spread does"),
        *("V5 against V6", "What a stride costs"),
    ),
    "10": (
        *("What a multiprocessor has to give", "A worked example that is wrong"),
        *("Three block sizes, two register counts", "Staircases", "Try it"),
        "What occupancy is for",
    ),
    "12": (
        *("Who shares an instruction", "Shapes that do not fit", "Ask the hardware"),
        "Under the microscope",
    ),
    "13": ("Both sides, one after the other", "The model", "The kernel", "Measure"),
    "14": (
        *("Way 1: regroup", "Way 4: work as a warp", "From a warp to a block"),
        *("Seven sums", "Measure"),
    ),
    "15": (
        *("One warp alone", "Stalled, ready, issued", "Little's law again"),
        "Measure a latency",
    ),
    "17": (
        *("Step 1: the functor", "Step 3: packs", "Step 4: alignment", "Step 5: the tail"),
        *("An operator in five lines", "What fusion is worth"),
    ),
    "19": (
        *("The test that everybody writes", "Suspect 1: no guard", "Suspect 2: += for ="),
        *("Suspect 3: a sum that starts at 0", "Suspect 7: an int"),
        *("Who tests the checker?", "What no test finds"),
    ),
}


@dataclass(frozen=True)
class Slot:
    """One line of a plan. what: "teaching", "exercises", "break", "lunch" or "welcome".

    sections: those to teach; none means all of the lesson.
    """

    day: int
    begins: int
    minutes: int
    what: str
    lesson: str = ""
    sections: tuple[str, ...] = ()


@dataclass
class Plan:
    """A timed workshop. homework: lessons, each with what of it is left."""

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

    def _add(
        self, minutes: int, what: str, lesson: str = "", sections: tuple[str, ...] = ()
    ) -> None:
        if minutes:
            slot = Slot(self.day + 1, self.now, minutes, what, lesson, sections)
            self.plan.slots.append(slot)
            self.now += minutes

    def rest(self, minutes: int) -> tuple[int, str]:
        """Return the pause that is due before so many minutes of work, and its name."""
        is_long = self.plan.outline.days[self.day] > LUNCH_AFTER - START
        if is_long and not self.lunch and self.now + minutes / 2 >= LUNCH_AFTER:
            return LUNCH, "lunch"
        is_due = self.since and self.since + minutes > BREAK_AFTER
        return (BREAK, "break") if is_due and self.now + NO_BREAK < self._end() else (0, "")

    def fits(self, minutes: int) -> bool:
        """Tell whether the day has room for so many minutes and the pause before them."""
        return self.now + self.rest(minutes)[0] + minutes <= self._end()

    def next_day(self) -> bool:
        """Begin the next day, if there is one."""
        if self.day + 1 == len(self.plan.outline.days):
            return False
        self.day, self.now, self.since, self.lunch = self.day + 1, START, 0, False
        return True

    def place(
        self, minutes: int, what: str, lesson: str, sections: tuple[str, ...] = ()
    ) -> None:
        """Add work, after the pause that is due."""
        if not minutes:
            return
        pause, name = self.rest(minutes)
        if pause:
            self._add(pause, name)
            self.since, self.lunch = 0, self.lunch or name == "lunch"
        self._add(minutes, what, lesson, sections)
        self.since += minutes


def make_plan(
    outline: Outline, taught: list[Taught], core: Mapping[str, tuple[str, ...]] = CORE
) -> Plan:
    """Time an outline with the lessons that there are.

    core: of some lessons, the sections that are enough. A lesson is taught whole if nothing of
    the others is lost by that; the first in the outline come first.
    """
    known = {lesson.number: lesson for lesson in taught}
    lessons = [known[number] for number in outline.lessons if number in known]
    parts = {lesson.number: lesson.having(core.get(lesson.number, ())) for lesson in lessons}
    plan = _timed(outline, lessons, parts)
    for number in [number for number, part in parts.items() if part]:
        longer = _timed(outline, lessons, {**parts, number: ()})
        if longer.minutes("exercises") == plan.minutes("exercises") and set(
            longer.homework
        ) <= set(plan.homework):
            plan, parts[number] = longer, ()
    return plan


def _timed(
    outline: Outline, lessons: list[Taught], parts: Mapping[str, tuple[str, ...]]
) -> Plan:
    """Place lessons one after the other. parts: the sections of each; none means all."""
    plan = Plan(outline)
    clock = _Clock(plan)
    for lesson in lessons:
        number, part = lesson.number, parts[lesson.number]
        teaching = lesson.minutes_of(part) if part else lesson.teaching
        if not clock.fits(teaching) and not clock.next_day():
            plan.homework.append((number, "lesson"))
            continue
        clock.place(teaching, "teaching", number, part)
        if part:
            plan.homework.append((number, "the other sections"))
        here = _room(clock, lesson.practice)
        if here < lesson.practice / 2 and clock.next_day():
            here = _room(clock, lesson.practice)
        if here < lesson.practice / 2:
            here = 0
        clock.place(here, "exercises", number)
        if here < lesson.practice:
            plan.homework.append((number, "the rest of the exercises" if here else "exercises"))
    return plan


def _room(clock: _Clock, minutes: int) -> int:
    """Return how many of the minutes the day has room for."""
    return max((m for m in range(minutes + 1) if clock.fits(m)), default=0)


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
        lesson += f": {'; '.join(slot.sections)}" * bool(slot.sections)
        begins = clock_time(slot.begins)
        lines.append(f"| {slot.day} | {begins} | {slot.minutes} | {slot.what} | {lesson} |")
    if plan.homework:
        parts = [f"{number} ({what})" for number, what in plan.homework]
        lines += ["", f"At home: {', '.join(parts)}."]
    return "\n".join(lines)
