"""A data set of decisions: what teachers did, with the cells of it balanced and each reply as heavy as what it decides.

A cell is a setting, a seat and the players in the other seats. Matches are kept or dropped by the objective within a
cell, never across, since else the matches of the easiest settings would be kept and not the best play. Then cells take
turns, so that neither long matches nor frequent opponents crowd out others.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from econzoo.baselines.drawn_arguments import DrawnPlayer
from econzoo.baselines.factory import player as make_player
from econzoo.baselines.pools import members, pool
from econzoo.envs.core.env.options import parted
from econzoo.envs.core.record.record import Record, RecordFile, read_records
from econzoo.envs.core.record.spec import identity
from econzoo.envs.core.registry import game as find_game
from econzoo.evaluate.analyses.training_exposure import whole
from econzoo.evaluate.run.match import Cast, play_matches
from econzoo.evaluate.run.settings import collection
from econzoo.train.lm_tickets import SELF, Ticket, check_opponents, tickets
from econzoo.train.lm_tokens import Tokens

__all__ = [
    "HELD_BACK",
    "heaviest",
    "in_turns",
    "lessons",
    "play_lessons",
    "refuse_held_back",
    "settled",
    "training_tickets",
]

HELD_BACK = ("validation", "test")
"""Splits that nothing is learned from."""


def lessons(
    game_name: str,
    teachers: Sequence[str],
    count: int,
    plays: int,
    opponents: Sequence[str],
    seats: Sequence[int],
    markets: Sequence[str],
    seed: int,
    params: Sequence[Mapping[str, Any]] = ({},),
    in_turn: bool = False,
) -> list[tuple[str, Ticket]]:
    """Who plays in which matches; teachers, opponents, seats and markets take turns.

    Args:
        game_name: The game.
        teachers: Specs; or those of who plays in a teacher's place.
        count: Different matches.
        plays: Times that each of them is played, with other luck.
        opponents: Specs, or names of pools to be trained against; empty: the training pool.
        seats: Of the teacher; empty: all.
        markets: Names of markets, or of distributions that settings are drawn from, others in place of those of
            `HELD_BACK`.
        seed: Of everything.
        params: Parameters of the game and options of the environment that hold in every market of an equal part.
        in_turn: Whether each time that a match is played is for the next seat, teacher and opponent: only the
            setting stays.

    Raises:
        ValueError: Something is not allowed, or belongs to a split of `HELD_BACK`.
    """
    check_opponents(teachers, game_name)
    others, seats = opponents_or_pool(game_name, opponents), seats_or_all(game_name, seats)
    taught: list[tuple[str, Ticket]] = []
    for part, fixed in enumerate(params[:count]):
        seeds = range(seed * 2**24 + part, seed * 2**24 + count, len(params))
        first, later = (plays, 1) if in_turn else (1, plays)
        each, held_back = [one for one in seeds for _ in range(first)], settings_held_back(game_name, **fixed)
        given = tickets(game_name, each, seats, others, markets, held_back, **fixed)
        again = [one for one in given for _ in range(later)]
        drawn = [replace(one, seed=one.seed + number % plays * 2**40) for number, one in enumerate(again)]
        drawn = [replace(one, opponents=settled(game_name, one)) for one in drawn]
        refuse_held_back(game_name, drawn, **fixed)
        apart = len(seats) if in_turn else len(others) * len(seats) * plays
        taught += [(teachers[number // apart % len(teachers)], one) for number, one in enumerate(drawn)]
    return taught


def training_tickets(
    game_name: str,
    seeds: Sequence[int],
    seats: Sequence[int],
    opponents: Sequence[str],
    markets: Sequence[str],
    params: Sequence[Mapping[str, Any]] = ({},),
) -> list[Ticket]:
    """Matches for a model to learn from by playing; arguments as `lessons`, with a match for each seed.

    Settings are held back as they are published, and others drawn in their place: where parameters hold in every
    market, those of the validation can be the same as in training, and it leaves out what is trained on.

    Raises:
        ValueError: Something is not allowed, or belongs to a split of `HELD_BACK`.
    """
    others = opponents_or_pool(game_name, opponents)
    found: list[Ticket] = []
    held_back = settings_held_back(game_name)
    for part, fixed in enumerate(params):
        own = seeds[part :: len(params)]
        given = tickets(game_name, own, seats or None, others, markets, held_back, **fixed) if own else []
        drawn = [replace(one, opponents=settled(game_name, one)) for one in given]
        refuse_held_back(game_name, drawn)
        found += drawn
    return found


def opponents_or_pool(game_name: str, opponents: Sequence[str]) -> Sequence[str]:
    """Specs, with pools in place of their names; the training pool where none is given."""
    return members(game_name, opponents) or pool(game_name, "training")


def seats_or_all(game_name: str, seats: Sequence[int]) -> list[int]:
    """Seats; all of the game where none is given."""
    return list(seats) or list(range(find_game(game_name).facts.seats))


def settled(game_name: str, ticket: Ticket) -> tuple[str, ...]:
    """The opponents of a match; those with drawn arguments with the arguments that they draw.

    What is at stake against them is known for these only.
    """
    return tuple(_settled(game_name, spec, ticket.seed + place) for place, spec in enumerate(ticket.opponents))


def _settled(game_name: str, spec: str, seed: int) -> str:
    if spec == SELF:
        return spec
    one = make_player(spec, game_name)
    return one.drawn(seed).spec if isinstance(one, DrawnPlayer) else one.spec


def refuse_held_back(game_name: str, drawn: Iterable[Ticket], **params: object) -> None:
    """Refuses matches with a setting or an opponent of the validation or the test.

    Args:
        game_name: The game.
        drawn: The matches.
        **params: What holds in every market, which is no part of a setting of the validation then.

    Raises:
        ValueError: Names the first of them.
    """
    split_of = settings_held_back(game_name, **params)
    specs = {identity(spec): name for name in HELD_BACK for spec in pool(game_name, name, ())}
    for ticket in drawn:
        split = split_of(ticket.params)
        if split:
            raise ValueError(f"setting {ticket.params} is not allowed: it is of the {split}; allowed: others")
        for spec in ticket.opponents:
            if identity(spec) in specs:
                raise ValueError(f"opponent={spec!r} is not allowed: it is of the {specs[identity(spec)]}")


def settings_held_back(game_name: str, **params: object) -> Callable[[Mapping[str, Any]], str | None]:
    """Of which of `HELD_BACK` the setting of some parameters is; None: of neither. Arguments as `refuse_held_back`."""
    known = getattr(find_game(game_name).scenarios, "DISTRIBUTIONS", {})
    fixed = parted(params)[1]
    settings = {
        whole(game_name, {**one.params, **fixed}): name
        for name in HELD_BACK
        if name in known
        for one in collection(find_game(game_name), name)
    }
    return lambda drawn: settings.get(whole(game_name, parted(drawn)[1]))


def play_lessons(game_name: str, taught: Sequence[tuple[str, Ticket]], file: Path | None) -> list[Record]:
    """Plays the matches that are not in a file yet, and keeps them there.

    Args:
        game_name: The game.
        taught: See `lessons`.
        file: Of records; None: nothing is kept.

    Returns:
        All of them.
    """
    matches = [ticket.match(teacher) for teacher, ticket in taught]
    kept = RecordFile(file) if file else None  # which mends a line that was cut off
    there = {record.id: record for record in read_records(file)} if file and file.exists() else {}
    missing = [match for match in matches if match.id not in there]
    for record in play_matches(missing, Cast(game_name)):
        if kept:
            kept.append(record)
        there[record.id] = record
    return [there[match.id] for match in matches if match.id in there]


def heaviest(data: Sequence[Tokens], cells: Sequence[Hashable], share: float) -> tuple[list[Tokens], list[Hashable]]:
    """The share of the sequences whose replies weigh the most a token that is read, with their cells, in their order.

    What a step costs is the tokens that it reads; so most is learned for it where most is at stake.
    """
    density = [sum(one.weights[place] for place in one.starts) / len(one.ids) for one in data]
    places = sorted(sorted(range(len(data)), key=lambda place: -density[place])[: math.ceil(share * len(data))])
    return [data[place] for place in places], [cells[place] for place in places]


def in_turns(cells: Sequence[Hashable], lengths: Sequence[int], batch: int, steps: int, seed: int) -> list[int]:
    """In which order sequences are learned from: cells take turns, each with one of its sequences after the other.

    Args:
        cells: Of every sequence.
        lengths: Of every sequence, in tokens: within a batch the shorter ones come first, so that those computed
            together have little padding.
        batch: Sequences of an optimiser step.
        steps: How many of them.
        seed: Of the order.

    Returns:
        Places in `cells`. More steps go on where fewer end.
    """
    endless = _passes(cells, np.random.default_rng(np.random.SeedSequence([seed, 0x0DE2])))
    batches = ([next(endless) for _ in range(batch)] for _ in range(steps))
    return [place for one in batches for place in sorted(one, key=lambda place: lengths[place])]


def _passes(cells: Sequence[Hashable], rng: np.random.Generator) -> Iterator[int]:
    """One sequence of each cell, cells in random order, again and again."""
    held: dict[Hashable, list[int]] = {}
    for place, cell in enumerate(cells):
        held.setdefault(cell, []).append(place)
    shuffled = [[int(one) for one in rng.permutation(places)] for places in held.values()]
    turn = 0
    while True:
        for number in rng.permutation(len(shuffled)):
            places = shuffled[number]
            yield places[turn % len(places)]
        turn += 1
