"""A classic PyTorch extension is loaded as it is: what its launchers declare, and a run."""

import re
import subprocess
from pathlib import Path

import pytest
import torch

from helpers.errors import KernelFault, LauncherError
from helpers.run import classic, jit, machine
from helpers.run.signature import declarations
from helpers.testing.check import verdict

DEVICE = machine.present().device
FILE = Path(__file__).parent / "kernels" / "classic.cu"
MIDDLE = ("f32x4", "f16", "f16x2", "f16x8")
HEAD = "#include <torch/extension.h>\n"
MODULE = 'PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {{ m.def("{0}", &{0}); }}\n'


@pytest.fixture(autouse=True)
def own_cache(cache_with_headers):
    """Give each test a cache of its own, in which it finds no file of another."""


def declared(tmp_path, body, name="f"):
    """Return how the launcher of one function is declared, as a caller sees it."""
    path = tmp_path / "k.cu"
    path.write_text(HEAD + body + MODULE.format(name))
    adapted = classic.adapt(path)
    return declarations(adapted.read_text(), "k.cu")[name]


@pytest.mark.parametrize(
    ("text", "uses"),
    [
        (HEAD, True),
        ("# include <ATen/cuda/CUDAContext.h>\n", True),
        ("// #include <torch/extension.h>\n", False),
        ("#include <cuda_runtime.h>\n", False),
    ],
)
def test_a_file_or_a_header_of_it_includes_pytorch(text, uses):
    assert classic.uses_torch({Path("k.cu"): "", Path("k.cuh"): text}) is uses


@pytest.fixture(scope="module")
def kernel():
    return jit.load(FILE)


ACCESSORS = """
template <typename T>
__global__ void k(torch::PackedTensorAccessor32<T, 1, torch::RestrictPtrTraits> a,
                  torch::PackedTensorAccessor64<T, 1> out, float by) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < a.size(0)) out[i] = a[i] * static_cast<T>(by);
}
torch::Tensor f(torch::Tensor a, double by) {
    auto out = torch::empty_like(a);
    TORCH_CHECK(a.sizes() == out.sizes(), a.sizes(), " and ", out.sizes());
    AT_DISPATCH_FLOATING_TYPES_AND2(at::kHalf, at::ScalarType::BFloat16, a.type(), "f", [&] {
        k<scalar_t><<<(a.numel() + 255) / 256, 256, 0, at::cuda::getCurrentCUDAStream()>>>(
            a.packed_accessor32<scalar_t, 1, torch::RestrictPtrTraits>(),
            out.packed_accessor64<scalar_t, 1>(), by);
    });
    AT_DISPATCH_ALL_TYPES_AND(at::kBool, a.scalar_type(), "g", [&] { (void)sizeof(scalar_t); });
    AT_DISPATCH_SWITCH(a.scalar_type(), "h", AT_DISPATCH_CASE(at::kFloat, [&] {}));
    return out;
}
"""


@pytest.mark.slow
def test_accessors_and_the_dispatch_over_types(tmp_path):
    path = tmp_path / "k.cu"
    path.write_text(HEAD + ACCESSORS + MODULE.format("f"))
    a = torch.randn(1000, device=DEVICE)
    result = torch.empty_like(a)
    jit.load(path).f(a, 2.0, result)
    assert torch.equal(result, 2 * a)


LIBRARY = """
#include <torch/library.h>
__global__ void k(const float* a, float* out, int64_t n, float by) {
    const int64_t i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = a[i] * by;
}
torch::Tensor twice(const torch::Tensor& a) {
    auto out = torch::empty_like(a);
    k<<<4, 256>>>(a.data_ptr<float>(), out.data_ptr<float>(), a.numel(), 2);
    return out;
}
void scale(const torch::Tensor& a, torch::Tensor& out, double by) {
    k<<<4, 256>>>(a.data_ptr<float>(), out.data_ptr<float>(), a.numel(), by);
}
TORCH_LIBRARY(mine, m) {
    m.def("twice(Tensor a) -> Tensor");
    m.def("scale(Tensor a, Tensor(b!) out, float by) -> ()");
}
TORCH_LIBRARY_IMPL(mine, CUDA, m) {
    m.impl("twice", TORCH_FN(twice));
    m.impl("scale", torch::kCUDA, &scale);
}
"""


