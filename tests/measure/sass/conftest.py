"""A made-up listing: its source, what nvdisasm and ptxas print of it, and the report of it."""

from pathlib import Path

import pytest

from helpers.measure.sass import SassReport, compiling, disassembly

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
ptxas info    : Used 40 registers, used 1 barriers, 24 bytes cumulative stack size, \
2048 bytes smem, 380 bytes cmem[0]
ptxas warning : Value of threads per SM for entry first is out of range. \
.minnctapersm will be ignored
"""


@pytest.fixture
def example_file(tmp_path) -> Path:
    file = tmp_path / "example.cu"
    file.write_text(SOURCE)
    return file


@pytest.fixture
def disassembled(example_file) -> str:
    return DISASSEMBLY.replace("{file}", str(example_file))


@pytest.fixture
def ptxas_log() -> str:
    return PTXAS


@pytest.fixture
def example(example_file, disassembled) -> SassReport:
    resources = disassembly.resources(PTXAS)
    kernels = disassembly.parse_kernels(disassembled, resources, {example_file: SOURCE})
    return SassReport(
        file="example.cu",
        arch="sm_90",
        source_hash="00",
        nvcc="13.0",
        nvdisasm="13.5",
        flags=("-DX=1",),
        warnings=disassembly.warnings(PTXAS),
        kernels=tuple(kernels),
    )


@pytest.fixture
def tools() -> compiling.Tools:
    """Find the tools of this machine; skip the test without them."""
    found = compiling.find_tools("sm_120")
    for name in ("nvcc", "nvdisasm"):
        if getattr(found, name) is None:
            pytest.skip(f"no {name} on this machine: {compiling.HOW_TO_GET_THE_TOOLS}")
    return found


@pytest.fixture
def no_tools(monkeypatch):
    monkeypatch.setattr(
        compiling, "find_tools", lambda arch=None: compiling.Tools(None, None, None)
    )
