"""What an author of programs for the coin game reads.

Fields besides the common ones: turns, own_letter, own_coin, other_coin, size. Of an event: own_coins, other_coins.
"""

from __future__ import annotations

from typing import Any

from econzoo.envs.families.open_source.texts import Texts, counted

COLOURS = ("red", "blue")


class OwnTexts(Texts):
    """Letters and colours by seat."""

    forfeited = "the turn is forfeited: your player stays where it is"
    tools = ("helpers", "tools")

    def about(self, view: Any) -> list[str]:
        """The board and what coins bring."""
        return ["board", "coins"]

    def setting(self, view: Any, names: tuple[str, ...]) -> dict[str, str]:
        """Who one is, and the board."""
        seen = {"own_letter": "AB"[view.seat], "own_coin": COLOURS[view.seat], "other_coin": COLOURS[1 - view.seat]}
        return {"turns": counted(view.turns, "turn"), **seen, "size": str(view.size)}

    def took(self, result: Any) -> dict[str, str]:
        """Coins."""
        return {"own_coins": counted(result.own, "coin"), "other_coins": counted(result.others, "coin")}

    def did(self, result: Any) -> str:
        """Steps and coins."""
        took = f"{counted(result.own, 'coin')} of its own colour and {result.others} of the other's"
        return f"went {result.moves}, took {took}, and"
