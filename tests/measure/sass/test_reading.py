"""Reading machine code: compiled now, cached or recorded; with and without the tools."""

from __future__ import annotations

import re

import pytest

from helpers import paths
from helpers.errors import BuildError
from helpers.measure import sass
from helpers.measure.sass import compiling, recorded
from helpers.model import ladder, occupancy

ARCHS = ("sm_90", "sm_120")


def test_without_tools_the_recording_is_shown_and_labelled(no_tools):
    report = sass.read("v1_f32", "sm_120")
    assert report.recorded and f"recorded {report.recorded}" in str(report).splitlines()[0]
    assert sass.load_width_counts("v1_f32", "12.0") == {32: 2}
    assert sass.load_width_counts("launch_bounds", "sm_90", "for_8")[32] > 2
    table = sass.table(["v1_f32", "v6_f16x8_pack"], ARCHS)
    assert list(table["arch"]) == ["sm_90", "sm_120"] * 2
    assert list(table["file"]) == ["v1_f32.cu"] * 2 + ["v6_f16x8_pack.cu"] * 2


def test_the_flags_choose_the_recording(no_tools):
    plain, released = (
        sass.read("promises", "sm_90", flags=flags) for flags in ((), ("-DNDEBUG",))
    )
    assert (plain.flags, released.flags) == ((), ("-DNDEBUG",))
    assert plain.kernels != released.kernels


def test_without_tools_and_recording_the_error_says_how_to_get_them(no_tools, tmp_path):
    with pytest.raises(BuildError, match=r'pip install -e "\.\[sass\]"') as caught:
        sass.read("v1_f32", "sm_75")
    first, second = str(caught.value).splitlines()
    assert first.startswith("no nvcc and no nvdisasm for sm_75")
    assert second == (
        "There is no recorded listing of v1_f32.cu for sm_75 either. Where nvcc is: "
        "python -m helpers.measure.sass record v1_f32 --arch sm_75."
    )
    edited = tmp_path / "v1_f32.cu"
    edited.write_text((paths.KERNELS / "v1_f32.cu").read_text() + "\n// edited\n")
    with pytest.raises(BuildError, match=r"is of another version of v1_f32\.cu"):
        sass.read(edited, "sm_90")
    with pytest.raises(BuildError, match="pip install"):
        sass.read_source("__global__ void f() {}", "sm_90")


def test_unknown_kernels_and_architectures():
    with pytest.raises(FileNotFoundError, match="v1_f32"):
        sass.read("v7", "sm_90")
    with pytest.raises(ValueError, match="not an architecture"):
        sass.read("v1_f32", "hopper")
    with pytest.raises(BuildError, match="no nvcc and no nvdisasm for sm_35"):
        sass.read("v1_f32", "sm_35")


def test_the_tools_come_before_the_recording(tools):
    assert sass.read("v1_f32", "sm_120").recorded is None


def test_the_recording_is_what_the_compiler_makes_now(tools):
    made = sass.read("v6_f16x8_pack", "sm_120")
    kept = recorded.read_recorded(paths.KERNELS / "v6_f16x8_pack.cu", "sm_120")
    if made.nvcc != kept.nvcc:
        pytest.skip(f"recorded with nvcc {kept.nvcc}, here is {made.nvcc}")
    assert made.kernels == kept.kernels


# Code that shows one thing each.

PROBES = r"""
#include <cuda_fp16.h>
#include <cstdint>
struct Four { half2 v[4]; };
struct alignas(32) Wide { float v[8]; };

__global__ void restricted(const float* __restrict__ a, float* __restrict__ out) {
    out[threadIdx.x] = a[threadIdx.x];
}
__global__ void aliased(const float* a, float* out) { out[threadIdx.x] = a[threadIdx.x]; }
__global__ void split(const Four* a, Four* out) { out[threadIdx.x] = a[threadIdx.x]; }
__global__ void through_uint4(const Four* a, Four* out) {
    reinterpret_cast<uint4*>(out)[threadIdx.x] = reinterpret_cast<const uint4*>(a)[threadIdx.x];
}
__global__ void wide(const Wide* a, Wide* out) { out[threadIdx.x] = a[threadIdx.x]; }
__global__ void shared(const float* a, float* out) {
    __shared__ float4 tile[64];
    tile[threadIdx.x] = reinterpret_cast<const float4*>(a)[threadIdx.x];
    __syncthreads();
    reinterpret_cast<float4*>(out)[threadIdx.x] = tile[63 - threadIdx.x];
}
__global__ void local(const float* a, float* out, int k) {
    float array[32];
    // An index that the compiler does not know: the array cannot stay in registers.
    for (int i = 0; i < 32; ++i) array[(i * k) & 31] = a[i];
    for (int i = 0; i < 32; ++i) out[i] = array[(i + k) & 31];
}
template <int kScale>
__global__ void scaled(const float* a, float* out) {
    out[threadIdx.x] = kScale * a[threadIdx.x];
}
template __global__ void scaled<3>(const float*, float*);

__device__ __forceinline__ void hungry(float* p) {
    float r[120];
#pragma unroll
    for (int i = 0; i < 120; ++i) r[i] = p[i * 1024 + threadIdx.x];
    float sum = 0;
#pragma unroll
    for (int i = 0; i < 120; ++i) sum += r[i];
    // All 120 are needed to the end.
#pragma unroll
    for (int i = 0; i < 120; ++i) p[i * 1024 + threadIdx.x] = r[i] / sum;
}
__global__ void __launch_bounds__(256, 8) bound_256_8(float* p) { hungry(p); }
__global__ void __launch_bounds__(256, 5) bound_256_5(float* p) { hungry(p); }
__global__ void __launch_bounds__(96, 7) bound_96_7(float* p) { hungry(p); }
__global__ void unbound(float* p) { hungry(p); }
"""


