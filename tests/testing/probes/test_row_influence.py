"""Of which elements of a matrix each row of an output is made, and how often."""

import pytest
import torch

from helpers.testing.cases import Case
from helpers.testing.probes import row_influence


def made_of(fake_launcher, kernel, right, x):
    def launch(launcher, *tensors, **arguments):
        tensors[-1].copy_(kernel(*tensors[:-1]))

    launcher = fake_launcher("float x", "float out", launch)
    case = Case("a case", (x,), (right(x).double(),), dtypes=(torch.float32,))
    return row_influence.of_other_rows(launcher, case)


def test_an_output_that_is_made_of_other_rows(fake_launcher):
    x = torch.arange(15.0).reshape(3, 5)

    def by_column(x):
        return x.reshape(-1).reshape(5, 3).sum(0)

    def rows(x):
        return x.sum(1)

    assert made_of(fake_launcher, by_column, rows, x) == (
        "out[0] is made of x[0], x[3], x[6], ..., and not of row 0 alone: do rows and columns "
        "change places? x[row, column] is at row * columns + column"
    )
    short = made_of(fake_launcher, lambda x: x.reshape(-1)[:6].reshape(3, 2).sum(1), rows, x)
    assert short.startswith("out[1] is made of x[2], x[3], and not of row 1 alone: do rows")
    columns = made_of(
        fake_launcher, lambda x: x.reshape(-1).reshape(5, 3).sum(1), lambda x: x.sum(0), x
    )
    assert columns.startswith("out[0] is made of x[0], x[1], x[2], and not of column 0 alone")
    assert made_of(fake_launcher, lambda x: x.amax(1), rows, x) is None
    assert made_of(fake_launcher, lambda x: x[:, :3].sum(0), rows, x[:3, :3].clone()) is None
    large = torch.arange(401.0 * 2).reshape(401, 2)
    assert made_of(fake_launcher, lambda x: x.roll(1, 0).sum(1), rows, large) is None


def test_an_output_that_is_made_of_another_row(fake_launcher):
    x = torch.arange(15.0).reshape(3, 5)
    sentence = made_of(fake_launcher, lambda x: x.roll(-1, 0).sum(1), lambda x: x.sum(1), x)
    assert sentence == (
        "out[0] is made of row 1 of x, not of row 0: does a row begin at row * columns?"
    )


def test_a_column_in_the_place_of_a_row(fake_launcher):
    x = torch.arange(15.0).reshape(3, 5)
    sentence = made_of(fake_launcher, lambda x: x[:, :3].sum(0), lambda x: x.sum(1), x)
    assert sentence.startswith(
        "out[0] is made of elements of column 0 of x, and not of row 0: are row and column "
        "swapped in an index"
    )


@pytest.mark.parametrize("step", [1, 3])
@pytest.mark.parametrize("columns", [1, 5])
def test_a_result_that_goes_on_in_a_later_row(fake_launcher, step, columns):
    x = torch.arange(7.0 * columns).reshape(7, columns)

    def kept(x):
        """Return the largest number of each row and of those that come before it in a block."""
        most = x.amax(1)
        for k in range(step, len(x)):
            most[k] = torch.maximum(most[k], most[k - step])
        return most

    sentence = made_of(fake_launcher, kept, lambda x: x.amax(1), x)
    assert sentence.startswith(f"out[{step}] is made of row {step} of x, and of row 0, too: ")
    assert sentence.endswith("Give it its start value before each row")
    beside = made_of(fake_launcher, lambda x: (x + x.roll(1, 0)).sum(1), lambda x: x.sum(1), x)
    assert "start value" not in beside


def often(fake_launcher, kernel, right, *inputs):
    def launch(launcher, *tensors, **arguments):
        tensors[-1].copy_(kernel(*tensors[:-1]))

    names = ", ".join(["float x", "float y", "float z"][: len(inputs)])
    launcher = fake_launcher(names, "float out", launch)
    case = Case("a case", inputs, (right(*inputs).double(),), dtypes=(torch.float32,))
    return row_influence.counted_often(launcher, case)


