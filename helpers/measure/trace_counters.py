"""Record ncu's counters of every workload of `trace_workloads`, for the trace to be held to.

    python -m helpers.measure.trace_counters              on a GPU: all, into trace_counters.csv
    python -m helpers.measure.trace_counters missing sums those without a row, and those whose
                                                          name holds a word
    python -m helpers.measure.trace_counters changed      those whose code has changed since
    python -m helpers.measure.trace_counters list         the workloads, numbered

One profiled process launches everything once. Before each workload it launches the kernel
`nothing` of kernels/empty.cu with as many blocks as the workload's number, so that the rows of
ncu's table can be told apart whatever a launcher launches.
"""

from __future__ import annotations

import csv
import functools
import os
import re
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path

from helpers import paths, usage
from helpers.measure import store
from helpers.measure.ncu import NoCountersError
from helpers.measure.table import Table
from helpers.measure.trace_workloads import WORKLOADS
from helpers.run import jit, machine
from helpers.run.toolchain import find_tool
from helpers.sources import code_digest, read_sources

TIMEOUT_S = 300
BUILDERS = 16  # processes
MARKER = "nothing"  # the kernel of kernels/empty.cu

_L1 = "l1tex__t_{}_pipe_lsu_mem_{}_op_{}.sum"
_SASS = "smsp__sass_inst_executed_op_{}_{}.sum"

# Nsight Compute's metrics by the words of the record.
COUNTERS = {
    **{
        f"{space} {name} {unit}": _L1.format(unit, space, op)
        for space, ops in (
            ("global", {"load": "ld", "store": "st", "atomic": "atom", "reduction": "red"}),
            ("local", {"load": "ld", "store": "st"}),
        )
        for name, op in ops.items()
        for unit in ("requests", "sectors")
    },
    **{
        f"shared {name} wavefronts": f"l1tex__data_pipe_lsu_wavefronts_mem_shared_op_{op}.sum"
        for name, op in (("load", "ld"), ("store", "st"), ("atomic", "atom"))
    },
    **{
        f"shared {name} conflicts": (
            f"l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_{op}.sum"
        )
        for name, op in (("load", "ld"), ("store", "st"), ("atomic", "atom"))
    },
    **{
        f"shared {name} wavefronts (sass)": (
            f"smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_{op}.sum"
        )
        for name, op in (("load", "ld"), ("store", "st"))
    },
    **{
        f"{space} {name} instructions": _SASS.format(space, op)
        for space in ("global", "shared", "local")
        for name, op in (("load", "ld"), ("store", "st"))
    },
    "global atomic instructions": "smsp__sass_inst_executed_op_global_atom.sum",
    "global reduction instructions": "smsp__inst_executed_op_global_red.sum",
    "shared atomic instructions": "smsp__sass_inst_executed_op_shared_atom.sum",
    "branches": "smsp__sass_branch_targets.sum",
    "uniform branches": "smsp__sass_branch_targets_threads_uniform.sum",
    "divergent branches": "smsp__sass_branch_targets_threads_divergent.sum",
    "branch instructions": "smsp__inst_executed_op_branch.sum",
    "branch efficiency %": "smsp__sass_average_branch_targets_threads_uniform.pct",
    "shared wavefronts": "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared.sum",
    "ideal shared wavefronts": "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_ideal.sum",
    "warp instructions": "smsp__inst_executed.sum",
    "thread instructions": "smsp__thread_inst_executed.sum",
}
TABLE = Table(
    "trace_counters.csv",
    store.PROVENANCE
    | {"ncu": "string", "workload": "string", "quantity": "string", "value": "Float64"},
    key=("gpu", "workload", "quantity"),
    command="python -m helpers.measure.trace_counters",
)
# Of which code the newest counters of a workload are; only a count of today's is evidence.
SOURCES = Table(
    "trace_sources.csv",
    {name: store.PROVENANCE[name] for name in ("date", "gpu", "commit")}
    | {"workload": "string", "code_sha256": "string"},
    key=("gpu", "workload"),
    command="python -m helpers.measure.trace_counters",
)
_INTERESTING = re.compile(
    r"branch|wavefronts_mem_shared|bank_conflicts|inst_executed_op_(global|shared|local)"
)


