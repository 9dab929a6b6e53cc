"""The binding: how it reads a launcher, what it refuses before anything is launched, and what it passes on."""

import copy
import ctypes
import math
import mmap
import subprocess

import numpy as np
import pytest
import torch
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from helpers.errors import KernelFault, LauncherError, LaunchError
from helpers.run import launcher as launcher_module
from helpers.run import machine
from helpers.run.kernel import Kernel
from helpers.run.launcher import Launcher
from helpers.run.signature import INT_MAX, declarations

TEXT = """
// one of each kind
extern "C" void add(const float* a,  // [n]
                    const float* b,  // [n]
                    float* out,      // [n]
                    int64_t n, int block_size = 256, cudaStream_t stream = 0) {}
extern "C" void pack(const half* a,  // [n] 16-byte aligned
                     half* out,      // [n] 16-byte aligned
                     int n, float s, cudaStream_t stream = 0) {}
extern "C" void product(const double* a,  // [m, k]
                        const double* b,  // [k, n]
                        double* c,        // [m, n]
                        int64_t m, int64_t n, int64_t k, int64_t offset = -1, cudaStream_t stream = 0) {}
extern "C" void split(const __nv_bfloat16* x,  // [n]
                      __nv_bfloat16* low,      // [n]
                      __nv_bfloat16* high,     // [n]
                      int* count,              // [1]
                      int64_t n, double limit = 1.5, cudaStream_t stream = 0) {}
extern "C" void blocks(int64_t blocks, int block_size = 256, cudaStream_t stream = 0) {}
"""
# Every launcher notes what it was given, and does nothing else.
STUB = """
#include <stdint.h>
long stub_calls, stub_last[8]; double stub_real; int stub_error; const char* stub_fault;
static void note(long a, long b, long c, long d, long e, long f, long g, double s)
{ ++stub_calls; long v[] = {a, b, c, d, e, f, g}; for (int i = 0; i < 7; ++i) stub_last[i] = v[i]; stub_real = s; }
#define P (long)
void add(void* a, void* b, void* out, int64_t n, int bs, void* s) { note(P a, P b, P out, n, bs, P s, 0, 0); }
void pack(void* a, void* out, int n, float x, void* s) { note(P a, P out, n, P s, 0, 0, 0, x); }
void product(void* a, void* b, void* c, int64_t m, int64_t n, int64_t k, int64_t o, void* s)
{ note(P a, P b, P c, m, n, k, o, 0); }
void split(void* x, void* l, void* h, void* c, int64_t n, double d, void* s)
{ note(P x, P l, P h, P c, n, P s, 0, d); }
void blocks(int64_t b, int bs, void* s) { note(b, bs, P s, 0, 0, 0, 0, 0); }
int cudaGetLastError(void) { int e = stub_error; stub_error = 0; return e; }
const char* cudaGetErrorString(int e) { return e == 9 ? "invalid configuration argument" : "other"; }
struct fault { int rule, access; unsigned long long address; const char *words, *place, *thread; } given;
struct fault* emulator_take_fault(void)
{ if (!stub_fault) return 0; given = (struct fault){0, 0, 0, stub_fault, "", ""}; stub_fault = 0; return &given; }
const char* emulator_take_printf(void) { return 0; }
int emulator_has_report(void) { return stub_error || stub_fault; }
void* emulator_last_stream(void) { return 0; }
void emulator_set_schedule(int mode, unsigned seed) {}
double emulator_set_timeout(double seconds) { return 0; }
int emulator_set_workers(int count) { return 0; }
"""


class Stub(Kernel):
    """A kernel whose library only notes its calls."""

    @property
    def calls(self):
        return ctypes.c_long.in_dll(self._first.library, "stub_calls").value

    @property
    def last(self):
        return list((ctypes.c_long * 8).in_dll(self._first.library, "stub_last"))[:7]

    @property
    def real(self):
        return ctypes.c_double.in_dll(self._first.library, "stub_real").value


