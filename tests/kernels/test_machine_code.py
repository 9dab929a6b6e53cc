"""The kernels of the lessons on machine code and launch bounds are right and compiled so."""

import pytest

from helpers.measure import sass
from helpers.model import occupancy
from helpers.run import jit
from helpers.testing import check


@pytest.mark.parametrize("name", ["split_struct", "restrict", "wide_load"])
def test_adds_are_right(name):
    assert check.verdict(jit.load(name), lambda a, b: a + b).ok


def test_a_struct_is_loaded_whole_or_in_parts():
    split, whole = sass.read("split_struct", "sm_120").kernels
    assert (split.loads()[32], whole.loads()[128]) == (8, 2)


def test_a_load_of_256_bits_needs_a_blackwell():
    assert 256 in sass.read("wide_load", "sm_120").kernel().loads()
    assert 256 not in sass.read("wide_load", "sm_90").kernel().loads()


def test_restrict_allows_the_read_only_path():
    careful, free = sass.read("restrict", "sm_120").kernels
    assert not any("CONSTANT" in i.opcode for i in careful.instructions)
    assert any("CONSTANT" in i.opcode for i in free.instructions)


@pytest.mark.parametrize(("kernel", "blocks"), [("for_4", 4), ("for_6", 6), ("for_8", 8)])
def test_the_compiler_keeps_the_cap_that_occupancy_calculates(kernel, blocks):
    bounded = sass.read("launch_bounds", "sm_90").kernel(kernel)
    assert bounded.registers <= occupancy.max_registers_for("9.0", 256, blocks)
    assert occupancy.occupancy("9.0", 256, bounded.registers).blocks >= blocks
    assert (bounded.spill_stores > 0) == (blocks > 4)
