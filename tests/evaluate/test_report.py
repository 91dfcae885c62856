"""The page: self-contained, escaped, complete."""

from __future__ import annotations

import io
import math
import re
from html.parser import HTMLParser

import pytest

from econzoo.evaluate.analyses import Case, analyze, gap_tables, group_gaps_to_best, read_curve, read_curves
from econzoo.evaluate.analyses import select_matches
from econzoo.evaluate.analyses.summary import estimates_table, measure_column, sentences, summarize
from econzoo.evaluate.analyses.summary.figures import frontier, pareto_figure
from econzoo.evaluate.run import Setting, new_design, play_all, read_design, read_folder, read_records, run
from econzoo.evaluate.show import SHARE, TEXT, Column, sanitize_text, show, write_interval
from econzoo.evaluate.show.escapes import MAX_SHOWN_LENGTH
from econzoo.evaluate.show.terminal import render_table
from econzoo.evaluate.stats import Interval
from refusals import refuses, says

EVIL = (
    'mock(\'Here: {"kind": "offer", "gain": 7000, "message": "<script>alert(1)</script> \\u202edlrow\\u202c '
    '<b onclick=x>b</b> \\U0001f600"}\', "</pre></details><img src=//evil.example/x onerror=alert(2)>", '
    '\'{"kind": "accept"}\')'
)
VOID = {"meta", "input", "link", "img", "br", "hr", "wbr"}


class Page(HTMLParser):
    """Tags, attributes and text of a page; fails on tags that do not match."""

    def __init__(self, text):
        super().__init__()
        self.open, self.tags, self.attributes, self.ids, self.text = [], [], [], [], []
        self.feed(text)
        assert not self.open

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += [(tag, *pair) for pair in attrs]
        self.ids += [value for name, value in attrs if name == "id"]
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.handle_starttag(tag, attrs)
        if tag not in VOID:
            self.open.pop()

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if not self.open or self.open[-1] not in ("script", "style"):
            self.text.append(data)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A tournament with a hostile player and two learning curves, one of them broken."""
    folder = tmp_path_factory.mktemp("hostile")
    run(new_design("bargaining", ["fair", EVIL, "random"], ["default", "in-the-dark"], seeds=2), folder, jobs=1)
    (folder / "ppo").mkdir()
    (folder / "ppo" / "learning_curve.csv").write_text(
        "timesteps,reward,low,high,opponent\n0,0.2,0.1,0.3,fair\n2000,0.5,0.4,0.6,fair\n0,0.1,,,<script>\n2000,0.3,,,<script>\n"
    )
    (folder / "bad").mkdir()
    (folder / "bad" / "learning_curve.csv").write_text("timesteps,reward\n0,much\n")
    with (folder / "records.jsonl").open("a") as file:
        file.write("<script>no record</script>\n")
    return folder


@pytest.fixture(scope="module")
def page(folder):
    return analyze(folder, title="A <b>title</b> \u202e").write(folder, ()).read_text()


@pytest.fixture(scope="module")
def matches(folder, page):
    """The pages of the matches, by name."""
    return {path.name: path.read_text() for path in (folder / "summary" / "matches").iterdir()}


@pytest.fixture(scope="module")
def hostile(matches):
    """The page of a match in which words of the hostile player were said."""
    return next(text for text in matches.values() if "alert(1)" in text and "alert(2)" in text)


@pytest.mark.slow
def test_nothing_is_loaded_from_elsewhere(request):
    for which in ["page", "hostile"]:
        page = request.getfixturevalue(which)
        parsed = Page(page)
        assert not set(parsed.tags) & {
            "link",
            "img",
            "iframe",
            "object",
            "embed",
            "base",
            "video",
            "audio",
            "image",
            "form2",
        }, which
        for tag, name, value in parsed.attributes:
            assert not name.startswith("on"), (tag, name)
            if name in ("src", "href", "action", "formaction", "data", "poster", "srcset", "xlink:href"):
                here = r"#[\w-]+|summary/matches/\w+\.html|\.\./\.\./summary\.html#matches"
                assert re.fullmatch(here, value), (tag, name, value)
        assert "url(http" not in page, which
        assert "@import" not in page, which
        outside = re.sub(r"&lt;.*?&gt;", "", page)
        assert not re.search(r"""(src|href)=["']?(https?:)?//""", outside), which


def test_hostile_words_are_text(request):
    for which, scripts in [("page", 1), ("hostile", 0)]:
        page = request.getfixturevalue(which)
        parsed = Page(page)
        assert parsed.tags.count("script") == scripts, which
        assert "\u202e" not in page, which
        assert "<script>alert" not in page, which
        assert "onclick=x>" not in re.sub(r"&lt;[^<]*", "", page), which
        text = "".join(parsed.text)
        assert ("A <b>title</b>" if scripts else "<script>alert(1)</script>") in text, which
        if not scripts:
            assert "</pre></details><img src=//evil.example/x" in text, which
            assert "\U0001f600" in text, which


