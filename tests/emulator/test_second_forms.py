"""Which kernels run abreast, by name, and that plain ones are about as fast as PyTorch."""

import ctypes
import re
import time

import pytest
import torch

from helpers import emulator, sources
from helpers.emulator import abreast
from helpers.emulator import compile as compiling
from helpers.emulator.translate import alone
from helpers.paths import KERNELS

INDEX = "const int i = blockIdx.x * blockDim.x + threadIdx.x;"
GRID = "int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x"
HEAD = "#include <cuda_bf16.h>\n#include <cuda_fp16.h>\n#include <cstdint>\n"
SCALARS = {"s": "1.5f", "lo": "-0.5f", "hi": "0.5f"}


def plain(name, expression, of="float", to="", more=""):
    """Write a kernel with one element a thread."""
    head = f"__global__ void {name}(const {of}* x, {to or of}* out, int n{more})"
    return f"{head} {{ {INDEX} if (i < n) {{ {expression} }} }}\n"


def two(name, of):
    head = f"__global__ void {name}(const {of}* x, const {of}* y, {of}* out, int n)"
    return f"{head} {{ {INDEX} if (i < n) out[i] = x[i] + y[i]; }}\n"


# As learners write them.
ONES = {
    "relu": plain("relu", "out[i] = fmaxf(x[i], 0.0f);"),
    "relu_if": plain("relu_if", "out[i] = x[i] > 0.0f ? x[i] : 0.0f;"),
    "scale": plain("scale", "out[i] = s * x[i];", more=", float s"),
    "leaky": plain("leaky", "if (x[i] > 0.0f) out[i] = x[i]; else out[i] = 0.01f * x[i];"),
    "sigmoid": plain("sigmoid", "out[i] = 1.0f / (1.0f + expf(-x[i]));"),
    "gelu": plain("gelu", "out[i] = 0.5f * x[i] * (1.0f + erff(x[i] * 0.70710678f));"),
    "gelu_tanh": plain(
        "gelu_tanh",
        "const float v = x[i], u = 0.79788456f * (v + 0.044715f * v * v * v);"
        "out[i] = 0.5f * v * (1.0f + tanhf(u));",
    ),
    "clamp": plain(
        "clamp", "out[i] = fminf(fmaxf(x[i], lo), hi);", more=", float lo, float hi"
    ),
    "absolute": plain("absolute", "out[i] = fabsf(x[i]);"),
    "widen": plain("widen", "out[i] = __half2float(x[i]);", "half", "float"),
    "narrow": plain("narrow", "out[i] = __float2half(x[i]);", "float", "half"),
    "relu_half": plain("relu_half", "out[i] = __hmax(x[i], __float2half(0.0f));", "half"),
    "silu_half": plain(
        "silu_half",
        "const float v = __half2float(x[i]); out[i] = __float2half(v / (1.0f + __expf(-v)));",
        "half",
    ),
    "sum_int": two("sum_int", "int"),
    "sum_byte": two("sum_byte", "uint8_t"),
    "sum_half": two("sum_half", "half"),
    "sum_bfloat": two("sum_bfloat", "__nv_bfloat16"),
    "fused": "__global__ void fused(const float* x, const float* y, const float* z, "
    f"float* out, int n) {{ {INDEX} if (i < n) out[i] = x[i] * y[i] + z[i]; }}\n",
    "bounds": plain("__launch_bounds__(256) bounds", "out[i] = x[i] * x[i];"),
    "early": "__global__ void early(const float* x, float* out, int n) "
    f"{{ {INDEX} if (i >= n) return; out[i] = x[i] * x[i]; }}\n",
    "functor": "struct Op { __device__ float operator()(float v) const { return v + 1; } };\n"
    "template <typename F> __device__ void each(const float* x, float* out, int i, F f) "
    "{ out[i] = f(x[i]); }\n" + plain("functor", "each(x, out, i, Op());"),
}
LOOPS = {
    "loop": f"__global__ void loop(const float* x, float* out, int n) "
    f"{{ for ({GRID}) out[i] = x[i] * 2.0f; }}\n",
    "loop_half": f"__global__ void loop_half(const half* x, half* out, int n) "
    f"{{ for ({GRID}) {{ out[i] = __hadd(x[i], x[i]); }} }}\n",
    "loop_relu": f"__global__ void loop_relu(const float* x, float* out, int n) "
    f"{{ for ({GRID}) {{ const float v = x[i]; out[i] = v > 0.0f ? v : 0.0f; }} }}\n",
    "loop_64": """__global__ void loop_64(const float* x, float* out, int64_t n) {
        const int64_t step = int64_t(gridDim.x) * blockDim.x;
        const int64_t first = int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
        #pragma unroll 1
        for (int64_t i = first; i < n; i += step) out[i] = x[i] * 2.0f;
    }\n""",
    "loop_while": """__global__ void loop_while(const float* x, float* out, int n) {
        int i = threadIdx.x + blockIdx.x * blockDim.x;
        while (i < n) {
            out[i] = x[i] * 2.0f;
            i += blockDim.x * gridDim.x;
        }
    }\n""",
    "loop_skips": f"""__global__ void loop_skips(const float* x, float* out, int n) {{
        for ({GRID}) {{
            if (x[i] < 0.0f) continue;
            out[i] = x[i];
        }}
    }}\n""",
    "loop_packs": """__global__ void loop_packs(const float* x, float* out, int n) {
        const float4* from = reinterpret_cast<const float4*>(x);
        const int step = gridDim.x * blockDim.x;
        for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n / 4; i += step) {
            float4 v = from[i];
            v.x *= 2.0f, v.y *= 2.0f, v.z *= 2.0f, v.w *= 2.0f;
            *reinterpret_cast<float4*>(out + 4 * i) = v;
        }
        const int last = n / 4 * 4 + blockIdx.x * blockDim.x + threadIdx.x;
        if (last < n) out[last] = 2.0f * x[last];
    }\n""",
    "rows": """__global__ void rows(const float* x, float* out, int n) {
        const int columns = n / gridDim.x;
        for (int c = threadIdx.x; c < columns; c += blockDim.x) {
            out[blockIdx.x * columns + c] = x[blockIdx.x * columns + c] + blockIdx.x;
        }
    }\n""",
}
PACKS = {
    "relu_x8": """__global__ void relu_x8(const half* x, half* out, int n) {
        const int i = (blockIdx.x * blockDim.x + threadIdx.x) * 8;
        if (i + 7 < n) {
            float4 pack = *reinterpret_cast<const float4*>(x + i);
            half2* h = reinterpret_cast<half2*>(&pack);
            #pragma unroll
            for (int k = 0; k < 4; ++k) h[k] = __hmax2(h[k], __float2half2_rn(0.0f));
            *reinterpret_cast<float4*>(out + i) = pack;
        }
    }\n""",
    "scale_x8": """struct alignas(16) Pack { half of[8]; };
    __global__ void scale_x8(const half* x, half* out, int n, float s) {
        const int i = blockIdx.x * blockDim.x + threadIdx.x;
        if (8 * i + 8 <= n) {
            Pack pack = reinterpret_cast<const Pack*>(x)[i];
            #pragma unroll
            for (int k = 0; k < 8; ++k) pack.of[k] = __float2half(s * __half2float(pack.of[k]));
            reinterpret_cast<Pack*>(out)[i] = pack;
        }
    }\n""",
}
ROWS = {
    "plane": """__global__ void plane(const float* x, float* out, int n) {
        const int c = blockIdx.x * blockDim.x + threadIdx.x;
        const int r = blockIdx.y * blockDim.y + threadIdx.y;
        if (c < 64 && r < n / 64) out[r * 64 + c] = x[r * 64 + c] * 2.0f;
    }\n""",
}
FORMS = {**ONES, **LOOPS, **PACKS, **ROWS}
COURSE = {
    **{
        name: {"add_" + name[3:]}
        for name in ("v1_f32", "v2_f32x4", "v3_f16", "v4_f16x2", "v5_f16x8", "v6_f16x8_pack")
    },
    "v1_f32_classic": {"add_f32"},
    **{
        f"op_{name}": {"elementwise_kernel"}
        for name in ("add", "bias_gelu_residual", "cast", "fma", "gelu", "relu", "scale")
    },
    **{
        name: {"unary_kernel"}
        for name in (
            "step1_functor",
            "step2_grid_stride",
            "step3_pack",
            "step4_alignment",
            "step5_tail",
        )
    },
    **{
        name: {"elementwise_kernel"}
        for name in ("step6_apply2", "step7_factory", "step8_arity", "swish")
    },
    "fma_f32x4": {"fma_f32x4"},
    "wide_load": {"add_f16x16"},
    "restrict": {"may_overlap", "no_overlap"},
    "index_width": {"add_f32"},
}
DTYPES = {
    "float": torch.float32,
    "half": torch.float16,
    "__nv_bfloat16": torch.bfloat16,
    "int": torch.int32,
    "uint8_t": torch.uint8,
}
THREADS, BLOCKS = 64, 3  # of a loop


