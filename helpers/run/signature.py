"""Read the launchers that a .cu file declares: names, types, shapes, alignments and defaults.

    extern "C" void add(const float* a,  // [n] 16-byte aligned
                        float* out,      // [n]
                        int64_t n, int block_size = 256, cudaStream_t stream = 0)

A pointer is a tensor: `const` for an input, else an output. The comment behind it is its shape
(`[n]` if there is none) and, where the kernel needs one, its alignment. Where no comment and no
`n` says a shape, tensors may have any. An integer that a shape names (`n`) is filled in from
the tensors, the stream is PyTorch's current one, and every other scalar is the caller's. Its
default may be computed from the file's constants; a block size without one gets 256. The type
behind a `void*` stands in its comment.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import accumulate

import torch

from helpers.emulator.brackets import closing, launcher_heads
from helpers.errors import LauncherError
from helpers.model.dtypes import dtype_name
from helpers.run import c_types
from helpers.sources import blank_comments_and_strings

ERROR_TYPES = ("cudaError_t", "cudaError", "enum cudaError")
# The usual names of a block size, which is THREADS where neither file nor caller gives one.
BLOCK_SIZES = ("block_size", "block", "blocksize", "block_dim", "threads", "threads_per_block")
THREADS = 256
MOST_ALIGNED = 4096  # bytes, a page
EXAMPLE = (
    'extern "C" void add(const float* a, const float* b, float* out, int64_t n, '
    "cudaStream_t stream)"
)

# What may stand in a declaration and does not change what a caller passes.
_NO_MEANING = re.compile(r"\b(?:__restrict__|__restrict|volatile|register|struct)\b")
_POINTER = re.compile(r"(?P<type>[\w: ]+?) ?\* ?(?:const )? ?(?P<name>\w+)")
_ARRAY = re.compile(r"(?P<type>[\w: ]+?) (?P<name>\w+) ?\[\w*\]")
_VALUE = re.compile(r"(?P<type>[\w: ]+?) (?P<name>\w+)")


@dataclass(frozen=True)
class Parameter:
    """One parameter of a launcher, as the .cu file declares it."""

    name: str
    ctype: str
    role: str  # "input", "output", "size", "scalar" or "stream"
    shape: tuple[str, ...] = ()
    alignment: int = 1  # bytes
    default: int | float | None = None
    is_shape_said: bool = False  # by a comment

    @property
    def is_tensor(self) -> bool:
        """Whether the caller passes a tensor for it."""
        return self.role in ("input", "output")

    @property
    def is_integer(self) -> bool:
        """Whether it is an integer: a scalar or a size."""
        return not self.is_tensor and c_types.integer_range(self.ctype) is not None

    @cached_property
    def dtype(self) -> torch.dtype:
        """The dtype of the tensor."""
        return c_types.DTYPES[self.ctype]

    @cached_property
    def address_multiple(self) -> int:
        """Bytes of which a tensor's address is a multiple: its alignment or its element."""
        return max(self.alignment, self.dtype.itemsize)

    @cached_property
    def least(self) -> int | float:
        """The smallest finite value of a scalar: 1 for a block size, else its type's."""
        if self.is_integer:
            least, _ = c_types.integer_range(self.ctype)
            counts = self.name.startswith("block") and self.ctype != "bool"
            return 1 if counts else least
        return -self.largest

    @cached_property
    def largest(self) -> int | float:
        """The largest finite value of a scalar's type."""
        if self.is_integer:
            return c_types.integer_range(self.ctype)[1]
        return torch.finfo(c_types.FLOATS[self.ctype]).max

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
    returns_error: bool = False  # declared `cudaError_t`: what it returns is checked

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

    @cached_property
    def is_silent(self) -> bool:
        """Whether neither a comment nor a size such as `n` says a tensor's shape."""
        return not self.sizes and not any(p.is_shape_said for p in self.tensors)

    def bind(self, args: tuple, kwargs: dict) -> list:
        """Return a call's arguments in order, with keywords and defaults filled in.

        A scalar between two tensors may be named, and the tensors come in order all the same.
        Raises TypeError for too many, unknown, repeated or missing arguments.
        """
        names = [parameter.name for parameter in self.arguments]
        given, left = {}, list(args)
        for parameter in self.arguments:
            named = parameter.role == "scalar" and parameter.name in kwargs
            if left and not (named and isinstance(left[0], torch.Tensor)):
                given[parameter.name] = left.pop(0)
        if left:
            filled = [parameter.name for parameter in self.sizes]
            known = f"; the tensors give {', '.join(filled)}" if filled else ""
            raise TypeError(
                f"{self} takes {len(names)} arguments, {len(args)} were given: "
                f"{_given(args)}{known}"
            )
        for name, value in kwargs.items():
            if name not in names:
                raise TypeError(f"{self} has no argument {name!r}")
            if name in given:
                raise TypeError(f"{self}: {name} was given twice")
            given[name] = value
        for parameter in self.arguments:
            if parameter.name not in given:
                if parameter.default is None:
                    raise TypeError(
                        f"{self}: {parameter.name} is missing; given: {_given(args, kwargs)}"
                    )
                given[parameter.name] = parameter.default
        return [given[name] for name in names]

    def __str__(self) -> str:
        return f"{self.name}({', '.join(map(str, self.arguments))})"


