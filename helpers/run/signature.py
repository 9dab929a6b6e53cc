"""Read the launchers that a .cu file declares: names, types, shapes, alignments and defaults.

    extern "C" void add(const float* a,  // [n] 16-byte aligned
                        float* out,      // [n]
                        int64_t n, int block_size = 256, cudaStream_t stream = 0)

A pointer is a tensor: `const` for an input, else an output. The comment behind it is its shape
(`[n]` if there is none) and, where the kernel needs one, its alignment. An integer that a shape
names (`n`) is filled in from the tensors, the stream is PyTorch's current one, and every other
scalar is the caller's.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property

import torch

from helpers.errors import LauncherError
from helpers.model.dtypes import dtype_name
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
INTEGER_BITS = {"int": 32, "int32_t": 32, "int64_t": 64}
FLOATS = {"float": torch.float32, "double": torch.float64}
SCALARS = (*INTEGER_BITS, *FLOATS)
EXAMPLE = (
    'extern "C" void add(const float* a, const float* b, float* out, int64_t n, '
    "cudaStream_t stream)"
)

_PARAMETER = re.compile(
    r"(?P<const>const )?(?P<type>\w+)(?P<const2> const)? ?(?P<pointer>\*)? ?(?:__restrict__ )?"
    r"(?P<name>\w+)(?: ?= ?(?P<default>[\w.+-]+))?"
)


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
        """Whether the caller passes a tensor for it."""
        return self.role in ("input", "output")

    @property
    def is_integer(self) -> bool:
        """Whether it is an integer: a scalar or a size."""
        return not self.is_tensor and self.ctype in INTEGER_BITS

    @cached_property
    def dtype(self) -> torch.dtype:
        """The dtype of the tensor."""
        return DTYPES[self.ctype]

    @cached_property
    def address_multiple(self) -> int:
        """Bytes of which a tensor's address is a multiple: its alignment or its element."""
        return max(self.alignment, self.dtype.itemsize)

    @cached_property
    def least(self) -> int | float:
        """The smallest finite value of a scalar: 1 for a block size, else its type's."""
        if self.is_integer:
            return 1 if self.name.startswith("block") else -(1 << INTEGER_BITS[self.ctype] - 1)
        return -self.largest

    @cached_property
    def largest(self) -> int | float:
        """The largest finite value of a scalar's type."""
        if self.is_integer:
            return (1 << INTEGER_BITS[self.ctype] - 1) - 1
        return torch.finfo(FLOATS[self.ctype]).max

    def __str__(self) -> str:
        if self.is_tensor:
            return f"{self.name}: {dtype_name(self.dtype)}[{', '.join(self.shape)}]"
        return self.name if self.default is None else f"{self.name}={self.default}"


@dataclass(frozen=True)
class Declaration:
    """A launcher as its .cu file declares it."""

    name: str
    parameters: tuple[Parameter, ...]
    file: str
    line: int

    @cached_property
    def tensors(self) -> tuple[Parameter, ...]:
        """The parameters that are tensors."""
        return tuple(p for p in self.parameters if p.is_tensor)

    @cached_property
    def sizes(self) -> tuple[Parameter, ...]:
        """The parameters that the tensors' shapes fill in."""
        return tuple(p for p in self.parameters if p.role == "size")

    @cached_property
    def arguments(self) -> tuple[Parameter, ...]:
        """What a caller passes, in order: the tensors and the scalars without the sizes."""
        return tuple(p for p in self.parameters if p.is_tensor or p.role == "scalar")

    @cached_property
    def overlaps(self) -> tuple[tuple[int, int], ...]:
        """Each output with each other tensor, once, as their places among the tensors."""
        places = list(enumerate(self.tensors))
        return tuple(
            (i, j)
            for i, one in places
            for j, other in places
            if one.role == "output" and (other.role == "input" or i < j)
        )

    @cached_property
    def is_flat(self) -> bool:
        """Whether all its tensors have one shape, and that is a number of elements: [n]."""
        shapes = {p.shape for p in self.tensors}
        return len(shapes) == 1 and all(
            len(names) == 1 and not names[0].isdigit() for names in shapes
        )

    def bind(self, args: tuple, kwargs: dict) -> list:
        """Return a call's arguments in order, with keywords and defaults filled in.

        Raises TypeError for too many, unknown, repeated or missing arguments.
        """
        names = [parameter.name for parameter in self.arguments]
        if len(args) > len(names):
            raise TypeError(f"{self} takes {len(names)} arguments, {len(args)} were given")
        given = dict(zip(names, args, strict=False))
        for name, value in kwargs.items():
            if name not in names:
                raise TypeError(f"{self} has no argument {name!r}")
            if name in given:
                raise TypeError(f"{self}: {name} was given twice")
            given[name] = value
        for parameter in self.arguments:
            if parameter.name not in given:
                if parameter.default is None:
                    raise TypeError(f"{self}: {parameter.name} is missing")
                given[parameter.name] = parameter.default
        return [given[name] for name in names]

    def __str__(self) -> str:
        return f"{self.name}({', '.join(map(str, self.arguments))})"


