"""The record of a match: one JSON line that says everything needed to judge it and to play it again."""

from __future__ import annotations

import hashlib
import json
import math
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO

from econzoo.envs.core.contract.parameters import complete_parameters, identifying_parameters
from econzoo.envs.core.contract.validation import check_path, check_type, parse_json
from econzoo.envs.core.contract.versions import Versions
from econzoo.envs.core.env.options import from_recorded_names, to_recorded_names
from econzoo.envs.core.files import append_file, escape_name, open_file
from econzoo.envs.core.record.lines import check_appendable, read_lines
from econzoo.envs.core.record.player_labels import PlayerLabels
from econzoo.envs.core.record.shape import SCHEMA, check_known_versions, check_shape
from econzoo.envs.core.record.spec import identity
from econzoo.envs.core.record.turn import Turn
from econzoo.envs.core.record.values import to_plain
from econzoo.envs.core.registry import game as find_game
from econzoo.envs.core.registry import parameters_of

__all__ = ["SCHEMA", "Record", "RecordFile", "Turn", "read_record_file"]


@dataclass
class Record(PlayerLabels):
    """One match.

    Attributes:
        game: Name.
        version: Of the game's rules.
        params: All public parameters.
        options: Options of the environment that matter for what happens, where they were set.
        seed: Of nature and of every player.
        players: One spec for each seat, with the player's name and how it was reached.
        faces: One for each seat.
        rules: The rules brief that each seat read; None on faces without text.
        chance: Nature's moves in order.
        turns: See `Turn`.
        payoffs: In the game's own unit.
        metrics: ``gains``, ``efficiency``, ``fairness``, ``agreed``; None where not defined.
        status: ``"finished"``, ``"forfeited"``, ``"abandoned"`` (a person left), or no end: ``"paused"``,
            ``"truncated"`` (cut by ``max_cycles``) or ``"failed"``; the last two have no result (payoffs of 0, no
            metrics).
        position_payoffs: Of a match that was cut, what its last position would pay, in the game's own unit; else None,
            and left out of the line.
        reason: Of a failure, in a line; None where there is none, and left out of the line then.
        forfeit: The seat that forfeited or left, or None.
        errors: Unusable answers of each seat.
        defaults: Default actions of each seat.
        seconds: Wall time of the match.
        schema: Of this record; in schema 1 a match that was cut has the payoffs and metrics of its last position.
        id: Names the match: a hash of everything that determines it. Of the players that is who they are
            (`econzoo.envs.core.record.spec.identity`); the ids of older lines, which depend on price, address and
            throttle too, are read as what they are now.
        source: Where a match was played that was not played here, and what it is called there, in plain values; None
            for own matches. Nature's moves are then what `chance` says, not draws from the seed.
        drawn: Of each player whose spec has distributions, the spec with the arguments that were drawn; None for a
            seat: its spec has none. None where no player's has any; left out of the line then.
        rulings: What the game's referee found in each round: ``moves`` (kind and numbers) and ``results``. None in
            games without a referee; left out of the line then.
        personas: Whom each player was told to be by its own spec, word for word as it read it; None for a seat: nobody
            told it. None where no player was told; left out of the line then.
        replaced: Who took whose seat during the match: ``seat``, ``turn`` (the number of turns before), ``by`` (a spec)
            and ``why``, one of `econzoo.envs.core.faces.finish.NO_REPLY_REASONS`. None where nobody did; left out of
            the line then.
        versions: Of the game: ``rules``, ``texts``, ``numeric`` face and how ``replies`` are read. Older lines do not
            have them, which means 0 for all but the rules.
    """

    game: str
    version: int
    params: dict[str, Any]
    options: dict[str, Any]
    seed: int
    players: list[str]
    faces: list[str]
    rules: list[str | None] = field(default_factory=list)
    chance: list[float] = field(default_factory=list)
    turns: list[Turn] = field(default_factory=list)
    payoffs: list[float] = field(default_factory=list)
    metrics: dict[str, Any] = field(default_factory=dict)
    status: str = "finished"
    forfeit: int | None = None
    errors: list[int] = field(default_factory=list)
    defaults: list[int] = field(default_factory=list)
    seconds: float = 0.0
    schema: int = SCHEMA
    id: str = ""
    source: dict[str, Any] | None = None
    personas: list[str | None] | None = None
    drawn: list[str | None] | None = None
    rulings: list[dict[str, Any]] | None = None
    replaced: list[dict[str, Any]] | None = None
    versions: dict[str, int] | None = None
    reason: str | None = None
    position_payoffs: list[float] | None = None

    def __post_init__(self) -> None:
        self.params = complete_parameters(parameters_of(self.game), to_plain(self.params))
        self.versions = self.versions or Versions(self.version)._asdict()
        self.id = current_id(vars(self)) or self.match_id()

    @property
    def is_truncated(self) -> bool:
        """Whether a limit that is not of the rules ended the match, so that it has no result."""
        return self.status == "truncated" and self.schema > 1

    @property
    def has_result(self) -> bool:
        """Whether somebody was paid: by the rules, a forfeit, or because a person left."""
        return not self.is_truncated and self.status not in ("paused", "failed")

    def match_id(self) -> str:
        """16 hexadecimal digits that depend on game, version, parameters, options, seed and players."""
        return match_id(self.game, self.version, self.params, self.options, self.seed, self.players)

    def to_json(self) -> str:
        """One line of ASCII JSON."""
        return _json_line(self._to_plain())

    def fields(self) -> dict[str, Any]:
        """All attributes by their names, in their order."""
        return {name: getattr(self, name) for name in self.__dataclass_fields__}

    def _to_plain(self) -> dict[str, Any]:
        turns = [turn.fields() for turn in self.turns]
        given = {**self.fields(), "options": to_recorded_names(self.options), "turns": turns}
        for name in ("source", "personas", "drawn", "rulings", "replaced", "reason", "position_payoffs"):
            if given[name] is None:
                del given[name]
        return given

    def lines_with_seeds(self, seeds: Iterable[int]) -> Iterator[str]:
        """The lines of the same match with other seeds, if it comes out the same with every seed.

        Only ``seed`` and ``id`` differ from line to line; ``seconds`` are those of the match that was played.
        """
        given = list(self._to_plain().items())
        seed, id = (place for place, (name, _) in enumerate(given) if name in ("seed", "id"))
        parts = (_json_line(dict(part))[1:-1] for part in (given[:seed], given[seed + 1 : id], given[id + 1 :]))
        before, between, after = parts
        ids = match_ids(self.game, self.version, self.params, self.options, self.players)
        end = f",{after}}}" if after else "}"
        for one in seeds:
            yield f'{{{before},"seed":{one},{between},"id":"{ids(one)}"{end}'

    @classmethod
    def from_json(cls, line: str) -> Record:
        """The record of a line.

        Raises:
            ValueError: The line is no record of this schema; the message says why.
        """
        check_type("line", line, (str, bytes), "the JSON line of a record")
        try:
            given = parse_json(line)
        except ValueError as error:
            raise ValueError(f"not a JSON line ({error})") from None
        if not isinstance(given, dict):
            raise ValueError("not a JSON object")
        try:
            check_shape(given)
            check_known_versions(given, find_game(given["game"]).versions)
            options, turns = from_recorded_names(given["options"]), [Turn(**turn) for turn in given["turns"]]
            return cls(**{**given, "options": options, "turns": turns})
        except (TypeError, ValueError) as error:
            raise ValueError(f"not a record: {error}") from None


