"""The PyTorch side of every kernel, written once: reads a .cu file's launchers, checks tensors, calls.

    extern "C" void add(const float* a,  // [n] 16-byte aligned
                        float* out,      // [n]
                        int64_t n, int block_size = 256, cudaStream_t stream = 0)

A pointer is a tensor: `const` for an input, else an output. The comment behind it is its shape and, where
the kernel needs one, its alignment. An integer that a shape names (`n`) is filled in from the tensors, the
stream is PyTorch's current one, and every other scalar is the caller's.
"""

from __future__ import annotations

import contextlib
import ctypes
import math
import operator
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import torch

from helpers.emulator import Library
from helpers.errors import FaultKind, KernelFault, LauncherError, LaunchError
from helpers.sources import blank_comments_and_strings

DTYPES = {
    "float": torch.float32,
    "double": torch.float64,
    "half": torch.float16,
    "__half": torch.float16,
    "__nv_bfloat16": torch.bfloat16,
    "int": torch.int32,
    "int32_t": torch.int32,
    "uint32_t": torch.uint32,
    "int64_t": torch.int64,
    "uint8_t": torch.uint8,
    "int8_t": torch.int8,
    "bool": torch.bool,
}
INT_MAX = (1 << 31) - 1
INTEGERS = {"int": 32, "int32_t": 32, "int64_t": 64}
C_TYPES = {
    "int": ctypes.c_int,
    "int32_t": ctypes.c_int,
    "int64_t": ctypes.c_int64,
    "float": ctypes.c_float,
    "double": ctypes.c_double,
}


# CUDA errors that a running kernel leaves, and that end its context: nothing runs in this process any more.
BROKEN = frozenset({700, 702, 709, 710, 714, 715, 716, 717, 718, 719, 720})
CONTEXT_IS_LOST = (
    "A kernel launched earlier broke a rule, and with it every CUDA call of this process: restart the notebook's "
    "kernel (Kernel > Restart), then run `check` on the kernel that you changed last"
)


@contextlib.contextmanager
def named_faults() -> Iterator[None]:
    """Around code that waits for the GPU: where a kernel broke down, PyTorch's error becomes a KernelFault."""
    try:
        yield
    except RuntimeError as error:
        if "CUDA error" not in str(error):
            raise
        words = f"{str(error).splitlines()[0]}. {CONTEXT_IS_LOST}"
        raise KernelFault(words, kind=FaultKind.CONTEXT_LOST) from None


def wait() -> None:
    """Wait until the GPU has finished all work of this process; without a GPU there is nothing to wait for.

    Raises KernelFault where a kernel broke down meanwhile.
    """
    if torch.cuda.is_initialized():
        with named_faults():
            torch.cuda.synchronize()


@dataclass(frozen=True)
class Parameter:
    """One parameter of a launcher, as the .cu file declares it."""

    name: str
    ctype: str
    role: str  # "input", "output", "size", "scalar" or "stream"
    shape: tuple[str, ...] = ()
    alignment: int = 1  # bytes
    default: int | float | None = None

    @property
    def is_tensor(self) -> bool:
        return self.role in ("input", "output")

    @property
    def dtype(self) -> torch.dtype:
        return DTYPES[self.ctype]

    @property
    def granule(self) -> int:
        """What a tensor's address must be a multiple of, in bytes."""
        return max(self.alignment, self.dtype.itemsize)

    @property
    def least(self) -> int | float:
        """The smallest finite value of a scalar: 1 for the size of a block, else what its type holds."""
        if self.ctype in INTEGERS:
            return 1 if self.name.startswith("block") else -(1 << INTEGERS[self.ctype] - 1)
        return -self.largest

    @property
    def largest(self) -> int | float:
        """The largest finite value of a scalar's type."""
        if self.ctype in INTEGERS:
            return (1 << INTEGERS[self.ctype] - 1) - 1
        return torch.finfo(torch.float32 if self.ctype == "float" else torch.float64).max

    def __str__(self) -> str:
        if self.is_tensor:
            return f"{self.name}: {_dtype_name(self.dtype)}[{', '.join(self.shape)}]"
        return self.name if self.default is None else f"{self.name}={self.default}"


def _dtype_name(dtype: torch.dtype) -> str:
    return str(dtype).removeprefix("torch.")


