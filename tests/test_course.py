"""A lesson works in its own folder, whatever is installed and the working directory."""

import os
import shutil
import subprocess
import sys
from types import SimpleNamespace

import pytest
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError
from nbformat.v4 import new_code_cell, new_notebook

from helpers import course, paths
from helpers.errors import CourseError
from helpers.teach import lessons

RIGHT = (paths.KERNELS / "v1_f32.cu").read_text(encoding="utf-8")
WRONG = RIGHT.replace("a[i] + b[i]", "a[i] - b[i]")
FIRST = lessons.FIRST_CELL.format(folder="notebooks")
WRITE = f"%%writefile ../kernels/v1_f32.cu\n{WRONG}"
WHERE = (
    'from helpers import paths, sources; print(paths.PACKAGE, sources.source_path("v1_f32"))'
)


def make_course(folder, *parts):
    """Make a course's folder with one kernel and these parts of the real one."""
    for name in ("notebooks/solutions", "kernels/mine", "data"):
        (folder / name).mkdir(parents=True)
    (folder / "kernels" / "v1_f32.cu").write_text(RIGHT, encoding="utf-8")
    shutil.copy(paths.DATA / "gpus.csv", folder / "data")
    for part in parts:
        copy = shutil.copytree if (paths.ROOT / part).is_dir() else shutil.copy
        copy(paths.ROOT / part, folder / part)
    return folder


def run_cells(place, *sources):
    """Execute cells in a new kernel that starts in `place`; return what the last one printed.

    The course of these tests is installed there. Raises CellExecutionError.
    """
    notebook = new_notebook(cells=[new_code_cell(source) for source in sources])
    resources = {"metadata": {"path": str(place)}}
    NotebookClient(notebook, timeout=300, kernel_name="python3", resources=resources).execute()
    return "".join(output.get("text", "") for output in notebook.cells[-1].outputs).strip()


@pytest.fixture
def elsewhere(tmp_path):
    folder = tmp_path / "elsewhere"
    folder.mkdir()
    return folder


@pytest.mark.slow
def test_the_kernel_of_a_copy_is_the_one_that_is_judged(tmp_path):
    """Write `a - b` in a copy, as a lesson does, with the original installed."""
    copy = tmp_path / "copy"
    shutil.copytree(paths.ROOT / "data", copy / "data")
    without = shutil.ignore_patterns("emulator", "__pycache__")
    shutil.copytree(paths.PACKAGE, copy / "helpers", ignore=without)
    # As it is the same emulator, its headers are not compiled again.
    (copy / "helpers" / "emulator").symlink_to(paths.PACKAGE / "emulator")
    shutil.copytree(paths.ROOT / "kernels", copy / "kernels")
    (copy / "notebooks").mkdir()
    judge = 'from helpers import check, jit; print(check.verdict(jit.load("v1_f32")).ok)'
    assert run_cells(copy / "notebooks", FIRST, judge) == "True"
    assert run_cells(copy / "notebooks", FIRST, WRITE, judge) == "False"
    assert (paths.KERNELS / "v1_f32.cu").read_text(encoding="utf-8") == RIGHT


@pytest.mark.slow
@pytest.mark.parametrize(
    "place", [pytest.param("notebooks", marks=pytest.mark.stress), "notebooks/solutions", "."]
)
def test_a_lesson_uses_its_own_folder(tmp_path, place):
    folder = make_course(tmp_path / "another name", "helpers")
    said = run_cells(folder / place, FIRST, WRITE, WHERE)
    assert said == f"{folder / 'helpers'} {folder / 'kernels' / 'v1_f32.cu'}"
    assert "a[i] - b[i]" in (folder / "kernels" / "v1_f32.cu").read_text(encoding="utf-8")


@pytest.mark.slow
def test_a_solution_writes_into_its_own_folder(tmp_path):
    folder = make_course(tmp_path / "copy", "helpers")
    first = lessons.first_cell(folder / "notebooks" / "solutions" / "01.ipynb")
    run_cells(folder, first, "%%writefile ../../kernels/mine/answer.cu\n//")
    assert (folder / "kernels" / "mine" / "answer.cu").is_file()


