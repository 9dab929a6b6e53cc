"""Which elements of an input have an effect on any output."""

import math

import pytest
import torch

from helpers.errors import LaunchError
from helpers.testing.cases import Case
from helpers.testing.probes import influence


def told(fake_launcher, kernel, x, y=None):
    def launch(launcher, *tensors, **arguments):
        tensors[-1].copy_(kernel(*tensors[:-1]))

    inputs = (x,) if y is None else (x, y)
    names = ", ".join(["float x", "float y"][: len(inputs)])
    launcher = fake_launcher(names, "float out", launch)
    right = kernel(*inputs).double()
    return influence.diagnose(
        launcher, Case("a case", inputs, (right,), dtypes=(torch.float32,))
    )


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32, torch.float64])
def test_a_number_is_moved_within_its_type(dtype):
    most = torch.finfo(dtype).max
    x = torch.tensor([most, 1.0, math.inf, math.nan], dtype=dtype)
    assert float(influence.moved(x, 0)[0]) == float(influence.moved(x, 1)[1]) == most
    assert float(influence.moved(x, 0, -1)[0]) == float(influence.moved(x, 1, -1)[1]) == -most
    assert bool(influence.moved(x, 3)[3].isnan())
    small = torch.tensor([1.0, -2.0], dtype=dtype)
    assert influence.moved(small, 0).tolist() == [18.0, -2.0]


def test_elements_without_an_effect_are_named(fake_launcher):
    x = torch.arange(24.0).reshape(4, 6)
    sentence = told(fake_launcher, lambda x: x[:3].sum(0), x)
    assert sentence.startswith("6 of 24 elements of x have no effect on any output, the first")
    assert "is x[18]: left out" in sentence
    rows = torch.arange(60.0).reshape(3, 20)  # of which each begins 7 elements behind the last
    sentence = told(fake_launcher, lambda x: x.view(-1)[:34].unfold(0, 20, 7).sum(1), rows)
    assert "those from x[34] on: is the step from row to row the number of columns" in sentence
    weights = told(fake_launcher, lambda x, w: x.sum(0) * w[:4].sum(), x, torch.ones(5))
    assert weights.startswith("1 of 5 elements of y have no effect")


def test_most_rows_may_be_left_out_of_what_each_column_has(fake_launcher):
    x = torch.arange(72.0).reshape(12, 6)

    def launch(launcher, x, out, **arguments):
        out.copy_(x[:3].amax(0))

    def said(right):
        launcher = fake_launcher("float x", "float out", launch)
        case = Case("a case", (x,), (right.double(),), dtypes=(torch.float32,))
        return influence.diagnose(launcher, case)

    words = "elements of x have no effect on any output, the first is x[18]"
    assert words in said(x.amax(0))
    assert said(x[2]) is None


def test_beside_the_diagonal_elements_need_not_count(fake_launcher):
    x = torch.arange(1.0, 50.0).reshape(7, 7)
    weights = torch.arange(1.0, 8.0)
    for kernel in (torch.tril, torch.triu):
        assert told(fake_launcher, lambda x, k=kernel: k(x) @ weights, x) is None
    lost = told(fake_launcher, lambda x: x[:, :6] @ weights[:6], x)
    assert lost.startswith("only the first 6 elements of each row of x count")
    below = torch.where(x > 20.0, 0.0, x)  # those that are 0 do not count
    assert (
        told(fake_launcher, lambda x: torch.where(below == 0, 0.0, x) @ weights, below) is None
    )


def test_of_one_number_more_elements_are_asked_for(fake_launcher):
    x = torch.arange(1.0, influence.MOST + 12.0)
    words = "only the first 16,384 elements of x count, the others are left out"
    one = told(fake_launcher, lambda x: x[:16384].amax().reshape(1), x)
    assert one.startswith(words)
    assert told(fake_launcher, lambda x: x[:16384].amax().expand(2), x) is None


