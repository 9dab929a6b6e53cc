"""A reader's operator is read, checked anywhere, and compared with the libraries on a GPU."""

from types import SimpleNamespace

import pytest
import torch
import torch.nn.functional as F

from helpers.measure.libraries import interleaved, my_operator, triton_operators
from helpers.measure.libraries.candidates import Candidate
from helpers.measure.libraries.interleaved import HOT, Setting
from helpers.measure.timing import Times
from helpers.run import jit, machine
from helpers.run.signature import declarations

SUBTRACT = """
#include <cstdint>
__global__ void kernel(const float* x, const float* y, float* out, int64_t n) {
    const int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < n) out[i] = x[i] - y[i];
}
extern "C" void subtract(const float* x,  // [n]
                         const float* y,  // [n]
                         float* out,      // [n]
                         int64_t n, int programmatic = 0, cudaStream_t stream = 0) {
    const auto blocks = static_cast<unsigned>((n + 255) / 256);
    kernel<<<blocks, 256, 0, stream>>>(x, y, out, n);
}
"""


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    path = tmp_path_factory.mktemp("mine") / "subtract.cu"
    path.write_text(SUBTRACT)
    return path


@pytest.fixture(scope="module")
def operator(file):
    return my_operator.own_operator(jit.load(file).subtract, "x - y")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("x +", "is not an expression"),
        ("x + z", "names z; the inputs are x, y"),
        ("open(x)", "names open; the inputs are x, y"),
    ],
)
def test_an_expression_that_cannot_be_read(text, words):
    with pytest.raises(my_operator.ExpressionError, match=words):
        my_operator.parsed(text, ["x", "y"])


@pytest.mark.parametrize(
    "text",
    ["x - y", "x * 2 + y", "2.0 * x", "x * y", "x / y", "x ** 2", "-x", "x", "torch.relu(x)",
     "torch.sigmoid(x)", "F.silu(x)", "torch.maximum(x, y)"],
)  # fmt: skip
def test_eager_pytorch_writes_into_the_output(text):
    x, y = torch.randn(5), torch.randn(5)
    tree = my_operator.parsed(text, ["x", "y"])
    want = eval(text, {"x": x, "y": y, "torch": torch, "F": F})
    out = torch.empty(5)
    my_operator.into_output(tree, ["x", "y"])(out, x, y)
    assert torch.equal(out, want)
    assert torch.equal(my_operator.function(tree, ["x", "y"])(x, y), want)


@pytest.mark.parametrize(
    "text", ["x * 2 + y", "F.hardswish(x)", "F.leaky_relu(x, 0.2)", "torch.lerp(x, y, 0.3)"]
)
def test_the_last_operation_is_not_a_copy(text):
    tree = my_operator.parsed(text, ["x", "y"])
    out, x, y = torch.empty(3), torch.randn(3), torch.randn(3)
    into = my_operator.into_output(tree, ["x", "y"])
    into(out, x, y)  # the first call also counts the operations
    with my_operator._Operations() as seen:
        into(out, x, y)
    with my_operator._Operations() as plain:
        want = eval(text, {"x": x, "y": y, "torch": torch, "F": F})
    assert seen.count == plain.count
    assert torch.equal(out, want)


@pytest.mark.parametrize(("text", "dtype"), [("x", torch.float32), ("x * y", torch.float16)])
def test_what_cannot_be_written_into_the_output_is_copied(text, dtype):
    tree = my_operator.parsed(text, ["x", "y"])
    out, x, y = torch.empty(3, dtype=dtype), torch.randn(3), torch.randn(3)
    my_operator.into_output(tree, ["x", "y"])(out, x, y)
    assert torch.equal(out, my_operator.function(tree, ["x", "y"])(x, y).to(dtype))


