"""The steps pass the checks that apply to them; their launches and their tables."""

import pandas as pd
import pytest
import torch

from helpers.measure import store
from helpers.measure.experiments import template
from helpers.run import jit
from helpers.testing import check


@pytest.mark.parametrize(
    "name", ["step1_functor", "step2_grid_stride", "step5_tail", "step6_apply2"]
)
def test_finished_steps_are_right_everywhere(name):
    assert template.step(name).checked


@pytest.mark.parametrize("name", ["step3_pack", "step4_alignment"])
def test_steps_without_a_tail_are_right_for_whole_packs_only(name):
    assert template.step(name).checked
    assert not check.verdict(jit.load(name), lambda x: x * x).ok


def test_whole_packs_have_no_tail_and_aligned_addresses():
    launcher = jit.load("step3_pack").launchers["square_f16"]
    cases = template.whole_packs(launcher)
    assert len(cases) > 3
    assert all(case.inputs[0].numel() % 8 == 0 and case.offset == 0 for case in cases)


@pytest.fixture
def rows(gpu, monkeypatch):
    monkeypatch.setattr(template, "step", jit.load)
    return template.measure_steps([1024])


def test_every_launch_of_every_step(rows, gpu):
    assert [(row.kernel, row.parameter) for row in rows] == [
        ("step1_functor", None),
        *(("step2_grid_stride", waves) for waves in (1, 2, 4, 8, 32, 0)),
        ("step3_pack", None),
        *(("step4_alignment", pack) for pack in (16, 8, 4, 2)),
        ("step5_tail", None),
        ("step6_apply2 square_singles", None),
        ("step6_apply2 square_pairs", None),
        ("torch.mul", None),
    ]
    for row, call in zip(rows, gpu.calls, strict=True):
        x, out = call.functions[0].args[-2:]
        assert torch.equal(out, x * x), row.kernel
        assert (row.elements, row.bytes_moved, row.dtype) == (1024, 4096, "float16")
        assert len(x) == 1024 and call.precision == 0.01


def test_slices_start_where_their_pack_must(rows, gpu):
    starts = [call.functions[0].args[-2].storage_offset() for call in gpu.calls]
    assert starts == [0] * 8 + [0, 4, 2, 1] + [0] * 4


def table_rows(*values: tuple) -> pd.DataFrame:
    columns = ["kernel", "dtype", "elements", "time_us", "gb_per_s", "parameter", "gpu"]
    return pd.DataFrame(values, columns=columns).astype({"parameter": "Float64"})


def test_tables():
    some = table_rows(
        ("step1_functor", "float16", 256, 4.0, 100.0, None, "g"),
        ("step2_grid_stride", "float16", 256, 5.0, 80.0, 32, "g"),
        ("step2_grid_stride", "float16", 256, 9.0, 40.0, 1, "g"),
        ("step4_alignment", "float16", 256, 7.0, 50.0, 2, "g"),
        ("step1_functor", "float16", 512, 8.0, 99.0, None, "g"),
    )
    table = template.step_table(some)
    assert table[256].to_dict() == {"1 functor": 4.0, "2 grid-stride": 5.0}
    assert table.loc["1 functor"].to_dict() == {256: 4.0, 512: 8.0}
    waves = template.parameter_table(some, "step2_grid_stride")
    assert waves[256].to_dict() == {32: 80.0, 1: 40.0}


def test_tables_of_nothing_are_empty():
    nothing = table_rows()
    assert template.step_table(nothing).empty


def test_the_record_is_of_every_launch_and_names_each():
    rows = store.load("template steps", "H200")
    launches = list(template.launches({name: jit.load(name) for name in template.STEPS}))
    assert len(rows) == 3 * len(launches)
    assert set(rows.kernel) == {launch.kernel for launch in launches} == set(template.LABELS)
    assert set(rows.elements) == {1 << 20, 1 << 24, 1 << 28}


@pytest.mark.parametrize(
    ("name", "rows"),
    [
        ("template steps", 48),
        ("byte packs", 15),
    ],
)
def test_what_is_measured_is_what_the_record_has(name, rows, compare_with_the_record):
    assert compare_with_the_record(name) == rows
