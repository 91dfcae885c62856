"""Who takes the seats of participants that do not come, or have left."""

from __future__ import annotations

from econzoo.baselines.factory import player as make_player
from econzoo.people.study.declaration import PAY, Study
from econzoo.people.table.match_setup import check_substitute


def check_stand_ins(study: Study) -> None:
    """Refuses who cannot take the seats of participants.

    Raises:
        ValueError: A player cannot.
    """
    seats = range(max(len(arm.seats) for arm in study.arms))
    if study.leaving.replaced:
        check_substitute(study.leaving.policy, study.game, seats)
    if study.time.alone != PAY:
        player = make_player(study.time.alone, study.game)
        for seat in seats:
            if not player.fits(seat):
                raise ValueError(f"player {study.time.alone!r} cannot take seat {seat}; allowed: one for every seat")
