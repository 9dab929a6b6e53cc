"""Compile a .cu file for the CPU: translate it, then run g++, without a shell."""

from __future__ import annotations

import functools
import hashlib
import os
import platform
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from itertools import chain
from pathlib import Path

from helpers import settings, sources
from helpers.emulator import (
    abreast,
    constant_writes,
    conversions,
    front_end,
    groups,
    hints,
    inlined,
    precompiled,
    resumed,
    syntax_tree,
)
from helpers.emulator.translate import (
    alone,
    ends_threads,
    join_launches,
    plain_brackets,
    shared_macros,
    translate,
    with_few_of_cub,
)
from helpers.errors import BuildError, CompileError

HERE = Path(__file__).resolve().parent
INCLUDE = HERE / "include"
PYTORCH = front_end.PYTORCH
FLAGS = (
    "-std=c++17",
    "-fsigned-char",  # as on x86-64; AArch64 under Linux has unsigned ones
    "-O2",
    "-ftree-vectorize",
    "-fpeel-loops",
    "-fPIC",
    "-fno-semantic-interposition",  # else a device function without `inline` would be called
    "-pthread",
    "-fno-strict-aliasing",
    "-fwrapv",
    "-ffp-contract=off",
    "-fno-math-errno",
    "-fstack-protector-strong",
    "-fstack-clash-protection",
    "-U_FORTIFY_SOURCE",
    "-fvisibility-inlines-hidden",
    "-fsanitize=alignment,return,bounds,shift-exponent",
    "-D_GLIBCXX_ASSERTIONS",
    "-Dtypeof=__typeof__",  # a word of GNU C++, which nvcc takes beside -std=c++17
    "-fno-sanitize-recover=alignment,return,shift-exponent",
    "-g0",
    "-Wno-unknown-pragmas",
    "-Wno-attributes",
    "-fdiagnostics-color=never",
    "-ftemplate-backtrace-limit=1",
)
GXX_FLAGS = (
    "-fno-gnu-unique",
    "-fno-diagnostics-show-caret",
    "-fsanitize=bounds-strict",  # of a struct's last member, too
)
# A pack of 32 bytes is copied whole. In two halves, a load of the whole waits for both stores:
# an addition of packs takes five times as long.
WHOLE_PACKS = ("-mmove-max=256", "-mstore-max=256")
# Of the second form of kernels (abreast.py). Its functions are nobody else's: the linker must
# not take one for that of the same name which has the checks.
ABREAST_FLAGS = (
    "-fvect-cost-model=dynamic",
    "-fno-trapping-math",  # else a branch with arithmetic stays one; no result depends on it
    "-fno-sanitize=alignment,bounds,bounds-strict",
    "-fno-weak",
    "-DEMULATOR_ABREAST",
    precompiled.APART,
)
CLANG_FLAGS = (
    "-fno-caret-diagnostics",
    "-fno-sanitize=local-bounds",  # of clang's -fsanitize=bounds: it says nothing and traps
    "-Wno-unused-command-line-argument",
)
# Functions that end the process or allocate: emulator_launcher.h and emulator_heap.h have
# what is called instead.
WRAPPED = (
    *("exit", "_exit", "_Exit", "quick_exit", "abort", "malloc", "calloc", "realloc", "free"),
    "_ZSt21__glibcxx_assert_failPKciS0_S0_",  # of the C++ library: an index past a vector's end
    *("_Znam", "_ZdaPv", "_ZdaPvm", "_Znwm", "_ZdlPv", "_ZdlPvm"),  # new, delete
)
LINK_FLAGS = ("-shared", "-pthread")
ELF_LINK_FLAGS = (  # the linker of macOS knows none of them
    "-Wl,-Bsymbolic",
    "-Wl,-z,relro,-z,now",
    *(f"-Wl,--wrap={name}" for name in WRAPPED),
)


def compiler() -> str:
    """Return the path of the C++ compiler: the first word of $CXX, else g++ from the PATH.

    Raises BuildError if there is none.
    """
    name = settings.cxx()[0]
    found = shutil.which(name)
    if not found:
        raise BuildError(
            f"no C++ compiler: {name!r} is not there, and without a GPU it compiles the "
            "kernels. Install g++ 9 or newer (Debian, Ubuntu: `sudo apt install g++`; "
            "conda: `conda install -c conda-forge gxx`), or name one in $CXX"
        )
    return found


