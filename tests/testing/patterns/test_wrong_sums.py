"""Sums that are added up in 16 bits."""

from dataclasses import replace

import pytest
import torch

from helpers.testing.patterns import wrong_sums
from tests.testing.mismatches import mismatch, said


def added(x, dtype, lanes):
    return wrong_sums._added(x, dtype, lanes)[0]


@pytest.mark.parametrize(("dtype", "held"), [(torch.float16, "2,048"), (torch.bfloat16, "256")])
@pytest.mark.parametrize("lanes", [1, 32, 256])
def test_an_accumulator_of_16_bits_is_named(dtype, held, lanes):
    x = torch.rand(4, 6000, generator=torch.Generator().manual_seed(1)) + 1
    got, name = added(x, dtype, lanes), str(dtype).removeprefix("torch.")
    told = wrong_sums.in_half(mismatch(got, x.double().sum(1), x, shape=(4,)))
    assert told.startswith(f"each sum is what comes out if it is added up in {name}: ")
    assert f"only up to {held}," in told
    told = wrong_sums.in_half(mismatch(got.float(), x.double().sum(1), x, shape=(4,)))
    assert "is added up in " in told


def test_equal_numbers_stop_at_a_limit():
    x = torch.ones(2, 5000).half()
    m = mismatch(torch.full((2,), 4096.0).half(), x.double().sum(1), x, shape=(2,))
    assert "in float16: " in wrong_sums.in_half(m)  # two threads
    x = torch.ones(2, 300_000).bfloat16()  # too many to be added up one by one
    m = mismatch(torch.full((2,), 256.0), x.double().sum(1), x, shape=(2,))
    assert "in bfloat16 (it stops at 256): " in wrong_sums.in_half(m)


def test_another_sum_is_not_named_so():
    x = torch.rand(4, 600, generator=torch.Generator().manual_seed(1))
    right = x.double().sum(1)
    for got in (right.float() + 1, x[:, 1:].sum(1), x.float().amax(1)):
        assert wrong_sums.in_half(mismatch(got, right, x, shape=(4,))) is None
    assert wrong_sums.in_half(mismatch(x.sum(1) + 1, x.double().amax(1), x, shape=(4,))) is None


def test_the_accumulator_may_be_of_the_other_type():
    x = torch.ones(3, 4000).half()
    m = mismatch(torch.full((3,), 256.0).half(), x.double().sum(1), x, shape=(3,))
    assert "is added up in bfloat16: " in wrong_sums.in_half(m)


def test_one_sum_that_is_little_off_tells_nothing():
    x = torch.rand(1, 600, generator=torch.Generator().manual_seed(1))
    m = mismatch(added(x, torch.bfloat16, 32).float(), x.double().sum(1), x, shape=(1,))
    assert wrong_sums.in_half(m) is None


@pytest.mark.parametrize(("rows", "names"), [(1, False), (4, True)])
def test_one_sum_of_both_signs_tells_nothing(rows, names):
    x = torch.cat((torch.full((1,), 256.0), torch.ones(100), torch.full((1,), -256.0)))
    x = x.repeat(rows, 1)
    m = mismatch(added(x, torch.bfloat16, 1).float(), x.double().sum(1), x, shape=(rows,))
    assert bool(wrong_sums.in_half(m)) is names


def test_a_zero_of_the_other_sign_is_no_sum():
    x = torch.zeros(1, 256).half()
    m = mismatch(torch.tensor([-0.0]), [0.0], x, wrong=[True], shape=(1,))
    assert wrong_sums.in_half(m) is None


# ---- sums that wrap around


def drawn(dtype, *shape, low=None):
    """Draw integers of the whole range of a type."""
    info, generator = torch.iinfo(dtype), torch.Generator().manual_seed(5)
    low = info.min if low is None else low
    return torch.randint(low, info.max + 1, shape, generator=generator).to(dtype)


def of_few_bits(x, got, right=None):
    right = x.long().sum(-1) if right is None else right
    got, right = got.reshape(-1), right.reshape(-1)
    return wrong_sums.few_bits(mismatch(got, right, x, shape=tuple(got.shape)))


@pytest.mark.parametrize(
    ("dtype", "out"),
    [
        (torch.int8, torch.int64),
        (torch.int8, torch.int32),
        (torch.uint8, torch.int64),
        (torch.int16, torch.int64),
        (torch.int32, torch.int64),
        (torch.int8, torch.float32),
    ],
)
def test_a_sum_in_the_type_of_its_numbers_wraps_around(dtype, out):
    x = drawn(dtype, 9, 300)
    bits = 8 * x.element_size()
    got = x.sum(-1, dtype=dtype).to(out)
    assert of_few_bits(x, got) == (
        f"each wrong result is off by a multiple of 2^{bits}: is a number on the way held in "
        f"{bits} bits, so that it wraps around, or taken without its sign? Add up in a wider "
        "type, with the sign"
    )


