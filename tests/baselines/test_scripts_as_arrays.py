"""Scripted players compiled move as the same functions do in Python, and these as the players at the table do."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import econzoo
from econzoo.baselines import members, player
from econzoo.baselines.matrix import CLASSICS
from econzoo.envs.core.contract import ZERO_UNIFORMS
from econzoo.envs.core.faces import GRID
from econzoo.envs.core.vector import BatchNumbers, CannotCompileError, GameBatch, LearnerBatch, script_of
from econzoo.envs.core.vector.opponents import Opponents
from econzoo.envs.core.vector.scripted_seats import pool_entries
from econzoo.wrappers import MatchLoop
from exhaustive import long_unless
from loops import loops_compiled
from refusals import refuses

pytest.importorskip("numba")
pytestmark = pytest.mark.usefixtures("interpreted")

BIDDERS = ("reserve(2)", "need-based", "shade(0.3)", "all-in", "last-price+1", "bid(90)", "mixed(0.2, 0.9)")

SPECS = {
    "bargaining": (
        *("spe", "fair", "boulware(0.2)", "conceder(3)", "linear", "tit-for-tat", "greedy(0.9)", "acceptor"),
        *("deadline(0.7, 3)", "generated('harden', 3)", "generated('switch', 4)", "generated('irregular', 5)"),
        *("quantal(8)", "sender('weak')", "sender('strong')", "receiver('weak')", "receiver('strong')"),
    ),
    "negotiation": (
        "spe",
        "honest-midpoint",
        "anchor(2)",
        "concede(0.3)",
        "fixed-price(0.3)",
        "tough",
        "truthful",
        "holdout",
        *("generated('harden', 3)", "generated('switch', 4)", "generated('irregular', 5)"),
        "quantal(20)",
    ),
    "matrix": (
        *CLASSICS,
        *(f"generated('{family}', 3)" for family in ("automaton", "count", "trigger", "learning", "switch")),
    ),
    "persuasion": (
        *("honest", "always", "signal(0.4, 0.9)", "bayes-persuader(0.1)", "trust-builder(3)", "quota"),
        *("never", "babbling", "bayes", "trust(0.7)", "grim", "tit-for-tat", "receiver"),
    ),
    "guess_average": (
        "fixed",
        "fixed(30, 0)",
        "last",
        "mono",
        "monorand",
        "k-level(3)",
        "k-level(2, level0=20)",
        "nash",
    ),
    "water_allocation": (*BIDDERS, "honest-share"),
    "survival_auction": BIDDERS,
    "public_goods": (
        *(
            "free-rider",
            "cooperator(0.6)",
            "conditional-cooperator(0.8, 0.9)",
            "hump-shaped",
            "punisher(6.4, 0.9, 0.8)",
        ),
        *("antisocial(9)", "antisocial"),
    ),
    "double_auction": ("truthful", "linear", "zi", "shading(0.2)", "midpoint", "midpoint(0.3)"),
    "multi_issue": (
        *("spe", "fair", "greedy", "concede(0.4)", "logroll(2)", "tit-for-tat"),
        *("generated('harden', 3)", "generated('switch', 4)", "generated('irregular', 5)"),
    ),
    "coin_game": (
        *("greedy", "cooperative", "considerate", "spiteful", "mixed(0.4)"),
        *("tit-for-tat", "tit-for-tat(1)", "punisher(2)", "grim", "selfish-last(3)"),
    ),
}
"""One of every strategy of a game."""

OTHERWISE = ("monorand", "signal(0.4, 0.9)", "bayes-persuader(0.1)")
"""They draw in another order at the table."""

PICKING, PICKS = ("coin_game",), (0.1, 0.35, 0.6, 0.85)
"""Of moves that are as good, a player at the table picks with another draw; these find each of up to four."""

PLANNERS = [
    ("bargaining", "identify"),
    ("bargaining", "plan"),
    ("bargaining", "receiver"),
    ("negotiation", "identify"),
    ("negotiation", "plan"),
    ("multi_issue", "plan"),
    ("water_allocation", "mpc"),
    ("survival_auction", "mpc"),
    ("coin_game", "efficient"),
    ("coin_game", "best-response"),
]

SETTINGS: dict[str, list[dict[str, Any]]] = {
    "bargaining": [
        {"horizon": 7, "delta": (0.93, 0.81)},
        {"horizon": 5, "delta": (1.0, 0.6), "complete_information": False, "money": 100.0},
        {"horizon": None, "delta": (0.9, 0.95)},
    ],
    "negotiation": [
        {"seller_value": 0.87654321, "buyer_value": 1.23456789, "horizon": 7},
        {"seller_value": 1.2, "buyer_value": 0.8, "horizon": 6, "money": 50.0},
        {"seller_value": 0.8, "buyer_value": 1.5, "horizon": None},
        {"seller_value": 1.0, "buyer_value": 1.2, "horizon": 4, "complete_information": False},
    ],
    "persuasion": [
        {"rounds": 12, "message_type": "binary"},
        {"rounds": 9, "message_type": "binary", "buyer": "myopic", "high_value": 1.5},
        {"rounds": 9, "message_type": "binary", "prior": 0.3, "high_value": 3.0, "low_value": 0.2},
    ],
    "guess_average": [{}, {"rounds": 5, "factor": 0.6}, {"low": 10, "high": 50, "rounds": 8}],
    "water_allocation": [
        {"days": 8},
        {"days": 6, "supply": (0, 60), "reward": "days"},
        {"days": 6, "residents": [(f"R{i}", 3 * i + 2, 37.0 * i) for i in range(5)], "start_health": 4},
    ],
    "survival_auction": [{}, {"salary": 0.37, "days": 6, "start_health": 3}, {"salary": 1e6, "reward": "health"}],
    "public_goods": [
        {},
        {"players": 4, "mpcr": 0.75, "cost": "linear", "rounds": 5},
        {"punishment": False, "rounds": 4},
    ],
    "double_auction": [{}, {"talk": 0, "k": 0.3}, {"talk": 3, "money": 7.5, "k": 1.0}],
    "multi_issue": [
        {},
        {"delta": 0.9, "complete_information": True, "horizon": 5},
        {"items": (1, 4, 1), "values": ((2, 1, 4), (0, 2, 2)), "delta": 0.8, "horizon": 7},
        {"items": (5, 1, 1), "values": ((1, 0, 5), (0, 10, 0)), "complete_information": True, "horizon": 2},
    ],
    "coin_game": [{}, {"size": 2, "rounds": 9, "known": False}, {"size": 4, "rounds": 12}],
    "matrix": [{"rounds": 30}, {"rounds": 20, "noise": 0.1, "known": False}, {"rounds": 12, "stage_game": "chicken"}],
}


class Table:
    """Games in which each seat is a script's or moves at random, anew in every game."""

    def __init__(self, game: str, specs: tuple[str, ...]) -> None:
        self.batch = GameBatch(game, 120, SETTINGS[game], seed=1, draw_params=True)
        numbers = BatchNumbers(self.batch, GRID)
        self.opponents = Opponents(self.batch, numbers, specs), Opponents(self.batch, numbers, "random")
        self.scripts, self.random = (one.scripted for one in self.opponents)
        columns = self.batch.seats if self.batch.turns.has_joint_moves else 1
        self.kinds = np.zeros((self.batch.num_games, columns), np.int64)
        self.values = np.zeros((self.batch.num_games, columns, self.batch.actions.width))
        self.rng, self.luck, self.twin = (np.random.default_rng(seed) for seed in (1, 2, 2))
        self.every, self.done = np.ones(self.batch.num_games, bool), np.ones(self.batch.num_games, bool)

    def moved(self) -> int:
        """Plays a move; says how many were those of scripts, each of which is that of the Python function."""
        nobody = np.full(self.batch.num_games, -1)
        for seats in self.opponents:
            seats.sit(self.done, nobody, self.rng)
        left = self.rng.random(self.scripts.seated_players.shape) < 0.4
        self.scripts.seated_players[left & self.done[:, None]] = -1
        self.random.seated_players[:] = np.where(self.scripts.seated_players < 0, 0, -1)
        before, flat = self.scripts.memory.copy(), self.values.reshape(self.batch.num_games, -1)
        self.scripts.move(self.every, self.kinds, flat, self.luck)
        count = sum(self.as_in_python(game, seat, before[game, seat]) for game, seat in self.asked())
        self.random.move(self.every, self.kinds, flat, self.rng)
        one = self.kinds.shape[1] == 1
        self.done = self.batch.step(*((self.kinds[:, 0], flat) if one else (self.kinds, self.values)))[1]
        return count

    def asked(self) -> list[tuple[int, int]]:
        """Games and seats in which a script moves now."""
        scripted = self.scripts.seated_players >= 0
        legal = [self.batch.legal(seat).any(axis=1) for seat in range(self.batch.seats)]
        return [(int(i), int(j)) for i, j in np.argwhere(scripted & np.stack(legal, axis=1))]

    def as_in_python(self, game: int, seat: int, past: Any) -> bool:
        """Asserts that the move that was written, and what was noted, are those of the Python functions."""
        params, state = self.batch.position(game)
        entry = self.scripts.pool[self.scripts.seated_players[game, seat]]
        view, column = self.batch.game.rules.observe(params, state, seat), min(seat, self.kinds.shape[1] - 1)
        entry.script.note(view, past)
        move = entry.script.move(view, entry.script.numbers, past, (self.twin.random(), self.twin.random()))
        written = (self.kinds[game, column], *self.values[game, column])
        assert written == (move.kind, *move.values), f"{entry.spec} at {view}"
        assert np.array_equal(past, self.scripts.memory[game, seat])
        return True


