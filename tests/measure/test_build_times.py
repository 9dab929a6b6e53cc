"""Cold builds are timed in an empty cache, and the environment is as it was afterwards."""

import os
from pathlib import Path

import pytest

from helpers.measure import build_times, store
from helpers.model.ladder import NAMES
from helpers.run import machine


@pytest.fixture
def clock(monkeypatch):
    """Move a clock by two seconds a build; collect what was built, and in what cache."""
    built = []

    def build(name):
        folder = Path(os.environ["ELEMENTWISE_CACHE"])
        assert os.environ["TORCH_EXTENSIONS_DIR"] == str(folder)
        if not built or built[-1][1] != folder:
            assert not list(folder.iterdir())
        (folder / name).write_text("")
        built.append((name, folder))

    monkeypatch.setattr(build_times.time, "perf_counter", lambda: 2.0 * len(built))
    monkeypatch.setattr(build_times.jit, "load", build)
    monkeypatch.setattr(build_times, "_build_classic", build)
    return built


def test_seconds_of_some_builds(clock, monkeypatch):
    monkeypatch.setenv("ELEMENTWISE_CACHE", "before")
    monkeypatch.delenv("TORCH_EXTENSIONS_DIR", raising=False)
    assert build_times.cold_seconds(["a", "b", "c"], build_times.jit.load) == 6.0
    assert os.environ["ELEMENTWISE_CACHE"] == "before"
    assert "TORCH_EXTENSIONS_DIR" not in os.environ
    assert not clock[0][1].exists()


def test_the_environment_is_restored_after_an_error(monkeypatch):
    monkeypatch.setenv("ELEMENTWISE_CACHE", "before")
    with pytest.raises(ZeroDivisionError):
        build_times.cold_seconds(["a"], lambda name: 1 / 0)
    assert os.environ["ELEMENTWISE_CACHE"] == "before"


@pytest.mark.skipif(machine.present().is_gpu, reason="for machines without a GPU")
def test_on_the_emulator_two_rows(clock):
    rows = build_times.measure()
    assert list(rows.columns) == list(store.BUILD_TIMES.columns)
    assert rows.way.tolist() == ["this course, emulator"] * 2
    count = len(NAMES)
    assert rows.kernels.tolist() == [1, count]
    assert rows.seconds.tolist() == [2.0, 2.0 * count]
    assert set(rows.machine) == {"g++, no GPU"}
    assert rows.cores.tolist() == [os.cpu_count()] * 2
    assert [name for name, _ in clock] == ["v1_f32", *NAMES]
    assert len({folder for _, folder in clock}) == 2


def test_on_a_gpu_the_classic_way_too(clock, fake_gpu):
    rows = build_times.measure()
    assert rows.way.tolist() == [*["this course, on a GPU"] * 2, build_times.CLASSIC]
    assert rows.kernels.tolist() == [1, len(NAMES), 1]
    assert set(rows.machine) == {"NVIDIA H200, nvcc None"}


def test_the_classic_build(fake_gpu, monkeypatch):
    from torch.utils import cpp_extension

    seen = []
    monkeypatch.setattr(
        cpp_extension,
        "load",
        lambda name, sources: seen.append((name, sources, os.environ["TORCH_CUDA_ARCH_LIST"])),
    )
    build_times._build_classic("v1_f32")
    ((name, (source,), arch),) = seen
    assert (name, arch) == ("v1_f32", "9.0")
    assert Path(source).is_file() and source.endswith("kernels/v1_f32_classic.cu")


def test_the_bar_of_the_builds_leaves_no_line(clock, monkeypatch):
    bars = []
    monkeypatch.setattr(
        build_times, "tqdm", lambda names, **options: bars.append(options) or names
    )
    build_times.cold_seconds(["a"], build_times.jit.load)
    assert bars == [{"desc": "building", "leave": False}]
