"""Plans, common random numbers, both seats, resuming after a real kill, shards, processes."""

from __future__ import annotations

import json
from collections import Counter
from typing import ClassVar

import pytest
from killing import run_until_killed
from recorded import lines, timeless

from econzoo.baselines import Player
from econzoo.baselines import player as make_player
from econzoo.evaluate.analyses.summary import summarize
from econzoo.evaluate.run import MANIFEST, Setting, missing_matches, new_design, parse_shard, play_all, play_lines
from econzoo.evaluate.run import read_design, read_folder, read_records, run
from econzoo.evaluate.run.design import write_design
from econzoo.evaluate.run.folder import Writer
from econzoo.evaluate.run.tournament import is_in_shard
from refusals import refuses, says


def test_every_pair_meets_in_both_orders_in_every_market_with_the_same_seeds(small_design, small_records):
    met = Counter((r.params["horizon"], r.seed, tuple(r.players)) for r in small_records)
    assert len(met) == len(small_design) == 2 * 4 * 9
    assert set(met.values()) == {1}
    seeds = {pair: {s for h, s, p in met if p == pair} for _, _, pair in met}
    assert all(found == {0, 1, 2, 3} for found in seeds.values())
    assert {(b, a) for a, b in seeds} == set(seeds)


def test_common_random_numbers_make_a_random_player_open_alike_against_everybody(small_records):
    first = {}
    for record in small_records:
        if record.players[0] == "random":
            first.setdefault((record.params["horizon"], record.seed), set()).add(record.turns[0].action["gain"])
    assert all(len(gains) == 1 for gains in first.values())
    assert len({gain for gains in first.values() for gain in gains}) == 8  # one for each market and seed


def test_cross_play_matrix_by_hand(tmp_path):
    design = new_design("bargaining", ["fair", "greedy"], [{"horizon": 1, "delta": (1.0, 1.0)}], seeds=1)
    run(design, tmp_path, jobs=1)
    found = summarize(read_records(tmp_path))
    gains = {pair: estimates["self_gain"].mean for pair, estimates in found.pairs.items()}
    payoffs = {tuple(r.players): [p / 10_000 for p in r.payoffs] for r in found.records}
    assert gains["fair", "fair"] == 0.5
    assert gains["fair", "greedy"] == (payoffs["fair", "greedy"][0] + payoffs["greedy", "fair"][1]) / 2
    assert gains["greedy", "fair"] == (payoffs["fair", "greedy"][1] + payoffs["greedy", "fair"][0]) / 2
    assert gains["greedy", "greedy"] == sum(payoffs["greedy", "greedy"]) / 2
    both = (3 * gains["fair", "fair"] + 0) / 3
    assert found.overall["fair"]["self_gain"].mean == pytest.approx((both + gains["fair", "greedy"]) / 2)
    # An ultimatum pays the first seat everything in equilibrium: the second seat has no ratio of its own.
    assert found.seats["fair", "Bob"]["share_each"].rows == 0
    assert found.seats["fair", "Alice"]["share"].mean == pytest.approx(
        (payoffs["fair", "fair"][0] + payoffs["fair", "greedy"][0]) / 2
    )


def test_a_second_run_plays_nothing(small_design, small_folder):
    before = lines(small_folder)
    assert run(small_design, small_folder, jobs=1) == 0
    assert lines(small_folder) == before


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    folder = tmp_path_factory.mktemp("whole")
    run(killed_design(), folder, jobs=1)
    return sorted(json.dumps(timeless(line)) for line in lines(folder))


def killed_design():
    return new_design("bargaining", ["fair", "boulware(0.2)", "tit-for-tat", "random"], ["default", "silent"], seeds=25)


@pytest.mark.slow
@pytest.mark.parametrize("jobs", [pytest.param(1, marks=pytest.mark.long), 2])
def test_a_killed_run_goes_on_and_ends_the_same(tmp_path, whole, jobs):
    code = "from test_tournament import killed_design, run; " + f"run(killed_design(), 'out', jobs={jobs})"
    run_until_killed(code, tmp_path, 50_000)
    records = tmp_path / "out" / "records.jsonl"
    recorded = len(missing_matches(killed_design(), tmp_path / "out"))
    assert 0 < recorded < len(killed_design())
    with records.open("ab") as file:
        file.write(b'{"format":1,"game":"barg')  # as if it had been killed in the middle of a line
    assert run(killed_design(), tmp_path / "out", jobs=1) == recorded
    assert sorted(json.dumps(timeless(line)) for line in lines(tmp_path / "out")) == whole
    assert (tmp_path / "out" / "records.jsonl.torn").read_bytes().endswith(b'{"format":1,"game":"barg\n')


@pytest.mark.slow
def test_processes_write_what_one_process_writes(small_design, small_folder, tmp_path):
    run(small_design, tmp_path, jobs=2)
    assert [timeless(line) for line in lines(tmp_path)] == [timeless(line) for line in lines(small_folder)]


def test_shards_are_a_partition(small_design, small_folder, tmp_path):
    for part in range(3):
        run(small_design, tmp_path, jobs=1, shard=(part, 3))
    ids = [json.loads(line)["id"] for line in lines(tmp_path)]
    assert len(ids) == len(set(ids))
    assert set(ids) == {json.loads(line)["id"] for line in lines(small_folder)}
    assert all(0 < len(path.read_text().splitlines()) < 40 for path in tmp_path.glob("records-*-of-3.jsonl"))
    assert run(small_design, tmp_path, jobs=1) == 0


