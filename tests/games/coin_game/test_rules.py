"""The rules of the Coin Game: tables that a person can check by hand, and a second, slow account of the same rules."""

from __future__ import annotations

from fractions import Fraction
from typing import Any, ClassVar

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

import econzoo
from econzoo.envs.core.contract import CHANCE, DONE, SEVERAL, UNKNOWN, Move
from econzoo.envs.games.coin_game import GAME, rules
from econzoo.envs.games.coin_game.grid import LAYERS, grid_of
from exhaustive import examples

KINDS = ("up", "down", "left", "right")


def cell(row: int, column: int, size: int = 3) -> int:
    return row * size + column


def placed(a: int, b: int, red: int, blue: int, **params: Any) -> tuple[rules.Params, rules.State]:
    """A match in which nature has placed everything."""
    _, p = GAME.params(**params)
    s = rules.initial(p)
    for where in (a, b, red, blue):
        s = rules.apply(p, s, (Move(CHANCE, (float(where),)),))
    return p, s


def steps(first: str, second: str) -> tuple[Move, Move]:
    return Move(KINDS.index(first), (0.0,)), Move(KINDS.index(second), (0.0,))


# -- one step ----------------------------------------------------------------------------------------------------------

#  0 1 2
#  3 4 5
#  6 7 8
STEPS = [
    # A, B, red, blue, steps: A, B after them, points, which coins are gone
    (4, 8, 1, 6, "up", "left", 1, 7, (1, 0), "red"),  # A takes its own coin
    (4, 8, 6, 1, "up", "left", 1, 7, (1, -2), "blue"),  # A takes B's
    (4, 8, 7, 0, "up", "left", 1, 7, (-2, 1), "red"),  # B takes A's
    (4, 8, 0, 7, "up", "left", 1, 7, (0, 1), "blue"),  # B takes its own coin
    (4, 8, 1, 7, "up", "left", 1, 7, (1, 1), "red blue"),  # both their own
    (4, 8, 7, 1, "up", "left", 1, 7, (-1, -1), "red blue"),  # both the other's: +1 - 2 each
    (4, 8, 1, 1, "up", "left", 1, 7, (2, -2), "red blue"),  # A takes both, which lie together
    (4, 8, 7, 7, "up", "left", 1, 7, (-2, 2), "red blue"),
    (3, 5, 4, 0, "right", "left", 4, 4, (-1, 1), "red"),  # both on the red coin, each paid as if alone
    (3, 5, 0, 4, "right", "left", 4, 4, (1, -1), "blue"),
    (3, 5, 4, 4, "right", "left", 4, 4, (0, 0), "red blue"),  # +2 - 2 each
    (3, 4, 0, 2, "right", "left", 4, 3, (0, 0), ""),  # they change places
    (3, 4, 3, 4, "right", "left", 4, 3, (-1, -1), "red blue"),  # ... and take what the other stood on
    (4, 4, 4, 4, "up", "up", 1, 1, (0, 0), ""),  # coins under those who leave stay where they are
    (0, 8, 6, 2, "up", "down", 6, 2, (1, 1), "red blue"),  # over the edges above and below
    (0, 8, 2, 6, "left", "right", 2, 6, (1, 1), "red blue"),  # over the edges at the sides
    (0, 8, 8, 0, "down", "up", 3, 5, (0, 0), ""),
]


def test_a_step() -> None:
    for a, b, red, blue, first, second, to_a, to_b, points, gone in STEPS:
        p, s = placed(a, b, red, blue)
        then = rules.apply(p, s, steps(first, second))
        assert then.player == (to_a, to_b), (a, b, red)
        assert rules.payoffs(p, then) == points, (a, b, red)
        assert then.coin == (rules.NO_CELL if "red" in gone else red, rules.NO_CELL if "blue" in gone else blue), a
        assert rules.to_act(p, then) == (CHANCE if gone else SEVERAL), (a, b, red)
        assert [fact.result.points for fact in rules.facts(p, s, steps(first, second), then)] == list(points), (
            a,
            b,
            red,
        )


