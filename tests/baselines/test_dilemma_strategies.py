"""The classics of the iterated prisoner's dilemma do what their sources say: tables that a person can check."""

from __future__ import annotations

import pickle
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

import econzoo
from econzoo.baselines import player
from econzoo.baselines.matrix import CLASSICS, PLAYERS, POOLS
from econzoo.baselines.matrix.classic import HIDDEN, STANDARD, Classic, Payoffs, dilemma
from econzoo.baselines.matrix.counterparts import COUNTERPARTS
from econzoo.baselines.matrix.memory_one import generosity, probabilities
from exhaustive import examples
from refusals import refuses

SPECS = sorted(
    {*PLAYERS, *POOLS["standard"], *POOLS["training"], *POOLS["validation"], *COUNTERPARTS} - {"plan", "random"}
)
MOVES = st.lists(st.integers(0, 1), max_size=60)


def classic(spec) -> Classic:
    made = player(spec, "matrix")
    assert isinstance(made, Classic)
    return made


def asked(spec, mine, theirs, horizon=HIDDEN, u=0.0, payoffs=STANDARD) -> int:
    """The move after two histories."""
    one = classic(spec)
    return one.move(bytearray(mine), bytearray(theirs), len(mine), horizon, u, one.numbers(payoffs))


def answers(spec, theirs, horizon=HIDDEN, u=0.0, payoffs=STANDARD) -> str:
    """What a strategy plays while the other plays a fixed sequence, and in the round after it."""
    others, mine = ["CD".index(letter) for letter in theirs], []
    for turn in range(len(others) + 1):
        mine.append(asked(spec, mine, others[:turn], horizon, u, payoffs))
    return "".join("CD"[move] for move in mine)


