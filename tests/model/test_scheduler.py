"""The simulated schedulers, against closed forms, bounds and Little's law."""

import math
import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from helpers import specs
from helpers.model import scheduler
from helpers.model.schedule import Program, State

programs = st.builds(
    Program,
    loads=st.integers(1, 4),
    bytes_per_load=st.sampled_from([32, 128, 512]),
    latency=st.integers(20, 60),
    alu=st.integers(0, 4),
    alu_latency=st.integers(1, 6),
    iterations=st.integers(1, 4),
)
machines = st.fixed_dictionaries(
    {
        "schedulers": st.integers(1, 4),
        "max_outstanding": st.none() | st.integers(1, 8),
        "bytes_per_cycle": st.none() | st.sampled_from([4.0, 18.4, 64.0]),
        "policy": st.sampled_from(scheduler.POLICIES),
    }
)
few = settings(max_examples=40, deadline=None)


@given(programs)
def test_one_warp_takes_exactly_the_closed_form(program):
    assert scheduler.simulate(1, program).cycles == program.alone


@given(st.integers(1, 6), st.integers(1, 5), st.integers(1, 4))
def test_arithmetic_alone_waits_for_its_own_results(alu, alu_latency, iterations):
    program = Program(loads=0, alu=alu, alu_latency=alu_latency, iterations=iterations)
    run = scheduler.simulate(1, program)
    assert run.cycles == program.alone == alu * iterations * alu_latency
    assert run.bytes_moved == 0 and not run.load_issued.size


@few
@given(st.integers(1, 20), programs, machines)
def test_a_schedule_keeps_the_books(count, program, machine):
    run = scheduler.simulate(count, program, **machine)
    # Every warp is in one state in every cycle, and every instruction was issued once.
    assert sum(run.count(state) for state in State).tolist() == [count] * run.cycles
    assert (run.state == State.ISSUED).sum(axis=1).tolist() == [program.instructions] * count
    assert run.bytes_moved == count * program.bytes
    # One issue a scheduler and cycle; a ready warp waits for its own scheduler only.
    for s in range(machine["schedulers"]):
        mine = run.state[s :: machine["schedulers"]]
        issuing = (mine == State.ISSUED).sum(axis=0)
        assert issuing.max(initial=0) <= 1
        assert not ((mine == State.READY).any(axis=0) & (issuing == 0)).any()
    # Loads take their latency at least, and never more are in flight than allowed.
    assert (run.load_arrived - run.load_issued >= program.latency).all()
    if machine["max_outstanding"]:
        assert run.in_flight.max() <= machine["max_outstanding"] * program.bytes_per_load


def highest_rate(warps, program, schedulers, max_outstanding, bytes_per_cycle):
    """Return the bytes per cycle of one SM that no schedule exceeds."""
    per_iteration = warps * program.loads * program.bytes_per_load
    fullest = math.ceil(warps / schedulers)  # warps of one scheduler: an instruction a cycle
    rates = [
        per_iteration / program.period,  # each warp moves its bytes once per period
        per_iteration / (fullest * (program.loads + program.alu)),
        bytes_per_cycle or math.inf,
    ]
    if max_outstanding:  # Little's law
        rates.append(max_outstanding * program.bytes_per_load / program.latency)
    return min(rates)


@few
@given(st.integers(1, 20), programs, machines)
def test_littles_law_holds_exactly_and_no_bound_is_broken(count, program, machine):
    run = scheduler.simulate(count, program, **machine)
    latency = (run.load_arrived - run.load_issued).mean()
    assert run.mean_bytes_in_flight == pytest.approx(run.bytes_per_cycle * latency)
    limits = {name: value for name, value in machine.items() if name != "policy"}
    assert run.bytes_per_cycle <= highest_rate(count, program, **limits) * (1 + 1e-9)


@few
@given(st.integers(1, 20), programs, machines)
def test_the_same_arguments_give_the_same_schedule(count, program, machine):
    first, again = (scheduler.simulate(count, program, **machine) for _ in range(2))
    assert np.array_equal(first.state, again.state)


