"""What runs the kernels, why, and what the doctor says: on this machine, and on machines that are made up."""

import os
import re
import stat
import subprocess
import sys
import types
from pathlib import Path

import pytest
import torch

from helpers.run import machine
from helpers.run.machine import Nvcc, Problem, has_arch


@pytest.fixture
def made_up(monkeypatch):
    """A function that makes this a machine with a GPU; its arguments say what is different."""

    def make(
        cuda="13.0",
        capability=(9, 0),
        archs=("sm_80", "sm_90", "sm_100", "sm_120"),
        nvcc="13.0",
        available=True,
        gpus=1,
        name="NVIDIA H200",
        has_card=True,
    ):
        card = types.SimpleNamespace(
            name=name,
            major=capability[0],
            minor=capability[1],
            multi_processor_count=132,
            L2_cache_size=60 << 20,
            total_memory=140 << 30,
        )
        found = Nvcc(Path("/usr/local/cuda"), nvcc, "PATH") if nvcc else None
        monkeypatch.delenv("ELEMENTWISE_MACHINE", raising=False)
        monkeypatch.setattr(torch.version, "cuda", cuda)
        for what, value in {
            "is_available": available,
            "get_device_capability": capability,
            "get_arch_list": list(archs),
            "get_device_name": name,
            "current_device": 0,
            "device_count": gpus,
            "get_device_properties": card,
        }.items():
            monkeypatch.setattr(torch.cuda, what, lambda *_, value=value: value)
        monkeypatch.setattr(machine, "find_nvcc", lambda: found)
        real = machine._run

        def run(*command, **options):
            if command[0] == "nvidia-smi":
                return (
                    "GPU 0: a card"
                    if has_card and "-L" in command
                    else "580.1\n"
                    if has_card
                    else ""
                )
            return real(*command, **options)

        monkeypatch.setattr(machine, "_run", run)

    return make


def doctor():
    return [f"{problem.what} -> {problem.remedy}" for problem in machine.doctor()]


def test_a_gpu_that_everything_fits(made_up):
    made_up()
    here = machine.present.__wrapped__()
    assert (
        here.is_gpu
        and here.device == "cuda:0"
        and here.cc == "9.0"
        and here.nvcc == "13.0 (PATH)"
    )
    assert "NVIDIA H200: compute capability 9.0, 132 SMs, 60 MiB L2, 140 GiB" in str(here)
    assert here.spec.sm_count == 132
    assert doctor() == []


@pytest.mark.parametrize(
    ("what", "why", "words"),
    [
        (
            {"cuda": None},
            "CPU build",
            r"has an NVIDIA GPU, but torch is a CPU build -> install a CUDA build of torch",
        ),
        (
            {"available": False},
            "no CUDA GPU is visible",
            r"cannot use the NVIDIA GPU.* -> the driver is probably older",
        ),
        (
            {"capability": (12, 0), "archs": ["sm_80", "sm_90"], "name": "RTX 5090"},
            "no code for RTX 5090 (sm_120)",
            r"RTX 5090 is sm_120; torch .* has only sm_80, sm_90 -> sm_120 needs torch >= 2.7 built for CUDA >= 12.8",
        ),
        (
            {
                "capability": (5, 2),
                "archs": ["sm_75", "sm_90", "compute_120"],
                "name": "GTX 980",
            },
            "no code for GTX 980",
            r"GTX 980 is sm_52; .* -> install a newer torch that lists it",
        ),
        (
            {"nvcc": None},
            "no nvcc",
            r"no nvcc found .* -> install the CUDA toolkit 13.0, or `pip install",
        ),
        (
            {"nvcc": "12.4"},
            "nvcc 12.4 does not match",
            r"nvcc at /usr/local/cuda is version 12.4, .* -> set CUDA_HOME",
        ),
    ],
)
def test_gpus_that_something_is_missing_for(made_up, what, why, words):
    """The emulator runs the kernels then, and says why; the doctor says what to do. Nothing of it blocks."""
    made_up(**what)
    here = machine.present.__wrapped__()
    assert not here.is_gpu and here.device == "cpu" and why in here.reason and why in str(here)
    (said,) = doctor()

    assert re.search(words, said), said
    assert not any(problem.blocks for problem in machine.doctor())


def test_several_gpus(made_up):
    made_up(gpus=4)
    (said,) = doctor()
    assert "4 GPUs are visible; GPU 0 is used -> set CUDA_VISIBLE_DEVICES=N" in said
    assert "GPU 0 of 4 is used" in str(machine.present.__wrapped__())


def test_a_minor_version_of_nvcc_may_differ(made_up):
    made_up(cuda="13.0", nvcc="13.2")
    assert machine.present.__wrapped__().is_gpu