@pytest.mark.slow
@pytest.mark.parametrize("also", ["", "PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {}\n"])
def test_functions_of_a_library_for_torch_ops(tmp_path, also):
    path = tmp_path / "k.cu"
    path.write_text(HEAD + LIBRARY + also)
    kernel, a = jit.load(path), torch.randn(1000, device=DEVICE)
    result, scaled = torch.empty_like(a), torch.empty_like(a)
    kernel.twice(a, result)
    kernel.scale(a, scaled, 3.0)
    assert torch.equal(result, 2 * a) and torch.equal(scaled, 3 * a)


def test_a_library_names_its_functions_where_it_defines_them(tmp_path):
    path = tmp_path / "k.cu"
    body = "void f(torch::Tensor a) { a.data_ptr<float>(); }\n"
    path.write_text(
        HEAD + body + 'TORCH_LIBRARY_FRAGMENT(mine, m) { m.def("g(Tensor(a!) a) -> ()", f); }'
    )
    assert "g" in declarations(classic.adapt(path).read_text(), "k.cu")


@pytest.mark.slow
@pytest.mark.parametrize(
    "version",
    ["f32", *(pytest.param(v, marks=pytest.mark.stress) for v in MIDDLE), "f16x8_pack"],
)
def test_the_six_versions_are_right(kernel, version):
    found = verdict(kernel, "add", only=f"add_{version}")
    assert found.ok, str(found)


@pytest.mark.slow
def test_what_a_function_returns_is_an_output(kernel):
    x, out = torch.rand(1000, device=DEVICE), torch.zeros(1000, device=DEVICE)
    kernel.scaled(x, 3.0, out)
    assert torch.equal(out, x * 3)


@pytest.mark.slow
def test_a_dtype_is_refused_in_the_courses_words(kernel):
    x = torch.zeros(8, device=DEVICE)
    with pytest.raises(TypeError, match="a is float32, but this kernel takes float16"):
        kernel.add_f16(x, x, x)


@pytest.mark.slow
def test_an_exception_is_a_fault(kernel):
    x, out = torch.zeros(8, device=DEVICE), torch.zeros(8, device=DEVICE)
    with pytest.raises(KernelFault, match=r"threw a C\+\+ exception: the factor is 0"):
        kernel.scaled(x, 0.0, out)
    kernel.scaled(x, 2.0, out)  # the session goes on


def test_other_files_stay_as_they_are(tmp_path):
    path = tmp_path / "k.cu"
    path.write_text('extern "C" void f(float* a, int64_t n) {}')
    assert classic.adapt(path) == path
    path.write_text(HEAD + 'extern "C" void f(float* a, int64_t n) {}')
    assert classic.adapt(path) == path
    path.write_text("// #include <torch/extension.h>\nvoid f() {}")
    assert classic.adapt(path) == path
    assert not classic.is_classic("void f(torch::Tensor a) {}")


def test_the_adapter_includes_the_file_and_changes_with_it(tmp_path):
    body = "void f(torch::Tensor a) { a.data_ptr<float>(); }\n"
    declared(tmp_path, body)
    first = classic.adapt(tmp_path / "k.cu")
    assert first.name == "k.cu" and f'#include "{tmp_path}/k.cu"' in first.read_text()
    assert re.fullmatch(r".*/classic/[0-9a-f]{16}/k\.cu", first.as_posix())
    assert classic.adapt(tmp_path / "k.cu") == first and classic.adapt(first) == first
    declared(tmp_path, body + "// more\n")
    assert classic.adapt(tmp_path / "k.cu") != first