def test_what_a_strategy_answers():
    for spec, theirs, expected in [
        ("cooperator", "DDD", "CCCC"),
        ("defector", "CCC", "DDDD"),
        ("alternator", "CCCC", "CDCDC"),
        ("cycler", "CCCCC", "CCDCCD"),
        ("cycler('DDC')", "DDDDD", "DDCDDC"),
        ("tit-for-tat", "CDDCC", "CCDDCC"),
        ("suspicious-tit-for-tat", "CDDCC", "DCDDCC"),
        ("tit-for-two-tats", "DCDDDC", "CCCCDDC"),
        ("two-tits-for-tat", "DCCCDC", "CDDCCDD"),
        ("hard-tit-for-tat", "DCCCC", "CDDDCC"),
        ("hard-tit-for-two-tats", "DCDDCCC", "CCCCDDCC"),
        ("tits-for-tats(2, 3)", "DDDDCCC", "CCCDDDCC"),
        ("tits-for-tats(0, 1)", "DDDD", "CCCCC"),
        ("bully", "CDDCC", "DDCCDD"),
        ("anti-tit-for-tat", "CDDCC", "CDCCDD"),
        ("spiteful-tit-for-tat", "DCDDCC", "CDCDDDD"),
        ("slow-tit-for-tat", "DDCDCC", "CCDDDDC"),
        ("contrite-tit-for-tat", "CDDCC", "CCDDCC"),
        ("grudger", "CCDCC", "CCCDDD"),
        ("davis(3)", "DCCCC", "CCCDDD"),
        ("spiteful-cc", "DCCC", "CCDDD"),
        ("soft-grudger", "DCCCCCCC", "CDDDDCCCC"),
        ("soft-grudger", "DDDDDDDC", "CDDDDCCDD"),  # the move against the last round of peace counts
        ("forgetful-grudger(3)", "DCCCC", "CDDDCC"),
        ("gradual", "DCCCDCCCCC", "CDCCCDDCCCC"),  # one and two peaceful, then two and two peaceful
        ("gradual", "DDCDC", "CDCCDD"),
        ("shubik", "DCCDCCCC", "CDCCDDCCC"),
        ("easy-go", "CDCC", "DDCCC"),
        ("opposite-grudger", "DCDD", "DDCCC"),
        ("grudger-alternator", "CDCCC", "CCDCDC"),
        ("fool-me-once", "DCDC", "CCCDD"),
        ("level-punisher", "DDD" + "C" * 12, "C" * 10 + "DDDDDC"),  # 3 of 14 is above a fifth, 3 of 15 is not
        ("go-by-majority", "DCDDCC", "CDCDDDC"),
        ("go-by-majority(1)", "DCDDCC", "CDCDDCC"),
        ("hard-go-by-majority", "CDDCC", "DCDDDC"),
        ("doubler", "DCDCCCCCCD", "CDCDCCCCCCC"),  # seven C are more than twice three D, one is not
        ("short-memory", "C" * 8 + "DDDDD" + "C", "C" * 12 + "DDC"),
        ("forgiver", "CCCCCCCCCDD", "C" * 11 + "D"),
        ("forgiving-tit-for-tat", "DC", "CDC"),
        ("win-stay-lose-shift", "CDDCC", "CCDCCC"),
        ("win-shift-lose-stay", "CDDCC", "DCCCDC"),
        ("memory-one(1, 0, 1, 0)", "CDDCC", "CCDDCC"),
        ("memory-one(0, 1, 1, 0, 0)", "CDDCC", "DCCCDC"),
        ("reactive(0, 1)", "CDDC", "CDCCD"),
        ("handshake", "CDDD", "CDCCC"),
        ("handshake", "CCCC", "CDDDD"),
        ("collective", "CDCDC", "CDCCDD"),
        ("prober", "DCCC", "DCCDD"),
        ("prober", "CDCDC", "DCCCDC"),
        ("prober-2", "CDCDD", "DCCCCC"),
        ("prober-2", "CCCDC", "DCCCDC"),
        ("prober-3", "CCCC", "DCDDD"),
        ("prober-3", "CDCD", "DCDCD"),
        ("hard-prober", "DCCDD", "DDCCDD"),
        ("hard-prober", "CDCCD", "DDCCCD"),
        ("detective", "CCCCC", "CDCCDD"),
        ("detective", "CDCCD", "CDCCCD"),
        ("gradual-killer", "CCCCCDDC", "DDDDDCCDD"),
        ("gradual-killer", "CCCCCDCD", "DDDDDCCCC"),
        ("tester", "CCCCCC", "DCCDCDC"),
        ("tester", "DDCD", "DCDCD"),
        ("all-or-none", "CDDCCC", "CCDDDDD"),
        ("all-or-none(1)", "CDDCC", "CCDCCC"),
        ("nydegger", "DCC", "CDDD"),  # 16 + 4 + 2 = 22 is in the table
        ("nydegger", "DDD", "CDDC"),  # 16 * 3 + 4 * 3 + 2 = 62 is not
        ("stein-and-rapoport", "C" * 16, "C" * 17),
        ("stein-and-rapoport", "CD" * 8, "CCCC" + "DCDCDCDCDC" + "DDD"),
        ("adaptive-pavlov", "CCCCCCC", "CCCCCCCC"),
        ("adaptive-pavlov", "DDDDDDCC", "CDDDDDDDD"),
        ("adaptive-pavlov", "DCDCDCDCD", "CDCDCDCCCD"),
        ("adaptive-pavlov-2011", "DDDDCCC", "CDDDDCDD"),
        ("adaptive-pavlov-2011", "DCDCDCDD", "CDCDCDCCD"),
    ]:
        assert answers(spec, theirs) == expected, (spec, theirs, expected)


def test_who_knows_the_length_defects_at_the_end():
    assert answers("alexei", "CCCC", horizon=5) == "CCCCD"
    assert answers("alexei", "CCCC") == "CCCCC"
    assert answers("stein-and-rapoport", "CCCC", horizon=5) == "CCCDD"
    assert answers("eugine-nier", "DDDDDCC") == "CDDDDDDD"


def test_contrite_tit_for_tat_accepts_the_punishment_of_its_own_slip():
    assert asked("contrite-tit-for-tat", [0, 1, 0], [0, 0, 1]) == 0
    assert asked("tit-for-tat", [0, 1, 0], [0, 0, 1]) == 1


def test_adaptive_plays_what_has_paid_more():
    assert answers("adaptive", "C" * 11) == "CCCCCCDDDDDD"  # 3 against 5
    assert answers("adaptive", "C" * 6 + "D" * 5) == "CCCCCCDDDDDC"  # 3 against 1
    against = "CCCDDDCDDDD"  # C: 3, 3, 3, 0, 0, 0; D: 5, 1, 1, 1, 1
    assert answers("adaptive", against)[-1] == "D"  # 1.5 against 1.8 on average
    assert answers("adaptive('sum')", against)[-1] == "D"  # 9 against 9: not more
    assert answers("adaptive('sum')", "CCCCDDCDDDD")[-1] == "C"  # 12 against 9, and 2.0 against 1.8
    assert answers("adaptive", "CCCDDDCDDDD", payoffs=Payoffs(4.0, 3.0, 2.0, 1.0))[-1] == "C"


