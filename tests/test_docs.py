"""The pages for readers: links lead to files, and the glossary says where a word is taught."""

import json
import re

import pytest

from helpers import paths
from helpers.teach import notebooks

PAGES = sorted(
    [*paths.ROOT.glob("*.md"), *paths.ROOT.glob("docs/*.md"), paths.DATA / "README.md"]
)
FOLDER = paths.ROOT / "notebooks"


def prose(path):
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    return "\n".join("".join(c["source"]) for c in cells)


GLOSSARY = prose(FOLDER / notebooks.GLOSSARY)
ENTRIES = dict(re.findall(r"^- \*\*(.+?)\*\*: (.+)$", GLOSSARY, re.MULTILINE))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_to_files(page):
    links = re.findall(r"\]\((?!\w+:)([^)#\s]+)", page.read_text(encoding="utf-8"))
    assert [link for link in links if not (page.parent / link).exists()] == []


def test_the_glossary_is_in_order():
    assert len(ENTRIES) == GLOSSARY.count("\n- ") >= 60
    assert list(ENTRIES) == sorted(ENTRIES, key=lambda term: term.lower().replace("'", ""))


def test_the_glossary_has_text_only():
    cells = json.loads((FOLDER / notebooks.GLOSSARY).read_text(encoding="utf-8"))["cells"]
    assert {cell["cell_type"] for cell in cells} == {"markdown"}


@pytest.mark.parametrize("term", ENTRIES)
def test_the_lessons_that_an_entry_names_use_its_word(term):
    named = re.findall(r"\[(\d\d)\]\(([^)]+)\)", ENTRIES[term])
    assert named
    for number, target in named:
        path = FOLDER / target
        assert path.name.startswith(number)
        assert re.search(rf"(?<!\w){re.escape(term)}", prose(path), re.IGNORECASE)
