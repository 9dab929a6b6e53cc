"""Call a launcher with its inputs in another order: are two of them, or two halves, swapped?"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import replace

import torch

from helpers.testing import races
from helpers.testing.cases import Case
from helpers.testing.experiment import NEXT_CASES, Experiment
from helpers.testing.mismatch import are_chosen
from helpers.testing.references import bits

Inputs = tuple[torch.Tensor, ...]
LATER = 4  # cases that an exchange must mend, too
MOST_LATER = 4 * NEXT_CASES


def diagnose(experiment: Experiment) -> str | None:
    """Name what must change places for the case to come out right, where no operator is known.

    Two inputs of one shape; in a matrix the halves of each row, or each two neighbours.
    """
    case = experiment.case
    if case.reference is not None or case.before:
        return None
    if _is_chosen(case):
        return None  # another order may only move it to where it counts
    names = [p.name for p in experiment.launcher.declaration.tensors if p.role == "input"]
    for words, inputs in _orders(case.inputs, names):
        if experiment.right(replace(case, inputs=inputs)) and _mends(experiment, words, names):
            return f"right if {words} change places: are they swapped?"
    return None


def _mends(experiment: Experiment, words: str, names: list[str]) -> bool:
    """Test whether the same exchange makes some cases right that are tried later and wrong.

    Of one number it may do so by chance: cases of more are looked for.
    """
    tried, alone, unlike = 0, 0, 0
    later = itertools.chain(experiment.tried, experiment.following)
    for case in itertools.islice(later, MOST_LATER):
        if not isinstance(case, Case) or not races.is_small(case):
            continue
        if (case.size == 1 and alone == LATER) or experiment.right(case):
            continue
        inputs = dict(_orders(case.inputs, names)).get(words)
        if not inputs:  # of unlike shapes, say
            unlike += 1
            continue
        if not experiment.right(replace(case, inputs=inputs)):
            return False
        tried, alone = tried + (case.size > 1), alone + (case.size == 1)
        if tried == LATER:
            break
    return tried + alone > 0 or not unlike or experiment.case.size > 1


def _is_chosen(case: Case) -> bool:
    """Test whether each result is one of many numbers, as a maximum is."""
    alone = len(case.inputs) == 1
    return alone and all(are_chosen(right, case.inputs[0]) for right in case.expected)


def _orders(inputs: Inputs, names: list[str]) -> Iterator[tuple[str, Inputs]]:
    """Yield inputs with two parts exchanged that differ, and the names of these."""
    for k, y in enumerate(inputs):
        for j, x in enumerate(inputs[:k]):
            if x.shape == y.shape and x.dtype is y.dtype and not torch.equal(bits(x), bits(y)):
                other = list(inputs)
                other[j], other[k] = y, x
                yield f"the inputs {names[j]} and {names[k]}", tuple(other)
    for k, x in enumerate(inputs):
        if x.dim() < 2 or x.shape[-1] % 2 or x.numel() == 0:
            continue
        own, n = bits(x), x.shape[-1]
        for words, made in (
            (f"the two halves of each row of {names[k]}", own.roll(n // 2, -1)),
            (
                f"each two neighbours in the rows of {names[k]}",
                own.reshape(-1, 2).flip(1).reshape(x.shape),
            ),
        ):
            if not torch.equal(made, own):
                yield words, (*inputs[:k], made.view(x.dtype), *inputs[k + 1 :])
