"""The rule's neighbours are what they say, and are set beside the fastest library."""

import pytest
import torch

from helpers.measure.libraries import comparison, tuning
from helpers.measure.libraries.candidates import Candidate
from helpers.measure.libraries.operations import Operation
from helpers.measure.timing import Times

CELL = comparison.Cell(Operation("add", torch.float32), 1 << 20, "graph hot")


def test_the_neighbours():
    assert tuning.NEIGHBOURS["rule"] == {}
    assert tuning.NEIGHBOURS["packs 512"] == {"path": 1, "threads": 512}
    assert tuning.NEIGHBOURS["bulk 7 tiles"] == {"path": 2, "tiles_per_sm": 7}
    assert tuning.NEIGHBOURS["bulk 512 x 3"] == {"path": 2, "threads": 512, "tiles_per_sm": 3}
    assert tuning.NEIGHBOURS["bulk 1024 x 2, prefetch"] == {
        "path": 2,
        "threads": 1024,
        "tiles_per_sm": 2,
        "prefetch": 1,
    }
    assert len(tuning.NEIGHBOURS) == 18
    choices = [tuple(sorted(choice.items())) for choice in tuning.NEIGHBOURS.values()]
    assert len(set(choices)) == 18


@pytest.fixture
def timed(monkeypatch):
    """Give every variant 4 us, the rule 2 us, torch 3 us and CuPy 1 us."""
    us = {"rule": 2.0, "torch": 3.0, "CuPy": 1.0, "torch.compile": 1.0}

    def measure_cell(cell, candidates, rounds):
        asked.append((cell, rounds))
        return {one: Times(((us.get(one.variant or one.name, 4.0),),)) for one in candidates}

    def libraries(operation):
        return [
            Candidate(name, "", lambda *_: None) for name in ("torch", "CuPy", "torch.compile")
        ]

    asked = []
    monkeypatch.setattr(tuning, "measure_cell", measure_cell)
    monkeypatch.setattr(tuning, "libraries", libraries)
    return asked


def test_ratios_are_to_the_fastest_library(timed):
    ratios = tuning.tune_cell(CELL, rounds=7)
    assert timed == [(CELL, 7)]
    assert ratios["rule"] == 1.5 and ratios["bulk"] == 0.75
    assert ratios["library"] == 3.0  # us; CuPy and torch.compile are left out
    assert set(ratios) == {*tuning.NEIGHBOURS, "library"}


def test_every_cell_but_bfloat16(timed, monkeypatch):
    checked = []
    monkeypatch.setattr(tuning.bench, "require_gpu", lambda: None)
    monkeypatch.setattr(tuning, "check_course", lambda: checked.append(True))
    table = tuning.tune()
    assert checked == [True]
    assert len(timed) == table.shape[1] == 3 * 3 * 2
    assert "add float16, 16,777,216, graph cold" in table
    assert {rounds for _, rounds in timed} == {15}
    assert table.loc["rule"].eq(1.5).all()
