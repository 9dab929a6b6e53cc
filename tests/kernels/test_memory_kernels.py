"""The kernels that measure the memory pass their cases, and with a known fault do not."""

import pytest

from helpers import paths
from helpers.run import jit
from helpers.testing import check, memory_cases

CASES = {
    "residency": (memory_cases.residency, 36),
    "loaded_chase": (memory_cases.loaded_chase, 3),
    "read_share": (memory_cases.read_share, 35),
    "narrow_wide": (memory_cases.narrow_wide, 16),
    "strided_copy": (memory_cases.strided_copy, 75),
    "wide_walk": (memory_cases.wide_walk, 12),
    "tile_copy": (memory_cases.tile_copy, 14),
    "piece_copy": (memory_cases.piece_copy, 48),
    "fewer_blocks": (memory_cases.fewer_blocks, 9),
}
FAULTS = [
    ("residency", "if (LOAD) value = x[i]", "value = x[i]", "zeros where nothing is loaded"),
    ("residency", "out[i] = value", "out[i] = value + 1.0f", "another value"),
    ("loaded_chase", "s < steps", "s < steps - 1", "the last link"),
    ("loaded_chase", "i < n / 4", "i < n / 4 - 1", "the last pack"),
    ("loaded_chase", "if (thread < n % 4)", "if (thread + 1 < n % 4)", "the tail"),
    ("read_share", "out[w * packs + p]", "out[p]", "the second output"),
    ("read_share", "x[r * packs +", "x[0 * packs +", "the other inputs"),
    (
        "narrow_wide",
        "add_pair(x.pair[k], y.pair[k])",
        "add_pair(x.pair[k], y.pair[0])",
        "a pair",
    ),
    ("narrow_wide", "if (i >= n) return", "if (i + 8 >= n) return", "the last pack"),
    ("wide_walk", "r < rounds", "r < rounds - 1", "the last read"),
    ("wide_walk", "% 32 * stride", "% 32", "the stride"),
    ("tile_copy", "block % tiles_down", "block % tiles_across", "the order down"),
    ("tile_copy", "block / tiles_across", "block % tiles_across", "the order across"),
    ("piece_copy", "(TILE / width);", "(TILE / width + 1);", "the height of a tile"),
    ("piece_copy", "tile[at] : kept[k]", "tile[at] : kept[0]", "the later elements"),
    ("fewer_blocks", "square += gridDim.x", "square += squares", "the later squares"),
    ("fewer_blocks", "i < k", "i < k - 1", "the last product"),
    ("strided_copy", "start + i * stride", "start + i", "the stride"),
    ("strided_copy", "x[start + i", "x[i", "the start"),
    ("read_share", "if (p < packs) out", "if (p + 1 < packs) out", "the last pack"),
]


@pytest.mark.parametrize("name", CASES)
def test_the_kernel_passes_its_cases(name):
    cases, number = CASES[name]
    kernel = jit.load(name)
    (launcher,) = kernel.launchers.values()
    assert len(list(cases(launcher))) == number
    check.check(kernel, cases=cases)


@pytest.mark.slow
@pytest.mark.sample(5)
@pytest.mark.parametrize(("name", "right", "wrong", "what"), FAULTS, ids=lambda x: str(x)[:24])
def test_a_kernel_with_a_known_fault_does_not(tmp_path, name, right, wrong, what):
    text = (paths.KERNELS / f"{name}.cu").read_text()
    assert right in text
    (tmp_path / f"{name}.cu").write_text(text.replace(right, wrong))
    found = check.verdict(jit.load(tmp_path / f"{name}.cu"), cases=CASES[name][0])
    assert not found.ok, what
