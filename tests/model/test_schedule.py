"""A program's counts and closed forms, and what a schedule made by hand adds up to."""

import numpy as np
import pytest

from helpers.model.schedule import Program, Schedule, State

# ---- programs --------------------------------------------------------------------------------


def test_the_defaults_are_one_load_of_four_bytes_a_lane_and_one_instruction():
    program = Program()
    assert (program.loads, program.bytes_per_load, program.latency) == (1, 128, 500)
    assert (program.alu, program.alu_latency, program.iterations) == (1, 4, 10)


def test_instructions_and_bytes_of_a_warp():
    program = Program(loads=3, bytes_per_load=512, alu=5, iterations=7)
    assert program.instructions == (3 + 5) * 7
    assert program.bytes == 3 * 512 * 7


@pytest.mark.parametrize(
    "loads, alu, period, alone",
    [
        (3, 5, 3 + 100 + 4 * 6, 7 * 127 - 1 + 6),
        (1, 1, 1 + 100, 7 * 101 - 1 + 6),
        (3, 0, 2 + 100, 7 * 102),
        (0, 5, 5 * 6, 7 * 30),
        (0, 1, 6, 7 * 6),
    ],
)
def test_cycles_of_a_warp_alone(loads, alu, period, alone):
    program = Program(loads=loads, alu=alu, latency=100, alu_latency=6, iterations=7)
    assert (program.period, program.alone) == (period, alone)


@pytest.mark.parametrize(
    "field, least",
    [
        ("loads", 0),
        ("alu", 0),
        ("bytes_per_load", 1),
        ("latency", 1),
        ("alu_latency", 1),
        ("iterations", 1),
    ],
)
def test_counts_have_their_least_values(field, least):
    assert getattr(Program(**{field: least}), field) == least
    assert getattr(Program(**{field: np.int64(5)}), field) == 5
    text = rf"Program\.{field} is .*whole number of at least {least}"
    for bad in (least - 1, 1.5, "1"):
        with pytest.raises(ValueError, match=text):
            Program(**{field: bad})


def test_a_program_that_does_nothing_is_refused():
    with pytest.raises(ValueError, match="does nothing: set loads or alu"):
        Program(loads=0, alu=0)


# ---- schedules -------------------------------------------------------------------------------


@pytest.fixture
def schedule():
    """Two warps of one load each, on two schedulers; the second one's load arrives later."""
    state = [[2, 0, 0, 2, 3, 3], [1, 2, 0, 0, 0, 2]]
    return Schedule(
        Program(bytes_per_load=64),
        schedulers=2,
        state=np.array(state, dtype=np.uint8),
        in_flight=np.array([64, 128, 128, 64, 64, 0]),
        load_issued=np.array([0, 1]),
        load_arrived=np.array([3, 5]),
    )


def test_totals(schedule):
    assert (schedule.warps, schedule.cycles, schedule.bytes_moved) == (2, 6, 128)
    assert schedule.bytes_per_cycle == pytest.approx(128 / 6)
    assert schedule.issue_utilisation == pytest.approx(4 / 12)
    assert schedule.mean_bytes_in_flight == pytest.approx(448 / 6)


def test_warps_in_a_state(schedule):
    assert schedule.count(State.ISSUED).tolist() == [1, 1, 0, 1, 0, 1]
    assert schedule.count(State.READY).tolist() == [1, 0, 0, 0, 0, 0]
    assert schedule.count(State.STALLED).tolist() == [0, 1, 2, 1, 1, 0]
    assert schedule.count(State.DONE).tolist() == [0, 0, 0, 0, 1, 1]


def test_without_loads_nothing_is_moved(schedule):
    none = np.array([], dtype=np.int64)
    empty = Schedule(Program(loads=0), 2, schedule.state, schedule.in_flight, none, none)
    assert empty.bytes_moved == 0
