"""doctor: the one list of checks, on machines that are made up."""

import shlex
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from helpers import paths
from helpers.run import doctor
from helpers.run.doctor import Facts, Problem, diagnose, gpu_problems, has_arch
from helpers.run.gpu import GpuFacts
from helpers.run.toolchain import Compiler, Nvcc

CARD = GpuFacts("NVIDIA H200", (9, 0))
GOOD = Facts(
    torch="2.13.0+cu130",
    cuda="13.0",
    archs=("sm_80", "sm_90", "sm_120"),
    card=CARD,
    has_gpu=True,
    nvcc=Nvcc(Path("/usr/local/cuda"), "13.0", "PATH"),
)


def test_a_machine_on_which_everything_fits():
    assert list(gpu_problems(GOOD)) == [] and doctor.why_no_gpu(GOOD) is None
    other_minor = replace(GOOD, nvcc=Nvcc(Path("/x"), "13.2", "PATH"))
    assert list(gpu_problems(other_minor)) == []
    assert list(gpu_problems(replace(GOOD, nvcc_archs=("sm_80", "sm_90")))) == []


def card(name, *capability):
    return GpuFacts(name, capability)


LACKS = {
    "a CPU build": (
        {"cuda": None},
        "this torch is a CPU build",
        "this machine has an NVIDIA GPU, but torch is a CPU build",
        "install a CUDA build of torch",
    ),
    "an old driver": (
        {"card": None, "warning": "CUDA initialization: too old."},
        "no CUDA GPU is visible; `make doctor` says why",
        "torch 2.13.0+cu130 cannot use the NVIDIA GPU. CUDA initialization: too old.",
        "the driver is probably older than this torch's CUDA: update the driver",
    ),
    "MIG mode without a slice": (
        {"card": None},
        "no CUDA GPU is visible; `make doctor` says why",
        "torch 2.13.0+cu130 finds no GPU that it can use, though the driver has one",
        "`nvidia-smi -L` lists the card and, in MIG mode, its slices: choose one with",
    ),
    "a new card": (
        {"card": card("RTX 5090", 12, 0), "archs": ("sm_80", "sm_90")},
        "this torch has no code for RTX 5090 (sm_120)",
        "RTX 5090 is sm_120; torch 2.13.0+cu130 has only sm_80, sm_90",
        "sm_120 needs a torch built for CUDA 12.8 or newer: install a torch that lists it",
    ),
    "an old card": (
        {"card": card("Tesla V100-SXM2-16GB", 7, 0), "archs": ("sm_70",)},
        "Tesla V100-SXM2-16GB has compute capability 7.0, and the course needs 7.5 or newer",
        "Tesla V100-SXM2-16GB has compute capability 7.0; the course needs 7.5 or newer",
        "use a card from Turing on (T4, RTX 20, A100 and newer)",
    ),
    "a torch without the card": (
        {"card": card("Tesla T4", 7, 5)},
        "this torch has no code for Tesla T4 (sm_75)",
        "Tesla T4 is sm_75; torch 2.13.0+cu130 has only sm_80, sm_90, sm_120",
        "install a torch that lists it",
    ),
    "a driver that fails": (
        {"card": None, "has_gpu": False, "driver_complaint": "NVIDIA-SMI has failed."},
        "no CUDA GPU is visible; `make doctor` says why",
        "the NVIDIA driver does not answer. NVIDIA-SMI has failed.",
        "install it, or restart the machine if it was updated; until then the emulator",
    ),
    "hidden": (
        {"card": None, "visible_devices": "-1"},
        "no CUDA GPU is visible; `make doctor` says why",
        "CUDA_VISIBLE_DEVICES='-1' leaves torch no GPU",
        "unset it, or set it to a number that `nvidia-smi -L` shows",
    ),
    "an old driver and a choice": (
        {"card": None, "visible_devices": "0", "warning": "CUDA initialization: too old."},
        "no CUDA GPU is visible; `make doctor` says why",
        "torch 2.13.0+cu130 cannot use the NVIDIA GPU. CUDA initialization: too old.",
        "the driver is probably older than this torch's CUDA: update the driver, or, if "
        "`nvidia-smi` shows CUDA 12, install a torch built for CUDA 12; a card older than "
        "compute capability 7.5 cannot be used",
    ),
    "an old card before another": (
        {"card": replace(card("Tesla K40c", 3, 5), visible=2)},
        "Tesla K40c has compute capability 3.5, and the course needs 7.5 or newer; it is GPU 0 "
        "of 2, CUDA_VISIBLE_DEVICES chooses another",
        "Tesla K40c has compute capability 3.5; the course needs 7.5 or newer; it is GPU 0 "
        "of 2, CUDA_VISIBLE_DEVICES chooses another",
        "use a card from Turing on",
    ),
    "no nvcc": (
        {"nvcc": None},
        "no nvcc to compile CUDA with",
        "no nvcc found (CUDA_HOME, PATH, /usr/local/cuda)",
        "install the CUDA toolkit 13.0, or, in the course's folder, the one on PyPI: "
        f"{shlex.quote(sys.executable)} -m pip install -e '.[sass]'",
    ),
    "no nvcc of CUDA 12": (
        {"nvcc": None, "torch": "2.8.0+cu128", "cuda": "12.8"},
        "no nvcc to compile CUDA with",
        "no nvcc found (CUDA_HOME, PATH, /usr/local/cuda)",
        "install the CUDA toolkit 12.8",
    ),
    "another nvcc": (
        {"nvcc": Nvcc(Path("/usr/local/cuda"), "12.4", "PATH")},
        "nvcc 12.4 does not match torch's CUDA 13.0",
        "nvcc at /usr/local/cuda is version 12.4, torch was built for CUDA 13.0",
        "set CUDA_HOME to a toolkit of version 13.x",
    ),
    "an nvcc older than the card": (
        {
            "torch": "2.8.0+cu128",
            "cuda": "12.8",
            "card": card("RTX 5090", 12, 0),
            "nvcc": Nvcc(Path("/usr/local/cuda"), "12.4", "PATH"),
            "nvcc_archs": ("sm_80", "sm_90"),
        },
        "nvcc 12.4 does not know RTX 5090 (sm_120)",
        "nvcc at /usr/local/cuda is version 12.4, which cannot compile for RTX 5090 (sm_120)",
        "install the CUDA toolkit 12.8 or newer (12.x, as torch's CUDA), and set",
    ),
    "an nvcc older than a card of later": (
        {"card": card("RTX 9999", 12, 7), "nvcc_archs": ("sm_90", "sm_120")},
        "nvcc 13.0 does not know RTX 9999 (sm_127)",
        "nvcc at /usr/local/cuda is version 13.0, which cannot compile for RTX 9999 (sm_127)",
        "install a newer CUDA toolkit (13.x, as torch's CUDA), and set",
    ),
}


