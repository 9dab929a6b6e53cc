"""Products of matrices of which a factor, or a part of the sum, is another one."""

import itertools

import pytest
import torch

from helpers.testing import diagnosis
from helpers.testing.patterns import wrong_products
from tests.testing.mismatches import mismatch, random

WAYS = ("nn", "tn", "nt", "tt")  # which of two matrices comes transposed
SUM = "each result adds up 5 products, of which"


def matrices(way, sides=(6, 5, 7), batch=()):
    """Return a and b of whole numbers as inputs, and as they are multiplied, float64."""
    m, k, n = sides
    a = random(m * k * (batch or (1,))[0]).mul(9).round().reshape(*batch, m, k)
    b = random(k * n * (batch or (1,))[0], 1).mul(9).round().reshape(*batch, k, n)
    inputs = [x.mT.contiguous() if of == "t" else x for x, of in zip((a, b), way, strict=True)]
    return inputs, a.double(), b.double()


def of_factors(alpha, beta, made_alpha, made_beta, with_d=True, way="nn"):
    """Say of alpha * (a @ b) + beta * d that it came out with other factors."""
    inputs, a, b = matrices(way)
    d = random(42).reshape(6, 7) if with_d else torch.full((6, 7), torch.nan)
    product, other = a @ b, d.double().nan_to_num()
    right, got = alpha * product + beta * other, made_alpha * product + made_beta * other
    m = mismatch(got.float().flatten(), right.flatten(), *inputs, d, shape=(6, 7))
    return wrong_products.factors(m)


@pytest.mark.parametrize("way", WAYS)
def test_a_factor_of_a_product_that_is_another_one(way):
    words = "the product of input 1 and input 2 comes out times"
    twice = of_factors(-2.0, 0.5, 4.0, 0.5, way=way)
    assert twice.startswith(f"{words} 4, not times -2: does its factor count twice")
    assert of_factors(0.5, 0.0, 0.25, 0.0, False, way) == (
        f"{words} 0.25, not times 0.5: does its factor count twice, in the sum and behind it, "
        "say, or does it lack a root (sqrt)?"
    )
    assert of_factors(0.3, 0.5, 0.09, 0.5, way=way).endswith("in the sum and behind it, say?")
    root = of_factors(5**-0.5, 0.0, 0.2, 0.0, False, way)  # of 5 products each
    assert root == (
        f"{words} 0.2, not times 0.44721: does its factor lack a root (1 / 5 in the place of "
        "1 / sqrt(5)), or is it multiplied by in two places?"
    )
    assert of_factors(0.25, 0.0, 0.5, 0.0, False, way).endswith(
        "is a root taken of its factor, which should be taken as it is?"
    )
    assert of_factors(0.4, 0.0, 2.5, 0.0, False, way).endswith(
        "is it divided by its factor and not multiplied, or the other way round?"
    )
    assert of_factors(-2.0, 0.5, 1.0, 0.5).endswith("is another factor taken, or none?")
    assert of_factors(1.0, 0.5, 1.0, 0.25).startswith("input 3 comes out times 0.25, not times")
    assert of_factors(1.0, 0.5, 1.0, 0.5) is None
    assert of_factors(1.0, 1.0, 2.0, 1.0) is None  # a sum without factors
    assert of_factors(2.0, 0.5, 0.0, 0.0) is None  # nothing came out


@pytest.mark.parametrize("way", WAYS)
def test_two_factors_that_are_swapped_or_joined(way):
    assert of_factors(2.0, -3.0, -3.0, 2.0, way=way) == (
        "the product of input 1 and input 2 comes out times -3, and input 3 times 2: are the "
        "two factors (alpha and beta, say) swapped, where they are used or passed?"
    )
    assert of_factors(2.0, -3.0, 2.0, -6.0, way=way) == (
        "input 3 comes out times -6, not times -3: does the factor of the other one multiply "
        "it, too, as where both are added before they are multiplied (parentheses)?"
    )


