"""A launcher is written for each pair of dtypes, for fast::transform and for CUB."""

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
    assert "int path = 0, int threads = 0, " in text and "int programmatic = " in text
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
