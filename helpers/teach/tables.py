"""Set measurements beside predictions: the ladder's table, and the README's results.

`python -m helpers.teach.tables` writes the README's results and its figures anew from data/.
"""

from __future__ import annotations

import re
import sys

import matplotlib.pyplot as plt
import pandas as pd

from helpers import paths, specs, usage
from helpers.measure import roofs, store
from helpers.measure.libraries import comparison, report, standings
from helpers.measure.libraries import tables as operators
from helpers.model import cards, ceilings, ladder, launches
from helpers.model.ladder import launch_shape
from helpers.run import machine
from helpers.teach import plots

README = paths.ROOT / "README.md"
FIGURES = paths.DATA / "figures"
BLOCK = re.compile(r"(<!-- results: .*? -->\n).*?(\n<!-- end of results -->)", re.DOTALL)
LARGE = 1 << 28  # elements
HEADER = """\
| version | dtype | time (us) | GB/s (of DRAM) | of `torch.add` | ceiling met \
| GB/s, 256 threads a block | GB/s, RTX 5090 |
|---|---|--:|--:|--:|---|--:|--:|"""


def constants_of(gpu: str) -> ceilings.Card | None:
    """Return the constants of a card's ceilings: recorded, measured now, or estimated.

    gpu: the driver's name. Of the card that is present they are measured unless its constants
    are recorded, of another one estimated from its specification; None if that is not known.
    """
    here = machine.present()
    if here.is_gpu and gpu == here.name and here.spec.name not in cards.known_cards():
        return roofs.this_card()
    try:
        return ceilings.card(gpu)
    except KeyError:
        return None


def other_kernels(role: str = "held out") -> pd.DataFrame:
    """Return recorded times on the H200 of kernels beside the ladder, with the predicted ones.

    role: of data/held_out.csv, "held out" (no constant saw these rows) or "fit". Columns: file,
    kernel, dtype, elements, method, parameter, time_us, predicted_us, ceiling; off, the
    relative error of the prediction; has_fitted, whether any row of the same kernel is "fit",
    in another dtype or in the other file.
    """
    runs = store.RUNS.load(gpu=store.RECORDED_GPU, latest=False)
    runs = runs[runs.experiment.isin(["operators", "template steps"])].assign(file="runs.csv")
    libraries = store.LIBRARIES.load(gpu=store.RECORDED_GPU, latest=False)
    libraries = libraries.assign(
        file="library_comparison.csv",
        kernel=libraries.candidate + " " + libraries.operation,
        parameter=float("nan"),
    )
    columns = ["file", "kernel", "dtype", "elements", "method", "parameter", "time_us"]
    table = pd.concat([part[columns].astype(object) for part in (runs, libraries)])
    groups = pd.read_csv(paths.DATA / "held_out.csv")
    groups["has_fitted"] = _has_fitted(groups)
    table = table.merge(groups[groups.role == role], on=["file", "kernel", "dtype"])
    predictions = [
        ceilings.predict(
            launches.recorded_shape(
                row.kernel, row.dtype, None if pd.isna(row.parameter) else row.parameter
            ),
            int(row.elements),
            "H200 SXM",
            hot=row.method == "graph hot",
        )
        for row in table.itertuples()
    ]
    predicted = pd.Series([p.time_us for p in predictions])
    return table.assign(
        time_us=table.time_us.astype(float),
        predicted_us=predicted,
        ceiling=[p.ceiling for p in predictions],
        off=predicted / table.time_us.astype(float) - 1,
    )


def _has_fitted(groups: pd.DataFrame) -> pd.Series:
    """Say of each row of data/held_out.csv whether one of the same kernel has the role "fit".

    The template's operators have two names: "add" in runs.csv is "template add" elsewhere.
    """
    kernels = groups.kernel.str.removeprefix("template ")
    return kernels.isin(kernels[groups.role == "fit"])