def counted(times, way="nn", sides=(6, 5, 7), batch=(), added=0.0, alpha=1.0, dtype=None):
    """Say of a product whose terms count so often what `weights` says."""
    inputs, a, b = matrices(way, sides, batch)
    times = torch.as_tensor(times).double()
    right, got = alpha * (a @ b) + added, alpha * (a * times) @ b + added
    if added:
        inputs.append(torch.full_like(right, added).float())
    shape = tuple(right.shape)
    got = got.to(dtype or torch.float32)
    return wrong_products.weights(
        mismatch(got.flatten(), right.flatten(), *inputs, shape=shape)
    )


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.float16])
def test_products_that_count_otherwise_are_named(way, dtype):
    more = {"way": way, "dtype": dtype, "alpha": 0.5}
    assert counted([1, 1, 1, 1, 4], **more) == (
        f"{SUM} the last one, of k = 4, counts more than once, 4 times: is it taken again in "
        "the place of each that a tile or a step has too many (an index that stops there)? "
        "Those must count as 0"
    )
    assert counted([2, 1, 1, 2, 1], batch=(3,), **more) == (
        f"{SUM} 2 count more than once, the first, of k = 0, twice: do two threads, or two "
        "steps of a loop, add the same part?"
    )
    assert counted([1, 1, 1, 1, 0], added=7.0, **more).startswith(f"{SUM} 1 is left out, the")
    assert "that of k = 1 counts twice, and 1 not at all: do two" in counted(
        [0, 2, 1, 1, 1], **more
    )


def test_a_vector_times_a_matrix():
    told = counted([1, 2, 1, 1, 1], sides=(1, 5, 40))
    assert told.startswith(f"{SUM} that of k = 1 counts twice: do two threads")
    x, a = random(5).mul(9).round(), random(200, 1).mul(9).round().reshape(40, 5)
    times = torch.tensor([1, 1, 3, 1, 1]).double()
    got, right = a.double() @ (times * x.double()), a.double() @ x.double()
    m = mismatch(got.float(), right, a, x, shape=(40,))
    assert "k = 2 counts more than once, 3 times: do two" in wrong_products.weights(m)


def test_weights_that_are_none():
    for times in ([1.5, 1, 1, 1, 1], [-1, 1, 1, 1, 1], [2] * 5, [0] * 5, [1] * 5):
        assert counted(times) is None
    assert counted([2, 1, 1, 1, 1], sides=(2, 5, 5)) is None  # too few results
    (a, b), *_ = matrices("nn")
    right = (a.double() @ b.double()).flatten()
    m = mismatch((right + torch.arange(42)).float(), right, a, b, shape=(6, 7))
    assert wrong_products.weights(m) is None


def test_other_numbers_than_floats():
    (a, b), *_ = matrices("nt")
    right = (a.double() @ b.double().T).flatten()
    made = ((a * torch.tensor([1, 1, 1, 1, 2])).double() @ b.double().T).flatten()
    m = mismatch(made.int(), right, a.int(), b.int(), shape=(6, 7))
    assert (
        "the last one, of k = 4, counts twice: is it taken again"
        in diagnosis.diagnose(m).sentence
    )


