"""A cell's candidates are checked, captured and timed interleaved; rows name the fastest."""

import pandas as pd
import pytest
import torch

from helpers import paths
from helpers.errors import CheckError, NoGpuError
from helpers.measure import store
from helpers.measure.libraries import comparison
from helpers.measure.libraries.candidates import Candidate
from helpers.measure.libraries.comparison import Cell
from helpers.measure.libraries.operations import Operation
from helpers.measure.timing import Times
from helpers.run import machine

ADD = Operation("add", torch.float32)
HOT, COLD = Cell(ADD, 1000, "graph hot"), Cell(ADD, 1000, "graph cold")


def candidate(name, variant="", version="1.0", error=0.0):
    def bind(inputs, out):
        return lambda: torch.add(*inputs, out=out).add_(error)

    return Candidate(name, version, bind, variant)


def failing(name):
    def bind(inputs, out):
        raise RuntimeError("cannot be captured " + 300 * "x")

    return Candidate(name, "", bind)


def test_there_is_a_cell_for_every_operation_size_and_method():
    cells = comparison.cells()
    assert len(cells) == len(set(cells)) == 5 * 3 * 2
    assert cells[0] == Cell(ADD, 1 << 20, "graph hot")
    assert cells[1] == Cell(ADD, 1 << 20, "graph cold")
    assert {cell.elements for cell in cells} == {1 << 20, 1 << 24, 1 << 28}
    assert str(cells[0]) == "add float32, 1,048,576, graph hot"


@pytest.mark.parametrize(
    ("bytes_moved", "sets", "launches"),
    [
        (0, 1, 2000),  # a microsecond each: two milliseconds
        (4800 * 1000, 1, 1000),  # one more for 4.8 MB at 4.8 TB/s
        (4800 * 1000, 7, 1001),  # every set equally often
        (1 << 40, 1, 4),
        (1 << 40, 3, 6),
    ],
)
def test_a_graph_lasts_two_milliseconds(bytes_moved, sets, launches):
    assert comparison.launches_per_graph(bytes_moved, sets, 4800) == launches


def test_a_slower_card_makes_fewer_launches():
    assert comparison.launches_per_graph(4800 * 1000, 1, 320) == 125


def test_every_candidate_is_timed_in_turn(fake_gpu):
    names = ["course", "torch", "Triton"]
    times = comparison.measure_cell(HOT, [candidate(name) for name in names], rounds=5)
    assert [one.name for one in times] == names
    assert all(len(own.samples) == 5 for own in times.values())
    for calls, launches in fake_gpu.captured:
        assert (len(calls), launches) == (1, 1995)  # 12,000 bytes at 4.8 TB/s: 2.5 ns
    assert fake_gpu.timed == 2 * 5 * 3  # one replay warms up, one is timed


def test_cold_launches_take_sets_of_buffers_in_turn(fake_gpu):
    comparison.measure_cell(Cell(ADD, 10 << 20, "graph cold"), [candidate("course")], rounds=3)
    ((calls, launches),) = fake_gpu.captured
    assert len(calls) == 2  # 4 x 60 MiB in sets of 120 MiB
    assert launches % 2 == 0
    assert fake_gpu.timed == 3


def test_cold_takes_at_least_two_sets(fake_gpu):
    comparison.measure_cell(Cell(ADD, 21 << 20, "graph cold"), [candidate("course")], rounds=1)
    assert len(fake_gpu.captured[0][0]) == 2


def test_a_wrong_library_is_left_out_and_said(fake_gpu, capsys):
    some = [candidate("course"), candidate("CUB", error=2**-10), failing("CuPy")]
    times = comparison.measure_cell(HOT, some, rounds=1)
    assert [one.name for one in times] == ["course"]
    out = capsys.readouterr().out
    assert "CUB is left out of add float32, 1,000, graph hot: CheckError" in out
    assert "CuPy is left out" in out and len(out) < 500


@pytest.mark.parametrize("name", ["course", "template"])
def test_a_wrong_kernel_of_the_course_raises(fake_gpu, name):
    with pytest.raises(CheckError, match=f"{name} is wrong: add float32, 1,000 elements"):
        comparison.measure_cell(HOT, [candidate(name, error=1.0)], rounds=1)
    with pytest.raises(RuntimeError, match="cannot be captured"):
        comparison.measure_cell(HOT, [failing(name)], rounds=1)


def test_a_result_of_the_candidate_before_does_not_count(fake_gpu):
    def bind(inputs, out):
        return lambda: None

    with pytest.raises(CheckError):
        nothing = Candidate("course", "", bind)
        comparison.measure_cell(HOT, [candidate("torch"), nothing], rounds=1)


# ---- the table -----------------------------------------------------------------------------


def times(*samples):
    return Times(tuple((us,) for us in samples))


