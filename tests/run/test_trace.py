"""Traces of kernels: what is counted, which races are found, which kernels are right."""

import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
import torch

from helpers.errors import FaultKind, KernelFault
from helpers.paths import ROOT
from helpers.run.trace import BYTES, MISSING, OTHER_INDEX, _fault, _verb, load_traced, trace

RACES = Path(__file__).parents[1] / "emulator" / "kernels" / "races.cu"
# What mends the planted races of which __syncthreads() is not the remedy.
REMEDIES = {
    "warp": ("tree_last_warp", "warp_swap", "half_warp_swap", "stored_tile"),
    "shuffle": (
        *("shuffle_between", "vote_between", "shuffle_before_write", "tile_shuffle_between"),
        "match_between",
    ),
    "copy": (
        *("copy_by_ptx", "copy_of_its_own", "copy_ahead", "copy_by_group", "copy_to_barrier"),
        *("copy_in_stages", "only_arrived", "source_of_another"),
    ),
    "atomic": ("histogram_plain", "histogram_global", "lost_update", "counter_plain"),
    "fence": ("last_block", "block_fence", "lock", "summed_by_atomics"),
    "fence behind": ("unfenced_reader",),
    "volatile": ("volatile_parts",),
    "one thread": ("two_blocks", "two_threads", "overlapping_blocks", "index_of_largest"),
}
WORDS = {
    "barrier": "nothing orders the two: put __syncthreads() between them",
    "warp": "nothing orders the two: put __syncwarp() between them",
    "shuffle": "does not order memory, so put __syncwarp() between them",
    "copy": "wait()), then put a barrier before other threads' accesses",
    "atomic": "one of two updates may be lost, so make them atomic (atomicAdd, atomicMax, ...)",
    "fence": "or put __threadfence() between the write and the atomic that hands it on",
    "volatile": "orders nothing, so put __threadfence() between the write and the atomic that "
    "hands it on",
    "fence behind": "is relaxed, so put __threadfence() behind it, before this access",
    "one thread": "is the index right, or should only one thread write there?",
}
PLANTED = re.findall(r"^extern \"C\" void (\w+)_right\(", RACES.read_text(), flags=re.M)
SAMPLE = 4
# Of the planted ones, those that other tests take.
TAKEN = {
    *("copied_by_memcpy", "interleaved_tree", "matmul_before_use", "tree_after_load"),
    "warp_sums",
}


def without(names, text):
    """Blank the launchers of planted races; what only they launch is then not compiled."""
    launchers = rf"^extern \"C\" void (?:{'|'.join(names)})(?:_right)?\(.*?^\}}$"
    blank = re.compile(launchers, flags=re.M | re.S)
    return blank.sub(lambda found: "\n" * found[0].count("\n"), text)


@pytest.fixture(scope="module")
def file(request, tmp_path_factory):
    """Return RACES; without --stress a copy without what no test takes, which builds sooner."""
    file = RACES
    if not request.config.getoption("--stress"):
        text = RACES.read_text("utf-8")
        file = tmp_path_factory.mktemp("traced") / RACES.name
        left_out = set(PLANTED) - set(PLANTED[::SAMPLE]) - TAKEN
        file.write_text(without(left_out, text), "utf-8")
    return file


@pytest.fixture(scope="module")
def traced(file):
    """Return what traces a launcher of the file; the untraced library is not built."""
    launchers = load_traced(file)[0].launchers

    def seen(launcher, elements=1024):
        x = torch.arange(1, elements + 1, dtype=torch.float32)
        return trace(launchers[launcher], x, torch.zeros(elements))

    return seen


@pytest.fixture
def faults(traced):
    return lambda launcher: traced(launcher, 256).faults


@pytest.mark.parametrize("launcher", ["reverse", "added", "flag", "cas", "fenced"])
def test_right_kernels_are_left_in_peace(launcher, faults):
    assert faults(launcher) == ()


def test_a_missing_barrier_is_named_with_lines_threads_and_element(faults):
    (fault, *_) = [one for one in faults("reverse_bare") if one.kind is FaultKind.RACE]
    assert "races.cu: thread 128 of block 0 writes shared[128] (line 12)" in str(fault)
    assert "thread 127 of block 0 reads it (line 14)" in str(fault)
    assert fault.place == "shared[128]" and fault.access == "write"


def test_a_write_past_the_end_of_a_tensor_is_a_fault(traced):
    with pytest.raises(KernelFault, match=r"write to out\[256\], but out has 256 elements"):
        traced("past", 256)


