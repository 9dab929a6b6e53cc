"""Warps, divergence, shuffles, banks, the scheduler and Little's law, against closed forms and independent counts."""

import itertools
import math
import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from helpers import specs
from helpers.model import warps
from helpers.model.warps import Program, State

# ---- layout -------------------------------------------------------------------------------------------------------


def test_a_16_by_16_block_puts_two_rows_in_each_warp():
    layout = warps.thread_layout((16, 16))
    assert layout.warp.shape == (1, 16, 16)
    assert layout.warp[0, :, 0].tolist() == [row // 2 for row in range(16)]
    assert layout.lane[0, 1].tolist() == list(range(16, 32))
    assert (layout.threads, layout.warps, layout.idle_lanes) == (256, 8, 0)


@given(st.integers(1, 40), st.integers(1, 8), st.integers(1, 3))
def test_threads_are_numbered_as_three_nested_loops_would(dx, dy, dz):
    layout = warps.thread_layout((dx, dy, dz))
    number = 0
    for z, y, x in itertools.product(range(dz), range(dy), range(dx)):  # x fastest
        assert layout.linear[z, y, x] == number
        assert 32 * layout.warp[z, y, x] + layout.lane[z, y, x] == number
        number += 1
    assert layout.warps * 32 - layout.idle_lanes == number


@pytest.mark.parametrize("block", [0, (0, 4), 1025, (1, 1, 65), (32, 33), (), (2, 2, 2, 2), -1])
def test_a_block_that_no_gpu_launches_is_refused(block):
    with pytest.raises(ValueError, match="block"):
        warps.thread_layout(block)


# ---- divergence ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("threads_a", "cycles", "utilisation"),
    [
        (32, 100, "100.00%"),
        (0, 1, "100.00%"),
        (16, 101, "50.00%"),
        (31, 101, "95.95%"),
        (1, 101, "4.05%"),
    ],
)
def test_the_corrected_table_of_one_warp(threads_a, cycles, utilisation):
    cost = warps.branch_cost(warps.split(threads_a), 100, 1)
    assert cost.cycles == cycles
    assert f"{cost.utilisation:.2%}" == utilisation


@given(
    st.lists(st.booleans(), min_size=1, max_size=200), st.integers(1, 50), st.integers(1, 50)
)
def test_branch_cost_counts_what_a_walk_over_the_warps_counts(flags, a, b):
    cost = warps.branch_cost(np.array(flags), a, b)
    groups = [flags[i : i + 32] for i in range(0, len(flags), 32)]
    assert cost.cycles == sum(a * any(group) + b * (not all(group)) for group in groups)
    assert cost.useful == sum(a if flag else b for flag in flags)
    assert cost.divergent == sum(len(set(group)) == 2 for group in groups)
    assert cost.warps == len(groups)
    assert 0 < cost.utilisation <= 1


@given(
    st.lists(st.booleans(), min_size=1, max_size=500), st.integers(0, 90), st.integers(0, 90)
)
def test_sorting_never_costs_cycles_and_leaves_one_divergent_warp_at_most(flags, a, b):
    mixed = warps.branch_cost(np.array(flags), a, b)
    after = warps.branch_cost(np.sort(flags), a, b)
    assert after.cycles <= mixed.cycles
    assert after.divergent <= 1
    assert after.useful == mixed.useful


def test_random_data_cost_what_the_expectation_says():
    random_flags = np.random.default_rng(0).random(32 * 20_000) < 0.05
    cost = warps.branch_cost(random_flags, 100, 1)
    assert cost.cycles / cost.warps == pytest.approx(warps.mixed_cycles(0.05, 100, 1), rel=0.01)
    assert cost.divergent / cost.warps == pytest.approx(
        warps.divergence_probability(0.05), rel=0.02
    )
    after = warps.branch_cost(np.sort(random_flags), 100, 1)
    assert after.cycles / after.warps == pytest.approx(
        warps.sorted_cycles(0.05, 100, 1), rel=0.02
    )


def test_the_speedup_of_sorting():
    assert warps.sorted_speedup(0.5, 100, 1) == pytest.approx(2.0, rel=1e-6)
    assert warps.sorted_speedup(0.0, 100, 1) == warps.sorted_speedup(1.0, 100, 1) == 1.0
    # A rare long side costs most: with 1 in 32 threads on it, nearly two thirds of the warps run it.
    assert warps.sorted_speedup(1 / 32, 100, 1) == pytest.approx(
        (1 - (31 / 32) ** 32) * 100 / 4.09 + 1 / 4.09, rel=0.01
    )
    # Running the long side for everyone is no cure: 101 cycles against 100.
    assert warps.branch_cost(warps.split(16), 100, 1).cycles / 100 == 1.01


