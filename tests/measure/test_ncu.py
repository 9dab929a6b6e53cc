"""Counters: what ncu prints is read, and what it refuses is said."""

import ast
import os
import stat
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pandas as pd
import pytest
import torch

from helpers.measure import bench, ncu, store
from helpers.model import coalescing
from helpers.model.ladder import NAMES, version
from helpers.run import jit, machine
from helpers.run.toolchain import Tool

REQUESTS, SECTORS = ncu.METRICS["load requests"], ncu.METRICS["load sectors"]
HEADER = (
    '"ID","Process ID","Kernel Name","Section Name","Metric Name","Metric Unit","Metric Value"'
)
ROW = '"0","4711","add_f16x8<__half, __half2>(...)","Command line profiler metrics"'
OUTPUT = f"""\
==PROF== Connected to process 4711 (/usr/bin/python3.12)
==PROF== Profiling "add_f16x8" - 0: 0%....50%....100% - 1 pass
a line that the program itself prints, with "quotes"
==PROF== Disconnected from process 4711
{HEADER}
{ROW},"{REQUESTS}","request","2,097,152"
{ROW},"{SECTORS}","sector","33,554,432"
{ROW},"a.pct","%","5.48"
{ROW},"c.sum","","1.5e-3"
{ROW},"b.sum","","n/a"
"""


def test_the_table_between_other_lines_is_read():
    found = ncu.parse(OUTPUT)
    assert list(found) == [REQUESTS, SECTORS, "a.pct", "c.sum", "b.sum"]
    assert found[REQUESTS] == 2097152
    assert found[SECTORS] == 33554432
    assert (found["a.pct"], found["c.sum"]) == (5.48, 0.0015)
    assert found["b.sum"] != found["b.sum"]  # not a number


@pytest.mark.parametrize(
    ("text", "words", "metrics"),
    [
        (
            "==ERROR== ERR_NVGPUCTRPERM - The user does not have permission",
            "this user may not read the GPU's counters",
            (),
        ),
        (
            "==ERROR== Failed to find metric dram__bytes_read.sum",
            "ncu counted nothing: Failed to find metric dram__bytes_read.sum. recorded",
            ("dram__bytes_read.sum",),
        ),
        (
            "one\n==ERROR== first a__b.sum,\n==ERROR== then c__d.avg.pct\n"
            "No kernels were profiled",
            "nothing: first a__b.sum, then c__d.avg.pct. ",
            ("a__b.sum", "c__d.avg.pct"),
        ),
        ("==WARNING== No kernels were profiled.\n", "No kernels were profiled", ()),
        ("one\ntwo\nthree\nfour", "nothing: two three four. ", ()),
        ("", "nothing: it said nothing. ", ()),
    ],
)
def test_where_there_is_no_table_ncus_words_say_why(text, words, metrics):
    with pytest.raises(ncu.NoCountersError) as caught:
        ncu.parse(text)
    assert words in str(caught.value)
    assert str(caught.value).endswith(ncu.INSTEAD)
    assert caught.value.metrics == metrics


def test_the_command_names_the_kernel_of_the_file():
    words = ncu.command("v6_f16x8_pack", 1000, ["a.sum", "b.sum"], block_size=64)
    assert words[0] == "ncu" and words[1] == "--csv"
    assert words[words.index("--print-units") + 1] == "base"
    assert words[words.index("--kernel-name") + 1] == "regex:^(add_f16x8_pack)$"
    assert words[words.index("--launch-count") + 1] == "1"
    assert words[words.index("--metrics") + 1] == "a.sum,b.sum"
    assert words[words.index("--clock-control") + 1] == "none"
    assert words[words.index("-c") - 1] == sys.executable
    assert words[-3].endswith("v6_f16x8_pack.cu") and words[-2:] == ["1000", "64"]
    bounds = ncu.command("launch_bounds", 1, ncu_path="/opt/ncu")
    assert bounds[bounds.index("--kernel-name") + 1] == "regex:^(plain|for_4|for_6|for_8)$"
    assert bounds[0] == "/opt/ncu" and bounds[-1] == "0"


def test_the_profiled_program_makes_one_launch():
    program = ncu.command("v1_f32", 8)[-4]
    compile(program, "program", "exec")
    assert program.count("kernel(") == 1


@pytest.mark.skipif(machine.present().is_gpu, reason="for machines without a GPU")
def test_without_a_gpu_the_error_says_so():
    with pytest.raises(ncu.NoCountersError, match=r"no counters without a GPU \(.+\)"):
        ncu.ncu("v1_f32", 1000)
    with pytest.raises(ncu.NoCountersError, match="without a GPU"):
        ncu.of_call("out.copy_(x)", 1000, "float16", "copy")
    with pytest.raises(FileNotFoundError):
        ncu.ncu("no_such_kernel", 1000)


