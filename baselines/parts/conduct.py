"""How a turn is led: tool calls are answered in between, and every call of the model is noted."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from econzoo.baselines.models.chat import ChatModel, Completion
from econzoo.baselines.models.journal import Call, complete_calls
from econzoo.baselines.parts.diary import Diary
from econzoo.baselines.parts.reasoning.request import Request, RequestGenerator, continue_conversation
from econzoo.baselines.parts.tools import Tool, allow_tool_calls, call_in, use_tool

Result = TypeVar("Result")


@dataclass(frozen=True)
class Exchange:
    """One call of the model: what was asked, what came back, and what was found wrong with it, if anything."""

    request: Request
    completion: Completion
    problem: str = ""

    def to_record(self) -> dict[str, Any]:
        """The call as a record keeps it."""
        request, done = self.request, self.completion
        beside = {"problem": self.problem, "finish": done.finish, "reasoning": done.reasoning}
        served = {"cached": done.cached_tokens, "unmet": list(done.unmet)}
        return {
            "purpose": request.purpose,
            "about": request.about_seat,
            "prompt": request.prompt,
            "reply": done.text,
            "tokens": [done.prompt_tokens, done.completion_tokens],
            "seconds": round(done.seconds, 6),
            "cost": done.cost,
            **{name: value for name, value in {**beside, **served}.items() if value},
        }


def log_requests(asking: RequestGenerator[Result], exchanges: list[Exchange]) -> RequestGenerator[Result]:
    """The same requests; each is noted when it is answered."""
    return (yield from answer_tool_calls(asking, exchanges, (), 0, None))


def answer_tool_calls(
    asking: RequestGenerator[Result], exchanges: list[Exchange], tools: Sequence[Tool], most: int, diary: Diary | None
) -> RequestGenerator[Result]:
    """The same requests; where the reply to an own one is a tool call, its result is told, and the model goes on.

    Args:
        asking: The requests; what is asked in another seat's place is asked without tools.
        exchanges: Where calls are noted.
        tools: What may be called.
        most: How often, all in all.
        diary: Of the seat; needed if there are tools.
    """
    completion: Completion | None = None
    while True:
        try:
            request = next(asking) if completion is None else asking.send(completion)
        except StopIteration as done:
            return done.value
        if request.problem:
            exchanges[-1] = replace(exchanges[-1], problem=request.problem)
        while True:
            offered = tools if most and request.about_seat is None else ()
            completion = yield request._replace(schema=allow_tool_calls(request.schema, offered))
            call = call_in(completion.text) if offered and diary is not None else None
            if call is None or diary is None:
                break
            exchanges.append(Exchange(request._replace(purpose="tool"), completion))
            result = diary.texts["tool.result"].format(tool=call.tool, result=use_tool(call, tools, diary))
            # Functions are offered together with the schema of the moves; in free text calls and results are text.
            conversation = continue_conversation(request, completion, result, "tool" if request.schema else "user")
            request, most = request._replace(conversation=conversation, prompt_messages=1), most - 1
        exchanges.append(Exchange(request, completion))


def run_in_lockstep(
    model: ChatModel, askings: Sequence[RequestGenerator[Result]], calls: Sequence[Callable[[Request], Call]]
) -> list[Result | Exception]:
    """Leads several generators together: what they ask of the model at the same time is one batch.

    Args:
        model: Answers.
        askings: One for each match.
        calls: For each the call of the model that its next request is.

    Returns:
        What each generator returned, or the error that ended it, of the model or its own.
    """
    results: dict[int, Result | Exception] = {}
    waiting: dict[int, Call] = {}

    def lead(place: int, completion: Completion | None) -> None:
        try:
            request = next(askings[place]) if completion is None else askings[place].send(completion)
            waiting[place] = calls[place](request)
        except StopIteration as done:
            results[place] = done.value
        except Exception as error:
            results[place] = error

    for place in range(len(askings)):
        lead(place, None)
    while waiting:
        places, batch = list(waiting), list(waiting.values())
        waiting.clear()
        replies = dict(complete_calls(model, batch))
        for at, place in enumerate(places):
            if isinstance(reply := replies[at], Completion):
                lead(place, reply)
            else:
                results[place] = reply
    return [results[place] for place in range(len(askings))]


def replay_replies(asking: RequestGenerator[Result], replies: Sequence[Completion]) -> Result | None:
    """What a generator returns if its requests are answered by these replies; None if it needs more or fewer."""
    left = list(replies)
    try:
        next(asking)
        while left:
            asking.send(left.pop(0))
    except StopIteration as done:
        return None if left else done.value
    return None
