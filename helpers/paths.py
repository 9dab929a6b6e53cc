"""Find the course's folders: the package, the data, the kernels."""

from __future__ import annotations

from pathlib import Path

from helpers import settings

PACKAGE = Path(__file__).resolve().parent
ROOT = settings.root()
DATA = ROOT / "data"
KERNELS = ROOT / "kernels"