def test_a_call_that_is_timed_copies_nothing(monkeypatch):
    """A graph captures it. What it makes lives as long as the output in whose place it is."""
    tree = my_operator.parsed("torch.relu(x)", ["x"])
    monkeypatch.setattr(torch.cuda, "is_current_stream_capturing", lambda: True)
    monkeypatch.setattr(torch.Tensor, "is_cuda", True)
    out, x = torch.zeros(3), torch.ones(3)
    into = my_operator.into_output(tree, ["x"])
    into(out, x)  # the first call also counts the operations
    with my_operator._Operations() as seen:
        into(out, x)
    assert seen.count == 1
    assert out.tolist() == [0.0, 0.0, 0.0]


def test_the_function_is_one_that_pytorch_s_compiler_reads():
    """No graph break: else the compiler's kernels are several."""
    plain = my_operator.function(my_operator.parsed("F.silu(x) * 2", ["x"]), ["x"])
    compiled = torch.compile(plain, backend="eager", fullgraph=True)
    x = torch.randn(5)
    assert torch.equal(compiled(x), F.silu(x) * 2)


def test_triton_gets_arithmetic_in_its_letters():
    assert my_operator.triton_expression("q * (x - 2.0)", ["q", "x"]) == "a * (b - 2.0)"
    assert my_operator.triton_expression("-x", ["x"]) == "-a"
    assert my_operator.triton_expression("torch.exp(x)", ["x"]) == ""


def test_a_readers_operator_is_described(operator, monkeypatch):
    monkeypatch.setattr(my_operator.operator_peers, "compiled", lambda operator: [])
    assert (operator.name, operator.kind.expression) == ("my_subtract", "a - b")
    assert operator.input_dtypes == (torch.float32, torch.float32)
    assert (operator.dtype, operator.bytes_per_element) == (torch.float32, 12)
    inputs, out = operator.buffers(300, machine.present().device)
    (own, *_) = my_operator.candidates(operator)
    own.bind(inputs, out)()
    assert torch.equal(out, inputs[0] - inputs[1])
    assert operator.error(inputs, out) == 0 and own.is_ours


def test_an_expression_of_triton_is_taken_as_it_is(file):
    launch = jit.load(file).subtract
    one = my_operator.own_operator(launch, "torch.sub(x, y)", "tl.abs(x) - y")
    assert one.kind.expression == "tl.abs(a) - b"
    assert my_operator.own_operator(launch, "torch.sub(x, y)").kind.expression == ""


def test_triton_s_kernel_is_written_from_the_expression(
    operator, fake_triton, monkeypatch, tmp_path
):
    monkeypatch.setenv("ELEMENTWISE_CACHE", str(tmp_path))
    monkeypatch.setattr(triton_operators, "_modules", {})
    inputs, out = operator.buffers(300, "cpu")
    triton_operators.bind(operator, inputs, out, 128, 4, False)()
    assert torch.equal(out, inputs[0] - inputs[1])


def test_without_triton_s_expression_it_is_left_out(file, monkeypatch, capsys):
    one = my_operator.own_operator(jit.load(file).subtract, "torch.sub(x, y)")
    monkeypatch.setattr(my_operator.operator_peers, "compiled", lambda operator: [])
    names = [str(candidate) for candidate in my_operator.candidates(one)]
    assert names == ["course", "torch", "course, programmatic"]
    times = lambda setting, found, *_, **__: (dict.fromkeys(found), None)  # noqa: E731
    monkeypatch.setattr(interleaved, "measure", times)
    monkeypatch.setattr(my_operator, "standing", lambda setting, times: [])
    my_operator.report(jit.load(file).subtract, "torch.sub(x, y)", "", [64, 128])
    assert capsys.readouterr().out.count("--triton") == 1


def test_a_kernel_that_is_not_elementwise_is_refused():
    text = SUBTRACT.replace("out,      // [n]", "out,      // [1]")
    launch = SimpleNamespace(declaration=declarations(text, "other.cu")["subtract"])
    with pytest.raises(my_operator.ExpressionError, match="one to three inputs and an output"):
        my_operator.own_operator(launch, "x - y")


