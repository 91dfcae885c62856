"""How two programs play a base game: both are asked in the sandbox, turn by turn, at once."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, NamedTuple

import numpy as np

from econzoo.envs.core.game import CHANCE, Game, Move
from econzoo.envs.families.open_source.failures import Answer, Failure
from econzoo.envs.families.open_source.interfaces import Interface
from econzoo.envs.families.open_source.limits import Limits
from econzoo.envs.families.open_source.program import Program
from econzoo.envs.families.open_source.sandbox import shared


class BaseGame(ABC):
    """A base game as the referee runs it; it keeps what the rules will want to know.

    Args:
        seed: Of nature, and of moves that are drawn in the place of an answer.

    Attributes:
        nature: Draws nature's moves.
        stand_in: Draws moves in the place of an answer; apart from `nature`, so that failures do not disturb it.
        moves: Everything that happened, for the rules of the program game.
        histories: What each program did, a word a turn.
    """

    interface: ClassVar[Interface]
    shown: ClassVar[Mapping[str, str]] = {}
    """How programs read a word of the histories, if not as it stands."""

    def __init__(self, seed: int) -> None:
        self.nature, self.stand_in = (np.random.default_rng([seed, stream]) for stream in (0, 1))
        self.moves: list[Move] = []
        self.histories: tuple[list[str], list[str]] = ([], [])

    @property
    @abstractmethod
    def over(self) -> bool:
        """Whether the last turn has been played."""

    def told(self) -> tuple[Any, ...]:
        """What programs are told before the histories."""
        return ()

    @abstractmethod
    def turn(self, kinds: tuple[int, int], failures: tuple[int, int]) -> None:
        """Plays a turn and writes it down.

        Args:
            kinds: Numbers of both programs' moves; the number after the last one for a move that was not made.
            failures: Why each gave no answer, as numbers of `Failure`.
        """

    def made(self, kinds: tuple[int, int], failures: tuple[int, int]) -> None:
        """Writes down the moves of a turn as they came out."""
        names = (*self.interface.moves, self.interface.forfeited)
        for seat in (0, 1):
            self.moves.append(Move(kinds[seat], (float(failures[seat]),)))
            self.histories[seat].append(names[kinds[seat]])


class Played(NamedTuple):
    """What came of two programs. Tuples have one entry a seat.

    Attributes:
        moves: For the rules of the program game, in order; the amount of a program's move is its `Failure`.
        histories: What each program did, a word a turn.
        first: Its first answer that was none, or None.
    """

    moves: tuple[Move, ...]
    histories: tuple[tuple[str, ...], tuple[str, ...]]
    first: tuple[Answer | None, Answer | None]

    def problems(self) -> list[tuple[str, str]]:
        """The failure and the problem of each program's first turn without an answer, empty if it always answered."""
        return [("", "") if first is None else (first.failure.words, first.text) for first in self.first]


def letters(moves: Sequence[Move], interface: Interface, turns: int) -> list[str]:
    """What both programs did, a letter a turn, from the moves of a ruling.

    Raises:
        ValueError: They are not the moves of so many turns.
    """
    names = (*interface.moves, interface.forfeited)
    made = [names[move.kind][0] for move in moves if move.kind != CHANCE]
    if len(made) != 2 * turns:
        raise ValueError(f"{len(made)} moves in {turns} turns of two programs")
    return ["".join(made[seat::2]) for seat in (0, 1)]


def refereed(base: BaseGame, params: Any, actions: Sequence[Any], seed: int) -> Played:
    """What the programs of two actions play.

    Args:
        base: At its start.
        params: Of the rules, which say what a program may use and what becomes of turns without an answer.
        actions: The program of each seat.
        seed: Of the programs' own randomness.
    """
    return played(base, [action.program for action in actions], seed, Limits(*params.limits), params.policies)


def played(base: BaseGame, sources: Sequence[str], seed: int, limits: Limits, policies: Sequence[int]) -> Played:
    """Plays a base game with two programs, each in a session of its own that ends with it.

    Args:
        base: At its start.
        sources: Of seat 0 and seat 1; each program can read both.
        seed: Of the programs' own randomness.
        limits: What each may use.
        policies: See `econzoo.envs.families.open_source.submission.policies_of`.
    """
    programs = [shared(limits).load(sources[i], f"{seed} {i}", sources[1 - i], base.interface, seat=i) for i in (0, 1)]
    first: list[Answer | None] = [None, None]
    try:
        while not base.over:
            answers = [_asked(base, programs[i], i, sources) for i in (0, 1)]
            for seat, answer in enumerate(answers):
                if answer.failure and first[seat] is None:
                    first[seat] = answer
            base.turn(*_chosen(base, answers, policies))
    finally:
        for program in programs:
            program.close()
    histories = (tuple(base.histories[0]), tuple(base.histories[1]))
    return Played(tuple(base.moves), histories, (first[0], first[1]))


def _asked(base: BaseGame, program: Program, seat: int, sources: Sequence[str]) -> Answer:
    own, other = ([base.shown.get(move, move) for move in base.histories[i]] for i in (seat, 1 - seat))
    return program.answer(*base.told(), own, other, sources[seat], sources[1 - seat])


def _chosen(
    base: BaseGame, answers: Sequence[Answer], policies: Sequence[int]
) -> tuple[tuple[int, int], tuple[int, int]]:
    """Numbers of both moves, and of what went wrong with each."""
    kinds = [_kind(base, answer, policies) for answer in answers]
    return (kinds[0], kinds[1]), (int(answers[0].failure), int(answers[1].failure))


def _kind(base: BaseGame, answer: Answer, policies: Sequence[int]) -> int:
    moves = base.interface.moves
    if answer.failure is Failure.NONE:
        return moves.index(str(answer.value))
    policy = policies[answer.failure - 1]
    return int(base.stand_in.integers(len(moves))) if policy > len(moves) else policy


def contest(game: Game, params: Any, sources: Sequence[str], seed: int) -> tuple[Any, Any]:
    """What two programs would play and get in one meta-round, by the game's own referee.

    Args:
        game: A game in which programs are submitted.
        params: Of its rules.
        sources: Of seat 0 and seat 1.
        seed: Of nature and of both programs.

    Returns:
        The ``Result`` of each seat.

    Raises:
        ValueError: The game has no referee.
    """
    if game.referee is None or game.actions.source is None:
        raise ValueError(f"{game.name} is not played by programs")
    program = game.actions.kinds[0].model
    ruling = game.referee.ruling(params, game.rules.initial(params), [program(source) for source in sources], seed)
    return ruling.results[0], ruling.results[1]
