"""Tournament designs: the matches of a run, written to ``manifest.json`` beside the records."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import cycle, islice, product
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import parse_qsl

import numpy as np

from econzoo.baselines import check_names, expand_preset, player, refuse_people, scripted_name, seats_of
from econzoo.envs.core import LARGE_FILE_BYTES, check_format, file_of_player, format_count, open_file, read_text
from econzoo.envs.core import wrap_read_errors, write_file
from econzoo.envs.core import game as find_game
from econzoo.envs.core.contract import OBJECTIVE, SELF_GAIN, Game, check_list, check_path, check_value, parse_json
from econzoo.envs.core.contract import setting_parameters, short_repr, to_plain, unknown_name
from econzoo.envs.core.env import RECORDED_OPTIONS
from econzoo.envs.core.record import Provenance, current_provenance, distinct_provenance, identity, split_name
from econzoo.evaluate.run.folder import MANIFEST, RunStart, check_output_folder, read_provenance, start_run_now
from econzoo.evaluate.run.settings import DEFAULT, Setting, resolve_settings
from econzoo.evaluate.run.table import Match, check_seed, new_match

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
        sampling: Plays a sample instead (see `econzoo.evaluate.run.design`); then `seeds` are unused, and the seed of a
            match counts the preceding matches of the same players in the same setting.
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
        # Validating a setting is slow, so this is done once for each: its other matches differ in players and seed.
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
            # Exact parameters identify a setting. By those in which settings differ, the first of several counts.
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
        found = {spec: file_of_player(self.game, scripted_name(spec)) for spec in self.names()}
        files = {spec: file for spec, file in found.items() if file is not None}
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
            "fingerprints": fingerprints(self.names()) | {spec: file.digest for spec, file in files.items()},
            **({"files": {Path(file.path).name: file.digest for file in files.values()}} if files else {}),
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
    # Checks the options and returns them as records have them, so that ids and manifests agree.
    first = new_match(game_name, design.tables()[0][0], seed_list[0], **given, **settings[0].params)
    return replace(design, options=first.options)


def _seed_numbers(seeds: Iterable[int]) -> tuple[int, ...]:
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
    path = check_path("folder", folder) / MANIFEST
    if not path.exists():
        return None
    with wrap_read_errors(path, ValueError, KeyError, TypeError, AttributeError):
        given = parse_json(read_text(path, LARGE_FILE_BYTES))
        check_format("the manifest", given.get("format"), FORMAT)
        settings = tuple(Setting(name, params) for name, params in given["settings"].items())
        players, seeds, opponents = (tuple(given[key]) for key in ("players", "seeds", "opponents"))
        sampling = Sampling(**given["sampling"]) if given["sampling"] else None
        lineups = tuple(map(tuple, given["lineups"]))
        goal = check_value("objective", given["objective"], OBJECTIVE)
        return Design(given["game"], players, settings, seeds, opponents, given["options"], sampling, lineups, goal)


def check_design(design: Design, folder: str | Path) -> None:
    """Check that a folder can take a design: an existing manifest may only be extended."""
    check_output_folder(folder, "folder")
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
    # By identity: names, prices and addresses of a player may change between runs. A player that is not in the new
    # design at all is found below.
    files = {identity(spec): fingerprint for spec, fingerprint in new["fingerprints"].items()}
    for spec, fingerprint in old["fingerprints"].items():
        if files.get(identity(spec), fingerprint) != fingerprint:
            return f"the file of {spec!r} has changed since its matches"
    if old["sampling"] != new["sampling"]:
        return f"sampling was {old['sampling']!r}, not {new['sampling']!r}"
    # The schedule draws settings in order, so another player or setting would change all later matches.
    if new["sampling"] and (_identities(old["players"]), old["settings"]) != (
        _identities(new["players"]),
        new["settings"],
    ):
        return "players and settings of a sampled design must stay the same"
    # With the first opponents, a round robin would lose its pairs of players; line-ups likewise replace all pairs.
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


# Seatings


def pairs(players: Sequence[str], opponents: Sequence[str], game: str, seats: int) -> list[tuple[str, ...]]:
    """Return all pairs of players: one takes each seat in turn, the other all other seats.

    Seatings that put a player in a seat it cannot take are left out.
    """
    fits = {spec: seats_of(spec, game) or range(seats) for spec in (*players, *opponents)}
    out: dict[tuple[str, ...], None] = {}
    for one, other in product(players, opponents):
        for seat in range(seats):
            seating = tuple(one if i == seat else other for i in range(seats))
            if all(i in fits[spec] for i, spec in enumerate(seating)):
                out[seating] = None
    return list(out)


PLAYER_SEPARATOR = "|"
"""Separates the players of a line-up in text."""


def parse_lineups(lines: Sequence[str]) -> list[tuple[str, ...]]:
    """Parse line-ups such as ``"spe | fair"``."""
    return [tuple(spec.strip() for spec in line.split(PLAYER_SEPARATOR)) for line in lines]


def check_lineups(design: Design, seats: Sequence[int]) -> None:
    """Raise `ValueError` for a line-up that fits no setting, or puts a player in a seat it cannot take."""
    known = set(design.names())
    for lineup in design.lineups:
        if unknown := [spec for spec in lineup if spec not in known]:
            expected = f"players and opponents: {', '.join(design.names())}"
            raise ValueError(f"{design.game}: unknown player {unknown[0]!r} in a line-up: expected {expected}")
        if len(lineup) not in seats:
            counts = " or ".join(format_count(count, "seat") for count in sorted(set(seats)))
            raise ValueError(f"{design.game}: invalid line-up {', '.join(lineup)}: expected {counts}")
        for seat, spec in enumerate(lineup):
            own_seats = seats_of(spec, design.game)
            if own_seats is not None and seat not in own_seats:
                expected = ", ".join(map(str, own_seats))
                raise ValueError(f"{design.game}: player {spec!r} cannot take seat {seat}: expected {expected}")


def check_all_seated(design: Design) -> None:
    """Raise `ValueError` for the first player without partners, or setting without matches."""
    seated = {spec for seating in design.seatings() for spec in seating}
    roles = find_game(design.game).facts.roles

    def describe_player(spec: str) -> str:
        seats = seats_of(spec, design.game)
        return f"{spec!r} (takes {'any seat' if seats is None else ' or '.join(roles[i] for i in seats)})"

    missing = [spec for spec in design.names() if spec not in seated]
    if missing:
        player(missing[0], design.game)  # an unknown one has no partner either, but that is not why
        others = ", ".join(describe_player(spec) for spec in (design.opponents or design.players) if spec != missing[0])
        partners = (
            f"among {others}"
            if missing[0] in design.players
            else f"among {', '.join(map(describe_player, design.players))}"
        )
        raise ValueError(
            f"{design.game}: {describe_player(missing[0])} has no partner {partners if others else ''}".rstrip()
        )
    for setting, table in zip(design.settings, design.tables(), strict=True):
        if not table:
            raise ValueError(f"{design.game}: no seating of the design fits the setting {setting.name!r}")


# Samples of a design
#
# As in GLEE (arXiv:2410.05254, and its public experiment runner): every player plays a fixed number of matches in the
# first seat, its partners taking turns, and each match takes the next setting of a shuffled list, reshuffled when used
# up. So not every pair meets in every setting, but all settings occur about equally often.


class Sampling(NamedTuple):
    """A sampling schedule: matches of each player in the first seat, and the seed of the shuffling."""

    games: int
    seed: int = 0


class Draw(NamedTuple):
    """One match of a schedule.

    Attributes:
        setting: Index of the setting.
        repeat: Preceding matches of the same players in this setting; the seed of the match.
    """

    players: tuple[str, ...]
    setting: int
    repeat: int


def sample_schedule(sampling: Sampling, seatings: Sequence[tuple[str, ...]], setting_count: int) -> Iterator[Draw]:
    """Yield the matches of a design: those with the first player in the first seat, then the second, and so on."""
    partners: dict[str, list[tuple[str, ...]]] = {}
    for seating in seatings:
        partners.setdefault(seating[0], []).append(seating)
    # One order for all players: it continues where the matches of the player before have ended.
    order, repeats = repeat_shuffled(setting_count, sampling.seed), Counter[tuple[tuple[str, ...], int]]()
    for own in partners.values():
        for players in islice(cycle(own), sampling.games):
            setting = next(order)
            yield Draw(players, setting, repeats[players, setting])
            repeats[players, setting] += 1


def repeat_shuffled(count: int, seed: int) -> Iterator[int]:
    """Yield the integers 0 to count - 1 in random order, reshuffled each time."""
    rng = np.random.default_rng(seed)
    while True:
        yield from rng.permutation(count).tolist()


# Fingerprints of files
#
# A spec such as ``ppo:model.zip`` does not identify the file's content. The fingerprints in the manifest detect a
# model that was trained further after its matches.


NAME_FILES = ("persona", "texts")
"""Options of a spec that can name a file."""

EDGE = 1_000_000
"""Bytes read at each end of a file, besides its size: files of models are too large to read whole."""


def fingerprints(specs: Iterable[str]) -> dict[str, str]:
    """Return the fingerprints of specs that name an existing file or folder."""
    found = {}
    for spec in specs:
        _, colon, rest = split_name(spec).spec.partition(":")
        digests = [fingerprint(path) for path in _paths(rest) if colon and rest and _exists(path)]
        if digests:
            found[spec] = (
                digests[0] if len(digests) == 1 else hashlib.sha256("".join(digests).encode()).hexdigest()[:16]
            )
    return found


def _paths(rest: str) -> list[Path]:
    """Return the possible files of a spec without prefix: the target, and custom personas and texts (``FILE:NAME``)."""
    target, _, query = rest.partition("?")
    named = [value.partition(":")[0] for option, value in parse_qsl(query) if option in NAME_FILES]
    return [Path(target), *map(Path, named)]


def _exists(path: Path) -> bool:
    try:
        return path.exists()
    except OSError:  # a scripted text can be too long for a file name
        return False


def fingerprint(path: Path) -> str:
    """Return 16 hexadecimal digits from size and both ends of a file, or of all files of a folder and their names."""
    files = sorted(one for one in path.rglob("*") if one.is_file()) if path.is_dir() else [path]
    digest = hashlib.sha256()
    for file in files:
        size = file.stat().st_size
        digest.update(f"{file.relative_to(path)}:{size};".encode())
        with open_file(file) as handle:
            digest.update(handle.read(EDGE))
            handle.seek(max(0, size - EDGE))
            digest.update(handle.read(EDGE))
    return digest.hexdigest()[:16]
