"""The benchmark: who plays where, what is played, that it goes on after a kill, and what its tables say."""

from __future__ import annotations

import json

import pytest
from killing import run_until_killed
from recorded import lines, timeless
from scipy import stats

from econzoo.__main__ import main as econzoo
from econzoo.baselines import RandomPlayer
from econzoo.baselines.persuasion import POOLS
from econzoo.evaluate.analyses import analyze
from econzoo.evaluate.analyses.glee_benchmark import quick_table, results
from econzoo.evaluate.analyses.summary import summarize
from econzoo.evaluate.commands.replay import replay_files
from econzoo.evaluate.formats.glee import FAMILIES
from econzoo.evaluate.run import missing_matches, read_design, read_records, run
from econzoo.evaluate.suites.glee import benchmark_designs, configurations, players_of_family
from refusals import refuses, says

pytestmark = pytest.mark.usefixtures("blank_figures")

PLAYERS = ["random", "persuasion=honest", "persuasion=bayes", "bargaining=fair", "bargaining=greedy"]


def command(*arguments, code=0):
    with pytest.raises(SystemExit) as ended:
        econzoo(["run", "glee", *map(str, arguments)])
    assert ended.value.code == code


# Who plays where


def test_a_spec_plays_where_it_is_known_and_a_family_can_be_named():
    assert players_of_family(PLAYERS, "bargaining").specs == ["random", "fair", "greedy"]
    assert players_of_family(PLAYERS, "negotiation").specs == ["random"]
    assert players_of_family(PLAYERS, "persuasion").specs == ["random", "honest", "bayes"]
    assert players_of_family(["acceptor(0.4)", "hf:a/b?x=1,2"], "negotiation") == (["hf:a/b?x=1,2"], ["acceptor(0.4)"])
    assert players_of_family(["persuasion=hf:a/b?x=1"], "persuasion").specs == ["hf:a/b?x=1"]
    assert players_of_family(["linear(high=0.8, low=0.3)"], "bargaining").specs == ["linear(high=0.8, low=0.3)"]


def test_scripted_stands_for_the_pool_of_each_family():
    assert players_of_family(["scripted"], "persuasion").specs == list(POOLS["standard"])
    assert players_of_family(["honest", "persuasion=scripted"], "persuasion").specs == [
        "honest",
        *POOLS["standard"][1:],
    ]
    assert players_of_family(["bargaining=scripted"], "persuasion").specs == []


def test_a_spec_that_no_family_knows_is_refused():
    cases = [("nobody", "scripted"), ("persuasion=fair", "bargaining"), ("hf:", "hf:PATH"), ("bargaining=", "scripted")]
    for text, told in cases:
        with refuses(ValueError, repr(text.partition("=")[2] if "=" in text else text), told):
            players_of_family([text], "persuasion" if text.startswith("persuasion") else "bargaining")


def test_a_spec_for_a_family_that_does_not_exist_names_those_that_do():
    with refuses(ValueError, "'matrix'", "'matrix=spe'", "bargaining, negotiation"):
        players_of_family(["matrix=spe"], "bargaining")
    assert players_of_family(["even=fair", "bargaining=spe"], "bargaining").specs == ["even=fair", "spe"]
    with refuses(ValueError, "'persuasion'", "bargaining, negotiation"):
        benchmark_designs(["random"], settings=["persuasion"], families=["bargaining", "negotiation"])


def test_every_ordered_pair_plays_in_every_configuration():
    designs = benchmark_designs(PLAYERS, ["small"], 2)
    assert list(designs) == list(FAMILIES)
    assert len(designs["bargaining"]) == 9 * 12 * 2
    assert len(designs["negotiation"]) == 1 * 12 * 2
    assert set(designs["persuasion"].seatings()) == {
        (seller, buyer) for seller in ("honest", "random") for buyer in ("bayes", "random")
    }
    assert list(designs["persuasion"].settings) == configurations(["small"])["persuasion"]


def test_a_family_that_nobody_plays_is_left_out():
    assert list(benchmark_designs(["bargaining=fair"])) == ["bargaining"]
    assert list(benchmark_designs(["random"], families=["persuasion"])) == ["persuasion"]
    assert list(benchmark_designs(["random"], settings=["negotiation"])) == ["negotiation"]
    with refuses(ValueError, "persuasion"):
        benchmark_designs(["fair"], families=["persuasion"])
    with refuses(ValueError, "plan='all'", "grid", "sampling"):
        benchmark_designs(["random"], plan="all")


def test_one_player_against_a_pool():
    design = benchmark_designs(["bayes"], opponents=["scripted"], families=["persuasion"])["persuasion"]
    assert {bob for _, bob in design.seatings()} == {"bayes"}
    assert {"honest", "always", "random"} <= {alice for alice, _ in design.seatings()}


