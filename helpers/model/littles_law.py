"""Apply Little's law to memory: bytes in flight = bandwidth x latency.

L = lambda W (J. D. C. Little, Operations Research 9, 1961). In units: 1 GB/s x 1 ns = 1 byte.
"""

from __future__ import annotations

from helpers.model.arguments import Amount, checked
from helpers.specs import Gpu


@checked
def bytes_in_flight(gpu: Gpu, resident_threads: int, bytes_per_thread: Amount) -> float:
    """Return the bytes that a whole GPU has in flight: SMs x resident threads x bytes a thread.

    `resident_threads` are those of one SM, `bytes_per_thread` those that each waits for at
    once. Raises ValueError for more threads than an SM holds.
    """
    limit = gpu.capability.max_threads_per_sm
    if not 0 < resident_threads <= limit:
        raise ValueError(
            f"{resident_threads} resident threads: an SM of {gpu.name} holds 1 to {limit}"
        )
    return gpu.sm_count * resident_threads * bytes_per_thread


@checked
def bytes_to_fill(bandwidth_GBps: Amount, latency_ns: Amount) -> float:
    """Return the bytes that must be in flight to reach a bandwidth: GB/s x ns."""
    return bandwidth_GBps * latency_ns
