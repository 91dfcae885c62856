"""The rules of open-source games: in every meta-round both submit a program at once, and the programs play a base game.

What they play is found out by a referee. The rules get the moves of a whole meta-round, nature's among them, take the
base game through them and count. A program's `Move` has the numbers that the base game's move has and, as the last one,
the number of the `Failure` that it stands for: 0 for an answer.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from econzoo.envs.core.contract.game import CHANCE, DONE, PASS, SEVERAL, UNKNOWN, Move

Moves = tuple[Move, ...]
Pair = tuple[float, float]
"""A number for each seat."""


class RoundCounts(NamedTuple):
    """What a meta-round came to.

    Attributes:
        points: Of both seats.
        tally: The numbers that are counted anew in each meta-round, by `MetaRounds.tally`.
        total_increments: What comes to those of all meta-rounds, by `MetaRounds.totals`.
    """

    points: Pair
    tally: tuple[Pair, ...] = ()
    total_increments: tuple[Pair, ...] = ()


class MetaRounds:
    """Meta-rounds over a base game; a base game has its own class, which says what is counted.

    ``Params`` of such a game have the fields ``rounds`` (meta-rounds), ``limits`` (the fields of
    `econzoo.envs.families.open_source.limits.Limits`) and ``policies`` (what becomes of a turn without an answer, by
    `Failure` from 1 on: the number of a move, the next one to forfeit it, the one after for a move that is drawn).

    Attributes:
        rules: Of the base game.
        setting: Fields of views about the match: those of Params, or of the base game's views at its start.
        tally: Counts of the last meta-round, a number a seat: name and what it is.
        initial_count: What they are before there was one.
        totals: Counts of all meta-rounds, likewise.
        view_counts: Fields of views from the tally: name, which count, whether it is the other seat's, what it is.
        result_counts: Those of the tally that public results tell.
        State: A position.
        View: What one seat may know: everything but the programs of the round.
        Result: Public result of a meta-round for one seat, of numbers and words.
    """

    rules: Any
    setting: tuple[str, ...] = ()
    tally: tuple[tuple[str, str], ...] = ()
    initial_count: float = 0
    totals: tuple[tuple[str, str], ...] = ()
    view_counts: tuple[tuple[str, str, bool, str], ...] = ()
    result_counts: tuple[str, ...] = ()

    def __init__(self, module: str) -> None:
        """Makes the classes.

        Args:
            module: Import path of the rules, where the classes are found by their names.
        """
        known = {**field_docs(self.rules.View), **SETTING_FIELDS}
        setting = {name: known[name.removeprefix(BASE_PREFIX)] for name in self.setting}
        seen = {name: told for name, _, _, told in self.view_counts}
        tally = dict(self.tally)
        state = {**POSITION_FIELDS, **tally, **FAILURE_FIELDS, **dict(self.totals), **END_FIELDS}
        result = {**RESULT_FIELDS, **{name: tally[name] for name in self.result_counts}, **PROBLEM_FIELDS}
        self.State = make_documented_tuple(module, "State", "A position; tuples have one entry a seat.", state)
        self.View = make_documented_tuple(
            module, "View", VIEW_DOC, {**VIEW_FIELDS, **setting, **SCORE_FIELDS, **seen, **RUN_FIELDS}
        )
        self.Result = make_documented_tuple(module, "Result", "Public result of a meta-round for one seat.", result)

    def __reduce__(self) -> str:
        """A copy is the thing itself: ``META`` in the module of its class."""
        return "META"

    def base(self, p: Any) -> Any:
        """The base game of one meta-round: its ``Params``."""
        return p.base

    def count(self, p: Any, inner: Any, program_moves: tuple[list[Move], list[Move]]) -> RoundCounts:
        """What a meta-round came to, from the last position of the base game and the moves of each program."""
        return RoundCounts(self.rules.payoffs(self.base(p), inner))

    def is_playable(self, base: Any, s: Any, seat: int, move: Move) -> bool:
        """Whether a program's move can be played in a position of the base game, where its letter does not tell."""
        return True

    def replay_moves(self, p: Any, moves: Moves) -> tuple[Any, tuple[list[Move], list[Move]]]:
        """The base game after the moves of a meta-round, and those of each program.

        Raises:
            ValueError: They are not the moves of a whole meta-round.
        """
        base, turns, fits = self.base(p), 0, True
        made: tuple[list[Move], list[Move]] = ([], [])
        left, s = list(moves), self.rules.initial(base)
        while fits and left and (turn := self.rules.to_act(base, s)) != DONE:
            count = 2 if turn == SEVERAL else 1
            now, left = left[:count], left[count:]
            acted = list(enumerate(now)) if turn == SEVERAL else [(turn, now[0])] if turn != CHANCE else []
            acted = [(seat, move) for seat, move in acted if move.kind != PASS]
            fits = len(now) == count and (turn == CHANCE) == (now[0].kind == CHANCE)
            fits = fits and all(self.is_playable(base, s, seat, move) for seat, move in acted)
            if fits:
                s = self.rules.apply(base, s, tuple(map(without_failure, now)))
            for seat, move in acted:
                made[seat].append(move)
            turns += turn != CHANCE
        if fits and not left and self.rules.to_act(base, s) == DONE:
            return s, made
        played = len([move for move in moves if move.kind != CHANCE])
        raise ValueError(f"{played} moves in {turns} turns of two programs")

    def initial(self, p: Any) -> Any:
        """Nothing submitted."""
        nothing, none = (UNKNOWN, UNKNOWN), (0, 0)
        tally, totals = [(self.initial_count, self.initial_count)] * len(self.tally), [none] * len(self.totals)
        return self.State(1, (0.0, 0.0), nothing, *tally, none, *totals, none, False)

    def to_act(self, p: Any, s: Any) -> int:
        """Both submit at once."""
        return DONE if s.over else SEVERAL

    def legal(self, p: Any, s: Any, seat: int) -> tuple[bool]:
        """A program, in every meta-round."""
        return (not s.over,)

    def apply(self, p: Any, s: Any, moves: Moves) -> Any:
        """The position after a meta-round; see `replay_moves` for its moves."""
        inner, made = self.replay_moves(p, moves)
        points, tally, added = self.count(p, inner, made)
        first, second = ([move.values[-1] > 0.0 for move in own].count(True) for own in made)
        totals = [_add_pairs(getattr(s, name), more) for (name, _), more in zip(self.totals, added, strict=True)]
        over = s.round == p.rounds
        score, failures = _add_pairs(s.score, points), _add_pairs(s.failures, (first, second))
        return self.State(s.round + (not over), score, points, *tally, (first, second), *totals, failures, over)

    def payoffs(self, p: Any, s: Any) -> Pair:
        """Points of all meta-rounds."""
        return s.score

    def observe(self, p: Any, s: Any, seat: int) -> Any:
        """Everything that is over; programs are public once both are submitted."""
        base, other = self.base(p), 1 - seat
        start = self.rules.observe(base, self.rules.initial(base), seat)
        setting = [getattr(p if name in p._fields else start, name.removeprefix(BASE_PREFIX)) for name in self.setting]
        seen = [getattr(s, name)[other if is_other else seat] for _, name, is_other, _ in self.view_counts]
        scores = s.score[seat], s.score[other], s.last[seat], s.last[other]
        running = s.failed[seat], s.failed[other], p.limits[0], p.policies, int(s.over)
        return self.View(seat, s.round, p.rounds, *setting, *scores, *seen, *running)


