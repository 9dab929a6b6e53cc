"""What is cut off, or has no place, on the way; and what is not."""

import math
from dataclasses import replace

import pytest
import torch

from helpers.testing.cases import Case
from helpers.testing.experiment import Experiment
from helpers.testing.experiments import explain_steps
from helpers.testing.mismatch import Diagnosis
from helpers.testing.run_case import ROUNDS, Failure
from tests.testing.mismatches import random

VAGUE = Diagnosis("it is wrong", specific=False)


def asked(fake_launcher, kernel, inputs, right, **arguments):
    """Prepare the experiments on a function of the inputs and the arguments."""

    def launch(launcher, *tensors, **given):
        tensors[-1].copy_(kernel(*tensors[:-1], **given))

    names = ", ".join(f"float x{k}" for k in range(len(inputs)))
    launcher = fake_launcher(names, "float out", launch)
    case = Case("a case", inputs, (right,), arguments, dtypes=(inputs[0].dtype,))
    return Experiment(launcher, Failure(case, ROUNDS[0], VAGUE), [])


X = torch.arange(1.0, 41)


@pytest.mark.parametrize(("alpha", "whole"), [(1.5, 1), (0.5, 0), (-2.25, -2)])
def test_an_argument_that_is_cut(fake_launcher, alpha, whole):
    some = asked(fake_launcher, lambda x, alpha: math.trunc(alpha) * x, (X,), X, alpha=alpha)
    assert explain_steps.cut_arguments(some).sentence == (
        f"alpha = {alpha:g} makes the same as alpha = {whole}: is it truncated to a whole "
        "number on the way, as in an int where a float is meant?"
    )


@pytest.mark.parametrize(
    "kernel",
    [
        lambda x, alpha: alpha * x,
        lambda x, alpha: x,  # without an effect
        lambda x, alpha: torch.where(x > alpha, x, 0),  # of whole numbers it may be cut
        lambda x, alpha: 1e12 * x + alpha,
    ],
)
def test_an_argument_that_is_not_cut(fake_launcher, kernel):
    for alpha in (1.5, 2.0, 1e-5):
        some = asked(fake_launcher, kernel, (X,), X, alpha=alpha)
        assert explain_steps.cut_arguments(some) is None


@pytest.mark.parametrize("alpha", [1.5, 0.5])
def test_an_argument_of_integers_that_is_cut(fake_launcher, alpha):
    def said(kernel, x):
        def launch(launcher, x, out, **given):
            out.copy_(kernel(x, **given))

        launcher = fake_launcher("int8_t x", "float out", launch)
        case = Case("a case", (x,), (x.double(),), {"alpha": alpha}, dtypes=(torch.float32,))
        some = Experiment(launcher, Failure(case, ROUNDS[0], VAGUE), [])
        return explain_steps.cut_arguments(some)

    x = torch.arange(-20, 20).to(torch.int8)
    assert "is it truncated" in said(lambda x, alpha: math.trunc(alpha) * x, x).sentence
    for kernel in (lambda x, alpha: alpha * x, lambda x, alpha: torch.where(x > alpha, x, 0)):
        assert said(kernel, x) is None
    assert said(lambda x, alpha: (x > alpha) * 1.0, x > 0) is None


@pytest.mark.parametrize(
    ("s", "kept", "bits"),
    [(2**40 + 3, 3, 32), (2**31, -(2**31), 32), (70_000, 4464, 16), (-200, 56, 8)],
)
def test_an_argument_of_which_the_last_bits_alone_count(fake_launcher, s, kept, bits):
    def last(s):
        return (s + 2 ** (bits - 1)) % 2**bits - 2 ** (bits - 1)

    some = asked(fake_launcher, lambda x, s: x + last(s) % 1001, (X,), X, s=s)
    assert explain_steps.wrapped_arguments(some).sentence == (
        f"s = {s:,} makes the same as s = {kept:,}, which is its last {bits} bits: is it held "
        f"in a type of {bits} bits on the way, which is too narrow for it?"
    )


@pytest.mark.parametrize("s", [2**40 + 3, 70_000, 3, True, 2.5])
def test_an_argument_of_which_all_bits_count_or_none(fake_launcher, s):
    for kernel in (lambda x, s: x + s % 1001, lambda x, s: x):
        some = asked(fake_launcher, kernel, (X,), X, s=s)
        assert explain_steps.wrapped_arguments(some) is None


