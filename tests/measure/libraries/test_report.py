"""The table and the sentences about the comparison, with numbers worked out by hand."""

from dataclasses import replace

import pandas as pd
import pytest

from helpers import specs
from helpers.measure.libraries import report

pytestmark = pytest.mark.usefixtures("no_gpu")  # a card that is here has its own facts


def rows(elements, *runs, gpu="NVIDIA H200", method="graph hot"):
    """Make one cell's rows from each run's (course, template, torch) in us."""
    found = []
    for run, times in enumerate(runs, 1):
        for name, us in zip(("course", "template", "torch"), times, strict=True):
            found.append(
                {
                    "gpu": gpu,
                    "operation": "add",
                    "dtype": "float32",
                    "elements": elements,
                    "method": method,
                    "candidate": name,
                    "run": run,
                    "time_us": us,
                    "gb_per_s": 4800 / us,
                    "ratio": times[2] / us,
                }
            )
    return pd.DataFrame(found)


LARGE = rows(1 << 28, (1.0, 1.2, 1.1), (1.1, 1.2, 1.1), (1.25, 1.2, 1.0))
SMALL = rows(1 << 20, (2.0, 2.0, 3.0), (2.0, 2.0, 2.5), (2.0, 2.0, 2.2))


def test_a_row_for_each_cell():
    table = report.table(pd.concat([LARGE, SMALL]))
    assert table.index.names == ["operation", "dtype", "elements", "method"]
    large, small = table.iloc[0], table.iloc[1]
    assert (large.course, large.template, large.torch) == (1.1, 1.2, 1.1)
    assert (large.ratio, large.low, large.high) == pytest.approx((1.0, 0.8, 1.1))
    assert large["GB/s"] == pytest.approx(4800 / 1.1)
    assert (small.ratio, small.low, small.high) == (1.25, 1.1, 1.5)


def test_the_two_tables_as_text():
    times, standing = report.as_text(pd.concat([LARGE, SMALL])).split("\n\n")
    assert [line.split() for line in times.splitlines()] == [
        ["us", "course", "template", "torch"],
        ["add", "float32", "2^28", "hot", "1.100", "1.200", "1.100"],
        ["2^20", "hot", "2.000", "2.000", "2.500"],
    ]
    assert [line.split() for line in standing.splitlines()] == [
        ["GB/s", "ratio", "low", "high"],
        ["add", "float32", "2^28", "hot", "4,364", "1.000", "0.800", "1.100"],
        ["2^20", "hot", "2,400", "1.250", "1.100", "1.500"],
    ]


def test_one_run_has_no_spread_and_no_cells_won_in_every_run():
    one = rows(1 << 28, (1.0, 1.2, 1.1))
    _, standing = report.as_text(one).split("\n\n")
    assert [line.split() for line in standing.splitlines()] == [
        ["GB/s", "ratio"],
        ["add", "float32", "2^28", "hot", "4,800", "1.100"],
    ]
    first, second, *_ = report.summary(one).splitlines()
    assert first == "1 cells, one run"
    assert second == "at least as fast, to half a percent, in 1; ahead by 1% or more in 1"


@pytest.mark.parametrize(
    ("us", "words"),
    [(2.0744, "2.074"), (46.571, "46.57"), (722.86, "722.9"), (12721.4, "12721")],
)
def test_times_have_four_digits_and_nothing_is_written_for_none(us, words):
    assert report._four_digits(us) == words
    assert report._four_digits(float("nan")) == ""


def test_the_sentences():
    lines = report.summary(pd.concat([SMALL, LARGE])).splitlines()
    assert lines == [
        "2 cells; ahead of every library in 1 of them in every run",
        "at least as fast, to half a percent, in 2; ahead by 1% or more in 1",
        "1.000x to 1.250x the fastest library's speed; "
        "slowest: float32 add, 2^28 elements, hot",
        "at 2^28 elements 90.9% to 90.9% of the specified 4,800 GB/s",
    ]


def test_the_bandwidth_is_of_the_largest_size_and_of_the_card():
    cold = rows(1 << 28, (2.0, 2.0, 1.0), method="graph cold", gpu="GeForce RTX 5090")
    hot = LARGE.assign(gpu="GeForce RTX 5090")
    lines = report.summary(pd.concat([SMALL, hot, cold]).iloc[::-1]).splitlines()
    assert lines[2] == (
        "0.500x to 1.250x the fastest library's speed; "
        "slowest: float32 add, 2^28 elements, cold"
    )
    # 2,400 and 4,364 of 1,792 GB/s
    assert lines[3] == ("at 2^28 elements 133.9% to 243.5% of the specified 1,792 GB/s")


def test_a_bandwidth_that_only_a_copy_told_is_called_so(monkeypatch):
    hidden = replace(specs.gpu("L4"), name="Hidden", dram_from="measured: a copy")
    monkeypatch.setattr(report.roofs, "specification", lambda name: hidden)
    lines = report.summary(LARGE.assign(gpu="Hidden")).splitlines()
    assert lines[3].endswith(" of a copy's 300 GB/s")


def test_half_a_percent_and_one_percent():
    near = pd.concat(
        [
            rows(1, (1.0, 1.0, 0.995)),
            rows(2, (1.0, 1.0, 0.994)),
            rows(3, (1.0, 1.0, 1.01)),
            rows(4, (1.0, 1.0, 1.0)),
        ]
    )
    _, second, *_ = report.summary(near).splitlines()
    assert second == "at least as fast, to half a percent, in 3; ahead by 1% or more in 1"


@pytest.mark.parametrize(("elements", "words"), [(1, "2^0"), (1024, "2^10"), (1025, "1,025")])
def test_a_power_of_two_is_written_as_one(elements, words):
    *_, line = report.summary(rows(elements, (1.0, 1.0, 1.0))).splitlines()
    assert line.startswith(f"at {words} elements 100.0%")


def test_a_card_that_nobody_knows_has_no_share():
    lines = report.summary(LARGE.assign(gpu="NVIDIA Nobody")).splitlines()
    assert len(lines) == 3