def with_predictions(
    rows: pd.DataFrame, card: str | None = None, method: str = ceilings.GRAPH
) -> pd.DataFrame:
    """Add predicted_us and ceiling to rows of adds: what the model predicts for each.

    rows: kernel, dtype, elements, method, gpu, and block_size where it is not the article's.
    card: whose constants to use, by name; by default those of each row's own GPU, and nothing
    is predicted for a GPU whose constants are not known. method: "graph" or "wall clock".
    Raises KeyError if the constants of `card` are not known, TypeError if `rows` is no table.
    """
    if not isinstance(rows, pd.DataFrame):
        raise TypeError(
            f"rows is {type(rows).__name__}, not a table: give what store.load returns, or "
            "some of its rows (a pandas DataFrame)"
        )
    names = rows.gpu.unique() if card is None else ()
    own = {name: constants_of(str(name)) for name in names}

    def predicted(row) -> tuple[float, str]:
        constants = own[row.gpu] if card is None else ceilings.card(card)
        if constants is None:
            return float("nan"), ""
        block_size = getattr(row, "block_size", None)
        block_size = None if pd.isna(block_size) else int(block_size)
        shape = launch_shape(row.kernel, row.dtype, block_size)
        hot = row.method != "graph cold"
        p = ceilings.predict(shape, int(row.elements), constants, hot=hot, method=method)
        return p.time_us, p.ceiling

    times = [predicted(row) for row in rows.itertuples()]
    return rows.assign(
        predicted_us=[time for time, _ in times], ceiling=[name for _, name in times]
    )


def ladder_table(rows: pd.DataFrame) -> pd.DataFrame:
    """Make the ladder's table: time, GB/s, its share of the specified, predicted time, ceiling.

    rows: as for `with_predictions`, with time_us and gb_per_s.
    """
    rows = with_predictions(rows)
    roof = {name: roofs.specified_GBps(str(name)) for name in rows.gpu.unique()}
    return pd.DataFrame(
        {
            "kernel": rows.kernel,
            "dtype": rows.dtype,
            "elements": rows.elements,
            "time (us)": rows.time_us.astype(float).round(2),
            "GB/s": rows.gb_per_s.astype(float).round(0).astype(int),
            "of roof": [
                f"{100 * row.gb_per_s / roof[row.gpu]:.0f}%" if roof[row.gpu] else ""
                for row in rows.itertuples()
            ],
            "predicted (us)": rows.predicted_us.astype(float).round(2),
            "ceiling": rows.ceiling,
        }
    )


def readme_ladder(rows: pd.DataFrame, sweep: pd.DataFrame, article: pd.DataFrame) -> str:
    """Return the README's table of the ladder at one size, in Markdown.

    rows: the article's launches on the recorded card. sweep: the same kernels with 256 threads
    a block. article: the times that the article printed. The ratio is torch.add's time over the
    kernel's: above 1 the kernel is faster.
    """
    table = ladder_table(rows)
    library = table[table.kernel == "torch.add"].set_index("dtype")["time (us)"]
    wide = sweep.set_index("kernel").gb_per_s
    printed = article.set_index(["kernel", "dtype"]).gb_per_s.to_dict()
    lines = [HEADER]
    for row in table.to_dict("records"):
        kernel, dtype = row["kernel"], row["dtype"]
        ratio = library[dtype] / row["time (us)"]
        with_256 = f"{wide[kernel]:,.0f}" if kernel in wide.index else ""
        there = printed.get((kernel, dtype))  # the article has six versions
        on_5090 = "" if there is None else f"{there:,.0f}"
        lines.append(
            f"| {kernel} | {dtype} | {row['time (us)']:,.0f}"
            f" | {row['GB/s']:,} ({row['of roof']})"
            f" | {ratio:.2f} | {row['ceiling']} | {with_256} | {on_5090} |"
        )
    return "\n".join(lines)


def _recorded_ladder() -> pd.DataFrame:
    rows = store.load(experiment="ladder", gpu=store.RECORDED_GPU)
    return rows[(rows.method == "graph hot") & (rows.dtype != "bfloat16")]


