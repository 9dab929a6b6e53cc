"""Exercises of lesson 19: Testing kernels."""

from helpers.teach.exercises.marking import Choice, Code, Number

EXERCISES = {
    "19.1": Number(
        statement=(
            "A test of a float16 addition is to try every pair of inputs. How many "
            "seconds does that take on an H200 at 4,400 GB/s, at 6 bytes a pair?"
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
    "19.2": Number(
        statement=(
            "What is the smallest number of elements at which suspect 7 computes an"
            " index that is not the right one?"
        ),
        answer=lambda: (1 << 31) + 1,
        unit="elements",
        hint="an int holds at most 2^31 - 1, and indices start at 0",
        tolerance=0,
        wrong={
            2147483648: "the last index is then 2^31 - 1, which an int still holds",
        },
    ),
    "19.3": Choice(
        statement=(
            "A learner's test calls PyTorch first, `torch.add(a, b, out=out)`, "
            "keeps a copy, and then calls the kernel with the same `out`. The "
            "kernel leaves out every second element. Which of the checker's means "
            'would have found it: "sizes", "poison", "special values", "order" or '
            '"streams"?'
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
    "19.4": Code(
        statement=(
            "This product of two tensors has four faults. Mend them all, if you can"
            " before you ask."
        ),
        launcher="multiply",
        takes=("float32", "float32"),
        gives=("float32",),
        solution="four_faults",
        reference=lambda a, b: a * b,
        hint=(
            "the type of the index, its blockDim.x, the comparison with n, the stream of the "
            "launch"
        ),
        wrong={
            ("i < n", "i <= n"): "WRONG",
        },
    ),
}
