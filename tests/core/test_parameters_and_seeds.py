"""Which parameters the random numbers of a match depend on; its id depends on all of them, and on the options given."""

from __future__ import annotations

from dataclasses import replace

import pytest

import econzoo
from econzoo.envs.core import registry
from econzoo.envs.core.contract import Game, Parameter, Real, TupleOf, setting_of

TAX = Parameter("tax", 0.0, Real(0, 1), "Part of a gain that goes to the state.", in_seed="unless default")
WEIGHTS = Parameter("weights", (1.0, 1.0), TupleOf(2, Real()), "Of the gains.", in_seed="unless default")
COLOUR = Parameter("colour", 1.0, Real(), "Of the table.", in_seed="never")


@pytest.fixture
def taxed(monkeypatch: pytest.MonkeyPatch) -> Game:
    """Persuasion with three more parameters, which the rules do not read."""
    game = econzoo.game("persuasion")
    more = replace(game, parameters=(*game.parameters, TAX, WEIGHTS, COLOUR))
    monkeypatch.setitem(registry._LOADED_GAMES, game.name, more)
    return more


def setting(game: Game, **params: object) -> str:
    return setting_of(game, game.params(**params)[0])


def test_settings_differ_in_what_is_in_the_seed(taxed: Game) -> None:
    plain = setting(taxed)
    assert plain == setting(replace(taxed, parameters=taxed.parameters[:-3]))
    for same in ({"tax": 0}, {"weights": [1, 1]}, {"colour": 2.0}):
        assert setting(taxed, **same) == plain, same
    assert len({plain, setting(taxed, tax=0.1), setting(taxed, weights=(1, 2)), setting(taxed, price=1.0)}) == 4


def test_parameters_outside_of_the_seed_leave_nature_as_it_is(taxed: Game) -> None:
    one, other, taxes = (
        econzoo.play("persuasion", ["honest", "trust"], seed=3, **params)
        for params in ({}, {"colour": 2.0}, {"tax": 0.1})
    )
    assert one.chance == other.chance != taxes.chance


def test_ids_depend_on_every_parameter_and_on_the_options_given(taxed: Game) -> None:
    given = ({}, {"tax": 0.1}, {"weights": (1, 2)}, {"colour": 2.0}, {"channel": "open"}, {"max_retries": 2})
    ids = [econzoo.play("persuasion", ["honest", "trust"], seed=3, rounds=2, **one).id for one in given]
    assert len({*ids}) == len(ids)
    assert econzoo.play("persuasion", ["honest", "trust"], seed=3, rounds=2, tax=0.0).id == ids[0]
