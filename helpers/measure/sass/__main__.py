"""Run `python -m helpers.measure.sass`."""

import sys

from helpers.measure.sass import main

if __name__ == "__main__":
    sys.exit(main())
