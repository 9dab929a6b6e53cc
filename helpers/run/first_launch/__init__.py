"""A kernel's first launch, where its faults hurt nobody: on a GPU in another process, on the emulator on copies.

An illegal access on a GPU ends the CUDA context, and with it every tensor of the notebook. So the first launch of
each launcher of a freshly built kernel is made by a small process without PyTorch, with the caller's own sizes,
scalars and data. It tells what happened; only a kernel that came back from there is launched in the notebook.
Where compute-sanitizer is installed, it looks over that process's shoulder and names the thread and the line.
A file beside the built library remembers it, so it happens once per version of a kernel.

What this cannot see: a fault that comes only with other sizes, scalars or data than those of the first call. Such a
fault ends the context after all; `faults.wait` and the next launch say so, and the remedy is a restart.

On the emulator faults are caught in the process itself. There, each call with sizes and scalars that are new runs
first on copies whose memory ends, and then begins, at an inaccessible page: a step outside of a tensor shows.

    ELEMENTWISE_SANDBOX          0: no first launch apart; native: never compute-sanitizer, but to explain a fault;
                                 memcheck: always compute-sanitizer; otherwise: as long as it takes at most 2 s
    ELEMENTWISE_KERNEL_TIMEOUT   seconds after which a kernel is taken for endless (10 in the process apart)
"""

from __future__ import annotations

import contextlib
import ctypes
import io
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from helpers import paths
from helpers.emulator import Region, Regions
from helpers.errors import FaultKind, KernelFault
from helpers.run.faults import WORDS

if TYPE_CHECKING:
    from helpers.run.launcher import Launcher

ROOT = paths.PACKAGE.parent
DATA_BYTES = (
    64 << 20
)  # up to here, in all, the caller's sizes and data are used, else smaller ones and zeros
MORE_ELEMENTS = (
    1_000_003  # a second launch, for a step that leaves a tensor only when it is long
)
TOOL_SECONDS = 2.0
TIMEOUT_SECONDS = 10.0
START_SECONDS = (
    60.0  # for a process to start and to find its GPU, on a machine that thirty people share
)
TYPES = {
    "int": ctypes.c_int,
    "int32_t": ctypes.c_int,
    "int64_t": ctypes.c_int64,
    "float": ctypes.c_float,
}
TYPES |= {"double": ctypes.c_double}
UNTOUCHED = (
    "It was tried in a process of its own: this notebook and its tensors are as they were"
)


def mode() -> str:
    """What ELEMENTWISE_SANDBOX asks for: "0", "native", "memcheck" or "auto"."""
    wanted = os.environ.get("ELEMENTWISE_SANDBOX", "auto").lower()
    return wanted if wanted in ("0", "native", "memcheck") else "auto"


def _timeout() -> float:
    try:
        return float(os.environ["ELEMENTWISE_KERNEL_TIMEOUT"])
    except (KeyError, ValueError):
        return TIMEOUT_SECONDS


# ---- on the emulator --------------------------------------------------------------------------------------------


