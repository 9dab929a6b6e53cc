"""What comes out if all lanes of a warp add, where one must: how often each element counts."""

import pytest

from helpers.testing.probes.lanes import all_lanes_add


def shuffled(lanes, distances=(16, 8, 4, 2, 1)):
    """Add what all lanes hold after a tree of shuffles of one number that is 1; for each."""
    counts = []
    for one in range(lanes):
        held = [float(lane == one) for lane in range(32)]
        for distance in distances:
            held = [
                x + (held[lane + distance] if lane + distance < 32 else x)
                for lane, x in enumerate(held)
            ]
        counts.append(sum(held))
    return counts


@pytest.mark.parametrize("distances", [(16, 8, 4, 2, 1), (1, 2, 4, 8, 16)])
@pytest.mark.parametrize(("lanes", "unit"), [(32, 1), (8, 32), (4, 128), (16, 64)])
def test_all_lanes_add_what_a_shuffle_left_in_them(lanes, unit, distances):
    counts = shuffled(lanes, distances)
    weights = {place: counts[place // unit % lanes] for place in range(0, 3000, 7)}
    weights |= {place: counts[place // unit % lanes] for place in (0, unit, 2 * unit)}
    said = all_lanes_add(weights, "a")
    assert said.startswith(f"a[0] counts once, a[{unit}] twice, a[{2 * unit}] 3 times, and so")
    assert all_lanes_add({**weights, 0: 2.0}) is None
    assert all_lanes_add({**weights, 2 * unit: 2.0}) is None


@pytest.mark.parametrize(
    ("times", "said"),
    [
        (32, "all 32 threads of a warp"),
        (256, "all 256 threads of a block"),
        (8, "do so many threads, warps or blocks add"),
        (1.5, ""),
    ],
)
def test_all_threads_add_the_whole_sum(times, said):
    sentence = all_lanes_add(dict.fromkeys(range(9), float(times)))
    assert said in sentence if said else sentence is None


@pytest.mark.parametrize(
    ("step", "threads", "n", "said"),
    [
        (
            6,
            256,
            1000,
            "and so on: does a loop go on by 6 elements, fewer than the threads that",
        ),
        (6, 256, 33, "and so on: does each thread take those of the next ones, too, as by a"),
        (1, 64, 300, "x[0] counts once, x[1] twice, x[2] 3 times, and so on: does a loop go"),
        (6, 12, 300, ""),  # no more than twice
    ],
)
def test_a_step_of_less_than_the_threads_have(step, threads, n, said):
    counts = dict.fromkeys(range(n), 0)
    for thread in range(threads):
        for place in range(thread, n, step):
            counts[place] += 1
    sentence = all_lanes_add(counts)
    assert (sentence is None) is not bool(said)
    assert not said or said in sentence
    assert "too short" not in (all_lanes_add({**counts, 3 * step: 9}) or "")


def test_two_weights_alone_tell_nothing():
    assert all_lanes_add({place: 1.0 + (place > 30) for place in range(40)}) is None
    assert all_lanes_add(dict.fromkeys(range(40), 1.0)) is None


@pytest.mark.parametrize(
    ("unit", "said"), [(1, "x[0] counts 32"), (4, "each of the first 4 el")]
)
def test_shuffles_that_go_the_wrong_way(unit, said):
    weights = {place: 32.0 * (place // unit % 32 == 0) for place in range(800)}
    assert all_lanes_add(weights).startswith(said)
    assert all_lanes_add({**weights, 5 * unit: 1.0}) is None
    assert all_lanes_add({0: 32.0, 32: 32.0, 64: 32.0, 1: 0.0}) is None  # of few lanes
