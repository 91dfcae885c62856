"""Replay: the rules are run again on a recorded match, and everything in the record must come out the same.

Every answer is given again as it was recorded, to a table that knows nothing else of the record. What that table
writes down (chance draws, texts, moves, errors, payoffs, metrics, how it ended) is compared with the record,
value by value and to the last digit. What a game's referee found is taken from the record, so that programs are not run
again. Not checked, because nothing follows from it: `NOT_CHECKED`, and in a reply of
free text the words that the parser does not read.

A record of other versions of a game's texts, its numeric face or of how replies are read (`other_versions`) is checked
all the same. Where the texts are others, none of their words is compared. What answers on a face of another version
meant (a number on another grid, say) is taken from the record, and everything that follows from it is compared.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import fields
from pathlib import Path
from typing import Any, NamedTuple

from econzoo.baselines.player import LeftTable, PausedMatch, Player
from econzoo.envs.core.contract.parameters import completed
from econzoo.envs.core.contract.validation import from_json, of_kind, path_of
from econzoo.envs.core.contract.versions import Versions
from econzoo.envs.core.env.decoding import OUTSIDE, Decoded
from econzoo.envs.core.faces.structured_face import typed_event
from econzoo.envs.core.plurals import many
from econzoo.envs.core.record.lines import lines_of
from econzoo.envs.core.record.record import Record, Turn, current_id
from econzoo.envs.core.record.shape import NEWER, ShapeError, check_known, check_shape
from econzoo.envs.core.record.turn import LEFT_OUT, replied
from econzoo.envs.core.registry import game as find_game
from econzoo.envs.core.registry import parameters_of
from econzoo.evaluate.run.table import EnvPool, Table, new_match

__all__ = ["Problem", "Replayed", "other_versions", "played_again", "replay", "replay_file"]

NOT_CHECKED = (
    "seconds",
    "tokens",
    "cost",
    "dropped",
    "closed",
    "calls",
    "source",
    "personas",
    "drawn",
    "replaced",
    "reason",
    "reasoning",
    "cached",
    "unmet",
)
"""Fields of records and turns that say how an answer or a match came about and not what it was."""

_UNCHECKED = frozenset(NOT_CHECKED)
_RECORD = tuple(field.name for field in fields(Record))
_TURN = tuple(field.name for field in fields(Turn))
_ABSENT = "nothing"


class Problem(NamedTuple):
    """One thing in a record that is not as the rules say.

    Attributes:
        turn: Which turn, 1-based; None if it is about the whole match.
        field: Where, e.g. ``"payoffs"``.
        expected: What the rules give.
        found: What the record says.
    """

    turn: int | None
    field: str
    expected: Any
    found: Any

    def __str__(self) -> str:
        where = "" if self.turn is None else f"turn {self.turn}, "
        return f"{where}{_short(self.field)[1:-1]}: expected {_short(self.expected)}, found {_short(self.found)}"


def replay(record: Record | dict[str, Any], pool: EnvPool | None = None) -> list[Problem]:
    """Runs the rules again on a record.

    Args:
        record: The record, or the dictionary of its line.
        pool: Where environments come from, if many records are replayed.

    Returns:
        What is not as the rules say, in the order of the match; empty if all is well. That a record is of other
        versions, but for the rules', is not among it: see `other_versions`.

    Raises:
        ValueError: It is neither.
    """
    of_kind("record", record, (Record, dict), "a Record, or the dictionary of its line")
    given = _values(record) if isinstance(record, Record) else record
    problems = list(_shape(given))
    if problems:
        return problems
    try:
        check_shape(given)
        check_known(given, find_game(given["game"]).versions)
    except ShapeError as wrong:
        return [Problem(wrong.turn, wrong.field, wrong.allowed, wrong.found)]
    except ValueError as error:
        return [Problem(None, "game", "one that is known here", str(error))]
    return _again({**given, "turns": [{**_ENDED_BY_ITSELF, **turn} for turn in given["turns"]]}, pool or EnvPool())


def _again(given: dict[str, Any], pool: EnvPool) -> list[Problem]:
    """What of a record's dictionary, which has the form of one, is not as the rules say."""
    try:
        given = {**given, "params": completed(parameters_of(given["game"]), given["params"]), "id": current_id(given)}
        again = _values(_played_again(given, pool))
        if Versions.of(given).texts != Versions.of(again).texts:
            again, given = _without_words(again), _without_words(given)
    except Exception as error:  # whatever a changed record makes the rules do is a finding about the record
        kind = "" if isinstance(error, ValueError) else f"{type(error).__name__}: "
        return [Problem(None, "match", "one that can be played", f"{kind}{error}")]
    if given["status"] == "failed":
        return list(_turns(again["turns"], given["turns"]))  # it has no result
    return [*_turns(again["turns"], given["turns"]), *compared(None, again, given, ("turns", "versions"))]


