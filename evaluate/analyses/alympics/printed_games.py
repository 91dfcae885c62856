"""Days that ALYMPICS prints in full, beside our rules: the games of people (Figure 10), and a day of agents (A.2)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from econzoo.envs.core import game as find_game
from econzoo.envs.core.contract import Move
from econzoo.envs.games.water_allocation import RESIDENTS, rules
from econzoo.evaluate.analyses import Comparison, OwnNumber, Place
from econzoo.evaluate.analyses.alympics.days import WATER
from econzoo.evaluate.analyses.alympics.water_games import PUBLISHED_LINEUP, WaterGame
from econzoo.evaluate.formats.alympics import DAYS, Difference, Line, PublishedGame, comparisons, game_of_table
from econzoo.evaluate.formats.alympics import group_lines

PEOPLE_GAMES = {"figure-10-first-game": (10, 20), "figure-10-second-game": (20, 30)}
"""Place to the supply of its game."""

KINDS = {"balance": "balance", "health": "health", "bid": "bid", "no water": "no_water_days"}
"""Printed column, after the player's name, to the field of `Line`."""

RULES_LABEL = "our rules"


def compare_people_games(places: Mapping[str, Place]) -> list[Comparison]:
    """Compare the printed games of people with the outcomes of the printed bids under our rules, day by day."""
    return [
        Comparison(key, places[key], [*_rule_numbers(places[key], supply)], RULES_LABEL)
        for key, supply in PEOPLE_GAMES.items()
    ]


def game_of(place: Place, supply: tuple[int, int]) -> PublishedGame:
    """Build the game that a place prints.

    Args:
        supply: Minimum and maximum units per day.
    """
    rows = [
        (day, who, Line(**numbers)) for day, row in enumerate(place.cells, 1) for who, numbers in _numbers(place, row)
    ]
    return game_of_table(place.title, group_lines(rows), supply)


def _numbers(place: Place, row: str) -> Iterator[tuple[str, dict[str, float]]]:
    """The printed numbers of each player in a row."""
    printed: dict[str, dict[str, float]] = {}
    for column, text in place.cells[row].items():
        who, _, kind = column.partition(" ")
        if kind:
            printed.setdefault(who, {})[KINDS[kind]] = float(text)
    supply = place.cells[row].get("water", "nan")
    return ((who, {**numbers, "supply": float(supply)}) for who, numbers in printed.items())


def _rule_numbers(place: Place, supply_range: tuple[int, int]) -> Iterator[OwnNumber]:
    game, rows = game_of(place, supply_range), [*place.cells]
    salaries = dict(zip(game.names, (salary for _, _, salary in RESIDENTS), strict=True))
    for one in comparisons(game):
        if one.who and one.what != "counter when asked":  # always 1 on the first morning, and not printed
            # Who bids in the next row is alive on the next morning, and has its salary.
            paid = salaries[one.who] if f"{one.who} bid" in place.cells[rows[min(one.day, DAYS)]] else 0.0
            yield _cell(one, rows, paid)


def _cell(one: Difference, rows: Sequence[str], paid: float) -> OwnNumber:
    """The printed cell of a number: states of an evening are printed with the next morning, salary added."""
    # Rows are printed from day 1: the day itself is row `day - 1`, the next morning row `day`. The counter is 1 after a
    # day with water, and the printed number of days without it 0.
    if one.what == "counter":
        return OwnNumber(rows[one.day - 1], f"{one.who} no water", one.ours - 1.0)
    if one.what == "balance":
        return OwnNumber(rows[one.day], f"{one.who} balance", one.ours + paid)
    if one.what == "health":
        return OwnNumber(rows[one.day], f"{one.who} health", float(one.ours))
    return OwnNumber(rows[0], f"{one.who} {one.what.split()[0]}", float(one.ours))


# The day of appendix A.2

SETTING, NUMBER, DAY = "scarce", 6, 7
"""The published game and day of appendix A.2; the paper does not give the game's number."""


def day_by_rules(place: Place) -> list[OwnNumber]:
    """Apply our rules to the printed bids and health; nothing unprinted affects who is served and who dies."""
    params: rules.Params = find_game(WATER).params()[1]
    # Each resident has at least its bid; health that is not printed is taken to be full. The printed days without water
    # are those of the prompts, which say 1 after a day with water.
    printed = [place.cells[name] for name, _, _ in RESIDENTS]
    state = rules.initial(params)._replace(
        round=DAY,
        balance=tuple(float(one["bid"]) for one in printed),
        health=tuple(int(one.get("health", params.max_health)) for one in printed),
        dry=tuple(int(one.get("no water", 1)) - 1 for one in printed),
    )
    announced = rules.announce_supply(params, state, float(place.cells[f"day {DAY}"]["supply"]))
    moves = tuple(Move(0, (float(one["bid"]),)) for one in printed)
    after = rules.apply(params, announced, moves)
    results = rules.results(params, announced, moves, after)
    served = sorted((one.place, name) for one, (name, _, _) in zip(results, RESIDENTS, strict=True) if one.place)
    died = [name for day, (name, _, _) in zip(after.died, RESIDENTS, strict=True) if day]
    return _outcome([name for _, name in served], died)


def _outcome(served: Sequence[str], died: Sequence[str]) -> list[OwnNumber]:
    row = f"day {DAY}"
    return [OwnNumber(row, "served", ", ".join(served)), OwnNumber(row, "dies", ", ".join(died))]


def day_of(place: Place, games: Sequence[WaterGame]) -> list[OwnNumber]:
    """Return the day's numbers in the published games; empty if the game is not among them."""
    known = [one for one in games if (one.lineup, one.setting, one.seed) == (PUBLISHED_LINEUP, SETTING, NUMBER)]
    if not known or len(known[0].days) < DAY:
        return []
    previous, day = known[0].days[DAY - 2 : DAY]
    names = known[0].names
    own = [OwnNumber(f"day {DAY}", "supply", float(day.supply), 1)]
    own += _outcome([names[seat] for seat in day.winners], [names[at] for at, one in enumerate(day.died) if one == DAY])
    for seat, name in enumerate(names):
        states = {"bid": day.bids[seat], "balance": day.budgets[seat], "health": previous.healths[seat]}
        values = {**states, "no water": previous.no_water_days[seat] + 1}
        own += [OwnNumber(name, column, float(values[column]), 1) for column in place.cells[name]]
    return own
