"""Personas: five that come along, own ones from files, and what the model is told of them."""

from __future__ import annotations

import pytest

import econzoo
from econzoo.baselines.factory import player
from econzoo.baselines.parts.persona import FIELDS, chosen, shipped

ONE = "name: Frida\nprofession: a fisherwoman\npersonality: You say little.\nbackground: You live by the sea.\n"
TWO = """
Frida:
  profession: a fisherwoman
  personality: You say little.
  background: You live by the sea.
Bob:
  profession: a baker
  personality: You say much.
  background: You live by the mill.
"""


def system_message(persona, game="bargaining", seat=0):
    """What the model of a player with this persona reads first."""
    made = player(f"mock:*?persona={persona}", game)
    others = ["random"]
    econzoo.play(game, [made, *others] if seat == 0 else [*others, made], horizon=1)
    return made.transcript[0]["content"]


def test_the_five_residents_come_with_the_package():
    assert list(shipped()) == ["Alex", "Bob", "Cindy", "David", "Eric"]
    assert all(text.strip() for persona in shipped().values() for text in persona)


@pytest.mark.parametrize(
    ("name", "profession"),
    [
        ("Alex", "out of work"),
        ("Bob", "a high school teacher"),
        ("Cindy", "a psychologist"),
        ("David", "a mathematician"),
        ("Eric", "a marketing executive"),
    ],
)
def test_a_persona_stands_in_the_system_message_behind_the_rules(name, profession):
    told = system_message(name)
    assert told.startswith("You are Alice. ")  # the seat keeps its name
    rules, _, persona = told.rpartition("\n\n")
    assert "You take turns" in rules
    assert persona.startswith(f"In this game you are {profession}.")
    assert shipped()[name].personality in persona
    assert shipped()[name].background in persona


def test_without_a_persona_the_model_reads_the_rules_alone():
    made = player("mock:*", "bargaining")
    record = econzoo.play("bargaining", [made, "random"], horizon=1)
    assert made.transcript[0]["content"] == record.rules[0]


def test_the_persona_of_the_seat_is_the_one_with_the_name_of_its_role():
    assert "a high school teacher" in system_message("seat", seat=1)  # the second seat of bargaining is Bob's
    with pytest.raises(ValueError, match=r"player 'mock:\*\?persona=seat': persona 'Alice' is not in .*allowed: Alex"):
        system_message("seat", seat=0)


def test_an_own_persona_comes_from_a_yaml_or_toml_file(tmp_path):
    one, two, toml = tmp_path / "one.yaml", tmp_path / "two.yml", tmp_path / "one.toml"
    one.write_text(ONE)
    two.write_text(TWO)
    toml.write_text(
        '[Frida]\nprofession = "a fisherwoman"\npersonality = "You say little."\nbackground = "By the sea."'
    )
    assert "a fisherwoman" in system_message(one)
    assert "a fisherwoman" in system_message(toml)
    assert "a baker" in system_message(f"{two}:Bob")
    assert "a baker" in system_message(f"{two}:seat", seat=1)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("Frida:\n  profession: a baker\n", "'Frida' lacks personality, background; needed: profession, personality"),
        (ONE.replace("a fisherwoman", ""), "'Frida' lacks profession"),
        (ONE.replace("a fisherwoman", "[1, 2]"), "'Frida', profession must be text; got [1, 2]"),
        (ONE + "age: 60\n", "'Frida' has 'age'; allowed: profession, personality, background"),
        ("", "has no personas; needed: names, and below each profession"),
        ("- a\n- b\n", "has no personas"),
        ("Frida: a baker\n", "'Frida' lacks profession, personality, background"),
        ("name: [1]\nprofession: x\n", "name must be text; got [1]"),
        ("a: b: c", "is not YAML"),
        ("{" * 5000, "is not YAML"),
        ("Frida: &x\n  profession: *x\n  personality: p\n  background: b\n", "profession must be text"),
        (TWO, "has several personas; choose one as"),
    ],
)
def test_a_file_that_is_no_persona_is_refused_in_one_line(tmp_path, text, says):
    path = tmp_path / "own.yaml"
    path.write_text(text)
    with pytest.raises(ValueError, match=r"own\.yaml") as refused:
        chosen(str(path))
    assert says in str(refused.value)
    assert len(str(refused.value).splitlines()) == 1


def test_a_persona_or_file_that_does_not_exist_is_refused_with_what_does(tmp_path):
    with pytest.raises(ValueError, match=r"persona 'Zoe' is not in the personas .* allowed: Alex, Bob, Cindy, David"):
        player("hf:x?persona=Zoe")
    with pytest.raises(ValueError, match=r"': persona file .*none.yaml' cannot be read"):
        player(f"hf:x?persona={tmp_path}/none.yaml")
    (tmp_path / "two.yaml").write_text(TWO)
    with pytest.raises(ValueError, match=r"persona 'Zoe' is not in .*two.yaml; allowed: Frida, Bob, seat"):
        player(f"hf:x?persona={tmp_path}/two.yaml:Zoe")


def test_every_field_of_a_persona_is_told():
    from econzoo.baselines.parts.spec import own_texts

    persona = shipped()["David"]
    assert all(getattr(persona, field) in persona.told(own_texts()) for field in FIELDS)