def pointers(name):
    """Return the dtypes that a form's kernel reads and the one that it writes."""
    head = re.search(rf"void (?:__launch_bounds__\(\d+\) )?{name}\(([^)]*)\)", FORMS[name])
    types = [DTYPES[one] for one in re.findall(r"(\w+)\*", head[1])]
    given = [one.split()[-1] for one in head[1].split(",")[len(types) + 1 :]]
    return types, [SCALARS[one] for one in given]


def launcher(name, threads=THREADS, blocks=BLOCKS):
    """Write a form's launcher, which takes the number of elements last."""
    types, scalars = pointers(name)
    words = {dtype: word for word, dtype in DTYPES.items()}
    given = [f"{words[one]}* p{k}" for k, one in enumerate(types)]
    grid = f"(n + {threads - 1}) / {threads}, {threads}"
    if name in LOOPS:
        grid = f"{blocks}, {threads}"
    elif name in PACKS:
        grid = f"(n / 8 + {threads - 1}) / {threads}, {threads}"
    elif name in ROWS:
        grid = "dim3(2, (n / 64 + 3) / 4), dim3(32, 4)"
    arguments = ", ".join([*(f"p{k}" for k in range(len(types))), "n", *scalars])
    return (
        f'extern "C" void run_{name}({", ".join([*given, "int n"])}, cudaStream_t stream) '
        f"{{ {name}<<<{grid}, 0, stream>>>({arguments}); }}\n"
    )


