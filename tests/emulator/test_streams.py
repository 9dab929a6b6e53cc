"""What streams are asked for and nothing waits for is done in the worst order."""

import ctypes
import re
import shutil
from pathlib import Path

import pytest
import torch

from helpers import emulator
from helpers.emulator import FORWARD, REVERSE, SHUFFLED, Library
from helpers.errors import FaultKind, KernelFault

SOURCE = Path(__file__).parent / "kernels" / "streams.cu"
NAMES = re.findall(r"^(?:LAUNCHER|WITHOUT_WAIT)\((\w+)", SOURCE.read_text(), flags=re.M)
RIGHT = [name for name in NAMES if name.startswith("right_")]
RETURNS = ["returns_early"]  # a fault, in any order
WRONG = [name for name in NAMES if name not in (*RIGHT, *RETURNS)]
N = 1000
CALLERS = 0xC0DE


@pytest.fixture(scope="module")
def library(tmp_path_factory, headers):
    output = tmp_path_factory.mktemp("streams") / "streams.so"
    emulator.build(SOURCE, output, headers)
    return Library(output)


@pytest.fixture
def fresh(library, tmp_path):
    """Return the library without the streams that launchers have kept."""
    copy = shutil.copy(library.dll._name, tmp_path / "fresh.so")
    return Library(copy)


def launch(library, name, mode=FORWARD, stream=None):
    """Call a launcher; return whether it is right. Raises its fault."""
    x, out = (emulator.guarded(N, torch.float32, 256, False) for _ in range(2))
    x.copy_(torch.arange(float(N)))
    out.fill_(-7)
    pointers = [ctypes.c_void_p(tensor.data_ptr()) for tensor in (x, out)]
    memory = library.device_memory([*emulator.pages(x), *emulator.pages(out)])
    with memory, library.schedule(mode):
        library.dll[name](*pointers, N, ctypes.c_void_p(stream))
    error = library.take_error()
    if fault := library.take_fault("streams.cu"):
        raise fault
    assert not error
    return torch.equal(out, 2 * x + 1)


def in_each_order(library, name):
    """Return whether a launcher is right in all orders, and the words of a wrong one."""
    words = []
    for mode in (FORWARD, REVERSE, SHUFFLED):
        for stream in (None, CALLERS):
            right = launch(library, name, mode, stream)
            told = library.take_overtaking()
            words += [] if right else [told]
    return not words, words[0] if words else ""


def test_there_are_as_many_right_launchers_as_wrong_ones():
    assert len(RIGHT) >= len(WRONG) >= 15


@pytest.mark.parametrize("name", RIGHT)
def test_a_right_launcher_is_right_in_each_order(library, name):
    assert in_each_order(library, name) == (True, "")


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_launcher_is_wrong_and_right_only_as_it_asks(library, name):
    right, words = in_each_order(library, name)
    assert not right and " does not wait for " in words
    with library.streams_as_asked():
        assert in_each_order(library, name) == (True, "")


def test_plain_tensors_are_no_memory_of_the_host(library):
    """A copy between two of them waits for the events of its stream."""
    x, out = torch.arange(float(N)), torch.zeros(N)
    pointers = [ctypes.c_void_p(tensor.data_ptr()) for tensor in (x, out)]
    library.dll.right_copy_behind_an_event(*pointers, N, None)
    assert torch.equal(out, 2 * x + 1)


def words_of(library, name, stream=None):
    assert not launch(library, name, stream=stream)
    return library.take_overtaking()


def test_the_words_name_the_work_and_its_streams(fresh):
    assert words_of(fresh, "no_event") == (
        "plus_one on the launcher's stream 2 does not wait for twice on the launcher's stream 1"
    )
    assert words_of(fresh, "beside_the_default") == (
        "plus_one on the launcher's stream 2 does not wait for twice on the default stream"
    )
    assert words_of(fresh, "fork_too_early", CALLERS) == (
        "plus_one on the launcher's stream 1 does not wait for twice on the caller's stream"
    )
    assert words_of(fresh, "copy_does_not_wait") == (
        "cudaMemcpy on the default stream does not wait for plus_one on the launcher's stream 1"
    )


@pytest.mark.parametrize("stream", [None, CALLERS])
def test_the_caller_must_not_return_before_its_outputs_are_written(fresh, stream):
    with pytest.raises(KernelFault) as raised:
        launch(fresh, "returns_early", stream=stream)
    assert raised.value.kind is FaultKind.HOST
    assert str(raised.value) == (
        "streams.cu: the launcher returns_early returned while plus_one on the launcher's "
        "stream 1 may still run: wait for it with cudaStreamSynchronize, or let the caller's "
        "stream wait for an event behind it"
    )


def test_a_kernel_that_is_done_later_faults_as_one_at_once(fresh):
    """And nothing of its launcher is done behind it."""
    with pytest.raises(KernelFault, match="far, block"):
        launch(fresh, "faults_later")
    assert launch(fresh, "right_event")
