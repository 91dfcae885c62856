"""What seats are called: one name each, in the head of a page, in rules and in questions; neutral ones in studies."""

from __future__ import annotations

import re

import pytest

pytest.importorskip("starlette", reason="the pages of studies need the extra web")

from econzoo.envs.core import all_games
from econzoo.envs.games.water_allocation.personas import persona, personas
from econzoo.people.texts import load_texts

NAMES = re.compile(r"\b(?:Alice|Bob|Participant A|Participant B|Player A|Player B)\b")


def names_on(page: str) -> set[str]:
    return set(NAMES.findall(page))


def test_nobody_in_a_study_reads_a_name_that_tells_a_gender(new):
    lab = new()
    ann = lab.ready("ann")
    assert names_on(ann.text) <= {"Player A", "Player B"}
    ben = lab.ready("ben")
    for guest in (ann.see(), ben.see()):
        assert guest.where == "play"
        assert names_on(guest.text) == {"Player A", "Player B"}


def test_other_words_for_seats_stand_in_the_head_in_rules_and_in_questions_alike(new, tmp_path):
    (own := tmp_path / "own.toml").write_text('[words]\nAlice = "Participant A"\nBob = "Participant B"\n')
    lab = new(texts=own)
    lab.ready("ann")
    ben = lab.ready("ben")
    assert names_on(ben.text) == {"Participant A", "Participant B"}


def test_at_a_table_seats_keep_their_names(visit):
    assert names_on(visit().start("matrix").raw) == {"Alice", "Bob"}


def test_every_game_with_names_of_persons_has_neutral_ones_in_a_study():
    for one in all_games():
        words = load_texts().with_neutral_names(one.name, [{}]).words
        roles = [words.get(name, name) for name in one.facts.roles]
        assert len(set(roles)) == len(roles)
        neutral = [f"Player {letter}" for letter in "ABCDE"][: len(roles)]
        assert roles == (neutral if one.facts.has_person_names else list(one.facts.roles)), one.name


def test_names_that_a_study_has_chosen_stay():
    chosen = [{"residents": [["Alex", 8, 70], ["Zoe", 9, 75]], "persona": False}]
    words = load_texts().with_neutral_names("water_allocation", chosen).words
    assert "Alex" not in words


def test_a_resident_by_another_name_is_the_same_person():
    assert [persona(f"Player {letter}", seat) for seat, letter in enumerate("ABCDE")] == list(personas().values())
