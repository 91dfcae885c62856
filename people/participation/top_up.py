"""Additional places for a study that is short of participants."""

from __future__ import annotations

from econzoo.people.participation.page_names import DONE, END_PAGES, PLAY
from econzoo.people.participation.participants import Participants
from econzoo.people.study import Pairing, Participant, ParticipantProgress, Roster, Study, block_size


def top_up(study: Study, store: Participants, participants: int) -> int:
    """Add places in whole blocks of the randomisation until the target can be reached.

    Finished participants, those in progress who have not left a match, and free places count. A running server uses the
    new places at once.

    Returns:
        Number of added places; 0: there are enough.
    """
    pairing = Pairing(study, store.added_places)
    roster = Roster(pairing.table, pairing.own_matches, store.seats_of_matches())
    placed = store.participants_by_place()
    free = pairing.free_matches(
        roster.begun, {place: ParticipantProgress(one.repetition) for place, one in placed.items()}
    )
    counted = sum(_may_finish(store, roster, one) for one in placed.values())
    wanted = participants - counted - sum(len(match.places) for match in free)
    return _add_blocks(study, store, wanted)


def _may_finish(store: Participants, roster: Roster, one: Participant) -> bool:
    """Whether a participant has finished, or is in progress and has not left the current match."""
    if one.page in END_PAGES:
        return one.page == DONE
    match = roster.matches_of(one.place)[one.repetition] if one.page == PLAY else None
    id = None if match is None else store.match_id(match.number)
    return match is None or id is None or match.players.index(one.place or 0) not in store.absent_seats(id)


def _add_blocks(study: Study, store: Participants, wanted: int) -> int:
    """Add whole blocks; matching with strangers only may need more of them."""
    block = block_size(study)
    # Rounded up, since a block is the smallest number that keeps arms balanced.
    count = -(-max(0, wanted) // block) * block
    while count:
        try:
            Pairing(study, (*store.added_places, count))
        except ValueError:
            if (count := count + block) > wanted + study.matching.participants:
                raise
        else:
            store.add_places(count)
            break
    return count
