"""Which matches a language model is trained on and measured by: tickets that travel through TRL as text or columns."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from econzoo.baselines.factory import player as make_player
from econzoo.baselines.factory import refuse_people
from econzoo.baselines.pools import members, pool
from econzoo.baselines.random_arguments import RandomArgumentsPlayer
from econzoo.envs.core.contract.streams import stream
from econzoo.envs.core.contract.validation import parse_json, short_repr
from econzoo.envs.core.env.options import split_settings
from econzoo.envs.core.record.record import Record
from econzoo.envs.core.record.spec import identity
from econzoo.envs.core.record.values import to_plain
from econzoo.envs.core.registry import game as find_game
from econzoo.evaluate.analyses.training_exposure import setting_text
from econzoo.evaluate.run.settings import settings_collection
from econzoo.evaluate.run.table import Match, new_match
from econzoo.train.lm.self_play import LEARNER, POLICY_OPPONENTS

MAX_DRAWS = 100
"""Draws of a setting until one is allowed."""

VALIDATION = "validation"
"""Distribution of the settings of evaluations, and pool of their opponents."""

HELD_OUT = (VALIDATION, "test")
"""Splits that nothing is learned from."""

FIRST_HELD_OUT_SEED = 2**60
"""Seeds from here on are never trained on."""

DRAWS_PER_SPEC = 2
"""Tickets of the validation drawn for each one wanted: some may be trained on."""

RefusalCheck = Callable[[Mapping[str, Any]], object]
"""Something true for parameters that are not allowed."""


@dataclass(frozen=True)
class EpisodeSpec:
    """One match to learn from; all samples of a group play the same one.

    Attributes:
        game: Name.
        params: Parameters of the game and options of the environment.
        seat: Of the learner.
        opponents: Specs of the other seats, in order.
        seed: Of nature and of the other players.
    """

    game: str
    params: dict[str, Any]
    seat: int
    opponents: tuple[str, ...]
    seed: int

    def match(self, learner: str = LEARNER) -> Match:
        """The match with the learner under this spec.

        Raises:
            ValueError: A parameter is not allowed, ``max_cycles`` among them, or the number of players is wrong.
        """
        if self.params.get("max_cycles") is not None:
            given = f"max_cycles={short_repr(self.params['max_cycles'])} is not allowed in training"
            raise ValueError(f"{given}, as a match that is cut pays nothing; allowed: None, and a shorter game")
        players = list(self.opponents)
        players.insert(self.seat, learner)
        return new_match(self.game, players, self.seed, **self.params)

    @classmethod
    def from_record(cls, record: Record, seat: int) -> EpisodeSpec:
        """A recorded match, for somebody else to play in a seat of it."""
        others = tuple(spec for place, spec in enumerate(record.players) if place != seat)
        return cls(record.game, dict(record.params), seat, others, record.seed)

    @property
    def cell(self) -> tuple[str, int, tuple[str, ...]]:
        """Setting, seat and opponents: what two matches share that differ in the seed alone."""
        whole = find_game(self.game).params(**split_settings(self.params)[1])[0]
        return json.dumps(to_plain(whole), sort_keys=True), self.seat, tuple(map(identity, self.opponents))

    def to_json(self) -> str:
        """As one line; equal tickets give equal lines."""
        return json.dumps(asdict(self), sort_keys=True, separators=(",", ":"))

    @classmethod
    def from_json(cls, line: str) -> EpisodeSpec:
        """The ticket of a line.

        Raises:
            ValueError: The line is none.
        """
        given = parse_json(line)
        try:
            return cls(**{**given, "opponents": tuple(given["opponents"])})
        except (KeyError, TypeError):
            raise ValueError(f"{short_repr(given)} is no ticket; allowed: {', '.join(cls.__annotations__)}") from None


def draw_setting(game_name: str, name: str, seed: int, is_refused: RefusalCheck) -> dict[str, Any]:
    """A setting drawn from a named distribution (or the named setting itself), the same for the same seed.

    Args:
        game_name: The game.
        name: Of the distribution.
        seed: Of the draw.
        is_refused: Says of which settings another is drawn; after `MAX_DRAWS` of them in a row the last one is given.

    Raises:
        ValueError: Unknown name; the message lists the known ones.
    """
    game, rng = find_game(game_name), stream(f"{game_name} {name}", seed, "market")
    try:
        for _ in range(MAX_DRAWS):
            drawn = to_plain(game.sample(name, rng))
            if not is_refused(drawn):
                break
        return drawn
    except ModuleNotFoundError as error:
        if error.name != f"{game.package}.scenarios" or name != "default":
            raise
        return {}


def make_specs(
    game_name: str,
    seeds: Sequence[int],
    seats: Sequence[int] | None = (0,),
    opponents: Sequence[str] | None = None,
    settings: Sequence[str] = ("default",),
    is_refused: RefusalCheck = lambda params: None,
    **params: Any,
) -> list[EpisodeSpec]:
    """One ticket for each seed; seats, opponents and settings take turns, so that each has its share.

    Args:
        game_name: The game.
        seeds: One match each.
        seats: Where the learner sits; None: in every seat that it can have in the setting.
        opponents: Specs, also of `POLICY_OPPONENTS`; those that can take a seat take turns. None: the training pool.
        settings: Names of the game's settings or distributions of settings.
        is_refused: Of which parameters another setting is drawn, `MAX_DRAWS` times at most.
        **params: Parameters of the game and options of the environment that hold in every setting.

    Raises:
        ValueError: Something is not allowed; the message names it.
    """
    opponents = pool(game_name, "training") if opponents is None else opponents
    wanted = range(find_game(game_name).facts.seats) if seats is None else seats
    for name, given in (("seeds", seeds), ("seats", wanted), ("opponents", opponents), ("settings", settings)):
        if not given:
            raise ValueError(f"{name} is empty; wanted: one or more")
    check_opponents(opponents, game_name)
    able = _EligibleOpponents(game_name, opponents)
    out = []
    for number, seed in enumerate(seeds):
        if seed < 0:
            raise ValueError(f"seed={seed!r} is not allowed; allowed: 0 or more")
        turn, place = divmod(number, len(wanted))
        name = settings[turn // len(opponents) % len(settings)]
        chosen = {**draw_setting(game_name, name, seed, lambda drawn: is_refused({**drawn, **params})), **params}
        count, kept = _seats(game_name, chosen)
        free = kept if seats is None else wanted
        own = free[place % len(free)]
        _check_seat(game_name, own, count, kept)
        others = [seat for seat in range(count) if seat != own]
        sitting = tuple(able.next_opponent(seat, turn + later) for later, seat in enumerate(others))
        out.append(EpisodeSpec(game_name, to_plain(chosen), own, sitting, seed))
        out[-1].match()
    return out


class _EligibleOpponents:
    """The opponents that can take each seat."""

    def __init__(self, game_name: str, specs: Sequence[str]) -> None:
        self._specs = specs
        self._players = {spec: make_player(spec, game_name) for spec in specs if spec not in POLICY_OPPONENTS}

    def next_opponent(self, seat: int, number: int) -> str:
        """Whose turn it is to take the seat."""
        able = [spec for spec in self._specs if spec in POLICY_OPPONENTS or self._players[spec].can_take_seat(seat)]
        if not able:
            raise ValueError(f"opponents={list(self._specs)} is not allowed; allowed: some that can take seat {seat}")
        return able[number % len(able)]


def _seats(game_name: str, params: Mapping[str, Any]) -> tuple[int, list[int]]:
    """How many seats a setting has, and in which of them one player stays in all rounds."""
    game = find_game(game_name)
    inner = game.params(**split_settings(params)[1])[1]
    count, joined = game.seats(inner), game.rules.entry_round
    if joined is None:
        return count, list(range(count))
    later = game.rules.initial(inner)._replace(round=2)
    return count, [seat for seat in range(count) if joined(inner, later, seat) <= 1]


def _check_seat(game_name: str, seat: int, count: int, kept: Sequence[int]) -> None:
    """A seat that somebody new takes in every round is no one conversation to learn from."""
    if isinstance(seat, bool) or not isinstance(seat, int) or not 0 <= seat < count:
        raise ValueError(f"seat={seat!r} is not allowed; allowed: 0 to {count - 1}")
    if seat not in kept:
        raise ValueError(
            f"{game_name}: seat={seat} is not allowed here, because somebody new takes it in every round; "
            f"allowed: another seat, or a setting where its player stays"
        )


def check_opponents(specs: Sequence[str], game_name: str) -> None:
    """Refuses unknown specs before any work is done.

    Raises:
        ValueError: The spec cannot be read, or is a person.
    """
    refuse_people(specs, "training")
    for spec in specs:
        if spec not in POLICY_OPPONENTS:
            make_player(spec, game_name)


def opponents_or_pool(game_name: str, opponents: Sequence[str]) -> Sequence[str]:
    """Specs, with pools in place of their names; the training pool where none is given."""
    return members(game_name, opponents) or pool(game_name, "training")


def make_training_specs(
    game_name: str,
    seeds: Sequence[int],
    seats: Sequence[int],
    opponents: Sequence[str],
    settings: Sequence[str],
    params: Sequence[Mapping[str, Any]] = ({},),
) -> list[EpisodeSpec]:
    """Matches for a model to learn from by playing, one for each seed.

    Settings are held back as they are published, and others drawn in their place: where parameters hold in every
    setting, those of the validation can be the same as in training, and it leaves out what is trained on.

    Args:
        game_name: The game.
        seeds: One match each.
        seats: Of the learner; empty: all.
        opponents: Specs, or names of pools to be trained against; empty: the training pool.
        settings: Names of settings, or of distributions.
        params: Parameters of the game and options of the environment that hold in every setting of an equal part.

    Raises:
        ValueError: Something is not allowed, or belongs to a split of `HELD_OUT`.
    """
    others, held_back = opponents_or_pool(game_name, opponents), make_split_lookup(game_name)
    found: list[EpisodeSpec] = []
    for part, fixed in enumerate(params):
        own = seeds[part :: len(params)]
        given = make_specs(game_name, own, seats or None, others, settings, held_back, **fixed) if own else []
        found += draw_opponents(game_name, given)
    return found


def draw_opponents(game_name: str, given: Iterable[EpisodeSpec], **params: object) -> list[EpisodeSpec]:
    """Matches against opponents with drawn arguments as those that they draw: only then is known what is at stake.

    Args:
        game_name: The game.
        given: The matches.
        **params: What holds in every setting, which is no part of a setting of the validation then.

    Raises:
        ValueError: One has a setting or an opponent of a split of `HELD_OUT`.
    """
    split_of, out = make_split_lookup(game_name, **params), []
    specs = {identity(spec): name for name in HELD_OUT for spec in pool(game_name, name, ())}
    for ticket in given:
        drawn = tuple(
            _draw_arguments(game_name, spec, ticket.seed + place) for place, spec in enumerate(ticket.opponents)
        )
        if split := split_of(ticket.params):
            raise ValueError(f"setting {ticket.params} is not allowed: it is of the {split}; allowed: others")
        for spec in drawn:
            if identity(spec) in specs:
                raise ValueError(f"opponent={spec!r} is not allowed: it is of the {specs[identity(spec)]}")
        out.append(replace(ticket, opponents=drawn))
    return out


def _draw_arguments(game_name: str, spec: str, seed: int) -> str:
    if spec in POLICY_OPPONENTS:
        return spec
    one = make_player(spec, game_name)
    return one.sample_player(seed).spec if isinstance(one, RandomArgumentsPlayer) else one.spec


def make_split_lookup(game_name: str, **params: object) -> Callable[[Mapping[str, Any]], str | None]:
    """Of which of `HELD_OUT` the setting of some parameters is; None: of neither. Arguments as `draw_opponents`."""
    known = getattr(find_game(game_name).scenarios, "DISTRIBUTIONS", {})
    fixed = split_settings(params)[1]
    settings = {
        setting_text(game_name, {**one.params, **fixed}): name
        for name in HELD_OUT
        if name in known
        for one in settings_collection(find_game(game_name), name)
    }
    return lambda drawn: settings.get(setting_text(game_name, split_settings(drawn)[1]))


def make_validation_specs(
    game_name: str,
    count: int,
    seats: Sequence[int] | None,
    params: Mapping[str, Any],
    training_specs: Sequence[EpisodeSpec] = (),
    settings: Sequence[str] = ("default",),
) -> list[EpisodeSpec]:
    """Tickets of settings and opponents of the validation, in the seats of the learner.

    Args:
        game_name: The game.
        count: How many at most; 0: none.
        seats: Of the learner; None: all.
        params: What holds in every setting.
        training_specs: What it trains on; no match with the same setting, opponents and seat is among those given.
        settings: Where the game has no settings for the validation.

    Raises:
        ValueError: The game has nothing else to be measured by.
    """
    if not count:
        return []
    known = getattr(find_game(game_name).scenarios, "DISTRIBUTIONS", {})
    named = [VALIDATION] if VALIDATION in known else settings
    opponents = pool(game_name, VALIDATION)
    given = make_specs(
        game_name,
        range(FIRST_HELD_OUT_SEED, FIRST_HELD_OUT_SEED + DRAWS_PER_SPEC * count),
        seats,
        opponents,
        named,
        **params,
    )
    met = {one.cell for one in training_specs}
    left = [one for one in given if one.cell not in met]
    if not left:
        raise ValueError(f"eval={count!r} is not allowed; allowed: 0, as all matches of the validation are trained on")
    return left[:count]
