"""What a launcher does wrong on the host comes back as a fault, in a process that lives."""

import ctypes
import shutil
from pathlib import Path

import pytest
import torch

from helpers import emulator, specs
from helpers.emulator import Library, isolated
from helpers.emulator import compile as compiling
from helpers.emulator.card import facts
from helpers.errors import FaultKind, KernelFault

KERNELS = Path(__file__).parent / "kernels"
N = 1000


STATIC = pytest.param("-static-libstdc++", id="static", marks=pytest.mark.stress)


@pytest.fixture(scope="module", params=[pytest.param("", id="shared"), STATIC])
def library(request, tmp_path_factory, headers):
    """Return host.cu, also with the C++ library inside, as a g++ without a shared one does."""
    if request.param and "clang" in Path(compiling.compiler()).name:
        pytest.skip("clang++ may come with another C++ library")
    output = tmp_path_factory.mktemp("host") / "host.so"
    with pytest.MonkeyPatch.context() as patch:
        flags = tuple(filter(None, (*compiling._all_link_flags(), request.param)))
        patch.setattr(compiling, "_all_link_flags", lambda: flags)
        emulator.build(KERNELS / "host.cu", output, headers)
    return Library(output)


def launch(library, name, n=N):
    """Call a launcher; return what it wrote. Raises its fault, or OSError for CUDA's error."""
    x, out = torch.arange(float(n)), torch.zeros(n)
    pointers = [ctypes.c_void_p(tensor.data_ptr()) for tensor in (x, out)]
    library.dll[name](*pointers, ctypes.c_int64(n), None)
    error = library.take_error()
    if fault := library.take_fault("host.cu"):
        raise fault
    if error:
        raise OSError(error, library.take_refusal().words)
    return out


def launch_apart(library, name):
    return isolated.run(lambda: launch(library, name).tolist(), name="host.cu")


def fault_apart(library, name):
    with pytest.raises(KernelFault) as raised:
        launch_apart(library, name)
    return raised.value


@pytest.mark.parametrize("run", [launch, launch_apart])
def test_a_right_launcher(library, run):
    assert list(run(library, "right")) == list(range(N))


def test_a_launcher_may_ask_all_of_the_device(library):
    told = launch(library, "tells_of_the_device").tolist()
    assert told[:10] == [5, 1, 1, 1, 1, 65536, 0, 1, 1, 1]


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("exits", r"called exit\(3\), which would end the notebook's process$"),
        ("exits_at_error", r"called exit\(1\), .*, after CUDA error 9: invalid configuration"),
        ("aborts", r"called abort\(\), which would end"),
        ("throws", r"threw a C\+\+ exception: no$"),
        ("throws_out_of_noexcept", r"threw a C\+\+ exception out of a function that must not"),
        ("never_ends_its_recursion", "overflowed its stack: recursion without an end, or"),
        ("frees_twice", r"called cudaFree with memory that is freed already$"),
        (
            "frees_host_memory",
            r"called cudaFree with an address that cudaMalloc did not return",
        ),
        (
            "overruns_a_local_array",
            r"index 4 of an array of type 'float \[4\]', past the end \(line \d+",
        ),
        (
            "underruns_a_local_array",
            r"index -1 of an array of type 'float \[4\]', before the start \(line \d+",
        ),
        ("overruns_new", r"wrote past the end of an array of 40 bytes on the host$"),
        ("overruns_malloc", r"wrote past the end of an array of 40 bytes on the host$"),
        ("overruns_a_vector", r"an index past the end of a vector\?$"),
        ("misuses_a_null_pointer", r"accessed memory that it must not \(null pointer\?"),
        ("copies_too_much", "called cudaMemcpy to write 4001 bytes of memory that has 4000: "),
        (
            "copies_too_much_back",
            "called cudaMemcpy to read 4000 bytes, where 3600 are left of memory that has 4000",
        ),
        ("copies_too_much_later", "cudaMemcpy to read 4004 bytes of memory that has 4000"),
        ("copies_a_short_array", "cudaMemcpy to read 4000 bytes of memory that has 3999"),
        ("sets_too_many_rows", "cudaMemset2D to write 4032 bytes of memory that has 4000"),
        ("copies_too_much_of_a_symbol", "16 bytes from byte 0 on of a variable that has 8$"),
        ("copies_the_wrong_way", "to memory of the GPU, and its direction says the host: "),
        ("sets_host_memory", "cudaMemset with memory of the host: use memset"),
        ("frees_pinned_memory", "cudaFree with pinned memory: cudaFreeHost is for that"),
        ("frees_managed_memory", "cudaMallocHost did not give: cudaFree is for that"),
        ("frees_an_array_twice", "called free with memory that is freed already"),
        ("deletes_twice", "called delete with memory that is freed already"),
        ("deletes_all_twice", r"called delete\[\] with memory that is freed already"),
        ("frees_inside_an_array", "called free with an address inside an array: "),
        ("frees_a_local_variable", "called free with a local variable: "),
        ("frees_memory_of_the_gpu", "called free with memory of the GPU: cudaFree is for"),
        ("reads_managed_memory_too_early", "itself read 0x.* may still run: wait for it first"),
        ("writes_managed_memory_too_early", "itself wrote 0x.* may still run: wait for it"),
        ("reads_pinned_memory_too_early", "it gave to a kernel or a copy that may still run"),
        ("waits_for_another_stream", "it gave to a kernel or a copy that may still run"),
        ("gives_a_local_variable", "gave the kernel copy, as argument 1, memory of the host"),
        ("gives_new_memory", "gave the kernel copy, as argument 1, memory of the host, which"),
        ("gives_a_static_array", "or pass a tensor. Of a __device__ array the kernel can use"),
        ("frees_a_kernels_memory", "malloc or new has given to a kernel: free it in a"),
        ("deletes_a_kernels_object", "malloc or new has given to a kernel: free it in a"),
    ],
)
def test_a_fault_of_the_host_code(library, name, words):
    for run in (launch_apart, launch):
        with pytest.raises(
            KernelFault, match=f"^host.cu: the launcher {name} .*{words}"
        ) as one:
            run(library, name)
        assert one.value.kind is FaultKind.HOST
    test_a_right_launcher(library, launch)


