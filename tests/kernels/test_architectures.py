"""Every kernel compiles for every GPU of the course, with the flags of a build for a GPU."""

import re
import subprocess

import pytest
from torch.utils import cpp_extension

from helpers import paths
from helpers.run import nvcc
from helpers.run.toolchain import ask, find_nvcc

# The classic extension includes PyTorch, which takes a minute.
KERNELS = sorted(
    path.name for path in paths.KERNELS.glob("*.cu") if path.name != "v1_f32_classic.cu"
)


def uses_small_floats(name):
    """Test for 16-bit floats, in which the architectures differ most."""
    return "cuda_bf16.h" in (paths.KERNELS / name).read_text(encoding="utf-8")


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


def assert_compiles(compiler, name, options, folder):
    flags = [*cpp_extension.COMMON_NVCC_FLAGS, *nvcc.CUDA_FLAGS, "-Xcompiler=-fPIC"]
    command = [compiler.path, *flags, *options, paths.KERNELS / name]
    run = subprocess.run(
        [*command, "-o", folder / "kernel.o"], capture_output=True, text=True, check=False
    )
    assert run.returncode == 0, run.stderr
    # launch_bounds asks for more threads an SM than some GPUs have: ptxas ignores it there.
    said = [line for line in run.stderr.splitlines() if ".minnctapersm" not in line]
    assert not said


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in KERNELS if uses_small_floats(name)])
def test_a_kernel_is_in_the_language_of_the_oldest_gpu(compiler, tmp_path, name):
    """Without ptxas, which takes most of the time: bfloat16 has no arithmetic there."""
    assert_compiles(compiler, name, ["-ptx", "-arch=compute_75"], tmp_path)


@pytest.mark.stress
@pytest.mark.parametrize("name", KERNELS)
def test_a_kernel_compiles_for_every_architecture(compiler, tmp_path, name):
    targets = [f"-gencode=arch=compute_{n},code=sm_{n}" for n in architectures(compiler)]
    assert_compiles(compiler, name, [*targets, "-c"], tmp_path)
