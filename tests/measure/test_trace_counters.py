"""The reader of ncu's table, the metrics, and the way from a GPU to the record."""

import dataclasses
import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from helpers import paths
from helpers.measure import trace_counters
from helpers.measure.ncu import NoCountersError
from helpers.measure.trace_workloads import COURSE, OTHERS, WORKLOADS
from helpers.run import jit
from helpers.run.toolchain import Tool

RECORDED = trace_counters.TABLE.load(gpu="NVIDIA H200")
NCU = Tool(Path("/opt/ncu"), "PATH", "2025.3.1.0")
HEADER = '"ID","Kernel Name","Grid Size","Metric Name","Metric Value"\n'

# What Nsight Compute calls them: "ncu --query-metrics" on the H200.
METRICS = """
l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum       global load requests
l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum        global load sectors
l1tex__t_requests_pipe_lsu_mem_global_op_st.sum       global store requests
l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum        global store sectors
l1tex__t_requests_pipe_lsu_mem_global_op_atom.sum     global atomic requests
l1tex__t_sectors_pipe_lsu_mem_global_op_atom.sum      global atomic sectors
l1tex__t_requests_pipe_lsu_mem_global_op_red.sum      global reduction requests
l1tex__t_sectors_pipe_lsu_mem_global_op_red.sum       global reduction sectors
l1tex__t_requests_pipe_lsu_mem_local_op_ld.sum        local load requests
l1tex__t_sectors_pipe_lsu_mem_local_op_ld.sum         local load sectors
l1tex__t_requests_pipe_lsu_mem_local_op_st.sum        local store requests
l1tex__t_sectors_pipe_lsu_mem_local_op_st.sum         local store sectors
l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum              shared load wavefronts
l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum              shared store wavefronts
l1tex__data_pipe_lsu_wavefronts_mem_shared_op_atom.sum            shared atomic wavefronts
l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum          shared load conflicts
l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum          shared store conflicts
l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_atom.sum        shared atomic conflicts
smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ld.sum    shared load wavefronts (sass)
smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_st.sum    shared store wavefronts (sass)
smsp__sass_inst_executed_op_global_ld.sum             global load instructions
smsp__sass_inst_executed_op_global_st.sum             global store instructions
smsp__sass_inst_executed_op_shared_ld.sum             shared load instructions
smsp__sass_inst_executed_op_shared_st.sum             shared store instructions
smsp__sass_inst_executed_op_local_ld.sum              local load instructions
smsp__sass_inst_executed_op_local_st.sum              local store instructions
smsp__sass_inst_executed_op_global_atom.sum           global atomic instructions
smsp__inst_executed_op_global_red.sum                 global reduction instructions
smsp__sass_inst_executed_op_shared_atom.sum           shared atomic instructions
smsp__sass_branch_targets.sum                         branches
smsp__sass_branch_targets_threads_uniform.sum         uniform branches
smsp__sass_branch_targets_threads_divergent.sum       divergent branches
smsp__inst_executed_op_branch.sum                     branch instructions
smsp__sass_average_branch_targets_threads_uniform.pct branch efficiency %
smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared.sum          shared wavefronts
smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_ideal.sum    ideal shared wavefronts
smsp__inst_executed.sum                               warp instructions
smsp__thread_inst_executed.sum                        thread instructions
"""


def test_every_counter_has_its_metric_and_was_recorded(check_declaration):
    lines = [line.split(maxsplit=1) for line in METRICS.strip().splitlines()]
    assert {words: metric for metric, words in lines} == trace_counters.COUNTERS
    assert set(RECORDED.quantity) <= set(trace_counters.COUNTERS)
    check_declaration(trace_counters.TABLE)
    assert trace_counters.TABLE.key == ("gpu", "workload", "quantity")


def test_every_workload_was_counted():
    assert set(RECORDED.workload) == {workload.label for workload in WORKLOADS}


def test_enough_kernels_are_counted():
    assert len({workload.kernel for workload in COURSE}) >= 50
    assert len(OTHERS) >= 10


