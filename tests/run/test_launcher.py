"""A call of a launcher: what it passes on, what it refuses before anything is launched."""

import copy
import ctypes
import math
import mmap
import runpy

import numpy as np
import pytest
import torch
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from helpers import paths
from helpers.errors import KernelFault, LauncherError, LaunchError
from helpers.run import fast_call
from helpers.run.launcher import Launcher
from helpers.run.signature import declarations

INT_MAX = 2**31 - 1
NAMES = ("add", "pack", "product", "split", "blocks")


def test_a_launcher_that_the_library_lacks(stub):
    lost = declarations('extern "C" void lost(float* x, int64_t n) {', "x.cu")["lost"]
    with pytest.raises(LauncherError, match=r"^x\.cu: `lost` is not in the built library$"):
        Launcher(lost, stub.add.library, False)


def test_what_a_launcher_shows_of_itself(stub):
    assert repr(stub.pack) == "<launcher pack(a: float16[n], out: float16[n], s) of stub.cu>"
    assert (stub.pack.__name__, stub.pack.on_gpu) == ("pack", False)
    assert stub.pack.emulator is stub.pack.backend.library


def test_a_returned_error_is_read_and_raised_without_a_dispatcher(stub):
    head = 'extern "C" cudaError_t stub_fails(float* x, int64_t n, int error) {'
    launcher = Launcher(declarations(head, "x.cu")["stub_fails"], stub.add.library, False)
    assert launcher.entry.restype is ctypes.c_int
    launcher._dispatch = lambda *args: None
    launcher(torch.ones(3), 0)
    with pytest.raises(LaunchError, match=r"^x\.cu: stub_fails returned cudaErrorInvalid"):
        launcher(torch.ones(3), 1)


def test_the_c_functions_types(stub):
    pointer = ctypes.c_void_p
    types = [pointer, pointer, ctypes.c_int, ctypes.c_float, pointer]
    assert stub.pack.entry.argtypes == types and stub.pack.entry.restype is None
    types = [*[pointer] * 3, *[ctypes.c_int64] * 4, pointer]
    assert stub.product.entry.argtypes == types
    assert stub.split.entry.argtypes[5] is ctypes.c_double


# ---- what is passed on -----------------------------------------------------------------------


def test_arguments_arrive(stub, arguments_of):
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


def test_sizes_come_from_the_shapes(stub, arguments_of):
    stub.product(*arguments_of("product"), offset=-5)
    assert stub.last[3:7] == [3, 5, 8, -5]
    stub.pack(*arguments_of("pack", 24)[:2], s=3)  # an int will do for a float
    assert stub.last[2] == 24 and stub.real == 3.0
    stub.split(*arguments_of("split"), limit=math.inf)
    assert stub.real == math.inf
    stub.blocks(1 << 40, 64)
    assert stub.last[:2] == [1 << 40, 64]


@pytest.mark.parametrize("name", ["add", "pack"])
def test_empty_outputs_launch_nothing(stub, arguments_of, name):
    before = stub.calls
    stub.launchers[name](*arguments_of(name, 0))
    assert stub.calls == before


def test_an_empty_output_of_a_full_input_launches_nothing(stub):
    before = stub.calls
    a, b = torch.zeros(3, 4).double(), torch.zeros(4, 0).double()
    stub.product(a, b, torch.zeros(3, 0).double())
    assert stub.calls == before


def test_no_inner_elements_are_an_empty_input(stub, arguments_of):
    """A matrix product over k = 0 has outputs to write, but no input to read."""
    with pytest.raises(ValueError, match=r"^product: a is empty, but"):
        stub.product(*arguments_of("product", 0))


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


