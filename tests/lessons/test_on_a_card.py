"""Lessons on cards that are not here: each cell that looks at a card ends without an error."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import ROWS

PROGRAM = Path(__file__).with_name("on_a_card.py")


def run(*arguments):
    command = [sys.executable, str(PROGRAM), *arguments]
    environment = {**os.environ, "ELEMENTWISE_MACHINE": ""}
    return subprocess.run(command, capture_output=True, text=True, env=environment, check=False)


@pytest.mark.slow
@pytest.mark.stress
@pytest.mark.parametrize("card", ROWS)
def test_every_lesson_ends_without_an_error_on_every_card(card):
    done = run(card)
    assert done.returncode == 0, done.stdout + done.stderr[-2000:]
    assert done.stdout.startswith(f"{card}: 0 failed")


def test_an_unknown_card_is_an_error():
    done = run("NVIDIA Nobody", "00")
    assert done.returncode == 1 and "NVIDIA Nobody" in done.stderr
