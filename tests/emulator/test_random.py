"""curand_kernel.h: XORWOW and Philox give the numbers of cuRAND."""

import ctypes
from pathlib import Path

import pytest
import torch

from helpers import emulator
from helpers.emulator import Library

KERNELS = Path(__file__).parent / "kernels"
# (generator, offset, thread): integers and numbers of random.cu. cuRAND 10.4.5 gave them, whose
# header also compiles for the CPU.
OF_CURAND = {
    ("xorwow", 0, 0): (
        [624778773, 1867875844, 3739671282, 1954919316, 3681184389, 3621400279],
        [0.582418, 0.786745, 1.15116, -1.03809, -0.97156, -0.39827, -0.69703, 17.62350],
    ),
    ("xorwow", 0, 1): (
        [2413296003, 2081105670, 4185111456, 3876725323, 2130891217, 3125140706],
        [0.457681, 0.509484, 1.08161, -1.65569, 0.22135, -1.76487, -0.88444, 0.03540],
    ),
    ("philox", 0, 0): (
        [546353992, 3665621163, 1140953199, 3419031310, 2666454581, 1692486258],
        [0.112275, 0.977164, 2.24718, 0.01168, -0.16913, 0.26259, -0.78213, 2.52499],
    ),
    ("philox", 0, 1): (
        [2157980143, 4196518766, 3485170737, 3559955703, 3167551353, 1007975550],
        [0.704434, 0.147087, 0.72378, 0.74415, 0.02934, 0.98668, -1.19073, 1.13754],
    ),
    ("xorwow", 100001, 0): (
        [3698037776, 774236139, 2483424688, 1109502502, 2791958367, 254744417],
        [0.754297, 0.283788, -0.21323, 0.04497, -0.54571, -0.00136, -0.10410, 1.86186],
    ),
    ("xorwow", 100001, 1): (
        [2407103852, 1542175189, 1588411073, 2778480256, 1163328450, 2425370721],
        [0.559900, 0.772371, -0.40964, 0.65069, 0.24171, 0.51915, 0.14970, 112.35339],
    ),
    ("philox", 100001, 0): (
        [3489835779, 843581916, 1068665068, 3110104960, 3775881124, 4087068107],
        [0.911596, 0.927616, 1.34031, -0.24134, -0.58751, -0.44839, 1.78583, 0.70325],
    ),
    ("philox", 100001, 1): (
        [1986294190, 1100286495, 2421315240, 2312511710, 1487372601, 3680166025],
        [0.162261, 0.877865, -1.49776, 0.87302, 0.13120, -0.56874, 0.63962, 4.46693],
    ),
}


@pytest.fixture(scope="module")
def library(tmp_path_factory, headers):
    output = tmp_path_factory.mktemp("random") / "random.so"
    emulator.build(KERNELS / "random.cu", output, headers)
    return Library(output)


def call(library, name, *arguments):
    given = [
        ctypes.c_void_p(x.data_ptr()) if torch.is_tensor(x) else ctypes.c_int64(x)
        for x in arguments
    ]
    library.dll[name](*given, None)
    assert library.take_fault() is None


def drawn(library, name, *offset):
    bits, values = torch.zeros(32, dtype=torch.uint32), torch.zeros(32)
    call(library, name, bits, values, *offset)
    return bits.view(2, 16), values.view(2, 16)


@pytest.mark.parametrize(("name", "offset", "thread"), OF_CURAND)
def test_numbers_of_a_state(library, name, offset, thread):
    integers, numbers = OF_CURAND[name, offset, thread]
    bits, values = drawn(library, name, offset)
    assert bits[thread].tolist()[:6] == integers
    assert values[thread].tolist()[:8] == pytest.approx(numbers, rel=1e-5, abs=1e-5)


def test_four_numbers_at_once(library):
    bits, values = drawn(library, "philox_fours")
    integers = [546353992, 3665621163, 1140953199, 3419031310, 2666454581]
    numbers = [0.112275, 0.977164, 0.080061, 0.249173, -0.16913, 0.05171, -1.08497, -0.26751]
    assert bits[0].tolist()[:5] == integers
    assert values[0].tolist()[:8] == pytest.approx(numbers, abs=1e-5)


def test_states_that_are_kept_in_memory(library):
    out = torch.zeros(256)
    call(library, "kept", out)
    assert len(set(out.tolist())) == 256 and 0.4 < out.mean().item() < 0.6
