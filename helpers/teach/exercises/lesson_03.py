"""Exercises of lesson 03: V3: half the bytes."""

import torch

from helpers.model import ceilings
from helpers.model.dtypes import ITEM_BYTES as BYTES
from helpers.model.launch_shape import LaunchShape
from helpers.teach.exercises import technique
from helpers.teach.exercises.marking import Choice, Code, Number

FOUR_A_THREAD = LaunchShape(4, BYTES["float16"], 256)

EXERCISES = {
    "03.1": Number(
        statement="`2048 + 1` in float16 is not 2049. What is it?",
        answer=lambda: (torch.tensor(2048, dtype=torch.float16) + 1).item(),
        unit="(a float16)",
        hint=(
            "from 2048 on, float16 has only even numbers; a tie is rounded to the number whose "
            "last binary digit is 0. Or ask torch"
        ),
        tolerance=0,
        wrong={
            2049: "float16 has no 2049: from 2048 on its numbers are two apart",
            2050: "a tie is rounded to the number whose last binary digit is 0, not up",
        },
    ),
    "03.2": Code(
        statement=(
            "V3's idea for a difference. Complete this file so that it has a second "
            "launcher, `subtract_bf16`, for bfloat16."
        ),
        launcher="subtract_bf16",
        takes=("bfloat16", "bfloat16"),
        gives=("bfloat16",),
        solution="solution_subtract_f16",
        reference=lambda a, b: a - b,
        hint="copy `subtract`, rename it, and let its pointers point to __nv_bfloat16",
        wrong={
            ("__hsub(a[i], b[i])", "__hsub(b[i], a[i])"): "WRONG",
            "v1_f32": "does not take what is asked",
        },
    ),
    "03.3": Code(
        statement=(
            "float32 comes in, float16 goes out: complete this kernel. `__float2half(v)` "
            "rounds a float to the nearest half."
        ),
        launcher="convert",
        takes=("float32",),
        gives=("float16",),
        solution="solution_convert_f16",
        reference=lambda x: x.half(),
        hint="which element is this thread's, and V1's guarded line with __float2half(x[i])",
        as_given="int64_t n) {}",
        wrong={
            ("if (i < n) out[i]", "out[i]"): "WRONG",
        },
    ),
    "03.4": Choice(
        statement=(
            "Let a thread of V3 take four elements instead of one, still in blocks of 256: "
            "`LaunchShape(4, 2, 256)` from `helpers.model.launch_shape`. Which ceiling does "
            "`ceilings.predict` name for it on the H200 at 2²⁸?"
        ),
        choices=tuple(ceilings.CEILINGS),
        answer=lambda: ceilings.predict(FOUR_A_THREAD, 1 << 28, "H200 SXM").ceiling,
        hint="call ceilings.predict(LaunchShape(4, 2, 256), 1 << 28, 'H200 SXM')",
        wrong={
            "bytes in flight": "that is V3's; four elements a thread have four times as many",
        },
    ),
    "03.5": Code(
        statement=(
            "Write that kernel: a thread adds four elements, a block's width (`blockDim.x` "
            "elements) apart. Put a loop in the place of the marked line."
        ),
        launcher="add",
        takes=("float16", "float16"),
        gives=("float16",),
        solution="solution_four_f16",
        reference=lambda a, b: a + b,
        hint="element k of a thread is first + k * blockDim.x, and each of the four is guarded",
        technique=(technique.coalesced, technique.elements_a_thread(4)),
        as_given="+ threadIdx.x; if (first < n) out[first] = __hadd(a[first], b[first]); }",
        wrong={
            ("first + k * blockDim.x", "first + k"): "WRONG",
            "v3_f16": "a thread writes 1 element; 4 are asked",
        },
    ),
}
