"""The rules of multi-issue bargaining: whose turn, what is legal, and what a division is worth."""

from __future__ import annotations

from typing import Any

import econzoo
from econzoo.envs.games.multi_issue import GAME, rules
from refusals import refuses

ACCEPT, LEAVE, TALK = {"kind": "accept"}, {"kind": "leave"}, {"kind": "talk"}


def offer(*keep: int) -> dict[str, Any]:
    return {"kind": "offer", "keep": list(keep)}


def played(*moves: dict[str, Any], **params: Any) -> Any:
    """The environment after these moves; by default 3 books, 2 hats and 1 ball, worth 1, 3, 1 and 2, 1, 2."""
    env = econzoo.make("multi_issue", face="structured", **params)
    env.reset(seed=0)
    for move in moves:
        env.step(move)
    return env


def test_what_is_possible() -> None:
    for moves, possible in [
        ([], ["offer", "talk"]),
        ([TALK], ["offer", "talk"]),
        ([offer(3, 2, 1)], ["offer", "accept", "talk", "leave"]),
        ([offer(3, 2, 1), TALK], ["offer", "talk"]),  # nobody accepts an own offer, or leaves it
        ([offer(3, 2, 1), TALK, TALK], ["offer", "accept", "talk", "leave"]),  # it is still on the table
        ([offer(3, 2, 1), offer(3, 2, 1)], ["offer", "accept", "talk", "leave"]),
        ([TALK, TALK, TALK, offer(3, 2, 1)], ["accept", "leave"]),  # the last of 5 turns
        ([TALK, TALK, TALK, TALK], ["leave"]),
    ]:
        env = played(*moves, horizon=5)
        assert env.agent_selection == f"player_{len(moves) % 2}"
        assert list(env.infos[env.agent_selection]["legal_actions"]) == possible, moves


def test_payoffs() -> None:
    for moves, payoffs in [
        # Alice keeps 2 hats: 2 * 3; Bob gets 3 books and the ball: 3 * 2 + 2.
        ([offer(0, 2, 0), ACCEPT], (6.0, 8.0)),
        ([offer(3, 2, 1), ACCEPT], (10.0, 0.0)),
        ([offer(0, 0, 0), ACCEPT], (0.0, 10.0)),
        # Bob keeps 3 books and the ball: the same division, offered by the other.
        ([TALK, offer(3, 0, 1), ACCEPT], (6.0, 8.0)),
        # The last offer counts, not the first.
        ([offer(3, 2, 1), offer(3, 1, 1), ACCEPT], (3.0, 9.0)),
        ([offer(1, 2, 0), TALK, TALK, ACCEPT], (7.0, 6.0)),
        ([offer(0, 2, 0), LEAVE], (0.0, 0.0)),
        ([TALK, TALK, TALK, LEAVE], (0.0, 0.0)),
    ]:
        env = played(*moves, horizon=4)
        assert env.payoffs == payoffs, moves
        assert env.game_state.agreed == (moves[-1] is ACCEPT)


def test_every_turn_costs() -> None:
    """Accepted in turn 2 after one discount by a half, in turn 4 after three."""
    assert played(offer(0, 2, 0), ACCEPT, delta=0.5).payoffs == (3.0, 4.0)
    assert played(TALK, TALK, offer(0, 2, 0), ACCEPT, delta=0.5).payoffs == (0.75, 1.0)


def test_each_side_sees_its_own_items() -> None:
    env = played(offer(1, 2, 0))
    assert env.observe("player_0")["own_items"] == (1.0, 2.0, 0.0)
    assert env.observe("player_1")["own_items"] == (2.0, 0.0, 1.0)


def test_what_is_not_there_cannot_be_kept() -> None:
    for keep, *told in (((4, 0, 0), "keep[0"), ((0, 0), "keep", 3), ((0.5, 0, 0), "keep[0"), ((-1, 0, 0), "keep[0")):
        env = econzoo.make("multi_issue", face="structured", on_error="raise", max_retries=0)
        env.reset(seed=0)
        with refuses(ValueError, *told):
            env.step(offer(*keep))


def test_markets_that_are_none() -> None:
    for params, *told in [
        ({"values": ((1, 3), (2, 1, 2))}, "values", 3),
        ({"values": ((0, 0, 0), (2, 1, 2))}, "values", 0),
        ({"items": (6, 1, 1)}, "items"),
        ({"items": ()}, "items"),
        ({"horizon": 1}, "horizon", 1),
        ({"delta": 0.0}, "delta", 0.0),
    ]:
        with refuses(ValueError, *told):
            GAME.params(**params)


def test_features_of_the_first_answer() -> None:
    """Bob's in turn 2 of 10, after Alice asked for 1 book and 2 hats: of his 10 points 2 * 2 + 2 are left."""
    env = played(offer(1, 2, 0))
    view = env.view(1)
    names = GAME.rules.feature_names
    assert names
    assert len(rules.features(view)) == len(names(env.params)) == 5 + 4 * 3 + 2
    assert rules.features(view)[:5] == (1.0, 0.2, 1.0, -1.0, 0.6)
    assert rules.features(view)[5:9] == (0.6, 0.2, -1.0, 2 / 3)  # 3 books of 5, 2 points of 10, unknown, 2 of 3
    assert rules.features(view)[-2:] == (1 / 9, 1.0)  # turns 2 to 10 are left, and Bob has the last