@pytest.fixture(scope="module")
def stub(tmp_path_factory):
    folder = tmp_path_factory.mktemp("stub")
    (folder / "stub.c").write_text(STUB)
    command = [
        machine.compiler(),
        "-x",
        "c",
        "-shared",
        "-fPIC",
        str(folder / "stub.c"),
        "-o",
        str(folder / "stub.so"),
    ]
    subprocess.run(command, check=True)
    return Stub(folder / "stub.cu", TEXT, folder / "stub.so", False, 0.0)


def arguments_of(name, n=8):
    """A right call of each launcher."""
    if name == "add":
        return [torch.zeros(n), torch.zeros(n), torch.zeros(n)]
    if name == "pack":
        return [torch.zeros(n).half(), torch.zeros(n).half(), 2.0]
    if name == "product":
        return [
            torch.zeros(3, n).double(),
            torch.zeros(n, 5).double(),
            torch.zeros(3, 5).double(),
        ]
    if name == "split":
        return [torch.zeros(n).bfloat16() for _ in range(3)] + [
            torch.zeros(1, dtype=torch.int32)
        ]
    return [7]


NAMES = ("add", "pack", "product", "split", "blocks")


# ---- reading a launcher ----------------------------------------------------------------------------------------


def test_declarations_are_read(stub):
    assert [str(d) for d in stub.declarations.values()] == [
        "add(a: float32[n], b: float32[n], out: float32[n], block_size=256)",
        "pack(a: float16[n], out: float16[n], s)",
        "product(a: float64[m, k], b: float64[k, n], c: float64[m, n], offset=-1)",
        "split(x: bfloat16[n], low: bfloat16[n], high: bfloat16[n], count: int32[1], limit=1.5)",
        "blocks(blocks, block_size=256)",
    ]
    pack = stub.declarations["pack"]
    assert [p.granule for p in pack.tensors] == [16, 16] and pack.line == 7
    assert [p.role for p in pack.parameters] == ["input", "output", "size", "scalar", "stream"]


def test_comments_and_strings_declare_nothing():
    text = '// extern "C" void no(int n)\nconst char* s = "extern \\"C\\" void no(int n)"; /* extern "C" void no() */\n'
    with pytest.raises(LauncherError, match="no launcher found"):
        declarations(text, "x.cu")
    assert list(
        declarations(text + 'extern "C" void yes(float* x /* [n] */, int64_t n) {', "x.cu")
    ) == ["yes"]


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        ("std::vector<float> x", "cannot read the parameter"),
        ("float** x", "cannot read"),
        ("char* x", "no PyTorch dtype for `char"),
        ("short n", "a scalar must be one of"),
        ("float&& x", "cannot read"),
    ],
)
def test_launchers_that_cannot_be_bound(parameters, words):
    with pytest.raises(LauncherError, match=words):
        declarations(f'\nextern "C" void f({parameters}) {{}}', "x.cu")


@given(
    st.text(
        alphabet='extern "C" void f(const float* a, // [n]\n int64_t=25){}/\\', max_size=200
    )
)
@settings(max_examples=200, deadline=None)
def test_any_text_is_read_or_refused(text):
    try:
        declarations(text, "x.cu")
    except (LauncherError, ValueError):
        pass


def test_a_launcher_that_the_library_lacks(stub):
    other = declarations('extern "C" void lost(float* x, int64_t n) {', "x.cu")["lost"]
    with pytest.raises(LauncherError, match="`lost` is not in the built library"):
        Launcher(other, stub._first.library, False)


# ---- what is passed on -----------------------------------------------------------------------------------------


def test_arguments_arrive(stub):
    a, b, out = arguments_of("add")
    here = [a.data_ptr(), b.data_ptr(), out.data_ptr(), 8]
    for call, block_size in [
        (lambda: stub(a, b, out), 256),
        (lambda: stub(a, b, out, 64), 64),
        (lambda: stub(a, b, out, block_size=64), 64),
        (lambda: stub(a=a, b=b, out=out, block_size=32), 32),
        (lambda: stub.add(a, out=out, b=b), 256),
        (lambda: stub.add(a.view(2, 4), b.view(2, 4), out.view(2, 4)), 256),
    ]:
        before = stub.calls
        call()
        assert stub.calls == before + 1
        assert stub.last[:5] == [*here, block_size]


