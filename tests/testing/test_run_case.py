"""One call of a kernel: how it is run, and every way in which it can fail."""

import contextlib
import ctypes
from dataclasses import replace
from types import SimpleNamespace

import pytest
import torch

from helpers.emulator import FORWARD, REVERSE, SHUFFLED
from helpers.errors import FaultKind, KernelFault, LaunchError
from helpers.testing import buffers, run_case
from helpers.testing.cases import Case
from helpers.testing.mismatch import Diagnosis
from helpers.testing.run_case import ROUNDS, Failure, Repeated, Round

STREAM_ROUND = Round(stream=True)
COPIES = ", and to each copy and fill (cudaMemcpyAsync, cudaMemsetAsync)"


def doubling(n=3, **changes):
    x = torch.arange(1.0, n + 1)
    case = Case(f"n = {n}", (x,), (2 * x.double(),), dtypes=(torch.float32,))
    return replace(case, **changes)


def double(launcher, x, out, **arguments):
    out.copy_(2 * x)


@pytest.fixture
def failure(fake_launcher):
    """Run a function as a kernel on a case: what went wrong, or None."""

    def of(function, case=None, how=ROUNDS[0]):
        launcher = fake_launcher("float x", "float out", function)
        return run_case.run_case(launcher, case or doubling(), how)

    return of


# ---- rounds and failures


def test_the_three_rounds():
    assert ROUNDS == (
        Round(poison=0, front=False, schedule=FORWARD, stream=False),
        Round(1, schedule=REVERSE, stream=True, read_only=True, apart=True, garbage=0x7F),
        Round(poison=2, front=True, schedule=SHUFFLED, stream=True),
    )
    assert (FORWARD, REVERSE, SHUFFLED) == (0, 1, 2)


def test_a_failure_is_a_sentence():
    failed = Failure(doubling(), ROUNDS[0], Diagnosis("it is wrong"))
    assert str(failed) == "it is wrong [n = 3]"
    assert (
        str(replace(failed, first="out[0] is 1")) == "it is wrong [n = 3; first: out[0] is 1]"
    )
    assert failed.fault is None and failed.diagnosis.specific
    assert failed.settled is False and failed.refused is False and failed.first == ""
    assert failed.untouched is False


# ---- a right kernel


@pytest.mark.parametrize("how", ROUNDS)
def test_a_right_kernel_passes(failure, how):
    assert failure(double, how=how) is None
    assert failure(double, doubling(3, offset=2), how) is None


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"inputs": ()}, r"inputs of the case 'n = 3': 0; of fake: 1 \(x\)\. Give cases that"),
        (
            {"expected": 2 * (torch.ones(3),)},
            r"outputs of the case 'n = 3': 2; of fake: 1 \(out",
        ),
    ],
)
def test_a_case_of_another_kernel_is_refused(failure, changes, words):
    with pytest.raises(ValueError, match=words):
        failure(double, doubling(**changes))


def test_the_call_gets_its_arguments_its_order_and_poisoned_outputs(fake_launcher):
    seen = []

    def look(launcher, x, out, **arguments):
        held = out.view(torch.int32).unique().tolist()
        order = launcher.emulator.mode, launcher.emulator.front
        seen.append((order, arguments, held, x.shape, out.shape))
        double(launcher, x, out)

    launcher = fake_launcher("float x", "float out", look)
    case = doubling(6, arguments={"block_size": 96})
    case = replace(
        case, inputs=(case.inputs[0].view(2, 3),), expected=(case.expected[0].view(3, 2),)
    )
    launcher.function = lambda launcher, x, out, **arguments: look(
        launcher, x, out.view(2, 3), **arguments
    )
    for mode, how in enumerate((*ROUNDS, Round(poison=buffers.ZEROS))):
        run_case.run_case(launcher, case, replace(how, stream=False))
        held = [buffers.poison(torch.float32, mode)]
        order = how.schedule, how.front
        assert seen[-1] == (order, {"block_size": 96}, held, (2, 3), (2, 3))
    assert launcher.emulator.mode == FORWARD and not launcher.emulator.front


def test_a_case_with_inputs_before_is_called_twice_on_the_same_tensors(fake_launcher):
    seen = []

    def look(launcher, x, out, **arguments):
        seen.append((x.tolist(), x.data_ptr()))
        double(launcher, x, out)

    launcher = fake_launcher("float x", "float out", look)
    case = doubling(2, before=(torch.tensor([7.0, 8.0]),))
    assert run_case.run_case(launcher, case, ROUNDS[0]) is None
    assert [values for values, _ in seen] == [[7.0, 8.0], [1.0, 2.0]]
    assert seen[0][1] == seen[1][1]


