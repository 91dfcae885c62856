"""A parameter or an option that comes in later leaves matches, records and ids from before as they are."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest

import econzoo
from econzoo.envs.core import registry
from econzoo.envs.core.contract.game import Game
from econzoo.envs.core.contract.parameters import LaterParameter, Real, TupleOf
from econzoo.envs.core.env.options import RECORDED_OPTIONS
from econzoo.envs.core.record.record import Record
from econzoo.evaluate.run.design import Setting, new_design
from econzoo.evaluate.run.replay import replay

TAX = LaterParameter("tax", 0.0, Real(0, 1), "Part of a gain that goes to the state.", legacy_value=0.0)
WEIGHTS = LaterParameter("weights", (1.0, 1.0), TupleOf(2, Real()), "Of the gains.", legacy_value=(1.0, 1.0))


@pytest.fixture(scope="module")
def earlier() -> Record:
    """A match from before there was a tax."""
    return econzoo.play("bargaining", ["fair", "greedy"], seed=3, horizon=2)


@pytest.fixture
def taxed(earlier: Record, monkeypatch: pytest.MonkeyPatch) -> Iterator[Game]:
    """Bargaining with two more parameters, which the rules do not read."""
    game = econzoo.game("bargaining")
    later = replace(game, parameters=(*game.parameters, TAX, WEIGHTS))
    monkeypatch.setitem(registry._LOADED_GAMES, "bargaining", later)
    return later


def played(**params: object) -> Record:
    return econzoo.play("bargaining", ["fair", "greedy"], seed=3, horizon=2, **params)


def test_the_id_is_the_one_from_before(taxed: Game, earlier: Record) -> None:
    for params in [{}, {"tax": 0}, {"weights": [1, 1]}]:
        record = played(**params)
        assert record.params == {**earlier.params, "tax": 0.0, "weights": [1.0, 1.0]}, params
        assert record.id == earlier.id == record.match_id(), params


def test_other_values_are_in_the_id(taxed: Game, earlier: Record) -> None:
    ids = {earlier.id, *(played(tax=tax).id for tax in (0.1, 0.2)), played(weights=(1, 2)).id}
    assert len(ids) == 4


def test_another_default_later_changes_no_id(taxed: Game, earlier: Record, monkeypatch: pytest.MonkeyPatch) -> None:
    untaxed, by_tenth = played().id, played(tax=0.1).id
    parameters = (*taxed.parameters[:-2], replace(TAX, default=0.1), WEIGHTS)
    monkeypatch.setitem(registry._LOADED_GAMES, "bargaining", replace(taxed, parameters=parameters))
    assert (played(tax=0.0).id, played().id) == (untaxed, by_tenth)
    assert Record.from_json(earlier.to_json()).params["tax"] == 0.0, "not what is the default now"


def test_records_from_before_replay_with_the_value_from_before(taxed: Game, earlier: Record) -> None:
    given = {**vars(earlier), "turns": [vars(turn) for turn in earlier.turns]}
    assert "tax" not in given["params"]
    assert replay(given) == []
    assert replay(Record.from_json(earlier.to_json())) == []


def test_records_from_before_are_of_the_market_that_they_were_of(taxed: Game, earlier: Record) -> None:
    design = new_design("bargaining", ["fair", "greedy"], [Setting("short", {"horizon": 2}), Setting("long", {})])
    assert design.setting_name(earlier.params) == "short"


def test_an_option_at_the_default_it_came_in_with_stays_out(earlier: Record, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(RECORDED_OPTIONS, "channel", replace(RECORDED_OPTIONS["channel"], legacy_value="open"))
    record = played(channel="open")
    assert (record.options, record.id) == ({}, earlier.id)
    assert played(channel="off").options == {"channel": "off"}
