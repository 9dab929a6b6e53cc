"""The listings of data/sass/: complete, of today's files, each with a reader."""

import ast
import csv
import json
import os
import re
from dataclasses import replace

import pytest

from helpers import paths, sources
from helpers.errors import BuildError
from helpers.measure import trace_compare
from helpers.measure.sass import arch_name, recorded
from helpers.measure.sass.recorded import Row
from helpers.measure.sass.report import parse_report, report_text
from helpers.model import ladder

MANIFEST = recorded.manifest()
NOTEBOOKS = sorted((paths.ROOT / "notebooks").rglob("[0-9]*.ipynb"))
READERS = ("sass.read", "sass.load_width_counts", "sass.table")

each_row = pytest.mark.parametrize("row", MANIFEST, ids=lambda row: row.file)


def read(row: Row):
    return parse_report((recorded.FOLDER / row.file).read_text(encoding="utf-8"))


def strings(node: ast.expr, names: dict[str, set[str]]) -> set[str]:
    """List the strings an argument can be: constants, or what a loop's variable can be."""
    if ast.unparse(node) == "ladder.NAMES":
        return set(ladder.NAMES)
    found = [one.value for one in ast.walk(node) if isinstance(one, ast.Constant)]
    for one in ast.walk(node):
        found += names.get(one.id, ()) if isinstance(one, ast.Name) else ()
    return {one for one in found if isinstance(one, str)}


def reads_of(cell: str) -> set[tuple[str, str, str]]:
    """(kernel, arch, flags) of each listing that a cell reads by name."""
    nodes, names, found = list(ast.walk(ast.parse(cell))), {}, set()
    for node in nodes:
        if isinstance(node, ast.For | ast.comprehension):
            for variable in ast.walk(node.target):
                if isinstance(variable, ast.Name):
                    names.setdefault(variable.id, set()).update(strings(node.iter, names))
    for node in nodes:
        if isinstance(node, ast.Call) and ast.unparse(node.func) in READERS:
            kernels, archs = (strings(argument, names) for argument in node.args[:2])
            flags = {word.arg: ast.literal_eval(word.value) for word in node.keywords}
            words = " ".join(flags.get("flags", ()))
            found |= {(kernel, arch, words) for kernel in kernels for arch in archs}
    return {key for key in found if "/" not in key[0]}  # a learner's own file has no recording


def reads_by_lessons() -> dict[tuple[str, str, str], set[str]]:
    """{(kernel, arch, flags): the numbers of the notebooks that read this listing}."""
    found: dict[tuple[str, str, str], set[str]] = {}
    for path in NOTEBOOKS:
        for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
            text = "".join(cell["source"])
            if cell["cell_type"] == "code" and not text.startswith("%%"):
                for key in reads_of(text):
                    found.setdefault(key, set()).add(path.name[:2])
    return found


def test_cells_are_understood():
    cell = 'for k in ("a", "b"):\n    sass.read(k, "sm_90", flags=["-DX", "-DY"])'
    assert reads_of(cell) == {("a", "sm_90", "-DX -DY"), ("b", "sm_90", "-DX -DY")}
    assert reads_of('sass.read("../kernels/mine/x.cu", "sm_90")') == set()
    table = 'sass.table(ladder.NAMES, ["sm_90", "sm_120"])'
    assert len(reads_of(table)) == 2 * len(ladder.NAMES)


def test_every_listing_that_a_lesson_reads_is_in_the_manifest_with_that_lesson():
    kept = {row.key: set(row.lessons.split()) for row in MANIFEST if row.lessons}
    read = reads_by_lessons()
    missing = [
        f"python -m helpers.measure.sass record {kernel} --arch {arch} "
        + (f"--flags='{flags}' " if flags else "")
        + f"--lessons {' '.join(sorted(read[kernel, arch, flags]))}"
        for kernel, arch, flags in read
        if read[kernel, arch, flags] != kept.get((kernel, arch, flags))
    ]
    assert missing == [], "\n".join(["lessons read what is not recorded: run", *missing])
    assert set(kept) <= set(read), "data/sass/manifest.csv names lessons that read no listing"


def test_a_listing_that_no_lesson_reads_shows_why_the_trace_differs():
    reasons = " ".join(why for _, why in trace_compare.DIFFERENT.values())
    for row in MANIFEST:
        assert row.lessons or f"data/sass/{row.file}" in reasons, row.file


def test_every_listing_is_in_the_manifest():
    files = {path.name for path in recorded.FOLDER.iterdir()}
    assert files == {"manifest.csv", *(row.file for row in MANIFEST)}


@each_row
def test_listings_are_of_todays_files(row):
    """If this fails: python -m helpers.measure.sass record."""
    texts = sources.read_sources(paths.KERNELS / f"{row.kernel}.cu")
    assert row.source_sha256 == sources.digest(texts), f"{row.file} is of an older {row.kernel}"


@each_row
def test_the_manifest_says_what_the_listing_says(row):
    report = read(row)
    assert (report.file, report.arch) == (f"{row.kernel}.cu", row.arch)
    assert (" ".join(report.flags), report.source_hash) == (row.flags, row.source_sha256)
    assert (report.nvcc, report.nvdisasm) == (row.nvcc, row.nvdisasm)
    assert report.recorded == row.recorded
    assert arch_name(row.arch) == row.arch


