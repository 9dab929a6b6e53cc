"""What runs the kernels now, and why: a CUDA GPU, or the CPU emulator.

`present()` describes it, `doctor()` names each problem of this machine with its remedy.
`python -m helpers.run.machine` prints both. ELEMENTWISE_MACHINE=emulator keeps the GPU out of it.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import warnings
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from helpers import specs

OLDEST_TORCH = (2, 8)
OLDEST_GXX = 9  # the first g++ with complete C++17
OLDEST_CLANG = 10


@dataclass(frozen=True)
class Nvcc:
    """A CUDA compiler: the folder of its toolkit, its version such as "13.0", and how it was found."""

    home: Path
    version: str
    found: str

    @property
    def path(self) -> Path:
        return self.home / "bin" / "nvcc"


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

    @property
    def is_gpu(self) -> bool:
        return self.kind == "gpu"

    @property
    def device(self) -> str:
        """The torch device that tensors must live on."""
        return f"cuda:{self.index}" if self.is_gpu else "cpu"

    @property
    def spec(self) -> specs.Gpu | None:
        """The card's row in data/gpus.csv; for a card that is not in it, what the driver reports of it.

        None for the emulator.
        """
        if not self.is_gpu:
            return None
        try:
            return specs.gpu(self.name)
        except KeyError:
            return _reported(self)

    def __str__(self) -> str:
        if not self.is_gpu:
            return f"CPU emulator ({self.reason}); torch {self.torch}"
        lines = [
            f"{self.name}: compute capability {self.cc}, {self.sm_count} SMs, "
            f"{self.l2_bytes / specs.MIB:g} MiB L2, {self.memory_bytes / 2**30:.0f} GiB",
            f"driver {self.driver}, CUDA {self.cuda}, torch {self.torch}, nvcc {self.nvcc}",
        ]
        if self.visible_gpus > 1:
            lines.append(
                f"GPU {self.index} of {self.visible_gpus} is used; set CUDA_VISIBLE_DEVICES to choose another"
            )
        return "\n".join(lines)


@dataclass(frozen=True)
class Problem:
    """Something on this machine that the course would trip on, and what to do about it."""

    what: str
    remedy: str
    blocks: bool  # True: nothing can run before it is mended; False: the course goes on without

    def __str__(self) -> str:
        return f"{'PROBLEM' if self.blocks else 'note'}: {self.what}\n    -> {self.remedy}"


def _run(*command: str | Path, timeout: float = 20) -> str:
    """What a command prints, or "" when it is missing, fails or hangs."""
    try:
        done = subprocess.run(
            [str(word) for word in command],
            capture_output=True,
            text=True,
            timeout=timeout,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout + done.stderr if done.returncode == 0 else ""


def _nvcc_at(home: Path, found: str) -> Nvcc | None:
    match = re.search(r"release (\d+\.\d+)", _run(home / "bin" / "nvcc", "--version"))
    return Nvcc(home, match.group(1), found) if match else None


@cache
def find_nvcc() -> Nvcc | None:
    """The CUDA compiler: from CUDA_HOME, PATH, /usr/local/cuda, or the `sass` extra's PyPI packages."""
    for variable in ("CUDA_HOME", "CUDA_PATH"):
        if (home := os.environ.get(variable)) and (nvcc := _nvcc_at(Path(home), variable)):
            return nvcc
    if on_path := shutil.which("nvcc"):
        # `nvcc` may be a wrapper script far from its toolkit; a dry run makes it name its own folder.
        here = re.search(r"_HERE_=(.+)", _run(on_path, "--dryrun", "-x", "cu", os.devnull))
        home = Path(here.group(1)).parent if here else Path(on_path).resolve().parent.parent
        if nvcc := _nvcc_at(home, "PATH"):
            return nvcc
    if nvcc := _nvcc_at(Path("/usr/local/cuda"), "/usr/local/cuda"):
        return nvcc
    for folder in sys.path:
        for home in sorted(Path(folder or ".").glob("nvidia/cu1[0-9]")):
            if nvcc := _nvcc_at(home, "PyPI package"):
                return nvcc
    return None


