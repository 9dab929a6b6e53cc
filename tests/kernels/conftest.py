"""Launch the course's own kernels in this process."""

import pytest


@pytest.fixture(autouse=True)
def without_forks(in_this_process):
    """Ask for it in every test of this folder."""
