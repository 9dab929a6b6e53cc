"""What the emulator's tests build with, as every kernel of the course."""

import pytest

from helpers.run import build


@pytest.fixture(scope="session")
def headers():
    """Return the folder of headers and the emulator's own code, compiled once in the cache."""
    return build.precompiled_headers()