def other_versions(record: Record | dict[str, Any]) -> list[str]:
    """What else than the rules was of another version for a record, e.g. ``["texts of version 0, now 1"]``."""
    given = record.fields() if isinstance(record, Record) else record
    try:
        made, now = Versions.of(given), find_game(given["game"]).versions
    except (ValueError, KeyError):  # no record: `replay` says why
        return []
    return made.differences(now._replace(rules=made.rules, streams=made.streams))


class Replayed(NamedTuple):
    """What came of a line of a file.

    Attributes:
        line: Its number, 1-based.
        problems: See `replay`.
        versions: See `other_versions`.
    """

    line: int
    problems: list[Problem]
    versions: list[str]


def misplayed(record: Record, pool: EnvPool | None = None) -> str | None:
    """Why a record that was read is not as the rules say, or None; see `replay`."""
    problems = _again(_values(record), pool or EnvPool())
    return f"it does not replay: {problems[0]}" if problems else None


def implausible(record: Record) -> str | None:
    """Why a record can be none of its game at a glance (unknown market, unknown kind of move), or None."""
    try:
        game = find_game(record.game)
        seats = game.seats(game.params(**record.params)[1])
        for turn in record.turns:
            if turn.action is not None:
                typed_event(game, {"seat": turn.seat, "round": turn.round, **turn.action})
    except (ValueError, TypeError, KeyError) as error:
        return f"it cannot be a match of {record.game}: {error}"
    return None if len(record.players) == seats else f"{record.game} has {many(seats, 'seat')} there"


def read_plausible(line: str) -> Record:
    """The record of a line, if at a glance it is one of its game.

    Raises:
        ValueError: It is none; the message says why.
    """
    record = Record.from_json(line)
    if (why := implausible(record)) is not None:
        raise ValueError(why)
    return record


def replay_file(
    path: str | Path, check: Callable[[dict[str, Any], EnvPool], list[Problem]] = replay
) -> Iterator[Replayed]:
    """Replays every line of a file of records; a line that is no record is a problem.

    Args:
        path: The file.
        check: What is done with the dictionary of each line.
    """
    pool = EnvPool()
    for number, line in lines_of(path_of("path", path)):
        try:
            given = from_json(line.decode())
        except ValueError as error:
            given = f"not JSON: {error}"
        if isinstance(given, dict):
            yield Replayed(number, check(given, pool), other_versions(given))
        else:
            yield Replayed(number, [Problem(None, "line", "a record", given)], [])


def _values(record: Record) -> dict[str, Any]:
    """The record as the dictionary of its line."""
    return {**record.fields(), "turns": [vars(turn) for turn in record.turns]}


# Playing again


class _Recorded(Player):
    """Gives the answers of one seat again; where the record ends, leaves or pauses as somebody did then."""

    def __init__(self, spec: str, face: str, replies: Iterable[tuple[int, Any]], status: str) -> None:
        super().__init__(spec)
        self.face = face  # type: ignore[misc]
        self.blind = face not in ("text", "chat")  # of what is seen records keep words only
        self._replies, self._status = replies, status

    def act(self, observation: Any, info: dict[str, Any]) -> Any:
        for _, reply in self._replies:
            return reply
        raise PausedMatch if self._status == "paused" else LeftTable


def played_again(record: Record, pool: EnvPool | None = None, **options: Any) -> Record:
    """The record that the answers of a record give under the rules, with some options of the environment changed.

    Args:
        record: Whose answers.
        pool: Where environments come from, if there are many records.
        **options: Those that records keep, in place of the record's own, e.g. ``metrics="paper"``.

    Raises:
        ValueError: The record does not fit the rules, or an option is not allowed.
    """
    given = _values(of_kind("record", record, Record, "a Record"))
    return _played_again({**given, "options": {**record.options, **options}}, pool or EnvPool())


def _played_again(given: dict[str, Any], pool: EnvPool) -> Record:
    game, made = find_game(given["game"]), Versions.of(given)
    if made.rules != game.version:
        newer = f"; {NEWER}" if made.rules > game.version else ""
        raise ValueError(f"recorded with version {made.rules} of the rules; this is version {game.version}{newer}")
    match = new_match(given["game"], given["players"], given["seed"], **_settings(given))
    # All seats share one list of answers: whoever is to act gives the next one, whoever the record says it was.
    replies = enumerate([replied(turn["reply"], turn["finish"], turn["limit"]) for turn in given["turns"]])
    seats = zip(match.players, given["faces"], strict=True)
    players = [_Recorded(spec, face, replies, given["status"]) for spec, face in seats]
    script = {"chance": given["chance"] if given.get("source") else None, "rulings": given.get("rulings")}
    script["streams"] = made.streams
    script["decoded"] = _decoded(given, made, game.versions)
    script["checked"] = any(turn["error"] and turn["error"][0] == OUTSIDE for turn in given["turns"])
    table = Table(match, players, pool, script)
    table.record.schema = given["schema"]  # what a cut is worth
    again = table.played()
    for turn in again.turns:
        turn.seconds = 0.0  # nobody thought of these answers: they were read
    return again


