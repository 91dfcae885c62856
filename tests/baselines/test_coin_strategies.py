"""What each scripted player of the Coin Game does, by hand and in any match."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from watched import Watched

import econzoo
from econzoo.baselines import player
from econzoo.baselines.coin_game import PLAYERS, POOLS
from econzoo.envs.games.coin_game import indicators, solution
from econzoo.evaluate.run import replay
from econzoo.wrappers import seat_info
from refusals import refuses

STRATEGIES = sorted({*POOLS["standard"], *POOLS["training"], *POOLS["validation"]} - {"random"})


def names(pool: Any) -> set[str]:
    return {spec.partition("(")[0] for spec in pool}


def step(env: Any, spec: str, seat: int, seed: int = 0) -> str:
    """What a player of a seat does in the position of an environment."""
    made = player(spec, "coin_game")
    made.reset(seat, seat_info(env, seat), seed)
    return made.act(env.observe(f"player_{seat}"), {})["kind"]


def can(env: Any, spec: str, seat: int = 0) -> set[str]:
    """All that it does with other seeds."""
    return {step(env, spec, seat, seed) for seed in range(24)}


def board(*placement: tuple[int, int], moves: str = "", **params: Any) -> Any:
    """An environment after steps of A and B in turn, as ``"ul dr"``: A up, B left; A down, B right."""
    env = econzoo.make("coin_game", face="structured", **params)
    env.reset(seed=0, options={"placement": placement})
    for letter in moves.replace(" ", ""):
        env.step({"kind": {"u": "up", "d": "down", "l": "left", "r": "right"}[letter]})
    return env


# -- by hand -----------------------------------------------------------------------------------------------------------


def test_collectors_beside_both_coins() -> None:
    """A between its own coin above and B's coin below."""
    env = board((1, 1), (0, 0), (0, 1), (2, 1))
    assert can(env, "greedy") == {"up", "down"}
    assert can(env, "cooperative") == can(env, "considerate") == {"up"}
    assert can(env, "spiteful") == {"down"}
    assert can(env, "mixed(0)") == {"up"}
    assert can(env, "mixed(1)") == can(env, "mixed") == {"up", "down"}
    for spec in ("tit-for-tat", "punisher", "grim", "selfish-last", "efficient"):
        assert can(env, spec) == {"up"}, spec
    assert can(env, "best-response('cooperative')") == {"down"}, "its own coin nobody will take"


def test_colours_are_seen_from_the_own_side() -> None:
    env = board((0, 0), (1, 1), (0, 1), (2, 1))
    assert can(env, "cooperative", 1) == {"down"}
    assert can(env, "spiteful", 1) == {"up"}


def test_both_coins_on_one_cell() -> None:
    env = board((1, 1), (0, 0), (0, 1), (0, 1))
    assert can(env, "cooperative") == {"up"}, "nobody can take the one and leave the other"
    assert can(env, "considerate") == {"down"}, "waits beside them: the board has no edges"


STOLEN = {"placement": ((1, 1), (0, 0), (0, 1), (2, 2), (2, 1)), "moves": "lr"}
"""B goes right onto the red coin of A, which comes back below the middle; A went left."""


def test_answers_to_a_theft() -> None:
    for spec, angry in [
        ("tit-for-tat", "spiteful"),
        ("tit-for-tat(1)", "cooperative"),
        ("punisher(3)", "greedy"),
        ("grim", "greedy"),
        ("selfish-last(2)", "cooperative"),
    ]:
        env = board(*STOLEN["placement"], moves=STOLEN["moves"])
        assert env.game_state.thefts == (0, 1), (spec, angry)
        assert can(env, spec) == can(env, angry), (spec, angry)
        assert can(env, spec, 1) == can(env, "cooperative", 1), "the thief has nothing to answer"


def test_tit_for_tat_is_even_after_one_coin() -> None:
    env = board(*STOLEN["placement"], moves="lr")
    # A stands on (1, 0), B's coin lies on (2, 2): down and then left over the edge.
    env.step({"kind": "down"})
    env.step({"kind": "right"})
    assert can(env, "tit-for-tat") == {"left"}
    env.step({"kind": "left"})
    env.step({"kind": "down"})
    assert env.game_state.others == (1, 1)
    assert can(env, "tit-for-tat") == can(env, "cooperative")
    assert can(env, "tit-for-tat", 1) == can(env, "cooperative", 1)


def test_punisher_forgives_and_grim_does_not() -> None:
    """A steals B's coin in round 1 and never again; the red coin is nearer to B than its own."""
    env = board((0, 0), (0, 2), (2, 2), (0, 1), (1, 0), moves="ru", size=4, rounds=12)
    assert env.game_state.others == (1, 0)
    assert can(env, "punisher(2)", 1) == can(env, "grim", 1) == can(env, "greedy", 1) == {"up"}
    assert can(env, "cooperative", 1) == {"down", "left", "right"}
    for first, second in (("up", "right"), ("down", "left"), ("up", "right")):  # beside all coins
        env.step({"kind": first})
        env.step({"kind": second})
    assert (env.game_state.round, env.game_state.others) == (5, (1, 0))
    assert can(env, "punisher(2)", 1) == can(env, "cooperative", 1) == {"up", "down", "right"}
    assert can(env, "grim", 1) == can(env, "greedy", 1) == {"up", "left"}


def test_taking_both_coins_from_one_cell_is_no_theft() -> None:
    env = board((1, 1), (0, 0), (0, 1), (0, 1), (2, 2), (2, 1), moves="lr")
    assert (env.game_state.own, env.game_state.others) == ((0, 1), (0, 1))
    for spec in ("tit-for-tat", "punisher", "grim"):
        assert can(env, spec) == can(env, "cooperative")


