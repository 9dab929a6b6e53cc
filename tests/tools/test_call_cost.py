"""The tool that prints what one call of a kernel costs."""

import math
import runpy

import pytest
import torch

from helpers import paths

TOOL = runpy.run_path(str(paths.ROOT / "tools" / "call_cost.py"))


@pytest.fixture(scope="module")
def kernel(tmp_path_factory):
    return TOOL["stub_kernel"](tmp_path_factory.mktemp("stub"))


def test_every_column_is_a_call_that_works(kernel):
    tensors = tuple(torch.ones(8) for _ in range(3))
    calls = TOOL["columns"](kernel, tensors)
    assert {"torch.add(a, b, out=out)", "kernel(a, b, out)"} < calls.keys()
    for call in calls.values():
        call()
    assert bool((tensors[2] == 2).all())  # from torch.add: the stub writes nothing


def test_the_best_round_counts_and_all_take_turns():
    order = []
    calls = {name: lambda name=name: order.append(name) for name in "ab"}
    best = TOOL["best_microseconds"](calls, rounds=3, count=2)
    assert order == list("aabb") * 3
    assert best.keys() == {"a", "b"} and all(0 < t < math.inf for t in best.values())
