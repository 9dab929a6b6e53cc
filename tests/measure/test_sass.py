"""Reading machine code: what is counted, the recorded listings, the tools, and (where they are) real compilations."""

from __future__ import annotations

import stat
import textwrap
from pathlib import Path

import pytest

from helpers import paths
from helpers.errors import BuildError, CompileError
from helpers.measure import sass
from helpers.model import occupancy
from helpers.model.ladder import NAMES as LADDER

RECORDED_ARCHS = ("sm_90", "sm_120")

# Loads and stores {bits: instructions} of the fast path and, from V2 on, of the tail.
WIDTHS = {
    "v1_f32": ({32: 2}, {32: 1}),
    "v2_f32x4": ({128: 2, 32: 2}, {128: 1, 32: 1}),
    "v3_f16": ({16: 2}, {16: 1}),
    "v4_f16x2": ({32: 2, 16: 2}, {32: 1, 16: 1}),
    "v5_f16x8": ({32: 8, 16: 2}, {32: 4, 16: 1}),
    "v6_f16x8_pack": ({128: 2, 16: 2}, {128: 1, 16: 1}),
}
ADDS = {
    "v1_f32": 1,
    "v2_f32x4": 4 + 1,
    "v3_f16": 1,
    "v4_f16x2": 1 + 1,
    "v5_f16x8": 4 + 1,
    "v6_f16x8_pack": 4 + 1,
}


@pytest.fixture
def tools():
    """The tools of this machine, whatever the CPU-only tests before did to the search."""
    sass._find.cache_clear()
    found = sass.find_tools("sm_120")
    for name in ("nvcc", "nvdisasm"):
        if getattr(found, name) is None:
            pytest.skip(f"no {name} on this machine: {sass.HOW_TO_GET_THE_TOOLS}")
    return found


@pytest.fixture
def no_tools(monkeypatch):
    monkeypatch.setattr(sass, "find_tools", lambda arch=None: sass.Tools(None, None, None))


@pytest.fixture
def own_cache(monkeypatch, tmp_path):
    monkeypatch.setenv("ELEMENTWISE_CACHE", str(tmp_path / "cache"))


# ---------------------------------------------------------------------------------------------------------------
# One instruction


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("LDG.E R2, desc[UR4][R2.64]", ("load", "global", 32)),
        ("LDG.E.CONSTANT.SYS R2, [R2]", ("load", "global", 32)),
        ("LDG.E.U16.CONSTANT R5, desc[UR4][R4.64]", ("load", "global", 16)),
        ("LDG.E.U8 R0, desc[UR4][R4.64]", ("load", "global", 8)),
        ("LDG.E.S8 R0, desc[UR4][R4.64]", ("load", "global", 8)),
        ("LDG.E.64 R4, desc[UR4][R4.64]", ("load", "global", 64)),
        ("@!P0 LDG.E.128.CONSTANT R8, desc[UR4][R4.64]", ("load", "global", 128)),
        ("LDG.E.ENL2.256 R8, R4, desc[UR4][R2.64]", ("load", "global", 256)),
        ("STG.E.ENL2.256 desc[UR4][R2.64], R8, R4", ("store", "global", 256)),
        ("STG.E.U16 desc[UR4][R6.64], R5", ("store", "global", 16)),
        ("LDS.U.128 R4, [R0]", ("load", "shared", 128)),
        ("STS [R5+0x80], R0", ("store", "shared", 32)),
        ("LDL.LU.64 R2, [R1+0x8]", ("load", "local", 64)),
        ("STL.128 [R1], R4", ("store", "local", 128)),
        ("LD.E R0, desc[UR4][R2.64]", ("load", "generic", 32)),
        ("LDC.64 R2, c[0x0][0x380]", None),
        ("LDCU.128 UR8, c[0x0][0x380]", None),
        ("LDGSTS.E.128 [R5], desc[UR4][R2.64]", None),
        ("ATOMG.E.ADD.STRONG.GPU PT, R2, desc[UR4][R2.64], R5", None),
        ("STACK.MADE.UP R1", None),
    ],
)
def test_access(text, expected):
    assert sass.access(sass.Instruction(0, text)) == expected


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("FADD R11, R0, R11", "FADD"),
        ("@P0 FFMA.FTZ R0, R1, R2, R3", "FFMA"),
        ("FMUL R7, R6, R7", "FMUL"),
        ("HADD2.BF16_V2 R5, R2.H0_H0, R5.H0_H0", "HADD2"),
        ("HFMA2.MMA R11, R11, 1, 1, R15", "HFMA2"),
        ("HFMA2 R9, R9, 1, 1, R13", "HFMA2"),
        ("HFMA2.BF16_V2 R9, R9, 1, 1, R13", "HFMA2"),
        ("FADD2 R8, R8.F32x2.HI_LO, R12.F32x2.HI_LO", "FADD2"),
        ("DFMA R2, R4, R6, R8", "DFMA"),
        ("MUFU.TANH R3, R2", "MUFU"),
        ("HMMA.16816.F32 R4, R8, R2, R4", "HMMA"),
        ("HFMA2 R3, -RZ, RZ, 0, 0", None),  # the constant 0
        ("HFMA2.MMA R7, -RZ, RZ, 0, 2.384185791015625e-07", None),  # the constant 4
        ("HADD2.F32 R3, -RZ, R3.H0_H0", None),  # half to float
        ("IADD3 R4, P1, R6, UR6, RZ", None),
        ("IMAD.WIDE.U32 R2, R5, UR4, R2", None),
        ("F2FP.F16.F32.PACK_AB R3, RZ, R3", None),
        ("EXIT", None),
    ],
)
def test_arithmetic(text, kind):
    assert sass.arithmetic(sass.Instruction(0, text)) == kind


