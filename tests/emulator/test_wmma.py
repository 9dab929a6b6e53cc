"""mma.h: a warp's matrix products beside PyTorch's, and what must be a fault."""

import ctypes
from pathlib import Path

import pytest
import torch

from helpers import emulator
from helpers.emulator import FORWARD, REVERSE, SHUFFLED, Library
from helpers.errors import CompileError, FaultKind

KERNELS = Path(__file__).parent / "kernels"
HALF, BFLOAT, FLOAT = torch.float16, torch.bfloat16, torch.float32


@pytest.fixture(scope="module")
def library(tmp_path_factory, headers):
    output = tmp_path_factory.mktemp("wmma") / "wmma.so"
    emulator.build(KERNELS / "wmma.cu", output, headers)
    return Library(output)


def call(library, name, *arguments):
    """Call a launcher; return its fault, None without one."""
    given = [
        ctypes.c_void_p(x.data_ptr()) if torch.is_tensor(x) else ctypes.c_int64(x)
        for x in arguments
    ]
    library.dll[f"run_{name}"](*given, None)
    fault, error = library.take_fault(), library.take_error()
    assert fault or not error
    return fault


def matrix(rows, columns, dtype, seed):
    generator = torch.Generator().manual_seed(seed)
    return torch.randn(rows, columns, generator=generator).to(dtype)


@pytest.mark.parametrize(
    "name, m, n, dtype, total, by_row",
    [
        ("half_float", 16, 16, HALF, FLOAT, (True, False)),
        ("half_half", 16, 16, HALF, HALF, (False, True)),
        ("wide", 32, 8, HALF, FLOAT, (True, True)),
        ("tall", 8, 32, HALF, FLOAT, (False, False)),
        ("bfloat", 16, 16, BFLOAT, FLOAT, (True, True)),
        ("bfloat_wide", 32, 8, BFLOAT, FLOAT, (False, False)),
    ],
)
def test_one_tile(library, name, m, n, dtype, total, by_row):
    a, b, c = matrix(m, 16, dtype, 1), matrix(16, n, dtype, 2), matrix(m, n, total, 3)
    d = torch.full((n, m), torch.nan, dtype=total)
    stored = [x if row else x.t().contiguous() for x, row in zip((a, b), by_row, strict=True)]
    assert call(library, name, *stored, c, d) is None
    expected = (a.double() @ b.double() + c.double()).to(total)
    assert torch.equal(d.t(), expected)  # rounded once


@pytest.mark.parametrize("order", [FORWARD, REVERSE, SHUFFLED])
def test_a_product_of_many_tiles(library, order):
    a, b = matrix(32, 80, HALF, 4), matrix(80, 32, HALF, 5)
    d = torch.full((32, 32), torch.nan)
    with library.schedule(order, seed=3):
        assert call(library, "product", a, b, d, 80) is None
    assert torch.allclose(d, 2 * (a.float() @ b.float()) + 1, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize(
    "way, kind, words",
    [
        (0, FaultKind.WARP, "all 32 lanes"),  # one has left
        (1, FaultKind.MISALIGNED, "ldm is 20"),
        (2, FaultKind.MISALIGNED, "multiple of 16 bytes"),
        (3, FaultKind.WARP, "with the same address"),
        (4, FaultKind.WARP, "all 32 lanes of its warp at this line"),
        (5, FaultKind.WARP, "all 32 lanes"),  # a block of 24 threads
    ],
)
def test_a_warp_that_is_not_together_is_a_fault(library, way, kind, words):
    a, d = torch.zeros(1024, dtype=HALF), torch.zeros(16, 16)
    fault = call(library, "wrong", a, d, way)
    assert fault.kind is kind
    assert words in str(fault)


def test_the_library_goes_on_after_a_fault(library):
    a, b = matrix(32, 32, HALF, 6), matrix(32, 32, HALF, 7)
    assert call(library, "wrong", torch.zeros(1024, dtype=HALF), torch.zeros(256), 4)
    d = torch.empty(32, 32)
    assert call(library, "product", a, b, d, 32) is None
    assert torch.allclose(d, 2 * (a.float() @ b.float()) + 1, rtol=1e-5, atol=1e-5)


def test_other_types_are_refused_in_one_sentence(tmp_path, headers):
    source = tmp_path / "double.cu"
    source.write_text(
        "#include <mma.h>\nusing namespace nvcuda;\n__global__ void k(int* x) {\n"
        "    wmma::fragment<wmma::matrix_a, 8, 8, 4, double, wmma::row_major> a;\n"
        "    x[0] = a.num_elements;\n}\n"
        'extern "C" void run(int* x) { k<<<1, 32>>>(x); }\n'
    )
    with pytest.raises(CompileError, match="multiplies half, __nv_bfloat16, tf32 or bytes"):
        emulator.build(source, tmp_path / "double.so", headers)