@dataclass
class OnCopies:
    """The trial of an emulated kernel: `trial(launcher, arguments, sizes)`, see `helpers.run.launcher.Launcher`."""

    tried: set = field(default_factory=set)

    def __call__(self, launcher: Launcher, args: Sequence, sizes: Sequence[int]) -> bool:
        import torch

        tensors = [x for x in args if isinstance(x, torch.Tensor)]
        key = (
            launcher.declaration.name,
            *sizes,
            *(x if isinstance(x, (int, float)) else x.shape for x in args),
        )
        if mode() == "0" or key in self.tried:
            return False
        if sum(x.nbytes for x in tensors) <= DATA_BYTES and not all(map(_is_guarded, tensors)):
            self._run(launcher, args, sizes, exact=True, front=False)
            self._run(launcher, args, sizes, exact=True, front=True)
        self.tried.add(key)
        return False

    def _run(
        self, launcher: Launcher, args: Sequence, sizes: Sequence[int], exact: bool, front: bool
    ) -> None:
        from helpers import emulator

        values, copies, said = [], [], io.StringIO()
        for parameter, value in zip(launcher.declaration.arguments, args, strict=True):
            if not parameter.is_tensor:
                values.append(value)
                continue
            # Exact: no more aligned than the launcher asks for, so that the page begins right behind the last element.
            alignment = (
                parameter.granule
                if exact
                else max(parameter.granule, min(_alignment(value.data_ptr()), 64))
            )
            copy = emulator.guarded(value.numel(), value.dtype, alignment, front)
            copy.copy_(value.detach().reshape(-1))
            copies.append((parameter, copy))
            values.append(copy.data_ptr())
        regions = Regions.of({p.name: x for p, x in copies})
        try:
            with contextlib.redirect_stdout(said):
                launcher.launch([*values, *sizes])
        except KernelFault as error:
            if exact and error.kind is FaultKind.MISALIGNED:
                return self._run(
                    launcher, args, sizes, exact=False, front=front
                )  # as aligned as the caller's are
            print(said.getvalue(), end="")
            raise regions.named(error) from None
        for parameter, copy in copies:
            if not emulator.guarded_intact(copy):
                raise KernelFault(
                    f"{launcher.declaration.file}: {launcher.declaration.name} wrote past the end of {parameter.name}, "
                    f"which has {copy.numel():,} elements: does the kernel test its index before it stores?",
                    kind=FaultKind.OUT_OF_BOUNDS,
                    access="write",
                )


def _alignment(address: int) -> int:
    return address & -address


def _is_guarded(tensor) -> bool:
    from helpers import emulator

    try:
        return emulator.guarded_intact(tensor)
    except ValueError:
        return False


# ---- on a GPU: the notebook's side ------------------------------------------------------------------------------


@dataclass(frozen=True)
class Outcome:
    """What a process apart told of a launch: `status` is ok, refused, fault, timeout, died or unable."""

    status: str
    error: int = 0
    words: str = ""
    call: int = 0  # 0: with the caller's sizes; 1: with MORE_ELEMENTS
    allocations: tuple[Region, ...] = ()
    said: str = ""  # on its standard output and error
    exit_status: int = 0
    seconds: float = 0.0
    report: str = ""  # compute-sanitizer's


@dataclass(frozen=True)
class InAProcess:
    """The trial of a GPU kernel: `trial(launcher, arguments, sizes)`, see `helpers.run.launcher.Launcher`."""

    library: Path
    barriers: bool = (
        False  # whether the kernel's text has barriers, which are worth a look of their own
    )

    def marker(self, launcher: Launcher) -> Path:
        """The file that remembers a trial that went well."""
        return self.library.with_name(f"{launcher.declaration.name}.tried.json")

    def __call__(self, launcher: Launcher, args: Sequence, sizes: Sequence[int]) -> bool:
        if mode() == "0" or self.marker(launcher).exists():
            return True
        outcome, verdict, tools = self.examine(launcher, args, sizes)
        if outcome.status == "fault" or verdict:
            where = f"{launcher.declaration.file}: {verdict or describe(outcome, launcher.declaration.name)}"
            raise KernelFault(f"{where}. {UNTOUCHED}")
        if outcome.status in ("timeout", "died"):
            raise KernelFault(
                f"{launcher.declaration.file}: {describe(outcome, launcher.declaration.name)}. {UNTOUCHED}"
            )
        if outcome.status == "unable":  # no memory, no second process allowed, ...
            why = outcome.words or "no answer"
            print(
                f"{launcher.declaration.file} could not be tried in a process of its own ({why}): "
                "a fault would cost this notebook its tensors",
                file=sys.stderr,
            )
        if outcome.status == "ok":
            notes = {"seconds": round(outcome.seconds, 2), "tools": tools, "sizes": list(sizes)}
            with contextlib.suppress(OSError):
                self.marker(launcher).write_text(json.dumps(notes))
        return (
            outcome.status != "refused"
        )  # which proves nothing; the launch in this process says why

    def examine(
        self, launcher: Launcher, args: Sequence, sizes: Sequence[int]
    ) -> tuple[Outcome, str, list[str]]:
        """(what the plain process told, compute-sanitizer's verdict or "", the tools that were run to their end)."""
        with tempfile.TemporaryDirectory(prefix="elementwise-trial-") as folder:
            work = Path(folder)
            _write_calls(work, self.library, launcher, args, sizes)
            early = (
                sanitizer()
                if mode() == "memcheck" or (mode() == "auto" and _is_quick(self.library))
                else None
            )
            tools = ["memcheck", "synccheck"] if self.barriers else ["memcheck"]
            runs = {}
            try:
                if early:
                    runs = {tool: _Run(work, tool, early) for tool in tools}
                runs["native"] = _Run(work, "native")
                plain = runs.pop("native").outcome()
                finished, verdict = [], ""
                for tool, run in runs.items():
                    outcome = run.outcome()
                    if tool == "memcheck":
                        _remember_seconds(self.library, outcome.seconds)
                    finished += [tool] if "ERROR SUMMARY" in outcome.report else []
                    verdict = verdict or translate(outcome.report, outcome.allocations)
                if plain.status == "fault" and not verdict and (found := sanitizer()):
                    runs["explain"] = _Run(work, "memcheck", found, every=True)
                    outcome = runs["explain"].outcome()
                    verdict = translate(outcome.report, outcome.allocations)
                return plain, verdict, finished
            finally:
                for run in runs.values():
                    run.end()


