"""Words for a figure, and their way into a notebook's output."""

import matplotlib.pyplot as plt
import pytest
from IPython.core.formatters import DisplayFormatter
from matplotlib.figure import Figure

from helpers.teach.plots import description, style


@pytest.fixture
def axes():
    axes = style.new("Adds:", figsize=(4, 3))
    axes.plot([1, 2, 4], [10, 20, 30], label="v1_f32")
    axes.set(xlabel="elements", ylabel="GB/s", xlim=(1, 4), ylim=(0, 30))
    axes.set_xticks([1, 2, 4], ["1M", "2M", "4M"])
    axes.set_yticks([0, 15, 30, 45])
    axes.set_ylim(0, 30)
    yield axes
    plt.close("all")


def described(figure):
    figure.canvas.draw()
    return description.describe(figure)


def test_titles_axes_and_names(axes):
    axes.text(1, 10, "the\nroof")
    axes.text(2, 20, "hidden").set_visible(False)
    axes.text(3, 20, "12.5%")
    axes.legend()
    assert described(axes.figure) == (
        "Adds. x: elements, 1M to 4M. y: GB/s, 0 to 30. In it: v1_f32; the roof."
    )


def test_a_logarithmic_axis_and_one_that_is_hidden(axes):
    axes.set(xscale="log", yscale="log", xlim=(1, 1000))
    axes.set_ylabel("")
    axes.tick_params(labelleft=False)
    assert described(axes.figure) == "Adds. x: elements, 10^0 to 10^3, logarithmic."


def test_several_axes_and_the_title_of_all(axes):
    figure, (left, right) = plt.subplots(1, 2)
    figure.suptitle("Both")
    left.set_title("one")
    right.set_title("two")
    left.axis("off")
    right.set_visible(False)
    assert described(figure) == "Both. one."


def test_of_many_names_the_first_are_said(axes):
    for number in range(15):
        axes.text(1, number, f"row {number}")
    axes.text(1, 1, "row 3")
    words = described(axes.figure)
    assert "row 11; and 3 more." in words
    assert "row 12" not in words


@pytest.mark.parametrize("printed", [b"png", (b"png", {"width": 4})])
def test_a_notebooks_picture_carries_the_words(axes, printed):
    formatter = DisplayFormatter()
    formatter.formatters["image/png"].for_type(Figure, lambda figure: printed)
    for _ in range(2):
        description._attach_to(formatter.formatters["image/png"])
    data, metadata = formatter.format(axes.figure, include={"image/png"})
    assert data == {"image/png": b"png"}
    width = {"width": 4} if isinstance(printed, tuple) else {}
    assert metadata["image/png"] == {**width, "alt": description.describe(axes.figure)}


def test_a_figure_that_cannot_be_described_is_shown(axes, monkeypatch):
    monkeypatch.delattr(description, "_describe_axes")
    formatter = DisplayFormatter()
    formatter.formatters["image/png"].for_type(Figure, lambda figure: b"png")
    description._attach_to(formatter.formatters["image/png"])
    data, metadata = formatter.format(axes.figure, include={"image/png"})
    assert data == {"image/png": b"png"}
    assert metadata["image/png"] == {}


@pytest.mark.parametrize("projection", ["polar", "3d"])
def test_other_projections_have_words_too(projection):
    axes = plt.figure().add_subplot(projection=projection)
    axes.set_title("Another")
    assert described(axes.figure).startswith("Another.")
    plt.close("all")


def test_where_no_pictures_are_shown_nothing_happens(axes):
    formatter = DisplayFormatter()
    description._attach_to(formatter.formatters["image/png"])
    assert Figure not in formatter.formatters["image/png"].type_printers
    description.attach()  # no notebook
