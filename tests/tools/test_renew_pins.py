"""The exact versions of constraints.txt, and the tool that writes them."""

import re
import subprocess
import sys

import pytest

from helpers import paths
from tools import renew_pins

PINS = renew_pins.PINS.read_text(encoding="utf-8")


def test_every_dependency_is_pinned():
    text = (paths.ROOT / "pyproject.toml").read_text(encoding="utf-8")
    wanted = set()
    for name in ("dependencies", "test"):
        block = re.search(rf"^{name} = \[\n(.*?)^\]", text, flags=re.M | re.S)[1]
        wanted |= {found.lower() for found in re.findall(r'^ *"([\w-]+)', block, flags=re.M)}
    pinned = set(re.findall(r"^([\w-]+)==", PINS, flags=re.M))
    assert len(wanted) > 15 and wanted <= {name.lower().replace("_", "-") for name in pinned}


def test_pins_name_versions_only():
    for line in PINS.removeprefix(renew_pins.HEADER).splitlines():
        assert re.fullmatch(r"[\w.-]+==[\w.]+( ; .+)?", line)
        assert not renew_pins.OF_TORCH.match(line)
    assert PINS.startswith(renew_pins.HEADER)


def test_torch_stays_unless_another_is_asked_for(monkeypatch):
    asked = []

    def run(command, **options):
        asked.append((command, options))
        out = "nvidia-cudnn-cu13==1\nnvidia-cuda-nvdisasm==13.0\ntorch==9\ntriton==3\n"
        return subprocess.CompletedProcess(command, 0, out, "")

    monkeypatch.setattr(subprocess, "run", run)
    assert renew_pins.resolve("9") == ["nvidia-cuda-nvdisasm==13.0", "torch==9"]
    ((command, options),) = asked
    assert options["input"] == "torch==9\n" + renew_pins.HELD
    assert command[:3] == [sys.executable, "-m", "uv"] and "--universal" in command
    assert f"torch=={renew_pins.torch_pin()}\n" in PINS


def test_ranges_that_contradict_each_other_are_reported(monkeypatch):
    failed = subprocess.CompletedProcess([], 1, "", "no solution")
    monkeypatch.setattr(subprocess, "run", lambda *_, **__: failed)
    with pytest.raises(SystemExit, match="no solution"):
        renew_pins.resolve("9")
