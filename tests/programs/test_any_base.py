"""Open-source negotiation, and other games that know nothing of programs: whole matches by hand."""

from __future__ import annotations

import json
import pickle
from collections.abc import Iterator
from copy import deepcopy
from dataclasses import replace
from typing import Any

import pytest
from pettingzoo.test import api_test

import econzoo
from econzoo.envs.core.contract import CHANCE, Game, Integer, Parameter
from econzoo.envs.families.open_source import Failure, make_open_source_game
from econzoo.envs.families.open_source.interfaces import GENERIC
from econzoo.envs.families.open_source.program import Program
from econzoo.envs.games.matrix import GAME as MATRIX
from econzoo.envs.games.negotiation import GAME as NEGOTIATION
from econzoo.evaluate.run import EnvPool, replay
from games.program_matches import program, results, ruled, sandboxed, submitted
from refusals import refuses, says
from toy_games import COIN, DIVISION, LOWEST_BID, PENNIES, register_temporarily

pytestmark = sandboxed


def talks(*lines: str) -> str:
    return program(GENERIC, *lines)


def haggles(price: float, least: float) -> str:
    """Asks a price for itself over its value, and takes what brings it as much as this or more."""
    return talks(
        "sign = 1 if view['seat'] == 0 else -1",
        "if view['offered'] is None:",
        f"    return {{'kind': 'offer', 'price': view['own_value'] + sign * {price}}}",
        f"good = sign * (view['offered'] - view['own_value']) >= {least}",
        "return {'kind': 'accept' if good else 'reject'}",
    )


TELLS = talks("raise ValueError(json.dumps([view['own_value'], view['other_value'], my_history, opp_history]))")
CLIQUE = talks(
    "if my_program_code != opponent_program_code:",
    "    return {'kind': 'offer', 'price': 240} if view['offered'] is None else {'kind': 'opt_out'}",
    "return {'kind': 'offer', 'price': 110} if view['offered'] is None else {'kind': 'accept'}",
)
PROGRAMS = {"soft": haggles(10, 5), "hard": haggles(18, 15)}


def opened(base: Game) -> Game:
    return make_open_source_game(base, name=f"open_{base.name}", library=PROGRAMS.copy)


GAME = "open_negotiation"
MARKET = {"money": 100.0, "horizon": 3}
"""The good is worth 100 to the seller and 120 to the buyer."""
OPENED = {base.name: opened(base) for base in (NEGOTIATION, MATRIX, PENNIES, COIN, DIVISION)}


@pytest.fixture(autouse=True)
def _known() -> Iterator[None]:
    with register_temporarily(*OPENED.values()):
        yield


MATCHES = [
    # seller, buyer: what was played (prices), payoffs
    (haggles(10, 5), haggles(10, 5), [110, "accept"], (10, 10)),
    (haggles(18, 15), haggles(10, 5), [118, "reject", 110, "reject", 118, "reject"], (0, 0)),
    (haggles(18, 5), haggles(10, 5), [118, "reject", 110, "accept"], (10, 10)),
    (CLIQUE, CLIQUE, [110, "accept"], (10, 10)),
    (CLIQUE, haggles(10, 5), [240, "reject", 110, "opt_out"], (0, 0)),
]


def test_programs_negotiate() -> None:
    for seller, buyer, played, payoffs in MATCHES:
        ruling = ruled(GAME, [seller, buyer], **MARKET)
        names = NEGOTIATION.actions.names
        assert [
            move.values[0] if names[move.kind] == "offer" else names[move.kind] for move in ruling.moves
        ] == played, played
        assert tuple(result.payoff for result in ruling.results) == payoffs, played
        assert all(move.values[1] == 0 for move in ruling.moves), "nobody failed"