def _json_line(given: dict[str, Any]) -> str:
    return json.dumps(given, ensure_ascii=True, allow_nan=False, separators=(",", ":"))


def none_if_nan(value: float) -> float | None:
    """A metric as a float, None where it is not defined."""
    return None if math.isnan(value) else float(value)


def match_id(
    game: str, version: int, params: Mapping[str, Any], options: Mapping[str, Any], seed: int, players: Sequence[str]
) -> str:
    """See `Record.match_id`."""
    return match_ids(game, version, params, options, players)(seed)


def match_ids(
    game: str, version: int, params: Mapping[str, Any], options: Mapping[str, Any], players: Sequence[str]
) -> Callable[[int], str]:
    """Seed to `match_id`, for matches that differ in nothing else."""
    return _match_ids_of_specs(game, version, params, options, [identity(spec) for spec in players])


def current_id(given: Mapping[str, Any]) -> str:
    """The id in the fields of a record; an older one, of the very specs of the players, as it is now."""
    id, players = given["id"], given["players"]
    if not id or all(identity(spec) == spec for spec in players):
        return id
    match = given["game"], given["version"], given["params"], given["options"]
    return match_id(*match, given["seed"], players) if id == _match_ids_of_specs(*match, players)(given["seed"]) else id


def _match_ids_of_specs(
    game: str, version: int, params: Mapping[str, Any], options: Mapping[str, Any], players: Sequence[str]
) -> Callable[[int], str]:
    before = _compact_json(
        [
            game,
            version,
            identifying_parameters(parameters_of(game), to_plain(params)),
            to_plain(to_recorded_names(options)),
        ]
    )[:-1]
    after = _compact_json(list(players))
    return lambda seed: hashlib.sha256(f"{before},{_compact_json(seed)},{after}]".encode()).hexdigest()[:16]


