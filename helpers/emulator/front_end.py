"""Judge a .cu file as nvcc would, before it is built: parse it with clang's CUDA front end.

g++ knows neither execution spaces nor launches, so the emulator alone would accept a kernel
without `__global__` or a launcher that calls device code. libclang (PyPI, 62 MB) parses CUDA as
it stands: once as host code, once as device code, as nvcc does. include/ serves it, too: there
`emulator_front_end.h` declares what CUDA adds to C++. libclang only parses; building stays with
g++, which also judges all that is ordinary C++.

nvcc itself is not asked where one is installed: it takes a second or more a file, clang with
precompiled headers some 50 ms. Without libclang nothing is judged here (`problem` says why).
"""

from __future__ import annotations

import errno
import functools
import itertools
import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from helpers.emulator import arity, conversions, hints, nvcc_rules
from helpers.emulator.host_addresses import host_addresses
from helpers.emulator.translate import with_few_of_cub
from helpers.errors import CompileError
from helpers.sources import blank_comments_and_strings

INCLUDE = Path(__file__).resolve().parent / "include"
PYTORCH = INCLUDE / "pytorch"  # a stand-in for PyTorch's C++ headers
HEADER = "cuda_runtime.h"  # nvcc, too, includes it before everything else
PASSES = ("host", "device")
PREPARED_BYTES = 100 << 20  # all that is written beside the precompiled headers, and they
SAVED_BYTES = 8 << 20  # one of them
# Headers of include/ that are precompiled, for files with these includes: half of the time goes
# into what a file includes. A name too many is no harm: g++, which judges as well, lacks it.
PRELUDES = {
    (): HEADER,
    ("cuda_fp16.h",): "emulator_front_end_half.h",
    ("cuda_bf16.h", "cuda_fp16.h"): "emulator_front_end_halves.h",
}
INCLUDED = re.compile(r"^[ \t]*#[ \t]*include[ \t]*<(cuda_(?:fp|bf)16\.h)>", flags=re.M)
FLAGS = (
    "-std=c++17",
    "-nocudainc",
    "-nocudalib",
    "-nogpulib",
    "--cuda-gpu-arch=sm_80",
    "-fdeclspec",
    "-fno-spell-checking",
    "-ferror-limit=0",
    "-nostdinc",
    "-Wno-everything",
    "-Wreturn-type",
    "-Wuninitialized",
    nvcc_rules.NARROWING,
    "-Wno-error=c++11-narrowing",  # of most braces nvcc warns only
    conversions.WARNING,  # for them alone
    "-Wno-sometimes-uninitialized",  # one lane sets it, and a shuffle hands it to the others
    "-D__CUDACC__",
    "-D__NVCC__",
    "-Dtypeof=__typeof__",
    "-U__clang__",
)
# What clang says of a pack or braces between <<< and >>>, which nvcc takes.
NO_LAUNCH = ("expected expression", "expected '>>>'")
# So it says of a const variable, too, which nvcc takes.
NO_OUTPUT = "invalid lvalue in asm output"
LVALUE = re.compile(r"[\w\s.\[\]*]*\)|[\w.]+\s*->")
# Of an array whose length is a variable; in host code nvcc and g++ take it.
NO_VALUES = "variable-sized object may not be initialized"
# The guide for std::array a{1, 2} is a host function for clang, and none for nvcc.
OF_ARRAY = "deduction of template arguments of 'array'"
# A deduction guide, a host function for clang and of both sides for nvcc; with room for a `$`.
GUIDE = re.compile(r"\b(?P<guide>(\w+)\s*\([^(){};]*\))\s+->\s(?P<type>\s*\2\s*<)")
# Of C++20; nvcc and g++ take it in C++17, too.
AUTO_PARAMETER = "'auto' not allowed in function prototype"
LARGE_HEADERS = re.compile(
    r"^[ \t]*#[ \t]*include[ \t]*[<\"]"
    r"(?:(?:torch|ATen|c10|pybind11|cub|thrust|cuda)/|cu(?:blas|rand|fft|sparse|solver|dnn)|helper_)",
    flags=re.M,
)
# Of cooperative groups: names, and the headers of which one must be included for them. The
# emulator has all in one.
GROUP_HEADERS = {
    ("reduce",): ("reduce",),
    ("inclusive_scan", "exclusive_scan"): ("scan",),
    ("plus", "less", "greater", "bit_and", "bit_xor", "bit_or"): ("reduce", "scan"),
    ("memcpy_async", "wait", "wait_prior"): ("memcpy_async",),
}
# Names that nvcc 13.0 knows only if a file includes their header, and headers that do not
# include it, although the emulator has them always.
_PLAIN_HEADERS = frozenset(
    """algorithm array cctype cfloat climits cmath cstddef cstdlib cstring cuComplex.h
    cuda_bf16.h cuda_fp16.h cuda_runtime.h cuda_runtime_api.h curand_kernel.h deque
    device_launch_parameters.h exception float.h functional initializer_list limits limits.h
    list map math.h math_constants.h mma.h new numeric optional queue set stack stddef.h
    stdlib.h string.h time.h tuple type_traits unistd.h unordered_map unordered_set utility
    variant vector
    builtin_types.h channel_descriptor.h common_functions.h cuda_device_runtime_api.h
    device_functions.h device_types.h driver_types.h host_config.h host_defines.h
    math_functions.h sm_20_intrinsics.h sm_30_intrinsics.h sm_32_intrinsics.h
    sm_35_intrinsics.h sm_61_intrinsics.h vector_functions.h vector_types.h""".split()
)
# They have less still.
_NEARLY_ALL = (_PLAIN_HEADERS - {"curand_kernel.h", "mma.h"}) | set(
    """assert.h atomic bitset cassert cerrno chrono cinttypes complex condition_variable cstdint
    cstdio ctime cuda.h cuda_fp8.h forward_list fstream future inttypes.h iomanip iosfwd
    iostream
    istream iterator memory mutex ostream random ratio regex shared_mutex sstream stdexcept
    stdint.h stdio.h string string_view system_error thread typeinfo valarray""".split()
)
_INTEGERS = [
    f"{sign}int{size}_t" for sign in ("", "u") for size in (8, 16, 32, 64, "ptr", "max")
]


