"""toolchain: nvcc, the C++ compiler and the CUDA tools, in folders that are made up."""

import stat
from pathlib import Path

import pytest

from helpers.run import toolchain
from helpers.run.toolchain import Compiler, Nvcc, Tool, find_tool


def program(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("#!/bin/sh\n" + text)
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return path


def toolkit(folder, version="13.0", wrapper=None):
    """Make a CUDA toolkit whose nvcc knows its version and its folder."""
    nvcc = program(
        folder / "bin" / "nvcc",
        f'case "$*" in *dryrun*) echo "#$ _HERE_={folder}/bin" >&2;;\n'
        f'*) echo "Cuda compilation tools, release {version}, V{version}.1";; esac\n',
    )
    if wrapper:
        program(wrapper / "nvcc", f'exec "{nvcc}" "$@"\n')
    return folder


# ---- running a program -------------------------------------------------------------------


def test_what_a_program_says(tmp_path):
    assert toolchain.ask("sh", "-c", "echo out; echo err >&2") == "out\nerr\n"
    assert toolchain.ask("echo", "$HOME *") == "$HOME *\n"  # no shell between
    assert toolchain.ask("sh", "-c", "echo out; exit 1") == ""
    assert toolchain.ask("/no/such/program") == ""
    assert toolchain.ask("sleep", "60", timeout=0.05) == ""
    assert toolchain.ask("printf", r"\377") == "\N{REPLACEMENT CHARACTER}"


def test_what_a_failing_command_complains_of():
    said = "echo; echo ' no driver '; echo more; exit 9"
    assert toolchain.complaint("sh", "-c", said) == "no driver"
    assert toolchain.complaint("sh", "-c", "echo fine") == ""
    assert toolchain.complaint("/no/such/program") == ""


# ---- nvcc --------------------------------------------------------------------------------


@pytest.fixture
def find_nvcc(monkeypatch):
    for name in ("CUDA_HOME", "CUDA_PATH"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    monkeypatch.setattr(toolchain.sys, "path", [])
    return toolchain.find_nvcc.__wrapped__


def test_nvcc_of_cuda_home_then_path(find_nvcc, tmp_path, monkeypatch):
    one = toolkit(tmp_path / "one ü", "12.8")
    two = toolkit(tmp_path / "two", "13.1", tmp_path / "wrapper")
    monkeypatch.setenv("PATH", f"{tmp_path / 'wrapper'}:/usr/bin:/bin")
    monkeypatch.setenv("CUDA_PATH", str(one))
    assert find_nvcc() == Nvcc(one, "12.8", "CUDA_PATH")
    monkeypatch.setenv("CUDA_HOME", str(two))
    assert find_nvcc() == Nvcc(two, "13.1", "CUDA_HOME")
    monkeypatch.setenv("CUDA_HOME", str(tmp_path / "nowhere"))  # a wrong one is passed over
    monkeypatch.delenv("CUDA_PATH")
    assert find_nvcc() == Nvcc(two, "13.1", "PATH")  # the toolkit, not the wrapper's folder
    assert find_nvcc().path == two / "bin" / "nvcc"


def test_nvcc_on_path_that_knows_no_dry_run(find_nvcc, tmp_path, monkeypatch):
    program(tmp_path / "kit" / "bin" / "nvcc", 'echo "release 12.9, V12.9.1"\n')
    (tmp_path / "links").mkdir()
    (tmp_path / "links" / "nvcc").symlink_to(tmp_path / "kit" / "bin" / "nvcc")
    monkeypatch.setenv("PATH", f"{tmp_path / 'links'}:/usr/bin:/bin")
    assert find_nvcc() == Nvcc(tmp_path / "kit", "12.9", "PATH")


def test_nvcc_of_pypi(find_nvcc, tmp_path, monkeypatch):
    home = toolkit(tmp_path / "nvidia" / "cu13", "13.0")
    monkeypatch.setattr(toolchain.sys, "path", [str(tmp_path)])
    if not Path("/usr/local/cuda").exists():
        assert find_nvcc() == Nvcc(home, "13.0", "PyPI package")
    assert (home, "PyPI package") in list(toolchain._toolkits())


def test_where_toolkits_are_looked_for(find_nvcc, tmp_path, monkeypatch):
    """An empty entry of Python's path is the current folder."""
    for folder in (
        "here/nvidia/cu12",
        "here/nvidia/cu13",
        "here/nvidia/cudnn",
        "site/nvidia/cu13",
    ):
        (tmp_path / folder).mkdir(parents=True)
    monkeypatch.chdir(tmp_path / "here")
    monkeypatch.setattr(toolchain.sys, "path", ["", str(tmp_path / "site")])
    monkeypatch.setattr(toolchain.shutil, "which", lambda name: None)
    monkeypatch.setenv("CUDA_PATH", "/b")
    monkeypatch.setenv("CUDA_HOME", "/a")
    assert list(toolchain._toolkits()) == [
        (Path("/a"), "CUDA_HOME"),
        (Path("/b"), "CUDA_PATH"),
        (Path("/usr/local/cuda"), "/usr/local/cuda"),
        (Path("nvidia/cu12"), "PyPI package"),
        (Path("nvidia/cu13"), "PyPI package"),
        (tmp_path / "site" / "nvidia" / "cu13", "PyPI package"),
    ]


def test_an_nvcc_that_fails_is_none(find_nvcc, tmp_path, monkeypatch):
    program(tmp_path / "broken" / "bin" / "nvcc", "exit 1\n")
    monkeypatch.setenv("CUDA_HOME", str(tmp_path / "broken"))
    found = find_nvcc()
    assert found is None or found.home != tmp_path / "broken"


# ---- the other tools ---------------------------------------------------------------------


def tools(folder, version, archs, names=("nvcc", "nvdisasm", "cuobjdump")):
    for name in names:
        lists = "--list-gpu-code" if name == "nvcc" else "--help"
        program(
            folder / name,
            f"case $1 in --version) echo 'release, V{version}';; "
            f'{lists}) echo "{archs}";; esac\n',
        )
    return folder


@pytest.fixture
def search(monkeypatch):
    """Let the search see only the given folders."""

    def only(*folders):
        monkeypatch.setattr(toolchain, "_folders", lambda: iter(folders))
        find_tool.cache_clear()

    yield only
    find_tool.cache_clear()


def test_the_first_tool_that_knows_the_architecture(search, tmp_path):
    old = tools(tmp_path / "old", "12.4.131", "sm_80 sm_90 'SM80','SM90'")
    new = tools(tmp_path / "new", "13.0.88", "sm_90 sm_120 'SM90','SM120'")
    search((tmp_path / "missing", "PATH"), (old, "PATH"), (new, "PyPI package"))
    assert find_tool("nvcc") == Tool(old / "nvcc", "PATH", "12.4.131")
    assert find_tool("nvcc", "sm_120") == Tool(new / "nvcc", "PyPI package", "13.0.88")
    assert find_tool("nvdisasm", "sm_120").found == "PyPI package"
    assert find_tool("nvdisasm", "sm_90").found == "PATH"
    assert find_tool("nvcc", "sm_90a").found == "PATH"
    assert find_tool("nvcc", "sm_75") is None and find_tool("nvcc", "sm_12") is None


def test_an_nvcc_is_asked_once_for_its_architectures(tmp_path):
    count = tmp_path / "asked"
    nvcc = program(
        tmp_path / "nvcc", f'echo "$1" >> {count}; echo sm_80; echo sm_90a; echo sm_120\n'
    )
    for _ in range(2):
        assert toolchain.architectures(nvcc) == ("sm_80", "sm_90a", "sm_120")
    assert count.read_text() == "--list-gpu-code\n"
    assert toolchain.architectures(tmp_path / "none") == ()


def test_broken_tools_are_passed_over(search, tmp_path):
    program(tmp_path / "broken" / "nvcc", "exit 1\n")
    (tmp_path / "broken" / "nvdisasm").write_text("not a program")
    (tmp_path / "broken" / "nvdisasm").chmod(0o755)
    (tmp_path / "broken" / "cuobjdump").mkdir()
    triton = tools(tmp_path / "triton", "12.8.55", "", names=("nvdisasm", "cuobjdump"))
    search((tmp_path / "broken", "PATH"), (triton, "Triton"))
    assert find_tool("nvcc") is None
    assert find_tool("nvdisasm").found == find_tool("cuobjdump").found == "Triton"


@pytest.mark.parametrize(
    ("said", "version"),
    [
        (
            "Cuda compilation tools, release 13.0, V13.0.88\nBuild cuda_13.0.r13.0/1.0",
            "13.0.88",
        ),
        ("Compute Sanitizer\nCopyright (c) 2020-2025 NVIDIA\nVersion 2025.3.1", "2025.3.1"),
        ("Version 2025.3.0.0 (build 36273991) (public-release)", "2025.3.0.0"),
        ("tool 1.2", "1.2"),
        ("no tool 12 at all", ""),
        ("", ""),
    ],
)
def test_tools_tell_their_version_in_different_words(search, tmp_path, said, version):
    program(tmp_path / "ncu", f"cat << END\n{said}\nEND\n")
    search((tmp_path, "PATH"))
    found = find_tool("ncu")
    assert (found.version if found else "") == version


def test_where_tools_are_looked_for(monkeypatch, tmp_path):
    nvcc = Nvcc(tmp_path / "kit", "13.0", "CUDA_HOME")
    monkeypatch.setattr(toolchain, "find_nvcc", lambda: nvcc)
    (tmp_path / "nvidia" / "cu13" / "bin").mkdir(parents=True)
    monkeypatch.setattr(toolchain.sys, "path", [str(tmp_path)])
    monkeypatch.setenv("PATH", "/a:/b")
    folders = list(toolchain._folders())
    assert folders[:3] == [
        (tmp_path / "kit" / "bin", "CUDA_HOME"),
        (Path("/a"), "PATH"),
        (Path("/b"), "PATH"),
    ]
    assert folders[-2:] == [
        (tmp_path / "nvidia" / "cu13" / "bin", "PyPI package"),
        (tmp_path / "triton" / "backends" / "nvidia" / "bin", "Triton"),
    ]
    monkeypatch.setattr(toolchain, "find_nvcc", lambda: None)
    assert next(toolchain._folders()) == (Path("/a"), "PATH")


def test_tools_of_the_system_and_of_the_current_folder(monkeypatch, tmp_path):
    """The newest first."""
    found = {
        ("/usr/local", "cuda*/bin"): ["/usr/local/cuda-12.8/bin", "/usr/local/cuda-13.0/bin"],
        ("/opt/nvidia/nsight-compute", "*"): ["/opt/ncu/2024.1", "/opt/ncu/2025.3"],
        (".", "nvidia/*/bin"): ["nvidia/cu12/bin", "nvidia/cu13/bin"],
    }
    monkeypatch.setattr(
        toolchain.Path, "glob", lambda self, pattern: map(Path, found[str(self), pattern])
    )
    monkeypatch.setattr(toolchain, "find_nvcc", lambda: None)
    monkeypatch.setattr(toolchain.os, "get_exec_path", list)
    monkeypatch.setattr(toolchain.sys, "path", [""])
    assert [(str(folder), found) for folder, found in toolchain._folders()] == [
        ("/usr/local/cuda-13.0/bin", "/usr/local/cuda-13.0"),
        ("/usr/local/cuda-12.8/bin", "/usr/local/cuda-12.8"),
        ("/opt/ncu/2025.3", "/opt/ncu/2025.3"),
        ("/opt/ncu/2024.1", "/opt/ncu/2024.1"),
        ("nvidia/cu13/bin", "PyPI package"),
        ("nvidia/cu12/bin", "PyPI package"),
        ("triton/backends/nvidia/bin", "Triton"),
    ]


# ---- the C++ compiler --------------------------------------------------------------------


@pytest.mark.parametrize(
    ("version", "banner", "name", "too_old"),
    [
        ("8.5.0", "g++ (Debian) 8.5.0", "g++", True),
        ("9.1.0", "g++ (Debian) 9.1.0", "g++", False),
        ("13", "g++ 13", "g++", False),
        ("9.0.1", "Debian clang version 9.0.1", "clang++", True),
        ("10.0.0", "clang version 10.0.0", "clang++", False),
        ("unknown", "g++ by hand", "g++", False),
    ],
)
def test_compilers_and_their_age(tmp_path, monkeypatch, version, banner, name, too_old):
    path = program(
        tmp_path / "cxx",
        f'case "$1" in -dumpfullversion) echo {version};; --version) echo "{banner}";; esac\n',
    )
    monkeypatch.setenv("CXX", str(path))
    assert toolchain.compiler() == str(path)
    found = toolchain.find_compiler()
    assert found == Compiler(str(path), name, version) and found.is_too_old is too_old
    assert found.oldest == (10 if name == "clang++" else 9)


def test_without_cxx_it_is_gxx(monkeypatch):
    for value in (None, ""):
        monkeypatch.delenv("CXX", raising=False)
        if value is not None:
            monkeypatch.setenv("CXX", value)
        assert toolchain.compiler() == "g++"
    monkeypatch.setenv("CXX", "no-such-compiler")
    assert toolchain.find_compiler() is None
