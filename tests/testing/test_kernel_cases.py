"""The cases of the kernels that are not elementwise: sizes, numbers, results, tolerances."""

import itertools
import math
from types import SimpleNamespace

import pytest
import torch

from helpers.model.pointer_chase import random_cycle
from helpers.testing import kernel_cases, whole
from helpers.testing.cases import Case
from helpers.testing.kernel_cases import partial_sums


def launcher_of(name, *arguments):
    """Stand for a launcher of that name that takes these scalars, x [n] and one output [m]."""
    tensors = (
        SimpleNamespace(role="input", shape=("n",)),
        SimpleNamespace(role="output", shape=("m",)),
    )
    scalars = tuple(SimpleNamespace(name=argument) for argument in arguments)
    declaration = SimpleNamespace(name=name, tensors=tensors, arguments=scalars)
    return SimpleNamespace(declaration=declaration)


def cases_of(some):
    """List the cases but the launches past 2^31."""
    return [case for case in some if isinstance(case, Case)]


SIZES = [1, 2, 3, 5, 31, 32, 33, 127, 255, 257, 1000, 4099]
BLOCKS = [32, 96, 100, 256, 1024]


# ---- the numbers


def test_whole_numbers_stay_exact_in_any_order():
    """Bound the largest partial sum of each kind by its sum of magnitudes: below 2^24."""
    assert 50_001 * 50 < 1 << 24
    assert max(k for _, _, k in kernel_cases.SHAPES) * 50 * 50 < 1 << 24


def test_whole_and_positive_numbers():
    x = kernel_cases.whole_numbers(100, 100, seed=1)
    assert x.shape == (100, 100) and x.dtype is torch.float32
    assert (x.min(), x.max()) == (-50, 50) and torch.equal(x, x.round())
    assert kernel_cases.whole_numbers(1000, seed=1, limit=9).abs().max() == 9
    y = kernel_cases.positive_numbers(1000, seed=1)
    assert y.min() >= 0.5 and y.max() < 1.5 and 0.9 < y.mean() < 1.1
    assert not torch.equal(y, kernel_cases.positive_numbers(1000, seed=2))


def test_the_long_way_and_the_short_one():
    assert kernel_cases.long_way(torch.tensor([4.0, 0.0]), 2).tolist() == [3.125, 0.875]
    declaration = SimpleNamespace(name="branch")
    cases = list(kernel_cases.divergence(SimpleNamespace(declaration=declaration)))
    special = next(case for case in cases if case.label == "special values, steps = 1")
    expected = dict(zip(special.inputs[0].tolist(), special.expected[0].tolist(), strict=True))
    assert (expected[-1.0], expected[1.0], expected[0.0]) == (0.0, 1.25, 0.5)
    assert special.ulp == 2
    assert [case.ulp for case in cases if case.label.endswith("steps = 256")] == [8, 8, 8]


def test_a_swap_leaves_a_last_odd_thread_alone():
    launcher = SimpleNamespace(declaration=SimpleNamespace(name="swap_synced"))
    cases = {case.label: case for case in kernel_cases.swap(launcher)}
    x, out = (
        cases["n = 5, block_size = 32"].inputs[0],
        cases["n = 5, block_size = 32"].expected[0],
    )
    assert out.tolist() == [x[i].item() for i in (1, 0, 3, 2, 4)]
    x, out = (
        cases["n = 127, block_size = 33"].inputs[0],
        cases["n = 127, block_size = 33"].expected[0],
    )
    assert (out[31], out[32], out[33]) == (x[30], x[32], x[34])  # 32 is the last of its block
    launcher.declaration.name = "swap_unsynced"
    assert list(kernel_cases.swap(launcher)) == []


