"""Language models as predictors: what they read, what counts, what is kept; and the command."""

from __future__ import annotations

import csv
import json
import threading

import numpy as np
import pytest
from given_commands import command

import econzoo
from econzoo.baselines import ModelError
from econzoo.baselines.models import Completion, FunctionChat, ServedChat
from econzoo.envs.core.record import RecordFile
from econzoo.evaluate.analyses.prediction.answers import FILE, ModelPredictor, digest, new_predictor, read_answers
from econzoo.evaluate.analyses.prediction.decisions import decisions_of
from econzoo.evaluate.analyses.prediction.splitting import PERSON, Split
from econzoo.evaluate.analyses.prediction.study import ask_models, tasks_of
from econzoo.evaluate.run import Engine, read_records
from econzoo.evaluate.run.engine import use_engine
from econzoo.evaluate.run.processes import LocalWorker
from refusals import refuses, says


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    place = tmp_path_factory.mktemp("haggling")
    file = RecordFile(place / "records.jsonl")
    for seed in range(8):
        file.append(econzoo.play("bargaining", ["random", f"quantal({seed + 1})"], seed=seed, horizon=2))
    return place


@pytest.fixture
def ask(folder, tmp_path):
    """Has models predict all decisions; the records lie in a folder of the test's own."""
    own = tmp_path / "records.jsonl"
    own.write_bytes((folder / "records.jsonl").read_bytes())
    records = read_records(tmp_path)
    decisions = decisions_of(records).decisions

    def made(*models, only=None, concurrent=1):
        return decisions, ask_models(records, models, decisions[:only], 0, concurrent)

    made.out = tmp_path / FILE
    return made


def model(answer, spec="mock:one"):
    """A predictor from a function of what it reads; `read` has all that it has read."""

    def reply(talk, schema, seed):
        made.read.append(talk[-1]["content"])
        said = answer(talk[-1]["content"])
        if isinstance(said, Exception):
            raise said
        return said if isinstance(said, str) else json.dumps({"probability": said, "reason": "So it seems."})

    made = ModelPredictor(spec, FunctionChat(reply))
    made.read = []
    return made


def test_models_read_what_was_read_and_neither_names_nor_the_decision(ask):
    one = model(lambda text: 0.7)
    decisions, found = ask(one)
    assert {answer.probability for answer in found["mock:one"].values()} == {0.7}
    assert len(one.read) == len(decisions)
    for text, decision in zip(one.read, decisions, strict=True):
        says(text, "accept, reject", decision.role)
        assert "quantal" not in text


def test_served_models_answer_side_by_side(ask):
    """Each first reply comes when the other model has been asked too."""
    together = threading.Barrier(2)

    class Served(ServedChat):
        name, concurrency = "served", 1

        def answer(self, conversation, schema, seed, limit):
            if not self.asked:
                together.wait(10)
            self.asked += 1
            return Completion('{"probability": 0.4, "reason": "So it seems."}', 1, 1, 0.0)

    models = [Served(), Served()]
    for place, one in enumerate(models):
        one.asked, one.name = 0, f"mock:{place}"
    decisions, found = ask(*(ModelPredictor(one.name, one) for one in models), concurrent=None)
    assert [one.asked for one in models] == [len(decisions)] * 2
    assert all([*answers] == [one.id for one in decisions] for answers in found.values()), "in order"


def test_what_was_answered_is_not_asked_again(ask):
    ask(model(lambda text: 0.7), only=3)
    again = model(lambda text: 0.2)
    decisions, found = ask(again, concurrent=4)
    assert len(again.read) == len(decisions) - 3
    assert [found["mock:one"][one.id].probability for one in decisions] == [0.7] * 3 + [0.2] * (len(decisions) - 3)


def test_unusable_answers_are_one_half_and_faults_of_a_provider_nobody_s(ask):
    told = iter(["no idea", 1.5, '{"probability": 0.9}', ModelError("gone")])
    decisions, found = ask(model(lambda text: next(told, 0.6)))
    answers = found["mock:one"]
    assert [len(answers[decisions[0].id].answers), answers[decisions[0].id].probability] == [3, None]
    says([one["problem"] for one in answers[decisions[0].id].answers], 1.5, "reason")
    assert decisions[1].id not in answers
    (task, *_) = tasks_of(Split(decisions, decisions, 0), [], found, PERSON, 0)
    assert len(task.test) == len(decisions) - 1
    assert np.isnan(task.probabilities["mock:one"]).sum() == task.scores["mock:one"].failure_count == 1
    again = model(lambda text: 0.6)
    ask(again)
    assert len(again.read) == 1


@pytest.mark.slow
def test_models_answer_in_the_workers_of_the_engine(ask):
    spec = 'mock:{"probability": 0.5, "reason": "Who knows."}|{"probability": 0.9, "reason": "Sure."}'
    with use_engine(Engine(LocalWorker, 2, remote=True)):
        decisions, found = ask(new_predictor(spec), only=6, concurrent=3)
    (said,) = found.values()
    told = [said[one.id].probability for one in decisions[:6]]
    assert told == [0.5, 0.9, 0.5] * 2, "three in each of two workers at once"
    assert found == ask(new_predictor(spec), only=6)[1], "what was answered there is not asked again"


def test_answers_to_other_words_are_refused(ask):
    ask(model(lambda text: 0.5), only=1)
    ask.out.write_text(ask.out.read_text().replace(digest(), "0" * 12))
    with refuses(ValueError, "0" * 12, digest()):
        read_answers(ask.out)


def test_only_bare_models_predict():
    for spec in ("openai:m@http://x/v1?persona=David", "hf:smollm2?memory=3"):
        with refuses(ValueError, spec.partition("?")[2].partition("=")[0]):
            new_predictor(spec)


def test_the_command_writes_page_and_tables(folder, tmp_path, capsys):
    how = ("--split", "person", "--test-share", 0.4, "--predictor", "fair", "--out", tmp_path, "--format", "csv")
    assert command("analyze", folder, "predict", *how, "--json") == 0
    found = json.loads(capsys.readouterr().out)
    assert {one["predictor"] for one in found["scores"]} >= {"frequency", "rational", "fair", "logit"}
    rows = list(csv.DictReader((tmp_path / "predict" / "predictions.csv").open(encoding="utf-8")))
    assert {row["person"] for row in rows} < {"random", *(f"quantal({n})" for n in range(1, 9))}
    assert "calibrated" in (tmp_path / "predict.html").read_text(encoding="utf-8")


def test_bad_input_ends_in_one_line(folder, tmp_path, capsys):
    for words, named in (
        (["--of", "somebody"], ("of='somebody'", "random")),
        (["--split", "day"], ("split='day'", "person", "configuration")),
        (["--split", "configuration"], ("'configuration'", 1, "person")),
        (["--test-share", "2"], ("test_share", "0.99")),
        (["--predictor", "nobody"], ("nobody",)),
        (["--predictor", "human"], ("human",)),
    ):
        assert command("analyze", folder, "predict", *words, "--out", tmp_path) == 1, words
        line = capsys.readouterr().err.strip()
        says(line, *named)
        assert "\n" not in line, words
