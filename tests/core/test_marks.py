"""What the marks of numbers make of values: steps of the numeric face, checks, JSON schema; and groups of them."""

from __future__ import annotations

from typing import Annotated, NamedTuple

import numpy as np

from econzoo.baselines import legal_fields
from econzoo.baselines.questions import parse_legal
from econzoo.envs.core.contract import ActionSchema, Amount, Choice, Count, Invalid, Kind, Legal, Message, Move, Seat
from refusals import refuses, says
from toy.budget import GAME as BUDGET
from toy.budget import Order, Stay
from toy.division import GAME as DIVISION
from toy.division import Accept, Offer
from toy.punish import GAME as PUNISH
from toy.punish import Punish

DOLLARS, WHOLE, UNITS = Amount("dollars"), Amount("dollars", is_integer=True), Count("units", 1, 4)
WHOM, SIDE = Seat("whom"), Choice("side", ("north", "south", "west"))


def test_steps() -> None:
    for mark, values in [
        (DOLLARS, [0.0, 2.5, 5.0, 7.5, 10.0]),  # five values over the usual ones
        (WHOLE, [0.0, 3.0, 5.0, 8.0, 10.0]),  # rounded upwards from a half
        (UNITS, [1.0, 2.0, 3.0, 4.0]),  # the usual ones do not matter
        (WHOM, [0.0, 1.0, 2.0]),  # three seats
        (SIDE, [0.0, 1.0, 2.0]),
    ]:
        usual = (0.0, 10.0)
        assert mark.steps(5, seats=3) == len(values), mark
        assert [mark.value_at(step, usual, 5) for step in range(len(values))] == values, mark
        assert [mark.nearest_step(value, usual, 5) for value in values] == list(range(len(values))), mark


def test_what_can_be_legal_at_some_time() -> None:
    for mark, start, ever in [
        (DOLLARS, (0.0, 3.0), (0.0, 3.0)),
        (UNITS, (1.0, 2.0), (1.0, 4.0)),
        (WHOM, (1.0, 1.0), (0.0, 2.0)),
    ]:
        assert mark.widest_bounds(start, seats=3) == ever, mark


def test_numbers_of_the_rules_and_values_of_typed_moves() -> None:
    for mark, number, typed in [(DOLLARS, 2.5, 2.5), (UNITS, 2.0, 2), (WHOM, 1.0, 1), (SIDE, 2.0, "west")]:
        assert mark.from_number(number) == typed, mark
        assert type(mark.from_number(number)) is type(typed), mark
        assert mark.to_number(typed) == number, mark
        assert type(mark.to_number(typed)) is float, mark


def test_checks() -> None:
    for mark, given, bounds, code in [
        (UNITS, 3, (1.0, 3.0), None),
        (UNITS, 3.0, (1.0, 3.0), None),
        (UNITS, 4, (1.0, 3.0), "out_of_range"),
        (UNITS, 1.5, (1.0, 3.0), "wrong_type"),
        (UNITS, True, (1.0, 3.0), "wrong_type"),
        (UNITS, "2", (1.0, 3.0), "wrong_type"),
        (WHOM, 2, (0.0, 2.0), None),
        (WHOM, -1, (0.0, 2.0), "out_of_range"),
        (SIDE, "south", (0.0, 1.0), None),
        (SIDE, "west", (0.0, 1.0), "out_of_range"),
        (SIDE, 1, (0.0, 1.0), "wrong_type"),
        (DOLLARS, float("nan"), (0.0, 1.0), "not_finite"),
    ]:
        problem = mark.problem("x", given, bounds)
        assert (problem.code if problem else None) == code, (mark, given)


def test_a_choice_that_is_not_there_is_answered_with_those_that_are() -> None:
    says(SIDE.problem("side", "west", (0.0, 1.0)).text, "side", "north", "south", "'west'")


def test_json_schema_and_back() -> None:
    for mark, schema in [
        (DOLLARS, {"type": "number", "minimum": 0.0, "maximum": 1.0}),
        (UNITS, {"type": "integer", "minimum": 0, "maximum": 1}),
        (WHOM, {"type": "integer", "minimum": 0, "maximum": 1}),
        (SIDE, {"type": "string", "enum": ["north", "south"]}),
    ]:
        assert mark.schema((0.0, 1.0)) == {**schema, "description": mark.doc}, mark
        assert mark.bounds_in(schema) == (0.0, 1.0), mark


def test_draws_are_playable_and_reach_both_ends() -> None:
    for mark in [DOLLARS, WHOLE, UNITS, WHOM, SIDE]:
        rng = np.random.default_rng(0)
        drawn = {mark.sample((1.0, 2.0), rng) for _ in range(40)}
        assert all(mark.problem("x", mark.from_number(value), (1.0, 2.0)) is None for value in drawn), mark
        assert len(drawn) == (40 if mark is DOLLARS else 2), mark


# Moves of several numbers: places in `Move.values`, in order, zeros at the end