@pytest.mark.slow
def test_elsewhere_the_file_that_vs_code_names_decides(tmp_path, elsewhere):
    folder = make_course(tmp_path / "copy", "helpers")
    named = f"__vsc_ipynb_file__ = {str(folder / 'notebooks' / '01_v1_f32.ipynb')!r}"
    said = run_cells(elsewhere, named, FIRST, WRITE, WHERE)
    assert said == f"{folder / 'helpers'} {folder / 'kernels' / 'v1_f32.cu'}"


@pytest.mark.slow
def test_elsewhere_a_lesson_stops_and_says_what_to_do(elsewhere):
    with pytest.raises(CellExecutionError, match="run %cd with the folder that this notebook"):
        run_cells(elsewhere, FIRST)


@pytest.mark.slow
def test_without_helpers_the_installed_ones_of_the_same_version_serve(tmp_path):
    folder = make_course(tmp_path / "copy", "pyproject.toml")
    said = run_cells(folder / "notebooks", FIRST, WRITE, WHERE)
    assert said == f"{paths.PACKAGE} {folder / 'kernels' / 'v1_f32.cu'}"


@pytest.mark.slow
def test_without_the_first_cell_no_other_folders_kernel_is_loaded(tmp_path):
    """As after a restart: the helpers are the installed ones, of another folder."""
    folder = make_course(tmp_path / "copy", "helpers")
    with pytest.raises(CellExecutionError, match="run the lesson's first cell"):
        run_cells(folder / "notebooks", WRITE, WHERE)


@pytest.mark.slow
def test_helpers_that_were_loaded_too_early_are_refused(tmp_path):
    folder = make_course(tmp_path / "copy", "helpers")
    early = "from helpers import specs"
    with pytest.raises(CellExecutionError, match="restart the kernel, then run this cell"):
        run_cells(folder / "notebooks", early, FIRST)


@pytest.mark.slow
def test_without_any_helpers_the_cell_says_what_to_do(elsewhere):
    """A clone that is not where the kernel is, as on Colab."""
    hide = "import sys; sys.path[:] = [p for p in sys.path if 'lib/python' in p]"
    hide += "; sys.meta_path[:] = [f for f in sys.meta_path if 'editable' not in str(f)]"
    with pytest.raises(CellExecutionError, match=r"Error\S*: run %cd with this notebook's"):
        run_cells(elsewhere, hide, FIRST)


@pytest.fixture
def here(monkeypatch):
    """Undo what `enter` does to this process."""
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.setenv("ELEMENTWISE_ROOT", "")
    monkeypatch.chdir(paths.ROOT)


@pytest.mark.parametrize("lessons_folder", ["notebooks", "notebooks/solutions"])
def test_enter(here, lessons_folder):
    sys.path[:0] = [".", "..", "../.."]
    course.enter(lessons_folder)
    assert os.getcwd() == str(paths.ROOT / lessons_folder)
    assert os.environ["ELEMENTWISE_ROOT"] == str(paths.ROOT)
    assert sys.path[0] == str(paths.ROOT) and not {".", "..", "../.."} & set(sys.path)


def test_enter_refuses_where_helpers_of_another_folder_are_at_work(here, tmp_path, monkeypatch):
    for part in ("helpers", "pyproject.toml"):
        folder = make_course(tmp_path / part, part)
        monkeypatch.chdir(folder)
        with pytest.raises(CourseError, match="restart the kernel, then run this cell first"):
            course.enter()


def test_the_nearest_course_counts(tmp_path):
    outer = make_course(tmp_path / "outer")
    inner = make_course(outer / "build" / "run")
    (tmp_path / "link").symlink_to(inner)
    assert course.enclosing(outer) == course.enclosing(outer / "kernels" / "mine") == outer
    assert course.enclosing(inner / "notebooks" / "solutions") == inner
    assert course.enclosing(tmp_path / "link" / "notebooks") == inner
    assert course.enclosing(tmp_path) is None
    for part in ("notebooks/solutions", "notebooks"):
        (inner / part).rmdir()
    assert course.enclosing(inner) == outer


@pytest.fixture
def notebook(monkeypatch):
    """Let this process be a notebook's kernel; VS Code may name its file."""
    shell = SimpleNamespace(user_ns={})
    monkeypatch.setattr(course, "_notebook", lambda: shell)
    return shell


