"""The measurements of notebook 17: every operator is right before it is timed, and the tables say what they say."""

import pandas as pd
import pytest
import torch

from helpers.measure import experiments
from helpers.measure.experiments import operators
from helpers.run import jit
from helpers.testing import check


@pytest.mark.parametrize(
    "name", ["rung1_functor", "rung2_grid_stride", "rung5_tail", "rung6_apply2"]
)
def test_finished_rungs_are_right_everywhere(name):
    assert operators.rung(name).checked


@pytest.mark.parametrize("name", ["rung3_pack", "rung4_alignment"])
def test_rungs_without_a_tail_are_right_for_whole_packs_only(name):
    assert operators.rung(name).checked
    assert not check.verdict(jit.load(name), lambda x: x * x).ok


@pytest.mark.parametrize(
    "one", operators.OPERATORS, ids=lambda one: f"{one.name} {one.casts_to}"
)
@pytest.mark.parametrize("dtype", [torch.float32, torch.float16])
def test_operators_are_as_exact_as_pytorch_s(one, dtype):
    dtype = one.casts_to or dtype
    ours, theirs = operators.difference(one, dtype, 3 * 4096)
    assert ours <= (8 if dtype is torch.float32 else 0.51)
    assert ours <= theirs + 2


def test_the_predicted_ratio_of_fusion():
    one = operators.operator("bias_gelu_residual")
    n = 1 << 20
    assert one.bytes_moved(n, torch.float16, eager=True) / one.bytes_moved(
        n, torch.float16
    ) == pytest.approx(7 / 3)


def test_an_unknown_operator_names_the_known_ones():
    with pytest.raises(KeyError, match="bias_gelu_residual"):
        operators.operator("swish")


def test_the_experiments_are_registered():
    assert {"template rungs", "operators", "layer norm"} <= set(experiments.EXPERIMENTS)


def rows(*values: tuple) -> pd.DataFrame:
    columns = ["kernel", "dtype", "elements", "time_us", "gb_per_s", "parameter", "gpu"]
    return pd.DataFrame(values, columns=columns).astype({"parameter": "Float64"})


def test_tables():
    some = rows(
        ("rung1_functor", "float16", 256, 4.0, 100.0, None, "g"),
        ("rung2_grid_stride", "float16", 256, 5.0, 80.0, 32, "g"),
        ("rung2_grid_stride", "float16", 256, 9.0, 40.0, 1, "g"),
        ("rung4_alignment", "float16", 256, 7.0, 50.0, 2, "g"),
    )
    assert operators.rung_table(some)[256].to_dict() == {"1 functor": 4.0, "2 grid-stride": 5.0}
    assert list(operators.rung_bandwidths(some, 256).label) == ["1 functor", "2 grid-stride"]
    assert operators.dial_table(some, "rung2_grid_stride")[256].to_dict() == {32: 80.0, 1: 40.0}
    pair = rows(
        ("relu", "float16", 256, 4.0, 100.0, None, "g"),
        ("torch relu", "float16", 256, 6.0, 66.0, None, "g"),
        ("torch.compile relu", "float16", 256, 5.0, 80.0, None, "g"),
    )
    table = operators.beside_torch(pair)
    assert len(table) == 1 and table["torch / ours"].iloc[0] == 1.5


def test_tables_of_nothing_are_empty():
    nothing = rows()
    assert operators.rung_table(nothing).empty and operators.rung_bandwidths(nothing, 256).empty
    assert operators.beside_torch(nothing).empty