def test_rows_have_the_best_variant_and_the_ratio_to_the_fastest_library():
    measured = {
        candidate("course", version=""): times(1.6, 1.5, 1.7),
        candidate("template", version=""): times(2.4, 2.4, 2.4),
        candidate("torch", version="2.11"): times(2.2, 2.2, 2.2),
        candidate("Triton", "a"): times(2.5, 2.5, 2.5),
        candidate("Triton", "b"): times(2.0, 1.9, 2.1),
    }
    rows = comparison.rows_of(Cell(ADD, 1 << 20, "graph cold"), 3, measured)
    assert [(row["candidate"], row["variant"], row["version"]) for row in rows] == [
        ("course", None, None),
        ("template", None, None),
        ("torch", None, "2.11"),
        ("Triton", "b", "1.0"),
    ]
    ratios = [row["ratio"] for row in rows]
    assert ratios == pytest.approx([2.0 / 1.6, 2.0 / 2.4, 2.0 / 2.2, 1.0])
    first = rows[0]
    assert (first["operation"], first["dtype"], first["elements"]) == (
        "add",
        "float32",
        1 << 20,
    )
    assert (first["method"], first["run"], first["repeats"]) == ("graph cold", 3, 3)
    assert (first["low_us"], first["time_us"], first["high_us"]) == (1.5, 1.6, 1.7)
    # 3 x 4 bytes x 2^20 in 1.6 us
    assert first["gb_per_s"] == pytest.approx(7864.32)


def test_without_a_library_there_is_no_ratio():
    (row,) = comparison.rows_of(HOT, 1, {candidate("course"): times(1.0)})
    assert row["ratio"] is None


@pytest.fixture
def measured(fake_gpu, monkeypatch):
    """Replace the check and the candidates; return how often candidates were made."""
    made = []
    monkeypatch.setattr(comparison, "check_course", lambda: made.append("checked"))
    monkeypatch.setattr(
        comparison, "launches_per_graph", lambda *sizes: 3
    )  # they are real here
    monkeypatch.setattr(comparison, "course", lambda operation: candidate("course", version=""))
    monkeypatch.setattr(
        comparison, "template", lambda operation: candidate("template", version="")
    )
    monkeypatch.setattr(
        comparison, "libraries", lambda operation: made.append("made") or [candidate("torch")]
    )
    return made


def test_cells_are_measured_in_runs(measured):
    some = [HOT, COLD, Cell(ADD, 8, "graph hot")]
    rows = comparison.measure(some, runs=2)
    assert list(rows.columns) == list(store.LIBRARIES.columns)
    assert len(rows) == 3 * 2 * 3
    assert measured == ["checked", "made", "made"]  # once for each operation and size
    assert rows.run.tolist()[:9] == [1] * 3 + [2] * 3 + [1] * 3
    assert set(rows.gpu) == {"NVIDIA H200"}
    assert rows.method.tolist()[:12] == ["graph hot"] * 6 + ["graph cold"] * 6


def test_cells_are_measured_once_by_default(measured):
    assert set(comparison.measure([HOT, COLD]).run) == {1}


@pytest.mark.stress
def test_each_cell_is_kept_as_soon_as_it_is_measured(measured, monkeypatch):
    seen, kept = [], []
    original = comparison.measure_cell

    def measure_cell(cell, candidates):
        seen.append(len(kept))
        return original(cell, candidates)

    monkeypatch.setattr(comparison, "measure_cell", measure_cell)
    rows = comparison.measure([HOT, COLD], runs=2, keep=kept.append)
    assert seen == [0, 0, 1, 1]
    assert [{row["method"] for row in rows} for rows in kept] == [{HOT.method}, {COLD.method}]
    assert sum(map(len, kept)) == len(rows) == 12


def test_a_record_that_was_stopped_goes_on(measured, records, monkeypatch):
    monkeypatch.setattr(comparison, "_fitting", lambda cell: cell)
    monkeypatch.setattr(comparison, "cells", lambda: [HOT, COLD, Cell(ADD, 8, "graph hot")])
    assert comparison.unrecorded() == comparison.cells()
    comparison.measure([COLD], keep=store.LIBRARIES.append)
    assert comparison.unrecorded() == [HOT, Cell(ADD, 8, "graph hot")]
    monkeypatch.setattr(store, "today", lambda: "2020-01-01")
    assert comparison.unrecorded() == comparison.cells()
    asked = []
    monkeypatch.setattr(
        comparison, "measure", lambda some, runs, keep: asked.append((some, runs, keep)) or [1]
    )
    assert comparison.record() == 1
    assert asked == [(comparison.cells(), 3, store.LIBRARIES.append)]


