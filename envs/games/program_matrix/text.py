"""Which texts an author of programs reads, and what stands in their fields.

Fields of all texts: name, other, the eight cells (own move first), rounds, turns, noise, seconds, policy. Those of turn
and ending: round, own_score, other_score. Those of an event: event_round, program, moves, against, points, failed.
"""

from __future__ import annotations

from typing import Any

from econzoo.envs.core.game import Event
from econzoo.envs.core.prompts import number
from econzoo.envs.games.matrix.text import CELLS
from econzoo.envs.games.program_matrix import Program
from econzoo.envs.games.program_matrix.rules import View
from econzoo.envs.programs.interfaces import MATRIX
from econzoo.envs.programs.wording import failed_words, fenced, points, policy_words

FORFEITED = (
    "the turn is forfeited: you get the least that a turn can pay, the other the mean of what its move could bring; the"
    " histories show it as D"
)

EXAMPLE = """def strategy_function(my_history, opp_history, my_program_code, opponent_program_code):
    return random.choice(["C", "D"])"""


def brief(view: View, messages: bool) -> list[str]:
    """Names of the texts of the rules brief, in order."""
    noise = ["noise"] if view.noise > 0 else []
    return ["player", "table", *noise, "meta_round" if view.rounds == 1 else "meta_rounds", *PROGRAM, "goal"]


PROGRAM = ("signature", "tools", "failure")


def turn(view: View) -> str:
    """Name of the text that asks for a program."""
    return "submit_only" if view.rounds == 1 else "submit"


def ending(view: View) -> str:
    """Name of the text of the result."""
    return "over"


def event(view: View, happened: Event) -> str:
    """Name of the text that tells what a program did."""
    return "own" if happened.seat == view.seat else "other"


def constant_fields(view: View, names: tuple[str, ...]) -> dict[str, str]:
    """The fields that stay the same all game."""
    return {
        "name": names[view.seat],
        "other": names[1 - view.seat],
        **{cell: number(getattr(view, cell)) for cell in CELLS},
        "rounds": str(view.rounds),
        "turns": "1 turn" if view.turns == 1 else f"{view.turns} turns",
        "noise": number(100 * view.noise),
        "seconds": "1 second" if view.seconds == 1 else f"{number(view.seconds)} seconds",
        "policy": policy_words(view.policies, MATRIX.moves, FORFEITED),
    }


def fields(view: View, names: tuple[str, ...]) -> dict[str, str]:
    """The fields that change from meta-round to meta-round."""
    return {
        "round": str(view.round),
        "own_score": number(view.own_score),
        "other_score": number(view.other_score),
    }


def event_fields(view: View, happened: Event, names: tuple[str, ...]) -> dict[str, str]:
    """The fields of one program and what it did."""
    result = happened.disclosed
    return {
        "event_round": str(happened.round),
        "program": fenced(happened.action.program),
        "moves": result.moves,
        "against": result.against,
        "points": points(result.payoff),
        "failed": failed_words(result.failed, result.failure, result.problem),
    }


def disclosed(result: Any) -> str:
    """What a program did, for spectators."""
    told = f"It played {result.moves} and got {points(result.payoff)}."
    return told + failed_words(result.failed, result.failure, result.problem)


def example(view: View, kind: str, messages: bool) -> Any:
    """A legal action, to show the form of an answer."""
    return Program(EXAMPLE)
