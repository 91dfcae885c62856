"""Language models in a seat: what they read, what they keep, what they cost."""

from __future__ import annotations

import json

import pytest
from local_server import LocalServer, reply

import econzoo
from econzoo.baselines import LanguageModelPlayer, player
from econzoo.baselines.model_specs import hf_player
from econzoo.baselines.models import Completion
from econzoo.evaluate.run import new_match, play_matches
from refusals import says

REJECT = '{"kind": "reject"}'
OFFER = '{"kind": "offer", "gain": 6000, "message": "Take it."}'


class Scripted:
    """A chat model that answers by rule and remembers what it was asked."""

    name = "scripted"

    def __init__(self, answer):
        self.reply_to, self.asked, self.batches, self.seeds = answer, [], [], []

    def complete(self, conversations, schemas, seeds):
        self.batches.append(len(conversations))
        self.asked += [[dict(m) for m in c] for c in conversations]
        self.seeds += list(seeds)
        return [
            Completion(self.reply_to(c[-1]["content"], s), 7, 3, 0.1, cost=0.01, dropped_turns=2)
            for c, s in zip(conversations, schemas, strict=True)
        ]


def obliging(text, schema):
    """Offers when asked to propose, rejects every offer."""
    return REJECT if "Do you accept" in text else OFFER


def seated(answer=obliging, constrained=True):
    return LanguageModelPlayer("scripted", Scripted(answer), constrained)


def test_the_model_reads_the_rules_once_and_then_only_news():
    model = seated()
    econzoo.play("bargaining", [model, "greedy"], horizon=3)
    last = model.model.asked[-1]
    assert [m["role"] for m in last] == ["system", "user", "assistant", "user", "assistant", "user"]
    assert last[0]["content"].startswith("You are Alice.")
    assert last[1]["content"].startswith("Round 1.")
    assert last[2]["content"] == OFFER
    says(last[3]["content"], "Round 1", "Bob")
    assert "Round 1" not in last[5]["content"]


def test_tokens_cost_and_cut_turns_of_every_answer_are_recorded():
    record = econzoo.play("bargaining", [seated(), "greedy"], horizon=1)
    turn = record.turns[0]
    assert (turn.tokens, turn.cost, turn.dropped_turns) == ([7, 3], 0.01, 2)
    assert turn.reply == OFFER
    assert record.turns[1].tokens == [0, 0]


def test_an_unusable_answer_is_told_to_the_model_and_asked_for_again():
    answers = iter(["I want more money", '{"kind": "offer", "gain": 20000}', OFFER])
    model = seated(lambda text, schema: next(answers))
    record = econzoo.play("bargaining", [model, "acceptor(0.3)"])
    assert [turn.error and turn.error[0] for turn in record.turns] == ["no_json", "out_of_range", None, None]
    assert record.errors == [2, 0]
    assert record.payoffs == [6000.0, 4000.0]
    says(model.model.asked[1][-1]["content"], "JSON")


def test_a_model_that_never_makes_a_move_forfeits():
    record = econzoo.play("bargaining", [seated(lambda text, schema: "hm"), "fair"])
    assert (record.status, record.forfeit, record.errors, record.payoffs) == ("forfeited", 0, [3, 0], [0.0, 0.0])


def test_the_schema_given_to_the_decoder_allows_exactly_the_legal_moves():
    schemas = []
    econzoo.play("bargaining", ["greedy", seated(lambda text, schema: schemas.append(schema) or REJECT)], horizon=1)
    kinds = [option["properties"]["kind"]["const"] for option in schemas[0]["anyOf"]]
    assert kinds == ["accept", "reject"]


def test_an_unconstrained_model_gets_no_schema():
    schemas = []
    free = seated(lambda text, schema: schemas.append(schema) or OFFER, constrained=False)
    econzoo.play("bargaining", [free, "acceptor(0.1)"], horizon=1)
    assert schemas == [None]