def _declarations(text: str, code: str) -> list[tuple[str, str]]:
    """(declaration, comment) of each parameter in `text`; `code` is the same with its comments blanked."""
    ends = [match.start() for match in re.finditer(",", code)] + [len(code)]
    starts = [0] + [end + 1 for end in ends[:-1]]
    comments = [""] * len(ends)
    for match in re.finditer(r"//([^\n]*)|/\*(.*?)\*/", text, flags=re.S):
        # A comment belongs to the parameter whose last character or comma stands before it.
        last = len(code[: match.start()].rstrip()) - 1
        owner = next(index for index, end in enumerate(ends) if last <= end)
        comments[owner] += match.group(1) or match.group(2) or ""
    return [
        (" ".join(code[start:end].split()), comment)
        for start, end, comment in zip(starts, ends, comments, strict=True)
        if code[start:end].strip()
    ]


def _parameter(declaration: str, comment: str, where: str) -> Parameter:
    match = re.fullmatch(
        r"(?P<const>const )?(?P<type>\w+)(?P<const2> const)? ?(?P<pointer>\*)? ?(?:__restrict__ )?"
        r"(?P<name>\w+)(?: ?= ?(?P<default>[\w.+-]+))?",
        declaration,
    )
    if not match:
        raise LauncherError(
            f"{where}: cannot read the parameter `{declaration}`. Use a pointer (`const float* a`), "
            "an `int`, `int64_t`, `float` or `double`, or a `cudaStream_t`."
        )
    name, ctype = match["name"], match["type"]
    if ctype == "cudaStream_t":
        return Parameter(name, ctype, "stream")
    if match["pointer"]:
        if ctype not in DTYPES:
            raise LauncherError(
                f"{where}: no PyTorch dtype for `{ctype}*`; use one of {', '.join(DTYPES)}"
            )
        shape = re.search(r"\[([\w, ]+)\]", comment)
        aligned = re.search(r"(\d+)-byte aligned", comment)
        return Parameter(
            name,
            ctype,
            "input" if match["const"] or match["const2"] else "output",
            tuple(part.strip() for part in shape[1].split(",")) if shape else ("n",),
            int(aligned[1]) if aligned else 1,
        )
    if ctype not in C_TYPES:
        raise LauncherError(
            f"{where}: a scalar must be one of {', '.join(C_TYPES)}, not `{ctype}`"
        )
    default = match["default"]
    if default is not None:
        default = float(default.rstrip("f")) if ctype in ("float", "double") else int(default)
    return Parameter(name, ctype, "scalar", default=default)


@dataclass(frozen=True)
class Declaration:
    """A launcher as its .cu file declares it."""

    name: str
    parameters: tuple[Parameter, ...]
    file: str
    line: int

    @property
    def tensors(self) -> tuple[Parameter, ...]:
        return tuple(parameter for parameter in self.parameters if parameter.is_tensor)

    @property
    def is_flat(self) -> bool:
        """Whether all its tensors have one shape, and that is a number of elements: [n]."""
        shapes = {p.shape for p in self.tensors}
        return len(shapes) == 1 and all(
            len(names) == 1 and not names[0].isdigit() for names in shapes
        )

    @property
    def arguments(self) -> tuple[Parameter, ...]:
        """What a caller passes, in order: the tensors and the scalars that nothing fills in."""
        return tuple(p for p in self.parameters if p.is_tensor or p.role == "scalar")

    def __str__(self) -> str:
        return f"{self.name}({', '.join(map(str, self.arguments))})"


def declarations(text: str, file: str) -> dict[str, Declaration]:
    """The `extern "C"` launchers of a .cu file's text, by name and in order.

    Raises LauncherError where there is none or where one cannot be understood.
    """
    code = blank_comments_and_strings(text)
    found = {}
    for match in re.finditer(r'extern\s+"C"\s+(\w+)\s+(\w+)\s*\(', code):
        end = code.find(")", match.end())
        line = text.count("\n", 0, match.start()) + 1
        where = f"{file}:{line}"
        parameters = [
            _parameter(declaration, comment, where)
            for declaration, comment in _declarations(
                text[match.end() : end], code[match.end() : end]
            )
        ]
        named = {size for parameter in parameters for size in parameter.shape}
        parameters = tuple(
            Parameter(p.name, p.ctype, "size") if p.role == "scalar" and p.name in named else p
            for p in parameters
        )
        found[match[2]] = Declaration(match[2], parameters, file, line)
    if not found:
        raise LauncherError(
            f'{file}: no launcher found. Declare one: extern "C" void add(const float* a, const float* b, '
            "float* out, int64_t n, cudaStream_t stream)"
        )
    return found


