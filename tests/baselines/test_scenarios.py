"""The markets of every game that training and evaluation draw from."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import numpy as np
import pytest

from econzoo.envs.core.registry import game as find_game

GAMES = ("bargaining", "negotiation", "persuasion")


def scenarios(name: str) -> Any:
    return import_module(f"econzoo.envs.games.{name}.scenarios")


def drawn(name: str, distribution: str, count: int = 50) -> list[dict[str, Any]]:
    rng = np.random.default_rng(0)
    return [find_game(name).sample(distribution, rng) for _ in range(count)]


MARKETS = [
    (name, market)
    for name in GAMES
    for market in (*scenarios(name).MARKETS.values(), *scenarios(name).VALIDATION, *scenarios(name).GLEE[::7])
]
DISTRIBUTIONS = [(name, one) for name in GAMES for one in (*scenarios(name).MARKETS, *scenarios(name).DISTRIBUTIONS)]


@pytest.mark.parametrize(("name", "market"), MARKETS)
def test_every_market_is_one(name, market):
    public, _ = find_game(name).params(**market)
    assert all(public[key] == value for key, value in market.items())


@pytest.mark.parametrize(("name", "distribution"), DISTRIBUTIONS)
def test_every_draw_is_a_market_and_depends_on_the_generator_only(name, distribution):
    assert all(find_game(name).params(**market) for market in drawn(name, distribution))
    assert drawn(name, distribution) == drawn(name, distribution)


@pytest.mark.parametrize(("name", "count"), [("bargaining", 384), ("negotiation", 576), ("persuasion", 360)])
def test_glee_has_so_many_different_markets_and_all_are_drawn(name, count):
    glee = {str(market) for market in scenarios(name).GLEE}
    assert len(glee) == len(scenarios(name).GLEE) == count
    assert {str(market) for market in drawn(name, "glee", 9000)} == glee


@pytest.mark.parametrize("name", GAMES)
def test_no_market_is_held_out_twice_and_none_is_drawn_in_training(name):
    held_out = {str(market) for market in scenarios(name).VALIDATION}
    assert len(held_out) == len(scenarios(name).VALIDATION)
    assert not held_out & {str(market) for market in drawn(name, "train", 1000)}


@pytest.mark.parametrize("name", GAMES)
def test_a_draw_is_a_copy(name):
    before = drawn(name, "default"), drawn(name, "validation")
    for market in (*drawn(name, "default"), *drawn(name, "validation")):
        market["messages"] = None
    assert (drawn(name, "default"), drawn(name, "validation")) == before


@pytest.mark.parametrize("distribution", ["", "nowhere", None, 3, ["train"], "x" * 10_000])
@pytest.mark.parametrize("name", GAMES)
def test_an_unknown_market_is_refused_with_what_is_allowed(name, distribution):
    with pytest.raises(ValueError, match=r"allowed: train, (wide, )?(plain, short, )?glee, validation, test, default"):
        find_game(name).sample(distribution, np.random.default_rng(0))
