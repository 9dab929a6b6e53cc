"""Call a compiled kernel's launcher with PyTorch tensors: check everything, then launch.

The way of a tensor, for `add(a, b, out)`:

    Kernel.__call__      picks the launcher for the first tensor's dtype (`helpers.run.kernel`)
    Launcher.__call__    hands the call to the compiled dispatcher (`fast_call`). It launches a
                         valid call; any other, and all until the first launch, goes on below
    Launcher.checked     makes the same checks in Python (`checks`); it returns addresses,
                         scalars and sizes, or raises the error (`refusals`)
    Launcher.launch      calls the C function on PyTorch's current stream and reports its status

The time before a launch is the learner's launch overhead. With the dispatcher it is below that
of `torch.add`; where it cannot be built, every call is made in Python.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from pathlib import Path

from helpers.errors import LauncherError
from helpers.run import c_types, checks, fast_call, refusals
from helpers.run.backends import Emulator, Gpu
from helpers.run.signature import Declaration, Parameter


def _c_type(parameter: Parameter) -> type:
    is_pointer = parameter.is_tensor or parameter.role == "stream"
    return ctypes.c_void_p if is_pointer else c_types.SCALARS[parameter.ctype]


def _not_bound(*args, **kwargs) -> None:
    """Stand in for a missing dispatcher: no call is launched, so all go on in Python."""


class Launcher:
    """A compiled launcher that takes tensors and scalars in the order of its declaration.

    A call checks everything that a kernel cannot check for itself, then launches on the
    tensors' device and PyTorch's current stream. It returns None. If every output is empty,
    nothing is launched.

    Raises TypeError for a wrong type, dtype or number of arguments; ValueError for a wrong
    device, shape, stride, alignment, overlap or size; LaunchError if the launch is refused, or
    if the launcher returns an error;
    KernelFault if a kernel broke a rule (on a GPU, after the first launch, this shows at the
    next synchronisation).

    first_launch: if given, `first_launch(launcher, arguments, sizes)` is called before a
        launch, until it returns True. It launches elsewhere, and raises KernelFault if that
        fails (`helpers.run.first_launch`).
    """

    def __init__(
        self,
        declaration: Declaration,
        library: ctypes.CDLL,
        on_gpu: bool,
        first_launch: Callable[..., bool] | None = None,
    ):
        self.declaration, self.__name__ = declaration, declaration.name
        self.path: Path | None = None  # of the .cu file, once a Kernel has it
        self.library, self.on_gpu = library, on_gpu
        self.built = Path(library._name)  # the .so file; of a copy, that which it was made of
        self.backend = Gpu(library) if on_gpu else Emulator(library)
        try:
            self.entry = getattr(library, declaration.name)
        except AttributeError:
            raise LauncherError(
                f"{declaration.file}: `{declaration.name}` is not in the built library"
            ) from None
        self.entry.restype = ctypes.c_int if declaration.returns_error else None
        self.entry.argtypes = [_c_type(p) for p in declaration.parameters]
        # `launch` has the values in the order of `_names`, then the stream; `_order` sorts them
        # into the order of the C function's parameters.
        self._names = [p.name for p in (*declaration.arguments, *declaration.sizes)]
        self._order = [
            -1 if p.role == "stream" else self._names.index(p.name)
            for p in declaration.parameters
        ]
        self._first_launch = first_launch
        self._dispatch = _not_bound
        if not first_launch:
            self._bind()

    def _bind(self) -> None:
        """Let the compiled dispatcher make the calls from now on, if it could be built."""
        self._first_launch = None
        bound = fast_call.bind(self.declaration, self.entry, self.backend)
        self._dispatch = bound or _not_bound

    @property
    def emulator(self):
        """The C functions of the emulator's library; None on a GPU."""
        return None if self.on_gpu else self.backend.library

    def __repr__(self) -> str:
        return f"<launcher {self.declaration} of {self.declaration.file}>"

    def __call__(self, *args, **kwargs) -> None:
        """Check the arguments and launch; raise the first error found."""
        status = self._dispatch(*args, **kwargs)
        if status == 0:
            return
        arguments = self.declaration.bind(args, kwargs)
        call = self.checked(arguments)
        if status:  # it was launched, and the backend has something to report
            self._report(status, call[0])
        elif call:  # it was not, and there is something to launch
            values, device = call
            if self._first_launch:
                sizes = values[len(arguments) :]
                if self._first_launch(self, arguments, sizes):
                    self._bind()
            self.launch(values, device)

    def on_stream(self, stream: int, *args, **kwargs) -> None:
        """Check the arguments and launch on this stream; raise the first error found.

        stream: its address. The emulator only notes it.
        """
        if call := self.checked(self.declaration.bind(args, kwargs)):
            values, device = call
            self.launch(values, device, stream)

    def checked(self, arguments: Sequence) -> tuple[list, int | None] | None:
        """Check a call; return its addresses, scalars and sizes, and its device's index.

        None if every output is empty. Raises TypeError or ValueError, as the class says.
        """
        declaration, values, tensors = self.declaration, [], []
        for parameter, value in zip(declaration.arguments, arguments, strict=True):
            if not parameter.is_tensor:
                values.append(checks.scalar(declaration, parameter, value))
                continue
            values.append(checks.address(declaration, parameter, value, self.backend.device))
            if tensors and value.get_device() != tensors[0].get_device():
                raise refusals.several_devices(declaration, parameter, value, tensors[0])
            tensors.append(value)
        sizes = checks.sizes(declaration, [x.shape for x in tensors])
        byte_counts = [x.nbytes for x in tensors]
        begins = [v for v, p in zip(values, declaration.arguments, strict=True) if p.is_tensor]
        checks.outputs_are_separate(declaration, begins, byte_counts)
        if checks.is_empty(declaration, byte_counts):
            return None
        return values + sizes, tensors[0].get_device() if tensors else None

    def launch(
        self, values: Sequence, device: int | None = None, stream: int | None = None
    ) -> None:
        """Call the C function without a check: addresses and scalars in order, then the sizes.

        On a GPU: on PyTorch's current stream of the device with this index, or on `stream`.
        """
        everything = [*values, self.backend.stream(device) if stream is None else stream]
        with self.backend.on(device):
            returned = self.entry(*[everything[place] for place in self._order])
        if status := -returned if returned else self.backend.status():
            self._report(status, values)

    def _report(self, status: int, values: Sequence) -> None:
        """Raise or print what the backend's status after a launch means."""
        tensors = {p.name for p in self.declaration.tensors}
        named = zip(self._names, values, strict=True)
        given = {name: value for name, value in named if name not in tensors}
        self.backend.report(self.declaration, status, given)