def test_what_counts_more_than_once(fake_launcher):
    x, y = torch.randn(3, 20).double().float(), torch.randn(20)

    def product(x, y):
        return (x.double() * y.double()).sum(1)

    def twice(x, y):
        return (x * y).sum(1) + (x * y)[:, 10:].sum(1)

    sentence = often(fake_launcher, twice, product, x, y)
    assert sentence.startswith(
        "26 of 53 tried elements of x count more than once, the first, x[10]"
    )
    assert often(fake_launcher, lambda x, y: (x * y)[:, :10].sum(1), product, x, y) is None
    assert often(fake_launcher, twice, lambda x, y: product(x, y).exp(), x, y) is None
    assert often(fake_launcher, lambda x, y: (x + y).sum(1), product, x, y) is None
    three = often(
        fake_launcher,
        lambda x: 3 * x.sum(0, keepdim=True),
        lambda x: x.double().sum(0)[None],
        y,
    )
    assert three.startswith("each element counts more than once, 3 times: do so many threads")


@pytest.mark.parametrize(("alpha", "beta"), [(1.0, 0.0), (0.5, 2.0)])
def test_products_to_which_something_is_added(fake_launcher, alpha, beta):
    numbers = torch.Generator().manual_seed(3)
    x, y, z = (torch.randn(*shape, generator=numbers) for shape in ((6, 20), (20,), (6,)))

    def product(x, y, z, alpha=alpha):
        return alpha * (x.double() @ y.double()) + beta * z.double()

    def twice(x, y, z):
        return product(x, y, z) + product(x[:, 15:], y[15:], 0 * z)

    told = often(fake_launcher, twice, product, x, y, z)
    assert told.startswith(
        "15 of 63 tried elements of x count more than once, the first, x[15]"
    )
    assert often(fake_launcher, product, product, x, y, z) is None
    of_all = often(
        fake_launcher, lambda *some: product(*some, alpha=2 * alpha), product, x, y, z
    )
    assert (of_all is None) == (alpha != 1)  # that may be the factor
    assert often(fake_launcher, twice, lambda x, y, z: product(x, y, z).exp(), x, y, z) is None
    assert often(fake_launcher, twice, product, x[:3], y, z[:3]) is None  # few tell no factors


@pytest.mark.parametrize("dtype", [torch.int8, torch.uint8, torch.int32, torch.int64])
def test_integers_that_count_more_than_once(fake_launcher, dtype):
    def launch(launcher, x, out, **arguments):
        out[0] = x.sum() + 4 * x[-3:].sum()

    def told(x):
        case = Case("a case", (x,), (x.sum().double()[None],), dtypes=(torch.int64,))
        return row_influence.counted_often(launcher, case)

    launcher = fake_launcher("int8_t x", "int64_t out", launch)
    x = torch.arange(31).to(dtype)
    assert told(x).startswith("3 of 31 elements of x count more than once, the first, x[28], 5")
    assert told(x[:1]) is None  # it is its largest element, too
    assert told(torch.ones(0, dtype=dtype)) is None


def test_elements_of_rows_that_are_subtracted(fake_launcher):
    x = torch.arange(60.0).reshape(3, 20) - 25
    signs = 1 - 2 * (torch.arange(20) % 4 == 1).float()

    def told(weights):
        return often(
            fake_launcher, lambda x: (x * weights).sum(1), lambda x: x.double().sum(1), x
        )

    words = "tried elements are subtracted, the first is x[1]: must its sign be the other"
    assert words in told(signs)
    assert told(-torch.ones(20)) is None  # of all it is a factor
    assert told(2 * signs) is None and told(signs * (torch.arange(20) > 1)) is None


