"""Prompts: own texts take the place of shipped ones, and a wrong name or field is refused at once."""

from __future__ import annotations

import warnings
from pathlib import Path

import pytest

import econzoo
from econzoo.envs.core.faces import changed_templates, fields_of, format_number, load_templates
from econzoo.envs.core.faces import prompts as templates
from econzoo.envs.core.faces.prompts import Fields
from refusals import refuses

PACKAGE = "econzoo.envs.games.bargaining"


def test_numbers_without_a_tail() -> None:
    for value, told in [(10, "10"), (12.5, "12.5"), (100 * (1 - 0.9), "10"), (7.499999999999, "7.5")]:
        assert format_number(value) == told, value


def test_without_own_texts_the_shipped_ones_are_given_as_a_copy() -> None:
    shipped = load_templates(PACKAGE)
    assert "turn.propose" in shipped
    shipped["turn.propose"] = "changed"
    assert load_templates(PACKAGE)["turn.propose"] != "changed"


def test_own_texts_replace_text_by_text() -> None:
    told = load_templates(PACKAGE, {"turn.propose": "Your turn, {name}."})
    assert told["turn.propose"] == "Your turn, {name}."
    assert {**told, "turn.propose": ""} == {**load_templates(PACKAGE), "turn.propose": ""}


def test_a_file_of_own_texts(tmp_path: Path) -> None:
    file = tmp_path / "own.toml"
    file.write_text('[turn]\npropose = "\u05ea\u05d5\u05e8\u05da, {name}."\n', encoding="utf-8")
    for path in (file, str(file)):
        env = econzoo.make("bargaining", face="text", prompts=path)
        env.reset()
        assert "\u05ea\u05d5\u05e8\u05da, Alice." in env.last()[0]["text"]


def test_a_wrong_own_text_is_refused_when_the_environment_is_made() -> None:
    for own, named in [
        ({"turn.offer": "x"}, ("turn.offer", "brief.game", "turn.propose")),
        ({"propose": "x"}, ("'propose'",)),
        ({"turn.propose": 5}, ("turn.propose", "int")),
        ({"turn.propose": None}, ("turn.propose", "NoneType")),
        ({"turn.propose": "{nmae}"}, ("turn.propose", "'nmae'", "name")),
        ({"turn.propose": "{words}"}, ("'words'",)),
        ({"turn.propose": "{}"}, ("''",)),
        ({"turn.propose": "{0}"}, ("'0'",)),
        ({"turn.propose": "{name.__class__}"}, ("'name.__class__'",)),
        ({"turn.propose": "{name[0]}"}, ("'name[0]'",)),
        ({"turn.propose": "{name:>99999999}"}, ("'name:>99999999'", "{name}")),
        ({"turn.propose": "{name:d}"}, ("turn.propose", "'name:d'")),
        ({"turn.propose": "{name:{name}}"}, ("'name:{name}'",)),
        ({"turn.propose": "{name!r}"}, ("'name!r'",)),
        ({"turn.propose": "{name"}, ("turn.propose", "expected '}' before end of string")),
        ({"turn.propose": "name}"}, ("turn.propose", "Single '}' encountered in format string")),
        ({"format.answer": "{name}"}, ("'name'", "form", "limit", "problem")),
    ]:
        with refuses(ValueError, *named):
            load_templates(PACKAGE, own)
        with refuses(ValueError, *named):
            econzoo.make("bargaining", face="text", prompts=own)
        with refuses(ValueError, *named):
            econzoo.make("bargaining", prompts=own)  # also where no text is rendered


def test_a_file_that_cannot_be_used_is_named(tmp_path: Path) -> None:
    for content, named in [
        (b"[turn\n", "own.toml"),
        (b"\xff\xfe[turn]", "own.toml"),
        (b'[turn]\npropose = "a"\npropose = "b"\n', "own.toml"),
        (b'propose = "a"\n', "'propose'"),
        (b"[turn]\npropose = 5\n", "int"),
        (b'[turn.deeper]\npropose = "a"\n', "'turn.deeper'"),
        (b'[turns]\npropose = "a"\n', "'turns.propose'"),
    ]:
        (tmp_path / "own.toml").write_bytes(content)
        with refuses(ValueError, named):
            econzoo.make("bargaining", face="text", prompts=tmp_path / "own.toml")


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    for path in ["missing.toml", "."]:
        with refuses(ValueError, tmp_path / path):
            econzoo.make("bargaining", face="text", prompts=tmp_path / path)


