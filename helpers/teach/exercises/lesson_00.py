"""Exercises of lesson 00: Your first kernel."""

from helpers.teach.exercises.marking import Code, Number
from helpers.testing import matrices

EXERCISES = {
    "00.1": Code(
        statement="Complete one line: element `i` of `out` is element `i` of `x`, squared.",
        launcher="square",
        takes=("float32",),
        gives=("float32",),
        solution="solution_square",
        reference=lambda x: x * x,
        hint="C++ has no operator for powers: multiply x[i] by itself",
        as_given="out[i] = 0;",
        wrong={
            ("x[i] * x[i]", "2 * x[i]"): "WRONG",
            ("if (i < n)", ""): "is the index tested against n?",
        },
    ),
    "00.2": Number(
        statement="How many blocks of 256 threads does it take for a million elements?",
        answer=lambda: -(-1_000_000 // 256),
        unit="blocks",
        hint="divide the elements by the threads of a block, and round up",
        tolerance=0,
        wrong={
            3906: "so many blocks are full, and some elements are left: who has those?",
            1_000_000: "that is one thread a block; a block has 256",
        },
    ),
    "00.3": Code(
        statement="Change one line so that `out` is `x` in reverse order.",
        launcher="reverse",
        takes=("float32",),
        gives=("float32",),
        solution="solution_reverse",
        reference=lambda x: x.flip(0),
        hint="the last element has the index n - 1, and the first one goes there",
        as_given="if (i < n) out[i] = x[i];",
        wrong={
            ("n - 1 - i", "n - i"): "WRONG",
        },
    ),
    "00.4": Code(
        statement=(
            "This file computes `out = -x`, but only if `n` is a multiple of the block size. "
            "Make it right for every `n`: change the launcher, then the kernel."
        ),
        launcher="negate",
        takes=("float32",),
        gives=("float32",),
        solution="solution_negate",
        reference=lambda x: -x,
        hint="round the blocks up; then some threads have no element, and must do nothing",
        as_given=("blocks = n / block_size;", "threadIdx.x; out[i] = -x[i];"),
        wrong={
            ("if (i < n)", ""): "is the index tested against n?",
            ("(n + block_size - 1)", "n"): "WRONG",
            ("if (i < n)", "if (i < n - 1)"): "WRONG",
        },
    ),
    "00.5": Code(
        statement=(
            "Complete the kernel: element (row, column) of `x` becomes element (column, row) "
            "of `out`."
        ),
        launcher="transpose",
        takes=("float32",),
        gives=("float32",),
        solution="solution_transpose",
        reference=lambda x: x.T,
        hint=(
            "a row of x has `columns` elements, a row of out has `rows`; the guard tests the "
            "row and the column"
        ),
        cases=matrices.moved(lambda x: x.T),
        as_given="int64_t columns) {}",
        wrong={
            ("column * rows + row", "row * columns + column"): "WRONG",
            ("row < rows && ", ""): "WRONG",
            ("column < columns", "column <= columns"): "WRONG",
        },
    ),
}
