"""Episode specs of training and validation matches, which pass through TRL as text or columns.

An episode spec is one seat of a match. Specs that differ only in the seat, with `SELF` in each other's seats, are seats
of one match: it is played once, and each seat has its own sample, tokens and reward. So a GRPO group is the plays of
one match from one seat, and its mean is the baseline of that role in that setting. The role-conditioned advantage
estimation of SPIRAL (Liu et al. 2025, arXiv 2506.24119) plays every match once and has a running mean per game and role
instead.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from econzoo.baselines import RandomArgumentsPlayer, members, pool, refuse_people
from econzoo.baselines import player as make_player
from econzoo.envs.core import game as find_game
from econzoo.envs.core.contract import parse_json, short_repr, stream, to_plain
from econzoo.envs.core.env import split_settings
from econzoo.envs.core.record import Record, identity
from econzoo.evaluate.analyses import setting_text
from econzoo.evaluate.run import Match, new_match, settings_collection
from econzoo.train import Place, Reward, describe_reward, print_once

LEARNER = "learner"
"""Spec of a learning seat."""

SELF = "self"
"""Opponent spec: the present policy in training."""

PAST = "past"
"""Opponent spec: the policy at a previous step; see `econzoo.train.lm.snapshots`."""

POLICY_OPPONENTS = (SELF, PAST)
"""Opponents that are the policy itself."""

MAX_DRAWS = 100
"""Maximum redraws of a setting."""

VALIDATION = "validation"
"""Distribution of validation settings, and pool of validation opponents."""

HELD_OUT = (VALIDATION, "test")
"""Splits that are never trained on."""

FIRST_HELD_OUT_SEED = 2**60
"""First seed of validation matches; training uses seeds below."""

DRAWS_PER_SPEC = 2
"""Validation specs sampled per match wanted, since some may be trained on."""

RefusalCheck = Callable[[Mapping[str, Any]], object]
"""Returns a true value for parameters to reject."""


@dataclass(frozen=True)
class EpisodeSpec:
    """One training match; all samples of a group play the same match."""

    game: str
    params: dict[str, Any]
    seat: int
    opponents: tuple[str, ...]
    seed: int

    def match(self, learner: str = LEARNER) -> Match:
        """Return the match with the learner under a spec."""
        if self.params.get("max_cycles") is not None:
            given = f"invalid max_cycles={short_repr(self.params['max_cycles'])}"
            raise ValueError(f"{given}: expected None in training, as truncated matches have no payoff")
        players = list(self.opponents)
        players.insert(self.seat, learner)
        return new_match(self.game, players, self.seed, **self.params)

    @classmethod
    def from_record(cls, record: Record, seat: int) -> EpisodeSpec:
        """Return the spec of a recorded match with the learner in a given seat."""
        others = tuple(spec for place, spec in enumerate(record.players) if place != seat)
        return cls(record.game, dict(record.params), seat, others, record.seed)

    @property
    def cell(self) -> tuple[str, int, tuple[str, ...]]:
        """Setting, seat and opponents: all but the seed."""
        params = find_game(self.game).params(**split_settings(self.params)[1])[0]
        return json.dumps(to_plain(params), sort_keys=True), self.seat, tuple(map(identity, self.opponents))

    def to_json(self) -> str:
        """Return one line of JSON; equal specs give equal lines."""
        return json.dumps(asdict(self), sort_keys=True, separators=(",", ":"))

    @classmethod
    def from_json(cls, line: str) -> EpisodeSpec:
        """Parse a line."""
        given = parse_json(line)
        try:
            return cls(**{**given, "opponents": tuple(given["opponents"])})
        except (KeyError, TypeError):
            raise ValueError(f"invalid spec {short_repr(given)}: expected {', '.join(cls.__annotations__)}") from None


def is_policy(spec: str) -> bool:
    """Whether a seat of a training match is the model's."""
    return spec.partition(":")[0] in (LEARNER, *POLICY_OPPONENTS)


