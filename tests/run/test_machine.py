"""machine: what runs the kernels, from the facts of this machine and of fake ones."""

import os
import subprocess
import sys
import types
from dataclasses import replace
from pathlib import Path

import pytest
import torch

from helpers import specs
from helpers.emulator import front_end
from helpers.run import gpu, machine, nvml, toolchain
from helpers.run.doctor import Facts, Problem
from helpers.run.gpu import GpuFacts
from helpers.run.toolchain import Compiler, Nvcc

CARD = GpuFacts(
    name="NVIDIA H200",
    capability=(9, 0),
    sm_count=132,
    l2_bytes=60 << 20,
    memory_bytes=140 << 30,
    memory_clock_khz=3_201_000,
    memory_bus_bits=6016,
    clock_khz=1_980_000,
    driver="580.1",
    index=0,
)
GOOD = Facts(
    torch="2.13.0+cu130",
    cuda="13.0",
    archs=("sm_90",),
    card=CARD,
    has_gpu=True,
    nvcc=Nvcc(Path("/usr/local/cuda"), "13.0", "PATH"),
)


@pytest.fixture
def made_up(monkeypatch):
    """Make this a machine with the given facts; returns what it describes itself as.

    Its compiler and front end lack nothing, whatever this machine has.
    """
    monkeypatch.setattr(toolchain, "find_compiler", lambda: Compiler("g++", "g++", "12.2"))
    monkeypatch.setattr(front_end, "problem", lambda: None)

    def make(facts):
        monkeypatch.setattr(machine, "facts", lambda: facts)
        return machine.present.__wrapped__()

    return make


def test_a_gpu_that_everything_fits(made_up):
    here = made_up(GOOD)
    assert here.is_gpu and here.device == "cuda:0" and here.cc == "9.0"
    assert (here.nvcc, here.driver, here.cuda) == ("13.0 (PATH)", "580.1", "13.0")
    assert here.torch == "2.13.0+cu130" and here.index == 0
    assert str(here).splitlines() == [
        "NVIDIA H200: compute capability 9.0, 132 SMs, 60 MiB L2, 140 GiB",
        "driver 580.1, CUDA 13.0, torch 2.13.0+cu130, nvcc 13.0 (PATH)",
        "without 256-bit loads: kernels that use it have another way",
    ]
    assert here.spec.sm_count == 132 and machine.doctor() == []


def test_a_gpu_that_lacks_something_leaves_the_kernels_to_the_emulator(made_up):
    here = made_up(replace(GOOD, nvcc=None))
    assert not here.is_gpu and here.device == "cpu" and here.spec is None
    assert str(here) == "CPU emulator (no nvcc to compile CUDA with); torch 2.13.0+cu130"
    assert here == machine.emulator("no nvcc to compile CUDA with", "2.13.0+cu130")
    (problem,) = machine.doctor()
    assert problem.what.startswith("no nvcc found") and not problem.blocks


def test_several_gpus(made_up):
    here = made_up(replace(GOOD, card=replace(CARD, index=1, visible=4)))
    assert here.device == "cuda:1"
    assert "GPU 1 of 4 is used; set CUDA_VISIBLE_DEVICES" in str(here)


def test_a_card_without_a_row_is_what_its_driver_reports(made_up):
    new = replace(CARD, name="NVIDIA Unheard Of", memory_clock_khz=1_000_000)
    spec = made_up(replace(GOOD, card=new)).spec
    assert spec.dram_GBps == 2 * 1_000_000e3 * 6016 / 8 / 1e9 == 1504.0
    assert (spec.name, spec.cc, spec.sm_count) == ("NVIDIA Unheard Of", "9.0", 132)
    assert spec.l2_MiB == 60 and spec.boost_MHz == 1980 and spec.fp32_TFLOPS == 66.9
    assert spec.confidence == "device-reported" and isinstance(spec, specs.Gpu)
    assert made_up(replace(GOOD, card=replace(new, clock_khz=0))).spec.boost_MHz is None
    for unknown in ("memory_clock_khz", "memory_bus_bits"):
        assert made_up(replace(GOOD, card=replace(new, **{unknown: 0}))).spec.dram_GBps is None


def test_a_name_that_does_not_fit_the_facts_is_said(made_up):
    here = made_up(replace(GOOD, card=replace(CARD, name="Tesla T4")))
    assert str(here).splitlines()[-1] == here.spec.note
    assert here.spec.note.startswith("the driver calls this card 'Tesla T4', but reports")
    (problem,) = machine.doctor()
    assert problem.what == here.spec.note and not problem.blocks


def test_a_machine_that_a_test_makes_up_is_described_by_what_it_was_given():
    here = machine.Machine(
        "gpu", "NVIDIA L20", "", "", cc="8.9", sm_count=92, l2_bytes=96 << 20
    )
    assert (here.spec.sm_count, here.spec.l2_MiB, here.spec.dram_GBps) == (92, 96, None)


def test_l2_that_the_driver_does_not_tell_is_taken_as_large(made_up):
    here = made_up(replace(GOOD, card=replace(CARD, name="NVIDIA New", l2_bytes=None)))
    assert here.l2_bytes == 128 << 20 == here.spec.l2_bytes


def test_every_card_is_described(each_card, made_up):
    card = each_card
    here = made_up(replace(GOOD, card=card, archs=(card.arch,)))
    assert here.is_gpu and here.cc == card.cc and here.l2_bytes > 0 and here.memory_bytes > 0
    assert here.facts is card and here.spec.sm_count == card.sm_count
    lines = str(here).splitlines()
    assert lines[0].startswith(f"{card.name}: compute capability {card.cc}, ")
    assert ("bulk copies" in str(here)) == (card.capability < (9, 0))
    assert machine.doctor() == []