# The command


@pytest.mark.slow
def test_the_way_through(tmp_path, capsys):
    out = tmp_path / "run"
    arguments = [*PLAYERS, "greedy", "--seeds", 1, "--out", out, "--jobs", 1]
    command(*arguments)
    told = capsys.readouterr().out
    says(told, "greedy", "bargaining: 108 of 108", "12 configurations", "persuasion: 48 of 48")
    says(told, "Bob (buyer)", "9 of 12", "168 of 168", f"econzoo analyze {out} glee")
    before = {family: lines(out / family) for family in FAMILIES}
    command(*arguments, "--json")
    shown = capsys.readouterr()
    found = json.loads(shown.out)
    says(shown.err, "greedy")
    counts = {row["game"]: (row["matches"], row["planned"], row["without_gains"]) for row in found["families"]}
    assert counts == {"bargaining": (108, 108, 0), "negotiation": (12, 12, 9), "persuasion": (48, 48, 0)}
    assert {(row["role"], row["player"]) for row in found["players"] if row["game"] == "persuasion"} == {
        ("Alice", "honest"),
        ("Alice", "random"),
        ("Bob", "bayes"),
        ("Bob", "random"),
    }
    assert {family: lines(out / family) for family in FAMILIES} == before  # nothing was played again
    assert replay_files(sorted(out.rglob("records*.jsonl"))).problems == []


@pytest.mark.slow
def test_a_sample_and_shards(tmp_path, capsys):
    arguments = ["random", "--family", "persuasion", "--plan", "sampling", "--seeds", 40, "--jobs", 1]
    command(*arguments, "--out", tmp_path / "whole")
    capsys.readouterr()
    for part in range(2):
        command(*arguments, "--out", tmp_path / "parts", "--shard", f"{part}/2")
        done = len(lines(tmp_path / "parts" / "persuasion"))
        assert f": {done} of 40 matches" in capsys.readouterr().out
    assert recorded(tmp_path / "whole") == recorded(tmp_path / "parts")
    assert len(recorded(tmp_path / "whole")) == 40


def recorded(folder, family="persuasion"):
    """What a benchmark has played, whatever the order."""
    return sorted(json.dumps(timeless(line)) for line in lines(folder / family))


def test_the_ids_can_be_listed(capsys):
    command("--list", "--settings", "full")
    assert len(capsys.readouterr().out.split()) == 1320


def test_what_cannot_be_played_is_said_before_anything_is_written(capsys, tmp_path, monkeypatch):
    for arguments, named in [
        (["nobody", "--out", "x"], ("'nobody'",)),
        (
            ["random", "--settings", "tiny", "--out", "x"],
            ("'tiny'", "full, main"),
        ),
        (["random", "--family", "chess", "--out", "x"], ("family=['chess']", "bargaining")),
        (["random", "--plan", "all", "--out", "x"], ("plan='all'", "'grid'", "'sampling'")),
        (["random", "-p", "money=5", "--out", "x"], ("'money'",)),
        (["random", "-p", "seeds=1", "--out", "x"], ("-p seeds",)),
        (["random", "--pool", "standard", "--out", "x"], ("--pool", "glee")),
        (["persuasion=honest", "--out", "x"], ("'honest'", "Alice")),
        (["spe", "--family", "bargaining", "-p", "metrics=foo", "--out", "x"], ("metrics='foo'",)),
        (["spe", "-p", "max_retries=99", "--out", "x"], ("max_retries=99",)),
        (["random", "persuasion=trust(9)", "--out", "x"], ("trust(9)",)),
        (["random", "--shard", "2/2", "--out", "x"], ("shard='2/2'",)),
        (["random", "--family", "bargaining", "--settings", "persuasion"], ("'persuasion'", "bargaining")),
    ]:
        monkeypatch.chdir(tmp_path)
        command(*arguments, code=1)
        told = capsys.readouterr()
        says(told.err, *named)
        assert told.out == "", arguments
        assert list(tmp_path.iterdir()) == [], arguments


def test_a_file_is_no_folder_and_no_family_is_played_before_all_are_checked(tmp_path, capsys):
    (tmp_path / "file").touch()
    command("bargaining=fair", "--out", tmp_path / "file", code=1)
    told = capsys.readouterr()
    says(told.err, tmp_path / "file", "folder")
    assert told.out == ""  # not even who does not play
    command("random", "--family", "persuasion", "--out", tmp_path / "run", "--jobs", 1)
    before = lines(tmp_path / "run" / "persuasion")
    command("random", "-p", "max_retries=1", "--out", tmp_path / "run", code=1)
    says(capsys.readouterr().err, "options", "{}", "{'max_retries': 1}")
    assert {path.name for path in (tmp_path / "run").iterdir()} == {"config.toml", "persuasion"}
    assert lines(tmp_path / "run" / "persuasion") == before


