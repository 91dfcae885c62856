"""`econzoo.run` and `econzoo.analyze`: what commands do, as two functions."""

from __future__ import annotations

from pathlib import Path

import pytest

import econzoo
from econzoo.evaluate.run import new_design
from refusals import refuses

pytestmark = pytest.mark.usefixtures("blank_figures")


def design(seeds: int = 2):
    return new_design("bargaining", ["fair", "greedy"], [{"horizon": 3}], seeds)


def test_a_design_plays_into_records(tmp_path: Path) -> None:
    records = econzoo.run(design(), tmp_path, jobs=1)
    assert {record.id for record in records} == {id for _, id in design().matches_with_ids()}
    assert records.games == ["bargaining"]
    assert records.design is not None
    assert records.design.players == ("fair", "greedy")


def test_a_run_goes_on_where_it_was(tmp_path: Path) -> None:
    econzoo.run(design(1), tmp_path, jobs=1)
    first = (tmp_path / "records.jsonl").read_text()
    econzoo.run(design(2), tmp_path, jobs=1)
    assert (tmp_path / "records.jsonl").read_text().startswith(first)


def test_several_designs_lie_in_folders_of_their_own(tmp_path: Path) -> None:
    arms = {"short": design(1), "long": new_design("bargaining", ["fair", "greedy"], [{"horizon": 5}], 1)}
    assert len(econzoo.run(arms, tmp_path, jobs=1)) == sum(map(len, arms.values()))
    assert len(list((tmp_path / "long").glob("records*.jsonl"))) == 1


def test_records_are_analyzed_by_name(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    records = econzoo.run(design(), tmp_path, jobs=1)
    page = econzoo.analyze(records)
    means = {row["player"]: row["self_gain"]["mean"] for row in page.to_dict()["players"]}
    own = {name: [] for name in means}
    for record in {record.id: record for record in records}.values():
        for player, gain in zip(record.players, record.metrics["gains"], strict=True):
            own[player].append(gain)
    assert means == pytest.approx({name: sum(gains) / len(gains) for name, gains in own.items()})
    assert page.write(tmp_path) == tmp_path / "summary.html"
    assert econzoo.analyze(tmp_path, "summary").to_dict()["players"] == page.to_dict()["players"]


def test_what_is_not_allowed_is_refused(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    records = econzoo.run(design(1), tmp_path, jobs=1)
    for name, options, named in [
        ("nothing", {}, ("'nothing'", "summary")),
        ("summary", {"depth": 3}, ("'depth'", "objective, transcripts, regret, replay, title")),
        ("summary", {"transcripts": -1}, ("transcripts=-1", "integer")),
    ]:
        with refuses(ValueError, *named):
            econzoo.analyze(records, name, **options)
