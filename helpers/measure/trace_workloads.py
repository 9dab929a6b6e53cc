"""List the launches whose memory traffic and branches are counted by ncu and by the trace.

Every kernel of the course stands here, with small inputs of odd sizes, and kernels of
data/trace_kernels/ beside them. Inputs come from integer arithmetic, so that a GPU and the
emulator see the same bits and a branch on the data goes the same ways.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import torch

from helpers import paths
from helpers.run.signature import Declaration, Parameter, declarations
from helpers.sources import source_path

OTHER_KERNELS = paths.DATA / "trace_kernels"
N = 10_007  # elements: a multiple of nothing


@dataclass(frozen=True)
class Workload:
    """One call of a launcher: its file, its name, the extents of its tensors, its scalars."""

    kernel: str  # a stem of kernels/, or of data/trace_kernels/
    launcher: str
    sizes: dict[str, int] = field(default_factory=dict)  # by the names that the shapes use
    arguments: dict[str, int | float] = field(default_factory=dict)
    ints: str = "random"  # what integer inputs hold: a key of `INTEGERS`

    @property
    def path(self) -> Path:
        """The .cu file."""
        other = OTHER_KERNELS / f"{self.kernel}.cu"
        return other if other.is_file() else source_path(self.kernel)

    @property
    def label(self) -> str:
        """The name in tables and records, such as "sums.sum_tree blocks=3"."""
        both = {**self.sizes, **self.arguments}
        words = [f"{name}={value}" for name, value in both.items()]
        return " ".join([f"{self.kernel}.{self.launcher}", *words])

    @functools.cached_property
    def declaration(self) -> Declaration:
        """The launcher as its file declares it."""
        text = self.path.read_text(encoding="utf-8")
        return declarations(text, self.path.name)[self.launcher]

    def tensors(self) -> list[torch.Tensor]:
        """Make the launcher's tensors on the CPU: inputs by formula, outputs of zeros."""
        return [self._tensor(p, place) for place, p in enumerate(self.declaration.tensors)]

    def _tensor(self, parameter: Parameter, place: int) -> torch.Tensor:
        shape = [self._extent(word) for word in parameter.shape]
        if parameter.role == "output":
            return torch.zeros(shape, dtype=parameter.dtype)
        count = int(torch.tensor(shape).prod())
        numbers = _hash(count, place)
        if parameter.dtype.is_floating_point:
            values = (
                numbers % 2048
            ).double() / 1024 - 1  # exact in all our dtypes but bfloat16
        else:
            values = INTEGERS[self.ints](numbers)
        return values.to(parameter.dtype).reshape(shape)

    def _extent(self, word: str) -> int:
        return int(word) if word.isdecimal() else self.sizes.get(word, N)


def _hash(count: int, seed: int) -> torch.Tensor:
    """Return `count` scattered numbers, 0 to 2^24 - 1, the same on every machine."""
    i = torch.arange(count, dtype=torch.int64) + 1_000_003 * seed
    i = (i ^ (i >> 7)) * 40503 % (1 << 24)
    return (i ^ (i >> 11)) * 48271 % (1 << 24)


INTEGERS: dict[str, Callable[[torch.Tensor], torch.Tensor]] = {
    "random": lambda numbers: numbers % 251 - 125,
    "bins": lambda numbers: numbers % 64,
    "indices": lambda numbers: numbers % len(numbers),
    "next": lambda numbers: (torch.arange(len(numbers)) + 33) % len(numbers),
    "sorted": lambda numbers: torch.sort(numbers % 4096).values,
}


def _course() -> list[Workload]:
    ladder = ["v1_f32", "v2_f32x4", "v3_f16", "v4_f16x2", "v5_f16x8", "v6_f16x8_pack"]
    found = [Workload(kernel, "add", arguments={"block_size": 256}) for kernel in ladder]
    found += [Workload("v5_f16x8", "add"), Workload("v5_f16x8", "add_bf16")]
    found += [Workload("split_struct", name) for name in ("add_split", "add_whole")]
    found += [Workload("wide_load", "add")]
    found += [Workload("restrict", name) for name in ("add_may_overlap", "add_no_overlap")]
    steps = ["step1_functor", "step2_grid_stride", "step3_pack", "step4_alignment"]
    for step in [*steps, "step5_tail"]:
        found += [Workload(step, name) for name in ("square", "square_f16")]
    found += [Workload("step6_apply2", name) for name in ("square_singles", "square_pairs")]
    found += [Workload("step7_factory", "divide"), Workload("step8_arity", "dequantise")]
    found += [Workload("op_add", name) for name in ("add", "add_f16", "add_bf16")]
    found += [Workload("op_cast", name) for name in ("cast_f16", "cast_bf16")]
    found += [Workload("op_fma", name) for name in ("multiply_add", "multiply_add_f16")]
    found += [Workload("op_relu", name) for name in ("relu", "relu_f16")]
    found += [Workload("op_gelu", name) for name in ("gelu", "gelu_f16", "gelu_tanh")]
    found += [Workload("op_scale", name, {}, {"alpha": 0.7}) for name in ("scale", "scale_f16")]
    found += [Workload("op_scale", "scale_by")]
    matrix = {"rows": 70, "cols": 136}
    found += [Workload("op_bias_gelu_residual", "bias_gelu_residual", matrix)]
    found += [Workload("op_bias_gelu_residual", "bias_gelu_residual_f16", matrix)]
    found += [Workload("fast_add", name, {}, {"path": 1}) for name in ("add", "add_f16")]
    found += [Workload("fast_cast", "cast_f16", {}, {"path": path}) for path in (1, 2)]
    found += [Workload("layer_norm", "layer_norm", {"rows": 9, "cols": c}) for c in (96, 4100)]
    found += [Workload("layer_norm", "layer_norm_f16", {"rows": 9, "cols": 2048})]
    return found + _course_of_warps() + _course_of_questions()


