"""Call what explains a wrong kernel, so that a fault of its own takes no verdict away."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from helpers import settings
from helpers.testing.patience import OutOfTime

T = TypeVar("T")


def explanation(
    diagnose: Callable[..., T | None], *args: object, **options: object
) -> T | None:
    """Return what a diagnosis says; None, too, if it raises an exception.

    That the kernel is wrong is known by then. A diagnosis that fails says nothing, and what
    stays are the plain facts; so, too, where no time is left. With ELEMENTWISE_STRICT=1, as in
    tests, any other exception is raised.
    """
    try:
        return diagnose(*args, **options)
    except OutOfTime:
        return None
    except Exception:  # of any class: the learner's question is not how the checker is made
        if settings.strict():
            raise
        return None
