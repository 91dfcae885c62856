"""Strategies of the Axelrod library at our table, and ours beside theirs move for move."""

from __future__ import annotations

import sys
from itertools import product
from random import Random

import pytest

import econzoo
from econzoo.baselines import axelrod_player, is_known_spec, player
from econzoo.baselines.matrix import PLAYERS
from econzoo.baselines.matrix.classic import HIDDEN, Payoffs
from econzoo.baselines.matrix.counterparts import COUNTERPARTS
from econzoo.envs.core import game
from econzoo.wrappers import SeatInfo
from refusals import refuses

pytestmark = pytest.mark.slow

TURNS = 100
SAME = sorted(spec for spec in COUNTERPARTS if player(spec, "matrix").deterministic)
DRAWN = sorted(set(COUNTERPARTS) - set(SAME))

FIXED = {
    **{
        f"sequence {seed}": [int(Random(seed).random() < bad) for _ in range(TURNS)]
        for seed, bad in enumerate((0.5, 0.5, 0.3, 0.15, 0.05, 0.8))
    },
    "all C": [0] * TURNS,
    "all D": [1] * TURNS,
    "CD": [turn % 2 for turn in range(TURNS)],
    "DDC": [int(turn % 3 < 2) for turn in range(TURNS)],
}
"""Opponents that do not react."""


def reacting(name, mine, turn):
    if name == "tit for tat":
        return mine[turn - 1] if turn else 0
    if name == "bully":
        return 1 - mine[turn - 1] if turn else 1
    return int(1 in mine[:turn])  # grudger


OPPONENTS = (*FIXED, "tit for tat", "bully", "grudger")


def opposite(name, mine, turn):
    return FIXED[name][turn] if name in FIXED else reacting(name, mine, turn)


def theirs(axelrod, spec, payoffs, length):
    """The library's strategy and a stand-in for its opponent."""
    made = getattr(axelrod, COUNTERPARTS[spec])()
    table = axelrod.Game(r=payoffs.cc, s=payoffs.cd, t=payoffs.dc, p=payoffs.dd)
    made.set_match_attributes(length=length, game=table, noise=0)
    return made, axelrod.Player()


def of(axelrod, move):
    return axelrod.Action.D if move else axelrod.Action.C


def moves_of_both(axelrod, spec, opponent, payoffs, horizon):
    """What ours and theirs play against the same opponent, as long as they agree."""
    ours = player(spec, "matrix")
    given = ours.numbers(payoffs)
    library, stand_in = theirs(axelrod, spec, payoffs, float("inf") if horizon == HIDDEN else horizon)
    mine, other = bytearray(), bytearray()
    for turn in range(TURNS):
        move, expected = ours.move(mine, other, turn, horizon, 0.5, given), str(library.strategy(stand_in))
        if "CD"[move] != expected:
            return mine, other, turn
        answer = opposite(opponent, mine, turn)
        mine.append(move)
        other.append(answer)
        library.update_history(of(axelrod, move), of(axelrod, answer))
        stand_in.update_history(of(axelrod, answer), of(axelrod, move))
    return mine, other, TURNS


@pytest.mark.long
def test_deterministic_strategies_agree_move_for_move(axelrod):
    told = [*product((TURNS,), OPPONENTS), *product((HIDDEN,), ("sequence 0", "CD", "tit for tat"))]
    for spec, (horizon, opponent) in product(SAME, told):
        mine, other, turn = moves_of_both(axelrod, spec, opponent, Payoffs(3.0, 0.0, 5.0, 1.0), horizon)
        assert turn == TURNS, f"{spec}, {opponent}: after {list(mine[-6:])} against {list(other[-6:])}"


def test_they_agree_with_other_payoffs_too(axelrod):
    for spec in ("adaptive('sum')", "downing"):
        for opponent in OPPONENTS:
            assert moves_of_both(axelrod, spec, opponent, Payoffs(4.0, -1.0, 6.0, 0.0), TURNS)[2] == TURNS, spec


def test_strategies_that_differ_are_found_to_differ(axelrod, monkeypatch):
    monkeypatch.setitem(COUNTERPARTS, "tit-for-two-tats", "TitForTat")
    assert min(moves_of_both(axelrod, "tit-for-two-tats", one, Payoffs(3, 0, 5, 1), TURNS)[2] for one in OPPONENTS) == 1