def test_pypis_nvcc_is_named_where_it_fits_only():
    """The next check would refuse one of another major version."""
    (problem,) = gpu_problems(replace(GOOD, nvcc=None, cuda="12.8"))
    assert problem.remedy == "install the CUDA toolkit 12.8"
    extra = (paths.ROOT / "pyproject.toml").read_text(encoding="utf-8")
    assert f'"cuda-toolkit[nvcc,cccl]=={doctor.CUDA_OF_SASS}.' in extra


@pytest.mark.parametrize("lack", LACKS)
def test_what_keeps_kernels_off_the_gpu(lack):
    """The emulator runs the kernels then, and says why; the doctor says what to do."""
    changes, why, what, remedy = LACKS[lack]
    facts = replace(GOOD, **changes)
    (problem,) = gpu_problems(facts)
    assert doctor.why_no_gpu(facts) == problem.no_gpu == why
    assert problem.what == what and problem.remedy.startswith(remedy)
    assert not problem.blocks and not problem.silent


@pytest.mark.parametrize(
    "changes", [{"cuda": None}, {"card": None}, {"card": None, "visible_devices": ""}]
)
def test_a_machine_without_a_gpu_hears_no_complaint(changes):
    facts = replace(GOOD, has_gpu=False, **changes)
    assert doctor.why_no_gpu(facts) in ("this torch is a CPU build", "no CUDA GPU is visible")
    assert diagnose(gpu_problems(facts)) == []


