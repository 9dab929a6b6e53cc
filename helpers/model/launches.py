"""Describe the launches of the kernels that were recorded beside the ladder.

The template's operators and steps, PyTorch's and CuPy's elementwise kernels: what
`ceilings.predict` needs to know of each. Left out are kernels whose arithmetic counts (GELU),
and those whose launch no source describes.
"""

from __future__ import annotations

from helpers.errors import UnknownNameError
from helpers.model.arguments import Rate, checked
from helpers.model.dtypes import ITEM_BYTES
from helpers.model.ladder import launch_shape
from helpers.model.launch_shape import WIDEST_LOAD, LaunchShape

READS = {"add": 2, "relu": 1, "scale": 1, "multiply_add": 3, "cast": 1}
"""Tensors that an operator of the template reads."""

TEMPLATE_THREADS = 256  # a block; one pack a thread (kernels/elementwise.cuh)
CUPY_THREADS = 128  # a block; one element a thread (cupy/_core/_kernel.pyx, block_size=128)

_STEPS = ("step1_functor", "step3_pack", "step4_alignment", "step5_tail")


def _bytes(dtype: str) -> int:
    if dtype not in ITEM_BYTES:
        raise UnknownNameError(f"no dtype {dtype!r}; there are {', '.join(ITEM_BYTES)}")
    return ITEM_BYTES[dtype]


def _reads(operator: str) -> int:
    if operator not in READS:
        raise UnknownNameError(f"no launch is known of {operator!r}; known are {list(READS)}")
    return READS[operator]


@checked
def template_shape(operator: str, dtype: str) -> LaunchShape:
    """Return the launch of an operator of the template on aligned tensors; dtype: its output's.

    Raises KeyError for an operator or a dtype that is not described here.
    """
    out_bytes, reads = _bytes(dtype), _reads(operator)
    element_bytes = ITEM_BYTES["float32"] if operator == "cast" else out_bytes
    return LaunchShape(
        WIDEST_LOAD // element_bytes,
        element_bytes,
        TEMPLATE_THREADS,
        reads=reads,
        out_bytes=out_bytes,
    )


@checked
def step_shape(kernel: str, pack_bytes: Rate = WIDEST_LOAD) -> LaunchShape:
    """Return the launch of a step, out = x * x in float16.

    pack_bytes: what the address of a sliced tensor leaves step 4 of its 16.
    Raises KeyError for a step that is not described here.
    """
    if kernel not in _STEPS:
        raise UnknownNameError(f"no launch is known of {kernel!r}; known are {_STEPS}")
    element_bytes = ITEM_BYTES["float16"]
    elements = 1 if kernel == "step1_functor" else int(pack_bytes) // element_bytes
    return LaunchShape(elements, element_bytes, TEMPLATE_THREADS, reads=1)


@checked
def cupy_shape(operation: str, dtype: str) -> LaunchShape:
    """Return the launch of CuPy's `add`, or of its cast from float32; dtype: the output's."""
    out_bytes, reads = _bytes(dtype), _reads(operation)
    element_bytes = ITEM_BYTES["float32"] if operation == "cast" else out_bytes
    return LaunchShape(1, element_bytes, CUPY_THREADS, reads=reads, out_bytes=out_bytes)


@checked
def recorded_shape(kernel: str, dtype: str, parameter: float | None = None) -> LaunchShape:
    """Return the launch of a kernel by its name in data/held_out.csv.

    Raises KeyError for a kernel whose launch is not known.
    """
    source, _, operation = kernel.rpartition(" ")
    if source == "CuPy":
        return cupy_shape(operation, dtype)
    if source == "torch" and operation == "add":
        return launch_shape("torch.add", dtype)
    if kernel.startswith("step"):
        return step_shape(kernel, WIDEST_LOAD if parameter is None else parameter)
    if operation not in READS:
        raise UnknownNameError(f"no launch is known of {kernel!r}")
    return template_shape(operation, dtype)
