"""Allocate device tensors whose neighbouring memory is watched for stray reads and writes.

On the emulator an inaccessible gap lies at one end of each tensor, so that a read or write
past it is a fault, and a pattern fills what cannot be a gap. On a GPU a pattern lies on both
sides.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Container, Iterator, Mapping
from dataclasses import dataclass

import torch

from helpers import emulator
from helpers.emulator import Region, Regions
from helpers.emulator.memory import CANARY
from helpers.errors import FaultKind, KernelFault
from helpers.run import machine
from helpers.testing.references import bits, same_bits

# By bytes an element and by round: two quiet NaNs with a recognisable payload, then one
# ordinary number. An element that still holds these bits was never written.
POISON = {
    1: (0x5A, 0x5A, 0x5A),
    2: (0x7FDA, 0x7FDA, 0x4BAD),  # of float16 and of bfloat16
    4: (0x7FC0DEAD, 0x7FC0DEAD, 0x4BADBAD0),
    8: (0x7FF8DEADDEADDEAD, 0x7FF8DEADDEADDEAD, 0x4BADBADBADBADBAD),
}
# Fill modes instead of poison: zeros, the largest and the smallest number of the type.
ZEROS, LARGEST, SMALLEST = 3, 4, 5
BOUNDARY = 256  # bytes; the alignment of a CUDA allocation
OTHERS = 8  # patterns of memory around the tensors of a call
MARGIN = 64  # elements behind each tensor on a GPU
INDICES = (torch.int32, torch.int64)
THREADS = 1024  # of the last block, some of which may have no element
ROOM = 1024  # elements on either side of a tensor that no guard page protects
NEAR = 256  # elements; a step no farther outside may be one thread or block too many
_OWN = re.compile(r"of \d+ bytes that cudaMalloc gave$")
OWN = (
    ", which is outside of it: what limits the index (n, the blocks of the launch, the threads "
    "of one), and is the memory made for as many?"
)
INSIDE = "is the index tested against n?"
BEFORE = (
    "the index is below 0, so look at what is subtracted in it, and whether it must be tested "
    "against 0"
)
FAR = "far outside of it, so look at how the index is computed"


def poison(dtype: torch.dtype, mode: int = 0) -> int:
    """Return the bits that fill an output of `dtype` before a call.

    mode: 0, 1, 2, ZEROS, LARGEST or SMALLEST.
    """
    if mode in (LARGEST, SMALLEST):
        return int(bits(end_of(dtype, mode)))
    return 0 if mode == ZEROS else POISON[dtype.itemsize][mode]


def end_of(dtype: torch.dtype, mode: int) -> torch.Tensor:
    """Return the largest or the smallest finite number of a type, by the fill mode."""
    if dtype is torch.bool:
        return torch.tensor(mode == LARGEST)
    info = torch.finfo(dtype) if dtype.is_floating_point else torch.iinfo(dtype)
    return torch.tensor(info.max if mode == LARGEST else info.min, dtype=dtype)


def with_room(x: torch.Tensor, device: torch.device | str) -> torch.Tensor:
    """Copy a tensor to a device, zeros beside it: a step outside spoils nobody's memory.

    On the emulator a longer one comes to a page that nobody may access.
    """
    n = ROOM + x.numel() + ROOM
    if torch.device(device).type == "cpu":
        whole = emulator.guarded(n, x.dtype, BOUNDARY)  # new pages are zeros
    else:
        whole = torch.zeros(n, dtype=x.dtype, device=device)
    return whole[ROOM : ROOM + x.numel()].view(x.shape).copy_(x)


@dataclass(frozen=True)
class _Watched:
    """A tensor inside a larger one: `lead` elements before it and all behind hold `around`.

    Each tensor of a call has other bits there: what is copied from beyond one shows in another.
    """

    name: str
    tensor: torch.Tensor
    whole: torch.Tensor
    lead: int
    around: int


def _touched(part: torch.Tensor, around: int) -> bool:
    """Test whether an element of memory that held the bits `around` has changed."""
    return part.numel() > 0 and not bool(same_bits(part.cpu(), around).all())


def _of_misaligned(fault: str, near: Region | None) -> str:
    """Say what may be misaligned: the tensor's start, or the index of an aligned one."""
    asked = re.search(r"multiple of (\d+) bytes", fault)
    if near and asked and near.address % int(asked[1]) == 0:
        width = int(asked[1]) // near.itemsize
        return (
            f"{near.name} itself lies at such an address, so look at the index: it must be a "
            f"multiple of {width}, that of the first element of a row, too"
        )
    return (
        "A slice may start anywhere: declare what the kernel needs (`// [n] 16-byte aligned`)"
    )


