"""The vector environment stands, step by step and to the last bit, where the scalar environment stands."""

from __future__ import annotations

import copy
import os
import pickle
import subprocess
import sys
from dataclasses import replace
from types import ModuleType
from typing import Annotated, Any, NamedTuple

import numpy as np
import pytest
from gymnasium.vector import AutoresetMode
from hypothesis import given
from hypothesis import strategies as st

import econzoo
from econzoo.envs.core.contract import CHANCE, DONE, SEVERAL, UNKNOWN, ActionSchema, Amount, Game, GameFacts, Kind, Move
from econzoo.envs.core.contract import Outcome, Rules, turns_of
from econzoo.envs.core.env import GameEnv
from econzoo.envs.core.vector import CannotCompileError, GameBatch, VectorGameEnv
from econzoo.envs.core.vector.layout import Layout
from exhaustive import examples
from loops import loops_compiled
from refusals import refuses, says
from toy_games import register_temporarily

pytest.importorskip("numba")
pytestmark = pytest.mark.usefixtures("interpreted")
BARGAINING = econzoo.game("bargaining")


# -- three tiny games: all at once, with chance, and with seats that leave -----------------------------------


class Once(NamedTuple):
    """The one parameter of the tiny games."""

    rounds: int = 3


class View(NamedTuple):
    """What a seat of a tiny game sees."""

    seat: int
    first: float
    second: float


class Heads(NamedTuple):
    """Heads."""


class Tails(NamedTuple):
    """Tails."""


class Bid(NamedTuple):
    """A bid."""

    amount: Annotated[float, Amount("dollars")]


def features(v: View) -> tuple[float, ...]:
    return float(v.seat), v.first, v.second


def tiny(name: str, nature: bool, kinds: tuple, default: Any, **rules: Any) -> Game:
    """A game whose rules are the functions given."""
    game = Game(
        name=name,
        version=0,
        summary="",
        facts=GameFacts(2, nature, False, False, (), "a test"),
        rules=Rules(FEATURES=("seat", "first", "second"), Params=Once, View=View, features=features, **rules),
        actions=ActionSchema(*kinds),
        parameters=(),
        default_action=default,
        package=__name__,
    )
    metrics = ModuleType("metrics")
    metrics.outcome = lambda p, s, definition="paper": Outcome(game.rules.payoffs(p, s), 0.0, 0.0, False)
    game.__dict__["metrics"] = metrics
    return game


COIN_KINDS = (Kind("heads", Heads), Kind("tails", Tails))


class PenniesState(NamedTuple):
    """Matching pennies."""

    round: int
    shown: tuple[float, float]
    wins: tuple[int, int]
    over: bool


def pennies_apply(p: Once, s: PenniesState, moves: tuple[Move, Move]) -> PenniesState:
    first, second = moves[0].kind, moves[1].kind
    match = int(first == second)
    last = s.round == p.rounds
    shown = (first + moves[0].values[0], second + moves[1].values[0])  # kinds without amount carry 0
    return PenniesState(s.round + (not last), shown, (s.wins[0] + match, s.wins[1] + 1 - match), last)


PENNIES = tiny(
    "pennies",
    False,
    COIN_KINDS,
    lambda view: Heads() if view.seat == 0 else Tails(),
    initial=lambda p: PenniesState(1, (UNKNOWN, UNKNOWN), (0, 0), False),
    to_act=lambda p, s: DONE if s.over else SEVERAL,
    legal=lambda p, s, seat: (True, True),
    apply=pennies_apply,
    payoffs=lambda p, s: (float(s.wins[0]), float(s.wins[1])),
    observe=lambda p, s, seat: View(seat, s.shown[0], s.shown[1]),
)


class CoinState(NamedTuple):
    """Call the coin: nature flips a biased coin before every call."""

    round: int
    coin: float
    right: tuple[int, int]
    last: float
    over: bool


def coin_to_act(p: Once, s: CoinState) -> int:
    if s.over:
        return DONE
    return CHANCE if s.coin == UNKNOWN else (s.round + 1) % 2


def coin_apply(p: Once, s: CoinState, moves: tuple[Move]) -> CoinState:
    kind, (amount,) = moves[0]
    if kind == CHANCE:
        return CoinState(s.round, amount, s.right, s.last, False)
    right = int((kind == 0) == (s.coin == 1.0))
    caller = (s.round + 1) % 2
    both = (s.right[0] + right * (1 - caller), s.right[1] + right * caller)
    return CoinState(s.round + 1, UNKNOWN, both, s.coin, s.round == p.rounds)


