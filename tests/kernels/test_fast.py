"""The fast add and cast on both of their paths, and the rule that chooses between them."""

from functools import partial

import pytest
import torch

from helpers import paths
from helpers.errors import LaunchError
from helpers.measure.libraries.correctness import chain_is_right
from helpers.run import jit, machine
from helpers.run.trace import trace

DEVICE = "cuda" if machine.present().is_gpu else "cpu"
PACKS, BULK, SINGLY = 1, 2, 3
TILE = {
    torch.float32: 1024,
    torch.float16: 2048,
    torch.bfloat16: 2048,
}  # elements of a block of add

PROBE = """
#include "fast.cuh"

__global__ void write(int number, int* out) { *out = number; }

extern "C" void tiles(int* out,  // [1]
                      int gb_per_s, int sms, int loaded, int stored, int tile_bytes,
                      cudaStream_t stream = 0) {
    const fast::Device device{sms, 0, 0, 0, 0, gb_per_s * 1e3, true};
    const int tiles = fast::tiles_in_flight(device, {loaded, stored}, tile_bytes);
    write<<<1, 1, 0, stream>>>(tiles, out);
}
extern "C" void shared(int* out,  // [1]
                       int tiles_per_sm, int needed, cudaStream_t stream = 0) {
    const fast::Device device{132, 60 << 20, 228 << 10, 1024, 227 << 10, 4.8e6, true};
    write<<<1, 1, 0, stream>>>(fast::shared_for(device, tiles_per_sm, needed), out);
}
extern "C" void bulk(int* out,  // [1]
                     int64_t bytes, int loaded, int stored, int sm90, cudaStream_t stream = 0) {
    const fast::Device device{132, 60 << 20, 228 << 10, 1024, 227 << 10, 4.8e6, sm90 == 1};
    write<<<1, 1, 0, stream>>>(fast::prefer_bulk(device, {loaded, stored}, bytes), out);
}
extern "C" void shape(int* out,  // [3]
                      int64_t packs, int64_t bytes, int loaded, int stored,
                      int light = 0, int l2_mib = 60, int couples = 0, int elements = 8,
                      cudaStream_t stream = 0) {
    const fast::Device device{132, l2_mib << 20, 228 << 10, 1024, 227 << 10, 4.8e6, true};
    const fast::Traffic pack{loaded, stored, light == 1, elements};
    write<<<1, 1, 0, stream>>>(fast::ordinary_shape(device, pack, packs, bytes), out);
    const fast::Shape early = fast::early_shape(device, pack, packs, bytes, couples == 1);
    write<<<1, 1, 0, stream>>>(early, out + 1);
    write<<<1, 1, 0, stream>>>(fast::prefer_streaming(device, bytes), out + 2);
}
extern "C" void enough(int* out,  // [2]
                       int gb_per_s, int loaded, int stored, cudaStream_t stream = 0) {
    const fast::Device device{132, 60 << 20, 228 << 10, 1024, 227 << 10, gb_per_s * 1e3, true};
    const fast::Traffic pack{loaded, stored};
    write<<<1, 1, 0, stream>>>(fast::ordinary_shape(device, pack, 1 << 22, 1 << 30), out);
    write<<<1, 1, 0, stream>>>(fast::prefer_bulk(device, pack, 1 << 30), out + 1);
}

struct Mix {  // three inputs of three types
    __device__ float operator()(int8_t a, __half b, float c) const {
        return a + __half2float(b) * c;
    }
};
extern "C" void mix(const int8_t* a,  // [n]
                    const half* b,    // [n]
                    const float* c,   // [n]
                    float* out,       // [n]
                    int64_t n, int path = 0, cudaStream_t stream = 0) {
    fast::transform(Mix{}, n, out, {stream, path}, a, b, c);
}

struct Widen {
    __device__ float operator()(__nv_bfloat16 x) const { return __bfloat162float(x); }
    __device__ __half operator()(uint8_t x) const { return __ushort2half_rn(x); }
};
extern "C" void widen(const __nv_bfloat16* x,  // [n]
                      float* out,              // [n]
                      int64_t n, int packs, int streaming = 0, cudaStream_t stream = 0) {
    fast::transform(Widen{}, n, out, {stream, fast::kPacks, packs, 0, 1, streaming}, x);
}
extern "C" void widen_u8(const uint8_t* x,  // [n]
                         half* out,         // [n]
                         int64_t n, int packs, int streaming = 0, cudaStream_t stream = 0) {
    fast::transform(Widen{}, n, out, {stream, fast::kPacks, packs, 0, 1, streaming}, x);
}

template <bool kIsLight>
struct Rise {  // a sum of the first input and one of the others, or of two inputs
    static constexpr bool kLight = kIsLight;
    template <typename T>
    __device__ T operator()(T a, T b, T c) const {
        const float x = elementwise::to_float(a);
        return elementwise::from_float<T>(x > 0 ? x + elementwise::to_float(b)
                                                : x + elementwise::to_float(c));
    }
    template <typename T>
    __device__ T operator()(T a, T b) const {
        return operator()(a, b, b);
    }
};
extern "C" void rise(const float* a, const float* b, const float* c, float* out,
                     int64_t n, cudaStream_t stream = 0) {
    fast::transform(Rise<true>{}, n, out, {stream, fast::kPacks, 0, 0, 1}, a, b, c);
}
extern "C" void rise_long(const float* a, const float* b, const float* c, float* out,
                          int64_t n, cudaStream_t stream = 0) {
    fast::transform(Rise<false>{}, n, out, {stream, fast::kPacks, 0, 0, 1}, a, b, c);
}
extern "C" void rise_f16(const half* a, const half* b, const half* c, half* out,
                         int64_t n, cudaStream_t stream = 0) {
    fast::transform(Rise<true>{}, n, out, {stream, fast::kPacks, 0, 0, 1}, a, b, c);
}
extern "C" void rise_long_f16(const half* a, const half* b, const half* c, half* out,
                              int64_t n, cudaStream_t stream = 0) {
    fast::transform(Rise<false>{}, n, out, {stream, fast::kPacks, 0, 0, 1}, a, b, c);
}
extern "C" void rise_two_f16(const half* a, const half* b, half* out,
                             int64_t n, cudaStream_t stream = 0) {
    fast::transform(Rise<false>{}, n, out, {stream, fast::kPacks, 0, 0, 1}, a, b);
}
extern "C" void multiprocessors(int* out) {  // [1]
    int count = 0;
    cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, 0);
    write<<<1, 1>>>(count, out);
}
"""


