"""The randomisation table, checked by counting."""

from __future__ import annotations

import re
from collections import Counter
from itertools import combinations
from random import Random

import hypothesis
import pytest
from given import FILE, TEXT, study
from hypothesis import strategies as st

from econzoo.people.study import PlannedMatch, Study, arms_by_place, plan_matches
from econzoo.people.study.partners import strangers
from econzoo.people.study.study_file import parse_study
from refusals import refuses

FIVE = TEXT.replace('"person", "person"', ", ".join(['"person"'] * 5)).replace(
    '"person", "boulware(0.2)"', '"person", "random", "random", "random", "random"'
)


def changed(participants: int, repetitions: int, partners: str, seed: int = 1) -> Study:
    return study(
        participants=f"participants = {participants}",
        repetitions=f"repetitions = {repetitions}",
        partners=f'partners = "{partners}"',
        seed=f"seed = {seed}",
    )


def towns(participants: int, repetitions: int, partners: str) -> Study:
    """A study of five people at a table in one arm, and of one among programs in the other."""
    lines = {"participants": participants, "repetitions": repetitions, "partners": f'"{partners}"'}
    file = FIVE.replace('"bargaining"', '"water_allocation"').replace(
        "[settings]\nmoney = [100, 10000]\nhorizon = 12\n", ""
    )
    for key, value in lines.items():
        file = re.sub(rf"^{key} = .*$", f"{key} = {value}", file, flags=re.MULTILINE)
    return parse_study(file, FILE)


def matches_of(table: list[PlannedMatch], person: int) -> list[PlannedMatch]:
    return [one for one in table if person in one.places]


def met(table: list[PlannedMatch]) -> Counter[tuple[int, int]]:
    """How often each pair of participants met."""
    return Counter(pair for one in table for pair in combinations(sorted(one.places), 2))


@pytest.mark.parametrize("partners", ["partner", "stranger", "random"])
def test_everybody_plays_every_repetition_once_in_one_arm(partners: str) -> None:
    table = plan_matches(changed(24, 3, partners))
    for person in range(24):
        own = matches_of(table, person)
        assert [one.repetition for one in own] == [0, 1, 2]
        assert len({one.arm for one in own}) == 1
        assert len({one.group for one in own}) == 1
    assert [one.number for one in table] == list(range(len(table)))
    assert Counter(one.arm for one in table) == {"people": 6 * 3, "program": 12 * 3}


def test_arms_are_balanced_in_every_block() -> None:
    """A match of the first arm takes two, so a block has two participants in each arm."""
    arms = arms_by_place(changed(24, 3, "partner"))
    for start in range(0, 24, 4):
        assert sorted(arms[start : start + 4]) == ["people", "people", "program", "program"]
    assert len({tuple(arms[start : start + 4]) for start in range(0, 24, 4)}) > 1  # in random order


def test_partners_stay_together_and_come_one_after_the_other() -> None:
    table = plan_matches(changed(8, 3, "partner"))
    arms = arms_by_place(changed(8, 3, "partner"))
    first, second, third, fourth = (person for person, arm in enumerate(arms) if arm == "people")
    assert met(table) == {(first, second): 3, (third, fourth): 3}


def test_strangers_never_meet_twice() -> None:
    table = plan_matches(changed(24, 3, "stranger"))
    assert set(met(table).values()) == {1}
    groups = {one.group for one in table if one.arm == "people"}
    assert len(groups) == 3, "12 participants in groups of 4, in which all meet all in 3 matches"


def test_strangers_of_two_for_as_many_matches_as_there_are_others() -> None:
    rounds = strangers(range(6), 2, 5, Random(0))
    assert rounds is not None
    pairs = [tuple(sorted(match)) for matches in rounds for match in matches]
    assert sorted(pairs) == list(combinations(range(6), 2)), "each of the 15 pairs once"


@pytest.mark.parametrize(("people", "size", "rounds"), [(25, 5, 5), (15, 3, 5), (9, 3, 4), (16, 4, 3), (12, 3, 3)])
def test_strangers_of_three_and_more(people: int, size: int, rounds: int) -> None:
    found = strangers(range(people), size, rounds, Random(1))
    assert found is not None
    assert all(sorted(one for match in matches for one in match) == list(range(people)) for matches in found)
    pairs = [pair for matches in found for match in matches for pair in combinations(sorted(match), 2)]
    assert len(pairs) == len(set(pairs)) == rounds * people * (size - 1) // 2


