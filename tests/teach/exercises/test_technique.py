"""What the rules say of traces: of real ones, and of ones made up."""

from pathlib import Path
from types import SimpleNamespace

import pytest
import torch

from helpers.errors import BuildError
from helpers.run import jit
from helpers.teach.exercises import technique
from helpers.teach.exercises.technique import Seen

KERNELS = Path(__file__).with_name("kernels")


@pytest.fixture(scope="module")
def v1():
    return technique.seen(jit.load("v1_f32").add)


@pytest.fixture(scope="module")
def v5():
    return technique.seen(jit.load("v5_f16x8").add)


@pytest.mark.parametrize("error", technique.FAILURES)
def test_a_trace_that_fails_is_tried_once_more(monkeypatch, error):
    """Twice in a row it is an error, and no trace of nothing."""
    left = [error("busy")]

    def trace(launcher, *tensors):
        if left:
            raise left.pop()
        return [x.shape for x in tensors]

    monkeypatch.setattr(technique, "trace", trace)
    parameters = [
        SimpleNamespace(shape=shape, dtype=torch.float16, role=role)
        for shape, role in ((("n",), "input"), (("4",), "output"))
    ]
    launcher = SimpleNamespace(declaration=SimpleNamespace(tensors=parameters))
    assert technique.seen(launcher) == Seen([(technique.ELEMENTS,), (4,)], 2, 8)
    left += [error("busy"), error("busy")]
    with pytest.raises(error):
        technique.seen(launcher)


def test_nothing_can_be_traced_without_gcc(monkeypatch):
    assert not technique.impossible()

    def refuse():
        raise BuildError("a trace needs g++")

    monkeypatch.setattr(technique.traced, "require_gcc", refuse)
    assert technique.impossible()


@pytest.mark.slow
def test_what_v1_does(v1):
    assert technique.parallel(v1) == ""
    assert technique.coalesced(v1) == ""
    assert technique.elements_a_thread(1)(v1) == ""
    assert technique.loads_before_store(2)(v1) == ""
    assert technique.no_shared_memory(v1) == ""
    assert technique.bytes_per_lane(4, 4)(v1) == ""
    assert technique.bytes_per_lane(16)(v1) == "a load moves 4 bytes a lane; 16 are asked"
    assert technique.elements_a_thread(4)(v1) == "a thread writes 1 element; 4 are asked"
    words = "a thread makes 2 loads before its first store; 3 are asked"
    assert technique.loads_before_store(3)(v1) == words
    assert technique.shuffles(v1).startswith("its lanes exchange nothing")
    assert technique.shared_memory(v1) == "it reads nothing from shared memory"
    assert technique.parity_a_warp(v1).startswith("a warp holds elements of both kinds")


@pytest.mark.slow
def test_v5_is_not_coalesced(v5):
    assert technique.parallel(v5) == ""
    assert technique.elements_a_thread(8)(v5) == ""
    assert technique.bytes_per_lane(4, 4)(v5) == ""
    assert technique.coalesced(v5) == (
        "a load of a warp touches 16 sectors and uses 25% of their bytes: it is not coalesced"
    )


@pytest.mark.slow
@pytest.mark.parametrize("launcher", ["multiply", "scale"])
def test_one_thread_is_not_parallel(launcher):
    words = technique.parallel(
        technique.seen(jit.load(KERNELS / "one_thread.cu").launchers[launcher])
    )
    assert words.startswith("a load is made by 1 of a warp's 32 lanes")


@pytest.mark.slow
def test_a_loop_over_all_elements_in_every_thread_is_not_parallel():
    words = technique.parallel(technique.seen(jit.load(KERNELS / "whole_loop.cu").scale))
    assert words.startswith("each element is written 4 times: a kernel needs no loop")


def traffic(**fields):
    usual = {"efficiency": 1, "lanes_per_request": 32, "bytes_asked": 4096}
    return SimpleNamespace(**{**usual, **fields})


def made(barriers=(), steps=(), **accesses):
    """Make a trace of what `of` returns for "load", "store" and "shared"."""

    def of(kind, space="global"):
        return accesses.get("shared" if space == "shared" else kind)

    return Seen(SimpleNamespace(of=of, barriers=barriers, steps=steps), 4, 4096)


def step(kind, addresses=(), bytes_per_lane=4, space="global"):
    request = SimpleNamespace(addresses=addresses, bytes_per_lane=bytes_per_lane)
    return SimpleNamespace(kind=kind, space=space, request=request)