@pytest.fixture(scope="module")
def probe(tmp_path_factory):
    folder = tmp_path_factory.mktemp("fast")
    (folder / "probe.cu").write_text(PROBE)
    for name in ("fast.cuh", "elementwise.cuh"):
        (folder / name).write_text((paths.KERNELS / name).read_text())
    return jit.load(folder / "probe.cu")


def number(launcher, *arguments) -> int:
    out = torch.zeros(1, dtype=torch.int32, device=DEVICE)
    launcher(out, *arguments)
    return int(out)


NOT_WRITTEN = -7777  # of integers, as NaN of others


def random(n: int, dtype: torch.dtype, seed: int, offset: int = 0) -> torch.Tensor:
    generator = torch.Generator().manual_seed(seed)
    numbers = torch.randn(n + offset, generator=generator)
    return (
        (numbers if dtype.is_floating_point else 1000 * numbers).to(dtype).to(DEVICE)[offset:]
    )


def nans(n: int, dtype: torch.dtype, offset: int = 0) -> torch.Tensor:
    fill = float("nan") if dtype.is_floating_point else NOT_WRITTEN
    return torch.full((n + offset + 64,), fill, dtype=dtype, device=DEVICE)[offset : offset + n]


def untouched(out: torch.Tensor) -> bool:
    whole, begin = out._base, out.storage_offset()
    around = torch.cat((whole[:begin], whole[begin + out.numel() :]))
    return bool(
        around.isnan().all() if out.is_floating_point() else (around == NOT_WRITTEN).all()
    )


@pytest.mark.sample(5)
@pytest.mark.parametrize("path", [PACKS, BULK])
@pytest.mark.parametrize("dtype", list(TILE))
@pytest.mark.parametrize("extra", [-2047, -1, 0, 1, 7, 8, 9, 1023])
def test_add_around_whole_tiles(path, dtype, extra):
    n = 3 * TILE[dtype] + extra
    a, b, out = random(n, dtype, 1), random(n, dtype, 2), nans(n, dtype)
    jit.load("fast_add")(a, b, out, path=path)
    assert torch.equal(out, a + b)
    assert untouched(out)


@pytest.mark.sample(3)
@pytest.mark.parametrize("path", [PACKS, BULK])
@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
@pytest.mark.parametrize("n", [1, 8, 2047, 2048, 2049, 4096, 6151])
def test_cast_around_whole_tiles(path, dtype, n):
    x, out = random(n, torch.float32, n), nans(n, dtype)
    launcher = (
        jit.load("fast_cast").cast_f16
        if dtype is torch.float16
        else jit.load("fast_cast").cast_bf16
    )
    launcher(x, out, path=path)
    assert torch.equal(out, x.to(dtype))
    assert untouched(out)


@pytest.mark.parametrize(
    "offsets", [(1, 0, 0), (0, 1, 0), (0, 0, 1), (4, 4, 4), (2, 4, 0), (8, 8, 4)]
)
@pytest.mark.parametrize("dtype", list(TILE))
@pytest.mark.parametrize("path", [PACKS, BULK, SINGLY])
def test_a_slice_takes_narrower_packs_whatever_is_asked(offsets, dtype, path):
    n = 2 * TILE[dtype] + 3
    a, b = random(n, dtype, 1, offsets[0]), random(n, dtype, 2, offsets[1])
    out = nans(n, dtype, offsets[2])
    jit.load("fast_add")(a, b, out, path=path)
    assert torch.equal(out, a + b)
    assert untouched(out)


@pytest.mark.parametrize(
    "choice",
    [
        {"packs": 2},
        {"packs": 2, "streaming": 1},
        {"programmatic": 1},
        {"packs": 2, "tiles_per_sm": 3},
        {"tiles_per_sm": 1},
        {"tiles_per_sm": 32},
        {"programmatic": 0},
    ],
)
@pytest.mark.parametrize("path", [PACKS, BULK])
def test_every_choice_is_right(path, choice):
    n = 40_007
    a, b, out = random(n, torch.float32, 1), random(n, torch.float32, 2), nans(n, torch.float32)
    jit.load("fast_add")(a, b, out, path=path, **choice)
    assert torch.equal(out, a + b)
    assert untouched(out)


