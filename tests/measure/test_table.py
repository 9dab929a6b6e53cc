"""A table keeps what it is given, is found by exact identity, and loses no writer's row."""

import dataclasses
import multiprocessing

import pandas as pd
import pytest

from helpers.measure import table as table_module
from helpers.measure.table import Table

COLUMNS = {"gpu": "string", "size": "Int64", "us": "Float64"}


@pytest.fixture
def table(tmp_path):
    return Table("t.csv", COLUMNS, ("gpu", "size"), "make t", {"us": 2}, tmp_path)


# ---- a table -------------------------------------------------------------------------------


def test_rows_are_appended_and_the_newest_of_equal_keys_wins(table):
    table.append([{"gpu": "A", "size": 1, "us": 1.006}, {"gpu": "A", "size": 2, "us": 2.0}])
    written = table.append([{"gpu": "A", "size": 1, "us": 3.0}])
    assert written.us.tolist() == [3.0]
    assert table.load(latest=False).us.tolist() == [1.01, 2.0, 3.0]
    assert table.load()[["size", "us"]].values.tolist() == [[2, 2.0], [1, 3.0]]
    assert table.load().index.tolist() == [0, 1]


def test_what_was_written_is_not_rewritten(table):
    text = "# a comment\ngpu,size,us\n# another, with commas\nA,1,1.50000\nB,2,7"
    table.path.write_text(text)
    table.append([{"gpu": "C", "size": 3, "us": 1.0}])
    assert table.path.read_text() == text + "\nC,3,1.0\n"
    assert table.load().gpu.tolist() == ["A", "B", "C"]
    assert {path.name for path in table.folder.iterdir()} == {"t.csv", ".t.csv.lock"}


def test_a_missing_value_is_an_empty_cell(table):
    table.append([{"gpu": "A"}, {"size": 4, "gpu": "A"}])
    assert table.path.read_text() == "gpu,size,us\nA,,\nA,4,\n"
    assert table.load(size=None).gpu.tolist() == ["A"]
    assert table.load(size=4)["size"].tolist() == [4]
    assert table.load(size=5).empty


def test_dtypes_are_the_tables_own(table):
    table.append([{"gpu": "A", "size": 1}])
    assert [str(kind) for kind in table.load().dtypes] == ["string", "Int64", "Float64"]
    assert [str(kind) for kind in table.frame([]).dtypes] == ["string", "Int64", "Float64"]


@pytest.mark.parametrize(
    "use",
    [
        lambda t: t.append([{"gpu": "A", "colour": 1}]),
        lambda t: t.load(colour=1),
        lambda t: t.frame(pd.DataFrame({"colour": [1]})),
    ],
)
def test_an_unknown_column_is_named_with_those_there_are(table, use):
    with pytest.raises(
        ValueError, match=r"t\.csv has no column 'colour'; it has gpu, size, us"
    ):
        use(table)


def test_a_file_with_other_columns_is_refused(table):
    table.path.write_text("gpu,us,size\n")
    for use in (lambda: table.append([{"gpu": "A"}]), table.load):
        with pytest.raises(ValueError, match="has the columns gpu, us, size; expected are"):
            use()
    assert table.path.read_text() == "gpu,us,size\n"


def test_no_record_says_how_to_make_one(table):
    with pytest.raises(FileNotFoundError, match=r"no record t\.csv in .*`make t` on a GPU"):
        table.load()


def test_a_failed_write_leaves_the_file_as_it_was(table, monkeypatch):
    table.append([{"gpu": "A", "size": 1}])
    before = table.path.read_text()

    def fail(*_):
        raise OSError("disk full")

    monkeypatch.setattr(table_module.os, "replace", fail)
    with pytest.raises(OSError, match="disk full"):
        table.append([{"gpu": "B"}])
    assert table.path.read_text() == before
    assert not list(table.folder.glob("*.tmp")) and not list(table.folder.glob(".*.tmp"))


def _write(table, number, start):
    start.wait()
    for repeat in range(3):
        table.append([{"gpu": f"writer {number}", "size": repeat}])


def test_twenty_processes_at_once_lose_no_row(table):
    processes = multiprocessing.get_context("fork")
    start = processes.Barrier(20)
    writers = [processes.Process(target=_write, args=(table, n, start)) for n in range(20)]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join(timeout=120)
    assert [writer.exitcode for writer in writers] == [0] * 20
    rows = table.load()
    assert len(rows) == 60 and set(rows.gpu) == {f"writer {n}" for n in range(20)}


# ---- which card ----------------------------------------------------------------------------

H200_LIKE = ["NVIDIA H200", "NVIDIA H200 NVL", "NVIDIA GH200 480GB", "NVIDIA H2000"]


@pytest.mark.parametrize("asked", ["NVIDIA H200", "H200", "H200 SXM"])
def test_a_card_is_found_by_its_exact_name_only(table, asked):
    table.append({"gpu": name, "size": 1} for name in H200_LIKE)
    assert table.load(gpu=asked).gpu.tolist() == ["NVIDIA H200"]


@pytest.mark.parametrize("asked", H200_LIKE[1:])
def test_a_card_that_is_not_in_the_table_is_found_by_the_drivers_name(table, asked):
    table.append({"gpu": name, "size": 1} for name in H200_LIKE)
    assert table.load(gpu=asked).gpu.tolist() == [asked]


def test_a_part_of_a_name_is_no_name(table):
    table.append([{"gpu": "NVIDIA H200", "size": 1}, {"size": 2}])
    assert table.load(gpu="NVIDIA").empty and table.load(gpu="H20").empty


def test_tables_are_frozen(table):
    with pytest.raises(dataclasses.FrozenInstanceError):
        table.name = "other"