@pytest.mark.parametrize(
    ("text", "triton", "words"),
    [
        ("torch.hypo(x0, x1)", "", "has no attribute 'hypo'"),
        ("torch.add(x0)", "", "TypeError"),
        ("x0 + x1", "tl.sqrt(x0", "is not an expression"),
    ],
)
def test_an_expression_that_fails_is_refused(text, triton, words):
    with pytest.raises(my_operator.ExpressionError, match=words):
        my_operator.own_operator(of_inputs(2), text, triton)


def of_inputs(count):
    """Return a launcher of `count` inputs x0, x1, ... and an output, by its declaration."""
    inputs = "".join(f"const float* x{k},  // [n]\n" for k in range(count))
    text = f'extern "C" void many({inputs} __nv_bfloat16* out,  // [n]\nint64_t n);'
    return SimpleNamespace(declaration=declarations(text, "many.cu")["many"])


@pytest.mark.parametrize(("count", "fits"), [(0, False), (1, True), (3, True), (4, False)])
def test_one_to_three_inputs(count, fits):
    launch = of_inputs(count)
    if not fits:
        with pytest.raises(my_operator.ExpressionError, match="many must have one to three"):
            my_operator.own_operator(launch, "x0")
        return
    one = my_operator.own_operator(launch, "torch.relu(x0)", "tl.abs(x0)")
    assert (one.name, one.input_dtypes) == ("my_many", (torch.float32,) * count)
    assert (one.input_dtype, one.dtype) == (torch.float32, torch.bfloat16)
    kind = one.kind
    assert (kind.functor, kind.arity, kind.expression) == ("", count, "tl.abs(a)")
    assert (kind.slack, kind.narrow_slack, kind.unfused) == (64, 64, True)
    assert one.launch is launch and one.bound() == float("inf")


def test_a_library_that_fails_is_left_out_and_named(operator, monkeypatch, capsys):
    def broken(one):
        raise ImportError("no module triton")

    broken.__name__ = "triton"
    monkeypatch.setattr(my_operator.operator_peers, "eager", lambda one: ["torch"])
    monkeypatch.setattr(my_operator.operator_peers, "compiled", lambda one: ["compiled"])
    monkeypatch.setattr(my_operator.operator_peers, "triton", broken)
    first, second, programmatic, last = my_operator.candidates(operator)
    assert (str(first), second, last) == ("course", "torch", "compiled")
    assert str(programmatic) == "course, programmatic"
    bound = programmatic.bind(["x", "y"], "out")
    assert (bound.args, bound.keywords) == (("x", "y", "out"), {"programmatic": 1})
    assert capsys.readouterr().out == "without triton: ImportError: no module triton\n"


def test_an_operator_without_a_library_has_no_standing(operator):
    only = {Candidate("course", "", None): Times(((1.0, 1.0),))}
    assert list(my_operator.standing(Setting(operator, 8, HOT), only)) == []


@pytest.mark.parametrize(
    ("more", "ulp", "sizes"),
    [
        ([], 4, (1 << 16, 1 << 20, 1 << 24, 1 << 28)),
        (["--ulp", "1.5", "--sizes", "8", "16"], 1.5, [8, 16]),
    ],
)
def test_on_a_gpu_every_launcher_is_checked_and_then_reported(
    operator, monkeypatch, capsys, more, ulp, sizes
):
    kernel = SimpleNamespace(name="mine", launchers={"a": operator.launch, "b": "second"})
    done = []
    monkeypatch.setattr(my_operator.jit, "load", lambda file: kernel)
    monkeypatch.setattr(
        my_operator.check,
        "check",
        lambda kernel, exact, ulp: done.append((kernel, exact(5, 3), ulp)) or "right",
    )
    monkeypatch.setattr(my_operator.machine, "present", lambda: SimpleNamespace(is_gpu=True))
    monkeypatch.setattr(my_operator, "report", lambda *given: done.append(given))
    costs = lambda file, launches: done.append((file.name, *launches))  # noqa: E731
    monkeypatch.setattr(my_operator, "print_costs", costs)
    arguments = ["mine.cu", "--torch", "x - y", "--triton", "x - y"]
    assert my_operator.main([*arguments, *more]) == 0
    launches = [(one, "x - y", "x - y", sizes) for one in kernel.launchers.values()]
    assert done == [(kernel, 2, ulp), *launches, ("mine.cu", *kernel.launchers.values())]
    assert capsys.readouterr().out == "checking mine ...\nright\n"


