"""Every match that a report shows has a page under its id, which the tables and the notable matches lead to."""

from __future__ import annotations

import re
from html import unescape
from pathlib import Path

import pytest

from econzoo.evaluate.analyses import analyze
from econzoo.evaluate.analyses.summary.match_pages import file_of, find_notable
from econzoo.evaluate.run import new_design, read_folder, run

pytestmark = pytest.mark.slow

OFFER = 'seven=mock:{"kind": "offer", "gain": 7000, "message": "Seven for me."}|{"kind": "accept"}'


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("matches")
    run(new_design("bargaining", ["fair", "random", OFFER], ["default", "silent"], seeds=2), folder, jobs=1)
    analyze(folder).write(folder, ())
    return folder


@pytest.fixture(scope="module")
def page(folder):
    return (folder / "summary.html").read_text()


def links_to_matches(page):
    return re.findall(r'href="(summary/matches/[^"]+)"', page)


def test_the_pages_are_files_named_by_the_ids_and_lead_back(folder, page):
    records = read_folder(folder)[0]
    files = sorted(path.name for path in (folder / "summary" / "matches").iterdir())
    assert files == sorted(f"{record.id}.html" for record in records)
    assert {Path(link).name for link in links_to_matches(page)} == set(files)
    assert '<div id="matches">' in page
    assert all(
        'href="../../summary.html#matches"' in (folder / "summary" / "matches" / name).read_text() for name in files
    )


def test_a_page_has_transcript_both_briefs_prompts_payoffs_parameters_and_seed(folder):
    record = next(
        one
        for one in read_folder(folder)[0]
        if one.players == [OFFER, "fair"] and one.params["messages"] and one.seed == 1
    )
    text = unescape((folder / "summary" / "matches" / f"{record.id}.html").read_text())
    prompt = next(turn.prompt for turn in record.turns if turn.prompt)
    parts = (
        "Seven for me.",
        "Rules as shown to Alice",
        "Rules as shown to Bob",
        "You are Bob. You and Alice divide",
        "seed 1",
    )
    for part in (*parts, prompt, record.rules[0], f"id {record.id}", "Discount factor per round of each seat."):
        assert part in text, part
    assert all(f'<td class="n">{payoff:,.2f}</td>' in text for payoff in record.payoffs)
    folded = re.findall(r'<details class="raw"><summary>prompt and reply</summary>', text)
    assert len(folded) == sum(turn.prompt is not None for turn in record.turns)


def test_the_report_carries_no_transcript(page):
    assert "Seven for me." not in page
    assert '<ol class="talk">' not in page


def test_a_number_of_cross_play_leads_to_matches_of_the_two(page):
    """With the first player's row and the second one's column."""
    cross = page[page.index("<h2>Cross-play") : page.index("</section>", page.index("<h2>Cross-play"))]
    anchors = set(re.findall(r'<a href="#(seating-\d+)">', cross))
    assert len(anchors) == 9 - 3  # (a, b) and (b, a) lead to the same seating
    assert anchors <= set(re.findall(r'<div class="seating" id="([^"]+)">', page))


def test_no_more_pages_than_asked_for_and_the_notable_ones_first(folder, tmp_path, blank_figures):
    path = analyze(folder, transcripts=2).write(tmp_path / "few", ())
    pages = tmp_path / "few" / "summary" / "matches"
    assert len(list(pages.iterdir())) == 2
    records = read_folder(folder)[0]
    ids = {one.record.id for one in find_notable(records)[:2]}
    assert {path.stem for path in pages.iterdir()} == ids
    assert 'id="matches"' not in analyze(folder, transcripts=0).write(tmp_path / "none", ()).read_text()
    assert not (tmp_path / "none" / "summary").exists()
    assert "summary/matches/" in path.read_text()


def test_the_notable_matches_are_at_the_ends_of_their_scales(folder):
    records = read_folder(folder)[0]
    found = {what: one.record for one in find_notable(records) for what in one.reason.split("; ")}
    best = max(gain for one in records for gain in one.metrics["gains"])
    (highest,) = (record for what, record in found.items() if "Highest gain" in what)
    assert max(highest.metrics["gains"]) == best
    assert find_notable(records[:1]) == []


def test_an_id_from_elsewhere_names_no_file_outside_the_folder(folder):
    record = read_folder(folder)[0][0]
    assert file_of(record) == f"{record.id}.html"
    record.id = "../../evil"
    assert re.fullmatch(r"[0-9a-f]{16}\.html", file_of(record))