def test_the_emulator_may_be_chosen(made_up, monkeypatch):
    made_up()
    monkeypatch.setenv("ELEMENTWISE_MACHINE", "emulator")
    assert machine.present.__wrapped__().reason == "chosen by ELEMENTWISE_MACHINE=emulator"


def test_no_card_no_complaint(made_up):
    made_up(cuda=None, has_card=False)
    if not Path("/dev/nvidia0").exists():
        assert doctor() == []


@pytest.mark.parametrize(
    ("arch", "built", "runs"),
    [
        ("sm_90", ["sm_90"], True),
        ("sm_89", ["sm_80", "sm_86"], True),  # the same major version, an older minor one
        ("sm_80", ["sm_86"], False),
        ("sm_120", ["sm_90", "sm_100"], False),
        ("sm_120", ["sm_90", "compute_90"], True),  # PTX is compiled by the driver
        ("sm_75", ["compute_80"], False),
        ("sm_90", ["sm_90a"], True),
        ("sm_90", [], False),
    ],
)
def test_what_a_card_can_run(arch, built, runs):
    assert has_arch(arch, built) is runs


# ---- finding nvcc -----------------------------------------------------------------------------------------------


def toolkit(folder, version="13.0", wrapper=None):
    """A CUDA toolkit whose nvcc knows its version and its folder."""
    (folder / "bin").mkdir(parents=True)
    nvcc = folder / "bin" / "nvcc"
    nvcc.write_text(
        f'#!/bin/sh\ncase "$*" in *dryrun*) echo "#$ _HERE_={folder}/bin" >&2;;\n'
        f'*) echo "Cuda compilation tools, release {version}, V{version}.1";; esac\n'
    )
    nvcc.chmod(nvcc.stat().st_mode | stat.S_IXUSR)
    if wrapper:
        wrapper.mkdir()
        (wrapper / "nvcc").write_text(f'#!/bin/sh\nexec "{nvcc}" "$@"\n')
        (wrapper / "nvcc").chmod(0o755)
    return folder


def test_nvcc_is_found(tmp_path, monkeypatch):
    find = machine.find_nvcc.__wrapped__
    one, two = (
        toolkit(tmp_path / "one ü", "12.8"),
        toolkit(tmp_path / "two", "13.1", tmp_path / "wrapper"),
    )
    monkeypatch.setenv("PATH", f"{tmp_path / 'wrapper'}:/usr/bin:/bin")
    monkeypatch.delenv("CUDA_PATH", raising=False)
    monkeypatch.setenv("CUDA_HOME", str(one))
    assert (find().version, find().home, find().found) == ("12.8", one, "CUDA_HOME")
    monkeypatch.setenv("CUDA_HOME", str(tmp_path / "nowhere"))  # a wrong one is passed over
    assert (find().version, find().home, find().found) == ("13.1", two, "PATH")
    assert find().path == two / "bin" / "nvcc"


def test_an_nvcc_that_hangs_or_fails_is_none(tmp_path, monkeypatch):
    folder = toolkit(tmp_path / "broken")
    (folder / "bin" / "nvcc").write_text("#!/bin/sh\nexit 1\n")
    monkeypatch.setenv("CUDA_HOME", str(folder))
    found = machine.find_nvcc.__wrapped__()
    assert found is None or found.home != folder
    assert machine._run("sleep", "5", timeout=0.1) == ""
    assert machine._run("/no/such/program") == ""


# ---- this machine -------------------------------------------------------------------------------------------------


def test_this_machine():
    here = machine.present()
    assert str(here) and here.torch == torch.__version__
    assert all(isinstance(problem, Problem) for problem in machine.doctor())
    assert machine.compiler_problem() is None


def test_blocking_problems_come_first(monkeypatch):
    monkeypatch.setattr(
        machine, "compiler_problem", lambda: Problem("no compiler", "get one", True)
    )
    monkeypatch.setattr(machine, "_torch_problems", lambda: [Problem("a note", "well", False)])
    first, second = machine.doctor()
    assert first.blocks and not second.blocks
    assert str(first) == "PROBLEM: no compiler\n    -> get one" and str(second).startswith(
        "note: "
    )


def test_the_command_says_it_and_its_status_tells():
    environment = {**os.environ, "CXX": "no-such-compiler", "ELEMENTWISE_MACHINE": "emulator"}
    command = [sys.executable, "-m", "helpers.run.machine"]
    done = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
    assert done.returncode == 1
    assert "CPU emulator (chosen by ELEMENTWISE_MACHINE=emulator)" in done.stdout
    assert (
        "PROBLEM: no C++ compiler: 'no-such-compiler' cannot be run\n    -> sudo apt install g++"
        in done.stdout
    )


def test_an_old_torch(monkeypatch):
    monkeypatch.setattr(torch, "__version__", "2.4.1+cpu")
    assert any(
        "torch 2.4.1+cpu is too old" in problem.what and problem.blocks
        for problem in machine.doctor()
    )
