"""The elementwise template's measurements: its rungs, its operators beside PyTorch's, and layer norm.

Three experiments for `helpers.measure.experiments` ("template rungs", "operators", "layer norm") and the table of operators
that notebook 17 compares: for each its kernel, what it is in float64, and the same in eager PyTorch.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

import pandas as pd
import torch
from torch.nn import functional
from tqdm import tqdm

from helpers.errors import CheckError
from helpers.measure import bench
from helpers.measure.bench import Measurement
from helpers.measure.experiments import PRECISION, experiment
from helpers.run import jit, machine
from helpers.testing import check
from helpers.testing.cases import Case, elementwise_cases

SUFFIX = {torch.float32: "", torch.float16: "_f16", torch.bfloat16: "_bf16"}
ALPHA = 0.7  # of scale
COLUMNS = 4096  # of bias + GELU + residual
NORM_ELEMENTS = 1 << 26
NORM_COLUMNS = (256, 1024, 4096, 16384)
aten = torch.ops.aten


def _name(dtype: torch.dtype) -> str:
    return str(dtype).removeprefix("torch.")


# ---- the rungs ------------------------------------------------------------------------------------------------------

WAVES = (1, 2, 4, 8, 32, 0)  # 0: no cap
SLICES = {16: 0, 8: 4, 4: 2, 2: 1}  # bytes of a pack -> where a float16 slice must start


def whole_packs(launcher) -> list[Case]:
    """The checker's cases of a square that has no tail: multiples of 8 elements, at aligned addresses."""
    every = elementwise_cases(launcher, lambda x: x * x)
    return [case for case in every if case.inputs[0].numel() % 8 == 0 and not case.offset]


def rung(name: str):
    """A rung's kernel, loaded and checked as far as it claims to go."""
    kernel = jit.load(name)
    if name in ("rung3_pack", "rung4_alignment"):
        check.check(kernel, cases=whole_packs)
    else:
        check.check(kernel, lambda x: x * x)
    return kernel


@experiment("template rungs")
def template_rungs(sizes: Sequence[int] = bench.ARTICLE_SIZES) -> list[Measurement]:
    """out = x * x in float16, rung by rung, and torch.mul.

    `parameter` is the number of waves for rung 2 (0: no cap), and the bytes of a pack for rung 4.
    """
    here = bench.require_gpu()
    names = (
        "rung1_functor",
        "rung2_grid_stride",
        "rung3_pack",
        "rung4_alignment",
        "rung5_tail",
        "rung6_apply2",
    )
    rungs = {name: rung(name) for name in tqdm(names, desc="checking", leave=False)}
    results = []

    def measure(
        name: str, call: Callable, n: int, offset: int = 0, parameter: float | None = None
    ) -> None:
        x = torch.randn(n + 8, device=here.device).half()[offset : offset + n]
        out = torch.empty(n + 8, dtype=torch.float16, device=here.device)[offset : offset + n]
        results.append(
            bench.measure_calls(
                [partial(call, x, out)],
                kernel=name,
                elements=n,
                dtype="float16",
                bytes_moved=4 * n,
                precision=PRECISION,
                parameter=parameter,
            )
        )

    for n in tqdm(sizes, desc="template rungs", leave=False):
        measure("rung1_functor", rungs["rung1_functor"].square_f16, n)
        for waves in WAVES:
            call = partial(rungs["rung2_grid_stride"].square_f16, waves=waves)
            measure("rung2_grid_stride", call, n, parameter=waves)
        measure("rung3_pack", rungs["rung3_pack"].square_f16, n)
        for pack, offset in SLICES.items():
            measure("rung4_alignment", rungs["rung4_alignment"].square_f16, n, offset, pack)
        measure("rung5_tail", rungs["rung5_tail"].square_f16, n)
        for name in ("square_singles", "square_pairs"):
            measure(f"rung6_apply2 {name}", getattr(rungs["rung6_apply2"], name), n)
        measure("torch.mul", lambda x, out: torch.mul(x, x, out=out), n)
    return results