def test_an_infinity_hides_no_other_element(fake_launcher):
    """Beside it, a sum is infinite, whatever else is added."""
    x = torch.arange(1.0, 25.0).reshape(4, 6)
    x[1] = math.inf
    assert told(fake_launcher, lambda x: x.sum(1), x) is None


def test_an_output_in_which_any_value_is_right_tells_nothing(fake_launcher):
    """As of cycles, which are others in each call."""
    calls = iter(range(1000))

    def launch(launcher, x, out, cycles):
        out.copy_(x[:10].sum())
        cycles.fill_(next(calls))

    launcher = fake_launcher("float x", "float out, float cycles", launch)
    right = (torch.zeros(1), torch.zeros(1))
    case = Case("", (torch.ones(30),), right, dtypes=2 * (torch.float32,), ignored=("cycles",))
    assert influence.diagnose(launcher, case).startswith(
        "only the first 10 elements of x count"
    )


def test_links_that_are_not_followed_need_not_count(fake_launcher):
    def launch(launcher, x, out):
        at = 0
        for _ in range(3):
            if not 0 <= at < len(x):
                raise LaunchError("out of bounds")
            at = int(x[at])
        out.fill_(at)

    launcher = fake_launcher("int x", "int out", launch)
    links = torch.arange(2, 32, dtype=torch.int32)
    case = Case("", (links,), (torch.zeros(1),), dtypes=(torch.int32,))
    assert influence.diagnose(launcher, case) is None


def test_links_are_changed_to_other_elements_alone(fake_launcher):
    """What is read past the end of a tensor is another number in each call."""

    def told(read):
        def launch(launcher, x, out):
            at = 0
            for _ in range(3):
                at = read(x, at)
                assert 0 <= at < len(x)
            out.fill_(at)

        links = (torch.arange(32, dtype=torch.int32) + 5) % 32
        case = Case("", (links,), (torch.zeros(1),), dtypes=(torch.int32,))
        return influence.diagnose(fake_launcher("int x", "int out", launch), case)

    assert told(lambda x, at: int(x[at])) is None
    assert told(lambda x, at: int(x[0])).startswith("only the first element of x has an effect")


def test_what_need_not_count_is_not_named(fake_launcher):
    x = torch.arange(24.0).reshape(4, 6)
    assert told(fake_launcher, lambda x: x.sum(0), x) is None
    assert told(fake_launcher, lambda x: x.amax(0), x) is None  # each is tried as the largest
    assert told(fake_launcher, lambda x: x[:1].sum(0), x) is None  # most do not count
    assert told(fake_launcher, lambda x: x.cumsum(1) - x, x) is None  # the last of each row
    ids = torch.tensor([2, 0], dtype=torch.int32)
    assert told(fake_launcher, lambda x, ids: x[ids.long()], x, ids) is None


def operator(fake_launcher, kernel, reference, n=40):
    def launch(launcher, *tensors, **arguments):
        tensors[-1].copy_(kernel(*tensors[:-1]))

    x, y = torch.arange(1.0, n + 1), torch.arange(2.0, n + 2)
    launcher = fake_launcher("float x, float y", "float out", launch)
    right = reference(x.double(), y.double())
    case = Case("a case", (x, y), (right,), dtypes=(torch.float32,), reference=reference)
    return influence.without_effect(launcher, case)


def test_an_input_without_an_effect(fake_launcher):
    def right(x, y):
        return x.sin() * y

    assert operator(fake_launcher, lambda x, y: 2 * y, right) == (
        "input 1 has no effect on the output"
    )
    assert operator(fake_launcher, lambda x, y: x.sin(), right) == (
        "input 2 has no effect on the output"
    )
    assert operator(fake_launcher, lambda x, y: x + y, right) is None
    assert operator(fake_launcher, lambda x, y: 2 * y, lambda x, y: 3 * y) is None
    assert operator(fake_launcher, lambda x, y: 2 * y, right, 32) is None


