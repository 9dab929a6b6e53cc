"""Races: which files are traced for them, on which case, and what is said."""

from types import SimpleNamespace

import pytest
import torch

from helpers.errors import BuildError, FaultKind, KernelFault
from helpers.run.signature import declarations
from helpers.testing import races
from helpers.testing.cases import Case

DECLARED = declarations(
    'extern "C" void f(const float* x,  // [n]\n half* out,  // [n]\n int64_t n) {}', "f.cu"
)["f"]


def case(*sizes, size=0):
    one = Case("case", tuple(torch.zeros(n) for n in sizes), (torch.zeros(size or 1).double(),))
    return one


@pytest.mark.parametrize(
    ("code", "is_one"),
    [
        ("__shared__ float t[32];", True),
        ("atomicAdd(out, 1);", True),
        ("volatile int* flag;", True),
        ("cudaMallocAsync(&sums, bytes, stream);", True),
        ("__shfl_down_sync(m, v, 1);", True),
        ("out[i] += x[i];", True),
        ("*out -= 1;", True),
        ("out[i] <<= 2;", True),
        ("__device__ int done;", True),
        ("static __device__ unsigned long long count = 0;", True),
        ("__device__ float2 ends[4][5];", True),
        ("__device__ const float table[2] = {1, 2};", False),
        ("__device__ constexpr int kSide = 3;", False),
        ("__device__ __forceinline__ float f(float x) { return x; }", False),
        ("out[i] = x[i] + 1;", False),
        ("if (out[i] <= 2 || out[i] == 3) return;", False),
        ("// __shared__ in a comment\nout[i] = x[i];", False),
        ("void f(float* out) { if (v > out[row]) out[row] = v; }", True),
        ("void f(int *__restrict__ out) { *out = max(*out, v); }", True),
        ("void f(float* out) { float2* row = (float2*)out; row[k].x = row[j[k]].y; }", True),
        ("void f(float* a) { *(a + i) = a[i] + 1; }", True),
        ("void f(const float* x, float* out) { out[i] = x[i]; out[j] = x[j]; }", False),
        ("void f(float* x) { x[i] = 2; }\nfloat g(float* x) { return x[i]; }", False),
        ("void f(T* out) { T a[4]; a[k] = 1; out[i] = a[k]; out[j] = v * a[0]; }", False),
        ("void f(T* out) { T* e = (T*)&pack; e[k] = e[k] + 1; out[i] = pack; }", False),
    ],
)
def test_a_file_whose_threads_meet(tmp_path, code, is_one):
    path = tmp_path / "k.cu"
    path.write_text(code)
    assert races.cooperates(SimpleNamespace(path=path, declaration=DECLARED)) == is_one
    assert not races.cooperates(SimpleNamespace(path=None, declaration=DECLARED))


def test_another_kernel_of_the_file_does_not_count(tmp_path):
    path = tmp_path / "k.cu"
    path.write_text(
        "__global__ void meets(float* x) { __shared__ float s[32]; }\n"
        "__global__ void alone(float* x) { x[threadIdx.x] = 1; }\n"
        'extern "C" void f(float* x) { alone<<<1, 32>>>(x); }\n'
        'extern "C" void g(float* x) { meets<<<1, 32>>>(x); }\n'
    )
    for name, is_one in {"f": False, "g": True}.items():
        declared = SimpleNamespace(name=name)
        assert races.cooperates(SimpleNamespace(path=path, declaration=declared)) == is_one


def test_the_largest_case_that_is_small_is_traced():
    small, middle, large = case(10), case(2_000, 3_000), case(2_501, 2_500)
    assert races.to_trace([small, middle, large]) is middle
    assert races.to_trace([large]) is None
    assert races.is_small(middle) and not races.is_small(large)
    without_inputs = case(size=77)
    assert races.to_trace([case(5), without_inputs]) is without_inputs


def test_cases_of_the_same_size_may_be_traced_too():
    some = [case(10), case(2_000, 3_000), case(5_000), case(10), case(2_501, 2_500)]
    assert races.alike(some) == some[1:3]
    assert races.alike(some[4:]) == []


def test_the_sentence_has_the_word():
    for end, written in {"": ".", ".": ".", "?": "?"}.items():
        race = KernelFault(f"two threads write out[0]{end}", kind=FaultKind.RACE)
        assert races.sentence(race) == f"two threads write out[0]{written} This is a race."
    unwritten = KernelFault("t[3] is read before it is written.", kind=FaultKind.UNWRITTEN)
    assert races.sentence(unwritten) == str(unwritten)


def test_tensors_are_given_in_the_order_of_the_launcher(monkeypatch):
    given = {}

    def trace(launcher, *tensors, seconds, **arguments):
        given.update(tensors=tensors, seconds=seconds, arguments=arguments)
        return SimpleNamespace(faults=[], stopped=False)

    monkeypatch.setattr(races, "trace", trace)
    x = torch.arange(3.0)
    one = Case("c", (x,), (x.double(),), {"by": 2}, dtypes=(torch.float16,))
    launcher = SimpleNamespace(declaration=DECLARED)
    assert races.first_race(launcher, one, 1.5) == (None, True)
    assert given["tensors"][0] is x and given["tensors"][1].dtype is torch.float16
    assert not given["tensors"][1].any() and given["tensors"][1].shape == (3,)
    assert (given["seconds"], given["arguments"]) == (1.5, {"by": 2})


