"""Guide and slides are built without a warning, and ask no server for anything."""

import re
from urllib.parse import urlsplit

import pytest

pytest.importorskip("sphinx_revealjs")

from helpers import paths
from tools.teacher import __main__ as command
from tools.teacher import reading

LOADED = re.compile(r'<(?:script|link|img)\b[^>]*?\b(?:src|href)="([^"]+)"')


def check(folder, names):
    for name in names:
        text = (folder / name).read_text(encoding="utf-8")
        for url in LOADED.findall(text):
            assert not urlsplit(url).netloc, f"{name}: {url}"
            if not url.startswith(("data:", "#")):
                assert (folder / url.split("?")[0].split("#")[0]).exists(), f"{name}: {url}"


@pytest.mark.slow
def test_guide_and_slides_of_a_lesson(lesson, tmp_path):
    taught = [lesson()]
    assert command.write_guide(taught, tmp_path / "out", strict=True).exists()
    folder = command.write_slides(taught, tmp_path / "out", strict=True)
    check(tmp_path / "out", ["index.html", "plans.html", "lesson_01.html"])
    check(folder, ["lesson_01.html"])
    slides = (folder / "lesson_01.html").read_text(encoding="utf-8")
    assert '<aside class="notes">' in slides and "slides.css" in slides
    for url in LOADED.findall(slides):
        if url.split("?")[0].endswith(".css"):
            text = (folder / url.split("?")[0]).read_text(encoding="utf-8")
            assert not re.findall(r"(?:@import|url\()\s*[\"']?https?:", text)


@pytest.mark.stress
def test_guide_and_slides_of_the_course(tmp_path):
    assert command.main(["--to", str(tmp_path)]) == 0
    taught = reading.read_all(paths.ROOT / "notebooks")
    names = [f"lesson_{lesson.number}.html" for lesson in taught]
    check(tmp_path, ["index.html", "plans.html", *names])
    check(tmp_path / "slides", names)
