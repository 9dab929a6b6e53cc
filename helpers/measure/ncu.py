"""Count what a kernel asks of the memory: hardware counters, by Nsight Compute.

    ncu("v6_f16x8_pack", 1 << 26)     {metric: value} of one launch, or an error that says why
    of_call("torch.ops.aten.gelu.out(x, out=out)", 1 << 26, "float16", "elementwise_kernel")
    not measured_or_recorded([...])       a table: counted here where that is possible, else
    recorded

Nsight Compute (`ncu`) comes with the CUDA toolkit. It runs the kernel in a process of its own,
several times if the counters do not fit into one pass. Reading counters needs a permission on
many machines: where the administrator has not given it, ncu answers ERR_NVGPUCTRPERM, and
nothing that a notebook does can change that. Without counters: the machine code
(`helpers.measure.sass`) says what is asked, `helpers.model.coalescing` gives the sectors.
"""

from __future__ import annotations

import csv
import os
import re
import subprocess
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import pandas as pd
from tqdm import tqdm

from helpers import paths
from helpers.errors import CourseError
from helpers.measure import bench, recorded, store
from helpers.model.arguments import checked
from helpers.model.dtypes import dtype_name
from helpers.model.ladder import NAMES
from helpers.run import jit, machine
from helpers.run.toolchain import find_tool

# Names of Nsight Compute's metrics, by the words that the course uses for them.
METRICS = {
    "load requests": "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum",
    "load sectors": "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",
    "load sectors found in L1": "l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit.sum",
    "store requests": "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum",
    "store sectors": "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum",
    "L2 sectors read": "lts__t_sectors_srcunit_tex_op_read.sum",
    "L2 sectors written": "lts__t_sectors_srcunit_tex_op_write.sum",
    "DRAM bytes read": "dram__bytes_read.sum",
    "DRAM bytes written": "dram__bytes_write.sum",
    "warp instructions": "smsp__inst_executed.sum",
    "issue slots busy %": "sm__inst_issued.avg.pct_of_peak_sustained_active",
    "occupancy %": "sm__warps_active.avg.pct_of_peak_sustained_active",
    "registers": "launch__registers_per_thread",
}
# Warp-cycles by what a warp waits for, in Nsight Compute's words; "selected" is a warp that
# issues. "drain": its instructions are done, and its stores are not yet on their way.
_REASONS = (
    *("long_scoreboard", "drain", "lg_throttle", "no_instruction", "wait", "barrier"),
    *("imc_miss", "short_scoreboard", "math_pipe_throttle", "dispatch_stall", "not_selected"),
    *("branch_resolving", "selected"),
)
STALLS = {
    **{r.replace("_", " "): f"smsp__warps_issue_stalled_{r}.sum" for r in _REASONS},
    "warp cycles": "smsp__warps_active.sum",
    "warps": "smsp__warps_launched.sum",
}
STALLED = ("v1_f32", "v2_f32x4", "v3_f16", "v6_f16x8_pack")
ELEMENTS = 1 << 26
OTHER_BLOCKS = (
    ("v1_f32", 64),
    ("v5_f16x8", 64),
    ("v5_f16x8", 256),
    ("v6_f16x8_pack", 64),
    ("v6_f16x8_pack", 256),
)
LAUNCHES = (*((name, None) for name in NAMES), *OTHER_BLOCKS)  # kernel, block size or its own
TIMEOUT_S = 180
INSTEAD = (
    f"recorded counters are in data/{store.NCU_COUNTERS.name}; "
    "helpers.model.coalescing and helpers.measure.sass need no privilege"
)

# What the profiled process runs: one launch of one kernel, on memory that nothing has to fill.
_PROGRAM = """\
import sys, torch
from helpers.run import jit, machine
from helpers.run.toolchain import find_tool
path, elements, block_size = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
kernel, device = jit.load(path), machine.present().device
a, b, out = (torch.empty(elements, dtype=kernel.dtypes[0], device=device) for _ in range(3))
kernel(a, b, out, **({"block_size": block_size} if block_size else {}))
torch.cuda.synchronize()
"""


# The same for a call of a function of one tensor, on random numbers.
_CALL_PROGRAM = """\
import sys, torch
from helpers.run import jit
code, elements, dtype = compile(sys.argv[1], "call", "exec"), int(sys.argv[2]), sys.argv[3]
x = torch.randn(elements, device="cuda", dtype=getattr(torch, dtype))
out = torch.empty_like(x)
exec(code)
torch.cuda.synchronize()
"""


class NoCountersError(CourseError):
    """The hardware counters cannot be read here; the message says why and what to do instead.

    `metrics`: the names of metrics that ncu complains about.
    """

    def __init__(self, reason: str, metrics: Iterable[str] = ()):
        super().__init__(f"{reason}. {INSTEAD}")
        self.metrics = tuple(metrics)


