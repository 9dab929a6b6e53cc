"""Sweep the launches of kernels/fast.cuh: shapes and paths, on the cells that may set its rule.

    python -m helpers.measure.libraries.sweep --seconds 400 [--output FOLDER]

The cells: calls of sizes that the draw does not have; then those of data/operator_cells.csv
whose role is "rule", mixed with slices and with launches between PyTorch's kernels. All GPUs of
the machine share them. Rows are appended to operator_sweep.csv as they come, and cells that are
there are skipped, so a sweep that was stopped goes on.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from helpers.measure.libraries import (
    cells,
    interleaved,
    operator_peers,
    operator_sources,
    shards,
    tables,
)
from helpers.measure.libraries.candidates import Candidate, is_programmatic
from helpers.measure.libraries.interleaved import ALONE, BETWEEN, COLD, HOT, Setting
from helpers.measure.libraries.operators import Operator
from helpers.measure.libraries.views import Viewed
from helpers.measure.timing import Times
from helpers.model.dtypes import dtype_name

ROUNDS = 9
RULE: dict[str, dict[str, int]] = {"rule": {}, "rule, programmatic": {"programmatic": 1}}
PACKS, BULK, SINGLY = 1, 2, 3  # values of the launchers' argument `path`
SHORT_BYTES = 1 << 25  # a call that moves no more is short
LONG_BYTES = 1 << 27  # from here on programmatic launch hardly matters
LONG_ARITHMETIC = ("gelu", "sigmoid", "tanh")  # of one input: not light, in fast.cuh's word
IN_FLIGHT = {"24 KB": 24, "32 KB": 32, "48 KB": 48, "64 KB": 64, "all": 0}  # of bulk, an SM


def _packs(threads: int, packs: int, programmatic: int, streaming: int) -> tuple[str, dict]:
    launch = ", programmatic" * programmatic
    name = f"packs {packs} x {threads}{launch}{', streaming' * (streaming == 1)}"
    knobs = {"threads": threads, "packs": packs, "programmatic": programmatic}
    return name, {"path": PACKS, **knobs, "streaming": streaming or 2}


def is_short(operator: Operator, elements: int) -> bool:
    """Tell whether a call is over before a block's start and its first load are hidden."""
    return operator.bytes_per_element * elements <= SHORT_BYTES


