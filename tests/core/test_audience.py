"""Who sees what: hidden and sealed moves, words for one ear, and what comes to light later."""

from __future__ import annotations

import dataclasses
from typing import Annotated, Any, NamedTuple

import numpy as np
import pytest

import econzoo
from econzoo.envs.core.contract import ActionSchema, Amount, ByQuantile, Event, Fact, Kind, Message, Normal, Seat
from econzoo.envs.core.contract import Uniform, draw
from econzoo.envs.core.contract.chance import check_scripted_move
from econzoo.envs.core.env.audience import Audience
from refusals import refuses, says
from toy_games import BUDGET, COIN, PENNIES, TENDER, register_temporarily

VALUES = [5.0, 1.25, 2.0]
ONE_ROUND = (
    {"kind": "whisper", "whom": 2, "message": "I bid 4."},
    {"kind": "bid", "price": 3.0},
    {"kind": "wait"},
)


def after(rounds: int, face: str = "structured", **params: Any) -> Any:
    """The tender after so many rounds in which Ann whispers to Cy, Ben bids 3 and Cy waits."""
    env = econzoo.make_raw("tender", face=face, rounds=4, **params)
    env.reset(seed=0, options={"chance": VALUES})
    for move in ONE_ROUND * rounds:
        env.step(move)
    return env


def told(env: Any, seat: int) -> list[tuple[int, int, str]]:
    """(seat, round, what) of everything that a seat was told."""
    history = env.observe(f"player_{seat}")["history"]
    return [(e["seat"], e["round"], "revealed" if "revealed" in e else e["kind"]) for e in history]


def test_each_seat_has_a_history_of_its_own() -> None:
    with register_temporarily(TENDER):
        env = after(1)
        assert [told(env, seat) for seat in range(3)] == [
            [(0, 1, "whisper")],
            [(1, 1, "bid")],
            [(0, 1, "whisper"), (2, 1, "wait")],
        ]
        assert len(env.events) == 3, "the record and spectators have the whole truth"
        (heard,) = [event for event in env.observe("player_2")["history"] if event["kind"] == "whisper"]
        assert heard["message"] == "I bid 4."


def test_bids_are_opened_at_noon_for_all() -> None:
    with register_temporarily(TENDER):
        env = after(2)
        history = env.observe("player_0")["history"]
        opened = {event["seat"]: event["opened"] for event in history if "opened" in event}
        assert opened == {0: -1.0, 1: 3.0, 2: -1.0}
        assert told(env, 0)[-2:] == [(1, 2, "revealed"), (2, 2, "revealed")], "what the others did stays hidden"
        assert env.view(0).opened == (-1.0, 3.0, -1.0)


def test_texts_tell_what_the_seat_was_told() -> None:
    with register_temporarily(TENDER):
        env = econzoo.make_raw("tender", face="text", rounds=4)
        env.reset(seed=0, options={"chance": VALUES})
        for _ in range(2):
            env.step('{"kind": "whisper", "whom": 2, "message": "I bid 4."}')
            env.step('{"kind": "bid", "price": 3}')
            env.step('{"kind": "wait"}')
        ann, ben, cy = (env.observe(agent)["text"] for agent in env.possible_agents)
        assert "I bid 4." in cy
        assert "I bid 4." not in ben
        assert "waited" not in ann, "what others do is hidden"
        says(ann, "Round 2", "Ben", "3 dollars")


def test_sealed_moves_are_made_and_not_shown() -> None:
    with register_temporarily(BUDGET):
        env = econzoo.make_raw("budget", face=("structured", "text", "structured"), players=3)
        env.reset(seed=0)
        for agent in env.possible_agents:
            order = {"kind": "stay"}
            env.step(order if agent != "player_1" else '{"kind": "stay"}')
        others = [event for event in env.observe("player_0")["history"] if event["seat"] != 0]
        assert [set(event) for event in others] == [{"seat", "round", "moment", "sealed"}] * 2
        assert "stay" not in env.observe("player_1")["text"].split("Round 1: Ann")[1].splitlines()[0]


# -- chance as a distribution ---------------------------------------------------------------------------------


class Squares:
    """Rules whose nature draws squares of uniform numbers."""

    @staticmethod
    def quantile(params: Any, state: Any, part: float) -> float:
        return part**2


