"""Triton's stand-in for the tests of this folder."""

from tests.stand_in_for_triton import fake_triton

__all__ = ["fake_triton"]