def built(folder, headers, forms, **grid):
    source = folder / "forms.cu"
    source.write_text(HEAD + "".join(FORMS[name] + launcher(name, **grid) for name in forms))
    emulator.build(source, folder / "forms.so", headers)
    return emulator.Library(folder / "forms.so")


def call(library, name, *tensors, n):
    given = [ctypes.c_void_p(one.data_ptr()) for one in tensors]
    getattr(library.dll, f"run_{name}")(*given, ctypes.c_int(n), ctypes.c_void_p(None))


@pytest.fixture(scope="module")
def libraries(tmp_path_factory, headers):
    groups = [[*ONES, *LOOPS, *ROWS], [*PACKS]]
    made = [built(tmp_path_factory.mktemp("forms"), headers, group) for group in groups]
    return {
        name: library for group, library in zip(groups, made, strict=True) for name in group
    }


@pytest.mark.parametrize("name", FORMS)
def test_a_learners_form_has_a_second_form(name):
    assert alone(FORMS[name]) and abreast.names([FORMS[name]]) == {name}


@pytest.mark.parametrize("name", COURSE)
def test_a_kernel_of_the_course_has_a_second_form(name):
    files = sources.read_sources(KERNELS / f"{name}.cu")
    assert all(map(alone, files.values()))
    assert abreast.names(files.values()) == COURSE[name]


