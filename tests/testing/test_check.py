"""The verdict: what is tried, what is recorded, and what is refused."""

import contextlib
import os
from dataclasses import replace
from types import SimpleNamespace

import pytest
import torch

from helpers.errors import CheckError, FaultKind, KernelFault
from helpers.model import ladder
from helpers.run import jit
from helpers.testing import check, wrong_kernels
from helpers.testing.cases import Case
from helpers.testing.run_cases import Tried

ELEMENTWISE = 94  # cases of one launcher
TWO = """
#include <cuda_runtime.h>
#include <cstdint>

__global__ void kernel(const float* a, float* out, float by, int64_t n) {
    const int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < n) out[i] = a[i] * by;
}
extern "C" void twice(const float* a,  // [n]
                      float* out,      // [n]
                      int64_t n, int times = 1, cudaStream_t stream = 0) {
    kernel<<<static_cast<unsigned>((n + 255) / 256), 256, 0, stream>>>(a, out, 2.0f * times, n);
}
extern "C" void thrice(const float* a,  // [n]
                       float* out,      // [n]
                       int64_t n, int times = 1, cudaStream_t stream = 0) {
    kernel<<<static_cast<unsigned>((n + 255) / 256), 256, 0, stream>>>(a, out, 3.0f * times, n);
}
"""


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    path = tmp_path_factory.mktemp("two") / "two.cu"
    path.write_text(TWO)
    return path


@pytest.fixture
def two(file):
    """Load a kernel of two launchers: `twice` doubles and `thrice` triples."""
    return jit.load(file)


def doubled(launcher):
    """Yield one case of a launcher that doubles."""
    yield case_of(3, 2.0)


def scaled(launcher):
    """Yield one case that either launcher passes."""
    yield case_of(3, {"twice": 2.0, "thrice": 3.0}[launcher.declaration.name])


def case_of(n, factor, arguments=None):
    x = torch.arange(1.0, n + 1)
    return Case(
        f"n = {n}", (x,), (factor * x.double(),), arguments or {}, dtypes=(torch.float32,)
    )


# ---- the course's kernels


def test_a_right_kernel_s_verdict(two):
    answer = check.verdict(two, cases=doubled, only="twice")
    assert (answer.kernel, answer.ok, answer.cases) == ("two", True, 1)
    assert str(answer) == "two: right in 1 case (float32)"


def test_a_wrong_launcher_after_a_right_one(two):
    answer = check.verdict(two, cases=doubled)
    assert not answer.ok and answer.cases == 2  # one of each launcher
    assert str(answer).startswith("two: WRONG: ") and str(answer).endswith(
        " [n = 3; first: out[0] is 3, not 2 for inputs 1]"
    )
    with pytest.raises(CheckError) as error:
        check.check(two, cases=doubled)
    assert str(error.value) == str(answer)


def test_every_launcher_counts_and_is_named_by_its_dtype(two):
    def cases(launcher):
        factor = {"twice": 2.0, "thrice": 3.0}[launcher.declaration.name]
        yield from (case_of(n, factor) for n in (1, 2, 5))

    assert str(check.check(two, cases=cases)) == "two: right in 6 cases (float32, float32)"


def test_only_a_check_of_all_launchers_marks_a_kernel(two):
    assert two.verdict is None and not two.checked
    check.check(two, cases=doubled, only="twice")
    assert not two.checked and two.verdict is None
    check.check(two, cases=scaled)
    assert two.checked
    check.check(two, cases=doubled, only="twice")
    assert two.checked  # what was known of all stays
    answer = check.verdict(two, cases=doubled, only="thrice")
    assert not two.checked and two.verdict is answer


def test_a_check_that_breaks_off_leaves_no_verdict(two):
    check.check(two, cases=scaled)

    def broken(launcher):
        raise RuntimeError("broken")

    with pytest.raises(RuntimeError, match="broken"):
        check.verdict(two, cases=broken)
    assert not two.checked