def test_the_board_has_no_edges() -> None:
    for kind, places in [
        (rules.UP, [6, 7, 8, 0, 1, 2, 3, 4, 5]),
        (rules.DOWN, [3, 4, 5, 6, 7, 8, 0, 1, 2]),
        (rules.LEFT, [2, 0, 1, 5, 3, 4, 8, 6, 7]),
        (rules.RIGHT, [1, 2, 0, 4, 5, 3, 7, 8, 6]),
        (rules.STAY, [0, 1, 2, 3, 4, 5, 6, 7, 8]),
    ]:
        _, p = GAME.params()
        assert [rules.move_cell(p, where, kind) for where in range(9)] == places, kind


def test_a_seat_that_makes_no_move_stays_and_takes_what_came_down_on_it() -> None:
    p, s = placed(4, 8, 4, 0)
    then = rules.apply_steps(p, s, (Move(rules.STAY, (0.0,)), Move(rules.STAY, (0.0,))))
    assert (then.player, then.took, rules.payoffs(p, then)) == ((4, 8), (1, 0), (1.0, 0.0))
    assert len(rules.legal(p, s, 0)) == len(GAME.actions.kinds) == 4, "no player may choose to stay"


# -- nature ------------------------------------------------------------------------------------------------------------


def test_nature_places_a_b_red_and_blue_anywhere() -> None:
    _, p = GAME.params()
    s = rules.initial(p)
    for _ in range(4):
        assert rules.to_act(p, s) == CHANCE
        assert not any(rules.legal(p, s, 0))
        assert rules.chance(p, s) == tuple([(float(where), 1 / 9) for where in range(9)])
        s = rules.apply(p, s, (Move(CHANCE, (4.0,)),))
    assert (s.player, s.coin) == ((4, 4), (4, 4)), "all on one cell is as good as any other place"
    assert rules.to_act(p, s) == SEVERAL
    assert rules.payoffs(p, s) == (0.0, 0.0), "nothing is taken before the first step"


def test_coins_come_back_red_first_anywhere_and_are_taken_by_the_next_step_only() -> None:
    p, s = placed(4, 8, 1, 7)
    s = rules.apply(p, s, steps("up", "left"))  # both take their own
    assert {int(where) for where, _ in rules.chance(p, s)} == set(range(9)), "occupied cells and the old one too"
    s = rules.apply(p, s, (Move(CHANCE, (1.0,)),))
    assert s.coin == (1, rules.NO_CELL), "red came back under A"
    assert rules.to_act(p, s) == CHANCE
    s = rules.apply(p, s, (Move(CHANCE, (1.0,)),))
    assert s.coin == (1, 1)
    assert rules.payoffs(p, s) == (1.0, 1.0), "what came down on A is not taken"
    away = rules.apply(p, s, steps("up", "left"))
    assert (away.coin, rules.payoffs(p, away)) == ((1, 1), (1.0, 1.0))
    back = rules.apply(p, away, steps("down", "left"))
    assert (away.player, back.player) == ((7, 6), (1, 8))
    assert rules.payoffs(p, back) == (3.0, -1.0)


def test_a_coin_that_both_took_comes_back_once() -> None:
    p, s = placed(3, 5, 4, 0)
    s = rules.apply(p, s, steps("right", "left"))
    s = rules.apply(p, s, (Move(CHANCE, (2.0,)),))
    assert (s.coin, rules.to_act(p, s)) == ((2, 0), SEVERAL)


def test_the_match_ends_after_its_rounds_with_everything_on_the_board() -> None:
    env = econzoo.make("coin_game", face="structured", rounds=2)
    env.reset(seed=0, options={"placement": [(1, 1), (2, 2), (0, 1), (2, 1), (0, 0), (2, 0), (1, 1)]})
    env.step({"kind": "up"})
    env.step({"kind": "left"})
    assert env.game_state.coin == (0, 6)
    env.step({"kind": "left"})
    env.step({"kind": "up"})
    assert env.over
    assert rules.to_act(env.params, env.game_state) == DONE
    assert env.payoffs == (2.0, 1.0)
    assert env.chance_draws == [4, 8, 1, 7, 0, 6, 4], "the last coin that was taken came back too"
    assert env.game_state.round == 2


def test_placements_are_nature_s_moves_in_words() -> None:
    by_words, by_numbers = (econzoo.make("coin_game", size=4) for _ in range(2))
    by_words.reset(seed=3, options={"placement": [(0, 1), (3, 3), (2, 0)]})
    by_numbers.reset(seed=3, options={"chance": [1.0, 15.0, 8.0]})
    assert by_words.game_state == by_numbers.game_state
    assert by_words.game_state.player == (1, 15)
    assert by_words.game_state.coin[0] == 8