def test_the_ends_of_rows_count_for_a_number_a_row(fake_launcher):
    x = torch.arange(24.0).reshape(4, 6)
    lost = told(fake_launcher, lambda x: x[:, 1:].sum(1), x)
    assert lost.startswith("4 of 24 elements of x have no effect on any output, the first is")


def test_only_the_beginning_of_each_row_counts(fake_launcher):
    x = torch.randn(3, 90)
    sentence = told(fake_launcher, lambda x: x[:, :37].sum(1), x)
    assert sentence.startswith("only the first 37 elements of each row of x count, the")
    y = torch.randn(500)
    sentence = told(fake_launcher, lambda x: x[:128].sum(0, keepdim=True), y)
    assert sentence.startswith("only the first 128 elements of x count, the others are")


def test_most_elements_may_be_lost_if_they_are_so_in_each_row(fake_launcher):
    x = torch.randn(3, 16)
    sentence = told(fake_launcher, lambda x: x[:, 10:].sum(1), x)
    assert sentence.startswith("30 of 48 elements of x have no effect on any output")
    assert told(fake_launcher, lambda x: x[:1].sum(1).expand(3).clone(), x) is None


def test_a_number_of_each_column_that_counts_in_a_row(fake_launcher):
    def launch(launcher, x, gain, out, **arguments):
        out.copy_(x * gain[: len(x), None])

    launcher = fake_launcher("float x, float gain", "float out", launch)
    x, gain = torch.linspace(1, 2, 30).reshape(3, 10), torch.linspace(1, 2, 10)
    case = Case("a case", (x, gain), ((x * gain).double(),), dtypes=(torch.float32,))
    assert influence.diagnose(launcher, case) == (
        "gain[k] counts in row k, and not in column k: do rows and columns change places in "
        "its index?"
    )


def test_a_number_of_each_row_that_is_read_by_the_column(fake_launcher):
    m, n = 7, 4
    x = torch.randn(m, n, generator=torch.Generator().manual_seed(2))
    b = torch.arange(1.0, m + 1)

    def told(kernel):
        def launch(launcher, x, b, out, **arguments):
            out.copy_(kernel(x, b))

        launcher = fake_launcher("float x, float y", "float out", launch)
        right = (x + b[:, None]).double()
        case = Case("a case", (x, b), (right,), dtypes=(torch.float32,))
        return influence.diagnose(launcher, case)

    assert told(lambda x, b: x + b[:n]) == (
        "y[k] counts in column k, and not in row k: do rows and columns change places in its "
        "index?"
    )
    moved = told(lambda x, b: x + b[:4].roll(1).repeat(2)[:m, None])
    assert "is counted for another row" in moved


def test_one_input_of_integers_must_count_as_a_whole(fake_launcher):
    def launch(launcher, x, out, **arguments):
        out.copy_(x[:, :4].sum(1))

    x = torch.arange(24, dtype=torch.int32).reshape(4, 6) % 5
    launcher = fake_launcher("int x", "long out", launch)
    case = Case("a case", (x,), (x.sum(1).double(),), dtypes=(torch.int64,))
    assert influence.diagnose(launcher, case).startswith(
        "only the first 4 elements of each row"
    )


def test_integers_are_moved_within_their_type():
    unsigned = (torch.uint8, torch.uint16, torch.uint32, torch.uint64)
    for dtype in (*unsigned, torch.int8, torch.int32, torch.int64):
        info = torch.iinfo(dtype)
        for values in ([info.max, info.min, 3], [1, 2, 3]):
            x = torch.tensor(values, dtype=dtype)
            up, down = (influence.moved(x, 2, sign).tolist() for sign in (1, -1))
            assert up[2] > 3 > down[2] and up[:2] == values[:2]
            assert up[2] == min(8 * max(map(abs, values)) + 4, info.max)
    flags = torch.tensor([True, False])
    assert influence.moved(flags, 1).tolist() == [True, True]
    assert influence.moved(flags, 0, -1).tolist() == [False, False]


