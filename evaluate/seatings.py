"""Whether everybody in a plan can sit where it would have to."""

from __future__ import annotations

from typing import TYPE_CHECKING

from econzoo.baselines.factory import seats_of
from econzoo.envs.core.plurals import many
from econzoo.envs.core.registry import game as find_game

if TYPE_CHECKING:
    from econzoo.evaluate.plan import Plan


def check_lineups(plan: Plan, seats: int) -> None:
    """Raises `ValueError` for a line-up of another size than the table's, or in which somebody sits where it cannot."""
    for lineup in plan.lineups:
        if len(lineup) != seats:
            raise ValueError(f"{plan.game} has {many(seats, 'seat')}; got the line-up {', '.join(lineup)}")
        for seat, spec in enumerate(lineup):
            taken = seats_of(spec, plan.game)
            if taken is not None and seat not in taken:
                allowed = ", ".join(map(str, taken))
                raise ValueError(f"{plan.game}: {spec!r} cannot take seat {seat}; allowed: {allowed}")


def check_all_seated(plan: Plan) -> None:
    """Raises `ValueError` for the first player that finds nobody to sit down with."""
    seated = {spec for seating in plan.seatings() for spec in seating}
    roles = find_game(plan.game).facts.roles

    def told(spec: str) -> str:
        seats = seats_of(spec, plan.game)
        return f"{spec!r} (takes {'any seat' if seats is None else ' or '.join(roles[i] for i in seats)})"

    alone = [spec for spec in plan.names() if spec not in seated]
    if alone:
        others = ", ".join(told(spec) for spec in (plan.opponents or plan.players) if spec != alone[0])
        met = f"among {others}" if alone[0] in plan.players else f"among {', '.join(map(told, plan.players))}"
        raise ValueError(f"{plan.game}: {told(alone[0])} finds no partner {met if others else ''}".rstrip())