COIN = tiny(
    "coin",
    True,
    COIN_KINDS,
    lambda view: Tails(),
    initial=lambda p: CoinState(1, UNKNOWN, (0, 0), UNKNOWN, False),
    to_act=coin_to_act,
    chance=lambda p, s: ((1.0, 0.25), (0.0, 0.75)),
    legal=lambda p, s, seat: (s.round != 2, True),  # in round 2 only tails
    apply=coin_apply,
    payoffs=lambda p, s: (float(s.right[0]), float(s.right[1])),
    observe=lambda p, s, seat: View(seat, s.last, float(s.round)),
)


class StandingState(NamedTuple):
    """Of three seats the lowest bidder leaves, until one is left."""

    round: int
    left_in: tuple[int, int, int]


def standing(s: StandingState, seat: int) -> bool:
    return s.left_in[seat] == 0


def lowest_apply(p: Once, s: StandingState, moves: tuple[Move, ...]) -> StandingState:
    lowest, loser, place = 1e9, -1, 0
    for seat in range(3):
        if standing(s, seat):
            if moves[place].values[0] < lowest:
                lowest, loser = moves[place].values[0], seat
            place += 1
    left = (
        s.round if loser == 0 else s.left_in[0],
        s.round if loser == 1 else s.left_in[1],
        s.round if loser == 2 else s.left_in[2],
    )
    return StandingState(s.round + 1, left)


def rounds_lasted(s: StandingState, seat: int) -> float:
    return float(s.left_in[seat] if s.left_in[seat] > 0 else s.round)


LOWEST = tiny(
    "lowest",
    False,
    (Kind("bid", Bid),),
    lambda view: Bid(1.0),
    initial=lambda p: StandingState(1, (0, 0, 0)),
    alive=lambda p, s, seat: s.left_in[seat] == 0,
    to_act=lambda p, s: DONE if s.round == 3 else SEVERAL,
    legal=lambda p, s, seat: (standing(s, seat),),
    bounds=lambda p, s, seat: ((0.0, 10.0),),
    apply=lowest_apply,
    payoffs=lambda p, s: (rounds_lasted(s, 0), rounds_lasted(s, 1), rounds_lasted(s, 2)),
    observe=lambda p, s, seat: View(seat, float(s.round), float(int(standing(s, seat)))),
)


# -- equal to the scalar environment -------------------------------------------------------------------------


class Twin:
    """One scalar game that is given the moves of one game of a batch."""

    def __init__(self, game: Game, on_error: str, **params: Any) -> None:
        self.env = GameEnv(game, face="structured", max_retries=0, on_error=on_error, **params)
        self.chance: list[float] = []
        self.env.reset(seed=0)

    def plain(self, kind: int, amount: float) -> dict[str, Any]:
        kinds = self.env.game.actions.kinds
        out: dict[str, Any] = {} if len(kinds) == 1 else {"kind": kinds[kind].name if 0 <= kind < len(kinds) else "?"}
        if 0 <= kind < len(kinds) and kinds[kind].amount:
            out[kinds[kind].amount] = amount
        return out

    def step(self, kinds: Any, amounts: Any) -> None:
        env = self.env
        together = turns_of(env.game).has_joint_moves
        seats = range(len(kinds)) if together else [0]
        for seat in seats:
            while not env.over and env.terminations[env.agent_selection]:
                env.step(None)
            if env.over or (together and env.agent_selection != f"player_{seat}"):
                continue
            env.step(self.plain(int(kinds[seat]), float(amounts[seat])))


def stands_equal(batch: GameBatch, number: int, twin: Twin) -> None:
    """Compares state, turn, legality, bounds and observations of every seat."""
    env, rules = twin.env, twin.env.game.rules
    params, state = batch.position(number)
    assert (params, state) == (env.params, env.game_state)
    assert [type(x) for x in state] == [type(x) for x in rules.initial(params)]
    assert batch.to_act[number] == rules.to_act(env.params, env.game_state)
    assert tuple(batch.errors[number]) == tuple(env.errors)
    for seat in range(batch.seats):
        games = np.array([number])
        expected = np.array(rules.features(rules.observe(params, state, seat)), np.float32)
        assert np.array_equal(batch.observe(seat, games)[0], expected)
        assert tuple(batch.legal(seat, games)[0]) == tuple(rules.legal(params, state, seat))
        assert [tuple(pair) for pair in batch.bounds(seat, games)[0]] == list(rules.bounds(params, state, seat))


