"""Tools of a player as functions of a server, against a real HTTP server on this machine."""

from __future__ import annotations

import json

import pytest

pytest.importorskip("openai")

from local_server import Answer, LocalServer, error, reply
from move_schema import MOVE

import econzoo
from econzoo.baselines.models import OpenAIChat
from econzoo.baselines.models.functions import taken_apart
from econzoo.baselines.parts import CALCULATOR, SOLVER
from econzoo.baselines.parts.tools import or_call


def calling(name: str, arguments: str) -> Answer:
    """The answer of a server whose model calls a function."""
    answer = reply(None)
    call = {"id": "c1", "type": "function", "function": {"name": name, "arguments": arguments}}
    answer.body["choices"][0]["message"]["tool_calls"] = [call]
    return answer


@pytest.fixture(autouse=True)
def no_surroundings(monkeypatch):
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.delenv(name, raising=False)


def test_a_schema_without_calls_stays_as_it_is():
    assert taken_apart(MOVE) == (MOVE, [])


def test_calls_become_functions_and_the_moves_stay():
    moves, functions = taken_apart(or_call(MOVE, [CALCULATOR, SOLVER]))
    assert moves == MOVE
    assert [one["function"]["name"] for one in functions] == ["calculator", "solver"]
    assert functions[0]["function"]["parameters"]["required"] == ["expression"]
    assert functions[0]["function"]["description"] == CALCULATOR.doc


def test_a_schema_of_calls_alone_leaves_no_moves():
    assert taken_apart(CALCULATOR.schema)[0] is None


@pytest.mark.parametrize(
    ("arguments", "read"), [('{"expression": "6*7"}', {"expression": "6*7"}), ("", {}), ("6*7", "6*7")]
)
def test_a_function_call_reads_as_a_reply(arguments, read):
    with LocalServer(calling("calculator", arguments)) as server:
        chat = OpenAIChat("m", server.url)
        text = chat.complete([[{"role": "user", "content": "?"}]], [or_call(MOVE, [CALCULATOR])], [1])[0].text
    assert json.loads(text) == {"tool": "calculator", "arguments": read}
    assert server.requests[0]["tools"][0]["function"]["name"] == "calculator"
    assert server.requests[0]["response_format"]["json_schema"]["schema"] == MOVE


def test_a_server_without_functions_gets_the_calls_in_the_schema():
    both = or_call(MOVE, [CALCULATOR])
    with LocalServer(judge=lambda r: error(400, "tools are not supported") if "tools" in r else reply("{}")) as server:
        OpenAIChat("m", server.url).complete([[{"role": "user", "content": "?"}]], [both], [1])
    assert server.requests[-1]["response_format"]["json_schema"]["schema"] == both


def test_a_player_uses_the_result_of_its_function_call():
    def judge(request):
        told = [message["content"] for message in request["messages"] if "42" in message["content"]]
        return reply('{"number": 42}') if told else calling("calculator", '{"expression": "6*7"}')

    with LocalServer(judge=judge) as server:
        spec = f"openai:m@{server.url}?tools=calculator"
        record = econzoo.play("guess_average", [spec, *["fixed(50, 0)"] * 4], rounds=1)
    turn = next(turn for turn in record.turns if turn.seat == 0)
    assert turn.action == {"number": 42.0}
    assert [call["purpose"] for call in turn.calls] == ["tool"]