def sanitizer() -> str | None:
    """compute-sanitizer, from the PATH or beside nvcc."""
    if found := shutil.which("compute-sanitizer"):
        return found
    from helpers.run import machine

    nvcc = machine.find_nvcc()
    beside = nvcc and nvcc.path.with_name("compute-sanitizer")
    return str(beside) if beside and os.access(beside, os.X_OK) else None


def _seconds_file(library: Path) -> Path:
    return library.parent.parent / "compute-sanitizer.seconds"


def _is_quick(library: Path) -> bool:
    """Whether compute-sanitizer, when it was last used on this machine, took at most TOOL_SECONDS; True if never."""
    try:
        return float(_seconds_file(library).read_text()) <= TOOL_SECONDS
    except (OSError, ValueError):
        return True


def _remember_seconds(library: Path, seconds: float) -> None:
    with contextlib.suppress(OSError):
        _seconds_file(library).write_text(f"{seconds:.2f}\n")


def _runtime_library() -> str:
    """The CUDA runtime that this process uses, for the process apart to use the same."""
    maps = Path("/proc/self/maps").read_text()
    found = re.search(r"\s(/.*/libcudart[^/\n]*\.so[.\d]*)$", maps, flags=re.M)
    if found:
        return found[1]
    from helpers.run import machine

    nvcc = machine.find_nvcc()
    beside = (
        [
            path
            for folder in ("lib64", "lib")
            for path in (nvcc.home / folder).glob("libcudart.so*")
        ]
        if nvcc
        else []
    )
    return str(beside[0]) if beside else "libcudart.so"


