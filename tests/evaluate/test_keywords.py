"""Text markets in which scripted buyers go by keywords stand apart, in all tables, from what is known exactly."""

from __future__ import annotations

import json

import pytest

from econzoo.__main__ import main
from econzoo.baselines.persuasion.signals import DISCOURAGEMENT, RECOMMENDATION
from econzoo.envs.core.record import RecordFile, labels
from econzoo.evaluate.analyses.behaviour.exchanges import model_reader
from econzoo.evaluate.analyses.behaviour.measures import measure
from econzoo.evaluate.analyses.behaviour.page import tables
from econzoo.evaluate.analyses.glee_benchmark import Family, numbers, results
from econzoo.evaluate.analyses.summary import BY_KEYWORDS, KeywordCounts, notes, sentences, summarize
from econzoo.evaluate.run import play_match, read_records, run
from econzoo.evaluate.show import json_of
from econzoo.evaluate.suites.glee import benchmark_designs
from refusals import says


def saying(*messages):
    return "mock:" + "|".join(json.dumps({"kind": "say", "message": one}) for one in messages)


PITCH = saying("It is great.", "Take it.")
READER = 'mock:{"signal": "advises against"}'
ROUNDS = 4


def played(seller, buyer, words="text", seed=0):
    return play_match("persuasion", [seller, buyer], seed=seed, rounds=ROUNDS, message_type=words)


def gains(group):
    return {player: round(found["self_gain"].mean, 9) for player, found in group.overall.items()}


def gain(record, seat=0):
    return round(record.metrics["gains"][seat], 9)


def test_sellers_are_compared_apart_where_a_buyer_takes_words_by_keywords():
    """The honest seller too, although its own sentences are known: the same matches for both."""
    text = [played(seller, "trust(0)") for seller in (PITCH, "honest")]
    deaf = [played(seller, "never") for seller in (PITCH, "honest")]
    binary = [played(seller, "trust(0)", "binary") for seller in ("always", "honest")]
    summary = summarize([*text, *deaf, *binary])
    assert summary.keywords == KeywordCounts(matches=2, messages=4, unread=2)
    first, second, apart_first, apart_second = summary.groups
    assert (first.reading_label, apart_first.reading_label, apart_first.role, apart_first.matches) == (
        "",
        BY_KEYWORDS,
        "Alice",
        2,
    )
    assert gains(apart_first) == {labels([PITCH])[PITCH]: gain(text[0]), "honest": gain(text[1])}
    assert gains(first)[labels([PITCH])[PITCH]] == 0.0
    assert gains(apart_second) == {"trust(0)": round((gain(text[0], 1) + gain(text[1], 1)) / 2, 9)}
    assert {"trust(0)", "never"} == set(second.players)
    assert first.matches == 4
    line = next(one.text for one in notes(summary) if "keywords" in one.text)
    says(line, "2 matches", "keywords", "50% of 4")
    assert str(summary.keywords) in sentences(summary)
    assert summary.to_dict()["words_by_keywords"]["unread"] == 2


def test_intervals_over_seeds_are_not_said_to_be_over_the_markets_of_other_matches():
    """Six markets without words of a seller's own, over settings; two with such words: their intervals over seeds."""
    seven = [
        play_match("persuasion", ["always", "trust(0)"], rounds=2, prior=prior, message_type="binary")
        for prior in (0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8)
    ]
    two = [
        play_match("persuasion", [seller, "trust(0)"], seed=seed, rounds=2, prior=prior, message_type="text")
        for seller in (PITCH, "honest")
        for prior in (0.3, 0.6)
        for seed in range(4)
    ]
    summary = summarize([*seven, *two])
    told = {group.reading_label: group.population_note for group in summary.groups}
    assert told.keys() == {"", BY_KEYWORDS}
    says(told[""], "over settings", 7)
    says(told[BY_KEYWORDS], "over seeds", "2 settings")
    assert summary.population_note == f"{told['']}; {BY_KEYWORDS}: {told[BY_KEYWORDS]}"
    apart = next(group for group in summary.groups if group.reading_label and group.role == "Alice")
    gain = apart.overall["honest"]["self_gain"]
    assert gain.low < gain.mean < gain.high
    assert summarize(seven).population_note == told[""]


def test_nothing_stands_apart_where_nothing_is_taken_by_keywords():
    for records in [
        [("honest", "trust(0)", "text"), ("always", "grim", "text")],  # sentences that are known
        [(PITCH, "never", "text"), (PITCH, "always", "text")],  # to whom words do not matter
        [("always", "trust(0)", "binary")],
        [(PITCH, f"trust(0, reader={READER!r})", "text")],
    ]:
        summary = summarize([played(*one) for one in records])
        assert summary.keywords is None, records
        assert not any("keywords" in one.text for one in notes(summary)), records
        assert not any(group.reading_label for group in summary.groups), records
        assert "words_by_keywords" not in summary.to_dict(), records


