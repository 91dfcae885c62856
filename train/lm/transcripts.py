"""Chat transcripts of recorded matches, and selection of the best seats."""

from __future__ import annotations

import json
import math
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from econzoo.baselines.models import Message
from econzoo.envs.core import game as find_game
from econzoo.envs.core.contract import Invalid, Objective, to_plain
from econzoo.envs.core.env import GameEnv
from econzoo.envs.core.faces import TextFace, event_from_plain, load_templates
from econzoo.envs.core.record import Record, Turn, read_record_file
from econzoo.evaluate.analyses import describe_no_result, matches_with_result, split_by_result
from econzoo.train import Place, outcome_of


class RecordedSeat(NamedTuple):
    """One seat of a recorded match, with the value by which it is compared: of the objective, or its reward."""

    record: Record
    seat: int
    value: float

    @property
    def cell(self) -> tuple[str, str, int, tuple[str, ...]]:
        """Return game, setting, seat and the players in the other seats: the unit of comparison."""
        others = tuple(spec for seat, spec in enumerate(self.record.players) if seat != self.seat)
        return self.record.game, json.dumps(to_plain(self.record.params), sort_keys=True), self.seat, others

    @property
    def has_defaulted(self) -> bool:
        """Whether the seat is among `Record.defaulting_seats`."""
        return self.seat in self.record.defaulting_seats

    @property
    def place(self) -> Place:
        """Return game, public parameters, options and seat."""
        return self.record.game, self.record.params, self.record.options, self.seat


def load_records(paths: Iterable[str | Path]) -> list[Record]:
    """Read all matches with a result; the number without one is printed on standard error."""
    files = [Path(path) for path in paths]
    records = [record for file in files for record in read_record_file(file)]
    if not records:
        raise ValueError(f"no matches in {', '.join(map(str, files)) or 'no files'}: expected record files")
    if left_out := describe_no_result(split_by_result(records)[1]):
        print(left_out, file=sys.stderr)
    return matches_with_result(records)


def select(
    records: Iterable[Record],
    objective: Objective,
    keep: float,
    seats: Sequence[int] | None = None,
    players: Sequence[str] = (),
    is_relabelled: bool = False,
) -> list[RecordedSeat]:
    """Return the best fraction of the seats of every cell, in the order of the records.

    A cell is a game, a setting, a seat and the players in the other seats, so that neither easy opponents nor rich
    settings dominate. Excluded are seats that forfeited, left, had an answer replaced by a default action, or have no
    value of the objective, and matches without a result.

    Args:
        keep: Fraction of each cell to keep, in (0, 1]; rounded up.
        seats: Seats to learn from; None: all.
        players: Specs to learn from; empty: all.
        is_relabelled: Whether a teacher replaces the moves; then seats with default actions are not excluded.
    """
    if not 0 < keep <= 1:
        raise ValueError(f"invalid keep={keep!r}: expected a fraction above 0 and at most 1")
    groups: dict[Any, list[tuple[int, RecordedSeat]]] = defaultdict(list)
    for number, one in enumerate(_candidates(records, objective, seats, players, is_relabelled)):
        groups[one.cell].append((number, one))
    selected: list[tuple[int, RecordedSeat]] = []
    for group in groups.values():
        best_first = sorted(group, key=lambda entry: -entry[1].value)
        # Against 0.07 * 100 = 7.000000000000001, which would be rounded up to 8.
        selected += best_first[: math.ceil(keep * len(group) - 1e-9)]
    if not selected:
        raise ValueError(
            "no match passes the filters (forfeits never do): expected other --seats or --players, or more records"
        )
    return [one for _, one in sorted(selected, key=lambda entry: entry[0])]