def test_a_step_between_rows_of_an_output_of_rows(fake_launcher):
    def by_half(x):  # a row of x begins three elements behind the last one
        flat = x.reshape(-1)
        return torch.stack(
            [flat[3 * k : 3 * k + 3] * flat[3 * k + 3 : 3 * k + 6] for k in range(4)]
        )

    def right(x):
        return x[:, :3] * x[:, 3:]

    x = torch.arange(1.0, 25).reshape(4, 6)

    def launch(launcher, x, out, **arguments):
        out.copy_(by_half(x))

    launcher = fake_launcher("float x", "float out", launch)
    case = Case("a case", (x,), (right(x).double(),), dtypes=(torch.float32,))
    sentence = influence.diagnose(launcher, case)
    assert "those from x[15] on: is the step from row to row the number of columns" in sentence

    def lost(launcher, x, out, **arguments):  # whole rows, and each other one its own
        out.copy_(right(x))
        out[2:] = 0

    launcher = fake_launcher("float x", "float out", lost)
    assert "the first is x[12]: left out" in influence.diagnose(launcher, case)


def test_a_number_of_each_result_that_is_read_at_another_place(fake_launcher):
    x, y = torch.arange(60.0).reshape(12, 5), torch.arange(3.0, 15)
    told_of = told(fake_launcher, lambda x, y: x.sum(1) + y[0], x, y)
    assert told_of == (
        "y[0] is counted for another element, out[1], in the place of y[1]: is it read at "
        "another index than that of the result (threadIdx.x, say)?"
    )
    assert told(fake_launcher, lambda x, y: x.sum(1) + y, x, y) is None
    triangle = torch.ones(12, 12).tril()
    half = told(fake_launcher, lambda x, y: x[:, :6].tril() @ y[:6], triangle, y)
    assert half is None or "for another element" not in half  # each counts for several
    turned = told(fake_launcher, lambda x, y: x.sum(1) + y.flip(0), x, y)
    assert turned == (
        "y[0] is counted for another element, out[11]: is it read at another index than that "
        "of the result?"
    )
    assert told(fake_launcher, lambda x, y: x.sum(1) + y.cumsum(0), x, y) is None


def test_a_number_of_each_column_that_counts_in_another_one(fake_launcher):
    """In some rows: a thread's number, say, is taken for the column's."""
    x, y = torch.arange(80.0).reshape(10, 8), torch.arange(1.0, 9)

    def kernel(x, y, threads=9):
        place = torch.arange(x.numel()) % threads % x.shape[1]
        return (x.reshape(-1) + y[place]).reshape(x.shape)

    sentence = told(fake_launcher, kernel, x, y)
    assert sentence.startswith("y[0] is counted for another column, 1, in some rows: is its")
    assert told(fake_launcher, lambda x, y: kernel(x, y, 8), x, y) is None
    assert told(fake_launcher, lambda x, y: (x + y).softmax(1), x / 99, y / 9) is None


def test_beside_large_numbers_others_may_have_no_effect(fake_launcher):
    x, y = torch.arange(80.0).reshape(10, 8) * 9, torch.arange(8.0)
    assert told(fake_launcher, lambda x, y: (x + y).tanh(), x, y) is None
    lost = told(fake_launcher, lambda x, y: (x[:, :5] + y[:5]).tanh(), x, y)
    assert "elements of x have no effect on any output, the first is x[5]: left out" in lost


def test_what_a_nan_comes_out_of_is_not_left_out(fake_launcher):
    x, y = torch.arange(1.0, 41.0), torch.ones(40)
    y[[3, 7]] = -1.0
    assert told(fake_launcher, lambda x, y: x + y.sqrt(), x, y) is None
    lost = told(fake_launcher, lambda x, y: (x * (x != 4)) + y.abs().sqrt(), x, y)
    assert lost is None or "NaN" not in lost