def test_words_choose_workloads(monkeypatch, tmp_path):
    monkeypatch.setattr(trace_counters.machine, "present", lambda: SimpleNamespace(name="it"))
    table = dataclasses.replace(trace_counters.TABLE, folder=tmp_path)
    monkeypatch.setattr(trace_counters, "TABLE", table)
    every = list(range(1, len(WORKLOADS) + 1))
    assert trace_counters.chosen([]) == every == trace_counters.chosen(["missing"])
    rows = [{"gpu": "it", "workload": w.label} for w in WORKLOADS if w.kernel != "sums"]
    table.append(rows + [{"gpu": "another", "workload": w.label} for w in WORKLOADS])
    sums = [k for k in every if WORKLOADS[k - 1].kernel == "sums"]
    assert trace_counters.chosen(["missing"]) == sums and len(sums) == 7
    (v1,) = trace_counters.chosen(["v1_f32.add"])
    assert WORKLOADS[v1 - 1].label == "v1_f32.add block_size=256"
    assert trace_counters.chosen(["missing", "v1_f32.add"]) == [v1, *sums]
    with pytest.raises(ValueError, match="no workload is named by nonsense"):
        trace_counters.chosen(["nonsense"])
    monkeypatch.setattr(trace_counters, "changed", lambda gpu: {WORKLOADS[6].label, gpu})
    assert trace_counters.chosen(["changed", "v1_f32.add"]) == sorted([v1, 7])


# Kernels of which the newest counters are those of older code, until a GPU has counted them
# again: python -m helpers.measure.trace_counters changed
OF_OLDER_CODE: set[str] = set()


def test_the_counters_are_of_today_s_code_or_named_as_older(check_declaration):
    """If this fails, count the kernel again on a GPU, or name it above and say why."""
    check_declaration(trace_counters.SOURCES)
    changed = trace_counters.changed("NVIDIA H200")
    assert {label.partition(".")[0] for label in changed} == OF_OLDER_CODE


def test_a_workload_whose_code_has_changed_is_found(monkeypatch, tmp_path):
    sources = dataclasses.replace(trace_counters.SOURCES, folder=tmp_path)
    monkeypatch.setattr(trace_counters, "SOURCES", sources)
    same, other, *_ = WORKLOADS
    codes = {same.label: trace_counters.code_of(same.path), other.label: "0" * 16}
    sources.append({"gpu": "it", "workload": k, "code_sha256": x} for k, x in codes.items())
    labels = {one.label for one in WORKLOADS}
    assert trace_counters.changed("it") == labels - {same.label}


# ---- ncu's words ---------------------------------------------------------------------------


def test_rows_belong_to_the_workload_whose_marker_came_last():
    text = (
        f"a line of the program\n{HEADER}"
        '"0","nothing()","(3, 1, 1)","m","5"\n"1","x(int)","(9,1,1)","m","1,234"\n'
        'a line between\n"2","y","(9,1,1)","m","2"\n"3","nothing()","(4, 1, 1)","m","5"\n'
        '"4","nothing_like_it","(9,1,1)","m","n/a"\n"5","y","(9,1,1)","m","71.5"\n'
    )
    found = {number: dict(values) for number, values in trace_counters.parse(text).items()}
    assert found == {3: {"m": 1236.0}, 4: {"m": 71.5}}


def test_a_value_before_the_first_marker_is_of_no_workload():
    found = trace_counters.parse(f'{HEADER}"0","y","(9,1,1)","m","n/a"\n')
    assert {number: dict(values) for number, values in found.items()} == {0: {"m": 0.0}}


def test_a_text_without_a_table_is_an_error_with_its_last_words():
    text = "\n".join(f"line {number}" for number in range(1, 10))
    with pytest.raises(NoCountersError, match=r"nothing: line 4 line 5 .* line 8 line 9\."):
        trace_counters.parse(text)


def test_the_command_profiles_the_launches_of_this_module():
    assert trace_counters.command("/opt/ncu", ["a", "b"], [3, 9]) == [
        "/opt/ncu",
        *("--csv", "--print-units", "base", "--clock-control", "none"),
        *("--cache-control", "none", "--metrics", "a,b"),
        *(sys.executable, "-m", "helpers.measure.trace_counters", "launch", "3", "9"),
    ]


