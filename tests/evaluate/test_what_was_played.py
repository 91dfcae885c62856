"""Every page says what was played: the game, its rules, all parameters, who the players are, and what made it."""

from __future__ import annotations

import json
import re
import shlex
import shutil
from html import unescape
from pathlib import Path

import pytest
from given_commands import command

import econzoo.evaluate
from econzoo.baselines import description
from econzoo.envs.core.record import current_provenance, current_software, record_command
from econzoo.evaluate.analyses import analyze, played_games
from econzoo.evaluate.analyses.description import design_games, merge_equal_rules
from econzoo.evaluate.analyses.judging import Rating, judgements_page, judging_report, load_rubric
from econzoo.evaluate.run import new_design, read_design, read_folder, run
from econzoo.evaluate.show import Page, read_template
from refusals import says

pytestmark = pytest.mark.slow

RECORDS = Path(__file__).parents[1] / "goldens" / "records"
SERVED = "openai:gpt-4o-mini@http://127.0.0.1:9/v1?price_per_million=3,15&temperature=0.7"
BLANK = {
    "setting": "",
    "seed": 0,
    "id": "",
    "ending": "",
    "cut": False,
    "by": None,
    "rounds": 0,
    "errors": 0,
    "seats": [],
    "turns": [],
}
DIVIDE = "divide $10,000"

