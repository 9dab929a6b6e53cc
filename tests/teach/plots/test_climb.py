"""The ladder's picture: which versions, in which look, below which roofs."""

import itertools
from dataclasses import replace

import pandas as pd
import pytest
from matplotlib.colors import to_rgba

from helpers.errors import UnknownNameError
from helpers.measure import store
from helpers.model import cards, ladder
from helpers.teach import plots
from helpers.teach.plots import climb

H200, RTX_5090 = cards.card("H200 SXM"), cards.card("GeForce RTX 5090")
SIZES = (1 << 20, 1 << 28)


def rows(method="graph hot", gpu="NVIDIA H200"):
    """Make rows of all versions: the k-th reaches 1000 k GB/s, the small size half of it."""
    return pd.DataFrame(
        [
            {
                "kernel": version.name,
                "dtype": version.dtypes[0],
                "elements": elements,
                "method": method,
                "gb_per_s": 1000.0 * place * (1 if elements == SIZES[1] else 0.5),
                "gpu": gpu,
            }
            for place, version in enumerate(ladder.VERSIONS, start=1)
            for elements in SIZES
        ]
    )


def points(axes):
    """Return (x, y, look, opacity, size) of every marker."""
    found = []
    for line in axes.lines:
        if len(line.get_xdata()) == 1 and line.get_marker() != "None":
            hollow = to_rgba(line.get_markerfacecolor()) == to_rgba("white")
            look = "hollow" if hollow else line.get_fillstyle()
            x, y = line.get_xdata()[0], line.get_ydata()[0]
            found.append((float(x), float(y), look, line.get_alpha(), line.get_markersize()))
    return found


def texts(axes):
    return [text.get_text() for text in axes.texts]


def test_versions_up_to_the_lessons_own_which_alone_is_in_full_colour():
    _, right = plots.ladder_rooflines(rows(), "v2_f32x4", H200)
    here = [point for point in points(right) if point[2] == "full"]
    assert here == [
        (0, 500, "full", climb.PALE, climb.SMALL),
        (0, 1000, "full", climb.PALE, climb.LARGE),
        (1, 1000, "full", 1, climb.SMALL),
        (1, 2000, "full", 1, climb.LARGE),
    ]
    names = [label.get_text() for label in right.get_xticklabels()]
    assert names[:2] == ["V1\nf32", "V2\nf32x4"] and len(names) == len(ladder.VERSIONS)
    weights = [label.get_fontweight() for label in right.get_xticklabels()]
    assert weights == ["normal", "bold", *["normal"] * (len(ladder.VERSIONS) - 2)]


def test_the_articles_points_are_hollow_and_left_of_this_machines():
    _, right = plots.ladder_rooflines(rows(), "v1_f32", H200)
    article = store.article().query("kernel == 'v1_f32'").sort_values("elements")
    hollow = [point for point in points(right) if point[2] == "hollow"]
    assert [y for _, y, *_ in hollow] == list(article.gb_per_s)
    assert {x for x, *_ in hollow} == {climb.ARTICLE_AT}
    sizes = [size for *_, size in hollow]
    assert sizes == sorted(sizes) and (sizes[0], sizes[-1]) == (climb.SMALL, climb.LARGE)


def test_cold_points_are_half_filled_and_right_of_the_hot_ones():
    both = pd.concat([rows(), rows("graph cold").assign(gb_per_s=700.0)])
    _, right = plots.ladder_rooflines(both, "v1_f32", H200)
    cold = [point for point in points(right) if point[2] == "bottom"]
    assert [(x, y) for x, y, *_ in cold] == [(climb.COLD_AT, 700)] * 2
    legend = [text.get_text() for text in right.get_legend().get_texts()]
    assert legend == ["RTX 5090, the article's", "H200, hot", "H200, cold"]
    assert right.get_legend().get_title().get_text() == "small to large: 1M, 256M elements"


def test_roofs_of_dram_and_l2_of_both_cards_are_drawn_and_named():
    left, right = plots.ladder_rooflines(rows(), "v3_f16", H200)
    level = {line.get_ydata()[0] for line in right.lines if list(line.get_xdata()) == [0, 1]}
    roofs = (H200.gpu.dram_GBps, H200.l2_GBps, RTX_5090.gpu.dram_GBps, RTX_5090.l2_GBps)
    assert level == set(roofs)
    assert set(texts(right)) == {
        "H200 DRAM\n4,800 GB/s",
        f"H200 L2\n{H200.l2_GBps:,.0f} GB/s",
        "RTX 5090 DRAM\n1,792 GB/s",
        f"RTX 5090 L2 (inferred)\n{RTX_5090.l2_GBps:,.0f} GB/s",
    }
    curves = [line for line in left.lines if len(line.get_xdata()) == 300]
    slopes = {round(line.get_ydata()[0] / line.get_xdata()[0], 3) for line in curves}
    assert slopes == {round(roof, 3) for roof in roofs}
    assert {line.get_ydata()[-1] for line in curves} == {66_900, 104_800}
    legend = {text.get_text() for text in left.get_legend().get_texts()}
    assert {"H200: 66.9 TFLOP/s", "RTX 5090: 104.8 TFLOP/s"} <= legend


def test_the_classic_roofline_has_the_lessons_version_at_its_intensity():
    for version, intensity in (("v2_f32x4", 1 / 12), ("v6_f16x8_pack", 1 / 6)):
        left, _ = plots.ladder_rooflines(rows(), version, H200)
        place = ladder.NAMES.index(version) + 1
        article = store.article().query(f"kernel == '{version}' and elements == {SIZES[1]}")
        assert [point[:3] for point in points(left)] == [
            (intensity, article.gb_per_s.iloc[0] * intensity, "hollow"),
            (intensity, 1000 * place * intensity, "full"),
        ]
        dtype = ladder.VERSIONS[place - 1].dtypes[0]
        assert f"C = A + B, {dtype}" in texts(left)


def test_the_title_says_what_the_version_reaches():
    _, right = plots.ladder_rooflines(rows(), "v1_f32", H200)
    printed = store.article().query(f"kernel == 'v1_f32' and elements == {1 << 28}").gb_per_s
    assert right.get_title(loc="left") == (
        f"V1 at 256M: 1,000 GB/s on H200, {printed.iloc[0]:,.0f} on the article's RTX 5090"
    )
    _, right = plots.ladder_rooflines(rows()[:0], "v1_f32", H200)
    assert right.get_title(loc="left") == "V1"


def test_names_of_roofs_do_not_touch():
    near = replace(H200, l2_GBps=RTX_5090.l2_GBps * 1.01)
    _, right = plots.ladder_rooflines(rows(), "v1_f32", near)
    figure = right.figure
    figure.canvas.draw()
    boxes = sorted((text.get_window_extent() for text in right.texts), key=lambda box: box.y0)
    assert all(low.y1 <= high.y0 for low, high in itertools.pairwise(boxes))


def test_the_articles_own_card_and_one_whose_peak_is_not_known():
    left, right = plots.ladder_rooflines(rows(gpu="RTX 5090"), "v1_f32", RTX_5090)
    assert "this RTX 5090 DRAM\n1,792 GB/s" in texts(right)
    unknown = replace(H200, gpu=replace(H200.gpu, fp32_TFLOPS=None))
    left, _ = plots.ladder_rooflines(rows(), "v1_f32", unknown)
    assert not any("H200" in text for text in texts(left))


def test_a_version_that_is_not_of_the_ladder():
    with pytest.raises(UnknownNameError, match="no version 'v7'; there are v1_f32, "):
        plots.ladder_rooflines(rows(), "v7", H200)
