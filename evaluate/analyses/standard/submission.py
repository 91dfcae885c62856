"""Submissions to the leaderboard of ``standard``: folders of its runs, of which every match is replayed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from econzoo.envs.command_line import CONFIG_FILE
from econzoo.envs.core import format_count, read_text, reason
from econzoo.envs.core.contract import parse_toml, short_repr
from econzoo.envs.core.record import Record, record_paths
from econzoo.evaluate.analyses.standard.declaration import Entrant, designs, entrant, standard
from econzoo.evaluate.run import DuplicateRecords, EnvPool, FailedMatch, ask_again, find_broken_seal, lost_matches
from econzoo.evaluate.run import read_folder, read_provenance, read_run_start, record_files, replay_error

ABOUT = "submission.toml"
"""Optional file of a submission with texts about it."""

MAX_LENGTH = 300
"""Maximum characters of a text about a submission."""


class About(NamedTuple):
    """Texts about a submission, all optional.

    Attributes:
        name: Who submits.
        link: Address of a page, ``https://`` or ``http://``.
    """

    name: str = ""
    contact: str = ""
    link: str = ""
    note: str = ""


class Submission(NamedTuple):
    """A submitted folder.

    Attributes:
        entrants: Its players; empty if they could not be read.
        about: Texts about it.
        refusal: Why it does not count; empty: every match is there once, and replays.
        asked: Number of decisions of scripts that were computed again.
    """

    folder: Path
    entrants: tuple[Entrant, ...] = ()
    about: About = About()
    refusal: str = ""
    asked: int = 0

    @property
    def date(self) -> str:
        """Day of its last run (UTC), as submitted; empty if unknown."""
        starts = [start.at for path in self._game_folders if (start := read_run_start(path))]
        try:
            return datetime.fromtimestamp(max(starts), UTC).date().isoformat()
        except (ValueError, OverflowError, OSError):
            return ""

    @property
    def versions(self) -> list[str]:
        """Versions and commits of the package that played it, as submitted."""
        made = [one for path in self._game_folders for one in read_provenance(path)]
        return [*dict.fromkeys(f"{one.version} {one.commit}".strip() for one in made)]

    @property
    def _game_folders(self) -> list[Path]:
        return [self.folder / name for name in standard().games]


def submission_folders(folder: Path) -> list[Path]:
    """Return the folders with options or records of a run in a folder."""
    inside = sorted(path for path in folder.iterdir() if path.is_dir()) if folder.is_dir() else []
    found = [path for path in inside if (path / CONFIG_FILE).exists() or record_paths(path, "records", recursive=True)]
    if not found:
        expected = f"a folder of submissions, each the output folder of econzoo run {standard().name.split('-')[0]}"
        raise FileNotFoundError(f"no submissions in {folder}: expected {expected}")
    return found


def check_submission(folder: Path, pool: EnvPool, advance: Callable[[int], None] = lambda count: None) -> Submission:
    """Read a submission and replay its matches.

    Args:
        advance: Called with the number of matches done.
    """
    found = Submission(folder)
    try:
        found = found._replace(about=_read_about(folder / ABOUT))
        found = found._replace(entrants=tuple(_read_entrants(folder / CONFIG_FILE)))
        return found._replace(asked=_check_matches(found, pool, advance))
    except (ValueError, OSError) as error:
        return found._replace(refusal=reason(error))


def _read_about(path: Path) -> About:
    given = parse_toml(read_text(path)) if path.exists() else {}
    for key, value in given.items():
        if key not in About._fields:
            raise ValueError(f"{ABOUT}: unknown key {short_repr(key)}: expected {', '.join(About._fields)}")
        if not isinstance(value, str) or len(value) > MAX_LENGTH:
            raise ValueError(f"{ABOUT}: invalid {key}={short_repr(value)}: expected at most {MAX_LENGTH} characters")
    about = About(**given)
    if about.link and not about.link.startswith(("https://", "http://")):
        raise ValueError(f"{ABOUT}: invalid link={short_repr(about.link)}: expected https://...")
    return about


def _read_entrants(path: Path) -> Iterator[Entrant]:
    known = standard()
    if not path.exists():
        raise ValueError(f"no {path.name}: expected the output folder of econzoo run standard")
    given = parse_toml(read_text(path))
    if given.get("run") != "standard":
        raise ValueError(f"another suite: {path.name} has run={short_repr(given.get('run'))}, expected 'standard'")
    players, seeds = given.get("players"), given.get("seeds", known.seeds)
    if not isinstance(players, list) or not players or not all(isinstance(one, str) for one in players):
        raise ValueError(f"invalid players={short_repr(players)} in {path.name}: expected a list of players")
    if seeds != known.seeds:
        raise ValueError(f"{short_repr(seeds)} of {known.seeds} seeds were played: expected all")
    yield from map(entrant, dict.fromkeys(players))


def _check_matches(found: Submission, pool: EnvPool, advance: Callable[[int], None]) -> int:
    """Raise `ValueError` unless the folder has exactly the planned matches, all of which replay; return `asked`."""
    planned, asked = designs(found.entrants), 0
    places = {found.folder / name for name in planned}
    if others := [path for path in record_paths(found.folder, "records", recursive=True) if path.parent not in places]:
        raise ValueError(f"surplus records: {others[0].relative_to(found.folder)}")

    def problem(record: Record) -> str | None:
        nonlocal asked
        advance(1)
        if record.source is not None:
            return "an imported match"
        if why := replay_error(record, pool):
            return why
        # Replay takes answers as given; those of scripts follow from the seed. Nothing that a spec names is opened.
        given = {spec for spec in record.players if ":" in spec}
        again = ask_again(record, pool, given)
        asked += again.answers
        if again.problems:
            return f"a player answers otherwise: {again.problems[0]}"
        left_out = [*{*again.skipped_players} - given]
        return f"{left_out[0]} could not be asked again" if left_out else None

    for name, design in planned.items():
        ids, repeats = {id for _, id in design.matches_with_ids()}, DuplicateRecords()
        folder = found.folder / name
        if not folder.exists():
            raise ValueError(f"{name}: {format_count(len(ids), 'match')} of {len(ids):,} missing")
        for path in record_files(folder):
            for line, broken in find_broken_seal(path):
                raise ValueError(f"{name}, line {line}: {broken}")
        records, unreadable = read_folder(folder, problem, repeats)
        for one in unreadable:
            if not isinstance(one, FailedMatch):
                raise ValueError(f"{name}, line {one.line}: {one.reason}")
        _check_ids(name, ids, [one.id for one in records], {one.id for one in lost_matches(records, unreadable)})
        if doubled := repeats.counts.total():
            raise ValueError(f"{name}: {format_count(doubled, 'match')} recorded twice")
    return asked


def _check_ids(game: str, planned: set[str], played: list[str], failed: set[str]) -> None:
    if surplus := {*played, *failed} - planned:
        # The id is a hash of version, setting, seed and players.
        raise ValueError(f"{game}: {format_count(len(surplus), 'match')} not of the benchmark, such as {min(surplus)}")
    if missing := planned - {*played, *failed}:
        count = f"{format_count(len(missing), 'match')} of {len(planned):,} missing"
        raise ValueError(f"{game}: {count}, such as {min(missing)}")
