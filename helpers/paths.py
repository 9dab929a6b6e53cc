"""The course's folders: where the data and the kernels lie. No imports from the course."""

from __future__ import annotations

import os
from pathlib import Path

PACKAGE = Path(__file__).resolve().parent
ROOT = Path(os.environ.get("ELEMENTWISE_ROOT", PACKAGE.parent))
DATA = ROOT / "data"
KERNELS = ROOT / "kernels"
