"""2x2 games, one-shot or repeated, such as the prisoner's dilemma.

Both choose C or D simultaneously in each round and are paid by a table (Rapoport, Guyer and Gordon 1976, The 2x2 Game;
Axelrod 1984, The Evolution of Cooperation). With noise, nature flips each choice with a small probability (trembling
hand). It may also end the match after any round with a fixed probability, as in Axelrod's second tournament. Nature
moves before the round, hidden, so that a round ends with the choices. Pure functions of numbers: the same code runs one
match in Python and thousands in a compiled batch.
"""

from __future__ import annotations

from typing import Annotated, NamedTuple, TypeAlias

from econzoo.envs.core.contract import CHANCE, DONE, MAX_ROUNDS, NO_FEATURE, SEVERAL, UNKNOWN, Fact, Integer, Move, Real

C, D = 0, 1
NOT_YET = -1
"""Last move before the first round."""

NO_SLIP, ROW_SLIPS, COLUMN_SLIPS, BOTH_SLIP = 0.0, 1.0, 2.0, 3.0
"""Nature's moves: whose choice is flipped in this round."""

MATCH_ENDS = 4.0
"""Added to nature's move if the match ends with this round."""


Draw: TypeAlias = tuple[float, float]
"""A move of nature and its probability."""


class Params(NamedTuple):
    """Parameters of a match.

    Attributes:
        table: Points of the row seat (seat 0) for CC, CD, DC, DD, then of the column seat (seat 1) for the same cells;
            the row seat's move is named first.
        known: 1 if the seats know the number of rounds, else 0.
        prob_end: Probability that the match ends after a round, in [0, 1), known to the seats.
    """

    table: tuple[float, float, float, float, float, float, float, float]
    rounds: Annotated[int, Integer(1, MAX_ROUNDS), "Number of rounds."] = 10
    known: int = 1
    noise: Annotated[float, Real(0.0, 0.5), "Probability that a choice is flipped, independently for each player."] = (
        0.0
    )
    prob_end: float = 0.0

    def __repr__(self) -> str:
        """Omit a `prob_end` of 0, which is not in the seed: batches of settings derive seeds from this text."""
        names = self._fields if self.prob_end else self._fields[:-1]
        return f"Params({', '.join(f'{name}={getattr(self, name)!r}' for name in names)})"


class State(NamedTuple):
    """A position. Moves are realised moves; cells name the row seat's move first.

    Attributes:
        round: 1-based; stays at the last round when the match is over.
        slip: Nature's hidden move: whose choice is flipped in this round (`NO_SLIP`, `ROW_SLIPS`, `COLUMN_SLIPS` or
            `BOTH_SLIP`), plus `MATCH_ENDS` if the match ends with it; UNKNOWN before nature's move, and always if
            nature has none.
        last_row: Row seat's move in the previous round, or `NOT_YET`.
        last_column: Column seat's move in the previous round, or `NOT_YET`.
        cc: Rounds so far with outcome CC.
        cd: Rounds so far with outcome CD.
        dc: Rounds so far with outcome DC.
        dd: Rounds so far with outcome DD.
        over: Whether the match has ended.
    """

    round: int
    slip: float
    last_row: int
    last_column: int
    cc: int
    cd: int
    dc: int
    dd: int
    over: bool


class View(NamedTuple):
    """Observation of one seat. Cells name its own move first; moves are realised moves.

    Attributes:
        seat: The observing seat: 0 or 1.
        round: Round, 1-based.
        rounds: Number of rounds, or UNKNOWN.
        cc: Points of this seat if both play C.
        cd: Points of this seat for its C against the other's D.
        dc: Points of this seat for its D against the other's C.
        dd: Points of this seat if both play D.
        other_cc: Points of the other seat if both play C.
        other_cd: Points of the other seat if this seat plays C and the other D.
        other_dc: Points of the other seat if this seat plays D and the other C.
        other_dd: Points of the other seat if both play D.
        last_own: This seat's last move: 0 is C, 1 is D; UNKNOWN before the first.
        last_other: The other seat's last move, likewise.
        own_score: Points of this seat so far.
        other_score: Points of the other seat so far.
        times_cc: Rounds so far in which both played C.
        times_cd: Rounds so far in which this seat played C and the other D.
        times_dc: Rounds so far in which this seat played D and the other C.
        times_dd: Rounds so far in which both played D.
        over: 1 if the match has ended, else 0.
        prob_end: Probability that the match ends after a round.
    """

    seat: int
    round: int
    rounds: float
    noise: float
    cc: float
    cd: float
    dc: float
    dd: float
    other_cc: float
    other_cd: float
    other_dc: float
    other_dd: float
    last_own: float
    last_other: float
    own_score: float
    other_score: float
    times_cc: int
    times_cd: int
    times_dc: int
    times_dd: int
    over: int
    prob_end: float


