"""Executing, cleaning and verifying a notebook."""

import base64
import os
import signal
import time

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

from helpers.errors import UnknownNameError
from helpers.teach import notebooks

STAMP = "NVIDIA H200, driver 580.1, CUDA 13.0, torch 2.11.0, 2026-11-20, commit 0123abc"


def whole(*sources, tags=()):
    """Return a notebook as it is after a run."""
    cells = [new_markdown_cell("# A lesson")]
    for count, source in enumerate(sources, start=1):
        cells.append(
            new_code_cell(source, execution_count=count, metadata={"tags": list(tags)})
        )
    return new_notebook(cells=cells, metadata={"executed_on": STAMP})


def test_solutions_follow_their_lesson_and_the_glossary_is_left_out(tmp_path):
    for name in (
        "01_b.ipynb",
        "00_a.ipynb",
        "solutions/00_a_solutions.ipynb",
        "notes.txt",
        "99_glossary.ipynb",
    ):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch()
    for folder in (".ipynb_checkpoints", "mine"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "00_a.ipynb").touch()
    found = [path.relative_to(tmp_path).as_posix() for path in notebooks.find(tmp_path)]
    assert found == ["00_a.ipynb", "solutions/00_a_solutions.ipynb", "01_b.ipynb"]
    chosen = {
        words: [path.name for path in notebooks.choose(words, tmp_path)]
        for words in ((), ("00",), ("01", "00_a."))
    }
    assert chosen == {
        (): ["00_a.ipynb", "00_a_solutions.ipynb", "01_b.ipynb"],
        ("00",): ["00_a.ipynb", "00_a_solutions.ipynb"],
        ("01", "00_a."): ["00_a.ipynb", "01_b.ipynb"],
    }
    with pytest.raises(UnknownNameError, match="no notebook's name begins with '02'"):
        notebooks.choose(["01", "02"], tmp_path)


def test_the_digest_is_of_the_code_alone():
    one, other = whole("x = 1", "x"), whole("x = 1", "x")
    other.cells[0].source = "# Another title"
    other.cells[1].outputs = [new_output("stream", text="1")]
    assert notebooks.source_digest(one) == notebooks.source_digest(other)
    assert notebooks.source_digest(one) != notebooks.source_digest(whole("x = 1x"))
    assert notebooks.source_digest(one) != notebooks.source_digest(whole("x = 2", "x"))


def test_execute_runs_every_cell_in_the_notebooks_folder(tmp_path):
    notebook = new_notebook(
        cells=[new_code_cell("import os; print(os.getcwd())"), new_code_cell("6 * 7")]
    )
    calls = []
    assert notebooks.execute(notebook, tmp_path, lambda: calls.append(1)) is None
    first, second = notebook.cells
    assert (first.execution_count, second.execution_count) == (1, 2)
    assert first.outputs[0].text == f"{tmp_path}\n"
    assert second.outputs[0].data["text/plain"] == "42"
    assert len(calls) == 2
    assert "execution" not in first.metadata  # no timestamps


def test_execute_stops_at_an_error_and_says_which(tmp_path):
    notebook = new_notebook(cells=[new_code_cell("1 / 0"), new_code_cell("print('on')")])
    assert "ZeroDivisionError" in notebooks.execute(notebook, tmp_path)
    assert notebook.cells[1].execution_count is None


@pytest.mark.parametrize(
    ("number", "within_a_cell"), [(signal.SIGINT, True), (signal.SIGTERM, False)]
)
def test_a_signal_ends_the_execution_and_the_kernel(tmp_path, number, within_a_cell):
    send = f"import time; os.kill({os.getpid()}, {int(number)}); time.sleep(60)"
    write = "import os; print(os.getpid(), file=open('pid', 'w'), flush=True)"
    sources = [write, send if within_a_cell else "0", "1 / 0"]
    notebook = new_notebook(cells=list(map(new_code_cell, sources)))

    def on_cell():
        while not (tmp_path / "pid").is_file():
            time.sleep(0.01)
        if not within_a_cell:
            os.kill(os.getpid(), number)

    with pytest.raises(KeyboardInterrupt):
        notebooks.execute(notebook, tmp_path, on_cell)
    with pytest.raises(ProcessLookupError):
        os.kill(int((tmp_path / "pid").read_text()), 0)


def test_clean_drops_what_a_progress_bar_leaves():
    notebook = whole("x")
    cell = notebook.cells[1]
    texts = ("\r        \r", "a warning\n")
    cell.outputs = [new_output("stream", name="stderr", text=text) for text in texts]
    cell.outputs.append(new_output("stream", text="\n"))
    notebooks.clean(notebook)
    assert [one.text for one in cell.outputs] == ["a warning\n", "\n"]


def test_clean_keeps_tags_and_outputs_but_no_path_time_or_widget(tmp_path):
    notebook = whole("x", tags=["nbval-ignore-output"])
    notebook.metadata["widgets"] = {"state": 1}
    notebook.metadata["language_info"] = {"name": "python", "version": "3.12.3"}
    cell = notebook.cells[1]
    cell.metadata["execution"] = {"iopub.execute_input": "2026-11-20"}
    cell.outputs = [
        new_output("stream", text=f"see {tmp_path}/data/runs.csv\n"),
        new_output(
            "display_data",
            {
                "text/plain": f"'{tmp_path}/x'",
                "image/png": "aaaa",
                "application/vnd.jupyter.widget-view+json": {"model_id": "1"},
            },
        ),
    ]
    notebooks.clean(notebook, tmp_path)
    assert cell.metadata == {"tags": ["nbval-ignore-output"]}
    assert cell.outputs[0].text == "see data/runs.csv\n"
    assert cell.outputs[1].data == {"text/plain": "'x'", "image/png": "aaaa"}
    assert "widgets" not in notebook.metadata
    assert notebook.metadata["language_info"] == {"name": "python"}
    assert notebook.metadata["executed_on"] == STAMP
    nbformat.validate(notebook)


