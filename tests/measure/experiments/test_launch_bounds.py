"""The kernels of launch_bounds.cu are right and measured."""

import pytest
import torch

from helpers.errors import CheckError
from helpers.measure import store
from helpers.measure.experiments import launch_bounds
from helpers.run import jit
from helpers.testing import check


def test_every_kernel_is_right():
    kernel = jit.load("launch_bounds")
    assert check.verdict(kernel, cases=launch_bounds.cases).ok
    assert set(kernel.declarations) == set(launch_bounds.KERNELS)


def test_the_cases_are_of_whole_and_broken_blocks():
    cases = list(launch_bounds.cases(None))
    sizes = [(case.inputs[0].shape[1], case.arguments["block_size"]) for case in cases]
    assert sizes == [(1, 256), (31, 32), (257, 64), (1003, 256), (4096, 128)]
    for case in cases:
        (x,), (want,) = case.inputs, case.expected
        assert x.shape[0] == 40 and case.dtypes == (torch.float32,)
        assert want.dtype is torch.float64
        assert torch.equal(want.max(0).values, torch.zeros(x.shape[1], dtype=torch.float64))
        assert torch.equal(want[0] - want[1], x[0].double() - x[1].double())


def test_all_four_are_measured(gpu, no_check):
    rows = launch_bounds.measure_launch_bounds(columns=100)
    assert [row.kernel for row in rows] == [
        "launch_bounds plain",
        "launch_bounds for_4",
        "launch_bounds for_6",
        "launch_bounds for_8",
    ]
    for row, call in zip(rows, gpu.calls, strict=True):
        assert (row.elements, row.bytes_moved) == (4000, 32000)
        assert (row.block_size, row.dtype) == (256, "float32")
        x, out = call.functions[0].args
        assert torch.equal(out, x - x.amax(0))


def test_the_three_texts_are_right_and_measured(gpu, no_check):
    kernel = jit.load("registers")
    assert check.verdict(kernel, cases=launch_bounds.cases).ok
    assert list(kernel.declarations) == [f"subtract_max_{k}" for k in launch_bounds.REGISTERS]
    rows = launch_bounds.measure_registers(columns=100)
    assert [row.kernel for row in rows] == [
        "registers kept",
        "registers reused",
        "registers reloaded",
    ]
    assert {(row.elements, row.bytes_moved) for row in rows} == {(4000, 32000)}


def test_a_wrong_kernel_is_not_measured(gpu, monkeypatch):
    right = launch_bounds.cases

    def wrong(launcher):
        for case in right(launcher):
            case.expected[0].add_(1)
            yield case

    monkeypatch.setattr(launch_bounds, "cases", wrong)
    with pytest.raises(CheckError):
        launch_bounds.measure_launch_bounds(columns=100)


def test_the_record_is_of_the_default_matrix():
    rows = store.load("launch bounds", "H200")
    assert set(rows.elements) == {launch_bounds.ROWS * launch_bounds.COLUMNS} == {40 << 20}
    names = {f"launch_bounds {name}" for name in launch_bounds.KERNELS.values()}
    assert set(rows.kernel) == names


@pytest.mark.parametrize(
    ("name", "rows"),
    [
        ("launch bounds", 4),
        ("registers", 3),
    ],
)
def test_what_is_measured_is_what_the_record_has(name, rows, compare_with_the_record):
    assert compare_with_the_record(name) == rows