# ---- collecting the facts ----------------------------------------------------------------


@pytest.fixture
def fake_torch(monkeypatch):
    """Put a torch with a GPU in place; return the list of the commands that are run."""
    asked = []
    properties = types.SimpleNamespace(
        name="NVIDIA H200",
        major=9,
        minor=0,
        multi_processor_count=132,
        L2_cache_size=60 << 20,
        total_memory=140 << 30,
        memory_clock_rate=3_201_000,
        memory_bus_width=6016,
        clock_rate=1_980_000,
    )

    def ask(*command, **options):
        asked.append(command)
        return "580.1\n580.1\n" if "--query-gpu=driver_version" in command else ""

    monkeypatch.setattr(gpu, "_driver", lambda: None)
    monkeypatch.setattr(nvml, "ask", lambda *_: None)

    monkeypatch.delenv("ELEMENTWISE_MACHINE", raising=False)
    monkeypatch.setattr(torch, "__version__", GOOD.torch)
    monkeypatch.setattr(torch.version, "cuda", "13.0")
    for what, value in {
        "is_available": True,
        "get_arch_list": ["sm_90"],
        "current_device": 0,
        "device_count": 1,
        "get_device_properties": properties,
    }.items():
        monkeypatch.setattr(torch.cuda, what, lambda *_, value=value: value)
    monkeypatch.setattr(toolchain, "ask", ask)
    monkeypatch.setattr(machine, "find_nvcc", lambda: GOOD.nvcc)
    monkeypatch.setattr(toolchain, "architectures", lambda path: ())
    return asked


def test_the_facts_of_a_gpu(fake_torch):
    assert machine.facts() == GOOD


def test_the_architectures_of_nvcc(fake_torch, monkeypatch):
    asked = []
    monkeypatch.setattr(
        machine.toolchain, "architectures", lambda path: asked.append(path) or ("sm_80",)
    )
    assert machine.facts() == replace(GOOD, nvcc_archs=("sm_80",))
    assert asked == [GOOD.nvcc.path]
    monkeypatch.setattr(machine, "find_nvcc", lambda: None)
    assert machine.facts().nvcc_archs == () and len(asked) == 1


def test_the_facts_of_a_gpu_that_torch_cannot_use(fake_torch, monkeypatch):
    def unavailable():
        import warnings

        warnings.warn("driver too old (Triggered internally at x.cpp)", stacklevel=1)
        return False

    monkeypatch.setattr(torch.cuda, "is_available", unavailable)
    monkeypatch.setattr(toolchain, "ask", lambda *command: "GPU 0: a card")
    facts = machine.facts()
    assert facts.card is None and facts.nvcc is None and facts.archs == ()
    assert facts.has_gpu and facts.warning == "driver too old"


def test_a_cpu_build_is_asked_for_no_gpu(fake_torch, monkeypatch):
    monkeypatch.setattr(torch.version, "cuda", None)
    monkeypatch.setattr(torch.cuda, "is_available", lambda: pytest.fail("asked"))
    facts = machine.facts()
    assert facts.cuda is None and facts.card is None
    assert fake_torch == [] or fake_torch == [("nvidia-smi", "-L")]


def test_a_chosen_emulator_leaves_the_gpu_alone(fake_torch, monkeypatch):
    monkeypatch.setenv("ELEMENTWISE_MACHINE", "emulator")
    monkeypatch.setattr(torch.cuda, "is_available", lambda: pytest.fail("asked"))
    assert machine.facts() == Facts(GOOD.torch, "13.0", emulator_chosen=True)
    assert machine.describe(machine.facts()).reason.startswith("chosen by ELEMENTWISE_MACHINE")
    assert fake_torch == []


def test_no_torch(monkeypatch):
    monkeypatch.setitem(sys.modules, "torch", None)
    assert machine.facts() == Facts(torch=None)
    assert any(one.what == "torch is not installed" for one in machine.doctor())


# ---- this machine ------------------------------------------------------------------------


def test_this_machine():
    here = machine.present()
    assert str(here) and here.torch == torch.__version__
    assert all(isinstance(problem, Problem) for problem in machine.doctor())
    assert machine.present() is here


def test_the_command_prints_all_and_its_status_tells():
    environment = {**os.environ, "CXX": "no-such-compiler", "ELEMENTWISE_MACHINE": "emulator"}
    command = [sys.executable, "-m", "helpers.run.machine"]
    done = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
    assert done.returncode == 1, done.stderr
    first, problem, remedy, *others = done.stdout.splitlines()
    assert first.startswith("CPU emulator (chosen by ELEMENTWISE_MACHINE=emulator); torch ")
    assert problem == "PROBLEM: no C++ compiler: 'no-such-compiler' cannot be run"
    assert remedy.startswith("    -> sudo apt install g++")
    # This machine may lack libclang, which does not block.
    assert len(others) == 2 * (front_end.problem() is not None)


def test_the_status_of_a_machine_without_blocking_problems(made_up, monkeypatch, capsys):
    made_up(replace(GOOD, nvcc=None))
    assert machine.main() == 0
    assert capsys.readouterr().out.startswith("CPU emulator (no nvcc")
    made_up(GOOD)
    assert machine.main() == 0
    assert capsys.readouterr().out.splitlines()[-1] == "nothing is missing"
    made_up(Facts(torch=None))
    assert machine.main() == 1
    assert capsys.readouterr().out.startswith("PROBLEM: torch is not installed")
