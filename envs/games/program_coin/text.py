"""What an author of programs for the coin game reads.

Fields besides the common ones: turns, own_letter, own_coin, other_coin, size. Of an event: own_coins, other_coins.
"""

from __future__ import annotations

from typing import Any

from econzoo.envs.families.open_source import Texts, format_count

COLOURS = ("red", "blue")


class OwnTexts(Texts):
    """Letters and colours by seat."""

    forfeit_text = "the turn is forfeited: your player stays where it is"
    tools = ("helpers", "tools")

    def base_texts(self, view: Any) -> list[str]:
        """The board and what coins bring."""
        return ["board", "coins"]

    def setting_fields(self, view: Any, names: tuple[str, ...]) -> dict[str, str]:
        seen = {"own_letter": "AB"[view.seat], "own_coin": COLOURS[view.seat], "other_coin": COLOURS[1 - view.seat]}
        return {"turns": format_count(view.turns, "turn"), **seen, "size": str(view.size)}

    def result_fields(self, result: Any) -> dict[str, str]:
        return {"own_coins": format_count(result.own, "coin"), "other_coins": format_count(result.others, "coin")}

    def describe_play(self, result: Any) -> str:
        took = f"{format_count(result.own, 'coin')} of its own colour and {result.others} of the other's"
        return f"went {result.moves}, took {took}, and"
