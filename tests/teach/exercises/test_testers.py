"""How a learner's test is judged, and a kernel that a test lets pass."""

import re

import numpy as np
import pytest
import torch

from helpers.errors import KernelFault
from helpers.run import jit, machine
from helpers.teach.exercises import EXERCISES, testers
from helpers.teach.exercises.lesson_19 import TOWARDS_ZERO, small_sums, spot_check
from helpers.testing.wrong_kernels import FAMILY

WRITTEN = EXERCISES["19.6"]


def thorough(kernel):
    """Find all four wrong kernels."""
    for n in (1, 255, 256, 257, 1003):
        a, b = torch.randn(2, n, device=machine.present().device)
        a[0] = b[0] = -0.0
        out = torch.full_like(a, torch.nan)
        kernel(a, b, out)
        if not torch.equal(out.view(torch.int32), (a + b).view(torch.int32)):
            return False
    return True


def usual(sizes=(1024,), fill=0.0, exact=False, zero=False):
    """Return a test that lacks what is not asked for."""

    def test(kernel):
        for n in sizes:
            a, b = torch.randn(2, n, device=machine.present().device)
            if zero:
                a[0] = b[0] = -0.0
            out = torch.full_like(a, fill)
            kernel(a, b, out)
            right = torch.equal(out, a + b) if exact else torch.allclose(out, a + b)
            if not right:
                return False
        return True

    return test


@pytest.mark.parametrize("answer", [True, np.True_, torch.tensor(True)])
def test_what_a_test_returns_is_true_or_false(answer):
    assert testers.accepts(lambda _: answer, None) is True
    assert testers.accepts(lambda _: ~torch.tensor(bool(answer)), None) is False


def test_an_assertion_or_a_fault_is_a_rejection():
    def fails(_):
        raise AssertionError("no")

    def faults(_):
        raise KernelFault("a read past the end")

    assert testers.accepts(fails, None) is False
    assert testers.accepts(faults, None) is False


@pytest.mark.parametrize("answer", [None, "yes", 1, torch.tensor([True, False])])
def test_another_answer_is_none(answer):
    with pytest.raises(TypeError, match="not True or False"):
        testers.accepts(lambda _: answer, None)


def test_a_thorough_test_is_right():
    mark = WRITTEN.judge(thorough)
    assert mark.right
    assert mark.message == "right: accepts 2, rejects 4 kernels"


@pytest.mark.parametrize(
    ("test", "missed"),
    [
        (usual(), "multiples_of_the_block"),
        (usual((1, 257)), "needs_zeros"),
        (usual((1, 257), torch.nan), "towards_zero"),
        (usual((1, 257), torch.nan, exact=True), "negative_zero"),
        (usual((1, 257), torch.nan, exact=True, zero=True), "negative_zero"),
    ],
)
def test_each_gap_is_named_with_its_hint(test, missed):
    variant = {**FAMILY, TOWARDS_ZERO.name: TOWARDS_ZERO}[missed]
    mark = WRITTEN.judge(test)
    assert not mark.right
    assert mark.message.startswith(
        f"the test accepts a kernel that is wrong: {variant.what}\n    Hint: "
    )
    assert mark.hint == WRITTEN.wrong[variant]


def test_a_test_that_rejects_right_kernels_is_told_so():
    mark = WRITTEN.judge(lambda kernel: False)
    assert not mark.right
    assert "rejects a kernel that is right: as it should be" in mark.message


def test_a_test_that_stops_is_told_why():
    mark = WRITTEN.judge(lambda kernel: kernel.nothing)
    assert "the test stops with AttributeError" in mark.message
    assert mark.hint == WRITTEN.hint
    assert "it returns NoneType, not True or False" in WRITTEN.judge(lambda _: None).message


@pytest.mark.parametrize("given", [3, "thorough", print, int])
def test_only_a_function_is_a_test(given):
    words = f"returns True or False, not {type(given).__name__}"
    assert WRITTEN.judge(given).message.endswith(words)


def test_a_right_kernel_survives_nothing():
    mark = EXERCISES["19.7"].judge(jit.load("v1_f32"))
    assert not mark.right
    assert mark.message.startswith("this kernel is not wrong: right in ")


def test_a_kernel_of_other_types_is_refused():
    assert (
        "does not take what is asked" in EXERCISES["19.7"].judge(jit.load("v5_f16x8")).message
    )


def test_the_spot_check_of_the_lesson_is_that_of_the_exercise():
    from helpers.teach import notebooks

    path = next(p for p in notebooks.find() if p.name.startswith("19_"))
    cells = [cell.source for cell in notebooks.code_cells(notebooks.read(path))]
    cell = next(source for source in cells if source.startswith("def spot_check"))
    body = re.sub(r'.*?"""\n', "", _source(spot_check), count=1, flags=re.S)
    assert body.strip() == cell.partition("\n")[2].strip()


def _source(function):
    import inspect

    return inspect.getsource(function)


def test_the_sums_of_an_exercise_are_small():
    cases = list(small_sums(jit.load("sums").sum_atomic))
    assert len(cases) > 20
    assert max(case.inputs[0].numel() for case in cases) <= 3000
