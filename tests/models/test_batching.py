"""Which tokens are read together: each number can be checked by hand."""

from __future__ import annotations

from econzoo.baselines.models.reading import MAX_PASS_TOKENS, common_width, passes, shared_prefixes


def test_rows_of_like_length_share_a_pass():
    for lengths, cost, wanted in [
        ([], 16, []),
        ([5], 16, [(0, 1)]),
        ([80, 80, 80], 16, [(0, 3)]),
        ([78, 80, 80], 16, [(0, 3)]),  # 2 tokens of padding are cheaper than a pass
        ([50, 80], 16, [(0, 1), (1, 2)]),  # 30 are dearer
        ([50, 80], 256, [(0, 2)]),
        ([60, 60, 60, 400], 256, [(0, 3), (3, 4)]),
        ([MAX_PASS_TOKENS, MAX_PASS_TOKENS], 256, [(0, 1), (1, 2)]),  # each fills a pass
    ]:
        assert passes(lengths, cost) == wanted, (lengths, cost)


def test_a_step_reads_as_much_as_is_worth_its_cost():
    for lengths, cost, wanted in [
        ([6], 16, 6),
        ([1, 1, 1], 16, 1),
        ([4] * 8, 16, 4),
        ([1, 5], 16, 5),  # 6 tokens for 26 beat 2 for 18
        ([1] * 28 + [5] * 4, 16, 1),  # 32 for 48 beat 48 for 176
        ([1] * 28 + [5] * 4, 256, 5),  # 48 for 416 beat 32 for 288
    ]:
        assert common_width(lengths, cost) == wanted, (lengths, cost)


RULES, MARKET = list(range(100)), list(range(200, 240))


def test_beginnings_are_shared_level_by_level():
    prompts = [[*RULES, *MARKET, 1, 9], [*RULES, *MARKET, 2, 9], [*RULES, 3, 9]]
    assert list(shared_prefixes(prompts, lambda tokens: 0)) == [[RULES], [RULES + MARKET]]


def test_what_is_known_or_short_is_not_read_apart():
    prompts = [[*RULES, *MARKET, 1, 9], [*RULES, *MARKET, 2, 9], [*RULES, 3, 9]]
    assert list(shared_prefixes(prompts, lambda tokens: min(len(tokens), 100))) == [[RULES + MARKET]]
    assert list(shared_prefixes([[1, 2, 3, 4], [1, 2, 3, 5]], lambda tokens: 0)) == []
    assert list(shared_prefixes([RULES], lambda tokens: 0)) == []


def test_equal_prompts_share_all_but_the_last_token():
    assert list(shared_prefixes([RULES] * 5, lambda tokens: 0)) == [[RULES[:-1]]]
