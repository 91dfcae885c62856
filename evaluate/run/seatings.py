"""Seatings of players in the matches of a design, and their validation."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import TYPE_CHECKING

from econzoo.baselines.factory import player, seats_of
from econzoo.envs.core.plurals import format_count
from econzoo.envs.core.registry import game as find_game

if TYPE_CHECKING:
    from econzoo.evaluate.run.design import Design


def pairs(players: Sequence[str], opponents: Sequence[str], game: str, seats: int) -> list[tuple[str, ...]]:
    """Return all pairs of players: one takes each seat in turn, the other all other seats.

    Seatings that put a player in a seat it cannot take are left out.
    """
    fits = {spec: seats_of(spec, game) or range(seats) for spec in (*players, *opponents)}
    out: dict[tuple[str, ...], None] = {}
    for one, other in product(players, opponents):
        for seat in range(seats):
            seating = tuple(one if i == seat else other for i in range(seats))
            if all(i in fits[spec] for i, spec in enumerate(seating)):
                out[seating] = None
    return list(out)


PLAYER_SEPARATOR = "|"
"""Separates the players of a line-up in text."""


def parse_lineups(lines: Sequence[str]) -> list[tuple[str, ...]]:
    """Parse line-ups such as ``"spe | fair"``."""
    return [tuple(spec.strip() for spec in line.split(PLAYER_SEPARATOR)) for line in lines]


def check_lineups(design: Design, seats: Sequence[int]) -> None:
    """Raise `ValueError` for a line-up that fits no setting, or puts a player in a seat it cannot take.

    Args:
        design: The design.
        seats: Number of seats of each setting.
    """
    known = set(design.names())
    for lineup in design.lineups:
        if unknown := [spec for spec in lineup if spec not in known]:
            expected = f"players and opponents: {', '.join(design.names())}"
            raise ValueError(f"{design.game}: unknown player {unknown[0]!r} in a line-up: expected {expected}")
        if len(lineup) not in seats:
            counts = " or ".join(format_count(count, "seat") for count in sorted(set(seats)))
            raise ValueError(f"{design.game}: invalid line-up {', '.join(lineup)}: expected {counts}")
        for seat, spec in enumerate(lineup):
            own_seats = seats_of(spec, design.game)
            if own_seats is not None and seat not in own_seats:
                expected = ", ".join(map(str, own_seats))
                raise ValueError(f"{design.game}: player {spec!r} cannot take seat {seat}: expected {expected}")


def check_all_seated(design: Design) -> None:
    """Raise `ValueError` for the first player without partners, or setting without matches."""
    seated = {spec for seating in design.seatings() for spec in seating}
    roles = find_game(design.game).facts.roles

    def describe_player(spec: str) -> str:
        seats = seats_of(spec, design.game)
        return f"{spec!r} (takes {'any seat' if seats is None else ' or '.join(roles[i] for i in seats)})"

    missing = [spec for spec in design.names() if spec not in seated]
    if missing:
        player(missing[0], design.game)  # an unknown one has no partner either, but that is not why
        others = ", ".join(describe_player(spec) for spec in (design.opponents or design.players) if spec != missing[0])
        partners = (
            f"among {others}"
            if missing[0] in design.players
            else f"among {', '.join(map(describe_player, design.players))}"
        )
        raise ValueError(
            f"{design.game}: {describe_player(missing[0])} has no partner {partners if others else ''}".rstrip()
        )
    for setting, table in zip(design.settings, design.tables(), strict=True):
        if not table:
            raise ValueError(f"{design.game}: no seating of the design fits the setting {setting.name!r}")