@functools.cache
def _processor_flags() -> tuple[str, ...]:
    """Return the flags that make float16 and fused multiply-adds fast on this processor.

    AArch64 has no trap for an integer division by zero, so the compiler tests for it there.
    """
    if platform.machine() in ("aarch64", "arm64"):
        check = "integer-divide-by-zero"
        return (f"-fsanitize={check}", f"-fno-sanitize-recover={check}")
    try:
        flags = re.search(r"^flags\s*:(.*)$", Path("/proc/cpuinfo").read_text(), flags=re.M)
    except OSError:
        return ()
    words = set(flags[1].split()) if flags else set()  # "flags": x86-64's name for them
    return ("-mavx2", "-mfma", "-mf16c") if {"avx2", "fma", "f16c"} <= words else ()


def _gcc_version() -> int:
    """Return the major version of g++; 0 for another compiler."""
    found = re.search(r"\) (\d+)\.", _version(compiler()))
    return int(found[1]) if found and not _is_clang() else 0


@functools.cache
def _version(path: str) -> str:
    try:
        run = subprocess.run([path, "--version"], capture_output=True, text=True, check=False)
    except OSError as error:
        raise BuildError(
            f"the compiler {Path(path).name} cannot be run: {error.strerror}"
        ) from None
    return run.stdout.partition("\n")[0]


@functools.cache
def _sources_hash() -> str:
    digest = hashlib.sha256()
    own = sorted(HERE.glob("*.py"))
    code = [*own, Path(sources.__file__)]
    for file in [*code, *sorted(filter(Path.is_file, INCLUDE.rglob("*")))]:
        digest.update(file.name.encode() + b"\0" + file.read_bytes() + b"\0")
    return digest.hexdigest()


def _is_clang() -> bool:
    return "clang" in _version(compiler())


def _all_flags() -> tuple[str, ...]:
    """Return what stands on the compiler's command line: the course's flags, then $CXX's."""
    own, processor = CLANG_FLAGS if _is_clang() else GXX_FLAGS, _processor_flags()
    packs = WHOLE_PACKS if "-mavx2" in processor and _gcc_version() >= 12 else ()
    return (*FLAGS, *own, *processor, *packs, *settings.cxx()[1:])


def _all_link_flags() -> tuple[str, ...]:
    elf = () if sys.platform == "darwin" else ELF_LINK_FLAGS
    return (*LINK_FLAGS, *elf, *settings.cxx()[1:])


def fingerprint() -> str:
    """Return a hash of what every build depends on: headers, translation, flags, compiler.

    Raises BuildError if there is no compiler.
    """
    path = compiler()
    judge = front_end.problem() or front_end.version()
    # The folder, too: clang's precompiled headers hold the paths of what they include.
    parts = (
        str(INCLUDE),
        _sources_hash(),
        _version(path),
        path,
        _all_flags(),
        _all_link_flags(),
        judge,
    )
    return hashlib.sha256(repr(parts).encode()).hexdigest()[:16]


def _translate_tree(
    source: Path,
    files: dict[Path, str],
    folder: Path,
    together: bool,
    second: frozenset[str] | None = None,
) -> Path:
    """Translate a file and its local headers into `folder`; return the main file's path.

    second: the kernels to write in their second form.
    """
    names = {path: f"{number}_{path.stem}.cpp" for number, path in enumerate(files)}
    by_itself = together and all(map(alone, files.values()))
    macros = shared_macros(files.values())
    everything = "".join(files.values())
    for path, text in files.items():

        def renamed(included: str, path: Path = path) -> str:
            return names.get(sources.resolve_include(path, included), included)

        code = translate(
            with_few_of_cub(text, everything),
            path.name,
            renamed,
            together=together,
            by_itself=by_itself,
            macros=macros,
            second=second,
        )
        (folder / names[path]).write_text(code, encoding="utf-8")
    return folder / names[source]


