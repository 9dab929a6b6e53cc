"""A barrier waits for no thread that has returned before it, but for one that goes round it."""

import ctypes
from pathlib import Path

import pytest
import torch

from helpers import emulator
from helpers.emulator import resumed
from helpers.run.build import precompiled_headers

SOURCE = Path(__file__).parent / "kernels" / "early_returns.cu"
N, BLOCK = 1000, 256


@pytest.fixture(scope="module", params=["called again", "stacks"])
def library(request, tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        if request.param == "stacks":
            patch.setattr(resumed, "rewrite", lambda tree, sources, by_phases=False: sources)
        path = tmp_path_factory.mktemp("early") / "k.so"
        emulator.build(SOURCE, path, precompiled_headers())
    return emulator.Library(path)


def run(library, name):
    x, out = torch.arange(float(N)), torch.full((N,), -1.0)
    pointers = [ctypes.c_void_p(t.data_ptr()) for t in (x, out)]
    library.dll[name](*pointers, ctypes.c_int64(N), None)
    return x, out, str(library.take_fault() or "")


def blocks(values):
    return [values[k : k + BLOCK] for k in range(0, N, BLOCK)]


def neighbours(x):
    return torch.cat([b + torch.cat([b[1:], torch.zeros(1)]) for b in blocks(x)])


REFERENCES = {
    "neighbours": neighbours,
    "in_function": lambda x: x.view(-1, 2).flip(1).flatten(),
    "votes": lambda x: torch.cat([torch.full_like(b, float(len(b))) for b in blocks(x)]),
    "tree": lambda x: torch.stack([b.sum() for b in blocks(x)]),
}


@pytest.mark.parametrize("mode", [emulator.FORWARD, emulator.REVERSE, emulator.SHUFFLED])
@pytest.mark.parametrize("name", REFERENCES)
def test_a_barrier_opens_without_those_that_have_returned(library, name, mode):
    with library.schedule(mode):
        x, out, fault = run(library, name)
    expected = REFERENCES[name](x)
    assert fault == "" and torch.equal(out[: len(expected)], expected)
    assert (out[len(expected) :] == -1).all()


@pytest.mark.parametrize(("name", "last"), [("goes_round", "255"), ("returns_behind", "255")])
def test_a_thread_that_goes_round_it_is_a_fault(library, name, last):
    *_, fault = run(library, name)
    assert "only part of the block reaches" in fault
    assert f"-{last} never came and left the kernel" in fault
