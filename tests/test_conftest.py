"""conftest: what it sets for every test."""

import random

import numpy as np
import pytest
import torch


@pytest.mark.parametrize("time", [1, 2])
def test_each_test_draws_from_the_beginning(time):
    assert random.random() == random.Random(0).random()
    assert np.random.rand() == np.random.RandomState(0).rand()
    assert torch.rand(()) == torch.rand((), generator=torch.Generator().manual_seed(0))


@pytest.fixture(scope="module")
def ran():
    return []


@pytest.mark.sample(3)
@pytest.mark.parametrize("number", range(7))
def test_of_a_sample_every_third_is_run(number, ran):
    ran.append(number)


def test_those_between_are_only_run_with_stress(ran, request):
    step = 1 if request.config.getoption("--stress") else 3
    assert ran == list(range(0, 7, step))
