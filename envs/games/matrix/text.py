"""Which texts a player of a game of two moves reads, and what stands in their fields.

Everything here is a function of the seat's own `View`: what the rules hide cannot be told.

Fields of all texts: name, other, cc, cd, dc, dd, other_cc, other_cd, other_dc, other_dd (points; the own move first),
rounds, noise, prob_end. Those of turn and ending: round, own_score, other_score. Those of an event: event_round, move,
points, words.
"""

from __future__ import annotations

from typing import Any

from econzoo.envs.core.contract.game import UNKNOWN, Event
from econzoo.envs.core.faces.prompts import format_number, quote_message
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
"""What C and D are in the named games."""


def stage_game_name(view: View) -> str | None:
    """Name of the game that the points of a view are those of, or None."""
    return name_of(row_first_table(view))


def describe_move(view: View, kind: float) -> str:
    """A move with what it means in the game, if that has a name: ``D (defect)``."""
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
        "noise" if view.noise > 0 else "told",
        *(["words"] if messages else []),
        length,
        "goal_once" if once else "goal",
    ]


def turn(view: View) -> str:
    """Name of the text that asks for a choice."""
    if view.rounds == UNKNOWN:
        return "choose_hidden"
    if view.rounds == 1:
        return "choose_once"
    return "choose_last" if view.round == view.rounds else "choose"


def ending(view: View) -> str:
    """Name of the text of the result."""
    return "over"


def event(view: View, happened: Event) -> str:
    """Name of the text that tells a choice: whose, ``_noisy`` where hands tremble, ``_words`` if it said something."""
    whose = "own" if happened.seat == view.seat else "other"
    return (
        whose
        + ("_noisy" if view.noise > 0 else "")
        + ("_words" if ACTIONS.kind_and_message(happened.action)[1] else "")
    )


def constant_fields(view: View, names: tuple[str, ...]) -> dict[str, str]:
    """The fields that stay the same all game."""
    return {
        "name": names[view.seat],
        "other": names[1 - view.seat],
        **{cell: format_number(getattr(view, cell)) for cell in VIEW_CELLS},
        "rounds": "an unknown number of" if view.rounds == UNKNOWN else format_number(view.rounds),
        "noise": format_number(100 * view.noise),
        "prob_end": format_number(100 * view.prob_end),
    }


def fields(view: View, names: tuple[str, ...]) -> dict[str, str]:
    """The fields that change from round to round."""
    return {
        "round": str(view.round),
        "own_score": format_number(view.own_score),
        "other_score": format_number(view.other_score),
    }


def event_fields(view: View, happened: Event, names: tuple[str, ...]) -> dict[str, str]:
    """The fields of one choice and what it paid."""
    result = happened.fact
    return {
        "event_round": str(happened.round),
        "move": describe_move(view, result.own),
        "points": format_number(result.payoff),
        "words": quote_message(ACTIONS.kind_and_message(happened.action)[1]),
    }


def fact(result: Any) -> str:
    """What a choice paid, for spectators."""
    return f"payoff {format_number(result.payoff)}"
