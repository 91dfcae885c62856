"""People against models: differences within situations, worked out by hand."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import pytest
from ran import ACCEPT, OFFER, Scripted

import econzoo
from econzoo.__main__ import main
from econzoo.envs.core.record import Record
from econzoo.evaluate.run import play_match
from econzoo.people.study import people_against_models
from econzoo.people.study.comparison import SeatObservation, compare_with_model, seat_observations
from refusals import says

HERE, THERE = ("here",), ("there",)


def sat(who: str, cell: tuple[str, ...], value: float, cluster: str = "") -> SeatObservation:
    return SeatObservation(who, cell, cluster or f"{who}{cell}{value}", {"self_gain": value})


def test_differences_are_within_situations() -> None:
    """Here people earn 2 more (weight 2 * 2 / 4), there 5 more (weight 1 * 1 / 2): (1 * 2 + 0.5 * 5) / 1.5 = 3."""
    rows = [sat("human", HERE, value) for value in (10, 12)] + [sat("m", HERE, value) for value in (8, 10)]
    rows += [sat("human", THERE, 105), sat("m", THERE, 100)]
    found = compare_with_model(rows, "m", "self_gain")
    assert found is not None
    assert (found.situations, found.people, found.matches) == (2, 3, 3)
    assert found.difference.mean == pytest.approx(3)
    assert found.person_mean - found.player_mean == pytest.approx(3)
    assert found.person_mean == pytest.approx((11 + 0.5 * 105) / 1.5)


def test_situations_in_which_only_one_of_them_was_say_nothing() -> None:
    rows = [sat("human", HERE, 1), sat("m", HERE, 2), sat("human", THERE, 1000), sat("other", THERE, 3)]
    found = compare_with_model(rows, "m", "self_gain")
    assert found is not None
    assert (found.situations, found.people, found.difference.mean) == (1, 1, pytest.approx(-1))
    assert compare_with_model(rows, "nobody", "self_gain") is None


def test_people_of_one_group_are_one_observation() -> None:
    """The same numbers, in six groups and in twelve: fewer groups say less."""
    values = [0.1, 0.9, 0.3, 0.8, 0.2, 0.7]
    models = [sat("m", HERE, value, f"m{place}") for place, value in enumerate(values)]
    alone = [sat("human", HERE, value, f"p{place}") for place, value in enumerate(2 * values)]
    together = [sat("human", HERE, value, f"g{place % 6}") for place, value in enumerate(2 * values)]
    wide, narrow = (compare_with_model(models + people, "m", "self_gain") for people in (together, alone))
    assert wide is not None
    assert narrow is not None
    assert wide.difference.high - wide.difference.low > narrow.difference.high - narrow.difference.low


def test_few_clusters_have_no_interval() -> None:
    found = compare_with_model(
        [sat("human", HERE, 1, "a"), sat("human", HERE, 3, "a"), sat("m", HERE, 2, "b")], "m", "self_gain"
    )
    assert found is not None
    assert math.isnan(found.difference.low)


def match(first: str, second: str, seed: int = 0, **changed: object) -> Record:
    record = econzoo.play("bargaining", ["fair", "boulware(0.2)"], seed=seed)
    record.players = [first, second]
    for name, value in changed.items():
        setattr(record, name, value)
    return record


def test_who_was_replaced_is_left_out() -> None:
    rows = list(
        seat_observations(
            match("human", "fair", replacements=[{"seat": 0, "turn": 1, "player": "random", "reason": "left"}]), "g"
        )
    )
    assert [row.who for row in rows] == ["fair"]
    assert list(seat_observations(match("human", "fair", status="failed"), "g")) == []


def test_who_missed_a_move_or_left_is_left_out() -> None:
    """A default action that took the place of a person's move is none of theirs, whoever goes on."""
    for finish in ("timeout", "left"):
        whole = match("human", "fair")
        missed = [replace(turn, finish=finish) if turn.seat == 0 else turn for turn in whole.turns]
        assert [row.who for row in seat_observations(replace(whole, turns=missed), "g")] == ["fair"], finish


def test_the_company_makes_the_situation() -> None:
    """Among people and among programs are two situations, whoever the people are."""
    cells = {next(seat_observations(match("human", other), "g")).cell for other in ("human", "human('Ann')", "fair")}
    assert len(cells) == 2


def write(folder: Path, *records: Record) -> Path:
    folder.mkdir()
    (folder / "records.jsonl").write_text("".join(f"{one.to_json()}\n" for one in records), encoding="utf-8")
    return folder


def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    person = Scripted(OFFER % 6000, ACCEPT, OFFER % 6000, ACCEPT)
    people = write(tmp_path / "people", play_match("bargaining", [person, "fair"]))
    models = write(tmp_path / "models", econzoo.play("bargaining", ["linear", "fair"]))
    with pytest.raises(SystemExit, match="0"):
        main(["study", "compare", str(people), str(models), "--out", str(tmp_path / "table.csv")])
    says(capsys.readouterr().out, "linear")
    rows = (tmp_path / "table.csv").read_text(encoding="utf-8").splitlines()
    assert rows[1].startswith("linear,self_gain,1,1,1,")
    with pytest.raises(ValueError):
        people_against_models([models])
    with pytest.raises(ValueError):
        people_against_models([people])


def test_a_match_that_was_cut_counts_for_nobody() -> None:
    record = play_match("bargaining", ["greedy", "greedy"], horizon=9, max_cycles=2)
    assert record.is_truncated
    assert list(seat_observations(record, "")) == []
