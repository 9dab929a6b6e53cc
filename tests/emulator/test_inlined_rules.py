"""Which device functions are written into kernels: none that would mean another thing."""

import re
from pathlib import Path

import pytest

from helpers.emulator import compile as compiling
from helpers.emulator import front_end, inlined, syntax_tree
from helpers.run.build import precompiled_headers

pytestmark = pytest.mark.skipif(
    front_end.problem() is not None, reason=f"{front_end.problem()}"
)

LOOP = "for (int d = 16; d > 0; d /= 2) v += __shfl_xor_sync(ALL, v, d);"
SUM = f"__device__ float f$(float v) {{ {LOOP} return v; }}\n"
SUM_T = f"template <typename T> __device__ T f$(T v) {{ {LOOP} return v; }}\n"
TWICE = "__device__ float g$(float v) { return 2 * v; }\n"
OTHER = "__device__ float g$(int v) { return 5.0f * v; }\n"
SUM_OF_G = f"__device__ float f$(int v) {{ {LOOP} return g$(v); }}\n"
K2 = f"__device__ float f$(float v) {{ {LOOP} return v * k$; }}\n"
SHARED = "__device__ float f$(float v) { __shared__ float s[2]; __syncthreads(); return v; }\n"
REFERRED = "__device__ float f$(const float& v) { __syncthreads(); return v; }\n"
COUNT = "__device__ int f$(int* p) { __syncthreads(); return (*p)++; }\n"

