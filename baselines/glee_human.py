"""Replay of recorded people or players as opponents: ``glee-human:FILE`` and ``glee-human:FILE?player=NAME``.

The records are those of GLEE's published games (see docs/replications.md) or any others. The player samples one
recorded seat and repeats its moves, as far as the game allows. It is a replay, not a model: it ignores messages, and in
a setting unlike the recorded one it transfers the recorded moves.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from econzoo.baselines.base import Player
from econzoo.baselines.strategy import view_of
from econzoo.envs.core import game as find_game
from econzoo.envs.core.contract import CHANCE, UNKNOWN, Game, Move
from econzoo.envs.core.faces import event_from_plain
from econzoo.envs.core.record import Record, read_record_file
from econzoo.wrappers import SeatInfo

PERSON = "human"
TOLERANCE = 1e-9

Fields = Mapping[str, Any]
"""A view by field; None for a number that the seat does not know."""


class SettingFeatures(NamedTuple):
    """Fields of a view that characterise the setting.

    Attributes:
        scale: Field with the amount that scales all others.
        flags: Fields compared for equality.
        numbers: Fields compared by distance, with their normalisation of (value, scale).
    """

    scale: str
    flags: tuple[str, ...]
    numbers: dict[str, Callable[[float, float], float]]


def _unchanged_value(value: float, scale: float) -> float:
    return value


def _inverse(value: float, scale: float) -> float:
    return 1.0 / value


def _share(value: float, scale: float) -> float:
    return value / scale


SETTING_FEATURES = {
    "bargaining": SettingFeatures(
        "money", (), {"horizon": _inverse, "own_delta": _unchanged_value, "other_delta": _unchanged_value}
    ),
    "negotiation": SettingFeatures(
        "money", ("outside_option",), {"horizon": _inverse, "own_value": _share, "other_value": _share}
    ),
    "persuasion": SettingFeatures(
        "price",
        ("binary", "myopic", "seller_knows_value", "buyer_knows_prior"),
        {"rounds": _inverse, "prior": _unchanged_value, "high_value": _unchanged_value, "low_value": _unchanged_value},
    ),
}
"""Features by game; only these games can be played."""

DISTANCE_PER_DECADE = 0.1
"""Distance per factor of ten between two scales."""


class Step(NamedTuple):
    """A move with its observation."""

    observation: Fields
    kind: str
    amount: float
    message: str


class SeatRecording(NamedTuple):
    """One seat of one recorded game."""

    game: str
    seat: int
    messages: bool
    start: Fields
    steps: tuple[Step, ...]


def distance(game: str, one: Fields, other: Fields, same_messages: bool = True) -> tuple[int, float]:
    """Return the distance of two settings as observed by a seat; smaller tuples are nearer.

    Returns:
        Number of differing discrete fields (messages, flags, and which numbers are known), and the sum of absolute
        differences of numbers known in both, plus `DISTANCE_PER_DECADE` per factor of ten between the scales.
    """
    features = SETTING_FEATURES[game]
    differ = int(not same_messages) + sum(one[flag] != other[flag] for flag in features.flags)
    scales = one[features.scale], other[features.scale]
    far = DISTANCE_PER_DECADE * abs(math.log10(scales[0] / scales[1]))
    for name, normalise in features.numbers.items():
        values = one[name], other[name]
        differ += (values[0] is None) != (values[1] is None)
        if None not in values:
            far += abs(normalise(values[0], scales[0]) - normalise(values[1], scales[1]))
    return differ, far


class RecordedPlayer(Player):
    """Repeats the moves of a recorded player in the nearest recorded setting of the same game and seat.

    At the start of a match it samples one of the nearest recorded seats (`distance`). Then:

    * It makes the offer of the same round, else of the latest earlier round with an offer, else the first offer, as
      the same share of the money, with the same message.
    * It accepts by a threshold on its share of the money (in negotiation: on its gain over its own value). Every
      recorded response is a point of it: an accepted offer just reaches it, a rejected one just misses it. It is
      interpolated between rounds and constant outside. From the round of a recorded opt-out on, it opts out instead
      of rejecting.
    * A seller repeats its move of the nearest round with the same quality; a buyer decides as in the nearest round
      with the same move of the seller (recommended, discouraged, sent a message).

    If the sampled recording has no such move, the next nearest is used, and finally the game's default action.
    Messages are dropped where there are none, and truncated where too long.
    """

    def __init__(self, spec: str, recordings: tuple[SeatRecording, ...]) -> None:
        super().__init__(spec)
        self.recordings = recordings
        self.seats = tuple(sorted({one.seat for one in recordings}))  # type: ignore[misc]

    def reset(self, seat: int, info: SeatInfo, seed: int) -> None:
        """Sample a recording."""
        # True is free text; numbers from 2 on count symbols, of which recordings have none.
        self.game, self.messages = info.game, info.messages is True
        some = [one for one in self.recordings if (one.game, one.seat) == (info.game.name, seat)]
        if not some:
            known = ", ".join(sorted({f"{one.game} (seat {one.seat})" for one in self.recordings}))
            raise ValueError(f"{self.spec!r} has no recording of seat {seat} in {info.game.name}, only of {known}")
        # Every recording has a draw, the last part of its key: recordings at the same distance are in random order.
        here, draws = _fields(info.view), np.random.default_rng(seed).random(len(some))
        keys = [
            (*distance(one.game, here, one.start, one.messages == info.messages), draw)
            for one, draw in zip(some, draws, strict=True)
        ]
        self.nearest = [some[i] for i in sorted(range(len(some)), key=keys.__getitem__)]

    def act(self, observation: Any, info: dict[str, Any]) -> dict[str, Any]:
        """Return the recorded move for the observation."""
        names = observation["legal_actions"]
        if "offer" in names:
            return self._offer(observation)
        if "accept" in names:
            return self._answer(observation)
        return self._talk(observation, names)

    def _offer(self, seen: Fields) -> dict[str, Any]:
        for one in self.nearest:
            offers = [step for step in one.steps if step.kind == "offer"]
            if offers:
                step = next((s for s in reversed(offers) if s.observation["round"] <= seen["round"]), offers[0])
                ((low, high),) = seen["bounds"]
                scaled = step.amount * (seen["money"] / step.observation["money"])
                return self._move(seen, step, min(max(scaled, low), high))
        return self._default_move(seen)

    def _answer(self, seen: Fields) -> dict[str, Any]:
        for one in self.nearest:
            answers = [step for step in one.steps if step.kind != "offer"]
            if answers:
                if accepts(answers, seen):
                    return {"kind": "accept"}
                opted_out = any(
                    step.kind == "opt_out" and step.observation["round"] <= seen["round"] for step in answers
                )
                return {"kind": "opt_out" if opted_out and "opt_out" in seen["legal_actions"] else "reject"}
        return self._default_move(seen)

    def _talk(self, seen: Fields, names: tuple[str, ...]) -> dict[str, Any]:
        """Return a seller's message or a buyer's decision."""
        same = "said" if "buy" in names else "quality"
        for one in self.nearest:
            fitting = [step for step in one.steps if step.kind in names and step.observation[same] == seen[same]]
            if fitting:
                step = min(fitting, key=lambda step: abs(step.observation["round"] - seen["round"]))
                return self._move(seen, step)
        return self._default_move(seen)

    def _move(self, seen: Fields, step: Step, amount: float = 0.0) -> dict[str, Any]:
        kind = self.game.actions.kinds[self.game.actions.index[step.kind]]
        longest = kind.marks[kind.message].max_length if kind.message and self.messages and not seen["error"] else 0
        return self.game.actions.to_plain(
            self.game.actions.make(self.game.actions.index[step.kind], (amount,), step.message[:longest])
        )

    def _default_move(self, seen: Fields) -> dict[str, Any]:
        return self.game.actions.to_plain(self.game.default_action(view_of(self.game.view_type, seen)))


# Acceptance


def offer_value(seen: Fields) -> float:
    """Return the seat's share of the open offer; in negotiation, its gain as a fraction of the money."""
    if "own_value" not in seen:
        return seen["offered"] / seen["money"]
    gain = seen["offered"] - seen["own_value"]
    return (gain if seen["seat"] == 0 else -gain) / seen["money"]


