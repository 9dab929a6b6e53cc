"""Exercises of lesson 02: V2: four elements as one float4."""

from helpers import specs
from helpers.model import ladder
from helpers.teach.exercises import technique
from helpers.teach.exercises.marking import Code, Number

H200 = specs.gpu("H200 SXM")


def bytes_in_flight() -> int:
    """Return the bytes of loads that V2 keeps in flight on a full H200: two inputs a thread."""
    threads = H200.sm_count * H200.capability.max_threads_per_sm
    return threads * 2 * ladder.version("V2").bytes_per_thread


EXERCISES = {
    "02.1": Number(
        statement=(
            "With 2,048 threads on each of 132 multiprocessors, how many bytes of loads does "
            "V2 keep in flight on the H200?"
        ),
        answer=bytes_in_flight,
        unit="bytes",
        hint="each thread has asked for one float4 from a and one from b before it waits",
        tolerance=0,
        wrong={
            4325376: "that is one float4 a thread, and it asks for one of a and for one of b",
        },
    ),
    "02.2": Number(
        statement="V2 runs on 1,000,003 elements. How many of them are added by the tail loop?",
        answer=lambda: 1_000_003 % ladder.version("V2").elements_per_thread,
        unit="elements",
        hint="the tail holds what is left after all full groups of four",
        tolerance=0,
        wrong={
            250000: "that is the number of full groups of four: what do they leave?",
        },
    ),
    "02.3": Code(
        statement=(
            "This kernel is nearly V2. What does the checker say, and which line is"
            " wrong? Mend it."
        ),
        launcher="add",
        takes=("float32", "float32"),
        gives=("float32",),
        solution="solution_f32x4",
        reference=lambda a, b: a + b,
        as_given="for (int64_t k = i; k < n - 1; ++k)",
        hint="go through the tail's loop for five elements: which values does k take?",
        technique=(technique.bytes_per_lane(16),),
        wrong={
            ("k < n;", "k < n - 1;"): "WRONG",
            ("i + 4 <= n", "i + 3 <= n"): "WRONG",
            "v1_f32": "4 bytes a lane; 16 are asked",
        },
    ),
    "02.4": Code(
        statement=(
            "Double every element: complete the fast path of this kernel, with one "
            "16-byte load and one 16-byte store a thread."
        ),
        launcher="twice",
        takes=("float32",),
        gives=("float32",),
        solution="solution_twice_f32x4",
        reference=lambda x: 2 * x,
        as_given="if (i + 4 <= n) { } else {",
        hint="the three lines of V2's fast path, with one input instead of two",
        technique=(technique.bytes_per_lane(16), technique.elements_a_thread(4)),
        wrong={
            ("2 * v.w", "v.w"): "WRONG",
            ("2 * v.x, 2 * v.y", "2 * v.y, 2 * v.x"): "WRONG",
        },
    ),
}
