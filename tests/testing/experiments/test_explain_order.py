"""Integers that are compared by a difference, or against the least one, and others."""

import pytest
import torch

from helpers.testing.cases import Case
from helpers.testing.experiment import Experiment
from helpers.testing.experiments import explain_order
from helpers.testing.mismatch import Diagnosis
from helpers.testing.patterns import wrong_numbers
from helpers.testing.run_case import ROUNDS, Failure

VAGUE = Diagnosis("it is wrong", specific=False)


def asked(fake_launcher, kernel, x, right):
    """Prepare the experiments on a function of one input."""

    def launch(launcher, x, out, **arguments):
        out.copy_(kernel(x))

    launcher = fake_launcher("int x", "int64_t out", launch)
    case = Case("a case", (x,), (right,), dtypes=(torch.int64,))
    return Experiment(launcher, Failure(case, ROUNDS[0], VAGUE), [])


def largest_by_difference(x, start=None):
    """Find the place of the largest number of each row, by differences in its own type."""
    best = torch.zeros(len(x), dtype=torch.long)
    most = x[:, 0] if start is None else torch.full_like(x[:, 0], start)
    for k in range(x.shape[1]):
        wins = x[:, k] - most > 0
        best, most = torch.where(wins, k, best), torch.where(wins, x[:, k], most)
    return best


@pytest.mark.parametrize("dtype", [torch.int8, torch.int16, torch.int32])
@pytest.mark.parametrize("values", [False, True])
def test_a_difference_that_overflows(fake_launcher, dtype, values):
    end = torch.iinfo(dtype).max
    x = torch.tensor([[3, -end, end, 40, -7], [end - 9, 5, -end, -3, 20]], dtype=dtype)

    def told(of):
        def kernel(x):
            return x.gather(1, of(x)[:, None])[:, 0] if values else of(x)

        some = asked(fake_launcher, kernel, x, right)
        return explain_order.differences_without_a_place(some)

    right = x.amax(1) if values else x.argmax(1)
    bits = torch.iinfo(dtype).bits
    assert told(largest_by_difference).sentence.startswith(
        f"right with the same numbers halved, and wrong where some lie 2^{bits - 1} apart"
    )
    assert told(lambda x: x.argmin(1)) is None
    x = x // 4
    right = x.amax(1) if values else x.argmax(1)
    assert told(lambda x: x.argmax(1)) is None  # they lie near each other


@pytest.mark.parametrize("dtype", [torch.int8, torch.int16, torch.int32, torch.int64])
@pytest.mark.parametrize("n", [3, 7])
def test_a_start_that_is_compared_by_a_difference(fake_launcher, dtype, n):
    x = torch.tensor([[9, -3, 20, 8, -7, 2, 15]]).to(dtype)[:, :n]
    least, missing = torch.iinfo(dtype).min, n

    def place(x):
        found = largest_by_difference(x, least)
        never = bool((x - least <= 0).all())
        return torch.full_like(found, missing) if never else found

    def told(kernel, x=x):
        right = x.argmax(1)
        return explain_order.start_far_below(asked(fake_launcher, kernel, x, right))

    assert told(place).sentence.startswith(
        "right where the same numbers are moved so that all are negative, and wrong where all "
        "are positive: does a search start with the least integer"
    )
    assert told(lambda x: -1 + 0 * x.argmax(1)) is None
    assert told(lambda x: torch.where(x.amax(1) > 0, x.argmax(1), 99)) is None  # starts with 0
    assert told(place, x[:, :1]) is None  # of one number the largest is the smallest, too


