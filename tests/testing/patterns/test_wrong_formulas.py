"""Changed formulas: an input, the result, or an offset that explains every element."""

import re
from dataclasses import replace

import pytest
import torch

from helpers.model.dtypes import dtype_name
from helpers.testing.mismatch import fits
from helpers.testing.patterns import wrong_formulas
from tests.testing.mismatches import mismatch, random, said

A, B = random(40, 1), random(40, 2)


def affine(a, b):
    return 3 * a + b.sin()


def input_of(got, function=affine, inputs=(A, B)):
    right = function(*inputs)
    return wrong_formulas.changed_input(mismatch(got, right, *inputs, reference=function))


def result_of(got, function=affine, inputs=(A, B)):
    right = function(*inputs)
    return wrong_formulas.changed_result(mismatch(got, right, *inputs, reference=function))


@pytest.mark.parametrize(
    ("other", "words"),
    [
        (-B, "-1 times input 2"),
        (B.abs(), "the absolute value of input 2"),
        (2 * B, "2 times input 2"),
        (B / 2, "half of input 2"),
        (B * B, "input 2 times itself"),
        (1 / B, "1 / input 2"),
        (1 - B, "1 - input 2"),
        (1 + B, "1 + input 2"),
        (B.trunc(), "input 2 without its fraction (truncated)"),
        (B.clamp(min=0), "0 for each negative number of input 2"),
        (B.clamp(max=0), "0 for each positive number of input 2"),
    ],
)
def test_something_else_in_the_place_of_an_input(other, words):
    assert input_of(affine(A, other)) == (
        f"this is the result with {words} in the place of input 2: is the formula another one?"
    )


def test_an_input_that_is_read_at_another_index():
    words = "input {} is read at index {}, not at i"
    assert input_of(affine(A[:1], B)) == words.format(1, "0 for every element")
    assert input_of(affine(A, B.flip(0))) == words.format(2, "n - 1 - i")


def test_every_element_must_be_explained():
    got = affine(A, -B)
    got[7] += 0.1
    assert input_of(got) is None
    got[7] = torch.nan
    assert input_of(got) is None
    assert input_of(affine(A, -B) * (1 + 2.0**-20))  # a formula is rounded on its way
    few = torch.where(torch.arange(40) < 7, -B, B)
    assert input_of(affine(A, few)) is None


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda y: -y, "-1 times the right one"),
        (lambda y: y.abs(), "the absolute value of the right one"),
        (lambda y: 1 - y, "1 minus the right one"),
        (lambda y: 1 / y, "1 / the right one"),
        (lambda y: y * y, "the right one times itself"),
        (lambda y: y + B, "the right one plus input 2 (a term too many?)"),
        (lambda y: y - A, "the right one minus input 1 (is a term not added?)"),
        (lambda y: B - y, "input 2 minus the right one"),
        (lambda y: y * A, "the right one times input 1 (a factor too many?)"),
        (lambda y: y / A, "the right one divided by input 1 (is it not multiplied by it?)"),
    ],
)
def test_a_result_that_is_made_of_the_right_one(change, words):
    sentence = f"each element is {words}: is the formula another one?"
    assert result_of(change(affine(A, B))) == sentence


@pytest.mark.parametrize(
    ("other", "words"),
    [
        (A + B, "input 1 + input 2"),
        (A - B, "input 1 - input 2"),
        (B - A, "input 2 - input 1"),
        (A * B, "input 1 * input 2"),
        (B / A, "input 2 / input 1"),
    ],
)
def test_an_operator_of_two_inputs(other, words):
    assert result_of(other) == f"each element is {words}: is the formula another one?"


def test_a_root_and_what_is_not_known():
    def square(x):
        return (1 + x) ** 2

    root = "each element is the root of the right one: is the formula another one?"
    assert result_of((1 + A).abs(), square, (A,)) == root
    assert result_of(A.cos(), square, (A,)) is None
    assert input_of(A.cos(), square, (A,)) is None
    unknown = mismatch(-affine(A, B), affine(A.double(), B.double()), A, B)
    assert wrong_formulas.changed_result(unknown) is None
    assert wrong_formulas.changed_input(unknown) is None


