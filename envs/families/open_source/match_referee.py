"""How two programs play a base game: in the sandbox, whoever is to move is asked, and its answer is played.

A ruling that somebody recorded is checked in what the rules of the base game do not look at.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

import numpy as np

from econzoo.envs.core.contract.actions import ActionSchema
from econzoo.envs.core.contract.chance import draw
from econzoo.envs.core.contract.game import CHANCE, DONE, PASS, SEVERAL, UNKNOWN, Game, Move, Ruling
from econzoo.envs.core.contract.streams import hash_seed, stretch_seed
from econzoo.envs.core.contract.validation import short_repr
from econzoo.envs.families.open_source.failures import MAX_TEXT_LENGTH, Answer, Failure
from econzoo.envs.families.open_source.interfaces import GENERIC, Interface
from econzoo.envs.families.open_source.limits import Limits
from econzoo.envs.families.open_source.meta_rounds import MetaRounds, without_failure
from econzoo.envs.families.open_source.program import Program
from econzoo.envs.families.open_source.random_streams import RandomStreams, SeedDerivation
from econzoo.envs.families.open_source.sandbox import ATTEMPTS, shared_sandbox, unavailable_reason


def view_arguments(params: Any, view: Any) -> tuple[Any, ...]:
    """What a program is told of any game: the view of its seat, None for what that may not know."""
    return ({name: None if value == UNKNOWN else value for name, value in view._asdict().items()},)


@dataclass(frozen=True)
class BaseGame:
    """A game of two seats as programs play it.

    Attributes:
        game: The game.
        rules: Of the meta-rounds.
        interface: How the game and a program speak.
        program_arguments: What a program is told before the histories, from the game's parameters, and from its seat's
            view.
        sample_nature: A move of nature from (parameters of the match, generator), if not as the rules' `chance` says.
        realise_moves: The moves of a turn as they come out, from (parameters of the match, moves, luck), if hands
            tremble.
    """

    game: Game
    rules: MetaRounds
    interface: Interface = GENERIC
    program_arguments: Callable[[Any, Any], tuple[Any, ...]] = view_arguments
    sample_nature: Callable[[Any, np.random.Generator], float] | None = None
    realise_moves: Callable[[Any, list[Move], RandomStreams], list[Move]] | None = None

    def format_move(self, actions: ActionSchema, move: Move) -> Any:
        """A program's move as histories have it: a word, or a dictionary."""
        if self.interface.moves:
            return (*self.interface.moves, self.interface.forfeit_symbol)[move.kind]
        return actions.to_plain(actions.make(move.kind, move.values[:-1]))

    def format_moves(self, params: Any, program_moves: Sequence[Move]) -> str:
        """What a program played, for people: a letter a turn, or JSON."""
        actions = self.game.actions_of(self.rules.base(params))
        words = [self.format_move(actions, move) for move in program_moves]
        return "".join([word[0] for word in words]) if self.interface.moves else json.dumps(words)


def parse_move(game: Game, params: Any, state: Any, seat: int, answer: Any) -> Any:
    """The move that a dictionary is in a position of a game, or an `Invalid`; words are dropped."""
    actions = game.actions_of(params)
    silent = {kind.message for kind in actions.kinds}
    plain = {key: value for key, value in answer.items() if key not in silent} if type(answer) is dict else answer
    action = actions.parse(plain, game.rules.legal_moves(params, state, seat))
    return actions.move(action) if action.__class__ in actions.models else action


class BaseMatch:
    """A meta-round of a base game as the referee runs it.

    Args:
        base: The base game.
        params: Of the open-source game.
        streams: Where its random numbers come from.

    Attributes:
        moves: Everything that happened, for the rules of the open-source game.
        histories: What each program did, a word or a dictionary a turn.
        has_crashed: Whether the interpreter of a program died that nobody had asked to.
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
        """The seats whose programs are asked now; none when the meta-round is over."""
        turn = self.rules.to_act(self.params, self.state)
        if turn == SEVERAL:
            return tuple([seat for seat in (0, 1) if any(self.rules.legal(self.params, self.state, seat))])
        return () if turn == DONE else (turn,)

    def view(self, seat: int) -> Any:
        """What a seat may know now."""
        return self.rules.observe(self.params, self.state, seat)

    def play_turn(self, chosen_moves: Sequence[Move]) -> None:
        """Plays a turn, and nature's moves after it.

        Args:
            chosen_moves: A move of each of the `movers`; its last number is a `Failure`.
        """
        movers, base = self.movers, self.base
        came = (
            list(chosen_moves)
            if base.realise_moves is None
            else base.realise_moves(self.match, list(chosen_moves), self.streams)
        )
        for seat, move in zip(movers, came, strict=True):
            self.histories[seat].append(base.format_move(self.actions, move))
        if self.rules.to_act(self.params, self.state) == SEVERAL:
            made = dict(zip(movers, came, strict=True))
            came = [made.get(seat) or Move(PASS, (0.0,) * (self.actions.width + 1)) for seat in (0, 1)]
        self._apply_moves(came)
        self._play_nature()

    def _play_nature(self) -> None:
        """Nature's moves, as long as it is to move."""
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
        """Plays all of it with two programs, each in a session of its own that ends with it.

        Args:
            sources: Of seat 0 and seat 1; each program can read both.

        Returns:
            Each program's first answer that was none, or None.
        """
        face, sandbox, first = self.base.interface, shared_sandbox(Limits(*self.match.limits)), dict[int, Answer]()
        seeds, self._sources = self.streams.program_seeds(sources), sources
        programs = [sandbox.load(sources[i], seeds[i], sources[1 - i], face, seat=i) for i in (0, 1)]
        try:
            while movers := self.movers:
                answers = {seat: self._ask_program(programs[seat], seat, sources) for seat in movers}
                first = {**{seat: answer for seat, answer in answers.items() if answer.failure}, **first}
                self.play_turn([self._resolve_move(seat, answer) for seat, answer in answers.items()])
        finally:
            for program in programs:
                program.close()
                self.has_crashed |= program.budget.has_crashed
        return first.get(0), first.get(1)

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
        told = self.base.program_arguments(self.params, self.view(seat))
        return program.answer(*told, own, other, sources[seat], sources[1 - seat], allowed=reader)

    def _resolve_move(self, seat: int, answer: Answer) -> Move:
        """What is played for an answer, or for none."""
        moves, failure = self.base.interface.moves, float(answer.failure)
        if not moves:
            default = self.base.game.default_action(self.view(seat))
            kind, numbers = self.actions.move(default) if failure else answer.value
            return Move(kind, (*numbers, failure))
        if not failure:
            return Move(moves.index(answer.value), (0.0,))
        policy, count = self.match.policies[answer.failure - 1], len(moves)
        return Move(int(self._substitute_generator.integers(count)) if policy > count else policy, (failure,))


