"""Games whose moves have several fields, and in which now one seat moves and now several."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import econzoo
from econzoo.envs.core.contract import turns_of
from econzoo.envs.core.faces import MoveSpace
from econzoo.wrappers import DiscreteActions
from refusals import refuses, says
from toy_games import BUDGET, DIVISION, PUNISH, SEVERAL_FIELDS, TALK_THEN_BID, TOYS, register_temporarily


@pytest.fixture(autouse=True)
def _known() -> Iterator[None]:
    with register_temporarily(*SEVERAL_FIELDS.values()):
        yield


def started(name: str, *moves: Any, face: str = "structured", chance: Any = (), **kwargs: Any) -> Any:
    env = econzoo.make(name, face=face, **kwargs)
    env.reset(seed=0, options={"chance": list(chance)})
    for move in moves:
        env.step(move)
    return env


def offer(*keep: int) -> dict[str, Any]:
    return {"kind": "offer", "keep": list(keep)}


def order(price: float, quantity: int, market: str) -> dict[str, Any]:
    return {"kind": "order", "price": price, "quantity": quantity, "market": market}


def give(*amounts: float) -> list[dict[str, Any]]:
    return [{"kind": "contribute", "amount": amount} for amount in amounts]


def punish(whom: int, points: int) -> dict[str, Any]:
    return {"kind": "punish", "whom": whom, "points": points}


ACCEPT, REJECT, STAY, SPARE = {"kind": "accept"}, {"kind": "reject"}, {"kind": "stay"}, {"kind": "spare"}


def test_how_seats_take_turns() -> None:
    for game, called, waiting in [
        ("pennies", "simultaneous", False),
        ("coin", "alternating", True),
        ("lowest_bid", "simultaneous", False),
        ("division", "alternating", True),
        ("budget", "simultaneous", False),
        ("punish", "mixed", True),
        ("talk_then_bid", "mixed", True),
    ]:
        turns = turns_of(TOYS[game])
        assert (turns.turn_order, turns.has_waiting_seats) == (called, waiting), game


# A group of counts


def test_a_division() -> None:
    for moves, payoffs in [
        # Items 1, 2, 3; worth 4, 3, 1 to seat 0 and 2, 1, 2 to seat 1.
        ([offer(1, 2, 0), ACCEPT], (10.0, 6.0)),
        ([offer(1, 2, 2), REJECT, offer(0, 0, 3), ACCEPT], (10.0, 6.0)),
        ([offer(0, 0, 0), ACCEPT], (0.0, 10.0)),
        ([offer(1, 1, 1), REJECT, offer(1, 1, 1), REJECT, offer(1, 1, 1), REJECT], (0.0, 0.0)),
    ]:
        assert started("division", *moves).payoffs == payoffs, moves


def test_the_number_of_kinds_is_a_parameter_but_not_at_reset() -> None:
    env = started("division", offer(0, 5), items=(1, 5), worth=((1, 2), (3, 4)))
    assert env.legal("player_1").bounds == ((0.0, 1.0), (0.0, 5.0))
    env.step(ACCEPT)
    assert env.payoffs == (10.0, 3.0)
    with refuses(ValueError, "division", "options['params']"):
        env.reset(options={"params": {"items": (1,), "worth": ((1,), (1,))}})
    env.reset(options={"params": {"items": (3, 4)}})
    assert env.legal("player_0").bounds == ((0.0, 3.0), (0.0, 4.0))


def test_a_group_in_the_history_and_in_the_text() -> None:
    env = started("division", offer(1, 0, 2))
    assert env.last()[0]["history"][0]["keep"] == [1, 0, 2]
    text = started("division", '{"kind": "offer", "keep": [1, 0, 2], "message": "Yes?"}', face="text").last()[0]["text"]
    says(text, "1, 0 and 2", '"Yes?"', '{"kind":<one of: accept, reject>}')


# Refusals


def test_a_move_that_cannot_be_played_is_told_why() -> None:
    all_give = give(0, 0, 0)
    # Who has 5 + 20 dollars and is punished with 10 points of 3 dollars each is out.
    out = [*all_give, punish(1, 10)]
    for game, before, move, code, named in [
        ("division", [], offer(1, 2, 3), "refused", ("offer",)),
        ("division", [], offer(1, 2, 4), "out_of_range", ("keep[2]", 0, 3, 4)),
        ("budget", [], order(8, 3, "east"), "out_of_range", ("market", "north", "south", "'east'")),
        ("budget", [], order(8, 3, "north"), "refused", ("order",)),
        ("punish", all_give, punish(0, 1), "refused", ("punish",)),
        ("punish", all_give, punish(3, 1), "out_of_range", ("whom", 0, 2, 3)),
        ("punish", out, punish(1, 1), "refused", ("punish",)),
    ]:
        for face in ("structured", "text"):
            written = [str(one).replace("'", '"') if face == "text" else one for one in [*before, move]]
            env = started(game, *written[:-1], face=face)
            while env.terminations[env.agent_selection]:
                env.step(None)
            state = env.game_state
            env.step(written[-1])
            info = env.infos[env.agent_selection]
            assert (info["error_code"], env.game_state) == (code, state), (game, move, face)
            says(info["error"], *named)


def test_exactly_the_purse_may_be_spent() -> None:
    env = started("budget", order(10, 2, "north"), STAY, rounds=1)
    assert (env.payoffs, env.errors) == ((20.0, 20.0), [0, 0])
    assert env.game_state.purses == (0.0, 20.0)


# All at once


def test_orders() -> None:
    for orders, units in [
        ([order(5, 3, "north"), order(6, 2, "north")], (1.0, 2.0)),  # three are for sale: the higher price first
        ([order(5, 3, "north"), order(5, 2, "north")], (3.0, 0.0)),  # of equal ones the lower seat
        ([order(5, 3, "north"), order(5, 2, "south")], (3.0, 2.0)),
        ([order(5, 1, "north"), STAY], (1.0, 0.0)),
    ]:
        assert started("budget", *orders, rounds=1).game_state.units == units, orders


# Now several, now one


def test_contributing_together_and_punishing_one_by_one() -> None:
    env = econzoo.make("punish", face="structured", rounds=1)
    env.reset(seed=0)
    asked = []
    for move in [*give(10, 20, 0), SPARE, punish(2, 4), SPARE]:
        asked.append(env.agent_selection)
        env.step(move)
    assert asked == ["player_0", "player_1", "player_2"] * 2
    # 5 + 20 - contribution + 0.4 * 30, less 4 points of seat 1 and 3 * 4 of seat 2.
    assert env.payoffs == (27.0, 17.0 - 4.0, 37.0 - 12.0)
    assert [(event.seat, event.moment) for event in env.events] == [(0, 1), (1, 1), (2, 1), (0, 2), (1, 3), (2, 4)]


def test_what_one_may_not_do_while_others_move() -> None:
    env = started("punish", *give(1, 1, 1))
    assert [env.legal(agent).kinds for agent in env.agents] == [(False, True, True), (False,) * 3, (False,) * 3]
    assert env.observe("player_1")["legal_actions"] == ()
    assert [len(env.observe(agent)["history"]) for agent in env.agents] == [3] * 3


def test_who_has_less_than_nothing_is_out() -> None:
    env = started("punish", *give(0, 0, 0), punish(1, 9), rounds=2)
    assert env.terminations == {"player_0": False, "player_1": True, "player_2": False}
    assert env.last()[2]
    assert env.infos["player_1"]["payoff"] == 25.0 - 27.0
    env.step(None)
    assert env.agent_selection == "player_2", "its turn to punish is skipped"
    env.step(SPARE)
    assert [agent for agent in env.agents if any(env.legal(agent).kinds)] == ["player_0", "player_2"]
    for move in [*give(20, 20), punish(2, 1), SPARE]:
        env.step(move)
    # 25 - 9 and 25; two living contribute 40, of which each gets 0.4.
    assert env.payoffs == (16.0 + 16.0 - 1.0, -2.0, 25.0 + 16.0 - 3.0)


def test_one_speaks_and_the_others_bid_at_once() -> None:
    """Seat 2 sells a good thing, then seat 0 a bad one; the order is nature's."""
    said = {"kind": "say", "claim": "good"}
    bids = [{"kind": "bid", "bid": 4.0}, {"kind": "bid", "bid": 6.0}]
    env = started("talk_then_bid", said, chance=[2.0, 1.0, 0.0, 0.0])
    assert [any(env.legal(agent).kinds) for agent in env.agents] == [True, True, False]
    assert [env.observe(agent)["good"] for agent in env.agents] == [None, None, 1.0]
    env.step(bids[0])
    assert env.observe("player_1")["history"] == ({"seat": 2, "round": 1, "moment": 1, **said},)
    env.step(bids[1])
    assert env.game_state.earned == (0.0, 10.0 - 6.0, 6.0)
    assert env.agent_selection == "player_0"
    assert env.chance_draws == [2.0, 1.0, 0.0, 0.0]
    assert [event.moment for event in env.events] == [1, 2, 2]


