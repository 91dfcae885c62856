"""What the matches of a participant have come to."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from econzoo.envs.core.record.record import Record
from econzoo.people.study.declaration import HUMAN
from econzoo.people.study.matching import Planned

if TYPE_CHECKING:
    from econzoo.people.participation.participants import Participant, Participants


class Result(NamedTuple):
    """A match that a participant had a seat in, and that is over.

    Attributes:
        planned: The match.
        record: Of it.
        seat: Of the participant.
        payoff: That counts for the bonus; None: somebody else took the seat, or the match has no result.
    """

    planned: Planned
    record: Record
    seat: int
    payoff: float | None


def results(store: Participants, own: Sequence[Planned], one: Participant) -> Iterator[Result]:
    """The matches of a participant that are over, in order.

    Args:
        store: Where they are kept.
        own: That were planned for them.
        one: Who.
    """
    begun = store.matches()
    for match in own:
        line = store.line(begun[match.number]) if match.number in begun else None
        if line is None or one.place is None:
            continue
        record, seat = Record.from_json(line), match.players.index(one.place)
        if record.players[seat] == HUMAN:
            yield Result(match, record, seat, _counted(record, seat))


def _counted(record: Record, seat: int) -> float | None:
    replaced = any(each["seat"] == seat for each in record.replaced or ())
    return record.payoffs[seat] if record.has_result and not replaced else None
