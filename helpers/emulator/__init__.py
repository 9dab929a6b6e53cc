"""The CPU emulator: a .cu file, untouched, as a shared library that behaves as a GPU would."""

from helpers.emulator.compile import build, fingerprint

__all__ = ["build", "fingerprint", "guarded", "guarded_intact"]


def __getattr__(name: str):
    if name in ("guarded", "guarded_intact"):  # these need torch; building does not
        from helpers.emulator import guard

        return getattr(guard, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