def chosen(words: Sequence[str]) -> list[int]:
    """Return the numbers, from 1, of the workloads that words name; without a word, of all.

    A word is "missing" (not counted yet on this GPU), "changed" (its code has changed since) or
    a part of a label. Raises ValueError if they name none.
    """
    labels = {one.label for one in WORKLOADS}
    wanted = {one for one in labels if not words or any(word in one for word in words)}
    if "missing" in words:
        gpu = machine.present().name
        wanted |= labels - set(TABLE.load(gpu=gpu).workload if TABLE.path.exists() else ())
    if "changed" in words:
        wanted |= changed(machine.present().name)
    found = [k for k, workload in enumerate(WORKLOADS, start=1) if workload.label in wanted]
    if not found:
        raise ValueError(f"no workload is named by {' '.join(words)}: see `list`")
    return found


def changed(gpu: str) -> set[str]:
    """Return the labels of the workloads whose code is not that of their newest counters."""
    rows = SOURCES.load(gpu=gpu)
    counted = dict(zip(rows.workload, rows.code_sha256, strict=True))
    return {one.label for one in WORKLOADS if counted.get(one.label, "") != code_of(one.path)}


@functools.cache
def code_of(path: Path) -> str:
    """Return the hash of a file's code as it stands in trace_sources.csv: 16 digits."""
    return code_digest(read_sources(path))[:16]


def prebuild(part: int, numbers: Sequence[int]) -> None:
    """Build every BUILDERS-th file of some workloads, and the marker's, from file `part` on."""
    files = sorted({WORKLOADS[k - 1].path for k in numbers} | {jit.source_path("empty")})
    for path in files[part::BUILDERS]:
        jit.load(path)


def launch(numbers: Sequence[int]) -> None:
    """Launch some workloads once, each behind its marker: what runs under ncu."""
    import torch

    device = machine.present().device
    marker = jit.load("empty").launch_blocks
    calls = []
    for number in numbers:
        workload = WORKLOADS[number - 1]
        launcher = getattr(jit.load(workload.path), workload.launcher)
        tensors = [x.to(device) for x in workload.tensors()]
        calls.append((number, launcher, tensors, workload.arguments))
    for number, launcher, tensors, arguments in calls:
        marker(number)
        launcher(*tensors, **arguments)
    if device != "cpu":
        torch.cuda.synchronize()


def known_metrics(ncu_path: str) -> set[str]:
    """Ask ncu which metrics this GPU has; their names end before the first dot."""
    done = subprocess.run(
        [ncu_path, "--query-metrics"], capture_output=True, text=True, check=False
    )
    return set(re.findall(r"^([a-z0-9]+__\w+)", done.stdout, flags=re.M))


def command(ncu_path: str, metrics: Iterable[str], numbers: Iterable[int]) -> list[str]:
    """Return the words of the command that counts some workloads, for no shell."""
    return [
        ncu_path,
        *("--csv", "--print-units", "base", "--clock-control", "none"),
        *("--cache-control", "none", "--metrics", ",".join(metrics)),
        *(sys.executable, "-m", "helpers.measure.trace_counters", "launch"),
        *map(str, numbers),
    ]


