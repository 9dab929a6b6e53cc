"""Sectors, banks and the schedulers' cycles are drawn as the model has them."""

import numpy as np

from helpers.model import coalescing, scheduler, shared_memory
from helpers.teach import plots


def texts(axes):
    return [text.get_text() for text in axes.texts]


def test_a_sector_map_writes_the_bytes_of_every_lane_and_sector():
    addresses = [24 * lane for lane in range(32)]
    grid = coalescing.sector_grid(addresses, 8)
    axes = plots.sector_map(plots.new(), grid, "stride 24")
    cells = np.array(grid.cells)
    drawn = axes.images[0].get_array()
    assert np.array_equal(np.ma.filled(np.ma.masked_invalid(drawn), 0), cells)
    written = {text.get_position(): text.get_text() for text in axes.texts}
    for lane, column in zip(*np.nonzero(cells), strict=True):
        assert written[column, lane] == str(cells[lane, column])
    for column, used in enumerate(cells.sum(axis=0)):
        assert written[column, -1.1] == str(used)
    assert len(axes.texts) == np.count_nonzero(cells) + len(grid.sectors)
    names = [tick.get_text() for tick in axes.get_xticklabels()]
    assert names == [str(sector) for sector in grid.sectors]
    dark = [line.get_xdata()[0] + 0.5 for line in axes.lines if line.get_color() == "#222222"]
    lines = [sector // 4 for sector in grid.sectors]  # of 128 bytes
    first = [k for k in range(len(lines)) if k == 0 or lines[k] != lines[k - 1]]
    assert dark == [*first, len(lines)]
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("sector (32 bytes)", "lane")
    assert axes.get_title(loc="left") == "stride 24"
    assert axes.get_ylim() == (31.5, -2)  # lane 0 on top


def test_a_bank_map_outlines_its_column_and_counts_the_banks():
    banks = shared_memory.tile_banks(32)
    axes = plots.bank_map(plots.new(), banks, column=3, title="pitch 32: ")
    assert np.array_equal(axes.images[0].get_array(), banks)
    assert axes.images[0].get_clim() == (0, 31)
    (outline,) = axes.patches
    assert (outline.get_x(), outline.get_width(), outline.get_height()) == (2.5, 1, len(banks))
    assert axes.get_title(loc="left") == "pitch 32: column 3 lies in 1 bank"
    axes = plots.bank_map(plots.new(), shared_memory.tile_banks(33))
    assert axes.get_title(loc="left") == "column 0 lies in 32 banks"
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("column", "row")


def schedule():
    program = scheduler.Program(loads=1, latency=24, alu=3, iterations=4)
    return scheduler.simulate(8, program, schedulers=1)


def test_a_schedules_timeline_shows_the_states_of_its_first_cycles():
    run = schedule()
    axes = plots.schedule_timeline(plots.new(), run, cycles=30)
    assert np.array_equal(axes.images[0].get_array(), run.state[:, :30])
    assert axes.images[0].get_clim() == (0, 3)
    names = [text.get_text() for text in axes.get_legend().get_texts()]
    assert names == ["stalled", "ready", "issues"]
    colours = axes.images[0].cmap.colors
    patches = [patch.get_facecolor()[:3] for patch in axes.get_legend().get_patches()]
    from matplotlib.colors import to_rgb

    states = (scheduler.State.STALLED, scheduler.State.READY, scheduler.State.ISSUED)
    assert patches == [to_rgb(colours[state]) for state in states]
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("cycle", "warp")


def test_a_schedules_counts_are_stacked_means():
    run = schedule()
    axes = plots.schedule_counts(plots.new(), run, bin_cycles=4)
    bins = run.cycles // 4
    issued = run.count(scheduler.State.ISSUED)[: 4 * bins].reshape(bins, 4).mean(axis=1)
    top = axes.collections[0].get_paths()[0].vertices
    for k in range(bins - 1):  # the first area reaches from 0 to the warps that issue
        assert (top[np.isclose(top[:, 0], 4 * k)][:, 1] == issued[k]).any()
    labels = [area.get_label() for area in axes.collections]
    assert labels == ["issues", "ready", "stalled"]
    assert axes.get_ylim() == (0, 8)
    assert axes.get_xlim() == (0, 4 * (bins - 1))
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("cycle", "warps")
