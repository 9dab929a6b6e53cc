"""The machine code of a kernel file: what the GPU really executes, for any architecture, with or without a GPU.

    read("v1_f32", "sm_120")            a SassReport: compiled and disassembled now, or found in the cache
    read("v1_f32", "sm_120").table()    loads and stores by width, arithmetic, registers, spills, ...
    read("v1_f32", "sm_120").listing()  the instructions, each with the source line that it comes from
    find_tools("sm_120")                which nvcc, nvdisasm and cuobjdump are used, and where they came from

The tools come from the machine's CUDA toolkit, from PyPI (`pip install -e ".[sass]"`) or, for the disassemblers,
from the Triton package. Without them `read` gives the listing recorded in data/sass/ if the file has not changed
since, and says so. `python -m helpers.measure.sass record v1_f32 --arch sm_90 sm_120` makes such recordings.

Every count is of instructions in the code, not of executions: a load in a loop counts once, and the tail of a
vectorised kernel is counted beside its fast path (`KernelSass.by_line` tells them apart).
"""

from __future__ import annotations

import argparse
import hashlib
import itertools
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date
from functools import cache
from pathlib import Path

from helpers import paths
from helpers.errors import BuildError, CompileError
from helpers.run import machine
from helpers.run.jit import cache_folder
from helpers.sources import digest, read_sources, source_path

RECORDED = paths.DATA / "sass"
FLAGS = ("-O3", "-std=c++17", "-lineinfo", "-Xptxas=-v")
FORMAT = 1  # of the listings in the cache and in data/sass: raise it when their text changes
HOW_TO_GET_THE_TOOLS = (
    'install them with `pip install -e ".[sass]"` (about 300 MB), or install a CUDA toolkit'
)

# ---------------------------------------------------------------------------------------------------------------
# What a report holds


@dataclass(frozen=True)
class Instruction:
    """One machine instruction, such as `@P0 LDG.E.128 R4, desc[UR4][R2.64]`."""

    offset: int  # bytes from the kernel's first instruction
    text: str
    file: str | None = None  # where its source line is, by the file's name
    line: int | None = None
    source: str = ""  # that line
    label: str | None = None  # of a jump's target

    @property
    def opcode(self) -> str:
        """With its modifiers: "LDG.E.128.CONSTANT"."""
        words = self.text.split()
        return words[1] if words[0].startswith("@") else words[0]

    @property
    def operands(self) -> list[str]:
        return [word.strip() for word in self.text.split(self.opcode, 1)[1].split(",")]


_SPACES = {"G": "global", "S": "shared", "L": "local", "": "generic"}
_ACCESS = re.compile(r"(LD|ST)([GSL]?)(?:\.|$)")
_ARITHMETIC = re.compile(r"[FHD](ADD|MUL|FMA|MNMX)(2|3|32I)?|MUFU|[A-Z]*MMA")


def access(instruction: Instruction) -> tuple[str, str, int] | None:
    """("load" or "store", "global", "shared", "local" or "generic", bits a thread); None for everything else.

    Constant loads (LDC), atomics, and copies that bypass the registers (LDGSTS) are no loads or stores here.
    """
    match = _ACCESS.match(instruction.opcode)
    if match is None:
        return None
    width = 32
    for modifier in instruction.opcode.split(".")[1:]:
        if sized := re.fullmatch(r"[US]?(8|16|64|128|256)", modifier):
            width = int(sized.group(1))
    return ("load" if match[1] == "LD" else "store"), _SPACES[match[2]], width


def arithmetic(instruction: Instruction) -> str | None:
    """The kind of floating-point arithmetic ("FADD", "HADD2", "HFMA2", ...), or None.

    A half-precision add appears as HADD2 or as HFMA2 (x * 1 + y): count both. Two look-alikes are left out: an
    HFMA2 that multiplies zero by zero only puts a constant into a register (so float32 kernels have them too),
    and HADD2.F32 with a zero converts half to float.
    """
    kind, *modifiers = instruction.opcode.split(".")
    if not _ARITHMETIC.fullmatch(kind):
        return None
    zero = [operand.lstrip("-") in ("RZ", "URZ") for operand in instruction.operands[1:3]]
    if kind == "HFMA2" and all(zero):
        return None
    if kind == "HADD2" and "F32" in modifiers and any(zero):
        return None
    return kind