def test_a_mean_that_is_divided_by_another_count(fake_launcher):
    x = torch.linspace(-2, 3, 60).reshape(3, 20)

    def told(kernel, right):
        return often(fake_launcher, kernel, right, x)

    def of_rows(x):
        return x.double().mean(1)

    words = "20 times the right one: is the formula another one, in which the sum of a row is"
    assert words in told(lambda x: x.sum(1), of_rows)
    assert "3 times the right one" in told(lambda x: x.sum(0), lambda x: x.double().mean(0))
    assert "count more than once" in told(lambda x: 2 * x.mean(1), of_rows)


def of_length_one(x):
    return x / x.square().sum(1, True).sqrt()


def of_rows(fake_launcher, kernel, x, right=of_length_one):
    def launch(launcher, x, out, **arguments):
        out.copy_(kernel(x))

    launcher = fake_launcher("float x", "float out", launch)
    case = Case("a case", (x,), (right(x.double()),), dtypes=(torch.float32,))
    return row_influence.of_own_row(launcher, case)


def test_elements_that_do_not_count_for_their_row(fake_launcher):
    x = torch.linspace(-2, 3, 40).reshape(4, 10)
    told = of_rows(fake_launcher, lambda x: x / x[:, :8].square().sum(1, True).sqrt(), x)
    assert told.startswith(
        "2 of 10 elements of row 0 have no effect on the others of the row, the"
    )
    assert "first is x[8]" in told
    assert of_rows(fake_launcher, lambda x: x / x.square().sum(1, True).sqrt(), x) is None


def test_no_element_counts_for_its_row(fake_launcher):
    x = torch.linspace(-2, 3, 40).reshape(4, 10)
    none = of_rows(fake_launcher, lambda x: 2 * x, x)
    assert none == (
        "none of 10 elements of row 0 has an effect on the others of the row: are all left "
        "out of what a row is divided by, or of what is taken off, as by a loop that ends too "
        "early?"
    )
    of_another = of_rows(fake_launcher, lambda x: x / x[1:2].square().sum().sqrt(), x)
    assert of_another == none
    one = of_rows(fake_launcher, lambda x: x / x[:, :1].square().sum(1, True).sqrt(), x)
    assert one is None  # one that counts, and more than three of four that do not
    assert of_rows(fake_launcher, lambda x: 2 * x, x[:, :3]) is None
    long = torch.linspace(-2, 3, 400).reshape(2, 200)
    assert "none of 67 elements" in of_rows(fake_launcher, lambda x: 2 * x, long)


def test_elements_of_an_operator_need_not_count_for_others(fake_launcher):
    x = torch.linspace(-2, 3, 40).reshape(4, 10)

    def without(right, x=x, kernel=lambda x: 2 * x):
        return of_rows(fake_launcher, kernel, x, right)

    assert without(torch.tanh) is None  # what is right is made of each element alone
    assert without(torch.tanh, kernel=lambda x: x.reshape(-1, 2).flip(1).reshape(4, 10)) is None
    assert without(of_length_one).startswith("none of 10 elements")
    for right in (torch.softmax, torch.log_softmax):
        assert without(lambda x, right=right: right(x, dim=1)).startswith("none of 10 elements")
    assert without(lambda x: x / x.abs().sum(1, True)).startswith("none of 10 elements")
    repeated = torch.arange(40.0).reshape(4, 10) % 13  # equal numbers that come out as others
    assert without(lambda x: x - x.amax(1, True) ** 2, repeated).startswith("none of 10")
    assert without(torch.tanh, repeated) is None


def test_the_last_of_a_running_sum_need_not_count_for_the_others(fake_launcher):
    x = torch.randn(4, 9, generator=torch.Generator().manual_seed(2))

    def told(kernel, right):
        def launch(launcher, x, out, **arguments):
            out.copy_(kernel(x))

        launcher = fake_launcher("float x", "float out", launch)
        case = Case("a case", (x,), (right(x.double()),), dtypes=(torch.float32,))
        return row_influence.of_own_row(launcher, case)

    assert told(lambda x: x.cumsum(1) + 1, lambda x: x.cumsum(1)) is None

    def short(x):
        sums = x[:, :-1].exp().sum(1, keepdim=True)
        return x.exp() / sums

    assert "the first is x[8]" in told(short, lambda x: x.softmax(1))


