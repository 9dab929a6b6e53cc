"""Try an elementwise launcher in hundreds of small calls, compared all at once.

Every size up to 70 and around each block size, every combination of starts that the declared
alignments allow. All calls share one large tensor an argument; each has a slot of its own, with
memory around it that must stay as it was. A call that goes wrong is then repeated as a case.
"""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch

from helpers.errors import CourseError
from helpers.run import machine
from helpers.run.faults import named_faults
from helpers.run.launcher import Launcher
from helpers.testing.buffers import BOUNDARY, poison
from helpers.testing.cases import BLOCK_SIZES, Case, ElementwiseMaker, least_starts, starting
from helpers.testing.mismatch import describe
from helpers.testing.references import bits

EVERY_SIZE = 71  # all sizes below are tried
STARTS_A_SIZE = 4
EDGES = (96, 128, 192, 256, 320, 384, 512, 768, 1024, 1536, 2048, 4096, 8192)
POOL = 16_411  # elements from which the calls take theirs; a prime number
PACK = 16  # bytes of the widest load
PACKS = (2, 4, 8)  # elements
MOST_STARTS = 4096
SEED = 21


@dataclass(frozen=True)
class Call:
    """One call: n elements of the pool from `first` on, tensors that start at `offsets`."""

    n: int
    first: int
    offsets: tuple[int, ...]
    arguments: dict[str, int]


