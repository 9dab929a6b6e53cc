"""The launches of recorded kernels against their files, and the model against held-out rows."""

import re
import runpy
from functools import cache

import pytest

from helpers import paths
from helpers.model import launches
from helpers.model.ceilings import BLOCK_RATE
from helpers.model.launch_shape import LaunchShape
from helpers.teach.tables import other_kernels

DRAW = runpy.run_path(str(paths.ROOT / "tools" / "draw_held_out.py"))


def test_the_templates_operators_take_one_pack_of_16_bytes_a_thread():
    assert launches.template_shape("add", "float32") == LaunchShape(4, 4, 256, out_bytes=4)
    relu = launches.template_shape("relu", "float16")
    assert (relu.elements_per_thread, relu.reads, relu.bytes_per_element) == (8, 1, 4)
    cast = launches.template_shape("cast", "bfloat16")
    assert (cast.elements_per_thread, cast.element_bytes, cast.out_bytes) == (4, 4, 2)
    assert launches.template_shape("multiply_add", "float32").bytes_in_flight_per_thread == 48
    with pytest.raises(KeyError):
        launches.template_shape("gelu", "float32")


def test_the_steps():
    assert launches.step_shape("step1_functor") == LaunchShape(1, 2, 256, reads=1)
    assert launches.step_shape("step3_pack") == LaunchShape(8, 2, 256, reads=1)
    assert launches.step_shape("step4_alignment", 4) == LaunchShape(2, 2, 256, reads=1)
    with pytest.raises(KeyError, match="no launch is known of 'step2_grid_stride'"):
        launches.step_shape("step2_grid_stride")


def test_cupy_takes_one_element_a_thread_in_blocks_of_128():
    assert launches.cupy_shape("add", "float16") == LaunchShape(1, 2, 128, out_bytes=2)
    cast = launches.cupy_shape("cast", "float16")
    assert (cast.element_bytes, cast.out_bytes, cast.reads) == (4, 2, 1)


def test_blocks_have_256_threads_in_the_kernels_files():
    text = (paths.KERNELS / "elementwise.cuh").read_text()
    assert f"block_size = {launches.TEMPLATE_THREADS};" in text
    for step in ("step1_functor", "step3_pack", "step4_alignment", "step5_tail"):
        found = set(
            re.findall(r"block_size = (\d+)", (paths.KERNELS / f"{step}.cu").read_text())
        )
        assert found == {"256"}


def test_a_recorded_kernel_by_its_name():
    assert launches.recorded_shape("CuPy add", "float32") == launches.cupy_shape(
        "add", "float32"
    )
    assert launches.recorded_shape("torch add", "float16") == LaunchShape(8, 2, 128)
    for name in ("template cast", "cast"):
        assert launches.recorded_shape(name, "float16") == launches.template_shape(
            "cast", "float16"
        )
    assert launches.recorded_shape("step4_alignment", "float16", 2.0).elements_per_thread == 1
    assert launches.recorded_shape("step5_tail", "float16").elements_per_thread == 8
    with pytest.raises(KeyError):
        launches.recorded_shape("torch gelu", "float32")


# ---- held-out rows ---------------------------------------------------------------------------


rows = cache(other_kernels)


def test_the_list_is_the_one_that_the_seed_draws():
    assert (paths.DATA / "held_out.csv").read_text() == DRAW["table"]()


def test_a_group_is_drawn_whatever_the_others_are_called():
    groups = DRAW["groups"]()
    assert len(groups) == 29
    drawn = DRAW["draw"](groups)
    assert [row[:3] for row in drawn] == groups
    assert {row[3] for row in drawn} == {"fit", "held out"}
    assert (*DRAW["ALWAYS_HELD_OUT"], "held out") in drawn


def test_held_out_rows_are_predicted_as_well_as_those_that_were_fitted():
    """Other kernels than the ladder's, of which no constant saw a row."""
    held_out = rows("held out").off
    assert len(held_out) == 204
    assert (held_out**2).mean() ** 0.5 < 0.03
    assert (held_out.abs() <= 0.10).mean() >= 0.97
    assert (held_out.abs() <= 0.05).mean() >= 0.92
    assert held_out.abs().max() < 0.12
    assert (held_out**2).mean() <= (rows("fit").off ** 2).mean()


def test_kernels_without_a_fitted_row_are_predicted_nearly_as_well():
    """The draw is by kernel and dtype, so most kernels have rows on both sides of it."""
    table = rows("held out")
    apart = table[~table.has_fitted.astype(bool)]
    assert set(apart.kernel) == {"multiply_add", "step3_pack", "step5_tail"}
    assert len(apart) == 18 and (apart.off**2).mean() ** 0.5 < 0.04
    others = set(table[table.has_fitted.astype(bool)].kernel)
    assert {"CuPy add", "torch add", "add", "template add"} <= others
    assert rows("fit").has_fitted.all()


def test_at_2_28_elements_each_held_out_row_is_within_3_percent():
    table = rows("held out")
    large = table[table.elements == 2**28]
    assert len(large) > 60 and large.off.abs().max() < 0.03


def test_cupys_float16_add_meets_the_block_rate_blind():
    table = rows("held out")
    cupy = table[(table.kernel == "CuPy add") & (table.elements == 2**28)]
    assert set(cupy.dtype) == {"float16"} and set(cupy.ceiling) == {BLOCK_RATE}
    assert cupy.off.abs().max() < 0.01
