"""What `make lint` says of recorded and derived files."""

import shutil
import subprocess
import sys

from helpers import paths
from helpers.measure.sass import recorded
from helpers.teach import lessons
from tools import stale


def test_nothing_is_stale():
    assert stale.stale_listings() == [], f"run: {stale.RECORD}"
    assert stale.stale_pages() == [], f"run: {stale.DERIVE}"


def test_it_loads_no_torch():
    code = "import sys, tools.stale; sys.exit('torch' in sys.modules)"
    subprocess.run([sys.executable, "-c", code], cwd=paths.ROOT, check=True)


def test_a_changed_kernel_or_header_makes_its_listings_stale(monkeypatch, tmp_path, capsys):
    shutil.copytree(paths.KERNELS, tmp_path / "kernels")
    monkeypatch.setattr(paths, "KERNELS", tmp_path / "kernels")
    monkeypatch.setattr(lessons, "outdated", dict)
    assert stale.main() == 0 and capsys.readouterr().out == ""
    for name in ("cache_hints.cu", "fast.cuh"):
        with (tmp_path / "kernels" / name).open("a", encoding="utf-8") as file:
            file.write("\n// another line\n")
    (tmp_path / "kernels" / "divergence.cu").unlink()
    found = stale.stale_listings()
    kernels = {row.kernel for row in recorded.manifest() if row.file in found}
    assert {"cache_hints", "divergence", "fast_cast"} <= kernels
    assert not any(one.startswith("v1_f32.") for one in found)
    assert stale.main() == 1
    out = capsys.readouterr().out
    assert "cache_hints.sm_90.txt" in out and out.endswith(f"run: {stale.RECORD}\n")


def test_a_page_that_the_lessons_no_longer_make_is_stale(monkeypatch, capsys):
    monkeypatch.setattr(stale, "stale_listings", list)
    monkeypatch.setattr(lessons, "outdated", lambda: {paths.ROOT / "README.md": "new"})
    assert stale.main() == 1
    assert capsys.readouterr().out.endswith(f": README.md\nrun: {stale.DERIVE}\n")