@pytest.mark.parametrize(
    ("use", "dtype"),
    [
        ("a.data_ptr<float>()", "float32"),
        ("a.data_ptr<const at::Half>()", "float16"),
        ("(a).const_data_ptr<torch::BFloat16>()", "bfloat16"),
        ("a.mutable_data_ptr < int64_t > ()", "int64"),
        ("reinterpret_cast<half*>(a.data_ptr())", "float16"),
        ("reinterpret_cast<const float4 *>(a.data_ptr())", "float32"),
        ("(__nv_bfloat16*)a.data_ptr()", "bfloat16"),
        ("static_cast<double*>((a).data_ptr())", "float64"),
        ("if (a.dtype() != torch::kFloat16) return", "float16"),
        ("if ((a).options().dtype() != (torch::kInt32)) return", "int32"),
        ("TORCH_CHECK(a.scalar_type() == at::ScalarType::kDouble)", "float64"),
        ("k(aa.data_ptr<double>(), a.data_ptr<int>())", "int32"),
        ("k(a.data_ptr<half>())", "float16"),
        ("k((__half*)a.data_ptr())", "float16"),
        ("k(a.data_ptr<at::Half>())", "float16"),
        ("k(a.data_ptr<float>())", "float32"),
        ("k(a.data_ptr<int64_t>())", "int64"),
        ("k(a.packed_accessor32<double, 1>())", "float64"),
    ],
)
def test_the_dtype_is_read_from_the_body(tmp_path, use, dtype):
    found = declared(tmp_path, f"void f(torch::Tensor a) {{ {use}; }}\n")
    assert str(found) == f"f(a: {dtype}[n])"


@pytest.mark.parametrize(
    ("names", "dtype"),
    [
        ("kFloat kFloat32", "float32"),
        ("kHalf kFloat16", "float16"),
        ("kBFloat16", "bfloat16"),
        ("kDouble kFloat64", "float64"),
        ("kInt kInt32", "int32"),
        ("kLong kInt64", "int64"),
        ("kByte kUInt8", "uint8"),
        ("kChar kInt8", "int8"),
    ],
)
def test_pytorchs_names_of_dtypes(tmp_path, names, dtype):
    for name in names.split():
        body = f"void f(torch::Tensor a) {{ TORCH_CHECK(a.dtype() == torch::{name}); }}\n"
        assert str(declared(tmp_path, body)) == f"f(a: {dtype}[n])"


@pytest.mark.parametrize(
    ("head", "expected"),
    [
        ("void f(torch::Tensor a, at::Tensor b, torch::Tensor c)", "a b -> c"),
        ("void f(const torch::Tensor& a, torch::Tensor &b, const at::Tensor& c)", "a c -> b"),
        ("torch::Tensor f(torch::Tensor a, const torch::Tensor& b)", "a b -> result"),
        ("static void f(torch::Tensor& c)", "-> c"),
    ],
)
def test_which_tensors_are_outputs(tmp_path, head, expected):
    found = declared(tmp_path, f"{head} {{ a.data_ptr<float>(); c.data_ptr<float>(); }}\n")
    inputs, outputs = expected.split("->")
    roles = {p.name: p.role for p in found.tensors}
    assert roles == dict.fromkeys(inputs.split(), "input") | {outputs.strip(): "output"}
    assert all(p.dtype is torch.float32 and p.alignment == 1 for p in found.tensors)