def test_a_named_file_comes_before_the_working_directory(notebook, tmp_path, monkeypatch):
    one, two = make_course(tmp_path / "one"), make_course(tmp_path / "two")
    monkeypatch.chdir(one)
    assert course.find() == one
    notebook.user_ns["__vsc_ipynb_file__"] = str(two / "notebooks" / "01.ipynb")
    assert course.find() == two
    notebook.user_ns["__vsc_ipynb_file__"] = str(tmp_path / "01.ipynb")
    assert course.find() == one
    monkeypatch.chdir(tmp_path)
    with pytest.raises(CourseError, match=rf"working directory {tmp_path} is not in a folder"):
        course.find()


def test_only_a_notebooks_shell_counts(monkeypatch):
    class TerminalInteractiveShell:
        pass

    shell = TerminalInteractiveShell()
    ipython = SimpleNamespace(get_ipython=lambda: shell)
    monkeypatch.setitem(sys.modules, "IPython", ipython)
    assert course._notebook() is None
    shell = SimpleNamespace()
    assert course._notebook() is shell
    shell = None
    assert course._notebook() is None
    monkeypatch.delitem(sys.modules, "IPython")
    assert course._notebook() is None


def test_a_script_may_be_anywhere_but_in_another_course(tmp_path, monkeypatch):
    monkeypatch.setattr(course, "_notebook", lambda: None)
    one, two = make_course(tmp_path / "one"), make_course(tmp_path / "two")
    for place in (tmp_path, one, one / "kernels", one / "notebooks"):
        monkeypatch.chdir(place)
        course.check_place(one)
    monkeypatch.chdir(two / "kernels")
    with pytest.raises(
        CourseError, match=rf"kernels of {one} would .* {two}/kernels: cd {one}"
    ):
        course.check_place(one)


def test_a_notebook_must_be_where_its_cells_write(notebook, tmp_path, monkeypatch):
    one, two = make_course(tmp_path / "one"), make_course(tmp_path / "two")
    for place in (one / "notebooks", one / "notebooks" / "solutions", one / "kernels"):
        monkeypatch.chdir(place)
        course.check_place(one)
    (one / "notebooks" / "solutions" / "deeper").mkdir()
    for place in (tmp_path, one, one / "notebooks" / "solutions" / "deeper", two / "notebooks"):
        monkeypatch.chdir(place)
        with pytest.raises(CourseError, match="run the lesson's first cell"):
            course.check_place(one)


def test_the_version_of_lessons_without_helpers(tmp_path, monkeypatch):
    assert course.version(tmp_path) is None
    course_version = course.version(paths.ROOT)
    assert f'\nversion = "{course_version}"\n' in (paths.ROOT / "pyproject.toml").read_text()
    named = tmp_path / "pyproject.toml"
    with pytest.raises(CourseError, match="has no helpers/, its lessons are of an unknown"):
        course._check_version(tmp_path)
    named.write_text(f'name = "{course.DISTRIBUTION}"\nversion = "{course_version}"\n')
    course._check_version(tmp_path)
    named.write_text(f'name = "{course.DISTRIBUTION}"\nversion = "9.9.9"\n')
    with pytest.raises(CourseError, match=rf"are of 9\.9\.9, and .* are of {course_version}:"):
        course._check_version(tmp_path)
    monkeypatch.setattr(course, "PACKAGE", tmp_path / "nowhere" / "helpers")
    monkeypatch.setattr(course, "DISTRIBUTION", "there-is-no-such-package")
    with pytest.raises(CourseError, match=r"installed helpers are of an unknown version"):
        course._check_version(tmp_path)


def test_the_version_of_an_installed_package(tmp_path, monkeypatch):
    monkeypatch.setattr(course, "PACKAGE", tmp_path / "site-packages" / "helpers")
    monkeypatch.setattr(course.importlib.metadata, "version", lambda name: "9.9.9")
    (tmp_path / "pyproject.toml").write_text(
        f'[project]\nname = "{course.DISTRIBUTION}"\nversion = "9.9.9"\n'
    )
    course._check_version(tmp_path)


@pytest.fixture
def read_only(tmp_path, monkeypatch):
    """Make a course to be copied, and name the learner's folder."""
    folder = make_course(tmp_path / "shared", "pyproject.toml")
    refused = str(folder)
    able = os.access
    monkeypatch.setattr(
        os, "access", lambda p, m: not str(p).startswith(refused) and able(p, m)
    )
    monkeypatch.setenv("ELEMENTWISE_HOME", str(tmp_path / "mine"))
    return folder


