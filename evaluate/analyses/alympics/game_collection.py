"""Games of water_allocation for an analysis: recorded matches, and ALYMPICS' published games."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

from econzoo.envs.core.files import escape_name
from econzoo.envs.core.plurals import format_count
from econzoo.envs.core.record.lines import is_record_file, record_paths
from econzoo.envs.core.record.record import Record
from econzoo.envs.core.record.spec import identity
from econzoo.evaluate.analyses.alympics.days import WATER
from econzoo.evaluate.analyses.alympics.water_games import (
    PUBLISHED_LINEUP,
    WaterGame,
    game_from_published,
    game_from_record,
)
from econzoo.evaluate.analyses.description import PlayedSetting, describe_players
from econzoo.evaluate.formats.alympics.checking import check
from econzoo.evaluate.formats.alympics.importing import PERSON, TABLE, read_game
from econzoo.evaluate.formats.alympics.published import find_published_games
from econzoo.evaluate.run.design import Design
from econzoo.evaluate.run.importing import NotImportableError
from econzoo.evaluate.run.records import ALL, Records, read_records

PUBLISHED_PLAYER = "the language model that played the games in these files, in every seat; the files do not name it"
"""Who the line-up of published games is."""

TABLE_PLAYERS = "people, whose games are told by tables of their days"
"""Who the line-up of such games is."""


class GameCollection(NamedTuple):
    """Games, and what is to be said of them.

    Attributes:
        games: Those that can be used.
        problems: What was left out, in sentences.
        notes: What is not as the rules have it, in sentences.
        settings: In which they were played.
        players: What tables call each of their players, and who that is.
    """

    games: tuple[WaterGame, ...] = ()
    problems: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    settings: tuple[PlayedSetting, ...] = ()
    players: Mapping[str, str] = MappingProxyType({})


def merge_collections(parts: Sequence[GameCollection]) -> GameCollection:
    """All of several, one after the other."""
    return GameCollection(
        tuple(game for one in parts for game in one.games),
        tuple(line for one in parts for line in one.problems),
        tuple(line for one in parts for line in one.notes),
        tuple(setting for one in parts for setting in one.settings),
        {who: told for one in parts for who, told in one.players.items()},
    )


def read_games(paths: Iterable[str | Path]) -> GameCollection:
    """Games from files.

    Args:
        paths: Published games (a file, or a folder or an archive of them), which count as they are printed; or records
            (a file ``*.jsonl`` or ``*.jsonl.gz``, or a folder with such files), which are replayed.

    Raises:
        FileNotFoundError: No such file or folder, or nothing of the kind in it.
        ValueError: An archive cannot be read, or none of the games can be used.
    """
    parts = []
    for path in map(Path, paths):
        one = collect_records(read_records(path, ALL), str(path)) if _is_records(path) else _read_published(path)
        if not one.games:
            raise ValueError(f"{path} has no finished game of {WATER}{f': {one.problems[0]}' if one.problems else ''}")
        parts.append(one)
    return merge_collections(parts)


def _is_records(path: Path) -> bool:
    return bool(record_paths(path)) if path.is_dir() else is_record_file(path)


def collect_records(records: Records, folder_name: str, design: Design | None = None) -> GameCollection:
    """The matches that came to their end; in the order of a design, if there is one.

    Args:
        records: That were replayed.
        folder_name: What sentences call the folder.
        design: Has the names and the order of settings and line-ups.
    """
    used = sort_by_design(design, [one for one in records if one.game == WATER and one.status == "finished"])
    games = tuple([game_from_record(one, design) for one in used])
    odd = sum("differences" in (one.source or {}) for one in used)
    by_rules = [
        f"{folder_name}: in {format_count(odd, 'published game')} what counts is the outcome of the bids by the rules"
    ]
    where = tuple(
        PlayedSetting(game.setting, one.params, one.options, _briefs(one, game.names))
        for one, game in zip(used, games, strict=True)
    )
    who = {name: spec for one in used for name, spec in zip(one.labels, one.players, strict=True)}
    problems = (*map(str, records.unreadable), *describe_excluded(records, (WATER,)))
    return GameCollection(games, problems, tuple(by_rules[: bool(odd)]), where, describe_players(who, WATER))


def describe_excluded(records: Iterable[Record], games: Sequence[str]) -> list[str]:
    """One sentence for every way in which matches did not come to their end, and for those of other games."""
    early = Counter(
        one.status if one.game in games else f"of {one.game}"
        for one in records
        if one.status != "finished" or one.game not in games
    )
    return [f"{format_count(count, 'match')} {how}: left out of the numbers" for how, count in early.items()]


def sort_by_design(design: Design | None, records: Iterable[Record]) -> list[Record]:
    """The records in the order of a design's line-ups, settings and seeds, if there is one."""
    if design is None:
        return list(records)
    seatings = {tuple(map(identity, players)): at for at, players in enumerate(design.seatings())}
    settings = {market.name: at for at, market in enumerate(design.settings)}

    def place(record: Record) -> tuple[int, int, int]:
        lineup, setting = tuple(map(identity, record.players)), design.setting_name(record.params) or ""
        return seatings.get(lineup, len(seatings)), settings.get(setting, len(settings)), record.seed

    return sorted(records, key=place)


def _briefs(record: Record, names: Sequence[str]) -> dict[str, str]:
    """What each resident of an imported game was told."""
    return dict(zip(names, (record.source or {}).get("rules", ()), strict=False))


def _read_published(path: Path) -> GameCollection:
    games, problems, notes, where = [], [], [], []
    who, told = (PERSON, TABLE_PLAYERS) if path.suffix.lower() == TABLE else (PUBLISHED_LINEUP, PUBLISHED_PLAYER)
    for at, file in enumerate(find_published_games(path), start=1):
        try:
            game = read_game(file)
            checked = check(game)
        except NotImportableError as error:
            problems.append(f"{escape_name(file)}: {error}: left out of the numbers")
            continue
        games.append(game_from_published(game, at, who))
        where.append(PlayedSetting(games[-1].setting, game.params, {}, dict(zip(game.names, game.briefs, strict=True))))
        if checked.days_with_differences:
            notes.append(
                f"{escape_name(file)} counts as printed, which is not as the rules have it: {checked.days_text}"
            )
    return GameCollection(tuple(games), tuple(problems), tuple(notes), tuple(where), {who: told})
