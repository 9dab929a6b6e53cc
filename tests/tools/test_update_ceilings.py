"""The model's measured constants are those of data/roofs.csv, copied by the tool."""

import csv
import runpy

import pytest

from helpers import paths
from helpers.measure import store

TOOL = runpy.run_path(str(paths.ROOT / "tools" / "update_ceilings.py"))
PATH = paths.DATA / "ceilings.csv"
TEXT = PATH.read_text(encoding="utf-8")
FIRST, LATER = "f2342f781123", "974533a7903b"


def rows(text):
    return list(csv.DictReader(text.splitlines()))


MEASURED = [row for row in rows(TEXT) if row["how"] == "measured"]


def test_the_committed_constants_are_the_recorded_ones():
    assert TOOL["updated_table"](TEXT, "H200 SXM") == TEXT
    assert len(MEASURED) == 9 and {row["gpu"] for row in MEASURED} == {"H200 SXM"}


@pytest.mark.parametrize("row", MEASURED, ids=lambda row: row["quantity"])
def test_a_measured_constant_is_the_roof_that_it_names(row):
    commit = TOOL["SOURCE"].search(row["source"])[1]
    name = {"block_rate": "block_rate_256"}.get(row["quantity"], row["quantity"])
    roof = store.ROOFS.load(quantity=name, commit=commit, gpu=row["gpu"]).iloc[0]
    assert float(row["value"]) == pytest.approx(roof.value, rel=2.5e-3)
    assert row["unit"] == roof.unit


def test_a_value_typed_in_by_hand_is_put_right():
    wrong = TEXT.replace(",launch_us,0.556,", ",launch_us,0.78,")
    assert wrong != TEXT and TOOL["updated_table"](wrong, "H200 SXM") == TEXT
    assert TOOL["updated_table"](wrong, "GeForce RTX 5090") == wrong


def test_the_roofs_of_another_commit():
    updated = rows(TOOL["updated_table"](TEXT, "H200 SXM", LATER))
    found = {row["quantity"]: row for row in updated if row["gpu"] == "H200 SXM"}
    assert found["launch_us"]["value"] == "0.775" and found["l2_GBps"]["value"] == "9230"
    assert found["dram_GBps"]["value"] == "4366" and found["block_rate"]["value"] == "1.66e9"
    assert found["block_rate_768"]["value"] == "1.533e9"
    assert LATER in found["launch_us"]["source"] and FIRST not in found["launch_us"]["source"]
    assert found["l2_MiB"]["value"] == "27.7"  # inferred: as it was


def test_what_was_not_recorded_is_named():
    with pytest.raises(KeyError, match="no launch_us of H200 SXM by commit 0000"):
        TOOL["updated_table"](TEXT, "H200 SXM", "0000")
    with pytest.raises(KeyError, match=rf"there are: .*{FIRST}.*On that card, `make record`"):
        TOOL["updated_table"](TEXT, "H200 SXM", "0000")
    with pytest.raises(KeyError, match="no rows of it at all"):
        TOOL["recorded"]("GeForce RTX 5090", "launch_us", FIRST)
    with pytest.raises(ValueError, match="names no commit"):
        TOOL["updated"](MEASURED[0] | {"source": "by hand"})


@pytest.mark.parametrize(
    ("change", "arguments", "words"),
    [
        ("", ["--commit", "zzz"], "by commit zzz in roofs.csv; there are: "),
        ("by hand", [], "names no commit"),
    ],
)
def test_a_mistake_ends_with_the_usage_and_changes_nothing(
    tmp_path, monkeypatch, capsys, change, arguments, words
):
    text = TEXT.replace(f"roofs.csv, commit {FIRST}", change) if change else TEXT
    (tmp_path / "ceilings.csv").write_text(text, encoding="utf-8")
    monkeypatch.setattr(paths, "DATA", tmp_path)
    with pytest.raises(SystemExit) as ended:
        TOOL["main"](["H200 SXM", *arguments])
    said = capsys.readouterr().err
    assert ended.value.code == 2 and said.startswith("usage: ") and words in said
    assert (tmp_path / "ceilings.csv").read_text(encoding="utf-8") == text


def test_the_command_says_how_many_rows_changed(tmp_path, monkeypatch, capsys):
    (tmp_path / "ceilings.csv").write_text(
        TEXT.replace(",l2_latency_ns,145,", ",l2_latency_ns,1,")
    )
    monkeypatch.setattr(paths, "DATA", tmp_path)
    assert TOOL["main"](["H200"]) == 0
    assert capsys.readouterr().out == "ceilings.csv: 1 rows changed\n"
    assert (tmp_path / "ceilings.csv").read_text() == TEXT


def test_an_unknown_card_is_refused_in_a_sentence(capsys):
    with pytest.raises(SystemExit) as stopped:
        TOOL["main"](["NVIDIA Nobody"])
    assert stopped.value.code == 2
    assert "'NVIDIA Nobody' is not in data/gpus.csv" in capsys.readouterr().err