@dataclass(frozen=True)
class _Header:
    """A header of which the emulator knows more than nvcc does without it."""

    name: str
    names: frozenset[str]  # nodes of clang's tree
    words: frozenset[str]  # macros, and types of which that tree shows the namespace only
    without: frozenset[str]  # headers that do not include it


HEADERS = (
    _Header(
        "cstdio",
        frozenset(
            """printf fprintf sprintf snprintf puts putchar stdout stderr perror fopen fclose
            fflush fputs fgets fread fwrite scanf sscanf getchar""".split()
        ),
        frozenset(),
        _PLAIN_HEADERS
        | set("assert.h atomic cassert chrono cstdint cuda.h cuda_fp8.h memory".split())
        | set("stdint.h thread".split()),
    ),
    _Header(
        "cstdint",
        frozenset(_INTEGERS) - {"int8_t", "int16_t", "int32_t", "int64_t"},
        frozenset(f"std::{name}" for name in _INTEGERS)
        | frozenset({*(f"{sign}INT{n}_MAX" for sign in ("", "U") for n in (8, 16, 32, 64))})
        | {"INT8_MIN", "INT16_MIN", "INT32_MIN", "INT64_MIN", "SIZE_MAX"},
        _PLAIN_HEADERS | set("assert.h cassert cstdio cuda_fp8.h stdio.h".split()),
    ),
    _Header(
        "cassert",
        frozenset(),
        frozenset({"assert"}),
        _PLAIN_HEADERS
        | set("atomic chrono cstdint cstdio cuda.h iostream memory".split())
        | set("random sstream stdexcept stdint.h stdio.h string thread".split()),
    ),
    _Header(
        "cstring",
        frozenset(),
        frozenset(
            f"std::{name}"
            for name in "memcpy memmove memset memcmp strlen strcmp strcpy strcat".split()
        ),
        _NEARLY_ALL - {"cuda_bf16.h", "cuda_fp16.h", "cuda_fp8.h", "cstring"},
    ),
    _Header(
        "unistd.h",
        frozenset(),
        frozenset({"usleep"}),
        _NEARLY_ALL - {"unistd.h"},
    ),
)
ERROR, WARNING = 3, 2  # clang's severities
MOST_ERRORS = 5
KEEP_GOING = 0x200  # CXTranslationUnit_KeepGoing: a missing header does not end the parse
# Warnings that a file can make errors; emulator_front_end.h says what clang calls them.
WARNINGS = {
    "integer_sign_change": "68",
    "code_is_unreachable": "111",
    "declared_but_not_referenced": "177",
    "unsigned_compare_with_zero": "186",
    "used_before_set": "549",
    "set_but_not_used": "550",
    "missing_return_statement_at_end_of_non_void_function": "940",
}
REFUSED_BY_THE_COURSE = ("549", "940")
# A barrier or a pipeline of libcu++ in shared memory: its constructor need not run.
SHARED_BARRIER = re.compile(r"__shared__[^;{}=]*\b(?:barrier|pipeline_shared_state)\s*<")
# Of a shared variable, from its name on; nvcc takes no value there, be it a barrier's count.
GIVEN_A_VALUE = re.compile(r"\w+\s*(?:\[[^\]]*\]\s*)*[({=]")
# Of these two clang says more than nvcc: see `_is_nvccs_warning`.
SIGN_CHANGE = ("-Wsign-conversion", "-Wsign-compare")
UNREACHABLE = "-Wunreachable-code"
_ASKS_FOR_UNREACHABLE = re.compile(r"\bnv_diag_error\b.*\b(?:111|code_is_unreachable)\b")
# For headers: CXTranslationUnit_Incomplete, and _SkipFunctionBodies, as the bodies of the
# emulator's functions need more of it than declarations.
HEADERS_ONLY = 0x02 | 0x40