def test_strategies_that_draw_do_so_with_the_same_chances(axelrod):
    """Over many seeds, after the same histories: a difference of frequencies within 4.5 standard errors."""
    for spec in DRAWN:
        payoffs, draws = Payoffs(3.0, 0.0, 5.0, 1.0), 300
        ours = player(spec, "matrix")
        given = ours.numbers(payoffs)
        for turn, opponent in ((0, "all C"), (1, "all D"), (2, "CD"), (23, "sequence 0"), (60, "sequence 3")):
            mine = bytearray(FIXED["sequence 2"][:turn])
            other = bytearray(FIXED[opponent][:turn])
            if spec == "remorseful-prober" and turn:  # which of its defections were tries, only its own draws say
                mine[-1] = 0
            mean = sum(1 - ours.move(mine, other, turn, TURNS, (k + 0.5) / 2000, given) for k in range(2000)) / 2000
            library, stand_in = theirs(axelrod, spec, payoffs, TURNS)
            for one, answer in zip(mine, other, strict=True):
                library.update_history(of(axelrod, one), of(axelrod, answer))
                stand_in.update_history(of(axelrod, answer), of(axelrod, one))
            library.set_seed(turn)
            seen = sum(str(library.strategy(stand_in)) == "C" for _ in range(draws)) / draws
            assert abs(seen - mean) <= 4.5 * (mean * (1 - mean) / draws) ** 0.5 + 0.001, spec


def test_ours_are_said_to_draw_where_theirs_are(axelrod):
    for spec, name in COUNTERPARTS.items():
        stochastic = axelrod.Classifiers["stochastic"](getattr(axelrod, name)())
        assert player(spec, "matrix").deterministic != stochastic, spec


def test_every_counterpart_is_named_once_and_nearly_every_strategy_has_one():
    assert len(set(COUNTERPARTS.values())) == len(COUNTERPARTS)
    named = {spec.partition("(")[0] for spec in COUNTERPARTS}
    assert set(PLAYERS) - named == {"memory-one", "reactive", "zero-determinant", "generated", "plan"}


# At the table


def moves(record, seat=0):
    return "".join(turn.action["kind"] for turn in record.turns if turn.seat == seat)


def test_names_and_classes_in_any_case(axelrod):
    for name in ["Tit For Tat", "tit for tat", "TitForTat", "TITFORTAT", " titfortat "]:
        record = econzoo.play("matrix", [f"axelrod:{name}", "cycler('CDD')"], rounds=6, messages=False)
        assert moves(record) == "CCDDCD", name


def test_at_the_table_it_plays_what_ours_plays(axelrod):
    for spec in ("gradual", "alexei", "adaptive('sum')", "win-stay-lose-shift", "stein-and-rapoport"):
        for known in (True, False):
            one, other = (
                econzoo.play("matrix", [who, "mixed(0.3)"], rounds=30, known=known, seed=4, messages=False)
                for who in (spec, f"axelrod:{COUNTERPARTS[spec]}")
            )
            assert (moves(one), moves(one, 1), one.payoffs) == (moves(other), moves(other, 1), other.payoffs), known
            assert not any(other.errors + other.defaults), (known, spec)


def test_it_sees_moves_as_they_came_out(axelrod):
    one, other = (
        econzoo.play("matrix", [who, "grudger"], rounds=40, noise=0.2, seed=11, messages=False)
        for who in ("tit-for-tat", "axelrod:TitForTat")
    )
    assert one.payoffs == other.payoffs
    assert [turn.action for turn in one.turns] == [turn.action for turn in other.turns]


def test_it_knows_the_match(axelrod):
    view = game("matrix")
    made = player("axelrod:TitForTat", "matrix")
    made.reset(0, info(view, rounds=7, noise=0.1, payoffs=[[[4, 4], [-1, 6]], [[6, -1], [0, 0]]]), 1)
    known = made.strategy.match_attributes
    assert (known["length"], known["noise"], known["game"].RPST()) == (7, 0.1, (4, 0, -1, 6))
    made.reset(0, info(view, rounds=7, known=False), 1)
    assert made.strategy.match_attributes["length"] == float("inf")


def info(of_game, **params):
    _, inner = of_game.params(**params)
    view = of_game.rules.observe(inner, of_game.rules.initial(inner), 0)
    return SeatInfo(game=of_game, seats=2, view=view, messages=False)


def test_draws_come_from_the_seed_of_the_match(axelrod):
    played = [
        moves(econzoo.play("matrix", ["axelrod:Random?p=0.4", "cooperator"], rounds=50, seed=seed, messages=False))
        for seed in (1, 1, 2, 2**63 - 1)
    ]
    assert played[0] == played[1]
    assert len(set(played)) == 3
    assert not player("axelrod:Random", "matrix").deterministic
    assert player("axelrod:Random?p=1", "matrix").deterministic


def test_classes_that_want_arguments(axelrod):
    record = econzoo.play("matrix", ["axelrod:Cycler?cycle=CDD", "defector"], rounds=6, messages=False)
    assert moves(record) == "CDDCDD"
    record = econzoo.play("matrix", ["axelrod:MemoryOnePlayer?four_vector=(0, 0, 1, 1)", "defector"], rounds=4)
    assert moves(record) == "CDCD"


