"""Constants are kept for a card, driver and clock, and for nothing else."""

import dataclasses
import json
from dataclasses import dataclass

import pytest

from helpers.measure import kept_roofs, store
from helpers.run import machine
from helpers.run.gpu import GpuFacts


@dataclass
class Constants:
    launch_us: float
    block_rate: dict[int, float]
    l2_MiB: float | None = None


FOUND = Constants(0.5, {256: 1.6e9, 1024: 1.4e9})


@pytest.fixture(autouse=True)
def cache(fake_gpu, tmp_path, monkeypatch):
    monkeypatch.setenv("ELEMENTWISE_CACHE", str(tmp_path))
    monkeypatch.setattr(store, "today", lambda: "2026-11-21")
    return tmp_path


def test_what_is_saved_is_loaded_with_its_day(cache):
    assert kept_roofs.load(Constants) is None
    kept_roofs.save(FOUND)
    assert kept_roofs.load(Constants) == (FOUND, "2026-11-21")
    (file,) = (cache / "roofs").iterdir()
    assert file == kept_roofs.path() and len(file.stem) == 16


FACTS = GpuFacts("NVIDIA H200", (9, 0), clock_khz=1, memory_clock_khz=1)


@pytest.mark.parametrize(
    "changes",
    [
        {"name": "NVIDIA H100"},
        {"cc": "10.0"},
        {"sm_count": 66},
        {"l2_bytes": 1},
        {"memory_bytes": 1},
        {"driver": "581"},
        {"torch": "2.13"},
        {"cuda": "12.8"},
        {"facts": FACTS},
    ],
)
def test_another_card_driver_or_version_is_measured_anew(monkeypatch, changes):
    kept_roofs.save(FOUND)
    here = dataclasses.replace(machine.present(), **changes)
    monkeypatch.setattr(machine, "present", lambda: here)
    assert kept_roofs.load(Constants) is None


@pytest.mark.parametrize("clock", ["clock_khz", "memory_clock_khz"])
def test_another_clock_is_measured_anew(monkeypatch, clock):
    here = dataclasses.replace(machine.present(), facts=FACTS)
    monkeypatch.setattr(machine, "present", lambda: here)
    kept_roofs.save(FOUND)
    assert kept_roofs.load(Constants) is not None
    other = dataclasses.replace(here, facts=dataclasses.replace(FACTS, **{clock: 2}))
    monkeypatch.setattr(machine, "present", lambda: other)
    assert kept_roofs.load(Constants) is None


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        '{"day": "d"}',
        '{"day": "d", "constants": {"block_rate": 3}}',
        '{"day": "d", "constants": {"block_rate": {"x": 3}}}',
        '{"day": "d", "constants": {"block_rate": {}, "of_another_version": 1}}',
    ],
)
def test_a_damaged_file_counts_as_none(text):
    kept_roofs.save(FOUND)
    kept_roofs.path().write_text(text)
    assert kept_roofs.load(Constants) is None


def test_a_folder_that_cannot_be_written_is_no_error(cache, monkeypatch):
    (cache / "roofs").write_text("a file")
    kept_roofs.save(FOUND)
    assert kept_roofs.load(Constants) is None
    (cache / "roofs").unlink()

    def full(*_):
        raise OSError("disk full")

    monkeypatch.setattr(kept_roofs.os, "replace", full)
    kept_roofs.save(FOUND)
    assert kept_roofs.load(Constants) is None


def test_the_command_forgets(capsys):
    kept_roofs.save(FOUND)
    assert json.loads(kept_roofs.path().read_text())["constants"]["launch_us"] == 0.5
    assert kept_roofs.main() == 0 and not kept_roofs.path().exists()
    assert kept_roofs.main() == 0
    removed, nothing = capsys.readouterr().out.splitlines()
    assert removed.startswith("removed") and nothing == "nothing was kept"


def test_the_folder_is_made_with_those_above_it_and_may_be_there(cache, monkeypatch):
    monkeypatch.setattr(kept_roofs.cache, "own", lambda: cache / "not" / "there")
    for _ in range(2):
        kept_roofs.save(FOUND)
    assert kept_roofs.load(Constants) == (FOUND, "2026-11-21")
    (file,) = (cache / "not/there/roofs").iterdir()
    assert json.loads(file.read_text())["day"] == "2026-11-21"