@checked
def command(
    kernel: str | Path,
    elements: int,
    metrics: Iterable[str] = METRICS.values(),
    *,
    block_size: int | None = None,
    ncu_path: str | Path = "ncu",
) -> list[str]:
    """Return the words of the command that counts one launch of an add kernel, for no shell."""
    path = jit.source_path(kernel)
    names = re.findall(
        r"__global__\s+void\s+(?:__launch_bounds__\([^)]*\)\s*)?(\w+)",
        path.read_text(encoding="utf-8"),
    )
    program = [_PROGRAM, str(path), str(elements), str(block_size or 0)]
    return _words(f"^({'|'.join(names)})$", metrics, program, ncu_path)


def _words(
    kernels: str, metrics: Iterable[str], program: Sequence[str], ncu_path: str | Path
) -> list[str]:
    """Return the command that counts the first launch of a kernel whose name matches."""
    return [
        str(ncu_path),
        *("--csv", "--print-units", "base"),
        *("--clock-control", "none"),  # leave the clocks of a shared machine alone
        *("--kernel-name", f"regex:{kernels}", "--launch-count", "1"),
        *("--metrics", ",".join(metrics)),
        *(sys.executable, "-c", *program),
    ]


def parse(text: str) -> dict[str, float]:
    """Read {metric: value} from ncu's CSV, between the lines that the program itself prints.

    A value that is not a number is NaN. Raises NoCountersError, with ncu's own words, where
    there is no table.
    """
    if "ERR_NVGPUCTRPERM" in text:
        raise NoCountersError(
            "this user may not read the GPU's counters (ERR_NVGPUCTRPERM): the administrator "
            "can allow it with the driver option NVreg_RestrictProfilingToAdminUsers=0"
        )
    lines = text.splitlines()
    start = next((k for k, line in enumerate(lines) if line.startswith('"ID"')), None)
    if start is None:
        words = _complaint(lines)
        metrics = re.findall(r"[a-z0-9]+__[a-z0-9_.]*[a-z0-9]", words)
        raise NoCountersError(f"ncu counted nothing: {words or 'it said nothing'}", metrics)
    table = csv.DictReader(line for line in lines[start:] if line.startswith('"'))
    return {row["Metric Name"]: _number(row["Metric Value"] or "") for row in table}


def _complaint(lines: Sequence[str]) -> str:
    """Return ncu's errors, else its warning of no kernel, else the last three lines."""
    prefix = "==ERROR=="
    errors = [line.removeprefix(prefix).strip() for line in lines if line.startswith(prefix)]
    nothing = [line for line in lines if "No kernels were profiled" in line]
    return " ".join(errors or nothing or lines[-3:]).strip()


def _number(text: str) -> float:
    """Convert a value of ncu's table, such as "2,097,152" or "5.48"; NaN for anything else."""
    digits = text.replace(",", "")
    number = re.fullmatch(r"-?\d+(\.\d+)?(e[+-]?\d+)?", digits)
    return float(digits) if number else float("nan")


@checked
def ncu(
    kernel: str | Path,
    elements: int = ELEMENTS,
    metrics: Iterable[str] = METRICS.values(),
    *,
    block_size: int | None = None,
) -> dict[str, float]:
    """Count one launch of an add kernel on this GPU: {metric: value}, after about ten seconds.

    `metrics` are Nsight Compute's names. Raises NoCountersError where there is no GPU, no ncu
    or no permission, and where ncu does not know a metric; ValueError and FileNotFoundError if
    `kernel` is not a kernel.
    """
    path = jit.source_path(kernel)
    tool_path = _find_ncu()
    jit.load(path)  # so that the profiled process finds it built
    return _run(command(path, elements, metrics, block_size=block_size, ncu_path=tool_path))


@checked
def of_call(call: str, elements: int, dtype: str, kernels: str) -> dict[str, float]:
    """Count one launch that a line of Python makes: {words of METRICS: value}.

    call: the line, in which `x` is a tensor of normal random numbers, `out` an empty one like
    it, and `jit` and `torch` are imported. kernels: a regular expression that the name of the
    kernel to count matches, and no name before it does. Errors as in `ncu`.
    """
    program = [_CALL_PROGRAM, call, str(elements), dtype]
    values = _run(_words(kernels, METRICS.values(), program, _find_ncu()))
    return {words: values[metric] for words, metric in METRICS.items() if metric in values}


def _find_ncu() -> Path:
    """Return the path of ncu. Raises NoCountersError without a GPU or without it."""
    here = machine.present()
    if not here.is_gpu:
        raise NoCountersError(f"no counters without a GPU ({here.reason})")
    tool = find_tool("ncu")
    if tool is None:
        raise NoCountersError("there is no ncu (Nsight Compute) on this machine")
    return tool.path


