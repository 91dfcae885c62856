"""GLEE's design with people: its 195 settings, counted and compared with the grid of the game."""

from __future__ import annotations

from collections import Counter
from functools import cache
from pathlib import Path

import pytest

import econzoo
from econzoo.people.study import Study, design_example, plan_matches
from econzoo.people.study.study_file import parse_study
from refusals import refuses

COUNTS = {"bargaining": 78, "negotiation": 60, "persuasion": 57}
"""Settings of each family, 195 in all (arXiv:2410.05254)."""


@cache
def glee(game: str) -> Study:
    return parse_study(design_example("glee-human", game, "glee.toml"), Path("glee.toml"))


@pytest.mark.parametrize(("game", "count"), COUNTS.items())
def test_the_settings_are_in_the_grid_of_the_game(game: str, count: int) -> None:
    study = glee(game)
    assert len(study.settings) == count
    find = econzoo.game(game)
    grid = [find.params(**params)[0] for params in find.scenarios.GLEE]
    horizons = {"max_rounds": find.defaults.get("max_rounds")} if "max_rounds" in find.defaults else {}
    for _, params, *_ in study.settings:
        prior = {"prior": 1 / 3} if params.get("prior") == 0.333333333 else {}
        assert find.params(**{**params, **horizons, **prior})[0] in grid


def test_people_took_each_seat_but_that_of_a_myopic_buyer() -> None:
    for game in ("bargaining", "negotiation"):
        assert Counter(one.person_seat for one in glee(game).settings) == {0: COUNTS[game] // 2, 1: COUNTS[game] // 2}
    persuasion = glee("persuasion")
    found = Counter((one.person_seat, one.params["buyer"]) for one in persuasion.settings)
    assert found == {(0, "long-living"): 19, (1, "long-living"): 19, (0, "myopic"): 19}


def test_a_published_game_with_a_person_was_played_in_one_of_them() -> None:
    """bargaining_16: a person as Alice, no discounting, 10,000 dollars, an unknown horizon."""
    study = glee("bargaining")
    wanted = {"delta": [1.0, 1.0], "money": 10000.0, "horizon": None, "max_rounds": 99}
    wanted |= {"complete_information": True, "messages": True}
    assert (wanted, 0) in [(one.params, one.person_seat) for one in study.settings]


def test_the_person_sits_where_the_setting_says() -> None:
    study = glee("negotiation")
    for one in plan_matches(study):
        assert isinstance(one.players[study.settings[one.setting].person_seat or 0], int)
        assert len(one.places) == 1


def test_another_game_has_no_such_design() -> None:
    with refuses(ValueError, "glee-human", "matrix", "bargaining", "negotiation"):
        design_example("glee-human", "matrix", "glee.toml")