def matches_of(episode_specs: Sequence[EpisodeSpec], learners: Sequence[str]) -> list[Match]:
    """Return the matches of episode specs; specs that are seats of the same match share one.

    Equal specs are plays of the same match: the n-th spec of one seat and the n-th of another are its n-th play. A
    `SELF` seat without a spec of its own does not learn.
    """
    seated: dict[tuple[str, int], tuple[EpisodeSpec, list[str]]] = {}
    plays: Counter[tuple[str, int]] = Counter()
    for episode, spec in zip(episode_specs, learners, strict=True):
        line_up = [*episode.opponents[: episode.seat], SELF, *episode.opponents[episode.seat :]]
        same = replace(episode, seat=0, opponents=tuple(line_up)).to_json()
        _, group = seated.setdefault((same, plays[same, episode.seat]), (episode, line_up))
        plays[same, episode.seat] += 1
        group[episode.seat] = spec
    return [replace(one, seat=0, opponents=tuple(rest)).match(first) for one, (first, *rest) in seated.values()]


def draw_setting(game_name: str, name: str, seed: int, is_refused: RefusalCheck) -> dict[str, Any]:
    """Draw a setting from a named distribution (or return the named setting), determined by the seed.

    Refused settings are redrawn; of `MAX_DRAWS` refused ones the last is returned.
    """
    game, rng = find_game(game_name), stream(f"{game_name} {name}", seed, "market")
    try:
        for _ in range(MAX_DRAWS):
            drawn = to_plain(game.sample(name, rng))
            if not is_refused(drawn):
                break
        return drawn  # a small distribution may have nothing else; `draw_opponents` refuses held-out settings
    except ModuleNotFoundError as error:  # a game without scenarios has its default setting only
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
    """Return one spec per seed; seats, opponents and settings take turns in equal shares.

    Args:
        seats: Seats of the learner; None: every seat available in the setting.
        opponents: Specs, also of `POLICY_OPPONENTS`, taking turns in seats they can take. None: the training pool.
    """
    opponents = pool(game_name, "training") if opponents is None else opponents
    wanted = range(find_game(game_name).facts.seats) if seats is None else seats
    for name, given in (("seeds", seeds), ("seats", wanted), ("opponents", opponents), ("settings", settings)):
        if not given:
            raise ValueError(f"{name} is empty: expected one or more")
    check_opponents(opponents, game_name)
    able = _EligibleOpponents(game_name, opponents)
    out = []
    for number, seed in enumerate(seeds):
        if seed < 0:
            raise ValueError(f"invalid seed={seed!r}: expected 0 or more")
        turn, place = divmod(number, len(wanted))  # seats change first, then opponents, then settings
        name = settings[turn // len(opponents) % len(settings)]
        chosen = {**draw_setting(game_name, name, seed, lambda drawn: is_refused({**drawn, **params})), **params}
        count, fixed_seats = _seats(game_name, chosen)
        free = fixed_seats if seats is None else wanted
        own = free[place % len(free)]
        _check_seat(game_name, own, count, fixed_seats)
        others = [seat for seat in range(count) if seat != own]
        opposite = tuple(able.next_opponent(seat, turn + number) for number, seat in enumerate(others))
        out.append(EpisodeSpec(game_name, to_plain(chosen), own, opposite, seed))
        out[-1].match()  # raises for parameters that no match takes
    return out


class _EligibleOpponents:
    """The opponents that can take each seat."""

    def __init__(self, game_name: str, specs: Sequence[str]) -> None:
        self._specs = specs
        self._players = {spec: make_player(spec, game_name) for spec in specs if spec not in POLICY_OPPONENTS}

    def next_opponent(self, seat: int, number: int) -> str:
        """Return the opponent whose turn it is to take the seat."""
        able = [spec for spec in self._specs if spec in POLICY_OPPONENTS or self._players[spec].can_take_seat(seat)]
        if not able:
            raise ValueError(f"invalid opponents={list(self._specs)}: expected opponents that can take seat {seat}")
        return able[number % len(able)]


def _seats(game_name: str, params: Mapping[str, Any]) -> tuple[int, list[int]]:
    """Return the number of seats of a setting, and the seats whose player stays in all rounds."""
    game = find_game(game_name)
    inner = game.params(**split_settings(params)[1])[1]
    count, joined = game.seats(inner), game.rules.entry_round
    if joined is None:
        return count, list(range(count))
    later = game.rules.initial(inner)._replace(round=2)  # whoever sits there in round 2 since round 1 stays
    return count, [seat for seat in range(count) if joined(inner, later, seat) <= 1]


def _check_seat(game_name: str, seat: int, count: int, fixed_seats: Sequence[int]) -> None:
    """Raise `ValueError` for a missing seat, or one whose player changes every round and has no single conversation."""
    if isinstance(seat, bool) or not isinstance(seat, int) or not 0 <= seat < count:
        raise ValueError(f"invalid seat={seat!r}: expected 0 to {count - 1}")
    if seat not in fixed_seats:
        raise ValueError(
            f"{game_name}: invalid seat={seat}: expected another seat, or a setting in which its player stays, as "
            "its player changes every round"
        )


def check_opponents(specs: Sequence[str], game_name: str) -> None:
    """Check opponent specs ahead of any work."""
    refuse_people(specs, "training")
    for spec in specs:
        if spec not in POLICY_OPPONENTS:
            make_player(spec, game_name)


def opponents_or_pool(game_name: str, opponents: Sequence[str]) -> Sequence[str]:
    """Expand pool names; the training pool if no opponents are given."""
    return members(game_name, opponents) or pool(game_name, "training")


def make_training_specs(
    game_name: str,
    seeds: Sequence[int],
    seats: Sequence[int],
    opponents: Sequence[str],
    settings: Sequence[str],
    params: Sequence[Mapping[str, Any]] = ({},),
) -> list[EpisodeSpec]:
    """Return training matches, one per seed.

    Only published held-out settings are redrawn: under fixed parameters a validation setting can coincide with a
    training setting, and then the validation leaves out what is trained on.

    Args:
        seats: Seats of the learner; empty: all.
        opponents: Specs, or names of training pools; empty: the training pool.
        params: Parameter combinations, each of which an equal share of the settings gets.
    """
    others, held_back = opponents_or_pool(game_name, opponents), make_split_lookup(game_name)
    found: list[EpisodeSpec] = []
    for part, fixed in enumerate(params):
        own = seeds[part :: len(params)]
        given = make_specs(game_name, own, seats or None, others, settings, held_back, **fixed) if own else []
        found += draw_opponents(game_name, given)
    return found


def draw_opponents(game_name: str, given: Iterable[EpisodeSpec], **params: object) -> list[EpisodeSpec]:
    """Replace opponents with random arguments by opponents with drawn ones, so that stakes can be computed."""
    split_of, out = make_split_lookup(game_name, **params), []
    specs = {identity(spec): name for name in HELD_OUT for spec in pool(game_name, name, ())}
    for episode in given:
        drawn = tuple(
            _draw_arguments(game_name, spec, episode.seed + place) for place, spec in enumerate(episode.opponents)
        )
        if split := split_of(episode.params):  # given by name, or the only one: others were redrawn by `make_specs`
            raise ValueError(f"invalid setting {episode.params}: it belongs to the {split} split")
        for spec in drawn:
            if identity(spec) in specs:
                raise ValueError(f"invalid opponent={spec!r}: it belongs to the {specs[identity(spec)]} split")
        out.append(replace(episode, opponents=drawn))
    return out


def _draw_arguments(game_name: str, spec: str, seed: int) -> str:
    if spec in POLICY_OPPONENTS:
        return spec
    one = make_player(spec, game_name)
    return one.sample_player(seed).spec if isinstance(one, RandomArgumentsPlayer) else one.spec


def make_split_lookup(game_name: str, **params: object) -> Callable[[Mapping[str, Any]], str | None]:
    """Return a function from parameters to their split of `HELD_OUT`, or None; fixed `params` are not compared."""
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
    """Return specs of validation settings and opponents in the seats of the learner.

    Args:
        count: Maximum number; 0: none.
        seats: Seats of the learner; None: all.
        training_specs: Specs with the same setting, seat and opponents as one of these are left out.
        settings: Used in games without validation settings.
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
    trained = {one.cell for one in training_specs}
    left = [one for one in given if one.cell not in trained]
    if not left:
        raise ValueError(f"invalid eval={count!r}: expected 0, as every validation match is trained on")
    return left[:count]


def places_of(episode_specs: Iterable[EpisodeSpec]) -> list[Place]:
    """Return the places of the learners of some matches."""
    split = [(one, *split_settings(one.params)) for one in episode_specs]
    return [(one.game, params, options, one.seat) for one, options, params in split]


def print_reward(reward: Reward, episode_specs: Iterable[EpisodeSpec]) -> None:
    """Print `describe_reward` for the learners of some matches on standard error, from the first process."""
    print_once("\n".join(describe_reward(reward, places_of(episode_specs))))
