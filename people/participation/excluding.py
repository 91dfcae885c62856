"""What participants have earned so far, and leaving one out of a study, also where its server does not run."""

from __future__ import annotations

from collections.abc import Sequence

from econzoo.people.participation.participants import EXCLUDED, Participant, Participants
from econzoo.people.participation.results import results
from econzoo.people.study.declaration import Study
from econzoo.people.study.matching import Planned
from econzoo.people.study.payment import bonus_cents

__all__ = ["bonus_of", "exclude"]


def bonus_of(study: Study, store: Participants, own: Sequence[Planned], one: Participant) -> int:
    """The bonus for the matches of a participant so far, of those that were planned for them."""
    paid = [each.payoff for each in results(store, own, one) if each.payoff is not None]
    return bonus_cents(paid, study.payment)


def exclude(study: Study, store: Participants, own: Sequence[Planned], one: Participant, reason: str) -> bool:
    """Excludes a participant for a reason; the bonus so far is kept. A server that runs sees to the others.

    Args:
        study: The study.
        store: Its participants.
        own: The matches that were planned for the participant.
        one: Who.
        reason: They read it, and it stands in the export.

    Returns:
        Whether they were not excluded before.
    """
    there = store.participant(one.token)
    if there is None or there.page == EXCLUDED:
        return False
    bonus = {"bonus_cents": bonus_of(study, store, own, there)} if there.place is not None else {}
    return store.move(there, EXCLUDED, excluded_reason=reason, **bonus)
