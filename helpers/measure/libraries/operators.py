"""Describe the operators of the comparison: inputs, eager PyTorch, exact result, error bound.

An operator is a functor of `operators.cuh` and a line of OPERATORS; `operator_sources` writes
its launchers. `Operator` has the members of `Operation`, and offsets. Eight-bit floats are
passed as uint8.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import torch
import torch.nn.functional as F

from helpers.errors import UnknownNameError
from helpers.measure.libraries import cells
from helpers.model.dtypes import dtype_name

COLUMNS = 1024  # of a bias, where they divide the number of elements; else one row has them all
SIGNIFICANT_BITS = {
    torch.float32: 24,
    torch.float16: 11,
    torch.bfloat16: 8,
    torch.float8_e4m3fn: 4,
}
SMALLEST_EXPONENT = {
    torch.float32: -126,
    torch.float16: -14,
    torch.bfloat16: -126,
    torch.float8_e4m3fn: -6,
}


class Strides(NamedTuple):
    """Where element (row, column) of a view lies: row * `row` + column * `column`."""

    cols: int
    row: int
    column: int


@dataclass(frozen=True)
class Kind:
    """What an operator computes, for any dtype.

    ulp: largest error of the result, in units of its last place, where it is a float32.
    slack: what cancellation adds, in 2^-24 of the largest input; narrow_slack: the same for a
        result of 16 bits. unfused: whether PyTorch rounds in between. strides: of the last
        input, if that is a view of rows.
    """

    functor: str
    arity: int
    exact: Callable[..., torch.Tensor]  # of float64 inputs
    eager: Callable[..., object]  # (out, *inputs): PyTorch writes into out
    expression: str  # what Triton computes from a, b, c in float32
    ulp: float = 0.5
    slack: float = 0.0
    narrow_slack: float = 0.0
    unfused: bool = False
    inputs: str = ""  # "where": a bool first; "row": the second is a bias
    strides: Strides | None = None


def _row(x: torch.Tensor, bias: torch.Tensor) -> torch.Tensor:
    return x.view(-1, bias.numel())


def _bias_gelu_residual(out, x, bias, residual):
    y = F.gelu(_row(x, bias) + bias)
    return torch.add(y, _row(residual, bias), out=_row(out, bias))


def _exact_bias_gelu_residual(x, bias, residual):
    return (F.gelu(_row(x, bias) + bias) + _row(residual, bias)).view(-1)


_TANH_ARGUMENT = "1.5957691216057308 * (a + 0.044715 * a * a * a)"
OPERATORS = {
    "copy": Kind("Copy", 1, lambda x: x, lambda out, x: out.copy_(x), "a"),
    "relu": Kind(
        "Relu",
        1,
        torch.relu,
        lambda out, x: torch.clamp_min(x, 0, out=out),
        "tl.where(a < 0, 0.0, a)",
    ),
    "leaky_relu": Kind(
        "LeakyRelu",
        1,
        lambda x: F.leaky_relu(x, 0.01),
        lambda out, x: torch._C._nn.leaky_relu(x, 0.01, out=out),
        "tl.where(a > 0, a, a * 0.01)",
        ulp=1,
    ),
    "abs": Kind("Abs", 1, torch.abs, lambda out, x: torch.abs(x, out=out), "tl.abs(a)"),
    "neg": Kind("Neg", 1, torch.neg, lambda out, x: torch.neg(x, out=out), "-a"),
    "scale": Kind(
        "Scale",
        1,
        lambda x: 1.7 * x,
        lambda out, x: torch.mul(x, 1.7, out=out),
        "a * 1.7",
        ulp=1,
    ),
    "sigmoid": Kind(
        "Sigmoid",
        1,
        torch.sigmoid,
        lambda out, x: torch.sigmoid(x, out=out),
        "tl.sigmoid(a)",
        ulp=5,
    ),
    "tanh": Kind(
        "Tanh",
        1,
        torch.tanh,
        lambda out, x: torch.tanh(x, out=out),
        "libdevice.tanh(a)",
        ulp=3,
    ),
    "gelu": Kind(
        "Gelu",
        1,
        F.gelu,
        lambda out, x: torch._C._nn.gelu(x, out=out),
        "0.5 * a * (1.0 + tl.erf(a * 0.7071067811865476))",
        ulp=4,
        slack=2,
    ),
    "gelu_tanh": Kind(
        "GeluTanh",
        1,
        lambda x: F.gelu(x, approximate="tanh"),
        lambda out, x: torch._C._nn.gelu(x, approximate="tanh", out=out),
        f"a * tl.sigmoid({_TANH_ARGUMENT})",
        ulp=8,
        slack=2,
    ),
    "silu": Kind(
        "Silu",
        1,
        F.silu,
        lambda out, x: torch._C._nn.silu(x, out=out),
        "a * tl.sigmoid(a)",
        ulp=5,
    ),
    "exp": Kind("Exp", 1, torch.exp, lambda out, x: torch.exp(x, out=out), "tl.exp(a)", ulp=2),
    "add": Kind("Add", 2, torch.add, lambda out, a, b: torch.add(a, b, out=out), "a + b"),
    "mul": Kind("Mul", 2, torch.mul, lambda out, a, b: torch.mul(a, b, out=out), "a * b"),
    "addcmul": Kind(
        "Addcmul",
        3,
        lambda c, a, b: torch.addcmul(c, a, b, value=0.5),
        lambda out, c, a, b: torch.addcmul(c, a, b, value=0.5, out=out),
        "a + 0.5 * b * c",
        ulp=1,
        slack=8,
    ),
    "lerp": Kind(
        "Lerp",
        2,
        lambda a, b: torch.lerp(a, b, 0.3),
        lambda out, a, b: torch.lerp(a, b, 0.3, out=out),
        "a + 0.3 * (b - a)",
        ulp=1,
        slack=4,
    ),
    "where": Kind(
        "Where",
        3,
        lambda condition, a, b: torch.where(condition.bool(), a, b),
        lambda out, condition, a, b: torch.where(condition, a, b, out=out),
        "tl.where(a != 0, b, c)",
        inputs="where",
    ),
    "bias_gelu_residual": Kind(
        "BiasGeluResidual",
        3,
        _exact_bias_gelu_residual,
        _bias_gelu_residual,
        "0.5 * (a + b) * (1.0 + tl.erf((a + b) * 0.7071067811865476)) + c",
        ulp=4,
        slack=4,
        narrow_slack=200,
        unfused=True,
        inputs="row",
    ),
    "cast": Kind("Cast", 1, lambda x: x, lambda out, x: out.copy_(x), "a"),
    "swiglu": Kind(
        "Swiglu",
        2,
        lambda a, b: F.silu(a) * b,
        lambda out, a, b: torch.mul(F.silu(a), b, out=out),
        "a * tl.sigmoid(a) * b",
        ulp=6,
        unfused=True,
    ),
    "gelu_cast": Kind(
        "GeluCast",
        1,
        F.gelu,
        lambda out, x: out.copy_(F.gelu(x)),
        "0.5 * a * (1.0 + tl.erf(a * 0.7071067811865476))",
        ulp=4,
        slack=2,
        unfused=True,
    ),
}
# Kinds that the draw does not have: long arithmetic on two inputs, and into a narrower result.
# The rule is read off them, and no cell tests it with them.
SWEPT_ONLY = (
    ("swiglu", "float16", "float16"),
    ("gelu_cast", "float32", "float16"),
)
CONVERTING = ("cast", "gelu_cast")  # their functors are told the type of the result


@dataclass(frozen=True)
class Operator:
    """An operator in one pair of dtypes; its members are those of `Operation`."""

    name: str
    input_dtype: torch.dtype
    dtype: torch.dtype  # of the output

    @classmethod
    def of(cls, name: str, dtype: str, out_dtype: str) -> Operator:
        """Return an operator by the names of its dtypes."""
        if name not in OPERATORS:
            raise UnknownNameError(f"no operator {name!r}; there are: {', '.join(OPERATORS)}")
        return cls(name, getattr(torch, dtype), getattr(torch, out_dtype))

    @property
    def kind(self) -> Kind:
        """What it computes."""
        return OPERATORS[self.name]

    @property
    def input_dtypes(self) -> tuple[torch.dtype, ...]:
        """One dtype for each input."""
        first = torch.bool if self.kind.inputs == "where" else self.input_dtype
        return (first, *[self.input_dtype] * (self.kind.arity - 1))

    @property
    def bytes_per_element(self) -> int:
        """Bytes that one element of the output costs; a bias of a row counts nothing."""
        read = [dtype.itemsize for dtype in self.input_dtypes]
        if self.kind.inputs == "row":
            del read[1]
        return sum(read) + self.dtype.itemsize

    @property
    def launcher(self) -> str:
        """The name of its launcher."""
        name = self.name.replace(" ", "_")
        return f"{name}_{dtype_name(self.input_dtype)}_{dtype_name(self.dtype)}"

    def columns(self, elements: int) -> int:
        """Return how many columns a bias has."""
        return COLUMNS if elements % COLUMNS == 0 else elements

    def buffers(
        self, elements: int, device: str, offsets: Sequence[int] = ()
    ) -> tuple[list[torch.Tensor], torch.Tensor]:
        """Allocate random inputs and an output, each [elements].

        offsets: of each input and the output, in elements from an aligned address.
        """
        offsets = list(offsets) or [0] * (self.kind.arity + 1)
        inputs = []
        for place, dtype in enumerate(self.input_dtypes):
            is_bias = self.kind.inputs == "row" and place == 1
            count = self.columns(elements) if is_bias else elements
            x = torch.randn(count + offsets[place], device=device)
            if dtype is torch.bool:
                x = x > 0
            elif dtype is torch.int8 or self.dtype is torch.int8:
                x = (x * 30).clamp_(-127, 127)
            inputs.append(x.to(dtype)[offsets[place] :])
            del x
        out = torch.empty(elements + offsets[-1], dtype=self.dtype, device=device)
        return inputs, out[offsets[-1] :]

    def eager(self, inputs: Sequence[torch.Tensor], out: torch.Tensor) -> object:
        """Compute with eager PyTorch into `out`."""
        return self.kind.eager(out, *self.arguments(inputs, out.numel()))

    def arguments(self, inputs: Sequence[torch.Tensor], elements: int) -> list[torch.Tensor]:
        """Return the inputs as PyTorch takes them, for an output of so many elements."""
        return list(inputs)

    def error(
        self,
        inputs: Sequence[torch.Tensor],
        out: torch.Tensor,
        ours: bool = True,
        some: int = 1 << 21,
    ) -> float:
        """Return the largest error in ulp of the first and last elements, less the slack.

        Above the bound `bound()`, a result is wrong. A NaN or an infinity that should not be
        one, or a number in its place, gives infinity. ours: False allows what PyTorch's unfused
        kernels round in between.
        """
        n = out.numel()
        row = self.kind.inputs == "row"
        if row:
            columns = inputs[1].numel()
            some = max(1, some // columns) * columns
        parts = [slice(0, n)] if n <= 2 * some else [slice(0, some), slice(n - some, n)]
        slack = self.kind.slack * (1 if ours else 32)
        if self.dtype is not torch.float32:
            slack = max(slack, self.kind.narrow_slack)
            if self.kind.unfused and not ours:
                slack += 2.0 ** (26 - SIGNIFICANT_BITS[self.dtype])
        errors = []
        for part in parts:
            some_inputs = [x if row and i == 1 else x[part] for i, x in enumerate(inputs)]
            errors.append(self._error(some_inputs, out[part], slack))
        return max(errors)

    def _error(self, inputs: Sequence[torch.Tensor], out: torch.Tensor, slack: float) -> float:
        wide = [x.double() for x in inputs]
        want = self.kind.exact(*wide)
        got = out.double()
        if self.dtype is torch.int8:
            return float((got - want.trunc()).abs().max())
        bits = SIGNIFICANT_BITS[self.dtype]
        exponent = torch.frexp(want).exponent.clamp(min=SMALLEST_EXPONENT[self.dtype] + 1)
        unit = torch.ldexp(torch.ones_like(want), exponent - bits)
        largest = torch.stack([x.abs().amax() for x in wide]).amax()
        off = ((got - want).abs() - slack * 2.0**-24 * largest).clamp(min=0) / unit
        alike = (got == want.to(self.dtype).double()) | (got.isnan() & want.isnan())
        return float(off.nan_to_num(nan=float("inf")).masked_fill(alike, 0.0).max())

    def bound(self) -> float:
        """Return the error in ulp that is allowed; a narrow result has a good one to round."""
        if self.dtype is torch.float32:
            return max(self.kind.ulp, 0.5001)
        return 0.5001 if self.kind.ulp <= 0.5 else 0.53

    def __str__(self) -> str:
        if self.input_dtype is self.dtype:
            return f"{self.name} {dtype_name(self.dtype)}"
        return f"{self.name} {dtype_name(self.input_dtype)} to {dtype_name(self.dtype)}"


def as_bytes(x: torch.Tensor) -> torch.Tensor:
    """Return a view as uint8 of a tensor of eight-bit floats; any other tensor as it is."""
    return x.view(torch.uint8) if x.dtype is torch.float8_e4m3fn else x


def all_operators() -> list[Operator]:
    """Return every operator in every pair of dtypes of the draw and of the sweep."""
    return [Operator.of(*names) for names in (*cells.strata(), *SWEPT_ONLY)]