def test_only_the_program_of_the_seat_to_act_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    """The histories that each had when it was asked: own moves first, dictionaries without words."""
    asked: list[tuple[Any, ...]] = []
    answer = Program.answer
    monkeypatch.setattr(Program, "answer", lambda self, *given, **kw: asked.append(given) or answer(self, *given, **kw))
    says = talks("return {'kind': 'offer', 'price': 118, 'message': 'A bargain!'}")
    ruled(GAME, [says, haggles(10, 5)], **{**MARKET, "horizon": 2})
    offer, reject = {"kind": "offer", "price": 118.0}, {"kind": "reject"}
    bid = {"kind": "offer", "price": 110.0}
    told = [(view["seat"], own, other) for view, own, other, *_ in asked]
    assert told == [
        (0, [], []),
        (1, [], [offer]),
        (1, [reject], [offer]),
        (0, [offer], [reject, bid]),
    ]


def test_a_program_knows_what_its_seat_knows() -> None:
    for complete, known in [(True, 100.0), (False, None)]:
        ruling = ruled(GAME, [haggles(10, 5), TELLS], **MARKET, complete_information=complete)
        told = json.loads(ruling.results[1].problem.partition("ValueError: ")[2])
        assert told == [120.0, known, [], [{"kind": "offer", "price": 110.0}]], complete


def test_a_match_goes_on_as_a_copy_after_every_step_whether_its_base_is_registered_or_not() -> None:
    """Sent through pickle in the middle of the first and of the second meta-round, and before the first."""
    for base, returned in [("negotiation", "{'kind': 'accept'}"), ("pennies", "{'kind': 'heads'}")]:
        assert (base in econzoo.games()) == (base == "negotiation")
        env = econzoo.make(f"open_{base}", face="structured", rounds=2)
        env.reset(seed=3)
        copy = pickle.loads(pickle.dumps(env))
        for _ in range(4):
            env.step({"program": talks(f"return {returned}")})
            copy.step({"program": talks(f"return {returned}")})
            copy = pickle.loads(pickle.dumps(deepcopy(copy)))
            assert copy.game_state == env.game_state, base
        assert results(copy) == results(env), base
        assert len(results(env)) == 4, base


WRONG = [
    # what the buyer returns, and what its problem names
    ("'accept'", "'accept'"),
    ("{'kind': 'offer', 'price': 5}", '"offer"', '"accept"', '"reject"', '"opt_out"'),
    ("{'kind': 'take'}", "'take'"),
    ("{'kind': 'accept', 'price': 5}", "price"),
    ("{1: 2}", "kind"),
    ("None", None),
    ("{str(i): i for i in range(50)}", "dict"),
]


def test_what_is_no_move_is_told_and_the_default_is_played() -> None:
    for returned, *named in WRONG:
        ruling = ruled(GAME, [haggles(10, 5), talks(f"return {returned}")], **{**MARKET, "horizon": 1})
        result = ruling.results[1]
        assert (result.moves, result.failed) == ('[{"kind": "reject"}]', 1), returned
        assert result.failure == Failure.WRONG_RETURN.label, returned
        says(result.problem, *named)
        assert ruling.moves[1] == (2, (0.0, 3.0)), "reject, and the number of the failure"


def test_a_program_asks_what_the_other_would_do() -> None:
    """It asks for the highest of three prices that the other's program says it would accept."""
    seeks = talks(
        "for price in (118, 114, 112):",
        "    seen = {**view, 'seat': 1, 'own_value': 120, 'offered': price}",
        "    offer = {'kind': 'offer', 'price': price}",
        "    if simulate(opponent_program_code, [[offer, None]], seen)['kind'] == 'accept':",
        "        return offer",
    )
    assert [ruled(GAME, [seeks, haggles(10, least)], **MARKET).moves[0].values[0] for least in (1, 5, 8)] == [
        118,
        114,
        112,
    ]


def test_meta_rounds_add_up_and_are_measured_as_the_base_game_is() -> None:
    """10 of 20 for each, then no trade in a market of 100: mean gains 5 of 100."""
    soft, hard = PROGRAMS["soft"], PROGRAMS["hard"]
    env = submitted(GAME, [soft, soft], [hard, soft], rounds=2, **MARKET)
    assert [result.payoff for result in results(env)] == [10, 10, 0, 0]
    assert env.payoffs == (10.0, 10.0)
    outcome = env.outcome()
    assert (outcome.gains, outcome.efficiency, outcome.agreed) == ((0.05, 0.05), 0.5, False)