@pytest.fixture
def pretended_gpu(monkeypatch):
    """Pretend a GPU whose kernels are never built."""
    here = replace(machine.present(), kind="gpu", name="NVIDIA Pretended", driver="1.0")
    monkeypatch.setattr(machine, "present", lambda: here)
    loaded = SimpleNamespace(name="v5_f16x8", dtypes=[torch.float16])
    monkeypatch.setattr(jit, "load", lambda path: loaded)
    monkeypatch.setattr(bench, "launcher_block_size", lambda kernel: 32)


def use_ncu(monkeypatch, program):
    tool = program and Tool(program, "test", "2025.3.1.0")
    monkeypatch.setattr(ncu, "find_tool", lambda name: tool if name == "ncu" else None)


def pretend_ncu(monkeypatch, folder, script):
    program = folder / "ncu"
    program.write_text(f"#!{sys.executable}\nimport os, sys\n{script}\n")
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    use_ncu(monkeypatch, program)


def test_no_ncu(pretended_gpu, monkeypatch):
    use_ncu(monkeypatch, None)
    with pytest.raises(ncu.NoCountersError, match="no ncu"):
        ncu.ncu("v5_f16x8", 1000)


def test_an_ncu_that_cannot_be_run(pretended_gpu, monkeypatch, tmp_path):
    use_ncu(monkeypatch, tmp_path / "ncu")
    with pytest.raises(ncu.NoCountersError, match="could not be run: No such file"):
        ncu.ncu("v5_f16x8", 1000)


def test_a_run_of_ncu(pretended_gpu, monkeypatch, tmp_path):
    pretend_ncu(monkeypatch, tmp_path, f"print({OUTPUT!r})")
    assert ncu.ncu("v5_f16x8", 1 << 26)[REQUESTS] == 2097152
    rows = ncu.measure("v5_f16x8", 1 << 20)
    assert list(rows.columns) == list(store.NCU_COUNTERS.columns)
    values = rows.set_index("quantity").value
    assert values.to_dict() == {"load requests": 2097152, "load sectors": 33554432}
    row = rows.iloc[0]
    assert (row.kernel, row["dtype"], row.elements) == ("v5_f16x8", "float16", 1 << 20)
    assert (row.block_size, row.ncu, row.metric) == (32, "2025.3.1.0", REQUESTS)
    assert row.gpu == "NVIDIA Pretended"
    assert set(ncu.measure("v5_f16x8", block_size=64).block_size) == {64}


def test_a_run_of_a_call(pretended_gpu, monkeypatch, tmp_path):
    """It names the kernel and the call, and what comes back has the course's words."""
    words = f"open({str(tmp_path / 'words')!r}, 'w').write(repr(sys.argv))"
    pretend_ncu(monkeypatch, tmp_path, f"{words}\nprint({OUTPUT!r})")
    found = ncu.of_call("out.copy_(x)", 1000, "float16", "copy_kernel")
    assert found == {"load requests": 2097152, "load sectors": 33554432}
    argv = ast.literal_eval((tmp_path / "words").read_text())
    assert argv[argv.index("--kernel-name") + 1] == "regex:copy_kernel"
    assert argv[argv.index("--metrics") + 1].split(",") == list(ncu.METRICS.values())
    assert argv[-3:] == ["out.copy_(x)", "1000", "float16"]


def test_the_program_of_a_call_makes_it(monkeypatch):
    out = []
    monkeypatch.setattr(sys, "argv", ["-c", "jit.made(x, out)", "8", "float16"])
    monkeypatch.setattr(jit, "made", lambda *tensors: out.extend(tensors), raising=False)
    monkeypatch.setattr(torch, "randn", lambda n, device, dtype: torch.ones(n, dtype=dtype))
    monkeypatch.setattr(torch.cuda, "synchronize", lambda: None)
    exec(ncu._CALL_PROGRAM, {})
    assert [(one.numel(), one.dtype) for one in out] == [(8, torch.float16)] * 2


def test_errors_of_ncu_are_read_from_both_streams(pretended_gpu, monkeypatch, tmp_path):
    pretend_ncu(monkeypatch, tmp_path, "print('==ERROR== no such GPU', file=sys.stderr)")
    with pytest.raises(ncu.NoCountersError, match="no such GPU"):
        ncu.ncu("v5_f16x8")