def _split(text: str, code: str) -> list[tuple[str, str]]:
    """Return (declaration, comment) of each parameter; `code` is `text` without comments."""
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
    match = _PARAMETER.fullmatch(declaration)
    if not match:
        raise LauncherError(
            f"{where}: cannot read the parameter `{declaration}`. Use a pointer "
            "(`const float* a`), an `int`, `int64_t`, `float` or `double`, or a `cudaStream_t`."
        )
    name, ctype = match["name"], match["type"]
    if ctype == "cudaStream_t":
        return Parameter(name, ctype, "stream")
    if match["pointer"]:
        return _tensor(name, ctype, bool(match["const"] or match["const2"]), comment, where)
    if ctype not in SCALARS:
        raise LauncherError(
            f"{where}: a scalar must be one of {', '.join(SCALARS)}, not `{ctype}`"
        )
    default = match["default"]
    if default is not None:
        default = float(default.rstrip("f")) if ctype in FLOATS else int(default)
    return Parameter(name, ctype, "scalar", default=default)


def _tensor(name: str, ctype: str, is_input: bool, comment: str, where: str) -> Parameter:
    if ctype not in DTYPES:
        known = ", ".join(DTYPES)
        raise LauncherError(f"{where}: no PyTorch dtype for `{ctype}*`; use one of {known}")
    shape = re.search(r"\[([\w, ]+)\]", comment)
    aligned = re.search(r"(\d+)-byte aligned", comment)
    return Parameter(
        name,
        ctype,
        "input" if is_input else "output",
        tuple(part.strip() for part in shape[1].split(",")) if shape else ("n",),
        int(aligned[1]) if aligned else 1,
    )


def _with_sizes(parameters: list[Parameter]) -> tuple[Parameter, ...]:
    """Give the scalars that a shape names the role "size"."""
    named = {size for parameter in parameters for size in parameter.shape}
    return tuple(
        Parameter(p.name, p.ctype, "size") if p.role == "scalar" and p.name in named else p
        for p in parameters
    )


def declarations(text: str, file: str) -> dict[str, Declaration]:
    """Read the `extern "C"` launchers of a .cu file's text, by name and in order.

    Raises LauncherError if there is none, or if one cannot be understood.
    """
    code = blank_comments_and_strings(text)
    found = {}
    for match in re.finditer(r'extern\s+"C"\s+(\w+)\s+(\w+)\s*\(', code):
        begin, end = match.end(), code.find(")", match.end())
        line = text.count("\n", 0, match.start()) + 1
        parameters = [
            _parameter(declaration, comment, f"{file}:{line}")
            for declaration, comment in _split(text[begin:end], code[begin:end])
        ]
        found[match[2]] = Declaration(match[2], _with_sizes(parameters), file, line)
    if not found:
        raise LauncherError(f"{file}: no launcher found. Declare one: {EXAMPLE}")
    return found