def test_an_offset():
    right = affine(A, B)

    def told(got, n=40):
        m = mismatch(got[:n], right[:n], A[:n], B[:n], reference=affine)
        return wrong_formulas.offset(m)

    some = torch.arange(40) % 3 == 0
    words = "each wrong element is {} than the right one: is the formula another one?"
    assert told(torch.where(some, right + 1, right)) == words.format("1 more")
    assert told(right - 0.25) == words.format("0.25 less")
    assert told(right * 1.5) is None
    assert told(right - 0.25, 7) is None
    assert told(right * (1 + 2.0**-22)) is None  # rounding
    whole = torch.arange(40) * 7
    got = whole.int() + (whole % 2).int()
    known = mismatch(got, whole.double(), whole, reference=lambda x: x)
    assert wrong_formulas.offset(known).startswith(
        "each wrong element is 1 more than the right one: is it rounded in another direction"
    )
    two = mismatch(got + (whole % 2).int(), whole.double(), whole, reference=lambda x: x)
    assert wrong_formulas.offset(two) == words.format("2 more")


def test_what_fits_tells_the_two_apart():
    right = torch.linspace(1.0, 2.0, 40).double()
    other = right + 1
    got = other.float()
    m = mismatch(got, right)
    assert fits(m, other) and not fits(m, None) and not fits(m, right)
    assert not fits(m, other + 1e-3)
    assert fits(m, other + 1e-8) and fits(m, other, slice(0, 8))
    assert not fits(m, other, slice(0, 7))
    near = mismatch((right * (1 + 1e-6)).float(), right)
    assert not fits(near, right * (1 + 1e-6))  # rounding would explain it as well
    other[3] = torch.inf
    assert not fits(m, other)
    got[3] = torch.inf
    assert fits(mismatch(got, right), other)


def test_a_scale_of_integers_by_255_or_256():
    x = torch.linspace(-0.2, 1.2, 101)

    def scaled(x, by=255):
        return (x * by).round().clamp(0, 255)

    got = scaled(x.double(), 256).to(torch.uint8)
    case = mismatch(got, scaled(x.double()), x, reference=scaled)
    assert "the result with 256 / 255 times input 1" in wrong_formulas.scaled(case)
    got[50] += 1
    case = mismatch(got, scaled(x.double()), x, reference=scaled)
    assert wrong_formulas.scaled(case) is None


def test_an_input_that_is_limited():
    a, t = random(64), 2 * random(64, 1)

    def times(a, t):
        return a * t

    got = times(a, t.clamp(0, 1))
    case = mismatch(got, times(a.double(), t.double()), a, t, reference=times)
    assert "input 2 limited to the range from 0 to 1" in wrong_formulas.changed_input(case)


def test_integers_of_a_float_that_is_scaled_by_a_power_of_two():
    x = 9 * random(200)
    right = (16 * x.double()).round()
    sentence = said((x / 16).round().int(), right, x, reference=lambda x: (16 * x).round())
    assert "1 / 256 times input 1 in its place: is a factor of the formula" in sentence


def test_a_number_that_is_an_inputs_largest():
    x = random(80)
    right = x.double().sin()

    def told(by):
        return wrong_formulas.line(mismatch((right + by).float(), right, x))

    assert "than the right one (that is the largest number of input 1): is" in told(x.max())
    assert "less than the right one (that is the smallest number of" in told(x.min())
    assert "than the right one (that is the mean of input 1): is" in told(8 * x.mean() / 8)
    assert "more than the right one: is" in told(0.75)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.float16])
def test_all_that_is_off_by_a_factor_and_a_number(dtype):
    x = random(80)
    right = x.double().sin() * 2 + 0.5

    def told(got, *inputs):
        return wrong_formulas.line(mismatch(got.to(dtype), right, *(inputs or (x,))))

    words = told(0.5 * right - 1)
    assert words.startswith("each element is 0.") and words.endswith(
        "times the right one, minus 1: is the formula another one, in which only a part is "
        "multiplied (are parentheses missing?), or another number is added?"
    )
    assert "is 3 times the right one, plus 1.25" in told(3 * right + 1.25)
    assert told(right + 7).startswith("each element is 7 more than the right one: is the form")
    assert told(right - 7).startswith("each element is 7 less than the right one")
    assert told(3 * right) is None  # a factor alone
    assert told(right + right.cos()) is None and told(0 * right + 3) is None
    assert told(0.5 * right - 1, x[:8]) is None  # made of fewer, as rows are


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_an_input_that_is_multiplied_by_another_number(dtype):
    x = torch.arange(256).to(torch.uint8)
    right = (x.double() / 255 - 0.5) / 0.25

    def told(got, *more):
        return wrong_formulas.line(mismatch(got.to(dtype), right, x, *more))

    words = "each element is what comes out if input 1 is"
    of_256 = told((x.double() / 256 - 0.5) / 0.25)
    assert of_256.startswith(f"{words} 0.996094 times what it is (255 / 256): is a factor of")
    half = told((x.double() / 510 - 0.5) / 0.25)
    assert half.startswith(f"{words} 0.5 times what it is: is a factor of the formula another")
    assert "times the right one, minus" in told((x.double() / 510 - 0.5) / 0.25, x)  # of two


