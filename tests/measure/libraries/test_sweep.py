"""The sweep has the cells that may set the rule, and a name for every launch."""

import itertools
from types import SimpleNamespace

import pytest
import torch

from helpers.measure.libraries import cells, interleaved, sweep
from helpers.measure.libraries.candidates import Candidate
from helpers.measure.libraries.interleaved import ALONE, BETWEEN, COLD, HOT, Setting
from helpers.measure.libraries.operators import Operator
from helpers.measure.libraries.views import Viewed
from helpers.measure.libraries.views import settings as all_view_settings

ADD = Operator.of("add", "float32", "float32")


def test_the_settings_are_the_cells_of_the_rule_and_slices_and_neighbours():
    settings = sweep.settings()
    assert len(settings) == len(set(settings)) == len(set(map(sweep.key, settings)))
    undrawn, shaped = sweep.undrawn(), sweep.shaped() + sweep.borders()
    shaped += sweep.ordinary() + sweep.tiled() + sweep.smaller()
    shaped += sweep.of_four() + sweep.singly() + sweep.partly_kept()
    assert settings[: len(undrawn)] == undrawn and settings[-len(shaped) :] == shaped
    sizes = {s.elements for s in (*undrawn, *shaped)}
    assert not sizes & {cell.elements for cell in cells.draw()}
    others = settings[len(undrawn) : -len(shaped)]
    plain = [s for s in others if not s.offsets and s.method != BETWEEN]
    drawn = {cell[:5] for cell in cells.draw() if cell.role == "rule"}
    assert {sweep.key(setting)[:5] for setting in plain} == drawn and len(plain) == 64
    assert sum(bool(s.offsets) for s in others) == 39
    for setting in settings:
        assert len(setting.offsets) in (0, setting.operator.kind.arity + 1)
    views = [s for s in settings if s.operator.kind.strides]
    assert not {(s.operator, s.elements) for s in views} & {s[:2] for s in all_view_settings()}


def test_short_work_has_programmatic_launches_and_long_work_bulk_copies():
    short, long = sweep.launches(ADD, 1 << 16), sweep.launches(ADD, 1 << 28)
    assert "packs 1 x 512, programmatic" in short and "packs 1 x 512, programmatic" not in long
    assert short["half packs x 512"] | {"halved": 0} == short["packs 1 x 512"] | {"halved": 0}
    assert short["half packs x 512"]["halved"] == 1 and "half packs x 512" not in long
    assert not any(name.startswith("bulk") for name in short)
    # 256 threads x 2 packs x 16 bytes x 2 inputs: 16 KB a tile
    assert long["bulk 2 x 256, 48 KB"] == {
        "path": 2,
        "threads": 256,
        "packs": 2,
        "tiles_per_sm": 3,
        "programmatic": 0,
    }
    assert long["packs 2 x 256, streaming"]["streaming"] == 1
    assert long["packs 2 x 256"]["streaming"] == 2
    assert long["bulk 1 x 256, all"]["tiles_per_sm"] == 64


def test_every_shape_that_a_call_may_have_is_measured():
    add, tanh = sweep.shapes(ADD), sweep.shapes(Operator.of("tanh", "float16", "float16"))
    assert set(tanh) - set(add) == {"two halves x 128"}
    assert add["half packs x 512, programmatic"]["threads"] == 512
    wider = sweep.shapes(Operator.of("cast", "int8", "float32"))
    assert set(wider) - set(add) == {"packs 4 x 64"}
    half_read = sweep.shapes(Operator.of("cast", "bfloat16", "float32"))
    assert set(half_read) - set(wider) == {
        f"packs {packs} x 128, programmatic{streaming}"
        for packs in (4, 6, 8)
        for streaming in ("", ", streaming")
    }
    ordinary = {name for name in add if "programmatic" not in name}
    assert ordinary == {"rule", "packs 1 x 256", "packs 2 x 128", "half packs x 256"}


def test_calls_around_the_size_of_l2_are_measured_with_four_shapes_and_plain_stores():
    stores = sweep.stores()
    plain = {name for name, knobs in stores.items() if knobs.get("streaming") == 2}
    assert plain == {"packs 1 x 256", "packs 1 x 256, programmatic"}
    assert len(stores) == 12 and "packs 2 x 256, programmatic, streaming" in stores
    bytes_moved = [s.operator.bytes_per_element * s.elements for s in sweep.partly_kept()]
    assert min(bytes_moved) < 60e6 / 2 and 60e6 < max(bytes_moved) < 120e6


