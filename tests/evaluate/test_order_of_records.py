"""Records of served models are read in the order of their design, whatever the order of the replies."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from econzoo.envs.core.record import RecordFile
from econzoo.evaluate.run import new_design, play_match, read_records
from econzoo.evaluate.run.design import write_design

MODEL = "openai:m@http://127.0.0.1:9/v1"


@pytest.fixture(params=[MODEL, "greedy"])
def folder(request, tmp_path):
    """Records of a design in the order of their arrival, after one that the design does not have."""
    design = new_design("bargaining", [request.param, "fair"], [{"horizon": 2}], seeds=3)
    write_design(design, tmp_path)
    like = play_match("bargaining", ["fair", "fair"], horizon=2)
    records = [
        replace(like, id=id, players=[*match.players], seed=match.seed) for match, id in design.matches_with_ids()
    ]
    random.Random(1).shuffle(records)
    file = RecordFile(tmp_path / "records.jsonl")
    for record in [records[0], replace(like, id="0" * 16), *records[1:]]:
        file.append(record)
    return tmp_path, design, [records[0].id, "0" * 16, *(record.id for record in records[1:])]


def test_records_of_served_players_have_the_order_of_their_design(folder):
    place, design, arrived = folder
    planned = [id for _, id in design.matches_with_ids()]
    ordered = [planned[0], "0" * 16, *planned[1:]]
    assert [one.id for one in read_records(place)] == (ordered if MODEL in design.players else arrived)
    (place / "manifest.json").unlink()
    assert [one.id for one in read_records(place)] == arrived