@pytest.mark.parametrize("dtype", [torch.int8, torch.int32])
def test_numbers_that_lose_their_sign(dtype):
    x = drawn(dtype, 9, 40)
    bits = 8 * x.element_size()
    got = (x.long() % (1 << bits)).sum(-1)
    assert f"a multiple of 2^{bits}: " in of_few_bits(x, got)


def test_one_sum_of_many_numbers():
    x = drawn(torch.int32, 700)
    parts = x.reshape(350, 2).sum(-1, dtype=torch.int32)
    assert "multiple of 2^32: " in of_few_bits(x, parts.sum().reshape(1), x.long().sum())
    low = x.short().long().sum().reshape(1)  # of numbers that have no place there
    assert "multiple of 2^16: " in of_few_bits(x, low, x.long().sum())
    few = drawn(torch.int8, 700)
    assert of_few_bits(few, few.long().sum().reshape(1) + 256, few.long().sum()) is None
    left_out = x.clone()
    left_out[3] = 1 << 20
    got = left_out.long().sum().reshape(1)
    assert of_few_bits(left_out, got - (1 << 20), got) is None


def test_multiples_that_tell_nothing():
    x = drawn(torch.int8, 9, 300)
    right = x.long().sum(-1)
    assert of_few_bits(x, right + 256) is None  # all by one number
    assert of_few_bits(x, right + 256 * torch.arange(9) + (torch.arange(9) == 3)) is None
    assert of_few_bits(x[:, :1] * 0 - 128, right + 256 * torch.arange(9), right) is None
    rounded = 64 * drawn(torch.int16, 9, 300).long()
    assert of_few_bits(rounded, rounded[:, 1:].sum(-1)) is None
    places = drawn(torch.int8, 9, 256).argmax(1)  # in a row, or in the matrix
    x = drawn(torch.int8, 9, 256)
    assert of_few_bits(x, places + 256 * torch.arange(9), places) is None
    assert of_few_bits(x.float(), right + 256 * torch.arange(9), right) is None


# ---- sums that go on


def of_rows(x, got, right):
    got, right, shape = got.float().reshape(-1), right.reshape(-1), tuple(right.shape)
    wrong = (got - right).abs() > 1e-5 * right.abs()
    return wrong_sums.kept_on(mismatch(got, right, x, wrong=wrong, shape=shape))


def goes_on(own, step):
    made = own.clone()
    for k in range(step, len(own)):
        made[k] += made[k - step]
    return made


@pytest.mark.parametrize("step", [1, 4, 7])
def test_a_sum_that_is_not_set_for_each_row(step):
    x = torch.randn(20, 6, generator=torch.Generator().manual_seed(1)).double()
    powers = (x - x.amax(1, keepdim=True)).exp()
    made = goes_on(powers.sum(1), step)[:, None]
    words = f"rows are right up to row {step - 1}, and the sum of each row behind goes on from"
    assert of_rows(x, powers / made, x.softmax(1)).startswith(words)
    assert of_rows(x, (powers / made).log(), x.log_softmax(1)).startswith(words)
    squares = x.square().sum(1)
    assert of_rows(x, goes_on(squares, step).sqrt(), squares.sqrt()).startswith(words)
    assert of_rows(x, goes_on(x.sum(1), step), x.sum(1)).startswith(words)


def test_another_row_from_some_row_on():
    x = torch.randn(20, 6, generator=torch.Generator().manual_seed(1)).double()
    sums = x.sum(1)
    got = torch.cat([sums[:8], 2 * sums[8:]])
    assert of_rows(x, got, sums) is None
    assert of_rows(x, goes_on(sums, 18), sums) is None  # too few rows
    assert of_rows(x, goes_on(sums, 4) + 1, sums) is None


# ---- tiles, and floats in the place of integers


