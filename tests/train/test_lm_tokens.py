"""Which tokens are learned: exactly the replies, each behind the prompt it has when played."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lm_world import RandomChat, build_tiny, write_records

import econzoo
from econzoo.baselines import LanguageModelPlayer
from econzoo.baselines.models import load
from econzoo.train.lm.tokens import IGNORED, Tokens, end_of_turn, sequences
from econzoo.train.lm.transcripts import transcript, transcripts

pytestmark = pytest.mark.models


@pytest.fixture(scope="module")
def loaded(tmp_path_factory):
    folder = tmp_path_factory.mktemp("tokens")
    records = write_records(folder / "r.jsonl", [("random", "fair"), ("fair", "random")])
    return load(build_tiny(folder / "tiny", records))


def chat_of(seed, **params):
    record = econzoo.play("bargaining", [LanguageModelPlayer("m", RandomChat("bargaining")), "random"], seed, **params)
    return transcript(record, 0)


def learned(loaded, tokens):
    """The texts of the learned stretches."""
    runs, before = [], False
    for token, own in zip(tokens.ids, tokens.own_mask, strict=True):
        if own and not before:
            runs.append([])
        if own:
            runs[-1].append(token)
        before = bool(own)
    return [loaded.tokenizer.decode(run) for run in runs]


@settings(max_examples=20)
@given(seed=st.integers(0, 2**32))
def test_the_learned_tokens_are_the_replies(loaded, seed):
    chat = chat_of(seed)
    (tokens,) = sequences(loaded, chat, 100_000)
    replies = [message["content"] for message in chat if message["role"] == "assistant"]
    assert learned(loaded, tokens) == [reply + "<|im_end|>" for reply in replies]
    assert tokens.labels == [t if own else IGNORED for t, own in zip(tokens.ids, tokens.own_mask, strict=True)]


@settings(max_examples=20)
@given(seed=st.integers(0, 2**32))
def test_each_reply_stands_behind_its_prompt(loaded, seed):
    chat = chat_of(seed)
    (tokens,) = sequences(loaded, chat, 100_000)
    starts = [i for i in range(1, len(tokens.own_mask)) if tokens.own_mask[i] and not tokens.own_mask[i - 1]]
    asked = [i for i, message in enumerate(chat) if message["role"] == "assistant"]
    assert [tokens.ids[:start] for start in starts] == [loaded.encode(chat[:i]) for i in asked]


@settings(max_examples=10)
@given(seed=st.integers(0, 2**32))
def test_a_long_match_is_cut_as_in_play(loaded, seed):
    chat = chat_of(seed, horizon=12)
    parts = sequences(loaded, chat, 420)
    assert all(len(part.ids) <= 420 for part in parts)
    replies = [message["content"] for message in chat if message["role"] == "assistant"]
    assert [text for part in parts for text in learned(loaded, part)] == [reply + "<|im_end|>" for reply in replies]


def test_a_reply_that_cannot_fit_is_refused(loaded):
    chat = [*chat_of(0)[:2], {"role": "assistant", "content": "word " * 100}]
    with pytest.raises(ValueError, match="a reply has"):
        sequences(loaded, chat, 64)


def test_a_reply_ends_as_the_template_ends_it(loaded):
    assert end_of_turn(loaded) == loaded.tokenizer.eos_token_id


@pytest.mark.parametrize(
    ("better", "labels"),
    [
        ([1, 2, 3, 4], [1, 2, 3, 4]),
        ([1, 2, 9, 4], [1, 2, 9, IGNORED]),
        ([8, 2, 3, 4], [8, IGNORED, IGNORED, IGNORED]),
        ([1, 2, 3, 7, 5], [1, 2, 3, 7]),
    ],
)
def test_of_a_wrong_reply_the_first_token_that_should_be_another_is_learned(better, labels):
    tokens = Tokens()
    tokens.read([5, 6])
    tokens.write_corrected([1, 2, 3, 4], better, weight=2.0)
    assert tokens.ids == [5, 6, 1, 2, 3, 4]
    assert tokens.labels == [IGNORED, IGNORED, *labels]
    assert tokens.weights == [0.0, 0.0, *(0.0 if label == IGNORED else 2.0 for label in labels)]


@pytest.mark.parametrize("turn", range(5))
def test_of_the_amounts_that_should_be_others_one_is_learned_to_its_end(loaded, turn):
    """Behind a wrong digit there is nothing to learn, so that alone nobody would learn where an amount ends."""
    record = econzoo.play("bargaining", ["greedy(0.7)", "greedy(0.8)"], horizon=5, money=100, messages=False)
    chat = transcripts(record, 0, 0, target_moves=[{"kind": "offer", "gain": 52.0}, {"kind": "reject"}] * 3)[0]
    offers = [at for at, message in enumerate(chat) if "gain" in message.get("meant", "")]
    whole, ended = sequences(loaded, chat, 100_000, turn=turn)
    at = offers[turn % len(offers)]
    assert ended.ids[: len(loaded.encode(chat[:at]))] == loaded.encode(chat[:at])
    assert learned(loaded, ended)[-1] == chat[at]["meant"] + "<|im_end|>"
    assert [text.endswith("<|im_end|>") for text in learned(loaded, whole) if "gain" in text] == [False] * 3
    assert len(offers) == 3


def test_a_teacher_that_agrees_adds_no_sequence(loaded):
    record = econzoo.play("bargaining", ["greedy(0.7)", "greedy(0.8)"], horizon=4, money=100, messages=False)
    chat = transcripts(record, 1, 0, target_moves=[{"kind": "reject"}, {"kind": "offer", "gain": 80.0}] * 2)[0]
    assert len(sequences(loaded, chat, 100_000)) == 1