@pytest.mark.parametrize("launcher", ["lost", "unfenced", "in_step"])
def test_races_are_found(launcher, faults):
    assert FaultKind.RACE in {fault.kind for fault in faults(launcher)}


def test_a_read_of_unwritten_shared_memory_is_found(faults):
    (fault,) = faults("unwritten")
    assert fault.kind is FaultKind.UNWRITTEN
    assert "reads shared[128] (line 39), which no thread of the block has written" in str(fault)


@pytest.mark.parametrize(
    ("loaded", "words"), [(1024, OTHER_INDEX), (1056, MISSING), (0, MISSING)]
)
def test_what_is_stored_as_often_as_read_was_stored_elsewhere(traced, loaded, words):
    """A tile that is read at another pitch than it was written at."""
    seen = traced("unwritten", 256)
    race = next(one for one in seen.races if one.rule == "unwritten")
    one = seen.of("load", "shared")
    traffic = [replace(one, kind="store", bytes_asked=1024), replace(one, bytes_asked=loaded)]
    assert str(_fault(race, replace(seen, traffic=traffic), {})).endswith(words)


def test_what_is_changed_before_anyone_has_set_it_needs_a_start_value(traced):
    seen = traced("unwritten", 256)
    race = next(one for one in seen.races if one.rule == "unwritten")
    words = str(_fault(replace(race, kind="atomic"), seen, {}))
    assert "which no thread of the block has set. It needs a start value: is" in words


@pytest.mark.parametrize(
    "name",
    [
        "half/ptx_matrices",
        "language/cub_sort_and_histogram",
        "language/cub_storage_of_its_own",
        "language/objects_by_a_factory_in_a_kernel",  # written, then freed at once
        "language/ptx_mbarrier",
    ],
)
def test_what_headers_and_ptx_share_is_no_race(name):
    path = RACES.parents[1] / "corpus" / f"{name}.cu"
    assert not trace(path, torch.rand(600), torch.empty(600)).races


def test_there_are_72_planted_races():
    assert len(PLANTED) == len(set(PLANTED)) == 72


@pytest.mark.sample(SAMPLE)
@pytest.mark.parametrize("launcher", PLANTED)
def test_a_planted_race_is_found_and_its_right_twin_left_in_peace(launcher, traced):
    faults = traced(launcher).faults
    assert faults
    first = next((str(one) for one in faults if one.kind is FaultKind.RACE), "")
    kind = next((kind for kind, names in REMEDIES.items() if launcher in names), "barrier")
    assert first.endswith(WORDS[kind])
    assert traced(f"{launcher}_right").faults == ()


def test_volatile_words_whose_values_say_that_they_are_written_are_left_in_peace(traced):
    assert traced("volatile_words").faults == ()


@pytest.mark.stress
@pytest.mark.parametrize(
    "name",
    "flag pingpong twice last tail private prefix oddeven halo queue spin counted shift tile "
    "halves vector bytes early max transposed".split(),
)
def test_races_of_more_classes_are_found_and_their_twins_left_in_peace(name):
    launchers = load_traced(RACES.with_name("more_races.cu"))[0].launchers
    x = torch.randint(1, 200, (1024,), generator=torch.Generator().manual_seed(1)).float()
    try:
        faults = trace(launchers[f"{name}_racy"], x, torch.zeros(1024)).faults
    except KernelFault as fault:  # threads that read the old value wait at another barrier
        faults = (fault,)
    assert faults
    assert trace(launchers[f"{name}_right"], x, torch.zeros(1024)).faults == ()


ORDERED = RACES.with_name("ordered_races.cu")
ORDERED_WORDS = {  # of which the remedy is not a barrier, or not the first fault
    "may not have written yet": "only_arrived own_copy wrong_phase target_before_wait refilled "
    "roles_unwaited roles_unacquired two_buffers_one_barrier",
    "may still read": "source_of_its_own source_of_another",
    "the memory model does not order the two": "lock_unfenced ref_unacquired look_back_reader "
    "flag_in_shared",
    "changes (atomic) it": "summed_by_atomics summed_read_as_atomic",
}


