"""Players of a benchmark of several games, as a command line names them."""

from __future__ import annotations

from econzoo.envs.core.registry import games


def parse_entry(text: str) -> tuple[str | None, str]:
    """(game, spec) of ``GAME=SPEC``, (None, spec) of a spec, which may have a name in the same form."""
    game, equals, spec = text.partition("=")
    return (game.strip(), spec) if equals and game.strip() in games() else (None, text)