def test_what_lies_near_a_tensor_is_not_the_launchers(library, tmp_path):
    """The runtime's own memory may: then a place before the tensor would be the host's."""
    fresh = shutil.copy(library.dll._name, tmp_path / "fresh.so")  # no launcher left arrays
    library = Library(fresh)
    launch(library, "right")
    kept = []
    for count in range(1000):
        kept.append(torch.rand(400 if count % 2 else 32))
        out, none = torch.zeros(32), ctypes.c_void_p()
        pointers = [ctypes.c_void_p(tensor.data_ptr()) for tensor in (kept[-1], out)]
        library.dll.gives_a_place_before_a_tensor(*pointers, ctypes.c_int64(32), none)
        assert library.take_fault("host.cu") is None
        assert torch.equal(out, kept[-1][:32])


def launch_guarded(library, name):
    """Launch with tensors that only kernels and cudaMemcpy can access; return the output."""
    x, out = (emulator.guarded(N, torch.float32, 16) for _ in range(2))
    x.copy_(torch.arange(float(N)))
    pointers = [ctypes.c_void_p(tensor.data_ptr()) for tensor in (x, out)]
    pages = [*emulator.pages(x, writable=False), *emulator.pages(out)]
    with emulator.read_only([x]), library.device_memory(pages):
        library.dll[name](*pointers, ctypes.c_int64(N), None)
    fault, error = library.take_fault(), library.take_error()
    out.add_(0), x.add_(0)  # both can be written again
    if fault:
        raise emulator.Regions.of({"x": x, "out": out}).named(fault)
    assert error == 0
    return out


@pytest.mark.parametrize(
    ("name", "words", "access"),
    [
        ("reads_cuda_malloc", "read 0x", "read"),
        ("writes_cuda_malloc", "wrote 0x", "write"),
        ("reads_a_tensor", r"read x\[1\]", "read"),
        ("writes_a_tensor", r"wrote out\[2\]", "write"),
    ],
)
def test_host_code_cannot_access_memory_of_the_gpu(library, name, words, access):
    for _ in range(2):
        with pytest.raises(KernelFault, match=f"itself {words}.*is memory of the GPU") as one:
            launch_guarded(library, name)
        assert (one.value.kind, one.value.access) == (FaultKind.HOST, access)
    assert launch_guarded(library, "right").tolist() == list(range(N))


def test_a_copy_past_a_tensor_says_both_sizes(library):
    with pytest.raises(KernelFault, match="to write 4001 bytes of memory that has 4000: pass"):
        launch_guarded(library, "sets_too_much")
    assert launch_guarded(library, "copies_what_is_there").tolist() == list(range(N))


def test_host_code_can_access_managed_and_pinned_memory(library):
    assert launch_guarded(library, "waits_for_managed_memory")[1] == 7
    assert launch_guarded(library, "waits_by_a_copy")[0] == 5
    assert launch_guarded(library, "may_be_accessed")[0] == 5
    assert launch_guarded(library, "may_be_accessed")[0] == 5


