"""The compiled dispatcher: it launches what is right, leaves the rest, and may be missing."""

import ctypes
import math
import subprocess
import sysconfig
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import SimpleNamespace

import pytest
import torch

from helpers.emulator.compile import compiler
from helpers.errors import BuildError
from helpers.run import fast_call
from helpers.run.signature import declarations

MANY = """
extern "C" void many(const float* a, double d0, float* out, int i0, float f0, int64_t l0,
    double d1, int i1, float f1, int64_t n, int64_t l1, double d2, int i2, float f2, int64_t l2,
    double d3, float f3, int i3, int64_t l3, cudaStream_t s);
extern "C" void more(float* x, int a, int b, int c, int d, int e, int f, int g, int h, int i,
    int j, int k, int l);
extern "C" void reals(float* x, float a, float b, float c, float d, float e, float f, float g,
    float h, float i);
extern "C" void reals8(float* x, float a, float b, float c, float d, float e, float f, float g,
    double h);
extern "C" void dtypes(const half* a, const __nv_bfloat16* b, const double* c, const int* d,
    const int64_t* e, const uint8_t* f, const int8_t* g, const bool* h, const uint32_t* i,
    float* out, int64_t n);
extern "C" cudaError_t fails(float* x, int error);
extern "C" int counts(float* x, int error);
"""
MANY_C = """
#include <stdint.h>
#include <stdio.h>
char said[1000];
int status_value;
int status(void) { return status_value; }
int device(int *out) { *out = 0; return 0; }
int no_device(int *out) { return 3; }
void many(void* a, double d0, void* out, int i0, float f0, int64_t l0, double d1, int i1,
          float f1, int64_t n, int64_t l1, double d2, int i2, float f2, int64_t l2, double d3,
          float f3, int i3, int64_t l3, void* s) {
    sprintf(said, "%d %g %d %d %g %ld %g %d %g %ld %ld %g %d %g %ld %g %g %d %ld %p",
            a != 0, d0, out != 0, i0, f0, (long)l0, d1, i1, f1, (long)n, (long)l1, d2, i2,
            f2, (long)l2, d3, f3, i3, (long)l3, s);
}
int fails(void* x, int error) { return error; }
int counts(void* x, int error) { return error; }
void more(void) {}
void reals(void) {}
void reals8(void* x, float a, float b, float c, float d, float e, float f, float g, double h) {
    sprintf(said, "%g %g %g %g %g %g %g %g", a, b, c, d, e, f, g, h);
}
void dtypes(void) { sprintf(said, "called"); }
"""


def conditions():
    """Say whether this machine has what the dispatcher needs, without asking fast_call."""
    headers = Path(sysconfig.get_path("include")) / "Python.h"
    return hasattr(torch.Tensor, "__dlpack_c_exchange_api__") and headers.is_file()


needed = pytest.mark.skipif(not conditions(), reason="no Python.h, or a PyTorch before 2.10")


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    folder = tmp_path_factory.mktemp("many")
    (folder / "many.c").write_text(MANY_C)
    command = [compiler(), "-x", "c", "-w", "-shared", "-fPIC", str(folder / "many.c"), "-o"]
    subprocess.run([*command, str(folder / "many.so")], check=True)
    return ctypes.CDLL(str(folder / "many.so"))


def bind(library, name, current_device=None):
    backend = SimpleNamespace(status=library.status, current_device=current_device)
    return fast_call.bind(declarations(MANY, "many.cu")[name], getattr(library, name), backend)


def said(library):
    return (ctypes.c_char * 1000).in_dll(library, "said").value.decode()


@needed
def test_it_is_there_where_it_can_be():
    assert fast_call.compiled() is not None


