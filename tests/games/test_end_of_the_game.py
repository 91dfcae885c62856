"""Where offers alternate, a learner sees how near the end is and whose the last round is, if its seat may know."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any

import econzoo
from econzoo.envs.core.contract import DONE, Move

REFUSE = {"bargaining": (0, 2), "negotiation": (0, 2), "multi_issue": (2,)}
"""The kinds of move of a round in which nothing is agreed: an offer and its rejection, or talk."""

HIDING = ("bargaining", "negotiation")
"""The games of them that may hide when they end."""


def refused(name: str, **setting: Any) -> Iterator[tuple[int, int, list[tuple[float, ...]]]]:
    """A match without agreement: each round, the seat that begins it, and what each seat sees then as numbers."""
    game = econzoo.game(name)
    rules, (_, params) = game.rules, game.params(**setting)
    state = rules.initial(params)
    while (first := rules.to_act(params, state)) != DONE:
        yield state.round, first, [rules.features(rules.observe(params, state, seat)) for seat in (0, 1)]
        if name == "multi_issue" and state.round == params.horizon:
            return
        for kind in REFUSE[name]:
            state = rules.apply(params, state, (Move(kind, (0.0,) * len(rules.bounds(params, state, 0))),))


def test_rounds_are_counted_down_and_the_last_is_of_the_seat_that_begins_it() -> None:
    for name, horizon in product(REFUSE, range(2, 9)):
        seen = list(refused(name, horizon=horizon))
        assert len(seen) == horizon
        (_, last, _) = seen[-1]
        for round, _, numbers in seen:
            for seat in (0, 1):
                assert numbers[seat][-2:] == (1 / (horizon - round + 1), float(seat == last)), (name, horizon, round)


def test_who_is_not_told_the_end_sees_the_same_wherever_it_is() -> None:
    for name, longer in product(HIDING, range(5, 12)):
        one, other = (list(refused(name, horizon=None, max_rounds=rounds)) for rounds in (4, longer))
        assert one == other[:4]
        assert all(numbers[seat][-2:] == (-1.0, -1.0) for _, _, numbers in other for seat in (0, 1))


def test_who_is_told_tells_ends_of_other_parity_apart_from_the_first_move_on() -> None:
    for name in REFUSE:
        (_, _, (even, _)), (_, _, (odd, _)) = (next(refused(name, horizon=horizon)) for horizon in (4, 5))
        assert {even[-1], odd[-1]} == {0.0, 1.0}
