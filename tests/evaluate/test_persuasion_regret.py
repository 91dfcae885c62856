"""Regret in persuasion: what the best plan against a script earns more, on average over what nature draws."""

from __future__ import annotations

import math

import pytest

import econzoo
from econzoo.evaluate.analyses import add_regret, analyze, columns

MARKET = {"message_type": "binary", "prior": 1.0, "high_value": 2.0, "rounds": 4}


def regrets(seconds: float = 60.0, **given: object) -> tuple[dict[tuple[str, str], float], int]:
    """Of each player against each other one, and how many were left out for lack of time."""
    met = [(seller, buyer) for seller in ("honest", "mock:*") for buyer in ("always", "never", "random", "bayes(2)")]
    records = [econzoo.play("persuasion", list(pair), seed=1, **{**MARKET, **given}) for pair in met]
    table = columns(records)
    left_out = add_regret(table, records, seconds)
    pairs = zip(table["player"], table["opponent"], strict=True)
    assert [math.isnan(one) for one in table["regret_exact"]] == [math.isnan(one) for one in table["regret"]]
    return dict(zip(pairs, map(float, table["regret"]), strict=True)), left_out


def test_regret_is_in_parts_of_the_price_and_against_scripts_only() -> None:
    for given in ({}, {"price": 5.0}, {"rounds": None, "max_rounds": 4}, {"buyer": "myopic"}):
        found, left_out = regrets(**given)
        assert left_out == 0, given
        assert found["honest", "never"] == found["honest", "always"] == pytest.approx(0.0), given
        assert found["never", "honest"] == pytest.approx(1.0), given  # all four were good and worth twice their price
        assert found["always", "honest"] == found["bayes(2)", "honest"] == pytest.approx(0.0), given
        assert all(math.isnan(found[buyer, "mock:*"]) for buyer in ("always", "never", "random", "bayes(2)")), given


def test_what_takes_too_long_is_left_out() -> None:
    found, left_out = regrets(seconds=0.0)
    assert left_out == 4 + 8  # all but the buyers who met no script
    assert all(map(math.isnan, found.values()))
    found, left_out = regrets(rounds=41)
    assert (left_out, all(map(math.isnan, found.values()))) == (0, True)


def test_a_page_has_it_also_where_the_equilibrium_pays_nobody(tmp_path) -> None:
    for prior, title in ((0.4, "Against the best response"), (0.8, "Against the equilibrium")):
        records = [econzoo.play("persuasion", ["honest", "grim"], seed=s, **{**MARKET, "prior": prior}) for s in (1, 2)]
        path = tmp_path / f"{prior}.jsonl"
        path.write_text("".join(record.to_json() + "\n" for record in records))
        page = analyze(path, "summary", transcripts=0).to_html()
        assert title in page, prior
        assert "a lucky match has negative regret" in page, prior


def test_regret_that_is_asked_for_is_printed(tmp_path, capsys) -> None:
    def printed(name: str, records: list[econzoo.Record], **options: bool) -> str:
        path = tmp_path / f"{name}.jsonl"
        path.write_text("".join(record.to_json() + "\n" for record in records))
        analyze(path, "summary", transcripts=0, **options).show()
        return capsys.readouterr().out

    for prior in (0.4, 0.8):  # with an equilibrium that pays nobody, and one that pays
        records = [econzoo.play("persuasion", ["honest", "grim"], seed=s, **{**MARKET, "prior": prior}) for s in (1, 2)]
        table = columns(records)
        add_regret(table, records)
        mean = sum(table["regret"][table["player"] == "honest"]) / 2
        assert f"{mean:.3f}" in printed("some", records, regret=True).partition("\nRegret")[2], prior
        assert "computed exactly" not in printed("some", records), "by default it is on the page only"
        assert "computed exactly" not in printed("some", records, regret=False)
    unknown = [econzoo.play("persuasion", ["mock:*", "mock:*"], seed=1, **MARKET)]
    assert "No regret: it is defined against" in printed("none", unknown, regret=True)
    both = [*records, econzoo.play("bargaining", ["fair", "fair"], seed=1)]
    assert "Regret is computed for records of one game" in printed("both", both, regret=True)