def _on_other_cards() -> list[str]:
    """Return the standings on each recorded card but the first: a sentence and a list."""
    lines = []
    for card, cells in operators.COMPARISON.load().groupby("gpu", sort=False):
        if card != store.RECORDED_GPU:
            found = standings.sentences(standings.standings(cells))
            lines += [f"The same on an {card}, {cells.date.iloc[-1]}:", ""]
            lines += [*(f"- {line}" for line in found), ""]
    return lines


def readme_results() -> str:
    """Return the README's results in Markdown, from the records of data/."""
    rows = _recorded_ladder()
    rows = rows[rows.elements == LARGE]
    sweep = store.load(experiment="block sweep", gpu=store.RECORDED_GPU)
    sweep = sweep[(sweep.elements == LARGE) & (sweep.block_size == 256)]
    article = store.article()
    made = rows.iloc[-1]
    libraries = report.summary(comparison.load(store.RECORDED_GPU))
    cells = operators.COMPARISON.load(gpu=store.RECORDED_GPU)
    return "\n".join(
        [
            readme_ladder(rows, sweep, article[article.elements == LARGE]),
            "",
            f"C = A + B, 2^28 elements. H200: {made.gpu}, driver {made.driver}, "
            f"CUDA {made.cuda}, torch {made.torch}, {made.date}, CUDA-graph replays, "
            "`data/runs.csv`. RTX 5090: as the article printed them.",
            "",
            "Other elementwise operators by one rule (`kernels/fast.cuh`), against the fastest "
            "of PyTorch, `torch.compile`, Triton and CUB, interleaved; the cells were drawn "
            "before the tuning, and those that set the rule are not counted. The fastest "
            f"library's time over ours, on an {cells.gpu.iloc[-1]}, {cells.date.iloc[-1]} "
            "(notebook 18, `data/operator_comparison.csv`; those behind, by name: `python -m "
            "helpers.measure.libraries.standings`):",
            "",
            *(f"- {line}" for line in standings.sentences(standings.standings(cells))),
            "",
            *_on_other_cards(),
            "The course's best addition and conversion, which were tuned on such cells, "
            "against `torch`, `torch.compile`, Triton, CUB and CuPy, interleaved in one run, "
            "three runs, 2^20, 2^24 and 2^28 elements, float32, float16 and bfloat16, hot "
            "and cold (notebook 18, `data/library_comparison.csv`):",
            "",
            *(f"- {line}" for line in libraries.splitlines()),
        ]
    )


def with_results(text: str) -> str:
    """Put the results between the README's two comments. Raises ValueError without them."""
    if not BLOCK.search(text):
        raise ValueError("README.md has no <!-- results: ... --> for the results")
    results = readme_results()
    return BLOCK.sub(lambda match: match[1] + results + match[2], text)


def readme_figures() -> None:
    """Write the README's two plots, as PNG files in data/figures/."""
    FIGURES.mkdir(exist_ok=True)
    rows = _recorded_ladder()
    last = ladder.VERSIONS[-1].name
    axes = plots.ladder_rooflines(rows, last, cards.card(specs.gpu(store.RECORDED_GPU).name))
    axes[0].figure.savefig(FIGURES / "ladder.png", dpi=150)
    sweep = store.load(experiment="working set", gpu=store.RECORDED_GPU)
    card = specs.gpu(str(sweep.gpu.iloc[0]))
    axes = plots.new(f"Hot and cold on {card.name}", figsize=(8.4, 4))
    plots.working_set_sweep(axes, sweep, card.l2_bytes)
    axes.figure.savefig(FIGURES / "working_set.png", dpi=150)
    plt.close("all")


def main() -> int:
    """Write the README's results and figures anew."""
    README.write_text(with_results(README.read_text(encoding="utf-8")), encoding="utf-8")
    readme_figures()
    print(f"wrote the results of README.md and {FIGURES.relative_to(paths.ROOT)}/")
    return 0


if __name__ == "__main__":
    usage.no_arguments(__doc__)
    sys.exit(main())
