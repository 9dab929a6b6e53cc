"""A launcher is written for each pair of dtypes, for fast::transform and for CUB."""

import pytest
import torch

from helpers import paths
from helpers.measure.libraries import operator_sources
from helpers.measure.libraries.operators import OPERATORS, Operator, all_operators
from helpers.run.signature import declarations

BIAS = Operator.of("bias_gelu_residual", "float16", "float16")


def test_every_launcher_can_be_read():
    for name in OPERATORS:
        for write in (operator_sources.fast, operator_sources.cub):
            path = write(name)
            found = list(declarations(path.read_text(), path.name))
            assert found == [o.launcher for o in all_operators() if o.name == name]


def test_a_launcher_of_the_fast_kernels():
    text = operator_sources.launcher(Operator.of("cast", "float32", "float8_e4m3fn"))
    assert text.startswith('extern "C" cudaError_t cast_float32_float8_e4m3fn(\n')
    assert "const float* a,  // [n]\n    uint8_t* out,  // [n]\n" in text
    assert "int path = 0, int packs = 0, " in text and "int programmatic = " in text
    assert "fast::transform(operators::Cast<uint8_t>{}, n, out, {stream, path" in text


def test_a_bias_is_a_row():
    text = operator_sources.launcher(BIAS)
    assert "const half* b,  // [cols]" in text and "int64_t n, int64_t cols, " in text
    assert "a, elementwise::Row<half>(b, cols), c);" in text


def test_cubs_launcher_has_no_knobs():
    text = operator_sources.cub("add").read_text()
    assert "cuda::std::make_tuple(a, b), out, n, operators::Add{}, stream)" in text
    assert "int path" not in text and "cub/device/device_transform.cuh" in text


def test_a_file_is_written_once():
    path = operator_sources.fast("copy")
    before = path.stat().st_mtime_ns
    assert operator_sources.fast("copy") == path and path.stat().st_mtime_ns == before


def test_the_whole_text_of_a_launcher():
    text = operator_sources.launcher(Operator.of("addcmul", "float16", "float16"))
    assert (
        text
        == """\
extern "C" cudaError_t addcmul_float16_float16(
    const half* a,  // [n]
    const half* b,  // [n]
    const half* c,  // [n]
    half* out,  // [n]
    int64_t n, int path = 0, int packs = 0, int tiles_per_sm = 0, \
int programmatic = 0, int streaming = 0, int halved = 0, cudaStream_t stream = 0) {
    return fast::transform(operators::Addcmul{}, n, out, \
{stream, path, packs, tiles_per_sm, programmatic, streaming, halved}, a, b, c);
}
"""
    )


def test_the_whole_text_of_cub_s_launcher():
    text = operator_sources.launcher(
        Operator.of("cast", "int8", "float32"), operator_sources.CUB, ()
    )
    assert (
        text
        == """\
extern "C" cudaError_t cast_int8_float32(
    const int8_t* a,  // [n]
    float* out,  // [n]
    int64_t n, cudaStream_t stream = 0) {
    return cub::DeviceTransform::Transform(cuda::std::make_tuple(a), out, n, \
operators::Cast<float>{}, stream);
}
"""
    )


@pytest.mark.parametrize(
    ("dtype", "ctype"),
    [
        (torch.float32, "float"),
        (torch.float16, "half"),
        (torch.bfloat16, "__nv_bfloat16"),
        (torch.float8_e4m3fn, "uint8_t"),
        (torch.int8, "int8_t"),
        (torch.bool, "bool"),
    ],
)
def test_the_c_types(dtype, ctype):
    assert operator_sources.C_TYPES[dtype] == ctype


def test_the_files_include_both_headers_and_cub_its_own():
    fast, cub = operator_sources.fast("add"), operator_sources.cub("add")
    assert (fast.name, cub.name, fast.parent.name) == ("add.cu", "cub_add.cu", "operators")
    headers = [paths.KERNELS / "fast.cuh", paths.PACKAGE / "measure/libraries/operators.cuh"]
    own = [f'#include "{header.as_posix()}"' for header in headers]
    assert fast.read_text().splitlines()[:3] == [*own, ""]
    first = ["#include <cub/device/device_transform.cuh>", "#include <cuda/std/tuple>"]
    assert cub.read_text().splitlines()[:4] == [*first, *own]
    assert all(header.is_file() for header in headers)


def test_a_file_with_another_text_is_written_again():
    path = operator_sources.fast("neg")
    text = path.read_text()
    path.write_text("other")
    assert operator_sources.fast("neg").read_text() == text


def test_a_change_of_the_header_is_a_file_of_its_own():
    text = operator_sources.fast("add", "branch").read_text()
    header = operator_sources.changed("branch")
    assert header.as_posix() in text and "kernels/fast.cuh" not in text
    assert operator_sources.HEADERS[1].as_posix() in text
    branch = "if (static_cast<uint32_t>(p) < job.packs) finish"
    assert branch not in operator_sources.HEADERS[0].read_text()
    assert branch in header.read_text()


def test_every_change_is_one_of_the_header():
    assert operator_sources.SIZES[operator_sources.RULE_THREADS] not in operator_sources.CHANGES
    texts = {
        operator_sources.changed(change).read_text() for change in operator_sources.CHANGES
    }
    assert len(texts) == len(operator_sources.CHANGES) == 7


def test_a_change_of_what_is_not_there_is_an_error(monkeypatch):
    monkeypatch.setitem(operator_sources.CHANGES, "none", {"no such text": ""})
    with pytest.raises(ValueError, match=r"fast\.cuh has no 'no such text'"):
        operator_sources.changed("none")
