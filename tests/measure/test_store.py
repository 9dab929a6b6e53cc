"""What is recorded is read back as it was, the newest of equal rows first choice, and never half written."""

import pandas as pd
import pytest

from helpers.measure import store
from helpers.measure.bench import Measurement
from helpers.run import machine


def measurement(time_us=10.0, **changes):
    fields = {
        "kernel": "v1_f32",
        "elements": 1 << 20,
        "dtype": "float32",
        "method": "graph hot",
        "time_us": time_us,
        "low_us": time_us - 1,
        "high_us": time_us + 1,
        "repeats": 12,
        "bytes_moved": 12 << 20,
        "gpu": "NVIDIA Test",
        "block_size": 256,
    }
    return Measurement(**(fields | changes))


def test_bandwidth_is_bytes_over_time():
    assert measurement(time_us=12.582912).gb_per_s == pytest.approx(1000)
    assert measurement(time_us=12.582912).percent_of(2000) == pytest.approx(50)


def test_a_record_is_read_back_and_the_newest_wins(tmp_path):
    path = tmp_path / "runs.csv"
    store.append(
        [measurement(10.0), measurement(20.0, kernel="torch.add", block_size=None)],
        "ladder",
        path,
    )
    store.append([measurement(11.0)], "ladder", path)
    rows = store.load("ladder", path=path)
    assert sorted(rows.time_us) == [11.0, 20.0]
    assert len(store.load("ladder", path=path, latest=False)) == 3
    assert rows[rows.kernel == "torch.add"].block_size.isna().all()
    assert (rows.torch == machine.present().torch).all() and rows.date.str.len().eq(10).all()
    assert not list(tmp_path.glob("*.tmp"))


def test_only_the_experiment_and_the_card_that_were_asked_for(tmp_path):
    path = tmp_path / "runs.csv"
    store.append([measurement()], "ladder", path)
    store.append([measurement(gpu="NVIDIA Other")], "sweep", path)
    assert list(store.load("sweep", path=path).gpu) == ["NVIDIA Other"]
    assert list(store.load(gpu="Test", path=path).experiment) == ["ladder"]


def test_no_record_says_how_to_make_one(tmp_path):
    with pytest.raises(FileNotFoundError, match="make record"):
        store.load(path=tmp_path / "none.csv")


def test_the_articles_table_is_complete_and_consistent():
    rows = store.article()
    assert len(rows) == 24 and set(rows.elements) == {1 << 20, 1 << 24, 1 << 28}
    itemsize = rows.dtype.map({"float32": 4, "float16": 2})
    computed = 3 * itemsize * rows.elements / rows.time_us / 1e3
    # Times were printed to 0.1 us, so the small ones are known to about one per cent only.
    assert ((computed / rows.gb_per_s - 1).abs() < 0.02).all()


def test_the_committed_record_names_its_machine():
    rows = store.load(latest=False)
    assert (
        not rows[["date", "gpu", "driver", "cuda", "torch", "commit", "method"]]
        .isna()
        .any()
        .any()
    )
    known = rows[rows.gb_per_s > 0]
    assert len(known) and (known.time_us > 0).all() and (known.low_us <= known.high_us).all()


def test_recorded_adds_are_internally_consistent():
    rows = store.load("ladder")
    itemsize = rows.dtype.map({"float32": 4, "float16": 2, "bfloat16": 2})
    computed = 3 * itemsize * rows.elements / rows.time_us / 1e3
    assert ((computed / rows.gb_per_s - 1).abs() < 0.01).all()


@pytest.mark.skipif(machine.present().is_gpu, reason="a GPU measures instead")
def test_without_a_gpu_the_recorded_rows_are_those_that_were_asked_for(capsys):
    rows = store.measured_or_recorded(["torch.add"], [1 << 20, 1 << 28], "float16")
    assert list(rows.elements) == [1 << 20, 1 << 28] and set(rows.dtype) == {"float16"}
    assert "recorded on NVIDIA H200" in capsys.readouterr().out
    assert isinstance(rows, pd.DataFrame)