def _candidates(
    records: Iterable[Record],
    objective: Objective,
    seats: Sequence[int] | None,
    players: Sequence[str],
    is_relabelled: bool,
) -> Iterable[RecordedSeat]:
    for record in split_by_result(records)[0]:
        for seat, spec in enumerate(record.players):
            wanted = (seats is None or seat in seats) and (not players or spec in players)
            acted = any(turn.seat == seat and turn.action is not None for turn in record.turns)
            if not wanted or not acted or record.forfeit == seat:
                continue
            if seat in record.defaulting_seats and not is_relabelled:
                continue
            value = objective(record.payoffs, outcome_of(record), seat)
            if not math.isnan(value):
                yield RecordedSeat(record, seat, value)


def transcripts(
    record: Record,
    seat: int,
    decimals: int | None = None,
    prompts: Mapping[str, str] | None = None,
    target_moves: Sequence[Any] = (),
    rounding: float = 0.0,
) -> list[list[Message]]:
    """Return `transcript` for every player that took the seat, in order.

    Args:
        target_moves: Relabelled structured moves, one per move of the seat; empty: no relabelling. They are stored
            under ``"meant"`` of the seat's messages, whose content stays what was done.
        rounding: Round relabelled amounts to multiples of this fraction of the usual range; 0: exact.
    """
    found: list[list[Message]] = []
    for message in _messages(record, seat, decimals, prompts, target_moves, rounding):
        if message["role"] == "system":
            found.append([])
        found[-1].append(message)
    return found


def transcript(
    record: Record, seat: int, decimals: int | None = None, prompts: Mapping[str, str] | None = None
) -> list[Message]:
    """Return the chat a language model in this seat would have had, whichever player sat there.

    The match is replayed with the seat on the chat face. Invalid replies are left out; the last message is the seat's
    last move. If the seat's player is replaced during the match, this is the last player's transcript.

    Args:
        decimals: Decimals to which the seat's own amounts are rounded in its replies (a script may have asked for
            5263.15789474); None: exact.
        prompts: Templates instead of the match's own; with them the last message reports how the match ended for this
            seat, without what happens after its elimination. None: the match's own.

    Returns:
        The rules as system message, then alternately new information and the move as compact JSON.
    """
    return transcripts(record, seat, decimals, prompts)[-1]


def _messages(
    record: Record,
    seat: int,
    decimals: int | None,
    prompts: Mapping[str, str] | None,
    target_moves: Sequence[Any] = (),
    rounding: float = 0.0,
) -> Iterator[Message]:
    """Yield the messages of a seat in order; each player's transcript begins with a system message."""
    if not 0 <= seat < len(record.players):
        raise ValueError(f"match {record.id} has no seat {seat}")
    env = _replay_env(record, seat, prompts)
    agent, schema = env.possible_agents[seat], env.game.actions
    face, ending = env.face(agent), Ending(env, agent)
    assert isinstance(face, TextFace)
    yield {"role": "system", "content": face.rules(env.information_state(agent).view)}
    wanted = iter(target_moves)
    for turn in record.turns:
        if turn.action is None:
            continue
        _skip_finished(env)
        actor = env.agent_selection
        if env.over or env.possible_agents.index(actor) != turn.seat:
            raise ValueError(f"match {record.id} does not follow the rules: it is not the turn of seat {turn.seat}")
        move = _decode_action(record, env, turn)
        if turn.seat != seat:
            env.step(schema.to_plain(move))
            ending.capture_text()
            continue
        if env.infos[actor].get("newcomer"):
            yield {"role": "system", "content": face.rules(env.information_state(agent).view)}
        yield {"role": "user", "content": env.observe(actor)["text"]}
        reply = face.teller.write(_round_amount(env, move, decimals), env.legal(actor))
        message = {"role": "assistant", "content": reply}
        if target_moves:
            better = _round_amount(
                env, env.game.actions.parse(next(wanted), env.information_state(actor).legal), decimals, rounding
            )
            message["meant"] = face.teller.write(better, env.legal(actor))
        yield message
        env.step(face.teller.write(move, env.legal(actor)))  # the exact move: amounts are rounded in the message only
        ending.capture_text()
    if prompts is not None:
        yield {"role": "user", "content": ending.text}


