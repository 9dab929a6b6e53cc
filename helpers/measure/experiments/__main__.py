"""Run `python -m helpers.measure.experiments`."""

import sys

from helpers.measure.experiments import main

if __name__ == "__main__":
    sys.exit(main())
