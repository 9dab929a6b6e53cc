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
    latency = 700.0
    reads = littles_law.latency_bound_GBps(h200, 2048, 4, latency)
    assert reads == pytest.approx(132 * 2048 * 4 / 700)
    assert littles_law.latency_bound_GBps(h200, 2048, 32, latency) == h200.dram_GBps
    assert littles_law.latency_bound_GBps(h200, 2048, 32, latency, roof_GBps=4000) == 4000
    assert littles_law.bytes_to_fill(reads, latency) == pytest.approx(
        littles_law.bytes_in_flight(h200, 2048, 4)
    )
    with pytest.raises(ValueError, match="2048"):
        littles_law.bytes_in_flight(h200, 2049, 4)