def _given(args: tuple, kwargs: dict | None = None) -> str:
    """Describe a call's arguments: "(float32[2, 3], 7, out=float32[6])"."""

    def kind(value) -> str:
        if isinstance(value, torch.Tensor):
            return f"{dtype_name(value.dtype)}{list(value.shape)}"
        plain = value is None or isinstance(value, (bool, int, float))
        return repr(value) if plain else type(value).__name__

    named = [f"{name}={kind(value)}" for name, value in (kwargs or {}).items()]
    return f"({', '.join([*map(kind, args), *named])})"


def _split(text: str, code: str) -> list[tuple[str, str]]:
    """Return (declaration, comment) of each parameter; `code` is `text` without comments."""
    depth = [0, *accumulate((c in "([{") - (c in ")]}") for c in code)]
    ends = [i for i, c in enumerate(code) if c == "," and not depth[i]] + [len(code)]
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
        if code[start:end].strip() not in ("", "void")
    ]


def _parameter(
    declaration: str, comment: str, where: str, known: dict[str, str], types: dict[str, str]
) -> Parameter:
    """Read one parameter; known: the file's constants, for a default; types: its aliases."""
    head, _, default = declaration.partition("=")
    plain = " ".join(_NO_MEANING.sub(" ", head).split())
    if plain == "cudaStream_t":  # without a name, as it is not used
        return Parameter("stream", plain, "stream")
    pointer = _POINTER.fullmatch(plain) or _ARRAY.fullmatch(plain)
    match = pointer or _VALUE.fullmatch(plain)
    if not match:
        raise LauncherError(
            f"{where}: cannot read the parameter `{declaration}`. Use a pointer "
            "(`const float* a`), an `int`, `int64_t`, `float`, `double` or `bool`, or a "
            "`cudaStream_t`."
        )
    words = match["type"].split()
    name = match["name"]
    ctype = c_types.named(" ".join(word for word in words if word != "const"), types)
    if pointer:
        return _tensor(name, ctype, "const" in words, comment, where)
    if ctype == "cudaStream_t":
        return Parameter(name, ctype, "stream")
    if ctype not in c_types.SCALARS:
        raise LauncherError(
            f"{where}: a scalar must be one of {', '.join(c_types.SCALARS)}, not `{ctype}`"
        )
    return Parameter(name, ctype, "scalar", default=_default(name, ctype, default, known))


def _default(name: str, ctype: str, text: str, known: dict[str, str]) -> int | float | None:
    """Return a scalar's default; None if it has none, or one that cannot be computed here."""
    value = c_types.evaluate(text, known) if text.strip() else None
    is_float = ctype in c_types.FLOATS
    if value is None and not text.strip() and not is_float and name.lower() in BLOCK_SIZES:
        return THREADS
    return None if value is None else (float(value) if is_float else int(value))


