"""calls: what the child process is told to call, and with which bytes."""

import json

import pytest
import torch

from helpers.run import toolchain
from helpers.run.first_launch import calls
from tests.run.first_launch.conftest import DECLARATIONS


@pytest.fixture
def written(tmp_path, monkeypatch):
    """Return a function that writes the calls of a launcher and reads the files again."""
    monkeypatch.setattr(calls, "runtime_library", lambda: "/the/runtime")
    monkeypatch.setenv("ELEMENTWISE_KERNEL_TIMEOUT", "2.5")

    def write(name, arguments, sizes):
        calls.write_calls(tmp_path, tmp_path / "k.so", DECLARATIONS[name], arguments, sizes)
        spec = json.loads((tmp_path / "calls.json").read_text())
        assert spec["library"] == str(tmp_path / "k.so") and spec["launcher"] == name
        assert spec["runtime"] == "/the/runtime" and spec["timeout"] == 2.5
        return spec["calls"], (tmp_path / "data").read_bytes()

    return write


def scale(n, what=0):
    return [torch.arange(n).float(), torch.ones(n), what, 2.0]


def entries(call, *fields):
    return [[entry.get(field) for field in fields] for entry in call]


def test_the_callers_call_and_a_longer_one(written):
    (own, longer), data = written("scale", scale(8, 3), [8])
    assert entries(own, "type", "value")[2:] == [
        ["int64_t", 8],
        ["int", 3],
        ["double", 2.0],
        ["pointer", None],
    ]
    assert entries(own, "name", "bytes", "itemsize", "data")[:2] == [
        ["x", 32, 4, 0],
        ["out", 32, 4, 32],
    ]
    assert data == torch.arange(8).float().numpy().tobytes() + torch.ones(8).numpy().tobytes()
    assert entries(longer, "bytes", "data")[:2] == [[4_000_012, None]] * 2
    assert longer[2]["value"] == 1_000_003 and longer[3:] == own[3:]


@pytest.mark.parametrize(("n", "count"), [(1_000_002, 2), (1_000_003, 1), (1_000_004, 1)])
def test_a_long_tensor_needs_no_longer_one(written, n, count):
    made, data = written("scale", scale(n), [n])
    assert len(made) == count and len(data) == 8 * n


def test_large_tensors_are_tried_smaller_and_with_zeros(written, monkeypatch):
    n = 1_000_004
    monkeypatch.setattr(calls, "DATA_BYTES", 8 * n)
    (own,), data = written("scale", scale(n), [n])
    assert own[2]["value"] == n and len(data) == 8 * n
    monkeypatch.setattr(calls, "DATA_BYTES", 8 * n - 1)
    (own,), data = written("scale", scale(n), [n])
    assert own[2]["value"] == 1_000_003 and data == b""
    assert entries(own, "bytes", "data")[:2] == [[4_000_012, None]] * 2


def test_large_tensors_of_another_shape_keep_their_sizes(written, monkeypatch):
    monkeypatch.setattr(calls, "DATA_BYTES", 1)
    arguments = [torch.zeros(3, 4), torch.zeros(4, dtype=torch.int32), torch.tensor([-1]), 0.5]
    (own,), data = written("mixed", arguments, [3, 4])
    assert data == b"" and entries(own, "bytes")[:3] == [[48], [16], [8]]
    assert entries(own, "value")[3:6] == [[3], [4], [0.5]]


def test_while_a_graph_is_captured_no_data_are_read(written, monkeypatch):
    monkeypatch.setattr(torch.cuda, "is_initialized", lambda: True)
    monkeypatch.setattr(torch.cuda, "is_current_stream_capturing", lambda: True)
    (own, _), data = written("scale", scale(8), [8])
    assert data == b"" and own[0]["data"] is None and own[0]["bytes"] == 32


def test_the_address_within_an_allocation(written):
    whole = torch.zeros(256)
    start = (-whole.data_ptr() // 4) % 64
    (own, longer), _ = written(
        "scale", [whole[start + 3 : start + 5], torch.ones(2), 0, 1.0], [2]
    )
    assert own[0]["offset"] == longer[0]["offset"] == 12


def test_empty_tensors_have_no_data(written):
    (own, _), data = written("scale", [torch.ones(0), torch.ones(0), 0, 1.0], [0])
    assert entries(own, "bytes", "data")[:2] == [[0, None], [0, None]] and data == b""


def test_the_runtime_of_this_process_else_nvccs(tmp_path, monkeypatch):
    maps = "7f00-7f01 r-xp 0 0:0 1  /a b/lib/libcudart.so.13\n7f02-7f03 r-xp 0 0:0 2  /c.so\n"
    monkeypatch.setattr(calls.Path, "read_text", lambda self: maps)
    assert calls.runtime_library() == "/a b/lib/libcudart.so.13"
    maps = ""
    (tmp_path / "lib").mkdir()
    (tmp_path / "lib" / "libcudart.so.12").touch()
    nvcc = toolchain.Nvcc(tmp_path, "12.9", "PATH")
    monkeypatch.setattr(calls, "find_nvcc", lambda: nvcc)
    assert calls.runtime_library() == str(tmp_path / "lib" / "libcudart.so.12")
    monkeypatch.setattr(calls, "find_nvcc", lambda: None)
    assert calls.runtime_library() == "libcudart.so"
