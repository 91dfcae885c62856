"""One command plays every game and published suite: its options, what it refuses, and that its file repeats a run."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from given_commands import command
from recorded import lines, timeless

from econzoo.__main__ import main
from econzoo.evaluate.commands.run import command_for
from econzoo.evaluate.run.design import read_design
from econzoo.evaluate.suites.suite import SUITES

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


@pytest.mark.parametrize("name", RUNS)
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
    assert own["water"] == {"each", "rotate", "seed", "beside", "paper"}
    assert own["guess"] == own["auction"] == {"seed"}
    assert own["anchoring"] == {"game", "constrained", "seed"}
    assert (own["channel"], own["open-source"], own["standard"]) == ({"game"}, {"alike"}, set())


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("chess fair", "'chess' is not allowed; allowed: standard, glee, sparc, water"),
        ("bargaining", "no player is given"),
        ("bargaining nobody", "unknown player 'nobody'"),
        ("bargaining fair --opponents nobody", "unknown player 'nobody'"),
        ("bargaining fair fair", "player 'fair' is given twice"),
        ("bargaining fair --settings x", "'x'"),
        ("bargaining fair --settings x.json", "x.json"),
        ("bargaining fair --pool x", "pool='x' is not allowed; allowed:"),
        ("bargaining fair --pool test --opponents spe", "--pool is not allowed with --opponents"),
        ("bargaining fair --seeds 0", "seeds=0 is not allowed"),
        ("bargaining fair --seeds many", "seeds='many' is not allowed"),
        ("bargaining fair --objective x", "objective='x' is not allowed"),
        ("bargaining fair --lineups spe", "spe"),
        ("bargaining fair -p x=1", "'x'"),
        ("bargaining fair -p horizon", "allowed: NAME=VALUE"),
        ("bargaining fair --shard 2/2", "shard '2/2' is not allowed"),
        ("bargaining fair --jobs 0", "jobs=0 is not allowed"),
        ("bargaining fair --max-cost 1", "--max-cost needs prices"),
        ("bargaining fair spe --ceiling", "--ceiling is not allowed with several players"),
        ("standard", "no player is given; allowed: specs, best-scripts"),
        ("standard random --seeds 5", "seeds=5 is not allowed; allowed: 1 to 4"),
        ("standard random --settings plain", "--settings is not allowed with standard"),
        ("glee fair --pool standard", "--pool is not allowed with glee"),
        ("water random --settings wet", "unknown market 'wet'"),
        ("water random --opponents all-in", "--opponents is not allowed with water"),
        ("water random -p rotate=1", "-p rotate=... is not allowed; allowed: parameters of the game, and options"),
        ("water random -p seeds=1", "-p seeds=... is not allowed"),
        ("guess nash --settings default", "--settings is not allowed with guess"),
        ("guess", "no player is given"),
        ("channel fair --lineups x", "--lineups is not allowed with channel"),
        ("anchoring fair --opponents spe --opponents random", "allowed: one"),
        ("anchoring fair -p seed=1", "-p seed=... is not allowed"),
        ("anchoring fair --constrained on", "not allowed with the player 'fair'"),
        ("open-source PM=nobody", "nobody"),
        ("open-source --settings x", "--settings is not allowed with open-source"),
        ("missing.toml", "missing.toml cannot be read"),
    ],
)
def test_what_cannot_be_played_is_said_in_one_line(line: str, told: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert told in refused(capsys, *line.split(), "--out", "x")


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("players = ['fair']", "is not of a run; allowed: a file that names its game or suite"),
        ("run = 'chess'", "'chess' is not allowed"),
        ("run = 'bargaining'\nplayer = 'fair'", "'player' is not allowed; allowed: players, opponents"),
        ("run = 'bargaining'\nplayers = [1]", "players=[1] is not allowed; allowed: text"),
        ("run = 'bargaining'\nplayers = 'fair'\nreader = ['a']", "reader=['a'] is not allowed; allowed: text"),
        ("run = 'bargaining'\nplayers = 'fair'\nseeds = 1.5", "seeds=1.5 is not allowed"),
        ("run = 'guess'\nplayers = 'nash'\nrotate = true", "'rotate' is not allowed"),
        ("run = [", "cannot be read"),
        ("run = 3", "3 is not allowed"),
    ],
)
def test_a_file_that_is_wrong_is_told(text: str, told: str, capsys: pytest.CaptureFixture[str]) -> None:
    Path("config.toml").write_text(text)
    assert told in refused(capsys, "config.toml", "--out", "x")


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
    assert capsys.readouterr().out.startswith("The test pool is read: once for each result")
    assert command("evaluate", "fair", "--game", "bargaining", "--pool", "test", *words[2:], "b") == 0
    assert played(Path("a")) == played(Path("b")) != []


def test_the_ceiling_without_players_plays_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    words = ("bargaining", "--ceiling", "--opponents", "fair", "-p", "horizon=1", "--no-scripts")
    assert command("run", *words) == 0
    assert "all, not told" in capsys.readouterr().out
    assert not list(Path().iterdir())


def test_what_was_played_is_counted_and_where_its_page_comes_from(capsys: pytest.CaptureFixture[str]) -> None:
    words = ("run", "guess", "nash", "--opponents", "mono", "-p", "rounds=1", "--seeds", 4, "--jobs", 1)
    assert command(*words, "--shard", "0/2") == 0
    count = len(played(Path("runs/guess")))
    ends = capsys.readouterr().out.splitlines()[-2:]
    assert ends == [f"Records: runs/guess, {count} of 4 matches", "Page and files: econzoo analyze runs/guess levels"]
    assert not list(Path().rglob("*.html"))


def test_a_run_that_is_stopped_has_its_file(monkeypatch: pytest.MonkeyPatch) -> None:
    def stop(*_: object) -> None:
        raise KeyboardInterrupt

    Path("a").mkdir()
    monkeypatch.setattr("econzoo.evaluate.commands.run.play_missing", stop)
    with pytest.raises((KeyboardInterrupt, SystemExit)):
        main(["run", "matrix", "grudger", "--out", "a"])
    assert Path("a/config.toml").read_text() == 'run = "matrix"\nplayers = ["grudger"]\n'
