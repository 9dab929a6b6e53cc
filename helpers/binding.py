"""The PyTorch side of every kernel, written once: reads a .cu file's launchers, checks tensors, calls.

    extern "C" void add(const float* a,  // [n] 16-byte aligned
                        float* out,      // [n]
                        int64_t n, int block_size = 256, cudaStream_t stream = 0)

A pointer is a tensor: `const` for an input, else an output. The comment behind it is its shape and, where
the kernel needs one, its alignment. An integer that a shape names (`n`) is filled in from the tensors, the
stream is PyTorch's current one, and every other scalar is the caller's.
"""

from __future__ import annotations

import ctypes
import operator
import re
from dataclasses import dataclass
from pathlib import Path

import torch

from helpers.errors import CourseError, KernelFault, LaunchError

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


class LauncherError(CourseError, ValueError):
    """A .cu file declares no launcher, or one that cannot be understood."""


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

    def __str__(self) -> str:
        if self.is_tensor:
            return f"{self.name}: {_dtype_name(self.dtype)}[{', '.join(self.shape)}]"
        return self.name if self.default is None else f"{self.name}={self.default}"


def _dtype_name(dtype: torch.dtype) -> str:
    return str(dtype).removeprefix("torch.")


def blank_comments_and_strings(text: str) -> str:
    """The same text with comments and string contents as spaces: every position and line stays. `"C"` stays."""

    def blank(match: re.Match) -> str:
        return match.group() if match.group() == '"C"' else re.sub(r"[^\n]", " ", match.group())

    return re.sub(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"', blank, text, flags=re.S)


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
            raise LauncherError(f"{where}: no PyTorch dtype for `{ctype}*`; use one of {', '.join(DTYPES)}")
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
        raise LauncherError(f"{where}: a scalar must be one of {', '.join(C_TYPES)}, not `{ctype}`")
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
            for declaration, comment in _declarations(text[match.end() : end], code[match.end() : end])
        ]
        named = {size for parameter in parameters for size in parameter.shape}
        parameters = tuple(
            Parameter(p.name, p.ctype, "size") if p.role == "scalar" and p.name in named else p for p in parameters
        )
        found[match[2]] = Declaration(match[2], parameters, file, line)
    if not found:
        raise LauncherError(
            f'{file}: no launcher found. Declare one: extern "C" void add(const float* a, const float* b, '
            "float* out, int64_t n, cudaStream_t stream)"
        )
    return found


