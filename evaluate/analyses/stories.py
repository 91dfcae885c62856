"""Matches to read: which of many to show, and each as plain values for a page."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import chain, repeat
from typing import Any

from econzoo.envs.core.amounts import dollars
from econzoo.envs.core.contract.game import Event, Game
from econzoo.envs.core.env.aec import GameEnv
from econzoo.envs.core.faces.finish import OUTCOMES
from econzoo.envs.core.faces.parse import MAX_REPLY
from econzoo.envs.core.faces.transcript import role_names, to_light
from econzoo.envs.core.record.record import Record, Turn
from econzoo.envs.core.registry import game as find_game
from econzoo.evaluate.analyses.without_result import shown_payoffs
from econzoo.evaluate.show.escapes import as_text, visible
from econzoo.evaluate.stats.columns import or_nan
from econzoo.evaluate.stats.outcomes import HEADINGS, counts

CUT = "cut"
"""How a match ended that has no result, because a limit ended it that is not of the rules."""


FORFEITED, LEFT, CUT_MATCH, INVALID, UNMET = "forfeited", "left", "match cut", "invalid answers", "not as asked"
"""How a match can go wrong, beside how replies of models can end."""

REPLIES = {code: f"reply {HEADINGS[f'{code}_rate']}" for code in OUTCOMES}
"""How the reply of a model was not whole, to what lists call it."""


def troubles(record: Record) -> list[str]:
    """In which ways a match went wrong."""
    happened = {
        FORFEITED: record.status == "forfeited",
        LEFT: record.status == "abandoned",
        CUT_MATCH: record.cut,
        INVALID: sum(record.errors) > 0,
        UNMET: any(turn.unmet for turn in record.turns),
        **{REPLIES[code]: count > 0 for code, count in counts(record.turns).items()},
    }
    return [what for what, so in happened.items() if so]


def chosen(records: Sequence[Record], most: int) -> list[Record]:
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


def brief(record: Record, market: str) -> dict[str, Any]:
    """A match for a list: who sat where, how it ended and what it paid (`shown_payoffs`), without its turns."""
    game = find_game(record.game)
    roles = role_names(game, len(record.players), record.params)
    shown = [
        {
            "seat": i,
            "role": game.facts.called(roles[i]),
            "player": visible(player),
            "payoff": dollars(shown_payoffs(record)[i], cents=True),
            "gain": or_nan(record.metrics["gains"][i]),
        }
        for i, player in enumerate(record.labels)
    ]
    return {
        "id": visible(record.id),
        "game": record.game,
        "troubles": troubles(record),
        "market": visible(market),
        "seed": record.seed,
        "ending": ending(record),
        "cut": record.cut,
        "by": None if record.forfeit is None else roles[record.forfeit],
        "seats": shown,
        "rounds": max((turn.round for turn in record.turns), default=0),
        "errors": sum(record.errors),
    }


def story(record: Record, market: str) -> dict[str, Any]:
    """A match for a page of its own; nothing in it is trusted to be harmless."""
    return {**brief(record, market), "turns": turns_of(record)}


def move_of(game: Game, action: Mapping[str, Any]) -> str:
    """A move in a few words, without messages and texts: ``"offer 5,000.00"``."""
    parts = dict(action)
    kind = str(parts.pop("kind", game.actions.names[0]))
    numbers = game.actions.kinds[game.actions.index[kind]].numbers
    told = [_part(value, name in numbers and not numbers[name].whole) for name, value in parts.items()]
    return " ".join([kind, *told])


def turns_of(
    record: Record, lit: bool = True, tell: Callable[[Game, Mapping[str, Any]], str] = move_of
) -> list[dict[str, Any]]:
    """The turns of a match for a page, also of one that has not ended; see `story`.

    Args:
        record: The match.
        lit: Whether it is told what each turn brought to light: only where the record is as its rules say.
        tell: Says a move, given without messages and texts, in words.
    """
    game = find_game(record.game)
    roles = role_names(game, len(record.players), record.params)
    lights = brought_to_light(game, record) if lit else [""] * len(record.turns)
    lit_turns = zip(record.turns, lights, strict=True)
    return [_turn(game, turn, roles, light, tell) for turn, light in lit_turns]


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
        "move": visible(tell(game, action) + light) if turn.action is not None else None,
        "words": visible(words[0]) if words else "",
        "source": visible(source) if source else None,
        "error": visible(turn.error[1]) if turn.error else None,
        "default": turn.default,
        "prompt": visible(turn.prompt) if turn.prompt else None,
        "reply": visible(as_text(turn.reply)) if turn.prompt or turn.error else None,
        "calls": [_call(call, roles) for call in turn.calls],
        "reasoning": visible(turn.reasoning),
    }


def _call(call: dict[str, Any], roles: Sequence[str]) -> dict[str, str]:
    """A call of a model before the answer, in words."""
    about = call["about"]
    whose = f" for {roles[about]}" if about is not None and about < len(roles) else ""
    return {
        "purpose": visible(call["purpose"] + whose),
        "prompt": visible(call["prompt"]),
        "reply": visible(call["reply"]),
        "reasoning": visible(call.get("reasoning", "")),
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
    return CUT if record.cut else record.status


def brought_to_light(game: Game, record: Record) -> list[str]:
    """What each turn of a match brought to light, in words; the match is played again for it, or its rulings tell."""
    if record.rulings is not None:
        results = [game.rules.Result(**result) for ruling in record.rulings for result in ruling["results"]]
        return _turn_by_turn(record, [to_light(game, Event(0, 0, None, result)) for result in results])
    if game.rules.facts is None:
        return [""] * len(record.turns)
    env = GameEnv(game, face="structured", on_error="raise", max_message=MAX_REPLY, **record.params)
    env.reset(seed=record.seed, options={"chance": record.chance})
    for turn in record.turns:
        if turn.action is not None:
            while env.terminations[env.agent_selection]:  # who is out has no move in the record
                env.step(None)
            env.step(turn.action)
    return _turn_by_turn(record, [to_light(game, event) for event in env.events if event.action is not None])


def _turn_by_turn(record: Record, lights: Iterable[str]) -> list[str]:
    """What was told of the moves, in their order, by turn; unusable answers are none."""
    told = chain(lights, repeat(""))  # a sealed move that was not opened
    return ["" if turn.action is None else next(told) for turn in record.turns]
