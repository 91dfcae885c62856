"""K-level reasoning: who is simulated, what each simulation reads, and that no two levels mix."""

from __future__ import annotations

import json
import re

import numpy as np

import econzoo
from econzoo.baselines import LanguageModelPlayer, player
from econzoo.baselines.models import FunctionChat
from econzoo.baselines.models.mock_chat import sample_from_schema
from econzoo.baselines.parts import KLevel, Parts
from econzoo.evaluate.run import new_match, play_matches
from refusals import says
from toy_games import LOWEST_BID, register_temporarily


def one_more(conversation, schema, seed):
    """Bids 0 if it is simply asked, else one more than the predictions that it reads; all of them must be equal."""
    told = re.findall(r'- \w+: \{"bid":(\d+)\}', conversation[-1]["content"])
    assert len(set(told)) <= 1, "two levels stand side by side"
    return json.dumps({"bid": int(told[0]) + 1 if told else 0})


def lowest_bid(level, answer=one_more, others=("mock:*", "mock:*")):
    model = LanguageModelPlayer("m", FunctionChat(answer), parts=Parts(reasoning=KLevel(level)))
    with register_temporarily(LOWEST_BID):
        record = econzoo.play("lowest_bid", [model, *others])
    return model, record


def test_all_move_at_once_the_player_is_one_level_above_those_it_simulates():
    """Level 1 bids 0 and every level one more: the player, who answers to level k, bids k."""
    for level in (1, 2, 3, 5):
        _, record = lowest_bid(level)
        assert record.turns[0].action == {"bid": float(level)}, level


def test_all_move_at_once_calls_are_k_times_all_seats_in_the_game():
    """k (m + 1) - 1 simulations with m others, and the answer."""
    for level in (1, 2, 3, 5):
        _, record = lowest_bid(level)
        calls = record.turns[0].calls
        assert {call["purpose"] for call in calls} == {"simulation"}, level
        assert [call["about_seat"] for call in calls] == ([1, 2, 0] * level)[: 3 * level - 1], level


def test_without_a_perspective_whoever_did_not_move_last_is_not_simulated():
    """Of four players one leaves a round; who left before the last round is known by its silence."""
    bids = ("mock('{\"bid\": 9}')", "mock('{\"bid\": 8}')", "mock('{\"bid\": 7}')")
    model = LanguageModelPlayer("m", FunctionChat(lambda *asked: '{"bid": 10}'), parts=Parts(reasoning=KLevel(1)))
    with register_temporarily(LOWEST_BID):
        record = next(play_matches([_four(("m", *bids))], lambda spec: model if spec == "m" else player(spec)))
    simulated = [[call["about_seat"] for call in turn.calls] for turn in record.turns if turn.seat == 0]
    assert simulated == [[1, 2, 3], [1, 2, 3], [1, 2]]


def _four(players):
    """`players` is also a parameter of this game."""
    match = new_match("lowest_bid", players[:3], 0)
    return match._replace(params={**match.params, "players": 4}, players=players)


def test_a_simulated_move_that_cannot_be_read_is_left_out():
    def answer(conversation, schema, seed):
        asked = conversation[-1]["content"]
        if "in the place of Ben" in asked:
            return "I do not know."
        return '{"bid": 3}'

    model, record = lowest_bid(1, answer)
    final = model.model.questions[2].conversation[-1]["content"]
    assert "- Cy:" in final
    assert "- Ben:" not in final
    assert record.errors == [0, 0, 0]


def test_nothing_simulated_stays_in_the_transcript():
    model, record = lowest_bid(3)
    own = [turn for turn in record.turns if turn.seat == 0]
    assert [m["content"] for m in model.transcript[1::2]] == [turn.prompt for turn in own]
    assert [m["content"] for m in model.transcript[2::2]] == [turn.reply for turn in own]


# Seats take turns


