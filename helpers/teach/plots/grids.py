"""Draw the threads of a grid: which element each one has, and which have none."""

from __future__ import annotations

from collections.abc import Sequence

from matplotlib.axes import Axes
from matplotlib.patches import Patch, Rectangle

from helpers.model.arguments import checked
from helpers.teach.plots.warps import DARK, TINTS

GAP = 0.35  # between two blocks, in cells
MOST = 600  # threads that can still be told apart
IDLE = {"facecolor": "white", "edgecolor": "#999999", "hatch": "////", "linewidth": 0.6}
Size = int | Sequence[int]  # (y, x) of a matrix: rows, columns; (x, y) of a block


@checked
def grid(axes: Axes, elements: Size, block: Size) -> Axes:
    """Draw the threads of a grid as cells, tinted by block; threads without an element hatched.

    elements: their number, or (rows, columns) of a matrix. block: threads a block, or (x, y) of
    them. A cell holds the index of its thread's element. Raises ValueError for a size below 1
    and for more than 600 threads.
    """
    rows, columns = (1, elements) if isinstance(elements, int) else elements
    x, y = (block, 1) if isinstance(block, int) else block
    if min(rows, columns, x, y) < 1:
        raise ValueError("a grid has at least one element, a block at least one thread")
    across, down = -(-columns // x), -(-rows // y)
    threads = across * x * down * y
    if threads > MOST:
        raise ValueError(f"{threads:,} threads are too many to draw: at most {MOST}")
    for row in range(down * y):
        for column in range(across * x):
            number = row * columns + column if row < rows and column < columns else None
            _cell(
                axes,
                _place(column, x),
                _place(row, y),
                column // x + across * (row // y),
                number,
            )
    _axis(axes, across, x, down, y)
    of = f"{columns} elements" if rows == 1 else f"{rows} x {columns} elements"
    shape = f"{x} threads" if y == 1 else f"{x} x {y} threads"
    idle = threads - rows * columns
    blocks = f"{across * down} block{'s' * (across * down > 1)}"
    axes.set_title(f"{of}, {blocks} of {shape}: {idle} idle")
    return axes


@checked
def moves(axes: Axes, sources: Sequence[int], title: str = "") -> Axes:
    """Draw x = 0, 1, 2, ... above out, and an arrow from x[sources[i]] to each out[i]."""
    for i, source in enumerate(sources):
        _cell(axes, i, 0, 0, i)
        _cell(axes, i, 2, 1, source)
        axes.annotate(
            "",
            (i, 1.5),
            xytext=(source, 0.5),
            arrowprops={"arrowstyle": "->", "color": DARK, "shrinkA": 0, "shrinkB": 0},
        )
    _bare(axes, len(sources) - 0.4, 2.6)
    axes.set_yticks([0, 2], ["x", "out"])
    axes.set_title(title)
    return axes


def _place(index: int, size: int) -> float:
    """Return where a thread is drawn, in cells, with a gap between blocks."""
    return index + GAP * (index // size)


def _cell(axes: Axes, x: float, y: float, tint: int, number: int | None) -> None:
    look = {"facecolor": TINTS[tint % len(TINTS)], "edgecolor": DARK, "linewidth": 0.8}
    look = IDLE if number is None else look
    axes.add_patch(Rectangle((x - 0.5, y - 0.5), 1, 1, **look))
    if number is not None:
        axes.text(x, y, str(number), ha="center", va="center", fontsize=9)


def _axis(axes: Axes, across: int, x: int, down: int, y: int) -> None:
    """Name the threads along the axes, the blocks above and on the right."""
    _bare(axes, _place(across * x - 1, x) + 0.6, _place(down * y - 1, y) + 0.6)
    numbers = range(across * x)
    axes.set_xticks([_place(i, x) for i in numbers], [str(i % x) for i in numbers])
    axes.set_xlabel("threadIdx.x")
    words = {"fontsize": 9, "annotation_clip": False}
    for block in range(across):
        middle = (_place(block * x, x) + _place(block * x + x - 1, x)) / 2
        axes.annotate(f"blockIdx.x = {block}", (middle, -0.7), ha="center", **words)
    if y > 1:
        axes.set_yticks(
            [_place(i, y) for i in range(down * y)], [i % y for i in range(down * y)]
        )
        axes.set_ylabel("threadIdx.y")
        right = _place(across * x - 1, x) + 0.7
        for block in range(down):
            middle = (_place(block * y, y) + _place(block * y + y - 1, y)) / 2
            turned = {"rotation": 270, "va": "center", **words}
            axes.annotate(f"blockIdx.y = {block}", (right, middle), **turned)
    has, none = Patch(facecolor=TINTS[0], edgecolor=DARK), Patch(**IDLE)
    axes.legend(
        [has, none],
        ["a thread and its element", "a thread without one"],
        loc="upper center",
        bbox_to_anchor=(0.5, -0.45 if y == 1 else -0.12),
        ncols=2,
    )


def _bare(axes: Axes, right: float, bottom: float) -> None:
    """Show cells only: no frame, no grid lines, y running down."""
    axes.set(xlim=(-0.6, right), ylim=(bottom, -1.2))
    axes.set_aspect("equal")
    axes.grid(False)
    axes.set_xticks([])
    axes.set_yticks([])
    axes.spines[:].set_visible(False)
    axes.tick_params(length=0)
