"""The CPU emulator: a .cu file, untouched, as a shared library that behaves as a GPU would.

How it works
    1. `translate` rewrites in place the few constructs that g++ does not know: `k<<<grid, block>>>(args)`
       becomes a function call, `__shared__` arrays become references to the block's memory, reads of special
       registers by `asm` become calls. Every line stays where it is, so errors name the learner's line.
    2. `compile` runs g++ on it. All other words of CUDA are macros, types and functions of the folder include/,
       whose cuda_runtime.h, cuda_fp16.h, ... stand in for NVIDIA's.
    3. At run time OS threads take the grid's blocks. Each runs the threads of its block one after another, as a
       loop that the compiler can optimise, until one has to wait (a barrier, a shuffle): that one keeps its
       stack, and the others go on with another. So a kernel that never waits costs hardly more than a loop.

What a launch leaves, for whoever called the launcher (C functions of the library):
    cudaGetLastError()         CUDA's error number, then cleared; its words: cudaGetErrorString
    emulator_take_fault()      what went wrong in the kernel, or NULL; cleared
    emulator_take_printf()     what the kernel printed, or NULL; cleared
    emulator_last_stream()     the stream of the last launch
    emulator_set_schedule, emulator_set_timeout, emulator_set_workers    how the next launches run
`runtime.Library` declares them all, and gives them Python types.

Faults. None ends the process; each ends its launch. Memory: an address outside of every mapping (tensors made by
`guarded` end at one), a misaligned access, any step out of a shared array, a stack that overflows. Waiting: a
barrier that only part of the block reaches, a warp operation whose lanes never come, a loop without an end
(ELEMENTWISE_KERNEL_TIMEOUT seconds, 60 unless set). Ends: assert, __trap, abort, a C++ exception, an integer
division by zero; and all of these but the waiting in the launcher's own code too. Static and dynamic shared
memory begins as garbage (NaN, -1) in every block.

Where CUDA leaves a choice, this one was made:
    - A barrier is for the whole block. From Volta on a GPU no longer waits for threads that have left the kernel,
      but the rule stands that all threads of a block reach a barrier or none does, and here it is enforced.
    - A warp operation waits for those lanes of its mask that have not left the kernel. A shuffle that reads from
      a lane that its mask names and that is gone, or that the block never had, is a fault. Reading from a lane
      that the mask does not name gives garbage.
    - __activemask is answered when every lane of the warp waits or is gone: as if warps always came together.

What it cannot do
    - Time. Nothing here is as fast or as slow as on a GPU for the GPU's reasons.
    - Races: threads of a block run one at a time, so most show only in another order (emulator_set_schedule).
    - Fused multiply-adds that nvcc makes of a * b + c, and the coarser rounding of __expf and its like:
      results may differ from a GPU's in the last bits. NaNs may differ in their bits.
    - What nvcc refuses and g++ accepts: calls of host functions in a kernel, a host that reads device memory,
      too many registers, a launch of what is no kernel, assignments to threadIdx.
    - Inline PTX beyond special registers, tensor cores, textures, cooperative grids, clusters, asynchronous
      copies, CUDA graphs, launches from kernels, libraries such as CUB. A stream does everything at once.
    - Kernels in which blocks wait for later blocks.
"""

from helpers.emulator.compile import build, fingerprint
from helpers.emulator.memory import Region, Regions, guarded, guarded_intact, sparse
from helpers.emulator.runtime import FORWARD, REVERSE, SHUFFLED, Library

__all__ = [
    "FORWARD",
    "REVERSE",
    "SHUFFLED",
    "Library",
    "Region",
    "Regions",
    "build",
    "fingerprint",
    "guarded",
    "guarded_intact",
    "sparse",
]
