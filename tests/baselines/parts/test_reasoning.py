"""Ways of reasoning: how many calls each makes, what each call reads, and that all of them play every game."""

from __future__ import annotations

import json
from itertools import product

import pytest

import econzoo
from econzoo.baselines import LanguageModelPlayer, player
from econzoo.baselines.models import FunctionChat
from econzoo.baselines.parts import Parts, Reasoning, Refine, Request
from econzoo.baselines.parts.spec import REASONING, find_part, own_texts
from econzoo.envs.core.record import Record
from econzoo.evaluate.run import new_match, play_matches, replay
from exhaustive import long_unless
from refusals import says
from toy_games import TOYS, register_temporarily

METHODS = ("direct", "cot", "reflect", "refine", "predict", "solo", "k-level", "k-level(2)")
GAMES = (*econzoo.games(), *TOYS)
OFFER = '{"kind": "offer", "gain": 6000}'


def answering(conversation, schema, seed):
    """Offers or rejects when held to a schema, else says which question it was."""
    if schema is None:
        return f"thought {len(conversation)}"
    kinds = [option["properties"]["kind"]["const"] for option in schema.get("anyOf", [schema])]
    return OFFER if "offer" in kinds else '{"kind": "reject"}'


def seated(reasoning, answer=answering, **parts):
    return LanguageModelPlayer("m", FunctionChat(answer), parts=Parts(reasoning=made(reasoning), **parts))


def made(text):
    return find_part(REASONING, text) if isinstance(text, str) else text


def calls_of(record, seat=0):
    return [[call["purpose"] for call in turn.calls] for turn in record.turns if turn.seat == seat]


def test_calls_before_the_answer_to_a_first_offer():
    for reasoning, first_turn in [
        ("direct", []),
        ("cot", ["thought"]),
        ("reflect", []),
        ("refine(1)", ["draft", "critique"]),
        ("refine(3)", ["draft", "critique", "draft", "critique", "draft", "critique"]),
        ("predict", ["prediction"]),
        ("solo", ["discussion"]),
        ("k-level(1)", ["draft", "simulation"]),
        ("k-level(3)", ["draft", "simulation"] * 3),
    ]:
        record = econzoo.play("bargaining", [seated(reasoning), "greedy"], horizon=1)
        assert calls_of(record) == [first_turn], (reasoning, first_turn)


def test_reflection_follows_every_round_but_the_last_and_stays():
    model = seated("reflect")
    record = econzoo.play("bargaining", [model, "greedy"], horizon=3)
    assert calls_of(record) == [[], ["reflection"], ["reflection"]]
    calls = [call for turn in record.turns for call in turn.calls]
    notes = [f"What you noted after the last round: {call['reply']}" for call in calls]
    last = model.model.questions[-1].conversation
    assert [note for message in last for note in notes if note in message["content"]] == notes
    says(calls[0]["prompt"], 1, "Bob")


def test_the_answer_sees_the_thought_and_the_later_rounds_do_not():
    for reasoning in ("cot", "predict", "solo"):
        model = seated(reasoning)
        econzoo.play("bargaining", [model, "greedy"], horizon=3)
        asked, asks = model.model.questions, own_texts()[f"thought.{reasoning}"].partition("{")[0]
        assert [one.schema is None for one in asked] == [True, False] * 3, reasoning
        for thought, answer in zip(asked[::2], asked[1::2], strict=True):
            assert answer.conversation[-2] == {"role": "assistant", "content": thought.reply}, reasoning
            assert asks in thought.conversation[-1]["content"], reasoning
        assert "thought" not in json.dumps(model.transcript), reasoning
        assert asks not in json.dumps(model.transcript), reasoning


def test_the_predicting_model_is_told_whom_to_predict():
    with register_temporarily(*TOYS.values()):
        record = econzoo.play("lowest_bid", ["mock:*?reasoning=predict", "random", "random"])
    says(record.turns[0].calls[0]["prompt"], "(Ben, Cy)")


def test_every_criticism_is_of_the_answer_before_it_and_the_last_answer_counts():
    gains = iter(range(1000, 9000, 1000))

    def better(conversation, schema, seed):
        return "too little" if schema is None else json.dumps({"kind": "offer", "gain": next(gains)})

    model = seated(Refine(2), better)
    record = econzoo.play("bargaining", [model, "acceptor(0.1)"])
    assert record.turns[0].action["gain"] == 3000
    asked = [one.conversation for one in model.model.questions]
    assert [len(conversation) for conversation in asked] == [2, 4, 6, 8, 10]
    assert '"gain": 1000' in asked[1][-2]["content"]
    assert '"gain": 2000' in asked[3][-2]["content"]
    assert [call["reply"] for call in record.turns[0].calls][1::2] == ["too little"] * 2


