"""First answers in the records of the arms, and their numeric measures."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from econzoo.envs.core.contract import Choice, Number

if TYPE_CHECKING:
    from econzoo.envs.core.contract import ActionSchema
    from econzoo.envs.core.record import Record
    from econzoo.evaluate.analyses.prompt_anchoring.arms import Arm
    from econzoo.evaluate.analyses.prompt_anchoring.questions import FirstQuestion


class FirstAnswer(NamedTuple):
    """First answer of a match.

    Attributes:
        move: Move as a plain dictionary; None if illegal.
        problem: Error message; empty if legal.
    """

    player: str
    seat: int
    role: str
    format: str
    seed: int
    match: str
    reply: str
    legal: bool
    move: dict[str, Any] | None
    problem: str


def answers_of(arms: Sequence[Arm], records: Iterable[Record]) -> list[FirstAnswer]:
    """Return the first answers in the recorded matches of the arms, by arm."""
    by_id = {record.id: record for record in records}
    return [
        first_answer(by_id[id], arm.question, arm.format.name)
        for arm in arms
        for _, id in arm.design.matches_with_ids()
        if id in by_id
    ]


def first_answer(record: Record, question: FirstQuestion, form: str) -> FirstAnswer:
    """Return the first answer of the question's seat in a match."""
    turn = next(turn for turn in record.turns if turn.seat == question.seat)
    wrong = turn.error[1] if turn.error else ""
    place = record.players[question.seat], question.seat, question.role, form, record.seed, record.id
    return FirstAnswer(*place, str(turn.reply), not wrong, None if wrong else turn.action, wrong)


def measures(question: FirstQuestion) -> list[str]:
    """Return the names of the measures of a question, see `measure_move`; of two kinds only the first."""
    possible = [kind for kind, ok in zip(question.actions.kinds, question.legal.kinds, strict=True) if ok]
    # The share of the second of two kinds says nothing new: both add up to 1.
    kinds = [kind.name for kind in possible[: None if len(possible) > 2 else -1]]
    fields = [name for kind in possible for name in _names(question.actions, kind.name, question.legal.messages)]
    return [*kinds, *fields]


def measure_move(actions: ActionSchema, move: Mapping[str, Any]) -> dict[str, Any]:
    """Return the measures of a move by name.

    Each kind of move is an indicator. Fields of the chosen kind, by kind and field, are numbers, indices of choices, or
    texts of messages and programs.
    """
    chosen = move.get("kind", actions.names[0])
    values: dict[str, Any] = {name: float(name == chosen) for name in actions.names}
    kind = actions.kinds[actions.index[chosen]]
    for name, mark in kind.marks.items():
        field = move.get(name, "")
        for place, one in enumerate(field) if name in kind.groups else ((None, field),):
            values[_measure_name(kind.name, name, place)] = _value(mark, one)
    return values


def usual_ranges(question: FirstQuestion) -> dict[str, tuple[float, float]]:
    """Return the usual range of each numeric measure, that of the numeric face.

    Legal values can be far larger: a bid of a billion is legal, though it cannot be paid.
    """
    found: dict[str, tuple[float, float]] = {}
    for index, name in enumerate(question.actions.names):
        fields = [one for one in _names(question.actions, name, False) if not is_text(question.actions, one)]
        found |= zip(fields, question.legal.grid_bounds[question.actions.first[index] :], strict=False)
    return found


def is_text(actions: ActionSchema, measure: str) -> bool:
    """Return whether a measure is a text, which can only be compared for equality."""
    kind, _, field = measure.partition(" ")
    return bool(field) and not isinstance(actions.kinds[actions.index[kind]].marks[field.partition("[")[0]], Number)


def _names(actions: ActionSchema, kind_name: str, messages: int) -> Iterator[str]:
    kind = actions.kinds[actions.index[kind_name]]
    for name in kind.marks:
        if name in kind.groups:
            yield from (_measure_name(kind_name, name, place) for place in range(actions.group))
        elif name != kind.message or messages:
            yield _measure_name(kind_name, name)


def _measure_name(kind: str, field: str, place: int | None = None) -> str:
    return f"{kind} {field}" if place is None else f"{kind} {field}[{place}]"


def _value(mark: Any, given: Any) -> Any:
    if isinstance(mark, Choice):
        return mark.to_number(given)
    return float(given) if isinstance(mark, Number) else given