def test_nature_draws_every_order() -> None:
    env, orders = econzoo.make("talk_then_bid", face="structured"), set()
    for seed in range(60):
        env.reset(seed=seed)
        sellers = []
        while env.agents and not env.terminations[env.agent_selection]:
            selling = env.game_state.claim < 0
            sellers += [env.game_state.seller] if selling else []
            env.step({"kind": "say", "claim": "bad"} if selling else {"kind": "bid", "bid": 0.0})
        orders.add(tuple(sellers))
    assert len(orders) == 6
    assert all(sorted(order) == [0, 1, 2] for order in orders)


def test_chat_tells_what_others_did_at_once_after_the_own_move() -> None:
    """Moves of one moment were not known to each other; the moves of a later phase of the round are news as well."""
    env = started("punish", *[f'{{"kind": "contribute", "amount": {x}}}' for x in (1, 2, 3)], face="chat")
    others = env.last()[0]["text"].splitlines()[:2]
    env.step('{"kind": "spare"}')
    everybody = env.last()[0]["text"].splitlines()[:3]
    for line, *named in [
        (others[0], "Round 1", "Ben", 2),
        (others[1], "Round 1", "Cy", 3),
        (everybody[0], "Round 1", "Ann", 1),
        (everybody[1], "Round 1", "Cy", 3),
        (everybody[2], "Round 1", "Ann", "punished"),
    ]:
        says(line, *named)


