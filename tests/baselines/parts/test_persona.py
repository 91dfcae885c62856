"""Personas: five that come along, own ones from files, and what the model is told of them."""

from __future__ import annotations

import json
from dataclasses import replace

import econzoo
from econzoo.baselines import player
from econzoo.baselines.parts.persona import FIELDS, parse_choice, shipped_personas
from econzoo.baselines.parts.spec import own_texts
from econzoo.envs.core.record import Record
from econzoo.evaluate.run import replay
from econzoo.evaluate.run.resuming import restore_table
from refusals import refuses

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
    assert list(shipped_personas()) == ["Alex", "Bob", "Cindy", "David", "Eric"]
    assert all(text.strip() for persona in shipped_personas().values() for text in persona)


def test_a_persona_stands_in_the_system_message_behind_the_rules():
    for name, profession in [
        ("Alex", "out of work"),
        ("Bob", "a high school teacher"),
        ("Cindy", "a psychologist"),
        ("David", "a mathematician"),
        ("Eric", "a marketing executive"),
    ]:
        told = system_message(name)
        assert told.startswith("You are Alice. "), (name, profession)  # the seat keeps its name
        rules, _, persona = told.rpartition("\n\n")
        assert "You take turns" in rules, (name, profession)
        assert persona == shipped_personas()[name].describe(own_texts()), name
        assert profession in persona, (name, profession)
        assert shipped_personas()[name].personality in persona, (name, profession)
        assert shipped_personas()[name].background in persona, (name, profession)


def test_without_a_persona_the_model_reads_the_rules_alone():
    made = player("mock:*", "bargaining")
    record = econzoo.play("bargaining", [made, "random"], horizon=1)
    assert made.transcript[0]["content"] == record.rules[0]


def test_the_persona_of_the_seat_is_the_one_with_the_name_of_its_role():
    assert "a high school teacher" in system_message("seat", seat=1)  # the second seat of bargaining is Bob's
    with refuses(ValueError, "'mock:*?persona=seat'", "'Alice'", "Alex"):
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


def test_a_file_that_is_no_persona_is_refused_in_one_line(tmp_path):
    for text, *named in [
        ("Frida:\n  profession: a baker\n", "'Frida'", "personality, background", "profession, personality"),
        (ONE.replace("a fisherwoman", ""), "'Frida'", "profession"),
        (ONE.replace("a fisherwoman", "[1, 2]"), "'Frida'", "profession", "[1, 2]"),
        (ONE + "age: 60\n", "'Frida'", "'age'", "profession, personality, background"),
        ("", "profession"),
        ("- a\n- b\n", "profession"),
        ("Frida: a baker\n", "'Frida'", "profession, personality, background"),
        ("name: [1]\nprofession: x\n", "name", "[1]"),
        ("a: b: c", "YAML"),
        ("{" * 1000, "YAML"),
        ("Frida: &x\n  profession: *x\n  personality: p\n  background: b\n", "*x is part of itself"),
        (TWO, "Frida, Bob or seat"),
    ]:
        path = tmp_path / "own.yaml"
        path.write_text(text)
        with refuses(ValueError, path, *named) as refused:
            parse_choice(str(path))
        assert len(str(refused.value).splitlines()) == 1, text


def test_a_persona_or_file_that_does_not_exist_is_refused_with_what_does(tmp_path):
    with refuses(ValueError, "'Zoe'", "Alex, Bob, Cindy, David, Eric"):
        player("hf:x?persona=Zoe")
    with refuses(ValueError, f"'{tmp_path}/none.yaml'"):
        player(f"hf:x?persona={tmp_path}/none.yaml")
    (tmp_path / "two.yaml").write_text(TWO)
    with refuses(ValueError, "'Zoe'", tmp_path / "two.yaml", "Frida, Bob or seat"):
        player(f"hf:x?persona={tmp_path}/two.yaml:Zoe")


def played(persona):
    return econzoo.play("bargaining", ["mock:*", f"mock:*?persona={persona}"], horizon=1)


def test_the_record_says_whom_a_player_was_told_to_be_and_replays(tmp_path):
    """Word for word, and whatever has become of the file."""
    file = tmp_path / "one.yaml"
    file.write_text(ONE)
    record = played(file)
    persona = system_message(file, seat=1).rpartition("\n\n")[2]
    assert record.personas == [None, persona]
    file.unlink()
    assert Record.from_json(record.to_json()) == record
    assert replay(record) == []


def test_without_personas_a_line_is_what_it_always_was():
    for players in [["mock:*", "mock:*"], ["spe", "fair"]]:
        assert '"personas"' not in econzoo.play("bargaining", players, horizon=1).to_json(), players


def test_a_persona_of_the_game_is_in_its_rules():
    record = econzoo.play("water_allocation", ["mock:*"] * 5, days=1, persona=True)
    assert record.personas is None
    assert "a mathematician" in record.rules[3]


def test_personas_of_the_wrong_form_are_refused():
    for personas in (5, ["a baker"], [None, 5], [None, None, None]):
        line = json.dumps(json.loads(played("David").to_json()) | {"personas": personas})
        with refuses(ValueError, "personas", 2, "null"):
            Record.from_json(line)


def test_a_paused_match_goes_on_only_with_the_persona_that_it_had(tmp_path):
    file = tmp_path / "one.yaml"
    file.write_text(ONE)
    paused = replace(played(file), turns=[], status="paused", errors=[0, 0], payoffs=[0.0, 0.0])
    assert restore_table(paused).record.personas == paused.personas
    file.write_text(ONE.replace("a fisherwoman", "a pirate"))
    with refuses(ValueError, "personas", "a pirate", "a fisherwoman"):
        restore_table(paused)


def test_every_field_of_a_persona_is_told():
    persona = shipped_personas()["David"]
    assert all(getattr(persona, field) in persona.describe(own_texts()) for field in FIELDS)
