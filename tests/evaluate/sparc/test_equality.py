"""The check of texts against originals finds what plays otherwise, and nothing else."""

from __future__ import annotations

import pytest

from econzoo.envs.games.code_reading.items import item_numbers, items
from econzoo.evaluate.suites.sparc import equality

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("axelrod")]

FEW = [items()[item_numbers()[name]] for name in ("TitForTat", "Grudger", "ThueMorse")]


def test_texts_play_as_their_originals():
    told = []
    assert list(equality.differences(FEW, on_item=lambda: told.append(1))) == []
    assert len(told) == len(FEW)


def test_a_text_that_plays_otherwise_is_found(monkeypatch):
    """The text of Defector in the place of TitForTat's."""
    other = items()[item_numbers()["Defector"]]
    text = equality.render_program(equality.Place(other.module, other.name))
    monkeypatch.setattr(equality, "render_program", lambda place, variant: text)
    found = list(equality.differences(FEW[:1], ["masked"]))
    assert {one.meeting.opponent for one in found} == {"Cooperator", "Random"}
    assert {(one.item, one.variant, set(one.played)) == ("TitForTat", "masked", {"D"}) for one in found} == {True}


def test_a_text_that_does_not_run_is_found(monkeypatch):
    for text, told in [("class A:\n    pass\n", "Error"), ("class A(:\n", "SyntaxError")]:
        monkeypatch.setattr(equality, "render_program", lambda place, variant, text=text: text)
        found = list(equality.differences(FEW[:1], ["plain"]))
        assert len(found) == len(equality.MEETINGS), text
        assert all(told in one.played for one in found), text


def test_players_with_teams_play_less(axelrod):
    assert equality.meetings(axelrod.MetaHunter) == equality.MEETINGS_OF_TEAMS
    assert equality.meetings(axelrod.TitForTat) == equality.MEETINGS