@pytest.mark.parametrize(
    ("symbol", "name"),
    [
        ("_Z7add_f32PKfS0_Pfl", "add_f32"),
        ("_Z9add_f16x8I6__half7__half2EvPKT_S3_PS1_l", "add_f16x8<__half, __half2>"),
        ("_Z2tkIiLin4EEvPT_", "tk<int, -4>"),
        ("_ZN2ns5innerEPf", "ns::inner"),
        ("_Z3fooIN2ns3AddELb1EPKfEvT_", "foo<ns::Add, true, float const*>"),
        (
            "_ZN1e2ekILi8E3Add6__halfJPKS2_S4_EEEvT0_lPT1_DpT2_",
            "e::ek<8, Add, __half, __half const*, __half const*>",
        ),
        ("_ZN12_GLOBAL__N_13addEPf", "(anonymous)::add"),
        ("_ZL3addPf", "add"),
        ("plain_c_name", "plain_c_name"),
        ("_ZZ4mainENKUlvE_clEv", "_ZZ4mainENKUlvE_clEv"),  # too complicated: left as it is
        ("_Z", "_Z"),
        ("_Z9short", "_Z9short"),
    ],
)
def test_kernel_name(symbol, name):
    assert sass.kernel_name(symbol) == name


@pytest.mark.parametrize("arch", ["sm_90", "9.0", (9, 0), "90"])
def test_arch_name(arch):
    assert sass.arch_name(arch) == "sm_90"
    assert sass.arch_name("12.1") == "sm_121" and sass.arch_name("sm_100a") == "sm_100a"


def test_arch_name_refuses_others():
    for arch in ("compute_90", "hopper", ""):
        with pytest.raises(ValueError, match="no architecture"):
            sass.arch_name(arch)


# ---------------------------------------------------------------------------------------------------------------
# What the tools print, from a made-up example

SOURCE = """\
#include <cuda_fp16.h>
__global__ void first(half* p) {
    p[0] = __hadd(p[0], p[1]);  // sum
}
__global__ void second() {}
"""
DISASSEMBLY = """\
\t.target\tsm_90
//--------------------- .text._Z6secondv --------------------------
\t.section\t.text._Z6secondv,"ax",@progbits
_Z6secondv:
\t//## File "{file}", line 5
        /*0000*/                   EXIT ;
.L_x_9:
        /*0010*/                   BRA `(.L_x_9);
        /*0020*/                   NOP;
//--------------------- .text._Z5firstP6__half --------------------------
\t.section\t.text._Z5firstP6__half,"ax",@progbits
_Z5firstP6__half:
\t//## File "{file}", line 2
        /*0000*/                   LDC R1, c[0x0][0x28] ;
.L_x_1:
        /*0010*/              @!P0 BRA `(.L_x_3) ;
\t//## File "{file}", line 3
        /*0020*/                   LDG.E.U16 R5, desc[UR4][R2.64] ;
\t//## File "/usr/include/cuda_fp16.hpp", line 2630 inlined at "{file}", line 3
\t//## File "{file}", line 3
        /*0030*/                   HADD2 R5, R2.H0_H0, |R5|.H0_H0 ;
.L_x_3:
        /*0040*/                   EXIT ;
.L_x_4:
        /*0050*/                   BRA `(.L_x_4);
        /*0060*/                   NOP;
"""
PTXAS = """\
ptxas info    : 0 bytes gmem
ptxas info    : Compiling entry function '_Z6secondv' for 'sm_90'
ptxas info    : Function properties for _Z6secondv
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 4 registers, used 0 barriers
ptxas info    : Compiling entry function '_Z5firstP6__half' for 'sm_90'
ptxas info    : Function properties for _Z5firstP6__half
    24 bytes stack frame, 16 bytes spill stores, 8 bytes spill loads
ptxas info    : Used 40 registers, used 1 barriers, 24 bytes cumulative stack size, 2048 bytes smem, 380 bytes cmem[0]
ptxas warning : Value of threads per SM for entry first is out of range. .minnctapersm will be ignored
"""


