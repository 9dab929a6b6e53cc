"""The three operators keep PyTorch's contract: values, gradients, tracing, clear refusals."""

import pytest
import torch
from torch.nn import functional

from helpers.run import machine

DEVICE = machine.present().device
NAMES = ("add", "gelu", "bias_gelu_residual")
DTYPES = (torch.float32, torch.float16, torch.bfloat16)
ULP = {torch.float32: 4, torch.float16: 1, torch.bfloat16: 1}
EXACT = {
    "add": lambda a, b: a + b,
    "gelu": functional.gelu,
    "bias_gelu_residual": lambda x, bias, residual: functional.gelu(x + bias) + residual,
}


def tensors(name, *shape, dtype=torch.float32, grad=False):
    shapes = {
        "add": (shape, shape),
        "gelu": (shape,),
        "bias_gelu_residual": (shape, shape[-1:], shape),
    }
    made = torch.Generator().manual_seed(1)
    return [
        torch.randn(one, generator=made).to(DEVICE, dtype).requires_grad_(grad)
        for one in shapes[name]
    ]


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("name", NAMES)
def test_values(ops, name, dtype):
    for shape in ((7, 33), (2, 3, 64), (1,), (4, 0)):
        inputs = tensors(name, *shape, dtype=dtype)
        got, exact = getattr(ops, name)(*inputs), EXACT[name](*[x.double() for x in inputs])
        assert (got.dtype, got.shape, got.device) == (dtype, exact.shape, exact.device)
        scale = 1 + sum(x.double().abs() for x in inputs)  # sums may cancel
        error = (got.double() - exact).abs() / scale
        assert (error <= ULP[dtype] * torch.finfo(dtype).eps).all()


@pytest.mark.parametrize("name", NAMES)
def test_inputs_that_are_not_contiguous(ops, name):
    plain = tensors(name, 6, 8)
    strided = [torch.stack([x, x], dim=-1)[..., 0] for x in plain]
    got = getattr(ops, name)(*strided)
    assert got.is_contiguous()
    assert torch.equal(got, getattr(ops, name)(*plain))


@pytest.mark.parametrize("name", NAMES)
def test_gradients_are_those_of_pytorch(ops, name):
    ours, theirs = (tensors(name, 5, 7, grad=True) for _ in range(2))
    for function, inputs in ((getattr(ops, name), ours), (EXACT[name], theirs)):
        (function(*inputs) * torch.arange(7, device=DEVICE)).sum().backward()
    for x, y in zip(ours, theirs, strict=True):
        torch.testing.assert_close(x.grad, y.grad)
    first = ours[0].detach().requires_grad_()  # one of several; and a gradient of the gradient
    out = getattr(ops, name)(first, *[x.detach() for x in ours[1:]])
    (slope,) = torch.autograd.grad(out.sum(), first, create_graph=True)
    assert slope.requires_grad == (name != "add")


@pytest.mark.parametrize("name", NAMES)
def test_no_gradient_is_recorded_where_none_is_wanted(ops, name):
    assert not getattr(ops, name)(*tensors(name, 3, 4)).requires_grad
    with torch.no_grad():
        assert not getattr(ops, name)(*tensors(name, 3, 4, grad=True)).requires_grad


@pytest.mark.parametrize("name", NAMES)
def test_pytorchs_own_check_of_an_operator(ops, name):
    operator = getattr(torch.ops.elementwise, name).default
    outcome = torch.library.opcheck(operator, tensors(name, 4, 6, grad=True))
    assert set(outcome.values()) == {"SUCCESS"}


@pytest.mark.parametrize("name", NAMES)
def test_compiled_into_one_graph(ops, name):
    function, traced = getattr(ops, name), []

    def backend(graph, _):
        traced.extend(str(node.target) for node in graph.graph.nodes)
        return graph.forward

    compiled = torch.compile(
        lambda *x: function(*x) * 2, fullgraph=True, backend=backend, dynamic=True
    )
    inputs = tensors(name, 4, 6)
    torch.testing.assert_close(compiled(*inputs), EXACT[name](*inputs) * 2)
    assert any(target.startswith(f"elementwise.{name}") for target in traced)


