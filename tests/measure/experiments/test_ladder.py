"""Which launches of the versions are measured."""

import itertools
from collections import Counter

import pytest
import torch

from helpers.measure import bench, store
from helpers.measure.experiments import ladder
from helpers.model.ladder import VERSIONS
from helpers.run import machine

# How many dtypes; of the first six by hand, of a later version as the table says.
ADDS = {version.name: len(version.dtypes) for version in VERSIONS}
ADDS |= {"v1_f32": 1, "v2_f32x4": 1, "v3_f16": 2, "v4_f16x2": 2, "v5_f16x8": 2}
ADDS |= {"v6_f16x8_pack": 2, "torch.add": 3}
LAST = VERSIONS[-1]


class Turn:
    """The GPU to itself: `open` while it is so."""

    open = 0

    def __enter__(self):
        self.open += 1

    def __exit__(self, *error):
        self.open -= 1


@pytest.fixture
def adds(monkeypatch):
    """Collect the arguments of every `bench.measure`, all in one turn; kernels are names."""
    calls, turn = [], Turn()

    def measure(**arguments):
        assert turn.open == 1
        calls.append(arguments)
        return "row"

    here = machine.Machine("gpu", "a GPU", "made up", "2.11", cc="9.0")
    monkeypatch.setattr(bench, "require_gpu", lambda: here)
    monkeypatch.setattr(bench, "largest_that_fits", lambda elements, bytes_each: elements)
    monkeypatch.setattr(ladder, "checked", lambda name: f"checked {name}")
    monkeypatch.setattr(bench, "gpu_to_itself", lambda: turn)
    monkeypatch.setattr(bench, "measure", measure)
    return calls


def test_the_ladder_is_measured_in_every_dtype_size_and_method(adds):
    rows = ladder.measure_ladder(methods=["graph hot", "wall clock"], sizes=[8, 16])
    assert len(rows) == len(adds) == 2 * 2 * sum(ADDS.values())
    kernels = Counter(call["kernel"].removeprefix("checked ") for call in adds)
    assert kernels == {name: 4 * dtypes for name, dtypes in ADDS.items()}
    assert adds[0] == {
        "kernel": "torch.add",
        "dtype": "float32",
        "elements": 8,
        "method": "graph hot",
    }
    assert adds[-1] == {
        "kernel": f"checked {LAST.name}",
        "dtype": LAST.dtypes[-1],
        "elements": 16,
        "method": "wall clock",
    }


def test_the_ladder_takes_the_articles_sizes_and_three_methods_by_default(adds):
    assert len(ladder.measure_ladder()) == 3 * 3 * sum(ADDS.values())
    assert {call["elements"] for call in adds} == {1 << 20, 1 << 24, 1 << 28}
    assert {call["method"] for call in adds} == {"graph hot", "graph cold", "wall clock"}


@pytest.mark.parametrize(("cc", "said"), [("7.5", True), ("8.0", False)])
def test_a_card_without_bfloat16_says_so(adds, monkeypatch, capsys, cc, said):
    here = machine.Machine("gpu", "a GPU", "made up", "2.11", cc=cc)
    monkeypatch.setattr(bench, "require_gpu", lambda: here)
    assert ladder.measure_ladder(methods=["graph hot"], sizes=[8])
    words = f"compute capability {cc} adds bfloat16 in float32, and rounds"
    assert (words in capsys.readouterr().out) == said


def test_sizes_give_way_to_the_largest_that_fits(adds, monkeypatch):
    monkeypatch.setattr(bench, "largest_that_fits", lambda elements, each: min(elements, 9))
    assert ladder.fitting([8, 16, 32]) == [8, 9]
    ladder.measure_block_sizes(sizes=[8, 16, 32])
    assert {call["elements"] for call in adds} == {8, 9}


def test_block_sizes_are_every_whole_number_of_warps(adds):
    assert len(ladder.measure_block_sizes(sizes=[1 << 20])) == len(VERSIONS) * 32
    sizes = [call["block_size"] for call in adds if call["kernel"] == "checked v1_f32"]
    assert sizes == list(range(32, 1056, 32))
    assert set(adds[0]) == {"kernel", "block_size", "elements"}


def test_working_sets_are_of_three_tensors(adds):
    assert len(ladder.measure_working_sets(sets=[3 << 20])) == 2 * 4
    assert adds[0] == {
        "kernel": "checked v1_f32",
        "dtype": "float32",
        "block_size": 256,
        "elements": 1 << 18,
        "method": "graph hot",
    }
    assert adds[2] | {"method": ""} == {
        "kernel": "checked v6_f16x8_pack",
        "dtype": "float16",
        "block_size": 256,
        "elements": 1 << 19,
        "method": "",
    }
    assert adds[3]["kernel"] == "torch.add" and adds[3]["block_size"] is None
    assert [call["method"] for call in adds] == ["graph hot"] * 4 + ["graph cold"] * 4
    adds.clear()
    ladder.measure_working_sets(sets=[12 * 15])
    assert adds[0]["elements"] == 8  # whole packs


def test_working_sets_go_from_1_mib_to_2_8_gib():
    sets = ladder.WORKING_SETS
    assert (len(sets), sets[0], sets[1], sets[-2]) == (24, 1 << 20, 1482910, 1 << 31)
    assert all(1.41 < b / a < 1.42 for a, b in itertools.pairwise(sets))


def test_what_does_not_fit_is_left_out_and_said(adds, monkeypatch, capsys):
    def measure(**call):
        if call["elements"] > 8:
            raise torch.OutOfMemoryError("too large")
        return call

    monkeypatch.setattr(bench, "measure", measure)
    rows = ladder.measure_adds(
        [{"kernel": "torch.add", "elements": n} for n in (8, 16, 8)], "title"
    )
    assert [row["elements"] for row in rows] == [8, 8]
    assert "left out: too large" in capsys.readouterr().out


def test_each_kernel_is_checked_once(adds, monkeypatch):
    seen = []
    monkeypatch.setattr(ladder, "checked", lambda name: seen.append(name) or name)
    calls = [{"kernel": name} for name in ("v1_f32", "v2_f32x4", "v1_f32", "torch.add")]
    ladder.measure_adds(calls, "title")
    assert seen == ["v1_f32", "v2_f32x4"]


def test_empty_grids(monkeypatch):
    monkeypatch.setattr(bench, "measure_empty", lambda blocks, size: (blocks, size))
    grids = ladder.measure_empty_grids()
    assert len(grids) == len(set(grids)) == 6 * 32
    assert grids[0] == (1, 32) and grids[-1] == (1 << 20, 1024)
    assert ladder.measure_empty_grids([4], [64, 96]) == [(4, 64), (4, 96)]


def test_the_record_is_of_the_default_launches():
    rows = store.load("empty kernel", "H200")
    assert set(rows.elements) == set(ladder.EMPTY_GRIDS)
    assert set(rows.block_size) == set(ladder.BLOCK_SIZES)
    rows = store.load("working set", "H200")
    own = rows[(rows.kernel == "v1_f32") & (rows.method == "graph hot")]
    assert own.elements.tolist()[:3] == [87376, 123568, 174760]
    assert set(rows.kernel) == set(ladder.WORKING_SET_KERNELS)


@pytest.mark.parametrize(
    ("name", "rows"),
    [
        ("ladder", 117),
        ("block sweep", 576),
        ("working set", 192),
        ("empty kernel", 192),
    ],
)
def test_what_is_measured_is_what_the_record_has(name, rows, compare_with_the_record):
    assert compare_with_the_record(name) == rows
