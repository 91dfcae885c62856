"""What a model has read, kept by its tokens: the key-value states of the beginnings that conversations share.

As in vLLM's automatic prefix caching, the states lie in blocks of tokens, and every block knows the one before it: a
tree. Conversations with the same rules share the blocks of the rules; a match that goes on shares those of all its
earlier turns. States depend on nothing but the tokens up to their own, so the beginning of a block is of use as well.
"""

from __future__ import annotations

import heapq
import itertools
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from torch import Tensor

BLOCK = 32
"""Tokens of a block."""

CACHE_LIMIT = 2048
"""MiB of states that are kept where nobody says how many."""


class _Block:
    """Some tokens with their states, and the blocks that follow them.

    Attributes:
        tokens: At most `BLOCK`; fewer only where nothing follows.
        keys: Shape (layers, heads, tokens, size of a head).
        values: The same, with a size of its own.
        last_used: When it was last of use.
    """

    __slots__ = ("children", "keys", "last_used", "parent", "tokens", "values")

    def __init__(self, before: _Block | None, tokens: tuple[int, ...], keys: Any, values: Any) -> None:
        self.parent, self.tokens, self.keys, self.values = before, tokens, keys, values
        self.children: dict[tuple[int, ...], _Block] = {}
        self.last_used = 0

    @property
    def bytes(self) -> int:
        """Of its states."""
        return self.keys.nbytes + self.values.nbytes


class PrefixCache:
    """Key-value states of token sequences; those that were of no use for longest go first.

    Attributes:
        bytes: Of all states.
    """

    def __init__(self) -> None:
        self.clear()

    def clear(self) -> None:
        """Forgets everything."""
        self._root = _Block(None, (), None, None)
        self._now = 0
        self.bytes = 0

    def known_length(self, tokens: Sequence[int]) -> int:
        """How many tokens from the beginning are known."""
        return sum(count for _, count in self._path(tokens))

    def load(self, tokens: Sequence[int], keys: Tensor, values: Tensor) -> int:
        """Copies the states of the longest known beginning.

        Args:
            tokens: The sequence.
            keys: Gets the states; shape (layers, heads, at least as many as tokens, size of a head).
            values: The same.

        Returns:
            The number of tokens whose states were copied.
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
        """Keeps the states of a sequence, as far as they are not kept yet.

        Args:
            tokens: The sequence.
            keys: Its states, of the shape of `load`.
            values: The same.
        """
        self._now += 1
        block = self._root
        for start in range(0, len(tokens), BLOCK):
            part = tuple(tokens[start : start + BLOCK])
            if part not in block.children:
                if any(other[: len(part)] == part for other in block.children):
                    return  # the end of the sequence is the beginning of a block that is there
                place = slice(start, start + len(part))
                self._add(block, part, keys[:, :, place].clone(), values[:, :, place].clone())
            block = block.children[part]
            block.last_used = self._now

    def trim(self, limit: int) -> None:
        """Forgets until no more than this number of bytes is left: blocks that nothing follows, the oldest first."""
        if self.bytes <= limit:
            return
        number = itertools.count()  # decides between blocks that were used at the same time
        ends = [(block.last_used, next(number), block) for block in self._blocks() if not block.children]
        heapq.heapify(ends)
        while self.bytes > limit and ends:
            block = heapq.heappop(ends)[2]
            self._remove(block)
            before = block.parent
            if before is not None and before is not self._root and not before.children:
                heapq.heappush(ends, (before.last_used, next(number), before))

    def _path(self, tokens: Sequence[int]) -> Iterator[tuple[_Block, int]]:
        """The blocks of the longest known beginning, each with the number of its tokens that fit."""
        block, at = self._root, 0
        while at < len(tokens):
            part = tuple(tokens[at : at + BLOCK])
            whole = block.children.get(part)
            if whole is None or len(part) < BLOCK:
                nearest = max(block.children.values(), key=lambda b: _common_length(b.tokens, part), default=None)
                if nearest is not None and (count := _common_length(nearest.tokens, part)):
                    yield nearest, count
                return
            yield whole, BLOCK
            block, at = whole, at + BLOCK

    def _blocks(self) -> Iterator[_Block]:
        waiting = list(self._root.children.values())
        while waiting:
            block = waiting.pop()
            waiting += block.children.values()
            yield block

    def _add(self, before: _Block, part: tuple[int, ...], keys: Tensor, values: Tensor) -> None:
        for other in [old for tokens, old in before.children.items() if part[: len(tokens)] == tokens]:
            self._remove(other)  # the end of a sequence that goes on now
        before.children[part] = block = _Block(before, part, keys, values)
        self.bytes += block.bytes

    def _remove(self, block: _Block) -> None:
        assert block.parent is not None, "the root stays"
        del block.parent.children[block.tokens]
        self.bytes -= block.bytes


def _common_length(one: Sequence[int], other: Sequence[int]) -> int:
    """How many tokens two sequences have in common at the beginning."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((at for at, (left, right) in pairs if left != right), min(len(one), len(other)))
