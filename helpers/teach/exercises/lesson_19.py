"""Exercises of lesson 19: Testing kernels."""

from collections.abc import Iterator

import torch

from helpers.run import machine
from helpers.run.launcher import Launcher
from helpers.teach.exercises import technique
from helpers.teach.exercises.marking import Choice, Code, Number
from helpers.teach.exercises.testers import KernelTest, Survivor
from helpers.testing import kernel_cases
from helpers.testing.cases import Case
from helpers.testing.wrong_kernels import FAMILY, STORE, Variant

SMALL = 3000  # elements: a few blocks, so that a case takes milliseconds
TOWARDS_ZERO = Variant(
    "towards_zero",
    "add",
    "rounds towards zero",
    ((STORE, "if (i < n) out[i] = __fadd_rz(a[i], b[i]);"),),
)


def small_sums(launcher: Launcher) -> Iterator[Case]:
    """Yield the cases of a sum of at most SMALL elements."""
    for case in kernel_cases.sums(launcher):
        if isinstance(case, Case) and case.inputs[0].numel() <= SMALL:
            yield case


def spot_check(kernel: Launcher) -> bool:
    """Accept an addition of 1,003 random numbers, exact to the bit, into a poisoned output."""
    a, b = torch.randn(2, 1003, device=machine.present().device)
    out = torch.full_like(a, torch.nan)
    kernel(a, b, out)
    return torch.equal(out, a + b)


EXERCISES = {
    "19.1": Choice(
        statement=(
            "A learner's test calls PyTorch first, `torch.add(a, b, out=out)`, keeps a copy, "
            "and then calls the kernel with the same `out`. The kernel leaves out every "
            'second element. Which would have found it: "sizes", "poison", "special values", '
            '"order" or "streams"?'
        ),
        choices=("sizes", "poison", "special values", "order", "streams"),
        answer=lambda: "poison",
        hint=(
            "what do the elements hold that the kernel leaves out? What would they have to "
            "hold?"
        ),
        wrong={
            "sizes": "every size would look right here: `out` holds the right sums already",
        },
    ),
    "19.2": Number(
        statement=(
            "What is the smallest number of elements at which suspect 7 computes an index "
            "that is not the right one?"
        ),
        answer=lambda: (1 << 31) + 1,
        unit="elements",
        hint="an int holds at most 2^31 - 1, and indices start at 0",
        tolerance=0,
        wrong={
            2147483648: "the last index is then 2^31 - 1, which an int still holds",
        },
    ),
    "19.3": Code(
        statement=(
            "This difference looks at the address of `a` alone. Mend the condition, so that "
            "every slice is right and aligned tensors still move 16 bytes at once."
        ),
        launcher="subtract",
        takes=("float32", "float32"),
        gives=("float32",),
        solution="solution_any_start",
        reference=lambda a, b: a - b,
        hint="the 16-byte way needs three addresses that are multiples of 16, not one",
        technique=(technique.bytes_per_lane(16), technique.elements_a_thread(4)),
        as_given="= reinterpret_cast<uintptr_t>(a) % 16 == 0",
        wrong={
            (" | reinterpret_cast<uintptr_t>(out)", ""): "WRONG",
            ("% 16 == 0", "% 8 == 0"): "WRONG",
            ("% 16 == 0", "% 16 == 1"): "16 are asked",
        },
    ),
    "19.4": Code(
        statement=(
            "This product of two tensors has four faults. Mend them all, if you can"
            " before you ask."
        ),
        launcher="multiply",
        takes=("float32", "float32"),
        gives=("float32",),
        solution="solution_four_faults",
        reference=lambda a, b: a * b,
        hint=(
            "the type of the index, its blockDim.x, the comparison with n, the stream of the "
            "launch"
        ),
        wrong={
            ("i < n", "i <= n"): "WRONG",
        },
    ),
    "19.5": Code(
        statement="Change one line of this sum, so that no addition can be lost.",
        launcher="total",
        takes=("float32",),
        gives=("float32",),
        solution="solution_total",
        reference=torch.sum,
        cases=small_sums,
        hint="lesson 14 adds the sums of the blocks by an atomic: atomicAdd(pointer, number)",
        as_given="*out += part[0];",
        wrong={
            ("atomicAdd(out, part[0])", "*out = *out + part[0]"): "race",
            ("        __syncthreads();\n", ""): "race",
        },
    ),
    "19.6": KernelTest(
        statement=(
            "Write a test: a function that takes an addition of float32 numbers and returns "
            "True or False. It is tried on two kernels that are right and on four that are "
            "wrong."
        ),
        hint=(
            "call the kernel for several sizes, on an output full of NaN, with zeros of both "
            "signs among the numbers, and compare bits: x.view(torch.int32)"
        ),
        right=(FAMILY["right_add"], FAMILY["backwards"]),
        wrong={
            FAMILY["multiples_of_the_block"]: "which sizes does the test try?",
            FAMILY["needs_zeros"]: "what does the output hold before the call?",
            TOWARDS_ZERO: "an addition of two floats is exact to the last bit: no tolerance",
            FAMILY["negative_zero"]: (
                "-0.0 == 0.0 is true: compare the bits, by x.view(torch.int32)"
            ),
        },
    ),
    "19.7": Survivor(
        statement=(
            "`spot_check` has no tolerance, an odd size and a poisoned output. Write an "
            "addition that it accepts and that `check` rejects."
        ),
        launcher="add",
        takes=("float32", "float32"),
        gives=("float32",),
        solution="solution_survivor",
        reference=lambda a, b: a + b,
        hint="take one of the suspects, and ask for each line of spot_check what it tries",
        test=spot_check,
        wrong={
            ("const int i =", "const int64_t i ="): "this kernel is not wrong",
            ("a[i] + b[i]", "a[i]"): "the test finds",
        },
    ),
    "19.8": Number(
        statement=(
            "A test of a float16 addition is to try every pair of inputs. How many seconds "
            "does that take on an H200 at 4,400 GB/s, at 6 bytes a pair?"
        ),
        answer=lambda: (1 << 32) * 6 / 4400e9,
        unit="s",
        hint=(
            "a float16 has 16 bits: how many pairs are there? Each is read, and its sum written"
        ),
        wrong={
            8.9367e-08: "that is every number once, not every pair",
        },
    ),
}
