"""Numbers in the text: found with their units, and looked for in what stands above."""

import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

from helpers.teach import prose_numbers
from helpers.teach.prose_numbers import quantities, unaccounted


def lesson(text, *outputs, code="1"):
    """Return a lesson of cells that print, and then a text."""
    cells = [new_code_cell(code, outputs=[new_output("stream", text=o)]) for o in outputs]
    return new_notebook(cells=[*cells, new_markdown_cell(text)])


def missing(text, *outputs, code="1"):
    return [words for _, words in unaccounted(lesson(text, *outputs, code=code))]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("It takes 916.6 us here", [(916.6, "us")]),
        ("4,363 GB/s, or 88% of it", [(4363, "GB/s"), (88, "%")]),
        ("a 32-byte sector; 16 bytes", [(32, "byte"), (16, "bytes")]),
        ("`v1_f32` at 2^28 elements, lesson 12, 3.1 and 2026-11-20", []),
        ("12 per cent", [(12, "per cent")]),
        ("2 to 3%", [(2, "%"), (3, "%")]),
        ("25% and 50% of it", [(25, "%"), (50, "%")]),
        ("1, 2 and 1,024 elements", [(1, "elements"), (2, "elements"), (1024, "elements")]),
        ("v3 and 16 warps, 5 us or 7 times", [(16, "warps"), (5, "us"), (7, "times")]),
        ("```\n12 us\n```\n13 us", [(13, "us")]),
        ("$10^9$ blocks", []),
    ],
)
def test_a_quantity_is_a_number_with_its_unit(text, found):
    assert [(one.value, one.unit) for one in quantities(text)] == found


@pytest.mark.parametrize(
    ("text", "output"),
    [
        ("It takes 916.6 us.", "took 916.62"),
        ("It takes 917 us.", "took 916.62"),
        ("It moves 4.36 TB/s.", "4,363.2 GB/s"),
        ("It reaches 84%.", "share 0.842"),
        ("It reaches 84 per cent.", "share 0.842"),
        ("It takes about 900 us.", "took 916.62"),
        ("There are 1,048,576 blocks.", "n = 1 << 20"),
        ("There are 1,048,576 blocks.", "n = 2**20"),
        ("A sector has 32 bytes; a warp has 32 lanes.", "nothing"),
        ("Its roof is 1,792 GB/s.", "nothing"),  # data/gpus.csv
        ("The chapter says 31.2%.", "nothing"),  # data/claims.csv
        ("An SM has 228 KB of it.", "nothing"),  # data/compute_capability.csv, in bytes
    ],
)
def test_what_stands_above_accounts_for_it(text, output):
    assert missing(text, output) == []


@pytest.mark.parametrize(
    ("text", "output", "words"),
    [
        ("It takes 918 us.", "took 916.62", "918 us"),
        ("It takes 917.6 us.", "took 916.62", "917.6 us"),
        ("It takes about 733 us.", "took 916.62", "about 733 us"),
        ("It is 6.1 times faster.", "4.2", "6.1 times"),
        ("It takes 37 warps.", "v3_f37", "37 warps"),  # a part of a name is no number
        ("It takes 37 warps.", "37,000 threads", "37 warps"),  # what is counted has no kilo
        ("It gains 13 to 15%.", "15", "13%"),
    ],
)
def test_another_number_does_not(monkeypatch, text, output, words):
    monkeypatch.setattr(prose_numbers, "facts", lambda: ())
    assert missing(text, output) == [words]


def test_a_cell_below_does_not():
    notebook = lesson("It takes 917.6 us.", "0")
    notebook.cells.append(new_code_cell("1", outputs=[new_output("stream", text="917.6")]))
    assert unaccounted(notebook) == [(1, "917.6 us")]


def test_the_code_above_does():
    assert missing("With 96 threads it ends.", "", code="block_size = 96") == []


def test_a_short_number_must_stand_near():
    assert missing("It gains 13 us.", "13") == []
    far = ["13", *["0"] * prose_numbers.NEAR]
    assert missing("It gains 13 us.", *far) == ["13 us"]
    assert missing("It gains 131 us.", "131", *far) == []
    far[0] = "13 us of 15"
    assert missing("It gains 13 us.", *far) == []
    assert missing("It gains 13 ns.", *far) == ["13 ns"]


@pytest.mark.parametrize("number", ["**01.2**", "**2.**", "### 2.", "**2.** A grid.\n"])
def test_what_an_exercise_gives_is_no_claim(number):
    text = f"{number} A kernel has 913 registers."
    assert missing(text, "0") == []
    assert missing(f"{text}\n\nAnother has 914 registers.", "0") == ["914 registers"]
    assert missing(f"**A remark.** It has 913 registers. {number}", "0") == ["913 registers"]


def test_an_exercise_that_is_only_named_is_none():
    assert missing("See 01.2: a kernel has 913 registers.", "0") == ["913 registers"]


def test_the_command_prints_and_counts(capsys, monkeypatch):
    monkeypatch.setattr(prose_numbers, "unaccounted", lambda notebook: [(7, "918 us")])
    assert prose_numbers.main(["01"]) == 1
    first, last = capsys.readouterr().out.splitlines()
    assert first.endswith("[7] 918 us") and last == "1 numbers without a source"
    monkeypatch.setattr(prose_numbers, "unaccounted", lambda notebook: [])
    assert prose_numbers.main(["01"]) == 0