# ---- wrong outputs


def test_a_last_element_that_was_stored_one_place_behind(fake_launcher):
    def beside(launcher, x, out, **arguments):
        out[:-1] = 2 * x[:-1]
        ctypes.memset(out.data_ptr() + out.nbytes, 7, 2)

    case = replace(doubling(3), dtypes=(torch.float16,), offset=1)
    declared = "float x", "half out"
    failed = run_case.run_case(fake_launcher(*declared, beside), case, ROUNDS[0])
    assert failed.diagnosis.sentence.startswith("memory ")
    assert "of out was overwritten" in failed.diagnosis.sentence
    assert f"and the last element was never written: {run_case.BESIDE}" in str(failed)
    assert failed.settled and not failed.diagnosis.doubt

    def lacks(launcher, x, out, **arguments):
        out[:-1] = 2 * x[:-1]

    failed = run_case.run_case(fake_launcher(*declared, lacks), case, ROUNDS[0])
    assert str(failed).startswith("the last element was never written: is the tail handled")


def test_a_wrong_element_is_shown_with_its_inputs(failure):
    def wrong(launcher, x, out, **arguments):
        out.copy_(2 * x)
        out[1] = 5

    failed = failure(wrong)
    assert failed.first == "out[1] is 5, not 4 for inputs 2"
    assert failed.round == ROUNDS[0] and failed.fault is None
    assert str(failed).endswith("[n = 3; first: out[1] is 5, not 4 for inputs 2]")


def test_inputs_of_another_size_are_not_shown(failure):
    x = torch.arange(1.0, 4.0)
    case = Case("sum", (x,), (x.double().sum().reshape(1),), dtypes=(torch.float32,))
    assert failure(lambda launcher, x, out, **more: out.fill_(1.0), case).first == (
        "out[0] is 1, not 6"
    )


def test_what_was_never_written_is_told_by_its_poison(failure):
    for how in ROUNDS:
        sentence = failure(lambda *tensors, **more: None, how=how).diagnosis.sentence
        assert sentence.startswith("nothing was written")


@pytest.mark.parametrize(("ulp", "right"), [(0, False), (1, False), (2, True), (3, True)])
def test_the_tolerance_counts_in_ulps(failure, ulp, right):
    def two_off(launcher, x, out, **arguments):
        out.copy_(2 * x)
        out.view(torch.int32)[2] += 2

    assert (failure(two_off, doubling(ulp=ulp)) is None) is right


def test_any_nan_will_do_but_the_sign_of_zero_counts(failure):
    x = torch.tensor([float("nan"), 0.0])
    case = Case("special", (x,), (x.double(),), dtypes=(torch.float32,))

    def another_nan(launcher, x, out, **arguments):
        out.view(torch.int32)[0] = 0x7FC00123
        out[1] = 0.0

    assert failure(another_nan, case) is None
    assert "sign of zero" in str(failure(lambda launcher, x, out, **more: out.copy_(-x), case))


def test_an_ignored_output_may_hold_anything(fake_launcher):
    def only_one(launcher, x, out, other, **arguments):
        out.copy_(2 * x)

    launcher = fake_launcher("float x", "float out, float other", only_one)
    case = doubling(dtypes=(torch.float32,) * 2)
    case = replace(case, expected=case.expected * 2)
    assert "nothing was written" in str(run_case.run_case(launcher, case, ROUNDS[0]))
    assert "other[0]" in run_case.run_case(launcher, case, ROUNDS[0]).first
    case = replace(case, ignored=("other",))
    assert run_case.run_case(launcher, case, ROUNDS[0]) is None


def test_the_reference_helps_to_explain(fake_launcher):
    def swapped(launcher, a, b, out, **arguments):
        out.copy_(b - a)

    a, b = torch.tensor([1.0, 5.0, 2.0]), torch.tensor([4.0, 3.0, 9.0])
    expected = a.double() - b.double()
    case = Case("x", (a, b), (expected,), dtypes=(torch.float32,), reference=torch.sub)
    launcher = fake_launcher("float a, float b", "float out", swapped)
    assert "operands swapped" in str(run_case.run_case(launcher, case, ROUNDS[0]))


# ---- faults and stray writes