def tiles_turned(x, side):
    """Return a matrix with rows and columns exchanged inside each tile."""
    made = torch.zeros_like(x)
    for row, column in itertools.product(*map(range, x.shape)):
        top, left = row // side * side, column // side * side
        other = top + column - left, left + row - top
        if other[0] < x.shape[0] and other[1] < x.shape[1]:
            made[row, column] = x[other]
    return made


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("batch", [(), (3,)])
def test_factors_that_change_places(way, batch):
    inputs, a, b = matrices(way, (5, 5, 5), batch)
    first, one = inputs[0].reshape(-1, 5, 5)[0], a.reshape(-1, 5, 5)[0]  # for all of a batch

    def told(got, right, *inputs, **how):
        m = mismatch(got.float().flatten(), right.flatten(), *inputs, shape=right.shape, **how)
        return wrong_products.turned(m)

    words = "each result is the product of input 2 with input 1, in that order"
    assert told(b @ a, a @ b, *inputs).startswith(words)
    assert told(b @ one, one @ b, first, inputs[1]).startswith(words)
    assert told(b @ a + 1, a @ b, *inputs) is None
    assert told(b @ a, a @ b, *inputs, reference=torch.matmul) is None
    assert told(a.mT @ b, a @ b, *inputs) is None


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("which", [0, 1])
@pytest.mark.parametrize("sides", [(6, 5, 7), (20, 9, 35)])
def test_a_matrix_that_is_read_by_another_index(way, which, sides):
    inputs, *both = matrices(way, sides)
    right, others = both[0] @ both[1], list(both)

    def told(other):
        others[which] = other
        got = others[0] @ others[1]
        shape = tuple(right.shape)
        return wrong_products.misread(
            mismatch(got.float().flatten(), right.flatten(), *inputs, shape=shape)
        )

    own, stored = both[which], inputs[which].double()
    other = stored.reshape(stored.shape[::-1])
    other = other if way[which] == "t" else other.T
    product = f"this is the product with input {which + 1} read as if it were stored the other"
    assert told(other).startswith(product)
    of_tiles = told(tiles_turned(own, 16))
    side = "" if sides[0] < 16 else " of 16 x 16"
    words = f"the indices swapped inside each tile{side} of input {which + 1}: is the tile"
    assert words in of_tiles or (max(own.shape) <= 16 and " of 16" not in of_tiles)
    if sides[0] < 16:
        others[1 - which] = tiles_turned(both[1 - which], 16)
        assert "each tile of input 1 and input 2: is the tile" in told(tiles_turned(own, 16))
        others[1 - which] = both[1 - which]
    assert told(own) is None and told(own + 1) is None and told(own.roll(1, 0)) is None


def test_a_product_of_which_nothing_comes_out():
    a, b, bias = random(6, 5).reshape(2, 3), random(12, 6).reshape(3, 4), random(4, 7)
    a, b = a.repeat(5, 1), b.repeat(1, 3)
    bias = bias.repeat(3)
    right = a @ b + bias
    got = bias.repeat(len(a))
    m = mismatch(got, right.double().flatten(), a, b, bias, shape=tuple(right.shape))
    said = wrong_products.misread(m)
    assert said.startswith("nothing of the product of input 1 and input 2 comes out, only what")
    plain = (a @ b).double().flatten()
    m = mismatch(torch.zeros(len(plain)), plain, a, b, shape=tuple(right.shape))
    assert wrong_products.misread(m) is None


def test_what_should_be_0_everywhere_is_no_product():
    inputs, a, b = matrices("nn")
    got, right = (a @ b).float().flatten(), torch.zeros(42)
    assert wrong_products.factors(mismatch(got, right, *inputs, shape=(6, 7))) is None


@pytest.mark.parametrize("cut", [True, False])
@pytest.mark.parametrize("side", ["column", "row"])
def test_a_bias_that_the_factor_of_the_product_multiplies_too(cut, side):
    inputs, a, b = matrices("nn")
    bias = 20 * random(7 if side == "column" else 6)
    added = (bias if side == "column" else bias[:, None]).double()

    def of(alpha, beta):
        made = alpha * (a @ b) + beta * added
        return made.clamp(min=0) if cut else made

    def told(alpha, beta):
        got = of(alpha, beta).float().flatten()
        right = of(0.5, 1.0).flatten()
        return wrong_products.factors(mismatch(got, right, *inputs, bias, shape=(6, 7)))

    assert told(0.5, 0.5).startswith(
        "input 3 comes out times 0.5, not times 1: does the factor of the other one multiply it"
    )
    assert told(0.5, 0.0).startswith(
        "input 3 comes out times 0, not times 1: is another factor"
    )
    assert told(1.0, 1.0).startswith(
        "the product of input 1 and input 2 comes out times 1, not"
    )
    assert told(0.5, 1.0) is None
    assert (
        wrong_products.weights(mismatch(of(0.5, 0.5).flatten(), of(0.5, 1.0).flatten())) is None
    )


