"""Predictions beside measurements, and the README's results, which data/ alone decide."""

import math
from dataclasses import replace
from types import SimpleNamespace

import pandas as pd
import pytest

from helpers import paths, specs
from helpers.model import ceilings, ladder
from helpers.teach import tables

H200 = specs.gpu("H200 SXM").dram_GBps


def row(kernel, dtype, time_us, **others):
    elements, item = 1 << 28, 4 if dtype == "float32" else 2
    return {
        "kernel": kernel,
        "dtype": dtype,
        "elements": elements,
        "method": "graph hot",
        "block_size": None,
        "time_us": time_us,
        "gb_per_s": 3 * item * elements / time_us / 1e3,
        "gpu": "NVIDIA H200",
    } | others


def frame(*rows):
    return pd.DataFrame(rows)


def predict(kernel, card="H200 SXM", **options):
    return ceilings.predict(ladder.SHAPES[kernel], 1 << 28, card, **options)


def test_each_row_is_predicted_with_its_own_cards_constants():
    rows = frame(
        row("v1_f32", "float32", 900), row("v1_f32", "float32", 900, gpu="GeForce RTX 5090")
    )
    got = tables.with_predictions(rows)
    expected = [predict("v1_f32"), predict("v1_f32", "GeForce RTX 5090")]
    assert got.predicted_us.tolist() == [p.time_us for p in expected]
    assert got.ceiling.tolist() == [p.ceiling for p in expected]
    assert got.time_us.tolist() == [900, 900]
    assert "predicted_us" not in rows


def test_the_card_the_method_hot_and_the_block_size_count():
    rows = frame(
        row("v4_f16x2", "float16", 600, gpu="printed"),
        row("v4_f16x2", "float16", 600, method="graph cold"),
        row("v4_f16x2", "float16", 600, block_size=256),
    )
    got = tables.with_predictions(rows, "GeForce RTX 5090", method="wall clock").predicted_us
    card = {"card": "GeForce RTX 5090", "method": "wall clock"}
    cold = predict("v4_f16x2", hot=False, **card)
    wide = ceilings.predict(ladder.launch_shape("v4_f16x2", "float16", 256), 1 << 28, **card)
    assert got.tolist() == [predict("v4_f16x2", **card).time_us, cold.time_us, wide.time_us]
    graph = tables.with_predictions(rows, "GeForce RTX 5090").predicted_us
    assert graph[0] == predict("v4_f16x2", "GeForce RTX 5090").time_us


def test_torch_add_is_predicted_by_dtype():
    got = tables.with_predictions(frame(row("torch.add", "float16", 400))).predicted_us[0]
    shape = ladder.launch_shape("torch.add", "float16")
    assert got == ceilings.predict(shape, 1 << 28, "H200 SXM").time_us


def test_a_card_of_which_nothing_is_known_has_no_prediction():
    rows = frame(
        row("v1_f32", "float32", 900, gpu="NVIDIA Nobody 1"), row("v1_f32", "float32", 900)
    )
    got = tables.with_predictions(rows)
    assert math.isnan(got.predicted_us[0])
    assert got.ceiling.tolist() == ["", predict("v1_f32").ceiling]
    with pytest.raises(KeyError, match="Nobody 1"):
        tables.with_predictions(rows, "Nobody 1")


def test_another_cards_rows_are_predicted_from_its_specification():
    rows = frame(row("v1_f32", "float32", 900, gpu="NVIDIA L40S"))
    expected = predict("v1_f32", "L40S")
    assert tables.with_predictions(rows).predicted_us[0] == expected.time_us
    assert expected.card.how["dram_GBps"] == "estimated"


def test_this_machines_constants_are_measured_where_none_are_recorded(monkeypatch):
    here = SimpleNamespace(name="NVIDIA Nobody's 9000", spec=specs.gpu("L40S"), is_gpu=True)
    monkeypatch.setattr(tables.machine, "present", lambda: here)
    monkeypatch.setattr(tables.roofs, "this_card", lambda: ceilings.card("H200 SXM"))
    rows = frame(row("v1_f32", "float32", 900, gpu=here.name))
    assert tables.with_predictions(rows).predicted_us[0] == predict("v1_f32").time_us
    assert tables.constants_of("NVIDIA L40S") == ceilings.card("L40S")
    assert tables.constants_of("NVIDIA Another 1") is None
    here.name, here.spec = "NVIDIA H200", specs.gpu("H200 SXM")
    assert tables.constants_of("NVIDIA H200") is ceilings.card("H200 SXM")
    here.spec = replace(here.spec, name="NVIDIA H200")  # by facts: it is another card
    assert tables.constants_of("NVIDIA H200") is tables.roofs.this_card()