@dataclass(frozen=True, order=True)
class Finding:
    """What the front end holds against a file: where, and in which words."""

    file: str
    line: int
    words: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.words}"


@functools.cache
def _clang():
    """Return libclang's Python module with the library loaded, or the reason why not, a str."""
    try:
        from clang import cindex

        cindex.Index.create()
    except ImportError:
        return "libclang is not installed"
    except Exception as error:  # the library does not load, or is of another version
        return f"libclang cannot be loaded: {error}"
    return cindex


def problem() -> str | None:
    """Return why no file can be judged, in one clause; None if they are."""
    clang = _clang()
    return clang if isinstance(clang, str) else None


@functools.cache
def version() -> str:
    """Return libclang's version, as it says it; "" without libclang."""
    clang = _clang()
    if isinstance(clang, str):
        return ""
    named = clang.conf.lib.clang_getClangVersion
    named.restype = clang._CXString
    return clang._CXString.from_result(named())


@functools.cache
def _system_folders(compiler: str) -> tuple[str, ...]:
    """Return the folders in which a C++ compiler finds <cmath> and the like."""
    run = subprocess.run(  # `compiler` has been found to run
        [compiler, "-E", "-x", "c++", "-v", os.devnull],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "LC_ALL": "C"},
    )
    listed = re.search(r"^#include <\.\.\.>.*?:\n(.*?)^End of", run.stderr, flags=re.M | re.S)
    return tuple(line.strip() for line in listed[1].splitlines()) if listed else ()


def _arguments(compiler: str, which: str) -> list[str]:
    folders = [word for folder in _system_folders(compiler) for word in ("-isystem", folder)]
    return [*FLAGS, f"--cuda-{which}-only", f"-I{INCLUDE}", f"-I{PYTORCH}", *folders]


def precompile(compiler: str, folder: Path) -> None:
    """Parse the headers once for each pass, into `folder`: judging then takes a tenth.

    Raises OSError where the disk is nearly full.
    """
    clang = _clang()
    if isinstance(clang, str):
        return
    _require_room(folder, PREPARED_BYTES)
    for which, header in itertools.product(PASSES, PRELUDES.values()):
        _save(clang, compiler, which, header, _precompiled(folder, which, header))


def _save(clang, compiler: str, which: str, header: str, output: Path) -> None:
    """Parse a header of include/ for a pass, and save it as `output` if it has no error."""
    arguments = ["-x", "cuda", *_arguments(compiler, which)]
    unit = clang.Index.create().parse(
        str(INCLUDE / header), args=arguments, options=HEADERS_ONLY
    )
    if not any(one.severity >= ERROR for one in unit.diagnostics):
        _require_room(output.parent, SAVED_BYTES)
        unit.save(str(output))


def _is_renewed(clang, compiler: str, which: str, header: str, ready: Path) -> bool:
    """Make a precompiled header anew; return False where that cannot be written.

    libclang refuses one whose files have other times than when it was made, even if their text,
    by which the cache knows them, is the same.
    """
    try:
        with tempfile.TemporaryDirectory(dir=ready.parent) as folder:
            _save(clang, compiler, which, header, Path(folder) / ready.name)
            os.replace(Path(folder) / ready.name, ready)
    except OSError:
        return False
    return True


def _require_room(folder: Path, size: int) -> None:
    """Raise OSError where a disk has less room: libclang would end the process."""
    if shutil.disk_usage(folder).free < size:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(folder))