class Ending:
    """Captures the last text of a seat on a text face when its game ends, possibly before that of others.

    `capture_text` is called after every step; a later text may tell what happened after an elimination.
    """

    def __init__(self, env: GameEnv, agent: str) -> None:
        self._env, self._agent = env, agent
        self._text: str | None = None
        self.capture_text()

    @property
    def is_over(self) -> bool:
        """Whether the game has ended for the seat."""
        env, agent = self._env, self._agent
        return env.terminations.get(agent, True) or env.truncations.get(agent, True)

    def capture_text(self) -> None:
        """Store the seat's text if its game has just ended."""
        if self._text is None and self.is_over:
            self._text = self._env.observe(self._agent)["text"]

    @property
    def text(self) -> str:
        """Return the stored text, or the current one."""
        return self._env.observe(self._agent)["text"] if self._text is None else self._text


def _replay_env(record: Record, seat: int, prompts: Mapping[str, str] | None) -> GameEnv:
    faces = tuple("chat" if i == seat else "structured" for i in range(len(record.players)))
    game = find_game(record.game)
    # A game may keep part of an invalid reply; it is no move here either, and replays to the same.
    on_error = "raise" if game.options.recover_action is None else "default"
    options = {**record.options, "on_error": on_error, "max_retries": 0}
    if prompts is not None:
        options["prompts"] = {**load_templates(game.package, record.options.get("prompts")), **prompts}
    env = GameEnv(game, face=faces, **options, **record.params)
    env.reset(seed=record.seed, options={"chance": record.chance, "rulings": record.rulings})
    return env


def _skip_finished(env: GameEnv) -> None:
    # PettingZoo gives agents whose game has ended one more turn, with the action None.
    while not env.over and (env.terminations[env.agent_selection] or env.truncations[env.agent_selection]):
        env.step(None)


def _decode_action(record: Record, env: GameEnv, turn: Turn) -> Any:
    move = env.game.actions.parse(turn.action, env.information_state(env.agent_selection).legal)
    if isinstance(move, Invalid) and turn.default and env.game.options.recover_action is not None:
        return event_from_plain(env.game, {"seat": turn.seat, "round": turn.round, **(turn.action or {})}).action
    if isinstance(move, Invalid):
        raise ValueError(f"match {record.id} does not follow the rules: {move.text}")
    return move


def _round_amount(env: GameEnv, move: Any, decimals: int | None, rounding: float = 0.0) -> Any:
    """Return the move with a rounded amount, if it is legal, and in the usual range if the exact amount is."""
    index, values = env.actions.move(move)
    if decimals is None or not env.actions.marks[index]:
        return move
    legal, first = env.information_state(env.agent_selection).legal, env.actions.first[index]
    near = []
    for slot, exact in enumerate(values[: len(env.actions.marks[index])], start=first):
        least, most = legal.usual_bounds[slot]
        coarse = _round_to_fraction(exact, least, most, rounding)
        # A usual amount can round out of range: all that one has, rounded up, is more.
        low, high = (least, most) if least <= exact <= most else legal.bounds[slot]
        near.append(round(coarse, decimals) if low <= round(coarse, decimals) <= high else exact)
    rounded = env.actions.make(index, near, env.actions.kind_and_message(move)[1])
    return move if env.actions.validate_action(rounded, legal).__class__ is Invalid else rounded


def _round_to_fraction(exact: float, least: float, most: float, rounding: float) -> float:
    """Return the nearest multiple; an end of the usual range only if the amount is that end: nearly all is not all.

    Args:
        rounding: Step as a fraction of the usual range; 0: exact.
    """
    step = rounding * (most - least)
    if not step:
        return exact
    count = round((exact - least) / step)
    if least < exact < most:
        count = min(max(count, 1), math.ceil(1 / rounding) - 1)
    return least + count * step
