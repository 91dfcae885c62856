"""Answer formats of a question: placeholders, an example, ranges, or another order of kinds."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from econzoo.envs.core.contract import Invalid, Number
from econzoo.envs.core.env import REVERSED
from econzoo.envs.core.faces import answer_sentences, declared_wording, render_reply

if TYPE_CHECKING:
    from econzoo.evaluate.analyses.prompt_anchoring.questions import FirstQuestion

PLACEHOLDER = "placeholder"
"""Default format of the library, the baseline of comparisons."""

LOW, HIGH, RANGE, ORDER = "low example", "high example", "range only", "other order"

SHARES = {LOW: 0.1, HIGH: 0.9}
"""Position of example amounts within the usual range."""

EXAMPLE_MESSAGES = {LOW: "Hello.", HIGH: "Good day."}

EXAMPLE_TEXT = "Answer with {what}, for example:\n{example}"
RANGE_TEXT = "Answer with one JSON object. {keys}"
ANSWER = "format.answer"


class Format(NamedTuple):
    """Answer format of a question.

    Attributes:
        example: Example move in the prompt as a plain dictionary; None without one.
    """

    name: str
    options: dict[str, Any]
    example: dict[str, Any] | None = None


def formats(question: FirstQuestion) -> list[Format]:
    """Return the formats of a question, without those that leave the prompt unchanged."""
    found = [Format(PLACEHOLDER, {}), *(_example_format(question, name) for name in (LOW, HIGH))]
    if question.actions.source is None:  # a program has no ranges
        answer_text = RANGE_TEXT.format(
            keys=answer_sentences(question.actions, question.legal, declared_wording(question.actions))
        )
        found.append(Format(RANGE, {"prompts": {ANSWER: escape_template(answer_text)}}))
    if sum(question.legal.kinds) > 1:  # a single kind has no other order
        found.append(Format(ORDER, {"kind_order": REVERSED}))
    return found


def escape_template(text: str) -> str:
    """Escape a text for use as a template."""
    return text.replace("{", "{{").replace("}", "}}")


def _example_format(question: FirstQuestion, name: str) -> Format:
    action = example(question, name)
    what = "one JSON object" if question.actions.source is None else "the source of your program in one code block"
    answer_text = EXAMPLE_TEXT.format(what=what, example=render_reply(question.actions, action))
    return Format(name, {"prompts": {ANSWER: escape_template(answer_text)}}, question.actions.to_plain(action))


def example(question: FirstQuestion, name: str) -> Any:
    """Return a legal example move: low or high amounts of the first kind with amounts, else the first or last kind.

    Jointly illegal amounts are moved towards the smallest ones until they are legal.
    """
    actions, legal = question.actions, question.legal
    possible = [index for index, ok in enumerate(legal.kinds) if ok]
    numbered = [index for index in possible if actions.marks[index] or actions.kinds[index].source]
    index = numbered[0] if numbered else possible[0 if name == LOW else -1]
    message = EXAMPLE_MESSAGES[name] if legal.messages and actions.kinds[index].message else ""
    for share in (SHARES[name], 0.5, 0.25, 0.1, 0.0):
        action = actions.make(index, _numbers(question, index, share), message)
        if not isinstance(actions.parse(actions.to_plain(action), legal), Invalid):
            return action
    raise ValueError(f"no legal example of {actions.names[index]} has only low or only high amounts")


def _numbers(question: FirstQuestion, index: int, share: float) -> list[float]:
    """Return the amounts of a move, each at this share of its usual range."""
    source = question.actions.kinds[index].source
    if source is not None:
        return [float(round(share * (len(source.library()) - 1)))]
    usual = question.legal.usual_bounds[question.actions.first[index] :]
    return [_interpolate(mark, pair, share) for mark, pair in zip(question.actions.marks[index], usual, strict=False)]


def _interpolate(mark: Number, pair: tuple[float, float], share: float) -> float:
    value = pair[0] + share * (pair[1] - pair[0])
    return float(round(value)) if mark.is_integer else float(f"{value:.3g}")
