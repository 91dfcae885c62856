"""Who takes the seats of participants who do not come, or leave: whether they can."""

from __future__ import annotations

from econzoo.baselines.factory import player as make_player
from econzoo.people.study.declaration import PAY, POLICIES, Study
from econzoo.people.table.substitute import check_substitute


def check_stand_ins(study: Study) -> None:
    """Refuses who cannot take the seats of participants.

    Raises:
        ValueError: A player cannot.
    """
    seats = range(max(len(arm.seats) for arm in study.arms))
    if study.leaving not in POLICIES:
        check_substitute(study.leaving, study.game, seats)
    if study.time.alone != PAY:
        player = make_player(study.time.alone, study.game)
        for seat in seats:
            if not player.fits(seat):
                raise ValueError(f"player {study.time.alone!r} cannot take seat {seat}; allowed: one for every seat")
