"""The launches, the data and the tables of the latency experiments, on the emulator."""

from types import SimpleNamespace

import pandas as pd
import pytest
import torch

from helpers import specs
from helpers.errors import BuildError, NoGpuError
from helpers.measure import bench, store
from helpers.measure.experiments import latency
from helpers.model import occupancy
from helpers.run import machine


@pytest.mark.parametrize("cc", specs.compute_capabilities())
@pytest.mark.parametrize("count", latency.READ_WARPS)
def test_a_launch_puts_just_the_warps_asked_for_on_an_sm(cc, count):
    launch = latency.read_launch(cc, count, 32)
    if count <= specs.compute_capability(cc).max_warps_per_sm and cc != "7.5":
        assert launch is not None
    if launch is not None:
        assert occupancy.occupancy(cc, launch[0], 32, launch[1]).warps == count


def test_launches_on_an_h200():
    # 228 KiB an SM, 1 KiB reserved a block, at most 227 KiB a block; notebook 15 prints these.
    assert latency.read_launch("9.0", 1, 32) == (32, 227 << 10)
    assert latency.read_launch("9.0", 8, 32) == (256, 227 << 10)
    assert latency.read_launch("9.0", 64, 32) == (256, (228 << 10) // 8 - 1024)


def test_a_launch_that_the_registers_forbid_is_left_out():
    assert latency.read_launch("9.0", 64, 40) is None
    assert latency.read_launch("9.0", 48, 40) is not None


def test_registers_are_of_the_architecture_and_the_version(monkeypatch):
    class Report:
        def kernel(self, name):
            return type("Kernel", (), {"registers": names.append(name) or 7})

    names, archs = [], []
    monkeypatch.setattr(
        latency.sass, "read", lambda file, arch: archs.append((file, arch)) or Report()
    )
    assert latency.read_registers("sm_120", 16, 8) == 7
    latency.read_registers("sm_90", 4, 1)
    assert names == ["read_kernel<float4, 8>", "read_kernel<float, 1>"]
    assert archs == [("latency_hiding", "sm_120"), ("latency_hiding", "sm_90")]


def test_recorded_registers_of_an_h200():
    assert latency.read_registers("sm_90", 16, 8) > latency.read_registers("sm_90", 4, 1) > 0


@pytest.fixture
def reads(gpu, no_check, monkeypatch):
    """Measure "latency hiding" on 5,000 elements; the largest reads need 40 registers."""
    asked = []

    def registers(arch, load_bytes, unroll):
        asked.append(arch)
        return 40 if load_bytes * unroll >= 64 else 32

    monkeypatch.setattr(latency, "read_registers", registers)
    monkeypatch.setattr(latency, "READ_ELEMENTS", 5000)
    rows = latency.measure_latency_hiding(warps=(1, 8, 64))
    assert set(asked) == {"sm_90"}
    return rows


def test_every_setting_of_the_read_kernel_is_measured_once(reads):
    table = latency.read_table(store.frame(reads, "latency hiding"))
    settings = table[~table.large_l1][["load_bytes", "unroll", "warps"]]
    assert not settings.duplicated().any()
    assert len(settings) == 8 * 3 - 2  # 64 warps do not fit with 40 registers
    row = table[
        (table.warps == 8) & (table.unroll == 4) & (table.load_bytes == 16) & ~table.large_l1
    ]
    assert row.kilobytes.item() == pytest.approx(16.384)  # 8 warps x 32 lanes x 4 x 16 bytes


def test_a_large_l1_is_left_to_the_last_reads(reads, gpu):
    table = latency.read_table(store.frame(reads, "latency hiding"))
    large = table[table.large_l1]
    assert large.warps.tolist() == [8, 16, 32, 48]
    assert set(large.unroll) == {4} and set(large.load_bytes) == {16}
    x, sums, unroll, load_bytes, shared, block_size = gpu.calls[-1].functions[0].args
    assert (len(x), len(sums)) == (5000, 32 * 48 * 2)
    assert (unroll, load_bytes, shared, block_size) == (4, 16, 0, 256)


def test_a_lesson_may_measure_one_setting_alone(reads):
    one = latency.measure_latency_hiding(loads=[(16, 8)], warps=[8], large_l1=[])
    assert [(row.parameter, row.dials["unroll"], row.dials["load_bytes"]) for row in one] == [
        (8, 8, 16)
    ]


def test_what_a_read_counts(reads, gpu):
    assert {(row.elements, row.bytes_moved, row.dtype) for row in reads} == {
        (5000, 20000, "float32")
    }
    assert {call.precision for call in gpu.calls} == {0.01}
    assert {row.block_size for row in reads if row.parameter == 1} == {32}
    call = gpu.calls[0].functions[0]
    assert call.args[2:] == (1, 4, 227 << 10, 32)


def test_spans_go_from_8_kib_to_2_gib():
    spans = latency.chase_spans()
    assert spans[:3] == [8192, 12288, 16384] and spans[-2:] == [3 << 29, 1 << 31]
    assert len(spans) == 37


@pytest.fixture
def chase(gpu, no_check, monkeypatch):
    monkeypatch.setattr(latency, "CHASE_LOADS", 200)
    return latency.measure_pointer_chase([1 << 13, 1 << 18, 1 << 19])


def test_the_chase_gives_latency_and_clock(chase):
    table = latency.chase_table(store.frame(chase, "pointer chase"))
    assert table.span.tolist() == [1 << 13, 1 << 18, 1 << 19]
    assert table.ns.tolist() == pytest.approx([500_000 / 200] * 3)
    assert (table.cycles >= 0).all()
    table["cycles"] = [2500.0, 5000.0, 7500.0]
    assert latency.latency_and_clock(table, 250_000) == (2500.0, 2.0)


def test_a_row_of_the_chase(chase):
    row = chase[1]
    assert (row.kernel, row.dtype, row.method) == ("pointer_chase", "int32", "chase")
    assert (row.elements, row.bytes_moved, row.repeats) == (1 << 16, 800, 3)
    assert (row.time_us, row.low_us, row.high_us) == (500, 500, 500)
    assert row.gpu == "NVIDIA H200"


def test_caches_are_in_the_same_state_before_each_chase(gpu):
    steps = []
    clean = torch.ones(1 << 16, dtype=torch.int8)

    def run(links, last, cycles, count):
        steps.append((count, int(clean.sum())))
        cycles.fill_(count)

    row = latency._measure_chase(run, 1 << 16, clean, "card")
    assert [count for count, _ in steps] == [65536, 65536] * 3  # walked once, then timed
    assert clean.all()
    assert row.sm_cycles == 1.0
    steps.clear()
    latency._measure_chase(run, 1 << 17, clean, "card")
    assert steps == [(65536, 0)] * 3  # other data are in L2


def test_without_a_chase_the_recorded_latency_serves(capsys):
    ns, clock = latency.latency_and_clock(latency.chase_table(store.frame([])), 1 << 29)
    assert 200 < ns < 1000 and clock == pytest.approx(1.98)
    assert "ceilings.csv" in capsys.readouterr().out


def test_tables_of_no_rows_are_empty():
    nothing = store.frame([])
    for table in (latency.read_table(nothing), latency.chase_table(nothing)):
        assert isinstance(table, pd.DataFrame) and table.empty


def test_a_gpu_is_required():
    if machine.present().is_gpu:
        pytest.skip("there is a GPU")
    with pytest.raises(NoGpuError):
        latency.measure_latency_hiding()
    with pytest.raises(NoGpuError):
        latency.measure_pointer_chase()


def test_the_record_is_of_the_default_settings():
    reads = latency.read_table(store.load("latency hiding", "H200"))
    assert set(reads.elements) == {latency.READ_ELEMENTS} == {2**27}
    assert set(reads.warps) == set(latency.READ_WARPS)
    pairs = set(zip(reads.load_bytes, reads.unroll, strict=True))
    assert pairs == set(latency.READ_LOADS)
    chase = store.load("pointer chase", "H200")
    assert chase.parameter.tolist() == latency.chase_spans()
    assert set(chase.bytes_moved) == {4 * latency.CHASE_LOADS}
    assert set(chase.elements * 4 / chase.parameter) == {1}


def test_without_the_tools_the_most_of_the_recorded_registers_serve(monkeypatch):
    listings = {"sm_90": 20, "sm_120": 30}

    def read(file, arch):
        if arch not in listings:
            raise BuildError("no tools")
        kernel = SimpleNamespace(registers=listings[arch])
        return SimpleNamespace(kernel=lambda name: kernel)

    rows = [SimpleNamespace(kernel="latency_hiding", arch=arch) for arch in listings]
    rows.append(SimpleNamespace(kernel="v1_f32", arch="sm_75"))
    monkeypatch.setattr(latency.sass, "read", read)
    monkeypatch.setattr(latency.sass, "manifest", lambda: rows)
    assert latency.read_registers("sm_75", 4, 1) == 30
    assert latency.read_registers("sm_90", 4, 1) == 20


def test_working_sets_fit_the_memory(monkeypatch):
    asked = []

    def fits(elements, each):
        asked.append((elements, each))
        return min(elements, 1 << 20)

    monkeypatch.setattr(bench, "largest_that_fits", fits)
    assert latency._fitting_spans([1 << 13, 1 << 22, 1 << 23]) == [1 << 13, 1 << 22]
    assert asked == [(1 << 21, 20)]
    assert latency._fitting_spans(None)[-1] == 1 << 22


@pytest.mark.parametrize(
    ("name", "rows"),
    [
        ("latency hiding", 73),
        ("pointer chase", 37),
    ],
)
def test_what_is_measured_is_what_the_record_has(name, rows, compare_with_the_record):
    assert compare_with_the_record(name) == rows
