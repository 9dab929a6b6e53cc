"""What a search for a place in each row takes for the largest number."""

from dataclasses import replace

import pytest
import torch

from helpers.testing.cases import Case
from helpers.testing.patterns.wrong_rows import BY_BITS, PLACE_OF, keys_of_bits
from helpers.testing.probes import row_places

NAMES = {
    torch.float32: "float",
    torch.int32: "int",
    torch.int16: "short",
    torch.float16: "half",
}


def told(fake_launcher, kernel, right=lambda x: x.argmax(1)):
    def launch(launcher, x, out, **arguments):
        out.copy_(kernel(x))

    x = torch.randn(3, 9, generator=torch.Generator().manual_seed(1))
    launcher = fake_launcher("float x", "int out", launch)
    case = Case("a case", (x,), (right(x).double(),), dtypes=(torch.int32,))
    return row_places.diagnose(launcher, case)


def from_zero(x):
    """Search as from 0 at place 0 on."""
    return torch.where(x.amax(1) > 0, x.argmax(1), 0)


def test_a_search_that_starts_with_zero(fake_launcher):
    sentence = told(fake_launcher, from_zero)
    assert sentence.startswith("wrong where all numbers of a row are negative: does the search")
    assert "as the largest one" in sentence
    sentence = told(fake_launcher, lambda x: from_zero(-x), lambda x: x.argmin(1))
    assert "are positive: does the search start with 0, as the smallest one" in sentence


def test_a_search_by_the_amount(fake_launcher):
    sentence = told(fake_launcher, lambda x: x.abs().argmax(1))
    assert sentence == PLACE_OF.format("largest absolute", "largest")