def test_the_chosen_emulator_comes_before_everything_else():
    facts = replace(GOOD, emulator_chosen=True, cuda=None)
    assert doctor.why_no_gpu(facts) == "chosen by ELEMENTWISE_MACHINE=emulator"
    assert diagnose(gpu_problems(facts)) == []


def test_several_gpus_are_a_note_only():
    facts = replace(GOOD, card=replace(CARD, visible=4, index=2))
    (problem,) = gpu_problems(facts)
    assert problem.what == "4 GPUs are visible; GPU 2 is used"
    assert problem.remedy.startswith("set CUDA_VISIBLE_DEVICES=N")
    assert doctor.why_no_gpu(facts) is None and not problem.blocks
    assert list(gpu_problems(replace(GOOD, card=replace(CARD, visible=1)))) == []


def test_several_problems_are_all_listed():
    facts = replace(GOOD, nvcc=None, card=replace(card("Tesla T4", 7, 5), visible=2))
    assert len(list(gpu_problems(facts))) == 3
    assert "no code" in doctor.why_no_gpu(facts)  # the first one


@pytest.mark.parametrize(
    ("version", "what"),
    [
        (None, "torch is not installed"),
        ("2.7.1+cu128", "torch 2.7.1+cu128 is too old"),
        ("1.13.0", "torch 1.13.0 is too old"),
        ("2.8.0", None),
        ("2.10.0.dev20260101+cpu", None),
        ("3.0", None),
    ],
)
def test_versions_of_torch(version, what):
    problems = list(doctor.torch_problems(Facts(version)))
    assert [problem.what for problem in problems] == ([what] if what else [])
    assert all(problem.blocks for problem in problems)


def test_the_cpp_compiler():
    def problems(compiler):
        return [(one.what, one.blocks) for one in doctor.compiler_problems("cxx", compiler)]

    assert problems(Compiler("cxx", "g++", "12.2.0")) == []
    assert problems(Compiler("cxx", "g++", "8.5.0")) == [("g++ 8.5.0 is too old", True)]
    assert problems(None) == [("no C++ compiler: 'cxx' cannot be run", True)]
    (old,) = doctor.compiler_problems("cxx", Compiler("cxx", "clang++", "7.0"))
    assert old.remedy == "install clang++ 10 or newer, or set CXX to one"


def test_without_libclang_the_doctor_says_what_is_not_found():
    assert list(doctor.front_end_problems(None)) == []
    (problem,) = doctor.front_end_problems("libclang is not installed")
    assert not problem.blocks
    assert problem.remedy == f"{shlex.quote(sys.executable)} -m pip install libclang"
    assert problem.what.startswith("libclang is not installed: on the emulator, mistakes")


def test_blocking_problems_come_first_and_silent_ones_not_at_all():
    note, block = Problem("a note", "well"), Problem("a block", "do", blocks=True)
    assert diagnose([note, Problem("x", "y", silent=True), block]) == [block, note]
    assert str(block) == "PROBLEM: a block\n    -> do" and str(note).startswith("note: a")


@pytest.mark.parametrize(
    ("arch", "built", "runs"),
    [
        ("sm_90", ["sm_90"], True),
        ("sm_89", ["sm_80", "sm_86"], True),  # the same major version, an older minor one
        ("sm_80", ["sm_86"], False),
        ("sm_120", ["sm_90", "sm_100"], False),
        ("sm_120", ["sm_90", "compute_90"], True),  # PTX is compiled by the driver
        ("sm_90", ["compute_90"], True),
        ("sm_75", ["compute_80"], False),
        ("sm_90", ["sm_90a"], True),
        ("sm_90", [], False),
    ],
)
def test_what_a_card_can_run(arch, built, runs):
    assert has_arch(arch, built) is runs