@dataclass(frozen=True)
class KernelSass:
    """The machine code of one kernel."""

    symbol: str  # its name in the object file
    registers: int  # per thread
    stack: int  # bytes a thread: arrays that did not fit into registers, and spills
    spill_stores: int  # bytes a thread
    spill_loads: int
    shared: int  # static shared memory, bytes a block
    instructions: tuple[Instruction, ...]

    @property
    def name(self) -> str:
        """As in the source, with namespace and template arguments."""
        return kernel_name(self.symbol)

    def loads(self, space: str = "global") -> dict[int, int]:
        """{bits a thread: instructions}, widest first; space is "global", "shared", "local" or "generic"."""
        return self._widths("load", space)

    def stores(self, space: str = "global") -> dict[int, int]:
        """{bits a thread: instructions}, widest first."""
        return self._widths("store", space)

    def arithmetic(self) -> dict[str, int]:
        """{kind: instructions} of floating-point arithmetic; see `arithmetic`."""
        return dict(sorted(Counter(filter(None, map(arithmetic, self.instructions))).items()))

    def opcodes(self) -> dict[str, int]:
        """{opcode with modifiers: instructions}, the most frequent first."""
        return dict(
            Counter(instruction.opcode for instruction in self.instructions).most_common()
        )

    def by_line(self) -> list[dict]:
        """A row for each source line in order: what it became. Tells a kernel's fast path from its tail."""
        lines = sorted(
            {(i.file or "", i.line) for i in self.instructions if i.line is not None}
        )
        rows = []
        for file, line in lines:
            of_line = [i for i in self.instructions if ((i.file or ""), i.line) == (file, line)]
            part = replace(self, instructions=tuple(of_line))
            rows.append(
                {
                    "line": line,
                    "source": of_line[0].source,
                    **part._counts(),
                    "instructions": len(of_line),
                }
            )
        return rows

    def row(self) -> dict:
        """The row of this kernel in `SassReport.table`."""
        return {
            "kernel": self.name,
            **self._counts(),
            "instructions": len(self.instructions),
            "registers": self.registers,
            "spilled bytes": self.spill_stores + self.spill_loads,
            "stack bytes": self.stack,
            "shared bytes": self.shared,
        }

    def _counts(self) -> dict[str, str]:
        others = [
            f"{space} {text}"
            for space in ("shared", "local", "generic")
            if (text := self._traffic(space))
        ]
        return {
            "global loads": _widths_text(self.loads()),
            "global stores": _widths_text(self.stores()),
            "other memory": ", ".join(others),
            "arithmetic": ", ".join(
                f"{count} {kind}" for kind, count in self.arithmetic().items()
            ),
        }

    def _traffic(self, space: str) -> str:
        both = {
            "loads": _widths_text(self.loads(space)),
            "stores": _widths_text(self.stores(space)),
        }
        return " and ".join(f"{what} {text}" for what, text in both.items() if text)

    def _widths(self, kind: str, space: str) -> dict[int, int]:
        if space not in _SPACES.values():
            raise ValueError(
                f"{space!r} is no memory space; choose one of {list(_SPACES.values())}"
            )
        found = Counter(
            a[2] for i in self.instructions if (a := access(i)) and a[:2] == (kind, space)
        )
        return dict(sorted(found.items(), reverse=True))


def _widths_text(widths: dict[int, int]) -> str:
    return ", ".join(f"{count} × {bits}-bit" for bits, count in widths.items())


