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


@pytest.mark.parametrize(
    ("arguments", "words"),
    [(["NVIDIA Nobody", "00"], "no card 'NVIDIA Nobody';"), (["00"], "name a card, or --all;")],
)
def test_an_unknown_card_is_refused_with_the_known_ones(arguments, words):
    done = run(*arguments)
    assert done.returncode == 2 and done.stdout == ""
    assert done.stderr.startswith(f"{words} tests/cards.csv has\n")
    assert [line.strip() for line in done.stderr.splitlines()[1:]] == list(ROWS)