@needed
def test_words_and_reals_arrive_whatever_their_order(library):
    x, out = torch.zeros(2, 3), torch.zeros(2, 3)
    many = bind(library, "many")
    reals = dict(d0=0.5, f0=1.5, d1=-2.5, f1=3.25, d2=-5.5, f2=0.75, d3=-7.0, f3=8.5)
    words = dict(i0=-1, l0=1 << 40, i1=2, l1=-(1 << 50), i2=3, l2=77, i3=-4, l3=5)
    assert many(x, out=out, **reals, **words) == 0
    expected = (
        f"1 0.5 1 -1 1.5 {1 << 40} -2.5 2 3.25 6 {-(1 << 50)} -5.5 3 0.75 77 -7 8.5 -4 5 (nil)"
    )
    assert said(library) == expected
    eight = bind(library, "reals8")
    assert eight(x, 1.5, -2.25, 3.0, 4.0, 5.0, 6.0, 7.5, 0.1) == 0
    assert said(library) == "1.5 -2.25 3 4 5 6 7.5 0.1"


@needed
@pytest.mark.parametrize("name", ["more", "reals"])
def test_more_parameters_than_it_takes(library, name):
    assert bind(library, name) is None


@needed
def test_a_launcher_of_several_shapes_is_left_to_python(stub):
    assert fast_call.bind(stub.product.declaration, stub.product.entry, None) is None


DTYPES = (
    torch.float16,
    torch.bfloat16,
    torch.float64,
    torch.int32,
    torch.int64,
    torch.uint8,
    torch.int8,
    torch.bool,
    torch.uint32,
    torch.float32,
)


@needed
def test_every_dtype_is_known_from_every_other(library):
    launch = bind(library, "dtypes")
    right = [torch.zeros(4, dtype=dtype) for dtype in DTYPES]
    assert launch(*right) == 0
    for place in range(len(DTYPES)):
        for dtype in {*DTYPES, torch.complex64, torch.int16, torch.float8_e4m3fn} - {
            DTYPES[place]
        }:
            wrong = [*right]
            wrong[place] = torch.zeros(4, dtype=dtype)
            assert launch(*wrong) is None


@needed
def test_the_status_is_returned(library):
    launch, value = bind(library, "reals8"), ctypes.c_int.in_dll(library, "status_value")
    value.value = 700
    try:
        assert launch(torch.zeros(3), *[0.0] * 8) == 700
    finally:
        value.value = 0


@needed
def test_a_returned_error_comes_before_the_status(library):
    value = ctypes.c_int.in_dll(library, "status_value")
    launch, x = bind(library, "fails"), torch.zeros(3)
    value.value = 700
    try:
        assert (launch(x, 1), launch(x, 0)) == (-1, 700)
        assert bind(library, "counts")(x, 9) == 700  # what it returns is not an error
    finally:
        value.value = 0
    assert (launch(x, 98), launch(x, 0)) == (-98, 0)


@needed
def test_a_gpus_launcher_refuses_tensors_of_the_cpu(library):
    x = torch.zeros(3)
    for device in (library.device, library.no_device):
        assert bind(library, "reals8", device)(x, *[0.0] * 8) is None


class Sub(torch.Tensor):
    """A tensor subclass that is an ordinary tensor otherwise."""


NOT_PLAIN = {
    "none": None,
    "list": [1.0] * 8,
    "subclass": torch.zeros(8).as_subclass(Sub),
    "parameter": torch.nn.Parameter(torch.zeros(8), requires_grad=False),
    "half": torch.zeros(8).half(),
    "requires grad": torch.zeros(8, requires_grad=True),
    "meta": torch.zeros(8, device="meta"),
    "sparse": torch.zeros(8).to_sparse(),
    "negated": torch._neg_view(torch.zeros(8)),
    "strided": torch.zeros(16)[::2],
    "expanded": torch.zeros(1).expand(8),
    "empty": torch.zeros(0),
    "longer": torch.zeros(9),
    "another shape": torch.zeros(2, 4),
    "one more dimension": torch.zeros(1, 8),
}