PAGES = {
    "summary": ("analyze DIR", "summary.html", DIVIDE, "Discount factor"),
    "behaviour": ("analyze DIR behaviour", "behaviour.html", DIVIDE, "Demands half"),
    "regression": ("analyze DIR regression --splits 0", "regression.html", DIVIDE, "Demands half"),
    "programs": (
        "analyze DIR/other programs --format csv",
        "other/programs.html",
        "program",
        "uniformly",
    ),
    "evolution": (
        "analyze DIR evolution --runs 5 --starts 5",
        "evolution.html",
        DIVIDE,
        "Demands half",
    ),
    "experiment": (
        "analyze DIR/../g levels",
        "../g/levels.html",
        "average",
        "normal distribution",
    ),
    "sparc": (
        "analyze DIR/../s sparc",
        "../s/sparc.html",
        "how it plays",
        "canned replies",
    ),
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("played") / "t"
    for line, out in (
        ("tournament bargaining fair greedy --settings default --seeds 1", folder),
        ("run guess nash --opponents fixed -p rounds=2 --seeds 1", folder.parent / "g"),
        ("run sparc mock:* --settings TitForTat --no-baselines", folder.parent / "s"),
    ):
        assert command(*line.split(), "--out", out) == 0
    (folder / "other").mkdir()
    shutil.copy(RECORDS / "program_matrix.jsonl", folder / "other" / "matches.jsonl")
    return folder


def text_of(page):
    """What a reader reads, blanks made one."""
    whole = page.replace("<wbr>", "")
    words = unescape(re.sub(r"<[^>]+>|<style>.*?</style>", " ", whole, flags=re.DOTALL)).split()
    return " ".join(words).replace(" ,", ",")


@pytest.mark.parametrize("name", PAGES)
def test_every_page_says_what_was_played_and_what_made_it(name, folder, blank_figures):
    line, page, rules, told = PAGES[name]
    words = line.replace("DIR", str(folder)).split()
    assert command(*words) == 0
    text = text_of((folder / page).read_text()).replace(" , EconZoo", ", EconZoo")
    section = text[text.index("What was played", text.index("What was played") + 1) :]
    for part in (rules, told, f"age made by: econzoo {shlex.join(words)}, {current_software()}."):
        assert part in section, part


def test_a_page_of_judgements_says_what_was_played_and_asked(folder):
    records, rubric = read_folder(folder)[0], load_rubric("alympics")
    (first, *_), item = rubric.dimensions, f"{records[0].id}:0"
    ratings = [Rating(item, judge, first.key, score, player="fair") for judge, score in (("ann", 4.0), ("ben", 2.0))]
    text = text_of(judgements_page(judging_report(ratings, rubric), "j", "Judgements", records, [folder]).to_html())
    for part in (DIVIDE, "Discount factor", "Demands half", "3.00"):
        assert part in text, part
    assert " ".join(first.question.split()) in text


def test_the_folder_keeps_every_command_that_made_it(folder, tmp_path):
    for line in ("fair spe", "fair spe greedy", "fair spe greedy"):
        assert command("tournament", "bargaining", *line.split(), "--seeds", 1, "--out", tmp_path) == 0
    made = json.loads((tmp_path / "manifest.json").read_text())["provenance"]
    lines = [
        f"econzoo tournament bargaining {who} --seeds 1 --out {tmp_path}" for who in ("fair spe", "fair spe greedy")
    ]
    assert made == [{"command": line, **current_software()._asdict()} for line in lines]
    text = text_of(analyze(tmp_path).to_html())
    assert f"{lines[0]}, {current_software()}; {lines[1]}," in text


def test_a_folder_of_an_older_version_says_not_recorded(folder, tmp_path):
    manifest = json.loads((folder / "manifest.json").read_text())
    del manifest["provenance"]
    (tmp_path / "manifest.json").write_text(json.dumps(manifest))
    shutil.copy(folder / "records.jsonl", tmp_path)
    assert "not recorded" in text_of(analyze(tmp_path).to_html())


def test_no_address_and_no_price_is_told():
    with record_command(
        ["econzoo", "play", "bargaining", SERVED, "fair", "--connect", "http://ann:secret@127.0.0.1:9"]
    ):
        command = current_provenance().command
    assert command == (
        "econzoo play bargaining 'openai:gpt-4o-mini?price_per_million=3,15&temperature=0.7' fair --connect ''"
    )
    made = Page("x", "x", [], problems=[f"line 3: {SERVED} said 401"]).to_html()
    assert "line 3: openai:gpt-4o-mini?" in made
    assert "127.0.0.1" not in made
    says(description(SERVED, "bargaining"), "gpt-4o-mini", "temperature=0.7")


def test_players_are_told_in_their_own_words():
    for spec, named in [
        ("boulware(0.2)", ("Concedes little", "deadline")),
        ("small=hf:/home/ann/models/tiny?temperature=0", ("tiny", "temperature=0")),
        ("axelrod:TitForTat", ("TitForTat", "Axelrod")),
        ("hf:org/model?agent=alympics", ("org/model", "one call")),
        ("gemini-1.5-flash", ()),
    ]:
        says(description(spec, "bargaining"), *named)
        assert bool(description(spec, "bargaining")) == bool(named), spec


def test_what_varies_stands_apart_from_what_is_the_same(tmp_path):
    design = new_design("bargaining", ["fair"], ["default", "ultimatum", "silent"], seeds=1)
    run(design, tmp_path, jobs=1)
    (planned,), (found,) = design_games(design), played_games(read_folder(tmp_path)[0], read_design(tmp_path))
    assert found == planned
    assert found.heads == ["setting", "horizon", "messages"]
    assert found.rows == [["default", "12", "true"], ["ultimatum", "1", "true"], ["silent", "12", "false"]]
    assert ("money", "10000") in {same[:2] for same in found.fixed_parameters}
    assert {name for name, _, _ in found.fixed_parameters} == {"money", "delta", "max_rounds", "complete_information"}


def test_of_a_strategy_with_a_name_the_spec_is_told_too():
    (found,) = design_games(new_design("bargaining", ["tough=boulware(0.1)", "fair"], seeds=1))
    says(found.players["tough"], "boulware(0.1)")
    assert found.players["fair"]


def test_of_many_settings_every_parameter_has_its_values():
    markets = [{"horizon": rounds} for rounds in range(1, 101)]
    (found,) = design_games(new_design("bargaining", ["fair"], markets, seeds=1))
    assert found.heads == ["parameter", "values"]
    assert found.rows == [["horizon", "1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, and 88 more"]]


def test_roles_that_are_told_the_same_but_for_their_names_stand_together():
    ann, ben, cy = "You are Ann. Ben is there.", "You are Ben. Ann is there.", "You are Cy. Ann and Ben are there."
    told = merge_equal_rules({"Ann": ann, "Ben": ben, "Cy": cy})
    assert told == {"Ann (and likewise Ben)": ann, "Cy": cy}
    first = "Ann begins. You are {}."
    rules = {name: first.format(name) for name in ("Ann", "Ben")}
    assert merge_equal_rules(rules) == rules  # who begins is told otherwise to Ann: "Ann ... Ann" and not "Ann ... Ben"


def test_the_command_of_the_matches_and_that_of_the_page_are_told(folder, blank_figures):
    assert command("analyze", folder.parent / "g", "levels") == 0
    text = text_of((folder.parent / "g" / "levels.html").read_text())
    says(text, "econzoo run guess nash", "econzoo analyze")


def test_all_pages_have_one_style_sheet():
    sheets = [path.name for path in Path(econzoo.evaluate.__path__[0]).rglob("templates/*.css")]
    assert sheets == ["report.css"]
    style = read_template(sheets[0])
    for rule in (
        "@media screen and (prefers-color-scheme: dark)",
        "@page",
        "@media print",
        ".scroll::after",
        "scroll(nearest inline)",
    ):
        assert rule in style, rule