def test_typed_moves_as_the_rules_take_them() -> None:
    for actions, action, move in [
        (BUDGET.actions, Order(2.5, 3, "south", "hi"), Move(0, (2.5, 3.0, 1.0))),
        (BUDGET.actions, Stay(), Move(1, (0.0, 0.0, 0.0))),
        (PUNISH.actions, Punish(2, 10), Move(1, (2.0, 10.0))),
        (DIVISION.actions.fit_to_bounds(((0.0, 5.0),) * 3), Offer((1, 0, 2)), Move(0, (1.0, 0.0, 2.0))),
        (DIVISION.actions.fit_to_bounds(((0.0, 5.0),) * 3), Accept(), Move(1, (0.0, 0.0, 0.0))),
    ]:
        assert actions.move(action) == move, action
        again = actions.make(move.kind, move.values, getattr(action, "message", ""))
        assert (type(again), again) == (type(action), action), action


def test_slots_are_the_numbers_of_all_kinds_in_their_order() -> None:
    actions = PUNISH.actions
    assert actions.slot_names == ["amount", "whom", "points"]
    assert (actions.first, actions.width, actions.slots) == ([0, 1, 3], 2, 3)


def test_a_group_is_as_long_as_the_bounds_make_it() -> None:
    four = DIVISION.actions.fit_to_bounds(((0.0, 5.0),) * 4)
    assert (four.group, four.width, four.slot_names) == (4, 4, ["keep"] * 4)
    assert BUDGET.actions.fit_to_bounds(((0.0, 1.0),) * 3) is BUDGET.actions
    with refuses(ValueError, 2, "'order'", "'stay'"):
        BUDGET.actions.fit_to_bounds(((0.0, 1.0),) * 2)


class Two(NamedTuple):
    """Two groups."""

    give: Annotated[tuple[int, ...], Count("given", 0, 3)]
    take: Annotated[tuple[float, ...], Amount("taken")]
    note: Annotated[str, Message("words")] = ""


def test_groups_of_one_move_are_equally_long() -> None:
    actions = ActionSchema(Kind("two", Two))
    sized = actions.fit_to_bounds(((0.0, 3.0),) * 4)
    assert sized.move(Two((1, 2), (0.5, 1.5))) == Move(0, (1.0, 2.0, 0.5, 1.5))
    with refuses(ValueError, 3, "'two'"):
        actions.fit_to_bounds(((0.0, 3.0),) * 3)


class More(NamedTuple):
    """One group more."""

    extra: Annotated[tuple[int, ...], Count("more", 0, 3)]


def test_bounds_are_read_back_from_a_schema_of_groups() -> None:
    """For as many kinds as are legal; of the others only how many numbers they have."""
    for kinds in [(True, False), (False, True), (True, True)]:
        actions = ActionSchema(Kind("two", Two), Kind("more", More))
        legal = Legal(kinds, ((0.0, 1.0), (0.0, 2.0), (0.0, 0.5), (0.0, 1.5), (1.0, 2.0), (1.0, 3.0)), True)
        found = parse_legal(actions, legal_fields(actions, actions.json_schema(legal)))
        assert (found.kinds, len(found.bounds)) == (kinds, 6), kinds
        assert not kinds[0] or found.bounds[:4] == legal.bounds[:4], kinds
        assert not kinds[1] or found.bounds[4:] == legal.bounds[4:], kinds


# Plain dictionaries

THREE = Legal((True, False, False), ((0.0, 1.0), (0.0, 2.0), (0.0, 3.0)), True)


def test_groups_in_plain_dictionaries() -> None:
    """Also without sizing the kinds of move first: the bounds that come with them tell the length."""
    for plain, answer in [
        ({"kind": "offer", "keep": [1, 0, 3]}, Offer((1, 0, 3))),
        ({"kind": "offer", "keep": (1, 0, 3.0), "message": "hi"}, Offer((1, 0, 3), "hi")),
        ({"kind": "offer", "keep": [1, 0]}, ("keep", 3, [1, 0])),
        ({"kind": "offer", "keep": 1}, ("keep", 3, 1)),
        ({"kind": "offer", "keep": [1, 3, 3]}, ("keep[1]", 0, 2, 3)),
        ({"kind": "offer", "keep": [1, 0.5, 3]}, ("keep[1]", 0.5)),
        ({"kind": "offer"}, ("offer", "keep")),
    ]:
        for actions in (DIVISION.actions, DIVISION.actions.fit_to_bounds(THREE.bounds)):
            found = actions.parse(plain, THREE)
            if isinstance(found, Invalid):
                says(found.text, *answer)
            else:
                assert found == actions.parse(actions.to_plain(found), THREE) == answer, plain


def test_the_schema_of_a_group_has_bounds_for_each_value() -> None:
    schema = DIVISION.actions.json_schema(THREE)["properties"]["keep"]
    assert [item["maximum"] for item in schema["prefixItems"]] == [1, 2, 3]
    assert (schema["minItems"], schema["maxItems"], schema["items"]) == (3, 3, False)
    alike = DIVISION.actions.json_schema(THREE._replace(bounds=((0.0, 2.0),) * 3))["properties"]["keep"]
    assert (alike["items"]["maximum"], alike["minItems"]) == (2, 3)


def test_a_refusal_is_that_of_the_rules() -> None:
    legal = Legal(
        (True, True), ((0.0, 9.0), (1.0, 4.0), (0.0, 1.0)), True, refusal=lambda move: "no" if move.kind == 0 else None
    )
    order = {"kind": "order", "price": 1, "quantity": 1, "market": "north"}
    assert BUDGET.actions.parse(order, legal).code == "refused"
    assert BUDGET.actions.parse({"kind": "stay"}, legal) == Stay()
    assert BUDGET.actions.parse({**order, "price": 10}, legal).code == "out_of_range", "bounds come first"
