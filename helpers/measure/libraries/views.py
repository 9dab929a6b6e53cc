"""Describe operators whose last input is a view of rows: `fast::Rows` of kernels/fast.cuh.

A row, a column or a number that is broadcast; columns of a wider matrix; every second column.
The other inputs and the output are whole. Where the number of columns is odd, packs of the
output straddle the ends of rows.
"""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Sequence
from dataclasses import dataclass

import torch

from helpers.measure.libraries import operators
from helpers.measure.libraries.interleaved import COLD, HOT, Setting
from helpers.measure.libraries.operators import OPERATORS, Kind, Operator, Strides

COLUMNS, ODD_COLUMNS = operators.COLUMNS, 1001
VIEWS = {
    "row": Strides(COLUMNS, 0, 1),
    "column": Strides(COLUMNS, 1, 0),
    "number": Strides(COLUMNS, 0, 0),
    "half": Strides(COLUMNS, 2 * COLUMNS, 1),
    "every second": Strides(COLUMNS, 2 * COLUMNS, 2),
    "odd row": Strides(ODD_COLUMNS, 0, 1),
    "odd column": Strides(ODD_COLUMNS, 1, 0),
    "odd part": Strides(ODD_COLUMNS, ODD_COLUMNS + 26, 1),
}
BROADCAST = [name for name, (_, row, column) in VIEWS.items() if not row * column]
OF = {"add": list(VIEWS), "relu": [name for name in VIEWS if name not in BROADCAST]}
DTYPES = ("float32", "float16")
ROWS = (1 << 6, 1 << 10, 1 << 14, 1 << 16)  # of the output
HOT_ROWS = 1 << 10  # at most, for calls behind each other on the same tensors


@dataclass(frozen=True)
class Viewed(Operator):
    """An operator of OPERATORS, elementwise, whose last input is a view.

    `buffers` gives the tensor below the view, in one dimension; `arguments` the view.
    """

    base: str
    strides: Strides

    @classmethod
    def of(cls, base: str, view: str, dtype: str) -> Viewed:
        """Return an operator by its name, that of the view and that of the dtype."""
        plain = Operator.of(base, dtype, dtype)
        return cls(f"{base} {view}", plain.input_dtype, plain.dtype, base, VIEWS[view])

    @property
    def kind(self) -> Kind:
        """What it computes, of the views that `arguments` gives."""
        plain, cols = OPERATORS[self.base], self.strides.cols
        return dataclasses.replace(
            plain,
            exact=lambda *inputs: plain.exact(*_in_rows(inputs, cols)).reshape(-1),
            eager=lambda out, *inputs: plain.eager(out.view(-1, cols), *_in_rows(inputs, cols)),
            strides=self.strides,
        )

    @property
    def bytes_per_element(self) -> int:
        """Bytes that one element of the output costs; what is broadcast counts nothing."""
        whole = Operator.of(self.base, *2 * (operators.dtype_name(self.dtype),))
        broadcast = not self.strides.row * self.strides.column
        return whole.bytes_per_element - broadcast * self.dtype.itemsize

    def buffers(
        self, elements: int, device: str, offsets: Sequence[int] = ()
    ) -> tuple[list[torch.Tensor], torch.Tensor]:
        """Allocate whole inputs and an output, each [elements], and what the view needs."""
        cols, row, column = self.strides
        inputs, out = Operator.of(self.base, *2 * (operators.dtype_name(self.dtype),)).buffers(
            elements, device, offsets
        )
        needed = (elements // cols - 1) * row + (cols - 1) * column + 1
        inputs[-1] = torch.randn(needed, device=device).to(self.input_dtype)
        return inputs, out

    def arguments(self, inputs: Sequence[torch.Tensor], elements: int) -> list[torch.Tensor]:
        """Return the inputs as PyTorch takes them: the last one as a view of rows."""
        cols, row, column = self.strides
        shape = (elements // cols if row else 1, cols if column else 1)
        return [*inputs[:-1], inputs[-1].as_strided(shape, (row, column))]

    def error(
        self,
        inputs: Sequence[torch.Tensor],
        out: torch.Tensor,
        ours: bool = True,
        some: int = 1 << 21,
    ) -> float:
        """Return the largest error in ulp, as that of an operator of whole inputs."""
        *whole, view = self.arguments(inputs, out.numel())
        seen = view.expand(out.numel() // self.strides.cols, self.strides.cols).reshape(-1)
        plain = Operator.of(self.base, *2 * (operators.dtype_name(self.dtype),))
        return plain.error([*whole, seen], out, ours, some)


def _in_rows(inputs: Sequence[torch.Tensor], cols: int) -> list[torch.Tensor]:
    return [*(x.view(-1, cols) for x in inputs[:-1]), inputs[-1]]


def all_views() -> list[Viewed]:
    """Return every operator with every view, in every dtype."""
    return [
        Viewed.of(base, view, dtype)
        for base, views in OF.items()
        for view, dtype in itertools.product(views, DTYPES)
    ]


def settings() -> list[Setting]:
    """Return what is measured of the views: short calls hot, long ones cold."""
    return [
        Setting(one, rows * one.strides.cols, HOT if rows <= HOT_ROWS else COLD)
        for one, rows in itertools.product(all_views(), ROWS)
    ]