@few
@given(st.integers(1, 16), programs)
def test_more_warps_never_finish_earlier_and_hardly_ever_move_less(count, program):
    """Without limits of the memory; four more warps give each of the four schedulers one."""
    fewer, more = scheduler.simulate(count, program), scheduler.simulate(count + 4, program)
    assert more.cycles >= fewer.cycles
    # Near the issue bound the last warps can finish alone: a short run may lose a little.
    assert count % 4 or more.bytes_per_cycle >= 0.85 * fewer.bytes_per_cycle


def test_warps_hide_latency_until_a_bound_is_met():
    """64 warps with a 128-byte load each reach 16 bytes a cycle; with two the memory's 20."""
    one = Program(loads=1, latency=500, iterations=20)
    two = Program(loads=2, latency=500, iterations=20)
    rates = [
        scheduler.simulate(count, one, bytes_per_cycle=20.0).bytes_per_cycle
        for count in (4, 16, 64)
    ]
    assert rates == pytest.approx([1.02, 4.07, 15.9], rel=0.03)
    assert scheduler.simulate(32, two, bytes_per_cycle=20.0).bytes_per_cycle == pytest.approx(
        rates[2], rel=0.05
    )
    assert scheduler.simulate(64, two, bytes_per_cycle=20.0).bytes_per_cycle == pytest.approx(
        20.0, rel=0.05
    )


def test_the_issue_bound_is_reached_when_warps_are_plenty():
    run = scheduler.simulate(
        64, Program(loads=1, latency=40, alu=8, alu_latency=4, iterations=60)
    )
    half = run.cycles // 2  # towards the end fewer and fewer warps are left to choose from
    assert run.count(State.ISSUED)[:half].mean() > 0.98 * 4
    assert 0.8 < run.issue_utilisation < 0.98
    lonely = scheduler.simulate(
        1, Program(loads=1, latency=500, alu=4, alu_latency=4, iterations=30)
    )
    assert lonely.issue_utilisation == pytest.approx(5 / 513 / 4, rel=0.01)  # a quarter of 1%


def test_taking_turns_keeps_warps_in_step_and_so_hides_less():
    program = Program(loads=1, latency=500, alu=16, alu_latency=4, iterations=40)
    oldest, turns = (
        scheduler.simulate(64, program, policy=policy).issue_utilisation
        for policy in scheduler.POLICIES
    )
    assert oldest == pytest.approx(
        16 * 17 / 561, rel=0.03
    )  # 16 warps a scheduler, 17 instructions in 561 cycles
    assert turns < 0.8 * oldest


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        ({"warps": 0}, "warps"),
        ({"warps": 1, "schedulers": 0}, "schedulers"),
        ({"warps": 1, "max_outstanding": 0}, "max_outstanding"),
        ({"warps": 1, "bytes_per_cycle": 0}, "bytes_per_cycle"),
        ({"warps": 1, "bytes_per_cycle": math.inf}, "bytes_per_cycle"),
        ({"warps": 1, "policy": "random"}, "policy is 'random': choose one of oldest, round"),
    ],
)
def test_a_machine_that_cannot_run_is_refused(arguments, word):
    with pytest.raises(ValueError, match=word):
        scheduler.simulate(**arguments)


# ---- small schedules, cycle by cycle ---------------------------------------------------------


def issues(run) -> list[tuple[int, int]]:
    """List (cycle, warp) of every issue, in order."""
    return sorted(
        (cycle, warp) for warp, cycle in np.argwhere(run.state == State.ISSUED).tolist()
    )


def test_every_state_of_two_warps():
    run = scheduler.simulate(2, Program(latency=3, alu_latency=2, iterations=1), schedulers=1)
    i, r, w, d = State.ISSUED, State.READY, State.STALLED, State.DONE
    assert run.state.tolist() == [[i, w, w, i, w, d], [r, i, w, w, i, w]]
    assert run.in_flight.tolist() == [128, 256, 256, 128, 0, 0]
    assert (run.load_issued.tolist(), run.load_arrived.tolist()) == ([0, 1], [3, 4])
    assert run.schedulers == 1 and run.state.dtype == np.uint8


