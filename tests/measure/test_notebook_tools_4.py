"""Counters, the CUDA runtime's occupancy, and the kernels of notebooks 08 to 11."""

from __future__ import annotations

import stat
import sys
from dataclasses import replace
from types import SimpleNamespace

import pandas as pd
import pytest
import torch

from helpers import paths
from helpers.errors import NoGpuError
from helpers.measure import ncu, runtime_occupancy, sass
from helpers.model import coalescing, ladder, occupancy
from helpers.run import jit, machine
from helpers.testing import check

REQUESTS, SECTORS = ncu.METRICS["load requests"], ncu.METRICS["load sectors"]
HEADER = (
    '"ID","Process ID","Kernel Name","Section Name","Metric Name","Metric Unit","Metric Value"'
)
OUTPUT = f"""\
==PROF== Connected to process 4711 (/usr/bin/python3.12)
==PROF== Profiling "add_f16x8" - 0: 0%....50%....100% - 1 pass
a line that the program itself prints, with "quotes"
==PROF== Disconnected from process 4711
{HEADER}
"0","4711","add_f16x8<__half, __half2>(...)","Command line profiler metrics","{REQUESTS}","request","2,097,152"
"0","4711","add_f16x8<__half, __half2>(...)","Command line profiler metrics","{SECTORS}","sector","33,554,432"
"0","4711","add_f16x8<__half, __half2>(...)","Command line profiler metrics","a.pct","%","5.48"
"0","4711","add_f16x8<__half, __half2>(...)","Command line profiler metrics","b.sum","","n/a"
"""


# ---------------------------------------------------------------------------------------------------------------
# Counters


def test_parse_finds_the_table_between_other_lines():
    found = ncu.parse(OUTPUT)
    assert found[REQUESTS] == 2097152
    assert found[SECTORS] == 33554432
    assert found["a.pct"] == 5.48
    assert found["b.sum"] != found["b.sum"]  # not a number


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (
            "==ERROR== ERR_NVGPUCTRPERM - The user does not have permission",
            "may not read the GPU's counters",
        ),
        ("==ERROR== Failed to find metric foo.sum", "Failed to find metric foo.sum"),
        ("==WARNING== No kernels were profiled.\n", "No kernels were profiled"),
        ("", "it said nothing"),
    ],
)
def test_parse_says_why_there_is_nothing(text, words):
    with pytest.raises(ncu.NoCountersError, match=words):
        ncu.parse(text)


def test_command_names_the_kernel_of_the_file_and_no_shell():
    words = ncu.command("v6_f16x8_pack", 1000, ["a.sum", "b.sum"], block_size=64)
    assert words[words.index("--kernel-name") + 1] == "regex:^(add_f16x8_pack)$"
    assert words[words.index("--metrics") + 1] == "a.sum,b.sum"
    assert words[words.index("--clock-control") + 1] == "none"
    assert words[words.index("-c") - 1] == sys.executable
    assert words[-2:] == ["1000", "64"]
    bounds = ncu.command("launch_bounds", 1)
    assert bounds[bounds.index("--kernel-name") + 1] == "regex:^(plain|for_4|for_6|for_8)$"


@pytest.mark.skipif(machine.present().is_gpu, reason="for machines without a GPU")
def test_without_a_gpu_the_error_says_so():
    with pytest.raises(ncu.NoCountersError, match="no counters without a GPU"):
        ncu.ncu("v1_f32", 1000)
    with pytest.raises(FileNotFoundError):
        ncu.ncu("no_such_kernel", 1000)


@pytest.fixture
def pretended_gpu(monkeypatch):
    """A machine that says it has a GPU, and whose kernels are never built."""
    here = replace(machine.present(), kind="gpu", name="NVIDIA Pretended", driver="1.0")
    monkeypatch.setattr(machine, "present", lambda: here)
    monkeypatch.setattr(
        jit, "load", lambda path: SimpleNamespace(name="v5_f16x8", dtypes=[torch.float16])
    )
    monkeypatch.setattr(ncu.bench, "launcher_block_size", lambda kernel: 32)


def _pretend_ncu(monkeypatch, folder, script):
    program = folder / "ncu"
    program.write_text(f"#!{sys.executable}\nimport sys\n{script}\n")
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setattr(ncu, "find_ncu", lambda: program)


def test_no_ncu(pretended_gpu, monkeypatch):
    monkeypatch.setattr(ncu, "find_ncu", lambda: None)
    with pytest.raises(ncu.NoCountersError, match="no ncu"):
        ncu.ncu("v5_f16x8", 1000)


def test_a_run_of_ncu(pretended_gpu, monkeypatch, tmp_path):
    _pretend_ncu(monkeypatch, tmp_path, f"print({OUTPUT!r})")
    assert ncu.ncu("v5_f16x8", 1 << 26)[REQUESTS] == 2097152
    rows = ncu.measure("v5_f16x8")
    assert list(rows.columns) == list(ncu.store.NCU_COUNTERS.columns)
    assert rows.set_index("quantity").value["load sectors"] == 33554432
    assert set(rows.block_size) == {32}


