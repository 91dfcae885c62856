"""Players that are no people are asked in threads of their own, so that no page waits for them.

Matches that share a model are asked together, by the one thread of that model.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Hashable, Sequence
from queue import Empty, SimpleQueue
from threading import Lock, Thread
from typing import Any

from econzoo.baselines.models.spending import BudgetSpentError
from econzoo.baselines.player import Player
from econzoo.envs.core.extras import MissingLibraryError
from econzoo.evaluate.run.table import format_error

IDLE_SECONDS = 30.0
"""Seconds without a question after which the thread of a model ends."""

AnswerCallback = Callable[["Question", Any, float], None]
"""Gets the question, its answer or what went wrong (an `Exception`), and the seconds that it took."""


class Question:
    """A player that is asked for its move.

    Args:
        player: Who is asked.
        observation: Of its face.
        info: What goes with it.
        on_answer: Gets the answer, in another thread.

    Attributes:
        since: When it was asked, on the monotonic clock.
        is_dropped: Whether nobody waits for the answer any more.
    """

    def __init__(self, player: Player, observation: Any, info: dict[str, Any], on_answer: AnswerCallback) -> None:
        self.player, self.observation, self.info, self.on_answer = player, observation, info, on_answer
        self.since, self.is_dropped = time.monotonic(), False


class Desk:
    """Takes questions, and has them answered."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._queues: dict[Hashable, SimpleQueue[Question]] = {}

    def ask(self, question: Question) -> None:
        """Returns at once."""
        key = question.player.batch_key
        if key is None:
            _start_thread(answer_all, [question])
            return
        with self._lock:
            queue = self._queues.get(key)
            if queue is None:
                queue = self._queues[key] = SimpleQueue()
                _start_thread(self._answer_queue, key, queue)
            queue.put(question)

    def _answer_queue(self, key: Hashable, queue: SimpleQueue[Question]) -> None:
        """Answers the questions to one model, as many at once as wait."""
        while waiting := self._next_questions(key, queue):
            answer_all([question for question in waiting if not question.is_dropped])

    def _next_questions(self, key: Hashable, queue: SimpleQueue[Question]) -> list[Question]:
        """The questions that wait; none after a while without any, and then nobody puts one into this queue."""
        try:
            found = [queue.get(timeout=IDLE_SECONDS)]
        except Empty:
            with self._lock:
                if queue.empty():
                    del self._queues[key]
                    return []
                found = []
        while not queue.empty():
            found.append(queue.get())
        return found


def _start_thread(work: Callable[..., None], *given: Any) -> None:
    Thread(target=work, args=given, daemon=True, name="player").start()


def answer_all(questions: Sequence[Question]) -> None:
    """Asks the players of some questions to the same model, or the player of a single one."""
    if not questions:
        return
    players, started = [question.player for question in questions], time.perf_counter()
    seen, infos = [question.observation for question in questions], [question.info for question in questions]
    try:
        replies = type(players[0]).act_batch(players, seen, infos)
    except Exception as error:  # nobody knows whose it is
        replies = [error] * len(questions)
    each = (time.perf_counter() - started) / len(questions)
    for question, reply in zip(questions, replies, strict=True):
        question.on_answer(question, reply, each)


def describe_error(error: Exception) -> str:
    """Why a match stands still: what whoever started the server can mend is told as it is."""
    return str(error) if isinstance(error, MissingLibraryError | BudgetSpentError) else format_error(error)
