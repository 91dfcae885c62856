"""The commands as a person runs them: in new processes once each, and in this one for the many ways to be wrong."""

from __future__ import annotations

import contextlib
import io
import json
import shutil
import subprocess
import sys

import pytest

from econzoo.__main__ import main
from refusals import says

pytestmark = pytest.mark.usefixtures("blank_figures")


def econzoo(*arguments, code=0, **kwargs):
    """Standard output of a command in a new process."""
    done = subprocess.run(
        [sys.executable, "-m", "econzoo", *map(str, arguments)],
        capture_output=True,
        text=True,
        check=False,
        env={"COLUMNS": "80", "PATH": "/usr/bin:/bin", "HOME": "/tmp"},
        **kwargs,
    )
    assert done.returncode == code, done.stderr
    assert "Traceback" not in done.stderr
    return done.stdout if code == 0 else done.stdout + done.stderr


@pytest.fixture(autouse=True)
def width(monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")


def here(*arguments, code=0):
    """Standard output of a command in this process."""
    out = io.StringIO()
    with pytest.raises(SystemExit) as ended, contextlib.redirect_stdout(out):
        main(list(map(str, arguments)))
    assert ended.value.code == code, out.getvalue()
    return out.getvalue()


def test_the_way_through(tmp_path):
    folder = tmp_path / "run"
    arguments = [
        "tournament",
        "bargaining",
        "fair",
        "greedy",
        "--settings",
        "ultimatum",
        "--settings",
        "silent",
        "--out",
    ]
    arguments.append(folder)
    told = econzoo(*arguments, "--seeds", 2)
    says(told, "bargaining: 8 matches", "16 of 16")  # seeds change nothing
    assert max(map(len, told.partition("16 of 16")[0].splitlines())) <= 80
    says(here(*arguments, "--seeds", 3), "24 of 24")
    says(here("replay", folder), "24 matches")
    says(" ".join(here("analyze", folder).split()), "8 matches", "3 times")
    assert (folder / "summary.html").stat().st_size > 20_000
    records = folder / "records.jsonl"
    records.write_text(records.read_text().replace('"payoffs":[5000.0', '"payoffs":[5001.0', 1))
    told = here("replay", records, code=1)
    says(told, "payoffs", [5000.0, 5000.0], [5001.0, 5000.0], "24 matches", 1)


def test_play_tells_every_move_of_a_few_matches(tmp_path):
    out = tmp_path / "m.jsonl"
    told = here("play", "bargaining", "fair", "mock('junk', '{\"kind\": \"accept\"}')", "-p", "horizon=2", "--out", out)
    says(
        told, "bargaining", "seed 0", "Alice (fair)", "Bob (mock", "JSON", "Alice 5,000.00", "Bob 5,000.00", "1 record"
    )
    told = here("play", "bargaining", "fair", "fair", "--matches", 5, "--seed", 7, "--out", out)
    assert "fair / fair" in told
    assert len(out.read_text().splitlines()) == 6


def test_play_as_json():
    records = [json.loads(x) for x in here("play", "bargaining", "fair", "spe", "--matches", 2, "--json").splitlines()]
    assert [record["seed"] for record in records] == [0, 1]
    assert records[0]["players"] == ["fair", "spe"]


def test_a_person_plays_and_leaves(tmp_path, monkeypatch):
    out = tmp_path / "m.jsonl"
    monkeypatch.setattr(sys, "stdin", io.StringIO("5000\n\n"))
    told = here("play", "bargaining", "human", "fair", "--out", out)
    says(told, "deal", "Alice 5,000.00")
    monkeypatch.setattr(sys, "stdin", io.StringIO("9000\nhello\nquit\ny\n"))
    told = here("play", "bargaining", "human", "fair", "--out", out)
    assert "abandoned by Alice" in told
    assert [json.loads(line)["status"] for line in out.read_text().splitlines()] == ["finished", "abandoned"]
    says(here("replay", out), "2 matches")


def test_evaluate(tmp_path):
    pool = ["--opponents", "fair", "--opponents", "greedy", "--seeds", "2", "-p", "horizon=3"]
    told = here("evaluate", "bargaining", "linear", *pool)
    says(told, "linear in bargaining", "4 matches")  # seeds change nothing
    for word in ("against", "greedy", "all", "self_gain", "nash_product", "share", "Alice"):
        assert word in told
    found = json.loads(here("evaluate", "bargaining", "linear", *pool, "--json", "--out", tmp_path / "kept"))
    assert (found["matches"], found["repeats"]) == (4, 4)
    assert {pair["opponent"] for pair in found["cross_play"]} == {"fair", "greedy"}
    assert json.loads(here("evaluate", "bargaining", "linear", *pool, "--json", "--out", tmp_path / "kept")) == found


def test_who_reads_the_test_is_told_that_it_is_to_be_read_once(capsys):
    few = ["--opponents", "fair", "-p", "horizon=1", "--seeds", "1"]
    here("evaluate", "bargaining", "fair", *few, "--pool", "test")
    assert "Test pool" not in capsys.readouterr().err, "its opponents are not met"
    here("evaluate", "bargaining", "fair", "-p", "horizon=1", "--seeds", "1", "--pool", "test")
    assert "Test pool" in capsys.readouterr().err


@pytest.mark.long
def test_the_standard_pool_and_the_validation_markets_are_the_default():
    from econzoo.baselines.bargaining import POOLS

    found = json.loads(here("evaluate", "bargaining", "spe", "--seeds", "1", "--json"))
    assert {pair["opponent"] for pair in found["cross_play"]} == set(POOLS["standard"])
    assert len(found["settings"]) == 12


def test_show():
    told = here("show", "bargaining", "--param", "horizon=3")
    for word in ("Rubinstein", "delta = 0.9,0.9", "Rules text for Bob", "9,100.00, 900.00", "brief.game", "replies:"):
        assert word in told
    found = json.loads(here("show", "bargaining", "fair", "spe", "--json"))
    assert found["example"]["players"] == ["fair", "spe"]
    assert found["example"]["dialogue"][0]["who"] == "Alice"
    assert {"parameters", "moves", "observation", "prompts", "references", "settings", "rules"} <= set(found)


@pytest.mark.filterwarnings("ignore:prompts")
def test_show_writes_the_prompts_to_translate(tmp_path, capsys):
    file = tmp_path / "de.toml"
    says(here("show", "bargaining", "--prompts", str(file)), "texts to translate", f"-p prompts={file}")
    here("play", "bargaining", "fair", "spe", "-p", f"prompts={file}", "-p", "horizon=1")
    written = file.read_text(encoding="utf-8")
    here("show", "bargaining", "--prompts", str(file), code=1)
    says(capsys.readouterr().err, str(file), "exists")
    assert file.read_text(encoding="utf-8") == written


@pytest.mark.parametrize("game", ["bargaining", "negotiation", "persuasion"])
def test_a_long_example_is_cut_for_people_and_whole_for_programs(game):
    dialogue = json.loads(here("show", game, "--json"))["example"]["dialogue"]
    told = here("show", game)
    answers = sum(1 for turn in dialogue if turn["answers"])
    assert told.count(" replies: ") == min(answers, 8)
    assert (f"{answers - 8} more turns (all with --json" in told) == (answers > 8)
    assert (answers == 40) == (game == "persuasion")


def test_games_fit_a_narrow_terminal_with_whole_ids():
    told = here("games")
    assert "code_reading: 1 seat, " in told
    assert "bargaining: 2 seats, " in told
    for row in json.loads(here("games", "--json")):
        assert f"  Gymnasium  {row['gymnasium']}\n  PettingZoo {row['pettingzoo']}\n" in told
    assert max(map(len, told.splitlines())) <= 80


def test_an_unknown_command_is_answered_with_those_that_exist(capsys):
    for arguments, allowed in (
        (["study", "ini"], "init, plan, test"),
        (["train", "dqn"], "ppo, sft, dpo, iterate, grpo"),
    ):
        here(*arguments, code=2)
        told = " ".join(capsys.readouterr().err.split())
        says(told, f"'{arguments[1]}'", allowed)


def test_a_policy_says_itself_which_game_it_plays(tmp_path, capsys):
    import zipfile

    from econzoo.baselines import METADATA, metadata_of
    from econzoo.envs.core import game
    from econzoo.evaluate.commands import evaluate

    path = tmp_path / "policy.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr(METADATA, json.dumps(metadata_of(game("negotiation"), 101, "sb3", [4], 0, {"seed": 0})))
    here("evaluate", "bargaining", f"ppo:{path}", code=1)
    says(capsys.readouterr().err, "negotiation", "bargaining")
    here("tournament", "bargaining", f"ppo:{path}", "fair", "--out", tmp_path / "run", code=1)
    says(capsys.readouterr().err, "negotiation", "bargaining")
    assert not (tmp_path / "run").exists()
    with pytest.MonkeyPatch.context() as patched:
        planned = []
        patched.setattr(evaluate, "play_evaluation", lambda design, *rest: planned.append(design) or 1 / 0)
        with pytest.raises(ZeroDivisionError):
            main(["evaluate", f"ppo:{path}", "--seeds", "1"])
    assert planned[0].game == "negotiation"


def test_shards_and_a_file_of_markets(tmp_path):
    (tmp_path / "m.json").write_text('{"short": {"horizon": 2}}')
    for part in ("0/2", "1/2"):
        here("tournament", "bargaining", "fair", "spe", "--settings", tmp_path / "m.json", "-p", "delta=0.5,0.5",
             "--seeds", 6, "--shard", part, "--out", tmp_path / "out")  # fmt: skip
    manifest = json.loads((tmp_path / "out" / "manifest.json").read_text())
    assert manifest["settings"] == {"short delta=0.5,0.5": {"horizon": 2, "delta": [0.5, 0.5]}}
    assert sum(len(path.read_text().splitlines()) for path in (tmp_path / "out").glob("*.jsonl")) == 24


def test_help_has_an_example():
    for command in ["play", "run", "evaluate", "replay", "analyze", "show"]:
        told = " ".join(here(command, "--help").split())
        assert f"econzoo {command}" in told.replace("Usage: econzoo", "", 1), command
        assert "xample" in told, command


def test_help_of_prices_is_whole_in_80_columns(monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    assert "price_per_million in" in here("judge", "--help")


WRONG = {
    "unknown game": (["play", "chess", "fair", "fair"], ("'chess'", "bargaining")),
    "unknown player": (["play", "bargaining", "fair", "nobody"], ("'nobody'", "bargaining", "spe")),
    "unknown player without partners": (
        ["evaluate", "code_reading", "nobody", "--opponents", "random"],
        ("'nobody'", "static"),
    ),
    "unknown opponent without partners": (
        ["evaluate", "code_reading", "random", "--opponents", "nobody"],
        ("'nobody'", "static"),
    ),
    "bad argument of a player": (["play", "bargaining", "fair", "boulware(9)"], ("e=9",)),
    "one player": (["play", "bargaining", "fair"], ("bargaining", "2 seats")),
    "three players": (["play", "bargaining", "fair", "fair", "fair"], ("bargaining", "2 seats")),
    "unknown parameter": (["play", "bargaining", "fair", "fair", "-p", "size=3"], ("'size'",)),
    "bad parameter": (["play", "bargaining", "fair", "fair", "-p", "delta=0.9"], ("delta=0.9",)),
    "not a number": (["play", "bargaining", "fair", "fair", "-p", "money=nan"], ("money=nan",)),
    "no equals sign": (["play", "bargaining", "fair", "fair", "-p", "money"], ("NAME=VALUE",)),
    "unknown market": (
        ["tournament", "bargaining", "fair", "--settings", "moon", "--out", "{tmp}/o"],
        ("'moon'", "default"),
    ),
    "bad shard": (["tournament", "bargaining", "fair", "spe", "--shard", "3/2", "--out", "{tmp}/o"], ("shard='3/2'",)),
    "a person in a tournament": (["tournament", "bargaining", "human", "--out", "{tmp}/o"], ("econzoo play",)),
    "no markets file": (["evaluate", "bargaining", "fair", "--settings", "{tmp}/m.json"], ("{tmp}/m.json",)),
    "no checkpoint": (["evaluate", "ppo:{tmp}/none.zip"], ("none.zip",)),
    "bad metrics": (
        ["tournament", "bargaining", "fair", "spe", "-p", "metrics=foo", "--out", "{tmp}/o"],
        ("metrics='foo'",),
    ),
    "bad channel": (
        ["tournament", "bargaining", "fair", "spe", "-p", "channel=foo", "--out", "{tmp}/o"],
        ("channel='foo'",),
    ),
    "a folder in a file": (["tournament", "bargaining", "fair", "spe", "--out", "{file}/o"], ("{file}", "folder")),
    "a file as folder": (["tournament", "bargaining", "fair", "spe", "--out", "{file}"], ("{file}", "folder")),
    "no match": (["analyze", "{file}"], ("matches",)),
    "no folder": (["analyze", "{tmp}/none"], ("{tmp}/none",)),
    "empty folder": (["analyze", "{tmp}"], ("{tmp}",)),
    "no file": (["replay", "{tmp}/none.jsonl"], ("{tmp}/none.jsonl",)),
    "show of nothing": (["show", "chess"], ("'chess'", "bargaining")),
}


def test_what_is_wrong_is_told_in_one_line(tmp_path, capsys):
    (tmp_path / "x").touch()

    def filled(one):
        return one.replace("{tmp}", str(tmp_path)).replace("{file}", str(tmp_path / "x"))

    for name, (arguments, named) in WRONG.items():
        with pytest.raises(SystemExit) as ended:
            main([filled(one) for one in arguments])
        assert ended.value.code == 1, name
        told = capsys.readouterr().err
        says(told, "econzoo", *map(filled, named))
        assert len(told.strip().splitlines()) == 1, name
        assert [path.name for path in tmp_path.iterdir()] == ["x"], name


def test_half_written_records_are_no_end(small_folder, tmp_path):
    shutil.copytree(small_folder, tmp_path / "run")
    with (tmp_path / "run" / "records.jsonl").open("a") as file:
        file.write('{"game":"barg')
    says(here("analyze", tmp_path / "run"), "72 matches")
    told = here("replay", tmp_path / "run", code=1)
    says(" ".join(told.split()), "line 73")


def test_replay_as_json(small_folder):
    found = json.loads(here("replay", small_folder, "--json"))
    assert found == {"files": 1, "matches": 72, "problems": []}


@pytest.mark.parametrize(
    ("spec", "met"),
    [
        ("honest", {"bayes(4)", "trust(0.65)", "tit-for-tat", "never"}),
        ("bayes", {"signal(0.35)", "bayes-persuader(0.15)", "trust-builder(6)", "quota"}),
    ],
)
def test_the_opponents_may_come_from_another_pool(spec, met):
    short = ("-p", "rounds=4", "--seeds", "1", "--json")
    found = json.loads(here("evaluate", "persuasion", spec, "--pool", "validation", *short))
    assert {pair["opponent"] for pair in found["cross_play"]} == met


def test_an_unknown_pool_is_refused(capsys):
    here("evaluate", "bargaining", "fair", "--pool", "friends", code=1)
    says(capsys.readouterr().err, "pool='friends'", "'standard', 'training', 'validation', 'test'")


def test_a_path_of_the_wrong_kind_is_told_with_what_is_allowed(tmp_path, monkeypatch, capsys):
    for arguments, named in [
        (("play", "bargaining", "fair", "fair", "--out", "."), ("folder", "file")),
        (("play", "bargaining", "fair", "fair", "--out", "notes/x.jsonl"), ("notes", "folder")),
    ]:
        monkeypatch.chdir(tmp_path)
        (tmp_path / "notes").write_text("no folder")
        here(*arguments, code=1)
        told = capsys.readouterr().err
        says(told, *named)
        assert "Errno" not in told, arguments