# What stands before a kernel, and the last of its statements. `$` is another number in each.
WRITTEN = [
    (SUM, "out[i] = f$(x[i]) + f$(f$(2));"),
    (
        SUM,
        "float v = f$(x[i] // one\n + 1); if (i < 32) v = f$(v); else v = -f$(v); out[i] = v;",
    ),
    (f"namespace {{ {SUM} }}", "out[i] = f$(x[i]);"),
    (f'extern "C" {{ {SUM} }}', "out[i] = f$(x[i]);"),
    (SUM + "#define A$ x[i] + 1\n#define REAL$ float\n", "REAL$ v = f$(A$); out[i] = v;"),
    (TWICE + SUM_OF_G, "out[i] = f$(i);"),
    (SUM_T, "out[i] = f$(x[i]) + f$<double>(1) + f$(i);"),
    (
        "__device__ void f$(float& v, float* p) { __syncthreads(); v = *p; }",
        "float w; f$(w, out);",
    ),
    (REFERRED, "const float w = 1; out[i] = f$(w) + f$(w + 1) + f$(i) + f$(fabsf(w));"),
    (COUNT, "int n[2]; n[f$(n)] = i; out[i] = f$(n) + f$(n + 1);"),
    ("template <unsigned N> " + K2.replace("k$", "N"), "out[i] = f$<0xffffffffu>(x[i]);"),
    (
        SUM + "struct G$ { __device__ float g(float v) { return f$(v); } };",
        "G$ g; out[i] = g.g(x[i]) + f$(x[i]);",
    ),
]
# What a macro changes or hides.
OF_MACROS = [
    (SUM + "#define TWICE$(v) (2 * f$(v))\n", "out[i] = TWICE$(x[i]);"),
    (SUM + "#define f$(v) (2 * f$(v))\n", "out[i] = f$(x[i]);"),
    (SUM + "#define F$(f) f(x[i])\n", "out[i] = F$(f$);"),
    (SUM.replace("v)", "v, float w)", 1) + "#define A$ 1, 2\n", "out[i] = f$(A$);"),
    (f"#define k$ 2\n{K2}#undef k$\n#define k$ 3\n", "out[i] = f$(x[i]);"),
    (f"constexpr int k$ = 2;\n{K2}#define k$ 3\n", "out[i] = f$(x[i]);"),
    (f"#define k$ v\n{K2}", "float v = x[i], w = v; out[i] = f$(w);"),
    (K2.replace("k$", "OF_V"), "float v = x[i], w = v; out[i] = f$(w);"),
    (TWICE + SUM_OF_G + '#include "later.h"\n', "out[i] = f$(i);"),
    (SUM + "#define IF$ if (x[i] > 0) v\n", "float v = 1; IF$ = f$(v); out[i] = v;"),
    (SUM + "#define AND$ &&\n", "bool b = x[i] > 0 AND$ f$(1) > 0; out[i] = b;"),
    (SUM + "#define THEN$ ,\n", "float v = 1, w; w = (v += 1 THEN$ f$(v)); out[i] = w;"),
    (
        "#define NEW$(n) v##n\n"
        + K2.replace("k$", "NEW$(1)").replace("{", "{ float v1 = 1;", 1),
        "float v1 = 2; out[i] = f$(v1);",
    ),
]
# What has another meaning in the kernel.
OF_NAMES = [
    (
        f"constexpr int k$ = 3;\nnamespace n$ {{ constexpr int k$ = 2;\n{K2} }}\n",
        "out[i] = n$::f$(1);",
    ),
    (f"constexpr int k$ = 3;\n{K2}", "enum { k$ = 2 }; out[i] = f$(k$);"),
    (
        f"constexpr int k$ = 3;\nstruct P$ {{ int a, b; }};\n{K2}",
        "auto [k$, b] = P${1, 2}; out[i] = f$(k$);",
    ),
    (f"constexpr int k$ = 3;\n{K2}", "const int k$ = 2; out[i] = f$(k$);"),
    (
        f"namespace n$ {{ {TWICE.replace('2', '3')} }}\n{TWICE}{SUM_OF_G}",
        "using n$::g$; out[i] = f$(i) + g$(1);",
    ),
    (
        f"namespace n$ {{ {OTHER} }}\n{TWICE}{SUM_OF_G}",
        "using namespace n$; out[i] = f$(i) + g$(1);",
    ),
    (f"namespace n$ {{ {OTHER} }}\n{TWICE}{SUM_OF_G}using namespace n$;\n", "out[i] = f$(i);"),
    (TWICE + SUM_OF_G + OTHER, "out[i] = f$(i);"),
    (TWICE + f"namespace {{ {OTHER}{SUM_OF_G} }}", "out[i] = f$(i);"),
    (
        "using T$ = int;\n" + SUM.replace("float v", "T$ v"),
        "using T$ = float; T$ w = x[i]; out[i] = f$(w);",
    ),
    (
        "namespace { __device__ float fdim(int, int);"
        + SUM.replace("return v", "return fdim(v, 1)")
        + "}",
        "out[i] = f$(x[i]);",
    ),
    (TWICE + SUM_OF_G, "auto g$ = [](float) { return 5.0f; }; out[i] = f$(i) + g$(1.0f);"),
    (
        "struct P$ { float a, b; };\n__device__ void f$(float& v) "
        f"{{ auto [a, b] = P${{1, 2}}; {LOOP} v += a; }}",
        "float a = x[i]; f$(a); out[i] = a;",
    ),
]
# What has another type or value, or an address.
OF_VALUES = [
    (REFERRED, "out[i] = f$(x[i]);"),
    ("using T$ = float;\n" + REFERRED.replace("float&", "T$&"), "float v = 1; out[i] = f$(v);"),
    (
        "__device__ float g$(float&);\n__device__ float g$(const float&);\n"
        + REFERRED.replace("return v", "return g$(v)"),
        "float v = 1; out[i] = f$(v);",
    ),
    ("template <char N> " + K2.replace("k$", "N"), "out[i] = f$<1>(x[i]);"),
    ("template <int... N> " + K2.replace("k$", "sizeof...(N)"), "out[i] = f$<1, 2>(x[i]);"),
    (REFERRED.replace("const", "volatile"), "float w = 1; out[i] = f$(w);"),
    (
        "struct P$ { float a; P$() = default; __device__ P$(float v) : a(v) {}\n"
        "__device__ P$& operator=(float v) { a = 2 * v; return *this; } };\n"
        + SUM.replace("float f", "P$ f"),
        "P$ p = f$(x[i]); out[i] = p.a;",
    ),
    (SHARED, "float (*p)(float) = f$; out[i] = f$(1) + p(1);"),
    (
        SHARED + "struct G$ { __device__ float g(float v) { return f$(v); } };",
        "G$ g; out[i] = g.g(x[i]) + f$(x[i]);",
    ),
    (SUM.replace("v)", "v, int)", 1), "int n = 0; out[i] = f$(x[i], n++) + n;"),
    (SUM.replace("v)", "v, float s = 2)", 1), "out[i] = f$(x[i]);"),
    (
        f"__device__ int g$(const char*);\n{K2.replace('k$', 'g$(__func__)')}",
        "out[i] = f$(x[i]);",
    ),
]
# What is computed only sometimes, or later.
OF_ORDER = [
    (SUM, "if (f$(x[i]) > 0 && f$(-x[i]) > 0) out[i] = 2;"),
    (SUM, "bool b = i < 32 and f$(x[i]) > 0; out[i] = b;"),
    (SUM, "bool b = f$(x[i]) > 0 or f$(x[i]) > 1; out[i] = b;"),
    (SUM, "out[i] = i < 32 ? f$(x[i]) : 1;"),
    (SUM, "float v = 1; while (f$(v) < 64) v += 1; do v += 1; while (f$(v) < 99); out[i] = v;"),
    (SUM, "float v = 1, w = f$(v), u = f$(w); out[i] = u;"),
    (COUNT, "int n = 0; out[i] = f$(&n) << f$(&n);"),
    (COUNT, "int n[2] = {}; n[f$(n)] = f$(n); out[i] = n[0];"),
    (COUNT, "int n = 0; const float* p = x; out[i] = (n++, p)[f$(&n)];"),
    (SUM.replace("return v", "return v += 1, v * 2"), "out[i] = f$(x[i]);"),
    (SUM, "auto g = [&](float v) { float w = f$(v); return w; }; out[i] = g(x[i]);"),
    (SUM.replace("return", "if (v > 9) return 9; return"), "out[i] = f$(x[i]);"),
    (SUM.replace("return", "if (v > 1) v = f$(0); return"), "out[i] = f$(x[i]);"),
]  # fmt: skip
STAYS = [*OF_MACROS, *OF_NAMES, *OF_VALUES, *OF_ORDER]
# In kernels that are templates.
OF_TEMPLATES = [
    ("struct F$ {};\n" + SUM_T, "auto v = x[i]; out[i] = f$(v);"),
    (SUM, "T f$; out[i] = f$(x[i]);"),
    ("", "T v = x[i]; out[i] = of_header(v);"),
]
HEADERS = {
    Path("/h.h"): "#define OF_V v\n__device__ float of_header(int v) { return v; }\n",
    Path("/later.h"): "",
}


