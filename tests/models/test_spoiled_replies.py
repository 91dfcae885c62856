"""What a server spoils is no error of its model: blanks of a grammar, withheld replies, prompts that it cut."""

from __future__ import annotations

import json

import pytest

pytest.importorskip("openai")

from asking import BID, TALK, ask, guess, message
from local_server import Answer, LocalServer, error, reply

import econzoo
from econzoo.baselines import ModelError
from econzoo.baselines.models import OpenAIChat, finish_of
from econzoo.baselines.models.token_counts import PromptCounts
from refusals import refuses

pytestmark = pytest.mark.usefixtures("alone")

GENERIC = "Request contains an invalid argument."


def codes(turns):
    return [turn.error[0] if turn.error else "" for turn in turns]


def looping(blanks, end="length"):
    """vLLM's grammar lets a model write blanks until the limit."""
    return lambda r: message(f'{{"number":{blanks}', end) if "response_format" in r else reply(BID)


@pytest.mark.parametrize("blanks", ["\n " * 300, " " * 20, "\t" * 16, "\r\n" * 40])
@pytest.mark.parametrize("end", ["length", "MAX_TOKENS", "stop"])
def test_blanks_up_to_the_limit_are_the_grammars_and_asked_again_without_it(blanks, end, capsys):
    with LocalServer(judge=looping(blanks, end)) as server:
        record, turns = guess(server, "price_per_million=0,1000000")
        assert guess(server)[1][0].unsupported == ["constrained"], "the next request has a schema again"
    (turn,) = turns
    assert (codes(turns), turn.unsupported, record.errors) == ([""], ["constrained"], [0, 0])
    assert "blanks" in capsys.readouterr().err
    assert (turn.tokens, turn.cost) == ([20, 10], pytest.approx(10)), "both replies are paid"
    assert ["response_format" in request for request in server.requests] == [True, False] * 2


def test_a_reply_that_is_no_better_without_the_grammar_is_the_models():
    judge = lambda r: message('{"number":' + "\n" * 99, "length")  # noqa: E731
    with LocalServer(judge=judge) as server:
        _, turns = guess(server)
    assert codes(turns) == ["cut"] * 3
    assert len(server.requests) == 6


def test_a_grammar_that_was_asked_for_is_not_left_out_for_its_blanks():
    with LocalServer(judge=looping("\n" * 99)) as server:
        with refuses(ModelError, "blanks", "constrained=no"):
            ask(server, schema={"type": "object", "properties": {}}, constrained=True, max_retries=1)
        assert len(server.requests) == 2
        assert guess(server, "constrained=yes&on_refused=drop")[1][0].unsupported == ["constrained"]


def test_what_a_model_writes_itself_is_no_loop_of_blanks():
    for text in ('{"numb', '{\n    "number":', "I think of\n\n", BID + "\n" * 99):
        with LocalServer(message(text, "length")) as server:
            guess(server)
        assert all("response_format" in request for request in server.requests)


SPELLINGS = {
    "content_filter": "content_filter content-filter contentFilter SAFETY safety FinishReason.SAFETY "
    "PROHIBITED_CONTENT prohibitedContent BLOCKLIST SPII LANGUAGE IMAGE_SAFETY FINISH_REASON_IMAGE_SAFETY "
    "MODEL_ARMOR sensitive guardrail_intervened content_filtered content_filter:SAFETY content_filter:OTHER",
    "recitation": "RECITATION recitation FinishReason.RECITATION IMAGE_RECITATION content_filter:RECITATION",
    "malformed_call": "malformed_function_call MALFORMED_FUNCTION_CALL malformedFunctionCall malformed_response "
    "UNEXPECTED_TOOL_CALL too_many_tool_calls",
    "length": "length LENGTH max_tokens MAX_TOKENS maxTokens max-tokens model_length",
    "refusal": "refusal REFUSAL refused",
    "": "stop STOP end_turn eos_token COMPLETE stop_sequence",
}


