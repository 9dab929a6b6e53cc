"""Keep the measured constants of a card on disk, for the same card, driver and clock.

A file lies beside the built kernels (`run.cache`). Its name is a hash of all that the
constants depend on; `python -m helpers.measure.kept_roofs` removes it, so that the next lesson
measures anew.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import sys
import uuid
from dataclasses import asdict
from pathlib import Path
from typing import TypeVar

from helpers import usage
from helpers.measure import store
from helpers.run import cache, machine

VERSION = 1  # of the way in which they are measured

Constants = TypeVar("Constants")


def path() -> Path:
    """Return the file of the present GPU's constants, which may not exist yet."""
    here = machine.present()
    facts = here.facts
    clocks = (facts.clock_khz, facts.memory_clock_khz) if facts else ()
    card = (here.name, here.cc, here.sm_count, here.l2_bytes, here.memory_bytes)
    what = repr((VERSION, card, here.driver, clocks, here.torch, here.cuda))
    name = hashlib.sha256(what.encode()).hexdigest()[:16]
    return cache.own() / "roofs" / f"{name}.json"


def save(constants: object) -> None:
    """Keep a dataclass of constants, if the folder can be written: whole or not at all."""
    target = path()
    aside = target.with_name(f".{target.name}.{uuid.uuid4().hex}")
    kept = {"day": store.today(), "constants": asdict(constants)}
    with contextlib.suppress(OSError):
        target.parent.mkdir(parents=True, exist_ok=True)
        aside.write_text(json.dumps(kept, indent=1), encoding="utf-8")
        os.replace(aside, target)


def load(kind: type[Constants]) -> tuple[Constants, str] | None:
    """Return the kept constants and the day of their measurement; None if there are none.

    A file that is damaged, or has not the fields of `kind`, counts as none.
    """
    try:
        kept = json.loads(path().read_text(encoding="utf-8"))
        fields = kept["constants"]
        rates = {int(threads): rate for threads, rate in fields["block_rate"].items()}
        return kind(**fields | {"block_rate": rates}), kept["day"]
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None


def forget() -> bool:
    """Remove the kept constants of the present GPU; tell whether there were some."""
    try:
        path().unlink()
    except FileNotFoundError:
        return False
    return True


def main() -> int:
    """Forget this GPU's constants."""
    there = forget()
    print("removed: the next lesson measures this GPU" if there else "nothing was kept")
    return 0


if __name__ == "__main__":
    usage.no_arguments(__doc__)
    sys.exit(main())
