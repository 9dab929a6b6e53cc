"""Name the memory that statements of a block's threads access, and say when two may meet.

A shared array goes by its name, what a parameter or a variable of the file reaches by "of" and
its name. What stands in brackets behind it says that only one thread comes to an element.
"""

from __future__ import annotations

from dataclasses import dataclass, field

ANYWHERE, GLOBAL, OF = "*", "global", "of "
DYNAMIC = "dynamic"  # shared memory: several names may be of it
OWN = "[own]"  # the element at threadIdx.x


def of_thread(number: int) -> str:
    """Return what stands behind the name of what one thread alone accesses."""
    return f"[thread {number}]"


@dataclass
class Accesses:
    """Which memory that threads share is read and written: arrays by name, or all of a kind."""

    reads: set[str] = field(default_factory=set)
    writes: set[str] = field(default_factory=set)

    def add(self, other: Accesses) -> None:
        """Add what another one has."""
        self.reads |= other.reads
        self.writes |= other.writes

    def copy(self) -> Accesses:
        """Return the same as another object."""
        return Accesses(*map(set, self._both()))

    def shared(self) -> Accesses:
        """Return those of shared memory, or of any."""
        return Accesses(*({one for one in of if not is_outside(one)} for of in self._both()))

    def _both(self) -> tuple[set[str], set[str]]:
        return self.reads, self.writes

    def conflicts_with(self, other: Accesses) -> bool:
        """Say whether the order of the two matters if threads share memory.

        What two parameters point to, and the file's variables, are taken for several arrays.
        """
        return _meet(self.writes, other.reads | other.writes) or _meet(self.reads, other.writes)

    def conflicts_in_place(self, other: Accesses) -> bool:
        """Say the same for parameters that may point to the same array."""
        return self._as(_of_file).conflicts_with(other._as(_of_file))

    def conflicts_in_depth(self, other: Accesses) -> bool:
        """Say the same for a block in which several threads have the same threadIdx.x."""
        return self._as(_whole).conflicts_with(other._as(_whole))

    def _as(self, name) -> Accesses:
        return Accesses(*(set(map(name, of)) for of in self._both()))


def _of_file(where: str) -> str:
    return GLOBAL if is_outside(where) else where


def _whole(where: str) -> str:
    return where.partition("[")[0]


def is_outside(where: str) -> bool:
    """Say whether memory is what a parameter points to, or the file's."""
    return _whole(where) == GLOBAL or where.startswith(OF)


def _meet(ones: set[str], others: set[str]) -> bool:
    if ANYWHERE in ones | others:
        return bool(ones and others)
    if GLOBAL in ones | others and any(map(is_outside, ones)) and any(map(is_outside, others)):
        return True
    return any(
        _whole(one) == _whole(other) and not (one == other and one.endswith("]"))
        for one in ones
        for other in others
    )
