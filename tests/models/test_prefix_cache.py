"""A tree of blocks: what has a beginning in common shares it, and what is of no use goes first."""

from __future__ import annotations

import pytest

from econzoo.baselines.models.prefix_cache import BLOCK, PrefixCache
from later import Later

torch = Later("torch")
pytestmark = pytest.mark.models

ONE = 2 * 1 * 1 * 2 * 4  # bytes of a token: keys and values, one layer, one head, two numbers each


def states(tokens):
    """States that tell which token, and which tokens before it, they are of."""
    sums = torch.tensor([[token, sum(tokens[:at])] for at, token in enumerate(tokens)], dtype=torch.float32)
    return sums[None, None], -sums[None, None]


def keep(cache, tokens):
    cache.save(tokens, *states(tokens))


def loaded(cache, tokens):
    """The number of known tokens; their states are checked."""
    keys, values = torch.zeros(1, 1, len(tokens), 2), torch.zeros(1, 1, len(tokens), 2)
    known = cache.load(tokens, keys, values)
    assert torch.equal(keys[:, :, :known], states(tokens)[0][:, :, :known])
    assert torch.equal(values[:, :, :known], states(tokens)[1][:, :, :known])
    assert known == cache.known_length(tokens)
    return known


RULES = list(range(100, 100 + 2 * BLOCK + 5))


def test_the_longest_common_beginning_is_known():
    cache = PrefixCache()
    assert loaded(cache, RULES) == 0
    keep(cache, RULES)
    assert loaded(cache, RULES) == len(RULES)
    assert loaded(cache, [*RULES, 1, 2]) == len(RULES)
    assert loaded(cache, RULES[: BLOCK + 3]) == BLOCK + 3
    assert loaded(cache, [*RULES[: BLOCK + 3], 1, 2]) == BLOCK + 3
    assert loaded(cache, [1, *RULES]) == 0


def test_beginnings_are_kept_once():
    cache = PrefixCache()
    keep(cache, [*RULES, 1, 2])
    keep(cache, [*RULES, 1, 2])
    keep(cache, RULES)
    assert cache.bytes == (len(RULES) + 2) * ONE
    keep(cache, [*RULES, 3])  # another end: its last block is a new one
    assert cache.bytes == (len(RULES) + 2 + len(RULES) % BLOCK + 1) * ONE
    keep(cache, [*RULES, 1, 2, 4, *range(BLOCK)])  # the first one goes on, and its last block is filled up
    assert cache.bytes == (len(RULES) + 3 + BLOCK + len(RULES) % BLOCK + 1) * ONE
    assert loaded(cache, [*RULES, 3, 9]) == len(RULES) + 1
    assert loaded(cache, [*RULES, 1, 2, 4, 9]) == len(RULES) + 3


def test_what_was_of_no_use_for_longest_goes_first():
    cache = PrefixCache()
    chats = [[*RULES[: 2 * BLOCK], *([number] * BLOCK)] for number in range(3)]
    for chat in chats:
        keep(cache, chat)
    loaded(cache, chats[0])
    cache.trim((2 + 2) * BLOCK * ONE)
    assert [cache.known_length(chat) // BLOCK for chat in chats] == [3, 2, 3]
    cache.trim(3 * BLOCK * ONE)
    assert [cache.known_length(chat) // BLOCK for chat in chats] == [3, 2, 2]
    cache.trim(BLOCK * ONE)
    assert [cache.known_length(chat) // BLOCK for chat in chats] == [1, 1, 1]
    cache.trim(0)
    assert cache.bytes == 0
    assert cache.known_length(chats[0]) == 0