def read(text, texts):
    texts = {**texts, Path("/k.cu"): text}
    compiler = compiling.compiler()
    return texts, front_end.device_tree(Path("/k.cu"), texts, compiler, precompiled_headers())


def rewritten(cases, template=""):
    """Return the kernels of one file with all cases, as each is rewritten by itself."""
    kind = "T" if template else "float"
    head = f"{template}__global__ void kernel$(const {kind}* x, {kind}* out) {{"
    all_of = [
        f"{before}\n/*k*/{head} const int i = threadIdx.x; {body} }}\n/*end*/\n".replace(
            "$", str(number)
        )
        for number, (before, body) in enumerate(cases)
    ]
    of_header = f"__device__ float of_header(float v) {{ {LOOP} return v; }}\n"
    begin = f'#include <cuda_runtime.h>\n#include "h.h"\n#define ALL 0xffffffffu\n{of_header}'
    texts, tree = read(begin + "".join(all_of), HEADERS)
    assert not [one.spelling for one in tree.diagnostics if one.severity >= one.Error]
    text = inlined.rewrite(tree, texts)
    text = text[Path("/k.cu")] if text else texts[Path("/k.cu")]
    _, tree = read(text, HEADERS)
    assert not syntax_tree.errors(tree)
    kernels = re.findall(r"/\*k\*/(.*?)/\*end\*/", text, re.DOTALL)
    assert len(kernels) == len(cases)
    return kernels


def test_which_functions_are_written_and_which_stay():
    kernels = rewritten(WRITTEN + STAYS)
    for case, kernel in zip(WRITTEN, kernels[: len(WRITTEN)], strict=True):
        assert "#line" in kernel, case
    for case, kernel in zip(STAYS, kernels[len(WRITTEN) :], strict=True):
        assert "#line" not in kernel, case


def test_which_are_written_into_templates():
    number = "template <int N> __device__ float f$(float v) { __syncwarp(); return v + N; }"
    written = [
        (SUM_T, "T v = x[i]; out[i] = f$(v);"),
        (SUM_T, "T v = x[i]; out[i] = f$<double>(v);"),
        (SUM, "float v = x[i]; out[i] = f$(v);"),
        (number, "T v = x[i]; out[i] = f$<7>(v);"),
    ]
    kernels = rewritten([*written, *OF_TEMPLATES], "template <typename T> ")
    assert "double v_1 = (v);" in kernels[1] and "+ static_cast<int>(7)" in kernels[3]
    assert ["#line" in kernel for kernel in kernels] == [True] * 4 + [False] * len(OF_TEMPLATES)


def test_types_and_numbers_of_templates_are_those_of_the_call():
    before = (
        "template <typename T, unsigned N> "
        "__device__ T f$(T v) { __syncthreads(); return v + N; }"
        "template <typename T> __device__ T g$(T v) { v = h$(v); __syncthreads(); return v; }"
    )
    before = SUM_T.replace("f$", "h$") + before
    numbers = (before, "out[i] = f$<int, 0xffffffffu>(i);")
    first, second = rewritten([numbers, (before, "out[i] = g$(i);")], "template <typename T> ")
    assert "+ (4294967295u)" in first and "int v_1 = (i);" in first
    assert "int v_2 = (v_1);" in second