def test_errors_of_a_launch(stub, arguments_of, in_python):
    error = ctypes.c_int.in_dll(stub.add.library, "stub_error")
    fault = ctypes.c_char_p.in_dll(stub.add.library, "stub_fault")
    for launcher in (stub.add, in_python(stub.add)):
        error.value = 9
        words = r"^stub.cu: .*invalid conf.* 9; block_size = 64, n = 8\)\. A block has 1"
        with pytest.raises(LaunchError, match=words):
            launcher(*arguments_of("add"), 64)
        error.value = 700
        with pytest.raises(KernelFault, match="restart the notebook's kernel"):
            launcher(*arguments_of("add"))
        fault.value = b"tile, block (0, 0, 0): broken"
        with pytest.raises(KernelFault, match=r"stub\.cu: tile, block .*broken"):
            launcher(*arguments_of("add"))
        launcher(*arguments_of("add"))


def test_an_unchecked_launch_takes_addresses_scalars_and_sizes(stub):
    stub.pack.launch([111, 222, 2.5, 7])
    assert stub.last[:3] == [111, 222, 7] and stub.real == 2.5


def test_a_launch_on_a_stream_is_checked_and_names_it(stub, arguments_of):
    stub.pack.on_stream(0xC0DE, *arguments_of("pack"))
    assert stub.last[3] == 0xC0DE
    stub.pack(*arguments_of("pack"))
    assert stub.last[3] == 0
    with pytest.raises(TypeError):
        stub.pack.on_stream(0xC0DE)


# ---- what is refused -------------------------------------------------------------------------


class Sub(torch.Tensor):
    """A tensor subclass that is an ordinary tensor otherwise."""


class Wrapped(torch.Tensor):
    """A tensor that stands for something else, without memory of its own."""

    @classmethod
    def __torch_dispatch__(cls, function, types, args=(), kwargs=None):
        raise NotImplementedError


def huge(n, dtype):
    """Return n elements in memory that is promised and never touched."""
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
    "negated": lambda x: torch._neg_view(x.clone()) if x.dtype != torch.int32 else x.to("meta"),
    "longer": lambda x: torch.zeros(x.numel() + 1, dtype=x.dtype),
    "scalar tensor": lambda x: torch.zeros((), dtype=x.dtype),
    "empty": lambda x: torch.zeros(0, dtype=x.dtype),
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", NAMES[:4])
@pytest.mark.parametrize("wrong", [*OTHER_TYPES, *OTHER_VALUES])
def test_one_wrong_tensor_is_refused_before_the_launch(stub, arguments_of, name, wrong):
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


def test_the_natural_alignment(stub, in_python):
    """A float32 may start at a multiple of 4 only, whatever its launcher declares."""
    memory = bytearray(100)
    for launcher in (stub.add, in_python(stub.add)):
        for offset in range(8):
            x = torch.frombuffer(memory, dtype=torch.uint8)[offset : offset + 32]
            buffer = (ctypes.c_uint8 * 32).from_address(x.data_ptr())
            x, before = torch.frombuffer(buffer, dtype=torch.float32), stub.calls
            if x.data_ptr() % 4:
                with pytest.raises(
                    ValueError, match=r"^add: a starts [123] bytes past .* of 4"
                ):
                    launcher(x, torch.zeros(8), torch.zeros(8))
                assert stub.calls == before
            else:
                launcher(x, torch.zeros(8), torch.zeros(8))
                assert stub.last[0] == x.data_ptr()


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


def test_two_outputs_share_no_memory(stub, arguments_of):
    x, low, _, count = arguments_of("split")
    with pytest.raises(ValueError, match="low shares memory with high"):
        stub.split(x, low, low, count)