class Buffers:
    """The tensors of one call, each with memory around it that the kernel must not touch.

    front: on the emulator, put the inaccessible page before the tensors, not behind them.
    """

    def __init__(self, on_gpu: bool, front: bool):
        self.on_gpu, self.front = on_gpu, front
        self._watched: list[_Watched] = []

    def allocate(
        self, name: str, numel: int, dtype: torch.dtype, offset: int, alignment: int
    ) -> torch.Tensor:
        """Return an uninitialised device tensor [numel], aligned to `alignment` bytes.

        alignment: a power of two. offset: where it is not 0, the tensor starts that many
        elements past a multiple of 256 bytes, as a slice would; on a GPU it always does.
        """
        which = len(self._watched)
        if self.on_gpu:
            lead = BOUNDARY // dtype.itemsize + offset
            device = machine.present().device
            whole = torch.empty(lead + numel + MARGIN, dtype=dtype, device=device)
        else:
            lead = offset
            start = BOUNDARY if offset else max(alignment, dtype.itemsize)
            pattern = CANARY ^ which % OTHERS
            whole = emulator.guarded(lead + numel, dtype, start, self.front, pattern)
        around = poison(dtype) ^ which % OTHERS
        for part in (whole[:lead], whole[lead + numel :]):
            if part.numel():
                bits(part).fill_(around)
        tensor = whole[lead : lead + numel]
        self._watched.append(_Watched(name, tensor, whole, lead, around))
        return tensor

    @contextlib.contextmanager
    def protected(self, library: emulator.Library, read_only: Container[str]) -> Iterator[None]:
        """Protect the tensors as a GPU's memory while the context is open; on the emulator.

        The launcher's own code cannot access them; kernels cannot write those named in
        `read_only`.
        """
        constant = [one.whole for one in self._watched if one.name in read_only]
        pages = [
            page
            for one in self._watched
            for page in emulator.pages(one.whole, one.name not in read_only)
        ]
        with emulator.read_only(constant), library.device_memory(pages):
            yield

    def explain(self, fault: KernelFault) -> str:
        """Replace a raw address in a fault's message by tensor[index]; add what to look at."""
        if self.on_gpu:
            return str(fault)
        return explained(fault, {one.name: one.tensor for one in self._watched})

    def overrun(self) -> str | None:
        """Describe the first write outside a tensor, or return None if there was none."""
        for one in self._watched:
            if _touched(one.whole[one.lead + one.tensor.numel() :], one.around):
                return f"memory past the end of {one.name} was overwritten"
            if _touched(one.whole[: one.lead], one.around):
                return f"memory before the start of {one.name} was overwritten"
            changed = None if self.on_gpu else emulator.guarded_changed(one.whole)
            if changed is not None:
                index = one.tensor.numel() + changed // one.tensor.element_size()
                return (
                    f"memory just outside of {one.name} was overwritten, at "
                    f"{one.name}[{index:,}]"
                )
        return None


def explained(fault: KernelFault, tensors: Mapping[str, torch.Tensor]) -> str:
    """Replace a raw address in an emulator's fault by tensor[index]; add what to look at.

    tensors: each between its gaps, by its name.
    """
    regions = Regions.of(dict(tensors), emulator.GAP)
    named = regions.named(fault)
    near = regions.nearest(fault.address) if fault.address else None
    if fault.kind is FaultKind.HOST:
        return str(named)
    bounds = fault.kind is FaultKind.OUT_OF_BOUNDS and fault.access == "write"
    if bounds and near and not near.distance(fault.address):
        return (
            f"{named}: the input {near.name} was written, even if it is restored later: a "
            "const tensor is read-only"
        )
    if fault.kind is FaultKind.MISALIGNED:
        return f"{named}. {_of_misaligned(str(named), near)}"
    if named is fault:
        return f"{fault}{OWN}" if _OWN.search(str(fault)) else str(fault)
    if narrow := _wrapped_row(str(named), tensors) or wrapped(str(named)):
        return f"{narrow}: is an index of 16 bits too narrow?"
    far = near.distance(fault.address) > NEAR * near.itemsize
    return f"{named}: {FAR if far else BEFORE if '[-' in str(named) else INSIDE}"


def _wrapped_row(fault: str, tensors: Mapping[str, torch.Tensor]) -> str:
    """Say which number of an input was cut to 16 bits, if that explains a fault."""
    at = re.search(r"(\w+)\[(-[\d,]+)\], but", fault)
    if not at or at[1] not in tensors:
        return ""
    index, n = int(at[2].replace(",", "")), tensors[at[1]].numel()
    for name, tensor in tensors.items():
        if tensor.dtype not in INDICES:
            continue
        for row in tensor[(tensor >= 1 << 15) & (tensor < 1 << 16)].unique().tolist():
            width, rest = divmod(index, row - (1 << 16))
            if not rest and n % width == 0 and row < n // width:
                cut = row - (1 << 16)
                return f"{fault}: that is row {cut:,}, and {name} has {row:,}, 2^16 more"
    return ""


def wrapped(fault: str) -> str:
    """Say of which index a negative one is the last 16 bits, if that explains a fault.

    It may count elements, or packs of 2 to 16 of them: such a number must be that of a thread
    of the block that the fault names, whatever the size of its blocks.
    """
    at = re.search(r"(\w+)\[(-[\d,]+)\], but \w+ has ([\d,]+) elements", fault)
    where = re.search(r"block \((\d+), 0, 0\), thread \((\d+), 0, 0\)", fault)
    if not at or "block (0, 0, 0)" in fault:
        return ""
    index, n = (int(number.replace(",", "")) for number in at.groups()[1:])
    for width in (1, 2, 4, 8, 16):
        pack, rest = divmod(index + (width << 16), width)
        if rest or not 1 << 15 <= pack < n // width + THREADS:
            continue
        block, thread = map(int, where.groups()) if where else (0, 0)
        if block > pack:
            continue
        if width > 1:
            if not where:
                continue
            threads, rest = divmod(pack - thread, block)
            if rest or not thread < threads <= THREADS:
                continue
        start = fault[: at.end(2) + 1]
        if width == 1:
            return f"{start}, which is {at.group(1)}[{pack:,}] less 2^16"
        return f"{start}, as a number of packs gives that wraps in 16 bits"
    return ""
