"""Games of water_allocation for an analysis: recorded matches, and ALYMPICS' published games."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

from econzoo.envs.core.files import escape_name
from econzoo.envs.core.plurals import many
from econzoo.envs.core.record.lines import is_records, record_paths
from econzoo.envs.core.record.record import Record
from econzoo.envs.core.record.spec import identity
from econzoo.evaluate.analyses.alympics.days import WATER
from econzoo.evaluate.analyses.alympics.water_games import GAMES, WaterGame, of_published, of_record
from econzoo.evaluate.analyses.description import Setting, whos
from econzoo.evaluate.formats.alympics.checking import check
from econzoo.evaluate.formats.alympics.importing import PERSON, TABLE, read_game
from econzoo.evaluate.formats.alympics.published import find_published
from econzoo.evaluate.run.design import Design
from econzoo.evaluate.run.importing import UnusableError
from econzoo.evaluate.run.records import ALL, Records, read_records

WHO = "the language model that played the games in these files, in every seat; the files do not name it"
"""Who the line-up of published games is."""

PEOPLE = "people, whose games are told by tables of their days"
"""Who the line-up of such games is."""


class Gathered(NamedTuple):
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
    settings: tuple[Setting, ...] = ()
    players: Mapping[str, str] = MappingProxyType({})


def together(parts: Sequence[Gathered]) -> Gathered:
    """All of several, one after the other."""
    return Gathered(
        tuple(game for one in parts for game in one.games),
        tuple(line for one in parts for line in one.problems),
        tuple(line for one in parts for line in one.notes),
        tuple(setting for one in parts for setting in one.settings),
        {who: told for one in parts for who, told in one.players.items()},
    )


def read_games(paths: Iterable[str | Path]) -> Gathered:
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
        one = of_records(read_records(path, ALL), str(path)) if _is_records(path) else _published(path)
        if not one.games:
            raise ValueError(f"{path} has no finished game of {WATER}{f': {one.problems[0]}' if one.problems else ''}")
        parts.append(one)
    return together(parts)


def _is_records(path: Path) -> bool:
    return bool(record_paths(path)) if path.is_dir() else is_records(path)


def of_records(records: Records, place: str, design: Design | None = None) -> Gathered:
    """The matches that came to their end; in the order of a design, if there is one.

    Args:
        records: That were replayed.
        place: What sentences call the folder.
        design: Has the names and the order of settings and line-ups.
    """
    used = ordered(design, [one for one in records if one.game == WATER and one.status == "finished"])
    games = tuple([of_record(one, design) for one in used])
    odd = sum("differences" in (one.source or {}) for one in used)
    by_rules = [f"{place}: in {many(odd, 'published game')} what counts is the outcome of the bids by the rules"]
    where = tuple(
        Setting(game.setting, one.params, one.options, _briefs(one, game.names))
        for one, game in zip(used, games, strict=True)
    )
    who = {name: spec for one in used for name, spec in zip(one.labels, one.players, strict=True)}
    problems = (*map(str, records.unreadable), *left_out(records, (WATER,)))
    return Gathered(games, problems, tuple(by_rules[: bool(odd)]), where, whos(who, WATER))


def left_out(records: Iterable[Record], games: Sequence[str]) -> list[str]:
    """One sentence for every way in which matches did not come to their end, and for those of other games."""
    early = Counter(
        one.status if one.game in games else f"of {one.game}"
        for one in records
        if one.status != "finished" or one.game not in games
    )
    return [f"{many(count, 'match')} {how}: left out of the numbers" for how, count in early.items()]


def ordered(design: Design | None, records: Iterable[Record]) -> list[Record]:
    """The records in the order of a design's line-ups, settings and seeds, if there is one."""
    if design is None:
        return list(records)
    seatings = {tuple(map(identity, players)): at for at, players in enumerate(design.seatings())}
    settings = {market.name: at for at, market in enumerate(design.markets)}

    def place(record: Record) -> tuple[int, int, int]:
        lineup, setting = tuple(map(identity, record.players)), design.market_of(record.params) or ""
        return seatings.get(lineup, len(seatings)), settings.get(setting, len(settings)), record.seed

    return sorted(records, key=place)


def _briefs(record: Record, names: Sequence[str]) -> dict[str, str]:
    """What each resident of an imported game was told."""
    return dict(zip(names, (record.source or {}).get("rules", ()), strict=False))


def _published(path: Path) -> Gathered:
    games, problems, notes, where = [], [], [], []
    who, told = (PERSON, PEOPLE) if path.suffix.lower() == TABLE else (GAMES, WHO)
    for at, file in enumerate(find_published(path), start=1):
        try:
            game = read_game(file)
            checked = check(game)
        except UnusableError as error:
            problems.append(f"{escape_name(file)}: {error}: left out of the numbers")
            continue
        games.append(of_published(game, at, who))
        where.append(Setting(games[-1].setting, game.params, {}, dict(zip(game.names, game.briefs, strict=True))))
        if checked.odd_days:
            notes.append(
                f"{escape_name(file)} counts as printed, which is not as the rules have it: {checked.told_days}"
            )
    return Gathered(tuple(games), tuple(problems), tuple(notes), tuple(where), {who: told})