def test_the_metrics_of_this_gpu(monkeypatch):
    said = "Device H200\nsmsp__cycles        # of cycles\nl1tex__m_x  # x\n not__this  x\nabc\n"
    ran = []

    def run(words, **options):
        ran.append((words, options))
        return SimpleNamespace(stdout=said)

    monkeypatch.setattr(subprocess, "run", run)
    assert trace_counters.known_metrics("/opt/ncu") == {"smsp__cycles", "l1tex__m_x"}
    options = {"capture_output": True, "text": True, "check": False}
    assert ran == [(["/opt/ncu", "--query-metrics"], options)]


# ---- recording -----------------------------------------------------------------------------


@pytest.fixture
def loaded(monkeypatch):
    """Put kernels that only say that they were launched in place; return what they said."""
    calls = []

    def load(path):
        def launcher(name):
            return lambda *tensors, **arguments: calls.append((name, tensors, arguments))

        names = {w.launcher for w in WORKLOADS} | {"launch_blocks"}
        return SimpleNamespace(**{name: launcher(name) for name in names})

    monkeypatch.setattr(trace_counters.jit, "load", load)
    return calls


def test_workloads_are_launched_once_each_behind_its_marker(loaded):
    trace_counters.main(["launch", "1", "8", str(len(WORKLOADS))])
    assert [name for name, *_ in loaded[::2]] == ["launch_blocks"] * 3
    assert [tensors for _, tensors, _ in loaded[::2]] == [(1,), (8,), (len(WORKLOADS),)]
    some = (WORKLOADS[0], WORKLOADS[7], WORKLOADS[-1])
    for (name, tensors, arguments), workload in zip(loaded[1::2], some, strict=True):
        assert (name, arguments) == (workload.launcher, workload.arguments)
        assert [x.shape for x in tensors] == [x.shape for x in workload.tensors()]


def test_each_builder_builds_its_share_and_all_build_everything(monkeypatch):
    built = []
    monkeypatch.setattr(trace_counters.jit, "load", built.append)
    every = [str(number) for number in range(1, len(WORKLOADS) + 1)]
    for part in range(16):
        before = len(built)
        trace_counters.main(["build", str(part), *every])
        assert 1 <= len(built) - before <= 6
    assert sorted(built) == sorted({w.path for w in WORKLOADS} | {jit.source_path("empty")})
    built.clear()
    trace_counters.main(["build", "0", "1"])
    trace_counters.main(["build", "1", "1"])
    assert built == sorted([WORKLOADS[0].path, jit.source_path("empty")])


def test_the_workloads_are_listed(capsys):
    trace_counters.main(["list"])
    lines = [line.split(maxsplit=1) for line in capsys.readouterr().out.splitlines()]
    assert lines == [[str(k), one.label] for k, one in enumerate(WORKLOADS, start=1)]


@pytest.fixture
def on_a_gpu(fake_gpu, monkeypatch, tmp_path):
    """Pretend ncu on an H200; returns the builders, the profiles and the file of the record."""
    ran = SimpleNamespace(built=[], profiled=[], fails=set())
    metrics = list(trace_counters.COUNTERS.values())
    rows = [(1, "smsp__inst_executed.sum", "1,200"), (1, metrics[0], "626"), (8, "no", "1")]
    ran.text = HEADER + "".join(
        f'"0","nothing","({number}, 1, 1)","m","1"\n"1","k","(9,1,1)","{metric}","{value}"\n'
        for number, metric, value in rows
    )

    class Builder:
        def __init__(self, words, env):
            ran.built.append((words, env))
            self.fails = words[4] in ran.fails

        def wait(self):
            ran.waited = getattr(ran, "waited", 0) + 1
            return int(self.fails)

    def run(words, **options):
        if "--query-metrics" in words:
            return SimpleNamespace(stdout=ran.known)
        ran.profiled.append((words, options))
        return SimpleNamespace(stdout="a program's words", stderr=ran.text)

    ran.known = "\n".join(m.split(".")[0] for m in metrics) + "\nsmsp__other_branch_x  words"
    monkeypatch.setattr(
        trace_counters, "find_tool", lambda name: NCU if name == "ncu" else None
    )
    monkeypatch.setattr(subprocess, "Popen", Builder)
    monkeypatch.setattr(subprocess, "run", run)
    monkeypatch.setenv("PYTHONPATH", "/mine")
    for name in ("TABLE", "SOURCES"):
        table = dataclasses.replace(getattr(trace_counters, name), folder=tmp_path)
        monkeypatch.setattr(trace_counters, name, table)
    monkeypatch.setenv("ELEMENTWISE_COMMIT", "0123456789ab")
    return ran


