"""For which rows of a result each row of another input counts."""

from dataclasses import replace

import pytest
import torch

from helpers.testing.cases import Case
from helpers.testing.probes import operand_rows

M, N, GROUPS = 6, 8, 4


def told(fake_launcher, read, scales=None, rows=M, ints=False):
    """Ask a launcher whose rows are summed with the scales that `read` makes of the right."""
    generator = torch.Generator().manual_seed(3)
    x = torch.randint(-9, 10, (M, N), generator=generator)[:rows]
    x = x.to(torch.int8) if ints else x.float()
    scales = torch.randn(M, GROUPS, generator=generator)[:rows] if scales is None else scales

    def summed(x, scales):
        return (x.double().reshape(len(x), GROUPS, -1).sum(2) * scales).sum(1)

    def launch(launcher, x, scales, out, **arguments):
        out.copy_(summed(x, read(scales)))

    names = f"{'int8_t' if ints else 'float'} x, float scales"
    launcher = fake_launcher(names, "float out", launch)
    case = Case("a case", (x, scales), (summed(x, scales.double()),), dtypes=(torch.float32,))
    return operand_rows.diagnose(launcher, case)


@pytest.mark.parametrize("ints", [True, False])
@pytest.mark.parametrize("row", [0, M - 1])
def test_one_row_counts_for_all(fake_launcher, row, ints):
    sentence = told(fake_launcher, lambda s: s[row].expand_as(s), ints=ints)
    assert sentence.startswith(f"row {row} of scales counts for each row of the result, and no")
    assert sentence.endswith(f"so that row {row} is counted for another?")


@pytest.mark.parametrize(
    ("read", "row", "other"),
    [
        (lambda s: s.roll(1, 0), 0, 1),
        (lambda s: s[[0, 0, 1, 2, 3, 4]], 1, 2),
        (lambda s: s[[1, 2, 3, 4, 5, 5]], 1, 0),
    ],
)
def test_the_row_beside(fake_launcher, read, row, other):
    sentence = told(fake_launcher, read)
    words = f"row {row} of scales counts for row {other} of the result, and likewise"
    assert sentence.startswith(words)


def test_rows_and_columns_that_change_places(fake_launcher):
    sentence = told(fake_launcher, lambda s: s.reshape(GROUPS, M).T)
    assert sentence.startswith(
        "element 1 of scales counts for row 1 of the result, not for row"
    )
    assert "do rows and columns change places in its index" in sentence


def test_what_is_right_or_otherwise_wrong_is_not_told(fake_launcher):
    assert told(fake_launcher, lambda s: s) is None
    assert told(fake_launcher, lambda s: s + 1) is None
    assert told(fake_launcher, lambda s: s.mean(0).expand_as(s)) is None  # all rows count
    assert told(fake_launcher, lambda s: 0 * s) is None  # none does
    assert told(fake_launcher, lambda s: s[0].expand_as(s), rows=2) is None
    alike = torch.ones(M, GROUPS)
    assert told(fake_launcher, lambda s: s[0].expand_as(s), alike) is None


def added(fake_launcher, made, shape=(M, N), bias_shape=(N,), dtype=torch.float32):
    """Ask a launcher of x and a bias that makes `made` of them in the place of their sum."""
    generator = torch.Generator().manual_seed(4)
    x, bias = (torch.randn(*size, generator=generator) for size in (shape, bias_shape))

    def launch(launcher, x, bias, out, **arguments):
        out.copy_(made(x, own(bias)))

    def own(bias):
        return bias[:, None] if bias_shape == shape[:1] else bias

    launcher = fake_launcher("float x, float bias", "float out", launch)
    right = x.double() + own(bias.double())
    case = Case("a case", (x, bias), (right,), dtypes=(dtype,))
    return operand_rows.added_often(launcher, case)


@pytest.mark.parametrize("times", [2, 3, 40])
@pytest.mark.parametrize(
    ("size", "words"),
    [
        ((N,), "the number of its column"),
        ((M,), "the number of its row"),
        ((M, N), "its own number"),
    ],
)
def test_an_input_that_is_added_more_than_once(fake_launcher, times, size, words):
    sentence = added(fake_launcher, lambda x, bias: x + times * bias, bias_shape=size)
    expected = f"bias is added more than once: in each element {words} counts {times} times."
    assert sentence.startswith(expected)