def _tensor(name: str, ctype: str, is_input: bool, comment: str, where: str) -> Parameter:
    if ctype == "void":
        ctype = _pointed_to(name, comment, where)
    if ctype not in c_types.DTYPES:
        known = ", ".join(c_types.DTYPES)
        raise LauncherError(f"{where}: no PyTorch dtype for `{ctype}*`; use one of {known}")
    shape = re.search(r"\[([\w, ]+)\]", comment)
    aligned = re.search(r"(\d+)-byte aligned", comment)
    return Parameter(
        name,
        ctype,
        "input" if is_input else "output",
        tuple(part.strip() for part in shape[1].split(",")) if shape else ("n",),
        _alignment(int(aligned[1]), name, where) if aligned else 1,
        is_shape_said=bool(shape),
    )


def _alignment(bytes_: int, name: str, where: str) -> int:
    """Return an alignment that addresses can have, or raise LauncherError."""
    if bytes_ & (bytes_ - 1) or not 0 < bytes_ <= MOST_ALIGNED:
        raise LauncherError(
            f"{where}: {name} is declared `{bytes_}-byte aligned`; an alignment is a power of "
            f"two, 1 to {MOST_ALIGNED:,}: 16 for loads of four floats"
        )
    return bytes_


def _pointed_to(name: str, comment: str, where: str) -> str:
    """Return the type that the comment behind a `void*` names, in C's or PyTorch's words."""
    by_dtype = {dtype_name(dtype): ctype for ctype, dtype in c_types.DTYPES.items()}
    for word in re.findall(r"\w+", comment):
        ctype = by_dtype.get(word, word)
        if ctype in c_types.DTYPES:
            return ctype
    raise LauncherError(
        f"{where}: what does `void* {name}` point to? Say it in the comment behind it, "
        f"`void* {name},  // [n] float`, or declare a `float*`"
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
    return {found.name: found for found in _declarations(text, file)}


_LAUNCHES = re.compile(
    r"^(?:static\s+|inline\s+)*(?:void|int|cudaError_t)\s+(\w+)\s*\([^(){};]*\)\s*\{[^{}]*<<<",
    re.M,
)


def _way_to_a_launcher(code: str) -> str:
    """Say how a text without a launcher gets one."""
    names = [match[1] for match in _LAUNCHES.finditer(code) if match[1] != "main"]
    if names:
        return f'Put extern "C" before the function `{names[0]}`, as in: {EXAMPLE}'
    if re.search(r"\bint\s+main\s*\(", code):
        return f"`main` is not called here, but a function on pointers. Declare one: {EXAMPLE}"
    return f"Declare one: {EXAMPLE}"


_IN_A_MACRO = re.compile(r"^[ \t]*#[ \t]*define\b(?:[^\n]*\\\n)*[^\n]*\Z", re.M)


@lru_cache(maxsize=8)  # a file is loaded again for each check of one of its launchers
def _declarations(text: str, file: str) -> tuple[Declaration, ...]:
    code = blank_comments_and_strings(text)
    known, types, found = c_types.constants(code), c_types.aliases(code), {}
    for head in launcher_heads(code):
        end = closing(code, head.end - 1)
        begin, end = head.end, end if end > 0 else len(code)
        line = text.count("\n", 0, head.start) + 1
        if _IN_A_MACRO.search(code[: head.start]):
            raise LauncherError(
                f"{file}:{line}: a launcher cannot come out of a #define: launchers are read "
                'from the text with their comments. Write the extern "C" function out'
            )
        parameters = [
            _parameter(declaration, comment, f"{file}:{line}", known, types)
            for declaration, comment in _split(text[begin:end], code[begin:end])
        ]
        found[head.name] = Declaration(
            head.name, _with_sizes(parameters), file, line, head.returns in ERROR_TYPES
        )
    if not found:
        raise LauncherError(f"{file}: no launcher found. {_way_to_a_launcher(code)}")
    return tuple(found.values())