def test_downing_exploits_who_never_answers_and_cooperates_with_who_does():
    assert answers("downing", "CCCCCC") == "DDCDDDD"  # 3 against (5 + 1) / 2 in the third round: a tie
    mine, theirs = [], []
    for _ in range(30):
        one = asked("downing", mine, theirs)
        theirs.append(asked("tit-for-tat", theirs, mine))
        mine.append(one)
    assert mine == [1, 1] + [0] * 28


def test_omega_tit_for_tat_breaks_a_deadlock_of_which_tit_for_tat_never_gets_out():
    def against(spec):
        mine, theirs = [], []
        for _ in range(30):
            one = asked(spec, mine, theirs)
            other = asked("suspicious-tit-for-tat", theirs, mine)
            mine.append(one)
            theirs.append(other)
        return mine[-4:] + theirs[-4:]

    assert sorted(against("tit-for-tat")) == [0] * 4 + [1] * 4
    assert against("omega-tit-for-tat") == [0] * 8


def test_who_seems_to_play_at_random_is_given_up():
    assert answers("omega-tit-for-tat", "CDCCDDCDCDDCCDCDDCDC")[-5:] == "DDDDD"


def test_with_what_chance_a_strategy_cooperates():
    for spec, mine, theirs, p in [
        ("mixed(0.3)", [], [], 0.3),
        ("mixed(0.3)", [1, 1], [1, 0], 0.3),
        ("worse-and-worse", [0] * 9, [0] * 9, 0.99),
        ("better-and-better", [0] * 9, [0] * 9, 0.01),
        ("generous-tit-for-tat", [0], [1], 1 / 3),  # min(1 - 2/3, 2/4)
        ("generous-tit-for-tat(0.2)", [0], [1], 0.2),
        ("firm-but-fair", [1], [1], 2 / 3),
        ("soft-joss", [0], [1], 0.1),
        ("joss", [1], [0], 0.9),
        ("grofman", [0], [1], 2 / 7),
        ("grofman", [1], [0], 2 / 7),
        ("desperate", [], [], 0.5),
        ("stochastic-cooperator", [1], [1], 0.42),
        ("zd-extort", [0], [0], 8 / 9),  # Stewart and Plotkin (2012): 8/9, 1/2, 1/3, 0
        ("zd-extort", [0], [1], 1 / 2),
        ("zd-extort", [1], [0], 1 / 3),
        ("zd-generous", [0], [1], 1 / 8),  # 1, 1/8, 1, 1/4
        ("zd-generous", [1], [1], 1 / 4),
        ("zd-set", [0], [0], 3 / 4),
        ("average-copier", [], [], 0.5),
        ("average-copier", [0] * 4, [0, 1, 1, 1], 0.25),
        ("remorseful-prober(0.2)", [0], [0], 0.8),
        ("feld", [0] * 100, [0] * 100, 0.75),
        ("feld", [0] * 300, [0] * 300, 0.5),
        ("tullock", [0] * 12, [1] * 4 + [0] * 4 + [1] * 4, 0.3),
    ]:
        assert asked(spec, mine, theirs, u=p - 1e-9) == 0, (spec, mine, theirs, p)
        assert asked(spec, mine, theirs, u=p + 1e-9) == 1, (spec, mine, theirs, p)


def test_what_is_certain_does_not_depend_on_lots():
    for u in (0.0, 0.5, 0.999999):
        assert asked("zd-extort", [1], [1], u=u) == 1, u
        assert asked("zd-generous", [0], [0], u=u) == 0, u
        assert asked("remorseful-prober", [0, 1], [0, 1], u=u) == 0, u  # it tried, and lets the answer pass
        assert asked("remorseful-prober", [0, 1], [1, 1], u=u) == 1, u  # it hit back, and does so again
        assert asked("tullock", [0] * 10, [1] * 10, u=u) == 0, u