@pytest.fixture
def example(tmp_path) -> sass.SassReport:
    file = tmp_path / "example.cu"
    file.write_text(SOURCE)
    kernels = sass._parse_kernels(
        DISASSEMBLY.replace("{file}", str(file)), sass._resources(PTXAS), file
    )
    return sass.SassReport(
        "example.cu",
        "sm_90",
        "00",
        "13.0",
        "13.5",
        ("-DX=1",),
        sass._warnings(PTXAS),
        tuple(kernels),
    )


def test_parsing(example):
    assert [kernel.name for kernel in example.kernels] == [
        "first",
        "second",
    ]  # the order of the source
    first = example.kernel("first")
    assert (
        first.registers,
        first.stack,
        first.spill_stores,
        first.spill_loads,
        first.shared,
    ) == (
        40,
        24,
        16,
        8,
        2048,
    )
    assert (
        example.kernel("second").registers == 4
        and len(example.kernel("second").instructions) == 1
    )
    assert [i.opcode for i in first.instructions] == [
        "LDC",
        "BRA",
        "LDG.E.U16",
        "HADD2",
        "EXIT",
    ]
    assert [i.line for i in first.instructions] == [
        2,
        2,
        3,
        3,
        3,
    ]  # the inlined add belongs to the kernel's line
    assert [i.label for i in first.instructions] == [
        None,
        None,
        None,
        None,
        ".L_x_3",
    ]  # only where a jump goes
    assert (
        first.by_line()[1]["global loads"] == "1 × 16-bit"
        and first.by_line()[1]["arithmetic"] == "1 HADD2"
    )
    assert "minnctapersm will be ignored" in example.warnings[0]
    with pytest.raises(KeyError, match="third"):
        example.kernel("third")
    with pytest.raises(ValueError, match="no memory space"):
        first.loads("constant")


def test_a_report_survives_its_text(example):
    text = sass._report_text(example)
    assert sass._parse_report(text) == example
    assert str(paths.ROOT) not in text


def test_listing(example):
    assert example.listing("first") == textwrap.dedent("""\
        first: 40 registers, 24 bytes of stack, 16 + 8 bytes of spill stores and loads, 2048 bytes of shared memory
          /*0000*/  LDC R1, c[0x0][0x28]                                    //   2  __global__ void first(half* p) {
          /*0010*/  @!P0 BRA .L_x_3                                         //   2
          /*0020*/  LDG.E.U16 R5, desc[UR4][R2.64]                          //   3  p[0] = __hadd(p[0], p[1]);  // sum
          /*0030*/  HADD2 R5, R2.H0_H0, |R5|.H0_H0                          //   3
        .L_x_3:
          /*0040*/  EXIT                                                    //   3""")
    assert max(map(len, example.listing(width=60).splitlines())) == 60
    assert "//" not in example.listing("first", source=False)


def test_table(example):
    table = example.table()
    assert list(table["kernel"]) == ["first", "second"] and list(table["spilled bytes"]) == [
        24,
        0,
    ]
    assert table.loc[0, "global loads"] == "1 × 16-bit"


# ---------------------------------------------------------------------------------------------------------------
# Recorded listings


def recorded(kernel: str, arch: str) -> sass.SassReport:
    path = paths.KERNELS / f"{kernel}.cu"
    return sass._read_recorded(path, arch, (), why_not_now="(the recording was asked for)")


@pytest.mark.parametrize("arch", RECORDED_ARCHS)
@pytest.mark.parametrize("kernel", LADDER)
def test_recordings_of_the_ladder_are_of_the_present_files(kernel, arch):
    """If this fails: python -m helpers.measure.sass record NAME --arch sm_90 sm_120"""
    report = recorded(kernel, arch)
    assert (report.file, report.arch) == (f"{kernel}.cu", arch)
    assert (
        report.nvcc and report.recorded and f"recorded {report.recorded}" in report.provenance
    )