class Launcher:
    """A compiled launcher that takes tensors and scalars in the order of its declaration.

    A call checks everything that a kernel cannot check for itself, then launches on the tensors' device and
    PyTorch's current stream. It returns None. Where every output is empty there is nothing to launch.

    Raises TypeError for a wrong type, dtype or number of arguments; ValueError for a wrong device, shape,
    stride, alignment, overlap or size; LaunchError when the launch is refused; KernelFault when a kernel
    broke down (on a GPU this shows only at the next synchronisation).
    """

    def __init__(self, declaration: Declaration, library: ctypes.CDLL, on_gpu: bool):
        self.declaration = declaration
        self.__name__ = declaration.name
        self._on_gpu = on_gpu
        self._library = library
        self.emulated_stream: int | None = None  # what a call passes as the stream on the emulator
        try:
            self._entry = getattr(library, declaration.name)
        except AttributeError:
            raise LauncherError(f"{declaration.file}: `{declaration.name}` is not in the built library") from None
        self._entry.restype = None
        self._entry.argtypes = [
            ctypes.c_void_p if p.is_tensor or p.role == "stream" else C_TYPES[p.ctype] for p in declaration.parameters
        ]
        self._last_error = library.cudaGetLastError
        self._arguments = declaration.arguments
        self._plan = [
            (p, p.dtype, max(p.alignment, p.dtype.itemsize) - 1) if p.is_tensor else (p, None, 0)
            for p in self._arguments
        ]
        defaults = [p.default for p in self._arguments if not p.is_tensor]
        self._defaults = () if None in defaults else tuple(defaults)
        shapes = {p.shape for p in declaration.tensors}
        self._one_shape = len(shapes) == 1 and all(len(names) == 1 and not names[0].isdigit() for names in shapes)
        tensors = list(enumerate(declaration.tensors))
        self._overlaps = [  # each output with every other tensor, by their places among the tensors
            (i, j) for i, one in tensors for j, _ in tensors if one.role == "output" and i != j
        ]
        # A call gathers the arguments, the sizes and the stream; the entry wants them as declared.
        self._sizes = tuple(p.name for p in declaration.parameters if p.role == "size")
        gathered = [p.name for p in self._arguments] + list(self._sizes)
        self._order = [gathered.index(p.name) if p.role != "stream" else -1 for p in declaration.parameters]

    def __repr__(self) -> str:
        return f"<launcher {self.declaration} of {self.declaration.file}>"

    # This runs before every launch, and its time is the learner's launch overhead (a torch.add call takes a
    # few microseconds). So it is written for speed, and the words of an error are looked for only when there is one.
    def __call__(self, *args, **kwargs) -> None:
        if kwargs or len(args) != len(self._plan):
            if kwargs or len(args) + len(self._defaults) != len(self._plan):
                args = self._complete(args, kwargs)
            else:
                args += self._defaults
        values, begins, ends, shapes = [], [], [], []
        device = None
        for (parameter, dtype, misaligned), value in zip(self._plan, args):  # noqa: B905 (slower)
            if dtype is None:
                values.append(self._scalar(parameter, value))
                continue
            if not isinstance(value, torch.Tensor) or value.dtype is not dtype:
                raise TypeError(self._wrong_type(parameter, value))
            if device is None:
                device = value.get_device()
                if (device >= 0) is not self._on_gpu or value.is_meta:
                    raise ValueError(self._wrong_device(parameter, value))
            elif value.get_device() != device:
                raise ValueError(self._wrong_device(parameter, value, args))
            if value.requires_grad or not value.is_contiguous():
                raise ValueError(self._not_plain(parameter, value))
            address = value.data_ptr()
            if address & misaligned:
                raise ValueError(self._wrong_address(parameter, address, misaligned + 1))
            values.append(address)
            begins.append(address)
            ends.append(address + value.nbytes)
            shapes.append(value.shape)
        values += self._extents(shapes)
        for i, j in self._overlaps:
            if begins[i] < ends[j] and begins[j] < ends[i]:
                raise ValueError(self._overlap(i, j))
        if not all(map(operator.lt, begins, ends)) and self._nothing_to_do(begins, ends):
            return
        self._launch(values, device)

    def _launch(self, values: list, device: int | None) -> None:
        if not self._on_gpu:
            values.append(self.emulated_stream)
            self._entry(*[values[place] for place in self._order])
            self._report_emulated(values)
            return
        current = torch._C._cuda_getDevice()
        if device is None:
            device = current
        values.append(torch._C._cuda_getCurrentRawStream(device))
        if device == current:
            self._entry(*[values[place] for place in self._order])
        else:
            with torch.cuda.device(device):
                self._entry(*[values[place] for place in self._order])
        if error := self._last_error():
            raise LaunchError(self._refused(error, values))

    @property
    def on_gpu(self) -> bool:
        return self._on_gpu

    def schedule(self, mode: int, seed: int = 0) -> None:
        """On the emulator: run blocks and threads in order (0), in reverse (1) or shuffled (2) from now on."""
        self._library.emulator_set_schedule(mode, seed)

    def last_stream(self) -> int | None:
        """On the emulator: the stream that the last launch of a kernel named, None for the default one."""
        self._library.emulator_last_stream.restype = ctypes.c_void_p
        return self._library.emulator_last_stream()

    def _extents(self, shapes: list[torch.Size]) -> list[int]:
        """The sizes that the launcher takes, in its order, from the shapes of the tensors."""
        if self._one_shape:
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

    def _report_emulated(self, values: dict) -> None:
        library = self._library
        library.emulator_printf_output.restype = ctypes.c_char_p
        if printed := library.emulator_printf_output():
            print(printed.decode(errors="replace"), end="")
        error = self._last_error()
        library.emulator_fault.restype = ctypes.c_char_p
        if fault := library.emulator_fault():
            raise KernelFault(f"{self.declaration.file}: {fault.decode(errors='replace')}")
        if error:
            raise LaunchError(self._refused(error, values))

    # Everything below is reached only by launchers of several shapes, by keywords, or by a mistake.

    def _match(self, shapes: list[torch.Size]) -> list[int]:
        """As `_extents`, for launchers whose tensors have different shapes, such as [m, k] and [k, n]."""
        flat: dict[str, torch.Size] = {}
        found: dict[str, int] = {}
        for parameter, shape in zip(self.declaration.tensors, shapes, strict=True):
            names = parameter.shape
            if len(names) == 1:  # any shape with that many elements, the same for all that declare it
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
                    raise ValueError(f"{self._rule(parameter)}, and {name} is {wanted}; its shape is {tuple(shape)}")
        return [found[name] for name in self._sizes]

    def _check_size(self, name: str, extent: int) -> None:
        parameter = next(p for p in self.declaration.parameters if p.name == name)
        if INTEGERS[parameter.ctype] == 32:
            raise ValueError(
                f"{self.declaration.name}: {name} = {extent:,} does not fit the 32 bits of `int`: declare "
                f"`int64_t {name}` in {self.declaration.file}:{self.declaration.line}, and compute indices in int64_t"
            )

    def _nothing_to_do(self, begins: list[int], ends: list[int]) -> bool:
        empty = {p.name: begin == end for p, begin, end in zip(self.declaration.tensors, begins, ends, strict=True)}
        if empty and all(empty[p.name] for p in self.declaration.tensors if p.role == "output"):
            return True
        for name in (name for name, is_empty in empty.items() if is_empty):
            raise ValueError(f"{self.declaration.name}: {name} is empty, but an output is not: pass an element or more")
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
            raise TypeError(f"{self.declaration} takes {len(names)} arguments, {len(args)} were given")
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
        if type(value) is int and parameter.ctype == "int" and 1 <= value <= INT_MAX:
            return value
        if parameter.ctype not in INTEGERS:
            if isinstance(value, (int, float)) and not isinstance(value, bool):
                return value
            raise TypeError(f"{self._at(parameter)} must be a Python number, not {type(value).__name__}")
        if not isinstance(value, int) or isinstance(value, bool):
            raise TypeError(f"{self._at(parameter)} must be a Python int, not {type(value).__name__}")
        if parameter.name.startswith("block") and value < 1:
            raise ValueError(f"{self._at(parameter)} is {value}; it must be at least 1")
        if not -(1 << INTEGERS[parameter.ctype] - 1) <= value < 1 << INTEGERS[parameter.ctype] - 1:
            raise ValueError(f"{self._at(parameter)} = {value:,} does not fit `{parameter.ctype}`")
        return value

    def _wrong_type(self, parameter: Parameter, value) -> str:
        wanted = _dtype_name(parameter.dtype)
        if not isinstance(value, torch.Tensor):
            return f"{self._at(parameter)} must be a torch.Tensor of {wanted}, not {type(value).__name__}"
        return (
            f"{self._at(parameter)} is {_dtype_name(value.dtype)}, but this kernel takes {wanted}: "
            f"pass {parameter.name}.to(torch.{wanted}), or load the version for {_dtype_name(value.dtype)}"
        )

    def _wrong_device(self, parameter: Parameter, value: torch.Tensor, args=()) -> str:
        first = next((arg for arg in args if isinstance(arg, torch.Tensor)), None)
        if first is not None:
            return f"{self._at(parameter)} is on {value.device}, another argument on {first.device}: use one device"
        wanted, word = ("cuda", "a CUDA kernel") if self._on_gpu else ("cpu", "the CPU emulator's kernel")
        return f"{self._at(parameter)} is on {value.device}, but this is {word}: pass {parameter.name}.to({wanted!r})"

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

    def _refused(self, error: int, values: list) -> str:
        describe = self._library.cudaGetErrorString
        describe.restype = ctypes.c_char_p
        names = [p.name for p in self._arguments if not p.is_tensor] + list(self._sizes)
        numbers = [value for value, (p, dtype, _) in zip(values, self._plan, strict=False) if dtype is None]
        numbers += values[len(self._plan) :]
        given = ", ".join(f"{name} = {number:,}" for name, number in zip(names, numbers, strict=False))
        return (
            f"{self.declaration.file}: the launch was refused: {describe(error).decode()} (CUDA error {error}; {given})"
            ". A block has 1 to 1,024 threads and, unless it asks for more, at most 48 KB of shared memory; "
            "a grid has 1 to 2^31 - 1 blocks."
        )


