"""Transcript of a match for spectators."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from econzoo.envs.core.amounts import dollars

if TYPE_CHECKING:
    from econzoo.envs.core.contract.game import Event, Game


def spectate(
    game: Game, events: Iterable[Event], payoffs: Sequence[float] | None, names: Sequence[str] | None = None
) -> str:
    """Return one line per move, and the payoffs if the match has ended.

    Args:
        game: Game of the match.
        events: Events so far.
        payoffs: Payoffs in the game's own unit, or None while the match runs.
        names: Names of the seats; None: those under default parameters.
    """
    roles = names or role_names(game, count_seats(events, payoffs))
    lines = [f"{game.name}: {join_names(roles)}"]
    lines += [
        f"  round {e.round:>3}  {roles[e.seat]:<8} {describe_action(game, e.action)}{describe_fact(game, e)}"
        for e in events
    ]
    if payoffs is not None:
        lines.append(f"  payoffs    {format_payoffs(roles, payoffs)}")
    return "\n".join(lines)


def join_names(names: Sequence[str]) -> str:
    """Join names: ``Ann, Ben and Cy``."""
    return " and ".join([*filter(None, [", ".join(names[:-1])]), names[-1]])


def format_payoffs(names: Sequence[str], payoffs: Sequence[float]) -> str:
    """Format the payoff of each seat."""
    return ", ".join(f"{name} {dollars(payoff, cents=True)}" for name, payoff in zip(names, payoffs, strict=False))


def count_seats(events: Iterable[Event], payoffs: Sequence[float] | None) -> int:
    """Return the number of seats that appear in a transcript."""
    return max([2, len(payoffs or ()), *(event.seat + 1 for event in events)])


def role_names(game: Game, seats: int, public: Mapping[str, Any] | None = None) -> list[str]:
    """Return a name for each seat: the game's roles (under these public parameters), then numbered ones."""
    return list(game.roles(max(seats, len(game.facts.roles)) if public is None else seats, public))


def describe_fact(game: Game, event: Event) -> str:
    """Format the fact revealed by a move (``text.fact`` of the game) after two spaces; empty if none."""
    if event.fact is None:
        return ""
    text = getattr(game.text, "fact", str)(event.fact)
    return f"  ({text})"


def describe_action(game: Game, action: Any, names: Mapping[str, str] | None = None) -> str:
    """Describe a typed action briefly, with its message quoted.

    Args:
        game: The game.
        action: Typed action; None: not known yet.
        names: Display names of kinds of move and fields, by declared name.
    """
    if action is None:
        return "(revealed)"
    called = names or {}
    plain = game.actions.to_plain(action)
    numbers = game.actions.kinds[game.actions.move(action).kind].numbers
    kind = str(plain.pop("kind", game.actions.names[0]))
    parts = [called.get(kind, kind)] if len(game.actions.names) > 1 or not plain else []
    for name, value in plain.items():
        parts.append(_describe_value(called.get(name, name), value, name in numbers and not numbers[name].is_integer))
    return "  ".join(parts)


def _describe_value(name: str, value: Any, cents: bool) -> str:
    if isinstance(value, list):
        return f"{name} {', '.join(_format_value(one, cents) for one in value)}"
    if not isinstance(value, str):
        return f"{name} {_format_value(value, cents)}"
    lines = value.strip().count("\n") + 1
    return f"{name} of {lines} lines" if lines > 1 else json.dumps(value, ensure_ascii=False)


def _format_value(value: Any, cents: bool) -> str:
    return value if isinstance(value, str) else dollars(value, cents=cents)


def replace_names(text: str, names: Iterable[str]) -> str:
    """Replace every name in a text by a number, in order of appearance."""
    seen: dict[str, int] = {}
    either = "|".join(re.escape(name) for name in names)
    return re.sub(rf"\b(?:{either})\b", lambda name: f"<{seen.setdefault(name[0], len(seen))}>", text)