@pytest.mark.parametrize("path", [0, PACKS, BULK])
@pytest.mark.parametrize("n", [1, 511, 512, 513, 5000])
def test_three_inputs_of_three_types(probe, path, n):
    a = torch.arange(n, device=DEVICE).remainder(251).sub(125).to(torch.int8)
    b, c, out = random(n, torch.float16, 1), random(n, torch.float32, 2), nans(n, torch.float32)
    probe.mix(a, b, c, out, path)
    assert torch.allclose(out, a + b.float() * c, rtol=1e-5, atol=1e-5)
    assert untouched(out)


@pytest.mark.sample(12)
@pytest.mark.parametrize("offsets", [(0, 0), (8, 0), (8, 4), (1, 0), (0, 1), (3, 3), (12, 2)])
@pytest.mark.parametrize("packs", [6, 8])
@pytest.mark.parametrize("streaming", [0, 1])
@pytest.mark.parametrize("n", [*range(1, 40, 3), 64, 3072, 3076, 3080, 4096, 9001, 40_004])
def test_packs_that_are_read_two_at_once(probe, n, packs, streaming, offsets):
    x = random(n, torch.bfloat16, n, offsets[0])
    out = nans(n, torch.float32, offsets[1])
    probe.widen(x, out, packs, streaming)
    assert torch.equal(out, x.float())
    assert untouched(out)


@pytest.mark.parametrize("offsets", [(0, 0), (16, 8), (8, 0), (5, 5)])
@pytest.mark.parametrize("n", [1, 8, 15, 16, 17, 24, 6144, 6152, 8192, 20_001])
def test_bytes_that_are_read_two_packs_at_once(probe, n, offsets):
    x = torch.arange(n + offsets[0], device=DEVICE).to(torch.uint8)[offsets[0] :]
    for packs in (6, 8):
        out = nans(n, torch.float16, offsets[1])
        probe.widen_u8(x, out, packs)
        assert torch.equal(out, x.half())
        assert untouched(out)


@pytest.mark.parametrize("packs", [6, 8])
@pytest.mark.parametrize(
    "elements", [1000, 5 * 1024, pytest.param(1 << 22, marks=pytest.mark.gpu)]
)
def test_casts_that_depend_on_each_other(probe, packs, elements):
    """There and back, each time to other places, so a cast that reads too early is wrong."""
    steps, by = 40, 8
    narrow = partial(jit.load("fast_cast").cast_bf16, path=PACKS, programmatic=1)
    start = random(elements, torch.bfloat16, packs)
    here = torch.cat((start, start[: steps * by]))
    wide = torch.zeros(len(here), device=DEVICE)
    for step in range(0, steps * by, by):
        part = wide[step : step + elements]
        probe.widen(here[step : step + elements], part, packs)
        narrow(part, here[step + by : step + by + elements])
    assert torch.equal(here[steps * by :], start)


@pytest.mark.parametrize("path", [PACKS, BULK])
@pytest.mark.parametrize("elements", [1000, 5 * 1024])
def test_dependent_launches(path, elements):
    assert chain_is_right(partial(jit.load("fast_add").add, path=path), torch.float32, elements)


@pytest.mark.gpu
@pytest.mark.parametrize("path", [PACKS, BULK])
@pytest.mark.parametrize("dtype", list(TILE))
@pytest.mark.parametrize("elements", [1 << 10, (1 << 20) + 5, 1 << 22, 1 << 24])
def test_dependent_launches_that_overlap(path, dtype, elements):
    launcher = jit.load("fast_add").launcher_for(dtype)
    for packs in (1, 2):
        knobs = {"path": path, "packs": packs, "programmatic": 1}
        assert chain_is_right(partial(launcher, **knobs), dtype, elements)


@pytest.mark.parametrize("extra", [0, 5])
@pytest.mark.parametrize("waves", [0.05, 0.15, 0.4, 0.5])
@pytest.mark.parametrize(
    ("name", "dtype", "inputs"),
    [
        ("rise", torch.float32, 3),
        ("rise_long", torch.float32, 3),
        ("rise_f16", torch.float16, 3),
        ("rise_long_f16", torch.float16, 3),
        ("rise_two_f16", torch.float16, 2),
    ],
)
def test_dependent_launches_in_small_blocks(probe, name, dtype, inputs, waves, extra):
    """Both sides of a comparison add the same step, so the sums are those of an addition."""
    launcher = getattr(probe, name)
    packs = int(waves * 2048 * number(probe.multiprocessors))
    elements = packs * (16 // dtype.itemsize) + extra

    def add(a, step, out):
        launcher(a, *[step] * (inputs - 1), out)

    assert chain_is_right(add, dtype, elements, links=24 if DEVICE == "cuda" else 4)


# ---- the rule ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("gb_per_s", "sms", "tiles"),
    [(4800, 132, 6), (3352, 132, 5), (1555, 108, 3), (1792, 170, 2), (320, 40, 2), (0, 1, 0)],
)
def test_tiles_follow_from_bandwidth_and_multiprocessors(probe, gb_per_s, sms, tiles):
    """Of an addition: two thirds of the traffic are read."""
    assert number(probe.tiles, gb_per_s, sms, 32, 16, 8192) == tiles


