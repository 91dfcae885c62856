"""Selection of the texts of 2x2 games, and their fields.

Everything here is a function of the seat's own `View`, so that hidden information cannot leak.

Fields of all texts: name, other, cc, cd, dc, dd, other_cc, other_cd, other_dc, other_dd (points; the own move first),
rounds, noise, prob_end. Those of turn and ending: round, own_score, other_score. Those of an event: event_round, move,
points, words.
"""

from __future__ import annotations

from typing import Any

from econzoo.envs.core.contract import UNKNOWN, Event
from econzoo.envs.core.faces import format_number, quote_message
from econzoo.envs.games.matrix import ACTIONS
from econzoo.envs.games.matrix.rules import D, View
from econzoo.envs.games.matrix.tables import VIEW_CELLS, name_of, row_first_table

MOVE_MEANINGS = {
    "prisoners-dilemma": ("cooperate", "defect"),
    "stag-hunt": ("stag", "hare"),
    "chicken": ("swerve", "straight"),
    "battle-of-the-sexes": ("opera", "football"),
    "matching-pennies": ("heads", "tails"),
}
"""Meanings of C and D in the named games."""


def stage_game_name(view: View) -> str | None:
    """Name of the game with the payoffs of a view, or None."""
    return name_of(row_first_table(view))


def describe_move(view: View, kind: float) -> str:
    """Format a move with its meaning in named games: ``D (defect)``."""
    name = stage_game_name(view)
    letter = "D" if kind == D else "C"
    return letter if name is None else f"{letter} ({MOVE_MEANINGS[name][int(kind)]})"


def brief(view: View, messages: bool) -> list[str]:
    """Names of the texts of the rules brief, in order."""
    once, name = view.rounds == 1, stage_game_name(view)
    story = [] if name is None else [name.replace("-", "_")]
    length = "once" if once else "rounds" if view.rounds != UNKNOWN else "chance" if view.prob_end > 0 else "hidden"
    return [
        "player_once" if once else "player",
        *story,
        "table",
        "noise" if view.noise > 0 else "observed",
        *(["words"] if messages else []),
        length,
        "goal_once" if once else "goal",
    ]


def turn(view: View) -> str:
    if view.rounds == UNKNOWN:
        return "choose_hidden"
    if view.rounds == 1:
        return "choose_once"
    return "choose_last" if view.round == view.rounds else "choose"


def ending(view: View) -> str:
    return "over"


def event(view: View, happened: Event) -> str:
    """Name of the text on a choice: own or other, ``_noisy`` with noise, ``_words`` with a message."""
    whose = "own" if happened.seat == view.seat else "other"
    return (
        whose
        + ("_noisy" if view.noise > 0 else "")
        + ("_words" if ACTIONS.kind_and_message(happened.action)[1] else "")
    )


def constant_fields(view: View, names: tuple[str, ...]) -> dict[str, str]:
    return {
        "name": names[view.seat],
        "other": names[1 - view.seat],
        **{cell: format_number(getattr(view, cell)) for cell in VIEW_CELLS},
        "rounds": "an unknown number of" if view.rounds == UNKNOWN else format_number(view.rounds),
        "noise": format_number(100 * view.noise),
        "prob_end": format_number(100 * view.prob_end),
    }


def fields(view: View, names: tuple[str, ...]) -> dict[str, str]:
    return {
        "round": str(view.round),
        "own_score": format_number(view.own_score),
        "other_score": format_number(view.other_score),
    }


def event_fields(view: View, happened: Event, names: tuple[str, ...]) -> dict[str, str]:
    result = happened.fact
    return {
        "event_round": str(happened.round),
        "move": describe_move(view, result.own),
        "points": format_number(result.payoff),
        "words": quote_message(ACTIONS.kind_and_message(happened.action)[1]),
    }


def fact(result: Any) -> str:
    """Describe the payoff of a choice for spectators."""
    return f"payoff {format_number(result.payoff)}"
