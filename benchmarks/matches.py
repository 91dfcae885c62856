"""How long 1,000 matches of scripted players take, one after the other as in a tournament.

    python benchmarks/matches.py [--json] [--repeats 5]

To compare two versions of the package run it in both, in turns. See README.md.
"""

from __future__ import annotations

import argparse
import json
import statistics
import time

from econzoo.evaluate.run import Match, PlayerCache, new_match, play_matches

MATCHES = 1000

PLAYERS = {
    "bargaining": ("boulware(0.5)", "random"),
    "negotiation": ("random", "random"),
    "persuasion": ("random", "always"),
    "matrix": ("tit-for-tat", "mixed(0.5)"),
    "water_allocation": ("random",) * 5,
}
"""Games with and without chance, players who draw and players who do not."""


def matches(game: str, number: int) -> list[Match]:
    """Matches of as many seeds in two settings that take turns."""
    words = [{"messages": messages} for messages in (True, False)] if game in ("bargaining", "negotiation") else [{}]
    return [new_match(game, PLAYERS[game], seed, **words[seed % len(words)]) for seed in range(number)]


def seconds(game: str) -> float:
    """CPU seconds of `MATCHES` matches."""
    todo = matches(game, MATCHES)
    start = time.process_time()
    assert sum(1 for _ in play_matches(todo, PlayerCache(game))) == MATCHES
    return time.process_time() - start


def main() -> None:
    """Prints the figures."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--repeats", type=int, default=5)
    args = parser.parse_args()
    found = {game: [seconds(game) for _ in range(args.repeats)] for game in PLAYERS}
    if args.json:
        print(json.dumps(found))
        return
    for game, taken in found.items():
        print(f"{game:20} median {statistics.median(taken):6.2f} s   best {min(taken):6.2f} s")


if __name__ == "__main__":
    main()
