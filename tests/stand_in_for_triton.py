"""A stand-in for Triton that runs its kernels with PyTorch, to test them anywhere."""

import sys
from types import ModuleType, SimpleNamespace

import pytest
import torch


class Pointer:
    """A tensor's first element, or with indices added, some of its elements."""

    def __init__(self, tensor, at=0):
        self.tensor, self.at = tensor.view(-1), at
        self.dtype = SimpleNamespace(element_ty=tensor.dtype)

    def __add__(self, at):
        return Pointer(self.tensor, self.at + at)


class Launched:
    """What the launches were: their options, and the grid; the program that runs now."""

    def __init__(self):
        self.launches, self.waits, self.program = [], [], 0


class Kernel:
    def __init__(self, function, launched):
        self.function, self.launched = function, launched

    def __getitem__(self, grid):
        def launch(*arguments, num_warps=4, launch_pdl=False, **constants):
            self.launched.launches.append((grid, num_warps, launch_pdl, constants))
            given = [Pointer(x) if isinstance(x, torch.Tensor) else x for x in arguments]
            for self.launched.program in range(grid[0]):
                self.function(*given, **constants)

        return launch

    def __call__(self, *values):
        """Let a kernel call it."""
        return self.function(*values)


def indexable(tensor):
    """View float8 as bytes: PyTorch 2.8 has no index for it on a CPU."""
    is_float8 = tensor.is_floating_point() and tensor.element_size() == 1
    return tensor.view(torch.uint8) if is_float8 else tensor


def load(pointer, mask):
    """Load; where the mask is false, what nobody should use."""
    found = indexable(pointer.tensor)[torch.where(mask, pointer.at, 0)]
    found = found.view(pointer.tensor.dtype)
    return found if found.dtype is torch.bool else torch.where(mask, found, torch.nan)


def store(pointer, value, mask):
    assert value.dtype is pointer.tensor.dtype
    indexable(pointer.tensor)[pointer.at[mask]] = indexable(value)[mask]


@pytest.fixture
def fake_triton(monkeypatch):
    """Put the stand-in in Triton's place; returns what was launched."""
    launched = Launched()
    names = ("triton", "triton.language", "triton.language.extra")
    triton, language, extra = (ModuleType(name) for name in names)
    triton.jit = lambda function: Kernel(function, launched)
    triton.cdiv = lambda a, b: -(-a // b)
    triton.language, language.extra = language, extra
    extra.libdevice = SimpleNamespace(tanh=torch.tanh)
    extra.cuda = SimpleNamespace(
        gdc_wait=lambda: launched.waits.append("wait"),
        gdc_launch_dependents=lambda: launched.waits.append("release"),
    )
    vars(language).update(
        constexpr=lambda value: value,
        float32=torch.float32,
        int64=torch.int64,
        program_id=lambda axis: torch.tensor(launched.program if axis == 0 else 0),
        arange=torch.arange,
        load=load,
        store=store,
        where=torch.where,
        abs=torch.abs,
        exp=torch.exp,
        erf=torch.erf,
        sigmoid=torch.sigmoid,
    )
    for name, module in zip(names, (triton, language, extra), strict=True):
        monkeypatch.setitem(sys.modules, name, module)
    return launched