@pytest.mark.parametrize("arch", RECORDED_ARCHS)
@pytest.mark.parametrize("kernel", LADDER)
def test_the_ladders_machine_code(kernel, arch):
    for code in recorded(kernel, arch).kernels:  # float16 and bfloat16 alike
        assert (code.loads(), code.stores()) == WIDTHS[kernel]
        adds = code.arithmetic()
        assert sum(adds.values()) == ADDS[kernel]
        assert set(adds) <= ({"FADD"} if "f32" in kernel else {"HADD2", "HFMA2"})
        assert (code.spill_stores, code.spill_loads, code.stack, code.shared) == (0, 0, 0, 0)
        assert code.registers <= 32  # full occupancy everywhere
        assert not code.loads("local") and not code.loads("generic")


def test_recordings_are_small_and_private():
    files = sass.recordings()
    assert len(files) >= len(LADDER) * len(RECORDED_ARCHS)
    for file in files:
        text = file.read_text(encoding="utf-8")
        assert len(text) < 200_000
        assert (
            "/home/" not in text
            and "/root" not in text
            and "/work" not in text
            and "/tmp" not in text
        )
        assert sass._report_text(sass._parse_report(text)) == text


def test_fast_path_and_tail_by_source_line():
    rows = recorded("v5_f16x8", "sm_120").kernel().by_line()
    loads = [row["global loads"] for row in rows if row["global loads"]]
    assert loads in (["4 × 32-bit", "4 × 32-bit", "2 × 16-bit"], ["8 × 32-bit", "2 × 16-bit"])
    assert (
        sum(row["instructions"] for row in rows)
        == recorded("v5_f16x8", "sm_120").rows()[0]["instructions"]
    )


def test_without_tools_the_recording_is_shown_and_labelled(no_tools):
    report = sass.read("v1_f32", "sm_120")
    assert (
        report.recorded
        and "recorded" in str(report).splitlines()[0]
        and report.nvcc in report.provenance
    )
    assert sass.load_width_counts("v1_f32", "12.0") == {32: 2}
    table = sass.table(["v1_f32", "v6_f16x8_pack"], RECORDED_ARCHS)
    assert list(table["arch"]) == ["sm_90", "sm_120"] * 2


def test_without_tools_and_recording_the_error_says_how_to_get_them(no_tools, tmp_path):
    with pytest.raises(BuildError, match=r'pip install -e "\.\[sass\]"') as caught:
        sass.read("v1_f32", "sm_75")
    assert "no nvcc and no nvdisasm for sm_75" in str(
        caught.value
    ) and "no recorded listing" in str(caught.value)
    edited = tmp_path / "v1_f32.cu"
    edited.write_text((paths.KERNELS / "v1_f32.cu").read_text() + "\n// edited\n")
    with pytest.raises(BuildError, match=r"is of another version of v1_f32\.cu"):
        sass.read(edited, "sm_90")
    with pytest.raises(BuildError, match="pip install"):
        sass.read_source("__global__ void f() {}", "sm_90")


def test_an_edited_include_makes_a_recording_stale(tmp_path):
    (tmp_path / "a.cu").write_text('#include "b.cuh"\n#include <cstdint>\n')
    (tmp_path / "b.cuh").write_text('#include "a.cu"\nint x;\n')  # a ring of includes must end
    before = sass.source_hash(tmp_path / "a.cu")
    (tmp_path / "b.cuh").write_text("int y;\n")
    assert sass.source_hash(tmp_path / "a.cu") != before


# ---------------------------------------------------------------------------------------------------------------
# Finding the tools, with made-up ones


def fake_toolkit(
    folder: Path, version: str, archs: str, tools=("nvcc", "nvdisasm", "cuobjdump")
) -> Path:
    folder.mkdir(parents=True)
    for name in tools:
        path = folder / name
        lists = {"nvcc": "--list-gpu-code", "nvdisasm": "--help", "cuobjdump": "--help"}[name]
        path.write_text(
            f"#!/bin/sh\ncase $1 in --version) echo 'release, V{version}';; {lists}) echo \"{archs}\";; esac\n"
        )
        path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return folder


@pytest.fixture
def search(monkeypatch):
    """Let the search see only the given folders."""

    def only(*folders: tuple[Path, str]):
        monkeypatch.setattr(sass, "_folders", lambda: iter(folders))
        sass._find.cache_clear()

    yield only
    sass._find.cache_clear()


