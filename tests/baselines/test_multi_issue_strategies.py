"""What each scripted strategy of multi-issue bargaining offers and accepts, by hand.

3 books, 2 hats and 1 ball are worth 1, 3, 1 points each to Alice and 2, 1, 2 to Bob: 10 points in all to both.
"""

from __future__ import annotations

from typing import Any

import econzoo
from econzoo.baselines import player
from econzoo.baselines.multi_issue import PLAYERS, POOLS, make_opponent
from econzoo.envs.core.contract import Move
from econzoo.envs.games.multi_issue import GAME, rules
from econzoo.envs.games.multi_issue.rules import ACCEPT, LEAVE, OFFER, TALK
from refusals import refuses

YES, NO = Move(ACCEPT, (0.0, 0.0, 0.0)), Move(LEAVE, (0.0, 0.0, 0.0))
SILENCE = Move(TALK, (0.0, 0.0, 0.0))


def keep(*items: int) -> Move:
    return Move(OFFER, tuple(map(float, items)))


def move(spec: str, *before: Move, **public: Any) -> Move:
    """What a strategy plays after these moves."""
    _, p = GAME.params(**public)
    state, history = rules.initial(p), []
    for one in before:
        seat = rules.to_act(p, state)
        history.append((seat, state.round, one))
        state = rules.apply(p, state, (one,))
    return make_opponent(spec)(p, state, rules.to_act(p, state), tuple(history))


def test_the_first_offer_leaves_the_other_as_many_items_as_it_can() -> None:
    for spec, offer in [
        ("fair", keep(0, 2, 0)),  # 5 points or more, and as few items: two hats, 6 points
        ("greedy(0.8)", keep(1, 2, 1)),  # 8 points: both hats and two more, which are worth the same to her
        ("concede(1, high=0.7)", keep(0, 2, 1)),
        ("concede(1, high=1)", keep(3, 2, 1)),
        ("tit-for-tat(high=0.6)", keep(0, 2, 0)),
        ("logroll", keep(2, 2, 1)),
        ("spe", keep(3, 2, 1)),  # the last offer is hers
    ]:
        assert move(spec) == offer, (spec, offer)


def test_who_knows_the_others_values_leaves_it_what_it_wants() -> None:
    """Of the divisions that are worth the ask to Alice, the best for Bob."""
    for spec, offer in [
        ("fair", keep(0, 2, 0)),
        ("concede(1, high=0.7)", keep(1, 2, 0)),  # a book or the ball to reach 7: one costs Bob 2 points like the other
        ("greedy(0.8)", keep(1, 2, 1)),
    ]:
        _, p = GAME.params()
        found = move(spec, complete_information=True)
        own, bobs = (rules.total_value(values, found.values) for values in p.values)
        assert (own, bobs) == tuple(rules.total_value(values, offer.values) for values in p.values), (spec, offer)


def test_concessions_by_the_clock() -> None:
    for spec, asks in [
        # Of 11 turns, in turns 1, 3, 5, 7, 9: 10 points less 0, 1/5, ... of 8 points, and what can be had for them.
        ("concede(1, high=1, low=0.2)", [10, 9, 7, 6, 6]),  # 10, 8.4, 6.8, 5.2, 3.6: two items
        ("concede(1e6, high=1, low=0.2)", [10, 3, 3, 3, 3]),  # 2 points: a hat is worth 3, and is one item only
        ("greedy", [9, 9, 9, 9, 9]),
        ("fair", [6, 6, 6, 6, 6]),
    ]:
        _, p = GAME.params()
        found = [move(spec, *[SILENCE] * turn, horizon=11) for turn in (0, 2, 4, 6, 8)]
        assert [rules.total_value(p.values[0], one.values) for one in found] == asks, (spec, asks)


def test_the_least_that_is_accepted() -> None:
    """Alice keeps hats and books so that Bob has 0, 1, ..., 10 points; tit-for-tat asks for what she left it."""
    for spec, least in [  # points that Bob needs to accept in turn 2 of 3, and in turn 2 of 2, the last
        ("fair", (5, 5)),
        ("greedy", (9, 1)),
        ("concede(1, high=0.7, low=0.4)", (6, 4)),  # half-way from 7 to 4 is 5.5
        ("tit-for-tat(0.7, low=0.4)", (7, 4)),
        ("spe", (10, 0)),  # before the last turn he can ask for everything himself
    ]:
        left = {0: (3, 2, 1), 1: (3, 1, 1), 2: (2, 2, 1), 3: (2, 1, 1), 4: (1, 2, 1), 5: (1, 1, 1)}
        left |= {6: (0, 2, 1), 7: (0, 1, 1), 8: (0, 2, 0), 9: (0, 1, 0), 10: (0, 0, 0)}
        for horizon, needed in zip((3, 2), least, strict=True):
            known = {"horizon": horizon, "complete_information": spec == "spe"}
            taken = [points for points, kept in left.items() if move(spec, keep(*kept), **known) == YES]
            assert needed in taken, (spec, least)
            if spec != "tit-for-tat(0.7, low=0.4)":
                assert min(taken) == needed, (spec, least)


