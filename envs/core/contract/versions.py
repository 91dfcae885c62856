"""Versions of a game: rules, texts, numeric face, parsing of replies, random streams.

Records store the versions that they were made with.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

REPLY_VERSION = 3
"""Version of the parsing of replies; raised whenever a reply could be parsed as another move."""

FORM_VERSION = 2
"""Version of the shared prompt texts; part of the version of texts."""


class Versions(NamedTuple):
    """Versions that a match was played with; each is raised independently.

    Attributes:
        rules: `Game.version`, which is part of ids.
        texts: Rules brief, prompts, feedback, and parsing of texts that are moves.
        numeric: Features, actions and grid of the numeric face.
        replies: Parsing of replies, shared by all games (`REPLY_VERSION`).
        streams: Random streams, shared by all games (`econzoo.envs.core.contract.streams`).
    """

    rules: int
    texts: int = 0
    numeric: int = 0
    replies: int = 0
    streams: int = 0

    @classmethod
    def from_record(cls, record: Mapping[str, Any]) -> Versions:
        """Read the versions of a record's dictionary; old records have only that of the rules.

        Raises:
            ValueError: ``versions`` is malformed or disagrees with ``version``.
        """
        given = record.get("versions")
        if given is None:
            return cls(record["version"])
        if not _is_versions(given):
            raise ValueError(
                f"invalid versions: expected an object of {', '.join(Versions._fields)}, each an integer >= 0"
            )
        if given["rules"] != record["version"]:
            raise ValueError(f"version is {record['version']}, but versions.rules is {given['rules']}")
        return cls(**given)

    def differences(self, now: Versions) -> list[str]:
        """List the differences, such as ``"texts of version 0, now 1"``."""
        both = zip(VERSION_NAMES, self, now, strict=True)
        return [f"{what} of version {then}, now {here}" for what, then, here in both if then != here]


VERSION_NAMES = ("rules", "texts", "numeric face", "replies", "random streams")

REQUIRED_VERSIONS = ("rules", "texts", "numeric")
"""Versions in every record with ``versions``; the others were added later."""


def _is_versions(value: Any) -> bool:
    """Whether a JSON value has the form of `Versions`."""
    return (
        isinstance(value, dict)
        and set(REQUIRED_VERSIONS) <= set(value) <= set(Versions._fields)
        and all(type(number) is int and number >= 0 for number in value.values())
    )