@pytest.mark.parametrize("dtype", [torch.float32, torch.int16, torch.float16])
@pytest.mark.parametrize(
    ("part", "words"),
    [
        (lambda place: place % 24, row_places.IN_ITS_PACK.format(24)),
        (lambda place: place // 32, row_places.NUMBER_OF_PACK.format(32)),
        (lambda place: place // 8 * 8, row_places.OF_ITS_PACK.format(8)),
    ],
)
def test_a_part_of_a_place(fake_launcher, part, words, dtype):
    def told(kernel, of, columns=100):
        def launch(launcher, x, out, **arguments):
            out.copy_(kernel(x))

        x = (
            torch.randn(3, columns, generator=torch.Generator().manual_seed(1))
            .mul(64)
            .to(dtype)
        )
        launcher = fake_launcher(f"{NAMES[dtype]} x", "int out", launch)
        case = Case("a case", (x,), (of(x).double(),), dtypes=(torch.int32,))
        return row_places.diagnose(launcher, case)

    for of in (lambda x: x.argmax(1), lambda x: x.argmin(1)):
        assert told(lambda x, of=of: part(of(x)), of) == words
        assert told(of, of) is None
        assert told(lambda x, of=of: part(of(x)) + (of(x) > 90), of) is None
        assert told(lambda x, of=of: part(of(x)), of, 6) is None  # all in one part


def test_what_is_no_such_search(fake_launcher):
    assert told(fake_launcher, lambda x: x.argmax(1)) is None
    assert told(fake_launcher, lambda x: x[:, 1:].argmax(1) + 1) is None  # 0 is left out
    assert told(fake_launcher, from_zero, lambda x: x.sum(1).int()) is None


def test_a_count_is_no_place_where_other_cases_say_so(fake_launcher):
    """One that is the place of the largest number by chance."""

    def launch(launcher, x, out, **arguments):
        out.copy_(torch.zeros(1))

    def case_of(place):
        x = torch.arange(20.0).roll(place + 1)
        right = (torch.tensor([float(place)]).double(),)
        return Case("a case", (x,), right, dtypes=(torch.int32,))

    launcher = fake_launcher("float x", "int out", launch)
    case, other = case_of(7), case_of(12)
    always_0 = row_places.ALWAYS_0.format("largest")
    assert row_places.diagnose(launcher, case) == always_0
    assert row_places.diagnose(launcher, case, [other, case_of(3)]) == always_0
    counted = replace(other, expected=(torch.tensor([11.0]).double(),))
    assert row_places.diagnose(launcher, case, [other, counted]) is None
    with_nan = replace(counted, inputs=(counted.inputs[0].log(),))
    assert row_places.diagnose(launcher, case, [with_nan]) == always_0


def test_a_place_beside_the_number_itself(fake_launcher):
    def launch(launcher, x, out, place, **arguments):
        out.copy_(x.amax(1).clamp(min=0))
        place.copy_(from_zero(x))

    x = torch.randn(3, 9, generator=torch.Generator().manual_seed(1))
    launcher = fake_launcher("float x", "float out, long place", launch)
    expected = (x.amax(1).double(), x.argmax(1).double())
    case = Case("a case", (x,), expected, dtypes=(torch.float32, torch.int64))
    assert "does the search start with 0" in row_places.diagnose(launcher, case)


def of_array(fake_launcher, kernel, x, right=torch.argmax):
    """Ask about a kernel that finds the number and its place in an array."""

    def launch(launcher, x, out, place, **arguments):
        out.copy_(x.max())
        place.copy_(kernel(x))

    name = NAMES[x.dtype]
    launcher = fake_launcher(f"{name} x", f"{name} out, long place", launch)
    expected = (x.max().double().reshape(1), right(x).double().reshape(1))
    case = Case("a case", (x,), expected, dtypes=(x.dtype, torch.int64))
    return row_places.diagnose(launcher, case)


@pytest.mark.parametrize("dtype", [torch.float32, torch.int32, torch.int16])
@pytest.mark.parametrize("n", [2, 50])
def test_a_place_in_an_array(fake_launcher, dtype, n):
    x = (torch.randperm(n, generator=torch.Generator().manual_seed(3)) - n // 3).to(dtype)
    x[0], x[n - 1] = -n, n
    told = of_array(fake_launcher, lambda x: 0, x)
    assert told == row_places.ALWAYS_0.format("largest") and "start with 0" in told
    assert of_array(fake_launcher, torch.argmax, x) is None
    assert of_array(fake_launcher, lambda x: len(x) // 2, x) is None
    told = of_array(fake_launcher, lambda x: x.argmax() * bool(x.max() > 0), x)
    assert told.startswith("wrong where all numbers are negative: does the search start with 0")
    assert of_array(fake_launcher, lambda x: x.abs().argmax(), x) == (
        PLACE_OF.format("largest absolute", "largest")
    )


@pytest.mark.parametrize("of_sizes", [True, False])
def test_a_search_that_starts_beyond_small_numbers(fake_launcher, of_sizes):
    def key(x):
        return x.abs() if of_sizes else x

    def of_large_ones(x):
        return key(x).argmax() if key(x).max() > 1 else torch.tensor(-1)

    x = (torch.randperm(50, generator=torch.Generator().manual_seed(3)) - 30) / 64.0
    told = of_array(fake_launcher, of_large_ones, x, lambda x: key(x).argmax())
    assert told.startswith("the search starts with a number beyond these, of which none is")
    assert "right for the same numbers times 65,536" in told
    wrong = of_array(fake_launcher, lambda x: key(x).argmin(), x, lambda x: key(x).argmax())
    assert not str(wrong).startswith("the search starts")


def test_the_largest_size_may_be_what_is_searched(fake_launcher):
    x = torch.arange(50.0) - 49
    x[0] = -60
    told = of_array(fake_launcher, lambda x: x.abs().argmax() - 0, x, lambda x: x.argmin() + 0)
    assert told is None


def test_numbers_that_a_type_does_not_tell_apart_tell_no_place(fake_launcher):
    x = torch.linspace(0, 1, 3000).half()
    case = Case("a case", (x,), (torch.tensor([2999.0]).double(),), dtypes=(torch.int64,))
    launcher = fake_launcher(
        "half x", "long out", lambda launcher, x, out, **more: out.fill_(0)
    )
    assert row_places.diagnose(launcher, case) is None


@pytest.mark.parametrize("width", [32, 128, 1024])
@pytest.mark.parametrize("sign", [1, -1])
def test_a_place_that_does_not_move_along(fake_launcher, width, sign):
    """Each place is that of the best of the elements of the first thread."""

    def first(x):
        return width * (sign * x)[:, ::width].argmax(1)

    sentence = told(fake_launcher, first, lambda x: (sign * x).argmax(1))
    end = "largest" if sign > 0 else "smallest"
    assert sentence.startswith(
        f"each place is that of the {end} one of the elements 0, {width},"
    )
    sentence = told(fake_launcher, lambda x: first(x) + 1, lambda x: (sign * x).argmax(1))
    assert sentence is None


def test_places_by_the_bits_of_floats(fake_launcher):
    def place_of(kind, end):
        def places(x):
            keys = dict(keys_of_bits(x))[kind]
            return getattr(keys, end)(1)

        return places

    for kind in ("unsigned", "signed"):
        sentence = told(fake_launcher, place_of(kind, "argmin"), lambda x: x.argmin(1))
        assert sentence == BY_BITS.format(kind, "smallest")
    sentence = told(fake_launcher, place_of("unsigned", "argmax"))
    assert sentence == BY_BITS.format("unsigned", "largest")
    # The largest of several of both signs is that of their bits as signed integers.
    assert told(fake_launcher, place_of("signed", "argmax")) is None


def test_a_key_whose_number_does_not_count(fake_launcher, monkeypatch):
    """Its upper half is full of the sign of an int, so that the first place always wins."""
    x = torch.arange(50.0).roll(9)
    monkeypatch.setattr(row_places.reachable, "code", lambda launcher: "(Key)bits << 32 | ~i")
    told = of_array(fake_launcher, lambda x: 0, x)
    assert told == row_places.KEYS_LOSE.format("largest")
    told = of_array(fake_launcher, lambda x: 0, x, torch.argmin)  # the least key may be a start
    assert told is None or "key" not in told
