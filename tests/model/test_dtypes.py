"""Names and sizes of dtypes, as torch has them."""

import pytest
import torch

from helpers.model.dtypes import ITEM_BYTES, LAUNCHER_SUFFIX, dtype_name


@pytest.mark.parametrize("name", ITEM_BYTES)
def test_names_and_sizes_are_torchs(name):
    dtype = getattr(torch, name)
    assert dtype_name(dtype) == dtype_name(name) == name
    assert ITEM_BYTES[name] == dtype.itemsize


def test_launchers_of_one_file_end_differently():
    assert LAUNCHER_SUFFIX == {"float32": "", "float16": "_f16", "bfloat16": "_bf16"}