def compiler() -> str:
    """The C++ compiler's command: $CXX, else g++."""
    return os.environ.get("CXX") or "g++"


def compiler_problem() -> Problem | None:
    """What is wrong with the C++ compiler: it is missing, or too old."""
    version = _run(compiler(), "-dumpfullversion", "-dumpversion").strip()
    if not version:
        return Problem(
            f"no C++ compiler: {compiler()!r} cannot be run",
            "sudo apt install g++ (Debian, Ubuntu), sudo dnf install gcc-c++ (Fedora), "
            "or conda install -c conda-forge cxx-compiler; or set CXX to one that you have",
            True,
        )
    banner = _run(compiler(), "--version")
    oldest = OLDEST_CLANG if "clang" in banner else OLDEST_GXX
    if int(re.match(r"\d*", version).group() or oldest) < oldest:
        name = "clang++" if "clang" in banner else "g++"
        return Problem(
            f"{name} {version} is too old",
            f"install {name} {oldest} or newer, or set CXX to one",
            True,
        )
    return None


def has_arch(arch: str, built: list[str]) -> bool:
    """Whether a torch that was built for `built` (torch.cuda.get_arch_list()) has code for `arch` ("sm_120").

    Machine code runs on the same major capability with an equal or higher minor one; PTX ("compute_90")
    can be compiled by the driver for anything newer (CUDA C++ Programming Guide, compatibility).
    """

    def number(name: str) -> int:
        return int(re.search(r"\d+", name).group())

    wanted = number(arch)
    for name in built:
        have = number(name)
        if name.startswith("compute_") and have <= wanted:
            return True
        if have // 10 == wanted // 10 and have <= wanted:
            return True
    return False


def why_no_gpu() -> str | None:
    """Why kernels are not run on a GPU now; None when they can be."""
    import torch

    if os.environ.get("ELEMENTWISE_MACHINE") == "emulator":
        return "chosen by ELEMENTWISE_MACHINE=emulator"
    if torch.version.cuda is None:
        return "this torch is a CPU build"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        available = torch.cuda.is_available()
    if not available:
        return "no CUDA GPU is visible"
    major, minor = torch.cuda.get_device_capability()
    if not has_arch(f"sm_{major}{minor}", torch.cuda.get_arch_list()):
        return f"this torch has no code for {torch.cuda.get_device_name()} (sm_{major}{minor})"
    nvcc = find_nvcc()
    if nvcc is None:
        return "no nvcc to compile CUDA with"
    if nvcc.version.split(".")[0] != torch.version.cuda.split(".")[0]:
        return f"nvcc {nvcc.version} does not match torch's CUDA {torch.version.cuda}"
    return None


def _reported(here: Machine) -> specs.Gpu:
    """A card by what its driver reports. DRAM bandwidth = 2 x memory clock x bus width (double data rate)."""
    import torch

    card = torch.cuda.get_device_properties(here.index)
    clock_khz = getattr(card, "memory_clock_rate", 0)
    bus_bits = getattr(card, "memory_bus_width", 0)
    return specs.describe(
        here.name,
        cc=here.cc,
        sm_count=here.sm_count,
        l2_bytes=here.l2_bytes,
        dram_GBps=2 * clock_khz * bus_bits / 8 / 1e6 or None,
        boost_MHz=getattr(card, "clock_rate", 0) / 1e3 or None,
    )


@cache
def present() -> Machine:
    """The machine that kernels run on in this process."""
    import torch

    reason = why_no_gpu()
    if reason is not None:
        return Machine(
            kind="emulator", name="CPU emulator", reason=reason, torch=torch.__version__
        )
    index = torch.cuda.current_device()
    card = torch.cuda.get_device_properties(index)
    driver = _run("nvidia-smi", "--query-gpu=driver_version", "--format=csv,noheader").split(
        "\n"
    )[0]
    nvcc = find_nvcc()
    return Machine(
        kind="gpu",
        name=card.name,
        reason="a CUDA GPU is visible",
        torch=torch.__version__,
        cc=f"{card.major}.{card.minor}",
        sm_count=card.multi_processor_count,
        l2_bytes=card.L2_cache_size,
        memory_bytes=card.total_memory,
        driver=driver.strip() or "unknown",
        cuda=torch.version.cuda,
        nvcc=f"{nvcc.version} ({nvcc.found})",
        index=index,
        visible_gpus=torch.cuda.device_count(),
    )


