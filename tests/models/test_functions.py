"""Tools of a player as functions of a server, against a real HTTP server on this machine."""

from __future__ import annotations

import json

import pytest

pytest.importorskip("openai")

from local_server import Answer, LocalServer, error, reply
from move_schema import MOVE

import econzoo
from econzoo.baselines.models import OpenAIChat
from econzoo.baselines.models.dialect import split_tools
from econzoo.baselines.models.strict_schema import make_strict
from econzoo.baselines.parts import CALCULATOR, SOLVER
from econzoo.baselines.parts.tools import allow_tool_calls
from refusals import says

pytestmark = pytest.mark.usefixtures("no_surroundings")


def calling(name: str, arguments: str) -> Answer:
    """The answer of a server whose model calls a function."""
    answer = reply(None)
    call = {"id": "c1", "type": "function", "function": {"name": name, "arguments": arguments}}
    answer.body["choices"][0]["message"]["tool_calls"] = [call]
    return answer


ASKED = [{"role": "user", "content": "?"}]


def test_a_schema_without_calls_stays_as_it_is():
    assert split_tools(MOVE) == (MOVE, [])


def test_calls_become_functions_and_the_moves_stay():
    moves, functions = split_tools(allow_tool_calls(MOVE, [CALCULATOR, SOLVER]))
    assert moves == MOVE
    assert [one["function"]["name"] for one in functions] == ["calculator", "solver"]
    assert functions[0]["function"]["parameters"]["required"] == ["expression"]
    assert functions[0]["function"]["description"] == CALCULATOR.doc


def test_a_schema_of_calls_alone_leaves_no_moves():
    assert split_tools(CALCULATOR.schema)[0] is None


@pytest.mark.parametrize(
    ("arguments", "read"), [('{"expression": "6*7"}', {"expression": "6*7"}), ("", {}), ("6*7", "6*7")]
)
def test_a_function_call_reads_as_a_reply(arguments, read):
    with LocalServer(calling("calculator", arguments)) as server:
        chat = OpenAIChat("m", server.url)
        text = chat.complete([[{"role": "user", "content": "?"}]], [allow_tool_calls(MOVE, [CALCULATOR])], [1])[0].text
    assert json.loads(text) == {"tool": "calculator", "arguments": read}
    assert server.requests[0]["tools"][0]["function"]["name"] == "calculator"
    assert server.requests[0]["response_format"]["json_schema"]["schema"] == make_strict(MOVE)


@pytest.mark.parametrize("tools", [(), (CALCULATOR,)])
def test_a_move_that_is_called_as_if_it_were_a_tool_is_that_move(tools):
    with LocalServer(calling("offer", '{"gain": 5000}')) as server:
        text = OpenAIChat("m", server.url).complete([ASKED], [allow_tool_calls(MOVE, tools)], [1])[0].text
    assert json.loads(text) == {"kind": "offer", "gain": 5000}


def test_a_move_that_is_called_is_played_and_read_like_any_other():
    with LocalServer(calling("offer", '{"gain": 5000}')) as server:
        record = econzoo.play("bargaining", [f"openai:m@{server.url}", "spe"], horizon=1)
    assert record.turns[0].action == {"kind": "offer", "gain": 5000.0}
    with LocalServer(calling("accept", "{}")) as server:
        record = econzoo.play("bargaining", [f"openai:m@{server.url}", "spe"], horizon=1)
    assert record.turns[0].error[0] == "illegal_now"


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        ("5000", "missing_key"),
        ("gain: 5000", "missing_key"),
        ('{"kind": "accept"}', "missing_key"),
        ('{"gain": 1, "gain": 5000}', "missing_key"),
        ('{"gain": NaN}', "bad_json"),
        ('{"gain": "5000"}', "wrong_type"),
    ],
)
def test_a_call_that_can_be_taken_for_several_things_is_no_move(arguments, code):
    with LocalServer(calling("offer", arguments)) as server:
        record = econzoo.play("bargaining", [f"openai:m@{server.url}", "spe"], horizon=1)
    assert record.turns[0].error[0] == code