def _errors(log: str, name: str) -> str:
    """Return the compiler's first five errors, with the learner's file and line.

    Of a line with several, the one that a hint knows: often the others follow from it. What is
    wrong in a header's template counts for the learner's line that has asked for it.
    """
    best: dict[str, str] = {}
    asked = ""
    for line in log.splitlines():
        if re.match(r"\S.*: In (?:instantiation|substitution|function|member|lambda)", line):
            asked = ""
        elif required := re.match(r"(?P<place>[^/\s].*?:\d+):\d+: +required from", line):
            asked = required["place"]
        match = re.match(
            r"(?P<file>.*?):(?P<line>\d+):(?:\d+:)? (?:fatal )?error: (?P<what>.*)", line
        )
        if match:
            what = re.sub(r"; did you mean 'emulator::[^']*'\?", "", match["what"])
            what = hints.plain_words(what.replace("emulator::", ""))
            place = f"{Path(match['file']).name}:{match['line']}"
            place = asked if asked and Path(match["file"]).is_absolute() else place
            if place not in best or hints.rank(what) < hints.rank(best[place]):
                best[place] = what
    found = [f"{place}: {what}" for place, what in best.items()]
    if not found:
        found = [line for line in log.splitlines() if line.strip()][-5:]
    return hints.message(name, found[:5])


def _run(command: list[str], name: str, folder: Path) -> None:
    try:
        run = subprocess.run(
            command,
            capture_output=True,
            text=True,
            errors="replace",
            check=False,
            env={**os.environ, "LC_ALL": "C"},
        )
    except OSError as error:
        raise BuildError(f"the compiler cannot be run: {error.strerror}") from None
    if run.returncode:
        log = run.stderr.replace(f"{folder}/", "")
        raise CompileError(_errors(log, name), log)


def _link(objects: Iterable[Path | str], name: str, folder: Path) -> None:
    """Link objects into the folder's kernel.so.

    The linker gold, where it is there and can, takes a third of the time of the usual one.
    """
    options = [*_all_link_flags(), *map(str, objects), "-o", str(folder / "kernel.so")]
    if shutil.which("ld.gold"):
        quick = [compiler(), "-fuse-ld=gold", *options]
        if not subprocess.run(quick, capture_output=True, check=False).returncode:
            return
    _run([compiler(), *options], name, folder)


def _command() -> list[str]:
    return [compiler(), *_all_flags(), f"-I{INCLUDE}", f"-I{PYTORCH}"]


def _second_forms(
    source: Path, files: dict[Path, str], folder: Path, headers: Path | None
) -> list[str]:
    """Compile the kernels' second forms (`abreast`), if there are any; return the object file.

    What does not compile so has none: the kernels run as they are written.
    """
    copier = shutil.which("objcopy")
    if _is_clang() or not copier or not all(map(alone, files.values())):
        return []
    second = abreast.names(files.values())
    if not second:
        return []
    folder.mkdir()
    main = _translate_tree(source, files, folder, True, second)
    shared = headers and headers / precompiled.SECOND
    first = str(shared) if shared and shared.is_file() else precompiled.HEADER
    made = folder / "second.o"
    command = [
        *_command(),
        *ABREAST_FLAGS,
        f"-I{source.parent}",
        *precompiled.included(first, files.values()),
    ]
    if abreast.has_single_steps(files.values()):  # half's conversions are for one at a time
        command.append("-DEMULATOR_PACKS")
    own = [copier, "--keep-global-symbol=none", str(made)]  # the first form has the same names
    for step in ([*command, "-w", "-c", "-o", str(made), str(main)], own):
        if subprocess.run(step, capture_output=True, check=False).returncode:
            return []
    return [str(made)]


def precompile_headers(
    folder: Path,
    flags: Sequence[str] = (),
    defines: Sequence[str] = (),
    also: Callable[[Path], None] | None = None,
) -> Path:
    """Compile the emulator's headers and its own code into a new folder for `build`.

    flags: those that `build` will be given. defines: of them, those that the emulator's own
    code is compiled with. also: adds to the folder what the front end reads, and more; by
    default the front end makes its own. Clang's precompiled headers become invalid with the
    date of a file that they include: it gets none.

    Raises BuildError if the compiler is missing, OSError if the folder cannot be written.
    """
    precompiled.precompile(
        [*_command(), *defines],
        folder,
        [flag for flag in flags if flag not in defines],
        header=not _is_clang(),
        second=() if flags else ABREAST_FLAGS,
        also=also or partial(front_end.precompile, compiler()),
    )
    return folder