def test_sizes_come_from_the_shapes(stub):
    stub.product(*arguments_of("product"), offset=-5)
    assert stub.last[3:7] == [3, 5, 8, -5]
    stub.pack(*arguments_of("pack", 24)[:2], s=3)  # an int will do for a float
    assert stub.last[2] == 24 and stub.real == 3.0
    stub.split(*arguments_of("split"), limit=math.inf)
    assert stub.real == math.inf
    stub.blocks(1 << 40, 64)
    assert stub.last[:2] == [1 << 40, 64]


def test_the_file_itself_goes_by_dtype(stub):
    x = torch.zeros(8).bfloat16()
    stub(x, x.clone(), x.clone(), torch.zeros(1, dtype=torch.int32))
    assert stub.last[0] == x.data_ptr() and stub.real == 1.5
    half = torch.zeros(8).half()
    stub(a=half, out=half.clone(), s=1.0)
    assert stub.last[0] == half.data_ptr()
    assert stub.launcher_for(torch.float64).__name__ == "product"
    with pytest.raises(
        TypeError, match="stub takes float32, float16, float64, bfloat16, not uint8"
    ):
        stub.launcher_for(torch.uint8)
    with pytest.raises(AttributeError, match="has no launcher 'sub'"):
        stub.sub()


@pytest.mark.parametrize("name", NAMES)
def test_empty_outputs_launch_nothing(stub, name):
    if name in ("product", "split", "blocks"):
        return
    before = stub.calls
    stub.launchers[name](*arguments_of(name, 0))
    assert stub.calls == before


def test_an_empty_input_of_a_full_output_is_refused(stub):
    before = stub.calls
    with pytest.raises(ValueError, match="a is empty, but an output is not"):
        stub.product(
            torch.zeros(3, 0).double(), torch.zeros(0, 5).double(), torch.zeros(3, 5).double()
        )
    with pytest.raises(ValueError, match="x is empty"):
        stub.split(
            *[torch.zeros(0).bfloat16() for _ in range(3)], torch.zeros(1, dtype=torch.int32)
        )
    assert stub.calls == before


def test_errors_of_a_launch(stub):
    error = ctypes.c_int.in_dll(stub._first.library, "stub_error")
    fault = ctypes.c_char_p.in_dll(stub._first.library, "stub_fault")
    error.value = 9
    with pytest.raises(
        LaunchError,
        match=r"stub.cu: .*invalid conf.* 9; block_size = 256, n = 8\)\. A block has 1",
    ):
        stub.add(*arguments_of("add"))
    error.value = 700
    with pytest.raises(KernelFault, match="restart the notebook's kernel"):
        stub.add(*arguments_of("add"))
    fault.value = "tile, block (0, 0, 0): Ümläut".encode()
    with pytest.raises(KernelFault, match=r"stub\.cu: tile, block .*Ümläut"):
        stub.add(*arguments_of("add"))
    stub.add(*arguments_of("add"))


# ---- what is refused ----------------------------------------------------------------------------------------


class Sub(torch.Tensor):
    """A tensor subclass that is an ordinary tensor otherwise."""


class Wrapped(torch.Tensor):
    """A tensor that stands for something else, without memory of its own."""

    @classmethod
    def __torch_dispatch__(cls, function, types, args=(), kwargs=None):
        raise NotImplementedError


def huge(n, dtype):
    """A tensor of n elements in memory that is promised and never touched."""
    size, untouched = n * dtype.itemsize, 0x4000  # MAP_NORESERVE
    return torch.frombuffer(
        mmap.mmap(-1, size, flags=mmap.MAP_PRIVATE | mmap.MAP_ANON | untouched), dtype=dtype
    )


