"""How many tokens a reply may have: as the moves of the game need, apart from thoughts; what else a spec asks for."""

from __future__ import annotations

import pytest

pytest.importorskip("openai")

from local_server import LocalServer, error, reply

import econzoo
from econzoo.baselines import player
from econzoo.baselines.models import FunctionChat, OpenAIChat, TransformersChat
from econzoo.envs.core import game as find_game
from refusals import refuses


def tokens(name: str, **params: object) -> int:
    """What a reply in a game needs."""
    env = econzoo.make(name, **params).unwrapped
    env.reset(seed=0)
    return find_game(name).actions.tokens(env.legal(env.agent_selection))


@pytest.mark.parametrize(
    ("name", "params", "needed"),
    [
        ("guess_average", {}, 64 + 16),
        ("bargaining", {}, 64 + 16 + 200),
        ("bargaining", {"messages": False}, 64 + 16),
        ("bargaining", {"max_message": 1000}, 64 + 16 + 400),
        ("program_matrix", {}, 64 + 3000),
    ],
)
def test_an_answer_needs_tokens_by_the_fields_of_its_moves(name, params, needed):
    assert tokens(name, **params) == needed


def asked(spec: str, judge=lambda request: reply('{"number": 5}'), model: str = "m") -> list[dict]:
    """The requests of one day of the guessing game."""
    with LocalServer(judge=judge) as server:
        econzoo.play("guess_average", [f"openai:{model}@{server.url}?{spec}", "fixed(50, 0)"], players=2, rounds=1)
    return server.requests


def test_limits_of_answers_thoughts_and_reasoning_are_apart():
    for options, limits in [
        ("temperature=0", [80]),
        ("thinking=yes", [80 + 4096]),
        ("thinking=no", [80]),
        ("reasoning_tokens=0", [80]),
        ("reasoning_tokens=100", [180]),
        ("max_tokens=33", [33]),
        ("max_tokens=33&reasoning_tokens=100", [133]),
        ("reasoning_effort=none", [80]),
        ("reasoning_effort=high", [80 + 16384]),
        ("reasoning=cot&reasoning_tokens=0", [512, 80]),
        ("reasoning=cot&reasoning_tokens=0&thought_tokens=900", [900, 80]),
        ("reasoning=cot&max_tokens=60", [60, 60]),
        ("reasoning=cot&max_tokens=60&thought_tokens=900", [900, 60]),
    ]:
        assert [request["max_tokens"] for request in asked(options)] == limits, (options, limits)


THINKING = (
    "o1 o3-mini o4-mini openai/gpt-5 gpt-5-mini gpt-6 gpt-oss-20b deepseek-reasoner deepseek-ai/DeepSeek-R1 qwen3:8b "
    "Qwen/Qwen3-8B Qwen3-235B-A22B-Thinking-2507 QwQ-32B gemini-2.5-flash gemini-3-pro grok-4 grok-3-mini "
    "magistral-small zai-org/GLM-4.6 kimi-k2-thinking MiniMax-M2 SmolLM3-3B Phi-4-reasoning grok-4-fast-reasoning"
)
OTHERS = (
    "m gpt-4o gpt-4o-mini gpt-4.1 gpt-5-chat-latest claude-sonnet-4-5 deepseek-chat qwen2.5:7b Qwen3-4B-Instruct-2507 "
    "qwen3-coder gemini-2.0-flash gemini-2.5-flash-lite grok-3 grok-4-fast-non-reasoning mistral-large llama-3.1-8b o"
)


def room(model: str, **options: object) -> int:
    """Tokens for thoughts in a first request."""
    with LocalServer(reply("ok")) as server:
        OpenAIChat(model, server.url, **options).complete([[{"role": "user", "content": "?"}]], [None], [1], [80])
    return server.requests[0]["max_tokens"] - 80


def test_there_is_room_for_thoughts_where_a_model_thinks_by_its_name_or_by_an_option():
    assert {name: room(name) for name in THINKING.split()} == dict.fromkeys(THINKING.split(), 4096)
    assert {name: room(name) for name in OTHERS.split()} == dict.fromkeys(OTHERS.split(), 0)
    for options in (
        {"thinking": True},
        {"chat_template_kwargs": {"enable_thinking": True}},
        {"extra_body": {"reasoning": {"effort": "low"}}},
        {"extra_body": {"thinking": {"type": "enabled", "budget_tokens": 1024}}},
    ):
        assert room("m", **options) == 4096, options
    for options in (
        {"thinking": False},
        {"chat_template_kwargs": {"enable_thinking": False}},
        {"extra_body": {"chat_template_kwargs": {"thinking": False}}},
        {"extra_body": {"reasoning": {"enabled": False}}},
        {"extra_body": {"thinking": {"type": "disabled"}}},
    ):
        assert room("qwen3", **options) == 0, options