def cut(x, lost):
    """Return numbers without their last bits."""
    as_integers = x.view(torch.int32 if x.dtype is torch.float32 else torch.int64)
    return (as_integers >> lost << lost).view(x.dtype)


@pytest.mark.parametrize(
    ("narrow", "dtype", "kept", "of"),
    [
        (lambda x: cut(x, 13), torch.float32, 11, 24),
        (lambda x: x.half().float(), torch.float32, 11, 24),
        (lambda x: x.bfloat16().float(), torch.float32, 8, 24),
        (lambda x: cut(x, 16), torch.float32, 8, 24),
        (lambda x: x.float().double(), torch.float64, 24, 53),
    ],
)
@pytest.mark.parametrize("which", [0, 1])
def test_inputs_that_are_cut(fake_launcher, narrow, dtype, kept, of, which):
    a, b = (random(n, seed=n).reshape(-1, 20).to(dtype) for n in (300, 400))
    a, b = (x + x.sin() * 2.0**-25 for x in (a, b))

    def kernel(*x):
        x = [narrow(y) if k == which else y for k, y in enumerate(x)]
        return x[0] @ x[1].T

    some = asked(fake_launcher, kernel, (a, b), a.double() @ b.double().T)
    said = explain_steps.cut_inputs(some).sentence
    assert said.startswith(
        f"the output is the same where each number of x{which} keeps only its first {kept} of "
        f"{of} bits: is it cut or rounded to a narrower precision on the way, as of "
    )


@pytest.mark.parametrize(
    "kernel",
    [
        lambda x: 1.001 * x,
        lambda x: (1.001 * x).bfloat16().float(),  # the result is rounded
        lambda x: x.sign(),  # of which the digits do not count
        lambda x: x.floor(),
        lambda x: 0 * x,
    ],
)
def test_inputs_that_are_not_cut(fake_launcher, kernel):
    x = random(500)
    assert explain_steps.cut_inputs(asked(fake_launcher, kernel, (x,), x.double())) is None
    assert explain_steps.cut_inputs(asked(fake_launcher, kernel, (X,), X.double())) is None


def test_digits_without_an_effect_are_not_cut(fake_launcher):
    """Only one number counts, which has few digits, so that nothing is seen of the others."""
    x, y = random(40), random(40)
    y[0] = 0.5
    some = asked(fake_launcher, lambda x, y: x + y[0], (x, y), (x + y).double())
    assert explain_steps.cut_inputs(some) is None


def rms(x, w, dtype):
    """Normalise rows; their squares are held in a type."""
    squares = (x.to(dtype) * x.to(dtype)).float().mean(1, keepdim=True)
    return x * squares.rsqrt() * w


@pytest.mark.parametrize("scale", [100.0, 40.0])
def test_squares_that_overflow(fake_launcher, scale):
    x = scale * torch.randint(1, 9, (5, 32), generator=torch.Generator().manual_seed(1))
    x, w = x.float(), torch.ones(32)
    x[:2] /= 64.0
    some = asked(
        fake_launcher, lambda x, w: rms(x, w, torch.float16), (x, w), rms(x, w, torch.float32)
    )
    told = explain_steps.squares_without_a_place(some).sentence
    assert told.startswith(f"0 came out of rows of large numbers, from {8 * scale:g} on, and ")
    assert "overflow on the way, as in float16, which ends at 65,504?" in told


def test_squares_of_a_sum_that_overflow(fake_launcher):
    a = 100 * torch.randint(1, 9, (5, 32), generator=torch.Generator().manual_seed(1)).half()

    def kernel(launcher, x, other, added, out):
        added.copy_(x + other)
        out.copy_(rms(added, torch.ones(32), torch.float16))

    launcher = fake_launcher("half x, half other", "half added, half out", kernel)
    exact = (2 * a.double(), rms(2 * a.double(), torch.ones(32), torch.float64))
    case = Case("a case", (a, a), exact, dtypes=(torch.float16,) * 2)
    some = Experiment(launcher, Failure(case, ROUNDS[0], VAGUE), [])
    told = explain_steps.squares_without_a_place(some).sentence
    assert "overflow on the way, as in float16, which ends at 65,504?" in told


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_no_number_is_too_large_to_be_asked(fake_launcher, dtype):
    x = torch.full((3, 8), torch.finfo(dtype).max / 4, dtype=dtype)
    masked = x.clone()
    masked[1, 2] = -math.inf
    for inputs in (x, masked):
        some = asked(fake_launcher, lambda x: 0 * x.nan_to_num(), (inputs,), inputs.double())
        assert explain_steps.squares_without_a_place(some) is None