def test_what_is_neither_texts_nor_a_file_is_refused() -> None:
    for own in [5, 1.5, True, ["a"], b"own.toml"]:
        with pytest.raises(ValueError, match="prompts"):
            econzoo.make("bargaining", face="text", prompts=own)


def test_braces_can_be_written() -> None:
    env = econzoo.make("bargaining", face="text", prompts={"turn.propose": "Write {{...}}."})
    env.reset()
    assert "Write {...}." in env.last()[0]["text"]


def test_a_field_that_does_not_exist_yet_reads_as_a_dash() -> None:
    env = econzoo.make("bargaining", face="text", prompts={"turn.propose": "On the table: {offered}."})
    env.reset()
    assert "On the table: -." in env.last()[0]["text"]
    assert Fields(a="1")["b"] == "-"


def test_fields_of_a_template() -> None:
    assert fields_of("{a} and {b:>5} and {{c}} and {a} and {b!r}") == {"a", "b:>5", "b!r"}


def translated(folder: Path, *texts: str, language: str | None = "de") -> str:
    """A file of prompts in another language."""
    file = folder / "de.toml"
    file.write_text((f'language = "{language}"\n' if language else "") + "\n".join(texts), encoding="utf-8")
    return str(file)


@pytest.fixture(autouse=True)
def _nothing_told() -> None:
    templates.warn_once.cache_clear()


def test_what_a_translation_leaves_in_english_is_told_once(tmp_path: Path) -> None:
    file = translated(tmp_path, "[turn]", 'propose = "Du bist dran."', "[form]", 'or = " oder "')
    with pytest.warns(
        UserWarning, match=r"prompts 'de': \d\d texts are in English, not in 'de': brief.game, .*, \.\.\."
    ):
        env = econzoo.make("bargaining", face="text", prompts=file)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        env.reset()
        econzoo.make("bargaining", face="chat", prompts=file)
    assert "Du bist dran." in env.last()[0]["text"]


def test_a_translation_counts_what_is_in_english() -> None:
    own = {"turn.propose": "Du bist dran."}
    texts = load_templates(PACKAGE, own)
    found = templates.untranslated_texts(own, texts, load_templates(PACKAGE))
    assert {"brief.game", "turn.answer", "format.answer", "error.CODE"} <= set(found)
    assert not {"turn.propose", "form.field"} & set(found), "it has only fields"
    assert not [name for name in found if name.startswith("person.")], "the file has none for people"
    for more, counts in (({"person.over": "Aus."}, "person.sure"), ({"error.empty": "leer"}, "error.CODE")):
        found = templates.untranslated_texts(
            {**own, **more}, load_templates(PACKAGE, {**own, **more}), load_templates(PACKAGE)
        )
        assert (counts in found) == (counts == "person.sure")


@pytest.mark.filterwarnings("error")
def test_who_names_no_other_language_is_told_nothing(tmp_path: Path) -> None:
    for language in (None, "en"):
        file = translated(tmp_path, "[turn]", 'propose = "Your offer?"', language=language)
        econzoo.make("bargaining", face="text", prompts=file)


def test_a_language_must_be_text(tmp_path: Path) -> None:
    (tmp_path / "own.toml").write_text("language = 5\n", encoding="utf-8")
    with refuses(ValueError, "'language'", "int"):
        load_templates(PACKAGE, tmp_path / "own.toml")


@pytest.mark.parametrize("game", econzoo.games())
@pytest.mark.filterwarnings("ignore:prompts")
def test_the_file_to_translate_reads_as_the_texts_that_it_was_made_of(game: str, tmp_path: Path) -> None:
    package, path = econzoo.game(game).package, tmp_path / "de.toml"
    path.write_text(templates.translation_template(game, path.name, "de", load_templates(package)), encoding="utf-8")
    texts = load_templates(package, path)
    assert texts.pop("name") == "de"
    assert texts == load_templates(package)
    assert set(changed_templates(package, path)) == {"name", "hash"}
    assert '\nlanguage = "de"\n' in path.read_text(encoding="utf-8")


@pytest.mark.filterwarnings("ignore:prompts")
def test_a_record_says_nothing_of_the_language(tmp_path: Path) -> None:
    file = translated(tmp_path, "[turn]", 'propose = "Du bist dran."')
    kept = econzoo.play("bargaining", ["fair", "spe"], prompts=file).options["prompts"]
    assert set(kept) == {"turn.propose", "name", "hash"}
