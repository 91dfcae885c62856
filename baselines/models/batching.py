"""Which tokens of a batch are read together: plain arithmetic on lengths, by what a pass through the model costs.

A pass costs as much as reading some tokens (`pass_cost`), and every token in it, padding included, costs one more.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence

Tokens = Sequence[int]

MOST = 8192
"""Tokens of a pass, so that its memory is bounded; one row may have more."""

_SAVED = 32
"""Tokens that must be saved before a common beginning is read apart."""


def pass_cost(device: str) -> int:
    """Tokens that cost as much as a pass: the weights are read once whatever their number.

    Args:
        device: Kind of device, as in torch.
    """
    return 16 if device == "cpu" else 256


def passes(lengths: Sequence[int], cost: int) -> list[tuple[int, int]]:
    """The cheapest division of rows into passes, in which shorter rows are padded.

    Args:
        lengths: Tokens of each row, ascending.
        cost: See `pass_cost`.

    Returns:
        First row and end of each pass.
    """
    best: list[tuple[float, int]] = [(0.0, 0)]  # cost of the first rows, and where their last pass begins
    for end in range(1, len(lengths) + 1):
        width = lengths[end - 1]
        starts = [start for start in range(end) if (end - start) * width <= MOST or start == end - 1]
        best.append(min((best[start][0] + cost + (end - start) * width, start) for start in starts))
    out, end = [], len(lengths)
    while end:
        out.append((best[end][1], end))
        end = best[end][1]
    return out[::-1]


def common_width(lengths: Sequence[int], cost: int) -> int:
    """How many tokens of each row to read at once, where the next pass can read the rest: most tokens for the cost.

    Args:
        lengths: Tokens that wait in each row, 1 or more.
        cost: See `pass_cost`.
    """

    def worth(width: int) -> float:
        return sum(min(length, width) for length in lengths) / (cost + width * len(lengths))

    return max(sorted(set(lengths)), key=worth)


def shared_beginnings(prompts: Sequence[Tokens], known: Callable[[Tokens], int]) -> Iterator[list[list[int]]]:
    """Beginnings that several prompts share and that are worth reading once, the shorter ones first.

    Args:
        prompts: Token ids; the last token of each is left alone.
        known: How many tokens of a beginning need no reading; asked again after each level.

    Yields:
        Beginnings that can be read together.
    """
    groups = [[list(prompt[:-1]) for prompt in prompts]]
    while groups:
        level, parts = [], []
        for group in groups:
            beginning = common_beginning(group)
            if (len(group) - 1) * (len(beginning) - known(beginning)) >= _SAVED:
                level.append(beginning)
            parts += _parted(group, len(beginning))
        if level:
            yield level
        groups = parts


def common_beginning(lists: Sequence[list[int]]) -> list[int]:
    """The longest beginning of all lists."""
    low, high = min(lists), max(lists)  # all others lie between these two in dictionary order
    different = (index for index, pair in enumerate(zip(low, high, strict=False)) if pair[0] != pair[1])
    return low[: next(different, len(low))]


def _parted(group: Sequence[list[int]], at: int) -> list[list[list[int]]]:
    """Those that have the same token here, two or more together."""
    found: dict[int, list[list[int]]] = defaultdict(list)
    for tokens in group:
        if len(tokens) > at:
            found[tokens[at]].append(tokens)
    return [several for several in found.values() if len(several) > 1]