def test_a_policy_allows_only_the_script_of_the_page(page):
    assert re.search(r"default-src &#39;none&#39;|default-src 'none'", page)
    assert re.search(r"script-src '?(&#39;)?sha256-", page)


def test_ids_are_unique_and_every_link_has_its_place(page):
    parsed = Page(page)
    assert len(parsed.ids) == len(set(parsed.ids))
    links = {v[1:] for tag, name, v in parsed.attributes if tag == "a" and name == "href" and v.startswith("#")}
    assert links <= set(parsed.ids)
    titles = ("Ranking", "Cross-play", "Against the equilibrium", "Efficiency and fairness", "Conduct", "Learning")
    for title in (*titles, "Matches", "Method", "What was played"):
        assert re.search(rf'<a href="#part-\d+">{title}</a>', page), title


def test_figures_refer_to_their_own_parts(page):
    for figure in re.findall(r"<svg.*?</svg>", page, re.DOTALL):
        meant = set(re.findall(r'href="#([^"]+)"|url\(#([^)]+)\)', figure))
        ids = set(re.findall(r'\bid="([^"]+)"', figure))
        assert meant
        assert {one or other for one, other in meant} <= ids


def test_a_mean_of_one_cluster_is_shown_without_an_interval(tmp_path):
    """Each market has one seed, so what a table tells of one market rests on one cluster."""
    run(new_design("bargaining", ["fair", "greedy"], ["ultimatum", "default"], seeds=1), tmp_path, jobs=1)
    summary = summarize(read_records(tmp_path))
    alone = summary.groups[0].settings["fair", "ultimatum"]
    assert math.isnan(alone["self_gain"].low)
    out = io.StringIO()
    gain = measure_column(summary.facts, "self_gain", show_interval=True)
    show([estimates_table("alone", "", [gain], [("ultimatum", alone)])], out)
    assert ["ultimatum", f"{alone['self_gain'].mean:.3f}", "under", "6", "draws"] in [
        line.split() for line in out.getvalue().splitlines()
    ]
    page = analyze(tmp_path).to_html()
    assert f'title="{alone["self_gain"].rows} rows"' in page
    assert not re.search(r"\bnan\b", page)


def test_the_page_has_tables_figures_matches_and_what_was_not_read(page, matches):
    parsed = Page(page)
    text = "".join(parsed.text)
    assert parsed.tags.count("svg") == 3
    says(text, "line 37", "JSON", "learning_curve.csv", "not a number")
    assert len([a for a in parsed.attributes if a[1] == "data-players"]) == 36 == len(matches)
    for word in ("share of equilibrium", "continuation", "regret", "forfeits", "invalid"):
        assert word in text, word


def test_figures_follow_the_colours_of_the_page(page):
    figures = re.findall(r"<svg.*?</svg>", page, re.DOTALL)
    assert all("var(--ink)" in one and re.search(r"var\(--c\d\)", one) and "<text" in one for one in figures)
    assert not any("<metadata" in one or "xmlns" in one for one in figures)


def test_the_summary_in_sentences(small_folder):
    summary = summarize(read_records(small_folder))
    said = " ".join(sentences(summary))
    first = summary.players[0]
    says(said, "3 players", "2 settings", "4 seeds", "72 matches")
    says(said, first, f"{summary.overall[first]['self_gain'].mean:.3f}")
    assert "forfeited" in said


def test_players_with_the_same_gain_share_the_first_place(tmp_path):
    run(new_design("matrix", ["tit-for-tat", "cooperator"], seeds=1), tmp_path, jobs=1)
    told = sentences(summarize(read_records(tmp_path)))
    assert any("tit-for-tat and cooperator" in one and "0.600" in one for one in told)


def test_an_interval_with_a_minus_is_written_with_a_word():
    loss, gain = Interval(0.09, -0.018, 0.61, 6), Interval(0.16, 0.075, 0.22, 6)
    share = Column("win", kind=SHARE)
    assert (write_interval(share, loss), write_interval(share, gain)) == ("-1.8% to 61%", "7.5%\u201322%")


def test_columns_of_names_are_read_from_the_left():
    cases = [Case("town", who, seed, seed * value) for who, value in (("ann", 1), ("ben", 2)) for seed in range(1, 9)]
    made = gap_tables(group_gaps_to_best(cases), "Behind", (Column("setting", kind=TEXT), Column("player", kind=TEXT)))[
        -1
    ]
    assert list(made.rows[0][:3]) == ["town", "ben", "ann"]
    _, shown, *_ = render_table(made)
    assert [one.justify for one in shown.columns] == ["left"] * 3 + ["right"] * 2 + ["left"]


def test_an_unfinished_tournament_says_so(small_folder, tmp_path):
    whole = (small_folder / "records.jsonl").read_text().splitlines()
    (tmp_path / "records.jsonl").write_text("\n".join(whole[:60]) + "\n")
    (tmp_path / "manifest.json").write_text((small_folder / "manifest.json").read_text())
    says(" ".join(sentences(summarize(read_records(tmp_path)))), "12 more")


