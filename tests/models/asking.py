"""Questions to a server of a test, and days of a game that are played by it."""

from __future__ import annotations

from local_server import reply
from server_forms import failure

import econzoo
from econzoo.__main__ import main
from econzoo.baselines.models import OpenAIChat
from econzoo.envs.core.record import Record
from econzoo.evaluate.run import replay

BID = '{"number": 30}'
TALK = [{"role": "system", "content": "rules"}, {"role": "user", "content": "your move"}]


def without(field, form="object", status=400):
    """A server that refuses a field of the request."""

    def judge(request):
        message = f"Unsupported value: '{field}' is not supported with this model."
        return failure(form, status, message, field) if field in request else reply(BID)

    return judge


def told(**usage):
    """A reply whose server counts like this."""
    answer = reply(BID)
    answer.body["usage"] = usage or None
    return answer


def message(content, finish="stop", **more):
    answer = reply(None)
    answer.body["choices"][0] |= {"finish_reason": finish}
    answer.body["choices"][0]["message"] |= {"content": content, **more}
    return answer


def ask(server, talk=TALK, schema=None, **options):
    chat = OpenAIChat("m", server.url, sleep=lambda _: None, **options)
    return chat.complete([talk], [schema], [1])[0], chat


def guess(server, options="", **params):
    """One day of the guessing game, recorded and replayed."""
    spec = f"openai:m@{server.url}?{options}"
    record = econzoo.play("guess_average", [spec, "fixed(50, 0)"], players=2, rounds=1, **params)
    again = Record.from_json(record.to_json())
    assert replay(again) == []
    assert again.turns == record.turns
    return record, [turn for turn in record.turns if turn.seat == 0]


def command(*words):
    try:
        main([str(word) for word in words])
    except SystemExit as ended:
        return int(ended.code or 0)
    return 0