def haggler(conversation, schema, seed):
    """Asks for 9000, then for what the other is predicted to accept; as Bob it accepts 4000 and more."""
    text = conversation[-1]["content"]
    if conversation[0]["content"].startswith("You are Bob"):
        offered = int(re.findall(r"Do you accept \$([\d,]+)", text)[-1].replace(",", ""))
        return '{"kind": "accept"}' if offered >= 4000 else '{"kind": "reject"}'
    if 'reject"' in text.partition("An expert predicts")[2]:
        return '{"kind": "offer", "gain": 6000}'
    return '{"kind": "offer", "gain": 9000}' if "An expert" not in text else '{"kind": "offer", "gain": 5500}'


def test_in_turns_a_tentative_offer_is_put_to_the_other():
    """9000 is rejected in the simulation, so it asks 6000; that is accepted in the next one, so it asks 5500."""
    for level, gain in ((1, 6000.0), (2, 5500.0)):
        model = LanguageModelPlayer("m", FunctionChat(haggler), parts=Parts(reasoning=KLevel(level)))
        record = econzoo.play("bargaining", [model, "acceptor(0.1)"])
        assert record.turns[0].action["gain"] == gain, (level, gain)
        assert [call["purpose"] for call in record.turns[0].calls] == ["draft", "simulation"] * level, (level, gain)
        simulation = record.turns[0].calls[1]
        assert simulation["about_seat"] == 1, (level, gain)
        assert simulation["prompt"].startswith("You are Bob."), (level, gain)
        says(simulation["prompt"], "Alice", "$10,000", "$1,000")


def test_in_turns_an_answer_that_nobody_answers_is_given_at_once():
    def accepting(conversation, schema, seed):
        return '{"kind": "accept"}'

    model = LanguageModelPlayer("m", FunctionChat(accepting), parts=Parts(reasoning=KLevel(2)))
    record = econzoo.play("bargaining", ["fair", model])
    assert record.turns[1].calls == []
    assert record.turns[1].action == {"kind": "accept"}


def test_a_tentative_move_that_is_none_is_the_answer_and_is_asked_for_again():
    replies = iter(["no idea", '{"kind": "offer", "gain": 5000}'])
    model = LanguageModelPlayer("m", FunctionChat(lambda *asked: next(replies)), parts=Parts(reasoning=KLevel(1)))
    record = econzoo.play("bargaining", [model, "acceptor(0.1)"])
    assert [turn.error and turn.error[0] for turn in record.turns] == ["no_json", None, None]


SECRETS = [
    ("bargaining", {"delta": (0.9, 0.77), "complete_information": False}, 0, "77%"),
    ("bargaining", {"delta": (0.77, 0.9), "complete_information": False}, 1, "77%"),
    ("negotiation", {"seller_value": 1.0, "buyer_value": 1.2345, "complete_information": False}, 0, "12,345"),
    ("negotiation", {"seller_value": 0.6789, "buyer_value": 1.2, "complete_information": False}, 1, "6,789"),
    ("persuasion", {"seller_knows_value": False, "high_value": 1.7777}, 0, "17,777"),
]


def test_a_simulation_reads_nothing_that_the_own_seat_may_not_know():
    """The secret stands in what the other reads, and in no question that this seat's model is asked."""
    for game, params, seat, secret in SECRETS:
        model = LanguageModelPlayer("m", FunctionChat(_legal), parts=Parts(reasoning=KLevel(2)))
        other = LanguageModelPlayer("o", FunctionChat(_legal))
        econzoo.play(game, [model, other] if seat == 0 else [other, model], **params)
        assert secret in json.dumps(other.transcript), (game, params, seat, secret)
        asked = model.model.questions
        assert secret not in json.dumps([one.conversation for one in asked]), (game, params, seat, secret)
        simulated = [one for one in asked if "Only you know" in one.conversation[0]["content"]]
        assert simulated, "what the other alone knows is named as such"