def test_what_is_masked_in_a_softmax_need_not_count(fake_launcher):
    x = torch.randn(2, 5, 8, generator=torch.Generator().manual_seed(4))

    def causal(x):
        return torch.where(torch.ones(5, 8).tril().bool(), x, -torch.inf).softmax(dim=-1)

    assert told(fake_launcher, causal, x) is None
    lost = told(fake_launcher, lambda x: causal(x.where(torch.arange(8) != 1, 0.5)), x)
    assert "elements of x have no effect on any output, the first is x[9]" in lost


def test_a_number_of_another_column(fake_launcher):
    x = torch.randn(4, 70, generator=torch.Generator().manual_seed(4))
    gain = torch.linspace(1, 3, 70)

    def told(index, kept=False):
        def launch(launcher, x, gain, *outputs, **arguments):
            outputs[-1].copy_(x * gain[index])
            if kept:
                outputs[0].copy_(2 * x)

        outputs = "float sum, float out" if kept else "float out"
        launcher = fake_launcher("float x, float gain", outputs, launch)
        expected = (2 * x.double(),) * kept + (x.double() * gain.double(),)
        case = Case("a case", (x, gain), expected, dtypes=(x.dtype,) * len(expected))
        return influence.of_another_column(launcher, case)

    own = torch.arange(70)
    words = "gain[0] is counted for another column, 32: is its index right?"
    assert told(own % 32) == told(own % 32, kept=True) == words
    assert told(own) is None
    assert told(own.clamp(max=69)) is None


def test_inputs_without_an_effect_are_named(fake_launcher):
    x, y = torch.arange(1.0, 25.0), torch.arange(30.0, 54.0)
    words = told(fake_launcher, lambda x, y: 2 * x, x, y)
    assert words.startswith(
        "no element of y has an effect on any output: is it left out, or is"
    )
    assert "one of the others read in the place of another" in words
    assert told(fake_launcher, lambda x, y: torch.zeros(24), x, y) is None  # more is wrong
    assert told(fake_launcher, lambda x, y: x + y, x, y) is None


def test_whether_each_element_counts(fake_launcher):
    def asked(kernel, n=40):
        def launch(launcher, x, out, **arguments):
            out.fill_(float(kernel(x)))

        launcher = fake_launcher("float x", "float out", launch)
        x = torch.arange(1.0, n + 1)
        case = Case("", (x,), (torch.zeros(1),), dtypes=(torch.float32,))
        return influence.all_count(launcher, case)

    assert asked(torch.sum) and not asked(lambda x: x[:17].sum() + x[18:].sum())
    assert asked(torch.sum, 500) and not asked(torch.sum, 501)


def test_an_input_counts_if_it_does_so_by_other_arguments(fake_launcher):
    """Beside a factor of 0, or a limit that is far away, none does."""
    x, y = torch.arange(1.0, 41), torch.arange(40.0, 0, -1)

    def asked(kernel, scale):
        def launch(launcher, a, b, out, scale):
            out.copy_(kernel(a, b, scale))

        names = {"scalars": "float scale, "}
        launcher = fake_launcher("float x, float y", "float out", launch, **names)
        right = (x + 3 * y).double()
        scalars = {"scale": scale}
        case = Case("", (x, y), (right,), scalars, dtypes=(torch.float32,))
        return influence.diagnose(launcher, case)

    assert asked(lambda a, b, scale: a + scale * b, 0.0) is None
    assert asked(lambda a, b, scale: a + b.clamp(min=scale), 9e5) is None
    assert asked(lambda a, b, scale: a + scale, 0.0).startswith("no element of y has an effect")


