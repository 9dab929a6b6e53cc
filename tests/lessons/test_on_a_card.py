"""Lessons on cards that are not here: each cell that looks at a card ends without an error."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = Path(__file__).with_name("on_a_card.py")
# One that lacks the most, one whose driver tells nothing, and a slice of a card.
CARDS = ["NVIDIA GeForce MX450", "NVIDIA Quiet", "NVIDIA H200 MIG 1g.18gb"]
# The lessons that measure, predict or draw by the card that is present.
LESSONS = ["01", "04", "07", "14", "15", "17", "18"]


def run(*arguments):
    command = [sys.executable, str(PROGRAM), *arguments]
    environment = {**os.environ, "ELEMENTWISE_MACHINE": ""}
    return subprocess.run(command, capture_output=True, text=True, env=environment, check=False)


@pytest.mark.stress
@pytest.mark.parametrize("card", CARDS)
def test_lessons_end_without_an_error(card):
    done = run(card, *LESSONS)
    assert done.returncode == 0, done.stdout + done.stderr[-2000:]
    assert done.stdout.startswith(f"{card}: 0 failed")


@pytest.mark.slow
@pytest.mark.stress
def test_every_lesson_ends_without_an_error_on_every_card():
    done = run("--all")
    assert done.returncode == 0, done.stdout + done.stderr[-2000:]


def test_an_unknown_card_is_an_error():
    done = run("NVIDIA Nobody", "00")
    assert done.returncode == 1 and "NVIDIA Nobody" in done.stderr
