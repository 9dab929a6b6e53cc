"""Give a classic PyTorch extension the launchers that `load` looks for.

Such a file includes <torch/extension.h> and hands C++ functions of torch::Tensor to Python:

    void add(torch::Tensor a, torch::Tensor b, torch::Tensor c) { ... }
    PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) { m.def("add", &add); }

or TORCH_LIBRARY(mine, m) { m.def("add(Tensor a, Tensor b, Tensor(c!) c) -> ()"); } and
TORCH_LIBRARY_IMPL(mine, CUDA, m) { m.impl("add", &add); }.

`adapt` writes a second file, which includes it and calls each function from an `extern "C"`
launcher on raw pointers. Both sides compile it against the stand-in for PyTorch's headers in
helpers/emulator/include/pytorch; on a GPU `nvcc` falls back to the real ones.

The text says what a launcher must declare. A tensor's dtype: `a.dtype() == torch::kFloat`,
`a.data_ptr<float>()` or `reinterpret_cast<float*>(a.data_ptr())`. The outputs: the tensors that
are not `const` where others are, else the last one, or the tensor that is returned.
"""

from __future__ import annotations

import re
import subprocess
from dataclasses import dataclass
from pathlib import Path

from helpers.emulator.brackets import closing, launcher_heads, split
from helpers.emulator.compile import compiler
from helpers.errors import LauncherError
from helpers.run import cache, faults
from helpers.sources import (
    blank_comments_and_strings,
    digest,
    read_sources,
    write_whole,
)

_TORCH = re.compile(r"^[ \t]*#[ \t]*include[ \t]*[<\"](?:torch|ATen|c10|pybind11)/", flags=re.M)
_SYSTEM_INCLUDE = re.compile(r"^[ \t]*#[ \t]*include[ \t]*<[^>]*>", flags=re.M)
_MODULE = re.compile(
    r"\b(?:PYBIND11_MODULE|TORCH_LIBRARY(?:_FRAGMENT|_IMPL)?)"
    r"\s*\(\s*\w+\s*(?:,\s*\w+\s*)?,\s*(\w+)\s*\)\s*\{"
)
_TENSOR = re.compile(r"(const )?(?:torch|at)::Tensor ?(?:const ?)?&? ?(\w+)")
# Loads of several elements at once need addresses that are multiples of 16.
_VECTOR = re.compile(
    r"\b(?:u?(?:char|short|int|long|longlong)|float|double|half|__half|__nv_bfloat16)[248]\b"
)
_ELEMENTS = {  # PyTorch's names of dtypes and C++'s of elements, as a launcher declares them
    **dict.fromkeys(("kFloat", "kFloat32", "float"), "float"),
    **dict.fromkeys(("kHalf", "kFloat16", "half", "__half", "Half"), "half"),
    **dict.fromkeys(("kBFloat16", "__nv_bfloat16", "BFloat16"), "__nv_bfloat16"),
    **dict.fromkeys(("kFloat8_e4m3fn", "__nv_fp8_e4m3"), "__nv_fp8_e4m3"),
    **dict.fromkeys(("kFloat8_e5m2", "__nv_fp8_e5m2"), "__nv_fp8_e5m2"),
    **dict.fromkeys(("kDouble", "kFloat64", "double"), "double"),
    **dict.fromkeys(("kInt", "kInt32", "int", "int32_t"), "int"),
    **dict.fromkeys(("kLong", "kInt64", "int64_t"), "int64_t"),
    **dict.fromkeys(("kByte", "kUInt8", "uint8_t"), "uint8_t"),
    **dict.fromkeys(("kChar", "kInt8", "int8_t"), "int8_t"),
    "scalar_t": "float",
}
INSTEAD = (
    'or declare a launcher on pointers instead: extern "C" void add(const float* a, '
    "const float* b, float* out, int64_t n, cudaStream_t stream)"
)
_HEAD = """\
// Launchers for the functions that {name} hands to Python.
#include "{path}"
// {digest}

namespace elementwise_classic {{
inline torch::Tensor view(const void* data, int64_t n, torch::ScalarType type) {{
#ifdef ELEMENTWISE_TORCH_STAND_IN
    return torch::Tensor(const_cast<void*>(data), {{n}}, type);
#else
    return torch::from_blob(const_cast<void*>(data), {{n}},
                            torch::TensorOptions().dtype(type).device(torch::kCUDA));
#endif
}}
inline void use(cudaStream_t stream) {{
#ifdef ELEMENTWISE_TORCH_STAND_IN
    c10::cuda::caller_stream() = stream;
#endif
}}
#ifdef EMULATOR_EXPORT  // there an exception becomes the launcher's fault
#define ELEMENTWISE_CATCH catch (const std::exception&) {{ throw; }}
#else  // ctypes cannot take one: its words are kept for `backends.Gpu`, and an error is left
#define ELEMENTWISE_CATCH \\
    catch (const std::exception& error) {{ \\
        snprintf({thrown}, sizeof {thrown}, "%s", error.what()); \\
        fprintf(stderr, "{says}: %s\\n", error.what()); \\
        cudaSetDevice(-1); \\
    }}
#endif
}}  // namespace elementwise_classic
char {thrown}[512];
"""