@pytest.mark.parametrize(("lanes", "ok"), [(1, False), (15.9, False), (16, True), (32, True)])
def test_half_a_warp_shares_the_work(lanes, ok):
    assert (technique.parallel(made(load=traffic(lanes_per_request=lanes))) == "") is ok


@pytest.mark.parametrize(("times", "ok"), [(1, True), (2, True), (2.01, False), (256, False)])
def test_an_output_may_be_set_to_zero_before_it_is_written(times, ok):
    seen = made(load=traffic(), store=traffic(bytes_asked=4096 * times))
    assert (technique.parallel(seen) == "") is ok


@pytest.mark.parametrize(("efficiency", "ok"), [(0.89, False), (0.9, True)])
def test_stores_count_as_loads_do(efficiency, ok):
    bad = traffic(efficiency=efficiency, sectors_per_request=8)
    words = technique.coalesced(made(load=traffic(), store=bad))
    assert (words == "") is ok
    assert ok or words.startswith("a store of a warp touches 8 sectors and uses 89%")


@pytest.mark.parametrize(
    ("moved", "least", "most", "words"),
    [
        (8, 4, 16, ""),
        (15.9, 16, 16, ""),  # a tail
        (8, 4, 4, "a load moves 8 bytes a lane; 4 are asked"),
        (2, 4, 8, "a load moves 2 bytes a lane; 4 to 8 are asked"),
        (4, 16, 16, "a load moves 4 bytes a lane; 16 are asked"),
    ],
)
def test_bytes_of_a_lane(moved, least, most, words):
    both = traffic(bytes_asked=moved * 100, lanes=100)
    assert technique.bytes_per_lane(least, most)(made(load=both, store=both)) == words


def test_a_kernel_that_stores_nothing_moves_no_bytes():
    loads = traffic(bytes_asked=400, lanes=100)
    words = "a store moves 0 bytes a lane; 4 are asked"
    assert technique.bytes_per_lane(4)(made(load=loads)) == words


def test_warp_operations_and_shared_memory():
    assert technique.shuffles(made([SimpleNamespace(kind="warp operation")])) == ""
    assert technique.shuffles(made([SimpleNamespace(kind="barrier")])) != ""
    assert technique.shared_memory(made(shared=traffic())) == ""
    assert technique.no_shared_memory(made(shared=traffic())) == "it goes through shared memory"


@pytest.mark.parametrize(
    ("addresses", "ok"), [((0, 8, 16, None), True), ((4, 12), True), ((0, 4), False)]
)
def test_a_warp_holds_one_parity(addresses, ok):
    request = step("load", addresses).request
    assert (technique.parity_a_warp(made(load=traffic(worst=request))) == "") is ok
    in_a_step = made(steps=[step("load", addresses)], load=traffic(worst=step("load").request))
    assert (technique.parity_a_warp(in_a_step) == "") is ok


def test_loads_after_the_first_store_do_not_count():
    steps = [step("load"), step("load", space="shared"), step("store"), step("load")]
    assert technique.loads_before_store(1)(made(steps=steps)) == ""
    assert "makes 1 loads" in technique.loads_before_store(2)(made(steps=steps))


def test_masked_lanes_write_nothing():
    addresses = (*range(0, 64, 4), *[None] * 16)
    words = technique.elements_a_thread(1)(made(steps=[step("store", addresses)]))
    assert words == "a thread writes 0.5 elements; 1 are asked"
    wide = made(steps=[step("store", range(0, 512, 16), bytes_per_lane=16)])
    assert technique.elements_a_thread(4)(wide) == ""


def test_stores_of_half_a_warp_are_not_one_for_all():
    assert technique.whole_warp_stores(made(store=traffic())) == ""
    assert technique.whole_warp_stores(made()) == ""
    words = technique.whole_warp_stores(made(store=traffic(lanes_per_request=16.0)))
    assert words.startswith("a store is made by 16 of a warp's 32 lanes")


def test_bank_conflicts_and_races_are_told():
    seen = Seen(SimpleNamespace(bank_conflicts=0, faults=()), 4, 4096)
    assert technique.no_bank_conflicts(seen) == technique.ordered(seen) == ""
    seen = Seen(SimpleNamespace(bank_conflicts=31, faults=("one", "two")), 4, 4096)
    assert technique.no_bank_conflicts(seen).startswith("31 wavefronts")
    assert technique.ordered(seen) == "two threads race: one"
