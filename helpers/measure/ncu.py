"""Hardware counters: what a kernel really asked of the memory, counted by the GPU itself.

    ncu("v6_f16x8_pack", 1 << 26)        {metric: value} of one launch, or an error that says why not
    measured_or_recorded([...])          a table: counted on this machine where that is possible, else as recorded
    python -m helpers.measure.ncu record    count the ladder on this GPU and write data/ncu_counters.csv

Nsight Compute (`ncu`) comes with the CUDA toolkit. It runs the kernel in a process of its own, several times if the
counters do not fit into one pass. Reading counters is a privilege on many machines: where the administrator has not
granted it, ncu answers ERR_NVGPUCTRPERM, and nothing that a notebook does can change that. What to read then:
the machine code (`helpers.measure.sass`) for what is asked, `helpers.model.coalescing` for the sectors, times for the rest.
"""

from __future__ import annotations

import argparse
import csv
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

import pandas as pd
from tqdm import tqdm

from helpers import paths
from helpers.errors import CourseError
from helpers.measure import bench, store
from helpers.model import ladder
from helpers.run import jit, machine

# Names of Nsight Compute's metrics, by the words that the course uses for them.
METRICS = {
    "load requests": "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum",
    "load sectors": "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",
    "load sectors found in L1": "l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit.sum",
    "store requests": "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum",
    "store sectors": "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum",
    "DRAM bytes read": "dram__bytes_read.sum",
    "DRAM bytes written": "dram__bytes_write.sum",
    "warp instructions": "smsp__inst_executed.sum",
    "issue slots busy %": "sm__inst_issued.avg.pct_of_peak_sustained_active",
    "occupancy %": "sm__warps_active.avg.pct_of_peak_sustained_active",
    "registers": "launch__registers_per_thread",
}
ELEMENTS = 1 << 26
OTHER_BLOCKS = (
    ("v1_f32", 64),
    ("v5_f16x8", 64),
    ("v5_f16x8", 256),
    ("v6_f16x8_pack", 64),
    ("v6_f16x8_pack", 256),
)
TIMEOUT_S = 180

# What the profiled process runs: one launch of one kernel, on memory that nothing has to fill.
_PROGRAM = """\
import sys, torch
from helpers.run import jit, machine
path, elements, block_size = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
kernel, device = jit.load(path), machine.present().device
a, b, out = (torch.empty(elements, dtype=kernel.dtypes[0], device=device) for _ in range(3))
kernel(a, b, out, **({"block_size": block_size} if block_size else {}))
torch.cuda.synchronize()
"""


class NoCountersError(CourseError):
    """The hardware counters cannot be read here; the message says why and what to look at instead."""


INSTEAD = "recorded counters are in data/ncu_counters.csv; helpers.model.coalescing and helpers.measure.sass need no privilege"


def find_ncu() -> Path | None:
    """Nsight Compute's command line: from PATH, else beside nvcc, else from /opt/nvidia."""
    if found := shutil.which("ncu"):
        return Path(found)
    nvcc = machine.find_nvcc()
    places = [nvcc.home / "bin" / "ncu"] if nvcc else []
    places += sorted(Path("/opt/nvidia/nsight-compute").glob("*/ncu"), reverse=True)
    return next((place for place in places if os.access(place, os.X_OK)), None)


def command(
    kernel: str | Path,
    elements: int,
    metrics: Iterable[str] = METRICS.values(),
    *,
    block_size: int | None = None,
    ncu_path: str | Path = "ncu",
) -> list[str]:
    """The words of the command that counts one launch of an add kernel; there is no shell between."""
    path = jit.source_path(kernel)
    names = re.findall(
        r"__global__\s+void\s+(?:__launch_bounds__\([^)]*\)\s*)?(\w+)",
        path.read_text(encoding="utf-8"),
    )
    return [
        str(ncu_path),
        *("--csv", "--print-units", "base"),
        *("--clock-control", "none"),  # leave the clocks of a shared machine alone
        *("--kernel-name", f"regex:^({'|'.join(names)})$", "--launch-count", "1"),
        *("--metrics", ",".join(metrics)),
        *(sys.executable, "-c", _PROGRAM, str(path), str(elements), str(block_size or 0)),
    ]


