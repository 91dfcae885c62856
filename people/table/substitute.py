"""A script that takes somebody's seat in the middle of a match, and reads and writes as that seat does."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from econzoo.baselines.factory import player as make_player
from econzoo.baselines.player import Player
from econzoo.envs.core.contract.streams import derived_seed
from econzoo.envs.core.contract.validation import Invalid
from econzoo.envs.core.faces.parse import render_reply
from econzoo.envs.core.faces.structured_face import StructuredFace
from econzoo.wrappers.seating import SeatInfo, seating

if TYPE_CHECKING:
    from econzoo.evaluate.run.table import Table
    from econzoo.people.table.terms import Absence


class Substitute(Player):
    """Plays on for somebody.

    Args:
        table: Where the match has come to this turn.
        absence: Whose seat it takes, and who takes it.
    """

    wants_seen = True

    def __init__(self, table: Table, absence: Absence) -> None:
        super().__init__(absence.by)
        env, seat = table.env, absence.seat
        self.face = table.faces[seat]  # type: ignore[misc]
        self._shown = env.face(env.possible_agents[seat])
        self._script = make_player(absence.by, env.game.name)
        self._reads = StructuredFace(env.game, env.legal(env.possible_agents[seat]))
        self.reset(seat, seating(env, seat), derived_seed(env.setting, table.seed, "player", seat, absence.turn))

    def reset(self, seat: int, info: SeatInfo, seed: int) -> None:
        """Takes the seat."""
        self._info = info
        self._script.reset(seat, info, seed)

    def act(self, observation: Any, info: dict[str, Any]) -> Any:
        """The script's move, as the seat writes it."""
        seen = info["seen"]
        own = {key: value for key, value in info.items() if key != "seen"} | self._reads.info(seen.legal)
        reply = self._script.act(self._reads.observe(seen), own)
        move = self._reads.decode(reply, seen.legal)
        if isinstance(move, Invalid):
            raise ValueError(f"{self.spec}: {move.text}")
        if self._info.teller is not None:
            return render_reply(self._info.teller.words, move, seen.legal)
        return reply if self.face == "structured" else self._shown.moves.encode(move, seen.legal)  # type: ignore[attr-defined]


def check_substitute(spec: str, game: str, seats: range) -> None:
    """Raises `ValueError` if a player cannot take a seat in the middle of any match: scripts can."""
    player = make_player(spec, game)
    if player.face != "structured":
        raise ValueError(f"player {spec[:80]!r} cannot take a seat during a match; allowed: scripts of {game}, random")
    for seat in seats:
        if not player.fits(seat):
            raise ValueError(f"player {spec[:80]!r} cannot take seat {seat}; allowed: a player for every seat")
