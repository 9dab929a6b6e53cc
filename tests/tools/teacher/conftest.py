"""A lesson to read: one question, a picture, a short kernel, two exercises."""

import base64

import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output, writes

from tools.teacher import reading

FIRST = """\
# 01 · V1: one thread

**One thread computes one element.**

| | |
|---|---|
| Before this | nothing |
| You will be able to | count threads; write a kernel |
| Time | {time} |
| GPU | not needed |
"""
KERNEL = """\
%%writefile ../kernels/mine/k.cu
#include <cuda_runtime.h>

__global__ void k(float* out) {
    out[threadIdx.x] = 1;
}

extern "C" void run(float* out) { k<<<1, 32>>>(out); }
"""


def cells(time="30 minutes"):
    picture = new_output("display_data", {"image/png": base64.b64encode(b"PNG").decode()})
    return [
        new_markdown_cell(FIRST.format(time=time)),
        new_code_cell("course.enter()"),
        new_markdown_cell(
            "## Threads\n\nA thread is small. There are many. More follows.\n\n"
            "How many threads are idle, see [here](02_x.ipynb)?\n\n"
            "<details><summary>Hint</summary>\n\nIs it one?\n\n</details>"
        ),
        new_markdown_cell("Ten are idle:\n\n- a list\n  of one"),
        new_code_cell("plots.grid(axes, 10)\nplt.title('ten [threads]')", outputs=[picture]),
        new_code_cell(KERNEL),
        new_code_cell('exercises.mark("01.1", None)'),
        new_markdown_cell(
            "## What you saw\n\n- Was it 10?\n\n## Exercises\n\n**2.** Is it here?"
        ),
        new_code_cell('answer = None\nexercises.mark("01.2", answer)'),
    ]


@pytest.fixture
def lesson(tmp_path):
    """Write the lesson with a time, and read it."""

    def written(time="30 minutes", made=None):
        path = tmp_path / "01_v1_f32.ipynb"
        path.write_text(writes(new_notebook(cells=made or cells(time))), encoding="utf-8")
        return reading.read(path)

    return written
