"""Translate the symbols of kernels into their names in the source."""

from __future__ import annotations

import ctypes
import re
from functools import cache


def kernel_name(symbol: str) -> str:
    """Return the name in the source of a symbol: "_Z3addIfLi4EEvPT_" -> "add<float, 4>".

    Parameters and the return type are left out. What libstdc++ cannot translate is returned as
    it is; so is every symbol on a machine without libstdc++.
    """
    return _without_parameters(_demangle(symbol)) if symbol.startswith("_Z") else symbol


@cache
def _demangle(symbol: str) -> str:
    """Translate by libstdc++'s `abi::__cxa_demangle`."""
    try:
        demangle = ctypes.CDLL("libstdc++.so.6").__cxa_demangle
        free = ctypes.CDLL(None).free
    except (OSError, AttributeError):
        return symbol
    demangle.restype, free.argtypes = ctypes.c_void_p, (ctypes.c_void_p,)
    text = demangle(symbol.encode(), None, None, None)
    if not text:
        return symbol
    try:
        return ctypes.string_at(text).decode()
    finally:
        free(text)


def _without_parameters(name: str) -> str:
    """Cut "void ns::add<float, 4u>(float*)" down to "ns::add<float, 4>"."""
    name = name.replace("(anonymous namespace)", "(anonymous)").replace("> >", ">>")
    name = re.sub(r"\b(\d+)(?:ul|ull|u|l|ll)\b", r"\1", name).removeprefix("void ")
    depth = 0
    for at in reversed(range(len(name))):  # back to the parenthesis that opens the parameters
        depth += (name[at] == ")") - (name[at] == "(")
        if depth == 0:
            return name[:at] if name.endswith(")") else name
    return name