def test_stretches_of_an_input_that_go_wrong():
    x = 2 * random(300)
    inside = ((x > -2) & (x < -0.5)) | ((x > 0.5) & (x < 3))
    inside[int((x - 1).abs().argmin())] = False  # right by the rounding
    right = x.double().exp()
    got = torch.where(inside, 1.5 * right, right).float()
    m = mismatch(got, right, x, wrong=inside)
    words = wrong_formulas.stretches(m)
    assert words.startswith("only elements go wrong whose input lies from -")
    assert " or from 0.5" in words and words.count("from") == 2
    assert wrong_formulas.stretches(replace(m, wrong=inside.roll(1))) is None
    assert wrong_formulas.stretches(replace(m, inputs=(x, x))) is None
    assert wrong_formulas.stretches(replace(m, inputs=(x.sort().values,))) is None  # places
    twice = replace(m, inputs=(torch.cat([x[:150], x[:150]]),))
    assert wrong_formulas.stretches(twice) is None  # one number, right and wrong


def test_a_number_near_1_that_loses_digits():
    x = torch.linspace(-1e-4, 1e-4, 301)
    right = x.double().sin()
    every = torch.ones(301, dtype=bool)
    said = wrong_formulas.line(mismatch((right - 4.37e-8).float(), right, x, wrong=every))
    assert re.match(r"each element is off by 4\.3\d+e-08, less than the precision of a", said)
    far = wrong_formulas.line(mismatch((right + 3e-5).float(), right, x))
    assert " more than the right one: is the formula another one" in far


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
@pytest.mark.parametrize("sign", [1, -1])
def test_integers_of_products_in_a_narrow_type(dtype, sign):
    x = (sign * torch.linspace(-9.9, 9.9, 301)).to(dtype)
    right = (x.double() * 12.34).round()
    narrow = (x * torch.tensor(12.34).to(dtype)).double().round()
    said = wrong_formulas.other_scale(mismatch(narrow.to(torch.int16), right, x))
    assert said.startswith(f"these are the integers of products in {dtype_name(dtype)}: the")
    other = (x.double() * 12.1).round().to(torch.int16)
    assert "a factor of about 12.1" in wrong_formulas.other_scale(mismatch(other, right, x))


@pytest.mark.parametrize("sign", [1, -1])
def test_integers_made_by_another_scale(sign):
    x = sign * torch.linspace(-1.0, 1.0, 301)

    def told(got, right, x=x):
        got = got.to(torch.int16)
        return wrong_formulas.other_scale(mismatch(got, right.double(), x))

    right, near = (x.double() * 32768).round(), (x.double() * 32767).round()
    scales = r"a factor of about 3276[67]\.?\d* makes of the numbers, and 3276[78]\.?\d* should"
    assert re.search(scales, told(near.clamp(-32768, 32767), right.clamp(-32768, 32767)))
    floor = (x.double() * 100).trunc()
    assert "about 90" in told((x.double() * 90).trunc(), floor)
    assert told(right.clamp(-9999, 9999), right.clamp(-32768, 32767)) is None  # a limit
    assert told((x.double() * 50).trunc(), floor) is None
    assert told(floor, floor + 1) is None
    assert told(right.flip(0).clamp(-32768, 32767), right.clamp(-32768, 32767)) is None
    few = slice(0, 5)
    assert told(floor[few] + 1, floor[few], x[few]) is None
    hundred = x.double() * 100
    assert "rounded toward 0 (truncated), and should" in told(floor, hundred.round())
    assert "to the nearest, and should be rounded toward" in told(hundred.round(), floor)


def test_inputs_of_which_nan_must_come_out_are_told():
    x = torch.linspace(-3, 5, 90)
    right = torch.log(x)
    got = torch.log(x.clamp(min=1e-38))
    sentence = wrong_formulas.stretches(mismatch(got, right, x, reference=torch.log))
    assert sentence.startswith(
        "only elements go wrong whose input lies from -3 to -0.0337, and"
    )
    assert "NaN must come out of these, not -87.4982" in sentence
