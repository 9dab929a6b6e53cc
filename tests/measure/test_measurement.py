"""What a measurement says of itself: bandwidth, share of a roof, its label and its line."""

import pytest

from helpers.measure.measurement import DIALS, label


def test_bandwidth_is_bytes_over_time(measurement):
    assert measurement(time_us=12.582912).gb_per_s == pytest.approx(1000)
    assert measurement(time_us=12.582912).percent_of(2000) == pytest.approx(50)


def test_every_dial_has_a_column_type():
    assert DIALS == {
        "unroll": "Int64",
        "load_bytes": "Int64",
        "large_l1": "boolean",
        "steps": "Int64",
        "order": "string",
        "fraction": "Float64",
        "grid": "string",
        "padding": "Int64",
    }


@pytest.mark.parametrize(
    ("dials", "words"),
    [
        ({}, "k"),
        ({"unroll": 4, "load_bytes": 16, "large_l1": False}, "k 4 x 16 B"),
        ({"unroll": 8, "load_bytes": 4, "large_l1": True}, "k 8 x 4 B, large L1"),
        ({"steps": 100, "order": "by warp"}, "k 100 by warp"),
        ({"order": "mixed", "fraction": 0.015625}, "k mixed 0.015625"),
        ({"order": "mixed", "fraction": 0.5}, "k mixed 0.5"),
        ({"grid": "256 a block"}, "k, 256 a block"),
        ({"padding": 0}, "k"),
        ({"padding": 1}, "k padded"),
    ],
)
def test_a_label_names_the_dials(dials, words):
    assert label("k", dials) == words


def test_a_measurement_prints_its_numbers_and_its_note(measurement):
    one = measurement(time_us=12.582912, low_us=12.5, high_us=12.75)
    assert str(one) == (
        "v1_f32 x256, 1,048,576 float32: 12.58 us [12.50, 12.75], 1,000 GB/s, graph hot"
    )
    other = measurement(block_size=None, note="hot", dials={"padding": 1})
    assert str(other).startswith("v1_f32 padded, 1,048,576") and str(other).endswith("  (hot)")
