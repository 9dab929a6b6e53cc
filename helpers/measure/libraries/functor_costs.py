"""Say what a functor's arithmetic costs, from the machine code of kernels made by fast.cuh.

A pack's instructions over its elements, those of its loads, its store and its address with
them, and both sides of a branch. `issue_GBps` is what so many allow: each of an SM's schedulers
issues one instruction a cycle (`scheduler.issue_time_us`). Where that is below the bandwidth of
L2 or of DRAM, arithmetic is the limit, and a library that rounds less exactly is faster: CUDA's
`/` is correctly rounded, Triton's is within 2 ulp (`div.full.f32` of PTX).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import torch

from helpers.measure.sass import KernelSass
from helpers.model.scheduler import issue_time_us
from helpers.specs import Gpu

# One pack a thread, all of it inside, in an ordinary launch, on pointers: a functor's shortest
# code.
_OF_A_PACK = re.compile(
    r"fast::packs_kernel<(?P<elements>\d+), 1, 256, \(fast::Form\)0, \(fast::Start\)0, "
    r"(?P<functor>.*), (?P<types>[\w ]+(, [\w ]+ const\*)+)>$"
)
_SLOW_PATH = re.compile(r"_(div|sqrt|rcp)_rn\w*_slowpath")
_EXACT = {
    "div": "division; `functions::quotient(a, b)` is within 2 ulp, and to divide by a "
    "constant, multiply by its reciprocal",
    "sqrt": "square root; `functions::root(x)` is within 1 ulp",
    "rcp": "reciprocal; `functions::quotient(1.0f, b)` is within 2 ulp",
}
LIGHT = 9.0  # instructions an element: as operators.cuh has, of one input or two
_CUDA_NAMES = {  # in a kernel's name
    torch.float32: "float",
    torch.float64: "double",
    torch.float16: "__half",
    torch.bfloat16: "__nv_bfloat16",
    torch.float8_e4m3fn: "__nv_fp8_e4m3",
    torch.float8_e5m2: "__nv_fp8_e5m2",
    torch.int64: "long",
    torch.uint64: "unsigned long",
    torch.int32: "int",
    torch.uint32: "unsigned int",
    torch.int16: "short",
    torch.uint16: "unsigned short",
    torch.int8: "signed char",
    torch.uint8: "unsigned char",
    torch.bool: "bool",
}


@dataclass(frozen=True)
class Cost:
    """What one functor costs for one set of types."""

    functor: str
    types: str  # the result's and the inputs', as in the kernel's name
    elements: int  # of a pack
    instructions: float  # an element
    special: float  # of those, exponentials, reciprocals and the like (MUFU)
    branches: float  # an element, over which threads part and meet again (BSSY)
    exact: frozenset[str]  # operations with a slow path: "div", "sqrt", "rcp"

    @property
    def is_light(self) -> bool:
        """Whether it is what fast.cuh calls light: few instructions, at most one MUFU."""
        return self.instructions <= LIGHT and self.special <= 1

    def issue_GBps(self, gpu: Gpu, bytes_per_element: int) -> float:
        """Return the bandwidth at which a GPU's schedulers issue nothing else, in GB/s.

        Raises ValueError where the GPU's clock is unknown.
        """
        one_us = issue_time_us(gpu, 1 / 32, self.instructions)
        return bytes_per_element / one_us / 1e3

    def lines(self, gpu: Gpu, bytes_per_element: int) -> Iterator[str]:
        """Yield what a reader should know: the cost, what it allows, and what is shorter."""
        allowed = self.issue_GBps(gpu, bytes_per_element)
        yield (
            f"{self.instructions:.1f} instructions an element, {self.special:.1f} of them "
            "exponentials, reciprocals or the like; if all of them are executed, at most "
            f"{allowed:,.0f} GB/s"
        )
        yield from (f"among them an exact {_EXACT[kind]}" for kind in sorted(self.exact))
        if self.branches:
            yield (
                f"{self.branches:.1f} branches an element, as in log1pf, sinf and an exact "
                "division: a pack's elements are computed one behind the other there "
                "(functions.cuh has shorter ones)"
            )
        if self.is_light:
            yield "few enough to call itself light (`static constexpr bool kLight = true;`)"


def _before_slow_paths(kernel: KernelSass) -> list:
    """Return a kernel's instructions but for its subroutines, which stand behind the rest."""
    code = list(kernel.instructions)
    ends = [k for k, one in enumerate(code) if one.opcode.startswith("EXIT")]
    return code[: ends[-1] + 1] if ends else code


def types_of(out: torch.dtype, inputs: Sequence[torch.dtype]) -> str:
    """Write the types of a result and of its inputs as kernels' names have them."""
    return ", ".join([_CUDA_NAMES[out], *(f"{_CUDA_NAMES[one]} const*" for one in inputs)])


def cost(kernel: KernelSass) -> Cost | None:
    """Return what a kernel of one pack a thread costs; None for any other kernel."""
    found = _OF_A_PACK.match(kernel.name)
    if not found:
        return None
    elements, code = int(found["elements"]), _before_slow_paths(kernel)
    return Cost(
        found["functor"],
        found["types"],
        elements,
        len(code) / elements,
        sum(one.opcode.startswith("MUFU") for one in code) / elements,
        sum(one.opcode.startswith("BSSY") for one in code) / elements,
        frozenset(kind for one in code for kind in _SLOW_PATH.findall(one.text)),
    )


def costs(kernels: Iterable[KernelSass]) -> list[Cost]:
    """Return the costs of functors, for each set of types that of the widest pack."""
    found: dict[tuple[str, str], Cost] = {}
    for one in filter(None, map(cost, kernels)):
        key = (one.functor, one.types)
        if key not in found or found[key].elements < one.elements:
            found[key] = one
    return list(found.values())
