"""What may be told of a match that goes on: what every seat has seen, and nothing else."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import partial
from itertools import dropwhile, takewhile
from typing import TYPE_CHECKING, Any

from econzoo.envs.core.contract.events import SEALED, Event
from econzoo.envs.core.contract.game import Game
from econzoo.envs.core.faces.transcript import describe_fact, role_names
from econzoo.envs.core.record.record import Record, Turn
from econzoo.envs.core.registry import game as find_game
from econzoo.evaluate.analyses.stories import turns_of
from econzoo.evaluate.show.escapes import sanitize_text
from econzoo.people.server.site import texts
from econzoo.people.table.move_words import describe_move

if TYPE_CHECKING:
    from econzoo.evaluate.analyses.transcript import MatchTexts


def public_events(seen: Sequence[Sequence[Event]]) -> list[Event]:
    """The events that all seats have seen, as they have all seen them.

    Args:
        seen: Of each seat (`Retold.events`).

    Returns:
        In order. A move of which some have seen more than others has the action `SEALED`; one of which some have seen
        nothing is left out.
    """
    counted = [_index_events(events) for events in seen]
    common = [[one.get(key) for one in counted] for key in counted[0]]
    told = [_common_event([event for event in forms if event is not None]) for forms in common if None not in forms]
    return [event for event in told if event.action is not None or event.fact is not None]


def _index_events(events: Sequence[Event]) -> dict[Any, Event]:
    """Events by what tells them apart for all seats: round, whose, whether it was a move, and the how manieth."""
    found: dict[Any, Event] = {}
    before: Counter[Any] = Counter()
    for event in events:
        key = event.round, event.seat, event.action is None
        found[*key, before[key]] = event
        before[key] += 1
    return found


def _common_event(forms: Sequence[Event]) -> Event:
    """An event without what is not the same in all its forms."""
    event = forms[0]
    action = event.action if all(is_same_move(one.action, event.action) for one in forms) else SEALED
    fact = event.fact if all(is_same_move(one.fact, event.fact) for one in forms) else None
    return event._replace(action=action, fact=fact)


def is_same_move(one: Any, other: Any) -> bool:
    """Whether two tuples are equal and of one kind: moves of two kinds can hold the same."""
    return type(one) is type(other) and bool(one == other)


def describe_turns(record: Record, lit: bool = True) -> list[dict[str, Any]]:
    """The turns of a match in the words of the pages; see `econzoo.evaluate.analyses.stories.turns_of`."""
    roles = role_names(find_game(record.game), len(record.players), record.params)
    return turns_of(record, lit, partial(describe_move, seats=[texts().word(role) for role in roles]))


def event_lines(game: Game, events: Sequence[Event], roles: Sequence[str]) -> list[dict[str, Any]]:
    """Events as a page tells turns (`econzoo.evaluate.analyses.stories.turns_of`), as far as they have the same."""
    return [_event_line(game, event, roles) for event in events]


def _event_line(game: Game, event: Event, roles: Sequence[str]) -> dict[str, Any]:
    move, words = _describe_action(game, event.action, roles)
    told = {"seat": event.seat, "role": roles[event.seat], "round": event.round, "words": sanitize_text(words)}
    return {
        **told,
        "move": sanitize_text(f"{move}{describe_fact(game, event)}".strip()),
        "error": None,
        "default": False,
    }


def _describe_action(game: Game, action: Any, roles: Sequence[str]) -> tuple[str, str]:
    if action is None or action is SEALED:
        return ("" if action is None else texts().say("watch.sealed")), ""
    seats = [texts().word(role) for role in roles]
    return describe_move(game, game.actions.to_plain(action), seats=seats), game.actions.kind_and_message(action)[1]


def shared_board(told: MatchTexts, turns: Sequence[Turn], round: int) -> str:
    """The board that all seats read before they moved in a round: lines from an indented one on. Empty: there is none.

    Args:
        told: What every seat read.
        turns: Of the record.
        round: Of the match.
    """
    read: dict[int, list[str]] = {}
    for turn, prompt in zip(turns, told.prompts, strict=False):
        if turn.round == round and prompt:
            read[turn.seat] = prompt.split("\n")
    if len(read) < len(told.rules):
        return ""
    first, *others = read.values()
    drawn = dropwhile(lambda line: not line.startswith(" "), first)
    return "\n".join(takewhile(lambda line: all(line in other for other in others), drawn))