def play_twins(batch: GameBatch, twins: list[Twin], moves: list[tuple[np.ndarray, np.ndarray]]) -> int:
    """Plays the same moves in both; gives the number of games that ended."""
    ended = 0
    for kinds, amounts in moves:
        payoffs, done = batch.step(kinds, amounts)
        for number, twin in enumerate(twins):
            twin.step(np.atleast_1d(kinds[number]), np.atleast_1d(amounts[number]))
            assert done[number] == twin.env.over
            assert tuple(payoffs[number]) == (twin.env.payoffs if done[number] else (0.0,) * batch.seats)
            if done[number]:
                ended += 1
                assert tuple(batch.errors[number]) == tuple(twin.env.errors)
                flags = np.zeros(batch.num_games, bool)
                flags[number] = True
                batch.reset(where=flags)
                twin.env.reset()
            stands_equal(batch, number, twin)
    return ended


SETTINGS = st.fixed_dictionaries(
    {
        "money": st.floats(0.01, 1e12),
        "delta": st.tuples(*[st.floats(0.0, 1.0, exclude_min=True)] * 2),
        "horizon": st.one_of(st.none(), st.integers(1, 6)),
        "max_rounds": st.integers(1, 6),
        "complete_information": st.booleans(),
        "messages": st.booleans(),
    }
)


@pytest.mark.parametrize("on_error", ["default", "forfeit"])
@given(markets=st.lists(SETTINGS, min_size=1, max_size=6), seed=st.integers(0, 2**32))
def test_bargaining_is_equal_to_the_scalar_environment(on_error, markets, seed):
    batch = GameBatch("bargaining", len(markets), markets, on_error=on_error, autoreset=False)
    twins = [Twin(BARGAINING, on_error, **market) for market in markets]
    rng = np.random.default_rng(seed)
    money = np.array([market["money"] for market in markets])
    moves = []
    for _ in range(12):
        kinds = rng.choice([0, 0, 0, 1, 2, 2, 2, -1, 3, 200], size=len(markets))
        amounts = money * rng.choice([0.0, 1.0, 0.5, rng.random(), -0.1, 1.1, 1.0 + 1e-16], size=len(markets))
        moves.append((kinds, amounts))
    play_twins(batch, twins, moves)


def test_many_long_games_are_equal_to_the_last_bit():
    rng = np.random.default_rng(3)
    deltas = rng.uniform(0.5, 1.0, (6, 2))
    batch = GameBatch("bargaining", 6, {"delta": deltas, "horizon": 99}, autoreset=False)
    twins = [Twin(BARGAINING, "default", delta=tuple(delta), horizon=99) for delta in deltas]
    offer, reject = np.zeros(6, int), np.full(6, 2)
    moves = [(offer if t % 2 == 0 else reject, rng.uniform(0, 10_000, 6)) for t in range(101)]
    moves.append((np.ones(6, int), np.zeros(6)))
    assert play_twins(batch, twins, moves) == 6


@pytest.mark.parametrize("game", [PENNIES, LOWEST], ids=["pennies", "lowest"])
@pytest.mark.parametrize("on_error", ["default", "forfeit"])
@examples(8)
@given(seed=st.integers(0, 2**32))
def test_simultaneous_games_are_equal_to_the_scalar_environment(game, on_error, seed):
    rng = np.random.default_rng(seed)
    batch = GameBatch(game, 5, on_error=on_error, autoreset=False)
    twins = [Twin(game, on_error) for _ in range(5)]
    shape = (5, batch.seats)
    moves = [(rng.choice([0, 0, 1, 7], size=shape), rng.choice([2.0, 3.5, 5.0, 11.0], size=shape)) for _ in range(8)]
    assert play_twins(batch, twins, moves) > 0


def test_nature_moves_as_in_the_scalar_environment():
    batch = GameBatch(COIN, 400, seed=5, autoreset=False)
    flips = []
    rng = np.random.default_rng(0)
    states = [batch.position(i)[1] for i in range(400)]
    for _ in range(3):
        kinds = rng.integers(2, size=400)
        flips += [state.coin for state in states]
        payoffs, done = batch.step(kinds)
        for i, state in enumerate(states):
            legal = COIN.rules.legal(Once(3), state, 0)
            kind = kinds[i] if legal[kinds[i]] else 1  # the default is tails
            expected = coin_apply(Once(3), state, (Move(int(kind), (0.0,)),))
            after = batch.position(i)[1]
            if not expected.over:
                assert after.coin in (0.0, 1.0)
                expected = coin_apply(Once(3), expected, (Move(CHANCE, (after.coin,)),))
            assert after == expected
            states[i] = after
        assert np.array_equal(batch.observe(0)[:, 1], np.array([s.last for s in states], np.float32))
    assert done.all()
    assert np.array_equal(payoffs, [COIN.rules.payoffs(Once(3), s) for s in states])
    assert 0.2 < np.mean(flips) < 0.3  # heads have a probability of 1/4


