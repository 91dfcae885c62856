"""Reasoning about the own question only: direct, step by step, by predicting, by imagined experts, refined."""

from __future__ import annotations

from typing import ClassVar

from econzoo.baselines.models.chat import Completion
from econzoo.baselines.parts.reasoning.request import Question, Reasoning, RequestGenerator, continue_conversation


class Direct(Reasoning):
    """Answers at once: one call."""


class Explain(Reasoning):
    """Answers and says why in one call of free text; both stay in the transcript (Mao et al. 2023, arXiv:2311.03220).

    The answer stands at the end of the reply, where it is read. Where the question asks for reasons itself, as that of
    the prompts ``alympics`` does, and where the answer is a program, with words beside it in any case, nothing is
    added to the question. The limit of tokens is that of a thought.
    """

    def turn(self, question: Question) -> RequestGenerator[Completion]:
        """The reasons and the answer."""
        asked, diary = question.ask("thought.explain", "answer"), question.diary
        if diary.teller.words.extra or diary.game.actions.source is not None:
            asked = asked._replace(conversation=question.conversation)
        return (yield asked)


class _ThinkFirst(Reasoning):
    """One call in free text, then the answer, which sees it: two calls.

    Two calls and not one, so that the answer can be held to the schema of the legal moves. A small model that thinks
    and answers in one go loses itself, and what it would have meant is a guess.
    """

    text: ClassVar[str]
    purpose: ClassVar[str]

    def fields(self, question: Question) -> dict[str, object]:
        """The fields of the text."""
        return {}

    def turn(self, question: Question) -> RequestGenerator[Completion]:
        """The thought, then the answer."""
        request = question.ask(self.text, self.purpose, **self.fields(question))
        thought = yield request
        return (yield question.answer(continue_conversation(request, thought, question.diary.texts["thought.answer"])))


class ChainOfThought(_ThinkFirst):
    """Thinks step by step, then answers (Wei et al. 2022, arXiv:2201.11903; Kojima et al. 2022, arXiv:2205.11916)."""

    text, purpose = "thought.cot", "thought"


class PredictThenAct(_ThinkFirst):
    """Predicts what each of the others will do, then answers ("PCoT" in arXiv:2402.01521)."""

    text, purpose = "thought.predict", "prediction"

    def fields(self, question: Question) -> dict[str, object]:
        """The names of the others."""
        diary = question.diary
        return {"others": ", ".join(role for seat, role in enumerate(diary.roles) if seat != diary.seat)}


class SoloPerformance(_ThinkFirst):
    """Imagines several experts who discuss, then answers (Wang et al. 2023, arXiv:2307.05300).

    Args:
        experts: How many, >= 2.
    """

    text, purpose = "thought.solo", "discussion"

    def __init__(self, experts: int = 3) -> None:
        self.experts = experts

    def fields(self, question: Question) -> dict[str, object]:
        """The number of experts."""
        return {"experts": self.experts}


class Reflect(Reasoning):
    """Looks back after each round (Shinn et al. 2023, arXiv:2303.11366), and answers at once: one or two calls.

    A round is looked back on at the start of the next one, when its result is known. The reflection stays in the
    transcript, before the question that follows it.
    """

    needs_seen = True

    def look_back(self, question: Question) -> RequestGenerator[str]:
        """The reflection."""
        reply = yield question.ask("reflection.ask", "reflection")
        return question.diary.texts["reflection.note"].format(reflection=reply.text.strip())


class Refine(Reasoning):
    """Criticises its answer and answers anew, several times (Madaan et al. 2023, arXiv:2303.17651): 1 + 2 n calls.

    Every criticism is of the answer before it, and sees those before that; the last answer counts.

    Args:
        passes: n, >= 1.
    """

    def __init__(self, passes: int = 2) -> None:
        self.passes = passes

    def turn(self, question: Question) -> RequestGenerator[Completion]:
        """A draft, then criticism and a new answer in turn."""
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
