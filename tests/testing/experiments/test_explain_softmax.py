"""A softmax, or its logarithm, is asked for rows near 0 and for long ones."""

import pytest
import torch

from helpers.testing.cases import Case
from helpers.testing.experiment import Experiment
from helpers.testing.experiments import explain_softmax
from helpers.testing.mismatch import Diagnosis
from helpers.testing.run_case import ROUNDS, Failure

NAN = Diagnosis("NaN came out where none went in", unordered=True)
NAMES = {torch.float32: "float", torch.float64: "double"}


def numbers(m=3, n=40):
    return torch.randint(-30, 31, (m, n), generator=torch.Generator().manual_seed(m)) / 16


def told(fake_launcher, diagnose, kernel, x, right, was=NAN, **more):
    """Ask one experiment about a function of one input."""

    def launch(launcher, x, out, **arguments):
        out.copy_(kernel(x))

    name = NAMES[x.dtype]
    launcher = fake_launcher(f"{name} x", f"{name} out", launch)
    options = {"ulp": 8, "within": (1e-6 + 0 * right,)} | more
    case = Case("rows", (x,), (right,), dtypes=(x.dtype,), **options)
    found = diagnose(Experiment(launcher, Failure(case, ROUNDS[0], was), []))
    return found and found.sentence


def swallowed(x):
    return x - (x.amax(1, keepdim=True) + _log_sum(x))


def _log_sum(x):
    return (x - x.amax(1, keepdim=True)).exp().sum(1, keepdim=True).log()


def rounded(x):
    scores = (x / 3).bfloat16().to(x.dtype)
    return scores.softmax(1)


@pytest.mark.parametrize("level", [-1500.0, 700.0])
def test_digits_that_large_numbers_lose(fake_launcher, level):
    x, ask = numbers() + level, explain_softmax.digits_lost_far_from_0
    logs, of_third = x.double().log_softmax(1), (x.double() / 3).softmax(1)
    for kernel, right in ((swallowed, logs), (rounded, of_third)):
        if kernel is rounded:
            more = {"within": (0.01 * right,)}
        else:
            more = {}
        sentence = told(fake_launcher, ask, kernel, x, right, **more)
        assert sentence.startswith("right if one of its numbers (")
        assert told(fake_launcher, ask, kernel, numbers(), right, **more) is None
    assert told(fake_launcher, ask, lambda x: x.log_softmax(1), x, logs) is None
    assert told(fake_launcher, ask, lambda x: x.log_softmax(1) + 1, x, logs) is None
    assert told(fake_launcher, ask, lambda x: x.exp().log_softmax(1), x, logs) is None


