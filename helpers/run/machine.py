"""Describe what runs the kernels now, and why: a CUDA GPU, or the CPU emulator.

`present()` describes it, `doctor()` lists each problem of this machine with its remedy;
`python -m helpers.run.machine` prints both.
"""

from __future__ import annotations

import os
import sys
import warnings
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from helpers import settings, specs, usage
from helpers.emulator import front_end
from helpers.run import gpu, toolchain
from helpers.run.doctor import (
    Facts,
    Problem,
    compiler_problems,
    diagnose,
    front_end_problems,
    gpu_problems,
    torch_problems,
    why_no_gpu,
)
from helpers.run.toolchain import compiler, find_nvcc

__all__ = ["Machine", "compiler", "doctor", "emulator", "present"]


@dataclass(frozen=True)
class Machine:
    """What executes kernels now. Fields that a CPU does not have are None."""

    kind: str  # "gpu" or "emulator"
    name: str
    reason: str
    torch: str
    cc: str | None = None
    sm_count: int | None = None
    l2_bytes: int | None = None
    memory_bytes: int | None = None
    driver: str | None = None
    cuda: str | None = None
    nvcc: str | None = None
    index: int | None = None
    visible_gpus: int = 0
    facts: gpu.GpuFacts | None = None  # all that the driver reports of the card

    @property
    def is_gpu(self) -> bool:
        """Whether kernels run on a GPU."""
        return self.kind == "gpu"

    @property
    def device(self) -> str:
        """The torch device that tensors must live on."""
        return f"cuda:{self.index}" if self.is_gpu else "cpu"

    @property
    def spec(self) -> specs.Gpu | None:
        """The card, by its row in data/gpus.csv and what it reports; None for the emulator.

        Where the two disagree, the card's report counts. `dram_GBps` is None where neither
        has it; `helpers.measure.roofs.this_gpu` measures it then.
        """
        return gpu.specification(self._known_facts()) if self.is_gpu else None

    def _known_facts(self) -> gpu.GpuFacts:
        """Return the driver's report; of a machine that a test makes up, what it was given."""
        if self.facts is not None:
            return self.facts
        capability = tuple(int(part) for part in self.cc.split("."))
        return gpu.GpuFacts(self.name, capability, self.sm_count, self.l2_bytes)

    def __str__(self) -> str:
        if not self.is_gpu:
            return f"CPU emulator ({self.reason}); torch {self.torch}"
        lines = [
            f"{self.name}: compute capability {self.cc}, {self.sm_count} SMs, "
            f"{self.l2_bytes / specs.MIB:g} MiB L2, {self.memory_bytes / 2**30:.0f} GiB",
            f"driver {self.driver}, CUDA {self.cuda}, torch {self.torch}, nvcc {self.nvcc}",
        ]
        if lacks := specs.lacks(self.cc):
            lines.append(f"without {' or '.join(lacks)}: kernels that use it have another way")
        if note := self.spec.note:
            lines.append(note)
        if self.visible_gpus > 1:
            lines.append(
                f"GPU {self.index} of {self.visible_gpus} is used; "
                "set CUDA_VISIBLE_DEVICES to choose another"
            )
        return "\n".join(lines)


def facts() -> Facts:
    """Collect all that this module and the doctor know of this machine's torch and GPU."""
    try:
        import torch
    except ImportError:
        return Facts(torch=None)
    if settings.emulator_is_chosen():  # then the GPU is not even asked
        return Facts(torch.__version__, torch.version.cuda, emulator_chosen=True)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        usable = torch.version.cuda is not None and torch.cuda.is_available()
        card = gpu.ask() if usable else None
    nvcc = find_nvcc() if usable else None
    return Facts(
        torch=torch.__version__,
        cuda=torch.version.cuda,
        archs=tuple(torch.cuda.get_arch_list()) if usable else (),
        card=card,
        has_gpu=usable
        or Path("/dev/nvidia0").exists()
        or bool(toolchain.ask("nvidia-smi", "-L")),
        warning=" ".join(str(one.message).split(" (Triggered")[0] for one in caught),
        nvcc=nvcc,
        nvcc_archs=toolchain.architectures(nvcc.path) if nvcc else (),
        visible_devices=os.environ.get("CUDA_VISIBLE_DEVICES"),
        driver_complaint="" if usable else toolchain.complaint("nvidia-smi", "-L"),
    )


def emulator(reason: str, torch: str) -> Machine:
    """Describe the CPU emulator as what runs the kernels."""
    return Machine(kind="emulator", name="CPU emulator", reason=reason, torch=torch)


def describe(found: Facts) -> Machine:
    """Choose what runs the kernels on a machine with these facts."""
    if (reason := why_no_gpu(found)) is not None:
        return emulator(reason, found.torch)
    card = found.card
    return Machine(
        kind="gpu",
        name=card.name,
        reason="a CUDA GPU is visible",
        torch=found.torch,
        cc=card.cc,
        sm_count=card.sm_count,
        l2_bytes=card.l2_bytes or gpu.UNKNOWN_L2_BYTES,
        memory_bytes=card.memory_bytes,
        driver=card.driver or "unknown",
        cuda=found.cuda,
        nvcc=f"{found.nvcc.version} ({found.nvcc.found})",
        index=card.index,
        visible_gpus=card.visible,
        facts=card,
    )


@cache
def present() -> Machine:
    """Return the machine that kernels run on in this process."""
    return describe(facts())


def doctor(found: Facts | None = None) -> list[Problem]:
    """List every problem of this machine with its remedy; blocking ones first.

    found: the machine's facts, if they were collected before.
    """
    found = found or facts()
    problems = list(compiler_problems(compiler(), toolchain.find_compiler()))
    problems += [*torch_problems(found), *front_end_problems(front_end.problem())]
    return diagnose(problems + list(gpu_problems(found)))


def main() -> int:
    """Print what runs the kernels and every problem; return 1 if one of them blocks."""
    found = facts()
    if found.torch is not None:
        print(describe(found))
    problems = doctor(found)
    for problem in problems:
        print(problem)
    if not problems:
        print("nothing is missing")
    return int(any(problem.blocks for problem in problems))


if __name__ == "__main__":
    usage.no_arguments(__doc__)
    sys.exit(main())
