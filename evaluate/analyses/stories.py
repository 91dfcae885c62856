"""Match pages: selection of matches, and their contents as plain values."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from econzoo.envs.core import dollars
from econzoo.envs.core import game as find_game
from econzoo.envs.core.contract import Game
from econzoo.envs.core.faces import NO_REPLY_CODES, role_names
from econzoo.envs.core.record import Record, Turn, revealed_facts
from econzoo.evaluate.show import reply_text, sanitize_text
from econzoo.evaluate.stats import HEADINGS, count_outcomes, nan_if_none

FORFEITED, LEFT_MATCH, CUT_MATCH, INVALID, UNSUPPORTED_REQUEST = (
    "forfeited",
    "left",
    "match cut",
    "invalid answers",
    "not as asked",
)
"""Problems of a match, besides those of `REPLIES`."""

REPLIES = {code: f"reply {HEADINGS[f'{code}_rate']}" for code in NO_REPLY_CODES}
"""Code of an incomplete model reply to its label."""


def troubles(record: Record) -> list[str]:
    happened = {
        FORFEITED: record.status == "forfeited",
        LEFT_MATCH: record.status == "abandoned",
        CUT_MATCH: record.is_truncated,
        INVALID: sum(record.errors) > 0,
        UNSUPPORTED_REQUEST: any(turn.unsupported for turn in record.stored_turns),
        **{REPLIES[code]: count > 0 for code, count in count_outcomes(record.stored_turns).items()},
    }
    return [trouble for trouble, occurred in happened.items() if occurred]


def select_matches(records: Sequence[Record], most: int) -> list[Record]:
    """Select at most `most` records, from each seating in turn, text-reading players first.

    Within a seating, those with invalid answers or forfeits come first.
    """
    by_seating: dict[tuple[str, ...], list[Record]] = {}
    for record in records:
        by_seating.setdefault(tuple(record.labels), []).append(record)
    for group in by_seating.values():
        group.sort(key=lambda record: record.forfeit is None and not sum(record.errors))
    picked: list[Record] = []
    groups = sorted(by_seating.values(), key=lambda group: not any(turn.prompt for turn in group[0].stored_turns))
    for place in range(max(map(len, groups), default=0)):
        picked += [group[place] for group in groups if place < len(group)]
        if len(picked) >= most:
            break
    return picked[:most]


def match_outline(record: Record, setting: str) -> dict[str, Any]:
    """Return a match for a list: seats, ending and payoffs (`displayed_payoffs`), without its turns."""
    game = find_game(record.game)
    roles = role_names(game, len(record.players), record.params)
    seats = [
        {
            "seat": i,
            "role": game.facts.role_with_part(roles[i]),
            "player": sanitize_text(player),
            "payoff": dollars(record.displayed_payoffs[i], cents=True),
            "gain": nan_if_none(record.metrics["gains"][i]),
        }
        for i, player in enumerate(record.labels)
    ]
    return {
        "id": sanitize_text(record.id),
        "game": record.game,
        "troubles": troubles(record),
        "setting": sanitize_text(setting),
        "seed": record.seed,
        "ending": record.ending,
        "cut": record.is_truncated,
        "by": None if record.forfeit is None else roles[record.forfeit],
        "seats": seats,
        "rounds": record.rounds,
        "errors": sum(record.errors),
    }


def story(record: Record, setting: str) -> dict[str, Any]:
    """Return a match for its page, with all texts sanitized."""
    return {**match_outline(record, setting), "turns": turns_of(record)}


def move_of(game: Game, action: Mapping[str, Any]) -> str:
    """Format a move without messages and texts, as in ``"offer 5,000.00"``."""
    parts = dict(action)
    kind = str(parts.pop("kind", game.actions.names[0]))
    numbers = game.actions.kinds[game.actions.index[kind]].numbers
    values = [_part(value, name in numbers and not numbers[name].is_integer) for name, value in parts.items()]
    return " ".join([kind, *values])


def turns_of(
    record: Record, reveal_facts: bool = True, format_move: Callable[[Game, Mapping[str, Any]], str] = move_of
) -> list[dict[str, Any]]:
    """Return the turns of a match, finished or not, for a page; see `story`.

    Args:
        reveal_facts: Whether to include the facts that each turn revealed; requires a record that replays.
        format_move: Formatter of a move without messages and texts.
    """
    game = find_game(record.game)
    roles = role_names(game, len(record.players), record.params)
    facts = revealed_facts(game, record) if reveal_facts else [""] * len(record.turns)
    return [_turn(game, turn, roles, fact, format_move) for turn, fact in zip(record.turns, facts, strict=True)]


def _turn(
    game: Game, turn: Turn, roles: Sequence[str], fact: str, format_move: Callable[[Game, Mapping[str, Any]], str]
) -> dict[str, Any]:
    action = dict(turn.action or {})
    source = action.pop(game.actions.source[0], None) if game.actions.source else None
    messages = [action.pop(name) for kind in game.actions.kinds for name in [kind.message] if name and name in action]
    return {
        "seat": turn.seat,
        "role": roles[turn.seat],
        "round": turn.round,
        "move": sanitize_text(format_move(game, action) + fact) if turn.action is not None else None,
        "words": sanitize_text(messages[0]) if messages else "",
        "source": sanitize_text(source) if source else None,
        "error": sanitize_text(turn.error[1]) if turn.error else None,
        "default": turn.default,
        "prompt": sanitize_text(turn.prompt) if turn.prompt else None,
        "reply": sanitize_text(reply_text(turn.reply)) if turn.prompt or turn.error else None,
        "calls": [_call(call, roles) for call in turn.calls],
        "reasoning": sanitize_text(turn.reasoning),
    }


def _call(call: dict[str, Any], roles: Sequence[str]) -> dict[str, str]:
    """Format a model call that preceded the answer."""
    about = call["about_seat"]
    whose = f" for {roles[about]}" if about is not None and about < len(roles) else ""
    return {
        "purpose": sanitize_text(call["purpose"] + whose),
        "prompt": sanitize_text(call["prompt"]),
        "reply": sanitize_text(call["reply"]),
        "reasoning": sanitize_text(call.get("reasoning", "")),
    }


def _part(value: Any, cents: bool) -> str:
    if isinstance(value, list):
        return ", ".join(_part(one, cents) for one in value)
    return f"{value:,.{2 * cents}f}" if isinstance(value, int | float) else str(value)
