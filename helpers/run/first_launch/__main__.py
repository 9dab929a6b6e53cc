"""Run the child program of a first launch: `python -m helpers.run.first_launch FOLDER TOOL EVERY`."""

import os
import sys
from pathlib import Path

from helpers.run.first_launch import _apart

if __name__ == "__main__":
    _apart(Path(sys.argv[1]), sys.argv[2], sys.argv[3] == "1")
    if sys.argv[2] == "native":
        os._exit(0)  # the driver cleans up faster than the runtime