def cut(text: str | None, read: int = 10, **message: object):
    """A reply that was cut at its limit of tokens."""
    answer = reply(text, read)
    answer.body["choices"][0]["finish_reason"] = "length"
    answer.body["choices"][0]["message"] |= message
    return answer


@pytest.mark.parametrize(
    "thought",
    [
        cut("<think>Half of 50"),
        cut(None, reasoning_content="Half of 50"),
        cut('{"numb', reasoning="Half of 50"),
        cut(""),
    ],
)
def test_thoughts_that_nobody_expected_get_room_at_once_and_from_then_on(thought):
    """The cut reply is paid and no error of the model."""
    judge = lambda r: thought if r["max_tokens"] <= 200 else reply('{"number": 5}')  # noqa: E731
    with LocalServer(judge=judge) as server:
        spec = f"openai:m@{server.url}?price_per_million=0,1000000"
        record = econzoo.play("guess_average", [spec, "fixed(50, 0)"], players=2, rounds=2)
    own = [turn for turn in record.turns if turn.seat == 0]
    assert [turn.error for turn in own] == [None, None]
    assert [request["max_tokens"] for request in server.requests] == [80, 80 + 4096, 80 + 4096]
    assert own[0].tokens == [20, 10]
    assert sum(turn.cost for turn in own) == pytest.approx(5.0 * 3)


def test_a_cut_reply_of_a_model_without_thoughts_is_its_own():
    assert len(asked("", lambda request: cut('{"numb'))) == 3
    assert len(asked("max_tokens=50", lambda request: cut("<think>Half"))) == 3, "the limit is the user's"


@pytest.mark.parametrize(
    "refusal",
    [
        "max_tokens is too large: 4176. This model supports at most 4096 completion tokens",
        "This model's maximum context length is 4096 tokens. However, you requested 4500 tokens",
    ],
)
def test_a_server_with_less_room_is_asked_without_room_for_thoughts_from_then_on(refusal):
    requests = asked("", lambda r: error(400, refusal) if r["max_tokens"] > 4096 else reply('{"number": 5}'), "o3")
    assert [request["max_tokens"] for request in requests] == [4176, 80]
    assert len(requests[1]["messages"]) == len(requests[0]["messages"]), "nothing of the conversation is cut for that"


@pytest.mark.parametrize(("context", "most"), [(100_000, 80 + 4096), (6000, 3000)])
def test_half_of_a_known_context_at_least_is_for_the_prompt(context, most):
    assert asked(f"context={context}", model="o3")[0]["max_tokens"] == most
    assert asked(f"context={context}&reasoning_tokens=0")[0]["max_tokens"] == 80


def test_calls_of_functions_count_little_in_a_limit_of_tokens_a_minute():
    calls = [{"id": "c1", "type": "function", "function": {"name": "calculator", "arguments": '{"expression": "2*3"}'}}]

    def judge(request):
        if any(message["role"] == "tool" for message in request["messages"]):
            return reply('{"number": 6}')
        answer = reply(None)
        answer.body["choices"][0]["message"]["tool_calls"] = calls
        return answer

    assert len(asked("tools=calculator&tokens_per_minute=100000000", judge)) == 2


def test_room_that_was_asked_for_is_not_taken_back():
    with pytest.raises(Exception, match="too large"):
        asked("reasoning_tokens=5000", lambda r: error(400, "max_tokens is too large: at most 4096"))


def test_what_a_spec_names_is_sent():
    (request,) = asked("top_p=0.9&reasoning_effort=low&stop=END|%0A%0A&temperature=0.2")
    assert {name: request[name] for name in ("top_p", "reasoning_effort", "stop", "temperature")} == {
        "top_p": 0.9,
        "reasoning_effort": "low",
        "stop": ["END", "\n\n"],
        "temperature": 0.2,
    }
    assert not {"top_p", "reasoning_effort", "stop"} & set(asked("")[0])


