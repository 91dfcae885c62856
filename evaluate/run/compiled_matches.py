"""Matches of classic and random players of 2x2 games in machine code.

Records are those of the environment, except for times: the random numbers of nature and players come from the same
streams, and strategies and payoffs from the same functions.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache
from hashlib import sha256
from importlib.util import find_spec
from itertools import groupby
from typing import Any, NamedTuple

import numpy as np

from econzoo.baselines import MESSAGE_PROBABILITY, MESSAGES, Player, RandomPlayer, round_generator
from econzoo.baselines.matrix import CLASSICS
from econzoo.baselines.matrix.classic import HIDDEN, Classic, Moves, Numbers, Payoffs
from econzoo.baselines.matrix.match_loop import compile_loop, compile_strategy, ignore_numba_warnings
from econzoo.envs.core import game as find_game
from econzoo.envs.core.contract import UNKNOWN, cumulative_probabilities, derive_seed, setting_of, stream
from econzoo.envs.core.record import Record, Turn, record_outcome, start_record
from econzoo.envs.games.matrix.rules import BOTH_SLIP, COLUMN_SLIPS, MATCH_ENDS, ROW_SLIPS, Params, State, chance
from econzoo.envs.games.matrix.rules import initial, observe
from econzoo.evaluate.run.match import PlayerCache
from econzoo.evaluate.run.table import Match, new_match

GAME, KINDS = "matrix", "CD"

MIN_ROUNDS = 50_000
"""Rounds of a tournament from which compiling pays off."""

BATCH_ROUNDS = 40_000
"""Rounds that are played at once; their records take half a kilobyte each."""


NAMES = {*CLASSICS, "memory-one", "reactive", "zero-determinant", "random"}
"""Players whose matches may be played again from the seed."""

_players = PlayerCache(GAME)


def drawn_move(mine: Moves, theirs: Moves, turn: int, horizon: int, u: float, given: Numbers) -> int:
    """Return a move that was drawn in advance, given as the uniform number."""
    return int(u)


def split_compiled(matches: Sequence[Match], player_of: Callable[[str], Player]) -> tuple[list[Match], list[Match]]:
    """Return the matches that are played in machine code, if there are enough of them, and the others."""
    rounds = sum(match.params["rounds"] for match in matches if _has_known_players(match, player_of))
    if rounds < MIN_ROUNDS:
        return [], list(matches)
    chosen, others = list[Match](), list[Match]()
    for match in matches:
        (chosen if can_compile_match(match, player_of) else others).append(match)
    return chosen, others


def can_compile_match(match: Match, player_of: Callable[[str], Player]) -> bool:
    """Whether `play_compiled` plays a match."""
    if not _has_known_players(match, player_of) or find_spec("numba") is None:
        return False
    try:
        for spec in match.players:
            _strategy(player_of(spec))
    except ValueError:  # of a user, which does not compile
        return False
    return True


def _has_known_players(match: Match, player_of: Callable[[str], Player]) -> bool:
    if match.game != GAME or match.options or match.params["messages"] not in (True, False):
        return False
    # Subclasses may play otherwise.
    return all(type(player_of(spec)) in (Classic, RandomPlayer) for spec in match.players)


def play_compiled(
    matches: Sequence[Match], player_of: Callable[[str], Player], turns: bool = True
) -> Iterator[list[str]]:
    """Play matches that compile and yield their records as JSON lines, some at a time.

    Args:
        turns: Whether records have turns and chance moves (see `Record.left_out`).
    """
    for _, group in groupby(matches, lambda match: (id(match.params), match.players)):
        same = list(group)
        size = max(1, BATCH_ROUNDS // same[0].params["rounds"])
        for start in range(0, len(same), size):
            yield [_line(played, turns) for played in _play_alike(same[start : start + size], player_of)]


def play_again(
    game: str, params: Mapping[str, Any], options: Mapping[str, Any], players: Sequence[str], seed: int, turns: bool
) -> Record:
    """Play the match of a record whose turns are left out.

    Raises:
        ValueError: Its players are not those of this module.
    """
    for spec in players:  # ahead of making them: a record must not load models
        if game != GAME or spec.partition("(")[0] not in NAMES:
            raise ValueError(f"turns of {spec!r} in {game} cannot be left out")
    match = new_match(game, players, seed, **params, **options)
    if not can_compile_match(match, _players):
        raise ValueError("turns can be left out of compiled matches only, which need econzoo[fast]")
    record, kinds, words = _play_alike([match], _players)[0]
    if not turns:
        return _leave_out(record, kinds, words)
    record.turns = [
        Turn(seat, turn + 1, _move(kind, own), _move(kind, own))
        for turn, both in enumerate(zip(*kinds, strict=True))
        for seat, kind, own in _said_by(both, words, turn)
    ]
    return record


class Played(NamedTuple):
    """A match: its record without turns, and by seat the kinds of its moves and its words by round from 0."""

    record: Record
    kinds: list[list[int]]
    words: list[dict[int, str]]


def _line(played: Played, turns: bool) -> str:
    """Format a record as `Record.to_json` does."""
    record, kinds, words = played
    if not turns:
        return _leave_out(*played).to_json()
    parts = [
        f"{head}{turn + 1}{tail}"
        for turn, both in enumerate(zip(*kinds, strict=True))
        for head, tail in [_turn_text(*one) for one in _said_by(both, words, turn)]
    ]
    # As text, since objects of all turns would take most of the time.
    return record.to_json().replace('"turns":[]', f'"turns":[{",".join(parts)}]', 1)


def _said_by(kinds: Sequence[int], words: Sequence[Mapping[int, str]], turn: int) -> Iterator[tuple[int, int, str]]:
    """Yield seat, kind and words of the moves of a round."""
    return ((seat, kind, words[seat].get(turn, "")) for seat, kind in enumerate(kinds))


@lru_cache(maxsize=64)
def _turn_text(seat: int, kind: int, words: str) -> tuple[str, str]:
    """Return the text of a turn ahead of the number of its round, and behind it."""
    move = _move(kind, words)
    text = json.dumps(Turn(seat, -1, move, move).fields(), separators=(",", ":"))
    head, _, tail = text.partition("-1")
    return head, tail


def _move(kind: int, words: str) -> dict[str, Any]:
    return {"kind": KINDS[kind], "message": words} if words else {"kind": KINDS[kind]}


def _leave_out(record: Record, kinds: list[list[int]], words: list[dict[int, str]]) -> Record:
    """Return a record with a hash in place of turns and chance moves."""
    rounds = len(kinds[0])
    told = [{turn: text for turn, text in own.items() if turn < rounds} for own in words]
    digest = sha256(repr((kinds, told, record.chance)).encode()).hexdigest()[:16]
    record.left_out, record.chance = {"turns": 2 * rounds, "rounds": rounds, "hash": digest}, []
    return record


def _play_alike(matches: Sequence[Match], player_of: Callable[[str], Player]) -> list[Played]:
    """Play matches that differ only in the seed."""
    started, game, first = time.perf_counter(), find_game(GAME), matches[0]
    setting, params = setting_of(game, first.params), game.params(**first.params)[1]
    players = [player_of(spec) for spec in first.players]
    outcomes = np.array([_nature(params, setting, one.seed) for one in matches])
    slips = outcomes % MATCH_ENDS
    flips = np.stack([(slips == slip) | (slips == BOTH_SLIP) for slip in (ROW_SLIPS, COLUMN_SLIPS)])
    draws = np.empty((len(matches), params.rounds, 4))
    draws[:, :, 2], draws[:, :, 3] = ~flips  # numbers below the noise of the loop flip a move
    said: list[list[dict[int, str]]] = []
    for one, numbers in zip(matches, draws, strict=True):
        seeds = [derive_seed(setting, one.seed, "player", seat) for seat in (0, 1)]
        numbers[:, 0], numbers[:, 1] = map(_uniforms, players, seeds, [params.rounds] * 2)
        words = first.params["messages"] is True  # drawn in any case, as by the player
        said.append([_words(*both, params.rounds) if words else {} for both in zip(players, seeds, strict=True)])
    moves = _moves(players, params, draws)
    played = []
    for k, one in enumerate(matches):
        ends = np.flatnonzero(outcomes[k] >= MATCH_ENDS)
        length = int(ends[0]) + 1 if len(ends) else params.rounds
        record = start_record(game, one.params, list(one.players), [p.face for p in players], one.seed, one.options)
        record.rules, record.errors, record.defaults = [None, None], [0, 0], [0, 0]
        end = _end(moves[:, k, :length])
        record_outcome(record, game.rules.payoffs(params, end), game.metrics.outcome(params, end))
        record.chance = outcomes[k, :length].tolist() if params.noise + params.prob_end > 0.0 else []
        record.seconds = round((time.perf_counter() - started) / (k + 1), 6)
        played.append(Played(record, (moves[:, k, :length] ^ flips[:, k, :length]).tolist(), said[k]))
    return played


def _nature(params: Params, setting: str, seed: int) -> np.ndarray:
    """Draw nature's moves of all rounds."""
    if params.noise + params.prob_end == 0.0:
        return np.zeros(params.rounds)
    edges, outcomes = _edges(params)
    places = np.searchsorted(edges, stream(setting, seed, "nature").random(params.rounds) * edges[-1], side="right")
    return outcomes[np.minimum(places, len(edges) - 1)]


