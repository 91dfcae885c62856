"""Probabilities of the kinds of move: exact for local models, from the likeliest tokens for served ones."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
from local_server import LocalServer, error, reply
from move_schema import ACCEPT, MOVE, offer

import econzoo
from econzoo.baselines import Budget, LanguageModelPlayer, open_budget
from econzoo.baselines.models import OpenAIChat, TransformersChat
from econzoo.baselines.models.constrained_decoding import FreeText
from econzoo.baselines.models.kind_probabilities import Vocabulary, kinds_in, served_probabilities, token_choices
from econzoo.baselines.models.kind_reader import KindReader

TALK = [{"role": "user", "content": "Round 1. It is your turn to make an offer or to accept."}]


def kind(name):
    return {**ACCEPT, "properties": {"kind": {"const": name}}}


CALL = {"type": "object", "properties": {"tool": {"const": "calculator"}, "arguments": {"type": "object"}}}


@pytest.fixture
def wanted():
    with open_budget(Budget(logprobs=True)):
        yield


# The kinds of a schema


def test_kinds_are_the_constants_of_the_key_that_all_moves_have():
    assert kinds_in(MOVE) == ("kind", ("offer", "accept"))
    assert kinds_in({"anyOf": [*MOVE["anyOf"], CALL]}) == ("kind", ("offer", "accept"))
    said = {"anyOf": [{"properties": {"decision": {"const": name}}} for name in ("accept", "reject")]}
    assert kinds_in(said) == ("decision", ("accept", "reject"))


def test_one_kind_or_a_kind_without_a_name_has_no_probabilities():
    assert kinds_in(None) is None
    assert kinds_in(ACCEPT) is None
    assert kinds_in({"anyOf": [ACCEPT, CALL]}) is None
    assert kinds_in({"anyOf": [ACCEPT, {"properties": {"price": {"type": "number"}}}]}) is None


def test_a_vocabulary_finds_the_tokens_that_begin_a_text_or_write_more_than_it():
    vocabulary = Vocabulary([b"a", b"ac", b"accept", b'accept"}', b"action", b"b", b"", b'accept"'])
    assert sorted(vocabulary.tokens_towards('accept"')) == [0, 1, 2, 3, 7]


# Local models


@pytest.mark.models
def test_the_probabilities_of_a_local_model_are_the_frequencies_of_its_replies(tiny_path, wanted):
    chat = TransformersChat(str(tiny_path), temperature=0.8, max_new_tokens=24, batch_size=64)
    schema, count = {"anyOf": [offer(), kind("opt_out"), kind("accept")]}, 400
    replies = chat.complete([TALK] * count, [schema] * count, range(count))
    told = [one.probabilities["kinds"] for one in replies]
    assert all(math.isclose(sum(one.values()), 1, abs_tol=1e-5) for one in told)
    said = [json.loads(one.text)["kind"] for one in replies]
    for name in ("offer", "opt_out", "accept"):
        expected, seen = np.mean([one[name] for one in told]), said.count(name) / count
        assert abs(seen - expected) < 3.5 * math.sqrt(expected * (1 - expected) / count) + 1e-9


@pytest.mark.models
def test_kinds_with_a_common_beginning_are_followed_until_they_differ(tiny_path, wanted):
    """By hand: the sum over all ways to spell a kind with the tokens that the grammar allows."""
    import torch

    chat = TransformersChat(str(tiny_path), temperature=1.0, max_new_tokens=24)
    schema = {"anyOf": [kind("offer"), kind("opt_out"), kind("opt_in")]}
    [done] = chat.complete([TALK], [schema], [1])
    loaded = chat.load()
    prompt, found = loaded.encode(TALK), {"offer": 0.0, "opt_out": 0.0, "opt_in": 0.0}
    todo = [([], loaded.grammars.guide(schema), 1.0)]
    while todo:
        tokens, guide, share = todo.pop()
        tokens = [*tokens, *guide.take_forced()]
        possible = [name for name in found if f'"kind":"{name}"'.startswith(guide.text(tokens)[1 : len(name) + 10])]
        if len(possible) == 1:
            found[possible[0]] += share
            continue
        with torch.inference_mode():
            logits = loaded.reader.model(torch.tensor([[*prompt, *tokens]])).logits[0, -1].double()
        allowed = torch.from_numpy(guide.allowed_mask())
        weights = torch.softmax(logits.masked_fill(~allowed, -torch.inf), -1)
        for token in allowed.nonzero().flatten().tolist():
            further = guide.copy()
            further.take_token(token)
            todo.append(([*tokens, token], further, share * float(weights[token])))
    assert done.probabilities["kinds"] == pytest.approx(found, abs=1e-4)


@pytest.mark.models
def test_free_replies_have_the_probabilities_of_their_last_place(tiny_path, wanted):
    """By hand: the sum over all spellings of the rest of each kind, of which a draft ahead of it tells nothing."""
    import torch

    chat = TransformersChat(str(tiny_path), constrained=False, temperature=0.7)
    loaded, schema = chat.load(), {"anyOf": [kind("offer"), kind("opt_out"), kind("accept")]}
    reader = KindReader(kinds_in(schema), FreeText(loaded.grammars))
    prompt = loaded.encode(TALK)
    draft, reply = ('I could say {"kind": "', 'offer"}. But {"kind": "')
    written = loaded.tokenizer.encode(draft, add_special_tokens=False)

    def scores(tokens):
        with torch.inference_mode():
            return loaded.reader.model(torch.tensor([[*prompt, *tokens]])).logits[0, -1]

    reader.look(written, None, scores(written), 0.7)
    first = reader.probabilities
    written += loaded.tokenizer.encode(reply, add_special_tokens=False)
    reader.look(written, None, scores(written), 0.7)
    reader.follow_unclear_tokens(loaded.model, prompt, 0.7)
    told = reader.probabilities
    assert told["kinds"] != first.get("kinds")
    assert sum(told["kinds"].values()) == pytest.approx(1, abs=1e-5)

    found, raw, todo = dict.fromkeys(told["kinds"], 0.0), dict.fromkeys(told["kinds"], 0.0), [("", written, 1.0, 1.0)]
    while todo:
        text, tokens, share, own = todo.pop()
        possible = [name for name in found if f'{name}"'.startswith(text) or text.startswith(f'{name}"')]
        if len(possible) < 2:
            for name in possible:
                found[name] += share
                raw[name] += own
            continue
        logits = scores(tokens).double()
        at, plain = torch.softmax(logits / 0.7, -1), torch.softmax(logits, -1)
        for token in range(len(logits)):
            piece = loaded.grammars.vocabulary.spellings[token].decode(errors="replace")
            if piece:
                todo.append((text + piece, [*tokens, token], share * float(at[token]), own * float(plain[token])))
    assert told["kinds"] == pytest.approx({name: one / sum(found.values()) for name, one in found.items()}, abs=1e-4)
    assert told["raw"] == pytest.approx(raw, abs=1e-4)


@pytest.mark.models
def test_free_replies_are_told_the_schema_only_for_their_probabilities(tiny_path, monkeypatch):
    asked, ask = [], TransformersChat._ask
    monkeypatch.setattr(TransformersChat, "_ask", lambda *given: asked.append(given[3]) or ask(*given))
    players = [f"hf:{tiny_path}?constrained=no&max_new_tokens=8", "fair"]
    plain = econzoo.play("bargaining", players, seed=3, horizon=2)
    assert set(asked) == {None}
    asked.clear()
    with open_budget(Budget(logprobs=True)):
        told = econzoo.play("bargaining", players, seed=3, horizon=2)
    assert [turn.reply for turn in told.turns] == [turn.reply for turn in plain.turns]
    assert None not in asked


@pytest.mark.models
def test_a_greedy_reply_is_certain_and_has_probabilities_without_the_grammar(tiny_path, wanted):
    chat = TransformersChat(str(tiny_path), temperature=0, max_new_tokens=24)
    [done] = chat.complete([TALK], [MOVE], [1])
    said = json.loads(done.text)["kind"]
    assert done.probabilities["kinds"][said] == 1
    assert 0 < sum(done.probabilities["raw"].values()) < 1


@pytest.mark.models
def test_replies_and_records_are_the_same_with_and_without(tiny_path):
    spec = f"hf:{tiny_path}?temperature=1&max_new_tokens=24"
    plain = econzoo.play("bargaining", [spec, spec], seed=3, horizon=4)
    with open_budget(Budget(logprobs=True)):
        told = econzoo.play("bargaining", [spec, spec], seed=3, horizon=4)
    assert any(turn.probabilities for turn in told.turns)
    for turn in told.turns:
        turn.probabilities = {}
    for record in (plain, told):
        record.seconds = 0.0
        for turn in record.turns:
            turn.seconds = 0.0
    assert told.to_json() == plain.to_json()


# Served models


def place(token, **tops):
    """One token of a reply, and the probabilities of the likeliest ones at its place."""
    return token, {top.replace("_", ""): math.log(share) for top, share in tops.items()}


HEAD = [place('{"'), place("kind"), place('":"')]


def test_served_probabilities_are_those_of_the_first_token_of_the_kind():
    choices = [*HEAD, place("acc", acc=0.6, offer=0.2, The=0.15), place("ept", ept=1.0)]
    found = served_probabilities(choices, MOVE, 1.0)
    assert found["kinds"] == pytest.approx({"offer": 0.25, "accept": 0.75})
    assert found["raw"] == pytest.approx({"offer": 0.2, "accept": 0.6})  # the rest is on other tokens, or not told


def test_served_probabilities_are_converted_to_the_temperature_of_the_request():
    choices = [*HEAD, place("acc", acc=0.6, offer=0.2)]
    assert served_probabilities(choices, MOVE, 0.5)["kinds"] == pytest.approx({"offer": 0.1, "accept": 0.9})
    assert served_probabilities(choices, MOVE, 0)["kinds"] == {"offer": 0, "accept": 1}


def test_blanks_in_a_reply_and_thoughts_ahead_of_it_do_not_matter():
    thoughts = [place("I "), place("accept", accept=0.9, offer=0.1), place(". ")]
    choices = [*thoughts, place('{"kind": "'), place("offer", offer=0.5, accept=0.5)]
    assert served_probabilities(choices, MOVE, 1.0)["kinds"] == pytest.approx({"offer": 0.5, "accept": 0.5})


def test_a_likely_token_that_begins_several_kinds_leaves_them_unknown():
    schema = {"anyOf": [kind("offer"), kind("opt_out"), kind("accept")]}
    choices = [*HEAD, place("o", o=0.5, acc=0.5), place("ffer", ffer=0.9)]
    assert served_probabilities(choices, schema, 1.0) == {}
    choices = [*HEAD, place("acc", o=0.001, acc=0.599, offer=0.4)]
    assert served_probabilities(choices, schema, 1.0)["kinds"] == pytest.approx(
        {"offer": 0.4, "opt_out": 0, "accept": 0.6}, abs=1e-2
    )


def test_the_older_form_of_logprobs_is_read_too():
    old = {"tokens": ["acc"], "top_logprobs": [{"acc": -0.1, "offer": -2.0}]}
    assert token_choices(old) == [("acc", {"acc": -0.1, "offer": -2.0})]
    assert token_choices(None) == []


def with_logprobs(request):
    answer = reply('{"kind": "reject"}' if "accept" in request["messages"][-1]["content"] else OFFER)
    if request.get("logprobs"):
        content = [
            {**top(token, share), "top_logprobs": tops}
            for token, share, tops in [('{"kind": "', 1, []), ("reject", 0.7, [top("reject", 0.7), top("accept", 0.3)])]
        ]
        answer.body["choices"][0]["logprobs"] = {"content": content}
    return answer


OFFER = '{"kind": "offer", "gain": 6000}'


def top(token, share):
    return {"token": token, "logprob": math.log(share), "bytes": None}


def chat_at(server, **options):
    options = {"api_key": "k", "sleep": lambda seconds: None, "max_retries": 0, **options}
    return LanguageModelPlayer("served", OpenAIChat("m", server.url, **options))


@pytest.mark.usefixtures("no_surroundings")
def test_a_server_is_asked_for_logprobs_only_if_they_are_wanted():
    with LocalServer(judge=with_logprobs) as server:
        plain = econzoo.play("bargaining", ["fair", chat_at(server, temperature=1)], seed=1, horizon=2, messages=False)
        assert not any("logprobs" in request for request in server.requests)
        with open_budget(Budget(logprobs=True)):
            told = econzoo.play(
                "bargaining", ["fair", chat_at(server, temperature=1)], seed=1, horizon=2, messages=False
            )
    [first, *_] = [turn for turn in told.turns if turn.seat == 1]
    assert first.probabilities["kinds"] == pytest.approx({"accept": 0.3, "reject": 0.7})
    assert [turn.reply for turn in told.turns] == [turn.reply for turn in plain.turns]
    assert not any("probabilities" in turn.fields() for turn in plain.turns)


@pytest.mark.usefixtures("no_surroundings")
def test_free_replies_of_a_server_have_them_without_a_schema_in_the_request(wanted):
    with LocalServer(judge=with_logprobs) as server:
        spec = f"openai:m@{server.url}?constrained=no&temperature=1"
        told = econzoo.play("bargaining", ["fair", spec], seed=1, horizon=2, messages=False)
    assert not any("response_format" in request for request in server.requests)
    [first, *_] = [turn for turn in told.turns if turn.seat == 1]
    assert first.probabilities["kinds"] == pytest.approx({"accept": 0.3, "reject": 0.7})


@pytest.mark.usefixtures("no_surroundings")
@pytest.mark.parametrize("status", [400, 403, 422])
def test_a_server_that_refuses_logprobs_is_told_once_and_the_run_goes_on(status, capsys, wanted):
    def refuse(request):
        if "logprobs" in request:
            return error(status, "You are not allowed to request logprobs from this model")
        return with_logprobs(request)

    with LocalServer(judge=refuse) as server:
        player = chat_at(server)
        records = [
            econzoo.play("bargaining", ["fair", player.fork()], seed=seed, horizon=2, messages=False)
            for seed in range(3)
        ]
    assert capsys.readouterr().err.count("gives no logprobs") == 1
    assert sum("logprobs" in request for request in server.requests) == 2  # with 20 alternatives, then with 5
    assert all(not turn.probabilities and not turn.unsupported for record in records for turn in record.turns)
