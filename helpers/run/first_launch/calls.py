"""Write into files what the child process of a first launch calls, and the tensors' bytes."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path

import torch

from helpers import settings
from helpers.run.signature import Declaration
from helpers.run.toolchain import find_nvcc

# Up to so many bytes in all, the child gets the caller's data; else zeros, fewer elements.
DATA_BYTES = 64 << 20
# The size of a second launch, for a step that leaves only a long tensor.
MORE_ELEMENTS = 1_000_003
ALLOCATION_BYTES = 256  # what an address that cudaMalloc returns is a multiple of


def write_calls(
    folder: Path,
    library: Path,
    declaration: Declaration,
    arguments: Sequence,
    sizes: Sequence[int],
) -> None:
    """Write into `folder` what to call (calls.json) and the tensors' bytes (data).

    The first call is the caller's. If a launcher has one flat size, a second call has
    MORE_ELEMENTS.
    """
    given = {p.name: x for p, x in zip(declaration.arguments, arguments, strict=True)}
    given |= {p.name: size for p, size in zip(declaration.sizes, sizes, strict=True)}
    tensors = [x for x in given.values() if isinstance(x, torch.Tensor)]
    total = sum(x.nbytes for x in tensors)
    capturing = torch.cuda.is_initialized() and torch.cuda.is_current_stream_capturing()
    one_size = sizes[0] if declaration.is_flat and len(sizes) == 1 else MORE_ELEMENTS
    with (folder / "data").open("wb") as data:
        with_data = total <= DATA_BYTES and not capturing
        fewer = MORE_ELEMENTS if total > DATA_BYTES and one_size > MORE_ELEMENTS else None
        calls = [_call(declaration, given, fewer, data if with_data else None)]
    if one_size < MORE_ELEMENTS:
        calls.append(_call(declaration, given, MORE_ELEMENTS, None))
    spec = {
        "library": str(library),
        "launcher": declaration.name,
        "runtime": runtime_library(),
        "device": tensors[0].get_device() if tensors else torch.cuda.current_device(),
        "timeout": settings.first_launch_timeout(),
        "calls": calls,
    }
    (folder / "calls.json").write_text(json.dumps(spec))


def _call(
    declaration: Declaration,
    given: Mapping,
    elements: int | None,
    data: io.BufferedWriter | None,
) -> list[dict]:
    """Describe the arguments of one call.

    elements: of each tensor, in the place of the caller's. data: where to write the tensors'
    bytes; None: the child fills them with zeros.
    """
    values = []
    for p in declaration.parameters:
        if p.role == "stream":
            values.append({"type": "pointer", "value": None})
        elif p.is_tensor:
            values.append(
                {"type": "tensor", "name": p.name, **_tensor(given[p.name], elements, data)}
            )
        else:
            value = elements if p.role == "size" and elements else given[p.name]
            values.append({"type": p.ctype, "value": value})
    return values


def _tensor(x: torch.Tensor, elements: int | None, data: io.BufferedWriter | None) -> dict:
    """Describe a tensor: its size, its address within an allocation, where its bytes stand."""
    at = data.tell() if data and x.nbytes else None
    if at is not None:
        data.write(x.detach().reshape(-1).view(torch.uint8).cpu().numpy().tobytes())
    return {
        "bytes": elements * x.element_size() if elements else x.nbytes,
        "itemsize": x.element_size(),
        "offset": x.data_ptr() % ALLOCATION_BYTES,
        "data": at,
    }


def runtime_library() -> str:
    """Return the CUDA runtime that this process uses, for the child to use the same."""
    maps = Path("/proc/self/maps").read_text()
    if found := re.search(r"\s(/.*/libcudart[^/\n]*\.so[.\d]*)$", maps, flags=re.M):
        return found[1]
    if nvcc := find_nvcc():
        for folder in ("lib64", "lib"):
            for path in (nvcc.home / folder).glob("libcudart.so*"):
                return str(path)
    return "libcudart.so"
