"""Trembling hands: others see the moves that were made, the record keeps those that were chosen."""

from __future__ import annotations

import dataclasses
from typing import Any

import econzoo
from econzoo.envs.core.contract import Game, Move
from econzoo.evaluate.run import EnvPool, replay
from econzoo.testing.playing import freeze
from toy_games import PENNIES, register_temporarily


def trembling() -> Game:
    """Matching pennies in which the second seat always shows the other side of what it chose."""

    def came_out(p: Any, before: Any, moves: tuple[Move, ...], state: Any) -> tuple[Move, ...]:
        return moves[0], Move(1 - moves[1].kind, (0.0,))

    def apply(p: Any, s: Any, moves: tuple[Move, ...]) -> Any:
        return PENNIES.rules.apply(p, s, came_out(p, s, moves, None))

    return dataclasses.replace(PENNIES, rules=dataclasses.replace(PENNIES.rules, apply=apply, realized_moves=came_out))


def names(env: Any) -> list[str]:
    return [type(event.action).__name__ for event in env.events]


def test_events_show_what_was_made() -> None:
    with register_temporarily(trembling()):
        env = econzoo.make("pennies", face="structured")
        env.reset(seed=0)
        for kind in ("heads", "heads", "tails", "heads"):
            env.step({"kind": kind})
        assert names(env) == ["Heads", "Tails", "Tails", "Tails"]
        assert env.game_state.wins == (1, 1)


def test_nobody_sees_what_was_meant() -> None:
    """To mean heads and show tails, and to mean tails and show tails, look the same to everybody."""
    for face in ["numeric", "structured", "text", "chat"]:
        env = econzoo.make("matrix", face=face, noise=0.1, rounds=2, render_mode="ansi")
        told = []
        for slip, choice in ((1.0, 0), (0.0, 1)):
            env.reset(seed=0, options={"chance": [slip, 0.0]})
            for move in (choice, 0):
                legal = env.legal(env.agent_selection)
                if face == "numeric":
                    given = env.face(env.agent_selection).encode(env.game.actions.make(move), legal)
                else:
                    given = {"kind": "CD"[move]} if face == "structured" else f'{{"kind": "{"CD"[move]}"}}'
                env.step(given)
            told.append(
                [freeze(env.observe(agent)) for agent in env.agents] + [freeze(env.infos), env.render(), env.events]
            )
        assert told[0] == told[1], face


def test_words_of_a_trembling_hand_stay() -> None:
    env = econzoo.make("matrix", face="structured", noise=0.1)
    env.reset(seed=0, options={"chance": [3.0]})
    env.step({"kind": "C", "message": "I mean well."})
    env.step({"kind": "D"})
    first, second = (event.action for event in env.events)
    assert (type(first).__name__, first.message) == ("Defect", "I mean well.")
    assert type(second).__name__ == "Cooperate"


class Always:
    """Chooses the same kind in every round."""

    def __new__(cls, kind: str) -> Any:
        return f'mock(\'{{"kind": "{kind}"}}\')'


def test_a_record_keeps_what_was_chosen_and_replays() -> None:
    record = econzoo.play("matrix", [Always("C"), Always("D")], seed=3, noise=0.4, rounds=20)
    kinds = [{turn.action["kind"] for turn in record.turns if turn.seat == seat} for seat in (0, 1)]
    assert kinds == [{"C"}, {"D"}]
    assert any(record.chance), "some hands did tremble"
    assert record.payoffs != [0.0, 100.0]
    assert replay(record, EnvPool()) == []


def test_who_chose_otherwise_is_recorded_otherwise() -> None:
    """The record can tell a slip from a choice, though no player can."""
    one, other = (econzoo.play("matrix", [Always(kind), Always("C")], seed=3, noise=0.4, rounds=5) for kind in "CD")
    assert one.chance == other.chance
    assert [turn.action["kind"] for turn in one.turns if turn.seat == 0] == ["C"] * 5
    assert [turn.action["kind"] for turn in other.turns if turn.seat == 0] == ["D"] * 5


def test_moves_that_came_out_as_chosen_are_the_same_objects() -> None:
    env = econzoo.make("matrix", face="structured", noise=0.1)
    env.reset(seed=0, options={"chance": [2.0]})
    chosen = env.game.actions.make(0), env.game.actions.make(1)
    for action in chosen:
        env.step(action)
    assert env.events[0].action is chosen[0] or env.events[0].action == chosen[0]
    assert type(env.events[1].action).__name__ == "Cooperate"
    assert {seat: type(action).__name__ for seat, action in env.chosen_actions.items()} == {0: "Cooperate", 1: "Defect"}


def test_a_new_match_has_forgotten_what_was_chosen() -> None:
    env = econzoo.make("matrix", face="structured", noise=0.1)
    env.reset(seed=0)
    env.step({"kind": "C"})
    env.step({"kind": "D"})
    assert env.chosen_actions
    env.reset(seed=0)
    assert env.chosen_actions == {}


def test_without_noise_nothing_is_made_otherwise() -> None:
    env = econzoo.make("matrix", face="structured")
    env.reset(seed=0)
    for kind in "CDDC":
        env.step({"kind": kind})
    assert names(env) == ["Cooperate", "Defect", "Defect", "Cooperate"]
