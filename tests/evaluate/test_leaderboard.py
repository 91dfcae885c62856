"""The leaderboard of `standard`: which submissions count, and their ranks."""

from __future__ import annotations

import json
import shutil

import pytest

from econzoo.envs.core.record import Record
from econzoo.evaluate import analyze, play_match
from econzoo.evaluate.analyses.standard import declaration, designs, entrant, leaderboard, page, submission
from econzoo.evaluate.run import recompute_record, run, seal_records
from refusals import refuses, says

ALL = declaration.standard()
SMALL = ALL._replace(seeds=1, games={name: ALL.games[name] for name in ("matrix", "negotiation")})
"""The benchmark with two games, and one seed."""


@pytest.fixture(autouse=True)
def small_benchmark(monkeypatch):
    for module in (declaration, page, leaderboard, submission):
        monkeypatch.setattr(module, "standard", lambda: SMALL)


@pytest.fixture(scope="module")
def played(tmp_path_factory):
    """Three submissions: the two players that define the score, a player that never answers, and one of both games."""
    folder = tmp_path_factory.mktemp("played")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(declaration, "standard", lambda: SMALL)
        for name, players in [("scripts", ["best-scripts", "random"]), ("mute", ["mock:hello"]), ("chat", ["mock:="])]:
            submit(folder / name, *players)
    return folder


@pytest.fixture
def folder(played, tmp_path):
    shutil.copytree(played, tmp_path / "all")
    return tmp_path / "all"


def submit(folder, *players, seeds=None):
    for game, design in designs([entrant(one) for one in players], seeds).items():
        run(design, folder / game, jobs=1)
    folder.mkdir(exist_ok=True)
    options = {"run": "standard", "players": list(players), **({"seeds": seeds} if seeds else {})}
    (folder / "config.toml").write_text("".join(f"{key} = {json.dumps(value)}\n" for key, value in options.items()))


def change_lines(path, change):
    """Change the recorded matches of a file: `change` gets and returns a list of their dictionaries."""
    lines = change([json.loads(line) for line in path.read_text().splitlines()])
    path.write_text("".join(json.dumps(line, separators=(",", ":")) + "\n" for line in lines))


def tables(folder):
    """The JSON of the page."""
    return analyze(folder, "leaderboard").to_dict()


def refusal(folder, name="mute"):
    for other in folder.iterdir():
        if other.name != name:
            shutil.rmtree(other)
    found = tables(folder)
    assert name not in {row["submission"] for row in found["ranking"]}, "it is not ranked"
    (reason,) = {row["reason"] for row in found["refused"] if row["submission"] == name}
    return reason


# Ranks


def test_players_that_cannot_be_told_apart_share_a_rank_and_the_reference_players_have_none(folder):
    shutil.copytree(folder / "mute", folder / "mute-again")
    rows = {(row["player"], row["submission"]): row for row in tables(folder)["ranking"]}
    ranks = {names: row["rank"] for names, row in rows.items()}
    assert ranks["best-scripts", "reference"] is ranks["random", "reference"] is None
    assert ranks["mock:hello", "mute"] == ranks["mock:hello", "mute-again"] > ranks["random", "scripts"] >= 1
    assert ranks["best-scripts", "scripts"] == 1
    assert rows["best-scripts", "reference"]["score"]["mean"] == 1
    assert rows["random", "reference"]["score"]["mean"] == 0


def test_the_score_is_that_of_the_score_card(folder):
    (card,) = page.score_cards(folder / "chat", [entrant("mock:=")])
    (row,) = [row for row in tables(folder)["ranking"] if row["submission"] == "chat"]
    assert row["score"]["mean"] == pytest.approx(card.overall["score"].mean)
    assert row["score"]["low"] == pytest.approx(card.overall["score"].low)
    assert row["defaulted"]["mean"] == pytest.approx(card.overall["defaulted"].mean)


def test_failed_matches_count_as_forfeits_in_the_order(folder):
    path = folder / "scripts" / "matrix" / "records.jsonl"
    best = designs([entrant("best-scripts")])["matrix"]
    mine = {id for _, id in best.matches_with_ids()}
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    nothing = {"gains": [None, None], "efficiency": None, "fairness": None, "agreed": False}
    failed = [{**one, "status": "failed", "reason": "no", "metrics": nothing} for one in lines if one["id"] in mine]
    change_lines(path, lambda lines: [one for one in lines if one["id"] not in mine])
    path.with_name("records.jsonl.failed").write_text("".join(f"{json.dumps(one)}\n" for one in failed))
    found = tables(folder)["ranking"]
    (row,) = [row for row in found if (row["player"], row["submission"]) == ("best-scripts", "scripts")]
    least = SMALL.games["matrix"]
    worst = [least.score(least.gain_range[0], one.name) for one in least.settings]
    assert row["worst_case"] == pytest.approx((sum(worst) / 6 + 1) / 2, abs=1e-6)
    assert row["failed"] == len(failed) == 12
    means = [row["worst_case"] if row["failed"] else row["score"]["mean"] for row in found]
    assert means == sorted(means, reverse=True)


# Submissions that do not count


def test_a_submission_that_replays_counts(folder):
    assert "refused" not in tables(folder)


def test_a_changed_payoff_is_refused(folder):
    def change(lines):
        lines[3]["payoffs"][0] += 0.5
        return lines

    change_lines(folder / "mute" / "matrix" / "records.jsonl", change)
    says(refusal(folder), "matrix", 4, "payoffs")


def test_a_removed_match_is_refused(folder):
    change_lines(folder / "mute" / "matrix" / "records.jsonl", lambda lines: lines[1:])
    says(refusal(folder), "matrix", 1, 12, "missing")


