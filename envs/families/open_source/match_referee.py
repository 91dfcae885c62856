"""Referee that plays two programs against each other in a base game, in the sandbox.

It also validates the parts of recorded rulings that the rules of the base game do not check.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

import numpy as np

from econzoo.envs.core.contract import CHANCE, DONE, PASS, SEVERAL, UNKNOWN, ActionSchema, Game, Move, Ruling, draw
from econzoo.envs.core.contract import hash_seed, short_repr, stretch_seed
from econzoo.envs.families.open_source.failures import MAX_TEXT_LENGTH, Answer, Failure
from econzoo.envs.families.open_source.interfaces import GENERIC, Interface
from econzoo.envs.families.open_source.limits import Limits
from econzoo.envs.families.open_source.meta_rounds import MetaRounds, without_failure
from econzoo.envs.families.open_source.program import Program
from econzoo.envs.families.open_source.random_streams import RandomStreams, SeedDerivation
from econzoo.envs.families.open_source.sandbox import ATTEMPTS, shared_sandbox, unavailable_reason


def view_arguments(params: Any, view: Any) -> tuple[Any, ...]:
    """Arguments of a program in any game: the view of its seat, None for unknown values."""
    return ({name: None if value == UNKNOWN else value for name, value in view._asdict().items()},)


@dataclass(frozen=True)
class BaseGame:
    """A game of two seats as played by programs.

    Attributes:
        program_arguments: Arguments of a program ahead of the histories, from (game parameters, view).
        sample_nature: Samples nature's move from (match parameters, generator); default: the rules' `chance`.
        realise_moves: Executed moves of a turn from (match parameters, moves, streams), for games with trembles.
    """

    game: Game
    rules: MetaRounds
    interface: Interface = GENERIC
    program_arguments: Callable[[Any, Any], tuple[Any, ...]] = view_arguments
    sample_nature: Callable[[Any, np.random.Generator], float] | None = None
    realise_moves: Callable[[Any, list[Move], RandomStreams], list[Move]] | None = None

    def format_move(self, actions: ActionSchema, move: Move) -> Any:
        """Format a move for histories: a symbol, or a dictionary."""
        if self.interface.moves:
            return (*self.interface.moves, self.interface.forfeit_symbol)[move.kind]
        return actions.to_plain(actions.make(move.kind, move.values[:-1]))

    def format_moves(self, params: Any, program_moves: Sequence[Move]) -> str:
        """Format a program's moves for people: one letter per turn, or JSON."""
        actions = self.game.actions_of(self.rules.base(params))
        moves = [self.format_move(actions, move) for move in program_moves]
        return "".join([move[0] for move in moves]) if self.interface.moves else json.dumps(moves)


def parse_move(game: Game, params: Any, state: Any, seat: int, answer: Any) -> Any:
    """Parse a dictionary as a move in a position of a game, or return an `Invalid`; messages are dropped."""
    actions = game.actions_of(params)
    messages = {kind.message for kind in actions.kinds}
    plain = {key: value for key, value in answer.items() if key not in messages} if type(answer) is dict else answer
    action = actions.parse(plain, game.rules.legal_moves(params, state, seat))
    return actions.move(action) if action.__class__ in actions.models else action


