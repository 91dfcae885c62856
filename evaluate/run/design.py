"""Tournament designs: the matches of a run, written to ``manifest.json`` beside the records."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from econzoo.baselines.factory import check_names, refuse_people
from econzoo.baselines.presets import expand_preset
from econzoo.envs.core.contract.game import Game
from econzoo.envs.core.contract.objectives import OBJECTIVE, SELF_GAIN
from econzoo.envs.core.contract.parameters import check_value
from econzoo.envs.core.contract.streams import setting_parameters
from econzoo.envs.core.contract.validation import check_list, check_path, parse_json, short_repr, unknown_name
from econzoo.envs.core.env.options import RECORDED_OPTIONS
from econzoo.envs.core.files import LARGE_FILE_BYTES, check_format, read_text, write_file
from econzoo.envs.core.record.provenance import Provenance, current_provenance, distinct_provenance
from econzoo.envs.core.record.spec import identity, split_name
from econzoo.envs.core.record.values import to_plain
from econzoo.envs.core.registry import game as find_game
from econzoo.evaluate.run.fingerprint import fingerprints
from econzoo.evaluate.run.folder import MANIFEST, RunStart, read_provenance, start_run_now
from econzoo.evaluate.run.sampling import Sampling, sample_schedule
from econzoo.evaluate.run.seatings import check_all_seated, check_lineups, pairs
from econzoo.evaluate.run.settings import DEFAULT, Setting, resolve_settings
from econzoo.evaluate.run.table import Match, check_seed, new_match
from econzoo.evaluate.run.writer import check_folder

__all__ = ["Design", "new_design"]

FORMAT = 1
"""Version of the format of the manifest."""

MAX_SEEDS = 1_000_000
"""Maximum number of seeds, since all matches are held in memory."""


@dataclass(frozen=True)
class Design:
    """All matches of a tournament, from a few lists.

    Every pair meets in every setting with every seed: the same seeds for all pairs (common random numbers), and
    each player of a pair in every seat that it can take.

    Attributes:
        game: Name of the game.
        players: Specs of the players to compare.
        settings: Settings to play.
        seeds: Seeds of the matches in each setting.
        opponents: Specs of the opponents; empty: round robin, self-play included.
        options: Recorded options of the environment.
        sampling: Plays a sample instead (see `econzoo.evaluate.run.sampling`); then `seeds` are unused, and the seed of
            a match counts the preceding matches of the same players in the same setting.
        lineups: Player per seat, instead of all pairs in all seats. Settings may have different numbers of seats; each
            is played by the line-ups of its size.
        objective: Spec of the objective of comparisons; it changes no match.
    """

    game: str
    players: tuple[str, ...]
    settings: tuple[Setting, ...]
    seeds: tuple[int, ...]
    opponents: tuple[str, ...] = ()
    options: dict[str, Any] = field(default_factory=dict)
    sampling: Sampling | None = None
    lineups: tuple[tuple[str, ...], ...] = ()
    objective: str = SELF_GAIN

    def __len__(self) -> int:
        if self.sampling is not None:
            return self.sampling.games * len({players[0] for players in self.seatings()})
        return len(self.seeds) * sum(map(len, self.tables()))

    def seatings(self) -> list[tuple[str, ...]]:
        """Return all seatings over the settings: the line-ups, or all pairs."""
        return list(dict.fromkeys(seating for table in self.tables() for seating in table))

    def tables(self) -> list[list[tuple[str, ...]]]:
        """Return the seatings of each setting: the line-ups of its size, or all pairs."""
        if "_tables" not in self.__dict__:
            counts = seat_counts(find_game(self.game), self.settings)
            by_count = {seats: self._seatings_of_size(seats) for seats in counts}
            self.__dict__["_tables"] = [by_count[seats] for seats in counts]
        return self.__dict__["_tables"]

    def _seatings_of_size(self, seats: int) -> list[tuple[str, ...]]:
        if self.lineups:
            return [lineup for lineup in self.lineups if len(lineup) == seats]
        return pairs(self.players, self.opponents or self.players, self.game, seats)

    def matches(self) -> Iterator[Match]:
        """Yield every match, seed by seed, so that an interrupted run covers every pair and setting."""
        tables = self.tables()
        settings = [{**self.options, **setting.params} for setting in self.settings]
        first = [new_match(self.game, table[0], 0, **one) for table, one in zip(tables, settings, strict=True)]
        if self.sampling is not None:
            draws = sample_schedule(self.sampling, self.seatings(), len(first))
            yield from (first[one.setting]._replace(players=one.players, seed=one.repeat) for one in draws)
            return
        for seed in self.seeds:
            for match, table in zip(first, tables, strict=True):
                yield from (match._replace(players=players, seed=seed) for players in table)

    def matches_with_ids(self) -> Iterator[tuple[Match, str]]:
        """Yield every match with its id, much faster than `Match.id`."""
        ids: dict[tuple[int, tuple[str, ...]], Callable[[int], str]] = {}
        for match in self.matches():
            key = id(match.params), match.players
            if key not in ids:
                ids[key] = match.ids()
            yield match, ids[key](match.seed)

    def names(self) -> list[str]:
        """Return every spec once."""
        return list(dict.fromkeys([*self.players, *self.opponents]))

    def setting_name(self, params: Mapping[str, Any]) -> str | None:
        """Return the name of the setting with these complete public parameters."""
        exact, alike = self._setting_keys(params)
        return self._setting_names.get(exact) or self._setting_names.get(alike)

    @cached_property
    def _setting_names(self) -> dict[str, str]:
        names: dict[str, str] = {}
        for setting in self.settings:
            exact, alike = self._setting_keys(find_game(self.game).params(**setting.params)[0])
            names = {alike: setting.name, **names, exact: setting.name}
        return names

    def _setting_keys(self, params: Mapping[str, Any]) -> tuple[str, str]:
        """Return keys of all parameters, and of those in which settings differ."""
        exact = to_plain(params)
        alike = setting_parameters(find_game(self.game).parameters, exact)
        return json.dumps(exact, sort_keys=True), json.dumps(alike, sort_keys=True)

    def to_json(self, provenance: Iterable[Provenance] = (), run_start: RunStart | None = None) -> str:
        """Return the manifest.

        Args:
            provenance: Commands that wrote the folder, in order.
            run_start: State of the folder when the last command started.
        """
        given = {
            "format": FORMAT,
            "game": self.game,
            "versions": find_game(self.game).versions._asdict(),
            "players": list(self.players),
            "opponents": list(self.opponents),
            "settings": {setting.name: to_plain(setting.params) for setting in self.settings},
            "seeds": list(self.seeds),
            "options": to_plain(self.options),
            "sampling": None if self.sampling is None else self.sampling._asdict(),
            "lineups": [list(lineup) for lineup in self.lineups],
            "objective": self.objective,
            "fingerprints": fingerprints(self.names()),
            "provenance": [one._asdict() for one in provenance],
            **({} if run_start is None else {"run_start": run_start._asdict()}),
        }
        return json.dumps(given, indent=2) + "\n"


def seat_counts(game: Game, settings: Iterable[Setting]) -> list[int]:
    """Return the number of seats in each setting."""
    return [game.seats(game.params(**setting.params)[1]) for setting in settings]


def seat_count(game: Game, settings: Iterable[Setting]) -> int:
    """Return the number of seats, which must be the same in every setting."""
    found = set(seat_counts(game, settings))
    if len(found) != 1:
        raise ValueError(f"{game.name}: invalid settings with {found} seats: expected the same number in each")
    return found.pop()


def new_design(
    game_name: str,
    players: Sequence[str],
    settings: Iterable[str | Mapping[str, Any] | Setting] = (DEFAULT,),
    seeds: int | Iterable[int] = 10,
    opponents: Sequence[str] = (),
    sampling: Sampling | None = None,
    lineups: Sequence[Sequence[str]] = (),
    objective: str = SELF_GAIN,
    **options: Any,
) -> Design:
    """Return a validated design.

    Args:
        game_name: Name of the game, e.g. ``"bargaining"``.
        players: Specs, at least one; presets are expanded here and in all records.
        settings: Names of the game's settings, parameters, or `Setting` objects.
        seeds: The seeds, or their number: 0, 1, 2, ...
        opponents: See `Design`.
        sampling: See `Design`; not with opponents or line-ups.
        lineups: See `Design`; from the players and opponents.
        objective: See `Design`.
        **options: See `Design`.

    Raises:
        ValueError: A game, spec, setting, parameter, seed or option is invalid, or a player cannot be seated.
    """
    game = find_game(game_name)
    for name in options:
        if name not in RECORDED_OPTIONS:
            raise ValueError(unknown_name("option", name, RECORDED_OPTIONS))
    players = [expand_preset(spec) for spec in check_list("players", players, str, "a list of specs")]
    own = {split_name(spec).spec: spec for spec in players}
    others = [expand_preset(spec) for spec in check_list("opponents", opponents, str, "a list of specs")]
    opposite = tuple(dict.fromkeys(own.get(spec, spec) for spec in others))  # opponents keep players' names
    settings = resolve_settings(
        game, check_list("settings", settings, (str, Mapping, Setting), "a list of names or parameters")
    )
    seed_list = _seed_numbers(range(seeds) if isinstance(seeds, int) else seeds)
    _check_unique("setting", [setting.name for setting in settings])
    _check_unique("seed", seed_list)
    _check_unique("player", players)
    check_names([*players, *opposite], game_name)
    refuse_people((*players, *opposite), "a tournament")
    if sampling is not None and (opposite or lineups or sampling.games < 1):
        expected = "at least one game, and neither opponents nor line-ups"
        raise ValueError(f"invalid sampling={sampling!r}: expected {expected}")
    given, goal = (
        {name: value for name, value in options.items() if value is not None},
        check_value("objective", objective, OBJECTIVE),
    )
    tables = tuple(dict.fromkeys(tuple(map(expand_preset, lineup)) for lineup in lineups))
    design = Design(game_name, tuple(players), tuple(settings), seed_list, opposite, given, sampling, tables, goal)
    check_lineups(design, seat_counts(game, settings))
    check_all_seated(design)
    if sampling is not None:
        seat_count(game, settings)
    for seed in seed_list:
        check_seed(seed)
    first = new_match(game_name, design.tables()[0][0], seed_list[0], **given, **settings[0].params)
    return replace(design, options=first.options)


def _seed_numbers(seeds: Iterable[int]) -> tuple[int, ...]:
    """Return the seeds of a design as a tuple."""
    if isinstance(seeds, range) and seeds[MAX_SEEDS:]:
        raise ValueError(f"invalid seeds={short_repr(seeds)}: expected at most {MAX_SEEDS:,}")
    return tuple(check_list("seeds", seeds, int, "a number of seeds, or a list of integers"))


def _check_unique(what: str, values: Sequence[Any]) -> None:
    if not values:
        raise ValueError(f"no {what}: expected at least one")
    repeated = [value for value, count in Counter(values).items() if count > 1]
    if repeated:
        raise ValueError(f"{what} {repeated[0]!r} is repeated")


def read_design(folder: str | Path) -> Design | None:
    """Read the design of a folder, or return None if it has none.

    Raises:
        ValueError: The manifest is invalid.
    """
    path = check_path("folder", folder) / MANIFEST
    if not path.exists():
        return None
    text = read_text(path, LARGE_FILE_BYTES)
    try:
        given = parse_json(text)
        check_format("the manifest", given.get("format"), FORMAT)
        settings = tuple(Setting(name, params) for name, params in given["settings"].items())
        players, seeds, opponents = (tuple(given[key]) for key in ("players", "seeds", "opponents"))
        sampling = Sampling(**given["sampling"]) if given["sampling"] else None
        lineups = tuple(map(tuple, given["lineups"]))
        goal = check_value("objective", given["objective"], OBJECTIVE)
        return Design(given["game"], players, settings, seeds, opponents, given["options"], sampling, lineups, goal)
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise ValueError(f"{path}: invalid manifest ({error!r})") from None


def check_design(design: Design, folder: str | Path) -> None:
    """Check that a folder can take a design: an existing manifest may only be extended.

    Raises:
        ValueError: It is not a folder, or the design lacks something in its manifest; the message names it.
    """
    check_folder(folder)
    path = Path(folder) / MANIFEST
    if read_design(folder) is not None:
        removed = _describe_removed(parse_json(read_text(path, LARGE_FILE_BYTES)), json.loads(design.to_json()))
        if removed:
            raise ValueError(f"{path}: a design can only be extended, but {removed}; use another folder")


def write_design(design: Design, folder: str | Path, libraries: Iterable[str] = ()) -> None:
    """Write the manifest; see `check_design`; `libraries` are those of the players."""
    check_design(design, folder)
    provenance = distinct_provenance([*read_provenance(folder), current_provenance(*sorted({*libraries}))])
    write_file(Path(folder) / MANIFEST, design.to_json(provenance, start_run_now(folder)))


def _describe_removed(old: dict[str, Any], new: dict[str, Any]) -> str | None:
    """Describe what a new manifest lacks of an old one."""
    for key in ("game", "versions", "options"):
        if old[key] != new[key]:
            return f"{key} was {old[key]!r}, not {new[key]!r}"
    files = {identity(spec): fingerprint for spec, fingerprint in new["fingerprints"].items()}
    for spec, fingerprint in old["fingerprints"].items():
        if files.get(identity(spec), fingerprint) != fingerprint:
            return f"the file of {spec!r} has changed since its matches"
    if old["sampling"] != new["sampling"]:
        return f"sampling was {old['sampling']!r}, not {new['sampling']!r}"
    if new["sampling"] and (_identities(old["players"]), old["settings"]) != (
        _identities(new["players"]),
        new["settings"],
    ):
        return "players and settings of a sampled design must stay the same"
    if bool(old["opponents"]) != bool(new["opponents"]):
        return f"opponents was {old['opponents']!r}, not {new['opponents']!r}"
    if bool(old["lineups"]) != bool(new["lineups"]):
        return f"lineups was {old['lineups']!r}, not {new['lineups']!r}"
    for key in ("players", "opponents", "seeds", "lineups"):
        identities = _identities(new[key])
        missing = [one for one in old[key] if _identities(one) not in identities]
        if missing:
            return f"{key} lacks {missing[0]!r}"
    for name, params in old["settings"].items():
        if new["settings"].get(name) != params:
            return f"settings lacks {name!r} with its recorded parameters"
    return None


def _identities(given: Any) -> Any:
    """Reduce specs, or lists of them, to the identities of players; other values are unchanged."""
    if isinstance(given, str):
        return identity(given)
    return [_identities(one) for one in given] if isinstance(given, list) else given