def test_rows_and_slices_are_read_one_by_one_or_shifted():
    part = [Viewed.of("relu", "odd part", dtype) for dtype in ("float32", "float16")]
    rows, rows_of_eight = ({name for name in sweep.one_by_one(one)} for one in part)
    slices = set(sweep.one_by_one(ADD))
    assert rows - slices == {
        "one by one, half a pack",
        "one by one, half a pack, programmatic",
    }
    assert slices - rows == {"one by one, two halves, programmatic"}
    assert rows_of_eight - rows == {"one by one, two halves, programmatic"}
    assert {name for name in rows if "shifted" in name} == {
        "shifted packs",
        "shifted packs, programmatic",
    }


def test_halves_of_programmatic_launches_stand_in_large_blocks(monkeypatch):
    """So half packs x 512 are those of the file as it is."""
    changes = []
    monkeypatch.setattr(
        sweep.operator_peers, "course", lambda *arguments: changes.append(arguments[1:])
    )
    for name, knobs in sweep.shapes(ADD).items():
        if name.startswith("half packs"):
            sweep.course(ADD, name, knobs)
    assert [(name, change) for name, _, change in changes] == [
        ("half packs x 256", ""),
        ("half packs x 512, programmatic", ""),
    ]


def test_a_bias_takes_no_shared_memory():
    one = Operator.of("bias_gelu_residual", "float32", "float32")
    assert sweep._bulk(one).keys() == sweep._bulk(ADD).keys()


def test_a_setting_gives_a_row_for_each_candidate(fake_gpu, monkeypatch):
    monkeypatch.setattr(interleaved, "_handle", lambda: None)

    def course(operator, name, knobs, change=""):
        return Candidate("course", "", lambda x, out: lambda: torch.add(*x, out=out), name)

    monkeypatch.setattr(sweep.operator_peers, "course", course)
    rows = list(sweep.rows(Setting(ADD, 1 << 12, HOT)))
    names = list(sweep.launches(ADD, 1 << 12))
    assert [row["variant"] for row in rows if row["candidate"] == "course"] == names
    assert rows[-1]["candidate"] in ("torch", "Triton")
    libraries = [row for row in rows if row["candidate"] != "course"]
    kinds = [(r["candidate"], "programmatic" in str(r["variant"])) for r in libraries]
    assert len(kinds) == len(set(kinds))  # of a library the fastest
    first = rows[0]
    assert (first["operator"], first["elements"], first["offsets"]) == ("add", 4096, "")
    assert set(first) <= set(sweep.SWEEP.table.columns)


# ---- every launch by name ------------------------------------------------------------------

PLAIN = {f"packs {p} x {t}": (t, p, 0, 2) for t in (128, 256, 512) for p in (1, 2)}
STREAMING = {f"packs {p} x {t}, streaming": (t, p, 0, 1) for t in (256, 512) for p in (1, 2)}
PDL = {f"packs {p} x {t}, programmatic": (t, p, 1, 2) for t in (128, 256, 512) for p in (1, 2)}
KNOBS = ("threads", "packs", "programmatic", "streaming")
RULE = {"rule": {}, "rule, programmatic": {"programmatic": 1}}


def packs(*tables):
    return {
        name: {"path": 1} | dict(zip(KNOBS, knobs, strict=True))
        for table in tables
        for name, knobs in table.items()
    }


PLAIN_AND_PDL = (("", 0), (", programmatic", 1))