def test_five_strangers_at_a_table() -> None:
    table = plan_matches(towns(100, 2, "stranger"))
    assert set(met(table).values()) == {1}
    assert {len(one.places) for one in table} == {5, 1}


def test_settings_are_balanced_in_every_arm_and_for_everybody() -> None:
    table = plan_matches(changed(24, 4, "partner"))
    for arm, matches in (("people", 24), ("program", 48)):
        assert Counter(one.setting for one in table if one.arm == arm) == {0: matches // 2, 1: matches // 2}
    assert all(Counter(one.setting for one in matches_of(table, person)) == {0: 2, 1: 2} for person in range(24))


def test_seats_are_balanced() -> None:
    table = plan_matches(changed(24, 4, "partner"))
    people = {person for one in table if one.arm == "people" for person in one.places}
    for person in people:
        assert Counter(one.players.index(person) for one in matches_of(table, person)) == {0: 2, 1: 2}


def test_seeds_are_new_within_an_arm_and_matched_between_arms() -> None:
    table = plan_matches(changed(8, 2, "partner"))
    of = {arm: [(one.setting, one.seed) for one in table if one.arm == arm] for arm in ("people", "program")}
    assert len(set(of["program"])) == len(of["program"]) == 8
    assert set(of["people"]) < set(of["program"]), "4 matches of people have the draws of 4 of the 8 with programs"


def test_two_arms_of_the_same_players_share_no_seed() -> None:
    same = TEXT.replace('"person", "person"', '"person", "boulware(0.2)"')
    table = plan_matches(parse_study(same, FILE))
    assert len({(one.setting, one.seed) for one in table}) == len(table)


def test_the_table_is_a_function_of_the_file() -> None:
    assert plan_matches(changed(24, 3, "random")) == plan_matches(changed(24, 3, "random"))
    assert plan_matches(changed(24, 3, "random")) != plan_matches(changed(24, 3, "random", seed=2))


@pytest.mark.parametrize(("participants", "near"), [(22, "20 or 24"), (2, "4"), (25, "24 or 28")])
def test_participants_that_do_not_fill_matches_are_refused(participants: int, near: str) -> None:
    with refuses(ValueError, "line 21", participants, 2, 4, near):
        plan_matches(changed(participants, 1, "partner"))


def test_too_few_strangers_are_refused() -> None:
    assert plan_matches(changed(8, 3, "stranger"))
    with refuses(ValueError, "people", 4, 2, 6):
        plan_matches(changed(8, 4, "stranger"))


ARMS = (
    '[[arms]]\nname = "two"\nseats = ["person", "person"]\n',
    '[[arms]]\nname = "first"\nseats = ["person", "fair"]\n',
    '[[arms]]\nname = "second"\nseats = ["linear", "person"]\n',
)


@hypothesis.given(
    arms=st.sets(st.sampled_from(ARMS), min_size=1),
    blocks=st.integers(1, 6),
    repetitions=st.integers(1, 5),
    partners=st.sampled_from(["partner", "stranger", "random"]),
    settings=st.integers(1, 4),
    seed=st.integers(0, 99),
)
def test_what_holds_for_every_table(
    arms: set[str], blocks: int, repetitions: int, partners: str, settings: int, seed: int
) -> None:
    size = 2 if ARMS[0] in arms else 1
    count = blocks * len(arms) * size
    lines = {"participants": count, "repetitions": repetitions, "partners": f'"{partners}"', "seed": seed}
    file = TEXT[: TEXT.index("[[arms]]")] + "".join(sorted(arms)) + TEXT[TEXT.index("[matching]") :]
    for key, value in lines.items():
        file = re.sub(rf"^{key} = .*$", f"{key} = {value}", file, flags=re.MULTILINE)
    made = parse_study(file.replace("[100, 10000]", str([*range(1, settings + 1)])), FILE)
    if partners == "stranger" and size == 2 and repetitions > blocks * size - 1:
        with refuses(ValueError, repetitions):
            plan_matches(made)
        return
    table = plan_matches(made)
    assert {len(matches_of(table, person)) for person in range(count)} == {repetitions}
    assert set(Counter(arms_by_place(made)).values()) == {blocks * size}
    for arm in made.arms:
        used = Counter(one.setting for one in table if one.arm == arm.name)
        assert max(used.values()) - min(used[setting] for setting in range(settings)) <= 1
    if partners == "stranger":
        assert set(met(table).values()) <= {1}
    ids = [(one.setting, one.seed, tuple("human" if isinstance(x, int) else x for x in one.players)) for one in table]
    assert len(set(ids)) == len(ids), "no two matches would have the same record"
