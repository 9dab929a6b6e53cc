"""Describe machine code: instructions, what they access or compute, kernels."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace

from helpers.measure.sass.names import kernel_name


@dataclass(frozen=True)
class Instruction:
    """One machine instruction, such as `@P0 LDG.E.128 R4, desc[UR4][R2.64]`."""

    offset: int  # bytes from the kernel's first instruction
    text: str
    file: str | None = None  # that its source line is in; None: the .cu file itself
    line: int | None = None
    source: str = ""  # that line
    label: str | None = None  # if a jump leads here

    @property
    def opcode(self) -> str:
        """The operation with its modifiers: "LDG.E.128.CONSTANT"."""
        words = self.text.split()
        return words[1] if words[0].startswith("@") else words[0]

    @property
    def operands(self) -> list[str]:
        """The operands in order, the destination first."""
        return [word.strip() for word in self.text.split(self.opcode, 1)[1].split(",")]


_SPACES = {"G": "global", "S": "shared", "L": "local", "": "generic"}
_ACCESS = re.compile(r"(LD|ST)([GSL]?)(?:\.|$)")
_ARITHMETIC = re.compile(r"[FHD](ADD|MUL|FMA|MNMX)(2|3|32I)?|MUFU|[A-Z]*MMA")


def access(instruction: Instruction) -> tuple[str, str, int] | None:
    """Classify a load or store: ("load" or "store", memory space, bits a thread); else None.

    The space is "global", "shared", "local" or "generic". Constant loads (LDC), atomics and
    copies that bypass the registers (LDGSTS) do not count.
    """
    match = _ACCESS.match(instruction.opcode)
    if match is None:
        return None
    width = 32
    for modifier in instruction.opcode.split(".")[1:]:
        if sized := re.fullmatch(r"[US]?(8|16|64|128|256)", modifier):
            width = int(sized[1])
    return ("load" if match[1] == "LD" else "store"), _SPACES[match[2]], width


def arithmetic(instruction: Instruction) -> str | None:
    """Return the kind of floating-point arithmetic ("FADD", "HADD2", "HFMA2", ...), or None.

    A half-precision add appears as HADD2 or as HFMA2 (x * 1 + y): count both. Two look-alikes
    are left out: an HFMA2 that multiplies zero by zero only puts a constant into a register
    (float32 kernels have them too), and HADD2.F32 with a zero converts half to float.
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
    spill_loads: int  # bytes a thread
    shared: int  # static shared memory, bytes a block
    instructions: tuple[Instruction, ...]

    @property
    def name(self) -> str:
        """The kernel's name in the source, with namespace and template arguments."""
        return kernel_name(self.symbol)

    def loads(self, space: str = "global") -> dict[int, int]:
        """Count load instructions: {bits a thread: instructions}, widest first.

        space: "global", "shared", "local" or "generic"; ValueError for any other.
        """
        return self._widths("load", space)

    def stores(self, space: str = "global") -> dict[int, int]:
        """Count store instructions: {bits a thread: instructions}, widest first."""
        return self._widths("store", space)

    def arithmetic(self) -> dict[str, int]:
        """Count floating-point arithmetic: {kind: instructions}; see `arithmetic`."""
        return dict(sorted(Counter(filter(None, map(arithmetic, self.instructions))).items()))

    def opcodes(self) -> dict[str, int]:
        """Count opcodes: {opcode with modifiers: instructions}, the most frequent first."""
        return dict(Counter(one.opcode for one in self.instructions).most_common())

    def by_line(self) -> list[dict]:
        """Count what each source line became: a row a line, in the source's order.

        Tells a kernel's fast path from its tail.
        """
        rows = []
        for file, line in self._lines():
            own = [i for i in self.instructions if (i.file or "", i.line) == (file, line)]
            counts = replace(self, instructions=tuple(own))._counts()
            rows.append({"line": line, "source": own[0].source, **counts})
            rows[-1]["instructions"] = len(own)
        return rows

    def row(self) -> dict:
        """Summarise this kernel as a row of `SassReport.table`."""
        return {
            "kernel": self.name,
            **self._counts(),
            "instructions": len(self.instructions),
            "registers": self.registers,
            "spilled bytes": self.spill_stores + self.spill_loads,
            "stack bytes": self.stack,
            "shared bytes": self.shared,
        }

    def _lines(self) -> list[tuple[str, int]]:
        return sorted({(i.file or "", i.line) for i in self.instructions if i.line is not None})

    def _counts(self) -> dict[str, str]:
        arithmetic = (f"{count} {kind}" for kind, count in self.arithmetic().items())
        return {
            "global loads": _widths_text(self.loads()),
            "global stores": _widths_text(self.stores()),
            "other memory": ", ".join(self._other_memory()),
            "arithmetic": ", ".join(arithmetic),
        }

    def _other_memory(self) -> Iterator[str]:
        for space in ("shared", "local", "generic"):
            both = {"loads": self.loads(space), "stores": self.stores(space)}
            text = " and ".join(
                f"{what} {_widths_text(widths)}" for what, widths in both.items() if widths
            )
            if text:
                yield f"{space} {text}"

    def _widths(self, kind: str, space: str) -> dict[int, int]:
        if space not in _SPACES.values():
            known = list(_SPACES.values())
            raise ValueError(f"{space!r} is not a memory space; choose one of {known}")
        found = Counter(
            one[2] for i in self.instructions if (one := access(i)) and one[:2] == (kind, space)
        )
        return dict(sorted(found.items(), reverse=True))


def _widths_text(widths: dict[int, int]) -> str:
    return ", ".join(f"{count} × {bits}-bit" for bits, count in widths.items())