# Views


def test_who_waits_has_the_no_op_in_the_parallel_view() -> None:
    env = econzoo.make_parallel("punish", grid=3)
    observations, _ = env.reset(seed=0)
    size = 3 + 3 * 10 + 1
    assert all(env.action_space(agent).n == size + 1 for agent in env.agents)
    assert [seen["action_mask"].nonzero()[0].tolist() for seen in observations.values()] == [[0, 1, 2]] * 3
    observations, *_ = env.step(dict.fromkeys(env.agents, 0))
    assert [seen["action_mask"][-1] for seen in observations.values()] == [0, 1, 1]
    observations, *_ = env.step({"player_0": size - 1, "player_1": size, "player_2": size})
    assert [seen["action_mask"][-1] for seen in observations.values()] == [1, 0, 1]
    assert not any(env.aec.errors)
    assert econzoo.make("punish", grid=3).action_space("player_0").n == size, "nobody who waits is asked there"


def test_another_face_on_an_environment_knows_what_the_rules_refuse() -> None:
    for name, params in [("punish", {"players": 4}), ("division", {"items": (1, 5), "worth": ((1, 2), (3, 4))})]:
        view = DiscreteActions(econzoo.make(name, face="structured", **params), grid=3)
        numeric = econzoo.make(name, grid=3, **params)
        for env in (view, numeric):
            env.reset(seed=0)
        while numeric.agents:
            assert np.array_equal(view.last()[0]["action_mask"], numeric.last()[0]["action_mask"]), name
            ended = numeric.terminations[numeric.agent_selection]
            action = None if ended else int(np.flatnonzero(numeric.last()[0]["action_mask"])[0])
            for env in (view, numeric):
                env.step(action)
        assert view.unwrapped.payoffs == numeric.payoffs, name


def test_random_players_play_to_the_end_without_errors() -> None:
    for seats in [2, 6]:
        for name in SEVERAL_FIELDS:
            params = {} if name == "division" else {"players": seats}
            seated = 2 if name == "division" else seats
            record = econzoo.play(name, ["random"] * seated, seed=seats, **params)
            assert (record.status, record.errors) == ("finished", [0] * seated), name


def test_sampled_moves_are_moves() -> None:
    for game in [DIVISION, BUDGET, PUNISH, TALK_THEN_BID]:
        space = econzoo.make(game.name, face="structured").action_space("player_0")
        assert isinstance(space, MoveSpace), game
        samples = [space.sample() for _ in range(40)]
        assert all(space.contains(sample) for sample in samples), game
        assert {sample["kind"] for sample in samples} == set(game.actions.names), game