def of_a_product(dtype, m, n, tile, blocks):
    """Multiply matrices of whole numbers, with sums that go on from tile to tile of a block."""
    generator = torch.Generator().manual_seed(m)
    a, b = (torch.randint(-9, 10, size, generator=generator) for size in ((m, 20), (20, n)))
    right, down = (a @ b).double(), -(-m // tile)
    room = torch.zeros(down * tile, -(-n // tile) * tile).double()
    room[:m, :n] = right
    tiles = room.reshape(down, tile, -1, tile).transpose(1, 2)  # a view
    for k in range(blocks, down * tiles.shape[1]):
        now, before = (divmod(j, tiles.shape[1]) for j in (k, k - blocks))
        tiles[now] += tiles[before]
    return room[:m, :n].reshape(-1).to(dtype), right.reshape(-1), a.to(dtype), b.to(dtype)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.int32])
@pytest.mark.parametrize(("tile", "blocks"), [(16, 6), (16, 5), (8, 20), (8, 9)])
def test_sums_that_go_on_from_tile_to_tile(dtype, tile, blocks):
    got, right, *inputs = of_a_product(dtype, 70, 48, tile, blocks)
    told = wrong_sums.of_tiles_before(mismatch(got, right, *inputs, shape=(70, 48)))
    assert "is the right one plus what came out as element" in told
    assert told.endswith("start from 0 for each tile, row or element that a thread takes?")


def test_what_came_out_nowhere_is_no_tile():
    got, right, *inputs = of_a_product(torch.float32, 70, 48, 16, 6)

    def told(got, right=right):
        return wrong_sums.of_tiles_before(mismatch(got, right, *inputs, shape=(70, 48)))

    assert told(2 * got) is None
    assert told(right.float() + torch.randn(len(right))) is None
    assert told(right.float() + 5) is None
    nearly = right.float() / 1e4
    assert told(nearly + 5 + nearly.roll(1), right / 1e4) is None
    assert told(right.roll(3).float()) is None
    assert told(right.reshape(70, 48).cumsum(0).reshape(-1).float()[:20], right[:20]) is None
    alike = right.reshape(70, 48)[:2].repeat(35, 1).reshape(-1)
    assert told(alike.float(), 0 * alike) is None


def test_sums_that_all_start_with_a_number():
    _, right, *inputs = of_a_product(torch.float32, 70, 48, 16, 6)
    whole = right.round()

    def told(off, right=whole, **more):
        got = (right + off).to(more.pop("dtype", torch.float32))
        return wrong_sums.started(mismatch(got, right, *more.pop("inputs", inputs), **more))

    assert told(2) == (
        "each result is 2 more than the right one, whatever goes in: is that its start value, "
        "or those of several threads? Start with 0"
    )
    assert told(-0.5).startswith("each result is 0.5 less than the right one")
    some = told(2 * (torch.arange(len(right)) % 4 == 0))
    assert some.startswith("each wrong result is 2 more")
    assert told(2 + torch.arange(len(right)) % 2) is None
    assert told(2, whole / 3) is None  # nearly, as where it is a factor of a logarithm
    assert told(2, 0 * whole) is None
    assert told(2, dtype=torch.int32) is None  # a place, or a count
    assert told(2, inputs=[whole.float()]) is None
    assert told(2, reference=torch.matmul) is None


def test_the_largest_of_rising_numbers_starts_with_nothing():
    """Where the last row is left out of them, each is as much less."""
    x = torch.arange(70.0).reshape(10, 7)
    m = mismatch(x[8], x[9].double(), x, shape=(7,))
    assert wrong_sums.started(m) is None
    assert wrong_sums.started(mismatch(x[9] - 0.5, x[9].double(), x, shape=(7,)))


@pytest.mark.parametrize(("dim", "side"), [(0, "column"), (1, "row")])
def test_means_whose_sums_all_start_with_a_number(dim, side):
    x = torch.randint(-9, 10, (7, 11), generator=torch.Generator().manual_seed(3)).float()
    right, count = x.double().mean(dim), x.shape[dim]

    def told(got):
        return wrong_sums.started(mismatch(got.float(), right, x, shape=tuple(right.shape)))

    assert told(right + 3 / count).startswith(
        f"the sum of each {side} is 3 more than the right"
    )
    assert told(right + 0.4 / count) is None
    assert told(right + torch.arange(len(right)) / count) is None


def rounded_sums(count, of=torch.float32, low=100):
    generator = torch.Generator().manual_seed(count)
    x = torch.randint(low, 128, (count, 3000), generator=generator).to(torch.int8)
    total = torch.zeros(count).to(of)
    for part in x.long().square().T:
        total = (total.double() + part).to(of)
    return x, total, x.long().square().sum(1).double()


@pytest.mark.parametrize("dtype", [torch.int32, torch.int64])
@pytest.mark.parametrize("count", [4, 40])
def test_integers_that_a_float_adds_up(dtype, count):
    x, got, right = rounded_sums(count)
    told = wrong_sums.in_a_float(mismatch(got.to(dtype), right, x, x))
    assert told.startswith("only results beyond 16,777,216 are off, all by little")


def test_other_large_integers():
    x, got, right = rounded_sums(40)

    def told(got, right=right):
        return wrong_sums.in_a_float(mismatch(got, right, x, x))

    assert told((right + 1).int()) is None
    assert told(right.int() - 2 * 32_000) is None  # two numbers are left out
    assert told(got) is None  # a float is what should come out
    assert told(right.int()[:3] + 2, right[:3]) is None  # so few may be even by chance


@pytest.mark.parametrize("dtype", [torch.int64, torch.float32])
@pytest.mark.parametrize(("rows", "apart"), [(8, 7), (9, 4), (6, 1)])
def test_a_running_sum_that_goes_on_from_row_to_row(dtype, rows, apart):
    x = torch.randint(-9, 30, (rows, 40), generator=torch.Generator().manual_seed(rows))
    right = x.double().cumsum(1)
    got = right.clone()
    for row in range(apart, rows):
        got[row] += got[row - apart, -1]

    def told(got, right=right, x=x):
        m = mismatch(got.to(dtype).flatten(), right.flatten(), x, shape=tuple(right.shape))
        return wrong_sums.of_row_before(m)

    assert told(got) == (
        f"the running sum of row {apart} goes on from the end of row 0, {apart} "
        f"row{'s' * (apart > 1)} before it, and so each row behind: does the sum start from 0 "
        "in each row that a block, a warp or a thread takes?"
    )
    assert told(got + 1) is None and told(got, right + 3) is None
    got[-1, 5] += 1
    assert told(got) is None
    assert told(right + 5 * (torch.arange(rows) >= apart)[:, None]) is None


@pytest.mark.parametrize(
    ("dtype", "name"), [(torch.int8, "int8"), (torch.uint8, "uint8"), (torch.int16, "int16")]
)
def test_means_of_a_sum_that_wraps_around(dtype, name):
    x = torch.arange(6 * 700).reshape(6, 700) % 97 + 20
    sums = x.sum(1)
    for n, axis in ((x, 1), (x.T.contiguous(), 0)):
        got, right = sums.to(dtype).float() / 700, sums.double() / 700
        told = wrong_sums.wrapped(mismatch(got, right, n.to(torch.uint8), shape=(6,)))
        assert f"({name}), beyond whose range it wraps around" in told, axis
    assert wrong_sums.wrapped(mismatch(right + 1, right, x.to(torch.uint8), shape=(6,))) is None


def in_type(sums, low, bits, saturates):
    if saturates:
        return sums.clamp(low, low + 2**bits - 1)
    return (sums - low).remainder(2.0**bits) + low


@pytest.mark.parametrize("saturates", [True, False])
@pytest.mark.parametrize("signed", [True, False])
@pytest.mark.parametrize(("groups", "columns"), [(1, 12), (3, 40), (4, 40)])
def test_sums_of_groups_that_are_cut_before_their_scale(saturates, signed, groups, columns):
    generator = torch.Generator().manual_seed(columns + groups)
    q = torch.randint(-127, 128, (6, columns), generator=generator).to(torch.int8)
    scales = torch.rand(6, groups, generator=generator)
    width = 16 if groups == 3 else -(-columns // groups)  # of three, the last is shorter
    parts = torch.stack([p.double().sum(1) for p in q.split(width, dim=1)], dim=1)
    right = (parts * scales).sum(1)
    cut = in_type(parts, -128 if signed else 0, 8, saturates)
    m = mismatch((cut * scales).sum(1).float(), right, q, scales, shape=(6,))
    near = (m.got.double() - right).abs() < 1e-3
    m = mismatch(m.got, right, q, scales, shape=(6,), wrong=~near)
    words = f"each wrong result is that of sums held in 8 bits ({'' if signed else 'u'}int8), "
    words += "in which they saturate" if saturates else "beyond whose range they wrap around"
    assert wrong_sums.scaled_groups(m).startswith(words)
    whose = "group" if groups > 1 else "row"
    assert f"is the type in which a {whose} is added up too narrow?" in said(
        m.got, right, q, scales, shape=(6,), wrong=~near
    )
    other = mismatch(m.got * 1.1, right, q, scales, shape=(6,))
    assert wrong_sums.scaled_groups(other) is None
    of_scale = mismatch((parts * scales[0]).sum(1).float(), right, q, scales, shape=(6,))
    assert wrong_sums.scaled_groups(of_scale) is None
    one = q[:, :1].double()
    m = mismatch(
        (one.remainder(256.0) * 0.5)[:, 0], one[:, 0] / 2, q[:, :1], scales[:, :1] * 0 + 0.5
    )
    assert wrong_sums.scaled_groups(replace(m, shape=(6,))) is None  # no sum, but one number


def test_infinity_of_numbers_that_no_half_holds():
    x = torch.zeros(8, 40)
    x[:, -1] = 1e22
    got = torch.full((8,), torch.inf)
    assert wrong_sums.in_half(mismatch(got, x.double().sum(1), x, shape=(8,))) is None
