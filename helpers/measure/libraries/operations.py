"""Describe the operations that are compared: C = A + B in three dtypes, and two casts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch

from helpers.model.dtypes import LAUNCHER_SUFFIX, dtype_name

BITS = {4: torch.int32, 2: torch.int16}  # an integer dtype for each itemsize


@dataclass(frozen=True)
class Operation:
    """C = A + B, or a cast from float32. `dtype` is the output's."""

    name: str  # "add" or "cast"
    dtype: torch.dtype

    @property
    def input_dtypes(self) -> tuple[torch.dtype, ...]:
        """One dtype for each input."""
        return (self.dtype, self.dtype) if self.name == "add" else (torch.float32,)

    @property
    def bytes_per_element(self) -> int:
        """Bytes that one element of the output costs: every read and the write."""
        return sum(dtype.itemsize for dtype in self.input_dtypes) + self.dtype.itemsize

    @property
    def launcher(self) -> str:
        """The name of its launcher in a kernel file, such as "add_f16"."""
        return self.name + LAUNCHER_SUFFIX[dtype_name(self.dtype)]

    def reference(self, inputs: Sequence[torch.Tensor]) -> torch.Tensor:
        """Compute the right result with PyTorch."""
        return inputs[0] + inputs[1] if self.name == "add" else inputs[0].to(self.dtype)

    def buffers(self, elements: int, device: str) -> tuple[list[torch.Tensor], torch.Tensor]:
        """Allocate random inputs and an output, each [elements]."""
        inputs = [torch.randn(elements, device=device).to(dtype) for dtype in self.input_dtypes]
        return inputs, torch.empty(elements, dtype=self.dtype, device=device)

    def __str__(self) -> str:
        return f"{self.name} {dtype_name(self.dtype)}"


ADDS = tuple(Operation("add", d) for d in (torch.float32, torch.float16, torch.bfloat16))
CASTS = tuple(Operation("cast", d) for d in (torch.float16, torch.bfloat16))
OPERATIONS = ADDS + CASTS


def bits(x: torch.Tensor) -> torch.Tensor:
    """Return a view of a tensor's bits as integers."""
    return x.view(BITS[x.itemsize])


def same_bits(x: torch.Tensor, y: torch.Tensor) -> bool:
    """Tell whether two tensors are equal to the bit, so that also NaN and -0 count."""
    return torch.equal(bits(x), bits(y))
