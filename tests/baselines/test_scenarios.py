"""The markets of every game that training and evaluation draw from."""

from __future__ import annotations

from importlib import import_module
from itertools import product
from typing import Any

import numpy as np

from econzoo.envs.core import game as find_game
from refusals import refuses

GAMES = ("bargaining", "negotiation", "persuasion")


def scenarios(name: str) -> Any:
    return import_module(f"econzoo.envs.games.{name}.scenarios")


def drawn(name: str, distribution: str, count: int = 50) -> list[dict[str, Any]]:
    rng = np.random.default_rng(0)
    return [find_game(name).sample(distribution, rng) for _ in range(count)]


SETTINGS = [
    (name, market)
    for name in GAMES
    for market in (*scenarios(name).SETTINGS.values(), *scenarios(name).VALIDATION, *scenarios(name).GLEE[::7])
]
DISTRIBUTIONS = [(name, one) for name in GAMES for one in (*scenarios(name).SETTINGS, *scenarios(name).DISTRIBUTIONS)]


def test_every_market_is_one():
    for name, market in SETTINGS:
        public, _ = find_game(name).params(**market)
        assert all(public[key] == value for key, value in market.items()), (name, market)


def test_every_draw_is_a_market_and_depends_on_the_generator_only():
    for name, distribution in DISTRIBUTIONS:
        assert all(find_game(name).params(**market) for market in drawn(name, distribution)), (name, distribution)
        assert drawn(name, distribution) == drawn(name, distribution), (name, distribution)


def test_glee_has_so_many_different_markets_and_all_are_drawn():
    for name, count in (("bargaining", 384), ("negotiation", 576), ("persuasion", 360)):
        glee = {str(market) for market in scenarios(name).GLEE}
        assert len(glee) == len(scenarios(name).GLEE) == count, (name, count)
        assert {str(market) for market in drawn(name, "glee", 9000)} == glee, (name, count)


def test_no_market_is_held_out_twice_and_none_is_drawn_in_training():
    for name in GAMES:
        held_out = {str(market) for market in scenarios(name).VALIDATION}
        assert len(held_out) == len(scenarios(name).VALIDATION), name
        assert not held_out & {str(market) for market in drawn(name, "train", 1000)}, name


def test_a_draw_is_a_copy():
    for name in GAMES:
        before = drawn(name, "default"), drawn(name, "validation")
        for market in (*drawn(name, "default"), *drawn(name, "validation")):
            market["messages"] = None
        assert (drawn(name, "default"), drawn(name, "validation")) == before, name


def test_an_unknown_market_is_refused_with_what_is_allowed():
    for distribution, name in product(["", "nowhere", None, 3, ["train"], "x" * 10_000], GAMES):
        with refuses(ValueError, "default", *scenarios(name).DISTRIBUTIONS) as told:
            find_game(name).sample(distribution, np.random.default_rng(0))
        assert repr(distribution)[:50] in str(told.value)
