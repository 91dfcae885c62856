"""Unique labels of players in tables, computed over all matches of a table."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from econzoo.envs.core.record.spec import labels


class PlayerLabels:
    """Base class of objects with labelled players.

    Labels are in a slot, not a field, because they depend on the table and are not recorded.
    """

    __slots__ = ("_labels",)
    players: list[str]
    _labels: list[str]

    @property
    def labels(self) -> list[str]:
        """Labels of the players by seat; see `econzoo.envs.core.record.spec.labels`."""
        if not hasattr(self, "_labels"):
            label_players([self])
        return self._labels


def label_players(matches: Sequence[PlayerLabels], specs: Iterable[str] = ()) -> dict[str, str]:
    """Assign labels to the players of all matches.

    Args:
        matches: Matches in the same tables.
        specs: Specs of other players in these tables. The last of several names of a player counts.

    Returns:
        Spec to label.
    """
    found = labels([*dict.fromkeys(spec for match in matches for spec in match.players), *specs])
    own = {players: [found[spec] for spec in players] for players in {tuple(match.players) for match in matches}}
    for match in matches:
        match._labels = own[tuple(match.players)]
    return found