def test_the_same_seed_gives_the_same_games():
    def states(seed: int, autoreset: bool) -> list[Any]:
        batch = GameBatch(COIN, 20, seed=seed, autoreset=autoreset)
        seen = []
        for _ in range(8):
            batch.step(np.zeros(20, int))
            seen.append([batch.position(i)[1] for i in range(20)])
        return seen

    for autoreset in (True, False):
        first = states(1, autoreset)
        assert first == states(1, autoreset), autoreset
        assert first != states(2, autoreset), autoreset


def test_reset_with_a_seed_starts_the_same_games():
    batch = GameBatch(COIN, 50, seed=9)
    first = [batch.position(i) for i in range(50)]
    batch.step(np.zeros(50, int))
    batch.reset(seed=9)
    assert [batch.position(i) for i in range(50)] == first


def test_games_start_again_in_the_step_in_which_they_end():
    batch = GameBatch("bargaining", 3)
    batch.step([0, 0, 0], [6000.0, 7000.0, 8000.0])
    payoffs, done = batch.step([1, 2, 1])
    assert payoffs.tolist() == [[6000.0, 4000.0], [0.0, 0.0], [8000.0, 2000.0]]
    assert done.tolist() == [True, False, True]
    assert batch.to_act.tolist() == [0, 1, 0]
    assert [batch.position(i)[1].round for i in range(3)] == [1, 2, 1]


def test_games_wait_for_reset_without_autoreset():
    batch = GameBatch("bargaining", 2, autoreset=False)
    batch.step([0, 0], [6000.0, 6000.0])
    batch.step([1, 2])
    assert batch.to_act.tolist() == [DONE, 1]
    assert batch.payoffs().tolist() == [[6000.0, 4000.0], [0.0, 0.0]]
    assert not batch.legal()[0].any()
    payoffs, done = batch.step([1, 0], [0.0, 1.0])
    assert not done.any()
    assert not payoffs.any()
    assert batch.gains().tolist() == [[0.6, 0.4], [0.0, 0.0]]
    batch.reset(where=[True, False])
    assert batch.to_act.tolist() == [0, 0]


def test_only_chosen_games_move():
    batch = GameBatch("bargaining", 2)
    batch.step([0, 9], [6000.0, 0.0], where=[True, False])
    assert batch.to_act.tolist() == [1, 0]
    assert not batch.errors.any()


def test_gains_are_those_of_the_metrics():
    rng = np.random.default_rng(0)
    batch = GameBatch("bargaining", 40, {"delta": rng.uniform(0.1, 1, (40, 2))}, autoreset=False)
    batch.step(np.zeros(40, int), rng.uniform(0, 10_000, 40))
    batch.step(rng.integers(1, 3, 40))
    expected = [BARGAINING.metrics.outcome(*batch.position(i)).gains for i in range(40)]
    assert np.array_equal(batch.gains(), expected)
    coin = GameBatch(COIN, 2)
    assert coin.gains().tolist() == [[0.0, 0.0]] * 2  # no `gains` in the rules: the metrics are asked


def test_parameters_are_drawn_anew_for_every_game():
    markets = [{"money": float(m)} for m in range(1, 11)]
    batch = GameBatch("bargaining", 200, markets, seed=1, draw_params=True)
    first = [batch.position(i)[0].money for i in range(200)]
    assert set(first) == {float(m) for m in range(1, 11)}
    batch.step(np.zeros(200, int), np.zeros(200))
    assert [batch.position(i)[0].money for i in range(200)] == first
    payoffs, _ = batch.step(np.ones(200, int))
    assert payoffs[:, 1].tolist() == first
    assert [batch.position(i)[0].money for i in range(200)] != first


def test_a_copy_goes_its_own_way_and_plays_the_same():
    batch = GameBatch(COIN, 10, seed=3)
    for twin in (copy.deepcopy(batch), pickle.loads(pickle.dumps(GameBatch("bargaining", 10)))):
        twin.step(np.zeros(10, int))
    assert all(batch.position(i)[1].round == 1 for i in range(10))


# -- what comes in -------------------------------------------------------------------------------------------


def test_what_is_no_move_is_refused_and_nothing_is_played():
    batch = GameBatch("bargaining", 2)
    nan, inf = float("nan"), float("inf")
    for kinds, amounts, named in [
        ([0, 0], [1.0], ("values", "(2,)")),
        ([0], [1.0, 1.0], ("kinds", "(2,)")),
        ([[0], [0]], [1.0, 1.0], ("kinds", "(2,)")),
        ([0.0, 0.0], [1.0, 1.0], ("kinds", "float64")),
        ([True, False], [1.0, 1.0], ("kinds", "bool")),
        (["a", "b"], [1.0, 1.0], ("kinds",)),
        ([0, 0], ["a", "b"], ("values",)),
        ([0, 0], [None, None], ("values",)),
        ([0, 0], [1j, 1j], ("values",)),
        ([0, 0], [1.0, nan], ("values", nan, "game 1")),
        ([0, 0], [inf, 1.0], ("values", inf, "game 0")),
        ([0, [0, 1]], [1.0, 1.0], ("kinds",)),
        (None, None, ("kinds", "(2,)")),
    ]:
        with refuses(ValueError, *named):
            batch.step(kinds, amounts)
        assert batch.to_act.tolist() == [0, 0], (kinds, amounts)
        assert not batch.errors.any(), (kinds, amounts)


