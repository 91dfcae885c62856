"""Matches in machine code, beside the same matches at the table."""

from __future__ import annotations

import json
from collections.abc import Sequence
from itertools import product
from typing import Any

import pytest

from econzoo.baselines.matrix import CLASSICS
from econzoo.evaluate.analyses.frame import frame
from econzoo.evaluate.run import compiled_matches, new_design, read_records, replay_file
from econzoo.evaluate.run.compiled_matches import can_compile_match, play_compiled, split_compiled
from econzoo.evaluate.run.match import PlayerCache, play_matches
from econzoo.evaluate.run.table import Match, new_match
from econzoo.evaluate.run.tournament import run

pytest.importorskip("numba")

SIX = ("tit-for-tat", "random", "grudger", "cooperator", "mixed(0.3)", "alternator")
CAST = PlayerCache("matrix")


def pairs(specs: Sequence[str], seeds: int, **params: Any) -> list[Match]:
    """Matches of all ordered pairs, which share their parameters as those of a design do."""
    first = new_match("matrix", specs[:1] * 2, 0, **params)
    return [first._replace(players=both, seed=seed) for both in product(specs, repeat=2) for seed in range(seeds)]


def without_times(line: str) -> dict[str, Any]:
    given = json.loads(line)
    for part in (given, *given["turns"]):
        del part["seconds"]
    return given


@pytest.mark.parametrize(
    "params",
    [
        {"rounds": 7, "noise": 0.2},
        {"rounds": 9, "noise": 0.1, "prob_end": 0.2, "messages": False},
        {"rounds": 5, "stage_game": "chicken", "known": False},
        {"rounds": 4, "prob_end": 1.0},
    ],
    ids=repr,
)
def test_records_are_those_of_the_table_to_the_last_digit(params: dict[str, Any]) -> None:
    matches = pairs(SIX, 2, **params)
    lines = [line for some in play_compiled(matches, CAST) for line in some]
    assert [*map(without_times, lines)] == [without_times(one.to_json()) for one in play_matches(matches, CAST)]


@pytest.mark.long
def test_every_classic_plays_as_at_the_table() -> None:
    matches = [one for one in pairs(CLASSICS[::2], 1, rounds=15, noise=0.1) if can_compile_match(one, CAST)]
    lines = [line for some in play_compiled(matches, CAST) for line in some]
    assert [*map(without_times, lines)] == [without_times(one.to_json()) for one in play_matches(matches, CAST)]


def test_few_matches_and_other_players_are_not_compiled() -> None:
    matches = pairs(("tit-for-tat", "plan"), 1, rounds=10)
    assert split_compiled(matches, CAST) == ([], matches)
    long = pairs(("tit-for-tat", "plan"), 1, rounds=1000)
    assert [one.players for one in split_compiled(long * 100, CAST)[0]] == [("tit-for-tat",) * 2] * 100


def test_turns_left_out_come_back(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compiled_matches, "MIN_ROUNDS", 0)
    design = new_design("matrix", list(SIX[:3]), settings=[{"rounds": 6, "noise": 0.1}], seeds=2)
    folders = tmp_path / "whole", tmp_path / "short"
    for folder, turns in zip(folders, (True, False), strict=True):
        assert run(design, folder, turns=turns) == len(design)
    whole, short = map(read_records, folders)
    assert b'"turns":[]' in (folders[1] / "records.jsonl").read_bytes()
    for one, other in zip(whole, short, strict=True):
        assert (one.id, one.payoffs, one.metrics, one.rounds) == (other.id, other.payoffs, other.metrics, other.rounds)
        assert [(turn.seat, turn.reply) for turn in one.turns] == [(turn.seat, turn.reply) for turn in other.turns]
        assert one.chance == other.chance
    times = ["seconds"]
    assert frame(whole).drop(columns=times).equals(frame(short).drop(columns=times))


def test_replays_find_a_changed_match_and_load_no_other_player(tmp_path: Any) -> None:
    matches = pairs(SIX[:2], 1, rounds=6, noise=0.1)
    line = next(iter(play_compiled(matches, CAST, turns=False)))[0]
    changes = {
        "nothing": line,
        "payoffs": line.replace('"payoffs":[', '"payoffs":[1'),
        "left_out": line.replace('"rounds":6,"hash"', '"rounds":5,"hash"'),
        "match": line.replace('["tit-for-tat"', '["hf:smollm2"'),
    }
    path = tmp_path / "records.jsonl"
    path.write_text("\n".join(changes.values()) + "\n")
    found = [{problem.field for problem in one.problems} for one in replay_file(path)]
    assert [fields & {*changes} for fields in found] == [set(), {"payoffs"}, {"left_out"}, {"match"}]
