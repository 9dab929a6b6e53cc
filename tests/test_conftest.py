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