def test_whole_number_types_and_views_are_taken():
    for kind in (np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint64):
        batch = GameBatch("bargaining", 4)
        given = np.zeros(8, kind)[::2]
        given.setflags(write=False)
        batch.step(given, np.arange(4, dtype=np.float32))
        assert batch.to_act.tolist() == [1] * 4
        assert batch.position(3)[1].asked == (3.0, UNKNOWN)


def test_on_error_raise_names_the_move_and_plays_nothing():
    batch = GameBatch("bargaining", 3, {"money": 50.0}, on_error="raise")
    with refuses(ValueError, "kind 0", [51.0], "seat 0", "game 2"):
        batch.step([0, 0, 0], [1.0, 50.0, 51.0])
    assert batch.to_act.tolist() == [0, 0, 0]
    with refuses(ValueError, "kind 1", "game 1"):
        batch.step([0, 1, 0], [1.0, 50.0, 1.0])
    batch.step([0, 0, 0], [1.0, 50.0, 0.0])
    assert batch.to_act.tolist() == [1, 1, 1]


def test_wrong_arguments_are_named():
    for arguments, *named in [
        ({"num_games": 0}, "num_games=0"),
        ({"num_games": 2.0}, "num_games=2.0"),
        ({"num_games": True}, "num_games=True"),
        ({"on_error": "shrug"}, "on_error='shrug'"),
        ({"params": {"mony": 1}}, "'mony'", "money"),
        ({"params": {"money": float("nan")}}, "money=nan"),
        ({"params": [{}, {}, {}]}, 3, 2),
        ({"params": []}, 0),
        ({"params": "money"}, "params", "str"),
        ({"params": [1, 2]}, "params", "int"),
        ({"params": {"money": np.ones(3)}}, "money", 3, 2),
        ({"params": {"delta": np.full((2, 2), 1.5)}}, "delta"),
        ({"game": "chess"}, "'chess'"),
    ]:
        with refuses(ValueError, *named):
            GameBatch(**{"game": "bargaining", "num_games": 2, **arguments})


def test_seats_and_games_that_do_not_exist_are_refused():
    batch = GameBatch("bargaining", 2)
    seats = [(2, "seat"), (-1, "seat"), (0.5, "seat"), ([0], "seat")]
    games = [([2], "games"), ([-1], "games"), ([[0]], "games"), ([0.0], "games")]
    for value, name in [*seats, *games]:
        for asked in (batch.observe, batch.legal, batch.bounds):
            with refuses(ValueError, name):
                asked(*([value] if name == "seat" else [None, value]))
    with refuses(ValueError, "where", "bool"):
        batch.reset(where=[1, 0])


def test_arrays_given_out_are_the_callers_own():
    batch = GameBatch("bargaining", 2)
    with pytest.raises(ValueError, match="read-only"):
        batch.to_act[0] = 1
    kinds, amounts = np.array([5, 0]), np.array([1.0, 2.0])
    payoffs, done = batch.step(kinds, amounts)
    batch.step([1, 1])
    assert not payoffs.any()
    assert not done.any()
    assert kinds.tolist() == [5, 0]
    assert amounts.tolist() == [1.0, 2.0]


def test_rules_that_cannot_be_compiled_say_so():
    names = ("initial", "to_act", "legal", "apply", "payoffs", "observe")
    rules = {name: getattr(PENNIES.rules, name) for name in names}
    rules["initial"] = lambda p: PenniesState(1, (UNKNOWN, UNKNOWN), tuple(x for x in (0, 0)), False)
    with loops_compiled(True), refuses(CannotCompileError, "slow"):
        GameBatch(tiny("slow", False, COIN_KINDS, PENNIES.default_action, **rules), 2)


PRELUDE = "import sys; sys.modules['numba'] = None\nimport econzoo\n"


def run(code: str, **environment: str) -> subprocess.CompletedProcess:
    return subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, env={**os.environ, **environment}, check=False
    )