@dataclass(frozen=True)
class SassReport:
    """The machine code of one .cu file for one architecture."""

    file: str
    arch: str
    source_hash: str  # of the file and of the local files that it includes
    nvcc: str  # versions
    nvdisasm: str
    flags: tuple[str, ...]  # beyond the usual ones
    warnings: tuple[str, ...]  # of ptxas
    kernels: tuple[KernelSass, ...]  # in the order of the source
    recorded: str | None = None  # the date, if this is a recording from data/sass

    def kernel(self, name: str | None = None) -> KernelSass:
        """A kernel by its name, with or without namespace and template arguments; the first one that matches, or
        of all.

        Raises KeyError, with the names there are.
        """
        for kernel in self.kernels:
            plain = kernel.name.split("<")[0]
            if name is None or name in (
                kernel.name,
                plain,
                plain.split("::")[-1],
                kernel.symbol,
            ):
                return kernel
        raise KeyError(
            f"{self.file} has no kernel {name!r}; it has {[kernel.name for kernel in self.kernels]}"
        )

    def rows(self) -> list[dict]:
        """A dict for each kernel: its name, loads and stores by width, arithmetic, registers, spills, ..."""
        return [
            {"file": self.file, "arch": self.arch, **kernel.row()} for kernel in self.kernels
        ]

    def table(self):
        """`rows` as a pandas DataFrame."""
        import pandas

        return pandas.DataFrame(self.rows())

    def listing(
        self, kernel: str | None = None, *, source: bool = True, width: int = 120
    ) -> str:
        """The instructions of one kernel (of all, by default), each with the number of its source line; the line
        itself stands beside the first of its instructions, cut at `width` columns. `source=False` leaves it out."""
        chosen = self.kernels if kernel is None else (self.kernel(kernel),)
        lines = "\n\n".join(_kernel_text(one, source) for one in chosen).splitlines()
        return "\n".join(
            line if len(line) <= width else line[: width - 1] + "…" for line in lines
        )

    @property
    def provenance(self) -> str:
        """Who made it, in words: compiled here, or recorded when and by which nvcc."""
        how = f"recorded {self.recorded} with" if self.recorded else "compiled here by"
        return f"{self.file} for {self.arch}, {how} nvcc {self.nvcc}" + (
            f" {' '.join(self.flags)}" if self.flags else ""
        )

    def __str__(self) -> str:
        return f"{self.provenance}\n\n{self.listing()}"


def table(kernels: Iterable[str | Path], archs: Iterable[str]):
    """The first kernel of each file for each architecture, as a pandas DataFrame. Errors as in `read`."""
    import pandas

    archs = list(archs)
    return pandas.DataFrame(
        [read(kernel, arch).rows()[0] for kernel in kernels for arch in archs]
    )


def load_width_counts(kernel: str | Path, arch: str, name: str | None = None) -> dict[int, int]:
    """{bits a thread: global load instructions} of a kernel file, such as {128: 2, 16: 2} for V6.

    `name` chooses one of several kernels in the file; by default it is the first. Errors as in `read`.
    """
    return read(kernel, arch).kernel(name).loads()


# ---------------------------------------------------------------------------------------------------------------
# The tools


@dataclass(frozen=True)
class Tool:
    """A program of the CUDA toolkit: where it is, how it was found, its version such as "13.0.88"."""

    path: Path
    found: str
    version: str


@dataclass(frozen=True)
class Tools:
    """The compiler and the disassemblers; None for one that this machine has not."""

    nvcc: Tool | None
    nvdisasm: Tool | None
    cuobjdump: Tool | None  # not needed here, good to know for a learner's own use

    def __str__(self) -> str:
        lines = []
        for name, tool in vars(self).items():
            lines.append(
                f"{name:10} {f'{tool.version} ({tool.found})' if tool else 'not found'}"
            )
        return "\n".join(lines)


def find_tools(arch: str | None = None) -> Tools:
    """nvcc, nvdisasm and cuobjdump: from the machine's CUDA toolkit (CUDA_HOME, PATH, /usr/local/cuda*), else from
    PyPI, else from Triton. With `arch` the first ones that know this architecture."""
    wanted = None if arch is None else arch_name(arch)
    return Tools(*(_find(name, wanted) for name in ("nvcc", "nvdisasm", "cuobjdump")))