# ---- the operators --------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Operator:
    """One operator of the template beside PyTorch's. Functions take the input tensors; `eager` also (out, scratch)."""

    name: str
    file: str
    reads: int  # inputs of n elements
    exact: Callable[..., torch.Tensor]  # in float64
    eager: Callable[..., object]
    eager_tensors: int | None = (
        None  # tensors of n elements that eager PyTorch moves; None: reads + 1
    )
    casts_to: torch.dtype | None = None  # from float32
    arguments: tuple[float, ...] = ()
    bias: bool = False  # the second input is one row

    def launcher(self, dtype: torch.dtype) -> Callable[..., None]:
        """The template's launcher; `dtype` is the output's. Takes inputs, out."""
        call = getattr(jit.load(self.file), self.name + SUFFIX[dtype])
        return lambda *tensors: call(*tensors, *self.arguments)

    def inputs(self, elements: int, dtype: torch.dtype) -> list[torch.Tensor]:
        """Random inputs on the present machine: [elements], or [rows, COLUMNS] and a bias [COLUMNS]."""
        device = machine.present().device
        dtype = torch.float32 if self.casts_to else dtype
        if not self.bias:
            return [torch.randn(elements, device=device).to(dtype) for _ in range(self.reads)]
        shape = (max(1, elements // COLUMNS), COLUMNS)
        shapes = [shape, (COLUMNS,), shape]
        return [torch.randn(shape, device=device).to(dtype) for shape in shapes]

    def bytes_moved(self, elements: int, dtype: torch.dtype, eager: bool = False) -> int:
        """Bytes that the operator must move, or that eager PyTorch moves. A bias counts as nothing."""
        if self.casts_to:
            return elements * (4 + dtype.itemsize)
        return elements * dtype.itemsize * ((eager and self.eager_tensors) or self.reads + 1)


def _unfused(x, bias, residual, out, scratch) -> None:
    torch.add(x, bias, out=scratch)
    aten.gelu.out(scratch, out=out)
    torch.add(out, residual, out=scratch)


OPERATORS = (
    Operator(
        "add", "op_add", 2, lambda a, b: a + b, lambda a, b, out, _: torch.add(a, b, out=out)
    ),
    # torch.relu is this clamp; its own form with `out` would compute and then copy.
    Operator(
        "relu", "op_relu", 1, torch.relu, lambda x, out, _: torch.clamp_min(x, 0, out=out)
    ),
    Operator(
        "gelu", "op_gelu", 1, functional.gelu, lambda x, out, _: aten.gelu.out(x, out=out)
    ),
    Operator(
        "gelu_tanh",
        "op_gelu",
        1,
        lambda x: functional.gelu(x, approximate="tanh"),
        lambda x, out, _: aten.gelu.out(x, approximate="tanh", out=out),
    ),
    Operator(
        "scale",
        "op_scale",
        1,
        lambda x: ALPHA * x,
        lambda x, out, _: torch.mul(x, ALPHA, out=out),
        arguments=(ALPHA,),
    ),
    Operator(
        "cast",
        "op_cast",
        1,
        lambda x: x,
        lambda x, out, _: out.copy_(x),
        casts_to=torch.float16,
    ),
    Operator(
        "cast",
        "op_cast",
        1,
        lambda x: x,
        lambda x, out, _: out.copy_(x),
        casts_to=torch.bfloat16,
    ),
    Operator(
        "multiply_add",
        "op_fma",
        3,
        lambda a, b, c: a * b + c,
        lambda a, b, c, out, _: torch.addcmul(c, a, b, out=out),
    ),
    Operator(
        "bias_gelu_residual",
        "op_bias_gelu_residual",
        2,
        lambda x, bias, residual: functional.gelu(x + bias) + residual,
        _unfused,
        eager_tensors=7,
        bias=True,
    ),
)


def operator(name: str) -> Operator:
    """An operator by its name. Raises KeyError, with the names there are."""
    for one in OPERATORS:
        if one.name == name:
            return one
    raise KeyError(
        f"no operator {name!r}; there are {', '.join(dict.fromkeys(o.name for o in OPERATORS))}"
    )


def difference(one: Operator, dtype: torch.dtype, elements: int) -> tuple[float, float]:
    """The largest distance from the float64 value of the template's result and of PyTorch's, in float32's or the
    output's units in the last place at 1 (`eps`)."""
    inputs = one.inputs(elements, dtype)
    exact = one.exact(*[x.double() for x in inputs])
    ours, scratch = (torch.full_like(inputs[0], float("nan"), dtype=dtype) for _ in range(2))
    one.launcher(dtype)(*inputs, ours)
    theirs = torch.empty_like(ours)
    one.eager(*inputs, theirs, scratch)
    if one.eager_tensors:
        theirs = scratch
    scale = torch.finfo(dtype).eps * exact.abs().clamp(min=1)
    return tuple(
        float(((result.double() - exact).abs() / scale).nan_to_num(nan=1e9).max())
        for result in (ours, theirs)
    )


@experiment("operators")
def operators(
    sizes: Sequence[int] = (1 << 20, 1 << 24, 1 << 28),
    dtypes: Sequence[torch.dtype] = (torch.float32, torch.float16),
) -> list[Measurement]:
    """Every operator of the template and the same in eager PyTorch ("torch ..."), checked first.

    gb_per_s counts for each what it must move: 7 tensors for eager bias + GELU + residual, 3 for the fused kernel.
    """
    bench.require_gpu()
    todo = [
        (one, dtype)
        for one in OPERATORS
        for dtype in ((one.casts_to,) if one.casts_to else dtypes)
    ]
    results = []
    for one, dtype in tqdm(todo, desc="operators", leave=False):
        for n in (1003 * (COLUMNS if one.bias else 1), 1 << 20):
            if difference(one, dtype, n)[0] > (16 if dtype is torch.float32 else 1):
                raise CheckError(f"{one.name} of {dtype} is wrong")
        for n in sizes:
            inputs = one.inputs(n, dtype)
            out = torch.empty_like(inputs[0], dtype=dtype)
            scratch = torch.empty_like(out) if one.eager_tensors else None
            fewest, tensor = one.bytes_moved(n, dtype), n * dtype.itemsize
            calls = {
                one.name: (partial(one.launcher(dtype), *inputs, out), fewest),
                f"torch {one.name}": (
                    partial(one.eager, *inputs, out, scratch),
                    one.bytes_moved(n, dtype, True),
                ),
            }
            if one.bias:
                compiled = torch.compile(
                    lambda x, bias, r, o: o.copy_(functional.gelu(x + bias) + r), dynamic=False
                )
                calls[f"torch.compile {one.name}"] = (partial(compiled, *inputs, out), fewest)
                x, bias, residual = inputs
                calls["torch part 1: x + bias"] = (
                    partial(torch.add, x, bias, out=scratch),
                    2 * tensor,
                )
                calls["torch part 2: gelu"] = (partial(aten.gelu.out, x, out=out), 2 * tensor)
                calls["torch part 3: + residual"] = (
                    partial(torch.add, x, residual, out=out),
                    3 * tensor,
                )
            for name, (call, bytes_moved) in calls.items():
                try:
                    call()
                except Exception as error:
                    if name == one.name:
                        raise
                    tqdm.write(
                        f"{name} is left out: {type(error).__name__}: {str(error)[:120]}"
                    )
                    continue
                results.append(
                    bench.measure_calls(
                        [call],
                        kernel=name,
                        elements=n,
                        dtype=_name(dtype),
                        bytes_moved=bytes_moved,
                        precision=PRECISION,
                    )
                )
            del inputs, out, scratch, calls, call
    return results


# ---- layer norm -----------------------------------------------------------------------------------------------------


def norm_inputs(
    rows: int, columns: int, dtype: torch.dtype
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """x [rows, columns] with a mean far from 0, gamma and beta [columns]."""
    device = machine.present().device
    x = (torch.randn(rows, columns, device=device) * 3 + 10).to(dtype)
    gamma, beta = (torch.randn(columns, device=device).to(dtype) for _ in range(2))
    return x, gamma, beta


def norm_error(rows: int, columns: int, dtype: torch.dtype) -> tuple[float, float]:
    """The largest error of the course's layer norm and of PyTorch's, against float64."""
    x, gamma, beta = norm_inputs(rows, columns, dtype)
    exact = functional.layer_norm(x.double(), (columns,), gamma.double(), beta.double())
    out = torch.full_like(x, float("nan"))
    jit.load("layer_norm")(x, gamma, beta, out)
    theirs = functional.layer_norm(x, (columns,), gamma, beta)
    return tuple(
        float((result.double() - exact).abs().nan_to_num(nan=1e9).max())
        for result in (out, theirs)
    )


@experiment("layer norm")
def layer_norm(
    columns: Sequence[int] = NORM_COLUMNS,
    dtypes: Sequence[torch.dtype] = (torch.float32, torch.float16),
) -> list[Measurement]:
    """The course's layer norm and PyTorch's, 2^26 elements in rows of `parameter`; bytes: one read, one write."""
    bench.require_gpu()
    kernel = jit.load("layer_norm")
    results = []
    for dtype in dtypes:
        for cols in tqdm(columns, desc="layer norm", leave=False):
            rows = NORM_ELEMENTS // cols
            if norm_error(37, cols, dtype)[0] > 64 * torch.finfo(dtype).eps:
                raise CheckError(f"layer_norm of {dtype} in rows of {cols} is wrong")
            x, gamma, beta = norm_inputs(rows, cols, dtype)
            out = torch.empty_like(x)
            calls = {
                "layer_norm": partial(kernel, x, gamma, beta, out),
                "torch layer_norm": partial(functional.layer_norm, x, (cols,), gamma, beta),
            }
            for name, call in calls.items():
                results.append(
                    bench.measure_calls(
                        [call],
                        kernel=name,
                        elements=NORM_ELEMENTS,
                        dtype=_name(dtype),
                        bytes_moved=2 * x.nbytes,
                        precision=PRECISION,
                        parameter=cols,
                    )
                )
    return results


# ---- tables ---------------------------------------------------------------------------------------------------------

RUNG_WORDS = {
    "rung1_functor": "1 functor",
    "rung2_grid_stride": "2 grid-stride",
    "rung3_pack": "3 pack",
    "rung4_alignment": "4 alignment",
    "rung5_tail": "5 tail",
    "rung6_apply2 square_singles": "6 template, singles",
    "rung6_apply2 square_pairs": "6 template, pairs",
    "torch.mul": "torch.mul",
}
USUAL = {
    "rung2_grid_stride": 32.0,
    "rung4_alignment": 16.0,
}  # the parameter of a rung's ordinary launch


def _as_usual(rows: pd.DataFrame) -> pd.DataFrame:
    return rows[
        rows.parameter.fillna(-1)
        == rows.kernel.map(USUAL).fillna(rows.parameter.fillna(-1)).astype(float)
    ]


def rung_table(rows: pd.DataFrame) -> pd.DataFrame:
    """Times (us) of "template rungs", a row for each rung and a column for each size; rungs 2 and 4 as they launch by
    default: 32 waves, 16-byte packs."""
    table = _as_usual(rows).pivot_table(
        index="kernel", columns="elements", values="time_us", sort=False
    )
    return table.rename(index=RUNG_WORDS)


def dial_table(rows: pd.DataFrame, kernel: str) -> pd.DataFrame:
    """GB/s of one rung of "template rungs": a row for each `parameter`, a column for each size."""
    own = rows[rows.kernel == kernel]
    return own.pivot_table(index="parameter", columns="elements", values="gb_per_s", sort=False)


def beside_torch(
    rows: pd.DataFrame, index: Sequence[str] = ("kernel", "dtype", "elements")
) -> pd.DataFrame:
    """Rows of "operators" or "layer norm" as one row each: us of the template, of PyTorch, their ratio, and our GB/s.

    torch / ours: above 1 the template is faster.
    """
    keys = [column for column in index if column != "kernel"]
    theirs = rows.kernel.str.startswith("torch ")
    right = rows[theirs].assign(kernel=rows[theirs].kernel.str.removeprefix("torch "))
    columns = ["kernel", *keys]
    ours = rows[~rows.kernel.str.startswith("torch")]
    both = ours.merge(right[[*columns, "time_us"]], on=columns, suffixes=("", "_torch"))
    both["ratio"] = both.time_us_torch / both.time_us
    both = both.rename(
        columns={"time_us": "ours (us)", "time_us_torch": "torch (us)", "ratio": "torch / ours"}
    )
    return both[[*columns, "ours (us)", "torch (us)", "torch / ours", "gb_per_s"]].rename(
        columns={"gb_per_s": "GB/s"}
    )


def rung_bandwidths(rows: pd.DataFrame, elements: int) -> pd.DataFrame:
    """label, gb_per_s and gpu of every rung of "template rungs" at one size, in order, for `plots.rung_bars`."""
    some = _as_usual(rows[rows.elements == elements])
    return pd.DataFrame(
        {"label": some.kernel.map(RUNG_WORDS), "gb_per_s": some.gb_per_s, "gpu": some.gpu}
    )
