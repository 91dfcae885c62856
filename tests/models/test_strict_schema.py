"""What servers are asked with is what strict modes take, in every game, and answers within it are moves or errors."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

pytest.importorskip("openai")

from local_server import LocalServer, error, reply
from move_schema import MOVE, offer
from strict_answers import any_answer, fitting_answer, wrongs

import econzoo
from econzoo.baselines import LanguageModelPlayer
from econzoo.baselines.models import OpenAIChat
from econzoo.baselines.models.strict_schema import make_strict
from econzoo.baselines.parts import CALCULATOR, SOLVER
from econzoo.baselines.parts.tools import allow_tool_calls, call_in
from econzoo.envs.core.contract import CODES, Invalid
from econzoo.envs.core.faces.prompts import sets_of
from econzoo.testing.playing import draw, has_ended

pytestmark = pytest.mark.usefixtures("no_surroundings")

LENGTHS = ("maxLength",)
"""What OpenAI has no place for, and other servers keep to."""
PLAYED = [
    (name, prompts)
    for name in econzoo.games()
    if econzoo.game(name).actions.source is None
    for prompts in (None, *sets_of(econzoo.game(name).package))
]


def questions(name: str, prompts: str | None, matches: int = 3, most: int = 25) -> Iterator[tuple[Any, str]]:
    """The environment and whose turn it is at the first questions of some matches, which are played at random."""
    env: Any = econzoo.make(name, face="chat", **({"prompts": prompts} if prompts else {})).unwrapped
    rng = np.random.default_rng(0)
    for seed in range(matches):
        env.reset(seed=seed)
        for _ in range(most):
            if not env.agents:
                break
            agent = env.agent_selection
            if has_ended(env):
                env.step(None)
                continue
            yield env, agent
            env.step(env.face(agent).teller.write(draw(rng, env.game, env.legal(agent)), env.legal(agent)))


@pytest.mark.parametrize(("name", "prompts"), PLAYED)
def test_every_question_is_asked_as_strict_modes_want_it(name, prompts):
    rng = np.random.default_rng(1)
    for env, agent in questions(name, prompts):
        schema, legal = env.json_schema(agent), env.legal(agent)
        asked, read = make_strict(schema), env.face(agent).teller.read
        assert wrongs(make_strict(schema, LENGTHS)) == []
        assert set(wrongs(asked)) <= {"keyword maxLength"}
        assert wrongs(make_strict(allow_tool_calls(schema, [CALCULATOR, SOLVER]), LENGTHS)) == []
        for _ in range(4):
            answer = fitting_answer(asked, rng)
            move = read(json.dumps(answer), legal)
            if isinstance(move, Invalid):  # what keys, or values by their places, have to do with each other
                assert move.code in ("refused", "out_of_range", "does_not_sum"), (answer, move)
            move = read(json.dumps(any_answer(asked, rng)), legal)
            assert not isinstance(move, Invalid) or (move.code in CODES and move.text)


def test_keys_of_other_kinds_are_null():
    told = make_strict(MOVE)
    assert told["properties"]["kind"] == {"type": "string", "enum": ["offer", "accept"]}
    assert told["required"] == ["kind", "gain", "message"]
    number, null = told["properties"]["gain"]["anyOf"]
    assert (number["type"], null) == ("number", {"type": "null"})
    assert told["properties"]["gain"]["description"] == "null with accept"
    assert make_strict(offer())["properties"]["kind"]["enum"] == ["offer"]


def test_kinds_that_differ_in_a_field_keep_both():
    told = make_strict({"anyOf": [offer(10), offer(20)]})
    assert [one["maxLength"] for one in told["properties"]["message"]["anyOf"]] == [10, 20]


def test_null_is_a_key_that_is_left_out_and_nothing_else():
    env: Any = econzoo.make("bargaining", face="chat").unwrapped
    env.reset(seed=0)
    read, legal = env.face("player_0").teller.read, env.legal("player_0")
    assert read('{"kind":"offer","gain":5000,"message":null}', legal) == read('{"kind":"offer","gain":5000}', legal)
    for said in ['{"kind":"offer","gain":null}', '{"kind":null,"gain":5000}', '{"kind":"offer","gain":[null]}', "null"]:
        assert isinstance(read(said, legal), Invalid), said
    for said in ['{"kind":"offer","gain":5,"gain":null}', '{"kind":"offer","gain":NaN,"message":null}']:
        assert read(said, legal).code == "bad_json", said


def test_tools_beside_moves_are_null_too():
    asked = make_strict(allow_tool_calls(MOVE, [CALCULATOR, SOLVER]))
    assert asked["properties"]["tool"]["anyOf"][0] == {"type": "string", "enum": ["calculator", "solver"]}
    move = '{"kind":"accept","gain":null,"message":null,"tool":null,"arguments":null}'
    assert call_in(move) is None
    call = call_in('{"kind":null,"gain":null,"message":null,"tool":"solver","arguments":null}')
    assert call == ("solver", {})


# Against servers


def answered(request):
    """An answer within the schema of a request."""
    rng = np.random.default_rng(request["seed"])
    return reply(json.dumps(fitting_answer(request["response_format"]["json_schema"]["schema"], rng)))


def kept(judge, game: str) -> list[list[str]]:
    """What would be refused of the schemas of all requests of two matches, which end without an error."""
    with LocalServer(judge=judge) as server:
        player = LanguageModelPlayer("m", OpenAIChat("m", server.url))
        for seed in range(2):
            record = econzoo.play(game, [player] * 2, seed=seed)
            assert record.status == "finished"
            assert not any(record.errors)
    return [wrongs(request["response_format"]["json_schema"]["schema"]) for request in server.requests]


@pytest.mark.parametrize("game", ["bargaining", "persuasion"])
def test_a_server_with_openais_rules_is_asked_with_a_schema_to_the_end(game):
    def judge(request):
        wrong = wrongs(request["response_format"]["json_schema"]["schema"])
        told = "Invalid schema for response_format 'move': In context=('properties', 'message'), '{}' is not permitted."
        return error(400, told.format(wrong[0].removeprefix("keyword "))) if wrong else answered(request)

    refused = [wrong for wrong in kept(judge, game) if wrong]
    assert len(refused) <= 1, "once, and never again"


def test_a_server_that_takes_no_limits_is_asked_without_them():
    def judge(request):
        told = json.dumps(request["response_format"]["json_schema"]["schema"])
        limit = next((limit for limit in ("minimum", "maximum", "maxLength") if f'"{limit}"' in told), None)
        said = f"output_format.schema: For 'number' type, property '{limit}' is not supported"
        return error(400, said) if limit else answered({**request, "seed": 1})

    with LocalServer(judge=judge) as server:
        chat = OpenAIChat("m", server.url)
        for _ in range(2):
            chat.complete([[{"role": "user", "content": "?"}]], [MOVE], [1])
    assert len(server.requests) == 5
    assert all("response_format" in request for request in server.requests)
