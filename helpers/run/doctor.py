"""Check this machine: one list of problems, each with its remedy and what it means for the GPU.

The same list says why kernels do not run on a GPU (`why_no_gpu`) and what `make doctor` prints.
It is a pure function of `Facts`, which `helpers.run.machine` collects.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from helpers import specs
from helpers.errors import pip_install
from helpers.run.gpu import GpuFacts, specification
from helpers.run.toolchain import Compiler, Nvcc

OLDEST_TORCH = (2, 8)
CUDA_OF_SASS = "13"  # the major version of the nvcc that the `sass` extra brings
# The first toolkit that compiles for a compute capability (release notes of each CUDA toolkit);
# those that are not listed are older than CUDA 12.6, the oldest that PyTorch 2.8 is built for.
FIRST_TOOLKIT = {
    (8, 8): "13.0",
    (10, 0): "12.8",
    (10, 3): "12.9",
    (11, 0): "13.0",
    (12, 0): "12.8",
    (12, 1): "12.9",
}


@dataclass(frozen=True)
class Facts:
    """What the checks need to know of a machine."""

    torch: str | None  # its version; None: not installed
    cuda: str | None = None  # the CUDA version that torch was built for; None: a CPU build
    archs: tuple[str, ...] = ()  # the architectures that torch was built for
    card: GpuFacts | None = None  # the GPU that torch can use
    has_gpu: bool = False  # whether the driver knows of an NVIDIA GPU, usable by torch or not
    warning: str = ""  # what torch said when it was asked for a GPU
    nvcc: Nvcc | None = None
    nvcc_archs: tuple[str, ...] = ()  # the architectures that it compiles for; (): unknown
    emulator_chosen: bool = False
    visible_devices: str | None = None  # CUDA_VISIBLE_DEVICES, if it is set
    driver_complaint: str = ""  # what nvidia-smi says, if it is here and fails


@dataclass(frozen=True)
class Problem:
    """Something on this machine that stands in the way of the course, and what to do about it.

    blocks: nothing can run before it is solved; otherwise the course goes on without.
    no_gpu: why kernels run on the emulator because of it; "" if they do not.
    silent: a state that needs no remedy, such as a machine without an NVIDIA GPU.
    """

    what: str
    remedy: str
    blocks: bool = False
    no_gpu: str = ""
    silent: bool = False

    def __str__(self) -> str:
        return f"{'PROBLEM' if self.blocks else 'note'}: {self.what}\n    -> {self.remedy}"


def why_no_gpu(facts: Facts) -> str | None:
    """Return why kernels are not run on a GPU now; None if they are."""
    return next((one.no_gpu for one in gpu_problems(facts) if one.no_gpu), None)


def diagnose(problems: Iterable[Problem]) -> list[Problem]:
    """Sort out the problems to be shown, blocking ones first."""
    shown = [problem for problem in problems if not problem.silent]
    return sorted(shown, key=lambda problem: not problem.blocks)


def compiler_problems(command: str, compiler: Compiler | None) -> Iterator[Problem]:
    """Check the C++ compiler: yield a problem if it is missing (None) or too old."""
    if compiler is None:
        yield Problem(
            f"no C++ compiler: {command!r} cannot be run",
            "sudo apt install g++ (Debian, Ubuntu), sudo dnf install gcc-c++ (Fedora), "
            "or conda install -c conda-forge cxx-compiler; or set CXX to one that you have",
            blocks=True,
        )
    elif compiler.is_too_old:
        yield Problem(
            f"{compiler.name} {compiler.version} is too old",
            f"install {compiler.name} {compiler.oldest} or newer, or set CXX to one",
            blocks=True,
        )


def front_end_problems(why: str | None) -> Iterator[Problem]:
    """Check libclang, which judges kernels on the emulator; why: it cannot be used, or None."""
    if why:
        yield Problem(
            f"{why}: on the emulator, mistakes in CUDA's own words (a missing __global__ or "
            "__device__, a call without <<<>>>) are not found",
            pip_install("libclang"),
        )


def torch_problems(facts: Facts) -> Iterator[Problem]:
    """Check torch: yield a problem if it is missing or too old."""
    if facts.torch is None:
        yield Problem(
            "torch is not installed",
            f"run `make setup`, or `{pip_install('-e .')}` in the course's folder",
            blocks=True,
        )
    elif tuple(int(part) for part in facts.torch.split("+")[0].split(".")[:2]) < OLDEST_TORCH:
        yield Problem(
            f"torch {facts.torch} is too old",
            pip_install("--upgrade 'torch>=2.8'"),
            blocks=True,
        )


def gpu_problems(facts: Facts) -> Iterator[Problem]:
    """Check what a GPU needs, each check after those it rests on; yield every problem."""
    if facts.emulator_chosen:
        chosen = "chosen by ELEMENTWISE_MACHINE=emulator"
        yield Problem(chosen, "unset it to use the GPU", no_gpu=chosen, silent=True)
    elif facts.cuda is None:
        yield Problem(
            "this machine has an NVIDIA GPU, but torch is a CPU build",
            "install a CUDA build of torch that your driver supports (`nvidia-smi` shows its "
            "CUDA version); until then the emulator runs the kernels",
            no_gpu="this torch is a CPU build",
            silent=not facts.has_gpu,
        )
    elif facts.card is None:
        yield _no_card(facts)
    else:
        yield from _card_problems(facts, facts.card)


def _no_card(facts: Facts) -> Problem:
    """Say why torch finds no GPU: none is here, it is hidden, or the driver does not fit."""
    until = "until then the emulator runs the kernels"
    oldest = "{}.{}".format(*specs.OLDEST_CAPABILITY)
    silent = not facts.has_gpu
    if facts.visible_devices is not None and not facts.warning:
        what = f"CUDA_VISIBLE_DEVICES={facts.visible_devices!r} leaves torch no GPU"
        remedy = "unset it, or set it to a number that `nvidia-smi -L` shows"
    elif facts.driver_complaint:
        what = f"the NVIDIA driver does not answer. {facts.driver_complaint}"
        remedy = f"install it, or restart the machine if it was updated; {until}"
        silent = False
    elif not facts.warning:  # torch has one for a driver that is too old
        what = f"torch {facts.torch} finds no GPU that it can use, though the driver has one"
        remedy = (
            "`nvidia-smi -L` lists the card and, in MIG mode, its slices: choose one with "
            "CUDA_VISIBLE_DEVICES=MIG-..., or, if there is none, ask the machine's owner for "
            "one. A container must be given the GPU (--gpus all). A card older than compute "
            f"capability {oldest} cannot be used"
        )
    else:
        what = f"torch {facts.torch} cannot use the NVIDIA GPU. {facts.warning}"
        remedy = (
            "the driver is probably older than this torch's CUDA: update the driver, or, if "
            "`nvidia-smi` shows CUDA 12, install a torch built for CUDA 12; a card older than "
            f"compute capability {oldest} cannot be used"
        )
    why = "no CUDA GPU is visible" + ("" if silent else "; `make doctor` says why")
    return Problem(what, remedy, no_gpu=why, silent=silent)


def _card_problems(facts: Facts, card: GpuFacts) -> Iterator[Problem]:
    """Check a GPU that torch can use: its architecture, nvcc, its name, how many there are."""
    oldest = "{}.{}".format(*specs.OLDEST_CAPABILITY)
    several = (
        f"; it is GPU {card.index} of {card.visible}, CUDA_VISIBLE_DEVICES chooses another"
        if card.visible > 1
        else ""
    )
    if card.capability < specs.OLDEST_CAPABILITY:
        yield Problem(
            f"{card.name} has compute capability {card.cc}; the course needs {oldest} or newer"
            + several,
            "use a card from Turing on (T4, RTX 20, A100 and newer); until then the emulator "
            "runs the kernels",
            no_gpu=f"{card.name} has compute capability {card.cc}, and the course needs "
            f"{oldest} or newer{several}",
        )
        return
    if not has_arch(card.arch, facts.archs):
        remedy = "install a torch that lists it (torch.cuda.get_arch_list())"
        if card.capability[0] >= 12:
            remedy = f"{card.arch} needs a torch built for CUDA 12.8 or newer: {remedy}"
        yield Problem(
            f"{card.name} is {card.arch}; torch {facts.torch} has only "
            + ", ".join(facts.archs),
            remedy,
            no_gpu=f"this torch has no code for {card.name} ({card.arch}){several}",
        )
    if facts.nvcc is None:
        yield Problem(
            "no nvcc found (CUDA_HOME, PATH, /usr/local/cuda)",
            _how_to_get_nvcc(facts.cuda),
            no_gpu="no nvcc to compile CUDA with",
        )
    elif (wanted := facts.cuda.split(".")[0]) != facts.nvcc.version.split(".")[0]:
        yield Problem(
            f"nvcc at {facts.nvcc.home} is version {facts.nvcc.version}, torch was built for "
            f"CUDA {facts.cuda}",
            f"set CUDA_HOME to a toolkit of version {wanted}.x",
            no_gpu=f"nvcc {facts.nvcc.version} does not match torch's CUDA {facts.cuda}",
        )
    elif facts.nvcc_archs and card.arch not in facts.nvcc_archs:
        first = FIRST_TOOLKIT.get(card.capability)
        newer = f"the CUDA toolkit {first} or newer" if first else "a newer CUDA toolkit"
        yield Problem(
            f"nvcc at {facts.nvcc.home} is version {facts.nvcc.version}, which cannot compile "
            f"for {card.name} ({card.arch})",
            f"install {newer} ({wanted}.x, as torch's CUDA), and set CUDA_HOME to it",
            no_gpu=f"nvcc {facts.nvcc.version} does not know {card.name} ({card.arch})",
        )
    if note := specification(card).note:
        yield Problem(note, "nothing to do: lessons describe the card by what it reports")
    if card.visible > 1:
        yield Problem(
            f"{card.visible} GPUs are visible; GPU {card.index} is used",
            "set CUDA_VISIBLE_DEVICES=N before the notebook starts to choose another",
        )


def _how_to_get_nvcc(cuda: str) -> str:
    """Return the remedy for a missing nvcc; PyPI's packages are of one major version."""
    remedy = f"install the CUDA toolkit {cuda}"
    if cuda.split(".")[0] != CUDA_OF_SASS:
        return remedy
    command = pip_install("-e '.[sass]'")
    return f"{remedy}, or, in the course's folder, the one on PyPI: {command}"


def has_arch(arch: str, built: Iterable[str]) -> bool:
    """Return whether a torch built for the architectures `built` has code for `arch`.

    built: as torch.cuda.get_arch_list() has them, "sm_90": machine code, "compute_90": PTX.
    Machine code runs on the same major capability with an equal or higher minor one; the driver
    compiles PTX for anything newer (CUDA C++ Programming Guide, compatibility).
    """

    def number(name: str) -> int:
        return int(re.search(r"\d+", name)[0])

    wanted = number(arch)
    return any(
        number(name) <= wanted
        and (name.startswith("compute_") or number(name) // 10 == wanted // 10)
        for name in built
    )