@needed
@pytest.mark.parametrize("kind", NOT_PLAIN)
def test_what_is_not_plain_is_left_to_python(stub, kind):
    before = stub.calls
    for place in range(3):
        args = [torch.zeros(8) for _ in range(3)]
        args[place] = NOT_PLAIN[kind]
        assert stub.add._dispatch(*args) is None
    if kind in (
        "longer",
        "another shape",
        "one more dimension",
    ):  # for all three, they are fine
        shape = NOT_PLAIN[kind].shape
        assert stub.add._dispatch(*(torch.zeros(shape) for _ in range(3))) == 0
    else:
        assert stub.calls == before


@needed
@pytest.mark.parametrize("shape", [(), (1,), (8,), (2, 4), (4, 1, 2), (1, 8), (8, 1)])
def test_shapes_that_are_contiguous(stub, shape):
    args = [torch.zeros(shape) for _ in range(3)]
    assert stub.add._dispatch(*args) == 0
    assert stub.last[:5] == [*(x.data_ptr() for x in args), args[0].numel(), 256]
    if len(shape) > 1 and 1 not in shape:
        assert stub.add._dispatch(*(torch.zeros(shape).t() for _ in range(3))) is None
    one = torch.zeros(4, 3)[:, :1].t()  # shape (1, 4), strides (1, 3): not contiguous
    assert stub.add._dispatch(one, torch.zeros(1, 4), torch.zeros(1, 4)) is None
    whole = torch.zeros(4, 3)[:1]  # shape (1, 3), stride of the first dimension 3
    assert stub.add._dispatch(whole, torch.zeros(1, 3), torch.zeros(1, 3)) == 0


@needed
def test_a_transformed_function_has_no_addresses(stub):
    def call(x):
        assert stub.add._dispatch(x, torch.zeros(8), torch.zeros(8)) is None
        return x

    torch.func.vmap(call)(torch.zeros(2, 8))
    torch.func.functionalize(call)(torch.zeros(8))


@needed
@pytest.mark.parametrize("offset", range(9))
def test_the_declared_alignment(stub, offset):
    x, out = torch.zeros(64).half(), torch.zeros(8).half()
    begin = x[offset : offset + 8]
    right = begin.data_ptr() % 16 == 0
    assert (stub.pack._dispatch(begin, out, 1.0) == 0) is right
    assert (stub.pack._dispatch(out, begin, 1.0) == 0) is right


@needed
def test_outputs_overlap_nothing(stub):
    whole = torch.zeros(40)
    for start in range(25):
        out, a = whole[start : start + 8], whole[8:16]
        apart = start + 8 <= 8 or start >= 16
        assert (stub.add._dispatch(a, torch.zeros(8), out) == 0) is apart
        assert (stub.add._dispatch(torch.zeros(8), a, out) == 0) is apart
        assert stub.add._dispatch(a, out, torch.zeros(8)) == 0  # inputs may


LARGEST = torch.finfo(torch.float32).max


@needed
@pytest.mark.parametrize(
    ("value", "taken"),
    [
        (1, True),
        (2**31 - 1, True),
        (0, False),
        (2**31, False),
        (-1, False),
        (1 << 70, False),
        (-(1 << 70), False),
        (True, False),
        (2.0, False),
        (None, False),
        ("1", False),
    ],
)
def test_the_range_of_an_integer(stub, value, taken):
    args = [torch.zeros(8) for _ in range(3)]
    assert (stub.add._dispatch(*args, value) == 0) is taken
    assert (stub.add._dispatch(*args, block_size=value) == 0) is taken
    assert not taken or stub.last[4] == value


@needed
@pytest.mark.parametrize(
    ("value", "taken"),
    [
        (0.0, True),
        (LARGEST, True),
        (-LARGEST, True),
        (LARGEST * 1.01, False),
        (-LARGEST * 1.01, False),
        (math.inf, False),
        (math.nan, False),
        (1, False),
    ],
)
def test_the_range_of_a_float(stub, value, taken):
    args = [torch.zeros(8).half() for _ in range(2)]
    assert (stub.pack._dispatch(*args, value) == 0) is taken
    assert not taken or stub.real == value


