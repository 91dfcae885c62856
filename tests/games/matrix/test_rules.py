"""The rules of games of two moves: tables that a person can check by hand, and a second account of the same rules."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import econzoo
from econzoo.envs.core.contract import CHANCE, DONE, SEVERAL, UNKNOWN, Move
from econzoo.envs.core.vector import GameBatch
from econzoo.envs.games.matrix import GAME, rules
from econzoo.envs.games.matrix.tables import TABLES, name_of, swap_seats, table_from_cells

LETTERS = {"C": rules.C, "D": rules.D}
ODD = (((1.0, 2.0), (3.0, 4.0)), ((5.0, 6.0), (7.0, 8.0)))
"""A table in which every number is another one."""


def params(**given: Any) -> rules.Params:
    return GAME.params(**given)[1]


def choices(pair: str) -> tuple[Move, Move]:
    return Move(LETTERS[pair[0]], (0.0,)), Move(LETTERS[pair[1]], (0.0,))


def played(p: rules.Params, pairs: Sequence[str], slips: Sequence[float] = ()) -> rules.State:
    """The position after these choices; nature turns nothing round unless it is said."""
    s, left = rules.initial(p), list(slips)
    for pair in pairs:
        if rules.to_act(p, s) == CHANCE:
            s = rules.apply(p, s, (Move(CHANCE, (left.pop(0) if left else rules.NO_SLIP,)),))
        assert rules.to_act(p, s) == SEVERAL
        s = rules.apply(p, s, choices(pair))
    return s


POINTS = [
    # game: CC, CD, DC, DD, each for the row seat and the column seat
    ("prisoners-dilemma", [(3, 3), (0, 5), (5, 0), (1, 1)]),
    ("stag-hunt", [(4, 4), (0, 3), (3, 0), (3, 3)]),
    ("chicken", [(3, 3), (1, 4), (4, 1), (0, 0)]),
    ("battle-of-the-sexes", [(2, 1), (0, 0), (0, 0), (1, 2)]),
    ("matching-pennies", [(1, -1), (-1, 1), (-1, 1), (1, -1)]),
]


def test_a_round_pays_by_the_table() -> None:
    for game, points in POINTS:
        p = params(stage_game=game, rounds=1)
        for pair, paid in zip(("CC", "CD", "DC", "DD"), points, strict=True):
            s = played(p, [pair])
            assert rules.payoffs(p, s) == paid, (game, points)
            first, second = [fact.result for fact in rules.facts(p, rules.initial(p), choices(pair), s)]
            assert (first.payoff, second.payoff) == paid, (game, points)
            assert (first.own, first.other) == (second.other, second.own) == tuple(float(LETTERS[x]) for x in pair), (
                game
            )
            assert rules.to_act(p, s) == DONE, (game, points)


def test_payoffs_take_the_place_of_a_named_game() -> None:
    p = params(stage_game="chicken", payoffs=ODD, rounds=4)
    assert p.table == (1.0, 3.0, 5.0, 7.0, 2.0, 4.0, 6.0, 8.0)
    assert rules.payoffs(p, played(p, ["CC", "CD", "DC", "DD"])) == (16.0, 20.0)
    assert name_of(p.table) is None
    assert [name_of(table) for table in TABLES.values()] == list(TABLES)


def test_a_transposed_table_is_the_same_game_from_the_other_side() -> None:
    assert swap_seats(table_from_cells(ODD)) == (2.0, 6.0, 4.0, 8.0, 1.0, 5.0, 3.0, 7.0)
    symmetric = [name for name, table in TABLES.items() if swap_seats(table) == table]
    assert symmetric == ["prisoners-dilemma", "stag-hunt", "chicken"]
    assert all(swap_seats(swap_seats(table)) == table for table in TABLES.values())


def test_rounds_add_up() -> None:
    """Tit for tat against two defections: 0 + 5 + 3 + 3 and 5 + 0 + 3 + 3."""
    p = params(rounds=4)
    s = played(p, ["CD", "DC", "CC", "CC"])
    assert rules.payoffs(p, s) == (11.0, 11.0)
    assert (s.cc, s.cd, s.dc, s.dd, s.over, s.round) == (2, 1, 1, 0, True, 4)


def test_what_each_seat_sees_names_its_own_move_first() -> None:
    p = params(payoffs=ODD, rounds=6)
    s = played(p, ["CD", "CD", "DC", "DD", "CD"])
    row, column = rules.observe(p, s, 0), rules.observe(p, s, 1)
    assert (row.cc, row.cd, row.dc, row.dd) == (1, 3, 5, 7)
    assert (row.other_cc, row.other_cd, row.other_dc, row.other_dd) == (2, 4, 6, 8)
    assert (column.cc, column.cd, column.dc, column.dd) == (2, 6, 4, 8)  # the column seat's C meets D in the row's DC
    assert (column.other_cc, column.other_cd, column.other_dc, column.other_dd) == (1, 5, 3, 7)
    assert (row.times_cc, row.times_cd, row.times_dc, row.times_dd) == (0, 3, 1, 1)
    assert (column.times_cc, column.times_cd, column.times_dc, column.times_dd) == (0, 1, 3, 1)
    assert (row.last_own, row.last_other) == (column.last_other, column.last_own) == (0.0, 1.0)
    assert (row.own_score, row.other_score) == (column.other_score, column.own_score) == (21.0, 26.0)
    assert (row.round, row.rounds, row.over) == (6, 6, 0)
    first = rules.observe(p, rules.initial(p), 1)
    assert (first.last_own, first.last_other, first.own_score) == (UNKNOWN, UNKNOWN, 0.0)


def test_a_hidden_number_of_rounds_is_in_no_view() -> None:
    for rounds in (2, 70):
        p = params(rounds=rounds, known=False)
        assert rules.observe(p, played(p, ["CC"]), 0).rounds == UNKNOWN


# Noise

SLIPS = [
    # nature's move, what was chosen: what comes out
    (rules.NO_SLIP, "CD", "CD"),
    (rules.ROW_SLIPS, "CD", "DD"),
    (rules.ROW_SLIPS, "DC", "CC"),
    (rules.COLUMN_SLIPS, "CD", "CC"),
    (rules.COLUMN_SLIPS, "DD", "DC"),
    (rules.BOTH_SLIP, "CD", "DC"),
    (rules.BOTH_SLIP, "DD", "CC"),
]


def test_nature_turns_choices_round() -> None:
    for slip, chosen, out in SLIPS:
        p = params(noise=0.1)
        s = played(p, [chosen], [slip])
        assert rules.realized_moves(p, rules.initial(p), choices(chosen), s) == choices(out), slip
        assert rules.payoffs(p, s) == rules.payoffs(params(), played(params(), [out])), (slip, chosen)
        assert s.slip == UNKNOWN, "nature moves again in the next round"


def test_each_hand_trembles_by_itself() -> None:
    p = params(noise=0.1)
    chances = {move: chance for move, chance in rules.chance(p, rules.initial(p)) if chance}
    assert chances == pytest.approx({0.0: 0.81, 1.0: 0.09, 2.0: 0.09, 3.0: 0.01})
    assert sum(chances.values()) == pytest.approx(1.0)


def test_without_noise_nature_has_no_move() -> None:
    p = params(noise=0.0)
    assert rules.to_act(p, rules.initial(p)) == SEVERAL
    assert rules.to_act(params(noise=0.1), rules.initial(p)) == CHANCE


def test_noise_is_as_frequent_as_it_should_be() -> None:
    """4000 rounds, two choices each: 400 +- 19 of them come out as the other one; four standard deviations are 76."""
    env = econzoo.make("matrix", face="structured", noise=0.05, rounds=4000)
    env.reset(seed=5)
    turned = sum([(slip >= 1.0) + (slip == 3.0) for slip in _nature_of(env)])
    assert abs(turned - 400) < 76


def _nature_of(env: Any) -> list[float]:
    while env.agents:
        env.step(None if env.terminations[env.agent_selection] else {"kind": "C"})
    assert len(env.chance_draws) == 4000
    return env.chance_draws


# A second account of the rules

PAIRS = st.lists(st.sampled_from(["CC", "CD", "DC", "DD"]), min_size=1, max_size=12)
NUMBERS = st.lists(st.integers(-9, 9), min_size=8, max_size=8)


@settings(max_examples=80)
@given(pairs=PAIRS, numbers=NUMBERS, seed=st.integers(0, 1000), more=st.integers(0, 2))
def test_the_rules_say_what_a_slow_account_says(pairs: list[str], numbers: list[int], seed: int, more: int) -> None:
    """Moves as strings, turned round one by one, and points looked up in nested lists."""
    rng = np.random.default_rng(seed)
    cells = [[(float(numbers[4 * i + 2 * j]), float(numbers[4 * i + 2 * j + 1])) for j in (0, 1)] for i in (0, 1)]
    p = params(payoffs=cells, rounds=len(pairs) + more, noise=0.25)
    slips, out, totals = [float(x) for x in rng.integers(0, 4, len(pairs))], [], [0.0, 0.0]
    for pair, slip in zip(pairs, slips, strict=True):
        turned = [(x == "D") != bool(int(slip) & bit) for x, bit in zip(pair, (1, 2), strict=True)]
        out.append(tuple(turned))
        for seat in (0, 1):
            totals[seat] += cells[turned[0]][turned[1]][seat]
    s = played(p, pairs, slips)
    assert rules.payoffs(p, s) == tuple(totals)
    assert (s.cc, s.cd, s.dc, s.dd) == tuple(out.count(cell) for cell in ((0, 0), (0, 1), (1, 0), (1, 1)))
    assert (s.last_row, s.last_column) == out[-1]
    assert (s.over, s.round) == (not more, len(pairs) + (more > 0))


GAINS = [
    # game, choices of four rounds: gains of both
    ("prisoners-dilemma", ["CC"] * 4, (0.6, 0.6)),
    ("prisoners-dilemma", ["DC"] * 4, (1.0, 0.0)),
    ("prisoners-dilemma", ["DD"] * 4, (0.2, 0.2)),
    ("prisoners-dilemma", ["CC", "DD"], (0.2, 0.2)),  # (0.6 + 0.2) / 4: rounds that are not played count 0
    ("matching-pennies", ["CC", "CD", "DD", "DC"], (0.5, 0.5)),
    ("battle-of-the-sexes", ["CC"] * 4, (1.0, 0.5)),
]


def test_gains_lie_between_the_least_and_the_most_of_a_round() -> None:
    for game, pairs, gains in GAINS:
        p = params(stage_game=game, rounds=4)
        assert rules.gains(p, played(p, pairs)) == pytest.approx(gains), game


def test_a_seat_with_the_same_number_everywhere_gains_nothing() -> None:
    p = params(payoffs=(((1, 7), (1, 8)), ((1, 9), (1, 10))), rounds=1)
    assert rules.gains(p, played(p, ["DD"])) == (0.0, 1.0)


# Thousands at once

SETTINGS = [
    {"rounds": 7},
    {"rounds": 5, "stage_game": "matching-pennies", "noise": 0.3},
    {"rounds": 1, "known": False},
    {"rounds": 9, "payoffs": (((0.1, 1 / 3), (-2.7, 1e9)), ((5.0, 0.0), (-1e9, 0.25))), "noise": 0.5},
    {"rounds": 6, "stage_game": "stag-hunt", "noise": 0.01, "known": False, "messages": False},
    {"rounds": 8, "prob_end": 0.2},
    {"rounds": 10, "prob_end": 0.4, "noise": 0.5},
]


@pytest.mark.usefixtures("interpreted")
@pytest.mark.parametrize("on_error", ["default", "forfeit"])
def test_a_batch_plays_by_the_rules_to_the_last_bit(on_error: str) -> None:
    """Every game stands where the scalar rules lead, with nature's move as it is in the game; -1 and 2 are no moves."""
    markets = SETTINGS * 8
    batch = GameBatch("matrix", len(markets), markets, seed=2, on_error=on_error, autoreset=False)
    rng, ended, turned = np.random.default_rng(1), 0, set()
    for _ in range(10):
        before = [batch.position(number) for number in range(batch.num_games)]
        running = np.flatnonzero(batch.to_act != DONE)
        kinds = rng.choice([0, 0, 0, 0, 1, 1, 1, 1, 2, -1], (len(markets), 2))
        payoffs, done = batch.step(kinds.copy(), np.zeros(kinds.shape))
        for number in running:
            p, s = before[number]
            forfeited = on_error == "forfeit" and not {0, 1}.issuperset(kinds[number])
            stands = batch.position(number)[1]
            then = (
                s if forfeited else rules.apply(p, s, tuple([Move(min(int(k) % 5, 1), (0.0,)) for k in kinds[number]]))
            )
            if rules.to_act(p, then) == CHANCE:
                turned.add(stands.slip)
                then = rules.apply(p, then, (Move(CHANCE, (stands.slip,)),))
            stands_equal(batch, number, then)
            assert done[number] == (then.over or forfeited)
            assert tuple(payoffs[number]) == (rules.payoffs(p, then) if done[number] else (0.0, 0.0))
            ended += done[number]
    assert ended == len(markets)
    assert turned >= {0.0, 1.0, 2.0, 3.0, rules.MATCH_ENDS}


