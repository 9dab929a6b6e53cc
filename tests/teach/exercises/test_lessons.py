"""Every exercise takes its right answer and refuses a near miss and a wrong one."""

import contextlib
import json
from decimal import Decimal
from fractions import Fraction
from importlib import import_module

import numpy as np
import pytest
import torch

from helpers import paths
from helpers.run import jit, machine
from helpers.run.kernel import Kernel
from helpers.teach.exercises import EXERCISES, units
from helpers.teach.exercises.functions import Function
from helpers.teach.exercises.marking import Choice, Code, Number
from helpers.teach.exercises.testers import KernelTest, Survivor
from tools.teacher import mistakes
from tools.teacher.mistakes import solution

# name: (right, near miss, wrong); worked out by hand, not by the code under test
NUMBERS = {
    "00.2": (3907, 3908, 3906),
    "01.2": (8, 7.9, 6),
    "01.3": (805.306368e6 / 1555e3, 805.306368e6 / 1592e3, 517.9e3),
    "02.2": (3, 4, 250_000),
    "02.1": (8_650_752, 8_650_751, 4_325_376),
    "03.1": (2048, 2049, 2050),
    "04.2": (157.918, 160, 0.157918),
    "04.3": (2650.6, 2700, 2.65),
    "05.1": (262_144, 262_143, 1 << 19),
    "05.3": (32, 31, 4),
    "06.1": (16, 15, 128),
    "06.4": (244.0315, 248, 122),
    "07.1": (32, 33, 24),
    "07.4": (5.7195, 5.9, 550),
    "08.1": (10, 8, 9),
    "08.2": (512, 511, 16),
    "08.4": (2, 3, 1),
    "09.1": (9, 8, 32),
    "09.2": (12, 13, 32),
    "09.5": (12.5, 12.7, 0.125),
    "10.1": (28, 29, 32),
    "10.2": (16_000, 16_128, 17_024),
    "11.1": (128, 127, 96),
    "11.4": (1682.4, 1702, 1.68),
    "12.1": (29, 28, 3),
    "12.2": (1, 2, 3),
    "13.1": (35, 36, 0.35),
    "13.2": (47.6111, 46, 52.39),
    "14.3": (10, 9, 32),
    "15.1": (100 * 13 / (439 * 4), 0.75, 2.96),
    "15.3": (32, 31, 8),
    "16.1": (25, 25.5, 62.5),
    "16.2": (33.454, 33.9, 66.9),
    "17.1": (2, 3, 4),
    "17.5": (2, 2.03, 8),
    "18.1": (4, 5, 8),
    "19.2": (2_147_483_649, 2_147_483_648, 1 << 31),
    "19.8": (0.00585677, 0.0059164, 5.86),
    "20.4": (1_833_333, 1_860_000, 22e6),
}
WORDS = {
    "03.4": ("DRAM bandwidth", "bytes in flight"),
    "14.5": ("sum_two_pass", "sum_atomic"),
    "18.2": ("packs", "bulk"),
    "19.1": ("poison", "sizes"),
}
TYPES = (
    *(float, Fraction, lambda x: Decimal(repr(x)), np.float64, np.array),
    *(np.longdouble, lambda x: torch.tensor(x, dtype=torch.float64)),
    *(lambda x: torch.tensor([x], dtype=torch.float64), lambda x: complex(x, 0)),
)
NARROW = (
    *(np.int8, np.uint8, np.int16, np.int32, np.uint32, np.float16, np.float32),
    *(
        lambda x, dtype=dtype: torch.tensor(x, dtype=dtype)
        for dtype in (torch.uint8, torch.int16, torch.int32, torch.float16, torch.bfloat16)
    ),
)
WHOLE = (int, np.int64, np.uint64, torch.tensor)
KERNELS = [name for name, exercise in EXERCISES.items() if isinstance(exercise, Code)]
FUNCTIONS = [
    name for name, exercise in EXERCISES.items() if isinstance(exercise, (Function, KernelTest))
]  # tried in test_functions.py and test_testers.py


def test_every_exercise_stands_in_one_of_the_tables():
    listed = [*NUMBERS, *WORDS, *KERNELS, *FUNCTIONS]
    missing = sorted(set(EXERCISES) - set(listed))
    assert missing == [], (
        f"NUMBERS or WORDS above: what is right and what is wrong for {missing}"
    )
    assert sorted(listed) == sorted(EXERCISES), "an exercise that is not there, or twice"


