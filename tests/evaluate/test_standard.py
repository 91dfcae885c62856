"""The benchmark `standard`: what it is does not change unnoticed, and what its score cards say."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest

from econzoo.__main__ import main
from econzoo.envs.core import game as find_game
from econzoo.evaluate.analyses.standard import declaration, designs, entrant, standard
from econzoo.evaluate.analyses.standard.declaration import MIN_REFERENCE_GAP, MIN_SCORE, PLAYER
from econzoo.evaluate.analyses.standard.page import score_cards
from econzoo.evaluate.run import run
from econzoo.evaluate.stats import MIN_CLUSTERS, Columns, estimate, mean_over_groups
from players_that_quit import MUTE, QUITTER, RANDOM, adding_quitters
from refusals import refuses, says

HASHES = {1: "bbb970a9d2c3"}
"""Version of the benchmark to the hash of its file. A new version has a new line; an old one never changes."""


COUNTED = {
    **dict.fromkeys(["bargaining", "water_allocation", "guess_average", "survival_auction", "matrix"], (0.0, 1.0)),
    **{"negotiation": (-1.0, 1.0), "persuasion": (-1.0, 3.0), "coin_game": (-2.0, 1.0), "public_goods": (-1.0, 2.0)},
    **{"double_auction": (-1.0, 1.0), "multi_issue": (0.0, 1.0)},
}
"""Game to the least and greatest gain that count, on which every score depends."""


def command(*arguments):
    with pytest.raises(SystemExit) as ended:
        main([*map(str, arguments)])
    assert ended.value.code == 0


# What it is


def test_a_change_of_its_file_raises_the_version():
    assert standard().hash == HASHES[standard().version], "raise `version` in standard.toml, and add its hash here"


def test_the_page_tells_the_citation_and_every_game():
    page = (Path(__file__).parents[2] / "docs" / "standard.md").read_text(encoding="utf-8")
    assert f"To cite: {standard().citation(4)}" in page
    assert not [name for name in standard().games if f"\n| {name}" not in page]


def test_the_games_are_those_that_it_was_made_with():
    assert standard().version_changes() == [], "raise `version` in standard.toml: its matches come out differently now"
    assert {name: game.gain_range for name, game in standard().games.items()} == COUNTED, "raise `version` too"


def test_a_game_has_settings_for_intervals_and_one_scored_seat_in_each_line_up():
    for game in standard().games.values():
        assert len(game.settings) == len(game.random) >= MIN_CLUSTERS, game.name
        for market in game.settings:
            _, params = find_game(game.name).params(**market.params)
            assert {len(lineup) for lineup in game.lineups} == {find_game(game.name).seats(params)}, game.name
        assert all(lineup.count(PLAYER) == 1 for lineup in game.lineups), game.name
        apart = [high - low for low, high in zip(game.random, game.reference, strict=True)]
        assert min(apart) >= MIN_REFERENCE_GAP, game.name


def test_the_citation_names_version_hash_and_package():
    known = standard()
    says(known.citation(4), "standard-1", known.hash, "econzoo 0.1.0")
    says(known.citation(1), "standard-1", "1 of 4")


# Who plays where


def test_a_spec_plays_in_the_games_that_know_it_in_the_seats_that_it_can_take():
    assert list(entrant("spe").specs) == ["bargaining", "negotiation", "multi_issue"]
    assert len(entrant("mock:a?x=1").specs) == len(standard().games)
    seats = entrant("honest").seats(standard().games["persuasion"])
    assert seats == {("honest", "bayes"): {0}, ("honest", "grim"): {0}}
    two = entrant("persuasion=quota; persuasion=bayes; matrix=grudger")
    assert two.specs == {"persuasion": ("quota", "bayes"), "matrix": ("grudger",)}
    assert two.seats(standard().games["persuasion"])["honest", "bayes"] == {1}
    assert (entrant("best-scripts").plays_all, entrant("spe").plays_all, two.plays_all) == (True, False, False)


def test_a_player_that_meets_itself_is_scored_in_both_seats():
    fair = entrant("fair").seats(standard().games["bargaining"])
    assert fair["fair", "fair"] == {0, 1}


def test_a_player_that_no_game_knows_is_refused():
    for text in ["nobody", "persuasion=fair", "program_matrix=cooperate", "bargaining=fair; nobody"]:
        with refuses(ValueError, "standard-1"):
            entrant(text)


def test_more_seeds_than_it_has_are_refused():
    with refuses(ValueError, "seeds=5", 1, 4, "standard-1"):
        designs([entrant("random")], 5)


# Scores


def test_the_score_is_0_for_the_random_player_and_1_for_a_gain_above_it_like_the_reference():
    game = standard().games["bargaining"]
    zero, one = game.random[1], game.reference[1]
    for gain, score in [(zero, 0), (one, 1), (one + one - zero, 2), ((3 * zero - one) / 2, -0.5), (-9.0, MIN_SCORE)]:
        assert game.score(gain, "ultimatum") == pytest.approx(score), gain


def test_a_setting_in_which_the_reference_is_no_better_than_chance_is_refused():
    given = {"versions": {}, "settings": {"a": {}}, "lineups": [["PLAYER"]], "random": [0.5], "reference": [0.52]}
    with refuses(ValueError, "bargaining, a", "0.020", MIN_REFERENCE_GAP):
        declaration._game("bargaining", {**given, "answers": 1.0, "tokens": 1.0}, {})


def test_one_slip_moves_the_score_of_its_setting_alone_and_not_below_the_least(tmp_path):
    entrants = [entrant("negotiation=anchor(2)")]
    (design,) = designs(entrants, 1).values()
    run(design, tmp_path / "negotiation", jobs=1)
    path = tmp_path / "negotiation" / "records.jsonl"
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    seat = lines[0]["players"].index("anchor(2)")
    lines[0]["metrics"]["gains"][seat] = -1e12
    path.write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    (card,) = score_cards(tmp_path, entrants, 1)
    found = card.games["negotiation"]
    assert MIN_SCORE <= found["score"].low < found["score"].mean <= 1
    assert found["clipped"].mean == pytest.approx(1 / len(lines))


def two_games():
    """Six settings of one game with a mean of 0.3, twice as many rows; six of another with a mean of 0.8."""
    first, second = [0.1, 0.2, 0.3, 0.3, 0.4, 0.5], [0.6, 0.7, 0.8, 0.8, 0.9, 1.0]
    rows = [{"game": "a", "setting": f"a{i % 6}", "x": first[i % 6], "y": math.nan} for i in range(12)]
    rows += [{"game": "b", "setting": f"b{i}", "x": x, "y": 0.0} for i, x in enumerate(second)]
    return Columns.of_rows(rows)


def test_the_mean_over_games_counts_each_game_the_same():
    found = mean_over_groups(two_games(), "game", ["x", "y"])
    assert found["x"].mean == pytest.approx((0.3 + 0.8) / 2)
    assert found["y"].mean == 0, "the mean of the one game that defines it"


def test_the_interval_of_the_mean_over_games_is_that_of_independent_means():
    one = estimate(two_games(), ["game"], ["x"], over="settings")["a"]["x"]
    both = mean_over_groups(two_games(), "game", ["x"])["x"]
    error = np.std([0.1, 0.2, 0.3, 0.3, 0.4, 0.5], ddof=1) / math.sqrt(6)
    assert (one.high - one.low) / 2 == pytest.approx(2.571 * error, rel=0.01)  # t with 5 degrees of freedom
    assert (both.high - both.low) / 2 == pytest.approx(2.228 * error / math.sqrt(2), rel=0.01)  # 10, half the variance


# Silence never pays


def score_by_hand(game, gains):
    """The mean over settings of the score of the same gain in every match, settings having equally many matches."""
    settings = zip(gains, game.random, game.reference, strict=True)
    return sum(max((gain - zero) / (one - zero), -1) for gain, zero, one in settings) / len(game.settings)


def play(folder, names, *games, seeds=1):
    """Play the matches of players in some games; return their score cards."""
    entrants = [entrant("; ".join(f"{game}={name}" for game in games)) for name in names]
    for game, design in designs(entrants, seeds).items():
        run(design, folder / game, jobs=1)
    return score_cards(folder, entrants, seeds)


def scores(card):
    return {game: found["score"].mean for game, found in card.games.items()}


def test_a_default_counts_as_the_least_gain_and_any_other_match_as_its_own():
    game = standard().games["public_goods"]
    assert [game.counted_gain(gain, False) for gain in (-5.0, -1.0, 0.4, 2.0, 5.0)] == [-1.0, -1.0, 0.4, 2.0, 2.0]
    assert {game.counted_gain(gain, True) for gain in (-5.0, -1.0, 0.4, 2.0, 5.0)} == {-1.0}


def test_no_play_scores_less_than_silence_and_random_play_more_in_every_game():
    """At the least gain that any legal play can have, the score is its least; that of the random player is 0."""
    for name, game in standard().games.items():
        silent = score_by_hand(game, [game.gain_range[0]] * len(game.settings))
        assert -1 <= silent < 0 == score_by_hand(game, game.random), name
    every = [score_by_hand(game, [game.gain_range[0]] * len(game.settings)) for game in standard().games.values()]
    assert np.mean(every) < -0.75


def test_a_player_that_never_answers_has_the_least_score_by_forfeits_and_by_default_actions(tmp_path):
    """In the first game it forfeits without a loss, in the second its default action is that of the free rider."""
    mute = "mock:hello"
    (card,) = play(tmp_path, [mute], "coin_game", "public_goods")
    for name, gain, forfeit in [("coin_game", 0.0, 1.0), ("public_goods", 0.73, 0.0)]:
        found, game = card.games[name], standard().games[name]
        assert found["self_gain"].mean == pytest.approx(gain, abs=0.01), "recorded gains stay"
        assert found["score"].mean == score_by_hand(game, [game.gain_range[0]] * 6) == -1
        assert (found["defaulted"].mean, found["forfeit"].mean, found["error_rate"].mean) == (1, forfeit, 1)
    assert (card.defaults, card.matches) == (24, 24)


def check_that_silence_does_not_pay(folder, games):
    """Who answers once or twice plays the moves of the random player until then."""
    with adding_quitters():
        chat, mute, quitter, *others = map(
            scores, play(folder, [RANDOM, MUTE, QUITTER, "quits(1)", "quits(2)"], *games)
        )
    for name in games:
        least = standard().games[name].gain_range[0]
        assert mute[name] == pytest.approx(score_by_hand(standard().games[name], [least] * 6)), name
        assert mute[name] < chat[name], name
        assert mute[name] <= quitter[name] < chat[name], name
        assert all(mute[name] <= quits[name] <= chat[name] for quits in others), name


def test_who_stops_to_answer_when_losing_scores_less_than_by_random_moves(tmp_path):
    check_that_silence_does_not_pay(tmp_path, ["negotiation", "matrix"])


@pytest.mark.slow
def test_who_stops_to_answer_when_losing_scores_less_in_every_game(tmp_path):
    check_that_silence_does_not_pay(tmp_path, list(standard().games))


def test_the_page_tells_what_a_default_costs():
    page = (Path(__file__).parents[2] / "docs" / "standard.md").read_text(encoding="utf-8")
    losses = {}
    for name, game in standard().games.items():
        matches, cells = len(game.lineups) * standard().seeds, []
        for own in (game.random, game.reference):
            settings = zip(own, game.random, game.reference, strict=True)
            scores = [
                (max((g - ((g - game.gain_range[0]) / matches) - z) / (o - z), -1), g, z, o) for g, z, o in settings
            ]
            losses[name, own] = lost = [((g - z) / (o - z) - score) / 6 for score, g, z, o in scores]
            cells.append(f"{np.mean(lost):.3f}, {max(lost):.3f}")
        assert f"| {name} | {matches} | {' | '.join(cells)} |" in page
    scripts = [lost for (name, own), lost in losses.items() if own == standard().games[name].reference]
    assert f"{np.mean(scripts) / 11:.3f} on average and {np.max(scripts) / 11:.3f} at most" in page


def test_a_retry_that_ends_in_a_legal_answer_costs_nothing(tmp_path):
    (card,) = play(tmp_path, ["mock:hello|*"], "guess_average")
    found = card.games["guess_average"]
    assert found["error_rate"].mean == 0.5, "the first answer to every question"
    assert (found["defaulted"].mean, card.defaults) == (0, 0)


# Failed matches


def fail(folder, is_failed):
    """Turn recorded matches of two seats into failed ones, as a run leaves them; return those and the others."""
    path = folder / "records.jsonl"
    ended, failed = [], []
    for number, line in enumerate(map(json.loads, path.read_text().splitlines())):
        (failed if is_failed(number) else ended).append(line)
    for line in failed:
        nothing = {"gains": [None, None], "efficiency": None, "fairness": None, "agreed": False}
        line |= {"status": "failed", "reason": "no answer", "metrics": nothing, "payoffs": [0.0, 0.0]}
    for name, lines in [("records.jsonl", ended), ("records.jsonl.failed", failed)]:
        path.with_name(name).write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    return failed, ended


def test_the_cases_have_each_failed_match_at_the_least_and_at_the_greatest_gain(tmp_path):
    """Two matches in each of six settings, of which one failed."""
    game, me = standard().games["matrix"], entrant("matrix=tit-for-tat")
    (whole,) = play(tmp_path, ["tit-for-tat"], "matrix")
    failed, ended = fail(tmp_path / "matrix", lambda number: number == 0)
    (card,) = score_cards(tmp_path, [me], 1)
    found = card.games["matrix"]
    name = designs([me], 1)["matrix"].setting_name
    setting = name(failed[0]["params"])
    (own,) = (
        line["metrics"]["gains"][line["players"].index("tit-for-tat")]
        for line in ended
        if name(line["params"]) == setting
    )
    rest = 12 * whole.games["matrix"]["score"].mean - 2 * game.score(own, setting)  # it has the same gain in both
    for case, end in [("worst_case", 0), ("best_case", 1)]:
        assert found[case].mean == pytest.approx((rest + 2 * game.score((own + end) / 2, setting)) / 12), case
    assert (card.matches, card.failures, card.planned_matches) == (11, 1, 12)
    assert "worst_case" not in whole.games["matrix"], "no match failed"


def test_a_card_tells_defaults_failures_and_cases(tmp_path, capsys):
    players = ["matrix=mock:hello", "matrix=tit-for-tat"]
    command("run", "standard", *players, "--seeds", 1, "--out", tmp_path, "--jobs", 1)
    says(capsys.readouterr().out, "Illegal answers: matrix=mock:hello defaulted in 12 of 12 matches", "To cite")
    fail(tmp_path / "matrix", lambda number: number < 2)
    arguments = [word for player in players for word in ("--players", player)]
    command("analyze", tmp_path, "score-card", *arguments, "--seeds", 1, "--format", "csv")
    out = capsys.readouterr().out
    says(out, "worst case", "best case", "Incomplete, not citable yet", "failed)")
    assert not {"first", "best", "highest", "winner"} & set(out.replace("best case", "").lower().split())
    assert ",worst_case," in (tmp_path / "score-card" / "score_cards.csv").read_text()


def test_a_game_of_which_every_match_failed_is_told_by_its_cases(tmp_path):
    play(tmp_path, ["tit-for-tat"], "matrix", "coin_game")
    fail(tmp_path / "matrix", lambda number: True)
    (card,) = score_cards(tmp_path, [entrant("matrix=tit-for-tat; coin_game=tit-for-tat")], 1)
    found, game = card.games["matrix"], standard().games["matrix"]
    assert math.isnan(found["score"].mean)
    assert [found[case].mean for case in ("worst_case", "best_case")] == pytest.approx(
        [score_by_hand(game, [end] * 6) for end in game.gain_range]
    )
    own = card.games["coin_game"]
    assert own["worst_case"].mean == own["best_case"].mean == pytest.approx(own["score"].mean)


@pytest.mark.long
def test_the_random_player_and_the_scripts_come_out_as_declared(tmp_path):
    both = [entrant("random"), entrant("best-scripts")]
    for game, design in designs(both).items():
        run(design, tmp_path / game, jobs=1)
    zero, one = score_cards(tmp_path, both)
    for game in standard().games:
        assert zero.games[game]["score"].mean == pytest.approx(0, abs=1e-6)
        assert one.games[game]["score"].mean == pytest.approx(1, abs=1e-6)
    assert (zero.overall["score"].mean, one.overall["score"].mean) == (0, 1)


# The command


def test_a_run_says_what_it_takes_and_how_to_cite_it_and_goes_on(tmp_path, capsys):
    player = "guess_average=k-level(1); matrix=tit-for-tat"
    command("run", "standard", player, "--seeds", 1, "--out", tmp_path)
    told = capsys.readouterr().out
    says(told, "1 player", "2 games", "12 settings", "18 matches")
    assert f"To cite: {standard().citation(1)}" in told
    before = {path: path.read_bytes() for path in tmp_path.glob("*/records.jsonl")}
    assert len(before) == 2
    command("run", "standard", player, "--seeds", 1, "--out", tmp_path, "--json")
    rows = json.loads(capsys.readouterr().out)["score_cards"]
    found = {(row["game"], row["measure"]): row["mean"] for row in rows if row["player"] == player}
    assert {path: path.read_bytes() for path in before} == before
    assert found["guess_average", "error_rate"] == 0
    assert found["matrix", "score"] == pytest.approx(1, abs=0.1)
    assert "all" not in {game for game, _ in found}
    command("analyze", tmp_path, "score-card", "--players", player, "--seeds", 1, "--format", "csv")
    assert f"To cite: {standard().citation(1)}" in capsys.readouterr().out
    written = (tmp_path / "score-card" / "score_cards.csv").read_text()
    assert written.startswith("benchmark,hash,player,game,measure,mean,low,high,rows\n")
