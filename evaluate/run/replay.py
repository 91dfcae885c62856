"""Replay: re-run the rules on a recorded match and compare every value.

Every recorded answer is played again at a table that knows nothing else of the record. What that table records (chance
draws, texts, moves, errors, payoffs, metrics, status) is compared with the record, value by value and to the last
digit. If turns are left out (`Record.left_out`), the players play the match again in machine code. A referee's rulings
are taken from the record, so that programs are not run again. Not checked, because nothing follows from them:
`UNCHECKED_FIELDS`, and the words of a free-text reply that the parser does not read.

Records of other versions (`econzoo.envs.core.contract.versions.Versions`) are not replayed.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import fields
from pathlib import Path
from typing import Any, NamedTuple

from econzoo.baselines import PausedMatch, Player, PlayerLeft
from econzoo.envs.core import format_count
from econzoo.envs.core import game as find_game
from econzoo.envs.core.contract import Versions, check_arguments, check_path, check_type, parse_json
from econzoo.envs.core.faces import OUTSIDE_SPACE, event_from_plain
from econzoo.envs.core.record import FORMAT, OPTIONAL_FIELDS, OPTIONAL_TURN_FIELDS, Record, ShapeError, Turn
from econzoo.envs.core.record import check_shape, match_id, read_lines, restore_reply
from econzoo.evaluate.run.disk_records import play_again
from econzoo.evaluate.run.table import EnvPool, MatchTable, new_match

__all__ = ["Problem", "LineReplay", "recompute_record", "replay", "replay_file"]

UNCHECKED_FIELDS = (
    "seconds",
    "tokens",
    "cost",
    *("dropped_turns", "closed_by_grammar", "calls", "reasoning", "cached_tokens", "unsupported", "served"),
    "probabilities",
    *("source", "personas", "sampled_players", "replacements", "reason", "software"),
)
"""Fields of records and turns on how an answer or match came about, not on its content."""

_UNCHECKED_SET = frozenset(UNCHECKED_FIELDS)
_RECORD_FIELDS = tuple(field.name for field in fields(Record))
_TURN_FIELDS = tuple(field.name for field in fields(Turn))
_ABSENT = "nothing"


class Problem(NamedTuple):
    """One deviation of a record from the rules.

    Attributes:
        turn: Number of the turn, 1-based; None for the whole match.
        field: Name of the field, e.g. ``"payoffs"``.
        expected: Value by the rules.
        found: Value in the record.
    """

    turn: int | None
    field: str
    expected: Any
    found: Any

    def __str__(self) -> str:
        where = "" if self.turn is None else f"turn {self.turn}, "
        return f"{where}{_shorten(self.field)[1:-1]}: expected {_shorten(self.expected)}, found {_shorten(self.found)}"


@check_arguments
def replay(record: Record | dict[str, Any], pool: EnvPool | None = None) -> list[Problem]:
    """Re-run the rules on a record.

    Args:
        record: A record, or the dictionary of its line.
        pool: Environment pool, for many records.

    Returns:
        Differences from the rules, in the order of the match.

    Raises:
        ValueError: `record` has another type.
    """
    check_type("record", record, (Record, dict), "a Record, or the dictionary of its line")
    given = _record_values(record) if isinstance(record, Record) else record
    if given.get("format") != FORMAT:
        return [Problem(None, "format", FORMAT, given.get("format"))]
    problems = list(_shape_problems(given))
    if problems:
        return problems
    try:
        check_shape(given)
        find_game(given["game"])
    except ShapeError as wrong:
        return [Problem(wrong.turn, wrong.field, wrong.allowed, wrong.found)]
    except ValueError as error:
        return [Problem(None, "game", "a known game", str(error))]
    return _replay_fields({**given, "turns": [vars(Turn(**turn)) for turn in given["turns"]]}, pool or EnvPool())


def _replay_fields(given: dict[str, Any], pool: EnvPool) -> list[Problem]:
    """Return the deviations of a well-formed record dictionary from the rules."""
    if others := _version_problems(given):
        return others
    try:
        recomputed = _record_values(_recompute_record(given, pool))
    except Exception as error:  # any error under a modified record is a problem of the record
        kind = "" if isinstance(error, ValueError) else f"{type(error).__name__}: "
        return [Problem(None, "match", "a playable match", f"{kind}{error}")]
    if given["status"] == "failed":
        return list(_turn_problems(recomputed["turns"], given["turns"]))  # it has no result
    turn_problems = _turn_problems(recomputed["turns"], given["turns"])
    return [*turn_problems, *compare_values(None, recomputed, given, ("turns",))]


def _version_problems(given: dict[str, Any]) -> list[Problem]:
    both = zip(Versions._fields, find_game(given["game"]).versions, Versions(**given["versions"]), strict=True)
    return [Problem(None, f"versions.{name}", here, own) for name, here, own in both if here != own]


class LineReplay(NamedTuple):
    """Replay of a line of a file.

    Attributes:
        line: Line number, 1-based.
        problems: See `replay`.
    """

    line: int
    problems: list[Problem]


def replay_error(record: Record, pool: EnvPool | None = None) -> str | None:
    """Return why a record does not replay, or None; see `replay`."""
    # Without the checks of form in `replay`, which `Record.from_json` has made.
    problems = _replay_fields(_record_values(record), pool or EnvPool())
    return f"it does not replay: {problems[0]}" if problems else None


def plausibility_error(record: Record) -> str | None:
    """Return why a record cannot belong to its game (unknown parameters or kinds of moves), or None; a fast check."""
    try:
        game = find_game(record.game)
        seats = game.seats(game.params(**record.params)[1])
        for turn in record.turns:
            if turn.action is not None:
                event_from_plain(game, {"seat": turn.seat, "round": turn.round, **turn.action})
    except (ValueError, TypeError, KeyError) as error:
        return f"invalid match of {record.game}: {error}"
    return None if len(record.players) == seats else f"{record.game} has {format_count(seats, 'seat')} there"


def read_plausible_record(line: str) -> Record:
    """Read the record of a line, with the fast check of `plausibility_error`."""
    record = Record.from_json(line)
    if (why := plausibility_error(record)) is not None:
        raise ValueError(why)
    return record


@check_arguments
def replay_file(
    path: str | Path, check: Callable[[dict[str, Any], EnvPool], list[Problem]] = replay
) -> Iterator[LineReplay]:
    """Replay every line of a record file; a line that is not a record is a problem.

    Args:
        path: The file.
        check: Replays the dictionary of a line.
    """
    pool = EnvPool()
    for number, line in read_lines(check_path("path", path)):
        given = parse_line(line)
        yield LineReplay(number, check(given, pool) if isinstance(given, dict) else form_problems(given))


def parse_line(line: bytes) -> Any:
    """Return the values of a line; a text if it is not JSON."""
    try:
        return parse_json(line.decode())
    except ValueError as error:
        return f"not JSON: {error}"


def form_problems(given: Any) -> list[Problem]:
    """Return the problems of a line that are found without replaying it: form, versions, the id of another match."""
    if not isinstance(given, dict):
        return [Problem(None, "line", "a record", given)]
    if given.get("format") != FORMAT:
        return [Problem(None, "format", FORMAT, given.get("format"))]
    if problems := list(_shape_problems(given)):
        return problems
    try:
        names = "game", "params", "options", "seed", "players"
        game, *determining = (given[name] for name in names)
        if others := _version_problems(given):
            return others
        id = match_id(game, given["versions"]["rules"], *determining)
    except (TypeError, ValueError, KeyError, AttributeError) as error:
        return [Problem(None, "match", "a playable match", str(error))]
    return [] if id == given["id"] else [Problem(None, "id", id, given["id"])]


def _record_values(record: Record) -> dict[str, Any]:
    """Return the record as the dictionary of its line."""
    return {**record.fields(), "turns": [vars(turn) for turn in record.turns]}


# Recomputing


class _ReplayPlayer(Player):
    """Replays the answers of one seat; at the end of the record it leaves or pauses as recorded."""

    def __init__(self, spec: str, face: str, replies: Iterable[tuple[int, Any]], status: str) -> None:
        super().__init__(spec)
        self.face = face  # type: ignore[misc]
        self.blind = face not in ("text", "chat")  # records store only texts of observations
        self._replies, self._status = replies, status

    def act(self, observation: Any, info: dict[str, Any]) -> Any:
        for _, reply in self._replies:
            return reply
        # A failed match is over too: its player leaves, and only its turns are compared.
        raise PausedMatch if self._status == "paused" else PlayerLeft


@check_arguments
def recompute_record(record: Record, pool: EnvPool | None = None, **options: Any) -> Record:
    """Recompute a record from its answers, with some environment options changed.

    Args:
        record: Record of the answers.
        pool: Environment pool, for many records.
        **options: Recorded options that replace the record's own, e.g. ``metrics="paper"``.

    Raises:
        ValueError: The record does not follow the rules, or an option is invalid.
    """
    given = _record_values(check_type("record", record, Record, "a Record"))
    return _recompute_record({**given, "options": {**record.options, **options}}, pool or EnvPool())


def _recompute_record(given: dict[str, Any], pool: EnvPool) -> Record:
    if given.get("left_out"):
        return play_again(given, turns=False)
    match = new_match(given["game"], given["players"], given["seed"], **_params_and_options(given))
    # All seats share one list of answers: the seat to act plays the next one, whatever seat the record names.
    replies = enumerate([restore_reply(turn["reply"], turn["finish"], turn["limit"]) for turn in given["turns"]])
    seats = zip(match.players, given["faces"], strict=True)
    players = [_ReplayPlayer(spec, face, replies, given["status"]) for spec, face in seats]
    # Chance is drawn again from the seed, except of imported matches, whose seed is only a name.
    script = {"chance": given["chance"] if given.get("source") else None, "rulings": given.get("rulings")}
    # Only with this check 60.0 is refused for 60, so that a record with such an error was played with it.
    script["checked"] = any(turn["error"] and turn["error"][0] == OUTSIDE_SPACE for turn in given["turns"])
    recomputed = MatchTable(match, players, pool, script).play()
    for turn in recomputed.turns:
        turn.seconds = 0.0  # answers were read, not computed
    return recomputed


def _params_and_options(given: dict[str, Any]) -> dict[str, Any]:
    options = given["options"]
    if both := given["params"].keys() & options.keys():
        raise ValueError(f"{both.pop()!r} is both in params and in options")
    if isinstance(options.get("prompts"), str):  # a path: records must not read files
        raise ValueError("invalid options.prompts: expected an object of prompt texts")
    return {**given["params"], **options}


# Comparing


def _shape_problems(given: dict[str, Any]) -> Iterator[Problem]:
    """Yield format errors of a record."""
    yield from _key_problems(None, given, _RECORD_FIELDS, OPTIONAL_FIELDS)
    turns = given.get("turns")
    if not isinstance(turns, list) or not all(isinstance(turn, dict) for turn in turns):
        yield Problem(None, "turns", "a list of turns", turns)
        return
    for number, turn in enumerate(turns, start=1):
        yield from _key_problems(number, turn, _TURN_FIELDS, OPTIONAL_TURN_FIELDS)


def _key_problems(
    turn: int | None, given: dict[str, Any], expected: tuple[str, ...], optional: tuple[str, ...]
) -> Iterator[Problem]:
    missing = (name for name in expected if name not in given and name not in optional)
    yield from (Problem(turn, name, "a value", _ABSENT) for name in missing)
    yield from (Problem(turn, name, _ABSENT, given[name]) for name in given if name not in expected)


def _turn_problems(recomputed: list[dict[str, Any]], given: list[dict[str, Any]]) -> Iterator[Problem]:
    for number, turn in enumerate(given, start=1):
        if number > len(recomputed):
            yield Problem(number, "turn", "the match to be over", turn["reply"])
            return
        yield from compare_values(number, recomputed[number - 1], turn)


def compare_values(turn: int | None, again: Any, given: Any, ignored: tuple[str, ...] = ()) -> Iterator[Problem]:
    """Yield differences between two turns, or two records, by field, without `UNCHECKED_FIELDS` and `ignored`."""
    for name, value in again.items():
        other = given.get(name)
        # Identical objects, such as shared parameters, need no comparison by value.
        if value is not other and name not in _UNCHECKED_SET and name not in ignored and not _is_equal(value, other):
            yield Problem(turn, name, value, other)


def _is_equal(one: Any, other: Any) -> bool:
    """Whether two values are equal, distinguishing types as JSON does (1 is not true, but 1 is 1.0)."""
    if isinstance(one, dict):
        if not isinstance(other, dict) or one.keys() != other.keys():
            return False
        return all(_is_equal(value, other[key]) for key, value in one.items())
    if isinstance(one, list | tuple):
        return isinstance(other, type(one)) and len(one) == len(other) and all(map(_is_equal, one, other))
    return bool(one == other) and isinstance(one, bool) == isinstance(other, bool)


def _shorten(value: Any) -> str:
    text = value if isinstance(value, str) and value == _ABSENT else json.dumps(value, ensure_ascii=True, default=repr)
    return text if len(text) <= 200 else text[:197] + "..."