def test_partial_sums_share_out_every_element():
    x = torch.arange(1.0, 1004.0)
    for name in ("sum_one_thread", "sum_tree", "sum_shuffle", "sum_block", "sum_two_pass"):
        for count, block_size in ((1, 32), (3, 100), (40, 256)):
            assert partial_sums(name, x, count, block_size).sum() == x.double().sum()
    assert partial_sums("sum_two_pass", x[:7], 1, 32).tolist() == [28.0]


@pytest.mark.parametrize(
    ("name", "block_size", "share"),
    [
        ("sum_one_thread", 256, 256),
        ("sum_tree", 100, 100),
        ("sum_block", 256, 256),
        ("sum_block", 100, 128),
        ("sum_shuffle", 256, 32),
    ],
)
def test_a_partial_sum_is_that_of_a_block_or_of_a_warp(name, block_size, share):
    x = torch.arange(1000.0)
    parts = [part.sum().item() for part in x.split(share)]
    assert partial_sums(name, x, len(parts), block_size).tolist() == parts


def test_two_passes_take_packs_of_four_and_leave_the_rest_to_the_first_threads():
    x = torch.zeros(4 * 64 + 3)
    x[4 * 32], x[4 * 64] = 1.0, 10.0  # the first pack of the second block, and the tail
    assert partial_sums("sum_two_pass", x, 2, 32).tolist() == [10.0, 1.0]
    x = torch.zeros(4 * 33 + 3)
    x[4 * 32 :] = torch.tensor([1.0, 1, 1, 1, 10, 20, 40])
    assert partial_sums("sum_two_pass", x, 2, 32).tolist() == [70.0, 4.0]


def test_a_reduction_of_the_whole_array(fake_launcher):
    launcher = fake_launcher("float x", "float out", None)
    every = list(kernel_cases.whole_array(torch.max)(launcher))
    cases = [x for x in every if isinstance(x, Case)]
    assert (
        every[-1].label == "NaN" and len(cases) == 317 and cases[1].label == "n = 1, seed = 1"
    )
    for case in cases:
        assert case.expected[0].tolist() == [case.inputs[0].max().item()]
    assert max(case.inputs[0].abs().max() for case in cases) > 1e36


# ---- what is tried


def labels_of(cases):
    return [case.label for case in cases]


