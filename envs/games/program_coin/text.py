"""Which texts an author of programs for the coin game reads, and what stands in their fields.

Fields of all texts: name, other, own_letter, own_coin, other_coin, size, rounds, turns, seconds, policy. Those of turn
and ending: round, own_score, other_score. Those of an event: event_round, program, moves, against, points, own_coins,
other_coins, failed.
"""

from __future__ import annotations

from typing import Any

from econzoo.envs.core.game import Event
from econzoo.envs.core.prompts import number
from econzoo.envs.games.program_coin import Program
from econzoo.envs.games.program_coin.rules import View
from econzoo.envs.programs.interfaces import COIN_GAME
from econzoo.envs.programs.wording import failed_words, fenced, points, policy_words

FORFEITED = "the turn is forfeited: your player stays where it is"

EXAMPLE = """def strategy_function(state, my_history, opp_history, my_program_code, opponent_program_code):
    return random.choice(MOVES)"""

COLOURS = ("red", "blue")


def brief(view: View, messages: bool) -> list[str]:
    """Names of the texts of the rules brief, in order."""
    length = "meta_round" if view.rounds == 1 else "meta_rounds"
    return ["player", "board", "coins", length, "signature", "helpers", "tools", "failure", "goal"]


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
        "own_letter": "AB"[view.seat],
        "own_coin": COLOURS[view.seat],
        "other_coin": COLOURS[1 - view.seat],
        "size": str(view.size),
        "rounds": str(view.rounds),
        "turns": "1 turn" if view.turns == 1 else f"{view.turns} turns",
        "seconds": "1 second" if view.seconds == 1 else f"{number(view.seconds)} seconds",
        "policy": policy_words(view.policies, COIN_GAME.moves, FORFEITED),
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
        "own_coins": coins(result.own),
        "other_coins": coins(result.others),
        "failed": failed_words(result.failed, result.failure, result.problem),
    }


def coins(count: int) -> str:
    """A number of coins in words."""
    return "1 coin" if count == 1 else f"{count} coins"


def disclosed(result: Any) -> str:
    """What a program did, for spectators."""
    took = f"{coins(result.own)} of its own colour and {result.others} of the other's"
    told = f"It went {result.moves}, took {took}, and got {points(result.payoff)}."
    return told + failed_words(result.failed, result.failure, result.problem)


def example(view: View, kind: str, messages: bool) -> Any:
    """A legal action, to show the form of an answer."""
    return Program(EXAMPLE)
