"""Give tests the cards of tests/cards.csv: a test that asks for `each_card` runs for each.

The card's facts replace the whole of what `helpers.run.gpu.ask` collects.
"""

from pathlib import Path

import pytest

from helpers import specs
from helpers.emulator import isolated
from helpers.run import gpu, machine
from helpers.run.doctor import Facts
from helpers.run.toolchain import Nvcc

FILE = Path(__file__).with_name("cards.csv")
NVCC = Nvcc(Path("/usr/local/cuda"), "13.0", "PATH")


def facts_of(row: dict[str, str]) -> gpu.GpuFacts:
    """Make a card's facts of a row; an empty cell is None."""

    def number(column: str, unit: int = 1) -> int | None:
        return int(row[column]) * unit if row[column] else None

    major, minor = row["cc"].split(".")
    known = specs.compute_capabilities().get(row["cc"])
    return gpu.GpuFacts(
        name=row["name"],
        capability=(int(major), int(minor)),
        sm_count=number("sm_count"),
        l2_bytes=number("l2_KiB", 1 << 10),
        memory_bytes=number("memory_MiB", 1 << 20),
        memory_clock_khz=number("memory_clock_MHz", 1000),
        memory_bus_bits=number("bus_bits"),
        clock_khz=number("clock_MHz", 1000),
        registers_per_sm=known.regs_per_sm if known else None,
        shared_bytes_per_sm=known.smem_per_sm_bytes if known else None,
        threads_per_sm=known.max_threads_per_sm if known else None,
        integrated=bool(row["integrated"]),
        driver="580.1",
        driver_cuda="13.0",
    )


def rows() -> list[dict[str, str]]:
    """Read the rows of tests/cards.csv."""
    import csv

    return list(csv.DictReader(specs.data_lines(FILE)))


ROWS = {facts_of(row).name: row for row in rows()}


def machine_facts(card: gpu.GpuFacts) -> Facts:
    """Make the facts of a machine on which everything fits a card."""
    return Facts(
        torch="2.13.0+cu130",
        cuda="13.0",
        archs=(card.arch,),
        card=card,
        has_gpu=True,
        nvcc=NVCC,
    )


def pytest_generate_tests(metafunc):
    """Run a test that asks for `each_card` once for each card."""
    if "each_card" in metafunc.fixturenames:
        metafunc.parametrize(
            "each_card", [facts_of(row) for row in ROWS.values()], ids=list(ROWS)
        )


@pytest.fixture
def expected_row(each_card):
    """Return the name of the card's row in data/gpus.csv; "" if it has none."""
    return ROWS[each_card.name]["row"]


@pytest.fixture
def here(each_card, monkeypatch):
    """Make this machine one with the card, whose tensors lie on the CPU; returns it."""
    described = machine.describe(machine_facts(each_card))
    monkeypatch.setattr(machine, "present", lambda: described)
    monkeypatch.setattr(machine.Machine, "device", "cpu")
    return described


@pytest.fixture
def no_gpu(monkeypatch):
    """Let the emulator run the kernels, whatever this machine has."""
    import torch

    emulator = machine.emulator("a test wants it", torch.__version__)
    monkeypatch.setattr(machine, "present", lambda: emulator)


@pytest.fixture
def records(tmp_path, monkeypatch):
    """Let the store's tables lie in an empty folder; returns the folder."""
    import dataclasses

    from helpers.measure import store

    for name, table in vars(store).copy().items():
        if isinstance(table, store.Table):
            monkeypatch.setattr(store, name, dataclasses.replace(table, folder=tmp_path))
    return tmp_path


@pytest.fixture
def in_this_process(monkeypatch):
    """Make first launches on guarded copies here: the fork of a call takes most of the time.

    For kernels of the course, which are not expected to end this process.
    """
    monkeypatch.setattr(isolated, "CAN_FORK", False)