def stands_equal(batch: GameBatch, number: int, wanted: rules.State) -> None:
    """Compares position, gains, legality and what both seats see."""
    p, s = batch.position(number)
    assert s == wanted
    assert [type(x) for x in s] == [type(x) for x in wanted]
    games = np.array([number])
    assert tuple(batch.gains(games)[0]) == rules.gains(p, wanted)
    for seat in (0, 1):
        seen = np.array(rules.features(rules.observe(p, wanted, seat)), np.float32)
        assert np.array_equal(batch.observe(seat, games)[0], seen)
        if batch.to_act[number] != DONE:
            assert tuple(batch.legal(seat, games)[0]) == rules.legal(p, wanted, seat)


def test_a_batch_starts_where_the_scalar_environment_does_with_the_same_seed() -> None:
    pytest.importorskip("numba")
    batch = GameBatch("matrix", 1, {"noise": 0.4, "rounds": 30}, seed=11, autoreset=False)
    env = econzoo.make_raw("matrix", noise=0.4, rounds=30)
    env.reset(seed=11)
    slips = []
    while not env.over:
        slips.append(batch.position(0)[1].slip)
        batch.step(np.array([[0, 1]]), np.zeros((1, 2)))
        env.step(0)
        env.step(1)
    assert slips == env.chance_draws
    assert batch.position(0)[1] == env.game_state
