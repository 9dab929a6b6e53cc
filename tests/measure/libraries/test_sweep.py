"""The sweep has the cells that may set the rule, and a name for every launch."""

import torch

from helpers.measure.libraries import cells, interleaved, sweep
from helpers.measure.libraries.candidates import Candidate
from helpers.measure.libraries.interleaved import BETWEEN, HOT, Setting
from helpers.measure.libraries.operators import Operator

ADD = Operator.of("add", "float32", "float32")


def test_the_settings_are_the_cells_of_the_rule_and_slices_and_neighbours():
    settings = sweep.settings()
    assert len(settings) == len(set(settings)) == len(set(map(sweep.key, settings)))
    plain = [s for s in settings if not s.offsets and s.method != BETWEEN]
    drawn = {cell[:5] for cell in cells.draw() if cell.role == "rule"}
    assert {sweep.key(setting)[:5] for setting in plain} == drawn and len(plain) == 64
    assert sum(bool(s.offsets) for s in settings) == 39
    for setting in settings:
        assert len(setting.offsets) in (0, setting.operator.kind.arity + 1)


def test_short_work_has_programmatic_launches_and_long_work_bulk_copies():
    short, long = sweep.launches(ADD, 1 << 16), sweep.launches(ADD, 1 << 28)
    assert "packs 1 x 512, programmatic" in short and "packs 1 x 512, programmatic" not in long
    assert not any(name.startswith("bulk") for name in short)
    # 256 threads x 2 packs x 16 bytes x 2 inputs: 16 KB a tile
    assert long["bulk 2 x 256, 48 KB"] == {
        "path": 2,
        "threads": 256,
        "packs": 2,
        "tiles_per_sm": 3,
        "programmatic": 0,
    }
    assert long["packs 2 x 256, streaming"]["streaming"] == 1
    assert long["packs 2 x 256"]["streaming"] == 2
    assert long["bulk 1 x 256, all"]["tiles_per_sm"] == 64


def test_a_bias_takes_no_shared_memory():
    one = Operator.of("bias_gelu_residual", "float32", "float32")
    assert sweep._bulk(one).keys() == sweep._bulk(ADD).keys()


def test_a_setting_gives_a_row_for_each_candidate(fake_gpu, monkeypatch):
    monkeypatch.setattr(interleaved, "_handle", lambda: None)

    def course(operator, name, knobs):
        return Candidate("course", "", lambda x, out: lambda: torch.add(*x, out=out), name)

    monkeypatch.setattr(sweep.operator_peers, "course", course)
    rows = list(sweep.rows(Setting(ADD, 1 << 12, HOT)))
    names = sweep.launches(ADD, 1 << 12)
    assert [row["variant"] for row in rows if row["candidate"] == "course"] == list(names)
    assert rows[-1]["candidate"] in ("torch", "Triton")
    first = rows[0]
    assert (first["operator"], first["elements"], first["offsets"]) == ("add", 4096, "")
    assert first["gb_per_s"] == 12 * 4096 / first["time_us"] / 1e3
    assert set(first) <= set(sweep.SWEEP.table.columns)