def test_ordinary_launches_are_compared_with_ordinary_ones(operator):
    def times(us):
        return Times(((us, us),))

    found = {
        Candidate("course", "", None): times(10.0),
        Candidate("course", "", None, "programmatic"): times(8.0),
        Candidate("torch", "", None): times(12.0),
        Candidate("Triton", "", None, "programmatic"): times(9.0),
    }
    ordinary, programmatic = my_operator.standing(Setting(operator, 1 << 20, HOT), found)
    assert "ordinary" in ordinary and "1.200 [1.200, 1.200]  ahead   torch" in ordinary
    assert "10.00 us    1,258 GB/s" in ordinary
    assert "1.125 [1.125, 1.125]  ahead   Triton, programmatic" in programmatic


@pytest.mark.parametrize("wrong", [None, "torch", "both"])
def test_a_report_has_a_head_and_each_size_hot_and_cold(operator, monkeypatch, capsys, wrong):
    """What is left out at one size is not tried at the next."""
    ours, torch_, compiled = (Candidate(name, "", None) for name in ("course", "torch", "c"))
    without = {None: [], "torch": [torch_], "both": [torch_, compiled]}[wrong]
    tried = []

    def measure(setting, candidates, rounds, placements):
        tried.append(list(candidates))
        return {one: None for one in candidates if one not in without}, None

    monkeypatch.setattr(my_operator, "own_operator", lambda *given: operator)
    monkeypatch.setattr(my_operator, "candidates", lambda operator: [ours, torch_, compiled])
    monkeypatch.setattr(interleaved, "measure", measure)
    said = lambda one, times: [f"{one.elements} {one.method}"]  # noqa: E731
    monkeypatch.setattr(my_operator, "standing", said)
    my_operator.report(None, "x - y", "", [8, 16])
    types = ", ".join(str(one).removeprefix("torch.") for one in operator.types)
    out = str(operator.dtype).removeprefix("torch.")
    lines = [f"{size} {method}" for size in (8, 16) for method in (HOT, my_operator.COLD)]
    if wrong == "both":
        lines = ["no library is left to compare with: is 'x - y' what it computes?"]
    assert capsys.readouterr().out.splitlines() == [
        "",
        f"{operator.name} ({types}, {out}): x - y",
        "elements, context, launch, time, bandwidth, "
        "ratio to the fastest with its 95% interval",
        *lines,
    ]
    left = [one for one in (ours, torch_, compiled) if one not in without]
    assert tried == [[ours, torch_, compiled], *[left] * (len(lines) - 1)]


def test_without_a_gpu_it_is_checked(file, capsys):
    if my_operator.machine.present().is_gpu:
        pytest.skip("a GPU is here")
    assert my_operator.main([str(file), "--torch", "x - y", "--ulp", "0"]) == 0
    out = capsys.readouterr().out
    assert "checking subtract" in out and out.endswith("checked, not measured\n")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["none.cu", "--torch", "x"], "none.cu"),
        (["FILE", "--torch", "x - z"], "names z"),
        (["FILE", "--torch", "x + y"], "subtract"),
    ],
)
def test_what_is_wrong_is_one_message(file, capsys, arguments, words):
    arguments = [str(file) if one == "FILE" else one for one in arguments]
    assert my_operator.main(arguments) == 1
    assert words in capsys.readouterr().err
