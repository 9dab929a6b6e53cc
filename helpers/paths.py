"""Find the course's folders: the package, the data, the kernels. Imports nothing of it."""

from __future__ import annotations

import os
from pathlib import Path

PACKAGE = Path(__file__).resolve().parent
ROOT = Path(os.environ.get("ELEMENTWISE_ROOT", PACKAGE.parent))
DATA = ROOT / "data"
KERNELS = ROOT / "kernels"
