"""Draw what a trace saw: a request's sectors or banks, the mask over time, heat by line."""

from __future__ import annotations

from collections.abc import Sequence

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import Rectangle
from matplotlib.ticker import MaxNLocator

from helpers.emulator.trace import Request, Step, Trace
from helpers.model.arguments import checked
from helpers.specs import LINE_BYTES, SECTOR_BYTES, WARP_SIZE

MASKED = "#f2f2f2"
DARK = "#222222"
BANKS = 32
WORD_BYTES = 4
SOURCE_LINES = 40  # in one picture
LABELS = 16  # of an axis, at most, so that they do not overlap


def _lane_colours() -> np.ndarray:
    return plt.get_cmap("viridis")(np.linspace(0.05, 0.95, WARP_SIZE))


def _active(request: Request) -> list[tuple[int, int]]:
    return [(i, a) for i, a in enumerate(request.addresses) if a is not None]


@checked
def request_sectors(axes: Axes, request: Request, title: str = "") -> Axes:
    """Draw a request's sectors as boxes of 32 bytes, each byte in the colour of its lane.

    request: a `Traffic.worst` or a `Step.request`. One row for each line of 128 bytes.
    """
    colours, active = _lane_colours(), _active(request)
    lines = sorted({a // LINE_BYTES for _, a in active})
    sectors = {a // SECTOR_BYTES for _, a in active}
    for sector in sectors:
        row, left = lines.index(sector * SECTOR_BYTES // LINE_BYTES), sector % 4 * SECTOR_BYTES
        axes.add_patch(Rectangle((left, row - 0.4), SECTOR_BYTES, 0.8, fc=MASKED, ec=DARK))
    for lane, address in active:
        row, left = lines.index(address // LINE_BYTES), address % LINE_BYTES
        width = request.bytes_per_lane
        axes.add_patch(Rectangle((left, row - 0.4), width, 0.8, fc=colours[lane], lw=0))
        if len(lines) <= 8 and width >= 4:
            axes.text(left + width / 2, row, str(lane), ha="center", va="center", fontsize=6,
                      color="white" if lane < 20 else DARK)  # fmt: skip
    asked = len({a for _, a in active}) * request.bytes_per_lane
    share = asked / (len(sectors) * SECTOR_BYTES)
    words = f"{len(active)} lanes, {len(sectors)} sectors, {share:.0%} of their bytes asked for"
    axes.set(xlim=(-1, LINE_BYTES + 1), ylim=(len(lines) - 0.4, -0.6))
    axes.set(xlabel="byte of the line", ylabel="line of 128 bytes")
    axes.set_xticks(range(0, LINE_BYTES + 1, SECTOR_BYTES))
    shown = range(0, len(lines), -(-len(lines) // LABELS))
    axes.set_yticks(shown, [f"+{lines[k] - lines[0]}" for k in shown])
    axes.grid(False)
    axes.set_title(f"{title}\n{words}" if title else words)
    return axes


@checked
def request_banks(axes: Axes, request: Request, title: str = "") -> Axes:
    """Draw which words a request wants of each bank of shared memory, stacked, by lane."""
    colours, words = _lane_colours(), {}
    for lane, address in _active(request):
        for k in range(-(-request.bytes_per_lane // WORD_BYTES)):
            words.setdefault(address // WORD_BYTES + k, lane)
    height = [0] * BANKS
    for word, lane in sorted(words.items()):
        bank = word % BANKS
        axes.add_patch(Rectangle((bank - 0.45, height[bank]), 0.9, 0.92, fc=colours[lane]))
        height[bank] += 1
    most = max(height, default=0)
    axes.set(xlim=(-0.7, BANKS - 0.3), ylim=(0, max(most, 1) * 1.05))
    axes.set(xlabel="bank", ylabel="different words wanted of it")
    axes.yaxis.set_major_locator(MaxNLocator(integer=True))
    axes.grid(False)
    what = f"{most} words in the fullest bank, {len(words)} in all"
    axes.set_title(f"{title}\n{what}" if title else what)
    return axes


@checked
def step_masks(axes: Axes, steps: Sequence[Step], title: str = "") -> Axes:
    """Draw the mask of a warp over its steps: a column for each, dark where a lane works."""
    grid = np.array([[s.mask >> lane & 1 for s in steps] for lane in range(WARP_SIZE)])
    axes.imshow(grid, aspect="auto", cmap="Greys", vmin=0, vmax=1.4, interpolation="nearest")
    shown: list[int] = []
    for k, step in enumerate(steps):
        begins = k == 0 or step.line != steps[k - 1].line
        if begins and (not shown or k - shown[-1] >= len(steps) / LABELS):
            shown.append(k)
    axes.set_xticks(shown, [str(steps[k].line.number) for k in shown], fontsize=7)
    axes.set(xlabel="line of the kernel, step by step", ylabel="lane")
    axes.grid(False)
    axes.set_title(title or f"{grid.mean():.0%} of the lanes take part in a step on average")
    return axes


@checked
def source_heat(axes: Axes, seen: Trace, text: str, file: str = "", first: int = 1) -> Axes:
    """Draw a kernel's source with, before each line, its sectors a request or its wavefronts.

    text: of the file that was traced. first: the first line to show; up to 40 are drawn.
    """
    lines = text.splitlines()[first - 1 : first - 1 + SOURCE_LINES]
    heat: dict[int, tuple[float, str]] = {}
    for one in seen.traffic:
        if file and one.line.file != file:
            continue
        is_shared = one.space == "shared"
        value = one.wavefronts / one.requests if is_shared else one.sectors_per_request
        words = f"{one.kind} {value:.3g} {'wf' if is_shared else 'sec'}"
        before = heat.get(one.line.number, (0.0, ""))
        heat[one.line.number] = (max(value, before[0]), f"{before[1]}  {words}".strip())
    longest = max((len(words) for _, words in heat.values()), default=0)
    margin = max(0.48, 0.02 * longest)
    colours = plt.get_cmap("YlOrRd")
    for row, line in enumerate(lines):
        number = first + row
        value, words = heat.get(number, (0.0, ""))
        if words:
            shade = colours(min(value, WARP_SIZE) / WARP_SIZE)
            axes.add_patch(Rectangle((0, row), margin, 1, fc=shade, lw=0))
            colour = "white" if value > 20 else DARK
            axes.text(0.01, row + 0.5, words, va="center", fontsize=6.5, color=colour)
        axes.text(margin + 0.02, row + 0.5, f"{number:3d}  {line}"[:110], va="center",
                  fontsize=6.5, family="monospace")  # fmt: skip
    axes.set(xlim=(0, margin + 1.42), ylim=(len(lines), 0))
    axes.axis("off")
    axes.set_title("sectors or wavefronts a request, by line", loc="left")
    return axes


@checked
def describe(seen: Trace) -> str:
    """Say in words what the pictures show: the text alternative."""
    return str(seen)
