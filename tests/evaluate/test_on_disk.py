"""Large folders: turns stay in their file, compressed or not, and nothing that is said of a folder depends on it."""

from __future__ import annotations

import copy
import gzip
import json
import pickle
import tracemalloc
from contextlib import nullcontext
from dataclasses import replace

import pytest

import econzoo
from econzoo.envs.core.record import Record
from econzoo.evaluate.analyses.summary import summarize
from econzoo.evaluate.analyses.summary.match_pages import list_matches
from econzoo.evaluate.analyses.tidy import spool, write_tables
from econzoo.evaluate.commands.replay import replay_files
from econzoo.evaluate.run import folder, missing_matches, new_design, read_folder, read_records, run
from econzoo.evaluate.run import records as records_module
from econzoo.evaluate.run.disk_records import DiskRecord
from econzoo.evaluate.stats import columns, estimates
from refusals import refuses


@pytest.fixture(scope="module")
def played(tmp_path_factory):
    """A folder of 48 matches of players who draw, one line torn by a kill."""
    place = tmp_path_factory.mktemp("played")
    run(new_design("bargaining", ["random", "boulware(e~uniform(0.1,0.9))"], ("default",), 12), place, jobs=1)
    with (place / "records.jsonl").open("a") as file:
        file.write('{"game":"barg')
    return place


@pytest.fixture(params=["plain", "compressed", "torn"])
def large(request, played, tmp_path, monkeypatch):
    """The same folder where every record is left on disk; as gzip packs it, cut off in its last bytes or not."""
    monkeypatch.setattr(folder, "MAX_IN_MEMORY", 0)
    (tmp_path / "manifest.json").write_bytes((played / "manifest.json").read_bytes())
    lines = (played / "records.jsonl").read_bytes()
    if request.param == "plain":
        (tmp_path / "records.jsonl").write_bytes(lines)
    else:
        first, second = lines[:5000], lines[5000:]
        whole = gzip.compress(first) + gzip.compress(second)  # two behind one another, as appending makes them
        (tmp_path / "records.jsonl.gz").write_bytes(whole[: -9 if request.param == "torn" else None])
    return tmp_path


def test_a_record_on_disk_is_the_record(played, large):
    whole, light = read_folder(played)[0], read_folder(large)[0]
    assert len(whole) == len(light) == 48
    assert {type(one) for one in light} == {DiskRecord}
    assert not any("turns" in vars(one) for one in light)
    for one, other in zip(whole, light, strict=True):
        assert one == other
        assert other == one
        assert other.to_json() == one.to_json()
        assert other.labels == one.labels
        assert type(replace(other, seed=3)) is Record
        assert replace(other, seed=3) == replace(one, seed=3)
        assert pickle.loads(pickle.dumps(other)) == copy.deepcopy(other) == one
    assert light[0] != light[1]


def test_a_torn_line_is_told(played, large):
    assert [one.line for one in read_folder(large)[1]] == [one.line for one in read_folder(played)[1]] == [49]


def test_numbers_are_the_same(played, large):
    told, other = (summarize(read_records(place, "all")) for place in (played, large))
    assert told.matches == 48
    lines = {"unreadable"}
    known, found = ({k: v for k, v in one.to_dict().items() if k not in lines} for one in (told, other))
    assert known == found
    assert told.distinct_courses == other.distinct_courses
    assert told.rounds == other.rounds


def test_a_file_may_change_after_it_was_read(played, large):
    record = read_folder(large)[0][20]
    next(large.glob("records.jsonl*")).write_text("nothing")
    assert record.turns == read_folder(played)[0][20].turns


def test_of_many_matches_some_are_replayed_and_the_others_are_looked_at(tmp_path, monkeypatch):
    monkeypatch.setattr(records_module, "ALWAYS_REPLAYED", 3)
    path = tmp_path / "records.jsonl"
    played = [econzoo.play("bargaining", ["random", "fair"], seed=seed) for seed in range(40)]
    late = [record for record in played[3:] if record.id.endswith("0")]
    others = [record for record in played[3:] if not record.id.endswith("0")]
    assert late, "else there is nothing to see"
    for record in (played[1], late[0], others[0]):
        record.payoffs = [123.0, 456.0]
    path.write_text("".join(f"{record.to_json()}\n" for record in played))
    for wanted, wrong in [("none", 0), ("some", 2), ("all", 3)]:
        found = read_records(path, wanted)
        assert (len(found), len(found.unreadable)) == (40 - wrong, wrong), wanted
        assert found.verify().replay_mode == "all"
    assert len(read_records(path, "some").verify()) == 37


def test_of_many_matches_some_are_replayed_when_a_run_goes_on(tmp_path, monkeypatch):
    """A changed payoff is found in the first ones, and where the id ends in 0; ``replay`` finds it anywhere."""
    monkeypatch.setattr(records_module, "ALWAYS_REPLAYED", 3)
    design = new_design("bargaining", ["random", "fair"], seeds=20)
    run(design, tmp_path, jobs=1)
    path = tmp_path / "records.jsonl"
    lines = path.read_text().splitlines()
    late = [at for at, line in enumerate(lines) if at >= 3 and json.loads(line)["id"].endswith("0")]
    others = [at for at in range(3, len(lines)) if at not in late]
    for at, is_found in ((2, True), (late[-1], True), (others[-1], False)):
        changed = json.dumps({**json.loads(lines[at]), "payoffs": [123.0, 456.0]})
        path.write_text("\n".join([*lines[:at], changed, *lines[at + 1 :], ""]))
        assert [line for _, line, _ in replay_files([path]).problems][:1] == [at + 1]
        with refuses(ValueError, path, at + 1) if is_found else nullcontext():
            assert missing_matches(design, tmp_path) == []


def test_memory_grows_little_with_matches(played, tmp_path, monkeypatch):
    """From 150 matches to 600 by less than two kilobytes each, in a summary and in exported tables."""
    few = ((folder, "MAX_IN_MEMORY", 0), (columns, "BLOCK", 50), (spool, "BLOCK", 100), (estimates, "CELLS", 1000))
    for module, name, number in few:
        monkeypatch.setattr(module, name, number)
    short = sorted(read_folder(played)[0], key=lambda record: len(record.turns))
    pairings = {tuple(record.players): record for record in reversed(short)}
    other = next(record for record in short if record.turns != pairings[tuple(record.players)].turns)

    def grown(count: int) -> tuple[int, int]:
        """Bytes at most while records are read and summed up, and while they are exported."""
        place, each = tmp_path / str(count), count // 5
        place.mkdir(exist_ok=True)
        seeds = [*((record, range(each)) for record in pairings.values()), (other, range(each, 2 * each))]
        lines = [f"{line}\n" for record, own in seeds for line in record.lines_with_seeds(own)]
        (place / "records.jsonl").write_text("".join(lines))
        tracemalloc.start()
        records = read_records(place)
        found = summarize(records, seconds=0)
        assert len(found.records) == len(lines) == count
        list_matches([*found.records, *found.without_result], found.setting, 9, found.rounds)
        summed = tracemalloc.get_traced_memory()[1]
        del found
        tracemalloc.reset_peak()
        write_tables(records, lambda record: "", place, "csv")
        exported = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return summed, exported

    grown(150)
    for least, most in zip(grown(150), grown(600), strict=True):
        assert (most - least) / 450 < 2000
