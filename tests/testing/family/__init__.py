"""Hold kernels that the checker was not developed on: wrong ones, and right ones of odd form.

Each kernel is a right base with replacements. A wrong one names its cause, and CAUSES says with
which words a sentence claims a cause: the verdict must claim the true one, and no other.
"""

from __future__ import annotations

from tests.testing.family import (
    elementwise,
    fifth,
    fourth,
    fresh,
    matrices,
    sixth,
    third,
    whole,
)
from tests.testing.family.table import CAUSES, Base, Right, Wrong

PARTS = {
    "elementwise": elementwise,
    "whole": whole,
    "matrices": matrices,
    "fresh": fresh,
    "third": third,
    "fourth": fourth,
    "fifth": fifth,
    "sixth": sixth,
}
BASES: dict[str, Base] = {
    name: base for part in PARTS.values() for name, base in part.BASES.items()
}
WRONG: tuple[Wrong, ...] = tuple(wrong for part in PARTS.values() for wrong in part.WRONG)
RIGHT: tuple[Right, ...] = tuple(right for part in PARTS.values() for right in part.RIGHT)
MEMBERS: tuple[Wrong | Right, ...] = (*WRONG, *RIGHT)
# Not caught: a grid whose y is too short for very long matrices is refused, and the verdict
# says for which ones. `whole_array` tries no NaN, as fmaxf and torch.max differ there: the
# verdict says that, too.
OPEN = frozenset({"t_y_cannot", "p_n_in_y", "h_largest_by_float"})
# Caught, with a sentence that lacks the word that was asked for, and is true: a half on the way
# of bfloat16 is "rounded twice"; where the first thread changes what the others find, all
# elements but the first are off by a factor; a pack too many leaves a negative rest, whose
# launch is refused; toward zero the largest number stands in the place of infinity; a grid of
# half the blocks leaves out the last element of two blocks'.
UNCLEAR = frozenset(
    {
        "g_bf16_in_half",
        "h_second_call_halves",
        "i_quads_all_up",
        "i_to_half_toward_0",
        "i_stride_of_one_block",
    }
)
_PART = {m: name for name, part in PARTS.items() for m in (*part.WRONG, *part.RIGHT)}


def part_of(member: Wrong | Right) -> str:
    """Return the name of a member's part."""
    return _PART[member]


__all__ = [
    "BASES",
    "CAUSES",
    "MEMBERS",
    "OPEN",
    "PARTS",
    "RIGHT",
    "UNCLEAR",
    "WRONG",
    "Base",
    "Right",
    "Wrong",
    "part_of",
]
