"""Make a kernel's first launches: the program of the child process.

    python child.py FOLDER NAME EVERY

FOLDER/calls.json says what to call and FOLDER/data has the tensors' bytes
(`calls.write_calls`). FOLDER/NAME.report takes what happened, a JSON object a line: before a
call its number and where its tensors lie, at the end a status. EVERY is 1 to make each call, 0
for the caller's own only.

It is run by its path and needs the standard library only, so that it starts quickly.
"""

from __future__ import annotations

import contextlib
import ctypes
import enum
import json
import os
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

SCALARS = {
    "int": ctypes.c_int,
    "int32_t": ctypes.c_int,
    "int64_t": ctypes.c_int64,
    "uint32_t": ctypes.c_uint32,
    "uint64_t": ctypes.c_uint64,
    "int16_t": ctypes.c_int16,
    "uint16_t": ctypes.c_uint16,
    "int8_t": ctypes.c_int8,
    "uint8_t": ctypes.c_uint8,
    "bool": ctypes.c_bool,
    "float": ctypes.c_float,
    "double": ctypes.c_double,
}
HOST_TO_DEVICE = 1


class Status(str, enum.Enum):
    """How a first launch ended."""

    OK = "ok"
    REFUSED = "refused"  # by CUDA, before anything ran
    FAULT = "fault"
    TIMEOUT = "timeout"
    DIED = "died"  # the process did, in the launcher's own code
    UNABLE = "unable"  # nothing could be launched: no memory, no GPU


class Report:
    """The file that takes what happened."""

    def __init__(self, path: Path):
        self._file = path.open("w")

    def write(self, **what) -> None:
        """Add a line, which is on the disk even if the process dies next."""
        self._file.write(json.dumps(what) + "\n")
        self._file.flush()

    def end(self, status: Status, **what) -> None:
        """Add the line that says how it ended."""
        self.write(status=status.value, **what)


class Runtime:
    """The CUDA runtime; a function that fails raises OSError."""

    def __init__(self, path: str):
        self.library = ctypes.CDLL(path, mode=ctypes.RTLD_GLOBAL)
        self.library.cudaGetErrorString.restype = ctypes.c_char_p

    def __call__(self, name: str, *arguments) -> None:
        """Call a function by its name."""
        if error := getattr(self.library, name)(*arguments):
            raise OSError(error, f"{name}: {self.words(error)}")

    def words(self, error: int) -> str:
        """Return CUDA's words for an error number."""
        return self.library.cudaGetErrorString(error).decode()

    def allocate(self, tensor: dict, data: bytes) -> int:
        """Make a tensor in an allocation that ends with it, with its data or zeros."""
        pointer, size = ctypes.c_void_p(), tensor["bytes"]
        whole = max(1, tensor["offset"] + size)
        self("cudaMalloc", ctypes.byref(pointer), ctypes.c_size_t(whole))
        address, length = pointer.value + tensor["offset"], ctypes.c_size_t(size)
        if tensor["data"] is None:
            self("cudaMemset", ctypes.c_void_p(address), 0, length)
        else:
            content = data[tensor["data"] : tensor["data"] + size]
            self("cudaMemcpy", ctypes.c_void_p(address), content, length, HOST_TO_DEVICE)
        return address


@contextlib.contextmanager
def time_limit(seconds: float, report: Report) -> Iterator[None]:
    """End the process with the status TIMEOUT if the context is open for longer."""

    def end() -> None:
        report.end(Status.TIMEOUT)
        os._exit(0)

    watch = threading.Timer(seconds, end)
    watch.daemon = True
    watch.start()
    try:
        yield
    finally:
        watch.cancel()


def prepare(call: list[dict], cuda: Runtime, data: bytes) -> tuple[list, list]:
    """Allocate a call's tensors; return its C arguments, and where the tensors lie."""
    arguments, regions = [], []
    for entry in call:
        if entry["type"] == "tensor":
            address = cuda.allocate(entry, data)
            regions.append((entry["name"], address, entry["bytes"], entry["itemsize"]))
            arguments.append(ctypes.c_void_p(address))
        else:
            arguments.append(SCALARS.get(entry["type"], ctypes.c_void_p)(entry["value"]))
    return arguments, regions


def launch_all(spec: dict, every: bool, data: bytes, report: Report) -> None:
    """Make the calls, up to the first that goes wrong, and report how it ended."""
    cuda = Runtime(spec["runtime"])
    cuda("cudaSetDevice", spec["device"])
    library = ctypes.CDLL(spec["library"])
    for number, call in enumerate(spec["calls"] if every else spec["calls"][:1]):
        arguments, regions = prepare(call, cuda, data)
        cuda("cudaDeviceSynchronize")
        report.write(call=number, regions=regions)
        with time_limit(spec["timeout"], report):
            getattr(library, spec["launcher"])(*arguments)
            refused = library.cudaGetLastError()
            error = cuda.library.cudaDeviceSynchronize()
        if error:
            return report.end(Status.FAULT, error=error, words=cuda.words(error))
        if refused:
            return report.end(Status.REFUSED, error=refused)
    return report.end(Status.OK)


def main(folder: Path, name: str, every: bool) -> None:
    """Make the calls of a folder and report, also what keeps them from being made."""
    report = Report(folder / f"{name}.report")
    try:
        spec = json.loads((folder / "calls.json").read_text())
        launch_all(spec, every, (folder / "data").read_bytes(), report)
    except (OSError, AttributeError) as error:
        report.end(Status.UNABLE, words=getattr(error, "strerror", None) or str(error))


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2], sys.argv[3] == "1")
    if sys.argv[2] == "native":
        os._exit(0)  # the driver cleans up faster than the runtime