def test_zeros_without_an_overflow(fake_launcher):
    x = 100.0 * torch.randint(1, 9, (5, 32), generator=torch.Generator().manual_seed(1))
    right, w = rms(x, torch.ones(32), torch.float32), torch.ones(32)
    for kernel in (
        lambda x, w: 0 * x,  # small numbers, too
        lambda x, w: rms(x, w, torch.float32) * (torch.arange(5) != 2)[:, None],
        lambda x, w: rms(x, w, torch.float16) + 1,
    ):
        some = asked(fake_launcher, kernel, (x, w), right)
        assert explain_steps.squares_without_a_place(some) is None


@pytest.mark.parametrize(
    ("alpha", "dtype", "nearest"),
    [
        (2049.0, torch.float16, "2048"),
        (0.3, torch.float16, "0.300049"),
        (257.0, torch.bfloat16, "256"),
    ],
)
@pytest.mark.parametrize("made_in", [torch.float32, torch.float16])
def test_an_argument_that_is_rounded(fake_launcher, alpha, dtype, nearest, made_in):
    def kernel(x, alpha):
        return (
            (float(torch.tensor(alpha, dtype=torch.float64).to(dtype)) * x).to(made_in).float()
        )

    some = asked(fake_launcher, kernel, (X,), X, alpha=alpha)
    few = asked(fake_launcher, kernel, (X[:3],), X[:3], alpha=alpha)
    assert explain_steps.rounded_arguments(few) is None  # by chance they may all be alike
    others = [replace(some.case, arguments={"alpha": 1.0}), some.case]
    few = replace(few, following=others)
    for one in (some, few):
        assert explain_steps.rounded_arguments(one).sentence == (
            f"alpha = {alpha:g} makes the same as alpha = {nearest}, which is {alpha:g} "
            f"rounded to the nearest {str(dtype)[6:]}: is it held in one on the way, which has "
            "too little precision for it? Keep it a float"
        )


@pytest.mark.parametrize(
    "kernel",
    [
        lambda x, alpha: alpha * x,
        lambda x, alpha: (alpha * x).half().float(),
        lambda x, alpha: (alpha * x).bfloat16().float(),
        lambda x, alpha: x,
        lambda x, alpha: float(int(alpha)) * x,
    ],
)
def test_an_argument_that_is_not_rounded(fake_launcher, kernel):
    for alpha in (2049.0, 0.3, 0.5, 1e-5, 1e300):
        some = asked(fake_launcher, kernel, (X,), X, alpha=alpha)
        assert explain_steps.rounded_arguments(some) is None


def test_an_argument_too_small_to_count_is_not_rounded(fake_launcher):
    x = torch.linspace(1.0, 1.9, 100)  # half of the last place is what float16 has least of
    some = asked(fake_launcher, lambda x, eps: x + eps, (x,), x, eps=1e-8)
    some = replace(some, case_inputs=(x,)) if hasattr(some, "case_inputs") else some
    assert explain_steps.rounded_arguments(some) is None


def test_squares_beside_an_infinite_number(fake_launcher):
    x = 100.0 * torch.randint(1, 9, (5, 32), generator=torch.Generator().manual_seed(1))
    x[0, 0], w = -math.inf, torch.ones(32)
    some = asked(fake_launcher, lambda x, w: 0 * w * (x > 0), (x, w), x.clamp(min=1))
    assert explain_steps.squares_without_a_place(some) is None


def elu(x):
    return torch.where(x > 0, x, torch.expm1(x))


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_small_numbers_that_cancel(fake_launcher, dtype):
    x = torch.tensor([1.0, -7.8e-7, 3.0]).to(dtype)

    def told(kernel, reference=elu):
        some = asked(fake_launcher, kernel, (x,), x.double())
        case = replace(some.case, reference=reference, ulp=1)
        some = replace(some, failure=replace(some.failure, case=case))
        return explain_steps.small_numbers(some)

    found = told(lambda x: torch.where(x > 0, x, (torch.exp(x.float()) - 1).to(x.dtype)))
    assert "log1p and expm1 keep its digits, and the precision" in found.sentence
    assert told(lambda x: elu(x.double()).to(x.dtype)) is None
    assert told(lambda x: elu(2 * x)) is None
    assert told(lambda x: x, None) is None