def test_a_folder_of_nothing_else_has_these_tables_only():
    summary = summarize([played(PITCH, "trust(0)", seed=seed) for seed in range(2)])
    assert [group.reading_label for group in summary.groups] == [BY_KEYWORDS] * len(summary.groups)
    assert set(summary.players) <= set(summary.overall)


def test_the_benchmark_says_the_same(tmp_path):
    given = [f"persuasion={PITCH}", "persuasion=honest"]
    (design,) = benchmark_designs(given, families=["persuasion"], opponents=["persuasion=trust(0)"]).values()
    run(design, tmp_path, jobs=1)
    found = results(tmp_path)
    assert {heard for _, heard in found.groups} == {"", BY_KEYWORDS}
    assert found.keywords.messages == 2 * found.keywords.unread == 20 * found.keywords.matches / 2
    told = json_of(numbers([Family(design, found)]))
    assert [told["families"][0][name] for name in ("by_keywords", "messages", "unread")] == [*found.keywords]
    assert {row["reading"] for row in told["players"]} == {"", BY_KEYWORDS}


def test_lie_rates_from_keywords_stand_apart_from_what_a_model_has_read():
    """The pitch is great in every other round, whatever the product; the reader takes both for advice against it."""
    read, guessed = played(PITCH, f"trust(0, reader={READER!r})"), played(PITCH, "never")
    told = measure([read, guessed])
    rates = {(row.measure, row.role, row.key): (row.value, row.n) for row in told.rows if row.key == "all"}
    bad = sum(quality == 0.0 for quality in read.chance) / ROUNDS
    assert rates["honesty", "Alice", "all"] == (bad, 4)
    assert rates["unreadable messages", "Alice, by keywords", "all"] == (0.5, 4)
    assert rates["honesty", "Alice, by keywords", "all"][1] == 2
    (honesty,) = [table for table in tables(told, "persuasion") if table.title == "Honesty"]
    says(honesty.note, "keywords", "50% of 4")


def read_by(folder, model):
    records = read_records(folder)
    return measure(records, model_reader(model, records))


def test_a_model_reads_the_messages_of_records(tmp_path):
    record = played(PITCH, "never")
    RecordFile(tmp_path / "matches.jsonl").append(record)
    found = read_by(tmp_path, READER)
    assert found.keyword_note == ""
    honest = [row.value for row in found.rows if (row.measure, row.key) == ("honesty", "all")]
    assert honest == [sum(quality == 0.0 for quality in record.chance) / ROUNDS]


def test_scripted_sentences_are_known_whoever_reads(tmp_path):
    record = played(saying(RECOMMENDATION, DISCOURAGEMENT), "never")
    RecordFile(tmp_path / "matches.jsonl").append(record)
    assert read_by(tmp_path, 'mock:{"signal": "says neither"}').keyword_messages == (0, 0)
    assert measure(read_records(tmp_path)).keyword_note == ""


# --reader


@pytest.mark.parametrize(
    ("command", "out"),
    [
        (["tournament", "persuasion", PITCH, "--opponents", "grim", "--seeds", "1"], "--out"),
        (["evaluate", "persuasion", PITCH, "--opponents", "grim", "--seeds", "1"], "--out"),
        (["run", "persuasion", PITCH, "--pool", "standard", "--seeds", "1", "-p", "rounds=2"], "--out"),
        (["run", "glee", f"persuasion={PITCH}", "--opponents", "persuasion=grim"], "--out"),
        (["play", "persuasion", PITCH, "grim", "-p", "message_type=text", "-p", "rounds=2"], None),
    ],
)
def test_every_command_gives_scripted_buyers_the_reader(command, out, tmp_path, capsys):
    with pytest.raises(SystemExit) as ended:
        main([*command, "--reader", READER, *([out, str(tmp_path)] if out else []), "--json"])
    assert ended.value.code == 0
    told = capsys.readouterr().out
    assert f"grim(reader='{READER}')" in (told if "persuasion" in command else _records(tmp_path)).replace("\\", "")
    assert "words_by_keywords" not in told


def _records(folder):
    return "".join(file.read_text() for file in folder.rglob("records*.jsonl"))


def test_a_reader_for_nobody_is_refused(capsys):
    for game, players, named in [
        ("bargaining", ["fair", "spe"], ("--reader", "bargaining")),
        ("persuasion", ["honest", "never"], ("--reader", "bayes, trust, grim, tit-for-tat")),
    ]:
        with pytest.raises(SystemExit) as ended:
            main(["play", game, *players, "--reader", READER])
        assert ended.value.code == 1, game
        says(" ".join(capsys.readouterr().err.split()), *named)
