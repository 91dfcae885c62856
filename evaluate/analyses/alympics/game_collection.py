"""Games of water_allocation for an analysis: recorded matches, and ALYMPICS' published games."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

from econzoo.envs.core import escape_name, format_count
from econzoo.envs.core.record import Record, identity, is_record_file, record_paths
from econzoo.evaluate.analyses import PlayedSetting, describe_players
from econzoo.evaluate.analyses.alympics.days import WATER
from econzoo.evaluate.analyses.alympics.water_games import PUBLISHED_LINEUP, WaterGame, game_from_published
from econzoo.evaluate.analyses.alympics.water_games import game_from_record
from econzoo.evaluate.formats.alympics import PERSON, TABLE, check, find_published_games, read_game
from econzoo.evaluate.run import ALL, Design, NotImportableError, Records, read_records

PUBLISHED_PLAYER = "the language model of the published games, in every seat; the files do not name it"
"""Description of the line-up of published games."""

TABLE_PLAYERS = "people; their games are read from tables of days"
"""Description of the line-up of games from tables of days."""


class GameCollection(NamedTuple):
    """Games, with problems and notes.

    Attributes:
        problems: Descriptions of what was left out.
        notes: Descriptions of deviations from the rules.
        players: Label of each player to its description.
    """

    games: tuple[WaterGame, ...] = ()
    problems: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    settings: tuple[PlayedSetting, ...] = ()
    players: Mapping[str, str] = MappingProxyType({})


def merge_collections(parts: Sequence[GameCollection]) -> GameCollection:
    return GameCollection(
        tuple(game for one in parts for game in one.games),
        tuple(line for one in parts for line in one.problems),
        tuple(line for one in parts for line in one.notes),
        tuple(setting for one in parts for setting in one.settings),
        {label: text for one in parts for label, text in one.players.items()},
    )


def read_games(paths: Iterable[str | Path]) -> GameCollection:
    """Read games from files: published games are used as printed, records are replayed."""
    parts = []
    for path in map(Path, paths):
        one = collect_records(read_records(path, ALL), str(path)) if _is_records(path) else _read_published(path)
        if not one.games:
            raise ValueError(f"no finished game of {WATER} in {path}{f': {one.problems[0]}' if one.problems else ''}")
        parts.append(one)
    return merge_collections(parts)


def _is_records(path: Path) -> bool:
    return bool(record_paths(path)) if path.is_dir() else is_record_file(path)


def collect_records(records: Records, folder_name: str, design: Design | None = None) -> GameCollection:
    """Collect the finished matches, in the order of the design, if given."""
    used = sort_by_design(design, [one for one in records if one.game == WATER and one.status == "finished"])
    games = tuple([game_from_record(one, design) for one in used])
    # A game that was imported in spite of days that violate the rules: a replay has the outcomes of the rules instead.
    deviating = sum("differences" in (one.source or {}) for one in used)
    notes = [f"{folder_name}: outcomes of {format_count(deviating, 'published game')} are recomputed by the rules"]
    settings = tuple(
        PlayedSetting(game.setting, one.params, one.options, _briefs(one, game.names))
        for one, game in zip(used, games, strict=True)
    )
    specs = {name: spec for one in used for name, spec in zip(one.labels, one.players, strict=True)}
    problems = (*map(str, records.unreadable), *describe_excluded(records, (WATER,)))
    return GameCollection(games, problems, tuple(notes[: bool(deviating)]), settings, describe_players(specs, WATER))


def describe_excluded(records: Iterable[Record], games: Sequence[str]) -> list[str]:
    """Describe unfinished matches by status, and those of other games."""
    excluded = Counter(
        one.status if one.game in games else f"of {one.game}"
        for one in records
        if one.status != "finished" or one.game not in games
    )
    return [f"{format_count(count, 'match')} {reason}: left out" for reason, count in excluded.items()]


def sort_by_design(design: Design | None, records: Iterable[Record]) -> list[Record]:
    """Sort records by line-up, setting and seed in the order of a design, if given."""
    if design is None:
        return list(records)
    seatings = {tuple(map(identity, players)): at for at, players in enumerate(design.seatings())}
    settings = {setting.name: at for at, setting in enumerate(design.settings)}

    def place(record: Record) -> tuple[int, int, int]:
        lineup, setting = tuple(map(identity, record.players)), design.setting_name(record.params) or ""
        # Line-ups and settings that the design does not have come last.
        return seatings.get(lineup, len(seatings)), settings.get(setting, len(settings)), record.seed

    return sorted(records, key=place)


def _briefs(record: Record, names: Sequence[str]) -> dict[str, str]:
    """Rules text of each resident of an imported game."""
    return dict(zip(names, (record.source or {}).get("rules", ()), strict=False))


def _read_published(path: Path) -> GameCollection:
    games, problems, notes, settings = [], [], [], []
    label, text = (PERSON, TABLE_PLAYERS) if path.suffix.lower() == TABLE else (PUBLISHED_LINEUP, PUBLISHED_PLAYER)
    # Invalid files count, so that the number of a game does not depend on which others can be read.
    for at, file in enumerate(find_published_games(path), start=1):
        try:
            game = read_game(file)
            checked = check(game)
        except NotImportableError as error:
            problems.append(f"{escape_name(file)}: {error}: left out")
            continue
        games.append(game_from_published(game, at, label))
        briefs = dict(zip(game.names, game.briefs, strict=True))
        settings.append(PlayedSetting(games[-1].setting, game.params, {}, briefs))
        if checked.days_with_differences:
            notes.append(f"{escape_name(file)} is used as printed and deviates from the rules: {checked.days_text}")
    return GameCollection(tuple(games), tuple(problems), tuple(notes), tuple(settings), {label: text})
