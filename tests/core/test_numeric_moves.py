"""Numbers of the numeric face where a move has several fields: the order of a list, its masks, and moves in parts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from econzoo.envs.core.contract import Invalid, Legal, Move
from econzoo.envs.core.faces import Grid, ListedMoves, MultiDiscreteMoves, numeric_moves
from econzoo.envs.core.faces.numeric_moves import FlatMaskMultiDiscrete
from refusals import says
from toy.budget import GAME as BUDGET
from toy.division import GAME as DIVISION
from toy.lowest_bid import GAME as LOWEST_BID
from toy.punish import GAME as PUNISH

PRICE, UNITS, SIDE = (0.0, 10.0), (1.0, 4.0), (0.0, 1.0)
ANY_ORDER = Legal((True, True), (PRICE, UNITS, SIDE), False)


def made(game: Any, grid: Grid, seats: int = 3, no_op: bool = False, bounds: int = 0) -> Any:
    return numeric_moves(game.actions.fit_to_bounds([(0.0, 0.0)] * (bounds or game.actions.slots)), grid, seats, no_op)


def test_the_last_number_of_a_move_runs_fastest() -> None:
    """Three prices x four quantities x two markets, then staying."""
    moves = made(BUDGET, 3)
    assert isinstance(moves, ListedMoves)
    assert (moves.sizes, moves.size) == ([3 * 4 * 2, 1], 25)
    assert [moves.decode(number, ANY_ORDER)[:3] for number in (0, 1, 2, 7, 8, 23)] == [
        (0.0, 1, "north"),
        (0.0, 1, "south"),
        (0.0, 2, "north"),
        (0.0, 4, "south"),
        (5.0, 1, "north"),
        (10.0, 4, "south"),
    ]
    assert BUDGET.actions.kind_and_message(moves.decode(24, ANY_ORDER)) == ("stay", "")


def test_the_grid_of_a_field() -> None:
    for grid, sizes in [(3, [24, 1]), ({"price": 5}, [40, 1]), ({}, [101 * 8, 1]), ({"price": 1250}, [10_000, 1])]:
        assert made(BUDGET, grid).sizes == sizes, grid


def test_too_many_combinations_come_in_parts() -> None:
    """Kind, 1,251 prices, 4 quantities, 2 markets: their product is more than 10,001."""
    moves = made(BUDGET, {"price": 1251})
    assert isinstance(moves, MultiDiscreteMoves)
    assert (moves.sizes, moves.size) == ([2, 1251, 4, 2], 1259)
    assert moves.decode([0, 125, 3, 1], ANY_ORDER) == (1.0, 4, "south", "")
    assert BUDGET.actions.kind_and_message(moves.decode([1, 125, 3, 1], ANY_ORDER)) == ("stay", ""), (
        "parts of others are not used"
    )
    assert moves.encode(moves.decode([0, 125, 3, 1], ANY_ORDER), ANY_ORDER).tolist() == [0, 125, 3, 1]


def test_a_group_of_counts() -> None:
    for kinds, parted in [(3, False), (5, False), (6, True)]:  # 6 ** 5 = 7,776 and 6 ** 6 = 46,656
        moves = made(DIVISION, 101, bounds=kinds)
        assert isinstance(moves, MultiDiscreteMoves) is parted, kinds
        assert moves.sizes == ([3, *[6] * kinds] if parted else [6**kinds, 1, 1]), kinds


def test_numbers_there_and_back() -> None:
    for grid in [3, {"price": 2000}]:
        moves = made(BUDGET, grid)
        space = moves.space(0)
        for _ in range(50):
            move = moves.decode(space.sample(), ANY_ORDER)
            assert moves.decode(moves.encode(move, ANY_ORDER), ANY_ORDER) == move, grid
        near, ten = (moves.encode(BUDGET.actions.make(0, (price, 1.0, 0.0)), ANY_ORDER) for price in (9.999, 10.0))
        assert np.array_equal(near, ten), "the nearest price of the grid"


# Masks


def listed(mask: np.ndarray, sizes: Sequence[int]) -> list[Any]:
    """The mask kind by kind."""
    return [part.tolist() for part in np.split(mask, np.cumsum(sizes)[:-1])]


def test_masks_by_bounds() -> None:
    """Division of (1, 2): of the 6 x 6 pairs only those within the items."""
    moves = made(DIVISION, 101, bounds=2)
    legal = Legal((True, False, False), ((0.0, 1.0), (0.0, 2.0)), False)
    offers, accept, reject = listed(moves.mask(legal), moves.sizes)
    assert np.argwhere(np.reshape(offers, (6, 6))).tolist() == [[0, 0], [0, 1], [0, 2], [1, 0], [1, 1], [1, 2]]
    assert (accept, reject) == ([0], [0])
    less = legal._replace(bounds=((0.0, 0.0), (0.0, 1.0)))
    assert moves.mask(less).sum() == 2, "other bounds, another mask"
    assert moves.mask(legal).sum() == 6, "and the first once more"


def itself(move: Move) -> str | None:
    return "itself" if move.kind == 1 and move.values[0] == 0 else None


def test_masks_by_refusal() -> None:
    """Seat 0 of three punishes with 1 or 2 points, but not itself."""
    moves = made(PUNISH, 5)
    bounds = (0.0, 20.0), (0.0, 2.0), (1.0, 2.0)
    legal = Legal((False, True, True), bounds, False, None, None, itself)
    contributions, punishments, spare = listed(moves.mask(legal), moves.sizes)
    assert (contributions, spare) == ([0] * 5, [1])
    assert np.reshape(punishments, (3, 10)).tolist() == [[0] * 10, [1, 1, *[0] * 8], [1, 1, *[0] * 8]]
    refused = [number for number in range(moves.size) if isinstance(moves.decode(number, legal), Invalid)]
    assert refused == np.flatnonzero(moves.mask(legal) == 0).tolist()
    assert moves.decode(5, legal).code == "refused"


def test_masks_of_parts_stand_after_each_other() -> None:
    moves = made(BUDGET, {"price": 2000})
    legal = Legal((True, True), (PRICE, (1.0, 2.0), SIDE), False)
    kinds, prices, units, sides = listed(moves.mask(legal), moves.sizes)
    assert (kinds, sum(prices), units, sides) == ([1, 1], 2000, [1, 1, 0, 0], [1, 1])
    staying = moves.mask(legal._replace(kinds=(False, True)))
    assert [part[:3] for part in listed(staying, moves.sizes)] == [[0, 1], [1, 0, 0], [1, 0, 0], [1, 0]]
    assert moves.mask(legal._replace(kinds=(False, False))).all(), "nothing is asked"


def test_the_no_op_is_legal_exactly_where_nothing_else_is() -> None:
    for grid in [3, {"price": 2000}]:
        moves = made(BUDGET, grid, no_op=True)
        waiting = ANY_ORDER._replace(kinds=(False, False))
        listed = isinstance(moves, ListedMoves)
        place = moves.size - 1 if listed else 2
        first = [] if listed else (np.cumsum(moves.sizes)[:-1]).tolist()  # a policy draws from every part
        assert np.flatnonzero(moves.mask(waiting)).tolist() == [place, *first], grid
        assert moves.mask(ANY_ORDER)[place] == 0, grid
        no_op = place if isinstance(moves, ListedMoves) else [2, 0, 0, 0]
        says(moves.decode(no_op, ANY_ORDER).text, '"order"', '"stay"')


def test_what_is_no_action_of_parts_is_named() -> None:
    moves = made(BUDGET, {"price": 2000})
    for action in ([0, 0, 0], 3, [0.0, 0.0, 0.0, 0.0], [True] * 4, "buy", [[0], [0, 1], 0, 0]):
        says(moves.decode(action, ANY_ORDER).text, 4, repr(action))
    for action in ([0, 2000, 0, 0], [-1, 0, 0, 0]):
        says(moves.decode(action, ANY_ORDER).text, [2, 2000, 4, 2], action)


def test_a_quantity_beyond_the_bounds_is_unusable_in_both_forms() -> None:
    legal = Legal((True, True), (PRICE, (1.0, 2.0), SIDE), False)
    for grid, action in ((3, 4), ({"price": 2000}, [0, 0, 2, 0])):
        says(made(BUDGET, grid).decode(action, legal).text, "quantity", 1, 2, 3)


def test_parts_are_sampled_with_flat_masks_and_with_tuples() -> None:
    space, mask = FlatMaskMultiDiscrete([3, 4, 4], seed=0), np.array([1, 0, 1, *[1, 1, 0, 0], *[0, 0, 0, 1]], np.int8)
    drawn = {tuple(map(int, space.sample(mask))) for _ in range(200)}
    assert drawn == {(kind, a, 3) for kind in (0, 2) for a in (0, 1)}
    parts = tuple(np.split(mask, [3, 7]))
    assert tuple(map(int, space.sample(parts))) in drawn
    assert space.contains(space.sample())


def test_a_single_number_is_listed_however_fine_its_grid_is() -> None:
    """Only products are limited."""
    moves = made(PUNISH, 20_000)
    assert isinstance(moves, ListedMoves)
    assert moves.sizes == [20_000, 30, 1]
    assert moves.decode(19_999, Legal((True,) * 3, ((0.0, 20.0), (0.0, 2.0), (1.0, 2.0)), False)) == (20.0,)
    assert PUNISH.actions.move(moves.decode(19_999, Legal((True,) * 3, ((0.0, 20.0),) * 3, False))) == Move(
        0, (20.0, 0.0)
    )


def test_a_public_grid_beyond_the_bounds_offers_nothing_illegal() -> None:
    """Prices up to 10 are legal, and the grid goes to 20, because the bounds are private."""
    for grid in [5, {"price": 3000}]:
        legal = ANY_ORDER._replace(grid=((0.0, 20.0), UNITS, SIDE))
        moves = made(BUDGET, grid)
        mask = moves.mask(legal)
        if isinstance(moves, ListedMoves):
            decoded = [moves.decode(number, legal) for number in range(moves.size)]
            assert [not isinstance(move, Invalid) for move in decoded] == [bool(flag) for flag in mask], grid
            assert {move.price for move in decoded[:-1] if not isinstance(move, Invalid)} == {0.0, 5.0, 10.0}, grid
        else:
            prices = mask[len(BUDGET.actions.kinds) :][: moves.sizes[1]]
            assert (prices.sum(), prices[0], prices[-1]) == (1500, 1, 0), grid
            assert isinstance(moves.decode(np.array([0, 2999, 0, 0]), legal), Invalid), grid


def test_one_amount_on_a_grid_beyond_the_bounds() -> None:
    moves, legal = made(LOWEST_BID, 3), Legal((True,), ((0.0, 10.0),), False, grid=((0.0, 20.0),))
    assert moves.mask(legal).tolist() == [1, 1, 0]
    assert [isinstance(moves.decode(number, legal), Invalid) for number in range(3)] == [False, False, True]