def test_without_numba_everything_but_vectors_works():
    done = run(
        PRELUDE
        + "econzoo.make('bargaining').reset()\nimport econzoo.envs.core.vector.batch as v\nv.GameBatch('bargaining', 2)"
    )
    assert done.returncode == 1
    says(done.stderr.strip().splitlines()[-1], "numba", "pip install 'econzoo[fast]'")


@pytest.mark.long
def test_a_cache_folder_that_cannot_be_made_is_done_without(tmp_path):
    (tmp_path / "file").write_text("")
    done = run(
        "from econzoo.envs.core.vector.batch import GameBatch; print(GameBatch('bargaining', 2).to_act)",
        ECONZOO_CACHE=str(tmp_path / "file" / "below"),
        NUMBA_DISABLE_JIT="0",
    )
    assert (done.returncode, done.stdout) == (0, "[0 0]\n"), done.stderr


@pytest.mark.slow
def test_compiled_loops_are_kept_on_disk(tmp_path):
    code = "from econzoo.envs.core.vector.batch import GameBatch; GameBatch('bargaining', 2)"
    for _ in range(2):
        assert run(code, ECONZOO_CACHE=str(tmp_path), NUMBA_DISABLE_JIT="0").returncode == 0
    assert len(list((tmp_path / "vector").glob("bargaining_*.txt"))) == 1
    assert len(list((tmp_path / "vector").rglob("*start*.nbc"))) == 1


# -- the Gymnasium environment -------------------------------------------------------------------------------


