"""Past 2^31 elements, without the memory: on the emulator, in tensors that are reserved but never filled.

Pages that nobody touches cost nothing, so three tensors of 8 GB each can be had on any laptop. To run all of
their threads would take too long; but the emulator can run a grid in reverse, the last blocks first, and can
be stopped after a few milliseconds. By then the last elements are written, or an index has overflowed.
"""

from __future__ import annotations

import contextlib
import ctypes
import mmap
import os
import re
import weakref
from collections.abc import Callable, Iterator

import torch

from helpers.errors import CourseError, KernelFault
from helpers.run.launcher import Launcher
from helpers.testing.diagnosis import ulp_distance

SIZES = (
    (1 << 31) + 1001,
    (1 << 32) + 1024,
)  # what a signed, and what an unsigned index of 32 bits cannot hold
END = 1024  # elements at the end that are filled and compared
SECONDS = (0.02, 0.2)
PATIENCE = 5
WRONG = "the last elements are wrong"
POISON = 0x5A
ADVICE = (
    "an index, a count or a number of blocks of 32 bits? Compute it in int64_t, as in "
    "static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x"
)
_PRIVATE_AND_NORESERVE = (
    mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | getattr(mmap, "MAP_NORESERVE", 0x4000)
)

_libc = ctypes.CDLL(None, use_errno=True)
_libc.mmap.restype = ctypes.c_void_p
_libc.mmap.argtypes = [
    ctypes.c_void_p,
    ctypes.c_size_t,
    ctypes.c_int,
    ctypes.c_int,
    ctypes.c_int,
    ctypes.c_long,
]
_libc.mprotect.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
_libc.munmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t]