def test_arguments_tolerance_and_the_reference_s_name(two):
    answer = check.check(two, lambda x: 10 * x, only="twice", times=5)
    assert answer.cases == 66 + 1 + 1 + 2  # a sweep, a complete run, two sizes past 2^31
    assert not check.verdict(two, lambda x: 2 * x * (1 + 2.0**-22), only="twice").ok
    assert check.verdict(two, lambda x: 2 * x * (1 + 2.0**-22), only="twice", ulp=4).ok


def test_what_cannot_be_judged_is_refused(two):
    with pytest.raises(ValueError, match="two has no launcher 'missing'; it has twice, thrice"):
        check.verdict(two, "add", only="missing")
    with pytest.raises(ValueError, match="no reference for 'twice': pass reference="):
        check.verdict(two)
    with pytest.raises(ValueError, match="no reference for 'other'"):
        check.verdict(two, "other")
    with pytest.raises(TypeError, match=r"check takes what jit\.load returns, not str"):
        check.verdict("v1_f32")


def test_nothing_of_the_process_is_changed(two):
    def cases(launcher):
        raise RuntimeError(f"{torch.get_num_threads()} thread")

    before = torch.get_num_threads(), dict(os.environ)
    torch.set_num_threads(2)
    with pytest.raises(RuntimeError, match=r"^1 thread$"):
        check.verdict(two, cases=cases)
    assert torch.get_num_threads() == 2
    torch.set_num_threads(before[0])
    check.verdict(jit.load("v1_f32"))
    assert (torch.get_num_threads(), dict(os.environ)) == before


def test_a_kernel_edited_after_it_was_loaded_is_judged_as_loaded(tmp_path):
    file = tmp_path / "edited.cu"
    file.write_text(wrong_kernels.FAMILY["right_add"].text)
    kernel = jit.load(file)
    file.write_text(wrong_kernels.FAMILY["nothing"].text)
    assert check.verdict(kernel, "add").ok


# ---- on a GPU, and past 2^31


@pytest.fixture
def judged(monkeypatch):
    """Replace the emulated kernel and the judgement of a launcher; return what was judged."""
    kernel = check.Kernel.__new__(check.Kernel)
    declaration = SimpleNamespace(tensors=[SimpleNamespace(dtype=torch.float16)])
    launchers = {"one": SimpleNamespace(declaration=declaration, where="gpu", on_gpu=True)}
    vars(kernel).update(name="fake", on_gpu=True, launchers=launchers, verdict=None)
    emulated = SimpleNamespace(
        launchers={
            "one": SimpleNamespace(
                declaration=declaration,
                where="emulator",
                on_gpu=False,
                emulator=SimpleNamespace(timeout=lambda seconds: contextlib.nullcontext()),
            )
        }
    )
    monkeypatch.setattr(check, "_emulated", lambda kernel: emulated)
    asked, found = [], {"gpu": None, "emulator": None}

    def run_cases(launcher, cases):
        asked.append(launcher.where)
        return Tried(7, found[launcher.where])

    monkeypatch.setattr(check, "run_cases", run_cases)
    monkeypatch.setattr(check.isolated, "run", lambda function, name: function())
    return SimpleNamespace(kernel=kernel, asked=asked, found=found)


def ask(judged):
    return check.verdict(judged.kernel, cases=lambda launcher: ())


def test_what_brings_the_child_down_is_found(judged, monkeypatch):
    def run(function, name):
        raise KernelFault(f"{name}: the launcher ended the process", kind=FaultKind.HOST)

    monkeypatch.setattr(check.isolated, "run", run)
    said = ask(judged)
    assert not said.ok and said.cases == 1
    assert "the launcher ended the process" in str(said)


def test_the_emulator_is_asked_before_the_gpu(judged):
    assert str(ask(judged)) == "fake: right in 7 cases (float16)"
    assert judged.asked == ["emulator", "gpu"]


def test_what_is_wrong_on_the_emulator_never_reaches_the_gpu(judged):
    judged.found["emulator"] = SimpleNamespace(fault=FaultKind.OUT_OF_BOUNDS)
    assert not ask(judged).ok and judged.asked == ["emulator"]


def test_what_is_too_slow_for_the_emulator_is_left_to_the_gpu(judged):
    judged.found["emulator"] = SimpleNamespace(fault=FaultKind.TIMEOUT)
    assert ask(judged).ok and judged.asked == ["emulator", "gpu"]
    judged.found["gpu"] = SimpleNamespace(fault=FaultKind.TIMEOUT)
    assert not ask(judged).ok