# -- what is seen ------------------------------------------------------------------------------------------------------


def test_both_seats_see_the_same_board_each_from_its_side() -> None:
    p, s = placed(cell(0, 1), cell(1, 2), cell(2, 0), cell(1, 1), known=False)
    s = rules.apply(p, s, steps("down", "left"))  # A to (1, 1), which is blue's cell, and B too
    s = rules.apply(p, s, (Move(CHANCE, (float(cell(0, 2)),)),))
    a, b = rules.observe(p, s, 0), rules.observe(p, s, 1)
    assert (a.own_row, a.own_column, a.other_row, a.other_column) == (1, 1, 1, 1)
    assert (a.own_coin_row, a.own_coin_column) == (b.other_coin_row, b.other_coin_column) == (2, 0)
    assert (b.own_coin_row, b.own_coin_column) == (a.other_coin_row, a.other_coin_column) == (0, 2)
    assert (a.took_own, a.took_other, a.lost, a.other_took_own) == (0, 1, 0, 1)
    assert (b.took_own, b.took_other, b.lost, b.other_took_own) == (1, 0, 1, 0)
    assert (a.own_score, a.other_score, b.own_score, b.other_score) == (1, -1, -1, 1)
    assert (a.times_own, a.times_other, a.times_lost, a.times_other_own) == (0, 1, 0, 1)
    assert (a.own_thefts, a.other_thefts, b.own_thefts, b.other_thefts) == (1, 0, 0, 1)
    assert a.rounds == b.rounds == UNKNOWN


def test_the_grid_is_the_same_for_both_seats_and_not_mirrored() -> None:
    p, s = placed(cell(0, 1), cell(1, 2), cell(2, 0), cell(1, 2))
    for seat in (0, 1):
        grid = grid_of(rules.observe(p, s, seat))
        assert (grid.shape, grid.dtype) == ((len(LAYERS), 3, 3), np.float32)
        assert [tuple(where) for where in np.argwhere(grid)] == [(0, 0, 1), (1, 1, 2), (2, 2, 0), (3, 1, 2)]


def test_a_layer_is_empty_as_long_as_nothing_is_there() -> None:
    for seat in (0, 1):
        _, p = GAME.params(size=5)
        s = rules.apply(p, rules.initial(p), (Move(CHANCE, (7.0,)),))
        assert grid_of(rules.observe(p, s, seat)).sum(axis=(1, 2)).tolist() == [1, 0, 0, 0]


SHIFTS = [
    # size, from, to: steps the shorter way, over the most
    (3, 0, 1, 1.0),
    (3, 0, 2, -1.0),
    (3, 2, 0, 1.0),
    (3, 1, 1, 0.0),
    (2, 0, 1, 1.0),
    (2, 1, 0, 1.0),  # both ways are as short
    (5, 0, 2, 1.0),
    (5, 0, 3, -1.0),
    (5, 4, 0, 0.5),
    (4, 0, 2, 1.0),
    (4, 0, 3, -0.5),
]


def test_features_show_the_shorter_way() -> None:
    for size, start, end, shown in SHIFTS:
        assert rules.shift(size, start, end) == shown


def test_features_do_not_depend_on_where_the_board_begins() -> None:
    _, p = GAME.params(size=4)
    rng = np.random.default_rng(0)
    for _ in range(50):
        rows, columns, (down, right) = rng.integers(4, size=4), rng.integers(4, size=4), rng.integers(4, size=2)
        here = [int(r * 4 + c) for r, c in zip(rows, columns, strict=True)]
        there = [int((r + down) % 4 * 4 + (c + right) % 4) for r, c in zip(rows, columns, strict=True)]
        one, other = (rules.initial(p)._replace(player=tuple(x[:2]), coin=tuple(x[2:])) for x in (here, there))
        for seat in (0, 1):
            assert rules.features(rules.observe(p, one, seat)) == rules.features(rules.observe(p, other, seat))


# -- the rules once more -----------------------------------------------------------------------------------------------