def test_what_is_no_plain_tensor(ops):
    x = torch.randn(4, device=DEVICE)
    assert torch.equal(ops.add(a=x, b=x), 2 * x)
    assert torch.equal(ops.gelu(torch.nn.Parameter(x)), ops.gelu(x))
    with pytest.raises(Exception, match="a"):
        ops.add()

    class Named(torch.Tensor):
        seen = False

        @classmethod
        def __torch_function__(cls, function, types, args=(), kwargs=None):
            Named.seen = True
            return super().__torch_function__(function, types, args, kwargs or {})

    assert torch.equal(ops.gelu(x.as_subclass(Named)).as_subclass(torch.Tensor), ops.gelu(x))
    assert Named.seen


@pytest.mark.parametrize(
    ("name", "change", "error", "words"),
    [
        (
            "add",
            lambda a, b: (a.double(), b.double()),
            TypeError,
            r"a is float64; .* a.float\(\)",
        ),
        ("gelu", lambda x: (x.long(),), TypeError, "x is int64; it must be float32, float16"),
        ("add", lambda a, b: (a, b.half()), TypeError, r"b is float16; .* b.to\(a.dtype\)"),
        (
            "add",
            lambda a, b: (a, b[:1]),
            ValueError,
            r"shape \[2, 3\] and b \[1, 3\].*broadcast",
        ),
        ("add", lambda a, b: (a, b.to("meta")), ValueError, r"b on meta. .* b.to\(a.device\)"),
        (
            "bias_gelu_residual",
            lambda x, bias, residual: (x, bias[:1], residual),
            ValueError,
            r"bias \[1\]; bias must have one dimension, as long as the last one of x",
        ),
        (
            "bias_gelu_residual",
            lambda x, bias, residual: (x[0, 0], bias, residual[0, 0]),
            ValueError,
            r"x has shape \[\] and bias \[3\]",
        ),
        (
            "bias_gelu_residual",
            lambda x, bias, residual: (x, bias.half(), residual),
            TypeError,
            r"bias is float16",
        ),
        (
            "bias_gelu_residual",
            lambda x, bias, residual: (x, bias, residual[:1]),
            ValueError,
            r"residual \[1, 3\]",
        ),
    ],
)
def test_refusals_name_the_argument_and_the_remedy(ops, name, change, error, words):
    with pytest.raises(error, match=f"elementwise::{name}: .*{words}"):
        getattr(ops, name)(*change(*tensors(name, 2, 3)))


@pytest.mark.gpu
@pytest.mark.parametrize("name", NAMES)
def test_in_a_cuda_graph(ops, name):
    inputs = tensors(name, 64, 128)
    getattr(ops, name)(*inputs)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        out = getattr(ops, name)(*inputs)
    inputs[0].fill_(0.5)
    graph.replay()
    torch.testing.assert_close(out, EXACT[name](*inputs))


@pytest.mark.gpu
@pytest.mark.parametrize("name", NAMES)
def test_compiled_by_inductor_and_replayed(ops, name):
    function = getattr(ops, name)
    compiled = torch.compile(
        lambda *x: function(*x).mul(2), fullgraph=True, mode="reduce-overhead"
    )
    inputs = tensors(name, 64, 128, grad=True)
    for _ in range(3):
        torch.testing.assert_close(compiled(*inputs), EXACT[name](*inputs) * 2)
    compiled(*inputs).sum().backward()
    assert inputs[0].grad is not None


@pytest.mark.gpu
def test_on_another_stream(ops):
    x, side = torch.randn(1 << 20, device=DEVICE), torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        out = ops.add(x, x)
    side.synchronize()
    assert torch.equal(out, 2 * x)