@pytest.mark.parametrize("p", [0, 0.001, 0.3, 0.5, 0.99, 1])
def test_divergence_probability_by_summing_the_binomial_distribution(p):
    both = sum(math.comb(32, k) * p**k * (1 - p) ** (32 - k) for k in range(1, 32))
    assert warps.divergence_probability(p) == pytest.approx(both, abs=1e-12)


def test_the_timeline_of_masks_covers_the_warps_time():
    takes_a = warps.split(20)
    a, b = warps.mask_timeline(takes_a, 100, 1)
    assert (a.start, a.stop, a.side, a.active) == (0, 100, "A", 20)
    assert (b.start, b.stop, b.side, b.active) == (100, 101, "B", 12)
    assert not any(x and y for x, y in zip(a.mask, b.mask, strict=True))
    assert [span.side for span in warps.mask_timeline(warps.split(0), 100, 1)] == ["B"]
    assert warps.mask_text(takes_a) == "0" * 12 + "1" * 20  # 32 digits, lane 0 at the right
    assert int(warps.mask_text(warps.split(1)), 2) == 1


def test_bad_arguments_of_the_divergence_model_are_refused():
    with pytest.raises(TypeError, match="booleans"):
        warps.branch_cost([1, 0, 1], 1, 1)
    with pytest.raises(ValueError, match="no thread"):
        warps.branch_cost(np.array([], dtype=bool), 1, 1)
    with pytest.raises(ValueError, match="cycles_a"):
        warps.branch_cost(warps.split(3), -1, 1)
    with pytest.raises(ValueError, match="between 0 and 1"):
        warps.mixed_cycles(1.5, 1, 1)
    with pytest.raises(ValueError, match="33"):
        warps.split(33)


# ---- shuffles -----------------------------------------------------------------------------------------------------


@given(st.lists(st.integers(-1000, 1000), min_size=32, max_size=32))
def test_five_rounds_sum_a_warp(values):
    down, butterfly = warps.down_sum_rounds(values), warps.butterfly_rounds(values)
    assert down.shape == butterfly.shape == (6, 32)
    assert down[0].tolist() == values
    assert down[-1, 0] == sum(values)
    assert butterfly[-1].tolist() == [sum(values)] * 32


def test_a_lane_that_reads_beyond_the_end_gets_its_own_value():
    rounds = warps.down_sum_rounds(np.arange(32))
    assert rounds[1].tolist() == [lane + lane + 16 for lane in range(16)] + [
        2 * lane for lane in range(16, 32)
    ]
    assert rounds[5, 31] == 31 * 2**5  # doubled five times: of no use
    assert warps.down_sources(16)[:2].tolist() == [16, 17] and warps.down_sources(16)[31] == 31


def test_shuffle_rounds_keep_the_dtype_and_need_a_power_of_two():
    assert warps.down_sum_rounds(np.ones(32, dtype=np.float32)).dtype == np.float32
    assert warps.round_offsets() == [16, 8, 4, 2, 1]
    with pytest.raises(ValueError, match="power of two"):
        warps.butterfly_rounds(np.ones(31))


# ---- banks --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("addresses", "turns"),
    [
        (warps.row_addresses(3), 1),
        (warps.column_addresses(0, pitch=32), 32),
        (warps.column_addresses(5, pitch=33), 1),
        (warps.column_addresses(0, pitch=34), 2),
        (warps.column_addresses(0, pitch=48), 16),
        (np.zeros(32, dtype=int), 1),  # one word for everyone: a broadcast
        (np.repeat(np.arange(16) * 4, 2), 1),  # two lanes a word
        (np.array([0, 128]), 2),  # two words of bank 0
        (np.array([], dtype=int), 0),
    ],
)
def test_bank_conflicts_of_known_patterns(addresses, turns):
    assert warps.bank_conflict(addresses) == turns


@given(st.integers(1, 64))
def test_a_stride_conflicts_by_its_common_divisor_with_32(stride):
    assert warps.bank_conflict(4 * stride * np.arange(32)) == math.gcd(stride, 32)


@given(st.lists(st.integers(0, 4095), min_size=1, max_size=32))
def test_bank_conflicts_against_a_count_by_hand(words):
    wanted = [len({word for word in words if word % 32 == bank}) for bank in range(32)]
    assert warps.bank_conflict(4 * np.array(words)) == max(wanted)


def test_the_banks_of_a_tile():
    assert len(set(warps.tile_banks(32)[:, 0])) == 1
    assert len(set(warps.tile_banks(33)[:, 0])) == 32
    assert warps.tile_banks(33)[1, 0] == 1