def compared(game: str, specs: tuple[str, ...], wanted: int) -> Table:
    """Games played until so many moves were compared."""
    table, count = Table(game, specs), 0
    while count < wanted:
        count += table.moved()
    return table


def test_compiled_scripts_move_as_their_python_functions():
    table = compared("bargaining", ("fair", "boulware(0.2)", "tit-for-tat"), 2000)
    assert not table.batch.errors.any()


def test_settings_and_specs_are_drawn_from_as_often_as_documented():
    one, other = [
        LearnerBatch("bargaining", 2, seat=0, opponent=["fair", "boulware(e~uniform(0.1, 0.9))"], params="train")
        for _ in range(2)
    ]
    pool, again = one.opponents.scripted.pool, other.opponents.scripted.pool
    assert (len(one.batch.sets), len(pool)) == (1024, 1 + 1024)
    assert [entry.spec for entry in pool] == [entry.spec for entry in again]
    assert one.batch.sets == other.batch.sets
    assert sum(entry.weight for entry in pool[1:]) == pytest.approx(pool[0].weight)


def test_those_who_plan_say_who_can_be_compiled():
    for game, spec in PLANNERS:
        with refuses(CannotCompileError, spec, game, "random"):
            pool_entries(spec, game)


@pytest.mark.slow
def test_a_grammar_of_strategies_is_compiled_once_and_moves_as_in_python():
    for game, most in {"bargaining": 1, "negotiation": 1, "multi_issue": 1, "matrix": 2}.items():
        specs = [spec for spec in members(game, ["families"]) if spec.startswith("generated")]
        with loops_compiled(True):
            table = compared(game, tuple(specs), 20_000)
        assert len({(entry.script.move, entry.script.note) for entry in table.scripts.pool}) == most, "learners apart"
        assert not table.batch.errors.any(), game


