"""The exercises' marker: `mark("01.1", answer)` prints whether an answer is right and, if not, a hint.

Numbers are compared with values computed here, kernels with a reference in float64. The worked solutions are
notebooks of their own, in notebooks/solutions/.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import torch

from helpers import specs
from helpers.model import ceilings, coalescing, occupancy, warps
from helpers.run.launcher import Kernel
from helpers.testing import check, kernel_cases


def _plain(number: float) -> str:
    return f"{number:,.0f}" if float(number).is_integer() else f"{number:,.6g}"


@dataclass(frozen=True)
class Number:
    """An exercise whose answer is a number, compared with `value()` to a relative `tolerance`."""

    value: Callable[[], float]
    unit: str
    hint: str
    tolerance: float = 0.01

    def judge(self, answer) -> tuple[bool, str]:
        if isinstance(answer, bool) or not isinstance(answer, (int, float)):
            return (
                False,
                f"the answer must be a number ({self.unit}), not {type(answer).__name__}",
            )
        if math.isclose(answer, self.value(), rel_tol=self.tolerance):
            return True, f"right: {_plain(answer)} {self.unit}"
        return False, f"{_plain(answer)} {self.unit} is not it. Hint: {self.hint}"


@dataclass(frozen=True)
class Choice:
    """An exercise whose answer is one of a few words."""

    right: str
    hint: str

    def judge(self, answer) -> tuple[bool, str]:
        if isinstance(answer, str) and answer.strip().lower() == self.right.lower():
            return True, f"right: {self.right}"
        return False, f"{answer!r} is not it. Hint: {self.hint}"


@dataclass(frozen=True)
class Code:
    """An exercise whose answer is a kernel, loaded by jit.load, compared with `reference` to `ulp`."""

    reference: Callable[..., torch.Tensor]
    hint: str
    ulp: float = 0
    cases: Callable | None = None

    def judge(self, answer) -> tuple[bool, str]:
        if not isinstance(answer, Kernel):
            return (
                False,
                f"the answer must be what jit.load returns, not {type(answer).__name__}",
            )
        verdict = check.verdict(answer, self.reference, ulp=self.ulp, cases=self.cases)
        return verdict.ok, verdict.message + ("" if verdict.ok else f"\n    Hint: {self.hint}")


def _mirrored(x: torch.Tensor) -> torch.Tensor:
    """Each group of 32 elements, and the rest, in reverse."""
    return torch.cat([group.flip(0) for group in x.split(32)])


EXERCISES: dict[str, Number | Choice | Code] = {
    "00.1": Number(
        lambda: 8,
        "bytes per element",
        "three float16 tensors are read and one is written; how many bytes has a float16?",
    ),
    "00.2": Number(
        lambda: 12 * (1 << 26) / specs.gpu("A100 40GB SXM").dram_GBps / 1e3,
        "us",
        "bytes = 12 x elements; GB/s are 1e9 bytes a second, so bytes / (GB/s) / 1e3 is in microseconds",
    ),
    "00.3": Number(
        lambda: specs.gpu("T4").ridge_flop_per_byte * 12,
        "additions per element",
        "at the ridge the intensity is peak / bandwidth FLOP per byte; an element moves 12 bytes",
    ),
    "01.1": Number(
        lambda: -1_000_003 % 256,
        "idle threads",
        "blocks = elements / 256 rounded up; all their threads minus the elements are idle",
        tolerance=0,
    ),
    "01.2": Code(
        lambda a, b: a * b,
        "start from V1: one thread, one element, the test i < n, and * in the place of +",
    ),
    "01.3": Code(
        lambda x: 2 * x,
        "the launcher is `scale(const float* x, float* out, int64_t n, ...)`, so only one tensor is read",
    ),
    "02.1": Number(
        lambda: 1_000_003 % 4,
        "elements",
        "the tail holds what is left after all full groups of four",
        0,
    ),
    "02.2": Code(
        lambda a, b: a + b,
        "when exactly four are left, are they a full group? And where does the tail's loop have to end?",
    ),
    "02.3": Number(
        lambda: 132 * 2048 * 32,
        "bytes",
        "each thread has asked for one float4 from a and one from b before it waits",
        tolerance=0,
    ),
    "03.1": Number(
        lambda: 96 * specs.MIB // 6,
        "elements",
        "an element has two bytes in each of three tensors",
        tolerance=1e-6,
    ),
    "03.2": Number(
        lambda: (torch.tensor(2048, dtype=torch.float16) + 1).item(),
        "(a float16)",
        "from 2048 on, float16 has only even numbers; a tie is rounded to the even mantissa. Or ask torch",
        tolerance=0,
    ),
    "03.3": Choice(
        "bytes in flight",
        "call ceilings.predict(ladder.SHAPES['v3_f16'], 1 << 28, 'H200 SXM')",
    ),
    "04.1": Number(
        lambda: (1 << 26) / 256 / 1.66e3,
        "us",
        "262,144 blocks; 1.66e9 a second are 1,660 a microsecond",
    ),
    "04.2": Number(
        lambda: 4400 / 1.66,
        "bytes",
        "in a second 1.66e9 blocks start and 4,400e9 bytes move: how many bytes are that for each block?",
    ),
    "04.3": Code(
        lambda a, b: a * b,
        "start from V4: __hmul2 in the place of __hadd2, __hmul for the odd one at the end",
    ),
    "05.1": Number(
        lambda: (1 << 28) / (64 * 8),
        "blocks",
        "a block covers its threads times eight elements",
        0,
    ),
    "05.2": Number(
        lambda: 32,
        "sectors",
        "two lanes that are 32 bytes apart never share a sector of 32 bytes",
        0,
    ),
    "05.3": Code(
        lambda a, b: a + b,
        "a warp covers 256 elements: pair k of lane t starts at element 256 * warp + 2 * (32 * k + t). Warps that "
        "do not have 256 elements left add one element at a time",
    ),
    "06.1": Number(lambda: 16, "elements", "an int8 has one byte", 0),
    "06.2": Code(
        lambda x: x.abs(),
        "start from V6, drop y, and use __habs2 on each of the four pairs; __habs in the tail",
    ),
    "06.3": Number(
        lambda: 4 * (1 << 28) / 4400e3,
        "us",
        "2 bytes are read and 2 are written for each element; GB/s are 1e9 bytes a second",
    ),
    "07.1": Number(
        lambda: 12 * (1 << 24) / specs.MIB,
        "MiB",
        "three tensors of 4 bytes an element",
        tolerance=0,
    ),
    "07.2": Choice(
        "DRAM bandwidth",
        "replace the block size in ladder.SHAPES['v6_f16x8_pack'] (dataclasses.replace) and predict",
    ),
    "07.3": Number(
        lambda: 12 * (1 << 18) / 550e3,
        "us",
        "the bytes of the call over the bandwidth that was reported; GB/s are 1e9 bytes a second",
        tolerance=0.02,
    ),
    "08.1": Number(
        lambda: 10,
        "loads",
        "`sass.read('v5_f16x8', 'sm_120').kernel().loads()` gives {bits: instructions}; add the instructions",
        tolerance=0,
    ),
    "08.2": Number(
        lambda: 32 * 16,
        "bytes",
        "each of its three instructions moves the same: the lanes of a warp times the bytes of one lane",
        tolerance=0,
    ),
    "08.3": Code(
        lambda x: 2 * x,
        "start from V6: `half2 pack[4]`, filled and emptied through `uint4`, `__hmul2` in between, and the tail loop",
    ),
    "08.4": Number(
        lambda: 2,
        "additions",
        "x * 1 + y is an addition; zero times zero is none",
        tolerance=0,
    ),
    "09.1": Number(
        lambda: coalescing.coalesce(coalescing.contiguous(8, start=8), 8).sectors,
        "sectors",
        "draw the first and the last byte: 32 x 8 bytes from byte 8 on; which multiples of 32 do they pass?",
        tolerance=0,
    ),
    "09.2": Number(
        lambda: coalescing.coalesce(coalescing.strided(12), 4).sectors,
        "sectors",
        "from lane to lane the address grows by the size of the struct",
        tolerance=0,
    ),
    "09.3": Number(
        lambda: 100 * coalescing.coalesce(coalescing.strided(4000), 4).efficiency,
        "% of the bytes moved",
        "how far apart are two rows in bytes, and how much of a 32-byte sector does a lane want?",
    ),
    "09.4": Code(
        lambda a, b: a + b,
        "lane l of a warp takes the pairs l, l + 32, l + 64 and l + 96 of the warp's 128; test each pair against n",
    ),
    "10.1": Number(
        lambda: occupancy.occupancy("9.0", 128, 72).warps,
        "warps",
        "first the registers of a warp, then the warps of one sub-partition (16,384 registers), then whole blocks",
        tolerance=0,
    ),
    "10.2": Number(
        lambda: 102400 // 6 // 128 * 128 - 1024,
        "bytes",
        "how many such blocks make 48 warps? They share 102,400 bytes, in units of 128, and 1 KB of each is taken",
        tolerance=0,
    ),
    "10.3": Number(
        lambda: occupancy.max_registers_for("8.0", 128, 12),
        "registers",
        "how many warps is that in one sub-partition of 16,384 registers? A warp gets a multiple of 256",
        tolerance=0,
    ),
    "10.4": Choice(
        "block slots",
        "`occupancy.occupancy('8.0', 32, 24).limits` says how many blocks each resource allows",
    ),
    "11.1": Number(
        lambda: 128,
        "threads",
        "the smallest block with which the block slots do not run out before the threads do",
        tolerance=0,
    ),
    "11.2": Number(
        lambda: len(occupancy.block_size_funnel("12.0", 100)[-1].survivors),
        "block sizes",
        "`occupancy.block_size_funnel('12.0', 100)` has a row for each filter; the last one has the survivors",
        tolerance=0,
    ),
    "11.3": Number(
        lambda: -(-(1 << 28) // 96) / ceilings.card("H200 SXM").block_rate * 1e6,
        "us",
        "blocks = elements / 96, rounded up; a block rate is per second",
    ),
    "11.4": Choice(
        "whole blocks",
        "`occupancy.block_size_funnel('9.0', 32)` has a row for each filter: in which one is 192 missing first?",
    ),
    "12.1": Number(
        lambda: warps.thread_layout((33, 3)).idle_lanes,
        "idle lanes",
        "warps = threads / 32 rounded up; all their lanes minus the threads are idle",
        tolerance=0,
    ),
    "12.2": Number(
        lambda: int(warps.thread_layout((8, 4, 2)).lane[1, 2, 5]),
        "(lane)",
        "linear id = x + y Dx + z Dx Dy; the lane is what is left after division by 32",
        tolerance=0,
    ),
    "12.3": Number(
        lambda: 1,
        "warps",
        "row 0 holds the linear ids 0 to 47; which warp starts in row 0 and ends in row 1?",
        tolerance=0,
    ),
    "12.4": Code(
        _mirrored,
        "the last group may be short: with `count` elements in it, lane l wants the one of lane count - 1 - l; "
        "all 32 lanes must reach the shuffle, also those without an element",
    ),
    "13.1": Number(
        lambda: 100 * warps.branch_cost(warps.split(8), 40, 10).utilisation,
        "%",
        "useful thread-cycles: 8 x 40 + 24 x 10; occupied: 32 lanes for as long as both sides take",
    ),
    "13.2": Number(
        lambda: 100 * warps.divergence_probability(1 / 32),
        "%",
        "a warp does not diverge if all its threads take A, or none does: 1 - p^32 - (1 - p)^32",
    ),
    "13.3": Choice(
        "no",
        "what does a warp issue of a side that none of its threads takes, if the side is predicated?",
    ),
    "13.4": Code(
        lambda x: torch.where(torch.arange(x.numel()) % 2 == 0, 2 * x, x + 1),
        "let the first half of all threads take the even elements: thread t the element 2 t; the others the odd ones. "
        "Round the half up to whole warps, so that none holds both kinds",
    ),
    "14.1": Number(
        lambda: 2 * len(warps.round_offsets(32)),
        "rounds",
        "1,024 threads are 32 warps: five rounds in each warp, and then the sums of 32 warps",
        tolerance=0,
    ),
    "14.2": Number(
        lambda: (1 << 28) / 1056,
        "times",
        "one atomic an element against one a block",
    ),
    "14.3": Choice(
        "sum_two_pass",
        "in which of them does the order of the additions not depend on who comes first?",
    ),
    "14.4": Code(
        lambda x: x.max(),
        "start from -INFINITY; one block whose threads loop over the array; five shuffles with fmaxf, the warps' "
        "maxima through shared memory, five more",
        cases=kernel_cases.whole_array(torch.max),
    ),
    "15.1": Number(
        lambda: math.ceil(warps.bytes_to_fill(2000, 400) / 100 / (2 * 4 * 32)),
        "warps",
        "bytes in flight = bandwidth x latency, GB/s x ns = bytes; divide by the SMs, then by what a warp asks for",
        tolerance=0,
    ),
    "15.2": Number(
        lambda: (
            100
            * warps.simulate(
                1, warps.Program(loads=3, latency=400, alu=10, iterations=100)
            ).issue_utilisation
        ),
        "% of the issue slots",
        "13 instructions in 3 + 400 + 9 x 4 cycles, and four slots in a cycle",
    ),
    "15.3": Choice("equal", "multiply: how many bytes does each have in flight?"),
    "15.4": Code(
        lambda x: 2 * x,
        "as in `read_kernel`: an array of four floats, a loop that loads all, then one that stores; test each index",
    ),
    "16.1": Number(
        lambda: 100 * occupancy.occupancy("9.0", 256, 96, 40 * 1024).fraction,
        "%",
        "`occupancy.occupancy('9.0', 256, 96, 40 * 1024)`; compare what the registers and the shared memory allow",
    ),
    "16.2": Number(
        lambda: warps.bank_conflict(warps.column_addresses(0, pitch=36)),
        "turns",
        "lane r reads the word 36 r: in which banks, of 32, do the words 0, 36, 72, ... lie?",
        tolerance=0,
    ),
    "16.3": Number(
        lambda: min(66.9, 32 / 32 * 132 * 128 * 1.98 / 1e3),
        "TFLOP/s",
        "a step reads 4 + 4 numbers of 4 bytes and makes 16 products of 2 FLOP; an SM reads 128 bytes a cycle",
    ),
    "16.4": Code(
        lambda a, b: a @ b,
        "start from tile_kernel<32, 0>: 32 x 8 threads, each fills and computes the rows y, y + 8, y + 16 and y + 24",
        cases=kernel_cases.matmul,
    ),
    "17.1": Number(
        lambda: 2,
        "elements a pack",
        "float32 allows 4 elements of 16 bytes; x[2:] of float16 starts 4 bytes behind a round address",
        tolerance=0,
    ),
    "17.2": Number(
        lambda: 8 / 4,
        "times faster",
        "eager: a product (2 read, 1 written), a sum (2, 1) and a relu (1, 1); fused: 3 read, 1 written",
    ),
    "17.3": Code(
        lambda a, b: (a - b).abs(),
        "a struct with `__device__ float operator()(float a, float b) const` and `elementwise::binary(...)`; fabsf",
    ),
    "17.4": Code(
        lambda a, b, weight: a + weight * (b - a),
        "compute in float32: to_float each argument, from_float<__half> the result; `elementwise::ternary`",
        ulp=1,
    ),
    "18.1": Number(
        lambda: round(
            specs.gpu("H100 SXM5").dram_GBps * 1.3e3 / specs.gpu("H100 SXM5").sm_count / 8192
        ),
        "tiles an SM",
        "bytes in flight = bandwidth x 1.3 us; divide by the SMs and by 8,192, and round",
        tolerance=0,
    ),
    "18.2": Choice(
        "packs",
        "three tensors of 2^22 float16: does the working set fit in the H200's 60 MiB of L2?",
    ),
    "18.3": Number(
        lambda: 12 * (1 << 28) / (0.92 * 4800e3),
        "us",
        "12 bytes an element; 92% of 4,800 GB/s are 4,416,000 bytes a microsecond",
        tolerance=0.002,
    ),
    "18.4": Code(
        lambda a, b: a * b,
        'include "fast.cuh", a functor with operator(), and `fast::transform(Multiply{}, n, out, {stream}, a, b)`',
    ),
    "19.1": Number(
        lambda: (1 << 32) * 6 / 4400e9,
        "s",
        "a float16 has 16 bits: how many pairs are there? Each is read, and its sum written",
    ),
    "19.2": Number(
        lambda: (1 << 31) + 1,
        "elements",
        "an int holds at most 2^31 - 1, and indices start at 0",
        0,
    ),
    "19.3": Choice(
        "poison",
        "what do the elements hold that the kernel leaves out? What would they have to hold?",
    ),
    "19.4": Code(
        lambda a, b: a * b,
        "the type of the index, its blockDim.x, the comparison with n, the stream of the launch",
    ),
}


def mark(name: str, answer) -> None:
    """Print whether `answer` solves the exercise `name`; None means that it was not tried yet.

    Raises KeyError, with the names there are, for an unknown exercise.
    """
    if name not in EXERCISES:
        raise KeyError(f"no exercise {name!r}; there are {', '.join(EXERCISES)}")
    if answer is None:
        print(f"{name}: not answered yet")
        return
    _, message = EXERCISES[name].judge(answer)
    print(f"{name}: {message}")