def test_addresses_that_are_no_words_are_refused():
    with pytest.raises(ValueError, match="multiples of 4"):
        warps.bank_conflict([0, 2])
    with pytest.raises(ValueError, match="byte offsets"):
        warps.bank_conflict([-4])
    with pytest.raises(ValueError, match="at most 32"):
        warps.bank_conflict(np.arange(33) * 4)


# ---- pointer chase ------------------------------------------------------------------------------------------------


@given(st.integers(1, 200), st.integers(1, 40), st.integers(0, 5))
def test_a_random_cycle_visits_every_place_once_and_comes_back(count, stride, seed):
    following = warps.random_cycle(count, stride, seed)
    assert following.dtype == np.int32 and following.shape == (count * stride,)
    at, seen = 0, []
    for _ in range(count):
        seen.append(at)
        at = int(following[at])
    assert at == 0
    assert sorted(seen) == list(range(0, count * stride, stride))


# ---- the scheduler ------------------------------------------------------------------------------------------------

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
        "policy": st.sampled_from(warps.POLICIES),
    }
)
few = settings(max_examples=40, deadline=None)


@given(programs)
def test_one_warp_takes_exactly_the_closed_form(program):
    assert warps.simulate(1, program).cycles == program.alone


@given(st.integers(1, 6), st.integers(1, 5), st.integers(1, 4))
def test_arithmetic_alone_waits_for_its_own_results(alu, alu_latency, iterations):
    program = Program(loads=0, alu=alu, alu_latency=alu_latency, iterations=iterations)
    run = warps.simulate(1, program)
    assert run.cycles == program.alone == alu * iterations * alu_latency
    assert run.bytes_moved == 0 and math.isnan(run.mean_latency)


@few
@given(st.integers(1, 20), programs, machines)
def test_a_schedule_keeps_the_books(count, program, machine):
    run = warps.simulate(count, program, **machine)
    # Every warp is in one state in every cycle, and every instruction was issued once.
    assert sum(run.count(state) for state in State).tolist() == [count] * run.cycles
    assert (run.state == State.ISSUED).sum(axis=1).tolist() == [program.instructions] * count
    assert run.bytes_moved == count * program.bytes
    # One issue a scheduler and cycle; a ready warp waits only behind an issuing one of its own scheduler.
    for s in range(machine["schedulers"]):
        mine = run.state[s :: machine["schedulers"]]
        issuing = (mine == State.ISSUED).sum(axis=0)
        assert issuing.max(initial=0) <= 1
        assert not ((mine == State.READY).any(axis=0) & (issuing == 0)).any()
    # Loads take their latency at least, and never more are in flight than allowed.
    assert (run.load_arrived - run.load_issued >= program.latency).all()
    if machine["max_outstanding"]:
        assert run.in_flight.max() <= machine["max_outstanding"] * program.bytes_per_load


@few
@given(st.integers(1, 20), programs, machines)
def test_littles_law_holds_exactly_and_no_bound_is_broken(count, program, machine):
    run = warps.simulate(count, program, **machine)
    assert run.mean_bytes_in_flight == pytest.approx(run.bytes_per_cycle * run.mean_latency)
    limits = {name: value for name, value in machine.items() if name != "policy"}
    bounds = warps.throughput_bounds(count, program, **limits)
    assert run.bytes_per_cycle <= min(bounds.values()) * (1 + 1e-9)


@few
@given(st.integers(1, 20), programs, machines)
def test_the_same_arguments_give_the_same_schedule(count, program, machine):
    first, again = (warps.simulate(count, program, **machine) for _ in range(2))
    assert np.array_equal(first.state, again.state)


@few
@given(st.integers(1, 16), programs)
def test_more_warps_never_finish_earlier_and_hardly_ever_move_less(count, program):
    """Without limits of the memory; four more warps give each of the four schedulers one."""
    fewer, more = warps.simulate(count, program), warps.simulate(count + 4, program)
    assert more.cycles >= fewer.cycles
    # Near the issue bound the last warps can finish alone, so a short run may lose a little of its rate.
    assert count % 4 or more.bytes_per_cycle >= 0.85 * fewer.bytes_per_cycle


def test_warps_hide_latency_until_a_bound_is_met():
    """64 warps with one 128-byte load each fill 16 bytes a cycle; two loads in flight double it, up to the memory's."""
    one = Program(loads=1, latency=500, iterations=20)
    two = Program(loads=2, latency=500, iterations=20)
    rates = [
        warps.simulate(count, one, bytes_per_cycle=20.0).bytes_per_cycle
        for count in (4, 16, 64)
    ]
    assert rates == pytest.approx([1.02, 4.07, 15.9], rel=0.03)
    assert warps.simulate(32, two, bytes_per_cycle=20.0).bytes_per_cycle == pytest.approx(
        rates[2], rel=0.05
    )
    assert warps.simulate(64, two, bytes_per_cycle=20.0).bytes_per_cycle == pytest.approx(
        20.0, rel=0.05
    )