def test_every_strategy_of_the_library_plays_or_is_refused_with_the_reason(axelrod):
    slow = {"EvolvedAttention", "MetaMajority", "NiceMetaWinner", "NMWEFiniteMemory", "NMWEDeterministic"}
    slow |= {"NiceMetaWinnerEnsemble", *(kind.__name__ for kind in axelrod.long_run_time_strategies)}
    for kind in axelrod.all_strategies:
        if kind.__name__ in {"Darwin", *slow}:
            continue
        made = player(f"axelrod:{kind.name}", "matrix")
        made.reset(0, info(game("matrix"), rounds=12), 3)
        for turn in range(12):
            seen = {"round": turn + 1, "last_own": float(turn % 3 == 0), "last_other": float(turn % 2)}
            answer = made.act(seen, {})
            assert answer["kind"] in ("C", "D")
            assert made.act(seen, {}) == answer


def test_what_is_not_possible_is_refused_in_one_line(axelrod):
    for spec, *named in [
        ("axelrod:Tit For Tatt", "Tit For Tat", "Two Tits For Tat"),
        ("axelrod:zzzzzzzzzz",),
        ("axelrod:Player", "Reactive Player"),
        ("axelrod:Darwin", "Darwin"),
        ("axelrod:TitForTat?p=1", "TitForTat", "'p'"),
        ("axelrod:Random?q=0.3", "Random", "'q'", "p=0.5"),
        ("axelrod:Random?p", "Random", "p", 0, 1),
        ("axelrod:Random?p=2", "Random", "p=2", 0, 1),
        ("axelrod:Random?p=-0.1", "p=-0.1", 0, 1),
        ("axelrod:Random?p=often", "p='often'", 0, 1),
        ("axelrod:Random?p=True", "p=True", 0, 1),
        ("axelrod:GTFT?p=7", "p=7", 0, 1),
        ("axelrod:BushMosteller?c_prob=3", "c_prob=3", 0, 1),
        ("axelrod:Adaptive Tit For Tat?rate=x", "rate='x'", "number"),
        ("axelrod:Cycler?cycle=5", "cycle=5", "text"),
        ("axelrod:Cycler?cycle={[]:1}", "Cycler", "cycle='CCD'"),
        ("axelrod:GoByMajority?memory_depth=x", "memory_depth='x'", "number"),
        ("axelrod:Cycler?cycle=XY", "Cycler", "cycle='CCD'"),
        ("axelrod:MemoryOnePlayer?four_vector=(0, 0, 3, 1)", "MemoryOnePlayer", "four_vector"),
        ("axelrod:ReactivePlayer", "ReactivePlayer", "probabilities"),
    ]:
        with refuses(ValueError, f"'{spec}'", *named) as caught:
            player(spec, "matrix")
        assert "\n" not in str(caught.value), spec


def test_games_in_which_the_seats_differ_are_refused(axelrod):
    for name in ("battle-of-the-sexes", "matching-pennies"):
        with refuses(ValueError, "'axelrod:TitForTat'"):
            econzoo.play("matrix", ["axelrod:TitForTat", "defector"], stage_game=name)
    with refuses(ValueError, "'axelrod:TitForTat'", "matrix", "bargaining"):
        econzoo.play("bargaining", ["axelrod:TitForTat", "fair"])
    with refuses(ValueError, "'axelrod:ZDSet2'", "(9.0, 8.0, 10.0, 8.5)"):
        econzoo.play("matrix", ["axelrod:ZDSet2", "defector"], payoffs=[[[9, 9], [8, 10]], [[10, 8], [8.5, 8.5]]])


def test_arguments_that_make_sense_are_taken(axelrod):
    for spec, p in (("Random?p=0", 0), ("Random?p=1", 1), ("GTFT?p=None", None), ("Random?p=.3", 0.3)):
        assert player(f"axelrod:{spec}", "matrix").arguments == {"p": p}, spec


def test_other_games_are_refused_before_the_library_is_imported(monkeypatch):
    for name in ("program_matrix", "bargaining"):
        monkeypatch.setitem(sys.modules, "axelrod", None)  # an import would raise
        axelrod_player._strategies.cache_clear()
        with refuses(ValueError, "matrix", name):
            player("axelrod:Tit For Tat", name)
        assert not is_known_spec("axelrod:Tit For Tat", name), name
        with refuses(ValueError, "'nobody'", name) as refused:
            player("nobody", name)
        assert "axelrod" not in str(refused.value), name


def test_nothing_is_imported_before_such_a_player_is_made():
    assert is_known_spec("axelrod:Tit For Tat", "matrix")
    assert not player("tit-for-tat", "matrix").spec.startswith("axelrod")


def test_without_the_library_the_error_says_how_to_get_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "axelrod", None)
    axelrod_player._strategies.cache_clear()
    with refuses(ImportError, "econzoo[programs]"):
        player("axelrod:Tit For Tat", "matrix")