def _write_calls(
    work: Path, library: Path, launcher: Launcher, args: Sequence, sizes: Sequence[int]
) -> None:
    """Into `work`: what the process apart has to call (calls.json), and the data of the tensors (data)."""
    import torch

    declaration = launcher.declaration
    given = {p.name: value for p, value in zip(declaration.arguments, args, strict=True)}
    given |= dict(
        zip((p.name for p in declaration.parameters if p.role == "size"), sizes, strict=True)
    )
    tensors = [value for value in given.values() if isinstance(value, torch.Tensor)]
    total = sum(x.nbytes for x in tensors)
    flat = declaration.is_flat and len(sizes) == 1
    capturing = torch.cuda.is_initialized() and torch.cuda.is_current_stream_capturing()
    with_data = total <= DATA_BYTES and not capturing

    def call(elements: int | None, data: io.BufferedWriter | None) -> list[dict]:
        """elements: for launchers of one flat size, another one; data: where to put the tensors' bytes, or zeros."""
        values = []
        for p in declaration.parameters:
            if p.role == "stream":
                values.append({"type": "pointer", "value": 0})
            elif not p.is_tensor:
                value = elements if p.role == "size" and elements else given[p.name]
                values.append({"type": p.ctype, "value": value})
            else:
                x = given[p.name]
                nbytes = elements * x.element_size() if elements else x.nbytes
                entry = {
                    "type": "tensor",
                    "name": p.name,
                    "bytes": nbytes,
                    "itemsize": x.element_size(),
                }
                entry |= {"offset": x.data_ptr() % 256, "data": None}
                if data and nbytes:
                    entry["data"] = data.tell()
                    data.write(x.detach().reshape(-1).view(torch.uint8).cpu().numpy().tobytes())
                values.append(entry)
        return values

    with (work / "data").open("wb") as data:
        fewer = (
            MORE_ELEMENTS if flat and total > DATA_BYTES and sizes[0] > MORE_ELEMENTS else None
        )
        calls = [call(fewer, data if with_data else None)]
        if flat and sizes[0] < MORE_ELEMENTS:
            calls.append(call(MORE_ELEMENTS, None))
    index = tensors[0].get_device() if tensors else torch.cuda.current_device()
    spec = {
        "library": str(library),
        "launcher": declaration.name,
        "runtime": _runtime_library(),
        "device": index,
    }
    (work / "calls.json").write_text(json.dumps(spec | {"calls": calls, "timeout": _timeout()}))


class _Run:
    """A process apart at work, under one of compute-sanitizer's tools where `sanitizer` is its path.

    name: "native" or the tool's. every: make each call of calls.json, not only the caller's own.
    """

    def __init__(
        self, work: Path, name: str, sanitizer: str | None = None, every: bool = False
    ):
        self.work, self.name, self.began = work, name, time.monotonic()
        command = [
            sys.executable,
            "-m",
            "helpers.run.first_launch",
            str(work),
            name,
            str(int(every or not sanitizer)),
        ]
        if sanitizer:
            options = [
                "--print-limit",
                "1",
                "--report-api-errors",
                "no",
                "--log-file",
                str(work / f"{name}.log"),
            ]
            command = [sanitizer, "--tool", name, *options, *command]
        environment = {k: v for k, v in os.environ.items() if k != "CUDA_LAUNCH_BLOCKING"}
        environment["PYTHONPATH"] = os.pathsep.join(
            [str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])]
        )
        for leftover in work.glob(f"{name}.*"):
            leftover.unlink()
        with (work / f"{name}.said").open("wb") as said:
            self.process = subprocess.Popen(
                command,
                cwd=work,
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=said,
                stderr=said,
                start_new_session=True,  # so that it can be ended with all that it has started
            )

    def end(self) -> None:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()

    def outcome(self) -> Outcome:
        """Wait for it, end it in any case, and read what it told."""
        hung = False
        try:
            self.process.wait(
                timeout=max(0.1, self.began + START_SECONDS + _timeout() - time.monotonic())
            )
        except subprocess.TimeoutExpired:
            hung = True
        finally:
            self.end()
        seconds = time.monotonic() - self.began

        def text(suffix: str) -> str:
            path = self.work / f"{self.name}.{suffix}"
            return path.read_text(errors="replace") if path.exists() else ""

        told = {}
        for line in text("told").splitlines():
            with contextlib.suppress(ValueError):
                told |= json.loads(line)
        silent = "timeout" if hung else "died" if "call" in told else "unable"
        # The second call is not the caller's: it may be refused, slow or not wanted, for a good reason.
        told.setdefault("status", "ok" if told.get("call") else silent)
        told["allocations"] = tuple(Region(*one) for one in told.get("allocations", ()))
        return Outcome(
            **told,
            said=text("said"),
            exit_status=self.process.returncode,
            seconds=seconds,
            report=text("log"),
        )


