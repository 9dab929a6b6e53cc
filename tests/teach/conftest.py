"""Pictures are drawn without a display and thrown away after each test."""

import matplotlib
import pytest

matplotlib.use("Agg")


@pytest.fixture(autouse=True)
def _no_pictures_left():
    import matplotlib.pyplot as plt

    yield
    plt.close("all")
    matplotlib.rcdefaults()
    matplotlib.use("Agg")