@needed
def test_keywords_and_defaults(stub):
    a, b, out = (torch.zeros(8) for _ in range(3))
    here = [a.data_ptr(), b.data_ptr(), out.data_ptr(), 8]
    for call, size in [
        (lambda launch: launch(a, b, out), 256),
        (lambda launch: launch(a, b, out, 64), 64),
        (lambda launch: launch(a, b, out, block_size=32), 32),
        (lambda launch: launch(a, out=out, b=b), 256),
        (lambda launch: launch(**dict(block_size=1, out=out, b=b, a=a)), 1),
    ]:
        assert call(stub.add._dispatch) == 0
        assert stub.last[:5] == [*here, size]
    before = stub.calls
    for args, kwargs in [
        ((a, b), {}),
        ((a, b, out, 1, 2), {}),
        ((a, b, out), {"a": a}),
        ((a, b, out), {"size": 3}),
        ((a, b), {"block_size": 3}),
        ((), {}),
    ]:
        assert stub.add._dispatch(*args, **kwargs) is None
    assert stub.calls == before


@needed
def test_a_32_bit_size_bounds_the_elements(stub):
    from helpers.emulator import sparse

    for n, taken in ((2**31 - 8, True), (2**31 - 1, True), (2**31, False)):
        x, out = (sparse(n, torch.float16, 16) for _ in range(2))
        assert (stub.pack._dispatch(x, out, 1.0) == 0) is taken
        assert not taken or stub.last[2] == n


@needed
def test_threads_call_at_the_same_time(stub):
    args = [torch.zeros(8) for _ in range(3)]
    before = stub.calls
    with ThreadPoolExecutor(4) as pool:
        answers = list(pool.map(lambda k: stub.add._dispatch(*args, k), range(1, 401)))
    assert answers == [0] * 400 and stub.calls > before


# ---- building it -----------------------------------------------------------------------------


@pytest.fixture
def empty_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("ELEMENTWISE_CACHE", str(tmp_path / "new" / "cache"))
    return tmp_path / "new" / "cache"


@needed
def test_it_is_built_once(empty_cache, monkeypatch, capfd):
    assert fast_call.compiled.__wrapped__().bind_launcher
    (library,) = empty_cache.glob("*.so")
    assert library.name.startswith("fast_call-")
    assert {path.suffix for path in empty_cache.iterdir()} <= {".so", ".lock"}

    def never(*args, **kwargs):
        raise AssertionError("built again")

    monkeypatch.setattr(subprocess, "run", never)
    assert fast_call.compiled.__wrapped__().bind_launcher
    assert capfd.readouterr() == ("", "")


@needed
def test_another_source_is_another_library(empty_cache, tmp_path, monkeypatch):
    fast_call.compiled.__wrapped__()
    changed = tmp_path / "fast_call.c"
    changed.write_text(fast_call.SOURCE.read_text() + "\n// changed\n")
    monkeypatch.setattr(fast_call, "SOURCE", changed)
    assert fast_call.compiled.__wrapped__() is not None
    assert len(list(empty_cache.glob("*.so"))) == 2


def without_the_interface(monkeypatch, tmp_path):
    monkeypatch.delattr(torch.Tensor, "__dlpack_c_exchange_api__", raising=False)


def without_headers(monkeypatch, tmp_path):
    monkeypatch.setattr(sysconfig, "get_path", lambda name: str(tmp_path))


def with_headers_in_anothers_home(monkeypatch, tmp_path):
    def is_file(path):
        raise PermissionError(path)

    monkeypatch.setattr(type(tmp_path), "is_file", is_file)