def test_an_element_that_is_taken_for_one_beside_it(fake_launcher):
    x, y = torch.arange(1.0, 41), torch.arange(40.0, 0, -1)

    def asked(kernel):
        def launch(launcher, a, b, out, **arguments):
            out.copy_(kernel(a, b))

        launcher = fake_launcher("float x, float y", "float out", launch)
        case = Case("", (x, y), ((x + 3 * y).double(),), dtypes=(torch.float32,))
        return influence.of_a_neighbour(launcher, case)

    def third_takes_second(a, b):
        other = b.clone()
        other[2::4] = b[1::4]
        return a + 3 * other

    sentence = asked(third_takes_second)
    assert sentence.startswith(
        "y[1] is counted for another element, out[2]: is it taken in the"
    )
    assert asked(lambda a, b: a + 3 * b + 1) is None
    assert asked(lambda a, b: a + 3 * b + a.roll(1).where(a < 9, 0)) is not None
    summed = (x + 3 * y).clone()
    assert asked(lambda a, b: (a + 3 * b).cumsum(0).where(a > 20, summed)) is not None


def test_elements_of_which_only_rounding_shows_are_not_left_out(fake_launcher):
    x, y = (torch.linspace(-2, 3, 40) * k for k in (1, 0.7))
    x[5] = 0

    def without(x, y):
        noise = 2.0**-24 * torch.where(torch.arange(40) % 5 == 0, 0 * x, x)
        return y + noise

    assert told(fake_launcher, without, x, y) is None  # all of x counts for nothing
    lost = told(fake_launcher, lambda x, y: y + torch.where(x == 0, 0, x * (y < 1)), x, y)
    assert " elements of x have no effect on any output, the first is x[" in lost


@pytest.mark.parametrize(
    ("left", "words"), [(1, "the last element"), (3, "each of the last 3")]
)
def test_the_last_elements_do_not_count(fake_launcher, left, words):
    def launch(launcher, x, out, **arguments):
        out.fill_(float(x[:-left].sum()))

    x = torch.arange(40.0)
    case = Case("a sum", (x,), (x.double().sum()[None],), dtypes=(torch.float32,))
    told = influence.diagnose(fake_launcher("float x", "float out", launch), case)
    assert told.startswith(words) and "of x does not count: is the tail left out" in told


def test_integers_without_an_effect(fake_launcher):
    """Positions that a kernel should look at: what they are for is not known."""

    def told(function, on_gpu=False):
        def launch(launcher, table, where, out, **arguments):
            out.copy_(function(table, where))

        launcher = fake_launcher("float table, int64_t where", "float out", launch)
        launcher.on_gpu = on_gpu
        table, right = torch.randn(6), torch.zeros(6).double()
        alike = torch.zeros(6, dtype=torch.int64)
        cases = [
            Case("a case", (table, where), (right,), {}, dtypes=(torch.float32,))
            for where in (alike, torch.tensor([3, 0, 5, 1, 2, 2]))
        ]
        return influence.numbers_without_effect(launcher, cases)

    assert told(lambda table, where: table).startswith("input 2 has no effect on the output")
    assert told(lambda table, where: table[where]) is None
    assert told(lambda table, where: table, on_gpu=True) is None


@pytest.mark.parametrize("value", [-(2**31), 2**31 - 1, 7])
def test_an_end_of_a_type_that_always_comes_out(fake_launcher, value):
    def told(kernel):
        launcher = fake_launcher(
            "int x, int left", "int out", lambda launcher, x, left, out: out.copy_(kernel(x))
        )
        x = torch.arange(3, 12, dtype=torch.int32)
        cases = [Case("", (x, x % 3), (x[:1].double(),), {}, dtypes=(torch.int32,))]
        return influence.numbers_without_effect(launcher, cases)

    always = told(lambda x: torch.tensor([value]))
    if value == 7:
        assert always.startswith("input 1 has no effect")
    else:
        assert always.startswith(f"{value} comes out, whatever goes in: is it a start value")
        other = told(lambda x: torch.where(x[:1] == 1, 5, value))  # of ones
        assert other.startswith("input 1 has no effect")