@each_row
def test_listings_are_small_and_private(row):
    text = (recorded.FOLDER / row.file).read_text(encoding="utf-8")
    assert len(text) < 200_000
    assert not re.search(r"/(?:home|root|work|tmp)\b", text)
    assert report_text(parse_report(text)) == text


@pytest.fixture
def folder(monkeypatch, tmp_path):
    """Record into an empty folder, without a compiler."""
    example = read(MANIFEST[0])

    def compile_report(path, arch, flags=()):
        if path.stem == "v2_f32x4":
            raise BuildError("no nvcc")
        digest = sources.digest(sources.read_sources(path))
        return replace(
            example, file=path.name, arch=arch, flags=tuple(flags), source_hash=digest
        )

    monkeypatch.setattr(recorded, "FOLDER", tmp_path / "sass")
    monkeypatch.setattr(recorded, "compile_report", compile_report)
    return tmp_path / "sass"


def test_record_writes_listings_and_the_manifest(folder):
    assert recorded.manifest() == []
    files = recorded.record(["v1_f32"], ["9.0", "sm_120"], lessons=["12", "08"])
    assert files == [folder / "v1_f32.sm_90.txt", folder / "v1_f32.sm_120.txt"]
    flagged = recorded.record(["promises"], ["sm_90"], flags=["-DNDEBUG", "-DX=1"])
    assert flagged == [folder / "promises.-DNDEBUG.-DX=1.sm_90.txt"]
    rows = recorded.manifest()
    assert [(row.kernel, row.arch, row.flags, row.lessons) for row in rows] == [
        ("promises", "sm_90", "-DNDEBUG -DX=1", ""),
        ("v1_f32", "sm_120", "", "08 12"),
        ("v1_f32", "sm_90", "", "08 12"),
    ]
    assert sorted(os.listdir(folder)) == sorted(["manifest.csv", *(row.file for row in rows)])
    with (folder / "manifest.csv").open(encoding="utf-8") as file:
        assert next(csv.reader(file))[:4] == ["kernel", "arch", "flags", "lessons"]


def test_recording_again_keeps_the_lessons_and_renews_the_rest(folder):
    recorded.record(["v1_f32"], ["sm_90"], lessons=["08"])
    (row,) = recorded.manifest()
    old = replace(row, recorded="2020-01-01", nvcc="1.0", source_sha256="00")
    recorded._write_manifest([old])
    assert recorded.record_listings() == [folder / "v1_f32.sm_90.txt"]
    assert recorded.manifest() == [row]
    recorded._write_manifest([old])
    recorded.record(["v1_f32"], ["sm_90"])
    assert recorded.manifest() == [row]


def test_only_some_functions(folder):
    (listing,) = recorded.record(["v1_f32"], ["sm_90"])
    names = [one.name for one in parse_report(listing.read_text()).kernels]
    recorded.record(["v1_f32"], ["sm_90"], only=names[0])
    recorded.record_listings()
    assert [one.name for one in parse_report(listing.read_text()).kernels] == names[:1] != names
    assert [row.only for row in recorded.manifest()] == names[:1]
    with pytest.raises(BuildError, match=r"No function of v1_f32\.cu has 'nothing'"):
        recorded.record(["v1_f32"], ["sm_90"], only="nothing")


def test_a_listing_keeps_its_date_while_nothing_else_is_new(folder):
    (listing,) = recorded.record(["v1_f32"], ["sm_90"])
    (row,) = recorded.manifest()
    older = listing.read_text().replace(f"recorded: {row.recorded}", "recorded: 2020-01-01")
    listing.write_text(older)
    recorded._write_manifest([replace(row, recorded="2020-01-01")])
    recorded.record_listings()
    assert recorded.manifest() == [replace(row, recorded="2020-01-01")]
    assert listing.read_text() == older
    listing.write_text(older.replace(row.source_sha256, "00"))
    recorded.record_listings()
    assert recorded.manifest() == [row]


def test_a_failure_leaves_the_manifest_as_it_was(folder):
    recorded.record(["v1_f32"], ["sm_90"])
    before = (folder / "manifest.csv").read_text()
    with pytest.raises(BuildError):
        recorded.record(["v1_f32", "v2_f32x4"], ["sm_120"])
    assert (folder / "manifest.csv").read_text() == before


def test_read_recorded(folder, tmp_path):
    path = paths.KERNELS / "promises.cu"
    recorded.record([path], ["sm_90"], flags=["-DNDEBUG"])
    assert recorded.read_recorded(path, "sm_90", ["-DNDEBUG"]).recorded
    with pytest.raises(BuildError, match=r"no recorded listing of promises\.cu for sm_90"):
        recorded.read_recorded(path, "sm_90")
    with pytest.raises(BuildError, match="no recorded listing"):
        recorded.read_recorded(path, "sm_120", ["-DNDEBUG"])
    edited = tmp_path / "promises.cu"
    edited.write_text(path.read_text(encoding="utf-8") + "\n// edited\n", encoding="utf-8")
    with pytest.raises(BuildError, match=r"is of another version of promises\.cu"):
        recorded.read_recorded(edited, "sm_90", ["-DNDEBUG"])
