"""Thirty forms of answers to every exercise: a plain sentence each, right only where right."""

from datetime import timedelta
from decimal import Decimal
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
import torch

from helpers.run import jit
from helpers.teach.exercises import EXERCISES, mark
from helpers.teach.exercises.functions import Function
from helpers.teach.exercises.marking import Choice, Code
from helpers.teach.exercises.testers import KernelTest


class Broken:
    """An answer that fails whatever is asked of it."""

    def __float__(self):
        raise RuntimeError("no")

    __index__ = __repr__ = __float__


FORMS = (
    *([], {}, (), {1}, "", "8", b"8", "no idea", "x" * 10_000, True, object(), Broken()),
    *(10**400, -(10**400), float("nan"), float("inf"), -float("inf"), -1e-300, 1j),
    *(Fraction(10**500), Fraction(1, 3), Decimal("NaN"), Decimal("-1e999999")),
    *(np.array([1, 2]), np.datetime64("2026-01-01"), timedelta(1), np.float16(0.1)),
    *(torch.tensor([]), torch.tensor(True), torch.tensor(-7.5, dtype=torch.bfloat16)),
    *(print, lambda: 1, int, Path("v1_f32.cu"), "../kernels/mine/multiply.cu", ValueError("x")),
)


def is_plain(message):
    return message and "Traceback" not in message and " object at 0x" not in message[60:]


@pytest.mark.parametrize("name", EXERCISES)
def test_no_form_of_a_wrong_answer_is_right_or_a_traceback(name, capsys):
    for form in FORMS:
        result = mark(name, form)
        assert not result.right, form
        assert result.hint, form
        assert is_plain(result.message)
        assert capsys.readouterr().out == f"{name}: {result.message}\n"


def test_kernels_are_refused_by_every_other_exercise():
    """Where a kernel's dtypes do not fit, nothing is tried, and both signatures are named."""
    kernels = [jit.load("v1_f32"), jit.load("v5_f16x8")]
    for name, exercise in EXERCISES.items():
        for kernel in kernels:
            if isinstance(exercise, Code) and exercise.fitting(kernel):
                continue
            result = mark(name, kernel)
            assert not result.right and result.hint
            if isinstance(exercise, Code):
                assert f"{kernel.name} does not take what is asked" in result.message
                assert "Is this your kernel for" in result.message
            elif isinstance(exercise, Choice):
                assert "Choose from" in result.message
            elif isinstance(exercise, (KernelTest, Function)):
                assert "must be a function" in result.message
            else:
                assert "must be a number" in result.message
