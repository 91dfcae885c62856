"""Record of a match: one JSON line with everything needed to analyze and replay it."""

from __future__ import annotations

import hashlib
import json
import math
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from pathlib import Path
from typing import Any, BinaryIO

from econzoo.envs.core import append_file, check_format, escape_name, open_file
from econzoo.envs.core import game as find_game
from econzoo.envs.core.contract import check_arguments, check_path, check_type, parse_json, to_plain
from econzoo.envs.core.record.lines import check_appendable, read_lines
from econzoo.envs.core.record.shape import FORMAT, OPTIONAL_FIELDS, check_shape
from econzoo.envs.core.record.spec import PlayerLabels, identity
from econzoo.envs.core.record.turn import Turn

__all__ = ["FORMAT", "Record", "RecordFile", "Turn", "read_record_file"]


@dataclass
class Record(PlayerLabels):
    """One match.

    Fields in `OPTIONAL_FIELDS` are None, and omitted from the line, where there is nothing to tell.

    Attributes:
        game: Name of the game.
        params: All public parameters.
        options: Environment options that affect matches, where set.
        seed: Seed of the match.
        players: Spec of each seat, including name and transport options.
        faces: Face of each seat.
        rules: Rules brief of each seat; None on faces without text.
        chance: Chance moves in order.
        turns: See `Turn`.
        payoffs: Payoffs in the game's own unit.
        metrics: ``gains``, ``efficiency``, ``fairness``, ``agreed``; None if undefined.
        status: ``"finished"``, ``"forfeited"``, ``"abandoned"`` (a person left), or not ended: ``"paused"``,
            ``"truncated"`` (by ``max_cycles``) or ``"failed"``; the last two have no result (payoffs of 0, no
            metrics).
        position_payoffs: Payoffs of the last position of a truncated match, in the game's own unit.
        reason: Reason of a failure in one line.
        forfeit: Seat that forfeited or left, or None.
        errors: Invalid answers of each seat.
        defaults: Default actions of each seat.
        seconds: Wall time of the match.
        format: Version of the format.
        id: Hash of everything that determines the match, including the identity of the players
            (`econzoo.envs.core.record.spec.identity`).
        source: Origin and original name of an imported match, as plain values. Chance moves of imported matches are
            given by `chance`, not by the seed.
        sampled_players: Spec with sampled arguments of each player whose spec has distributions, None for the others.
        rulings: Rulings of the game's referee by round: ``moves`` (kind and numbers) and ``results``.
        personas: Persona text of each player that has one, None for the others.
        replacements: Replacements of players during the match: ``seat``, ``turn`` (the number of turns until then),
            ``player`` (a spec) and ``reason``, one of `econzoo.envs.core.faces.finish.NO_REPLY_REASONS`.
        left_out: Of a match whose turns and chance moves are left out, because seed and players determine them
            (`econzoo.evaluate.run.compiled_matches`): number of ``turns`` and ``rounds``, and a ``hash`` of the moves.
        software: Version and commit of the package, and versions of the ``libraries`` of its models
            (`econzoo.envs.core.record.provenance.Software`).
        versions: `econzoo.envs.core.contract.versions.Versions` of the match; if not given, those of the game.
    """

    game: str
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
    format: int = FORMAT
    id: str = ""
    source: dict[str, Any] | None = None
    personas: list[str | None] | None = None
    sampled_players: list[str | None] | None = None
    rulings: list[dict[str, Any]] | None = None
    replacements: list[dict[str, Any]] | None = None
    versions: dict[str, int] = field(default_factory=dict)
    reason: str | None = None
    position_payoffs: list[float] | None = None
    left_out: dict[str, Any] | None = None
    software: dict[str, Any] | None = None

    def __post_init__(self) -> None:
        self.params = to_plain(self.params)
        self.versions = self.versions or find_game(self.game).versions._asdict()
        self.id = self.id or self.match_id()

    @property
    def is_truncated(self) -> bool:
        """Whether a limit outside the rules ended the match, so that it has no result."""
        return self.status == "truncated"

    @property
    def has_result(self) -> bool:
        """Whether the match has payoffs: by the rules, a forfeit, or because a person left."""
        return not self.is_truncated and self.status not in ("paused", "failed")

    @property
    def rounds(self) -> int:
        """Number of rounds played."""
        return self.left_out["rounds"] if self.left_out else max((turn.round for turn in self.turns), default=0)

    @property
    def stored_turns(self) -> Sequence[Turn]:
        """Turns, except those left out, which have no errors, tokens or costs."""
        return () if self.left_out else self.turns

    @property
    def displayed_payoffs(self) -> list[float]:
        """Payoffs, or of a truncated match those of its position, which must be labelled as such."""
        return self.position_payoffs if self.is_truncated and self.position_payoffs else self.payoffs

    @property
    def ending(self) -> str:
        """Short label of how the match ended."""
        if self.status == "finished":
            agreement = find_game(self.game).facts.agreement
            return agreement if self.metrics["agreed"] else f"no {agreement}"
        return "cut" if self.is_truncated else self.status

    @property
    def defaulting_seats(self) -> frozenset[int]:
        """Seats that forfeited or left, were replaced by another player, or of which a default action was played.

        An invalid answer that a valid one followed is not counted.
        """
        left = () if self.forfeit is None else (self.forfeit,)
        replaced = [one["seat"] for one in self.replacements or ()]
        return frozenset((*left, *replaced, *(seat for seat, count in enumerate(self.defaults) if count)))

    def replaced_share(self, seat: int) -> float:
        """Return the share of a seat's answers that default actions replaced; 1 for a forfeit or another player."""
        if seat not in self.defaulting_seats:
            return 0.0
        if not self.defaults[seat]:
            return 1.0
        answers = sum(turn.seat == seat and turn.action is not None for turn in self.turns)
        return 1.0 if self.forfeit == seat else min(self.defaults[seat] / max(answers, 1), 1.0)

    def match_id(self) -> str:
        """Return the hash of game, version, parameters, options, seed and players: 16 hexadecimal digits."""
        return match_id(self.game, self.versions["rules"], self.params, self.options, self.seed, self.players)

    def to_json(self) -> str:
        """Format the record as one line of ASCII JSON."""
        return _json_line(self._to_plain())

    def _repr_html_(self) -> str:
        """The match in a notebook: who did what, and what they earned."""
        moves = ((one.round, self.players[one.seat], _json_line(one.action or {})) for one in self.turns)
        rows = (f"<tr>{''.join(f'<td>{escape(str(cell))}</td>' for cell in row)}</tr>" for row in moves)
        earned = zip(self.players, self.displayed_payoffs, strict=True)
        ends = ", ".join(f"{player}: {payoff:,.6g}" for player, payoff in earned)
        return f"<p>{escape(f'{self.game}, {self.status}. {ends}')}</p><table>{''.join(rows)}</table>"

    def fields(self) -> dict[str, Any]:
        """Return all attributes by name, in order."""
        return {name: getattr(self, name) for name in self.__dataclass_fields__}

    def _to_plain(self) -> dict[str, Any]:
        turns = [turn.fields() for turn in self.turns]
        given = {**self.fields(), "turns": turns}
        for name in OPTIONAL_FIELDS:
            if given[name] is None:
                del given[name]
        return given

    def lines_with_seeds(self, seeds: Iterable[int]) -> Iterator[str]:
        """Yield the lines of a match that does not depend on the seed, for other seeds.

        Lines differ only in ``seed`` and ``id``; ``seconds`` are those of the match that was played.
        """
        given = list(self._to_plain().items())
        seed, id = (place for place, (name, _) in enumerate(given) if name in ("seed", "id"))
        # Everything but the two fields is formatted once.
        parts = (_json_line(dict(part))[1:-1] for part in (given[:seed], given[seed + 1 : id], given[id + 1 :]))
        head, between, tail = parts
        ids = match_ids(self.game, self.versions["rules"], self.params, self.options, self.players)
        end = f",{tail}}}" if tail else "}"
        for one in seeds:
            yield f'{{{head},"seed":{one},{between},"id":"{ids(one)}"{end}'

    @classmethod
    def from_json(cls, line: str) -> Record:
        """Parse a line.

        Raises:
            ValueError: Not a record of this format.
        """
        check_type("line", line, (str, bytes), "the JSON line of a record")
        try:
            given = parse_json(line)
        except ValueError as error:
            raise ValueError(f"not a JSON line ({error})") from None
        if not isinstance(given, dict):
            raise ValueError("not a JSON object")
        check_format("the record", given.get("format"), FORMAT)
        try:
            check_shape(given)
            find_game(given["game"])  # refuses an unknown game
            return cls(**{**given, "turns": [Turn(**turn) for turn in given["turns"]]})
        except (TypeError, ValueError) as error:
            raise ValueError(f"not a record: {error}") from None


