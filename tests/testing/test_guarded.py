"""A diagnosis that raises an exception takes no verdict away; in tests it is seen."""

import itertools
from dataclasses import replace

import pytest
import torch

from helpers.testing import diagnosis, explain, races
from helpers.testing.cases import Case
from helpers.testing.experiment import Experiment
from helpers.testing.guarded import explanation
from helpers.testing.mismatch import Mismatch, widened
from helpers.testing.references import rounded
from helpers.testing.run_case import ROUNDS, run_case
from helpers.testing.run_cases import run_cases
from tests.testing.mismatches import mismatch

FLOATS = (torch.float32, torch.float16, torch.float64, torch.float8_e4m3fn)
UNSIGNED = (torch.uint8, torch.bool, torch.uint16, torch.uint32, torch.uint64)
INTEGERS = (torch.int64, torch.int32, torch.int8, *UNSIGNED)
ALL = (*FLOATS, *INTEGERS)
SOME = 67  # of so many wrong outputs one is diagnosed, another for each pair of dtypes
FEW = 29  # likewise of those with which experiments are made


@pytest.fixture(autouse=True)
def no_trace(monkeypatch):
    """Trace nothing: a Python function has no text."""
    monkeypatch.setattr(races, "cooperates", lambda launcher: False)


def raises(*anything):
    raise RuntimeError("result type Float can't be cast to the desired output type Int")


def test_an_exception_is_raised_only_where_that_is_asked_for(monkeypatch):
    assert explanation(lambda x: x + 1, 2) == 3
    monkeypatch.setenv("ELEMENTWISE_STRICT", "1")
    with pytest.raises(RuntimeError):
        explanation(raises)
    monkeypatch.setenv("ELEMENTWISE_STRICT", "0")
    assert explanation(raises) is None
    monkeypatch.delenv("ELEMENTWISE_STRICT")
    assert explanation(raises) is None


def test_the_facts_stay_where_a_diagnosis_raises(monkeypatch, fake_launcher):
    def wrong(launcher, x, out, **arguments):
        out.copy_(x.sin())

    x = torch.arange(1.0, 41)
    case = Case("n = 40", (x,), (x.double(),), dtypes=(torch.float32,))
    launcher = fake_launcher("float x", "float out", wrong)
    monkeypatch.setenv("ELEMENTWISE_STRICT", "0")
    monkeypatch.setattr(diagnosis, "PATTERNS", (raises,))
    monkeypatch.setattr(explain, "EXPERIMENTS", ((raises, True),))
    sentence = str(run_cases(launcher, [case]).found)
    assert sentence.startswith("40 of 40 elements are wrong")
    assert "first: out[0] is 0.84147096, not 1 for inputs 1]" in sentence

    def endless(launcher):
        yield case
        raise ValueError("no further case")

    assert str(run_cases(launcher, endless(launcher)).found) == sentence
    monkeypatch.setenv("ELEMENTWISE_STRICT", "1")
    with pytest.raises(RuntimeError):
        run_cases(launcher, [case])


def numbers(dtype, *shape, seed=0):
    """Draw whole numbers, most of them small, that every dtype holds."""
    generator = torch.Generator().manual_seed(seed)
    drawn = torch.randint(-9, 10, shape, generator=generator)
    if dtype in UNSIGNED:
        drawn = drawn.abs()
    return drawn.float().to(dtype)


