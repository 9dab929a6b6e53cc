"""A wrong number of arguments is told with what the function takes and what it was given."""

import pytest

from helpers.emulator import compile as compiling
from helpers.emulator import front_end

pytestmark = pytest.mark.skipif(front_end.problem() is not None, reason="no libclang")

TEXT = """#include <cstdint>
__global__ void add(const float* a, const float* b, float* out, int64_t n) {{}}
template <typename T> __global__ void fill(T* out, T value) {{}}
__global__ void defaults(float* out, int n = 3) {{}}
__device__ float one(float x) {{ return x; }}
__global__ void calls(float* o) {{ o[0] = {device}; }}
extern "C" void launch(const float* a, float* out, int64_t n, cudaStream_t stream) {{ {host} }}
"""
ADD = "add takes 4 arguments (const float * a, const float * b, float * out, int64_t n), "


def said(headers, tmp_path, host="", device="one(1.0f)"):
    path = tmp_path / "k.cu"
    text = TEXT.format(host=host, device=device)
    found = front_end.find(path, {path: text}, compiling.compiler(), headers)
    return [one.words.replace("*", "* ").replace("*  ", "* ") for one in found]


@pytest.mark.parametrize(
    ("host", "words"),
    [
        ("add<<<1, 256, 0, stream>>>(a, out, n);", ADD + "3 given (a, out, n)"),
        ("add<<<1, 256>>>(a, a, out, n,\n (1, 2));", ADD + "5 given (a, a, out, n, (1, 2))"),
        ("add<<<1, 256>>>();", ADD + "0 given ()"),
        (
            "fill<float><<<1, 2>>>(out);",
            "fill takes 2 arguments (T * out, T value), 1 given (out)",
        ),
        ("fill<<<1, 2>>>(out, 1.f, 2);", "fill takes 2 arguments (T * out, T value), 3 given"),
        (
            "defaults<<<1, 2>>>();",
            "defaults takes 2 arguments (float * out, int n), 0 given ()",
        ),
    ],
)
def test_a_launch(headers, tmp_path, host, words):
    (one,) = said(headers, tmp_path, host)
    assert one.replace(" * ", "* ").startswith(words.replace(" * ", "* "))


def test_a_device_function(headers, tmp_path):
    (one,) = said(headers, tmp_path, device="one(1.0f, 2.0f)")
    assert one == "one takes 1 argument (float x), 2 given (1.0f, 2.0f)"


def test_wrong_types_stay_in_clangs_words(headers, tmp_path):
    (one,) = said(headers, tmp_path, "add<<<1, 2>>>(a, a, a, n);")
    assert one.startswith("cannot initialize a parameter of type 'float")
    right = "add<<<1, 2>>>(a, a, out, n); defaults<<<1, 2>>>(out);"
    assert said(headers, tmp_path, right) == []
