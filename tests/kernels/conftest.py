"""Launch kernels without a child process: the course's own are not expected to end this one."""

import pytest

from helpers.emulator import isolated


@pytest.fixture(autouse=True)
def in_this_process(monkeypatch):
    """Make first launches on guarded copies here: two forks a call take most of the time."""
    monkeypatch.setattr(isolated, "CAN_FORK", False)
