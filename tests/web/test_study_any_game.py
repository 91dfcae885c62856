"""Every game has a study that runs as it is written: its example, from the first page to a move."""

from __future__ import annotations

import pytest

from exhaustive import long_unless

pytest.importorskip("starlette", reason="the pages of studies need the extra web")

from participant import Guest, Lab

from econzoo.envs.core import games
from econzoo.people.study import design_example, example_study, plan_matches


def ready(lab: Lab, label: str) -> Guest:
    """Somebody who has come as far as the waiting room, with the answers of the file."""
    study = lab.study
    right = {f"quiz.{item}": one.answer for item, one in enumerate(study.quiz)}
    return lab.guest(label).agree().read(study.attention.code_word).send("quiz", right)


@pytest.mark.parametrize("game", long_unless("water_allocation".__eq__, games(), "slow"))
def test_the_example_of_a_game_runs(new, game):
    """As many come as the first match with the most participants needs."""
    lab = new(text=example_study(game, "example.toml"))
    wanted = max(plan_matches(lab.study), key=lambda match: len(match.places)).places
    guests = [ready(lab, f"p{place}") for place in range(max(wanted) + 1)]
    assert {guest.status for guest in guests} == {200}
    places = [guest.kept.place for guest in guests if guest.kept.place is not None]
    assert len(places) == len(set(places))
    playing = [guest.see() for guest in guests if guest.where == "play"]
    assert playing
    movers = [guest for guest in playing if guest.page.move_forms]
    assert movers
    movers[0].move(0, program="no program", words="Hello")
    if movers[0].status == 422:  # games of programs say so, on the page of the match
        assert f'action="{movers[0].path}/check"' in movers[0].text
        return
    assert sum(len(lab.store.answers(match)) for match in lab.store.matches().values()) > 0


@pytest.mark.slow
def test_so_does_glees_design(new):
    for game in ("bargaining", "negotiation", "persuasion"):
        ann = ready(new(text=design_example("glee-human", game, "study.toml")), "ann")
        assert ann.where in ("waiting", "play"), game


GLEE = """
name = "glee"
game = "{game}"
[settings]
design = "glee-human"
[[arms]]
name = "program"
seats = ["person", "{player}"]
blinded = true
[matching]
participants = 3
repetitions = 1
[words]
consent = "x"
instructions = ""
debriefing = "y"
kept = "z"
[payment]
fee = 1.0
cap = 1.0
"""


@pytest.mark.parametrize(
    ("game", "player"), [("bargaining", "fair"), ("negotiation", "honest-midpoint"), ("persuasion", "random")]
)
def test_glees_settings_are_shown_with_the_role_that_they_fix(new, game, player):
    lab = new(text=GLEE.format(game=game, player=player))
    for place in range(3):
        guest = lab.guest(f"p{place}").agree().send("instructions", {})
        assert guest.where == "play"
        (match,) = lab.course.seating.own_matches(guest.kept)
        assert f"{guest.path}/table?of=play.0" in guest.text
        assert match.players.index(guest.kept.place) == lab.study.settings[match.setting].person_seat
