"""Folders of builds: what others could have written is never loaded, and blocks nobody."""

import os
import shutil
import stat
import tempfile
from pathlib import Path
from types import SimpleNamespace

import pytest

from helpers.errors import BuildError
from helpers.run import build, cache, machine
from helpers.sources import read_sources
from tests.run.conftest import Child, write

pytestmark = pytest.mark.filterwarnings("ignore:.*multi-threaded.*fork:DeprecationWarning")
ANNE, BOB = 54321, 54322  # users of whom the machine knows nothing


@pytest.fixture
def named(tmp_path, monkeypatch):
    """Return the folder that the settings name, and give the user another home."""
    monkeypatch.setenv("ELEMENTWISE_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("ELEMENTWISE_HOME", str(tmp_path / "home"))
    return tmp_path / "cache"


def test_a_folder_that_is_made_is_the_users_own(named):
    before = os.umask(0)
    try:
        assert cache.own() == cache.folder() == named
    finally:
        os.umask(before)
    assert named.stat().st_mode & 0o777 == cache.SHARED
    assert cache.readable() == [named]


@pytest.mark.parametrize("mode", [0o777, 0o1777, 0o757])
def test_a_folder_that_others_may_write_is_only_read(named, tmp_path, mode):
    named.mkdir()
    named.chmod(mode)
    private = tmp_path / "home" / "cache"
    assert cache.own() == cache.folder() == private
    assert private.stat().st_mode & 0o777 == cache.PRIVATE
    assert cache.readable() == [private, named][: 2 if mode & stat.S_ISVTX else 1]


@pytest.mark.parametrize(
    ("mode", "trusted"),
    [(0o755, True), (0o700, True), (0o757, False), (0o1777, False), (0o702, False)],
)
def test_what_others_may_write_is_not_trusted(tmp_path, mode, trusted):
    (tmp_path / "k.so").touch()
    (tmp_path / "k.so").chmod(mode)
    assert cache.is_trusted(tmp_path / "k.so") is trusted
    assert not cache.is_trusted(tmp_path / "missing")
    (tmp_path / "link").symlink_to(tmp_path / "k.so")
    assert not cache.is_trusted(tmp_path / "link")


@pytest.mark.parametrize(
    ("group", "members", "owner", "trusted"),
    [
        ("anne", [], "anne", True),
        ("anne", ["anne"], "anne", True),
        ("anne", ["bob"], "anne", False),
        ("students", [], "anne", False),
        (None, [], "anne", False),
        ("anne", [], None, False),
    ],
)
def test_a_group_of_the_owner_alone_may_write(
    tmp_path, monkeypatch, group, members, owner, trusted
):
    def look_up(name, entry):
        def find(number):
            if name is None:
                raise KeyError(number)
            return entry

        return find

    members = SimpleNamespace(gr_name=group, gr_mem=members)
    monkeypatch.setattr("grp.getgrgid", look_up(group, members))
    monkeypatch.setattr("pwd.getpwuid", look_up(owner, SimpleNamespace(pw_name=owner)))
    (tmp_path / "k.so").touch()
    (tmp_path / "k.so").chmod(0o775)
    assert cache.is_trusted(tmp_path / "k.so") is trusted


def test_without_a_home_the_builds_go_to_a_folder_beside_other_temporary_ones(
    named, tmp_path, monkeypatch
):
    named.mkdir()
    named.chmod(0o777)
    (tmp_path / "home").write_text("not a folder")
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    expected = tmp_path / f"elementwise-{os.geteuid()}"
    assert cache.own() == expected and expected.stat().st_mode & 0o777 == cache.PRIVATE
    expected.chmod(0o777)
    with pytest.raises(BuildError, match="Set ELEMENTWISE_CACHE to a folder that you own"):
        cache.folder()


# ---- real users of one machine ---------------------------------------------------------------


@pytest.fixture
def classroom(monkeypatch, marked_library):
    """Make a folder that all users may enter, with a kernel and a home for each."""
    if os.geteuid() != 0:
        pytest.skip("only root can become other users")
    room = Path(tempfile.mkdtemp(prefix="elementwise-classroom-"))
    room.chmod(0o755)
    (room / "cache").mkdir()
    monkeypatch.setenv("ELEMENTWISE_CACHE", str(room / "cache"))
    write(room / "k.cu").chmod(0o644)
    for user in (ANNE, BOB):
        (room / str(user)).mkdir()
        os.chown(room / str(user), user, user)
    here = machine.emulator("for a test", "2.13.0")
    monkeypatch.setattr(machine, "present", lambda: here)
    monkeypatch.setattr(cache, "INSTALLED_BY", 0)

    def compile_library(path, output, here):
        output.write_bytes(marked_library)

    monkeypatch.setattr(build, "compile_library", compile_library)
    yield room
    shutil.rmtree(room)


def built_by(user, room, umask=0o022):
    """Build the kernel as a user; return whether it was there, and where it is."""

    def load():
        os.setgroups([])
        os.setgid(user)
        os.setuid(user)
        os.umask(umask)
        os.environ["ELEMENTWISE_HOME"] = str(room / str(user))
        path = room / "k.cu"
        found = build.build(path, read_sources(path), machine.present())
        return found.cached, str(found.library), found.library.stat().st_uid

    return Child(load).result()


@pytest.mark.parametrize("umask", [0o022, 0o077, 0o000])
def test_what_root_built_serves_all(classroom, umask):
    assert built_by(0, classroom, umask)[::2] == (False, 0)
    for user in (ANNE, BOB):
        cached, library, owner = built_by(user, classroom)
        assert cached and owner == 0 and library.startswith(str(classroom / "cache"))


@pytest.mark.parametrize("mode", [0o777, 0o1777])
def test_nobody_opens_what_another_learner_built(classroom, mode):
    (classroom / "cache").chmod(mode)
    for user in (ANNE, BOB):
        for cached in (False, True):
            found, library, owner = built_by(user, classroom)
            assert (found, owner) == (cached, user)
            assert library.startswith(str(classroom / str(user)))


@pytest.mark.parametrize("planted", ["library", "empty folder", "file", "link"])
def test_what_a_learner_plants_is_not_opened_and_blocks_nobody(classroom, planted):
    shared = classroom / "cache"
    shared.chmod(0o1777)
    path = classroom / "k.cu"
    key = build.Inputs.of(read_sources(path), machine.present()).key
    place = shared / f"k-{key}"
    if planted in ("library", "empty folder"):
        place.mkdir()
    elif planted == "file":
        place.touch()
    else:
        place.symlink_to(classroom / str(ANNE))
    if planted == "library":
        (place / "k.so").write_bytes(b"evil")
        os.chown(place / "k.so", ANNE, ANNE)
    os.chown(place, ANNE, ANNE, follow_symlinks=False)
    found, library, owner = built_by(BOB, classroom)
    assert (found, owner) == (False, BOB) and library.startswith(str(classroom / str(BOB)))


@pytest.mark.parametrize(("mode", "served"), [(0o755, True), (0o777, False), (0o1777, True)])
def test_no_build_stands_for_another(classroom, mode, served):
    """Where others may rename, root's build of an older kernel could get a newer one's name."""
    built_by(0, classroom)
    (classroom / "cache").chmod(mode)

    def rename():
        os.setgid(ANNE)
        os.setuid(ANNE)
        try:
            (found,) = (classroom / "cache").glob("k-*[0-9a-f]")
            found.rename(found.with_name("k-0"))
            found.with_name("k-0").rename(found)
            return True
        except OSError:
            return False

    assert Child(rename).result() is not served
    assert built_by(BOB, classroom)[::2] == ((True, 0) if served else (False, BOB))


def test_a_library_of_root_that_others_may_write_is_not_opened(classroom):
    _, library, _ = built_by(0, classroom)
    os.chmod(library, 0o666)
    assert built_by(BOB, classroom)[::2] == (False, BOB)


def test_the_teacher_who_installed_the_course_is_trusted(classroom, monkeypatch):
    os.chown(classroom / "cache", ANNE, ANNE)
    built_by(ANNE, classroom)
    assert built_by(BOB, classroom)[::2] == (False, BOB)
    shutil.rmtree(classroom / str(BOB) / "cache")
    monkeypatch.setattr(cache, "INSTALLED_BY", ANNE)
    assert built_by(BOB, classroom)[::2] == (True, ANNE)
