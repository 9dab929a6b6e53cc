"""Charts of bandwidth: the data given are the data drawn, each machine's in its own look."""

import pandas as pd
import pytest

from helpers import specs
from helpers.teach import plots

pytestmark = pytest.mark.usefixtures("no_gpu")  # a card that is here has its own facts


def rows(gpu="NVIDIA H200", factor=1.0):
    return pd.DataFrame(
        [
            {
                "kernel": kernel,
                "dtype": "float16",
                "elements": elements,
                "gb_per_s": factor * speed,
                "gpu": gpu,
            }
            for kernel, speeds in (
                ("v4_f16x2", (2600.0, 2000.0)),
                ("torch.add", (4300.0, 3000.0)),
            )
            for elements, speed in zip((1 << 28, 1 << 20), speeds, strict=True)
        ]
    )


def texts(axes):
    return [text.get_text() for text in axes.texts]


def test_the_working_set_is_the_bytes_of_a_call():
    both = pd.concat(
        [
            rows().assign(method="graph hot", time_us=specs.MIB / 1e3),
            rows(factor=0.5).assign(method="graph cold", time_us=2 * specs.MIB / 1e3),
        ]
    )
    axes = plots.working_set_sweep(plots.new(), both, 60 * specs.MIB)
    hot, other, cold, _, l2 = axes.lines
    assert list(hot.get_xdata()) == list(hot.get_ydata()) == [2600, 2000]
    assert list(cold.get_xdata()) == [2600, 2000]
    assert list(cold.get_ydata()) == [1300, 1000]
    assert [line.get_linestyle() for line in (hot, other, cold)] == ["-", "-", "--"]
    assert list(l2.get_xdata()) == [60, 60]
    assert texts(axes) == ["L2: 60 MiB", "v4_f16x2", "torch.add"]
    roofed = plots.working_set_sweep(plots.new(), both, 60 * specs.MIB, 4800.0)
    assert list(roofed.lines[-1].get_ydata()) == [4800, 4800]
    assert "DRAM's roof: 4,800 GB/s" in texts(roofed)
    assert axes.get_xlabel() == "working set (MiB); solid: hot, dashed: cold"
    assert axes.get_ylabel() == "bandwidth (GB/s)"
    assert axes.get_xscale() == "log"
    assert axes.get_ylim()[0] == 0