class Kernel:
    """A loaded .cu file. Call it, or one of its launchers as an attribute: `v3(a, b, out)`, `v3.add_bf16(...)`.

    A call of the kernel itself goes to the first launcher that takes the first tensor's dtype.
    """

    def __init__(self, path: Path, text: str, library: Path, on_gpu: bool, build_seconds: float):
        self.path = path
        self.name = path.stem
        self.text = text
        self.library = library
        self.on_gpu = on_gpu
        self.build_seconds = build_seconds  # 0.0 when it came from the cache
        self.checked = False  # set by helpers.check; helpers.bench refuses to time a kernel without it
        self.declarations = declarations(text, path.name)
        handle = ctypes.CDLL(str(library))
        self.launchers = {
            name: Launcher(declaration, handle, on_gpu) for name, declaration in self.declarations.items()
        }
        # The launcher for a call of the file itself: the first one whose first tensor has the caller's dtype.
        self._by_first_dtype: dict[torch.dtype, Launcher] = {}
        for launcher in self.launchers.values():
            if launcher.declaration.tensors:
                self._by_first_dtype.setdefault(launcher.declaration.tensors[0].dtype, launcher)
        self._first = next(iter(self.launchers.values()))

    def __repr__(self) -> str:
        where = "CUDA" if self.on_gpu else "the CPU emulator"
        return f"<{self.name} on {where}: {'; '.join(map(str, self.declarations.values()))}>"

    def __getattr__(self, name: str) -> Launcher:
        try:
            return self.__dict__["launchers"][name]
        except KeyError:
            raise AttributeError(f"{self.name} has no launcher {name!r}; it has {list(self.launchers)}") from None

    def __call__(self, *args, **kwargs) -> None:
        dtype = args[0].dtype if args and isinstance(args[0], torch.Tensor) else None
        self._by_first_dtype.get(dtype, self._first)(*args, **kwargs)

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