# The quick way of a call, filled in for each launcher: no loop, no list, no attribute of the launcher to look up.
QUICK = """
def quick({arguments}):
    device = current_device()
    try:
        if not ({tests}):
            return False
    except RuntimeError:  # a tensor without memory of its own
        return False
    entry({ordered})
    {finish}
    return True
"""
ON_GPU = "if error := last_error(): refuse(error, [{gathered}])"
ON_EMULATOR = "report([{gathered}])"


def _look_closer(*args) -> bool:
    return False


class Launcher:
    """A compiled launcher that takes tensors and scalars in the order of its declaration.

    A call checks everything that a kernel cannot check for itself, then launches on the tensors' device and
    PyTorch's current stream. It returns None. Where every output is empty there is nothing to launch.

    Raises TypeError for a wrong type, dtype or number of arguments; ValueError for a wrong device, shape,
    stride, alignment, overlap or size; LaunchError when the launch is refused; KernelFault when a kernel
    broke down (on a GPU, past the first launch, this shows only at the next synchronisation).

    trial: where there is one, `trial(launcher, arguments, sizes)` is asked before a launch. It raises KernelFault,
        or returns whether further launches need not ask (see `helpers.run.first_launch`).
    """

    def __init__(
        self,
        declaration: Declaration,
        library: ctypes.CDLL,
        on_gpu: bool,
        trial: Callable[..., bool] | None = None,
    ):
        self.declaration = declaration
        self.__name__ = declaration.name
        self.on_gpu = on_gpu
        self.library = library
        try:
            self.entry = getattr(library, declaration.name)
        except AttributeError:
            raise LauncherError(
                f"{declaration.file}: `{declaration.name}` is not in the built library"
            ) from None
        self.entry.restype = None
        self.entry.argtypes = [
            ctypes.c_void_p if p.is_tensor or p.role == "stream" else C_TYPES[p.ctype]
            for p in declaration.parameters
        ]
        library.cudaGetErrorString.restype = ctypes.c_char_p
        self.emulator = None if on_gpu else Library(library)
        self._arguments = declaration.arguments
        defaults = [p.default for p in self._arguments if not p.is_tensor]
        self._defaults = () if None in defaults else tuple(defaults)
        tensors = list(enumerate(declaration.tensors))
        self._overlaps = [  # each output with every other tensor, by their places among the tensors
            (i, j)
            for i, one in tensors
            for j, other in tensors
            if one.role == "output" and (other.role == "input" or i < j)
        ]
        # A call gathers the arguments, the sizes and the stream; the entry wants them as declared.
        self._is_flat = declaration.is_flat
        self._sizes = tuple(p.name for p in declaration.parameters if p.role == "size")
        gathered = [p.name for p in self._arguments] + list(self._sizes)
        self._order = [
            gathered.index(p.name) if p.role != "stream" else -1 for p in declaration.parameters
        ]
        self._trial = trial
        self._quick = _look_closer if trial else self._specialised()

    def __repr__(self) -> str:
        return f"<launcher {self.declaration} of {self.declaration.file}>"

    # This runs before every launch, and its time is the learner's launch overhead (a torch.add call takes a few
    # microseconds). So a call that is plainly right goes the quick way, which only says whether it was; every other
    # one goes the careful way, which is the one place that knows what is wrong and says it.
    def __call__(self, *args, **kwargs) -> None:
        if kwargs or len(args) != len(self._arguments):
            if kwargs or len(args) + len(self._defaults) != len(self._arguments):
                args = self._complete(args, kwargs)
            else:
                args += self._defaults
        if not self._quick(*args):
            self._careful(args)

    def _specialised(self) -> Callable[..., bool]:
        """The quick way, for tensors that all have the shape [n]: a function of the arguments that launches or not.

        It is a text that is filled in and compiled, as a namedtuple is. It returns whether it launched.
        """
        if not self.declaration.is_flat:
            return _look_closer
        values = {f"x{place}": p for place, p in enumerate(self._arguments)}
        tensors = {x: p for x, p in values.items() if p.is_tensor}
        scalars = {x: p for x, p in values.items() if not p.is_tensor}
        first, *others = tensors
        narrow = any(
            p.role == "size" and INTEGERS[p.ctype] == 32 for p in self.declaration.parameters
        )
        bytes_of = {x: f"n * {p.dtype.itemsize}" for x, p in tensors.items()}
        tests = [" is ".join(["Tensor", *(f"type({x})" for x in tensors)])]
        tests += [f"{x}.dtype is {x}_dtype" for x in tensors]
        tests += [f"{x}.is_contiguous()" for x in tensors]
        tests += [f"not {x}.requires_grad" for x in tensors]
        tests += [
            f"{x}.get_device() == device" if self.on_gpu else f"{x}.is_cpu" for x in tensors
        ]
        tests += [
            f"1 < (n := {first}.numel()) <= {INT_MAX if narrow else 1 << 62}"
        ]  # 0 and 1 have rules of their own
        tests += [f"{x}.numel() == n" for x in others]
        flat, same = (
            " == ".join(f"{x}.{what}" for x in tensors) for what in ("dim()", "shape")
        )
        tests += [f"(1 == {flat} or {same})"]
        tests += [
            f"not ({x}_at := {x}.data_ptr()) & {p.granule - 1}" for x, p in tensors.items()
        ]
        for out, other in ((list(tensors)[i], list(tensors)[j]) for i, j in self._overlaps):
            tests += [
                f"({out}_at + {bytes_of[out]} <= {other}_at or {other}_at + {bytes_of[other]} <= {out}_at)"
            ]
        for x, p in scalars.items():
            tests += [
                f"type({x}) is {'int' if p.ctype in INTEGERS else 'float'} and {p.least} <= {x} <= {p.largest}"
            ]
        gathered = [f"{x}_at" if x in tensors else x for x in values] + ["n"] * len(self._sizes)
        available = [*gathered, "current_stream(device)" if self.on_gpu else "None"]
        text = QUICK.format(
            arguments=", ".join(values),
            tests=" and ".join(tests),
            ordered=", ".join(available[place] for place in self._order),
            finish=(ON_GPU if self.on_gpu else ON_EMULATOR).format(
                gathered=", ".join(gathered)
            ),
        )
        names = {f"{x}_dtype": p.dtype for x, p in tensors.items()} | {
            "Tensor": torch.Tensor,
            "entry": self.entry,
        }
        names |= {
            "last_error": self.library.cudaGetLastError,
            "refuse": self._refuse,
            "report": self._report_emulated,
        }
        names["current_device"] = torch._C._cuda_getDevice if self.on_gpu else bool
        if self.on_gpu:
            names["current_stream"] = torch._C._cuda_getCurrentRawStream
        exec(text, names)
        return names["quick"]

    def _careful(self, args: Sequence) -> None:
        """Check everything, with words for each error, and launch."""
        values, tensors, device = [], [], None
        for parameter, value in zip(self._arguments, args, strict=True):
            if not parameter.is_tensor:
                values.append(self._scalar(parameter, value))
                continue
            values.append(self._address(parameter, value))
            if device is not None and value.get_device() != device:
                raise ValueError(self._wrong_device(parameter, value, tensors[0]))
            device = value.get_device()
            tensors.append(value)
        sizes = self._extents([tensor.shape for tensor in tensors])
        begins = [
            value for value, p in zip(values, self._arguments, strict=True) if p.is_tensor
        ]
        ends = [begin + tensor.nbytes for begin, tensor in zip(begins, tensors, strict=True)]
        for i, j in self._overlaps:
            if begins[i] < ends[j] and begins[j] < ends[i]:
                raise ValueError(self._overlap(i, j))
        if not all(map(operator.lt, begins, ends)) and self._nothing_to_do(begins, ends):
            return
        if self._trial and self._trial(self, args, sizes):
            self._trial = None
            self._quick = self._specialised()
        self.launch(values + sizes, device)

    def _address(self, parameter: Parameter, value) -> int:
        """The address of a tensor that is as the parameter wants it; raises TypeError or ValueError otherwise."""
        if not isinstance(value, torch.Tensor) or value.dtype is not parameter.dtype:
            raise TypeError(self._wrong_type(parameter, value))
        if (value.get_device() >= 0) is not self.on_gpu or value.is_meta:
            raise ValueError(self._wrong_device(parameter, value))
        if value.layout is not torch.strided or value.is_quantized or value.is_neg():
            raise ValueError(self._not_dense(parameter, value))
        if value.requires_grad or not value.is_contiguous():
            raise ValueError(self._not_plain(parameter, value))
        try:
            address = value.data_ptr()
        except RuntimeError:  # a subclass or a functional wrapper
            address = 0
        if not address and value.numel():
            raise ValueError(self._not_dense(parameter, value))
        if address % parameter.granule:
            raise ValueError(self._wrong_address(parameter, address, parameter.granule))
        return address

    def launch(self, values: list, device: int | None = None) -> None:
        """Call the compiled launcher, without a check: addresses and scalars in order, then the sizes.

        On a GPU: on PyTorch's current stream of the device with this index.
        """
        if not self.on_gpu:
            values = [*values, None]
            self.entry(*[values[place] for place in self._order])
            self._report_emulated(values)
            return
        if device is None:
            device = torch.cuda.current_device()
        values = [*values, torch._C._cuda_getCurrentRawStream(device)]
        with torch.cuda.device(device):
            self.entry(*[values[place] for place in self._order])
        if error := self.library.cudaGetLastError():
            self._refuse(error, values)

    def _extents(self, shapes: list[torch.Size]) -> list[int]:
        """The sizes that the launcher takes, in its order, from the shapes of the tensors."""
        if self._is_flat:
            first = shapes[0]
            for shape in shapes:
                if shape != first:
                    raise ValueError(self._wrong_shape(shape, first))
            extents = [first.numel()] if self._sizes else []
        else:
            extents = self._match(shapes)
        for name, extent in zip(self._sizes, extents, strict=True):
            if extent > INT_MAX:
                self._check_size(name, extent)
        return extents

    def _report_emulated(self, values: list) -> None:
        """Print and raise what a launch on the emulator left: printed lines, a fault, an error."""
        if not self.emulator.has_report():
            return
        print(self.emulator.take_printf(), end="")
        error = self.emulator.take_error()
        if fault := self.emulator.take_fault(self.declaration.file):
            raise fault
        if error:
            self._refuse(error, values)

    # Everything below is reached only by launchers of several shapes, by keywords, or by a mistake.

    def _match(self, shapes: list[torch.Size]) -> list[int]:
        """As `_extents`, for launchers whose tensors have different shapes, such as [m, k] and [k, n]."""
        flat: dict[str, torch.Size] = {}
        found: dict[str, int] = {}
        for parameter, shape in zip(self.declaration.tensors, shapes, strict=True):
            names = parameter.shape
            if (
                len(names) == 1
            ):  # any shape with that many elements, the same for all that declare it
                if not names[0].isdigit() and flat.setdefault(names[0], shape) != shape:
                    raise ValueError(self._wrong_shape(shape, flat[names[0]]))
                extents = (shape.numel(),)
            else:
                extents = tuple(shape)
            if len(extents) != len(names):
                raise ValueError(f"{self._rule(parameter)}; its shape is {tuple(shape)}")
            for name, extent in zip(names, extents, strict=True):
                wanted = int(name) if name.isdigit() else found.setdefault(name, extent)
                if wanted != extent:
                    raise ValueError(
                        f"{self._rule(parameter)}, and {name} is {wanted}; its shape is {tuple(shape)}"
                    )
        return [found[name] for name in self._sizes]

    def _check_size(self, name: str, extent: int) -> None:
        parameter = next(p for p in self.declaration.parameters if p.name == name)
        if INTEGERS[parameter.ctype] == 32:
            raise ValueError(
                f"{self.declaration.name}: {name} = {extent:,} does not fit the 32 bits of `int`: declare "
                f"`int64_t {name}` in {self.declaration.file}:{self.declaration.line}, and compute indices in int64_t"
            )

    def _nothing_to_do(self, begins: list[int], ends: list[int]) -> bool:
        empty = {
            p.name: begin == end
            for p, begin, end in zip(self.declaration.tensors, begins, ends, strict=True)
        }
        if empty and all(empty[p.name] for p in self.declaration.tensors if p.role == "output"):
            return True
        for name in (name for name, is_empty in empty.items() if is_empty):
            raise ValueError(
                f"{self.declaration.name}: {name} is empty, but an output is not: pass an element or more"
            )
        return False

    def _overlap(self, i: int, j: int) -> str:
        out, other = self.declaration.tensors[i].name, self.declaration.tensors[j].name
        return (
            f"{self.declaration.name}: {out} shares memory with {other}, and the kernel may write the one before it "
            f"has read the other: pass a separate {out}"
        )

    def _complete(self, args: tuple, kwargs: dict) -> list:
        """The arguments in order, with keywords and defaults filled in."""
        names = [parameter.name for parameter in self._arguments]
        if len(args) > len(names):
            raise TypeError(
                f"{self.declaration} takes {len(names)} arguments, {len(args)} were given"
            )
        given = dict(zip(names, args, strict=False))
        for name, value in kwargs.items():
            if name not in names:
                raise TypeError(f"{self.declaration} has no argument {name!r}")
            if name in given:
                raise TypeError(f"{self.declaration}: {name} was given twice")
            given[name] = value
        for parameter in self._arguments:
            if parameter.name not in given:
                if parameter.default is None:
                    raise TypeError(f"{self.declaration}: {parameter.name} is missing")
                given[parameter.name] = parameter.default
        return [given[name] for name in names]

    def _at(self, parameter: Parameter) -> str:
        return f"{self.declaration.name}: {parameter.name}"

    def _scalar(self, parameter: Parameter, value) -> int | float:
        kind = "int" if parameter.ctype in INTEGERS else "number"
        if isinstance(value, bool) or not isinstance(
            value, int if kind == "int" else (int, float)
        ):
            raise TypeError(
                f"{self._at(parameter)} must be a Python {kind}, not {type(value).__name__}"
            )
        if parameter.name.startswith("block") and value < 1:
            raise ValueError(f"{self._at(parameter)} is {value}; it must be at least 1")
        special = isinstance(value, float) and not math.isfinite(value)
        if not special and not parameter.least <= value <= parameter.largest:
            raise ValueError(
                f"{self._at(parameter)} = {value:,} does not fit `{parameter.ctype}`"
            )
        return value if kind == "int" else float(value)

    def _wrong_type(self, parameter: Parameter, value) -> str:
        wanted = _dtype_name(parameter.dtype)
        if not isinstance(value, torch.Tensor):
            return f"{self._at(parameter)} must be a torch.Tensor of {wanted}, not {type(value).__name__}"
        return (
            f"{self._at(parameter)} is {_dtype_name(value.dtype)}, but this kernel takes {wanted}: "
            f"pass {parameter.name}.to(torch.{wanted}), or load the version for {_dtype_name(value.dtype)}"
        )

    def _wrong_device(
        self, parameter: Parameter, value: torch.Tensor, first: torch.Tensor | None = None
    ) -> str:
        if first is not None:
            return f"{self._at(parameter)} is on {value.device}, another argument on {first.device}: use one device"
        wanted, word = (
            ("cuda", "a CUDA kernel") if self.on_gpu else ("cpu", "the CPU emulator's kernel")
        )
        return f"{self._at(parameter)} is on {value.device}, but this is {word}: pass {parameter.name}.to({wanted!r})"

    def _not_dense(self, parameter: Parameter, value: torch.Tensor) -> str:
        kind = f"of layout {str(value.layout).removeprefix('torch.')}"
        if value.layout is torch.strided:
            kind = (
                "a lazy negation"
                if value.is_neg()
                else f"a {type(value).__name__} without memory of its own"
            )
        return (
            f"{self._at(parameter)} is {kind}, but a kernel reads plain memory: "
            f"pass {parameter.name}.to_dense().clone()"
        )

    def _not_plain(self, parameter: Parameter, value: torch.Tensor) -> str:
        if value.requires_grad:
            return (
                f"{self._at(parameter)} requires grad, but a kernel works behind autograd's back: "
                f"pass {parameter.name}.detach()"
            )
        return (
            f"{self._at(parameter)} is not contiguous (shape {tuple(value.shape)}, strides {value.stride()}), and a "
            f"kernel walks memory in order: pass {parameter.name}.contiguous()"
        )

    def _wrong_shape(self, shape: torch.Size, first: torch.Size) -> str:
        return (
            f"{self.declaration}: two tensors of the same declared shape have {tuple(first)} and {tuple(shape)}: "
            "they must be equal (nothing is broadcast)"
        )

    def _rule(self, parameter: Parameter) -> str:
        return f"{self._at(parameter)} must have shape [{', '.join(parameter.shape)}]"

    def _wrong_address(self, parameter: Parameter, address: int, alignment: int) -> str:
        return (
            f"{self._at(parameter)} starts {address % alignment} bytes past a multiple of {alignment}, but this kernel "
            f"moves {alignment} bytes at once. A slice such as x[1:] does this: pass {parameter.name}.clone()"
        )

    def _refuse(self, error: int, values: list) -> None:
        """Raise what a CUDA error at a launch means; values are the arguments and the sizes."""
        words = f"{self.library.cudaGetErrorString(error).decode()} (CUDA error {error}"
        if error in BROKEN:
            raise KernelFault(
                f"{self.declaration.file}: before this launch, {words}). {CONTEXT_IS_LOST}",
                kind=FaultKind.CONTEXT_LOST,
            )
        names = [p.name for p in self._arguments] + list(self._sizes)
        tensors = {p.name for p in self.declaration.tensors}
        given = ", ".join(
            f"{name} = {value:,}"
            for name, value in zip(names, values, strict=False)
            if name not in tensors
        )
        raise LaunchError(
            f"{self.declaration.file}: the launch was refused: {words}; {given}). A block has 1 to 1,024 threads and, "
            "unless it asks for more, at most 48 KB of shared memory; a grid has 1 to 2^31 - 1 blocks."
        )