class Result(NamedTuple):
    """Public result of a round for one seat.

    Attributes:
        own: Its realised move: 0 is C, 1 is D.
    """

    own: float
    other: float
    payoff: float


def initial(p: Params) -> State:
    """Start of the match."""
    return State(1, UNKNOWN, NOT_YET, NOT_YET, 0, 0, 0, 0, False)


def to_act(p: Params, s: State) -> int:
    """Nature, with noise or a random end, then both simultaneously."""
    if s.over:
        return DONE
    return CHANCE if s.slip == UNKNOWN and p.noise + p.prob_end > 0.0 else SEVERAL


def chance(p: Params, s: State) -> tuple[Draw, Draw, Draw, Draw, Draw, Draw, Draw, Draw]:
    """Distribution of nature's move: two independent flips and the end of the match."""
    # All eight outcomes, even those of probability 0: compiled rules need tuples of a fixed length.
    slips, stays, ends, lasts = p.noise, 1.0 - p.noise, p.prob_end, 1.0 - p.prob_end
    steady, first, second, both = stays * stays, slips * stays, stays * slips, slips * slips
    return (
        (NO_SLIP, steady * lasts),
        (ROW_SLIPS, first * lasts),
        (COLUMN_SLIPS, second * lasts),
        (BOTH_SLIP, both * lasts),
        (MATCH_ENDS + NO_SLIP, steady * ends),
        (MATCH_ENDS + ROW_SLIPS, first * ends),
        (MATCH_ENDS + COLUMN_SLIPS, second * ends),
        (MATCH_ENDS + BOTH_SLIP, both * ends),
    )


def legal(p: Params, s: State, seat: int) -> tuple[bool, bool]:
    """C and D are legal until the end."""
    return not s.over, not s.over


def apply_noise(s: State, seat: int, kind: int) -> int:
    """Realised move of a seat's choice in this round."""
    if s.slip == UNKNOWN:
        return kind
    slip = s.slip - MATCH_ENDS if s.slip >= MATCH_ENDS else s.slip
    slips = slip in (BOTH_SLIP, ROW_SLIPS if seat == 0 else COLUMN_SLIPS)
    return 1 - kind if slips else kind


def apply(p: Params, s: State, moves: tuple[Move, ...]) -> State:
    """Return the position after nature's move, or after one choice of each seat."""
    if moves[0].kind == CHANCE:
        return State(s.round, moves[0].values[0], s.last_row, s.last_column, s.cc, s.cd, s.dc, s.dd, False)
    # moves[-1] and not moves[1]: the function is compiled for nature's single move too, where index 1 does not exist.
    row, column = apply_noise(s, 0, moves[0].kind), apply_noise(s, 1, moves[-1].kind)
    over = s.round == p.rounds or s.slip >= MATCH_ENDS
    return State(
        s.round if over else s.round + 1,
        UNKNOWN,
        row,
        column,
        s.cc + int(row == C and column == C),
        s.cd + int(row == C and column == D),
        s.dc + int(row == D and column == C),
        s.dd + int(row == D and column == D),
        over,
    )


def realized_moves(p: Params, before: State, moves: tuple[Move, ...], s: State) -> tuple[Move, Move]:
    """Realised moves of a round."""
    return Move(s.last_row, (0.0,)), Move(s.last_column, (0.0,))


def score(p: Params, s: State, seat: int) -> float:
    """Points of a seat so far."""
    t, at = p.table, 4 * seat
    return s.cc * t[at] + s.cd * t[at + 1] + s.dc * t[at + 2] + s.dd * t[at + 3]


def payoffs(p: Params, s: State) -> tuple[float, float]:
    """Points of both seats."""
    return score(p, s, 0), score(p, s, 1)


def gain(p: Params, s: State, seat: int) -> float:
    """See `gains`."""
    t, at = p.table, 4 * seat
    low, high = min(t[at], t[at + 1], t[at + 2], t[at + 3]), max(t[at], t[at + 1], t[at + 2], t[at + 3])
    if low == high:
        return 0.0
    scaled = s.cc * (t[at] - low) + s.cd * (t[at + 1] - low) + s.dc * (t[at + 2] - low) + s.dd * (t[at + 3] - low)
    return scaled / (high - low) / counted_rounds(p, s)