@dataclass(frozen=True)
class _Argument:
    """A parameter of a function that Python may call; element: a tensor's C++ type, or ""."""

    declared: str
    name: str
    element: str = ""
    is_const: bool = False


def uses_torch(sources: dict[Path, str]) -> bool:
    """Return whether one of these files includes PyTorch's headers."""
    return any(_TORCH.search(blank_comments_and_strings(text)) for text in sources.values())


def is_classic(text: str) -> bool:
    """Return whether a .cu file includes PyTorch's headers and declares no launcher."""
    code = blank_comments_and_strings(text)
    return bool(_TORCH.search(code)) and not any(launcher_heads(code))


def adapt(path: Path) -> Path:
    """Return the file that declares launchers: of a classic file its adapter, else `path`.

    Raises LauncherError if a classic file cannot be understood.
    """
    sources = read_sources(path)
    if not is_classic(sources[path]):
        return path
    text = _adapter(path, sources)
    folder = cache.folder() / "classic" / digest({path: text})[:16]
    folder.mkdir(parents=True, exist_ok=True)
    adapted = folder / path.name
    if not adapted.is_file():
        write_whole(adapted, text)
    return adapted


def _adapter(path: Path, sources: dict[Path, str]) -> str:
    code = _expanded(path, sources[path])
    aligned = " 16-byte aligned" if _VECTOR.search(code) else ""
    head = _HEAD.format(
        name=path.name,
        path=path,
        digest=digest(sources),
        thrown=faults.THROWN_WORDS,
        says=faults.THREW,
    )
    bound = _bound(code, path.name)
    return head + "".join(_launcher(code, *one, aligned, path.name) for one in bound)


def _expanded(path: Path, text: str) -> str:
    """Return the text after the preprocessor, without what it includes from elsewhere."""
    run = subprocess.run(
        [compiler(), "-E", "-P", "-x", "c++", "-std=c++17", f"-I{path.parent}", "-"],
        input=_SYSTEM_INCLUDE.sub("", text),
        capture_output=True,
        text=True,
        errors="replace",
        check=False,
    )
    return run.stdout if run.returncode == 0 else text


def _bound(code: str, file: str) -> list[tuple[str, str]]:
    """Return what a file binds: (name in Python, name of the C++ function)."""
    found: dict[str, str] = {}
    modules = list(_MODULE.finditer(code))
    for module in modules:
        body = code[module.end() : closing(code, module.end() - 1)]
        pattern = (
            rf"\b{module[1]}\s*\.\s*(?:def|impl)\s*\(\s*\"(\w+)(?:\(.*?)?\"\s*,"
            r"(?:\s*(?:\w+::)*kCUDA\s*,)?\s*(?:TORCH_FN\s*\(\s*)?&?\s*(\w+)\s*[,)]"
        )
        found.update(re.findall(pattern, body))
    if not modules:
        raise LauncherError(
            f"{file} includes PyTorch's headers and has no PYBIND11_MODULE: hand its functions "
            f'to Python there (m.def("add", &add);), {INSTEAD}'
        )
    if not found:
        raise LauncherError(
            f'{file}: PYBIND11_MODULE defines no function by its name: write m.def("add", '
            f"&add);, {INSTEAD}"
        )
    return list(found.items())


def _function(code: str, name: str, file: str) -> tuple[str, list[str], str]:
    """Return a C++ function's return type, its parameters as they are declared, its body."""
    for head in re.finditer(rf"(?P<type>[\w:]+)\s*[&]?\s+{name}\s*\(", code):
        end = closing(code, head.end() - 1)
        begin = re.compile(r"\s*\{").match(code, end + 1) if end > 0 else None
        if begin:
            body = code[begin.end() : closing(code, begin.end() - 1)]
            parameters = split(code[head.end() : end])
            plain = [" ".join(one.partition("=")[0].split()) for one in parameters]
            return head["type"], [one for one in plain if one], body
    raise LauncherError(f"{file}: the function {name}, which Python is given, is not in it")