def results(x):
    """Yield what a right kernel may make of an input, float64: of its shape, or of another."""
    x = x.double()
    yield 2 * x + 1
    if x.dim() == 1:
        yield x.sum().reshape(1)
        yield x[: len(x) // 2] + x[len(x) // 2 :][: len(x) // 2]
    else:
        yield x.sum(-1)
        yield x.sum(0)
        yield x.transpose(-1, -2).contiguous()
        yield x.softmax(-1)
        yield x.argmax(-1).double()


def wrongs(right):
    """Yield wrong outputs: other values, other places, extremes, left out."""
    flat = right.reshape(-1)
    yield 0 * flat
    yield -flat
    yield flat + 1
    yield flat.roll(1)
    yield flat * 3.5
    yield flat.masked_fill(torch.arange(len(flat)) % 2 == 1, 0)
    yield flat.masked_fill(torch.arange(len(flat)) >= len(flat) - 2, 77)
    yield flat * 1e9


SHAPES = ((1,), (3,), (70,), (1, 40), (4, 9), (40, 3), (9, 9), (3, 4, 5))


def all_mismatches(dtype, output):
    for shape in SHAPES:
        x = numbers(dtype, *shape, seed=len(shape))
        for right in results(x):
            exact = rounded(right, output).double()
            for values in wrongs(exact):
                got = rounded(values, output)
                wrong = got.double() != exact.reshape(-1)
                if bool(wrong.any()):
                    for more in ((), (numbers(dtype, *shape, seed=9),)):
                        yield Mismatch(
                            got,
                            exact.reshape(-1),
                            wrong,
                            (x, *more),
                            0,
                            (lambda *inputs: 2 * inputs[0] + 1)
                            if right.shape == x.shape and not more
                            else None,
                            tuple(right.shape),
                        )


@pytest.mark.sample(4)
@pytest.mark.parametrize("output", ALL, ids=str)
@pytest.mark.parametrize("dtype", ALL, ids=str)
def test_every_pattern_takes_every_dtype(dtype, output):
    for k, m in enumerate(all_mismatches(dtype, output)):
        if k % SOME == (4 * ALL.index(dtype) + ALL.index(output)) % SOME:
            m = widened(m)
            for pattern in diagnosis.PATTERNS:
                said = pattern(m)
                assert said is None or isinstance(said, str)


WRONG = (
    lambda right: right.roll(1, 0),
    lambda right: right.flip(-1),
    lambda right: 0 * right,
    lambda right: right + 1,
    lambda right: (right * right).clamp(max=100),
)


def fake_kernel(fake_launcher, inputs, place, change):
    """Return a launcher that changes what `results` yields at a place."""

    def launch(launcher, *tensors, **arguments):
        made = list(results(tensors[0]))[place]
        tensors[-1].copy_(rounded(change(made), tensors[-1].dtype))

    names = ", ".join(f"float x{k}" for k in range(len(inputs)))
    return fake_launcher(names, "float out", launch)


@pytest.mark.sample(4)
@pytest.mark.parametrize("output", ALL, ids=str)
@pytest.mark.parametrize("dtype", ALL, ids=str)
def test_every_experiment_takes_every_dtype(dtype, output, fake_launcher):
    chosen = (3 * ALL.index(dtype) + ALL.index(output)) % FEW
    forms = itertools.product(((5,), (3, 4), (4, 1)), WRONG, (1, 2), range(6))
    for shape, change, count, place in itertools.islice(forms, chosen, None, FEW):
        inputs = (numbers(dtype, *shape),) * count
        right = list(results(inputs[0]))
        if place >= len(right):
            continue
        launcher = fake_kernel(fake_launcher, inputs, place, change)
        exact = rounded(right[place], output).double()
        case = Case("a case", inputs, (exact,), dtypes=(output,))
        if failure := run_case(launcher, case, ROUNDS[0]):
            experiment = Experiment(launcher, failure, (), True, [case])
            for diagnose, _ in explain.EXPERIMENTS:
                diagnose(experiment)
            assert run_cases(launcher, [case, case]).found


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
@pytest.mark.parametrize("sign", [-1, 1])
def test_numbers_of_one_sign_in_every_dtype(dtype, sign, fake_launcher):
    x = (sign * (torch.arange(12.0) + 1)).reshape(3, 4).to(dtype)
    right = x.double().amax(1)

    def wrong(launcher, x, out, **arguments):
        out.copy_(x.double().amax(1).clamp(min=0) - 1)

    launcher = fake_launcher("float x", "float out", wrong)
    case = Case("a case", (x,), (right,), dtypes=(dtype,))
    experiment = Experiment(launcher, run_case(launcher, case, ROUNDS[0]), (), True, [case])
    for diagnose, _ in explain.EXPERIMENTS:
        diagnose(experiment)


@pytest.mark.sample(3)
@pytest.mark.parametrize("end", ["largest", "smallest"])
@pytest.mark.parametrize("dtype", (*FLOATS, torch.bfloat16, *INTEGERS), ids=str)
def test_numbers_at_the_end_of_every_dtype(dtype, end, fake_launcher):
    info = torch.finfo if dtype.is_floating_point else torch.iinfo
    most = 1 if dtype is torch.bool else min(info(dtype).max, torch.iinfo(torch.int64).max)
    if end == "smallest":
        most = info(dtype).smallest_normal if dtype.is_floating_point else 1
    x = torch.full((1,), most, dtype=torch.float64 if dtype.is_floating_point else torch.int64)
    for shape, factor in itertools.product(((1,), (9,), (3, 4)), (1, 2, 0)):
        inputs = (x.to(dtype).expand(shape).clone(),) * 2
        right = rounded(sum(y.double() for y in inputs), dtype).double()

        def wrong(launcher, a, b, out, made=factor * right, **arguments):
            out.copy_(rounded(made - 1, out.dtype))

        launcher = fake_launcher("float a, float b", "float out", wrong)
        case = Case("a case", inputs, (right,), dtypes=(dtype,))
        if failure := run_case(launcher, case, ROUNDS[0]):
            for nearly in (False, True):
                told = replace(failure.diagnosis, nearly=nearly, specific=nearly)
                failure = replace(failure, diagnosis=told)
                experiment = Experiment(launcher, failure, (), True, [case])
                for diagnose, _ in explain.EXPERIMENTS:
                    diagnose(experiment)


def test_a_diagnosis_that_takes_no_integers_is_found(monkeypatch):
    m = mismatch(torch.tensor([1, 2]), [1, 3], torch.tensor([1, 2]))
    monkeypatch.setattr(diagnosis, "PATTERNS", (lambda m: (m.got + 0.5).mul_(2) and raises(),))
    with pytest.raises(RuntimeError):
        diagnosis.diagnose(m)