@pytest.mark.stress
@pytest.mark.parametrize("name", re.findall(r"^KERNEL (\w+)_k", ORDERED.read_text(), re.M))
def test_races_with_copies_and_atomics_are_found_and_their_twins_left_in_peace(name):
    launchers = load_traced(ORDERED)[0].launchers
    x = torch.randint(1, 200, (1024,), generator=torch.Generator().manual_seed(1)).float()
    faults = trace(launchers[f"{name}_racy"], x, torch.zeros(1024)).faults
    words = next((words for words, names in ORDERED_WORDS.items() if name in names.split()), "")
    assert faults and words in str(faults[0])
    assert trace(launchers[f"{name}_right"], x, torch.zeros(1024)).faults == ()


def test_what_an_exercise_asks_has_a_short_name(traced):
    seen = traced("warp_sums_right")
    assert (seen.blocks, seen.threads, seen.writing_threads) == (1, 256, 1)
    assert seen.steps  # of the first warp of the first block, as no other is asked for
    assert (seen.loads.requests, seen.loads.efficiency) == (8, 1)
    assert seen.shared_stores.requests == 8 and seen.shared_loads.requests == 2
    assert (seen.stores.lanes, seen.atomics.requests, seen.bank_conflicts) == (1, 0, 0)
    assert seen.uses("warp operation") and seen.uses("barrier")
    nothing = seen.atomics
    assert (nothing.efficiency, nothing.sectors_per_request, nothing.lanes_per_request) == (
        0,
    ) * 3
    right, slow = traced("tree_after_load_right"), traced("interleaved_tree_right")
    assert not right.uses("warp operation")
    assert slow.divergent_branches > right.divergent_branches
    assert slow.branch_efficiency < right.branch_efficiency <= 1


def test_four_neighbouring_reads_of_shared_memory_are_one_of_16_bytes(traced):
    seen = traced("matmul_before_use_right")
    rows, columns = 2 * 8 * 4, 2 * 8 * 16  # pieces, warps, requests
    assert seen.shared_loads.requests == rows + columns
    assert seen.shared_loads.bytes_per_lane == 16


@pytest.mark.parametrize(
    ("struct", "pieces", "width", "shared"),
    [
        *(
            ("2_floats", 2, 4, (1, 8)),
            ("4_floats", 4, 4, (1, 16)),
            ("2_doubles", 2, 8, (1, 16)),
        ),
        *(("6_floats", 6, 4, (3, 8)), ("shorts", 2, 2, (2, 2))),
    ],
)
def test_a_struct_is_copied_in_pieces_of_its_alignment(struct, pieces, width, shared, traced):
    seen = traced(f"copied_{struct}")
    for one in (seen.loads, seen.stores):
        assert (one.requests, one.bytes_per_lane) == (pieces, width)
    for one in (seen.shared_loads, seen.shared_stores):
        assert (one.requests, one.bytes_per_lane) == shared


def test_memcpy_knows_no_alignment(traced):
    """LDG.E.U8 in the code of nvcc 13.0; the bytes of shared memory go together."""
    seen = traced("copied_to_a_pack")
    assert (seen.loads.requests, seen.loads.bytes_per_lane) == (16, 1)
    assert traced("copied_by_memcpy_right").shared_stores.bytes_per_lane == 16
    assert not [one for one in seen.traffic if one.space == "local"]


def test_loads_of_v5_touch_16_sectors_and_the_caller_s_tensors_stay():
    a, out = torch.randn(2048).half(), torch.zeros(2048).half()
    seen = trace("v5_f16x8", a, a, out, block_size=64)
    loads = seen.of("load")
    assert (loads.sectors_per_request, loads.lanes_per_request) == (16, 32)
    assert loads.efficiency == 0.25 and loads.bytes_per_lane == 4
    assert not out.any()
    assert all(step.mask == 0xFFFFFFFF for step in seen.steps)


def test_blocks_that_run_together_are_not_traced(traced, file):
    launcher = load_traced(file)[0].launchers["grid_reverse"]
    x, out, between = torch.arange(512.0), torch.zeros(512), torch.zeros(512)
    assert trace(launcher, x, out, between, block_size=512).faults == ()
    for _ in range(3):
        with pytest.raises(ValueError, match="run together: trace it with one"):
            trace(launcher, x, out, between, block_size=128)
    assert traced("reverse").stores.requests > 0


def test_a_launcher_chooses_as_on_a_card(file):
    launcher = load_traced(file)[0].launchers["block_on_each_sm"]
    for card, sms in ((None, 4), ("H200", 132), ("nvidia tesla t4", 40), (None, 4)):
        seen = trace(launcher, torch.arange(256.0), torch.zeros(256), card=card)
        assert (seen.blocks, seen.faults) == (sms, ())
    with pytest.raises(KeyError, match=r"'H2000' is not in data/gpus.csv"):
        trace(launcher, torch.arange(256.0), torch.zeros(256), card="H2000")


