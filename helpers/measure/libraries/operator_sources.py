"""Write the .cu files of the operators: launchers of fast::transform and of CUB's transform."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import torch

from helpers import paths
from helpers.measure.libraries.operators import CONVERTING, Operator, all_operators
from helpers.measure.libraries.views import all_views
from helpers.run import cache

HEADERS = (paths.KERNELS / "fast.cuh", Path(__file__).with_name("operators.cuh"))
CUB_HEADERS = "#include <cub/device/device_transform.cuh>\n#include <cuda/std/tuple>\n"
C_TYPES = {
    torch.float32: "float",
    torch.float16: "half",
    torch.bfloat16: "__nv_bfloat16",
    torch.float8_e4m3fn: "uint8_t",
    torch.int8: "int8_t",
    torch.bool: "bool",
}
CHOICE = ("path", "packs", "tiles_per_sm", "programmatic", "streaming", "halved")
# Changes of the text of fast.cuh whose effect is measured: a branch around a thread's whole
# work, in the place of predicates; predicates however much a thread loads; numbers of packs in
# 32 bits; programmatic launches that let the next kernel start before their loads.
TRIED = {
    "branch": {
        " finish<N, P, T, kForm, kNext>(f,": " if (static_cast<uint32_t>(p) < job.packs) "
        "finish<N, P, T, kForm, kNext>(f,"
    },
    "predicates": {"size_t kPredicated = 16;": "size_t kPredicated = 1024;"},
    "32-bit index": {
        "const uint64_t first = first_pack<T * P>(": "const uint32_t first = first_pack<T * P>("
    },
    "next at once": {"kSliced ? kAtOnce : kBehindLoads": "kAtOnce"},
}
RULE_THREADS = 256
SIZES = {threads: f"kThreads {threads}" for threads in (128, RULE_THREADS, 512, 1024)}
_SIZE = "constexpr int kThreads = {};"
BLOCKS = {  # of the sweep: other sizes of blocks, which are constants in fast.cuh
    change: {_SIZE.format(RULE_THREADS): _SIZE.format(threads)}
    for threads, change in SIZES.items()
    if threads != RULE_THREADS
}
CHANGES = TRIED | BLOCKS
FAST = (
    "fast::transform({functor}{{}}, n, out, "
    f"{{{{stream, {', '.join(CHOICE)}}}}}, {{inputs}})"
)
CUB = (
    "cub::DeviceTransform::Transform("
    "cuda::std::make_tuple({inputs}), out, n, {functor}{{}}, stream)"
)


def launcher(operator: Operator, call: str = FAST, knobs: tuple[str, ...] = CHOICE) -> str:
    """Write one launcher. call: the expression, with places for functor and inputs."""
    kind, out = operator.kind, C_TYPES[operator.dtype]
    functor = f"operators::{kind.functor}" + (f"<{out}>" if operator.name in CONVERTING else "")
    parameters, inputs, sizes = [], [], ["n"]
    for place, (letter, dtype) in enumerate(zip("abc", operator.input_dtypes, strict=False)):
        ctype = C_TYPES[dtype]
        operand, length = letter, "n"
        if kind.inputs == "row" and place == 1:
            operand, length = f"elementwise::Row<{ctype}>({letter}, cols)", "cols"
        elif kind.strides and place == kind.arity - 1:
            strides = ", ".join(map(str, kind.strides))
            operand, length = f"fast::Rows<{ctype}>{{{letter}, {strides}}}", "elements"
        parameters.append(f"const {ctype}* {letter},  // [{length}]")
        inputs.append(operand)
        if length not in sizes:
            sizes.append(length)
    arguments = "".join(f"int {name} = 0, " for name in knobs)
    tensors = "\n    ".join([*parameters, f"{out}* out,  // [n]"])
    return (
        f'extern "C" cudaError_t {operator.launcher}(\n    {tensors}\n'
        f"    {', '.join(f'int64_t {size}' for size in sizes)}, "
        f"{arguments}cudaStream_t stream = 0) {{\n"
        f"    return {call.format(functor=functor, inputs=', '.join(inputs))};\n}}\n"
    )


def _write(name: str, text: str) -> Path:
    path = cache.folder() / "operators" / name.replace(" ", "_")
    path.parent.mkdir(exist_ok=True)
    if not path.is_file() or path.read_text(encoding="utf-8") != text:
        path.write_text(text, encoding="utf-8")
    return path


def _file(name: str) -> str:
    """Return where an operator's launchers stand: those of all views of one in one file.

    They share what the compiler makes of fast.cuh, which takes most of its time.
    """
    base, view, _ = name.partition(" ")
    return f"{base} views" if view else name


def _text(file: str, *form: object, headers: Sequence[Path] = HEADERS) -> str:
    includes = "".join(f'#include "{header.as_posix()}"\n' for header in headers)
    pairs = [one for one in (*all_operators(), *all_views()) if _file(one.name) == file]
    return "\n".join([includes, *(launcher(operator, *form) for operator in pairs)])


def changed(change: str) -> Path:
    """Write fast.cuh with one of CHANGES; return its path.

    Raises ValueError if fast.cuh does not have a text that is to be replaced.
    """
    text = HEADERS[0].read_text(encoding="utf-8")
    beside = (paths.KERNELS / "elementwise.cuh").as_posix()
    for old, new in {'"elementwise.cuh"': f'"{beside}"', **CHANGES[change]}.items():
        if old not in text:
            raise ValueError(f"fast.cuh has no {old!r}")
        text = text.replace(old, new)
    return _write(f"fast_{change}.cuh", text)


def fast(name: str, change: str = "") -> Path:
    """Write the .cu file with an operator's launchers, if it is not there; return its path."""
    file = _file(name)
    if not change:
        return _write(f"{file}.cu", _text(file))
    headers = (changed(change), *HEADERS[1:])
    return _write(f"{file}_{change}.cu", _text(file, headers=headers))


def cub(name: str) -> Path:
    """Write the .cu file with an operator's calls of cub::DeviceTransform; return its path."""
    return _write(f"cub_{name}.cu", CUB_HEADERS + _text(name, CUB, ()))
