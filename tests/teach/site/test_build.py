"""The pages as a browser gets them: those of one lesson in CI, all of them under stress."""

import functools
import re
import shutil
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

pytest.importorskip("myst_nb")

from bs4 import BeautifulSoup
from sphinx.errors import SphinxError

from helpers import paths
from helpers.teach import lessons, notebooks
from helpers.teach.site.build import build

# What makes a browser ask for something; links in a text are not asked for until clicked.
ASKED_FOR = {"script": "src", "link": "href", "img": "src", "iframe": "src", "source": "src"}
IN_STYLES = re.compile(r"""(?:url\(|@import)\s*["']?([^"')\s]+)""")
# What stands in a folded part that is not shown.
FOLDED = """[...document.querySelectorAll('article details > :not(summary)')]
    .filter(e => e.textContent.trim() && !e.checkVisibility()).map(e => e.textContent)"""
ADDRESS = re.compile(r"\w+:|//")


@pytest.fixture(scope="module")
def one(tmp_path_factory):
    """Build lesson 01 and its solutions. Returns the folder of the pages."""
    return build(paths.ROOT, tmp_path_factory.mktemp("site"), only=("01",)).parent


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """Build everything; a warning of Sphinx, such as a link that leads nowhere, is an error."""
    return build(paths.ROOT, tmp_path_factory.mktemp("site"), strict=True).parent


def read(page: Path) -> BeautifulSoup:
    return BeautifulSoup(page.read_text(encoding="utf-8"), "html.parser")


@functools.cache
def pages_of(site: Path) -> dict[Path, BeautifulSoup]:
    return {path: read(path) for path in site.rglob("*.html") if ".work" not in path.parts}


def foreign_requests(site: Path) -> list[str]:
    """List what a page or a style asks another server for."""
    asked = []
    for path, page in pages_of(site).items():
        for tag, attribute in ASKED_FOR.items():
            asked += [(path, tag[attribute]) for tag in page.find_all(tag, {attribute: True})]
        styles = "".join(str(tag) for tag in page.find_all("style"))
        asked += [(path, found) for found in IN_STYLES.findall(styles)]
    for path in (site / "_static").rglob("*.css"):
        styles = path.read_text(encoding="utf-8")
        asked += [(path, found) for found in IN_STYLES.findall(styles)]
    return [
        f"{path.name}: {found}"
        for path, found in asked
        if ADDRESS.match(found) and not found.startswith("data:")
    ]


def broken_links(site: Path) -> list[str]:
    """List links within the pages whose file or place on the page does not exist."""
    pages = pages_of(site)
    places = {
        path: {tag["id"] for tag in page.find_all(id=True)} for path, page in pages.items()
    }
    broken = []
    for path, page in pages.items():
        for link in page.find_all("a", href=True):
            parts = urlsplit(link["href"])
            if parts.scheme or parts.netloc:
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            place = unquote(parts.fragment)
            if not target.exists() or (place and place not in places.get(target, {place})):
                broken.append(f"{path.name}: {link['href']}")
    return broken


def pictures_without_text(site: Path) -> list[str]:
    return [
        f"{path.name}: {picture['src']}"
        for path, page in pages_of(site).items()
        for picture in page.find_all("img")
        if len(picture.get("alt", "")) < 15
    ]


def check(site: Path) -> None:
    """Refuse foreign requests, pictures without words, titles that several pages share."""
    assert foreign_requests(site) == []
    assert pictures_without_text(site) == []
    titles = [page.title.get_text(strip=True) for page in pages_of(site).values()]
    assert len(set(titles)) == len(titles)
    assert all("Elementwise to the Roof" in title for title in titles)


@pytest.mark.parametrize(
    ("text", "style", "found"),
    [
        ('<script src="https://a.org/x.js"></script>', "", "https://a.org/x.js"),
        ('<img src="//a.org/x.png">', "", "//a.org/x.png"),
        ('<link rel="stylesheet" href="http://a.org/x.css">', "", "http://a.org/x.css"),
        ("<style>@import 'https://a.org/x.css'</style>", "", "https://a.org/x.css"),
        ("", "a { src: url(https://a.org/x.woff) }", "https://a.org/x.woff"),
        ('<a href="https://a.org">', 'a { b: url("data:,x") }', None),
    ],
)
def test_a_foreign_request_is_found(tmp_path, text, style, found):
    (tmp_path / "_static").mkdir()
    (tmp_path / "_static" / "a.css").write_text(style)
    (tmp_path / "a.html").write_text(f'{text}<script src="_static/a.js"></script>')
    assert [line.split(": ")[1] for line in foreign_requests(tmp_path)] == [found] * bool(found)


def test_a_broken_link_and_a_picture_without_text_are_found(tmp_path):
    links = '<a href="b.html#c"></a><a href="#d"></a><a href="e%20f.csv"></a>'
    (tmp_path / "a.html").write_text(f'{links}<img src="x.png" alt="x"><i id="d"></i>')
    (tmp_path / "b.html").write_text("<i id='b'></i>")
    (tmp_path / "e f.csv").write_text("")
    assert broken_links(tmp_path) == ["a.html: b.html#c"]
    assert pictures_without_text(tmp_path) == ["a.html: x.png"]


def test_the_pages_of_a_lesson(one):
    check(one)
    of_other_lessons = re.compile(r".*: #\S*(?!01)\d\d_\w+\.ipynb")
    assert [link for link in broken_links(one) if not of_other_lessons.fullmatch(link)] == []
    names = {path.relative_to(one).as_posix() for path in pages_of(one)}
    assert {"index.html", "search.html", "docs/where_it_runs.html"} < names
    assert "notebooks/99_glossary.html" in names
    assert {"notebooks/01_v1_f32.html", "notebooks/solutions/01_v1_f32_solutions.html"} < names
    assert "notebooks/02_v2_f32x4.html" not in names


