"""Launchers in the forms that learners write, loaded and called."""

from pathlib import Path

import pytest
import torch

from helpers.run import jit, machine

FORMS = Path(__file__).parent.parent / "emulator" / "kernels" / "forms.cu"


@pytest.fixture(scope="module")
def forms():
    return jit._load(FORMS, machine.emulator("a test", torch.__version__))


X = torch.arange(256.0)


@pytest.mark.parametrize(
    ("name", "arguments", "result"),
    [
        ("scale_in_block", {}, X / 2),
        ("scale_in_block", {"threads": 256, "by": 3.0}, 3 * X),
        ("by_runtime", {"by": 2.0}, 2 * X),
        ("by_runtime_reference", {}, X.view(4, 64).flip(1).reshape(-1)),
        ("by_pointer", {}, X),
    ],
)
def test_a_form_of_launcher(forms, name, arguments, result):
    out = torch.zeros(256)
    getattr(forms, name)(X, out, **arguments)
    assert torch.equal(out, result)


def test_a_launch_in_a_macro(forms):
    x = torch.arange(1000, dtype=torch.int32)
    out = torch.empty_like(x)
    forms.by_macro(x, out)
    assert torch.equal(out, 3 * x)


def test_how_they_are_read(forms):
    assert [str(d) for d in forms.declarations.values()] == [
        "scale_in_block(x: float32[n], out: float32[n], threads=256, by=0.5)",
        "by_macro(x: int32[n], out: int32[n], block_size=256)",
        "by_runtime(x: float32[n], out: float32[n], by)",
        "by_runtime_reference(x: float32[n], out: float32[n])",
        "by_pointer(x: float32[n], out: float32[n])",
    ]
