"""Reasoning about the own question: direct, step by step, prediction, imagined experts, refinement."""

from __future__ import annotations

from typing import ClassVar

from econzoo.baselines.models import Completion
from econzoo.baselines.parts.reasoning.request import Question, Reasoning, RequestGenerator, continue_conversation


class Direct(Reasoning):
    """Answers directly: one call."""


class Explain(Reasoning):
    """Answers with an explanation in one free-text call (Mao et al. 2023, arXiv:2311.03220).

    Both stay in the transcript; the answer is at the end of the reply. Nothing is added to a question that asks for
    reasons itself, as with the prompts ``alympics``, or for a program. The token limit is that of a thought.
    """

    def turn(self, question: Question) -> RequestGenerator[Completion]:
        """Request explanation and answer."""
        request, diary = question.ask("thought.explain", "answer"), question.diary
        if diary.teller.words.extra or diary.game.actions.source is not None:
            request = request._replace(conversation=question.conversation)
        return (yield request)


class _ThinkFirst(Reasoning):
    """One free-text call, then the answer given its reply: two calls.

    With two calls the answer can be constrained to the schema of the legal moves. Small models that reason and answer
    in one call get lost, and parsing their move is guesswork.
    """

    text: ClassVar[str]
    purpose: ClassVar[str]

    def fields(self, question: Question) -> dict[str, object]:
        """Return the fields of the text."""
        return {}

    def turn(self, question: Question) -> RequestGenerator[Completion]:
        """Request the thought, then the answer."""
        request = question.ask(self.text, self.purpose, **self.fields(question))
        thought = yield request
        return (yield question.answer(continue_conversation(request, thought, question.diary.texts["thought.answer"])))


class ChainOfThought(_ThinkFirst):
    """Reasons step by step, then answers (Wei et al. 2022, arXiv:2201.11903; Kojima et al. 2022, arXiv:2205.11916)."""

    text, purpose = "thought.cot", "thought"


class PredictThenAct(_ThinkFirst):
    """Predicts the move of each other player, then answers ("PCoT" in arXiv:2402.01521)."""

    text, purpose = "thought.predict", "prediction"

    def fields(self, question: Question) -> dict[str, object]:
        """Return the roles of the others."""
        diary = question.diary
        return {"others": ", ".join(role for seat, role in enumerate(diary.roles) if seat != diary.seat)}


class SoloPerformance(_ThinkFirst):
    """Simulates a discussion of several experts, then answers (Wang et al. 2023, arXiv:2307.05300).

    Args:
        experts: Number of experts, >= 2.
    """

    text, purpose = "thought.solo", "discussion"

    def __init__(self, experts: int = 3) -> None:
        self.experts = experts

    def fields(self, question: Question) -> dict[str, object]:
        """Return the number of experts."""
        return {"experts": self.experts}


class Reflect(Reasoning):
    """Reflects after each round (Shinn et al. 2023, arXiv:2303.11366), and answers directly: one or two calls.

    The reflection on a round is made at the start of the next, when its result is known. It stays in the transcript,
    above the next question.
    """

    needs_seen = True

    def look_back(self, question: Question) -> RequestGenerator[str]:
        """Request the reflection."""
        reply = yield question.ask("reflection.ask", "reflection")
        return question.diary.texts["reflection.note"].format(reflection=reply.text.strip())


class Refine(Reasoning):
    """Self-refinement: critiques and revises its answer n times (Madaan et al. 2023, arXiv:2303.17651): 1 + 2 n calls.

    Every critique is of the previous answer, given the preceding ones; the last answer counts.

    Args:
        passes: Number of passes n, >= 1.
    """

    def __init__(self, passes: int = 2) -> None:
        self.passes = passes

    def turn(self, question: Question) -> RequestGenerator[Completion]:
        """Request a draft, then critiques and revisions in turn."""
        texts = question.diary.texts
        request = question.answer(question.conversation, "draft")
        reply = yield request
        for left in reversed(range(self.passes)):
            critique = request._replace(schema=None, purpose="critique", is_thought=True)
            critique = critique._replace(
                conversation=continue_conversation(request, reply, texts["refinement.critique"])
            )
            criticism = yield critique
            conversation = continue_conversation(critique, criticism, texts["refinement.again"])
            request = question.answer(conversation, "draft" if left else "answer")
            reply = yield request
        return reply