def test_a_lessons_page(one):
    page = read(one / "notebooks" / "01_v1_f32.html")
    lesson = lessons.read_lesson(paths.ROOT / "notebooks" / "01_v1_f32.ipynb")
    assert page.title.get_text().startswith(lesson.heading)
    assert (
        page.find(class_="outputs-of").get_text(strip=True).startswith("Outputs on this page")
    )
    solutions = page.find("a", string="solutions/01_v1_f32_solutions.ipynb")
    assert solutions["href"].endswith(".html")
    keywords = {tag.get_text() for tag in page.select(".highlight-cuda-cell .kr")}
    assert "__global__" in keywords
    assert {tag.get_text() for tag in page.select(".highlight-ipython3 .kn")} == {
        "from",
        "import",
    }
    assert "right in 94 cases" in page.get_text()


def test_the_contents_and_the_words_for_the_search(one):
    entries = [link.get_text() for link in read(one / "index.html").select(".sidebar-tree a")]
    assert entries[0].startswith("01 · V1")
    assert "Solutions" in entries
    assert "coalesc" in (one / "searchindex.js").read_text(encoding="utf-8")


def test_a_second_build_follows_a_change_and_a_removal(tmp_path):
    course = tmp_path / "course"
    (course / "notebooks").mkdir(parents=True)
    (course / "data").mkdir()
    (course / "data" / "a.csv").write_text("x\n1\n")
    (course / "README.md").write_text("# Course\n\nSee [the numbers](data/a.csv).\n")
    notebook = lessons.solutions_of(paths.ROOT / "notebooks" / "00_first_kernel.ipynb")
    for name in ("00_a", "01_b"):
        shutil.copy(notebook, course / "notebooks" / f"{name}.ipynb")
    site = tmp_path / "site"
    first = build(course, site)
    assert first == site / "index.html"
    (link,) = [a["href"] for a in read(first).select("a.download")]
    assert (site / link).read_text() == "x\n1\n"
    (course / "README.md").write_text("# Changed\n")
    (course / "notebooks" / "01_b.ipynb").unlink()
    assert "Changed" in read(build(course, site)).h1.get_text()
    assert not (site / ".work" / "source" / "notebooks" / "01_b.ipynb").exists()
    assert "01_b" not in first.read_text(encoding="utf-8")


def test_a_strict_build_refuses_a_link_that_leads_nowhere(tmp_path):
    course = tmp_path / "course"
    (course / "notebooks").mkdir(parents=True)
    (course / "README.md").write_text("# Course\n\nSee [nothing](nothing.md).\n")
    build(course, tmp_path / "kind")
    with pytest.raises(SphinxError, match=r"nothing\.md"):
        build(course, tmp_path / "strict", strict=True)


@pytest.mark.stress
def test_all_pages(whole):
    check(whole)
    assert broken_links(whole) == []
    names = {path.relative_to(whole).as_posix() for path in pages_of(whole)}
    for path in notebooks.find():
        assert path.relative_to(paths.ROOT).with_suffix(".html").as_posix() in names


@pytest.mark.stress
@pytest.mark.parametrize(
    ("width", "medium"), [(1440, "screen"), (400, "screen"), (700, "print")]
)
def test_no_page_scrolls_sideways_or_asks_for_anything(whole, width, medium):
    """On paper nothing scrolls either: no cell, table or picture is cut off, nothing folded."""
    playwright = pytest.importorskip("playwright.sync_api")
    browser_at = shutil.which("chromium") or pytest.skip("no chromium")
    places = ["document.documentElement", "document.querySelector('.content')"]
    if medium == "print":
        places += ["...document.querySelectorAll('article :is(pre, img, table)')"]
    script = f"[{', '.join(places)}].map(e => e.scrollWidth - e.clientWidth)"
    with playwright.sync_playwright() as started:
        browser = started.chromium.launch(executable_path=browser_at, args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": width, "height": 900})
        page.emulate_media(media=medium)
        said, asked, wide, hidden = [], [], [], []
        page.on("console", lambda message: said.append(message.text))
        page.on("request", lambda request: asked.append(request.url))
        for path in pages_of(whole):
            page.goto(path.as_uri())
            wide += [path.name] if max(page.evaluate(script)) > 0 else []
            if medium == "print":
                hidden += page.evaluate(FOLDED)
                assert not page.is_visible(".skip-to-content"), "it stands on every sheet"
        browser.close()
    assert hidden == []
    assert wide == said == []
    assert [url for url in asked if urlsplit(url).scheme not in ("file", "data")] == []


@pytest.mark.stress
@pytest.mark.parametrize(("language", "words"), [("en", "warps"), ("zh_CN", "核函数 kernel")])
def test_the_search_finds_a_lesson_without_a_server(tmp_path, language, words):
    playwright = pytest.importorskip("playwright.sync_api")
    browser_at = shutil.which("chromium") or pytest.skip("no chromium")
    first = build(paths.ROOT, tmp_path, only=("00", "12"), language=language)
    with playwright.sync_playwright() as started:
        browser = started.chromium.launch(executable_path=browser_at, args=["--no-sandbox"])
        page, said = browser.new_page(), []
        page.on("console", lambda message: said.append(message.text))
        page.goto(first.with_name("search.html").as_uri() + f"?q={words}")
        page.wait_for_selector("ul.search a")
        found = [link.get_attribute("href") for link in page.query_selector_all("ul.search a")]
        browser.close()
    lesson = "00_first_kernel" if language == "zh_CN" else "12_warps"
    assert any(lesson in address for address in found)
    assert said == []
