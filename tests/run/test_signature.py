"""How the launchers of a .cu file are read, and how a call's arguments are bound to one."""

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from helpers.errors import LauncherError
from helpers.run.signature import Parameter, declarations


def declare(parameters, name="f"):
    return declarations(f'\nextern "C" void {name}({parameters}) {{}}', "x.cu")[name]


def test_declarations_are_read(stub):
    assert [str(d) for d in stub.declarations.values()] == [
        "add(a: float32[n], b: float32[n], out: float32[n], block_size=256)",
        "pack(a: float16[n], out: float16[n], s)",
        "product(a: float64[m, k], b: float64[k, n], c: float64[m, n], offset=-1)",
        "split(x: bfloat16[n], low: bfloat16[n], high: bfloat16[n], count: int32[1], "
        "limit=1.5)",
        "blocks(blocks, block_size=256)",
    ]
    pack = stub.declarations["pack"]
    assert (pack.name, pack.file, pack.line) == ("pack", "stub.cu", 6)
    assert [p.role for p in pack.parameters] == ["input", "output", "size", "scalar", "stream"]
    assert [p.name for p in pack.tensors] == ["a", "out"]
    assert [p.name for p in pack.sizes] == ["n"]
    assert [p.name for p in pack.arguments] == ["a", "out", "s"]


def test_which_launchers_have_one_shape(stub):
    flat = {name: d.is_flat for name, d in stub.declarations.items()}
    assert flat == dict(add=True, pack=True, product=False, split=False, blocks=False)
    assert not declare("float* x /* [3] */").is_flat
    assert not declare("float* x /* [n, n] */, int n").is_flat


def test_each_output_is_paired_with_each_other_tensor(stub):
    pairs = {name: d.overlaps for name, d in stub.declarations.items()}
    assert pairs["add"] == ((2, 0), (2, 1)) and pairs["blocks"] == ()
    assert pairs["split"] == ((1, 0), (1, 2), (1, 3), (2, 0), (2, 3), (3, 0))


@pytest.mark.parametrize(
    ("declared", "role", "shape", "alignment", "dtype"),
    [
        ("const float* x", "input", ("n",), 1, torch.float32),
        ("float const* x", "input", ("n",), 1, torch.float32),
        ("half* __restrict__ x /* [m, 4] */", "output", ("m", "4"), 1, torch.float16),
        ("uint8_t *x // [n] 16-byte aligned\n", "output", ("n",), 16, torch.uint8),
        ("const float* const __restrict__ x", "input", ("n",), 1, torch.float32),
        ("float* const x", "output", ("n",), 1, torch.float32),
        ("const float x[]", "input", ("n",), 1, torch.float32),
        ("const volatile unsigned int* __restrict x", "input", ("n",), 1, torch.uint32),
        ("std::int64_t* x", "output", ("n",), 1, torch.int64),
        ("const void* x  // [m] half\n", "input", ("m",), 1, torch.float16),
        ("void* x  /* [m] bfloat16 */", "output", ("m",), 1, torch.bfloat16),
        ("const bool* x  // 4-byte aligned\n", "input", ("n",), 4, torch.bool),
    ],
)
def test_a_pointer_is_a_tensor(declared, role, shape, alignment, dtype):
    (x,) = declare(declared).parameters
    assert (x.name, x.role, x.shape, x.alignment) == ("x", role, shape, alignment)
    assert x.dtype is dtype and x.is_tensor and not x.is_integer


@pytest.mark.parametrize(
    ("ctype", "dtype"),
    [
        ("float", torch.float32),
        ("double", torch.float64),
        ("half", torch.float16),
        ("__half", torch.float16),
        ("__nv_bfloat16", torch.bfloat16),
        ("int", torch.int32),
        ("int32_t", torch.int32),
        ("uint32_t", torch.uint32),
        ("int64_t", torch.int64),
        ("uint8_t", torch.uint8),
        ("int8_t", torch.int8),
        ("bool", torch.bool),
        ("size_t", torch.uint64),
        ("long long", torch.int64),
        ("unsigned char", torch.uint8),
        ("short", torch.int16),
    ],
)
def test_the_dtype_of_each_c_type(ctype, dtype):
    (x,) = declare(f"{ctype}* x").parameters
    assert x.dtype is dtype


def test_a_file_without_a_launcher_is_told_the_way_to_one():
    own = "void add(float* x, int n) {\n    k<<<1, 256>>>(x, n);\n}\n"
    main = "int main() { k<<<1, 256>>>(x, n); }"
    for text, words in (
        (own + main, r'Put extern "C" before the function `add`, as in: extern "C" void'),
        (main, r"`main` is not called here, .* Declare one: extern"),
        ("float f(float x) { return x; }", r'launcher found. Declare one: extern "C"'),
    ):
        with pytest.raises(LauncherError, match=words):
            declarations(text, "x.cu")


@pytest.mark.parametrize("bytes_", [0, 5, 24, 8192])
def test_an_alignment_that_no_address_has_is_refused(bytes_):
    with pytest.raises(LauncherError, match=f"x is declared `{bytes_}-byte aligned`; an align"):
        declare(f"float* x,  // [n] {bytes_}-byte aligned\nint64_t n")
    (x, _) = declare("float* x,  // [n] 4096-byte aligned\nint64_t n").parameters
    assert x.alignment == 4096