def test_a_row_that_counts_for_another_one_too(fake_launcher):
    def both(x):
        return x.sum(1) + x.roll(-1, 0)[:, :2].sum(1)

    x = torch.arange(15.0).reshape(3, 5)
    sentence = made_of(fake_launcher, both, lambda x: x.sum(1), x)
    assert sentence.startswith(
        "out[0] is made of row 0 of x, and of x[1, 0], too, which is of another row: is it "
        "counted for another element"
    )


@pytest.mark.parametrize("kind", ["softmax", "norm", "less its mean"])
def test_a_normalised_row_that_counts_for_others(fake_launcher, kind):
    def right(x, gain):
        if kind == "less its mean":
            return x - x.mean(1, keepdim=True)
        if kind == "softmax":
            return x.softmax(1)
        return x * (x.square().mean(1, keepdim=True) + 1e-3).rsqrt() * gain

    def both(x, gain):
        made = right(x.reshape(2, -1), gain.repeat(2)).reshape(x.shape)
        return made * (1 if kind != "norm" else 2)

    def said(kernel, of=right):
        def launch(launcher, *tensors, **arguments):
            tensors[-1].copy_(kernel(tensors[0], gain))

        x, gain = torch.linspace(-1, 2, 32).reshape(4, 8), torch.linspace(1, 2, 8)
        inputs = (x, gain) if kind == "norm" else (x,)
        names = "float x, float gain" if kind == "norm" else "float x"
        expected = (of(x.double(), gain.double()),)
        case = Case("a case", inputs, expected, dtypes=(torch.float32,))
        return row_influence.across_rows(fake_launcher(names, "float out", launch), case)

    assert said(both).startswith(
        "x[0, 0] changes row 1 of the result: it is counted for another row than its own. Do"
    )
    assert said(right) is None
    assert said(both, of=lambda x, gain: x.cumsum(0)) is None  # of which nothing is known


@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.int32])
def test_rows_that_all_start_with_the_first_element(fake_launcher, dtype):
    x = torch.tensor([[-9, -7], [2, 1], [0, -3], [5, 4]]).to(dtype)
    kind = {torch.float32: "float", torch.float16: "half", torch.int32: "int32_t"}[dtype]

    def told(kernel):
        def launch(launcher, rows, out, **arguments):
            out.copy_(kernel(rows))

        launcher = fake_launcher(f"{kind} x", f"{kind} out", launch)
        case = Case("a case", (x,), (x.amax(1).double(),), dtypes=(dtype,))
        return row_influence.from_first_of_all(launcher, case)

    assert told(lambda x: torch.maximum(x.amax(1), x[0, 0])) == (
        "each row's result is that of x[0, 0], if this is larger than all others: does every "
        "row start with the first element of all, in the place of its own?"
    )
    assert "if this is smaller than" in told(lambda x: torch.minimum(x.amin(1), x[0, 0]))
    assert told(lambda x: x[0].amax().expand(len(x))).startswith(
        "each row's result is that of row 0 of x: does the index lack the row"
    )
    for other in (
        lambda x: x.amax(1),
        lambda x: x.sum(1).cumsum(0),
        lambda x: x.float().amax(1).cummax(0).values.to(dtype),  # which goes on
        lambda x: torch.maximum(x.amax(1), x[1, 0]),
    ):
        assert told(other) is None


def test_an_element_of_a_row_that_counts_otherwise_than_most(fake_launcher):
    """Of a variance, of which no element counts twice as much if it is added twice."""
    x = torch.randn(3, 40, generator=torch.Generator().manual_seed(5))

    def said(counts):
        def launch(launcher, x, out):
            mean = (x * counts).sum(1, keepdim=True) / 40
            out.copy_((x - mean).square().sum(1) / 40)

        right = x.double().var(1, unbiased=False)
        case = Case("rows", (x,), (right,), dtypes=(torch.float32,))
        launcher = fake_launcher("float x", "float out", launch)
        return row_influence.unlike_others(launcher, case)

    place = torch.arange(40)
    words = "a row of zeros with one 1 makes {} if that stands at x[{}], and 0.024375 at nearly"
    told = said(1 + 8 * (place == 32))
    assert told.startswith(words.format("0.064375", 32)) and "does it count more than" in told
    for counts in (1 - 1 * (place > 37), 1 + (place > 37)):
        told = said(counts)
        assert told.startswith(words.format("0.025", 38))
        assert told.endswith("how often is it added to each sum, by no thread or by two?")
    assert said(torch.ones(40)) is None
    assert said(1.0 * place) is None  # as of a weighted mean
    assert said(0.0 * place) is None