def _run(words: Sequence[str]) -> dict[str, float]:
    """Run a command of ncu and read its table. Raises NoCountersError."""
    search = [str(paths.ROOT), str(paths.PACKAGE.parent), os.environ.get("PYTHONPATH", "")]
    # Without a first launch apart: ncu would count that one, of other tensors.
    environment = {
        **os.environ,
        "ELEMENTWISE_SANDBOX": "0",
        "PYTHONPATH": os.pathsep.join(filter(None, search)),
    }
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
        raise NoCountersError(f"ncu did not end within {TIMEOUT_S} s") from None
    except OSError as error:
        raise NoCountersError(f"ncu could not be run: {error.strerror}") from None
    return parse(done.stdout + "\n" + done.stderr)


# ---- tables --------------------------------------------------------------------------------


def measure(
    kernel: str,
    elements: int = ELEMENTS,
    *,
    block_size: int | None = None,
    metrics: Mapping[str, str] = METRICS,
) -> pd.DataFrame:
    """Count all of `metrics`: the columns of data/ncu_counters.csv. Errors as in `ncu`.

    A metric that this GPU or this ncu does not know is left out.
    """
    wanted = dict(metrics)
    while True:
        try:
            values = ncu(kernel, elements, wanted.values(), block_size=block_size)
            break
        except NoCountersError as error:
            known = {words: m for words, m in wanted.items() if m not in error.metrics}
            if not known or len(known) == len(wanted):
                raise
            wanted = known
    loaded = jit.load(kernel)
    launch = {
        "ncu": find_tool("ncu").version,
        "kernel": loaded.name,
        "dtype": dtype_name(loaded.dtypes[0]),
        "elements": elements,
        "block_size": block_size or bench.launcher_block_size(loaded),
    }
    common = store.provenance() | launch
    return store.NCU_COUNTERS.frame(
        common | {"quantity": words, "metric": metric, "value": values[metric]}
        for words, metric in wanted.items()
        if metric in values
    )


def measure_ladder() -> pd.DataFrame:
    """Count the ladder as the article launches it, and some of it in other blocks.

    Eleven runs of ncu, about ten seconds each. Errors as in `ncu`.
    """
    return pd.concat(
        measure(kernel, block_size=block_size)
        for kernel, block_size in tqdm(LAUNCHES, desc="counting", leave=False)
    )


def measure_stalls(kernels: Sequence[str] = STALLED) -> pd.DataFrame:
    """Count what the warps of some versions wait for. Errors as in `ncu`."""
    return pd.concat(measure(kernel, block_size=256, metrics=STALLS) for kernel in kernels)


def stalls(rows: pd.DataFrame) -> pd.DataFrame:
    """Return cycles a warp by what it waits for: a row for each kernel, largest column first.

    rows: as recorded; those that count something else are not used.
    """
    own = rows[rows.quantity.isin(STALLS)]
    table = own.pivot_table(index="kernel", columns="quantity", values="value", aggfunc="last")
    if "warps" not in table:
        return pd.DataFrame()
    cycles = table.drop(columns="warps").div(table.warps, axis=0)
    order = cycles.mean().sort_values(ascending=False).index
    return cycles[order].rename_axis(columns=None)


def load() -> pd.DataFrame:
    """Load the recorded counters, one quantity a row. Raises FileNotFoundError without any."""
    return store.NCU_COUNTERS.load()


def wide(rows: pd.DataFrame) -> pd.DataFrame:
    """Return a row for each kernel and block size, a column for each of `METRICS`."""
    rows = rows[rows.quantity.isin(METRICS)]
    order = [words for words in METRICS if words in set(rows.quantity)]
    launch = ["kernel", "block_size"]
    table = rows.pivot_table(index=launch, columns="quantity", values="value", aggfunc="last")
    as_recorded = pd.MultiIndex.from_frame(rows[launch].drop_duplicates())
    return table.reindex(as_recorded)[order].rename_axis(columns=None).reset_index()


def measured_or_recorded(
    kernels: Sequence[str], *, block_size: int | None = None
) -> pd.DataFrame:
    """Return counters of add kernels at 2^26 elements, `wide`; print where they are from.

    Counted now where that is possible, else recorded. `block_size` None is each launcher's own.
    """

    def count() -> pd.DataFrame:
        return pd.concat([measure(kernel, block_size=block_size) for kernel in kernels])

    def recorded_launches() -> pd.DataFrame:
        sizes = [
            block_size or bench.launcher_block_size(jit.load(kernel)) for kernel in kernels
        ]
        wanted = set(zip(kernels, sizes, strict=True))
        rows = load()
        launches = zip(rows.kernel, rows.block_size, strict=True)
        return rows[[launch in wanted for launch in launches]]

    rows = recorded.measured_or_recorded(
        count,
        recorded_launches,
        verb="counted",
        detail=lambda rows: f"ncu {rows.ncu.iloc[-1]}",
        unavailable=NoCountersError,
    )
    return wide(rows)
