"""Models without a model behind them."""

from __future__ import annotations

import json

import numpy as np

import econzoo
from econzoo.baselines.models import CannedChat, FunctionChat
from econzoo.baselines.models.mock_chat import sample_from_schema
from econzoo.envs.core.contract import Invalid
from econzoo.envs.core.faces import parse_reply

HELLO = [{"role": "user", "content": "Hello there."}]


def test_a_function_answers_and_what_was_asked_is_kept():
    model = FunctionChat(lambda conversation, schema, seed: f"{conversation[-1]['content']} {schema} {seed}")
    replies = model.complete([HELLO, HELLO], [None, {"type": "object"}], [1, 2])
    assert [reply.text for reply in replies] == ["Hello there. None 1", "Hello there. {'type': 'object'} 2"]
    assert (replies[0].prompt_tokens, replies[0].completion_tokens) == (2, 4)
    assert [asked.seed for asked in model.questions] == [1, 2]
    assert model.batches == [2]
    HELLO[0]["content"] = "Hello there."  # a later change would not reach what was kept
    assert model.questions[0].conversation is not HELLO


def test_canned_texts_come_in_turn_and_again():
    model = CannedChat(["one", "two"])
    assert [model.complete([HELLO], [None], [0])[0].text for _ in range(5)] == ["one", "two", "one", "two", "one"]
    assert model.name == "mock:one|two"
    assert model.fresh_copy(0).complete([HELLO], [None], [0])[0].text == "one"
    assert model.fresh_copy(3).complete([HELLO], [None], [0])[0].text == "two"


def test_a_star_is_any_reply_that_the_schema_allows():
    model = CannedChat(["*"])
    schema = {"type": "object", "properties": {"bid": {"type": "integer", "minimum": 3, "maximum": 5}}}
    bids = {json.loads(model.complete([HELLO], [schema], [seed])[0].text)["bid"] for seed in range(40)}
    assert bids == {3, 4, 5}
    again = [model.complete([HELLO], [schema], [7])[0].text for _ in range(3)]
    assert len(set(again)) == 1, "a function of the seed"
    assert model.complete([HELLO], [None], [0])[0].text == "Let me see."


def test_what_obeys_a_schema_is_a_legal_move():
    for name in econzoo.games():
        env = econzoo.make(name)
        for seed in range(5):
            env.reset(seed=seed)
            rng = np.random.default_rng(seed)
            for agent in env.agents:
                if env.agent_selection == agent:
                    source = env.game.actions.source
                    library = source[1].library() if source else ()
                    reply = json.dumps(sample_from_schema(env.unwrapped.json_schema(agent), rng, library))
                    assert not isinstance(parse_reply(reply, env.game.actions, env.unwrapped.legal(agent)), Invalid), (
                        name
                    )
