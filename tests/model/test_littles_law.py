"""Little's law for memory, in its units."""

import pytest

from helpers import specs
from helpers.model import littles_law


def test_bytes_in_flight_of_the_ladder():
    """2,048 threads an SM: V1 waits for two loads of 4 bytes, V3 for 2, V6 for 16."""
    h200 = specs.gpu("H200 SXM")
    assert [
        littles_law.bytes_in_flight(h200, 2048, b) / h200.sm_count / 1024 for b in (8, 4, 32)
    ] == [16, 8, 64]
    assert littles_law.bytes_to_fill(4000.0, 700.0) == 2_800_000
    with pytest.raises(ValueError, match="2048"):
        littles_law.bytes_in_flight(h200, 2049, 4)


@pytest.mark.parametrize("threads", [0, -1, 2049])
def test_threads_that_no_sm_holds_are_refused(threads):
    h200 = specs.gpu("H200 SXM")
    assert littles_law.bytes_in_flight(h200, 1, 1) == 132
    with pytest.raises(
        ValueError, match=f"{threads} resident threads: .*H200 SXM holds 1 to 2048"
    ):
        littles_law.bytes_in_flight(h200, threads, 4)


def test_times_and_bandwidths_must_be_numbers():
    with pytest.raises(ValueError, match=r"^bandwidth_GBps is -1"):
        littles_law.bytes_to_fill(-1, 1)
    with pytest.raises(ValueError, match=r"^latency_ns is -1"):
        littles_law.bytes_to_fill(1, -1)
    assert littles_law.bytes_to_fill(1, 0) == 0