@pytest.mark.parametrize(
    "policy, order", [("oldest", [0, 0, 1, 1, 2, 2]), ("round robin", [0, 1, 2, 0, 1, 2])]
)
def test_the_policies_choose_in_their_order(policy, order):
    program = Program(loads=0, alu=2, alu_latency=1, iterations=1)
    run = scheduler.simulate(3, program, schedulers=1, policy=policy)
    assert issues(run) == list(enumerate(order))


def test_round_robin_goes_on_after_the_last_one_chosen():
    """Warps 0 and 2 belong to the first scheduler, which alternates between them."""
    program = Program(loads=0, alu=3, alu_latency=1, iterations=1)
    run = scheduler.simulate(3, program, schedulers=2, policy="round robin")
    assert [warp for _, warp in issues(run) if warp != 1] == [0, 2, 0, 2, 0, 2]
    assert [cycle for cycle, warp in issues(run) if warp == 1] == [0, 1, 2]


def test_schedulers_take_turns_when_the_memory_has_room_for_one_load():
    program = Program(loads=1, alu=0, latency=3, iterations=2)
    run = scheduler.simulate(2, program, schedulers=2, max_outstanding=1)
    assert issues(run) == [(0, 0), (3, 1), (6, 0), (9, 1)]
    assert run.cycles == 12 and run.in_flight.tolist() == [128] * 12


def test_a_transfer_that_is_longer_than_the_latency_ends_the_load():
    program = Program(loads=1, alu=0, latency=10, iterations=1)
    run = scheduler.simulate(2, program, bytes_per_cycle=4)  # 32 cycles a transfer
    assert run.load_arrived.tolist() == [32, 64]
    run = scheduler.simulate(2, program, bytes_per_cycle=25.6)  # 5 cycles
    assert run.load_arrived.tolist() == [10, 15]
    run = scheduler.simulate(3, program, bytes_per_cycle=100)  # 1.28 cycles: 1.28, 2.56
    assert run.load_arrived.tolist() == [10, 12, 13]


def test_a_memory_that_has_been_idle_starts_at_once():
    program = Program(loads=1, alu=1, latency=10, alu_latency=50, iterations=2)
    run = scheduler.simulate(1, program, bytes_per_cycle=64)  # 2 cycles a transfer
    assert (run.load_issued.tolist(), run.load_arrived.tolist()) == ([0, 11], [10, 21])


def test_independent_loads_issue_in_a_row_and_arithmetic_waits_for_all():
    program = Program(loads=3, alu=2, latency=10, alu_latency=4, iterations=1)
    run = scheduler.simulate(1, program)
    assert [cycle for cycle, _ in issues(run)] == [0, 1, 2, 12, 16]
    assert run.cycles == 20


def test_by_default_ten_iterations_on_four_schedulers():
    run = scheduler.simulate(4)
    assert run.program == Program() and run.schedulers == 4
    assert run.cycles == Program().alone  # a scheduler each: no warp waits
    assert scheduler.simulate(2, policy="oldest").cycles == Program().alone


def test_more_schedulers_than_warps():
    run = scheduler.simulate(2, Program(iterations=1), schedulers=5)
    assert run.issue_utilisation == pytest.approx(4 / (5 * run.cycles))


# ---- bounds ----------------------------------------------------------------------------------


def test_the_simulator_meets_littles_law_for_random_machines():
    draw = random.Random(1)
    for _ in range(10):
        count, latency = draw.randint(1, 40), draw.randint(100, 400)
        program = Program(loads=draw.randint(1, 3), latency=latency, alu=0, iterations=40)
        rate = scheduler.simulate(count, program).bytes_per_cycle
        in_flight = count * program.loads * program.bytes_per_load
        assert rate == pytest.approx(in_flight / latency, rel=0.15)  # issuing takes cycles too


def test_time_to_issue():
    h200 = specs.gpu("H200 SXM")
    # 528 schedulers, an instruction a cycle each: 528 x 1980 warps of one take a microsecond.
    assert scheduler.issue_time_us(h200, 528 * 1980, 1) == pytest.approx(1)
    assert scheduler.issue_time_us(h200, 100, 50) == scheduler.issue_time_us(h200, 50, 100)
    with pytest.raises(ValueError, match="clock"):
        scheduler.issue_time_us(specs.gpu("B200"), 1, 1)