@lru_cache(maxsize=64)
def _edges(params: Params) -> tuple[np.ndarray, np.ndarray]:
    """Return cumulative probabilities and values of nature's moves, which are the same in every round."""
    outcomes = chance(params, initial(params))
    return np.array(cumulative_probabilities(outcomes)), np.array([outcome for outcome, _ in outcomes])


def _uniforms(player: Player, seed: int, rounds: int) -> Any:
    """Return the uniform numbers of a player, which of random ones are its moves."""
    if isinstance(player, RandomPlayer):
        return _random_moves(seed, rounds)[0]
    return 0.0 if player.deterministic else [round_generator(seed, turn).random() for turn in range(rounds)]


def _words(player: Player, seed: int, rounds: int) -> dict[int, str]:
    """Return what a player says, by round from 0."""
    return _random_moves(seed, rounds)[1] if isinstance(player, RandomPlayer) else {}


@lru_cache(maxsize=4)
def _random_moves(seed: int, rounds: int) -> tuple[list[int], dict[int, str]]:
    """Draw the moves of a `RandomPlayer`, and its messages by round from 0."""
    rng, moves, words = np.random.default_rng(seed), [], {}
    for turn in range(rounds):
        moves.append(int(rng.integers(len(KINDS))))
        if rng.random() < MESSAGE_PROBABILITY:
            words[turn] = MESSAGES[int(rng.integers(len(MESSAGES)))]
    return moves, words