def test_a_smashed_stack_ends_only_the_child(library):
    fault = fault_apart(library, "smashes_the_stack")
    assert fault.kind is FaultKind.HOST
    assert "itself accessed memory that it must not (" in str(fault)


def test_a_loop_without_an_end(library, monkeypatch):
    """The learner's limit is the launcher's too; a short one of the course's own is not."""
    monkeypatch.setenv("ELEMENTWISE_KERNEL_TIMEOUT", "0.05")
    for name in ("loops", "loops_with_kernels"):
        fault = fault_apart(library, name)
        assert fault.kind is FaultKind.TIMEOUT
        assert f"the launcher {name} itself, not a kernel, is still running" in str(fault)
    with pytest.raises(KernelFault, match=r"still running after 0\.05 s"):
        launch(library, "loops")


@pytest.mark.parametrize("name", ["loops", "loops_with_kernels"])
def test_a_launcher_that_few_seconds_were_given_ends_no_process(library, name, monkeypatch):
    """Who gives it so few wants to go on, as where a size is far too large to be tried."""

    def tried():
        with library.timeout(0.01), pytest.raises(KernelFault) as raised:
            launch(library, name)
        return raised.value.kind, str(raised.value), launch(library, "right").tolist()

    kind, words, after = isolated.run(tried, name="host.cu")
    assert (kind, after) == (FaultKind.TIMEOUT, list(map(float, range(N))))
    assert f"the launcher {name} itself, not a kernel, is still running after" in words
    assert " s: a loop without an end? (" in words


def test_a_kernel_that_does_not_end_is_no_launcher_that_does_not(library, monkeypatch):
    """Also where the launcher's OS thread has no block left and waits for another."""
    monkeypatch.setenv("ELEMENTWISE_KERNEL_TIMEOUT", "0.2")
    for _ in range(6):
        with library.workers(2):
            fault = fault_apart(library, "waits_for_a_kernel")
        assert fault.kind is FaultKind.TIMEOUT
        assert "one_never_ends, block (41, 0, 0), thread (3, 0, 0): still running" in str(fault)


@pytest.mark.parametrize(
    ("name", "kind", "words"),
    [
        ("overruns_far", FaultKind.OUT_OF_BOUNDS, "write to byte 4096 of 4000 bytes that cuda"),
        ("overruns_very_far", FaultKind.OUT_OF_BOUNDS, "byte 400000 of 4000 bytes that cuda"),
        ("overruns_by_one", FaultKind.OUT_OF_BOUNDS, "memory past their end was overwritten"),
        ("overruns_what_it_keeps", FaultKind.OUT_OF_BOUNDS, "cudaMalloc for 40 bytes, and mem"),
        ("uses_after_free", FaultKind.OUT_OF_BOUNDS, "cudaMalloc gave and that are freed alr"),
        ("local_too_far", FaultKind.OUT_OF_BOUNDS, r"thread (4, 0, 0): index 4 of an array"),
        ("kernel_frees_twice", FaultKind.TRAP, "free of memory that is freed already"),
        ("kernel_deletes_twice", FaultKind.TRAP, "delete of memory that is freed already"),
        ("kernel_deletes_all_twice", FaultKind.TRAP, "delete[] of memory that is freed"),
        ("kernel_uses_what_it_has_deleted", FaultKind.OUT_OF_BOUNDS, "and that are freed al"),
        ("kernel_frees_cuda_malloc", FaultKind.TRAP, "memory that malloc did not give in a"),
        ("kernel_waits_beside_a_barrier", FaultKind.TIMEOUT, "(5, 0, 0): waits in a loop for"),
        ("kernel_frees_a_tensor", FaultKind.TRAP, "free of memory that malloc did not give"),
        (
            "kernel_overruns_its_heap",
            FaultKind.OUT_OF_BOUNDS,
            "byte 16 of 16 bytes that malloc",
        ),
        (
            "kernel_overruns_its_heap_far",
            FaultKind.OUT_OF_BOUNDS,
            "byte 16384 of 64 bytes that",
        ),
        (
            "kernel_reads_what_it_has_freed",
            FaultKind.OUT_OF_BOUNDS,
            "and that are freed alread",
        ),
    ],
)
def test_a_fault_of_a_kernel(library, name, kind, words):
    fault = fault_apart(library, name)
    assert (fault.kind, words in str(fault)) == (kind, True), str(fault)


def test_nothing_is_launched_after_a_fault(library):
    x, out = torch.ones(N), torch.zeros(N)
    pointers = [ctypes.c_void_p(tensor.data_ptr()) for tensor in (x, out)]
    library.dll.launches_after_a_fault(*pointers, ctypes.c_int64(N), None)
    assert library.take_error() == 700 and library.take_fault()
    assert out[:2].tolist() == [9, 0]


