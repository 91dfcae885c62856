"""Selection of the texts of the guessing game, and their fields.

Fields of all texts: name, others, players, factor, low, high, rounds. Those of a turn: round, health, wins, healths,
all_wins, out. Those of an event: event_round, who, number, mean, target, event_health.
"""

from __future__ import annotations

from typing import Any

from econzoo.envs.core.contract import Event
from econzoo.envs.core.faces import format_number
from econzoo.envs.games.guess_average.rules import View


def brief(view: View, messages: bool) -> list[str]:
    """Names of the texts of the rules brief, in order."""
    return ["player", "rules", "winner", "health", "goal"]


def turn(view: View) -> str:
    return "guess_after_exits" if max(view.out) else "guess"


def ending(view: View) -> str:
    return "out" if view.out[view.seat] else "in"


def event(view: View, happened: Event) -> str:
    """Name of the text on the result of a number: won, lost or out, with the prefix ``own_``."""
    result = happened.fact
    outcome = "won" if result.won else "lost" if result.health > 0 else "out"
    return ("own_" if happened.seat == view.seat else "") + outcome


def constant_fields(view: View, names: tuple[str, ...]) -> dict[str, str]:
    return {
        "name": names[view.seat],
        "others": ", ".join([name for i, name in enumerate(names) if i != view.seat]),
        "players": str(len(names)),
    }


def fields(view: View, names: tuple[str, ...]) -> dict[str, str]:
    living = [i for i in range(len(names)) if view.out[i] == 0]
    return {
        "round": str(view.round),
        "health": str(view.healths[view.seat]),
        "wins": str(view.wins[view.seat]),
        "healths": ", ".join([f"{names[i]} {view.healths[i]}" for i in living]),
        "all_wins": ", ".join([f"{name} {wins}" for name, wins in zip(names, view.wins, strict=True)]),
        "out": ", ".join([f"{names[i]} (round {out})" for i, out in enumerate(view.out) if out]) or "nobody",
    }


def event_fields(view: View, happened: Event, names: tuple[str, ...]) -> dict[str, str]:
    result = happened.fact
    return {
        "event_round": str(happened.round),
        "who": names[happened.seat],
        "number": format_number(happened.action.number),
        "mean": format_number(round(result.mean, 2)),
        "target": format_number(result.target),
        "event_health": str(result.health),
    }


def fact(result: Any) -> str:
    """Describe the result of a number for spectators."""
    return f"target {format_number(result.target)}, {'won' if result.won else 'not won'}; health {result.health}"
