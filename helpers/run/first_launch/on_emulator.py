"""Make an emulated kernel's first launches on copies between inaccessible pages.

They are made in a forked child, as the launcher's own code may end its process.
"""

from __future__ import annotations

import contextlib
import ctypes
import io
import os
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import torch

from helpers import emulator, settings
from helpers.emulator import isolated
from helpers.errors import FaultKind, KernelFault
from helpers.run.first_launch.calls import DATA_BYTES

if TYPE_CHECKING:
    from helpers.run.launcher import Launcher
    from helpers.run.signature import Declaration, Parameter

# Bytes: what PyTorch gives a CPU tensor. More would only hide a step outside.
COMMON_ALIGNMENT = 64


@dataclass
class EmulatorFirstLaunch:
    """The first launches of an emulated kernel, as a Launcher calls for them."""

    tried: set = field(default_factory=set)

    def __call__(self, launcher: Launcher, arguments: Sequence, sizes: Sequence[int]) -> bool:
        """Launch on copies if these sizes and scalars are new; return False: ask each time.

        Raises KernelFault, with the tensor's element in the place of an address.
        """
        tensors = [x for x in arguments if isinstance(x, torch.Tensor)]
        key = (
            launcher.declaration.name,
            *sizes,
            *(x.shape if isinstance(x, torch.Tensor) else x for x in arguments),
        )
        if settings.sandbox() is settings.Sandbox.OFF or key in self.tried:
            return False
        if sum(x.nbytes for x in tensors) <= DATA_BYTES and not all(map(_is_guarded, tensors)):
            self._try(Trial(launcher, arguments, sizes))
        self.tried.add(key)
        return False

    @staticmethod
    def _try(trial: Trial) -> None:
        """Make a trial's launches; show what the launcher writes only if they go wrong."""
        with tempfile.TemporaryFile() as words:
            try:
                isolated.run(
                    lambda: trial.launch_quietly(words.fileno()),
                    name=trial.launcher.declaration.file,
                )
            except KernelFault:
                words.seek(0)
                with contextlib.suppress(OSError):  # nobody listens
                    os.write(1, words.read())
                raise


@dataclass
class Trial:
    """Launches on copies of the arguments. One child makes them, as a fork takes its time."""

    launcher: Launcher
    arguments: Sequence
    sizes: Sequence[int]
    pages: list = field(default_factory=list)  # of all copies: a launcher may remember some
    kept: list = field(default_factory=list)  # the copies

    def launch_quietly(self, words: int) -> None:
        """Launch twice; `words`: a descriptor that takes what std::cout, puts, stderr get."""
        with _outputs_to(words):
            self.launch_twice()

    def launch_twice(self) -> None:
        """Launch on copies with a page behind the last element, then with one before the first.

        At first they are no more aligned than the launcher asks for, so that the page begins
        right behind the last element. A kernel that needs more gets as much as the caller's
        tensors have.
        """
        for front in (False, True):
            try:
                self.launch(front, exact=True)
            except KernelFault as fault:
                if fault.kind is not FaultKind.MISALIGNED:
                    raise
                self.launch(front, exact=False)

    def launch(self, front: bool, exact: bool) -> None:
        """Launch once, with copies of its own. Raises KernelFault, with the element's index."""
        declaration = self.launcher.declaration
        values, copies, printed = [], {}, io.StringIO()
        for parameter, value in zip(declaration.arguments, self.arguments, strict=True):
            if parameter.is_tensor:
                value = copies[parameter.name] = _copy(parameter, value, front, exact)
                self.pages += emulator.pages(value)
                value = value.data_ptr()
            values.append(value)
        self.kept.append(copies)
        try:
            with (
                contextlib.redirect_stdout(printed),
                self.launcher.emulator.device_memory(self.pages),
            ):
                self.launcher.launch([*values, *self.sizes])
        except KernelFault as fault:
            if not (exact and fault.kind is FaultKind.MISALIGNED):  # which is tried once more
                print(printed.getvalue(), end="")
            raise emulator.Regions.of(copies, emulator.GAP).named(fault) from None
        _look_past_the_ends(declaration, copies)


@contextlib.contextmanager
def _outputs_to(descriptor: int) -> Iterator[None]:
    """Let what this process writes to its outputs 1 and 2 go to another descriptor."""
    flush = ctypes.CDLL(None).fflush
    before = [(output, os.dup(output)) for output in (1, 2)]
    try:
        flush(None)
        for output, _ in before:
            os.dup2(descriptor, output)
        yield
    finally:
        flush(None)
        for output, copy in before:
            os.dup2(copy, output)
            os.close(copy)


def _look_past_the_ends(declaration: Declaration, copies: Mapping[str, torch.Tensor]) -> None:
    """Raise KernelFault if a byte between a copy's last element and its page has changed."""
    for name, copy in copies.items():
        if not emulator.guarded_intact(copy):
            raise KernelFault(
                f"{declaration.file}: {declaration.name} wrote past the end of {name}, which "
                f"has {copy.numel():,} elements: does the kernel test its index before it "
                "stores?",
                kind=FaultKind.OUT_OF_BOUNDS,
                access="write",
            )


def _copy(parameter: Parameter, tensor: torch.Tensor, front: bool, exact: bool) -> torch.Tensor:
    alignment = parameter.address_multiple
    if not exact:
        address = tensor.data_ptr()
        alignment = max(alignment, min(address & -address, COMMON_ALIGNMENT))
    copy = emulator.guarded(tensor.numel(), tensor.dtype, alignment, front)
    return copy.copy_(tensor.detach().reshape(-1))


def _is_guarded(tensor: torch.Tensor) -> bool:
    try:
        return emulator.guarded_intact(tensor)
    except ValueError:
        return False