def _decoded(given: dict[str, Any], made: Versions, now: Versions) -> list[Decoded | None] | None:
    """What the answers meant on faces of other versions; None for the others, and if there are no others."""
    reads = (made.texts, made.replies) != (now.texts, now.replies)
    other = {"numeric": made.numeric != now.numeric, "text": reads, "chat": reads}
    if not any(other.get(face) for face in given["faces"]):
        return None
    turns = [(given["faces"][turn["seat"]], turn) for turn in given["turns"]]
    schema = find_game(given["game"]).actions
    return [Decoded(schema, turn["action"], turn["error"]) if other.get(face) else None for face, turn in turns]


def _settings(given: dict[str, Any]) -> dict[str, Any]:
    both = set(given["params"]) & set(given["options"])
    if both:
        raise ValueError(f"{both.pop()!r} stands in params and in options")
    if isinstance(given["options"].get("prompts"), str):  # a path: no record reads other files
        raise ValueError("options.prompts is not an object with own prompts word for word")
    return {**given["params"], **given["options"]}


# Comparing


def _shape(given: dict[str, Any]) -> Iterator[Problem]:
    """What is wrong with the form of a record before anything is played."""
    yield from _keys(None, given, _RECORD)
    turns = given.get("turns")
    if not isinstance(turns, list) or not all(isinstance(turn, dict) for turn in turns):
        yield Problem(None, "turns", "a list of turns", turns)
        return
    for number, turn in enumerate(turns, start=1):
        yield from _keys(number, turn, _TURN)


def _keys(turn: int | None, given: dict[str, Any], expected: tuple[str, ...]) -> Iterator[Problem]:
    known = given.keys() | _LATER
    yield from (Problem(turn, name, "a value", _ABSENT) for name in expected if name not in known)
    yield from (Problem(turn, name, _ABSENT, given[name]) for name in given if name not in expected)


_NEWER = ("source", "personas", "drawn", "rulings", "replaced", "versions", "reason", "position_payoffs")
_LATER = dict.fromkeys(("closed", *LEFT_OUT, *_NEWER))
"""Fields that older records do not have."""


_ENDED_BY_ITSELF = {"finish": "", "limit": 0}
"""What a turn means that does not say how its reply ended."""


def _without_words(given: dict[str, Any]) -> dict[str, Any]:
    """A record without what its texts say; of an error the code stays."""
    turns = [{**turn, "prompt": None, "error": turn["error"] and turn["error"][:1]} for turn in given["turns"]]
    return {**given, "rules": None, "turns": turns}


def _turns(again: list[dict[str, Any]], given: list[dict[str, Any]]) -> Iterator[Problem]:
    for number, turn in enumerate(given, start=1):
        if number > len(again):
            yield Problem(number, "turn", "the match to be over", turn["reply"])
            return
        yield from compared(number, again[number - 1], turn)


def compared(turn: int | None, again: Any, given: Any, skipped: tuple[str, ...] = ()) -> Iterator[Problem]:
    """What two turns, or two records, do not agree in: values by name, those of `NOT_CHECKED` and `skipped` aside."""
    for name, value in again.items():
        other = given.get(name)
        if value is not other and name not in _UNCHECKED and name not in skipped and not _same(value, other):
            yield Problem(turn, name, value, other)


def _same(one: Any, other: Any) -> bool:
    """Equal, and equal in kind where JSON tells kinds apart (1 is not true, but 1 is 1.0)."""
    if isinstance(one, dict):
        if not isinstance(other, dict) or one.keys() != other.keys():
            return False
        return all(_same(value, other[key]) for key, value in one.items())
    if isinstance(one, list | tuple):
        return isinstance(other, type(one)) and len(one) == len(other) and all(map(_same, one, other))
    return bool(one == other) and isinstance(one, bool) == isinstance(other, bool)


def _short(value: Any) -> str:
    shown = value if isinstance(value, str) and value == _ABSENT else json.dumps(value, ensure_ascii=True, default=repr)
    return shown if len(shown) <= 200 else shown[:197] + "..."
