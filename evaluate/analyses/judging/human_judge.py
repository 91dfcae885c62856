"""A person at a terminal as judge."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from econzoo.baselines import show
from econzoo.envs.core.contract import Invalid, clean
from econzoo.evaluate.analyses.judging.evidence import Evidence, Item, evidence
from econzoo.evaluate.analyses.judging.judgements import Judgement, new_judgement
from econzoo.evaluate.analyses.judging.rubric import HIGHEST, LOWEST, Dimension, Rubric, parse_score_text

Ask = Callable[[str], str]
Tell = Callable[[str, str], None]

TITLE, PLAIN, HINT, PROBLEM = "bold cyan", "", "dim", "yellow"
"""Styles of rich."""

LOOKS = {"What ": "bold", "The end:": "bold", "[Round ": "cyan", "Answered: ": "bold green", "Thought: ": "green"}
"""Prefix of a line of evidence to its style."""

HELP = (
    f'Type a score from {LOWEST} to {HIGHEST}, or "skip" (no score), "pass" (next player; ask again later), '
    '"back" (previous question), "read" (show the match again), "quit" (rerun the command to resume).'
)


class _Command(Exception):  # noqa: N818 - not an error
    """A command was typed instead of an answer; an exception, because it ends questions at several levels."""

    def __init__(self, word: str) -> None:
        super().__init__(word)
        self.word = word


COMMANDS = ("skip", "pass", "back", "read", "help", "quit")


class _Answer(NamedTuple):
    """Score and reason of one dimension; no score if skipped."""

    score: int | None
    reason: str


class HumanJudge:
    """Shows a person the blinded evidence of each player and asks for scores and reasons.

    A player counts as judged after the last question; quitting sooner loses the answers on this player only.

    Args:
        ask: Shows a question and returns a line, as `input` does; raises EOFError at the end of the input.
        tell: Shows a text in a style. Default: on the terminal.
    """

    def __init__(self, spec: str = "human", ask: Ask | None = None, tell: Tell | None = None) -> None:
        self.spec = spec
        self._ask, self._tell = ask or input, tell or show

    def judge(self, items: Sequence[Item], rubric: Rubric, seed: int) -> Iterator[Judgement]:
        """Yield a judgement of every completed item, and again of every revised one; the seed is only recorded."""
        answers: dict[int, list[_Answer]] = {}
        at, done, seconds = 0, set[int](), dict[int, float]()
        while at < len(items):
            begun = time.perf_counter()
            shown = evidence(items[at].record, items[at].seat)
            given = answers.setdefault(at, [])
            try:
                self._ask_item(at, len(items), shown, rubric, given)
            except _Command as command:
                seconds[at] = seconds.get(at, 0.0) + time.perf_counter() - begun
                if command.word == "quit":
                    self._tell(f"\n{len(done)} of {len(items)} judged. Rerun the same command to resume.", HINT)
                    return
                at = at + 1 if command.word == "pass" else self._previous_player(at, answers)
                continue
            seconds[at] = seconds.get(at, 0.0) + time.perf_counter() - begun
            yield _judgement(items[at], self.spec, rubric, seed, shown, given, seconds[at])
            done.add(at)
            at += 1

    def _previous_player(self, at: int, answers: dict[int, list[_Answer]]) -> int:
        """Return to the previous player and drop its last answer."""
        if at == 0:
            self._tell("This is the first question.", PROBLEM)
            return at
        answers[at - 1] = answers[at - 1][:-1]
        return at - 1

    def _ask_item(self, at: int, count: int, shown: Evidence, rubric: Rubric, given: list[_Answer]) -> None:
        """Ask the open questions; raise `_Command` to pass, to quit, or to go back from the first question."""
        asked = rubric.applicable_dimensions(shown.has_persona)
        self._show_match(at, count, shown)
        if rubric.introduction:
            self._tell(f"\n{rubric.introduction}", PLAIN)
        while len(given) < len(asked):
            place = f"{len(given) + 1}/{len(asked)}"
            try:
                given.append(self._ask_dimension(asked[len(given)], place))
            except _Command as command:
                if command.word == "read":
                    self._show_match(at, count, shown)
                elif command.word == "back" and given:
                    given.pop()
                else:
                    raise

    def _ask_dimension(self, dimension: Dimension, place: str) -> _Answer:
        """Score and reason of one dimension."""
        self._tell(f"\n{place} {dimension.name}", TITLE)
        self._tell(dimension.question, PLAIN)
        self._tell("\n".join(f"  {line}" for line in dimension.scale), PLAIN)
        score = self._ask_score(dimension)
        if score is None:
            return _Answer(None, "")
        try:
            # "skip" and "pass" are reasons like any other text.
            return _Answer(score, self._read_line("Reason (Enter for none) > ", ("read", "help", "quit", "back")))
        except _Command as command:
            if command.word != "back":
                raise
            return self._ask_dimension(dimension, place)  # back to the score of the same dimension

    def _ask_score(self, dimension: Dimension) -> int | None:
        while True:
            try:
                found = parse_score_text(self._read_line(f"{dimension.short}, {LOWEST} to {HIGHEST} > ", COMMANDS))
            except _Command as command:
                if command.word == "skip":
                    return None
                raise
            if not isinstance(found, Invalid):
                return found
            self._tell(f"{found.text[0].upper()}{found.text[1:]}.", PROBLEM)

    def _read_line(self, prompt: str, commands: Sequence[str]) -> str:
        """Read a line; raise `_Command` for a command, and ``quit`` at the end of the input."""
        while True:
            try:
                typed = self._ask(prompt).strip()
            except (EOFError, KeyboardInterrupt):
                raise _Command("quit") from None
            word = typed.casefold()
            if word == "help" and word in commands:
                self._tell(HELP, HINT)
            elif word in commands:
                raise _Command(word)
            else:
                return clean(typed)

    def _show_match(self, at: int, count: int, shown: Evidence) -> None:
        self._tell(f"\nPlayer {at + 1} of {count}: {shown.role} in {shown.game}", TITLE)
        for line in str(shown).split("\n"):
            self._tell(line, next((look for start, look in LOOKS.items() if line.startswith(start)), PLAIN))
        self._tell(f"\n{HELP}", HINT)


def _judgement(
    item: Item, judge: str, rubric: Rubric, seed: int, shown: Evidence, given: Sequence[_Answer], seconds: float
) -> Judgement:
    one = new_judgement(item, judge, rubric, seed)
    one.record_evidence(shown)
    keys = [dimension.key for dimension in rubric.applicable_dimensions(shown.has_persona)]
    answers = dict(zip(keys, given, strict=True))
    one.scores = {key: answer.score for key, answer in answers.items()}
    one.reasons = {key: answer.reason for key, answer in answers.items() if answer.reason}
    one.skipped = [key for key, answer in answers.items() if answer.score is None]
    one.seconds = round(seconds, 3)
    return one