def threshold(answers: list[Step], round_number: int) -> tuple[float, bool]:
    """Return the acceptance threshold of a round, and whether it must be exceeded; responses are in order of rounds."""
    rounds = [step.observation["round"] for step in answers]
    share = float(np.interp(round_number, rounds, [offer_value(step.observation) for step in answers]))
    # Before the first recorded response, the first one decides, as in `np.interp`.
    last = max((i for i, r in enumerate(rounds) if r <= round_number), default=0)
    return share, answers[last].kind != "accept"


def accepts(answers: list[Step], seen: Fields) -> bool:
    """Whether a player with these responses accepts the open offer."""
    share, exceed = threshold(answers, seen["round"])
    return offer_value(seen) > share + TOLERANCE if exceed else offer_value(seen) >= share - TOLERANCE


# Reading


def glee_human(spec: str, target: str, options: dict[str, str]) -> Player:
    """Create the player of ``glee-human:FILE?player=NAME``."""
    options = dict(options)
    name = options.pop("player", PERSON)
    if options:
        raise ValueError(f"player {spec[:80]!r}: unknown option {', '.join(options)}: expected player=NAME")
    path = Path(target).expanduser()
    if not path.is_file():
        error, why = (ValueError, "is a folder") if path.exists() else (FileNotFoundError, "does not exist")
        raise error(f"player {spec[:80]!r}: {path} {why}; expected a file of records of GLEE games")
    changed = path.stat()
    return RecordedPlayer(spec, _read(str(path), name, changed.st_mtime_ns, changed.st_size))