@pytest.mark.parametrize(
    ("loaded", "stored", "tile_bytes", "of_h200", "of_h100"),
    [
        (48, 16, 12_288, 5, 4),  # three inputs: more is read, in larger tiles
        (16, 8, 8192, 6, 5),  # a cast to half the width, as an addition
        (16, 4, 8192, 7, 5),  # to a quarter
    ],
)
def test_tiles_follow_from_the_share_of_reads(
    probe, loaded, stored, tile_bytes, of_h200, of_h100
):
    for gb_per_s, tiles in ((4800, of_h200), (3352, of_h100)):
        assert number(probe.tiles, gb_per_s, 132, loaded, stored, tile_bytes) == tiles


@pytest.mark.parametrize("tiles", [1, 2, 3, 5, 6, 7, 8, 16])
def test_shared_memory_lets_exactly_so_many_blocks_in(probe, tiles):
    shared = number(probe.shared, tiles, 8208)
    per_block = (shared + 127) // 128 * 128 + 1024
    assert shared <= 227 << 10
    assert (228 << 10) // per_block == tiles


def test_shared_memory_is_never_less_than_needed(probe):
    assert number(probe.shared, 100, 8208) == 8208
    assert number(probe.shared, 0, 8208) == 8208


def test_bulk_is_for_reads_that_do_not_fit_in_l2(probe):
    assert number(probe.bulk, 102 << 20, 32, 16, 1) == 0  # 1.7 times 60 MiB
    assert number(probe.bulk, (102 << 20) + 1, 32, 16, 1) == 1
    assert number(probe.bulk, 1 << 33, 16, 16, 1) == 0  # as much is written
    assert number(probe.bulk, 1 << 33, 31, 16, 1) == 0
    assert number(probe.bulk, 1 << 33, 32, 16, 0) == 0


# As the enumeration Shape of fast.cuh.
USUAL, HALVES, TWO, TWO_HALVES, FOUR, SIX, EIGHT, TWO_IN_BLOCK = range(8)
SMALL_BLOCK, LARGE_BLOCK, HALVES_IN_LARGE_BLOCK = range(8, 11)
WAVE = 132 * 2048  # threads that the GPU holds


def shapes(probe, packs, megabytes, loaded, stored, *more):
    """Return the rule's shapes of an ordinary and a programmatic launch, and if it streams."""
    out = torch.zeros(3, dtype=torch.int32, device=DEVICE)
    probe.shape(out, packs, megabytes << 20, loaded, stored, *more)
    return tuple(out.tolist())