@pytest.mark.slow
@pytest.mark.skipif(
    "clang" in compiling._version(compiling.compiler()), reason="g++ compiles second forms"
)
@pytest.mark.parametrize("name", FORMS)
def test_a_learners_form_runs_abreast_and_gives_the_same_bits(libraries, name):
    library, (types, _) = libraries[name], pointers(name)
    whole = THREADS * BLOCKS * (8 if name in PACKS else 1)
    for n in (5 * whole, 5 * whole - 8 * THREADS, 5 * whole - 37, 1):
        bits = [torch.randint(0, 256, (8 * n,), dtype=torch.uint8) for _ in types]
        *given, first = [one.view(dtype)[:n] for one, dtype in zip(bits, types, strict=True)]
        second = first.clone()
        for to, mode in ((first, emulator.FORWARD), (second, emulator.REVERSE)):
            library.take_blocks_abreast()
            with library.schedule(mode):
                call(library, name, *given, to, n=n)
            assert library.take_fault() is None
            ran = library.take_blocks_abreast()
            assert (ran > 0) == (mode == emulator.FORWARD and (n >= whole or name in LOOPS))
        assert torch.equal(first.view(torch.uint8), second.view(torch.uint8))
        if given[0].dtype == types[-1]:  # in place
            copies = [given[0].clone(), given[0].clone()]
            call(library, name, copies[0], *given[1:], copies[0], n=n)
            with library.schedule(emulator.REVERSE):
                call(library, name, copies[1], *given[1:], copies[1], n=n)
            assert torch.equal(copies[0].view(torch.uint8), copies[1].view(torch.uint8))


@pytest.mark.slow
@pytest.mark.skipif(
    "clang" in compiling._version(compiling.compiler()), reason="g++ compiles second forms"
)
@pytest.mark.parametrize("name", ["v1_f32", "v2_f32x4", "v6_f16x8_pack", "op_add"])
def test_a_kernel_of_the_course_runs_abreast(headers, tmp_path, name):
    emulator.build(KERNELS / f"{name}.cu", tmp_path / "k.so", headers)
    library = emulator.Library(tmp_path / "k.so")
    n = 1 << 14
    a, b, out = torch.ones(n), torch.ones(n), torch.zeros(n)
    if name.startswith("v6"):
        a, b, out = a.half(), b.half(), out.half()
    given = [ctypes.c_void_p(one.data_ptr()) for one in (a, b, out)]
    library.dll.add(*given, ctypes.c_int64(n), ctypes.c_int(128), ctypes.c_int(0), None)
    assert library.take_fault() is None and out.eq(2).all()
    assert library.take_blocks_abreast() > 0


AGAINST = {
    "relu": lambda x, out: torch.clamp_min(x, 0, out=out),
    "scale": lambda x, out: torch.mul(x, 1.5, out=out),
    "leaky": lambda x, out: torch._C._nn.leaky_relu(x, 0.01, out=out),
    "sigmoid": lambda x, out: torch.sigmoid(x, out=out),
    "gelu": lambda x, out: torch._C._nn.gelu(x, out=out),
    "gelu_tanh": lambda x, out: torch._C._nn.gelu(x, approximate="tanh", out=out),
    "clamp": lambda x, out: torch.clamp(x, -0.5, 0.5, out=out),
    "absolute": lambda x, out: torch.abs(x, out=out),
    "widen": lambda x, out: out.copy_(x),
    "narrow": lambda x, out: out.copy_(x),
    "relu_half": lambda x, out: torch.clamp_min(x, 0, out=out),
    "silu_half": lambda x, out: torch._C._nn.silu(x, out=out),
    "sum_int": lambda x, y, out: torch.add(x, y, out=out),
    "sum_byte": lambda x, y, out: torch.add(x, y, out=out),
    "sum_half": lambda x, y, out: torch.add(x, y, out=out),
    "sum_bfloat": lambda x, y, out: torch.add(x, y, out=out),
    "fused": lambda x, y, z, out: torch.addcmul(z, x, y, out=out),
    "loop": lambda x, out: torch.mul(x, 2, out=out),
    "loop_64": lambda x, out: torch.mul(x, 2, out=out),
    "loop_while": lambda x, out: torch.mul(x, 2, out=out),
    "loop_half": lambda x, out: torch.add(x, x, out=out),
    "loop_relu": lambda x, out: torch.clamp_min(x, 0, out=out),
    "loop_packs": lambda x, out: torch.mul(x, 2, out=out),
    "relu_x8": lambda x, out: torch.clamp_min(x, 0, out=out),
    "scale_x8": lambda x, out: torch.mul(x, 1.5, out=out),
}
MOST = 10  # times; 1 to 5 on an idle machine. One by one it is 12 to 100.


