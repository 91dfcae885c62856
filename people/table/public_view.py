"""Public view of a running match: only what every seat has observed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import partial
from itertools import dropwhile, takewhile
from typing import Any

from econzoo.envs.core import game as find_game
from econzoo.envs.core.contract import SEALED, Event, Game
from econzoo.envs.core.faces import describe_fact, role_names
from econzoo.envs.core.record import Record, Turn
from econzoo.evaluate.analyses import MatchTexts, turns_of
from econzoo.evaluate.show import sanitize_text
from econzoo.people.server import texts
from econzoo.people.table.move_words import describe_move


def public_events(seen: Sequence[Sequence[Event]]) -> list[Event]:
    """Events that all seats have observed, in order; a move that some observed only in part is `SEALED`.

    Args:
        seen: Events observed by each seat (`MatchTexts.events`).
    """
    indexed = [_index_events(events) for events in seen]
    common = [[one.get(key) for one in indexed] for key in indexed[0]]
    public = [_common_event([event for event in forms if event is not None]) for forms in common if None not in forms]
    return [event for event in public if event.action is not None or event.fact is not None]


def _index_events(events: Sequence[Event]) -> dict[Any, Event]:
    """Events by a key shared by all seats: round, seat, whether it is a move, and a running number."""
    indexed: dict[Any, Event] = {}
    counts: Counter[Any] = Counter()
    for event in events:
        key = event.round, event.seat, event.action is None
        indexed[*key, counts[key]] = event
        counts[key] += 1
    return indexed


def _common_event(forms: Sequence[Event]) -> Event:
    """Reduce an event to what all seats observed."""
    event = forms[0]
    action = event.action if all(is_same_move(one.action, event.action) for one in forms) else SEALED
    fact = event.fact if all(is_same_move(one.fact, event.fact) for one in forms) else None
    return event._replace(action=action, fact=fact)


def is_same_move(one: Any, other: Any) -> bool:
    """Whether two moves are equal and of the same kind, as moves of different kinds can have equal fields."""
    return type(one) is type(other) and bool(one == other)


def describe_turns(record: Record, reveal_facts: bool = True) -> list[dict[str, Any]]:
    """Turns of a match in the page's language; see `econzoo.evaluate.analyses.stories.turns_of`."""
    roles = role_names(find_game(record.game), len(record.players), record.params)
    return turns_of(record, reveal_facts, partial(describe_move, seats=[texts().word(role) for role in roles]))


def event_lines(game: Game, events: Sequence[Event], roles: Sequence[str]) -> list[dict[str, Any]]:
    """Events in the form of a page's turns (`econzoo.evaluate.analyses.stories.turns_of`)."""
    return [_event_line(game, event, roles) for event in events]


def _event_line(game: Game, event: Event, roles: Sequence[str]) -> dict[str, Any]:
    move, words = _describe_action(game, event.action, roles)
    line = {"seat": event.seat, "role": roles[event.seat], "round": event.round, "words": sanitize_text(words)}
    move = sanitize_text(f"{move}{describe_fact(game, event)}".strip())
    return {**line, "move": move, "error": None, "default": False}


def _describe_action(game: Game, action: Any, roles: Sequence[str]) -> tuple[str, str]:
    if action is None or action is SEALED:
        return ("" if action is None else texts().say("watch.sealed")), ""
    seats = [texts().word(role) for role in roles]
    return describe_move(game, game.actions.to_plain(action), seats=seats), game.actions.kind_and_message(action)[1]


def shared_board(transcript: MatchTexts, turns: Sequence[Turn], round: int) -> str:
    """Board that all seats read before their moves of a round, from the first indented line on; empty: none."""
    lines_by_seat: dict[int, list[str]] = {}
    for turn, prompt in zip(turns, transcript.prompts, strict=False):
        if turn.round == round and prompt:
            lines_by_seat[turn.seat] = prompt.split("\n")
    if len(lines_by_seat) < len(transcript.rules):
        return ""
    first, *others = lines_by_seat.values()
    drawn = dropwhile(lambda line: not line.startswith(" "), first)
    return "\n".join(takewhile(lambda line: all(line in other for other in others), drawn))