class Referee:
    """Runs both programs in the sandbox, on the base game.

    Args:
        game: The open-source game, as ``game.referee`` of which this is found again.
        base: Its base game.
    """

    unavailable = staticmethod(unavailable_reason)

    def __init__(self, game: Game, base: BaseGame) -> None:
        self.game, self.base = game, base

    def __reduce__(self) -> tuple[Any, ...]:
        return getattr, (self.game, "referee")

    def ruling(self, params: Any, state: Any, actions: Sequence[Any], seed: int) -> Ruling:
        """What two programs play; all luck follows from the seed. See `Game.referee`."""
        return self.rule_sources(params, state, [action.program for action in actions], seed)

    def rule_sources(
        self, params: Any, state: Any, sources: Sequence[str], seed: int, derive_seed: SeedDerivation = stretch_seed
    ) -> Ruling:
        """What two sources play, with luck that is `derive_seed` from a seed; see `Luck`.

        If an interpreter dies, all is played again: it may have been killed from outside. A program that brings it
        down does so every time, and is charged with it.
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
        """The public result of a meta-round for each seat; `ValueError` of other moves. See `Game.referee`."""
        rules = self.base.rules
        check_moves(self.base, params, moves)
        after, made = rules.apply(params, state, moves), rules.replay_moves(params, moves)[1]
        check_problems(made, problems)
        shown = [self.base.format_moves(params, own) for own in made]
        told = [[getattr(after, name)[seat] for name in ("last", *rules.result_counts, "failed")] for seat in (0, 1)]
        return tuple([rules.Result(shown[seat], shown[1 - seat], *told[seat], *problems[seat]) for seat in (0, 1)])


def play_meta_round(game: Game, params: Any, sources: Sequence[str], seed: int) -> tuple[Any, Any]:
    """What two programs would play and get in one meta-round, by the game's own referee.

    Args:
        game: A game in which programs are submitted.
        params: Of its rules.
        sources: Of seat 0 and seat 1.
        seed: Of nature and of both programs, which could find out a small one; see `stretch_seed` in
            `econzoo.envs.core.contract.streams`.

    Returns:
        The ``Result`` of each seat.

    Raises:
        ValueError: The game is another one.
    """
    if not isinstance(game.referee, Referee):
        raise ValueError(f"{game.name} is not played by programs")
    ruling = game.referee.rule_sources(params, game.rules.initial(params), sources, seed, hash_seed)
    return ruling.results[0], ruling.results[1]


FAILURES = tuple(map(float, Failure))


def check_moves(base: BaseGame, params: Any, moves: Sequence[Move]) -> None:
    """Raises `ValueError` for a move of another width, of an unknown kind or failure, or that no failure leads to."""
    actions = base.game.actions_of(base.rules.base(params))
    letters = len(base.interface.moves)
    kinds, width = (letters + 1, 1) if letters else (len(actions.kinds), actions.width + 1)
    for move in moves:
        if move.kind in (CHANCE, PASS):
            fits = len(move.values) == actions.width + (move.kind == PASS)
        else:
            fits = 0 <= move.kind < kinds and len(move.values) == width and move.values[-1] in FAILURES
            fits = fits and (not letters or _is_consistent_move(params, move, letters))
        if not fits:
            raise ValueError(f"no program makes the move {short_repr([move.kind, *move.values])}")


def _is_consistent_move(params: Any, move: Move, letters: int) -> bool:
    """Whether this is what is played for an answer, or for none; `letters` is the kind of a turn that is forfeited."""
    failure = int(move.values[-1])
    forfeits = failure > 0 and params.policies[failure - 1] == letters
    return (move.kind == letters) == forfeits


def check_problems(program_moves: Sequence[Sequence[Move]], problems: Sequence[tuple[Any, Any]]) -> None:
    """Raises `ValueError` if what is told of each seat's first failure is not the first failure of its moves."""
    for own, (words, text) in zip(program_moves, problems, strict=True):
        first = Failure(int(next((move.values[-1] for move in own if move.values[-1]), 0.0)))
        if words != (first.label if first else ""):
            raise ValueError(f"failure is {short_repr(words)}, but the first of the moves is {first.label!r}")
        is_line = isinstance(text, str) and text.isprintable() and len(text) <= MAX_TEXT_LENGTH
        if not is_line or bool(text) != bool(first):
            raise ValueError(
                f"problem is {short_repr(text)}; allowed: a line on the failure, or nothing where there is none"
            )
