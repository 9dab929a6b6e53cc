"""Hold what differs between a launch on a GPU and on the CPU emulator: stream, status, errors.

Both have a `device` (a torch device type) and a `status`: a C function that returns after a
launch 0, or another number if there is something to `report`. A negative number is an error
that the launcher itself has returned.
"""

from __future__ import annotations

import contextlib
import ctypes

import torch

from helpers.emulator import Library, Refusal
from helpers.errors import KernelFault, LaunchError
from helpers.run import faults, refusals
from helpers.run.signature import Declaration

# Of copies and the like: pitch, symbol, host and device pointer, direction.
OF_NO_LAUNCH = frozenset({12, 13, 16, 17, 21})


def _error_at_launch(
    declaration: Declaration,
    error: int,
    words: str,
    given: dict,
    refusal: Refusal | None = None,
) -> KernelFault | LaunchError:
    """Return what CUDA's error at a launch means: an earlier kernel's fault, or a refusal."""
    what = f"{words} (CUDA error {error}"
    if error in faults.ENDS_CONTEXT:
        return faults.context_lost(f"{declaration.file}: before this launch, {what})")
    if error in OF_NO_LAUNCH and not refusal:
        return refusals.failed_call(declaration, what, given)
    return refusals.refused_launch(declaration, what, given, refusal)


class Gpu:
    """Launches on PyTorch's current stream of a GPU."""

    device = "cuda"

    def __init__(self, library: ctypes.CDLL):
        library.cudaGetErrorString.restype = ctypes.c_char_p
        library.cudaGetErrorString.argtypes = [ctypes.c_int]
        self.library = library
        self.status = library.cudaGetLastError
        self.current_device = library.cudaGetDevice

    def stream(self, index: int | None) -> int:
        """Return PyTorch's current stream of the GPU with this index, as an address."""
        if index is None:
            index = torch.cuda.current_device()
        return torch._C._cuda_getCurrentRawStream(index)

    def on(self, index: int | None) -> contextlib.AbstractContextManager:
        """Make the GPU with this index CUDA's current one while the context is open."""
        return torch.cuda.device(index)  # None changes nothing

    def report(self, declaration: Declaration, status: int, given: dict) -> None:
        """Raise what a CUDA error at a launch means.

        given: the scalars and the sizes by name. Raises LaunchError if the launch was refused,
        or if the launcher returned an error; KernelFault if it threw an exception, or if an
        earlier kernel has ended the CUDA context.
        """
        if exception := self._take_exception():
            fault = faults.thrown(declaration.name, exception)
            raise fault.with_message(f"{declaration.file}: {fault}")
        returned = 0
        if status < 0:  # returned, and mostly CUDA's last error as well
            returned, status = -status, self.status()
        words = self.library.cudaGetErrorString(status or returned).decode()
        if not status:
            name_of = self.library.cudaGetErrorName
            name_of.restype, name_of.argtypes = ctypes.c_char_p, [ctypes.c_int]
            what = f"{name_of(returned).decode()} ({words})"
            raise refusals.returned_error(declaration, what, given)
        raise _error_at_launch(declaration, status, words, given)

    def _take_exception(self) -> str:
        """Return the words of an exception that a launcher has caught, and forget them."""
        try:
            text = (ctypes.c_char * 512).in_dll(self.library, faults.THROWN_WORDS)
        except ValueError:  # only classic extensions have it
            return ""
        words, text.value = text.value.decode(errors="replace"), b""
        return words


class Emulator:
    """Launches on the CPU emulator, which runs a kernel to its end."""

    device = "cpu"
    current_device = None

    def __init__(self, library: ctypes.CDLL):
        self.library = Library(library)
        self.status = library.emulator_has_report

    def stream(self, index: int | None) -> None:
        """Return no stream: there is one order of work."""

    def on(self, index: int | None) -> contextlib.AbstractContextManager:
        """Do nothing: there is one device."""
        return contextlib.nullcontext()

    def report(self, declaration: Declaration, status: int, given: dict) -> None:
        """Print what a kernel has printed, and raise its fault or the launch's error.

        given: the scalars and the sizes by name.
        """
        print(self.library.take_printf(), end="")
        error = self.library.take_error()
        if fault := self.library.take_fault(declaration.file):
            raise fault
        refusal = self.library.take_refusal() if error or status < 0 else None
        if status < 0 and refusal:  # it took CUDA's last error, and returned it
            error = error or -status
        if error:
            words = self.library.error_words(error)
            raise _error_at_launch(declaration, error, words, given, refusal)
        if status < 0:
            what = f"{self.library.error_name(-status)} ({self.library.error_words(-status)})"
            raise refusals.returned_error(declaration, what, given)
