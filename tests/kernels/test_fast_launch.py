"""The launches that fast.cuh chooses, noted by a CUDA runtime that launches nothing."""

import ctypes
import os
import subprocess
import threading

import pytest

from helpers import paths
from helpers.model.dtypes import ITEM_BYTES
from helpers.run.toolchain import find_nvcc

NVCC = find_nvcc()
pytestmark = pytest.mark.skipif(NVCC is None, reason="no nvcc")

PROBE = """
#include "fast.cuh"

struct Add {
    template <typename T>
    __device__ T operator()(T a, T b) const { return a + b; }
};
struct LightAdd : Add {
    static constexpr bool kLight = true;
};
#define BINARY(name, F, T)                                                               \\
    extern "C" cudaError_t name(const T* a, const T* b, T* out, int64_t n,               \\
                                int path, int programmatic) {                            \\
        fast::Choice choice;                                                             \\
        choice.path = path;                                                              \\
        choice.programmatic = programmatic;                                              \\
        return fast::transform(F{}, n, out, choice, a, b);                               \\
    }
BINARY(add, Add, float)
BINARY(light_add, LightAdd, float)
BINARY(add_halves, Add, __half)
BINARY(light_add_halves, LightAdd, __half)

struct Widen {
    __device__ float operator()(__half x) const { return __half2float(x); }
};
struct Light {
    static constexpr bool kLight = true;
    __device__ float operator()(float x) const { return -x; }
};
struct Heavy {
    __device__ float operator()(float x) const { return expf(x); }
    __device__ __half operator()(__half x) const { return __float2half(expf(__half2float(x))); }
};
template <typename F, typename T, typename R>
cudaError_t unary(const T* a, R* out, int64_t n, int programmatic) {
    fast::Choice choice;
    choice.programmatic = programmatic;
    return fast::transform(F{}, n, out, choice, a);
}
#define UNARY(name, F, T, R)                                           \\
    extern "C" cudaError_t name(const T* a, const T*, R* out,          \\
                                int64_t n, int, int programmatic) {    \\
        return unary<F>(a, out, n, programmatic);                      \\
    }
UNARY(widen, Widen, __half, float)
UNARY(light, Light, float, float)
UNARY(heavy, Heavy, float, float)
UNARY(heavy_halves, Heavy, __half, __half)

#define ROWS(name, F, T, stride, ...)                                                    \\
    extern "C" cudaError_t name(const T* a, const T* b, T* out, int64_t n,               \\
                                int, int programmatic) {                                 \\
        fast::Choice choice;                                                             \\
        choice.programmatic = programmatic;                                              \\
        const fast::Rows<T> rows{b, 1001, stride * 1027, stride};                        \\
        return fast::transform(F{}, n, out, choice, __VA_ARGS__);                        \\
    }
ROWS(rows, Light, float, 1, rows)
ROWS(rows_add, Add, float, 1, a, rows)
ROWS(strided_rows, Light, float, 2, rows)
ROWS(strided_rows_add, Add, float, 2, a, rows)
ROWS(rows_halves, Add, __half, 1, a, rows)
"""


class Card(ctypes.Structure):
    _fields_ = [
        (name, ctypes.c_int)
        for name in "sms l2_bytes shared_per_sm shared_reserved max_shared memory_khz bus_bits "
        "code".split()
    ]


class Noted(ctypes.Structure):
    _fields_ = [
        (name, ctypes.c_int)
        for name in "launches blocks threads shared programmatic asked".split()
    ]


def nvcc(*arguments):
    command = [str(NVCC.home / "bin" / "nvcc"), "-std=c++17", "-I", str(paths.KERNELS)]
    subprocess.run([*command, *map(str, arguments)], check=True, capture_output=True)


@pytest.fixture(scope="module")
def libraries(tmp_path_factory):
    folder = tmp_path_factory.mktemp("launches")
    (folder / "probe.cu").write_text(PROBE)
    runtime, probe = folder / "runtime.so", folder / "probe.so"
    source = paths.ROOT / "tests" / "kernels" / "recording_runtime.cpp"
    shared = ("-shared", "-cudart", "none", "-Xcompiler", "-fPIC")
    nvcc(*shared, source, "-o", runtime)
    nvcc(*shared, "-arch=sm_90", folder / "probe.cu", runtime, "-o", probe)
    # Else the CUDA runtime of a torch that this process has loaded would come first.
    own_first = ctypes.CDLL(str(probe), os.RTLD_NOW | os.RTLD_DEEPBIND)
    return ctypes.CDLL(str(runtime)), own_first


