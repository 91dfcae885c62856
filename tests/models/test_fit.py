"""The policy of memory: what goes when a conversation is too long."""

from __future__ import annotations

import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from econzoo.baselines.models import ChatModel, Completion, OpenAIChat, TransformersChat, fit_to_budget
from econzoo.baselines.models.chat import check_lengths
from refusals import refuses


def words(conversation):
    """A simple count: words, and one for every message's markup."""
    return sum(len(m["content"].split()) + 1 for m in conversation)


def chat(turns, system="be brief"):
    rules = [{"role": "system", "content": system}] if system is not None else []
    roles = ("user", "assistant")
    return rules + [{"role": roles[i % 2], "content": text} for i, text in enumerate(turns)]


TURNS = st.lists(st.text("ab \n", max_size=30), min_size=1, max_size=12).map(lambda t: t[: len(t) - (len(t) + 1) % 2])
SYSTEMS = st.none() | st.text("rs ", max_size=20)


def test_a_short_conversation_is_left_alone():
    talk = chat(["hello", "hi", "now"])
    assert fit_to_budget(talk, words, 100) == (talk, 0)


def test_the_oldest_turns_go_first_and_in_pairs():
    talk = chat(["one one", "two", "three", "four", "five"])
    assert fit_to_budget(talk, words, words(talk) - 1) == ([talk[0], *talk[3:]], 2)
    assert fit_to_budget(talk, words, words([talk[0], talk[5]])) == ([talk[0], talk[5]], 4)


def test_of_a_too_long_newest_message_the_end_stays():
    kept, dropped = fit_to_budget(chat(["old", "reply", "a b c d e question"]), words, 7)
    assert [m["role"] for m in kept] == ["system", "user"]
    assert kept[0]["content"] == "be brief"
    assert kept[1]["content"].split() == ["d", "e", "question"]
    assert dropped == 3  # two removed, one shortened


def test_rules_that_are_too_long_are_cut_last_and_at_their_end():
    kept, _ = fit_to_budget(chat(["what now"], system="r1 r2 r3 r4 r5"), words, 5)
    assert kept[0]["content"].split() == ["r1", "r2", "r3"]
    assert kept[1]["content"] == ""


@given(TURNS, SYSTEMS, st.integers(-3, 60))
def test_whatever_is_left_is_a_chat_that_fits(turns, system, budget):
    talk = chat(turns, system)
    kept, dropped = fit_to_budget(talk, words, budget)
    has_rules = system is not None
    assert [m["role"] for m in kept] == [m["role"] for m in chat(turns[len(talk) - len(kept) :], system)]
    assert (kept[0]["role"] == "system") == has_rules
    assert talk[-1]["content"].endswith(kept[-1]["content"])
    assert words(kept) <= max(budget, 1 + has_rules)  # empty messages cannot be cut any further
    assert (dropped == 0) == (kept == talk)
    assert kept[has_rules + 1 :] == talk[len(talk) - len(kept) + has_rules + 1 :]
    assert talk == chat(turns, system)  # the caller's transcript is untouched


@given(TURNS, SYSTEMS, st.integers(0, 60))
def test_nothing_goes_that_could_have_stayed(turns, system, budget):
    talk = chat(turns, system)
    kept, dropped = fit_to_budget(talk, words, budget)
    if dropped >= 2 and kept[-1] == talk[-1]:
        first = len(talk) - len(kept) + (system is not None)
        assert words([*talk[: system is not None], *talk[first - 2 :]]) > budget


@pytest.mark.parametrize("role", ["assistant", "system", "tool"])
def test_odd_conversations_are_no_error(role):
    assert fit_to_budget([], words, 1) == ([], 0)
    assert fit_to_budget([{"role": role, "content": "x y"}], words, 1) == ([{"role": role, "content": ""}], 1)


def test_a_batch_must_belong_together():
    with refuses(ValueError, 2, 1):
        check_lengths([chat(["a"])] * 2, [None], [1, 2])
    with refuses(ValueError, 1):
        check_lengths([chat(["a"]), []], [None, None], [1, 2])


def test_importing_brings_nothing_heavy_in():
    code = (
        "import sys, econzoo.baselines.models;"
        "print([m for m in ('torch', 'transformers', 'openai', 'llguidance', 'peft') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_both_backends_are_chat_models():
    models: list[ChatModel] = [OpenAIChat("m", "http://localhost:1/v1"), TransformersChat("p")]
    assert [m.name for m in models] == ["openai:m@http://localhost:1/v1", "hf:p"]
    assert [m.complete([], [], []) for m in models] == [[], []]
    assert Completion("a", 1, 2, 0.5) == Completion("a", 1, 2, 0.5, 0.0, 0, False)