NOT_TENSORS = {
    "None": lambda x: None,
    "list": lambda x: [1.0] * 8,
    "array": lambda x: np.zeros(8, np.float32),
    "bytes": lambda x: b"not a kernel",
    "int": lambda x: 3,
    "address": lambda x: x.data_ptr(),
    "class": lambda x: torch.Tensor,
}
OTHER_TYPES = {
    **NOT_TENSORS,
    "complex": lambda x: x.to(torch.complex64),
    "int64": lambda x: x.to(torch.int64),
    "float8": lambda x: torch.zeros(x.shape, dtype=torch.float8_e4m3fn),
    "quantised": lambda x: torch.quantize_per_tensor(x.float(), 0.1, 0, torch.quint8),
    "bits": lambda x: x.view(torch.uint8),
}
OTHER_VALUES = {
    "meta": lambda x: x.to("meta"),
    "sparse": lambda x: x.to_sparse(),
    "requires grad": lambda x: (
        x.clone().requires_grad_() if x.is_floating_point() else x.to("meta")
    ),
    "strided": lambda x: torch.zeros(2 * x.numel(), dtype=x.dtype)[::2].view(x.shape),
    "expanded": lambda x: torch.zeros(1, dtype=x.dtype).expand(x.shape),
    "negated": lambda x: (
        torch._neg_view(x.clone())[:1].expand(x.shape).contiguous()
        if False
        else torch._neg_view(torch.zeros(1, dtype=x.dtype))
    ),
    "longer": lambda x: torch.zeros(x.numel() + 1, dtype=x.dtype),
    "scalar tensor": lambda x: torch.zeros((), dtype=x.dtype),
    "empty": lambda x: torch.zeros(0, dtype=x.dtype),
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", NAMES[:4])
@pytest.mark.parametrize("wrong", [*OTHER_TYPES, *OTHER_VALUES])
def test_one_wrong_tensor_is_refused_before_the_launch(stub, name, wrong):
    launcher, before = stub.launchers[name], stub.calls
    for place in range(len(launcher.declaration.tensors)):
        args = arguments_of(name)
        if args[place].numel() == 1 and wrong in ("scalar tensor", "strided", "expanded"):
            continue  # of one element, these are as good as any
        args[place] = (OTHER_TYPES | OTHER_VALUES)[wrong](args[place])
        with pytest.raises(TypeError if wrong in OTHER_TYPES else ValueError, match=f"^{name}"):
            launcher(*args)
    assert stub.calls == before


def test_subclasses(stub):
    plain = torch.zeros(8).as_subclass(Sub)
    stub.add(plain, torch.zeros(8), torch.zeros(8))
    assert stub.last[0] == plain.data_ptr()
    before = stub.calls
    with pytest.raises(ValueError, match="a Wrapped without memory of its own"):
        stub.add(
            torch.Tensor._make_wrapper_subclass(Wrapped, (8,), dtype=torch.float32),
            torch.zeros(8),
            torch.zeros(8),
        )
    assert stub.calls == before


def test_a_transformed_function_has_no_addresses(stub):
    before = stub.calls
    with pytest.raises(ValueError, match="without memory of its own"):
        torch.func.vmap(lambda x: stub.add(x, torch.zeros(8), torch.zeros(8)))(
            torch.zeros(2, 8)
        )
    assert stub.calls == before


def test_alignment(stub):
    x = torch.zeros(64).half()
    for offset in range(16):
        args = (x[offset : offset + 8], torch.zeros(8).half(), 1.0)
        if offset % 8:
            with pytest.raises(
                ValueError,
                match=r"pack: a starts \d+ bytes past a multiple of 16.*a\.clone\(\)",
            ):
                stub.pack(*args)
        else:
            stub.pack(*args)


@given(st.integers(0, 24), st.integers(0, 24), st.integers(0, 24), st.integers(1, 12))
@settings(max_examples=200, deadline=None)
def test_outputs_share_no_memory(stub, first, second, third, n):
    whole = torch.zeros(40)
    a, b, out = (whole[start : start + n] for start in (first, second, third))
    before = stub.calls
    if abs(first - third) < n or abs(second - third) < n:
        with pytest.raises(ValueError, match="out shares memory with"):
            stub.add(a, b, out)
        assert stub.calls == before
    else:
        stub.add(a, b, out)
        assert stub.calls == before + 1


def test_two_outputs_share_no_memory(stub):
    x, low, _, count = arguments_of("split")
    with pytest.raises(ValueError, match="low shares memory with high"):
        stub.split(x, low, low, count)


@pytest.mark.parametrize("n", [INT_MAX - 8, INT_MAX + 1, (1 << 32) + 8, 1 << 36])
def test_more_elements_than_int_holds(stub, n):
    """No memory is touched, so none is needed."""
    args = [huge(n, torch.float16) for _ in range(2)]
    before = stub.calls
    if n > INT_MAX:
        with pytest.raises(
            ValueError,
            match=r"does not fit the 32 bits of `int`: declare `int64_t n` in stub.cu:7",
        ):
            stub.pack(*args, 1.0)
        assert stub.calls == before
    else:
        stub.pack(*args, 1.0)
        assert stub.last[2] == n
    wide = [huge(n, torch.float32) for _ in range(3)]
    stub.add(*wide)
    assert stub.last[3] == n


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda k, x: k.add(*x), TypeError, "out is missing"),
        (lambda k, x: k.add(*x, x[0], 1, 2), TypeError, "takes 4 arguments, 5 were given"),
        (lambda k, x: k.add(*x, x[0], bs=1), TypeError, "no argument 'bs'"),
        (lambda k, x: k.add(*x, x[0], a=x[0]), TypeError, "a was given twice"),
        (lambda k, x: k(), TypeError, "a is missing"),
        (lambda k, x: k.pack(x[0].half(), x[1].half()), TypeError, "s is missing"),
        (lambda k, x: k.blocks(), TypeError, "blocks is missing"),
    ],
)
def test_wrong_numbers_of_arguments(stub, call, error, words):
    before = stub.calls
    with pytest.raises(error, match=words):
        call(stub, [torch.zeros(8), torch.zeros(8)])
    assert stub.calls == before