def of_integers(change, dtype=torch.int8, scaled=True, out=torch.float32, n=40):
    """Say of a product of integers whose sums are changed what `wrapped` says."""
    generator = torch.Generator().manual_seed(2)
    a, b = (torch.randint(-90, 91, (n, 64), generator=generator).to(dtype) for _ in range(2))
    scale = 2.0 ** -(torch.arange(n) % 5).double()[:, None] if scaled else 1.0
    sums = a.double() @ b.double().T
    made, right = (change(sums) * scale).flatten(), (sums * scale).flatten()
    extra = [torch.ones(n)] if scaled else []
    given = {"shape": (n, n), "wrong": made != right}
    return wrong_products.wrapped(mismatch(made.to(out), right, a, b, *extra, **given))


def held(sums, bits, signed=True):
    """Return what is left of sums in so many bits."""
    low = -(2.0 ** (bits - 1)) * signed
    return (sums - low).remainder(2.0**bits) + low


@pytest.mark.parametrize("scaled", [True, False])
@pytest.mark.parametrize("bits", [8, 16])
@pytest.mark.parametrize("dtype", [torch.int8, torch.int16, torch.int32])
def test_a_sum_of_products_that_has_too_few_bits(scaled, bits, dtype):
    words = "each wrong result is that of a sum of products held in {} bits ({}), beyond whose "
    wraps = of_integers(lambda s: held(s, bits), dtype, scaled)
    assert wraps.startswith(words.format(bits, f"int{bits}"))
    assert "seems to wrap around: is the type in which they are added up too narrow" in wraps
    most = 2.0 ** (bits - 1)
    stays = of_integers(lambda s: s.clamp(-most, most - 1), dtype, scaled)
    assert "range it seems to saturate: is the type" in stays
    no_sign = of_integers(lambda s: held(s, bits, False), dtype, scaled)
    assert no_sign.startswith(words.format(bits, f"uint{bits}"))
    assert of_integers(lambda s: s + 256, dtype, scaled) is None
    assert of_integers(lambda s: 2 * s, dtype, scaled) is None


def test_a_sum_of_products_of_floats_does_not_wrap_around():
    def wraps(sums):
        return held(sums, 16)

    assert of_integers(wraps) and of_integers(wraps, out=torch.float16)
    assert of_integers(wraps, torch.float32) is None


@pytest.mark.parametrize("with_bias", [True, False])
def test_a_product_that_is_cut_off_elsewhere(with_bias):
    inputs, a, b = matrices("nn")
    bias = 20 * random(7) * with_bias
    more = [bias] * with_bias
    y = 0.5 * (a @ b)
    whole = y + bias.double()

    def told(got, right):
        m = mismatch(got.float().flatten(), right.flatten(), *inputs, *more, shape=(6, 7))
        return wrong_products.cut_elsewhere(m)

    cut, early = whole.clamp(min=0), y.clamp(min=0) + bias.double()
    assert told(whole, cut).startswith("negative results come out as they are, and not as 0")
    assert told(cut, whole).startswith("negative results come out as 0: are they cut off there")
    assert told(2 * cut, cut) is None
    if with_bias:
        words = "the product is cut off at 0 before input 3 is added, and not "
        assert told(early, cut).startswith(f"{words}behind that: is the formula")
        assert told(early, whole).startswith(f"{words}at all: is the formula another one?")


def test_zeros_where_all_results_are_negative_may_be_products_of_nothing():
    (a, b), left, right = matrices("nn")
    made = (left.abs() @ -right.abs()).flatten()
    m = mismatch(0 * made.float(), made, a.abs(), -b.abs(), shape=(6, 7))
    assert wrong_products.cut_elsewhere(m) is None
    some = (left @ right).flatten()
    m = mismatch(some.clamp(min=0).float(), some, a, b, shape=(6, 7))
    assert "are they cut off there" in wrong_products.cut_elsewhere(m)


def of_rows(got, right, *inputs):
    return mismatch(got.flatten(), right.flatten(), *inputs, shape=tuple(right.shape))


def test_one_that_is_cut_off_at_0_and_read_by_its_columns():
    (a, b), left, right = matrices("nn")
    turned = b.reshape(7, 5).T.double()
    m = of_rows((left @ turned).clamp(min=0).float(), (left @ right).clamp(min=0), a, b)
    assert wrong_products.misread(m).startswith("this is the product with input 2 read as if")