def test_an_element_in_the_middle_of_a_row_is_its_own_mirror_image(fake_launcher):
    """Of products with the mirror image the others alone make 0."""
    x = torch.randn(3, 41, generator=torch.Generator().manual_seed(5))
    launcher = fake_launcher(
        "float x", "float out", lambda launcher, x, out: out.copy_((x * x.flip(1)).sum(1) / 2)
    )
    right = (x.double() * x.double().flip(1)).sum(1)
    case = Case("rows", (x,), (right,), dtypes=(torch.float32,))
    assert row_influence.unlike_others(launcher, case) is None


@pytest.mark.parametrize("size", [32, 16])
def test_a_sum_of_each_warp_alone(fake_launcher, size):
    x = torch.randn(3, 45, generator=torch.Generator().manual_seed(5))

    def groups(x):
        return torch.cat([part.log_softmax(1) for part in x.split(size, dim=1)], dim=1)

    def told(kernel, right=lambda x: x.log_softmax(1)):
        def launch(launcher, x, out):
            out.copy_(kernel(x))

        launcher = fake_launcher("float x", "float out", launch)
        case = Case("a case", (x,), (right(x.double()),), dtypes=(torch.float32,))
        return row_influence.of_groups(launcher, case)

    whose = "warp" if size == 32 else "group of lanes"
    assert told(groups) == (
        f"x[0, 0] counts only for the first {size} elements of its row, and x[0, {size}] only "
        f"for those behind: does each {whose} take a sum or a maximum of its own, so that "
        "those of the others are left out? Join them, in shared memory say"
    )
    assert told(lambda x: x.softmax(1)) is None and told(lambda x: x.exp()) is None
    assert told(groups, lambda x: x.cumsum(1)) is None


@pytest.mark.parametrize(
    "right",
    [lambda x, d: x.sum(d), lambda x, d: x.mean(d), lambda x, d: x.square().sum(d).sqrt()],
)
@pytest.mark.parametrize("dim", [0, 1])
def test_totals_of_rows_and_columns_in_which_some_count_twice(fake_launcher, right, dim):
    x = torch.arange(35.0).reshape(5, 7) - 9
    weights = torch.ones(5, 7)
    weights.view(-1)[13] = 2.0

    def wrong(x):
        if right(torch.ones(2, 1), 0) == 1:  # a mean
            return (x * weights).mean(dim)
        return right(x * (weights if right(-torch.ones(1, 1), 0) < 0 else weights.sqrt()), dim)

    def exact(x):
        return right(x.double(), dim)

    told = often(fake_launcher, wrong, exact, x)
    assert told.startswith(
        "1 of 35 elements of x count more than once, the first, x[13], twice"
    )
    assert often(fake_launcher, lambda x: right(x, dim) * 1.5, exact, x) is None


def test_a_row_that_goes_on_with_another_one(fake_launcher):
    def carried(x, step):
        made = x.log_softmax(1)
        for row in range(step, len(x)):
            of = x[row % step : row + 1 : step]
            made[row] = x[row] - of.logsumexp((0, 1))
        return made

    x = torch.arange(48.0).reshape(12, 4) / 7
    for step in (2, 5, 11):

        def launch(launcher, x, out, step=step, **arguments):
            out.copy_(carried(x, step))

        launcher = fake_launcher("float x", "float out", launch)
        right = x.double().log_softmax(1)
        case = Case("a case", (x,), (right,), dtypes=(torch.float32,))
        told = row_influence.across_rows(launcher, case)
        assert told.startswith(f"row {step} of the result is made of row {step} of x, and of")
        assert told.endswith("Give it its start value before each row")


