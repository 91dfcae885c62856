"""Prefix cache of key-value states, shared between conversations.

As in vLLM's automatic prefix caching, states are stored in a tree of token blocks. Conversations with the same rules
share the blocks of the rules; a match shares those of its previous turns. States depend only on the tokens up to their
own, so prefixes of blocks are usable too.
"""

from __future__ import annotations

import heapq
import itertools
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from torch import Tensor

BLOCK = 32
"""Tokens per block."""

CACHE_LIMIT = 2048
"""Default cache size in MiB."""


class _Block:
    """Tokens with their states and following blocks.

    Attributes:
        tokens: At most `BLOCK` tokens; fewer only in a leaf.
        keys: Tensor of shape (layers, heads, tokens, head size).
        values: Tensor of the same shape up to the head size.
    """

    __slots__ = ("children", "keys", "last_used", "parent", "tokens", "values")

    def __init__(self, parent: _Block | None, tokens: tuple[int, ...], keys: Any, values: Any) -> None:
        self.parent, self.tokens, self.keys, self.values = parent, tokens, keys, values
        self.children: dict[tuple[int, ...], _Block] = {}
        self.last_used = 0

    @property
    def bytes(self) -> int:
        """Size of its states."""
        return self.keys.nbytes + self.values.nbytes


class PrefixCache:
    """Key-value states of token sequences with least-recently-used eviction."""

    def __init__(self) -> None:
        self.clear()

    def clear(self) -> None:
        self._root = _Block(None, (), None, None)
        self._now = 0
        self.bytes = 0

    def known_length(self, tokens: Sequence[int]) -> int:
        """Return the length of the longest cached prefix."""
        return sum(count for _, count in self._path(tokens))

    def load(self, tokens: Sequence[int], keys: Tensor, values: Tensor) -> int:
        """Copy the states of the longest cached prefix.

        Args:
            keys: Target of shape (layers, heads, at least the number of tokens, head size).
            values: Target of the same shape up to the head size.

        Returns:
            Number of tokens whose states were copied.
        """
        self._now += 1
        at = 0
        for block, count in self._path(tokens):
            keys[:, :, at : at + count] = block.keys[:, :, :count]
            values[:, :, at : at + count] = block.values[:, :, :count]
            block.last_used = self._now
            at += count
        return at

    def save(self, tokens: Sequence[int], keys: Tensor, values: Tensor) -> None:
        """Store the states of a sequence that are not cached yet.

        Args:
            keys: Keys in the shape of `load`.
            values: Values in the shape of `load`.
        """
        self._now += 1
        block = self._root
        for start in range(0, len(tokens), BLOCK):
            part = tuple(tokens[start : start + BLOCK])
            if part not in block.children:
                if any(other[: len(part)] == part for other in block.children):
                    return  # the rest of the sequence is the prefix of a cached block
                # Copies, since the rows serve the next batch.
                place = slice(start, start + len(part))
                self._add(block, part, keys[:, :, place].clone(), values[:, :, place].clone())
            block = block.children[part]
            block.last_used = self._now

    def trim(self, limit: int) -> None:
        """Evict leaves, least recently used first, down to this number of bytes."""
        if self.bytes <= limit:
            return
        number = itertools.count()  # breaks ties in time
        ends = [(block.last_used, next(number), block) for block in self._blocks() if not block.children]
        heapq.heapify(ends)
        # Only leaves: states of a block are of no use without those of its parents.
        while self.bytes > limit and ends:
            block = heapq.heappop(ends)[2]
            self._remove(block)
            parent = block.parent
            if parent is not None and parent is not self._root and not parent.children:
                heapq.heappush(ends, (parent.last_used, next(number), parent))

    def _path(self, tokens: Sequence[int]) -> Iterator[tuple[_Block, int]]:
        """Yield the blocks of the longest cached prefix, each with its number of matching tokens."""
        block, at = self._root, 0
        while at < len(tokens):
            part = tuple(tokens[at : at + BLOCK])
            match = block.children.get(part)
            # No whole block matches: the longest beginning of one does as well.
            if match is None or len(part) < BLOCK:
                nearest = max(block.children.values(), key=lambda b: _common_length(b.tokens, part), default=None)
                if nearest is not None and (count := _common_length(nearest.tokens, part)):
                    yield nearest, count
                return
            yield match, BLOCK
            block, at = match, at + BLOCK

    def _blocks(self) -> Iterator[_Block]:
        waiting = list(self._root.children.values())
        while waiting:
            block = waiting.pop()
            waiting += block.children.values()
            yield block

    def _add(self, parent: _Block, part: tuple[int, ...], keys: Tensor, values: Tensor) -> None:
        for other in [old for tokens, old in parent.children.items() if part[: len(tokens)] == tokens]:
            self._remove(other)  # a leaf that this block extends
        parent.children[part] = block = _Block(parent, part, keys, values)
        self.bytes += block.bytes

    def _remove(self, block: _Block) -> None:
        assert block.parent is not None, "the root stays"
        del block.parent.children[block.tokens]
        self.bytes -= block.bytes


def _common_length(one: Sequence[int], other: Sequence[int]) -> int:
    """Return the length of the common prefix of two sequences."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((at for at, (left, right) in pairs if left != right), min(len(one), len(other)))