def test_nature_draws_from_its_distribution() -> None:
    for distribution, mean, deviation in [
        (Uniform(2.0, 6.0), 4.0, 4.0 / 12**0.5),
        (Normal(1.0, 3.0), 1.0, 3.0),
        (ByQuantile(), 1 / 3, (1 / 5 - 1 / 9) ** 0.5),
        (((0.0, 0.25), (4.0, 0.75)), 3.0, 3**0.5),
    ]:
        rng = np.random.default_rng(0)
        numbers = np.array([draw(Squares, None, distribution, None, rng) for _ in range(20_000)])
        assert numbers.mean() == pytest.approx(mean, abs=4 * deviation / 20_000**0.5), distribution
        assert numbers.std() == pytest.approx(deviation, rel=0.03), distribution


def test_what_cannot_happen_cannot_be_scripted() -> None:
    for distribution, move, allowed in [
        (Uniform(2.0, 6.0), 6.5, (2, 6)),
        (Normal(0.0, 1.0), float("nan"), ()),
        (((0.0, 1.0),), 1.0, (0.0,)),
    ]:
        with refuses(ValueError, move, *allowed):
            check_scripted_move(TENDER, distribution, move)
    assert check_scripted_move(TENDER, Uniform(2.0, 6.0), 2.5) == 2.5


@pytest.mark.usefixtures("interpreted")
def test_a_compiled_tender_draws_as_the_scalar_one() -> None:
    from econzoo.envs.core.vector import GameBatch

    with register_temporarily(TENDER):
        batch = GameBatch("tender", 1, {"players": 3}, seed=7)
        env = econzoo.make_raw("tender", players=3)
        env.reset(seed=7)
        assert batch.position(0)[1] == env.game_state


# -- facts and words beside the usual ways --------------------------------------------------------------------


class Light(NamedTuple):
    """What comes to light."""

    number: float


class Tell(NamedTuple):
    """Words for several."""

    whom: Annotated[tuple[int, ...], Seat("who hears it")]
    message: Annotated[str, Message("words", recipients=("whom",))] = ""


def heard_of(facts: tuple[Fact, ...]) -> list[list[Any]]:
    """What each seat is told of (action, fact) when seat 0 of pennies acts and these facts come to light."""
    rules = dataclasses.replace(PENNIES.rules, facts=lambda p, before, moves, s: facts)
    with register_temporarily(dataclasses.replace(PENNIES, rules=rules)):
        env = econzoo.make_raw("pennies", face="structured", rounds=2)
        env.reset(seed=0)
        for kind in ("heads", "tails"):
            env.step({"kind": kind})
        return [[(e.seat, e.action is None, e.fact) for e in env.visible_events(seat)] for seat in (0, 1)]


def test_no_fact_is_lost() -> None:
    """Two facts about one seat stand one after the other; each is told to those whom it is for."""
    both = heard_of((Fact(0, Light(1.0)), Fact(0, Light(2.0), (False, True))))
    assert both[1] == [(0, False, (1.0,)), (1, False, None), (0, True, (2.0,))]
    assert both[0] == [(0, False, (1.0,)), (1, False, None)]


def test_a_fact_about_a_seat_that_did_not_act_stands_alone() -> None:
    rules = dataclasses.replace(COIN.rules, facts=lambda p, before, moves, s: (Fact(1, Light(7.0)),))
    with register_temporarily(dataclasses.replace(COIN, rules=rules)):
        env = econzoo.make_raw("coin", face="structured")
        env.reset(seed=0)
        env.step({"kind": "say"})
        assert [(e.seat, e.action is None, e.fact) for e in env.events] == [(0, False, None), (1, True, (7.0,))]


def test_words_can_be_for_a_group_of_seats() -> None:
    game = dataclasses.replace(PENNIES, actions=ActionSchema(Kind("tell", Tell), group=2))
    audience = Audience(game, None, 4)
    event = Event(0, 1, Tell((1, 3), "hello"))
    audience.add_events(None, None, {0: None}, [event], [None])
    assert [seen[0].action.message for seen in audience.visible_events] == ["hello", "hello", "", "hello"]


class Wrong(NamedTuple):
    """Words for an amount."""

    price: Annotated[float, Amount("dollars")]
    message: Annotated[str, Message("words", recipients=("price",))] = ""


def test_words_are_for_seats_that_the_move_names() -> None:
    with refuses(ValueError, "wrong", "to='price'", "[]"):
        Kind("wrong", Wrong)