def test_a_notebook_after_a_run_has_no_problems():
    assert notebooks.problems(whole("x = 1", "%matplotlib inline")) == []


@pytest.mark.parametrize("counts", [(None, None), (2, 3), (1, 1), (2, 1)])
def test_cells_out_of_order_are_a_problem(counts):
    notebook = whole("x", "y")
    for cell, count in zip(notebook.cells[1:], counts, strict=True):
        cell.execution_count = count
    expected = "the cells were not executed once, from top to bottom"
    assert notebooks.problems(notebook) == [expected]


@pytest.mark.parametrize(
    "stamp", ["", "NVIDIA H200", "NVIDIA H200, torch 2.11.0", "torch 2.11.0, 2026-11-20"]
)
def test_a_machine_that_is_not_named_is_a_problem(stamp):
    notebook = whole("x")
    notebook.metadata["executed_on"] = stamp
    (words,) = notebooks.problems(notebook)
    assert words.endswith("which machine executed it, in executed_on")


def test_a_version_of_python_is_a_problem():
    notebook = whole("x")
    notebook.metadata["language_info"] = {"name": "python"}
    assert notebooks.problems(notebook) == []
    notebook.metadata["language_info"]["version"] = "3.12.3"
    (words,) = notebooks.problems(notebook)
    assert "a version of Python" in words


@pytest.mark.parametrize(
    ("source", "tags", "words"),
    [
        ("x = 1\n" * 30 + "x", [], "more than 30 lines"),
        ("x;", [], "semicolon"),
        ("x; \n", [], "semicolon"),
        ("# first\n%%writefile a.cu\n", [], "%% must begin the cell"),
        ("%%time\nx", [], "%% must begin the cell"),
        ("%%writefile a.cu\nint x", [], "tag nbval-ignore-output"),
        ("%%writefile a.cu\nint x", ["raises-exception"], "tag nbval-ignore-output"),
    ],
)
def test_sources_that_nbval_or_a_reader_stumbles_over(source, tags, words):
    notebook = whole("a", "b", source, "c", "d")
    notebook.cells[3].metadata["tags"] = tags
    (found,) = notebooks.problems(notebook)
    assert found.startswith("code cell 3: ")
    assert words in found


def test_sources_at_the_limits_are_no_problem():
    kernel = "%%writefile a.cu\n" + "// line\n" * 99
    assert notebooks.problems(whole("x = 1\n" * 29 + "x", "y", "z")) == []
    assert notebooks.problems(whole(kernel, tags=["nbval-ignore-output"])) == []
    assert notebooks.problems(whole("x = 1\n" * 6 + "x", "x = 1\n" * 6 + "x")) == []
    (words,) = notebooks.problems(whole("x = 1\n" * 7 + "x"))
    assert words == "half of the cells have more than 7 lines"


def test_the_output_of_a_widget_is_executed_too(tmp_path):
    cells = (
        "import ipywidgets as widgets",
        "from IPython.display import display",
        "x = widgets.IntSlider(3)",
        "display(widgets.interactive_output(lambda x: print(x), {'x': x}))",
    )
    notebook = new_notebook(cells=[new_code_cell("\n".join(cells)), new_code_cell("6 * 7")])
    assert notebooks.execute(notebook, tmp_path) is None
    printed, view = notebook.cells[0].outputs
    assert printed.text == "3\n"
    assert view.data["text/plain"] == "Output()"
    assert notebook.cells[1].outputs[0].data["text/plain"] == "42"
    assert "widgets" not in notebook.metadata


def test_an_error_of_nbclient_itself_is_told(tmp_path, monkeypatch):
    def fail(client, **_):
        raise KeyError("5bf2")

    monkeypatch.setattr(notebooks.NotebookClient, "execute", fail)
    notebook = new_notebook(cells=[new_code_cell("1")])
    assert notebooks.execute(notebook, tmp_path) == "nbclient failed: KeyError('5bf2')"


def png(size):
    return base64.b64encode(bytes(size)).decode()


@pytest.mark.parametrize(
    ("output", "words"),
    [
        (new_output("error", ename="ValueError", evalue="no"), "it failed: ValueError: no"),
        (new_output("stream", text="in /home/ada/course\n"), "names a path of the machine"),
        (
            new_output("execute_result", {"text/plain": "'/tmp/x'"}),
            "a path of the machine, /tmp/x",
        ),
        (
            new_output("display_data", {"text/html": f"<b>/{'root'}/x</b>"}),
            "a path of the machine",
        ),
        (new_output("stream", text="waiting to time on this GPU, ...\n"), "execute it alone"),
        (new_output("display_data", {"image/svg+xml": "<svg/>"}), "make it PNG"),
        (
            new_output("display_data", {"image/png": png(200_001)}),
            "200,001 bytes, more than 200,000",
        ),
    ],
)
def test_outputs_that_must_not_be_committed(output, words):
    notebook = whole("x")
    notebook.cells[1].outputs = [output]
    (found,) = notebooks.problems(notebook)
    assert found.startswith("code cell 1: ")
    assert words in found


@pytest.mark.parametrize(
    ("output", "tags"),
    [
        (new_output("error", ename="ValueError", evalue="no"), ["raises-exception"]),
        (new_output("display_data", {"image/png": png(200_000)}), []),
        (new_output("stream", text="1/tmp of kernels/x.cu in us/call\n"), []),
    ],
)
def test_outputs_that_may_be_committed(output, tags):
    notebook = whole("x", tags=tags)
    notebook.cells[1].outputs = [output]
    assert notebooks.problems(notebook) == []
