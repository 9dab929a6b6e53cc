"""Find the `__device__` variable that lies at an address, by the names in a traced library."""

from __future__ import annotations

import ctypes
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from helpers.emulator.runtime import Library
from helpers.emulator.traced import output_of
from helpers.errors import BuildError

# Bytes of the types whose arrays are shown by an index.
_SIZES = {
    **{"char": 1, "bool": 1, "int8_t": 1, "uint8_t": 1, "short": 2, "half": 2, "__half": 2},
    **{"int": 4, "unsigned": 4, "float": 4, "int32_t": 4, "uint32_t": 4},
    **{"double": 8, "int64_t": 8, "uint64_t": 8, "size_t": 8, "long": 8},
}
_ANCHOR = "emulator_trace_start"  # a function of each traced library, for its load address


@dataclass(frozen=True)
class DeviceVariable:
    """A variable at file scope: its name, its address, its size and its elements' in bytes.

    element: 0 unless it is an array of one dimension, of a type of C++'s own.
    """

    name: str
    begin: int
    bytes: int
    element: int = 0

    def place(self, address: int) -> str:
        """Name what lies at an address: `total[1]`, `counter`, `state (byte 4 of it)`."""
        offset = address - self.begin
        if self.element:
            index, offset = divmod(offset, self.element)
            return f"{self.name}[{index}]" + (f" (byte {offset} of it)" if offset else "")
        return self.name + (f" (byte {offset} of it)" if offset else "")


def device_variable(
    library: Library, path: Path, files: Mapping[str, str], address: int
) -> DeviceVariable | None:
    """Return the variable of the learner's files that has an address; None if none has.

    path: of the library; files: the texts of its files by name.
    """
    try:
        found = output_of("nm", "-S", "-C", "--defined-only", str(path))
    except BuildError:
        return None
    rows = re.findall(r"^(\w+) (\w+) (\w) (.+)$", found, flags=re.M)
    at = {name: int(begin, 16) for begin, _, _, name in rows}
    if _ANCHOR not in at:
        return None
    loaded = ctypes.cast(getattr(library.dll, _ANCHOR), ctypes.c_void_p).value - at[_ANCHOR]
    for begin, size, kind, name in rows:
        first = loaded + int(begin, 16)
        if kind in "tTwW" or not first <= address < first + int(size, 16):
            continue
        plain = re.sub(r"<.*>$", "", name).rpartition("::")[2]
        declared = rf"__(?:device|managed)__([^;{{}}()]*?)\b{plain}\b([^;={{]*)"
        for text in files.values():
            if found := re.search(declared, text):
                return DeviceVariable(plain, first, int(size, 16), _element(*found.groups()))
    return None


def _element(before: str, behind: str) -> int:
    """Return the bytes of an element of `before name behind`; 0 if none can be told."""
    if not re.match(r"\s*\[[^\[\]]*\]\s*(?:,|$)", behind) or re.search(r"[*,<]", before):
        return 0
    return next((_SIZES[word] for word in re.findall(r"\w+", before) if word in _SIZES), 0)