def test_the_first_toolkit_that_knows_the_architecture(search, tmp_path):
    old = fake_toolkit(tmp_path / "old", "12.4.131", "sm_80 sm_90 'SM80','SM90'")
    new = fake_toolkit(tmp_path / "new", "13.0.88", "sm_90 sm_120 'SM90','SM120'")
    search((tmp_path / "missing", "PATH"), (old, "PATH"), (new, "PyPI package"))
    tools = sass.find_tools()
    assert tools.nvcc == sass.Tool(old / "nvcc", "PATH", "12.4.131")
    assert sass.find_tools("sm_120").nvcc == sass.Tool(new / "nvcc", "PyPI package", "13.0.88")
    assert sass.find_tools("sm_120").nvdisasm.found == "PyPI package"
    assert sass.find_tools("sm_90").nvdisasm.found == "PATH"
    assert sass.find_tools("sm_90a").nvcc.found == "PATH"
    assert sass.find_tools("sm_75").nvcc is None
    assert "12.4.131 (PATH)" in str(tools)


def test_tools_from_different_places_and_broken_ones(search, tmp_path):
    broken = tmp_path / "broken"
    broken.mkdir()
    (broken / "nvcc").write_text("#!/bin/sh\nexit 1\n")
    (broken / "nvcc").chmod(0o755)
    (broken / "nvdisasm").write_text("not a program")
    (broken / "nvdisasm").chmod(0o755)
    triton = fake_toolkit(
        tmp_path / "triton", "12.8.55", "'SM90','SM120'", tools=("nvdisasm", "cuobjdump")
    )
    search((broken, "PATH"), (triton, "Triton"))
    tools = sass.find_tools("sm_120")
    assert tools.nvcc is None and tools.nvdisasm.found == "Triton"
    assert "nvcc       not found" in str(tools)


def test_folders_of_pypi_and_triton(monkeypatch, tmp_path):
    monkeypatch.setattr(sass.machine, "find_nvcc", lambda: None)
    (tmp_path / "nvidia" / "cu13" / "bin").mkdir(parents=True)
    monkeypatch.setattr(sass.sys, "path", [str(tmp_path)])
    folders = list(sass._folders())
    assert folders[-2:] == [
        (tmp_path / "nvidia" / "cu13" / "bin", "PyPI package"),
        (tmp_path / "triton" / "backends" / "nvidia" / "bin", "Triton"),
    ]


def test_a_program_that_hangs_or_is_missing(tmp_path):
    with pytest.raises(BuildError, match=r"sleep did not end within 0\.1 s"):
        sass._run("sleep", "5", timeout=0.1)
    with pytest.raises(BuildError, match="nothing could not be run"):
        sass._run(tmp_path / "nothing", timeout=1)


# ---------------------------------------------------------------------------------------------------------------
# With the tools

PROBES = r"""
#include <cuda_fp16.h>
#include <cstdint>
struct Four { half2 v[4]; };
struct alignas(32) Wide { float v[8]; };

__global__ void restricted(const float* __restrict__ a, float* __restrict__ out) { out[threadIdx.x] = a[threadIdx.x]; }
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
    for (int i = 0; i < 32; ++i) array[(i * k) & 31] = a[i];  // an index that is not known leaves registers
    for (int i = 0; i < 32; ++i) out[i] = array[(i + k) & 31];
}
template <int kScale>
__global__ void scaled(const float* a, float* out) { out[threadIdx.x] = kScale * a[threadIdx.x]; }
template __global__ void scaled<3>(const float*, float*);

__device__ __forceinline__ void hungry(float* p) {
    float r[120];
#pragma unroll
    for (int i = 0; i < 120; ++i) r[i] = p[i * 1024 + threadIdx.x];
    float sum = 0;
#pragma unroll
    for (int i = 0; i < 120; ++i) sum += r[i];
#pragma unroll
    for (int i = 0; i < 120; ++i) p[i * 1024 + threadIdx.x] = r[i] / sum;  // all 120 are needed to the end
}
__global__ void __launch_bounds__(256, 8) bound_256_8(float* p) { hungry(p); }
__global__ void __launch_bounds__(256, 5) bound_256_5(float* p) { hungry(p); }
__global__ void __launch_bounds__(96, 7) bound_96_7(float* p) { hungry(p); }
__global__ void unbound(float* p) { hungry(p); }
"""