def test_each_warp_ids_case_follows_x_then_y_then_z():
    cases = list(kernel_cases.warp_ids(launcher_of("warp_ids")))
    blocks = ((1,), (32,), (100,), (256,), (16, 16), (5, 7), (1, 33), (33, 31))
    blocks += ((8, 4, 3), (3, 5, 11), (1, 1, 64))
    threads = [math.prod(block) for block in blocks]
    keys = [
        (b, n) for b, t in zip(blocks, threads, strict=True) for n in (t, 3 * t + t // 2 + 1)
    ]
    for case, (block, n) in zip(cases, keys, strict=True):
        sides = [*block, 1, 1][:3]
        of_block = list(itertools.product(*map(range, reversed(sides))))  # z, y, x
        rank = [x + sides[0] * (y + sides[1] * z) for z, y, x in of_block]
        copies = [rank[i % len(rank)] for i in range(n)]
        lanes, leaders, slots = (values.tolist() for values in case.expected)
        assert lanes == slots == [r % 32 for r in copies]
        assert leaders == [r // 32 * 32 for r in copies]
        assert case.label == f"block {' x '.join(map(str, block))}, {n:,} threads"
        assert case.arguments == dict(zip(("bx", "by", "bz"), sides, strict=True))
        assert case.inputs == () and case.dtypes == (torch.int32,) * 3
        assert case.ignored == ("slot",)  # the hardware chooses it


@pytest.mark.parametrize("name", ["branch", "all_long"])
def test_each_case_of_a_branch(name):
    cases = list(kernel_cases.divergence(launcher_of(name)))
    labels = []
    for steps in range(5):
        labels += [f"n = {n:,}, steps = {steps}" for n in SIZES]
        labels.append(f"special values, steps = {steps}")
    for steps in (0, 1, 2, 4, 5, 8, 16, 32, 37, 64, 100, 128, 256):
        labels += [f"n = {n}, steps = {steps}" for n in ("33", "1,000", "4,099")]
    labels += [f"n = 1,001, block_size = {b:,}, steps = 2" for b in BLOCKS]
    assert labels_of(cases) == labels
    for k, case in enumerate(cases):
        (x,), steps = case.inputs, case.arguments["steps"]
        assert case.label.endswith(f"steps = {steps}") and case.dtypes == (torch.float32,)
        is_random, is_special = 65 <= k < 104, "special" in case.label
        if not is_random and not is_special:
            assert (x % 256 == 0).all() and x.abs().max() <= 50 * 256 and case.ulp == 0
            assert x.numel() < 100 or x.min() == -50 * 256
        if is_random:
            assert (x % 1 != 0).all() and x.abs().max() < 6
            assert case.ulp == min(2 * steps, 8) and bool((x >= 0).all()) == (
                name == "all_long"
            )
        long = x.double()
        for _ in range(steps):
            long = long * 0.75 + 0.5
        right = long if name == "all_long" else torch.where(x < 0, x.double() + 1, long)
        same = (case.expected[0] == right) | right.isnan()
        assert bool(same[~x.isnan()].all()), case.label


def test_each_case_of_a_swap():
    cases = list(kernel_cases.swap(launcher_of("swap_synced")))
    blocks = [256, *BLOCKS, 33]
    assert labels_of(cases) == [f"n = {n:,}, block_size = {b:,}" for b in blocks for n in SIZES]
    for case in cases:
        (x,), block_size = case.inputs, case.arguments["block_size"]
        assert f"block_size = {block_size:,}" in case.label and case.dtypes == (torch.float32,)
        right = x.double()
        for start in range(0, len(x), block_size):
            block = right[start : start + block_size]
            pairs = len(block) // 2 * 2
            block[:pairs] = block[:pairs].reshape(-1, 2).flip(1).reshape(-1)
        assert torch.equal(case.expected[0], right), case.label


def test_each_case_of_partial_sums():
    cases = cases_of(kernel_cases.sums(launcher_of("sum_tree", "blocks", "block_size")))
    labels = [f"n = {n:,}, count = {c}" for n in [*SIZES, 50_001] for c in (1, 3, 40)]
    labels += [f"n = {n:,}" for n in whole.SIZES]
    labels += [f"n = {n}, positive fractions" for n in ("3", "33", "1,000", "4,099")]
    labels += [f"n = 3,001, block_size = {b:,}" for b in BLOCKS]
    assert labels_of(cases) == [*labels, "n = 517, one inf", "n = 517, one nan"]
    for case in cases:
        (x,), (right,), count = case.inputs, case.expected, case.arguments["blocks"]
        group = case.arguments.get("block_size", 256)
        padded = torch.cat([x.double(), torch.zeros(-len(x) % (count * group))])
        sums = padded.reshape(-1, count, group).sum((0, 2))
        assert torch.allclose(right, sums, rtol=1e-12, equal_nan=True), case.label
        is_fraction = "fractions" in case.label
        assert case.ulp == (len(x) / 2 if is_fraction else 0) and case.function is None
        assert bool((x % 1 == 0).all()) != (is_fraction or "one" in case.label)
        assert case.dtypes == (torch.float32,)
        assert case.label.startswith(f"n = {len(x):,}")
        assert case.quick == (case.label in {f"n = {n:,}" for n in whole.SIZES})
    assert [c.arguments["blocks"] for c in cases if c.quick] == [n % 5 + 1 for n in whole.SIZES]
    assert [case.size for case in cases[:3]] == [1, 3, 40]
    assert {case.size for case in cases if "block_size" in case.label} == {5}
    infinite, nan = cases[-2:]
    assert infinite.inputs[0].isinf().nonzero().tolist() == [[515]]
    assert nan.inputs[0].isnan().nonzero().tolist() == [[515]] and len(nan.inputs[0]) == 517
    assert "blocks" not in next(kernel_cases.sums(launcher_of("sum_tree"))).arguments


def total_launcher(*arguments):
    """Stand for x [n] -> partials [m], total [1]; with `blocks`: x [n] -> total [1] alone."""
    launcher = launcher_of("sum_total", *arguments)
    total = SimpleNamespace(role="output", shape=("1",))
    first, partial = launcher.declaration.tensors
    kept = (first, total) if arguments else (first, partial, total)
    launcher.declaration.tensors = kept
    return launcher


def test_a_total_alone_is_also_tried_past_2_31():
    alone = list(kernel_cases.sums(total_launcher("blocks")))
    some = cases_of(alone)
    assert all(case.function is torch.sum for case in some)
    assert all(case.expected[0].shape == (1,) for case in some)
    assert some[0].expected[0].tolist() == [float(some[0].inputs[0].sum())]
    huge = [one for one in alone if not isinstance(one, Case)]
    assert len(huge) > 1 and {one.arguments["blocks"] for one in huge} == {64}
    assert len(some) == len(alone) - len(huge)
    both = list(kernel_cases.sums(total_launcher()))
    assert all(isinstance(case, Case) and case.function is None for case in both)
    parts, total = both[1].expected
    assert (len(parts), len(total)) == (3, 1) and both[1].dtypes == (torch.float32,) * 2
    bare = total_launcher("block_size")
    huge = [one for one in kernel_cases.sums(bare) if not isinstance(one, Case)]
    assert {tuple(one.arguments) for one in huge} == {()}


def test_each_case_of_row_sums():
    cases = list(kernel_cases.promises(launcher_of("row_sums")))
    rows = [(1, 1), (1, 4), (3, 4), (257, 12), (40, 5), (10, 6), (9, 64), (1000, 3), (65, 67)]
    labels = []
    for m, n in rows:
        labels += [f"m = {m:,}, n = {n}", f"m = {m:,}, n = {n}, positive fractions"]
    labels += [f"m = 130, n = 8, block_size = {b:,}" for b in BLOCKS]
    assert labels_of(cases) == labels
    for case, shape in zip(
        cases, [s for s in rows for _ in (0, 1)] + 5 * [(130, 8)], strict=True
    ):
        (x,), (right,) = case.inputs, case.expected
        assert x.shape == shape and torch.allclose(right, x.double().cumsum(1)[:, -1])
        fraction = "fractions" in case.label
        assert case.ulp == (x.shape[1] / 2 if fraction else 0)
        assert bool((x % 1 == 0).all()) != fraction and case.dtypes == (torch.float32,)


def test_each_case_of_a_product():
    sides = [(1, 1, 1), (3, 5, 7), (33, 17, 40), (130, 1, 9), (1, 131, 33), (70, 150, 20)]
    sides += [(129, 35, 65), (17, 19, 1030), (3, 2, 4100), (20_011, 2, 3), (2, 20_011, 3)]
    for names, paddings in (((), [None]), (("padding",), [0, 1])):
        some = list(kernel_cases.matmul(launcher_of("tiles", *names)))
        assert len(some) == 18 * len(paddings)
        for padding, k in zip(paddings, (0, 18), strict=False):
            more = {} if padding is None else {"padding": padding}
            end = "" if padding is None else f", padding = {padding}"
            labels = [f"m = {m:,}, n = {n:,}, k = {k:,}{end}" for m, n, k in sides]
            labels += ["positive fractions", "a NaN in A", "a NaN in B", "zeros against a NaN"]
            cases, huge = some[k : k + 15], some[k + 15 : k + 18]
            assert labels_of(cases) == labels
            assert [case.ulp for case in cases] == [0] * 11 + [40, 0, 0, 0]
            assert {isinstance(one, Case) for one in huge} == {False}
            assert all(one.arguments == more for one in some[k : k + 18])
            for case, (m, n, depth) in zip(cases, sides, strict=False):
                a, b = case.inputs
                assert (a.shape, b.shape) == ((m, depth), (depth, n))
                assert a[0, 0] != b[0, 0] and case.function is torch.matmul and case.ulp == 0
                assert torch.equal(case.expected[0], (a @ b).double())
            check_special_products(cases[11:])


def check_special_products(cases):
    """Products of fractions, and of matrices with a NaN and infinities."""
    fractions, in_a, in_b, zeros = cases
    shapes = [tuple(x.shape) for case in cases for x in case.inputs]
    assert shapes == [(33, 40), (40, 37)] + 3 * [(35, 34), (34, 37)]
    assert fractions.ulp == 40 and fractions.dtypes == (torch.float32,)
    assert not torch.equal(fractions.inputs[0][0, :30], fractions.inputs[1][0, :30])
    a, b = zeros.inputs
    assert b.isnan().nonzero().tolist() == [[32, 36]] and a[33, 33] == 1
    assert (a == 0).all(1).nonzero().tolist() == [[7]]
    assert a.isinf().nonzero().tolist() == [[8, k] for k in range(5)]
    assert zeros.expected[0][7, 36].isnan() and zeros.expected[0][7, :36].tolist() == 36 * [0.0]
    assert not zeros.expected[0][8].isfinite().any()
    assert (
        not in_a.expected[0][:33].isnan().any() and not in_b.expected[0][:, :36].isnan().any()
    )


def test_each_walk_with_a_stride():
    cases = list(kernel_cases.bank_conflicts(launcher_of("strided_walk")))
    sizes = ((1, 0, 256), (70, 45, 64), (1000, 1100, 256), (999, 3, 96))
    keys = itertools.product((0, 1, 2, 7, 31, 32), sizes)
    for case, (stride, (n, rounds, block_size)) in zip(cases, keys, strict=True):
        assert case.arguments == {"stride": stride, "rounds": rounds, "block_size": block_size}
        label = f"stride = {stride}, rounds = {rounds:,}, block_size = {block_size}"
        assert case.label == f"n = {n:,}, {label}"
        ends = [(k % block_size % 32 * stride + rounds) % 1024 for k in range(n)]
        assert case.expected[0].tolist() == ends and case.inputs == ()
        assert case.dtypes == (torch.int32,)


def test_each_transpose():
    sides = [(1, 1), (32, 32), (33, 31), (1, 100), (100, 1), (65, 97), (7, 130)]
    large = [(1, 70_003), (70_003, 1), (3, 5003), (5003, 3), (515, 129)]
    for names, paddings in (((), [None]), (("padding",), [0, 1])):
        some = list(kernel_cases.bank_conflicts(launcher_of("transpose", *names)))
        if not names:
            many_tiles = [some.pop(12), some.pop(12)]
            assert [case.inputs[0].shape for case in many_tiles] == [
                (1, 2_097_153),  # 65,537 tiles of 32
                (2_097_153, 1),
            ]
            assert all(case.quick for case in many_tiles)
        assert len(some) == 16 * len(paddings)
        for padding, k in zip(paddings, (0, 16), strict=False):
            end = "" if padding is None else f", padding = {padding}"
            labels = [f"rows = {r:,}, cols = {c:,}{end}" for r, c in sides + large]
            labels.append(f"rows = 9, cols = 14{end}, special values")
            cases = some[k : k + 13]
            assert [c.label.replace(", special values", "") for c in cases[:12]] == labels[:12]
            assert sorted(cases[12].label.split(", ")) == sorted(labels[12].split(", "))
            assert [case.quick for case in cases] == 7 * [False] + 5 * [True] + [False]
            for case, shape in zip(cases, [*sides, *large, (9, 14)], strict=True):
                (x,), (right,) = case.inputs, case.expected
                assert x.shape == shape and right.shape == shape[::-1]
                assert torch.equal(right.isnan(), x.T.isnan()) and right.is_contiguous()
                assert case.right(0, x.T.reshape(-1)).all() and case.dtypes == (x.dtype,)
            assert cases[12].inputs[0].isnan().sum() == 7
            more = {} if padding is None else {"padding": padding}
            assert all(one.arguments == more for one in some[k : k + 16])
    assert kernel_cases.transpose is kernel_cases.bank_conflicts


def test_each_read_with_loads_in_flight():
    cases = list(kernel_cases.latency_hiding(launcher_of("read_sum")))
    threads = ((300, {"block_size": 64}), (1, {}), (77, {"shared_bytes": 1024}))
    keys = itertools.product((1, 2, 4, 8), (4, 16), [*SIZES, 20_003], threads)
    for case, (unroll, load_bytes, n, (count, more)) in zip(cases, keys, strict=True):
        assert case.arguments == {"unroll": unroll, "load_bytes": load_bytes, **more}
        label = f"n = {n:,}, threads = {count}, unroll = {unroll}, load_bytes = {load_bytes}"
        assert case.label.startswith(label) and case.dtypes == (torch.float32,)
        (x,), (sums,) = case.inputs, case.expected
        width = load_bytes // 4
        packs = n // width
        rest = x[width * packs :].double()
        of_packs = x[: width * packs].reshape(packs, width).double().sum(1)
        by_thread = torch.cat([of_packs, torch.zeros(-packs % count)]).reshape(-1, count).sum(0)
        by_thread[: min(len(rest), count)] += rest[:count]  # the tail: the first threads
        by_thread[0] += rest[count:].sum()
        assert len(x) == n and torch.equal(sums, by_thread), case.label


def test_each_chase_follows_its_chain():
    cases = list(kernel_cases.pointer_chase(launcher_of("chase")))
    chains = [(1, 1, 5), (50, 1, 50), (50, 32, 33), (100, 3, 1000), (7, 1, 0), (33, 1, 17)]
    for case, (count, stride, steps) in zip(cases, chains, strict=True):
        label = f"count = {count}, stride = {stride}, steps = {steps:,}"
        assert case.label == label and case.arguments == {"steps": steps}
        links, at = case.inputs[0], 0
        assert torch.equal(links, torch.from_numpy(random_cycle(count, stride, seed=count)))
        for _ in range(steps):
            at = int(links[at])
        assert [end.tolist() for end in case.expected] == [[at], [at]]
        assert case.dtypes == (torch.int32, torch.int64) and case.ignored == ("cycles",)


def test_each_case_of_a_function_of_the_whole_array():
    cases = list(itertools.islice(kernel_cases.whole_array(torch.sum)(None), 26))
    labels = [f"n = {n:,}, seed = {seed}" for n in [*SIZES, 50_001] for seed in (0, 1)]
    assert labels_of(cases) == labels
    for case in cases:
        (x,), (right,) = case.inputs, case.expected
        assert x.abs().max() <= 9 and right.tolist() == [float(x.double().sum())]
        assert case.dtypes == (torch.float32,) and case.function is torch.sum
    assert (
        cases[-1].inputs[0].abs().max() > 0 and max(c.inputs[0].max() for c in cases[:26]) == 9
    )
    assert not torch.equal(cases[20].inputs[0], cases[21].inputs[0])
    with pytest.raises(TypeError, match=r"not a function of x \[n\], such as torch.max"):
        kernel_cases.whole_array("max")


def test_cases_of_products_stay_as_they_are_when_the_next_is_made(fake_launcher):
    """A slow kernel's cases are all made before the first of them is tried."""
    launcher = fake_launcher("float a, float b", "float c")
    made = [case for case in kernel_cases.matmul(launcher) if isinstance(case, Case)]
    for case in made:
        a, b = case.inputs
        assert torch.allclose(a.double() @ b.double(), case.expected[0], equal_nan=True)