def parse(text: str) -> dict[str, float]:
    """{metric: value} from what `ncu --csv` prints around and between the lines of the program itself.

    Raises NoCountersError with ncu's own words where there is no table.
    """
    if "ERR_NVGPUCTRPERM" in text:
        raise NoCountersError(
            "this user may not read the GPU's counters (ERR_NVGPUCTRPERM): the administrator can allow it with the"
            f" driver option NVreg_RestrictProfilingToAdminUsers=0. {INSTEAD}"
        )
    lines = text.splitlines()
    start = next((k for k, line in enumerate(lines) if line.startswith('"ID"')), None)
    if start is None:
        words = [
            line.removeprefix("==ERROR==").strip()
            for line in lines
            if line.startswith("==ERROR==")
        ]
        words = (
            words
            or [line for line in lines if "No kernels were profiled" in line]
            or lines[-3:]
        )
        raise NoCountersError(
            f"ncu counted nothing: {' '.join(words) or 'it said nothing'}. {INSTEAD}"
        )
    found = {}
    for row in csv.DictReader(line for line in lines[start:] if line.startswith('"')):
        value = (row["Metric Value"] or "").replace(",", "")
        found[row["Metric Name"]] = (
            float(value) if re.fullmatch(r"-?\d+(\.\d+)?(e[+-]?\d+)?", value) else float("nan")
        )
    return found