# Time of change and size are part of the key, so that a changed file is read again.
@lru_cache(maxsize=8)
def _read(path: str, name: str, changed: int, size: int) -> tuple[SeatRecording, ...]:
    records = [record for record in read_record_file(path) if record.game in SETTING_FEATURES]
    recordings = [
        _read_recording(record, seat) for record in records for seat, who in enumerate(record.players) if who == name
    ]
    with_moves = tuple(one for one in recordings if one.steps)
    if not with_moves:
        names = ", ".join(sorted({who for record in records for who in record.players})[:40]) or "none"
        raise ValueError(f"{path}: no moves of player {name!r}; players in the file: {names}")
    return with_moves


def _read_recording(record: Record, seat: int) -> SeatRecording:
    try:
        return _replay_seat(record, seat)
    except (KeyError, IndexError, TypeError, ValueError) as error:
        problem = f"match {record.id} violates the rules of {record.game} ({error!r})"
        raise ValueError(f"{problem}; expected records that pass econzoo replay") from None


def _replay_seat(record: Record, seat: int) -> SeatRecording:
    """Replay a seat's moves under the rules, with their observations."""
    game = find_game(record.game)
    public, params = game.params(**record.params)
    rules, state, nature, steps = game.rules, game.rules.initial(params), list(record.chance), []
    start = _fields(rules.observe(params, state, seat))
    for turn in record.turns:
        if turn.action is None:
            continue
        while rules.to_act(params, state) == CHANCE:
            state = rules.apply(params, state, (Move(CHANCE, (nature.pop(0),)),))
        action = event_from_plain(game, {"seat": turn.seat, "round": turn.round, **turn.action}).action
        move = game.actions.move(action)
        if turn.seat == seat:
            steps.append(_step(game, _fields(rules.observe(params, state, seat)), move, turn.action))
        state = rules.apply(params, state, (move,))
    return SeatRecording(record.game, seat, bool(game.message_mode(public, seat)), start, tuple(steps))


def _step(game: Game, seen: Fields, move: Move, action: Mapping[str, Any]) -> Step:
    return Step(seen, game.actions.names[move.kind], move.values[0], action.get("message", ""))


def _fields(view: Any) -> dict[str, Any]:
    return {name: None if value == UNKNOWN else value for name, value in zip(view._fields, view, strict=True)}
