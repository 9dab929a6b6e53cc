"""Hold kernels that the checker was not developed on: wrong ones, and right ones of odd form.

Each kernel is a right base with replacements. A wrong one names its cause, and CAUSES says with
which words a sentence claims a cause: the verdict must claim the true one, and no other.
"""

from tests.testing.family import elementwise, matrices, whole
from tests.testing.family.table import CAUSES, Base, Right, Wrong

PARTS = (elementwise, whole, matrices)
BASES: dict[str, Base] = {name: base for part in PARTS for name, base in part.BASES.items()}
WRONG: tuple[Wrong, ...] = tuple(wrong for part in PARTS for wrong in part.WRONG)
RIGHT: tuple[Right, ...] = tuple(right for part in PARTS for right in part.RIGHT)

__all__ = ["BASES", "CAUSES", "RIGHT", "WRONG", "Base", "Right", "Wrong"]
