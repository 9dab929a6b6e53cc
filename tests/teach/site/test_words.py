"""What the pages write themselves is translated, as a catalogue of the language says."""

import gettext

import pytest

from helpers.teach import translation
from helpers.teach.site import words


@pytest.mark.parametrize("language", translation.languages())
def test_a_language_has_every_word_and_no_other(language):
    catalogue = translation.read(words.catalogue(language))
    found = {message.id: message.string for message in catalogue if message.id}
    assert set(found) == {*words.OWN, *words.OF_THEME}
    assert all(found.values())
    assert "{machine}" in found[words.OUTPUTS_OF] and "`make lab`" in found[words.SLIDERS]


def test_a_word_is_translated_or_stays_english():
    say = words.sayer("zh_CN")
    assert (say(words.LESSONS), say("no such word")) == ("课程", "no such word")
    assert words.sayer("en")(words.LESSONS) == words.LESSONS


def test_sphinx_finds_the_words_of_the_theme(tmp_path):
    for language in ("zh_CN", "en"):
        words.write_for_sphinx(language, tmp_path)
    found = gettext.translation("sphinx", tmp_path, ["zh_CN"])
    assert found.gettext("On this page") == "本页内容"
    assert [path.name for path in tmp_path.iterdir()] == ["zh_CN"]