def test_the_table_says_what_its_intervals_are_over(tmp_path, capsys):
    command("fair", "--family", "bargaining", "--out", tmp_path, "--jobs", 1)
    told = " ".join(capsys.readouterr().out.split())
    says(told, "over configurations")


def test_without_a_folder_it_plays_in_one_of_its_own(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    command("fair", "spe", "--family", "bargaining", "--settings", "small", "--seeds", "2", "--json")
    found = json.loads(capsys.readouterr().out)
    assert [row["player"] for row in found["players"][:2]] == ["fair", "spe"]
    assert found["families"][0]["matches"] == found["families"][0]["planned"] == 4 * 12 * 2
    assert (tmp_path / "runs" / "glee" / "bargaining" / "records.jsonl").is_file()


def test_a_family_whose_matches_all_fail_does_not_stop_the_others(tmp_path, capsys, monkeypatch):
    """What the others have played is shown, and the exit code says that something went wrong."""
    act = RandomPlayer.act

    def fail(player, observation, info):
        if player.game.name == "bargaining":
            raise KeyError("oops")
        return act(player, observation, info)

    monkeypatch.setattr(RandomPlayer, "act", fail)
    family = ["--family", "bargaining", "--family", "persuasion"]
    command("random", *family, "--plan", "sampling", "--seeds", 2, "--jobs", 1, "--out", tmp_path, code=3)
    told = capsys.readouterr()
    says(told.err.splitlines()[-1], "2 matches")
    says(told.out, "persuasion: 2 of 2")
    assert "bargaining:" not in told.out
    assert len(lines(tmp_path / "persuasion")) == 2
    assert [part.title for part in analyze(tmp_path, "glee").parts if getattr(part, "key", "") == "glee_persuasion"]


# Going on


@pytest.mark.long
def test_a_killed_benchmark_goes_on_and_ends_the_same(tmp_path):
    arguments = ["random", "persuasion=honest", "persuasion=bayes", "bargaining=fair", "--seeds", "6"]
    line = ["run", "glee", *arguments, "--jobs", "2", "--out", "killed"]
    run_until_killed(f"from econzoo.__main__ import main; main({line})", tmp_path, 300_000, "persuasion")
    designs = benchmark_designs(arguments[:4], seeds=6)
    assert (
        0 < len(missing_matches(designs["persuasion"], tmp_path / "killed" / "persuasion")) < len(designs["persuasion"])
    )
    command(*arguments, "--jobs", 1, "--out", tmp_path / "killed")
    for family, design in designs.items():
        run(design, tmp_path / "whole" / family, jobs=1)
        assert recorded(tmp_path / "killed", family) == recorded(tmp_path / "whole", family)
        assert len(recorded(tmp_path / "whole", family)) == len(design)


# What the tables say


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("glee") / "persuasion"
    players = ["honest", "always", "trust(0.7)", "never"]
    run(benchmark_designs(players, seeds=3, families=["persuasion"])["persuasion"], folder, jobs=1)
    return folder


@pytest.mark.slow
def test_results_are_those_of_the_report(folder):
    found, summary = results(folder), summarize(read_records(folder))
    for group in summary.groups:
        assert list(found.groups[group.role, group.reading_label]) == group.players
        for player, one in found.groups[group.role, group.reading_label].items():
            for name in ("self_gain", "efficiency", "fairness", "sale_rate", "error_rate"):
                assert one[name].mean == pytest.approx(group.overall[player][name].mean, nan_ok=True), (player, name)
                assert one[name].rows == group.overall[player][name].rows


@pytest.mark.slow
def test_intervals_are_over_configurations(folder):
    table, _, played, cut = quick_table(folder)
    assert (len(played), cut) == (len(read_design(folder)), [])
    assert set(table["setting"]) == {market.name for market in configurations(["small"])["persuasion"]}
    honest = table[(table["player"] == "honest") & (table["role"] == "Alice")]
    means = honest.groupby("setting")["self_gain"].mean()
    interval = results(folder).groups["Alice", ""]["honest"]["self_gain"]
    assert interval.mean == pytest.approx(means.mean())  # as many matches in every configuration
    half = stats.t.ppf(0.975, len(means) - 1) * means.std(ddof=1) / len(means) ** 0.5
    assert interval.high - interval.low == pytest.approx(2 * half, rel=0.1)


@pytest.mark.slow
def test_lines_that_are_no_records_do_not_count(folder, tmp_path):
    good = (folder / "records.jsonl").read_text().splitlines()
    (tmp_path / "records.jsonl").write_text("\n".join(["junk", "{}", good[0], good[0], good[1][:50], "[1]"]) + "\n")
    assert len(quick_table(tmp_path)[0]) == 2