@pytest.fixture
def launch(libraries):
    """Return a function that launches an addition on a card and returns what was noted."""
    runtime, probe = libraries
    card = Card.in_dll(runtime, "card")
    before = bytes(card)
    names = ("add", "light_add", "add_halves", "light_add_halves")
    names += ("widen", "light", "heavy", "heavy_halves")
    names += ("rows", "rows_add", "strided_rows", "strided_rows_add", "rows_halves")
    for one in map(probe.__getattr__, names):
        one.argtypes = [*3 * [ctypes.c_void_p], ctypes.c_int64, ctypes.c_int, ctypes.c_int]

    def call(n, path=0, programmatic=1, offsets=(0, 0, 0), name="add", **changes):
        launcher = getattr(probe, name)
        for fact, value in changes.items():
            setattr(card, fact, value)
        noted = Noted.in_dll(runtime, "noted")
        noted.launches = 0
        places = [4096 * (place + 1) + 4 * o for place, o in enumerate(offsets)]
        result = []
        # A thread of its own asks for the card's facts anew.
        arguments = (*places, n, path, programmatic)
        thread = threading.Thread(target=lambda: result.append(launcher(*arguments)))
        thread.start()
        thread.join()
        return result[0], Noted.from_buffer_copy(noted)

    yield call
    ctypes.memmove(ctypes.addressof(card), before, len(before))
    runtime.refuse_launches(0)


@pytest.mark.parametrize("path", [1, 2])
@pytest.mark.parametrize(("code", "programmatic"), [(80, 0), (89, 0), (90, 1), (120, 1)])
def test_the_code_that_runs_decides_on_a_programmatic_launch(launch, path, code, programmatic):
    """A card of 9.0 runs code for 8.0, whose kernels do not wait: no early start for them."""
    error, noted = launch(1 << 24, path=path, code=code)
    assert error == 0 and noted.launches == 1
    assert noted.programmatic == programmatic
    assert launch(1 << 24, path=path, programmatic=0)[1].programmatic == 0


def test_code_for_80_neither_waits_nor_copies_in_bulk(tmp_path):
    (tmp_path / "probe.cu").write_text(PROBE)
    nvcc("-ptx", "-arch=compute_80", tmp_path / "probe.cu", "-o", tmp_path / "80.ptx")
    code = (tmp_path / "80.ptx").read_text()
    assert "packs_kernel" in code and "griddepcontrol" not in code and "cp.async" not in code


def test_without_bulk_copies_the_rule_takes_packs(launch):
    assert launch(1 << 28, path=2, code=80)[1].shared == 0
    assert launch(1 << 28, path=2, code=90)[1].shared > 0


def test_an_error_of_the_launch_is_returned(launch, libraries):
    libraries[0].refuse_launches(9)
    for path in (1, 2):
        assert launch(1000, path=path)[0] == 9


@pytest.mark.parametrize("offsets", [(0, 0, 0), (1, 0, 0), (0, 0, 1), (1, 2, 3), (3, 3, 3)])
@pytest.mark.parametrize("n", [1, 3, 5, 2047, 2048, 2049, 1 << 20])
def test_the_blocks_cover_every_element(launch, n, offsets):
    error, noted = launch(n, offsets=offsets)
    assert error == 0 and noted.launches == 1
    tile = noted.threads * 16 // ITEM_BYTES["float32"]
    assert noted.blocks >= 1 and noted.blocks * tile * 4 >= n - 35  # 4: the most packs a thread


@pytest.mark.parametrize(
    ("packs", "offsets", "threads", "blocks"),
    [
        (1 << 14, (0, 0, 0), 256, 128),  # half a pack a thread
        (1 << 17, (0, 0, 0), 256, 1024),  # and of two inputs up to half a wave
        (1 << 18, (0, 0, 0), 256, 1024),
        (1 << 18, (1, 2, 0), 256, 1024),  # a slice in one wave: two and two elements a thread
        (1 << 19, (1, 2, 0), 256, 2048),
        (1 << 19, (4, 4, 0), 256, 2048),
    ],
)
def test_a_block_has_256_threads(launch, packs, offsets, threads, blocks):
    noted = launch(4 * packs, programmatic=0, offsets=offsets)[1]
    assert (noted.threads, noted.blocks) == (threads, blocks)