def _precompiled(folder: Path, which: str, header: str) -> Path:
    return folder / f"{which}-{Path(header).stem}.pch"


def _prelude(texts: Iterable[str]) -> str:
    """Return the header of include/ that holds most of what these texts include."""
    included = tuple(sorted({name for text in texts for name in INCLUDED.findall(text)}))
    return PRELUDES.get(included, HEADER)


def _for_clang(sources: Mapping[Path, str]) -> list[tuple[str, str]]:
    """Return the texts with what clang does not parse and nvcc does in clang's words.

    clang takes `alignas` only before all other words of a declaration, `_Alignas` anywhere,
    which `emulator_front_end.h` names so that nothing moves; `$` there puts a deduction guide
    on both sides.
    """
    alignas = re.compile(r"(__(?:shared|device|constant)__\s+)alignas\b")
    warnings = re.compile(
        r"^[ \t]*#[ \t]*pragma[ \t]+nv_diag(?:nostic|_(\w+))\b(.*)$", flags=re.M
    )
    both = re.compile(r"\b__device__(?=\s+__shared__\b)|(?<=\b__shared__ )__device__\b")
    texts = {path: alignas.sub(r"\1_ALIGN_", text) for path, text in sources.items()}
    texts = {path: warnings.sub(_warning_for_clang, text) for path, text in texts.items()}
    texts = {path: GUIDE.sub(_guide_for_clang, text) for path, text in texts.items()}
    everything = "".join(texts.values())
    texts = {path: with_few_of_cub(text, everything) for path, text in texts.items()}
    return [(str(path), both.sub(" " * 10, text)) for path, text in texts.items()]


def _guide_for_clang(guide: re.Match) -> str:
    """Return a deduction guide with `$` before it: as many letters, and as many lines."""
    lines = "\n" * (guide[0].count("\n") - guide["guide"].count("\n"))
    return f"$ {guide['guide']}->{guide['type'].lstrip()}{lines}".ljust(len(guide[0]))


def _warning_for_clang(pragma: re.Match) -> str:
    """Return macros of emulator_front_end.h for nvcc's pragma on WARNINGS: as many letters."""
    words = re.findall(r"\w+", pragma[2].split("//")[0])
    if pragma[1]:
        numbers = [WARNINGS.get(word, word) for word in words]
        levels = {"error": "E", "suppress": "I", "warning": "I", "default": "I"}
        level = levels.get(pragma[1], "")
        if pragma[1] == "default":  # the course's own are errors
            numbers = [one for one in numbers if one not in REFUSED_BY_THE_COURSE]
        known = WARNINGS.values() if level else ()
        words = [f"FE_{level}{one}" for one in numbers if one in known]
    else:  # nv_diagnostic push, nv_diagnostic pop
        words = [f"FE_{word.upper()}" for word in words]
    return " ".join(words).ljust(len(pragma[0]))


def _parse(
    clang, source: Path, sources, which: str, compiler: str, headers: Path | None, *flags: str
):
    """Parse a file as host or as device code; None if libclang fails.

    Without precompiled headers only errors are found: as text they have some of their own.

    flags: more of them, which the precompiled headers were not made with.
    """
    header = _prelude(sources.values())
    ready = _precompiled(headers, which, header) if headers and not flags else None
    if not ready or not ready.is_file():
        return _parse_with(clang, source, sources, which, compiler, *flags, "-include", HEADER)
    prepared = ("-include-pch", str(ready))
    unit = _parse_with(clang, source, sources, which, compiler, *prepared)
    if unit is None and _is_renewed(clang, compiler, which, header, ready):
        unit = _parse_with(clang, source, sources, which, compiler, *prepared)
    return unit or _parse(clang, source, sources, which, compiler, None)


def _warnings(sources: Mapping[Path, str]) -> list[str]:
    """Return flags for warnings that clang must look for before a pragma asks for them."""
    asks = any(map(_ASKS_FOR_UNREACHABLE.search, sources.values()))
    return [f"{UNREACHABLE}-aggressive"] if asks else []


def _parse_with(clang, source: Path, sources, which: str, compiler: str, *flags: str):
    """Parse a file with these flags, too; None if libclang fails."""
    try:
        return clang.Index.create().parse(
            str(source),
            args=["-x", "cuda", *_arguments(compiler, which), *flags, *_warnings(sources)],
            unsaved_files=_for_clang(sources),
            options=KEEP_GOING,
        )
    except clang.TranslationUnitLoadError:
        return None


