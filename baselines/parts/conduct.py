"""Run a turn: answer tool calls, and log every call of the model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from econzoo.baselines.models import Completion
from econzoo.baselines.parts.diary import Diary
from econzoo.baselines.parts.reasoning import Request, RequestGenerator, continue_conversation
from econzoo.baselines.parts.tools import Tool, allow_tool_calls, call_in, use_tool

Result = TypeVar("Result")


@dataclass(frozen=True)
class Exchange:
    """One call of the model: request, completion, and the problem with it, if any."""

    request: Request
    completion: Completion
    problem: str = ""

    def to_record(self) -> dict[str, Any]:
        """Return the call in the format of records."""
        request, done = self.request, self.completion
        details: dict[str, Any] = {"problem": self.problem, "finish": done.finish, "reasoning": done.reasoning}
        details |= {"cached_tokens": done.cached_tokens, "unsupported": list(done.unsupported), "served": done.served}
        details |= {"echo": done.echo}
        return {
            "purpose": request.purpose,
            "about_seat": request.about_seat,
            "prompt": request.prompt,
            "reply": done.text,
            "tokens": [done.prompt_tokens, done.completion_tokens],
            "seconds": round(done.seconds, 6),
            "cost": done.cost,
            **{name: value for name, value in details.items() if value},
        }


def log_requests(asking: RequestGenerator[Result], exchanges: list[Exchange]) -> RequestGenerator[Result]:
    """Pass on requests and log each when it is answered."""
    return (yield from answer_tool_calls(asking, exchanges, (), 0, None))


def answer_tool_calls(
    asking: RequestGenerator[Result], exchanges: list[Exchange], tools: Sequence[Tool], most: int, diary: Diary | None
) -> RequestGenerator[Result]:
    """Pass on requests; after a tool call, send its result to the model and continue.

    Args:
        exchanges: Log, to which every call is appended.
    """
    completion: Completion | None = None
    while True:
        try:
            request = next(asking) if completion is None else asking.send(completion)
        except StopIteration as done:
            return done.value
        if request.problem:
            # The problem of a reply is known only with the request that follows it.
            exchanges[-1] = replace(exchanges[-1], problem=request.problem)
        while True:
            # A request in another seat's place has no tools, which would answer from the own information.
            offered = tools if most and request.about_seat is None else ()
            completion = yield request._replace(schema=allow_tool_calls(request.schema, offered))
            call = call_in(completion.text) if offered and diary is not None else None
            if call is None or diary is None:
                break
            exchanges.append(Exchange(request._replace(purpose="tool"), completion))
            result = diary.texts["tool.result"].format(tool=call.tool, result=use_tool(call, tools, diary))
            # Functions need the schema of the moves; in free text calls and results are text.
            conversation = continue_conversation(request, completion, result, "tool" if request.schema else "user")
            request, most = request._replace(conversation=conversation, prompt_messages=1), most - 1
        exchanges.append(Exchange(request, completion))


def replay_replies(asking: RequestGenerator[Result], replies: Sequence[Completion]) -> Result | None:
    """Run a generator on these replies; None if it needs more or fewer."""
    left = list(replies)
    try:
        next(asking)
        while left:
            asking.send(left.pop(0))
    except StopIteration as done:
        return None if left else done.value
    return None
