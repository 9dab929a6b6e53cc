"""Build and load the compiled dispatcher of `fast_call.c`, once for each Python and source.

The dispatcher only makes calls faster. Without a compiler, without Python's headers, with a
PyTorch older than 2.10, or on another platform than Linux on x86-64 or AArch64 there is none;
nothing is printed, and `launcher` makes every call in Python.
"""

from __future__ import annotations

import ctypes
import functools
import hashlib
import importlib.machinery
import importlib.util
import os
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import torch

from helpers.emulator.compile import compiler
from helpers.errors import CourseError
from helpers.run import cache
from helpers.run.locks import lock
from helpers.run.signature import Declaration, Parameter

SOURCE = Path(__file__).with_suffix(".c")
FLAGS = ("-x", "c", "-std=c11", "-O2", "-shared", "-fPIC")
SIZE, STREAM = -1, -2  # C parameters that the caller does not pass: kSize, kStream there
LARGEST_SIZE = (1 << 62) - 1

# DLPack's codes of the kinds of numbers.
_INT, _UINT, _FLOAT, _BFLOAT, _BOOL = 0, 1, 2, 4, 6
CODES = {
    torch.float16: _FLOAT,
    torch.float32: _FLOAT,
    torch.float64: _FLOAT,
    torch.bfloat16: _BFLOAT,
    torch.int8: _INT,
    torch.int16: _INT,
    torch.int32: _INT,
    torch.int64: _INT,
    torch.uint8: _UINT,
    torch.uint16: _UINT,
    torch.uint32: _UINT,
    torch.uint64: _UINT,
    torch.bool: _BOOL,
}


def bind(declaration: Declaration, entry, backend) -> Callable[..., int | None] | None:
    """Make a function that calls a launcher, if all its tensors have one shape [n].

    The function takes the launcher's arguments. It returns the backend's status after a launch,
    the negated error if the launcher returns one, or None if it has not launched: a check
    failed, or the call needs Python (a subclass of Tensor, an empty tensor, a GPU that is not
    the current one).

    entry: the C function. backend: `backends.Gpu` or `backends.Emulator`. None if there is no
    dispatcher, or if it cannot call this launcher: of another form, or with a dtype that DLPack
    got late (float8).
    """
    known = all(p.dtype in CODES for p in declaration.tensors)
    module = compiled() if declaration.is_flat and known else None
    if not module:
        return None
    places = {p.name: place for place, p in enumerate(declaration.arguments)}
    parameters = tuple(
        STREAM if p.role == "stream" else places.get(p.name, SIZE)
        for p in declaration.parameters
    )
    pairs = tuple(
        (places[declaration.tensors[i].name], places[declaration.tensors[j].name])
        for i, j in declaration.overlaps
    )
    try:
        return module.bind_launcher(
            torch.Tensor.__dlpack_c_exchange_api__,
            torch.Tensor,
            _function_address(entry),
            _function_address(backend.status),
            _function_address(backend.current_device) if backend.current_device else 0,
            min([LARGEST_SIZE, *(p.largest for p in declaration.sizes)]),
            declaration.returns_error,
            tuple(map(_argument, declaration.arguments)),
            parameters,
            pairs,
        )
    except ValueError:  # more parameters than it takes, or a DLPack that it does not know
        return None


def _function_address(function) -> int:
    return ctypes.cast(function, ctypes.c_void_p).value


def _argument(p: Parameter) -> tuple:
    """Return an argument as `read_argument` of fast_call.c takes it."""
    if p.is_tensor:
        bits = 8 * p.dtype.itemsize
        return p.name, "t", None, CODES[p.dtype], bits, p.address_multiple, 0, 0, 0.0
    if p.is_integer:
        return p.name, "i", p.default, 0, 0, 0, p.least, p.largest, 0.0
    return p.name, p.ctype[0], p.default, 0, 0, 0, 0, 0, p.largest


@functools.cache
def compiled() -> ModuleType | None:
    """Load the compiled module; build it first if need be. None if it cannot be had."""
    headers = Path(sysconfig.get_path("include"))
    if not hasattr(torch.Tensor, "__dlpack_c_exchange_api__") or not sys.platform == "linux":
        return None
    if sysconfig.get_config_var("Py_GIL_DISABLED"):
        return None
    try:
        if not (headers / "Python.h").is_file():
            return None
        library = _library(headers)
        loader = importlib.machinery.ExtensionFileLoader("fast_call", str(library))
        spec = importlib.util.spec_from_loader("fast_call", loader)
        module = importlib.util.module_from_spec(spec)
        loader.exec_module(module)
    except (OSError, ImportError, CourseError, subprocess.SubprocessError):
        return None
    return module


def _library(headers: Path) -> Path:
    """Return the shared library, which is built under a lock if it is not in the cache."""
    key = (SOURCE.read_text(), FLAGS, sysconfig.get_config_var("SOABI"), str(headers))
    name = f"fast_call-{hashlib.sha256(repr(key).encode()).hexdigest()[:16]}"
    for place in cache.readable():
        library = place / f"{name}.so"
        if library.is_file() and cache.is_trusted(library):
            return library
    folder = cache.folder()
    library = folder / f"{name}.so"
    with (
        lock(folder / f"{name}.lock", "to build the compiled dispatcher"),
        tempfile.TemporaryDirectory(dir=folder, prefix=f"{name}.building-") as work,
    ):
        if not library.is_file():
            built = Path(work) / library.name
            command = [compiler(), *FLAGS, f"-I{headers}", str(SOURCE), "-o", str(built)]
            subprocess.run(command, check=True, capture_output=True, timeout=60)
            built.chmod(cache.SHARED)
            os.replace(built, library)
    return library