def test_an_unknown_metric_is_left_out(pretended_gpu, monkeypatch, tmp_path):
    unknown = ncu.METRICS["DRAM bytes read"]
    script = (
        f"if {unknown!r} in ' '.join(sys.argv): print('==ERROR== Failed to find metric {unknown}')\n"
        f"else: print({OUTPUT!r})"
    )
    _pretend_ncu(monkeypatch, tmp_path, script)
    assert "load requests" in set(ncu.measure("v5_f16x8").quantity)


def test_ncu_that_hangs(pretended_gpu, monkeypatch, tmp_path):
    _pretend_ncu(monkeypatch, tmp_path, "import time; time.sleep(60)")
    monkeypatch.setattr(ncu, "TIMEOUT_S", 0.3)
    with pytest.raises(ncu.NoCountersError, match="did not end"):
        ncu.ncu("v5_f16x8", 1000)


def _rows(kernel, block_size, value):
    common = {"kernel": kernel, "block_size": block_size}
    return [
        common | {"quantity": words, "value": value}
        for words in ("load sectors", "load requests")
    ]


def test_wide_keeps_the_order_of_kernels_and_quantities():
    table = ncu.wide(
        pd.DataFrame(_rows("v6", 32, 1.0) + _rows("v1", 256, 2.0) + _rows("v6", 32, 3.0))
    )
    assert list(table.columns) == ["kernel", "block_size", "load requests", "load sectors"]
    assert list(table.kernel) == ["v6", "v1"]
    assert table["load sectors"].tolist() == [3.0, 2.0]  # the last one recorded counts


def test_the_recorded_counters_are_what_coalescing_predicts():
    rows = ncu.wide(ncu.load())
    assert set(ladder.NAMES) <= set(rows.kernel)
    for row in rows.to_dict("records"):
        one = coalescing.ladder(row["kernel"][:2].upper()).coalescing()
        warps = ncu.ELEMENTS // ladder.SHAPES[row["kernel"]].elements_per_thread // 32
        assert row["load requests"] == pytest.approx(2 * warps * one.requests, rel=1e-3)
        assert row["load sectors"] == pytest.approx(2 * warps * one.sectors, rel=1e-3)


# ---------------------------------------------------------------------------------------------------------------
# The kernels


@pytest.mark.parametrize("name", ["split_struct", "restrict", "wide_load"])
def test_adds_are_right(name):
    assert check.verdict(jit.load(name), lambda a, b: a + b).ok


@pytest.mark.parametrize("ending", runtime_occupancy.BOUNDS)
@pytest.mark.parametrize(
    ("n", "block_size"), [(1, 256), (31, 32), (257, 64), (1003, 256), (4096, 128)]
)
def test_subtract_max(ending, n, block_size):
    x = torch.randn(40, n, device=machine.present().device)
    out = torch.full_like(x, float("nan"))
    getattr(jit.load("launch_bounds"), f"subtract_max_{ending}")(x, out, block_size=block_size)
    assert torch.equal(out, x - x.amax(0))


def test_what_the_machine_code_notebook_shows():
    split, whole = sass.read("split_struct", "sm_120").kernels
    assert (split.loads()[32], whole.loads()[128]) == (8, 2)
    assert 256 in sass.read("wide_load", "sm_120").kernel().loads()
    assert 256 not in sass.read("wide_load", "sm_90").kernel().loads()
    careful, free = sass.read("restrict", "sm_120").kernels
    assert not any("CONSTANT" in i.opcode for i in careful.instructions)
    assert any("CONSTANT" in i.opcode for i in free.instructions)


@pytest.mark.parametrize(("kernel", "blocks"), [("for_4", 4), ("for_6", 6), ("for_8", 8)])
def test_the_compiler_keeps_the_cap_that_occupancy_calculates(kernel, blocks):
    bounded = sass.read("launch_bounds", "sm_90").kernel(kernel)
    assert bounded.registers <= occupancy.max_registers_for("9.0", 256, blocks)
    assert occupancy.occupancy("9.0", 256, bounded.registers).blocks >= blocks
    assert (bounded.spill_stores > 0) == (blocks > 4)


# ---------------------------------------------------------------------------------------------------------------
# The CUDA runtime's occupancy


def test_the_names_match_the_table_in_the_kernel_file():
    text = (paths.KERNELS / "occupancy_api.cu").read_text(encoding="utf-8")
    assert text.count("reinterpret_cast<const void*>(") == len(runtime_occupancy.KERNELS)


@pytest.mark.skipif(machine.present().is_gpu, reason="for machines without a GPU")
def test_nobody_to_ask_without_a_gpu():
    out = torch.zeros(4, dtype=torch.int32)
    jit.load("occupancy_api").resources(out, 0, 256)
    assert out.tolist() == [-1] * 4
    with pytest.raises(NoGpuError, match="no CUDA runtime"):
        runtime_occupancy.compare()


@pytest.mark.gpu
def test_prediction_and_runtime_agree():
    rows = runtime_occupancy.compare()
    assert len(rows) > 500
    assert rows[rows.predicted != rows.runtime].empty


def test_the_recorded_answers_agree():
    rows = runtime_occupancy.store.RUNTIME_OCCUPANCY.load()
    assert (rows.predicted == rows.runtime).all()
    assert set(rows.kernel) == set(runtime_occupancy.KERNELS)