@pytest.mark.parametrize("kind", [FaultKind.TIMEOUT, FaultKind.BARRIER])
def test_a_fault_keeps_its_kind(failure, kind):
    def faulty(launcher, x, out, **arguments):
        raise KernelFault("it broke a rule", kind=kind)

    failed = failure(faulty)
    assert failed.fault is kind
    assert str(failed) == "it broke a rule [n = 3]"


@pytest.mark.parametrize("kind", FaultKind)
def test_of_an_access_at_a_wrong_index_the_lines_are_asked_for(kind):
    failure = Failure(doubling(), ROUNDS[0], Diagnosis("past the end"), kind)
    outside = kind in (FaultKind.OUT_OF_BOUNDS, FaultKind.SHARED_OUT_OF_BOUNDS)
    assert failure.asks == ("past the end" if outside else "")


def test_a_fault_names_the_element(failure):
    def faulty(launcher, x, out, **arguments):
        address = out.data_ptr() + 12
        place = f"address {address:#x}"
        raise KernelFault(f"write to {place}", address=address, place=place)

    assert str(failure(faulty)).startswith("write to out[3], but out has 3 elements: is the")


def test_a_refused_launch_is_a_failure_without_a_fault(failure):
    def refused(launcher, x, out, **arguments):
        raise LaunchError("too many threads")

    failed = failure(refused)
    assert str(failed) == "too many threads [n = 3]" and failed.fault is None
    assert failed.refused


def test_a_grid_without_a_block_is_refused_with_a_question(failure):
    def refused(launcher, x, out, **arguments):
        raise LaunchError("it must be 1 to 2147483647.", side="grid.x")

    assert "it must be 1 to 2147483647. How many blocks does the launcher" in str(
        failure(refused)
    )


def test_other_errors_are_not_hidden(failure):
    def broken(launcher, x, out, **arguments):
        raise RuntimeError("a bug of the course")

    with pytest.raises(RuntimeError, match="a bug"):
        failure(broken)


def test_an_overwritten_input_is_found(failure):
    def overwrites(launcher, x, out, **arguments):
        out.copy_(2 * x)
        x[2] = -0.0 if x[2] == 0 else 9.0

    assert str(failure(overwrites)) == "the input x was overwritten [n = 3]"


def test_a_stray_write_is_found(failure):
    def strays(launcher, x, out, **arguments):
        out.copy_(2 * x)
        torch.as_strided(out, (1,), (1,), out.storage_offset() - 1).fill_(0.0)

    assert str(failure(strays, doubling(offset=1))) == (
        "memory before the start of out was overwritten: does the kernel test its index before "
        "it stores? [n = 3]"
    )


# ---- the same case again and again


def test_a_case_that_is_repeated_says_each_time_which_elements_are_wrong(fake_launcher):
    wrong = iter([(), (1,), (1,), (0, 2)])

    def kernel(launcher, x, out, **arguments):
        assert x.tolist() == [1.0, 2.0, 3.0]
        assert torch.isnan(out).all()  # poisoned anew
        out.copy_(2 * x)
        for place in next(wrong):
            out[place] = 9.0

    repeated = Repeated(fake_launcher("float x", "float out", kernel), doubling(), ROUNDS[0])
    found = [repeated.wrong_elements().nonzero().flatten().tolist() for _ in range(4)]
    assert found == [[], [1], [1], [0, 2]]


def test_what_spoilt_a_call_does_not_spoil_the_next(fake_launcher):
    faults = iter([0, 1, 2, 3])

    def kernel(launcher, x, out, **arguments):
        out.copy_(2 * x)
        fault = next(faults)
        if fault == 1:
            torch.as_strided(out, (1,), (1,), out.storage_offset() - 1).fill_(0.0)
        if fault == 2:
            raise KernelFault("an element outside", kind=FaultKind.OUT_OF_BOUNDS)

    repeated = Repeated(
        fake_launcher("float x", "float out", kernel), doubling(offset=1), ROUNDS[0]
    )
    found = [repeated.wrong_elements() for _ in range(4)]
    assert found[1] is None and found[2] is None
    assert not found[0].any() and not found[3].any()


# ---- the stream


def ignores_the_stream(launcher):
    launcher.names_its_stream = False


def test_the_stream_is_tested_in_the_round_that_says_so(fake_launcher):
    launcher = fake_launcher("float x", "float out", double)
    assert run_case.run_case(launcher, doubling(), ROUNDS[0]) is None
    assert launcher.streams == []
    case = doubling(arguments={"block_size": 64})
    assert run_case.run_case(launcher, case, STREAM_ROUND) is None
    assert launcher.emulator.last_stream == run_case.STREAM
    assert launcher.streams == [run_case.STREAM]
    assert launcher.calls == [{}, {"block_size": 64}]


