"""Write the course's public address wherever a page needs it; pyproject.toml names it, once.

Until it is named there, under [project.urls], pages say ADDRESS_OF_THE_COURSE, and no link is
made. `python -m helpers.teach.lessons` writes the pages anew.
"""

from __future__ import annotations

import re
from pathlib import Path

from helpers import paths

UNKNOWN = "ADDRESS_OF_THE_COURSE"
NAMED = re.compile(r'^\[project\.urls\]\n(?:.+\n)*?Repository = "(.*)"$', re.MULTILINE)
COURSE = re.compile(r'^(\s*COURSE ?= ?)".*"', re.MULTILINE)  # in Python and in a shell
LINK = re.compile(r"(<!-- colab: .*? -->\n).*?(<!-- end of colab -->)", re.DOTALL)
GITHUB = re.compile(r"https://github\.com/([\w.-]+/[\w.-]+?)(?:\.git)?/?")


def address(root: Path = paths.ROOT) -> str:
    """Return the course's public address, "" if pyproject.toml names none."""
    found = NAMED.search((root / "pyproject.toml").read_text(encoding="utf-8"))
    return found[1] if found else ""


def colab_link(address: str) -> str:
    """Return a line of Markdown that opens the first lesson on Colab, "" if that cannot be."""
    found = GITHUB.fullmatch(address)
    if not found:
        return ""
    page = f"https://colab.research.google.com/github/{found[1]}/blob/main/notebooks"
    return f"[Open the first lesson on Colab]({page}/00_first_kernel.ipynb)\n"


def with_address(text: str, address: str) -> str:
    """Put the address, or a word for it, into every line `COURSE = "..."`, and the link."""
    text = COURSE.sub(lambda match: f'{match[1]}"{address or UNKNOWN}"', text)
    return LINK.sub(lambda match: match[1] + colab_link(address) + match[2], text)
