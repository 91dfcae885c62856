"""Conformance cases of matrix games."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any

from econzoo.envs.core.contract import Cases, Secret
from econzoo.envs.games.matrix.rules import MATCH_ENDS, NO_SLIP
from econzoo.envs.games.matrix.tables import VIEW_CELLS


def _secrets() -> Iterator[Secret]:
    """The hidden number of rounds, and nature's moves in this or the next round."""
    for seat, messages, noise in product((0, 1), (True, False), (0.0, 0.2)):
        hidden: dict[str, Any] = {"known": False, "messages": messages, "noise": noise}
        short, long = {"rounds": 3, **hidden}, {"rounds": 99, **hidden}
        steady = [0.0, 0.0, 0.0] if noise else []
        yield Secret("the number of rounds", seat, short, long, (steady, steady), steps=6)
        if noise:
            common = {"rounds": 4, "known": messages, "messages": messages, "noise": noise}
            for head, slip in product(([], [2.0]), (1.0, 2.0, 3.0)):
                draws = ([*head, 0.0], [*head, slip])
                yield Secret("coming noise", seat, common, common, draws, 2 * len(head) + 2)
        ending: dict[str, Any] = {"messages": messages, "noise": noise, "prob_end": 0.1}
        going = [NO_SLIP] * 3
        yield Secret("the most rounds", seat, {"rounds": 3, **ending}, {"rounds": 99, **ending}, (going, going), 6)
        for head in ([], [NO_SLIP]):
            draws = ([*head, NO_SLIP], [*head, MATCH_ENDS])
            yield Secret("the last round", seat, ending, ending, draws, 2 * len(head) + 2)


CASES = Cases(
    secrets=tuple(_secrets()),
    settings=(
        {"stage_game": "chicken", "rounds": 1, "noise": 0.5},
        {"stage_game": "stag-hunt", "rounds": 3, "noise": 0.2, "known": False, "messages": False},
        {"stage_game": "chicken", "prob_end": 0.3, "noise": 0.1},
        {"payoffs": [[[0.0, 0.0], [0.0, 0.0]], [[0.0, 0.0], [0.0, 0.0]]], "rounds": 2},
        {"payoffs": [[[1e9, -1e9], [-0.001, 2.5]], [[7.0, 7.0], [-1e9, 1e9]]], "rounds": 4, "noise": 0.3},
    ),
    long={"rounds": 100},
    chance={"noise": 0.2, "prob_end": 0.1},
    revealing_fields={"stage_game": VIEW_CELLS, "payoffs": VIEW_CELLS, "known": ("rounds",), "prob_end": ("rounds",)},
)
