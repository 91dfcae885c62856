"""What the modules ``text`` of the games in which programs are submitted have in common.

Fields of all texts: name, other, rounds, turns, seconds, policy. Those of turn and ending: round, own_score,
other_score. Those of an event: event_round, program, moves, against, points, failed.
"""

from __future__ import annotations

from typing import Any

from econzoo.envs.core.game import Event
from econzoo.envs.core.prompts import number
from econzoo.envs.families.open_source.wording import failed_words, points, policy_words, shown_program


def turn(view: Any) -> str:
    """Name of the text that asks for a program."""
    return "submit_only" if view.rounds == 1 else "submit"


def ending(view: Any) -> str:
    """Name of the text of the result."""
    return "over"


def event(view: Any, happened: Event) -> str:
    """Name of the text that tells what a program did."""
    return "own" if happened.seat == view.seat else "other"


def match_fields(view: Any, names: tuple[str, ...], moves: tuple[str, ...], forfeited: str) -> dict[str, str]:
    """The fields that stay the same all game.

    Args:
        view: Of the seat that reads.
        names: Of both players.
        moves: What a program may return.
        forfeited: What a turn without a move means.
    """
    return {
        "name": names[view.seat],
        "other": names[1 - view.seat],
        "rounds": str(view.rounds),
        "turns": "1 turn" if view.turns == 1 else f"{view.turns} turns",
        "seconds": "1 second" if view.seconds == 1 else f"{number(view.seconds)} seconds",
        "policy": policy_words(view.policies, moves, forfeited),
    }


def fields(view: Any, names: tuple[str, ...]) -> dict[str, str]:
    """The fields that change from meta-round to meta-round."""
    return {
        "round": str(view.round),
        "own_score": number(view.own_score),
        "other_score": number(view.other_score),
    }


def event_fields(view: Any, happened: Event, names: tuple[str, ...]) -> dict[str, str]:
    """The fields of one program and what it did."""
    result = happened.fact
    return {
        "event_round": str(happened.round),
        "program": shown_program(happened.action.program),
        "moves": result.moves,
        "against": result.against,
        "points": points(result.payoff),
        "failed": failed_words(result.failed, result.failure, result.problem),
    }
