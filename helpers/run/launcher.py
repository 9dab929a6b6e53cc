"""Call a compiled kernel's launcher with PyTorch tensors: check everything, then launch.

The way of a tensor, for `add(a, b, out)`:

    Launcher.__call__    hands a call to the compiled dispatcher (`fast_call`), which launches
    it
                         if all checks hold; every other call goes on here
    Launcher.checked     makes the same checks in Python: addresses, scalars and sizes, or the
    error Launcher.launch      calls the C function, on PyTorch's current stream, and reports

The time before a launch is the learner's launch overhead. With the dispatcher it is below that
of `torch.add`; where it cannot be built, the Python way serves.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence

from helpers.errors import LauncherError
from helpers.run import checks, fast_call, refusals
from helpers.run.backends import Emulator, Gpu
from helpers.run.signature import Declaration, Parameter

C_TYPES = {
    "int": ctypes.c_int,
    "int32_t": ctypes.c_int,
    "int64_t": ctypes.c_int64,
    "float": ctypes.c_float,
    "double": ctypes.c_double,
}


def _c_type(parameter: Parameter) -> type:
    is_pointer = parameter.is_tensor or parameter.role == "stream"
    return ctypes.c_void_p if is_pointer else C_TYPES[parameter.ctype]


def _not_bound(*args, **kwargs) -> None:
    """Stand in for a missing dispatcher: every call takes the Python way."""


class Launcher:
    """A compiled launcher that takes tensors and scalars in the order of its declaration.

    A call checks everything that a kernel cannot check for itself, then launches on the
    tensors' device and PyTorch's current stream. It returns None. If every output is empty,
    nothing is launched.

    Raises TypeError for a wrong type, dtype or number of arguments; ValueError for a wrong
    device, shape, stride, alignment, overlap or size; LaunchError if the launch is refused;
    KernelFault if a kernel broke a rule (on a GPU, after the first launch, this shows at the
    next synchronisation).

    trial: if given, `trial(launcher, arguments, sizes)` is called before a launch. It raises
        KernelFault, or returns whether further launches need no trial
        (`helpers.run.first_launch`).
    """

    def __init__(
        self,
        declaration: Declaration,
        library: ctypes.CDLL,
        on_gpu: bool,
        trial: Callable[..., bool] | None = None,
    ):
        self.declaration, self.__name__ = declaration, declaration.name
        self.library, self.on_gpu = library, on_gpu
        self.backend = Gpu(library) if on_gpu else Emulator(library)
        try:
            self.entry = getattr(library, declaration.name)
        except AttributeError:
            raise LauncherError(
                f"{declaration.file}: `{declaration.name}` is not in the built library"
            ) from None
        self.entry.restype = None
        self.entry.argtypes = [_c_type(p) for p in declaration.parameters]
        # `launch` gets the arguments, the sizes and the stream; the C function wants them as
        # declared.
        self._names = [p.name for p in (*declaration.arguments, *declaration.sizes)]
        self._order = [
            -1 if p.role == "stream" else self._names.index(p.name)
            for p in declaration.parameters
        ]
        self._trial = trial
        self._dispatch = _not_bound
        if not trial:
            self._bind()

    def _bind(self) -> None:
        """Let the compiled dispatcher make the calls from now on, if there is one."""
        self._trial = None
        bound = fast_call.bind(self.declaration, self.entry, self.backend)
        self._dispatch = bound or _not_bound

    @property
    def emulator(self):
        """The C functions of the emulator's library; None on a GPU."""
        return None if self.on_gpu else self.backend.library

    def __repr__(self) -> str:
        return f"<launcher {self.declaration} of {self.declaration.file}>"

    def __call__(self, *args, **kwargs) -> None:
        """Check the arguments, launch, and raise what is wrong."""
        status = self._dispatch(*args, **kwargs)
        if status == 0:
            return
        arguments = self.declaration.bind(args, kwargs)
        call = self.checked(arguments)
        if status:
            self._report(status, call[0])
        elif call:
            if self._trial and self._trial(self, arguments, call[0][len(arguments) :]):
                self._bind()
            self.launch(*call)

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

    def launch(self, values: Sequence, device: int | None = None) -> None:
        """Call the C function without a check: addresses and scalars in order, then the sizes.

        On a GPU: on PyTorch's current stream of the device with this index.
        """
        everything = [*values, self.backend.stream(device)]
        with self.backend.on(device):
            self.entry(*[everything[place] for place in self._order])
        if status := self.backend.status():
            self._report(status, values)

    def _report(self, status: int, values: Sequence) -> None:
        """Raise or print what the backend's status after a launch means."""
        tensors = {p.name for p in self.declaration.tensors}
        named = zip(self._names, values, strict=True)
        given = {name: value for name, value in named if name not in tensors}
        self.backend.report(self.declaration, status, given)