def test_how_a_reply_ended_is_read_in_any_spelling():
    for finish, names in SPELLINGS.items():
        assert {finish_of(name) for name in names.split()} == {finish}, finish
    for name in ("pause_turn", "OTHER", "error", "network_error", "Timeout"):
        assert finish_of(name) == "failed", name
    assert finish_of("a new one") is None


@pytest.mark.parametrize(
    ("finish", "code"), [("content_filter", "filtered"), ("refusal", "refusal"), ("length", "cut")]
)
def test_an_empty_reply_has_the_outcome_that_its_provider_names_in_any_spelling(finish, code):
    for name in SPELLINGS[finish].split():
        for content in ("", None):
            with LocalServer(message(content, name), reply(BID)) as server:
                _, turns = guess(server, "max_tokens=50")
            assert (codes(turns), turns[0].finish) == ([code, ""], finish), name


@pytest.mark.parametrize(("finish", "code"), [("recitation", "filtered"), ("malformed_call", "bad_json")])
def test_a_reply_that_was_lost_at_the_provider_is_asked_for_once_more_and_then_has_its_name(finish, code):
    for name in SPELLINGS[finish].split():
        with LocalServer(message(None, name), reply(BID)) as server:
            record, (turn,) = guess(server)
        assert (turn.error, turn.tokens, record.errors) == (None, [20, 10], [0, 0]), name
        assert server.requests[0]["seed"] != server.requests[1]["seed"]
        with LocalServer(message("", name), message("", name), reply(BID)) as server:
            _, turns = guess(server)
        assert (codes(turns), turns[0].finish) == ([code, ""], finish), name


def test_a_call_that_its_server_lost_is_one_that_cannot_be_read():
    with LocalServer(message(None, "tool_calls"), reply(BID)) as server:
        assert codes(guess(server)[1]) == [""]


@pytest.mark.parametrize(
    "finish", ["pause_turn", "PAUSE_TURN", "OTHER", "FINISH_REASON_UNSPECIFIED", "load", "a new one"]
)
def test_an_empty_reply_that_ended_for_no_reason_of_the_model_is_a_failure_of_the_provider(finish):
    with LocalServer(message("", finish), reply(BID)) as server:
        done, chat = ask(server)
        assert (done.text, chat.usage.retries) == (BID, 1)
    with LocalServer(message(None, finish)) as server, refuses(ModelError, "the provider failed"):
        ask(server, max_retries=1)


def test_the_upstream_provider_says_why_a_reply_is_empty():
    silent = message("")
    silent.body["choices"][0]["native_finish_reason"] = "SAFETY"
    with LocalServer(silent, reply(BID)) as server:
        assert codes(guess(server)[1]) == ["filtered", ""]
    said = message(BID)
    said.body["choices"][0]["native_finish_reason"] = "end of it"
    with LocalServer(said) as server:
        assert codes(guess(server)[1]) == [""]


def test_a_prompt_that_gemini_blocks_is_withheld():
    blocked = Answer(body={**reply("").body, "choices": [], "promptFeedback": {"blockReason": "PROHIBITED_CONTENT"}})
    with LocalServer(blocked, reply(BID)) as server:
        assert codes(guess(server)[1]) == ["filtered", ""]


@pytest.mark.parametrize(
    ("status", "said"),
    [
        (400, "Output blocked by content filtering policy"),
        (400, "Content Exists Risk"),
        (403, "Content violates usage guidelines."),
        (400, "The request was rejected because it was considered high risk"),
    ],
)
def test_a_content_filter_is_read_in_the_words_of_its_provider(status, said):
    with LocalServer(error(status, said), reply(BID)) as server:
        assert codes(guess(server)[1]) == ["filtered", ""]


def test_a_context_that_was_full_shortens_the_conversation():
    turns = [{"role": ("user", "assistant")[i % 2], "content": "x" * 300} for i in range(21)]
    full = message("hal", "model_context_window_exceeded")
    with LocalServer(judge=lambda r: full if len(r["messages"]) > 9 else reply("ok")) as server:
        done, _ = ask(server, [TALK[0], *turns])
    assert (done.text, done.finish) == ("ok", "")
    assert done.dropped_turns == 22 - len(server.requests[-1]["messages"])
    assert done.prompt_tokens == 10 * len(server.requests)
    with LocalServer(full) as server:
        assert ask(server, TALK[1:])[0].finish == "length"