def test_without_a_gpu_nothing_is_measured():
    if machine.present().is_gpu:
        pytest.skip("there is a GPU")
    with pytest.raises(NoGpuError):
        comparison.measure([HOT])


def test_the_record_serves_without_a_gpu(capsys):
    if machine.present().is_gpu:
        pytest.skip("there is a GPU")
    rows = comparison.measured_or_recorded()
    assert len(rows[["date", "commit"]].drop_duplicates()) == 1
    out = capsys.readouterr().out
    assert out.startswith(f"no GPU here: recorded on NVIDIA H200, {rows.date.max()}\n")
    assert "    Triton 3." in out


def test_on_a_gpu_the_smallest_and_the_largest_size_are_measured(fake_gpu, monkeypatch, capsys):
    asked = []
    monkeypatch.setattr(
        comparison, "measure", lambda some: asked.extend(some) or pd.DataFrame()
    )
    comparison.measured_or_recorded()
    assert len(asked) == 3 * 2 * 2
    assert {cell.elements for cell in asked} == {1 << 20, 1 << 28}
    assert torch.bfloat16 not in {cell.operation.dtype for cell in asked}
    assert capsys.readouterr().out == "measured now on NVIDIA H200\n"


def test_the_newest_record_is_loaded(records):
    row = comparison.rows_of(HOT, 1, {candidate("course"): times(1.0)})[0]
    where = {"gpu": "NVIDIA H200", "date": "2026-01-01"}
    for commit, time_us in (("a", 1.0), ("b", 2.0)):
        store.LIBRARIES.append([row | where | {"commit": commit, "time_us": time_us}])
    store.LIBRARIES.append([row | where | {"gpu": "other", "commit": "c"}])
    newest = comparison.load()
    assert newest.time_us.tolist() == [2.0] and "index" not in newest
    assert comparison.load("other").commit.tolist() == ["c"]


def test_the_recorded_sweep_is_whole():
    sweep = pd.read_csv(paths.DATA / "library_sweep.csv")
    cells = ["operation", "dtype", "elements", "method"]
    assert not sweep.duplicated([*cells, "idea", "variant"]).any()
    libraries = sweep[sweep.idea == "library"]
    assert libraries.groupby(cells).ratio.max().eq(1).all()  # the fastest against itself
    # Bytes an element: two reads and a write of it; a cast reads 4 bytes and writes 2.
    moved = {("add", "float32"): 12, ("add", "float16"): 6, ("cast", "float16"): 6}
    bytes_of = [moved[key] for key in zip(sweep.operation, sweep.dtype, strict=True)]
    gb_per_s = sweep.elements * bytes_of / sweep.time_us / 1e3
    assert (sweep.gb_per_s / gb_per_s).between(0.98, 1.02).all()


def test_the_record_is_of_every_cell_in_every_run():
    rows = comparison.load()
    assert set(rows.repeats) == {comparison.ROUNDS}
    assert set(rows.run) == {1, 2, 3}
    keys = ["operation", "dtype", "elements", "method"]
    recorded = set(rows[keys].drop_duplicates().itertuples(index=False, name=None))
    assert recorded == {
        (cell.operation.name, str(cell.operation).split()[1], cell.elements, cell.method)
        for cell in comparison.cells()
    }


def test_two_sets_of_buffers_fit_the_memory(monkeypatch):
    asked = []

    def fits(elements, each):
        asked.append((elements, each))
        return 512

    monkeypatch.setattr(comparison.bench, "largest_that_fits", fits)
    assert comparison._fitting(HOT) == Cell(ADD, 512, "graph hot")
    assert asked == [(1000, 30.0)]


@pytest.mark.parametrize(("cc", "said"), [("8.9", True), ("9.0", False)])
def test_a_card_without_bulk_copies_says_so(monkeypatch, capsys, cc, said):
    here = machine.Machine("gpu", "a GPU", "made up", "2.11", cc=cc)
    monkeypatch.setattr(machine, "present", lambda: here)
    monkeypatch.setattr(comparison, "measure", lambda some: pd.DataFrame())
    comparison.measured_or_recorded()
    words = f"compute capability {cc} has no bulk copies"
    assert (words in capsys.readouterr().out) == said


def test_the_bar_of_the_cells_leaves_no_line(measured, monkeypatch):
    bars = []

    class Bar:
        def __enter__(self):
            return self

        def __exit__(self, *_):
            pass

        def set_postfix_str(self, words):
            bars.append(words)

        def update(self):
            bars.append("one more")

    def bar(**options):
        bars.append(options)
        return Bar()

    monkeypatch.setattr(comparison, "tqdm", bar)
    comparison.measure([HOT, COLD])
    assert bars == [
        {"desc": "cells", "total": 2, "leave": False},
        *(str(HOT), "one more", str(COLD), "one more"),
    ]