def test_a_doubled_match_is_refused(folder):
    change_lines(folder / "mute" / "matrix" / "records.jsonl", lambda lines: [*lines, lines[0]])
    says(refusal(folder), "matrix", "twice")


def test_an_edited_reply_is_refused(folder):
    def change(lines):
        lines[0]["turns"][0]["reply"] = '{"kind": "C"}'
        return lines

    change_lines(folder / "mute" / "matrix" / "records.jsonl", change)
    says(refusal(folder), "matrix", 1, "turn")


def test_a_consistent_forgery_of_an_opponents_reply_is_refused(folder):
    """The opponent cooperates in the last round, in reply and move, and every payoff is that of these moves."""
    path = folder / "scripts" / "matrix" / "records.jsonl"

    def change(lines):
        for at, line in enumerate(lines):
            last = [turn for turn in line["turns"] if turn["seat"] == 1][-1]
            if "random" in line["players"][0] and last["action"] == {"kind": "D"}:
                last["reply"] = last["action"] = {"kind": "C"}
                forged = json.loads(recompute_record(Record.from_json(json.dumps(line))).to_json())
                return [*lines[:at], {**line, **{key: forged[key] for key in ("payoffs", "metrics")}}, *lines[at + 1 :]]
        raise AssertionError("no such match")

    change_lines(path, change)
    says(refusal(folder, "scripts"), "matrix", "answers otherwise")


def test_an_opponent_that_cannot_be_asked_again_is_refused(folder):
    def change(lines):
        lines[0]["faces"] = ["text" if face == "structured" else face for face in lines[0]["faces"]]
        return lines

    change_lines(folder / "mute" / "matrix" / "records.jsonl", change)
    says(refusal(folder), "matrix", 1)


def test_a_truncated_file_is_refused(folder):
    path = folder / "mute" / "matrix" / "records.jsonl"
    path.write_bytes(path.read_bytes()[:-40])
    says(refusal(folder), "matrix", 12, "JSON")


def test_an_imported_match_is_refused(folder):
    def change(lines):
        lines[0]["source"] = {"from": "elsewhere"}
        return lines

    change_lines(folder / "mute" / "matrix" / "records.jsonl", change)
    says(refusal(folder), "imported")


def test_other_versions_of_the_rules_are_refused(folder):
    def change(lines):
        lines[0]["versions"]["rules"] += 1
        return lines

    change_lines(folder / "mute" / "matrix" / "records.jsonl", change)
    says(refusal(folder), "versions.rules")


def test_a_match_of_another_setting_or_seed_is_refused(folder):
    extra = play_match("matrix", ["mock:hello", "tit-for-tat"], seed=7, rounds=3).to_json()
    path = folder / "mute" / "matrix" / "records.jsonl"
    path.write_text(path.read_text() + extra + "\n")
    says(refusal(folder), "matrix", 1, "not of the benchmark")


def test_records_elsewhere_in_the_folder_are_refused(folder):
    shutil.copytree(folder / "mute" / "matrix", folder / "mute" / "coin_game")
    says(refusal(folder), "surplus", "coin_game/records.jsonl")


@pytest.mark.parametrize(
    ("options", "named"),
    [
        ('run = "glee"\nplayers = ["mock:hello"]', ["another suite", "glee"]),
        ('run = "standard"\nplayers = ["mock:hello"]\nseeds = 7', [7, 1, "seeds"]),
        ('run = "standard"\nplayers = ["nobody"]', ["nobody"]),
        ('run = "standard"\nplayers = []', ["players"]),
        ("run = standard", []),
    ],
)
def test_another_suite_other_seeds_and_unknown_players_are_refused(folder, options, named):
    (folder / "mute" / "config.toml").write_text(options)
    says(refusal(folder), *named)


def test_a_player_of_one_game_has_no_rank(folder):
    submit(folder / "one", "matrix=grudger")
    says(refusal(folder, "one"), 1, 2, "games")


def test_a_broken_seal_is_refused(folder):
    """Also of matches in another order, which would count without a seal."""
    path = folder / "mute" / "matrix" / "records.jsonl"
    change_lines(path, lambda lines: lines[::-1])
    assert "refused" not in tables(folder)
    seal_records(path)
    change_lines(path, lambda lines: lines[::-1])
    says(refusal(folder), "matrix", "seal")


# Texts


def test_a_submission_tells_who_it_is_from(folder):
    about = 'name = "A lab"\ncontact = "a@example.org"\nlink = "https://example.org/<b>"\nnote = "<i>ours</i>"'
    (folder / "chat" / "submission.toml").write_text(about)
    (row,) = [row for row in tables(folder)["submissions"] if row["submission"] == "chat"]
    assert (row["name"], row["contact"], row["note"]) == ("A lab", "a@example.org", "<i>ours</i>")
    html = analyze(folder, "leaderboard").to_html()
    assert "<i>ours" not in html
    assert 'href="https://example.org/&lt;b&gt;"' in html


@pytest.mark.parametrize(
    ("about", "named"),
    [('link = "javascript:alert(1)"', ["link", "javascript"]), ('age = "3"', ["age", "name"]), ("name = 3", ["name"])],
)
def test_invalid_texts_are_refused(folder, about, named):
    (folder / "mute" / "submission.toml").write_text(about)
    says(refusal(folder), "submission.toml", *named)


def test_a_folder_without_submissions_is_refused(tmp_path):
    with refuses(FileNotFoundError, tmp_path, "econzoo run standard"):
        analyze(tmp_path, "leaderboard")
