"""The picture of any kernel: its points, its names, and which roofs they lie below."""

import pandas as pd
from matplotlib.colors import to_rgba

from helpers.model import cards
from helpers.teach import plots
from helpers.teach.plots import climb, kernels

H200 = cards.card("H200 SXM")


def rows(methods=("graph hot",), flops=2.0, names=("own_kernel", "another")):
    """Make two sizes of each kernel: the k-th reaches 1000 k GB/s, the small size half."""
    return pd.DataFrame(
        [
            {
                "kernel": name,
                "elements": elements,
                "method": method,
                "gb_per_s": 1000.0 * place * (1 if elements == 1 << 28 else 0.5),
                "bytes_moved": 16 * elements,
                "flops": flops * elements,
            }
            for place, name in enumerate(names, start=1)
            for method in methods
            for elements in (1 << 28, 1 << 20)
        ]
    )


def points(axes):
    """Return (x, y, fill, opacity, size) of every marker."""
    return [
        (
            float(line.get_xdata()[0]),
            float(line.get_ydata()[0]),
            line.get_fillstyle(),
            line.get_alpha(),
            line.get_markersize(),
        )
        for line in axes.lines
        if len(line.get_xdata()) == 1 and line.get_marker() != "None"
    ]


def texts(axes):
    return [text.get_text() for text in axes.texts]


def test_a_column_a_kernel_small_to_large_and_only_ones_own_in_full_colour():
    _, right = plots.kernel_rooflines(rows(), H200, own="own_kernel")
    assert points(right) == [
        (0, 500, "full", 1, climb.SMALL),
        (0, 1000, "full", 1, climb.LARGE),
        (1, 1000, "full", climb.PALE, climb.SMALL),
        (1, 2000, "full", climb.PALE, climb.LARGE),
    ]
    assert [tick.get_text() for tick in right.get_xticklabels()] == ["own kernel", "another"]
    assert right.get_legend().get_title().get_text() == "small to large: 1M, 256M elements"


def test_without_a_choice_all_are_in_full_colour():
    _, right = plots.kernel_rooflines(rows(), H200)
    assert {opacity for *_, opacity, _ in points(right)} == {1}


def test_the_classic_roofline_has_each_kernel_at_its_intensity_and_largest_size():
    left, _ = plots.kernel_rooflines(rows(), H200, own="another")
    assert points(left) == [
        (2 / 16, 1000 / 8, "full", climb.PALE, climb.LARGE),
        (2 / 16, 2000 / 8, "full", 1, climb.LARGE),
    ]
    slow = rows(flops=0.02)
    left, _ = plots.kernel_rooflines(slow, H200)
    assert left.get_ylim()[0] < 1000 * 0.02 / 16  # the lowest point stays in the picture


def test_a_kernel_without_arithmetic_has_the_bandwidths_alone():
    (only,) = plots.kernel_rooflines(rows(flops=0.0), H200)
    assert len(points(only)) == 4
    (only,) = plots.kernel_rooflines(rows().drop(columns="flops"), H200)
    assert only.get_ylabel() == "bandwidth (GB/s)"


def test_cold_points_are_half_filled_beside_the_hot_ones():
    both = rows(methods=("graph hot", "graph cold"), flops=0.0)
    (only,) = plots.kernel_rooflines(both, H200)
    fills = {(x, fill) for x, _, fill, *_ in points(only)}
    assert fills == {
        (0, "full"),
        (climb.COLD_AT, "bottom"),
        (1, "full"),
        (1 + climb.COLD_AT, "bottom"),
    }
    assert [text.get_text() for text in only.get_legend().get_texts()] == ["hot", "cold"]
    (only,) = plots.kernel_rooflines(both[both.method == "graph cold"], H200)
    assert {fill for _, _, fill, *_ in points(only)} == {"full"}


def test_the_roofs_of_both_cards_are_named_and_of_an_unknown_card_only_the_articles():
    _, right = plots.kernel_rooflines(rows(), H200)
    assert {"H200 DRAM\n4,800 GB/s", "RTX 5090 DRAM\n1,792 GB/s"} <= set(texts(right))
    _, right = plots.kernel_rooflines(rows(), None)
    assert not any("H200" in text for text in texts(right))
    assert any("RTX 5090 DRAM" in text for text in texts(right))


def test_the_title_says_what_ones_own_kernel_reaches():
    _, right = plots.kernel_rooflines(rows(), H200, own=("another", "own_kernel"))
    assert right.get_title(loc="left") == "another: 2,000 GB/s, 42% of the H200's DRAM roof"
    _, right = plots.kernel_rooflines(rows(), None)
    assert right.get_title(loc="left") == "own_kernel: 1,000 GB/s"
    _, right = plots.kernel_rooflines(rows(), H200, title="Two kernels")
    assert right.get_title(loc="left") == "Two kernels"
    _, right = plots.kernel_rooflines(rows(), H200, own="none of them")
    assert right.get_title(loc="left") == ""


def test_a_version_of_the_ladder_keeps_its_colour():
    _, right = plots.kernel_rooflines(rows(names=("v1_f32", "other")), H200)
    colours = [line.get_color() for line in right.lines if len(line.get_xdata()) == 1]
    from helpers.model.ladder import VERSIONS

    assert colours[0] == VERSIONS[0].colour
    assert to_rgba(colours[2]) == to_rgba(kernels.COLOURS[1])


def test_long_names_are_broken():
    assert kernels._broken("launch_bounds for_4", 11) == "launch\nbounds for\n4"
    assert kernels._broken("restrict may_overlap", 8) == "restrict\nmay\noverlap"
    assert kernels._broken("cuBLAS", 3) == "cuBLAS"
    assert kernels._broken("torch.matmul", 11) == "torch.\nmatmul"
    assert kernels._broken("torch.add", 11) == "torch.add"
    many = rows(names=[f"{k} two_words" for k in range(7)])
    _, right = plots.kernel_rooflines(many, H200)
    assert right.get_xticklabels()[0].get_text() == "0 two\nwords"


def test_no_rows_is_a_picture_of_the_roofs():
    (only,) = plots.kernel_rooflines(rows()[:0], H200)
    assert any("H200 DRAM" in text for text in texts(only)) and not points(only)