@functools.cache
def _has_spaces(header: str) -> bool:
    """Return whether a header of include/ says for its functions where they can be called."""
    return (
        re.search(r"__device__|__host__", Path(header).read_text(encoding="utf-8")) is not None
    )


def _is_ours(path: Path) -> bool:
    return path.parent == INCLUDE


def _blames_our_header(diagnostic) -> bool:
    """Return whether an error rests on a header of include/ that gives no execution spaces."""
    places = [note.location.file for note in diagnostic.children]
    headers = [Path(place.name) for place in places if place]
    return any(_is_ours(path) and not _has_spaces(str(path)) for path in headers)


HOST_FUNCTION = re.compile(r"call to __host__ function from __(?:device|global)__ function$")


def _of_a_call(one, own) -> Finding | None:
    """Return what is wrong with a call of CUB that an error in its headers comes of.

    Only of functions that it should call on the GPU, and that are the host's.
    """
    if Path(one.location.file.name).parent != INCLUDE / "cub" / "device":
        return None
    notes = [note for note in one.children if note.location.file]
    what = next(filter(None, (HOST_FUNCTION.search(note.spelling) for note in notes)), None)
    for note in notes:
        if what and note.spelling.endswith("here") and note.location.file.name in own:
            return Finding(own[note.location.file.name][0], note.location.line, what[0])
    return None


ADDRESS = re.compile(r"reference to __device__ function '\w+' in __host__ function$")


def _findings(unit, sources: Mapping[Path, str], severity: int) -> Iterator[Finding]:
    """Yield what clang says of the learner's own files, at least this severe.

    Nothing where a header is missing: what else is wrong may come of that, which g++ says.
    """
    if any(one.spelling.endswith(" file not found") for one in unit.diagnostics):
        return
    own = {str(path): (path.name, text.splitlines()) for path, text in sources.items()}

    @functools.cache
    def addresses(path: str) -> set[int]:
        """Return where host code has the address of a device function, in bytes."""
        code = blank_comments_and_strings(sources[Path(path)])
        inside = (range(*one) for one in host_addresses(code))
        return {len(code[:at].encode()) for one in inside for at in one}

    extern = set()  # arrays whose `extern` nvcc ignores; for clang they then are host variables
    for one in unit.diagnostics:
        file, line = one.location.file, one.location.line
        if one.severity < severity or not file:
            continue
        if file.name not in own:
            if finding := _of_a_call(one, own):
                yield finding
            continue
        name, lines = own[file.name]
        if one.option == conversions.WARNING or not _is_nvccs_warning(one, lines):
            continue
        if one.option == nvcc_rules.NARROWING and not nvcc_rules.is_narrowed(unit, one):
            continue
        words = hints.plain_words(
            one.spelling,
            [note.spelling for note in one.children],
            of_library=all(_is_of_system(note) for note in one.children),
        )
        words = _with_opening_brace(words, one)
        if match := re.match(r"__shared__ variable '(\w+)' cannot be 'extern'", words):
            extern.add(match[1])
        ignored = (
            hints.is_fine_for_nvcc(words)
            or _blames_our_header(one)
            or _is_member_initialiser(unit, one, lines)
            or _is_of_a_parameter(unit, one)
            or any(
                words == f"reference to __host__ variable '{x}' in __global__ function"
                for x in extern
            )
            or (ADDRESS.match(words) and one.location.offset in addresses(file.name))
            or (
                not words.startswith("a lambda in")
                and _is_unevaluated(lines[line - 1], one.location.column)
            )
            or (
                "unavailable: a __device__" in words and nvcc_rules.is_in_device_code(unit, one)
            )
            or (
                hints.is_about_constructor(words)
                and _lets_shared_begin(sources)
                and not GIVEN_A_VALUE.match(lines[line - 1], one.location.column - 1)
            )
            or (one.spelling.endswith(OF_ARRAY) and hints.is_about_cuda(words))
            or (words == NO_OUTPUT and LVALUE.match(lines[line - 1], one.location.column - 1))
            or (words in NO_LAUNCH and re.search(r"<<<.*(?:\{|\.\.\.)", lines[line - 1]))
            or (words == NO_VALUES and not nvcc_rules.is_in_device_code(unit, one))
        )
        if not ignored:
            yield Finding(name, line, arity.signatures(_clang(), unit, one, lines) or words)


