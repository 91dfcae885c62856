"""Players of a benchmark of several games on the command line."""

from __future__ import annotations

from econzoo.envs.core.registry import games


def parse_entry(text: str) -> tuple[str | None, str]:
    """Parse ``GAME=SPEC`` into (game, spec), and a spec, which may have a name in the same form, into (None, spec)."""
    game, equals, spec = text.partition("=")
    return (game.strip(), spec) if equals and game.strip() in games() else (None, text)