def test_many_matches_are_asked_in_one_batch_and_do_not_mix():
    model = seated()
    matches = [new_match("bargaining", ["scripted", "greedy"], seed, horizon=2) for seed in range(5)]
    records = list(play_matches(matches, lambda spec: model if spec == "scripted" else player(spec, "bargaining")))
    assert model.model.batches == [5, 5]
    assert sorted(record.seed for record in records) == [0, 1, 2, 3, 4]
    assert all(len(conversation) in (2, 4) for conversation in model.model.asked)


def test_a_model_sits_on_both_sides_with_a_transcript_each():
    model = seated(lambda text, schema: '{"kind": "accept"}' if "Do you accept" in text else OFFER)
    record = econzoo.play("bargaining", [model, model])
    assert record.payoffs == [6000.0, 4000.0]
    assert [c[0]["content"][:15] for c in model.model.asked] == ["You are Alice. ", "You are Bob. Yo"]


def test_seeds_differ_between_seats_and_turns_and_repeat_with_the_match():
    first, again, other = seated(), seated(), seated()
    for model, seed in ((first, 1), (again, 1), (other, 2)):
        econzoo.play("bargaining", [model, "greedy"], seed=seed, horizon=3)
    assert first.model.seeds == again.model.seeds
    assert len(set(first.model.seeds)) == 3
    assert not set(first.model.seeds) & set(other.model.seeds)


def test_an_openai_compatible_server_plays_a_match():
    def judge(request):
        asks = request["messages"][-1]["content"]
        return reply('{"kind": "accept"}' if "Do you accept" in asks else OFFER, read=100, wrote=10)

    with LocalServer(judge=judge) as server:
        spec = f"openai:test-model@{server.url}?temperature=0&price_per_million=1,10"
        record = econzoo.play("bargaining", ["fair", spec])
        assert record.players[1] == spec
        assert record.payoffs == [5000.0, 5000.0]
        assert server.requests[0]["messages"][0]["role"] == "system"
        assert record.turns[1].tokens == [100, 10]
        assert record.turns[1].cost == pytest.approx(0.0002)


@pytest.mark.parametrize(
    ("spec", "says"),
    [
        ("hf:", "expected hf:TARGET"),
        ("hf:x?temperature=hot", "invalid temperature='hot': expected a number"),
        ("hf:x?color=red", "unknown option 'color'; allowed: temperature"),
        ("hf:x?temperature=-1", "expected 0 or a positive number"),
        ("openai:m@ftp://somewhere", "ftp"),
        ("openai:m@http://127.0.0.1:1/v1?price_per_million=1", "two numbers"),
        ("openai:m?seed=7", "yes or no"),
        ("openai:m?extra_body=[]", "JSON object"),
        ("openai:m?context=few", "an integer"),
    ],
)
def test_a_bad_spec_is_refused_with_what_is_allowed(spec, says):
    with pytest.raises(ValueError, match="player") as refused:
        player(spec, "bargaining")
    assert says in str(refused.value)


@pytest.mark.models
def test_a_model_with_random_weights_never_leaves_the_rules_when_constrained(tiny_path):
    spec = f"hf:{tiny_path}?max_new_tokens=60&temperature=1"
    matches = [new_match("bargaining", [spec, "random"], seed, horizon=4) for seed in range(6)]
    model = hf_player(spec, str(tiny_path), {"max_new_tokens": "60", "temperature": "1"})
    records = list(play_matches(matches, lambda s: model if s == spec else player(s, "bargaining")))
    assert [record.errors for record in records] == [[0, 0]] * 6
    assert all(json.loads(turn.reply)["kind"] for r in records for turn in r.turns if turn.seat == 0)


@pytest.mark.models
def test_a_transcript_too_long_for_the_model_is_cut_and_counted_not_refused(tiny_path):
    spec = f"hf:{tiny_path}?max_new_tokens=40&context=400"
    record = econzoo.play("bargaining", [spec, "greedy"], horizon=4)
    assert record.status == "finished"
    assert max(turn.dropped_turns for turn in record.turns) > 0