def test_nobody_takes_nothing_in_the_last_turn() -> None:
    assert move("fair", keep(3, 2, 1), horizon=2) == NO
    assert move("greedy", keep(3, 2, 1), horizon=2) == NO


def test_logroll_gives_up_what_the_other_asks_for() -> None:
    """Six items worth one point each to Alice, of which she wants four: those that Bob did not ask for come first."""
    same = {"values": ((1, 1, 1), (2, 1, 2)), "horizon": 100}
    assert move("logroll(1, high=0.67)", keep(3, 1, 0), keep(3, 1, 0), **same) == keep(1, 2, 1)
    assert move("logroll(1, high=0.67)", keep(3, 1, 0), keep(1, 2, 0), **same) == keep(3, 0, 1)
    hats, books = [keep(3, 1, 0), keep(0, 2, 0)] * 4, [keep(3, 1, 0), keep(3, 0, 0)] * 3  # it forgets nothing
    assert move("logroll(1, high=0.67)", *hats, *books, **same) == keep(3, 0, 1)
    firm = "concede(1, high=0.67)"
    assert move(firm, keep(3, 1, 0), keep(3, 1, 0), **same) == move(firm, keep(3, 1, 0), keep(1, 2, 0), **same)


def test_tit_for_tat_comes_down_as_the_other_does() -> None:
    """Bob first asked for all that Alice wants, then for 7 of her 10 points: she comes down by 3 parts in 10."""
    _, p = GAME.params()
    asks = [
        rules.total_value(p.values[0], move("tit-for-tat(1)", SILENCE, keep(*kept)).values)
        for kept in ((3, 2, 1), (3, 1, 1))
    ]
    assert asks == [10, 7]
    late = move("tit-for-tat(1)", SILENCE, keep(3, 1, 1), *[SILENCE] * 8, horizon=20)  # it forgets nothing
    assert rules.total_value(p.values[0], late.values) == 7


def test_wrong_arguments() -> None:
    for spec, allowed in (
        *(("greedy(0.4)", "0.5 <= share <= 1"), ("concede(0)", "0 < e <= 1e+06")),
        *(("concede(1, high=0.2, low=0.5)", "0 <= low <= 0.2"), ("tit-for-tat(2)", "0 <= high <= 1")),
    ):
        with refuses(ValueError, spec, allowed):
            player(spec, "multi_issue")


def test_the_pools_do_not_meet() -> None:
    assert not set(POOLS["training"]) & set(POOLS["validation"])
    for spec in {*POOLS["standard"], *POOLS["training"], *POOLS["validation"]}:
        assert player(spec, "multi_issue")
    assert {spec.partition("(")[0] for spec in POOLS["standard"]} == {*PLAYERS, "random"} - {"generated", "plan"}


def test_words_name_both_sides() -> None:
    record = econzoo.play("multi_issue", ["fair", "fair"], seed=0)
    words = "That is even, I think: 2 hats for me and 3 books and 1 ball for you."
    assert record.turns[0].action == {"kind": "offer", "keep": [0, 2, 0], "message": words}


def test_an_opponent_of_best_responses_moves_as_at_the_table() -> None:
    """Also after many moves, all of which some look back at."""
    for spec in (*PLAYERS, "generated('harden', 3)", "generated('irregular', 5)"):
        record = econzoo.play("multi_issue", ["concede(1, high=1, low=0.7)", spec], seed=0, messages=False, horizon=30)
        actions = GAME.actions_of(GAME.params()[1])
        played = [actions.move(actions.from_plain(turn.action)) for turn in record.turns]
        own = [place for place, turn in enumerate(record.turns) if turn.seat == 1]
        assert own, spec
        assert [move(spec, *played[:place], horizon=30) for place in own] == [played[place] for place in own], spec