def test_the_first_fault_and_whether_all_was_traced(monkeypatch):
    first, second = (KernelFault(word, kind=FaultKind.RACE) for word in ("a", "b"))
    seen = SimpleNamespace(faults=[first, second], stopped=True)
    monkeypatch.setattr(races, "trace", lambda *_, **__: seen)
    one = Case("c", (torch.zeros(3),), (torch.zeros(3).double(),), dtypes=(torch.float16,))
    launcher = SimpleNamespace(declaration=DECLARED)
    assert races.first_race(launcher, one) == (first, False)


def test_a_race_says_more_than_a_read_of_what_nobody_wrote(monkeypatch):
    kinds = (FaultKind.UNWRITTEN, FaultKind.RACE, FaultKind.RACE)
    faults = [KernelFault(f"{k}", kind=kind) for k, kind in enumerate(kinds)]
    launcher = SimpleNamespace(declaration=DECLARED)
    one = Case("c", (torch.zeros(3),), (torch.zeros(3).double(),), dtypes=(torch.float16,))
    for seen, first in ((faults, faults[1]), (faults[:1], faults[0])):
        found = SimpleNamespace(faults=seen, stopped=False)
        monkeypatch.setattr(races, "trace", lambda *_, found=found, **__: found)
        assert races.first_race(launcher, one) == (first, True)


@pytest.mark.parametrize("error", [BuildError("no g++"), ValueError(), TypeError()])
def test_what_cannot_be_traced_has_no_race_that_is_known(monkeypatch, error):
    def trace(*_, **__):
        raise error

    monkeypatch.setattr(races, "trace", trace)
    one = Case("c", (torch.zeros(3),), (torch.zeros(3).double(),), dtypes=(torch.float16,))
    assert races.first_race(SimpleNamespace(declaration=DECLARED), one) == (None, None)


def test_what_nobody_has_written_is_no_barrier():
    """A write that no barrier orders before the read would be a race."""
    seen = "thread 0 reads part[4] (line 9), which no thread has written"
    fault = KernelFault(f"{seen}: a missing write or barrier?", kind=FaultKind.UNWRITTEN)
    assert races.sentence(fault) == (
        f"{seen}: look at the lines that write it. Do their threads and indices reach it, and "
        "is a number (0, say) stored where there is no input?"
    )


@pytest.mark.parametrize(
    ("leaves", "body"),
    [
        (True, "if (i >= n) return; s[t] = x[i]; __syncthreads(); y[0] = s[1];"),
        (True, "if (i >= n) { return; } s[t] = x[i]; __syncthreads(); y[0] = s[1];"),
        (False, "if (i < n) s[t] = x[i]; __syncthreads(); if (t) return; y[0] = s[1];"),
    ],
)
def test_what_a_thread_that_left_has_not_written(tmp_path, leaves, body):
    path = tmp_path / "k.cu"
    path.write_text(
        f"__global__ void k() {{ __shared__ float s[9]; {body} }}\nvoid f() {{ k(); }}"
    )
    launcher = SimpleNamespace(path=path, declaration=DECLARED)
    fault = KernelFault("unread: a missing write or barrier?", kind=FaultKind.UNWRITTEN)
    told = races.sentence(fault, launcher)
    assert told.startswith("unread: has the thread that should write it returned") is leaves
    assert "a missing write" not in told


@pytest.mark.parametrize(
    ("loop", "told"),
    [
        ("int r = threadIdx.y; r < 32; r += blockDim.x", "that starts at threadIdx.y and goes"),
        (
            "int r = ty; r < 32; r += wide",
            "that starts at threadIdx.y and goes on by blockDim.x",
        ),
        ("int r = ty; r < 32; r += 16", races.TOO_LONG),
        ("int r = ty; r < 32; r += blockDim.y", None),
        ("int r = 0; r < 32; r += 16", None),
    ],
)
def test_what_a_loop_of_the_other_direction_has_not_written(tmp_path, loop, told):
    path = tmp_path / "k.cu"
    path.write_text(
        "__global__ void k() { __shared__ float s[99]; const int tx = threadIdx.x, ty = "
        f"threadIdx.y, wide = blockDim.x; for ({loop}) s[r] = tx; }}\nvoid f() {{ k(); }}"
    )
    launcher = SimpleNamespace(path=path, declaration=DECLARED)
    fault = KernelFault("unread: a missing write or barrier?", kind=FaultKind.UNWRITTEN)
    said = races.sentence(fault, launcher)
    assert told in said if told else "left out" not in said
    assert said.startswith("unread: are elements left out by the loop that") == (
        "goes" in (told or "")
    )


@pytest.mark.parametrize(
    ("read", "is_same"), [("[j][tx]", True), ("[tx][j]", False), ("[j][tx + 1]", False)]
)
def test_a_shared_matrix_that_is_read_as_it_is_written(tmp_path, read, is_same):
    path = tmp_path / "k.cu"
    path.write_text(
        "__global__ void k() { __shared__ float tile[32][33]; int tx = threadIdx.x, j = 2; "
        f"tile[j][tx] = x[tx]; __syncthreads(); y[tx] = tile{read}; }}\nvoid f() {{ k(); }}"
    )
    launcher = SimpleNamespace(path=path, declaration=DECLARED)
    fault = KernelFault(f"unread: {races.OTHER_INDEX}", kind=FaultKind.UNWRITTEN)
    assert (races.SAME_INDICES in races.sentence(fault, launcher)) is is_same
