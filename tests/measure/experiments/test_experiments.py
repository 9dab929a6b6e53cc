"""The experiments' data and calls, without a clock: what is timed on a GPU is right on the emulator, too."""

import pytest
import torch

from helpers.errors import NoGpuError
from helpers.measure import bench, experiments, store
from helpers.model import warps
from helpers.run import jit


@pytest.fixture
def no_clock(monkeypatch):
    """bench.measure_calls makes each call once and reports a microsecond."""

    def once(
        calls,
        *,
        kernel,
        elements,
        dtype,
        bytes_moved,
        block_size=None,
        flops=0,
        parameter=None,
        **_,
    ):
        calls[0]()
        times = {
            "time_us": 1.0,
            "low_us": 1.0,
            "high_us": 1.0,
            "repeats": 1,
            "gpu": "none",
            "method": "graph hot",
        }
        what = {
            "kernel": kernel,
            "elements": elements,
            "dtype": dtype,
            "bytes_moved": bytes_moved,
            **times,
        }
        return bench.Measurement(
            **what, block_size=block_size, flops=flops, parameter=parameter
        )

    monkeypatch.setattr(bench, "measure_calls", once)
    monkeypatch.setattr(
        bench,
        "measure_copy",
        lambda x: once([x.clone], kernel="copy", elements=1, dtype="", bytes_moved=1),
    )


def test_the_orders_hold_the_same_numbers():
    x = {order: experiments.branch_data(3200, 0.25, order) for order in experiments.ORDERS}
    for values in x.values():
        assert torch.equal(values.sort().values, x["mixed"].sort().values)
        assert int((values >= 0).sum()) == 800
    takes_a = {order: (values >= 0).numpy() for order, values in x.items()}
    divergent = {
        order: warps.branch_cost(mask, 100, 1).divergent for order, mask in takes_a.items()
    }
    assert divergent == {"mixed": 100, "sorted": 0, "by warp": 0}
    assert (takes_a["by warp"][:2400].sum() > 0) and not takes_a["sorted"][:2400].any()


@pytest.mark.parametrize("fraction", [0, 1])
def test_the_ends_are_of_one_sign(fraction):
    assert bool(((experiments.branch_data(64, fraction, "mixed") >= 0) == bool(fraction)).all())


def test_data_of_another_kind_are_refused():
    with pytest.raises(ValueError, match="multiple of 32"):
        experiments.branch_data(33, 0.5, "mixed")
    with pytest.raises(ValueError, match="order"):
        experiments.branch_data(64, 0.5, "unsorted")


def test_divergence_measures_every_order_of_every_fraction(no_clock):
    rows = experiments.divergence(sizes=[(1 << 10, 100)], fractions=[0, 0.5, 1])
    assert len(rows) == 3 * 3 + 3
    assert {row.kernel for row in rows if row.parameter == 0} == {
        f"branch 100 {o}" for o in experiments.ORDERS
    }


def test_the_crossover_has_two_launchers_for_each_point(no_clock):
    rows = experiments.select_crossover(sizes=[1 << 10], steps=[1, 4])
    assert len(rows) == 2 * 2 * len(experiments.CROSSOVER_DATA)
    assert {row.parameter for row in rows} == {1, 4}


def test_every_way_sums_the_same_array(no_clock):
    x = torch.randint(-9, 9, (70_001,)).float()
    for name, (call, count) in experiments.sum_calls(jit.load("sums"), x).items():
        call()
        out = call.keywords.get("out", call.args[-1])  # the partial sums, or the total
        assert out.sum() == x.sum(), name
        assert out.numel() in (1, count)
    assert len(experiments.sums(sizes=[1000])) == 13


def test_without_a_gpu_nothing_is_recorded():
    if bench.machine.present().is_gpu:
        pytest.skip("there is a GPU")
    with pytest.raises(NoGpuError):
        experiments.record(["sums"])


def test_no_record_is_said(capsys, monkeypatch, tmp_path):
    if bench.machine.present().is_gpu:
        pytest.skip("there is a GPU")
    monkeypatch.setitem(experiments.EXPERIMENTS, "never recorded", experiments.sums)
    assert experiments.measured_or_recorded("never recorded").empty
    assert "NO RECORD of 'never recorded'" in capsys.readouterr().out
    with pytest.raises(KeyError, match="divergence"):
        experiments.measured_or_recorded("unknown")


def test_a_parameter_tells_rows_apart_in_a_record(tmp_path):
    path = tmp_path / "runs.csv"
    same = {
        "kernel": "k",
        "elements": 8,
        "dtype": "float32",
        "method": "graph hot",
        "low_us": 1.0,
        "high_us": 1.0,
    }
    for time_us in (2.0, 1.0):
        rows = [
            bench.Measurement(
                **same,
                time_us=time_us,
                repeats=1,
                bytes_moved=8,
                gpu="card",
                parameter=parameter,
            )
            for parameter in (0.25, 0.5)
        ]
        store.append(rows, "an experiment", path)
    loaded = store.load("an experiment", path=path)
    assert loaded.parameter.tolist() == [0.25, 0.5]
    assert loaded.time_us.tolist() == [1.0, 1.0]


def test_a_recorded_roof_is_the_newest(tmp_path):
    path = tmp_path / "roofs.csv"
    path.write_text(
        "gpu,quantity,value\nNVIDIA H200,copy_GBps,1\nNVIDIA H200,copy_GBps,2\nother,copy_GBps,3\n"
    )
    assert store.roof("copy_GBps", path=path) == 2
    with pytest.raises(KeyError, match="copy_GBps"):
        store.roof("no such roof", path=path)
