"""Read a kernel's machine code: what a GPU of any architecture executes, with or without one.

    read("v1_f32", "sm_120")            a SassReport: compiled and disassembled now, or cached
    read("v1_f32", "sm_120").table()    loads and stores by width, arithmetic, registers, spills
    read("v1_f32", "sm_120").listing()  the instructions, each with its source line
    find_tools("sm_120")                which nvcc, nvdisasm and cuobjdump are used

The tools come from the machine's CUDA toolkit, from PyPI (`pip install -e ".[sass]"`) or, for
the disassemblers, from the Triton package. Without them `read` returns the listing recorded in
data/sass/ if the file has not changed since, and says so.
`python -m helpers.measure.sass record` makes these recordings.

Every count is of instructions in the code, not of executions: a load in a loop counts once, and
the tail of a vectorised kernel is counted beside its fast path (`KernelSass.by_line` tells them
apart).
"""

from helpers.measure.sass.code import Instruction, KernelSass, access, arithmetic
from helpers.measure.sass.compiling import HOW_TO_GET_THE_TOOLS, Tools, arch_name, find_tools
from helpers.measure.sass.names import kernel_name
from helpers.measure.sass.reading import load_width_counts, read, read_source, table
from helpers.measure.sass.recorded import manifest, record, record_listings
from helpers.measure.sass.report import SassReport

__all__ = [
    "HOW_TO_GET_THE_TOOLS",
    "Instruction",
    "KernelSass",
    "SassReport",
    "Tools",
    "access",
    "arch_name",
    "arithmetic",
    "find_tools",
    "kernel_name",
    "load_width_counts",
    "manifest",
    "read",
    "read_source",
    "record",
    "record_listings",
    "table",
]