def _legal(conversation, schema, seed):
    kinds = schema.get("anyOf", [schema])
    wanted = [k for k in kinds if k["properties"]["kind"]["const"] in ("offer", "reject", "say", "decline")]
    return json.dumps(sample_from_schema(wanted[0], np.random.default_rng(seed)))


def test_a_myopic_buyer_is_simulated_with_its_own_round_only():
    model = LanguageModelPlayer("m", FunctionChat(_legal), parts=Parts(reasoning=KLevel(1)))
    record = econzoo.play("persuasion", [model, "mock:*"], buyer="myopic", rounds=4)
    simulated = [call["prompt"] for turn in record.turns for call in turn.calls if call["purpose"] == "simulation"]
    assert len(simulated) == 4
    assert all(text.count("Round 1: Alice says") == 1 and "Round 2" not in text for text in simulated)


# Games in which all is public but the moves of the round


def bidding(conversation, schema, seed):
    return '{"bid": 1}'


def test_who_is_dead_is_not_simulated_and_whoever_lives_is():
    """From the own view it can be told who lives: every day, exactly the living others are simulated."""
    model = LanguageModelPlayer("m", FunctionChat(bidding), parts=Parts(reasoning=KLevel(1)))
    record = econzoo.play("water_allocation", [model, "random", "random", "random", "random"], seed=4, supply=(10, 12))
    bidders = {turn.round: set() for turn in record.turns}
    for turn in record.turns:
        bidders[turn.round].add(turn.seat)
    assert len(bidders[1]) == 5
    assert min(map(len, bidders.values())) < 5, "somebody dies in this game"
    for turn in (turn for turn in record.turns if turn.seat == 0):
        assert {call["about_seat"] for call in turn.calls} == bidders[turn.round] - {0}


def test_each_simulation_is_of_its_own_view():
    model = LanguageModelPlayer("m", FunctionChat(bidding), parts=Parts(reasoning=KLevel(2)))
    record = econzoo.play("water_allocation", [model, "random", "random", "random", "random"], days=2)
    names = {0: "Alex", 1: "Bob", 2: "Cindy", 3: "David", 4: "Eric"}
    needs = {0: 8, 1: 9, 2: 10, 3: 11, 4: 12}
    for call in record.turns[0].calls:
        if call["about_seat"]:
            assert call["prompt"].startswith(f"You are {names[call['about_seat']]}.")
        assert f"you need {needs[call['about_seat']]}." in call["prompt"]
    later = next(turn for turn in record.turns if turn.round == 2 and turn.seat == 0).calls[0]["prompt"]
    assert "Day 1 (" in later
    assert "Alex bid $1 " in later, "for Bob, the own move is somebody else's"


def test_personas_that_the_game_tells_are_not_told_of_others():
    """Residents are told their own profile only: nobody simulates with that of another."""
    model = LanguageModelPlayer("m", FunctionChat(bidding), parts=Parts(reasoning=KLevel(2)))
    econzoo.play("water_allocation", [model, "random", "random", "random", "random"], days=2, persona=True)
    told = json.dumps([one.conversation for one in model.model.questions])
    assert "out of work" in told
    assert not [word for word in ("teacher", "psychologist", "mathematician", "marketing") if word in told]


def halving(conversation, schema, seed):
    """Says 50 if simply asked, else half the mean of the predictions, rounded up."""
    told = [int(n) for n in re.findall(r'"number":(\d+)', conversation[-1]["content"].partition("predicts")[2])]
    return json.dumps({"number": -(-sum(told) // (2 * len(told))) if told else 50})


def test_guess_the_average_goes_down_level_by_level():
    """50, 25, 13, 7, 4: each level halves the one below, as in Nagel's guessing game."""
    for level, number in ((1, 25), (2, 13), (3, 7), (4, 4)):
        model = LanguageModelPlayer("m", FunctionChat(halving), parts=Parts(reasoning=KLevel(level)))
        record = econzoo.play("guess_average", [model, "random", "random", "random", "random"], rounds=1)
        assert record.turns[0].action == {"number": float(number)}, (level, number)