def test_zero_determinant_strategies_follow_the_equation_of_hilbe_nowak_and_traulsen():
    for payoffs in (STANDARD, Payoffs(4.0, -1.0, 6.0, 0.0), Payoffs(1.1, 0.0, 2.0, 0.5)):
        for baseline, slope, weight in ((0, 0.5, 0.5), (1, 0.25, 1), (0.5, 0, 0.75), (0.3, 0.9, 0.1)):
            p = probabilities(payoffs, baseline, slope, weight)
            assert all(-1e-12 <= one <= 1 + 1e-12 for one in p), (baseline, slope, weight, payoffs)
            reward, sucker, temptation, punishment = payoffs
            line = punishment + baseline * (reward - punishment)
            # Press and Dyson: (p_cc - 1, p_cd - 1, p_dc, p_dd) is proportional to s * (own - l) - (other - l).
            own, other = (reward, sucker, temptation, punishment), (reward, temptation, sucker, punishment)
            expected = [slope * (a - line) - (b - line) for a, b in zip(own, other, strict=True)]
            vector = [p[0] - 1, p[1] - 1, p[2], p[3]]
            factors = [v / e for v, e in zip(vector, expected, strict=True) if abs(e) > 1e-9]
            assert factors == pytest.approx([factors[0]] * len(factors)), (baseline, slope, weight, payoffs)
            assert all(abs(v) < 1e-9 for v, e in zip(vector, expected, strict=True) if abs(e) <= 1e-9), baseline


def test_generosity_is_what_molander_found():
    assert generosity(STANDARD) == pytest.approx(Fraction(1, 3))
    assert generosity(Payoffs(3.0, 0.0, 4.0, 1.0)) == pytest.approx(Fraction(2, 3))


def test_where_the_game_is_no_dilemma_the_standard_one_counts():
    for other in ((4, 1, 3, 2), (3, 1, 4, 0), (1, -1, -1, 1), (3, 0, 9, 1)):
        assert dilemma(Payoffs(*other)) == STANDARD, other
        assert classic("zd-extort").numbers(Payoffs(*other)) == classic("zd-extort").numbers(STANDARD), other


# Every strategy


@given(spec=st.sampled_from(SPECS), rounds=st.lists(st.tuples(st.integers(0, 1), st.integers(0, 1)), max_size=60))
@examples(100)
def test_after_any_history_there_is_a_move_and_later_rounds_do_not_matter(spec, rounds):
    mine, theirs = bytearray(a for a, _ in rounds), bytearray(b for _, b in rounds)
    one, turn = classic(spec), len(rounds) // 2
    numbers = one.numbers(STANDARD)
    for horizon in (HIDDEN, 60):
        move = one.move(mine, theirs, turn, horizon, 0.37, numbers)
        assert move in (0, 1)
        assert one.move(mine[:turn], theirs[:turn], turn, horizon, 0.37, numbers) == move


@given(spec=st.sampled_from(SPECS), theirs=MOVES)
@examples(60)
def test_only_strategies_that_say_so_look_at_lots(spec, theirs):
    letters = "".join("CD"[move] for move in theirs)
    if classic(spec).deterministic:
        assert answers(spec, letters, u=0.01) == answers(spec, letters, u=0.99)


def test_strategies_that_draw_differ_from_seed_to_seed():
    for spec in [spec for spec in CLASSICS if not player(spec, "matrix").deterministic]:
        played = (moves(econzoo.play("matrix", [spec, "cycler('CDD')"], rounds=60, seed=seed)) for seed in range(12))
        first = next(played)
        assert any(other != first for other in played), spec


def moves(record):
    return [turn.action["kind"] for turn in record.turns]


@pytest.mark.slow
def test_at_the_table_a_strategy_sees_what_was_made_and_plays_what_its_function_says():
    for spec in CLASSICS:
        record = econzoo.play("matrix", [spec, "mixed(0.6)"], rounds=40, seed=7, messages=False)
        assert record.status == "finished", spec
        assert not any(record.errors + record.defaults), spec
        own, other = (
            ["CD".index(turn.action["kind"]) for turn in record.turns if turn.seat == seat] for seat in (0, 1)
        )
        if classic(spec).deterministic:
            assert own == [asked(spec, own[:t], other[:t], horizon=40) for t in range(40)], spec
        else:
            again = econzoo.play("matrix", [spec, "mixed(0.6)"], rounds=40, seed=7, messages=False)
            assert moves(again) == moves(record), spec


