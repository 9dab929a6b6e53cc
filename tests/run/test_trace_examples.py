"""The cells by which lessons look at a kernel with `trace`, and what each must print.

A lesson says `trace("v5_f16x8", ...)` or `trace(sums.sum_tree, ...)` of the kernel that its
reader has just written. Here all kernels come from one library, so that they are built once.
"""

from types import SimpleNamespace

import pytest
import torch

from helpers.run.trace import trace
from tests.measure.test_trace_compare import IN_CI, Traced

ARRAYS = """
a, b = torch.randn(2**14).half(), torch.randn(2**14).half()
out = torch.empty_like(a)
"""
EXAMPLES = {
    "05: the four loads of V5, one by one": (
        ARRAYS
        + """
seen = trace(v5.add, a, b, out, block_size=256)
print(seen.loads.sectors_per_request, "sectors a request")
print(f"{seen.loads.efficiency:.0%} of their bytes asked for")
""",
        "16.0 sectors a request\n25% of their bytes asked for\n",
    ),
    "06: one 16-byte load asks for every byte of its sectors": (
        ARRAYS
        + """
for version in v5, v6:
    loads = trace(version.add, a, b, out, block_size=256).loads
    print(loads.requests, loads.bytes_per_lane, f"{loads.efficiency:.0%}")
""",
        "512 4 25%\n128 16 100%\n",
    ),
    "09: the stride decides how many sectors a request touches": (
        """
x, y = torch.randn(32 * 1024), torch.empty(1024)
for stride in 1, 2, 4, 8, 32:
    seen = trace(patterns.strided, x[:stride * 1024].contiguous(), y)
    print(stride, seen.loads.sectors_per_request, seen.stores.sectors_per_request)
""",
        "1 4.0 4.0\n2 8.0 4.0\n4 16.0 4.0\n8 32.0 4.0\n32 32.0 4.0\n",
    ),
    "12: without __syncwarp a warp's lanes may be anywhere": (
        """
x, y = torch.randn(1000), torch.empty(1000)
for swap in warp_sync.swap_synced, warp_sync.swap_unsynced:
    seen = trace(swap, x, y)
    print(seen.uses("warp operation"), len(seen.faults) > 0)
""",
        "True False\nFalse True\n",
    ),
    "13: sorted data let the lanes of a warp agree": (
        """
mixed = torch.tensor([1.0, -1.0]).repeat(4096)
for x in mixed, mixed.sort().values:
    seen = trace(divergence.branch, x, torch.empty_like(x), steps=7)
    print(seen.divergent_branches, "of", len(x) // 32, "warps went two ways")
""",
        "256 of 256 warps went two ways\n0 of 256 warps went two ways\n",
    ),
    "14: four ways to add up a block's numbers": (
        """
x = torch.randn(2**13)
for name in "sum_one_thread", "sum_tree", "sum_shuffle", "sum_block":
    partials = torch.empty(32 if name == "sum_shuffle" else 4)
    seen = trace(getattr(sums, name), x, partials)
    barriers = sum(b.executed for b in seen.barriers if b.kind == "barrier")
    print(name, seen.shared_loads.requests, barriers, seen.uses("warp operation"))
""",
        "sum_one_thread 256 32 False\nsum_tree 100 288 False\n"
        "sum_shuffle 0 0 True\nsum_block 4 32 True\n",
    ),
    "16: one column more, and a tile has no bank conflict": (
        """
x, y = torch.randn(128, 64), torch.empty(64, 128)
for padding in 0, 1:
    seen = trace(banks.transpose, x, y, padding=padding)
    print(seen.shared_loads.wavefronts_per_request, seen.bank_conflicts)
for stride in 1, 4:  # 16-byte reads go by quarters of a warp
    seen = trace(widths.walk16, torch.randn(2048), torch.empty(2048), stride=stride)
    print(seen.shared_loads.wavefronts_per_request, seen.bank_conflicts)
""",
        "32.0 7936\n1.0 0\n4.0 0\n16.0 192\n",
    ),
}
NAMES = {
    **{"v5": "v5_f16x8", "v6": "v6_f16x8_pack", "patterns": "access_patterns"},
    **{"banks": "bank_conflicts", "widths": "shared_widths", "warp_sync": "warp_sync"},
    **{"divergence": "divergence", "sums": "sums"},
}


@pytest.fixture(scope="module")
def names(tmp_path_factory):
    """Return the names of the cells: each kernel with its launchers."""
    launchers = Traced(IN_CI, tmp_path_factory.mktemp("traced")).launchers
    kernels = {
        name: SimpleNamespace(
            **{
                key.removeprefix(f"{stem}__"): launcher
                for key, launcher in launchers.items()
                if key.startswith(f"{stem}__")
            }
        )
        for name, stem in NAMES.items()
    }
    return {"trace": trace, "torch": torch, **kernels}


@pytest.mark.parametrize("title", EXAMPLES)
def test_an_example_prints_what_the_lesson_says(title, names, capsys):
    code, printed = EXAMPLES[title]
    exec(compile(code, title, "exec"), dict(names))
    assert capsys.readouterr().out == printed
