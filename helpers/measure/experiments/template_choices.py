"""Measure choices in which the course's template differs from the article's, and a functor's.

byte packs      8 or 16 elements a pack of int8, and fp8 to float16, beside PyTorch
template flags  a tail that is tested at run time or known at compile time, and launch bounds
functor costs   exact divisions and exponentials in a functor, or short ones
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial

import torch
from torch.nn import functional
from tqdm import tqdm

from helpers.measure import bench
from helpers.measure.experiments.registry import PRECISION, checked, experiment
from helpers.measure.measurement import Measurement
from helpers.run.launcher import Launcher
from helpers.testing.cases import Case, ElementwiseMaker, elementwise_cases

FLAGS = ("run_time", "flag", "bounds")
FUNCTORS = ("silu_exact", "silu_short", "hardswish_exact", "hardswish_short")
FUNCTOR_SIZES = (1 << 20, 1 << 22, 1 << 24, 1 << 28)


def relu(x: torch.Tensor) -> torch.Tensor:
    """Return max(x, 0)."""
    return x.clamp_min(0)


def from_e4m3(bits: torch.Tensor) -> torch.Tensor:
    """Return the float64 numbers whose bits, as e4m3, are these whole numbers of 0 to 255."""
    return bits.to(torch.uint8).view(torch.float8_e4m3fn).double()


def square_cases(launcher: Launcher) -> Iterable[Case]:
    """Yield the checker's cases of x * x, without the sizes past 2^31."""
    return elementwise_cases(launcher, ElementwiseMaker.of(launcher, lambda x: x * x))


def byte_cases(launcher: Launcher) -> Iterable[Case]:
    """Yield the checker's cases of a launcher of kernels/byte_packs.cu."""
    function = from_e4m3 if launcher.__name__ == "from_e4m3" else relu
    return elementwise_cases(launcher, ElementwiseMaker.of(launcher, function))


def functor_cases(launcher: Launcher) -> Iterable[Case]:
    """Yield the checker's cases of a launcher of kernels/functor_costs.cu."""
    function = getattr(functional, launcher.__name__.partition("_")[0])
    return elementwise_cases(launcher, ElementwiseMaker.of(launcher, function, ulp=1))


def _sizes(sizes: Sequence[int], bytes_per_element: int) -> list[int]:
    fitting = (bench.largest_that_fits(size, bytes_per_element) for size in sizes)
    return list(dict.fromkeys(fitting))


def _measure(
    call: Callable[[], object], kernel: str, elements: int, dtype: str, moved: int, **columns
) -> Measurement:
    return bench.measure_calls(
        [call],
        kernel=kernel,
        elements=elements,
        dtype=dtype,
        bytes_moved=moved,
        precision=PRECISION,
        **columns,
    )


@experiment("byte packs")
def measure_byte_packs(sizes: Sequence[int] = bench.ARTICLE_SIZES) -> list[Measurement]:
    """Measure ReLU of int8 by packs of 8 and 16, and fp8 to float16, beside PyTorch's."""
    here = bench.require_gpu()
    kernel = checked("byte_packs", cases=byte_cases)
    results = []
    for n in tqdm(_sizes(sizes, 3), desc="byte packs", leave=False):
        x = torch.randint(-128, 128, (n,), dtype=torch.int8, device=here.device)
        out, half = torch.empty_like(x), torch.empty(n, dtype=torch.half, device=here.device)
        bits = x.view(torch.uint8)
        relus = {
            "byte_packs relu_8": partial(kernel.relu_8, x, out),
            "byte_packs relu_16": partial(kernel.relu_16, x, out),
            "torch.clamp_min": partial(torch.clamp_min, x, 0, out=out),
        }
        results += [_measure(call, name, n, "int8", 2 * n) for name, call in relus.items()]
        casts = {
            "byte_packs from_e4m3": partial(kernel.from_e4m3, bits, half),
            "Tensor.copy_": partial(half.copy_, x.view(torch.float8_e4m3fn)),
        }
        results += [_measure(call, name, n, "e4m3", 3 * n) for name, call in casts.items()]
    return results


@experiment("template flags")
def measure_template_flags(sizes: Sequence[int] = bench.ARTICLE_SIZES) -> list[Measurement]:
    """Measure kernels/template_flags.cu on float16, with whole packs and with a tail of 7.

    `parameter` is the number of elements in the tail.
    """
    here = bench.require_gpu()
    kernel = checked("template_flags", cases=square_cases)
    results = []
    for size in tqdm(_sizes(sizes, 4), desc="template flags", leave=False):
        for tail in (0, 7):
            n = size - 8 + tail if tail else size
            x = torch.randn(n, device=here.device).half()
            out = torch.empty_like(x)
            for name in FLAGS:
                call = partial(getattr(kernel, f"square_{name}"), x, out)
                kernel_name = f"template_flags {name}"
                results.append(
                    _measure(call, kernel_name, n, "float16", 4 * n, parameter=float(tail))
                )
    return results


@experiment("functor costs")
def measure_functor_costs(sizes: Sequence[int] = FUNCTOR_SIZES) -> list[Measurement]:
    """Measure kernels/functor_costs.cu on float16, exact arithmetic beside short."""
    here = bench.require_gpu()
    kernel = checked("functor_costs", cases=functor_cases)
    results = []
    for n in tqdm(_sizes(sizes, 4), desc="functor costs", leave=False):
        x = torch.randn(n, device=here.device).half()
        out = torch.empty_like(x)
        for name in FUNCTORS:
            call = partial(getattr(kernel, name), x, out)
            results.append(_measure(call, f"functor_costs {name}", n, "float16", 4 * n))
    return results