def test_what_a_gpu_runs(library):
    assert launch(library, "big_local")[:4].tolist() == [0, 1024, 2048, 3072]
    assert launch(library, "rows")[:32].tolist() == list(range(32))
    assert launch(library, "waits_for_a_flag")[:33].tolist() == [7] * 32 + [0]
    assert launch(library, "pitched").tolist() == list(range(N))


def test_the_heap_of_kernels_has_8_mb_or_what_is_set(library):
    out = launch(library, "fills_heaps").tolist()
    assert (sum(out[:32]), sum(out[32:64])) == (8, 4)
    assert launch(library, "pools").tolist() == list(range(N))
    objects = launch(library, "kernel_fills_its_heap_with_objects")[:16].tolist()
    assert objects == [1] * 8 + [0] * 8


def test_launch_bounds_count_where_a_kernels_limits_are_asked_for(library):
    out = launch(library, "asks_for_bounds")[:6].tolist()
    assert out == [96, 128, 1024, 256, 1024, 0]


def test_kernels_may_take_more_arrays_than_lie_between_gaps(library):
    out = launch(library, "allocates")
    assert out[: 7 * 128].tolist() == [190] * (7 * 128)


def test_a_thread_may_compute_for_long_while_the_others_wait(library):
    assert launch(library, "computes_alone")[:2].tolist() == [13, 13]


def test_launch_bounds(library):
    out = launch(library, "enough_threads")
    assert out.tolist() == [4] * 32 + [3] * 96 + [0] * (N - 128)
    for name, words in (
        (
            "too_many_threads",
            r"bounded has __launch_bounds__\(128\), and .* 129 threads a block",
        ),
        ("too_many_for_the_template", r"bounded_by has __launch_bounds__\(32\), .* 33 threads"),
    ):
        with pytest.raises(OSError, match=words) as raised:
            launch(library, name)
        assert raised.value.errno == 1  # as on an H200, CUDA 13.0


def test_why_a_launch_is_refused(library):
    with pytest.raises(OSError, match=r"grid.y of copy is 70000; it must be 1 to 65535") as one:
        launch(library, "grid_too_tall")
    assert one.value.errno == 9
    assert library.take_refusal() is None


def test_a_fill_of_billions_of_bytes_touches_only_their_end(library):
    n = 1 << 29
    out = emulator.sparse(n, torch.int32, 4)
    pointer = ctypes.c_void_p(out.data_ptr())
    with library.sparse([(out.data_ptr(), out.nbytes)]), library.timeout(0.2):
        library.dll.fills(pointer, pointer, ctypes.c_int64(n), None)  # its kernel is stopped
    library.take_fault(), library.take_error()
    assert out[-2:].tolist() == [0x01010101] * 2
    assert not bool(out[: 1 << 20].any())


TOLD = (  # by the launcher asks_the_device: attributes, properties, occupancy
    *("block", "shared", "registers", "clock", "sms", "memory clock", "bus", "l2", "threads"),
    *("major", "minor", "shared of an sm", "registers of an sm", "optin", "blocks", "reserved"),
    *("p.sms", "p.major", "p.minor", "p.l2", "p.bus", "p.registers", "p.threads"),
    *("p.shared of an sm", "p.optin", "p.blocks"),
    *("resident 64", "resident 512 shared", "potential grid", "set 65537", "name"),
)
PLAIN = (  # a small device with the limits of compute capability 9.0
    *(1024, 49152, 65536, 10**6, 4, 10**6, 128, 1 << 20, 2048, 9, 0, 228 << 10, 65536),
    *(227 << 10, 32, 1024, 4, 9, 0, 1 << 20, 128, 65536, 2048, 228 << 10, 227 << 10, 32),
    *(32, 4, 8, 0, 12),
)
T4 = (
    *(1024, 49152, 65536, 1_590_000, 40, 2_500_000, 512, 4 << 20, 1024, 7, 5, 65536, 65536),
    *(65536, 16, 0, 40, 7, 5, 4 << 20, 512, 65536, 1024, 65536, 65536, 16),
    *(16, 2, 40, 1, 2),
)


def test_a_launcher_is_told_the_facts_of_a_card(library, tmp_path):
    def told(of):
        numbers = launch(of, "asks_the_device").tolist()
        return dict(zip(TOLD, map(int, numbers), strict=False))

    assert told(library) == dict(zip(TOLD, PLAIN, strict=True))
    other = Library(shutil.copy(library.dll._name, tmp_path))
    other.set_card(facts(specs.gpu("Tesla T4")))
    assert told(other) == dict(zip(TOLD, T4, strict=True))
    assert told(library)["sms"] == 4
