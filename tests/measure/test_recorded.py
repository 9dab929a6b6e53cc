"""Measured on a GPU, else recorded; the line says which, whose, and why."""

import pandas as pd
import pytest
import torch

from helpers.errors import UnknownNameError
from helpers.measure import bench, recorded, store
from helpers.measure.recorded import measured_or_recorded
from helpers.run import jit, machine

ROWS = pd.DataFrame({"gpu": ["A", "B"], "date": ["2026-01-02", "2026-01-01"], "n": [1, 2]})


@pytest.fixture
def no_gpu(monkeypatch):
    here = machine.Machine("emulator", "CPU emulator", "made up", "2.11")
    monkeypatch.setattr(machine, "present", lambda: here)


def never():
    raise AssertionError("this must not be asked")


def test_a_gpu_measures(fake_gpu, capsys):
    assert measured_or_recorded(lambda: ROWS, never) is ROWS
    assert capsys.readouterr().out == "measured now on NVIDIA H200\n"


def test_the_line_says_what_was_done_and_how(fake_gpu, capsys):
    measured_or_recorded(lambda: ROWS, never, verb="counted", detail="graph hot")
    assert capsys.readouterr().out == "counted now on NVIDIA H200, graph hot\n"


def test_without_a_gpu_the_record_serves(no_gpu, capsys):
    assert measured_or_recorded(never, lambda: ROWS, detail="wall clock") is ROWS
    line = "no GPU here: recorded on B, 2026-01-02, wall clock\n"
    assert capsys.readouterr().out == line


def test_a_detail_may_come_from_the_rows(no_gpu, capsys):
    measured_or_recorded(never, lambda: ROWS, detail=lambda rows: f"{len(rows)} rows")
    assert capsys.readouterr().out == "no GPU here: recorded on B, 2026-01-02, 2 rows\n"


def test_a_gpu_that_cannot_says_why(fake_gpu, capsys):
    def refused():
        raise PermissionError("no counters")

    rows = measured_or_recorded(
        refused, lambda: ROWS, verb="counted", unavailable=PermissionError
    )
    assert rows is ROWS
    line = "not counted here: no counters: recorded on B, 2026-01-02\n"
    assert capsys.readouterr().out == line
    with pytest.raises(PermissionError):
        measured_or_recorded(refused, lambda: ROWS)


def missing():
    raise FileNotFoundError("no record")


@pytest.mark.parametrize("load", [missing, lambda: ROWS[:0]])
def test_no_record_says_how_to_make_one(no_gpu, capsys, load):
    rows = measured_or_recorded(never, load, what="'sums'", command="make it")
    assert rows.empty
    assert capsys.readouterr().out == "NO RECORD of 'sums' yet: `make it` on a GPU makes one\n"
    assert measured_or_recorded(never, load).empty
    line = "NO RECORD of this yet: `make record` on a GPU makes one\n"
    assert capsys.readouterr().out == line


# ---- additions -----------------------------------------------------------------------------


def test_recorded_additions_are_those_that_were_asked_for(no_gpu, capsys):
    rows = recorded.add_times(["torch.add"], [1 << 20, 1 << 28], "float16")
    assert rows.elements.tolist() == [1 << 20, 1 << 28]
    assert set(rows.dtype) == {"float16"} and set(rows.method) == {"graph hot"}
    assert set(rows.kernel) == {"torch.add"} and rows.index.tolist() == [0, 1]
    assert set(rows.gpu) == {"NVIDIA H200"}
    line = f"no GPU here: recorded on NVIDIA H200, {rows.date.max()}, graph hot\n"
    assert capsys.readouterr().out == line


@pytest.mark.parametrize(("asked", "found"), [(None, 256), (64, 64), (1024, 1024)])
def test_recorded_rows_are_of_the_block_size_asked_for(no_gpu, asked, found):
    v1 = jit.load("v1_f32")
    rows = recorded.add_times([v1, "torch.add"], [1 << 20], block_size=asked)
    assert rows.kernel.tolist() == ["v1_f32", "torch.add"]
    assert rows.block_size.iloc[0] == found and pd.isna(rows.block_size.iloc[1])
    all_of_it = store.load("block sweep", "H200").query(
        f"kernel == 'v1_f32' and elements == 2**20 and block_size == {found}"
    )
    assert rows.time_us.iloc[0] in all_of_it.time_us.tolist() + ladder_times()


def ladder_times():
    rows = store.load("ladder", "H200").query("kernel == 'v1_f32' and elements == 2**20")
    return rows.time_us.tolist()


def test_recorded_rows_of_another_method(no_gpu, capsys):
    rows = recorded.add_times(["torch.add"], method="wall clock")
    assert rows.elements.tolist() == list(bench.ARTICLE_SIZES)
    assert set(rows.method) == {"wall clock"}
    assert capsys.readouterr().out.endswith(", wall clock\n")


def test_a_gpu_times_the_additions_now(fake_gpu, monkeypatch, capsys, measurement):
    asked = []

    def sweep(*arguments, **options):
        asked.append((arguments, options))
        return [measurement(5.0)]

    monkeypatch.setattr(bench, "sweep", sweep)
    rows = recorded.add_times(["torch.add"], [8], "float16", method="graph cold", block_size=64)
    assert rows.time_us.tolist() == [5.0] and rows.kernel.tolist() == ["v1_f32"]
    options = {"method": "graph cold", "block_size": 64}
    assert asked == [((["torch.add"], [8], "float16"), options)]
    assert capsys.readouterr().out == "measured now on NVIDIA H200, graph cold\n"


@pytest.mark.parametrize("value", [None, 3, b"torch.add", [1], torch.zeros(3), object()])
def test_only_kernels_are_looked_up(value):
    with pytest.raises(TypeError, match="not a kernel that jit"):
        recorded.add_times([value])


@pytest.mark.parametrize("value", [["nonsense"], ["v1"], ["torch.add", "v1_f32"]])
def test_a_text_is_no_kernel(no_gpu, value):
    with pytest.raises(UnknownNameError) as caught:
        recorded.add_times(value)
    words = f"{value[-1]!r} is not a kernel: give what jit.load returned, or 'torch.add'"
    assert str(caught.value) == words


@pytest.mark.parametrize("value", ["v1_f32", "torch.add"])
def test_a_bare_text_is_not_read_letter_by_letter(no_gpu, value):
    with pytest.raises(UnknownNameError, match="is not a list: give"):
        recorded.add_times(value)


def test_an_empty_kernels_recorded_time(no_gpu, capsys):
    (row,) = recorded.empty_kernel(1 << 18, 96).itertuples()
    assert (row.Index, row.elements, row.block_size, row.kernel) == (0, 1 << 18, 96, "empty")
    line = f"no GPU here: recorded on NVIDIA H200, {row.date}\n"
    assert capsys.readouterr().out == line


def test_an_empty_kernel_is_timed_now(fake_gpu, monkeypatch, measurement):
    monkeypatch.setattr(
        bench, "measure_empty", lambda n, b: measurement(1.0, elements=n, block_size=b)
    )
    (row,) = recorded.empty_kernel(7, 96).itertuples()
    assert (row.elements, row.block_size) == (7, 96)


def test_a_record_has_every_size_and_a_gpu_those_that_fit(no_gpu, monkeypatch):
    monkeypatch.setattr(bench, "largest_that_fits", lambda elements, each: elements // each)
    assert recorded.largest_that_fits(64, 8) == 64
    here = machine.Machine("gpu", "NVIDIA H200", "made up", "2.11", cc="9.0")
    monkeypatch.setattr(machine, "present", lambda: here)
    assert recorded.largest_that_fits(64, 8) == 8
