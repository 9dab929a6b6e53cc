"""Write the pages of the teacher's guide in Markdown: how to, plans, a page for each lesson."""

from __future__ import annotations

import re

from helpers.teach.exercises import EXERCISES
from helpers.teach.exercises.marking import Choice, Code, Exercise, Number
from tools.teacher import mistakes, plans
from tools.teacher.mistakes import described
from tools.teacher.reading import MINUTES_A_KERNEL, MINUTES_A_QUESTION, Taught, questions

LINK = re.compile(r"\[([^\]]*)\]\(((?!\w+:|#)[^)\s]+)\)")
INDEX = """\
# Teacher's guide

For a workshop with Elementwise to the Roof: what to prepare, three plans,
and for each lesson its goals, questions for the room, and the mistakes to expect with what the
checker says to them. Every page is made from the lessons and their exercises.

## Before the day

1. One environment for all, kernels built once, a folder for each learner: the course's page "A
   workshop" (`docs/workshop.md`) has the commands, and says what is recorded if you turn the
   board on.
2. Let every learner open lesson 00 and run its first cells. `make doctor` says what is missing.
3. Hand out `build/student/` (`make student`): no outputs, no answers.

## On the day

- A lesson goes: predict, run, explain. Ask the question *before* the cell is run, and let
  everybody write a number down.
- Then exercises, in pairs. Watch the board (`make board MARKS=FOLDER`): go to whoever stands
  longest at one sentence; explain to the room what several stand at.
- Without a GPU nothing is missing but the times, which are then recorded ones.

```{{toctree}}
:hidden:

plans
{names}
```
"""
PLANS = """\
# Plans

Minutes are those of each lesson's first table. Where it does not say how many of them are
exercises, {question} minutes are assumed for a question and {kernel} for a kernel, at most half
of the lesson. A plan that has no room for all of a lesson names the sections to teach; they get
the part of its minutes that they have of its words. Learners run the other cells without
reading them (Run, Run All Above Selected Cell), since later cells use what those define, and
read them at home. What does not fit is homework.

| lesson | teaching | exercises |
|---|--:|--:|
{table}

{plans}
"""


def pages(taught: list[Taught]) -> dict[str, str]:
    """Return the text of each page, by its file."""
    names = "\n".join(f"lesson_{lesson.number}" for lesson in taught)
    rows = [
        f"| [{t.lesson.heading}](lesson_{t.number}.md) | {t.teaching} | {t.practice} |"
        for t in taught
    ]
    made = [plans.make_plan(outline, taught) for outline in plans.OUTLINES]
    timed = "\n\n".join(plans.as_markdown(plan, taught) for plan in made)
    known = {t.number for t in taught}
    facts = {"question": MINUTES_A_QUESTION, "kernel": MINUTES_A_KERNEL}
    return {
        "index.md": INDEX.format(names=names),
        "plans.md": PLANS.format(table="\n".join(rows), plans=timed, **facts),
        **{f"lesson_{t.number}.md": with_links(lesson_page(t), known) for t in taught},
    }


def with_links(text: str, known: set[str]) -> str:
    """Lead links to lessons to the guide's pages; of other relative links keep the words."""

    def led(match: re.Match) -> str:
        number = match[2].split("/")[-1][:2]
        return f"[{match[1]}](lesson_{number}.md)" if number in known else match[1]

    return LINK.sub(led, text)


def lesson_page(taught: Taught) -> str:
    """Return the page of one lesson."""
    lesson = taught.lesson
    goals = "\n".join(f"- {goal}" for goal in lesson.goals)
    asked = "\n".join(f"{n}. {q}" for n, q in enumerate(questions(taught.notebook), start=1))
    exercises = "\n\n".join(
        exercise_section(name, EXERCISES[name])
        for name in taught.exercises
        if name in EXERCISES
    )
    return f"""\
# {lesson.heading}

{lesson.claim}

Teaching {taught.teaching} minutes, exercises {taught.practice}. GPU: {lesson.gpu}.
Slides: `slides/lesson_{taught.number}.html` beside this guide.

## Objectives

A learner can, afterwards:

{goals}

## Questions for the room

{asked or "The lesson asks none before its exercises."}

## Exercises and typical mistakes

{exercises}
"""


def exercise_section(name: str, exercise: Exercise) -> str:
    """Return an exercise's statement and a table of wrong answers with the checker's words."""
    if isinstance(exercise, Code):
        asked = f"a kernel, `{exercise.launcher}`"
        mistakes = [
            (described(key), _code_words(name, described(key), words))
            for key, words in wrong(exercise)
        ]
    elif isinstance(exercise, (Number, Choice)):
        asked = exercise.asked if isinstance(exercise, Number) else ", ".join(exercise.choices)
        mistakes = [(_given(key), exercise.judge(key).message) for key, _ in wrong(exercise)]
    else:  # a program that is judged by what it says of several kernels
        asked = "a function, as the statement says"
        mistakes = [(getattr(key, "what", key), words) for key, words in wrong(exercise)]
    rows = "\n".join(f"| {cell(given)} | {cell(said)} |" for given, said in mistakes)
    table = f"\n\n| a learner answers | the checker says |\n|---|---|\n{rows}" if rows else ""
    return (
        f"### {name}\n\n{exercise.statement}\n\nAsked: {asked}. To anything else that is wrong "
        f"it says: *{exercise.hint}*{table}"
    )


def wrong(exercise: Exercise) -> list[tuple]:
    """List an exercise's wrong answers; every choice that has no hint of its own as well."""
    found = list(getattr(exercise, "wrong", {}).items())
    if isinstance(exercise, Choice):
        others = [c for c in exercise.choices if c not in exercise.wrong]
        found += [(choice, "") for choice in others if not exercise.judge(choice).right]
    return found


def _given(key: object) -> str:
    return f"{key:,}" if isinstance(key, int) and abs(key) >= 10_000 else f"{key}"


def _code_words(name: str, mistake: str, words: str) -> str:
    """Return what the checker said to a wrong kernel, else what its message must hold."""
    return mistakes.recorded().get((name, mistake)) or f"{words} ..."


def cell(text: str) -> str:
    """Return a text for a cell of a Markdown table."""
    return " ".join(str(text).split()).replace("|", "\\|")
