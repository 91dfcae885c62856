"""Removal of participants' first names from published games.

GLEE calls its seats Alice and Bob, but gave models the name that a person had typed, so it appears in messages. Names
are removed if the config contains them, if a message says "my name is ...", or if a message greets or thanks somebody
by a name that is not a role; the role replaces the name in every message of the game. Only certain names are handled
here; possible names need a decision (`econzoo.evaluate.formats.glee.name_decisions`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from econzoo.evaluate.formats.glee.folders import ROLES, PublishedGame, gain_column

_NAME = r"[\w'\u2019-]*"
_GREETING = re.compile(
    rf"\b(?:Hi|Hello|Hey|Dear|Thanks|Thank you),?[ ]+([A-Z]{_NAME})(?=\s*(?:[,.!?;:\u2013\u2014-]|$))"
)
_INTRODUCTION = re.compile(rf"\bmy name(?: is|'s|\u2019s)[ ]+([A-Za-z]{_NAME})", re.IGNORECASE)

SOMEBODY = "Somebody"
"""Replacement of a name that cannot be assigned to a seat."""

NO_NAMES = frozenset(
    (
        SOMEBODY.lower(),
        *("alice", "bob", "john", "jhon", "i", "you", "both", "all", "everybody", "everyone", "folks", "guys", "team"),
        *("there", "again", "anyway", "so", "sorry", "though", "friend", "friends", "mate", "partner", "player"),
        *("buyer", "seller", "madam", "sir", "mr", "mrs", "ms"),
    )
)
"""Words after a greeting that are not names, and GLEE's own names."""


class ScrubbedGame(NamedTuple):
    """A game without names."""

    game: PublishedGame
    messages: int


def scrub_names(game: PublishedGame, extra_names: Sequence[str] = ()) -> ScrubbedGame:
    """Replace certain names by roles.

    Args:
        extra_names: Additional names, replaced by ``Somebody`` unless they belong to a seat of the game.
    """
    names = {**dict.fromkeys(extra_names, SOMEBODY), **_names_to_roles(game)}
    return replace_names(_use_roles(game), {name: role for name, role in names.items() if name not in ROLES})


def certain_names(game: PublishedGame) -> dict[str, str]:
    """Certain names in messages, with their roles."""
    names = dict[str, str]()
    persons = [seat for seat, person in enumerate(game.people) if person]
    for row in game.rows:
        seat, message = game.seat(row), row.get("message", "")
        if seat in persons:
            names.update(_matched_names(_INTRODUCTION, message, ROLES[seat]))
        elif 1 - seat in persons:
            names.update(_matched_names(_GREETING, message, ROLES[1 - seat]))
    return names


def replace_names(game: PublishedGame, names: Mapping[str, str]) -> ScrubbedGame:
    """Replace names in messages, ignoring case."""
    words = {name.lower(): other for name, other in names.items()}
    rows, changed = [], 0
    for row in game.rows:
        message = _replace_words(row.get("message", ""), words)
        changed += message != row.get("message", "")
        rows.append({**row, "message": message} if "message" in row else row)
    return ScrubbedGame(game._replace(rows=tuple(rows)), changed)


def _names_to_roles(game: PublishedGame) -> dict[str, str]:
    public = {name: role for name, role in zip(game.names, ROLES, strict=True) if name != role}
    return {
        **public,
        **{name: role for name, role in certain_names(game).items() if name.lower() not in game.decided_words},
    }


def _matched_names(pattern: re.Pattern[str], message: str, role: str) -> Iterable[tuple[str, str]]:
    return [(name, role) for name in pattern.findall(message) if name.lower() not in NO_NAMES]


def _replace_words(message: str, words: dict[str, str]) -> str:
    if not words:
        return message
    # Longest first, as a regular expression takes the first alternative that fits.
    names = "|".join(map(re.escape, sorted(words, key=len, reverse=True)))
    # First and last name in a row become one role.
    first_and_last = rf"(?<!\w)({names})(?!\w)(?:\s+(?:{names})(?!\w))*"
    return re.sub(first_and_last, lambda found: words[found[1].lower()], message, flags=re.IGNORECASE)


def _use_roles(game: PublishedGame) -> PublishedGame:
    """Replace public names by roles."""
    if game.names == ROLES:
        return game
    roles = dict(zip(game.names, ROLES, strict=True))
    columns = {gain_column(name): gain_column(role) for name, role in roles.items()}
    rows = [{columns.get(c, c): roles.get(t, t) if c == "player" else t for c, t in r.items()} for r in game.rows]
    config: dict[str, Any] = dict(game.config)
    for i, role in enumerate(ROLES, start=1):
        config[f"player_{i}_args"] = {**config[f"player_{i}_args"], "public_name": role}
    return PublishedGame(game.id, config, tuple(columns.get(c, c) for c in game.columns), tuple(rows))
