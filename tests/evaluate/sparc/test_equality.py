"""The check of texts against originals finds what plays otherwise, and nothing else."""

from __future__ import annotations

import pytest

from benchmark_scripts import load_benchmark
from econzoo.envs.games.code_reading.items import item_numbers, items

sparc = load_benchmark("sparc")

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("axelrod")]

FEW = [items()[item_numbers()[name]] for name in ("TitForTat", "Grudger", "ThueMorse")]


def test_texts_play_as_their_originals():
    assert [one for item in FEW for one in sparc.differences(item)] == []


def test_a_text_that_plays_otherwise_is_found(monkeypatch):
    """The text of Defector in the place of TitForTat's."""
    other = items()[item_numbers()["Defector"]]
    text = sparc.render_program(sparc.Place(other.module, other.name))
    monkeypatch.setattr(sparc, "render_program", lambda place, variant: text)
    found = list(sparc.differences(FEW[0], ["masked"]))
    assert {one.meeting.opponent for one in found} == {"Cooperator", "Random"}
    assert {(one.item, one.variant, set(one.played)) == ("TitForTat", "masked", {"D"}) for one in found} == {True}


def test_a_text_that_does_not_run_is_found(monkeypatch):
    for text, error in [("class A:\n    pass\n", "Error"), ("class A(:\n", "SyntaxError")]:
        monkeypatch.setattr(sparc, "render_program", lambda place, variant, text=text: text)
        found = list(sparc.differences(FEW[0], ["plain"]))
        assert len(found) == len(sparc.MEETINGS), text
        assert all(error in one.played for one in found), text


def test_players_with_teams_play_less(axelrod):
    assert sparc.meetings(axelrod.MetaHunter) == sparc.MEETINGS_OF_TEAMS
    assert sparc.meetings(axelrod.TitForTat) == sparc.MEETINGS