def _element(name: str, body: str) -> str:
    """Return the element type of a tensor, as a function's body uses it; "" if it does not."""
    patterns = (
        rf"\b{name}\b[\s)]*\.\s*(?:options\s*\(\s*\)\s*\.\s*)?(?:dtype|scalar_type)\s*\(\s*\)"
        r"[\s)]*[!=]=[\s(]*(?:\w+::)*(k\w+)",
        rf"\b{name}\b[\s)]*\.\s*(?:(?:const_|mutable_)?data_ptr|packed_accessor(?:32|64)?)"
        r"\s*<\s*(?:const\s+)?([\w:]+)",
        r"(?:_cast\s*<|\()\s*(?:const\s+)?([\w:]+)(?:\s+const)?\s*\*\s*[>)][\s(]*"
        rf"{name}\b[\s)]*\.\s*(?:const_|mutable_)?data_ptr",
    )
    for pattern in patterns:
        for word in re.findall(pattern, body):
            plain = re.sub(r"^\w+::", "", re.sub(r"^\w+::", "", word))
            plain = plain if plain in _ELEMENTS else re.sub(r"[248]$", "", plain)
            if plain in _ELEMENTS:
                return _ELEMENTS[plain]
    return ""


def _arguments(code: str, name: str, file: str) -> tuple[str, list[_Argument]]:
    """Return a function's return type and its parameters, each tensor with its element."""
    returns, declared, body = _function(code, name, file)
    found = []
    for one in declared:
        if tensor := _TENSOR.fullmatch(one):
            element = _element(tensor[2], body)
            found.append(_Argument(one, tensor[2], element or "?", bool(tensor[1])))
        else:
            found.append(_Argument(one, one.split()[-1].lstrip("&*")))
    known = [x.element for x in found if x.element not in ("", "?")]
    if not known or returns not in ("void", "torch::Tensor", "at::Tensor"):
        raise LauncherError(
            f"{file}: cannot tell what {name} takes and gives: it must be void or return a "
            f"torch::Tensor, and say its tensors' dtype, as in a.data_ptr<float>(), {INSTEAD}"
        )
    same = [_Argument(x.declared, x.name, known[0], x.is_const) for x in found]
    return returns, [y if x.element == "?" else x for x, y in zip(found, same, strict=True)]


def _outputs(returns: str, tensors: list[_Argument]) -> list[str]:
    """Return the names of the tensors that a function writes."""
    if returns != "void":
        return []
    if any(x.is_const for x in tensors):
        return [x.name for x in tensors if not x.is_const]
    return [tensors[-1].name]


def _launcher(code: str, python: str, name: str, aligned: str, file: str) -> str:
    """Return the text of one launcher, which calls the C++ function `name`."""
    returns, arguments = _arguments(code, name, file)
    tensors = [x for x in arguments if x.element]
    outputs = _outputs(returns, tensors)
    taken = {x.name for x in arguments}
    size = next(word for word in ("n", "numel", "count") if word not in taken)
    lines, values, body = [], [], []
    for x in arguments:
        if x.element:
            const = "" if x.name in outputs else "const "
            lines.append(f"{const}{x.element}* {x.name},  // [{size}]{aligned}")
            view = f"elementwise_classic::view({x.name}, {size}, {_kind(x.element)})"
            body.append(f"torch::Tensor tensor_{x.name} = {view};")
            values.append(f"tensor_{x.name}")
        else:
            lines.append(f"{x.declared},")
            values.append(x.name)
    call = f"{name}({', '.join(values)});"
    if returns == "void":
        body.append(call)
    else:
        lines.append(f"{tensors[0].element}* result,  // [{size}]{aligned}")
        copied = f"{size} * sizeof *result, cudaMemcpyDeviceToDevice, stream"
        body.append(f"const torch::Tensor made = {call}")
        body.append(f"cudaMemcpyAsync(result, made.data_ptr(), {copied});")
    lines.append(f"int64_t {size}, cudaStream_t stream")
    parameters, inside = "\n    ".join(lines), "\n        ".join(body)
    return (
        f'\nextern "C" void {python}(\n    {parameters}) {{\n'
        f"    elementwise_classic::use(stream);\n    try {{\n        {inside}\n"
        "    }\n    ELEMENTWISE_CATCH\n}\n"
    )


def _kind(element: str) -> str:
    """Return PyTorch's name of the dtype of a C++ element type."""
    return "torch::" + next(k for k, v in _ELEMENTS.items() if v == element)