def test_calls_beside_each_other_or_beside_words_are_no_move():
    two, beside = calling("offer", '{"gain": 5000}'), calling("offer", '{"gain": 5000}')
    two.body["choices"][0]["message"]["tool_calls"] *= 2
    beside.body["choices"][0]["message"]["content"] = '{"kind":"offer","gain":1}'
    for answer in (two, beside):
        with LocalServer(answer) as server:
            text = OpenAIChat("m", server.url).complete([ASKED], [MOVE], [1])[0].text
        assert json.loads(text) == {"tool": "offer", "arguments": {"gain": 5000}}


def test_a_call_of_what_is_neither_tool_nor_move_is_told_as_such():
    with LocalServer(calling("search", "{}")) as server:
        model = OpenAIChat("m", server.url)
        texts = [
            model.complete([ASKED], [schema], [1])[0].text for schema in (MOVE, None, allow_tool_calls(MOVE, [SOLVER]))
        ]
    assert [json.loads(text) for text in texts] == [{"kind": "search"}] * 2 + [{"tool": "search", "arguments": {}}]


@pytest.mark.parametrize(
    "said",
    [
        "tools are not supported",
        "Function calling with a response mime type: 'application/json' is unsupported",
        "json mode cannot be combined with tool/function calling",
    ],
)
def test_a_server_without_functions_gets_the_calls_in_the_schema(said):
    both = allow_tool_calls(MOVE, [CALCULATOR])
    with LocalServer(judge=lambda r: error(400, said) if "tools" in r else reply("{}")) as server:
        OpenAIChat("m", server.url).complete([[{"role": "user", "content": "?"}]], [both], [1])
    assert server.requests[-1]["response_format"]["json_schema"]["schema"] == make_strict(both)


def answering(request):
    """Calculates first."""
    told = [message for message in request["messages"] if message["role"] == "tool"]
    return reply('{"number": 42}') if told else calling("calculator", '{"expression": "6*7"}')


def test_a_call_and_its_result_are_messages_of_the_protocol():
    with LocalServer(judge=answering) as server:
        spec = f"openai:m@{server.url}?tools=calculator"
        record = econzoo.play("guess_average", [spec, *["fixed(50, 0)"] * 4], rounds=1)
    turn = next(turn for turn in record.turns if turn.seat == 0)
    assert turn.action == {"number": 42.0}
    assert [call["purpose"] for call in turn.calls] == ["tool"]
    system, question, call, result = server.requests[1]["messages"]
    function = {"name": "calculator", "arguments": '{"expression": "6*7"}'}
    name = "call00003"
    assert [system["role"], question["role"]] == ["system", "user"]
    asked = [{"id": name, "type": "function", "function": function}]
    assert call == {"role": "assistant", "content": None, "tool_calls": asked}
    assert result == {"role": "tool", "tool_call_id": name, "content": "Result of calculator: 42"}
    says(system["content"], "calculator", 4)
    assert '"tool"' not in system["content"], "what is offered as functions is not asked for as JSON besides"


def test_a_server_without_functions_is_told_of_calls_and_results_in_words():
    def judge(request):
        if "tools" in request:
            return error(400, "tools are not supported")
        told = "Result of calculator: 42" in request["messages"][-1]["content"]
        return reply('{"number": 42}' if told else '{"tool": "calculator", "arguments": {"expression": "6*7"}}')

    with LocalServer(judge=judge) as server:
        spec = f"openai:m@{server.url}?tools=calculator"
        record = econzoo.play("guess_average", [spec, *["fixed(50, 0)"] * 4], rounds=1)
    assert next(turn for turn in record.turns if turn.seat == 0).action == {"number": 42.0}
    messages = server.requests[-1]["messages"]
    assert [message["role"] for message in messages] == ["system", "user", "assistant", "user"]
    assert '{"tool": NAME, "arguments": {...}}' in messages[0]["content"]


def test_arguments_that_are_no_object_come_back_in_one():
    """vLLM, Anthropic and others refuse a conversation with any other arguments."""
    judge = lambda r: answering(r) if len(r["messages"]) > 2 else calling("calculator", "6*7")  # noqa: E731
    with LocalServer(judge=judge) as server:
        spec = f"openai:m@{server.url}?tools=calculator"
        econzoo.play("guess_average", [spec, *["fixed(50, 0)"] * 4], rounds=1)
    _, _, call, result = server.requests[1]["messages"]
    assert call["tool_calls"][0]["function"]["arguments"] == '{"arguments": "6*7"}'
    says(result["content"], "error", "calculator", "expression")