def arch_name(arch: str | tuple[int, int]) -> str:
    """ "sm_90" from "sm_90", "9.0" or (9, 0). Raises ValueError for anything else."""
    text = f"{arch[0]}.{arch[1]}" if isinstance(arch, tuple) else arch
    if match := re.fullmatch(r"(?:sm_)?(\d+)\.?(\d[af]?)", text):
        return f"sm_{match[1]}{match[2]}"
    raise ValueError(f"{arch!r} is no architecture: write it as 'sm_90' or '9.0'")


def _folders() -> Iterator[tuple[Path, str]]:
    """Where the tools can be, best first."""
    if (nvcc := machine.find_nvcc()) is not None:
        yield nvcc.home / "bin", nvcc.found
    for folder in os.get_exec_path():
        yield Path(folder), "PATH"
    for folder in sorted(Path("/usr/local").glob("cuda*/bin"), reverse=True):
        yield folder, str(folder.parent)
    for site in sys.path:
        for folder in sorted(Path(site or ".").glob("nvidia/*/bin"), reverse=True):
            yield folder, "PyPI package"
    for site in sys.path:
        yield Path(site or ".") / "triton" / "backends" / "nvidia" / "bin", "Triton"


@cache
def _find(name: str, arch: str | None) -> Tool | None:
    asked = set()
    for folder, found in _folders():
        path = folder / name
        if path in asked or not os.access(path, os.X_OK):
            continue
        asked.add(path)
        version = re.search(r"\bV(\d[\d.]*)", _ask(path, "--version"))
        if version and (arch is None or _knows(path, arch)):
            return Tool(path, found, version.group(1))
    return None


def _knows(tool: Path, arch: str) -> bool:
    """Whether a tool was made for an architecture (an old toolkit knows no new GPU)."""
    text = _ask(tool, "--list-gpu-code" if tool.name == "nvcc" else "--help")
    number = re.search(r"\d+", arch)[0]
    return re.search(rf"\bsm_?{number}\b", text, flags=re.I) is not None


def _ask(*command: str | Path) -> str:
    try:
        return _run(*command, timeout=20).stdout
    except BuildError:
        return ""


def _run(
    *command: str | Path, timeout: float, cwd: Path | None = None
) -> subprocess.CompletedProcess:
    """Run a program without a shell. Raises BuildError where it is missing, broken or hangs."""
    name = Path(command[0]).name
    try:
        return subprocess.run(
            [str(w) for w in command], capture_output=True, text=True, timeout=timeout, cwd=cwd
        )
    except subprocess.TimeoutExpired:
        raise BuildError(f"{name} did not end within {timeout:g} s") from None
    except OSError as error:
        raise BuildError(f"{name} could not be run: {error.strerror}") from None


# ---------------------------------------------------------------------------------------------------------------
# Reading


def read(
    kernel: str | Path, arch: str | tuple[int, int], *, flags: Sequence[str] = ()
) -> SassReport:
    """The machine code of a kernel file ("v1_f32" is kernels/v1_f32.cu) for an architecture ("sm_120").

    `flags` are more options for nvcc, such as "-DBLOCKS=8". Raises CompileError with the compiler's words where
    the file is wrong; BuildError where the tools are missing and no recording fits; FileNotFoundError and
    ValueError for a wrong name.
    """
    path, arch = source_path(kernel), arch_name(arch)
    try:
        return _read_now(path, arch, tuple(flags))
    except BuildError as error:
        why = str(error)
    return _read_recorded(path, arch, tuple(flags), why)