def _course_of_warps() -> list[Workload]:
    found = [Workload("divergence", name) for name in ("branch", "select_both", "all_long")]
    found += [Workload("divergence", "branch", {}, {"steps": 7})]
    found += [Workload("warp_ids", "warp_ids", {}, {"bx": 16, "by": 6})]
    found += [Workload("warp_sync", name) for name in ("swap_synced", "swap_unsynced")]
    square = {"rows": 130, "cols": 70}
    found += [Workload("bank_conflicts", "transpose", square, {"padding": p}) for p in (0, 1)]
    walks = [{"stride": s, "rounds": 20} for s in (1, 2, 32)]
    found += [Workload("bank_conflicts", "strided_walk", {"n": 1024}, walk) for walk in walks]
    few = {"blocks": 7, "warps": 41}
    partial = ["sum_one_thread", "sum_tree", "sum_shuffle", "sum_block", "sum_two_pass"]
    found += [Workload("sums", name, few) for name in partial]
    found += [
        Workload("sums", "sum_atomic_each"),
        Workload("sums", "sum_atomic", {}, {"blocks": 7}),
    ]
    product = {"m": 70, "n": 90, "k": 50}
    found += [
        Workload("matmul", f"matmul_{k}", product) for k in ("plain", "tile16", "registers")
    ]
    found += [Workload("matmul", "matmul_tile32", product, {"padding": p}) for p in (0, 1)]
    names = ("plain", "4", "6", "8")
    found += [Workload("launch_bounds", f"subtract_max_{k}", {"n": 1003}) for k in names]
    rows = {"m": 300, "n": 20}
    found += [
        Workload("promises", f"row_sums_{k}", rows) for k in ("plain", "assume", "assert")
    ]
    widths = [{"unroll": 4, "load_bytes": bytes_} for bytes_ in (4, 16)]
    reader = {"threads": 640}
    found += [Workload("latency_hiding", "read_sum", reader, more) for more in widths]
    found += [Workload("pointer_chase", "pointer_chase", {"n": 64}, {"steps": 50}, "next")]
    return found


def _course_of_questions() -> list[Workload]:
    """List the kernels that a lesson writes to ask one question."""
    found = [Workload("fma_f32x4", "multiply_add")]
    found += [
        Workload("cache_hints", f"add_{k}") for k in ("plain", "streaming", "evict_first")
    ]
    walks = [{"stride": 3, "start": 5}, {"stride": 8, "start": 0}, {"stride": 1, "start": 3}]
    found += [Workload("strided_copy", "copy_strided", {"m": 9 * N}, walk) for walk in walks]
    names = ("kept", "reused", "reloaded")
    found += [Workload("registers", f"subtract_max_{k}", {"n": 1003}) for k in names]
    found += [Workload("block_bytes", f"add_{width}") for width in (1, 2, 4)]
    rows = [(1024, 8), (1000, 8), (96, 4), (96, 2), (95, 1), (1100, 8)]
    found += [
        Workload("softmax", "softmax", {"rows": 9, "cols": c}, {"width": w}) for c, w in rows
    ]
    found += [Workload("indexed_pack", "pick", {"n": 1003}, {"which": w}) for w in (0, 5)]
    walks = [{"stride": s, "rounds": 20} for s in (0, 1, 2, 8)]
    found += [Workload("wide_walk", "wide_walk", {"n": 1000}, walk) for walk in walks]
    matrix = {"rows": 130, "cols": 70}
    found += [Workload("tile_copy", "tile_copy", matrix, {"down": d}) for d in (0, 1)]
    product = {"m": 70, "n": 90, "k": 50}
    found += [Workload("fewer_blocks", "matmul_fewer", product, {"blocks": 5})]
    found += [Workload("index_width", name) for name in ("add_int64", "add_int")]
    found += [Workload("template_flags", f"square_{k}") for k in ("run_time", "flag", "bounds")]
    found += [Workload("byte_packs", name) for name in ("relu_8", "relu_16", "from_e4m3")]
    ways = [{"narrow_loads": a, "narrow_stores": b} for a in (0, 1) for b in (0, 1)]
    found += [Workload("narrow_wide", "narrow_wide", {"n": 8008}, way) for way in ways]
    mixes = [(1, 0), (3, 1), (2, 1), (1, 1), (1, 2), (0, 1)]
    both = {"n": 12_024, "m": 24_048}
    found += [
        Workload("read_share", "read_share", both, {"reads": r, "writes": w}) for r, w in mixes
    ]
    ways = [{"loads": a, "stores": b} for a in (0, 1) for b in (0, 1)]
    found += [Workload("residency", "residency", {}, way) for way in ways]
    chase = {"links": 64, "n": 4099, "threads": 300}
    found += [Workload("loaded_chase", "loaded_chase", chase, {"steps": 50}, "next")]
    return found