def test_another_stream_is_a_failure(fake_launcher):
    launcher = fake_launcher("float x", "float out", double)
    ignores_the_stream(launcher)
    assert run_case.run_case(launcher, doubling(), ROUNDS[0]) is None
    failed = run_case.run_case(launcher, doubling(), STREAM_ROUND)
    assert failed.settled is True and failed.refused is False
    assert str(failed) == (
        "wrong only on another stream than the default one: pass `stream` to the launch [n = 3]"
    )


@pytest.mark.parametrize(
    ("body", "also"),
    [
        ("cudaMemsetAsync(out, 0, 4 * n);", COPIES),
        ("cudaMemcpyAsync (out, x, 4 * n, cudaMemcpyDeviceToDevice);", COPIES),
        (
            "cudaMemset(out, 0, 4 * n);",
            ", and to cudaMemsetAsync: cudaMemset, which takes none, does not wait for it",
        ),
        (
            "cudaMemcpy2D(out, 4, x, 4, 4, n, cudaMemcpyDeviceToDevice);",
            ", and to cudaMemcpy2DAsync: cudaMemcpy2D, which takes none, does not wait for it",
        ),
        ("// no cudaMemsetAsync(out, 0, 4 * n)", ""),
    ],
)
def test_copies_and_fills_that_take_a_stream_are_named(fake_launcher, tmp_path, body, also):
    launcher = fake_launcher("float x", "float out", double)
    ignores_the_stream(launcher)
    launcher.path = tmp_path / "fake.cu"
    launcher.path.write_text(
        'extern "C" void fake(const float* x, float* out, int64_t n, cudaStream_t stream) {\n'
        f"    {body}\n}}\n"
        'extern "C" void other(float* out) {\n    cudaMemset2DAsync(out, 4, 0, 4, 4);\n}\n'
    )
    told = run_case.run_case(launcher, doubling(), STREAM_ROUND).diagnosis.sentence
    words = "wrong only on another stream than the default one: pass `stream` to the launch"
    assert told == words + also


@pytest.mark.parametrize(
    ("n", "tested"), [(0, False), (1, True), (9_999, True), (10_000, False)]
)
def test_only_small_calls_test_the_stream(fake_launcher, n, tested):
    launcher = fake_launcher("float x", "float out", double)
    ignores_the_stream(launcher)
    failed = run_case.run_case(launcher, doubling(n), STREAM_ROUND)
    assert (failed is not None) is tested


def test_a_launcher_that_launches_nothing_has_no_stream_to_name(fake_launcher):
    launcher = fake_launcher("float x", "float out", lambda launcher, x, out, **more: None)
    ignores_the_stream(launcher)
    case = Case("x", (torch.ones(3),), (torch.zeros(3),), dtypes=(torch.float32,))
    assert run_case.run_case(launcher, replace(case, ignored=("out",)), STREAM_ROUND) is None


# ---- on a GPU


def test_on_a_gpu_a_call_waits_for_the_end(fake_launcher, monkeypatch):
    order = []
    device = type("Device", (), {"device": "cpu"})
    monkeypatch.setattr(buffers.machine, "present", lambda: device)
    monkeypatch.setattr(torch.cuda, "synchronize", lambda: order.append("waited"))

    def look(launcher, x, out, **arguments):
        order.append("called")
        double(launcher, x, out)

    launcher = fake_launcher("float x", "float out", look)
    launcher.on_gpu = True
    assert run_case.run_case(launcher, doubling(), ROUNDS[0]) is None
    assert order == ["called", "waited"] and launcher.emulator.modes == []


def test_on_a_gpu_a_fault_of_the_device_is_a_failure(fake_launcher, monkeypatch):
    def lost():
        raise RuntimeError("CUDA error: an illegal memory access was encountered")

    device = type("Device", (), {"device": "cpu"})
    monkeypatch.setattr(buffers.machine, "present", lambda: device)
    monkeypatch.setattr(torch.cuda, "synchronize", lost)
    launcher = fake_launcher("float x", "float out", double)
    launcher.on_gpu = True
    failed = run_case.run_case(launcher, doubling(), ROUNDS[0])
    assert "illegal memory access" in str(failed) and failed.fault is FaultKind.CONTEXT_LOST


