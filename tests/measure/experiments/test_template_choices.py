"""The template's choices: what is measured, with which bytes, after which check."""

import pytest
import torch

from helpers.measure import bench
from helpers.measure.experiments import template_choices
from helpers.run import jit
from helpers.testing import check


@pytest.fixture(autouse=True)
def everything_fits(monkeypatch):
    asked = []

    def largest(elements, bytes_per_element):
        asked.append((elements, bytes_per_element))
        return elements

    monkeypatch.setattr(bench, "largest_that_fits", largest)
    return asked


def test_byte_packs_stand_beside_pytorch_with_the_bytes_they_move(
    gpu, no_check, everything_fits
):
    rows = template_choices.measure_byte_packs(sizes=(1000,))
    assert [(row.kernel, row.dtype, row.bytes_moved) for row in rows] == [
        ("byte_packs relu_8", "int8", 2000),
        ("byte_packs relu_16", "int8", 2000),
        ("torch.clamp_min", "int8", 2000),
        ("byte_packs from_e4m3", "e4m3", 3000),
        ("Tensor.copy_", "e4m3", 3000),
    ]
    assert {row.elements for row in rows} == {1000}
    assert everything_fits == [(1000, 3)]  # an input of a byte, an output of two
    clamp = gpu.calls[2].functions[0]  # the last of those that write this output
    assert torch.equal(clamp.keywords["out"], clamp.args[0].clamp(min=0))


def test_flags_are_measured_with_and_without_a_tail(gpu, no_check, everything_fits):
    rows = template_choices.measure_template_flags(sizes=(1024,))
    assert [(row.kernel, row.elements, row.parameter) for row in rows] == [
        ("template_flags run_time", 1024, 0),
        ("template_flags flag", 1024, 0),
        ("template_flags bounds", 1024, 0),
        ("template_flags run_time", 1023, 7),
        ("template_flags flag", 1023, 7),
        ("template_flags bounds", 1023, 7),
    ]
    assert {row.bytes_moved / row.elements for row in rows} == {4}
    assert everything_fits == [(1024, 4)]
    for call in gpu.calls:
        x, out = call.functions[0].args
        assert torch.equal(out, x * x)


def test_functors_are_measured_exact_and_short(gpu, no_check, everything_fits):
    rows = template_choices.measure_functor_costs(sizes=(1024,))
    names = [f"functor_costs {name}" for name in template_choices.FUNCTORS]
    assert [row.kernel for row in rows] == names
    assert {(row.elements, row.bytes_moved, row.dtype) for row in rows} == {
        (1024, 4096, "float16")
    }
    assert everything_fits == [(1024, 4)]
    wanted = [torch.nn.functional.silu] * 2 + [torch.nn.functional.hardswish] * 2
    for call, function in zip(gpu.calls, wanted, strict=True):
        x, out = call.functions[0].args
        call.functions[0]()
        torch.testing.assert_close(out, function(x.float()).half(), rtol=1e-3, atol=0)


def test_the_references_of_bytes():
    assert template_choices.relu(torch.tensor([-3, 0, 5])).tolist() == [0, 0, 5]
    bits = torch.tensor([0x00, 0x38, 0xB8, 0x7E, 0x01], dtype=torch.float64)
    assert template_choices.from_e4m3(bits).tolist() == [0, 1, -1, 448, 2**-9]
    assert template_choices.from_e4m3(torch.tensor([0x7F])).isnan().all()


@pytest.mark.slow
def test_the_kernels_are_right():
    check.check(jit.load("byte_packs"), cases=template_choices.byte_cases)
    check.check(jit.load("template_flags"), cases=template_choices.square_cases)
    check.check(jit.load("functor_costs"), cases=template_choices.functor_cases)


def test_what_is_measured_is_what_the_record_has(compare_with_the_record):
    assert compare_with_the_record("template flags") == 18
