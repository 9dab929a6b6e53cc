"""Launches that depend on each other, and slices: a wrong one is found."""

import subprocess
from pathlib import Path
from types import SimpleNamespace

import pytest
import torch

from helpers.measure.libraries import soundness
from helpers.run.toolchain import Tool


def add(a, b, out, **knobs):
    torch.add(a, b, out=out)


def tool_at(path):
    return Tool(Path(path), "PATH", "13.0")


class Launchers:
    add = add_f16 = add_bf16 = staticmethod(add)


@pytest.fixture
def right_kernel(monkeypatch):
    monkeypatch.setattr(soundness, "kernel", lambda name: Launchers)


def test_right_kernels_are_right_everywhere(right_kernel, monkeypatch):
    monkeypatch.setattr(soundness, "SLICES", 2)
    tried = list(soundness.outcomes((50, 70)))
    assert all(right for _, right in tried)
    assert len(tried) == 3 * 2 * 2 * (2 * 2 + 2)
    assert len({words for words, _ in tried if words.startswith("random streams")}) == 24


def test_a_launch_that_reads_too_early_is_found():
    pending = []

    def late(a, b, out):
        pending.append((a.clone(), b, out))
        if len(pending) > 1:
            add(*pending.pop(0))

    assert not soundness.streams_are_right(late, torch.float32, 100)
    assert soundness.streams_are_right(add, torch.float16, 100)


def test_a_store_outside_the_slice_is_found():
    def too_far(a, b, out):
        add(a, b, out)
        out.as_strided((1,), (1,), out.storage_offset() + out.numel()).add_(1)

    def too_early(a, b, out):
        add(a, b, out)
        out.as_strided((1,), (1,), out.storage_offset() - 1).add_(1)

    for wrong in (too_far, too_early):
        assert not soundness.slice_is_right(wrong, torch.float32, 100, [1, 2, 3])
    assert soundness.slice_is_right(add, torch.bfloat16, 100, [1, 2, 3])


def test_what_is_wrong_is_named(monkeypatch, capsys):
    monkeypatch.setattr(soundness, "outcomes", lambda: [("chain: x", False), ("slices", True)])
    assert soundness.main(["--tools"]) == 1
    assert capsys.readouterr().out == "WRONG: chain: x\n1 of 2 right\n"


@pytest.mark.parametrize(("status", "clean"), [(0, True), (9, False)])
def test_a_tool_s_last_lines_are_shown(monkeypatch, capsys, status, clean):
    asked = []

    def run(command, **options):
        asked.append((command, options["timeout"]))
        out = "144 of 144 right\n========= ERROR SUMMARY: 0 errors\n"
        return SimpleNamespace(stdout=out, stderr="", returncode=status)

    monkeypatch.setattr(
        soundness, "find_tool", lambda name: Tool(Path("/cuda", name), "PATH", "13")
    )
    monkeypatch.setattr(soundness.subprocess, "run", run)
    assert soundness.under("memcheck") is clean
    (((first, *rest), seconds),) = asked
    assert first == "/cuda/compute-sanitizer" and seconds == soundness.SECONDS
    assert rest[:4] == ["--tool", "memcheck", "--error-exitcode", "9"]
    assert rest[-2:] == ["helpers.measure.libraries.soundness", "--tools"]
    said = "memcheck: 144 of 144 right; ========= ERROR SUMMARY: 0 errors\n"
    assert capsys.readouterr().out == said


def test_a_tool_that_is_missing_or_slow_has_not_passed(monkeypatch, capsys):
    monkeypatch.setattr(soundness, "find_tool", lambda name: None)
    assert not soundness.under("memcheck")

    def run(command, **options):
        raise subprocess.TimeoutExpired(command, options["timeout"])

    monkeypatch.setattr(soundness, "find_tool", tool_at)
    monkeypatch.setattr(soundness.subprocess, "run", run)
    assert not soundness.under("racecheck")
    assert capsys.readouterr().out == (
        "compute-sanitizer is not installed\nracecheck: not finished in 180 s\n"
    )


def test_on_a_gpu_every_tool_is_asked(monkeypatch, capsys):
    monkeypatch.setattr(soundness, "outcomes", lambda: [("chain", True)])
    monkeypatch.setattr(soundness.machine, "present", lambda: SimpleNamespace(is_gpu=True))
    asked = []
    monkeypatch.setattr(soundness, "under", lambda tool: asked.append(tool) or tool != "b")
    assert soundness.main(["--tools", "a", "b", "c"]) == 1
    assert soundness.main(["--tools", "a"]) == 0
    assert soundness.main([]) == 0
    assert asked == ["a", "b", "c", "a", *soundness.TOOLS]
