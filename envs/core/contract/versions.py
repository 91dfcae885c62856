"""Versions of a game: rules, texts, numeric face, parsing of replies, random streams.

Records store the versions that they were made with.
"""

from __future__ import annotations

from typing import NamedTuple

REPLY_VERSION = 1
"""Version of the parsing of replies; raised whenever a reply could be parsed as another move."""

STREAM_VERSION = 1
"""Version of the random streams; raised whenever a match would get other random numbers."""

FORM_VERSION = 1
"""Version of the shared prompt texts; part of the version of texts."""


class Versions(NamedTuple):
    """Versions that a match was played with; each is raised independently.

    Attributes:
        rules: `Game.version`, which is part of ids.
        texts: Rules brief, prompts, feedback, and parsing of texts that are moves.
        numeric: Features, actions and grid of the numeric face.
        replies: Parsing of replies, shared by all games (`REPLY_VERSION`).
        streams: Random streams, shared by all games (`STREAM_VERSION`).
    """

    rules: int
    texts: int
    numeric: int
    replies: int
    streams: int

    def differences(self, installed: Versions) -> list[str]:
        """List the differences, such as ``"texts of version 1, here 2"``."""
        both = zip(VERSION_NAMES, self, installed, strict=True)
        return [f"{what} of version {own}, here {other}" for what, own, other in both if own != other]


VERSION_NAMES = ("rules", "texts", "numeric face", "replies", "random streams")