@pytest.mark.parametrize(
    ("packs", "threads", "blocks"),
    [
        (1 << 14, 512, 64),  # half a pack a thread
        (1 << 17, 512, 512),
        (1 << 18, 256, 1024),  # from half a wave to one a pack
        (1 << 19, 512, 2048),
        (1 << 20, 256, 4096),  # from two waves on a pack
    ],
)
def test_programmatic_launches_have_halves_in_large_blocks(launch, packs, threads, blocks):
    noted = launch(4 * packs, path=1)[1]
    assert (noted.threads, noted.blocks) == (threads, blocks)


@pytest.mark.parametrize(
    ("packs", "programmatic", "threads", "blocks"),
    [
        (1 << 15, 0, 256, 256),  # half a pack a thread
        (1 << 16, 0, 256, 256),  # one
        (100 << 10, 0, 128, 400),  # two, 256 of a block
        (1 << 18, 0, 128, 1024),
        (1 << 19, 0, 64, 2048),  # four, 256 of a block
        (1 << 15, 1, 128, 128),  # two
        (1 << 18, 1, 128, 1024),
        (1 << 20, 1, 128, 1366),  # six, read two at once
        (1 << 21, 1, 128, 2048),  # eight
        (1 << 22, 1, 256, 1 << 14),
        (1 << 23, 0, 256, 1 << 15),  # L2 cannot have the data: one
        (1 << 23, 1, 256, 1 << 15),
    ],
)
def test_a_cast_to_more_bytes_has_several_packs_a_thread(
    launch, packs, programmatic, threads, blocks
):
    noted = launch(4 * packs, name="widen", programmatic=programmatic)[1]
    assert (noted.threads, noted.blocks) == (threads, blocks)


@pytest.mark.parametrize(
    ("elements", "offset", "blocks"),
    [
        (1 << 22, 0, 1366),  # 768 packs a block
        ((1 << 22) + 1, 0, 1367),  # and one of its own for single elements
        ((1 << 22) - 4, 0, 1367),  # or for a pack that is left over
        (1 << 22, 4, 1366),
        (1 << 22, 2, 2048),  # only eight bytes of the input lie together
    ],
)
def test_two_packs_are_read_at_once_where_16_bytes_lie_together(
    launch, elements, offset, blocks
):
    noted = launch(elements, name="widen", offsets=(offset, 0, 0))[1]
    assert noted.blocks == blocks


@pytest.mark.parametrize(
    ("name", "packs", "programmatic", "threads", "blocks"),
    [
        ("light", 1 << 14, 0, 256, 64),  # a pack: half of the SMs would have no block
        ("heavy", 1 << 14, 0, 256, 128),  # half a pack
        ("light_add", 1 << 16, 0, 256, 512),  # and of two inputs up to 0.3 waves
        ("light_add", 1 << 17, 0, 256, 512),
        ("light", 1 << 16, 0, 256, 512),  # half a pack
        ("light", 1 << 17, 0, 128, 512),  # two packs
        ("light", 1 << 18, 0, 128, 1024),
        ("heavy", 1 << 18, 0, 128, 2048),  # two halves
        ("heavy", 1 << 19, 0, 128, 2048),  # of four elements: from one wave on two packs
        ("heavy", 1 << 20, 0, 256, 4096),
        ("heavy_halves", 384_000, 0, 128, 3000),  # up to 1.45 waves: two halves
        ("heavy_halves", 1 << 19, 0, 128, 2048),
        ("heavy_halves", 1 << 20, 0, 256, 4096),
        ("add_halves", 1 << 17, 1, 512, 512),  # half a pack
        ("add_halves", 1 << 19, 1, 256, 2048),  # from 0.85 waves on a pack
        ("light_add_halves", 1 << 19, 1, 512, 2048),  # but half a pack from one wave to two
        ("light", 1 << 17, 1, 512, 512),  # half a pack
        ("light", 1 << 18, 1, 256, 1024),
        ("light", 1 << 19, 1, 128, 2048),  # two packs
        ("heavy", 1 << 19, 1, 256, 2048),
        ("light", 1 << 20, 1, 512, 2048),
        ("light", 1 << 24, 1, 256, 1 << 16),
    ],
)
def test_the_shape_is_by_the_arithmetic(launch, name, packs, programmatic, threads, blocks):
    elements = (8 if name.endswith("halves") else 4) * packs
    noted = launch(elements, name=name, programmatic=programmatic)[1]
    assert (noted.threads, noted.blocks) == (threads, blocks)