def ncu(
    kernel: str | Path,
    elements: int = ELEMENTS,
    metrics: Iterable[str] = METRICS.values(),
    *,
    block_size: int | None = None,
) -> dict[str, float]:
    """{metric: value} of one launch of an add kernel on this machine's GPU; about ten seconds.

    `metrics` are Nsight Compute's names. Raises NoCountersError where there is no GPU, no ncu, or no permission,
    and where ncu does not know a metric; ValueError and FileNotFoundError for a kernel that is none.
    """
    path = jit.source_path(kernel)
    here = machine.present()
    if not here.is_gpu:
        raise NoCountersError(f"no counters without a GPU ({here.reason}); {INSTEAD}")
    program = find_ncu()
    if program is None:
        raise NoCountersError(f"there is no ncu (Nsight Compute) on this machine; {INSTEAD}")
    jit.load(path)  # so that the profiled process finds it built
    words = command(path, elements, metrics, block_size=block_size, ncu_path=program)
    search = [str(paths.ROOT), str(paths.PACKAGE.parent), os.environ.get("PYTHONPATH", "")]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, search))}
    try:
        done = subprocess.run(
            words,
            capture_output=True,
            text=True,
            timeout=TIMEOUT_S,
            env=environment,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise NoCountersError(f"ncu did not end within {TIMEOUT_S} s; {INSTEAD}") from None
    except OSError as error:
        raise NoCountersError(f"ncu could not be run: {error.strerror}; {INSTEAD}") from None
    return parse(done.stdout + "\n" + done.stderr)


def measure(
    kernel: str, elements: int = ELEMENTS, *, block_size: int | None = None
) -> pd.DataFrame:
    """`ncu` with all of `METRICS` as a table with the columns of data/ncu_counters.csv. Errors as in `ncu`.

    A metric that this GPU or this ncu does not know is left out.
    """
    wanted = dict(METRICS)
    while True:
        try:
            values = ncu(kernel, elements, wanted.values(), block_size=block_size)
            break
        except NoCountersError as error:
            unknown = [
                words
                for words, metric in wanted.items()
                if "metric" in str(error) and metric in str(error)
            ]
            if not unknown:
                raise
            wanted = {words: metric for words, metric in wanted.items() if words not in unknown}
    loaded = jit.load(kernel)
    common = {
        **store.provenance(),
        "ncu": _version(),
        "kernel": loaded.name,
        "dtype": str(loaded.dtypes[0]).removeprefix("torch."),
        "elements": elements,
        "block_size": block_size or bench.launcher_block_size(loaded),
    }
    rows = [
        common | {"quantity": words, "metric": metric, "value": values[metric]}
        for words, metric in wanted.items()
        if metric in values
    ]
    return store.NCU_COUNTERS.frame(rows)


def _version() -> str:
    done = subprocess.run(
        [str(find_ncu()), "--version"], capture_output=True, text=True, check=False
    )
    match = re.search(r"Version ([\d.]+)", done.stdout)
    return match[1] if match else "unknown"


def load() -> pd.DataFrame:
    """The recorded counters, one quantity a row. Raises FileNotFoundError where there are none."""
    return store.NCU_COUNTERS.load()


def wide(rows: pd.DataFrame) -> pd.DataFrame:
    """A row for each kernel and block size, a column for each quantity."""
    order = [words for words in METRICS if words in set(rows.quantity)]
    keys = rows[["kernel", "block_size"]].drop_duplicates()
    table = rows.pivot_table(
        index=["kernel", "block_size"], columns="quantity", values="value", aggfunc="last"
    )
    return (
        table.reindex(pd.MultiIndex.from_frame(keys))[order]
        .rename_axis(columns=None)
        .reset_index()
    )


def measured_or_recorded(
    kernels: Sequence[str], *, block_size: int | None = None
) -> pd.DataFrame:
    """Counters of add kernels at 2^26 elements, `wide`: counted now where that is possible, else recorded ones,
    and says which and why. `block_size` None is each launcher's own."""
    try:
        rows = pd.concat([measure(kernel, block_size=block_size) for kernel in kernels])
        print(f"counted now on {machine.present().name}")
    except NoCountersError as error:
        rows = load()
        sizes = [
            block_size or bench.launcher_block_size(jit.load(kernel)) for kernel in kernels
        ]
        wanted = list(zip(kernels, sizes, strict=True))
        rows = rows[[(row.kernel, row.block_size) in wanted for row in rows.itertuples()]]
        print(f"not counted here: {error}")
        print(f"recorded on {rows.gpu.iloc[-1]}, {rows.date.iloc[-1]}, ncu {rows.ncu.iloc[-1]}")
    return wide(rows)


def record() -> pd.DataFrame:
    """Count the ladder as the article launches it, and some of it in other blocks; append them to data/ncu_counters.csv.

    Eleven runs of ncu, about ten seconds each. Errors as in `ncu`.
    """
    launches: list[tuple[str, int | None]] = [(kernel, None) for kernel in ladder.NAMES] + list(
        OTHER_BLOCKS
    )
    new = [
        measure(kernel, block_size=block_size)
        for kernel, block_size in tqdm(launches, desc="counting")
    ]
    return store.NCU_COUNTERS.append(pd.concat(new))


def main(arguments: Sequence[str] | None = None) -> int:
    """`python -m helpers.measure.ncu show [KERNEL ...] | record`"""
    parser = argparse.ArgumentParser(
        prog="python -m helpers.measure.ncu", description="Hardware counters by ncu."
    )
    parser.add_argument("do", choices=("show", "record"))
    parser.add_argument(
        "kernels", nargs="*", default=list(ladder.NAMES), help="names in kernels/, for `show`"
    )
    chosen = parser.parse_args(arguments)
    try:
        table = (
            wide(record()) if chosen.do == "record" else measured_or_recorded(chosen.kernels)
        )
    except (CourseError, FileNotFoundError, ValueError) as error:
        print(error, file=sys.stderr)
        return 1
    print(table.to_string(index=False))
    return 0


if __name__ == "__main__":
    sys.exit(main())