def test_every_file_holds_its_own_lessons_exercises_in_order():
    numbers = sorted({name[:2] for name in EXERCISES})
    for number in numbers:
        content = import_module(f"helpers.teach.exercises.lesson_{number}").EXERCISES
        assert list(content) == [f"{number}.{k + 1}" for k in range(len(content))]
    assert numbers == [f"{k:02d}" for k in range(len(numbers))]


@pytest.mark.parametrize("name", EXERCISES)
def test_an_exercise_has_all_its_parts(name):
    """A statement, an answer or a reference, a hint, and wrong answers with their hints."""
    exercise = EXERCISES[name]
    assert exercise.statement.rstrip("*_)")[-1] in ".?:" and exercise.hint and exercise.wrong
    if isinstance(exercise, Number):
        assert exercise.unit and 0 <= exercise.tolerance <= 0.05
        assert all(isinstance(wrong, (int, float)) for wrong in exercise.wrong)
    elif isinstance(exercise, Choice):
        assert len(exercise.choices) >= 2 and set(exercise.wrong) < set(exercise.choices)
    elif isinstance(exercise, Code):
        assert exercise.launcher and exercise.gives and exercise.solution
        assert isinstance(exercise, Survivor) or exercise.reference or exercise.cases
    elif isinstance(exercise, Function):
        assert (
            exercise.takes and exercise.trials and all(map(callable, exercise.wrong.values()))
        )
    else:
        assert exercise.right and all(exercise.wrong.values())


@pytest.mark.parametrize("name", NUMBERS)
def test_a_number(name):
    exercise = EXERCISES[name]
    assert isinstance(exercise, Number)
    right, near_miss, wrong = NUMBERS[name]
    assert exercise.judge(right).right
    for miss in (near_miss, wrong):
        mark = exercise.judge(miss)
        assert not mark.right
        assert mark.message.endswith(f" Hint: {mark.hint}")


@pytest.mark.parametrize("name", NUMBERS)
def test_a_right_number_is_right_in_every_type(name):
    right = NUMBERS[name][0]
    kinds = (*TYPES, *(WHOLE if float(right).is_integer() else ()))
    for kind in kinds:
        assert EXERCISES[name].judge(kind(right)).right, kind


@pytest.mark.parametrize("name", NUMBERS)
def test_a_right_number_is_right_in_every_narrow_type_that_holds_it(name):
    right = NUMBERS[name][0]
    for kind in NARROW:
        # A number may be too large for the type.
        with contextlib.suppress(OverflowError, RuntimeError), np.errstate(over="ignore"):
            narrow = kind(right)
            if float(narrow) == right:
                assert EXERCISES[name].judge(narrow).right, kind


@pytest.mark.parametrize("name", NUMBERS)
def test_a_right_number_in_any_other_unit_is_told_so(name):
    """Or gets the hint of the wrong answer that it is."""
    exercise, right = EXERCISES[name], NUMBERS[name][0]
    unit = exercise.unit.split()[0] if exercise.unit else ""
    for scale in (scale for scale in units._SCALES if unit in scale):
        for other in set(scale) - {unit}:
            mark = exercise.judge(right * scale[unit] / scale[other])
            assert not mark.right
            told = mark.hint.startswith(("that is in ", "that is a fraction", "that is %"))
            assert told or mark.hint in exercise.wrong.values(), (other, mark.message)


@pytest.mark.parametrize("name", [*NUMBERS, *WORDS])
def test_every_wrong_answer_gets_its_hint(name):
    exercise = EXERCISES[name]
    for wrong, hint in exercise.wrong.items():
        mark = exercise.judge(wrong)
        assert not mark.right
        assert mark.hint == (hint or exercise.hint)
        assert mark.message.endswith(f"is not it. Hint: {mark.hint}")


@pytest.mark.parametrize("name", NUMBERS)
def test_every_number_has_a_wrong_answer(name):
    assert EXERCISES[name].wrong


@pytest.mark.parametrize(
    ("name", "given", "words"),
    [
        ("13.1", 0.35, "that is a fraction; per cent were asked"),
        ("16.1", 0.25, "that is a fraction; per cent were asked"),
        ("04.2", 157.918e-6, "that is in s; us were asked"),
        ("19.8", 5.85677, "that is in ms; s were asked"),
        ("07.1", 33.554432, "that is in MB; MiB were asked"),
        ("02.1", 8_650_752 * 8, "that is in bits; bytes were asked"),
    ],
)
def test_a_right_number_in_another_unit(name, given, words):
    assert EXERCISES[name].judge(given).hint == words