def compile_object(source: Path, output: Path, flags: Sequence[str] = ()) -> None:
    """Compile a C++ file of the emulator's own into the object file `output`.

    Raises CompileError or BuildError as `build`.
    """
    command = [*_command(), *flags, "-c", str(source), "-o", str(output)]
    _run(command, source.name, output.parent)


def _wrong(tree: object, files: Mapping[Path, str]) -> bool:
    """Say whether one of a program's own files has an error."""
    return any(Path(name) in files for name, _ in syntax_tree.errors(tree))


def _tries(
    source: Path, files: dict[Path, str], tree: object, headers: Path | None
) -> Iterator[dict[Path, str]]:
    """Yield the texts with kernels whose threads leave their calls where they wait.

    The first ones have phases, too: what they do not compile may be those's fault.
    """
    if grouped := groups.rewrite(tree, files):
        grouped_tree = front_end.device_tree(source, grouped, compiler(), headers)
        if grouped_tree and not _wrong(grouped_tree, grouped):
            tree, files = grouped_tree, grouped
    longer = inlined.rewrite(tree, files)
    if longer:
        longer_tree = front_end.device_tree(source, longer, compiler(), headers)
        if longer_tree and not _wrong(longer_tree, longer):
            tree, files = longer_tree, longer
    first = resumed.rewrite(tree, files, by_phases=True)
    yield first
    if re.search("EMULATOR_(?:PHASES|BLOCK)_BEGIN", "".join(first.values())):
        yield resumed.rewrite(tree, files)


def build(
    source: Path,
    output: Path,
    headers: Path | None = None,
    flags: Sequence[str] = (),
    objects: Sequence[Path] = (),
    edited: Mapping[Path, str] | None = None,
) -> None:
    """Judge a .cu file as nvcc would, and compile it into the library `output`, atomically.

    headers: the folder that `precompile_headers` has made. flags: more of them for the
    compiler. objects: files to link with. edited: texts to compile in the place of what files
    hold; they are not judged.

    Raises CompileError with the file, line and words of at most five errors; BuildError if the
    compiler is missing.
    """
    source, output = Path(source).resolve(), Path(output)
    first, runtime = precompiled.HEADER, []
    if headers:
        first = str(headers / precompiled.PRELUDE)
        runtime = [made for made in (headers / precompiled.RUNTIME,) if made.is_file()]
    command = [*_command(), *(precompiled.APART for _ in runtime), *flags]
    read = {**sources.read_sources(source), **(edited or {})}
    files = {path: join_launches(plain_brackets(text)) for path, text in read.items()}
    command += [f"-I{source.parent}", *precompiled.included(first, files.values())]
    tree = None if edited else front_end.judge(source, files, compiler(), headers)
    for rewrite in (conversions.rewrite, constant_writes.rewrite):
        if tree and (written := rewrite(tree, files)):
            files, tree = written, front_end.device_tree(source, written, compiler(), headers)
    # With more flags, what each thread does is looked at: it does it by itself. So it does
    # where a function may end it.
    plain = not tree or flags or any(map(ends_threads, files.values()))
    tries = iter([files]) if plain else _tries(source, files, tree, headers)
    quick = next(tries)
    with (
        tempfile.TemporaryDirectory(prefix="emulator-", dir=output.parent) as work,
        ThreadPoolExecutor(1) as pool,
    ):
        folder = Path(work)
        beside = (
            []
            if flags
            else [pool.submit(_second_forms, source, quick, folder / "second", headers)]
        )
        command += ["-c", "-o", str(folder / "kernel.o")]
        # What the first try does not compile may be the fault of what was rewritten.
        failed = ""
        rewritten = ((texts, not flags) for texts in chain([quick], tries))
        for texts, together in chain(rewritten, [(files, False)]):
            main = _translate_tree(source, texts, folder, together)
            try:
                _run([*command, str(main)], source.name, folder)
                break
            except CompileError as error:
                failed = failed or error.log
                written = "".join(file.read_text() for file in folder.glob("*.cpp"))
                if "::together(" not in written and texts == files:
                    raise
        if failed and settings.strict():
            raise BuildError(f"what was rewritten of {source.name} does not compile:\n{failed}")
        second = [file for one in beside for file in one.result()]
        _link((folder / "kernel.o", *second, *runtime, *objects), source.name, folder)
        os.replace(folder / "kernel.so", output)