def test_a_stream_needs_no_name():
    (x, n, stream) = declare("float* x, int64_t n, cudaStream_t").parameters
    assert (x.role, n.role, stream.role) == ("output", "size", "stream")


def test_a_type_may_have_a_name_of_the_file():
    text = """
    using bf16 = __nv_bfloat16;
    #define real float
    extern "C" void k(const bf16* x, real* y, real scale, int64_t n) {}
    """
    x, y, scale, _ = declarations(text, "x.cu")["k"].parameters
    assert (x.dtype, y.dtype, scale.ctype) == (torch.bfloat16, torch.float32, "float")


@pytest.mark.parametrize(
    ("ctype", "alignment", "multiple"),
    [("float", 1, 4), ("float", 16, 16), ("double", 4, 8), ("int8_t", 1, 1)],
)
def test_an_address_multiple_is_at_least_the_natural_alignment(ctype, alignment, multiple):
    assert Parameter("x", ctype, "input", ("n",), alignment).address_multiple == multiple


@pytest.mark.parametrize(
    ("name", "ctype", "least", "largest"),
    [
        ("k", "int", -(2**31), 2**31 - 1),
        ("k", "int32_t", -(2**31), 2**31 - 1),
        ("k", "int64_t", -(2**63), 2**63 - 1),
        ("block_size", "int", 1, 2**31 - 1),
        ("k", "uint32_t", 0, 2**32 - 1),
        ("k", "uint64_t", 0, 2**63 - 1),
        ("block_size", "uint32_t", 1, 2**32 - 1),
        ("s", "float", -(2 - 2**-23) * 2.0**127, (2 - 2**-23) * 2.0**127),
        ("s", "double", -1.7976931348623157e308, 1.7976931348623157e308),
    ],
)
def test_what_a_scalar_holds(name, ctype, least, largest):
    parameter = Parameter(name, ctype, "scalar")
    assert (parameter.least, parameter.largest) == (least, largest)
    assert parameter.is_integer is (ctype not in ("float", "double"))
    assert not parameter.is_tensor


def test_defaults():
    launcher = declare("int a = 3, float s = 0.5f, double t = -2, int64_t k = -7, int b")
    assert [p.default for p in launcher.parameters] == [3, 0.5, -2.0, -7, None]
    assert [type(p.default) for p in launcher.parameters[:3]] == [int, float, float]
    assert str(launcher) == "f(a=3, s=0.5, t=-2.0, k=-7, b)"


CONSTANTS = """
constexpr int kThreads = 64 * kFour;  // another one
static const unsigned kFour{4};
#define STEP (kThreads / 3)
#define HALF 0.5f
"""


@pytest.mark.parametrize(
    ("declared", "default"),
    [
        ("int block_size = kThreads", 256),
        ("unsigned k = 8 * 32", 256),
        ("int k = STEP + 1", 86),
        ("size_t k = 1 << 20", 1 << 20),
        ("long long k = -(7 / 2)", -3),
        ("int k = static_cast<int>(0x10u) | 1", 17),
        ("int k = (int)3.9", 3),
        ("float s = 1e-5f", 1e-5),
        ("float s = 2.f * HALF", 1.0),
        ("double s = 1 / 2", 0.0),
        ("const float s = 1 / 2.0", 0.5),
        ("int64_t k = 1'000'000", 1000000),
        ("int k = f(1, 2)", None),
        ("int k = kNone", None),
        ("int k = 1 / 0", None),
        ("int block_size", 256),
        ("unsigned block", 256),
        ("int k", None),
        ("float block_scale", None),
    ],
)
def test_a_default_is_computed(declared, default):
    text = CONSTANTS + f'extern "C" void f(float* x, {declared}, cudaStream_t s) {{}}'
    parameter = declarations(text, "x.cu")["f"].parameters[1]
    assert parameter.default == default and type(parameter.default) is type(default)


def test_launchers_in_a_linkage_block():
    text = """
extern "C" {
__global__ void k(float* x) { f(x); }
static int no(int x) { return x; }
struct S { int a(); };
void declared_only(int n);
const char* name(int n) { return ""; }
unsigned long add(const float* a, float* out, int n) { if (n) { g(n); } return 0; }
}
extern "C" __global__ void no_launcher(float* x) {}
extern "C" cudaError_t last(float* x) { return cudaSuccess; }
extern "C" int later(float* x);
void plain(float* x) {}
"""
    found = declarations(text, "x.cu")
    assert list(found) == ["name", "add", "last", "later"]
    assert [d.line for d in found.values()] == [7, 8, 11, 12]
    assert str(found["add"]) == "add(a: float32[n], out: float32[n])"


def test_only_scalars_that_a_shape_names_are_sizes():
    launcher = declare("float* x /* [rows, 4] */, int rows, int cols, cudaStream_t s")
    assert [p.role for p in launcher.parameters] == ["output", "size", "scalar", "stream"]


