"""Records to judge, and judges without a model or a person behind them."""

from __future__ import annotations

import json

import pytest

from econzoo.baselines.models import FunctionChat
from econzoo.envs.core.record import RecordFile
from econzoo.evaluate.analyses.judging import find_items, load_rubric
from econzoo.evaluate.analyses.judging.human_judge import HumanJudge
from econzoo.evaluate.analyses.judging.model_judge import ModelJudge
from econzoo.evaluate.run import play_match


@pytest.fixture(scope="session")
def alympics():
    return load_rubric("alympics")


@pytest.fixture(scope="session")
def matches():
    """Three matches of bargaining and one of persuasion: eight players to judge."""
    played = [play_match("bargaining", ["fair", "boulware(0.2)"], seed=seed, horizon=3) for seed in range(3)]
    return [*played, play_match("persuasion", ["honest", "trust"], seed=1, rounds=3, message_type="binary")]


@pytest.fixture
def file(matches, tmp_path):
    records = RecordFile(tmp_path / "matches.jsonl")
    for record in matches:
        records.append(record)
    return records.path


@pytest.fixture
def items(file):
    return find_items(file, None, None, 0).items


@pytest.fixture
def model():
    """Makes a judge from a function of what is asked to a score, or to the text of a whole reply."""

    def made(answer=lambda text: 3, spec="mock:judge", **options):
        def reply(conversation, schema, seed):
            given = answer(conversation[-1]["content"])
            return given if isinstance(given, str) else json.dumps({"score": given, "reason": "As the moves show."})

        return ModelJudge(spec, FunctionChat(reply), **options)

    return made


@pytest.fixture
def person():
    """Makes a person who types these lines, and afterwards nothing more."""

    def made(*typed, spec="human"):
        lines, shown = iter(typed), []

        def ask(prompt):
            shown.append(prompt)
            line = next(lines, None)
            if line is None:
                raise EOFError
            return line

        judge = HumanJudge(spec, ask, lambda text, style: shown.append(text))
        judge.shown = shown
        return judge

    return made
