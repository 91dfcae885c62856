"""The referee of the open-source coin game: what programs see, and what no program can do to a match.

The numbers of faults are those of tests/games/program_matrix/test_referee.py.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from itertools import product
from typing import Any

import numpy as np
import pytest

import econzoo
from econzoo.envs.core.contract import CHANCE, Move, Ruling
from econzoo.envs.families.open_source import COIN_GAME, RandomStreams
from econzoo.envs.families.open_source.library import names
from econzoo.envs.families.open_source.library import program as written
from econzoo.envs.families.open_source.match_referee import BaseMatch
from econzoo.envs.games.coin_game import rules as coin_game
from econzoo.envs.games.program_coin import GAME as PROGRAM_COIN
from econzoo.envs.games.program_coin import rules
from games.program_matches import failing, of_nature, of_players, program, random_words, results, ruled, sandboxed
from games.program_matches import submitted, tape

pytestmark = sandboxed

GAME = "program_coin"
UP, LEFT = tape(COIN_GAME, ["UP"]), tape(COIN_GAME, ["LEFT"])
FAILING = failing(COIN_GAME)
STEPS = {"U": (-1, 0), "D": (1, 0), "L": (0, -1), "R": (0, 1), "S": (0, 0)}


class Board:
    """The coin game by another hand: rows and columns, and coins in a dictionary."""

    def __init__(self, size: int, cells: Sequence[int]) -> None:
        self.size, self.cells = size, list(cells)
        self.at = {letter: self.cell() for letter in "AB"}
        self.coins = {colour: self.cell() for colour in ("red", "blue")}
        self.points = {"A": 0, "B": 0}

    def cell(self) -> tuple[int, int]:
        return divmod(self.cells.pop(0), self.size)

    def turn(self, steps: Sequence[str]) -> None:
        for letter, step in zip("AB", steps, strict=True):
            row, column = (x + dx for x, dx in zip(self.at[letter], STEPS[step], strict=True))
            self.at[letter] = row % self.size, column % self.size
        for colour, owner, other in (("red", "A", "B"), ("blue", "B", "A")):
            takers = [letter for letter in "AB" if self.at[letter] == self.coins[colour]]
            for letter in takers:
                self.points[letter] += 1
            if other in takers:
                self.points[owner] -= 2
        for colour in [colour for colour in self.coins if self.coins[colour] in self.at.values()]:
            self.coins[colour] = self.cell()


def test_points_by_a_second_account() -> None:
    for size, seed in product((2, 3, 5), range(4)):
        rng = np.random.default_rng(seed)
        sources = [tape(COIN_GAME, [*random_words(rng, COIN_GAME, 11), "!"]) for _ in (0, 1)]
        ruling = ruled(GAME, sources, seed, size=size, turns=24)
        board = Board(size, [int(cell) for cell in of_nature(ruling)])
        for steps in zip(ruling.results[0].moves, ruling.results[1].moves, strict=True):
            board.turn(steps)
        assert not board.cells, "every placement was used, and there were enough"
        assert [result.payoff for result in ruling.results] == [board.points["A"], board.points["B"]], (size, seed)
        assert [result.failed for result in ruling.results] == [2, 2], (size, seed)


def test_a_ruling_pays_what_the_coin_game_pays_for_its_moves() -> None:
    for seed in range(4):
        sources = [written("coin_game", "greedy"), written("coin_game", "cooperative")]
        ruling = ruled(GAME, sources, seed, turns=20)
        env = econzoo.make_raw("coin_game", face="structured", rounds=20)
        env.reset(seed=99, options={"chance": of_nature(ruling)})
        for pair in of_players(ruling):
            for move in pair:
                env.step({"kind": ("up", "down", "left", "right")[move.kind]})
        assert env.over, seed
        assert [result.payoff for result in ruling.results] == list(env.payoffs), seed
        assert [(r.own, r.others) for r in ruling.results] == list(
            zip(env.game_state.own, env.game_state.others, strict=True)
        ), seed


def boards(ruling: Ruling, size: int = 3) -> list[coin_game.State]:
    """The positions in which the programs were asked."""
    p, told = coin_game.Params(size, 10**6, True), list(ruling.moves)
    s, out = coin_game.initial(p), []
    while told:
        if told[0].kind == CHANCE:
            s = coin_game.place_next(p, s, int(told.pop(0).values[0]))
        else:
            out.append(s)
            s, told = coin_game.apply_steps(p, s, tuple(told[:2])), told[2:]
    return out


TELLS = (
    "cells = [[r * len(layer) + c for r, row in enumerate(layer) for c, x in enumerate(row) if x] for layer in state]",
    "raise ValueError(json.dumps([cells, MY_ID, OPPONENT_ID, my_history, opp_history]))",
)


def test_both_seats_see_the_same_board_and_know_their_letter() -> None:
    for seat, size in product((0, 1), (2, 3, 4)):
        for turn in range(3):
            late = program(COIN_GAME, f"if len(my_history) < {turn}:", "    return 'RIGHT'", *TELLS)
            sources = [late, UP] if seat == 0 else [UP, late]
            ruling = ruled(GAME, sources, 7, size=size, turns=turn + 1)
            told = json.loads(ruling.results[seat].problem.partition("ValueError: ")[2])
            board = boards(ruling, size)[turn]
            assert told[0] == [[cell] for cell in (*board.player, *board.coin)], size
            assert told[1:3] == list("AB" if seat == 0 else "BA"), size
            assert told[3:] == [["RIGHT"] * turn, ["UP"] * turn], size


def test_the_board_is_lists_of_whole_numbers() -> None:
    shape = program(
        COIN_GAME,
        "assert type(state) is list and len(state) == 4",
        "assert all(type(x) is int and x in (0, 1) for layer in state for row in layer for x in row)",
        "assert [sum(map(sum, layer)) for layer in state] == [1, 1, 1, 1]",
        "assert all(len(layer) == 3 and all(len(row) == 3 for row in layer) for layer in state)",
        "return 'UP'",
    )
    assert [result.failed for result in ruled(GAME, [shape, shape], turns=8).results] == [0, 0]


def test_a_turn_without_a_move_stays_and_is_told_as_stay() -> None:
    fails = program(COIN_GAME, "if my_history == ['STAY', 'STAY']:", "    return 'LEFT'", "return 'STAY'")
    sees = program(COIN_GAME, "return 'DOWN' if opp_history and set(opp_history) == {'STAY'} else 'UP'")
    ruling = ruled(GAME, [fails, sees], turns=4)
    first, second = ruling.results
    assert (first.moves, first.failed, first.failure) == ("SSLS", 3, "wrong return value")
    assert second.moves == "UDDU"
    cells = [board.player[0] for board in boards(ruling)]
    assert cells[0] == cells[1] == cells[2] != cells[3]


def test_each_failure_is_told_apart_and_has_its_policy() -> None:
    """Faults 5 and 9: neither an error nor junk buys a step."""
    for failure in list(FAILING):
        first, second = ruled(GAME, [FAILING[failure], UP], turns=4).results
        assert (first.moves, first.failed, first.failure) == ("SSSS", 4, failure.label)
        assert (second.moves, second.failed) == ("UUUU", 0), failure
        option = f"on_{failure.name.lower()}"
        assert ruled(GAME, [FAILING[failure], UP], turns=4, **{option: "DOWN"}).results[0].moves == "DDDD"
        drawn = ruled(GAME, [FAILING[failure], UP], turns=40, **{option: "random"}).results[0]
        assert set(drawn.moves) == set("UDLR"), failure
        assert drawn.failed == 40, failure


def test_fault_2_a_program_without_end_stays_and_the_match_goes_on() -> None:
    endless = program(COIN_GAME, "while True:", "    pass")
    env = submitted(GAME, [endless, UP], [UP, LEFT], rounds=2, turns=3, seconds=0.5)
    told = [(result.moves, result.failure) for result in results(env)]
    assert told == [("SSS", "limit exceeded"), ("UUU", ""), ("UUU", ""), ("LLL", "")]


def test_fault_3_who_wipes_its_board_wipes_its_own_copy() -> None:
    """In the public code both got one array, A first."""
    vandal = program(
        COIN_GAME,
        "for layer in state:",
        "    for row in layer:",
        "        row[:] = [0] * len(row)",
        "state.clear()",
        "my_history.clear()",
        "opp_history.append('STAY')",
        "return 'UP'",
    )
    greedy = written("coin_game", "greedy")
    for seed in range(3):
        assert ruled(GAME, [vandal, greedy], seed, turns=12).moves == ruled(GAME, [UP, greedy], seed, turns=12).moves
        assert ruled(GAME, [greedy, vandal], seed, turns=12).moves == ruled(GAME, [greedy, UP], seed, turns=12).moves


def test_fault_4_no_program_steers_where_coins_come_down() -> None:
    """With the same steps, coins fall the same, whatever a program does to its random numbers or keeps."""
    ways = (
        ["random.seed(0)", "random.random()"],
        ["[random.random() for _ in range(len(my_history) * 50)]"],
        ["random.setstate(random.getstate())"],
        ["random.shuffle(state)"],
    )
    for seed in range(3):
        plain = ruled(GAME, [UP, LEFT], seed, turns=30)
        for lines in ways:
            steering = program(
                COIN_GAME, "try:", *["    " + x for x in lines], "except Exception:", "    pass", "return 'UP'"
            )
            assert ruled(GAME, [steering, LEFT], seed, turns=30).moves == plain.moves
    assert len({tuple(of_nature(ruled(GAME, [UP, LEFT], seed, turns=30))) for seed in range(8)}) == 8


def test_fault_4_nothing_outlives_a_meta_round() -> None:
    keeps = program(
        COIN_GAME,
        "KEPT.append(1)",
        "BOARD[0] = 99",
        "return 'UP' if len(KEPT) == len(my_history) + 1 else 'DOWN'",
        before="KEPT = []\n",
    )
    greedy = written("coin_game", "greedy")
    env = submitted(GAME, [keeps, keeps], [keeps, greedy], [greedy, keeps], turns=4)
    alone = submitted(GAME, [UP, UP], [UP, greedy], [greedy, UP], turns=4)
    assert results(env)[0].moves == results(env)[1].moves == results(env)[2].moves == "UUUU"
    assert env.rulings == alone.rulings


def test_fault_6_a_program_meets_its_copy_in_the_other_seat() -> None:
    source = program(COIN_GAME, "return 'UP' if MY_ID == 'A' else 'LEFT'")
    first, second = ruled(GAME, [source, source], turns=3).results
    assert (first.moves, second.moves) == ("UUU", "LLL")


def test_fault_7_the_seed_decides_everything() -> None:
    drawing = program(COIN_GAME, "return random.choice(MOVES)")
    sources = [drawing, written("coin_game", "fair_bot")]
    one, same, another = (ruled(GAME, sources, seed, turns=15) for seed in (4, 4, 5))
    assert one == same
    assert one.moves != another.moves
    first, second = ruled(GAME, [drawing, drawing], turns=30).results
    assert first.moves != second.moves


def test_coins_come_down_everywhere_alike() -> None:
    """A board of 9 cells, over 1000 placements: 1/9 each, within four standard deviations; no program runs."""
    game = BaseMatch(PROGRAM_COIN.base, econzoo.game(GAME).params()[1]._replace(turns=3000), RandomStreams(1))
    rng = np.random.default_rng(2)
    while game.movers:
        game.play_turn([Move(int(kind), (0.0,)) for kind in rng.integers(4, size=2)])
    cells = [int(move.values[0]) for move in game.moves if move.kind == CHANCE]
    counts = np.bincount(cells, minlength=9)
    assert len(cells) > 1000
    assert np.abs(counts - len(cells) / 9).max() < 4 * np.sqrt(len(cells) * 8 / 81)


def test_fault_8_no_program_is_counted_and_costs_the_other_nothing() -> None:
    env = submitted(GAME, rounds=1, turns=10, max_retries=0)
    env.step("no program at all")
    env.step({"program": written("coin_game", "cooperative")})
    first, second = results(env)
    assert (env.defaults, first.failed, first.failure, first.moves) == ([1, 0], 10, "no program", "S" * 10)
    assert second.payoff > 0
    assert env.game_state.failures == (10, 0)


def test_the_written_programs_always_answer() -> None:
    for name in names("coin_game"):
        for other in ("greedy", name):
            for result in ruled(GAME, [written("coin_game", name), written("coin_game", other)], turns=8).results:
                assert (result.failed, result.problem) == (0, ""), name


@pytest.mark.slow
def test_the_named_lengths_are_played_in_full() -> None:
    for market in ("dyadic", "long", "wide"):
        params = econzoo.game(GAME).scenarios.SETTINGS[market]
        record = econzoo.play(GAME, ["cooperative", "greedy"], seed=2, **params)
        lengths = [len(ruling["results"][0]["moves"]) for ruling in record.rulings or ()]
        assert lengths == [record.params["turns"]] * record.params["rounds"], market
        assert record.payoffs[1] == sum(ruling["results"][1]["payoff"] for ruling in record.rulings or ()), market
        assert isinstance(record.params["size"], int), market


def test_what_a_ruling_says_is_what_the_rules_make_of_its_moves() -> None:
    p: Any = econzoo.game(GAME).params(turns=12)[1]
    ruling = ruled(GAME, [written("coin_game", "greedy"), tape(COIN_GAME, ["UP", "!"])], turns=12)
    s = rules.apply(p, rules.initial(p), ruling.moves)
    assert [result.payoff for result in ruling.results] == list(s.last)
    assert [(r.own, r.others, r.failed) for r in ruling.results] == list(zip(s.own, s.others, s.failed, strict=True))


def test_failures_do_not_move_coins() -> None:
    """Moves that are drawn in the place of an answer come from draws of their own."""
    crash = f"def strategy_function({', '.join(COIN_GAME.parameters)}):\n    return 1 / 0\n"
    placed = {}
    for policy in ("UP", "forfeit", "random"):
        moves = ruled(GAME, [crash, crash], turns=1, on_exception=policy).moves
        placed[policy] = [move for move in moves if move.kind == CHANCE][:4]
    assert placed["UP"] == placed["forfeit"] == placed["random"]