def test_the_profiled_process_finds_the_package(pretended_gpu, monkeypatch, tmp_path):
    monkeypatch.setenv("PYTHONPATH", "/elsewhere")
    pretend_ncu(monkeypatch, tmp_path, "print('==ERROR==', os.environ['PYTHONPATH'])")
    with pytest.raises(ncu.NoCountersError) as caught:
        ncu.ncu("v5_f16x8")
    folders = (
        str(caught.value).partition("nothing: ")[2].partition(". rec")[0].split(os.pathsep)
    )
    assert folders[0] == str(ncu.paths.ROOT) and folders[-1] == "/elsewhere"


def test_the_recorded_stalls_are_of_whole_launches():
    rows = ncu.load()
    for row in rows[rows.quantity == "warps"].itertuples():
        threads = row.elements / version(row.kernel).elements_per_thread
        assert row.value == pytest.approx(threads / 32, rel=1e-3)


def test_unknown_metrics_are_left_out(pretended_gpu, monkeypatch, tmp_path):
    script = (
        f"for metric in ({ncu.METRICS['DRAM bytes read']!r}, {SECTORS!r}):\n"
        "    if metric in ' '.join(sys.argv):\n"
        "        sys.exit(print('==ERROR== Failed to find metric', metric))\n"
        f"print({OUTPUT!r})"
    )
    pretend_ncu(monkeypatch, tmp_path, script)
    assert list(ncu.measure("v5_f16x8").quantity) == ["load requests"]


def test_an_error_about_other_metrics_is_raised(pretended_gpu, monkeypatch, tmp_path):
    pretend_ncu(monkeypatch, tmp_path, "print('==ERROR== Failed to find metric other__m.sum')")
    with pytest.raises(ncu.NoCountersError, match=r"other__m\.sum"):
        ncu.measure("v5_f16x8")


def test_if_no_metric_is_known_the_error_is_raised(pretended_gpu, monkeypatch):
    def refuse(kernel, elements, metrics, block_size):
        raise ncu.NoCountersError("none is known", metrics)

    monkeypatch.setattr(ncu, "ncu", refuse)
    with pytest.raises(ncu.NoCountersError, match="none is known"):
        ncu.measure("v5_f16x8")


def test_an_ncu_that_hangs(pretended_gpu, monkeypatch):
    def hang(words, *, timeout, **_):
        raise subprocess.TimeoutExpired(words, timeout)

    use_ncu(monkeypatch, Path("ncu"))
    monkeypatch.setattr(ncu.subprocess, "run", hang)
    with pytest.raises(ncu.NoCountersError, match="did not end within 180 s"):
        ncu.ncu("v5_f16x8", 1000)


def test_the_ladder_is_counted_in_its_own_blocks_and_in_others(monkeypatch):
    asked = []

    def measure(kernel, block_size):
        asked.append((kernel, block_size))
        return pd.DataFrame({"kernel": [kernel]})

    monkeypatch.setattr(ncu, "measure", measure)
    assert list(ncu.measure_ladder().kernel) == [kernel for kernel, _ in asked]
    count = len(NAMES)
    assert asked[:count] == [(name, None) for name in NAMES]
    assert asked[count:] == [
        ("v1_f32", 64),
        ("v5_f16x8", 64),
        ("v5_f16x8", 256),
        ("v6_f16x8_pack", 64),
        ("v6_f16x8_pack", 256),
    ]


def rows_of(kernel, block_size, value):
    common = {"kernel": kernel, "block_size": block_size}
    return [
        common | {"quantity": words, "value": value}
        for words in ("load sectors", "load requests")
    ]


def test_wide_keeps_the_order_of_kernels_and_quantities():
    rows = rows_of("v6", 32, 1.0) + rows_of("v1", 256, 2.0) + rows_of("v6", 32, 3.0)
    table = ncu.wide(pd.DataFrame(rows + rows_of("v6", 16, 4.0)))
    assert list(table.columns) == ["kernel", "block_size", "load requests", "load sectors"]
    assert list(table.kernel) == ["v6", "v1", "v6"]
    assert list(table.block_size) == [32, 256, 16]
    assert table["load sectors"].tolist() == [3.0, 2.0, 4.0]  # the last one recorded counts


def test_the_recorded_counters_are_what_coalescing_predicts():
    rows = ncu.wide(ncu.load())
    assert set(NAMES[:6]) <= set(rows.kernel)  # a new version waits for `make record`
    for row in rows.to_dict("records"):
        one = coalescing.ladder(version(row["kernel"]).label).coalescing()
        warps = ncu.ELEMENTS // version(row["kernel"]).elements_per_thread // 32
        assert row["load requests"] == pytest.approx(2 * warps * one.requests, rel=1e-3)
        assert row["load sectors"] == pytest.approx(2 * warps * one.sectors, rel=1e-3)