def test_an_input_that_is_left_out_or_taken_off(fake_launcher):
    left = added(fake_launcher, lambda x, bias: x)
    assert left == (
        "bias is left out: to each element the number of its column must be added, and is not"
    )
    off = added(fake_launcher, lambda x, bias: x - bias)
    assert off.startswith("the number of its column in bias is taken off each element, to")


def test_an_input_that_is_added_once_or_otherwise_is_not_told(fake_launcher):
    for made in (
        lambda x, bias: x + bias,
        lambda x, bias: x - 2 * bias,
        lambda x, bias: 2 * x,
        lambda x, bias: x + 1.5 * bias,
        lambda x, bias: 2 * x + 2.5 * bias,
        lambda x, bias: (x + 2 * bias).relu(),
        lambda x, bias: x + 2 * bias + 1,
    ):
        assert added(fake_launcher, made) is None
    whole = added(fake_launcher, lambda x, bias: x + 2 * bias, dtype=torch.int32)
    assert whole is None


def of_a_vector(fake_launcher, place, axis, shape=(6, 4), combine=lambda x, v: x * v):
    """Ask a launcher that reads a vector, one number for each row or column, at `place`."""
    generator = torch.Generator().manual_seed(5)
    x = torch.randn(*shape, generator=generator)
    vector = torch.randn(shape[axis], generator=generator)
    index = torch.arange(shape[axis])
    own = (index[:, None] if axis == 0 else index).expand(shape)

    def launch(launcher, x, vector, out, **arguments):
        out.copy_(combine(x, vector[place(own, shape)]))

    launcher = fake_launcher("float x, float gain", "float out", launch)
    right = combine(x.double(), vector.double()[own])
    case = Case("a case", (x, vector), (right,), dtypes=(torch.float32,))
    return operand_rows.of_a_vector(launcher, case)


def whole(own, shape):
    return torch.arange(shape[0] * shape[1]).reshape(shape)


@pytest.mark.parametrize(
    ("place", "axis", "words"),
    [
        (
            lambda own, s: whole(own, s) // s[0],
            1,
            "number 0 of gain counts for row 0, column 1",
        ),
        (lambda own, s: own % 2, 0, "number 0 of gain counts for row 2, column 0"),
        (lambda own, s: whole(own, s) % s[0], 0, "number 0 of gain counts for row 1, column 2"),
    ],
)
def test_a_number_of_a_vector_counts_for_another_line(fake_launcher, place, axis, words):
    sentence = of_a_vector(fake_launcher, place, axis)
    assert sentence.startswith(words)
    assert f"should for {('row', 'column')[axis]} 0 alone" in sentence


def test_a_vector_may_count_for_a_whole_row_where_rows_are_summed(fake_launcher):
    soft = lambda x, v: torch.softmax(x + v, dim=1)  # noqa: E731
    assert of_a_vector(fake_launcher, lambda own, s: own, 1, combine=soft) is None
    assert of_a_vector(fake_launcher, lambda own, s: own, 0) is None


def test_a_row_of_another_size_is_no_row_of_the_result(fake_launcher):
    """Of v [k] times a [k, n] each row of a counts for all, though k may be n."""

    def negated(launcher, v, a, out, **arguments):
        out.copy_(-(v @ a))

    launcher = fake_launcher("float v, float a", "float out", negated)
    v, a = torch.ones(M), torch.arange(float(M * M)).reshape(M, M)
    case = Case("a case", (v, a), ((v @ a).double(),), dtypes=(torch.float32,))
    shapes = {"v": ("k",), "a": ("k", "n"), "out": ("n",)}
    assert operand_rows.diagnose(launcher, case)  # declared as [n], all of them
    parameters = launcher.declaration.parameters
    named = tuple(replace(p, shape=shapes.get(p.name, p.shape)) for p in parameters)
    launcher.declaration = replace(launcher.declaration, parameters=named)
    assert operand_rows.diagnose(launcher, case) is None
