"""Device functions in which threads wait, written into kernels: results and faults stay."""

import ctypes
from pathlib import Path

import pytest
import torch

from helpers import emulator
from helpers.emulator import front_end, inlined
from helpers.run.build import precompiled_headers

pytestmark = pytest.mark.skipif(
    front_end.problem() is not None, reason=f"{front_end.problem()}"
)
SOURCE = Path(__file__).parent / "kernels" / "inlined.cu"


@pytest.fixture(scope="module")
def libraries(tmp_path_factory):
    """Return the library of the kernels, and one in which functions are called."""
    folder, found, texts = tmp_path_factory.mktemp("inlined"), [], []
    rewrite = inlined.rewrite

    def noted(unit, sources):
        texts.append(rewrite(unit, sources))
        return texts[-1]

    with pytest.MonkeyPatch.context() as patch:
        for name, how in (("written", noted), ("called", lambda unit, sources: None)):
            patch.setattr(inlined, "rewrite", how)
            emulator.build(SOURCE, folder / f"{name}.so", precompiled_headers())
            found.append(emulator.Library(folder / f"{name}.so"))
    return texts[0][SOURCE], *found


def run(library, name, threads):
    torch.manual_seed(1)
    x, out = torch.randn(4 * threads), torch.full((4 * threads,), 7.0)
    pointers = [ctypes.c_void_p(t.data_ptr()) for t in (x, out)]
    library.dll[name](*pointers, threads, None)
    return out, str(library.take_fault() or "")


def kernel(text, name):
    """Return the text of a kernel, up to its launcher."""
    return text[text.index(f"void {name}_kernel(") : text.index(f"LAUNCH({name},")]


def test_what_is_written_and_what_stays(libraries):
    text, *_ = libraries
    for name in ("names", "places", "divergent", "outside"):
        assert "#line" in kernel(text, name), name
    assert "warp_max(v) > 0 && warp_max(-v) > -0.5f" in kernel(text, "conditions")
    assert "? warp_sum(v) : -1.0f" in kernel(text, "conditions")
    assert "block_sum(x[i])" in kernel(text, "shared")
    assert "warp_sum(" not in kernel(text, "names")


def test_what_is_written_in_is_not_compiled_again(libraries):
    _, written, called = libraries
    for name in ("_Z8warp_sumf", "_Z9block_sumf"):
        assert hasattr(called.dll, name), name
    assert not hasattr(written.dll, "_Z8warp_sumf")


@pytest.mark.parametrize("mode", [emulator.FORWARD, emulator.REVERSE, emulator.SHUFFLED])
@pytest.mark.parametrize("threads", [64, 1024])
@pytest.mark.parametrize(
    "name",
    [
        *("names", "places", "conditions", "shared"),
        *("hidden", "converted", "brought", "called"),
    ],
)
def test_results_are_those_of_functions_that_are_called(libraries, name, threads, mode):
    found = []
    for library in libraries[1:]:
        with library.schedule(mode):
            found.append(run(library, name, threads))
    (written, fault), (called, other) = found
    assert fault == other == "" and not (called == 7.0).all()
    assert torch.equal(written, called)


@pytest.mark.parametrize("name", ["parted", "divergent", "outside"])
def test_faults_have_the_same_words(libraries, name):
    written, called = (run(library, name, 64)[1] for library in libraries[1:])
    expected = {
        "parted": "a shuffle (line 11) reads from lane 20",
        "divergent": "(line 29) that only part of the block reaches",
        "outside": "thread (9, 0, 0)",
    }
    assert expected[name] in called
    assert expected[name] in written
    assert written == called or name == "outside"  # whose address differs