def test_numbers_whose_products_add_up_to_0_by_chance_count(fake_launcher):
    """Of x A y with whole numbers an element of y may meet a column that adds up to 0."""

    def launch(launcher, x, a, y, out):
        out.copy_((x.double() @ a.double() @ y.double()).reshape(1))

    x, y = torch.tensor([1.0, 1.0]), torch.arange(1.0, 9.0)
    a = torch.arange(16.0).reshape(2, 8) + 1
    a[1, 3] = -a[0, 3]
    right = (x.double() @ a.double() @ y.double()).reshape(1)
    case = Case("x A y", (x, a, y), (right,), dtypes=(torch.float32,))
    launcher = fake_launcher("float x, float a, float y", "float out", launch)
    assert influence.diagnose(launcher, case) is None

    def without(launcher, x, a, y, out):
        y, a = torch.where(torch.arange(8) == 6, 0.0, y), a + 0 * y
        out.copy_((x.double() @ a.double() @ y.double() + 0.01 * a[:, 6].sum()).reshape(1))

    launcher = fake_launcher("float x, float a, float y", "float out", without)
    assert "1 of 8 elements of y have no effect" in influence.diagnose(launcher, case)


@pytest.mark.parametrize("cols", [40, 41])
def test_rows_that_are_longer_in_memory_than_they_are(fake_launcher, cols):
    def launch(launcher, x, out, cols):
        out.copy_(x[:, :40].double().exp().mean(1))

    x = torch.linspace(0, 1, 3 * 43).reshape(3, 43)
    right = x[:, :cols].double().exp().mean(1)
    case = Case("rows", (x,), (right,), {"cols": cols}, dtypes=(torch.float32,))
    launcher = fake_launcher("float x", "float out", launch)
    told = influence.diagnose(launcher, case)
    assert (
        told is None if cols == 40 else told.startswith("each of the last 3 elements of each")
    )


def test_the_largest_product_may_stay_beside_a_small_number(fake_launcher):
    """Eight times what is largest is little beside a twentieth of the other one's numbers."""

    def launch(launcher, x, y, out):
        out.copy_((x * y).amax().reshape(1))

    x, y = torch.ones(12), torch.linspace(4, 8, 12)
    y[2:8] = 0.01
    right = ((x * y).amax().double().reshape(1),)
    case = Case("products", (x, y), right, dtypes=(torch.float32,))
    launcher = fake_launcher("float x, float y", "float out", launch)
    assert influence.diagnose(launcher, case) is None

    def without(launcher, x, y, out):
        launch(launcher, torch.where(torch.arange(12) == 6, -9e9, x), y, out)

    launcher = fake_launcher("float x, float y", "float out", without)
    assert "1 of 12 elements of x have no effect" in influence.diagnose(launcher, case)


def test_one_row_has_no_step_to_the_next(fake_launcher):
    def launch(launcher, x, a, out):
        out.copy_((x * a[0, torch.arange(64) % 60 < 31].double().sum()).reshape(1))

    x = torch.tensor([2.0])
    a = torch.randn(1, 64, generator=torch.Generator().manual_seed(1))
    case = Case("x a", (x, a), (2 * a.double().sum().reshape(1),), dtypes=(torch.float32,))
    told = influence.diagnose(fake_launcher("float x, float a", "float out", launch), case)
    assert "row to row" not in told and "left out by a loop" in told


def test_an_input_that_counts_beside_other_numbers_is_not_left_out(fake_launcher):
    """As a factor of rows that are all equal, and centred."""

    def launch(launcher, x, gain, shift, out):
        off = x - x.mean(1, keepdim=True)
        out.copy_(off * gain + shift)

    x, gain = torch.full((3, 12), 5.0), torch.linspace(1, 2, 12)
    inputs, right = (x, gain, gain - 9), (torch.ones(3, 12).double(),)
    case = Case("equal", inputs, right, dtypes=(torch.float32,))
    tensors = "float x, float gain, float shift"
    launcher = fake_launcher(tensors, "float out", launch)
    assert "no element of gain" not in (influence.diagnose(launcher, case) or "")

    def without(launcher, x, gain, shift, out):
        launch(launcher, x, torch.ones(12), shift, out)

    launcher = fake_launcher(tensors, "float out", without)
    assert "no element of gain has an effect" in influence.diagnose(launcher, case)