def sparse(numel: int, dtype: torch.dtype, alignment: int) -> torch.Tensor:
    """A CPU tensor [numel] of zeros that takes memory only where it is written.

    An inaccessible gap of 2^31 elements lies before it, where a negative index leads, and one behind it; it ends
    at the gap, but for its alignment (bytes). Raises MemoryError where so much address space cannot be had.
    """
    page, gap = mmap.PAGESIZE, dtype.itemsize << 31
    room = -(-numel * dtype.itemsize // alignment) * alignment
    data = -(-room // page) * page
    whole = _libc.mmap(None, gap + data + gap, 0, _PRIVATE_AND_NORESERVE, -1, 0)
    if whole == ctypes.c_void_p(-1).value:
        raise MemoryError("no address space")
    if _libc.mprotect(whole + gap, data, mmap.PROT_READ | mmap.PROT_WRITE):
        _libc.munmap(whole, gap + data + gap)
        raise MemoryError("no memory may be reserved")
    start = whole + gap + data - room
    buffer = (ctypes.c_uint8 * (numel * dtype.itemsize)).from_address(start)
    weakref.finalize(buffer, _libc.munmap, whole, gap + data + gap)
    return torch.frombuffer(buffer, dtype=torch.uint8).view(dtype)


@contextlib.contextmanager
def schedule(launcher: Launcher, mode: int) -> Iterator[None]:
    """On the emulator: blocks and threads in order (0), in reverse (1) or shuffled (2)."""
    launcher.library.emulator_set_schedule(mode, 1)
    try:
        yield
    finally:
        launcher.library.emulator_set_schedule(0, 0)


@contextlib.contextmanager
def _stopped_after(seconds: float) -> Iterator[None]:
    """On one thread of the CPU, stopped after so many seconds: the emulator reads both before each launch."""
    wanted = {"ELEMENTWISE_KERNEL_TIMEOUT": str(seconds), "OMP_NUM_THREADS": "1"}
    before = {name: os.environ.get(name) for name in wanted}
    os.environ.update(wanted)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


def element(message: str, tensors: dict[str, torch.Tensor], reach: int) -> str:
    """A fault's message with a tensor's element in the place of an address within `reach` elements of it."""
    for found in re.finditer(
        r"(?:address )?(0x[0-9a-fA-F]+)(, outside of every tensor: an index out of bounds)?",
        message,
    ):
        for name, tensor in tensors.items():
            index, count = (
                (int(found[1], 16) - tensor.data_ptr()) // tensor.element_size(),
                tensor.numel(),
            )
            if 0 <= index < count:
                return message.replace(found[0], f"{name}[{index:,}]")
            if -reach <= index < count + reach:
                what = (
                    f"{name}[{index:,}], but {name} has {count:,} element{'s' * (count != 1)}"
                )
                return message.replace(found[0], what)
    return message


def _run(
    launcher: Launcher, n: int, seconds: float, reference: Callable, ulp: float, arguments: dict
) -> str | None:
    """One launch of n elements: "" when its end is right, None where it was stopped before that, else a sentence."""
    tensors, exact = {}, []
    generator = torch.Generator().manual_seed(31)
    for parameter in launcher.declaration.tensors:
        tensor = sparse(n, parameter.dtype, max(parameter.alignment, parameter.dtype.itemsize))
        if parameter.role == "input":
            tensor[-END:] = torch.randint(-9, 9, (END,), generator=generator).to(
                parameter.dtype
            )
            exact.append(tensor[-END:].double())
        else:
            tensor[-END:].view(torch.uint8).fill_(POISON)
        tensors[parameter.name] = tensor
    complete = True
    with schedule(launcher, 1), _stopped_after(seconds):
        try:
            launcher(*tensors.values(), **arguments)
        except KernelFault as error:
            if "still running" not in str(error):
                return f"{element(str(error), tensors, 1 << 31)}: {ADVICE}"
            complete = False
    expected = reference(*exact)
    expected = expected if isinstance(expected, tuple) else (expected,)
    outputs = [
        tensors[p.name][-END:] for p in launcher.declaration.tensors if p.role == "output"
    ]
    reached = True
    for got, right in zip(outputs, expected, strict=True):
        untouched = (got.view(torch.uint8).view(END, -1) == POISON).all(dim=1)
        reached &= not bool(untouched[-1])
        if bool((~(ulp_distance(got, right) <= ulp) & ~untouched).any()):
            return f"{WRONG}: {ADVICE}"
    if complete and not reached:
        return f"the last elements are never written: {ADVICE}"
    return "" if reached else None


def past_2_31(
    launcher: Launcher, reference: Callable, ulp: float, arguments: dict
) -> tuple[int, str | None]:
    """(How many sizes were tried, None or a sentence) for an operator of n elements, on the emulator.

    What stays open counts as right: where the memory cannot be reserved, where the launch is refused, or where
    a right index is no faster reached below 2^31 than beyond.
    """
    for count, n in enumerate(SIZES, 1):
        try:
            below = (1 << 30) + n % (1 << 30)  # where the same thread has the last elements
            answer = None
            for seconds in SECONDS:
                answer = (
                    answer
                    if answer is not None
                    else _run(launcher, n, seconds, reference, ulp, arguments)
                )
            if (
                answer
                and answer.startswith(WRONG)
                and _run(launcher, below, SECONDS[-1], reference, ulp, arguments)
            ):
                continue  # wrong below 2^31 too: an element depends on others, so its end alone says nothing
            # Not reached in time: is a size below 2^31 reached? Then the large one gets ample time, so that a busy
            # machine is not taken for a wrong index.
            if (
                answer is None
                and _run(launcher, below, SECONDS[-1] * below / n, reference, ulp, arguments)
                == ""
            ):
                answer = _run(launcher, n, PATIENCE * SECONDS[-1], reference, ulp, arguments)
                if answer is None:
                    answer = f"the last elements are not written, as they are with {below:,}: {ADVICE}"
        except (MemoryError, CourseError, ValueError):
            continue
        if answer:
            return count, f"{answer} [n = {n:,}]"
    return len(SIZES), None
