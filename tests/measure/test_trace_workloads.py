"""The workloads that ncu and the trace count: each is recorded, its inputs are the same."""

import csv

import pytest
import torch

from helpers import paths
from helpers.measure import trace_workloads
from helpers.measure.trace_workloads import COURSE, OTHERS, WORKLOADS, Workload

BY_LABEL = {one.label: one for one in WORKLOADS}


def recorded():
    with (paths.DATA / "trace_counters.csv").open(encoding="utf-8") as file:
        return {row["workload"] for row in csv.DictReader(file)}


def test_each_workload_has_a_label_of_its_own():
    assert len(BY_LABEL) == len(WORKLOADS)


def test_every_workload_is_recorded_under_its_label():
    assert set(BY_LABEL) <= recorded()


def test_the_course_s_kernels_and_others():
    assert (len(COURSE), len(OTHERS)) == (136, 89)
    assert all(one.path.parent == paths.KERNELS for one in COURSE)
    assert all(one.path.parent == trace_workloads.OTHER_KERNELS for one in OTHERS)


@pytest.mark.parametrize("label", ["v1_f32.add block_size=256", "cooperation.compact"])
def test_a_label_leads_to_its_launcher(label):
    one = BY_LABEL[label]
    assert one.path.stem == label.split(".")[0]
    assert one.declaration.name == label.split(".")[1].split()[0]


def test_the_extents_of_tensors():
    x, out = BY_LABEL["layer_norm.layer_norm rows=9 cols=96"].tensors()[::3]
    assert tuple(x.shape) == tuple(out.shape) == (9, 96)
    a, b, out = BY_LABEL["v1_f32.add block_size=256"].tensors()
    assert a.shape == b.shape == out.shape == (10_007,)
    assert not out.any() and out.dtype is torch.float32


def test_the_numbers_of_inputs():
    """They decide which way branches go, and so what was counted on the GPU."""
    a, b, _ = BY_LABEL["v1_f32.add block_size=256"].tensors()
    assert [round(1024 * float(v)) for v in a[:4]] == [-1024, 540, -825, 578]
    assert float(a.min()) >= -1 and float(a.max()) < 1
    assert not torch.equal(a, b)
    numbers = trace_workloads._hash(1000, 0)
    assert 0 <= int(numbers.min()) and int(numbers.max()) < 1 << 24
    ints = {name: make(numbers) for name, make in trace_workloads.INTEGERS.items()}
    assert (int(ints["random"].min()), int(ints["random"].max())) == (-125, 125)
    assert (int(ints["bins"].min()), int(ints["bins"].max())) == (0, 63)
    assert (int(ints["indices"].min()), int(ints["indices"].max()) < 1000) == (0, True)
    assert bool((ints["sorted"][1:] >= ints["sorted"][:-1]).all())
    assert ints["sorted"][-3:].tolist() == [4091, 4092, 4093]
    assert {one.ints for one in WORKLOADS} == set(ints)
    assert ints["next"][:3].tolist() == [33, 34, 35] and int(ints["next"][-1]) == 32


def test_an_own_workload():
    one = Workload("v1_f32", "add", {"n": 5}, {"block_size": 64})
    assert one.label == "v1_f32.add n=5 block_size=64"
    assert [len(x) for x in one.tensors()] == [5, 5, 5]