@pytest.mark.parametrize(("reasoning", "sixth"), long_unless(lambda _, sixth: sixth == 0, product(METHODS, range(6))))
def test_every_method_plays_every_game(reasoning, sixth):
    for name in GAMES[(sixth - METHODS.index(reasoning)) % 6 :: 6]:
        with register_temporarily(*TOYS.values()):
            seats = econzoo.game(name).seats(econzoo.game(name).params()[1])
            spec = f"mock:*?reasoning={reasoning}&memory=window(2)&tools=calculator&tool_calls=1"
            refuses = econzoo.game(name).rules.refuses is not None  # which no schema tells the model
            options = {"max_retries": 20} if refuses else {}
            record = econzoo.play(name, [spec] * seats, seed=5, max_cycles=6, **options)
            assert record.status in ("finished", "truncated"), name
            assert refuses or record.errors == [0] * seats, name
            assert replay(record) == [], name
            assert replay(Record.from_json(record.to_json())) == [], name


def test_matches_side_by_side_are_asked_in_lockstep():
    """Five matches, a thought and an answer each: two batches of five."""
    model = seated("cot")
    matches = [new_match("bargaining", ["m", "greedy"], seed, horizon=1) for seed in range(5)]
    records = list(play_matches(matches, lambda spec: model if spec == "m" else player(spec, "bargaining")))
    assert model.model.batches == [5, 5]
    assert {len(record.turns[0].calls) for record in records} == {1}


def test_matches_of_unequal_length_do_not_mix():
    """A match that needs more calls goes on alone; the others' records are those of a match played alone."""

    def answer(conversation, schema, seed):
        if "Result of calculator" in conversation[-1]["content"] or seed % 2:
            return OFFER
        return '{"tool": "calculator", "arguments": {"expression": "6*7"}}'

    def fresh():
        from econzoo.baselines.parts import CALCULATOR

        return seated("direct", answer, tools=(CALCULATOR,))

    matches = [new_match("bargaining", ["m", "greedy"], seed, horizon=1) for seed in range(8)]
    model = fresh()
    together = list(play_matches(matches, lambda spec: model if spec == "m" else player(spec, "bargaining")))
    alone = [econzoo.play("bargaining", [fresh(), "greedy"], seed=match.seed, horizon=1) for match in matches]
    assert {len(record.turns[0].calls) for record in together} == {0, 1}
    by_seed = {record.seed: record.turns[0] for record in together}
    pairs = [(by_seed[one.seed].calls, one.turns[0].calls) for one in alone]
    for calls in (call for pair in pairs for call in pair):
        for call in calls:
            call["seconds"] = 0.0
    assert all(one == other for one, other in pairs)
    assert len(model.model.batches) == 2


def test_seeds_of_the_calls_of_a_match_all_differ():
    model = seated("refine(3)")
    econzoo.play("bargaining", [model, "greedy"], horizon=5)
    seeds = [one.seed for one in model.model.questions]
    assert len(seeds) == len(set(seeds)) == 7 * 5


def test_after_an_unusable_answer_what_was_thought_still_stands():
    """Asked again, the model sees its thought, its unusable answer and what was wrong; it need not think anew."""
    replies = iter(["I think of half.", "hm", OFFER])
    model = seated("cot", lambda *asked: next(replies))
    record = econzoo.play("bargaining", [model, "acceptor(0.1)"])
    assert [turn.error and turn.error[0] for turn in record.turns][:2] == ["no_json", None]
    assert calls_of(record) == [["thought"], []]
    again = [m["content"] for m in model.model.questions[-1].conversation]
    assert again[2] == "I think of half."
    assert again[4] == "hm"
    says(again[5], "JSON")


def test_plain_players_ask_what_they_always_asked():
    """No part named: one call a turn, and its conversation is the transcript, message by message."""
    model = LanguageModelPlayer("m", FunctionChat(answering))
    record = econzoo.play("bargaining", [model, "greedy"], horizon=3)
    assert [one.conversation for one in model.model.questions] == [model.transcript[: 2 + 2 * i] for i in range(3)]
    assert [turn.calls for turn in record.turns] == [[]] * 6
    assert '"calls"' not in record.to_json()


def test_own_reasoning_is_a_class_with_one_generator():
    class Twice(Reasoning):
        def turn(self, question):
            first = yield question.answer(question.conversation, "guess")
            text = f"You said {first.text}. Are you sure?"
            return (yield question.answer(question.with_text(text)))

    record = econzoo.play("bargaining", [seated(Twice()), "greedy"], horizon=1)
    assert calls_of(record) == [["guess"]]
    assert record.turns[0].action["gain"] == 6000.0


def test_an_own_reasoning_may_decide_without_the_model():
    from econzoo.baselines.models import Completion

    class Silent(Reasoning):
        def turn(self, question):
            yield Request(question.conversation, None, "wonder")
            return Completion(OFFER, 0, 0, 0.0)

    record = econzoo.play("bargaining", [seated(Silent()), "greedy"], horizon=1)
    assert calls_of(record) == [["wonder"]]
    assert record.turns[0].action["gain"] == 6000.0