@pytest.fixture(scope="module")
def probes():
    """Both architectures' machine code of the probes."""
    for name in ("nvcc", "nvdisasm"):
        if getattr(sass.find_tools("sm_120"), name) is None:
            pytest.skip(f"no {name} on this machine: {sass.HOW_TO_GET_THE_TOOLS}")
    return {arch: sass.read_source(PROBES, arch) for arch in RECORDED_ARCHS}


@pytest.mark.parametrize("arch", RECORDED_ARCHS)
def test_probes(probes, arch):
    code = probes[arch].kernel
    assert (
        "LDG.E.CONSTANT" in code("restricted").opcodes()
        and "LDG.E" in code("aliased").opcodes()
    )
    assert code("split").loads() == {32: 4} and code("through_uint4").loads() == {128: 1}
    assert code("shared").stores("shared") == {128: 1} and code("shared").loads("shared") == {
        128: 1
    }
    assert code("shared").shared == 1024
    assert code("local").stack == 128 and sum(code("local").stores("local").values()) >= 1
    assert code("local").spill_stores == 0  # a local array is no spill
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


def test_a_report_is_made_once_and_then_comes_from_the_cache(tools, own_cache, monkeypatch):
    made = sass.read("v1_f32", "sm_120")
    assert not made.recorded and made.nvcc == tools.nvcc.version
    monkeypatch.setattr(sass, "_compile", lambda *_: pytest.fail("compiled again"))
    assert sass.read("v1_f32", "sm_120") == made
    with pytest.raises(pytest.fail.Exception):
        sass.read("v1_f32", "sm_90")


def test_the_recording_is_what_the_compiler_makes_now(tools, own_cache):
    made, kept = sass.read("v6_f16x8_pack", "sm_120"), recorded("v6_f16x8_pack", "sm_120")
    if made.nvcc != kept.nvcc:
        pytest.skip(f"recorded with nvcc {kept.nvcc}, here is {made.nvcc}")
    assert made.kernels == kept.kernels


def test_record_writes_what_read_finds(tools, monkeypatch, tmp_path):
    monkeypatch.setattr(sass, "RECORDED", tmp_path / "sass")
    assert sass.main(["record", "v1_f32", "--arch", "sm_120"]) == 0
    assert [file.name for file in sass.recordings()] == ["v1_f32.sm_120.txt"]
    monkeypatch.setattr(sass, "find_tools", lambda arch=None: sass.Tools(None, None, None))
    assert sass.read("v1_f32", "sm_120").recorded
    with pytest.raises(BuildError, match="no recorded listing"):
        sass.read("v1_f32", "sm_120", flags=["-DX=1"])


def test_a_kernel_that_does_not_compile(tools, tmp_path):
    broken = tmp_path / "broken.cu"
    broken.write_text("__global__ void f(float* p) {\n    p[0] = nonsense;\n}\n")
    with pytest.raises(
        CompileError, match=r"broken\.cu\(2\): error: identifier .nonsense. is undefined"
    ) as caught:
        sass.read(broken, "sm_120")
    assert str(tmp_path) not in str(caught.value)
    assert sass.main(["show", str(broken)]) == 1


def test_unknown_kernels_and_architectures(tools):
    with pytest.raises(FileNotFoundError, match="v1_f32"):
        sass.read("v7", "sm_90")
    with pytest.raises(BuildError, match="no nvcc and no nvdisasm for sm_35"):
        sass.read("v1_f32", "sm_35")


@pytest.mark.slow
@pytest.mark.parametrize(
    "arch", [f"sm_{cc}" for cc in (75, 80, 86, 87, 88, 89, 90, 100, 103, 110, 120, 121)]
)
def test_every_architecture(tools, arch):
    for kernel in LADDER:
        code = sass.read(kernel, arch).kernel()
        assert (code.loads(), code.stores()) == WIDTHS[kernel]
        assert sum(code.arithmetic().values()) == ADDS[kernel] and code.spill_stores == 0


@pytest.mark.slow
@pytest.mark.parametrize(
    "file",
    sorted(
        path.stem
        for path in paths.KERNELS.glob("*.cu")
        if "torch/" not in path.read_text("utf-8")
    ),
)
def test_every_kernel_file_can_be_read(tools, file):
    report = sass.read(file, "sm_90")
    assert report.kernels and all(
        code.instructions and code.registers for code in report.kernels
    )
    assert not any(
        code.symbol.startswith("_ZN11elementwise") and code.name == code.symbol
        for code in report.kernels
    )