SCALARS = st.one_of(
    st.integers(-(1 << 70), 1 << 70),
    st.floats(allow_nan=True),
    st.booleans(),
    st.none(),
    st.text(max_size=3),
    st.sampled_from([torch.tensor(3), np.int64(3), np.float32(2), b"4", [], 1 << 2000]),
)


@given(SCALARS, st.sampled_from(["block_size", "s", "offset", "limit", "blocks"]))
@settings(max_examples=400, deadline=None)
def test_scalars_fit_or_are_refused(stub, value, parameter):
    name = {
        "block_size": "add",
        "s": "pack",
        "offset": "product",
        "limit": "split",
        "blocks": "blocks",
    }[parameter]
    args = [x for x in arguments_of(name) if isinstance(x, torch.Tensor)]
    whole = parameter in ("block_size", "offset", "blocks")
    bits = 32 if parameter in ("block_size", "s") else 64
    least = 1 if parameter.startswith("block") else -(1 << bits - 1)
    right = isinstance(value, int if whole else (int, float)) and not isinstance(value, bool)
    if right and whole:
        right = least <= value < 1 << bits - 1
    elif right and not (isinstance(value, float) and not math.isfinite(value)):
        right = abs(value) <= torch.finfo(torch.float32 if bits == 32 else torch.float64).max
    before = stub.calls
    if right:
        stub.launchers[name](*args, **{parameter: value})
        assert stub.calls == before + 1
    else:
        with pytest.raises((TypeError, ValueError), match=f"^{name}: {parameter}"):
            stub.launchers[name](*args, **{parameter: value})
        assert stub.calls == before


# ---- the two ways of a call -----------------------------------------------------------------------------------


def careful_only(launcher):
    other = copy.copy(launcher)
    other._dispatch = launcher_module._not_bound
    return other


def outcome(stub, launcher, args):
    before = stub.calls
    try:
        launcher(*args)
    except (TypeError, ValueError) as error:
        assert stub.calls == before
        return type(error), str(error)
    return stub.calls - before, stub.last, stub.real