@pytest.mark.gpu
def test_on_a_gpu_the_inputs_come_late_on_a_side_stream(fake_launcher):
    def look(launcher, x, out, **arguments):
        assert torch.cuda.current_stream() != torch.cuda.default_stream()
        double(launcher, x, out)

    launcher = fake_launcher("float x", "float out", look)
    launcher.on_gpu = True
    assert run_case.run_case(launcher, doubling(), STREAM_ROUND) is None


# ---- how a call is prepared


def offsets(fake_launcher, how, offset=0, alignment=None):
    launcher = fake_launcher("half a, half b, half c", "half out", alignment=alignment)
    x = torch.ones(5, dtype=torch.float16)
    case = Case("", (x,) * 3, (x.double(),), offset=offset, dtypes=(torch.float16,))
    return list(run_case.offsets(launcher, case, how))


def test_where_the_tensors_of_a_call_start(fake_launcher):
    plain, apart = Round(), Round(apart=True)
    assert offsets(fake_launcher, plain) == [0, 0, 0, 0]
    assert offsets(fake_launcher, apart) == [1, 2, 3, 1]
    assert offsets(fake_launcher, apart, alignment={"a": 16, "b": 4}) == [8, 4, 3, 1]
    for how in (plain, apart):
        assert offsets(fake_launcher, how, offset=2) == [2, 2, 2, 2]
        assert offsets(fake_launcher, how, offset=(4, 3, 2, 1)) == [4, 3, 2, 1]


def test_an_output_is_untouched_if_all_of_it_is(fake_launcher):
    call = run_case._Call(fake_launcher("float x", "float out"), doubling(), ROUNDS[0])
    call._fill(doubling().inputs)
    (out,) = call.outputs
    assert run_case._untouched(out) and out.tensor.isnan().all()
    out.tensor[1] = 5.0
    assert not run_case._untouched(out)


def test_a_child_process_notes_the_case_before_it_runs(failure, monkeypatch):
    noted = []
    monkeypatch.setattr(run_case.isolated, "note", noted.append)
    failure(lambda launcher, x, out, **more: noted.append("launched"))
    assert noted == ["n = 3", "launched"]


def test_on_a_gpu_inputs_are_filled_behind_a_delay_on_a_side_stream(fake_launcher, monkeypatch):
    done = []

    class Stream:
        def wait_stream(self, other):
            done.append(f"waits for {other}")

        def synchronize(self):
            done.append("side is done")

    @contextlib.contextmanager
    def stream(side):
        done.append("on the side stream")
        yield
        done.append("back")

    def launch(launcher, x, out, **more):
        done.append(f"launch on {x.tolist()}")
        double(launcher, x, out)

    launcher = fake_launcher("float x", "float out", launch)
    launcher.on_gpu = True
    monkeypatch.setattr(buffers.machine, "present", lambda: SimpleNamespace(device="cpu"))
    monkeypatch.setattr(torch.cuda, "Stream", Stream)
    monkeypatch.setattr(torch.cuda, "stream", stream)
    monkeypatch.setattr(torch.cuda, "current_stream", lambda: "the current one")
    monkeypatch.setattr(torch.cuda, "_sleep", lambda cycles: done.append(cycles))
    monkeypatch.setattr(torch.cuda, "synchronize", lambda: done.append("all is done"))
    assert run_case.run_case(launcher, doubling(), STREAM_ROUND) is None
    assert done == [
        "waits for the current one",
        "on the side stream",
        run_case.SLEEP_CYCLES,
        "launch on [1.0, 2.0, 3.0]",
        "back",
        "side is done",
        "all is done",
    ]


@pytest.mark.parametrize("second", [1.0, 3.0])
def test_of_two_wrong_outputs_one_that_is_far_off_is_told(fake_launcher, second):
    x = torch.arange(1.0, 601.0)
    right = (x.double() / 3, 2 * x.double())
    case = Case("two", (x,), right, dtypes=(torch.float32,) * 2)

    def kernel(launcher, x, out, more, **arguments):
        out.copy_(x / 3 * (1 + 1e-4 * x.sin()))
        more.copy_(2 * x if second == 1.0 else x.square())

    failure = run_case.run_case(
        fake_launcher("float x", "float out, float more", kernel), case, ROUNDS[0]
    )
    assert failure.first.startswith("more" if second == 3.0 else "out")
    assert failure.diagnosis.nearly is (second == 1.0)