def test_a_row_that_is_masked_as_a_whole_tells_nothing_of_its_elements(fake_launcher):
    mask = torch.zeros(3, 8, dtype=torch.uint8)
    mask[0] = 1
    x = torch.arange(24.0).reshape(3, 8)
    right = torch.where(mask == 1, -1e4, x.double()).softmax(1)

    def launch(launcher, x, mask, out, **arguments):
        out.copy_(torch.where(mask == 1, 0.0, x).softmax(1) * 0.5)
        out[0] = 0.125

    launcher = fake_launcher("float x, uint8_t mask", "float out", launch)
    case = Case("a case", (x, mask), (right,), dtypes=(torch.float32,))
    assert row_influence.of_own_row(launcher, case) is None


def masked(x, k):
    """Return the softmax of the first k elements of each row."""
    seen = torch.arange(x.shape[1]) < k[:, None]
    return torch.where(seen, x.double(), -torch.inf).softmax(dim=1)


def of_masked(fake_launcher, kernel, asked):
    def launch(launcher, x, k, out, **arguments):
        out.copy_(kernel(x, k))

    x, k = torch.linspace(-1, 2, 40).reshape(4, 10), torch.tensor([6, 3, 10, 1]).int()
    launcher = fake_launcher("float x, int k", "float out", launch)
    return asked(launcher, Case("a case", (x, k), (masked(x, k),), dtypes=(x.dtype,)))


def test_what_is_masked_counts_for_no_other(fake_launcher):
    def half(x, k):
        return masked(x, k) / 2

    assert of_masked(fake_launcher, half, row_influence.of_own_row) is None

    def without_the_first(x, k):
        powers = torch.where(torch.arange(10) < k[:, None], x.exp(), 0.0)
        return powers / powers[:, 1:].sum(1, True)

    said = of_masked(fake_launcher, without_the_first, row_influence.of_own_row)
    assert said.startswith("1 of 6 tried elements of row 0 have no effect on the others")
    far = torch.linspace(-9000, 9000, 40).reshape(4, 10)  # of which each but one is 0
    launcher = fake_launcher("float x", "float out", lambda launcher, x, out: out.copy_(x))
    case = Case("a case", (far,), (far.double().softmax(dim=1),), dtypes=(far.dtype,))
    assert row_influence.of_own_row(launcher, case).startswith("none of 10 elements of row 0")


def test_masked_rows_that_count_for_others(fake_launcher):
    def of_two(x, k):
        powers = torch.where(torch.arange(10) < k[:, None], x.exp(), 0.0)
        sums = powers.sum(1, True).reshape(2, 2, 1).flip(1).reshape(4, 1)
        return powers / sums

    said = of_masked(fake_launcher, of_two, row_influence.across_rows)
    assert said.startswith("x[0, 0] changes row 1 of the result: it is counted for another row")
    assert of_masked(fake_launcher, masked, row_influence.across_rows) is None


def test_an_index_without_its_row(fake_launcher):
    """The first row counts for each, as where row * columns is left out of an index."""

    def said(kernel, rows=4):
        def launch(launcher, x, out, **arguments):
            out.copy_(kernel(x))

        x = torch.randn(rows, 5, generator=torch.Generator().manual_seed(2))
        case = Case("a case", (x,), (x.double().softmax(1),), dtypes=(torch.float32,))
        launcher = fake_launcher("float x", "float out", launch)
        return row_influence.across_rows(launcher, case)

    told = said(lambda x: x.exp() / x[:1].exp().sum())
    assert told.startswith(
        "x[0, 0] changes each other row of the result, and no element of the"
    )
    told = said(lambda x: x.exp() / x.exp().sum())
    assert told.startswith("x[0, 0] changes row 1 of the result: it is counted for another row")
