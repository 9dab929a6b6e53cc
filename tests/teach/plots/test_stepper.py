"""Stepping through requests: a slider in a notebook, a picture without a kernel."""

import base64
import sys

import nbformat
import pytest
from nbconvert import HTMLExporter

from helpers.emulator.trace import Request, Step, Trace
from helpers.emulator.traced import Line
from helpers.teach import plots

PLAIN = Request(tuple(4 * lane for lane in range(32)), 4)
STRIDED = Request(tuple(16 * lane for lane in range(32)), 4)
COLUMN = Request(tuple(128 * lane for lane in range(32)), 4)
ALL = 0xFFFFFFFF
SEEN = Trace(
    steps=(
        Step(Line("v.cu", 7), "block", "global", ALL, None),
        Step(Line("v.cu", 7), "load", "global", ALL, PLAIN),
        Step(Line("v.cu", 7), "load", "global", ALL, STRIDED),
        Step(Line("v.cu", 9), "store", "global", ALL, PLAIN),
        Step(Line("v.cu", 8), "load", "shared", ALL, COLUMN),
    )
)


def test_the_requests_of_a_line_have_words_and_pictures():
    stepper = plots.step_requests(SEEN, line=7)
    assert len(stepper) == 2
    assert stepper.words(0) == (
        "v.cu:7, load 1 of 2: 32 lanes, 4 sectors, 100% of their bytes asked for"
    )
    assert "load 2 of 2: 32 lanes, 16 sectors, 25%" in stepper.words(1)
    assert stepper.png(0)[:4] == b"\x89PNG" and stepper.png(0) != stepper.png(1)
    assert len(plots.step_requests(SEEN)) == 3


def test_shared_memory_is_drawn_by_banks():
    words = plots.step_requests(SEEN, space="shared").words(0)
    assert words == "v.cu:8, load 1 of 1: 32 words in the fullest bank, 32 in all"


def test_the_slider_changes_the_picture_and_its_words():
    stepper = plots.step_requests(SEEN, line=7)
    slider, picture, words = stepper.widget().children
    assert (slider.min, slider.max, picture.value) == (0, 1, stepper.png(0))
    slider.value = 1
    assert picture.value == stepper.png(1) and words.value == stepper.words(1)


def test_an_exported_page_shows_the_picture():
    bundle = plots.step_requests(SEEN)._repr_mimebundle_()
    assert "application/vnd.jupyter.widget-view+json" in bundle
    output = nbformat.v4.new_output("display_data", data=bundle)
    cell = nbformat.v4.new_code_cell("plots.step_requests(seen)", outputs=[output])
    page, _ = HTMLExporter().from_notebook_node(nbformat.v4.new_notebook(cells=[cell]))
    assert bundle["image/png"][:200] in page


def test_without_ipywidgets_there_is_the_picture(monkeypatch):
    monkeypatch.setitem(sys.modules, "ipywidgets", None)
    stepper = plots.step_requests(SEEN)
    bundle = stepper._repr_mimebundle_()
    assert set(bundle) == {"text/plain", "image/png"}
    assert base64.b64decode(bundle["image/png"]) == stepper.png(0)


def test_a_line_without_requests_is_refused_with_those_that_have_some():
    with pytest.raises(ValueError, match=r"on line 3: it made some on lines 7, 9"):
        plots.step_requests(SEEN, line=3)
    with pytest.raises(ValueError, match=r"no request to shared memory: nowhere"):
        plots.step_requests(Trace(), space="shared")
    with pytest.raises(ValueError, match=r"space is 'local': it must be one of global, shared"):
        plots.step_requests(SEEN, space="local")