def without_failure(move: Move) -> Move:
    """A move as the base game has it."""
    return move if move.kind == CHANCE else Move(move.kind, move.values[:-1] or (0.0,))


def _add_pairs(one: Pair, more: Pair) -> Pair:
    return one[0] + more[0], one[1] + more[1]


def finished_rounds(s: Any) -> int:
    """Meta-rounds that are over."""
    return int(s.round if s.over else s.round - 1)


BASE_PREFIX = "base_"
"""Stands before the names of the base game's fields where they could be taken for those of the meta-rounds."""

VIEW_DOC = "What one seat may know: everything but the programs of the round."
SETTING_FIELDS = {"turns": "Turns of the base game in each meta-round."}
POSITION_FIELDS = {
    "round": "Meta-round, 1-based; stays at the last one when the match is over.",
    "score": "Points of all meta-rounds so far.",
    "last": "Points of the last meta-round; UNKNOWN before there was one.",
}
FAILURE_FIELDS = {"failed": "Turns of the last meta-round that the program did not answer."}
END_FIELDS = {
    "failures": "Turns of all meta-rounds that a program of the seat did not answer.",
    "over": "Whether the match has ended.",
}
VIEW_FIELDS = {
    "seat": "The seat that looks: 0 or 1.",
    "round": "Meta-round, 1-based.",
    "rounds": "Meta-rounds of the match.",
}
SCORE_FIELDS = {
    "own_score": "Points of this seat so far.",
    "other_score": "Points of the other seat so far.",
    "own_last": "Points of this seat in the last meta-round, or UNKNOWN.",
    "other_last": "Points of the other seat in the last meta-round, or UNKNOWN.",
}
RUN_FIELDS = {
    "own_failed": "Turns of the last meta-round that this seat's program did not answer.",
    "other_failed": "The same of the other seat.",
    "seconds": "What a program has for one turn.",
    "policies": "What becomes of turns without an answer (see `MetaRounds`).",
    "over": "1 if the match has ended, else 0.",
}
RESULT_FIELDS = {
    "moves": "What its program played, turn by turn.",
    "against": "What the other program played.",
    "payoff": "Points of the meta-round.",
}
PROBLEM_FIELDS = {
    "failed": "Turns that its program did not answer.",
    "failure": "Why, the first time; empty if it always answered.",
    "problem": "The same in detail, with the line of the program where it is known.",
}


def make_documented_tuple(module: str, name: str, what: str, fields: dict[str, str]) -> Any:
    """A NamedTuple class whose docstring says what each field is."""
    made: Any = NamedTuple(name, [(field, Any) for field in fields])  # type: ignore[misc]
    lines = [f"    {field}: {told}" for field, told in fields.items()]
    made.__doc__, made.__module__ = "\n".join([what, "", "Attributes:", *lines]), module
    return made


def field_docs(tuple_class: Any) -> dict[str, str]:
    """What each field of a NamedTuple class is, from its docstring."""
    lines = [line.strip().partition(": ") for line in (tuple_class.__doc__ or "").splitlines()]
    return {
        **dict.fromkeys(tuple_class._fields, ""),
        **{name: told for name, _, told in lines if name in tuple_class._fields},
    }
