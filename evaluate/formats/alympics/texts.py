"""Parsing of the texts of published games of the Water Allocation Challenge.

Only patterns shared by both published wordings are parsed: a resident's status line, "NAME bid NUMBER", the day, the
supply, and the numbers in the rules.

Source: the records of ALYMPICS, arXiv:2311.03220.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from econzoo.evaluate.run import NotImportableError

# Not the first digits of a longer number or of a decimal one.
INTEGER = r"(\d{1,9})(?![\d.]*\d)"
NUMBER = r"(-?\d{1,12}(?:\.\d{1,17})?)(?!\d)"
"""Number with at most 17 decimals, since some balances are printed as ``36.629999999999995``."""
NAME = r"([^\W\d_][\w'-]{0,39})"

RESIDENT = re.compile(
    rf"\b{NAME}: *Water requirement\D{{1,9}}{INTEGER}\D{{1,40}}?Salary\D{{1,9}}{NUMBER}", re.IGNORECASE
)
SUPPLIES = re.compile(rf"\b{INTEGER} (?:and|to) {INTEGER} units", re.IGNORECASE)
DAYS = re.compile(rf"\b{INTEGER} days", re.IGNORECASE)
MOST_HEALTH = re.compile(rf"maximum of {INTEGER} health points", re.IGNORECASE)
FIRST_HEALTH = re.compile(rf"starts? with {INTEGER} health points", re.IGNORECASE)
PERSONA = re.compile(r"\bYour (?:Profession|Personality)\s*:", re.IGNORECASE)

GAP = r"[\s\\]+"
"""Separator of the fields of a status; one game has a backslash there."""

STATUS = re.compile(
    rf"NAME:\s*{NAME}{GAP}BALANCE:\s*\$?{NUMBER}{GAP}HEALTH POINT:\s*(-?\d{{1,9}}){GAP}NO_DRINK:\s*(\d{{1,9}})",
    re.IGNORECASE,
)
BID = re.compile(rf"\b{NAME} bids? \$?{NUMBER}")
QUESTION_DAY = re.compile(rf"\bDay {INTEGER}", re.IGNORECASE)
QUESTION_UNITS = re.compile(rf"\b{INTEGER} units", re.IGNORECASE)
RESULT_DAY = re.compile(rf"\bRound {INTEGER}", re.IGNORECASE)
RESULT_UNITS = re.compile(rf"\bsupply is {INTEGER}", re.IGNORECASE)
WON_WORD = re.compile(r"\bwon\b", re.IGNORECASE)


class Status(NamedTuple):
    """Printed status of a resident.

    Attributes:
        balance: Balance in dollars; NaN: not printed (dead residents).
        health: Health points; 0 or less: dead.
        counter: Health cost of the next day without water, from 1.
    """

    balance: float
    health: int
    counter: int


class Rules(NamedTuple):
    """Numbers in a rules text.

    Attributes:
        residents: Name, requirement and salary of each.
        supply: Minimum and maximum units per day; None: not in the text.
    """

    residents: tuple[tuple[str, int, float], ...]
    supply: tuple[int, int] | None
    days: int
    start_health: int
    max_health: int
    persona: bool


class BidQuestion(NamedTuple):
    """Question for a bid.

    Attributes:
        day: Day, from 1.
        supply: Units of water.
    """

    day: int
    supply: int
    name: str
    status: Status


class DayResult(NamedTuple):
    """Public result of a day.

    Attributes:
        day: Day, from 1.
        supply: Units of water.
        winners: Winners in printed order.
        after: Status by name.
    """

    day: int
    supply: int
    bids: dict[str, float]
    winners: tuple[str, ...]
    after: dict[str, Status]


def read_rules(text: str) -> Rules:
    residents = tuple((name, int(units), float(salary)) for name, units, salary in RESIDENT.findall(text))
    if not residents:
        raise NotImportableError("rules", "no resident with a water requirement and a salary in the rules")
    supply = SUPPLIES.search(text)
    first, most = (_find_integer(pattern, text, "rules") for pattern in (FIRST_HEALTH, MOST_HEALTH))
    range_ = (int(supply[1]), int(supply[2])) if supply else None
    return Rules(residents, range_, _find_integer(DAYS, text, "rules"), first, most, PERSONA.search(text) is not None)


def read_question(text: str) -> BidQuestion:
    found = STATUS.search(text)
    if found is None:
        raise NotImportableError(
            "unreadable", f"no status (NAME, BALANCE, HEALTH POINT, NO_DRINK) in {quote_start(text)}"
        )
    return BidQuestion(
        _find_integer(QUESTION_DAY, text), _find_integer(QUESTION_UNITS, text), found[1], _status(found.groups()[1:])
    )


def is_day_result(text: str) -> bool:
    return all(pattern.search(text) for pattern in (RESULT_DAY, RESULT_UNITS, BID))


def read_day_result(text: str) -> DayResult:
    supply = RESULT_UNITS.search(text)
    assert supply is not None
    head, tail = text[: supply.start()], text[supply.end() :]
    won = WON_WORD.search(tail)
    if won is None:
        raise NotImportableError("unreadable", f"no winners in {quote_start(text)}")
    bids = {name: float(amount) for name, amount in BID.findall(head)}
    states = {name: _status(values) for name, *values in STATUS.findall(tail)}
    if states.keys() != bids.keys():
        raise NotImportableError(
            "unreadable", f"bids of {join_names(bids)} but statuses of {join_names(states)} in {quote_start(text)}"
        )
    winners = tuple(word for word in re.findall(NAME, tail[: won.start()]) if word in bids)
    return DayResult(_find_integer(RESULT_DAY, text), int(supply[1]), bids, winners, states)


def quote_start(text: str) -> str:
    """Quote the first 60 characters of a text."""
    return repr(text if len(text) <= 60 else text[:60] + "...")


def _find_integer(pattern: re.Pattern[str], text: str, kind: str = "unreadable") -> int:
    found = pattern.search(text)
    if found is None:
        raise NotImportableError(kind, f"no match of {pattern.pattern!r} in {quote_start(text)}")
    return int(found[1])


def _status(values: Sequence[str]) -> Status:
    balance, health, counter = values
    return Status(float(balance), int(health), int(counter))


def join_names(names: Iterable[str]) -> str:
    """Join names with commas; ``nobody`` if there are none."""
    return ", ".join(names) or "nobody"