def going_on(x, threads, log=True, start=None):
    """Take the logarithm of a softmax whose sums start with each thread's maximum."""
    top = x.amax(1, keepdim=True)
    padded = torch.full((len(x), -(-x.shape[1] // threads) * threads), -torch.inf).to(x.dtype)
    padded[:, : x.shape[1]] = x
    of_threads = padded.reshape(len(x), -1, threads).amax(1)
    begins = of_threads.sum(1, keepdim=True) if start is None else start
    total = (x - top).exp().sum(1, keepdim=True) + begins
    return x - top - total.log() if log else (x - top).exp() / total


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize("threads", [1, 33, 128])
@pytest.mark.parametrize("log", [False, True])
def test_a_sum_that_starts_with_the_maximum(fake_launcher, dtype, threads, log):
    x, ask = numbers().to(dtype), explain_softmax.sum_starts_with_the_largest
    right = x.double().log_softmax(1) if log else x.double().softmax(1)
    sentence = told(fake_launcher, ask, lambda x: going_on(x, threads, log), x, right)
    assert "does the sum start with the maximum" in sentence
    for start in (0, 1, threads):
        other = told(fake_launcher, ask, lambda x, s=start: going_on(x, 1, log, s), x, right)
        assert other is None
    assert told(fake_launcher, ask, lambda x: x + torch.nan, x, right) is None
    assert told(fake_launcher, ask, torch.exp, x, right) is None


def half_rescaled(x, log=False):
    """Put the sums of two halves together, of which the second keeps its own maximum."""
    k = x.shape[1] // 2
    tops, top = (x[:, :k].amax(1), x[:, k:].amax(1)), x.amax(1)
    total = (x[:, :k] - top[:, None]).exp().sum(1) + (x[:, k:] - tops[1][:, None]).exp().sum(1)
    return top + total.log() if log else (x - top[:, None]).exp() / total[:, None]


def test_rows_of_equal_numbers(fake_launcher):
    x, ask = numbers(5, 8), explain_softmax.of_equal_numbers
    vague = Diagnosis("5 of 5 elements are wrong", specific=False)
    for log, right in ((False, x.double().softmax(1)), (True, x.double().logsumexp(1))):

        def of(kernel, right=right, told_before=vague):
            return told(fake_launcher, ask, kernel, x, right, was=told_before)

        sentence = of(lambda x, log=log: half_rescaled(x, log))
        assert sentence.startswith("right where all numbers of a row are equal")
        assert of(lambda x, log=log: half_rescaled(x, log), told_before=NAN) is None
        assert of(lambda x, log=log: half_rescaled(x, log) / 2) is None
        assert of(lambda x, log=log: half_rescaled(x, log), x.double().tanh()) is None


def test_what_is_no_softmax(fake_launcher):
    x = numbers()
    for right in (x.double(), 0 * x.double(), x.double().amax(1), x.double().softmax(0)):
        for ask in (
            explain_softmax.digits_lost_far_from_0,
            explain_softmax.sum_starts_with_the_largest,
        ):
            assert told(fake_launcher, ask, lambda x: going_on(x, 1), x, right) is None


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float8_e4m3fn])
@pytest.mark.parametrize("shape", [(3, 8), (1, 1), (0, 5), (4, 0)])
def test_of_every_type(fake_launcher, dtype, shape):
    x = torch.randint(-3, 4, shape, generator=torch.Generator().manual_seed(0)).to(dtype)

    def launch(launcher, x, out, **arguments):
        out.copy_(x.double().softmax(1) + 0.25)

    launcher = fake_launcher("float x", "float out", launch)
    for right in (x.double().softmax(1), x.double().log_softmax(1)):
        case = Case("rows", (x,), (right,), dtypes=(dtype,))
        some = Experiment(launcher, Failure(case, ROUNDS[0], NAN), [])
        assert explain_softmax.digits_lost_far_from_0(some) is None
        assert explain_softmax.sum_starts_with_the_largest(some) is None


@pytest.mark.parametrize("way", ["unscaled", "of the lane", "right", "without"])
def test_means_that_a_softmax_weights(fake_launcher, way):
    def kernel(x, numbers):
        powers = (x - x.amax(1, keepdim=True)).exp()
        some = numbers
        if way == "of the lane":
            some = numbers[torch.arange(x.shape[1]) % 32]
        if way == "without":
            return (powers * some).sum(1)
        if way == "unscaled":  # each weight beside the largest number until then
            own = (x - x.cummax(1).values).exp()
            return (own * some).sum(1) / powers.sum(1)
        return (powers * some).sum(1) / powers.sum(1)

    def launch(launcher, x, numbers, out, **arguments):
        out.copy_(kernel(x, numbers))

    x, numbers_ = numbers(), torch.linspace(-3, 9, 40)
    right = x.double().softmax(1) @ numbers_.double()
    launcher = fake_launcher("float x, float v", "float out", launch)
    case = Case("rows", (x, numbers_), (right,), dtypes=(torch.float32,))

    def told(was):
        known = Experiment(launcher, Failure(case, ROUNDS[0], was), [])
        return explain_softmax.weighted_means(known)

    words = {
        "unscaled": "right where the numbers of a row fall, and wrong where they rise",
        "of the lane": "right for the first 32 columns, and then v counts from its beginning",
    }
    found = told(Diagnosis("it is wrong", specific=False))
    assert (found and found.sentence.startswith(words.get(way, "?"))) or way not in words
    assert (found is None) is (way not in words)
    assert told(Diagnosis("it is known")) is None


@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize("way", ["unscaled", "own", "right", "shifted"])
def test_sums_that_are_not_scaled_as_the_maximum_changes(fake_launcher, sign, way):
    def kernel(x):
        x = sign * x
        top = x.amax(1, keepdim=True)
        if way == "unscaled":  # each weight beside the largest number until then
            divisor = (x - x.cummax(1).values).exp().sum(1, keepdim=True)
        elif way == "own":  # the halves' sums, each beside its own largest number
            halves = x.chunk(2, dim=1)
            sums = [(y - y.amax(1, keepdim=True)).exp().sum(1, keepdim=True) for y in halves]
            divisor = sum(sums)
        else:
            divisor = (x - top).exp().sum(1, keepdim=True)
        return (x - top).exp() / divisor + 0.01 * (way == "shifted")

    x = numbers()
    right = (sign * x.double()).softmax(1)

    def asked(was):
        return told(fake_launcher, explain_softmax.scaled_sums, kernel, x, right, was)

    rows = Diagnosis("the elements of row 1 add up to 2", rows=True)
    if way == "unscaled":
        words = ("fall", "rise") if sign == 1 else ("rise", "fall")
        start = "right where the numbers of a row {}, and wrong where they {}: ".format(*words)
        assert asked(rows).startswith(start)
    elif way == "own":
        assert asked(rows).startswith(
            "right where all numbers of a row are equal, so that each"
        )
    else:
        assert asked(rows) is None
    assert asked(Diagnosis("it is known")) is None