def test_scalars_vectors_and_a_size_of_another_name(tmp_path):
    body = "void f(torch::Tensor a, int n, float s = 1) { (W(4)*)a.data_ptr(); }\n"
    body = f"#define W(x) float##x\n{body}"
    found = declared(tmp_path, body)
    assert str(found) == "f(a: float32[numel], n, s)"
    assert found.tensors[0].alignment == 16
    assert [p.role for p in found.parameters[-2:]] == ["size", "stream"]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("void f(torch::Tensor a) {}", "has no PYBIND11_MODULE"),
        ("PYBIND11_MODULE(x, m) { m.def(f); }", "defines no function by its name"),
        (MODULE.format("f"), "the function f, which Python is given, is not in it"),
        ("void f(torch::Tensor a) { }" + MODULE.format("f"), "cannot tell what f takes"),
        (
            "int f(torch::Tensor a) { a.data_ptr<float>(); }" + MODULE.format("f"),
            "must be void or return a torch::Tensor",
        ),
    ],
)
def test_what_is_not_understood_is_told_with_a_remedy(tmp_path, text, words):
    path = tmp_path / "k.cu"
    path.write_text(HEAD + text)
    with pytest.raises(LauncherError, match=f"^k.cu.*{words}"):
        classic.adapt(path)


def test_the_preprocessor_is_asked_once_and_its_failure_leaves_the_text(monkeypatch, tmp_path):
    ran = []

    def run(words, **options):
        ran.append((words, options))
        return subprocess.CompletedProcess(words, len(ran) - 1, stdout="expanded")

    monkeypatch.setattr(classic.subprocess, "run", run)
    monkeypatch.setattr(classic, "compiler", lambda: "c++")
    text = "#include <torch/extension.h>\nint x;\n"
    assert classic._expanded(tmp_path / "k.cu", text) == "expanded"
    assert classic._expanded(tmp_path / "k.cu", text) == text
    words, options = ran[0]
    assert words == ["c++", "-E", "-P", "-x", "c++", "-std=c++17", f"-I{tmp_path}", "-"]
    assert options.pop("input").split() == ["int", "x;"]
    assert options == {
        "capture_output": True,
        "text": True,
        "errors": "replace",
        "check": False,
    }


def test_a_function_is_found_whatever_stands_before_its_body():
    for between in ("", " ", "\n"):
        code = f"void f(int a); void f(int a, float b = 1){between}{{ g(); }} int c;"
        assert classic._function(code, "f", "k.cu") == ("void", ["int a", "float b"], " g(); ")


@pytest.mark.parametrize(
    ("element", "name"),
    [("float", "torch::kFloat"), ("half", "torch::kHalf"), ("int64_t", "torch::kLong")],
)
def test_a_tensor_is_wrapped_with_pytorchs_name_of_its_dtype(element, name):
    assert classic._kind(element) == name


WRITES = (
    "void f(const torch::Tensor& a, torch::Tensor b, int n, float s = 1) {"
    " a.data_ptr<float>(); b.data_ptr<float>(); }"
)
OF_WRITES = """
extern "C" void add(
    const float* a,  // [numel] 16-byte aligned
    float* b,  // [numel] 16-byte aligned
    int n,
    float s,
    int64_t numel, cudaStream_t stream) {
    elementwise_classic::use(stream);
    try {
        torch::Tensor tensor_a = elementwise_classic::view(a, numel, torch::kFloat);
        torch::Tensor tensor_b = elementwise_classic::view(b, numel, torch::kFloat);
        f(tensor_a, tensor_b, n, s);
    }
    ELEMENTWISE_CATCH
}
"""
RETURNS = "torch::Tensor f(torch::Tensor a) { a.data_ptr<at::Half>(); }"
OF_RETURNS = """
extern "C" void add(
    const half* a,  // [n] 16-byte aligned
    half* result,  // [n] 16-byte aligned
    int64_t n, cudaStream_t stream) {
    elementwise_classic::use(stream);
    try {
        torch::Tensor tensor_a = elementwise_classic::view(a, n, torch::kHalf);
        const torch::Tensor made = f(tensor_a);
        cudaMemcpyAsync(result, made.data_ptr(), n * sizeof *result, \
cudaMemcpyDeviceToDevice, stream);
    }
    ELEMENTWISE_CATCH
}
"""


@pytest.mark.parametrize(("code", "text"), [(WRITES, OF_WRITES), (RETURNS, OF_RETURNS)])
def test_the_whole_text_of_a_launcher(code, text):
    assert classic._launcher(code, "add", "f", " 16-byte aligned", "k.cu") == text
