"""The package's metadata: one list of dependencies, and every file that a helper needs."""

import re
import subprocess
from fnmatch import fnmatch

from helpers import paths

PYPROJECT = (paths.ROOT / "pyproject.toml").read_text(encoding="utf-8")


def listed(name: str) -> set[str]:
    """Return the packages of a list in pyproject.toml."""
    block = re.search(rf"^{name} = \[\n(.*?)^\]", PYPROJECT, flags=re.M | re.S)[1]
    return {found.lower() for found in re.findall(r'^ *"([\w-]+)', block, flags=re.M)}


def test_environment_yml_takes_the_same_list():
    text = (paths.ROOT / "environment.yml").read_text(encoding="utf-8")
    conda, pip = text.split("  - pip:\n")
    block = re.search(r"^dependencies = \[\n(.*?)^\]", PYPROJECT, flags=re.M | re.S)[1]
    named = re.findall(r'^ *"(.*)",$', block, flags=re.M)
    assert pip.splitlines() == [f"      - {name}" for name in [*named, "-e .[test,site]"]]
    six = {"jupyterlab", "torch", "ninja", "matplotlib", "pandas", "nbval"}
    assert six <= listed("dependencies")
    both = listed("dependencies") | listed("test")
    assert not both & set(re.findall(r"^\s*- ([\w-]+)", conda, flags=re.M))


def test_environment_yml_takes_the_same_pythons():
    text = (paths.ROOT / "environment.yml").read_text(encoding="utf-8")
    oldest = re.search(r'requires-python = ">=([\d.]+)"', PYPROJECT)[1]
    pins = (paths.ROOT / "constraints.txt").read_text(encoding="utf-8")
    newest = re.search(r"Python [\d.]+ to 3\.(\d+)", pins)[1]
    assert f"- python >={oldest},<3.{int(newest) + 1}\n" in text


JUPYTER = {"jupyter", "jupyterlab", "notebook", "ipykernel", "nbclient", "nbval"}
COURSE = re.compile(r"""["']?\.(\[[\w,]+\])?["']?""")  # "." or ".[site]", with its dependencies


def test_nothing_installs_ipykernel_7():
    """The range has one home; what else names packages has it, a pin within, or the course."""
    newest = re.search(r'^    "ipykernel>=[\d.]+,<(\d+)",$', PYPROJECT, flags=re.M)[1]
    pins = (paths.ROOT / "constraints.txt").read_text(encoding="utf-8")
    assert int(re.search(r"^ipykernel==(\d+)", pins, flags=re.M)[1]) < int(newest)
    kinds = ["*.md", "*.toml", "*.yml", "*.yaml", "*.json", "*.sh", "*.py", "*file"]
    command = ["git", "ls-files", *kinds, ".binder/*", ":!tests"]
    listed = subprocess.run(command, cwd=paths.ROOT, capture_output=True, text=True).stdout
    files = [paths.ROOT / name for name in listed.split()]
    assert len(files) > 100
    seen = 0
    for path in files:
        text = path.read_text(encoding="utf-8")
        assert {*re.findall(r"ipykernel[^\n\"]*?<(\d+)", text)} <= {newest}, path
        for line in re.findall(r"\b(?:pip|conda|mamba) install ([^`\n]*)", text):
            seen += 1
            words = line.partition("#")[0].split("&&")[0].split()
            packages = {re.match(r"[\"']?([\w-]*)", word)[1] for word in words}
            if packages & JUPYTER and not any(map(COURSE.fullmatch, words)):
                assert f"ipykernel<{newest}" in line, f"{path}: {line}"
    assert seen > 8
    for name in ("deploy/install.sh", ".binder/requirements.txt"):
        text = (paths.ROOT / name).read_text(encoding="utf-8")
        assert "-e" in text and "constraints.txt" in text, name


def test_torch_is_a_range_from_2_8_for_users():
    assert '"torch>=2.8"' in PYPROJECT


def test_an_installed_package_has_every_file_that_a_helper_reads():
    block = re.search(r"^\[tool\.setuptools\.package-data\]\n(.*?)^$", PYPROJECT, re.M | re.S)[
        1
    ]
    data = {
        package: re.findall(r'"(.*?)"', patterns)
        for package, patterns in re.findall(r'^"([\w.]+)" = \[(.*?)\]$', block, flags=re.M)
    }
    for path in paths.PACKAGE.rglob("*"):
        if path.is_file() and path.suffix != ".py" and path.parent.name != "__pycache__":
            homes = [home for home in path.parents if (home / "__init__.py").is_file()]
            package = ".".join(homes[0].relative_to(paths.PACKAGE.parent).parts)
            name = path.relative_to(homes[0]).as_posix()
            kept = any(fnmatch(name, pattern) for pattern in data.get(package, ()))
            assert kept, f"{package}: {name} is left out"


def test_the_citation_names_the_version_and_both_licences():
    text = (paths.ROOT / "CITATION.cff").read_text(encoding="utf-8")
    version = re.search(r'^version = "(.+)"$', PYPROJECT, flags=re.M)[1]
    assert f"\nversion: {version}\n" in text
    assert "- Apache-2.0\n  - CC-BY-4.0\n" in text
    assert (paths.ROOT / "LICENSE-TEXT").read_text().startswith("Attribution 4.0 International")
    assert "Apache License" in (paths.ROOT / "LICENSE").read_text(encoding="utf-8")