def _is_nvccs_warning(diagnostic, lines: list[str]) -> bool:
    """Return whether nvcc warns of this, too, if it is one of SIGN_CHANGE or UNREACHABLE.

    nvcc tells a change of sign of a constant only, and goes on behind __trap() and the like.
    """
    option, where = diagnostic.option, diagnostic.location
    if option in SIGN_CHANGE:
        return any(
            re.match(r"-\s*(?:\d|\(?\s*\d)", lines[one.start.line - 1][one.start.column - 1 :])
            for one in diagnostic.ranges
        )
    if option.startswith(UNREACHABLE):
        before = "\n".join(
            [*lines[: where.line - 1], lines[where.line - 1][: where.column - 1]]
        )
        is_let_pass = (
            "increment" in option
            or any(diagnostic.children)  # a constant condition
            or re.search(
                r"\b(?:__trap|abort|exit|__builtin_unreachable)\s*\([^;{}]*;\s*$", before
            )
            or re.search(r"[;{}]\s*(?:const\s+)?\w[\w:<>]*[\s*&]+\w+\s*=[^=;]*$", before)
        )
        return diagnostic.severity >= ERROR and not is_let_pass
    return True


def _lets_shared_begin(sources: Mapping[Path, str]) -> bool:
    """Return whether nvcc's warning of shared variables with a constructor is switched off.

    By the file's own pragma, or by the course's builds on a GPU, for libcu++'s barriers.
    """
    if any(map(SHARED_BARRIER.search, sources.values())):
        return True
    names = r"(?:static_var_with_dynamic_init|20054)\b"
    pragma = re.compile(rf"^[ \t]*#[ \t]*pragma[ \t]+nv_diag_suppress\b.*\b{names}", flags=re.M)
    return any(map(pragma.search, sources.values()))


def _is_of_system(note) -> bool:
    """Return whether a note of clang's points into a header of the C++ library."""
    place = note.location.file
    return place is not None and not _is_ours(Path(place.name)) and "/c++/" in place.name


def _with_opening_brace(words: str, diagnostic) -> str:
    """Return clang's words, with the line of the { that a missing } belongs to."""
    if words != "expected '}'":
        return words
    notes = [note for note in diagnostic.children if "to match this '{'" in note.spelling]
    return f"expected '}}' for the '{{' of line {notes[0].location.line}" if notes else words


def _is_unevaluated(line: str, column: int) -> bool:
    """Return whether a place stands in decltype(...) or the like, which calls nothing."""
    return re.search(r"\b(?:decltype|sizeof|noexcept)\s*\(", line[: column - 1]) is not None


def _is_of_a_parameter(unit, diagnostic) -> bool:
    """Return whether a parameter is given a space, which nvcc ignores (its warning 1835)."""
    if not diagnostic.spelling.startswith("__constant__, __device__, and __managed__ are not"):
        return False
    return _clang().Cursor.from_location(unit, diagnostic.location).kind.name == "PARM_DECL"


def _is_member_initialiser(unit, diagnostic, lines: list[str]) -> bool:
    """Return whether a shared variable is initialised only by its members' default values.

    nvcc lets that pass; a value it refuses, and a constructor it warns of.
    """
    if not diagnostic.spelling.startswith("initialization is not supported for __shared__"):
        return False
    clang, where = _clang(), diagnostic.location
    declared = lines[where.line - 1][where.column - 1 :].partition(";")[0]
    if re.search(r"[={(]", declared):
        return False
    kind = clang.Cursor.from_location(unit, where).type
    while kind.kind is clang.TypeKind.CONSTANTARRAY:
        kind = kind.element_type
    made = kind.get_canonical().get_declaration()
    template = clang.conf.lib.clang_getSpecializedCursorTemplate(made)
    kinds = [child.kind for child in (template or made).get_children()]
    return clang.CursorKind.CONSTRUCTOR not in kinds


def _once_a_line(found: Iterable[Finding]) -> list[Finding]:
    """Return the most telling finding of each line, sorted: both passes find the most."""
    lines: dict[tuple[str, int], list[Finding]] = {}
    for one in found:
        lines.setdefault((one.file, one.line), []).append(one)
    return sorted(map(_most_telling, lines.values()))


def _most_telling(of_a_line: list[Finding]) -> Finding:
    """Return an error of syntax, unless an unknown name led to it; else the best by hint."""
    syntax = [one for one in of_a_line if hints.is_about_syntax(one.words)]
    if syntax and not any(hints.is_unknown_name(one.words) for one in of_a_line):
        return syntax[0]
    others = [one for one in of_a_line if one not in syntax] or syntax
    return min(others, key=lambda one: hints.rank(one.words))