class BaseMatch:
    """One meta-round of a base game.

    Attributes:
        moves: All moves, for the rules of the open-source game.
        histories: Moves of each program, a symbol or a dictionary per turn.
        has_crashed: Whether the interpreter of a program died unexpectedly.
    """

    has_crashed = False

    def __init__(self, base: BaseGame, params: Any, streams: RandomStreams) -> None:
        self.base, self.match, self.rules, self.streams = base, params, base.game.rules, streams
        self.params = base.rules.base(params)
        self.actions = base.game.actions_of(self.params)
        self.state = self.rules.initial(self.params)
        self.moves: list[Move] = []
        self.histories: tuple[list[Any], list[Any]] = ([], [])
        self._play_nature()

    @property
    def movers(self) -> tuple[int, ...]:
        """Seats whose programs are to move; empty after the end."""
        turn = self.rules.to_act(self.params, self.state)
        if turn == SEVERAL:
            return tuple([seat for seat in (0, 1) if any(self.rules.legal(self.params, self.state, seat))])
        return () if turn == DONE else (turn,)

    def view(self, seat: int) -> Any:
        return self.rules.observe(self.params, self.state, seat)

    def play_turn(self, chosen_moves: Sequence[Move]) -> None:
        """Play a turn, and nature's moves after it.

        Args:
            chosen_moves: One move per seat in `movers`; its last number is a `Failure`.
        """
        movers, base = self.movers, self.base
        executed = (
            list(chosen_moves)
            if base.realise_moves is None
            else base.realise_moves(self.match, list(chosen_moves), self.streams)
        )
        for seat, move in zip(movers, executed, strict=True):
            self.histories[seat].append(base.format_move(self.actions, move))
        if self.rules.to_act(self.params, self.state) == SEVERAL:
            by_seat = dict(zip(movers, executed, strict=True))
            # Rules with simultaneous moves get one of each seat; who has none passes.
            executed = [by_seat.get(seat) or Move(PASS, (0.0,) * (self.actions.width + 1)) for seat in (0, 1)]
        self._apply_moves(executed)
        self._play_nature()

    def _play_nature(self) -> None:
        """Play nature's moves until a seat is to move."""
        while self.rules.to_act(self.params, self.state) == CHANCE:
            if self.base.sample_nature is None:
                outcomes = self.rules.chance(self.params, self.state)
                outcome = draw(self.rules, self.params, outcomes, self.state, self.streams.nature)
            else:
                outcome = float(self.base.sample_nature(self.match, self.streams.nature))
            self._apply_moves([Move(CHANCE, (outcome, *[0.0] * (self.actions.width - 1)))])

    def _apply_moves(self, moves: list[Move]) -> None:
        self.moves += moves
        self.state = self.rules.apply(self.params, self.state, tuple(map(without_failure, moves)))

    def play(self, sources: Sequence[str]) -> tuple[Answer | None, Answer | None]:
        """Play the meta-round with two programs, each in a sandbox session of its own.

        Args:
            sources: Sources of seat 0 and seat 1; each program can read both.

        Returns:
            Each program's first failed answer, or None.
        """
        face, sandbox, first = self.base.interface, shared_sandbox(Limits(*self.match.limits)), dict[int, Answer]()
        seeds, self._sources = self.streams.program_seeds(sources), sources
        programs = [sandbox.load(sources[i], seeds[i], sources[1 - i], face, seat=i) for i in (0, 1)]
        try:
            while movers := self.movers:
                # Both are asked before either move is known.
                answers = {seat: self._ask_program(programs[seat], seat, sources) for seat in movers}
                # The right side wins: of several failures of a program the first one stays.
                first = {**{seat: answer for seat, answer in answers.items() if answer.failure}, **first}
                self.play_turn([self._resolve_move(seat, answer) for seat, answer in answers.items()])
        finally:
            for program in programs:
                program.close()
                self.has_crashed |= program.budget.has_crashed
        return first.get(0), first.get(1)

    # Derived only when a failed answer becomes a random move, as stretching a seed takes about 50 ms.
    @cached_property
    def _substitute_generator(self) -> np.random.Generator:
        return self.streams.substitute_generator(self._sources)

    def _ask_program(self, program: Program, seat: int, sources: Sequence[str]) -> Answer:
        face, reader = self.base.interface, None
        sides = [self.histories[side] for side in (seat, 1 - seat)]
        own, other = (
            [face.history_symbol or word if word == face.forfeit_symbol else word for word in side] for side in sides
        )
        if not face.moves:
            reader = partial(parse_move, self.base.game, self.params, self.state, seat)
        position = self.base.program_arguments(self.params, self.view(seat))
        return program.answer(*position, own, other, sources[seat], sources[1 - seat], allowed=reader)

    def _resolve_move(self, seat: int, answer: Answer) -> Move:
        """The move to play for an answer or a failure."""
        moves, failure = self.base.interface.moves, float(answer.failure)
        if not moves:
            # Without symbols no policy can be chosen: a failed turn is the default action of the base game.
            default = self.base.game.default_action(self.view(seat))
            kind, numbers = self.actions.move(default) if failure else answer.value
            return Move(kind, (*numbers, failure))
        if not failure:
            return Move(moves.index(answer.value), (0.0,))
        policy, count = self.match.policies[answer.failure - 1], len(moves)
        return Move(int(self._substitute_generator.integers(count)) if policy > count else policy, (failure,))


