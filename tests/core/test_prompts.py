"""Prompts: own texts take the place of shipped ones, and a wrong name or field is refused at once."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import econzoo
from econzoo.envs.core.faces.prompts import Fields, fields_of, load, number

PACKAGE = "econzoo.envs.games.bargaining"


@pytest.mark.parametrize(
    ("value", "told"), [(10, "10"), (12.5, "12.5"), (100 * (1 - 0.9), "10"), (7.499999999999, "7.5")]
)
def test_numbers_without_a_tail(value: float, told: str) -> None:
    assert number(value) == told


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


@pytest.mark.parametrize(
    ("own", "told"),
    [
        ({"turn.offer": "x"}, r"prompts: unknown text 'turn.offer'; allowed: brief.game, .*turn.propose"),
        ({"propose": "x"}, "prompts: unknown text 'propose'"),
        ({"turn.propose": 5}, "prompts: 'turn.propose' must be text; got int"),
        ({"turn.propose": None}, "prompts: 'turn.propose' must be text; got NoneType"),
        ({"turn.propose": "{nmae}"}, "'turn.propose' has the unknown field 'nmae'; allowed: .*name"),
        ({"turn.propose": "{words}"}, "the unknown field 'words'"),
        ({"turn.propose": "{}"}, "the unknown field ''"),
        ({"turn.propose": "{0}"}, "the unknown field '0'"),
        ({"turn.propose": "{name.__class__}"}, "the unknown field 'name.__class__'"),
        ({"turn.propose": "{name[0]}"}, r"the unknown field 'name\[0\]'"),
        ({"turn.propose": "{name:>99999999}"}, "the unknown field 'name:>99999999'; allowed: .*each plain as {name}"),
        ({"turn.propose": "{name:d}"}, "'turn.propose' has the unknown field 'name:d'"),
        ({"turn.propose": "{name:{name}}"}, "the unknown field 'name:{name}'"),
        ({"turn.propose": "{name!r}"}, "the unknown field 'name!r'"),
        ({"turn.propose": "{name"}, "is no format string"),
        ({"turn.propose": "name}"}, "is no format string"),
        ({"format.answer": "{name}"}, "the unknown field 'name'; allowed: form, limit, problem"),
    ],
)
def test_a_wrong_own_text_is_refused_when_the_environment_is_made(own: Any, told: str) -> None:
    with pytest.raises(ValueError, match=told):
        load(PACKAGE, own)
    with pytest.raises(ValueError, match=told):
        econzoo.make("bargaining", face="text", prompts=own)
    with pytest.raises(ValueError, match=told):
        econzoo.make("bargaining", prompts=own)  # also where no text is rendered


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b"[turn\n", "cannot be read"),
        (b"\xff\xfe[turn]", "cannot be read"),
        (b'[turn]\npropose = "a"\npropose = "b"\n', "cannot be read"),
        (b'propose = "a"\n', "'propose' stands outside a table"),
        (b"[turn]\npropose = 5\n", "must be text; got int"),
        (b'[turn.deeper]\npropose = "a"\n', "unknown text 'turn.deeper'"),
        (b'[turns]\npropose = "a"\n', "unknown text 'turns.propose'"),
    ],
)
def test_a_file_that_cannot_be_used_is_named(content: bytes, told: str, tmp_path: Path) -> None:
    (tmp_path / "own.toml").write_bytes(content)
    with pytest.raises(ValueError, match=told):
        econzoo.make("bargaining", face="text", prompts=tmp_path / "own.toml")


@pytest.mark.parametrize("path", ["missing.toml", "."])
def test_a_file_that_is_not_there_is_named(path: str, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"cannot be read.*allowed: a TOML file of templates"):
        econzoo.make("bargaining", face="text", prompts=tmp_path / path)


@pytest.mark.parametrize("own", [5, 1.5, True, ["a"], b"own.toml"])
def test_what_is_neither_texts_nor_a_file_is_refused(own: Any) -> None:
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