@pytest.mark.parametrize("option", ["top_p=0.5", "reasoning_effort=low", "stop=END"])
def test_what_a_spec_names_is_never_left_out(option):
    name = option.partition("=")[0]
    with pytest.raises(Exception, match=name):
        asked(option, lambda r: error(400, f"Unsupported parameter: '{name}'") if name in r else reply("{}"))


def test_rules_open_the_first_question_where_a_model_wants_no_system_message():
    merged = asked("system=merge")[0]["messages"]
    assert [message["role"] for message in merged] == ["user"]
    system, user = asked("")[0]["messages"]
    assert merged[0]["content"] == f"{system['content']}\n\n{user['content']}"

    def judge(request):
        refused = request["messages"][0]["role"] == "system"
        return error(400, "System role not supported") if refused else reply('{"number": 5}')

    assert [[message["role"] for message in r["messages"]] for r in asked("", judge)] == [["system", "user"], ["user"]]


def test_a_wrong_option_is_named_with_what_is_allowed():
    for options, *named in (
        ("top_p=0", "top_p", 0.0, 0, 1),
        ("reasoning_effort=huge", "reasoning_effort", "huge", "none, minimal, low, medium, high"),
        ("stop=a|b|c|d|e", "stop", 4),
        ("system=none", "system", "none", "separate", "merge"),
        ("reasoning_tokens=-1", "reasoning_tokens", -1, 0),
        ("max_tokens=0", "max_tokens", 0, 1),
        ("thought_tokens=0", "thought_tokens", 0, 1, "1,000,000"),
    ):
        with refuses(ValueError, "openai:m@http://127.0.0.1:1/v1", *named):
            player(f"openai:m@http://127.0.0.1:1/v1?{options}", "bargaining")


def test_models_without_limits_and_functions_are_asked_as_before():
    model = FunctionChat(
        lambda conversation, schema, seed: '{"tool": "calculator", "arguments": {"expression": "1+1"}}'
    )
    chat = player("mock:x?tools=calculator", "guess_average")
    chat.model = model
    econzoo.play("guess_average", [chat, "fixed(50, 0)"], players=2, rounds=1)
    assert {message["role"] for one in model.questions for message in one.conversation} == {
        "system",
        "user",
        "assistant",
    }
    assert all(set(message) == {"role", "content"} for one in model.questions for message in one.conversation)


def test_a_reply_without_a_question_of_a_game_has_a_limit_of_its_own():
    with LocalServer(reply("ok")) as server:
        chat = OpenAIChat("gpt-5", server.url)
        chat.complete([[{"role": "user", "content": "?"}]], [None], [1])
        chat.complete([[{"role": "user", "content": "?"}]], [None], [1], [77])
    assert [request["max_tokens"] for request in server.requests] == [512 + 4096, 77 + 4096]


@pytest.mark.models
def test_a_local_model_has_the_same_limits(tiny_path):
    spec = f"hf:{tiny_path}?constrained=no&temperature=1"
    record = econzoo.play("guess_average", [spec, "fixed(50, 0)"], players=2, rounds=1)
    cut = [turn for turn in record.turns if turn.finish]
    assert cut
    assert {(turn.finish, turn.limit, turn.tokens[1]) for turn in cut} == {("length", 80, 80)}


@pytest.mark.models
def test_a_local_model_reads_the_rules_in_the_first_question_if_asked_to(tiny_path):
    talk = [{"role": "system", "content": "Rules."}, {"role": "user", "content": "What now?"}]
    merged = [{"role": "user", "content": "Rules.\n\nWhat now?"}]
    apart, merge = (TransformersChat(str(tiny_path), max_new_tokens=2, system=how) for how in ("separate", "merge"))
    (one,), (other,) = (chat.complete([talk], [None], [1]) for chat in (merge, apart))
    assert one.prompt_tokens == len(merge.load().encode(merged)) != other.prompt_tokens


def test_reasons_in_the_answer_have_room_of_their_own():
    """A bid, and 512 tokens for the reasons that the published prompts ask for."""
    with LocalServer(reply('{"bid": 1, "reason": "Water."}')) as server:
        spec = f"openai:m@{server.url}?reasoning_tokens=0"
        econzoo.play("water_allocation", [spec, *["random"] * 4], days=1, prompts="alympics")
    assert server.requests[0]["max_tokens"] == 64 + 16 + 512
