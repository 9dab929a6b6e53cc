"""Print what one call of a kernel costs on this machine, beside torch.add(a, b, out=out).

    python tools/call_cost.py [--rounds 200] [--calls 200]

On a GPU the kernel is v1_f32 on 1,024 elements, so the host is slower than the GPU and the time
between calls is the call's own; beside it stand the operators for PyTorch (lesson 20). Without
a GPU the C function is a stub that does nothing, so what is printed is the cost of the checks
and of the call. Each round times every column once; the best round of each is printed, in
microseconds a call.
"""

from __future__ import annotations

import argparse
import ctypes
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import torch

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from helpers.emulator.compile import compiler
from helpers.emulator.runtime import FUNCTIONS
from helpers.run import fast_call, jit, machine, pytorch_ops
from helpers.run.kernel import Kernel
from helpers.run.launcher import _not_bound

ELEMENTS = 1024
TEXT = """
extern "C" void add(const float* a, const float* b, float* out, int64_t n, int block_size = 256,
                    cudaStream_t stream = 0)
"""
LAUNCHER = """
#include <stdint.h>
void add(const float* a, const float* b, float* out, int64_t n, int block_size, void* stream) {}
"""


def stub() -> str:
    """Return C: a launcher that does nothing, and the functions of an emulator, returning 0.

    These take no arguments: a caller's are passed in registers, and nobody looks at them.
    """
    types = {ctypes.c_double: "double"}
    functions = (
        f"{types.get(returned, 'void*')} {name}(void) {{ return 0; }}"
        for name, (returned, _) in FUNCTIONS.items()
    )
    return "\n".join([LAUNCHER, *functions])


def stub_kernel(folder: Path) -> Kernel:
    """Build a kernel whose launcher does nothing."""
    source, library = folder / "stub.c", folder / "stub.so"
    source.write_text(stub())
    command = [compiler(), "-x", "c", "-w", "-O2", "-shared", "-fPIC", str(source), "-o"]
    subprocess.run([*command, str(library)], check=True)
    return Kernel(folder / "stub.cu", TEXT, library, on_gpu=False, build_seconds=0.0)


def columns(kernel: Kernel, tensors: tuple) -> dict[str, Callable[[], object]]:
    """Return the calls to compare, by what they are called in the table."""
    a, b, out = tensors
    add = kernel.launchers["add"]

    def checks_in_python() -> None:
        add.launch(*add.checked((a, b, out, 256)))

    return {
        "torch.add(a, b, out=out)": lambda: torch.add(a, b, out=out),
        "kernel(a, b, out)": lambda: kernel(a, b, out),
        "kernel(a, b, out, block_size=256)": lambda: kernel(a, b, out, block_size=256),
        "kernel.add(a, b, out)": lambda: add(a, b, out),
        "the dispatcher alone": lambda: add._dispatch(a, b, out),
        "the checks in Python": checks_in_python,
    }


def operators(a: torch.Tensor, b: torch.Tensor) -> dict[str, Callable[[], object]]:
    """Return the calls that make their result: PyTorch's own and the course's operator."""
    compiled, general = pytorch_ops.load().add, torch.ops.elementwise.add
    return {
        "torch.add(a, b)": lambda: torch.add(a, b),
        "pytorch_ops.load().add(a, b)": lambda: compiled(a, b),
        "torch.ops.elementwise.add(a, b)": lambda: general(a, b),
    }


def best_microseconds(calls: dict[str, Callable], rounds: int, count: int) -> dict[str, float]:
    """Time `count` calls of each in every round; return the best round's us a call."""
    best = dict.fromkeys(calls, float("inf"))
    wait = torch.cuda.synchronize if torch.cuda.is_available() else int
    for _ in range(rounds):
        for name, call in calls.items():
            wait()
            began = time.perf_counter()
            for _ in range(count):
                call()
            best[name] = min(best[name], (time.perf_counter() - began) / count * 1e6)
    return best


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=200)
    parser.add_argument("--calls", type=int, default=200)
    options = parser.parse_args()
    here = machine.present()
    torch.set_num_threads(1)
    with tempfile.TemporaryDirectory() as folder:
        kernel = jit.load("v1_f32") if here.is_gpu else stub_kernel(Path(folder))
        device = "cuda" if here.is_gpu else "cpu"
        tensors = tuple(torch.ones(ELEMENTS, device=device) for _ in range(3))
        kernel(*tensors)  # the first launch is tried apart
        calls = columns(kernel, tensors)
        if here.is_gpu:
            calls |= operators(*tensors[:2])
        if kernel.launchers["add"]._dispatch is _not_bound:
            del calls["the dispatcher alone"]
        times = best_microseconds(calls, options.rounds, options.calls)
    what = "v1_f32" if here.is_gpu else "a stub that does nothing"
    state = "is built" if fast_call.compiled() else "cannot be built here"
    print(f"{here.name}, PyTorch {torch.__version__}; the C function: {what}")
    print(f"the compiled dispatcher {state}")
    reference = times["torch.add(a, b, out=out)"]
    for name, microseconds in times.items():
        print(f"{name:34} {microseconds:7.2f} us   {microseconds / reference:5.2f} x torch.add")


if __name__ == "__main__":
    main()