def _others() -> list[Workload]:
    strides = [{"m": N * stride} for stride in (2, 3, 8, 40)]
    found = [Workload("access_patterns", "strided", sizes) for sizes in strides]
    found += [Workload("access_patterns", "shifted", {"m": N, "n": N})]
    found += [Workload("access_patterns", "gather", ints="indices")]
    found += [Workload("access_patterns", name) for name in ("reversed", "every_other")]
    found += [Workload("access_patterns", "row_sums", {"rows": 300, "cols": 33})]
    kinds = "bytes char4 half2 float2 float3 float4 double2 quad three pair".split()
    found += [Workload("widths", f"copy_{kind}", {"n": 9216}) for kind in kinds]
    for bytes_ in (4, 8, 16):
        for stride in (1, 2, 3, 4, 8, 16, 32):
            more = {"stride": stride}
            found.append(Workload("shared_widths", f"walk{bytes_}", {"n": 2048}, more))
    found += [Workload("shared_widths", "tile2", {"bytes": 2048})]
    found += [Workload("branches", "collatz", {"n": 1003})]
    found += [Workload("branches", name, {"n": 1003}) for name in ("nested", "four_ways")]
    bins = {"bins": 64}
    names = ("histogram", "global_histogram")
    found += [Workload("cooperation", name, bins, ints="bins") for name in names]
    found += [Workload("cooperation", name) for name in ("scan", "stencil", "compact")]
    found += [Workload("cooperation", "softmax", {"rows": 100})]
    return found + _more_others()


def _more_others() -> list[Workload]:
    matrix = {"rows": 37, "cols": 101}
    found = [Workload("addresses", name) for name in ("broadcast", "lengths", "pairs")]
    found += [Workload("addresses", name, matrix) for name in ("columns", "blur")]
    found += [Workload("addresses", "search", {"m": 200}, ints="sorted")]
    found += [Workload("ways", name) for name in ("early", "cases")]
    found += [Workload("ways", "sparse", {"rows": 1003, "cells": 12_036}, ints="indices")]
    found += [Workload("ways", "until", {"rows": 1003, "cols": 20})]
    names = ("reverse8", "bytes", "atomics", "count", "cas", "shuffles")
    found += [Workload("shared_blocks", name) for name in names]
    for bytes_ in (8, 16):
        paddings = [{"padding": p} for p in (0, 1)]
        found += [Workload("shared_blocks", f"transpose{bytes_}", {}, p) for p in paddings]
    found += [Workload("shared_blocks", "some16", {"n": 1003})]
    found += [Workload("shared_blocks", "tree", {"blocks": 11})]
    found += [Workload("shared_blocks", "counts", {"n": 1003})]
    return found + _everyday()


def _everyday() -> list[Workload]:
    kernel = "everyday"
    matrix = {"rows": 75, "cols": 101}
    found = [Workload(kernel, name, matrix) for name in ("grid2d", "transpose", "norms")]
    found += [Workload(kernel, "norms", {"rows": 5, "cols": c}) for c in (530, 747)]
    found += [Workload(kernel, "grid_stride", {}, {"blocks": b}) for b in (3, 7)]
    found += [Workload(kernel, name, {"blocks": 3}) for name in ("packs", "blelloch")]
    found += [Workload(kernel, "private_bins", {"bins": 64}, ints="bins")]
    found += [Workload(kernel, name, {"n": 1003}) for name in ("fives", "opcodes", "returns")]
    found += [Workload(kernel, "triangle", {"m": 2200, "n": 1003})]
    found += [Workload(kernel, "far_gather", ints="indices")]
    sparse = {"starts": 1004, "cells": 4200, "rows": 1003}
    return [*found, Workload(kernel, "rows", sparse, ints="sorted")]


COURSE: tuple[Workload, ...] = tuple(_course())
OTHERS: tuple[Workload, ...] = tuple(_others())
WORKLOADS = (*COURSE, *OTHERS)