@pytest.mark.parametrize("dtype", [torch.int8, torch.int16, torch.int32])
@pytest.mark.parametrize("largest", [True, False])
def test_numbers_that_are_compared_without_their_signs(fake_launcher, dtype, largest):
    x = torch.tensor([[9, -3, 20, 8, -7, 2, 15], [1, 5, -9, 4, 4, -2, 18]]).to(dtype)
    limits = torch.iinfo(dtype)
    start, wraps = limits.min if largest else limits.max, 1 << limits.bits

    def unsigned(x):
        begun = torch.cat([x, torch.full_like(x[:, :1], start)], dim=1).long() % wraps
        found = begun.amax(1) if largest else begun.amin(1)
        return torch.where(found >= wraps // 2, found - wraps, found)

    def by_difference(x):
        best = torch.full_like(x[:, 0], start)
        for k in range(x.shape[1]):
            off = x[:, k] - best
            best = torch.where(off > 0 if largest else off < 0, x[:, k], best)
        return best

    def told(kernel):
        right = x.amax(1) if largest else x.amin(1)
        return explain_order.start_far_below(asked(fake_launcher, kernel, x, right)).sentence

    own = "negative" if largest else "positive"
    assert told(unsigned).startswith(f"right only for numbers that are all {own}; of both")
    assert "compare by a difference" in told(by_difference)


@pytest.mark.parametrize("width", [32, 1024])
@pytest.mark.parametrize("unsigned", [True, False])
def test_what_threads_hand_on_is_compared_without_its_sign(fake_launcher, width, unsigned):
    """Each warp, or block, has the largest of its numbers by then."""

    def of_groups(x):
        ends = torch.stack([part.amax() for part in x.split(width)]).long()
        ends = torch.cat([torch.tensor([torch.iinfo(torch.int32).min]), ends])
        if unsigned:
            return ends[(ends % 2**32).argmax()]
        best = ends[:1].int()
        for end in ends[1:].int():
            best = torch.where(end - best > 0, end, best)
        return best

    x = torch.arange(-20, 40, dtype=torch.int32)
    some = asked(fake_launcher, of_groups, x, x.amax().double().reshape(1))
    told = explain_order.start_far_below(some).sentence
    assert told.startswith("right only for numbers that are all negative") is unsigned
    assert ("compare by a difference" in told) is not unsigned


@pytest.mark.parametrize("gained", [False, True])
def test_a_variance_that_is_a_difference(fake_launcher, gained):
    def norm(launcher, x, *more, centred=False):
        off = x - x.mean(1, keepdim=True)
        squares = off.square() if centred else x.square()
        variance = squares.mean(1, keepdim=True) - (
            0 if centred else x.mean(1, keepdim=True) ** 2
        )
        made = off * (variance + 1e-3).rsqrt()
        more[-1].copy_(made * more[0] if gained else made)

    generator = torch.Generator().manual_seed(3)
    x = torch.randint(-6, 7, (4, 40), generator=generator) + 1.0
    x[1:3] += torch.tensor([[2000.0], [-3001.0]])
    gain = torch.linspace(1, 2, 40)
    wide = x.double() - x.double().mean(1, keepdim=True)
    right = wide * (wide.square().mean(1, keepdim=True) + 1e-3).rsqrt()
    right = right * gain if gained else right
    inputs = (x, gain) if gained else (x,)
    of = "float x, float gain" if gained else "float x"

    def said(function, inputs=inputs, right=right):
        launcher = fake_launcher(of, "float out", function)
        within = (1e-4 * (1 + right.abs()),)
        case = Case("rows", inputs, (right,), dtypes=(torch.float32,), ulp=4, within=within)
        return explain_order.far_from_0(
            Experiment(launcher, Failure(case, ROUNDS[0], VAGUE), [])
        )

    words = "right if a whole number near its mean (-3,000 in one row)"
    assert said(norm).sentence.startswith(words)
    if gained:
        of = "float gain, float x"
        turned = said(lambda own, gain, x, out: norm(own, x, gain, out), (gain, x))
        assert turned.sentence.startswith(words)
    assert said(lambda *tensors: norm(*tensors, centred=True)) is None
    assert said(lambda launcher, *tensors: tensors[-1].zero_()) is None

    def held_in_half(launcher, x, *more):
        norm(launcher, x, *more, centred=True)
        mean = x.mean(1, keepdim=True)
        off = torch.where(mean.abs() > 1000, mean - (mean / 16).round() * 16, 0.0)
        more[-1].add_(off / (x - mean).square().mean(1, keepdim=True).sqrt())

    if not gained:
        assert said(norm).sentence.endswith("multiply what is left with itself")
        in_half = said(held_in_half).sentence
        assert in_half.startswith(words) and in_half.endswith("as float16 is?")
    assert said(norm, right=x.double().softmax(1)) is None


@pytest.mark.parametrize("wide", [False, True])
def test_large_integers_that_are_compared_as_floats(fake_launcher, wide):
    """The numbers beside a limit: a float takes them for it."""
    kind, dtype = ("int64_t", torch.int64) if wide else ("int32_t", torch.int32)

    def of(counted, x, limit):
        launcher = fake_launcher(
            f"{kind} x", "int32_t out", counted, scalars="int limit, int block_size = 64, "
        )
        right = ((x > limit).sum()[None],)
        scalars = {"limit": limit, "block_size": 32}
        case = Case("count", (x,), right, scalars, dtypes=(torch.int32,))
        told = Diagnosis("0 comes out, and 2 should", zeros=True)
        some = Experiment(launcher, Failure(case, ROUNDS[0], told), [])
        return explain_order.integers_far_from_0(some)

    def as_floats(launcher, x, out, limit, block_size):
        out.fill_(int((x.float() > torch.tensor(limit).float()).sum()))

    def too_few(launcher, x, out, limit, block_size):
        out.fill_(int((x > limit + 1).sum()))

    x = (2**30 + torch.arange(20) % 3).to(dtype)
    told = of(as_floats, x, 2**30)
    assert told.sentence.startswith("right if 1,073,741,824 is taken off each number, which")
    assert of(too_few, x, 2**30) is None
    assert of(as_floats, x - 2**30, 0) is None  # no such numbers
    assert of(as_floats, torch.cat([x, -x]), 2**30) is None  # of both signs
    assert of(as_floats, x[:0], 2**30) is None


def test_squares_that_overflow_far_from_0(fake_launcher):
    """The mean of x * x, of which the mean times itself is taken off: infinity less that."""
    x = 2.0**70 + 2.0**50 * torch.tensor([[-3.0, -1, 0, 1, 3], [-5, 2, 0, -2, 5]])

    def norm(launcher, x, out):
        mean = x.mean(1, keepdim=True)
        variance = x.square().mean(1, keepdim=True) - mean * mean
        out.copy_((x - mean) * (variance + 1e-3).rsqrt())

    off = x.double() - 2.0**70
    right = off * (off.square().mean(1, keepdim=True) + 1e-3).rsqrt()
    case = Case("rows", (x,), (right,), dtypes=(torch.float32,), within=(1e-3 + 0 * right,))
    launcher = fake_launcher("float x", "float out", norm)
    told = explain_order.far_from_0(Experiment(launcher, Failure(case, ROUNDS[0], VAGUE), []))
    assert "which changes nothing of what is right, and else infinity or NaN" in told.sentence
    assert "does an exponential, or a sum of squares, overflow" in told.sentence


def test_a_variance_of_planes_that_is_a_difference(fake_launcher):
    """[batch, channels, pixels], with a number of each channel."""

    def norm(launcher, x, gain, out, centred=False):
        off = x - x.mean(-1, keepdim=True)
        squares = off.square() if centred else x.square()
        least = 0 if centred else x.mean(-1, keepdim=True) ** 2
        variance = squares.mean(-1, keepdim=True) - least
        out.copy_(off * (variance + 1e-3).rsqrt() * gain[:, None] + 2)

    x = torch.randint(-6, 7, (2, 3, 40), generator=torch.Generator().manual_seed(3)) + 1.0
    x[:, 1:] += 2000
    gain = torch.linspace(1, 2, 3)
    wide = x.double() - x.double().mean(-1, keepdim=True)
    right = wide * (wide.square().mean(-1, keepdim=True) + 1e-3).rsqrt() * gain[:, None] + 2

    def said(function, right=right):
        launcher = fake_launcher("float x, float gain", "float out", function)
        within = (1e-4 * (1 + right.abs()),)
        case = Case("planes", (x, gain), (right,), dtypes=(torch.float32,), within=within)
        return explain_order.far_from_0(
            Experiment(launcher, Failure(case, ROUNDS[0], VAGUE), [])
        )

    assert said(norm).sentence.startswith("right if a whole number near its mean (2,001 in one")
    assert said(lambda *tensors: norm(*tensors, centred=True)) is None
    assert said(norm, right=3 * x.double()) is None
    assert said(norm, right=x.double().softmax(-1)) is None


def test_a_variance_of_a_sum_that_is_a_difference(fake_launcher):
    generator = torch.Generator().manual_seed(4)
    x, rest = (torch.randint(-6, 7, (4, 40), generator=generator).float() for _ in range(2))
    x, rest = x + 900, rest + 801
    total = x.double() + rest.double()
    off = total - total.mean(1, keepdim=True)
    right = off * (off.square().mean(1, keepdim=True) + 1e-3).rsqrt()

    def kernel(launcher, x, rest, added, out, centred=False):
        added.copy_(x + rest)
        mean = added.mean(1, keepdim=True)
        least = added - mean if centred else added
        squares = least.square().mean(1, keepdim=True) - (0 if centred else mean * mean)
        out.copy_((added - mean) * (squares + 1e-3).rsqrt())

    def said(function):
        launcher = fake_launcher("float x, float rest", "float added, float out", function)
        within = (0 * total, 1e-4 * (1 + right.abs()))
        dtypes = (torch.float32,) * 2
        case = Case("rows", (x, rest), (total, right), dtypes=dtypes, ulp=4, within=within)
        return explain_order.far_from_0(
            Experiment(launcher, Failure(case, ROUNDS[0], VAGUE), [])
        )

    assert said(kernel).sentence.startswith("right if a whole number near its mean (1,701 ")
    assert said(lambda *tensors: kernel(*tensors, centred=True)) is None
    assert said(lambda launcher, *tensors: tensors[-1].zero_()) is None


@pytest.mark.parametrize(("code", "why"), [("", "left out of"), ("y / x", "divided by zero")])
def test_an_infinity_that_no_number_took_the_place_of(fake_launcher, tmp_path, code, why):
    def lead(x):
        return (x[:, 0] - (x[:, 1] if x.shape[1] > 2 else -torch.inf)).double()

    def told(kernel, sentence=f"{wrong_numbers.INFINITE}, where"):
        def launch(launcher, x, out, **arguments):
            out.copy_(kernel(x))

        launcher = fake_launcher("float x", "float out", launch)
        launcher.path = tmp_path / "k.cu"
        launcher.path.write_text(
            f"__global__ void k() {{ {code} + 1 / 2; }}\nvoid fake() {{ k(); a / b; }}"
        )
        x = torch.tensor([[3.0, 500.0], [700.0, 2.0]])
        case = Case("two", (x,), (torch.zeros(2).double(),), dtypes=(torch.float32,))
        failure = Failure(case, ROUNDS[0], Diagnosis(sentence))
        return explain_order.infinity_of_small_numbers(Experiment(launcher, failure, []))

    assert why in told(lead).sentence
    assert told(lead, "another one") is None
    assert told(lambda x: x.square().square().square().square().sum(1)) is None  # it overflows


@pytest.mark.parametrize("way", ["difference", "of squares", "of another"])
def test_a_variance_of_columns_that_is_a_difference(fake_launcher, way):
    """Each column with a factor of its own, so that what normalises it is not known."""
    gain = torch.linspace(1, 3, 5)

    def norm(x, lost):
        mean, n = x.mean(0), 0.1 if way == "of another" else 0.0
        variance = (x - mean).square().mean(0) + n
        if lost and way == "difference":
            variance = x.square().mean(0) - mean.square()
        return (x - mean) / (variance + 1e-5).sqrt() * gain

    def launch(launcher, x, g, out, **arguments):
        out.copy_(norm(x, True))

    x = torch.randint(-9, 10, (40, 5), generator=torch.Generator().manual_seed(2)) + 4000.0
    right = norm(x.double(), False) if way != "of another" else norm(x.double(), False) * 1.1
    launcher = fake_launcher("float x, float g", "float out", launch)
    case = Case("c", (x, gain), (right,), dtypes=(torch.float32,), within=(1e-3 + 0 * right,))
    told = explain_order.far_from_0(Experiment(launcher, Failure(case, ROUNDS[0], VAGUE), []))
    if way == "difference":
        assert told.sentence.startswith("right if a whole number near its mean (4,00")
        assert "is taken off each column" in told.sentence
    else:
        assert told is None


@pytest.mark.parametrize("way", ["norm", "softmax", "distance"])
def test_a_variance_behind_another_function_that_is_a_difference(fake_launcher, way):
    """What is right is known of no norm: larger numbers must make the same results."""

    def made(x, exact):
        off = x - x.mean(1, keepdim=True)
        if way == "softmax":
            return (x - x.amax(1, keepdim=True) if exact else x - 1).exp() / 3
        squares = x.square().mean(1, keepdim=True) - x.mean(1, keepdim=True).square()
        variance = off.square().mean(1, keepdim=True) if exact else squares
        if way == "distance":
            return (off / (100 + variance)).relu()
        return (off * (variance + 0.5).rsqrt()).relu()

    def launch(launcher, x, out, **arguments):
        out.copy_(made(x, False))

    x = torch.randint(-9, 10, (4, 31), generator=torch.Generator().manual_seed(2)) + 4095.0
    right = made(x.double(), True)
    launcher = fake_launcher("float x", "float out", launch)
    case = Case("c", (x,), (right,), dtypes=(torch.float32,), within=(1e-3 + 0 * right,))
    told = explain_order.far_from_0(Experiment(launcher, Failure(case, ROUNDS[0], VAGUE), []))
    assert (told is None) == (way != "norm")
