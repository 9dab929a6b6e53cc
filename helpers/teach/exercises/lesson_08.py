"""Exercises of lesson 08: What the machine executes."""

from helpers.measure import sass
from helpers.specs import WARP_SIZE
from helpers.teach.exercises.marking import Code, Number

EXERCISES = {
    "08.1": Number(
        answer=lambda: sum(sass.read("v5_f16x8", "sm_120").kernel().loads().values()),
        unit="loads",
        hint=(
            "`sass.read('v5_f16x8', 'sm_120').kernel().loads()` gives {bits: instructions}; "
            "add the instructions"
        ),
        tolerance=0,
    ),
    "08.2": Number(
        answer=lambda: WARP_SIZE * 16,
        unit="bytes",
        hint=(
            "each of its three instructions moves the same: the lanes of a warp times the "
            "bytes of one lane"
        ),
        tolerance=0,
    ),
    "08.3": Code(
        reference=lambda x: 2 * x,
        hint=(
            "start from V6: `half2 pack[4]`, filled and emptied through `uint4`, `__hmul2` "
            "in between, and the tail loop"
        ),
    ),
    "08.4": Number(
        answer=lambda: 2,
        unit="additions",
        hint="x * 1 + y is an addition; zero times zero is none",
        tolerance=0,
    ),
}