@pytest.mark.parametrize("name", WORDS)
def test_a_word(name):
    assert isinstance(EXERCISES[name], Choice)
    right, wrong = WORDS[name]
    assert right in EXERCISES[name].choices and wrong in EXERCISES[name].choices
    assert EXERCISES[name].judge(right.upper()).right
    assert EXERCISES[name].judge(wrong).message.startswith(f"{wrong!r} is not it. Hint: ")
    for miss in (right[:-1], ""):
        message = EXERCISES[name].judge(miss).message
        assert all(repr(choice) in message for choice in EXERCISES[name].choices)


@pytest.mark.parametrize("name", WORDS)
def test_a_near_miss_of_any_choice_asks_for_it(name):
    exercise = EXERCISES[name]
    for choice in exercise.choices:
        for miss in (choice[:-1], choice[1:], f"{choice}s", f"the {choice}"):
            mark = exercise.judge(miss)
            assert not mark.right and mark.hint == exercise.hint
            assert "Did you mean" in mark.message and repr(choice) in mark.message
            assert all(repr(other) in mark.message for other in exercise.choices)


@pytest.mark.parametrize("name", EXERCISES)
def test_the_statement_is_that_of_the_notebook(name):
    path = next((paths.ROOT / "notebooks").glob(f"{name[:2]}_*.ipynb"))
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    texts = (" ".join("".join(c["source"]).split()) for c in cells)
    statement = f"**{name[3:]}.** {EXERCISES[name].statement}"
    assert any(statement in text for text in texts), f"{path.name} does not say: {statement}"


GIVEN = [name for name in KERNELS if EXERCISES[name].as_given]


@pytest.mark.parametrize("name", GIVEN)
def test_what_a_lesson_gives_to_complete_stands_there_and_in_no_solution(name):
    exercise = EXERCISES[name]
    path = next((paths.ROOT / "notebooks").glob(f"{name[:2]}_*.ipynb"))
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    texts = ["".join(cell["source"]) for cell in cells]
    given = [text for text in texts if text.startswith("%%writefile ../kernels/mine/")]
    assert any(exercise.untouched(kernel_of(text)) for text in given)
    assert not exercise.untouched(kernel_of(solution(exercise.solution)))


def kernel_of(text):
    """Return a stand-in for a loaded kernel: only its text is read."""
    kernel = Kernel.__new__(Kernel)
    kernel.text = text
    return kernel


def edits(name):
    """Yield an exercise's wrong edits: every third lesson's first in every run.

    Those of lessons 18 and 20 take 10 s to build.
    """
    found = [item for item in EXERCISES[name].wrong.items() if isinstance(item[0], tuple)]
    is_first = name == next(one for one in KERNELS if one[:2] == name[:2])
    in_every_run = is_first and int(name[:2]) % 3 == 0 and name[:2] != "18"
    for place, (wrong, words) in enumerate(found):
        marks = [] if in_every_run and not place else [pytest.mark.stress]
        yield pytest.param(name, wrong, words, marks=marks, id=f"{name}-{place}")


EDITS = [one for name in KERNELS for one in edits(name)]
WHOLE_KERNELS = [
    (name, wrong, words)
    for name in KERNELS
    for wrong, words in EXERCISES[name].wrong.items()
    if isinstance(wrong, str)
]


def test_every_kernel_has_a_wrong_one_and_a_solution():
    for name in KERNELS:
        assert EXERCISES[name].wrong and solution(EXERCISES[name].solution)


@pytest.mark.slow
@pytest.mark.parametrize(("name", "edit", "words"), EDITS)
def test_a_kernel_that_is_nearly_right(name, edit, words, tmp_path):
    """Refuse the worked solution with one mistake; nbval runs the solution itself."""
    exercise = EXERCISES[name]
    kernel = mistakes.wrong_kernel(exercise, edit, tmp_path)
    mark = exercise.judge(kernel)
    assert not mark.right
    assert words in mark.message
    assert exercise.hint in mark.message
    as_the_guide_says(name, edit, mark)


def as_the_guide_says(name, key, mark):
    if not machine.present().is_gpu:
        said = mistakes.recorded().get((name, mistakes.described(key)))
        renew = f"run: python -m tools.teacher.mistakes {name}"
        assert said == mistakes.sentence(mark.message), renew


@pytest.mark.slow
@pytest.mark.sample(3)
@pytest.mark.parametrize(("name", "kernel", "words"), WHOLE_KERNELS)
def test_a_kernel_of_the_course_is_no_answer(name, kernel, words):
    """Refuse what does not do what is asked: an unmodified V5 is not coalesced."""
    mark = EXERCISES[name].judge(jit.load(kernel))
    assert not mark.right
    assert words in mark.message
    as_the_guide_says(name, kernel, mark)
