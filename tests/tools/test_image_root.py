"""tools/image_root.py: the Dockerfile's instructions are read as Docker reads them."""

import subprocess

import pytest

from helpers import paths
from tools import image_root
from tools.image_root import Image, read_instructions, substitute

DOCKERFILE = (paths.ROOT / "deploy" / "Dockerfile").read_text(encoding="utf-8")


def test_continued_lines_are_joined_and_comments_left_out():
    text = "# words\nfrom x\nENV A=1 \\\n    B=2\n\n  # more\nCMD\n"
    assert read_instructions(text) == [("FROM", "x"), ("ENV", "A=1 B=2"), ("CMD", "")]


def test_a_variable_with_braces_and_without():
    assert substitute("$A/${B}x/$C", {"A": "1", "B": "2"}) == "1/2x/"


def test_each_instruction_changes_what_comes_after_it(tmp_path):
    image = Image(tmp_path)
    text = (
        'ARG BASE=x\nENV A=/opt\nENV A="/srv" B=$A/b\nUSER ada\nWORKDIR $B\nCMD ["run", "it"]'
    )
    for name, rest in read_instructions(text):
        image.follow(name, rest)
    # Within one ENV, as for Docker, $A is still what it was before.
    assert image.variables == {"PATH": image_root.PATH, "BASE": "x", "A": "/srv", "B": "/opt/b"}
    assert (image.user, image.place, image.command) == ("ada", "/opt/b", ["run", "it"])
    words = image.inside("jupyter", "lab", home="/home/ada")
    assert words[:3] == ["chroot", "--userspec=ada", str(tmp_path)]
    assert words[3:6] == ["env", "-i", "HOME=/home/ada"]
    assert words[-3:] == ["/opt/b", "jupyter", "lab"]


def test_every_instruction_of_the_dockerfile_is_known(monkeypatch, tmp_path):
    ran = []
    monkeypatch.setattr(image_root.subprocess, "run", lambda words, **_: ran.append(words))
    monkeypatch.setattr(Image, "_copy", lambda self, *words: ran.append(words))
    image = Image(tmp_path)
    for name, rest in read_instructions(DOCKERFILE):
        image.follow(name, rest)
    assert ran[0] == (".", "/opt/course")
    assert ran[1][-1] == "bash ${COURSE}/deploy/install.sh"
    assert "COURSE=/opt/course" in ran[1]
    assert image.user == "learner"
    assert image.command[1] == "/opt/course/deploy/start_server.py"


def test_what_is_not_known_is_told():
    with pytest.raises(ValueError, match="HEALTHCHECK is not known"):
        Image(paths.ROOT).follow("HEALTHCHECK", "CMD true")
    with pytest.raises(ValueError, match=r"only `\.` is known"):
        Image(paths.ROOT).follow("COPY", "a b")


def test_the_committed_files_are_copied(tmp_path):
    Image(tmp_path).follow("COPY", ". /opt/course")
    assert (tmp_path / "opt" / "course" / "deploy" / "Dockerfile").is_file()


def test_a_server_that_ends_is_told():
    with subprocess.Popen(["sh", "-c", "exit 3"]) as process:
        process.wait()
        with pytest.raises(RuntimeError, match="ended with code 3"):
            image_root.wait_for("http://127.0.0.1:1/", process)


def test_a_folder_without_debian_is_refused(tmp_path, capsys):
    with pytest.raises(SystemExit):
        image_root.main([str(tmp_path)])
    assert "run debootstrap first" in capsys.readouterr().err
