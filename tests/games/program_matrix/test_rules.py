"""The rules of the open-source game of two moves: what turns pay, forfeited ones included, by hand and otherwise."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import econzoo
from econzoo.envs.core.contract import DONE, SEVERAL, UNKNOWN, Move
from econzoo.envs.families.open_source import Failure
from econzoo.envs.games.matrix.tables import TABLES
from econzoo.envs.games.program_matrix import GAME, rules

LETTERS = "CD-"
ODD = (((1.0, 2.0), (3.0, 4.0)), ((5.0, 6.0), (7.0, 8.0)))
"""A table in which every number is another one."""
PAIRS = st.lists(st.sampled_from([a + b for a in LETTERS for b in LETTERS]), min_size=1, max_size=12)
NUMBERS = st.lists(st.integers(-9, 9), min_size=8, max_size=8)


def params(**given: Any) -> rules.Params:
    return GAME.params(**given)[1]


def moves_of(pairs: Sequence[str], failure: Failure = Failure.EXCEPTION) -> tuple[Move, ...]:
    """The moves of turns, seat 0 first in each; a turn without a move carries its failure."""
    return tuple([Move(LETTERS.index(x), (float(failure) * (x == "-"),)) for pair in pairs for x in pair])


def after(p: rules.Params, *meta_rounds: Sequence[str]) -> rules.State:
    """The position after meta-rounds that went so."""
    s = rules.initial(p)
    for pairs in meta_rounds:
        assert rules.to_act(p, s) == SEVERAL
        s = rules.apply(p, s, moves_of(pairs))
    return s


TURNS = [
    # table: what both get for CC, CD, DC, DD, C-, D-, -C, -D, --
    # The one without a move gets the least of its table; the other the mean of what its move could bring.
    (
        {"stage_game": "prisoners-dilemma"},
        [(3, 3), (0, 5), (5, 0), (1, 1), (1.5, 0), (3, 0), (0, 1.5), (0, 3), (0, 0)],
    ),
    ({"stage_game": "stag-hunt"}, [(4, 4), (0, 3), (3, 0), (3, 3), (2, 0), (3, 0), (0, 2), (0, 3), (0, 0)]),
    ({"stage_game": "chicken"}, [(3, 3), (1, 4), (4, 1), (0, 0), (2, 0), (2, 0), (0, 2), (0, 2), (0, 0)]),
    (
        {"stage_game": "battle-of-the-sexes"},
        [(2, 1), (0, 0), (0, 0), (1, 2), (1, 0), (0.5, 0), (0, 0.5), (0, 1), (0, 0)],
    ),
    (
        {"stage_game": "matching-pennies"},
        [(1, -1), (-1, 1), (-1, 1), (1, -1), (0, -1), (0, -1), (-1, 0), (-1, 0), (-1, -1)],
    ),
    ({"payoffs": ODD}, [(1, 2), (3, 4), (5, 6), (7, 8), (2, 2), (6, 2), (1, 4), (1, 6), (1, 2)]),
]


def test_a_turn_pays_by_the_table_and_a_forfeit_the_least() -> None:
    for table, paid in TURNS:
        p = params(rounds=1, turns=1, **table)
        pairs = ["CC", "CD", "DC", "DD", "C-", "D-", "-C", "-D", "--"]
        assert [rules.payoffs(p, after(p, [pair])) for pair in pairs] == paid, table


def test_turns_of_a_meta_round_add_up() -> None:
    """0 + 5 + 1.5 + 0 + 0 + 3 for the first; 5 + 0 + 0 + 1.5 + 0 + 3 for the second."""
    p = params(rounds=2, turns=6)
    s = after(p, ["CD", "DC", "C-", "-C", "--", "CC"])
    assert (s.last, s.score, s.round, s.over) == ((9.5, 9.5), (9.5, 9.5), 2, False)
    assert s.cooperation == (3 / 6, 3 / 6)
    assert (s.failed, s.failures) == ((2, 2), (2, 2))


def test_meta_rounds_add_up_and_the_last_one_is_told() -> None:
    p = params(rounds=3, turns=2)
    s = after(p, ["CC", "CC"], ["DC", "-C"], ["DD", "CD"])
    assert s.score == (6 + 5 + 1, 6 + 1.5 + 6)
    assert (s.last, s.cooperation, s.failed, s.failures) == ((1, 6), (0.5, 0.0), (0, 0), (1, 0))
    assert (s.round, s.over, rules.to_act(p, s)) == (3, True, DONE)
    assert rules.legal(p, s, 0) == (False,)


def test_a_move_that_was_played_for_a_program_pays_like_one_and_counts_as_failed() -> None:
    """With a policy, a failure can stand beside a move: fault 8 of the public code was to count it nowhere."""
    p = params(rounds=1, turns=1)
    s = rules.apply(p, rules.initial(p), (Move(rules.D, (float(Failure.LIMIT),)), Move(rules.C, (0.0,))))
    assert (s.score, s.failed) == ((5, 0), (1, 0))


def test_what_each_seat_sees_names_its_own_move_first() -> None:
    p = params(payoffs=ODD, rounds=3, turns=4, noise=0.25)
    first = rules.observe(p, rules.initial(p), 1)
    assert (first.own_last, first.other_cooperation, first.own_score, first.round) == (UNKNOWN, UNKNOWN, 0.0, 1)
    s = after(p, ["CD", "CD", "D-", "CC"])
    row, column = rules.observe(p, s, 0), rules.observe(p, s, 1)
    assert (row.cc, row.cd, row.dc, row.dd) == (1, 3, 5, 7)
    assert (row.other_cc, row.other_cd, row.other_dc, row.other_dd) == (2, 4, 6, 8)
    assert (column.cc, column.cd, column.dc, column.dd) == (2, 6, 4, 8)
    assert (column.other_cc, column.other_cd, column.other_dc, column.other_dd) == (1, 5, 3, 7)
    assert (row.own_last, row.other_last) == (column.other_last, column.own_last) == (13, 12)
    assert (row.own_cooperation, row.other_cooperation) == (0.75, 0.25)
    assert (row.own_failed, row.other_failed) == (column.other_failed, column.own_failed) == (0, 1)
    assert (row.rounds, row.turns, row.noise, row.round, row.over) == (3, 4, 0.25, 2, 0)


@settings(max_examples=60)
@given(numbers=NUMBERS, own=st.integers(0, 1), other=st.integers(0, 2), seat=st.integers(0, 1))
def test_to_forfeit_is_never_better_than_to_move(numbers: list[int], own: int, other: int, seat: int) -> None:
    """Fault 5 of the public code: an error bought a random move."""
    p = params()._replace(table=tuple(map(float, numbers)))
    assert rules.turn_payoff(p, seat, rules.FORFEIT, other) <= rules.turn_payoff(p, seat, own, other)


@settings(max_examples=60)
@given(numbers=NUMBERS, own=st.integers(0, 1), seat=st.integers(0, 1))
def test_the_forfeit_of_the_other_pays_between_its_two_moves(numbers: list[int], own: int, seat: int) -> None:
    p = params()._replace(table=tuple(map(float, numbers)))
    both = [rules.turn_payoff(p, seat, own, move) for move in (rules.C, rules.D)]
    assert rules.turn_payoff(p, seat, own, rules.FORFEIT) == sum(both) / 2


@settings(max_examples=60)
@given(pairs=PAIRS, numbers=NUMBERS)
def test_points_by_a_second_account(pairs: list[str], numbers: list[int]) -> None:
    cells = {a + b: (numbers[4 * i + 2 * j], numbers[4 * i + 2 * j + 1]) for i, a in enumerate("CD") for j, b in
             enumerate("CD")}  # fmt: skip
    table = [[[float(x) for x in cells[a + b]] for b in "CD"] for a in "CD"]
    wanted = [0.0, 0.0]
    for pair in pairs:
        for seat in (0, 1):
            if pair[seat] == "-":
                wanted[seat] += min(cell[seat] for cell in cells.values())
                continue
            possible = [cell for cell in cells if all(x in (y, "-") for x, y in zip(pair, cell, strict=True))]
            wanted[seat] += sum(cells[cell][seat] for cell in possible) / len(possible)
    p = params(payoffs=table, rounds=1, turns=len(pairs))
    assert rules.payoffs(p, after(p, pairs)) == pytest.approx(wanted)


def test_without_forfeits_it_is_the_base_game() -> None:
    """The same moves through the environment of `matrix`."""
    for game in TABLES:
        pairs = ["CC", "CD", "DC", "DD", "DC"]
        env = econzoo.make_raw("matrix", face="structured", stage_game=game, rounds=5)
        env.reset(seed=0)
        for pair in pairs:
            for letter in pair:
                env.step({"kind": letter})
        p = params(stage_game=game, rounds=1, turns=5)
        s = after(p, pairs)
        assert rules.payoffs(p, s) == tuple(env.payoffs), game
        assert rules.gains(p, s) == pytest.approx(env.outcome().gains), game


@settings(max_examples=40)
@given(pairs=PAIRS, game=st.sampled_from(list(TABLES)))
def test_features_stay_in_their_range(pairs: list[str], game: str) -> None:
    p = params(stage_game=game, rounds=2, turns=len(pairs))
    for seat in (0, 1):
        numbers = rules.features(rules.observe(p, after(p, pairs), seat))
        assert len(numbers) == len(rules.FEATURES)
        assert all(-1.0 <= x <= 1.0 for x in numbers)
