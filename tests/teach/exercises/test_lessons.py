"""Every exercise takes its right answer and refuses a near miss and a wrong one."""

import json
import re
import shutil
from importlib import import_module

import pytest

from helpers import paths
from helpers.run import jit
from helpers.teach.exercises import EXERCISES
from helpers.teach.exercises.marking import Choice, Code, Number

# name: (right, near miss, wrong); worked out by hand, not by the code under test
NUMBERS = {
    "00.1": (8, 7.9, 6),
    "00.2": (805.306368e6 / 1555e3, 805.306368e6 / 1592e3, 517.9e3),
    "00.3": (8.1e12 / 320e9 * 12, 8.1e12 / 320e9 * 12 * 1.02, 25.3),
    "01.1": (189, 188, 67),
    "02.1": (3, 4, 250_000),
    "02.3": (8_650_752, 8_650_751, 4_325_376),
    "03.1": (16_777_216, 16_777_300, 1 << 25),
    "03.2": (2048, 2049, 2050),
    "04.1": (157.918, 160, 0.157918),
    "04.2": (2650.6, 2700, 2.65),
    "05.1": (524_288, 524_287, 1 << 20),
    "05.2": (32, 31, 4),
    "06.1": (16, 15, 128),
    "06.3": (244.0315, 248, 122),
    "07.1": (192, 193, 64),
    "07.3": (5.7195, 5.9, 550),
    "08.1": (10, 8, 9),
    "08.2": (512, 511, 16),
    "08.4": (2, 3, 1),
    "09.1": (9, 8, 32),
    "09.2": (12, 13, 32),
    "09.3": (12.5, 12.7, 0.125),
    "10.1": (28, 29, 32),
    "10.2": (16_000, 16_128, 17_024),
    "10.3": (40, 42, 48),
    "11.1": (128, 127, 96),
    "11.2": (7, 8, 12),
    "11.3": (1682.4, 1702, 1.68),
    "12.1": (29, 28, 3),
    "12.2": (21, 20, 53),
    "12.3": (1, 2, 3),
    "13.1": (35, 36, 0.35),
    "13.2": (63.7945, 62, 36.2),
    "14.1": (10, 9, 32),
    "14.2": (254_200.24, 257_000, 1056),
    "15.1": (32, 31, 8),
    "15.2": (100 * 13 / (439 * 4), 0.75, 2.96),
    "16.1": (25, 25.5, 62.5),
    "16.2": (4, 3, 1),
    "16.3": (33.454, 33.9, 66.9),
    "17.1": (2, 3, 4),
    "17.2": (2, 2.03, 8),
    "18.1": (4, 5, 8),
    "18.3": (729.444, 731.1, 671.1),
    "19.1": (0.00585677, 0.0059164, 5.86),
    "19.2": (2_147_483_649, 2_147_483_648, 1 << 31),
}
WORDS = {
    "03.3": ("bytes in flight", "DRAM bandwidth"),
    "07.2": ("DRAM bandwidth", "block rate"),
    "10.4": ("block slots", "warps"),
    "11.4": ("whole blocks", "occupancy floor"),
    "13.3": ("no", "yes"),
    "14.3": ("sum_two_pass", "sum_atomic"),
    "15.3": ("equal", "8 x 2 x 16"),
    "18.2": ("packs", "bulk"),
    "19.3": ("poison", "sizes"),
}
# name: (file of the worked solution, a line of it, the same with one mistake)
KERNELS = {
    "01.2": ("solution_multiply", "a[i] * b[i]", "a[i] * a[i]"),
    "01.3": ("solution_scale", "if (i < n)", "if (i < n - 1)"),
    "02.2": ("solution_f32x4", "k < n;", "k < n - 1;"),
    "04.3": ("solution_multiply_f16x2", "__hmul(a[i], b[i])", "__hadd(a[i], b[i])"),
    "05.3": ("solution_coalesced", "i += 32", "i += 64"),
    "06.2": ("solution_absolute", "__habs(x[k])", "x[k]"),
    "08.3": ("scale8", "__hmul(x[k], __float2half(2.0f))", "x[k]"),
    "09.4": ("interleaved", "else if (i < n)", "else if (i < n - 1)"),
    "12.4": ("mirror", "left < 32 ?", "left < 16 ?"),
    "13.4": ("regroup", "x[i] + 1.0f", "x[i] + 1.0001f"),
    "14.4": ("maximum", "float largest = -INFINITY", "float largest = 0.0f"),
    "15.4": ("four_in_flight", "2 * value[k]", "2 * value[3]"),
    "16.4": ("four_results", "start + x < k", "start + x < k - 1"),
    "17.3": ("distance", "fabsf(a - b)", "a - b"),
    "17.4": ("lerp", "to_float(b) - to_float(a)", "to_float(a) - to_float(b)"),
    "18.4": ("fast_multiply", "a * b", "a + b"),
    "19.4": ("four_faults", "i < n", "i <= n"),
}


def test_every_exercise_stands_in_one_of_the_tables():
    assert sorted(EXERCISES) == sorted([*NUMBERS, *WORDS, *KERNELS])


def test_every_file_holds_its_own_lessons_exercises_in_order():
    numbers = sorted({name[:2] for name in EXERCISES})
    for number in numbers:
        content = import_module(f"helpers.teach.exercises.lesson_{number}").EXERCISES
        assert list(content) == [f"{number}.{k + 1}" for k in range(len(content))]
    assert numbers == [f"{k:02d}" for k in range(len(numbers))]


@pytest.mark.parametrize("name", NUMBERS)
def test_a_number(name):
    exercise = EXERCISES[name]
    assert isinstance(exercise, Number)
    right, near_miss, wrong = NUMBERS[name]
    assert exercise.judge(right).right
    for miss in (near_miss, wrong):
        mark = exercise.judge(miss)
        assert not mark.right
        assert mark.message.endswith(f" {exercise.unit} is not it. Hint: {exercise.hint}")


@pytest.mark.parametrize("name", WORDS)
def test_a_word(name):
    assert isinstance(EXERCISES[name], Choice)
    right, wrong = WORDS[name]
    assert EXERCISES[name].judge(right).right
    for miss in (wrong, right[:-1], ""):
        assert not EXERCISES[name].judge(miss).right


def solution(name):
    """Return the source of the kernel `name` as its solution notebook writes it."""
    for path in sorted((paths.ROOT / "notebooks" / "solutions").glob("*.ipynb")):
        for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
            text = "".join(cell["source"])
            if re.match(rf"%%writefile \S*/{name}\.cu\n", text):
                return text.partition("\n")[2]
    raise AssertionError(f"no solution writes {name}.cu")


@pytest.mark.slow
@pytest.mark.parametrize("name", KERNELS)
def test_a_kernel_that_is_nearly_right(name, tmp_path):
    """Refuse the worked solution with one mistake; nbval runs the solution itself."""
    exercise = EXERCISES[name]
    assert isinstance(exercise, Code)
    file, good, bad = KERNELS[name]
    source = solution(file)
    assert good in source
    for header in paths.KERNELS.glob("*.cuh"):
        shutil.copy(header, tmp_path)
    path = tmp_path / "mine" / "near_miss.cu"
    path.parent.mkdir()
    path.write_text(source.replace(good, bad), encoding="utf-8")
    mark = exercise.judge(jit.load(path))
    assert not mark.right
    assert mark.message.startswith("WRONG")
    assert exercise.hint in mark.message
