"""Exercises of lesson 02: V2: four elements as one float4."""

from helpers import specs
from helpers.model import ladder
from helpers.teach.exercises.marking import Code, Number

H200 = specs.gpu("H200 SXM")


def bytes_in_flight() -> int:
    """Return the bytes of loads that V2 keeps in flight on a full H200: two inputs a thread."""
    threads = H200.sm_count * H200.capability.max_threads_per_sm
    return threads * 2 * ladder.version("V2").bytes_per_thread


EXERCISES = {
    "02.1": Number(
        answer=lambda: 1_000_003 % ladder.version("V2").elements_per_thread,
        unit="elements",
        hint="the tail holds what is left after all full groups of four",
        tolerance=0,
    ),
    "02.2": Code(
        reference=lambda a, b: a + b,
        hint=(
            "when exactly four are left, are they a full group? And where does the tail's "
            "loop have to end?"
        ),
    ),
    "02.3": Number(
        answer=bytes_in_flight,
        unit="bytes",
        hint="each thread has asked for one float4 from a and one from b before it waits",
        tolerance=0,
    ),
}