@pytest.fixture(scope="module")
def probes():
    """Both architectures' machine code of the probes."""
    found = compiling.find_tools("sm_120")
    if found.nvcc is None or found.nvdisasm is None:
        pytest.skip(f"no nvcc or no nvdisasm: {sass.HOW_TO_GET_THE_TOOLS}")
    return {arch: sass.read_source(PROBES, arch) for arch in ARCHS}


@pytest.mark.parametrize("arch", ARCHS)
def test_probes(probes, arch):
    code = probes[arch].kernel
    assert "LDG.E.CONSTANT" in code("restricted").opcodes()
    assert "LDG.E" in code("aliased").opcodes()
    assert code("split").loads() == {32: 4} and code("through_uint4").loads() == {128: 1}
    assert code("shared").stores("shared") == {128: 1} == code("shared").loads("shared")
    assert code("shared").shared == 1024
    assert code("local").stack == 128 and sum(code("local").stores("local").values()) >= 1
    assert code("local").spill_stores == 0  # a local array is not a spill
    assert code("scaled").name == "scaled<3>" and code("scaled").arithmetic() == {"FMUL": 1}
    assert probes[arch].file == "source.cu" and not probes[arch].recorded


def test_256_bit_accesses_from_compute_capability_10(probes):
    assert probes["sm_90"].kernel("wide").loads() == {128: 2}
    assert probes["sm_120"].kernel("wide").loads() == {256: 1}
    assert probes["sm_120"].kernel("wide").stores() == {256: 1}


def test_launch_bounds_cap_registers_as_calculated_and_spill(probes):
    report = probes["sm_90"]
    for threads, blocks in ((256, 8), (256, 5), (96, 7)):
        code = report.kernel(f"bound_{threads}_{blocks}")
        assert code.registers == occupancy.max_registers_for("9.0", threads, blocks)
        assert code.spill_stores > 0 and code.spill_loads > 0 and code.stores("local")
    assert (
        report.kernel("unbound").registers > 120 and report.kernel("unbound").spill_stores == 0
    )
    assert any(
        "minnctapersm will be ignored" in warning for warning in probes["sm_120"].warnings
    )  # 8 x 256 > 1536


# Every architecture and every kernel file.


def ladder_in_one_file() -> str:
    """Put the six versions into one text, each in a namespace of its label: one compilation."""
    texts = {
        v.label: (paths.KERNELS / f"{v.name}.cu").read_text("utf-8") for v in ladder.VERSIONS
    }
    includes = sorted(set(re.findall(r"^#include.*", "\n".join(texts.values()), flags=re.M)))
    namespaces = [
        f"namespace {label} {{\n{re.sub('^#include.*', '', text, flags=re.M)}\n}}\n"
        for label, text in texts.items()
    ]
    return "\n".join([*includes, *namespaces]).replace('extern "C" ', "")


@pytest.mark.slow
@pytest.mark.sample(5)
@pytest.mark.parametrize(
    "arch", [f"sm_{cc}" for cc in (75, 80, 86, 87, 88, 89, 90, 100, 103, 110, 120, 121)]
)
def test_every_architecture(tools, arch):
    """Each version loads, stores and computes alike on all of them."""
    together = sass.read_source(ladder_in_one_file(), arch).kernels
    for version in ladder.VERSIONS:
        code = next(kernel for kernel in together if f"{version.label}::" in kernel.name)
        kept = recorded.read_recorded(paths.KERNELS / f"{version.name}.cu", "sm_90").kernel()
        assert (code.loads(), code.stores()) == (kept.loads(), kept.stores())
        assert sum(code.arithmetic().values()) == sum(kept.arithmetic().values())
        assert code.spill_stores == 0


FILES = sorted(
    path.stem for path in paths.KERNELS.glob("*.cu") if "torch/" not in path.read_text("utf-8")
)


# What the others look like stands in data/sass, which test_recorded.py holds to the files.
@pytest.mark.slow
@pytest.mark.parametrize(
    "file",
    [
        file if place % 20 == 0 else pytest.param(file, marks=pytest.mark.stress)
        for place, file in enumerate(FILES)
    ],
)
def test_every_kernel_file_can_be_read(tools, file):
    report = sass.read(file, "sm_90")
    assert report.kernels
    for code in report.kernels:
        assert code.instructions and code.registers
        assert not (code.symbol.startswith("_Z") and code.name == code.symbol)