def _torch_problems() -> list[Problem]:
    try:
        import torch
    except ImportError:
        return [
            Problem("torch is not installed", "run `make setup`, or `pip install -e .`", True)
        ]
    problems = []
    version = tuple(int(part) for part in torch.__version__.split("+")[0].split(".")[:2])
    if version < OLDEST_TORCH:
        problems.append(
            Problem(
                f"torch {torch.__version__} is too old",
                "pip install --upgrade 'torch>=2.8'",
                True,
            )
        )
    has_card = Path("/dev/nvidia0").exists() or bool(_run("nvidia-smi", "-L"))
    if torch.version.cuda is None:
        if has_card:
            problems.append(
                Problem(
                    "this machine has an NVIDIA GPU, but torch is a CPU build",
                    "install a CUDA build of torch that your driver supports (`nvidia-smi` shows its CUDA "
                    "version); until then the emulator runs the kernels",
                    False,
                )
            )
        return problems
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        available = torch.cuda.is_available()
    if has_card and not available:
        words = " ".join(str(warning.message).split(" (Triggered")[0] for warning in caught)
        problems.append(
            Problem(
                f"torch {torch.__version__} cannot use the NVIDIA GPU. {words}".strip(),
                "the driver is probably older than this torch's CUDA: update the driver, or install a torch "
                "built for the CUDA version that `nvidia-smi` shows",
                False,
            )
        )
    if not available:
        return problems
    major, minor = torch.cuda.get_device_capability()
    if not has_arch(f"sm_{major}{minor}", torch.cuda.get_arch_list()):
        remedy = "install a newer torch that lists it (torch.cuda.get_arch_list())"
        if major >= 12:
            remedy = "sm_120 needs torch >= 2.7 built for CUDA >= 12.8: " + remedy
        problems.append(
            Problem(
                f"{torch.cuda.get_device_name()} is sm_{major}{minor}; torch {torch.__version__} has only "
                + ", ".join(torch.cuda.get_arch_list()),
                remedy,
                False,
            )
        )
    nvcc = find_nvcc()
    wanted = torch.version.cuda
    if nvcc is None:
        problems.append(
            Problem(
                "no nvcc found (CUDA_HOME, PATH, /usr/local/cuda)",
                f"install the CUDA toolkit {wanted}, or `pip install -e '.[sass]'` for the one on PyPI",
                False,
            )
        )
    elif nvcc.version.split(".")[0] != wanted.split(".")[0]:
        problems.append(
            Problem(
                f"nvcc at {nvcc.home} is version {nvcc.version}, torch was built for CUDA {wanted}",
                f"set CUDA_HOME to a toolkit of version {wanted.split('.')[0]}.x",
                False,
            )
        )
    if torch.cuda.device_count() > 1:
        problems.append(
            Problem(
                f"{torch.cuda.device_count()} GPUs are visible; GPU {torch.cuda.current_device()} is used",
                "set CUDA_VISIBLE_DEVICES=N before the notebook starts to choose another",
                False,
            )
        )
    return problems


def doctor() -> list[Problem]:
    """Every problem of this machine that the course would meet, each with its remedy; blocking ones first."""
    problems = [problem for problem in [compiler_problem()] if problem]
    problems += _torch_problems()
    return sorted(problems, key=lambda problem: not problem.blocks)


def main() -> int:
    """Print what runs the kernels and every problem; the exit status is 1 if one of them blocks."""
    problems = doctor()
    if not any("torch is not installed" in problem.what for problem in problems):
        print(present())
    for problem in problems:
        print(problem)
    return int(any(problem.blocks for problem in problems))


if __name__ == "__main__":
    sys.exit(main())
