"""Programs submitted in records of the program games, with their results."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from econzoo.envs.core.contract import CHANCE
from econzoo.envs.core.record import Record, Turn
from econzoo.envs.families.open_source import BASE_GAMES, Failure
from econzoo.evaluate.analyses import places
from econzoo.evaluate.analyses.programs.play import FORFEITED

GAMES = tuple(BASE_GAMES)
"""Games whose moves are programs."""

PLAN = "plan"
"""Purpose of the call in which a model describes its strategy ahead of the program."""


class Submission(NamedTuple):
    """Submission of one author in one meta-round, with its results.

    Attributes:
        round: Meta-round, 1-based.
        source: Source of the program; None without one.
        text: Author's plan, or the text of the reply; may be empty.
        refusal_codes: Error codes of the invalid answers before it.
        moves: Moves of the program, one per turn; `FORFEITED` for turns without one.
        payoff: Payoff per turn of the base game; None if the programs were not played.
        failures: Number of failed turns by kind of failure.
        coins: Collected coins of the own and the other colour; None in other games.
    """

    place: Mapping[str, Any]
    round: int
    source: str | None
    text: str
    refusal_codes: tuple[str, ...]
    moves: tuple[str, ...] = ()
    opponent_moves: tuple[str, ...] = ()
    payoff: float | None = None
    failures: Mapping[str, int] = {}
    coins: tuple[int, int] | None = None

    @property
    def id(self) -> str:
        """``MATCH:SEAT:ROUND``."""
        return f"{self.place['match']}:{self.place['seat']}:{self.round}"

    @property
    def letters(self) -> tuple[str, str] | None:
        """Moves of both programs of a 2x2 game as strings; None in other games and without moves."""
        if not self.moves or BASE_GAMES[self.place["game"]] != "matrix":
            return None
        return "".join(self.moves), "".join(self.opponent_moves)


def submissions_of(records: Iterable[Record]) -> list[Submission]:
    """Return all submissions, ordered by match, meta-round and seat."""
    return [one for record in records if record.game in GAMES for one in _match_submissions(record)]


def _match_submissions(record: Record) -> Iterator[Submission]:
    where = places(record)
    rulings = record.rulings or []
    for number in sorted({turn.round for turn in record.turns}):
        # A match that was cut ends with programs that were not played.
        played = _play_results(record, rulings[number - 1]) if number <= len(rulings) else [{}, {}]
        for seat, place in enumerate(where):
            turns = [turn for turn in record.turns if (turn.round, turn.seat) == (number, seat)]
            if turns:
                yield _submission(place, number, turns)._replace(**played[seat])


def _submission(place: Mapping[str, Any], number: int, turns: Sequence[Turn]) -> Submission:
    refused = tuple(turn.error[0] for turn in turns if turn.error is not None)
    accepted = next((turn for turn in turns if turn.action is not None), None)
    # A default has no source; an accepted program that fails has the same flag, but is the author's own.
    source = "" if accepted is None or accepted.action is None else str(accepted.action["program"])
    return Submission(place, number, source if source.strip() else None, _text(turns[-1], source), refused)


def _text(turn: Turn, source: str) -> str:
    plans = [call["reply"] for call in turn.calls if call["purpose"] == PLAN]
    if plans:
        return str(plans[-1])
    return turn.reply if isinstance(turn.reply, str) and turn.reply.strip() != source.strip() else ""


def _play_results(record: Record, ruling: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the fields of a submission with results, for both programs."""
    played = [move for move in ruling["moves"] if move[0] != CHANCE]
    # Both programs move in every turn, seat 0 first; the number of a move is its kind of failure, 0 for none.
    failed = [[int(amount) for _, amount in played[seat::2]] for seat in (0, 1)]
    results = ruling["results"]
    moves = [_moves(result["moves"], failed[seat]) for seat, result in enumerate(results)]
    return [
        {
            "moves": moves[seat],
            "opponent_moves": moves[1 - seat],
            "payoff": result["payoff"] / len(moves[seat]) if moves[seat] else None,
            "failures": Counter(Failure(kind).label for kind in failed[seat] if kind),
            "coins": _coins(result),
        }
        for seat, result in enumerate(results)
    ]


def _moves(played: str | Sequence[str], failed: Sequence[int]) -> tuple[str, ...]:
    """Return the moves, with `FORFEITED` in place of default moves."""
    return tuple(FORFEITED if kind else move for move, kind in zip(played, failed, strict=True))


def _coins(result: Mapping[str, Any]) -> tuple[int, int] | None:
    known = all(name in result for name in ("own", "others"))
    return (int(result["own"]), int(result["others"])) if known else None
