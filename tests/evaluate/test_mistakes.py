"""Plausible mistakes of newcomers: each ends with the value that was wrong, and with what is meant or allowed."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

import econzoo
from econzoo.__main__ import main
from econzoo.baselines import describe_unknown, scripted_players
from econzoo.baselines.pools import families
from econzoo.envs.core.contract import nearest_names, unknown_name
from econzoo.evaluate.run import new_design
from econzoo.train.rl.recipe import PPORecipe
from refusals import refuses, says

pytestmark = pytest.mark.models

COMMANDS: dict[str, tuple[object, ...]] = {
    # line: exit code, what it names
    # names of games
    "play bargainning fair fair": (1, "'bargainning'", "'bargaining'"),
    "play Bargaining fair fair": (1, "'Bargaining'", "'bargaining'"),
    "play public-goods random random": (1, "'public-goods'", "'public_goods'"),
    "play publicgoods random random": (1, "'publicgoods'", "'public_goods'"),
    "play water random random": (1, "'water'", "'water_allocation'"),
    "play auction random random": (1, "'auction'", "'survival_auction'"),
    "play ultimatum fair fair": (1, "'ultimatum'", "bargaining"),
    "play stag_hunt tit-for-tat grudger": (1, "'stag_hunt'", "'stag-hunt'", "matrix"),
    "play prisoners_dilemma tit-for-tat grudger": (1, "'prisoners_dilemma'", "matrix"),
    "play chess fair fair": (1, "'chess'", "bargaining", "public_goods"),
    "play fair fair bargaining": (1, "'fair'", "player"),
    "tournament fair bargaining": (1, "'fair'", "player"),
    "run standrad random": (1, "'standrad'", "'standard'"),
    "show bargainning": (1, "'bargainning'", "'bargaining'"),
    "train ppo bargainning": (1, "'bargainning'", "'bargaining'"),
    "quickstart bargainning": (1, "'bargainning'", "'bargaining'"),
    # names of players
    "play bargaining tit_for_tat fair": (1, "'tit_for_tat'", "'tit-for-tat'"),
    "play bargaining TitForTat fair": (1, "'TitForTat'", "'tit-for-tat'"),
    "play bargaining Fair fair": (1, "'Fair'", "'fair'"),
    "play bargaining bolware fair": (1, "'bolware'", "'boulware'"),
    "play bargaining boulware(0.2 fair": (1, "'boulware(0.2'", "brackets"),
    "play bargaining boulware(f=0.2) fair": (1, "boulware(f=0.2)", "e=0.2"),
    "play bargaining boulware(9) fair": (1, "e", 9),
    "play bargaining gpt-4o fair": (1, "'gpt-4o'", "openai:MODEL"),
    "play bargaining claude-sonnet fair": (1, "'claude-sonnet'", "openai:MODEL@URL"),
    "play bargaining anthropic:claude fair": (3, "claude", "ANTHROPIC_API_KEY"),
    "play bargaining llama-3 fair": (1, "'llama-3'", "hf:PATH"),
    "play bargaining quota fair": (1, "'quota'", "persuasion"),
    "play bargaining nobody fair": (1, "'nobody'", "boulware"),
    "play negotiation fair fair": (1, "'fair' plays bargaining", "concede", "human", "openai", "mirror", "training"),
    "tournament negotiation tough linear": (1, "'linear' plays bargaining", "concede", "clock"),
    "evaluate negotiation linear": (1, "'linear' plays bargaining", "concede", "clock"),
    "play bargaining mirror fair": (1, "'mirror' is a group of opponents", "boulware", "training"),
    "play bargaining mirrorr fair": (1, "'mirrorr'", "'mirror', a group of opponents"),
    "evaluate bargaining fair --opponents mirrorr": (1, "'mirrorr'", "'mirror', a group of opponents"),
    "train ppo bargaining --opponents mirrorr": (1, "'mirrorr'", "'mirror', a group of opponents"),
    "train grpo bargaining --opponents trainng": (1, "'trainng'", "'training', a group of opponents"),
    "train sft --teacher mirrorr": (1, "'mirrorr'", "'mirror', a group of opponents"),
    "run standard bargaining=mirrorr": (1, "'mirrorr'", "in bargaining", "'mirror'"),
    "run standard negotiation=fair": (1, "'fair' plays bargaining", "concede"),
    "run glee negotiation=fair": (1, "'fair' plays bargaining", "concede"),
    "play bargaining bargaining fair": (1, "'bargaining'", "game"),
    "play bargaining hf: fair": (1, "'hf:'", "'hf:'"),
    "play bargaining hf:/nonexistent fair": (1, "/nonexistent", "save_pretrained"),
    "play bargaining ppo:nowhere fair": (1, "nowhere", "econzoo train ppo"),
    "play bargaining openai:m@ftp://h fair": (1, "ftp://h", "http"),
    "play bargaining hf:x?temprature=0 fair": (1, "'temprature'", "'temperature'"),
    "play bargaining hf:x?temperature=hot fair": (1, "temperature", "'hot'"),
    "play bargaining fair": (1, "fair", 2),
    "play bargaining fair fair fair": (1, "fair", 2),
    "tournament bargaining fair": (1, "'fair'", "--opponents", "--lineups"),
    "tournament bargaining fair fair": (1, "'fair'", "repeated"),
    "evaluate fair": (1, "'fair'", "GAME"),
    "evaluate bargaining": (1, "players"),
    "evaluate bargaining Fair": (1, "'Fair'", "'fair'"),
    "run standard mock": (1, "'mock'", "TEXT"),
    # parameters, options and settings
    "play bargaining fair fair -p horizonn=3": (1, "'horizonn'", "'horizon'"),
    "play bargaining fair fair -p Horizon=3": (1, "'Horizon'", "'horizon'"),
    "play bargaining fair fair -p horizon=0": (1, "horizon", 0, 1),
    "play bargaining fair fair -p horizon=three": (1, "horizon", "'three'"),
    "play bargaining fair fair -p horizon": (1, "horizon", "NAME=VALUE"),
    "play bargaining fair fair -p delta=2": (1, "delta", 2, 1),
    "play bargaining fair fair -p horizon=3 -p horizon=4": (1, "horizon"),
    "play negotiation tough tough -p bound=1": (1, "bound", 1, 2),
    "play negotiation tough tough -p buyer_value=5 -p complete_information=no": (1, "buyer_value", "bound"),
    "tournament bargaining fair spe --rounds 5": (2, "--rounds", "-p", "horizon"),
    "play bargaining fair fair --sed 3": (2, "--sed", "--seed"),
    "play bargaining fair fair --seeds 3": (2, "--seeds", "--seed"),
    "play bargaining fair fair --foo": (2, "--foo", "-p"),
    "play bargaining fair fair --seed -1": (1, "seed", -1, 0),
    "play bargaining fair fair --seed one": (1, "seed", "'one'"),
    "play bargaining fair fair --matches 0": (1, "matches", 0, 1),
    "tournament bargaining fair spe --settings ultimatm": (1, "'ultimatm'", "'ultimatum'"),
    "tournament bargaining fair spe --settings none.json": (1, "none.json"),
    "tournament bargaining fair spe --pool standrad": (1, "'standrad'", "'standard'"),
    "tournament bargaining fair spe --shard 2/2": (1, "2/2"),
    "tournament bargaining fair spe --objective self-gain": (1, "'self-gain'", "self_gain"),
    "tournament bargaining fair spe --max-cost 1": (1, "--max-cost", "prices"),
    "train ppo bargaining --algorithm dqn": (1, "'dqn'", "sb3"),
    "train ppo bargaining --opponents Fair": (1, "'Fair'", "'fair'"),
    "train ppo bargaining --grid 1": (1, "grid", 1, 2),
    # commands and files
    "tourament": (2, "'tourament'", "'tournament'"),
    "trian ppo bargaining": (2, "'trian'", "'train'"),
    "train pp": (2, "'pp'", "ppo"),
    "study paln": (2, "'paln'", "'plan'"),
    "replay nowhere": (1, "nowhere"),
    "analyze nowhere": (1, "nowhere"),
    "convert nowhere out --to xlsx": (1, "xlsx", "csv"),
    "serve nowhere.toml": (1, "nowhere.toml"),
}


def test_commands_name_what_is_wrong_and_what_is_meant(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "500")
    for line, (code, *named) in COMMANDS.items():
        with pytest.raises(SystemExit) as ended:
            main(line.split())
        told = " ".join(re.sub("[─╭╮╰╯│]", " ", capsys.readouterr().err).split())
        assert ended.value.code == code, f"{line}: {told}"
        says(f"{line}: {told}", *named)
        said = told.replace(line, "") if " " in line else told
        says(said, *[one for one in named if str(one) not in line])
        assert len(said) < 1000, f"{line}: a wall of names"
        assert "Traceback" not in said, line
        assert "tries again" not in said, f"{line}: that changes nothing"


CALLS: list[tuple[Any, tuple[object, ...]]] = [
    (lambda: econzoo.make("bargainning"), ("'bargainning'", "'bargaining'")),
    (lambda: econzoo.make("ultimatum"), ("'ultimatum'", "bargaining")),
    (lambda: econzoo.make("bargaining", horizonn=3), ("'horizonn'", "'horizon'")),
    (lambda: econzoo.make("bargaining", face="txt"), ("'txt'", "text")),
    (lambda: econzoo.make("bargaining", horizon="3"), ("horizon", "'3'")),
    (lambda: econzoo.make("bargaining", delta=(0.9,)), ("delta", 0.9)),
    (lambda: econzoo.make("bargaining", opponents=["fair"]), ("opponents",)),
    (lambda: econzoo.play("bargaining", "fair"), ("players", "'fair'")),
    (lambda: econzoo.play("bargaining", ["fair"]), ("fair", 2)),
    (lambda: econzoo.play("fair", ["bargaining", "fair"]), ("'fair'", "player")),
    (lambda: econzoo.play("bargaining", ["fair", "gpt-4o"]), ("'gpt-4o'", "openai:MODEL")),
    (lambda: econzoo.play("bargaining", ["fair", "fair"], seed=1.5), ("seed", 1.5)),
    (lambda: econzoo.player("TitForTat"), ("'TitForTat'", "'tit-for-tat'")),
    (lambda: econzoo.make_vec("bargaining", 0), ("0", 1)),
    (lambda: new_design("bargaining", ["fair", "spe"], ["ultimatm"]), ("'ultimatm'", "'ultimatum'")),
    (lambda: new_design("bargaining", ["fair", "spe"], seeds=0), ("seed",)),
    (lambda: PPORecipe("bargaining", opponents=["Fair"]), ("'Fair'", "'fair'")),
    (lambda: PPORecipe("bargaining", settings="trian"), ("'trian'", "'train'")),
    (lambda: PPORecipe("bargaining", settings="{"), ("settings='{'", "JSON")),
]


def test_calls_name_what_is_wrong_and_what_is_meant() -> None:
    for number, (call, named) in enumerate(CALLS):
        with refuses((ValueError, TypeError), *named) as refused:
            call()
        assert len(str(refused.value)) < 1000, number


def test_versions_and_help_are_where_everybody_looks(capsys: pytest.CaptureFixture[str]) -> None:
    for line, told in [
        ("--version", econzoo.__version__),
        ("-h", "tournament"),
        ("play -h", "--seed"),
        ("train -h", "ppo"),
    ]:
        with pytest.raises(SystemExit) as ended:
            main(line.split())
        assert ended.value.code == 0, line
        says(capsys.readouterr().out, told)


def test_near_names_are_found_whatever_their_case_and_their_signs() -> None:
    names = ["tit-for-tat", "fair", "public_goods", "last-price+1"]
    for given, found in [
        ("TIT FOR TAT", ["tit-for-tat"]),
        ("titfortatt", ["tit-for-tat"]),
        ("goods", ["public_goods"]),
        ("last_price", ["last-price+1"]),
        ("fiar", ["fair"]),
        ("xy", []),
        ("", []),
        ("+", []),
        (None, []),
        (["fair"], []),
        ("x" * 100_000, []),
    ]:
        assert nearest_names(given, names) == found, given
    many = [f"{letter}{number}" for letter in "abc" for number in range(9)]
    assert unknown_name("thing", "zzz", many).count(",") == len(many) - 1
    assert "a1" not in unknown_name("thing", "zzz", many, hint="elsewhere")
    assert len(describe_unknown("\u202e" * 100_000, None)) < 10_000


def test_an_unknown_player_is_told_all_who_play_in_the_game() -> None:
    for game in econzoo.games():
        for spec in ("zzz", "fair", "linear", "bid"):
            said = describe_unknown(spec, game)
            if spec in scripted_players(game) or "did you mean" in said:
                continue
            here, _, groups = said.partition("allowed: ")[2].partition("; groups of opponents")
            assert {*scripted_players(game), "random", "human"} <= set(here.split(", ")), (game, spec)
            assert set(families(game)) <= set(re.split(r"[,:] ", groups)), (game, spec)
            elsewhere = [other for other in econzoo.games() if spec in scripted_players(other)]
            assert not elsewhere or f"{spec!r} plays {', '.join(elsewhere)}; allowed: " in said, (game, spec)


def test_what_was_printed_before_a_mistake_is_no_table_of_every_name() -> None:
    longest = max(len(describe_unknown(spec, game)) for spec in ("x", "fair?") for game in econzoo.games())
    assert longest < 1500
    assert json.dumps(describe_unknown("x", None)).isascii()
    assert not re.search(r"\n", describe_unknown("a\nb", "bargaining"))