def describe(outcome: Outcome, launcher: str) -> str:
    """A sentence on a launch that went wrong, without a tool's help."""
    sizes = f" (with n = {MORE_ELEMENTS:,})" if outcome.call else ""
    if outcome.status == "timeout":
        return (
            f"{launcher} was still running after {_timeout():g} s{sizes}: a loop without an end, or a barrier that "
            "part of a block never reaches? (ELEMENTWISE_KERNEL_TIMEOUT sets the seconds)"
        )
    if outcome.status == "fault":
        assertion = re.search(
            r"(\S*?):(\d+): .*?block: \[(.*?)\], thread: \[(.*?)\] (Assertion .*)", outcome.said
        )
        if assertion:
            name, line, block, thread, words = assertion.groups()
            return f"block ({block}), thread ({thread}): {words.rstrip('.')} ({Path(name).name}, line {line}){sizes}"
        words = WORDS.get(outcome.error, outcome.words)
        return f"{launcher} failed on the GPU{sizes}: {words} (CUDA error {outcome.error})"
    thrown = re.search(
        r"terminate called after throwing an instance of '(.*?)'(?:\s+what\(\):\s+(.*))?",
        outcome.said,
    )
    if thrown:
        return f"the launcher {launcher} threw a C++ exception: {thrown[2] or thrown[1]}{sizes}"
    if outcome.exit_status == -signal.SIGABRT:
        return f"the launcher {launcher} called abort(){sizes}"
    if outcome.exit_status in (-signal.SIGSEGV, -signal.SIGBUS):
        return (
            f"the launcher {launcher} itself accessed memory that it must not{sizes}: does its host code read a "
            "tensor, which lies on the GPU?"
        )
    if outcome.exit_status == -signal.SIGFPE:
        return f"the launcher {launcher} divided an integer by zero{sizes}"
    return f"the launcher {launcher} ended its process (status {outcome.exit_status}){sizes}"


def translate(report: str, allocations: Sequence[Region] = ()) -> str:
    """The first error of a compute-sanitizer report, as a sentence; "" where it names none."""
    lines = [line.removeprefix("=========").strip() for line in report.splitlines()]
    text = "\n".join(lines)
    begin = re.search(
        r"^(?P<access>(?:Invalid|Misaligned) .*|Barrier error detected\..*|.*Race reported between.*)$",
        text,
        flags=re.M,
    )
    if not begin:
        return ""
    first = text[begin.start() :].split("\n\n")[0]
    at = re.search(
        r"\bat (?P<kernel>[^(\n]+?)(?:\(.*\))?\+0x\w+(?: in (?P<file>[^\n]*?):(?P<line>\d+))?(?::|\s|$)",
        first,
    )
    by = re.search(r"by thread \((\d+),(\d+),(\d+)\) in block \((\d+),(\d+),(\d+)\)", first)
    address = re.search(r"(0x[0-9a-f]+) is (out of bounds|misaligned)", first)
    where = at["kernel"].strip().removeprefix("void ") if at else "the kernel"
    if by:
        thread, block = ", ".join(by.groups()[:3]), ", ".join(by.groups()[3:])
        where += f", block ({block}), thread ({thread})"
    line = f" (line {at['line']})" if at and at["line"] else ""
    if begin["access"].startswith("Barrier"):
        return f"{where}: part of the block never came to the barrier{line}: {begin['access'].split('. ')[-1]}"
    if "Race" in begin["access"]:
        places = " and ".join(
            dict.fromkeys(
                f"line {number}" for number in re.findall(r" in [^\n]*?:(\d+)\b", first)
            )
        )
        return f"{where}: a race on shared memory between {places or 'two accesses'}: is a barrier missing between them?"
    access = re.match(r"Invalid __(\w+)__ (read|write|\w+) of size ([\d,]+)", begin["access"])
    kind, verb, size = access.groups() if access else ("global", "access", "?")
    verb = {"read": "read from", "write": "write to"}.get(verb, f"{verb} on")
    place = f"address {address[1]}" if address else f"{kind} memory"
    near = None
    if kind != "global":
        place = f"{kind} memory, byte {int(address[1], 16):,}" if address else f"{kind} memory"
    elif address and (near := Regions(allocations).nearest(int(address[1], 16))):
        place = near.element(int(address[1], 16))
    if address and address[2] == "misaligned":
        return f"{where}: a misaligned {verb} {place}, {size} bytes at once{line}: the address must be a multiple of them"
    outside = "" if near or kind != "global" else ", outside of every tensor"
    return f"{where}: {verb} {place}{outside}{line}"


