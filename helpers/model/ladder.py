"""List the versions of C = A + B and their facts: the one table that all modules read.

`tests/model/test_ladder.py` holds this table to the kernels' files and to the notebooks. The
block sizes are the article's: 256 elements to a block each.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from helpers.errors import UnknownNameError
from helpers.model.arguments import checked
from helpers.model.dtypes import ITEM_BYTES
from helpers.model.launch_shape import LaunchShape

FLOAT32 = ("float32",)
FLOAT16 = ("float16", "bfloat16")


@dataclass(frozen=True)
class Version:
    """One version of the ladder. Bytes are of one thread and one input tensor."""

    name: str  # of its file in kernels/
    dtypes: tuple[str, ...]  # one launcher each; the first is the default
    elements_per_thread: int  # neighbours
    bytes_per_load: int  # of one load instruction; tensors must be aligned to it
    block_size: int  # threads
    colour: str  # Okabe and Ito's, apart also for the colour-blind
    marker: str  # matplotlib's; tells the versions apart in grey

    @property
    def label(self) -> str:
        """The version's short name: "V1", "V2" and so on."""
        return self.name.partition("_")[0].upper()

    @property
    def element_bytes(self) -> int:
        """Bytes of one element, the same in each of its dtypes."""
        return ITEM_BYTES[self.dtypes[0]]

    @property
    def bytes_per_thread(self) -> int:
        """Bytes that one thread reads of one input: also the distance from lane to lane."""
        return self.elements_per_thread * self.element_bytes

    @property
    def shape(self) -> LaunchShape:
        """The launch as the article makes it, for `ceilings.predict`."""
        return LaunchShape(
            self.elements_per_thread,
            self.element_bytes,
            self.block_size,
            load_bytes=self.bytes_per_load,
            lane_stride=self.bytes_per_thread,
        )


VERSIONS = (
    Version("v1_f32", FLOAT32, 1, 4, 256, "#0072B2", "o"),
    Version("v2_f32x4", FLOAT32, 4, 16, 64, "#56B4E9", "s"),
    Version("v3_f16", FLOAT16, 1, 2, 256, "#D55E00", "^"),
    Version("v4_f16x2", FLOAT16, 2, 4, 128, "#E69F00", "v"),
    Version("v5_f16x8", FLOAT16, 8, 4, 32, "#CC79A7", "D"),
    Version("v6_f16x8_pack", FLOAT16, 8, 16, 32, "#009E73", "P"),
)
NAMES = tuple(version.name for version in VERSIONS)
SHAPES = {version.name: version.shape for version in VERSIONS}
"""Each version's launch as the article makes it, by the name of its file."""

TORCH_ADD = {
    # PyTorch's vectorised kernel: 128 threads of 8 elements, loaded 16 bytes at a time
    # (num_threads and elems_per_thread in aten/src/ATen/native/cuda/CUDALoops.cuh)
    name: LaunchShape(8, ITEM_BYTES[name], 128)
    for name in (*FLOAT32, *FLOAT16)
}
"""The launch of `torch.add`, by dtype."""


@checked
def version(name: str) -> Version:
    """Find a version by its file's name ("v5_f16x8") or its label ("V5").

    Raises UnknownNameError, a ValueError, for any other name.
    """
    for candidate in VERSIONS:
        if name in (candidate.name, candidate.label):
            return candidate
    labels = [candidate.label for candidate in VERSIONS]
    raise UnknownNameError(
        f"{name!r} is not a version of the ladder: give one of {labels} or {NAMES}"
    )


@checked
def dtypes(kernel: str) -> tuple[str, ...]:
    """List the dtypes in which a version, or "torch.add", is measured.

    Raises UnknownNameError, a ValueError, for any other kernel.
    """
    return tuple(TORCH_ADD) if kernel == "torch.add" else version(kernel).dtypes


@checked
def launch_shape(
    kernel: str, dtype: str = "float32", block_size: int | None = None
) -> LaunchShape:
    """Return the launch of a kernel by its name in the records: a version, or "torch.add".

    `block_size` replaces the article's; torch.add chooses its own.
    Raises KeyError for an unknown kernel or dtype.
    """
    if kernel == "torch.add":
        if dtype not in TORCH_ADD:
            raise UnknownNameError(
                f"no shape for torch.add of {dtype}; known are {list(TORCH_ADD)}"
            )
        return TORCH_ADD[dtype]
    if kernel not in SHAPES:
        raise UnknownNameError(
            f"no shape for kernel {kernel!r}; known are {[*NAMES, 'torch.add']}"
        )
    if dtype not in ITEM_BYTES:
        raise UnknownNameError(f"no dtype {dtype!r}; there are {', '.join(ITEM_BYTES)}")
    shape = SHAPES[kernel]
    return shape if block_size is None else replace(shape, block_size=block_size)
