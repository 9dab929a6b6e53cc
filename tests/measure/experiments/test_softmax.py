"""The fused softmax is right before it is timed, and what is counted for it."""

import pytest

from helpers.measure.experiments import softmax
from helpers.run import jit
from helpers.testing import check, matrices


def test_what_is_measured(gpu, no_check):
    rows = softmax.measure_softmax(sizes=(1 << 12, 1 << 13), columns=(64, 256))
    assert [(row.elements, row.parameter, row.dials.get("load_bytes")) for row in rows] == [
        (elements, columns, load_bytes)
        for elements in (1 << 12, 1 << 13)
        for columns in (64, 256)
        for load_bytes in (2, 4, 8, 16, None)
    ]
    assert [row.kernel for row in rows[:5]] == [*["softmax"] * 4, "torch softmax"]
    assert {row.bytes_moved / row.elements for row in rows} == {4}
    assert {call.precision for call in gpu.calls} == {0.01}
    assert [call.functions[0].keywords.get("width") for call in gpu.calls[:4]] == [1, 2, 4, 8]
    assert gpu.calls[0].functions[0].args[0].shape == (64, 64)


def test_it_is_checked_before(gpu, monkeypatch):
    asked = []
    monkeypatch.setattr(
        check, "check", lambda kernel, *_, cases: asked.append((kernel.name, cases))
    )
    softmax.measure_softmax(sizes=(1 << 10,), columns=(64,))
    assert asked == [("softmax", matrices.softmax_f16)]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        ("- largest) * scale", ") * scale"),
        ("warp_sum(sum)", "sum"),
    ],
)
def test_a_kernel_with_a_fault_does_not_pass(tmp_path, right, wrong):
    text = jit.load("softmax").path.read_text(encoding="utf-8")
    assert right in text
    (tmp_path / "softmax.cu").write_text(text.replace(right, wrong), encoding="utf-8")
    assert not check.verdict(jit.load(tmp_path / "softmax.cu"), cases=matrices.softmax_f16).ok


def test_what_is_measured_is_what_the_record_has(compare_with_the_record):
    assert compare_with_the_record("softmax") == 20