def _compact_json(value: Any) -> str:
    return json.dumps(value, sort_keys=True, separators=(",", ":"))


class RecordFile:
    """A file of records that is only ever appended to.

    A line torn by a kill is moved to ``FILE.torn`` when the file is opened, so that the rest stays readable.

    Args:
        path: The file; made with its folders if it does not exist.

    Raises:
        ValueError: The file holds something else than records, or is compressed.
    """

    def __init__(self, path: str | Path) -> None:
        self.path = check_path("path", path)
        check_appendable(self.path)
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self._repair_tail()

    def _repair_tail(self) -> None:
        if not self.path.exists():
            return
        first = next((line for _, line in read_lines(self.path)), b"{").lstrip()
        if not first.startswith(b"{"):
            raise ValueError(f"{escape_name(self.path)} holds something else than records; choose another file")
        with open_file(self.path) as file:
            tail = _last_line(file)
        if _is_record(tail):
            append_file(self.path, b"\n")
        elif tail:
            append_file(f"{self.path}.torn", tail + b"\n")
            os.truncate(self.path, self.path.stat().st_size - len(tail))

    def append(self, record: Record) -> None:
        """Writes one record; processes can share the file."""
        append_file(self.path, record.to_json() + "\n")

    def ids(self) -> set[str]:
        """Ids of the matches that are recorded."""
        return {record.id for record in read_record_file(self.path)} if self.path.exists() else set()


def _last_line(file: BinaryIO) -> bytes:
    """What follows the last line break: files of records are far too large to be read for this."""
    end, tail, block = file.seek(0, os.SEEK_END), b"", 1 << 16
    while end and b"\n" not in tail:
        start = max(0, end - block)
        file.seek(start)
        tail, end = file.read(end - start) + tail, start
    return tail[tail.rfind(b"\n") + 1 :]


def _is_record(line: bytes) -> bool:
    try:
        Record.from_json(line.decode())
    except ValueError:
        return False
    return True


def read_record_file(path: str | Path) -> Iterator[Record]:
    """The records of a file, in order.

    Raises:
        ValueError: A line is no record; the message names file and line.
        FileNotFoundError: No such file.
    """
    for number, line in read_lines(check_path("path", path)):
        try:
            yield Record.from_json(line.decode())
        except ValueError as error:
            raise ValueError(f"{path}, line {number}: {error}") from None