def _missing_group_headers(sources: Mapping[Path, str]) -> Iterator[Finding]:
    """Yield uses of cg::reduce and the like for which no file includes their header."""
    included = set(re.findall(r"<cooperative_groups/(\w+)\.h>", "\n".join(sources.values())))
    missing = {
        name: headers[0]
        for names, headers in GROUP_HEADERS.items()
        for name in names
        if not included & set(headers)
    }
    texts = {path: text for path, text in sources.items() if "cooperative_groups" in text}
    for path, text in texts.items() if missing else ():
        code = blank_comments_and_strings(text)
        aliases = re.findall(r"\bnamespace\s+(\w+)\s*=\s*(?:::)?cooperative_groups\s*;", code)
        space = "|".join([*aliases, "cooperative_groups"])
        for match in re.finditer(rf"\b(?:{space})::({'|'.join(missing)})\b", code):
            line = code.count("\n", 0, match.start()) + 1
            words = f"{match[0]} without #include <cooperative_groups/{missing[match[1]]}.h>"
            yield Finding(path.name, line, words)


def _hidden_from_host(units: list, sources: Mapping[Path, str]) -> list[Finding]:
    """Return uses of names that host code, without __CUDA_ARCH__, does not know.

    nvcc reads all code, kernels as well, once more as host code.
    """
    if not any("__CUDA_ARCH__" in text for text in sources.values()):
        return []
    host, device = (list(_findings(unit, sources, ERROR)) for unit in units)
    known = {(one.file, one.line) for one in device}
    return _once_a_line(
        Finding(one.file, one.line, f"{one.words}, when nvcc reads the file as host code")
        for one in host
        if hints.is_unknown_name(one.words) and (one.file, one.line) not in known
    )


_UNROLL = re.compile(r"^[ \t]*#[ \t]*pragma[ \t]+unroll\b[ \t(]*([A-Za-z_]\w*)[ \t)]*$", re.M)


def _macros_for_unroll(sources: Mapping[Path, str]) -> Iterator[Finding]:
    """Yield loops' `#pragma unroll N` where N is a macro, which nvcc does not replace there."""
    codes = {path: blank_comments_and_strings(text) for path, text in sources.items()}
    everything = "\n".join(codes.values())
    for path, code in codes.items():
        for match in _UNROLL.finditer(code):
            name = match[1]
            macro = re.search(rf"^[ \t]*#[ \t]*define[ \t]+{name}\b", everything, flags=re.M)
            uses = len(re.findall(rf"\b{name}\b", everything))
            if macro or uses == len(re.findall(rf"unroll[ \t(]+{name}\b", everything)):
                line = code.count("\n", 0, match.start()) + 1
                words = f"identifier '{name}' is undefined: #pragma unroll knows no macros"
                yield Finding(path.name, line, words)


def _lacking(sources: Mapping[Path, str]) -> Iterator[_Header]:
    """Yield those of HEADERS that no file includes."""
    text, own = "\n".join(sources.values()), {path.name for path in sources}
    named = re.findall(r"^[ \t]*#[ \t]*include\b[ \t]*(.*?)[ \t]*$", text, flags=re.M)
    included = {name.strip('<>"') for name in named if Path(name.strip('"')).name not in own}
    return (header for header in HEADERS if included <= header.without)


def _missing_headers(unit, sources: Mapping[Path, str]) -> Iterator[Finding]:
    """Yield uses of names of the C library whose header no file includes.

    unit: a parse without errors.
    """
    own = {str(path): path.name for path in sources}
    text = "\n".join(blank_comments_and_strings(text) for text in sources.values())
    for header in _lacking(sources):
        names = frozenset(one for one in header.names if not _is_declared(one, text))
        if any(name in text for name in names):
            for where, name in nvcc_rules.uses(unit, set(own), names):
                words = f"{name} without #include <{header.name}>"
                yield Finding(own[where.file.name], where.line, words)


def _is_declared(name: str, text: str) -> bool:
    """Return whether a text without comments declares a name itself."""
    return bool(
        re.search(rf"\b(?:int\s+{name}\s*\(|typedef\b[^;]*\b{name}\s*;|using\s+{name}\b)", text)
    )