def short_launches() -> dict[str, dict[str, int]]:
    """Return the candidates for short calls: threads with half a pack, one and two."""
    found = dict(RULE)
    for threads, programmatic in itertools.product((256, 512), (0, 1)):
        name, knobs = _packs(threads, 1, programmatic, 0)
        found[name] = knobs
        found[name.replace("packs 1", "half packs")] = knobs | {"halved": 1}
        found |= [_packs(threads // 2, 2, programmatic, 0)]
        found |= [_packs(threads, 2, programmatic, 0)]
    return found | dict(_packs(256, packs, 0, 1) for packs in (1, 2))


def shapes(operator: Operator) -> dict[str, dict[str, int]]:
    """Return the shapes that fast.cuh knows, in ordinary and programmatic launches."""
    found = dict(RULE)
    for programmatic in (0, 1):
        for threads, packs in ((256, 1), (128, 2)):
            found |= [_packs(threads, packs, programmatic, 0)]
        threads = 512 if programmatic else 256
        halves, knobs = _packs(threads, 1, programmatic, 0)
        found[halves.replace("packs 1", "half packs")] = knobs | {"halved": 1}
    found |= [_packs(512, 1, 1, 0), _packs(256, 2, 1, 0)]
    if operator.name in LONG_ARITHMETIC:
        _, knobs = _packs(128, 2, 0, 0)
        found["two halves x 128"] = knobs | {"halved": 1}
    return found | _four(operator)


def smaller_blocks() -> dict[str, dict[str, int]]:
    """Return programmatic launches of a pack a thread and of half a pack, in three blocks."""
    found = {"rule, programmatic": RULE["rule, programmatic"]}
    for threads in (128, 256, 512):
        name, knobs = _packs(threads, 1, 1, 0)
        found[name] = knobs
        if threads > 128:
            found[name.replace("packs 1", "half packs")] = knobs | {"halved": 1}
    return found


def one_by_one(operator: Operator) -> dict[str, dict[str, int]]:
    """Return the ways to read slices and rows: element by element, and packs that are shifted.

    Of eight elements a pack whole ones are not read so, nor two halves of slices.
    """
    found = dict(RULE)
    eight, rows = operator.dtype.itemsize == 2, operator.kind.strides
    for programmatic in (0, 1):
        launch = ", programmatic" * programmatic
        shapes = {f"shifted packs{launch}": {"path": PACKS, "packs": 1}}
        if not eight:
            shapes[f"one by one, a pack{launch}"] = {"path": SINGLY, "packs": 1}
        if eight or rows:
            shapes[f"one by one, half a pack{launch}"] = {"path": SINGLY, "halved": 1}
        if rows if eight else not (rows and programmatic):
            halves = {"path": SINGLY, "halved": 1, "packs": 2}
            shapes[f"one by one, two halves{launch}"] = halves
        found |= {
            name: knobs | {"programmatic": programmatic} for name, knobs in shapes.items()
        }
    return found


def _four_in_blocks(programmatic: int) -> dict[str, dict[str, int]]:
    """Return launches of two packs a thread and of four, each in two blocks."""
    shapes = [(128, 2), (256, 2), (64, 4), (128, 4)] + [(256, 4)] * programmatic
    return RULE | dict(_packs(*one, programmatic, 0) for one in shapes)


def stores() -> dict[str, dict[str, int]]:
    """Return launches of a pack a thread and of two with streaming stores, and a plain one."""
    shapes = ((256, 1), (512, 1), (128, 2), (256, 2))
    places = [(*shape, early, 1) for shape in shapes for early in (0, 1)]
    return RULE | dict(_packs(*place) for place in [*places, (256, 1, 0, 0), (256, 1, 1, 0)])


def launches(operator: Operator, elements: int) -> dict[str, dict[str, int]]:
    """Return the candidates' names, each with its arguments of a launcher."""
    if is_short(operator, elements):
        return short_launches() | _four(operator)
    moved = operator.bytes_per_element * elements
    shapes = list(itertools.product((128, 256, 512), (1, 2)))
    found = dict(RULE)
    found |= dict(_packs(threads, packs, 0, 0) for threads, packs in shapes)
    found |= dict(_packs(threads, packs, 0, 1) for threads, packs in shapes if threads > 128)
    if moved < LONG_BYTES:
        found |= dict(_packs(threads, packs, 1, 0) for threads, packs in shapes)
    return found | _bulk(operator) | _four(operator)


def _four(operator: Operator) -> dict[str, dict[str, int]]:
    """Return launches of more packs a thread: for calls that write more than they read."""
    read = sum(dtype.itemsize for dtype in operator.input_dtypes)
    if read >= operator.dtype.itemsize:
        return {}
    found = dict([_packs(64, 4, 0, 0)])
    if 2 * read == operator.dtype.itemsize:
        found |= [
            _packs(128, packs, 1, streaming) for packs in (4, 6, 8) for streaming in (0, 1)
        ]
    return found


def _loaded(operator: Operator) -> int:
    """Return the bytes that one pack of every input has, in which the largest type has 16."""
    types = [dtype.itemsize for dtype in operator.input_dtypes]
    if operator.kind.inputs == "row":
        del types[1]
    return 16 // max(*types, operator.dtype.itemsize) * sum(types)


def _bulk(operator: Operator) -> dict[str, dict[str, int]]:
    found = {}
    shapes = ((128, 2), (256, 1), (256, 2), (512, 1), (512, 2))
    for (threads, packs), (words, kilobytes) in itertools.product(shapes, IN_FLIGHT.items()):
        tile = threads * packs * _loaded(operator)
        tiles = kilobytes * 1024 // tile if kilobytes else 64
        if tiles:
            knobs = {"threads": threads, "packs": packs, "tiles_per_sm": tiles}
            name = f"bulk {packs} x {threads}, {words}"
            found[name] = {"path": BULK, **knobs, "programmatic": 0}
    for extra, knobs in (
        (", plain", {"streaming": 2}),
        (", programmatic", {"programmatic": 1}),
    ):
        for base in ("bulk 2 x 256, 48 KB", "bulk 1 x 256, 48 KB"):
            if base in found:
                found[base + extra] = found[base] | knobs
    return found


def tiles(operator: Operator) -> dict[str, dict[str, int]]:
    """Return bulk copies of so many tiles an SM, in the blocks that the rule has."""
    narrower = any(operator.dtype.itemsize < one.itemsize for one in operator.input_dtypes)
    packs = 2 if narrower else 1
    tile = 256 * packs * _loaded(operator)
    found = dict([("rule", {}), _packs(256, 1, 0, 0), _packs(256, 2, 0, 0)])
    for count in dict.fromkeys(1024 * most // tile for most in TILES_KB):
        knobs = {"threads": 256, "packs": packs, "tiles_per_sm": count, "programmatic": 0}
        name = f"bulk {packs} x 256, {count * tile // 1024} KB"
        found[name] = {"path": BULK, **knobs}
    return found


def sliced_launches() -> dict[str, dict[str, int]]:
    """Return the candidates for tensors at unequal offsets."""
    shapes = itertools.product((128, 256, 512), (1, 2), (0, 1))
    found = dict(RULE)
    return found | dict(
        _packs(threads, packs, programmatic, 0) for threads, packs, programmatic in shapes
    )


def course(operator: Operator, name: str, knobs: Mapping[str, int]) -> Candidate:
    """Return a launch of fast.cuh. Another size of its blocks is a change of its text."""
    knobs, change = dict(knobs), ""
    threads = knobs.pop("threads", operator_sources.RULE_THREADS)
    stored_less = any(operator.dtype.itemsize < one.itemsize for one in operator.input_dtypes)
    if knobs.get("path") == PACKS and not stored_less:
        most = 2 if knobs.get("programmatic") else 4
        threads *= min(knobs["packs"], most)  # kThreads is that of one pack a thread
    if knobs.get("halved") and knobs["programmatic"]:
        threads //= 2  # and halves stand in large blocks there
    if threads != operator_sources.RULE_THREADS:
        change = operator_sources.SIZES[threads]
    return operator_peers.course(operator, name, knobs, change)


def peers(operator: Operator, shapes: Sequence[tuple[int, int]]) -> list[Candidate]:
    """Return eager PyTorch, and Triton in these shapes where it is installed."""
    found = operator_peers.eager(operator)
    try:
        found += operator_peers.triton(operator, shapes=shapes)
    except ImportError:
        print("Triton is not installed", flush=True)
    return found


# ---- the cells -----------------------------------------------------------------------------

SLICED = (  # operator, dtype of its input and of its output, offsets in elements
    *(
        ("add", d, d, o)
        for d in ("float32", "float16")
        for o in ((1, 1, 1), (1, 1, 0), (1, 0, 0))
    ),
    ("add", "bfloat16", "bfloat16", (1, 2, 3)),
    ("add", "float16", "float16", (0, 0, 1)),
    ("relu", "float16", "float16", (1, 0)),
    ("relu", "float32", "float32", (3, 0)),
    ("cast", "float32", "float16", (1, 0)),
    ("cast", "float16", "float32", (1, 0)),
    ("addcmul", "float16", "float16", (1, 2, 3, 0)),
)
SLICED_SIZES = (1 << 28, 1 << 24, 1 << 20)
BETWEEN_CELLS = (("add", "float16"), ("add", "float32"), ("relu", "float16"))
BETWEEN_SIZES = (1 << 16, 1 << 20, 1 << 22)


# Where the rule changes its mind, at sizes that the draw does not have: 0.2 to 3 waves.
UNDRAWN_PACKS = (3 << 14, 3 << 15, 3 << 16, 3 << 18)
UNDRAWN = (
    ("bias_gelu_residual", "float32", "float32"),
    ("where", "float16", "float16"),
    ("add", "float32", "float32"),
    ("sigmoid", "bfloat16", "bfloat16"),
    ("relu", "float32", "float32"),
    ("cast", "bfloat16", "float32"),
    ("cast", "int8", "float32"),
    ("cast", "float8_e4m3fn", "float16"),
)


# The same on an H100, for kinds of calls that had lost there: casts to more bytes, short and of
# several waves; casts to fewer; two inputs that L2 has a part of; one to three of about a wave.
WIDER = (
    ("cast", "float8_e4m3fn", "float16"),
    ("cast", "bfloat16", "float32"),
    ("cast", "int8", "float32"),
)
NARROWER = (
    ("cast", "float32", "float16"),
    ("cast", "float32", "bfloat16"),
    ("cast", "float32", "int8"),
    ("cast", "float16", "float8_e4m3fn"),
)
TWO_INPUTS = (
    ("add", "float32", "float32"),
    ("mul", "bfloat16", "bfloat16"),
    ("lerp", "float16", "float16"),
)
INPUTS = tuple((name, "float32", "float32") for name in ("copy", "add", "addcmul"))
WAVE = 132 * 2048  # threads of an H100
ON_AN_H100 = (  # operators, packs, methods
    (WIDER, (4_200, 10_400, 21_000, 29_000), (HOT,)),
    (WIDER, (700_000, 1_000_000, 1_150_000), (COLD, HOT)),
    (NARROWER, [int(waves * WAVE) for waves in (1.3, 2.2, 3.2, 6.5, 13)], (COLD, HOT)),
    (NARROWER, [40 * WAVE, 90 * WAVE], (COLD,)),
    (
        TWO_INPUTS,
        [int(mb * 1e6 / 48) for mb in (54, 60, 68, 76, 84, 92, 104, 130)],
        (HOT, COLD),
    ),
    (INPUTS, [int(waves * WAVE) for waves in (0.75, 0.98, 1.3)], (HOT, BETWEEN)),
)


# Every shape of a launch, by kinds of operators and waves of packs.
SHAPED = (
    ("copy", "float32", "float32"),
    ("relu", "float16", "float16"),
    ("gelu", "float32", "float32"),
    ("sigmoid", "bfloat16", "bfloat16"),
    ("tanh", "float16", "float16"),
    ("add", "float32", "float32"),
    ("add", "float16", "float16"),
    ("lerp", "float32", "float32"),
    ("where", "bfloat16", "bfloat16"),
    *WIDER,
    ("cast", "float32", "bfloat16"),
)
SHAPED_WAVES = (0.06, 0.2, 0.3, 0.45, 0.6, 0.8, 1.2, 1.5, 1.8, 2.4, 3.5)


# Where programmatic launches change their shape: packs that are read two at once, two inputs,
# one input with arithmetic.
HALF_READ = (
    ("cast", "bfloat16", "float32"),
    ("cast", "float16", "float32"),
    ("cast", "float8_e4m3fn", "float16"),
)
HALF_READ_WAVES = (1.6, 1.9, 2.2, 2.7, 3.2, 3.7, 4.3, 4.8, 5.3, 5.8, 6.6, 7.4, 7.9, 8.5, 9.5)
TWO_POINTERS = (
    ("add", "float32", "float32"),
    ("lerp", "float32", "float32"),
    ("mul", "bfloat16", "bfloat16"),
)
TWO_POINTERS_WAVES = (0.53, 0.71, 0.85, 0.91, 0.94, 1.03, 1.1)
ARITHMETIC = tuple((name, "float32", "float32") for name in ("gelu", "sigmoid", "tanh", "exp"))
ARITHMETIC_WAVES = (0.22, 0.26, 0.33, 0.4, 0.47, 0.53)
BORDERS = (
    (HALF_READ, HALF_READ_WAVES, (HOT, COLD)),
    (TWO_POINTERS, TWO_POINTERS_WAVES, (HOT, COLD)),
    (ARITHMETIC, ARITHMETIC_WAVES, (HOT, COLD)),
)


# Where ordinary ones do: light operators with a block for fewer than half of the SMs, two
# inputs below half a wave, arithmetic where two packs a thread nearly fill the GPU, arithmetic
# on eight elements a pack below that, light operators of one input below half a wave, and two
# inputs from one wave to two.
FEW_BLOCKS = (
    ("copy", "float32", "float32"),
    ("relu", "float32", "float32"),
    ("abs", "float16", "float16"),
    ("neg", "bfloat16", "bfloat16"),
    ("add", "float32", "float32"),
    ("lerp", "float32", "float32"),
    ("where", "float32", "float32"),
    ("mul", "float16", "float16"),
)
FEW_BLOCKS_WAVES = (0.02, 0.04, 0.058)
SHORT_PAIRS = (
    ("lerp", "float32", "float32"),
    ("mul", "float16", "float16"),
    ("add", "bfloat16", "bfloat16"),
)
SHORT_PAIRS_WAVES = (0.4, 0.47)
NEARLY_TWO = (
    ("sigmoid", "float16", "float16"),
    ("tanh", "float16", "float16"),
    ("sigmoid", "bfloat16", "bfloat16"),
    ("gelu", "float32", "float32"),
)
NEARLY_TWO_WAVES = (1.85, 1.92, 1.98)
EIGHT_ELEMENTS = (
    ("sigmoid", "float16", "float16"),
    ("tanh", "bfloat16", "bfloat16"),
    ("gelu", "float16", "float16"),
    ("gelu", "bfloat16", "bfloat16"),
)
EIGHT_ELEMENTS_SHAPED = tuple(
    (name, dtype, dtype) for name, dtype in (("sigmoid", "bfloat16"), ("tanh", "float16"))
)
EIGHT_ELEMENTS_WAVES = (0.3, 0.45, 0.6, 0.8, 1.2, 1.5, 1.8)
LIGHT = (
    ("relu", "float16", "float16"),
    ("abs", "bfloat16", "bfloat16"),
    ("copy", "float32", "float32"),
)
LIGHT_WAVES = (0.3, 0.37, 0.45)
PAIRS = (
    ("add", "float16", "float16"),
    ("add", "float32", "float32"),
    ("mul", "bfloat16", "bfloat16"),
)
PAIRS_WAVES = (1.3, 1.6, 1.9)
ORDINARY = (
    (FEW_BLOCKS, FEW_BLOCKS_WAVES, (HOT, COLD, BETWEEN)),
    (SHORT_PAIRS, SHORT_PAIRS_WAVES, (HOT, COLD, BETWEEN, ALONE)),
    (NEARLY_TWO, NEARLY_TWO_WAVES, (HOT, COLD, BETWEEN, ALONE)),
    (EIGHT_ELEMENTS, EIGHT_ELEMENTS_WAVES, (HOT, COLD, BETWEEN)),
    (EIGHT_ELEMENTS_SHAPED, EIGHT_ELEMENTS_WAVES, (BETWEEN,)),
    (LIGHT, LIGHT_WAVES, (BETWEEN, ALONE)),
    (LIGHT, LIGHT_WAVES[1:2], (HOT, COLD)),  # the others are among those of every shape
    (PAIRS, PAIRS_WAVES, (HOT, COLD, BETWEEN, ALONE)),
)


# How many tiles of bulk copies an SM needs, behind 1.7 times L2.
TILED = (
    ("add", "float32", "float32"),
    ("add", "float16", "float16"),
    ("lerp", "float16", "float16"),
    ("addcmul", "float32", "float32"),
)
TILED_WAVES = (14, 16, 40)
TILED_CASTS = (("cast", "float32", "float16"), ("cast", "float32", "int8"))
TILED_CASTS_WAVES = (24, 60)
TILES = (
    (TILED, TILED_WAVES, (COLD, ALONE)),
    (TILED_CASTS, TILED_CASTS_WAVES, (COLD, ALONE)),
)
TILES_KB = (32, 40, 48, 56, 64, 72, 80)


# Smaller blocks for programmatic launches: three inputs, long arithmetic on eight elements of
# two, and long arithmetic into fewer bytes. All had large blocks before this was measured.
MANY_LOADS = (
    ("addcmul", "float32", "float32"),
    ("where", "float32", "float32"),
    ("bias_gelu_residual", "float32", "float32"),
    ("addcmul", "float16", "float16"),
    ("bias_gelu_residual", "float16", "float16"),
    ("swiglu", "float16", "float16"),
)
MANY_LOADS_WAVES = (0.06, 0.1, 0.15, 0.22, 0.3, 0.4, 0.5, 0.6)
LONG_CASTS = (("gelu_cast", "float32", "float16"),)
LONG_CASTS_WAVES = (
    *(0.06, 0.1, 0.15, 0.2, 0.25, 0.3, 0.36, 0.4, 0.45),
    *(0.5, 0.55, 0.6, 0.7, 0.8, 0.9),
)
SMALLER = (
    (MANY_LOADS, MANY_LOADS_WAVES, (HOT, COLD, BETWEEN)),
    (LONG_CASTS, LONG_CASTS_WAVES, (HOT, COLD, BETWEEN)),
)


# What may be read one by one: rows, as one input and beside another; slices.
ROWS = tuple(
    (name, dtype)
    for name in ("relu odd part", "add odd part", "add odd row", "relu every second")
    for dtype in ("float16", "float32")
)
ROWS_WAVES = ((1.5, HOT), (0.8, HOT), (1.5, COLD), (2.5, HOT))
SLICES = (
    ("add", "float16", (1, 0, 0)),
    ("relu", "float16", (1, 0)),
    ("add", "float32", (1, 2, 3)),
    ("relu", "float32", (3, 0)),
)
SLICES_WAVES = ((0.6, HOT), (1.5, HOT), (0.3, HOT), (0.8, HOT), (1.5, COLD), (0.6, COLD))

# Casts to more bytes from one wave to four: four packs a thread, in blocks of 64 and of 128. So
# also programmatic launches of those that read a quarter of the bytes.
FOUR = ((WIDER, (1.3, 2.1, 3.1), (HOT, COLD)),)
QUARTER_READ = (("cast", "int8", "float32"), ("cast", "float8_e4m3fn", "float32"))
FOUR_EARLY = ((QUARTER_READ, (2.3, 2.8, 3.3, 3.75), (HOT, COLD)),)

# Calls around L2's size and twice that: streaming stores in four shapes, plain ones in one.
PARTLY_KEPT = tuple(("cast", "float32", out) for out in ("bfloat16", "float16", "int8"))
PARTLY_KEPT_WAVES = (11.2, 13.5, 16.3, 18.2)
WHOLLY_KEPT_WAVES = (2.3, 3.2, 4.3, 6.4, 8.5)
LONG_CASTS_KEPT_WAVES = (2.3, 4.3, 6.4, 8.5, 13.5)
ONE_INPUT = (
    ("relu", "float32", "float32"),
    ("copy", "float16", "float16"),
    ("sigmoid", "bfloat16", "bfloat16"),
)
ONE_INPUT_WAVES = (4.3, 6.2, 8.1, 10.5, 13.2)
TWO_INPUTS_KEPT = (("add", "float16", "float16"), ("mul", "float32", "float32"))
TWO_INPUTS_KEPT_WAVES = (3.3, 5.4, 7.1, 8.6)
PARTLY = (
    (PARTLY_KEPT, PARTLY_KEPT_WAVES, (HOT, COLD)),
    (PARTLY_KEPT, WHOLLY_KEPT_WAVES, (HOT, COLD)),
    (LONG_CASTS, LONG_CASTS_KEPT_WAVES, (HOT, COLD)),
    (ONE_INPUT, ONE_INPUT_WAVES, (HOT, COLD)),
    (TWO_INPUTS_KEPT, TWO_INPUTS_KEPT_WAVES, (HOT, COLD)),
)


def _of_packs(
    names: tuple[str, str, str], packs: int, method: str, multiple: int = 16
) -> Setting:
    operator = Operator.of(*names)
    widest = max(dtype.itemsize for dtype in (operator.dtype, *operator.input_dtypes))
    return Setting(operator, packs * (16 // widest) // multiple * multiple, method)


def undrawn() -> list[Setting]:
    """Return the calls of sizes that the draw does not have, hot and cold."""
    plan = ((UNDRAWN, UNDRAWN_PACKS, (HOT, COLD)), *ON_AN_H100)
    return [_of_packs(*place) for part in plan for place in itertools.product(*part)]


def shaped() -> list[Setting]:
    """Return the calls for which every shape of a launch is measured, hot and cold."""
    packs = [int(waves * WAVE) for waves in SHAPED_WAVES]
    places = itertools.product(SHAPED, packs, (HOT, COLD))
    return [_of_packs(*place, multiple=1024) for place in places]


def at_waves(places: Iterable[tuple]) -> list[Setting]:
    """Return the calls of some operators at waves of packs, with some methods."""
    found = []
    for names, waves, methods in places:
        all_of_them = itertools.product(names, [int(one * WAVE) for one in waves], methods)
        found += [_of_packs(*place, multiple=1024) for place in all_of_them]
    return found


def borders() -> list[Setting]:
    """Return the calls around which programmatic launches change their shape."""
    return at_waves(BORDERS)


def ordinary() -> list[Setting]:
    """Return the calls around which ordinary launches do; only those are measured there."""
    return at_waves(ORDINARY)


def tiled() -> list[Setting]:
    """Return the calls for which the tiles of bulk copies are counted."""
    return at_waves(TILES)


def smaller() -> list[Setting]:
    """Return the calls for which smaller blocks of programmatic launches are measured."""
    return at_waves(SMALLER)


def of_four() -> list[Setting]:
    """Return the calls for which blocks of four packs a thread are measured."""
    return at_waves((*FOUR, *FOUR_EARLY))


def partly_kept() -> list[Setting]:
    """Return the calls around L2's size, with their stores measured in four shapes."""
    return at_waves(PARTLY)


def singly() -> list[Setting]:
    """Return the calls on rows and on slices, for which the ways to read them are measured."""
    found = []
    for (waves, method), (name, dtype) in itertools.product(ROWS_WAVES, ROWS):
        one = Viewed.of(*name.split(" ", 1), dtype)
        packs = int(waves * WAVE)
        rows = packs * (16 // one.dtype.itemsize) // one.strides.cols // 16 * 16
        found.append(Setting(one, rows * one.strides.cols, method))
    for (waves, method), (name, dtype, offsets) in itertools.product(SLICES_WAVES, SLICES):
        place = ((name, dtype, dtype), int(waves * WAVE), method)
        found.append(_of_packs(*place, multiple=1024)._replace(offsets=offsets))
    return found


def settings() -> list[Setting]:
    """Return the settings of the sweep."""
    first = undrawn() + drawn() + shaped() + borders() + ordinary() + tiled() + smaller()
    return first + of_four() + singly() + partly_kept()


def drawn() -> list[Setting]:
    """Return what is drawn, sliced or between, in an order in which the first tell the most."""
    cells_of_the_rule = [cell for cell in cells.draw() if cell.role == "rule"]
    main = [
        Setting(Operator.of(cell.operator, cell.dtype, cell.out_dtype), *cell[3:5])
        for cell in cells_of_the_rule
    ]
    slices = [
        Setting(Operator.of(*names), elements, COLD if elements > 1 << 20 else HOT, offsets)
        for elements, (*names, offsets) in itertools.product(SLICED_SIZES, SLICED)
    ]
    between = [
        Setting(Operator.of(name, dtype, dtype), elements, BETWEEN)
        for (name, dtype), elements in itertools.product(BETWEEN_CELLS, BETWEEN_SIZES)
    ]
    return _dealt(main, slices, between)


def _dealt(*lists: list[Setting]) -> list[Setting]:
    """Mix lists so that each is spread evenly over the whole."""
    placed = [
        ((place + 0.5) / len(one), one_index, setting)
        for one_index, one in enumerate(lists)
        for place, setting in enumerate(one)
    ]
    return [setting for *_, setting in sorted(placed, key=lambda entry: entry[:2])]


def key(setting: Setting) -> tuple:
    """Return what tells a setting's rows from another's."""
    operator = setting.operator
    dtypes = (dtype_name(operator.input_dtype), dtype_name(operator.dtype))
    return (operator.name, *dtypes, setting.elements, setting.method, setting.offsets_text)


def rows_of(
    setting: Setting, times: Mapping[Candidate, Times], now: interleaved.State
) -> Iterator[dict]:
    """Yield a row for each candidate of a setting."""
    for one, took in times.items():
        yield {
            **dict(zip(tables.PLACE, key(setting), strict=True)),
            "candidate": one.name,
            "variant": one.variant or None,
            "time_us": took.median_us,
            "low_us": took.percentile(20),
            "high_us": took.percentile(80),
            "repeats": len(took.samples),
            "sm_mhz": now.sm_mhz,
            "memory_mhz": now.memory_mhz,
            "watts": now.watts,
            "held_down_by": now.held_down_by or None,
            "version": one.version or None,
        }


def _candidates(setting: Setting) -> list[Candidate]:
    operator, elements = setting.operator, setting.elements
    all_shapes = operator_peers.TRITON_SHAPES
    of_triton = all_shapes[:2] if is_short(operator, elements) else all_shapes[1:2]
    if setting in singly():
        knobs, of_triton = one_by_one(operator), ()
    elif setting.offsets:
        knobs = sliced_launches()
    elif setting in tiled():
        knobs, of_triton = tiles(operator), all_shapes
    elif setting in (*shaped(), *borders(), *ordinary()):
        knobs, of_triton = shapes(operator), all_shapes
    elif setting in smaller():
        knobs = smaller_blocks()
    elif setting in partly_kept():
        knobs = stores()
    elif setting in of_four():
        knobs = _four_in_blocks(int(setting in at_waves(FOUR_EARLY)))
    else:
        knobs = launches(operator, elements)
    of_libraries = peers(operator, of_triton)
    if setting in (*smaller(), *at_waves(FOUR_EARLY)):
        of_libraries = [one for one in of_libraries if is_programmatic(one)]
    if setting in (*ordinary(), *tiled(), *at_waves(FOUR)):
        knobs = {name: one for name, one in knobs.items() if not one.get("programmatic")}
        of_libraries = [one for one in of_libraries if not is_programmatic(one)]
    return [*(course(operator, *one) for one in knobs.items()), *of_libraries]


def best(times: dict[Candidate, Times]) -> Iterator[Candidate]:
    """Yield the fastest candidate of each name, of the ordinary and the programmatic ones."""
    seen = set()
    for one in sorted(times, key=lambda candidate: times[candidate].median_us):
        kind = (one.name, is_programmatic(one))
        if kind not in seen:
            seen.add(kind)
            yield one


def rows(setting: Setting) -> Iterator[dict]:
    """Measure one setting; yield a row for each launch of ours, and each library's fastest."""
    times, now = interleaved.measure(setting, _candidates(setting), ROUNDS)
    ours = {one: took for one, took in times.items() if one.is_ours}
    libraries = {one: took for one, took in times.items() if not one.is_ours}
    kept = ours | {one: libraries[one] for one in best(libraries)}
    yield from rows_of(setting, kept, now)


def _sources(settings: Iterable[Setting]) -> list[Path]:
    """Return the files to build: of each operator, with each size of blocks; of views, one."""
    found = {}
    for name, rows in {
        one.operator.name: one.operator.kind.strides for one in settings
    }.items():
        for change in ("",) if rows else ("", *operator_sources.BLOCKS):
            found[operator_sources.fast(name, change)] = None
    return list(found)


SWEEP = shards.Plan(
    module="helpers.measure.libraries.sweep",
    table=tables.SWEEP,
    key=tables.PLACE,
    settings=settings,
    key_of=key,
    rows=rows,
    sources=_sources,
)


if __name__ == "__main__":
    shards.main(SWEEP)
