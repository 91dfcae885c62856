"""Scripted readers: what each says where the right answer is known."""

from __future__ import annotations

from importlib.util import find_spec

import pytest

import econzoo
from econzoo.envs.games.code_reading.items import items
from refusals import refuses


def said(spec: str, item: str, answers: str = "probability") -> dict:
    record = econzoo.play("code_reading", [spec], seed=0, item=item, answers=answers)
    assert record.status == "finished"
    return record.turns[0].action


def test_what_is_said_of_known_programs():
    for spec, item, probability in [
        ("constant", "Defector", 0.59),
        ("constant(0.2)", "Cooperator", 0.2),
        ("first-move", "TrickyCooperator", 0.8),
        ("first-move", "Defector", 0.2),
        ("first-move(1.0)", "TitForTat", 1.0),
        ("static", "TitForTat", 0.98),
        ("static", "TrickyCooperator", 0.02),
        ("static", "BackStabber", 0.02),
    ]:
        assert said(spec, item) == {"kind": "probability", "probability": pytest.approx(probability)}, (spec, item)


def test_words_where_words_are_asked_for():
    assert said("static", "TitForTat", "words") == {"kind": "yes"}
    assert said("constant(0.5)", "TitForTat", "words") == {"kind": "no"}


def accuracy(spec: str) -> float:
    usable = [item for item in items() if item.label != 0.5][::3]
    return sum((said(spec, i.name)["probability"] > 0.5) == (i.label > 0.5) for i in usable) / len(usable)


def test_reading_the_tree_beats_the_first_move_and_the_constant():
    assert accuracy("constant") < accuracy("first-move") < accuracy("static")


@pytest.mark.skipif(find_spec("axelrod") is None, reason="the programs are run by the Axelrod library")
@pytest.mark.slow
def test_running_a_deterministic_program_settles_it():
    for item, probability in (("TitForTat", 1.0), ("BackStabber", 0.0), ("Cooperator", 1.0)):
        assert said("simulate(2)", item)["probability"] == probability, (item, probability)


def test_bad_arguments_are_refused():
    for spec, allowed in (
        *(("constant(2)", "0 <= value <= 1"), ("first-move(0.1)", "0.5 <= sure <= 1")),
        *(("simulate(0)", "1 <= matches <= 10000"), ("simulate(1.5)", "1 <= matches <= 10000")),
    ):
        with refuses(ValueError, spec, allowed):
            econzoo.play("code_reading", [spec], seed=0)
