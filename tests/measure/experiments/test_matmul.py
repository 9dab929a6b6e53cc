"""The products that are measured, and their table."""

import pytest
import torch

from helpers.measure import store
from helpers.measure.experiments import matmul
from helpers.measure.measurement import label

KERNELS = [
    "matmul_plain",
    "matmul_tile16",
    "matmul_tile32 padded",
    "matmul_tile32",
    "matmul_registers",
    "torch.matmul",
]


def test_every_product_of_every_side_is_measured_and_right(gpu, no_check):
    rows = matmul.measure_matmul([40, 33])
    assert [label(row.kernel, row.dials) for row in rows] == 2 * KERNELS
    for row, call in zip(rows, gpu.calls, strict=True):
        side = int(row.parameter)
        assert row.elements == side**2
        assert row.bytes_moved == 12 * side**2
        assert row.flops == 2 * side**3
        a, b, c = call.functions[0].args
        assert torch.allclose(c, a @ b, atol=1e-4)
    assert {row.parameter for row in rows} == {40, 33}
    paddings = [call.functions[0].keywords.get("padding") for call in gpu.calls[:6]]
    assert paddings == [None, None, 1, 0, None, None]


def test_torch_keeps_float32_while_it_is_measured_and_its_setting_afterwards():
    setting = torch.backends.cuda.matmul
    before = setting.allow_tf32
    try:
        for allowed in (True, False):
            setting.allow_tf32 = allowed
            with matmul._full_float32():
                assert not setting.allow_tf32
            assert setting.allow_tf32 == allowed
            with pytest.raises(ZeroDivisionError), matmul._full_float32():
                raise ZeroDivisionError
            assert setting.allow_tf32 == allowed
    finally:
        setting.allow_tf32 = before


def test_products_as_tflops(gpu, no_check):
    rows = store.frame(matmul.measure_matmul([8]))
    # 2 x 8^3 = 1,024 operations in 10 us.
    assert matmul.products_table(rows, 8)["torch.matmul"] == pytest.approx(1.024e-4)
    assert list(matmul.products_table(rows, 8).index) == KERNELS
    assert matmul.products_table(rows, 16).empty


def test_the_record_is_of_the_default_sides():
    rows = store.load("matmul", "H200")
    assert set(rows.parameter) == set(matmul.SIDES)
    assert [len(own) for _, own in rows.groupby("parameter")] == 4 * [len(KERNELS)]


def test_the_plain_product_by_its_side(gpu, no_check):
    rows = matmul.measure_sides([40, 33])
    assert [(row.kernel, row.parameter) for row in rows] == [
        ("matmul_plain", 40),
        ("matmul_plain", 33),
    ]
    assert [row.flops for row in rows] == [2 * 40**3, 2 * 33**3]


def test_fewer_and_fewer_blocks_on_an_sm(gpu, no_check):
    rows = matmul.measure_fewer_warps([40])
    assert [row.parameter for row in rows] == [8, 4, 2, 1]
    assert {(row.kernel, row.elements) for row in rows} == {("matmul_fewer", 1600)}
    for row, call in zip(rows, gpu.calls, strict=True):
        run = call.functions[0]
        assert run.keywords == {"blocks": row.parameter * 2}  # of two SMs
        a, b, c = run.args
        assert torch.allclose(c, a @ b, atol=1e-4)


@pytest.mark.parametrize(
    ("name", "rows"),
    [
        ("matmul", 24),
        ("matmul sides", 13),
    ],
)
def test_what_is_measured_is_what_the_record_has(name, rows, compare_with_the_record):
    assert compare_with_the_record(name) == rows
