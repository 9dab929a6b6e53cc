"""Parse what nvdisasm and ptxas print into the machine code of kernels."""

from __future__ import annotations

import os
import re
from dataclasses import replace
from pathlib import Path

from helpers.measure.sass.code import Instruction, KernelSass

_INSTRUCTION = re.compile(r"\s*/\*([0-9a-f]+)\*/\s+(.*?)\s*;")
_LABEL = re.compile(r"(\.L_\w+):")
_LINE = re.compile(r'\s*//## File "(.+?)", line (\d+)')
_FUNCTION = re.compile(r"(?:Compiling entry function|Function properties for) '?([\w$.]+)'?")
_STACK = re.compile(
    r"(\d+) bytes stack frame, (\d+) bytes spill stores, (\d+) bytes spill loads"
)


def warnings(log: str) -> tuple[str, ...]:
    """Return the warnings of ptxas."""
    return tuple(re.findall(r"^ptxas warning\s*:\s*(.+?)\s*$", log, flags=re.M))


def resources(log: str) -> dict[str, dict[str, int]]:
    """Return registers, stack, spills and shared memory by symbol, from `ptxas -v`."""
    found: dict[str, dict[str, int]] = {}
    own: dict[str, int] = {}  # of the symbol named last
    for line in log.splitlines():
        if match := _FUNCTION.search(line):
            own = found.setdefault(match[1], {})
        elif match := _STACK.search(line):
            numbers = map(int, match.groups())
            own.update(zip(("stack", "spill_stores", "spill_loads"), numbers, strict=True))
        elif match := re.search(r"Used (\d+) registers", line):
            shared = re.search(r"(\d+) bytes smem", line)
            own.update(registers=int(match[1]), shared=int(shared[1]) if shared else 0)
    return {symbol: values for symbol, values in found.items() if "registers" in values}


def parse_kernels(
    text: str, resources: dict[str, dict[str, int]], sources: dict[Path, str]
) -> list[KernelSass]:
    """Parse nvdisasm's output into kernels, in the order of the source.

    text: from `nvdisasm --print-code --print-line-info-inline`, which lists kernels in reverse.
    sources: the .cu file and its local includes, by path, the file itself first.
    """
    kernels = []
    for section in re.split(r"^\s*\.section\s+\.text\.", text, flags=re.M)[1:]:
        symbol = section.split(",", 1)[0]
        if symbol in resources:
            code = _parse_code(section, sources)
            kernels.append(KernelSass(symbol, **resources[symbol], instructions=code))
    return kernels[::-1]


def _parse_code(section: str, sources: dict[Path, str]) -> tuple[Instruction, ...]:
    lines = {str(path): text.splitlines() for path, text in sources.items()}
    main = str(next(iter(sources)))
    code: list[Instruction] = []
    label, location = None, (None, None, "")
    for text in section.splitlines():
        if match := _LINE.match(text):
            # For inlined code the callers follow: the last is the line in the kernel itself.
            path, number = os.path.realpath(match[1]), int(match[2])
            if 1 <= number <= len(lines.get(path, ())):
                name = None if path == main else os.path.basename(path)
                location = (name, number, lines[path][number - 1].strip())
        elif match := _LABEL.match(text):
            label = match[1]
        elif match := _INSTRUCTION.match(text):
            words = re.sub(r"`\((.+?)\)", r"\1", " ".join(match[2].split()))
            code.append(Instruction(int(match[1], 16), words, *location, label))
            label = None
    return _without_padding(code)


def _without_padding(code: list[Instruction]) -> tuple[Instruction, ...]:
    """Drop the final jump to itself, the NOPs after it, and labels that nothing jumps to."""
    while code and (code[-1].opcode == "NOP" or _jumps_to_itself(code[-1])):
        code = code[:-1]
    targets = set(map(_target, code))
    return tuple(i if i.label in targets else replace(i, label=None) for i in code)


def _jumps_to_itself(instruction: Instruction) -> bool:
    return instruction.opcode == "BRA" and instruction.label == _target(instruction)


def _target(instruction: Instruction) -> str | None:
    match = re.search(r"\.L_\w+", instruction.text)
    return match[0] if match else None
