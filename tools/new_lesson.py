"""Make the files of a new lesson: the notebook, its solutions, its exercises.

    python -m tools.new_lesson 21 tensor_cores "Tensor cores: a matrix an instruction"

Then write the lesson, and run `python -m helpers.teach.lessons` (the README's table, titles in
links, the previous lesson's "Next"), `python -m tools.execute_notebooks 21` and `make test`.
"""

from __future__ import annotations

import argparse
import re
import sys
from pathlib import Path

import nbformat
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from helpers.teach import lessons
from helpers.teach.lessons import first_cell, solutions_of

ROOT = Path(__file__).resolve().parent.parent

OPENING = """\
# {number} · {title}

**The claim, in one sentence that the measurements below bear out.**

| | |
|---|---|
| Before this | {before} |
| You will be able to | one verb each; predict what; measure what; explain what |
| Time | 45 minutes |
| GPU | not needed; without one, kernels run on the emulator and times are recorded ones |

The question, and why the reader should care.
Name the source that the lesson follows, with thanks ([Sources](../README.md#sources)).
"""
PREDICT = """\
## Predict

What decides the time, and what time follows from it?
The reader guesses first: a guess stands before each measurement, `guesses.compare` after it."""
GUESS = """\
from helpers import guesses

guesses.take("{number}: {topic}, 2^28 elements", None, "us")"""
WRITE = """\
## Write

Explain each new word of the file before the cell."""
KERNEL = """\
%%writefile ../kernels/{topic}.cu
// What this version changes. A thread's share; bytes per load; block size.
#include <cuda_runtime.h>

#include <cstdint>

__global__ void {topic}_f32(const float* x, float* out, int64_t n) {{
    const int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < n) out[i] = 2.0f * x[i];
}}

extern "C" void {topic}(const float* x,  // [n]
                        float* out,      // [n]
                        int64_t n, int block_size = 256, cudaStream_t stream = 0) {{
    const int64_t blocks = (n + block_size - 1) / block_size;
    {topic}_f32<<<static_cast<unsigned>(blocks), block_size, 0, stream>>>(x, out, n);
}}
"""
MACHINE = """\
from helpers import machine

print(machine.present())"""
CHECK = """\
from helpers import check, jit

kernel = jit.load("{topic}")
check.check(kernel, lambda x: 2 * x)"""
MEASURE = """\
## Measure

Never time what has not been checked.
A new kernel's times are an experiment of `helpers/measure/experiments`, recorded in `data/`.
Show the rows, then `guesses.compare(...)`, then `plots.kernel_rooflines(rows, card)`.
That draws this kernel as a point below the roofs of the RTX 5090 and of this machine.
Read something from the picture, in a sentence.

**1.** How many bytes does an element of `out = 2 * x` move in float32?"""
CLOSING = """\
<details><summary>Hint</summary>

Hints are folded, and come in steps.

</details>

## What you saw

- One sentence for each result, three to five of them.

It rests on: the measured cells above, or the files of `data/` that they show.

## Exercises

They stand above, where they belong; at least half of them are code.
Worked solutions: [{solutions}]({solutions})."""
EXERCISE = """\
from helpers import exercises

answer = None
exercises.mark("{number}.1", answer)"""
LAST = "Next: [00 · Your first kernel](00_first_kernel.ipynb)"

SOLUTIONS = """\
# Solutions to {number} · {title}

Try them yourself first: [{file}](../{file}).

**1.** Four are read, four are written."""
SOLUTION = """\
from helpers import exercises

exercises.mark("{number}.1", 2 * 4)"""

MARKING = '''\
"""Exercises of lesson {number}: {title}."""

from helpers.model.dtypes import ITEM_BYTES as BYTES
from helpers.teach.exercises.marking import Number

EXERCISES = {{
    "{number}.1": Number(
        statement="How many bytes does an element of `out = 2 * x` move in float32?",
        answer=lambda: 2 * BYTES["float32"],
        unit="bytes per element",
        hint="one tensor is read and one is written",
        tolerance=0,
        wrong={{4: "what is written counts, too"}},
    ),
}}
'''


def notebook(*cells: nbformat.NotebookNode) -> str:
    """Return the text of a notebook that was not executed yet."""
    kernel = {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"}
    made = new_notebook(cells=list(cells), metadata={"kernelspec": kernel})
    return nbformat.writes(made) + "\n"


def files(number: str, topic: str, title: str, before: str) -> dict[str, str]:
    """Return the text of each file of a lesson, by its path in the course."""
    file = f"{number}_{topic}.ipynb"
    solved = solutions_of(Path("notebooks", file))
    facts = {"number": number, "topic": topic, "title": title, "file": file, "before": before}
    facts["solutions"] = solved.relative_to("notebooks").as_posix()
    ignore = {"tags": ["nbval-ignore-output"]}
    lesson = notebook(
        new_markdown_cell(OPENING.format(**facts)),
        new_code_cell(first_cell(Path("notebooks", file)), metadata=ignore),
        new_code_cell(MACHINE, metadata=ignore),
        new_markdown_cell(PREDICT),
        new_code_cell(GUESS.format(**facts)),
        new_markdown_cell(WRITE),
        new_code_cell(KERNEL.format(**facts), metadata=ignore),
        new_code_cell(CHECK.format(**facts)),
        new_markdown_cell(MEASURE),
        new_code_cell(EXERCISE.format(**facts)),
        new_markdown_cell(CLOSING.format(**facts)),
        new_markdown_cell(LAST),
    )
    solutions = notebook(
        new_markdown_cell(SOLUTIONS.format(**facts)),
        new_code_cell(first_cell(solved), metadata=ignore),
        new_code_cell(SOLUTION.format(**facts)),
    )
    return {
        f"notebooks/{file}": lesson,
        solved.as_posix(): solutions,
        f"helpers/teach/exercises/lesson_{number}.py": MARKING.format(**facts),
    }


def main(arguments: list[str] | None = None, root: Path = ROOT) -> int:
    """Write the files. Returns 1 and writes nothing if the number or the topic is not valid."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("number", help="two digits, such as 21")
    parser.add_argument("topic", help="of the files' names, such as tensor_cores")
    parser.add_argument("title", help="of the lesson")
    options = parser.parse_args(arguments)
    if not re.fullmatch(r"\d\d", options.number) or not re.fullmatch(
        r"[a-z]\w*", options.topic
    ):
        print("give two digits, and a topic in small letters, digits and _", file=sys.stderr)
        return 1
    folder = root / "notebooks"
    if taken := sorted(folder.glob(f"{options.number}_*.ipynb")):
        count = len(lessons.read_lessons(folder))
        print(
            f"there is a lesson {options.number} already: {taken[0].name}; "
            f"the next number is {count:02d}",
            file=sys.stderr,
        )
        return 1
    earlier = [path.name for path in sorted(folder.glob("[0-9][0-9]_*.ipynb"))]
    earlier = [name for name in earlier if name < options.number]
    before = f"[{earlier[-1][:2]} · the lesson before]({earlier[-1]})" if earlier else "Python"
    for name, text in files(options.number, options.topic, options.title, before).items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text, encoding="utf-8")
        print(f"wrote {name}")
    print("write the lesson, then run: python -m helpers.teach.lessons")
    return 0


if __name__ == "__main__":
    sys.exit(main())
