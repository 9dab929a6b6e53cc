"""Every kernel compiles for every GPU of the course, with the flags of a build for a GPU."""

import re
import subprocess

import pytest
from torch.utils import cpp_extension

from helpers import paths
from helpers.run import nvcc
from helpers.run.toolchain import ask, find_nvcc

KERNELS = sorted(path.name for path in paths.KERNELS.glob("*.cu"))
# The least compute capability of the course, and those from which the language has more:
# bfloat16 arithmetic, bulk copies, loads of 32 bytes; the newest.
MILESTONES = (75, 80, 90, 100, 121)


@pytest.fixture(scope="module")
def compiler():
    """Find nvcc; skip the test without one."""
    found = find_nvcc()
    if found is None:
        pytest.skip("no nvcc on this machine")
    return found


def architectures(compiler) -> list[int]:
    """List the architectures from 75 to 121 that this nvcc compiles for."""
    listed = re.findall(r"sm_(\d+)\b", ask(compiler.path, "--list-gpu-code"))
    return sorted({int(number) for number in listed if 75 <= int(number) <= 121})


def assert_compiles(compiler, name, numbers, folder):
    targets = [f"-gencode=arch=compute_{number},code=sm_{number}" for number in numbers]
    flags = [*cpp_extension.COMMON_NVCC_FLAGS, *nvcc.CUDA_FLAGS, "-Xcompiler=-fPIC"]
    command = [compiler.path, *flags, *targets, "-c", paths.KERNELS / name]
    run = subprocess.run(
        [*command, "-o", folder / "kernel.o"], capture_output=True, text=True, check=False
    )
    assert run.returncode == 0, run.stderr
    # launch_bounds asks for more threads an SM than some GPUs have: ptxas ignores it there.
    said = [line for line in run.stderr.splitlines() if ".minnctapersm" not in line]
    assert not said


@pytest.mark.slow
@pytest.mark.parametrize("name", KERNELS)
def test_a_kernel_compiles_where_the_language_gains_something(compiler, tmp_path, name):
    known = set(architectures(compiler)) & set(MILESTONES)
    assert 75 in known and 90 in known
    assert_compiles(compiler, name, sorted(known), tmp_path)


@pytest.mark.stress
@pytest.mark.parametrize("name", KERNELS)
def test_a_kernel_compiles_for_every_architecture(compiler, tmp_path, name):
    assert_compiles(compiler, name, architectures(compiler), tmp_path)