class Kernel:
    """A loaded .cu file. Call it, or one of its launchers as an attribute: `v3(a, b, out)`, `v3.add_bf16(...)`.

    A call of the kernel itself goes to the first launcher that takes the first tensor's dtype.
    """

    def __init__(
        self,
        path: Path,
        text: str,
        library: Path,
        on_gpu: bool,
        build_seconds: float,
        trial: Callable[..., bool] | None = None,
    ):
        self.path = path
        self.name = path.stem
        self.text = text
        self.library = library
        self.on_gpu = on_gpu
        self.build_seconds = build_seconds  # 0.0 when it came from the cache
        self.verdict = None  # the last Verdict of helpers.testing.check on all launchers
        self.declarations = declarations(text, path.name)
        handle = ctypes.CDLL(str(library))
        self.launchers = {
            name: Launcher(declaration, handle, on_gpu, trial)
            for name, declaration in self.declarations.items()
        }
        # The launcher for a call of the file itself: the first one whose first tensor has the caller's dtype.
        self._by_first_dtype: dict[torch.dtype, Launcher] = {}
        for launcher in self.launchers.values():
            if launcher.declaration.tensors:
                self._by_first_dtype.setdefault(launcher.declaration.tensors[0].dtype, launcher)
        self._first = next(iter(self.launchers.values()))
        self._several = len(self._by_first_dtype) > 1

    @property
    def checked(self) -> bool:
        """Whether the last check found every launcher right: only such a kernel may be timed."""
        return self.verdict is not None and self.verdict.ok

    def __repr__(self) -> str:
        where = "CUDA" if self.on_gpu else "the CPU emulator"
        return f"<{self.name} on {where}: {'; '.join(map(str, self.declarations.values()))}>"

    def __getattr__(self, name: str) -> Launcher:
        try:
            return self.__dict__["launchers"][name]
        except KeyError:
            raise AttributeError(
                f"{self.name} has no launcher {name!r}; it has {list(self.launchers)}"
            ) from None

    def __call__(self, *args, **kwargs) -> None:
        launcher = self._first
        if self._several:
            first = args[0] if args else next(iter(kwargs.values()), None)
            if isinstance(first, torch.Tensor):
                launcher = self._by_first_dtype.get(first.dtype, launcher)
        launcher(*args, **kwargs)

    @property
    def dtypes(self) -> list[torch.dtype]:
        """The dtypes of the launchers' first tensors, in the order of the file."""
        return list(self._by_first_dtype)

    def launcher_for(self, dtype: torch.dtype) -> Launcher:
        """The launcher whose first tensor has this dtype. Raises TypeError, with those there are."""
        if dtype not in self._by_first_dtype:
            known = ", ".join(_dtype_name(known) for known in self._by_first_dtype)
            raise TypeError(f"{self.name} takes {known}, not {_dtype_name(dtype)}")
        return self._by_first_dtype[dtype]