def test_a_folder_or_a_file_that_cannot_be_written(tmp_path, monkeypatch):
    kernels = make_course(tmp_path / "one") / "kernels"
    assert course.can_be_written(kernels)
    for refused in (kernels, kernels / "v1_f32.cu", kernels / "mine"):
        monkeypatch.setattr(os, "access", lambda path, mode, no=refused: path != no)
        assert not course.can_be_written(kernels)


def test_what_cannot_be_written_is_copied(read_only, tmp_path, capsys):
    (read_only / "kernels" / "pack.cuh").write_text("//")
    home = course.learners_copy(read_only)
    assert home.parent == tmp_path / "mine" and home.name.startswith("shared-")
    said = capsys.readouterr().out
    assert said == f"{read_only} cannot be written: your kernels and builds go to {home}\n"
    assert (home / "kernels" / "v1_f32.cu").read_text(encoding="utf-8") == RIGHT
    assert (home / "kernels" / "pack.cuh").is_file() and (home / "kernels" / "mine").is_dir()
    assert (home / "data" / "gpus.csv").is_file() and course.enclosing(home) == home
    assert course.learners_copy(read_only) == home and capsys.readouterr().out == ""
    other = make_course(tmp_path / "again" / "shared")
    assert course.learners_copy(other).name not in ("shared", home.name)


def test_a_learners_kernel_is_kept_and_an_untouched_one_renewed(read_only):
    for name in ("touched", "untouched"):
        (read_only / "kernels" / f"{name}.cu").write_text("// one")
    kernels = course.learners_copy(read_only) / "kernels"
    (kernels / "touched.cu").write_text("// mine")
    (kernels / "v1_f32.cu").unlink()
    for name in ("touched", "untouched"):
        (read_only / "kernels" / f"{name}.cu").write_text("// two")
    course.learners_copy(read_only)
    assert (kernels / "touched.cu").read_text() == "// mine"
    assert (kernels / "untouched.cu").read_text() == "// two"
    assert (kernels / "v1_f32.cu").is_file()


def test_no_folder_of_the_learners_either(read_only, tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("ELEMENTWISE_HOME", str(tmp_path / "file"))
    with pytest.raises(CourseError, match=r"cannot be written, nor can .*ELEMENTWISE_HOME"):
        course.learners_copy(read_only)


@pytest.fixture
def powerless():
    """Return the beginning of a command that obeys the modes of files, run by root or not."""
    if os.geteuid() != 0:
        return []
    if not (setpriv := shutil.which("setpriv")):
        pytest.skip("root writes everywhere, and setpriv is not here to take that away")
    return [setpriv, "--bounding-set", "-dac_override,-dac_read_search", "--"]


@pytest.mark.slow
def test_a_lesson_in_a_folder_that_cannot_be_written(tmp_path, powerless):
    folder = make_course(tmp_path / "shared", "helpers")
    parts = [folder, *folder.rglob("*")]
    for part in parts:
        part.chmod(part.stat().st_mode & ~0o222)
    code = f"""{FIRST}
from pathlib import Path
from helpers import paths, settings, sources
Path("../kernels/v1_f32.cu").write_text("// mine")
print(Path.cwd(), sources.source_path("v1_f32").read_text(), settings.cache_path())
print(paths.PACKAGE, (paths.DATA / "gpus.csv").is_file())
"""
    done = subprocess.run(
        [*powerless, sys.executable, "-c", code],
        cwd=folder / "notebooks",
        env={"ELEMENTWISE_HOME": str(tmp_path / "home"), "PATH": os.environ["PATH"]},
        capture_output=True,
        text=True,
    )
    for part in parts:
        part.chmod(part.stat().st_mode | 0o200)
    assert done.returncode == 0, done.stderr
    told, used, read = done.stdout.splitlines()
    (mine,) = (tmp_path / "home").iterdir()
    assert told.endswith(f"your kernels and builds go to {mine}")
    assert used == f"{mine}/notebooks // mine {mine}/build/cache"
    assert read == f"{folder}/helpers True"
