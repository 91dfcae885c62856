"""Made-up matches of the program games."""

from __future__ import annotations

import pytest
from handmade import match
from program_sources import CLIQUE, COOPERATE, DEFECT

from econzoo.envs.core.record.record import Turn

MOVES = {"C": 0, "D": 1, "-": 2}


def submitted(seat, number, source, reply=None, error=None, default=False, plan=None):
    """One answer of an author."""
    action = None if source is None else {"program": source}
    calls = [] if plan is None else [{"purpose": "plan", "about_seat": None, "prompt": [], "reply": plan}]
    return Turn(seat, number, action if reply is None else reply, action, error=error, default=default, calls=calls)


def ruled(first, second, payoffs=(0.0, 0.0), failure=4.0):
    """A ruling on two lines of moves; a ``-`` failed with an exception."""
    made = [[MOVES[move], failure if move == "-" else 0.0] for pair in zip(first, second, strict=True) for move in pair]
    lines = (first, second)
    results = [
        {"moves": lines[i], "against": lines[1 - i], "payoff": payoffs[i], "failed": lines[i].count("-")}
        for i in (0, 1)
    ]
    return {"moves": made, "results": [{**one, "failure": "", "problem": ""} for one in results]}


@pytest.fixture
def three_rounds():
    """Two authors and three meta-rounds; the second of them fails in the third, the first one is refused once."""
    turns = [
        submitted(0, 1, COOPERATE, plan="Be kind."),
        submitted(1, 1, DEFECT),
        submitted(0, 2, None, "what?", ["no_program", "there is no program"]),
        submitted(0, 2, CLIQUE, f"I will look.\n```python\n{CLIQUE}```"),
        submitted(1, 2, COOPERATE, "mine:\n" + COOPERATE),
        submitted(0, 3, CLIQUE),
        submitted(1, 3, "", "nothing", ["no_program", "there is no program"], default=True),
    ]
    made = _match(turns)
    made.rulings = [
        ruled("CCCC", "DDDD", (0.0, 20.0)),
        ruled("CCCD", "CC-C", (9.0, 8.0)),
        ruled("DDDD", "----", (12.0, 0.0), failure=1.0),
    ]
    return made


def _match(turns, seed=0, players=("ann", "ben")):
    return match("program_matrix", turns, players=players, seed=seed, rounds=3)


@pytest.fixture
def by_hand():
    """Makes a match from the sources and lines of moves of each meta-round."""

    def made(rounds, seed=0):
        turns = [submitted(seat, at, one[seat]) for at, one in enumerate(rounds, start=1) for seat in (0, 1)]
        record = _match(turns, seed)
        record.rulings = [ruled(*one[2:]) for one in rounds]
        return record

    return made