def test_a_comment_belongs_to_the_parameter_before_it():
    launcher = declare(
        "const float* a,  // [m], the first\n  float* b  /* [k] */, int m, int k"
    )
    assert [p.shape for p in launcher.tensors] == [("m",), ("k",)]


def test_comments_and_strings_declare_nothing():
    text = (
        '// extern "C" void no(int n)\nconst char* s = "extern \\"C\\" void no(int n)"; '
        '/* extern "C" void no() */\n'
    )
    with pytest.raises(
        LauncherError, match=r'^x.cu: no launcher found. Declare one: extern "C"'
    ):
        declarations(text, "x.cu")
    yes = 'extern "C" void yes(float* x /* [n] */, int64_t n) {'
    assert list(declarations(text + yes, "x.cu")) == ["yes"]
    assert declarations(text + yes, "x.cu")["yes"].line == 3


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        (
            "std::vector<float> x",
            r"^x.cu:2: cannot read the parameter `std::vector<float> x`\. Use a pointer "
            r"\(`const float\* a`\), an `int`, `int64_t`, `float`, `double` or `bool`, or a ",
        ),
        ("float** x", "cannot read"),
        (
            "wchar_t* x",
            r"^x.cu:2: no PyTorch dtype for `wchar_t\*`; use one of float, double, half",
        ),
        (
            "wchar_t n",
            r"^x.cu:2: a scalar must be one of int, int32_t, .*, double, not `wchar_t`",
        ),
        ("float&& x", "cannot read"),
        (
            "void* x",
            r"^x.cu:2: what does `void\* x` point to\? Say it in the comment behind it",
        ),
    ],
)
def test_launchers_that_cannot_be_bound(parameters, words):
    with pytest.raises(LauncherError, match=words):
        declare(parameters)


@given(
    st.text(
        alphabet='extern "C" void f(const float* a, // [n]\n int64_t=25){}/\\', max_size=200
    )
)
@settings(max_examples=200)
def test_any_text_is_read_or_refused(text):
    """Nothing else is raised."""
    try:
        assert declarations(text, "x.cu")
    except (LauncherError, ValueError):
        pass


def test_arguments_are_bound_in_order(stub):
    add = stub.declarations["add"]
    assert add.bind((1, 2, 3), {}) == [1, 2, 3, 256]
    assert add.bind((1, 2, 3, 4), {}) == [1, 2, 3, 4]
    assert add.bind((1,), {"out": 3, "b": 2}) == [1, 2, 3, 256]
    assert add.bind((), {"block_size": 4, "out": 3, "b": 2, "a": 1}) == [1, 2, 3, 4]


def test_a_scalar_between_two_tensors_may_be_named():
    scale = declare("const float* x, float a, float* out, float b = 0, int64_t n")
    x, out = torch.zeros(2), torch.ones(2)
    assert scale.bind((x, out), {"a": 2.0}) == scale.bind((x, 2.0, out), {}) == [x, 2.0, out, 0]
    assert scale.bind((x, out, 3.0), {"a": 2.0}) == [x, 2.0, out, 3.0]
    assert scale.bind((x, out), {"b": 3.0, "a": 2.0}) == [x, 2.0, out, 3.0]
    with pytest.raises(TypeError, match=": a was given twice"):
        scale.bind((x, 2.0, out), {"a": 2.0})


@pytest.mark.parametrize(
    ("args", "kwargs", "words"),
    [
        ((1, 2), {}, r"^add\(a: float32.*: out is missing; given: \(1, 2\)$"),
        (
            (1, 2, 3, 4, 5),
            {},
            r"takes 4 arguments, 5 were given: \(1, .*, 5\); the tensors give n$",
        ),
        ((1, 2, 3), {"bs": 1}, r"has no argument 'bs'$"),
        ((1, 2, 3), {"a": 1}, r": a was given twice$"),
        ((), {}, "a is missing"),
    ],
)
def test_wrong_arguments_are_named(stub, args, kwargs, words):
    with pytest.raises(TypeError, match=words):
        stub.declarations["add"].bind(args, kwargs)


def test_a_launcher_in_a_macro_is_refused_with_the_way_out():
    plain = 'extern "C" void f(const float* x,  // [n]\n float* out,  // [n]\n int64_t n) {}\n'
    macro = "#define F(name) \\\n" + plain.replace("//", "").replace("\n", " \\\n")
    with pytest.raises(LauncherError, match=r"x.cu:2: a launcher cannot come out of a #define"):
        declarations(macro, "x.cu")
    assert list(declarations("#define A \\\n  1\n" + plain, "x.cu")) == ["f"]


def test_short_integers_and_truth_values():
    text = (
        'extern "C" void launch(float* y, bool on = true, short by = -3, unsigned char bits) {}'
    )
    on, by, bits = declarations(text, "x.cu")["launch"].arguments[1:]
    assert [(p.ctype, p.default, p.least, p.largest) for p in (on, by, bits)] == [
        ("bool", 1, 0, 1),
        ("int16_t", -3, -(2**15), 2**15 - 1),
        ("uint8_t", None, 0, 255),
    ]