@pytest.mark.skipif(machine.present().is_gpu, reason="for machines without a GPU")
def test_the_record_serves_without_a_gpu(capsys):
    table = ncu.measured_or_recorded(["v6_f16x8_pack", "v1_f32"])
    assert set(zip(table.kernel, table.block_size, strict=True)) == {
        ("v1_f32", 256),
        ("v6_f16x8_pack", 32),
    }
    assert list(ncu.measured_or_recorded(["v1_f32"], block_size=64).block_size) == [64]
    line = capsys.readouterr().out.splitlines()[0]
    assert line.startswith("no GPU here: recorded on NVIDIA H200, 20") and ", ncu 20" in line


def test_without_the_permission_the_record_serves(pretended_gpu, monkeypatch, capsys):
    def refuse(kernel, *, block_size):
        raise ncu.NoCountersError("not allowed")

    monkeypatch.setattr(ncu, "measure", refuse)
    assert list(ncu.measured_or_recorded(["v5_f16x8"]).block_size) == [32]
    assert "not counted here: not allowed" in capsys.readouterr().out


def test_counted_now(pretended_gpu, monkeypatch, capsys):
    def measure(kernel, *, block_size):
        return pd.DataFrame(rows_of(kernel, block_size or 32, 1.0)).assign(ncu="2025.1")

    monkeypatch.setattr(ncu, "measure", measure)
    table = ncu.measured_or_recorded(["v5_f16x8", "v1_f32"], block_size=96)
    assert list(table.kernel) == ["v5_f16x8", "v1_f32"]
    assert set(table.block_size) == {96}
    assert capsys.readouterr().out == "counted now on NVIDIA Pretended, ncu 2025.1\n"


def test_what_warps_wait_for_is_counted_by_reason(pretended_gpu, monkeypatch):
    asked = []

    def count(kernel, elements, metrics, block_size):
        asked.append((kernel, elements, block_size))
        return dict.fromkeys(metrics, 64.0) | {ncu.STALLS["drain"]: 32.0}

    monkeypatch.setattr(ncu, "ncu", count)
    use_ncu(monkeypatch, "ncu")
    rows = ncu.measure_stalls(["v5_f16x8"])
    assert asked == [("v5_f16x8", 1 << 26, 256)]
    assert set(rows.quantity) == set(ncu.STALLS)
    table = ncu.stalls(rows)
    assert table.loc["v5_f16x8", "drain"] == 0.5  # cycles of each of 64 warps
    assert table.loc["v5_f16x8", "warp cycles"] == 1.0
    assert "warps" not in table and table.columns[-1] == "drain"
    assert ncu.wide(rows).empty


def test_stalls_without_a_record():
    rows = ncu.load()
    assert ncu.stalls(rows[rows.quantity == "load sectors"]).empty


def test_a_stalls_metric_is_named_by_its_reason():
    name = "smsp__warps_issue_stalled_long_scoreboard.sum"
    assert ncu.STALLS["long scoreboard"] == name


# ---- the record of the H200 ----------------------------------------------------------------


def test_every_metric_was_recorded_under_its_words():
    rows = store.NCU_COUNTERS.load(gpu="H200", latest=False)
    recorded = set(zip(rows.quantity, rows.metric, strict=True))
    assert recorded == set((ncu.METRICS | ncu.STALLS).items())
    launches = set(zip(rows.kernel, rows.block_size, strict=True))
    assert {(name, size) for name, size in ncu.LAUNCHES if size} <= launches
    assert {name for name, _ in launches} <= {name for name, _ in ncu.LAUNCHES}
    assert set(rows.elements) == {ncu.ELEMENTS}
    stalls = rows[rows.quantity.isin(list(ncu.STALLS))]
    assert set(stalls.kernel) == set(ncu.STALLED)


def test_the_bar_of_the_ladder_leaves_no_line(monkeypatch):
    bars = []
    monkeypatch.setattr(ncu, "tqdm", lambda some, **options: bars.append(options) or some)
    monkeypatch.setattr(ncu, "measure", lambda kernel, block_size: pd.DataFrame({"n": [1]}))
    assert len(ncu.measure_ladder()) == len(ncu.LAUNCHES) == len(NAMES) + 5
    assert bars == [{"desc": "counting", "leave": False}]
