"""Every text of the pages stands in one file, and another file tells it in another language."""

from __future__ import annotations

import re
import string
from importlib.resources import files
from pathlib import Path

import pytest

pytest.importorskip("starlette", reason="the web table needs the extra web")

from starlette.testclient import TestClient
from visitor import Visitor, phrase

import econzoo
from econzoo.baselines import scripted_players
from econzoo.envs.core.contract import Flag, OneOf
from econzoo.envs.core.record import Record
from econzoo.evaluate.run import replay
from econzoo.people.server import new_site
from econzoo.people.table_server import build_folder_app
from econzoo.people.texts import FIGURE, languages, load_texts
from refusals import refuses, says

HERE = Path(str(files("econzoo.people")))
TEMPLATES, CODE = sorted(HERE.rglob("*.html")), sorted(HERE.rglob("*.py"))
OWN_NAME = "EconZoo"

ENGLISH = load_texts("en")
OTHERS = sorted({*languages()} - {"en"})


def literal(template: str) -> list[str]:
    """Words that a template says by itself: between its elements, and in attributes that are read out or shown."""
    bare = re.sub(r"{#.*?#}|{%.*?%}", "", template, flags=re.DOTALL)
    bare = re.sub(r"{{.*?}}|&\w+;\w*=?", "\0", bare, flags=re.DOTALL)
    told = re.findall(r'(?:aria-label|alt|title|placeholder)="([^"]*)"', bare) + re.split(r"<[^>]*>", bare)
    return [text.strip() for text in told if re.search(r"[A-Za-z]{2}", text.replace(OWN_NAME, ""))]


def test_no_template_says_anything_by_itself():
    for template in TEMPLATES:
        assert literal(template.read_text(encoding="utf-8")) == [], template


def test_words_in_a_template_are_found():
    assert literal('<p>{% if x %}Hello{% endif %}</p><b aria-label="Your move">{{ x }}</b>') == ["Your move", "Hello"]


def test_every_text_that_is_asked_for_exists_and_every_text_is_asked_for():
    sources = "".join(one.read_text(encoding="utf-8") for one in [*TEMPLATES, *CODE])
    asked = set(re.findall(r'"([a-z_]+\.[a-z_]+)"', sources)) & {*ENGLISH.entries} | set(
        re.findall(r'say\(\s*"([a-z_.]+)"', sources)
    )
    assert sorted(asked - {*ENGLISH.entries}) == []
    assert sorted({name.removesuffix("_one") for name in ENGLISH.entries} - asked) == []


# Another language


def fields(text: str) -> set[str]:
    return {field for _, field, _, _ in string.Formatter().parse(text) if field}


@pytest.mark.parametrize("lang", OTHERS)
def test_a_language_that_is_shipped_has_every_text(lang):
    from econzoo.people.texts import _load_language

    tables = _load_language(lang)
    told = {f"{table}.{name}" for table in tables if isinstance(tables[table], dict) for name in tables[table]}
    assert sorted({*ENGLISH.entries} - told) == []
    assert load_texts(lang).lang == lang


@pytest.mark.parametrize("lang", OTHERS)
def test_no_field_is_lost_in_another_language(lang):
    other = load_texts(lang).entries
    optional = {"count"}
    lost = {name: fields(text) - fields(other[name]) - optional for name, text in ENGLISH.entries.items()}
    assert {name: missing for name, missing in lost.items() if missing} == {}


def test_a_match_in_german_from_the_first_page_to_the_end(tmp_path: Path):
    visitor = Visitor(TestClient(build_folder_app(tmp_path, site=new_site(texts="de"))))
    visitor._take(visitor.client.get("/"))
    assert '<html lang="de">' in visitor.text
    visitor.start("bargaining", player_1="fair", param_horizon="2", param_messages="false")
    assert "$10.000" in visitor.text
    assert "Von 0 bis 10.000" in visitor.text
    assert ">Vorschlagen</button>" in visitor.text
    visitor.move("offer", gain="20000")
    says(visitor.problems, 20000, 0, "10.000")
    visitor.move("offer", gain="5.000,50")
    while not visitor.over:
        visitor.move("accept")
    assert phrase("end.over", "de", ending="Einigung") in visitor.text
    assert not re.search(r"\b(the|you|your|is|match|offer|accept)\b", visible_text(visitor.text).replace("fair", ""))
    record = Record.from_json(visitor.record().text)
    assert record.options["prompts"]["name"] == "de"
    assert replay(record) == []


@pytest.mark.parametrize("lang", OTHERS)
def test_a_language_that_is_shipped_tells_every_parameter(lang):
    """Name, meaning and what is allowed, of every game; figures stay as they are typed."""
    own = load_texts(lang)
    for game in map(econzoo.game, econzoo.games()):
        for one in game.parameters:
            label = one.name.replace("_", " ").capitalize()
            named, few = own.game_text(game.name, f"labels.{one.name}", own.words.get(label, "")), (Flag, OneOf)
            assert named, (game.name, label)
            assert own.game_text(game.name, f"parameters.{one.name}", own.phrase(one.doc)) != one.doc
            if not isinstance(one.domain, few):
                assert own.game_text(game.name, f"allowed.{one.name}", own.phrase(one.value_range)) != one.value_range