@pytest.mark.long
def test_compiled_scripts_move_as_their_python_functions_in_ten_thousand_positions_each():
    for game, specs in SPECS.items():
        table = compared(game, specs, 10_000 * len(specs))
        assert not table.batch.errors.any(), game


@pytest.mark.parametrize("game", long_unless(lambda one: [*SPECS].index(one) % 3 == 0, SPECS, "slow"))
def test_players_at_the_table_move_as_their_scripts_say(game):
    for spec in SPECS[game]:
        for number, market in enumerate(SETTINGS[game] if spec not in OTHERWISE else ()):
            as_scripted(game, spec, market, number % econzoo.game(game).facts.seats)


def as_scripted(game: str, spec: str, market: dict[str, Any], seat: int) -> None:
    """Plays matches against players at random; every move of the player is the one of its script."""
    env, one = econzoo.make(game, face="structured", **market), player(spec, game)
    script = script_of(one, game)
    assert script is not None
    luck = getattr(one, "random_numbers", lambda round: ZERO_UNIFORMS)
    if not one.can_take_seat(seat):
        seat = 1 - seat
    for seed in range(1 + (game != "matrix")):
        env.reset(seed=seed)
        seats = range(len(env.possible_agents))
        players = [one if own == seat else player("random", game) for own in seats]
        loop, past = MatchLoop(env, players, seed), np.array(script.start(env.params))
        while not env.over:
            answer = loop.player.act(loop.observation, loop.info)
            if loop.seat == seat:
                view = env.view(seat)
                script.note(view, past)
                answer = {key: value for key, value in answer.items() if key != "message"}
                lots = [(luck(view.round)[0], pick) for pick in PICKS] if game in PICKING else [luck(view.round)]
                moves = [script.move(view, script.numbers, past, lot) for lot in lots]
                assert answer in [env.actions.to_plain(env.actions.make(*move)) for move in moves], f"{spec} at {view}"
            env.step(answer)
            loop.look()