def of_bits(fake_launcher, kernel, dtype, out, reference=lambda x: x.double()):
    """Ask about a kernel of one input; it gets and returns integers or numbers."""

    def launch(launcher, x, y, **arguments):
        y.copy_(kernel(x))

    x = random(40, seed=1).to(dtype)
    launcher = fake_launcher("float x", "float out", launch)
    right = reference(x.double())
    case = Case("a case", (x,), (right,), dtypes=(out,), reference=reference)
    return explain_steps.numbers_for_bits(
        Experiment(launcher, Failure(case, ROUNDS[0], VAGUE), [])
    )


@pytest.mark.parametrize(
    ("dtype", "out", "width"),
    [
        (torch.float32, torch.bfloat16, torch.int16),
        (torch.float32, torch.float32, torch.int32),
        (torch.float16, torch.float16, torch.int16),
        (torch.float64, torch.float32, torch.int32),
    ],
)
def test_numbers_that_are_taken_for_their_bits(fake_launcher, dtype, out, width):
    down = 8 * (dtype.itemsize - out.itemsize)

    def converted(x):
        return (x.long() >> down).to(width).view(out)

    def meant(x):
        own = x.view(torch.int64 if dtype.itemsize == 8 else torch.int32)
        return (own >> down).to(width).view(out)

    told = of_bits(fake_launcher, converted, dtype, out)
    assert told.sentence.startswith("the bits of what comes out are those of the number that")
    assert of_bits(fake_launcher, lambda x: converted(-x), dtype, out, lambda x: -x) is None
    assert of_bits(fake_launcher, lambda x: 0 * x, dtype, out) is None
    if dtype.itemsize > 2:
        assert of_bits(fake_launcher, meant, dtype, out) is None


def test_a_cast_to_integers_makes_their_bits(fake_launcher):
    assert of_bits(fake_launcher, lambda x: x.int(), torch.float32, torch.int32) is None


@pytest.mark.parametrize("of", ["row", "column", "each"])
def test_a_bias_that_is_added_behind_relu(fake_launcher, of):
    x = torch.randint(-9, 10, (6, 5), generator=torch.Generator().manual_seed(2)).float()
    shape = {"row": (6,), "column": (5,), "each": (6, 5)}[of]
    bias = torch.arange(math.prod(shape)).reshape(shape) % 7 - 3.25
    on_each = bias[:, None] if of == "row" else bias
    right = (x + on_each).relu().double()

    def told(kernel):
        return explain_steps.added_too_late(asked(fake_launcher, kernel, (x, bias), right))

    def late(x, bias):
        return x.relu() + (bias[:, None] if of == "row" else bias)

    words = "is it added behind a step that must come after it (ReLU)?"
    assert words in told(late).sentence
    assert told(lambda x, bias: x + on_each) is None  # without ReLU
    assert told(lambda x, bias: late(x, 2 * bias)) is None
    assert told(lambda x, bias: x.relu()) is None


def test_a_sum_without_relu_is_not_added_too_late(fake_launcher):
    x, y = random(40), random(40)
    some = asked(fake_launcher, lambda x, y: x.relu() + y, (x, y), (x + y).double())
    assert explain_steps.added_too_late(some) is None


def test_an_argument_that_changes_last_digits_only_is_not_truncated(fake_launcher):
    """Beside a variance that is far too large an epsilon is rounded away."""

    def kernel(launcher, x, y, eps):
        y.copy_(x.nextafter(2 * x) if eps >= 1 else x)

    x = torch.linspace(1.5, 900.3, 333)
    case = Case("x", (x,), (2 * x.double(),), {"eps": 0.25}, dtypes=(torch.float32,))
    launcher = fake_launcher("float x", "float y", kernel)
    failure = Failure(case, ROUNDS[0], Diagnosis("it is wrong", specific=False))
    assert explain_steps.cut_arguments(Experiment(launcher, failure, [])) is None

    def truncated(launcher, x, y, eps):
        y.copy_(x + int(eps))

    launcher = fake_launcher("float x", "float y", truncated)
    told = explain_steps.cut_arguments(Experiment(launcher, failure, []))
    assert told.sentence.startswith("eps = 0.25 makes the same as eps = 0: is it truncated")
