"""cuda_fp8.h beside PyTorch: every bit pattern, and every half rounded to eight bits."""

import ctypes
from pathlib import Path

import pytest
import torch

from helpers import emulator
from helpers.emulator import Library
from helpers.run import jit, machine

KERNELS = Path(__file__).parent / "kernels"
DTYPES = (torch.float8_e4m3fn, torch.float8_e5m2)
NAN = 0x7F


@pytest.fixture(scope="module")
def call(tmp_path_factory, headers):
    output = tmp_path_factory.mktemp("float8") / "float8.so"
    emulator.build(KERNELS / "float8.cu", output, headers)
    library = Library(output)

    def launch(name, *tensors):
        given = [
            ctypes.c_void_p(x.data_ptr()) if torch.is_tensor(x) else ctypes.c_int64(x)
            for x in tensors
        ]
        library.dll[f"run_{name}"](*given)
        assert not library.take_fault("") and not library.take_error()

    return launch


def bits():
    return torch.arange(256).to(torch.uint8)


def same(a, b):
    return torch.equal(a.isnan(), b.isnan()) and torch.equal(a[~a.isnan()], b[~b.isnan()])


def test_every_bit_pattern_widens_exactly(call):
    out = torch.empty(4, 256)
    call("widen", bits(), out)
    e4m3, e5m2 = (bits().view(dtype).float() for dtype in DTYPES)
    assert same(out[0], e4m3)
    assert same(out[1], e5m2)
    assert same(out[2], e5m2)
    assert torch.equal(out[3], e4m3.trunc().nan_to_num(0.0))


def numbers():
    """Return every half, the middles between neighbours in eight bits, and what lies beside."""
    halves = torch.arange(1 << 16).to(torch.uint16).view(torch.float16).float()
    found = [halves, torch.tensor([0.0, -0.0, 1e-30, -1e30, 464.0, 464.1, 61440.0, 61439.0])]
    for dtype in DTYPES:
        values = bits().view(dtype).float()
        values = values[values.isfinite()].sort()[0]
        middles = (values[1:] + values[:-1]) / 2
        found += [middles, middles * (1 + 2**-20), middles * (1 - 2**-20)]
    return torch.cat(found)


def test_numbers_are_rounded_once_and_saturate(call):
    x = numbers()
    out = torch.empty(4, len(x), dtype=torch.uint8)
    call("narrow", x, out, len(x))
    for row, dtype in zip(out, DTYPES, strict=False):
        largest = torch.finfo(dtype).max
        expected = x.clamp(-largest, largest).to(dtype).view(torch.uint8)
        number = ~x.isnan()
        assert torch.equal(row[number], expected[number])
        assert set(row[~number].tolist()) == {NAN}


@pytest.mark.parametrize(
    "row, dtype, limit, beyond",
    [(2, torch.float8_e4m3fn, 464.0, NAN), (3, torch.float8_e5m2, 61439.999, 0x7C)],
)
def test_without_saturation_what_is_too_large_becomes_nan_or_infinity(
    call, row, dtype, limit, beyond
):
    x = numbers()
    out = torch.empty(4, len(x), dtype=torch.uint8)
    call("narrow", x, out, len(x))
    large = x.abs() > limit
    inside = ~large & ~x.isnan()
    assert torch.equal(out[row][inside], x[inside].to(dtype).view(torch.uint8))
    assert torch.equal(out[row][large], (beyond + 128 * (x[large] < 0)).to(torch.uint8))


def test_a_pack_of_sixteen_bytes(call):
    x = bits()
    wide, back = torch.empty(256), torch.empty(256, dtype=torch.uint8)
    call("packs", x, wide, back)
    assert same(wide, x.view(DTYPES[0]).float())
    is_nan = x % 128 == NAN
    assert torch.equal(back[~is_nan], x[~is_nan])
    assert set(back[is_nan].tolist()) == {NAN}


def test_a_scale_is_a_power_of_two(tmp_path, headers):
    """And the next one, upwards, of what lies between."""
    source = tmp_path / "scale.cu"
    source.write_text(
        "#include <cuda_fp8.h>\n"
        "__global__ void k(const float* x, float* out, int n) {\n"
        "    for (int i = 0; i < n; ++i) out[i] = float(__nv_fp8_e8m0(x[i]));\n"
        "}\n"
        'extern "C" void run(const float* x, float* out, int n) { k<<<1, 1>>>(x, out, n); }\n'
    )
    emulator.build(source, tmp_path / "scale.so", headers)
    x = torch.tensor([1.0, 1.5, -3.0, 0.0, torch.inf, 2.0**-130, 0.75 * 2.0**-126])
    out = torch.empty_like(x)
    run = emulator.Library(tmp_path / "scale.so").dll.run
    run(ctypes.c_void_p(x.data_ptr()), ctypes.c_void_p(out.data_ptr()), len(x))
    assert out.tolist() == [1, 2, 4, 2.0**-127, 2.0**127, 2.0**-127, 2.0**-126]


def test_a_launcher_takes_tensors_of_float8(tmp_path):
    """And of int8; each tensor must have the dtype that the parameter names."""
    file = tmp_path / "narrow.cu"
    file.write_text("""#include <cuda_fp8.h>
#include <cstdint>
__global__ void kernel(const __nv_fp8_e5m2* x, const int8_t* y, __nv_fp8_e4m3* out) {
    out[threadIdx.x] = __nv_fp8_e4m3(float(x[threadIdx.x]) * y[threadIdx.x]);
}
extern "C" void product(const __nv_fp8_e5m2* x, const int8_t* y, __nv_fp8_e4m3* out,
                        int64_t n) {
    kernel<<<1, static_cast<unsigned>(n)>>>(x, y, out);
}
""")
    product = jit.load(file).product
    device = machine.present().device
    x = torch.linspace(-2, 2, 64, device=device).to(torch.float8_e5m2)
    y = torch.arange(64, dtype=torch.int8, device=device)
    out = torch.zeros(64, dtype=torch.float8_e4m3fn, device=device)
    product(x, y, out)
    assert torch.equal(out.float(), (x.float() * y).to(torch.float8_e4m3fn).float())
    with pytest.raises(TypeError, match="float8_e4m3fn"):
        product(x, y, out.float())