class Referee:
    """Referee of an open-source game: runs both programs in the sandbox."""

    unavailable = staticmethod(unavailable_reason)

    def __init__(self, game: Game, base: BaseGame) -> None:
        self.game, self.base = game, base

    def __reduce__(self) -> tuple[Any, ...]:
        # Pickle finds the referee as an attribute of its game.
        return getattr, (self.game, "referee")

    def ruling(self, params: Any, state: Any, actions: Sequence[Any], seed: int) -> Ruling:
        """Rule on two submitted programs; the seed determines all random numbers. See `Game.referee`."""
        return self.rule_sources(params, state, [action.program for action in actions], seed)

    def rule_sources(
        self, params: Any, state: Any, sources: Sequence[str], seed: int, derive_seed: SeedDerivation = stretch_seed
    ) -> Ruling:
        """Rule on two sources, with random numbers that `derive_seed` derives from a seed; see `RandomStreams`.

        If an interpreter dies, the meta-round is replayed: it may have been killed from outside. A program that crashes
        it does so every time, and fails.
        """
        for _ in range(ATTEMPTS):
            match = BaseMatch(self.base, params, RandomStreams(seed, derive_seed))
            first = match.play(sources)
            if not match.has_crashed:
                break
        problems = [("", "") if one is None else (one.failure.label, one.text) for one in first]
        return Ruling(tuple(match.moves), self.results(params, state, tuple(match.moves), problems))

    def results(
        self, params: Any, state: Any, moves: tuple[Move, ...], problems: Sequence[tuple[str, str]]
    ) -> tuple[Any, ...]:
        """Return the public result of a meta-round for each seat; raise `ValueError` for invalid moves."""
        rules = self.base.rules
        check_moves(self.base, params, moves)
        after, program_moves = rules.apply(params, state, moves), rules.replay_moves(params, moves)[1]
        check_problems(program_moves, problems)
        texts = [self.base.format_moves(params, own) for own in program_moves]
        counts = [[getattr(after, name)[seat] for name in ("last", *rules.result_counts, "failed")] for seat in (0, 1)]
        return tuple([rules.Result(texts[seat], texts[1 - seat], *counts[seat], *problems[seat]) for seat in (0, 1)])


def play_meta_round(game: Game, params: Any, sources: Sequence[str], seed: int) -> tuple[Any, Any]:
    """Play one meta-round of two programs with the game's referee.

    Args:
        sources: Sources of seat 0 and seat 1.
        seed: Seed of nature and both programs. Programs could guess a small one; see `stretch_seed` in
            `econzoo.envs.core.contract.streams`.

    Returns:
        The ``Result`` of each seat.
    """
    if not isinstance(game.referee, Referee):
        raise ValueError(f"invalid game {game.name!r}: expected an open-source game")
    ruling = game.referee.rule_sources(params, game.rules.initial(params), sources, seed, hash_seed)
    return ruling.results[0], ruling.results[1]


FAILURES = tuple(map(float, Failure))


def check_moves(base: BaseGame, params: Any, moves: Sequence[Move]) -> None:
    """Raise `ValueError` for a move of wrong width, unknown kind or failure, or inconsistent with its failure."""
    actions = base.game.actions_of(base.rules.base(params))
    letters = len(base.interface.moves)
    kinds, width = (letters + 1, 1) if letters else (len(actions.kinds), actions.width + 1)
    for move in moves:
        if move.kind in (CHANCE, PASS):
            valid = len(move.values) == actions.width + (move.kind == PASS)
        else:
            valid = 0 <= move.kind < kinds and len(move.values) == width and move.values[-1] in FAILURES
            valid = valid and (not letters or _is_consistent_move(params, move, letters))
        if not valid:
            raise ValueError(f"invalid move of a program: {short_repr([move.kind, *move.values])}")


def _is_consistent_move(params: Any, move: Move, letters: int) -> bool:
    """Whether a move is consistent with its failure and the policies; kind `letters` is a forfeited turn."""
    failure = int(move.values[-1])
    forfeits = failure > 0 and params.policies[failure - 1] == letters
    return (move.kind == letters) == forfeits


def check_problems(program_moves: Sequence[Sequence[Move]], problems: Sequence[tuple[Any, Any]]) -> None:
    """Raise `ValueError` if the recorded first failure of a seat is not the first failure of its moves."""
    for own, (label, text) in zip(program_moves, problems, strict=True):
        first = Failure(int(next((move.values[-1] for move in own if move.values[-1]), 0.0)))
        if label != (first.label if first else ""):
            raise ValueError(f"failure={short_repr(label)}, but the first failure of the moves is {first.label!r}")
        is_line = isinstance(text, str) and text.isprintable() and len(text) <= MAX_TEXT_LENGTH
        if not is_line or bool(text) != bool(first):
            raise ValueError(f"problem={short_repr(text)}: expected one line on the failure, or '' without one")
