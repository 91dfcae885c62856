"""Threads that ask non-human players, so that no page waits for them.

Players that share a model are batched by one thread.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Hashable, Sequence
from queue import Empty, SimpleQueue
from threading import Lock, Thread
from typing import Any

from econzoo.baselines import BudgetSpentError, Player
from econzoo.envs.core import MissingLibraryError
from econzoo.evaluate.run import format_error

IDLE_SECONDS = 30.0
"""Idle seconds after which the thread of a model ends."""

AnswerCallback = Callable[["Question", Any, float], None]
"""Receives the question, its answer or an `Exception`, and the duration in seconds."""


class Question:
    """A request for a player's move.

    Args:
        info: Info that goes with the observation.
        on_answer: Receives the answer, in another thread.

    Attributes:
        since: Start time on the monotonic clock.
        is_dropped: Whether the answer is obsolete.
    """

    def __init__(self, player: Player, observation: Any, info: dict[str, Any], on_answer: AnswerCallback) -> None:
        self.player, self.observation, self.info, self.on_answer = player, observation, info, on_answer
        self.since, self.is_dropped = time.monotonic(), False


class Desk:
    """Queues questions and answers them in threads."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._queues: dict[Hashable, SimpleQueue[Question]] = {}

    def ask(self, question: Question) -> None:
        """Queue a question and return at once."""
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
        """Answer the questions to one model, batching those that wait."""
        while waiting := self._next_questions(key, queue):
            answer_all([question for question in waiting if not question.is_dropped])

    def _next_questions(self, key: Hashable, queue: SimpleQueue[Question]) -> list[Question]:
        """Waiting questions; empty after `IDLE_SECONDS` without any, when the queue is closed."""
        try:
            waiting = [queue.get(timeout=IDLE_SECONDS)]
        except Empty:
            with self._lock:
                # A question may have come since the timeout; none can come while the lock is held.
                if queue.empty():
                    del self._queues[key]
                    return []
                waiting = []
        while not queue.empty():
            waiting.append(queue.get())
        return waiting


def _start_thread(work: Callable[..., None], *args: Any) -> None:
    Thread(target=work, args=args, daemon=True, name="player").start()


def answer_all(questions: Sequence[Question]) -> None:
    """Answer questions to the same model as a batch, or a single question."""
    if not questions:
        return
    players, started = [question.player for question in questions], time.perf_counter()
    seen, infos = [question.observation for question in questions], [question.info for question in questions]
    try:
        replies = type(players[0]).act_batch(players, seen, infos)
    except Exception as error:  # of an unknown player of the batch
        replies = [error] * len(questions)
    each = (time.perf_counter() - started) / len(questions)
    for question, reply in zip(questions, replies, strict=True):
        question.on_answer(question, reply, each)


def describe_error(error: Exception) -> str:
    """Describe why a match is stuck; errors that the operator can fix keep their message."""
    return str(error) if isinstance(error, MissingLibraryError | BudgetSpentError) else format_error(error)
