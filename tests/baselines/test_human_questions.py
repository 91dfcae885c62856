"""What a person is asked for a move, and how what is typed is read."""

from __future__ import annotations

import re
from typing import Annotated, NamedTuple

from hypothesis import assume, given
from hypothesis import strategies as st

import econzoo
from econzoo.baselines import Questions
from econzoo.baselines.questions import match_kind, parse_number
from econzoo.envs.core.contract import ActionSchema, Amount, Kind
from people import told
from refusals import says


def test_numbers_that_look_odd_are_read():
    for typed in ("-0", "+.5e1", "1,234,567.8", "7."):
        assert parse_number(typed) == float(typed.replace(",", "")), typed


def test_texts_that_are_no_numbers():
    for typed in ("", ".", "-", "e5", "$", "$$5", "5$", "1,23", "1 000", "0x10", "1e", "--1"):
        assert parse_number(typed) is None, typed


def asked(schema: dict, *typed: str) -> tuple[object, str]:
    """The amount of a guess that somebody types, and what was complained about."""
    left, read = list(typed), []

    def line(prompt: str) -> str:
        read.append(prompt)
        return left.pop(0)

    made = Questions(ActionSchema(Kind("guess", Guess)), line, read.append).move(schema)
    return made, "\n".join(read)


class Guess(NamedTuple):
    guess: Annotated[float, Amount("your guess")]


def schema_of(kind: str, low: float, high: float) -> dict:
    return {"properties": {"guess": {"type": kind, "minimum": low, "maximum": high}}}


def test_whole_amounts():
    for typed in ("3.5", "0.1", "99.999", "1e-3"):
        made, read = asked(schema_of("integer", 0, 100), typed, "7.0")
        assert made == Guess(7.0), typed
        question, refused, _ = read.splitlines()
        says(question, 0, 100)
        assert refused.startswith(typed)
        says(refused, 0, 100)


def test_bounds_are_told_where_they_help():
    for low, high, hint in [
        (0, 100, told("range", low=0, high=100)),
        (-1.5, 2.5, told("range", low="-1.50", high="2.50")),
        (0, 1e12, told("from", low=0)),
        (-1e300, 5, told("up_to", high=5)),
        (-1e300, 1e300, told("any_number")),
    ]:
        question = told("amount", what="Your guess", range=hint)
        assert question in asked(schema_of("number", low, high), "2")[1], (low, high)


def test_the_only_number_that_is_possible_is_not_asked_for():
    assert asked(schema_of("integer", 3, 3)) == (Guess(3.0), "")


bounds = st.one_of(st.just(0.0), st.floats(1e-9, 1), st.floats(1, 1e11), st.integers(0, 10**6).map(float))


@given(bounds, bounds)
def test_the_bounds_that_are_told_can_be_typed(one, other):
    low, high = sorted((one, other))
    assume(high - low >= 0.01 or high > low == 0.0)
    schema = schema_of("number", low, high)
    (bounds_shown,) = re.findall(r"\(from (\S+) to (\S+)\) > $", asked(schema, str(high))[1])
    assert [asked(schema, shown)[0].guess for shown in bounds_shown] == [parse_number(shown) for shown in bounds_shown]


# Kinds of move


class Nothing(NamedTuple):
    """A move without parts."""


def kinds(*names: str) -> list[Kind]:
    return [Kind(name, Nothing) for name in names]


def name_of(found: Kind | None) -> str | None:
    return found.name if found else None


def told_apart(name: str, others: set[str]) -> list[str]:
    """All beginnings of a name, the name included, that no other has, whatever the case."""
    begun = [name[: end + 1] for end in range(len(name))]
    return [b for b in begun if b == name or not any(other.casefold().startswith(b.casefold()) for other in others)]


def test_every_move_can_be_typed_in_any_case():
    for game in econzoo.games():
        moves = econzoo.game(game).actions.kinds
        for place, kind in enumerate(moves, start=1):
            others = {other.name for other in moves} - {kind.name}
            for typed in told_apart(kind.name, others):
                ways = (typed, typed.lower(), typed.upper(), typed.title(), typed.replace("_", " "))
                assert [match_kind(way, moves) for way in ways] == [kind] * len(ways), game
            assert match_kind(str(place), moves) is kind, game


def test_no_move_is_called_as_a_word_that_helps_or_leaves():
    for game in econzoo.games():
        names = {kind.name.casefold() for kind in econzoo.game(game).actions.kinds}
        assert not names & {"help", "?", "history", "pause", "quit"}, game


def test_names_that_are_alike_are_not_mistaken_for_each_other():
    for names, typed, found in [
        ("Go GO", "Go", "Go"),
        ("Go GO", "GO", "GO"),
        ("Go GO", "go", None),  # which of the two?
        ("Go GO", "g", None),
        ("Go GO gone", "go", None),
        ("Go GO gone", "gon", "gone"),
        ("stay stay_away", "STAY", "stay"),  # a whole name, and the beginning of another
        ("stay stay_away", "sta", None),
        ("C D", "", None),
        ("C D", "3", None),
        ("2 1", "2", "1"),  # places before names
    ]:
        assert name_of(match_kind(typed, kinds(*names.split()))) == found, (names, typed, found)