class Slow:
    """The description of the game, word by word: dictionaries of (row, column), no arithmetic on cell numbers."""

    MOVES: ClassVar = {"up": (-1, 0), "down": (1, 0), "left": (0, -1), "right": (0, 1), "stay": (0, 0)}

    def __init__(self, size: int, where: list[tuple[int, int]]) -> None:
        self.size = size
        self.players, self.coins = dict(zip("AB", where[:2], strict=True)), dict(zip("AB", where[2:], strict=True))
        self.score = {"A": Fraction(0), "B": Fraction(0)}
        self.thefts = {"A": 0, "B": 0}

    def step(self, moves: dict[str, str], back: list[tuple[int, int]]) -> int:
        """Plays a round; `back` has places for coins that are taken. Gives how many were needed."""
        for who, move in moves.items():
            row, column = self.players[who]
            down, right = self.MOVES[move]
            self.players[who] = (row + down + self.size) % self.size, (column + right + self.size) % self.size
        gone = []
        for who, other in ("AB", "BA"):
            if self.players[who] == self.coins[other] != self.coins[who]:
                self.thefts[who] += 1
        for owner in "AB":
            on = [who for who in "AB" if self.players[who] == self.coins[owner]]
            for who in on:
                self.score[who] += 1
                if who != owner:
                    self.score[owner] -= 2
            if on:
                gone.append(owner)
        for owner, place in zip(gone, back, strict=False):
            self.coins[owner] = place
        return len(gone)


@examples(40)
@given(size=st.integers(2, 5), rounds=st.integers(1, 12), stay=st.booleans(), data=st.data())
def test_rules_by_the_book(size: int, rounds: int, stay: bool, data: Any) -> None:
    def place(what: str) -> tuple[int, int]:
        return data.draw(st.tuples(*[st.integers(0, size - 1)] * 2), label=what)

    names = (*KINDS, "stay") if stay else KINDS
    start = [place(what) for what in ("A", "B", "red", "blue")]
    slow = Slow(size, start)
    p, s = placed(*[row * size + column for row, column in start], size=size, rounds=rounds)
    for round in range(1, rounds + 1):
        assert (rules.to_act(p, s), s.round) == (SEVERAL, round)
        kinds = [data.draw(st.sampled_from(names), label=f"step of {who}") for who in "AB"]
        moves = tuple([Move(names.index(kind), (0.0,)) for kind in kinds])
        before = dict(slow.score)
        back = [place("back"), place("back")]
        taken = slow.step(dict(zip("AB", kinds, strict=True)), back)
        after = rules.apply_steps(p, s, moves)
        told = [fact.result for fact in rules.facts(p, s, moves, after)]
        assert [one.points for one in told] == [slow.score[who] - before[who] for who in "AB"]
        assert [(one.row, one.column) for one in told] == list(slow.players.values())
        s = after
        for row, column in back[:taken]:
            assert rules.to_act(p, s) == CHANCE
            s = rules.apply(p, s, (Move(CHANCE, (float(row * size + column),)),))
        assert s.player == tuple([row * size + column for row, column in slow.players.values()])
        assert s.coin == tuple([row * size + column for row, column in slow.coins.values()])
        assert rules.payoffs(p, s) == tuple(map(float, slow.score.values()))
        assert s.thefts == tuple(slow.thefts.values())
    assert rules.to_act(p, s) == DONE


@settings(max_examples=60)
@given(seed=st.integers(0, 2**32), size=st.integers(2, 4))
def test_points_of_both_are_own_coins_less_the_other_s(seed: int, size: int) -> None:
    env = econzoo.make_raw("coin_game", size=size, rounds=12)
    env.reset(seed=seed)
    rng = np.random.default_rng(seed)
    while not env.over:
        env.step(int(rng.integers(4)))
    s = env.game_state
    assert sum(env.payoffs) == sum(s.own) - sum(s.others)
    assert env.outcome().gains == tuple([payoff / 12 for payoff in env.payoffs])


def test_places_are_drawn_evenly_and_independently() -> None:
    env = econzoo.make_raw("coin_game", rounds=1)
    counts = np.zeros((4, 9))
    together = 0
    env.reset(seed=0)
    for _ in range(3600):
        env.reset()
        cells = (*env.game_state.player, *env.game_state.coin)
        counts[range(4), cells] += 1
        together += cells[0] == cells[2]
    assert (abs(counts - 400) < 5 * np.sqrt(3600 * 8 / 81)).all(), "within five standard deviations"
    assert abs(together - 400) < 5 * np.sqrt(3600 * 8 / 81), "players may start on a coin"
