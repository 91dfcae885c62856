"""A match once more: the address of the page on which all is chosen as it was."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import urlencode

from econzoo.envs.core.registry import game as find_game
from econzoo.evaluate.run.settings import shown
from econzoo.people.table.terms import Terms

if TYPE_CHECKING:
    from econzoo.evaluate.run.table import Match


def address_of(match: Match, seat: int, terms: Terms) -> str:
    """The address that offers a match once more, with all that was chosen but for the seed.

    Args:
        match: That was played.
        seat: Of who plays again.
        terms: That were agreed on.
    """
    usual = {one.name: one.default for one in find_game(match.game).parameters}
    params = {f"param.{name}": shown(value) for name, value in match.params.items() if value != usual[name]}
    players = {f"player.{other}": spec for other, spec in enumerate(match.players) if other != seat}
    limits = {f"terms.{name}": str(value or "") for name, value in terms._asdict().items()}
    return f"/?{urlencode({'game': match.game, 'seat': seat, **players, **params, **limits})}"