@pytest.mark.parametrize(
    ("packs", "loaded", "stored", "light", "ordinary", "early"),
    [
        (66 * 256, 16, 16, 1, HALVES, HALVES_IN_LARGE_BLOCK),
        (66 * 256, 16, 16, 0, HALVES, HALVES_IN_LARGE_BLOCK),
        (WAVE // 4, 16, 16, 0, HALVES, HALVES_IN_LARGE_BLOCK),
        (WAVE // 4 + 1, 16, 16, 0, TWO_HALVES, HALVES_IN_LARGE_BLOCK),
        (WAVE // 4, 16, 16, 1, HALVES, HALVES_IN_LARGE_BLOCK),
        (WAVE // 4 + 1, 16, 16, 1, TWO, HALVES_IN_LARGE_BLOCK),
        (WAVE // 2, 16, 16, 1, TWO, HALVES_IN_LARGE_BLOCK),
        (WAVE // 2 + 1, 16, 16, 1, TWO, USUAL),
        (WAVE + 1, 16, 16, 0, TWO_HALVES, USUAL),  # of four elements a pack TWO: below
        (WAVE + 1, 16, 16, 1, TWO, TWO),
        (WAVE * 2, 16, 16, 1, TWO, TWO),
        (WAVE * 2 + 1, 16, 16, 1, USUAL, LARGE_BLOCK),
        (WAVE * 2 + 1, 16, 16, 0, USUAL, LARGE_BLOCK),
        (WAVE // 4, 31, 16, 0, HALVES, HALVES_IN_LARGE_BLOCK),
        (WAVE // 4 + 1, 31, 16, 0, TWO_HALVES, HALVES_IN_LARGE_BLOCK),
        (WAVE // 2, 32, 16, 0, HALVES, HALVES_IN_LARGE_BLOCK),  # two inputs
        (162_201, 32, 16, 0, HALVES, HALVES_IN_LARGE_BLOCK),  # up to 0.6 waves
        (162_202, 32, 16, 0, USUAL, HALVES_IN_LARGE_BLOCK),
        (229_785, 32, 16, 0, USUAL, HALVES_IN_LARGE_BLOCK),  # programmatic ones up to 0.85
        (229_786, 32, 16, 0, USUAL, USUAL),
        (WAVE * 2, 32, 16, 0, USUAL, USUAL),
        (81_100, 32, 16, 1, HALVES, HALVES_IN_LARGE_BLOCK),  # light ones up to 0.3 waves
        (81_101, 32, 16, 1, USUAL, HALVES_IN_LARGE_BLOCK),
        (WAVE // 2, 32, 16, 1, USUAL, HALVES_IN_LARGE_BLOCK),
        (WAVE // 2 + 1, 32, 16, 1, USUAL, USUAL),
        (WAVE, 32, 16, 1, USUAL, USUAL),
        (WAVE + 1, 32, 16, 1, USUAL, HALVES_IN_LARGE_BLOCK),
        (WAVE * 2, 32, 16, 1, USUAL, HALVES_IN_LARGE_BLOCK),
        (WAVE * 2 + 1, 32, 16, 1, USUAL, USUAL),
        (33_792, 32, 16, 0, HALVES, HALVES_IN_LARGE_BLOCK),
        (
            33_793,
            32,
            16,
            0,
            HALVES,
            HALVES,
        ),  # programmatic ones from an eighth of a wave to 0.45
        (121_651, 32, 16, 0, HALVES, HALVES),
        (121_652, 32, 16, 0, HALVES, HALVES_IN_LARGE_BLOCK),
        (33_793, 32, 16, 1, HALVES, HALVES_IN_LARGE_BLOCK),
        (33_792, 40, 16, 1, HALVES, HALVES_IN_LARGE_BLOCK),
        (33_793, 40, 16, 1, HALVES, HALVES),
        (121_651, 40, 16, 1, HALVES, HALVES),
        (121_652, 40, 16, 1, HALVES, HALVES_IN_LARGE_BLOCK),
        (432_537, 40, 16, 0, HALVES, HALVES_IN_LARGE_BLOCK),  # three inputs: 1.6 waves
        (432_538, 40, 16, 0, USUAL, USUAL),
        (432_538, 39, 16, 0, USUAL, USUAL),
        (432_538, 39, 16, 1, USUAL, HALVES_IN_LARGE_BLOCK),
        (66 * 256, 8, 16, 0, USUAL, TWO),  # a cast to more bytes
        (66 * 256 + 1, 8, 16, 0, HALVES, TWO),
        (WAVE // 8 + 1, 8, 16, 0, USUAL, TWO),
        (WAVE // 4 + 1, 8, 16, 0, TWO, TWO),
        (WAVE, 8, 16, 0, TWO, TWO),
        (WAVE + 1, 8, 16, 0, FOUR, TWO),  # too little is read
        (WAVE * 2 + 1, 8, 16, 0, FOUR, TWO_IN_BLOCK),
        (WAVE * 4, 8, 16, 0, FOUR, TWO_IN_BLOCK),
        (WAVE * 4 + 1, 8, 16, 0, TWO, FOUR),
        (WAVE * 10, 8, 16, 0, TWO, FOUR),
        (WAVE * 10 + 1, 8, 16, 0, TWO, USUAL),
        (27_034, 16, 8, 0, USUAL, USUAL),  # to fewer; a tenth of a wave
        (27_033, 16, 8, 1, USUAL, USUAL),
        (27_034, 16, 8, 1, USUAL, LARGE_BLOCK),
        (WAVE, 16, 8, 1, USUAL, LARGE_BLOCK),  # all on the GPU at once
        (WAVE, 16, 8, 0, USUAL, USUAL),
        (WAVE + 1, 16, 8, 0, TWO_IN_BLOCK, TWO_IN_BLOCK),  # too little is stored
        (WAVE * 2 + 1, 16, 8, 0, TWO_IN_BLOCK, TWO_IN_BLOCK),
        (WAVE * 2, 16, 8, 1, TWO_IN_BLOCK, TWO_IN_BLOCK),
        (WAVE * 2 + 1, 16, 8, 1, TWO_IN_BLOCK, LARGE_BLOCK),
        (WAVE * 4, 16, 8, 1, TWO_IN_BLOCK, LARGE_BLOCK),
        (WAVE * 4 + 1, 16, 8, 1, TWO_IN_BLOCK, TWO_IN_BLOCK),
        (WAVE, 16, 4, 1, USUAL, LARGE_BLOCK),
        (WAVE + 1, 16, 4, 1, TWO_IN_BLOCK, TWO_IN_BLOCK),
        (WAVE * 2 + 1, 16, 4, 1, TWO_IN_BLOCK, TWO_IN_BLOCK),
        (WAVE * 2 + 1, 16, 5, 1, TWO_IN_BLOCK, LARGE_BLOCK),  # more than a quarter is stored
    ],
)
def test_the_shape_of_a_launch(probe, packs, loaded, stored, light, ordinary, early):
    assert shapes(probe, packs, 0, loaded, stored, light)[:2] == (ordinary, early)


@pytest.mark.parametrize(
    ("packs", "loaded", "light", "ordinary", "early"),
    [
        (66 * 256, 16, 1, USUAL, HALVES_IN_LARGE_BLOCK),  # a block for every second SM
        (66 * 256, 16, 0, HALVES, HALVES_IN_LARGE_BLOCK),
        (66 * 256 + 1, 16, 1, HALVES, HALVES_IN_LARGE_BLOCK),
        (66 * 256, 36, 1, USUAL, HALVES_IN_LARGE_BLOCK),
        (66 * 256, 40, 1, HALVES, HALVES_IN_LARGE_BLOCK),  # three inputs
        (66 * 256, 32, 0, HALVES, HALVES_IN_LARGE_BLOCK),
        (33_793, 32, 0, HALVES, HALVES_IN_LARGE_BLOCK),
        (33_792, 40, 0, HALVES, HALVES_IN_LARGE_BLOCK),
        (33_793, 40, 0, HALVES, HALVES),
        (121_651, 40, 0, HALVES, HALVES),
        (33_793, 40, 1, HALVES, SMALL_BLOCK),
        (121_651, 40, 1, HALVES, SMALL_BLOCK),
        (121_652, 40, 1, HALVES, HALVES_IN_LARGE_BLOCK),
        (WAVE // 2, 32, 0, HALVES, HALVES_IN_LARGE_BLOCK),  # two inputs
        (WAVE // 2 + 1, 32, 0, USUAL, USUAL),
        (WAVE + 1, 32, 0, USUAL, HALVES_IN_LARGE_BLOCK),
        (WAVE // 4, 16, 0, HALVES, HALVES_IN_LARGE_BLOCK),
        (WAVE // 4 + 1, 16, 0, TWO_HALVES, USUAL),
        (WAVE // 4 + 1, 16, 1, TWO, HALVES_IN_LARGE_BLOCK),
        (WAVE // 2, 16, 0, TWO_HALVES, USUAL),
        (WAVE, 16, 0, TWO_HALVES, USUAL),
        (WAVE + 1, 16, 0, TWO, USUAL),
        (WAVE * 2, 16, 0, TWO, USUAL),
        (WAVE * 2 + 1, 16, 0, USUAL, LARGE_BLOCK),
    ],
)
def test_the_shape_of_a_launch_of_four_elements_a_pack(
    probe, packs, loaded, light, ordinary, early
):
    assert shapes(probe, packs, 0, loaded, 16, light, 60, 0, 4)[:2] == (ordinary, early)


@pytest.mark.parametrize(
    ("packs", "shape"),
    [
        (WAVE * 2, TWO),
        (WAVE * 2 + 1, SIX),
        (WAVE * 6, SIX),  # the threads of so many packs are all on the GPU at once
        (WAVE * 6 + 1, EIGHT),
        (WAVE * 8, EIGHT),
        (WAVE * 8 + 1, SIX),
        (WAVE * 10, SIX),
        (WAVE * 10 + 1, USUAL),
    ],
)
def test_packs_of_half_the_bytes_are_read_two_at_once(probe, packs, shape):
    ordinary = shapes(probe, packs, 0, 8, 16)[0]
    assert shapes(probe, packs, 0, 8, 16, 0, 60, 1)[:2] == (ordinary, shape)


@pytest.mark.parametrize(
    ("packs", "loaded", "light", "l2_mib", "shape"),
    [
        (66 * 256, 16, 1, 60, HALVES),
        (66 * 256, 16, 1, 50, USUAL),  # on an H100
        (66 * 256, 32, 1, 50, USUAL),
        (66 * 256 + 1, 16, 1, 50, HALVES),
        (66 * 256, 16, 0, 50, HALVES),
        (66 * 256, 40, 1, 50, HALVES),
    ],
)
def test_short_calls_where_an_sm_has_little_l2(probe, packs, loaded, light, l2_mib, shape):
    assert shapes(probe, packs, 0, loaded, 16, light, l2_mib)[0] == shape


@pytest.mark.parametrize(
    ("packs", "l2_mib", "shape"),
    [
        (324_403, 50, USUAL),  # 1.2 waves, on an H100
        (324_404, 50, HALVES),
        (WAVE * 2, 50, HALVES),
        (WAVE * 2 + 1, 50, USUAL),
        (324_404, 60, USUAL),  # on an H200
    ],
)
def test_two_inputs_where_an_sm_has_little_l2(probe, packs, l2_mib, shape):
    assert shapes(probe, packs, 0, 32, 16, 0, l2_mib)[0] == shape


def test_two_inputs_have_halves_below_a_wave_where_an_sm_has_little_l2(probe):
    for packs in (WAVE // 2 + 1, WAVE):
        assert shapes(probe, packs, 0, 32, 16, 0, 50)[1] == HALVES_IN_LARGE_BLOCK


@pytest.mark.parametrize(
    ("gb_per_s", "loaded", "stored", "shape", "bulk"),
    [
        (
            4800,
            16,
            8,
            TWO_IN_BLOCK,
            1,
        ),  # an H200: a block of one pack a thread moves too little
        (3840, 16, 8, USUAL, 0),  # 6,144 bytes: in twice 0.8 ns that is enough
        (3841, 16, 8, TWO_IN_BLOCK, 1),
        (3352, 16, 8, USUAL, 0),  # an H100
        (3352, 16, 4, TWO_IN_BLOCK, 1),
        (1792, 16, 4, USUAL, 0),
        (0, 16, 8, TWO_IN_BLOCK, 1),  # the driver does not say
        (4800, 32, 16, USUAL, 1),
        (1792, 32, 16, USUAL, 1),
    ],
)
def test_a_block_moves_what_dram_moves_while_two_start(
    probe, gb_per_s, loaded, stored, shape, bulk
):
    out = torch.zeros(2, dtype=torch.int32, device=DEVICE)
    probe.enough(out, gb_per_s, loaded, stored)
    assert out.tolist() == [shape, bulk]


@pytest.mark.parametrize(
    ("packs", "loaded", "stored", "in_l2", "not_in_l2"),
    [
        (WAVE * 5, 8, 16, (TWO, FOUR), (USUAL, USUAL)),
        (WAVE * 5, 16, 16, (USUAL, USUAL), (USUAL, USUAL)),
        (WAVE * 5, 32, 16, (USUAL, USUAL), (USUAL, USUAL)),
        (WAVE * 5, 16, 8, (TWO_IN_BLOCK, TWO_IN_BLOCK), (TWO_IN_BLOCK, TWO_IN_BLOCK)),
    ],
)
def test_what_l2_cannot_have_is_read_pack_by_pack(
    probe, packs, loaded, stored, in_l2, not_in_l2
):
    assert shapes(probe, packs, 119, loaded, stored)[:2] == in_l2
    assert shapes(probe, packs, 120, loaded, stored)[:2] == not_in_l2


@pytest.mark.parametrize(("megabytes", "shape"), [(60, LARGE_BLOCK), (61, USUAL)])
def test_blocks_are_large_where_l2_has_room_for_all(probe, megabytes, shape):
    assert shapes(probe, WAVE * 5, megabytes, 16, 16)[1] == shape


@pytest.mark.parametrize(("megabytes", "streams"), [(30, 0), (31, 1), (119, 1), (120, 0)])
def test_stores_stream_where_l2_can_keep_inputs(probe, megabytes, streams):
    assert shapes(probe, 1 << 20, megabytes, 16, 16)[2] == streams


@pytest.mark.parametrize(
    ("kernel", "launcher"),
    [pytest.param("fast_add", "add", marks=pytest.mark.stress), ("fast_cast", "cast_f16")],
)
def test_lanes_read_a_tile_side_by_side(kernel, launcher):
    """Sixteen bytes a lane, four wavefronts a request: no bank conflict, whatever the types."""
    if DEVICE == "cuda":
        pytest.skip("a trace runs on the emulator")
    n = 4096
    inputs = [
        random(n, torch.float32, seed) for seed in range(2 if kernel == "fast_add" else 1)
    ]
    out = torch.empty(n, dtype=torch.float32 if kernel == "fast_add" else torch.float16)
    seen = trace(getattr(jit.load(kernel), launcher), *inputs, out, path=BULK)
    loads = seen.shared_loads
    assert loads.requests > 0 and loads.conflicts == 0
    assert loads.wavefronts_per_request == 4


ROWS = """
#include "fast.cuh"
struct Sum {
    __device__ float operator()(float x, float y) const { return x + y; }
    __device__ int16_t operator()(int16_t x, int16_t y) const { return x + y; }
};
extern "C" cudaError_t sum(const float* x,    // [n]
                           const float* bias,  // [cols]
                           float* out,         // [n]
                           int64_t n, int64_t cols, cudaStream_t stream = 0) {
    return fast::transform(Sum{}, n, out, {stream}, x, elementwise::Row<float>(bias, cols));
}
extern "C" cudaError_t strided(const float* x,  // [n]
                               const float* y,  // [elements]
                               float* out,      // [n]
                               int64_t n, int64_t elements, int64_t cols,
                               int64_t row_stride, int64_t column_stride,
                               int path, int halved, int packs, cudaStream_t stream = 0) {
    fast::Choice choice{stream, path};
    choice.halved = halved, choice.packs = packs;
    const fast::Rows<float> rows{y, cols, row_stride, column_stride};
    return fast::transform(Sum{}, n, out, choice, x, rows);
}
extern "C" cudaError_t returns(const float* x,  // [n]
                               float* out,      // [n]
                               int64_t n, int error) {
    return static_cast<cudaError_t>(error);
}
"""


# Of the stress tests: it takes as long to build as all others of ROWS.
ROWS_OF_EIGHT = """
extern "C" cudaError_t strided_i16(const int16_t* x,  // [n]
                                   const int16_t* y,  // [elements]
                                   int16_t* out,      // [n]
                                   int64_t n, int64_t elements, int64_t cols,
                                   int64_t row_stride, int64_t column_stride,
                                   cudaStream_t stream = 0) {
    const fast::Rows<int16_t> rows{y, cols, row_stride, column_stride};
    return fast::transform(Sum{}, n, out, {stream}, x, rows);
}
"""


MOST_IN_ROWS = 1 << 21  # elements of a part of a call, in these tests


@pytest.fixture(scope="module")
def rows(request, tmp_path_factory):
    folder = tmp_path_factory.mktemp("rows")
    more = ROWS_OF_EIGHT if request.config.getoption("--stress") else ""
    (folder / "rows.cu").write_text(ROWS + more)
    for name in ("fast.cuh", "elementwise.cuh"):
        (folder / name).write_text((paths.KERNELS / name).read_text())
    fast, most = folder / "fast.cuh", "kMostInRows = int64_t{1} << 30"
    assert fast.read_text().count(most) == 1
    fast.write_text(fast.read_text().replace(most, f"kMostInRows = {MOST_IN_ROWS}"))
    return jit.load(folder / "rows.cu")


@pytest.mark.parametrize("offsets", [(0, 0, 0), (1, 0, 0), (0, 3, 0), (1, 2, 3)])
@pytest.mark.parametrize("cols", [1, 3, 4, 7, 8, 13, 64, 101])
def test_a_row_of_any_length_at_any_offset(rows, cols, offsets):
    n = 5 * cols * 3
    x, bias = (
        random(n, torch.float32, 1, offsets[0]),
        random(cols, torch.float32, 2, offsets[1]),
    )
    out = nans(n, torch.float32, offsets[2])
    rows.sum(x, bias, out)
    assert torch.equal(out, x + bias.repeat(15))
    assert untouched(out)


# (cols, row_stride, column_stride): a part of a wider matrix, aligned and not; a row, a column
# and a scalar that are broadcast; every third column, with and without a gap behind a row;
# overlapping rows.
STRIDES = [
    (8, 16, 1),
    (64, 64, 1),
    (13, 20, 1),
    (7, 0, 1),
    (16, 1, 0),
    (5, 1, 0),
    (9, 0, 0),
    (6, 18, 3),
    (6, 20, 3),
    (5, 3, 2),
    (11, 2, 3),
    (1, 2, 1),
]


@pytest.mark.sample(5)
@pytest.mark.parametrize("offsets", [(0, 0, 0), (0, 1, 0), (1, 0, 0), (2, 1, 3)])
@pytest.mark.parametrize("stride", STRIDES)
@pytest.mark.parametrize(
    ("path", "halved", "packs"),
    [
        (0, 0, 1),
        (0, 0, 2),
        (0, 1, 0),
        (PACKS, 0, 1),
        (SINGLY, 0, 1),
        (SINGLY, 1, 1),
        (SINGLY, 1, 2),
    ],
)
def test_rows_of_any_stride(rows, stride, offsets, path, halved, packs):
    _check_rows(rows.strided, torch.float32, 37, *stride, offsets, path, halved, packs)


@pytest.mark.stress
@pytest.mark.parametrize("offsets", [(0, 0, 0), (0, 1, 0), (1, 0, 0), (2, 1, 3)])
@pytest.mark.parametrize("stride", STRIDES)
def test_rows_of_any_stride_of_eight_elements_a_pack(rows, stride, offsets):
    cols, row_stride, column_stride = stride
    _check_rows(rows.strided_i16, torch.int16, 37, cols, row_stride, column_stride, offsets)


@pytest.mark.parametrize(
    "stride", [(64, 128, 2), (64, 130, 2), (63, 63, 1), (63, 65, 1), (1, 1, 0)]
)
@pytest.mark.parametrize(
    "function", ["strided", pytest.param("strided_i16", marks=pytest.mark.stress)]
)
def test_rows_of_long_calls(rows, function, stride):
    """More packs than the GPU holds threads: other kernels than those of short calls."""
    dtype = torch.float32 if function == "strided" else torch.int16
    elements = 4 * 132 * 2048 if function == "strided" else 8 * 132 * 2048
    more = (0, 0, 0) if function == "strided" else ()
    _check_rows(
        getattr(rows, function), dtype, elements // stride[0] + 9, *stride, (0, 0, 0), *more
    )


@pytest.mark.parametrize(
    "stride", [(12, 24, 1), (12, 0, 1), (12, 1, 0), (13, 20, 1), (13, 1, 0)]
)
def test_a_second_part_begins_within_a_row(rows, stride):
    assert MOST_IN_ROWS % stride[0]
    count = MOST_IN_ROWS // stride[0] // 4 * 4 + 400
    _check_rows(rows.strided, torch.float32, count, *stride, (0, 0, 0), 0, 0, 0)


def _check_rows(launcher, dtype, count, cols, row_stride, column_stride, offsets, *more):
    n = count * cols
    needed = (count - 1) * row_stride + (cols - 1) * column_stride + 1
    x, y = random(n, dtype, 1, offsets[0]), random(needed, dtype, 2, offsets[1])
    out = nans(n, dtype, offsets[2])
    launcher(x, y, out, cols, row_stride, column_stride, *more)
    matrix = torch.as_strided(y, (count, cols), (row_stride, column_stride), y.storage_offset())
    assert torch.equal(out, x + matrix.reshape(-1))
    assert untouched(out)


def test_too_long_rows_are_refused(rows):
    x, out = torch.zeros(2, 8, device=DEVICE)
    rows.strided(x, x, out, 1 << 40, 0, 1, 0, 0, 0)  # one row: a pointer
    for cols, row_stride in ((1 << 29, 0), (0, 1)):
        with pytest.raises(LaunchError, match="strided returned cudaErrorInvalidValue"):
            rows.strided(x, x, out, cols, row_stride, 0, 0, 0, 0)


def test_an_error_that_a_launcher_returns_is_raised_by_its_name(rows):
    x, out = torch.zeros(2, 8, device=DEVICE)
    rows.returns(x, out, 0)
    with pytest.raises(LaunchError, match="returns returned cudaErrorMemoryAllocation"):
        rows.returns(x, out, 2)
