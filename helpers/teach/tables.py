"""Tables that set measurements beside predictions: the ladder's, and the README's. Rows in, DataFrames out.

`python -m helpers.teach.tables` writes the README's results and its figures anew from data/.
"""

from __future__ import annotations

import re
import sys

import matplotlib.pyplot as plt
import pandas as pd

from helpers import paths, specs
from helpers.measure import store
from helpers.measure.libraries import comparison
from helpers.model import ceilings
from helpers.model.ladder import launch_shape
from helpers.teach import plots

README = paths.ROOT / "README.md"
FIGURES = paths.DATA / "figures"


def with_predictions(
    rows: pd.DataFrame, card: str | None = None, method: str = ceilings.GRAPH
) -> pd.DataFrame:
    """Rows of adds (kernel, dtype, elements, block_size, method) with what the model predicts for each.

    card: whose constants to use, by name; by default those of each row's own gpu. method: "graph" or "wall clock".
    Adds predicted_us and ceiling. Raises KeyError for a card whose constants are not known.
    """
    predicted, names = [], []
    for row in rows.itertuples():
        block_size = getattr(row, "block_size", None)
        shape = launch_shape(
            row.kernel, row.dtype, None if pd.isna(block_size) else int(block_size)
        )
        p = ceilings.predict(
            shape,
            int(row.elements),
            card or str(row.gpu),
            hot=row.method != "graph cold",
            method=method,
        )
        predicted.append(p.time_us)
        names.append(p.ceiling)
    return rows.assign(predicted_us=predicted, ceiling=names)


def ladder_table(rows: pd.DataFrame, card: str | None = None) -> pd.DataFrame:
    """The ladder's table: kernel, dtype, elements, time, GB/s, per cent of the DRAM roof, predicted time, ceiling."""
    known = [name for name in rows.gpu.unique() if _has_constants(card or str(name))]
    rows = (
        with_predictions(rows, card)
        if known
        else rows.assign(predicted_us=float("nan"), ceiling="")
    )
    roof = {name: specs.gpu(str(name)).dram_GBps for name in rows.gpu.unique()}
    return pd.DataFrame(
        {
            "kernel": rows.kernel,
            "dtype": rows.dtype,
            "elements": rows.elements,
            "time (us)": rows.time_us.astype(float).round(2),
            "GB/s": rows.gb_per_s.astype(float).round(0).astype(int),
            "of roof": [
                f"{100 * row.gb_per_s / roof[row.gpu]:.0f}%" for row in rows.itertuples()
            ],
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


def readme_results() -> str:
    """The README's results in Markdown: the ladder at 2^28 elements on the recorded card and on the article's."""
    ladder = store.load(experiment="ladder", gpu=store.RECORDED_GPU)
    hot = ladder[
        (ladder.method == "graph hot")
        & (ladder.elements == 1 << 28)
        & (ladder.dtype != "bfloat16")
    ]
    table = ladder_table(hot)
    sweep = store.load(experiment="block sweep", gpu=store.RECORDED_GPU)
    sweep = sweep[(sweep.elements == 1 << 28) & (sweep.block_size == 256)].set_index("kernel")
    article = store.article()
    article = article[article.elements == 1 << 28].set_index(["kernel", "dtype"])
    library = table[table.kernel == "torch.add"].set_index("dtype")["time (us)"]
    lines = [
        "| version | dtype | H200, the article's launch | of `torch.add` | ceiling met | H200, 256 threads a block "
        "| RTX 5090 (article) |",
        "|---|---|--:|--:|---|--:|--:|",
    ]
    for row in table.to_dict("records"):
        wide = (
            f"{sweep.gb_per_s[row['kernel']]:,.0f} GB/s" if row["kernel"] in sweep.index else ""
        )
        ratio = library[row["dtype"]] / row["time (us)"]
        printed = article.gb_per_s[row["kernel"], row["dtype"]]
        lines.append(
            f"| {row['kernel']} | {row['dtype']} | {row['GB/s']:,} GB/s ({row['of roof']} of DRAM) | {ratio:.2f} "
            f"| {row['ceiling']} | {wide} | {printed:,.0f} GB/s |"
        )
    made = hot.iloc[-1]
    lines += [
        "",
        f"C = A + B, 2^28 elements. H200: {made.gpu}, driver {made.driver}, CUDA {made.cuda}, torch {made.torch}, "
        f"{made.date}, CUDA-graph replays, `data/runs.csv`. RTX 5090: as the article printed them.",
    ]
    table = comparison.load(store.RECORDED_GPU)
    lines += [
        "",
        "The course's best addition and conversion against `torch`, `torch.compile`, Triton, CUB and CuPy, interleaved "
        "in one run, three runs, 2^20, 2^24 and 2^28 elements, float32, float16 and bfloat16, hot and cold (notebook "
        "18, `data/library_comparison.csv`):",
        "",
        *(f"- {line}" for line in comparison.summary(table).splitlines()),
    ]
    return "\n".join(lines)


def readme_figures() -> None:
    """The README's two plots, as PNG files in data/figures/."""
    FIGURES.mkdir(exist_ok=True)
    hot = store.load(experiment="ladder", gpu=store.RECORDED_GPU).query("method == 'graph hot'")
    axes = plots.new("C = A + B, 2^28 elements, as the article launches it", figsize=(8.4, 4))
    plots.bandwidth_bars(axes, hot[hot.dtype != "bfloat16"], store.article(), 1 << 28)
    axes.figure.savefig(FIGURES / "ladder.png", dpi=110)
    sweep = store.load(experiment="working set", gpu=store.RECORDED_GPU)
    card = specs.gpu(str(sweep.gpu.iloc[0]))
    axes = plots.new(f"Hot and cold on {card.name}", figsize=(8.4, 4))
    plots.working_set_sweep(axes, sweep, card.l2_bytes)
    axes.figure.savefig(FIGURES / "working_set.png", dpi=110)
    plt.close("all")


def main() -> int:
    text = README.read_text(encoding="utf-8")
    between = r"(<!-- results: .*? -->\n).*?(\n<!-- end of results -->)"
    new, found = re.subn(
        between, lambda match: match[1] + readme_results() + match[2], text, flags=re.S
    )
    if not found:
        print("README.md has no place for the results", file=sys.stderr)
        return 1
    README.write_text(new, encoding="utf-8")
    readme_figures()
    print(f"wrote the results of README.md and {FIGURES.relative_to(paths.ROOT)}/")
    return 0


if __name__ == "__main__":
    sys.exit(main())
