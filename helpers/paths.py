"""Find the course's folders: the package, the data, the kernels."""

from __future__ import annotations

from pathlib import Path

from helpers import settings
from helpers.errors import pip_install

PACKAGE = Path(__file__).resolve().parent
ROOT = settings.root()
DATA = ROOT / "data"
KERNELS = ROOT / "kernels"

if not DATA.is_dir():
    raise FileNotFoundError(
        f"the course's data/ and kernels/ are not in {ROOT}: install it with "
        f"`{pip_install('-e .')}` in its folder, or set ELEMENTWISE_ROOT to that folder"
    )