@pytest.mark.parametrize("said", [GENERIC, "Bad Request", "invalid_request_error", "Provider returned error"])
def test_a_schema_may_be_what_is_refused_without_a_word_about_it(said):
    judge = lambda r: error(400, said) if "response_format" in r else reply(BID)  # noqa: E731
    with LocalServer(judge=judge) as server:
        record, (turn,) = guess(server)
        assert (turn.error, turn.unsupported, record.status) == (None, ["constrained"], "finished")
        with refuses(ModelError, said, "constrained=no"):
            guess(server, "constrained=yes")
        server.requests.clear()
        chat = OpenAIChat("m", server.url)
        schema = {"type": "object", "properties": {}}
        for _ in range(2):
            assert chat.complete([TALK], [schema], [1])[0].unsupported == ("constrained",)
    assert ["response_format" in request for request in server.requests] == [True, False, False]
    with LocalServer(error(400, said)) as server, refuses(ModelError, said):
        guess(server)
    assert len(server.requests) == 2


# Prompts that a server cuts


def growing(count):
    """A conversation of so many turns, of about 100 tokens each."""
    talk = [{"role": "system", "content": "rules " * 80}]
    for number in range(count):
        talk += [{"role": "user", "content": f"{number} " * 190}, {"role": "assistant", "content": "{}"}]
    return talk[:-1]


def told(server_read, cached=lambda before: 0, inside=True):
    """Which of 12 turns are marked, for what a server reads of a prompt and has in its cache."""
    prompts, marks, before = PromptCounts(), [], 0
    for count in range(1, 13):
        talk = growing(count)
        whole = sum(len(one["content"]) for one in talk) / 4
        known = cached(before)
        read = int(server_read(whole))
        used = {"prompt_tokens": read if inside else read - known}
        used |= {"prompt_tokens_details": {"cached_tokens": known}} if known else {}
        marks.append(prompts.is_cut(talk, used))
        before = read
    return marks


def test_a_prompt_that_was_cut_is_marked():
    assert told(lambda whole: min(whole, 40)) == [True] * 12
    window = told(lambda whole: whole if whole < 700 else 500 + whole % 70)  # it drops whole turns
    first = window.index(True)
    assert window == [False] * first + [True] * (12 - first)
    assert first <= 8
    assert told(lambda whole: min(whole, 700)) == [False] * 7 + [True] * 5, "it reads no more than before"


@pytest.mark.parametrize("density", [0.5, 1.0, 2.0, 4.0])
def test_tokenizers_and_caches_are_no_cuts(density):
    tokens = lambda whole: whole * density  # noqa: E731
    for inside in (True, False):
        for cached in (lambda before: 0, lambda before: before, lambda before: before // 2, lambda before: before % 2):
            assert told(tokens, cached, inside) == [False] * 12, (inside, density)
    old_ollama = PromptCounts()
    for count in range(1, 9):  # only what is not in its cache is counted, and nothing said of it
        read = sum(len(one["content"]) for one in growing(count)[-2:]) * density / 4 + 20
        assert not old_ollama.is_cut(growing(count), {"prompt_tokens": int(read * (4 if count == 1 else 1))}), count


def test_a_cut_prompt_is_told_in_the_turn_and_a_conversation_that_is_made_shorter_is_no_cut(capsys):
    with LocalServer(reply(BID, 40)) as server:
        assert guess(server)[1][0].unsupported == ["context"]
    assert "context" in capsys.readouterr().err
    for memory in ("full", "window(1)", "summary", "table"):
        with LocalServer(judge=lambda r: reply(BID, len(json.dumps(r["messages"])) // 6)) as server:
            spec = f"openai:m@{server.url}?memory={memory}"
            record = econzoo.play("guess_average", [spec, "fixed(50, 0)"], players=2, rounds=6)
        assert {name for turn in record.turns for name in turn.unsupported} == set(), memory
