"""Tables that set measurements beside predictions: the ladder's, and the README's. Rows in, DataFrames out."""

from __future__ import annotations

import pandas as pd

from helpers import ceilings, specs


def with_predictions(rows: pd.DataFrame, card: str | None = None, method: str = ceilings.GRAPH) -> pd.DataFrame:
    """Rows of adds (kernel, dtype, elements, block_size, method) with what the model predicts for each.

    card: whose constants to use, by name; by default those of each row's own gpu. method: "graph" or "wall clock".
    Adds predicted_us and ceiling. Raises KeyError for a card whose constants are not known.
    """
    predicted, names = [], []
    for row in rows.itertuples():
        block_size = getattr(row, "block_size", None)
        shape = ceilings.ladder_shape(row.kernel, row.dtype, None if pd.isna(block_size) else int(block_size))
        p = ceilings.predict(
            shape, int(row.elements), card or str(row.gpu), hot=row.method != "graph cold", method=method
        )
        predicted.append(p.time_us)
        names.append(p.ceiling)
    return rows.assign(predicted_us=predicted, ceiling=names)


def ladder_table(rows: pd.DataFrame, card: str | None = None) -> pd.DataFrame:
    """The ladder's table: kernel, dtype, elements, time, GB/s, per cent of the DRAM roof, predicted time, ceiling."""
    known = [name for name in rows.gpu.unique() if _has_constants(card or str(name))]
    rows = with_predictions(rows, card) if known else rows.assign(predicted_us=float("nan"), ceiling="")
    roof = {name: specs.gpu(str(name)).dram_GBps for name in rows.gpu.unique()}
    return pd.DataFrame(
        {
            "kernel": rows.kernel,
            "dtype": rows.dtype,
            "elements": rows.elements,
            "time (us)": rows.time_us.astype(float).round(2),
            "GB/s": rows.gb_per_s.astype(float).round(0).astype(int),
            "of roof": [f"{100 * row.gb_per_s / roof[row.gpu]:.0f}%" for row in rows.itertuples()],
            "predicted (us)": rows.predicted_us.astype(float).round(2),
            "ceiling": rows.ceiling,
        }
    )


def _has_constants(name: str) -> bool:
    try:
        ceilings.card(name)
    except KeyError:
        return False
    return True
