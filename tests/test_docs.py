"""The pages for readers: links lead to files, and the glossary says where a word is taught."""

import json
import re

import pytest

from helpers import paths

PAGES = sorted(
    [*paths.ROOT.glob("*.md"), *paths.ROOT.glob("docs/*.md"), paths.DATA / "README.md"]
)
GLOSSARY = (paths.ROOT / "docs" / "glossary.md").read_text(encoding="utf-8")
ENTRY = re.compile(r"^- \*\*(.+?)\*\*: (.+)$", re.MULTILINE)
ENTRIES = dict(ENTRY.findall(GLOSSARY.replace("\n  ", " ")))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_to_files(page):
    links = re.findall(r"\]\((?!\w+:)([^)#\s]+)", page.read_text(encoding="utf-8"))
    assert [link for link in links if not (page.parent / link).exists()] == []


def test_the_glossary_is_in_order():
    assert len(ENTRIES) == GLOSSARY.count("\n- ") >= 40
    assert list(ENTRIES) == sorted(ENTRIES, key=lambda term: term.lower().replace("'", ""))


@pytest.mark.parametrize("term", ENTRIES)
def test_the_lessons_that_an_entry_names_use_its_word(term):
    lessons = re.findall(r"\[(\d\d)\]\(([^)]+)\)", ENTRIES[term])
    assert lessons
    for number, target in lessons:
        path = paths.ROOT / "docs" / target
        assert path.name.startswith(number)
        cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
        text = "\n".join("".join(cell["source"]) for cell in cells)
        assert term.lower() in text.lower()