def test_the_ladders_table_has_units_and_shares():
    rows = frame(
        row("v1_f32", "float32", 900.123), row("v1_f32", "float32", 1000, gpu="Nobody's 9000")
    )
    table = tables.ladder_table(rows)
    expected = ["kernel", "dtype", "elements", "time (us)", "GB/s", "of roof", "predicted (us)"]
    assert list(table.columns) == [*expected, "ceiling"]
    assert table["time (us)"].tolist() == [900.12, 1000]
    gb_per_s = 12 * (1 << 28) / 900.123e3
    assert table["GB/s"].tolist() == [round(gb_per_s), 3221]
    assert table["of roof"].tolist() == [f"{100 * gb_per_s / H200:.0f}%", ""]
    assert table["predicted (us)"][0] == round(predict("v1_f32").time_us, 2)


def test_the_readmes_ratio_is_the_librarys_time_over_the_kernels():
    rows = frame(
        row("torch.add", "float32", 740),
        row("v1_f32", "float32", 1480),
        row("torch.add", "float16", 360),
        row("v6_f16x8_pack", "float16", 300),
    )
    sweep = frame(row("v6_f16x8_pack", "float16", 370, block_size=256))
    article = frame(
        *(row(r.kernel, r.dtype, 2000 + i) for i, r in enumerate(rows.itertuples()))
    )
    lines = tables.readme_ladder(rows, sweep, article).splitlines()
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[2:]]
    assert [cell[:2] for cell in cells] == rows[["kernel", "dtype"]].to_numpy().tolist()
    assert [cell[2] for cell in cells] == ["740", "1,480", "360", "300"]
    assert cells[1][3] == f"2,177 ({100 * 2176.5 / H200:.0f}%)"
    assert [cell[4] for cell in cells] == ["1.00", "0.50", "1.00", "1.20"]
    assert cells[1][5] == predict("v1_f32").ceiling
    assert [cell[6] for cell in cells] == ["", "", "", "4,353"]
    assert cells[3][7] == f"{6 * (1 << 28) / 2003e3:,.0f}"
    assert len(lines[0].split("|")) == len(lines[1].split("|")) == len(lines[2].split("|"))


def test_a_version_that_the_article_has_not_leaves_its_column_empty():
    rows = frame(row("torch.add", "float32", 740), row("v1_f32", "float32", 1480))
    printed = frame(row("torch.add", "float32", 2000))
    lines = tables.readme_ladder(rows, rows, printed).splitlines()
    assert [line.split("|")[-2].strip() for line in lines[2:]] == ["1,611", ""]


def test_the_readme_holds_what_the_records_say():
    text = tables.README.read_text(encoding="utf-8")
    assert tables.with_results(text) == text, "run: python -m helpers.teach.tables"


def test_a_readme_without_a_place_for_the_results():
    with pytest.raises(ValueError, match="no <!-- results:"):
        tables.with_results("# Course\n")


def test_main_writes_the_readme_and_its_figures(tmp_path, monkeypatch, capsys):
    readme = tmp_path / "README.md"
    readme.write_text("<!-- results: from -->\nold\n<!-- end of results -->\nend\n", "utf-8")
    monkeypatch.setattr(tables, "README", readme)
    monkeypatch.setattr(tables, "FIGURES", tmp_path / "figures")
    monkeypatch.setattr(tables.paths, "ROOT", tmp_path)
    monkeypatch.setattr(tables, "readme_results", lambda: "new")
    assert tables.main() == 0
    text = "<!-- results: from -->\nnew\n<!-- end of results -->\nend\n"
    assert readme.read_text(encoding="utf-8") == text
    figures = sorted(path.name for path in (tmp_path / "figures").iterdir())
    assert figures == ["ladder.png", "working_set.png"]
    assert capsys.readouterr().out == "wrote the results of README.md and figures/\n"


def test_a_record_that_no_constant_has_seen():
    """Of a whole day's record on an H200: at least 95% of the times within 10%."""
    rows = pd.read_csv(paths.DATA / "blind_runs.csv", dtype={"block_size": "Int64"})
    adds = rows[rows.experiment.isin(["ladder", "block sweep", "working set"])]
    adds = adds[adds.method.str.startswith("graph")]
    counts = adds.groupby("experiment").size().to_dict()
    assert counts == {"ladder": 78, "block sweep": 576, "working set": 192}
    for _, some in adds.groupby("experiment"):
        predicted = tables.with_predictions(some)
        error = (predicted.predicted_us / predicted.time_us - 1).abs()
        assert error.notna().all() and (error < 0.1).mean() > 0.95 and error.max() < 0.2


def test_other_kernels_are_predicted_beside_their_recorded_times():
    table = tables.other_kernels()
    assert set(table.role) == {"held out"} and len(table) == 204
    assert list(table.off) == pytest.approx(list(table.predicted_us / table.time_us - 1))
    (cupy,) = (
        table[(table.kernel == "CuPy add") & (table.elements == 1 << 28)].head(1).itertuples()
    )
    assert cupy.ceiling == "block rate" and cupy.predicted_us == pytest.approx(1262, rel=0.01)