@pytest.mark.parametrize("n", [INT_MAX - 8, INT_MAX + 1, (1 << 32) + 8, 1 << 36])
def test_more_elements_than_int_holds(stub, n):
    """No element is accessed, so no memory is needed."""
    args = [huge(n, torch.float16) for _ in range(2)]
    before = stub.calls
    if n > INT_MAX:
        with pytest.raises(
            ValueError,
            match=r"does not fit the 32 bits of `int`: declare `int64_t n` in stub.cu:6",
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
        (
            lambda k, x: k.add(*x, x[0], 1, "2"),
            TypeError,
            r"4 arguments, 5 were given: \(float32\[8\], float32\[8\], float32\[8\], 1, str\)",
        ),
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
def test_scalars_fit_or_are_refused(stub, arguments_of, value, parameter):
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


@pytest.mark.parametrize(
    "shapes",
    [((8,), (2, 4), (8,)), ((2, 4), (4, 2), (4, 2)), ((8,), (8,), (1, 8)), ((1,), (1,), ())],
)
def test_as_many_elements_in_another_shape(stub, shapes):
    args, before = [torch.zeros(shape) for shape in shapes], stub.calls
    with pytest.raises(ValueError, match="two tensors of the same declared shape have"):
        stub.add(*args)
    assert stub.calls == before


# ---- the compiled way and the Python way -----------------------------------------------------


def outcome(stub, launcher, args):
    """Return the error, or what arrived in the C function."""
    before = stub.calls
    try:
        launcher(*args)
    except (TypeError, ValueError) as error:
        assert stub.calls == before
        return type(error), str(error)
    return stub.calls - before, stub.last, stub.real


@st.composite
def calls_of_add(draw):
    """Draw calls of which about half are right: views of two buffers, some of another kind."""
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
@settings(max_examples=600, suppress_health_check=[HealthCheck.too_slow])
def test_the_dispatcher_agrees_with_the_checks_in_python(stub, in_python, args):
    assert outcome(stub, stub.add, args) == outcome(stub, in_python(stub.add), args)


@pytest.mark.skipif(not fast_call.compiled(), reason="no compiled dispatcher here")
def test_right_calls_take_the_compiled_way(stub, arguments_of):
    def never(*args):
        raise AssertionError("a plainly right call was checked in Python")

    for name in ("add", "pack"):
        launcher, before = copy.copy(stub.launchers[name]), stub.calls
        launcher.checked = launcher.launch = never
        launcher(*arguments_of(name))
        assert stub.calls == before + 1
    launcher = copy.copy(stub.add)
    launcher.checked = launcher.launch = never
    launcher(*(torch.zeros(4, 5, 6) for _ in range(3)), 64)
    launcher(*(torch.zeros(1) for _ in range(3)), block_size=64)


# ---- first launches --------------------------------------------------------------------------


def test_first_launches_go_on_until_one_counts_as_tested(stub, arguments_of):
    asked = []

    def first_launch(launcher, args, sizes):
        asked.append((launcher.__name__, len(args), sizes))
        if len(asked) == 1:
            raise KernelFault("stub.cu: out of bounds")
        return len(asked) == 3

    add = Launcher(stub.declarations["add"], stub.add.library, False, first_launch)
    before = stub.calls
    with pytest.raises(KernelFault, match="out of bounds"):
        add(*arguments_of("add"))
    assert stub.calls == before
    for call in range(4):
        add(*arguments_of("add"))
        assert stub.calls == before + call + 1
    assert asked == [("add", 4, [8])] * 3


def test_an_invalid_call_has_no_first_launch(stub, arguments_of):
    def never(*args):
        raise AssertionError("tried")

    add = Launcher(stub.declarations["add"], stub.add.library, False, never)
    with pytest.raises(TypeError):
        add(1, 2, 3)
    add(*arguments_of("add", 0))  # and an empty one has nothing to launch


# ---- on a GPU --------------------------------------------------------------------------------


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
def test_a_call_costs_little_more_than_torch_add():
    from helpers.run import jit

    tool = runpy.run_path(str(paths.ROOT / "tools" / "call_cost.py"))
    kernel = jit.load("v1_f32")
    tensors = tuple(torch.ones(1024, device="cuda") for _ in range(3))
    kernel(*tensors)
    times = tool["best_microseconds"](tool["columns"](kernel, tensors), rounds=20, count=500)
    assert times["kernel(a, b, out)"] <= 1.2 * times["torch.add(a, b, out=out)"]
