"""How often each element of a row counts in the sums by which it is normalised."""

import pytest
import torch

from helpers.testing.cases import Case
from helpers.testing.probes import row_weights

M, N = 4, 9
EPSILON = 1e-5


def weights(**often):
    """Return N ones, but for those that are told, by their places: _2=3."""
    all_ones = torch.ones(N)
    for place, times in often.items():
        all_ones[int(place[1:])] = times
    return all_ones


ONES = weights()


def softmax(x, w=ONES):
    powers = (x - x.amax(1, keepdim=True)).exp()
    return powers / (powers * w).sum(1, keepdim=True)


def layer_norm(x, of_mean=ONES, of_squares=ONES):
    off = x - (x * of_mean).sum(1, keepdim=True) / N
    return off * ((off.square() * of_squares).sum(1, keepdim=True) / N + EPSILON).rsqrt()


def rms_norm(x, gain, w=ONES):
    return x * ((x.square() * w).sum(1, keepdim=True) / N + EPSILON).rsqrt() * gain


def told(fake_launcher, kernel, right, *others):
    def launch(launcher, *tensors, **arguments):
        tensors[-1].copy_(kernel(*tensors[:-1]))

    x = torch.randn(M, N, generator=torch.Generator().manual_seed(1))
    inputs = (x, *others)
    names = ", ".join(["float x", "float gain", "float shift"][: len(inputs)])
    launcher = fake_launcher(names, "float out", launch)
    exact = right(*[y.double() for y in inputs])
    case = Case("a case", inputs, (exact,), dtypes=(torch.float32,))
    return row_weights.diagnose(launcher, case)


def test_what_counts_more_than_once_in_a_softmax(fake_launcher):
    twice = weights(_2=2, _5=2)
    sentence = told(fake_launcher, lambda x: softmax(x, twice), softmax)
    assert sentence.startswith("2 of 9 elements of a row count more than once in the sum of")
    assert "the first, x[2], twice: do two threads" in sentence
    each = told(fake_launcher, lambda x: softmax(x, 3 * ONES), softmax)
    assert each.startswith("each element of a row counts more than once")
    assert "x[0], 3 times" in each


@pytest.mark.parametrize("which", ["of_mean", "of_squares"])
def test_what_counts_more_than_once_in_a_layer_norm(fake_launcher, which):
    more = {which: weights(_8=2)}
    sentence = told(fake_launcher, lambda x: layer_norm(x, **more), layer_norm)
    where = "the mean" if which == "of_mean" else "the sum of each number times itself"
    assert sentence.startswith(f"1 of 9 elements of a row count more than once in {where}")
    assert "the first, x[8], twice" in sentence


def test_a_norm_with_a_gain_and_a_shift(fake_launcher):
    gain = torch.linspace(0.5, 2.0, N)
    twice = weights(_1=2)
    sentence = told(fake_launcher, lambda x, g: rms_norm(x, g, twice), rms_norm, gain)
    assert "the first, x[1], twice" in sentence
    shift = torch.linspace(-1.0, 1.0, N)

    def shifted(x, gain, shift, **more):
        return layer_norm(x, **more) * gain + shift

    def wrong(x, gain, shift):
        return shifted(x, gain, shift, of_squares=twice)

    assert "x[1], twice" in told(fake_launcher, wrong, shifted, gain, shift)


def test_a_logarithm_of_a_softmax(fake_launcher):
    def log_softmax(x, w=ONES):
        off = x - x.amax(1, keepdim=True)
        return off - (off.exp() * w).sum(1, keepdim=True).log()

    twice = told(fake_launcher, lambda x: log_softmax(x, weights(_4=2)), log_softmax)
    assert "the first, x[4], twice" in twice
    lost = told(fake_launcher, lambda x: log_softmax(x, weights(_0=0)), log_softmax)
    assert lost.startswith("1 of 9 elements of a row is left out of the sum of its powers")


@pytest.mark.parametrize("log", [True, False])
def test_a_sum_that_is_held_in_an_integer(fake_launcher, log):
    def normalised(x, change=lambda y: y):
        powers = (x - x.amax(1, keepdim=True)).exp()
        made = powers / change(powers).sum(1, keepdim=True)
        return made.log() if log else made

    def asked(change):
        def launch(launcher, x, out, **arguments):
            out.copy_(normalised(x, change))

        x = torch.randn(M, N, generator=torch.Generator().manual_seed(1))
        launcher = fake_launcher("float x", "float out", launch)
        case = Case("a case", (x,), (normalised(x.double()),), dtypes=(torch.float32,))
        return row_weights.held_in_an_integer(launcher, case)

    assert "held in an integer" in asked(torch.trunc)
    assert asked(torch.clone) is None
    assert asked(lambda y: y.amax(1, keepdim=True)) is None  # nothing is added up
    assert asked(lambda y: 1.1 * y) is None


def test_other_faults_are_not_told(fake_launcher):
    assert told(fake_launcher, softmax, softmax) is None
    assert told(fake_launcher, layer_norm, layer_norm) is None
    assert told(fake_launcher, lambda x: 1.5 * softmax(x), softmax) is None
    by_root = told(fake_launcher, lambda x: x - x.mean(1, keepdim=True), layer_norm)
    assert by_root is None
    assert told(fake_launcher, lambda x: softmax(x) ** 0.5, lambda x: x.cumsum(1)) is None
    unbiased = told(fake_launcher, lambda x: layer_norm(x) * 0.9, layer_norm)
    assert unbiased is None


def of_a_sum(fake_launcher, w, first_out="float total, float out"):
    """Ask a launcher that normalises the sum of two matrices, and stores that, too."""
    total_first = first_out.startswith("float total")

    def launch(launcher, x, more, gain, *outs, **arguments):
        made = (x + more, rms_norm(x + more, gain, w))
        for out, y in zip(outs, made if total_first else made[::-1], strict=True):
            out.copy_(y)

    x, more = torch.randn(2, M, N, generator=torch.Generator().manual_seed(2))
    gain = torch.linspace(-1.0, 1.0, N)  # one is 0
    launcher = fake_launcher("float x, float more, float gain", first_out, launch)
    total = (x + more).double()
    exact = (total, rms_norm(total, gain.double()))
    exact = exact if total_first else exact[::-1]
    case = Case("a case", (x, more, gain), exact, dtypes=(torch.float32,) * 2)
    return row_weights.diagnose(launcher, case)


@pytest.mark.parametrize("outs", ["float total, float out", "float out, float total"])
def test_the_sum_of_two_matrices_that_is_normalised(fake_launcher, outs):
    lost = of_a_sum(fake_launcher, weights(_8=0), outs)
    assert lost.startswith("1 of 9 elements of a row is left out of the sum of each number")
    assert "the first is x[8]" in lost
    assert "the first, x[8], twice" in of_a_sum(fake_launcher, weights(_8=2), outs)
    assert of_a_sum(fake_launcher, ONES, outs) is None


def test_most_of_a_row_may_be_left_out(fake_launcher):
    few = weights(**{f"_{k}": 0 for k in range(2, N)})
    sentence = told(fake_launcher, lambda x: layer_norm(x, of_squares=few), layer_norm)
    assert sentence.startswith("7 of 9 elements of a row are left out of the sum of each")


def test_a_sum_that_is_divided_by_another_count(fake_launcher):
    gain = torch.linspace(0.5, 2.0, N)
    sentence = told(fake_launcher, lambda x, g: rms_norm(x, g, 3 * ONES), rms_norm, gain)
    assert sentence.startswith("the sum of each number times itself comes out 3 times as large")
    assert "is divided by another count than the 9 elements of a row" in sentence
