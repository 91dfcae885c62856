"""Prompts: own texts take the place of shipped ones, and a wrong name or field is refused at once."""

from __future__ import annotations

from pathlib import Path

import pytest

import econzoo
from econzoo.envs.core.faces.prompts import Fields, fields_of, load, number
from refusals import refuses

PACKAGE = "econzoo.envs.games.bargaining"


def test_numbers_without_a_tail() -> None:
    for value, told in [(10, "10"), (12.5, "12.5"), (100 * (1 - 0.9), "10"), (7.499999999999, "7.5")]:
        assert number(value) == told, value


def test_without_own_texts_the_shipped_ones_are_given_as_a_copy() -> None:
    shipped = load(PACKAGE)
    assert "turn.propose" in shipped
    shipped["turn.propose"] = "changed"
    assert load(PACKAGE)["turn.propose"] != "changed"


def test_own_texts_replace_text_by_text() -> None:
    told = load(PACKAGE, {"turn.propose": "Your turn, {name}."})
    assert told["turn.propose"] == "Your turn, {name}."
    assert {**told, "turn.propose": ""} == {**load(PACKAGE), "turn.propose": ""}


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
            load(PACKAGE, own)
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
