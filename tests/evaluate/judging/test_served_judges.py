"""Judges that are served answer side by side: none waits for another's reply, and the file is as if they did."""

from __future__ import annotations

import json
import threading

import pytest

from econzoo.baselines import Budget, BudgetSpentError, ModelError, open_budget
from econzoo.baselines.models import Completion, ServedChat
from econzoo.evaluate.analyses.judging import read_judgements, run_panel, shuffle_items
from econzoo.evaluate.analyses.judging.model_judge import ModelJudge


class Served(ServedChat):
    """Gives a score by seed; `wait` is called before each reply."""

    concurrency = 3

    def __init__(self, name, wait=lambda number: None):
        self.called, self.wait, self.lock = name, wait, threading.Lock()
        self.asked = self.busy = self.most_busy = 0

    @property
    def name(self):
        return self.called

    def answer(self, conversation, schema, seed, limit):
        with self.lock:
            self.asked += 1
            self.busy += 1
            number, self.most_busy = self.asked, max(self.busy, self.most_busy)
        try:
            self.wait(number)
        finally:
            with self.lock:
                self.busy -= 1
        return Completion(json.dumps({"score": seed % 5 + 1, "reason": "As the moves show."}), 10, 5, 0.0, cost=0.01)


def content(path, rubric):
    return [one.to_json() for one in read_judgements(path, rubric)]


def test_judges_answer_side_by_side_and_a_slow_reply_delays_nobody(items, alympics, tmp_path):
    """The first reply of the first judge comes when everything else has been answered."""
    total, models = 5 * len(items), {}

    def wait(number):
        if number == 1:
            assert rest.wait(20), "all other questions are answered meanwhile"

    def count(number):
        if sum(model.asked for model in models.values()) == 2 * total:
            rest.set()

    rest = threading.Event()
    models = {"a": Served("a", lambda number: (count(number), wait(number))), "b": Served("b", count)}
    out = tmp_path / "j.jsonl"
    run_panel([ModelJudge(name, model) for name, model in models.items()], items, alympics, 0, out)
    assert [model.asked for model in models.values()] == [total, total]
    assert max(model.most_busy for model in models.values()) <= 3
    made = [(one.judge, one.item) for one in read_judgements(out, alympics)]
    assert made == [(name, item.id) for name in models for item in shuffle_items(items, name, 0)]


def test_a_panel_side_by_side_says_what_its_judges_say_alone(items, alympics, tmp_path):
    together, alone = tmp_path / "together.jsonl", tmp_path / "alone.jsonl"
    run_panel([ModelJudge(name, Served(name)) for name in "ab"], items, alympics, 0, together, concurrent=7)
    for name in "ab":
        run_panel([ModelJudge(name, Served(name))], items, alympics, 0, alone, concurrent=1)
    assert content(together, alympics) == content(alone, alympics)


def test_what_a_budget_paid_is_not_paid_again(items, alympics, tmp_path):
    out, total = tmp_path / "j.jsonl", 5 * len(items)
    with open_budget(Budget(max_cost=0.2)), pytest.raises(BudgetSpentError):
        run_panel([ModelJudge(name, first := Served(name)) for name in "ab"], items, alympics, 0, out)
    again = {name: Served(name) for name in "ab"}
    run_panel([ModelJudge(name, model) for name, model in again.items()], items, alympics, 0, out)
    assert len(content(out, alympics)) == 2 * len(items)
    assert first.asked > 0
    assert 2 * total - 20 - 6 <= sum(model.asked for model in again.values()) <= 2 * total - 20


def test_a_failed_question_costs_its_judgement_only(items, alympics, tmp_path):
    def fail(number):
        if number == 4:
            raise ModelError("gone")

    out, model = tmp_path / "j.jsonl", Served("a", fail)
    run_panel([ModelJudge("a", model)], items, alympics, 0, out)
    assert len(content(out, alympics)) == len(items) - 1
    again = Served("a")
    assert run_panel([ModelJudge("a", again)], items, alympics, 0, out) == len(items) - 1
    assert (again.asked, len(content(out, alympics))) == (1, len(items))