@st.composite
def calls_of_add(draw):
    """Calls of which about half are right: views of two buffers, at times of another kind."""
    n = draw(st.sampled_from([0, 1, 2, 3, 8, 12]))
    buffers = [torch.zeros(64), torch.zeros(64)]

    def one():
        start = draw(st.integers(0, 40))
        x = draw(st.sampled_from(buffers))[
            start : start + draw(st.sampled_from([n, n, n, n, n + 1]))
        ]
        change = draw(
            st.sampled_from(["", "", "", "", "", "", "2-D", *OTHER_TYPES, *OTHER_VALUES])
        )
        if change == "2-D":
            return x.reshape(-1, 2) if x.numel() % 2 == 0 else x
        if not change or x.numel() == 0:
            return x
        return (OTHER_TYPES | OTHER_VALUES)[change](x)

    args = [one() for _ in range(3)]
    return args + draw(
        st.sampled_from([[], [], [64], [0], [INT_MAX], [INT_MAX + 1], [2.0], [True], [None]])
    )


@pytest.mark.filterwarnings("ignore")
@given(calls_of_add())
@settings(max_examples=600, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_the_quick_way_agrees_with_the_careful_one(stub, args):
    launcher = stub.launchers["add"]
    assert outcome(stub, launcher, args) == outcome(stub, careful_only(launcher), args)


@pytest.mark.parametrize(
    "shapes",
    [((8,), (2, 4), (8,)), ((2, 4), (4, 2), (4, 2)), ((8,), (8,), (1, 8)), ((1,), (1,), ())],
)
def test_as_many_elements_in_another_shape(stub, shapes):
    args, before = [torch.zeros(shape) for shape in shapes], stub.calls
    with pytest.raises(ValueError, match="two tensors of the same declared shape have"):
        stub.add(*args)
    assert stub.calls == before


def test_the_quick_way_is_taken(stub, monkeypatch):
    def never(*args):
        raise AssertionError("a plainly right call took the careful way")

    for name in ("add", "pack"):
        launcher = copy.copy(stub.launchers[name])
        launcher.checked = never
        launcher(*arguments_of(name))
    launcher = copy.copy(stub.launchers["add"])
    launcher.checked = never
    launcher(*(torch.zeros(4, 5, 6) for _ in range(3)), 64)


def test_a_trial_is_asked_until_it_is_content(stub):
    asked = []

    def trial(launcher, args, sizes):
        asked.append((launcher.__name__, len(args), sizes))
        if len(asked) == 1:
            raise KernelFault("stub.cu: out of bounds")
        return len(asked) == 3

    kernel = Stub(stub.path, TEXT, stub.library, False, 0.0, trial)
    before = stub.calls
    with pytest.raises(KernelFault, match="out of bounds"):
        kernel(*arguments_of("add"))
    assert stub.calls == before
    for _ in range(4):
        kernel(*arguments_of("add"))
    assert stub.calls == before + 4
    assert asked == [("add", 4, [8])] * 3


# ---- on a GPU ---------------------------------------------------------------------------------------------------


@pytest.mark.gpu
def test_tensors_of_another_device():
    from helpers.run import jit

    kernel = jit.load("v1_f32")
    x, y = torch.zeros(8, device="cuda"), torch.zeros(8)
    for args in ((y, x, x.clone()), (x, y, x.clone()), (x, x, y), (y, y, y.clone())):
        with pytest.raises(ValueError, match=r"device|is on"):
            kernel(*args)


@pytest.mark.gpu
def test_the_current_stream_is_used():
    from helpers.run import jit

    kernel = jit.load("v1_f32")
    a, b, out = (torch.ones(1 << 20, device="cuda") for _ in range(3))
    kernel(a, b, out)
    side = torch.cuda.Stream()
    with torch.cuda.stream(side):
        torch.cuda._sleep(20_000_000)
        kernel(a, b, out)
        assert not side.query()
    side.synchronize()
    assert bool((out == 2).all())


@pytest.mark.gpu
def test_a_call_costs_no_more_than_twice_torch_add():
    import time

    from helpers.run import jit

    kernel = jit.load("v1_f32")
    a, b, out = (torch.ones(1024, device="cuda") for _ in range(3))

    def microseconds(call):
        best = math.inf
        for _ in range(20):
            torch.cuda.synchronize()
            began = time.perf_counter()
            for _ in range(500):
                call()
            best = min(best, time.perf_counter() - began)
        return best / 500 * 1e6

    assert microseconds(lambda: kernel(a, b, out)) <= 2 * microseconds(
        lambda: torch.add(a, b, out=out)
    )
