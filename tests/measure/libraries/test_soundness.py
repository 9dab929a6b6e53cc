"""Launches that depend on each other, and slices: a wrong one is found."""

import subprocess
from contextlib import contextmanager
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


def test_what_is_tried(right_kernel, monkeypatch):
    """144 outcomes: chains, random streams and slices on both paths in three dtypes."""
    asked = {name: [] for name in ("chain_is_right", "streams_are_right", "slice_is_right")}
    for name, calls in asked.items():

        def note(add, dtype, elements, offsets=(), calls=calls):
            calls.append((add.keywords, dtype, elements, offsets))
            return True

        monkeypatch.setattr(soundness, name, note)
    assert len(list(soundness.outcomes())) == 144
    chains, streams, slices = asked.values()
    assert chains == streams and len(chains) == 24
    knobs = [{"path": a, "programmatic": b} for a in (1, 2) for b in (0, 1)]
    assert [one for one, *_ in chains[::2]] == 3 * knobs
    assert [elements for _, _, elements, _ in chains] == 12 * [1000, 65541]
    assert {dtype for _, dtype, *_ in slices} == {torch.float32, torch.float16, torch.bfloat16}
    assert {offset for *_, offsets in slices for offset in offsets} == set(range(9))
    assert {len(offsets) for *_, offsets in slices} == {3}
    more = {elements - (1000 if elements < 2000 else 65541) for _, _, elements, _ in slices}
    assert more == set(range(9))


def test_a_launch_that_reads_too_early_is_found():
    pending = []

    def late(a, b, out):
        pending.append((a.clone(), b, out))
        if len(pending) > 1:
            add(*pending.pop(0))

    assert not soundness.streams_are_right(late, torch.float32, 100)
    assert soundness.streams_are_right(add, torch.float16, 100)


class Streams:
    """CUDA's streams as a log of what was asked of them."""

    def __init__(self, monkeypatch):
        self.log, self.made, self.current = [], 0, None
        here = SimpleNamespace(is_gpu=True, device="cpu")
        monkeypatch.setattr(soundness.machine, "present", lambda: here)
        monkeypatch.setattr(torch.cuda, "Stream", self.make)
        monkeypatch.setattr(torch.cuda, "stream", self.use)
        monkeypatch.setattr(torch.cuda, "synchronize", lambda: self.log.append("synchronize"))

    def make(self):
        self.made += 1
        number = self.made
        return SimpleNamespace(
            number=number,
            wait_event=lambda event: self.log.append(("wait", number, event)),
            record_event=lambda: self.log.append(("record", number)) or len(self.log),
        )

    @contextmanager
    def use(self, stream):
        self.current = stream.number
        yield
        self.current = None

    def add(self, a, b, out):
        self.log.append(("add", self.current))
        torch.add(a, b, out=out)


def test_on_a_gpu_each_launch_waits_for_the_one_before_it(monkeypatch):
    streams = Streams(monkeypatch)
    assert soundness.streams_are_right(streams.add, torch.float32, 10)
    first, *log, last = streams.log
    assert first == last == "synchronize" and streams.made == 3
    used = [one[1] for one in log if one[0] == "add"]
    assert len(used) == 24 and set(used) == {1, 2, 3}
    wanted, event = [], None
    for number in used:
        if event:
            wanted.append(("wait", number, event))
        wanted += [("add", number), ("record", number)]
        event = 1 + len(wanted)  # the log's length after "synchronize" and these
    assert log == wanted


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


def test_a_tool_that_prints_nothing_shows_the_end_of_its_errors(monkeypatch, capsys):
    done = SimpleNamespace(stdout=" \n", stderr="x" * 301 + " \n", returncode=1)
    monkeypatch.setattr(soundness, "find_tool", tool_at)
    monkeypatch.setattr(soundness.subprocess, "run", lambda *command, **options: done)
    assert not soundness.under("memcheck")
    assert capsys.readouterr().out == f"memcheck: {'x' * 300}\n"


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