def test_a_record_of_a_negotiation_replays_without_its_programs(monkeypatch: pytest.MonkeyPatch) -> None:
    record = econzoo.play(GAME, ["random", "random"], seed=3, rounds=2, **MARKET)
    assert (record.status, len(record.rulings or ())) == ("finished", 2)
    monkeypatch.setattr(econzoo.game(GAME).referee, "ruling", lambda *_: pytest.fail("a program was run"))
    assert replay(record, EnvPool()) == []


TAMPERED = [
    ([0, 130.0, 0.0], [1, 0.0, 0.0]),  # another price: other payoffs
    ([1, 0.0, 0.0], [1, 0.0, 0.0]),  # nothing to accept
    ([0, 1e16, 0.0], [1, 0.0, 0.0]),  # beyond the bounds
    ([0, 110.0, 0.0],),  # no end
    ([0, 110.0, 0.0], [3, 0.0, 0.0], [1, 0.0, 0.0]),  # on after the end
    ([1, 0.0, 0.0], [0, 110.0, 0.0], [1, 0.0, 0.0]),  # a move that cannot be played before those that were
]


def test_a_ruling_that_was_changed_is_refused() -> None:
    for moves in TAMPERED:
        env = submitted(GAME, [PROGRAMS["soft"]] * 2, rounds=1, **MARKET)
        assert env.rulings[0]["moves"] == [[0, 110.0, 0.0], [1, 0.0, 0.0]], moves
        changed = [{**env.rulings[0], "moves": moves}]
        env.reset(seed=0, options={"rulings": changed})
        env.step({"program": PROGRAMS["soft"]})
        with refuses(ValueError, "round 1"):
            env.step({"program": PROGRAMS["soft"]})


def test_authors_read_the_base_games_own_brief_and_their_own_value() -> None:
    env = econzoo.make(GAME, face="text", complete_information=False, **MARKET)
    env.reset(seed=0)
    seller, buyer = (env.observe(agent)["text"] for agent in env.possible_agents)
    assert "$100" in seller
    assert "$120" in buyer
    assert "$120" not in seller
    assert '{"kind":"offer","price":<' in buyer


@pytest.mark.parametrize("name", OPENED)
def test_other_games_are_played_to_the_end(name: str) -> None:
    """Games in which both move at once, nature moves, and moves are lists: nobody answers, so all plays by default."""
    api_test(econzoo.make(f"open_{name}", rounds=2), num_cycles=10)
    first, second = ruled(f"open_{name}", [talks("return 0")] * 2).results
    assert first.failed + second.failed > 0
    assert (first.moves, second.moves) == (second.against, first.against)


def test_both_are_asked_where_both_move_at_once_and_nature_moves_for_itself() -> None:
    turns = talks("return {'kind': 'CDC'[len(opp_history)]}")
    ruling = ruled("open_matrix", [turns, turns], turns=3, noise=0.5)
    assert [move.kind == CHANCE for move in ruling.moves] == [True, False, False] * 3
    assert ruling.results[0].moves == json.dumps([{"kind": kind} for kind in "CDC"])


def test_a_list_of_counts_is_a_move() -> None:
    takes = talks("return {'kind': 'offer', 'keep': [1, 0, 2]} if view['proposing'] else {'kind': 'reject'}")
    first = ruled("open_division", [takes, takes], horizon=1).results[0]
    assert (first.moves, first.failed) == ('[{"kind": "offer", "keep": [1, 0, 2]}]', 0)


def test_a_parameter_that_would_be_there_twice_is_refused() -> None:
    """``rounds`` of the base game are called ``turns``."""
    both = replace(PENNIES, parameters=(*PENNIES.parameters, Parameter("turns", 1, Integer(1), "Also counted.")))
    with refuses(ValueError, "'turns'"):
        opened(both)


def test_a_game_of_three_is_refused() -> None:
    with refuses(ValueError, "lowest_bid", 3, 2):
        opened(LOWEST_BID)
