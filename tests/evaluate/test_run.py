"""One command plays every game and published suite: its options, what it refuses, and that its file repeats a run."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from given_commands import command
from recorded import lines, timeless

from econzoo.__main__ import main
from econzoo.evaluate.commands.run import command_for
from econzoo.evaluate.run import read_design
from econzoo.evaluate.suites import SUITES
from exhaustive import long_unless
from refusals import says

RUNS = {
    "bargaining": ("fair", "spe", "--settings", "default", "--settings", "silent", "-p", "delta=0.9,0.8"),
    "matrix": ("grudger", "--opponents", "random", "--lineups", "grudger | random", "-p", "rounds=3"),
    "persuasion": ("honest", "--pool", "validation", "-p", "rounds=2", "--objective", "efficiency"),
    "glee": ("fair", "random", "--family", "bargaining", "--plan", "sampling", "--seed", "3"),
    "standard": ("matrix=grudger",),
    "sparc": ("static", "--settings", "Grudger", "--variants", "masked", "--no-baselines"),
    "water": ("random", "--settings", "scarce", "-p", "days=2", "--seed", "5", "--no-paper"),
    "guess": ("nash", "--opponents", "mono", "-p", "rounds=2", "--seed", "2"),
    "auction": ("need-based", "--opponents", "reserve(3)", "-p", "days=2"),
    "channel": ("tough", "--game", "negotiation", "-p", "horizon=2"),
    "anchoring": ("mock:=", "--game", "bargaining", "--opponents", "fair", "--seed", "4"),
}
"""What is played of a game or suite, with one seed."""


def played(folder: Path) -> list[str]:
    """The matches below a folder, whatever the order and the time that they took."""
    places = {path.parent for path in folder.rglob("records*.jsonl")}
    return sorted(json.dumps(timeless(line)) for place in places for line in lines(place))


def refused(capsys: pytest.CaptureFixture[str], *words: object) -> str:
    """What is said of a command line that is refused before anything is written."""
    before = sorted(Path().rglob("*"))
    assert command("run", *words) == 1
    told = capsys.readouterr()
    assert told.out == ""
    assert sorted(Path().rglob("*")) == before
    (line,) = told.err.splitlines()
    return line


@pytest.fixture(autouse=True)
def _in_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("name", long_unless("glee".__eq__, RUNS, "slow"))
def test_the_file_of_a_run_repeats_it(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    """With equal records in another folder, and with nothing to play in its own; options of the line win."""
    assert command("run", name, *RUNS[name], "--seeds", 1, "--jobs", 1, "--out", "o1") == 0
    said = capsys.readouterr().out
    assert command("run", "o1/config.toml", "--out", "o2", "--jobs", 1) == 0
    assert capsys.readouterr().out.replace("o2", "o1") == said
    assert played(Path("o1")) == played(Path("o2")) != []
    assert Path("o1/config.toml").read_text() == Path("o2/config.toml").read_text()
    before = {path: path.read_bytes() for path in Path("o1").rglob("*.jsonl")}
    assert command("run", "o2/config.toml", "--out", "o1", "--jobs", 1) == 0
    assert {path: path.read_bytes() for path in before} == before
    if name == "bargaining":
        assert command("run", "o1/config.toml", "--out", "o3", "--seeds", 2) == 0
        assert len(played(Path("o3"))) == 2 * len(played(Path("o1")))


def test_every_suite_is_run_here_and_is_told_in_the_help(capsys: pytest.CaptureFixture[str]) -> None:
    assert {*SUITES} - {*RUNS} == {"open-source"}, "its programs need a sandbox; see test_replications"
    assert command("run", "--help") == 0
    told = capsys.readouterr().out
    assert all(f"{name}: " in told for name in SUITES)


def options(name: str) -> set[str]:
    """The options of the command of a game or suite."""
    return set(command_for([name]).__annotations__)


def test_a_suite_adds_its_options_and_no_other() -> None:
    shared = set.intersection(*map(options, [*RUNS, "open-source"]))
    assert {"players", "opponents", "pool", "settings", "param", "seeds", "lineups", "reader"} <= shared
    assert {"out", "jobs", "concurrent", "shard", "json", "max_cost", "max_tokens", "yes"} <= shared
    own = {name: options(name) - shared for name in (*RUNS, "open-source")}
    assert own["bargaining"] == own["matrix"] == {"objective", "ceiling", "scripts"}
    assert own["glee"] == {"family", "plan", "seed", "list"}
    assert own["sparc"] == {"variants", "prompts", "baselines", "list"}
    assert own["water"] == {"each", "rotate", "seed", "beside", "paper", "possible"}
    assert own["guess"] == own["auction"] == {"seed"}
    assert own["anchoring"] == {"game", "constrained", "seed"}
    assert (own["channel"], own["open-source"], own["standard"]) == ({"game"}, {"alike"}, set())


def test_what_cannot_be_played_is_said_in_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    for line, named in [
        ("chess fair", ("'chess'", "standard, glee, sparc, water")),
        ("bargaining", ("player",)),
        ("bargaining nobody", ("'nobody'",)),
        ("bargaining fair --opponents nobody", ("'nobody'",)),
        ("bargaining fair fair", ("'fair'", "repeated")),
        ("bargaining fair", ("'fair'", "--opponents", "--pool", "--lineups")),
        ("bargaining fair --settings x", ("'x'", "default")),
        ("bargaining fair --settings x.json", ("x.json",)),
        ("bargaining fair --pool x", ("pool='x'", "'standard'")),
        ("bargaining fair --pool test --opponents spe", ("--pool", "--opponents")),
        ("bargaining fair --seeds 0", ("seeds=0", 1)),
        ("bargaining fair --seeds many", ("seeds='many'",)),
        ("bargaining fair --objective x", ("objective='x'", "self_gain")),
        ("bargaining fair --lineups spe", ("'spe'", "fair")),
        ("bargaining fair -p x=1", ("'x'", "horizon")),
        ("bargaining fair -p horizon", ("horizon", "NAME=VALUE")),
        ("bargaining fair spe --shard 2/2", ("shard='2/2'",)),
        ("bargaining fair spe --jobs 0", ("jobs=0", 1)),
        ("bargaining fair spe --max-cost 1", ("--max-cost", "prices")),
        ("bargaining fair spe --ceiling", ("--ceiling", "one")),
        ("standard", ("players", "best-scripts")),
        ("standard random --seeds 5", ("seeds=5", 1, 4)),
        ("standard random --settings plain", ("--settings", "standard")),
        ("glee fair --pool standard", ("--pool", "glee")),
        ("water random --settings wet", ("'wet'", "scarce")),
        ("water random --opponents all-in", ("--opponents", "water")),
        ("water random -p rotate=1", ("-p rotate", "parameter")),
        ("water random -p seeds=1", ("-p seeds",)),
        ("guess nash --settings default", ("--settings", "guess")),
        ("guess", ("player",)),
        ("channel fair --lineups x", ("--lineups", "channel")),
        ("anchoring fair --opponents spe --opponents random", ("opponents=['spe', 'random']", "one")),
        ("anchoring fair -p seed=1", ("-p seed",)),
        ("anchoring fair --constrained on", ("'fair'",)),
        ("open-source PM=nobody", ("nobody",)),
        ("open-source --settings x", ("--settings", "open-source")),
        ("missing.toml", ("missing.toml",)),
    ]:
        says(refused(capsys, *line.split(), "--out", "x"), *named)


def test_a_file_that_is_wrong_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    for text, named in [
        ("players = ['fair']", ("config.toml", "SUITE")),
        ("run = 'chess'", ("'chess'",)),
        ("run = 'bargaining'\nplayer = 'fair'", ("'player'", "players, opponents")),
        ("run = 'bargaining'\nplayers = [1]", ("players=[1]", "text")),
        ("run = 'bargaining'\nplayers = 'fair'\nreader = ['a']", ("reader=['a']", "text")),
        ("run = 'bargaining'\nplayers = 'fair'\nseeds = 1.5", ("seeds=1.5",)),
        ("run = 'guess'\nplayers = 'nash'\nrotate = true", ("'rotate'",)),
        ("run = [", ("config.toml",)),
        ("run = 3", (3,)),
    ]:
        Path("config.toml").write_text(text)
        says(refused(capsys, "config.toml", "--out", "x"), *named)


def test_a_run_of_a_game_is_its_tournament() -> None:
    """Shards and folders of one go on in the other."""
    words = ("bargaining", "fair", "spe", "-p", "horizon=3", "--seeds", 4, "--out", "t", "--jobs", 1)
    assert command("tournament", *words, "--shard", "0/2") == 0
    first = played(Path("t"))
    assert command("run", *words, "--shard", "1/2") == 0
    design = read_design("t")
    assert design is not None
    assert len(first) < len(played(Path("t"))) == len(design)
    assert command("run", *words[:-2], "--jobs", 2) == 0
    assert len(played(Path("t"))) == len(design)


def test_a_pool_is_met_in_settings_that_training_never_draws(capsys: pytest.CaptureFixture[str]) -> None:
    words = ("bargaining", "fair", "-p", "horizon=2", "--seeds", 1, "--jobs", 1, "--out")
    assert command("run", *words, "a", "--pool", "test") == 0
    assert "Test pool" in capsys.readouterr().out
    assert command("evaluate", "bargaining", "fair", "--pool", "test", *words[2:], "b") == 0
    assert played(Path("a")) == played(Path("b")) != []


def test_the_ceiling_without_players_plays_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    words = ("bargaining", "--ceiling", "--opponents", "fair", "-p", "horizon=1", "--no-scripts")
    assert command("run", *words) == 0
    assert "all, Bayes-adaptive" in capsys.readouterr().out
    assert not list(Path().iterdir())


def test_what_was_played_is_counted_and_where_its_page_comes_from(capsys: pytest.CaptureFixture[str]) -> None:
    words = ("run", "guess", "nash", "--opponents", "mono", "-p", "rounds=1", "--seeds", 4, "--jobs", 1)
    assert command(*words, "--shard", "0/2") == 0
    count = len(played(Path("runs/guess")))
    ends = capsys.readouterr().out.splitlines()[-2:]
    says(ends[0], "runs/guess", f"{count} of 4")
    says(ends[1], "econzoo analyze runs/guess levels")
    assert not list(Path().rglob("*.html"))


def test_a_run_that_is_stopped_has_its_file(monkeypatch: pytest.MonkeyPatch) -> None:
    def stop(*_: object) -> None:
        raise KeyboardInterrupt

    Path("a").mkdir()
    monkeypatch.setattr("econzoo.evaluate.commands.run.play_missing", stop)
    with pytest.raises((KeyboardInterrupt, SystemExit)):
        main(["run", "matrix", "grudger", "random", "--out", "a"])
    written = Path("a/config.toml").read_text()
    assert written.startswith('run = "matrix"\nplayers = ["grudger", "random"]\n\n[software]\nversion = ')
