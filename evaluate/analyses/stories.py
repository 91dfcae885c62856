"""Matches to read: which of many to show, and each as plain values for a page."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import chain, repeat
from typing import Any

from econzoo.envs.core.amounts import dollars
from econzoo.envs.core.contract.game import Event, Game
from econzoo.envs.core.env.aec import GameEnv
from econzoo.envs.core.faces.finish import NO_REPLY_CODES
from econzoo.envs.core.faces.parse import MAX_REPLY
from econzoo.envs.core.faces.transcript import describe_fact, role_names
from econzoo.envs.core.record.record import Record, Turn
from econzoo.envs.core.registry import game as find_game
from econzoo.evaluate.analyses.missing_results import displayed_payoffs
from econzoo.evaluate.show.escapes import reply_text, sanitize_text
from econzoo.evaluate.stats.columns import nan_if_none
from econzoo.evaluate.stats.outcomes import HEADINGS, count_outcomes

CUT = "cut"
"""How a match ended that has no result, because a limit ended it that is not of the rules."""


FORFEITED, LEFT_MATCH, CUT_MATCH, INVALID, UNMET_REQUEST = (
    "forfeited",
    "left",
    "match cut",
    "invalid answers",
    "not as asked",
)
"""How a match can go wrong, beside how replies of models can end."""

REPLIES = {code: f"reply {HEADINGS[f'{code}_rate']}" for code in NO_REPLY_CODES}
"""How the reply of a model was not whole, to what lists call it."""


def troubles(record: Record) -> list[str]:
    """In which ways a match went wrong."""
    happened = {
        FORFEITED: record.status == "forfeited",
        LEFT_MATCH: record.status == "abandoned",
        CUT_MATCH: record.is_truncated,
        INVALID: sum(record.errors) > 0,
        UNMET_REQUEST: any(turn.unmet for turn in record.turns),
        **{REPLIES[code]: count > 0 for code, count in count_outcomes(record.turns).items()},
    }
    return [what for what, so in happened.items() if so]


def select_matches(records: Sequence[Record], most: int) -> list[Record]:
    """At most so many records: of every seating in turn, first of players that read and write text.

    Of a seating, those with unusable answers or forfeits come first.
    """
    by_seating: dict[tuple[str, ...], list[Record]] = {}
    for record in records:
        by_seating.setdefault(tuple(record.labels), []).append(record)
    for group in by_seating.values():
        group.sort(key=lambda record: record.forfeit is None and not sum(record.errors))
    picked: list[Record] = []
    groups = sorted(by_seating.values(), key=lambda group: not any(turn.prompt for turn in group[0].turns))
    for place in range(max(map(len, groups), default=0)):
        picked += [group[place] for group in groups if place < len(group)]
        if len(picked) >= most:
            break
    return picked[:most]


def match_outline(record: Record, setting: str) -> dict[str, Any]:
    """A match for a list: who sat where, how it ended and what it paid (`displayed_payoffs`), without its turns."""
    game = find_game(record.game)
    roles = role_names(game, len(record.players), record.params)
    shown = [
        {
            "seat": i,
            "role": game.facts.role_with_part(roles[i]),
            "player": sanitize_text(player),
            "payoff": dollars(displayed_payoffs(record)[i], cents=True),
            "gain": nan_if_none(record.metrics["gains"][i]),
        }
        for i, player in enumerate(record.labels)
    ]
    return {
        "id": sanitize_text(record.id),
        "game": record.game,
        "troubles": troubles(record),
        "market": sanitize_text(setting),
        "seed": record.seed,
        "ending": ending(record),
        "cut": record.is_truncated,
        "by": None if record.forfeit is None else roles[record.forfeit],
        "seats": shown,
        "rounds": max((turn.round for turn in record.turns), default=0),
        "errors": sum(record.errors),
    }


def story(record: Record, setting: str) -> dict[str, Any]:
    """A match for a page of its own; nothing in it is trusted to be harmless."""
    return {**match_outline(record, setting), "turns": turns_of(record)}


def move_of(game: Game, action: Mapping[str, Any]) -> str:
    """A move in a few words, without messages and texts: ``"offer 5,000.00"``."""
    parts = dict(action)
    kind = str(parts.pop("kind", game.actions.names[0]))
    numbers = game.actions.kinds[game.actions.index[kind]].numbers
    told = [_part(value, name in numbers and not numbers[name].is_integer) for name, value in parts.items()]
    return " ".join([kind, *told])


def turns_of(
    record: Record, reveal_facts: bool = True, format_move: Callable[[Game, Mapping[str, Any]], str] = move_of
) -> list[dict[str, Any]]:
    """The turns of a match for a page, also of one that has not ended; see `story`.

    Args:
        record: The match.
        reveal_facts: Whether it is told what each turn brought to light: only where the record is as its rules say.
        format_move: Says a move, given without messages and texts, in words.
    """
    game = find_game(record.game)
    roles = role_names(game, len(record.players), record.params)
    lights = revealed_facts(game, record) if reveal_facts else [""] * len(record.turns)
    lit_turns = zip(record.turns, lights, strict=True)
    return [_turn(game, turn, roles, light, format_move) for turn, light in lit_turns]


def _turn(
    game: Game, turn: Turn, roles: Sequence[str], light: str, tell: Callable[[Game, Mapping[str, Any]], str]
) -> dict[str, Any]:
    action = dict(turn.action or {})
    source = action.pop(game.actions.source[0], None) if game.actions.source else None
    words = [action.pop(name) for kind in game.actions.kinds for name in [kind.message] if name and name in action]
    return {
        "seat": turn.seat,
        "role": roles[turn.seat],
        "round": turn.round,
        "move": sanitize_text(tell(game, action) + light) if turn.action is not None else None,
        "words": sanitize_text(words[0]) if words else "",
        "source": sanitize_text(source) if source else None,
        "error": sanitize_text(turn.error[1]) if turn.error else None,
        "default": turn.default,
        "prompt": sanitize_text(turn.prompt) if turn.prompt else None,
        "reply": sanitize_text(reply_text(turn.reply)) if turn.prompt or turn.error else None,
        "calls": [_call(call, roles) for call in turn.calls],
        "reasoning": sanitize_text(turn.reasoning),
    }


def _call(call: dict[str, Any], roles: Sequence[str]) -> dict[str, str]:
    """A call of a model before the answer, in words."""
    about = call["about"]
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


def ending(record: Record) -> str:
    """How a match ended, in a word or two."""
    if record.status == "finished":
        agreement = find_game(record.game).facts.agreement
        return agreement if record.metrics["agreed"] else f"no {agreement}"
    return CUT if record.is_truncated else record.status


def revealed_facts(game: Game, record: Record) -> list[str]:
    """What each turn of a match brought to light, in words; the match is played again for it, or its rulings tell."""
    if record.rulings is not None:
        results = [game.rules.Result(**result) for ruling in record.rulings for result in ruling["results"]]
        return _align_with_turns(record, [describe_fact(game, Event(0, 0, None, result)) for result in results])
    if game.rules.facts is None:
        return [""] * len(record.turns)
    env = GameEnv(game, face="structured", on_error="raise", max_message=MAX_REPLY, **record.params)
    env.reset(seed=record.seed, options={"chance": record.chance})
    for turn in record.turns:
        if turn.action is not None:
            while env.terminations[env.agent_selection]:  # who is out has no move in the record
                env.step(None)
            env.step(turn.action)
    return _align_with_turns(record, [describe_fact(game, event) for event in env.events if event.action is not None])


def _align_with_turns(record: Record, lights: Iterable[str]) -> list[str]:
    """What was told of the moves, in their order, by turn; unusable answers are none."""
    told = chain(lights, repeat(""))  # a sealed move that was not opened
    return ["" if turn.action is None else next(told) for turn in record.turns]
