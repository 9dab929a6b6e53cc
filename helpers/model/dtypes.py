"""Name the data types of the course's kernels. No torch needed."""

from __future__ import annotations

ITEM_BYTES = {"float32": 4, "float16": 2, "bfloat16": 2}
"""Bytes of one element."""

LAUNCHER_SUFFIX = {"float32": "", "float16": "_f16", "bfloat16": "_bf16"}
"""Ending of the launcher's name in a kernel file that has one launcher for each dtype."""


def dtype_name(dtype) -> str:
    """Return the name of a dtype without its module: "float16" for `torch.float16`."""
    name = str(dtype).removeprefix("torch.")
    if isinstance(dtype, str) or type(dtype).__name__ == "dtype":
        return name
    raise TypeError(f"dtype is {dtype!r}: give a dtype such as torch.float16, or its name")