def starts(launcher: Launcher) -> list[tuple[int, ...]]:
    """List the combinations of starts within 16 bytes, in elements, one a tensor.

    The first is 0 of each. Of more than 4,096 (of four tensors and more, say) an even choice.
    """
    steps = least_starts(launcher)
    tensors = launcher.declaration.tensors
    options = [
        range(0, PACK // p.dtype.itemsize, step) for p, step in zip(tensors, steps, strict=True)
    ]
    count = int(np.prod([len(x) for x in options], dtype=np.float64))
    if count <= MOST_STARTS:
        return list(itertools.product(*options))
    generator = np.random.default_rng(SEED)
    columns = [generator.choice(np.array(x), MOST_STARTS) for x in options]
    for column in columns:
        column[0] = 0
    return list(zip(*(column.tolist() for column in columns), strict=True))


def calls(launcher: Launcher) -> list[Call]:
    """List the calls: every size, every block size, every combination of starts."""
    combinations = starts(launcher)
    sizes = [n for n in range(1, EVERY_SIZE) for _ in range(STARTS_A_SIZE)]
    sizes += [edge + beside for edge in EDGES for beside in (-1, 0, 1, 13)]
    wanted: list[tuple[int, dict]] = [(edge + 1, {}) for edge in EDGES]
    has_block_size = any(p.name == "block_size" for p in launcher.declaration.arguments)
    if has_block_size:
        wanted += [
            (width * size + 1, {"block_size": size}) for size in BLOCK_SIZES for width in PACKS
        ]
    aligned = len(wanted)  # so that packs are taken, and something is left
    wanted += [(n, {}) for n in sizes]
    if has_block_size:
        wanted += [
            (blocks * size + beside, {"block_size": size})
            for size in BLOCK_SIZES
            for blocks, beside in ((1, -1), (1, 0), (1, 1), (3, 17))
        ]
    least = PACK // min((p.dtype.itemsize for p in launcher.declaration.tensors), default=1)
    wanted += [(2 * least + k % 31, {}) for k in range(len(combinations))]
    generator = np.random.default_rng(SEED)
    places = generator.integers(0, len(combinations), len(wanted)).tolist()
    places[:aligned] = [0] * aligned
    places[-len(combinations) :] = range(len(combinations))
    firsts = generator.integers(0, 1 << 30, len(wanted)).tolist()
    return [
        Call(n, first % (POOL - n), combinations[place], more)
        for (n, more), first, place in zip(wanted, firsts, places, strict=True)
    ]


class _Arena:
    """One argument of all calls: a slot each in one tensor, and poison between the slots."""

    def __init__(self, on_gpu: bool, dtype: torch.dtype, some: Sequence[Call], place: int):
        width = dtype.itemsize
        offsets = np.array([call.offsets[place] for call in some], dtype=np.int64)
        self.sizes = np.array([call.n for call in some], dtype=np.int64)
        rooms = -(-((self.sizes + offsets) * width + PACK) // BOUNDARY) * BOUNDARY // width
        ends = np.cumsum(rooms)
        self.starts = ends - rooms + offsets
        device = machine.present().device if on_gpu else "cpu"
        extra = BOUNDARY // width
        whole = torch.empty(int(ends[-1]) + 2 * extra, dtype=dtype, device=device)
        lead = -whole.data_ptr() % BOUNDARY // width  # so that slot 0 starts at a boundary
        self.tensor = whole[lead : lead + int(ends[-1]) + extra]
        bits(self.tensor).fill_(poison(dtype))
        self.content = torch.empty(len(self.tensor), dtype=dtype)  # what should stand there
        bits(self.content).fill_(poison(dtype))

    def index(self) -> torch.Tensor:
        """Return where the elements of all slots lie, one call after the other."""
        return torch.from_numpy(_runs(self.starts, self.sizes))

    def slot(self, k: int) -> torch.Tensor:
        """Return the tensor of call k."""
        start = int(self.starts[k])
        return self.tensor[start : start + int(self.sizes[k])]

    def described(self, name: str, element: int) -> str:
        """Say what an element holds, and what it should: "out[3] is 1, not 2".

        Outside of the slots it is an element of the tensor before it.
        """
        got, wanted = (describe(x[element]) for x in (self.tensor, self.content))
        index = element - int(self.starts[self.call_of(element)])
        return f"{name}[{index:,}] is {got}, not {wanted}"

    def call_of(self, element: int) -> int:
        """Return the call whose slot an element lies in, or next to."""
        return max(int(np.searchsorted(self.starts, element, "right")) - 1, 0)


def _runs(starts: np.ndarray, sizes: np.ndarray) -> np.ndarray:
    """Return the concatenation of start, start + 1, ..., start + size - 1."""
    before = np.cumsum(sizes) - sizes
    return np.arange(int(sizes.sum())) + np.repeat(starts - before, sizes)


class Sweep:
    """All calls of one launcher: run them, and find the first that went wrong.

    seen: what was seen of it, once `run` has found one.
    """

    seen = ""

    def __init__(self, launcher: Launcher, make: ElementwiseMaker, every: int = 1):
        """every: make only each so-many-th call, for a kernel whose launches are slow."""
        self.launcher, self.make = launcher, make
        self.calls = calls(launcher)[::every]
        pool = make.inputs(POOL, SEED)
        self.pool = make.case("", pool)
        self.arenas = {}
        self.taken = torch.from_numpy(
            _runs(
                np.array([call.first for call in self.calls]),
                np.array([call.n for call in self.calls]),
            )
        )
        sources = {"input": iter(pool), "output": iter(self.pool.wanted)}
        for place, p in enumerate(launcher.declaration.tensors):
            arena = _Arena(launcher.on_gpu, p.dtype, self.calls, place)
            bits(arena.content)[arena.index()] = bits(next(sources[p.role]))[self.taken]
            if p.role == "input":  # by bits: on some CPUs a copy of a bool is 0 or 1
                bits(arena.tensor).copy_(bits(arena.content))
            self.arenas[p.name] = arena

    def run(self) -> int | None:
        """Make all calls; return the number of the first that went wrong, or None."""
        arenas = self.arenas.values()
        with named_faults() if self.launcher.on_gpu else contextlib.nullcontext():
            for k, call in enumerate(self.calls):
                tensors = [arena.slot(k) for arena in arenas]
                try:
                    self.launcher(*tensors, **{**self.make.arguments, **call.arguments})
                except CourseError as error:
                    self.seen = str(error)
                    return k
            if self.launcher.on_gpu:
                torch.cuda.synchronize()
        outputs = [p.name for p in self.launcher.declaration.tensors if p.role == "output"]
        wrong = []
        for name, arena in self.arenas.items():
            place = self._first_wrong(arena, outputs.index(name) if name in outputs else None)
            if place is not None:
                wrong.append((arena.call_of(place), arena.described(name, place)))
        if not wrong:
            return None
        k, self.seen = min(wrong)
        return k

    def _first_wrong(self, arena: _Arena, output: int | None) -> int | None:
        """Return the first wrong element of an arena; output: None for an input's."""
        got, wanted = arena.tensor.cpu(), arena.content
        differs = bits(got) != bits(wanted)
        if not bool(differs.any()):
            return None
        place = differs.nonzero().flatten()
        if output is not None:
            source = torch.full((len(got),), -1)  # the element of the pool, in a slot
            source[arena.index()] = self.taken
            inside = place[source[place] >= 0]
            some = bits(got)[inside].view(got.dtype)  # no bool becomes 0 or 1 on the way
            near = inside[self.pool.right(output, some, source[inside])]
            place = place[~torch.isin(place, near)]
        return int(place[0]) if len(place) else None

    def case(self, k: int) -> Case:
        """Return call k as a case of its own."""
        call = self.calls[k]
        part = slice(call.first, call.first + call.n)
        words = [f"n = {call.n:,}", *(f"{x} = {value}" for x, value in call.arguments.items())]
        if any(call.offsets):
            words.append(starting(call.offsets))
        inputs = tuple(x[part] for x in self.pool.inputs)
        return self.make.case(", ".join(words), inputs, call.offsets, **call.arguments)
