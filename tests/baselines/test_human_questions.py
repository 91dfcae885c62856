"""What a person is asked for a move, and how what is typed is read."""

from __future__ import annotations

from typing import Annotated, NamedTuple

import pytest

from econzoo.baselines.questions import Questions, number
from econzoo.envs.core.actions import ActionSchema, Amount, Kind


@pytest.mark.parametrize("typed", ["-0", "+.5e1", "1,234,567.8", "7."])
def test_numbers_that_look_odd_are_read(typed):
    assert number(typed) == float(typed.replace(",", ""))


@pytest.mark.parametrize("typed", ["", ".", "-", "e5", "$", "$$5", "5$", "1,23", "1 000", "0x10", "1e", "--1"])
def test_texts_that_are_no_numbers(typed):
    assert number(typed) is None


def asked(schema: dict, *typed: str) -> tuple[object, str]:
    """The amount of a guess that somebody types, and what was complained about."""
    left, told = list(typed), []

    def line(prompt: str) -> str:
        told.append(prompt)
        return left.pop(0)

    made = Questions(ActionSchema(Kind("guess", Guess)), line, told.append).move(schema)
    return made, "\n".join(told)


class Guess(NamedTuple):
    guess: Annotated[float, Amount("your guess")]


def schema_of(kind: str, low: float, high: float) -> dict:
    return {"properties": {"guess": {"type": kind, "minimum": low, "maximum": high}}}


@pytest.mark.parametrize("typed", ["3.5", "0.1", "99.999", "1e-3"])
def test_whole_amounts(typed):
    made, told = asked(schema_of("integer", 0, 100), typed, "7.0")
    assert made == Guess(7.0)
    assert "Your guess (whole number from 0 to 100) > " in told
    assert f"{typed} is not whole. Please type a whole number from 0 to 100." in told


@pytest.mark.parametrize(
    ("low", "high", "hint"),
    [
        (0, 100, "from 0 to 100"),
        (-1.5, 2.5, "from -1.50 to 2.50"),
        (0, 1e12, "from 0 up"),
        (-1e300, 5, "up to 5"),
        (-1e300, 1e300, "any number"),
    ],
)
def test_bounds_are_told_where_they_help(low, high, hint):
    assert f"Your guess ({hint}) > " in asked(schema_of("number", low, high), "2")[1]
