"""Views of rows: right on the emulator, seen by every library as what they are."""

import pytest
import torch

from helpers.measure.libraries import operator_peers, operator_sources, triton_operators, views
from helpers.measure.libraries.interleaved import COLD, HOT
from helpers.measure.libraries.views import Viewed
from helpers.run import jit, machine

DEVICE = machine.present().device


def index(one, elements):
    """Return where each element of the output finds its own in the tensor below the view."""
    cols, row, column = one.strides
    i = torch.arange(elements, device=DEVICE)
    return i // cols * row + i % cols * column


def test_every_operator_has_every_view_that_it_can_have():
    found = {(one.base, one.name.removeprefix(one.base + " ")) for one in views.all_views()}
    assert len(views.all_views()) == 2 * len(found) == 22
    assert {view for base, view in found if base == "add"} == set(views.VIEWS)
    assert ("relu", "half") in found and ("relu", "row") not in found
    settings = views.settings()
    assert len(set(settings)) == len(settings) == 88
    for one in settings:
        assert one.elements % one.operator.strides.cols == 0
        assert one.method == (HOT if one.elements <= 1 << 20 else COLD)


@pytest.fixture(scope="module")
def built():
    """Build the launchers of all views of an addition, which are in one file."""
    return jit.load(operator_sources.fast("add row"))


@pytest.mark.stress
@pytest.mark.parametrize("view", views.VIEWS)
def test_a_view_is_right_by_the_kernel_and_by_pytorch(view, built):
    torch.manual_seed(2)
    one = Viewed.of("add", view, "float32")
    assert one.launcher in built.launchers
    elements = 37 * one.strides.cols
    inputs, out = one.buffers(elements, DEVICE)
    want = inputs[0] + inputs[1][index(one, elements)]
    for candidate in (operator_peers.course(one), *operator_peers.eager(one)):
        out.fill_(7)
        candidate.bind(inputs, out)()
        assert torch.equal(out, want), candidate
        assert one.error(inputs, out) <= one.bound()
    out[elements // 2] += 1
    assert one.error(inputs, out) > one.bound()
    assert torch.equal(one.kind.exact(*one.arguments(inputs, elements)), want)


@pytest.mark.stress
def test_one_input_that_is_a_part_of_a_matrix():
    one = Viewed.of("relu", "odd part", "float16")
    inputs, out = one.buffers(5 * 1001, DEVICE)
    assert inputs[0].numel() == 4 * 1027 + 1001 and out.numel() == 5 * 1001
    operator_peers.course(one).bind(inputs, out)()
    assert torch.equal(out, inputs[0][index(one, out.numel())].relu())


@pytest.mark.parametrize(
    ("view", "shape", "strides", "moved"),
    [
        ("row", (1, 1024), (0, 1), 8),
        ("column", (6, 1), (1, 0), 8),
        ("number", (1, 1), (0, 0), 8),
        ("half", (6, 1024), (2048, 1), 12),
    ],
)
def test_libraries_are_given_what_a_user_has(view, shape, strides, moved):
    one = Viewed.of("add", view, "float32")
    inputs, out = one.buffers(6 * 1024, DEVICE)
    *_, given = one.arguments(inputs, out.numel())
    assert (given.shape, given.stride()) == (shape, strides)
    assert one.bytes_per_element == moved
    assert operator_peers.cub(one) == []


def test_launcher_and_triton_s_kernel_know_the_strides():
    one = Viewed.of("add", "every second", "float16")
    text = operator_sources.launcher(one)
    assert text.startswith('extern "C" cudaError_t add_every_second_float16_float16(\n')
    assert "const half* b,  // [elements]\n" in text and "int64_t n, int64_t elements, " in text
    assert "a, fast::Rows<half>{b, 1024, 2048, 2});" in text
    written = triton_operators.text(one.kind)
    assert "tl.load(a_pointer + i, mask" in written
    assert "tl.load(b_pointer + i // 1024 * 2048 + i % 1024 * 2, mask" in written
    path = operator_sources.fast(one.name)
    assert path.name == "add_views.cu" and path.read_text().count(text) == 1
    assert path == operator_sources.fast("add row") != operator_sources.fast("add")


def test_a_view_is_named():
    one = Viewed.of("relu", "half", "float16")
    assert (str(one), one.launcher) == ("relu half float16", "relu_half_float16_float16")
