"""What the emulated device can be told of a card; tests/emulator/test_host.py asks it."""

import pytest

from helpers import specs
from helpers.emulator.card import MEMORY_BITS, facts

H200 = {
    **{"major": 9, "minor": 0, "multiprocessors": 132},
    **{"threads_per_multiprocessor": 2048, "blocks_per_multiprocessor": 32},
    **{"registers_per_block": 65536, "registers_per_multiprocessor": 65536},
    **{"shared_per_multiprocessor": 233_472, "shared_per_block": 232_448},
    **{"shared_reserved": 1024, "shared_unit": 128, "l2_bytes": 60 << 20},
    **{"clock_khz": 1_980_000, "memory_clock_khz": 37_500_000, "memory_bits": 512},
    "name": b"H200 SXM",
}


def test_the_facts_of_an_h200():
    told = facts(specs.gpu("NVIDIA H200"))
    assert {name: getattr(told, name) for name, _ in told._fields_} == H200


def test_an_older_card_has_less():
    told = facts(specs.gpu("Tesla T4"))
    assert (told.major, told.minor, told.shared_reserved, told.shared_unit) == (7, 5, 0, 256)
    assert (told.threads_per_multiprocessor, told.shared_per_block) == (1024, 65536)


@pytest.mark.parametrize("name", specs.gpus())
def test_every_card_has_facts_from_which_its_bandwidth_follows(name):
    gpu = specs.gpu(name)
    told = facts(gpu)
    assert (told.multiprocessors, told.l2_bytes) == (gpu.sm_count, gpu.l2_bytes)
    assert told.name.decode() == name
    bytes_per_s = 2 * told.memory_clock_khz * 1e3 * MEMORY_BITS / 8
    assert bytes_per_s == pytest.approx((gpu.dram_GBps or 0) * 1e9, rel=1e-3)
    assert told.clock_khz == pytest.approx((gpu.boost_MHz or 0) * 1e3)
