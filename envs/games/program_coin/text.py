"""Which texts an author of programs for the coin game reads, and what stands in their fields.

Fields of all texts, besides those of `econzoo.envs.families.open_source.texts`: own_letter, own_coin, other_coin, size.
Those of an event: own_coins, other_coins.
"""

from __future__ import annotations

from typing import Any

from econzoo.envs.core.game import Event
from econzoo.envs.families.open_source import texts
from econzoo.envs.families.open_source.interfaces import COIN_GAME
from econzoo.envs.families.open_source.texts import ending, event, fields, match_fields, turn
from econzoo.envs.families.open_source.wording import failed_words, points
from econzoo.envs.games.program_coin import Program

__all__ = ["brief", "constant_fields", "fact", "ending", "event", "event_fields", "example", "fields", "turn"]

FORFEITED = "the turn is forfeited: your player stays where it is"

EXAMPLE = """def strategy_function(state, my_history, opp_history, my_program_code, opponent_program_code):
    return random.choice(MOVES)"""

COLOURS = ("red", "blue")


def brief(view: Any, messages: bool) -> list[str]:
    """Names of the texts of the rules brief, in order."""
    length = "meta_round" if view.rounds == 1 else "meta_rounds"
    return ["player", "board", "coins", length, "signature", "helpers", "tools", "failure", "goal"]


def constant_fields(view: Any, names: tuple[str, ...]) -> dict[str, str]:
    """The fields that stay the same all game."""
    return {
        **match_fields(view, names, COIN_GAME.moves, FORFEITED),
        "own_letter": "AB"[view.seat],
        "own_coin": COLOURS[view.seat],
        "other_coin": COLOURS[1 - view.seat],
        "size": str(view.size),
    }


def event_fields(view: Any, happened: Event, names: tuple[str, ...]) -> dict[str, str]:
    """The fields of one program and what it did."""
    result = happened.fact
    took = {"own_coins": coins(result.own), "other_coins": coins(result.others)}
    return {**texts.event_fields(view, happened, names), **took}


def coins(count: int) -> str:
    """A number of coins in words."""
    return "1 coin" if count == 1 else f"{count} coins"


def fact(result: Any) -> str:
    """What a program did, for spectators."""
    took = f"{coins(result.own)} of its own colour and {result.others} of the other's"
    told = f"It went {result.moves}, took {took}, and got {points(result.payoff)}."
    return told + failed_words(result.failed, result.failure, result.problem)


def example(view: Any, kind: str, messages: bool) -> Any:
    """A legal action, to show the form of an answer."""
    return Program(EXAMPLE)
