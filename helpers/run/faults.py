"""Turn CUDA errors of a running kernel into KernelFaults, with words that say what to do.

A fault on a GPU ends the process's CUDA context, and it shows late: at the next launch, or when
somebody waits for the GPU.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

from helpers.errors import FaultKind, KernelFault

# What a running kernel did, by the CUDA error that it leaves.
WORDS = {
    700: "an illegal memory access: an index far outside of its tensor, or an invalid pointer",
    710: "an assertion failed",
    714: "the thread's stack overflowed: recursion without an end?",
    715: "an illegal instruction: __trap(), or the end of a function without its return",
    716: "a misaligned access: the address of a vector must be a multiple of the vector's size",
    717: "an access through a pointer to another kind of memory",
    718: "the program counter left the kernel",
    719: "the kernel failed: __trap(), or an access to shared memory out of bounds",
}
# Errors after which no CUDA call of the process works any more.
ENDS_CONTEXT = frozenset({*WORDS, 702, 709})
CONTEXT_IS_LOST = (
    "A kernel launched earlier broke a rule, and with it every CUDA call of this process: "
    "restart the notebook's kernel (Kernel > Restart), then run `check` on the kernel that you "
    "changed last"
)

# A classic extension's launcher catches an exception and leaves its words in this char array.
THROWN_WORDS = "elementwise_thrown"
THREW = "threw a C++ exception"


def context_lost(what: str) -> KernelFault:
    """Return the fault that says that the CUDA context is lost; `what` says how it showed."""
    return KernelFault(f"{what}. {CONTEXT_IS_LOST}", kind=FaultKind.CONTEXT_LOST)


def thrown(launcher: str, words: str) -> KernelFault:
    """Return the fault of a launcher whose own code threw an exception that says `words`."""
    return KernelFault(f"the launcher {launcher} {THREW}: {words}", kind=FaultKind.HOST)


@contextlib.contextmanager
def named_faults() -> Iterator[None]:
    """Turn PyTorch's error into a KernelFault, around code that waits for the GPU."""
    try:
        yield
    except RuntimeError as error:
        if "CUDA error" not in str(error):  # PyTorch has no type for it in all versions
            raise
        raise context_lost(str(error).splitlines()[0]) from None


def wait() -> None:
    """Wait until the GPU has finished all work of this process, if there is a GPU.

    Raises KernelFault if a kernel broke a rule meanwhile.
    """
    import torch  # here, as the child program of a first launch starts without it

    if torch.cuda.is_initialized():
        with named_faults():
            torch.cuda.synchronize()