def masked(masks: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """A random legal action a row; 0 where there is none."""
    return np.argmax(masks * rng.random(masks.shape), axis=1)


PARTS = st.sampled_from([None, (0.3, 0.7), {"gain": (0.1, 1.0)}])


@given(market=SETTINGS, seed=st.integers(0, 2**32), grid=st.integers(2, 11), part=PARTS)
def test_self_play_is_equal_to_the_numeric_face(market, seed, grid, part):
    own: dict[str, Any] = {"grid": grid, "grid_range": part, **market}
    env = VectorGameEnv("bargaining", 4, autoreset_mode=AutoresetMode.DISABLED, **own)
    twins = [GameEnv(BARGAINING, **own) for _ in range(4)]
    rng = np.random.default_rng(seed)
    seen, infos = env.reset(seed=seed)
    for twin in twins:
        twin.reset()
    for _ in range(10):
        assert seen in env.observation_space
        for i, twin in enumerate(twins):
            last = twin.observe(f"player_{infos['seat'][i]}")
            assert twin.over or twin.agent_selection == f"player_{infos['seat'][i]}"
            for key in last:
                assert np.array_equal(seen[key][i], last[key])
        actions = np.where(rng.random(4) < 0.8, masked(seen["action_mask"], rng), env.action_space.sample())
        actors = infos["seat"]
        seen, rewards, terminated, truncated, infos = env.step(actions)
        assert not truncated.any()
        for i, twin in enumerate(twins):
            twin.step(int(actions[i]))
            assert terminated[i] == twin.over
            assert rewards[i] == twin.rewards[f"player_{actors[i]}"]
            if twin.over:
                assert tuple(infos["payoff"][i]) == twin.payoffs
                assert tuple(infos["gain"][i]) == twin.outcome().gains
                assert tuple(infos["errors"][i]) == tuple(twin.errors)
        if terminated.any():
            for i, twin in enumerate(twins):
                for key, value in twin.observe(f"player_{infos['seat'][i]}").items():
                    assert np.array_equal(seen[key][i], value)
                if terminated[i]:
                    twin.reset()
            seen, infos = env.reset(options={"reset_mask": terminated})


def stubborn(observations: np.ndarray, masks: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Asks for 70%, accepts 40% or more."""
    assert observations.shape == (len(masks), 14)
    proposing = masks[:, 0] == 1
    return np.where(proposing, 70, np.where(observations[:, 9] >= 0.4, 101, 102))


def test_a_learner_plays_against_the_opponent():
    for seat in [0, 1]:
        env = econzoo.make_vec("bargaining", 3, seat=seat, opponent=stubborn, autoreset_mode="SameStep")
        seen, infos = env.reset(seed=1)
        assert infos["seat"].tolist() == [seat] * 3, seat
        if seat == 1:
            assert seen["action_mask"][:, 101:].all(), seat
            assert seen["observation"][:, 9] == pytest.approx([0.3] * 3), seat
            seen, rewards, terminated, _, infos = env.step([102, 102, 101])
            assert terminated.tolist() == [False, False, True], seat
            assert rewards == pytest.approx([0.0, 0.0, 0.3]), seat
            seen, rewards, terminated, _, infos = env.step([61, 60, 102])  # two offers, and a new game
            assert terminated.tolist() == [False, True, False], seat
            assert rewards == pytest.approx([0.0, 0.9 * 0.6, 0.0]), seat
        else:
            assert seen["action_mask"][:, :101].all(), seat
            seen, rewards, terminated, _, infos = env.step([60, 61, 50])
            assert terminated.tolist() == [True, False, True], seat
            assert rewards == pytest.approx([0.6, 0.0, 0.5]), seat
            assert infos["final_info"]["payoff"].tolist() == [[6000, 4000], [0, 0], [5000, 5000]], seat
            assert infos["_final_obs"].tolist() == [True, False, True], seat
            assert infos["final_obs"][0]["action_mask"].all(), seat
            assert not infos["final_obs"]["observation"][1].any(), seat
            assert seen["action_mask"][0, :101].all(), seat
            assert seen["observation"][1, 9] == pytest.approx(0.3), seat


def test_next_step_mode_shows_the_end_and_ignores_the_action_after_it():
    env = VectorGameEnv("bargaining", 2)
    assert env.metadata["autoreset_mode"] is AutoresetMode.NEXT_STEP
    env.reset(seed=0)
    env.step([60, 60])
    seen, rewards, terminated, _, infos = env.step([101, 102])
    assert terminated.tolist() == [True, False]
    assert rewards.tolist() == [0.4, 0.0]
    assert infos["seat"].tolist() == [1, 1]
    assert seen["action_mask"][0].all()
    seen, rewards, terminated, _, infos = env.step([102, 50])
    assert rewards.tolist() == [0.0, 0.0]
    assert not terminated.any()
    assert infos["seat"].tolist() == [0, 0]
    assert seen["observation"][0, 2] == 0.0  # round 1


def test_observations_and_masks_may_be_written_to():
    env, untouched = VectorGameEnv("bargaining", 3), VectorGameEnv("bargaining", 3)
    seen, same = env.reset(seed=1)[0], untouched.reset(seed=1)[0]
    for action in (60, 101, 50):
        assert all(np.array_equal(seen[key], same[key]) for key in same)
        for array in seen.values():
            array[:] = -1
        seen, same = (each.step(np.full(3, action))[0] for each in (env, untouched))


def test_disabled_mode_wants_a_reset():
    env = VectorGameEnv("bargaining", 2, autoreset_mode="Disabled", horizon=1)
    env.reset()
    env.step([60, 60])
    env.step([102, 102])
    with refuses(RuntimeError, "2 games"):
        env.step([60, 60])
    env.reset()
    env.step([60, 60])


def test_the_same_seed_gives_the_same_episodes():
    def played(seed: int, mode: AutoresetMode) -> list[np.ndarray]:
        markets = [{"delta": (0.5 + k / 20, 0.9)} for k in range(10)]
        env = VectorGameEnv(
            "bargaining", 6, seat=1, opponent=lambda o, m, rng: masked(m, rng), params=markets, autoreset_mode=mode
        )
        rng = np.random.default_rng(0)
        seen, _ = env.reset(seed=seed)
        out = [seen["observation"]]
        for _ in range(12):
            seen, rewards, terminated, _, _ = env.step(masked(seen["action_mask"], rng))
            out += [seen["observation"], rewards]
            if mode is AutoresetMode.DISABLED and terminated.any():
                seen, _ = env.reset(options={"reset_mask": terminated})
        return out

    for mode in AutoresetMode:
        first, again, other = (played(seed, mode) for seed in (4, 4, 5))
        assert all(np.array_equal(x, y) for x, y in zip(first, again, strict=True)), mode
        assert not all(np.array_equal(x, y) for x, y in zip(first, other, strict=True)), mode


def test_other_objectives_are_those_of_the_scalar_environment():
    for objective in ["fairness", "payoff", "0.5*self_gain + 0.5*efficiency"]:
        env = VectorGameEnv("bargaining", 2, objective=objective, metrics="glee-code")
        twin = GameEnv(BARGAINING, objective=objective, metrics="glee-code")
        env.reset()
        twin.reset()
        for action in (60, 102, 80):
            env.step([action] * 2)
            twin.step(action)
        assert env.step([101] * 2)[1].tolist() == [twin.step(101) or twin.rewards["player_0"]] * 2, objective


def test_a_simultaneous_game_has_a_learner():
    with register_temporarily(PENNIES):
        env = VectorGameEnv(
            "pennies", 3, seat=1, opponent=lambda o, m, rng: np.zeros(len(m), int), autoreset_mode="SameStep"
        )
        env.reset(seed=0)
        for _ in range(2):
            assert not env.step([0, 1, 1])[2].any()
        _, rewards, terminated, _, infos = env.step([0, 1, 0])
        assert terminated.all()
        assert infos["final_info"]["payoff"].tolist() == [[3, 0], [0, 3], [1, 2]]
        assert rewards.tolist() == [0.0, 3.0, 2.0]


def test_a_simultaneous_game_wants_a_learner_and_an_opponent():
    """What the message asks for is allowed, and nothing that it does not."""
    with register_temporarily(PENNIES):
        for arguments in [{}, {"seat": 0}, {"opponent": stubborn}, {"seat": 2}, {"seat": 2, "opponent": stubborn}]:
            named = ("seat=2", 0, 1) if arguments.get("seat") == 2 else ("seat", "opponent")
            with refuses(ValueError, *named) as refused:
                VectorGameEnv("pennies", 3, **arguments)
            assert "None" not in str(refused.value), arguments


def test_wrong_arguments_of_the_environment_are_named():
    for arguments, *named in [
        ({"seat": 0}, "seat", "opponent"),
        ({"opponent": stubborn}, "seat", "opponent"),
        ({"seat": 2, "opponent": stubborn}, "seat=2"),
        ({"seat": 0, "opponent": "boulwar(0.2)"}, "'boulwar(0.2)'"),
        ({"seat": 0, "opponent": {"fair": 0}}, 0),
        ({"seat": 0, "opponent": "fair", "settings": "x"}, "'x'"),
        ({"grid": 1}, "grid=1"),
        ({"objective": "fame"}, "objective='fame'"),
        ({"autoreset_mode": "never"}, "autoreset_mode='never'"),
        ({"render_mode": "human"}, "render_mode='human'"),
        ({"mony": 3}, "'mony'"),
        ({"params": "x"}, "params='x'"),
        ({"num_envs": 0}, "num_games=0"),
    ]:
        with refuses(ValueError, *named):
            VectorGameEnv(**{"game": "bargaining", "num_envs": 2, **arguments})


def test_actions_outside_the_space_are_refused():
    env = VectorGameEnv("bargaining", 2)
    env.reset(seed=0)
    for actions in ([103, 0], [-1, 0], [0], [0.0, 0.0], None, ["a", "b"]):
        with refuses(ValueError, "actions"):
            env.step(actions)
    for seed in ([1, 2], -1, True, "a", 1.5):
        for reset in (env.reset, env.batch.reset):
            with refuses(ValueError, f"seed={seed!r}"):
                reset(seed=seed)
    with refuses(ValueError, "options=5"):
        env.reset(options=5)


class Crowded(NamedTuple):
    """More numbers than can be compiled in any time."""

    purses: tuple[float, ...]


def test_what_would_take_too_long_to_compile_is_refused_at_once():
    crowded = replace(COIN.rules, initial=lambda p: Crowded((0.0,) * 1200), payoffs=lambda p, s: s.purses[:2])
    with refuses(CannotCompileError, "1,201", "1,000", "gymnasium.make_vec"):
        GameBatch(replace(COIN, rules=crowded), 2)


class Listed(NamedTuple):
    """Parameters with a long and a short list, and a table."""

    worths: tuple[float, ...]
    few: tuple[int, ...]
    facts: tuple[tuple[float, ...], ...]


def test_long_lists_of_parameters_are_arrays():
    one = Listed(tuple(range(40)), (1, 2), tuple((float(i), 0.5) for i in range(40)))
    layout = Layout(one, tables=True)
    assert [leaf.shape for leaf in layout.leaves] == [(40,), (), (), (40, 2)]
    worths, _, _, facts = layout.arrays([one, one._replace(worths=(7.0,) * 40)])
    assert (worths[:, 3].tolist(), facts[1, 39].tolist()) == ([3.0, 7.0], [39.0, 0.5])
    ragged = one._replace(facts=((1.0,), (1.0, 2.0)) * 20)
    assert len(Layout(ragged, tables=True).leaves) == 1 + 2 + 60, "rows of several lengths stay numbers"
    assert len(Layout(one).leaves) == 40 + 2 + 80


def test_what_only_a_referee_can_decide_is_refused():
    with refuses(ValueError, "program_matrix", "gymnasium.make_vec"):
        econzoo.make_vec("program_matrix", 2)


@pytest.mark.slow
def test_make_vec_works_in_a_fresh_process_and_in_the_wrappers_of_gymnasium():
    code = (
        "import econzoo, gymnasium\n"
        "env = econzoo.make_vec('bargaining', num_envs=2)\n"
        "env = gymnasium.wrappers.vector.RecordEpisodeStatistics(env)\n"
        "env.reset(seed=1); env.step([60, 60]); print(env.step([101, 101])[4]['episode']['r'])\n"
    )
    done = run(code)
    assert done.stdout == "[0.4 0.4]\n", done.stderr