def trial(library: Path, texts: Sequence[str], on_gpu: bool) -> OnCopies | InAProcess:
    """What a freshly loaded kernel's launchers ask before they launch. texts: of the kernel's source files."""
    return (
        InAProcess(library, any("__sync" in text for text in texts)) if on_gpu else OnCopies()
    )


# ---- on a GPU: the process apart --------------------------------------------------------------------------------


class _Runtime:
    """The CUDA runtime, by ctypes."""

    def __init__(self, path: str):
        self.library = ctypes.CDLL(path, mode=ctypes.RTLD_GLOBAL)
        self.library.cudaGetErrorString.restype = ctypes.c_char_p

    def __call__(self, name: str, *args) -> None:
        if error := getattr(self.library, name)(*args):
            raise OSError(error, f"{name}: {self.words(error)}")

    def words(self, error: int) -> str:
        return self.library.cudaGetErrorString(error).decode()

    def allocate(self, entry: dict, data: bytes) -> int:
        """A tensor of its own allocation, exactly as long as it is, with its data or with zeros."""
        pointer = ctypes.c_void_p()
        offset, size = entry["offset"], entry["bytes"]
        self("cudaMalloc", ctypes.byref(pointer), ctypes.c_size_t(max(1, offset + size)))
        address = pointer.value + offset
        if entry["data"] is None:
            self("cudaMemset", ctypes.c_void_p(address), 0, ctypes.c_size_t(size))
        elif size:
            bytes_ = data[entry["data"] : entry["data"] + size]
            self(
                "cudaMemcpy", ctypes.c_void_p(address), bytes_, ctypes.c_size_t(size), 1
            )  # host to device
        return address


def _apart(work: Path, name: str, every: bool) -> None:
    """Make the calls that calls.json lists, or only the first, and tell what happened, a line at a time."""
    spec = json.loads((work / "calls.json").read_text())
    told = (work / f"{name}.told").open("w")

    def tell(**what) -> None:
        told.write(json.dumps(what) + "\n")
        told.flush()

    def out_of_time(status: str) -> None:
        tell(status=status)
        os._exit(0)

    try:
        cuda = _Runtime(spec["runtime"])
        cuda("cudaSetDevice", spec["device"])
        library = ctypes.CDLL(spec["library"])
        data = (work / "data").read_bytes()
        for number, values in enumerate(spec["calls"] if every else spec["calls"][:1]):
            arguments, allocations = [], []
            for entry in values:
                if entry["type"] == "tensor":
                    address = cuda.allocate(entry, data)
                    allocations.append(
                        (entry["name"], address, entry["bytes"], entry["itemsize"])
                    )
                    arguments.append(ctypes.c_void_p(address))
                else:
                    arguments.append(TYPES.get(entry["type"], ctypes.c_void_p)(entry["value"]))
            cuda("cudaDeviceSynchronize")
            tell(call=number, allocations=allocations)
            # Only a fault of the second call, whose sizes the caller did not ask for, counts.
            watch = threading.Timer(
                spec["timeout"], out_of_time, ["ok" if number else "timeout"]
            )
            watch.daemon = True
            watch.start()
            getattr(library, spec["launcher"])(*arguments)
            refused = library.cudaGetLastError()
            error = cuda.library.cudaDeviceSynchronize()
            watch.cancel()
            if error:
                tell(status="fault", error=error, words=cuda.words(error))
                return
            if refused:
                tell(status="ok" if number else "refused", error=refused)
                return
        tell(status="ok")
    except (OSError, AttributeError) as error:
        tell(
            status="ok" if "number" in locals() and number else "unable",
            words=getattr(error, "strerror", None) or str(error),
        )
