"""What all games do with parameters that cannot be."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import econzoo
from refusals import refuses


def refuses_each(game: str, wrong: Mapping[str, Iterable[object]]) -> None:
    """Holds a game to refusing each value in one line that names the parameter, the value and what is allowed."""
    allowed = {parameter.name: parameter.value_range for parameter in econzoo.game(game).parameters}
    for name, values in wrong.items():
        for value in values:
            with refuses(ValueError, game, name, allowed[name]) as told:
                econzoo.make(game, **{name: value})
            told_of = str(told.value)
            assert repr(value)[:20] in told_of, (name, value)
            assert "\n" not in told_of, (name, value)
            assert len(told_of) < 400, (name, value)