def test_a_traced_file_may_be_named_by_a_relative_path(file, monkeypatch):
    monkeypatch.chdir(file.parent)
    assert load_traced(Path(file.name))[0] is load_traced(file)[0] is load_traced("races.cu")[0]


def test_special_registers_are_no_accesses(traced):
    assert traced("special_registers").loads.requests == 8


OBJECTS = """#include <new>
struct Shape { __device__ virtual float area() const = 0; };
struct Square : Shape { __device__ float area() const override { return 1; } };
__global__ void k(const float* a, float* out, int n) {
    __shared__ alignas(16) unsigned char room[64 * sizeof(Square)];
    auto* shapes = reinterpret_cast<Square*>(room);
    if (threadIdx.x < n) new (shapes + threadIdx.x) Square;
    __syncthreads();
    const Shape& other = shapes[n - 1 - threadIdx.x];
    if (threadIdx.x < n) out[threadIdx.x] = a[threadIdx.x] + other.area();
}
extern "C" void launch(const float* a, float* out, int n) { k<<<1, 64>>>(a, out, n); }
"""


def test_a_constructor_writes_the_pointer_to_the_virtual_functions(tmp_path):
    path = tmp_path / "objects.cu"
    path.write_text(OBJECTS)
    assert trace(path, torch.zeros(64), torch.zeros(64)).faults == ()


def test_a_tensor_with_gaps_is_refused_as_by_a_call(file):
    launcher = load_traced(file)[0].launchers["reverse"]
    with pytest.raises(ValueError, match="x is not contiguous"):
        trace(launcher, torch.ones(512)[::2], torch.zeros(256))