def without_a_lock_of_the_interpreter(monkeypatch, tmp_path):
    monkeypatch.setattr(sysconfig, "get_config_var", lambda name: 1)


def on_another_system(monkeypatch, tmp_path):
    monkeypatch.setattr(fast_call, "sys", SimpleNamespace(platform="darwin"))


def without_a_compiler(monkeypatch, tmp_path):
    def missing():
        raise BuildError("no compiler")

    monkeypatch.setattr(fast_call, "compiler", missing)


def with_a_source_that_does_not_compile(monkeypatch, tmp_path):
    (tmp_path / "broken.c").write_text("int main( {")
    monkeypatch.setattr(fast_call, "SOURCE", tmp_path / "broken.c")


def with_a_library_that_is_none(monkeypatch, tmp_path):
    (tmp_path / "other.c").write_text("int x;")
    monkeypatch.setattr(fast_call, "SOURCE", tmp_path / "other.c")


def without_a_folder(monkeypatch, tmp_path):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("ELEMENTWISE_CACHE", str(tmp_path / "file" / "cache"))


@pytest.mark.parametrize(
    "spoil",
    [
        without_the_interface,
        without_headers,
        with_headers_in_anothers_home,
        without_a_lock_of_the_interpreter,
        on_another_system,
        without_a_compiler,
        with_a_source_that_does_not_compile,
        with_a_library_that_is_none,
        without_a_folder,
    ],
)
def test_where_it_cannot_be_had_nothing_is_said(
    empty_cache, monkeypatch, tmp_path, capfd, spoil
):
    spoil(monkeypatch, tmp_path)
    assert fast_call.compiled.__wrapped__() is None
    assert capfd.readouterr() == ("", "")


def test_without_it_every_call_takes_the_python_way(stub, monkeypatch):
    from helpers.run.launcher import Launcher

    monkeypatch.setattr(fast_call, "compiled", lambda: None)
    add, before = Launcher(stub.add.declaration, stub.add.library, on_gpu=False), stub.calls
    add(*(torch.zeros(8) for _ in range(3)))
    assert stub.calls == before + 1
    with pytest.raises(TypeError, match=r"^add: b must be a torch\.Tensor"):
        add(torch.zeros(8), 3, torch.zeros(8))


def test_an_argument_as_the_compiled_part_reads_it():
    text = """extern "C" void f(const half* x, const bool* y, float* out, int64_t n,
        int least, float real, double wide, cudaStream_t s = 0);"""
    x, y, _, least, real, wide = declarations(text, "k.cu")["f"].arguments
    assert fast_call._argument(x) == ("x", "t", None, 2, 16, x.address_multiple, 0, 0, 0.0)
    assert fast_call._argument(y) == ("y", "t", None, 6, 8, y.address_multiple, 0, 0, 0.0)
    assert fast_call._argument(least) == ("least", "i", None, 0, 0, 0, -(2**31), 2**31 - 1, 0.0)
    assert fast_call._argument(real) == ("real", "f", None, 0, 0, 0, 0, 0, real.largest)
    assert fast_call._argument(wide) == ("wide", "d", None, 0, 0, 0, 0, 0, wide.largest)


def test_the_dtypes_codes_are_dlpack_s():
    kinds = {0: "int", 1: "uint", 2: "float", 4: "bfloat", 6: "bool"}
    for dtype, code in fast_call.CODES.items():
        name = str(dtype).removeprefix("torch.")
        assert name.rstrip("0123456789") == kinds[code]
    assert len(fast_call.CODES) == 13


def test_a_dtype_without_a_code_is_left_to_python(monkeypatch):
    text = 'extern "C" void narrow(const float* x, __nv_fp8_e4m3* out, int64_t n);'
    monkeypatch.setattr(fast_call, "compiled", lambda: pytest.fail("it was asked for"))
    assert fast_call.bind(declarations(text, "k.cu")["narrow"], None, None) is None
