"""nvml: an answer, or None where the library or the driver has none."""

import pynvml
import pytest

from helpers.run import nvml


def test_an_answer(monkeypatch):
    monkeypatch.setattr(pynvml, "nvmlInit", lambda: None)
    monkeypatch.setattr(pynvml, "nvmlDeviceGetMemoryBusWidth", lambda device: 8 * device)
    assert nvml.ask("nvmlDeviceGetMemoryBusWidth", 2) == 16


@pytest.mark.parametrize("fails", ["nvmlInit", "nvmlSystemGetDriverVersion"])
def test_a_refusal_is_none(monkeypatch, fails):
    def refuse():
        raise pynvml.NVMLError(pynvml.NVML_ERROR_NOT_SUPPORTED)

    monkeypatch.setattr(pynvml, "nvmlInit", lambda: None)
    monkeypatch.setattr(pynvml, "nvmlSystemGetDriverVersion", lambda: "1")
    assert nvml.ask("nvmlSystemGetDriverVersion") == "1"
    monkeypatch.setattr(pynvml, fails, refuse)
    assert nvml.ask("nvmlSystemGetDriverVersion") is None


def test_no_library(monkeypatch):
    monkeypatch.setattr(nvml, "pynvml", None)
    assert nvml.ask("nvmlSystemGetDriverVersion") is None
    assert nvml.device("1") is None


@pytest.mark.parametrize(
    ("uuid", "name"), [("12", "GPU-12"), ("GPU-12", "GPU-12"), ("MIG-3", "MIG-3")]
)
def test_a_device_by_its_uuid(monkeypatch, uuid, name):
    monkeypatch.setattr(nvml, "ask", lambda *question: question)
    assert nvml.device(uuid) == ("nvmlDeviceGetHandleByUUID", name)


@pytest.mark.parametrize(("answer", "count"), [(4, 4), (None, 0)])
def test_how_many(monkeypatch, answer, count):
    monkeypatch.setattr(nvml, "ask", {"nvmlDeviceGetCount": answer}.get)
    assert nvml.count() == count