def _strategy(player: Player) -> Any:
    return compile_strategy(drawn_move if isinstance(player, RandomPlayer) else player.move)  # type: ignore[attr-defined]


def _moves(players: Sequence[Player], params: Params, draws: np.ndarray) -> np.ndarray:
    """Return the realised moves of both seats, int8 of shape (2, matches, rounds)."""
    numbers: list[Numbers] = []
    for seat, player in enumerate(players):
        view = observe(params, initial(params), seat)
        payoffs = Payoffs(view.cc, view.cd, view.dc, view.dd)
        numbers.append(player.numbers(payoffs) if isinstance(player, Classic) else ())
    rows = np.zeros((2, max(1, *map(len, numbers))))
    for row, own in zip(rows, numbers, strict=True):
        row[: len(own)] = own
    moves = np.zeros((2, len(draws), params.rounds), np.int8)
    pairs, counts = np.tile([0, 1], (len(draws), 1)), np.zeros((len(draws), 4), np.int64)
    horizon, noise = params.rounds if params.known else HIDDEN, 0.5 if params.noise > 0.0 else 0.0
    with ignore_numba_warnings():
        strategies = tuple(map(_strategy, players))
        compile_loop(2)(strategies, rows, pairs, draws, params.rounds, horizon, noise, *moves, counts)
    return moves


def _end(moves: np.ndarray) -> State:
    """Return the position after realised moves of both seats."""
    cc, cd, dc, dd = np.bincount(2 * moves[0] + moves[1], minlength=4).tolist()
    return State(moves.shape[1], UNKNOWN, int(moves[0, -1]), int(moves[1, -1]), cc, cd, dc, dd, True)