def test_a_kernel_that_the_emulator_cannot_build_is_judged_on_the_gpu(judged, monkeypatch):
    monkeypatch.setattr(check, "_emulated", lambda kernel: None)
    assert ask(judged).ok and judged.asked == ["gpu"]


NONSENSE = [float("inf"), float("nan"), -1, True, "1", 2.0**30]


@pytest.mark.parametrize("ulp", NONSENSE)
def test_a_tolerance_that_accepts_anything_is_refused(two, ulp):
    with pytest.raises(ValueError, match="ulp is"):
        check.verdict(two, lambda x: 2 * x, ulp=ulp)
    with pytest.raises(ValueError, match="ulp is"):
        check.verdict(two, cases=lambda launcher: [replace(case_of(3, 2.0), ulp=ulp)])


def test_options_that_have_no_effect_beside_cases_are_refused(two):
    for options in ({"reference": "add"}, {"ulp": 1}, {"times": 2}):
        with pytest.raises(ValueError, match=f"cases= and {next(iter(options))}= exclude"):
            check.verdict(two, cases=doubled, **options)


def test_a_check_of_nothing_is_an_error_and_allows_no_timing(two):
    with pytest.raises(ValueError, match="two: there is no case to try"):
        check.verdict(two, cases=lambda launcher: [])
    assert two.verdict is None and not two.checked
    with pytest.raises(ValueError, match="ignores every output"):
        check.verdict(two, cases=lambda launcher: [replace(case_of(3, 2.0), ignored=("out",))])
    with pytest.raises(TypeError, match="Case objects, not int"):
        check.verdict(two, cases=lambda launcher: [1])


def test_a_launcher_without_a_case_is_named(two):
    def cases(launcher):
        return doubled(launcher) if launcher.declaration.name == "twice" else ()

    answer = check.verdict(two, cases=cases)
    assert answer.not_tried == ("thrice",)
    assert str(answer) == "two: right in 1 case (float32, float32); not tried: thrice"


# ---- kernels of the course: last, as they take longest


@pytest.mark.stress  # in every run lesson 07 checks them
@pytest.mark.parametrize("name", ladder.NAMES)
def test_the_ladder_is_right(name):
    kernel = jit.load(name)
    answer = check.check(kernel)
    assert kernel.checked and kernel.verdict is answer
    assert answer.cases == ELEMENTWISE * len(kernel.launchers)


@pytest.mark.stress
def test_the_template_is_right():
    assert check.check(jit.load("op_fma"), "multiply_add").cases == 3 * ELEMENTWISE
    assert check.check(jit.load("op_cast"), "cast").cases == 2 * ELEMENTWISE


# ---- the verdict


@pytest.mark.gpu
def test_a_kernel_on_a_gpu_is_built_for_the_emulator_too():
    kernel = jit.load("v1_f32")
    emulated = jit.emulated(kernel)
    assert kernel.on_gpu and not emulated.on_gpu
    assert jit.emulated(emulated) is emulated


GREATER = """
#include <cuda_runtime.h>
#include <cstdint>

__global__ void kernel(const float* a, const float* b, bool* out, int64_t n) {
    const int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < n) out[i] = a[i] > b[i];
}
extern "C" void launch(const float* a,  // [n]
                       const float* b,  // [n]
                       bool* out,       // [n]
                       int64_t n, cudaStream_t stream = 0) {
    kernel<<<static_cast<unsigned>((n + 255) / 256), 256, 0, stream>>>(a, b, out, n);
}
"""


@pytest.mark.parametrize("ulp", [0, 4])
def test_truth_values_are_compared_exactly(tmp_path, ulp):
    path = tmp_path / "greater.cu"
    path.write_text(GREATER)
    kernel = jit.load(path)
    assert check.verdict(kernel, lambda a, b: a > b, ulp=ulp).ok
    answer = check.verdict(kernel, lambda a, b: a >= b, ulp=ulp)
    assert "each element tells whether input 1 > input 2, not whether input 1 >=" in str(answer)