@pytest.mark.parametrize("lang", OTHERS)
def test_a_language_that_is_shipped_tells_who_the_players_of_bargaining_are(lang):
    told = load_texts(lang).games["bargaining"]
    assert {name for name in scripted_players("bargaining") if f"players.{name}" not in told} == set()


def test_a_phrase_has_the_numbers_of_the_english_one():
    german = load_texts("de")
    several = "two whole numbers (least, most) from 0 to 1,000,000, at most 1,000 apart"
    for english in ("a number from 0.01 to 1e12", several):
        assert german.phrase(english) != english
        assert FIGURE.findall(german.phrase(english)) == FIGURE.findall(english)
    assert german.phrase("something else than 3") == "something else than 3"


def visible_text(page: str) -> str:
    return re.sub(r"<[^>]*>", " ", page)


# A file of one's own


def test_a_file_replaces_what_it_has_and_the_rest_is_english(tmp_path):
    own = tmp_path / "own.toml"
    own.write_text('[start]\ntitle = "Spielen!"\n[words]\ndeal = "Handschlag"\n', encoding="utf-8")
    told = load_texts(str(own))
    assert (told.lang, told.entries["start.title"]) == ("en", "Spielen!")
    assert told.entries["start.lead"] == ENGLISH.entries["start.lead"]
    assert told.word("deal") == "Handschlag"
    assert told.prompts == {}


PAGE = (Path(__file__).parents[2] / "docs" / "playing.md").read_text(encoding="utf-8")


def test_the_file_of_the_docs_is_read(tmp_path):
    """`econzoo serve --texts web.toml`, as docs/playing.md has it."""
    assert "econzoo serve --texts web.toml" in PAGE
    own = tmp_path / "web.toml"
    own.write_text(re.search(r"file web.toml -->\n```toml\n(.*?)```", PAGE, re.DOTALL)[1], encoding="utf-8")
    visitor = Visitor(TestClient(build_folder_app(tmp_path, site=new_site(texts=str(own)))))
    visitor.start("bargaining")
    told = load_texts(str(own))
    assert f"<title>{told.say('frame.tab', title=told.games['bargaining']['title'])}</title>" in visitor.text
    assert told.prompts["bargaining"]["turn.propose"].rpartition("}")[2] in visitor.text
    assert "$10.000" in visitor.text
    assert "Van 0 tot 10.000" in visitor.text


def test_a_text_makes_no_element(tmp_path):
    own = tmp_path / "own.toml"
    own.write_text('[start]\nlead = "<script>alert(1)</script> {{ 7 * 7 }}"\n', encoding="utf-8")
    own.write_text(own.read_text(encoding="utf-8").replace("{{", "{{{{").replace("}}", "}}}}"), encoding="utf-8")
    text = TestClient(build_folder_app(tmp_path, site=new_site(texts=str(own)))).get("/").text
    assert "&lt;script&gt;alert(1)&lt;/script&gt; {{ 7 * 7 }}" in text


def test_a_file_with_an_unknown_text_is_refused_with_what_is_allowed(tmp_path):
    for number, (written, *named) in enumerate(
        (
            ('[start]\ntitel = "x"', "start.titel", "start.title", "start.lead"),
            ('[begin]\ntitle = "x"', "begin.title", "[frame]", "[start]"),
            ('[start]\ntitle = "{name}"', "start.title", "name", "none"),
            ('[start]\ntitle = "{"', "start.title"),
            ("[start]\ntitle = 3", "start.title"),
            ('[games.chess]\ntitle = "x"', "chess", "bargaining"),
            ('[games.bargaining]\nname = "x"', "games.bargaining.name", "title", "summary", "gain"),
            ('[games.bargaining.parameters]\ngold = "x"', "bargaining", "gold", "money", "delta"),
            ('[games.bargaining.moves]\nbid = "x"', "bargaining", "bid", "offer", "accept", "reject"),
            ('[games.bargaining.moves]\noffer = "{price}"', "games.bargaining.moves.offer", "price", "gain", "message"),
            ('[games.bargaining.prompts.turn]\nask = "x"', "bargaining", "prompts", "turn.ask"),
            ("[start", "--texts", "de", "en"),
        )
    ):
        own = tmp_path / f"{number}.toml"
        own.write_text(written + "\n", encoding="utf-8")
        with refuses(ValueError, *named):
            load_texts(str(own))


def test_a_language_that_is_not_there_is_refused():
    with refuses(ValueError, "--texts", "xx", "de", "en"):
        load_texts("xx")


@pytest.mark.parametrize("lang", OTHERS)
def test_texts_of_games_can_be_played(lang):
    """Every text of a game that is told in another language can be shown: the options of a match take it."""
    for game, prompts in load_texts(lang).prompts.items():
        econzoo.make(game, prompts=dict(prompts))