def test_the_issue_bound_is_reached_when_warps_are_plenty():
    run = warps.simulate(64, Program(loads=1, latency=40, alu=8, alu_latency=4, iterations=60))
    half = run.cycles // 2  # towards the end fewer and fewer warps are left to choose from
    assert run.count(State.ISSUED)[:half].mean() > 0.98 * 4
    assert 0.8 < run.issue_utilisation < 0.98
    lonely = warps.simulate(
        1, Program(loads=1, latency=500, alu=4, alu_latency=4, iterations=30)
    )
    assert lonely.issue_utilisation == pytest.approx(5 / 513 / 4, rel=0.01)  # a quarter of 1%


def test_taking_turns_keeps_warps_in_step_and_so_hides_less():
    program = Program(loads=1, latency=500, alu=16, alu_latency=4, iterations=40)
    oldest, turns = (
        warps.simulate(64, program, policy=policy).issue_utilisation
        for policy in warps.POLICIES
    )
    assert oldest == pytest.approx(
        16 * 17 / 561, rel=0.03
    )  # 16 warps a scheduler, 17 instructions in 561 cycles
    assert turns < 0.8 * oldest


def test_a_timeline_covers_every_cycle_once():
    run = warps.simulate(
        9, Program(loads=2, latency=30, alu=3, iterations=2), bytes_per_cycle=32
    )
    for warp in range(9):
        spans = run.timeline(warp)
        assert [span[0] for span in spans] == [0, *[span[1] for span in spans[:-1]]]
        assert spans[-1][1] == run.cycles
        for start, stop, state in spans:
            assert (run.state[warp, start:stop] == state).all()


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        ({"warps": 0}, "warps"),
        ({"warps": 1, "schedulers": 0}, "schedulers"),
        ({"warps": 1, "max_outstanding": 0}, "max_outstanding"),
        ({"warps": 1, "bytes_per_cycle": 0}, "bytes_per_cycle"),
        ({"warps": 1, "policy": "random"}, "policy"),
    ],
)
def test_a_machine_that_cannot_run_is_refused(arguments, word):
    with pytest.raises(ValueError, match=word):
        warps.simulate(**arguments)


@pytest.mark.parametrize(
    "fault", [{"latency": 0}, {"loads": -1}, {"iterations": 1.5}, {"loads": 0, "alu": 0}]
)
def test_a_program_that_makes_no_sense_is_refused(fault):
    with pytest.raises(ValueError, match=r"set loads|whole number"):
        Program(**fault)


# ---- Little's law -------------------------------------------------------------------------------------------------


def test_bytes_in_flight_of_the_ladder():
    """2,048 threads an SM: V1 waits for two 4-byte loads each, V3 for two of 2, V6 for two of 16."""
    h200 = specs.gpu("H200 SXM")
    assert [
        warps.bytes_in_flight(h200, 2048, b) / h200.sm_count / 1024 for b in (8, 4, 32)
    ] == [16, 8, 64]
    latency = 700.0
    reads = warps.latency_bound_GBps(h200, 2048, 4, latency)
    assert reads == pytest.approx(132 * 2048 * 4 / 700)
    assert warps.latency_bound_GBps(h200, 2048, 32, latency) == h200.dram_GBps
    assert warps.latency_bound_GBps(h200, 2048, 32, latency, roof_GBps=4000) == 4000
    assert warps.bytes_to_fill(reads, latency) == pytest.approx(
        warps.bytes_in_flight(h200, 2048, 4)
    )
    with pytest.raises(ValueError, match="2048"):
        warps.bytes_in_flight(h200, 2049, 4)


def test_the_simulator_meets_littles_law_for_random_machines():
    draw = random.Random(1)
    for _ in range(10):
        count, latency = draw.randint(1, 40), draw.randint(100, 400)
        program = Program(loads=draw.randint(1, 3), latency=latency, alu=0, iterations=40)
        rate = warps.simulate(count, program).bytes_per_cycle
        in_flight = count * program.loads * program.bytes_per_load
        assert rate == pytest.approx(in_flight / latency, rel=0.15)  # issuing takes cycles too


def test_time_to_issue():
    h200 = specs.gpu("H200 SXM")
    # 528 schedulers, each one instruction a cycle: 528 x 1980 warps of one instruction take a microsecond.
    assert warps.issue_time_us(h200, 528 * 1980, 1) == pytest.approx(1)
    assert warps.issue_time_us(h200, 100, 50) == warps.issue_time_us(h200, 50, 100)
    with pytest.raises(ValueError, match="clock"):
        warps.issue_time_us(specs.gpu("B200"), 1, 1)