@pytest.mark.parametrize(
    ("name", "packs", "programmatic", "threads", "blocks"),
    [
        ("rows", 1 << 14, 0, 256, 256),  # an element a thread
        ("rows_add", 1 << 15, 0, 256, 256),  # half a pack
        ("rows_add", 1 << 17, 0, 256, 1024),
        ("rows_add", 1 << 18, 0, 256, 1024),  # two halves from 0.7 waves on
        ("rows", 1 << 18, 0, 256, 1024),  # or a whole pack
        ("strided_rows", 1 << 18, 0, 256, 1024),
        ("strided_rows_add", 1 << 18, 0, 256, 2048),  # half a pack, up to one wave
        ("strided_rows_add", 1 << 19, 0, 256, 2048),
        ("strided_rows", 1 << 22, 0, 256, 1 << 14),
        ("rows", 1 << 18, 1, 512, 1024),  # half a pack in large blocks up to one wave
        ("rows", 1 << 19, 1, 512, 1024),  # then a pack
        ("strided_rows", 1 << 19, 1, 512, 2048),  # of every second element up to two
        ("strided_rows", 1 << 20, 1, 256, 1 << 12),
        ("rows_halves", 1 << 18, 0, 256, 2048),  # eight elements a pack: half of one
        ("rows_halves", 1 << 19, 0, 256, 2048),  # two halves from one wave on
        ("rows_halves", 1 << 19, 1, 256, 2048),
        ("rows_halves", 1 << 23, 0, 256, 1 << 15),  # shifted packs, where L2 is full
    ],
)
def test_rows_are_read_one_by_one(launch, name, packs, programmatic, threads, blocks):
    elements = (8 if name.endswith("halves") else 4) * packs
    noted = launch(elements, name=name, programmatic=programmatic)[1]
    assert (noted.threads, noted.blocks) == (threads, blocks)


@pytest.mark.parametrize(("packs", "blocks"), [(1 << 17, 1025), (1 << 18, 1025)])
def test_slices_of_eight_elements_are_halved_up_to_half_a_wave(launch, packs, blocks):
    n = 8 * packs + 64  # a slice leaves elements to a block of their own
    noted = launch(n, name="add_halves", programmatic=0, offsets=(1, 2, 0))[1]
    assert noted.blocks == pytest.approx(blocks, abs=2)


def test_the_copy_engine_is_for_whole_lines(launch):
    for offsets, bulk in (((0, 0, 0), True), ((1, 1, 1), True), ((4, 4, 0), False)):
        assert (launch(1 << 28, offsets=offsets)[1].shared > 0) is bulk
    assert launch(1 << 28, path=2, offsets=(4, 4, 0))[1].shared > 0


def test_nothing_is_launched_for_no_elements(launch):
    error, noted = launch(0)
    assert (error, noted.launches) == (0, 0)
    assert launch(-1)[0] == 1  # cudaErrorInvalidValue


def test_what_32_bits_cannot_number_takes_two_launches(launch):
    most = 4 * (2**32 - 2**16)  # elements
    assert launch(most)[1].launches == 1
    error, noted = launch(most + 5)
    assert (error, noted.launches) == (0, 2)
    assert noted.blocks == 2  # one for the pack, one for the single element
    assert launch(2**33, offsets=(0, 0, 1))[1].launches == 1


def test_a_thread_asks_for_the_cards_facts_once(launch, libraries):
    runtime, probe = libraries
    noted = Noted.in_dll(runtime, "noted")

    def twice():
        for _ in range(2):
            probe.add(4096, 8192, 12288, 1000, 0, 1)
            asked.append(noted.asked)

    asked = []
    thread = threading.Thread(target=twice)
    thread.start()
    thread.join()
    assert asked[0] == asked[1]
