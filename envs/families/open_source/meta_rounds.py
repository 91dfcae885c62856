"""Rules of open-source games: in each meta-round both seats submit a program, and the programs play a base game.

A referee runs the programs. The rules get the moves of a whole meta-round, including nature's, replay them in the base
game and score them. A program's `Move` has the values of the base game's move and, last, the number of its `Failure`:
0 for an answer.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from econzoo.envs.core.contract import CHANCE, DONE, PASS, SEVERAL, UNKNOWN, Move

Moves = tuple[Move, ...]
Pair = tuple[float, float]
"""One number per seat."""


class RoundCounts(NamedTuple):
    """Scores of one meta-round.

    Attributes:
        tally: Counts of this meta-round, in the order of `MetaRounds.tally`.
        total_increments: Increments of the counts over all meta-rounds, in the order of `MetaRounds.totals`.
    """

    points: Pair
    tally: tuple[Pair, ...] = ()
    total_increments: tuple[Pair, ...] = ()


class MetaRounds:
    """Meta-rounds over a base game; subclasses define what is counted.

    ``Params`` of such a game have the fields ``rounds`` (meta-rounds), ``limits`` (the fields of
    `econzoo.envs.families.open_source.limits.Limits`) and ``policies`` (handling of a turn without an answer, by
    `Failure` from 1 on: the number of a move, the next number to forfeit the turn, the one after for a random move).

    Attributes:
        rules: Rules of the base game.
        setting: Fields of views about the match: those of Params, or of the base game's views at its start.
        tally: Counts of the last meta-round, one number per seat: (name, description).
        initial_count: Their value before the first meta-round.
        totals: Counts over all meta-rounds, likewise.
        view_counts: Fields of views from the tally: (name, count, whether it is the other seat's, description).
        result_counts: Counts of the tally in public results.
        State: A position.
        View: A seat's view: everything but the programs of the round.
        Result: Public result of a meta-round for one seat, of numbers and texts.
    """

    rules: Any
    setting: tuple[str, ...] = ()
    tally: tuple[tuple[str, str], ...] = ()
    initial_count: float = 0
    totals: tuple[tuple[str, str], ...] = ()
    view_counts: tuple[tuple[str, str, bool, str], ...] = ()
    result_counts: tuple[str, ...] = ()

    def __init__(self, module: str) -> None:
        """Create the classes.

        Args:
            module: Import path of the rules, where pickle finds the classes by name.
        """
        known = {**field_docs(self.rules.View), **SETTING_FIELDS}
        setting = {name: known[name.removeprefix(BASE_PREFIX)] for name in self.setting}
        seen = {name: doc for name, _, _, doc in self.view_counts}
        tally = dict(self.tally)
        state = {**POSITION_FIELDS, **tally, **FAILURE_FIELDS, **dict(self.totals), **END_FIELDS}
        result = {**RESULT_FIELDS, **{name: tally[name] for name in self.result_counts}, **PROBLEM_FIELDS}
        self.State = make_documented_tuple(module, "State", "A position; tuples have one entry a seat.", state)
        self.View = make_documented_tuple(
            module, "View", VIEW_DOC, {**VIEW_FIELDS, **setting, **SCORE_FIELDS, **seen, **RUN_FIELDS}
        )
        self.Result = make_documented_tuple(module, "Result", "Public result of a meta-round for one seat.", result)

    def __reduce__(self) -> str:
        """Pickle as ``META`` of the module of the class, so that a copy is the same object."""
        return "META"

    def base(self, p: Any) -> Any:
        """``Params`` of the base game of one meta-round."""
        return p.base

    def count(self, p: Any, inner: Any, program_moves: tuple[list[Move], list[Move]]) -> RoundCounts:
        """Score a meta-round from the last position of the base game and the moves of each program."""
        return RoundCounts(self.rules.payoffs(self.base(p), inner))

    def is_playable(self, base: Any, s: Any, seat: int, move: Move) -> bool:
        """Whether a program's move is legal in a position of the base game, if its kind alone does not decide."""
        return True

    def replay_moves(self, p: Any, moves: Moves) -> tuple[Any, tuple[list[Move], list[Move]]]:
        """Return the last position of the base game and the moves of each program; `ValueError` if any is missing."""
        base, turns, valid = self.base(p), 0, True
        program_moves: tuple[list[Move], list[Move]] = ([], [])
        rest, s = list(moves), self.rules.initial(base)
        while valid and rest and (turn := self.rules.to_act(base, s)) != DONE:
            count = 2 if turn == SEVERAL else 1
            step, rest = rest[:count], rest[count:]
            acted = list(enumerate(step)) if turn == SEVERAL else [(turn, step[0])] if turn != CHANCE else []
            # Who passes has no program in this turn, and nothing to count.
            acted = [(seat, move) for seat, move in acted if move.kind != PASS]
            valid = len(step) == count and (turn == CHANCE) == (step[0].kind == CHANCE)
            valid = valid and all(self.is_playable(base, s, seat, move) for seat, move in acted)
            if valid:
                s = self.rules.apply(base, s, tuple(map(without_failure, step)))
            for seat, move in acted:
                program_moves[seat].append(move)
            turns += turn != CHANCE
        if valid and not rest and self.rules.to_act(base, s) == DONE:
            return s, program_moves
        played = len([move for move in moves if move.kind != CHANCE])
        raise ValueError(f"{played} moves in {turns} turns: expected the moves of a complete meta-round")

    def initial(self, p: Any) -> Any:
        """Start of the match, before any submission."""
        nothing, none = (UNKNOWN, UNKNOWN), (0, 0)
        tally, totals = [(self.initial_count, self.initial_count)] * len(self.tally), [none] * len(self.totals)
        return self.State(1, (0.0, 0.0), nothing, *tally, none, *totals, none, False)

    def to_act(self, p: Any, s: Any) -> int:
        """Both seats submit simultaneously."""
        return DONE if s.over else SEVERAL

    def legal(self, p: Any, s: Any, seat: int) -> tuple[bool]:
        """A program is legal in every meta-round."""
        return (not s.over,)

    def apply(self, p: Any, s: Any, moves: Moves) -> Any:
        """The position after a meta-round; see `replay_moves` for its moves."""
        inner, program_moves = self.replay_moves(p, moves)
        points, tally, added = self.count(p, inner, program_moves)
        first, second = ([move.values[-1] > 0.0 for move in own].count(True) for own in program_moves)
        totals = [_add_pairs(getattr(s, name), more) for (name, _), more in zip(self.totals, added, strict=True)]
        over = s.round == p.rounds
        score, failures = _add_pairs(s.score, points), _add_pairs(s.failures, (first, second))
        return self.State(s.round + (not over), score, points, *tally, (first, second), *totals, failures, over)

    def payoffs(self, p: Any, s: Any) -> Pair:
        """Points over all meta-rounds."""
        return s.score

    def observe(self, p: Any, s: Any, seat: int) -> Any:
        """All finished meta-rounds; programs are public once both are submitted."""
        base, other = self.base(p), 1 - seat
        start = self.rules.observe(base, self.rules.initial(base), seat)
        setting = [getattr(p if name in p._fields else start, name.removeprefix(BASE_PREFIX)) for name in self.setting]
        seen = [getattr(s, name)[other if is_other else seat] for _, name, is_other, _ in self.view_counts]
        scores = s.score[seat], s.score[other], s.last[seat], s.last[other]
        # The first limit is that of seconds.
        running = s.failed[seat], s.failed[other], p.limits[0], p.policies, int(s.over)
        return self.View(seat, s.round, p.rounds, *setting, *scores, *seen, *running)


def without_failure(move: Move) -> Move:
    """Return the move without its failure, as in the base game."""
    return move if move.kind == CHANCE else Move(move.kind, move.values[:-1] or (0.0,))


def _add_pairs(one: Pair, more: Pair) -> Pair:
    return one[0] + more[0], one[1] + more[1]


def finished_rounds(s: Any) -> int:
    return int(s.round if s.over else s.round - 1)


BASE_PREFIX = "base_"
"""Prefix of the base game's fields, against collisions with those of the meta-rounds."""

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
    """Create a NamedTuple class whose docstring documents its fields."""
    tuple_class: Any = NamedTuple(name, [(field, Any) for field in fields])  # type: ignore[misc]
    lines = [f"    {field}: {doc}" for field, doc in fields.items()]
    tuple_class.__doc__, tuple_class.__module__ = "\n".join([what, "", "Attributes:", *lines]), module
    return tuple_class


def field_docs(tuple_class: Any) -> dict[str, str]:
    """Read the description of each field of a NamedTuple class from its docstring."""
    lines = [line.strip().partition(": ") for line in (tuple_class.__doc__ or "").splitlines()]
    return {
        **dict.fromkeys(tuple_class._fields, ""),
        **{name: doc for name, _, doc in lines if name in tuple_class._fields},
    }