@pytest.mark.parametrize("cut", [True, False])
def test_a_sum_that_goes_on_from_another_row(cut):
    (a, b), left, right = matrices("nn", (12, 5, 7))
    c = random(7, 3).mul(9).round()
    limit = 0.0 if cut else -1e9
    own, chunks = left @ right, torch.zeros(12, 7).double()
    strided = own.clone()
    for k in range(12):
        strided[k] += strided[k - 4] if k >= 4 else 0
        chunks[k] = own[k] + (chunks[k - 1] if k % 3 else 0)
    for made, words in ((strided, "row 4 goes on from that of row 0"), (chunks, "row 1 goes")):
        m = of_rows(
            (made + c).clamp(min=limit).float(), (own + c.double()).clamp(min=limit), a, b, c
        )
        assert words in wrong_products.kept_on(m)
    m = of_rows((own + 1).clamp(min=limit).float(), own.clamp(min=limit), a, b)
    assert wrong_products.kept_on(m) is None


def test_a_sum_in_float16_is_nearly_right():
    a, b = random(30 * 40).reshape(30, 40).half(), random(40 * 20, 1).reshape(40, 20).half()
    right, made = a.double() @ b.double(), torch.zeros(30, 20, dtype=torch.float16)
    for k in range(40):
        made = made + a[:, k : k + 1] * b[k]
    wrong = (made.double() - right).abs().flatten() > 2.0**-9 * right.abs().flatten()
    m = mismatch(made.flatten(), right.flatten(), a, b, wrong=wrong, shape=(30, 20))
    assert "rounded to a type of less precision on the way, as float16?" in (
        wrong_products.nearly(m)
    )
    lost = (a[:, 1:].double() @ b[1:].double()).half()
    assert wrong_products.nearly(of_rows(lost, right, a, b)) is None


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(
    ("which", "words"), [((0, 1), "both inputs"), ((0,), "input 1"), ((1,), "input 2")]
)
def test_numbers_that_are_taken_for_unsigned_ones(way, which, words):
    inputs, a, b = matrices(way)
    inputs = [x.to(torch.int8) for x in inputs]
    others = [x + 256 * (x < 0) if k in which else x for k, x in enumerate((a, b))]
    got, right = (x.flatten() for x in (others[0] @ others[1], a @ b))
    m = mismatch(got.int(), right, *inputs, shape=(6, 7))
    told = wrong_products.unsigned(m)
    assert told.startswith(
        f"this is the product with the numbers of {words} taken for unsigned"
    )
    assert "count 256 more, out of the range of int8" in told
    m = mismatch((got + 256).int(), right, *inputs, shape=(6, 7))
    assert wrong_products.unsigned(m) is None
    m = mismatch(got.float(), right, *(x.float() for x in inputs), shape=(6, 7))
    assert wrong_products.unsigned(m) is None


def test_only_sums_that_cancel_are_off_by_little():
    generator = torch.Generator().manual_seed(2)
    a, b = (
        torch.randint(-9, 9, x, generator=generator).float() * 512 for x in ((6, 4), (4, 5))
    )
    a[:, 2:], b[2:] = a[:, :2], -b[:2]
    b[2, ::2] = 512.0
    right = a.double() @ b.double()
    got = torch.where(right == 0, 64.0, right)
    m = of_rows(got.float(), right, a, b)
    assert wrong_products.nearly(m).startswith("only results that should be 0, as the products")
    far = torch.where(right == 0, 2.0**18, right)
    assert wrong_products.nearly(of_rows(far.float(), right, a, b)) is None


def test_no_tile_of_a_vector_is_turned():
    """Of one number in the place of two a tile that is cut off says nothing."""
    x, a = torch.ones(1, 2), torch.ones(2, 300)
    right = x.double() @ a.double()
    m = mismatch((right / 2).float().flatten(), right.flatten(), x[0], a, shape=(300,))
    told = wrong_products.misread(m)
    assert not told or "inside each tile" not in told
