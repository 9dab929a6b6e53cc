"""An answer that is a Python function: each step of the trial, and lesson 20's exercises."""

import pytest
import torch

from helpers.run.kernel import Kernel
from helpers.teach.exercises import EXERCISES, functions, lesson_20
from helpers.teach.exercises.functions import Function


def exercise(*trials):
    return Function(statement="Write it.", hint="try again", takes="x", trials=trials)


def test_the_first_step_that_fails_decides():
    mark = exercise(lambda f: "", lambda f: f(1), lambda f: "never").judge(
        lambda x: "it is bad"
    )
    assert not mark.right and mark.hint == "try again"
    assert mark.message == "it is bad\n    Hint: try again"


def test_every_step_must_succeed():
    tried = []
    mark = exercise(*[lambda f: tried.append(f) or ""] * 3).judge(judge)
    assert mark.right and mark.message == "right in 3 steps" and tried == [judge] * 3
    assert exercise(lambda f: "").judge(judge).message == "right in 1 step"


def test_a_function_that_stops_is_told_why():
    mark = exercise(lambda f: f(1)).judge(lambda x: 1 / 0)
    assert mark.message.startswith("it stops with ZeroDivisionError: division by zero\n")


@pytest.mark.parametrize("given", [3, "x", [len], print, float])
def test_what_cannot_be_called_is_refused(given):
    mark = exercise(lambda f: "").judge(given)
    assert mark.message == f"the answer must be a function of x, not {type(given).__name__}"
    assert not mark.right and mark.hint


def test_a_kernel_is_no_function():
    assert (
        "must be a function of x, not Kernel"
        in exercise().judge(Kernel.__new__(Kernel)).message
    )


def judge(name, answer):
    mark = EXERCISES[name].judge(answer)
    return "" if mark.right else mark.message


WRONG = [
    (name, words)
    for name, one in EXERCISES.items()
    if isinstance(one, Function)
    for words in one.wrong
]


@pytest.mark.parametrize(("name", "words"), WRONG)
def test_a_wrong_function_is_told_what_is_wrong(name, words):
    assert words in judge(name, EXERCISES[name].wrong[words])


def test_fake_kernels():
    assert judge("20.1", lambda x: x.new_empty(x.shape[::-1], dtype=torch.float32)) == ""
    assert "returns int, not a tensor" in judge("20.1", lambda x: 1)


def test_backward_passes():
    assert judge("20.2", lambda grad, x, weight: (grad * weight, (grad * x).sum(0))) == ""
    swapped = judge("20.2", lambda grad, x, weight: ((grad * x).sum(0), grad * weight))
    assert "gradient of x has shape [3], not [5, 3]" in swapped


def test_a_result_is_compared_for_named_arguments():
    trial = functions.returns(7, x=1000, y=2)
    assert trial(lambda x, y: 7.0) == ""
    assert trial(lambda x, y: x // y) == "for x = 1,000 and y = 2 it returns 500"
    assert trial(lambda *given: None).endswith("it returns None")


def test_registers_that_so_many_blocks_leave():
    right = {(128, 12): 40, (256, 4): 64, (256, 8): 32, (96, 5): 128, (1024, 2): 32}
    right[32, 31] = 64
    right[100, 12], right[128, 1] = 40, 255  # a started warp; the most that a thread has
    assert judge("10.4", lambda *given: right[given]) == ""


def test_block_sizes_that_pass_three_filters():
    right = {
        (1024, 16): (64, 128, 256, 512, 1024),
        (1536, 16): (96, 128, 192, 256, 384, 512, 768),
        (1536, 24): (64, 96, 128, 192, 256, 384, 512, 768),
        (2048, 32): (64, 128, 256, 512, 1024),
        (1536, 48): (32, 64, 96, 128, 192, 256, 384, 512, 768),
    }
    assert judge("11.2", lambda size, *sm: size in right[sm]) == ""


def squared_relu(name, compute=lesson_20.squared_relu, fake=True, slope=2.0):
    """Register an operator as a learner would, with one thing missing or wrong."""
    made = torch.library.custom_op(
        f"test_lesson_20::{name}",
        lambda x: compute(x.detach()).clone(),
        mutates_args=(),
        schema="(Tensor x) -> Tensor",
    )
    if fake:
        made.register_fake(lambda x: fake(x) if callable(fake) else torch.empty_like(x))
    if slope is not None:
        made.register_autograd(
            lambda ctx, grad: grad * slope * torch.relu(ctx.saved_tensors[0]),
            setup_context=lambda ctx, inputs, output: ctx.save_for_backward(*inputs),
        )
    return made


@pytest.mark.slow
def test_an_operator_with_all_its_parts():
    made = squared_relu("right")
    assert judge("20.5", made) == ""
    assert judge("20.5", torch.ops.test_lesson_20.right) == ""
    assert judge("20.5", torch.ops.test_lesson_20.right.default) == ""


OPERATORS = {
    "values are wrong for a tensor of shape [1003]": {"compute": torch.relu},
    "no fake kernel that works": {"fake": False},
    "its fake kernel returns another shape": {"fake": lambda x: x.new_empty(3)},
    "no gradient": {"slope": None},
    "its gradient is wrong": {"slope": 1.0},
}


@pytest.mark.parametrize("words", OPERATORS)
def test_an_operator_that_lacks_something(words):
    number = list(OPERATORS).index(words)
    assert words in judge("20.5", squared_relu(f"wrong_{number}", **OPERATORS[words]))