def test_all_launches_of_short_work():
    want = dict(RULE)
    for threads, (words, launch) in itertools.product((256, 512), PLAIN_AND_PDL):
        knobs = {"path": 1, "threads": threads, "packs": 1, "programmatic": launch}
        want[f"packs 1 x {threads}{words}"] = knobs | {"streaming": 2}
        want[f"packs 2 x {threads}{words}"] = knobs | {"streaming": 2, "packs": 2}
        want[f"half packs x {threads}{words}"] = knobs | {"streaming": 2, "halved": 1}
        halved = knobs | {"threads": threads // 2, "streaming": 2, "packs": 2}
        want[f"packs 2 x {threads // 2}{words}"] = halved
    for count in (1, 2):
        knobs = {"path": 1, "threads": 256, "packs": count, "programmatic": 0}
        want[f"packs {count} x 256, streaming"] = knobs | {"streaming": 1}
    assert sweep.launches(ADD, 1 << 16) == sweep.short_launches() == want


def test_bulk_copies_begin_above_32_MB_and_programmatic_launches_end_at_128_MB():
    copy = Operator.of("copy", "float32", "float32")  # 8 bytes an element
    kinds = {
        elements: (any("bulk" in k for k in names), any(k.startswith("packs") and
                   "programmatic" in k for k in names))
        for elements in (1 << 22, (1 << 22) + 1, (1 << 24) - 1, 1 << 24)
        for names in [sweep.launches(copy, elements)]
    }  # fmt: skip
    assert list(kinds.values()) == [(False, True), (True, True), (True, True), (True, False)]


SHAPES = ((128, 2), (256, 1), (256, 2), (512, 1), (512, 2))


@pytest.mark.parametrize(
    ("names", "tile"),  # bytes that one pack of all inputs has
    [
        (("add", "float32", "float32"), 32),
        (("copy", "float16", "float16"), 16),
        (("bias_gelu_residual", "float32", "float32"), 32),
        (("cast", "float32", "float16"), 16),
        (("cast", "float16", "float32"), 8),
        (("addcmul", "float32", "float32"), 48),
    ],
)
def test_bulk_copies_keep_kilobytes_in_flight(names, tile):
    found = sweep._bulk(Operator.of(*names))
    want = {}
    for (threads, count), kilobytes in itertools.product(SHAPES, (24, 32, 48, 64, 0)):
        tiles = kilobytes * 1024 // (threads * count * tile) if kilobytes else 64
        knobs = {"path": 2, "threads": threads, "packs": count, "tiles_per_sm": tiles}
        label = f"{kilobytes} KB" if kilobytes else "all"
        if tiles:
            want[f"bulk {count} x {threads}, {label}"] = knobs | {"programmatic": 0}
    for base in ("bulk 2 x 256, 48 KB", "bulk 1 x 256, 48 KB"):
        if base in want:
            want[f"{base}, plain"] = want[base] | {"streaming": 2}
            want[f"{base}, programmatic"] = want[base] | {"programmatic": 1}
    assert found == want


def test_a_tile_that_is_too_large_for_its_kilobytes_is_left_out():
    found = sweep._bulk(Operator.of("addcmul", "float32", "float32"))
    assert "bulk 2 x 512, 32 KB" not in found and "bulk 2 x 512, 48 KB" in found
    assert sum(name.startswith("bulk 2 x 512, ") for name in found) == 3


def test_sliced_launches_are_packs_with_and_without_programmatic_launch():
    assert sweep.sliced_launches() == RULE | packs(PLAIN, PDL)


def test_peers_are_pytorch_and_one_shape_of_triton(fake_triton, monkeypatch, capsys):
    import triton

    triton.__version__ = "3.9"
    found = sweep.peers(ADD, [(1024, 4)])
    want = ["torch", "Triton, 1024 elements, 4 warps", "Triton, 1024 elements, 4 warps"]
    assert [str(one).removesuffix(", programmatic") for one in found] == want
    assert capsys.readouterr().out == ""

    def missing(*_, **__):
        raise ImportError

    monkeypatch.setattr(sweep.operator_peers, "triton", missing)
    assert [one.name for one in sweep.peers(ADD, [(1024, 4)])] == ["torch"]
    assert capsys.readouterr().out == "Triton is not installed\n"


def test_slices_and_neighbours():
    settings = sweep.settings()
    slices = {(*s[:3], s.offsets) for s in sweep.drawn() if s.offsets}
    operators = [
        *[("add", d, d, o) for d in ("float32", "float16") for o in ((1, 1, 1), (1, 1, 0))],
        *[("add", d, d, (1, 0, 0)) for d in ("float32", "float16")],
        ("add", "bfloat16", "bfloat16", (1, 2, 3)),
        ("add", "float16", "float16", (0, 0, 1)),
        ("relu", "float16", "float16", (1, 0)),
        ("relu", "float32", "float32", (3, 0)),
        ("cast", "float32", "float16", (1, 0)),
        ("cast", "float16", "float32", (1, 0)),
        ("addcmul", "float16", "float16", (1, 2, 3, 0)),
    ]
    methods = {1 << 28: COLD, 1 << 24: COLD, 1 << 20: HOT}
    assert slices == {
        (Operator.of(*names), elements, method, offsets)
        for *names, offsets in operators
        for elements, method in methods.items()
    }
    between = {s[:2] for s in settings if s.method == BETWEEN} - {
        s[:2] for s in (*sweep.ordinary(), *sweep.smaller())
    }
    some = (("add", "float16"), ("add", "float32"), ("relu", "float16"))
    sizes = (1 << 16, 1 << 20, 1 << 22)
    of_a_wave = {
        (Operator.of(name, "float32", "float32"), size)
        for name in ("copy", "add", "addcmul")
        for size in (811_008, 1_059_712, 1_405_744)
    }
    drawn = {(Operator.of(n, d, d), size) for n, d in some for size in sizes}
    assert between == drawn | of_a_wave
    assert of_a_wave == {s[:2] for s in sweep.undrawn() if s.method == BETWEEN}


def test_only_ordinary_launches_are_measured_where_they_change_their_shape(monkeypatch):
    monkeypatch.setattr(
        sweep, "course", lambda operator, name, knobs: Candidate("course", "", None, name)
    )
    eager = [
        Candidate("torch", "", None),
        Candidate("Triton", "", None, "8 warps, programmatic"),
    ]
    monkeypatch.setattr(sweep, "peers", lambda operator, shapes: eager)
    ordinary = sweep.ordinary()
    assert {s.method for s in ordinary} == {HOT, COLD, BETWEEN, ALONE} and len(ordinary) == 302
    variants = {str(one) for one in sweep._candidates(ordinary[0])}
    assert {"course, rule", "course, half packs x 256", "torch"} <= variants
    assert not any("programmatic" in one for one in variants)
    assert any("programmatic" in str(one) for one in sweep._candidates(sweep.borders()[0]))


def test_only_programmatic_launches_are_measured_of_smaller_blocks(monkeypatch):
    monkeypatch.setattr(
        sweep, "course", lambda operator, name, knobs: Candidate("course", "", None, name)
    )
    names = ("4 warps", "8 warps, programmatic")
    of_triton = [Candidate("Triton", "", None, name) for name in names]
    monkeypatch.setattr(sweep, "peers", lambda operator, shapes: of_triton)
    settings = sweep.smaller()
    assert {s.method for s in settings} == {HOT, COLD, BETWEEN} and len(settings) == 189
    assert [str(one) for one in sweep._candidates(settings[0])] == [
        "course, rule, programmatic",
        "course, packs 1 x 128, programmatic",
        "course, packs 1 x 256, programmatic",
        "course, half packs x 256, programmatic",
        "course, packs 1 x 512, programmatic",
        "course, half packs x 512, programmatic",
        "Triton, 8 warps, programmatic",
    ]


def test_tiles_are_counted_in_the_blocks_that_the_rule_has():
    add, cast = sweep.tiles(ADD), sweep.tiles(Operator.of("cast", "float32", "int8"))
    assert list(add)[3:] == [f"bulk 1 x 256, {kb} KB" for kb in (32, 40, 48, 56, 64, 72, 80)]
    assert add["bulk 1 x 256, 40 KB"]["tiles_per_sm"] == 5
    assert cast["bulk 2 x 256, 40 KB"] == add["bulk 1 x 256, 40 KB"] | {"packs": 2}
    three = sweep.tiles(Operator.of("addcmul", "float32", "float32"))  # tiles of 12 KB
    assert [one["tiles_per_sm"] for one in list(three.values())[3:]] == [2, 3, 4, 5, 6]
    assert all(s.method in (COLD, ALONE) for s in sweep.tiled()) and len(sweep.tiled()) == 32


def test_lists_are_mixed_evenly():
    assert sweep._dealt(["a", "b", "c", "d"], ["1", "2"], ["x"]) == list("a1bxc2d")
    assert sweep._dealt(["a"], ["1"]) == ["a", "1"]


def test_a_row_has_every_number():
    times = SimpleNamespace(
        median_us=2.0, samples=[1, 2, 3], percentile=lambda percent: float(percent)
    )
    one = Candidate("course", "7", None, "packs")
    setting = Setting(ADD, 1000, COLD, (1, 0, 2))
    state = interleaved.State(1980, 3201, 600.5, "heat")
    (row,) = sweep.rows_of(setting, {one: times}, state)
    assert row == {
        "operator": "add",
        "dtype": "float32",
        "out_dtype": "float32",
        "elements": 1000,
        "method": "graph cold",
        "offsets": "1 0 2",
        "candidate": "course",
        "variant": "packs",
        "time_us": 2.0,
        "low_us": 20.0,
        "high_us": 80.0,
        "repeats": 3,
        "sm_mhz": 1980,
        "memory_mhz": 3201,
        "watts": 600.5,
        "held_down_by": "heat",
        "version": "7",
    }
    none = interleaved.State(None, None, None, "")
    (row,) = sweep.rows_of(setting, {Candidate("course", "", None): times}, none)
    empty = ("variant", "held_down_by", "version", "sm_mhz", "watts")
    assert [row[name] for name in empty] == [None] * 5


def test_a_sliced_setting_tries_the_sliced_launches(monkeypatch):
    asked = []

    def measure(setting, candidates, rounds):
        asked.append(([one.variant for one in candidates if one.name == "course"], rounds))
        return {}, None

    def course(operator, name, knobs, change=""):
        return Candidate("course", "", None, name)

    monkeypatch.setattr(sweep.operator_peers, "course", course)
    monkeypatch.setattr(sweep, "peers", lambda operator, short: [])
    monkeypatch.setattr(interleaved, "measure", measure)
    for offsets in ((1, 0, 0), ()):
        assert list(sweep.rows(Setting(ADD, 1 << 28, COLD, offsets))) == []
    want = [list(sweep.sliced_launches()), list(sweep.launches(ADD, 1 << 28))]
    assert asked == [(names, 9) for names in want]


def test_the_plan_of_the_sweep(monkeypatch):
    monkeypatch.setattr(sweep.operator_sources, "fast", "{}{}.cu".format)
    plan = sweep.SWEEP
    assert plan.module == "helpers.measure.libraries.sweep"
    assert plan.table.name == "operator_sweep.csv" and plan.key == plan.table.key[1:7]
    assert {"add.cu", "addkThreads 128.cu"} <= set(plan.sources(plan.settings()))
    views = {"relu odd part.cu", "add odd part.cu", "add odd row.cu", "relu every second.cu"}
    assert len(plan.sources(plan.settings())) == 21 * 4 + len(views)
    assert {
        one for one in plan.sources(sweep.singly()) if "odd" in one or "every" in one
    } == views
    assert len(plan.sources(sweep.smaller())) == 5 * 4


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("packs 1 x 512", "kThreads 512"),
        ("half packs x 512", "kThreads 512"),
        ("packs 1 x 256", ""),
        ("packs 2 x 128", ""),
        ("packs 2 x 256", "kThreads 512"),
        ("packs 2 x 512", "kThreads 1024"),
        ("bulk 2 x 128, 48 KB", "kThreads 128"),
        ("bulk 2 x 256, 48 KB", ""),
        ("bulk 1 x 512, 48 KB", "kThreads 512"),
    ],
)
def test_a_block_of_another_size_is_a_change_of_the_header(monkeypatch, name, change):
    asked = []
    monkeypatch.setattr(sweep.operator_peers, "course", lambda *call: asked.append(call))
    knobs = (sweep.short_launches() | sweep.launches(ADD, 1 << 28))[name]
    sweep.course(ADD, name, knobs)
    without = {k: v for k, v in knobs.items() if k != "threads"}
    assert asked == [(ADD, name, without, change)]


def test_two_packs_of_which_less_is_stored_have_all_threads(monkeypatch):
    asked = []
    monkeypatch.setattr(sweep.operator_peers, "course", lambda *call: asked.append(call[1:]))
    narrowing, widening = (
        Operator.of("cast", *names)
        for names in (("float32", "float16"), ("float16", "float32"))
    )
    knobs = {"path": sweep.PACKS, "threads": 256, "packs": 2}
    for operator in (narrowing, widening):
        sweep.course(operator, "packs 2 x 256", knobs)
    without = {"path": sweep.PACKS, "packs": 2}
    assert asked == [
        ("packs 2 x 256", without, ""),
        ("packs 2 x 256", without, "kThreads 512"),
    ]


def test_long_work_tries_three_sizes_of_blocks_with_one_and_two_packs():
    found = sweep.launches(ADD, 1 << 28)
    for threads in (128, 256, 512):
        for packs in (1, 2):
            knobs = found[f"packs {packs} x {threads}"]
            assert (knobs["threads"], knobs["packs"]) == (threads, packs)
    sizes = {(k["threads"], k["packs"]) for name, k in found.items() if name[:4] == "pack"}
    assert sizes == set(itertools.product((128, 256, 512), (1, 2)))
