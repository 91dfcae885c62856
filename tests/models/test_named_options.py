"""Options of a model that a server refuses: the run ends, or they are left out and the record says so."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

pytest.importorskip("openai")

from asking import BID, TALK, command, guess, without
from local_server import Answer, LocalServer, error, reply

from econzoo.baselines import ModelError, RefusedError, player
from econzoo.baselines.models import Completion, OpenAIChat
from refusals import refuses, says

SCHEMA = {"type": "object", "properties": {"number": {"type": "number"}}}


pytestmark = pytest.mark.usefixtures("alone")


@pytest.mark.parametrize(
    ("option", "field"),
    [
        ("temperature=0.2", "temperature"),
        ("constrained=yes", "response_format"),
        ("seed=yes", "seed"),
        ("top_p=0.9", "top_p"),
        ("reasoning_effort=low", "reasoning_effort"),
        ("stop=END", "stop"),
        ("thinking=no", "chat_template_kwargs"),
        ('chat_template_kwargs={"a":1}', "chat_template_kwargs"),
        ('extra_body={"top_k":20}', "top_k"),
    ],
)
def test_what_was_asked_for_by_name_is_never_left_out_unsaid(option, field):
    name = option.partition("=")[0]
    with LocalServer(judge=without(field)) as server:
        with refuses(RefusedError, name, server.url, "Unsupported value", "on_refused=drop"):
            guess(server, option)
        assert len(server.requests) == 1
        _, (turn,) = guess(server, f"{option}&on_refused=drop")
        assert field not in server.requests[-1]
    assert [name in one for one in turn.unsupported] == [True]


def test_an_option_that_is_refused_ends_a_run_with_one_line(capsys):
    with LocalServer(judge=without("temperature")) as server:
        spec = f"openai:m@{server.url}?temperature=0.2"
        run = "tournament", "guess_average", spec, "--opponents", "fixed(50, 0)", "--seeds", 8, "--out", "t"
        assert command(*run, "-p", "players=2", "-p", "rounds=1") == 1
    (line,) = capsys.readouterr().err.splitlines()
    says(line, "econzoo: m at", server.url, "temperature is refused", "on_refused=drop")
    assert not Path("t/records.jsonl").read_text()
    assert len(server.requests) <= 8, "nobody is asked any more but those who were under way"


def test_what_nobody_has_asked_for_is_left_out_recorded_and_said_once(capsys):
    def judge(request):
        refused = [field for field in ("temperature", "seed", "response_format") if field in request]
        return without(refused[0])(request) if refused else reply(BID)

    with LocalServer(judge=judge) as server:
        _, (turn,) = guess(server)
        chat = OpenAIChat("m", server.url)
        capsys.readouterr()
        chat.complete([TALK] * 3, [SCHEMA] * 3, [1, 2, 3])
    assert sorted(turn.unsupported) == ["constrained", "seed", "temperature"]
    assert '"unsupported":["temperature","seed","constrained"]' in json.dumps(turn.fields(), separators=(",", ":"))
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 3
    assert all(line.startswith(f"econzoo: m at {server.url}: does not support ") for line in lines)


def test_a_record_of_a_server_that_takes_everything_says_nothing_of_it():
    with LocalServer(reply(BID)) as server:
        record, (turn,) = guess(server)
    assert not {"unsupported", "cached_tokens"} & turn.fields().keys()
    assert "unsupported" not in record.to_json()


def test_of_two_that_exclude_each_other_the_one_that_nobody_has_asked_for_goes():
    said = "`temperature` and `top_p` cannot both be specified for this model. Please use only one."
    judge = lambda r: error(400, said) if {"temperature", "top_p"} <= r.keys() else reply(BID)  # noqa: E731
    with LocalServer(judge=judge) as server:
        _, (turn,) = guess(server, "top_p=0.9")
        assert (turn.unsupported, server.requests[-1]["top_p"]) == (["temperature"], 0.9)
        with refuses(RefusedError, "temperature"):
            guess(server, "top_p=0.9&temperature=0.2")


@pytest.mark.parametrize("form", ["object", "flat", "list", "detail", "nested", "text", "raw", "plain"])
def test_a_refused_template_argument_is_not_taken_for_a_template_without_a_system_role(form):
    with LocalServer(judge=without("chat_template_kwargs", form)) as server:
        with refuses(RefusedError, "thinking"):
            guess(server, "thinking=no")
        _, (turn,) = guess(server, "thinking=no&on_refused=drop")
    assert turn.unsupported == ["thinking"]


@pytest.mark.parametrize("form", ["object", "detail"])
@pytest.mark.parametrize(("refused", "provider"), [("max_tokens", "vllm"), ("max_completion_tokens", "openai")])
def test_the_limit_of_tokens_has_two_names(form, refused, provider):
    with LocalServer(judge=without(refused, form)) as server:
        _, (turn,) = guess(server, f"provider={provider}")
        chat = player(f"openai:m@{server.url}?provider={provider}", "guess_average").model
        assert {done.unsupported for done in chat.complete([TALK] * 4, [None] * 4, range(4))} == {()}
    assert (turn.unsupported, turn.error) == ([], None)


@pytest.mark.parametrize(
    "body",
    [
        {"Message": "Unknown parameter: seed"},
        {"fault": {"faultstring": "Unknown parameter: seed"}},
        {"errors": [{"code": 5006, "message": "seed is not allowed"}], "success": False},
        {"type": "urn:x", "title": "Bad Request", "status": 400, "detail": "seed: not supported"},
        {"detail": {"error": ["seed is unknown"]}},
        {"error": {"code": 400, "details": [{"fieldViolations": [{"field": "seed", "description": "no"}]}]}},
        {"error": "Input validation error: `seed` must be positive", "error_type": "validation"},
        ["seed is unknown"],
        "seed is unknown",
    ],
)
def test_a_refused_seed_is_read_in_forms_that_are_nobodys(body):
    judge = lambda r: Answer(400, body) if "seed" in r else reply(BID)  # noqa: E731
    with LocalServer(judge=judge) as server:
        assert guess(server)[1][0].unsupported == ["seed"]


@pytest.mark.parametrize("body", [None, 5, [], {}, [[[]]], "", {"error": None}, {"error": {"message": 7}}, "[" * 9000])
def test_an_error_without_words_is_one(body):
    with LocalServer(Answer(400, body)) as server, refuses(ModelError, "HTTP 400", server.url):
        guess(server)


def test_a_call_says_what_it_lacks_and_a_turn_what_any_of_its_calls_does():
    with LocalServer(judge=without("response_format")) as server:
        _, (turn,) = guess(server, "reasoning=cot")
    assert (turn.calls[0].get("unsupported", []), turn.unsupported) == ([], ["constrained"])


def test_fields_of_a_request_besides():
    with LocalServer(reply(BID)) as server:
        body = 'extra_body={"top_k": 20, "temperature": 0.3}'
        guess(server, body + '&chat_template_kwargs={"enable_thinking": false}')
        guess(server, 'thinking=no&chat_template_kwargs={"effort": 1}')
        guess(server, "thinking=yes&provider=deepseek")
        guess(server, "seed=no")
    first, second, third, fourth = server.requests
    assert (first["top_k"], first["temperature"]) == (20, 0.3)
    assert first["chat_template_kwargs"] == {"enable_thinking": False}
    assert second["chat_template_kwargs"] == {"enable_thinking": False, "thinking": False, "effort": 1}
    assert third["thinking"] == {"type": "enabled"}
    assert "seed" not in fourth


@pytest.mark.models
def test_the_chat_template_of_a_local_model_has_arguments_too(tiny_path):
    chat = player(f'hf:{tiny_path}?thinking=no&chat_template_kwargs={{"effort": 2}}', "guess_average").model
    loaded = chat.load()
    kept, loaded.tokenizer.chat_template = loaded.tokenizer.chat_template, "{{ enable_thinking }} {{ effort }} !"
    try:
        assert loaded.render(TALK, **chat.template) == "False 2 !"
        assert loaded.encode(TALK, chat.template) != loaded.encode(TALK)
        (done,) = chat.complete([TALK], [None], [1], [2])
        assert done.prompt_tokens == len(loaded.encode(TALK, chat.template))
    finally:
        loaded.tokenizer.chat_template = kept


def test_wrong_options_are_named_with_what_is_allowed():
    for options, *named in (
        ("on_refused=maybe", "on_refused", "end", "drop"),
        ("provider=nobody", "provider", "nobody"),
        ("extra_body=5", "extra_body", "5"),
        ("extra_body={", "extra_body"),
        ('extra_body={"messages": []}', "extra_body", "messages"),
        ("chat_template_kwargs=[1]", "chat_template_kwargs"),
        ("thinking=no&reasoning_effort=low", "thinking", "reasoning_effort"),
        ("thinking=perhaps", "thinking"),
    ):
        with refuses(ValueError, "openai:m@http://127.0.0.1:1/v1", *named):
            player(f"openai:m@http://127.0.0.1:1/v1?{options}", "guess_average")


def test_a_completion_says_nothing_of_what_it_has():
    assert Completion("x", 1, 1, 0.0).unsupported == ()
