"""Measure now where there is a GPU, else show the record, and print a line that says which.

`measured_or_recorded` is the one function behind every cell that does this; `add_times` and
`empty_kernel` use it for the kernels of the ladder.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pandas as pd

from helpers.errors import UnknownNameError
from helpers.measure import bench, store
from helpers.measure.store import RECORDED_GPU
from helpers.model.arguments import Count, Rate, checked
from helpers.model.dtypes import ITEM_BYTES
from helpers.run import machine
from helpers.run.kernel import Kernel


def measured_or_recorded(
    measure: Callable[[], pd.DataFrame],
    load: Callable[[], pd.DataFrame],
    *,
    verb: str = "measured",
    detail: str | Callable[[pd.DataFrame], str] = "",
    unavailable: type[Exception] | tuple[type[Exception], ...] = (),
    what: str = "this",
    command: str = "make record",
) -> pd.DataFrame:
    """Measure on a GPU, else load the record; print one line that says which, and the card.

    measure, load: give the table. verb: what a GPU does, such as "counted". detail: the end
    of the line, such as the method; or a function of the rows. unavailable: errors of `measure`
    after which the record is shown; the line says why. what, command: what is missing and how
    to record it, for the line that is printed without a record; the table is empty then.
    """
    here = machine.present()
    why = "no GPU here"
    if here.is_gpu:
        try:
            rows = measure()
        except unavailable as error:
            why = f"not {verb} here: {error}"
        else:
            print(f"{verb} now on {here.name}{_text(detail, rows)}")
            return rows
    try:
        rows = load()
    except FileNotFoundError:
        rows = pd.DataFrame()
    if rows.empty:
        print(f"NO RECORD of {what} yet: `{command}` on a GPU makes one")
        return rows
    print(f"{why}: recorded on {rows.gpu.iloc[-1]}, {rows.date.max()}{_text(detail, rows)}")
    return rows


@checked
def largest_that_fits(elements: Count, bytes_per_element: Rate) -> int:
    """Return `elements`, or on a GPU with too little memory the most that fit; a line says so.

    bytes_per_element: of all tensors together. A record has every size.
    """
    if not machine.present().is_gpu:
        return elements
    return bench.largest_that_fits(elements, bytes_per_element)


def _text(detail: str | Callable[[pd.DataFrame], str], rows: pd.DataFrame) -> str:
    """Return the end of the line, after a comma; "" if there is nothing to say."""
    words = detail if isinstance(detail, str) else detail(rows)
    return f", {words}" if words else ""


def add_times(
    kernels: Sequence[Kernel | str],
    sizes: Sequence[int] = bench.ARTICLE_SIZES,
    dtype: str = "float32",
    *,
    method: str = "graph hot",
    block_size: int | None = None,
) -> pd.DataFrame:
    """Time add kernels on a GPU, else return the H200's recorded times; print which.

    kernels: from jit.load, and "torch.add"; each must have passed check.check. block_size None
    is the launcher's own. Columns as in data/runs.csv. Raises UnknownNameError for any other
    text, TypeError for anything else.
    """
    bench.require_method(method)
    if isinstance(kernels, str):
        raise UnknownNameError(f"{kernels!r} is not a list: give [kernel] or ['torch.add']")
    for kernel in kernels:
        if isinstance(kernel, str) and kernel != "torch.add":
            raise UnknownNameError(
                f"{kernel!r} is not a kernel: give what jit.load returned, or 'torch.add'"
            )
    if dtype not in ITEM_BYTES:
        raise UnknownNameError(f"no dtype {dtype!r}; there are {', '.join(ITEM_BYTES)}")
    for kernel in kernels:
        bench.launcher_block_size(kernel)  # raises TypeError for what is not a kernel

    def measure() -> pd.DataFrame:
        return store.frame(
            bench.sweep(kernels, sizes, dtype, method=method, block_size=block_size)
        )

    def load() -> pd.DataFrame:
        rows = store.load(gpu=RECORDED_GPU)
        rows = rows[rows.experiment.isin(["ladder", "block sweep"])]
        rows = rows[rows.elements.isin(sizes) & (rows.dtype == dtype) & (rows.method == method)]
        return pd.concat([_of(kernel, rows, block_size) for kernel in kernels]).reset_index(
            drop=True
        )

    return measured_or_recorded(measure, load, detail=method)


def _of(kernel: Kernel | str, rows: pd.DataFrame, block_size: int | None) -> pd.DataFrame:
    """Select a kernel's rows in the block size asked for, else in its launcher's own."""
    if isinstance(kernel, str):
        same_block = rows.block_size.isna()
        name = kernel
    else:
        same_block = rows.block_size == (block_size or bench.launcher_block_size(kernel))
        name = kernel.name
    own = rows[(rows.kernel == name) & same_block.fillna(False)]
    return own.drop_duplicates("elements", keep="last")


@checked
def empty_kernel(blocks: Count, block_size: Count) -> pd.DataFrame:
    """Time a kernel that only starts its blocks on a GPU, else return the H200's recorded time.

    One row, columns as in data/runs.csv; `elements` is the number of blocks.
    """

    def load() -> pd.DataFrame:
        rows = store.load("empty kernel", RECORDED_GPU)
        rows = rows[(rows.elements == blocks) & (rows.block_size == block_size)]
        return rows.reset_index(drop=True)

    return measured_or_recorded(
        lambda: store.frame([bench.measure_empty(blocks, block_size)]), load
    )
