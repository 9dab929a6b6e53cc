"""The checker is checked: it rejects every known-wrong kernel, for the right reason, and accepts every right one."""

import math
import os
import subprocess
import sys
from fractions import Fraction

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from helpers import paths
from helpers.errors import CheckError
from helpers.model import ladder
from helpers.run import jit, machine
from helpers.testing import check, diagnosis, kernel_cases, wrong_kernels

GPU = machine.present().is_gpu
ELEMENTWISE = 131  # cases of one launcher
SEEN = [v for v in wrong_kernels.WRONG if GPU or not v.needs_gpu]
WHOLE = {
    "sums": kernel_cases.sums,
    "matmul": kernel_cases.matmul,
    "bank_conflicts": kernel_cases.bank_conflicts,
}


@pytest.fixture(scope="module")
def kernels(tmp_path_factory):
    folder, loaded = tmp_path_factory.mktemp("known"), {}

    def of(base):
        if base not in loaded:
            loaded[base] = wrong_kernels.load(folder, base)
        return loaded[base]

    return of


def names(variants):
    return [variant.name for variant in variants]


# ---- the family -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("variant", SEEN, ids=names(SEEN))
def test_a_wrong_kernel_is_rejected_with_a_sentence_that_helps(variant, kernels):
    answer = wrong_kernels.judge(variant, kernels(variant.base))
    assert not answer.ok
    assert answer.message.startswith("WRONG: ")
    assert variant.words in answer.message
    assert len(answer.message) < 600


@pytest.mark.parametrize("variant", wrong_kernels.RIGHT, ids=names(wrong_kernels.RIGHT))
def test_a_right_kernel_is_accepted(variant, kernels):
    answer = wrong_kernels.judge(variant, kernels(variant.base))
    assert answer.ok, answer.message
    if "reference" in wrong_kernels.BASES[variant.base].asked:
        assert (
            answer.cases == ELEMENTWISE
        )  # the same on a GPU and on the emulator: notebooks print it


def test_the_family_is_large_and_each_has_its_own_text():
    assert len(wrong_kernels.WRONG) >= 25
    texts = [variant.text for variant in wrong_kernels.FAMILY.values()]
    assert len(set(texts)) == len(texts) == len(wrong_kernels.WRONG) + len(wrong_kernels.RIGHT)


@pytest.mark.parametrize("name", ladder.NAMES)
def test_the_ladder_is_right(name):
    kernel = jit.load(name)
    answer = check.check(kernel)
    assert kernel.checked
    assert answer.cases == ELEMENTWISE * len(kernel.launchers)


def test_the_template_is_right():
    assert check.check(jit.load("op_fma"), "multiply_add").cases == 3 * ELEMENTWISE
    assert check.check(jit.load("op_cast"), "cast").cases == 2 * ELEMENTWISE


# ---- what it is asked -------------------------------------------------------------------------------------------


def test_one_launcher_of_many(kernels):
    kernel = kernels("add")
    with pytest.raises(ValueError, match="it has no_guard"):
        check.verdict(kernel, "add", only="missing")
    assert check.verdict(kernel, "add", only="right_add").ok
    assert not kernel.checked  # the others may be wrong
    with pytest.raises(CheckError, match="constant"):
        check.check(kernel, "add", only="constant")


def test_without_a_reference_it_says_so(kernels):
    with pytest.raises(ValueError, match="no reference for"):
        check.verdict(kernels("clamp"))
    with pytest.raises(TypeError, match=r"jit\.load"):
        check.verdict("v1_f32")


def test_nothing_of_the_process_is_changed():
    before = torch.get_num_threads(), dict(os.environ)
    check.verdict(jit.load("v1_f32"))
    assert (torch.get_num_threads(), dict(os.environ)) == before


def test_a_kernel_edited_after_it_was_loaded_is_judged_as_loaded(tmp_path):
    file = tmp_path / "edited.cu"
    file.write_text(wrong_kernels.FAMILY["right_add"].text)
    kernel = jit.load(file)
    file.write_text(wrong_kernels.FAMILY["nothing"].text)
    assert check.verdict(kernel, "add").ok


@pytest.mark.gpu
def test_on_a_gpu_the_emulator_is_asked_first():
    kernel = jit.load("v1_f32")
    twin = jit.emulated(kernel)
    assert kernel.on_gpu and not twin.on_gpu
    assert jit.emulated(twin) is twin


# ---- its own numbers --------------------------------------------------------------------------------------------


