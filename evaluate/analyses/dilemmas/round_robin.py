"""Round robins of strategies of a repeated 2x2 game.

Results do not depend on whether the loop is compiled: every player gets one uniform number per turn, sampled in advance
from the pair's own generator, and outcomes are counted in integers.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from importlib.util import find_spec
from itertools import combinations_with_replacement
from typing import Any, NamedTuple

import numpy as np

from econzoo.baselines import player
from econzoo.baselines.matrix.classic import HIDDEN, STANDARD, Classic, Payoffs
from econzoo.baselines.matrix.match_loop import compile_loop, compile_strategy, ignore_numba_warnings, play_matches
from econzoo.envs.core.contract import CustomDomain, Integer, Real, TupleOf, check_argument, derive_seed
from econzoo.envs.games.matrix.validation import validate_noise
from econzoo.evaluate.stats import precision

__all__ = ["RoundRobin", "round_robin"]

GAME = "matrix"

BATCH_SIZE = 4_000_000
"""Uniform numbers sampled at once."""

MIN_COMPILED_MOVES = 10_000_000
"""Number of moves from which compiling saves time."""


class RoundRobin(NamedTuple):
    """Results of all pairs.

    Attributes:
        names: Specs of the strategies, in the order of all rows and columns.
        payoff: ``[i, j]``: mean points per round of strategy i against strategy j; against itself, the mean of both
            seats.
        error: Standard error of `payoff` over the repetitions; 0 for deterministic matches, NaN with one repetition of
            stochastic ones.
        skewness: Skewness of the estimates `payoff`; 0 for deterministic matches or if unknown.
        cooperation: Share of rounds in which strategy i played C against strategy j.
        match_counts: Matches per entry; 1 for deterministic matches.
    """

    names: tuple[str, ...]
    payoff: np.ndarray
    error: np.ndarray
    skewness: np.ndarray
    cooperation: np.ndarray
    match_counts: np.ndarray


def round_robin(
    strategies: Sequence[str | Classic],
    turns: int = 200,
    repetitions: int = 1,
    seed: int = 0,
    noise: float = 0.0,
    payoffs: Sequence[float] = STANDARD,
    *,
    known_length: bool = True,
    compiled: bool | None = None,
) -> RoundRobin:
    """Play every strategy against every other and itself.

    Args:
        strategies: Specs of `econzoo.baselines.matrix`, or such players.
        turns: Rounds of a match; at least 1.
        repetitions: Matches of each stochastic pair; at least 1. Deterministic pairs play one.
        seed: Random seed, at least 0. A pair's matches depend on it, on their indices in the list, on `turns`, and on
            `noise`, `payoffs` and `known_length`.
        noise: Probability that a move is flipped, from 0 to 1/2.
        payoffs: Points of a player for CC, CD, DC and DD, its own move first; symmetric.
        known_length: Whether the strategies know the number of rounds.
        compiled: Whether to compile the loop (needs ``econzoo[fast]``); None: if that saves time.

    Raises:
        ValueError: A strategy is unknown or not a classic one, or an argument is out of range.
        ImportError: `compiled` is true and Numba is not installed.
    """
    field = [_classic(one) for one in strategies]
    if not field:
        raise ValueError("no strategies: expected at least one")
    positive = Integer(1)
    counts = (
        check_argument("turns", turns, positive),
        check_argument("repetitions", repetitions, positive),
        check_argument("seed", seed, Integer(0)),
    )
    setting = _Setting(*counts, validate_noise(noise), _payoffs(payoffs), known_length)
    both = combinations_with_replacement(range(len(field)), 2)
    pairs = [_Pair(i, j, setting.repeats(field[i], field[j])) for i, j in both]
    outcomes = _outcomes(field, pairs, setting, compiled)
    return _summarize([one.spec for one in field], pairs, outcomes, setting)


class _Setting(NamedTuple):
    turns: int
    repetitions: int
    seed: int
    noise: float
    payoffs: Payoffs
    known: bool

    def pair_seed(self, pair: _Pair) -> int:
        # Without the number of repetitions, more of them continue the same sequence of matches.
        text = f"{GAME} {self._replace(repetitions=0, seed=0)}"
        return derive_seed(text, self.seed, "player", pair.first, pair.second)

    def repeats(self, one: Classic, other: Classic) -> int:
        return self.repetitions if self.noise > 0.0 or not (one.deterministic and other.deterministic) else 0


class _Pair(NamedTuple):
    first: int
    second: int
    repeats: int  # 0: deterministic, so one match suffices

    @property
    def matches(self) -> int:
        return max(self.repeats, 1)


# Playing


def _outcomes(field: list[Classic], pairs: list[_Pair], setting: _Setting, compiled: bool | None) -> np.ndarray:
    """Counts of CC, CD, DC and DD in every match of every pair, shape (matches, 4)."""
    if compiled is None:
        moves = 2 * setting.turns * sum(pair.matches for pair in pairs)
        compiled = moves >= MIN_COMPILED_MOVES and find_spec("numba") is not None
    play = _compiled_loop(field, setting) if compiled else _python_loop(field, setting)
    done = [play(who, lots) for who, lots in _batches(pairs, setting)]
    return np.concatenate(done)


def _batches(pairs: list[_Pair], setting: _Setting) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Batches of pairs, shape (matches, 2), and uniform numbers, shape (matches, turns, 2 or 4)."""
    columns = 4 if setting.noise > 0.0 else 2
    room = max(1, BATCH_SIZE // (columns * setting.turns))
    who: list[tuple[int, int]] = []
    lots: list[np.ndarray] = []
    for pair in pairs:
        # A pair's generator yields the same numbers in one batch or in several, so batches change no result.
        rng = np.random.default_rng(setting.pair_seed(pair))
        left = pair.matches
        while left:
            some = min(left, room - len(who))
            shape = (some, setting.turns, columns)
            lots.append(rng.random(shape) if pair.repeats else np.zeros(shape))
            who += [(pair.first, pair.second)] * some
            left -= some
            if len(who) == room:
                yield np.array(who, np.int64), np.concatenate(lots)
                who, lots = [], []
    if who:
        yield np.array(who, np.int64), np.concatenate(lots)


def _python_loop(field: list[Classic], setting: _Setting) -> Any:
    moves, given = [one.move for one in field], [one.numbers(setting.payoffs) for one in field]
    horizon = setting.turns if setting.known else HIDDEN

    def play(who: np.ndarray, lots: np.ndarray) -> np.ndarray:
        outcomes = np.zeros((len(who), 4), np.int64)
        room = [bytearray(setting.turns)], [bytearray(setting.turns)]
        # Plain lists are read faster than arrays; those of one match at a time need little memory.
        for k in range(len(who)):
            one = slice(k, k + 1)
            args = who[one].tolist(), lots[one].tolist(), setting.turns, horizon, setting.noise, *room, outcomes[one]
            play_matches(moves, given, *args)
        return outcomes

    return play


def _compiled_loop(field: list[Classic], setting: _Setting) -> Any:
    moves = tuple(compile_strategy(one.move) for one in field)
    numbers = [one.numbers(setting.payoffs) for one in field]
    # The compiled loop takes one array for all strategies, so shorter lists of numbers are padded.
    given = np.zeros((len(field), max(1, *(len(one) for one in numbers))))
    for row, one in zip(given, numbers, strict=True):
        row[: len(one)] = one
    compiled, horizon = compile_loop(len(field)), setting.turns if setting.known else HIDDEN

    def play(who: np.ndarray, lots: np.ndarray) -> np.ndarray:
        outcomes = np.zeros((len(who), 4), np.int64)
        room = np.zeros((2, 1, setting.turns), np.int8)
        with ignore_numba_warnings():
            compiled(moves, given, who, lots, setting.turns, horizon, setting.noise, room[0], room[1], outcomes)
        return outcomes

    return play


# Summing up


def _summarize(names: list[str], pairs: list[_Pair], outcomes: np.ndarray, setting: _Setting) -> RoundRobin:
    shape = (len(names), len(names))
    payoff, error, skewness, cooperation = (np.zeros(shape) for _ in range(4))
    played = np.zeros(shape, np.int64)
    start = 0
    for pair in pairs:
        rows = outcomes[start : start + pair.matches]
        start += pair.matches
        for (i, j), own in _split_sides(pair, rows):
            points = own @ np.array(setting.payoffs) / setting.turns
            payoff[i, j], (error[i, j], skewness[i, j]) = points.mean(), _precision(points, pair.repeats)
            cooperation[i, j] = own[:, :2].sum(axis=1).mean() / setting.turns
            played[i, j] = pair.matches
    return RoundRobin(tuple(names), payoff, error, skewness, cooperation, played)


def _split_sides(pair: _Pair, rows: np.ndarray) -> Iterator[tuple[tuple[int, int], np.ndarray]]:
    """The outcomes from each side's view; in self-play the mean of both."""
    turned = rows[:, (0, 2, 1, 3)]
    if pair.first == pair.second:
        yield (pair.first, pair.second), (rows + turned) / 2.0
        return
    yield (pair.first, pair.second), rows
    yield (pair.second, pair.first), turned


def _precision(points: np.ndarray, repeats: int) -> tuple[float, float]:
    """Standard error and skewness of the mean."""
    if repeats < 2:
        return (0.0 if repeats == 0 else float("nan")), 0.0
    # Every match is a cluster: its influence is its deviation from the mean, divided by their number.
    found = precision((points - points.mean())[:, None] / repeats)
    return float(points.std(ddof=1) / np.sqrt(repeats)), float(found.skewness[0])


# Arguments


def _classic(one: str | Classic) -> Classic:
    strategy = player(one, GAME)
    if not isinstance(strategy, Classic):
        raise ValueError(f"invalid strategy {strategy.spec!r}: expected a classic strategy of {GAME}")
    return strategy


def _payoffs(values: Any) -> Payoffs:
    wanted = CustomDomain(TupleOf(4, Real(-1e9, 1e9)), "four numbers, for CC, CD, DC, DD")
    return Payoffs(*check_argument("payoffs", values, wanted))