def test_a_record_is_built_counted_and_written(on_a_gpu, capsys):
    trace_counters.main([WORKLOADS[0].label, WORKLOADS[7].label, WORKLOADS[8].label])
    rows = trace_counters.TABLE.load()
    found = rows[["gpu", "ncu", "workload", "quantity", "value"]].values.tolist()
    here = ["NVIDIA H200", "2025.3.1.0", WORKLOADS[0].label]
    assert found == [
        [*here, "global load requests", 626.0],
        [*here, "warp instructions", 1200.0],
    ]
    (source,) = trace_counters.SOURCES.load().to_dict("records")
    assert source.pop("date") == rows.date[0]
    assert source == {
        "gpu": "NVIDIA H200",
        "commit": "0123456789ab",
        "workload": WORKLOADS[0].label,
        "code_sha256": trace_counters.code_of(WORKLOADS[0].path),
    }
    words = [sys.executable, "-m", "helpers.measure.trace_counters", "build"]
    assert [built for built, _ in on_a_gpu.built] == [
        [*words, str(k), "1", "8", "9"] for k in range(16)
    ]
    ((command, options),) = on_a_gpu.profiled
    assert command == trace_counters.command(
        "/opt/ncu", trace_counters.COUNTERS.values(), [1, 8, 9]
    )
    assert options["capture_output"] and options["text"] and not options["check"]
    assert options["timeout"] == 300
    for environment in (options["env"], *[env for _, env in on_a_gpu.built]):
        assert environment["ELEMENTWISE_SANDBOX"] == "0" and environment["PATH"]
        assert environment["PYTHONPATH"] == os.pathsep.join([str(paths.ROOT), "/mine"])
    out = capsys.readouterr().out.splitlines()
    assert out[0] == "left out: []" and "smsp__other_branch_x" in out[1]
    assert "smsp__thread_inst_executed" not in out[1]
    assert out[2] == "2 of 3 workloads, 2 counters"
    assert out[3:] == on_a_gpu.text.splitlines()[-6:]


@pytest.mark.parametrize(
    ("known", "counted"),
    [("smsp__inst_executed  words\n", 1), ("", len(METRICS.split("\n")) - 2)],
)
def test_metrics_that_the_gpu_lacks_are_left_out(on_a_gpu, capsys, known, counted):
    on_a_gpu.known = known
    trace_counters.record()
    command, _ = on_a_gpu.profiled[0]
    assert len(command[command.index("--metrics") + 1].split(",")) == counted
    left = capsys.readouterr().out.splitlines()[0]
    assert ("global_op_red.sum" in left) == (counted == 1)


def test_without_a_gpu_ncu_or_a_build_nothing_is_recorded(on_a_gpu, monkeypatch):
    on_a_gpu.fails = {"3"}
    with pytest.raises(NoCountersError, match="does not build"):
        trace_counters.record()
    assert on_a_gpu.waited == 16  # none is left running
    monkeypatch.setattr(trace_counters, "find_tool", lambda name: None)
    with pytest.raises(NoCountersError, match="no ncu"):
        trace_counters.record()
    here = SimpleNamespace(is_gpu=False, reason="made up")
    monkeypatch.setattr(trace_counters.machine, "present", lambda: here)
    with pytest.raises(NoCountersError, match=r"without a GPU \(made up\)"):
        trace_counters.record()
    assert not on_a_gpu.profiled and not trace_counters.TABLE.path.exists()
