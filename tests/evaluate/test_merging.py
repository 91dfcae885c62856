"""Shards put together: one file, compressed on request, that everything reads as it reads the shards."""

from __future__ import annotations

import json

import pytest
from given_commands import command

from econzoo.envs.core.record import RecordFile, read_record_file
from econzoo.evaluate.commands.replay import replay_files
from econzoo.evaluate.formats import convert
from econzoo.evaluate.formats.conversions import possible_formats
from econzoo.evaluate.run import missing_matches, new_design, read_design, read_failed_tries, read_folder, recorded_ids
from econzoo.evaluate.run import run
from refusals import refuses


def design(seeds: int = 3):
    return new_design("bargaining", ["random", "fair"], [{"horizon": 4}], seeds)


@pytest.fixture
def shards(tmp_path):
    """Two halves of a run, in folders of their own."""
    places = [tmp_path / f"shard-{number}" for number in range(2)]
    for number, place in enumerate(places):
        run(design(), place, jobs=1, shard=(number, 2))
    return places


def test_shards_become_a_run(shards, tmp_path):
    done = convert([*shards, shards[0]], tmp_path / "whole", to="records")
    assert done.complete
    assert done.data["matches"] == len(design())
    assert recorded_ids(tmp_path / "whole") == {id for _, id in design().matches_with_ids()}
    assert read_design(tmp_path / "whole") == design()
    assert missing_matches(design(), tmp_path / "whole") == []
    lines = [line for place in shards for line in next(place.glob("records*.jsonl")).read_text().splitlines()]
    assert (tmp_path / "whole" / "records.jsonl").read_text().splitlines() == lines


def test_a_compressed_file_is_read_everywhere(shards, tmp_path, capsys):
    file = tmp_path / "whole" / "records.jsonl.gz"
    assert convert(shards, file).complete
    assert file.stat().st_size < sum(path.stat().st_size for place in shards for path in place.glob("*.jsonl")) / 5
    known = {one.id: one for place in shards for one in read_folder(place)[0]}
    assert {one.id: one for one in read_folder(file)[0]} == {one.id: one for one in read_record_file(file)} == known
    assert missing_matches(design(), file.parent) == [], "a run goes on beside it"
    assert not replay_files([file]).problems
    for args in (["convert", file, tmp_path / "csv", "--to", "csv"], ["replay", file.parent, "--seal"]):
        assert command(*args) == 0
    assert (tmp_path / "csv" / "matches.csv").read_text().count("\n") == len(known) + 1
    assert "12 records" in capsys.readouterr().out
    assert convert(file, tmp_path / "again.jsonl").complete
    assert {one.id for one in read_record_file(tmp_path / "again.jsonl")} == set(known)


def test_a_compressed_file_is_never_added_to(shards, tmp_path):
    convert(shards, tmp_path / "all.jsonl.gz")
    with refuses(ValueError, "all.jsonl.gz", "compressed", "all.jsonl"):
        RecordFile(tmp_path / "all.jsonl.gz")


def test_what_cannot_be_merged_is_told(shards, tmp_path):
    with refuses(ValueError, "records to csv", "one source"):
        convert(shards, tmp_path / "tables", to="csv")
    convert(shards, tmp_path / "all.jsonl")
    with refuses(ValueError, "all.jsonl exists"):
        convert(shards, tmp_path / "all.jsonl")
    path = next(shards[1].glob("*.jsonl"))
    given = json.loads(path.read_text().splitlines()[0])
    other = json.dumps({**given, "payoffs": [0.0, 0.0]})
    (tmp_path / "other.jsonl").write_text(f"{other}\n{{torn")
    done = convert([*shards, tmp_path / "other.jsonl"], tmp_path / "more.jsonl")
    assert not done.complete
    assert [line.partition(":")[0] for line in done.omissions] == ["left out", "1 conflicting duplicate"]


def test_what_failed_in_one_shard_and_ended_in_none_still_fails(shards, tmp_path):
    path = next(shards[0].glob("*.jsonl"))
    first, second, *rest = path.read_text().splitlines()
    path.write_text("".join(line + "\n" for line in [second, *rest]))
    tried = [json.dumps({**json.loads(line), "status": "failed", "reason": "no answer"}) for line in (first, second)]
    path.with_name(path.name + ".failed").write_text("".join(line + "\n" for line in tried))
    convert(shards, tmp_path / "whole", to="records")
    assert set(read_failed_tries(tmp_path / "whole" / "records.jsonl")) == {json.loads(first)["id"]}


def test_an_adapter_is_one_beside_what_it_has_learned_from(tmp_path):
    (tmp_path / "teacher_plays.jsonl").write_text("{}\n")
    assert possible_formats(tmp_path, ["lora", "glee", "records"]) == ["records"]
    (tmp_path / "adapter_config.json").write_text("{}")
    assert possible_formats(tmp_path, ["lora", "glee", "records"]) == ["lora"]
