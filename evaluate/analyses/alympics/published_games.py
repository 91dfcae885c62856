"""Games from elsewhere that stand beside the matches of an experiment: ALYMPICS' published ones, or records."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

from econzoo.envs.core.plurals import many
from econzoo.envs.core.record.record import Record
from econzoo.evaluate.analyses.alympics.days import WATER
from econzoo.evaluate.analyses.alympics.water_games import GAMES, WaterGame, of_published, of_record
from econzoo.evaluate.analyses.description import Setting, whos
from econzoo.evaluate.formats.alympics.checking import check
from econzoo.evaluate.formats.alympics.published import find_published, read_published
from econzoo.evaluate.run.folder import read_folder
from econzoo.evaluate.run.importing import UnusableError
from econzoo.evaluate.run.replay import misplayed

RECORDS = ".jsonl"

WHO = "the language model that played the games in these files, in every seat; the files do not name it"
"""Who the line-up of published games is."""


class Beside(NamedTuple):
    """What stands beside the own matches.

    Attributes:
        paper: Whether the paper's numbers do.
        games: From elsewhere.
        problems: What of these was left out, in sentences.
        notes: What of these is not as the rules have it, in sentences.
        settings: In which they were played.
        players: What tables call each of their players, and who that is.
    """

    paper: bool = True
    games: tuple[WaterGame, ...] = ()
    problems: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    settings: tuple[Setting, ...] = ()
    players: Mapping[str, str] = MappingProxyType({})


def read_beside(paths: Sequence[Path], paper: bool = True) -> Beside:
    """Games of water_allocation from files.

    Args:
        paths: Published games (a file, or a folder or an archive of them), which count as they are printed; or records
            (a file ``*.jsonl``, or a folder with such files), which are replayed.
        paper: See `Beside`.

    Raises:
        FileNotFoundError: No such file or folder, or nothing of the kind in it.
        ValueError: An archive cannot be read, or none of the games can be used.
    """
    read = [_recorded(path) if _is_records(path) else _published(path) for path in paths]
    for path, one in zip(paths, read, strict=True):
        if not one.games:
            raise ValueError(f"{path} has no finished game of {WATER}{f': {one.problems[0]}' if one.problems else ''}")
    return Beside(
        paper,
        tuple(game for one in read for game in one.games),
        tuple(line for one in read for line in one.problems),
        tuple(line for one in read for line in one.notes),
        tuple(setting for one in read for setting in one.settings),
        {who: told for one in read for who, told in one.players.items()},
    )


def _is_records(path: Path) -> bool:
    return any(path.glob(f"*{RECORDS}")) if path.is_dir() else path.suffix == RECORDS


def _recorded(path: Path) -> Beside:
    records, bad = read_folder(path, misplayed)
    used = [one for one in records if one.game == WATER and one.status == "finished"]
    games = tuple(map(of_record, used))
    rest, odd = len(records) - len(games), sum("differences" in (one.source or {}) for one in records)
    left_out = [f"{path}: {many(rest, 'match')} of other games or without an end: left out of the numbers"]
    by_rules = [f"{path}: in {many(odd, 'published game')} what counts is the outcome of the bids by the rules"]
    where = tuple(
        Setting(game.setting, one.params, one.options, _briefs(one, game.names))
        for one, game in zip(used, games, strict=True)
    )
    who = {name: spec for one in used for name, spec in zip(one.labels, one.players, strict=True)}
    problems = (*map(str, bad), *left_out[: bool(rest)])
    return Beside(True, games, problems, tuple(by_rules[: bool(odd)]), where, whos(who, WATER))


def _briefs(record: Record, names: Sequence[str]) -> dict[str, str]:
    """What each resident of an imported game was told."""
    return dict(zip(names, (record.source or {}).get("rules", ()), strict=False))


def _published(path: Path) -> Beside:
    games, problems, notes, where = [], [], [], []
    for at, file in enumerate(find_published(path), start=1):
        try:
            game = read_published(file)
            checked = check(game)
        except UnusableError as error:
            problems.append(f"{file}: {error}: left out of the numbers")
            continue
        games.append(of_published(game, at))
        where.append(Setting(games[-1].setting, game.params, {}, dict(zip(game.names, game.briefs, strict=True))))
        if checked.odd_days:
            notes.append(f"{file} counts as printed, which is not as the rules have it: {checked.told_days}")
    return Beside(True, tuple(games), tuple(problems), tuple(notes), tuple(where), {GAMES: WHO})