def nearest(exact: Fraction, dtype: torch.dtype) -> float:
    """The number of `dtype` next to `exact`, to even where two are."""
    info = torch.finfo(dtype)
    digits, lowest = round(-math.log2(info.eps)), math.log2(info.smallest_normal)
    exponent = max(math.floor(math.log2(abs(exact))) if exact else lowest, lowest)
    unit = Fraction(2) ** int(exponent - digits)
    return float(round(exact / unit) * unit)  # Python rounds a half to even


@settings(max_examples=300, deadline=None)
@given(
    st.floats(-60000, 60000), st.sampled_from([0, 1, -1, 1e-9, -1e-9]), st.sampled_from([8, 11])
)
def test_half_numbers_are_rounded_once(start, little, bits):
    """Near ties above all: PyTorch's own conversion, by way of float32, is wrong there."""
    dtype = torch.float16 if bits == 11 else torch.bfloat16
    low = torch.tensor(start, dtype=torch.float64).to(dtype)
    high = torch.nextafter(low, torch.tensor(math.inf, dtype=dtype)) if bits == 11 else low
    value = (low.double() + high.double()) / 2
    value = value * (1 + little * 2.0**-20)
    got = diagnosis.rounded(value.reshape(1), dtype).double().item()
    want = nearest(Fraction(value.item()), dtype)
    assert got == want or (abs(want) > torch.finfo(dtype).max and math.isinf(got))


def test_half_numbers_are_rounded_as_numpy_does():
    x = (
        torch.randn(200_000, dtype=torch.float64, generator=torch.Generator().manual_seed(0))
        * 10
    )
    ties = x.half().double() + torch.exp2(x.abs().log2().floor() - 11) * (1 + 1e-9)
    for values in (x, ties, x * 1e-7, x * 1e4):
        with np.errstate(over="ignore"):
            want = torch.from_numpy(values.numpy().astype(np.float16))
        assert torch.equal(diagnosis.rounded(values, torch.float16), want)
    assert not torch.equal(ties.to(torch.float16), diagnosis.rounded(ties, torch.float16))


def test_multiply_add_is_rounded_once():
    generator = torch.Generator().manual_seed(1)
    a, b, c = (torch.randn(3000, generator=generator) for _ in range(3))
    a[::3] = 1 + 2.0**-23
    b[::3] = 3
    c[::3] = -(2.0**-60)
    got = check.multiply_add(a.double(), b.double(), c.double()).float()
    for x, y, z, result in zip(a.tolist(), b.tolist(), c.tolist(), got.tolist(), strict=True):
        assert result == nearest(Fraction(x) * Fraction(y) + Fraction(z), torch.float32)


def test_distance_counts_representable_numbers():
    one = torch.tensor([1.0, 1.0, -0.0, math.nan, math.inf, 65504.0], dtype=torch.float16)
    exact = torch.tensor(
        [1.0, 1.0 + 2.0**-10, 0.0, math.nan, 65504.0, 65504.0], dtype=torch.float64
    )
    assert diagnosis.ulp_distance(one, exact).tolist() == [0, 1, math.inf, 0, math.inf, 0]


# ---- past 2^31 --------------------------------------------------------------------------------------------------


BIG = """
import sys, torch
sys.path.insert(0, "tests")
from helpers.testing import wrong_kernels
from helpers.run import jit
n = (1 << 31) + 1001
a, out = torch.zeros(n, device="cuda"), torch.full((n,), float("nan"), device="cuda")
b = torch.zeros(n, device="cuda")
for at in (slice(0, 1000), slice((1 << 31) - 1000, n)):
    a[at] = torch.arange(a[at].numel(), device="cuda") % 1000
    b[at] = 0.5
jit.load(sys.argv[1])(a, b, out)
torch.cuda.synchronize()
same = all(torch.equal(o, x + y) for o, x, y in zip(out.split(1 << 28), a.split(1 << 28), b.split(1 << 28)))
print("every element is right" if same else "some elements are wrong")
"""


@pytest.mark.gpu
@pytest.mark.slow
@pytest.mark.parametrize("name", ["right_add", "right_strided", "past_2_31", "past_2_31_int_n"])
def test_past_2_31_elements_on_a_gpu(name, tmp_path):
    """25.8 GB, really launched: in a process of its own, as an illegal access would end this one's CUDA."""
    if torch.cuda.mem_get_info()[0] < 40e9:
        pytest.skip("needs 40 GB of free GPU memory")
    file = tmp_path / f"{name}.cu"
    file.write_text(wrong_kernels.FAMILY[name].text)
    done = subprocess.run(
        [sys.executable, "-c", BIG, str(file)], cwd=paths.ROOT, capture_output=True, text=True
    )
    assert ("every element is right" in done.stdout) is name.startswith("right"), (
        done.stdout + done.stderr
    )
