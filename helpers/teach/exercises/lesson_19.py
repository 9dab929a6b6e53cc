"""Exercises of lesson 19: Testing kernels."""

from helpers.teach.exercises.marking import Choice, Code, Number

EXERCISES = {
    "19.1": Number(
        answer=lambda: (1 << 32) * 6 / 4400e9,
        unit="s",
        hint=(
            "a float16 has 16 bits: how many pairs are there? Each is read, and its sum written"
        ),
    ),
    "19.2": Number(
        answer=lambda: (1 << 31) + 1,
        unit="elements",
        hint="an int holds at most 2^31 - 1, and indices start at 0",
        tolerance=0,
    ),
    "19.3": Choice(
        answer=lambda: "poison",
        hint=(
            "what do the elements hold that the kernel leaves out? What would they have to "
            "hold?"
        ),
    ),
    "19.4": Code(
        reference=lambda a, b: a * b,
        hint=(
            "the type of the index, its blockDim.x, the comparison with n, the stream of the "
            "launch"
        ),
    ),
}