def _words_without(header: _Header, sources: Mapping[Path, str]) -> Iterator[Finding]:
    """Yield uses of a header's words in the text, if no line of the files depends on an #if."""
    if not header.words or any(
        re.search(r"^[ \t]*#[ \t]*(?:if|define[ \t]+(?:assert|\w+_MAX)\b)", text, flags=re.M)
        for text in sources.values()
    ):
        return
    for path, text in sources.items():
        code = blank_comments_and_strings(text)
        for match in re.finditer(rf"(?<![\w.:>])(?:{'|'.join(sorted(header.words))})\b", code):
            line = code.count("\n", 0, match.start()) + 1
            yield Finding(path.name, line, f"{match[0]} without #include <{header.name}>")


def _trusted(errors: list[Finding], sources: Mapping[Path, str]) -> list[Finding]:
    """Return the errors that are CUDA's; all of them, if clang knew every name.

    A name that clang does not know may be one that the emulator has: then g++ judges, and
    clang's other complaints may follow from it. Of the C++ library nvcc, too, knows what a file
    includes; NVIDIA's and PyTorch's large headers include more of it than those of include/.
    """
    complete = not any(map(LARGE_HEADERS.search, sources.values()))

    def is_sure(error: Finding, otherwise: bool) -> bool:
        return (complete and hints.is_missing_include(error.words)) or otherwise

    known = [e for e in errors if is_sure(e, not hints.is_unknown_name(e.words))]
    if len(known) == len(errors):
        return known
    return [e for e in known if is_sure(e, hints.is_about_cuda(e.words))]


def _without_followers(errors: list[Finding]) -> list[Finding]:
    """Return the errors up to the first of syntax: after it clang may take all for another.

    Of a missing } clang knows at the file's end only.
    """
    for place, one in enumerate(errors):
        if hints.is_about_syntax(one.words):
            braces = [
                last for last in errors[place + 1 :] if "for the '{' of line" in last.words
            ]
            return errors[: place + 1] + braces[:1]
    return errors


def find(
    source: Path, sources: Mapping[Path, str], compiler: str, headers: Path | None = None
) -> list[Finding]:
    """Return what nvcc, or the course, would refuse in a file. Arguments as `examine`."""
    return examine(source, sources, compiler, headers)[0]


def examine(
    source: Path, sources: Mapping[Path, str], compiler: str, headers: Path | None = None
) -> tuple[list[Finding], object]:
    """Return what nvcc, or the course, would refuse in a file, and the tree of its device code.

    Without libclang nothing is refused, and the tree is None. So it is where libclang fails.

    sources: the texts of the file and of what it includes. compiler: the C++ compiler, for its
    headers. headers: the folder that `precompile` has filled.
    """
    clang = _clang()
    if isinstance(clang, str):
        return [], None
    units = [_parse(clang, source, sources, which, compiler, headers) for which in PASSES]
    if any(
        AUTO_PARAMETER in one.spelling for unit in units if unit for one in unit.diagnostics
    ):
        units = [
            _parse(clang, source, sources, which, compiler, headers, "-std=c++20")
            for which in PASSES
        ]
    device = units[-1]
    if all(units) and (hidden := _hidden_from_host(units, sources)):
        return hidden, None
    units = [unit for unit in units if unit]
    errors = _once_a_line(one for unit in units for one in _findings(unit, sources, ERROR))
    words = [one for header in _lacking(sources) for one in _words_without(header, sources)]
    words += _macros_for_unroll(sources)
    if errors:
        return _without_followers(_once_a_line(_trusted(errors, sources) + words)), None
    found = _once_a_line(one for unit in units for one in _findings(unit, sources, WARNING))
    found += words
    found += _missing_group_headers(sources)
    own = {str(path): path.name for path in sources}
    if units:
        found += _missing_headers(units[-1], sources)
    for unit in units[-1:]:
        for where, words in nvcc_rules.broken(unit, set(own)):
            found.append(Finding(own[where.file.name], where.line, words))
    return _once_a_line(found), device


def device_tree(
    source: Path, sources: Mapping[Path, str], compiler: str, headers: Path | None = None
) -> object:
    """Return the tree of a file's device code, or None if libclang fails; see `examine`."""
    return _parse(_clang(), source, sources, "device", compiler, headers)


def judge(
    source: Path, sources: Mapping[Path, str], compiler: str, headers: Path | None = None
) -> object:
    """Raise CompileError if nvcc, or the course, would refuse a file; else return its tree.

    Arguments and tree as `examine`.
    """
    found, device = examine(source, sources, compiler, headers)
    if found:
        words = hints.message(source.name, [str(one) for one in found[:MOST_ERRORS]])
        raise CompileError(words, log="\n".join(map(str, found)))
    return device