@pytest.mark.slow
@pytest.mark.stress
@pytest.mark.skipif(
    "clang" in compiling._version(compiling.compiler()), reason="g++ compiles second forms"
)
def test_plain_kernels_take_a_few_times_as_long_as_pytorch(tmp_path_factory, headers):
    n, slow = 1 << 22, {}
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        for group in ([name for name in AGAINST if name not in PACKS], [*PACKS]):
            folder = tmp_path_factory.mktemp("speed")
            library = built(folder, headers, group, threads=256, blocks=160)
            for name in group:
                types, _ = pointers(name)
                tensors = [torch.randint(0, 100, (n,)).sub(50).to(dtype) for dtype in types]
                with library.workers(1):
                    for _ in range(3):  # another time if the machine was busy
                        ours = least(lambda: call(library, name, *tensors, n=n))  # noqa: B023
                        torchs = least(lambda: AGAINST[name](*tensors))  # noqa: B023
                        slow[name] = min(ours / torchs, slow.get(name, 1e9))
                        if slow[name] < MOST:
                            break
    finally:
        torch.set_num_threads(before)
    assert {name: times for name, times in slow.items() if times >= MOST} == {}, slow


def least(function):
    """Return the shortest of ten times, in seconds."""
    found = []
    for _ in range(10):
        began = time.perf_counter()
        function()
        found.append(time.perf_counter() - began)
    return min(found)


def test_a_variable_that_is_named_in_its_own_value_ends():
    """The names of members are no variables, and a loop's index is made of itself."""
    members = f"""
__global__ void members(const float4* x, float* out, int n) {{
    {INDEX}
    if (i < n) {{ const float4 p = x[i]; const float x0 = p.x, y = p.y; out[i] = x0 + y; }}
}}
__global__ void loop(const float* x, float* out, int n) {{
    {INDEX.replace("const ", "")}
    while (i < n) {{ out[i] = x[i]; i += (int)blockDim.x * gridDim.x; }}
}}
"""
    abreast.names([members])
    declared = {"x": "p.x", "i": "i + step", "step": "blockDim.x"}
    assert abreast._uniform("x + i", declared)
    assert not abreast._uniform("i", declared | {"step": "threadIdx.x"})


CHOSEN = f"""
struct One {{ static __device__ float more() {{ return 1; }} }};
struct Two {{ static __device__ float more() {{ return 2; }} }};
template <class By> __global__ void add(const float* x, float* out, int n) {{
    {INDEX}
    if (i < n) out[i] = x[i] + By::more();
}}
template <class F> void choose(int which, F f) {{ which == 1 ? f(One{{}}) : f(Two{{}}); }}
extern "C" void run_add(const float* x, float* out, int n, int which) {{
    choose(which, [&](auto by) {{ add<decltype(by)><<<(n + 63) / 64, 64>>>(x, out, n); }});
}}
"""


def test_instances_that_a_generic_lambda_chooses_run_their_own_kernels(tmp_path, headers):
    """g++ writes their launches alike, without what `auto` is."""
    (tmp_path / "chosen.cu").write_text(CHOSEN)
    assert abreast.names([CHOSEN]) == {"add"}
    emulator.build(tmp_path / "chosen.cu", tmp_path / "chosen.so", headers)
    library = emulator.Library(tmp_path / "chosen.so")
    x, out = torch.zeros(640), torch.zeros(640)
    for which in (1, 2):
        given = [ctypes.c_void_p(one.data_ptr()) for one in (x, out)]
        library.dll.run_add(*given, ctypes.c_int(640), ctypes.c_int(which))
        assert library.take_fault() is None and out.eq(which).all()