def _json_line(given: dict[str, Any]) -> str:
    return json.dumps(given, ensure_ascii=True, allow_nan=False, separators=(",", ":"))


def none_if_nan(value: float) -> float | None:
    """Convert a metric to a float, NaN to None."""
    return None if math.isnan(value) else float(value)


@check_arguments
def match_id(
    game: str, version: int, params: Mapping[str, Any], options: Mapping[str, Any], seed: int, players: Sequence[str]
) -> str:
    """See `Record.match_id`."""
    return match_ids(game, version, params, options, players)(seed)


def match_ids(
    game: str, version: int, params: Mapping[str, Any], options: Mapping[str, Any], players: Sequence[str]
) -> Callable[[int], str]:
    """Return `match_id` by seed, for matches that differ only in the seed."""
    # The text of the list [game, version, params, options, seed, players], of which only the seed varies.
    head = _compact_json([game, version, to_plain(params), to_plain(options)])[:-1]
    tail = _compact_json([identity(spec) for spec in players])
    return lambda seed: hashlib.sha256(f"{head},{_compact_json(seed)},{tail}]".encode()).hexdigest()[:16]


def _compact_json(value: Any) -> str:
    return json.dumps(value, sort_keys=True, separators=(",", ":"))


class RecordFile:
    """Append-only record file.

    A torn last line is moved to ``FILE.torn`` when the file is opened.

    Args:
        path: File; created with its folders if missing.

    Raises:
        ValueError: The file contains other data, or is compressed.
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
            raise ValueError(f"{escape_name(self.path)} contains data other than records; choose another file")
        with open_file(self.path) as file:
            tail = _last_line(file)
        # Only the line break is missing. Other text is half a record of a process that was stopped.
        if _is_record(tail):
            append_file(self.path, b"\n")
        elif tail:
            append_file(f"{self.path}.torn", tail + b"\n")
            os.truncate(self.path, self.path.stat().st_size - len(tail))

    def append(self, record: Record) -> None:
        """Append a record; processes can share the file."""
        append_file(self.path, record.to_json() + "\n")

    def ids(self) -> set[str]:
        """Return the ids of the recorded matches."""
        return {record.id for record in read_record_file(self.path)} if self.path.exists() else set()


def _last_line(file: BinaryIO) -> bytes:
    """Return the text after the last line break without reading the whole file."""
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


@check_arguments
def read_record_file(path: str | Path) -> Iterator[Record]:
    """Yield the records of a file in order.

    Raises:
        ValueError: Invalid line; the message names file and line.
        FileNotFoundError: No such file.
    """
    for number, line in read_lines(check_path("path", path)):
        try:
            yield Record.from_json(line.decode())
        except ValueError as error:
            raise ValueError(f"{path}, line {number}: {error}") from None
