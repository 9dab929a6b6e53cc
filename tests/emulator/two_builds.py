"""Build a file with a pass over its kernels and without it: results and faults are the same."""

import ctypes

import pytest
import torch

from helpers import emulator
from helpers.emulator import compile as compiling
from helpers.run.build import precompiled_headers

MODES = (emulator.FORWARD, emulator.REVERSE, emulator.SHUFFLED)


def build(source, folder, module, plain, name="rewrite", counted="::Calls<"):
    """Return two libraries of a file, and how many kernels have what is `counted` in each.

    module: of this name it has what `plain` stands for in the second one.
    """
    libraries, tries = [], []
    translate = compiling._translate_tree

    def noted(main, files, *rest):
        tries.append(files[source].count(counted))
        return translate(main, files, *rest)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(compiling, "_translate_tree", noted)
        for file in ("quick.so", "plain.so"):
            emulator.build(source, folder / file, precompiled_headers())
            libraries.append(emulator.Library(folder / file))
            patch.setattr(module, name, plain)
    assert len(tries) == 2  # each is compiled at the first try
    return libraries, tries


def run(library, name, threads):
    """Return what a kernel writes, and its fault."""
    torch.manual_seed(1)
    x, out = torch.randn(4 * threads), torch.full((4 * threads,), 7.0)
    pointers = [ctypes.c_void_p(t.data_ptr()) for t in (x, out)]
    library.dll[name](*pointers, threads, None)
    return out, str(library.take_fault() or "")


def assert_same_results(libraries, name, threads, mode):
    """Fail unless a kernel writes the same in both, without a fault."""
    found = []
    for library in libraries:
        with library.schedule(mode):
            found.append(run(library, name, threads))
    (quick, fault), (plain, other) = found
    assert fault == other == "" and not (plain == 7.0).all()
    assert torch.equal(quick, plain)


def assert_same_faults(libraries, name, words):
    """Fail unless both say the same of a kernel, with these words in it."""
    quick, plain = (run(library, name, 64)[1] for library in libraries)
    assert words in plain
    assert words in quick
    assert quick == plain or name == "outside"  # whose address differs