def read_source(
    text: str, arch: str | tuple[int, int], *, flags: Sequence[str] = ()
) -> SassReport:
    """The machine code of a piece of CUDA C++, for a quick question. Needs the tools; errors as in `read`."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "source.cu"
        path.write_text(text, encoding="utf-8")
        return _read_now(path, arch_name(arch), tuple(flags))


def record(
    kernels: Iterable[str | Path], archs: Iterable[str], *, flags: Sequence[str] = ()
) -> list[Path]:
    """Write the listings of kernel files into data/sass/, for machines without the tools; returns the files."""
    RECORDED.mkdir(parents=True, exist_ok=True)
    written, archs, flags = [], list(map(arch_name, archs)), tuple(flags)
    for path in map(source_path, kernels):
        for arch in archs:
            report = replace(_read_now(path, arch, flags), recorded=date.today().isoformat())
            target = _recording(path, arch, flags)
            target.write_text(_report_text(report), encoding="utf-8")
            written.append(target)
    return written


def recordings() -> list[Path]:
    """The recorded listings that there are."""
    return sorted(RECORDED.glob("*.txt"))


def _recording(path: Path, arch: str, flags: tuple[str, ...]) -> Path:
    special = "." + hashlib.sha256(repr(flags).encode()).hexdigest()[:8] if flags else ""
    return RECORDED / f"{path.stem}.{arch}{special}.txt"


def _read_recorded(
    path: Path, arch: str, flags: tuple[str, ...], why_not_now: str
) -> SassReport:
    file = _recording(path, arch, flags)
    if not file.is_file():
        raise BuildError(
            f"{why_not_now}\nThere is no recorded listing of {path.name} for {arch} either."
        )
    report = _parse_report(file.read_text(encoding="utf-8"))
    if report.source_hash != source_hash(path):
        raise BuildError(
            f"{why_not_now}\nThe recorded listing ({report.recorded}) is of another version of {path.name}."
        )
    return report


def _read_now(path: Path, arch: str, flags: tuple[str, ...]) -> SassReport:
    tools = find_tools(arch)
    missing = [name for name in ("nvcc", "nvdisasm") if getattr(tools, name) is None]
    if missing:
        raise BuildError(
            f"no {' and no '.join(missing)} for {arch} on this machine: {HOW_TO_GET_THE_TOOLS}"
        )
    hashed = source_hash(path)
    report = SassReport(
        path.name, arch, hashed, tools.nvcc.version, tools.nvdisasm.version, flags, (), ()
    )

    key = hashlib.sha256(repr((FORMAT, FLAGS, report)).encode()).hexdigest()[:16]
    try:
        cached = cache_folder() / f"{path.stem}-{arch}-{key}.sass.txt"
    except BuildError:  # a folder that cannot be written costs only the cache
        cached = None
    if cached and cached.is_file():
        return _parse_report(cached.read_text(encoding="utf-8"))

    with tempfile.TemporaryDirectory() as folder:
        cubin = Path(folder) / "kernel.cubin"
        log = _compile(tools.nvcc, path, arch, flags, cubin)
        text = _disassemble(tools.nvdisasm, cubin)
    kernels = tuple(_parse_kernels(text, _resources(log), path))
    report = replace(report, kernels=kernels, warnings=_warnings(log))
    if cached:
        partial = cached.with_suffix(f".{os.getpid()}")
        partial.write_text(_report_text(report), encoding="utf-8")
        os.replace(partial, cached)
    return report


def source_hash(path: Path) -> str:
    """SHA-256 of a source file and of the local files that it includes."""
    return digest(read_sources(path))


def _compile(nvcc: Tool, path: Path, arch: str, flags: tuple[str, ...], cubin: Path) -> str:
    """Compile to machine code; returns what the compiler said."""
    command = [nvcc.path, "-cubin", f"-arch={arch}", *FLAGS, *flags, path, "-o", cubin]
    done = _run(*command, timeout=300, cwd=cubin.parent)
    log = done.stdout + done.stderr
    if done.returncode == 0 and cubin.is_file():
        return log
    log = log.replace(str(path.parent) + os.sep, "")
    errors = [
        line
        for line in log.splitlines()
        if re.search(r"\berror\b|fatal|not found|No such", line, re.I)
    ]
    words = "\n    ".join((errors or log.splitlines() or ["(it said nothing)"])[:5])
    if any(line.startswith(path.name) for line in errors):
        raise CompileError(f"{path.name} does not compile for {arch}:\n    {words}")
    if shutil.which("g++") is None and shutil.which("c++") is None:
        raise BuildError(
            f"nvcc needs a C++ compiler, and there is no g++ on this machine:\n    {words}"
        )
    raise CompileError(f"nvcc {nvcc.version} failed on {path.name} for {arch}:\n    {words}")


def _disassemble(nvdisasm: Tool, cubin: Path) -> str:
    """The code sections with the source lines, and for inlined code the lines that called it."""
    done = _run(nvdisasm.path, "--print-code", "--print-line-info-inline", cubin, timeout=120)
    if done.returncode:
        raise BuildError(f"nvdisasm {nvdisasm.version} failed: {done.stderr.strip()[:500]}")
    return done.stdout


# ---------------------------------------------------------------------------------------------------------------
# What the tools print


def _warnings(log: str) -> tuple[str, ...]:
    return tuple(re.findall(r"^ptxas warning\s*:\s*(.+?)\s*$", log, flags=re.M))


def _resources(log: str) -> dict[str, dict[str, int]]:
    """Registers, stack, spills and shared memory by symbol, from `ptxas -v`."""
    found: dict[str, dict[str, int]] = {}
    symbol = None
    for line in log.splitlines():
        if match := re.search(
            r"(?:Compiling entry function|Function properties for) '?([\w$.]+)'?", line
        ):
            symbol = match[1]
            found.setdefault(symbol, {})
        elif symbol is None:
            continue
        elif match := re.search(
            r"(\d+) bytes stack frame, (\d+) bytes spill stores, (\d+) bytes spill loads", line
        ):
            found[symbol].update(
                zip(
                    ("stack", "spill_stores", "spill_loads"),
                    map(int, match.groups()),
                    strict=True,
                )
            )
        elif match := re.search(r"Used (\d+) registers", line):
            shared = re.search(r"(\d+) bytes smem", line)
            found[symbol].update(
                registers=int(match[1]), shared=int(shared[1]) if shared else 0
            )
    return {symbol: values for symbol, values in found.items() if "registers" in values}


def _parse_kernels(
    text: str, resources: dict[str, dict[str, int]], path: Path
) -> list[KernelSass]:
    """The kernels in what nvdisasm printed, in the order of the source (nvdisasm's is the reverse)."""
    sources = {
        str(file): (file.name, file.read_text(encoding="utf-8").splitlines())
        for file in read_sources(path)
    }
    kernels = []
    for section in re.split(r"^\s*\.section\s+\.text\.", text, flags=re.M)[1:]:
        symbol = section.split(",", 1)[0]
        if symbol in resources:
            code = _parse_code(section, sources, main=path)
            kernels.append(KernelSass(symbol, **resources[symbol], instructions=code))
    return kernels[::-1]


_INSTRUCTION = re.compile(r"\s*/\*([0-9a-f]+)\*/\s+(.*?)\s*;")
_LABEL = re.compile(r"(\.L_\w+):")
_LINE = re.compile(r'\s*//## File "(.+?)", line (\d+)')


def _parse_code(
    section: str, sources: dict[str, tuple[str, list[str]]], main: Path
) -> tuple[Instruction, ...]:
    code: list[Instruction] = []
    label, location = None, (None, None, "")
    for text in section.splitlines():
        if match := _LINE.match(text):
            # For inlined code the callers follow: the last one named is the line in the kernel itself.
            name, lines = sources.get(os.path.realpath(match[1]), (None, []))
            number = int(match[2])
            known = 1 <= number <= len(lines)
            location = (
                (None if name == main.name else name, number, lines[number - 1].strip())
                if known
                else location
            )
        elif match := _LABEL.match(text):
            label = match[1]
        elif match := _INSTRUCTION.match(text):
            words = re.sub(r"`\((.+?)\)", r"\1", " ".join(match[2].split()))
            code.append(Instruction(int(match[1], 16), words, *location, label))
            label = None
    return tuple(_without_padding(code))


def _without_padding(code: list[Instruction]) -> list[Instruction]:
    """Less the jump to itself and the NOPs after the end; labels only where something jumps to."""
    while code and (
        code[-1].opcode == "NOP"
        or (code[-1].opcode == "BRA" and code[-1].label == _target(code[-1]))
    ):
        code = code[:-1]
    targets = set(map(_target, code))
    return [
        i if i.label is None or i.label in targets else replace(i, label=None) for i in code
    ]


def _target(instruction: Instruction) -> str | None:
    match = re.search(r"\.L_\w+", instruction.text)
    return match[0] if match else None


_TYPES = {
    "v": "void", "b": "bool", "c": "char", "a": "signed char", "h": "unsigned char", "s": "short",
    "t": "unsigned short", "i": "int", "j": "unsigned", "l": "long", "m": "unsigned long", "x": "long long",
    "y": "unsigned long long", "f": "float", "d": "double",
}  # fmt: skip


def kernel_name(symbol: str) -> str:
    """The name in the source of a symbol: "_Z3addIfLi4EEvPT_" -> "add<float, 4>". Parameters are left out; a
    symbol that is too complicated for this is returned as it is."""
    try:
        return _Demangler(symbol[2:]).name() if symbol.startswith("_Z") else symbol
    except (IndexError, KeyError, ValueError):
        return symbol


class _Demangler:
    """Just enough of the Itanium C++ ABI for the names and template arguments of kernels."""

    def __init__(self, rest: str):
        self.rest = rest
        self.seen: list[str] = []  # names and types that a later S_, S0_, S1_, ... repeats

    def take(self, pattern: str) -> re.Match | None:
        match = re.match(pattern, self.rest)
        if match:
            self.rest = self.rest[match.end() :]
        return match

    def until_end(self, one) -> list[str]:
        items = []
        while not self.take("E"):
            items.append(one())
        return items

    def remember(self, text: str) -> str:
        self.seen.append(text)
        return text

    def name(self) -> str:
        """A name, perhaps nested (N...E), perhaps with template arguments (I...E)."""
        nested = self.take("N") is not None
        text = ""
        while not (text and nested and self.take("E")):
            if again := self.take(r"S(\d?)_"):
                text = self.seen[int(again[1] or -1) + 1]
            elif self.take("I"):
                text = self.remember(
                    f"{text}<{', '.join(filter(None, self.until_end(self.argument)))}>"
                )
            else:
                text = self.remember(
                    f"{text}::{self.identifier()}" if text else self.identifier()
                )
            if not nested and not self.rest.startswith("I"):
                break
        return text

    def identifier(self) -> str:
        length = self.take(r"L?(\d+)")  # L: of a static function
        if length is None or len(self.rest) < int(length[1]):
            raise ValueError("an operator, a lambda, or no symbol at all")
        text, self.rest = self.rest[: int(length[1])], self.rest[int(length[1]) :]
        return "(anonymous)" if text.startswith("_GLOBAL__N_") else text

    def argument(self) -> str:
        """A template argument: a type, a number, or a list of types (J...E)."""
        if self.take("J"):
            return ", ".join(self.until_end(self.argument))
        if literal := self.take(r"L([a-z])(n?)(\d+)E"):
            value = literal[2].replace("n", "-") + literal[3]
            return {"0": "false", "1": "true"}[value] if literal[1] == "b" else value
        if sign := self.take("[PRK]"):
            return self.remember(self.argument() + {"P": "*", "R": "&", "K": " const"}[sign[0]])
        if re.match(r"[NS\d]", self.rest):
            return self.name()
        return _TYPES[self.take(".")[0]]


# ---------------------------------------------------------------------------------------------------------------
# A report as text, and back: what `listing` prints is also what the cache and data/sass hold


def _kernel_text(kernel: KernelSass, source: bool = True) -> str:
    heading = (
        f"{kernel.name}: {kernel.registers} registers, {kernel.stack} bytes of stack,"
        f" {kernel.spill_stores} + {kernel.spill_loads} bytes of spill stores and loads,"
        f" {kernel.shared} bytes of shared memory"
    )
    lines, shown = [heading], None
    for i in kernel.instructions:
        if i.label:
            lines.append(f"{i.label}:")
        text = f"  /*{i.offset:04x}*/  {i.text}"
        if source and i.line is not None:
            where = f"{i.file}:{i.line}" if i.file else f"{i.line}"
            text = f"{text:<66}  // {where:>3}" + (
                f"  {i.source}" if (i.file, i.line) != shown else ""
            )
            shown = (i.file, i.line)
        lines.append(text.rstrip())
    return "\n".join(lines)


def _report_text(report: SassReport) -> str:
    header = {
        "file": report.file,
        "arch": report.arch,
        "source sha256": report.source_hash,
        "nvcc": report.nvcc,
        "nvdisasm": report.nvdisasm,
        "flags": " ".join(report.flags),
        "recorded": report.recorded or "",
    }
    lines = [f"# {key}: {value}".rstrip() for key, value in header.items()]
    lines += [f"# warning: {warning}" for warning in report.warnings]
    for kernel in report.kernels:
        lines += ["", f"# symbol: {kernel.symbol}", _kernel_text(kernel)]
    return "\n".join(lines) + "\n"


_NUMBERS = ("registers", "stack", "spill_stores", "spill_loads", "shared")
_HEADING = re.compile(
    r".+: (\d+) registers, (\d+) bytes of stack, (\d+) \+ (\d+) bytes of spill stores and loads,"
    r" (\d+) bytes of shared memory"
)
_CODE = re.compile(r"  /\*([0-9a-f]+)\*/  (.+?)(?: +//  *(?:(\S+):)?(\d+)(?:  (.*))?)?$")


def _parse_report(text: str) -> SassReport:
    header: dict[str, str] = {}
    warnings: list[str] = []
    kernels: list[KernelSass] = []
    code: list[Instruction] = []
    symbol, label, source = "", None, {}
    for line in text.splitlines():
        if line.startswith("# warning: "):
            warnings.append(line.removeprefix("# warning: "))
        elif line.startswith("# symbol: "):
            symbol = line.removeprefix("# symbol: ")
        elif line.startswith("# "):
            key, _, value = line[2:].partition(":")
            header[key] = value.strip()
        elif match := _HEADING.fullmatch(line):
            numbers = dict(zip(_NUMBERS, map(int, match.groups()), strict=True))
            code = []
            kernels.append(KernelSass(symbol, **numbers, instructions=()))
        elif match := _LABEL.fullmatch(line):
            label = match[1]
        elif match := _CODE.fullmatch(line):
            file, number = match[3], int(match[4]) if match[4] else None
            if match[5] is not None:
                source[file, number] = match[5]
            words = source.get((file, number), "")
            code.append(
                Instruction(int(match[1], 16), match[2].rstrip(), file, number, words, label)
            )
            label = None
            kernels[-1] = replace(kernels[-1], instructions=tuple(code))
    return SassReport(
        file=header["file"],
        arch=header["arch"],
        source_hash=header["source sha256"],
        nvcc=header["nvcc"],
        nvdisasm=header["nvdisasm"],
        flags=tuple(header["flags"].split()),
        warnings=tuple(warnings),
        kernels=tuple(kernels),
        recorded=header["recorded"] or None,
    )


def main(arguments: Sequence[str] | None = None) -> int:
    """`python -m helpers.measure.sass tools | show KERNEL ... | record KERNEL ... [--arch sm_90 ...]`"""
    parser = argparse.ArgumentParser(
        prog="python -m helpers.measure.sass", description="The machine code of kernel files."
    )
    parser.add_argument("do", choices=("tools", "show", "record"))
    parser.add_argument("kernels", nargs="*", help="names in kernels/, or paths to .cu files")
    parser.add_argument("--arch", nargs="+", default=["sm_90", "sm_120"])
    parser.add_argument(
        "--flags", default="", help="more options for nvcc, as in --flags='-DN=8 -DM=2'"
    )
    chosen = parser.parse_args(arguments)
    flags = chosen.flags.split()
    try:
        if chosen.do == "tools":
            print(find_tools())
        elif chosen.do == "record":
            print(
                *(path.name for path in record(chosen.kernels, chosen.arch, flags=flags)),
                sep="\n",
            )
        else:
            for kernel, arch in itertools.product(chosen.kernels, chosen.arch):
                print(read(kernel, arch, flags=flags), end="\n\n")
    except (BuildError, CompileError, FileNotFoundError, ValueError) as error:
        print(error, file=sys.stderr)
        return 1
    return 0