def parse(text: str) -> dict[int, dict[str, float]]:
    """Read {workload's number: {metric: sum over its kernels}} from ncu's CSV.

    Raises NoCountersError, with ncu's last words, where there is no table.
    """
    lines = text.splitlines()
    start = next((k for k, line in enumerate(lines) if line.startswith('"ID"')), None)
    if start is None:
        raise NoCountersError(f"ncu counted nothing: {' '.join(lines[-6:])}")
    found: dict[int, dict[str, float]] = defaultdict(lambda: defaultdict(float))
    number = 0
    for row in csv.DictReader(line for line in lines[start:] if line.startswith('"')):
        if re.match(rf"{MARKER}\b", row["Kernel Name"]):
            number = int(re.search(r"\d+", row["Grid Size"])[0])
            continue
        value = row["Metric Value"].replace(",", "")
        found[number][row["Metric Name"]] += float(value) if value[:1].isdigit() else 0.0
    return found


def _environment() -> dict[str, str]:
    search = [str(paths.ROOT), os.environ.get("PYTHONPATH", "")]
    more = {"ELEMENTWISE_SANDBOX": "0", "PYTHONPATH": os.pathsep.join(filter(None, search))}
    return {**os.environ, **more}


def _prebuild_all(numbers: Sequence[int]) -> None:
    words = [sys.executable, "-m", "helpers.measure.trace_counters", "build"]
    builders = [
        subprocess.Popen([*words, str(part), *map(str, numbers)], env=_environment())
        for part in range(BUILDERS)
    ]
    if any([builder.wait() for builder in builders]):
        raise NoCountersError("a kernel does not build: its words stand above")


def record(words: Sequence[str] = ()) -> None:
    """Count workloads on this GPU (`chosen`) and append them to data/trace_counters.csv.

    Raises NoCountersError where there is no GPU, no ncu, no permission or no table, ValueError
    if the words name no workload.
    """
    if not machine.present().is_gpu:
        raise NoCountersError(f"no counters without a GPU ({machine.present().reason})")
    tool = find_tool("ncu")
    if tool is None:
        raise NoCountersError("there is no ncu (Nsight Compute) on this machine")
    numbers = chosen(words)
    _prebuild_all(numbers)
    known = known_metrics(str(tool.path))
    counted = {k: m for k, m in COUNTERS.items() if not known or m.split(".")[0] in known}
    print("left out:", sorted(set(COUNTERS.values()) - set(counted.values())))
    print("there are:", sorted(name for name in known if _INTERESTING.search(name)))
    done = subprocess.run(
        command(str(tool.path), counted.values(), numbers),
        capture_output=True,
        text=True,
        timeout=TIMEOUT_S,
        env=_environment(),
        check=False,
    )
    table = parse(done.stdout + "\n" + done.stderr)
    common = store.provenance() | {"ncu": tool.version}
    rows = [
        common | {"workload": WORKLOADS[number - 1].label, "quantity": words, "value": value}
        for number, values in sorted(table.items())
        for words, metric in counted.items()
        if (value := values.get(metric)) is not None
    ]
    TABLE.append(rows)
    counted_now = {row["workload"] for row in rows}
    SOURCES.append(
        {name: common[name] for name in ("date", "gpu", "commit")}
        | {"workload": one.label, "code_sha256": code_of(one.path)}
        for one in WORKLOADS
        if one.label in counted_now
    )
    print(f"{len(table)} of {len(numbers)} workloads, {len(rows)} counters")
    if len(table) < len(numbers):
        print("\n".join(done.stderr.splitlines()[-6:]))


def main(words: Sequence[str]) -> None:
    """Run one of the commands of the module's description."""
    if words[:1] == ["build"]:
        prebuild(int(words[1]), [int(word) for word in words[2:]])
    elif words[:1] == ["launch"]:
        launch([int(word) for word in words[1:]])
    elif words[:1] == ["list"]:
        for number, workload in enumerate(WORKLOADS, start=1):
            print(f"{number:4} {workload.label}")
    else:
        record(words)


if __name__ == "__main__":
    _parser = usage.parser(__doc__)
    _parser.add_argument(
        "words", nargs="*", metavar="WORD", help="a command or words of labels"
    )
    main(_parser.parse_args().words)