def test_too_many_bytes_are_refused_with_the_way_out():
    with pytest.raises(ValueError, match=r"trace fewer elements"):
        trace("v1_f32", *[torch.empty(BYTES // 4)] * 3)


def test_a_trace_may_be_stopped_and_keeps_what_ran(traced):
    a, out = torch.zeros(1 << 22).half(), torch.zeros(1 << 22).half()
    for seconds in (0.01, 0.1, 0.5):  # on a busy machine nothing may have run after the first
        some = trace("v5_f16x8", a, a, out, block_size=64, seconds=seconds)
        assert some.stopped
        if some.loads.requests:
            break
    assert some.loads.requests > 0
    assert not traced("reverse").stopped


STOP_OFTEN = """
import torch
from helpers.run.trace import trace

a, out = torch.zeros(1 << 20).half(), torch.zeros(1 << 20).half()
for step in range(40):
    trace("v5_f16x8", a, a, out, block_size=64, seconds=0.001 + step % 10 / 1000)
"""


def test_a_trace_may_be_stopped_at_any_moment(traced):
    """Also while the tracer itself is at work, and allocates."""
    traced("reverse")  # what traced builds share is there
    subprocess.run([sys.executable, "-c", STOP_OFTEN], check=True, timeout=200, cwd=ROOT)


def test_a_race_with_an_access_of_no_known_line_says_so(traced):
    seen = traced("reverse_bare", 256)
    race = next(one for one in seen.races if one.rule != "unwritten")
    words = str(_fault(replace(race, other_line=None), seen, {}))
    assert "(an unknown line), and nothing orders the two" in words
    assert f"(line {race.other_line.number}), and" in str(_fault(race, seen, {}))


VARIABLES = """
struct State { int seen; float last; };
__device__ State state;
__device__ float total[2];
namespace counts { static __device__ int done; }
__global__ void array(const float* a) { total[1] += a[blockIdx.x]; }
__global__ void member(const float* a) { state.last += a[blockIdx.x]; }
__global__ void scalar(const float* a) { counts::done += a[blockIdx.x] > 0; }
extern "C" void launch(const float* a, float* out, int n, int which) {
    if (which == 0) array<<<2, 1>>>(a);
    if (which == 1) member<<<2, 1>>>(a);
    if (which == 2) scalar<<<2, 1>>>(a);
}
"""


def test_a_race_of_a_device_variable_names_it(tmp_path):
    file = tmp_path / "k.cu"
    file.write_text(VARIABLES)
    a = torch.ones(64)
    for which, place in enumerate(("total[1]", "state (byte 4 of it)", "done")):
        assert f" {place} (line " in str(trace(file, a, torch.empty(64), which).faults[0])


@pytest.mark.parametrize("elements", [32, 1000])
def test_tensors_begin_with_a_line_as_on_a_gpu(elements):
    x = torch.ones(elements + 1)[1:]
    seen = trace("v1_f32", x, x, torch.empty_like(x))
    assert all(one.lines == one.requests for one in seen.traffic)


def test_the_words_of_an_access():
    assert [_verb(kind) for kind in ("load", "store", "atomic")] == [
        "reads",
        "writes",
        "changes (atomic)",
    ]


ROOMS = """
__global__ void total(const float* x, float* sums, float* out, int n, int read) {
    for (int i = threadIdx.x; i < n; i += 32) sums[i] = x[i];
    __syncwarp();
    for (int i = threadIdx.x; i < n; i += 32) out[i] = 2 * sums[i];
    if (threadIdx.x < read && sums[threadIdx.x] > 1e30f) out[0] = 0;
}
__global__ void of_heap(float* out, int n) {
    float* own = new float[3];
    for (int i = 0; i < 3; ++i) own[i] = i;
    out[threadIdx.x] = own[0] + (own[n] > 5e30f);
    delete[] own;
}
static void run(const float* x, float* out, int64_t n, int read) {
    float* sums;
    cudaMalloc(&sums, n * sizeof(float));
    total<<<1, 32>>>(x, sums, out, (int)n, read);
    cudaFree(sums);
}
extern "C" void right(const float* x, float* out, int64_t n) { run(x, out, n, 5); }
extern "C" void wrong(const float* x, float* out, int64_t n) { run(x, out, n, 6); }
extern "C" void own_right(float* out /* [n] */, int64_t n) { of_heap<<<1, n>>>(out, 2); }
extern "C" void own_wrong(float* out /* [n] */, int64_t n) { of_heap<<<1, n>>>(out, 3); }
"""


def test_a_read_in_the_room_behind_an_allocation(tmp_path):
    """It ends up to 255 bytes before the gap, as its address is a multiple of 256."""
    path = tmp_path / "rooms.cu"
    path.write_text(ROOMS)
    launchers = load_traced(path)[0].launchers
    x = torch.ones(5)
    assert trace(launchers["right"], x, torch.empty(5)).faults == ()
    assert trace(launchers["own_right"], torch.empty(5)).faults == ()
    (fault,) = trace(launchers["wrong"], x, torch.empty(5)).faults
    assert fault.kind is FaultKind.OUT_OF_BOUNDS and fault.access == "read"
    assert "thread 5 of block 0 reads past the end of memory that cudaMalloc" in str(fault)
    assert "gave, by 4 bytes (line 6): is it of too few bytes" in str(fault)
    (fault,) = trace(launchers["own_wrong"], torch.empty(5)).faults
    assert "by 4 bytes (line 11): is it of too few bytes" in str(fault)


LOCALS = """
__global__ void by_address(const float* a, float* out) {
    __shared__ const float* scale;
    const float mine[2] = {a[threadIdx.x], 2 * a[threadIdx.x]};
    if (threadIdx.x == 0) scale = mine + 1;
    __syncthreads();
    out[threadIdx.x] = *scale;
    __syncthreads();
}
__device__ float second(const float* two, int lane) { return two[lane % 2]; }
__global__ void own_address(const float* a, float* out) {
    const float mine[2] = {a[threadIdx.x], 2 * a[threadIdx.x]};
    const float sum = second(mine, threadIdx.x);
    __syncthreads();
    out[threadIdx.x] = sum + second(mine, threadIdx.x + 1);
}
extern "C" void wrong(const float* a, float* out, int64_t n) { by_address<<<1, n>>>(a, out); }
extern "C" void right(const float* a, float* out, int64_t n) { own_address<<<1, n>>>(a, out); }
"""


def test_an_access_to_a_local_variable_of_another_thread(tmp_path):
    path = tmp_path / "locals.cu"
    path.write_text(LOCALS)
    launchers = load_traced(path)[0].launchers
    x = torch.ones(64)
    assert trace(launchers["right"], x, torch.empty(64)).faults == ()
    (fault,) = trace(launchers["wrong"], x, torch.empty(64)).faults
    assert fault.kind is FaultKind.OUT_OF_BOUNDS and fault.access == "read"
    assert "thread 1 of block 0 reads a local variable of another thread by its" in str(fault)
    assert "address (line 7): on a GPU it leads to the own local memory" in str(fault)
