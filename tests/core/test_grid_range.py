"""The grid of the numeric face over a part of the usual amounts, in every view of a game."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import econzoo
from econzoo.envs.core.contract import Legal
from econzoo.envs.core.faces import Ranges
from econzoo.evaluate.run import replay
from econzoo.wrappers import DiscreteActions
from exhaustive import long_unless
from refusals import refuses

PRICES = [8000.0, 9000.0, 10000.0, 11000.0, 12000.0, 13000.0, 14000.0]
OPTIONS: dict[str, Any] = {"grid": 7, "grid_range": (0.4, 0.7)}
BARGAINING = econzoo.game("bargaining")


def posted(env: Any, number: int) -> float:
    """The price of the first move, which has this number."""
    env.reset(seed=1)
    env.step(number)
    return price(env.unwrapped)


def price(env: Any) -> float:
    return float(env.information_state("player_0").events[0].action.price)


def prices(env: Any) -> list[float]:
    return [posted(env, number) for number in range(7)]


def test_prices_cover_the_part_in_every_view() -> None:
    by_field = {**OPTIONS, "grid_range": {"price": [0.4, 0.7]}}
    for options in (OPTIONS, by_field, {**OPTIONS, "flat": True}, {**OPTIONS, "grid_range": "0.4,0.7"}):
        assert prices(econzoo.make("negotiation", **options)) == PRICES
    assert prices(DiscreteActions(econzoo.make("negotiation", face="structured"), **OPTIONS)) == PRICES
    for money, factor in ((10_000.0, 1.0), (100.0, 0.01)):
        env = econzoo.make("negotiation", money=money, **OPTIONS)
        assert prices(env) == pytest.approx([factor * price for price in PRICES])


def test_the_parallel_and_the_single_view_take_it() -> None:
    parallel = econzoo.make_parallel("negotiation", **OPTIONS)
    assert parallel.action_space("player_0").n == 7 + 3 + 1
    seen, _ = parallel.reset(seed=1)
    mover = next(agent for agent, one in seen.items() if one["action_mask"][0])
    parallel.step({agent: 2 if agent == mover else 10 for agent in parallel.agents})
    assert price(parallel.unwrapped.aec) == 10_000.0
    env = gymnasium.make("econzoo:econzoo/Negotiation-v0", opponent="truthful", **OPTIONS)
    assert env.action_space.n == 10  # type: ignore[attr-defined]


@pytest.mark.usefixtures("interpreted")
def test_compiled_games_take_it() -> None:
    pytest.importorskip("numba")
    env = econzoo.make_vec("negotiation", num_envs=7, **OPTIONS)
    env.reset(seed=1)
    assert env.games._numbers.decode(np.arange(7), 0)[1][:, 0].tolist() == PRICES


def test_all_of_the_amounts_is_the_default() -> None:
    usual = prices(econzoo.make("negotiation", grid=7))
    assert prices(econzoo.make("negotiation", grid=7, grid_range=(0, 1))) == usual
    assert usual[-1] == 20_000.0


def test_a_record_keeps_it_and_replays() -> None:
    record = econzoo.play("negotiation", ["truthful", "truthful"], seed=1, **OPTIONS)
    assert record.options["grid_range"] == [0.4, 0.7] or record.options["grid_range"] == (0.4, 0.7)
    assert "grid_range" not in econzoo.play("negotiation", ["truthful", "truthful"], seed=1).options
    assert not replay(type(record).from_json(record.to_json()))


def test_what_is_no_part_is_refused() -> None:
    told = "LOW,HIGH with 0 <= LOW < HIGH <= 1"
    for wrong in ((8000, 14000), (0.7, 0.4), (0.4, 0.4), (0.4,), "0.4", "a,b", 0.5, (float("nan"), 1), (False, True)):
        with refuses(ValueError, "negotiation", "grid_range", told):
            econzoo.make("negotiation", grid_range=wrong)
        with refuses(ValueError, "DiscreteActions", "grid_range", told):
            DiscreteActions(econzoo.make("negotiation", face="structured"), grid_range=wrong)
    with refuses(ValueError, "'gain'", "price"):
        econzoo.make("negotiation", grid_range={"gain": (0.4, 0.7)})
    with refuses(ValueError, "grid_range of price", told):
        econzoo.make("negotiation", grid_range={"price": None})


GAMES = econzoo.games()


@pytest.mark.parametrize("name", long_unless(lambda one: GAMES.index(one) % 3 == 0, GAMES, "slow"))
def test_every_game_is_played_on_a_part(name: str) -> None:
    game = econzoo.game(name)
    env = econzoo.make(name, grid=5, grid_range=(0.25, 0.5))
    env.reset(seed=3)
    for agent in env.agent_iter(60):
        seen, _, terminated, truncated, _ = env.last()
        space = env.action_space(agent)
        env.step(None if terminated or truncated else space.sample(seen["action_mask"]))
    assert sum(env.unwrapped.errors) == 0 or isinstance(space, gymnasium.spaces.MultiDiscrete), game


PAIRS = st.tuples(st.floats(-1e6, 1e6), st.floats(0, 1e6)).map(lambda two: (two[0], two[0] + two[1]))
PARTS = st.lists(st.floats(0, 1), min_size=2, max_size=2, unique=True).map(lambda two: (min(two), max(two)))


@given(pairs=st.lists(PAIRS, min_size=1, max_size=5), part=PARTS)
def test_arrays_are_the_same_to_the_last_digit_and_never_outside(pairs: list[Any], part: Any) -> None:
    ranges = Ranges(part, BARGAINING.actions)
    one_by_one = [ranges.legal(Legal((True,) * 3, (pair,), False)).grid_bounds[0] for pair in pairs]
    assert ranges.grids(np.array(pairs)[:, None])[:, 0].tolist() == list(map(list, one_by_one))
    for (low, high), (first, last) in zip(pairs, one_by_one, strict=True):
        assert low <= first <= last <= high
