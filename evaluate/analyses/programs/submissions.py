"""The programs in records of the program games: who submitted what in which meta-round, and what came of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from econzoo.envs.core.contract.game import CHANCE
from econzoo.envs.core.record.record import Record, Turn
from econzoo.envs.families.open_source.failures import Failure
from econzoo.envs.families.open_source.interfaces import BASE_GAMES
from econzoo.evaluate.analyses.programs.play import FORFEITED
from econzoo.evaluate.analyses.seat_columns import places

GAMES = tuple(BASE_GAMES)
"""The games whose moves are programs."""

PLAN = "plan"
"""Purpose of the call in which a model writes down its strategy before the program."""


class Submission(NamedTuple):
    """What one author submitted in one meta-round, and what its program did.

    Attributes:
        place: Where: match, cluster, market, game, player, opponent, role, seat.
        round: Meta-round, 1-based.
        source: The program; None if the author gave none.
        text: What the author wrote beside it: its plan, or the words of its reply; may be empty.
        refusal_codes: Code of each answer that was refused before.
        moves: What the program did, one word or letter a turn; `FORFEITED` for a turn that it did not answer.
        opponent_moves: What the other program did.
        payoff: Per turn of the base game; None where the programs were not played.
        failures: Kind of failure to the turns that failed so.
        coins: Coins of the own and of the other's colour that it collected; None in other games.
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
        """The moves of both programs of a 2x2 game as texts; None in other games and where nothing was played."""
        if not self.moves or BASE_GAMES[self.place["game"]] != "matrix":
            return None
        return "".join(self.moves), "".join(self.opponent_moves)


def submissions_of(records: Iterable[Record]) -> list[Submission]:
    """Everything that authors submitted, match by match, by meta-round and seat.

    Args:
        records: Of any games; others than `GAMES` are passed over.
    """
    return [one for record in records if record.game in GAMES for one in _match_submissions(record)]


def _match_submissions(record: Record) -> Iterator[Submission]:
    where = places(record)
    rulings = record.rulings or []
    for number in sorted({turn.round for turn in record.turns}):
        played = _play_results(record, rulings[number - 1]) if number <= len(rulings) else [{}, {}]
        for seat, place in enumerate(where):
            turns = [turn for turn in record.turns if (turn.round, turn.seat) == (number, seat)]
            if turns:
                yield _submission(place, number, turns)._replace(**played[seat])


def _submission(place: Mapping[str, Any], number: int, turns: Sequence[Turn]) -> Submission:
    refused = tuple(turn.error[0] for turn in turns if turn.error is not None)
    made = next((turn for turn in turns if turn.action is not None), None)
    # A default is nobody's program; one that was kept although it fails is the author's own, and has the same flag.
    source = "" if made is None or made.action is None else str(made.action["program"])
    return Submission(place, number, source if source.strip() else None, _text(turns[-1], source), refused)


def _text(turn: Turn, source: str) -> str:
    plans = [call["reply"] for call in turn.calls if call["purpose"] == PLAN]
    if plans:
        return str(plans[-1])
    return turn.reply if isinstance(turn.reply, str) and turn.reply.strip() != source.strip() else ""


def _play_results(record: Record, ruling: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The fields of what came of both programs."""
    made = [move for move in ruling["moves"] if move[0] != CHANCE]
    failed = [[int(amount) for _, amount in made[seat::2]] for seat in (0, 1)]
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


def _moves(made: str | Sequence[str], failed: Sequence[int]) -> tuple[str, ...]:
    """What was done, without the moves that stand in the place of an answer."""
    return tuple(FORFEITED if kind else move for move, kind in zip(made, failed, strict=True))


def _coins(result: Mapping[str, Any]) -> tuple[int, int] | None:
    known = all(name in result for name in ("own", "others"))
    return (int(result["own"]), int(result["others"])) if known else None
