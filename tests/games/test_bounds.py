"""Bounds of moves: of the order of what is at stake, the same for all seats, and none in records from before them."""

from __future__ import annotations

import json

import pytest

import econzoo
from econzoo.envs.core import game, games
from econzoo.envs.core.contract import setting_of
from econzoo.evaluate.run import name_setting, play_match, replay

FAR = {
    "negotiation": ('mock:{"kind": "offer", "price": 5e6}', '{"kind": "offer", "price": 5e6}'),
    "water_allocation": ('mock:{"bid": 1e9}', '{"bid": 1e9}'),
    "survival_auction": ('mock:{"bid": 1e9}', '{"bid": 1e9}'),
}
"""Who names a number far beyond what is at stake, and the reply."""


def players(name: str) -> list[str]:
    return [FAR[name][0], *["random"] * (game(name).facts.seats - 1)]


def test_a_number_beyond_the_bound_is_an_invalid_action_on_every_face() -> None:
    for name, (_, reply) in FAR.items():
        for face in ("text", "chat", "structured"):
            env = econzoo.make(name, face=face, max_retries=1)
            env.reset(seed=0)
            agent = env.agent_selection
            env.step(json.loads(reply) if face == "structured" else reply)
            assert env.agent_selection == agent, (name, face)
            assert env.infos[agent]["error_code"] == "out_of_range", (name, face)


def test_without_a_bound_it_is_played_in_the_same_setting() -> None:
    for name in FAR:
        record = play_match(name, players(name), 1, bound=None)
        assert record.errors[0] == 0, name
        assert replay(record) == [], name
        assert name_setting(game(name), record.params) == "default", name


def test_the_bound_changes_the_id_of_a_match_and_not_its_luck() -> None:
    for name in FAR:
        bounded, unbounded = (
            play_match(name, ["random"] * game(name).facts.seats, 3, bound=one) for one in (2.0, None)
        )
        assert bounded.id != unbounded.id, name
        assert setting_of(game(name), bounded.params) == setting_of(game(name), unbounded.params), name
        assert bounded.chance == unbounded.chance, name
        assert bounded.payoffs == unbounded.payoffs, "scripts never come near it"
        with pytest.raises(ValueError, match="bound"):
            game(name).params(bound=1.5)


def test_no_schema_of_a_first_move_goes_beyond_a_hundred_times_the_payoffs_of_the_game() -> None:
    for name in games():
        env = econzoo.make(name, face="structured")
        env.reset(seed=0)
        record = play_match(name, ["random"] * game(name).facts.seats, 0)
        legal = env.legal(env.agent_selection)
        most = max((abs(end) for bounds in legal.bounds for end in bounds), default=0.0)
        stakes = [abs(value) for value in _numbers(record.params)] + [1.0, *map(abs, record.payoffs)]
        assert most <= 100 * max(stakes), (name, most)


def _numbers(value: object) -> list[float]:
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list | tuple):
        return [number for one in value for number in _numbers(one)]
    return [float(value)] if isinstance(value, int | float) and not isinstance(value, bool) else []