def test_a_shard_of_a_match_depends_on_its_id_only():
    assert is_in_shard("000000000000000a", (2, 4))
    assert [parse_shard(text) for text in ("0/1", "3/8")] == [(0, 1), (3, 8)]
    for bad in ("4/4", "1", "a/b", "-1/4", "1/0", "", "1/2/3"):
        with refuses(ValueError, repr(bad)):
            parse_shard(bad)


class Batched(Player):
    """Accepts everything, and remembers how many were asked together."""

    sizes: ClassVar[list[int]] = []

    @property
    def batch_key(self):
        return "one model"

    @classmethod
    def act_batch(cls, players, observations, infos):
        cls.sizes.append(len(players))
        offer = {"kind": "offer", "gain": 1}
        return [{"kind": "accept"} if "accept" in seen["legal_actions"] else offer for seen in observations]


def test_matches_with_batched_players_are_played_side_by_side():
    design = new_design("bargaining", ["fair", "model"], seeds=8)
    players = {"fair": make_player("fair"), "model": Batched("model")}
    chunks = list(play_lines(list(design.matches()), "bargaining", players.__getitem__, None, 6))
    assert sum(map(len, chunks)) == len(design)
    assert max(Batched.sizes) == 6
    assert [json.loads(line)["players"] for line in chunks[0]] == [["fair", "fair"]] * 8  # the others come first


def test_records_in_memory_are_those_on_disk(small_design, small_folder):
    assert [timeless(r.to_json()) for r in play_all(small_design, jobs=1)] == [timeless(x) for x in lines(small_folder)]


def test_the_manifest_says_the_plan(small_design, small_folder):
    assert read_design(small_folder) == small_design


def test_a_plan_may_only_be_added_to(tmp_path):
    def design(players=("fair", "greedy"), seeds=2, markets=("default",), **options):
        return new_design("bargaining", players, markets, seeds, **options)

    assert run(design(), tmp_path, jobs=1) == 8
    assert run(design(("fair", "greedy", "linear"), 3, ("default", "silent")), tmp_path, jobs=1) == 6 * 9 - 8
    for less in (design(), design(("fair", "greedy", "linear"), 3), design(seeds=9), design(max_retries=1)):
        with refuses(ValueError, tmp_path / "manifest.json"):
            run(less, tmp_path, jobs=1)
    moved = design(("fair", "greedy", "linear"), 3, [Setting("default", {"horizon": 3}), "silent"])
    with refuses(ValueError, "settings", "'default'"):
        write_design(moved, tmp_path)


def test_a_file_that_has_changed_is_not_the_player_that_has_played(tmp_path):
    model = tmp_path / "model.zip"
    model.write_bytes(b"one")
    design = new_design("bargaining", ["fair", f"ppo:{model}"], seeds=1)
    write_design(design, tmp_path)
    write_design(design, tmp_path)
    model.write_bytes(b"two")
    with refuses(ValueError, model):
        write_design(design, tmp_path)


def test_a_plan_that_cannot_be_played_is_refused():
    for change, named in [
        ({"game_name": "chess"}, ("'chess'", "bargaining")),
        ({"players": []}, ("player",)),
        ({"players": ["fair", "fair"]}, ("'fair'", "repeated")),
        ({"players": ["human"]}, ("'human'", "econzoo play")),
        ({"settings": []}, ("setting",)),
        ({"settings": ["moon"]}, ("'moon'", "default")),
        ({"settings": [{"delta": (2, 2)}]}, ("delta=(2, 2)",)),
        ({"settings": [{"size": 2}]}, ("'size'",)),
        ({"seeds": 0}, ("seed",)),
        ({"seeds": [1, 1]}, ("seed 1", "repeated")),
        ({"seeds": [-1]}, ("seed=-1", 0)),
        ({"colour": 1}, ("'colour'",)),
    ]:
        with refuses(ValueError, *named):
            new_design(**{"game_name": "bargaining", "players": ["fair"], **change})


def test_an_unknown_player_is_refused_before_anything_is_written(tmp_path):
    with refuses(ValueError, "'nobody'"):
        run(new_design("bargaining", ["fair", "nobody"]), tmp_path / "new")
    assert not (tmp_path / "new").exists()


def test_a_manifest_that_is_none_is_named(tmp_path):
    for text in ("", "{}", "[]", '{"format": 7}'):
        (tmp_path / MANIFEST).write_text(text)
        with refuses(ValueError, tmp_path / MANIFEST):
            read_design(tmp_path)


def test_two_processes_cannot_write_to_one_file(tmp_path):
    pytest.importorskip("fcntl")
    first = Writer(tmp_path / "records.jsonl")
    with refuses(ValueError, tmp_path / "records.jsonl", "process"):
        Writer(tmp_path / "records.jsonl")
    first.close()
    Writer(tmp_path / "records.jsonl").close()


def test_lines_that_are_no_records_are_told(small_design, small_folder, tmp_path):
    whole = (small_folder / "records.jsonl").read_text().splitlines()
    (tmp_path / "records.jsonl").write_text("\n".join([*whole[:5], "junk", whole[5][:80], *whole[6:], whole[0]]) + "\n")
    records, bad = read_folder(tmp_path)
    assert len(records) == len(whole) - 1
    assert [one.line for one in bad] == [6, 7]
    with refuses(ValueError, "line 6", "--repair"):
        run(small_design, tmp_path, jobs=1)
    told = summarize(read_folder(tmp_path)[0], unreadable=bad).to_dict()["unreadable"]
    says(told[0], "line 6", "JSON")


def test_more_seeds_than_fit_into_memory_are_refused():
    for seeds in [10**30, range(5, 10**9)]:
        with refuses(ValueError, "seeds=range", "1,000,000"):
            new_design("bargaining", ["fair", "greedy"], seeds=seeds)
