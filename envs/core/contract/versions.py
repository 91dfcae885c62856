"""Versions of a game: of its rules, its texts, its numeric face, of how replies are read and random numbers derived.

A record says with which ones it was made.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

REPLY_VERSION = 3
"""How the core reads replies; raised whenever a reply to any game could be taken for another move."""

FORM_VERSION = 2
"""How the core asks for an answer; raised with the words that all games share, and a part of the version of texts."""


class Versions(NamedTuple):
    """The versions that a match was played with; each rises by itself.

    Attributes:
        rules: `Game.version`, which stands in the ids.
        texts: What is read: the rules brief, prompts, the words of errors, and how a text is taken for a move.
        numeric: The numeric face: features and actions, their order and meaning, and the grid.
        replies: What counts as the answer in a reply, the same for all games (`REPLY_VERSION`).
        streams: How random numbers follow from the seed, the same in all games (`econzoo.envs.core.contract.streams`).
    """

    rules: int
    texts: int = 0
    numeric: int = 0
    replies: int = 0
    streams: int = 0

    @classmethod
    def from_record(cls, record: Mapping[str, Any]) -> Versions:
        """The versions of a record, from its dictionary; old ones name that of the rules alone.

        Raises:
            ValueError: ``versions`` is not of that form, or does not agree with ``version``.
        """
        given = record.get("versions")
        if given is None:
            return cls(record["version"])
        if not _is_versions(given):
            raise ValueError(f"versions is not an object of {', '.join(Versions._fields)}, each a whole number >= 0")
        if given["rules"] != record["version"]:
            raise ValueError(f"version is {record['version']}, but versions has rules of version {given['rules']}")
        return cls(**given)

    def differences(self, now: Versions) -> list[str]:
        """In words, one line for each: ``"texts of version 0, now 1"``."""
        both = zip(VERSION_NAMES, self, now, strict=True)
        return [f"{what} of version {then}, now {here}" for what, then, here in both if then != here]


VERSION_NAMES = ("rules", "texts", "numeric face", "replies", "random streams")

REQUIRED_VERSIONS = ("rules", "texts", "numeric")
"""Versions that every record with any has; the others came in later."""


def _is_versions(value: Any) -> bool:
    """Whether a value read from JSON has the form of `Versions`."""
    return (
        isinstance(value, dict)
        and set(REQUIRED_VERSIONS) <= set(value) <= set(Versions._fields)
        and all(type(number) is int and number >= 0 for number in value.values())
    )