def counted_rounds(p: Params, s: State) -> float:
    """Number of rounds over which gains are averaged.

    All rounds of the match. With a random end: the rounds played; in an unfinished match also the expected number of
    further rounds, at most those remaining.
    """
    played = s.cc + s.cd + s.dc + s.dd
    if p.prob_end == 0.0:
        return float(p.rounds)
    return float(played) if s.over else played + min(1.0 / p.prob_end, float(p.rounds - played))


def gains(p: Params, s: State) -> tuple[float, float]:
    """Mean payoff per round, scaled so that a seat's smallest payoff in the table is 0 and its largest 1.

    Unplayed rounds count 0, so that ending a match early is no gain; so do all rounds of a seat with constant payoffs.
    If nature ends the match, only played rounds count (Axelrod's score per turn).
    """
    return gain(p, s, 0), gain(p, s, 1)


def facts(p: Params, before: State, moves: tuple[Move, ...], s: State) -> tuple[Fact, Fact]:
    """Public results of a round: realised moves and payoffs."""
    row, column = float(s.last_row), float(s.last_column)
    cell = 2 * s.last_row + s.last_column
    return Fact(0, Result(row, column, p.table[cell])), Fact(1, Result(column, row, p.table[4 + cell]))


def observe(p: Params, s: State, seat: int) -> View:
    """View of a seat: everything but nature's move, the choices of the round and a hidden number of rounds."""
    t, at, other = p.table, 4 * seat, 4 - 4 * seat
    cd, dc = 1 + seat, 2 - seat  # cells of the table in which this seat played C against D, and D against C
    own, others = (s.last_row, s.last_column) if seat == 0 else (s.last_column, s.last_row)
    return View(
        seat,
        s.round,
        p.rounds if p.known else UNKNOWN,
        p.noise,
        t[at],
        t[at + cd],
        t[at + dc],
        t[at + 3],
        t[other],
        t[other + cd],
        t[other + dc],
        t[other + 3],
        UNKNOWN if own == NOT_YET else float(own),
        UNKNOWN if others == NOT_YET else float(others),
        score(p, s, seat),
        score(p, s, 1 - seat),
        s.cc,
        s.cd if seat == 0 else s.dc,
        s.dc if seat == 0 else s.cd,
        s.dd,
        int(s.over),
        p.prob_end,
    )


FEATURES = (
    "seat: 0 or 1",
    "round t as 1 - 1 / t: 0 to 1",
    "round over the number of rounds, or prob_end - 1 if that is unknown: -1 to 1",
    "noise, the probability that a move comes out as the other one: 0 to 1",
    *[
        f"{whose} points for {cell}, the own move first, over the largest number of the table: -1 to 1"
        for whose in ("own", "other's")
        for cell in ("CC", "CD", "DC", "DD")
    ],
    "own last move: 0 C, 1 D, -1 none yet",
    "other's last move: 0 C, 1 D, -1 none yet",
    *[f"share of the earlier rounds that came out {cell}: 0 to 1" for cell in ("CC", "CD", "DC", "DD")],
    "own points a round over the largest number of the table: -1 to 1",
    "other's points a round over the largest number of the table: -1 to 1",
)


def features(v: View) -> tuple[float, ...]:
    """Features of a view, as described by `FEATURES`; cells name the own move first."""
    # One scale for both seats, so that their payoffs stay comparable.
    own = max(abs(v.cc), abs(v.cd), abs(v.dc), abs(v.dd))
    scale = max(own, abs(v.other_cc), abs(v.other_cd), abs(v.other_dc), abs(v.other_dd))
    scale = scale if scale > 0.0 else 1.0
    played = v.times_cc + v.times_cd + v.times_dc + v.times_dd
    each = 1.0 / played if played > 0 else 0.0
    return (
        float(v.seat),
        1.0 - 1.0 / v.round,
        v.round / v.rounds if v.rounds > 0.0 else NO_FEATURE + v.prob_end,
        v.noise,
        v.cc / scale,
        v.cd / scale,
        v.dc / scale,
        v.dd / scale,
        v.other_cc / scale,
        v.other_cd / scale,
        v.other_dc / scale,
        v.other_dd / scale,
        max(v.last_own, NO_FEATURE),
        max(v.last_other, NO_FEATURE),
        v.times_cc * each,
        v.times_cd * each,
        v.times_dc * each,
        v.times_dd * each,
        v.own_score * each / scale,
        v.other_score * each / scale,
    )
