"""The operators as this machine has them; COMPILED: as compiled code without a GPU, too."""

import os

import pytest

from helpers.run import pytorch_ops

COMPILED = "TEST_COMPILED_PYTORCH_OPS"


@pytest.fixture(scope="session")
def ops():
    if os.environ.get(COMPILED):
        return pytorch_ops.trace_as_operators(pytorch_ops.build(None))
    return pytorch_ops.load()