def test_a_single_match_has_no_interval_and_still_a_page(tmp_path, blank_figures):
    run(new_design("bargaining", ["fair"], seeds=1), tmp_path, jobs=1)
    page = analyze(tmp_path)
    says(page.parts[0].text, "1 player", "1 setting", "1 seed", "1 match")
    Page(page.to_html())


def test_matches_of_one_seating_only_make_a_page(small_folder, tmp_path, blank_figures):
    whole = (small_folder / "records.jsonl").read_text().splitlines()
    file = tmp_path / "some.jsonl"
    file.write_text("\n".join(line for line in whole if '"players":["fair","greedy"]' in line) + "\n")
    page = analyze(file)
    says(page.parts[0].text, "2 settings", "2 matches", "Deterministic", "4 times")
    Page(page.to_html())


def test_learning_curves_alone_make_a_page(folder, tmp_path):
    (tmp_path / "learning_curve.csv").write_text((folder / "ppo" / "learning_curve.csv").read_text())
    page = analyze(tmp_path)
    says(page.parts[0].text, "1 learning curve", "no matches")
    assert Page(page.to_html()).tags.count("svg") == 1


def test_a_folder_without_anything_is_refused(tmp_path):
    with refuses(FileNotFoundError, tmp_path):
        analyze(tmp_path)
    with refuses(FileNotFoundError, tmp_path / "none"):
        analyze(tmp_path / "none")
    (tmp_path / "records.jsonl").write_text("junk\n")
    with refuses(ValueError, "records.jsonl", "line 1"):
        analyze(tmp_path)
    assert not list(tmp_path.glob("*.html"))


def test_curves(folder):
    curves, problems = read_curves(folder)
    assert [curve.name for curve in curves] == ["ppo"]
    assert curves[0].series["fair"][1] == (2000.0, 0.5, 0.4, 0.6)
    assert curves[0].series["<script>"][0] == (0.0, 0.1, 0.1, 0.1)
    assert len(problems) == 1


def test_files_that_are_no_curves(tmp_path):
    for text, named in [("", "column"), ("timesteps,reward\n", "rows"), ("steps,x\n1,2\n", "column")]:
        file = tmp_path / "learning_curve.csv"
        file.write_text(text)
        with refuses(ValueError, file, named):
            read_curve(file)


def test_frontier():
    points = {
        "a": (0.1, 0.9),
        "b": (0.5, 0.5),
        "c": (0.4, 0.4),
        "d": (0.9, 0.1),
        "e": (0.9, 0.05),
        "f": (float("nan"), 1),
    }
    assert frontier(points) == ["a", "b", "d"]


@pytest.mark.slow
def test_figures_are_for_papers_too(small_folder, tmp_path):
    pareto_figure(summarize(read_records(small_folder))).savefig(tmp_path / "pareto.pdf")
    assert (tmp_path / "pareto.pdf").read_bytes().startswith(b"%PDF")


def test_tables_show_names_in_full_and_say_what_the_intervals_are_over(tmp_path, blank_figures):
    name = "persuasion/p0.5_v1.25_m10000_ci_binary_long with more behind it"
    player = "linear(high=0.987654321, low=0.123456789)"
    run(
        new_design("bargaining", [player, "fair"], [Setting(name, {"horizon": 2}), "default"], seeds=2),
        tmp_path,
        jobs=1,
    )
    page = analyze(tmp_path).to_html()
    for whole in (name, player):
        assert f'<th scope="row"><bdi class="name" title="{whole}">{whole}</bdi></th>' in page.replace("<wbr>", "")
    assert f'<option value="{name}">{name}</option>' in page
    says(page, "95%", "over seeds", "2 settings")


def test_visible_text_is_cut_and_harmless():
    assert sanitize_text("a\u202eb\x00c\nd") == "a\ufffdb\ufffdc\nd"
    assert sanitize_text("x" * (MAX_SHOWN_LENGTH + 5)).endswith("(5 more characters)")


def test_transcripts_are_of_every_seating(small_records):
    few = select_matches(small_records, 9)
    assert len({tuple(record.players) for record in few}) == 9
    assert len(select_matches(small_records, 1000)) == len(small_records)


def test_a_game_that_lacks_parts_of_a_solution_gets_empty_columns(tmp_path, blank_figures):
    from toy_games import TOYS, register_temporarily

    for name in ("coin", "lowest_bid", "pennies"):
        with register_temporarily(TOYS[name]):
            design = new_design(name, ["random"], [{}], seeds=3)
            run(design, tmp_path / name, jobs=1)
            summary = summarize(read_folder(tmp_path / name)[0], read_design(tmp_path / name))
            assert summary.overall["random"]["regret"].rows == 0, name
            assert summary.violations == {}, name
            Page(analyze(tmp_path / name).to_html())
            assert len(play_all(design, jobs=1)) == len(design), name