def test_in_other_games_they_play_the_same():
    for game in ("stag-hunt", "chicken", "battle-of-the-sexes", "matching-pennies"):
        for spec in ("tit-for-tat", "zd-extort(3)", "adaptive", "downing", "generous-tit-for-tat"):
            record = econzoo.play(
                "matrix", [spec, "grudger"], stage_game=game, rounds=20, noise=0.1, known=False, seed=2
            )
            assert record.status == "finished", game
            assert not any(record.errors + record.defaults), game


def test_every_strategy_cites_its_source():
    for name in PLAYERS:
        assert "Source:" in (PLAYERS[name].__doc__ or ""), name


def test_a_strategy_can_be_sent_to_another_process():
    for spec in SPECS:
        sent = pickle.loads(pickle.dumps(classic(spec)))
        assert sent.numbers(STANDARD) == classic(spec).numbers(STANDARD), spec


def test_there_are_enough_of_them_and_all_differ():
    assert len(CLASSICS) >= 50
    sequences = ["".join("CD"[(7 * k * k + k // 3) % 5 < 2] for k in range(80)), "C" * 80, "D" * 80, "CD" * 40]
    sequences += ["C" * 7 + "CCD" * 20 + "C" * 13, "D" + "C" * 79, "C" * 44 + "CCCD" * 9]
    # That of the others is the very point of these: without noise contrite tit for tat is tit for tat.
    same = {}
    for spec in CLASSICS:
        if classic(spec).deterministic:
            same.setdefault(tuple(answers(spec, one, horizon=81) for one in sequences), []).append(spec)
    assert [names for names in same.values() if len(names) > 1] == [["tit-for-tat", "contrite-tit-for-tat"]]


def test_nobody_of_the_validation_pool_is_met_in_training():
    assert not set(POOLS["validation"]) & set(POOLS["training"])
    for spec in {*POOLS["standard"], *POOLS["training"], *POOLS["validation"]}:
        assert player(spec, "matrix").spec == spec


def test_what_is_not_allowed_is_refused_in_one_line():
    for spec, *named in [
        ("cycler('')", "moves=''", 1, 100, "C", "D"),
        ("cycler('CX')", "moves='CX'"),
        ("cycler(3)", "moves=3"),
        ("cycler('" + "C" * 101 + "')", 1, 100),
        *(("mixed(-0.1)", "p=-0.1", "0 <= p <= 1"), ("mixed(1.5)", "p=1.5"), ("mixed('a')", "p='a'")),
        *(("mixed(True)", "p=True"), ("tits-for-tats(1.5)", "tits=1.5")),
        *(("tits-for-tats(1, 0)", "tats=0", "1 <= tats <= 1000"), ("davis(-1)", "0 <= rounds <= 1e+06")),
        *(("soft-grudger(0)", "punishment=0"), ("soft-grudger(1, 0)", "peace=0", "1 <= peace <= 1e+06")),
        *(("go-by-majority(0)", "memory=0"), ("hard-go-by-majority(2.5)", "1 <= memory <= 1e+06")),
        *(("memory-one(1, 0, 1, 2)", "0 <= p_dd <= 1"), ("memory-one(nan)",), ("reactive(None)", "p_cc=None")),
        *(("generous-tit-for-tat(2)", "0 <= q <= 1"), ("joss(-1)", "0 <= p <= 1")),
        *(("zd-extort(0.5)", "1 <= chi <= 1e+06"), ("zd-extort(2, 0)", "0 < weight <= 1")),
        *(("zd-set(1.1)", "0 <= baseline <= 1"), ("zero-determinant(0, 2)", "0 <= slope <= 1")),
        *(("adaptive('best')", "by='best'", "'mean'", "'sum'"), ("all-or-none(0)", "1 <= rounds <= 1000")),
        *(("remorseful-prober(7)", "0 <= p <= 1"), ("tit-for-tat(1)",), ("grudger(1, 2)",), ("tit-for-tatt",)),
        *(("forgetful-grudger(0)", "1 <= rounds <= 1e+06"), ("adaptive-tit-for-tat(2)", "0 <= rate <= 1")),
        *(("soft-joss(2)", "0 <= q <= 1"), ("zd-generous(0)", "1 <= chi <= 1e+06")),
    ]:
        with refuses(ValueError, spec if len(spec) < 99 else "cycler", *named) as caught:
            player(spec, "matrix")
        assert "\n" not in str(caught.value), spec
