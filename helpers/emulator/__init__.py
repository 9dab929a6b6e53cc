"""Run CUDA kernels without a GPU: a .cu file, untouched, becomes a library for the CPU.

How it works
    1. `translate` rewrites in place the few constructs that g++ does not know: a launch
       `k<<<grid, block>>>(args)` becomes a function call, `__shared__` arrays become references
       to the block's memory, reads of special registers by `asm` become calls. Every line stays
       where it is, so errors name the learner's line.
    2. `compile` runs g++ (or $CXX) on the result. All other words of CUDA are macros, types and
       functions of the folder include/, whose cuda_runtime.h, cuda_fp16.h, ... stand in for
       NVIDIA's. What all libraries share is compiled once (`precompiled`).
    3. When a launcher is called, OS threads (workers) take the grid's blocks. Each worker runs
       the threads of its block one after another, as a loop that the compiler can optimise,
       until one has to wait (at a barrier, a shuffle). That one keeps its stack (a fiber), and
       the others go on with another. A kernel that never waits costs hardly more than a loop.
       In a kernel that libclang understands a thread that comes to a barrier ends its call
       instead, and is called again when the barrier opens (`resumed`).
       A loop of shuffles that changes only a thread's own numbers, such as a warp's sum, is
       computed by one thread for its warp (`shuffle_loops`). Where all lanes of a warp come to
       the same shuffles and votes, one thread runs all of them, as a loop over the lanes from
       one wait to the next (`phases`); where they part, the kernel goes on as above. So it does
       for all threads of a block from one barrier to the next, without a check of each access
       (`block_phases`); a block that faults runs again as above. Cooperative groups that are a
       block or a warp are written as what CUDA had before them (`groups`).

       A floating number that an integer type cannot hold becomes there what a GPU makes of it
       (`conversions`).

What a launch leaves
    `runtime.Library` reads it: a fault with its kind, address, access and thread; CUDA's error
    number; printed lines; the stream. It also sets how the next launches run: the order of
    blocks and threads, the timeout, the number of workers, the card that launchers are told of
    (`card`). `memory` makes tensors at whose ends a wrong index is seen, and names the element
    behind a fault's address.

Faults
    A fault never ends the process; it ends its launch. In a kernel, and in the launcher's own
    code, these are caught:
    - memory: an address outside of every mapping (`guarded` tensors lie in gaps), a misaligned
      access, any step out of a shared array, a stack overflow;
    - the end of a thread: assert, __trap, abort, a C++ exception, an integer division by zero,
      a shift by all bits or more;
    - waiting: a barrier that only part of the block reaches, a warp operation whose lanes never
      come, an endless loop, on the host, too (after ELEMENTWISE_KERNEL_TIMEOUT seconds, 60 if
      it is not set);
    - on the host: exit, abort, memory that is freed twice or overrun; an access to memory of
      the GPU (cudaMalloc's; tensors that `check` or a first launch makes), but by cudaMemcpy.
      What the launcher spoils so that its process cannot go on ends a child process only
      (`isolated`).
    A thread that waits for another of its block in a loop is interrupted after 10 ms.
    Static and dynamic shared memory starts as garbage (NaN, -1) in every block.

Where CUDA leaves a choice, this one was made
    - A barrier does not wait for threads that have returned before it: since Volta a GPU's
      waits for threads that have not exited (PTX ISA, `exit`). A thread that goes round it, in
      a branch that only part of the block takes, is a fault: CUDA leaves that undefined, though
      a GPU may let it pass.
    - A warp operation waits for those lanes of its mask that have not left the kernel. A
      shuffle that reads from a lane that its mask does not name, or that has left or never
      existed, is a fault: CUDA leaves the value undefined.
    - Work of streams is kept back until something waits for it, and then done in an order that
      CUDA allows and the launcher did not ask for: a missing event shows. The default stream's
      is done at once where no stream is a non-blocking one. So is, in the order FORWARD, what
      is given managed or pinned memory: a host that does not wait is told so.
    - __activemask is answered when every lane of the warp waits or has left: as if warps always
      reconverged.

Limits
    - Time: nothing here is fast or slow for the reasons of a GPU. On one core of an
      AMD EPYC, 2^22 elements, most elementwise kernels take 1.2 to 5 times as long as PyTorch
      on one thread; those that convert 16-bit numbers one at a time (V3, relu, scale) 4.3 to 8.
      A loop by hand that does what V3 means, with the checks of addresses and a note of the
      running thread, takes 1.7 ns an element; V3 here 2.1, PyTorch, which adds several numbers
      at once, 0.28.
    - Races: the threads of a block run one at a time, so most races show only in another order
      (`Library.schedule`).
    - Rounding: nvcc fuses a * b + c, and __expf and its like are coarser on a GPU, so results
      may differ in the last bits. NaNs may differ in their bits.
    - Without libclang, g++ accepts what nvcc refuses: host functions called in a kernel, a
      launch of an ordinary function, assignments to threadIdx (`front_end`).
    - Host code that accesses an ordinary tensor is found when sizes are new, not in each call.
    - Not there: inline PTX beyond common instructions (`ptx`), tensor cores but wmma and
      `mma` of 16 x 8, both without double, textures, clusters, conditional nodes of graphs,
      launches from kernels, libraries but a part of CUB (of blocks and warps) and of cuRAND
      (XORWOW and Philox in kernels). Nothing runs in the background.
    - A compiler for GPUs alone knows a kernel's registers: `cudaFuncGetAttributes` gives 0.
    - Kernels in which blocks wait for later blocks do not end, but in a cooperative launch.
"""

from helpers.emulator import isolated, lockstep, traced
from helpers.emulator.compile import build, fingerprint, precompile_headers
from helpers.emulator.memory import (
    GAP,
    Region,
    Regions,
    guarded,
    guarded_changed,
    guarded_intact,
    pages,
    read_only,
    sparse,
)
from helpers.emulator.runtime import (
    FORWARD,
    GARBAGE,
    REVERSE,
    REVERSE_COLUMNS,
    SHUFFLED,
    LaunchSize,
    Library,
    Refusal,
    load,
)

__all__ = [
    "FORWARD",
    "GAP",
    "GARBAGE",
    "REVERSE",
    "REVERSE_COLUMNS",
    "SHUFFLED",
    "LaunchSize",
    "Library",
    "Refusal",
    "Region",
    "Regions",
    "build",
    "fingerprint",
    "guarded",
    "guarded_changed",
    "guarded_intact",
    "isolated",
    "load",
    "lockstep",
    "pages",
    "precompile_headers",
    "read_only",
    "sparse",
    "traced",
]
