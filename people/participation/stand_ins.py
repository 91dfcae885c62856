"""Players for the seats of missing or departed participants."""

from __future__ import annotations

from econzoo.baselines.factory import player as make_player
from econzoo.people.study.declaration import PAY, Study
from econzoo.people.table.match_setup import check_substitute


def check_stand_ins(study: Study) -> None:
    """Raise `ValueError` if a stand-in or substitute cannot take every seat of a participant."""
    for game in study.games:
        settings = [place for place, one in enumerate(study.settings) if one.game == game]
        seats = range(max(len(study.seats(arm, setting)) for arm in study.arms for setting in settings))
        if study.leaving.is_replaced:
            check_substitute(study.leaving.policy, game, seats)
        if study.time.alone != PAY:
            player = make_player(study.time.alone, game)
            for seat in seats:
                if not player.can_take_seat(seat):
                    raise ValueError(
                        f"player {study.time.alone!r} cannot take seat {seat} of {game}: expected one for all seats"
                    )