def test_selfish_last_is_greedy_near_a_known_end() -> None:
    for rounds, known, selfish in ((2, True, True), (3, True, False), (2, False, False)):
        env = board((1, 1), (0, 0), (0, 1), (2, 1), rounds=rounds, known=known)
        assert can(env, "selfish-last(2)") == ({"up", "down"} if selfish else {"up"}), (rounds, known, selfish)


# -- what they get -----------------------------------------------------------------------------------------------------


def states(specs: tuple[str, str], games: int, **params: Any) -> list[Any]:
    """Last positions of matches of two players."""
    env, seats = econzoo.make("coin_game", face="structured", **params), [player(spec, "coin_game") for spec in specs]
    out = []
    for seed in range(games):
        env.reset(seed=seed)
        for seat, one in enumerate(seats):
            one.reset(seat, seat_info(env, seat), 2 * seed + seat)
        while not env.over:
            seat = env.possible_agents.index(env.agent_selection)
            env.step(seats[seat].act(env.observe(env.agent_selection), {}))
        out.append(env.game_state)
    return out


@pytest.mark.slow
def test_players_get_what_their_policies_are_worth() -> None:
    """Within four standard errors of the exact expectation."""
    for first, second in (
        ("greedy", "greedy"),
        ("cooperative", "cooperative"),
        ("greedy", "cooperative"),
        ("considerate", "spiteful"),
    ):
        _, p = econzoo.game("coin_game").params()
        rules = econzoo.game("coin_game").rules
        found = np.array([rules.payoffs(p, state) for state in states((first, second), 150)])
        wanted = solution.expected_payoffs(p, first, second)
        assert (abs(found.mean(axis=0) - wanted) < 4 * found.std(axis=0, ddof=1) / math.sqrt(len(found))).all(), first


def test_those_who_answer_in_kind_cooperate_with_each_other() -> None:
    """They never begin a feud: nothing is taken from the other but what lies on the own coin's cell."""
    for spec in ("cooperative", "tit-for-tat", "punisher", "grim"):
        for state in states((spec, "cooperative"), 10, rounds=30) + states((spec, spec), 10, rounds=30):
            assert state.thefts == (0, 0), spec
            assert indicators.own_coin_fraction(*[indicators.count_coins(state, seat) for seat in (0, 1)]) > 0.75, spec


def test_the_share_of_own_coins_tells_cooperation() -> None:
    for spec, low, high in (
        ("cooperative", 0.85, 0.98),
        ("considerate", 1.0, 1.0),
        ("greedy", 0.4, 0.6),
        ("spiteful", 0.0, 0.2),
    ):
        found = [
            indicators.count_coins(state, seat) for state in states((spec, spec), 10, rounds=30) for seat in (0, 1)
        ]
        assert low <= indicators.own_coin_fraction(*found) <= high, (spec, low, high)


@settings(max_examples=25)
@given(
    cast=st.tuples(*[st.sampled_from(STRATEGIES)] * 2),
    size=st.integers(2, 4),
    rounds=st.integers(1, 12),
    known=st.booleans(),
    seed=st.integers(0, 2**63 - 1),
)
def test_in_any_match_steps_are_legal_and_repeat(cast: Any, size: int, rounds: int, known: bool, seed: int) -> None:
    market = {"size": size, "rounds": rounds, "known": known}
    watched = [Watched(spec, "coin_game") for spec in cast]
    record = econzoo.play("coin_game", watched, seed=seed, **market)
    assert record.status == "finished"
    assert not any(record.errors + record.defaults)
    assert replay(record) == []
    again = econzoo.play("coin_game", list(cast), seed=seed, **market)
    assert [turn.action for turn in again.turns] == [turn.action for turn in record.turns]


# -- names, arguments, pools -------------------------------------------------------------------------------------------


def test_the_standard_pool_has_one_of_every_strategy() -> None:
    assert names(POOLS["standard"]) == {*PLAYERS, "random"}


def test_nobody_of_the_validation_pool_is_met_in_training() -> None:
    assert not set(POOLS["validation"]) & set(POOLS["training"])
    assert names(POOLS["validation"]) - names(POOLS["training"]) == {
        "considerate",
        "grim",
        "efficient",
        "best-response",
    }


def test_every_strategy_cites_its_source() -> None:
    for name in PLAYERS:
        assert "Source:" in (PLAYERS[name].__doc__ or ""), name


def test_bad_arguments_are_refused_with_what_is_allowed() -> None:
    for spec, *named in [
        ("greedy(1)", "greedy"),
        ("mixed(1.5)", "greed=1.5", "0 <= greed <= 1"),
        ("mixed('a')", "greed='a'", "0 <= greed <= 1"),
        ("tit-for-tat(-1)", "tolerance=-1", "0 <= tolerance"),
        ("tit-for-tat(0.5)", "tolerance=0.5", "0 <= tolerance"),
        ("punisher(0)", "rounds=0", "1 <= rounds"),
        ("selfish-last(0)", "last=0", "1 <= last"),
        ("best-response('grim')", "policy='grim'", "'random'", "'greedy'"),
        ("best-response(3)", "policy=3", "'random'", "'greedy'"),
    ]:
        with refuses(ValueError, spec, *named):
            player(spec, "coin_game")


def test_planners_say_which_boards_are_too_large() -> None:
    for spec in ("efficient", "best-response"):
        assert econzoo.play("coin_game", [spec, "greedy"], seed=1, size=4, rounds=3).status == "finished", spec
        with refuses(ValueError, "7 x 7", "6 x 6"):
            econzoo.play("coin_game", [spec, "greedy"], seed=1, size=7)
